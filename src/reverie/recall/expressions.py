"""The table of expressions of time: how each one looks, and what it means."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from reverie.recall import meanings
from reverie.recall.calendar_words import (
    CLOCK,
    COUNT,
    COUNTS,
    DAY_NAME,
    DAY_NUMBER,
    DAY_OF_YEAR,
    DOT,
    GAP,
    HOLIDAY,
    LAST_DAY,
    LEFT,
    LONG_UNIT,
    MONTH,
    MONTH_NAME,
    MONTH_NUMBER,
    NTH_DAY,
    OF_YEAR,
    QUOTE,
    RIGHT,
    SEASON_NAME,
    TO,
    UNIT,
    WEEKDAY,
    WHICH,
    YEAR,
    YEAR_NUMBER,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.recall.meanings import Asked, Match
    from reverie.recall.periods import Period

# An expression is tried where its first word stands; for a number that is one of
# these, the second where it is long enough for a year.
DIGITS = "0"
YEAR_DIGITS = "0000"

_COUNTS = f"{DIGITS} {YEAR_DIGITS} {' '.join(COUNTS)}"
_WHICH = "last past previous this current next coming upcoming"
WEEKDAY_WORDS = (
    "mon monday tue tues tuesday wed wednesday thu thur thurs thursday "
    "fri friday sat saturday sun sunday"
)
_MONTHS = (
    "jan january feb february mar march apr april may jun june jul july "
    "aug august sep sept september oct october nov november dec december"
)
_SEASONS = "spring summer autumn winter the"
_HOLIDAYS = "christmas xmas boxing new halloween valentine valentines thanksgiving"
_NOT_REGULAR = r"(?<!every\s)(?<!each\s)(?<!any\s)(?<!most\s)"
_OPENING = rf"(?:(?:between|from){GAP}(?:the{GAP})?)?"
_WAY = r"(?P<way>last|past|previous|next|coming)"
_NO_OF = rf"(?!{GAP}of\b)"


def _never(_: Match, __: Asked) -> bool:
    return False


class Expression(NamedTuple):
    """One way to name a stretch of time.

    Attributes:
        starts: The words that it may begin with.
        pattern: How it looks, in small letters.
        meaning: The stretch; `None`, or an error in value, where there is none.
        needs: The licence a preposition must give; empty where none is needed.
        sure: Whether it may do without that licence.
    """

    starts: str
    pattern: str
    meaning: Callable[[Match, Asked], Period | None]
    needs: str = ""
    sure: Callable[[Match, Asked], bool] = _never

    def match(self, low: str, at: int) -> Match | None:
        """Whether the expression stands at a place of a text."""
        return _compiled(self.pattern).match(low, at)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first of use: all of them would take tens of milliseconds."""
    return re.compile(pattern)


