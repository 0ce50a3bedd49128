"""The owner of an open workspace: what history records of them, and how."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from reverie.authority.acts import Act
from reverie.authority.keyring import Keyring
from reverie.authority.owner import CHANGE, NOBODY, REMOVE, SET, Owner, Recorded
from reverie.errors import RefusedError
from reverie.memory.confirming import Confirming
from reverie.model.change import (
    MANUAL,
    Action,
    Approval,
    ChangeSet,
    Edit,
    checksum,
)
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.ledger import Ledger
    from reverie.memory.house import House
    from reverie.model.change import LogEntry, Receipt

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


class OwnedAlreadyError(RefusedError):
    """A passphrase was to be set where there is one."""

    def __init__(self) -> None:
        super().__init__(
            "this workspace has an owner passphrase already",
            hint="`reverie owner change` replaces it, once the old one is given.",
        )


class NotOwnedError(RefusedError):
    """A passphrase was to be changed, and there is none."""

    def __init__(self) -> None:
        super().__init__(
            "this workspace has no owner passphrase",
            hint="`reverie owner set` sets one.",
        )


def have_owner(house: House, environ: Mapping[str, str]) -> Owner:
    """Let a workspace ask for the passphrase of its owner, where one is set.

    Besides the keyring that the environment names, that of the user's own home is
    asked whether there is an owner: a variable takes nobody away.
    """
    root, ledger = house.folder.root, house.ledger
    keyrings = dict.fromkeys(
        (Keyring.of(environ, root).folder, Keyring.of({}, root).folder)
    )
    rings = [Keyring(folder, root) for folder in keyrings]
    owner = Owner(
        rings,
        lambda: bool(ledger.head and ledger.repository.blob_id(ledger.head, _PAGE)),
        _Record(ledger),
    )
    house.authority.owner = owner
    house.confirming = Confirming(ledger, owner, rings[0])
    return owner


class _Record:
    """What history says of an owner, looked up once for each newest commit."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known = "", NOBODY

    def __call__(self) -> Recorded:
        """The newest change by which an owner was set, changed or removed."""
        head = self._ledger.head
        if self._known[0] != head:
            self._known = head, self._find(head, self._known)
        return self._known[1]

    def _find(self, head: str, known: tuple[str, Recorded]) -> Recorded:
        for commit in self._ledger.repository.walk(head):
            if commit.id == known[0]:
                return known[1]
            if layout.OWNER not in commit.message:
                continue
            entry = self._ledger.entry(commit.id)
            if _records(entry):
                data = self._ledger.read_at(entry.commit, layout.OWNER)
                found = _FINGERPRINT.search(data or b"")
                return Recorded(found[1].decode() if found else "", entry.commit)
        return NOBODY


def _records(entry: LogEntry) -> bool:
    """Whether a change is one of `reverie owner`.

    That there is an owner is believed of anybody; that there is none any more only
    where it is verified.
    """
    named = any(line.path == layout.OWNER for line in entry.lines)
    if not named or not entry.signed.human or entry.trigger not in _VERBS:
        return False
    return entry.verified or entry.trigger != REMOVE


def set_owner(house: House, owner: Owner, passphrase: str) -> Receipt:
    """Have every act of the human ask for a passphrase from now on."""
    if owner.expects():
        raise OwnedAlreadyError
    with house.authority.act(Act.OWNER, "set an owner passphrase"):
        return _write(house, owner, passphrase, SET)


def change_owner(house: House, owner: Owner, passphrase: str) -> Receipt:
    """Replace the passphrase; the old one is asked for."""
    if not owner.expects():
        raise NotOwnedError
    with house.authority.act(Act.OWNER, "change the owner passphrase"):
        return _write(house, owner, passphrase, CHANGE)


def remove_owner(house: House, owner: Owner) -> Receipt:
    """Ask for no passphrase any more; it is asked for once more."""
    if not owner.expects():
        raise NotOwnedError
    with house.authority.act(Act.OWNER, "remove the owner passphrase"):
        receipt = house.persist("owner", partial(_record, house, None, REMOVE))
        owner.settle("")
        return receipt


def _write(house: House, owner: Owner, passphrase: str, trigger: str) -> Receipt:
    # In this order: at no moment is the hash that counts not there.
    made, name = owner.prepare(passphrase)
    page = PAGE.format(fingerprint=name).encode()
    receipt = house.persist("owner", partial(_record, house, page, trigger))
    owner.settle(made)
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
