"""Days, times, versions and amounts in a sentence, and when two of them differ."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.agents.phrases import words_in
from reverie.index.words import stems

if TYPE_CHECKING:
    from collections.abc import Mapping

Key = tuple[float | str | None, ...]

DATE, WEEKDAY, TIME, VERSION, AMOUNT = "date", "weekday", "time", "version", "amount"

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_NTH = r"[0-3]?\d(?:st|nd|rd|th)?\b"
_YEAR = r"(?:,? (?P<{}>20\d\d)\b)?"
_DATES = re.compile(
    r"\b(?P<iso>20\d\d-[01]\d-[0-3]\d)\b"
    rf"|\b(?P<day>{_NTH}) (?:of )?(?P<month>{_MONTH}){_YEAR.format('year')}"
    rf"|\b(?P<first>{_MONTH})(?: (?P<nth>{_NTH}))?{_YEAR.format('later')}"
    r"|(?:(?<= in )|(?<= since ))(?P<only>(?:19|20)\d\d)\b"
)
_FIXED = re.compile(
    r" (?:founded|established|born|built|created|expires?|ends?|starts?|due) in $"
    r"| since $| (?:joined|founded|graduated|retired|married|hired|acquired|launched"
    r"|opened|died) (?:[^ ]+ ){0,6}in $"
)
_WEEKDAYS = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)day(s?)\b")
_IS_ON = re.compile(
    r" (?:is|are|happens?|occurs?|falls?|goes out) (?:[a-z]+ )?(?:on |every )?$"
)
_SERIES = re.compile(r" (?:class(?:es)?|course|lessons?|trainings?|practice|markets?) ")
"""What may be on several days of every week."""

_TIMES = re.compile(
    r"\b(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d))? ?(?P<half>am|pm)\b"
    r"|\b(?P<full>[01]?\d|2[0-3]):(?P<past>[0-5]\d)\b"
    r"|\b(?P<word>noon|midnight)\b|\bat (?P<bare>[01]?\d|2[0-3])(?= $)"
)
_VERSIONS = re.compile(
    r"\b(?:version|release|v)\.? ?(?:is |to |of )?(?P<told>\d+(?:\.\d+)*)\b"
    r"|(?<![\d.,$\u20ac\u00a3])\b(?P<dotted>\d+(?:\.\d+){2,})\b"
    r"|(?<=[a-z] )(?P<named>\d+(?:\.\d+)?)(?= $)"
)
_BEHIND_NAME = re.compile(
    r" (?:needs?|requires?|runs(?: on| with)?|uses?|targets?|depends on"
    r"|(?:is|are|am) (?:on|at|running)) [a-z]+ $"
)
_UNIT = r"%|[a-z\u20ac\u00a3$]+(?:/[a-z]+| per [a-z]+| a (?:day|week|month|year))?"
_SPELT = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
_NUMBERS = {
    **{word: float(n) for n, word in enumerate(_SPELT.split(), start=1)},
    **{word: 10.0 * n for n, word in enumerate(_TENS.split(), start=3)},
}
SPELT = "|".join(_NUMBERS)
"""Numbers that are written as words, for a pattern."""

_AMOUNTS = re.compile(
    r"(?P<money>[$\u20ac\u00a3]) ?(?P<sum>\d[\d,]*(?:\.\d+)?)(?P<big>k|m)?\b"
    r"|(?<![\w.,#-])(?P<number>\d[\d,]*(?:\.\d+)?)(?P<large>k|m)?(?![\w.])"
    rf"(?:[ -]?(?P<unit>{_UNIT}))?"
    rf"|\b(?P<spelt>{SPELT}) (?P<what>[a-z]+)"
)
_GREAT = {None: 1.0, "k": 1e3, "m": 1e6}
_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1.0, "s")),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), (60.0, "s")),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (3600.0, "s")),
    **dict.fromkeys(("day", "days"), (86400.0, "s")),
    **dict.fromkeys(("week", "weeks"), (604800.0, "s")),
    **dict.fromkeys(("ms", "milliseconds"), (0.001, "s")),
    **dict.fromkeys(("mm",), (0.001, "m")),
    **dict.fromkeys(("cm",), (0.01, "m")),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), (1.0, "m")),
    **dict.fromkeys(("km", "kilometres", "kilometers"), (1000.0, "m")),
    **dict.fromkeys(("g", "grams"), (0.001, "kg")),
    **dict.fromkeys(("kg", "kilos", "kilograms"), (1.0, "kg")),
    "kb": (1e3, "b"),
    "mb": (1e6, "b"),
    "gb": (1e9, "b"),
    "tb": (1e12, "b"),
    **dict.fromkeys(("%", "percent"), (1.0, "%")),
    **dict.fromkeys(("euro", "euros", "eur", "\u20ac"), (1.0, "\u20ac")),
    **dict.fromkeys(("dollar", "dollars", "usd", "$"), (1.0, "$")),
    **dict.fromkeys(("pound", "pounds", "gbp", "\u00a3"), (1.0, "\u00a3")),
}
_BARE = re.compile(
    r"(?: (?:is|are|to|at|equals|port|count|size|number|limit|maximum|minimum|total"
    r"|level|of|only|has|have|needs?|costs?)|[:=])$"
)
_DOING = words_in("""
    is are was were has have needs need gets get pays pay takes take must can will to at
    of for with allow want require hold employ serve run use cost last
