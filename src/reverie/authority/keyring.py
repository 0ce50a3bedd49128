"""What is kept for one user outside of every workspace.

    ~/.local/share/reverie/
        seal.key                       the key that commits are sealed with
        workspaces/PLACE/owner         the hash of an owner's passphrase
        workspaces/PLACE/acknowledged  what its human has acknowledged
        workspaces/PLACE/newest        the newest change of its history
        workspaces/PLACE/latest/FILE   which versions of a state file may be there

A workspace is written by agents, cloned and mailed around; what proves that its
human agreed to something must not lie in it. `PLACE` stands for the folder the
workspace is in, so a copy elsewhere starts with nothing.

The environment names the keyring, and whoever starts us may have chosen that. So what
raises trust or gives allowance has to be known in the home of the user's account too,
as the password database names it, wherever that is theirs to write.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import secrets
import stat
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

KEY_BYTES = 32
MOST_BYTES = 1 << 20
"""A file of ours is never larger."""

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class KeyringError(UnavailableError):
    """What is kept outside of the workspace cannot be read or written."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"cannot use {path}: {why}",
            hint="It must be a plain file of your own, in a folder only you can write "
            "to. XDG_DATA_HOME names another folder.",
        )


def account_home() -> Path | None:
    """The home of the user's account, which no variable names; None without one."""
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return None


class Keyring:
    """The files of one user, for the workspaces in their places.

    Args:
        folder: Where it is.
        root: The workspace it is used for.
    """

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder = folder
        place = os.path.realpath(root)
        self.place = f"workspaces/{hashlib.sha256(os.fsencode(place)).hexdigest()[:32]}"
        self.inside = Path(os.path.realpath(folder)).is_relative_to(place)
        self.home: Keyring | None = None

    @classmethod
    def of(cls, environ: Mapping[str, str], root: Path) -> Keyring:
        """The keyring that the environment names, else the one in the user's home."""
        named, home = environ.get("XDG_DATA_HOME", ""), account_home()
        if not Path(named).is_absolute():
            named = str(Path(environ.get("HOME") or home or "/") / ".local/share")
        found = cls(Path(named) / "reverie", root)
        if home is not None:
            kept = cls(home / ".local/share/reverie", root)
            same = os.path.realpath(kept.folder) == os.path.realpath(found.folder)
            found.home = found if same else kept
        return found

    @cached_property
    def homeward(self) -> tuple[Keyring, ...]:
        """That of the user's own home, where it can be read, before this one."""
        home = self.home
        apart = home is not None and home is not self and not home.inside
        return (home, self) if home is not None and apart else (self,)

    @cached_property
    def both(self) -> tuple[Keyring, ...]:
        """This one, and that of the user's own home if it is another and usable.

        Where they have no home that is theirs to write, as in some containers, what
        the environment names is all there is.
        """
        if len(self.homeward) == 1:
            return (self,)
        home = self.homeward[0]
        top = home.folder.parents[2]
        try:
            ours = os.stat(top).st_uid == os.getuid() and os.access(top, os.W_OK)
        except OSError:
            ours = False
        return (self, home) if ours else (self,)

    def known(self, name: str) -> list[bytes | None]:
        """What is noted of this place, in each keyring that counts."""
        return [ring.read(f"{ring.place}/{name}") for ring in self.both]

    def believed(self, name: str) -> bytes | None:
        """What is noted of this place where it is believed most.

        That is the user's own home, if it knows the place at all.
        """
        ring = [each for each in self.both if each is self or each.knows_place][-1]
        return ring.read(f"{ring.place}/{name}")

    @property
    def knows_place(self) -> bool:
        """Whether anything is noted here of this place."""
        return (self.folder / self.place).is_dir()

    def note(self, name: str, data: bytes, *, first: bool = False) -> None:
        """Note something of this place, in each keyring that counts.

        Args:
            name: What the note is called.
            data: What it says.
            first: Whether the user's own home gets it although it knows nothing of
                this place yet: for what a human does.
        """
        for ring in self.both:
            if ring is self or first or ring.knows_place:
                ring.write(f"{ring.place}/{name}", data)

    def read(self, name: str) -> bytes | None:
        """A file of the keyring; None where there is none.

        Raises:
            KeyringError: It is a link, another user's, or too large to be ours.
        """
        path = self.folder / name
        self._require_outside(path)
        try:
            descriptor = os.open(path, _READ)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise KeyringError(path, error.strerror or str(error)) from error
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                raise KeyringError(path, "it is no plain small file")
            if status.st_uid not in {os.getuid(), 0}:
                raise KeyringError(path, "it belongs to another user")
            return os.read(descriptor, status.st_size)
        finally:
            os.close(descriptor)

    def write(self, name: str, data: bytes) -> None:
        """Replace a file of the keyring in one step, durable when this returns."""
        path = self.folder / name
        self._require_outside(path)
        self._put(path, data, os.replace)

    def _put(
        self, path: Path, data: bytes, name: Callable[[Path, Path], object]
    ) -> None:
        """Write a file aside and give it its name, durable when this returns."""
        aside = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            make_folders(path.parent)
            descriptor = os.open(aside, _NEW, 0o600)
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            with suppress(FileExistsError):
                # Somebody else may have been faster with a link.
                name(aside, path)
            with suppress(FileNotFoundError):
                os.unlink(aside)
            _sync(path.parent)
        except OSError as error:
            with suppress(OSError):
                os.unlink(aside)
            raise KeyringError(path, error.strerror or str(error)) from error

    def remove(self, name: str) -> None:
        """Remove a file of the keyring, if it is there."""
        path = self.folder / name
        self._require_outside(path)
        try:
            with suppress(FileNotFoundError):
                os.unlink(path)
        except OSError as error:
            raise KeyringError(path, error.strerror or str(error)) from error

    def seal_key(self) -> bytes:
        """The key that commits are sealed with, made at its first use."""
        found = self.read("seal.key")
        if found is None:
            key = secrets.token_bytes(KEY_BYTES)
            self._put(self.folder / "seal.key", key, os.link)
            found = self.read("seal.key") or b""
        if len(found) != KEY_BYTES:
            raise KeyringError(
                self.folder / "seal.key", f"it has not {KEY_BYTES} bytes"
            )
        return found

    def _require_outside(self, path: Path) -> None:
        if self.inside:
            raise KeyringError(path, "it lies inside of the workspace")


