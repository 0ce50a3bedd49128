"""Dates as people write them: in questions, on the command line, in headings.

`home_zone` is the time zone whose days those of a workspace are, `at_home` a moment on
its clocks.

`find_spans` finds the stretches of time that a text speaks of ("last week", "in March",
"since 8 May 2023"), counted from a moment in the asker's zone. Words get their meaning
from a table for each language, and a few rules read the meanings: another language is
another table. What no table has is no date.
"""

from __future__ import annotations

import os
import re
import time
from calendar import monthrange
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reverie.model.items import EARLIEST, LATEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import tzinfo

# --- zones -------------------------------------------------------------------


def home_zone(name: str, environ: Mapping[str, str]) -> tzinfo:
    """The zone of a workspace: the named one, that of `TZ`, or the machine's.

    Where none of them has a name that is known, how far the machine is from UTC now.
    """
    typed = environ.get("TZ", "").lstrip(":")
    linked = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    found = name or typed or linked
    if found in ("UTC", "Etc/UTC"):
        return UTC
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - who lives in UTC needs none

    with suppress(ValueError, OSError, LookupError):
        return ZoneInfo(found)
    return timezone(timedelta(seconds=time.localtime().tm_gmtoff))


def at_home(moment: datetime, zone: tzinfo) -> datetime:
    """A moment as the clocks of a zone show it, at a fixed offset of whole minutes.

    Unlike one in the zone itself it can be compared with others of that zone, and
    subtracted: in the hour that comes twice a year as well.
    """
    try:
        there = moment.astimezone(zone)
    except OverflowError:
        # At the ends of all times a zone has no clock.
        return moment
    minutes = round((there.utcoffset() or timedelta()) / timedelta(minutes=1))
    offset = timezone(timedelta(minutes=minutes)) if minutes else UTC
    return there.astimezone(offset)


# --- tables ------------------------------------------------------------------

