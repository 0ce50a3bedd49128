"""Pack git's objects.

Never part of a small write: done when a session closes, or in the background.
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pygit2

from reverie.errors import UnavailableError
from reverie.isolation import RUN_COMMAND, isolated_python
from reverie.ledger.repository import told
from reverie.workspace.files import sync

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reverie.ledger.repository import Repository

_LOOSE_FOLDER = re.compile(r"[0-9a-f]{2}")


def tidy_in_background(root: Path, *, ended: bool = False) -> None:
    """Start a process that packs and refreshes while nobody waits for it.

    Args:
        root: The workspace.
        ended: Whether a session has ended.
    """
    words = (RUN_COMMAND, "tidy", str(root), *(("--ended",) if ended else ()))
    subprocess.Popen(
        isolated_python(*words, away_from=root),
        cwd=os.sep,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def loose_objects(objects: Path) -> dict[str, Path]:
    """Objects that lie in a file each, by id."""
    return {
        folder.name + file.name: file
        for folder in objects.iterdir()
        if _LOOSE_FOLDER.fullmatch(folder.name)
        for file in folder.iterdir()
        if len(file.name) == 38
    }


def pack_loose(repository: Repository) -> int:
    """Move loose objects into a pack; returns how many."""
    loose = loose_objects(repository.objects)
    if not loose:
        return 0
    with told("cannot pack the ledger's objects"):
        builder = pygit2.PackBuilder(repository.git)
        for name in loose:
            builder.add(pygit2.Oid(hex=name))
        builder.write()
        sync_packs(repository.objects)
    _require_packed(repository.objects, loose)
    for file in loose.values():
        file.unlink(missing_ok=True)
    return len(loose)


def sync_packs(objects: Path) -> None:
    """Make sure that packs survive a power cut before anything else goes."""
    sync(*(objects / "pack").iterdir(), objects / "pack", objects)


def _require_packed(objects: Path, names: Iterable[str]) -> None:
    """Read back: every object must be in a pack before its loose file goes."""
    store = pygit2.Odb()
    store.add_backend(pygit2.OdbBackendPack(str(objects)), 1)
    missing = sum(pygit2.Oid(hex=name) not in store for name in names)
    if missing:
        what = f"a new pack lacks {missing} objects; the old ones were kept"
        hint = "Nothing is lost. Check the disk, then try again."
        raise UnavailableError(what, hint=hint)
