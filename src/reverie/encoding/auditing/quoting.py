"""A few words of a memory without the secrets in them, and what nobody sees."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from reverie.markdown import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.auditing.sheets import Sheet

LONGEST = 80
"""Characters of a quotation."""

_LOOKED_AT = 600
"""Characters that are enough to quote from."""

_FLAG = "\U0001f3f4[\U000e0020-\U000e007e]{2,7}\U000e007f"
_UNSEEN = (
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u180e\u200b\u200e\u200f"
    r"\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_JOINERS = r"(?<=[!-~])[\u200c\u200d]|[\u200c\u200d](?=[!-~])"
_SELECTORS = r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"

INVISIBLE = re.compile(
    rf"{_FLAG}|(?P<unseen>{_UNSEEN}|{_JOINERS}|{_SELECTORS}|[\ud800-\udfff])"
)
"""What nobody sees; flags of countries are made of such characters, and are fine."""

_MARKS = re.compile(r"\A(?:[-*+]|[0-9]{1,9}[.)]) ")

COMMON = frozenset("\u200e\u200f\u061c")
"""Invisible, and right where languages that are written from the right need them."""


def quote(sheet: Sheet, start: int, end: int) -> str:
    """The first words of a stretch of a file."""
    text = "".join(_open(sheet, start, min(end, start + _LOOKED_AT)))
    line = _MARKS.sub("", one_line(text))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"


def _open(sheet: Sheet, start: int, end: int) -> Iterator[str]:
    """A stretch of a file with the kind of each secret in its place."""
    secrets = sheet.secrets
    at = bisect_left(secrets, start, key=lambda secret: secret.start)
    # The one before may reach into the stretch.
    for secret in secrets[max(0, at - 1) :]:
        if secret.start >= end:
            break
        if secret.end > start:
            yield sheet.text[start : max(start, secret.start)]
            yield f"[{secret.kind}]"
            start = secret.end
    yield sheet.text[start:end]
