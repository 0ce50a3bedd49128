"""Split texts into sentences, and find those that the author of a message states.

Only structure counts: punctuation of many scripts, line breaks, quotation marks, list
markers, code. Where a boundary is doubtful (an abbreviation, a line break without a
full stop), there is none: half a sentence must never pass as a whole one.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.index.text import COMMON_WORDS
from reverie.markdown import tidy
from reverie.pasted import split_pasted

if TYPE_CHECKING:
    from collections.abc import Iterator

_LATEX_QUOTES = re.compile(r"``([^`]{1,2000}?)''")

OPAQUE = "\ufffc"
"""Stands for a part that is not the author's own sentence: pasted text, code."""

QUESTION_MARKS = frozenset(
    "?\uff1f\u061f\u037e\u055e\u1367\u2047\u2048\u2049\u203d\u2e2e\ufe56\ua60f"
)
_WIDE_STOPS = frozenset("\u3002\uff01\uff1f\uff0e\uff61\ufe52\ufe56\ufe57")
"""Marks that end a sentence without a space behind them."""

_STOPS = (
    frozenset("!\u203c\u0964\u0965\u06d4\u0589\u1362\u1803\u104b\u17d4\u0f0d")
    | QUESTION_MARKS
)
"""Marks that end a sentence with a space behind them; the full stop has more rules."""

FULL_STOPS = frozenset(
    ".!\u3002\uff0e\uff61\uff01\u0964\u0965\u06d4\u0589\u1362\u1803\u104b\u17d4\u0f0d"
)
"""Marks that end a statement."""

_OPEN_ENDS = frozenset(
    ":,;\uff1a\uff0c\uff1b\u3001\u060c\u061b\u2013\u2014-\u2026([{\u201e\u00ab"
)
"""Marks behind which a sentence goes on, also in the next paragraph."""

_PAIRS = {"(": ")", "[": "]", "{": "}", "\uff08": "\uff09", "\u3010": "\u3011"}
_QUOTES = {
    "\u201c": "\u201d",
    "\u2018": "\u2019",
    "\u201e": "\u201c\u201d",
    "\u201a": "\u2018\u2019",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2039": "\u203a",
    "\u203a": "\u2039",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "\u300a": "\u300b",
    "\u3008": "\u3009",
    "\uff02": "\uff02",
    '"': '"',
    "`": "`",
}
"""Quotation marks, each with those that may close it."""

_CLOSERS = frozenset("'").union(*_PAIRS.values(), *_QUOTES.values())

_LIST_ITEM = re.compile(
    r"([ \t]*)(?:[-*+\u2022\u25e6\u2023\u2013]|\d{1,3}[.)])[ \t]+(?=\S)"
)
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_MARKDOWN_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_UNIT = re.compile(r"\d\s?[^\W\d_A-Z]{1,3}\Z")
"""A unit behind its number: 50 mg."""

_WORD = re.compile(r"[^\W_]+")
_ROMAN = re.compile(r"[IVXLCDM]+")
_EMPHASIS = frozenset("*_~")
_ADDRESS = frozenset(["sie", "ihr", "ihre", "ihren", "ihrem", "ihrer", "ihnen"])
"""Common German words that have a capital letter inside of a sentence."""

_YEAR_DIGITS = 4
_TABLES: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("abbreviations.toml").read_text("utf-8")
)
_BEFORE_NUMBERS = frozenset(_TABLES.pop("before_numbers").split())
_ABBREVIATIONS = frozenset(" ".join(_TABLES.values()).split())
_VOWELS = frozenset("aeiouy")
_LONGEST_TITLE = 4
"""Letters of a capitalised word before a full stop that may be a title: Dr, Prof."""

_INTERJECTIONS = frozenset(
    re.findall(
        r"\w+",
        "hi hey hello yo ok okay yes yep no nope sure fine right well thx thanks "
        "oh ah aha hallo moin servus ja nein doch gut klar danke na hola sí vale "
        "gracias bueno oui non bon merci salut olá oi sim não bom ciao grazie "
        "bene hoi nee goed dank ",
    )
)
"""Words that are a sentence of their own at the start of one, and no abbreviation."""

_JOINERS = frozenset("\u200c\u200d")
"""Invisible characters that some scripts need inside of words."""

_EMOJI_PARTS = _JOINERS | frozenset("\ufe0e\ufe0f\u20e3")

_PLAIN_MARKS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\uff02\u2039\u203a", '"')
    | dict.fromkeys("\u00ab\u00bb", '"')
    | {"\u2026": "..."}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2022\u25e6\u2023", "-")
)
_SPACE_IN_GUILLEMETS = re.compile(
    r"(?<!\S)([\u00ab\u2039])\s+|\s+([\u00bb\u203a])(?!\w)"
)
_OUTER_MARKS = (
    FULL_STOPS | _OPEN_ENDS.difference("\u2013\u2014-") | _CLOSERS | frozenset("*_")
).union(_PAIRS, _QUOTES)