_TABLE = (
    Expression(
        "today yesterday tomorrow day",
        rf"(?:today|yesterday|tomorrow|day{GAP}(?:before{GAP}yesterday"
        rf"|after{GAP}tomorrow))\b",
        meanings.day_word,
    ),
    Expression(
        "tonight last this",
        rf"(?:tonight|(?:last|this){GAP}(?P<part>morning|afternoon|evening|night))\b",
        meanings.part_of_today,
    ),
    Expression(
        f"{WEEKDAY_WORDS} {_WHICH}",
        rf"{_NOT_REGULAR}(?:{WHICH}{GAP})?{WEEKDAY}"
        rf"(?:,?{GAP}(?:of{GAP})?(?P<weekly>last|this|next){GAP}week\b)?",
        meanings.weekday,
        "weekday",
        meanings.whole_weekday,
    ),
    Expression(
        "last this next",
        rf"(?P<weekly>last|this|next){GAP}week,?(?:{GAP}on)?{GAP}{WEEKDAY}",
        meanings.weekday,
    ),
    Expression(_WHICH, rf"{WHICH}{GAP}{LONG_UNIT}{_NO_OF}", meanings.chosen_unit),
    Expression(
        "week weekend month quarter year decade",
        rf"{LONG_UNIT}{GAP}(?P<side>before(?={GAP}last\b)|after(?={GAP}next\b))"
        rf"{GAP}(?:last|next)",
        meanings.unit_after_next,
    ),
    Expression("the", rf"the{GAP}{LONG_UNIT}{_NO_OF}", meanings.running_unit, "whole"),
    Expression("the", rf"the{GAP}weekend\b", meanings.running_weekend, "weekend"),
    Expression(
        "last past previous next coming",
        rf"{_WAY}{GAP}{COUNT}{GAP}{UNIT}{_NO_OF}",
        meanings.until_now,
    ),
    Expression(
        "the", rf"the{GAP}{_WAY}{GAP}{UNIT}{_NO_OF}", meanings.until_now, "stretch"
    ),
    Expression(
        _COUNTS,
        rf"{LEFT}{COUNT}{GAP}{UNIT}{GAP}(?P<way>ago|from{GAP}now)\b",
        meanings.ago,
    ),
    Expression(
        "a an",
        rf"an?{GAP}{UNIT}{GAP}or{GAP}(?:so|two){GAP}(?P<way>ago)\b",
        meanings.about_one_ago,
    ),
    Expression(
        "half", rf"half{GAP}an?{GAP}(?P<unit>hour|year){GAP}ago\b", meanings.half_ago
    ),
    Expression(
        _MONTHS,
        rf"{MONTH}(?:{DOT}{OF_YEAR})?",
        meanings.month,
        "month",
        meanings.sure_month,
    ),
    Expression(_WHICH, rf"{WHICH}{GAP}{MONTH}", meanings.chosen_month),
    Expression(
        "last this next",
        rf"(?P<yearly>last|this|next){GAP}year,?{GAP}in{GAP}{MONTH}",
        meanings.month,
    ),
    Expression(
        _SEASONS,
        rf"(?:the{GAP})?(?P<season>{SEASON_NAME})\b(?:{OF_YEAR})?",
        meanings.season,
        "season",
        meanings.has_year,
    ),
    Expression(
        "fall the",
        rf"(?:the{GAP})?(?P<season>fall)\b(?:{OF_YEAR})?",
        meanings.season,
        "fall",
        meanings.has_year_number,
    ),
    Expression(
        _WHICH, rf"{WHICH}{GAP}(?P<season>{SEASON_NAME}|fall)\b", meanings.season
    ),
    Expression(
        "q1 q2 q3 q4",
        rf"q(?P<quarter>[1-4])\b(?:{OF_YEAR})?",
        meanings.quarter,
        "year",
        meanings.has_year,
    ),
    Expression(
        f"{_HOLIDAYS} easter black good {_WHICH}",
        rf"(?:{WHICH}{GAP})?{HOLIDAY}(?:{DAY_OF_YEAR})?",
        meanings.holiday,
    ),
    Expression(
        f"{DIGITS} {WEEKDAY_WORDS}",
        rf"{DAY_NAME}{LEFT}{NTH_DAY}(?:{GAP}(?:of{GAP})?|-){MONTH}{DOT}(?:{DAY_OF_YEAR})?",
        meanings.day_of_month,
        "day",
        meanings.sure_day,
    ),
    Expression(
        f"{_MONTHS} {WEEKDAY_WORDS} {_WHICH}",
        rf"{DAY_NAME}(?:{WHICH}{GAP})?{MONTH}{DOT}(?:{GAP}(?:the{GAP})?|-){NTH_DAY}"
        rf"(?:{DAY_OF_YEAR}|{RIGHT})",
        meanings.day_of_month,
        "day",
        meanings.sure_day,
    ),
    Expression(
        f"{DIGITS} between from",
        rf"{_OPENING}{LEFT}{NTH_DAY}{TO}{LAST_DAY}{GAP}(?:of{GAP})?{MONTH}{DOT}"
        rf"(?:{DAY_OF_YEAR})?",
        meanings.day_of_month,
        "day",
        meanings.sure_day,
    ),
    Expression(
        f"{_MONTHS} between from",
        rf"{_OPENING}{MONTH}{DOT}{GAP}{NTH_DAY}{TO}{LAST_DAY}"
        rf"(?:{DAY_OF_YEAR}|{RIGHT}(?!{GAP}(?:of{GAP})?{MONTH_NAME}))",
        meanings.day_of_month,
        "day",
        meanings.sure_day,
    ),
    Expression(
        f"{YEAR_DIGITS} {WEEKDAY_WORDS}",
        rf"{DAY_NAME}(?<![\w.])(?<![0-9][-:/])(?P<year>{YEAR_NUMBER})(?P<sep>[-/])"
        rf"(?P<month>{MONTH_NUMBER})(?P=sep)(?P<day>{DAY_NUMBER})"
        rf"(?:(?:t|:|,?\s){CLOCK})?(?!\w|[-/.][0-9])",
        meanings.digits,
    ),
    Expression(
        f"{DIGITS} {WEEKDAY_WORDS}",
        rf"{DAY_NAME}{LEFT}(?<!version\s)(?P<day>{DAY_NUMBER})\."
        rf"(?P<month>{MONTH_NUMBER})\.{YEAR}",
        meanings.digits,
    ),
    Expression(
        f"{DIGITS} {WEEKDAY_WORDS}",
        rf"{DAY_NAME}{LEFT}(?P<month>{DAY_NUMBER})/(?P<day>{DAY_NUMBER})/{YEAR}",
        meanings.digits,
    ),
    Expression(
        YEAR_DIGITS,
        rf"{LEFT}(?P<year>{YEAR_NUMBER})\s?-\s?(?P<to>{YEAR_NUMBER}){RIGHT}",
        meanings.years,
        "year",
    ),
    Expression(
        YEAR_DIGITS,
        rf"{LEFT}(?P<year>{YEAR_NUMBER})-(?P<month>0[1-9]|1[0-2])(?![\w-])",
        meanings.year_and_month,
        "year",
    ),
    Expression(YEAR_DIGITS, rf"{LEFT}{YEAR}", meanings.years, "year"),
    Expression("year", rf"year{GAP}{YEAR}", meanings.years),
    Expression(
        YEAR_DIGITS, rf"{LEFT}(?P<full>(?:19|20|21)[0-9]0){QUOTE}?s\b", meanings.decade
    ),
    Expression(
        "the",
        rf"the{GAP}(?:(?P<part>early|mid|late)[\s-])?{QUOTE}?(?P<short>[0-9]0){QUOTE}?s\b",
        meanings.decade,
    ),
    Expression("now", r"now\b", meanings.moment, "now"),
)


def first_word(word: str) -> str:
    """What the table calls a word that stands in a text."""
    if not "0" <= word[0] <= "9":
        return word
    return YEAR_DIGITS if len(word) > 3 and word[:4].isdigit() else DIGITS


def _by_first_word() -> dict[str, tuple[Expression, ...]]:
    found: dict[str, list[Expression]] = {}
    for expression in _TABLE:
        for word in expression.starts.split():
            found.setdefault(word, []).append(expression)
    return {word: tuple(expressions) for word, expressions in found.items()}


EXPRESSIONS = _by_first_word()