# Kinds of words, and the words in their places: days from two days back, January first,
# Monday first, the units of `_UNITS`, last-this-next, one first, the links of `_LINKS`.
# Synonyms are joined by commas, the words of a phrase by `_`; `-` leaves a place free.
# Where a table has `common` words, a text needs one of them, or an accent of French:
# in German, "hier" is here.
# `doubtful` words are dates only beside other words of dates, `capital` ones only with
# a capital letter, and nothing is a date behind a word of `never`. A year alone behind
# a word of `of` needs one of `part` before it: "a game of 2048" is none.
_TABLES = """
day day_before_yesterday yesterday,last_night today,tonight,this_morning,this_afternoon,this_evening tomorrow day_after_tomorrow
month january,jan february,feb march,mar april,apr may june,jun july,jul august,aug september,sep,sept october,oct november,nov december,dec
weekday monday,mon tuesday,tue,tues wednesday,wed thursday,thu,thur,thurs friday,fri saturday,sat sunday,sun
unit second,seconds minute,minutes hour,hours day,days week,weeks weekend,weekends month,months quarter,quarters year,years
step last,past,this_past,previous this,current next,coming,upcoming
rolling past,this_past,in_the_last,over_the_last,during_the_last,within_the_last
of_year last_year this_year next_year
ordinal first second third fourth last
count a,an,one two,couple,a_couple,a_couple_of three,few,a_few four five six seven eight nine ten eleven twelve
link since before,prior_to after until,till,up_to between from in,in_the_year,on,at_the,during,over,around,of,throughout to,until,till,through and - ago the,of,early,mid,late
of of
never every,each,any,most,half,black,good
doubtful mar,march,may,april,june,august,jan,jun,dec,mon,tue,wed,thu,fri,sat,sun
capital mar,mon,wed,sat,sun,may_be,may_have,may_not
part spring,summer,autumn,fall,winter,christmas,start,beginning,middle,end,rest,course,half,quarter,events

day vorgestern gestern,gestern_morgen heute,heute_morgen morgen übermorgen
month januar februar märz april mai juni juli august september oktober november dezember
weekday montag dienstag mittwoch donnerstag freitag samstag,sonnabend sonntag
unit sekunden minuten stunde,stunden tag,tage,tagen woche,wochen wochenende monat,monate,monaten quartal jahr,jahre,jahren,jahres
ordinal erste,ersten,erstes zweite,zweiten,zweites dritte,dritten,drittes vierte,vierten,viertes letzte,letzten,letztes
step letzte,letzten,letztes,letztem,vorige,vorigen,voriges diese,diesen,dieses,diesem nächste,nächsten,nächstes
count ein,eine,einem,einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
doubtful april,august
link seit vor nach bis zwischen von,vom im,in,am bis und vor - der,dem,den,des,zum

day anteayer ayer,anoche hoy mañana pasado_mañana
month enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
weekday lunes martes miércoles jueves viernes sábado domingo
ordinal primer,primero segundo tercer,tercero cuarto último
unit segundos minutos hora,horas día,días semana,semanas fin_de_semana mes,meses trimestre año,años
step último,última,últimos,últimas este,esta próximo,próxima,próximos,próximas
stepped pasado,pasada - próximo,próxima,que_viene
count un,una dos tres cuatro cinco seis siete ocho nueve diez once doce
link desde antes_de,antes_del después_de,después_del hasta entre de,del en,el,durante a,al,hasta y hace - el,la,los,las,de,del

common que,quoi,quand,qui,où,est,le,la,les,je,nous,avons,fait,dit,il,passé,depuis,avec,chez,une,en_mars,en_mai,semaine,mois,année,dernier,dernière,prochain,prochaine
day avant_hier hier aujourd_hui demain après_demain
month janvier février mars avril mai juin juillet août septembre octobre novembre décembre
weekday lundi mardi mercredi jeudi vendredi samedi dimanche
ordinal premier deuxième,second troisième quatrième dernier
unit secondes minutes heure,heures jour,jours semaine,semaines week_end mois trimestre an,ans,année,années
step derniers,dernières ce,cet,cette prochains,prochaines
stepped dernier,dernière,passé,passée - prochain,prochaine
count un,une deux trois quatre cinq six sept huit neuf dix onze douze
link depuis avant après jusqu_à,jusqu_en entre de,du en,le,au,pendant à,au et il_y_a - le,la,les,l,de,du,d

day anteontem ontem hoje amanhã depois_de_amanhã
month janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
weekday segunda_feira terça_feira quarta_feira quinta_feira sexta_feira sábado domingo
ordinal primeiro segundo terceiro quarto último
unit segundos minutos hora,horas dia,dias semana,semanas fim_de_semana mês,meses trimestre ano,anos
step último,última,últimos,últimas este,esta,neste,nesta próximo,próxima,próximos,próximas
stepped passado,passada - que_vem
count um,uma dois,duas três quatro cinco seis sete oito nove dez onze doze
link desde antes_de,antes_do depois_de,depois_do,após até entre de,do em,no,na,durante a,ao,até e há,faz atrás o,a,os,as,de,do,da

day 前天,一昨日 昨天,昨日 今天,今日 明天,明日 后天
month 1月,一月 2月,二月 3月,三月 4月,四月 5月,五月 6月,六月 7月,七月 8月,八月 9月,九月 10月,十月 11月,十一月 12月,十二月
number 一号,一日 二号,二日 三号,三日 四号,四日 五号,五日 六号,六日 七号,七日 八号,八日 九号,九日 十号,十日 十一号,十一日 十二号,十二日 十三号,十三日 十四号,十四日 十五号,十五日 十六号,十六日 十七号,十七日 十八号,十八日 十九号,十九日 二十号,二十日 二十一号,二十一日 二十二号,二十二日 二十三号,二十三日 二十四号,二十四日 二十五号,二十五日 二十六号,二十六日 二十七号,二十七日 二十八号,二十八日 二十九号,二十九日 三十号,三十日 三十一号,三十一日
which 第一个 第二个 第三个 第四个 最后一个
of_week 上,上个 这,这个,本 下,下个
weekday 星期一,周一,月曜 星期二,周二,火曜 星期三,周三,水曜 星期四,周四,木曜 星期五,周五,金曜 星期六,周六,土曜 星期日,星期天,周日,日曜
unit - - 小时,時間 天,日 周,週,週間,星期,个星期 周末,週末 月,个月,か月 - 年
step 上,上个,先,去 今,这,这个,本 下,下个,来,明
count 一 二,两 三 四 五 六 七 八 九 十
link - - - - - - - - - - 前,之前,以前 -
mark 年
""".strip().split("\n\n")  # noqa: E501 -- tables, one for a language
_LINKS = "since before after until between from in to and back ago filler".split()  # noqa: SIM905
_UNITS = "second minute hour day week weekend month quarter year".split()  # noqa: SIM905
_FIRST = {"day": -2, "step": -1, "stepped": -1, "of_year": -1, "of_week": -1}
_FIRST |= dict.fromkeys(("month", "number", "count", "ordinal", "which"), 1)
_LAST = 5  # among the ordinals
_PHRASE = 4
"""A phrase of a table has at most so many words."""

