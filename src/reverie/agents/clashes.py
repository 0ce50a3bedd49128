"""Which proposals cannot all hold: as somebody said, or by what they replace (§13.6).

Nothing here reads what they say. A sub-agent, the main agent or a person names what a
proposal contradicts; and two that replace the same fact cannot both do so.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from reverie.model.origin import same_person
from reverie.model.proposals import Clash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.model.proposals import Proposal

MOST_CLASHES = 20
"""So many contradictions are told of one proposal."""

SAID = "somebody said so"
REPLACES = "both replace the same fact"


def find_clashes(
    proposals: Sequence[Proposal], known: Callable[[str], str]
) -> tuple[Clash, ...]:
    """What proposals are at odds with; of two that clash, both are told.

    But one that is for a person alone is named to nobody else.

    Args:
        proposals: What waits.
        known: What the memory, or the fact, of an id says; empty if it is gone.
    """
    there = {one.number: one for one in proposals}
    found: dict[int, dict[tuple[int, str], Clash]] = defaultdict(dict)

    def add(one: Proposal, other: Proposal, why: str) -> None:
        for a, b in ((one, other), (other, one)):
            if not b.scope or same_person(a.scope, b.scope):
                clash = Clash(a.number, b.number, "", b.content, why)
                found[a.number].setdefault((b.number, ""), clash)

    replaced: dict[str, list[Proposal]] = defaultdict(list)
    for one in proposals:
        for named in dict.fromkeys((*one.contradicts, *one.conflicts)):
            other = there.get(int(named[1:])) if named[1:].isdecimal() else None
            if other is not None and other is not one:
                add(one, other, SAID)
            elif not named.startswith("#") and (said := known(named)):
                clash = Clash(one.number, 0, named, said, SAID)
                found[one.number].setdefault((0, named), clash)
        for other in replaced[one.supersedes] if one.supersedes else ():
            if other.content != one.content:
                add(one, other, REPLACES)
        replaced[one.supersedes].append(one)
    return tuple(
        clash
        for number in there
        for _, clash in sorted(found[number].items())[:MOST_CLASHES]
    )
