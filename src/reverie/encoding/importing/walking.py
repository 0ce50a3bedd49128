"""Looking over a folder or a zip for what may be imported."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from reverie.encoding.importing.access import (
    UNREADABLE,
    head_of,
    unreadable,
    unzipped,
)
from reverie.encoding.importing.found import Source
from reverie.encoding.importing.kinds import HEAD, recognise
from reverie.encoding.importing.plain import plain
from reverie.model.finding import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zipfile import ZipFile, ZipInfo

VAULT_MARK = ".obsidian"
_LEFT_ASIDE = frozenset({"node_modules", "__macosx", "__pycache__"})
_LOCKED = 0x1
_ZIP_MARKS = frozenset({b"PK\x03\x04", b"PK\x05\x06"})


@dataclass(slots=True)
class Heap:
    """What was come upon so far.

    Attributes:
        sources: Every file, with the kind it looks like; empty if it looks like none.
        vaults: Folders with an `.obsidian` in them, relative to the root.
        findings: What was left out and should not have been silently.
    """

    sources: list[Source] = field(default_factory=list)
    vaults: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    def remark(self, name: str, what: str, mend: str) -> None:
        """Note that something is left out."""
        self.findings.append(Finding(name, 0, what, mend, Severity.WARNING))


def aside(name: str) -> bool:
    """Whether a file or folder of this name is never looked at."""
    return name.startswith(".") or name.casefold() in _LEFT_ASIDE


def walk(root: Path) -> Heap:
    """Look at every file below a folder; links are not followed."""
    heap = Heap()
    pending = [root]
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            heap.findings.append(unreadable(_relative(folder, root), error))
            continue
        pending += [entry for entry in entries if _stands(entry, root, heap)]
    return heap


def _stands(entry: Path, root: Path, heap: Heap) -> bool:
    """Note what an entry is; true for a folder to look into."""
    name = _relative(entry, root)
    try:
        mode = entry.lstat().st_mode
        if aside(entry.name):
            if entry.name == VAULT_MARK and stat.S_ISDIR(mode):
                heap.vaults.add(_relative(entry.parent, root))
            return False
        if stat.S_ISDIR(mode):
            return True
        if stat.S_ISLNK(mode):
            _remark_link(entry, root, heap)
        elif stat.S_ISREG(mode):
            look_at(entry, name, root, heap)
        else:
            heap.remark(name, "is a device, pipe or socket", "It is left out.")
    except OSError as error:
        heap.findings.append(unreadable(name, error))
    return False


def _remark_link(entry: Path, root: Path, heap: Heap) -> None:
    # What a link inside the root leads to is come upon anyway.
    try:
        inside = entry.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        inside = False
    if not inside:
        mend = "Import what it leads to by its own path."
        heap.remark(_relative(entry, root), "is a link that leaves the folder", mend)


def _relative(entry: Path, root: Path) -> str:
    name = entry.relative_to(root).as_posix()
    return "" if name == "." else plain(name)


def look_at(path: Path, name: str, root: Path, heap: Heap) -> None:
    """Note one file, or what is in it where it is a zip; raises OSError."""
    if path.suffix.lower() == ".zip":
        heap_of_zip(path, f"{name}/", root, heap)
        return
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    size = path.stat().st_size
    heap.sources.append(Source(path, recognise(head, name), name, root, size))


def is_zip(path: Path) -> bool:
    """Whether a file is a zip, whatever its name; raises OSError."""
    with path.open("rb") as stream:
        return stream.read(4) in _ZIP_MARKS or path.suffix.lower() == ".zip"


def heap_of_zip(path: Path, prefix: str, root: Path, heap: Heap) -> None:
    """Note every file inside a zip, without unpacking it."""
    try:
        archive = unzipped(path)
        for member in _members(archive, prefix, heap):
            _look_inside(archive, member, Source(path, "", prefix, root, 0), heap)
    except UNREADABLE as error:
        heap.findings.append(unreadable(prefix.rstrip("/") or path.name, error))


def _members(archive: ZipFile, prefix: str, heap: Heap) -> Iterator[ZipInfo]:
    # Of several with one name the last counts, as it does for everybody else.
    for member in {info.filename: info for info in archive.infolist()}.values():
        name = _slashed(member.filename)
        parts = PurePosixPath(name).parts
        if VAULT_MARK in parts:
            above = "/".join(parts[: parts.index(VAULT_MARK)])
            heap.vaults.add(f"{prefix}{above}".rstrip("/"))
        if not parts:
            mend = "The zip is damaged: make it again."
            heap.remark(f"{prefix}?", "is a file without a name", mend)
        elif ".." in parts or name.startswith("/"):
            mend = "It is left out: the zip was not made by an honest program."
            heap.remark(prefix + plain(name), "leads out of the zip", mend)
        elif not member.is_dir() and not any(map(aside, parts)):
            yield member


def _slashed(name: str) -> str:
    """A name as zips should have it; some programs write backslashes."""
    return name.replace("\\", "/")


def _look_inside(archive: ZipFile, member: ZipInfo, near: Source, heap: Heap) -> None:
    name = near.name + plain(_slashed(member.filename))
    if member.flag_bits & _LOCKED:
        heap.remark(
            name, "is locked with a password", "Unpack the zip and import that."
        )
        return
    if name.lower().endswith(".zip"):
        heap.remark(name, "is a zip inside a zip", "Unpack the outer one first.")
        return
    try:
        head = head_of(archive, member, HEAD)
    except UNREADABLE as error:
        heap.findings.append(unreadable(name, error))
        return
    kind = recognise(head, name)
    fresh = Source(near.path, kind, name, near.root, member.file_size, member.filename)
    heap.sources.append(fresh)
