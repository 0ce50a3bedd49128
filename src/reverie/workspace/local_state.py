"""State files of this device in the user's state directory, and tombstones.

A link in the place of a state file is not followed, and only the user may read them.

A tombstone keeps an erased text from being learned again. It is a digest of the
text's words, keyed with the key of this device and cut short: it recognises the text,
and without the key it says nothing about it. It is never part of history.
"""

from __future__ import annotations

import hmac
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from reverie.authority.keyring import make_folders
from reverie.errors import RefusedError
from reverie.workspace import files
from reverie.workspace.lock import exclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie.authority.keyring import Keyring, Seal

_SEALED = b"\n# sealed "

STATE_NAMES = ("reflection", "windows", "questions", "spending", "tombstones")
"""Folders of state files."""

_SEALED_NAMES = ("reflection", "windows")
"""Folders whose files carried a seal while they were inside the workspace."""


class AlteredStateError(RefusedError):
    """A file of ours says what we did not write, or did not write last."""

    says = "{} {}, and is not believed"
    mend = "What it was about begins anew. If you did not do it, look who did."


class Drawer:
    """A folder of state files; their names come from us, never from outside.

    Args:
        state: The folder of all state files of the workspace.
        name: Name of this folder.
        lock_seconds: How long to wait for another process.
        mark: Where what a file says decides something: gives the seal of some bytes,
            so that nobody else's are believed. Where it gives none, nothing is.
        latest: Where a file that gives something away must not be put back later:
            knows its last version. Costs a few waits for the disk at each write.
    """

    def __init__(
        self,
        state: Path,
        name: str,
        lock_seconds: float,
        mark: Callable[[bytes], bytes] | None = None,
        latest: Keyring | None = None,
    ) -> None:
        self._folder = state / name
        self._name = name
        self._lock_seconds = lock_seconds
        self._mark = mark
        self._latest = latest

    def names(self, ending: str) -> list[str]:
        """The files with this ending, in the order of their names."""
        found: list[str] = []
        with self._file("lock") as path, suppress(FileNotFoundError):
            found = os.listdir(path.parent)
        return sorted(n for n in found if n.endswith(ending) and n[0] != ".")

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is none.

        Raises:
            AlteredStateError: Somebody else wrote it, or put an earlier version back.
        """
        before, where = None, str(self._folder / name)
        while (data := self._bytes(name)) is not None and self._mark is not None:
            said, _, _ = data.rpartition(_SEALED)
            sealed = self._sealed(name, said)
            if sealed == said + _SEALED + b"\n":
                return None  # without a key nothing is believed
            if not hmac.compare_digest(data, sealed):
                raise AlteredStateError(where, "was altered by somebody else")
            if self._latest is None or self._latest.allows(self._noted(name), data):
                return said
            if data == before:
                how = "is not as it was left last"
                raise AlteredStateError(where, how)
            # Somebody may be writing it.
            before = data
        return data

    def add_line(self, name: str, line: bytes, *, sync: bool) -> None:
        """Append a line with one write, beside anybody else who does.

        What a writer that was killed left unfinished stays a line of its own.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        with (
            self._file(name, make=True) as path,
            files.open_state(path, flags, files.LARGE) as descriptor,
        ):
            size = os.fstat(descriptor).st_size
            torn = size and os.pread(descriptor, 1, size - 1) != b"\n"
            whole = (b"\n" if torn else b"") + line + b"\n"
            if os.write(descriptor, whole) != len(whole):
                raise OSError(0, "the disk took only a part of a line")
            if sync:
                os.fsync(descriptor)

    def put(self, name: str, data: bytes) -> None:
        """Write a file, or replace it, in one step.

        Of one whose last version is noted elsewhere, only one process at a time.
        """
        whole = self._sealed(name, data)
        if self._latest is None:
            with self._file(name, make=True) as path:
                files.write_replacing(path, whole)
            return
        before = self._bytes(name)
        if before is None or not self._latest.allows(self._noted(name), before):
            before = whole
        # In this order, each on the disk before the next: whatever is there after a
        # kill or a power cut is one of those that are noted.
        self._latest.expect(self._noted(name), before, whole)
        with self._file(name, make=True) as path:
            files.write_replacing(path, whole, sync=True)
        self._latest.expect(self._noted(name), whole)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with self._file(name) as path, suppress(FileNotFoundError):
            os.unlink(path)
        if self._latest is not None:
            self._latest.retire(self._noted(name))

    @contextmanager
    def alone(self, purpose: str) -> Iterator[None]:
        """Keep other processes out of this folder while the block runs."""
        with self._file("lock", make=True) as path:
            pass
        with exclusive(path, seconds=self._lock_seconds, purpose=purpose):
            yield

    def _bytes(self, name: str) -> bytes | None:
        with self._file(name) as path:
            return files.read_state(path, files.LARGE)

    def _noted(self, name: str) -> str:
        return f"{self._name}/{name}"

    def _sealed(self, name: str, data: bytes) -> bytes:
        """What a file of this name says, with the line that says that we wrote it."""
        if self._mark is None:
            return data
        made = self._mark(f"{self._name}/{name}\0".encode() + data)
        return data + _SEALED + made.hex().encode("ascii") + b"\n"

    @contextmanager
    def _file(self, name: str, *, make: bool = False) -> Iterator[Path]:
        """The path of a file; what the system refuses is told in our words."""
        try:
            if make:
                make_folders(self._folder)
            yield self._folder / name
        except OSError as error:
            what = f"cannot use {self._folder}"
            raise files.DiskError(what, error) from error


