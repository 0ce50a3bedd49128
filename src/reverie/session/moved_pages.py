"""Pages that go into another, or get another name: what led to them follows.

Links, citations, proposals and scores follow in one change. Day logs and conversations
are only appended to; there the old id is another name of the page. A file that a person
renamed is noticed at the next look.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie import markdown as md
from reverie.index.sync import imagine, plan_snapshot
from reverie.index.user import user_pages
from reverie.model.change import (
    ABSENT,
    HUMAN_EDIT,
    RENAMING,
    Action,
    Approval,
    ChangeSet,
    Edit,
    LogLine,
    checksum,
    edit_of,
)
from reverie.model.views import Pair
from reverie.session.kept_up import kept_up
from reverie.stores import entities
from reverie.stores.entity_merge import (
    linked_once,
    merged_page,
    renamed_in,
    renamed_page,
)
from reverie.stores.reader import decode
from reverie.stores.scores import parse_scores
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import date, datetime

    from reverie.config import DecayConfig
    from reverie.decay import Trace
    from reverie.index import Index
    from reverie.session.session import Session
    from reverie.stores.entities import EntityPage

    Read = Callable[[str], bytes | None]

_LINKED = (f"{layout.ENTITIES}/", f"{layout.PROCEDURES}/", f"{layout.META}/")
_LEFT = frozenset(
    {layout.AUDIT_ARCHIVE, layout.AUDIT_LOG, layout.OWNER, layout.PENDING_REFLECTION}
)
"""Where links are followed, and what is told as it was. A proposal of a reflection is
bound to the page that was laid out; its targets are found by their old ids."""


class Moved(Struct, frozen=True):
    """A page that goes into another one, or gets another name, and what follows.

    Attributes:
        edits: To all files, the page itself first.
        one: The id that is no more, or only another name.
        into: The id that the page has from now on.
        joined: How many facts both pages had.
    """

    edits: tuple[Edit, ...]
    one: str
    into: str
    joined: int = 0


def plan_merge(
    gone: EntityPage,
    kept: EntityPage,
    paths: Iterable[str],
    read: Read,
    on: date,
) -> Moved:
    """Plan to put one page into another, with all that leads to it.

    Args:
        gone: The page that goes.
        kept: The page that stays.
        paths: The files that name the first.
        read: A file's bytes as they stand.
        on: The day of the change.
    """
    old, new = gone.entity.name, kept.entity.name
    page, joined = merged_page(gone, kept, on)
    data, before = read(kept.path), read(gone.path)
    text = entities.render_entity(page)
    why = f"merged {old} into {new}"
    edits = (
        edit_of(kept.path, data, text, Action.MERGE, why),
        Edit(gone.path, None, checksum(before), Action.MERGE, why),
        *_followed(paths, {gone.path, kept.path}, old, new, read),
    )
    return Moved(edits, old, new, joined)


def plan_rename(
    page: EntityPage,
    path: str,
    label: str,
    paths: Iterable[str],
    read: Read,
    on: date,
) -> Moved:
    """Plan to give a page another name, with all that leads to it.

    Args:
        page: The page as it is.
        path: The file that it shall be.
        label: What it shall be called.
        paths: The files that name it.
        read: A file's bytes as they stand.
        on: The day of the change.
    """
    old, new = page.entity.name, md.stem(path)
    text = renamed_in(page.page.text, old, new)
    changed = renamed_page(entities.parse_entity(text, path), label, on)
    for name in (page.entity.label, *([old] if old != new else [])):
        changed = entities.add_alias(changed, name)
    why = f"renamed {old} to {new}" if old != new else f"{old} is called {label}"
    data, rendered = read(page.path), entities.render_entity(changed)
    whole = edit_of(path, data, rendered, Action.RENAME, why)
    if old == new:
        return Moved((whole,) if whole.content != data else (), old, new)
    edits = (
        replace(whole, base=ABSENT),
        Edit(page.path, None, checksum(data), Action.RENAME, why),
        *_followed(paths, {page.path, path}, old, new, read),
    )
    return Moved(edits, old, new)


def mentioning(
    index: Index, read: Read, name: str, among: Iterable[str] | None = None
) -> list[str]:
    """The files whose links, citations or proposals name an entity by its id.

    Args:
        index: Knows the files that there are.
        read: A file's bytes as they stand.
        name: The id.
        among: Only of these files; without, of all.
    """
    needle = name.encode()
    paths = (
        path
        for path in sorted(index.signatures() if among is None else among)
        if (path == layout.CORE or path.startswith(_LINKED)) and path.endswith(".md")
    )
    return [
        path for path in paths if path not in _LEFT and needle in (read(path) or b"")
    ]


def naming_now(session: Session, name: str) -> list[str]:
    """The same in an open workspace, for who asks again after every change."""
    find = partial(mentioning, session.index, session.ledger.read, name)

    def again(known: list[str], changed: Mapping[str, object]) -> list[str]:
        return sorted([*(set(known) - changed.keys()), *find(changed)])

    # All files have to be read for it.
    head = session.ledger.head
    return kept_up(session, f"naming {name}", head, None, find, again)


def _followed(
    paths: Iterable[str],
    done: set[str],
    old: str,
    new: str,
    read: Read,
) -> Iterator[Edit]:
    """Files in which what led to one page leads to another."""
    for path in paths:
        data = read(path)
        text, problems = decode(data or b"", path)
        if path in done or problems:
            continue
        changed = renamed_in(text, old, new)
        if path.startswith(f"{layout.ENTITIES}/") and changed != text:
            changed = linked_once(entities.parse_entity(changed, path))
        if changed != text:
            why = f"links follow {old} to {new}"
            yield edit_of(path, data, changed, Action.EDIT, why)


# --- scores ----------------------------------------------------------------------


def joined_trace(one: Trace | None, into: Trace | None) -> Trace | None:
    """The score of a page that was two: all uses, the newest, the oldest day."""
    if one is None or into is None:
        return one or into
    return replace(
        into,
        base=max(one.base, into.base),
        created=min(one.created, into.created),
        last_accessed=max(one.last_accessed, into.last_accessed),
        accesses=one.accesses + into.accesses,
        pinned=one.pinned or into.pinned,
        archived=one.archived and into.archived,
    )


def score_edits(
    edits: tuple[Edit, ...],
    traces: Mapping[str, Trace],
    index: Index,
    read: Read,
    decay: DecayConfig,
    now: datetime,
) -> tuple[Edit, ...]:
    """The scores and the graph's index as they are once some edits are done."""
    change = ChangeSet(edits, RENAMING, Approval.NONE, "")
    would_be = imagine(index, change, read, decay, now)
    try:
        return plan_snapshot(would_be, read, decay, now, traces)
    finally:
        would_be.close()


