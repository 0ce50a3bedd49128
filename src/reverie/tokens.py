"""How many tokens a text costs a language model, estimated on the safe side.

No vocabulary, no network: a text is cut into the pieces a byte-pair tokenizer
would start from, and each kind of piece has a price measured on real ones
(docs/design/tokens.md). The estimate is meant for caps and budgets: it is rarely
below the true count, and on English prose about a seventh above it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from functools import lru_cache
from itertools import tee
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PIECE = re.compile(
    r"[A-Za-z0-9]+"
    r"|[!-/:-@\[-`{-~]+[\r\n]*"  # a line end after punctuation belongs to it
    r"|[ \t]{2,}"
    r"| (?=[0-9])"  # digits, unlike letters, do not swallow the blank before them
    r"|[\r\n]+"
    r"|[^ -~]"
)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]|[0-9]{1,3}")
_RUN = re.compile(r"(.)\1*", re.DOTALL)

# Words that betray English: frequent in it, rare or absent in other languages.
_ENGLISH = frozenset(
    form
    for word in re.findall(
        r"\w+",
        """
        about after again against also always and another any anything are
        around asked away back because before being below better between both
        but call called came can change check could days does doing done down
        each early enough even every everything fact few find first follow from
        gave get give given going good great has have help here high home how
        however important into its just keep kept know known language last later
        learn learned least left less life likes little long look looking made
        make making many maybe meeting might month most move much must name need
        needs never new next night nothing now number often old once only other
        our people prefer preferences prefers project question read really
        reason right said same says school second several she should show since
        small some something soon start still story such sure take talk task
        tell than thank thanks that the their them then there these they thing
        things think this those though thought three through time times today
        together told took try trying two until used users uses using usually
        very wait want wants way week weeks well went what when where whether
        which while who whole why will with without work working works would
        write wrong year years yesterday yet you your
        """,
    )
    for form in (word, word.title())
)
# Vocabularies know English words by heart and spell out most others. So the pieces
# that follow one of the words above are priced as English.
_WINDOW = 12
# Table cells and ids such as `tool--openclaw` hold names, whatever stands before.
_NAMES_FOLLOW = frozenset(("|", "|\n", "--"))

_LONG = 9  # letters; what is longer is a compound or noise, and dear
_ODD = 16  # letters and digits mixed, this long: a hash or a key
_REMEMBERED = 40  # characters of a piece whose price is kept
_CLIP_BACK = 80  # how far back to look for a blank before cutting where we are

# The price of one character, from each code point up to the next. No byte-pair
# tokenizer needs more tokens than UTF-8 has bytes; the rare scripts come close.
_SCRIPTS = (
    (0x0000, 1.0),  # control characters
    (0x0080, 1.2),  # Latin punctuation and signs
    (0x00C0, 1.6),  # Latin letters with accents
    (0x0250, 2.0),
    (0x0370, 1.14),  # Greek
    (0x0400, 0.69),  # Cyrillic
    (0x0530, 2.2),  # Armenian
    (0x0590, 1.25),  # Hebrew
    (0x0600, 0.98),  # Arabic
    (0x0700, 2.3),
    (0x0900, 1.28),  # Devanagari
    (0x0980, 1.5),  # Bengali
    (0x0A00, 2.15),
    (0x0B80, 1.6),  # Tamil
    (0x0C00, 2.3),
    (0x0E00, 1.05),  # Thai
    (0x0E80, 2.4),
    (0x1E00, 1.6),  # Vietnamese
    (0x1F00, 3.0),
    (0x2000, 1.2),  # general punctuation
    (0x2070, 2.2),
    (0x3000, 1.0),  # Japanese punctuation
    (0x3040, 1.0),  # kana
    (0x3100, 3.0),
    (0x4E00, 1.58),  # Han
    (0xA000, 3.0),
    (0xAC00, 1.25),  # Hangul
    (0xD7B0, 3.0),
    (0xFE00, 2.0),
    (0xFF00, 1.4),  # full-width forms
    (0x10000, 4.0),
    (0x1F000, 3.0),  # emoji
    (0x1FB00, 4.0),
)
_SCRIPT_STARTS = tuple(start for start, _ in _SCRIPTS)


def count_tokens(text: str) -> int:
    """Estimate, on the safe side, how many tokens a text is.

    Estimates add up: two texts joined between words cost at most one token more
    than they do apart, and never less than the first of them.
    """
    # Sums of decimal prices carry a rounding error; it must not cost a token.
    return math.ceil(sum(_prices(_PIECE.findall(text))) - 1e-6)


def within_tokens(text: str, budget: int) -> bool:
    """Whether a text has at most so many tokens; quick to say no of a long one."""
    spent = 0.0
    for price in _prices(match.group() for match in _PIECE.finditer(text)):
        spent += price
        if spent - 1e-6 > budget:
            return False
    return True


def clip_to_tokens(text: str, budget: int) -> str:
    """Cut a text to its longest beginning of whole words within a budget.

    A text that fits comes back as it is. Where no blank is near, as in Chinese, the
    cut is between characters. A first word that is itself too long leaves nothing.
    """
    spent, fits = 0.0, 0
    matches, read = tee(_PIECE.finditer(text))
    for match, price in zip(
        matches, _prices(match.group() for match in read), strict=True
    ):
        spent += price
        if spent > budget:
            return text[: _word_end(text, fits)].rstrip()
        fits = match.end()
    return text


def _word_end(text: str, end: int) -> int:
    """The nearest blank up to `end`, or `end` itself where there is none near."""
    if text[end : end + 1].isspace():
        return end
    near = max(0, end - _CLIP_BACK)
    blank = max(text.rfind(" ", near, end), text.rfind("\n", near, end))
    return end if blank < 0 else blank


def _prices(pieces: Iterable[str]) -> Iterator[float]:
    """What each piece costs, given the pieces before it."""
    english_until = 0
    for position, piece in enumerate(pieces):
        if piece in _ENGLISH:
            english_until = position + _WINDOW
            yield 1.0
            continue
        if piece in _NAMES_FOLLOW:
            english_until = 0
        price = _known(piece) if len(piece) <= _REMEMBERED else _price(piece)
        yield price[position < english_until]


@lru_cache(maxsize=1 << 15)
def _known(piece: str) -> tuple[float, float]:
    """The price of a piece that is short enough to come again."""
    return _price(piece)


def _price(piece: str) -> tuple[float, float]:
    """What a piece costs anywhere, and what it costs in English."""
    first = piece[0]
    if not first.isascii():
        price = _SCRIPTS[bisect_right(_SCRIPT_STARTS, ord(first)) - 1][1]
    elif first.isalnum():
        return _word_price(piece)
    elif first in " \t":
        price = 1.0 + len(piece) // 32
    elif first in "\r\n":
        price = 1.0 + len(piece) // 16
    else:
        runs = sum(1 for _ in _RUN.finditer(piece.rstrip("\r\n")))
        price = 1.0 + 0.7 * (runs - 1) + (len(piece) - runs) / 12
    return price, price


def _word_price(word: str) -> tuple[float, float]:
    if word.isalpha() and (word.islower() or word.istitle()):
        return _letters_price(word), max(1.0, 0.2 + 0.165 * len(word))
    if len(word) >= _ODD and not (word.isalpha() or word.isdigit()):
        price = 0.83 * len(word)
    else:
        price = sum(map(_letters_price, _PART.findall(word)))
    return price, price


def _letters_price(part: str) -> float:
    """What a run of letters costs that is not known to be English, or of digits."""
    if part.isdigit():
        return 1.0
    if part.isupper():
        return max(1.0, 0.42 * len(part))
    length = len(part)
    return max(1.0, 0.355 * length - 0.2) + 0.3 * max(0, length - _LONG)
