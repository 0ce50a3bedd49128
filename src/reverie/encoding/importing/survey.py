"""What there is to import at a path, and as what each thing reads."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.encoding.importing.access import too_large, unreadable
from reverie.encoding.importing.kinds import (
    CHATGPT,
    CLAUDE,
    MARKDOWN,
    OBSIDIAN,
    OPENCLAW,
    known,
    related,
    size_limit,
)
from reverie.encoding.importing.walking import Heap, heap_of_zip, is_zip, look_at, walk
from reverie.errors import NotFoundError
from reverie.model.finding import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reverie.encoding.importing.found import Source

_DAILY = re.compile(r"(|.*/)memory/\d{4}-\d\d-\d\d[^/]*\.md")
_LONG_TERM = re.compile(r"(|.*/)MEMORY\.md")
_INSIDE = re.compile(r"(?=(?:^|/)memory/)")


class MissingSourceError(NotFoundError):
    """There is nothing to import where the user pointed."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"there is no file or folder {path}",
            hint="Check the path; it may be a file, a folder or a zip.",
        )


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a path saw: what can be read, what is left out, every name."""

    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    names: frozenset[str]


def look(path: Path, kind: str | None = None) -> Look:
    """What can be read at a path, in order of name; what is left out, and why.

    Args:
        path: A file, a folder or a zip.
        kind: What everything is to be read as; by default each thing's content
            and place tell.

    Raises:
        MissingSourceError: Nothing is there.
        UnknownKindError: There is no such kind.
    """
    asked = known(kind) if kind else ""
    if not _there(path):
        raise MissingSourceError(path)
    heap, alone = _heap(path)
    places = _Places(heap, path)
    sources, findings = [], list(heap.findings)
    for source in sorted(heap.sources, key=lambda s: s.name):
        chosen = _asked(source, asked, alone=alone) if asked else places.kind(source)
        fresh = replace(source, kind=chosen)
        if not chosen:
            findings += [_of_no_kind(source)] if alone else []
        elif source.size > size_limit(chosen):
            findings.append(too_large(fresh))
        else:
            sources.append(fresh)
    names = frozenset(source.name for source in heap.sources)
    return Look(tuple(sources), tuple(sorted(findings)), names)


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _heap(path: Path) -> tuple[Heap, bool]:
    """What stands at the path, and whether that is one single file."""
    if path.is_dir():
        return walk(path), False
    heap = Heap()
    if not path.is_file():
        mend = "Name a file, a folder or a zip."
        heap.remark(path.name, "is a device, pipe or socket", mend)
        return heap, True
    try:
        if is_zip(path):
            heap_of_zip(path, "", path, heap)
            return heap, False
        look_at(path, path.name, path.parent, heap)
    except OSError as error:
        heap.findings.append(unreadable(path.name, error))
    return heap, True


def _asked(source: Source, kind: str, *, alone: bool) -> str:
    """The kind the user asked for, where a source could be of it."""
    file = source.name.rpartition("/")[2].lower()
    export = file.startswith("conversations") and file.endswith(".json")
    unsure = not source.kind and export and kind in {CHATGPT, CLAUDE}
    return kind if alone or unsure or related(source.kind, kind) else ""


def _of_no_kind(source: Source) -> Finding:
    what = "does not look like anything that can be imported"
    mend = "Say which kind it is."
    return Finding(source.name, 0, what, mend, Severity.WARNING)


class _Places:
    """Folders that say more about a Markdown file than the file itself."""

    def __init__(self, heap: Heap, path: Path) -> None:
        folder = path if path.is_dir() else path.parent
        # A folder `memory` may itself be what the user named.
        self._above = "" if path.suffix == ".zip" else f"{folder.resolve().name}/"
        self._vaults = heap.vaults
        self._homes = frozenset(_homes(self._above + s.name for s in heap.sources))

    def kind(self, source: Source) -> str:
        """What a source reads as, where it stands."""
        if source.kind != MARKDOWN:
            return source.kind
        if self._openclaw(self._above + source.name):
            return OPENCLAW
        return OBSIDIAN if self._in_vault(source.name) else MARKDOWN

    def _openclaw(self, name: str) -> bool:
        long_term = _LONG_TERM.fullmatch(name)
        if long_term:
            return long_term[1] in self._homes
        cuts = (found.start() for found in _INSIDE.finditer(name))
        return any(name[:at] + "/" * bool(at) in self._homes for at in cuts)

    def _in_vault(self, name: str) -> bool:
        parts = name.split("/")
        above = ("/".join(parts[:n]) for n in range(len(parts)))
        return any(folder in self._vaults for folder in above)


def _homes(names: Iterable[str]) -> set[str]:
    """Workspaces of OpenClaw: above a dated `memory/` file, beside a `MEMORY.md`."""
    found = (_DAILY.fullmatch(name) or _LONG_TERM.fullmatch(name) for name in names)
    return {match[1] for match in found if match}
