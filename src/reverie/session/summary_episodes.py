"""Episodes of context reflections, for conversations that led to no other write.

A reflection never reads a transcript. Where nothing of a conversation was stored, its
summary is an episode as well, in the same commit, so that a reflection can read it.
The episode is derived from the summary: it follows its changes, deletion and erasure.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.dates import at_home
from reverie.markdown import headline
from reverie.model.change import Action, edit_of
from reverie.model.conversation import EPISODE, REFLECTION
from reverie.model.items import (
    FROM,
    SCOPE,
    Confidence,
    Episode,
    EpisodeKind,
    Origin,
    Role,
    Source,
    scope_of,
)
from reverie.stores import episodes
from reverie.stores.reader import faithful_text
from reverie.stores.turns import turn_id
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reverie.model.change import Edit, LogEntry
    from reverie.model.items import Entry, Turn
    from reverie.session.session import Session

TAG = "conversation"
TURNS = "turns"
"""The field that says which turns were summed up."""

OBSERVED = "observed in "
"""How the trigger of a change begins that noted something in a conversation."""

_MEMORY = (
    layout.CORE,
    layout.PENDING,
    *(f"{folder}/" for folder in (layout.EPISODES, layout.ENTITIES)),
    *(f"{folder}/" for folder in (layout.PROCEDURES, layout.VAULT)),
)
_AGENTS = ("bot:", "subagent:", "skill:")


def led_to_write(session: Session, window: str, since: datetime | None) -> bool:
    """Return whether an agent stored anything since a moment of a conversation.

    Agents do not say in which conversation they store something. What another
    conversation's observations wrote does not count.
    """
    if since is None:
        return False
    start = since.replace(microsecond=0)
    recent = takewhile(lambda entry: entry.at >= start, session.ledger.history())
    return any(_stores(entry, window) for entry in recent)


def _stores(entry: LogEntry, window: str) -> bool:
    elsewhere = entry.trigger.startswith(OBSERVED)
    elsewhere = elsewhere and entry.trigger != f"{OBSERVED}{window}"
    return not elsewhere and is_agent_write(entry)


def is_agent_write(entry: LogEntry) -> bool:
    """Return whether an agent changed or proposed a memory in a commit."""
    by_agent = entry.actor.tag.startswith(_AGENTS)
    return by_agent and any(line.path.startswith(_MEMORY) for line in entry.lines)


def plan_episode(session: Session, turns: Sequence[Turn], first: int) -> list[Edit]:
    """Plan the episode of a context reflection that asks for one.

    Args:
        session: The workspace's parts.
        turns: The summary with its prompt, numbered as they are written.
        first: The number of the first turn that was summed up.
    """
    summary = next((turn for turn in turns if turn.field(EPISODE)), None)
    if summary is None or summary.at is None:
        return []
    at = at_home(summary.at, session.zone).replace(second=0, microsecond=0)
    last, scope = max(first, summary.number - 1), scope_of(summary)
    more = [
        (FROM, str(turn_id(summary))),
        (TURNS, f"{summary.window}/{first}-{last}"),
    ]
    more += [(SCOPE, scope)] if scope else []
    whose = summary.field(EPISODE)
    more += [("by", whose)] if whose != Origin.AGENT else []
    kind, sure = EpisodeKind.EVENT, Confidence.MEDIUM
    how = (kind, sure, summary.text, (TAG,), Source.CONVERSATION, tuple(more))
    part, number = 1, 0
    while True:
        path = session.place(layout.EPISODES, episodes.day_name(at.date(), part))
        old = session.ledger.read(path)
        known = faithful_text(old, path) if old else ""
        if len(known) < episodes.FULL_DAY:
            break
        number = max(number, episodes.last_number(known, f"{at:%H:%M}"))
        part += 1
    text = episodes.append_episode(known, Episode(at, *how), last=number)
    action = Action.APPEND if old else Action.CREATE
    return [edit_of(path, old, text, action, headline(summary.text))]


class SummaryEpisode(NamedTuple):
    """The episode of a context reflection, and where it stands."""

    path: str
    data: bytes
    entry: Entry


def find_episode(session: Session, summaries: Sequence[Turn]) -> SummaryEpisode | None:
    """Return the episode that was made of one of some turns; None for none."""
    for turn in summaries:
        if turn.role is not Role.ASSISTANT or not turn.field(REFLECTION) or not turn.at:
            continue
        made_of, at = str(turn_id(turn)), at_home(turn.at, session.zone)
        for id_ in session.index.traces(f"episode:{at:%Y-%m-%d:%H:%M}"):
            located = session.index.find(id_)
            data = session.ledger.read(located.path) if located else None
            if located is None or data is None:
                continue
            text = faithful_text(data, located.path)
            for entry in episodes.parse_day(text, located.path).entries:
                item = entry.item
                own = isinstance(item, Episode) and dict(item.more).get(FROM) == made_of
                if own and str(entry.id) == id_:
                    return SummaryEpisode(located.path, data, entry)
    return None


def plan_change(found: SummaryEpisode, text: str | None) -> tuple[Edit, ...]:
    """Plan to let an episode say what its summary says now.

    Args:
        found: The episode.
        text: What the summary says; None if it is deleted. The episode then leaves its
            log, and `undo` of the deletion brings it back.
    """
    item, path, raw = found.entry.item, found.path, found.entry.raw
    assert isinstance(item, Episode)  # noqa: S101 - it was found as one
    fresh, what = "", "deleted"
    if text is not None:
        number = int(found.entry.id.name.partition("~")[2] or 1)
        end = raw[len(raw.rstrip()) :]
        said = episodes.render_episode(replace(item, text=text), number)
        fresh, what = f"{said.rstrip()}{end}", "edited"
    old = faithful_text(found.data, path)
    new = old.replace(raw, fresh, 1)
    why = f"{what} {found.entry.id} with its summary"
    return (edit_of(path, found.data, new, Action.EDIT, why),) if new != old else ()
