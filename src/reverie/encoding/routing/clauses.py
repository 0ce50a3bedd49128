"""Where a sentence's verb stands: who is spoken of before it, what is said after it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.encoding.routing.lexicon import (
    DETERMINERS,
    NOUNS_TOO,
    PARTICIPLES,
    PAST,
    PREPOSITIONS,
    PRESENT,
    QUANTIFIERS,
    words_in,
)
from reverie.encoding.routing.naming import looks_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.encoding.routing.reading import Word

FARTHEST_VERB = 12
"""So far into a sentence its verb is looked for."""


class Tense(Enum):
    """When what a clause says holds."""

    NOW = auto()
    OVER = auto()
    AHEAD = auto()


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence cut at its verb.

    Attributes:
        before: A time or place that comes first: `last night`.
        subject: Who or what is spoken of; empty where nobody is named.
        rest: From the verb on.
        point: The same without adverbs, but with a `never` from before the verb.
        said: The words of the point in small letters.
        tense: When it holds.
    """

    before: tuple[Word, ...]
    subject: tuple[Word, ...]
    rest: tuple[Word, ...]
    point: tuple[Word, ...]
    said: str
    tense: Tense


def clause_of(words: Sequence[Word]) -> Clause | None:
    """A sentence's first clause; None where no verb is found."""
    start = _front(words)
    verb = _verb_at(words, start)
    if verb < 0:
        return None
    end = _past_adverbs(words, start, verb)
    rest = tuple(words[verb:])
    denied = [word for word in words[end:verb] if _denies(word)]
    kept = [word for word in rest if word.low not in _ADVERBS or word.stop]
    point = (*denied, *kept)
    said = " ".join(word.low for word in point)
    subject = tuple(words[start:end])
    return Clause(tuple(words[:start]), subject, rest, point, said, _tense(rest))


def after(words: Sequence[Word], at: int) -> Sequence[Word]:
    """The words that begin after so many characters of what they say together."""
    said = 0
    for number, word in enumerate(words):
        if said >= at:
            return words[number:]
        said += len(word.low) + 1
    return ()


def _denies(word: Word) -> bool:
    return word.low in {"never", "no", "longer", "not", "rarely", "hardly"}


def _front(words: Sequence[Word]) -> int:
    """How many words tell the time or place before the clause begins."""
    at = 0
    while at < len(words) - 1 and words[at].low in _OPENERS:
        at += 1
    if at >= len(words) - 1:
        return at
    low, following = words[at].low, words[at + 1].low
    if low in _WHICH and following in _TIMES:
        return at + 2
    if low in _FRONT:
        return _past_front(words, at)
    return at


def _past_front(words: Sequence[Word], at: int) -> int:
    """Past `on 12 May` or `in an emergency`, to the comma or the last number."""
    for end in range(at + 1, min(at + 8, len(words))):
        if words[end].stop == ",":
            return end + 1
        if words[end].stop:
            break
    end = at + 1
    while end < len(words) and is_date(words[end]):
        end += 1
    return end if end > at + 1 else at


def is_date(word: Word) -> bool:
    """Whether a word is part of a date."""
    return _DATE.fullmatch(word.low) is not None


def _verb_at(words: Sequence[Word], start: int) -> int:
    for at in range(start, min(start + FARTHEST_VERB, len(words))):
        if _is_verb(words, start, at):
            return at
        if words[at].stop and words[at].stop != ",":
            break
    return _likely_verb(words, start)


def _likely_verb(words: Sequence[Word], start: int) -> int:
    """A verb nobody listed: `the old pump leaks in winter`, `wasps sting`."""
    if len(words) - start < 3:
        return -1
    for at in range(start + 1, min(start + 6, len(words))):
        before, word = words[at - 1], words[at]
        follows = words[at + 1].low if at + 1 < len(words) else ""
        if before.stop or not word.low.isalpha() or not word.text.islower():
            continue
        single = word.low.endswith("s") and not word.low.endswith(("ss", "us", "is"))
        noun = before.low not in _BEFORE_NOUNS and before.low.isalpha()
        ends = follows in _AFTER_VERBS or word.stop in {".", "!"} or not follows
        if single and noun and ends and not before.low.endswith("s"):
            return at
    return -1


def _is_verb(words: Sequence[Word], start: int, at: int) -> bool:
    low = words[at].low
    if low in _AUXILIARIES:
        return at > start or low in PAST
    if (words[at].text[0].isupper() and at > start) or ":" in words[at].stop:
        return False
    follows = words[at + 1].low if at + 1 < len(words) else ""
    if follows in _BE or (at > start and words[at - 1].low in _BEFORE_NOUNS):
        return False
    told = at == _past_openers(words, start) and low.isalpha()
    if told or _is_past(words, start, at):
        return True
    subject = words[start : _past_adverbs(words, start, at)]
    return bool(subject) and _is_present(subject, words[at])


def _past_openers(words: Sequence[Word], start: int) -> int:
    """Where a verb must stand: after `we`, and adverbs; -1 where nothing says so."""
    if words[start].low not in {"i", "we", "they", "you"}:
        return -1
    at = start + 1
    while at < len(words) and (words[at].low in _ADVERBS or _denies(words[at])):
        at += 1
    plain = at < len(words) and words[at].low not in _AFTER_PRONOUNS
    return at if plain else -1


