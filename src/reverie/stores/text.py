"""Text that can be kept faithfully, and text that cannot; what files begin with."""

from __future__ import annotations

import re
from pathlib import Path

from reverie.errors import RefusedError

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


def template(name: str) -> str:
    """What a file of the workspace holds before anybody writes into it."""
    path = Path(__file__).with_name("templates") / f"{name}.md"
    return path.read_text(encoding="utf-8")
