"""One running conversation: said, read, corrected (002).

    window = memory.window("trip to rome")
    window.say("Where do we stay?")
    window.say("In Trastevere, for three nights.", role=Role.ASSISTANT)

What is said is durable when `say` returns, and in Markdown and history soon after.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reverie.authority.authority import Act
from reverie.conversation.idle import due
from reverie.conversation.session_notes import Sitting
from reverie.conversation.transcript import is_due, turns_of
from reverie.encoding.forget import require_forgetter
from reverie.encoding.gate import pass_text
from reverie.errors import RefusedError
from reverie.markdown import one_line
from reverie.model.change import Approval, ChangeSet, Secrets
from reverie.model.conversation import PART, Utterance, WindowState, role_of
from reverie.model.ids import slug
from reverie.model.items import Role, in_utc
from reverie.model.origin import SCOPE, scope_of
from reverie.secrets import find_secrets, without_secrets
from reverie.session.conversation_record import (
    Shelf,
    is_answered,
    plan_delete,
    plan_edit,
    state_of,
    tail,
)
from reverie.stores.text import mended, storable
from reverie.stores.turns import MissingTurnError
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.conversation.session_notes import Sittings
    from reverie.model.change import Actor, Edit, Receipt
    from reverie.model.items import Turn
    from reverie.model.recall import Recalled
    from reverie.session.mind_choice import Minds
    from reverie.session.session import House
    from reverie.session.viewer import Viewer

OFTEN = 4_096
"""After so many turns of one process they are written down by who says the next.

Seldom, because that takes longer than saying them. Whoever asks, looks or closes
writes them down before.
"""

ENOUGH = 200
"""So many of the newest turns tell how far a conversation has come."""

IN_SIGHT = 40
"""So many turns are taken to be in the agent's sight where nobody said it."""


_NEVER = datetime.min.replace(tzinfo=UTC)


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


class SecretWindowError(RefusedError):
    """A conversation was named after a secret."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"a conversation cannot be named after a secret ({kind})",
            hint="Its name is that of a file; take another one.",
        )


class AlreadySoError(RefusedError):
    """A turn was to be changed into what it is."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is nothing to change: this turn of {name} is so already",
            hint=f"`reverie window show {name} --deleted` shows it.",
        )


def unheard(_window: str, _state: WindowState | None = None) -> None:
    """Nobody listens."""


@dataclass(slots=True)
class Talk:
    """What all conversations of an open workspace share.

    Attributes:
        house: The workspace's parts.
        minds: Who thinks.
        sittings: What agents were told in their sessions.
        recall: Finds what is written down and answers a question.
        viewer: Whom the workspace is open for.
        before: Told that a user is about to be heard.
        heard: Told that a user was heard, and the state by then.
        said: How many turns this process has said.
        spoke: When it last heard the user of a window.
    """

    house: House
    minds: Minds
    sittings: Sittings
    recall: Callable[..., Recalled]
    viewer: Viewer
    before: Callable[[str], None] = unheard
    heard: Callable[[str, WindowState], None] = unheard
    said: int = 0
    spoke: dict[str, datetime] = field(default_factory=dict)


