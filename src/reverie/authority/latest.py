"""Which version of a state file is the last one, so that no earlier one comes back.

A seal shows that we wrote a file, and not when: a grant that was used, or taken back,
would be good again if somebody put its file back. So the keyring notes the digests of
the versions that may be there: before a file is written, those of the old and the new
one, afterwards that of the new one alone. Whoever is killed in between has noted both.

A note is of one folder in its place. A workspace that was moved, copied or restored
is another folder, of which nothing is noted: its files are believed for their seals.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.authority.keyring import Keyring


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
        notes = self._keyring.known(_place(name))
        return all(self._allows(note, data) for note in notes if note is not None)

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

    def _allows(self, note: bytes, data: bytes) -> bool:
        folder, *digests = note.decode("ascii", "replace").splitlines() or [""]
        return folder != f"folder {self._folder()}" or _digest(data) in digests

    def _folder(self) -> int:
        return os.stat(self._root).st_ino


def _place(name: str) -> str:
    return f"latest/{name.replace('/', '-')}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
