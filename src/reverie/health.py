"""Health of a workspace, its overview, check and rebuild; no memory is changed.

It has to be quick whatever there is, so files are read only up to a number of
memories: of a large workspace every so many-th file, and the answer says so.
"""

from __future__ import annotations

import heapq
import os
import re
from collections import Counter, defaultdict
from contextlib import suppress
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.audit import Repeats, Spot, cut_entries, holds_memories, is_memory, realm
from reverie.decay import Status, days_to_fall, rated
from reverie.encoding.settle import find_conflicts
from reverie.errors import RefusedError, UnavailableError
from reverie.model import health as model
from reverie.model.ids import Store
from reverie.model.items import Severity, scope_name
from reverie.model.views import BlockUse, CoreUse, Overview, RebuildReport
from reverie.reflection.cycle import NAMES, CycleStore, Deferred, Timetable
from reverie.reflection.log import highest_number
from reverie.reflection.proposal_page import BrokenPendingError, findings, parse_pending
from reverie.reflection.survey import unprocessed
from reverie.reflection.trial import answering
from reverie.session.moved_pages import find_pairs
from reverie.stores import core
from reverie.stores.check import check_files, core_budgets
from reverie.stores.proposals import parse_pending as parse_proposals
from reverie.stores.reader import decode
from reverie.workspace import layout
from reverie.workspace.files import aliases
from reverie.workspace.questions import QuestionBox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reverie.audit import AuditEntry, RepeatedText
    from reverie.decay import Rated
    from reverie.model.items import Finding
    from reverie.recall.search import MemorySearch
    from reverie.session.session import Session
    from reverie.session.viewer import Viewer
    from reverie.workspace.files import Look

LATELY = 600
"""Seconds for which what all files and memories tell together is as it was, while
nothing is written."""

MOST_JUDGED = 1_500
"""About so many memories are read; more would take longer than a person waits."""

DUPLICATES = 0.05
"""From this share of duplicates on it is worth a look."""

MANY_MISSING = 1_000
"""Some vectors are always missing: they are made when somebody asks."""

SOON = 14
"""Days in which what matters is about to fade."""

MOST_ASKED = 50
"""So many of the questions that must stay answerable are asked."""

MOST_FALLING = 12
"""So much of what has not to stay and fades next is told."""

MOST_NAMED = 5
"""So much of what is about to fade is named in a remark."""

MOST_REPEATED = 20
"""So many duplicates are told in words, each with so many of its places."""

FEW_SUMMARIES = 4
"""Of fewer context reflections nothing can be said."""

_ALWAYS = (
    *(layout.CORE, layout.CONFIG, layout.RELATIONS, layout.PENDING),
    *(layout.EXPECTATIONS, layout.PENDING_REFLECTION),
)
"""Files that are looked at however much there is."""


def health(
    session: Session,
    viewer: Viewer,
    search: MemorySearch,
    overview: Overview,
    bill: model.Bill,
    *,
    conversations: model.Conversations | None = None,
) -> model.Health:
    """How a workspace is doing.

    Args:
        session: The workspace.
        viewer: Who looks; what is for others does not count.
        search: Who makes vectors.
        overview: The workspace at a glance.
        bill: What thinking has cost.
        conversations: How the conversations are doing, where somebody knows.
    """
    session.look()
    counts, head, now = overview.counts, session.ledger.head, session.clock()
    lately = int(now.timestamp()) // LATELY
    seen = session.while_same("seen", (head, lately), lambda: session.look(whole=True))
    files = (head, viewer.person, seen.findings)
    used = (head, viewer.person, session.index.uses, lately)

    def gathered() -> model.Health:
        # All memories are gone through, and many files read: once while they are so.
        tally, fading, falling = session.while_same(
            "vividness", used, lambda: _vividness(session, viewer, search)
        )
        return model.Health(
            root=overview.root,
            at=session.clock(),
            verdict=model.HealthVerdict.OK,
            remarks=(),
            changes=overview.changes,
            stores=_stores(tally, counts),
            core=overview.core,
            core_tokens=overview.core_tokens,
            core_cap=overview.core_cap,
            waits=_waits(session, viewer, overview.alerts),
            upkeep=session.while_same(
                "upkeep", files, lambda: _upkeep(session, viewer, seen, counts)
            ),
            index=_index(session, viewer, search, counts),
            reflection=_reflection(session),
            spending=bill,
            storage=_storage(session.folder.root, seen),
            conversations=conversations
            or model.Conversations(turns=counts.get(Store.TURNS, 0)),
            fading=fading,
            falling=falling,
        )

    told = session.answered(gathered)
    found = remarks(told, overview.warnings)
    verdict = found[0].verdict if found else model.HealthVerdict.OK
    return replace(told, verdict=verdict, remarks=found)


