"""How texts are read: stems, passages, and the sketches of near duplicates.

A search looks for what was *said*: "I planted five tomatoes" answers a question
about tomatoes, "can you tell me how to plant tomatoes?" does not. So each passage
knows which of its words were stated and which only asked.
"""

from __future__ import annotations

import random
import re
import struct
import tomllib
from enum import IntFlag
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from reverie.model import items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")

_WORDS: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text("utf-8")
)
STOP_WORDS = frozenset(_WORDS["stop"].split())
"""Words that stand in every other sentence and tell nothing apart."""

_IRREGULAR = {
    form: base
    for base, _, forms in (
        entry.partition(":") for entry in _WORDS["irregular"].split()
    )
    for form in forms.split(",")
}
"""Forms that no rule of stemming brings back to their word."""


def words(text: str) -> list[str]:
    """The words of a text in lower case, in order."""
    return _WORD.findall(text.lower())


def terms(text: str) -> list[str]:
    """The stems of a text's telling words, in order."""
    return stems(word for word in words(text) if word not in STOP_WORDS)


@lru_cache(maxsize=8_192)
def stem_set(text: str) -> frozenset[str]:
    """The stems of a text's telling words; the same lines are compared often."""
    return frozenset(terms(text))


def stems(found: Iterable[str]) -> list[str]:
    """The stems of some lower-case words."""
    return [_stem(word) for word in found]


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(_IRREGULAR.get(word, word)))


@lru_cache(maxsize=1)
def _stemmer() -> Any:  # noqa: ANN401 - without types
    import Stemmer  # noqa: PLC0415 - only who searches pays for it

    return Stemmer.Stemmer("english")


LENGTH = 60
"""Words from which on a passage ends with its sentence."""

MOST = 255
"""Passages that are told apart in one text; the last one takes the rest."""

_BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+|(?<=[\u3002\uff01\uff1f])")
_BEGINS_AS_QUESTION, _TURNS_TO_ASKING = (
    re.compile(_WORDS[name], re.IGNORECASE | re.VERBOSE)
    for name in ("begins_as_question", "turns_to_asking")
)
_OWN = frozenset({"i", "my", "me", "mine", "we", "our", "us"})
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

    def hear(self, clause: str, *, asks: bool) -> None:
        """Count the words of one more clause."""
        found = words(clause)
        self.words += len(found)
        if asks:
            self.asking += len(found)
        elif not _OWN.isdisjoint(found):
            self.own += len(found)
        for cue, telling in _CUES:
            if not telling.isdisjoint(found):
                self.cues |= cue
        counts = self.asked if asks else self.stated
        for stem in stems([word for word in found if word not in STOP_WORDS]):
            counts[stem] = counts.get(stem, 0) + 1


def cut(text: str, most: int = MOST) -> list[str]:
    """Cut a text after sentences; at least one piece comes, the last takes the rest."""
    if len(text) < LENGTH * 2:
        return [text.strip()]
    pieces: list[str] = []
    start = count = 0
    bounds = [0, *(m.end() for m in _BREAK.finditer(text)), len(text)]
    for begin, end in pairwise(bounds):
        length = len(text[begin:end].split())
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
    passage = IndexPassage(text)
    for sentence in _BREAK.split(text):
        for clause, asks in _clauses(sentence):
            passage.hear(clause, asks=asks)
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


def pieces(text: str, aside: str) -> list[str]:
    """The texts of a memory's passages; what is aside comes in passages of its own."""
    beside = cut(aside, MOST // 2) if aside else []
    return cut(text, MOST - len(beside)) + beside


def heard(text: str, aside: str) -> list[IndexPassage]:
    """The passages of a memory, listened to."""
    return [listen(piece) for piece in pieces(text, aside)]


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
# Whoever stores something asks whether it is known already. Comparing it with
# everything would cost more with every memory; two texts are compared only where one
# of these keys is the same, and a key is looked up in no time.

BANDS, ROWS = 8, 4
"""Texts that share four in five of their words share a band 98 times in 100."""

MOST_STEMS = 200
"""So many distinct stems of a text are looked at."""

_PRIME = (1 << 61) - 1
_seeded = random.Random(20_260_202)  # noqa: S311 - the same numbers everywhere
_TURNS = tuple(
    (_seeded.randrange(1, _PRIME), _seeded.randrange(_PRIME))
    for _ in range(BANDS * ROWS)
)


def sketch(text: str) -> tuple[int, ...]:
    """The keys of a text; none for one without a telling word.

    The last one is that of texts with the very same words: where very many are alike,
    it finds the one that is equal.
    """
    # Who says "I" and who says "the user" of the same person say the same.
    stems = tuple(dict.fromkeys(t for t in terms(text) if t != "user"))[:MOST_STEMS]
    if not stems:
        return ()
    hashes = [_hash(stem) for stem in stems]
    least = [min((a * h + b) % _PRIME for h in hashes) for a, b in _TURNS]
    bands = (
        f"{band} {least[band * ROWS : band * ROWS + ROWS]}" for band in range(BANDS)
    )
    return (*map(_hash, bands), _hash(" ".join(sorted(stems))))


@lru_cache(maxsize=20_000)
def _hash(word: str) -> int:
    data = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(data, "big") >> 3


def told(text: str) -> str:
    """The telling words of a text, by which it is known again."""
    return " ".join(terms(text))


def spoken(name: str, text: str) -> str:
    """What a page says of somebody, as a sentence that names them.

    On the page of Alex, "Lives in Berlin" says what "Alex lives in Berlin" says.
    """
    named = set(terms(name)) - {"user"}
    if not named or named & set(terms(text)):
        return text
    return f"{name} {text[:1].lower()}{text[1:]}"


def sketches(item: items.Item) -> set[int]:
    """The keys of all that a memory states or was told to forget, each on its own.

    Turns are the record, and state nothing.
    """
    said: Iterable[str] = ()
    match item:
        case items.Episode() | items.VaultNote() | items.CoreItem():
            said = (item.text,)
        case items.Entity():
            held = (f.text for f in item.facts if f.current or f.forgotten)
            said = (spoken(item.label, text) for text in held)
        case items.Procedure():
            said = item.steps
        case items.Turn():
            pass
    return {key for text in said for key in sketch(text)}
