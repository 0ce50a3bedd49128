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
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from reverie.config import render_config
from reverie.decay.scores import ScoreFile, render_scores
from reverie.encoding.pinning import AlwaysPinnedError
from reverie.encoding.triggers.reflecting import SELF_IMAGE
from reverie.errors import RefusedError, UnavailableError
from reverie.ledger import founding
from reverie.ledger.message import ACKNOWLEDGED
from reverie.memory.forgetting import lay_to_rest
from reverie.memory.house import NoSuchMemoryError
from reverie.memory.learner import Learner, now_in_utc, require_caller
from reverie.memory.pins import set_pin
from reverie.memory.wiping import wipe_item, wipe_text
from reverie.model.change import (
    ABSENT,
    MANUAL,
    Action,
    Actor,
    Approval,
    ChangeSet,
    LogLine,
    OnlyHumansError,
    Receipt,
)
from reverie.model.ids import ItemId, Kind, Store
from reverie.model.items import Role
from reverie.model.reflection import Expected, Occasion
from reverie.model.triggers import TriggerKind
from reverie.model.views import RebuildReport
from reverie.stores.templates import starting_files
from reverie.workspace import layout
from reverie.workspace.questions import QuestionBox

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from reverie.memory.going_back import GoingBack
    from reverie.memory.hearing import Heard
    from reverie.memory.reflecting import Reflection
    from reverie.minds.mind import Mind
    from reverie.model.forgetting import Match
    from reverie.model.views import Alert, ErasureReceipt
    from reverie.reflection.operations.planning import Site
    from reverie.reflection.rules import Knowledge


_REFLECTING = frozenset({TriggerKind.REFLECT, TriggerKind.REFLECT_SOFT})


class SaidElsewhereError(RefusedError):
    """A fact was to be erased whose words stand in other memories too."""

    def __init__(self, match: Match, others: list[str]) -> None:
        super().__init__(
            f"{match.text!r} stands in {', '.join(others[:3])} too",
            hint="`reverie erase --text` takes it out everywhere; to erase it from "
            f"{match.id} alone, forget it, or erase that memory.",
        )


