"""Find passwords, keys and card numbers in a text, and redact them.

What is looked at is a plain copy (`fold.py`), so a key that is broken by invisible
characters or written in full-width letters is found as well.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from urllib.parse import unquote

from reverie.errors import RefusedError
from reverie.model.change import Secrets
from reverie.secrets.fold import fold, lowered
from reverie.secrets.proximity import COLUMNS, SEED, told
from reverie.secrets.values import CHECKS, data, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

T = TypeVar("T")

ROUNDS = 8
"""What one secret hid may come to light when it is covered; so often we look again."""

MASKED = "\0"
"""What stands where a secret was found already; no pattern may cross it."""

LEAST_PIECE = 5
"""A piece of a secret that is shorter may be any word."""

SHORTEST_SEED, SHORTEST_TOKEN = 12, 16
_LEADING = (
    "become key later list note once phrase private real remember save secret seed"
)
"""Words that may stand before the seed of a wallet, and are in its list by accident."""

_REDACTED = re.compile(r"\[redacted: ([A-Za-z][A-Za-z .-]{1,39})\]")
_ESCAPE = re.compile(r"\\[_*~`-]|&#?\w{2,8};|%[0-9A-Fa-f]{2}|\*\*")
_MARKS = re.compile(r"\\(?=[_*~`-])|\*\*|`")
_LINE = re.compile(r"[^\n]+")
_CUTS = re.compile(r"\n|\"|\\[nrt\"]")
_OTHER_NUMBERS = re.compile(
    r"\b(?:order|invoice|tracking|imei|serial|ticket|parcel|ref|shipment|batch|phone"
    r"|isbn|ean|gtin|timestamp|id|account|iban|booking|case|article|part|member"
    r"|customer)[^\0]{0,16}\Z"
)
"""Words shortly before sixteen digits that are no card."""

_WORD = re.compile(r"[a-z]{3,8}")
_RUN_OF_WORDS = re.compile(
    r"(?<![a-z\w'-])[a-z]{3,8}(?:(?:[ \t]{1,3}|[ \t]*\n[ \t]*|,[ \t]?|[ \t\n,.]{0,3}"
    r"\d{1,2}[.): \t]{1,3})[a-z]{3,8}){11,}(?![\w'-])"
)
"""Short words in a row, perhaps numbered, that no sentence ends."""


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
    kind: str


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text in their order; none overlaps another.

    What was redacted already is not looked at again.
    """
    found = _found(text)
    if not _ESCAPE.search(text):
        return found
    # What Markdown, HTML or an address spells out otherwise; where that stands exactly
    # is not known, so its line goes as a whole.
    for line in _LINE.finditer(text):
        if _ESCAPE.search(line[0]):
            start, end = line.span()
            kept = [s for s in found if s.end <= start or s.start >= end]
            more = _found(unquote(html.unescape(_MARKS.sub("", line[0]))))
            if len(more) > len(found) - len(kept):
                whole = Secret(more[0].kind, start, end)
                found = tuple(sorted((*kept, whole), key=lambda s: s.start))
    return found


def without_secrets(text: str) -> str:
    """A text in which every secret is redacted."""
    return redact(text, find_secrets(text))


def redact(text: str, found: Iterable[Secret], keep: str = "") -> str:
    """The text with `[redacted: KIND]` in the place of what was found in it.

    Args:
        text: The text.
        found: Its secrets, in their order.
        keep: Characters of a secret that stay behind it, such as ends of lines.
    """
    pieces: list[str] = []
    done = 0
    for secret in found:
        ends = (char for char in text[secret.start : secret.end] if char in keep)
        pieces += (text[done : secret.start], f"[redacted: {secret.kind}]", *ends)
        done = secret.end
    return "".join((*pieces, text[done:]))


def _found(text: str) -> tuple[Secret, ...]:
    copy = fold(text)
    plain = _REDACTED.sub(lambda match: MASKED * len(match[0]), copy.text)
    found: list[_Find] = []
    for _ in range(ROUNDS):
        new = _joined(_finds(plain))
        if not new:
            break
        found += new
        for find in new:
            covered = MASKED * (find.end - find.start)
            plain = plain[: find.start] + covered + plain[find.end :]
    return tuple(
        Secret(find.kind, *copy.span(find.start, find.end)) for find in sorted(found)
    )