# --- pairs that may be one -----------------------------------------------------------


def find_pairs(index: Index) -> list[Pair]:
    """Pairs of pages that may be about one thing, each once, to be said by a person."""
    found: dict[frozenset[str], Pair] = {}
    user = user_pages(index)
    if len(user) > 1:
        why = "core memory says that both are you"
        found[frozenset(user)] = Pair(user[1], user[0], why)
    for id_, said in index.asking(entities.SAME_AS):
        one, other = id_.partition(":")[2], entities.asked_same(said.strip())
        there = other and index.path_of(f"entity:{other}")
        trace = index.trace(f"entity:{other}") if there else None
        if there and other != one and not (trace and trace.archived):
            found.setdefault(frozenset((one, other)), Pair(one, other, said.strip()))
    return [*found.values()]


# --- files renamed by hand ---------------------------------------------------------


def traces_of_pages(index: Index, paths: Iterable[str]) -> dict[str, Trace]:
    """The scores of entities whose files are about to be gone, by their paths."""
    pages = (path for path in paths if path.startswith(f"{layout.ENTITIES}/"))
    found = ((path, index.trace(trace_id(path))) for path in pages)
    return {path: trace for path, trace in found if trace}


def trace_id(path: str) -> str:
    """The id that a page is scored by."""
    return f"entity:{md.stem(path)}"


