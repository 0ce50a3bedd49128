"""Keep state of this machine in small files below the state folder, and tombstones.

Like the files of the workspace they are never followed through a link, and only
their owner may read them.

A tombstone remembers what was erased for good, only as something not to learn again:
a keyed hash of a text's words, cut short. It recognises the text when it comes again,
and says nothing of it to whoever reads the file. It lives beside the index and never
in history. Who deletes that folder lifts them.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.workspace.files import (
    LARGE,
    DiskError,
    NotAPlainFileError,
    open_state,
    read_state,
    require_own,
    write_replacing,
)
from reverie.workspace.layout import STATE_DIR
from reverie.workspace.lock import exclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie.authority.keyring import Keyring
    from reverie.workspace.files import Folder

_ADD = os.O_RDWR | os.O_CREAT | os.O_APPEND
_LOCK = "lock"
_UNSEALED = b"\n# sealed \n"


class AlteredStateError(RefusedError):
    """A file of ours says what we did not write, or did not write last."""

    def __init__(self, shown: str, how: str = "was altered by somebody else") -> None:
        super().__init__(
            f"{shown} {how}, and is not believed",
            hint="What it was about begins anew. If you did not do it, look who did.",
        )


class Drawer:
    """One such folder; the names of its files come from us, never from outside.

    Args:
        folder: The workspace.
        name: The folder's own name.
        lock_seconds: How long to wait for another process.
        mark: Where what a file says decides something: gives the seal of some bytes,
            so that nobody else's are believed. Where it gives none, nothing is.
        latest: Where a file that gives something away must not be put back later:
            knows its last version. Costs a few waits for the disk at each write.
    """

    def __init__(
        self,
        folder: Folder,
        name: str,
        lock_seconds: float,
        mark: Callable[[bytes], bytes] | None = None,
        latest: Keyring | None = None,
    ) -> None:
        self._folder = folder
        self._name = name
        self._lock_seconds = lock_seconds
        self._mark = mark
        self._latest = latest

    def names(self, ending: str) -> list[str]:
        """The files with this ending, in the order of their names."""
        room = self._path(_LOCK).parent
        found: list[str] = []
        with self._telling("look into"), suppress(FileNotFoundError):
            found = os.listdir(room)
        return sorted(n for n in found if n.endswith(ending) and n[0] != ".")

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is none.

        Raises:
            AlteredStateError: Somebody else wrote it, or put an earlier version back.
        """
        data = self._bytes(name)
        while data is not None and self._mark is not None:
            said = self._opened(name, data)
            if said is None or self._is_latest(name, data):
                return said
            again = self._bytes(name)
            if again == data:
                shown, how = f"{self._shown}/{name}", "is not as it was left last"
                raise AlteredStateError(shown, how)
            # Somebody was writing it.
            data = again
        return data

    def add_line(self, name: str, line: bytes, *, sync: bool) -> None:
        """Append a line with one write, beside anybody else who does.

        What a writer that was killed left unfinished stays a line of its own.
        """
        path = self._path(name, make=True)
        with self._telling("write"):
            descriptor = open_state(path, _ADD, LARGE)
            try:
                size = os.fstat(descriptor).st_size
                torn = size and os.pread(descriptor, 1, size - 1) != b"\n"
                whole = (b"\n" if torn else b"") + line + b"\n"
                if os.write(descriptor, whole) != len(whole):
                    raise OSError(0, "the disk took only a part of a line")
                if sync:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def put(self, name: str, data: bytes) -> None:
        """Write a file, or replace it, in one step.

        Of one whose last version is noted elsewhere, only one process at a time.
        """
        path = self._path(name, make=True)
        whole = data + self._seal(name, data)
        if self._latest is None:
            with self._telling("write"):
                write_replacing(path, whole)
            return
        before = self._bytes(name)
        stands = before is not None and self._is_latest(name, before)
        versions = (before, whole) if stands and before is not None else (whole,)
        # In this order, each on the disk before the next: whatever is there after a
        # kill or a power cut is one of those that are noted.
        self._latest.expect(self._noted(name), *versions)
        with self._telling("write"):
            write_replacing(path, whole, sync=True)
        self._latest.expect(self._noted(name), whole)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        path = self._path(name)
        with self._telling("remove"), suppress(FileNotFoundError):
            os.unlink(path)
        if self._latest is not None:
            self._latest.retire(self._noted(name))

    @contextmanager
    def alone(self, purpose: str) -> Iterator[None]:
        """Keep other processes out of this folder while the block runs."""
        path = self._path(_LOCK, make=True)
        with exclusive(path, seconds=self._lock_seconds, purpose=purpose):
            yield

    def _bytes(self, name: str) -> bytes | None:
        path = self._path(name)
        with self._telling("read"):
            return read_state(path, LARGE)

    def _is_latest(self, name: str, data: bytes) -> bool:
        return self._latest is None or self._latest.allows(self._noted(name), data)

    def _noted(self, name: str) -> str:
        return f"{self._name}/{name}"

    def _seal(self, name: str, data: bytes) -> bytes:
        """The line that says that we wrote a file of this name."""
        if self._mark is None:
            return b""
        made = self._mark(f"{self._name}/{name}\0".encode() + data)
        return b"\n# sealed " + made.hex().encode("ascii") + b"\n"

    def _opened(self, name: str, data: bytes) -> bytes | None:
        said, _, _ = data.rpartition(b"\n# sealed ")
        seal = self._seal(name, said)
        if seal == _UNSEALED:
            return None
        if not hmac.compare_digest(data, said + seal):
            shown = f"{self._shown}/{name}"
            raise AlteredStateError(shown)
        return said

    def _path(self, name: str, *, make: bool = False) -> Path:
        room = self._folder.root / STATE_DIR / self._name
        require_own(room / name)
        if make:
            with self._telling("make"):
                self._folder.state(self._name, name)
        return room / name

    @property
    def _shown(self) -> str:
        return f"{STATE_DIR}/{self._name}"

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            what = f"cannot {what} {self._shown}"
            raise DiskError(what, error) from error


