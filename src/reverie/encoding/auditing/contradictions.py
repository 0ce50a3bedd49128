"""Memories that cannot both be true.

Each claim is filed under what it is about, and compared only with the last few that
are filed there, so the time grows with the number of memories.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.auditing.claiming import Claimed, claimed
from reverie.encoding.auditing.quoting import quote
from reverie.encoding.auditing.sheets import Case, Held
from reverie.encoding.claims import contradicts
from reverie.model.audit import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.auditing.sheets import Holdings
    from reverie.encoding.claims import Claim

COMPARED = 8
"""With so many earlier claims about the same thing each one is compared."""

_PASSING = re.compile(r"is ?\d*|is on|is due")
"""What is one way today and another way tomorrow, and no wonder in a diary."""

_MEND = "Ask which is true; strike out the other, or say from when it holds."


class _Filed(NamedTuple):
    held: Held
    said: Claimed
    claim: Claim


def judge_contradictions(holdings: Holdings) -> Iterator[Case]:
    """Every claim that an earlier one speaks against."""
    known: dict[object, list[_Filed]] = defaultdict(list)
    for held in sorted(holdings.memories, key=_when):
        said = None if _is_idle(held) else claimed(held)
        if said is None:
            continue
        filed = [_Filed(held, said, claim) for claim in said.claims]
        old = next((old for new in filed for old in _against(new, known)), None)
        if old is not None:
            yield _case(held, old)
        for new in filed:
            for key in _keys(new):
                known[key].append(new)


def _is_idle(held: Held) -> bool:
    return held.sheet.boot or held.leads or held.lasting


def _when(held: Held) -> tuple[str, str, int]:
    """What is undated is taken for older than what is dated."""
    day = held.day.isoformat() if held.day else ""
    return day, held.sheet.path, held.start


def _keys(new: _Filed) -> Iterator[object]:
    """Under what a claim is filed: by all words of its subject, and by a first name."""
    claim = new.claim
    value = () if claim.single else (claim.value.said.casefold(),)
    place = (new.held.subject, claim.attribute, *value)
    yield (*place, claim.subject)
    if claim.about.proper:
        yield (*place, claim.about.proper[0])


def _against(new: _Filed, known: dict[object, list[_Filed]]) -> Iterator[Held]:
    """Earlier memories that say otherwise, the last one first."""
    for key in _keys(new):
        for old in reversed(known[key][-COMPARED:]):
            differs = new.claim.single or new.claim.negated is not old.claim.negated
            if (
                differs
                and _same_matter(new, old)
                and contradicts(new.said.text, old.said.text)
            ):
                yield old.held


def _same_matter(new: _Filed, old: _Filed) -> bool:
    """Whether two claims of one key are about one thing, and at one time."""
    one, other = new.held, old.held
    later = one.day and other.day and one.day != other.day
    if later and _PASSING.fullmatch(new.claim.attribute):
        return False
    if one.subject or (new.said.named and old.said.named):
        return True
    beside = one.sheet is other.sheet or bool(one.heading)
    return beside and one.heading == other.heading


def _case(held: Held, old: Held) -> Case:
    said = quote(old.sheet, old.start, old.end)
    return Case(
        Judgement.CONTRADICTIONS,
        held.sheet,
        held.start,
        held.end,
        f"{old.spot} says otherwise: {said}",
        _MEND,
        (old,),
        (old,),
    )
