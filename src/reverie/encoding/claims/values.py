"""Values that a statement gives, and when two of them cannot both hold.

Careful on purpose: two values differ only where both are of a kind that can be compared
and are not the same thing written differently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.encoding.routing.gazetteer import COUNTRIES, PLACES
from reverie.encoding.routing.lexicon import DETERMINERS, PREPOSITIONS, words_in
from reverie.index.words import STOP_WORDS, stems
from reverie.index.words import words as split_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.encoding.routing.reading import Word

Key = tuple[float | str | None, ...]

_VERSION = "version"
"""The unit of a number with more than one point."""

LONGEST_TEXT = 5
"""So many words a value may have that is neither a number nor a date."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a statement says something is.

    Attributes:
        parts: For each kind of value found what it is: a day, a time, an amount.
        text: The stems of its words, where it is none of these.
        said: The value as written.
        shown: The same for people, with what limits it.
        rest: The stems of what limits it: `on weekends`, `for guests`.
        vague: Whether it is only roughly so.
        some: Whether it is one of several: `a flat`.
    """

    parts: Mapping[str, Key] = field(default_factory=dict)
    text: frozenset[str] = frozenset()
    said: str = ""
    shown: str = ""
    rest: frozenset[str] = frozenset()
    vague: bool = False
    some: bool = False


def differ(one: Value, other: Value, *, placed: bool = False) -> bool:
    """Whether two values of one thing cannot both hold.

    Args:
        one: A value.
        other: Another.
        placed: Whether they say where something is: a town lies in its country.
    """
    if one.vague or other.vague or one.rest != other.rest:
        return False
    shared = one.parts.keys() & other.parts.keys()
    if shared:
        return any(_apart(kind, one.parts[kind], other.parts[kind]) for kind in shared)
    if one.parts or other.parts or not (one.text and other.text):
        return False
    if one.some or other.some or _alike(one, other) or _of_other_sort(one, other):
        return False
    return not (placed and _of_other_size(one, other))


def same(one: Value, other: Value) -> bool:
    """Whether two values are the same thing."""
    if one.rest != other.rest or one.vague or other.vague:
        return False
    return one.parts == other.parts and _bare(one.said) == _bare(other.said)


def _apart(kind: str, one: Key, other: Key) -> bool:
    if kind == "amount" and _VERSION in (one[1], other[1]):
        # who says version 2 may mean 2.4.1
        told = zip(_numbers(one[0]), _numbers(other[0]), strict=False)
        return any(a != b for a, b in told)
    if kind == "amount":
        same_unit = one[1] == other[1] or not one[1] or not other[1]
        return same_unit and one[0] != other[0]
    if kind == "time":
        # "at 4" may be the morning or the afternoon
        sure = one[1] and other[1]
        return one[0] != other[0] if sure else _clock(one) != _clock(other)
    pairs = zip(one, other, strict=True)
    return any(a != b for a, b in pairs if a is not None and b is not None)


def _numbers(version: float | str | None) -> list[str]:
    told = f"{version:g}" if isinstance(version, float) else str(version)
    return told.split(".")


def _clock(key: Key) -> float:
    return float(key[0] or 0) % 720


def _alike(one: Value, other: Value) -> bool:
    """Whether one is the other, perhaps told in more words or written shorter."""
    if one.text <= other.text or other.text <= one.text:
        return True
    first, second = _bare(one.said), _bare(other.said)
    return (
        _ALIASES.get(first, first) == _ALIASES.get(second, second)
        or first.replace(" ", "") == second.replace(" ", "")
        or _initials(first) == second
        or _initials(second) == first
    )


def _of_other_sort(one: Value, other: Value) -> bool:
    """Whether only one of them has digits, or one is a name and the other no thing.

    A number is one thing, a word about it another; so are `Postgres` and `encrypted`.
    """
    digits = [any(map(str.isdigit, value.said)) for value in (one, other)]
    judged = [_JUDGED.match(value.said) is not None for value in (one, other)]
    stated = any(_is_state(a) and _is_name(b) for a, b in ((one, other), (other, one)))
    return digits[0] is not digits[1] or judged[0] is not judged[1] or stated


def _is_state(value: Value) -> bool:
    return _STATE.match(value.shown) is not None


def _is_name(value: Value) -> bool:
    return value.shown[:1].isupper()


def _of_other_size(one: Value, other: Value) -> bool:
    """Whether one is a country and the other a place that may lie in it."""
    first, second = _bare(one.said), _bare(other.said)
    for wide in (COUNTRIES, _REGIONS):
        if (first in wide) is not (second in wide):
            return True
    # a district of a town nobody listed is no contradiction to the town
    return (first in PLACES) is not (second in PLACES)


_STATE = re.compile(r"[a-z]+(?:ed|ing|able)\b")
_JUDGED = re.compile(
    r"[a-z]+[ai]ble\b|(?:popular|slow|fast|good|bad|fine|great|poor|important|clear"
    r"|unclear|unknown|wrong|correct|new|old|outdated|simple|complex|complicated"
    r"|nice|ugly|strange|missing|ready|late|tight|strict|generous|too|very|quite)\b"
)
"""What is thought of something, and not what it is."""

_REGIONS = words_in("""
    africa asia europe america scandinavia bavaria catalonia crete sicily tuscany
    provence normandy brittany tyrol saxony california texas florida alaska hawaii
    oregon nevada utah colorado arizona michigan ohio virginia ontario andalusia
    lombardy galicia flanders wallonia silesia
