"""How an open workspace is doing; nothing here changes a memory.

It has to be quick whatever there is, so files are read only up to a number of
memories: of a large workspace every so many-th file, and the answer says so.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, time
from time import perf_counter
from typing import TYPE_CHECKING

from reverie.audit import Repeats, Spot, cut_entries, holds_memories, is_memory, realm
from reverie.decay import Status, standing
from reverie.errors import RefusedError, UnavailableError
from reverie.health.remarking import remarks, worst
from reverie.index.check import check_files, core_budgets
from reverie.ledger.git_folder import check_settings
from reverie.model.health import (
    Conversations,
    Expense,
    Health,
    HealthVerdict,
    IndexState,
    Slept,
    Storage,
    StoreCount,
    Upkeep,
    Waits,
)
from reverie.model.ids import Store
from reverie.model.items import Severity
from reverie.model.origin import scope_name
from reverie.model.views import BlockUse, Overview, RebuildReport
from reverie.reflection import checkin
from reverie.reflection.checkin import Situation
from reverie.reflection.cycle import NAMES, CycleStore, Deferred
from reverie.reflection.proposal_page import BrokenPendingError, findings, parse_pending
from reverie.reflection.records.log import highest_number
from reverie.reflection.survey import unprocessed
from reverie.stores import core
from reverie.stores.entities import WHICH_HOLDS
from reverie.stores.expectations import parse_expectations
from reverie.stores.proposals import parse_pending as parse_proposals
from reverie.stores.reading import decode
from reverie.workspace import layout
from reverie.workspace.questions import QuestionBox
from reverie.workspace.scan import aliases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import tzinfo
    from pathlib import Path

    from reverie.audit import AuditEntry
    from reverie.model.health import Bill
    from reverie.model.items import Finding
    from reverie.recall.recalling import Recalling
    from reverie.session.session import House
    from reverie.session.viewer import Viewer
    from reverie.workspace.scan import Look

MOST_JUDGED = 1_500
"""About so many memories are read; more would take longer than a person waits."""

_ALWAYS = (layout.CORE, layout.CONFIG, layout.RELATIONS)
"""Files that are looked at however much there is."""


def health(
    house: House,
    viewer: Viewer,
    recalling: Recalling,
    overview: Overview,
    bill: Bill,
    *,
    zone: tzinfo = UTC,
    conversations: Conversations | None = None,
) -> Health:
    """How a workspace is doing.

    Args:
        house: The workspace.
        viewer: Who looks; what is for others does not count.
        recalling: Who makes vectors.
        overview: The workspace at a glance.
        bill: What thinking has cost.
        zone: The user's, in which reflections are scheduled.
        conversations: How the conversations are doing, where somebody knows.
    """
    talk = conversations or Conversations(turns=overview.counts.get(Store.TURNS, 0))
    seen = house.look()
    gathered = house.answered(
        lambda: _gather(house, viewer, recalling, overview, seen, zone)
    )
    told = replace(gathered, expense=_expense(bill), conversations=talk)
    found = remarks(told, overview.warnings)
    return replace(told, verdict=worst(found), remarks=found)


def _gather(
    house: House,
    viewer: Viewer,
    recalling: Recalling,
    overview: Overview,
    seen: Look,
    zone: tzinfo,
) -> Health:
    return Health(
        root=overview.root,
        at=house.clock(),
        verdict=HealthVerdict.OK,
        remarks=(),
        stores=_stores(house, viewer, overview.counts),
        core=overview.core,
        core_tokens=overview.core_tokens,
        core_cap=overview.core_cap,
        waits=_waits(house, viewer, overview.alerts),
        upkeep=_upkeep(house, viewer, seen, overview.counts),
        index=_index(house, viewer, recalling, overview.counts),
        reflection=_reflection(house, zone),
        expense=Expense(),
        storage=_storage(house.folder.root, seen),
        conversations=Conversations(),
    )


# --- what is there -----------------------------------------------------------


def _stores(
    house: House, viewer: Viewer, counts: Mapping[str, int]
) -> tuple[StoreCount, ...]:
    now, decay = house.clock(), house.config.decay
    tally: defaultdict[Store, Counter[str]] = defaultdict(Counter)
    scopes = house.index.scopes() if viewer else {}
    for id_, trace in house.index.traces().items():
        if not viewer.sees(scopes.get(id_, "")):
            continue
        tally[trace.store][standing(trace, now, decay)[1]] += 1
        tally[trace.store]["pinned"] += trace.pinned or trace.store is Store.VAULT
    # The record of a conversation does not fade.
    tally[Store.TURNS] = Counter({Status.ACTIVE: counts.get(Store.TURNS, 0)})
    return tuple(_count(store, counts.get(store, 0), tally[store]) for store in Store)


def _count(store: Store, memories: int, found: Counter[str]) -> StoreCount:
    return StoreCount(
        store,
        memories,
        found[Status.ACTIVE],
        found[Status.FADING],
        found[Status.DORMANT],
        found[Status.ARCHIVED],
        found["pinned"],
    )


def _storage(root: Path, seen: Look) -> Storage:
    sizes = {path: found.size for path, found in seen.files.items()}
    return Storage(
        len(sizes),
        sum(size for path, size in sizes.items() if path.endswith(".md")),
        _bytes_in(root / layout.GIT_DIR),
        _bytes_in(root / layout.STATE_DIR),
    )


def _bytes_in(folder: Path) -> int:
    """What a folder takes; what goes away while we look takes nothing."""
    total, pending = 0, [str(folder)]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    return total


def _expense(bill: Bill) -> Expense:
    return Expense(
        bill.today.tokens,
        bill.limit,
        (bill.last - bill.first).days + 1,
        bill.total.tokens,
        bill.total.micros,
        bill.currency,
    )


# --- what waits --------------------------------------------------------------


def _waits(house: House, viewer: Viewer, alerts: int) -> Waits:
    listed = parse_proposals(_text(house, layout.PENDING), layout.PENDING).proposals
    proposals = viewer.proposals(listed)
    words = Counter(each.status.split()[0] for each in proposals if each.status.split())
    return Waits(
        len(proposals),
        tuple(sorted(words.items())),
        sum(each.disputed for each in proposals),
        _pending_reflection(_text(house, layout.PENDING_REFLECTION)),
        alerts,
        len(QuestionBox(house.folder, house.clock).open_questions()),
        sum(viewer.sees_id(i) for i, _ in house.index.lookup.asking(WHICH_HOLDS)),
    )


def _pending_reflection(page: str) -> int:
    try:
        found = parse_pending(page, layout.PENDING_REFLECTION)
    except BrokenPendingError:
        # It waits all the same, and is told among what does not read as it should.
        return 0
    return found.number if found else 0


def _text(house: House, path: str) -> str:
    return (_read(house, path) or b"").decode("utf-8", "replace")


def _read(house: House, path: str) -> bytes | None:
    """What a file holds; nothing if it cannot be read, which a look tells already."""
    with suppress(RefusedError, UnavailableError):
        return house.ledger.read(path)
    return None


# --- reflection --------------------------------------------------------------


def _reflection(house: House, zone: tzinfo) -> Slept:
    sleep, now, settings = CycleStore(house), house.clock(), house.config.reflection
    cycle, tracked = sleep.load(), sleep.tracked()
    log = _text(house, layout.REFLECTION_LOG)
    waiting = unprocessed(house.index, tracked, now)
    situation = Situation(
        now, tracked.last, waiting, house.config, zone, offered=cycle.offered
    )
    at = time.fromisoformat(settings.time)
    due = checkin.next_time(now, zone, at, settings.frequency, tracked.last)
    state = cycle.state
    return Slept(
        NAMES[type(state)],
        highest_number(log),
        tracked.last,
        waiting,
        checkin.due(situation) is not None,
        state.until if isinstance(state, Deferred) else due,
    )


# --- the index ---------------------------------------------------------------


def _index(
    house: House, viewer: Viewer, recalling: Recalling, counts: Mapping[str, int]
) -> IndexState:
    head, seen = house.ledger.head, house.index.seen
    wanted = house.config.embedding.model != "none"
    embedder = recalling.embedder() if wanted else None
    rows, missing = sum(counts.values()), 0
    if embedder is not None:
        view = house.index.view(embedder.name)
        mine = view.scope == 0
        mine |= not viewer
        mine |= view.scope == view.scopes.get(scope_name(viewer.person), -1)
        rows, missing = int(mine.sum()), int((~view.embedded & mine).sum())
    return IndexState(
        head,
        seen,
        seen == head,
        rows,
        embedder.name if embedder else "",
        wanted,
        missing,
        sum(_size(house.index.path, suffix) for suffix in ("", "-wal", "-shm")),
    )


def _size(path: Path, suffix: str) -> int:
    with suppress(OSError):
        return path.with_name(path.name + suffix).stat().st_size
    return 0


# --- how clean it is ---------------------------------------------------------


def _upkeep(
    house: House, viewer: Viewer, seen: Look, counts: Mapping[str, int]
) -> Upkeep:
    memories = sum(counts.values()) - counts.get(Store.TURNS, 0)
    paths = [path for path in sorted(seen.files) if holds_memories(path)]
    files: dict[str, bytes] = {}
    held: list[tuple[str, AuditEntry]] = []
    for path in _spread(paths, max(1, -(-memories // MOST_JUDGED))):
        if len(held) >= MOST_JUDGED:
            break
        files[path] = _read(house, path) or b""
        held += _held(path, viewer.text(path, files[path]))
    # One file may hold as much as all others.
    thin = max(1, len(held) // MOST_JUDGED)
    whole = thin == 1 and len(files) == len(paths)
    judged = held[::thin]
    repeats = Repeats()
    for path, each in judged:
        spot = Spot(path, each.line)
        repeats.add(each.text, spot, realm(path), each.under)
    wrong = viewer.findings(_faults(house, seen, files), house.ledger.read)
    faults = Counter(each.severity for each in wrong)
    return Upkeep(
        len(judged),
        whole,
        sum(len(found.spots) - 1 for found in repeats.same()),
        faults[Severity.ERROR],
        faults[Severity.WARNING],
    )


def _spread(paths: Sequence[str], step: int) -> Iterator[str]:
    """All paths, every so many-th first, so that the first ones are from everywhere."""
    for first in range(step):
        yield from paths[first::step]


def _held(path: str, data: bytes) -> Iterator[tuple[str, AuditEntry]]:
    for each in cut_entries(data.decode("utf-8-sig", "replace")):
        if is_memory(path, each.under, each.text):
            yield path, each


def _faults(house: House, seen: Look, files: Mapping[str, bytes]) -> Iterator[Finding]:
    """What is wrong in the files that were read, and in those everybody needs."""
    needed = {path: _read(house, path) for path in _ALWAYS if path in seen.files}
    known = {path: data for path, data in needed.items() if data is not None}
    page, listed = layout.PENDING_REFLECTION, layout.EXPECTATIONS
    yield from seen.findings
    yield from check_files({**files, **known}, house.config)
    yield from parse_proposals(_text(house, layout.PENDING), layout.PENDING).findings
    yield from findings(_text(house, page), page)
    yield from parse_expectations(_text(house, listed), listed)[1]


def overview(
    house: House, viewer: Viewer, changes: int, alerts: int, warnings: tuple[str, ...]
) -> Overview:
    """The workspace at a glance."""
    house.look()
    data = house.ledger.read_at(house.ledger.head, layout.CORE) or b""
    memory = core.parse_core(decode(data, layout.CORE)[0], layout.CORE)
    budgets = core_budgets(house.config)
    return Overview(
        root=str(house.root),
        counts=viewer.counts(),
        core=tuple(
            BlockUse(block, tokens, budgets[block])
            for block, tokens in core.block_tokens(memory).items()
        ),
        core_tokens=core.total_tokens(memory),
        core_cap=house.config.core.cap_tokens,
        changes=changes,
        alerts=alerts,
        warnings=warnings,
    )


def check(house: House, viewer: Viewer) -> list[Finding]:
    """Everything a person should look at; nothing is changed but noticed."""
    seen = house.look()
    files = {path: house.ledger.read(path) or b"" for path in seen.files}
    found = [*seen.findings, *aliases(seen.files)]
    found += check_settings(house.ledger.repository.path)
    found += check_files(files, house.config)
    # The pages of reflection that people may type into.
    page, listed = layout.PENDING_REFLECTION, layout.EXPECTATIONS
    found += findings(files.get(page, b"").decode("utf-8", "replace"), page)
    text = files.get(listed, b"").decode("utf-8", "replace")
    found += parse_expectations(text, listed)[1]
    found += house.ledger.log.verify(house.ledger.head)
    return sorted(viewer.findings(found, files.get))


def rebuild(
    house: House, viewer: Viewer, progress: Callable[[int, int], None] | None
) -> RebuildReport:
    """Make index, audit log and graph index anew from files and history."""
    started = perf_counter()
    house.look()
    house.snapshot()
    house.rebuild_index(progress)
    house.ledger.tell_again()
    return RebuildReport(
        files=len(house.index.signatures()),
        memories=sum(viewer.counts().values()),
        edges=len(house.index.edges()),
        seconds=perf_counter() - started,
    )
