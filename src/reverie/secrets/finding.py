"""Passwords, keys and card numbers in a text, before any of it reaches a disk.

What is looked at is a plain copy (`folding.py`), so a key that is broken by invisible
characters or written in full-width letters is found as well. Most texts have none of
the words that a secret needs around it, and are done after a look for those.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from reverie.secrets.folding import fold, lowered
from reverie.secrets.formats import ISSUERS, MASKED, SHAPES, TOKENS, Shape, Token
from reverie.secrets.labels import KEY, PASSWORD, PIN, may_be_told
from reverie.secrets.values import CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterable

_ESCAPE = re.compile(r"\\[_*~`-]|&#?\w{2,8};|%[0-9A-Fa-f]{2}|\*\*")
_MARKS = re.compile(r"\\(?=[_*~`-])|\*\*|`")
_LINE = re.compile(r"[^\n]+")

LEAST = 4
"""Characters; nothing shorter is a secret."""

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
    if len(text) < LEAST:
        return ()
    found = _found(text)
    return _with_escaped(text, found) if _ESCAPE.search(text) else found


def _with_escaped(text: str, found: tuple[Secret, ...]) -> tuple[Secret, ...]:
    """Secrets that Markdown, HTML or an address spells out otherwise, line by line.

    Where such a one stands exactly is not known, so the line goes as a whole.
    """
    for line in _LINE.finditer(text):
        if not _ESCAPE.search(line[0]):
            continue
        start, end = line.span()
        inside = [s for s in found if start <= s.start and s.end <= end]
        bare = unquote(html.unescape(_MARKS.sub("", line[0])))
        more = _found(bare)
        if len(more) > len(inside):
            whole = Secret(more[0].kind, start, end)
            kept = [s for s in found if s.end <= start or s.start >= end]
            found = tuple(sorted((*kept, whole), key=lambda s: s.start))
    return found


def _found(text: str) -> tuple[Secret, ...]:
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
        Secret(_NAMES[find.rank], *copy.span(find.start, find.end))
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
    words = low.replace(",", " ").split()
    long = max(map(len, words), default=0) >= LONG and LONG_RUN.search(plain)
    here = {word for word in (_WORDS if long else _SHORT_WORDS) if word in low}
    found = [
        _Find(*match.span("secret"), rank)
        for rank, row in (_RANKED if long else _SHORT)
        if not row.words or not here.isdisjoint(row.words)
        for match in _compiled(row.pattern).finditer(plain)
        if _holds(row, match)
    ]
    if may_be_told(low):
        found += _told(plain, low)
    if len(words) >= LEAST_WORDS:
        found += _seeds(low, words)
    return [find for find in found if MASKED not in plain[find.start : find.end]]


def _told(plain: str, low: str) -> list[_Find]:
    from reverie.secrets.telling import told  # noqa: PLC0415 - most texts have no label

    return [_Find(start, end, _rank(kind)) for kind, start, end in told(plain, low)]


def _seeds(low: str, said: list[str]) -> list[_Find]:
    """Where a dozen words in a row are all of the list that wallets use."""
    from reverie.secrets.seed_words import LEADING, SEED_WORDS  # noqa: PLC0415 - see above

    known = "".join(
        ["w" if word in SEED_WORDS else "." for word in said if word[0] > "9"]
    )
    # A quotation mark or a full stop may stand at the first and at the last.
    if "w" * (LEAST_WORDS - 2) not in known:
        return []
    found: list[_Find] = []
    for run in _RUN_OF_WORDS.finditer(low):
        words = [*_WORD.finditer(low, *run.span())]
        for listed, group in groupby(words, lambda word: word[0] in SEED_WORDS):
            seed = [*group]
            while seed and seed[0][0] in LEADING:
                del seed[0]
            while seed and seed[-1][0] in LEADING:
                del seed[-1]
            if listed and _is_seed([word[0] for word in seed]):
                found.append(_Find(seed[0].start(), seed[-1].end(), _rank(SEED)))
    return found


def _is_seed(words: list[str]) -> bool:
    """Whether there are as many words as a seed has, and hardly one of them twice."""
    return len(words) in SEED_SIZES and len(set(words)) >= len(words) - 1


def _holds(row: _Row, match: re.Match[str]) -> bool:
    if row.not_after:
        before = match.string[max(0, match.start() - NEAR) : match.start()]
        near = before.rpartition(MASKED)[2].lower()
        if _compiled(row.not_after).search(near):
            return False
    return CHECKS[row.check](match.groupdict().get("rest") or match["secret"])


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


class _Row(NamedTuple):
    """A row of either table, made ready."""

    kind: str
    words: tuple[str, ...]
    pattern: str
    check: str
    short: bool
    not_after: str


def _token(token: Token) -> _Row:
    left, prefix = r"(?<![A-Za-z0-9])", token.prefix
    if prefix.isalnum():
        # The letters first: it is them that a search can skip to.
        left = ""
        prefix = rf"{prefix}(?<![A-Za-z0-9]{prefix})"
    pattern = rf"{left}(?P<secret>{prefix}(?P<rest>{token.rest}))(?![A-Za-z0-9])"
    words = tuple(token.words.split())
    return _Row(token.kind, words, pattern, "issued", short=False, not_after="")


def _shape(shape: Shape) -> _Row:
    words = tuple(word.replace("_", " ") for word in shape.words.split())
    named = "(?P<secret>" in shape.pattern
    flags = re.match(r"(?:\(\?[im]+\))?", shape.pattern)
    begun = flags[0] if flags else ""
    pattern = shape.pattern.removeprefix(begun)
    pattern = begun + (pattern if named else rf"(?P<secret>{pattern})")
    return _Row(shape.kind, words, pattern, shape.check, shape.short, shape.not_after)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


LONG = 16
LONG_RUN = re.compile(r"(?<![\w./+=:-])[\w./+=:-]{16}")
"""Most texts have no such run, and so none of the formats that need one."""

NEAR = 24
"""Characters before a number that may say what it is."""

SEED = "seed phrase"
SEED_SIZES = frozenset((12, 15, 18, 21, 24))
LEAST_WORDS = 12
_WORD = re.compile(r"[a-z]{3,8}")
_RUN_OF_WORDS = re.compile(
    r"(?<![a-z\w'-])[a-z]{3,8}(?:(?:[ \t]{1,3}|[ \t]*\n[ \t]*|,[ \t]?|[ \t\n,.]{0,3}"
    r"\d{1,2}[.): \t]{1,3})[a-z]{3,8}){11,}(?![\w'-])"
)
"""Short words in a row, perhaps numbered, with nothing between them that ends a
sentence."""

_TABLE: tuple[_Row, ...] = (*map(_token, TOKENS), *map(_shape, SHAPES))
_RANKED = tuple(enumerate(_TABLE))
_SHORT = tuple((rank, row) for rank, row in _RANKED if row.short)
_WORDS = tuple({word for row in _TABLE for word in row.words})
_SHORT_WORDS = tuple({word for row in _TABLE if row.short for word in row.words})
_NAMES = (
    *(row.kind for row in _TABLE),
    *(f"{name.capitalize()} key" for name in ISSUERS),
    *(PASSWORD, PIN, KEY, SEED),
)
_RANKS = {kind: rank for rank, kind in reversed([*enumerate(_NAMES)])}
_REDACTED = re.compile(rf"\[redacted: (?:{'|'.join(sorted(map(re.escape, _RANKS)))})\]")


def _rank(kind: str) -> int:
    """How telling a kind is: where two overlap, the first names what was found."""
    return _RANKS[kind]
