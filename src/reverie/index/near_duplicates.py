"""Near duplicates: sketches by which a text that is known already is found (MinHash).

Whoever stores something asks whether it is known already. Comparing it with everything
would cost more with every memory; two texts are compared only where one of these keys
is the same, and a key is looked up in no time.
"""

from __future__ import annotations

import random
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from reverie.index.text import spoken, terms
from reverie.model import items

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def sketches(item: items.Item) -> set[int]:
    """The keys of all that a memory states or was told to forget, each on its own.

    Turns are the record, and state nothing.
    """
    said: Iterable[str] = ()
    match item:
        case items.Episode() | items.VaultNote() | items.Note() | items.CoreItem():
            said = (item.text,)
        case items.Entity():
            gone = (fact.text for fact in item.facts if fact.forgotten)
            said = (spoken(item.label, text) for text in gone)
        case items.Statement():
            said = (spoken(item.about, item.fact.text),)
        case items.Procedure():
            said = item.steps
        case items.Turn():
            pass
    return {key for text in said for key in sketch(text)}
