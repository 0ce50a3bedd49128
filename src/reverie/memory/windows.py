"""One running conversation: said, read, corrected (002).

    window = memory.window("trip to rome")
    window.say("Where do we stay?")
    window.say("In Trastevere, for three nights.", role=Role.ASSISTANT)

What is said is durable when `say` returns, and in Markdown and history soon after.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.conversation.idle import due
from reverie.conversation.record import (
    plan_delete,
    plan_edit,
    state_of,
    tail,
)
from reverie.encoding.gate.passing import pass_text
from reverie.encoding.gate.secrets import without_secrets
from reverie.encoding.text import mended, storable
from reverie.errors import RefusedError
from reverie.markdown import one_line
from reverie.memory.learner import require_caller, require_forgetter
from reverie.memory.sittings import Sitting
from reverie.memory.transcribing import Shelf
from reverie.memory.transcripts import turns_of
from reverie.model.change import MANUAL, Approval, ChangeSet, OnlyHumansError
from reverie.model.conversation import SCOPE, Utterance, WindowState
from reverie.model.ids import slug
from reverie.model.items import Role
from reverie.model.moments import in_utc
from reverie.model.remembered import Secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from reverie.memory.house import House
    from reverie.memory.minding import Minds
    from reverie.memory.sittings import Sittings
    from reverie.model.change import Actor, Edit, Receipt
    from reverie.model.items import Turn
    from reverie.model.recall import Recalled

OFTEN = 4_096
"""After so many turns of one process they are written down by who says the next.

Seldom, because that takes longer than saying them. Whoever asks, looks or closes
writes them down before.
"""

ENOUGH = 200
"""So many of the newest turns tell how far a conversation has come."""

IN_SIGHT = 40
"""So many turns are taken to be in the agent's sight where nobody said it."""


class NothingSaidError(RefusedError):
    """A turn without any words."""

    def __init__(self) -> None:
        super().__init__("nothing was said", hint="Give the words of the turn.")


class UnnamedWindowError(RefusedError):
    """A conversation without a name."""

    def __init__(self) -> None:
        super().__init__(
            "a conversation needs a name",
            hint="Use what your agent calls it, such as `trip-to-rome` or a chat's id.",
        )


class AlreadySoError(RefusedError):
    """A turn was to be changed into what it is."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is nothing to change: this turn of {name} is so already",
            hint=f"`reverie window show {name} --deleted` shows it.",
        )


def unheard(_window: str, _state: WindowState) -> None:
    """Nobody listens."""


@dataclass(slots=True)
class Talk:
    """What all conversations of an open workspace share.

    Attributes:
        house: The workspace's parts.
        minds: Who thinks.
        sittings: What agents were told in their sessions.
        recall: Finds what is written down and answers a question.
        before: Told that a user is about to be heard, and the state until then.
        heard: Told that a user was heard, and the state by then.
        said: How many turns this process has said.
    """

    house: House
    minds: Minds
    sittings: Sittings
    recall: Callable[..., Recalled]
    before: Callable[[str, WindowState], None] = unheard
    heard: Callable[[str, WindowState], None] = unheard
    said: int = 0


def window_name(text: str) -> str:
    """The name of a window's file, from whatever a host calls a conversation."""
    if not text.strip():
        raise UnnamedWindowError
    return slug(text)


