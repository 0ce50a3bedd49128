"""Of what a statement claims something: a subject, and perhaps an attribute of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.routing.lexicon import (
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    words_in,
)
from reverie.index.words import stems
from reverie.index.words import words as split_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.encoding.routing.reading import Word

LONGEST_SUBJECT = 7
"""So many words a subject may have."""


@dataclass(frozen=True, slots=True)
class About:
    """Of what something is claimed.

    Attributes:
        key: The stems of its words, sorted; the owner is `user`.
        said: The words for people.
        proper: The words of a proper name, in order; empty where it is none.
    """

    key: tuple[str, ...]
    said: str
    proper: tuple[str, ...] = ()


def matches(one: About, other: About) -> bool:
    """Whether two subjects are one; a full name is that of its first word."""
    if one.key == other.key:
        return True
    if not one.proper or not other.proper:
        return False
    shorter = min(len(one.proper), len(other.proper))
    return shorter == 1 and one.proper[0] == other.proper[0]


def about(words: Sequence[Word]) -> About | None:
    """The subject of a clause; None where nobody can tell who is meant."""
    if not words or len(words) > LONGEST_SUBJECT or not _is_plain(words):
        return None
    bare = _without_articles(words)
    return About(_key(bare), _said(words), _proper(bare)) if bare else None


def attribute(words: Sequence[Word]) -> tuple[About, str] | None:
    """What a noun phrase asks of what: `the deadline of the project`.

    Returns:
        The subject, told with the attribute, and the attribute; None where it is none
        that has one value at a time.
    """
    if not words or len(words) > LONGEST_SUBJECT:
        return None
    lows = [word.low for word in words]
    of = lows.index("of", 1) if "of" in lows[1:] else len(lows)
    head, size = _head(lows[:of])
    if not head or not _is_plain(words):
        return None
    rest = _without_articles((*words[: of - size], *words[of:]))
    return About(_key(rest), _said(words), _proper(rest) if rest else ()), head


def _without_articles(words: Sequence[Word]) -> list[Word]:
    """Words without articles; the A of `node A` is a name."""
    return [
        word
        for place, word in enumerate(words)
        if word.low not in _ARTICLES or (place and word.text == "A")
    ]


def _head(lows: Sequence[str]) -> tuple[str, int]:
    """The attribute at the end of a phrase, and how many words it takes."""
    pair = " ".join(lows[-2:])
    if pair in _PAIRS:
        return _PAIRS[pair], 2
    last = lows[-1]
    if last in ATTRIBUTES:
        return _SPELLINGS.get(last, last), 1
    marked = len(lows) > 1 and not _ONE_OF.isdisjoint(lows[:-1])
    return (stems([last])[0], 1) if marked and last.isalpha() else ("", 0)


def _is_plain(words: Sequence[Word]) -> bool:
    """Whether words can be a noun phrase that stands for one thing."""
    if words[0].low in PREPOSITIONS or words[-1].stop:
        return False
    inner = words[:-1]
    if any(word.stop for word in inner):
        return False
    lows = [word.low for word in words]
    if any(low in _UNKNOWN for low in lows):
        return False
    return not any(low in _VERBS for low in lows[1:])


def _key(words: Sequence[Word]) -> tuple[str, ...]:
    parts: set[str] = set()
    for word in words:
        low = word.low.removesuffix("'s").removesuffix("'")
        if low in _OWNER:
            parts.add("user")
        elif low in _TEAM:
            parts.add("we")
        elif low not in _GLUE:
            parts.update(stems(_SPELLINGS.get(w, w) for w in split_words(low)))
    return tuple(sorted(parts))


def _said(words: Sequence[Word]) -> str:
    """The words of a subject, for people."""
    article = words[0].low in _ARTICLES
    bare = words[1:] if article else words
    if len(bare) == 1 and bare[0].low.removesuffix("'s") in _OWNER:
        return "the user"
    text = " ".join(_OWN.get(word.low, word.text) for word in bare)
    common = bare[0].text.islower() and bare[0].low not in _OWN
    return f"the {text}" if article or common else text


def _proper(words: Sequence[Word]) -> tuple[str, ...]:
    if not all(word.text[0].isupper() for word in words):
        return ()
    return tuple(word.low.removesuffix("'s") for word in words)


_OWN = {"my": "the user's", "our": "our", "we": "we", "i": "the user"}
_ARTICLES = frozenset(("the", "a", "an", "this"))
_OWNER = frozenset(("i", "my", "me", "user"))
_TEAM = frozenset(("we", "our", "us"))
_GLUE = frozenset(("of", "for", "in", "at", "to", "on"))
_UNKNOWN = (PRONOUNS - {"this", "one"}) | words_in("""
    his her their its your or if when because every each any all most both
""")
_VERBS = words_in("""
    says said thinks told tells believes claims hopes lives depends relies belongs
    contains includes consists knows prefers live depend rely belong contain include
""")
_ONE_OF = words_in("""
    favourite favorite default preferred primary main current official maximum minimum
    max min total average
""")
_SPELLINGS = {
    "color": "colour",
    "favorite": "favourite",
    "neighbor": "neighbour",
    "max": "maximum",
    "min": "minimum",
    "e-mail": "email",
    "cell": "phone",
}
_PAIRS = {
    "email address": "email",
    "e-mail address": "email",
    "phone number": "phone",
    "mobile number": "phone",
    "due date": "deadline",
    "time zone": "timezone",
    "job title": "job",
    "birth date": "birthday",
    "date of birth": "birthday",
    "start date": "start",
    "end date": "end",
    "release date": "release",
    "start time": "start",
    "licence plate": "plate",
    "blood type": "blood",
    "best friend": "best friend",
    "middle name": "middle name",
    "last name": "last name",
    "first name": "first name",
}
ATTRIBUTES = words_in("""
    deadline date time price cost rate limit port version size colour color name email
    phone number status address location capital ceo cto cfo owner manager boss head
    password pin code budget salary age height weight length width depth birthday
    anniversary title role job position profession occupation timezone url domain
    branch host hostname region database language username nickname surname plate wife
    husband landlord dentist president mayor supervisor quota timeout threshold
    interval frequency temperature speed capacity duration score rating rank grade
    level phase stage priority severity gate seat room floor desk platform terminal
    blood schedule doctor lawyer accountant therapist lead chair captain theme
    currency target goal balance rent fee tax total count ip
    policy strategy type format mode mascot motto slogan licence license protocol
    algorithm framework editor browser shell provider engine backend architecture
    layout font unit runtime compiler linter formatter namespace contact mentor tutor
    coach deputy assignee maintainer employer hometown birthplace nationality diet
    breed brand venue destination tier plan codename alias prefix suffix encoding
    locale cadence headcount winner sponsor methodology
""")
"""What a thing has one of at a time."""


def is_person(words: Sequence[Word]) -> bool:
    """Whether a subject can only be a person."""
    lows = [word.low for word in words]
    named = all(w.text[0].isupper() for w in words) and lows[0] not in DETERMINERS
    return lows[0] in _OWNER or lows[-1] == "user" or named
