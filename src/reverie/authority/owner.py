"""The owner's passphrase: what a human's acts ask for, where one is set.

A slow hash of it is kept in the keyring, for the place of the workspace, and history
records its fingerprint: both have to agree. A hash that is deleted or replaced, a home
that is another one, a history that was exchanged do not open anything: they refuse.
By its fingerprint it is kept as well, for a workspace that is moved.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.authority.keyring import KeyringError
from reverie.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """History and the keyring do not agree on the owner."""

    def __init__(self, where: str) -> None:
        super().__init__(
            "an owner passphrase is set for this workspace, and what history records "
            f"of it is not what is kept in {where}: nobody can prove to be the owner",
            hint="Work as the user, and with the HOME and XDG_DATA_HOME, that it was "
            "set with. If that folder was lost, bring it back from a backup; if "
            "history was exchanged (`git log memory/meta/owner.md`), set it back.",
        )


@dataclass(frozen=True, slots=True)
class RecordedOwner:
    """What history says of an owner.

    Attributes:
        fingerprint: Of the hash; empty if there is no owner.
        commit: The change that recorded it.
        verified: Whether the ledger of this keyring made that change.
    """

    fingerprint: str = ""
    commit: str = ""
    verified: bool = False


NOBODY = RecordedOwner()


@dataclass(frozen=True, slots=True)
class OwnerNote:
    """What a keyring says of the owner of a place.

    Attributes:
        made: The hashes; none where the owner was removed, two while it is changed.
        since: The newest commit when the passphrase was set.
        home: Whether it is in the home of the user's account, which no variable names.
    """

    made: tuple[str, ...]
    since: str
    home: bool


class Owner:
    """The passphrase of one workspace.

    Args:
        keyring: Where hashes are kept; that in the home of the user's account counts
            as well, which no variable can hide.
        hinted: Whether the newest commit has the file that tells of an owner; quick.
        recorded: What all of history says; slow where it says nothing.
    """

    def __init__(
        self,
        keyring: Keyring,
        hinted: Callable[[], bool],
        recorded: Callable[[], RecordedOwner],
    ) -> None:
        self._keyring = keyring
        self._hinted = hinted
        self._recorded = recorded

    @property
    def closed(self) -> bool:
        """Whether a passphrase is set, as far as a quick look tells."""
        kept = self._seen()
        if kept and (kept.made or kept.home):
            return bool(kept.made)
        return self._hinted() and bool(self._recorded().fingerprint)

    @property
    def since(self) -> str:
        """The commit after which an unknown hand's edits wait for the owner."""
        kept = self._seen()
        return kept.since if kept and kept.made else self._recorded().commit

    @property
    def recorded(self) -> bool:
        """Whether history records the owner that is kept for this place."""
        kept, name = self._seen(), self._recorded().fingerprint
        if kept is None or not kept.made:
            return bool(name)
        return name in map(fingerprint, kept.made)

    def expects(self) -> bool:
        """Whether the passphrase is needed, looking everywhere.

        Raises:
            OwnerLostError: It is, and cannot be checked.
        """
        return bool(self._hash())

    def require(self, answer: bool | str) -> None:  # noqa: FBT001 - what a human said
        """Refuse whatever is not the passphrase."""
        said = answer if isinstance(answer, str) else ""
        if not _fits(self._hash(), said):
            raise WrongPassphraseError

    def keep(self, passphrase: str, since: str) -> str:
        """Keep the hash of a new passphrase, beside the one that counts.

        It counts once history records the fingerprint that is returned, and at once
        where history records none; then call `settle`.
        """
        made, before = make_hash(passphrase), self._kept()
        name = fingerprint(made)
        self._keyring.write(f"owners/{name}", made.encode())
        known = before.made if before else ()
        self._write((*known, made), before.since if before and known else since)
        return name

    def settle(self, name: str) -> None:
        """Keep no other hash than the one with a fingerprint; none for an empty one."""
        kept = self._kept()
        if kept is None:
            return
        stays = tuple(made for made in kept.made if fingerprint(made) == name)
        self._write(stays, kept.since)
        for made in kept.made:
            if made not in stays:
                self._keyring.remove(f"owners/{fingerprint(made)}")

    def date(self, since: str) -> None:
        """Name the commit again since which it counts: history was written anew."""
        kept = self._kept()
        if kept and kept.made:
            self._write(kept.made, since)

    def _write(self, made: tuple[str, ...], since: str) -> None:
        data = "".join((*made, f"since {since}\n")).encode() if made else b""
        self._keyring.write(f"{self._keyring.place}/owner", data)

    def _seen(self) -> OwnerNote | None:
        """What is kept, where that can be read; who acts finds out why not."""
        with suppress(KeyringError):
            return self._kept()
        return None

    def _kept(self) -> OwnerNote | None:
        """What is kept for this place: in the user's own home before elsewhere."""
        for keyring in self._keyring.homeward:
            found = keyring.read(f"{keyring.place}/owner")
            if found is not None:
                lines = found.decode("utf-8", "replace").splitlines(keepends=True)
                made = tuple(line for line in lines if line.startswith("scrypt "))
                since = lines[-1].removeprefix("since ").strip() if lines else ""
                return OwnerNote(made, since, keyring is self._keyring.home)
        return None

    def _hash(self) -> str:
        """The hash that counts; empty where there is no owner."""
        kept, recorded = self._kept(), self._recorded()
        if not recorded.fingerprint:
            return kept.made[0] if kept and kept.made else ""
        if kept and kept.home and not kept.made:
            # It was removed here; history may have been set back.
            return ""
        for made in kept.made if kept else ():
            if fingerprint(made) == recorded.fingerprint:
                return made
        if kept and kept.made:
            raise OwnerLostError(str(self._keyring.folder))
        for keyring in self._keyring.homeward:
            found = keyring.read(f"owners/{recorded.fingerprint}") or b""
            moved = found.decode("utf-8", "replace")
            if fingerprint(moved) == recorded.fingerprint:
                return moved
        raise OwnerLostError(str(self._keyring.folder))


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
