"""The newest change of a workspace's history, as the keyring knows it.

Whoever deletes `.audit`, or moves its branch back, deletes every alert in it too. So
the keyring knows the newest change that we made in a place: a history that does not
lead up to it was exchanged or moved back.

It is one short line that is written over at each change, without waiting for the disk:
after a power cut it may be some changes behind, which a history leads up to as well.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from reverie.authority.keyring import KeyringError, make_folders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.authority.keyring import Keyring

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
                os.pwrite(file, _rendered(now), 0)
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


def _rendered(newest: Newest) -> bytes:
    seconds = max(0, int(newest.at.timestamp()))
    return f"{newest.commit} {seconds:012}\n".encode("ascii")


NO_ANCHOR = Anchor()
