"""The verbs of an open workspace.

    with Memory.init("agent") as memory:
        receipt = memory.remember("Chose the hybrid approach.", Episodic())
        print(memory.recall("which approach?").hits[0].text)
        memory.undo(receipt.commit)

`Memory` holds its parts and inherits nothing: `encoding` plans, `ledger` writes,
`index` finds. A part is loaded with the first verb that needs it, so that who only
asks does not wait for what writes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Self, get_args

from reverie.authority.authority import Act, Authority, require_caller
from reverie.errors import RefusedError, ReverieError, UnavailableError
from reverie.markdown import headline
from reverie.model.change import FORGET, MAIN, REMEMBER, Actor, Secrets
from reverie.model.ids import (
    ItemId,
    Kind,
    Store,
    WrongArgumentError,
    choice,
    require_kind,
    slug,
)
from reverie.model.items import Role, aware
from reverie.model.origin import Origin, is_for, least, person_named
from reverie.model.recall import Reach
from reverie.model.views import Match
from reverie.session.ownership import have_owner
from reverie.session.session import House
from reverie.session.viewer import OthersMemoriesError, Viewer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from reverie.agents.review import Review
    from reverie.authority.authority import Human
    from reverie.config import Config
    from reverie.conversation.told_blocks import News
    from reverie.conversation.wake import Window
    from reverie.conversation.window import Talk
    from reverie.encoding.placement import Desk, Saying
    from reverie.encoding.remember import Remembering
    from reverie.encoding.route import Clerk
    from reverie.history import GoingBack
    from reverie.importers.intake import Imported
    from reverie.importers.walk import Found
    from reverie.index import Located
    from reverie.ledger.git_ledger import Confine
    from reverie.memory.hear import Heard
    from reverie.memory.subagent import SubAgent
    from reverie.minds.mind import Mind, Talker
    from reverie.model.change import LogEntry, Receipt, Remembered
    from reverie.model.conversation import Attended, Awake, Offer, SummedUp, WindowView
    from reverie.model.health import Bill, Health, Spent
    from reverie.model.items import Finding, Turn
    from reverie.model.proposals import Proposal, Resolution, Waiting
    from reverie.model.recall import Hit, Recalled, Why
    from reverie.model.reflection import HostQuestion, Trial
    from reverie.model.route import Place, Trigger
    from reverie.model.views import (
        Alert,
        BlameLine,
        ErasureReceipt,
        Forgetting,
        Overview,
        Purge,
        RebuildReport,
        Shown,
    )
    from reverie.recall.search import MemorySearch
    from reverie.reflection.operations.plan import Site
    from reverie.reflection.reflection import Reflection, Standing
    from reverie.session.mind_choice import Minds
    from reverie.workspace.questions import QuestionBox

WAITING = timedelta(days=7)
"""A question that the host agent has not answered for so long is dropped."""

MOST_SHOWN = 50
"""So many memories at most are shown for one wish to forget."""

_MATCHES = "`memory.find_to_forget(words).matches` are such."


def now_in_utc() -> datetime:
    """What the clock on the wall says."""
    return datetime.now(UTC)


def _no_progress(*_counts: int) -> None:
    """Tell nobody how far it is."""


class SaidElsewhereError(RefusedError):
    """A fact was to be erased whose words stand in other memories too."""

    def __init__(self, text: str, id_: str, others: list[str]) -> None:
        super().__init__(
            f"{text!r} stands in {', '.join(others[:3])} too",
            hint="`reverie erase --text` takes it out everywhere; to erase it from "
            f"{id_} alone, forget it, or erase that memory.",
        )


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
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        person: str = "",
        mind: Mind | None = None,
        human: Human | None = None,
        confine: Confine | None = None,
    ) -> None:
        require_kind("path", path, (str, os.PathLike))
        require_kind("person", person, str)
        if human is not None and not callable(human):
            name = "human"
            raise WrongArgumentError(name, human, "a function that asks them", "")
        self._variables = os.environ if environ is None else environ
        self._person = person_named(person)
        self._authority = Authority(human)
        self._mind = mind
        root = Path(path).absolute()
        self._house = House(root, clock, self._variables, confine, self._authority)
        self._viewer = Viewer(self._house, self._person)
        self._owner = have_owner(self._house)
        self._seen: tuple[str, ...] = ()
        self.tidy_on_close = confine is None

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
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
        path: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        mind: Mind | None = None,
        human: Human | None = None,
    ) -> Self:
        """Make a folder a workspace, or adopt what is in it; nothing is overwritten."""
        from reverie.ledger import git_folder

        git_folder.prepare(Path(path).absolute())
        memory = cls(path, clock=clock, environ=environ, mind=mind, human=human)
        memory._house.begin()
        return memory

    def again(self) -> Memory:
        """Another handle on the same workspace, for another thread."""
        return Memory(
            self.root,
            clock=self._house.clock,
            environ=self._variables,
            person=self._person,
            mind=self._mind,
            human=self._authority.human,
        )

    def close(self) -> None:
        """End the session; every verb is refused from then on."""
        self._close(tidy=self.tidy_on_close)

    def _close(self, *, tidy: bool) -> None:
        if not self._house.closed and self._viewer:
            self._seen = self.warnings
        self._house.close(tidy=tidy)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Tidying may fail for the same cause, and would hide what it was.
        self._close(tidy=self.tidy_on_close and kind is None)

    @property
    def root(self) -> Path:
        """The workspace's folder."""
        return self._house.root

    @property
    def config(self) -> Config:
        """The workspace's parameters."""
        return self._house.config

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was amiss and has been worked around since opening."""
        found = self._house.told
        if not found or not self._viewer:
            return found
        if self._house.closed:
            return self._seen
        from reverie.conversation.transcript import all_turns

        # None names a conversation in which nothing is for who looks.
        mine = all_turns(self._house, self._person)
        hidden = [name for name, turns in mine.items() if not turns]
        return tuple(t for t in found if not any(name in t for name in hidden))

    # --- its parts ---------------------------------------------------------

    @cached_property
    def _recalling(self) -> MemorySearch:
        from reverie.recall.search import MemorySearch

        return MemorySearch(self._house, self._variables)

    @cached_property
    def _minds(self) -> Minds:
        from reverie.session.mind_choice import Minds

        return Minds(self._house, self._variables, self._mind)

    @cached_property
    def _clerk(self) -> Clerk:
        from reverie.encoding.route import Clerk

        return Clerk(self._house, self._minds)

    @cached_property
    def _remembering(self) -> Remembering:
        from reverie.encoding.remember import Remembering

        return Remembering(self._house, self._desk, self._clerk)

    @cached_property
    def _back(self) -> GoingBack:
        from reverie.history import GoingBack

        return GoingBack(self._house, self._viewer)

    @cached_property
    def _review(self) -> Review:
        from reverie.agents.review import Review

        return Review(self._house, self._desk, self._clerk.place_of)

    @cached_property
    def _talk(self) -> Talk:
        from reverie.conversation.context_reflection import start_if_due
        from reverie.conversation.session_notes import Sittings
        from reverie.conversation.window import Talk

        house = self._house
        talk = Talk(house, self._minds, Sittings(house), self._find_out, self._viewer)
        talk.before = partial(start_if_due, talk)
        return talk

    @cached_property
    def reflection(self) -> Reflection:
        """Reflection: check-in, tokens, thinking, and the human's decision."""
        from reverie.reflection.cycle import CycleStore, Study
        from reverie.reflection.reflection import Reflection
        from reverie.session.session import local_zone

        return Reflection(
            Study(
                self._house,
                CycleStore(self._house),
                self._minds,
                self._recalling,
                self._site,
                lambda: local_zone(self._variables),
            )
        )

    def _site(self) -> Site:
        from reverie.reflection.operations.plan import Site

        index = self._house.index
        desk = self._desk(Actor("reflection:plan"))
        return Site(desk, index.find, index.trace, self._clerk.place_of)

    def _desk(self, actor: Actor, origin: Origin | None = None) -> Desk:
        from reverie.encoding.remember import open_desk

        return open_desk(self._house, actor, origin)

    def _box(self) -> QuestionBox:
        return self._minds.box("", {})

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

        Args:
            question: In plain words.
            now: The moment to ask for: "last week" is counted from it, and fading.
            limit: The most hits to return.
            least: The score from which on a hit is returned.
            reach: Whether dormant and archived memories are shown too.
            stores: Where to look; everywhere by default.
            person: Who asks; what is for another person alone is not found.
        """
        require_kind("question", question, str)
        require_kind("person", person, str)
        require_kind("limit", limit, (int, NoneType))
        if limit is not None and limit < 1:
            name = "limit"
            raise WrongArgumentError(name, limit, "at least 1", "")
        if isinstance(stores, str) or not isinstance(stores, Iterable):
            known = ", ".join(Store)
            hint = f'Pass a list, as in stores=["semantic"]; there are {known}.'
            name = "stores"
            raise WrongArgumentError(name, stores, "a list of stores", hint)
        self._house.write_down(wait=False)
        return self._find_out(
            question,
            now=now,
            limit=limit,
            least=least,
            reach=choice("reach", reach, Reach),
            stores=[choice("stores", store, Store) for store in stores],
            person=person,
        )

    def _find_out(
        self,
        question: str,
        *,
        now: datetime | None = None,
        limit: int | None = None,
        least: float | None = None,
        reach: Reach = Reach.EXPLICIT,
        stores: Iterable[Store] = (),
        person: str = "",
        in_sight: tuple[str, int] | None = None,
    ) -> Recalled:
        """What is written down and answers a question."""
        from reverie.recall.question import RecallQuestion

        house, settings = self._house, self._house.config.recall
        asked = RecallQuestion(
            question,
            aware(now or house.clock()),
            house.config,
            reach,
            settings.max_results if limit is None else limit,
            settings.min_score if least is None else least,
            frozenset(stores),
            self._person or person,
            in_sight,
        )
        house.look_sometimes()
        house.sync()
        found, doubts = self._recalling.recall(asked), house.doubts()
        if not doubts:
            return found
        # An unknown hand's words are nobody's until their owner confirms them.
        hits = (
            replace(hit, origin=Origin.TOOL, unconfirmed=True)
            if hit.path in doubts
            else hit
            for hit in found.hits
        )
        return replace(found, hits=tuple(hits))

    def context(
        self,
        question: str,
        *,
        budget: int = 1000,
        now: datetime | None = None,
        person: str = "",
    ) -> str:
        """What to put into a prompt for a question: Markdown, dated and cited.

        The same bytes for the same question, moment and state of the workspace.

        Args:
            question: What the prompt is about.
            budget: The most tokens it may have.
            now: The moment to ask for.
            person: Who asks.
        """
        from reverie.recall.context_block import render_context

        require_kind("budget", budget, int)
        found = self.recall(question, now=now, reach=Reach.AUTOMATIC, person=person)
        return render_context(found, budget)

    def why(
        self, item_id: str, question: str = "", *, now: datetime | None = None
    ) -> Why:
        """Why a memory is there, as vivid as it is, and found or not for a question."""
        from reverie.history import blame

        shown = self.show(item_id)
        found = blame(self._house, self._viewer, shown.path)
        line = next((line for line in found if line.number == shown.line), None)
        last = self._house.ledger.entry(line.commit) if line else None
        last = self._viewer.entry(last) if last else None
        everything = None
        if question:
            everything = self.recall(
                question, now=now, limit=10_000, least=0, reach=Reach.EVERYTHING
            )
        moment = now or self._house.clock()
        return self._recalling.why(shown, last, everything, moment)

    def show(self, item_id: str) -> Shown:
        """One memory as it stands now."""
        self._house.look()
        found = self._located(item_id)
        self._viewer.require(item_id)
        last = next(iter(self._history(path=found.path, limit=1)), None)
        shown = self._house.answered(lambda: self._viewer.shown(found))
        if last is None:
            return shown
        return replace(shown, commit=last.commit, actor=str(last.actor))

    def _located(self, item_id: str) -> Located:
        from reverie.session.session import NoSuchMemoryError

        found = self._house.find(str(ItemId.parse(item_id)))
        if found is None:
            raise NoSuchMemoryError(item_id)
        return found

    def items(self, store: Store | str | None = None, *, path: str = "") -> list[Shown]:
        """Every memory, those of one store, or those of one file, in order."""
        wanted = None if store is None else choice("store", store, Store)
        self._house.look()

        def answer() -> list[Shown]:
            index, viewer = self._house.index, self._viewer
            found = index.in_file(path) if path else index.items(wanted)
            return [viewer.shown(located) for located in viewer.items(found)]

        return self._house.answered(answer)

    def overview(self) -> Overview:
        """The workspace at a glance."""
        from reverie.health import overview

        if self._viewer:
            changes = len(self._history())
        else:
            ledger = self._house.ledger
            changes = ledger.repository.count(ledger.head)
        alerts = len(self.alerts())
        return overview(self._house, self._viewer, changes, alerts, self.warnings)

    def history(
        self,
        *,
        path: str = "",
        actor: str = "",
        since: datetime | None = None,
        forgotten: str = "",
        limit: int = 0,
    ) -> list[LogEntry]:
        """Changes, newest first.

        Args:
            path: Only those that touched this file.
            actor: Only those of this actor, or of actors that begin with it.
            since: Only those made from this moment on.
            forgotten: Only those by which something about this was archived,
                decayed or deleted: why was it forgotten?
            limit: At most so many; 0 for all.
        """
        require_kind("since", since, (datetime, NoneType))
        require_kind("limit", limit, int)
        self._house.look()
        return self._history(path, actor, since, forgotten, limit)

    def _history(
        self,
        path: str = "",
        actor: str = "",
        since: datetime | None = None,
        forgotten: str = "",
        limit: int = 0,
    ) -> list[LogEntry]:
        from reverie.history import history

        house, viewer = self._house, self._viewer
        return history(house, viewer, path, actor, since, forgotten, limit)

    def diff(self, commit: str) -> str:
        """What one change did to the files, as a unified diff."""
        from reverie.history import diff

        return diff(self._house, self._viewer, commit)

    def blame(self, path: str) -> list[BlameLine]:
        """Each line of a file, with the change it came with."""
        from reverie.history import blame

        self._house.look()
        return blame(self._house, self._viewer, path)

    def check(self) -> list[Finding]:
        """Everything a person should look at; nothing is changed but noticed."""
        from reverie.health import check

        return check(self._house, self._viewer)

    def health(self) -> Health:
        """How the memory is: counts, budgets, what waits, the index, spending."""
        from reverie.conversation.context_reflection import measure
        from reverie.conversation.transcript import reflections
        from reverie.health import health
        from reverie.model.health import Conversations
        from reverie.session.session import local_zone

        mine = reflections(self._house, self._person)
        quality = measure(mine, self._house.index.resurrected())
        return health(
            self._house,
            self._viewer,
            self._recalling,
            self.overview(),
            self.spending(),
            zone=local_zone(self._variables),
            conversations=Conversations.of(self.windows(), quality),
        )

    def spent(self, day: date | None = None) -> Spent:
        """What thinking has cost on a day, in UTC; today by default."""
        return self._minds.purse().spent(day or self._house.clock().date())

    def spending(self, days: int = 30) -> Bill:
        """What thinking has cost, by day and by cause.

        Args:
            days: How many days up to today, in UTC.
        """
        from reverie.model.health import Prices, bill

        mind, today = self._house.config.mind, self._house.clock().date()
        first = date.fromordinal(max(1, today.toordinal() - days + 1))
        prices = Prices.per_million(mind.price_input, mind.price_output, mind.currency)
        spent = self._minds.purse().days(first, today)
        return bill(spent, first, today, mind.daily_tokens, prices)

    # --- telling -------------------------------------------------------------

    def acting(self, otherwise: Actor = MAIN) -> Actor:
        """Who acts where nobody is named: the human who is there, else an agent."""
        return self._authority.default(otherwise)

    def remember(
        self,
        text: str,
        place: Place | None = None,
        *,
        actor: Actor = REMEMBER,
        trigger: str = "remember",
        origin: Origin | str | None = None,
        secrets: Secrets | str = Secrets.REFUSE,
        derived_from: Iterable[str] = (),
        contradicts: Iterable[str] = (),
    ) -> Remembered:
        """Store a text where it belongs.

        Args:
            text: What to remember.
            place: Which store, and what that store wants to know; without it the
                mind says it, or it goes to the page it names, or to the episodes.
            actor: Who acts.
            trigger: What started it, in the user's words where there are any.
            origin: Whose words it is, where that is not the actor's: `Origin.TOOL` for
                what a web page said. It never raises the trust that the actor has.
            secrets: What to do with passwords and keys in it.
            derived_from: Ids of memories that it was made of; it is trusted no more
                than the least of them.
            contradicts: Ids of known facts that it cannot hold together with. All of
                them stay, and their pages ask which holds.

        Returns:
            Proof that it is durable, with the ids it has; without lines if all of it
            was known already. What may not go where it belongs waits, and it says so.

        Raises:
            SecretFoundError: It has a secret; nothing of it was written.
            ForgottenError: Its human asked to forget it.
            RestatedError: It only repeats a file that the agent always reads.
        """
        from reverie.encoding.placement import Saying
        from reverie.model.route import Episodic, Place

        require_kind("text", text, str)
        require_kind("actor", actor, Actor, hint='Such as Actor("bot:main").')
        require_caller(actor)
        if place is not None:
            require_kind("place", place, get_args(Place), hint="Such as Episodic().")
        chosen = choice("secrets", secrets, Secrets)
        whose = None if origin is None else choice("origin", origin, Origin)
        for name, ids in (("derived_from", derived_from), ("contradicts", contradicts)):
            if isinstance(ids, str) or not isinstance(ids, Iterable):
                raise WrongArgumentError(name, ids, "a list of ids", "")
        if place is None and self._viewer:
            # Only an episode can be for one person alone.
            place = Episodic(scope=self._person)
        made_of, against = tuple(derived_from), tuple(contradicts)
        for id_ in (*made_of, *(id_.partition("#")[0] for id_ in against)):
            self._viewer.require(f"entity:{id_}" if ":" not in id_ else id_)
        with self._vouching_for(actor, chosen, f"remember {headline(text)}"):
            own = self._authority.origin(actor)
            whose = least((own, whose or own))
            said = (text, place, actor, trigger, whose, chosen, made_of, against)
            return self._viewer.remembered(self._remembering.remember(Saying(*said)))

    @contextmanager
    def _vouching_for(
        self, actor: Actor, secrets: Secrets, what: str
    ) -> Iterator[None]:
        """Ask its human, where something is said in their name."""
        act = Act.KEEP_SECRET if secrets is Secrets.KEEP else Act.SIGN
        with self._authority.act(act, what) if actor.human else nullcontext():
            yield

    def hear(
        self, message: str, *, role: Role | str = Role.USER, person: str = ""
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
        """
        from reverie.encoding.gate import without_recalled
        from reverie.encoding.triggers import detect
        from reverie.memory.hear import hear, with_reflection
        from reverie.model.conversation import role_of
        from reverie.model.route import Episodic, Vault
        from reverie.secrets import SecretFoundError, find_secrets, redact

        require_kind("message", message, str)
        person = self._person or person
        # What Reverie itself put into a message asks for nothing.
        own = without_recalled(message)[0]
        # A secret is whole before the message is cut into what it asks for.
        secrets = find_secrets(own)
        kinds = [secret.kind for secret in secrets]
        place = Episodic(scope=person) if person.strip() else None

        def remember(trigger: Trigger) -> Remembered:
            if kinds and "[redacted" in trigger.content:
                raise SecretFoundError(kinds)
            return self.remember(
                trigger.content,
                place or (Vault() if trigger.permanent else None),
                trigger=f'user said "{trigger.phrase}"',
                origin=None if trigger.own else Origin.TOOL,
            )

        def find(trigger: Trigger) -> Forgetting:
            found = self._find(trigger.content, person)
            return replace(found, permanent=trigger.permanent)

        said = redact(own, secrets)
        asked = detect(said, role_of(role), self._house.config.triggers)
        return with_reflection(hear(asked, remember, find), lambda: self.reflection)

    def questions(self) -> list[HostQuestion]:
        """What the host agent has to answer, the oldest first."""
        from reverie.encoding.placement import parse_saying
        from reverie.model.reflection import HostQuestion

        box, now = self._box(), self._house.clock()
        for each in box.overdue(now, WAITING):
            if each.verb == "remember":
                why = f"the host agent has not answered {each.question.id}"
                with suppress(RefusedError):
                    self._carry_on(parse_saying(each.arguments), why)
        box.expire(now, WAITING)
        return [
            HostQuestion(
                each.question.id,
                each.question.operation,
                each.question.text,
                each.question.schema,
                each.asked,
                each.problem,
            )
            for each in box.open_questions()
        ]

    def answer(self, question_id: str, answer: str) -> Remembered:
        """Take the host agent's answer, and go on with what it was asked for.

        After a second answer that is of no use it is kept as it is.

        Args:
            question_id: Of `questions`.
            answer: One JSON object that fits the question's schema.
        """
        from reverie.encoding.placement import parse_saying
        from reverie.minds.host import HostGaveUpError

        box = self._box()
        try:
            waiting = box.answer(question_id, answer)
        except HostGaveUpError as error:
            held = box.find(question_id)
            if held is None:
                raise
            done = self._carry_on(parse_saying(held.arguments), str(error))
            box.drop(question_id)
            return done
        return self._carry_on(parse_saying(waiting.arguments))

    def _carry_on(self, saying: Saying, unrouted: str = "") -> Remembered:
        """Store what waited in a file that anybody could have written.

        It gives nobody more than they have.

        Args:
            saying: What was to be remembered.
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

        signed = self.acting() if actor is None else actor
        chosen = choice("secrets", secrets, Secrets)
        require_caller(signed)
        with self._vouching_for(signed, chosen, "import"):
            desk = partial(self._desk, signed)  # planned anew for every batch
            clean = screened(found, chosen, signed, self._remembering.forgotten)
            return take_in(self._house, clean, desk, signed, progress)

    def import_from(
        self,
        path: str | os.PathLike[str],
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

        require_kind("path", path, (str, os.PathLike))
        chosen = choice("secrets", secrets, Secrets)
        reading = read_all(Path(path), kind, self.root, chosen)
        return self.take_in(
            reading.things(),
            actor=actor,
            secrets=chosen,
            progress=lambda count: progress(reading.done, reading.size, count),
        )

    # --- forgetting ----------------------------------------------------------

    def find_to_forget(self, wish: str) -> Forgetting:
        """Find what a wish to forget is about; nothing is forgotten yet.

        Args:
            wish: In plain words: a name, or what the memory says. The words that ask
                for it ("forget about", "permanently delete") may stand in front.
        """
        require_kind("wish", wish, str)
        words, permanent = self._clerk.wish(wish)
        return replace(self._find(words, self._person), permanent=permanent)

    def _find(self, wish: str, person: str = "") -> Forgetting:
        from reverie.encoding.forget import find_to_forget

        def ask(stores: frozenset[Store]) -> Sequence[Hit]:
            return self.recall(
                wish,
                stores=stores,
                least=0,
                limit=MOST_SHOWN,
                reach=Reach.EVERYTHING,
                person=person,
            ).hits

        found = find_to_forget(self._house, wish, ask)
        # An id may name anything.
        scopes = self._house.index.scopes() if person else {}
        seen = [m for m in found.matches if is_for(scopes.get(m.id, ""), person)]
        meant = tuple(m.key for m in seen if m.key in found.meant)
        return replace(found, matches=tuple(seen), meant=meant)

    def forget(
        self,
        matches: Sequence[Match],
        *,
        actor: Actor = FORGET,
        trigger: str = "forget",
    ) -> Receipt:
        """Archive what was found and agreed to; `undo` brings it back.

        Args:
            matches: Of `find_to_forget`, those that were confirmed. They hold for
                the very texts that were shown.
            actor: Who acts; an agent only for its human, and for few at once.
            trigger: What started it, in the user's words.
        """
        from reverie.encoding.forget import forget, require_forgetter
        from reverie.secrets import without_secrets

        require_forgetter(actor)
        require_kind("matches", matches, Sequence, hint=_MATCHES)
        for match in matches:
            require_kind("matches", match, Match, hint=_MATCHES)
            self._viewer.require(match.id)
        words = without_secrets(trigger)
        with self._authority.signing(actor, f"forget {headline(words)}"):
            return self._house.persist(
                "forget", lambda: forget(self._house, matches, actor, words)
            )

    def reinforce(self, ids: Iterable[str]) -> int:
        """Note that memories were of use, which keeps them vivid.

        Reading is no change: it is kept in the index, and written down with the
        next snapshot of the scores.

        Returns:
            How many have a score to keep; turns of conversations have none.
        """
        self._house.sync()
        used = [str(ItemId.parse(id_)) for id_ in ids]
        for id_ in used:
            self._viewer.require(id_)
        return self._house.reinforce(used)

    def pin(self, item_id: str, *, actor: Actor | None = None) -> Receipt:
        """Keep a memory from fading."""
        return self._set_pin(item_id, actor, pinned=True)

    def unpin(self, item_id: str, *, actor: Actor | None = None) -> Receipt:
        """Let a pinned memory fade again; only a human may."""
        from reverie.encoding.forget import AlwaysPinnedError

        self._viewer.require(item_id)
        if ItemId.parse(item_id).kind is Kind.VAULT:
            raise AlwaysPinnedError(ItemId.parse(item_id))
        return self._set_pin(item_id, actor, pinned=False)

    def _set_pin(self, item_id: str, actor: Actor | None, *, pinned: bool) -> Receipt:
        from reverie.encoding.forget import set_pin

        self._viewer.require(item_id)
        verb, house = "pin" if pinned else "unpin", self._house
        what = f"{verb} {item_id}"
        with (
            self._authority.signing(actor, what)
            if pinned
            else self._authority.alone(Act.UNPIN, what, actor)
        ) as signed:
            return house.persist(
                verb, lambda: set_pin(house, item_id, signed, pinned=pinned)
            )

    def erase(
        self,
        item_id: str = "",
        *,
        text: str = "",
        actor: Actor | None = None,
        progress: Callable[[int, int], None] = _no_progress,
    ) -> ErasureReceipt:
        """Remove a memory, or a text wherever it stands, from history too.

        This cannot be undone. Only a human may.
        """
        from reverie.encoding.erase import require_anywhere

        require_kind("text", text, str)
        # Where nothing is there, nobody is asked for anything.
        self._house.look()
        if text and self._viewer:
            # It is taken out wherever it stands.
            what = "erasing a text"
            raise OthersMemoriesError(what)
        if text:
            require_anywhere(self._house, text)
        else:
            self._viewer.require(item_id)
            self._located(item_id)
        what = f"erase {item_id or headline(text)}, from history too"
        with self._authority.alone(Act.ERASE, what, actor) as signed:
            return self._erase(item_id, text, signed, progress)

    def _erase(
        self,
        item_id: str,
        text: str,
        actor: Actor,
        progress: Callable[[int, int], None],
    ) -> ErasureReceipt:
        from reverie.conversation.session_notes import Sittings
        from reverie.encoding.erase import wipe_item, wipe_text
        from reverie.encoding.forget import lay_to_rest
        from reverie.reflection.cycle import CycleStore

        self._house.look()
        # The host agent may have been asked about it, or a reflection have read it,
        # and what an agent was told of it is kept for its session.
        self._box().empty()
        CycleStore(self._house).forget()
        Sittings(self._house).forget()
        if text:
            receipt = wipe_text(self._house, text, actor, progress)
            lay_to_rest(self._house, text)
            return receipt
        found = self._located(item_id)
        receipt = wipe_item(self._house, found, actor, progress)
        name = found.title if found.store is Store.SEMANTIC else ""
        lay_to_rest(self._house, found.text, name)
        return receipt

    def erase_match(
        self, match: Match, *, actor: Actor | None = None
    ) -> ErasureReceipt:
        """Remove for good what a wish to forget found; a fact, or the whole memory."""
        require_kind("match", match, Match, hint=_MATCHES)
        if not match.fact:
            return self.erase(match.id, actor=actor)
        items = self._house.index.items()
        others = [i.id for i in items if i.id != match.id and match.text in i.text]
        if others:
            raise SaidElsewhereError(match.text, match.id, others)
        return self.erase(text=match.text, actor=actor)

    def purgeable(self, origin: Origin | str, *, source: str = "") -> Purge:
        """Find everything of one origin; nothing is taken out yet.

        Args:
            origin: Whose words: tool, import, sub-agent or agent.
            source: Only what was imported from here, such as `notes.md`.
        """
        from reverie.encoding.forget import find_purge

        if self._viewer:
            # It is taken out wherever it stands.
            what = "purging an origin"
            raise OthersMemoriesError(what)
        return find_purge(self._house, origin, source)

    def purge(self, shown: Purge, *, actor: Actor | None = None) -> Receipt:
        """Take out what `purgeable` showed, in one change; `undo` brings it back.

        Files lose those lines and history keeps them. Turns of a conversation stay in
        its record, deleted; an imported conversation goes as a whole.

        Args:
            shown: What was shown and agreed to; it holds for nothing else.
            actor: Who acts; only a human may.
        """
        from reverie.encoding.forget import purge
        from reverie.model.views import Purge

        hint = "`memory.purgeable(origin)` shows it."
        require_kind("shown", shown, Purge, hint=hint)
        what = f"purge everything of {shown.origin}"
        with self._authority.alone(Act.PURGE, what, actor) as who:
            return self._house.persist("purge", lambda: purge(self._house, shown, who))

    # --- going back, and looking after it --------------------------------------

    def undo(
        self,
        commit: str = "",
        *,
        path: str = "",
        session: str = "",
        actor: Actor | None = None,
    ) -> Receipt:
        """Take back one change, one file or one reflection session.

        Args:
            commit: The change; with `path`, the version to go back to. Without
                any argument the newest change that is not undone yet.
            path: Only this file, to what it was at `commit` or before its last change.
            session: All changes of one reflection, such as `r-012`.
            actor: Who acts; its human where one is there, else `bot:main`, who goes
                back on nothing that a human decided.
        """
        for name, given in (("commit", commit), ("path", path), ("session", session)):
            require_kind(name, given, str)

        def undo(who: Actor) -> Receipt:
            self._house.look()
            if path:
                return self._back.undo_file(path, commit, who)
            if session:
                return self._back.undo_session(session, who)
            return self._back.undo_change(commit, who)

        what = f"undo {session or path or commit or 'the newest change'}"
        return self._go_back("undo", what, undo, actor)

    def restore(self, at: datetime, *, actor: Actor | None = None) -> Receipt:
        """Make the whole workspace what it was at a moment, as a new change."""
        require_kind("at", at, datetime, hint="Such as datetime.now(UTC).")
        self._house.look()
        what = f"restore the workspace as of {at:%Y-%m-%d %H:%M}"
        return self._go_back("restore", what, partial(self._back.restore, at), actor)

    def _go_back(
        self,
        verb: str,
        what: str,
        go: Callable[[Actor], Receipt],
        actor: Actor | None,
    ) -> Receipt:
        done = self._authority.within(
            Act.GO_BACK,
            what,
            lambda who: self._house.persist(verb, lambda: go(who)),
            actor,
        )
        return self._viewer.receipt(done)

    def rebuild(
        self, progress: Callable[[int, int], None] | None = None
    ) -> RebuildReport:
        """Make index, audit log and graph index anew from files and history."""
        from reverie.health import rebuild

        return rebuild(self._house, self._viewer, progress)

    def embed(self, progress: Callable[[int, int], None] = _no_progress) -> int:
        """Give vectors to all memories that have none of the configured model."""
        self._house.sync()
        return self._recalling.embed(None, progress)

    def tidy(self) -> None:
        """Do all that can wait: file, pack, note what faded, make vectors, sum up."""
        from reverie.agents.instructions import refresh

        self._remembering.route_waiting()
        self._house.tidy()
        with suppress(UnavailableError):
            self._recalling.embed()
        refresh(self._house)
        if self._minds.kind == "api":
            with suppress(ReverieError):
                self.idle()

    def alerts(self, *, everything: bool = False) -> list[Alert]:
        """Changes that the human has not acknowledged yet, with what they changed."""
        from reverie.history import changed_lines
        from reverie.session.viewer import CHANGED

        self._house.look()
        found = self._house.all_alerts(everything=everything)
        return [
            # Of a change that touched what is for others, no line is told.
            replace(each, changed=changed_lines(self._house, each))
            if each.summary != CHANGED
            else each
            for each in self._viewer.alerts(found)
        ]

    def acknowledge(
        self,
        path: str = "",
        *,
        shown: Sequence[Alert] | None = None,
        actor: Actor | None = None,
    ) -> list[Alert]:
        """Note that the human has seen the alerts of one file, or all of them.

        Args:
            path: The file; all without one.
            shown: What they were shown; what came later is not acknowledged.
            actor: Who acts; only a human may.

        Raises:
            ChangedSinceShownError: Something came while they looked.
        """
        from reverie.session.session import ChangedSinceShownError

        require_kind("path", path, str)
        house = self._house
        waiting = [a for a in self.alerts() if not path or a.path == path]
        if shown is not None and list(shown) != waiting:
            raise ChangedSinceShownError
        if not waiting:
            return []
        head = house.ledger.head
        files = ", ".join(dict.fromkeys(alert.path for alert in waiting))
        what = f"acknowledge the alerts of {files}"
        with self._authority.alone(Act.ACKNOWLEDGE, what, actor) as signed:
            house.acknowledge(waiting, head, signed, everything=not path)
            return waiting

    def unconfirmed(self) -> list[Alert]:
        """What waits for its human to acknowledge it.

        Edits by an unknown hand, where there is an owner; and the configuration, where
        some of it does not act before.
        """
        self._house.look()
        return self._viewer.alerts(self._house.unconfirmed())

    @property
    def owned(self) -> bool:
        """Whether an owner passphrase is set."""
        return self._owner.expects()

    def set_owner(self, passphrase: str | Callable[[], str]) -> Receipt:
        """Have everything that only its human may do ask for a passphrase.

        A slow hash of it is kept outside of the workspace; history records that there
        is one, so taking the hash away opens nothing.

        Args:
            passphrase: The passphrase, or what asks for it once its human agreed.
        """
        from reverie.session.ownership import set_owner

        return set_owner(self._house, self._owner, passphrase)

    def change_owner(self, passphrase: str | Callable[[], str]) -> Receipt:
        """Replace the owner's passphrase; the old one is asked for.

        Args:
            passphrase: The new one, or what asks for it once the old one was given.
        """
        from reverie.session.ownership import change_owner

        return change_owner(self._house, self._owner, passphrase)

    def remove_owner(self) -> Receipt:
        """Ask for no passphrase any more; the old one is asked for."""
        from reverie.session.ownership import remove_owner

        return remove_owner(self._house, self._owner)

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

        require_kind("question", question, str)
        require_kind("answer", answer, str)
        expected = Expected(question, answer, scope=self._person)
        return expect(self._house, expected, actor, instead=replace)

    def unexpect(self, question: str, *, actor: Actor | None = None) -> Receipt:
        """Take a question off the list of what must stay answerable."""
        from reverie.reflection.trial import unexpect

        return unexpect(self._house, question, actor, self._person)

    def expectations(self, question: str = "") -> tuple[Trial, ...]:
        """What must stay answerable, or one of it, with the rank it is found at now."""
        from reverie.reflection.trial import check_now

        return check_now(self._house, self._recalling, question, self._person)

    # --- talking -------------------------------------------------------------

    def window(self, name: str) -> Window:
        """One running conversation, by whatever its host calls it."""
        from reverie.conversation.wake import Window

        require_kind("window", name, str)
        return Window(self._talk, name, self._news)

    def wake(
        self,
        window: str,
        *,
        budget: int | None = None,
        person: str = "",
        new: bool = False,
    ) -> Awake:
        """What an agent should see at the start of a conversation.

        Core memory, alerts, what waits for a yes, what is due, and turns: the newest
        of this window, and what fits them from anywhere.

        Args:
            window: The conversation.
            budget: The most tokens; `conversation.wake_tokens` by default.
            person: Who speaks; what is for another person alone is not told.
            new: Whether a session begins, whatever was told before.
        """
        require_kind("budget", budget, (int, NoneType))
        require_kind("person", person, str)
        return self.window(window).wake(budget=budget, person=person, new=new)

    def attend(
        self,
        window: str,
        message: str,
        *,
        budget: int | None = None,
        person: str = "",
    ) -> Attended:
        """What to add to an agent's context for one message.

        Args:
            window: The conversation.
            message: What the user says.
            budget: The most tokens; `conversation.attend_tokens` by default.
            person: Who speaks; what is for another person alone is not told.
        """
        require_kind("message", message, str)
        require_kind("budget", budget, (int, NoneType))
        require_kind("person", person, str)
        return self.window(window).attend(message, budget=budget, person=person)

    def leave(self, window: str) -> Standing | None:
        """End the session of a conversation.

        What was said is written down, what sub-agents propose is reviewed, and where
        a reflection is due, its human is asked; the answer may come at any time.

        Returns:
            Where reflection stands if it is offered now, else None.
        """
        self._house.write_down()
        self.review()
        said = self.window(window).said_in_session()
        occasion = self.reflection.offer(turns=said) if said else None
        return self.reflection.begin(occasion) if occasion else None

    def windows(self) -> list[WindowView]:
        """Every conversation at a glance, the newest first."""
        from reverie.conversation.transcript import views

        self._house.look()
        return views(self._house, self._person)

    def turns(self, window: str, *, last: int = 0, deleted: bool = False) -> list[Turn]:
        """What was said in a conversation, in order.

        Args:
            window: Which one.
            last: Only so many of the newest; 0 for all.
            deleted: Whether to give those that were deleted, too.
        """
        from reverie.conversation.transcript import turns_of

        self._house.look()
        name = slug(window)
        if not self._viewer:
            return turns_of(self._house, name, last, deleted=deleted)
        found = turns_of(self._house, name, 0, deleted=deleted)
        seen = self._viewer.turns(found)
        return seen[-last:] if last else seen

    def talker(self) -> Talker | None:
        """The configured model, to talk with; None where there is none."""
        return self._minds.talker()

    def idle(self) -> tuple[SummedUp | Offer, ...]:
        """Summarise every conversation that is due, or say which prompts are.

        A service calls this now and then; `watch` sets a timer instead.
        """
        from reverie.conversation.transcript import talked_in
        from reverie.model.conversation import Cause

        self._house.sync()
        done: list[SummedUp | Offer] = []
        for name in talked_in(self._house):
            # Somebody else may be at it, or the model be away: the others still count.
            with suppress(ReverieError):
                window = self.window(name)
                done += [window.reflect(cause=Cause.IDLE)] if window.due() else []
        return tuple(done)

    def _news(self, person: str = "") -> News:
        """What an agent should know of besides its memories, when it talks to one.

        What is proposed for somebody else alone is neither counted nor told.
        """
        from reverie.agents.instructions import refresh
        from reverie.memory.news import news

        self.review(actor=MAIN)
        refresh(self._house)
        whom = self._person or person
        return news(self._house, self.reflection, self.alerts(), whom, self.warnings)

    # --- other agents ----------------------------------------------------------

    def acting_as(self, name: str, *, person: str = "") -> SubAgent:
        """A sub-agent's own handle on the same workspace: it reads and proposes.

        Args:
            name: What it is called.
            person: For whom it works; it finds nothing that is for another person.
        """
        from reverie.memory.subagent import SubAgent

        require_kind("name", name, str)
        self._house.require_open()
        return SubAgent(
            self.root,
            name,
            clock=self._house.clock,
            environ=self._variables,
            person=self._person or person,
        )

    def instructions(self, agent: str = "") -> str:
        """What agents are told about this memory, as it would be written now.

        Args:
            agent: The sub-agent that it is for; the main agent without one.
        """
        from reverie.agents.instructions import instructions

        return instructions(self._house, agent)

    def instructed(self, path: str = "AGENTS.md") -> bool:
        """Whether a file has the instructions as they would be written now."""
        from reverie.agents.instructions import instructed

        return instructed(self._house, path)

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

        return instruct(self._house, path, actor, remove=remove)

    def pending(self) -> list[Proposal]:
        """What waits for its human's yes, in the order it came."""
        from reverie.stores.proposals import load_pending

        self._house.look()
        found = load_pending(self._house.ledger.read).proposals
        return self._viewer.proposals(found)

    def waiting(self) -> tuple[Waiting, ...]:
        """What waits for a decision, each with what it is at odds with."""
        self._house.look()
        return self._viewer.waiting(self._review.waiting())

    def contradictions(self) -> list[tuple[str, str]]:
        """Pages, by id, that ask which of some facts holds, and the question."""
        from reverie.stores.entities import WHICH_HOLDS

        house = self._house
        house.look()
        asked = house.answered(lambda: house.index.lookup.asking(WHICH_HOLDS))
        return [(id_, said) for id_, said in asked if self._viewer.sees_id(id_)]

    def review(self, *, actor: Actor = MAIN) -> tuple[Receipt, ...]:
        """Mark proposals that contradict, and commit those that need no second look.

        What needs none is set by `agents.review` and `agents.trusted`.
        """
        with self._authority.signing(actor, "review what is proposed") as signed:
            return tuple(map(self._viewer.receipt, self._review.look(signed)))

    def proposal(self, number: int) -> Proposal:
        """One of what waits for a yes."""
        from reverie.stores.proposals import find_proposal, load_pending

        require_kind("number", number, int)
        found = find_proposal(load_pending(self._house.ledger.read), number)
        return self._viewer.require_proposal(found)

    def place_in(self, proposal: Proposal, store: Store | str) -> Place:
        """Where in another store a proposal would go."""
        wanted = choice("store", store, Store)
        return self._clerk.place_of(replace(proposal, store=wanted))

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
        from reverie.model.proposals import Proposal
        from reverie.model.route import Place

        hint = "`memory.proposal(1)` gives the one with that number, as it stands."
        require_kind("proposal", proposal, Proposal, hint=hint)
        if place is not None:
            require_kind("place", place, get_args(Place))
        shown = self._viewer.require_proposal(proposal)
        what = f"accept proposal #{shown.number}: {headline(shown.content)}"
        return self._decide(
            what, lambda who: self._review.accept(shown, place, who), actor
        )

    def reject(
        self, number: int, *, reason: str = "", actor: Actor | None = None
    ) -> Receipt:
        """Take a proposal off the list; history keeps what it said."""
        from reverie.secrets import without_secrets

        said = without_secrets(reason)
        what = f"reject proposal #{number}"
        return self._decide(
            what, lambda who: self._review.reject(number, said, who), actor, number
        )

    def defer(self, number: int, *, actor: Actor | None = None) -> Receipt:
        """Leave a proposal for the next reflection."""
        what = f"defer proposal #{number}"
        return self._decide(
            what, lambda who: self._review.defer(number, who), actor, number
        )

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
        from reverie.model.proposals import Resolution

        require_kind("numbers", numbers, Sequence)
        chosen = choice("how", how, Resolution)
        what = f"resolve proposals {', '.join(f'#{number}' for number in numbers)}"
        return self._decide(
            what,
            lambda who: self._review.resolve(numbers, chosen, keep, who),
            actor,
            *numbers,
        )

    def _decide(
        self,
        what: str,
        decide: Callable[[Actor], Receipt],
        actor: Actor | None,
        *numbers: int,
    ) -> Receipt:
        """Decide on proposals; what is for another person, or no number, is refused."""
        for number in numbers:
            require_kind("number", number, int)
            if self._viewer:
                self.proposal(number)
        done = self._authority.within(Act.ACCEPT, what, decide, actor)
        return self._viewer.receipt(done)
