"""Identity of an open workspace: its ID, the folder it is known in, and what locks it.

See docs/design/identity.md.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections import deque
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.authority.keyring import Anchor, KeyringError
from reverie.model.change import UNVERIFIED
from reverie.model.views import Alert
from reverie.workspace.layout import GIT_DIR, STATE_DIR
from reverie.workspace.migration import migrate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reverie.authority.keyring import Keyring, Seal
    from reverie.ledger import Ledger

COPY = "copy"
"""Kind of the alert for a folder that is a copy of a known workspace."""

REPLACED = "replaced"
"""Kind of the alert for a known folder that contains another workspace."""


class Situation(StrEnum):
    """Relation of a folder to the workspace that the state directory knows."""

    KNOWN = "known"
    MOVED = "moved"
    COPY = "copy"
    REPLACED = "replaced"


def find_paths(root: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths of a folder: as it was entered, and without symbolic links."""
    found = dict.fromkeys((str(root.absolute()), os.path.realpath(root)))
    working = Path(environ.get("PWD", ""))
    if working.is_absolute():
        for folder in (working, *working.parents):
            with suppress(OSError):
                if folder.samefile(root):
                    found[str(folder)] = None
                    break
    return tuple(found)


def find_known_id(keyring: Keyring, root: Path) -> str:
    """Return the workspace ID that is known at a path; empty if none is."""
    for path in (os.path.realpath(root), str(root.absolute())):
        with suppress(KeyringError):
            for ring in keyring.both:
                if data := ring.read(f"places/{_hash_path(path)}"):
                    return data.decode("ascii", "replace").strip()
    return ""


