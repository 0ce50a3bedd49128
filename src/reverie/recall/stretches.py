"""Expressions of time as they stand in a sentence: whole, cut, or beside another.

"May 2023", "early May 2023", "the last week of May", "two days before 5 May".
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.recall.calendar_words import (
    COUNT,
    COUNTS,
    GAP,
    PLACES,
    THIRDS,
    WEEKDAY,
    WEEKDAYS,
)
from reverie.recall.expressions import (
    DIGITS,
    EXPRESSIONS,
    WEEKDAY_WORDS,
    YEAR_DIGITS,
    first_word,
)
from reverie.recall.meanings import Found, counted, part_of, weekday_number
from reverie.recall.periods import (
    DAY,
    Period,
    holding,
    inside,
    is_day,
    midnight,
    moved,
    near,
    share,
    weekday_after,
    weekday_before,
    weekday_inside,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.recall.meanings import Asked

Licence = frozenset[str]

# What a preposition may allow: the expressions that need one say which.
NO_LICENCE: Licence = frozenset()
ANY: Licence = frozenset(
    ("month", "season", "day", "weekday", "weekend", "year", "now")
)
_OF_PARTS: Licence = frozenset(("month", "season", "fall", "year", "whole"))

_SATURDAY = WEEKDAYS.index("sat")
_TWO_WORDS = re.compile(r"(\w+)(?:\W{1,4}(\w+))?")
_THE = re.compile(rf"the{GAP}")
_PART_OF_DAY = re.compile(
    rf"{GAP}(?:in{GAP}the{GAP})?(?P<part>morning|afternoon|evening|night)\b"
)
_THIRD = re.compile(
    rf"(?:the{GAP})?(?:(?P<part>early|mid|late)(?:{GAP}(?:in{GAP})?|-)"
    rf"|(?P<edge>beginning|start|middle|end){GAP}of{GAP})"
)
_NTH = re.compile(
    rf"(?:the{GAP})?(?P<place>{'|'.join(PLACES)}){GAP}"
    rf"(?:(?P<unit>day|week(?:end)?|month|quarter|half)|{WEEKDAY}){GAP}(?:of|in){GAP}"
)
_BESIDE = re.compile(
    rf"(?:(?P<the>the){GAP})?(?:{COUNT}{GAP})?"
    rf"(?:(?P<unit>day|week(?:end)?|month|quarter|year)s?\b|{WEEKDAY}){GAP}"
    rf"(?P<side>before|after|following|preceding|prior{GAP}to|of){GAP}"
)


def stretch_at(asked: Asked, at: int, licence: Licence) -> Found | None:
    """The longest stretch of time that a place of the question names, if any."""
    words = _TWO_WORDS.match(asked.low, at)
    first = first_word(words[1]) if words else ""
    if not words or first not in FIRST_WORDS:
        return None
    if first in _ARTICLES and first_word(words[2] or " ") not in _AFTER_ARTICLES:
        return None
    found = _plain_at(asked, at, licence)
    for read in _READERS.get(first, ()):
        with suppress(ValueError, OverflowError):  # beyond the calendar's ends
            found = _longest(found, read(asked, at))
    return found


def _longest(*found: Found | None) -> Found | None:
    """The one that reaches furthest."""
    return max((one for one in found if one), default=None)


def _expression_at(asked: Asked, at: int, licence: Licence) -> Found | None:
    word = _TWO_WORDS.match(asked.low, at)
    best: Found | None = None
    for rule in EXPRESSIONS.get(first_word(word[1]), ()) if word else ():
        match = rule.match(asked.low, at)
        if match is None or (best and match.end() <= best.end):
            continue
        if rule.needs and rule.needs not in licence and not rule.sure(match, asked):
            continue
        with suppress(ValueError, OverflowError):  # 30 February
            period = rule.meaning(match, asked)
            best = Found(match.end(), period) if period else best
    return best


def _plain_at(asked: Asked, at: int, licence: Licence) -> Found | None:
    """An expression, after an article or not, and the part of its day."""
    found = _expression_at(asked, at, licence)
    the = _THE.match(asked.low, at)
    if the:
        found = _longest(found, _expression_at(asked, the.end(), NO_LICENCE))
    part = _PART_OF_DAY.match(asked.low, found.end) if found else None
    if not found or not part or not is_day(found.period):
        return found
    return Found(part.end(), part_of(found.period.start, part["part"]))


def _third_at(asked: Asked, at: int) -> Found | None:
    """`early May`, `the end of last year`."""
    part = _THIRD.match(asked.low, at)
    whole = _plain_at(asked, part.end(), _OF_PARTS) if part else None
    if not part or not whole:
        return None
    place = THIRDS[part["part"] or part["edge"]]
    return Found(whole.end, share(whole.period, place, 3))


def _nth_at(asked: Asked, at: int) -> Found | None:
    """`the first week of May`, `the last Friday in June`."""
    nth = _NTH.match(asked.low, at)
    whole = _plain_at(asked, nth.end(), _OF_PARTS) if nth else None
    if not nth or not whole:
        return None
    place = PLACES[nth["place"]]
    if nth["unit"]:
        period = inside(whole.period, nth["unit"], place)
    else:
        period = weekday_inside(whole.period, weekday_number(nth), place)
    return Found(whole.end, period) if period else None


def _beside_at(asked: Asked, at: int) -> Found | None:
    """`the week before Christmas`, `two days after 5 May`, `the week of 5 May`."""
    words = _BESIDE.match(asked.low, at)
    if not words or not (words["the"] or words["count"] or words["weekday"]):
        return None
    if words["side"] == "of" and (words["count"] or words["weekday"]):
        return None
    place = words.end()
    found = _longest(
        _plain_at(asked, place, ANY), _third_at(asked, place), _nth_at(asked, place)
    )
    return Found(found.end, _beside(words, found.period)) if found else None


def _beside(words: re.Match[str], what: Period) -> Period:
    if words["side"] == "of":
        return holding(midnight(what.start), words["unit"])
    before = words["side"] not in ("after", "following")
    edge, sign = (what.start, -1) if before else (what.end, 1)
    day = midnight(edge if before else edge - DAY)
    if words["weekday"] or words["unit"] == "weekend":
        number = weekday_number(words) if words["weekday"] else _SATURDAY
        first = (weekday_before if before else weekday_after)(day, number)
        return Period(first, first + (DAY if words["weekday"] else 2 * DAY))
    least, most = counted(words) if words["count"] else (1, 1)
    if words["the"]:
        ends = sorted((edge, moved(edge, words["unit"], sign * most)))
        return Period(ends[0], ends[1])
    ends = sorted(moved(day, words["unit"], sign * count) for count in (least, most))
    return near(ends[0], ends[1], words["unit"])


def _readers() -> dict[str, tuple[Callable[[Asked, int], Found | None], ...]]:
    """Which ways of cutting and moving a first word may begin."""
    beside = (*COUNTS, *WEEKDAY_WORDS.split(), YEAR_DIGITS)
    return {
        **dict.fromkeys(beside, (_beside_at,)),
        **dict.fromkeys(THIRDS, (_third_at,)),
        **dict.fromkeys(PLACES, (_nth_at,)),
        DIGITS: (_nth_at, _beside_at),
        "the": (_third_at, _nth_at, _beside_at),
    }


_READERS = _readers()
FIRST_WORDS = frozenset((*EXPRESSIONS, *_READERS))
_ARTICLES = frozenset(("the", "a", "an"))
_AFTER_ARTICLES = FIRST_WORDS | {"hour", "minute"}
