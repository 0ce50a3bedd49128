"""Where a memory comes from, and for whom it is."""

from __future__ import annotations

import unicodedata
from enum import StrEnum
from typing import TYPE_CHECKING

from reverie.model.items import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.model.change import Actor
    from reverie.model.items import Episode, Turn


class Origin(StrEnum):
    """Who a text comes from, the most trusted first."""

    OWNER = "owner"
    SYSTEM = "system"
    AGENT = "agent"
    SUBAGENT = "sub-agent"
    IMPORT = "import"
    TOOL = "tool"


FOREIGN = frozenset({Origin.SYSTEM, Origin.SUBAGENT, Origin.IMPORT, Origin.TOOL})
"""Whose words are data: they stand as a quotation, and are shown as one."""

_ORDER = tuple(Origin)
_KINDS = {
    "manual": Origin.OWNER,
    "system": Origin.SYSTEM,
    "bot": Origin.AGENT,
    "reflection": Origin.AGENT,
    "subagent": Origin.SUBAGENT,
    "skill": Origin.TOOL,
    "unverified": Origin.TOOL,
}

_SOURCES: dict[str, Origin] = {
    Source.USER_EXPLICIT: Origin.OWNER,
    Source.CONVERSATION: Origin.AGENT,
    Source.REFLECTION: Origin.AGENT,
    Source.IMPORT: Origin.IMPORT,
}


def named(said: str) -> Origin:
    """The origin of this name; a word that is none of ours trusts nobody."""
    return Origin(said) if said in _ORDER else Origin.TOOL


def least(origins: Iterable[Origin]) -> Origin:
    """The least trusted of some origins; that of nothing at all is a tool's."""
    return max(origins, key=_ORDER.index, default=Origin.TOOL)


def origin_of(actor: Actor) -> Origin:
    """What an actor's own words count as.

    `bot:trigger-remember` passes on what the owner asked for in so many words.
    """
    if actor.tag == "bot:trigger-remember":
        return Origin.OWNER
    if actor.tag.startswith("bot:commit-from:"):
        return Origin.SUBAGENT
    return _KINDS[actor.tag.partition(":")[0]]


def stated(by: str, source: str) -> Origin:
    """The origin of a memory, from what its file says of it."""
    return named(by) if by else _SOURCES.get(source, Origin.OWNER)


def implied(source: Source | None) -> Origin:
    """The origin of a memory that says only what its source is.

    A line without any source was typed by a person.
    """
    return _SOURCES.get(source or "", Origin.OWNER)


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
