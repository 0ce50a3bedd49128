"""Keeping folders small, so that a write costs the same at any size.

A store's folder is flat until it holds `limit` files. Then its files move into
folders named by one hexadecimal digit of their name's hash; those split again at
an eighth of the limit.
Day logs move into folders by year instead: people look for them by date.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Protocol

from reverie.workspace.layout import EPISODES

if TYPE_CHECKING:
    from collections.abc import Collection

BELOW = 8
"""A folder of a split store is full at this part of the limit,"""

FEWEST = 16
"""but never with fewer files than this."""

_DIGITS = "0123456789abcdef"
_YEAR = re.compile(r"\d{4}")


class Listing(Protocol):
    """Whoever can say what is in a folder of the last committed state."""

    def folders(self, path: str) -> Collection[str]:
        """Names of the folders in a folder."""

    def files(self, path: str) -> Collection[str]:
        """Names of the files in a folder."""


def place(listing: Listing, folder: str, name: str) -> str:
    """The path at which a file of this name stands or would be put."""
    home = ""
    depth = 0
    while True:
        if name in listing.files(folder):
            return f"{folder}/{name}"
        if not _is_split(listing, folder):
            # It may stand below all the same: many files may have gone since.
            home = home or folder
        below = _shard(folder, name, depth)
        if below not in listing.folders(folder):
            return f"{home or f'{folder}/{below}'}/{name}"
        folder = f"{folder}/{below}"
        depth += 1


def moves(listing: Listing, path: str, limit: int) -> dict[str, str]:
    """Where the files of a full folder go when `path` is about to join them."""
    folder, _, name = path.rpartition("/")
    names = listing.files(folder)
    depth = sum(len(part) == 1 for part in folder.split("/"))
    # Nobody browses the folders below: they stay small, and so does each move.
    most = max(FEWEST, limit // BELOW) if depth else limit
    if len(names) < most or name in names or folder.startswith(f"{EPISODES}/"):
        return {}
    return {
        f"{folder}/{n}": f"{folder}/{_shard(folder, n, depth)}/{n}"
        for n in sorted(names)
    }


def _is_split(listing: Listing, folder: str) -> bool:
    names = listing.folders(folder)
    if folder == EPISODES:
        return any(map(_YEAR.fullmatch, names))
    # A person may well have a folder called "a"; a split folder has most digits.
    found = 0
    for digit in _DIGITS:
        found += digit in names
        if found >= len(_DIGITS) // 2:
            return True
    return False


def _shard(folder: str, name: str, depth: int) -> str:
    if folder == EPISODES:
        return name[:4] if _YEAR.match(name) else "0000"
    return hashlib.sha256(name.encode()).hexdigest()[depth]
