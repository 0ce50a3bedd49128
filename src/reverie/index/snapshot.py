"""Write the live tables down: `decay-scores.json` and `graph/index.md`.

Both are readable snapshots. They cost time in proportion to all memories, so
they are written when something depends on them, or enough has changed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.decay import standing
from reverie.model.change import Action, Edit, LogLine, checksum
from reverie.model.ids import Store
from reverie.stores.relations import GraphRow, render_graph_index
from reverie.stores.scores import (
    RESURRECTED,
    ScoreFile,
    parse_scores,
    parse_statuses,
    render_scores,
)
from reverie.workspace.files import NotAPlainFileError
from reverie.workspace.layout import GRAPH_INDEX, SCORES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from reverie.config import DecayConfig
    from reverie.decay import Trace
    from reverie.index.sqlite_index import SqliteIndex

FEWEST = 5
"""Changes worth a snapshot in a small workspace."""

MOST_TOLD = 200
"""So many status changes are told one by one."""

SHARE = 10
"""In a large one, one in so many memories must have changed."""


def due(index: SqliteIndex) -> bool:
    """Whether enough has changed since the last snapshot to pay for a new one."""
    unsaved = index.unsaved
    return unsaved >= FEWEST and unsaved * SHARE >= sum(index.counts().values())


def faded(
    index: SqliteIndex, told: bytes | None, decay: DecayConfig, now: datetime
) -> tuple[LogLine, ...]:
    """What time did to memories since the scores were written: one line each.

    Only the first `MOST_TOLD` are named; very many may fade at once.
    """
    known = parse_statuses((told or b"").decode("utf-8", "replace"), SCORES)
    lines = []
    for id_, trace in sorted(index.traces().items()):
        was, now_is = known.get(id_), standing(trace, now, decay)[1]
        if was is not None and was is not now_is:
            lines.append(LogLine(Action.DECAY, SCORES, f"{id_}: {was} to {now_is}"))
    if len(lines) > MOST_TOLD:
        rest = f"and {len(lines) - MOST_TOLD:,} more"
        lines[MOST_TOLD:] = [LogLine(Action.DECAY, SCORES, rest)]
    return tuple(lines)


def plan_snapshot(
    index: SqliteIndex,
    read: Callable[[str], bytes | None],
    decay: DecayConfig,
    now: datetime,
    changes: Mapping[str, Trace] | None = None,
    other: Mapping[str, object] | None = None,
) -> tuple[Edit, ...]:
    """Plan to write both files, where they would say anything new.

    Args:
        index: The live tables.
        read: A file's bytes as they stand.
        decay: Rates and weights.
        now: The moment to score for.
        changes: Traces that shall differ from the live ones.
        other: Keys of the scores besides the entries that shall say something else;
            those that shall be None are taken out.
    """
    changes, edits = changes or {}, []
    for path, what in ((SCORES, "scores"), (GRAPH_INDEX, "graph")):
        # Where a link or folder stands, its human has to mend it first.
        with suppress(NotAPlainFileError):
            old = read(path)
            if path == SCORES:
                new = _scores(index, changes, other or {}, old, decay, now)
            else:
                traces = {**index.traces(), **changes}
                rows = _rows(index, traces, decay, now)
                new = render_graph_index(rows, index.edges())
            if new is not None and old != new.encode():
                action = Action.CREATE if old is None else Action.EDIT
                why = f"snapshot of the {what}"
                edits.append(Edit(path, new.encode(), checksum(old), action, why))
    return tuple(edits)


def _scores(
    index: SqliteIndex,
    changes: Mapping[str, Trace],
    other: Mapping[str, object],
    old: bytes | None,
    decay: DecayConfig,
    now: datetime,
) -> str | None:
    """The scores as text; None if its human has to mend them, or nothing is new."""
    text = (old or b"").decode("utf-8", "replace")
    known = parse_scores(text, SCORES) if old else ScoreFile()
    if known.findings:
        return None
    traces = {
        id_: _kept_wishes(trace, known.entries[id_]) if id_ in known.entries else trace
        for id_, trace in index.traces().items()
    }
    traces |= changes
    # How often context reflections came back.
    counts = index.resurrected()
    if counts and counts != known.other.get(RESURRECTED):
        other = {**other, RESURRECTED: counts}
    if old and known.entries == traces and not other:
        was = parse_statuses(text, SCORES)
        if all(
            was.get(id_) in {None, standing(trace, now, decay)[1]}
            for id_, trace in traces.items()
        ):
            return None
    said = {k: v for k, v in {**known.other, **other}.items() if v is not None}
    return render_scores(replace(known, entries=traces, other=said), now, decay)


def _kept_wishes(live: Trace, told: Trace) -> Trace:
    """A live trace with what somebody wanted of the memory as history has it.

    The live table lies where anybody can write, and must not unpin or archive.
    """
    # Only of episodes do the scores say what is pinned; of others their files do.
    pinned = live.pinned or (told.pinned and told.store is Store.EPISODIC)
    # What was made later is another memory of that name.
    archived = told.archived if told.created == live.created else live.archived
    if (pinned, archived) == (live.pinned, live.archived):
        return live
    return replace(live, pinned=pinned, archived=archived)


def _rows(
    index: SqliteIndex, traces: Mapping[str, Trace], decay: DecayConfig, now: datetime
) -> Iterator[GraphRow]:
    for item in index.items(Store.SEMANTIC):
        trace = traces.get(item.id)
        if trace is None or trace.archived:
            continue
        name = item.id.partition(":")[2]
        score, _ = standing(trace, now, decay)
        file = item.path.removeprefix("memory/graph/")
        yield GraphRow(
            name, name.partition("--")[0], item.title, file, score, trace.pinned
        )
