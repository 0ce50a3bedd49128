"""A reflection on its way, typed by hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.model.reflection import Noticed, Occasion, Survey
from reverie.reflection.cycle import Reflecting, Thought

if TYPE_CHECKING:
    from collections.abc import Mapping

NIGHT = datetime(2026, 2, 3, 3, 0, tzinfo=UTC)

NOTHING_READ = Survey(
    first=False,
    since=NIGHT,
    read_until=None,
    core="",
    evolution="",
    log=(),
    graph="",
    economy="",
    fading=(),
    entities=(),
    episodes=(),
    procedures=(),
    proposals=(),
    read=(),
)


def episode(text: str) -> Noticed:
    """Something that happened."""
    id_ = "episode:2026-02-02:12:00"
    return Noticed(id_, "memory/episodes/2026-02-02.md", text, kind="event")


def asleep(
    said: Mapping[str, Mapping[str, object]] | None = None,
    tokens: int = 100,
    seen: Mapping[str, object] | None = None,
) -> Reflecting:
    """A reflection that was granted 8,000 tokens.

    Args:
        said: The answers so far, by phase.
        tokens: What each of them took.
        seen: What was read, as in `Survey`.
    """
    thoughts = tuple(
        Thought(phase, json.dumps(answer), tokens)
        for phase, answer in (said or {}).items()
    )
    survey = replace(NOTHING_READ, **(seen or {}))
    return Reflecting(Occasion.MANUAL, 7, NIGHT, 8000, survey, thoughts=thoughts)
