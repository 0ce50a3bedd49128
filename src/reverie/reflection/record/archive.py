"""`reflections/YYYY-MM-DD.md`: all of one reflection, and what was said about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from reverie.markdown import escape, newlines_like, split_lines
from reverie.reflection.record.headings import spaced
from reverie.reflection.record.outline import is_named, split_named, subs_of, with_below
from reverie.reflection.record.rewards import render_outcome
from reverie.reflection.record.wording import render_words
from reverie.stores.text import mended

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from datetime import date

    from reverie.model.reflection import Decision, Grant, TokenRequest

NOTES = "Post-Reflection Notes"
FEEDBACK = "User Feedback"
INSIGHTS = "New Insights from Discussion"
REWARD = "Reward Outcome"
DECISION = "Decision"
_SUMMARY = re.compile(r"(?m)^\\(##? (?:Reflection Summary |[🧠🔗📦⚠✏🌱❓]).*|### .*)$")
"""A heading of the summary, escaped."""
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
    blocks = (feedback, insights, reward, _decided(notes))
    return tuple(zip(_SUBS, blocks, strict=True))


def _decided(notes: Notes) -> list[str]:
    decision = notes.decision
    if decision is None:
        return []
    lines = [f"- Reflection: #{notes.number}"] if notes.number else []
    lines.append(f"- Choice: {decision.choice}")
    reason = render_words(decision.reason)
    lines += [f"- Reason: {reason}"] if reason else []
    lines += [f"- {words}" for words in _rendered(notes.items)]
    return lines


def _rendered(texts: Iterable[str]) -> list[str]:
    return [words for words in map(render_words, texts) if words]