""")
_LITTLE = words_in("only just exactly about the a an now currently")
_ENDS_AS_VERB = re.compile(r"[^su']s$|ed$")
_NO_UNIT = words_in("""
    for in on at and per to of by from with is are as every after before until since the
    a an now yet but or not so
""")


def read_values(low: str) -> tuple[Mapping[str, Key] | None, str]:
    """The values in a sentence, and the sentence without them.

    Args:
        low: The sentence in small letters, a blank at each end.

    Returns:
        For each kind what it is; None where there are several of one kind, of which
        nobody can say which belongs to what.
    """
    values: dict[str, Key] = {}
    left = low
    for kind, pattern, read in _KINDS:
        found = [m for m in pattern.finditer(left) if read(m) is not None]
        if len(found) > 1:
            return None, low
        for match in found:
            key = read(match)
            if key is not None:
                values[kind] = key
                left = f"{left[: match.start()]} {left[match.end() :]} "
    return values, left


def apart(kind: str, one: Key, other: Key) -> bool:
    """Whether two values of a kind cannot both hold; what one leaves out may be."""
    if kind == AMOUNT:
        return one[1] == other[1] and one[0] != other[0]
    if kind == TIME:
        sure = one[1] and other[1]
        period = 1440 if sure else 720
        return float(one[0] or 0) % period != float(other[0] or 0) % period
    # A version that is told shorter is the same one; so is a day without its year.
    pairs = zip(one, other, strict=False)
    return any(a != b for a, b in pairs if a is not None and b is not None)


def _date(found: re.Match[str]) -> Key | None:
    if found["iso"]:
        year, month, day = map(int, found["iso"].split("-"))
        return year, month, day
    if found["only"]:
        # The year in which something is so is no value: it limits one.
        fixed = _FIXED.search(found.string[: found.start()])
        return (int(found["only"]), None, None) if fixed else None
    name = found["month"] or found["first"]
    if name == "may" and not (found["day"] or found["nth"]) and not found["later"]:
        before = found.string[: found.start()]
        if not before.endswith((" in ", " by ", " of ", " until ", " is ", " to ")):
            return None
    nth = found["day"] or found["nth"]
    year_ = found["year"] or found["later"]
    return (
        int(year_) if year_ else None,
        (*_MONTHS, "dec").index(name[:3]) + 1,
        int(nth.rstrip("stndrh")) if nth else None,
    )


def _weekday(found: re.Match[str]) -> Key | None:
    # Who meets on Mondays may meet on Tuesdays as well; what *is* then, is then.
    before = found.string[: found.start()]
    if found[2] and (not _IS_ON.search(before) or _SERIES.search(before)):
        return None
    return (found[1],)


def _time(found: re.Match[str]) -> Key | None:
    """Minutes after midnight, and whether that is sure."""
    if found["word"]:
        return (720.0 if found["word"] == "noon" else 0.0), "sure"
    if found["bare"]:
        return float(found["bare"]) * 60, ""
    if found["full"]:
        hour, minute = int(found["full"]), int(found["past"])
        return float(hour * 60 + minute), "sure" if hour > 12 else ""
    hour = int(found["hour"]) % 12 + (12 if found["half"] == "pm" else 0)
    return float(hour * 60 + int(found["minute"] or 0)), "sure"


def _version(found: re.Match[str]) -> Key | None:
    told = found["told"] or found["dotted"] or found["named"]
    if found["named"] and not _BEHIND_NAME.search(found.string[: found.start()]):
        return None
    return tuple(float(part) for part in told.split("."))


def _amount(found: re.Match[str]) -> Key | None:
    if found["money"]:
        number = float(found["sum"].replace(",", "")) * _GREAT[found["big"]]
        return number, found["money"]
    if found["spelt"]:
        unit, number = found["what"], _NUMBERS[found["spelt"]]
        return None if unit in _NO_UNIT else _in_unit(number, unit)
    number = float(found["number"].replace(",", "")) * _GREAT[found["large"]]
    unit = found["unit"] or ""
    if unit and unit.split()[0] not in _NO_UNIT:
        return None if _is_called(found, unit) else _in_unit(number, unit)
    # A number right behind a noun is its name: `phase 2`, `room 12`.
    return (
        (number, "") if _BARE.search(found.string[: found.start()].rstrip()) else None
    )


def _is_called(found: re.Match[str], unit: str) -> bool:
    """Whether a number is part of a name: `service 12 uses Redis`."""
    before = [w for w in found.string[: found.start()].split() if w not in _LITTLE]
    if unit in _UNITS or not before or not _DOING.isdisjoint(before):
        return False
    return len(before) < 2 or not _ENDS_AS_VERB.search(before[-1])


def _in_unit(number: float, unit: str) -> Key:
    factor, base = _UNITS.get(unit, (1.0, ""))
    return round(number * factor, 6), base or " ".join(stems(unit.split()))


_KINDS = (
    (DATE, _DATES, _date),
    (WEEKDAY, _WEEKDAYS, _weekday),
    (TIME, _TIMES, _time),
    (VERSION, _VERSIONS, _version),
    (AMOUNT, _AMOUNTS, _amount),
)
