"""Which stretch of time the words of one expression mean, at the moment of asking."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from reverie.recall.calendar_words import (
    COUNTS,
    DAYS_OR_VERBS,
    HOLIDAYS,
    HOURS,
    MONTHS,
    MONTHS_OR_VERBS,
    ONLY_MONTHS,
    SEASONS,
    STEPS,
    THIRDS,
    WEEKDAYS,
)
from reverie.recall.periods import (
    DAY,
    Period,
    holding,
    midnight,
    months_later,
    moved,
    near,
    on,
    one_day,
    share,
    weekday_after,
    weekday_before,
    yearly,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Match = re.Match[str]

_NOTHING = timedelta(0)
_SLACK = {"hour": timedelta(minutes=30), "minute": timedelta(minutes=5)}
_DISTANCES = {"before": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "after": 2}


class Found(NamedTuple):
    """What was read from some place on, and where it ends."""

    end: int
    period: Period


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its words in small letters, and when it was asked.

    Attributes:
        question: The text.
        low: The same in small letters, letter by letter.
        now: When it was asked.
        today: The midnight before.
    """

    question: str
    low: str
    now: datetime
    today: datetime

    def capital(self, at: int) -> bool:
        """Whether the question has a capital letter there."""
        return self.question[at].isupper()


# --- numbers and choices -----------------------------------------------------


def counted(match: Match) -> tuple[int, int]:
    """The least and the most that a number in words may stand for."""
    least, most = _number(match["count"])
    return (_number(match["least"])[0] if match["least"] else least), most


def _number(words: str) -> tuple[int, int]:
    if words.isdigit():
        return int(words), int(words)
    return COUNTS[words.removesuffix("of").split()[-1]]


def weekday_number(match: Match) -> int:
    """Which day of the week is named; Monday is 0."""
    return WEEKDAYS.index(match["weekday"][:3])


def _month_number(match: Match) -> int:
    return MONTHS.index(match["month"][:3]) + 1


def _step(match: Match) -> int | None:
    which = match.groupdict().get("which")
    return STEPS[which.split()[-1]] if which else None


def _of_some_year(
    of_year: Callable[[int], Period], match: Match, asked: Asked
) -> Period | None:
    said = match.groupdict()
    if said.get("year"):
        return of_year(int(said["year"]))
    if said.get("yearly"):
        return of_year(asked.today.year + STEPS[said["yearly"]])
    return yearly(of_year, asked.now, _step(match))


# --- days and hours ----------------------------------------------------------


def day_word(match: Match, asked: Asked) -> Period:
    """`today`, `yesterday`, `day before yesterday`."""
    words = match[0].split()
    return one_day(asked.today + _DISTANCES[words[-2] if words[1:] else words[0]] * DAY)


def part_of(day: datetime, part: str) -> Period:
    """The morning, afternoon, evening or night of a day; a night goes on past it."""
    first, last = HOURS[part]
    return Period(day + timedelta(hours=first), day + timedelta(hours=last))


def part_of_today(match: Match, asked: Asked) -> Period:
    """`this morning`, `tonight`, `last night`."""
    day = asked.today
    small_hours = asked.now.hour < HOURS["night"][1] - 24
    if match[0].startswith("last") or (small_hours and not match["part"]):
        day -= DAY
    return part_of(day, match["part"] or "night")


def weekday(match: Match, asked: Asked) -> Period | None:
    """`Tuesday`, `last Friday`, `Monday of next week`."""
    if match["weekday"] in DAYS_OR_VERBS and not asked.capital(match.start("weekday")):
        return None
    said, number = match.groupdict(), weekday_number(match)
    step = STEPS[said["weekly"]] if said.get("weekly") else _step(match)
    if step == 0 or said.get("weekly"):
        monday = holding(moved(asked.today, "week", step or 0), "week").start
        return one_day(monday + number * DAY)
    if step == 1:
        return one_day(weekday_after(asked.today, number))
    return one_day(weekday_before(asked.today, number))


def whole_weekday(match: Match, _: Asked) -> bool:
    """Whether a day of the week is spelled out, or chosen by `last` and the like."""
    said = match.groupdict()
    chosen = said.get("which") or said.get("weekly")
    return bool(chosen) or match["weekday"].endswith("day")


