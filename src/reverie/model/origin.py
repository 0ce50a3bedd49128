"""Who a text comes from, which decides what it may become (spec, section 8 and 9)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from reverie.model.items import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.model.change import Actor


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
_NAMES = frozenset(Origin)

_KINDS = {
    "manual": Origin.OWNER,
    "system": Origin.SYSTEM,
    "bot": Origin.AGENT,
    "reflection": Origin.AGENT,
    "subagent": Origin.SUBAGENT,
    "skill": Origin.TOOL,
    "unverified": Origin.TOOL,
}

_SOURCES = {
    Source.USER_EXPLICIT: Origin.OWNER,
    Source.CONVERSATION: Origin.AGENT,
    Source.REFLECTION: Origin.AGENT,
    Source.IMPORT: Origin.IMPORT,
}

_SOURCE_NAMES = frozenset(Source)


def named(said: str) -> Origin:
    """The origin of this name; a word that is none of ours trusts nobody."""
    return Origin(said) if said in _NAMES else Origin.TOOL


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
    known = Source(source) if source in _SOURCE_NAMES else None
    return named(by) if by else implied(known)


def implied(source: Source | None) -> Origin:
    """The origin of a memory that says only what its source is.

    A line without any source was typed by a person.
    """
    return _SOURCES[source] if source else Origin.OWNER
