"""Health of a workspace, its overview, check and rebuild; no memory is changed.

It has to be quick whatever there is, so files are read only up to a number of
memories: of a large workspace every so many-th file, and the answer says so.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import replace
from datetime import UTC
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from reverie.audit import Repeats, Spot, cut_entries, holds_memories, is_memory, realm
from reverie.decay import Status, standing
from reverie.errors import RefusedError, UnavailableError
from reverie.ledger.git_folder import check_settings
from reverie.model.health import (
    Conversations,
    Expense,
    Health,
    HealthVerdict,
    IndexState,
    Remark,
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
from reverie.reflection.cycle import NAMES, CycleStore, Deferred, Schedule
from reverie.reflection.proposal_page import BrokenPendingError, findings, parse_pending
from reverie.reflection.records.log import highest_number
from reverie.reflection.survey import unprocessed
from reverie.stores import core
from reverie.stores.check import check_files, core_budgets
from reverie.stores.entities import WHICH_HOLDS
from reverie.stores.expectations import parse_expectations
from reverie.stores.proposals import parse_pending as parse_proposals
from reverie.stores.reader import decode
from reverie.workspace import layout
from reverie.workspace.questions import QuestionBox
from reverie.workspace.scan import aliases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import tzinfo
    from pathlib import Path

    from reverie.audit import AuditEntry
    from reverie.model.health import Bill
    from reverie.model.items import Finding
    from reverie.recall.search import MemorySearch
    from reverie.session.session import House
    from reverie.session.viewer import Viewer
    from reverie.workspace.scan import Look

MOST_JUDGED = 1_500
"""About so many memories are read; more would take longer than a person waits."""

DUPLICATES = 0.05
"""From this share of duplicates on it is worth a look."""

MANY_MISSING = 1_000
"""Some vectors are always missing: they are made when somebody asks."""

FEW_SUMMARIES = 4
"""Of fewer context reflections nothing can be said."""

_ALWAYS = (layout.CORE, layout.CONFIG, layout.RELATIONS)
"""Files that are looked at however much there is."""


def health(
    house: House,
    viewer: Viewer,
    search: MemorySearch,
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
        search: Who makes vectors.
        overview: The workspace at a glance.
        bill: What thinking has cost.
        zone: The user's, in which reflections are scheduled.
        conversations: How the conversations are doing, where somebody knows.
    """
    seen, counts = house.look(), overview.counts

    def gathered() -> Health:
        return Health(
            root=overview.root,
            at=house.clock(),
            verdict=HealthVerdict.OK,
            remarks=(),
            stores=_stores(house, viewer, counts),
            core=overview.core,
            core_tokens=overview.core_tokens,
            core_cap=overview.core_cap,
            waits=_waits(house, viewer, overview.alerts),
            upkeep=_upkeep(house, viewer, seen, counts),
            index=_index(house, viewer, search, counts),
            reflection=_reflection(house, zone),
            expense=Expense(
                bill.today.tokens,
                bill.limit,
                (bill.last - bill.first).days + 1,
                bill.total.tokens,
                bill.total.micros,
                bill.currency,
            ),
            storage=_storage(house.folder.root, seen),
            conversations=conversations
            or Conversations(turns=counts.get(Store.TURNS, 0)),
        )

    told = house.answered(gathered)
    found = remarks(told, overview.warnings)
    verdict = found[0].verdict if found else HealthVerdict.OK
    return replace(told, verdict=verdict, remarks=found)


