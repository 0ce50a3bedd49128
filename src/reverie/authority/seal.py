"""Seals: what shows that a commit, or a row of the index, was written by us.

An HMAC-SHA256 under a key that lies outside of every workspace (`Keyring`), so who
writes files in a workspace, or commits there with git, cannot make one. A commit
carries its own in a header, over all of its bytes but that header:

    tree 3c1b…
    parent 77a0…
    author bot:main <reverie@localhost> 1770046200 +0000
    committer bot:main <reverie@localhost> 1770046200 +0000
    reverie-seal 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08

    [APPEND] memory/episodes/2026-02-02.md — …
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from reverie.authority.keyring import KeyringError

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.authority.keyring import Keyring

HEADER = b"reverie-seal "
_COMMIT = b"commit\0"
_END = b"\n\n"


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
        good = hmac.digest(self._key, purpose + b"\0" + data, "sha256")
        return hmac.compare_digest(good, mark)

    def sealed(self, commit: bytes) -> bytes:
        """A commit, as git keeps it, with its seal; as it was without a key."""
        if self._key is None:
            return commit
        fields, _, message = commit.partition(_END)
        mark = hmac.digest(self._key, _COMMIT + commit, "sha256").hex().encode()
        return b"".join((fields, b"\n", HEADER, mark, _END, message))

    def holds(self, commit: bytes) -> bool:
        """Whether a commit, as git keeps it, is as we sealed it."""
        fields, _, message = commit.partition(_END)
        rest, found, mark = fields.rpartition(b"\n" + HEADER)
        if self._key is None or not found:
            return False
        told = b"".join((rest, _END, message))
        good = hmac.digest(self._key, _COMMIT + told, "sha256").hex().encode()
        return hmac.compare_digest(good, mark)


UNSEALED = Seal()
