"""Value keys: keys that two statements share if one value alone tells them apart.

A value is a number or a date. Each value of a statement gives one key: the rest of the
sentence, on the page it is about. Two statements with a common key say the same with
another value, so they may not both hold. Only structure counts, in any language:

- Two differing values, such as the day and the result of a measurement, share no key.
- A value near the start of a sentence names its subject ("Room 3 …"), as does a value
  with more words behind it than before it. These give no key. In Japanese the particle
  before a value says that it is part of the predicate.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from functools import cache, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from reverie.dates import date_names, find_spans
from reverie.model import items
from reverie.model.ids import Kind, page_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

MAX_TEXT_CHARACTERS = 200
"""A longer text says more than one thing."""

MIN_WORDS_BEFORE, MAX_WORDS_BEHIND = 2, 3
"""A value with fewer words before it, or more behind it, is part of the subject."""

MAX_VALUES = 4
"""A text with more values is a table or a log line."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)\u5e74?")
_SIGNS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# A number behind `#` or the sign for "number …" is a name, as in "ticket #118".
_FREE = rf"(?<![^\W{_SIGNS}])(?<![.,:/#\u7b2c-])"
_NUMBER = rf"{_FREE}\d+(?:[.,:/'\u2019-]\d+)*(?:[^\W\d_{_SIGNS}]{{1,3}}\b)?"
_TIME = (
    rf"{_FREE}\d{{1,2}}(?:\s?h(?:\s?\d\d)?\b"
    r"|[\u70b9\u9ede\u6642\u65f6](?:\d{1,2}\u5206|\u534a)?)"
)
_BETWEEN = r"(?:[\s,.]{1,3}|\s(?:de|of|do|del|the)\s)"
_EASTERN_DATE = r"(?:\d{4}\u5e74)?\d{1,2}\u6708(?:\d{1,2}[\u65e5\u53f7\u65e5])?"
_WRITTEN_DATE = re.compile(r"\d[./-]\d+[./-]\d|\d{4}-\d\d|[\u5e74\u6708]")
_PRESENT = re.compile(
    r"[\s,]*(?:\b(?:now|currently|presently|jetzt|derzeit|inzwischen|mittlerweile|ahora"
    r"|actualmente|maintenant|d\u00e9sormais|actuellement|agora|atualmente|adesso"
    r"|attualmente|inmiddels)\b|\u73b0\u5728|\u76ee\u524d|\u73fe\u5728(?:\u306f)?)(?!-)",
    re.IGNORECASE,
)
"""Words that say no more than that a statement holds at present."""

_THOUSANDS = re.compile(r"\d{1,3}(?:[,.'\u2019]\d{3})+(?![\d.,:])")
_FULL_HOUR = re.compile(
    r"^(\d{1,2})(?:[:.]00|\s?h(?:\s?00)?|[\u70b9\u9ede\u6642\u65f6])$"
)
_HOUR = re.compile(r"^(\d{1,2})\s?h\s?(\d\d)$")

_WORD = re.compile(r"\w+")
_HIRAGANA = re.compile(r"[\u3041-\u309f]$")
_IDEOGRAPH = re.compile(f"[{_SIGNS}]")
_SPACE = re.compile(r"\s+")


class Value(NamedTuple):
    """A number or a date in a text: where it stands, and whether it is a date."""

    start: int
    end: int
    is_date: bool


@cache
def _value_pattern() -> re.Pattern[str]:
    """Return the pattern of a value: numbers and names of days in a row."""
    sure, doubtful = date_names()
    capital = _alternatives(word.capitalize() for word in doubtful)
    names = rf"{_EASTERN_DATE}|{_alternatives(sure)}|(?-i:{capital})"
    part = rf"(?:{names}|{_TIME}|{_NUMBER})"
    return re.compile(rf"{part}(?:{_BETWEEN}{part})*", re.IGNORECASE)


def _alternatives(names: Iterable[str]) -> str:
    """Return a pattern for any of some names, the longest first."""
    ordered = sorted(names, key=len, reverse=True)
    return "|".join(
        re.escape(each).replace(r"\ ", r"\s*") + "\u65e5?"
        if _IDEOGRAPH.search(each)
        else rf"\b{re.escape(each)}\b".replace(r"\ ", r"[\s-]")
        for each in ordered
    )


def drop_present(text: str) -> str:
    """Return a statement without words such as "now", which change nothing in it."""
    return _PRESENT.sub("", text).lstrip(" ,")


@cache
def _first_words() -> frozenset[str]:
    """Return the words that the names of days begin with."""
    return frozenset(name.split(" ")[0] for names in date_names() for name in names)