def make_folders(folder: Path | str) -> None:
    """Make a folder and those above it, each for its user alone."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        make_folders(os.path.dirname(folder))
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_FILE = "newest"
_LINE = re.compile(rb"([0-9a-f]{40}) (0\d{11})\n")
_LENGTH = 54
_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Newest(NamedTuple):
    """The newest change that is known of a place.

    Attributes:
        commit: Its id.
        at: When it was made.
    """

    commit: str
    at: datetime


class Anchor:
    """What the keyring knows of a history.

    Args:
        keyring: Where it is noted; None notes nothing, and knows of nothing.
    """

    def __init__(self, keyring: Keyring | None = None) -> None:
        self._keyring = keyring
        self._paths: tuple[str, ...] = ()
        if keyring is not None and not keyring.inside:
            rings = keyring.both
            self._paths = tuple(f"{r.folder}/{r.place}/{_FILE}" for r in rings)

    def known(self) -> list[Newest]:
        """The newest change, as each keyring knows it; none of a place that is new."""
        found: list[Newest] = []
        if self._keyring is not None:
            with suppress(KeyringError):
                notes = (_parsed(data or b"") for data in self._keyring.known(_FILE))
                found = [newest for newest in notes if newest]
        return list(dict.fromkeys(found))

    def move(
        self, newest: Newest, replaces: Callable[[str], bool], *, sync: bool = False
    ) -> None:
        """Note a newer change in the place of the one that is known.

        Args:
            newest: The change.
            replaces: Whether it takes the place of a known one. Where it does not, as
                in another history, what is known stays, to be told.
            sync: Whether to wait for the disk.
        """
        with self._files() as files:
            for file in files:
                was = _parsed(os.pread(file, _LENGTH, 0))
                now = newest if was is None or replaces(was.commit) else was
                line = f"{now.commit} {max(0, int(now.at.timestamp())):012}\n"
                os.pwrite(file, line.encode("ascii"), 0)
                if sync:
                    os.fsync(file)

    @contextmanager
    def _files(self) -> Iterator[list[int]]:
        """The opened notes; where none can be written, nothing is noted."""
        files: list[int] = []
        try:
            for path in self._paths:
                with suppress(OSError):
                    # The user's own home gets one where it knows the place.
                    if path == self._paths[0]:
                        make_folders(path.rpartition("/")[0])
                    files.append(os.open(path, _OPEN, 0o600))
            with suppress(OSError):
                yield files
        finally:
            for file in files:
                os.close(file)


def _parsed(data: bytes) -> Newest | None:
    found = _LINE.match(data)
    if found is None:
        return None
    return Newest(found[1].decode(), datetime.fromtimestamp(int(found[2]), UTC))


NO_ANCHOR = Anchor()


class Latest:
    """The versions of state files that may be there.

    Args:
        keyring: Where they are noted.
        root: The workspace.
    """

    def __init__(self, keyring: Keyring, root: Path) -> None:
        self._keyring = keyring
        self._root = root

    def allows(self, name: str, data: bytes) -> bool:
        """Whether a file may say this.

        Raises:
            KeyringError: What is noted cannot be read.
        """
        for note in self._keyring.known(_place(name)):
            folder, *digests = (note or b"").decode(
                "ascii", "replace"
            ).splitlines() or [""]
            if folder == f"folder {self._folder()}" and _digest(data) not in digests:
                return False
        return True

    def expect(self, name: str, *versions: bytes) -> None:
        """Note what a file may say from now on.

        Raises:
            KeyringError: That cannot be noted.
        """
        lines = (f"folder {self._folder()}", *map(_digest, versions))
        self._keyring.note(_place(name), "\n".join((*lines, "")).encode("ascii"))

    def retire(self, name: str) -> None:
        """Note that a file was removed, and none of its versions may come back.

        Raises:
            KeyringError: That cannot be noted.
        """
        if any(self._keyring.known(_place(name))):
            self.expect(name)

    def _folder(self) -> int:
        return os.stat(self._root).st_ino


def _place(name: str) -> str:
    return f"latest/{name.replace('/', '-')}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