""")


def _initials(text: str) -> str:
    parts = text.split()
    return "".join(part[0] for part in parts) if len(parts) > 1 else ""


def _bare(text: str) -> str:
    """A value in small letters, without articles."""
    found = split_words(text)
    return " ".join(word for word in found if word not in {"the", "a", "an"})


_ALIASES = {
    "nyc": "new york city",
    "new york": "new york city",
    "la": "los angeles",
    "sf": "san francisco",
    "uk": "united kingdom",
    "us": "united states",
    "usa": "united states",
    "grey": "gray",
    "js": "javascript",
    "ts": "typescript",
    "postgresql": "postgres",
    "k8s": "kubernetes",
}


# --- reading -----------------------------------------------------------------


def parse_value(words: Sequence[Word]) -> Value | None:
    """The value that words give; None where they give none that can be compared."""
    if not words:
        return None
    said = _upto_stop(words)
    low = " ".join(word.low for word in said)
    vague = _VAGUE.search(low) is not None
    parts, left = _parts(low)
    if parts:
        limits = (w for w in split_words(left) if w not in STOP_WORDS)
        rest = frozenset(stems(w for w in limits if w not in _FILL and w != "old"))
        return Value(parts, said=low, shown=_shown(said), rest=rest, vague=vague)
    return _text_value(said, vague=vague)


def _upto_stop(words: Sequence[Word]) -> Sequence[Word]:
    for number, word in enumerate(words):
        if word.stop and not (word.stop == "," and number + 1 < len(words)):
            return words[: number + 1]
        if word.stop == "," and not _YEAR.fullmatch(words[number + 1].low):
            return words[: number + 1]
    return words


def _parts(low: str) -> tuple[dict[str, Key], str]:
    """Days, times and amounts in a text, and what else is there."""
    parts: dict[str, Key] = {}
    left = low
    for kind, pattern, read in _KINDS:
        found = pattern.search(left)
        key = read(found) if found else None
        if found and key is not None:
            parts[kind] = key
            left = f"{left[: found.start()]} {left[found.end() :]}"
    more = _NUMBERS.search(left)
    return (parts, left) if parts and not more else ({}, low)


def _text_value(words: Sequence[Word], *, vague: bool) -> Value | None:
    core: list[Word] = []
    rest: list[str] = []
    for word in words:
        if word.low in _ENDS or (core and word.low in PREPOSITIONS):
            rest = [w.low for w in words[len(core) :]]
            break
        core.append(word)
    telling = [w for w in core if w.low not in DETERMINERS and w.low not in _FILL]
    text = frozenset(stems(p for w in telling for p in split_words(w.text)))
    if not text or len(telling) > LONGEST_TEXT or _PRONOUNS & text:
        return None
    some = core[0].low in {"a", "an", "some", "any", "several", "many"}
    limits = stems(p for w in rest for p in split_words(w) if p not in STOP_WORDS)
    said = " ".join(word.low for word in core if word.low not in _FILL)
    left = frozenset(limits) - _LIMITLESS
    return Value({}, text, said, _shown(words), left, vague, some)


def _shown(words: Sequence[Word]) -> str:
    kept = [word.text for word in words if word.low not in _FILL]
    return " ".join(kept)


_FILL = words_in(
    "now currently today anymore instead again sharp already finally still"
)
_LIMITLESS = frozenset(stems(_FILL))
_ENDS = words_in("""
    and or but because when if while which who that instead since although though so
    not rather unless until