def find_typed_sentences(message: str, pasted: str = "") -> tuple[str, ...]:
    """Return the whole sentences of a message that are its author's own statements.

    Left out are questions, quotations, code, pasted text, and sentences with
    characters that nobody sees. Each sentence is on one line, with its final mark.

    Args:
        message: The text of the turn.
        pasted: The numbers of its pasted lines, such as `3-9,12`.
    """
    text = tidy(message)
    own = "".join(
        OPAQUE + "\n" * part.text.count("\n") if part.pasted else part.text
        for part in split_pasted(text)
    )
    text = _LATEX_QUOTES.sub("\u201c\\1\u201d", _hide_lines(own, pasted))
    text = _hide_code(text.replace("\r\n", "\n").replace("\r", "\n"))
    quoted = _quoted_characters(text)
    return tuple(
        " ".join(text[start:end].split())
        for start, end in _sentence_spans(text, quoted)
        if _is_statement(text, quoted, start, end)
    )


def split_sentences(text: str) -> tuple[str, ...]:
    """Return all sentences of a text, each on one line.

    A boundary is one only if it is sure, as in `find_typed_sentences`.
    """
    text = tidy(text.replace("\r\n", "\n").replace("\r", "\n"))
    spans = _sentence_spans(text, _quoted_characters(text))
    return tuple(" ".join(text[start:end].split()) for start, end in spans)


def normalize_marks(text: str) -> str:
    """Return a text on one line, with one form of each mark that has several.

    Quotation marks, apostrophes, dashes, list bullets and white space have one form,
    and letters with accents are one character. Letters of other scripts that only look
    alike stay as they are.
    """
    composed = unicodedata.normalize("NFC", text)
    if not any(map(_is_lookalike, text)):
        text = composed
    text = _SPACE_IN_GUILLEMETS.sub(r"\1\2", text)
    return " ".join(text.translate(_PLAIN_MARKS).split())


def trim_sentence(sentence: str) -> str:
    """Return a sentence without the marks around it: stops, quotes, brackets, emoji."""
    first, last = 0, len(sentence)
    while last > first and _is_outer_mark(sentence[last - 1]):
        last -= 1
    while first < last and _is_outer_mark(sentence[first]):
        first += 1
    return sentence[first:last]


def _is_outer_mark(character: str) -> bool:
    return character in _OUTER_MARKS or character.isspace() or is_symbol(character)


def _is_lookalike(character: str) -> bool:
    """Return whether a character becomes another one in composed form.

    Example: the Kelvin sign, which becomes the letter K.
    """
    composed = unicodedata.normalize("NFC", character)
    return composed != character and len(composed) == 1


def find_sentence(message: str, start: int, end: int) -> str:
    """Return the whole sentence around a stretch of a message, on one line.

    Empty if it has pasted text or code in it, which is not the author's own.
    """
    own = "".join(
        re.sub(r"[^\n]", OPAQUE, part.text) if part.pasted else part.text
        for part in split_pasted(message)
    )
    spans = [
        (first, last)
        for first, last in _sentence_spans(own, _quoted_characters(own))
        if first < end and start < last
    ]
    found = own[spans[0][0] : spans[-1][1]] if spans else ""
    return "" if OPAQUE in found else " ".join(found.split())


def is_terminated(sentence: str) -> bool:
    """Return whether a sentence has a mark that ends it."""
    return bool(sentence) and sentence[-1] in FULL_STOPS


# --- what is no sentence -----------------------------------------------------------


def _hide_lines(text: str, pasted: str) -> str:
    """Replace pasted lines, so that no sentence has part of them."""
    lines = text.split("\n")
    for numbers in filter(None, pasted.split(",")):
        first, _, last = numbers.partition("-")
        if not (first + last).isdecimal():
            return OPAQUE  # Nobody knows which lines are pasted.
        for number in range(int(first), min(int(last or first), len(lines)) + 1):
            lines[number - 1] = OPAQUE
    return "\n".join(lines)


