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

from reverie.importers import walk
from reverie.importers.intake import Imported, SourceReader, screened, take_in
from reverie.model.change import INIT, Secrets
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie.encoding.placement import Desk
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


def beside(root: Path) -> SourceReader:
    """What lies in a folder as somebody's memory, outside of what the ledger keeps."""
    found: dict[str, walk.ImportSource] = {}
    findings = []
    places = [root] if (root / ".obsidian").is_dir() else []
    places += (root / name for name in (*_CLAUDE, _CLAUDE_AGENTS))
    for place in places:
        if place.is_symlink() or not place.exists():
            continue
        seen = walk.look(place, "obsidian" if place == root else "markdown")
        findings += seen.findings
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