# --- tombstones --------------------------------------------------------------


_HASH_DIGITS = 8  # hexadecimal; the rest of a hash is not kept

_ERASED, _DAMAGED = "erased.json", "erased.damaged.json"


class Tombstones:
    """The tombstones of one workspace.

    Args:
        folder: The workspace.
        lock_seconds: How long to wait for another process.
    """

    def __init__(self, folder: Folder, *, lock_seconds: float = 30.0) -> None:
        self._drawer = Drawer(folder, "tombstones", lock_seconds)
        self._seen: bytes = b""
        self._key, self._days = "", dict[str, str]()
        self.problem = ""
        self._load(self._read())

    def day_of(self, words: str) -> str:
        """The day a text of these words was erased; empty if it was not."""
        data = self._read()
        if data != self._seen:
            # Another process has laid something to rest.
            self._load(data)
        return self._days.get(self._mark(words), "") if self._days else ""

    def add(self, texts: set[str], day: str) -> None:
        """Keep texts of these words from being learned again."""
        with self._drawer.alone("keeping tombstones"):
            self._load(self._read())
            if self.problem:
                self._drawer.put(_DAMAGED, self._seen)
            self._key = self._key or secrets.token_hex(16)
            self._days |= {self._mark(words): day for words in texts}
            told = json.dumps({"key": self._key, "erased": self._days}, indent=1)
            self._drawer.put(_ERASED, f"{told}\n".encode())

    def _mark(self, words: str) -> str:
        data = words.encode("utf-8", "replace")
        return hmac.new(self._key.encode(), data, "sha256").hexdigest()[:_HASH_DIGITS]

    def _read(self) -> bytes:
        with suppress(DiskError, NotAPlainFileError):
            return self._drawer.read(_ERASED) or b""
        self.problem = f"{_ERASED} cannot be read"
        return b""

    def _load(self, data: bytes) -> None:
        """Take over the key and what it has marked."""
        self._seen, self._key, self._days = data, "", {}
        self.problem = ""
        if not data:
            return
        try:
            told = json.loads(data)
            erased = {str(mark): str(day) for mark, day in told["erased"].items()}
            self._key, self._days = str(told["key"]), erased
        except (ValueError, LookupError, AttributeError, TypeError):
            self.problem = f"{_ERASED} is damaged: what was erased may be learned again"
