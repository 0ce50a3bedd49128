"""Find random words that nothing names: passwords and keys inside a sentence.

A generated password mixes small letters, capitals, digits and signs, and changes
between them at almost every character. Identifiers, product names and compounds do
not. Addresses, paths and values that carry a name of their own ("cus_…", "id=…") are
no secrets here: formats and labels decide about them.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from reverie.secrets import labels, values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.secrets.labels import Place

MIN_MARKED_LENGTH = 10
"""Characters of a random word that has a sign such as `!` inside."""

MIN_PLAIN_LENGTH = 16
"""Characters of a random word of letters and digits: shorter ones name videos."""

MIN_BASE64_LENGTH = 30
MAX_BASE64_SIGNS_PER_CHARACTER = 0.12
"""Paths and positions of chess have more slashes than base64."""

MIN_ONE_CASE_LENGTH, MIN_ONE_CASE_CHANGES = 24, 8
"""Characters, and changes between letters and digits, of a word in one case."""

MAX_LENGTH = 128
BASE64_LINE_LENGTH = 60
"""A line this long before or after a word shows that both belong to one block."""

NEAR_LINES = 300
"""Characters before and after a word in which such lines are."""

MIN_LETTERS = 6
MIN_PIECES_PER_CHARACTER = 0.36
"""Words of any language, joined as in `parseHttp2Header`, have fewer pieces."""

MAX_SIGNS_PER_CHARACTER = 0.34
"""Formulas and regular expressions have more signs."""

MIN_SPACED_LETTERS = 16
MIN_HALF_LENGTH, MIN_PREFIX_AND_HALF = 6, 8
MAX_WORDS_BETWEEN = 4

_CANDIDATE = re.compile(r"[^\s\"'`<>()\[\]{},;|\\\0\x7f-\U0010ffff]{10,}")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^A-Za-z0-9]")
_EDGES = ".:!?*_~#@&-=+/"
_ENDS = ".:!?*_~,"
_SIGNS = frozenset("!#$%^&*?~@")
_CODE_SIGNS = frozenset("+=")
"""Signs that only count beside another one: code and formulas are full of them."""

_BASE64_SIGNS = frozenset("+/"), frozenset("-_")
_ESCAPED = re.compile(
    r"%(?:2[0-9A-F]|3[A-F]|5[BD]|s)|%[0-9A-F]{2}.*%[0-9A-F]{2}"
    r"|&#[xX]?[0-9A-Fa-f]+\Z|&(?:lt|gt|amp|quot|nbsp)\b|\$\d\Z"
)
_STRUCTURED = re.compile(
    r"0x[0-9a-fA-F]+|[A-Z]{0,3}[0-9a-fA-F]+|Qm\w{44}"
    r"|(?:AAAA|iVBORw0KGgo|R0lGOD|/9j/|UklGR|PHN2Zy|JVBERi|UEsDB).*"
)
"""Hexadecimal digits, addresses of content, public keys, pictures and documents."""

_PUBLIC = re.compile(
    r"[0-7][0-9A-HJKMNP-TV-Z]{25}\Z|baf[a-z2-7]{56}|[a-z]{1,12}1[02-9ac-hj-np-z]{20,}\Z"
)
"""Identifiers that sort by time, addresses of content, bech32 addresses and keys."""

_PREFIXED = re.compile(r"[a-z]{1,12}[_-]")
"""How identifiers that say what they name begin: `price_`, `run-`."""

_KEYED = re.compile(r"(?:[\"'][ \t]?:|\w[ \t]?=)[ \t]?[\"']?\Z")
_NAME = re.compile(r"([^\W\d_]{2,})[ \t]?[#:=(]{0,2}[ \t]?(?:W/)?[\"'`(]?\Z")
_LETTERS = re.compile(r"[^\W\d_]+")
_DATA = re.compile(r"base64[,:\s]{1,2}\Z")
_BASE64_LINE = re.compile(rf"[A-Za-z0-9+/]{{{BASE64_LINE_LENGTH}}}")
_SPACED = re.compile(rf"(?<!\S)(?:[!-~] ){{{MIN_SPACED_LETTERS - 1},199}}[!-~](?!\S)")

_OPENING_KEY = re.compile(
    r"(?:[ ](?P<by>[^\W\d_]+))?[ \"'`]{1,2}(?=\S*\d)(?P<key>[\w+/=-]{20,})"
)


def list_candidates(text: str) -> list[str]:
    """Return the words of a folded text that may be keys or parts of one, in order."""
    words = text.split()
    return [
        word
        for word in words
        if len(word) >= (MIN_ONE_CASE_LENGTH if word.islower() else MIN_PREFIX_AND_HALF)
    ]


def find_random_words(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where random words are in a folded text, see `list_candidates`."""
    done = 0
    for word in words:
        if len(word) < MIN_MARKED_LENGTH or not (_is_mixed(word) or _is_one_case(word)):
            continue
        start = text.index(word, done)
        done = start + len(word)
        for found in _CANDIDATE.finditer(word):
            shown = found[0].rstrip(_ENDS)
            begin = start + found.start() + len(shown) - len(shown.lstrip(_EDGES))
            shown = shown.lstrip(_EDGES)
            if is_random(shown) and not _is_named(text, begin, begin + len(shown)):
                yield begin, begin + len(shown)


