"""Whom something is for: everybody, or one person alone.

A name is compared as people mean it, not as they type it: neither capitals nor
blanks make another person of somebody.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.model.items import Episode, Turn

SCOPE = "scope"
"""The field that says whom a turn or an episode is for alone."""


def person_named(text: str) -> str:
    """A person's name as it is kept: on one line, its words one blank apart."""
    return " ".join(text.split())


def scope_name(text: str) -> str:
    """A person's name as it is compared; empty for everybody."""
    return unicodedata.normalize("NFC", person_named(text).casefold())


def same_person(one: str, other: str) -> bool:
    """Whether two names are of the same person."""
    return scope_name(one) == scope_name(other)


def is_for(scope: str, person: str) -> bool:
    """Whether who asks may see something; where nobody is named, all of it is seen.

    Args:
        scope: Whom it is for alone; empty for everybody.
        person: Who asks.
    """
    named, asks = scope_name(scope), scope_name(person)
    return not (named and asks) or named == asks


def scope_of(item: Turn | Episode) -> str:
    """Whom something is for alone, as it names them; empty for everybody."""
    said = (value for key, value in item.more if key.casefold() == SCOPE)
    return person_named(next(said, ""))


def in_one_scope(turns: Iterable[Turn], person: str = "") -> tuple[list[Turn], str]:
    """Turns that may be summed up together, and whom the summary is for alone.

    These are the ones for everybody, and those for a person, where one is named. If
    all of them are for one and the same person, it is that one.
    """
    given = list(turns)
    scopes = {scope_name(scope_of(turn)) for turn in given}
    if not scope_name(person) and len(scopes) == 1:
        person = scope_of(given[0])
    wanted = {"", scope_name(person)}
    seen = [turn for turn in given if scope_name(scope_of(turn)) in wanted]
    return seen, person_named(person) if any(map(scope_of, seen)) else ""