def _joined(finds: Iterable[_Find]) -> list[_Find]:
    """Overlapping finds as one, called what the most telling of them is called."""
    joined: list[_Find] = []
    for find in sorted(finds):
        if joined and find.start < joined[-1].end:
            last = joined.pop()
            telling = min(last, find, key=lambda each: each.rank)
            end = max(last.end, find.end)
            find = telling._replace(start=last.start, end=end)  # noqa: PLW2901 - grown
        joined.append(find)
    return joined


def _finds(plain: str) -> Iterator[_Find]:
    low = lowered(plain)
    said = low.replace(",", " ").split()
    # Most texts have no run of letters that is as long as a token.
    known = _rows(tokens=max(map(len, said), default=0) >= SHORTEST_TOKEN)
    here = [word for word in known if word in low]
    for rank, row in sorted({row for word in here for row in known[word]}):
        for match in _compiled(row.pattern).finditer(plain):
            if MASKED not in match["secret"] and _holds(row, match):
                yield _Find(*match.span("secret"), rank, row.kind)
    kinds = [*COLUMNS.values()]
    for kind, start, end in told(plain, low):
        yield _Find(start, end, LAST + kinds.index(kind), kind)
    if len(_seed_words().intersection(said)) >= SHORTEST_SEED:
        yield from _seeds(low)


def _holds(row: _Row, match: re.Match[str]) -> bool:
    if row.check == "card_number":
        start = match.start()
        if _OTHER_NUMBERS.search(match.string[max(0, start - 24) : start].lower()):
            return False
    return CHECKS[row.check](match.groupdict().get("rest") or match["secret"])


def _seeds(low: str) -> Iterator[_Find]:
    """Where a dozen words in a row are of the list that wallets use."""
    for run in _RUN_OF_WORDS.finditer(low):
        found = [*_WORD.finditer(low, *run.span())]
        for fits, group in groupby(found, lambda word: word[0] in _seed_words()):
            seed = [*group]
            while seed and (seed[0][0] in _LEADING.split() or seed[0][0] in words()):
                del seed[0]
            while seed and seed[-1][0] in words():
                del seed[-1]
            said = {word[0] for word in seed}
            if fits and len(said) >= SHORTEST_SEED and len(said & words()) < 2:
                yield _Find(seed[0].start(), seed[-1].end(), LAST, SEED)


@cache
def _seed_words() -> frozenset[str]:
    """The words that wallets write a seed in, as BIP-39 lists them for English."""
    path = files("reverie.secrets").joinpath("seed_words.txt")
    return frozenset(path.read_text("utf-8").split())


# --- whole values -----------------------------------------------------------


class SecretPiece(NamedTuple):
    """A line of a secret, and what kind of secret it is."""

    text: str
    kind: str


def pieces_of(whole: str) -> tuple[SecretPiece, ...]:
    """What lines and quotes cut the secrets of a text into, the longest first."""
    found = {
        SecretPiece(part.strip(), secret.kind)
        for secret in find_secrets(whole)
        for part in _CUTS.split(whole[secret.start : secret.end])
        if len(part.strip()) >= LEAST_PIECE
    }
    return tuple(sorted(found, key=lambda piece: (-len(piece.text), piece)))


def screened(value: T, pieces: Sequence[SecretPiece] = ()) -> T:
    """Any value in which no text has a secret; numbers, kinds and ids stay.

    Args:
        value: A text, or a record, a list or a memory with texts in it.
        pieces: Of the whole that it was cut from, see `pieces_of`.
    """
    return cast("T", _screened(value, pieces))


def _screened(value: Any, pieces: Sequence[SecretPiece]) -> Any:  # noqa: ANN401 - anything
    if type(value) is str:
        clean = without_secrets(value)
        for piece in pieces:
            clean = clean.replace(piece.text, f"[redacted: {piece.kind}]")
        return clean
    if type(value) in {tuple, list}:
        return type(value)(_screened(part, pieces) for part in value)
    if isinstance(value, dict):
        return {
            _screened(key, pieces): _screened(part, pieces)
            for key, part in value.items()
        }
    if is_dataclass(value) and not isinstance(value, type):
        parts = {
            each.name: _screened(getattr(value, each.name), pieces)
            for each in fields(value)
            if each.init and each.name != "id"
        }
        return replace(value, **parts)
    return value


