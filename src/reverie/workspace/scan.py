"""Looking over the whole folder for what people changed."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct, field

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


class Look(Struct):
    """What one look at the folder saw.

    Attributes:
        files: Signature of every file the ledger keeps, by path.
        findings: What a person should know: links, copies, odd names.
    """

    files: dict[str, Signature] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def look(root: Path, *, file_limit: int) -> Look:
    """Stat every file of the workspace that the ledger keeps."""
    seen, pending = Look(), [""]
    while pending:
        below = pending.pop()
        # What is removed while we look is not there.
        with suppress(FileNotFoundError), os.scandir(f"{root}/{below}") as entries:
            for entry in entries:
                path, problem = below + entry.name, None
                with suppress(FileNotFoundError):
                    if entry.is_dir(follow_symlinks=False):
                        if below or entry.name in TOP:
                            pending += [] if passing(entry.name) else [f"{path}/"]
                        problem = _as_folder(path)
                    else:
                        kept = entry.is_file(follow_symlinks=False) and tracked(path)
                        status = entry.stat(follow_symlinks=False)
                        problem = _as_file(path, status, file_limit, kept=kept)
                        if kept and problem is None:
                            seen.files[path] = signature(status)
                if problem is not None:
                    seen.findings.append(Finding(path, 0, *problem, Severity.WARNING))
    return seen


def _as_file(
    path: str, status: os.stat_result, limit: int, *, kept: bool
) -> tuple[str, str] | None:
    """Why a thing below `memory/` or a root document is left out, and what to do."""
    if kept:
        if status.st_size <= limit or path in GENERATED:
            return None
        what = f"is {status.st_size:,} bytes, more than the ledger keeps ({limit:,})"
        return what, "Move it out of memory/, or raise ledger.file_limit."
    name = path.rpartition("/")[2]
    inside = path.startswith("memory/") or path.endswith(".md") or path in CONFIG_FILES
    if not inside or passing(name):
        return None
    if conflict_copy(name):
        mend = "Compare it with the original, keep what you want, delete the copy."
        return "is a second copy made by a file synchroniser", mend
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link", "Links are not followed; put the file here."
    if not stat.S_ISREG(status.st_mode):
        return "is a device, pipe or socket", "Move it out of the workspace."
    unsafe = ("has a name that is not safe everywhere", "Rename it.")
    return None if is_safe(path) else unsafe


def _as_folder(path: str) -> tuple[str, str] | None:
    """What is to be said of a folder that has the name of a file."""
    named = path.endswith(".md") or path in {*CONFIG_FILES, *GENERATED, AUDIT_LOG}
    mend = "Move what is in it elsewhere; the file comes back with `reverie undo`."
    return ("is a folder where a file should be", mend) if named else None


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
