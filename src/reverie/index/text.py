"""How texts are read: stems and passages, and what was stated in them.

A search looks for what was *said*: "I planted five tomatoes" answers a question
about tomatoes, "can you tell me how to plant tomatoes?" does not. So each passage
knows which of its words were stated and which only asked.
"""

from __future__ import annotations

import re
import struct
import tomllib
from enum import IntFlag
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Signs of scripts that leave no gaps between words: Chinese, Japanese, Korean, Thai,
# Lao, Burmese, Khmer.
_SIGN = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
_TOKEN = re.compile(rf"[{_SIGN}]+|[^\W_{_SIGN}]+")
_WORD = re.compile(rf"[{_SIGN}]|[^\W_{_SIGN}]+")
_IS_SIGN, _RUN = re.compile(rf"[{_SIGN}]"), re.compile(rf"[{_SIGN}]+")
_ACCENT = re.compile(r"[\u0300-\u036f]")

_TABLES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text("utf-8")
)
_WORDS = _TABLES["english"]
_STOP = {name: frozenset(found.split()) for name, found in _TABLES["stop"].items()}
_SIGNS = re.compile(f"[{''.join(_STOP.pop('signs'))}]+")
ENGLISH = "english"
SURELY = 2
"""So many more common words than of English a text has that is of another language."""

STOP_WORDS = _STOP[ENGLISH]
"""Words that stand in every other sentence and tell nothing apart."""

_FOREIGN = frozenset[str]().union(*_STOP.values()) - STOP_WORDS

_IRREGULAR = {
    form: base
    for base, _, forms in (
        entry.partition(":") for entry in _WORDS["irregular"].split()
    )
    for form in forms.split(",")
}
"""Forms that no rule of stemming brings back to their word."""


def words(text: str) -> list[str]:
    """The words of a text in lower case, in order; where they have no gaps, signs."""
    return _WORD.findall(text.lower())


def language(text: str) -> str:
    """The language whose commonest words a text has; English if there is no telling."""
    said = set(words(text))
    if said.isdisjoint(_FOREIGN):
        return ENGLISH
    votes = {name: len(common & said) for name, common in _STOP.items()}
    best = max(votes, key=lambda name: votes[name])
    # A word or two are common elsewhere: "Anna, no eggs" is no Spanish.
    return best if votes[best] - votes[ENGLISH] >= SURELY else ENGLISH


def terms(text: str) -> list[str]:
    """The stems of a text's telling words, in order, whatever its language.

    By these texts are compared: the same words have the same stems in any company.
    """
    return stems(word for word in words(text) if word not in STOP_WORDS)


def spelled(text: str) -> Iterator[tuple[str, str]]:
    """The stems of what a question looks for, each with its word, in order.

    They are those of its language. Where words have no gaps, every sign is a stem, and
    every two that stand together.
    """
    tongue = language(text)
    for token in _TOKEN.findall(text.lower()):
        if _IS_SIGN.match(token):
            for part in _SIGNS.split(token):
                found = (*part, *map("".join, pairwise(part)))
                yield from zip(found, found, strict=True)
        elif token not in _STOP[tongue]:
            yield _stem(token, tongue), token


def _also(text: str, tongue: str) -> Iterator[str]:
    """By what a text is found beside its terms: stems of its language, and pairs."""
    if tongue != ENGLISH:
        found = (word for word in words(text) if word not in _STOP[tongue])
        yield from (s for w in found if (s := _stem(w, tongue)) != _stem(w, ENGLISH))
    if not text.isascii():
        for run in _RUN.findall(text):
            for part in _SIGNS.split(run):
                yield from map("".join, pairwise(part))


@lru_cache(maxsize=8_192)
def stem_set(text: str) -> frozenset[str]:
    """The stems of a text's telling words; the same lines are compared often."""
    return frozenset(terms(text))


def stems(found: Iterable[str]) -> list[str]:
    """The stems of some lower-case words."""
    return [_stem(word, ENGLISH) for word in found]


def variants(word: str) -> list[str]:
    """The stems that a lower-case word has in one language or another."""
    return list(dict.fromkeys(_stem(word, tongue) for tongue in _STOP))


@lru_cache(maxsize=100_000)
def _stem(word: str, tongue: str) -> str:
    known = _IRREGULAR.get(word, word) if tongue == ENGLISH else word
    stem = str(_stemmer(tongue).stemWord(known))
    if stem.isascii():
        return stem
    # Accents are written by some and left out by others.
    return normalize("NFC", _ACCENT.sub("", normalize("NFD", stem.casefold())))


@lru_cache(maxsize=8)
def _stemmer(tongue: str) -> Any:  # noqa: ANN401 - without types
    import Stemmer  # noqa: PLC0415 - only who searches pays for it

    return Stemmer.Stemmer(tongue)


LENGTH = 60
"""Words from which on a passage ends with its sentence."""

MOST = 255
"""Passages that are told apart in one text; the last one takes the rest."""

_BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+|(?<=[\u3002\uff01\uff1f])")
_BEGINS_AS_QUESTION, _TURNS_TO_ASKING = (
    re.compile(_WORDS[name], re.IGNORECASE | re.VERBOSE)
    for name in ("begins_as_question", "turns_to_asking")
)
_OWN = frozenset(_TABLES["own"]["words"].split())
_CLOSING = "\"')] \t\n\r"