_CLOCK = {"second": 1, "minute": 60, "hour": 3_600}
_DAYS = {"day": 1, "week": 7, "weekend": 7}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_HALF = {"day": 0, "week": 3, "month": 15, "quarter": 45, "year": 182}
_DAY = timedelta(days=1)
_YEARS = range(1900, 2200)
_EVER = EARLIEST, LATEST
_LEAP_GAP = 9  # years to look through: 1896 to 1904 had no 29 February between

# Chinese and Japanese leave no gaps between words: there, every sign is one.
_SIGN = r"\u3040-\u30ff\u4e00-\u9fff"
_TOKEN = re.compile(rf"[0-9]+(?:st|nd|rd|th)?|[{_SIGN}]|[^\W\d_{_SIGN}]+|[^\w\s]")
_INSIDE = re.compile(r"(?<=[^\W\d_])[-'\u2019](?=[^\W\d_])")
_ACCENT = re.compile(r"[èêçœùû]|é(?=[a-z])")  # but "Café" is German too
# No longer number, version, price or amount of anything is a day or a year.
_NUMBER = re.compile(
    r"(?<![\w.,$€£#+/])(?<!\d[-:])(\d{1,4})(st|nd|rd|th)?(?![\w%€£$]|-\w|[.,:/]\d)",
    re.ASCII,
)
_DIGITS = re.compile(
    r"(?<![\w.])(?<!\d[-:/])(?<!(?i:version) )(?<!\b[vV] )"
    r"(?:(?P<y>\d{4})(?P<gap>[-/._])(?P<m>\d\d?)(?P=gap)(?P<d>\d\d?)"
    r"|(?P<d2>\d\d?)\.(?P<m2>\d\d?)\.(?P<y2>\d{4})"
    r"|(?P<m3>\d\d?)/(?P<d3>\d\d?)/(?P<y3>\d{4}))(?!\d|[-/.]\d)",
    re.ASCII,
)

# --- words -------------------------------------------------------------------


class Span(NamedTuple):
    """A stretch of time that a text speaks of.

    Attributes:
        start: Its first moment, in the asker's zone.
        end: The first moment after it.
        text: The words it came from.
        at: Where they stand in the text.
        counted: Whether it is counted from now ("last week") and not named.
    """

    start: datetime
    end: datetime
    text: str
    at: tuple[int, int]
    counted: bool


class _Found(NamedTuple):
    """What was read, up to which word; sure if it needs no "in" or "on" before it."""

    upto: int
    start: datetime
    end: datetime
    counted: bool
    sure: bool


def find_spans(text: str, now: datetime) -> tuple[Span, ...]:
    """The stretches of time that a text speaks of, in their order.

    Args:
        text: Any text.
        now: When it was asked or said; aware, in the asker's zone.
    """
    found = (reading.spans() for reading in _readings(text, now))
    return max(found, key=lambda spans: sum(len(span.text) for span in spans))