def find_spaced_words(text: str) -> Iterator[Broken]:
    """Yield words with a blank between all of their characters."""
    for spaced in _SPACED.finditer(text):
        yield Broken(*spaced.span(), spaced[0].replace(" ", ""))


def find_broken_words(
    text: str, words: Sequence[str], prefixes: tuple[str, ...]
) -> Iterator[Broken]:
    """Yield keys of known vendors that a line end or a few words cut in two.

    Args:
        text: A folded text.
        words: Its words that may be parts of a key, see `list_candidates`.
        prefixes: How such keys begin.
    """
    done = 0
    for word in words:
        if word.istitle() or not word.startswith(prefixes):
            continue
        start = text.index(word, done)
        done = start + len(word)
        for count in range(MAX_WORDS_BETWEEN + 1):
            rest = _following_word(count).match(text, done)
            if rest and len(rest[1]) >= MIN_HALF_LENGTH and _is_half(rest[1]):
                yield Broken(start, rest.end(1), word + rest[1])


def find_opening_key(text: str, place: Place) -> tuple[int, int] | None:
    """Return where the long key of "unlock with 4f9a…" is, hexadecimal or not.

    Args:
        text: A folded text.
        place: The word for what the key opens.
    """
    found = _OPENING_KEY.match(text, place.end)
    said = place.label.word.rpartition(" ")[2]
    by = labels.table().common["by"]
    if not found or {(found["by"] or said).lower()}.isdisjoint(by):
        return None
    return found.span("key") if values.issued(found["key"]) else None


class Broken(NamedTuple):
    """A word in parts.

    Attributes:
        start: Where its first part begins.
        end: Where its last part ends.
        word: The parts without what breaks them.
    """

    start: int
    end: int
    word: str


@cache
def _following_word(count: int) -> re.Pattern[str]:
    return re.compile(rf"(?:\s+[^\s\0]{{1,12}}){{{count}}}\s+([\w./+=-]+)")


def _is_half(word: str) -> bool:
    """Return whether a word can be the rest of a key, and is none of a sentence."""
    numbered = any(map(str.isdigit, word)) and values.quirky(word)
    return numbered or word.isupper() or values.is_scrambled(word)


