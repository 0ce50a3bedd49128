"""Text as a person can see it: what is not printable is spelled out, or not stored.

    >>> printable("a\u200bb")
    'a⟦U+200B⟧b'

Control characters, characters without a face (fillers, joiners, selectors, tags),
marks that reorder text, blanks that are not a plain space, and marks piled up on one
letter are written as `⟦U+200B⟧`. What would read as such a spelling is spelled out
itself, so two different texts never look the same.

A joiner stays where a script needs it and it shows: behind a virama, between letters
of Arabic script that would join (the rules of RFC 5892, appendix A.1 and A.2), and
between two emoji. So does U+FE0F behind a symbol that is no emoji without it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache

from reverie.errors import RefusedError

ZWNJ, ZWJ, EMOJI_STYLE, KEYCAP = "\u200c", "\u200d", "\ufe0f", "\u20e3"

MOST_MARKS = 6
"""So many marks may stand on one letter: Burmese and Tibetan need as many."""

MOST_ACCENTS = 3
"""So many of them may be accents that belong to no script."""

_FACELESS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2800\u3164\uffa0"
    "\ufffc\U00016fe4\U0001d159"
)
"""Letters, marks and symbols of which nothing is to be seen."""

_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_EMOJI = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff"
    "\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]"
)
_SKIN = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
_SPELLING = re.compile(r"⟦(?=U\+[0-9A-F]{4,6}⟧)")
_VIRAMA = 9
"""The combining class of the sign that joins letters of Indic scripts."""


def printable(text: str, *, lines: bool = False, again: bool = False) -> str:
    """A text in which every character that is not plainly printable is spelled out.

    Args:
        text: Anything at all.
        lines: Whether line feeds are to break lines, and are no characters of it.
        again: Whether what is spelled out in it already is to stay as it is; such a
            text may look like another.
    """
    if text.isascii() and text.isprintable():
        return text
    if all(map(_plain, set(text) - {"\n"} if lines else set(text))):
        return text
    return "".join(spelled(text, lines=lines, again=again))


def all_plain(text: str) -> bool:
    """Whether nothing in a text would have to be spelled out."""
    return printable(text, again=True) == text


def escape_json(text: str) -> str:
    """A JSON text in which such characters are escaped the way JSON does."""
    # DEL is the one character of ASCII that JSON leaves as it is and nobody sees.
    text = text.replace("\x7f", "\\u007f")
    if text.isascii():
        return text
    return "".join(
        char if char in "\n" or _stands(char) else json.dumps(char)[1:-1]
        for char in text
    )


def spelled(text: str, *, lines: bool = False, again: bool = False) -> list[str]:
    """What each character of a text is shown as; see `printable`."""
    found = () if again else _SPELLING.finditer(text)
    literal = {each.start() for each in found}
    shown: list[str] = []
    marks: list[str] = []
    for at, char in enumerate(text):
        kind = unicodedata.category(char)
        stands = at not in literal and (
            _stands(char) or (lines and char == "\n") or _needed(text, at)
        )
        if stands and kind[0] == "M":
            stands = _carried(char, marks, shown[-1] if shown else "")
            # Behind so many none is carried.
            marks += [char] if len(marks) < MOST_MARKS else []
        elif not (stands and char in {ZWNJ, ZWJ, EMOJI_STYLE}):
            marks.clear()
        shown.append(char if stands else f"⟦U+{ord(char):04X}⟧")
    return shown


@cache
def _plain(char: str) -> bool:
    """Whether a character needs no second look, whatever stands beside it."""
    return char != "⟦" and unicodedata.category(char)[0] != "M" and _stands(char)


@cache
def _stands(char: str) -> bool:
    """Whether a character can be seen wherever it stands."""
    kind = unicodedata.category(char)
    if kind[0] in "CZ":
        return char == " "
    return char not in _FACELESS and not _SELECTORS.match(char)


def _carried(char: str, marks: list[str], base: str) -> bool:
    """Whether a mark can be told from those that stand on the same letter."""
    accents = sum(bool(_ACCENTS.match(mark)) for mark in marks)
    return (
        bool(base)
        and not base.isspace()
        and not base.startswith("⟦U+")
        and char not in marks
        and len(marks) < MOST_MARKS
        and not (_ACCENTS.match(char) and accents >= MOST_ACCENTS)
    )


def _needed(text: str, at: int) -> bool:
    """Whether a joiner or a selector changes how its neighbours look."""
    char = text[at]
    if char not in {ZWNJ, ZWJ, EMOJI_STYLE} or not at:
        return False
    before, after = text[at - 1], text[at + 1 : at + 2]
    if char == EMOJI_STYLE:
        dull = (
            bool(_EMOJI.match(before)) and unicodedata.east_asian_width(before) != "W"
        )
        return dull or (before in "0123456789#*" and after == KEYCAP)
    if not after:
        return False
    if unicodedata.combining(before) == _VIRAMA:
        return unicodedata.category(after)[0] == "L"
    if char == ZWNJ:
        letter = text[max(0, at - 1 - MOST_MARKS) : at].rstrip(_ARABIC_MARKS)[-1:]
        return letter in _arabic("<initial>") and after in _arabic("<final>")
    shown = before if before != EMOJI_STYLE else text[at - 2 : at - 1]
    return bool(shown and after) and bool(
        (_EMOJI.match(shown) or shown in _SKIN) and _EMOJI.match(after)
    )


_ARABIC_MARKS = "".join(map(chr, range(0x064B, 0x0656)))


@cache
def _arabic(form: str) -> frozenset[str]:
    """The letters of Arabic script that have a form of this kind.

    Those with an initial form join the letter behind them, those with a final form
    the one before.
    """
    found = set()
    for code in (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFEFD)):
        kind, _, letters = unicodedata.decomposition(chr(code)).partition(" ")
        if kind == form and len(letters) == 4:
            found.add(chr(int(letters, 16)))
    return frozenset(found)


# --- what can be stored ----------------------------------------------------------

_UNKEEPABLE = re.compile(
    "(?P<a_character_that_reorders_text>[\u202a-\u202e\u2066-\u2069])"
    "|(?P<an_invisible_tag_character>[\U000e0000-\U000e007f])"
    "|(?P<a_control_character>[\x00-\x08\x0b-\x1f\x7f-\x9f])"
    "|(?P<half_a_character>[\ud800-\udfff])"
    # One chooses how a character looks; a row of them can only carry a hidden text.
    "|(?P<hidden_selectors_in_a_row>[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,})"
)
"""What a person would not see, by what it is called."""


class UnstorableTextError(RefusedError):
    """A text that would not be read back as it looks."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"this cannot be remembered: {what}", hint=hint)


