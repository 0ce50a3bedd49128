"""Secrets, and characters that nobody sees: both are found in whole files.

They may stand in a header, a comment or a heading, where no memory is.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from reverie.encoding.auditing.places import Places
from reverie.encoding.auditing.quoting import COMMON, INVISIBLE
from reverie.encoding.auditing.sheets import Case
from reverie.model.audit import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.auditing.sheets import Holdings

_ROTATE = "Delete it from here and from history, and change it where it is used."
_RETYPE = "Delete the character; nobody can see what it does to the text."


def judge_secrets(holdings: Holdings) -> Iterator[Case]:
    """Every secret, wherever it stands."""
    places = Places(holdings.memories)
    for sheet in holdings.sheets:
        for secret in sheet.secrets:
            start, end = sheet.lines(secret.start, secret.end)
            yield Case(
                Judgement.SECRETS,
                sheet,
                start,
                end,
                f"a secret in plain text ({secret.kind})",
                _ROTATE,
                places.within(sheet, secret.start, secret.end),
            )


def judge_invisible(holdings: Holdings) -> Iterator[Case]:
    """Every line with a character that nobody sees."""
    places = Places(holdings.memories)
    for sheet in holdings.sheets:
        if sheet.text.isascii() and sheet.text.isprintable():
            continue
        seen = 0
        for at, char in _unseen(sheet.text):
            if at < seen:
                continue
            start, seen = sheet.lines(at, at + 1)
            why = f"a character that nobody sees ({_name(char)})"
            guilty = places.within(sheet, at, at + 1)
            yield Case(Judgement.INVISIBLE, sheet, start, seen, why, _RETYPE, guilty)


def _unseen(text: str) -> Iterator[tuple[int, str]]:
    for found in INVISIBLE.finditer(text):
        if found["unseen"] and not COMMON.issuperset(found[0]):
            yield found.start(), found[0][0]


def _name(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character').lower()}"