def kinds_in(value: object) -> tuple[str, ...]:
    """The kinds of secrets in the texts of a record or a list, each once."""
    if isinstance(value, str):
        return tuple(dict.fromkeys(secret.kind for secret in find_secrets(value)))
    parts: Iterable[object] = value if isinstance(value, list) else ()
    if isinstance(value, dict):
        parts = (each for pair in value.items() for each in pair)
    return tuple(dict.fromkeys(kind for part in parts for kind in kinds_in(part)))


def redacted_in_place(
    text: str, mark: str = "\n"
) -> tuple[str, tuple[tuple[int, str], ...]]:
    """A text without its secrets, in which every line stays the line it was.

    Args:
        text: Lines, and pages that end with a form feed.
        mark: What is counted: the ends of lines, or of pages.

    Returns:
        The text, and for each secret its line or page, counted from 1, and its kind.
    """
    found = find_secrets(text)
    places = tuple((text.count(mark, 0, s.start) + 1, s.kind) for s in found)
    return redact(text, found, keep="\n\f"), places


# --- refusal ----------------------------------------------------------------


class SecretFoundError(RefusedError):
    """A text has a password or a key in it, and was not stored."""

    def __init__(self, kinds: Iterable[str]) -> None:
        found = ", ".join(dict.fromkeys(kinds))
        super().__init__(
            f"this holds a secret ({found}); nothing of it was written",
            hint="--secrets redact takes it out; only a person may --secrets keep.",
        )


def pass_words(words: Iterable[str], choice: Secrets) -> None:
    """Refuse names, tags and titles that have a secret in them, or had one.

    A name cannot be redacted: many things would have the same one.
    """
    kinds = [k for w in words for k in (*kinds_in(w), *_REDACTED.findall(w))]
    if choice is not Secrets.KEEP and kinds:
        raise SecretFoundError(kinds)


# --- the table of formats ----------------------------------------------------


class _Row(NamedTuple):
    kind: str
    words: tuple[str, ...]
    check: str
    pattern: str


LAST = 1000
"""Formats are more telling than labels."""

_LEFT, _RIGHT = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
_PARTS = {
    "LEFT": _LEFT,
    "RIGHT": _RIGHT,
    "COOKIE": r"[A-Za-z0-9%._~+/:|!-]{16,}={0,2}",
    "WORD": r"[\"'`]?(?P<secret>(?<=[\"'])[^\"'\n\0]{1,200}(?=[\"'])"
    r"|[^\s\0\"'`,;:<>|][^\s\0\"'`;<>|]{0,199})",
}


@cache
def _rows(*, tokens: bool) -> dict[str, list[tuple[int, _Row]]]:
    """The rows of `formats.toml` with their ranks, by the words that they need."""
    known = data("formats.toml")
    rows = [_token(row) for row in _lines(known["tokens"])]
    shapes = [_shape(row) for row in _lines(known["shapes"])]
    by_word: dict[str, list[tuple[int, _Row]]] = {}
    for rank, row in enumerate((*rows, *shapes)):
        for word in row.words if tokens or rank >= len(rows) else ():
            by_word.setdefault(word, []).append((rank, row))
    return by_word


def _lines(rows: str) -> Iterator[list[str]]:
    """The columns of each row; lines that begin with blanks belong to the last one."""
    for row in re.split(r"\n(?! )", rows.strip()):
        first, *more = row.split("\n")
        columns = re.split(r" {2,}", first, maxsplit=3)
        yield [*columns[:3], "".join([*columns[3:], *map(str.strip, more)])]


def _token(columns: list[str]) -> _Row:
    kind, begins, rest, _ = columns
    begun = begins.split(",")
    start = "|".join(map(re.escape, begun))
    pattern = rf"{_LEFT}(?P<secret>(?:{start})(?P<rest>{rest})){_RIGHT}"
    return _Row(kind, tuple(map(str.lower, begun)), "issued", pattern)


def _shape(columns: list[str]) -> _Row:
    kind, known, check, pattern = columns
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    flags = re.match(r"(?:\(\?[im]+\))?", pattern)
    begun = flags[0] if flags else ""
    if "(?P<secret>" not in pattern:
        pattern = f"{begun}(?P<secret>{pattern.removeprefix(begun)})"
    return _Row(
        kind, ("",) if known == "-" else tuple(known.split(",")), check, pattern
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)
