"""Text that can be kept faithfully, and text that cannot."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from reverie.errors import RefusedError

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_TAGS = range(0xE0000, 0xE0080)
# One chooses how a character looks; a row of them can only carry a hidden text.
_SMUGGLED = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")


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
    found = _first_problem(clean)
    if found:
        raise UnstorableTextError(found, "Remove it and try again.")
    return clean


def _first_problem(text: str) -> str:
    for at, char in enumerate(text):
        problem = _problem(char)
        if problem:
            return f"{problem} (U+{ord(char):04X}) at character {at + 1}"
    smuggled = _SMUGGLED.search(text)
    if smuggled:
        return f"it has hidden selectors in a row at character {smuggled.start() + 1}"
    return ""


def mended(text: str) -> str:
    """A text from elsewhere as it can be stored: what cannot is shown as \ufffd."""
    clean = _SMUGGLED.sub("\ufffd", text.replace("\r\n", "\n")).strip()
    if clean.replace("\n", "").replace("\t", "").isprintable():
        return clean
    return "".join("\ufffd" if _problem(char) else char for char in clean).strip()


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


def _problem(char: str) -> str:
    if char in "\n\t" or char.isprintable():
        return ""
    category = unicodedata.category(char)
    problems = (
        (char in _BIDI, "it has a character that reorders text"),
        (ord(char) in _TAGS, "it has an invisible tag character"),
        (category == "Cc", "it has a control character"),
        (category == "Cs", "it is not valid Unicode"),
    )
    return next((what for wrong, what in problems if wrong), "")


def template(name: str) -> str:
    """What a file of the workspace holds before anybody writes into it."""
    path = Path(__file__).with_name("templates") / f"{name}.md"
    return path.read_text(encoding="utf-8")