def _readings(text: str, now: datetime) -> Iterator[_Reading]:
    """A text as each table reads it that counts for it, English first."""
    tokens = [t for t in _TOKEN.finditer(text) if not _INSIDE.match(text, t.start())]
    words = [token[0].lower() for token in tokens]
    runs = [
        (i, i + n) for n in range(1, _PHRASE + 1) for i in range(len(words) - n + 1)
    ]
    phrases = [(i, end, " ".join(words[i:end])) for i, end in runs]
    for table in _TABLES:
        lexicon = _lexicon(table)
        meant = [dict[str, tuple[int, int]]() for _ in words]
        for i, end, phrase in phrases:
            if known := lexicon.get(phrase):
                meant[i] |= {kind: (place, end) for kind, place in known.items()}
        sure = not table.startswith("common") or _ACCENT.search(text)
        if sure or any("common" in one for one in meant):
            yield _Reading(text, now, tokens, meant)


@cache
def _lexicon(table: str) -> dict[str, dict[str, int]]:
    """What each phrase of a table means: its kinds, and its place in each."""
    found: dict[str, dict[str, int]] = {mark: {"to": 0} for mark in "-\u2013\u2014"}
    for line in table.split("\n"):
        kind, *places = line.split()
        for place, synonyms in enumerate(places, _FIRST.get(kind, 0)):
            name = _LINKS[place] if kind == "link" else kind
            for phrase in synonyms.split(",") if synonyms != "-" else ():
                words = " ".join(_TOKEN.findall(phrase.replace("_", " ")))
                found.setdefault(words, {})[name] = place
    return found


