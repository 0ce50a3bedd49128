"""What a secret looks like: found in a text, told by its kind, taken out of it.

What is looked at is a plain copy (`fold`), so a key that is broken by invisible
characters or written in full-width letters is found as well. Most texts have none of
the words that a secret needs around it, and are done after a look for those.
"""

from __future__ import annotations

import hashlib
import html
import re
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.model.change import Secrets
from reverie.secrets import labels
from reverie.secrets.labels import KINDS, SEED, data, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

LEAST = 4
"""Characters; nothing shorter is a secret."""

ROUNDS = 8
"""What one secret hid may come to light when it is covered; so often we look again."""

REDACTED = "[redacted: "
MASKED = "\0"
"""What stands where a secret was found already; no pattern may cross it."""

_ERASED = re.compile(
    r"(?:[a-z]{2,12}[:/]){0,3}(?:[a-z]{2,12}--)?\[erased\]"
    r"(?:#[0-9a-f]{1,8}(?![\w-])|[~-]\d{1,3}(?!\w))?"
)
"""What an erasure leaves of a text or an ID; it is no secret after a label."""

LEAST_RANDOM = 10
"""Characters of the shortest random word that is found without a label."""

LONG = 16
LONG_RUN = re.compile(r"(?<![\w./+=:$-])[\w./+=:$-]{16}")
"""Most texts have no such run, and so none of the formats that need one."""

_ESCAPE = re.compile(r"\\[_*~`t-]|&#?\w{2,8};|%[0-9A-Fa-f]{2}|\*\*")
_MARKS = re.compile(r"\\(?=[_*~`-])|\*\*|`")
_QUESTION_LINE = re.compile(r"[?\uff1f\u061f\u037e][\"'*_) \u300d\u201d]*\n")
MAX_LINES_OF_TWO = 3
"""Two lines, and perhaps an empty one between them."""

_LINE = re.compile(r"[^\n]+")
_OTHER_NUMBERS = re.compile(
    r"\b(?:order|invoice|tracking|imei|serial|ticket|parcel|ref|shipment|batch|phone"
    r"|isbn|ean|gtin|timestamp|id|account|iban|booking|case|article|part|member"
    r"|customer)[^\0]{0,16}\Z"
)
"""Words shortly before sixteen digits that are no card."""

SEED_SIZES = frozenset((12, 15, 18, 21, 24))
_WORD = re.compile(r"[a-z]{3,8}")
_RUN_OF_WORDS = re.compile(
    r"(?<![a-z\w'-])[a-z]{3,8}(?:(?:[ \t]{1,3}|[ \t]*\n[ \t]*|,[ \t]?|[ \t\n,.]{0,3}"
    r"\d{1,2}[.): \t]{1,3})[a-z]{3,8}){11,}(?![\w'-])"
)
"""Short words in a row, perhaps numbered, with nothing between them that ends a
sentence."""


class Secret(Struct, frozen=True):
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


def is_no_id(_word: str) -> bool:
    """Return False: without a workspace, no word is the ID of a memory."""
    return False


def find_secrets(
    text: str, is_id: Callable[[str], bool] = is_no_id
) -> tuple[Secret, ...]:
    """The secrets of a text in their order; none overlaps another.

    What was redacted already is not looked at again.

    Args:
        text: Any text.
        is_id: Whether a word is the ID of an existing memory, and so no secret.
    """
    if len(text) < LEAST:
        return ()
    found = _found(text)
    found = _with_escaped(text, found) if _ESCAPE.search(text) else found
    if "\n" in text and _may_answer(text):
        found = _with_answered(text, found)
    if is_id is is_no_id:
        return found
    return tuple(each for each in found if not is_id(_word_around(text, each)))


_FACT_ID = re.compile(r"(\b[a-z]+--[\w-]+)#[0-9a-f]{6}(?!\w)")
"""The ID of a fact, as in `person--alex#be52f8`; its digits are no password."""

_OWN_PAGE = "person--user"
"""The page of the user: its name is no label of what follows."""

_WORD_EDGE = " \t\r\n\"'`(){}[],;<>|\\"
"""Characters that no ID contains."""