""") - {"and", "or"}
_PRONOUNS = frozenset(("it", "he", "she", "they", "this", "that", "them", "him", "her"))
_VAGUE = re.compile(
    r"\b(?:about|around|roughly|approximately|approx|nearly|almost|over|under|at least"
    r"|at most|up to|more than|less than|fewer than|some|several|maybe|probably|between"
    r"|early|late|mid|or so|ish|either)\b|~"
)
_NUMBERS = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_OF_YEAR = r"(?:,? (?:of )?(?P<year>(?:19|20)\d\d)\b)?"
_DATE = re.compile(
    r"\b(?P<iso>\d{4}-\d\d-\d\d)\b"
    rf"|\b(?:the )?{_DAY} (?:of )?{_MONTH}{_OF_YEAR}"
    rf"|\b{_MONTH.replace('month', 'first')}(?: (?:the )?{_DAY.replace('day', 'nth')})?"
    rf"{_OF_YEAR.replace('year', 'last')}"
    r"|\bthe (?P<only>[0-3]?\d)(?:st|nd|rd|th)\b"
    r"|^(?:in )?(?P<alone>(?:19|20)\d\d)$"
)
_WEEKDAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)day\b")
_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen twenty"
)
_NUMBER_WORDS = {word: float(n) for n, word in enumerate(_WORDS.split())}
_HOURS = "|".join(list(_NUMBER_WORDS)[1:13])
_TIME = re.compile(
    r"\b(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d))? ?(?P<half>am|pm|a\.m|p\.m)\b"
    r"|\b(?P<full>[01]?\d|2[0-3]):(?P<past>[0-5]\d)\b|\b(?P<word>noon|midnight)\b"
    rf"|\bat (?P<bare>[01]?\d|2[0-3]|{_HOURS})(?= o'clock|$)"
)
_UNIT = r"[a-z%\u00b0\u20ac\u00a3]+(?: (?:per|a) [a-z]+|/[a-z]+)?"
_AMOUNT = re.compile(
    r"(?P<money>[$\u20ac\u00a3]) ?(?P<sum>\d[\d,]*(?:\.\d+)?)(?P<big>k|m)?\b"
    r"|(?<![\w.,/-])v?(?P<number>\d[\d,]*(?:\.\d+)*)(?P<thousand>k|m)?"
    rf"(?![\w-]*\d)(?: ?(?P<unit>{_UNIT}))?"
    rf"|\b(?P<spelt>{'|'.join(_NUMBER_WORDS)})\b(?: (?P<what>{_UNIT}))?"
)
_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1.0, "s")),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), (60.0, "s")),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (3600.0, "s")),
    **dict.fromkeys(("day", "days"), (86400.0, "s")),
    **dict.fromkeys(("week", "weeks"), (604800.0, "s")),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), (0.001, "s")),
    **dict.fromkeys(("mm", "millimetres", "millimeters"), (0.001, "m")),
    **dict.fromkeys(("cm", "centimetres", "centimeters"), (0.01, "m")),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), (1.0, "m")),
    **dict.fromkeys(("km", "kilometres", "kilometers"), (1000.0, "m")),
    **dict.fromkeys(("g", "gram", "grams"), (0.001, "kg")),
    **dict.fromkeys(("kg", "kilo", "kilos", "kilograms"), (1.0, "kg")),
    **dict.fromkeys(("kb",), (1e3, "b")),
    **dict.fromkeys(("mb",), (1e6, "b")),
    **dict.fromkeys(("gb",), (1e9, "b")),
    **dict.fromkeys(("tb",), (1e12, "b")),
    **dict.fromkeys(("%", "percent"), (1.0, "%")),
    **dict.fromkeys(("euro", "euros", "eur", "\u20ac"), (1.0, "\u20ac")),
    **dict.fromkeys(("dollar", "dollars", "usd"), (1.0, "$")),
    **dict.fromkeys(("pound", "pounds", "gbp", "\u00a3"), (1.0, "\u00a3")),
    **dict.fromkeys(("year", "years"), (1.0, "year")),
    **dict.fromkeys(("month", "months"), (1.0, "month")),
    **dict.fromkeys(("rps", "requests per second", "requests/s"), (1.0, "rps")),
}
_GREAT = {None: 1.0, "k": 1e3, "m": 1e6}


def _read_date(found: re.Match[str]) -> Key | None:
    if found["iso"]:
        year, month, day = map(int, found["iso"].split("-"))
        return year, month, day
    if found["only"]:
        return None, None, int(found["only"])
    if found["alone"]:
        return int(found["alone"]), None, None
    name = found["month"] or found["first"]
    day_ = found["day"] or found["nth"]
    year_ = found["year"] or found["last"]
    month = (*_MONTHS, "dec").index(name[:3]) + 1
    return int(year_) if year_ else None, month, int(day_) if day_ else None


def _read_weekday(found: re.Match[str]) -> Key | None:
    return (found[1],)


def _read_time(found: re.Match[str]) -> Key | None:
    """Minutes after midnight, and whether that is sure."""
    if found["word"]:
        return (720.0 if found["word"] == "noon" else 0.0), "sure"
    if found["bare"]:
        hour = _NUMBER_WORDS.get(found["bare"]) or float(found["bare"])
        return hour * 60, ""
    if found["full"]:
        hour, minute = int(found["full"]), int(found["past"])
        return float(hour * 60 + minute), "sure" if hour > 12 else ""
    hour = int(found["hour"]) % 12 + (12 if found["half"].startswith("p") else 0)
    return float(hour * 60 + int(found["minute"] or 0)), "sure"


def _read_amount(found: re.Match[str]) -> Key | None:
    if found["money"]:
        number = float(found["sum"].replace(",", "")) * _GREAT[found["big"]]
        return number, found["money"]
    if found["spelt"]:
        return _in_unit(_NUMBER_WORDS[found["spelt"]], found["what"] or "")
    digits = found["number"].replace(",", "")
    if digits.count(".") > 1:
        return digits, _VERSION
    return _in_unit(float(digits) * _GREAT[found["thousand"]], found["unit"] or "")


def _in_unit(number: float, unit: str) -> Key:
    if unit in _UNITS:
        factor, base = _UNITS[unit]
        return round(number * factor, 6), base
    return number, " ".join(stems(w for w in unit.split() if w not in STOP_WORDS))


_KINDS = (
    ("date", _DATE, _read_date),
    ("weekday", _WEEKDAY, _read_weekday),
    ("time", _TIME, _read_time),
    ("amount", _AMOUNT, _read_amount),
)