def find_values(text: str) -> list[Value]:
    """Return the numbers and dates of a text, in their order."""
    plain = not any(map(str.isdigit, text)) and not _IDEOGRAPH.search(text)
    if plain and _first_words().isdisjoint(_WORD.findall(text.lower())):
        # The pattern is slow, and most texts have no value.
        return []
    return [
        Value(found.start(), found.end(), is_date=_is_date(found[0]))
        for found in _value_pattern().finditer(text)
    ]


def find_differing_value(one: str, other: str) -> tuple[Value, Value] | None:
    """Return the first values that differ in two texts with the same words.

    Two spellings of one number or time, such as `1,500` and `1500`, do not differ.
    """
    for a, b in zip(find_values(one), find_values(other), strict=False):
        if _plain_value(one[a.start : a.end]) != _plain_value(other[b.start : b.end]):
            return a, b
    return None


def _plain_value(value: str) -> str:
    """Return a value without thousands separators, full hours and marks of hours."""
    plain = _SPACE.sub(" ", value.casefold())
    if _THOUSANDS.match(plain):
        plain = re.sub(r"(?<=\d)[,.'\u2019](?=\d{3}(?!\d))", "", plain)
    return _HOUR.sub(r"\1:\2", _FULL_HOUR.sub(r"\1", plain))


def is_past_year(text: str, value: Value, today: date) -> bool:
    """Return whether a value is a year alone, and not a later one than this year."""
    year = text[value.start : value.end]
    return bool(_YEAR.fullmatch(year)) and int(year[:4]) <= today.year


def find_day(text: str, value: Value, said: date) -> tuple[date | None, bool]:
    """Return the first day of a date, and whether the date names its year.

    A year alone has no such day. Neither has a date with slashes, in which the day and
    the month may be exchanged.

    Args:
        text: A statement.
        value: One of its values.
        said: The day it was said.
    """
    words = text[value.start : value.end]
    year = _YEAR.search(words)
    if "/" in words or (year and year[0] == words):
        return None, False
    noon = datetime(said.year, said.month, said.day, 12, tzinfo=UTC)
    for span in find_spans(text, noon):
        if span.at[0] < value.end and value.start < span.at[1]:
            return span.start.date(), year is not None
    return None, False


def _is_date(value: str) -> bool:
    """Return whether a value names a day or is written as a date."""
    words = (word for word in _WORD.findall(value) if not word[0].isdigit())
    return bool(_WRITTEN_DATE.search(value)) or any(words)


@lru_cache(maxsize=4_096)
def value_keys(page: str, text: str) -> frozenset[int]:
    """Return the keys of a statement, one for each value that can be its predicate.

    The keys are negative, so they never equal a key of a sketch.

    Args:
        page: What the statement is about; statements of two pages share no key.
        text: The statement.
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    if len(plain) > MAX_TEXT_CHARACTERS:
        return frozenset()
    plain = drop_present(plain)
    values = find_values(plain)
    if not 0 < len(values) <= MAX_VALUES:
        return frozenset()
    return frozenset(_keys(page, plain, values))


def keys_of(entry: items.Entry) -> frozenset[int]:
    """Return the keys of a memory that states something: a fact, or a noted statement.

    What happened can happen again with another value, so other episodes have none.
    """
    match entry.item:
        case items.Statement(fact=fact):
            return value_keys(page_of(str(entry.id)), fact.text)
        case items.Episode(kind=items.EpisodeKind.FACT, text=text) as episode:
            # What is for one person alone is compared with nothing of others.
            return value_keys(f"{Kind.EPISODE} {items.scope_of(episode)}", text)
        case _:
            return frozenset()


def _keys(page: str, text: str, values: list[Value]) -> Iterator[int]:
    for value in values:
        before, behind = text[: value.start], text[value.end :]
        if not _is_predicate(before, behind, value):
            continue
        masked = f"{before}\0{'date' if value.is_date else 'number'}\0{behind}"
        rest = _SPACE.sub(" ", masked.casefold()).rstrip(" .!\u3002")
        said = f"{page}\0{rest}".encode("utf-8", "replace")
        digest = blake2b(said, digest_size=8, person=b"value").digest()
        yield -1 - (int.from_bytes(digest, "big") >> 3)


def _is_predicate(before: str, behind: str, value: Value) -> bool:
    """Return whether a value is what a sentence says, and does not name its subject."""
    words = _count_words(before)
    if value.is_date and before.rstrip().endswith((":", "\uff1a")):
        return words > 0
    if _HIRAGANA.search(before):
        return _count_words(behind) <= MAX_WORDS_BEHIND
    return words >= MIN_WORDS_BEFORE and _count_words(behind) < min(
        words, MAX_WORDS_BEHIND + 1
    )


def _count_words(text: str) -> int:
    """Count words; two characters of a script without spaces count as one."""
    signs = len(_IDEOGRAPH.findall(text))
    return len(_WORD.findall(_IDEOGRAPH.sub(" ", text))) + (signs + 1) // 2
