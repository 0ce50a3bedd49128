"""The words of a text as the index knows them: lower-cased, stemmed, telling ones."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")

_STOP = """
    a an the this that these those some
    i me my we our us you your he him his she her it its they them their
    am is are was were be been being do does did have has had
    can could will would should shall may might must
    and or but if so than then as of in on at to for from by with into
    what when where which who whom whose why how there
    s t m re ve d ll
"""
STOP_WORDS = frozenset(_STOP.split())
"""Words that stand in every other sentence and tell nothing apart."""


MOST_KNOWN = 100_000
"""Stems that are kept, because the same words come again and again."""

_KNOWN: dict[str, str] = {}


def words(text: str) -> list[str]:
    """The words of a text in lower case, in order."""
    return _WORD.findall(text.lower())


def terms(text: str) -> list[str]:
    """The stems of a text's telling words, in order."""
    return stems(word for word in words(text) if word not in STOP_WORDS)


def stems(found: Iterable[str]) -> list[str]:
    """The stems of some lower-case words."""
    known = [_KNOWN.get(word) or _stem(word) for word in found]
    if len(_KNOWN) > MOST_KNOWN:
        _KNOWN.clear()
    return known


def _stem(word: str) -> str:
    stem = _KNOWN[word] = _stemmer().stemWord(word)
    return stem


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - its name


@lru_cache(maxsize=1)
def _stemmer() -> _Stemmer:
    import Stemmer  # noqa: PLC0415 - only who searches pays for it

    made: _Stemmer = Stemmer.Stemmer("english")
    return made