def window_name(text: str) -> str:
    """The name of a window's file, from whatever a host calls a conversation."""
    if not text.strip():
        raise UnnamedWindowError
    for secret in find_secrets(text):
        raise SecretWindowError(secret.kind)
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
            role: Who speaks; the name of a role will do, any other is refused.
            speaker: The name of who speaks, where there are several.
            answers: The number of the turn it answers, where several are open.
            at: When it was said; now by default.
            person: Whom it is for alone; an answer is for who asked, by default.

        Returns:
            The turn with its number. A question and its answer share one: of texts
            too long for a turn, the last piece of the one and the first of the other.
        """
        talk, role = self._talk, role_of(role)
        person = person if person.strip() else talk.viewer.person
        if role is Role.ASSISTANT and answers and not person.strip():
            person = self._asked_by(answers)
        more = scope_field(person)
        now = in_utc(talk.house.clock())
        # Nothing was said in a time to come: that clock is wrong, or its zone is.
        moment = min(in_utc(at or now), now).replace(microsecond=0)
        pieces = self._pieces(
            Utterance(role, text, moment, _line(speaker), more, answers)
        )
        if role is Role.USER:
            self._before()
        turns = self._append(pieces)
        return turns[0] if role is Role.ASSISTANT else turns[-1]

    def exchange(
        self, question: str, answer: str, *, person: str = ""
    ) -> tuple[Turn, Turn]:
        """Record a question and its answer together: both, or neither."""
        talk = self._talk
        more = scope_field(person if person.strip() else talk.viewer.person)
        now = in_utc(talk.house.clock()).replace(microsecond=0)
        asked = self._pieces(Utterance(Role.USER, question, now, "", more))
        given = self._pieces(Utterance(Role.ASSISTANT, answer, now, "", more))
        self._before()
        turns = self._append([*asked, *given])
        return turns[len(asked) - 1], turns[len(asked)]

    def _before(self) -> None:
        """Somebody comes back: what is due by then is not lost.

        It goes by the state alone, because this is waited for with every message; and
        who was heard here a moment ago was not away.
        """
        house, spoke = self._talk.house, self._talk.spoke
        now, config = house.clock(), house.config.conversation
        away = now - spoke.get(self.name, _NEVER)
        spoke[self.name] = now
        if timedelta() <= away < timedelta(minutes=config.idle_minutes):
            return
        state = house.journal.state(self.name)
        if state is None or due(state, now, config):
            self._talk.before(self.name)

    def _asked_by(self, number: int) -> str:
        """Whom a turn is for alone: so is what answers it. It was said before."""
        state = self.state
        if number >= state.last:
            return state.scope
        waiting = self._talk.house.journal.waiting(self.name)
        asked = [turn for turn in waiting if turn.number == number]
        if not asked:
            said = turns_of(self._talk.house, self.name, 0, deleted=True)
            asked = [turn for turn in said if turn.number == number]
        return next(filter(None, map(scope_of, asked)), "")

    def _pieces(self, said: Utterance) -> list[Utterance]:
        """What is said as it is kept; a text too long for a turn makes several."""
        clean = mended(pass_text(said.text, Secrets.REDACT).text)
        if not clean:
            raise NothingSaidError
        texts = cut(clean, self._talk.house.config.ledger.text_limit // 4)
        if len(texts) == 1:
            return [said if clean == said.text else replace(said, text=clean)]
        return [
            replace(said, text=text, more=(*said.more, (PART, f"{n}/{len(texts)}")))
            for n, text in enumerate(texts, 1)
        ]

    def _append(self, said: Sequence[Utterance]) -> tuple[Turn, ...]:
        talk = self._talk
        turns = talk.house.journal.append(
            self.name, said, self._counted, self._is_answered
        )
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

    def _is_answered(self, number: int) -> bool:
        return is_answered(self.name, number, Shelf(self._talk.house))

    def turns(self, last: int = 0, *, deleted: bool = False) -> list[Turn]:
        """What was said, in order.

        Args:
            last: Only so many of the newest; 0 for all.
            deleted: Whether to give those that were deleted, too.
        """
        house, viewer = self._talk.house, self._talk.viewer
        if not viewer:
            return turns_of(house, self.name, last, deleted=deleted)
        found = viewer.turns(turns_of(house, self.name, 0, deleted=deleted))
        return found[-last:] if last else found

    def edit(
        self,
        number: int,
        text: str,
        *,
        role: Role = Role.ASSISTANT,
        actor: Actor | None = None,
    ) -> Receipt:
        """Correct a turn; history keeps what it said. Only a human may."""
        house, role = self._talk.house, role_of(role)
        new = storable(
            pass_text(text, Secrets.REDACT).text, house.config.ledger.text_limit
        )
        day = house.clock().date().isoformat()

        def plan() -> tuple[Edit, ...]:
            self._require_seen(number, role)
            return plan_edit(self.name, number, role, new, Shelf(house), day=day)

        what = f"correct turn {number} of {self.name}"
        with house.authority.alone(Act.SIGN, what, actor) as signed:
            return self._change(plan, signed, f"edit turn {number}")

    def delete(
        self,
        number: int,
        *,
        role: Role | None = None,
        actor: Actor | None = None,
        reason: str = "",
    ) -> Receipt:
        """Let a turn never come back: with its pair, unless one side is named.

        The record keeps it, marked; its vectors are gone, and `undo` brings it back.
        """
        house, side = self._talk.house, role_of(role) if role else None
        require_forgetter(actor or house.authority.default())
        day = house.clock().date().isoformat()

        def plan() -> tuple[Edit, ...]:
            self._require_seen(number, side)
            return plan_delete(self.name, number, Shelf(house), role=side, day=day)

        why = without_secrets(reason) or f"delete turn {number}"
        what = f"delete turn {number} of {self.name}"
        with house.authority.signing(actor, what) as signed:
            return self._change(plan, signed, why)

    def _require_seen(self, number: int, role: Role | None) -> None:
        """Refuse to change a turn that is for another person, as if it were not there.

        Raises:
            MissingTurnError: It is not for who looks.
        """
        house, viewer = self._talk.house, self._talk.viewer
        if not viewer:
            return
        for turn in turns_of(house, self.name, 0, deleted=True):
            meant = turn.number == number and role in {None, turn.role}
            if meant and not viewer.sees(scope_of(turn)):
                where = house.place(layout.CONVERSATIONS, f"{self.name}.md")
                raise MissingTurnError(number, role, where)

    def _change(
        self, plan: Callable[[], tuple[Edit, ...]], actor: Actor, trigger: str
    ) -> Receipt:
        house = self._talk.house

        def attempt() -> Receipt:
            house.look()
            house.write_down()
            edits = plan()
            if not edits:
                raise AlreadySoError(self.name)
            approval = Approval.NONE if actor.human else Approval.AUTO
            return house.commit(ChangeSet(edits, actor, approval, trigger))

        # Whoever waits for it is told the purpose, and may not be told the reason.
        return house.persist("changing a turn", attempt)

    def due(self, person: str = "") -> bool:
        """Whether a context reflection is due, of what is for everybody or a person."""
        talk = self._talk
        person = talk.viewer.person or person
        sitting = talk.sittings.load(self.name)
        return is_due(talk.house, sitting, self.state, self._latest, person)

    def _latest(self) -> list[Turn]:
        """As many of the newest turns as tell what is due."""
        return self.turns(max(ENOUGH, 4 * self.state.since), deleted=True)

    def sitting(self, core: str) -> Sitting:
        """What the agent was told so far, or a session that begins now."""
        now = self._talk.house.clock()
        known = self._talk.sittings.load(self.name)
        if known is not None and known.begun:
            return known
        first = max(1, self.state.last - IN_SIGHT)
        return Sitting(now, now, core, core, first=first).after(known)


def _line(text: str) -> str:
    return text and mended(one_line(without_secrets(text)))


def scope_field(person: str) -> tuple[tuple[str, str], ...]:
    """The field of a heading that says whom a turn is for alone."""
    return ((SCOPE, _line(person)),) if person.strip() else ()


# --- a text that is too long for one turn --------------------------------------

_ENDS = (("\n\n",), ("\n",), (". ", "! ", "? ", "。"), (" ", "\t"))
"""Where to cut, the best first: behind a paragraph, a line, a sentence, a word."""


def cut(text: str, most: int) -> list[str]:
    """A text in pieces, none of them longer than so many characters, none empty.

    Only a word that is longer than half a piece may be cut in two.
    """
    pieces = []
    start = 0
    while start < len(text):
        end = _end(text, start, most) if len(text) - start > most else len(text)
        pieces.append(text[start:end].strip())
        start = end
    return [piece for piece in pieces if piece]


def _end(text: str, start: int, most: int) -> int:
    """Where a piece ends that begins somewhere; in its second half."""
    half, end = start + most // 2, start + most
    for marks in _ENDS:
        found = max(text.rfind(mark, half, end) + len(mark) for mark in marks)
        if found > half:
            return found
    return end