class FolderIdentity:
    """Identity of the workspace in an open folder.

    Args:
        keyring: The state directory.
        ledger: History in the folder.
        anchor: The newest known commit.
        root: Real path of the folder.
        paths: All paths by which the folder was opened.

    Attributes:
        id: Workspace ID of the history in the folder.
        expected: Workspace ID whose protections apply; differs if it was replaced.
        situation: Relation to what the state directory knows.
        known_folder: Folder of the original for a copy, last folder if it was moved.
    """

    def __init__(
        self,
        keyring: Keyring,
        ledger: Ledger,
        anchor: Anchor,
        root: Path,
        paths: Iterable[str],
    ) -> None:
        self._keyring = keyring
        self._ledger = ledger
        self._anchor = anchor
        self._root = root
        self._paths = tuple(paths)
        self.id, self.expected = secrets.token_hex(16), ""
        self.situation, self.known_folder = Situation.KNOWN, ""

    def identify(self, seal: Seal) -> str:
        """Find out which workspace this is, and bind the state directory to it.

        Args:
            seal: Checks seals of state files that an earlier version left.

        Returns:
            What to tell the user; empty if there is nothing.
        """
        known = [found for path in self._paths if (found := self._read_place(path))]
        if self._ledger.head:
            self.id = self._read_id(known)
        other = next((each for each in known if each != self.id), "")
        self.expected = other or self.id
        self._keyring.bind(self.expected)
        self.situation, self.known_folder = self._compare(other)
        self._anchor.enabled = self.situation is not Situation.COPY
        own = self.situation in {Situation.KNOWN, Situation.MOVED}
        if not own or not self._ledger.head:
            return ""
        migrate(self._keyring, self._root, self.id, self._find_first, seal)
        if self._ledger.lost():
            return ""
        self._register()
        moved = self.situation is Situation.MOVED
        note = f"this workspace was moved here from {self.known_folder}"
        return note if moved else ""

    def accept(self) -> None:
        """Make this folder the folder of its workspace; the user has confirmed it."""
        self._anchor.enabled = True
        self._register()
        self._ledger.accept_lost()
        self.expected, self.situation = self.id, Situation.KNOWN

    def release(self) -> None:
        """Change nothing that is known of the workspace from now on."""
        self._anchor.enabled = False

    def replace_id(self, workspace_id: str, notes: Iterable[str]) -> None:
        """Go on as another workspace, with some notes of this one.

        Args:
            workspace_id: The new ID.
            notes: Names of the notes to copy.
        """
        known = {name: self._keyring.known(name) for name in notes}
        self._keyring.bind(workspace_id)
        for name, found in known.items():
            for ring, data in zip(self._keyring.both, found, strict=True):
                if data is not None:
                    ring.write(f"{ring.place}/{name}", data)
        self.id = workspace_id

    def describe_lock(self) -> str:
        """Return why human-only actions are locked here; empty if they are not."""
        if self.situation is Situation.REPLACED:
            return "this folder had another workspace before"
        if self.situation is Situation.COPY:
            return f"this folder is a copy of the workspace in {self.known_folder}"
        for newest in self._ledger.lost():
            return (
                f"the newest known commit {newest.commit[:10]} of "
                f"{newest.at:%Y-%m-%d} is not in the history of this folder"
            )
        return ""

    @property
    def state_folder(self) -> Path:
        """Folder of this device's state files, apart for a folder not confirmed yet."""
        try:
            state = self._keyring.state_folder
        except KeyringError:
            # Without a key nothing in it counts.
            return self._root / STATE_DIR / "state"
        if self.situation is Situation.COPY:
            return state.with_name("copies") / _hash_path(str(self._root))
        return state.parent.with_name(self.id) / "state"

    def find_alerts(self) -> list[Alert]:
        """Return the alert for a copied or replaced folder, if it is one."""
        if self.situation is Situation.COPY:
            kind, what = (
                COPY,
                (
                    f"this folder is a copy of the workspace in {self.known_folder}; "
                    "`reverie workspace accept` uses this folder instead, "
                    "`reverie workspace fork` makes it a workspace of its own"
                ),
            )
        elif self.situation is Situation.REPLACED:
            kind, what = (
                REPLACED,
                (
                    "this folder had another workspace before "
                    f"({self.expected[:10]}, now {self.id[:10]})"
                ),
            )
        else:
            return []
        head = next(self._ledger.walk(), None)
        if head is None:
            return []
        return [Alert(head.id, GIT_DIR, head.at, str(UNVERIFIED), what, kind)]

    def _compare(self, other: str) -> tuple[Situation, str]:
        """Compare the folder with what is known, and return the known folder."""
        if other:
            return Situation.REPLACED, ""
        folder = self._read(f"{self._keyring.place}/folder")
        if folder in {"", str(self._root)}:
            return Situation.KNOWN, ""
        return Situation.COPY if self._is_original(folder) else Situation.MOVED, folder

    def _is_original(self, folder: str) -> bool:
        """Return whether another folder still has the workspace."""
        try:
            same = Path(folder, GIT_DIR).samefile(Path(self._root, GIT_DIR))
        except OSError:
            return False
        return not same and self._read_place(folder) == self.id

    def _register(self) -> None:
        """Note that this folder is the folder of the workspace."""
        self._keyring.bind(self.id)
        notes = {f"places/{_hash_path(path)}": self.id for path in self._paths}
        notes[f"{self._keyring.place}/folder"] = str(self._root)
        with suppress(KeyringError):
            for name, text in notes.items():
                if self._read(name) != text:
                    data = f"{text}\n".encode("utf-8", "surrogateescape")
                    self._keyring.write(name, data)

    def _read(self, name: str) -> str:
        with suppress(KeyringError):
            for ring in reversed(self._keyring.both):
                data = ring.read(name)
                if data:
                    return data.decode("utf-8", "surrogateescape").rstrip("\n")
        return ""

    def _read_place(self, path: str) -> str:
        return self._read(f"places/{_hash_path(path)}")

    def _read_id(self, known: Iterable[str]) -> str:
        """Return the ID of the history; walk to its first commit only if necessary."""
        for workspace_id in known:
            self._keyring.bind(workspace_id)
            for newest in Anchor(self._keyring).known():
                if self._ledger.contains(newest.commit):
                    return workspace_id
        return self._ledger.workspace_id()

    def _find_first(self) -> str:
        return deque(self._ledger.walk(), maxlen=1)[0].id


def _hash_path(path: str) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