def _word_around(text: str, secret: Secret) -> str:
    """Return the word that a secret is a part of; nothing if it spans several."""
    start, end = secret.start, secret.end
    while start < end and text[start] in _WORD_EDGE:
        start += 1
    while start < end and text[end - 1] in _WORD_EDGE:
        end -= 1
    if not set(_WORD_EDGE).isdisjoint(text[start:end]):
        return ""
    while start and text[start - 1] not in _WORD_EDGE:
        start -= 1
    while end < len(text) and text[end] not in _WORD_EDGE:
        end += 1
    return text[start:end].rstrip(".:!?")


def without_secrets(text: str, is_id: Callable[[str], bool] = is_no_id) -> str:
    """A text in which every secret is redacted."""
    return redact(text, find_secrets(text, is_id))


def redact(text: str, found: Iterable[Secret], kept: str = "") -> str:
    """The text with `[redacted: KIND]` in the place of what was found in it.

    Args:
        text: All of it.
        found: Its secrets, in their order.
        kept: Characters that stay also where a secret had them.
    """
    pieces: list[str] = []
    done = 0
    for secret in found:
        ends = [char for char in text[secret.start : secret.end] if char in kept]
        pieces += (text[done : secret.start], f"{REDACTED}{secret.kind}]", *ends)
        done = secret.end
    return "".join((*pieces, text[done:]))


def _may_answer(text: str) -> bool:
    """Return whether a line of a text may answer the line before it."""
    if not _QUESTION_LINE.search(text) and len(text.split("\n", 4)) > MAX_LINES_OF_TWO:
        return False
    return labels.may_be_told(labels.lowered(fold(text).text))


def _with_answered(text: str, found: tuple[Secret, ...]) -> tuple[Secret, ...]:
    """Return secrets together with the answers to questions in lines of a text."""
    from reverie.secrets.adjacent import find_answered_lines  # noqa: PLC0415 - cycle

    answers = [
        each
        for each in find_answered_lines(text)
        if not any(s.start < each.end and each.start < s.end for s in found)
    ]
    return tuple(sorted((*found, *answers), key=lambda s: s.start))


def _with_escaped(text: str, found: tuple[Secret, ...]) -> tuple[Secret, ...]:
    """Secrets that Markdown, HTML or an address spells out otherwise, line by line.

    Where such a one stands exactly is not known, so the line goes as a whole.
    """
    for line in _LINE.finditer(text):
        if not _ESCAPE.search(line[0]):
            continue
        start, end = line.span()
        inside = [s for s in found if start <= s.start and s.end <= end]
        told = _MARKS.sub("", line[0])
        if "\\t" in told:  # a table inside a quoted text
            told = told.replace("\\t", "\t").replace("\\n", "\n")
        more = _found(unquote(html.unescape(told)))
        if len(more) > len(inside):
            whole = Secret(more[0].kind, start, end)
            kept = [s for s in found if s.end <= start or s.start >= end]
            found = tuple(sorted((*kept, whole), key=lambda s: s.start))
    return found


def _found(text: str) -> tuple[Secret, ...]:
    copy = fold(text)
    plain = copy.text
    if REDACTED in plain:
        plain = _redactions().sub(lambda match: MASKED * len(match[0]), plain)
    if "--" in plain:
        plain = _FACT_ID.sub(lambda match: match[1] + MASKED * 7, plain)
        plain = plain.replace(_OWN_PAGE, MASKED * len(_OWN_PAGE))
    if "[erased]" in plain:
        plain = _ERASED.sub(lambda match: MASKED * len(match[0]), plain)
    found: list[_Find] = []
    for _ in range(ROUNDS):
        new = _joined(_finds(plain))
        if not new:
            break
        found += new
        pieces, done = list[str](), 0
        for find in new:
            pieces += plain[done : find.start], MASKED * (find.end - find.start)
            done = find.end
        plain = "".join((*pieces, plain[done:]))
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
    low = labels.lowered(plain)
    words = low.replace(",", " ").split()
    lengths = [*map(len, words)]
    longest = max(lengths, default=0)
    long = longest >= LONG and LONG_RUN.search(plain)
    rows = _rows()
    here = {word for word in (rows.words if long else rows.short_words) if word in low}
    for rank, row in rows.ranked if long else rows.short:
        if not row.words or not here.isdisjoint(row.words):
            for match in _compiled(row.pattern).finditer(plain):
                start, end = match.span("secret")
                if MASKED not in match["secret"] and _holds(row, match):
                    yield _Find(start, end, rank, row.kind)
    if labels.may_be_told(low):
        from reverie.secrets.proximity import told  # noqa: PLC0415 - most have no label

        for kind, start, end in told(plain, low):
            rank = KINDS.index(kind) + 1 if kind in KINDS else 0
            yield _Find(start, end, LAST + rank, kind)
    if len(words) >= min(SEED_SIZES):
        yield from _seeds(low, words)
    spaced = lengths.count(1) >= LONG
    if longest >= LEAST_RANDOM or spaced:
        yield from _unnamed(plain, spaced=spaced)


