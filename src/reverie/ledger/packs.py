"""Pack git's objects.

Never part of a small write: done when a session closes, or in the background.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pygit2

from reverie.errors import UnavailableError
from reverie.ledger.repository import told
from reverie.workspace.files import sync

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reverie.ledger.repository import Repository

MAX_PACK_OBJECTS = 20_000
"""Objects in one pack: a bound on the memory that packing takes."""

_LOOSE_FOLDER = re.compile(r"[0-9a-f]{2}")


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
    """Move loose objects into packs; return how many were moved.

    Each pack is complete before the next one is begun, so a run that is killed keeps
    what it has packed.
    """
    loose = loose_objects(repository.objects)
    names = [*loose]
    for start in range(0, len(names), MAX_PACK_OBJECTS):
        batch = names[start : start + MAX_PACK_OBJECTS]
        with told("cannot pack the ledger's objects"):
            builder = pygit2.PackBuilder(repository.git)
            for name in batch:
                builder.add(pygit2.Oid(hex=name))
            builder.write()
            sync_packs(repository.objects)
        _require_packed(repository.objects, batch)
        for name in batch:
            loose[name].unlink(missing_ok=True)
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
