"""The times a question speaks of, counted from when it was asked.

`find_spans` reads "since last Tuesday" or "in early May 2023" by rules: a table of
expressions (`expressions.py`), cut smaller ("the end of"), moved ("the week before")
and joined ("between … and", "since") here. It reads the text of a memory as well,
counted from the moment it was said.
"""

from __future__ import annotations

import re
import string
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, NamedTuple

from reverie.recall.calendar_words import DASH, GAP
from reverie.recall.expressions import first_word
from reverie.recall.meanings import Asked, Found
from reverie.recall.periods import DAY, Period, midnight, on
from reverie.recall.stretches import (
    ANY,
    FIRST_WORDS,
    NO_LICENCE,
    Licence,
    stretch_at,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    _Reader = Callable[[Asked, int, Licence], Found | None]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time that a question speaks of.

    Attributes:
        start: Its first moment, in the asker's zone.
        end: The first moment after it, in the asker's zone.
        text: The words of the question it came from.
        at: Where they stand in the question.
    """

    start: datetime
    end: datetime
    text: str
    at: tuple[int, int]


class _Opener(NamedTuple):
    """A word before an expression: what it allows there, and what it makes of it."""

    pattern: re.Pattern[str]
    licence: Licence
    read: _Reader


def find_spans(question: str, now: datetime) -> tuple[Span, ...]:
    """The expressions of time in a text, in their order; the longest of rivals.

    Args:
        question: Any text.
        now: When it was asked or said; aware, in the asker's zone, whose midnights
            divide the days.
    """
    asked = Asked(question, question.translate(_SMALL), now, midnight(now))
    found: list[Span] = []
    settled = 0
    for word in _WORD.finditer(asked.low):
        if word.start() < settled or first_word(word[0]) not in _FIRST_WORDS:
            continue
        span = _span_at(asked, word.start())
        if span:
            alone = not found or found[-1].at[1] <= word.start()
            settled = span.at[1] if alone and _closed(asked, span.at[1]) else settled
            found.append(span)
    return _longest(found, len(question))


def _closed(asked: Asked, end: int) -> bool:
    """Whether nothing that begins before this end could reach beyond it."""
    following = _NEXT_WORD.match(asked.low, end)
    return not following or first_word(following[1]) not in _FURTHER_WORDS


def _span_at(asked: Asked, at: int) -> Span | None:
    rivals = (_in(asked, at, NO_LICENCE), _opened_at(asked, at))
    best = sorted((found for found in rivals if found), reverse=True)
    return next((span for found in best if (span := _span(asked, at, found))), None)


def _span(asked: Asked, at: int, found: Found) -> Span | None:
    start, end = found.period
    with suppress(ValueError, OverflowError):
        # The second test knows of midnights that a zone has left out.
        if start < end and start.astimezone(UTC) < end.astimezone(UTC):
            return Span(start, end, asked.question[at : found.end], (at, found.end))
    return None


def _longest(found: list[Span], size: int) -> tuple[Span, ...]:
    taken = bytearray(size)
    chosen: list[Span] = []
    for span in sorted(found, key=lambda span: (span.at[0] - span.at[1], span.at)):
        first, last = span.at
        if 1 not in taken[first:last]:
            taken[first:last] = b"\1" * (last - first)
            chosen.append(span)
    return tuple(sorted(chosen, key=lambda span: span.at))


# --- between, since, before --------------------------------------------------


def _opened_at(asked: Asked, at: int) -> Found | None:
    word = _WORD.match(asked.low, at)
    opener = _OPENERS.get(word[0]) if word else None
    words = opener.pattern.match(asked.low, at) if opener else None
    if not opener or not words:
        return None
    return opener.read(asked, words.end(), opener.licence)


def _in(asked: Asked, at: int, licence: Licence) -> Found | None:
    """`May`, `May to July`."""
    first = stretch_at(asked, at, licence)
    joint = _TO.match(asked.low, first.end) if first else None
    if not first or not joint:
        return first
    return _joined(asked, (at, joint.end()), first, licence) or first


def _between(asked: Asked, at: int, licence: Licence) -> Found | None:
    """`May and July`."""
    first = stretch_at(asked, at, licence)
    joint = _AND.match(asked.low, first.end) if first else None
    if not first or not joint:
        return None
    return _joined(asked, (at, joint.end()), first, licence)


def _joined(
    asked: Asked, places: tuple[int, int], first: Found, licence: Licence
) -> Found | None:
    """From the start of one to the end of the other.

    A first one that comes too late is counted from the second: `May to July 2023`.
    """
    last = stretch_at(asked, places[1], licence)
    if last and first.period.start >= last.period.end:
        start = last.period.start
        then = replace(asked, now=start, today=midnight(start))
        first = stretch_at(then, places[0], licence) or first
    if not last or first.period.start >= last.period.end:
        return None
    return Found(last.end, Period(first.period.start, last.period.end))


def _from(asked: Asked, at: int, licence: Licence) -> Found | None:
    found = _in(asked, at, licence)
    onwards = _ONWARDS.match(asked.low, found.end) if found else None
    if found and onwards:
        return Found(onwards.end(), Period(found.period.start, asked.now))
    return found


def _limited(
    limits: Callable[[Period, Asked], Period],
) -> _Reader:
    def read(asked: Asked, at: int, licence: Licence) -> Found | None:
        found = stretch_at(asked, at, licence)
        return Found(found.end, limits(found.period, asked)) if found else None

    return read


def _since(what: Period, asked: Asked) -> Period:
    return Period(what.start, asked.now)


def _up_to(what: Period, asked: Asked) -> Period:
    return Period(_beginning(asked), what.start)


def _until(what: Period, asked: Asked) -> Period:
    return Period(_beginning(asked), what.end)


def _after(what: Period, asked: Asked) -> Period:
    ahead = on(asked.today, date(9999, 12, 31))
    return Period(what.end, asked.now if what.end < asked.now else ahead)


def _before(asked: Asked, at: int, licence: Licence) -> Found | None:
    """Before `May`, but `before the end of May` is until then."""
    end = _END_OF.match(asked.low, at)
    if end:
        return _limited(_until)(asked, end.end(), licence | {"whole"})
    return _limited(_up_to)(asked, at, licence)


def _beginning(asked: Asked) -> datetime:
    """The first moment of year 1, or a day later where UTC has no such moment."""
    first = on(asked.today, date.min)
    try:
        first.astimezone(UTC)
    except OverflowError:
        return first + DAY
    return first


_SMALL = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_WORD = re.compile(r"\w+")
_NEXT_WORD = re.compile(r"\W{1,4}(\w+)")
_TO = re.compile(rf"{GAP}(?:to|until|till|through){GAP}|\s?[\u2013\u2014]\s?|\s-\s")
_AND = re.compile(rf"{GAP}(?:and|&|to){GAP}|\s?{DASH}\s?")
_END_OF = re.compile(rf"(?:the{GAP})?end{GAP}of{GAP}")
_ONWARDS = re.compile(rf"{GAP}(?:on|onwards?|forward)\b")

_LONG = frozenset(("month", "season", "fall", "day", "year", "stretch"))


def _opener(pattern: str, licence: Iterable[str], read: _Reader) -> _Opener:
    return _Opener(re.compile(pattern + GAP), frozenset(licence), read)


_OPENERS = {
    "in": _opener("in", _LONG, _in),
    "back": _opener(rf"back{GAP}in", _LONG, _in),
    "during": _opener("during", _LONG | {"weekend"}, _in),
    "throughout": _opener("throughout", _LONG | {"weekend"}, _in),
    "around": _opener("around", _LONG | {"weekday", "weekend"}, _in),
    "over": _opener("over", ("stretch", "weekend", "season"), _in),
    "within": _opener("within", ("stretch",), _in),
    "for": _opener("for", ("stretch", "year"), _in),
    "on": _opener("on", ("day", "weekday", "weekend"), _in),
    "at": _opener("at", ("weekend",), _in),
    "of": _opener(r"(?<![0-9]\s)of", ("day", "year"), _in),
    "from": _opener("from", ANY, _from),
    "between": _opener("between", ANY, _between),
    "since": _opener("since", ANY | {"fall"}, _limited(_since)),
    "ever": _opener(rf"ever{GAP}since", ANY | {"fall"}, _limited(_since)),
    "before": _opener("before", ANY, _before),
    "prior": _opener(rf"prior{GAP}to", ANY, _before),
    "after": _opener("after", ANY, _limited(_after)),
    "until": _opener("until", ANY, _limited(_until)),
    "till": _opener("till", ANY, _limited(_until)),
    "up": _opener(rf"up{GAP}(?:to|until|till)", ANY, _limited(_until)),
    "by": _opener("by", ("day", "weekday", "weekend", "year"), _limited(_until)),
}
_FIRST_WORDS = FIRST_WORDS.union(_OPENERS)
_FURTHER_WORDS = _FIRST_WORDS.union(
    ("to", "and", "or", "through", "following", "preceding", "ago", "onward"),
    ("onwards", "forward", "eve", "morning", "afternoon", "evening", "night"),
    (f"{unit}s" for unit in ("minute", "hour", "day", "week", "month", "year")),
    ("minute", "hour", "weekends", "quarters", "decades", "s"),
)
