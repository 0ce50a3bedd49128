"""The verbs.

    with Memory.init("agent") as memory:
        receipt = memory.remember("Chose the hybrid approach.", Episodic())
        print(memory.show(receipt.ids[0]).text)
        memory.undo(receipt.commit)

`encoding` plans, `ledger` writes, `index` finds; here they are put together.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from reverie.config import Config, render_config
from reverie.decay.curve import standing
from reverie.decay.scores import ScoreFile, render_scores
from reverie.encoding.pinning import AlwaysPinnedError
from reverie.encoding.remember import Desk, plan_remember
from reverie.errors import RefusedError
from reverie.index.checks import check_files, core_budgets
from reverie.ledger import founding
from reverie.ledger.message import ACKNOWLEDGED
from reverie.memory.going_back import GoingBack
from reverie.memory.house import House, NoSuchMemoryError
from reverie.memory.pins import set_pin
from reverie.memory.wiping import wipe_item, wipe_text
from reverie.model.change import (
    ABSENT,
    MANUAL,
    REMEMBER,
    Action,
    Actor,
    Approval,
    ChangeSet,
    LogLine,
    OnlyHumansError,
    Receipt,
)
from reverie.model.ids import ItemId, Kind
from reverie.model.items import Source
from reverie.model.views import BlockUse, Overview, RebuildReport, Shown
from reverie.stores import core
from reverie.stores.reading import decode
from reverie.stores.templates import starting_files
from reverie.workspace import layout
from reverie.workspace.scan import aliases

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from reverie.index.index import Located
    from reverie.model.change import LogEntry
    from reverie.model.finding import Finding
    from reverie.model.ids import Store
    from reverie.model.place import Place
    from reverie.model.views import Alert, BlameLine, ErasureReceipt

_SOURCES = {
    "manual": Source.USER_EXPLICIT,
    "bot:trigger-remember": Source.USER_EXPLICIT,
}


class NotACallerError(RefusedError):
    """A change was to be signed with a name that is Reverie's own."""

    def __init__(self, actor: Actor) -> None:
        super().__init__(
            f"{actor} is Reverie itself, nobody else may sign so",
            hint="Use manual, bot:…, reflection:…, skill:… or subagent:….",
        )


def _require_caller(actor: Actor) -> None:
    if str(actor).startswith("system:"):
        raise NotACallerError(actor)


def _now() -> datetime:
    return datetime.now(UTC)