class Cue(IntFlag):
    """What a passage has that some questions ask for."""

    NUMBER = 1
    TIME = 2
    UPDATE = 4


_CUES = tuple(
    (int(cue), frozenset(_WORDS[name].split()))
    for cue, name in (
        (Cue.TIME, "times"),
        (Cue.UPDATE, "updates"),
        (Cue.NUMBER, "numbers"),
    )
)
_DIGIT = re.compile(r"\d")


class IndexPassage(Struct):
    """Some sentences that stand together.

    Attributes:
        text: Their very words.
        stated: How often each stem is stated.
        asked: How often each stem stands in a question or request.
        words: How many words there are, telling or not.
        own: How many of them somebody states about themselves.
        asking: How many of them ask.
        cues: What some questions ask for.
    """

    text: str
    stated: dict[str, int] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    words: int = 0
    own: int = 0
    asking: int = 0
    cues: int = 0

    def hear(self, clause: str, tongue: str, *, asks: bool) -> None:
        """Count the words of one more clause."""
        found = words(clause)
        self.words += len(found)
        if asks:
            self.asking += len(found)
        elif not _OWN.isdisjoint(found):
            self.own += len(found)
        for cue, cueing in _CUES:
            if not cueing.isdisjoint(found):
                self.cues |= cue
        counts = self.asked if asks else self.stated
        telling = stems(word for word in found if word not in STOP_WORDS)
        for stem in (*telling, *_also(clause, tongue)):
            counts[stem] = counts.get(stem, 0) + 1


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text; at least one piece comes."""
    return [part.strip() for part in _BREAK.split(text) if part.strip()] or [text]


def cut(text: str, most: int = MOST) -> list[str]:
    """Cut a text after sentences; at least one piece comes, the last takes the rest."""
    if len(text) < LENGTH * 2:
        return [text.strip()]
    pieces: list[str] = []
    start = count = 0
    bounds = [0, *(m.end() for m in _BREAK.finditer(text)), len(text)]
    for begin, end in pairwise(bounds):
        length = (
            len(text[begin:end].split()) + len(_IS_SIGN.findall(text, begin, end)) // 2
        )
        if count and count + length > LENGTH:
            pieces.append(text[start:begin].strip())
            start, count = begin, 0
        count += length
    pieces.append(text[start:].strip())
    if len(pieces) > most:
        pieces[most - 1 :] = ["\n".join(pieces[most - 1 :])]
    return pieces


def listen(text: str) -> IndexPassage:
    """Count what a passage states and asks."""
    passage, tongue = IndexPassage(text), language(text)
    for sentence in _BREAK.split(text):
        for clause, asks in _clauses(sentence):
            passage.hear(clause, tongue, asks=asks)
    if _DIGIT.search(text):
        passage.cues |= int(Cue.NUMBER)
    return passage


def _clauses(sentence: str) -> Iterator[tuple[str, bool]]:
    """The parts of a sentence that state and those that ask."""
    if not sentence.rstrip(_CLOSING).endswith(("?", "\uff1f")):
        yield sentence, False
        return
    # In one space each, because the pattern tries every blank of a gap.
    first, *rest = _TURNS_TO_ASKING.split(" ".join(sentence.split()))
    whole = not rest or not first.strip()
    yield first, whole or bool(_BEGINS_AS_QUESTION.match(first.strip()))
    for clause in rest:
        yield clause, True


def spoken(name: str, text: str) -> str:
    """What a page says of somebody, as a sentence that names them.

    On the page of Alex, "Lives in Berlin" says what "Alex lives in Berlin" says.
    """
    named = set(terms(name)) - {"user"}
    if not named or named & set(terms(text)):
        return text
    return f"{name} {text[:1].lower()}{text[1:]}"


def cut_aside(aside: str) -> list[str]:
    """Cut what is found but never quoted as true; see `Located.aside`."""
    return cut(aside, MOST // 2) if aside else []


def pieces(about: str, text: str, aside: str) -> list[str]:
    """The texts of a memory's passages; what is aside comes in passages of its own.

    Each names what the memory is about, where that goes without saying.
    """
    beside = cut_aside(aside)
    found = cut(text, MOST - len(beside)) + beside
    return [spoken(about, piece) if piece else "" for piece in found]


def heard(about: str, text: str, aside: str) -> list[IndexPassage]:
    """The passages of a memory, listened to."""
    return [listen(piece) for piece in pieces(about, text, aside)]


SHAPE = struct.Struct("<HHBBBB")
"""Of a passage: stems stated and asked, shares of own and asking, cues, words."""


def shape(found: Iterable[IndexPassage]) -> bytes:
    """The measures of some passages, packed."""
    return b"".join(
        SHAPE.pack(
            min(sum(p.stated.values()), 65535),
            min(sum(p.asked.values()), 65535),
            round(255 * p.own / max(p.words, 1)),
            round(255 * p.asking / max(p.words, 1)),
            p.cues,
            min(p.words, 255),
        )
        for p in found
    )


# --- near duplicates: MinHash keys that texts of nearly the same words share ---------
#