def _unnamed(plain: str, *, spaced: bool) -> Iterator[_Find]:
    """Yield random words, and keys that blanks or a few words break into parts."""
    from reverie.secrets import random_words  # noqa: PLC0415 - short texts have none

    rank = LAST + len(KINDS)
    words = random_words.list_candidates(plain)
    for start, end in random_words.find_random_words(plain, words):
        yield _Find(start, end, rank, labels.RANDOM)
    parts = [*random_words.find_spaced_words(plain)] if spaced else []
    parts += random_words.find_broken_words(plain, words, _rows().prefixes)
    for broken in parts:
        if random_words.is_random(broken.word) or any(_finds(broken.word)):
            yield _Find(broken.start, broken.end, rank, labels.RANDOM)


def _holds(row: _Row, match: re.Match[str]) -> bool:
    from reverie.secrets import values  # noqa: PLC0415 - most texts have none

    if row.check == "card_number":
        start = match.start()
        if _OTHER_NUMBERS.search(match.string[max(0, start - 24) : start].lower()):
            return False
    check: Callable[[str], bool] = getattr(values, row.check)
    return check(match.groupdict().get("rest") or match["secret"])


def _seeds(low: str, said: list[str]) -> Iterator[_Find]:
    """Where a dozen words in a row are of the list that wallets use, all of them."""
    known = _seed_words()
    # Of twelve words two may be others: some four in a row are not.
    shown = "".join(["w" if word in known else "." for word in said if word[0] > "9"])
    if "wwww" not in shown:
        return
    told = labels.table()
    leading = told.words | told.common["seeds"]
    for run in _RUN_OF_WORDS.finditer(low):
        words = [*_WORD.finditer(low, *run.span())]
        fitting = sum(word[0] in known for word in words)
        if len(words) in SEED_SIZES and len(words) - 2 <= fitting < len(words):
            once = {word[0] for word in words}
            if len(once) == len(words) and told.words.isdisjoint(once):
                yield _Find(*run.span(), LAST, SEED)
        for fits, group in groupby(words, lambda word: word[0] in known):
            seed = [*group]
            if fits and (checked := _checked_seed(seed)):
                yield _Find(*checked, LAST, SEED)
                continue
            while len(seed) not in SEED_SIZES and seed and seed[0][0] in leading:
                del seed[0]
            while len(seed) not in SEED_SIZES and seed and seed[-1][0] in leading:
                del seed[-1]
            doubled = len(seed) - len({word[0] for word in seed})
            if fits and len(seed) in SEED_SIZES and doubled < 2:
                yield _Find(seed[0].start(), seed[-1].end(), LAST, SEED)


def _checked_seed(words: list[re.Match[str]]) -> tuple[int, int] | None:
    """Return the span of a seed whose checksum is right, at either end of a run.

    So words that repeat are recognised as well. A dozen others pass once in 16 times,
    so a long run, and one word said again and again, is none.
    """
    said = {word[0] for word in words}
    if len(words) > max(SEED_SIZES) + 2 or len(said) < 2:
        return None
    for size in sorted(SEED_SIZES, reverse=True):
        for part in (words[:size], words[-size:]):
            if len(part) == size and has_seed_checksum([word[0] for word in part]):
                return part[0].start(), part[-1].end()
    return None


def has_seed_checksum(words: Sequence[str]) -> bool:
    """Return whether words of the BIP-39 list carry the right checksum.

    Each word is eleven bits; of all bits, one in 33 is the checksum.
    """
    numbers = _seed_words()
    bits = 0
    for word in words:
        bits = bits << 11 | numbers[word]
    checked = len(words) * 11 // 33
    entropy = (bits >> checked).to_bytes(checked * 4)
    digest = hashlib.sha256(entropy).digest()
    return bits & ((1 << checked) - 1) == digest[0] >> (8 - checked)


