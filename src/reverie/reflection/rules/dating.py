"""Facts that say when as one says it on that day, told so that they hold later.

"Yesterday" means nothing on a page. It becomes the day since when the fact holds, or
the fact is left out: what is so until Sunday does not last, and what is to come is not
yet so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.dates import find_spans
from reverie.encoding.routing.clauses import Tense, clause_of
from reverie.encoding.routing.reading import read

if TYPE_CHECKING:
    from datetime import date, datetime

    from reverie.dates import Span

NEAR = 15
"""Days; who says "last year" names no day."""

Dated = tuple[str, "date | None"]


def dated(words: str, at: datetime | None) -> Dated | None:
    """A fact without the words that said when, and since when; None if it passes.

    Args:
        words: What was said.
        at: When it was said.
    """
    if _UNTIL.search(words):
        return None
    bare = _NOW.sub("", words)
    found = find_spans(bare, at) if at and _RELATIVE.search(bare) else ()
    spans = [one for one in found if _is_relative(one)]
    if at and len(spans) == 1:
        return _counted(bare, spans[0], at)
    return None if spans or _TIED.search(bare) else (bare, None)


def _counted(words: str, span: Span, at: datetime) -> Dated | None:
    """A fact that says once when, counted from when it was said."""
    day = _DAY.fullmatch(span.text)
    if day and not _is_over(words, day):
        # "The meeting is on Monday" names no Monday.
        return words, None
    if span.start > at or _AHEAD.search(span.text):
        return None
    if (at - span.start).days <= NEAR:
        return _without(words, span), span.start.date()
    return _by_name(words, span)


def _is_relative(span: Span) -> bool:
    return _RELATIVE.search(span.text) is not None


def _is_over(words: str, day: re.Match[str]) -> bool:
    """Whether `on Monday` is the day something happened."""
    if day[1] in {"since", "last"}:
        return True
    sentences = read(words)
    clause = clause_of(sentences[0].words) if sentences else None
    return day[1] == "on" and clause is not None and clause.tense is Tense.OVER


def _by_name(words: str, span: Span) -> Dated | None:
    """`last month` and `last year` by their names."""
    since = "since" if span.text.lower().startswith("since ") else "in"
    if span.text.lower().endswith(" month"):
        name = f"{since} {span.start:%B} {span.start.year}"
    elif span.text.lower().endswith(" year"):
        name = f"{since} {span.start.year}"
    else:
        return None
    first, last = span.at
    return f"{words[:first]}{name}{words[last:]}", None


def _without(words: str, span: Span) -> str:
    first, last = span.at
    before, after = words[:first].rstrip(" ,"), words[last:].lstrip(" ,")
    gap = " " if before and after[:1].isalnum() else ""
    left = f"{before}{gap}{after}"
    return left[:1].upper() + left[1:]


_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WORDS = (
    r"yesterday|today|tonight|tomorrow|ago|(?:last|past|this|next|coming) (?:night"
    r"|morning|afternoon|evening|week|weekend|month|year|quarter|spring|summer|autumn"
    rf"|winter|{_WEEKDAY})"
)
_TIED = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)
_RELATIVE = re.compile(rf"\b(?:{_WORDS}|{_WEEKDAY})\b", re.IGNORECASE)
_DAY = re.compile(rf"(?:(on|since|last) )?{_WEEKDAY}", re.IGNORECASE)
_AHEAD = re.compile(r"\b(?:tomorrow|tonight|next|coming)\b", re.IGNORECASE)
_CLOCK = r"\d{1,2}(?::\d\d| ?[ap]m| o'clock)|noon|midnight|dusk|dawn|sunset|late"
_UNTIL = re.compile(rf"\b(?:until|till) (?!(?:{_CLOCK})\b)", re.IGNORECASE)
"""A shop may well be open until six, and a guest stays until Sunday."""
_NOW = re.compile(
    r"(?<!right)(?<!for)(?<!until)(?<!by)(?<!just) now(?= (?!and\b|that\b)|[.,!]|$)"
)