def _stores(
    house: House, viewer: Viewer, counts: Mapping[str, int]
) -> tuple[StoreCount, ...]:
    now, decay = house.clock(), house.config.decay
    tally: defaultdict[Store, Counter[str]] = defaultdict(Counter)
    scopes = house.index.scopes() if viewer else {}
    for id_, trace in house.index.traces().items():
        if viewer.sees(scopes.get(id_, "")):
            tally[trace.store][standing(trace, now, decay)[1]] += 1
            tally[trace.store]["pinned"] += trace.pinned or trace.store is Store.VAULT
    # The record of a conversation does not fade.
    tally[Store.TURNS] = Counter({Status.ACTIVE: counts.get(Store.TURNS, 0)})
    shown = (Status.ACTIVE, Status.FADING, Status.DORMANT, Status.ARCHIVED, "pinned")
    return tuple(
        StoreCount(store, counts.get(store, 0), *(tally[store][each] for each in shown))
        for store in Store
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


def _waits(house: House, viewer: Viewer, alerts: int) -> Waits:
    listed = parse_proposals(_text(house, layout.PENDING), layout.PENDING).proposals
    proposals = viewer.proposals(listed)
    words = Counter(each.status.split()[0] for each in proposals if each.status.split())
    reflection = None
    with suppress(BrokenPendingError):
        # A broken page waits all the same, and is told among what does not read.
        page = _text(house, layout.PENDING_REFLECTION)
        reflection = parse_pending(page, layout.PENDING_REFLECTION)
    return Waits(
        len(proposals),
        tuple(sorted(words.items())),
        sum(each.disputed for each in proposals),
        reflection.number if reflection else 0,
        alerts,
        len(QuestionBox(house.folder, house.clock).open_questions()),
        sum(viewer.sees_id(i) for i, _ in house.index.lookup.asking(WHICH_HOLDS)),
    )


def _text(house: House, path: str) -> str:
    return (_read(house, path) or b"").decode("utf-8", "replace")


def _read(house: House, path: str) -> bytes | None:
    """What a file holds; nothing if it cannot be read, which a look tells already."""
    with suppress(RefusedError, UnavailableError):
        return house.ledger.read(path)
    return None


def _reflection(house: House, zone: tzinfo) -> Slept:
    sleep, now = CycleStore(house), house.clock()
    cycle, tracked = sleep.load(), sleep.tracked()
    waiting = unprocessed(house.index, tracked, now)
    schedule, state = Schedule(house.config.reflection, zone, now), cycle.state
    return Slept(
        NAMES[type(state)],
        highest_number(_text(house, layout.REFLECTION_LOG)),
        tracked.last,
        waiting,
        schedule.due(tracked.last, waiting, cycle.offered) is not None,
        state.until
        if isinstance(state, Deferred)
        else schedule.next_time(tracked.last),
    )


def _index(
    house: House, viewer: Viewer, search: MemorySearch, counts: Mapping[str, int]
) -> IndexState:
    head, seen = house.ledger.head, house.index.seen
    wanted = house.config.embedding.model != "none"
    embedder = search.embedder() if wanted else None
    rows, missing, size = sum(counts.values()), 0, 0
    if embedder is not None:
        view = house.index.view(embedder.name)
        person = view.named["scope"].get(scope_name(viewer.person), -1)
        mine = (view.scope == 0) | (not viewer) | (view.scope == person)
        rows, missing = int(mine.sum()), int((~view.embedded & mine).sum())
    path = house.index.path
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            size += path.with_name(path.name + suffix).stat().st_size
    name = embedder.name if embedder else ""
    return IndexState(head, seen, seen == head, rows, name, wanted, missing, size)


def _upkeep(
    house: House, viewer: Viewer, seen: Look, counts: Mapping[str, int]
) -> Upkeep:
    """How clean the memories are, judged by files from everywhere."""
    memories = sum(counts.values()) - counts.get(Store.TURNS, 0)
    paths = [path for path in sorted(seen.files) if holds_memories(path)]
    step = max(1, -(-memories // MOST_JUDGED))
    files: dict[str, bytes] = {}
    held: list[tuple[str, AuditEntry]] = []
    for path in (path for first in range(step) for path in paths[first::step]):
        if len(held) >= MOST_JUDGED:
            break
        files[path] = _read(house, path) or b""
        text = viewer.text(path, files[path]).decode("utf-8-sig", "replace")
        found = cut_entries(text)
        held += [(path, e) for e in found if is_memory(path, e.under, e.text)]
    # One file may hold as much as all others.
    thin = max(1, len(held) // MOST_JUDGED)
    judged = held[::thin]
    repeats = Repeats()
    for path, each in judged:
        repeats.add(each.text, Spot(path, each.line), realm(path), each.under)
    needed = {path: _read(house, path) for path in _ALWAYS if path in seen.files}
    files |= {path: data for path, data in needed.items() if data is not None}
    wrong = [*seen.findings, *check_files(files, house.config)]
    pending = _text(house, layout.PENDING)
    wrong += parse_proposals(pending, layout.PENDING).findings
    wrong += _typed(partial(_text, house))
    told = viewer.findings(wrong, house.ledger.read)
    faults = Counter(each.severity for each in told)
    return Upkeep(
        len(judged),
        thin == 1 and set(paths) <= files.keys(),
        sum(len(same.spots) - 1 for same in repeats.same()),
        faults[Severity.ERROR],
        faults[Severity.WARNING],
    )


def _typed(text: Callable[[str], str]) -> Iterator[Finding]:
    """What is wrong on the pages of reflection that people may type into."""
    page, listed = layout.PENDING_REFLECTION, layout.EXPECTATIONS
    yield from findings(text(page), page)
    yield from parse_expectations(text(listed), listed)[1]


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
    found += _typed(lambda path: files.get(path, b"").decode("utf-8", "replace"))
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


# --- in plain words ----------------------------------------------------------

_ORDER = {verdict: number for number, verdict in enumerate(reversed(HealthVerdict))}


def remarks(told: Health, warnings: Iterable[str] = ()) -> tuple[Remark, ...]:
    """What to know of a workspace, what matters most first.

    Args:
        told: All that was measured.
        warnings: What was amiss and has been worked around.
    """
    found = [
        *_on_files(told.upkeep),
        *_on_index(told),
        *_on_core(told),
        *(Remark(HealthVerdict.LOOK, text) for text in warnings),
        *_on_waiting(told),
        *_on_reflection(told),
        *_on_cleanliness(told.upkeep),
        *_on_expense(told),
        *_on_conversations(told),
    ]
    if not told.memories:
        hint = '`reverie remember "…"` begins'
        found.append(Remark(HealthVerdict.OK, "nothing is remembered yet", hint))
    return tuple(sorted(found, key=lambda each: _ORDER[each.verdict]))


def _on_files(upkeep: Upkeep) -> Iterator[Remark]:
    names = "`reverie check` names file and line"
    if upkeep.errors:
        one = "place in a file does not read as it should"
        many = "places in files do not read as they should"
        yield Remark(HealthVerdict.MEND, _several(upkeep.errors, one, many), names)
    if upkeep.warnings:
        what = _several(upkeep.warnings, "place in a file is", "places in files are")
        yield Remark(HealthVerdict.LOOK, f"{what} worth a look", names)


def _on_index(told: Health) -> Iterator[Remark]:
    index = told.index
    if not index.current:
        hint = "`reverie rebuild` makes it anew"
        yield Remark(HealthVerdict.MEND, "the index lags behind history", hint)
    if index.vectors and not index.model:
        what = "the model for vectors cannot be had: search goes by words and graph"
        yield Remark(HealthVerdict.LOOK, what, "`reverie rebuild --vectors` says why")
    if index.missing:
        what = _several(index.missing, "memory has", "memories have")
        hint = "made at the next recall, or by `reverie rebuild --vectors`"
        verdict = (
            HealthVerdict.LOOK if index.missing > MANY_MISSING else HealthVerdict.OK
        )
        yield Remark(verdict, f"{what} no vector yet", hint)


def _on_core(told: Health) -> Iterator[Remark]:
    if told.core_tokens > told.core_cap:
        what = f"core memory has {told.core_tokens:,} of {told.core_cap:,} tokens"
        yield Remark(HealthVerdict.MEND, what, "shorten MEMORY.md")
    full = [use for use in told.core if use.tokens > use.budget]
    for use in full:
        what = f"the block {use.block} has {use.tokens:,} of {use.budget:,} tokens"
        yield Remark(HealthVerdict.LOOK, what, "shorten it in MEMORY.md")


def _on_waiting(told: Health) -> Iterator[Remark]:
    waits = told.waits
    if waits.alerts:
        what = _several(waits.alerts, "critical change", "critical changes")
        hint = "`reverie alerts` shows them"
        yield Remark(HealthVerdict.LOOK, f"{what} not acknowledged yet", hint)
    if waits.disputed:
        what = _several(waits.disputed, "proposal contradicts", "proposals contradict")
        hint = "`reverie pending resolve` settles that"
        yield Remark(HealthVerdict.LOOK, f"{what} what else is said", hint)
    if waits.proposals:
        what = _several(waits.proposals, "proposal waits", "proposals wait")
        yield Remark(HealthVerdict.LOOK, what, "decide with `reverie pending`")
    if waits.contradictions:
        what = _several(waits.contradictions, "contradiction is", "contradictions are")
        yield Remark(HealthVerdict.LOOK, f"{what} open", "`reverie pending` lists them")
    if waits.questions:
        what = _several(waits.questions, "question waits", "questions wait")
        hint = "`reverie mind questions` lists them"
        yield Remark(HealthVerdict.LOOK, f"{what} for the host agent", hint)


def _on_reflection(told: Health) -> Iterator[Remark]:
    if told.waits.reflection:
        what = f"reflection #{told.waits.reflection} waits for your decision"
        yield Remark(HealthVerdict.LOOK, what, "`reverie reflect show` prints it")
    elif told.reflection.due:
        what = _several(told.reflection.waiting, "new episode", "new episodes")
        hint = "`reverie reflect` begins"
        yield Remark(HealthVerdict.OK, f"a reflection is due: {what}", hint)


def _on_cleanliness(upkeep: Upkeep) -> Iterator[Remark]:
    hint = "`reverie audit` names them"
    among = "" if upkeep.whole else f" among {upkeep.judged:,} looked at"
    if upkeep.duplicates and upkeep.duplicates >= DUPLICATES * upkeep.judged:
        what = _several(upkeep.duplicates, "memory repeats", "memories repeat")
        yield Remark(HealthVerdict.LOOK, f"{what} another{among}", hint)


def _on_expense(told: Health) -> Iterator[Remark]:
    expense = told.expense
    if expense.today and expense.today >= expense.limit:
        what = f"the day's {expense.limit:,} tokens are spent"
        hint = "thinking goes on tomorrow, or with a higher mind.daily_tokens"
        yield Remark(HealthVerdict.LOOK, what, hint)


def _on_conversations(told: Health) -> Iterator[Remark]:
    talk, quality = told.conversations, told.conversations.quality
    if talk.due:
        what = _several(talk.due, "conversation is", "conversations are")
        hint = "`reverie window` lists them"
        yield Remark(HealthVerdict.OK, f"{what} due for a summary", hint)
    if quality.written >= FEW_SUMMARIES and 2 * quality.deleted >= quality.written:
        what = f"{quality.deleted:,} of {quality.written:,} summaries were deleted"
        hint = "another conversation.prompt may do better"
        yield Remark(HealthVerdict.LOOK, what, hint)


def _several(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
