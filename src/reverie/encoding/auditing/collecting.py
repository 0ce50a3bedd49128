"""From a path to the memories that stand there, whoever wrote them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from reverie.encoding.auditing.cutting import BETWEEN, cut_markdown, is_talk
from reverie.encoding.auditing.own import holds_memories, read_own
from reverie.encoding.auditing.sheets import Held, Holdings, Sheet, line_starts
from reverie.encoding.importing import kinds
from reverie.encoding.importing.access import UNREADABLE, modified, opened, unreadable
from reverie.encoding.importing.days import day_in_name
from reverie.encoding.importing.front_matter import parse_front_matter
from reverie.encoding.importing.plain import decode
from reverie.encoding.importing.survey import look
from reverie.model.finding import Finding, Severity
from reverie.model.origin import Origin
from reverie.secrets import find_secrets
from reverie.stores.core.blocks import HEADINGS
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date
    from pathlib import Path

    from reverie.encoding.importing.found import Source

REVERIE, OPENCLAW, CLAUDE_CODE = "reverie", "openclaw", "claude-code"
CODEX, OBSIDIAN, MARKDOWN = "codex", "obsidian", "markdown"

LARGEST = 10_000_000
"""Bytes; what is larger is no file of memories."""

_CHATS = frozenset({kinds.CHATGPT, kinds.CLAUDE, kinds.CLAUDE_CODE})
_BOOT = frozenset(
    (
        *("agents.md", "soul.md", "identity.md", "tools.md", "heartbeat.md"),
        *("boot.md", "bootstrap.md", "claude.md", "claude.local.md", "gemini.md"),
        *("skill.md", ".cursorrules", "copilot-instructions.md"),
    )
)
"""Files by which a human steers the agent, in small letters."""

_LOADED = (_BOOT - {"skill.md", "bootstrap.md", "boot.md"}) | {"memory.md", "user.md"}
_AGENTS = {
    CLAUDE_CODE: (".claude", ("projects", "agent-memory")),
    CODEX: (".codex", ("memories",)),
}
"""The folder in which an agent keeps its things, and what of it leads to memories."""

_MEMORY_FOLDERS = {
    CLAUDE_CODE: re.compile(r"/(?:agent-)?memory/"),
    CODEX: re.compile(r"/memories/"),
    OPENCLAW: re.compile(r"/(?:MEMORY|USER|DREAMS)\.md$|/memory/"),
}
_BLOCKS = frozenset(heading.casefold() for heading in HEADINGS.values())
_KEPT = tuple(f"{folder}/" for folder in layout.TOP)
_IMPORTED = re.compile(r"(?:^|/)imports?/")


@dataclass(frozen=True, slots=True)
class _Where:
    """What stands at a path: the kind of store, and where it is in a workspace.

    Attributes:
        store: The kind of store.
        prefix: The path inside the Reverie workspace around it, with a slash.
        root: The folder.
    """

    store: str
    prefix: str
    root: Path


def collect(path: Path, progress: Callable[[int, int], None]) -> Holdings:
    """Read all memories at a path: a store's folder, part of one, a file or a zip.

    Raises:
        MissingSourceError: Nothing is there.
    """
    seen = look(path)
    where = _where(path, seen.sources)
    holdings = Holdings(where.store)
    holdings.left_out += (replace(found, mend="") for found in seen.findings)
    others = 0
    for done, source in enumerate(seen.sources, 1):
        if source.kind in _CHATS:
            holdings.conversations += 1
        elif _is_memory(source, where):
            _read(source, where, holdings)
        else:
            others += 1
        progress(done, len(seen.sources))
    holdings.left_out.sort()
    if others and where.store != REVERIE:
        what = f"files that are no memories: {others:,}"
        holdings.left_out.append(Finding("", 0, what, severity=Severity.NOTE))
    return holdings


def _where(path: Path, sources: tuple[Source, ...]) -> _Where:
    whole = path.resolve()
    root = whole if whole.is_dir() else whole.parent
    for folder in (root, *root.parents):
        inside = root.relative_to(folder).as_posix()
        ours = inside == "." or inside.partition("/")[0] in layout.TOP
        if ours and (folder / layout.GIT_DIR / "HEAD").is_file():
            return _Where(REVERIE, "" if inside == "." else f"{inside}/", root)
    store = _store(whole, [f"{root.name}/{source.name}" for source in sources])
    if store == MARKDOWN and any(s.kind == kinds.OBSIDIAN for s in sources):
        store = OBSIDIAN
    return _Where(store, "", root)


def _store(whole: Path, names: list[str]) -> str:
    """The kind of a store that is not ours, by the names around and in it."""
    parts = whole.parts
    for store, (mark, folders) in _AGENTS.items():
        below = parts[parts.index(mark) + 1 :] if mark in parts else ("",)
        if not below or below[0] in folders:
            return store
    files = {PurePosixPath(name).name for name in names}
    daily = any(re.search(r"(^|/)memory/\d{4}-\d\d-\d\d[^/]*\.md$", n) for n in names)
    souls = {"AGENTS.md", "SOUL.md"} <= files
    return OPENCLAW if daily or souls else MARKDOWN


def _read(source: Source, where: _Where, holdings: Holdings) -> None:
    """Read one file, or note why it was not."""
    if source.size > LARGEST:
        what = f"is larger than what is audited ({LARGEST:,} bytes)"
        _leave_out(source, what, holdings)
        return
    try:
        with opened(source) as stream:
            data = stream.read(LARGEST + 1)
        changed = modified(source)
    except UNREADABLE as error:
        holdings.left_out.append(unreadable(source.name, error))
        return
    _take(source, data, where, holdings, changed.date() if changed else None)


def _is_memory(source: Source, where: _Where) -> bool:
    """Whether memories are to be expected in a file of this name."""
    name = where.prefix + source.name
    if where.store == REVERIE:
        at_top = "/" not in name
        written = name.startswith(("memory/meta/", "memory/graph/"))
        kept = name.endswith(".md") and (at_top or name.startswith(_KEPT))
        return holds_memories(name) or (kept and not written)
    if source.kind == kinds.TEXT:
        return "." in PurePosixPath(name).name
    if source.kind == kinds.PDF:
        return False
    folders = _MEMORY_FOLDERS.get(where.store)
    boot = PurePosixPath(name).name.lower() in _BOOT
    around = where.root.name if where.store == OPENCLAW else where.root.as_posix()
    return boot or not folders or bool(folders.search(f"/{around}/{name}"))


def _take(
    source: Source, data: bytes, where: _Where, holdings: Holdings, changed: date | None
) -> None:
    text = _text(data)
    own = where.prefix + source.name
    if text is None:
        _leave_out(source, "is not text", holdings)
    elif not text.strip():
        _leave_out(source, "is empty", holdings, Severity.NOTE)
    elif is_talk(text) or own.startswith(f"{layout.CONVERSATIONS}/"):
        holdings.conversations += 1
    else:
        sheet = _sheet(source.name, text, changed)
        holdings.sheets.append(sheet)
        ours = where.store == REVERIE and holds_memories(own)
        holdings.memories += _ours(sheet, own) if ours else _theirs(sheet)
        if ours and own == layout.CORE:
            # A person's own sections are no blocks, and hold memories all the same.
            holdings.memories += (h for h in _theirs(sheet) if not _in_block(h))


def _in_block(held: Held) -> bool:
    return not _BLOCKS.isdisjoint(held.heading.casefold().split(BETWEEN))


def _leave_out(
    source: Source, what: str, holdings: Holdings, severity: Severity = Severity.WARNING
) -> None:
    holdings.left_out.append(Finding(source.name, 0, what, severity=severity))


def _text(data: bytes) -> str | None:
    """The text of a file with all that is invisible in it; None if it is no text."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text, odd = decode(data)
        return None if odd and b"\0" in data else text
    return None if "\0" in text else text