def storable(text: str, limit: int) -> str:
    """The text as it will be stored: Unix line ends, no blank edges.

    Raises:
        UnstorableTextError: It is empty, too long, or has characters that a
            person would not see.
    """
    clean = text.removeprefix("\ufeff").replace("\r\n", "\n").strip()
    if not clean:
        what = "there is no text"
        raise UnstorableTextError(what, "Say what to remember.")
    if len(clean) > limit or len(clean.encode("utf-8", "replace")) > limit:
        what = f"it is {len(clean.encode('utf-8', 'replace')):,} bytes long"
        hint = f"One memory may have {limit:,} (ledger.text_limit). Split it."
        raise UnstorableTextError(what, hint)
    if found := _UNKEEPABLE.search(clean):
        place = f"(U+{ord(found[0][0]):04X}) at character {found.start() + 1}"
        what = f"it has {str(found.lastgroup).replace('_', ' ')} {place}"
        raise UnstorableTextError(what, "Remove it and try again.")
    return clean


def mended(text: str) -> str:
    """A text from elsewhere as it can be stored: what cannot is shown as \ufffd."""
    clean = text.replace("\r\n", "\n").strip()
    return _UNKEEPABLE.sub("\ufffd", clean).strip()


def storable_name(name: str) -> str:
    """A name for a memory: one short visible line that is not a path."""
    clean = storable(name, 400)
    if "\n" in clean:
        what = "its name has several lines"
        raise UnstorableTextError(what, "Give one line.")
    parts = clean.replace("\\", "/").split("/")
    if clean.startswith(("/", "~")) or ".." in parts:
        what = f"{clean!r} is a path, not a name"
        raise UnstorableTextError(what, "Give a name, such as 'how to deploy'.")
    return clean
