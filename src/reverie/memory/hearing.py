"""Listening to a conversation: what its user asks of memory is done, or prepared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.triggers import detect
from reverie.errors import RefusedError, UnavailableError
from reverie.minds.host import HostMustAnswerError
from reverie.model.triggers import Target, TriggerKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.memory.standing import Standing
    from reverie.model.forgetting import Forgetting
    from reverie.model.remembered import Remembered
    from reverie.model.triggers import Trigger

__all__ = ["Heard", "detect", "hear"]


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of a message.

    Attributes:
        triggers: What it asks for, in order.
        remembered: What was stored.
        refused: What was not, and why.
        forgetting: What was found for each wish to forget, to be confirmed.
        questions: Ids of what the host agent has to answer first.
        reflection: Where reflection stands, if the message asks for one.
    """

    triggers: tuple[Trigger, ...]
    remembered: tuple[Remembered, ...] = ()
    refused: tuple[str, ...] = ()
    forgetting: tuple[Forgetting, ...] = ()
    questions: tuple[str, ...] = ()
    reflection: Standing | None = None


def hear(
    triggers: tuple[Trigger, ...],
    remember: Callable[[Trigger], Remembered],
    find: Callable[[Trigger], Forgetting],
) -> Heard:
    """Carry out what can be carried out; nothing is forgotten without a second yes.

    Args:
        triggers: What a message asks for.
        remember: Stores what a trigger is about.
        find: Looks for what is to be forgotten.
    """
    stored: list[Remembered] = []
    refused: list[str] = []
    found: list[Forgetting] = []
    asked: list[str] = []
    for trigger in triggers:
        if not trigger.content or trigger.target is not Target.MEMORY:
            continue
        try:
            if trigger.kind is TriggerKind.REMEMBER:
                stored.append(remember(trigger))
            elif trigger.kind is TriggerKind.FORGET:
                found.append(find(trigger))
        except HostMustAnswerError as error:
            asked.append(error.question_id)
        except (RefusedError, UnavailableError) as error:
            refused.append(f"{error}. {error.hint}".strip())
    return Heard(triggers, tuple(stored), tuple(refused), tuple(found), tuple(asked))
