"""`reflections/YYYY-MM-DD.md`: all of one reflection, and the dialogue after it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from reverie.markdown import escape, newlines_like, split_lines
from reverie.reflection.records.page import (
    clean,
    is_named,
    render_words,
    spaced,
    split_named,
    subs_of,
    with_below,
)
from reverie.reflection.records.rewards import render_outcome
from reverie.stores.text import mended

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence
    from datetime import date

    from reverie.model.reflection import Decision, Grant, TokenRequest


NOTES = "Post-Reflection Notes"
FEEDBACK = "User Feedback"
INSIGHTS = "New Insights from Discussion"
REWARD = "Reward Outcome"
DECISION = "Decision"
_SUBS = (FEEDBACK, INSIGHTS, REWARD, DECISION)


@dataclass(frozen=True, slots=True)
class Notes:
    """What is noted below a reflection.

    Attributes:
        number: Which reflection; 0 if that is not to be noted.
        validated: What its human said is true, quoted or summed up.
        corrected: What they said is otherwise.
        insights: What the agent noticed about itself in the discussion.
        request: The tokens it asked for; None where none were.
        grant: What it got.
        decision: What its human decided; None as long as they did not.
        items: What became of each change it proposed, one line each.
        milestone: What is special about it, such as `#25`; usually empty.
        essay: The longer text that a milestone asks for; usually empty.
    """

    number: int = 0
    validated: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    insights: tuple[str, ...] = ()
    request: TokenRequest | None = None
    grant: Grant | None = None
    decision: Decision | None = None
    items: tuple[str, ...] = ()
    milestone: str = ""
    essay: str = ""


def archive_name(day: date, taken: Container[str]) -> str:
    """A file name for a day that is not taken: the day, or the day and a number."""
    name = f"{day.isoformat()}.md"
    numbers = count(2)
    while name in taken:
        name = f"{day.isoformat()}-{next(numbers)}.md"
    return name


def render_archive(told: str, notes: Notes) -> str:
    """All of a reflection: what its human was told, then the notes."""
    text = escape(mended(told))
    start = f"{text}\n\n" if text else ""
    whole = add_notes(f"{start}---\n\n## {NOTES}\n", notes)
    essay = escape(mended(notes.essay))
    if not essay:
        return whole
    name = render_words(f"Milestone {notes.milestone}")
    return f"{spaced(whole)}## {name}\n\n{essay}\n"


def add_notes(text: str, notes: Notes) -> str:
    """A reflection with more notes; all the rest stays as it is.

    An essay is no note and is not added here. What is noted already is not noted
    twice; what was decided, and what was granted, stays as it was noted first.
    """
    if not any(is_named(part.heading, NOTES) for part in split_named(text, NOTES)):
        start = spaced(text)
        text = start + newlines_like(start, f"---\n\n## {NOTES}\n")
    for place, (sub, lines) in enumerate(_blocks(notes), start=1):
        there = {
            line.strip()
            for each in subs_of(text, NOTES, sub)
            for line in split_lines(each.body)
        }
        once = sub in {REWARD, DECISION} and any(there)
        fresh = [] if once else [line for line in lines if line not in there]
        if fresh:
            block = "".join(f"{line}\n" for line in fresh)
            text = with_below(text, NOTES, block, sub, _SUBS[place:])
    return text


def _blocks(notes: Notes) -> tuple[tuple[str, list[str]], ...]:
    """The lines of each part of the notes, in the order of the parts."""
    feedback = [f'- Validated: "{words}"' for words in _rendered(notes.validated)]
    feedback += [f'- Corrected: "{words}"' for words in _rendered(notes.corrected)]
    insights = [f"- [Self-Awareness] {words}" for words in _rendered(notes.insights)]
    reward: list[str] = []
    if notes.request and notes.grant:
        reward = render_outcome(notes.request, notes.grant).splitlines()
    decided: list[str] = []
    if notes.decision:
        decided = [f"- Reflection: #{notes.number}"] if notes.number else []
        decided.append(f"- Choice: {notes.decision.choice}")
        decided += [
            f"- Reason: {words}" for words in _rendered([notes.decision.reason])
        ]
        decided += [f"- {words}" for words in _rendered(notes.items)]
    return tuple(zip(_SUBS, (feedback, insights, reward, decided), strict=True))


def _rendered(texts: Iterable[str]) -> list[str]:
    return [words for words in map(render_words, texts) if words]


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
    said = []
    for who, words in exchange:
        name = re.sub(r"[*:_`\[\]<>|#\\]", "", clean(who))[:_SPEAKER].strip()
        # Bold letters could pose as another speaker.
        quiet = render_words(words).replace("**", r"\*\*")
        said.append(f"**{name or 'Somebody'}:** {quiet}\n")
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