_Tally = defaultdict[str, Counter[str]]


def _vividness(
    session: Session, viewer: Viewer, search: MemorySearch
) -> tuple[_Tally, tuple[model.Fading, ...], tuple[model.Fading, ...]]:
    """How vivid all memories are by store, what has to stay of what fades, what else.

    There may be very many, so all of it is learned in going through them once.
    """
    now, decay, index = session.clock(), session.config.decay, session.index
    asked = answering(session, search, MOST_ASKED, viewer.person)
    hidden = viewer.hidden()
    tally: _Tally = defaultdict(Counter)
    stays: list[tuple[float, Rated]] = []
    falls: list[tuple[float, Rated]] = []
    for each in rated(index.rows_of_traces(), now, decay):
        if each.id in hidden:
            continue
        counted = tally[each.store]
        counted[each.status] += 1
        counted["pinned"] += each.pinned
        counted["forgotten"] += each.forgotten
        if each.pinned or each.forgotten:
            continue
        out = each.status in {Status.DORMANT, Status.ARCHIVED}
        days = days_to_fall(each.strength, decay)
        if each.store in {Store.CORE, Store.PROCEDURAL} or each.id in asked:
            if out or days <= SOON:
                stays.append((0.0 if out else max(1.0, days), each))
        elif days <= SOON and each.status is not Status.ARCHIVED:
            falls.append((days, each))

    def told(found: Iterable[tuple[float, Rated]]) -> tuple[model.Fading, ...]:
        return tuple(
            model.Fading(
                each.id,
                known.title if (known := index.find(each.id)) else "",
                each.status,
                ceil(days),
                asked.get(each.id, ""),
            )
            for days, each in found
        )

    soonest = heapq.nsmallest(MOST_FALLING, falls, key=_soonest)
    return tally, told(sorted(stays, key=_soonest)), told(soonest)


def _soonest(found: tuple[float, Rated]) -> tuple[int, str]:
    return ceil(found[0]), found[1].id


def _stores(tally: _Tally, counts: Mapping[str, int]) -> tuple[model.StoreCount, ...]:
    # The record of a conversation does not fade.
    tally[Store.TURNS] = Counter({Status.ACTIVE: counts.get(Store.TURNS, 0)})
    statuses = (Status.ACTIVE, Status.FADING, Status.DORMANT, Status.ARCHIVED)
    shown = (*statuses, "pinned", "forgotten")
    return tuple(
        model.StoreCount(
            store, counts.get(store, 0), *(tally[store][each] for each in shown)
        )
        for store in Store
    )


def _storage(root: Path, seen: Look) -> model.Storage:
    sizes = {path: found.size for path, found in seen.files.items()}
    return model.Storage(
        len(sizes),
        sum(size for path, size in sizes.items() if path.endswith(".md")),
        _bytes_in(root / layout.GIT_DIR),
        _bytes_in(root / layout.STATE_DIR),
    )


