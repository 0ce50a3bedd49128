"""Adopt a folder: bring in what lies beside the stores, offer what lies elsewhere.

Markdown that the ledger keeps is read where it stands (`stores.notes`). The notes of an
Obsidian vault and the memory of Claude Code stand in other folders: they are imported.
What is not in the folder at all is only listed by its name, and never read unasked.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie.encoding.placement import put_on_top, read_over
from reverie.importers import walk
from reverie.importers.intake import Imported, SourceReader, screened, take_in
from reverie.model.change import INIT, Action, Approval, ChangeSet, Secrets, edit_of
from reverie.model.items import Entity, Finding, Link, Severity
from reverie.stores.ended_links import Pages
from reverie.stores.entities import (
    add_link,
    default_label,
    new_entity,
    parse_entity,
    render_entity,
)
from reverie.stores.reader import decode, load_vocabulary
from reverie.stores.relations import ends, parse_graph_edges, parse_graph_rows
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie.encoding.placement import Desk
    from reverie.model.change import Edit, Receipt
    from reverie.session.session import Session

MOST_COUNTED = 10_000
"""Files of one folder are counted up to here."""

_CLAUDE = (".claude/CLAUDE.md", ".claude/rules", ".claude/memory")
_CLAUDE_AGENTS = ".claude/agent-memory"


class Unread(Struct, frozen=True):
    """Something that could be imported, and was not read.

    Attributes:
        what: What it seems to be.
        count: How many files it has.
        path: What to import.
        kind: What to read it as; empty if it tells by itself.
    """

    what: str
    count: int
    path: str
    kind: str = ""


def adopt(
    session: Session,
    desk: Callable[[], Desk],
    forgotten: Callable[[str], bool],
    progress: Callable[[int, int, int], None],
) -> Imported:
    """Import what lies in the folder and is not read where it stands."""
    reading = beside(session.root)
    if not reading.sources:
        return Imported(findings=reading.findings)

    def tell(count: int) -> None:
        progress(reading.done, reading.size, count)

    found = screened(reading.things(), Secrets.REDACT, INIT, forgotten)
    return take_in(session, found, desk, INIT, tell)


def adopt_edges(session: Session) -> Receipt | None:
    """Put the edges that only an adopted `graph/index.md` states on entity pages.

    That file is generated from the pages from now on, so it would lose them. A page is
    made for an entity that has edges and none.
    """
    data = session.ledger.read(layout.GRAPH_INDEX)
    text, _ = decode(data or b"", layout.GRAPH_INDEX)
    session.sync()
    words = load_vocabulary(session.ledger.read(layout.RELATIONS))
    known = {(e.origin, e.relation, e.target) for e in session.index.edges()}
    edits: dict[str, Edit] = {}
    today = session.clock().date()
    pages = Pages(read_over(edits, session.ledger.read), session.place, today)
    labels = {row.id: row.label for row in parse_graph_rows(text)}
    for edge in parse_graph_edges(text):
        if ends(edge.origin, edge.relation, edge.target, words) in known:
            continue
        path, old, page = pages.find(edge.origin)
        if page is None:
            kind, _, slug = edge.origin.partition("--")
            label = labels.get(edge.origin) or default_label(slug)
            made = Entity(kind, slug, label, created=edge.first_seen or today)
            page = parse_entity(new_entity(made), path)
        since, sure = edge.first_seen, edge.confidence
        link = Link(edge.relation, (edge.target,), since, confidence=sure)
        new = render_entity(add_link(page, link))
        action = Action.EDIT if old else Action.CREATE
        why = f"{edge.relation} {edge.target}, from {layout.GRAPH_INDEX}"
        put_on_top(edits, [edit_of(path, old, new, action, why)])
    if not edits:
        return None
    change = ChangeSet(tuple(edits.values()), INIT, Approval.AUTO, "reverie init")
    return session.commit(change)


def beside(root: Path) -> SourceReader:
    """What lies in a folder as somebody's memory, outside of what the ledger keeps."""
    found: dict[str, walk.ImportSource] = {}
    findings: list[Finding] = []
    places = [root] if (root / ".obsidian").is_dir() else []
    places += (root / name for name in (*_CLAUDE, _CLAUDE_AGENTS))
    for place in places:
        if place.is_symlink() or not place.exists():
            continue
        seen = walk.look(place, "obsidian" if place == root else "markdown")
        # A folder that is adopted has files of many other kinds.
        findings += (f for f in seen.findings if f.severity is not Severity.NOTE)
        above = place if place.is_dir() else place.parent
        inside = above.relative_to(root).as_posix()
        for source in seen.sources:
            name = f"{inside}/{source.name}".removeprefix("./")
            if not layout.tracked(name) and not name.startswith(tuple(_OWN)):
                found[name] = replace(source, name=name, secrets=Secrets.REDACT)
    size = sum(source.size for source in found.values())
    return SourceReader(list(found.values()), findings, size)


_OWN = [f"{name}/" for name in (layout.GIT_DIR, layout.STATE_DIR, *layout.TOP)]


def find_elsewhere(root: Path, home: Path) -> Iterator[Unread]:
    """What its human could import besides, by its names alone."""
    vault = (root / ".obsidian").is_dir()
    for folder in () if vault else _folders(root):
        if count := _count(folder, ".md", deep=True):
            yield Unread(f"notes in {folder.name}/", count, str(folder))
    # Claude Code names a project by its path.
    project = re.sub(r"[^A-Za-z0-9]", "-", str(root.resolve()))
    claude = home / ".claude" / "projects" / project
    places = (
        ("Claude Code's memory of this folder", claude / "memory", ".md", ""),
        ("Claude Code's sessions in this folder", claude, ".jsonl", "claude-code"),
        ("OpenClaw's workspace", home / ".openclaw" / "workspace", ".md", ""),
        ("Codex's memories", home / ".codex" / "memories", ".md", ""),
    )
    for what, place, ending, kind in places:
        inside = place.resolve() == root.resolve() or root.resolve() in place.parents
        if not inside and (count := _count(place, ending, deep=ending == ".md")):
            yield Unread(what, count, str(place), kind)


def _folders(root: Path) -> list[Path]:
    """The folders that are no part of the workspace, by name."""
    with suppress(OSError):
        return sorted(
            entry
            for entry in root.iterdir()
            if entry.is_dir()
            and not entry.is_symlink()
            and not walk.aside(entry.name)
            and entry.name not in layout.TOP
        )
    return []


def _count(folder: Path, ending: str, *, deep: bool) -> int:
    """How many files a folder has whose names end so."""
    count = 0
    for _, below, files in os.walk(folder):
        below[:] = [name for name in below if deep and not walk.aside(name)]
        count += sum(name.endswith(ending) for name in files)
        if count >= MOST_COUNTED:
            break
    return count
