"""Whether an expected answer is found, as things are and as they would be."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.index.text import STOP_WORDS, stems, words
from reverie.markdown import one_line
from reverie.model.reflection import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reverie.model.recall import Hit
    from reverie.model.reflection import Expected

    Ask = Callable[[str], Sequence[Hit]]

_MARKS = re.compile("[\u0300-\u036f]+")
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

MOST_PARTS = 8
"""Numbers in a row, such as those of a date, that are looked at in every way."""


def found_at(expected: Expected, hits: Sequence[Hit]) -> int:
    """Which hit holds the answer, counted from 1; 0 if none does.

    All its telling words have to stand in one memory, as that reads now; numbers as
    they are written. An answer of no telling word has to stand there literally.
    """
    wanted = _wanted(expected.answer)
    for rank, hit in enumerate(hits, 1):
        texts = (hit.title, hit.text)
        if wanted and wanted <= frozenset().union(*map(_held, texts)):
            return rank
        if not wanted and any(_stands(expected.answer, text) for text in texts):
            return rank
    return 0


def compare(expected: Sequence[Expected], before: Ask, after: Ask) -> tuple[Trial, ...]:
    """How questions fare before and after.

    Args:
        expected: The questions.
        before: Answers one as things are.
        after: Answers one as things would be.
    """
    return tuple(
        Trial(
            each,
            found_at(each, before(each.question)),
            found_at(each, after(each.question)),
        )
        for each in expected
    )


def _folded(text: str) -> str:
    """A text on one line, without what case and accents tell apart."""
    apart = unicodedata.normalize("NFKD", text)
    plain = unicodedata.normalize("NFC", _MARKS.sub("", apart))
    return one_line(plain.casefold())


def _stands(answer: str, text: str) -> bool:
    """Whether a text has an answer in it that is no part of a longer word."""
    literal = _folded(answer)
    if not literal:
        # Nothing but an accent, or nothing at all.
        return one_line(answer) != "" and one_line(answer) in one_line(text)
    before = r"(?<!\w)" if literal[0].isalnum() else ""
    after = r"(?!\w)" if literal[-1].isalnum() else ""
    found = re.search(f"{before}{re.escape(literal)}{after}", _folded(text))
    return found is not None


def _wanted(answer: str) -> frozenset[str]:
    """What has to stand in a memory that holds an answer."""
    found: set[str] = set()
    for token, beside_number in set(_tokens(_folded(answer))):
        if token[0].isdecimal():
            found.update(_numbers(token))
        else:
            telling = (w for w in words(token) if beside_number or w not in STOP_WORDS)
            found.update(stems(telling))
    return frozenset(found)


@lru_cache(maxsize=256)
def _held(text: str) -> frozenset[str]:
    """All that a text can be asked for."""
    found: set[str] = set()
    for token in set(_TOKEN.findall(_folded(text))):
        number = token[0].isdecimal()
        found.update(_every_number(token) if number else stems(words(token)))
    return frozenset(found)


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Words and numbers, and whether a number stands right beside a word.

    The `m` of `10m` tells something, unlike the one of `I'm`.
    """
    found = list(_TOKEN.finditer(text))
    numbers = {m.start() for m in found if m[0][0].isdecimal()}
    ends = {m.end() for m in found if m[0][0].isdecimal()}
    for match in found:
        yield match[0], match.end() in numbers or match.start() in ends


def _numbers(token: str) -> list[str]:
    """The numbers of a token: `1,200` is one, `3,2026` are two."""
    if _THOUSANDS.fullmatch(token):
        return [token.replace(",", "")]
    return token.replace("/", "-").split(",")


def _every_number(token: str) -> Iterator[str]:
    """The same with their parts: who asks for 2026 finds 2026-02-02."""
    for number in _numbers(token):
        yield number
        parts = number.split("-")
        most = len(parts) if len(parts) <= MOST_PARTS else 1
        for size in range(1, most + 1):
            for start in range(len(parts) - size + 1):
                yield "-".join(parts[start : start + size])