class Memory(Learner):
    """An open workspace, to be asked and changed.

    Args:
        path: Its folder.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration, and keys, come from.
        mind: Who thinks, instead of whom the configuration names.
    """

    @classmethod
    def init(
        cls,
        path: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        mind: Mind | None = None,
    ) -> Self:
        """Make a folder a workspace, or adopt what is in it; nothing is overwritten."""
        founding.prepare(Path(path).absolute())
        memory = cls(path, clock=clock, environ=environ, mind=mind)
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

    @cached_property
    def reflection(self) -> Reflection:
        """Reflection: check-in, tokens, thinking, and the human's decision."""
        from reverie.memory.dreaming import Dreamer  # noqa: PLC0415 - for who reflects
        from reverie.memory.reflecting import Reflection  # noqa: PLC0415
        from reverie.memory.sleeping import Sleep  # noqa: PLC0415
        from reverie.memory.zones import local_zone  # noqa: PLC0415

        house = self._house
        return Reflection(
            Dreamer(
                house,
                Sleep(house),
                self._minds,
                self._recalling,
                self._site,
                self._knowledge,
                lambda: local_zone(self._variables),
            )
        )

    def expect(
        self,
        question: str,
        answer: str,
        *,
        actor: Actor = MANUAL,
        replace: bool = False,
    ) -> Receipt:
        """Keep a question that must stay answerable, whatever a reflection does.

        Args:
            question: In plain words.
            answer: What has to be found for it.
            actor: Who acts.
            replace: Whether another answer to the same question makes room.
        """
        from reverie.memory.expecting import expect  # noqa: PLC0415 - rarely used

        expected = Expected(question, answer)
        return expect(self._house, expected, actor, instead=replace)

    def unexpect(self, question: str, *, actor: Actor = MANUAL) -> Receipt:
        """Take a question off the list of what must stay answerable."""
        from reverie.memory.expecting import unexpect  # noqa: PLC0415 - rarely used

        return unexpect(self._house, question, actor)

    def hear(self, message: str, *, role: Role = Role.USER) -> Heard:
        """Do what a message of the user asks of memory; see `Learner.hear`.

        Words that ask for a reflection begin one; a farewell only asks whether to,
        and only if anything is new. A wish for a new self-image is left to
        `Reflection.self_image`, which thinks.
        """
        heard = super().hear(message, role=role)
        asks = [t for t in heard.triggers if t.kind in _REFLECTING]
        if any(t.phrase == SELF_IMAGE for t in asks):
            how = "the picture is drawn by `reverie reflect self-image`"
            return replace(heard, refused=(*heard.refused, how))
        if not asks:
            return heard
        from reverie.reflection.checkin import occasion_of  # noqa: PLC0415 - rarely used

        occasion = occasion_of(heard.triggers)
        standing = self.reflection.status()
        quiet = not standing.waiting or standing.state == "deferred"
        if occasion is None or (occasion is Occasion.SOFT and quiet):
            return heard
        try:
            return replace(heard, reflection=self.reflection.begin(occasion))
        except RefusedError as error:
            told = f"{error}. {error.hint}".strip()
            return replace(heard, refused=(*heard.refused, told), reflection=standing)

    def _site(self) -> Site:
        from reverie.reflection.operations.planning import Site  # noqa: PLC0415

        index = self._house.index
        desk = self._desk(Actor("reflection:plan"))
        return Site(desk, index.find, index.trace, self._clerk.place_of)

    def _knowledge(self) -> Knowledge:
        from reverie.reflection.rules import Knowledge  # noqa: PLC0415

        house = self._house

        def page(name: str) -> str:
            path = house.place(layout.ENTITIES, f"{name}.md")
            return (house.ledger.read(path) or b"").decode("utf-8", "replace")

        return Knowledge(self._clerk.known(), house.config, page, house.clock())

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
        require_caller(actor)
        return self._house.persist(
            "undo", lambda: self._undo(commit, path, session, actor)
        )

    @cached_property
    def _back(self) -> GoingBack:
        from reverie.memory.going_back import GoingBack  # noqa: PLC0415 - rarely used

        return GoingBack(self._house)

    def _undo(self, commit: str, path: str, session: str, actor: Actor) -> Receipt:
        self._house.look()
        if path:
            return self._back.undo_file(path, commit, actor)
        if session:
            return self._back.undo_session(session, actor)
        return self._back.undo_change(commit, actor)

    def restore(self, at: datetime, *, actor: Actor = MANUAL) -> Receipt:
        """Make the whole workspace what it was at a moment, as a new change."""
        require_caller(actor)
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
        # The host agent may have been asked about it, or a reflection have read it.
        QuestionBox(self._house.folder, self._house.clock).empty()
        from reverie.memory.sleeping import Sleep  # noqa: PLC0415 - rarely used

        Sleep(self._house).forget()
        if text:
            receipt = wipe_text(self._house, text, actor, progress)
            lay_to_rest(self._house, text)
            return receipt
        parsed = ItemId.parse(item_id)
        found = self._house.index.find(str(parsed))
        if found is None:
            raise NoSuchMemoryError(item_id)
        receipt = wipe_item(self._house, found, actor, progress)
        name = found.title if found.store is Store.SEMANTIC else ""
        lay_to_rest(self._house, found.text, name)
        return receipt

    def erase_match(self, match: Match, *, actor: Actor = MANUAL) -> ErasureReceipt:
        """Remove for good what a wish to forget found; a fact, or the whole memory."""
        if not match.fact:
            return self.erase(match.id, actor=actor)
        items = self._house.index.items()
        others = [i.id for i in items if i.id != match.id and match.text in i.text]
        if others:
            raise SaidElsewhereError(match, others)
        return self.erase(text=match.text, actor=actor)

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