def is_random(word: str) -> bool:
    """Return whether a word is as mixed as only generated passwords and keys are.

    Example: `gC0fRm8JPPjHOV!dY3` is, `parseHttp2Header` and `2x^2+3y` are not.
    """
    if not MIN_MARKED_LENGTH <= len(word) <= MAX_LENGTH:
        return False
    if _is_one_case(word):
        return not _PUBLIC.match(word)
    if not _is_mixed(word):
        return False
    bare = word.rstrip("=")
    signs = {char for char in bare if not char.isalnum()}
    count = sum(char in signs for char in bare)
    if not signs:
        minimum = MIN_PLAIN_LENGTH
    elif signs <= _SIGNS or (signs & _SIGNS and signs <= _SIGNS | _CODE_SIGNS):
        minimum = MIN_MARKED_LENGTH
    elif any(map(signs.issubset, _BASE64_SIGNS)):
        minimum = MIN_BASE64_LENGTH
        crowded = count > MAX_BASE64_SIGNS_PER_CHARACTER * len(bare)
        if crowded or _PREFIXED.match(bare):
            return False
    else:
        return False
    pieces = len(_PIECE.findall(bare)) / len(bare)
    return (
        len(bare) >= minimum
        and sum(map(str.isalpha, bare)) >= MIN_LETTERS
        and count <= MAX_SIGNS_PER_CHARACTER * len(bare)
        and pieces >= MIN_PIECES_PER_CHARACTER
        and not (_STRUCTURED.fullmatch(bare) or _ESCAPED.search(word))
        and not values.is_bitcoin_address(word)
        and not (values.placeholder(word) or _is_encoded_text(word))
    )


def _is_mixed(word: str) -> bool:
    """Return whether a word has letters of both cases, and digits or a sign."""
    if word.islower() or word.isupper() or word.isalpha():
        return False
    sorts = (str.isupper, str.islower)
    return all(any(map(sort, word)) for sort in sorts)


def _is_one_case(word: str) -> bool:
    """Return whether a word of one case is long, and mixes letters with digits."""
    shown = word.strip(_EDGES)
    if len(shown) < MIN_ONE_CASE_LENGTH or not shown.isascii() or not shown.isalnum():
        return False
    if not (shown.islower() or shown.isupper()) or _STRUCTURED.fullmatch(shown):
        return False
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(shown))
    return changes >= MIN_ONE_CASE_CHANGES


def _is_public(near: str) -> bool:
    """Return whether a text in small letters names a public key: "public key is"."""
    public, keys = labels.table().common["public"], _key_words()
    words = _LETTERS.findall(near)
    pairs = any(one in public and two in keys for one, two in pairwise(words))
    return pairs or any(w.startswith("pub") and w[3:].endswith("key") for w in words)


@cache
def _key_words() -> frozenset[str]:
    known = labels.table().labels
    return frozenset(each.word for each in known if each.kind == labels.KEY)


def _is_encoded_text(word: str) -> bool:
    said = values.decoded(word)
    return bool(said) and said.isprintable()


def _is_named(text: str, start: int, end: int) -> bool:
    """Return whether what surrounds a word says that it is no secret."""
    near = text[max(0, start - 40) : start].rpartition("\n")[2]
    known = labels.table().common["identifiers"]
    name = _NAME.search(near)
    if name and name[1].lower() in known:
        return True
    if _is_public(near.lower()):
        return True
    if _KEYED.search(near) and _SIGNS.isdisjoint(text[start:end]):
        return True
    if _DATA.search(near) or text[start - 1 : start] in {"_", "-", "/", "="}:
        return True
    before = text[max(0, start - NEAR_LINES) : start].split("\n")[-2:-1]
    after = text[end : end + NEAR_LINES].split("\n")[1:2]
    return _is_part_of_block("".join(before), "".join(after).lstrip("> \t\"'"))


def _is_part_of_block(before: str, after: str) -> bool:
    """Return whether the line before or after shows a block of base64."""
    if "-----BEGIN" in before or after.startswith("-----END"):
        return True
    return bool(_BASE64_LINE.search(before) or _BASE64_LINE.match(after))