class Memory:
    """An open workspace.

    Args:
        path: Its folder.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration come from.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] = _now,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        variables = os.environ if environ is None else environ
        self._house = House(Path(path).absolute(), clock, variables)
        self._back = GoingBack(self._house)
        self.tidy_on_close = True

    @classmethod
    def init(
        cls,
        path: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] = _now,
        environ: Mapping[str, str] | None = None,
    ) -> Self:
        """Make a folder a workspace, or adopt what is in it; nothing is overwritten."""
        founding.prepare(Path(path).absolute())
        memory = cls(path, clock=clock, environ=environ)
        memory._begin()
        return memory

    def _begin(self) -> None:
        house, config = self._house, self._house.config
        starting = {
            layout.CONFIG: render_config(),
            **starting_files(),
            layout.SCORES: render_scores(ScoreFile(), house.clock(), config.decay),
        }
        with house.ledger.exclusively("reverie init"):
            limit = config.ledger.file_limit
            first = founding.plan_first(house.folder, starting, file_limit=limit)
            if not house.ledger.head:
                house.ledger.begin(first)
            house.look()
            missing = tuple(edit for edit in first.edits if edit.base == ABSENT)
            if house.ledger.head and missing:
                self._add_missing(replace(first, edits=missing))

    def _add_missing(self, change: ChangeSet) -> None:
        """Put back files that every workspace has and that somebody removed."""
        absent = tuple(
            edit for edit in change.edits if self._house.ledger.read(edit.path) is None
        )
        if absent:
            self._house.commit(replace(change, edits=absent, told=()))

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
        return (*self._house.warnings, *self._house.ledger.notes)

    def remember(
        self,
        text: str,
        place: Place,
        *,
        actor: Actor = REMEMBER,
        trigger: str = "remember",
    ) -> Receipt:
        """Store a text where the caller says.

        Args:
            text: What to remember.
            place: Which store, and what that store wants to know.
            actor: Who acts.
            trigger: What started it, in the user's words where there are any.

        Returns:
            Proof that it is durable, with the ids it has; without lines if all of
            it was known already.
        """
        _require_caller(actor)
        return self._house.persist(
            "remember", lambda: self._remember(text, place, actor, trigger)
        )

    def _remember(self, text: str, place: Place, actor: Actor, trigger: str) -> Receipt:
        house = self._house
        house.look_sometimes()
        house.sync()
        plan = plan_remember(text, place, self._desk(actor))
        while house.make_room(plan.edits):
            plan = plan_remember(text, place, self._desk(actor))
        if not plan.edits:
            return Receipt(house.ledger.head, house.clock(), (), actor, plan.ids)
        approval = Approval.NONE if actor.human else Approval.AUTO
        change = ChangeSet(plan.edits, actor, approval, trigger)
        return replace(house.commit(change), ids=plan.ids)

    def _desk(self, actor: Actor) -> Desk:
        house = self._house
        source = _SOURCES.get(str(actor), Source.CONVERSATION)
        source = Source.REFLECTION if actor.session else source
        return Desk(
            house.config,
            house.clock(),
            source,
            house.ledger.read,
            house.place,
            self._vividness,
        )

    def _vividness(self, id_: str) -> float:
        trace = self._house.index.trace(id_)
        decay, now = self._house.config.decay, self._house.clock()
        return standing(trace, now, decay)[0] if trace else 1.0

    def show(self, item_id: str) -> Shown:
        """One memory as it stands now."""
        self._house.look()
        found = self._house.index.find(str(ItemId.parse(item_id)))
        if found is None:
            raise NoSuchMemoryError(item_id)
        last = next(iter(self.history(path=found.path, limit=1)), None)
        shown = self._shown(found)
        if last is None:
            return shown
        return replace(shown, commit=last.commit, actor=str(last.actor))

    def items(self, store: Store | None = None, *, path: str = "") -> list[Shown]:
        """Every memory, those of one store, or those of one file, in order."""
        self._house.look()
        index = self._house.index
        found = index.in_file(path) if path else index.items(store)
        return [self._shown(located) for located in found]

    def _shown(self, found: Located) -> Shown:
        house = self._house
        trace = house.index.trace(found.id)
        if trace is None:
            raise NoSuchMemoryError(found.id)
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
            counts=house.index.counts(),
            core=tuple(
                BlockUse(block, tokens, budgets[block])
                for block, tokens in core.block_tokens(memory).items()
            ),
            core_tokens=core.total_tokens(memory),
            core_cap=house.config.core.cap_tokens,
            changes=house.ledger.repository.count(house.ledger.head),
            alerts=len(house.index.alerts()),
            warnings=self.warnings,
        )

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
        return self._back.history(path, actor, since, forgotten, limit)

    def diff(self, commit: str) -> str:
        """What one change did to the files, as a unified diff."""
        return self._back.diff(commit)

    def blame(self, path: str) -> list[BlameLine]:
        """Each line of a file, with the change it came with."""
        self._house.look()
        return self._back.blame(path)

    def undo(
        self,
        commit: str = "",
        *,
        path: str = "",
        session: str = "",
        actor: Actor = MANUAL,
    ) -> Receipt:
        """Take back one change, one file or one reflection session.

        Args:
            commit: The change; with `path`, the version to go back to. Without
                any argument the newest change that is not undone yet.
            path: Only this file, to what it was at `commit` or before its last change.
            session: All changes of one reflection, such as `r-012`.
            actor: Who acts.
        """
        _require_caller(actor)
        return self._house.persist(
            "undo", lambda: self._undo(commit, path, session, actor)
        )

    def _undo(self, commit: str, path: str, session: str, actor: Actor) -> Receipt:
        self._house.look()
        if path:
            return self._back.undo_file(path, commit, actor)
        if session:
            return self._back.undo_session(session, actor)
        return self._back.undo_change(commit, actor)

    def restore(self, at: datetime, *, actor: Actor = MANUAL) -> Receipt:
        """Make the whole workspace what it was at a moment, as a new change."""
        _require_caller(actor)
        self._house.look()
        return self._house.persist("restore", lambda: self._back.restore(at, actor))

    def pin(self, item_id: str, *, actor: Actor = MANUAL) -> Receipt:
        """Keep a memory from fading."""
        return self._house.persist(
            "pin", lambda: set_pin(self._house, item_id, actor, pinned=True)
        )

    def unpin(self, item_id: str, *, actor: Actor = MANUAL) -> Receipt:
        """Let a pinned memory fade again; only a human may."""
        if not actor.human:
            raise OnlyHumansError(actor)
        if ItemId.parse(item_id).kind is Kind.VAULT:
            raise AlwaysPinnedError(ItemId.parse(item_id))
        return self._house.persist(
            "unpin", lambda: set_pin(self._house, item_id, actor, pinned=False)
        )

    def check(self) -> list[Finding]:
        """Everything a person should look at; nothing is changed but noticed."""
        house = self._house
        seen = house.look()
        files = {path: house.ledger.read(path) or b"" for path in seen.files}
        found = [*seen.findings, *aliases(seen.files)]
        found += check_files(files, house.config)
        return sorted([*found, *house.ledger.log.verify(house.ledger.head)])

    def rebuild(
        self, progress: Callable[[int, int], None] | None = None
    ) -> RebuildReport:
        """Make index, audit log and graph index anew from files and history."""
        house, started = self._house, time.perf_counter()
        house.look()
        house.snapshot()
        house.rebuild_index(progress)
        house.ledger.tell_again()
        return RebuildReport(
            files=len(house.index.signatures()),
            memories=sum(house.index.counts().values()),
            edges=len(house.index.edges()),
            seconds=time.perf_counter() - started,
        )

    def erase(
        self,
        item_id: str = "",
        *,
        text: str = "",
        actor: Actor = MANUAL,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> ErasureReceipt:
        """Remove a memory, or a text wherever it stands, from history too.

        This cannot be undone. Only a human may.
        """
        if not actor.human:
            raise OnlyHumansError(actor)
        self._house.look()
        if text:
            return wipe_text(self._house, text, actor, progress)
        parsed = ItemId.parse(item_id)
        found = self._house.index.find(str(parsed))
        if found is None:
            raise NoSuchMemoryError(item_id)
        return wipe_item(self._house, found, actor, progress)

    def alerts(self, *, everything: bool = False) -> list[Alert]:
        """Changes to critical files that the human has not acknowledged yet."""
        self._house.look()
        return self._house.index.alerts(everything=everything)

    def acknowledge(self, path: str = "", *, actor: Actor = MANUAL) -> list[Alert]:
        """Note that the human has seen the alerts of one file, or all of them."""
        if not actor.human:
            raise OnlyHumansError(actor)
        waiting = [a for a in self.alerts() if not path or a.path == path]
        if waiting:
            seen = tuple(
                LogLine(Action.ALERT, name, ACKNOWLEDGED)
                for name in dict.fromkeys(alert.path for alert in waiting)
            )
            change = ChangeSet((), actor, Approval.NONE, "reverie alerts --ack", seen)
            self._house.commit(change)
        return waiting

    def tidy(self) -> None:
        """Pack history and refresh git's own index now."""
        self._house.tidy()
