"""What its human does with a memory: goes back, pins, erases, tidies."""

from __future__ import annotations

import contextlib
import time
from functools import cached_property
from typing import TYPE_CHECKING

from reverie.authority.acts import Act
from reverie.conversation.sittings import Sittings
from reverie.encoding.forgetting import lay_to_rest
from reverie.encoding.pinning import AlwaysPinnedError
from reverie.encoding.pins import set_pin
from reverie.encoding.wiping import require_anywhere, wipe_item, wipe_text
from reverie.errors import ConflictError, RefusedError, UnavailableError
from reverie.ledger.message import ACCEPTED, ACKNOWLEDGED
from reverie.ledger.watch import HISTORY, MOVED
from reverie.markdown import headline
from reverie.memory.learner import Learner
from reverie.model.arguments import require_kind
from reverie.model.change import (
    Action,
    Actor,
    Approval,
    ChangeSet,
    LogLine,
    Receipt,
)
from reverie.model.forgetting import Match
from reverie.model.ids import ItemId, Kind, Store
from reverie.model.purge import Purge
from reverie.model.views import RebuildReport
from reverie.session.owning import change_owner, remove_owner, set_owner
from reverie.session.session import NoSuchMemoryError
from reverie.session.viewer import OthersMemoriesError
from reverie.workspace import layout
from reverie.workspace.questions import QuestionBox

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from reverie.history.going_back import GoingBack
    from reverie.index.index import Located
    from reverie.model.origin import Origin
    from reverie.model.views import Alert, ErasureReceipt


class SaidElsewhereError(RefusedError):
    """A fact was to be erased whose words stand in other memories too."""

    def __init__(self, match: Match, others: list[str]) -> None:
        super().__init__(
            f"{match.text!r} stands in {', '.join(others[:3])} too",
            hint="`reverie erase --text` takes it out everywhere; to erase it from "
            f"{match.id} alone, forget it, or erase that memory.",
        )


class UnsealedError(UnavailableError):
    """Something was to be acknowledged where nothing can be sealed."""

    def __init__(self) -> None:
        super().__init__(
            "nothing can be acknowledged, because changes cannot be sealed here",
            hint="`reverie health` says why the key cannot be used.",
        )


class ChangedSinceShownError(ConflictError):
    """Something was changed while its human looked at what had been."""

    def __init__(self) -> None:
        super().__init__(
            "something was changed while you looked; nothing was acknowledged",
            hint="Look again: `reverie alerts`.",
        )


ACK = "reverie alerts --ack"


def _seen(alert: Alert) -> LogLine:
    """What history says of an alert that the human has seen."""
    said = f"{ACCEPTED}{alert.commit}" if alert.path == HISTORY else ACKNOWLEDGED
    if alert.kind == MOVED:
        said = f"accepted that history does not lead up to {alert.commit}"
    return LogLine(Action.ALERT, alert.path, said)


