"""Files that are always before the agent's eyes, and too long for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.auditing.places import Places
from reverie.encoding.auditing.sheets import Case
from reverie.model.audit import Judgement
from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.auditing.sheets import Holdings

MOST = 3_000
"""Tokens of a file that is always loaded."""

_MEND = (
    "Move what is rarely needed into files of its own; keep only what always matters."
)


def judge_size(holdings: Holdings) -> Iterator[Case]:
    """Every file that is always loaded and too long; at fault is what is beyond."""
    places = Places(holdings.memories)
    for sheet in holdings.sheets:
        if not sheet.loaded or len(sheet.text) <= MOST:
            continue
        tokens = count_tokens(sheet.text)
        if tokens <= MOST:
            continue
        at = min(len(clip_to_tokens(sheet.text, MOST)), len(sheet.text) - 1)
        why = (
            f"the file is always loaded and has about {tokens:,} tokens; "
            f"{MOST:,} end on this line"
        )
        guilty = places.within(sheet, at, len(sheet.text))
        start, end = sheet.lines(at, at + 1)
        yield Case(Judgement.SIZE, sheet, start, end, why, _MEND, guilty)
