"""Passwords, keys and card numbers in a text, before any of it reaches a disk.

What is looked at is a plain copy (`folding.py`), so a key that is broken by invisible
characters or written in full-width letters is found as well. Most texts have none of
the words that a secret needs around it, and are done after a look for those.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.gate.folding import fold, lowered
from reverie.encoding.gate.secret_codes import CODES
from reverie.encoding.gate.secret_formats import FORMATS, LONG_RUN, MASKED, Format
from reverie.encoding.gate.secret_sayings import SAYINGS, Saying

if TYPE_CHECKING:
    from collections.abc import Iterable

ROUNDS = 8
"""What one secret hid may come to light when it is covered; so often we look again."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands; never what it is.

    Attributes:
        kind: What it is, in plain words.
        start: Where it begins.
        end: Where it ends.
    """

    kind: str
    start: int
    end: int


class _Find(NamedTuple):
    start: int
    end: int
    rank: int


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text in their order; none overlaps another.

    What was redacted already is not looked at again.
    """
    copy = fold(text)
    plain = _REDACTED.sub(_covered, copy.text) if "[redacted: " in text else copy.text
    found: list[_Find] = []
    for _ in range(ROUNDS):
        new = _joined(_finds(plain))
        if not new:
            break
        found += new
        plain = _cover(plain, new)
    return tuple(
        Secret(_TABLE[find.rank].kind, *copy.span(find.start, find.end))
        for find in sorted(found)
    )


def without_secrets(text: str) -> str:
    """A text in which every secret is redacted."""
    return redact(text, find_secrets(text))


def redact(text: str, found: Iterable[Secret]) -> str:
    """The text with `[redacted: KIND]` in the place of what was found in it."""
    pieces: list[str] = []
    done = 0
    for secret in found:
        pieces += (text[done : secret.start], f"[redacted: {secret.kind}]")
        done = secret.end
    return "".join((*pieces, text[done:]))


def _finds(plain: str) -> list[_Find]:
    low = lowered(plain)
    long = LONG_RUN.search(plain)
    here = {word for word in (_WORDS if long else _SHORT_WORDS) if word in low}
    return [
        _Find(start, end, rank)
        for rank, row in enumerate(_TABLE)
        if (row.short or long) and (not row.words or not here.isdisjoint(row.words))
        for start, end in row.find(plain, low)
        if MASKED not in plain[start:end]
    ]


def _joined(finds: list[_Find]) -> list[_Find]:
    """Overlapping finds as one, called what the most telling of them is called."""
    joined: list[_Find] = []
    for find in sorted(finds):
        if joined and find.start < joined[-1].end:
            last = joined.pop()
            end, rank = max(last.end, find.end), min(last.rank, find.rank)
            find = _Find(last.start, end, rank)  # noqa: PLW2901 - grown
        joined.append(find)
    return joined


def _cover(plain: str, finds: list[_Find]) -> str:
    pieces: list[str] = []
    done = 0
    for find in finds:
        pieces += (plain[done : find.start], MASKED * (find.end - find.start))
        done = find.end
    return "".join((*pieces, plain[done:]))


def _covered(match: re.Match[str]) -> str:
    return MASKED * len(match[0])


_TABLE: tuple[Format | Saying, ...] = (*FORMATS, *SAYINGS, *CODES)
_WORDS = tuple({word for row in _TABLE for word in row.words})
_SHORT_WORDS = tuple({word for row in _TABLE if row.short for word in row.words})
_KINDS = "|".join(sorted({re.escape(row.kind) for row in _TABLE}))
_REDACTED = re.compile(rf"\[redacted: (?:{_KINDS})\]")
