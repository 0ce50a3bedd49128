"""Pack git's objects, and keep git's own index fresh for people.

Never part of a small write: done when a session closes, or in the background.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import FileMode

from reverie.errors import UnavailableError
from reverie.isolation import RUN_COMMAND, isolated_python
from reverie.ledger.git_folder import sync, told

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reverie.ledger.repository import Repository

PACK_FROM = 6_000
"""Loose objects worth packing; git's own figure is about the same."""

_LOOSE_FOLDER = re.compile(r"[0-9a-f]{2}")


def tidy_in_background(root: Path) -> None:
    """Start a process that packs and refreshes while nobody waits for it."""
    subprocess.Popen(
        isolated_python(RUN_COMMAND, "tidy", str(root), away_from=root),
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


def many_loose(objects: Path) -> bool:
    """Whether packing is due, judged by one folder of 256 as git does."""
    sample = objects / "17"
    return sample.is_dir() and len(os.listdir(sample)) * 256 > PACK_FROM


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
        _sync_packs(repository.objects)
    _require_packed(repository.objects, loose)
    for file in loose.values():
        file.unlink(missing_ok=True)
    return len(loose)


def pack_history(repository: Repository, head: str) -> frozenset[str]:
    """Write one new pack with all that a commit's history needs.

    Returns:
        Names of the files the pack is made of.
    """
    folder = repository.objects / "pack"
    folder.mkdir(exist_ok=True)
    with told("cannot pack the ledger's objects"):
        builder = pygit2.PackBuilder(repository.git)
        for commit in repository.walk(head):
            builder.add_recur(pygit2.Oid(hex=commit.id))
        # Apart from the others, so that there is no doubt which one it is.
        apart = repository.objects / "new-pack"
        shutil.rmtree(apart, ignore_errors=True)
        apart.mkdir()
        builder.write(str(apart))
        names = frozenset(file.name for file in apart.iterdir())
        for name in sorted(names, reverse=True):  # the index after what it is of
            os.replace(apart / name, folder / name)
        apart.rmdir()
        _sync_packs(repository.objects)
    return names


def _sync_packs(objects: Path) -> None:
    """Make sure that packs survive a power cut before anything else goes."""
    sync(*(objects / "pack").iterdir(), objects / "pack", objects)


def drop_all_but(repository: Repository, pack: frozenset[str]) -> int:
    """Remove every other file of the object store; returns how many.

    That is loose objects, packs, what a killed writer left, and what git derived.
    """
    files = [file for file in repository.objects.rglob("*") if file.is_file()]
    doomed = [file for file in files if file.name not in pack]
    for file in doomed:
        file.chmod(0o600)
        file.unlink()
    return len(doomed)


def _require_packed(objects: Path, names: Iterable[str]) -> None:
    """Read back: every object must be in a pack before its loose file goes."""
    store = pygit2.Odb()
    store.add_backend(pygit2.OdbBackendPack(str(objects)), 1)
    missing = sum(pygit2.Oid(hex=name) not in store for name in names)
    if missing:
        what = f"a new pack lacks {missing} objects; the old ones were kept"
        hint = "Nothing is lost. Check the disk, then try again."
        raise UnavailableError(what, hint=hint)


def refresh_git_index(repository: Repository) -> int:
    """Bring git's own index to HEAD, so that plain `git status` is clean.

    Returns:
        How many entries were behind.
    """
    head = repository.head
    if not head or (repository.path / "index.lock").exists():
        # A person's git command is at work, or was killed; git will tell them.
        return 0
    with told("cannot refresh git's index"):
        index = repository.git.index
        index.read()
        tree = repository.git[head].peel(pygit2.Tree)
        if not len(index):
            index.read_tree(tree)
            index.write()
            return len(index)
        behind = {delta.new_file.path for delta in index.diff_to_tree(tree).deltas}
        for path in behind:
            if path in tree:
                index.add(pygit2.IndexEntry(path, tree[path].id, FileMode.BLOB))
            else:
                index.remove(path)
        if behind:
            index.write()
        return len(behind)
