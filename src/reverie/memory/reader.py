"""What may be asked of an open workspace; nothing here changes a memory."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from reverie.authority.authority import Authority
from reverie.decay.curve import Trace, standing
from reverie.history.history import blame, changed_lines, diff, history
from reverie.index import IndexAlteredError
from reverie.index.checks import check_files, core_budgets
from reverie.ledger.settings import check_settings
from reverie.model.ids import ItemId, Store, slug
from reverie.model.moments import aware
from reverie.model.origin import Origin
from reverie.model.recall import Reach
from reverie.model.scope import person_named
from reverie.model.views import Alert, BlockUse, Overview, Shown
from reverie.recall.asking import Asked
from reverie.recall.block import render_context
from reverie.recall.recalling import Recalling
from reverie.session.owning import have_owner
from reverie.session.session import House, NoSuchMemoryError
from reverie.session.viewer import CHANGED, Viewer
from reverie.stores import core
from reverie.stores.proposals import load_pending
from reverie.stores.reading import decode
from reverie.workspace import layout
from reverie.workspace.scan import aliases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType

    from reverie.authority.acts import Human
    from reverie.config import Config
    from reverie.index.index import Located
    from reverie.ledger.ledger import Confine
    from reverie.model.change import LogEntry
    from reverie.model.conversation import WindowView
    from reverie.model.finding import Finding
    from reverie.model.health import Health
    from reverie.model.items import Turn
    from reverie.model.proposal import Proposal
    from reverie.model.recall import Recalled, Why
    from reverie.model.reflection import Trial
    from reverie.model.spent import Bill, Spent
    from reverie.model.views import BlameLine
    from reverie.session.confirming import Doubt


def now_in_utc() -> datetime:
    """What the clock on the wall says."""
    return datetime.now(UTC)


class Reader:
    """An open workspace, to be asked.

    Args:
        path: Its folder.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration come from.
        person: Whom it is opened for: nothing that is for another person alone is
            shown, counted or matched. Everything is, where nobody is named.
        human: The channel to its human; without it nobody may do what only they may.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        person: str = "",
        human: Human | None = None,
    ) -> None:
        self._variables = os.environ if environ is None else environ
        self._person = person_named(person)
        self._authority = Authority(human)
        self._house = House(
            Path(path).absolute(),
            clock,
            self._variables,
            self._confinement(),
            self._authority,
        )
        self._viewer = Viewer(self._house, self._person)
        self._owner = have_owner(self._house)
        self._recalling = Recalling(self._house, self._variables)
        self.tidy_on_close = True

    def _confinement(self) -> Confine | None:
        """What looks at every change before it is made; None to allow all."""
        return None

    def close(self) -> None:
        """End the session."""
        self._house.close(tidy=self.tidy_on_close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Tidying may fail for the same cause, and would hide what it was.
        self._house.close(tidy=self.tidy_on_close and kind is None)

    @property
    def root(self) -> Path:
        """The workspace's folder."""
        return self._house.folder.root

    @property
    def config(self) -> Config:
        """The workspace's parameters."""
        return self._house.config

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was amiss and has been worked around since opening."""
        found = (*self._house.warnings, *self._house.ledger.notes)
        return self._without_others(found) if found and self._viewer else found

    def _without_others(self, warnings: tuple[str, ...]) -> tuple[str, ...]:
        """Warnings that name no conversation in which nothing is for who looks."""
        from reverie.conversation.transcripts import all_turns  # noqa: PLC0415 - who talks

        mine = all_turns(self._house, self._person)
        hidden = [name for name, turns in mine.items() if not turns]
        return tuple(
            told for told in warnings if not any(name in told for name in hidden)
        )

    def recall(
        self,
        question: str,
        *,
        now: datetime | None = None,
        limit: int | None = None,
        least: float | None = None,
        reach: Reach = Reach.EXPLICIT,
        stores: Iterable[Store] = (),
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
        self._house.write_down(wait=False)
        return self._find_out(
            question,
            now=now,
            limit=limit,
            least=least,
            reach=reach,
            stores=stores,
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
        house = self._house
        settings = house.config.recall
        asked = Asked(
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
        return _in_doubt(self._recalling.recall(asked), house.doubts())

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
        found = self.recall(question, now=now, reach=Reach.AUTOMATIC, person=person)
        return render_context(found, budget)

    def why(
        self, item_id: str, question: str = "", *, now: datetime | None = None
    ) -> Why:
        """Why a memory is there, as vivid as it is, and found or not for a question."""
        shown = self.show(item_id)
        found = blame(self._house, self._viewer, shown.path)
        line = next((line for line in found if line.number == shown.line), None)
        last = self._house.ledger.entry(line.commit) if line else None
        last = self._viewer.entry(last) if last else None
        moment = now or self._house.clock()
        if not question:
            return self._recalling.why(shown, last, None, moment)
        everything = self.recall(
            question, now=now, limit=10_000, least=0, reach=Reach.EVERYTHING
        )
        return self._recalling.why(shown, last, everything, moment)

    def show(self, item_id: str) -> Shown:
        """One memory as it stands now."""
        self._house.look()
        found = self._house.find(str(ItemId.parse(item_id)))
        if found is None:
            raise NoSuchMemoryError(item_id)
        self._viewer.require(item_id)
        located = found
        last = next(iter(self._history(path=found.path, limit=1)), None)
        shown = self._house.answered(lambda: self._shown(located))
        if last is None:
            return shown
        return replace(shown, commit=last.commit, actor=str(last.actor))

    def items(self, store: Store | None = None, *, path: str = "") -> list[Shown]:
        """Every memory, those of one store, or those of one file, in order."""
        self._house.look()

        def answer() -> list[Shown]:
            index = self._house.index
            found = index.in_file(path) if path else index.items(store)
            return [self._shown(located) for located in self._viewer.items(found)]

        return self._house.answered(answer)

    def _shown(self, found: Located) -> Shown:
        house = self._house
        trace = house.index.trace(found.id)
        if trace is None and found.store is Store.TURNS:
            said = house.index.moment(found.id) or house.clock()
            # The record of a conversation does not fade.
            trace = Trace(found.store, 1.0, said, said, 0, pinned=True)
        if trace is None:
            # What stands in a file has one, or the index was written by another.
            raise IndexAlteredError
        score, status = standing(trace, house.clock(), house.config.decay)
        return Shown(
            id=found.id,
            store=found.store,
            title=found.title,
            text=found.text,
            path=found.path,
            line=found.line,
            created=trace.created,
            last_accessed=trace.last_accessed,
            accesses=trace.accesses,
            score=score,
            status=status,
            pinned=trace.pinned,
            origin=found.origin,
        )

    def overview(self) -> Overview:
        """The workspace at a glance."""
        house = self._house
        house.look()
        data = house.ledger.read_at(house.ledger.head, layout.CORE) or b""
        memory = core.parse_core(decode(data, layout.CORE)[0], layout.CORE)
        budgets = core_budgets(house.config)
        return Overview(
            root=str(self.root),
            counts=self._viewer.counts(),
            core=tuple(
                BlockUse(block, tokens, budgets[block])
                for block, tokens in core.block_tokens(memory).items()
            ),
            core_tokens=core.total_tokens(memory),
            core_cap=house.config.core.cap_tokens,
            changes=self._changes(),
            alerts=len(self.alerts()),
            warnings=self.warnings,
        )

    def _changes(self) -> int:
        """How many changes history holds for who looks."""
        if self._viewer:
            return len(self._history())
        return self._house.ledger.repository.count(self._house.ledger.head)

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
        house, viewer = self._house, self._viewer
        return history(house, viewer, path, actor, since, forgotten, limit)

    def diff(self, commit: str) -> str:
        """What one change did to the files, as a unified diff."""
        return diff(self._house, self._viewer, commit)

    def blame(self, path: str) -> list[BlameLine]:
        """Each line of a file, with the change it came with."""
        self._house.look()
        return blame(self._house, self._viewer, path)

    def check(self) -> list[Finding]:
        """Everything a person should look at; nothing is changed but noticed."""
        house = self._house
        seen = house.look()
        files = {path: house.ledger.read(path) or b"" for path in seen.files}
        found = [*seen.findings, *aliases(seen.files)]
        found += check_settings(house.ledger.repository.path)
        found += check_files(files, house.config)
        found += _check_reflection(files)
        found += house.ledger.log.verify(house.ledger.head)
        return sorted(self._viewer.findings(found, files.get))

    def expectations(self, question: str = "") -> tuple[Trial, ...]:
        """What must stay answerable, or one of it, with the rank it is found at now."""
        from reverie.reflection.trial import check_now  # noqa: PLC0415 - rarely used

        return check_now(self._house, self._recalling, question, self._person)

    def pending(self) -> list[Proposal]:
        """What waits for its human's yes, in the order it came."""
        self._house.look()
        found = load_pending(self._house.ledger.read).proposals
        return self._viewer.proposals(found)

    def windows(self) -> list[WindowView]:
        """Every conversation at a glance, the newest first."""
        from reverie.conversation.transcripts import views  # noqa: PLC0415 - who talks

        self._house.look()
        return views(self._house, self._person)

    def turns(self, window: str, *, last: int = 0, deleted: bool = False) -> list[Turn]:
        """What was said in a conversation, in order.

        Args:
            window: Which one.
            last: Only so many of the newest; 0 for all.
            deleted: Whether to give those that were deleted, too.
        """
        from reverie.conversation.transcripts import turns_of  # noqa: PLC0415 - who talks

        self._house.look()
        name = slug(window)
        if not self._viewer:
            return turns_of(self._house, name, last, deleted=deleted)
        found = turns_of(self._house, name, 0, deleted=deleted)
        seen = self._viewer.turns(found)
        return seen[-last:] if last else seen

    def instructions(self, agent: str = "") -> str:
        """What agents are told about this memory, as it would be written now.

        Args:
            agent: The sub-agent that it is for; the main agent without one.
        """
        from reverie.agents.instructing import instructions  # noqa: PLC0415 - rarely

        return instructions(self._house, agent)

    def instructed(self, path: str = "AGENTS.md") -> bool:
        """Whether a file has the instructions as they would be written now."""
        from reverie.agents.instructing import instructed  # noqa: PLC0415 - rarely used

        return instructed(self._house, path)

    def health(self) -> Health:
        """How the memory is: counts, budgets, what waits, the index, spending."""
        from reverie.conversation.quality import measure  # noqa: PLC0415 - rarely used
        from reverie.conversation.transcripts import reflections  # noqa: PLC0415
        from reverie.health.health import health  # noqa: PLC0415
        from reverie.model.health import Conversations  # noqa: PLC0415
        from reverie.session.zones import local_zone  # noqa: PLC0415

        house = self._house
        views = self.windows()
        mine = reflections(house, self._person)
        quality = measure(mine, house.index.resurrected())
        return health(
            house,
            self._viewer,
            self._recalling,
            self.overview(),
            self.spending(),
            zone=local_zone(self._variables),
            conversations=Conversations.of(views, quality),
        )

    def spent(self, day: date | None = None) -> Spent:
        """What thinking has cost on a day, in UTC; today by default."""
        from reverie.session.minding import (  # noqa: PLC0415 - not for who recalls
            purse_of,
        )

        house = self._house
        return purse_of(house).spent(day or house.clock().date())

    def spending(self, days: int = 30) -> Bill:
        """What thinking has cost, by day and by cause.

        Args:
            days: How many days up to today, in UTC.
        """
        from reverie.model.spent import Prices, bill  # noqa: PLC0415 - as in `spent`
        from reverie.session.minding import purse_of  # noqa: PLC0415 - likewise

        house, mind = self._house, self._house.config.mind
        today = house.clock().date()
        first = date.fromordinal(max(1, today.toordinal() - days + 1))
        prices = Prices.per_million(mind.price_input, mind.price_output, mind.currency)
        spent = purse_of(house).days(first, today)
        return bill(spent, first, today, mind.daily_tokens, prices)

    def alerts(self, *, everything: bool = False) -> list[Alert]:
        """Changes that the human has not acknowledged yet, with what they changed."""
        house = self._house
        house.look()
        found = house.alerts(everything=everything)
        if not any(_unseen_config(alert) for alert in found):
            # A copy, or another machine: nobody has agreed to it here.
            found += self._unacknowledged()
        known = {(alert.commit, alert.path) for alert in found}
        more = house.confirming.alerts() if house.confirming else []
        found += [a for a in more if (a.commit, a.path) not in known]
        return [
            # Of a change that touched what is for others, no line is told.
            replace(each, changed=changed_lines(house, each))
            if each.summary != CHANGED
            else each
            for each in self._viewer.alerts(found)
        ]

    def _unacknowledged(self) -> list[Alert]:
        """The configuration, where some of it does not act before a yes."""
        house = self._house
        if not house.waiting:
            return []
        said = f"not acknowledged here: {', '.join(map(str, house.waiting))}"
        facts = (house.ledger.head, layout.CONFIG, house.clock(), "unknown", said)
        return [Alert(*facts, kind="unacknowledged")]


def _unseen_config(alert: Alert) -> bool:
    return alert.path == layout.CONFIG and not alert.acknowledged


def _in_doubt(found: Recalled, doubts: Mapping[str, Doubt]) -> Recalled:
    """What is found, where an unknown hand's words are nobody's until confirmed."""
    if not doubts:
        return found
    hits = tuple(
        replace(hit, origin=Origin.TOOL, unconfirmed=True)
        if hit.path in doubts
        else hit
        for hit in found.hits
    )
    return replace(found, hits=hits)


def _check_reflection(files: Mapping[str, bytes]) -> list[Finding]:
    """What is wrong in the pages of reflection that people may type into."""
    from reverie.reflection.pending import findings  # noqa: PLC0415
    from reverie.stores.expectations import (  # noqa: PLC0415 - for who checks
        parse_expectations,
    )

    def text(path: str) -> str:
        return files.get(path, b"").decode("utf-8", "replace")

    page, listed = layout.PENDING_REFLECTION, layout.EXPECTATIONS
    return [
        *findings(text(page), page),
        *parse_expectations(text(listed), listed)[1],
    ]