@cache
def _seed_words() -> dict[str, int]:
    """Return the words that wallets write a seed in, by their BIP-39 number."""
    path = Path(__file__).with_name("seed_words.txt")
    return {word: number for number, word in enumerate(path.read_text("utf-8").split())}


# --- whole values -----------------------------------------------------------

T = TypeVar("T")


LEAST_PIECE = 5
"""A piece of a secret that is shorter may be any word."""

_CUTS = re.compile(r"\n|\"|\\[nrt\"]")


class SecretPiece(NamedTuple):
    """A line of a secret, and what kind of secret it is."""

    text: str
    kind: str


def pieces_of(
    whole: str, is_id: Callable[[str], bool] = is_no_id
) -> tuple[SecretPiece, ...]:
    """What lines and quotes cut the secrets of a text into, the longest first."""
    found = {
        SecretPiece(part.strip(), secret.kind)
        for secret in find_secrets(whole, is_id)
        for part in _CUTS.split(whole[secret.start : secret.end])
        if len(part.strip()) >= LEAST_PIECE
    }
    return tuple(sorted(found, key=lambda piece: (-len(piece.text), piece)))


def screened(
    value: T,
    pieces: Sequence[SecretPiece] = (),
    is_id: Callable[[str], bool] = is_no_id,
) -> T:
    """Any value in which no text has a secret; numbers, kinds and ids stay.

    Args:
        value: A text, or a record, a list or a memory with texts in it.
        pieces: Of the whole that it was cut from, see `pieces_of`.
        is_id: Whether a word is the ID of an existing memory, and so no secret.
    """
    return cast("T", _screened(value, pieces, is_id))


def _screened(
    value: Any,  # noqa: ANN401 - anything
    pieces: Sequence[SecretPiece],
    is_id: Callable[[str], bool],
) -> Any:  # noqa: ANN401 - anything
    clean = value
    if type(value) is str:
        clean = without_secrets(value, is_id)
        for piece in pieces:
            if piece.text in clean:
                clean = clean.replace(piece.text, f"{REDACTED}{piece.kind}]")
    elif type(value) is tuple or type(value) is list:
        clean = type(value)(_screened(part, pieces, is_id) for part in value)
    elif isinstance(value, dict):
        clean = {
            _screened(key, pieces, is_id): _screened(part, pieces, is_id)
            for key, part in value.items()
        }
    elif isinstance(value, Struct):
        parts = {
            name: _screened(getattr(value, name), pieces, is_id)
            for name in value.__struct_fields__
            if name != "id"
        }
        clean = replace(value, **parts)
    return clean


def texts_in(value: object) -> Iterator[str]:
    """The texts of a record or a list, however deep; our own words are none."""
    if type(value) is str:  # and no Enum
        yield value
    elif isinstance(value, dict):
        yield from texts_in([*value.items()])
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts_in(part)
    elif isinstance(value, Struct):
        yield from texts_in([getattr(value, name) for name in value.__struct_fields__])


def kinds_in(value: object, is_id: Callable[[str], bool] = is_no_id) -> tuple[str, ...]:
    """The kinds of secrets in the texts of a record or a list, each once."""
    found = (s.kind for text in texts_in(value) for s in find_secrets(text, is_id))
    return tuple(dict.fromkeys(found))


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
    told = tuple((text.count(mark, 0, s.start) + 1, s.kind) for s in found)
    return redact(text, found, "\n\f"), told


# --- refusal ----------------------------------------------------------------

_REDACTED = re.compile(r"\[redacted: ([^\]]{1,40})\]")


def remove_marks(text: str) -> str:
    """Return a text without the marks of what was redacted in it."""
    return _REDACTED.sub("", text)


class SecretFoundError(RefusedError):
    """A text has a password or a key in it, and was not stored."""

    says = "this holds a secret ({}); nothing of it was written"
    mend = "--secrets redact takes it out; only a person may --secrets keep."

    def __init__(self, kinds: Iterable[str]) -> None:
        super().__init__(", ".join(dict.fromkeys(kinds)))


_TYPE_OF_NAME = re.compile(r"(?:\w+:)?[a-z]{2,20}--")
_FILE_ENDING = re.compile(r"\.[A-Za-z]{2,4}\Z")


