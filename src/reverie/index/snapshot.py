"""Writing the live tables down: `decay-scores.json` and `graph/index.md`.

Both are readable snapshots. They cost time in proportion to all memories, so
they are written when something depends on them, or enough has changed.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.decay import standing
from reverie.model.change import Action, Edit, LogLine, checksum
from reverie.model.ids import Store
from reverie.stores.graph_index import GraphRow, render_graph_index
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
    live, changes = index.traces(), changes or {}
    traces = {**live, **changes}
    drafts: dict[str, Callable[[bytes | None], str | None]] = {
        SCORES: lambda old: _scores(
            {**_as_wished(live, old), **changes},
            _others(index, other, old),
            old,
            decay,
            now,
        ),
        GRAPH_INDEX: lambda _: render_graph_index(
            _rows(index, traces, decay, now), index.edges()
        ),
    }
    edits = []
    for path, render in drafts.items():
        # Where a link or folder stands, its human has to mend it first.
        with suppress(NotAPlainFileError):
            edits.append(_edit(path, read(path), render(read(path))))
    return tuple(edit for edit in edits if edit is not None)


def _as_wished(live: Mapping[str, Trace], old: bytes | None) -> dict[str, Trace]:
    """The live traces with what somebody wanted of memories as history has it.

    The live table lies where anybody can write, and must not unpin or archive.
    """
    told = parse_scores((old or b"").decode("utf-8", "replace"), SCORES).entries
    return {
        id_: _kept_wishes(trace, told[id_]) if id_ in told else trace
        for id_, trace in live.items()
    }


def _kept_wishes(live: Trace, told: Trace) -> Trace:
    # Only of episodes do the scores say what is pinned; of others their files do.
    pinned = live.pinned or (told.pinned and told.store is Store.EPISODIC)
    # What was made later is another memory of that name.
    archived = told.archived if told.created == live.created else live.archived
    if (pinned, archived) == (live.pinned, live.archived):
        return live
    return replace(live, pinned=pinned, archived=archived)


def _others(
    index: SqliteIndex, other: Mapping[str, object] | None, old: bytes | None
) -> Mapping[str, object]:
    """What the scores shall say besides, with how often summaries came back."""
    counts = index.resurrected()
    if not counts:
        return other or {}
    known = parse_scores((old or b"").decode("utf-8", "replace"), SCORES).other
    if counts != known.get(RESURRECTED):
        return {**(other or {}), RESURRECTED: counts}
    return other or {}


def _scores(
    traces: Mapping[str, Trace],
    other: Mapping[str, object],
    old: bytes | None,
    decay: DecayConfig,
    now: datetime,
) -> str | None:
    known = ScoreFile()
    if old:
        known = parse_scores(old.decode("utf-8", "replace"), SCORES)
        if known.findings or (
            known.entries == traces
            and not other
            and not _passed(old, traces, decay, now)
        ):
            # Its human has to mend it first, or no status would change.
            return None
    said = {k: v for k, v in {**known.other, **other}.items() if v is not None}
    return render_scores(replace(known, entries=traces, other=said), now, decay)


def _passed(
    old: bytes, traces: Mapping[str, Trace], decay: DecayConfig, now: datetime
) -> bool:
    told = parse_statuses(old.decode("utf-8", "replace"), SCORES)
    return any(
        id_ in told and told[id_] is not standing(trace, now, decay)[1]
        for id_, trace in traces.items()
    )


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


def _edit(path: str, old: bytes | None, new: str | None) -> Edit | None:
    if new is None or old == new.encode():
        return None
    action = Action.CREATE if old is None else Action.EDIT
    what = "scores" if path == SCORES else "graph"
    why = f"snapshot of the {what}"
    return Edit(path, new.encode(), checksum(old), action, why)