def _sheet(name: str, text: str, changed: date | None) -> Sheet:
    file = PurePosixPath(name)
    day = parse_front_matter(text).at or day_in_name(name)
    boot = file.name.lower() in _BOOT
    loaded = file.name.lower() in _LOADED
    return Sheet(
        name,
        text,
        line_starts(text),
        find_secrets(text),
        boot,
        loaded,
        "" if loaded or day_in_name(name) else file.stem.casefold(),
        day.date() if day else None,
        changed,
    )


def _theirs(sheet: Sheet) -> Iterator[Held]:
    ends = (*sheet.starts, len(sheet.text))
    origin = Origin.IMPORT if _IMPORTED.search(sheet.path) else Origin.OWNER
    for cut in cut_markdown(sheet.text):
        yield Held(
            sheet,
            ends[cut.first],
            ends[cut.end],
            cut.text,
            cut.heading,
            cut.day or sheet.day,
            origin,
            leads=cut.leads,
        )


def _ours(sheet: Sheet, path: str) -> Iterator[Held]:
    for own in read_own(path, sheet.text):
        start = sheet.starts[own.line - 1]
        yield Held(
            sheet,
            start,
            start + len(own.raw),
            own.text,
            day=own.day,
            origin=own.origin,
            subject=own.subject,
            lasting=own.lasting,
        )