def _name_forms(name: str) -> list[str]:
    """Return what a name may hide: itself, and without its type or file ending.

    The words of a seed phrase may be joined by hyphens, as in an ID.
    """
    bare = _FILE_ENDING.sub("", _TYPE_OF_NAME.sub("", name, count=1))
    parts = re.split(r"[-_ ]+", bare)
    forms = [name, bare] if bare != name else [name]
    return [*forms, " ".join(parts)] if len(parts) >= min(SEED_SIZES) else forms


def pass_words(
    words: Iterable[str], choice: Secrets, is_id: Callable[[str], bool] = is_no_id
) -> None:
    """Refuse names, tags and titles that have a secret in them, or had one.

    A name cannot be redacted: many things would have the same one. The ID of an
    existing memory is no secret, whatever it looks like.
    """
    if choice is not Secrets.KEEP:
        kinds = [
            kind
            for word in words
            for kind in (*kinds_in(_name_forms(word), is_id), *_REDACTED.findall(word))
        ]
        if kinds:
            raise SecretFoundError(kinds)


# --- the table of formats ----------------------------------------------------


class _Row(NamedTuple):
    kind: str
    words: tuple[str, ...]
    check: str
    pattern: str


class _Rows(NamedTuple):
    ranked: list[tuple[int, _Row]]
    short: list[tuple[int, _Row]]
    words: frozenset[str]
    short_words: frozenset[str]
    prefixes: tuple[str, ...]


MIN_PREFIX_LENGTH = 4
"""Characters of a vendor's prefix that shows the first part of a broken key."""

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
_COLUMNS = re.compile(r" {2,}")


@cache
def _rows() -> _Rows:
    """The rows of `formats.toml`, made ready."""
    rows = data("formats.toml")
    tokens = _lines(rows["tokens"])
    prefixes = (prefix for columns in tokens for prefix in columns[1].split(","))
    ranked = list(enumerate(map(_token, tokens)))
    ranked += enumerate(map(_shape, _lines(rows["long"])), len(ranked))
    short = list(enumerate(map(_shape, _lines(rows["short"])), len(ranked)))
    ranked += short
    return _Rows(
        ranked,
        short,
        frozenset(word for _, row in ranked for word in row.words),
        frozenset(word for _, row in short for word in row.words),
        tuple(prefix for prefix in prefixes if len(prefix) >= MIN_PREFIX_LENGTH),
    )


@cache
def _redactions() -> re.Pattern[str]:
    """What stands for each kind of secret in a text that was redacted."""
    issuers = data("labels.toml")["common"]["issuers"].split()
    kinds = {row.kind for _, row in _rows().ranked}.union(
        KINDS, map(labels.key_of, issuers)
    )
    return re.compile(rf"\[redacted: (?:{'|'.join(sorted(map(re.escape, kinds)))})\]")


def _lines(rows: str) -> list[list[str]]:
    """The columns of each row; lines that begin with blanks belong to the last one."""
    lines = (row.split("\n") for row in re.split(r"\n(?! )", rows.strip()))
    whole = ((_COLUMNS.split(first, 3), more) for first, *more in lines)
    return [
        [*columns[:3], "".join([*columns[3:], *map(str.strip, more)])]
        for columns, more in whole
    ]


def _token(columns: list[str]) -> _Row:
    kind, begins, rest, _ = columns
    begun = begins.split(",")
    start = "|".join(map(re.escape, begun))
    pattern = rf"{_LEFT}(?P<secret>(?:{start})(?P<rest>{rest})){_RIGHT}"
    if len(begun) == 1 and start.isalnum():
        # The letters first: it is them that a search can skip to.
        pattern = rf"(?P<secret>{start}(?<![A-Za-z0-9]{start})(?P<rest>{rest})){_RIGHT}"
    return _Row(kind, tuple(map(str.lower, begun)), "issued", pattern)


def _shape(columns: list[str]) -> _Row:
    kind, words, check, pattern = columns
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    flags = re.match(r"(?:\(\?[im]+\))?", pattern)
    begun = flags[0] if flags else ""
    if "(?P<secret>" not in pattern:
        pattern = f"{begun}(?P<secret>{pattern.removeprefix(begun)})"
    return _Row(kind, () if words == "-" else tuple(words.split(",")), check, pattern)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)
