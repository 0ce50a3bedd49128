"""Whether a text says nothing that another does not.

It is noticed by its words, and taken for the same only if nothing that changes a
meaning differs: who, when, how many, in which order, not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.encoding.routing.lexicon import PAST, words_in
from reverie.index.words import stems, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHARE = 0.8
"""So much of what is known a text must say to be the same."""

MOST_KEPT = 256
LONGEST_KEPT = 4_000
"""So many texts of so many characters are kept as they were read, because one is
compared with many."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What a text says, as far as it matters whether another says the same.

    Attributes:
        stems: Its telling words, each once, in order, without days and numbers.
        days: Weekdays and months.
        signs: Numbers, and words with signs that tell them apart: `C++`.
        turns: Words that turn a meaning: not, must, from, who.
        persons: Who is spoken of by a pronoun, in order.
        past: The stems of words in the past.
        names: The stems of words with a capital letter.
        asks: Whether it is a question.
    """

    stems: tuple[str, ...]
    days: frozenset[str]
    signs: tuple[str, ...]
    turns: tuple[str, ...]
    persons: tuple[str, ...]
    past: frozenset[str]
    names: frozenset[str]
    asks: bool


def restated(new: str, old: str) -> bool:
    """Whether a new text says nothing that an old one does not."""
    one, other = _said(new), _said(old)
    said, known = {*one.stems, *one.days}, {*other.stems, *other.days}
    if not (said or one.signs) or not said <= known:
        return False
    if len(said) < SHARE * len(known):
        return False
    if other.names & (known - said) or not _in_order(one.stems, other.stems):
        return False
    return (
        one.signs == other.signs
        and one.days == other.days
        and one.turns == other.turns
        and one.persons == other.persons
        and one.past == other.past
        and one.asks is other.asks
    )


def _in_order(part: Sequence[str], whole: Iterable[str]) -> bool:
    rest = iter(whole)
    return all(word in rest for word in part)


def _said(text: str) -> _Said:
    return _kept(text) if len(text) <= LONGEST_KEPT else _read(text)


@lru_cache(maxsize=MOST_KEPT)
def _kept(text: str) -> _Said:
    return _read(text)


def _read(text: str) -> _Said:
    plain = _NOT.sub(" not", text.replace("\u2019", "'"))
    tokens = _TOKEN.findall(plain)
    lows = [token.lower() for token in tokens]
    telling = dict.fromkeys(terms(plain))
    days = frozenset(stem for stem in telling if stem in _DAYS)
    past = stems(low for low in lows if low in PAST or _ED.fullmatch(low))
    names = (token.lower() for token in tokens if token[0].isupper())
    kept = (stem for stem in telling if stem not in days and stem not in _OWN)
    return _Said(
        tuple(stem for stem in kept if not stem.isdecimal() and stem not in COUNTS),
        days,
        tuple(_signs(plain)),
        tuple(_TURNS[low] for low in lows if low in _TURNS),
        _persons(lows),
        frozenset(past),
        frozenset(stems(names)),
        plain.rstrip(" \n\r\t\"')*_").endswith("?"),
    )


def _signs(text: str) -> Iterable[str]:
    """Numbers and the like, in order."""
    for found in _SIGN.finditer(text):
        yield COUNTS.get(found[0].lower()) or found[0].lower().rstrip(".,:/-")


def _persons(lows: Sequence[str]) -> tuple[str, ...]:
    """Who is spoken of; the owner at the start goes without saying."""
    found = [_PERSONS[low] for low in lows if low in _PERSONS]
    return tuple(found[1:] if found[:1] == ["owner"] else found)


_NOT = re.compile(r"n't\b", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_]+")
_ED = re.compile(r"[a-z]{2,}ed")
_SIGN = re.compile(
    r"(?<![\w-])[-\u2212]?[$\u20ac\u00a3]?\d[\w.,:/%-]*|\b[A-Za-z]\w{0,12}[+#]+"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
COUNTS = {
    word: str(number)
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
        1,
    )
}
_OWN = frozenset(stems(["user", "users"]))
_DAYS = frozenset(
    stems(
        words_in("""
            monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
            wednesdays thursdays fridays saturdays sundays january february march april
            june july august september october november december today tomorrow
            yesterday
        """)
    )
)
_TURNS = {
    word: word
    for word in words_in("""
        not never nor neither can could will would should may might must shall from to
        by before after over under than without until till since if unless or except
        instead against some any who what when where which why how only
    """)
} | {"no": "not", "cannot": "not", "none": "not", "without": "not"}
_PERSONS = {
    **dict.fromkeys(("i", "me", "my", "mine", "user"), "owner"),
    **dict.fromkeys(("we", "us", "our"), "we"),
    **dict.fromkeys(("you", "your"), "you"),
    **dict.fromkeys(("he", "him", "his"), "he"),
    **dict.fromkeys(("she", "her", "hers"), "she"),
    **dict.fromkeys(("they", "them", "their"), "they"),
}