class Keeper(Learner):
    """An open workspace, to be asked, told and looked after."""

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
        house = self._house
        done = self._authority.within(
            Act.GO_BACK,
            f"undo {session or path or commit or 'the newest change'}",
            lambda who: house.persist(
                "undo", lambda: self._undo(commit, path, session, who)
            ),
            actor,
        )
        return self._viewer.receipt(done)

    @cached_property
    def _back(self) -> GoingBack:
        from reverie.history.going_back import GoingBack  # noqa: PLC0415 - rarely used

        return GoingBack(self._house, self._viewer)

    def _undo(self, commit: str, path: str, session: str, actor: Actor) -> Receipt:
        self._house.look()
        if path:
            return self._back.undo_file(path, commit, actor)
        if session:
            return self._back.undo_session(session, actor)
        return self._back.undo_change(commit, actor)

    def restore(self, at: datetime, *, actor: Actor | None = None) -> Receipt:
        """Make the whole workspace what it was at a moment, as a new change."""
        house = self._house
        house.look()
        done = self._authority.within(
            Act.GO_BACK,
            f"restore the workspace as of {at:%Y-%m-%d %H:%M}",
            lambda who: house.persist("restore", lambda: self._back.restore(at, who)),
            actor,
        )
        return self._viewer.receipt(done)

    def pin(self, item_id: str, *, actor: Actor | None = None) -> Receipt:
        """Keep a memory from fading."""
        self._viewer.require(item_id)
        with self._authority.signing(actor, f"pin {item_id}") as signed:
            return self._house.persist(
                "pin", lambda: set_pin(self._house, item_id, signed, pinned=True)
            )

    def unpin(self, item_id: str, *, actor: Actor | None = None) -> Receipt:
        """Let a pinned memory fade again; only a human may."""
        self._viewer.require(item_id)
        if ItemId.parse(item_id).kind is Kind.VAULT:
            raise AlwaysPinnedError(ItemId.parse(item_id))
        with self._authority.alone(Act.UNPIN, f"unpin {item_id}", actor) as signed:
            return self._house.persist(
                "unpin", lambda: set_pin(self._house, item_id, signed, pinned=False)
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
            memories=sum(self._viewer.counts().values()),
            edges=len(house.index.edges()),
            seconds=time.perf_counter() - started,
        )

    def erase(
        self,
        item_id: str = "",
        *,
        text: str = "",
        actor: Actor | None = None,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> ErasureReceipt:
        """Remove a memory, or a text wherever it stands, from history too.

        This cannot be undone. Only a human may.
        """
        require_kind("text", text, str)
        # Where nothing is there, nobody is asked for anything.
        self._require_erasable(item_id, text)
        what = f"erase {item_id or headline(text)}, from history too"
        with self._authority.alone(Act.ERASE, what, actor) as signed:
            return self._erase(item_id, text, signed, progress)

    def _require_erasable(self, item_id: str, text: str) -> None:
        self._house.look()
        if not text:
            self._viewer.require(item_id)
            self._found(item_id)
            return
        if self._viewer:
            # It is taken out wherever it stands.
            what = "erasing a text"
            raise OthersMemoriesError(what)
        require_anywhere(self._house, text)

    def _found(self, item_id: str) -> Located:
        found = self._house.find(str(ItemId.parse(item_id)))
        if found is None:
            raise NoSuchMemoryError(item_id)
        return found

    def _erase(
        self,
        item_id: str,
        text: str,
        actor: Actor,
        progress: Callable[[int, int], None],
    ) -> ErasureReceipt:
        self._house.look()
        # The host agent may have been asked about it, or a reflection have read it.
        QuestionBox(self._house.folder, self._house.clock).empty()
        from reverie.reflection.cycle import CycleStore  # noqa: PLC0415 - rarely used

        CycleStore(self._house).forget()
        # What an agent was told of it is kept for its session.
        Sittings(self._house).forget()
        if text:
            receipt = wipe_text(self._house, text, actor, progress)
            lay_to_rest(self._house, text)
            return receipt
        found = self._found(item_id)
        receipt = wipe_item(self._house, found, actor, progress)
        name = found.title if found.store is Store.SEMANTIC else ""
        lay_to_rest(self._house, found.text, name)
        return receipt

    def erase_match(
        self, match: Match, *, actor: Actor | None = None
    ) -> ErasureReceipt:
        """Remove for good what a wish to forget found; a fact, or the whole memory."""
        hint = "`memory.find_to_forget(words).matches` are such."
        require_kind("match", match, Match, hint=hint)
        if not match.fact:
            return self.erase(match.id, actor=actor)
        items = self._house.index.items()
        others = [i.id for i in items if i.id != match.id and match.text in i.text]
        if others:
            raise SaidElsewhereError(match, others)
        return self.erase(text=match.text, actor=actor)

    def purgeable(self, origin: Origin | str, *, source: str = "") -> Purge:
        """Find everything of one origin; nothing is taken out yet.

        Args:
            origin: Whose words: tool, import, sub-agent or agent.
            source: Only what was imported from here, such as `notes.md`.
        """
        from reverie.encoding.purging import find_purge  # noqa: PLC0415 - rarely used

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
        from reverie.encoding.purging import purge  # noqa: PLC0415 - rarely used

        hint = "`memory.purgeable(origin)` shows it."
        require_kind("shown", shown, Purge, hint=hint)
        what = f"purge everything of {shown.origin}"
        with self._authority.alone(Act.PURGE, what, actor) as who:
            return self._house.persist("purge", lambda: purge(self._house, shown, who))

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
            with house.ledger.exclusively("acknowledging"):
                if house.ledger.head != head:
                    raise ChangedSinceShownError
                self._acknowledge(waiting, signed, everything=not path)
            return waiting

    def _acknowledge(
        self, waiting: Sequence[Alert], actor: Actor, *, everything: bool
    ) -> None:
        house = self._house
        if not house.seal:
            raise UnsealedError
        # The last of a file stands for all of them; on history there are two, on
        # what is in it and on what is not.
        newest = {alert.path: alert for alert in waiting if alert.kind != MOVED}
        moved = [alert for alert in waiting if alert.kind == MOVED]
        seen = tuple(map(_seen, (*newest.values(), *moved)))
        doubted = house.doubts()
        house.commit(ChangeSet((), actor, Approval.NONE, ACK, seen))
        if moved:
            house.ledger.accept_moved()
        if moved or HISTORY in newest:
            # It may say of what was not believed that it is now.
            house.ledger.tell_again()
        if layout.CONFIG in newest:
            house.acknowledge_config()
        if house.confirming and everything:
            house.confirming.follow(house.ledger.head)
        if doubted != house.doubts():
            # What was kept in spite of the files goes by them now.
            house.rebuild_index()

    def unconfirmed(self) -> list[Alert]:
        """What waits for its human to acknowledge it.

        Edits by an unknown hand, where there is an owner; and the configuration, where
        some of it does not act before.
        """
        self._house.look()
        found = self._house.confirming.alerts() if self._house.confirming else []
        if not any(alert.path == layout.CONFIG for alert in found):
            found += self._unacknowledged()
        return self._viewer.alerts(found)

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
        return set_owner(self._house, self._owner, passphrase)

    def change_owner(self, passphrase: str | Callable[[], str]) -> Receipt:
        """Replace the owner's passphrase; the old one is asked for.

        Args:
            passphrase: The new one, or what asks for it once the old one was given.
        """
        return change_owner(self._house, self._owner, passphrase)

    def remove_owner(self) -> Receipt:
        """Ask for no passphrase any more; the old one is asked for."""
        return remove_owner(self._house, self._owner)

    def tidy(self) -> None:
        """Do all that can wait: file, pack history, note what faded, make vectors."""
        self._remembering.route_waiting()
        self._house.tidy()
        with contextlib.suppress(UnavailableError):
            self._recalling.embed()