class Record:
    """The record of one conversation.

    Args:
        talk: What all of them share.
        name: What it is called.
    """

    def __init__(self, talk: Talk, name: str) -> None:
        self._talk = talk
        self.name = window_name(name)

    @property
    def state(self) -> WindowState:
        """How far it has come."""
        known = self._talk.house.journal.state(self.name)
        return known if known is not None else self._counted()

    def say(
        self,
        text: str,
        *,
        role: Role = Role.USER,
        speaker: str = "",
        answers: int = 0,
        at: datetime | None = None,
        person: str = "",
    ) -> Turn:
        """Record what was said; it is durable when this returns.

        Secrets in it are redacted, and what Reverie itself put into a message is
        taken out.

        Args:
            text: The words.
            role: Who speaks.
            speaker: The name of who speaks, where there are several.
            answers: The number of the turn it answers, where several are open.
            at: When it was said; now by default.
            person: Whom it is for alone.

        Returns:
            The turn with its number. A question and its answer share one.
        """
        talk = self._talk
        more = ((SCOPE, _line(person)),) if person else ()
        moment = in_utc(at or talk.house.clock()).replace(microsecond=0)
        first = Utterance(role, "", moment, _line(speaker), more, answers)
        pieces = [replace(first, text=text) for text in self._pieces(text)]
        if role is Role.USER:
            talk.before(self.name, self.state)
        return self._append(pieces)[-1]

    def exchange(
        self, question: str, answer: str, *, person: str = ""
    ) -> tuple[Turn, Turn]:
        """Record a question and its answer together: both, or neither."""
        talk = self._talk
        more = ((SCOPE, _line(person)),) if person else ()
        now = in_utc(talk.house.clock()).replace(microsecond=0)
        asked = [Utterance(Role.USER, t, now, "", more) for t in self._pieces(question)]
        given = [
            Utterance(Role.ASSISTANT, t, now, "", more) for t in self._pieces(answer)
        ]
        talk.before(self.name, self.state)
        turns = self._append([*asked, *given])
        return turns[len(asked) - 1], turns[len(asked)]

    def _pieces(self, text: str) -> list[str]:
        """A text as it is kept; one that is too long for a turn makes several."""
        clean = mended(pass_text(text, Secrets.REDACT).text)
        if not clean:
            raise NothingSaidError
        most = self._talk.house.config.ledger.text_limit // 4
        return [clean[at : at + most] for at in range(0, len(clean), most)]

    def _append(self, said: Sequence[Utterance]) -> tuple[Turn, ...]:
        talk = self._talk
        turns = talk.house.journal.append(self.name, said, self._counted)
        talk.said += len(turns)
        if talk.heard is not unheard and said[0].role is Role.USER:
            talk.heard(self.name, self.state)
        if talk.said >= OFTEN:
            talk.said = 0
            talk.house.write_down(wait=False)
        return turns

    def _counted(self) -> WindowState:
        """The state as the record tells it, where the journal does not know."""
        return state_of(tail(self.name, Shelf(self._talk.house), ENOUGH))

    def turns(self, last: int = 0, *, deleted: bool = False) -> list[Turn]:
        """What was said, in order.

        Args:
            last: Only so many of the newest; 0 for all.
            deleted: Whether to give those that were deleted, too.
        """
        return turns_of(self._talk.house, self.name, last, deleted=deleted)

    def edit(
        self,
        number: int,
        text: str,
        *,
        role: Role = Role.ASSISTANT,
        actor: Actor = MANUAL,
    ) -> Receipt:
        """Correct a turn; history keeps what it said. Only a human may."""
        if not actor.human:
            raise OnlyHumansError(actor)
        house = self._talk.house
        new = storable(
            pass_text(text, Secrets.REDACT).text, house.config.ledger.text_limit
        )
        day = house.clock().date().isoformat()

        def plan() -> tuple[Edit, ...]:
            return plan_edit(self.name, number, role, new, Shelf(house), day=day)

        return self._change(plan, actor, f"edit turn {number}")

    def delete(
        self,
        number: int,
        *,
        role: Role | None = None,
        actor: Actor = MANUAL,
        reason: str = "",
    ) -> Receipt:
        """Let a turn never come back: with its pair, unless one side is named.

        The record keeps it, marked; its vectors are gone, and `undo` brings it back.
        """
        require_forgetter(actor)
        house = self._talk.house
        day = house.clock().date().isoformat()

        def plan() -> tuple[Edit, ...]:
            return plan_delete(self.name, number, Shelf(house), role=role, day=day)

        why = without_secrets(reason) or f"delete turn {number}"
        return self._change(plan, actor, why)

    def _change(
        self, plan: Callable[[], tuple[Edit, ...]], actor: Actor, trigger: str
    ) -> Receipt:
        require_caller(actor)
        house = self._talk.house

        def attempt() -> Receipt:
            house.look()
            house.write_down()
            edits = plan()
            if not edits:
                raise AlreadySoError(self.name)
            approval = Approval.NONE if actor.human else Approval.AUTO
            return house.commit(ChangeSet(edits, actor, approval, trigger))

        return house.persist(trigger, attempt)

    def due(self) -> bool:
        """Whether a context reflection is due."""
        house = self._talk.house
        sitting = self._talk.sittings.load(self.name)
        owed = sitting is not None and sitting.owed and self.state.since > 0
        return owed or due(self.state, house.clock(), house.config.conversation)

    def sitting(self, core: str) -> Sitting:
        """What the agent was told so far, or a session that begins now."""
        now = self._talk.house.clock()
        known = self._talk.sittings.load(self.name)
        if known is not None and known.begun:
            return known
        first = max(1, self.state.last - IN_SIGHT)
        fresh = Sitting(now, now, core, core, first=first)
        if known is None:
            return fresh
        return replace(fresh, owed=known.owed, claimed=known.claimed)


def _line(text: str) -> str:
    return mended(one_line(text))
