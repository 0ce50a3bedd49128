"""The verbs.

    with Memory.init("agent") as memory:
        receipt = memory.remember("Chose the hybrid approach.", Episodic())
        print(memory.recall("which approach?").hits[0].text)
        memory.undo(receipt.commit)

`encoding` plans, `ledger` writes, `index` finds; here they are put together.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from reverie.config import render_config
from reverie.decay.curve import standing
from reverie.decay.scores import ScoreFile, render_scores
from reverie.encoding.pinning import AlwaysPinnedError
from reverie.encoding.remember import Desk, plan_remember
from reverie.errors import RefusedError, UnavailableError
from reverie.ledger import founding
from reverie.ledger.message import ACKNOWLEDGED
from reverie.memory.house import NoSuchMemoryError
from reverie.memory.pins import set_pin
from reverie.memory.reader import Reader
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
from reverie.model.views import RebuildReport
from reverie.stores.templates import starting_files
from reverie.workspace import layout

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from reverie.encoding.importing.found import Found
    from reverie.memory.taking_in import Imported
    from reverie.model.finding import Finding
    from reverie.model.place import Place
    from reverie.model.views import Alert, ErasureReceipt

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


class Memory(Reader):
    """An open workspace, to be asked and changed.

    Args:
        path: Its folder.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration come from.
    """

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

    def take_in(
        self,
        found: Iterable[Found | Finding],
        *,
        actor: Actor = MANUAL,
        progress: Callable[[int], None] = lambda _done: None,
    ) -> Imported:
        """File conversations and passages that come from elsewhere.

        What is there already stays as it is, so it may be done again, and goes on
        where it was cut off.

        Args:
            found: What to file; findings are passed on in the report.
            actor: Who acts.
            progress: Told how many memories are done, after each batch.
        """
        from reverie.memory.taking_in import take_in  # noqa: PLC0415 - see above

        _require_caller(actor)
        desk = lambda: self._desk(actor)  # noqa: E731 - planned anew for every batch
        return take_in(self._house, found, desk, actor, progress)

    def import_from(
        self,
        path: str | os.PathLike[str],
        *,
        kind: str | None = None,
        actor: Actor = MANUAL,
        progress: Callable[[int, int, int], None] = lambda _done, _all, _memories: None,
    ) -> Imported:
        """Bring in documents, notes or chats from a file, a folder or a zip.

        Args:
            path: What to read.
            kind: How to read it, where it does not tell by itself.
            actor: Who acts.
            progress: Told the bytes read, those to read, and the memories filed.
        """
        from reverie.memory.taking_in import (  # noqa: PLC0415 - only who imports pays
            read_all,
            take_in,
        )

        _require_caller(actor)
        reading = read_all(Path(path), kind, self.root)
        return take_in(
            self._house,
            reading.things(),
            lambda: self._desk(actor),
            actor,
            lambda count: progress(reading.done, reading.size, count),
        )

    def reinforce(self, ids: Iterable[str]) -> int:
        """Note that memories were of use, which keeps them vivid.

        Reading is no change: it is kept in the index, and written down with the
        next snapshot of the scores.

        Returns:
            How many have a score to keep; turns of conversations have none.
        """
        house = self._house
        house.sync()
        return house.reinforce([str(ItemId.parse(id_)) for id_ in ids])

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

    def embed(
        self, progress: Callable[[int, int], None] = lambda _done, _all: None
    ) -> int:
        """Give vectors to all memories that have none of the configured model."""
        self._house.sync()
        return self._recalling.embed(None, progress)

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
        """Do all that can wait: pack history, note what faded, make vectors."""
        self._house.tidy()
        with contextlib.suppress(UnavailableError):
            self._recalling.embed()
