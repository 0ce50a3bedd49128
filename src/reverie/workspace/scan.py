"""Looking over the whole folder for what people changed."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.model.items import Finding, Severity
from reverie.workspace.files import Signature, signature
from reverie.workspace.layout import (
    AUDIT_LOG,
    CONFIG_FILES,
    GENERATED,
    TOP,
    alias_key,
    conflict_copy,
    is_safe,
    passing,
    tracked,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(slots=True)
class Look:
    """What one look at the folder saw.

    Attributes:
        files: Signature of every file the ledger keeps, by path.
        findings: What a person should know: links, copies, odd names.
    """

    files: dict[str, Signature] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def look(root: Path, *, file_limit: int) -> Look:
    """Stat every file of the workspace that the ledger keeps."""
    seen = Look()
    _look_into(str(root), "", seen, file_limit)
    for name in TOP:
        if (root / name).is_dir() and not (root / name).is_symlink():
            _descend(str(root / name), f"{name}/", seen, file_limit)
    return seen


def _descend(top: str, prefix: str, seen: Look, limit: int) -> None:
    pending = [(top, prefix)]
    while pending:
        folder, below = pending.pop()
        pending.extend(_look_into(folder, below, seen, limit))


def _look_into(
    folder: str, prefix: str, seen: Look, limit: int
) -> list[tuple[str, str]]:
    """Note the files of one folder; return the folders in it."""
    below = []
    # What is removed while we look is not there.
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if not passing(entry.name):
                    below.append((entry.path, f"{path}/"))
                    _remark_folder(path, seen)
                continue
            with suppress(FileNotFoundError):
                if entry.is_file(follow_symlinks=False) and tracked(path):
                    _note(path, entry.stat(follow_symlinks=False), seen, limit)
                else:
                    _remark(path, entry, seen)
    return below


def _note(path: str, status: os.stat_result, seen: Look, limit: int) -> None:
    if status.st_size > limit and path not in GENERATED:
        what = f"is {status.st_size:,} bytes, more than the ledger keeps ({limit:,})"
        mend = "Move it out of memory/, or raise ledger.file_limit."
        seen.findings.append(Finding(path, 0, what, mend, Severity.WARNING))
        return
    seen.files[path] = signature(status)


def _remark(path: str, entry: os.DirEntry[str], seen: Look) -> None:
    """Say why a thing below `memory/` or a root document is left out."""
    inside = path.startswith("memory/") or path.endswith(".md")
    if not (inside or path in CONFIG_FILES) or passing(entry.name):
        return
    mode = entry.stat(follow_symlinks=False).st_mode
    if conflict_copy(entry.name):
        what = "is a second copy made by a file synchroniser"
        mend = "Compare it with the original, keep what you want, delete the copy."
    elif stat.S_ISLNK(mode):
        what, mend = "is a symbolic link", "Links are not followed; put the file here."
    elif not stat.S_ISREG(mode):
        what, mend = "is a device, pipe or socket", "Move it out of the workspace."
    elif not is_safe(path):
        what, mend = "has a name that is not safe everywhere", "Rename it."
    else:
        return
    seen.findings.append(Finding(path, 0, what, mend, Severity.WARNING))


def _remark_folder(path: str, seen: Look) -> None:
    """Say that a folder has the name of a file."""
    if path.endswith(".md") or path in {*CONFIG_FILES, *GENERATED, AUDIT_LOG}:
        mend = "Move what is in it elsewhere; the file comes back with `reverie undo`."
        what = "is a folder where a file should be"
        seen.findings.append(Finding(path, 0, what, mend, Severity.WARNING))


def aliases(files: Iterable[str]) -> list[Finding]:
    """Names that are one file on a system that ignores case."""
    first: dict[str, str] = {}
    found = []
    for path in sorted(files):
        other = first.setdefault(alias_key(path), path)
        if other != path:
            what = f"has the same name as {other} on some systems"
            found.append(Finding(path, 0, what, "Rename one.", Severity.WARNING))
    return found
