"""A text as the rules read it: sentences of words, and whether it is English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.routing.gazetteer import (
    GIVEN_NAMES,
    GIVEN_TOO,
    PLACES,
    TOOLS,
    WORDS_TOO,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_READ = 2_000
"""So many characters of a long text are judged: how it begins says what it is."""

MOST_SENTENCES = 6
MOST_WORDS = 60
"""So many words of one sentence are read."""


class Word(NamedTuple):
    """A word, the same in small letters, and the punctuation after it."""

    text: str
    low: str
    stop: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence.

    Attributes:
        text: Its words, as they stand.
        low: The same in small letters, short forms written out.
        words: Its words.
        asks: Whether it is a question.
        english: Whether nothing speaks for another language.
    """

    text: str
    low: str
    words: tuple[Word, ...]
    asks: bool
    english: bool


def read(text: str) -> tuple[Sentence, ...]:
    """The first sentences of a text, without words that only say: remember."""
    lead = _lead(text[:MOST_READ].replace("\u2019", "'").strip())
    found: list[Sentence] = []
    pending = ""
    for piece in _split(lead):
        pending = f"{pending} {piece}" if pending else piece
        if pending.endswith(_ABBREVIATIONS):
            continue
        found.append(_sentence(pending))
        pending = ""
        if len(found) == MOST_SENTENCES:
            break
    if pending:
        found.append(_sentence(pending))
    return tuple(sentence for sentence in found if sentence.words)


def _lead(text: str) -> str:
    """A text from where it begins to say something."""
    lead = _OPENER.sub("", text, count=1)
    return lead if lead == text else lead[:1].upper() + lead[1:]


def _split(text: str) -> list[str]:
    return [piece for piece in _BREAK.split(text) if piece.strip()]


def _sentence(text: str) -> Sentence:
    full = _written_out(text) if "'" in text else text
    found = (_word(raw) for raw in full.split(maxsplit=MOST_WORDS)[:MOST_WORDS])
    words = tuple(word for word in found if word.text)
    if not _CAPITAL.search(text, 1):
        words = tuple(map(_capitalised, words))
    return Sentence(
        " ".join(text.split()),
        " ".join(full.lower().split()),
        words,
        text.rstrip(" \"')*_").endswith("?"),
        _is_english(full, words),
    )


def _word(raw: str) -> Word:
    if raw.isalnum():
        return Word(raw, raw.lower(), "")
    if raw[-1] in ",!?;:" and raw[:-1].isalnum():
        return Word(raw[:-1], raw[:-1].lower(), raw[-1])
    bare = raw.lstrip(_QUOTES)
    text = bare.rstrip(_QUOTES + _STOPS)
    tail = bare[len(text) :]
    stop = "".join(char for char in tail if char in _STOPS)
    if stop == "." and text.lower() in _SHORT:
        stop = ""
    return Word(text, text.lower(), stop)


def _capitalised(word: Word) -> Word:
    """A name that was typed in small letters, as it is usually written."""
    low = word.low.removesuffix("'s")
    named = low in GIVEN_NAMES or low in PLACES or low in TOOLS
    if not named or low in GIVEN_TOO or low in WORDS_TOO:
        return word
    return Word(word.text[0].upper() + word.text[1:], word.low, word.stop)


def _written_out(text: str) -> str:
    """`I'm` as `I am`, `don't` as `do not`."""
    text = _NOT.sub(lambda found: f"{_BEFORE_NOT.get(found[1], found[1])} not", text)
    return _SHORTENED.sub(lambda found: f"{found[1]} {_LONG[found[2].lower()]}", text)


_CAPITAL = re.compile("[A-HJ-Z\u00c0-\u00de]|I[a-z]")
_QUOTES = "\"'()[]{}*_`\u2018\u201c\u201d\u00ab\u00bb"
_STOPS = ".,;:!?\u2026"
_SHORT = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "vs", "approx", "no"))
_ABBREVIATIONS = ("Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "St.", "e.g.", "i.e.", "vs.")
_BREAK = re.compile(r"(?<=[.!?\u3002])\s+|\n+")
_OPENER = re.compile(
    r"(?:(?:please|hey|hi|ok|okay|well|oh|and|btw|also|honestly|frankly|basically|tbh"
    r"|anyway|apparently|look|listen|yes|yeah|so(?=,| (?:i|we|the|my|our|it)\b))[,!]?"
    r"\s{1,3}){0,2}"
    r"(?:(?:(?:please )?(?:remember|note|know|recall)(?: that|:)"
    r"|keep in mind(?: that|:|,)?|don't forget(?: that|:)|do not forget(?: that|:)"
    r"|fyi(?: for later)?|for future reference|for the record|important|heads[- ]up"
    r"|by the way|just so you know|note to self|save this|remember this|note)"
    r"(?:\s?[,:\u2013\u2014-]\s?|\s)\s?)?",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b([A-Za-z]+)n't\b")
_BEFORE_NOT = {"ca": "can", "Ca": "Can", "wo": "will", "Wo": "Will", "sha": "shall"}
_SHORTENED = re.compile(
    r"\b(i|you|we|they|he|she|it|that|there|what|who|here)'(m|re|ve|ll|d|s)\b",
    re.IGNORECASE,
)
_LONG = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would", "s": "is"}


# --- in which language -------------------------------------------------------


def _is_english(text: str, words: Sequence[Word]) -> bool:
    if not text.isascii():
        letters = sum(map(str.isalpha, text))
        latin = sum(char.isalpha() and char < "\u0250" for char in text)
        if letters > 2 * latin:
            return False
    lows = [word.low for n, word in enumerate(words) if not n or word.text.islower()]
    foreign = sum(low in _FOREIGN for low in lows)
    return foreign == 0 or sum(low in _ENGLISH for low in lows) > foreign


_FOREIGN_WORDS = """
    der das den dem ein eine einen einer ist sind ich wir ihr und oder nicht mit von zu
    zum zur auf aus bei nach für über um mein meine wohne habe hat im vom auch sehr
    le les des du une un et est sont je tu nous vous ils elle il ne que qui dans
    avec pour chez mon mes ai aux depuis très être faut j'ai c'est
    el los las una y es son yo nosotros ellos que por para pero muy mi mis tengo
    está del al gusta
    il lo gli della del di che non sono ho una mia mio è anche molto
    o os um uma não eu ele ela eles com por em na nos minha meu é são também muito
    de het een ik wij niet voor naar mijn zijn heeft ook
    och att det som jag inte på är har av til og ikke jeg
    jest nie się na w z że mam jestem
"""
_ENGLISH_WORDS = """
    the a an is are was were be been i my me we our you your he she it its they their
    and or but not no of in on at to for from by with about into over before after when
    if then that this these those there have has had do does did can could will would
    should must may might what which who how as so than more some all every each very
    up out off just only also always never now new one two use used
"""
_FOREIGN = frozenset(_FOREIGN_WORDS.split()) - frozenset(_ENGLISH_WORDS.split())
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
