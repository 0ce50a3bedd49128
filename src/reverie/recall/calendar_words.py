"""The words that stand for a stretch of the calendar, and patterns that find them.

Patterns read text in small letters. None can run far: every gap and every number in
them is bounded, which keeps the time linear in the text.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from reverie.recall.periods import DAY, easter, thanksgiving

if TYPE_CHECKING:
    from collections.abc import Callable

MONTHS = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

# Month names that are nothing else; the others are verbs, adjectives or people.
ONLY_MONTHS = frozenset(
    ("january", "february", "july", "september", "october", "november", "december")
)
# These say a month or a day only with a capital letter, where nothing else does.
MONTHS_OR_VERBS = frozenset(("may", "march", "mar", "august"))
DAYS_OR_VERBS = frozenset(("mon", "wed", "sat", "sun"))

NUMBERS = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
COUNTS = {word: (number, number) for number, word in enumerate(NUMBERS, 1)} | {
    "a": (1, 1),
    "an": (1, 1),
    "couple": (2, 3),
    "few": (2, 5),
    "several": (3, 8),
}
STEPS = {
    "last": -1,
    "past": -1,
    "previous": -1,
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
    "upcoming": 1,
}
THIRDS = {
    "early": 0,
    "beginning": 0,
    "start": 0,
    "mid": 1,
    "middle": 1,
    "late": 2,
    "end": 2,
}
PLACES = {
    "first": 0,
    "1st": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "4th": 3,
    "last": -1,
}
# From which hour to which; a night goes on until the next morning.
HOURS = {
    "morning": (0, 12),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (18, 30),
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
HOLIDAYS: dict[str, Callable[[int], date]] = {
    "christmas": lambda year: date(year, 12, 25),
    "christmas day": lambda year: date(year, 12, 25),
    "christmas eve": lambda year: date(year, 12, 24),
    "boxing day": lambda year: date(year, 12, 26),
    "new years": lambda year: date(year, 1, 1),
    "new years day": lambda year: date(year, 1, 1),
    "new years eve": lambda year: date(year, 12, 31),
    "halloween": lambda year: date(year, 10, 31),
    "valentines": lambda year: date(year, 2, 14),
    "valentines day": lambda year: date(year, 2, 14),
    "thanksgiving": thanksgiving,
    "black friday": lambda year: thanksgiving(year) + DAY,
    "good friday": lambda year: easter(year) - 2 * DAY,
    "easter": easter,
    "easter sunday": easter,
    "easter monday": lambda year: easter(year) + DAY,
}


# --- pieces of patterns ------------------------------------------------------

GAP = r"\s{1,3}"
QUOTE = r"['\u2019]"
DASH = r"[-\u2013\u2014]"

NUMBER = rf"(?:[0-9]{{1,4}}|{'|'.join(NUMBERS)})"
COUNT = (
    rf"(?:(?P<least>{NUMBER})(?:{GAP}(?:or|to){GAP}|\s?{DASH}\s?))?"
    rf"(?P<count>{NUMBER}|(?:an?{GAP})?(?:couple(?:{GAP}of)?|few)|several|an?)\b"
)
UNIT = r"(?P<unit>minute|hour|day|week(?:end)?|month|quarter|year|decade)s?\b"
LONG_UNIT = r"(?P<unit>week(?:end)?|month|quarter|year|decade)\b"
WHICH = (
    rf"(?P<which>(?:this{GAP})?(?:past|last|coming)"
    r"|previous|this|current|next|upcoming)"
)

WEEKDAY = (
    r"(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?"
    r"|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\b"
)
# "Tuesday, 8 May": the date says more.
DAY_NAME = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?,?"
    rf"{GAP}(?:the{GAP})?)?"
)
MONTH_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?"
    r"|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    rf"|may(?!{GAP}(?:also|be|cause|contain|have|lead|need|not|seem|still|well)\b))\b"
)
MONTH = rf"(?P<month>{MONTH_NAME})"
DOT = rf"(?:\.(?={GAP}[0-9]))?"
SEASON_NAME = (
    rf"spring(?!{GAP}(?:boot|cloud|data|framework|mvc|security)\b)|summer|autumn|winter"
)
HOLIDAY = (
    rf"(?P<holiday>(?:christmas|xmas)(?:{GAP}(?:eve|day))?|boxing{GAP}day|halloween"
    rf"|new{GAP}year(?:{QUOTE}s|s?{QUOTE}?(?={GAP}(?:eve|day)\b))(?:{GAP}(?:eve|day))?"
    rf"|valentine{QUOTE}?s(?:{GAP}day)?|thanksgiving|(?:black|good){GAP}friday"
    rf"|easter(?:{GAP}(?:sun|mon)day)?)\b(?!{GAP}resolution)"
)

_COUNTED = (
    "bits|bytes|calls|characters|days|degrees|dollars|euros|files|gb|hours|items|kb|kg|"
    "kids|km|lines|mb|meters|metres|miles|minutes|months|ms|pages|people|percent|"
    "pixels|points|px|requests|rows|seconds|steps|tests|times|tokens|users|weeks|"
    "words|years"
)
# What must not stand around the digits of a date, so that no longer number, version,
# price or amount of anything is taken for one.
LEFT = r"(?<![\w.,$€£#+/])(?<![0-9][-:])"
RIGHT = rf"(?![\w%€£$]|-\w|[.,:/][0-9]|{GAP}(?:{_COUNTED})\b)"

YEAR_NUMBER = r"(?:19|20|21)[0-9]{2}"
YEAR = rf"(?P<year>{YEAR_NUMBER}){RIGHT}"
_RELATIVE_YEAR = rf",?{GAP}(?:of{GAP})?(?P<yearly>last|this|next){GAP}year\b"
OF_YEAR = rf"(?:,?{GAP}(?:of{GAP})?{YEAR}|{_RELATIVE_YEAR})"
# After a day "in" is safe as well; "they march in 2023" is no month.
DAY_OF_YEAR = rf"(?:(?:,?{GAP}(?:(?:of|in){GAP})?|[-,]){YEAR}|{_RELATIVE_YEAR})"

DAY_NUMBER = r"(?:3[01]|[12][0-9]|0?[1-9])"
MONTH_NUMBER = r"(?:1[0-2]|0?[1-9])"
NTH_DAY = rf"(?P<day>{DAY_NUMBER})(?P<nth>st|nd|rd|th)?"
LAST_DAY = rf"(?P<last>{DAY_NUMBER})(?:st|nd|rd|th)?"
TO = rf"(?:{GAP}(?:to|and|until|till|through){GAP}(?:the{GAP})?|\s?{DASH}\s?)"
CLOCK = (
    r"(?P<clock>(?:[01]?[0-9]|2[0-3]):[0-5][0-9])(?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
    r"(?P<zone>z|[+-][0-9]{2}:?[0-9]{2})?"
)