# --- units: weeks, months, years ---------------------------------------------


def chosen_unit(match: Match, asked: Asked) -> Period:
    """`last week`, `this month`, `next year`; the `past` week ends now."""
    unit, which = match["unit"], match["which"].split()[-1]
    if which == "past" and unit != "weekend":
        return Period(moved(asked.today, unit, -1), asked.now)
    return holding(moved(asked.today, unit, STEPS[which]), unit)


def unit_after_next(match: Match, asked: Asked) -> Period:
    """`week before last`, `year after next`."""
    step = -2 if match["side"] == "before" else 2
    return holding(moved(asked.today, match["unit"], step), match["unit"])


def running_unit(match: Match, asked: Asked) -> Period:
    """`the year`, where it is this one."""
    return holding(asked.today, match["unit"])


def running_weekend(_: Match, asked: Asked) -> Period:
    """`the weekend`: this one once it has begun, else the last."""
    saturday = weekday_before(asked.today + DAY, WEEKDAYS.index("sat"))
    return Period(saturday, saturday + 2 * DAY)


def until_now(match: Match, asked: Asked) -> Period:
    """`the last 3 days`, `the past few weeks`, `the next month`."""
    unit, ahead = match["unit"], STEPS[match["way"]] > 0
    if match.groupdict().get("count"):
        most = counted(match)[1]
    else:
        most = COUNTS["few"][1] if match[0].endswith("s") else 1
    if unit in _SLACK:
        length = timedelta(**{f"{unit}s": most})
        ends = (_NOTHING, length) if ahead else (-length, _NOTHING)
        return _on_the_clock(asked.now, *ends)
    if ahead:
        return Period(asked.now, moved(asked.today, unit, most) + DAY)
    return Period(moved(asked.today, unit, -most), asked.now)


def ago(match: Match, asked: Asked) -> Period:
    """`3 weeks ago`, `a couple of days ago`, `two months from now`."""
    return _distant(match, asked, counted(match))


def about_one_ago(match: Match, asked: Asked) -> Period:
    """`a week or two ago`, `an hour or so ago`."""
    return _distant(match, asked, (1, 2))


def _distant(match: Match, asked: Asked, count: tuple[int, int]) -> Period:
    unit, sign = match["unit"], -1 if match["way"] == "ago" else 1
    first, last = sorted(sign * number for number in count)
    if unit in _SLACK:
        return _clock_near(asked.now, first, last, unit)
    return near(moved(asked.today, unit, first), moved(asked.today, unit, last), unit)


def half_ago(match: Match, asked: Asked) -> Period:
    """`half an hour ago`, `half a year ago`."""
    if match["unit"] == "hour":
        return _clock_near(asked.now, -30, -30, "minute")
    day = months_later(asked.today, -6)
    return near(day, day, "month")


def _clock_near(now: datetime, first: int, last: int, unit: str) -> Period:
    step, slack = timedelta(**{f"{unit}s": 1}), _SLACK[unit]
    return _on_the_clock(now, first * step - slack, last * step + slack)


def _on_the_clock(now: datetime, first: timedelta, last: timedelta) -> Period:
    """Hours as they pass, not as the clock on the wall shows them."""
    passed = now.astimezone(UTC)
    start = (passed + first).astimezone(now.tzinfo)
    end = (passed + last).astimezone(now.tzinfo)
    # In the hour that comes twice, a start may read later than its end.
    return Period(min(start, end - (last - first)), end)


# --- what comes once a year --------------------------------------------------


def month(match: Match, asked: Asked) -> Period | None:
    """`May`, `May 2023`, `May last year`."""
    return _of_some_year(_months(_month_number(match), 1, asked), match, asked)


def chosen_month(match: Match, asked: Asked) -> Period | None:
    """`last May`, `this May`; small letters in `this may` are a verb."""
    doubtful = match["month"] in MONTHS_OR_VERBS and match["which"] not in (
        "last",
        "next",
    )
    if doubtful and not asked.capital(match.start("month")):
        return None
    return month(match, asked)


