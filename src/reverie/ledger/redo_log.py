"""The redo log: many small git objects made durable with one sync.

A commit is some eight objects, each a file. Syncing each costs more than all
the rest of a write. So they are written without, and their bytes go together
into one redo log that is synced before the ref moves. After a power cut the
objects may come back empty; they are then written again from the log.
When the log is long, or a session ends, the objects are synced in their own
right and the log is emptied.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pygit2
from pygit2.enums import ObjectType

from reverie.workspace.files import HUGE, exists, open_state, read_state, write_all

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 16 << 20
"""Bytes from which on the log is emptied in between."""

_RECORD = re.compile(rb"([1-4]) ([0-9a-f]{40}) ([0-9]{1,12})")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


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
        parts = []
        for kept in self._waiting:
            parts += [f"{kept.kind} {kept.id} {len(kept.data)}\n".encode(), kept.data]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = open_state(self._path, flags, HUGE)
        try:
            size = os.fstat(descriptor).st_size
            begin = b"" if size else _head()
            write_all(descriptor, begin + b"".join(parts))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if not size:
            sync_folder(self._path.parent)
        self._waiting.clear()
        if size > LONG:
            self.settle()

    def settle(self) -> None:
        """Sync the objects themselves, and empty the log."""
        folders = set()
        for kept in self._read():
            file = self._file(kept.id)
            with suppress(FileNotFoundError):
                sync_file(file)
                folders.add(file.parent)
        for folder in folders:
            sync_folder(folder)
        if folders:
            sync_folder(self._objects)
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
        head = _head()
        descriptor = open_state(self._path, os.O_RDONLY, HUGE)
        try:
            return not os.read(descriptor, len(head)) == head != b"unknown\n"
        finally:
            os.close(descriptor)

    def mend(self, git: pygit2.Repository) -> int:
        """After a power cut, write lost objects again; returns how many.

        As long as the machine has been up since the log was begun, no object can
        have been lost, and nothing is done. No process outlives a power cut, so
        one look per process is enough.
        """
        if self._mended:
            return 0
        self._mended = True
        if not self.suspect:
            return 0
        lost = [kept for kept in self._read() if not _sound(git, kept)]
        for kept in lost:
            with suppress(FileNotFoundError):
                os.unlink(self._file(kept.id))
            git.write(kept.kind, kept.data)
        self.settle()
        return len(lost)

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
            found = _RECORD.fullmatch(data[at:end]) if end >= 0 else None
            if found is None:
                return
            kind, id_, size = int(found[1]), found[2].decode("ascii"), int(found[3])
            content = data[end + 1 : end + 1 + size]
            head = f"{ObjectType(kind).name.lower()} {len(content)}\0".encode()
            named = hashlib.sha1(head + content, usedforsecurity=False).hexdigest()
            if len(content) < size or named != id_:
                return
            yield RedoRecord(kind, id_, content)
            at = end + 1 + size


def sync_file(path: Path) -> None:
    """Make sure that a file's content is on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Make sure that a folder's names are on the disk."""
    sync_file(path)


def _head() -> bytes:
    """The first line of the log: which boot of the machine it belongs to."""
    try:
        return _BOOT_ID.read_bytes()
    except OSError:
        return b"unknown\n"


def _sound(git: pygit2.Repository, kept: RedoRecord) -> bool:
    """Whether the object can be read and is what its name says."""
    try:
        found = git.read(kept.id)
    except (KeyError, ValueError, pygit2.GitError):
        return False
    return found == (kept.kind, kept.data)
