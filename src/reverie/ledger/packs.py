"""Git's objects on the disk: made durable, packed; and git's own index kept fresh.

A commit is some eight objects, each a file. Syncing each costs more than all the rest
of a write. So they are written without, and their bytes go together into one redo log
that is synced before the ref moves. After a power cut the objects may come back empty;
they are then written again from the log. When the log is long, or a session ends, the
objects are synced in their own right and the log is emptied.

Packing is never part of a small write: it is done when a session closes, or in the
background.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pygit2
from pygit2.enums import FileMode, ObjectType

from reverie.errors import UnavailableError
from reverie.isolation import RUN_COMMAND, isolated_python
from reverie.ledger.git_folder import told
from reverie.workspace.files import HUGE, exists, open_state, read_state, write_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.ledger.repository import Repository

LONG = 16 << 20
"""Bytes from which on the redo log is emptied in between."""

PACK_FROM = 6_000
"""Loose objects worth packing; git's own figure is about the same."""

_RECORD = re.compile(rb"([1-4]) ([0-9a-f]{40}) ([0-9]{1,12})")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_LOOSE_FOLDER = re.compile(r"[0-9a-f]{2}")


def sync(*paths: Path) -> None:
    """Make sure that files' contents, or folders' names, are on the disk."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# --- the redo log ----------------------------------------------------------------


class RedoRecord(NamedTuple):
    """A git object as the log holds it."""

    kind: int
    id: str
    data: bytes


class RedoLog:
    """The log of one ledger: `redo` in its git directory."""

    def __init__(self, git_dir: Path, objects: Path) -> None:
        self._path = git_dir / "redo"
        self._objects = objects
        self._waiting: list[RedoRecord] = []
        self._mended = False

    def add(self, kind: int, id_: str, data: bytes) -> None:
        """Note an object that was written without being synced."""
        self._waiting.append(RedoRecord(kind, id_, data))

    def sync(self) -> None:
        """Make everything noted so far survive a power cut."""
        if not self._waiting:
            return
        parts = [
            b"%d %s %d\n%s" % (kind, id_.encode(), len(data), data)
            for kind, id_, data in self._waiting
        ]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with open_state(self._path, flags, HUGE) as descriptor:
            size = os.fstat(descriptor).st_size
            write_all(descriptor, b"".join([b"" if size else _boot(), *parts]))
            os.fsync(descriptor)
        if not size:
            sync(self._path.parent)
        self._waiting.clear()
        if size > LONG:
            self.settle()

    def settle(self) -> None:
        """Sync the objects themselves, and empty the log."""
        folders = set()
        for file in (self._file(kept.id) for kept in self._read()):
            with suppress(FileNotFoundError):
                sync(file)
                folders |= {file.parent, self._objects}
        sync(*folders)
        self.drop()

    def drop(self) -> None:
        """Empty the log; its objects are safe elsewhere."""
        self._waiting.clear()
        with suppress(FileNotFoundError):
            os.unlink(self._path)

    @property
    def suspect(self) -> bool:
        """Whether the log was begun before the machine was last started."""
        if not exists(self._path):
            return False
        boot = _boot()
        with open_state(self._path, os.O_RDONLY, HUGE) as descriptor:
            return not os.read(descriptor, len(boot)) == boot != b"unknown\n"

    def mend(self, git: pygit2.Repository) -> int:
        """After a power cut, write lost objects again; returns how many.

        As long as the machine has been up since the log was begun, no object can
        have been lost, and nothing is done. No process outlives a power cut, so
        one look per process is enough.
        """
        mended, self._mended = self._mended, True
        if mended or not self.suspect:
            return 0
        lost = 0
        for kind, id_, data in self._read():
            with suppress(KeyError, ValueError, pygit2.GitError):
                if git.read(id_) == (kind, data):
                    continue
            lost += 1
            with suppress(FileNotFoundError):
                os.unlink(self._file(id_))
            git.write(kind, data)
        self.settle()
        return lost

    def _file(self, id_: str) -> Path:
        return self._objects / id_[:2] / id_[2:]

    def _read(self) -> Iterator[RedoRecord]:
        """The objects in the log; one that is cut short, or not what it says, ends it.

        A kill may have cut it; anybody who can write there may have made it up.
        """
        data = read_state(self._path, HUGE) or b""
        at = data.find(b"\n") + 1
        while at < len(data):
            end = data.find(b"\n", at)
            found = _RECORD.fullmatch(data[at : max(at, end)])
            if found is None:
                return
            kind, id_, at = int(found[1]), found[2].decode("ascii"), end + 1
            content = data[at : at + int(found[3])]
            head = f"{ObjectType(kind).name.lower()} {int(found[3])}\0".encode()
            if hashlib.sha1(head + content, usedforsecurity=False).hexdigest() != id_:
                return
            yield RedoRecord(kind, id_, content)
            at += len(content)


def _boot() -> bytes:
    """The first line of the log: which boot of the machine it belongs to."""
    try:
        return _BOOT_ID.read_bytes()
    except OSError:
        return b"unknown\n"


# --- packs -----------------------------------------------------------------------


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