def _past_adverbs(words: Sequence[Word], start: int, end: int) -> int:
    """Where a subject ends, without adverbs between it and its verb."""
    while end > start and (words[end - 1].low in _ADVERBS or _denies(words[end - 1])):
        end -= 1
    return end


def _is_past(words: Sequence[Word], start: int, at: int) -> bool:
    low = words[at].low
    if low in PAST:
        return True
    if not low.endswith("ed") or len(low) < 4 or low in _NO_PAST:
        return False
    # "the failed job": what stands before a noun is no verb
    return at == start or words[at - 1].low not in DETERMINERS


def _is_present(subject: Sequence[Word], word: Word) -> bool:
    low = word.low
    last = subject[-1]
    if low in PRESENT:
        many = (
            last.low in _MANY
            or (last.low.endswith("s") and not last.low.endswith("ss"))
            or any(part.low == "and" for part in subject)
            or (low not in NOUNS_TOO and len(subject) == 1)
        )
        return many and not last.stop
    base = _base(low)
    if base in PRESENT:
        return not last.stop or last.stop == ","
    alone = len(subject) == 1 or all(looks_named(part) for part in subject[1:])
    named = looks_named(last) and alone and subject[0].low not in QUANTIFIERS
    return named and low.endswith("s") and not low.endswith(("ss", "'s", "us"))


def _base(low: str) -> str:
    """`goes` as `go`, `lives` as `live`."""
    if low in _ODD:
        return _ODD[low]
    if low.endswith("ies"):
        return f"{low[:-3]}y"
    if low.endswith(("ches", "shes", "sses", "xes", "oes")):
        return low[:-2]
    return low.removesuffix("s") if low.endswith("s") else ""


def base_of(word: str) -> str:
    """A verb in the present as with `they`."""
    return word if word in PRESENT else _base(word) or word


def _tense(rest: Sequence[Word]) -> Tense:
    low = rest[0].low
    following = next((w.low for w in rest[1:] if w.low not in _ADVERBS), "")
    if low in {"will", "shall"}:
        return Tense.AHEAD
    if low in {"am", "is", "are"} and following.endswith("ing") and _ahead(rest):
        return Tense.AHEAD
    if low in {"has", "have"}:
        if following == "been" and not any(_is_done(w.low) for w in rest[2:4]):
            return Tense.NOW
        return Tense.OVER if _is_done(following) else Tense.NOW
    past = low in PAST or (low.endswith("ed") and low not in _NO_PAST)
    return Tense.OVER if past and low not in {"could", "would"} else Tense.NOW


def _is_done(low: str) -> bool:
    """Whether a word after `have` says that something was done."""
    ended = low.endswith("ed") and len(low) > 4 and low not in _NO_PAST
    return low != "had" and (ended or low in PARTICIPLES)


def _ahead(rest: Sequence[Word]) -> bool:
    """Whether `is coming` tells of a day to come."""
    lows = [word.low for word in rest]
    if "going" in lows[1:3] and "to" in lows[2:4]:
        return True
    return not _SOON.isdisjoint(lows) or any(
        first in {"on", "next", "in", "this"} and second in _TIMES
        for first, second in pairwise(lows)
    )


_SOON = frozenset(("tomorrow", "tonight", "soon"))
_BE = frozenset(("is", "are", "was", "were"))
_ODD = {"has": "have", "does": "do"}
_AUXILIARIES = words_in("""
    is are am was were has have had do does did can could will would should may might
    must shall
""")
_ADVERBS = words_in("""
    really very so also just still now currently usually always often generally
    absolutely strongly totally quite mostly actually already only finally both all
    recently definitely particularly especially truly sometimes normally typically
    much simply probably apparently
""")
_OPENERS = words_in("""
    yesterday today tonight tomorrow recently currently finally now so then also
    apparently earlier afterwards btw and but basically luckily sadly unfortunately
    nowadays
""")
_WHICH = frozenset(("last", "this", "next", "every", "the", "that"))
_TIMES = words_in("""
    night week month year morning afternoon evening weekend summer winter spring
    autumn monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december season
    quarter time
""")
_FRONT = frozenset(
    (
        "on",
        "in",
        "at",
        "during",
        "since",
        "by",
        "as",
        "for",
        "after",
        "according",
        "despite",
    )
)
_DATE = re.compile(
    r"the|of|early|late|mid|[0-9][0-9:./-]{0,10}(?:st|nd|rd|th|am|pm)?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_NO_PAST = words_in("""
    need speed feed seed breed exceed indeed proceed embed hundred sacred naked allied
    shed succeed weed sled
    heed reed deed steed screed bleed
""")
_MANY = frozenset(("i", "we", "you", "they", "people", "kids", "children"))
_AFTER_PRONOUNS = (DETERMINERS | PREPOSITIONS | {"and", "who"}) - {
    "that",
    "this",
    "all",
    "both",
    "her",
}
_AFTER_VERBS = (
    PREPOSITIONS
    | DETERMINERS
    | _ADVERBS
    | {*("too", "well", "not", "it", "if", "when", "because", "and", "but")}
)
_BEFORE_NOUNS = (DETERMINERS | PREPOSITIONS) - {"that", "this", "all", "both", "her"}
