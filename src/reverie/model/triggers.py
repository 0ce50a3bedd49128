"""What a person's words ask of memory (design, section 8.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class TriggerKind(StrEnum):
    """What is asked for.

    `DISMISS` is a shrug ("never mind"): it is seen, and touches no memory.
    `REFLECT_SOFT` is a farewell: a chance to ask whether to reflect. `SELF_IMAGE` asks
    for the picture the agent has of itself, not for a reflection.
    """

    REMEMBER = "remember"
    FORGET = "forget"
    DISMISS = "dismiss"
    REFLECT = "reflect-immediate"
    REFLECT_SOFT = "reflect-soft"
    SELF_IMAGE = "self-image"
    SEARCH = "search"


class Target(StrEnum):
    """What a trigger is about.

    `CONVERSATION` is what was just said, or "previous instructions": forgetting it
    never touches a memory.
    """

    MEMORY = "memory"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class Trigger:
    """Words of a message that ask something of memory.

    Attributes:
        kind: What they ask for.
        phrase: The words that ask, in small letters without accents, such as "don't
            forget"; `…` stands where what they are about is in their midst.
        start: Where the wording begins in the message.
        end: Where it ends.
        content: What is to be remembered, forgotten, found or reflected on: exactly
            `message[content_start:content_end]`, which has no phrase in it, no
            closing full stop and no "please". Empty where only "that" is named.
        content_start: Where the content begins; it may stand before the wording.
        content_end: Where it ends.
        target: What it is about.
        permanent: Whether it says in so many words that it is for ever: to keep in the
            vault, or to leave nothing of.
        own: Whether the content is the user's own sentence, and nothing that they
            quoted or may have pasted.
    """

    kind: TriggerKind
    phrase: str
    start: int
    end: int
    content: str
    content_start: int
    content_end: int
    target: Target = Target.MEMORY
    permanent: bool = False
    own: bool = True
