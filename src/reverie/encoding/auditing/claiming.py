"""What a memory claims, also where it leaves out whom it speaks of.

"Lives in Ghent" stands on the page of an entity, below a name, or in what is known of
the owner. It is read with a subject put before it, and then holds only where it stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.claims import claims_of

if TYPE_CHECKING:
    from reverie.encoding.auditing.sheets import Held
    from reverie.encoding.claims import Claim

LONGEST = 600
"""Characters; what is longer tells many things and claims none."""

_VERB_FIRST = re.compile(r"(?:no longer |never |does not |doesn't )?[a-z]+s\b ", re.I)
_PAST = re.compile(
    r"(?:\w+ )?(?:\w+ed|went|met|had|made|did|bought|sold|got|saw|ran|wrote|sent|took"
    r"|gave|came|left|won|lost|read|ate|paid|spoke|told|built)\b",
    re.IGNORECASE,
)


class Claimed(NamedTuple):
    """What is claimed.

    Attributes:
        text: The statement, with a subject.
        claims: What it claims.
        named: Whether it says itself what it is about.
    """

    text: str
    claims: tuple[Claim, ...]
    named: bool


def claimed(held: Held) -> Claimed | None:
    """What a memory claims, if anything."""
    text = held.text
    if len(text) > LONGEST:
        return None
    found = claims_of(text)
    if found:
        return Claimed(text, found, all(claim.subject for claim in found))
    if not _VERB_FIRST.match(text):
        return None
    whole = f"The user {text[0].lower()}{text[1:]}"
    found = claims_of(whole)
    return Claimed(whole, found, named=False) if found else None


def holds_on(held: Held) -> bool:
    """Whether a memory says how things are, and not what happened once."""
    return not _PAST.match(held.text) and claimed(held) is not None