def season(match: Match, asked: Asked) -> Period | None:
    """`the summer`, `last winter`, `spring of 2023`."""
    return _of_some_year(_months(SEASONS[match["season"]], 3, asked), match, asked)


def quarter(match: Match, asked: Asked) -> Period | None:
    """`Q3`, `Q1 2023`."""
    first = 3 * int(match["quarter"]) - 2
    return _of_some_year(_months(first, 3, asked), match, asked)


def _months(first: int, count: int, asked: Asked) -> Callable[[int], Period]:
    def of_year(year: int) -> Period:
        start = on(asked.today, date(year, first, 1))
        return Period(start, months_later(start, count))

    return of_year


def has_year(match: Match, _: Asked) -> bool:
    """Whether the expression names its year."""
    said = match.groupdict()
    return bool(said.get("year") or said.get("yearly"))


def has_year_number(match: Match, _: Asked) -> bool:
    """Whether the expression names its year in digits."""
    return bool(match["year"])


def sure_month(match: Match, asked: Asked) -> bool:
    """Whether a month can be nothing else, even without a preposition."""
    if match["month"] in ONLY_MONTHS or match["year"]:
        return True
    verb = match["month"] in MONTHS_OR_VERBS and not asked.capital(match.start("month"))
    return has_year(match, asked) and not verb


def holiday(match: Match, asked: Asked) -> Period | None:
    """`Christmas`, `last Halloween`, `New Year's Eve 2023`."""
    name = " ".join(match["holiday"].replace("'", "").replace("\u2019", "").split())
    name = name.replace("xmas", "christmas").replace("new year ", "new years ")

    def of_year(year: int) -> Period:
        return one_day(on(asked.today, HOLIDAYS[name](year)))

    return _of_some_year(of_year, match, asked)


def day_of_month(match: Match, asked: Asked) -> Period | None:
    """`8 May 2023`, `May 8th`, `3 to 9 June`."""
    first = int(match["day"])
    last = int(match.groupdict().get("last") or first)

    def of_year(year: int) -> Period:
        start = on(asked.today, date(year, _month_number(match), first))
        return Period(start, start.replace(day=last) + DAY)

    return _of_some_year(of_year, match, asked) if first <= last else None


def sure_day(match: Match, asked: Asked) -> bool:
    """Whether a day and a month can be nothing else, even without a preposition."""
    capital = asked.capital(match.start("month"))
    return bool(match["nth"]) or capital or sure_month(match, asked)


# --- digits ------------------------------------------------------------------


def digits(match: Match, asked: Asked) -> Period:
    """`2023-05-08T14:30Z`, `08.05.2023`, `5/8/2023`."""
    said = match.groupdict()
    year, month, day = (int(said[name]) for name in ("year", "month", "day"))
    if month > 12:
        month, day = day, month
    when = date(year, month, day)
    if not said.get("zone"):
        return one_day(on(asked.today, when))
    moment = datetime.fromisoformat(f"{when}T{said['clock']:0>5}{said['zone'].upper()}")
    return one_day(midnight(moment.astimezone(asked.now.tzinfo)))


def years(match: Match, asked: Asked) -> Period:
    """`2023`, `2019-2021`."""
    first = int(match["year"])
    last = int(match.groupdict().get("to") or first)
    start, end = (on(asked.today, date(year, 1, 1)) for year in (first, last))
    return Period(start, months_later(end, 12))


def year_and_month(match: Match, asked: Asked) -> Period:
    """`2023-05`."""
    return _months(int(match["month"]), 1, asked)(int(match["year"]))


def decade(match: Match, asked: Asked) -> Period:
    """`the 90s`, `the early 90s`, `1990s`; of two digits, the last that has begun."""
    said, year = match.groupdict(), asked.today.year
    if said.get("full"):
        first = int(said["full"])
    else:
        first = year - (year - int(said["short"])) % 100
    whole = Period(
        start := on(asked.today, date(first, 1, 1)), months_later(start, 120)
    )
    return share(whole, THIRDS[said["part"]], 3) if said.get("part") else whole


def moment(_: Match, asked: Asked) -> Period:
    """`now`, as one end of something longer."""
    return Period(asked.now, asked.now)
