"""A text as it reads, and where each of its letters stands in the original.

Invisible characters go, full-width and styled letters become plain ones, every kind of
blank, dash and quotation mark the common one. Who looks for something looks in this
copy, and cuts in the original.
"""

from __future__ import annotations

import re
import string
import unicodedata
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_INVISIBLE = frozenset(("Cc", "Cf", "Mn", "Me"))
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
_QUOTES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
}
_ALIKE = str.maketrans(
    "авекмнорстухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "abekmhopctyxijsdhqwABEKMHOPCTYXIJSaeikvoptuxABEZHIKMNOPTYX",
)
"""Letters of other alphabets that look like ours."""

_SMALL = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_UNUSUAL = re.compile(r"[^\n\t -~]")
_MIXED = re.compile(r"[a-zA-Z][\u0370-\u052f]|[\u0370-\u052f][a-zA-Z]")


class Folded(Struct, frozen=True):
    """A plain copy of a text.

    Attributes:
        text: What is left of it.
        places: Where each character of `text` stands in the original; empty where
            both are the same.
    """

    text: str
    places: Sequence[int] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the copy, which is not empty, stands in the original."""
        if not self.places:
            return start, end
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> Folded:
    """The plain copy of a text."""
    if not _UNUSUAL.search(text):
        return Folded(text)
    unusual = set(text)
    changes = {char: plain for char in unusual if (plain := _plain(char)) != char}
    return _changed(text, changes) if changes else Folded(text)


def lowered(text: str) -> str:
    """A text in small letters, of the same length: a Turkish capital I is two."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_SMALL)


def look_alike(text: str) -> str:
    """A text of the same length whose foreign letters are ours where they look so.

    Only where alphabets are mixed within a word: Russian stays Russian.
    """
    return text.translate(_ALIKE) if _MIXED.search(text) else text


def _changed(text: str, changes: Mapping[str, str]) -> Folded:
    pieces: list[str] = []
    places = array("Q")
    done = 0
    for match in re.finditer(f"[{re.escape(''.join(changes))}]", text):
        at = match.start()
        plain = changes[match[0]]
        pieces += (text[done:at], plain)
        places.extend(range(done, at))
        places.extend([at] * len(plain))
        done = at + 1
    pieces.append(text[done:])
    places.extend(range(done, len(text)))
    return Folded("".join(pieces), places)


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    if " " <= char <= "~" or char in "\n\t":
        return char
    if char in _LINE_ENDS:
        return "\n"
    category = unicodedata.category(char)
    if category in _INVISIBLE or char in _BLANK:
        return ""
    if category == "Zs":
        return " "
    if category == "Pd" or char == "\u2212":
        return "-"
    if category == "Nd":
        return str(unicodedata.digit(char))
    if char in _QUOTES:
        return _QUOTES[char]
    plain = unicodedata.normalize("NFKC", char)
    # One for one: a letter that stood for two could be cut in the middle.
    return plain if len(plain) == 1 and plain.isascii() else char
