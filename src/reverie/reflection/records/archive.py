"""`reflections/YYYY-MM-DD.md`: all of one reflection, and the dialogue after it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.markdown import escape, newlines_like
from reverie.reflection.records.page import (
    body_of,
    clean,
    place_of,
    render_words,
    rendered,
    spaced,
    with_below,
)
from reverie.reflection.records.rewards import render_outcome
from reverie.stores.text import mended

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from reverie.model.reflection import Decision, Grant, TokenRequest


NOTES = "Post-Reflection Notes"
REWARD, DECISION = "Reward Outcome", "Decision"
SUMMARY, DIALOGUE = "Reflection Summary", "Dialogue"
EXTRACTED = "Extracted to Main Reflection"


class Notes(Struct, frozen=True):
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


def render_archive(told: str, notes: Notes) -> str:
    """All of a reflection: what its human was told, then the notes."""
    text = escape(mended(told))
    whole = add_notes(f"{text}\n" if text else "", notes)
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
    if not place_of(text, NOTES):
        start = spaced(text)
        text = start + newlines_like(start, f"---\n\n## {NOTES}\n")
    blocks = _blocks(notes)
    for place, (sub, lines) in enumerate(blocks.items(), start=1):
        if not (sub in {REWARD, DECISION} and body_of(text, NOTES, sub).strip()):
            later = tuple(blocks)[place:]
            text = _with_new(text, NOTES, lines, sub, later)
    return text


def _blocks(notes: Notes) -> dict[str, list[str]]:
    """The lines of each part of the notes, in the order of the parts."""
    reward: list[str] = []
    if notes.request and notes.grant:
        reward = render_outcome(notes.request, notes.grant)
    decided: list[str] = []
    if notes.decision:
        decided = [f"- Reflection: #{notes.number}"] if notes.number else []
        decided.append(f"- Choice: {notes.decision.choice}")
        decided += [f"- Reason: {words}" for words in rendered([notes.decision.reason])]
        decided += [f"- {words}" for words in rendered(notes.items)]
    return {
        "User Feedback": [
            *(f'- Validated: "{words}"' for words in rendered(notes.validated)),
            *(f'- Corrected: "{words}"' for words in rendered(notes.corrected)),
        ],
        "New Insights from Discussion": [
            f"- [Self-Awareness] {words}" for words in rendered(notes.insights)
        ],
        REWARD: reward,
        DECISION: decided,
    }


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
    text = _with_new(text, SUMMARY, rendered([summary]))
    for who, words in exchange:
        name = re.sub(r"[*:_`\[\]<>|#\\]", "", clean(who))[:40].strip() or "Somebody"
        # Bold letters could pose as another speaker.
        quiet = render_words(words).replace("**", r"\*\*")
        # Without a blank line two who speak would read as one.
        gap = "\n" if body_of(text, DIALOGUE).strip() else ""
        text = with_below(text, DIALOGUE, f"{gap}**{name}:** {quiet}\n")
    return _with_new(text, EXTRACTED, [f"- {words}" for words in rendered(extracted)])


def _with_new(
    text: str,
    section: str,
    lines: Iterable[str],
    sub: str = "",
    later: Sequence[str] = (),
) -> str:
    """A text with those lines in a section that it does not hold yet."""
    there = set(map(str.strip, body_of(text, section, sub).split("\n")))
    block = "".join(f"{line}\n" for line in lines if line not in there)
    return with_below(text, section, block, sub, later) if block else text
