"""Bytes that others wrote, as text that can be kept."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""The longer ones first: UTF-32 begins like UTF-16."""

_LINE_ENDS = re.compile(r"\r\n?")
_BREAKS = re.compile(r"[\x0b\x0c\x85]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
    r"\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    """A text with Unix line ends and no character that a person would not see.

    No line is added or lost, so line numbers stay true.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _BREAKS.sub(" ", _LINE_ENDS.sub("\n", text))
    return _SURROGATES.sub("\ufffd", _UNSEEN.sub("", text))


def decode(data: bytes) -> tuple[str, str]:
    """Read bytes as text, whatever their encoding.

    Returns:
        The text, and what was odd about the bytes; nothing where all was well.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _by_its_mark(data[len(bom) :], encoding)
    try:
        return plain(data.decode("utf-8")), ""
    except UnicodeDecodeError:
        return plain(_western(data)), "is not UTF-8 and was read as Latin-1"


def _by_its_mark(data: bytes, encoding: str) -> tuple[str, str]:
    try:
        return plain(data.decode(encoding)), ""
    except UnicodeDecodeError:
        what = f"begins as {encoding.upper()} and is broken further on"
        return plain(data.decode(encoding, "replace")), what


def _western(data: bytes) -> str:
    """Latin-1; with the quotes and dashes of Windows where it has no letters."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")