def plan_renames(session: Session, traces: Mapping[str, Trace]) -> Iterator[ChangeSet]:
    """Plan to follow files that a person renamed in the newest change, one by one.

    Args:
        session: Its index is to show each before the next is planned.
        traces: Scores of pages as they were before it; history has those it knows.
    """
    index, ledger, read = session.index, session.ledger, session.ledger.read
    decay, now = session.config.decay, session.clock()
    # Of several some may have been followed before somebody was cut short.
    others = (each for each in ledger.history() if each.actor != RENAMING)
    entry = next(others, None)
    if ledger.confined or not entry or not entry.verified:
        return
    if entry.trigger != HUMAN_EDIT:
        return
    changed = ledger.changed(entry.commit)
    for old, new in find_renamed(changed, ledger.content):
        data = read(new)
        text, problems = decode(data or b"", new)
        one, into = md.stem(old), md.stem(new)
        if problems or data is None:
            continue
        if one in entities.parse_entity(text, new).entity.aliases:
            continue
        told = (ledger.content(changed[old][0]) or b"").decode("utf-8-sig", "replace")
        label = entities.parse_entity(told, old).entity.label
        page = entities.parse_entity(renamed_in(text, one, into), new)
        if page.page.value("Type") == one.partition("--")[0]:
            kind = into.partition("--")[0]
            retyped = md.with_field(page.page, "Type", kind, beside="Created")
            page = entities.read_page(retyped)
        for name in (label, one):
            page = entities.add_alias(page, name)
        why = f"{one} was renamed to {into} by hand; links follow"
        paths = mentioning(index, read, one)
        edits = (
            edit_of(new, data, entities.render_entity(page), Action.RENAME, why),
            *_followed(paths, {new}, one, into, read),
        )
        scores = (read(layout.SCORES) or b"").decode("utf-8", "replace")
        known = parse_scores(scores, layout.SCORES).entries.get(f"entity:{one}")
        trace = traces.get(old, known)
        kept = {f"entity:{into}": trace} if trace else {}
        edits = (*edits, *score_edits(edits, kept, index, read, decay, now))
        lines = [LogLine(edit.action, edit.path, edit.summary) for edit in edits]
        lines.insert(1, LogLine(Action.RENAME, old, why))
        trigger = "a file was renamed by hand"
        yield ChangeSet(edits, RENAMING, Approval.AUTO, trigger, tuple(lines))


def find_renamed(
    changed: Mapping[str, tuple[str, str]], content: Callable[[str], bytes | None]
) -> list[tuple[str, str]]:
    """Pages that a change took away, each with the one it is since then.

    Args:
        changed: Content ids of files before and after.
        content: What a content id stands for.
    """
    pages = {
        path: (was, now)
        for path, (was, now) in changed.items()
        if path.startswith(f"{layout.ENTITIES}/") and "--" in md.stem(path)
    }
    gone = [path for path, (_, now) in pages.items() if not now]
    new = [path for path, (was, _) in pages.items() if not was]
    likely = sorted(
        (
            (
                -_likeness(content(pages[old][0]), content(pages[path][1]), old),
                old,
                path,
            )
            for old in gone
            for path in new
            if md.stem(old) != md.stem(path)
        ),
    )
    found: dict[str, str] = {}
    for likeness, old, path in likely:
        if likeness <= -HALF and old not in found and path not in found.values():
            found[old] = path
    return [*found.items()]


HALF = 0.5
"""So much of two pages has to be the same for one to be the other, renamed."""


def _likeness(old: bytes | None, new: bytes | None, path: str) -> float:
    """The share of lines that two pages have in common; 1 if the title says it."""
    texts = [(data or b"").decode("utf-8-sig", "replace") for data in (old, new)]
    if md.parse_title(texts[1]) == md.stem(path):
        return 1.0
    lines = [
        {line.strip() for line in text.split("\n")[1:] if line.strip("# \r")}
        for text in texts
    ]
    bodies = [{line for line in each if line[:2] not in {"##", "<!"}} for each in lines]
    return len(bodies[0] & bodies[1]) / max(1, *map(len, bodies))