def _hide_code(text: str) -> str:
    """Replace blocks of code and quoted lines, so that no sentence has part of them."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            lines.append(OPAQUE)
            fence = "" if mark and mark[1] == fence else fence
        elif mark:
            fence = mark[1]
            lines.append(OPAQUE)
        else:
            hidden = line.lstrip().startswith((">", "|")) or line.startswith("\t")
            lines.append(OPAQUE if hidden else line)
    return "\n".join(lines)


def _quoted_characters(text: str) -> bytearray:
    """Return for each character: 0 outside, 1 a mark or inside quotation marks.

    2 stands for what is in brackets. A quotation that is never closed goes on to the
    end of the message; a bracket that is never closed is none.
    """
    kinds = bytearray(len(text))
    closing, opened = "", 0
    for at, character in enumerate(text):
        if closing:
            if character in closing and not _is_apostrophe(text, at):
                kinds[opened : at + 1] = b"\1" * (at + 1 - opened)
                closing = ""
        elif _opens_quote(text, at):
            closing, opened = _QUOTES.get(character, "'\u2019"), at
    if closing:
        kinds[opened:] = b"\1" * (len(text) - opened)
    stack: list[tuple[str, int]] = []
    for at, character in enumerate(text):
        if kinds[at]:
            continue
        if character in _PAIRS:
            stack.append((_PAIRS[character], at))
        elif stack and character == stack[-1][0]:
            _, first = stack.pop()
            for inside in range(first, at + 1):
                kinds[inside] = kinds[inside] or 2
    return kinds


def _is_apostrophe(text: str, at: int) -> bool:
    """Return whether a single mark stands inside of a word."""
    inside = text[at - 1 : at].isalnum() and text[at + 1 : at + 2].isalnum()
    return text[at] in "'\u2019" and inside


def _opens_quote(text: str, at: int) -> bool:
    """Return whether a quotation begins with this character."""
    character = text[at]
    if character in "'\u2019":
        before, after = text[at - 1 : at] if at else " ", text[at + 1 : at + 2]
        opens = not before.isalnum() and bool(after.strip())
        # Without a mark that closes it, it is an apostrophe: 'tis.
        return opens and bool(re.search(r"\S['\u2019](?!\w)", text[at + 1 :]))
    return character in _QUOTES


def _is_statement(text: str, quoted: bytearray, start: int, end: int) -> bool:
    """Return whether a sentence is a statement in the author's own words."""
    sentence = text[start:end]
    if OPAQUE in sentence or not any(map(str.isalnum, sentence)):
        return False
    hidden = (unicodedata.category(c) for c in sentence if c not in _JOINERS)
    if any(kind in {"Cf", "Co", "Cn", "Cs"} for kind in hidden):
        return False
    if "\u00bf" in sentence:
        return False
    bare = sentence.rstrip()
    while bare and (bare[-1] in FULL_STOPS or not bare[-1].isalnum()):
        if bare[-1] in QUESTION_MARKS:
            return False
        bare = bare[:-1]
    # It neither begins nor ends inside of a quotation, nor is all of it one.
    before = start > 0 and quoted[start] == 1 and quoted[start - 1] == 1
    inside = before and not _opens_quote(text, start)
    own = any(text[at].isalnum() and quoted[at] != 1 for at in range(start, end))
    unclosed = end < len(text) and quoted[end - 1] == 1 and quoted[end] == 1
    return own and not inside and not unclosed


# --- where sentences begin and end -------------------------------------------------


