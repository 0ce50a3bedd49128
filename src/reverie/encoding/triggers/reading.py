"""What the rules look at, and what they find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.triggers.openings import RUN_ON, Request
from reverie.encoding.triggers.wording import Wording, one_of
from reverie.model.triggers import Target

if TYPE_CHECKING:
    import re

    from reverie.encoding.triggers.openings import Opening
    from reverie.encoding.triggers.sentences import Sentence
    from reverie.model.triggers import TriggerKind

_WINDOW = 600  # how much of a sentence is looked at

_TAG = Wording(
    r"[,.!\s]+"
    + one_of(
        "ok, okay, k, alright, please, got it, understood, deal, yeah, yes, clear",
        "is that clear, (?:will|would|can|could) you",
    )
    + r"\s*\?+[\s\"')]*\Z"
)
_NEXT_QUESTION = Wording(
    r"[,;]\s*(?:(?:and|but|so|then|now)\s+)?"
    + one_of(
        "what, what's, how, which, who, where, when, why, can, could, would, will",
        "should, do, does, did, is, are, am, any, may",
    )
    + r"\b"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A phrase where it stands.

    Attributes:
        text: The veiled message.
        family: Which phrase it is.
        start: Where it begins.
        end: Where it ends.
        sentence: The sentence around it.
        opening: The words before it that open an order; `None` where none do.
        last: Where what it says ends: before a question that follows in the same
            sentence, before "ok?".
        asks: Whether it is itself part of a question.
    """

    text: str
    family: str
    start: int
    end: int
    sentence: Sentence
    opening: Opening | None
    last: int
    asks: bool

    @property
    def said(self) -> str:
        """The words of the phrase."""
        return self.text[self.start : self.end]

    @property
    def request(self) -> Request:
        """How the assistant is asked."""
        return self.opening.request if self.opening else Request.NONE

    @property
    def general(self) -> bool:
        """Whether the words before it speak to a reader."""
        return self.opening is not None and self.opening.general

    def before(self, size: int) -> str:
        """The words before the phrase in its sentence; of many, only the last."""
        return self.text[max(self.sentence.start, self.start - size) : self.start]

    def match(self, pattern: Wording) -> re.Match[str] | None:
        """What a pattern finds right after the phrase."""
        return pattern.match(self.text, self.end, self.last)

    def search(self, pattern: Wording) -> re.Match[str] | None:
        """What a pattern finds after the phrase, not too far on."""
        return pattern.search(self.text, self.end, min(self.last, self.end + _WINDOW))

    def ordered(self, *never: Request) -> Opening | None:
        """The opening, where this is an order or a polite question.

        Args:
            never: Requests that make no order of such a phrase.
        """
        opened = self.opening
        if opened is None or opened.request in never or opened.join == RUN_ON:
            return None
        return opened if opened.asks or not self.asks else None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase was found to mean.

    Attributes:
        kind: What it asks for.
        phrase: The phrase it counts as.
        end: Where its wording ends.
        content: Where what it is about stands, before trimming; of a block, only
            its start counts.
        back: Whether it points at what was said before it; `content` is then empty.
        whole: Whether the content is a block that may hold anything, phrases too.
        target: What it is about.
        permanent: Whether nothing may be left.
    """

    kind: TriggerKind
    phrase: str
    end: int
    content: tuple[int, int]
    back: bool = False
    whole: bool = False
    target: Target = Target.MEMORY
    permanent: bool = False


def questioned(text: str, end: int, sentence: Sentence) -> tuple[int, bool]:
    """Where a phrase's own clause ends, and whether it asks.

    "Remember I am vegan, what can I eat?" asks, but not that; nor does "…, ok?".
    """
    last = sentence.end
    closing = text[max(end, last - 4) : last].rstrip("\"') \0")
    if not closing.endswith("?"):
        return last, False
    tag = _TAG.search(text, max(end, last - 30), last)
    if tag:
        return tag.start(), False
    start = end + 2  # "from now on, can you …" is itself the question
    following = _NEXT_QUESTION.search(text, start, min(last, start + _WINDOW))
    return (following.start(), False) if following else (last, True)
