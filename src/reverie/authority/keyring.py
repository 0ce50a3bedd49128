"""State directory of one user, outside every workspace, and seals made with its key.

    ~/.local/share/reverie/
        seal.key                     secret key of this device
        places/PATH-HASH             ID of the workspace known at a path
        workspaces/ID/folder         folder in which the workspace is known
        workspaces/ID/owner          hash of the owner passphrase
        workspaces/ID/acknowledged   settings that the user acknowledged
        workspaces/ID/newest         newest known commit
        workspaces/ID/state/         state files of this device

Agents write in a workspace, and users copy and mail it. A proof of the user's consent
is therefore stored here. It is keyed by the workspace ID, so that moving, copying or
replacing a folder removes no protection (docs/design/identity.md).

The environment names the state directory, and the caller may have chosen it. A note
that raises trust or gives an allowance must therefore also exist in the state directory
below the home that the password database names, if the user can write there.

A seal shows that a commit, or a row of the index, was written by us: an HMAC-SHA256
under the key, so who writes files in a workspace, or commits there with git, cannot
make one. A commit carries its own in a header, over all of its bytes but that header:

    tree 3c1b…
    parent 77a0…
    author bot:main <reverie@localhost> 1770046200 +0000
    committer bot:main <reverie@localhost> 1770046200 +0000
    reverie-seal 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08

    [APPEND] memory/episodes/2026-02-02.md — …
"""

from __future__ import annotations

import hashlib
import hmac
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

HEADER = b"reverie-seal "

_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEWEST = re.compile(rb"([0-9a-f]{40}) (0\d{11})\n")
_NEWEST_BYTES = 54


class KeyringError(UnavailableError):
    """What is kept outside of the workspace cannot be read or written."""

    says = "cannot use {}: {}"
    mend = (
        "It must be a plain file of your own, in a folder only you can write "
        "to. XDG_DATA_HOME names another folder."
    )


def account_home() -> Path | None:
    """The home of the user's account, which no variable names; None without one."""
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return None