def _sentence_spans(text: str, quoted: bytearray) -> Iterator[tuple[int, int]]:
    for start, end, listed in _units(text):
        last = start
        for at in range(start, listed):
            ends = _ends_inside if quoted[at] else _ends_sentence
            if not ends(text, at, start, end, quoted):
                continue
            stop = _skip_marks(text, at + 1, end)
            if stop > last and text[stop:listed].strip():
                yield _trimmed(text, last, stop)
                last = stop
        if text[last:end].strip():
            yield _trimmed(text, last, end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _ends_sentence(text: str, at: int, start: int, end: int, quoted: bytearray) -> bool:
    """Return whether a sentence surely ends with this character."""
    character = text[at]
    if character in _WIDE_STOPS:
        return True
    if character != "." and character not in _STOPS:
        return False
    rest = text[_skip_marks(text, at + 1, end) : end]
    found = _WORD.search(rest)
    following = found[0] if found else ""
    if (rest and not rest[0].isspace()) or following[:1].islower():
        return False
    if character != "." or not following:
        return True
    before = text[start:at].rstrip()
    if before.strip().casefold() in _INTERJECTIONS and following[:1].isalpha():
        return True
    if ".." in text[at - 1 : at + 2]:
        return False  # After an ellipsis the sentence may go on.
    if before and before[-1] not in _EMPHASIS and quoted[start + len(before) - 1]:
        return True  # No abbreviation ends with a bracket or a quotation mark.
    same_line = "\n" not in rest[: len(rest) - len(rest.lstrip())]
    starts = _is_common(found)
    return not _is_doubtful(before, following, same_line=same_line, starts=starts)


def _ends_inside(text: str, at: int, start: int, end: int, quoted: bytearray) -> bool:
    """Return whether a sentence ends with a quotation or bracket that a stop closes.

    This is sure only if the next word is a common one, which rarely has a capital
    letter inside of a sentence.
    """
    after = at + 1 == end or quoted[at + 1] == 0 or text[at].isspace()
    inside = text[start:at].rstrip()
    ended = bool(inside) and inside[-1] in FULL_STOPS and ".." not in inside[-2:]
    if not (quoted[at] and after and ended) or text[at] not in _CLOSERS:
        return False
    rest = text[at + 1 : end]
    found = _WORD.search(rest)
    capital = found is not None and found[0][0].isupper()
    return capital and rest[:1].isspace() and _is_common(found)


def _skip_marks(text: str, at: int, end: int) -> int:
    """Return where the marks behind a full stop end: other stops, emphasis, emoji."""
    while at < end and (
        text[at] in FULL_STOPS | QUESTION_MARKS | _EMPHASIS or is_symbol(text[at])
    ):
        at += 1
    return at


def is_symbol(character: str) -> bool:
    """Return whether a character is an emoji or a part of one."""
    kind = unicodedata.category(character)
    return kind in {"So", "Sk"} or character in _EMOJI_PARTS


def _is_common(word: re.Match[str] | None) -> bool:
    """Return whether a word stands in every other sentence and is no initial."""
    if word is None or word[0].casefold() not in COMMON_WORDS:
        return False
    after = word.string[word.end() : word.end() + 1]
    return len(word[0]) > 1 or after.isspace() or after in {"'", "\u2019"}


def _is_doubtful(before: str, following: str, *, same_line: bool, starts: bool) -> bool:
    """Return whether a full stop behind this text may belong to an abbreviation.

    A title, such as Prof, has the name behind it on the same line.

    Args:
        before: The text before the full stop.
        following: The word behind it.
        same_line: Whether that word is on the same line.
        starts: Whether that word is a common one, which no name begins with.
    """
    word = re.search(r"\S*\Z", before)
    token = word[0].strip("\"'()[]*_\u201c\u201d\u00ab\u00bb") if word else ""
    if not token or "." in token or (len(token) == 1 and token.isalpha()):
        return True
    if token.isdigit():
        # An ordinal number, as in "3. Mai"; no year is one.
        first = starts and same_line and following.casefold() not in _ADDRESS
        return len(token) < _YEAR_DIGITS and not first
    if token in _ABBREVIATIONS or token.casefold() in _ABBREVIATIONS:
        return True
    if token.isupper():
        return bool(_ROMAN.fullmatch(token)) or token.title() in _ABBREVIATIONS
    if following[0].isdigit() and token.casefold() in _BEFORE_NUMBERS:
        return True
    letters = [
        unicodedata.normalize("NFD", letter)[0] for letter in token if letter.isalpha()
    ]
    short = len(token) <= _LONGEST_TITLE and token.isalpha() and same_line
    if short and token[0].isupper() and letters[-1].lower() not in _VOWELS:
        return not (starts or following[0].isdigit())
    latin = all("a" <= letter.lower() <= "z" for letter in letters)
    vowels = any(letter.lower() in _VOWELS for letter in letters)
    unit = _UNIT.search(before)
    return bool(letters) and latin and not vowels and not unit


def _units(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield paragraphs and list items, each with where a list begins in it.

    A list that a sentence leads up to is one sentence with it. Without one, that is
    the end of the unit.
    """
    start, end, listed = -1, -1, 0
    indent: int | None = None
    at, blank = 0, False
    for line in text.split("\n"):
        first, last = at, at + len(line)
        at = last + 1
        if not line.strip():
            blank = True
            continue
        item = _LIST_ITEM.match(line)
        goes_on = start >= 0 and _goes_on(text[start:end], blank=blank)
        if start < 0:
            joined = False
        elif item is None:
            joined = goes_on or (not blank and not _is_heading(text[start:end]))
        elif indent is None:
            led = not blank and text[end - 1] not in FULL_STOPS | QUESTION_MARKS
            joined = goes_on or led
        else:
            joined = bool(listed) or len(item[1]) > indent
        if joined and item is not None:
            listed = listed or first
        if not joined:
            if start >= 0:
                yield start, end, listed or end
            indent = len(item[1]) if item else None
            start, listed = (first + item.end() if item else first), 0
        end, blank = first + len(line.rstrip()), False
    if start >= 0:
        yield start, end, listed or end


def _goes_on(unit: str, *, blank: bool) -> bool:
    """Return whether a paragraph leads on to what stands below it."""
    bare = unit.rstrip("*_ \t")
    is_open = bare[-1:] in _OPEN_ENDS or bare.endswith("..")
    return is_open or (_is_heading(unit) and blank)


def _is_heading(unit: str) -> bool:
    return bool(_MARKDOWN_HEADING.match(unit))
