"""The owner's passphrase: what a human's acts ask for, where one is set.

A slow hash of it is kept in the keyring, by the place of the workspace and by its own
fingerprint. History records the fingerprint, so a hash that is deleted or replaced,
and a home that is another one, do not open anything: they refuse.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.authority.keyring import Keyring

LEAST = 8
"""Characters a passphrase has at least."""

SET, CHANGE, REMOVE = (f"reverie owner {verb}" for verb in ("set", "change", "remove"))
"""What starts the changes by which history records an owner."""

_COST, _BLOCK, _LANES = 1 << 15, 8, 1
_ROOM = 64 << 20
_SALT = 16


class ShortPassphraseError(RefusedError):
    """A passphrase that is too short to be one."""

    def __init__(self) -> None:
        super().__init__(
            f"a passphrase has at least {LEAST} characters",
            hint="Several words are easy to type and to remember.",
        )


class WrongPassphraseError(RefusedError):
    """What was given is not the owner's passphrase."""

    def __init__(self) -> None:
        super().__init__(
            "that is not the owner's passphrase; nothing was changed",
            hint="Only the owner of this workspace knows it; it is asked each time.",
        )


class OwnerLostError(RefusedError):
    """History says that there is an owner, and the hash is not here."""

    def __init__(self, where: str) -> None:
        super().__init__(
            "an owner passphrase is set for this workspace, and its hash is not in "
            f"{where}, so nobody can prove to be the owner",
            hint="Work as the user, and with the HOME and XDG_DATA_HOME, that it was "
            "set with; or bring that folder back from a backup.",
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """What history says of an owner.

    Attributes:
        fingerprint: Of the hash that counts; empty if there is none.
        commit: The change that recorded it.
    """

    fingerprint: str = ""
    commit: str = ""


NOBODY = Recorded()


class Owner:
    """The passphrase of one workspace.

    Args:
        keyrings: Where hashes are looked for; new ones go into the first.
        hinted: Whether the newest commit has the file that tells of an owner; quick.
        recorded: What all of history says; slow where it says nothing.
    """

    def __init__(
        self,
        keyrings: Sequence[Keyring],
        hinted: Callable[[], bool],
        recorded: Callable[[], Recorded],
    ) -> None:
        self._keyrings = keyrings
        self._hinted = hinted
        self._recorded = recorded

    @property
    def closed(self) -> bool:
        """Whether a passphrase is set, as far as a quick look tells."""
        return bool(self._here()) or (self._hinted() and bool(self.recorded))

    @property
    def recorded(self) -> Recorded | None:
        """What history says; None if it says nothing of an owner."""
        found = self._recorded()
        return found if found.fingerprint else None

    def expects(self) -> bool:
        """Whether the passphrase is needed, looking everywhere.

        Raises:
            OwnerLostError: It is, and cannot be checked.
        """
        if not self._here() and self.recorded is None:
            return False
        self._hash()
        return True

    def require(self, answer: bool | str) -> None:  # noqa: FBT001 - what a human said
        """Refuse whatever is not the passphrase."""
        said = answer if isinstance(answer, str) else ""
        if not _fits(self._hash(), said):
            raise WrongPassphraseError

    def prepare(self, passphrase: str) -> tuple[str, str]:
        """Keep the hash of a new passphrase; returns it and its fingerprint.

        It counts once history records it, and `settle` is called.
        """
        made = make_hash(passphrase)
        name = fingerprint(made)
        self._keyrings[0].write(f"owners/{name}", made.encode())
        return made, name

    def settle(self, made: str) -> None:
        """Have a hash count for this place; an empty one for none."""
        own = self._keyrings[0]
        own.write(f"{own.place}/owner", made.encode())

    def _here(self) -> str:
        """The hash that is kept for this place."""
        for keyring in self._keyrings:
            found = keyring.read(f"{keyring.place}/owner")
            if found:
                return found.decode("utf-8", "replace")
        return ""

    def _hash(self) -> str:
        here, recorded = self._here(), self.recorded
        if recorded is None:
            return here
        if here and fingerprint(here) == recorded.fingerprint:
            return here
        for keyring in self._keyrings:
            found = keyring.read(f"owners/{recorded.fingerprint}") or b""
            moved = found.decode("utf-8", "replace")
            if fingerprint(moved) == recorded.fingerprint:
                return moved
        raise OwnerLostError(str(self._keyrings[0].folder))


def make_hash(passphrase: str) -> str:
    """A new salted hash of a passphrase."""
    if len(passphrase.strip()) < LEAST:
        raise ShortPassphraseError
    salt = secrets.token_bytes(_SALT)
    return f"scrypt {_COST} {_BLOCK} {_LANES} {salt.hex()} {_slow(passphrase, salt)}\n"


def fingerprint(made: str) -> str:
    """What a hash is known by; it tells nothing of the passphrase without the salt."""
    return hashlib.sha256(made.encode()).hexdigest()[:32]


def _fits(made: str, passphrase: str) -> bool:
    words = made.split()
    if len(words) != 6 or words[:4] != f"scrypt {_COST} {_BLOCK} {_LANES}".split():
        return False
    try:
        salt = bytes.fromhex(words[4])
    except ValueError:
        return False
    return hmac.compare_digest(_slow(passphrase, salt), words[5])


def _slow(passphrase: str, salt: bytes) -> str:
    data = passphrase.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(
        data, salt=salt, n=_COST, r=_BLOCK, p=_LANES, maxmem=_ROOM
    ).hex()
