"""Whose memory stands at a path, which files of it count, and which are always loaded.

It goes by names and places alone. What a Reverie workspace writes about itself (the
index of the graph, logs, archives, proposals, transcripts) is nobody's memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from reverie.encoding.importing import kinds
from reverie.encoding.importing.survey import look
from reverie.model.finding import Finding, Severity
from reverie.stores.semantic.pages import FACTS
from reverie.workspace import layout

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.encoding.importing.found import Source

REVERIE, OPENCLAW, CLAUDE_CODE = "reverie", "openclaw", "claude-code"
CODEX, OBSIDIAN, MARKDOWN = "codex", "obsidian", "markdown"

_READ = frozenset({kinds.MARKDOWN, kinds.OBSIDIAN, kinds.OPENCLAW, kinds.TEXT})
_OWN = (layout.EPISODES, layout.ENTITIES, layout.PROCEDURES, layout.VAULT)
_UNFILLED = re.compile(r"(?:[^:\n]{1,80}: )?\[[^\]\n]*\]")
_HOMES = {".claude": CLAUDE_CODE, ".codex": CODEX}
"""The folders in which agents keep their things, memories among them."""

_MEMORY = re.compile(r"/(?:agent-)?memor(?:y|ies)/|/(?:DREAMS|SKILL)\.md$")
_DAILY = re.compile(r"/memory/\d{4}-\d\d-\d\d[^/]*\.md$")

_BOOT = frozenset({"AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"})
_OURS = frozenset({layout.CORE, *layout.BOOT_FILES})
_LOADED = {REVERIE: _OURS, OPENCLAW: _BOOT | _OURS - {"BOOTSTRAP.md"}}
_FIRST_LINES, _FIRST_LETTERS = 200, 25_000
"""So much of its `MEMORY.md` Claude Code loads."""


# --- the files of a workspace, by their paths inside it ----------------------


def holds_memories(path: str) -> bool:
    """Whether a file has memories of ours."""
    inside = any(path.startswith(f"{folder}/") for folder in _OWN)
    return path == layout.CORE or (inside and path.endswith(".md"))


def is_memory(path: str, under: str, text: str) -> bool:
    """Whether what stands under a heading is a memory.

    The rest of an entity's page is made of its facts; core memory has lines that
    nobody has filled in yet.
    """
    if path == layout.CORE:
        return not _UNFILLED.fullmatch(text)
    return not path.startswith(f"{layout.ENTITIES}/") or under == FACTS


def realm(path: str) -> str:
    """What the memories of a file may be duplicates of; all else is apart.

    A workspace keeps the episode beside the fact that was learned from it, says the
    same of two people on two pages, and has one step in two procedures.
    """
    if path.startswith((f"{layout.ENTITIES}/", f"{layout.PROCEDURES}/")):
        return path
    return next((own for own in _OWN if path.startswith(f"{own}/")), "")


# --- any folder --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Folder:
    """What stands at a path: whose it is, every name, what counts, what does not.

    It may be a part of a Reverie workspace; `inside` is the way to it, with a slash.
    """

    root: Path
    store: str
    inside: str
    names: frozenset[str]
    sources: tuple[Source, ...] = ()
    left_out: tuple[Finding, ...] = ()

    def own(self, name: str) -> str:
        """The path of a file in the Reverie workspace it is part of, or nothing."""
        return self.inside + name if self.store == REVERIE else ""

    def loaded(self, name: str, text: str) -> str:
        """What of a file an agent reads whenever it starts."""
        file = PurePosixPath(name).name
        if not self._boots(file) or "/" in self.own(name):
            return ""
        if self.store != CLAUDE_CODE or file != layout.CORE:
            return text
        return "\n".join(text[:_FIRST_LETTERS].split("\n")[:_FIRST_LINES])

    def _boots(self, file: str) -> bool:
        return file in _LOADED.get(self.store, _BOOT | {layout.CORE})

    def counts(self, source: Source) -> bool:
        """Whether memories are to be expected in a file of this name."""
        name, own = source.name, self.own(source.name)
        if own:
            return holds_memories(own) or ("/" not in own and own.endswith(".md"))
        if source.kind not in _READ or "." not in PurePosixPath(name).name:
            return False
        if self.store in {OBSIDIAN, MARKDOWN} or self._boots(PurePosixPath(name).name):
            return True
        around = self.root.name if self.store == OPENCLAW else self.root.as_posix()
        return bool(_MEMORY.search(f"/{around}/{name}"))


def look_over(path: Path) -> Folder:
    """Find out what stands at a path: a folder, a file or a zip.

    Raises:
        MissingSourceError: Nothing is there.
    """
    seen = look(path)
    whole = path.resolve()
    root = whole if whole.is_dir() else whole.parent
    inside = _inside_ours(root)
    store = REVERIE if inside is not None else _store(root, seen.sources)
    found = Folder(root, store, inside or "", seen.names)
    sources = tuple(filter(found.counts, seen.sources))
    if not sources and store != REVERIE:
        found = replace(found, store=MARKDOWN)
        sources = tuple(filter(found.counts, seen.sources))
    left_out = [replace(each, mend="") for each in seen.findings]
    others = len(seen.sources) - len(sources)
    if others:
        what = f"files that are no memories: {others:,}"
        left_out.append(Finding("", 0, what, severity=Severity.NOTE))
    return replace(found, sources=sources, left_out=tuple(left_out))


def _inside_ours(root: Path) -> str | None:
    for folder in (root, *root.parents):
        inside = root.relative_to(folder).as_posix()
        ours = inside == "." or inside.partition("/")[0] in layout.TOP
        if ours and (folder / layout.GIT_DIR / "HEAD").is_file():
            return "" if inside == "." else f"{inside}/"
    return None


def _store(root: Path, sources: tuple[Source, ...]) -> str:
    """Whose memory it is that is not ours, by the names around and in it."""
    names = [f"/{root.name}/{source.name}" for source in sources]
    souls = {"AGENTS.md", "SOUL.md"} <= {PurePosixPath(name).name for name in names}
    home = next((_HOMES[part] for part in root.parts if part in _HOMES), "")
    if not home and (souls or any(map(_DAILY.search, names))):
        return OPENCLAW
    vault = any(source.kind == kinds.OBSIDIAN for source in sources)
    return home or (OBSIDIAN if vault else MARKDOWN)
