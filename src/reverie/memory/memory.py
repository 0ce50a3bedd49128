"""The verbs of an open workspace.

    with Memory.init("agent") as memory:
        receipt = memory.remember("Chose the hybrid approach.", Episodic())
        print(memory.recall("which approach?").hits[0].text)
        memory.undo(receipt.commit)

`Memory` holds its parts and inherits nothing: `encoding` plans, `ledger` writes,
`index` finds. A part is loaded with the first verb that needs it, so that who only
asks does not wait for what writes. `SubAgent` is a handle that reads, and proposes.
"""

from __future__ import annotations

import os
import time
from contextlib import nullcontext, suppress
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, partial, wraps
from os import PathLike
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from reverie.authority.authority import Act, Authority, require_caller
from reverie.config import Config, ConfigError, parse_config
from reverie.dates import at_home
from reverie.errors import RefusedError, ReverieError, UnavailableError
from reverie.markdown import headline
from reverie.model.change import (
    DETECT,
    FORGET,
    INIT,
    MAIN,
    REMEMBER,
    USER_SAID,
    Actor,
    OnlyHumansError,
    Secrets,
)
from reverie.model.ids import (
    ItemId,
    Kind,
    Store,
    UnclearCitationError,
    WrongArgumentError,
    checked,
    choice,
    is_citation,
    whole,
)
from reverie.model.items import (
    FOREIGN,
    Confidence,
    EpisodeKind,
    Origin,
    Role,
    aware,
    is_for,
    least,
    person_named,
    scope_of,
)
from reverie.model.proposals import (
    Agent,
    Forgotten,
    Proposal,
    Proposed,
    Resolution,
    SubAgentError,
)
from reverie.model.reflection import describe_due_self_image
from reverie.model.route import (
    Episodic,
    Place,
    Semantic,
    Target,
    TriggerKind,
    Vault,
    store_of,
)
from reverie.model.views import Match, Purge, Reach
from reverie.session import ownership, upkeep
from reverie.session.session import Minds, NoSuchMemoryError, Session
from reverie.session.viewer import CHANGED, OthersMemoriesError, Viewer
from reverie.stores.proposals import find_proposal, listed, load_pending
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType

    from reverie.agents.review import Review
    from reverie.authority.authority import Human
    from reverie.conversation.told import News
    from reverie.conversation.window import Talk, Window
    from reverie.encoding.correct import Meant
    from reverie.encoding.erase import Erasure
    from reverie.encoding.notebook import Notebook
    from reverie.encoding.placement import Desk, Saying
    from reverie.encoding.remember import Remembering
    from reverie.encoding.route import Clerk
    from reverie.graph_view import Entities
    from reverie.history import GoingBack
    from reverie.importers.adoption import Unread
    from reverie.importers.intake import Imported
    from reverie.importers.walk import Found
    from reverie.index import Located
    from reverie.ledger import Confine
    from reverie.minds.mind import Mind, Talker
    from reverie.model import conversation, proposals, views
    from reverie.model.change import (
        ChangeSet,
        Corrected,
        LogEntry,
        Near,
        Observed,
        Receipt,
        Remembered,
    )
    from reverie.model.health import Bill, Health, Spent
    from reverie.model.items import Finding, Turn
    from reverie.model.reflection import HostQuestion, Trial
    from reverie.model.route import Observation, Trigger
    from reverie.model.views import Contradiction, Hit, Recalled, Why
    from reverie.recall.context_block import ContextBlock
    from reverie.recall.search import MemorySearch
    from reverie.reflection.plan import Site
    from reverie.reflection.reflection import Reflection
    from reverie.reflection.self_image import SelfImageShown
    from reverie.reflection.standing import Standing
    from reverie.workspace.questions import QuestionBox

    Paths = str | Sequence[str]
    Progress = Callable[[int, int], None]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

WAITING = timedelta(days=7)
"""A question that the host agent has not answered for so long is dropped."""

MOST_SHOWN = 50
"""So many memories at most are shown for one wish to forget."""

MOST_QUESTIONS, MOST_COUNTED = 1_000, 10_000
"""So many questions are asked about one import, and so much of it is counted."""

MOST_PROPOSALS = 5
"""So many proposals are named when an agent wakes."""


def now_in_utc() -> datetime:
    """Return the time of the machine's clock."""
    return datetime.now(UTC)


def _no_progress(*_counts: int) -> None:
    """Tell nobody how far it is."""


def checked_verbs(cls: type[T]) -> type[T]:
    """Have every verb of a class refuse wrong arguments, and name them."""
    for name, verb in [*vars(cls).items()]:
        if isinstance(verb, FunctionType) and not name.startswith("_"):
            setattr(cls, name, checked(verb))
    return cls


class Heard(Struct, frozen=True):
    """What came of a message.

    Attributes:
        triggers: What it asks for, in order.
        remembered: What was stored.
        refused: What was not, and why.
        forgetting: What was found for each wish to forget, to be confirmed.
        questions: Ids of what the host agent has to answer first.
        reflection: Where reflection stands, if the message asks for one.
        image: The new self-image, or the question for it, if the message asks for one.
        asks: Sentences that ask to remember something, if that is left to the agent;
            an empty one for a sentence that is not all the user's own.
    """

    triggers: tuple[Trigger, ...]
    remembered: tuple[Remembered, ...] = ()
    refused: tuple[str, ...] = ()
    forgetting: tuple[views.Forgetting, ...] = ()
    questions: tuple[str, ...] = ()
    reflection: Standing | None = None
    image: SelfImageShown | None = None
    asks: tuple[str, ...] = ()


def settings_at(
    root: Path, environ: Mapping[str, str], warn: Callable[[str], None] = lambda _: None
) -> Config:
    """The parameters of a workspace that is not open; the defaults where it has none.

    Args:
        root: The workspace's folder.
        environ: Where overrides of the configuration come from.
        warn: Is told that the configuration is broken.
    """
    try:
        text = (root / layout.CONFIG).read_text(encoding="utf-8", errors="replace")
        return parse_config(text, layout.CONFIG, environ)
    except OSError:
        return Config()
    except ConfigError as error:
        warn(f"{error}; the defaults are used")
        return Config()


MAX_REQUESTS = 10
"""Requests to memory that are carried out for one message; each may be a search."""

TOO_MANY_REQUESTS = (
    f"a message has at most {MAX_REQUESTS} requests to memory; {{}} more were not "
    "carried out. Send them in another message."
)


