"""Keep one address per workspace, and let known browsers in again after a restart.

A restart changes every secret that a browser sends: the cookie and the folder of the
page. What survives is a key that a browser got when it came in by the link, and that
its script cannot read back. Browser and service prove to each other that they know it,
without sending it. So a program that takes the port while the service is away learns
nothing that it could use, and the browser does not believe it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from typing import TYPE_CHECKING

from reverie.authority.keyring import Keyring, KeyringError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FIRST_PORT, PORTS = 20_000, 12_000
"""Range of the ports; systems give ports above it to programs that want any."""

DAYS = 30
"""Days for which a browser is let in again."""

MAX_CHALLENGES = 256
"""Challenges that wait for their answer; of more, the oldest is dropped."""

_DAY_SECONDS = 24 * 60 * 60
_ID = re.compile(r"([0-9a-f]{1,8})-[0-9a-f]{32}")
_NONCE = re.compile(r"[0-9a-f]{32}")


def load_page_secret(root: Path) -> bytes | None:
    """Return the secret of a workspace's page; None if the keyring is not usable.

    It is derived from the key of the seals, so it lies outside of the workspace.
    """
    keyring = Keyring.of(os.environ, root)
    try:
        key = keyring.seal_key()
    except KeyringError:
        return None
    return hmac.digest(key, b"page " + keyring.place.encode(), "sha256")


def derive_port(secret: bytes) -> int:
    """Return the port of a workspace; another user cannot compute it."""
    number = int.from_bytes(hmac.digest(secret, b"port", "sha256")[:8])
    return FIRST_PORT + number % PORTS


class BrowserKeys:
    """The keys of browsers, and the challenges by which they prove to have one.

    Args:
        secret: The secret of the workspace's page.
        port: The port of the page, which is part of each proof.
        clock: Seconds since the epoch.
    """

    def __init__(
        self, secret: bytes, port: int, clock: Callable[[], float] = time.time
    ) -> None:
        self._secret, self._port, self._clock = secret, port, clock
        self._waiting: dict[str, str] = {}

    def issue(self) -> tuple[str, str]:
        """Return the ID of a new browser and its key, in hexadecimal."""
        id_ = f"{self._today:x}-{secrets.token_hex(16)}"
        return id_, self._key(id_).hex()

    def challenge(self, id_: str, nonce: str) -> dict[str, str] | None:
        """Prove to a browser that this is its service, and ask it for its proof.

        Args:
            id_: The ID of the browser.
            nonce: Its random number.

        Returns:
            Our random number and our proof; None if the ID is unknown or too old.
        """
        if not self._is_known(id_) or not _NONCE.fullmatch(nonce):
            return None
        own = secrets.token_hex(16)
        self._waiting[own] = f"{id_} {nonce}"
        while len(self._waiting) > MAX_CHALLENGES:
            del self._waiting[next(iter(self._waiting))]
        return {"nonce": own, "proof": self._proof("service", id_, nonce, own)}

    def accepts(self, id_: str, nonce: str, proof: str) -> bool:
        """Return whether a browser answered a challenge; each is answered once.

        Args:
            id_: The ID of the browser.
            nonce: The random number of the challenge.
            proof: What the browser made of it.
        """
        asked, _, browser_nonce = self._waiting.pop(nonce, "").partition(" ")
        if not asked or asked != id_:
            return False
        wanted = self._proof("browser", id_, browser_nonce, nonce)
        return hmac.compare_digest(wanted, proof.encode("ascii", "replace").decode())

    @property
    def _today(self) -> int:
        return int(self._clock() // _DAY_SECONDS)

    def _is_known(self, id_: str) -> bool:
        found = _ID.fullmatch(id_)
        return found is not None and 0 <= self._today - int(found[1], 16) <= DAYS

    def _key(self, id_: str) -> bytes:
        return hmac.digest(self._secret, f"browser {id_}".encode(), "sha256")

    def _proof(self, side: str, id_: str, nonce: str, own: str) -> str:
        said = f"{side} {self._port} {nonce} {own}".encode()
        return hmac.new(self._key(id_), said, hashlib.sha256).hexdigest()
