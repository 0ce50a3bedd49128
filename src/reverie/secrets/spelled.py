"""Find secrets that are spelled: "My PIN is four eight two one", "T, a, n, g, o"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.secrets.labels import CODE, DIGIT_WORDS, PASSWORD, PIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.secrets.labels import Place

MAX_CHARACTERS = 160
MAX_WORDS_BEFORE = 4
"""Words between a label and the first digit of its value."""

MIN_DIGITS, MIN_NUMBERS = 4, 3
"""Words for digits of a PIN, and numbers of a combination lock."""

MIN_LETTERS, MIN_ITEMS = 4, 5
"""Single letters, and all parts of a password that is spelled."""

_SENTENCE = re.compile(r"[^.!?;\n\0\u3002\uff01\uff1f]*")
_WORD = re.compile(r"[^\W_]+")
_GAP = re.compile(r"[ \t,\u3001\uff0c-]{0,3}")
_NUMERALS = re.compile(
    r"[\u3007\u96f6\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d]{4,8}"
)
_HAN_AND_DIGITS = re.compile(
    r"[ ]?[:=][ ]?([\u3040-\u30ff\u3400-\u9fff]{2,12}[0-9a-z!@#$%^&*]{2,12})"
    r"(?![^\s;,*])"
)
_CHAIN = re.compile(r"(?<![\w-])[^\W_](?:[-\u2013 ][^\W_]){4,}(?![\w-])")


def find_spelled(low: str, place: Place) -> tuple[int, int] | None:
    """Return where the value of a label is spelled, in the rest of its sentence.

    Args:
        low: A folded text in small letters.
        place: The label.
    """
    kind, column = place.label.kind, place.label.column
    if kind not in {PIN, CODE, PASSWORD} or column in {"user", "answer"}:
        return None
    rest = _SENTENCE.match(low, place.end, place.end + MAX_CHARACTERS)
    if rest is None or not rest[0].strip():
        return None
    mixed = _HAN_AND_DIGITS.match(low, place.end) if kind == PASSWORD else None
    if mixed:
        return mixed.span(1)
    if kind != PASSWORD and not rest[0].isascii():
        numerals = _NUMERALS.search(low, *rest.span())
        if numerals:
            return numerals.span()
    words = [*_WORD.finditer(low, *rest.span())]
    if found := _find_numbers(low, words, locked=column == "lock"):
        return found
    return _find_letters(low, rest.start(), rest.end()) if kind == PASSWORD else None


def _find_numbers(
    low: str, words: Sequence[re.Match[str]], *, locked: bool
) -> tuple[int, int] | None:
    first = next((n for n, w in enumerate(words) if w[0] in DIGIT_WORDS), len(words))
    if first > MAX_WORDS_BEFORE:
        return None
    last = first
    for word in words[first:]:
        joined = _GAP.fullmatch(low, words[last - 1].end(), word.start())
        if word[0] not in DIGIT_WORDS or (last > first and not joined):
            break
        last += 1
    run = words[first:last]
    span = (run[0].start(), run[-1].end()) if run else (0, 0)
    minimum = MIN_NUMBERS if locked and "," in low[slice(*span)] else MIN_DIGITS
    return span if len(run) >= minimum else None


def _find_letters(low: str, start: int, end: int) -> tuple[int, int] | None:
    if chain := _CHAIN.search(low, start, end):
        return chain.span()
    items = low[start:end].split(",")
    spelled = [item.split() for item in items]
    last = next(
        (n for n, words in enumerate(spelled[1:], 1) if not 0 < len(words) < 3),
        len(items),
    )
    letters = sum(len(words[-1]) == 1 for words in spelled[:last] if words)
    if last < MIN_ITEMS or letters < MIN_LETTERS:
        return None
    begin = start + len(items[0]) - len(" ".join(spelled[0][-2:]))
    return begin, start + len(",".join(items[:last]).rstrip())