def _bytes_in(folder: Path) -> int:
    """What a folder takes; what goes away while we look takes nothing."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(where, name).lstat().st_size
    return total


def _waits(session: Session, viewer: Viewer, alerts: int) -> model.Waits:
    listed = parse_proposals(_text(session, layout.PENDING), layout.PENDING).proposals
    proposals = viewer.proposals(listed)
    words = Counter(each.status.split()[0] for each in proposals if each.status.split())
    reflection = None
    with suppress(BrokenPendingError):
        # A broken page waits all the same, and is told among what does not read.
        page = _text(session, layout.PENDING_REFLECTION)
        reflection = parse_pending(page, layout.PENDING_REFLECTION)
    return model.Waits(
        len(proposals),
        tuple(sorted(words.items())),
        sum(each.disputed for each in proposals),
        reflection.number if reflection else 0,
        alerts,
        len(QuestionBox(session.state_folder, session.clock).open_questions()),
        len(asked := _contradictions(session, viewer)),
        sum(viewer.sees_id(f"entity:{each.one}") for each in find_pairs(session.index)),
        asked,
    )


def _contradictions(session: Session, viewer: Viewer) -> tuple[tuple[str, ...], ...]:
    """The words of all sides of what pages ask, as far as who looks sees them."""
    return tuple(
        tuple(side.text for side in each.sides)
        for each in find_conflicts(session)
        if all(viewer.sees_id(side.memory) for side in each.sides)
    )


def _text(session: Session, path: str) -> str:
    return (_read(session, path) or b"").decode("utf-8", "replace")


def _read(session: Session, path: str) -> bytes | None:
    """What a file holds; nothing if it cannot be read, which a look tells already."""
    with suppress(RefusedError, UnavailableError):
        return session.ledger.read(path)
    return None


def _reflection(session: Session) -> model.Slept:
    sleep, now = CycleStore(session), session.clock()
    cycle, tracked = sleep.load(), sleep.tracked()
    waiting = unprocessed(session.index, tracked, now)
    settings, state = session.config.reflection, cycle.state
    schedule = Timetable(settings, session.zone, now)
    return model.Slept(
        NAMES[type(state)],
        highest_number(_text(session, layout.REFLECTION_LOG)),
        tracked.last,
        waiting,
        schedule.due(tracked.last, waiting, cycle.offered) is not None,
        state.until
        if isinstance(state, Deferred)
        else schedule.next_time(tracked.last),
    )


def _index(
    session: Session, viewer: Viewer, search: MemorySearch, counts: Mapping[str, int]
) -> model.IndexState:
    head, seen = session.ledger.head, session.index.seen
    wanted = session.config.embedding.model != "none"
    embedder = search.finer() or search.embedder() if wanted else None
    rows, missing = sum(counts.values()), 0
    if embedder is not None:
        view = session.index.view(embedder.name)
        mine = view.seen_by(scope_name(viewer.person)) | (not viewer)
        rows, missing = int(mine.sum()), int((~view.embedded & mine).sum())
    size = session.index.size
    name = embedder.name if embedder else ""
    return model.IndexState(head, seen, seen == head, rows, name, wanted, missing, size)


def _upkeep(
    session: Session, viewer: Viewer, seen: Look, counts: Mapping[str, int]
) -> model.Upkeep:
    """How clean the memories are, judged by files from everywhere."""
    memories = sum(counts.values()) - counts.get(Store.TURNS, 0)
    paths = [path for path in sorted(seen.files) if holds_memories(path)]
    step = max(1, -(-memories // MOST_JUDGED))
    files: dict[str, bytes] = {}
    judged: list[tuple[str, AuditEntry]] = []
    for path in (path for first in range(step) for path in paths[first::step]):
        if len(judged) >= MOST_JUDGED:
            break
        files[path] = _read(session, path) or b""
        text = viewer.text(path, files[path]).decode("utf-8-sig", "replace")
        found = cut_entries(text)
        judged += [(path, e) for e in found if is_memory(path, e.under, e.text)]
    whole = len(judged) <= MOST_JUDGED and set(paths) <= files.keys()
    repeats = Repeats()
    # One file may hold as much as all others.
    for path, each in judged[:MOST_JUDGED]:
        repeats.add(each.text, Spot(path, each.line), realm(path), each.under)
    needed = {path: _read(session, path) for path in _ALWAYS if path in seen.files}
    files |= {path: data for path, data in needed.items() if data is not None}
    wrong = [*seen.findings, *_wrong(files, session)]
    told = viewer.findings(wrong, session.ledger.read)
    faults = Counter(each.severity for each in told)
    same = [*repeats.same()]
    return model.Upkeep(
        min(len(judged), MOST_JUDGED),
        whole,
        sum(len(each.spots) - 1 for each in same),
        faults[Severity.ERROR],
        faults[Severity.WARNING],
        tuple(_repeated(each) for each in same[:MOST_REPEATED]),
    )


def _repeated(same: RepeatedText) -> model.Repeated:
    places = ((spot.path, spot.line) for spot in same.spots[:MOST_REPEATED])
    return model.Repeated(same.quote, tuple(places))


def _wrong(files: Mapping[str, bytes], session: Session) -> list[Finding]:
    """What is wrong in files, also on the page that waits for a decision."""
    page = layout.PENDING_REFLECTION
    text = files.get(page, b"").decode("utf-8", "replace")
    return [*check_files(files, session.config), *findings(text, page)]


def core_use(session: Session, *, told: bool = False) -> CoreUse:
    """How full core memory is, as history has it.

    Args:
        session: The workspace.
        told: Whether to say as well what an agent is told of it.
    """
    session.look()
    data = session.ledger.read_at(session.ledger.head, layout.CORE) or b""
    text = decode(data, layout.CORE)[0]
    memory = core.parse_core(text, layout.CORE)
    budgets = core_budgets(session.config)
    return CoreUse(
        tuple(
            BlockUse(block, tokens, budgets[block])
            for block, tokens in core.block_tokens(memory).items()
        ),
        core.total_tokens(memory),
        session.config.core.cap_tokens,
        _told_of(session) if told else "",
    )


def _told_of(session: Session) -> str:
    """What an agent is told of core memory: as its human confirmed it."""
    from reverie.conversation.told import core_text  # noqa: PLC0415 - for who asks
    from reverie.secrets import without_secrets  # noqa: PLC0415 - loads its rules

    data = session.confirmed(layout.CORE) or b""
    return core_text(without_secrets(decode(data, layout.CORE)[0]))


def overview(
    session: Session,
    viewer: Viewer,
    changes: int,
    alerts: int,
    warnings: tuple[str, ...],
) -> Overview:
    """The workspace at a glance."""
    use = core_use(session)
    return Overview(
        root=str(session.root),
        counts=viewer.counts(),
        core=use.blocks,
        core_tokens=use.tokens,
        core_cap=use.cap,
        changes=changes,
        alerts=alerts,
        warnings=warnings,
    )


def check(session: Session, viewer: Viewer) -> list[Finding]:
    """Everything a person should look at; nothing is changed but noticed."""
    seen = session.look(whole=True)
    files = {path: session.ledger.read(path) or b"" for path in seen.files}
    found = [*seen.findings, *aliases(seen.files), *_wrong(files, session)]
    found += session.ledger.log.verify()
    return sorted(viewer.findings(found, files.get))


def rebuild(
    session: Session, viewer: Viewer, progress: Callable[[int, int], None] | None
) -> RebuildReport:
    """Make index, audit log and graph index anew from files and history."""
    started = perf_counter()
    session.look()
    session.snapshot()
    session.rebuild_index(progress)
    session.ledger.tell_again()
    return RebuildReport(
        files=len(session.index.signatures()),
        memories=sum(viewer.counts().values()),
        edges=len(session.index.edges()),
        seconds=perf_counter() - started,
    )


# --- in plain words ----------------------------------------------------------


def remarks(
    told: model.Health, warnings: Iterable[str] = ()
) -> tuple[model.Remark, ...]:
    """What to know of a workspace, what matters most first.

    Args:
        told: All that was measured.
        warnings: What was amiss and has been worked around.
    """
    upkeep, index, waits = told.upkeep, told.index, told.waits
    talk, quality, bill = told.conversations, told.conversations.quality, told.spending
    names = "`reverie check` names file and line"
    among = "" if upkeep.whole else f" among {upkeep.judged:,} looked at"
    repeated = upkeep.duplicates >= max(1, DUPLICATES * upkeep.judged)
    disliked = (
        quality.written >= FEW_SUMMARIES and 2 * quality.deleted >= quality.written
    )
    faint = ", ".join(map(_fades, told.fading[:MOST_NAMED]))
    more = len(told.fading) - MOST_NAMED
    faint += f" and {more:,} more" if more > 0 else ""
    # What only begins to fade is found as before.
    lost = any(each.status != Status.ACTIVE for each in told.fading)
    less = sum(each.fading for each in told.stores)
    due = told.reflection.waiting * (told.reflection.due and not waits.reflection)
    mend, look, fine = reversed(model.HealthVerdict)
    table: list[tuple[int, model.HealthVerdict, str, str]] = [
        (upkeep.errors, mend, "# place[|s] in files cannot be read", names),
        (not index.current, mend, "the index lags behind history",
         "`reverie rebuild` makes it anew"),
        (told.core_tokens > told.core_cap, mend,
         f"core memory has {told.core_tokens:,} of {told.core_cap:,} tokens",
         "shorten MEMORY.md"),
        (upkeep.warnings, look, "# place[ is|s are] worth a look", names),
        (index.vectors and not index.model, look,
         "the model for vectors cannot be had: search goes by words and graph",
         "`reverie rebuild --vectors` says why"),
        *((use.tokens > use.budget, look,
           f"the block {use.block} has {use.tokens:,} of {use.budget:,} tokens",
           "shorten it in MEMORY.md") for use in told.core),
        *((1, look, text, "") for text in warnings),
        (waits.alerts, look, "# critical change[|s] not acknowledged yet",
         "`reverie alerts` shows them"),
        (waits.disputed, look, "# proposal[ contradicts|s contradict] something",
         "`reverie pending resolve` settles that"),
        (waits.proposals, look, "# proposal[ waits|s wait]",
         "decide with `reverie pending`"),
        (waits.contradictions, look, "# contradiction[ is|s are] open",
         "`reverie pending` lists them"),
        (waits.pairs, look, "# pair[|s] of pages may be about one thing",
         "`reverie pending` lists them"),
        (waits.questions, look, "# question[ waits|s wait] for the host agent",
         "`reverie mind questions` lists them"),
        (waits.reflection > 0, look,
         f"reflection #{waits.reflection} waits for your decision",
         "`reverie reflect show` prints it"),
        (upkeep.duplicates if repeated else 0, look,
         f"# memor[y repeats|ies repeat] another{among}",
         "`reverie audit` names them"),
        (len(told.fading), look if lost else fine,
         f"# of what has to stay fade[s|] or [has|have] faded: {faint}",
         "`reverie pin` keeps, `reverie reinforce` or asking for it brings back"),
        (told.faded, look if 2 * told.faded >= told.memories else fine,
         f"# memor[y has|ies have] faded out of automatic recall, {less:,} fading",
         "asking for them brings them back"),
        (0 < bill.limit <= bill.today.tokens, look,
         f"the day's {bill.limit:,} tokens are spent",
         "thinking goes on tomorrow, or with a higher mind.daily_tokens"),
        (disliked, look,
         f"{quality.deleted:,} of {quality.written:,} summaries were deleted",
         "another conversation.prompt may do better"),
        (index.missing, look if index.missing > MANY_MISSING else fine,
         "# text[ has|s have] no vector yet",
         "made at the next recall, or by `reverie rebuild --vectors`"),
        (due, fine, "a reflection is due: # new episode[|s]",
         "`reverie reflect` begins"),
        (talk.due, fine, "# conversation[ is|s are] due for a summary",
         "`reverie window` lists them"),
        (not told.memories, fine, "nothing is remembered yet",
         '`reverie remember "…"` begins'),
    ]  # fmt: skip
    found = [
        model.Remark(verdict, _counted(count, what), hint)
        for count, verdict, what, hint in table
        if count
    ]
    worst = tuple(reversed(model.HealthVerdict))
    return tuple(sorted(found, key=lambda each: worst.index(each.verdict)))


_NEXT = {Status.ACTIVE: Status.FADING, Status.FADING: Status.DORMANT}


def _fades(each: model.Fading) -> str:
    """`procedure:deploy (dormant in 5 days)`, or what it is already."""
    if not each.days:
        return f"{each.id} ({each.status})"
    in_days = _counted(each.days, "in # day[|s]")
    return f"{each.id} ({_NEXT[Status(each.status)]} {in_days})"


def _counted(count: int, what: str) -> str:
    """Words for one or many: `# page[ is|s are] here`."""
    said = re.sub(r"\[(.*?)\|(.*?)\]", lambda m: m[1 if count == 1 else 2], what)
    return re.sub(r"#(?!\d)", f"{count:,}", said)
