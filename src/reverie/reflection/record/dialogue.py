"""What is said after a reflection (reflection v2, "Post-Reflection Dialogue")."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from reverie.markdown import split_lines
from reverie.reflection.record.outline import is_named, split_named, with_below
from reverie.reflection.record.wording import clean, render_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

SUMMARY = "Reflection Summary"
DIALOGUE = "Dialogue"
EXTRACTED = "Extracted to Main Reflection"
_SPEAKER = 40  # characters


class Feedback(StrEnum):
    """What a human's words do to what a reflection said."""

    VALIDATED = "validated"
    CORRECTED = "corrected"
    OTHER = "other"


def append_dialogue(
    text: str,
    day: date,
    summary: str,
    exchange: Sequence[tuple[str, str]],
    extracted: Iterable[str] = (),
) -> str:
    """The dialogue of a day with what was said last at its end.

    Args:
        text: The file as it is; empty for a new one.
        day: The day of the reflection.
        summary: What the reflection was about.
        exchange: Who said what, in order.
        extracted: What of it is noted in the main file.
    """
    if not text.strip():
        text = (
            f"# Post-Reflection Dialogue — {day.isoformat()}\n\n## {SUMMARY}\n\n"
            f"## {DIALOGUE}\n\n## {EXTRACTED}\n"
        )
    text = _with_new(text, SUMMARY, [render_words(summary)])
    said = [f"**{_speaker(who)}:** {_quiet(words)}\n" for who, words in exchange]
    if said:
        gap = "\n" if any(_lines(text, DIALOGUE)) else ""
        # Without a blank line two who speak would read as one.
        text = with_below(text, DIALOGUE, gap + "\n".join(said))
    return _with_new(text, EXTRACTED, [f"- {render_words(each)}" for each in extracted])


def _with_new(text: str, section: str, lines: Iterable[str]) -> str:
    """A text with those lines in a section that it does not hold yet."""
    there = set(_lines(text, section))
    fresh = [line for line in lines if line.strip("- ") and line not in there]
    block = "".join(f"{line}\n" for line in fresh)
    return with_below(text, section, block) if block else text


def _lines(text: str, section: str) -> list[str]:
    parts = split_named(text, section)
    inside = [part.body for part in parts if is_named(part.heading, section)]
    return [line.strip() for body in inside for line in split_lines(body)]


def _speaker(name: str) -> str:
    return re.sub(r"[*:_`\[\]<>|#\\]", "", clean(name))[:_SPEAKER].strip() or "Somebody"


def _quiet(words: str) -> str:
    """Words on one line that cannot pose as another speaker's."""
    return render_words(words).replace("**", r"\*\*")


# --- what feedback says ------------------------------------------------------

_LONGEST = 2000  # characters; what they say of a reflection, they say first
_QUESTION = re.compile(
    r"(?:what|why|how|when|where|who|which|do|does|did|are|is|was|were|can|could|"
    r"should|would|will|have|has)\b[^.!?]{0,300}\?"
)
_AGREES = re.compile(
    r"(?:actually,? |no,? |well,? |oh,? |hm+,? )?(?:"
    r"(?:yes|yeah|yep|yup|exactly|agreed|indeed|precisely|absolutely|definitely)\b"
    r"(?! (?:i|you|we) can\b)"
    r"|(?:correct|right|true)(?=[.,!;—]|$)"
    r"|i (?:totally |fully |completely )?agree\b"
    r"|(?:that'?s|that is|this is|it'?s|you'?re|you are|you were) "
    r"(?:so |very |exactly |absolutely |quite |all |spot )?"
    r"(?:right|true|correct|it|fair|on)\b"
    r"|(?:spot on|good catch|well (?:seen|spotted|observed)|fair point|good point)\b"
    r"|i(?:'ve| have)? (?:also )?(?:noticed|seen|felt|thought) "
    r"(?:that|this|it|the same)\b"
    r"|same here\b)"
)
_DIFFERS = re.compile(
    r"\b(?:you|it|that|this|they|he|she|we|i) "
    r"(?:weren'?t|wasn'?t|isn'?t|aren'?t|didn'?t|don'?t|doesn'?t|"
    r"were not|was not|is not|are not|did not|do not|does not|never)\b"
    r"|\b(?:you'?re|that'?s|it'?s|you are|that is|this is|it is) "
    r"(?:not|wrong|mistaken|incorrect|inaccurate|backwards)\b"
    r"|\b(?:not (?:quite|really|exactly|true|right|correct|at all)|"
    r"i disagree|quite the opposite|on the contrary|the other way (?:a)?round|"
    r"you (?:misread|misunderstood|got (?:it|that|this) wrong)|"
    r"(?:that|this|it) was (?:wrong|somebody else|someone else))\b"
)
_OBJECTS = re.compile(
    r"(?:actually|no|nope|nah|wrong|incorrect|correction|false)(?=[.,:;!—-]|$)"
)
_BUT = re.compile(r"\b(?:but|except|although|however)\b")


def classify_feedback(words: str) -> Feedback:
    """Whether words validate what a reflection said, correct it, or do neither.

    By plain rules for English: "Yes, I've noticed that too" validates, "Actually, you
    weren't defensive" corrects, and so does "Yes, but that was not the reason".
    """
    said = clean(words[:_LONGEST]).casefold().replace("\u2019", "'").lstrip("\"'“*_> ")
    if not said or _QUESTION.match(said):
        return Feedback.OTHER
    agrees = _AGREES.match(said)
    if agrees:
        turn = _BUT.search(said, agrees.end())
        objects = turn and _DIFFERS.search(said, turn.end())
        return Feedback.CORRECTED if objects else Feedback.VALIDATED
    if _OBJECTS.match(said) or _DIFFERS.search(said):
        return Feedback.CORRECTED
    return Feedback.OTHER