class Keyring:
    """State directory of one user, opened for one workspace.

    Args:
        folder: Path of the directory.
        root: Folder of the workspace.

    Attributes:
        workspace_id: ID whose notes are read and written; `bind` sets it.
    """

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder = folder
        self.inside = Path(os.path.realpath(folder)).is_relative_to(
            os.path.realpath(root)
        )
        self.home: Keyring | None = None
        self.workspace_id = ""

    def bind(self, workspace_id: str) -> None:
        """Read and write the notes of a workspace from now on."""
        for ring in (self, *((self.home,) if self.home else ())):
            ring.workspace_id = workspace_id

    @property
    def place(self) -> str:
        """Folder of the workspace's notes, relative to the state directory."""
        return f"workspaces/{self.workspace_id}"

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
        return (self,) if home in (None, self) or home.inside else (home, self)

    @cached_property
    def both(self) -> tuple[Keyring, ...]:
        """This one, and that of the user's own home if it is another and usable.

        Where they have no home that is theirs to write, as in some containers, what
        the environment names is all there is.
        """
        home = self.homeward[0]
        top = home.folder.parents[2]
        with suppress(OSError):
            ours = os.stat(top).st_uid == os.getuid() and os.access(top, os.W_OK)
            if ours and home is not self:
                return (self, home)
        return (self,)

    def known(self, name: str) -> list[bytes | None]:
        """What is noted of this place, in each keyring that counts."""
        return [ring.read(f"{ring.place}/{name}") for ring in self.both]

    def believed(self, name: str) -> bytes | None:
        """What is noted of this place in the user's own home, if that knows it."""
        ring = [r for r in self.both if r is self or r.knows_place][-1]
        return ring.read(f"{ring.place}/{name}")

    @property
    def knows_place(self) -> bool:
        """Whether this directory has notes of the workspace."""
        return bool(self.workspace_id) and (self.folder / self.place).is_dir()

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
        with self._file(name) as path:
            try:
                descriptor = os.open(path, os.O_RDONLY | _SAFELY)
            except FileNotFoundError:
                return None
            try:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
                    raise KeyringError(path, "it is no plain small file")
                if status.st_uid not in {os.getuid(), 0}:
                    raise KeyringError(path, "it belongs to another user")
                return os.read(descriptor, status.st_size)
            finally:
                os.close(descriptor)

    def write(
        self,
        name: str,
        data: bytes,
        give_name: Callable[[Path, Path], object] = os.replace,
    ) -> None:
        """Replace a file of the keyring in one step, durable when this returns."""
        with self._file(name) as path:
            aside = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
            make_folders(path.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY
            descriptor = os.open(aside, flags, 0o600)
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
                os.fsync(descriptor)
                with suppress(FileExistsError):
                    # Somebody else may have been faster with a link.
                    give_name(aside, path)
            finally:
                os.close(descriptor)
                with suppress(FileNotFoundError):
                    os.unlink(aside)
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def remove(self, name: str) -> None:
        """Remove a file of the keyring, if it is there."""
        with self._file(name) as path, suppress(FileNotFoundError):
            os.unlink(path)

    def seal_key(self) -> bytes:
        """The key that commits are sealed with, made at its first use."""
        found = self.read("seal.key")
        if found is None:
            self.write("seal.key", secrets.token_bytes(KEY_BYTES), os.link)
            found = self.read("seal.key") or b""
        if len(found) != KEY_BYTES:
            path = self.folder / "seal.key"
            raise KeyringError(path, f"it has not {KEY_BYTES} bytes")
        return found

    def allows(self, name: str, data: bytes) -> bool:
        """Return whether a state file may have this content.

        Raises:
            KeyringError: The notes on it cannot be read.
        """
        digest = hashlib.sha256(data).hexdigest().encode("ascii")
        noted = filter(None, self.known(_latest(name)))
        return all(digest in note.split(b"\n") for note in noted)

    def expect(self, name: str, *versions: bytes) -> None:
        """Note the contents that a state file may have; none if it was removed.

        Raises:
            KeyringError: That cannot be noted.
        """
        digests = (hashlib.sha256(data).hexdigest() for data in versions)
        self.note(_latest(name), "\n".join(("versions", *digests, "")).encode("ascii"))

    def retire(self, name: str) -> None:
        """Note that a state file was removed, so that no version may come back."""
        if any(self.known(_latest(name))):
            self.expect(name)

    @property
    def state_folder(self) -> Path:
        """Folder of the state files of this device.

        The state directory of the account counts if the workspace is used with it, so
        that an environment with another one brings no state of its own.

        Raises:
            KeyringError: The state directory lies inside the workspace.
        """
        ring = self.both[-1]
        if not (ring.folder / ring.place / "folder").exists():
            ring = self
        if ring.inside:
            raise KeyringError(ring.folder, "it lies inside of the workspace")
        return ring.folder / ring.place / "state"

    @contextmanager
    def _file(self, name: str) -> Iterator[Path]:
        """The path of a file; what the system refuses is told in our words."""
        path = self.folder / name
        if self.inside:
            raise KeyringError(path, "it lies inside of the workspace")
        try:
            yield path
        except OSError as error:
            raise KeyringError(path, error.strerror or str(error)) from error


def _latest(name: str) -> str:
    return f"latest/{name.replace('/', '-')}"


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


class Newest(NamedTuple):
    """The newest change that is known of a place: its id, and when it was made."""

    commit: str
    at: datetime


class Anchor:
    """The newest known commit of a workspace, noted in the state directory.

    Args:
        keyring: Where it is noted; None notes nothing and knows nothing.

    Attributes:
        enabled: Whether it is read and written; not in a copy of the workspace.
    """

    def __init__(self, keyring: Keyring | None = None) -> None:
        self._rings = keyring.both if keyring and not keyring.inside else ()
        self.enabled = True

    def known(self) -> list[Newest]:
        """The newest change, as each keyring knows it; none of a place that is new."""
        return self.recorded() if self.enabled else []

    def recorded(self) -> list[Newest]:
        """Return the same of a copy: the newest change of the original."""
        found: dict[Newest, None] = {}
        with suppress(KeyringError):
            for ring in self._rings:
                newest = _parsed(ring.read(f"{ring.place}/newest") or b"")
                found |= {newest: None} if newest else {}
        return list(found)

    def move(
        self, newest: Newest, replaces: Callable[[str], bool], *, sync: bool = False
    ) -> None:
        """Note a newer change in the place of the one that is known.

        Where none can be written, nothing is noted.

        Args:
            newest: The change.
            replaces: Whether it takes the place of a known one. Where it does not, as
                in another history, what is known stays, to be told.
            sync: Whether to wait for the disk.
        """
        for ring in self._rings if self.enabled else ():
            path = f"{ring.folder}/{ring.place}/newest"
            with suppress(OSError):
                # The user's own home gets one where it knows the place.
                if ring is self._rings[0]:
                    make_folders(os.path.dirname(path))
                file = os.open(path, os.O_RDWR | os.O_CREAT | _SAFELY, 0o600)
                try:
                    was = _parsed(os.pread(file, _NEWEST_BYTES, 0))
                    now = newest if was is None or replaces(was.commit) else was
                    line = f"{now.commit} {max(0, int(now.at.timestamp())):012}\n"
                    os.pwrite(file, line.encode("ascii"), 0)
                    if sync:
                        os.fsync(file)
                finally:
                    os.close(file)


def _parsed(data: bytes) -> Newest | None:
    found = _NEWEST.match(data)
    at = found and datetime.fromtimestamp(int(found[2]), UTC)
    return Newest(found[1].decode(), at) if found and at else None


NO_ANCHOR = Anchor()


class Seal:
    """Makes and checks seals; without a key it makes none, and none is good.

    Args:
        key: The key; None where there is none to be had.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key

    @classmethod
    def of(cls, keyring: Keyring, warn: Callable[[str], None]) -> Seal:
        """The seal of a keyring; if that cannot be used, none and a warning."""
        try:
            return cls(keyring.seal_key())
        except KeyringError as error:
            warn(
                f"{error}; changes are not sealed, so no alert can be acknowledged "
                "and nothing in history counts as approved"
            )
            return cls()

    def __bool__(self) -> bool:
        return self._key is not None

    def mark(self, purpose: bytes, data: bytes) -> bytes:
        """The seal of some bytes that are kept for a purpose; empty without a key."""
        if self._key is None:
            return b""
        return hmac.digest(self._key, purpose + b"\0" + data, "sha256")

    def good(self, purpose: bytes, data: bytes, mark: object) -> bool:
        """Whether a seal of some bytes is ours; anything else than bytes is not."""
        if self._key is None or not isinstance(mark, bytes):
            return False
        return hmac.compare_digest(self.mark(purpose, data), mark)

    def sealed(self, commit: bytes) -> bytes:
        """A commit, as git keeps it, with its seal; as it was without a key."""
        if self._key is None:
            return commit
        fields, end, message = commit.partition(b"\n\n")
        mark = self.mark(b"commit", commit).hex().encode()
        return b"".join((fields, b"\n", HEADER, mark, end, message))

    def holds(self, commit: bytes) -> bool:
        """Whether a commit, as git keeps it, is as we sealed it."""
        fields, end, message = commit.partition(b"\n\n")
        rest, found, mark = fields.rpartition(b"\n" + HEADER)
        if self._key is None or not found:
            return False
        good = self.mark(b"commit", b"".join((rest, end, message)))
        return hmac.compare_digest(good.hex().encode(), mark)


UNSEALED = Seal()