def split_seal(
    folder: str, name: str, data: bytes, first: str, seal: Seal
) -> bytes | None:
    """Return the content of a state file of an earlier version, without its seal.

    Args:
        folder: Name of its folder.
        name: Name of the file.
        data: All of its bytes.
        first: First commit of the workspace, which the seal includes.
        seal: Checks the seal.

    Returns:
        The content; None if the file had to be sealed and its seal is not ours.
    """
    if folder not in _SEALED_NAMES:
        return data
    content, _, mark = data.rpartition(_SEALED)
    text = f"{folder}/{name}\0".encode() + content
    made = seal.mark(b"state 1 " + first.encode(), text).hex().encode("ascii")
    return content if made and hmac.compare_digest(mark.strip(), made) else None


# --- tombstones --------------------------------------------------------------


_HASH_DIGITS = 8  # hexadecimal; the rest of a hash is not kept
_ERASED, _DAMAGED = "erased.json", "erased.damaged.json"


class _Erased(msgspec.Struct):
    erased: dict[str, str]
    key: str = ""


class Tombstones:
    """The tombstones of one workspace.

    Args:
        state: The folder of its state files.
        key: Key of the digests, derived from the key of this device.
        lock_seconds: How long to wait for another process.
    """

    def __init__(self, state: Path, key: bytes, *, lock_seconds: float = 30.0) -> None:
        self._drawer = Drawer(state, "tombstones", lock_seconds)
        self._key = key
        self._content: bytes | None = None
        self._kept = _Erased({})
        self.problem = ""
        self._load()

    def day_of(self, words: str) -> str:
        """Return the day a text of these words was erased; empty if it was not."""
        self._load()
        found = self._kept.erased
        return next((found[m] for m in self._marks(words) if m in found), "")

    def add(self, texts: set[str], day: str) -> None:
        """Keep texts of these words from being learned again."""
        with self._drawer.alone("keeping tombstones"):
            self._load()
            if self.problem:
                self._drawer.put(_DAMAGED, self._content or b"")
            self._kept.erased |= {self._mark(words, self._key): day for words in texts}
            data = msgspec.json.format(msgspec.json.encode(self._kept), indent=1)
            self._drawer.put(_ERASED, data + b"\n")

    def _marks(self, words: str) -> Iterator[str]:
        """Return the digests of a text: with this key, and an earlier version's."""
        if self._kept.erased:
            yield self._mark(words, self._key)
            if self._kept.key:
                yield self._mark(words, self._kept.key.encode())

    @staticmethod
    def _mark(words: str, key: bytes) -> str:
        data = words.encode("utf-8", "replace")
        return hmac.new(key, data, "sha256").hexdigest()[:_HASH_DIGITS]

    def _load(self) -> None:
        """Read the file again if another process changed it."""
        try:
            data = self._drawer.read(_ERASED) or b""
        except (files.DiskError, files.NotAPlainFileError):
            self.problem = f"{_ERASED} cannot be read"
            return
        if data == self._content:
            return
        self._content, self._kept, self.problem = data, _Erased({}), ""
        try:
            if data:
                self._kept = msgspec.json.decode(data, type=_Erased)
        except msgspec.MsgspecError:
            self.problem = f"{_ERASED} is damaged: what was erased may be learned again"
