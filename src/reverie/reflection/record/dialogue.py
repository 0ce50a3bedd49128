"""What is said after a reflection (reflection v2, "Post-Reflection Dialogue")."""

from __future__ import annotations

import re
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