@checked_verbs
class Memory:
    """An open workspace, to be asked and changed.

    Args:
        path: Its folder.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration, and keys, come from.
        person: Whom it is opened for: nothing that is for another person alone is
            shown, counted or matched. Everything is, where nobody is named.
        mind: Who thinks, instead of whom the configuration names.
        human: The channel to its human; see `open`.
        confine: Looks at every change before it is made; None to allow all.

    Attributes:
        stays: Whether closing it ends a session, so that what was of use is written
            down; a single command is none.
    """

    stays = True

    @checked
    def __init__(
        self,
        path: str | PathLike[str],
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        person: str = "",
        mind: Mind | None = None,
        human: Human | None = None,
        confine: Confine | None = None,
    ) -> None:
        if human is not None and not callable(human):
            name = "human"
            raise WrongArgumentError(name, human, "a function that asks them")
        self._variables = os.environ if environ is None else environ
        self._person = person_named(person)
        self._authority = Authority(human)
        root = Path(path).absolute()
        self._session = Session(root, clock, self._variables, confine, self._authority)
        self._minds = Minds(self._session, self._variables, mind)
        self._viewer = Viewer(self._session, self._person)
        self._again = partial(
            Memory, clock=clock, environ=environ, person=person, mind=mind, human=human
        )
        self._seen: tuple[str, ...] = ()
        self.adopted: Imported | None = None
        self._session.upkeep_allowed = confine is None
        self._session.injected_clock = clock is not now_in_utc

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        human: Human | None = None,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        person: str = "",
        mind: Mind | None = None,
    ) -> Self:
        """Open a workspace.

        Args:
            path: Its folder.
            human: Asked before everything that only its human may do: it gets what
                would be done, shows it to them, and returns True for yes, or the
                owner's passphrase where one is set. Without it all of that is refused.
            clock: Where the time comes from; must give UTC.
            environ: Where overrides of the configuration, and keys, come from.
            person: Whom it is opened for; what is for another alone is not there.
            mind: Who thinks, instead of whom the configuration names.
        """
        return cls(
            path, clock=clock, environ=environ, person=person, mind=mind, human=human
        )

    @classmethod
    def init(
        cls,
        path: str | PathLike[str],
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        mind: Mind | None = None,
        human: Human | None = None,
        progress: Callable[[int, int, int], None] = _no_progress,
    ) -> Self:
        """Make a folder a workspace, or adopt what is in it; nothing is overwritten.

        Everything that somebody remembered there can be recalled at once: Markdown is
        read where it stands, and notes in further folders of an Obsidian vault, or of
        Claude Code, are imported; `adopted` says what that came to.

        Args:
            path: The folder.
            clock: Where the time comes from; must give UTC.
            environ: Where overrides of the configuration, and keys, come from.
            mind: Who thinks, instead of whom the configuration names.
            human: The channel to its human; see `open`.
            progress: Told of the import as `import_from` tells it.
        """
        from reverie.importers.adoption import adopt, adopt_edges

        Session.prepare(Path(path).absolute())
        memory = cls(path, clock=clock, environ=environ, mind=mind, human=human)
        adopts = not memory._session.ledger.head
        memory._session.begin()
        if adopts:
            adopt_edges(memory._session)
        desk, forgotten = memory._import_desk, memory._remembering.forgotten
        memory.adopted = adopt(
            memory._session, partial(desk, INIT), forgotten, progress
        )
        return memory

    def elsewhere(self, home: str | PathLike[str]) -> list[Unread]:
        """What could be imported besides, by its names alone; nothing of it is read.

        Args:
            home: The user's own folder, where agents keep what they remember.
        """
        from reverie.importers.adoption import find_elsewhere

        return list(find_elsewhere(self.root, Path(home)))

    def again(self, human: Human | None = None) -> Memory:
        """Another handle on the same workspace, for another thread.

        Args:
            human: A channel to its human, where that is another one.
        """
        how = {"human": human} if human else {}
        other: Memory = self._again(self.root, **how)
        return other

    @property
    def committed(self) -> tuple[str, ...]:
        """The newest changes that were made through this handle, oldest first."""
        return tuple(self._session.committed)

    def close(self) -> None:
        """End the session; every verb is refused from then on."""
        self._close()

    @property
    def tidy_on_close(self) -> bool:
        """Whether it does upkeep when it is closed, or starts it in the background."""
        return self._session.upkeep_allowed

    @tidy_on_close.setter
    def tidy_on_close(self, allowed: bool) -> None:
        self._session.upkeep_allowed = allowed

    def _close(self, *, tidy: bool = True) -> None:
        if not self._session.closed and self._viewer:
            self._seen = self.warnings
        self._session.close(tidy=tidy, ends=self.stays)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Tidying may fail for the same cause, and would hide what it was.
        self._close(tidy=kind is None)

    @property
    def root(self) -> Path:
        """The workspace's folder."""
        return self._session.root

    @property
    def workspace_id(self) -> str:
        """ID of the workspace; a moved or copied folder keeps it."""
        return self._session.identity.id

    @property
    def config(self) -> Config:
        """The workspace's parameters."""
        return self._session.config

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was amiss and has been worked around since opening."""
        found = self._session.told
        if not found or not self._viewer:
            return found
        if self._session.closed:
            return self._seen
        from reverie.session.conversation_record import conversations

        # None names a conversation in which nothing is for who looks.
        mine = conversations(self._session, self._person)
        hidden = [name for name, (_, turns) in mine.items() if not turns]
        return tuple(t for t in found if not any(name in t for name in hidden))

    # --- its parts ---------------------------------------------------------

    @cached_property
    def _recalling(self) -> MemorySearch:
        from reverie.recall.search import MemorySearch

        return MemorySearch(self._session, self._variables)

    @cached_property
    def _clerk(self) -> Clerk:
        from reverie.encoding.route import Clerk

        return Clerk(self._session, self._minds)

    @cached_property
    def _remembering(self) -> Remembering:
        from reverie.encoding.remember import Remembering

        return Remembering(self._session, self._desk, self._clerk, self._find_quote)

    def _find_quote(self, window: str, text: str) -> conversation.Quote:
        from reverie.conversation.quoted import find_quote

        return find_quote(self._session, window, text)

    @cached_property
    def _back(self) -> GoingBack:
        from reverie.history import GoingBack

        return GoingBack(self._session, self._viewer)

    @cached_property
    def _review(self) -> Review:
        from reverie.agents.review import Review

        return Review(self._session, self._desk, self._clerk.place_of)

    @cached_property
    def _talk(self) -> Talk:
        from reverie.conversation.window import Talk

        session, find = self._session, self._find_out
        store = partial(getattr, self, "_remembering")
        return Talk(session, self._minds, find, self._viewer, self._news, store)

    @cached_property
    def reflection(self) -> Reflection:
        """Reflection: check-in, tokens, thinking, and the human's decision."""
        from reverie.reflection.cycle import CycleStore, Study
        from reverie.reflection.reflection import Reflection

        self._session.require_open()
        session = self._session
        store = CycleStore(session)
        study = Study(session, store, self._minds, self._recalling, self._site)
        return Reflection(study)

    def _site(self) -> Site:
        from reverie.reflection.plan import Site
        from reverie.session.moved_pages import naming_now

        session, index = self._session, self._session.index
        desk = self._desk(Actor("reflection:plan"))

        parts = (desk, index.find, index.trace, self._clerk.place_of)
        return Site(*parts, naming=partial(naming_now, session), scope=index.scope_of)

    def _desk(self, actor: Actor, origin: Origin | None = None) -> Desk:
        from reverie.encoding.remember import open_desk

        return open_desk(self._session, actor, origin)

    # --- asking --------------------------------------------------------------

    def recall(
        self,
        question: str,
        *,
        now: datetime | None = None,
        limit: int | None = None,
        least: float | None = None,
        reach: Reach | str = Reach.EXPLICIT,
        stores: Iterable[Store | str] = (),
        person: str = "",
    ) -> Recalled:
        """Find what answers a question, each hit with its reasons.

        Who searches makes use of the best hit: it fades later. Asking for another
        moment, or for what is archived, only looks.

        Args:
            question: In plain words.
            now: The moment to ask for: "last week" is counted from it, and fading.
            limit: The most hits to return.
            least: The score from which on a hit is returned.
            reach: Whether dormant and archived memories are shown too.
            stores: Where to look; everywhere by default.
            person: Who asks; what is for another person alone is not found.
        """
        if limit is not None and limit < 1:
            name = "limit"
            raise WrongArgumentError(name, limit, "at least 1")
        places = [choice("stores", store, Store) for store in stores]
        self._session.write_down(wait=False)
        depth = Reach(reach)
        found = self._find_out(question, now, limit, least, depth, places, person)
        if depth is Reach.EXPLICIT and now is None:
            # What somebody looked for was of use; what fades says its status.
            self._session.uses.note(hit.id for hit in found.hits[:1] if hit.status)
        return found

    def _find_out(  # noqa: PLR0913 - the fields of a question
        self,
        question: str,
        now: datetime | None = None,
        limit: int | None = None,
        least: float | None = None,
        reach: Reach = Reach.EXPLICIT,
        stores: Iterable[Store] = (),
        person: str = "",
        in_sight: tuple[str, int] | None = None,
        *,
        deep: bool = False,
        within: str = "",
    ) -> Recalled:
        """What is written down and answers a question."""
        from reverie.recall.hit_marks import mark_hits
        from reverie.recall.question import RecallQuestion

        session, settings = self._session, self._session.config.recall
        asked = RecallQuestion(
            question,
            aware(now or session.now()).astimezone(session.zone),
            session.config,
            reach,
            settings.max_results if limit is None else limit,
            settings.min_score if least is None else least,
            frozenset(stores),
            self._person or person,
            in_sight,
            deep,
            within,
        )
        session.look_sometimes()
        session.sync()
        found, doubts = self._recalling.recall(asked), session.doubts()
        conflicting = self._find_possibly_wrong([hit.id for hit in found.hits])
        versions = self._pending_versions
        hits = mark_hits(found.hits, session.index, versions, conflicting)
        marked = self._with_newer(hits, asked.person)
        found = replace(found, hits=tuple(marked))
        if not any(hit.path in doubts for hit in found.hits):
            return found
        # An unknown hand's words are nobody's until their owner confirms them.
        hits = [
            replace(hit, origin=Origin.TOOL, unconfirmed=True)
            if hit.path in doubts
            and self._session.confirming.is_unconfirmed_text(hit.path, hit.text)
            else hit
            for hit in found.hits
        ]
        return replace(found, hits=tuple(hits))

    def _pending_versions(self) -> dict[str, int]:
        from reverie.encoding.proposal_updates import find_pending_versions

        found = self._viewer.proposals(listed(self._session.ledger.read))
        return find_pending_versions(self._session, found)

    def _find_possibly_wrong(self, ids: Sequence[str]) -> set[str]:
        """Return the IDs of statements that a possible conflict is about."""
        if not ids:
            return set()
        from reverie.encoding.possible_conflicts import find_possible_conflicts

        found = find_possible_conflicts(self._session, ids)
        return {side.id for each in found for side in each.sides}

    def _with_newer(self, hits: Sequence[Hit], person: str) -> Sequence[Hit]:
        """Hits, of which outdated items of core memory say what is newer."""
        if not any(hit.store is Store.CORE for hit in hits):
            return hits
        from reverie.encoding.outdated_core import find_outdated, render_newer

        found = find_outdated(self._session, person)
        return [
            replace(hit, newer=render_newer(found[hit.id])) if hit.id in found else hit
            for hit in hits
        ]

    def outdated(self) -> Mapping[str, views.NewerText]:
        """Return what is newer than items of core memory, by the IDs of the items."""
        from reverie.encoding.outdated_core import find_outdated

        self._session.look_sometimes()
        self._session.sync()
        return find_outdated(self._session, self._person)

    def context(
        self,
        question: str,
        *,
        budget: int = 1000,
        several: bool = False,
        now: datetime | None = None,
        person: str = "",
    ) -> ContextBlock:
        """What to put into a prompt for a question: Markdown, dated and cited.

        The best there is up to the budget, each memory in a line behind a citation,
        which goes wherever an id does (`ids` has what is behind each). The same bytes
        for the same question, moment and state of the workspace.

        Args:
            question: What the prompt is about.
            budget: The most tokens it may have.
            several: Whether several things are wanted, from many days and pages.
            now: The moment to ask for.
            person: Who asks.
        """
        from reverie.recall.context_block import DEEP, render_context

        most = max(self._session.config.recall.max_results, budget // DEEP)
        self._session.write_down(wait=False)
        how = (now, most, 0, Reach.AUTOMATIC, (), person)
        found = self._find_out(question, *how, deep=True)
        return render_context(found, budget, several=several)

    def why(
        self, item_id: str, question: str = "", *, now: datetime | None = None
    ) -> Why:
        """Why a memory is there, as vivid as it is, and found or not for a question."""
        from reverie.history import blame

        shown, moment = self.show(item_id), now or self._session.clock()
        found = blame(self._session, self._viewer, shown.path)
        line = next((each for each in found if each.number == shown.line), None)
        line = None if shown.unconfirmed else line
        entry = self._session.ledger.entry(line.commit) if line else None
        last = self._viewer.entry(entry) if entry else None
        reach, most = Reach.EVERYTHING, 10_000
        everything = (
            self.recall(question, now=now, limit=most, least=0, reach=reach)
            if question
            else None
        )
        return self._recalling.why(shown, last, everything, moment)

    def _id(self, named: str) -> str:
        """An id, also where it is named by its citation."""
        if not is_citation(named):
            return named
        cited = self._session.index.cited(named)
        seen = [id_ for id_ in cited if self._viewer.sees_id(id_)]
        if len(seen) > 1:
            raise UnclearCitationError(named, ", ".join(seen))
        return seen[0] if seen else named

    def _page_of(self, item_id: str) -> str:
        """The page of a fact that is named by its id; any other id as it is."""
        from reverie.stores.entities import parse_fact_id

        if parse_fact_id(item_id) is None:
            return item_id
        from reverie.encoding.near import Around

        self._session.sync()
        return f"{Kind.ENTITY}:{Around(self._session).require(item_id).page}"

    def show(self, item_id: str) -> views.Shown:
        """One memory as it stands now, or one fact, which is as vivid as its page."""
        from reverie.history import history

        self._session.look()
        item_id = self._id(item_id)
        page = self._page_of(item_id)
        if page != item_id:
            from reverie.encoding.near import Around

            near, shown = Around(self._session).require(item_id), self.show(page)
            id_ = f"{Kind.ENTITY}:{near.id}"
            where = {"id": id_, "title": headline(near.text), "line": near.line}
            whose = Origin.TOOL if shown.unconfirmed else shown.origin
            return replace(shown, text=near.text, origin=whose, **where)
        found = self._located(item_id)
        self._viewer.require(found.id)
        only = (found.path, "", None, "", 1)
        last = next(iter(history(self._session, self._viewer, *only)), None)
        shown = self._session.answered(lambda: self._viewer.shown(found))
        if found.store is Store.PROCEDURAL:
            shown = replace(shown, pending=self._pending_versions().get(found.id, 0))
        if last is None:
            return shown
        return replace(shown, commit=last.commit, actor=str(last.actor))

    def _located(self, item_id: str) -> Located:
        id_ = str(ItemId.parse(item_id))
        found = self._session.find(id_)
        if found is None:
            raise NoSuchMemoryError(item_id)
        return found

    def items(
        self, store: Store | str | None = None, *, path: Paths = "", last: int = 0
    ) -> list[views.Shown]:
        """Every memory, of one store, or of some files (the last of each), in order."""
        session, viewer = self._session, self._viewer
        session.look()

        def answer() -> list[views.Shown]:
            wanted = choice("store", store, Store) if store else None
            index = session.index
            found = index.in_files(path, last) if path else index.items(wanted)
            return [viewer.shown(located) for located in viewer.items(found)]

        return session.answered(answer)

    def graph(self) -> str:
        """The table of all entities and edges, as it stands now."""
        self._require_everybody("the whole graph")
        return self.entities.table()

    @property
    def entities(self) -> Entities:
        """Entities: the most relevant part of the graph, and one page of it."""
        from reverie.graph_view import Entities

        return Entities(self._session, self._viewer)

    def glance(self) -> AbstractContextManager[None]:
        """Answer what is asked inside as of one look at the files."""
        return self._session.glance()

    def core_use(self) -> views.CoreUse:
        """How full core memory's blocks are, and the whole of it."""
        from reverie.health import core_use

        return core_use(self._session, told=True)

    def overview(self) -> views.Overview:
        """The workspace at a glance."""
        from reverie.health import overview

        session, ledger = self._session, self._session.ledger
        changes = len(self.history()) if self._viewer else ledger.count()
        alerts = len(self.alerts())
        return overview(session, self._viewer, changes, alerts, self.warnings)

    def history(
        self,
        *,
        path: str = "",
        actor: str = "",
        since: datetime | None = None,
        forgotten: str = "",
        limit: int = 0,
        commit: str = "",
    ) -> list[LogEntry]:
        """Changes, newest first.

        Args:
            path: Only those that touched this file.
            actor: Only those of this actor, or of actors that begin with it.
            since: Only those made from this moment on.
            forgotten: Only those by which something about this went: why is it gone?
            limit: At most so many; 0 for all.
            commit: This one alone, whatever else is said.
        """
        from reverie.history import history

        session, viewer = self._session, self._viewer
        session.look()
        return history(session, viewer, path, actor, since, forgotten, limit, commit)

    def diff(self, commit: str) -> str:
        """What one change did to the files, as a unified diff."""
        from reverie.history import diff

        return diff(self._session, self._viewer, commit)

    def blame(self, path: str) -> list[views.BlameLine]:
        """Each line of a file, with the change it came with."""
        from reverie.history import blame

        self._session.look()
        return blame(self._session, self._viewer, path)

    def read_file(self, path: str) -> str:
        """Return a file of the workspace as it is served: confirmed, without secrets.

        Lines for another person alone are left out.

        Args:
            path: Its path in the workspace.
        """
        self._session.look()
        return self._viewer.read_confirmed(path)

    def check(self) -> list[Finding]:
        """Everything a person should look at; nothing is changed but noticed."""
        from reverie.health import check

        return check(self._session, self._viewer)

    def health(self, *, conversations: bool = True) -> Health:
        """How the memory is: counts, budgets, what waits, the index, spending.

        Without conversations, all of which have to be read, it is quick.
        """
        from reverie.conversation.context_reflection import quality
        from reverie.health import health
        from reverie.model.health import Conversations

        session, talk = self._session, None
        if conversations:
            talk = Conversations.of(self.windows(), quality(session, self._person))
        parts = (session, self._viewer, self._recalling, self.overview())
        return health(*parts, self.spending(), conversations=talk)

    def spent(self, day: date | None = None) -> Spent:
        """What thinking has cost on a day, in UTC; today by default."""
        return self._minds.purse().spent(day or self._session.now().date())

    def spending(self, days: int = 30) -> Bill:
        """What thinking has cost, by day and by cause.

        Args:
            days: How many days up to today, in UTC.
        """
        from reverie.model.health import Prices, bill

        mind, today = self._session.config.mind, self._session.now().date()
        first = date.fromordinal(max(1, today.toordinal() - days + 1))
        prices = Prices.per_million(mind.price_input, mind.price_output, mind.currency)
        spent = self._minds.purse().days(first, today)
        return bill(spent, first, today, mind.daily_tokens, prices)

    # --- telling -------------------------------------------------------------

    def acting(self, otherwise: Actor = MAIN) -> Actor:
        """Who acts where nobody is named: the human who is there, else an agent."""
        return self._authority.default(otherwise)

    def remember(  # noqa: PLR0913 - all that can be said of a memory
        self,
        text: str,
        place: Place | None = None,
        *,
        actor: Actor = REMEMBER,
        trigger: str = "remember",
        origin: Origin | str | None = None,
        secrets: Secrets | str = Secrets.REFUSE,
        derived_from: Iterable[str] = (),
        supersedes: Iterable[str] = (),
        contradicts: Iterable[str] = (),
        also: Iterable[tuple[str, Place]] = (),
        conversation: str = "",
    ) -> Remembered:
        """Store a text where it belongs.

        Args:
            text: What to remember.
            place: Which store, and what that store wants to know; without it the
                mind says it, or it goes to the page it names, or to the episodes.
            actor: Who acts.
            trigger: What started it, in the user's words where there are any. What an
                agent stores counts as the user's statement only if the text, or these
                words, are whole sentences of a recorded user turn.
            origin: Whose words it is, where that is not the actor's: `Origin.TOOL` for
                what a web page said. It never raises the trust that the actor has.
            secrets: What to do with passwords and keys in it.
            derived_from: Ids of memories that it was made of; it is trusted no more
                than the least of them.
            supersedes: IDs of memories whose place it takes, on any page and in any
                store, or words that only one of them has. Without a place it goes
                where the first of them stands.
            contradicts: IDs of known facts that it cannot hold together with; of a
                new fact, episodes as well. All of them stay, and their pages ask
                which holds.
            also: Further texts and places to store in the same change, such as a line
                of core memory; an empty text stands for `text`. Needs a `place`.
            conversation: The conversation the agent takes part in, as its host calls
                it. An agent may change core memory in whole sentences that the user
                typed there.

        Returns:
            Proof that it is durable, with the ids it has; without lines if all of it
            was known already. What may not go where it belongs waits, and it says so.

        Raises:
            SecretFoundError: It has a secret; nothing of it was written.
            ForgottenError: Its human asked to forget it.
            RestatedError: It only repeats a file that the agent always reads.
        """
        from reverie.encoding.placement import Saying

        require_caller(actor)
        place, gone = self._find_superseded(place, supersedes)
        made_of, against = (
            tuple(map(self._id, ids)) for ids in (derived_from, contradicts)
        )
        for id_ in (*made_of, *(id_.partition("#")[0] for id_ in against)):
            self._viewer.require(f"entity:{id_}" if ":" not in id_ else id_)
        steps = tuple(also)
        if steps and place is None:
            hint = "Name the store of the text itself as `place`."
            raise RefusedError("`also` needs a `place`", hint=hint)
        if self._viewer:
            steps = tuple((said, self._private_place(to)) for said, to in steps)
            place = self._private_place(place, corrects="#" in "".join(gone))
        whose = Origin(origin) if origin else Origin.OWNER
        kept = Secrets(secrets)
        said = Saying(text, place, actor, trigger, whose, kept, made_of, against)
        said = replace(said, supersedes=gone, also=steps)
        said = replace(said, conversation="" if self._viewer else conversation)
        return self._viewer.remembered(self._carry_on(said))

    def observe(
        self,
        observations: Iterable[Observation | Mapping[str, object]],
        *,
        window: str = "",
        person: str = "",
        actor: Actor = DETECT,
        origin: Origin | str | None = None,
    ) -> Observed:
        """Keep what was noted, statement by statement, all of it in one change.

        Args:
            observations: Each with its `text` and, where known, whom it is `about`, the
                `day` it speaks of, whose `claim` it is, the facts it `supersedes`, the
                number of the `turn` it comes from or its id as `source`, and how sure
                that is (`confidence`).
            window: The conversation whose turns they name.
            person: Whom they are for alone; such are episodes.
            actor: Who acts.
            origin: Whose words they are, where that is not the actor's.

        Raises:
            BadObservationError: One of them is none; nothing was stored.
        """
        from reverie.encoding.observe import (
            find_unknown_fields,
            read_observations,
            require_turns,
        )

        require_caller(actor)
        told = (*observations,)
        noted = self._with_sources(read_observations(told))
        turns = self.window(window).numbered() if window else {}
        require_turns(noted, turns)
        whose = least((self._authority.origin(actor), Origin(origin or Origin.OWNER)))
        with self._vouching_for(actor, Secrets.REDACT, "keep observations"):
            why = f"observed in {window}" if window else "observe"
            whom = self._person or person
            done = self._remembering.observe(noted, actor, whose, why, turns, whom)
            return replace(done, left_out=find_unknown_fields(told))

    def _with_sources(self, noted: tuple[Observation, ...]) -> tuple[Observation, ...]:
        """Observations that name by its id, not by a citation, what they come from.

        Raises:
            NoSuchMemoryError: There is none of that id, for who asks.
        """
        if not any(each.source for each in noted):
            return noted
        self._session.write_down()
        self._session.sync()
        known: dict[str, str] = {"": ""}
        for named in {each.source for each in noted} - {""}:
            known[named] = self._located(whole(self._id(named))).id
            self._viewer.require(known[named])
        return tuple(replace(each, source=known[each.source]) for each in noted)

    def _private_place(self, place: Place | None, *, corrects: bool = False) -> Place:
        """Return where to store what is for this handle's person alone.

        Only an episode can be for one person alone. A correction of a fact that is for
        everybody stays where the fact is.

        Args:
            place: Where the caller wants it.
            corrects: Whether it supersedes a fact.

        Raises:
            RefusedError: The caller names a store that everybody reads.
        """
        if place is not None:
            self._require_seen(place)
        match place:
            case Semantic(supersedes=fact) if fact or corrects:
                return place
            case Semantic():
                return Episodic(
                    EpisodeKind.FACT,
                    place.confidence,
                    place.tags,
                    place.on,
                    self._person,
                    basis=place.basis,
                    claim=place.claim,
                )
            case Episodic(scope=scope):
                return replace(place, scope=scope or self._person)
            case None:
                return Episodic(scope=self._person)
            case _:
                store = store_of(place)
                what = f"{store} memory is for everybody, not for {self._person} alone"
                hint = "Leave out the person, or name no store."
                raise RefusedError(what, hint=hint)

    def _require_seen(self, place: Place) -> None:
        """Refuse to write on a page, or to end something, that is another's alone."""
        from reverie.encoding.placement import entity_name
        from reverie.index.user import known_as
        from reverie.stores.entities import parse_fact_id

        if isinstance(place, Episodic) and place.supersedes:
            self._viewer.require(place.supersedes)
        if not isinstance(place, Semantic):
            return
        cited = parse_fact_id(place.supersedes)
        names = [cited[0]] if cited else []
        names += [entity_name(place)] if place.about.strip() else []
        index = self._session.index
        for name in names:
            id_ = f"entity:{known_as(index, name)}"
            if index.path_of(id_):
                self._viewer.require(id_)

    def _find_superseded(
        self, place: Place | None, named: Iterable[str]
    ) -> tuple[Place | None, tuple[str, ...]]:
        """Return a place without IDs of what it supersedes, and these IDs.

        Words that name a fact of the page, or a step, stay with the place.
        """
        from reverie.encoding.correct import UnclearFactError
        from reverie.encoding.supersession import (
            find_superseded,
            is_memory_id,
            place_of_superseded,
        )
        from reverie.index.user import is_known_id
        from reverie.secrets import pass_words

        wanted = [*named]
        page_known = not isinstance(place, Semantic) or bool(place.about.strip())
        if place is not None and place.supersedes:
            said = self._id(place.supersedes)
            if is_memory_id(said) or not page_known:
                wanted.insert(0, said)
                place = replace(place, supersedes="")
        if not wanted:
            return place, ()
        self._session.sync()
        # What names nothing is repeated in an error.
        is_id = partial(is_known_id, self._session.index)
        pass_words(wanted, Secrets.REFUSE, is_id)
        found: list[Near] = []
        for each in wanted:
            if is_memory_id(said := self._id(each)):
                found.append(find_superseded(self._session, said))
                self._viewer.require(found[-1].memory)
                continue
            meant, clear = self._to_correct(said)
            if not clear:
                raise UnclearFactError(said, meant)
            found += meant
        if place is None or not page_known:
            wish = place if isinstance(place, Semantic) else None
            place = place_of_superseded(self._session, found[0], wish)
        return place, tuple(near.id for near in found)

    def correct(
        self,
        what: str,
        new: str,
        *,
        on: date | None = None,
        links: Iterable[tuple[str, str]] = (),
        actor: Actor = REMEMBER,
        origin: Origin | str | None = None,
        trigger: str = "correct",
        conversation: str = "",
    ) -> Corrected:
        """Put new words in the place of what is remembered, in one change.

        A fact is superseded, with the links that came with it. An episode is struck
        out in its log, and the new one tells what it was. A line of core memory, a
        step and a note of the vault are replaced where they stand; an agent's
        correction of what steers it waits for its human.

        Args:
            what: The id of a fact, an episode, a line of core memory, a procedure
                (`new` has all of its steps), a step (`procedure:deploy#2`) or a note;
                or words that only one of them has.
            new: What is true.
            on: Since when; for a fact.
            links: Relations that come with the new fact, as `(label, entity id)`.
            actor: Who acts.
            origin: Whose words it is, where that is not the actor's.
            trigger: What started it, in the user's words.
            conversation: As for `remember`.

        Returns:
            What no longer holds, as `superseded`; or `choices`, and nothing changed,
            where it is not clear what is meant.
        """
        from reverie.encoding.correct import place_of
        from reverie.encoding.gate import ORIGIN_WORDS
        from reverie.encoding.supersession import CannotSupersedeError
        from reverie.model.change import Corrected

        session = self._session
        session.look()
        found, clear = self._to_correct(what, new)
        if not clear:
            head, now = session.ledger.head, session.clock()
            return Corrected(head, now, (), actor, choices=found)
        whose = least((self._authority.origin(actor), Origin(origin or Origin.OWNER)))
        if whose in FOREIGN and not actor.human:
            what = f"the new text comes from {ORIGIN_WORDS[whose]}"
            raise CannotSupersedeError(found[0].id, what)
        place = place_of(session, found[0], on, tuple(links))
        if isinstance(place, Vault) and not actor.human:
            raise OnlyHumansError(actor)
        done = self.remember(
            *(new, place),
            actor=actor,
            origin=origin,
            trigger=trigger,
            conversation=conversation,
        )
        told = (getattr(done, name) for name in done.__struct_fields__)
        return Corrected(*told)

    def _to_correct(self, what: str, new: str = "") -> Meant:
        """What may be meant among what this person sees; see `find_to_correct`."""
        from reverie.encoding.correct import Meant, find_to_correct

        what = self._id(what)
        ask = partial(self._hits, what, person=self._person)
        found, clear = find_to_correct(self._session, what, ask, new)
        is_new = self._session.confirming.is_unconfirmed_text
        found = tuple(
            replace(near, origin=Origin.TOOL) if is_new(near.path, near.text) else near
            for near in found
        )
        mine = tuple(n for n in found if self._viewer.sees_id(n.memory))
        if not mine:
            raise NoSuchMemoryError(what)
        return Meant(mine, clear)

    def _carry_on(self, saying: Saying, unrouted: str = "") -> Remembered:
        """Store what was said, now or before; it gives nobody more than they have.

        Args:
            saying: What is to be remembered; anybody could have written the file in
                which it waited.
            unrouted: Why nobody said where it belongs; empty if somebody did.
        """
        require_caller(saying.actor)
        what = f"remember {headline(saying.text)}"
        with self._vouching_for(saying.actor, saying.secrets, what):
            own = self._authority.origin(saying.actor)
            saying = replace(saying, origin=least((own, saying.origin)))
            if unrouted:
                return self._remembering.keep_unrouted(saying, unrouted)
            return self._remembering.remember(saying)

    def _vouching_for(
        self, actor: Actor, secrets: Secrets, what: str
    ) -> AbstractContextManager[object]:
        """Ask its human, where something is said in their name."""
        act = Act.KEEP_SECRET if secrets is Secrets.KEEP else Act.SIGN
        return self._authority.act(act, what) if actor.human else nullcontext()

    def hear(
        self,
        message: str,
        *,
        role: Role | str = Role.USER,
        person: str = "",
        window: str = "",
        begin: bool = True,
        store: bool = True,
    ) -> Heard:
        """Do what a message of the user asks of memory.

        What it says to remember is stored as the user's own words where it is their
        own sentence, and as somebody else's where they quote or may have pasted it.
        What it says to forget is looked for, and `forget` has to be called with what
        was confirmed. Words that ask for a reflection begin one; a farewell only asks
        whether to, and only if anything is new. A wish for a new self-image is left
        to `Reflection.self_image`, which thinks.
        To be called before the message is recorded with `say`: the words of a wish to
        forget that was granted would bring back what they name.

        Args:
            message: What was said.
            role: Who said it.
            person: Whom it is for alone: so is what is remembered, and nothing that is
                for somebody else is looked for. Only an episode can be.
            window: The conversation that the message is recorded in next: facts that
                it tells name that turn as what they come from.
            begin: Whether words that ask for a reflection begin one; False where the
                agent does, whose model thinks. A farewell asks all the same.
            store: Whether what it says to remember is stored; False where the agent
                stores it, and `store_requests` what the agent leaves.
        """
        from reverie.conversation.screening import find_answers
        from reverie.encoding.gate import without_recalled
        from reverie.encoding.triggers import detect
        from reverie.encoding.user_statements import require_content
        from reverie.minds.mind import HostMustAnswerError
        from reverie.secrets import find_secrets, redact

        person = self._person or person
        turn = self._next_turn(window) if window else ""
        # What Reverie itself put into a message asks for nothing.
        own = without_recalled(message)[0]
        # A secret is whole before the message is cut into what it asks for.
        secrets = find_secrets(own)
        if window and not secrets:
            secrets = find_answers(self._session, window, own)
        kinds = [secret.kind for secret in secrets]
        phrases = self._session.config.triggers
        asked = detect(said := redact(own, secrets), Role(role), phrases)
        stored: list[Remembered] = []
        refused: list[str] = []
        found: list[views.Forgetting] = []
        questions: list[str] = []
        left: list[Trigger] = []
        requests = [each for each in asked if each.target is Target.MEMORY]
        if len(requests) > MAX_REQUESTS:
            refused.append(TOO_MANY_REQUESTS.format(len(requests) - MAX_REQUESTS))
        answered = set[tuple[TriggerKind, str]]()
        for trigger in requests[:MAX_REQUESTS]:
            if (trigger.kind, trigger.content) in answered:
                continue
            answered.add((trigger.kind, trigger.content))
            try:
                if trigger.kind is TriggerKind.REMEMBER:
                    if store:
                        require_content(own, trigger)
                        stored.append(self._obey(trigger, person, kinds, turn))
                    else:
                        left.append(trigger)
                elif trigger.kind is TriggerKind.FORGET:
                    wish = self._find(trigger.content, person)
                    found.append(replace(wish, permanent=trigger.permanent))
            except HostMustAnswerError as error:
                questions.append(error.question_id)
            except (RefusedError, UnavailableError) as error:
                refused.append(f"{error}. {error.advice}".strip())
        done = tuple(stored), tuple(refused), tuple(found), tuple(questions)
        heard = Heard(asked, *done, asks=self._leave_to_agent(said, left, window))
        return self._reflect_if_asked(heard, begin=begin)

    def _leave_to_agent(
        self, message: str, requests: Sequence[Trigger], window: str
    ) -> tuple[str, ...]:
        """Note that a message has requests for the agent; return their sentences."""
        if not requests:
            return ()
        from reverie.conversation.left_requests import note_request
        from reverie.encoding.sentences import find_sentence

        if window:
            talk = self.window(window)
            sittings, number = self._talk.sittings, talk.state.last + 1
            note_request(self._session, sittings, talk.name, number)
        said = (find_sentence(message, each.start, each.end) for each in requests)
        return tuple(dict.fromkeys(said))

    def store_requests(self, window: str) -> tuple[list[Remembered], list[str]]:
        """Store what the user asked a conversation to remember and the agent left out.

        For the end of a session. A request is stored word for word only if no agent
        changed a memory since, and if it is one whole sentence that the user typed.

        Returns:
            What was stored, and the sentences of the other requests.
        """
        from reverie.conversation.left_requests import take_left_requests
        from reverie.encoding.user_statements import require_content

        stored: list[Remembered] = []
        left: list[str] = []
        name, sittings = self.window(window).name, self._talk.sittings
        for request in [*take_left_requests(self._session, sittings, name)]:
            turn, trigger = request.turn, replace(request.trigger, own=True)
            if request.storable:
                id_ = f"{Kind.TURN}:{turn.window}/{turn.number}/{Role.USER}/0"
                with suppress(RefusedError, UnavailableError):
                    require_content(turn.text, trigger)
                    scope = scope_of(turn) or self._person
                    stored.append(self._obey(trigger, scope, [], id_))
                    continue
            left.append(request.sentence)
        return stored, left

    def _next_turn(self, window: str) -> str:
        """The id of the turn that the user's next words are recorded as."""
        there = self.window(window)
        return f"{Kind.TURN}:{there.name}/{there.state.last + 1}/{Role.USER}/0"

    def _obey(
        self, trigger: Trigger, person: str, kinds: list[str], turn: str
    ) -> Remembered:
        """Remember what a message says to."""
        from reverie.encoding.placement import Saying
        from reverie.secrets import SecretFoundError

        if kinds and "[redacted" in trigger.content:
            raise SecretFoundError(kinds)
        place: Place | None = Vault() if trigger.permanent else None
        if person.strip():
            place = Episodic(scope=person)
        said = Saying(
            *(trigger.content, place, REMEMBER, f'{USER_SAID}{trigger.phrase}"'),
            Origin.OWNER if trigger.own else Origin.PASTED,
            turn=turn,
        )
        return self._viewer.remembered(self._carry_on(said))

    def _reflect_if_asked(self, heard: Heard, *, begin: bool) -> Heard:
        """Begin a reflection where a message asks for one, and say where it stands."""
        asks = {trigger.kind for trigger in heard.triggers}
        if TriggerKind.SELF_IMAGE in asks and begin:
            try:
                heard = replace(heard, image=self.reflection.self_image())
            except ReverieError as error:
                told = f"{error}. {error.advice}".strip()
                heard = replace(heard, refused=(*heard.refused, told))
        if not asks & {TriggerKind.REFLECT, TriggerKind.REFLECT_SOFT}:
            return heard
        from reverie.model.reflection import Occasion
        from reverie.reflection.cycle import occasion_of

        occasion, standing = occasion_of(heard.triggers), self.reflection.status()
        quiet = not standing.waiting or standing.state == "deferred"
        if occasion is None or (quiet if occasion is Occasion.SOFT else not begin):
            return heard
        try:
            return replace(heard, reflection=self.reflection.begin(occasion))
        except RefusedError as error:
            told = f"{error}. {error.advice}".strip()
            return replace(heard, refused=(*heard.refused, told), reflection=standing)

    def _box(self) -> QuestionBox:
        return self._minds.box("", {})

    def questions(self) -> list[HostQuestion]:
        """What the host agent has to answer, the oldest first."""
        from reverie.encoding.placement import parse_saying
        from reverie.model.reflection import HostQuestion

        box, now = self._box(), self._session.clock()
        for each in box.overdue(now, WAITING):
            if each.verb == "remember":
                why = f"the host agent has not answered {each.question.id}"
                with suppress(RefusedError):
                    self._carry_on(parse_saying(each.arguments), why)
        box.expire(now, WAITING)
        found = []
        for each in box.open_questions():
            asked = each.question
            facts = (asked.id, asked.operation, asked.text, asked.schema)
            found.append(HostQuestion(*facts, each.asked, each.problem))
        return found

    def answer(self, question_id: str, answer: str) -> Remembered:
        """Take the host agent's answer, and go on with what it was asked for.

        After a second answer that is of no use it is kept as it is.

        Args:
            question_id: Of `questions`.
            answer: One JSON object that fits the question's schema.
        """
        from reverie.encoding.placement import parse_saying
        from reverie.index.user import is_known_id
        from reverie.minds.mind import HostGaveUpError

        box = self._box()
        try:
            is_id = partial(is_known_id, self._session.index)
            waiting = box.answer(question_id, answer, is_id)
        except HostGaveUpError as error:
            held = box.find(question_id)
            if held is None:
                raise
            done = self._carry_on(parse_saying(held.arguments), str(error))
            box.drop(question_id)
            return done
        return self._carry_on(parse_saying(waiting.arguments))

    def take_in(
        self,
        found: Iterable[Found | Finding],
        *,
        actor: Actor | None = None,
        secrets: Secrets | str = Secrets.REDACT,
        progress: Callable[[int], None] = _no_progress,
    ) -> Imported:
        """File conversations and passages that come from elsewhere.

        What is there already stays as it is, so it may be done again, and goes on
        where it was cut off.

        Args:
            found: What to file; findings are passed on in the report.
            actor: Who acts; its human where one is there, else `bot:main`.
            secrets: What to do with passwords and keys in it.
            progress: Told how many memories are done, after each batch.
        """
        from reverie.importers.intake import screened, take_in

        signed, chosen = actor or self.acting(), Secrets(secrets)
        require_caller(signed)
        with self._vouching_for(signed, chosen, "import"):
            desk = partial(self._import_desk, signed)  # planned anew for every batch
            clean = screened(found, chosen, signed, self._remembering.forgotten)
            report = take_in(self._session, clean, desk, signed, progress)
        report.filed = self._file_imports(MOST_QUESTIONS)
        report.waiting = len(self._session.index.unfiled(MOST_COUNTED))
        return report

    def _import_desk(self, actor: Actor) -> Desk:
        return replace(self._desk(actor), thinks=self._minds.kind in {"api", "given"})

    def _file_imports(self, most: int) -> int:
        """Let a mind put facts of what was imported on pages; how many."""
        thinks = self._minds.kind in {"api", "given"}
        if not thinks or not self._session.index.unfiled(1):
            return 0
        from reverie.importers.filing import Filing

        mind, desk = self._minds.open("file", {}), partial(self._desk, MAIN)
        filing = Filing(self._session, self._clerk, desk, self._remembering.forgotten)
        return filing.file(mind, MAIN, most) if mind else 0

    def import_from(
        self,
        path: str | PathLike[str],
        *,
        kind: str | None = None,
        actor: Actor | None = None,
        secrets: Secrets | str = Secrets.REDACT,
        progress: Callable[[int, int, int], None] = _no_progress,
    ) -> Imported:
        """Bring in documents, notes or chats from a file, a folder or a zip.

        Args:
            path: What to read.
            kind: How to read it, where it does not tell by itself.
            actor: Who acts; its human where one is there, else `bot:main`.
            secrets: What to do with passwords and keys in it.
            progress: Told the bytes read, those to read, and the memories filed.
        """
        from reverie.importers.intake import read_all

        reading = read_all(Path(path), kind, self.root, Secrets(secrets))

        def tell(count: int) -> None:
            progress(reading.done, reading.size, count)

        found = reading.things()
        return self.take_in(found, actor=actor, secrets=secrets, progress=tell)

    # --- forgetting ----------------------------------------------------------

    def find_to_forget(self, wish: str) -> views.Forgetting:
        """Find what a wish to forget is about; nothing is forgotten yet.

        Args:
            wish: In plain words: a name, or what the memory says. The words that ask
                for it ("forget about", "permanently delete") may stand in front.
        """
        words, permanent = self._clerk.wish(wish)
        found = self._find(self._id(words), self._person)
        return replace(found, permanent=permanent)

    def name_to_forget(self, item_id: str) -> Match:
        """Return the memory, or the fact that holds or held, that an id names."""
        from reverie.encoding.forget import find_by_id

        self._session.look()
        found = find_by_id(self._session, self._id(item_id))
        if found is None:
            raise NoSuchMemoryError(item_id)
        self._viewer.require(found.id)
        return found

    def _hits(
        self, words: str, stores: frozenset[Store], person: str = ""
    ) -> Sequence[Hit]:
        """Whatever some words may be about."""
        self._session.write_down(wait=False)
        facts = (words, None, MOST_SHOWN, 0, Reach.EVERYTHING, stores, person)
        return self._find_out(*facts).hits

    def _find(self, wish: str, person: str = "") -> views.Forgetting:
        from reverie.encoding.forget import find_to_forget

        ask = partial(self._hits, wish, person=person)
        found = find_to_forget(self._session, wish, ask)
        # An id may name anything.
        scopes = self._session.index.scopes() if person else {}
        seen = [m for m in found.matches if is_for(scopes.get(m.id, ""), person)]
        is_new = self._session.confirming.is_unconfirmed_text
        seen = [replace(m, unconfirmed=is_new(m.path, m.text)) for m in seen]
        meant = tuple(m.key for m in seen if m.key in found.meant)
        return replace(found, matches=tuple(seen), meant=meant)

    def forget(
        self,
        matches: Sequence[Match],
        *,
        actor: Actor = FORGET,
        trigger: str = "forget",
    ) -> Forgotten:
        """Archive what was found and agreed to; `undo` brings it back.

        Of core memory and procedures an agent only proposes the removal.

        Args:
            matches: Of `find_to_forget`, those that were confirmed. They hold for
                the very texts that were shown.
            actor: Who acts; an agent only for its human, and for few at once.
            trigger: What started it, in the user's words.
        """
        from reverie.conversation.forgotten import find_requests
        from reverie.encoding.forget import require_forgetter
        from reverie.encoding.removal_proposals import forget_or_propose
        from reverie.secrets import without_secrets

        require_forgetter(actor)
        for match in matches:
            self._require_match(match)
            self._viewer.require(match.id)
        words, session = without_secrets(trigger), self._session
        with self._authority.signing(actor, f"forget {headline(words)}"):
            done = session.persist(
                "forget", partial(forget_or_propose, session, matches, actor, words)
            )
        if not actor.human:
            # The request itself repeats what it names.
            gone = (match.text for match in matches if match.id in done.ids)
            for window, turn in find_requests(session, gone):
                why = "repeats what was forgotten"
                self.window(window).delete(
                    turn.number, role=turn.role, actor=actor, reason=why
                )
        return done

    @checked
    def _require_match(self, match: Match) -> None:
        """Refuse what is no match."""

    def reinforce(self, ids: Iterable[str]) -> int:
        """Note that memories were of use, which keeps them vivid.

        It is no change: it is kept in the index, and written down when the session
        ends, with a reflection, or once fifty wait.

        Returns:
            How many have a score to keep; turns of conversations have none.
        """
        self._session.sync()
        used = [self._located(self._page_of(self._id(id_))).id for id_ in ids]
        for id_ in used:
            self._viewer.require(id_)
        return self._session.reinforce(used)

    def pin(self, item_id: str, *, actor: Actor | None = None) -> Receipt:
        """Keep a memory from fading; of a fact, its page, which is what fades."""
        item_id = self._page_of(item_id)
        with self._authority.signing(actor, f"pin {item_id}") as signed:
            return self._set_pin(item_id, signed, pinned=True)

    def unpin(self, item_id: str, *, actor: Actor | None = None) -> Receipt:
        """Let a pinned memory fade again; only a human may."""
        from reverie.encoding.forget import AlwaysPinnedError

        item_id = self._page_of(item_id)
        self._viewer.require(item_id)
        if ItemId.parse(item_id).kind is Kind.VAULT:
            raise AlwaysPinnedError(ItemId.parse(item_id))
        with self._authority.alone(Act.UNPIN, f"unpin {item_id}", actor) as signed:
            return self._set_pin(item_id, signed, pinned=False)

    def _set_pin(self, item_id: str, actor: Actor, *, pinned: bool) -> Receipt:
        from reverie.encoding.forget import set_pin

        item_id = self._id(item_id)
        self._viewer.require(item_id)
        session, verb = self._session, "pin" if pinned else "unpin"
        return session.persist(
            verb, lambda: set_pin(session, item_id, actor, pinned=pinned)
        )

    def find_merge(self, one: str, into: str) -> views.Merging:
        """What merging two pages would do; nothing is merged yet.

        Args:
            one: The page that would go: an id, or any name of the entity.
            into: The page that would stay.
        """
        from reverie.encoding.merge import find_merge

        self._require_everybody("merging pages")
        return find_merge(self._session, one, into)

    def merge(self, one: str, into: str, *, actor: Actor | None = None) -> Receipt:
        """Put the page of one entity into another's, in one change.

        Names, facts, links, scores and history follow, old ids still resolve, and
        `undo` brings both back.

        Args:
            one: The page that goes: an id, or any name of the entity.
            into: The page that stays.
            actor: Who acts; an agent merges nothing that is pinned.
        """
        from reverie.encoding.merge import merge

        return self._of_pages(f"merge {one} into {into}", merge, (one, into), actor)

    def keep_apart(
        self, one: str, other: str, *, actor: Actor | None = None
    ) -> Receipt:
        """Say that two pages are not about one thing; nobody asks again."""
        from reverie.encoding.merge import keep_apart

        what = f"{one} is not {other}"
        return self._of_pages(what, keep_apart, (one, other), actor)

    def rename(
        self,
        entity: str,
        name: str = "",
        *,
        type: str = "",  # noqa: A002 - what a page calls it
        actor: Actor | None = None,
    ) -> Receipt:
        """Give an entity another name, or another type, in one change.

        The old name stays another name of it, and the old id resolves.

        Args:
            entity: Its id, or any name of it.
            name: What it shall be called; empty to leave that.
            type: What it shall be: person, project, concept, tool, place, or a word
                of your own; empty to leave that.
            actor: Who acts; an agent renames nothing that is pinned.
        """
        from reverie.encoding.merge import rename

        what = f"rename {entity} to {name or type}"
        return self._of_pages(what, rename, (entity, name, type), actor)

    def _of_pages(
        self,
        what: str,
        verb: Callable[..., Receipt],
        said: tuple[str, ...],
        actor: Actor | None,
    ) -> Receipt:
        """Do something to pages that an agent may do, but for what is pinned."""
        self._require_everybody("merging or renaming pages")
        with self._authority.signing(actor, headline(what)) as signed:
            return self._session.persist(
                what.partition(" ")[0], partial(verb, self._session, *said, signed)
            )

    def pairs(self) -> list[views.Pair]:
        """Pages that may be about one thing: `merge` says yes, `keep_apart` no."""
        from reverie.session.moved_pages import find_pairs

        session, sees = self._session, self._viewer.sees_id
        session.look()
        found = session.answered(lambda: find_pairs(session.index))
        return [
            p for p in found if sees(f"entity:{p.one}") and sees(f"entity:{p.into}")
        ]

    def called(self, name: str) -> list[str]:
        """Ids of the entities that go by a name, or once had it as their id."""
        self._session.look()
        found = self._session.answered(lambda: self._session.index.called(name))
        ids = (f"{Kind.ENTITY}:{each}" for each in found)
        return [id_ for id_ in ids if self._viewer.sees_id(id_)]

    def find_to_erase(
        self, item_id: str = "", *, text: str = "", person: str = ""
    ) -> views.Erasing:
        """Find what an erasure would take; nothing is erased yet.

        Args:
            item_id: A memory, or a fact of one: `person--alex#3f2a9c`.
            text: Instead, a text wherever it stands.
            person: Instead, all that a person said, what is for them alone, and
                their page.
        """
        self._session.look()
        return self._shown_erasure(self._erasure(item_id, text, person))

    def _shown_erasure(self, plan: Callable[[], Erasure]) -> views.Erasing:
        """What would be erased, as far as it is for who looks."""
        found, sees = self._session.answered(plan).shown, self._viewer.sees_id
        if not self._viewer:
            return found
        kept = [e for e in found.taken if not e.path.startswith(f"{layout.META}/")]
        if not all(sees(each.id) for each in kept):
            raise OthersMemoriesError("erasing it")
        quoted = tuple(each for each in found.quoted if sees(each.id))
        return replace(found, taken=tuple(kept), quoted=quoted)

    def _erasure(
        self, item_id: str, text: str, person: str, *, quotes: bool = False
    ) -> Callable[[], Erasure]:
        """Finds what is to be erased, whenever it is called."""
        from reverie.encoding import erase

        if sum(map(bool, (item_id, text, person))) != 1:
            what = "name one thing to erase: an id, a text, or a person"
            raise RefusedError(what, hint="`reverie erase person--alex#3f2a9c`, say.")
        session = self._session
        if item_id:
            item_id = self._id(item_id)
            fact = item_id.strip().partition("--")[1] and ":" not in item_id
            id_ = str(ItemId.parse(f"entity:{item_id.strip()}" if fact else item_id))
            self._viewer.require(id_)
            return partial(erase.plan_item, session, id_, quotes=quotes)
        self._require_everybody("erasing a text or a person")
        if text:
            return partial(erase.plan_text, session, text)
        return partial(erase.plan_person, session, person, quotes=quotes)

    def erase(
        self,
        item_id: str = "",
        *,
        text: str = "",
        person: str = "",
        quotes: bool = False,
        actor: Actor | None = None,
        progress: Progress = _no_progress,
    ) -> views.ErasureReceipt:
        """Remove a memory, a text or a person, from history too, and what comes of it.

        This cannot be undone. Only a human may.

        Args:
            item_id: A memory, or a fact of one: `person--alex#3f2a9c`.
            text: Instead, a text wherever it stands.
            person: Instead, all that a person said, what is for them alone, and
                their page.
            quotes: Whether its words go out of what tells of it among other things,
                too; what has it in other words goes as a whole.
            actor: Who acts.
            progress: Told how far it is, and of how much.
        """
        # Where nothing is there, nobody is asked for anything.
        self._session.look()
        if quotes:
            self._require_everybody("taking words out of what quotes it")
        plan = self._erasure(item_id, text, person, quotes=quotes)
        shown = self._shown_erasure(plan)
        what = f"erase {item_id or headline(text or person)}, from history too"
        with self._authority.alone(Act.ERASE, what, actor) as signed:
            receipt = self._erase(plan, signed, progress)
        return replace(receipt, quoted=() if quotes else shown.quoted)

    def _require_everybody(self, what: str) -> None:
        """Refuse to who looks as a person what is done wherever something stands."""
        if self._viewer:
            raise OthersMemoriesError(what)

    def _erase(
        self, plan: Callable[[], Erasure], actor: Actor, progress: Progress
    ) -> views.ErasureReceipt:
        from reverie.conversation.sitting import Sittings
        from reverie.encoding.erase import erase
        from reverie.encoding.forget import lay_to_rest
        from reverie.importers.adoption import find_elsewhere
        from reverie.reflection.cycle import CycleStore
        from reverie.workspace.migration import drop_migrated_state

        session = self._session
        session.look()
        # The host agent may have been asked about it, or a reflection have read it,
        # and what an agent was told of it is kept for its session.
        self._box().empty()
        CycleStore(session).forget()
        Sittings(session).forget()
        drop_migrated_state(session.keyring)
        receipt, done = erase(session, plan, actor, progress)
        for said, name in done.said:
            lay_to_rest(session, said, name)
        hosts = (
            f"{found.what}: {found.path}"
            for found in find_elsewhere(self.root, Path.home())
            if found.kind or "memor" in found.what
        )
        beyond = (*hosts, *(f"imported from {each}" for each in done.shown.sources))
        return replace(receipt, beyond=tuple(beyond))

    def erase_match(
        self, match: Match, *, actor: Actor | None = None
    ) -> views.ErasureReceipt:
        """Remove for good what a wish to forget found; a fact, or the whole memory."""
        from reverie.stores.entities import fact_id

        if match.part:
            return self.erase(text=match.text, actor=actor)
        name = match.id.removeprefix("entity:")
        id_ = fact_id(name, match.text) if match.fact else match.id
        return self.erase(id_, actor=actor)

    def purgeable(self, origin: Origin | str, *, source: str = "") -> Purge:
        """Find everything of one origin; nothing is taken out yet.

        Args:
            origin: Whose words: tool, import, sub-agent or agent.
            source: Only what was imported from here, such as `notes.md`.
        """
        from reverie.encoding.forget import find_purge

        self._require_everybody("purging an origin")
        return find_purge(self._session, origin, source)

    def purge(self, shown: Purge, *, actor: Actor | None = None) -> Receipt:
        """Take out what `purgeable` showed, in one change; `undo` brings it back.

        Files lose those lines and history keeps them. Turns of a conversation stay in
        its record, deleted; an imported conversation goes as a whole.

        Args:
            shown: What was shown and agreed to; it holds for nothing else.
            actor: Who acts; only a human may.
        """
        from reverie.encoding.forget import purge

        what = f"purge everything of {shown.origin}"
        with self._authority.alone(Act.PURGE, what, actor) as who:
            return self._session.persist(
                "purge", partial(purge, self._session, shown, who)
            )

    # --- going back, and looking after it --------------------------------------

    def undo(
        self,
        commit: str = "",
        *,
        path: str = "",
        session: str = "",
        shown: str = "",
        actor: Actor | None = None,
    ) -> Receipt:
        """Take back one change, one file or one reflection session.

        Args:
            commit: The change; with `path`, the version to go back to. Without
                any argument the newest change that is not undone yet.
            path: Only this file, to what it was at `commit` or before its last change.
            session: All changes of one reflection, such as `r-012`.
            shown: Refused unless it still does what `find_undo` told by this.
            actor: Who acts; an agent goes back on nothing that a human decided.
        """
        if session and (commit or path):
            what = "cannot undo a reflection session and a change or file at once"
            raise RefusedError(what, hint="Undo one, then the other.")
        what = f"undo {session or path or commit or 'the newest change'}"
        go = partial(self._back.undo, commit, path, session, shown)
        done = self._authority.within(Act.GO_BACK, what, go, actor)
        return self._viewer.receipt(done)

    def restore(
        self, at: datetime, *, shown: str = "", actor: Actor | None = None
    ) -> Receipt:
        """Make the whole workspace what it was at a moment, as a new change."""
        self._session.look()
        when = at_home(aware(at), self._session.zone)
        what = f"restore the workspace as of {when:%Y-%m-%d %H:%M}"
        go = partial(self._back.restore, at, shown)
        done = self._authority.within(Act.GO_BACK, what, go, actor)
        return self._viewer.receipt(done)

    def find_undo(
        self, commit: str = "", *, path: str = "", session: str = ""
    ) -> views.Undoing:
        """What `undo` would do; nothing is changed yet."""
        return self._back.find_undo(commit, path, session)

    def find_restore(self, at: datetime) -> views.Undoing:
        """What `restore` would do; nothing is changed yet."""
        return self._back.find_restore(at)

    def rebuild(self, progress: Progress | None = None) -> views.RebuildReport:
        """Make index, audit log and graph index anew from files and history."""
        from reverie.health import rebuild

        return rebuild(self._session, self._viewer, progress)

    def embed(
        self, progress: Progress = _no_progress, *, sentences: bool = True
    ) -> int:
        """Give vectors to all memories that have none; see `MemorySearch.embed`."""
        self._session.sync()
        return self._recalling.embed(progress, sentences=sentences)

    def tidy(self) -> None:
        """Do all that can wait: file, pack, note what faded, make vectors, sum up."""
        from reverie.agents.instructions import refresh

        started = time.monotonic()
        upkeep.read_changed_files_in_steps(self._session)
        self._remembering.route_waiting()
        with suppress(ReverieError):
            self._file_imports(1)
        upkeep.tidy(self._session, ended=self.stays)
        with suppress(UnavailableError):
            self._recalling.embed()
        refresh(self._session)
        if self._minds.kind == "api":
            with suppress(ReverieError):
                self.idle()
        upkeep.rest(self._session, time.monotonic() - started)

    def alerts(self, *, everything: bool = False) -> list[views.Alert]:
        """Changes that the human has not acknowledged yet, with what they changed."""
        self._session.look()
        return self._told(ownership.all_alerts(self._session, everything=everything))

    def _told(self, alerts: Sequence[views.Alert]) -> list[views.Alert]:
        from reverie.history import with_changes

        return [
            # Of a change that touched what is for others, no line is told.
            with_changes(self._session, self._viewer, each)
            if each.summary != CHANGED
            else each
            for each in self._viewer.alerts(alerts)
        ]

    def replaced(self) -> list[str]:
        """Critical files in whose place stands a link, or anything but a file."""
        return ownership.replaced(self._session)

    def acknowledge(
        self,
        path: str = "",
        *,
        shown: Sequence[views.Alert] | None = None,
        actor: Actor | None = None,
    ) -> list[views.Alert]:
        """Note that the human has seen the alerts of one file, or all of them.

        Args:
            path: The file; all without one.
            shown: What they were shown; what came later is not acknowledged.
            actor: Who acts; only a human may.

        Raises:
            ownership.ChangedSinceShownError: Something came while they looked.
        """
        session = self._session
        waiting = [a for a in self.alerts() if not path or a.path == path]
        if shown is not None and list(shown) != waiting:
            raise ownership.ChangedSinceShownError
        if not waiting:
            return []
        head = session.ledger.head
        files = ", ".join(dict.fromkeys(alert.path for alert in waiting))
        what = f"acknowledge the alerts of {files}"
        # Refused while the folder does not match the known workspace.
        with self._authority.alone(Act.ACKNOWLEDGE, what, actor) as signed:
            ownership.acknowledge(session, waiting, head, signed, everything=not path)
            return waiting

    def unconfirmed(self) -> list[views.Alert]:
        """What waits to be acknowledged: edits by an unknown hand, and settings."""
        self._session.look()
        return self._told(ownership.unconfirmed(self._session))

    def describe_workspace(self) -> views.WorkspaceStatus:
        """Return the identity of the workspace, its devices, and what is locked."""
        return ownership.describe_workspace(self._session)

    def accept_workspace(self) -> list[views.Alert]:
        """Confirm the folder and history of the workspace; only the user may.

        Returns:
            The alerts that this acknowledges.
        """
        session = self._session
        waiting = [alert for alert in self.alerts() if alert.path == ".audit"]
        if not waiting:
            return []
        what = "accept this folder and its history as the workspace"
        head = session.ledger.head
        with self._authority.alone(Act.CONFIRM, what) as signed:
            ownership.acknowledge(session, waiting, head, signed, everything=False)
            return waiting

    def fork_workspace(self) -> views.WorkspaceStatus:
        """Give a copied workspace an ID of its own; only the user may.

        The commits are written again with the same files, times and authors.
        """
        what = "give this folder a workspace ID of its own"
        with self._authority.alone(Act.FORK, what) as signed:
            ownership.fork(self._session, signed)
        return self.describe_workspace()

    @property
    def owned(self) -> bool:
        """Whether an owner passphrase is set."""
        return self._session.owner.expects()

    def set_owner(self, passphrase: str | Callable[[], str]) -> Receipt:
        """Have everything that only its human may do ask for a passphrase.

        A slow hash of it is kept outside of the workspace; history records that there
        is one, so taking the hash away opens nothing.

        Args:
            passphrase: The passphrase, or what asks for it once its human agreed.
        """
        return ownership.set_owner(self._session, passphrase, "set")

    def change_owner(self, passphrase: str | Callable[[], str]) -> Receipt:
        """Replace the owner's passphrase; the old one is asked for.

        Args:
            passphrase: The new one, or what asks for it once the old one was given.
        """
        return ownership.set_owner(self._session, passphrase, "change")

    def remove_owner(self) -> Receipt:
        """Ask for no passphrase any more; the old one is asked for."""
        return ownership.set_owner(self._session, None, "remove")

    # --- what must stay answerable ---------------------------------------------

    def expect(
        self,
        question: str,
        answer: str,
        *,
        actor: Actor | None = None,
        replace: bool = False,
    ) -> Receipt:
        """Keep a question that must stay answerable, whatever a reflection does.

        It is for whom this was opened, where that is a person.

        Args:
            question: In plain words.
            answer: What has to be found for it.
            actor: Who acts.
            replace: Whether another answer to the same question makes room.
        """
        from reverie.model.reflection import Expected
        from reverie.reflection.trial import expect

        expected = Expected(question, answer, scope=self._person)
        return expect(self._session, expected, actor, instead=replace)

    def unexpect(self, question: str, *, actor: Actor | None = None) -> Receipt:
        """Take a question off the list of what must stay answerable."""
        from reverie.reflection.trial import unexpect

        return unexpect(self._session, question, actor, self._person)

    def expectations(self, question: str = "") -> tuple[Trial, ...]:
        """What must stay answerable, or one of it, with the rank it is found at now."""
        from reverie.reflection.trial import check_now

        return check_now(self._session, self._recalling, question, self._person)

    # --- talking -------------------------------------------------------------

    def window(self, window: str, *, keeps: bool = True) -> Window:
        """One running conversation, by whatever its host calls it.

        With `keeps=False` what it is told counts as told to nobody: to look at it.
        """
        from reverie.conversation.window import Window

        talk = self._talk if keeps else replace(self._talk, keeps=False)
        return Window(talk, window)

    def find_conversation(self, processes: Iterable[str]) -> str:
        """Return the conversation that a host's processes serve; empty if unknown.

        Args:
            processes: The processes that started this one, the nearest first.
        """
        from reverie.session.host_processes import find_conversation

        return "" if self._viewer else find_conversation(self._session, processes)

    def notebook(self, name: str) -> Notebook:
        """A folder of files that an agent keeps by itself; made with its first file."""
        from reverie.encoding.notebook import Notebook

        self._require_everybody("a notebook")
        parts = (self._find_out, self._remembering.forgotten)
        return Notebook(self._session, name, *parts)

    def wake(
        self,
        window: str,
        *,
        budget: int | None = None,
        stable: int | None = None,
        person: str = "",
        new: bool = False,
    ) -> conversation.Awake:
        """What an agent should see at the start of a conversation.

        Core memory and what is known, which stay the same all through a session; then
        alerts, what waits for a yes, what is due, and turns: the newest of this
        window, and what fits them from anywhere.

        Args:
            window: The conversation.
            budget: The most tokens in all; by default `conversation.stable_tokens` and
                `conversation.wake_tokens`.
            stable: The most tokens of core memory and what is known.
            person: Who speaks; what is for another person alone is not told.
            new: Whether a session begins, whatever was told before.
        """
        room = {"budget": budget, "stable": stable}
        return self.window(window).wake(**room, person=person, new=new)

    def attend(
        self, window: str, message: str, *, budget: int | None = None, person: str = ""
    ) -> conversation.Attended:
        """What to add to an agent's context for one message.

        Args:
            window: The conversation.
            message: What the user says.
            budget: The most tokens; `conversation.attend_tokens` by default.
            person: Who speaks; what is for another person alone is not told.
        """
        return self.window(window).attend(message, budget=budget, person=person)

    def leave(self, window: str) -> Standing | None:
        """End the session of a conversation.

        What was said is written down, what sub-agents propose is reviewed, and where
        a reflection is due, its human is asked; the answer may come at any time.

        Returns:
            Where reflection stands if it is offered now, else None.
        """
        self._session.write_down()
        self.review()
        said = self.window(window).said_in_session()
        self._session.uses.write_down()
        occasion = self.reflection.offer(turns=said) if said else None
        return self.reflection.begin(occasion) if occasion else None

    def windows(self, most: int = 0, skip: int = 0) -> list[conversation.WindowView]:
        """Conversations at a glance, the newest first: all, or so many after some."""
        from reverie.conversation.context_reflection import views

        self._session.look()
        return views(self._session, self._person, most, skip)

    def turns(
        self, window: str, *, last: int = 0, number: int = 0, deleted: bool = False
    ) -> list[Turn]:
        """What was said in a conversation, in order.

        Args:
            window: Which one.
            last: Only so many of the newest; 0 for all.
            number: Only what was said under this number; 0 for all.
            deleted: Whether to give those that were deleted, too.
        """
        self._session.look()
        return self.window(window).turns(last, number=number, deleted=deleted)

    def talker(self) -> Talker | None:
        """The configured model, to talk with; None where there is none."""
        return self._minds.talker()

    def idle(self) -> tuple[conversation.SummedUp | conversation.Offer, ...]:
        """Summarise every conversation that is due, or say which prompts are.

        A service calls this now and then; `watch` sets a timer instead.
        """
        from reverie.model.conversation import Cause, Offer, SummedUp
        from reverie.session.conversation_record import talked_in

        self._session.sync()
        done: list[SummedUp | Offer] = []
        for name in talked_in(self._session):
            # Somebody else may be at it, or the model be away: the others still count.
            with suppress(ReverieError):
                window = self.window(name)
                done += [window.reflect(cause=Cause.IDLE)] if window.due() else []
        return tuple(done)

    def _news(self, person: str) -> News:
        """What an agent should know of besides its memories, when it talks to one.

        What is proposed for somebody else alone is neither counted nor told.
        """
        from reverie.agents.instructions import refresh
        from reverie.conversation.told import News
        from reverie.ledger.alerts import HISTORY
        from reverie.model.proposals import is_asked, told_aim
        from reverie.recall.context_block import in_quotes, words_of

        self.review(actor=MAIN)
        refresh(self._session)
        # What changed is for its human to see, not for an agent.
        zone = self._session.zone
        ask, how = "Was this intentional?", "(`reverie alerts` shows what changed)"
        alerts = (
            f"{a.summary}. {ask}"
            if a.path == HISTORY
            else f"{a.path} was changed on {at_home(a.at, zone):%Y-%m-%d} "
            f"by {a.actor}. {ask} {how}"
            for a in self.alerts()
        )
        whom = self._person or person
        waiting = [
            o for o in listed(self._session.ledger.read) if is_for(o.scope, whom)
        ]
        first = sorted(waiting, key=lambda one: not is_asked(one.status))
        lines = (
            f"#{one.number} {told_aim(one)}, by {one.sender} "
            f"({words_of(one.origin)}): {in_quotes(headline(one.content))}"
            for one in first[:MOST_PROPOSALS]
        )
        standing, stands = self.reflection.status(), ""
        if standing.state not in {"idle", "recorded", "deferred"}:
            stands = f"#{standing.number} is {standing.state}. {standing.hint}"
        elif occasion := self.reflection.offer():
            stands = f"One is due ({occasion}). Ask your human: `reverie reflect`."
        notes = self.warnings
        if count := standing.notes_due:
            stands = f"{stands} {describe_due_self_image(count)}".strip()
        return News(tuple(alerts), len(waiting), tuple(lines), stands, notes=notes)

    # --- other agents ----------------------------------------------------------

    def acting_as(self, name: str, *, person: str = "") -> SubAgent:
        """A sub-agent's own handle on the same workspace: it reads and proposes.

        Args:
            name: What it is called.
            person: For whom it works; it finds nothing that is for another person.
        """
        self._session.require_open()
        whom, clock = self._person or person, self._session.now
        environ = self._variables
        return SubAgent(self.root, name, clock=clock, environ=environ, person=whom)

    def instructions(self, agent: str = "") -> str:
        """What agents are told about this memory, as it would be written now.

        Args:
            agent: The sub-agent that it is for; the main agent without one.
        """
        from reverie.agents.instructions import instructions

        return instructions(self._session, agent)

    def instructed(self, path: str = "AGENTS.md") -> bool:
        """Whether a file has the instructions as they would be written now."""
        from reverie.agents.instructions import instructed

        return instructed(self._session, path)

    def instruct(
        self,
        path: str = "AGENTS.md",
        *,
        actor: Actor | None = None,
        remove: bool = False,
    ) -> Receipt | None:
        """Put what agents are told about memory into a file, or take it out.

        It stands between two markers, and is kept current from then on.

        Args:
            path: One of the files that agents read at every start.
            actor: Who acts.
            remove: Whether to take it out.

        Returns:
            Proof of it; None if there was nothing to do.
        """
        from reverie.agents.instructions import instruct

        return instruct(self._session, path, actor, remove=remove)

    def pending(self) -> list[Proposal]:
        """What waits for its human's yes, in the order it came."""
        self._session.look()
        found = load_pending(self._session.ledger.read).proposals
        return self._viewer.proposals(found)

    def quoted_changes(self) -> list[views.QuotedChange]:
        """Return what agents changed in core memory in the user's own sentences.

        These are the changes of the last 14 days that still stand, the newest first;
        `undo` takes back one of them.
        """
        from reverie.conversation.quoted import find_quoted_changes

        self._session.look()
        return find_quoted_changes(self._session)

    def waiting(self) -> tuple[proposals.Waiting, ...]:
        """What waits for a decision, each with what it is at odds with."""
        self._session.look()
        return self._viewer.waiting(self._review.waiting(leaving=True))

    def contradictions(self) -> list[Contradiction]:
        """Return open conflicts, and after them the possible ones."""
        from reverie.encoding.settle import find_conflicts

        session = self._session
        session.look()
        found = session.answered(lambda: find_conflicts(session))
        sees = self._viewer.sees_id
        return [each for each in found if all(sees(n.memory) for n in each.sides)]

    def settle(
        self,
        which: str,
        *,
        keep: str = "",
        both: bool = False,
        neither: bool = False,
        until: Mapping[str, date] | None = None,
        actor: Actor | None = None,
    ) -> Corrected:
        """Answer what a page asks, in one change; then nothing asks any more.

        Args:
            which: One of `contradictions`: the id of one of its sides or of its page,
                the question itself, or its number in the list.
            keep: The id of the one that holds; the others end today.
            both: Whether all of them hold.
            neither: Whether none of them does.
            until: With both: until when some of them held, by their ids.
            actor: Who acts; its human where one is there, else an agent.

        Returns:
            Proof of it; `superseded` says what no longer holds.
        """
        from reverie.encoding.settle import find_question, settle

        if bool(keep) + both + neither != 1 or (until and not both):
            what = "one answer is needed: keep one, keep both, or keep neither"
            hint = "`until` goes with both, and says until when one of them held."
            raise RefusedError(what, hint=hint)
        asked = find_question(self.contradictions(), which)
        named = keep.removeprefix("entity:")
        kept = [side.id for side in asked.sides] if both else [named] if named else []
        ends = {id_.removeprefix("entity:"): day for id_, day in (until or {}).items()}
        session = self._session
        with self._authority.signing(actor, f"settle {asked.question}") as signed:
            return session.persist(
                "settle", lambda: settle(session, asked, kept, ends, signed)
            )

    def review(self, *, actor: Actor = MAIN) -> tuple[Receipt, ...]:
        """Mark proposals that contradict, and commit those that need no second look.

        What needs none is set by `agents.review` and `agents.trusted`.
        """
        with self._authority.signing(actor, "review what is proposed") as signed:
            return tuple(map(self._viewer.receipt, self._review.look(signed)))

    def proposal(self, number: int) -> Proposal:
        """One of what waits for a yes."""
        found = find_proposal(load_pending(self._session.ledger.read), number)
        return self._viewer.require_proposal(found)

    def place_in(self, proposal: Proposal, store: Store | str) -> Place:
        """Where in another store a proposal would go."""
        return self._clerk.place_of(replace(proposal, store=Store(store)))

    def accept(
        self,
        proposal: Proposal,
        place: Place | None = None,
        *,
        actor: Actor | None = None,
    ) -> Receipt:
        """Make a proposal a memory, word for word.

        A human may always; the main agent (`bot:main`) what a sub-agent proposed for
        the episodes or the graph, and of trusted ones for the procedures.

        Args:
            proposal: As it was shown; one that reads otherwise by now is refused.
            place: Where it shall go, instead of where it was proposed to go.
            actor: Who acts; its human where one is there, else `bot:main`.
        """
        shown = self._viewer.require_proposal(proposal)
        what = f"accept proposal #{shown.number}: {headline(shown.content)}"
        return self._decide(what, partial(self._review.accept, shown, place), actor)

    def reject(
        self, number: int, *, reason: str = "", actor: Actor | None = None
    ) -> Receipt:
        """Take a proposal off the list; history keeps what it said."""
        from reverie.secrets import without_secrets

        decide = partial(self._review.reject, number, without_secrets(reason))
        return self._decide(f"reject proposal #{number}", decide, actor, number)

    def defer(self, number: int, *, actor: Actor | None = None) -> Receipt:
        """Leave a proposal for the next reflection."""
        decide = partial(self._review.defer, number)
        return self._decide(f"defer proposal #{number}", decide, actor, number)

    def resolve(
        self,
        numbers: Sequence[int],
        how: Resolution | str,
        *,
        keep: int = 0,
        actor: Actor | None = None,
    ) -> Receipt:
        """Settle proposals that contradict each other, or what is known.

        Args:
            numbers: Which ones.
            how: Keep one, keep both, or ask the user.
            keep: Which one holds; 0 for none of them.
            actor: A human, or the main agent.
        """
        what = f"resolve proposals {', '.join(f'#{number}' for number in numbers)}"
        decide = partial(self._review.resolve, numbers, Resolution(how), keep)
        return self._decide(what, decide, actor, *numbers)

    def _decide(
        self,
        what: str,
        decide: Callable[[Actor], Receipt],
        actor: Actor | None,
        *numbers: int,
    ) -> Receipt:
        """Decide on proposals; what is for another person, or no number, is refused."""
        for number in numbers if self._viewer else ():
            self.proposal(number)
        done = self._authority.within(Act.ACCEPT, what, decide, actor)
        return self._viewer.receipt(done)


# --- a sub-agent's handle ------------------------------------------------------


def _asks(
    verb: Callable[Concatenate[Memory, P], R], *, of_all: bool = False
) -> Callable[Concatenate[SubAgent, P], R]:
    """A verb of `Memory` that changes nothing, as a sub-agent has it.

    Args:
        verb: The verb.
        of_all: Whether it shows texts that do not say whom they are for.
    """

    @wraps(verb)
    def ask(self: SubAgent, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if of_all and self._person:
            what = f"ask for `{verb.__name__}` while it works for one"
            raise SubAgentError(self.agent.name, what)
        return verb(self._memory, *args, **kwargs)

    return ask


class SubAgent:
    """An open workspace, to be asked, and to propose memories to (003, §13).

    There is no verb to write with. And whatever reaches its ledger, that commits
    nothing but one more proposal, signed with the name that it was opened with.

    One that works for a person finds nothing that is for another person alone; see
    `Viewer`. Whatever tells of all files at once, as history does, it may not ask then:
    much that was written for one does not say so.

    Args:
        path: Its folder.
        name: What the sub-agent is called; history signs with it.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration come from.
        person: For whom it works; what is for another person alone is not found.
    """

    @checked
    def __init__(
        self,
        path: str | PathLike[str],
        name: str,
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        person: str = "",
    ) -> None:
        from reverie.encoding.proposal_draft import require_only_proposes
        from reverie.secrets import pass_words

        pass_words((name, person), Secrets.REFUSE)
        agent = self.agent = Agent(name)
        whom = self._person = person_named(person)

        def confine(
            change: ChangeSet | None, current: Mapping[str, bytes | None]
        ) -> None:
            if change is None:
                raise SubAgentError(name, "write anything but a proposal")
            require_only_proposes(agent, change, current.get(layout.PENDING), whom)

        self._memory = Memory(
            path, clock=clock, environ=environ, person=person, confine=confine
        )

    close = _asks(Memory.close)
    recall = _asks(Memory.recall)
    context = _asks(Memory.context)
    why = _asks(Memory.why)
    show = _asks(Memory.show)
    items = _asks(Memory.items)
    outdated = _asks(Memory.outdated)
    called = _asks(Memory.called)
    overview = _asks(Memory.overview)
    graph = _asks(Memory.graph, of_all=True)
    windows = _asks(Memory.windows)
    turns = _asks(Memory.turns)
    instructions = _asks(Memory.instructions)
    instructed = _asks(Memory.instructed)
    health = _asks(Memory.health)
    spent = _asks(Memory.spent)
    spending = _asks(Memory.spending)
    alerts = _asks(Memory.alerts)
    unconfirmed = _asks(Memory.unconfirmed)
    history = _asks(Memory.history, of_all=True)
    diff = _asks(Memory.diff, of_all=True)
    blame = _asks(Memory.blame, of_all=True)
    read_file = _asks(Memory.read_file, of_all=True)
    check = _asks(Memory.check, of_all=True)
    expectations = _asks(Memory.expectations, of_all=True)
    __exit__ = _asks(Memory.__exit__)

    def __enter__(self) -> Self:
        return self

    @property
    def root(self) -> Path:
        """The workspace's folder."""
        return self._memory.root

    @property
    def config(self) -> Config:
        """The workspace's parameters."""
        return self._memory.config

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was amiss and has been worked around since opening."""
        return self._memory.warnings

    def pending(self) -> list[Proposal]:
        """What waits for a decision; who works for a person sees its own.

        Few proposals of others say whom they are for, so they may be for anybody.
        """
        own = self.agent.name
        found = self._memory.pending()
        return [one for one in found if not self._person or one.sender == own]

    def waiting(self) -> list[proposals.Waiting]:
        """What waits for a decision, and which of it contradicts which; see `pending`.

        What contradicts a memory stands in the mark that a review has made.
        """
        from reverie.agents.review import find_clashes
        from reverie.model.proposals import Waiting

        found = self.pending()
        clashes = find_clashes(found, lambda _: "")
        return [
            Waiting(one, tuple(c for c in clashes if c.number == one.number))
            for one in found
        ]

    @checked
    def propose(  # noqa: PLR0913 - the fields of a proposal
        self,
        content: str,
        *,
        store: Store = Store.SEMANTIC,
        entities: Iterable[str] = (),
        confidence: Confidence = Confidence.MEDIUM,
        core_worthy: bool = False,
        trigger: str = "auto-detect",
        name: str = "",
        when: str = "",
        supersedes: str = "",
        contradicts: Iterable[str] = (),
        secrets: Secrets = Secrets.REFUSE,
    ) -> Proposed:
        """Put a memory on the list of what the main agent or its human decides on.

        Args:
            content: The very text.
            store: Where it should go: episodic, semantic, procedural or vault.
            entities: Ids of entities it is about, such as `project--apollo`.
            confidence: How sure the sub-agent is.
            core_worthy: Whether it should stand in core memory too.
            trigger: What started it.
            name: What a procedure or note is to be called.
            when: When to do it, for a procedure.
            supersedes: The id of the fact that it should take the place of.
            contradicts: Ids of what is known, or `#4`, that it contradicts.
            secrets: What to do with passwords and keys in it.
        """
        from reverie.encoding.proposal_draft import propose

        told = (0, self.agent.name, None, trigger, store, content, tuple(entities))
        wanted = Proposal(
            *told,
            confidence,
            core_worthy,
            name=name,
            when=when,
            scope=self._person,
            supersedes=supersedes,
            contradicts=tuple(contradicts),
        )
        session = self._memory._session  # noqa: SLF001 - its own
        return propose(session, self.agent, wanted, secrets)
