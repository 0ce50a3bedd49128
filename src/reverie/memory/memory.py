"""The verbs.

    with Memory.init("agent") as memory:
        receipt = memory.remember("Chose the hybrid approach.", Episodic())
        print(memory.recall("which approach?").hits[0].text)
        memory.undo(receipt.commit)

`encoding` plans, `ledger` writes, `index` finds; here they are put together.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from reverie.config import render_config
from reverie.decay.scores import ScoreFile, render_scores
from reverie.errors import RefusedError
from reverie.ledger import founding
from reverie.memory.host import Host
from reverie.memory.reader import now_in_utc
from reverie.model.change import (
    ABSENT,
    Actor,
    ChangeSet,
    Receipt,
)
from reverie.model.items import Role
from reverie.model.reflection import Expected, Occasion
from reverie.model.triggers import TriggerKind
from reverie.stores.templates import starting_files
from reverie.workspace import layout

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from reverie.authority.acts import Human
    from reverie.memory.hearing import Heard
    from reverie.minds.mind import Mind
    from reverie.reflection.operations.planning import Site
    from reverie.reflection.reflection import Reflection, Standing


_REFLECTING = frozenset({TriggerKind.REFLECT, TriggerKind.REFLECT_SOFT})


class Memory(Host):
    """An open workspace, to be asked and changed.

    Args:
        path: Its folder.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration, and keys, come from.
        person: Whom it is opened for; what is for another person alone is not there.
        mind: Who thinks, instead of whom the configuration names.
        human: The channel to its human; see `open`.
    """

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
        founding.prepare(Path(path).absolute())
        memory = cls(path, clock=clock, environ=environ, mind=mind, human=human)
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

    def again(self) -> Memory:
        """Another handle on the same workspace, for another thread."""
        return Memory(
            self.root,
            clock=self._house.clock,
            environ=self._variables,
            person=self._person,
            mind=self._minds.given,
            human=self._authority.human,
        )

    @cached_property
    def reflection(self) -> Reflection:
        """Reflection: check-in, tokens, thinking, and the human's decision."""
        from reverie.reflection.cycle import CycleStore, Study  # noqa: PLC0415 - for who reflects
        from reverie.reflection.reflection import Reflection  # noqa: PLC0415
        from reverie.session.zones import local_zone  # noqa: PLC0415

        house = self._house
        return Reflection(
            Study(
                house,
                CycleStore(house),
                self._minds,
                self._recalling,
                self._site,
                lambda: local_zone(self._variables),
            )
        )

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
        from reverie.reflection.trial import expect  # noqa: PLC0415 - rarely used

        expected = Expected(question, answer, scope=self._person)
        return expect(self._house, expected, actor, instead=replace)

    def unexpect(self, question: str, *, actor: Actor | None = None) -> Receipt:
        """Take a question off the list of what must stay answerable."""
        from reverie.reflection.trial import unexpect  # noqa: PLC0415 - rarely used

        return unexpect(self._house, question, actor, self._person)

    def hear(self, message: str, *, role: Role = Role.USER, person: str = "") -> Heard:
        """Do what a message of the user asks of memory; see `Learner.hear`.

        Words that ask for a reflection begin one; a farewell only asks whether to,
        and only if anything is new. A wish for a new self-image is left to
        `Reflection.self_image`, which thinks.
        """
        heard = super().hear(message, role=role, person=person)
        asks = {trigger.kind for trigger in heard.triggers}
        if TriggerKind.SELF_IMAGE in asks:
            how = "the picture is drawn by `reverie reflect self-image`"
            return replace(heard, refused=(*heard.refused, how))
        if not asks & _REFLECTING:
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

    def _reflection_news(self) -> str:
        """That a reflection waits for its human, or that one should be offered."""
        standing = self.reflection.status()
        if standing.state not in {"idle", "recorded", "deferred"}:
            return f"#{standing.number} is {standing.state}. {standing.hint}"
        occasion = self.reflection.offer()
        if occasion is None:
            return ""
        return f"One is due ({occasion}). Ask your human: `reverie reflect`."

    def _site(self) -> Site:
        from reverie.reflection.operations.planning import Site  # noqa: PLC0415

        index = self._house.index
        desk = self._desk(Actor("reflection:plan"))
        return Site(desk, index.find, index.trace, self._clerk.place_of)