@cache
def date_names() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of days and months of all languages, in lower case.

    Returns:
        Names that are always dates, and names that need a number beside them: `may`.
    """
    sure, doubtful = set[str](), set[str]()
    for meant in map(_lexicon, _TABLES):
        for words, kinds in meant.items():
            if not kinds.keys().isdisjoint(("day", "month", "weekday")):
                unsure = not kinds.keys().isdisjoint(("doubtful", "capital"))
                (doubtful if unsure else sure).add(words)
    return frozenset(sure - doubtful), frozenset(doubtful)


class _Reading(Struct, frozen=True):
    """Words with their meanings: kinds, each with its place and the word after it."""

    text: str
    now: datetime
    tokens: list[re.Match[str]]
    meant: list[dict[str, tuple[int, int]]]

    def spans(self) -> tuple[Span, ...]:
        """The longest stretches, from the left."""
        found, i = list[tuple[int, _Found]](), 0
        while i < len(self.tokens):
            best = None
            if self.meant[i] or self.tokens[i][0][0].isdigit():
                with suppress(ValueError, OverflowError):  # beyond the calendar's ends
                    best = self.longest(i)
                    if best and found and (both := self._of_year(*found[-1], i, best)):
                        i, best = found.pop()[0], both
            if best:
                found.append((i, best))
            i = best.upto if best else i + 1
        return tuple(self._span(*one) for one in found)

    def _span(self, i: int, what: _Found) -> Span:
        at = self.tokens[i].start(), self.tokens[what.upto - 1].end()
        return Span(*what[1:3], self.text[slice(*at)], at, what.counted)

    def _of_year(self, i: int, one: _Found, j: int, other: _Found) -> _Found | None:
        """Of two that stand together, what is meant of the year: `last year in May`."""
        if self._skip(one.upto) < j:
            return None
        for year, at, what in ((one, j, other), (other, i, one)):
            dated = any("month" in word for word in self.meant[at : what.upto])
            if dated and year.counted and not what.counted and _is_year(*year[1:3]):
                said = replace(self, now=year.end - _DAY).longest(at) or what
                start, end = max(said.start, year.start), min(said.end, year.end)
                if _lasts(start, end):
                    return _Found(other.upto, start, end, counted=True, sure=True)
        return None

    def longest(self, i: int) -> _Found | None:
        """The longest expression that begins there, with its link."""
        bare = self.point(i)
        bare = self._joined(i, "to", bare) if bare and bare.sure else None
        rivals = [one for one in (bare, self._linked(i)) if one and _lasts(*one[1:3])]
        return None if self._word(i - 1, "never") else max(rivals, default=None)

    def _word(self, i: int, kind: str) -> tuple[int, int] | None:
        return self.meant[i].get(kind) if 0 <= i < len(self.meant) else None

    def _skip(self, i: int) -> int:
        """Past articles and commas."""
        for _ in range(3):
            filler = self._word(i, "filler")
            comma = i < len(self.tokens) and self.tokens[i][0] in ",."
            i = filler[1] if filler else i + comma
        return i

    def _linked(self, i: int) -> _Found | None:
        """`since May`, `before 2020`, `between March and May`, `in 2023`."""
        for link in _LINKS[:7]:
            word = self._word(i, link)
            place = self._skip(word[1]) if word else 0
            what = self.point(place) if word else None
            if not what or (self._word(i, "of") and self._mere(i, place, what)):
                continue
            first, last = (_midnight(self.now).replace(y, 1, 1) for y in _EVER)
            ahead = last if what.end >= self.now else self.now
            read = {
                "since": what._replace(end=self.now, counted=True),
                "before": what._replace(start=first, end=what.start),
                "after": what._replace(start=what.end, end=ahead),
                "until": what._replace(start=first),
            }
            how = "and" if link == "between" else "to"
            return read.get(link) or self._joined(place, how, what)
        return None

    def _mere(self, i: int, place: int, what: _Found) -> bool:
        """Whether it is but a number of four digits, and no part of a year is named."""
        number = what.upto == place + 1 and self.tokens[place][0].isdigit()
        return number and not self._word(i - 1, "part")

    def _joined(self, i: int, how: str, first: _Found) -> _Found | None:
        """From the start of one to the end of another: `May to July 2023`."""
        word = self._word(first.upto, how)
        last = self.point(self._skip(word[1])) if word else None
        if last and first.start >= last.end:
            # What comes too late is counted from the other.
            first = replace(self, now=last.start).point(i) or first
        if last and first.start < last.end:
            return last._replace(start=first.start)
        return None if how == "and" else first

    def point(self, i: int) -> _Found | None:
        """The longest expression without a link that begins there."""
        found = list[_Found]()
        for pattern, meaning in _RULES.items():
            said, upto = self._said(i, pattern)
            with suppress(ValueError, OverflowError):  # 30 February
                ends = meaning(said, self.now) if upto else None
                if ends and not ("unit" in said and self._word(upto, "of")):
                    counted = not said.keys().isdisjoint(_COUNTED)
                    sure = pattern[0] != "~" and _sure(said)
                    found.append(_Found(upto, *ends, counted, sure))
        # Of several that are as long, the first of the rules.
        return max(found, key=lambda one: one.upto, default=None)

    def _said(self, i: int, pattern: str) -> tuple[Said, int]:
        """The words of a pattern from there on, and where they end; 0 if not there."""
        said: Said = {}
        for part in pattern.removeprefix("~").split():
            behind = self._take(self._skip(i) if said else i, part.rstrip("?"), said)
            if not behind and part[-1] != "?":
                return said, 0
            i = behind or i
        return said, i

    def _take(self, i: int, kind: str, said: Said) -> int:
        """Note the word of a kind that stands there: where the next stands, else 0."""
        if i >= len(self.tokens):
            return 0
        token, meant = self.tokens[i], self.meant[i]
        if kind in meant:
            small = token[0].islower()
            if small and kind in ("month", "weekday") and "capital" in meant:
                return 0
            said |= {"small": small, "doubtful": "doubtful" in meant}
            said[kind.removesuffix("ped")], upto = meant[kind]
            return upto
        if kind == "digits" and (digits := _DIGITS.match(self.text, token.start())):
            parts = {"year": "y", "month": "m", "number": "d"}
            for part, k in parts.items():
                said[part] = int(digits[k] or digits[f"{k}2"] or digits[f"{k}3"])
            if said["month"] > 12 and digits["m3"]:
                said["month"], said["number"] = said["number"], said["month"]
            while i < len(self.tokens) and self.tokens[i].start() < digits.end():
                i += 1
            return i if said["year"] in _YEARS else 0
        number = _NUMBER.match(self.text, token.start())
        if not number or kind not in ("count", "number", "year"):
            return 0
        said |= {kind: int(number[1])} | ({"nth": 1} if number[2] else {})
        wrong = kind == "year" and (said["year"] not in _YEARS or self._amount(i + 1))
        return 0 if wrong else i + 1

    def _amount(self, i: int) -> bool:
        """Whether the number before is one of things: `2000 lines`, `1999 days`."""
        word = self.tokens[i][0] if i < len(self.tokens) else ""
        unit = self._word(i, "unit") and not self._word(i, "mark")
        return bool(unit) or (len(word) > 4 and word.endswith("s"))


# --- meanings ----------------------------------------------------------------

Said = dict[str, int]
Ends = tuple[datetime, datetime]
Meaning = Callable[[Said, datetime], Ends | None]


def _lasts(start: datetime, end: datetime) -> bool:
    """Whether a stretch has a length; a zone may have left out its midnights."""
    return start < end and start.astimezone(UTC) < end.astimezone(UTC)


def _is_year(start: datetime, end: datetime) -> bool:
    return (start.month, start.day, end) == (1, 1, moved(start, "year", 1))


def _sure(said: Said) -> bool:
    """Whether it is a date even without "in" before it: `April` may be somebody."""
    if not said.get("doubtful") or said.get("step"):
        return True
    beside = {"year", "of_year", "nth", "ordinal", "unit"} | (
        set() if said["small"] else {"number", "step"}
    )
    return not beside.isdisjoint(said)


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)


def moved(moment: datetime, unit: str, count: int) -> datetime:
    """Some units later; hours as they pass, days as the calendar has them."""
    if unit in _CLOCK:
        passed = moment.astimezone(UTC) + timedelta(seconds=_CLOCK[unit] * count)
        return passed.astimezone(moment.tzinfo)
    if unit in _DAYS:
        return moment + timedelta(days=_DAYS[unit] * count)
    year, month = divmod(
        moment.year * 12 + moment.month - 1 + _MONTHS[unit] * count, 12
    )
    last = monthrange(year, month + 1)[1]
    return moment.replace(year, month + 1, min(moment.day, last))


def _holding(day: datetime, unit: str) -> Ends:
    """The calendar's unit with this day in it; a weekend is that of the day's week."""
    if unit in _DAYS:
        back = {"day": 0, "week": day.weekday(), "weekend": day.weekday() - 5}[unit]
        first = day - back * _DAY
        return first, first + {"day": 1, "week": 7, "weekend": 2}[unit] * _DAY
    passed = (day.month - 1) % _MONTHS[unit]
    first = moved(day.replace(day=1), "month", -passed)
    return first, moved(first, unit, 1)


def _unit(said: Said, now: datetime) -> Ends | None:
    """`yesterday`, `last week`; `the weekend` is the last that has begun."""
    unit = "day" if "day" in said else _UNITS[said["unit"]]
    step = said.get("day", said.get("step", -(now.weekday() < 5)))
    named = unit == "weekend" or "step" in said
    if unit in _CLOCK or ("day" not in said and (unit == "day" or not named)):
        return None
    return _holding(moved(_midnight(now), unit, step), unit)


def _rolling(said: Said, now: datetime) -> Ends | None:
    """`the last 3 days` end now, `the next 3 days` begin."""
    unit, way = _UNITS[said["unit"]], said.get("step", -1)
    other = moved(now, unit, way * said.get("count", 1))
    if unit not in _CLOCK:
        other = _midnight(other) + max(way, 0) * _DAY
    return (other, now) if way < 0 else (now, other)


def _ago(said: Said, now: datetime) -> Ends:
    """About so long ago: half a unit before and after."""
    unit = _UNITS[said["unit"]]
    moment = moved(now, unit, -said["count"])
    if unit in _CLOCK:
        slack = max(5, _CLOCK[unit] // 120)
        return moved(moment, "minute", -slack), moved(moment, "minute", slack)
    if unit == "weekend":
        return _holding(_midnight(moment), unit)
    half = _HALF[unit] * _DAY
    return _midnight(moment) - half, _midnight(moment) + half + _DAY


def _weekday(said: Said, now: datetime) -> Ends:
    """The last before today, `this` week's, the `next` after today.

    In Chinese it is that of last week, this or the next, and there is no doubt.
    """
    if "of_week" in said:
        week = _holding(_midnight(now), "week")[0] + said["of_week"] * 7 * _DAY
        return _holding(week + said["weekday"] * _DAY, "day")
    ahead, step = said["weekday"] - now.weekday(), said.get("step", -1)
    days = (ahead, (ahead - 1) % 7 + 1, ahead % 7 - 7)[step]
    return _holding(_midnight(now) + days * _DAY, "day")


def _named(said: Said, now: datetime) -> Ends | None:
    """A year, a month or a day; without its year, the last that has begun."""
    unit = "day" if "number" in said else "month" if "month" in said else "year"
    step = said.get("step")

    def of_year(year: int) -> Ends:
        month, day = said.get("month", 1), said.get("number", 1)
        return _holding(_midnight(now).replace(year, month, day), unit)

    if "year" in said or "of_year" in said:
        return of_year(said.get("year", now.year + said.get("of_year", 0)))
    for distance in range(_LEAP_GAP):
        with suppress(ValueError):
            start, end = of_year(now.year + (distance if step == 1 else -distance))
            past = end <= now if step == -1 else start <= now
            if step == 0 or past == (step != 1):
                return start, end
    return None


def _nth(said: Said, now: datetime) -> Ends | None:
    """`the first Saturday of May`, `the last weekend of last October`."""
    month = _named({k: v for k, v in said.items() if k not in ("weekday", "unit")}, now)
    unit = _UNITS[said["unit"]] if "unit" in said else "weekend"
    if not month or unit not in ("week", "weekend"):
        return None
    (start, end), nth = month, said.get("ordinal") or said["which"]
    # A weekend is that of its Saturday, the first week that of the first day.
    day = said.get("weekday", 5 if unit == "weekend" else start.weekday())
    first = start + (day - start.weekday()) % 7 * _DAY
    first += ((end - first - _DAY).days // 7 if nth == _LAST else nth - 1) * 7 * _DAY
    if unit == "week" and nth == _LAST:
        first = end - 7 * _DAY
    days = 1 if "weekday" in said else 2 if unit == "weekend" else 7
    return (first, first + days * _DAY) if first < end else None


def _around(said: Said, now: datetime) -> Ends | None:
    """`the weekend of 20 June`, `the week of May 3`."""
    unit = _UNITS[said["unit"]]
    day = _named({k: v for k, v in said.items() if k != "unit"}, now)
    return _holding(day[0], unit) if day and unit in ("week", "weekend") else None


# What stands in a row, and what it means; `?` may be missing, `~` needs an "in" before.
_RULES: dict[str, Meaning] = {
    **dict.fromkeys(("day", "step unit", "unit stepped", "~unit"), _unit),
    **dict.fromkeys(("rolling unit", "step count unit", "count step unit"), _rolling),
    **dict.fromkeys(("count unit ago", "back count unit ago?"), _ago),
    **dict.fromkeys(("of_week weekday", "step weekday", "weekday stepped?"), _weekday),
    **dict.fromkeys(("step month", "month stepped? year? of_year?"), _named),
    **dict.fromkeys(("year mark? month number?", "year mark", "~year"), _named),
    "ordinal weekday in? step? month year? of_year?": _nth,
    "ordinal unit in? step? month year? of_year?": _nth,
    **dict.fromkeys(("unit number month year?", "unit month number year?"), _around),
    **dict.fromkeys(("month which weekday", "month which unit"), _nth),
    "weekday? digits": _named,
    "weekday? number month year? of_year?": _named,
    "weekday? month number year? of_year?": _named,
}
_COUNTED = frozenset(("day", "step", "rolling", "ago", "back", "of_year", "of_week"))
