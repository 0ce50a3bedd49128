"""The owner of a workspace: set, change or remove the passphrase, and its record."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from reverie.authority.authority import (
    CHANGE,
    NOBODY,
    REMOVE,
    SET,
    Act,
    Owner,
    RecordedOwner,
)
from reverie.authority.keyring import KeyringError
from reverie.errors import RefusedError
from reverie.model.change import MANUAL, Action, Approval, ChangeSet, Edit, checksum
from reverie.session.acknowledged import WORTH_KEEPING, Confirming
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.authority.keyring import Keyring
    from reverie.ledger.git_ledger import GitLedger
    from reverie.ledger.repository import RawCommit
    from reverie.model.change import Receipt
    from reverie.session.session import House

PAGE = """\
# Owner

This workspace has an owner passphrase. What only its human may do asks for it, each
time; see `reverie owner`. The hash of it is kept outside of this folder.

Edits to core memory, procedures, the vault and critical files that were saved by hand
or committed with plain git wait in `reverie pending` until the owner confirms them.

- **Fingerprint:** {fingerprint}
"""

_FINGERPRINT = re.compile(rb"^- \*\*Fingerprint:\*\* ([0-9a-f]{32})$", re.MULTILINE)
_PAGE = layout.OWNER
_VERBS = frozenset({SET, CHANGE, REMOVE})


def have_owner(house: House) -> Owner:
    """Let a workspace ask for the passphrase of its owner, where one is set.

    Besides the keyring that the environment names, that of the user's own home is
    asked whether there is an owner: a variable takes nobody away.
    """
    ledger = house.ledger
    owner = Owner(
        house.keyring,
        lambda: bool(ledger.head and ledger.repository.blob_id(ledger.head, _PAGE)),
        _Record(ledger, house.keyring),
    )
    house.authority.owner = owner
    house.confirming = Confirming(ledger, owner, house.keyring)
    return owner


class _Record:
    """What history says of an owner: the newest change of `reverie owner` counts.

    That there is an owner is believed of a change that this keyring did not seal as
    well, where it sealed nothing before it: another home must not open a workspace.
    That there is none any more is believed only where it is sealed.

    What was found up to a commit is kept in the keyring, to go on from.
    """

    def __init__(self, ledger: GitLedger, keyring: Keyring) -> None:
        self._ledger = ledger
        self._keyring = keyring
        self._known: tuple[str, RecordedOwner, bool] | None = None

    def __call__(self) -> RecordedOwner:
        """What all of history says."""
        head = self._ledger.head
        known = self._known or self._read()
        if known[0] != head:
            known = self._find(head, known)
        self._known = known
        return known[1]

    def _find(
        self, head: str, known: tuple[str, RecordedOwner, bool]
    ) -> tuple[str, RecordedOwner, bool]:
        claimed: RecordedOwner | None = None
        sealing, walked = False, 0
        for commit in self._ledger.repository.walk(head):
            if commit.id == known[0]:
                sealing_before, found = known[2], known[1]
                break
            walked += 1
            told = self._told(commit) if layout.OWNER in commit.message else None
            if told and told.verified:
                sealing_before, found = True, told
                break
            claimed = claimed or told
            if commit.sealed:
                # What was claimed after our own ledger was at work is forged.
                sealing, claimed = True, None
        else:
            sealing_before, found = False, NOBODY
        if claimed and not sealing_before and not found.verified:
            found = claimed
        made = head, found, sealing or sealing_before
        if walked >= WORTH_KEEPING:
            self._write(made)
        return made

    def _told(self, commit: RawCommit) -> RecordedOwner | None:
        """What one change says of an owner; None if it is none of `reverie owner`."""
        entry = self._ledger.entry(commit.id)
        named = any(line.path == layout.OWNER for line in entry.lines)
        if not named or not entry.signed.human or entry.trigger not in _VERBS:
            return None
        if entry.trigger == REMOVE:
            return (
                RecordedOwner("", commit.id, verified=True) if commit.sealed else None
            )
        data = self._ledger.read_at(commit.id, layout.OWNER)
        found = _FINGERPRINT.search(data or b"")
        return RecordedOwner(
            found[1].decode() if found else "", commit.id, commit.sealed
        )

    def _read(self) -> tuple[str, RecordedOwner, bool]:
        with suppress(KeyringError, ValueError, TypeError):
            data = self._keyring.believed("recorded")
            head, told, sealing = json.loads(data or b"")
            return head, RecordedOwner(*told), sealing
        return "", NOBODY, False

    def _write(self, made: tuple[str, RecordedOwner, bool]) -> None:
        head, found, sealing = made
        told = (found.fingerprint, found.commit, found.verified)
        with suppress(KeyringError):
            data = json.dumps((head, told, sealing)).encode()
            self._keyring.note("recorded", data)


def set_owner(
    house: House, owner: Owner, passphrase: str | Callable[[], str]
) -> Receipt:
    """Have every act of the human ask for a passphrase from now on."""
    if owner.expects():
        what = "this workspace has an owner passphrase already"
        hint = "`reverie owner change` replaces it, once the old one is given."
        raise RefusedError(what, hint=hint)
    with house.authority.act(Act.OWNER, "set an owner passphrase"):
        return _write(house, owner, passphrase, SET)


def change_owner(
    house: House, owner: Owner, passphrase: str | Callable[[], str]
) -> Receipt:
    """Replace the passphrase; the old one is asked for, and first."""
    _require_owned(owner)
    with house.authority.act(Act.OWNER, "change the owner passphrase"):
        return _write(house, owner, passphrase, CHANGE)


def remove_owner(house: House, owner: Owner) -> Receipt:
    """Ask for no passphrase any more; it is asked for once more."""
    _require_owned(owner)
    with house.authority.act(Act.OWNER, "remove the owner passphrase"):
        receipt = house.persist("owner", partial(_record, house, None, REMOVE))
        owner.settle("")
        return receipt


def _require_owned(owner: Owner) -> None:
    if not owner.expects():
        what = "this workspace has no owner passphrase"
        raise RefusedError(what, hint="`reverie owner set` sets one.")


def _write(
    house: House, owner: Owner, passphrase: str | Callable[[], str], trigger: str
) -> Receipt:
    new = passphrase if isinstance(passphrase, str) else passphrase()
    house.look()
    # In this order: at no moment is the hash that counts not there.
    name = owner.keep(new, house.ledger.head)
    page = PAGE.format(fingerprint=name).encode()
    receipt = house.persist("owner", partial(_record, house, page, trigger))
    owner.settle(name)
    return receipt


def _record(house: House, page: bytes | None, trigger: str) -> Receipt:
    house.look()
    old = house.ledger.read(layout.OWNER)
    action = Action.DELETE if page is None else Action.EDIT if old else Action.CREATE
    edit = Edit(layout.OWNER, page, checksum(old), action, trigger)
    if page is None and old is None:
        # Somebody took the file away; that there is no owner any more is still told.
        edit = Edit(layout.OWNER, b"# Owner\n", checksum(old), Action.EDIT, trigger)
    change = ChangeSet((edit,), MANUAL, Approval.NONE, trigger)
    return house.commit(change, allowed=True)
