"""What acts only once its human acknowledged it, and the owner who may have to.

What names a server, a key, an agent or a budget counts as it was last acknowledged.
Where an owner is set, so do files that steer an agent: one that was saved, or committed
with plain git, may be its owner's or anybody's (docs/design/locks.md).
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reverie.authority.authority import (
    CHANGE,
    NOBODY,
    REMOVE,
    SET,
    Act,
    RecordedOwner,
)
from reverie.authority.devices import (
    describe_this_device,
    find_valid_devices,
    parse_devices,
)
from reverie.authority.keyring import KeyringError
from reverie.config import (
    Config,
    ConfigError,
    agreed,
    effective,
    parse_acknowledged,
    parse_config,
    render_acknowledged,
    render_value,
)
from reverie.errors import ConflictError, RefusedError, UnavailableError
from reverie.ledger import alerts
from reverie.ledger.audit_log import (
    ACCEPTED,
    ACKNOWLEDGED,
    acknowledged_by,
    by_unknown_hand,
)
from reverie.ledger.erasure import Scrub, Scrubbed
from reverie.model.change import (
    INIT,
    MANUAL,
    Action,
    Approval,
    ChangeSet,
    Edit,
    LogLine,
    checksum,
)
from reverie.model.views import Alert, WorkspaceStatus
from reverie.session.identity import COPY, REPLACED
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reverie.authority.authority import Owner
    from reverie.authority.keyring import Keyring
    from reverie.config import Effective
    from reverie.errors import FormatError
    from reverie.index import Located
    from reverie.ledger import Commit, Ledger
    from reverie.model.change import Actor, Receipt
    from reverie.session.session import Session
    from reverie.workspace.files import Folder

T = TypeVar("T")

_FILE = "acknowledged"

WORTH_KEEPING = 64
"""After a walk over so many commits, its result is kept."""

PAGE = """\
# Owner

This workspace has an owner passphrase. What only its human may do asks for it, each
time; see `reverie owner`. The hash of it is kept outside of this folder.

Edits to core memory, procedures, the vault and critical files that were saved by hand
or committed with plain git wait in `reverie pending` until the owner confirms them.

- **Fingerprint:** {fingerprint}
"""

_FINGERPRINT = re.compile(rb"^- \*\*Fingerprint:\*\* ([0-9a-f]{32})$", re.MULTILINE)


# --- the configuration ---------------------------------------------------------


class Settings(Struct, frozen=True):
    """Reads the configuration of one workspace.

    Attributes:
        folder: The workspace.
        ledger: Its history, for the last good version of a broken file.
        environ: Where overrides come from.
        keyring: What was acknowledged, outside of the workspace.
    """

    folder: Folder
    ledger: Ledger
    environ: Mapping[str, str]
    keyring: Keyring

    def load(self, warn: Callable[[str], None]) -> Effective:
        """What acts now; of a broken file, the last good version in history."""
        known = Config()
        try:
            known = reduce(agreed, map(parse_acknowledged, self.keyring.known(_FILE)))
        except KeyringError as error:
            warn(f"{error}; nothing counts as acknowledged")
        problem: RefusedError | FormatError | None = None
        versions = self._earlier()
        try:
            versions = chain([self.folder.read(layout.CONFIG) or b""], versions)
        except NotAPlainFileError as error:
            problem = error
        for data in versions:
            text = data.decode("utf-8", "replace")
            try:
                found = effective(text, layout.CONFIG, self.environ, known)
            except ConfigError as error:
                if error.path != layout.CONFIG:
                    # Not the file is wrong but a variable of the environment.
                    raise
                problem = problem or error
                continue
            if problem is not None:
                warn(f"{problem}; the last good one is used")
            return found
        raise AssertionError  # the last of them are the defaults

    def read_inputs(self) -> tuple[object, ...]:
        """Return the contents of the files that `load` reads, to notice changes."""
        file: object
        try:
            file = self.folder.read(layout.CONFIG)
        except NotAPlainFileError as error:
            file = str(error)
        try:
            return file, *self.keyring.known(_FILE)
        except KeyringError as error:
            return file, str(error)

    def _earlier(self) -> Iterator[bytes]:
        """The file as it was, newest first, and last the defaults."""
        yield self.ledger.read_at(self.ledger.head, layout.CONFIG) or b""
        for entry in self.ledger.history():
            if any(line.path == layout.CONFIG for line in entry.lines):
                yield self.ledger.read_at(entry.commit, layout.CONFIG) or b""
        yield b""


def acknowledge_config(keyring: Keyring, text: str) -> None:
    """Note, outside of the workspace, that its human agrees to a configuration.

    In the user's own home too: an environment that names another keyring brings none
    of its own acknowledgements.

    Raises:
        ConfigError: It is no configuration.
    """
    config = parse_config(text, layout.CONFIG, {})
    keyring.note(_FILE, render_acknowledged(config), first=True)


def told(found: Effective) -> list[str]:
    """What does not act, in words."""
    lines = []
    if found.waiting:
        names = ", ".join(map(str, found.waiting))
        lines.append(
            f"{layout.CONFIG}: not acknowledged, so not acting: {names}; "
            f"`reverie alerts --ack {layout.CONFIG}`"
        )
    if found.ignored:
        names = ", ".join(each.name for each in found.ignored)
        lines.append(
            f"{names}: not acting; a variable may lower a limit, and raises none, "
            f"names no server, model or key and trusts nobody: {layout.CONFIG} does"
        )
    return lines


# --- what was folded over history, to go on from -------------------------------


def _kept(keyring: Keyring, name: str, kind: object, nothing: T) -> T:
    with suppress(KeyringError, msgspec.MsgspecError):
        found: T = msgspec.json.decode(keyring.believed(name) or b"", type=kind)
        return found
    return nothing


def _keep(keyring: Keyring, name: str, found: object, walked: int) -> None:
    if walked >= WORTH_KEEPING:
        with suppress(KeyringError):
            keyring.note(name, msgspec.json.encode(found))


# --- edits by an unknown hand --------------------------------------------------


class Doubt(Struct, frozen=True):
    """A file that an unknown hand has changed since its owner last looked.

    Attributes:
        changed: The newest such change.
        good: The commit with the last version that is confirmed.
    """

    changed: str
    good: str


Doubts = dict[str, Doubt]


class Confirming:
    """Which files wait for their owner's confirmation.

    Args:
        ledger: History.
        owner: Whose passphrase it is.
        keyring: Where what was found is kept, to go on from.
    """

    def __init__(self, ledger: Ledger, owner: Owner, keyring: Keyring) -> None:
        self._ledger = ledger
        self._owner = owner
        self._keyring = keyring
        self._known: tuple[str, Doubts] = "", {}
        self._entries: tuple[Doubts, dict[tuple[str, bool], Mapping[str, Located]]]
        self._entries = self._known[1], {}

    def doubts(self) -> Doubts:
        """The files in doubt; none where no owner is set."""
        head = self._ledger.head
        if self._known[0] != head:
            self._known = head, self._in_doubt(head) if self._owner.closed else {}
        return self._known[1]

    def forget(self) -> None:
        """Forget what was found, after the user confirmed the folder."""
        self._known = "", {}

    def follow(self, since: str) -> None:
        """Go on from a commit of a history that was written anew; from none, from all.

        Args:
            since: A commit up to which nothing is in doubt.
        """
        self.forget()
        self._owner.date(since)

    def confirmed(self, path: str) -> bytes | None:
        """A file as it counts: as it stands, or the last version that is confirmed."""
        doubt = self.doubts().get(path)
        if doubt is None and not self._owner.closed:
            return self._ledger.read(path)
        # What was saved a moment ago is not in history yet, and not confirmed.
        good = doubt.good if doubt else self._ledger.head
        return self._ledger.read_at(good, path) if good else None

    def versions(self, path: str) -> tuple[bytes, ...]:
        """Return the confirmed version of a file with an edit that waits.

        Returns:
            One version, empty if there was no file; nothing if no edit waits.
        """
        waits = path in self.doubts()
        return (self.confirmed(path) or b"",) if waits else ()

    def entries(self, path: str, *, confirmed: bool) -> Mapping[str, Located]:
        """Return the memories of a file with an edit that waits, by ID.

        Args:
            path: The file.
            confirmed: Whether to read the confirmed version, not the file as it is.
        """
        from reverie.index.located import located, read_shown  # noqa: PLC0415 - rarely
        from reverie.stores.reader import load_vocabulary  # noqa: PLC0415

        if self._entries[0] is not self.doubts():
            self._entries = self.doubts(), {}
        known = self._entries[1]
        if (path, confirmed) not in known:
            head, read_at = self._ledger.head, self._ledger.read_at
            data = self.confirmed(path) if confirmed else read_at(head, path)
            read = read_shown(path, data, load_vocabulary(None)) if data else None
            found = (located(e, path) for e in (read.entries if read else ()))
            known[path, confirmed] = {each.id: each for each in found}
        return known[path, confirmed]

    def is_unconfirmed_text(self, path: str, text: str) -> bool:
        """Return whether no confirmed memory of a file says a text."""
        if path not in self.doubts():
            return False
        good = self.entries(path, confirmed=True).values()
        lines = (line for each in good for line in (each.text, *each.text.split("\n")))
        return text not in {re.sub(r"\A[0-9]+\. ", "", line) for line in lines}

    def is_unconfirmed(self, found: Located) -> bool:
        """Return whether a memory reads otherwise than the owner confirmed."""
        if found.path not in self.doubts():
            return False
        good = self.entries(found.path, confirmed=True).get(found.id)
        return good is None or good.text != found.text

    def alerts(self) -> list[Alert]:
        """What is in doubt, for the owner to look at."""
        found = []
        for path, doubt in sorted(self.doubts().items()):
            entry = self._ledger.entry(doubt.changed)
            summary = next((x.summary for x in entry.lines if x.path == path), "")
            facts = (entry.commit, path, entry.at, str(entry.actor), summary)
            found.append(Alert(*facts, "unconfirmed", since=doubt.good))
        return found

    def _in_doubt(self, head: str) -> Doubts:
        if missing := self._ledger.lost(of_copy=True):
            return self._unlike(head, missing[0].commit)
        if not self._owner.recorded:
            return self._unlike(head, self._owner.since)
        nothing: tuple[str, Doubts] = "", {}
        kept_at, kept = self._known if self._known[0] else nothing
        if not kept_at:
            kind = tuple[str, Doubts]
            kept_at, kept = _kept(self._keyring, "doubts", kind, nothing)
        found, walked = self._fold(head, kept_at, kept)
        _keep(self._keyring, "doubts", (head, found), walked)
        return found

    def _unlike(self, head: str, known: str) -> Doubts:
        """Return the files that are not as a commit confirmed them.

        History was exchanged or set back. Whatever it says of itself, what counts is
        the known commit; nothing counts if that is not here.
        """
        ledger = self._ledger
        if not ledger.has(known):
            changed = ledger.changed(head, "")
            return {p: Doubt(head, "") for p in changed if self._guarded(p, "", head)}
        good = {p: doubt.good for p, doubt in self._fold(known)[0].items()}
        paths = {*ledger.changed(head, known), *good}
        found = {
            path: Doubt(head, good.get(path, known))
            for path in paths
            if self._guarded(path, known, head)
        }
        return {p: d for p, d in found.items() if self._stands(p, d, head)}

    def _fold(
        self, head: str, kept_at: str = "", kept: Doubts | None = None
    ) -> tuple[Doubts, int]:
        """Return the files in doubt at a commit, and how many commits were read.

        Args:
            head: The commit.
            kept_at: A commit at which they are known.
            kept: What is known of it.
        """
        ledger, since = self._ledger, self._owner.since
        found: Doubts = {}
        seen: set[str] = set()
        walked = 0
        for commit in ledger.walk(head):
            if commit.id == kept_at:
                for path, doubt in (kept or {}).items():
                    if path not in seen:
                        newest_change = found.get(path, doubt).changed
                        found[path] = Doubt(newest_change, doubt.good)
            if commit.id in {kept_at, since}:
                break
            walked += 1
            seen |= acknowledged_by(commit)
            if by_unknown_hand(commit):
                for path in ledger.changed(commit.id):
                    guarded = self._guarded(path, commit.parent, commit.id)
                    if path not in seen and guarded:
                        changed_by = found[path].changed if path in found else commit.id
                        found[path] = Doubt(changed_by, commit.parent)
        found = {p: d for p, d in found.items() if self._stands(p, d, head)}
        return found, walked

    def _stands(self, path: str, doubt: Doubt, head: str) -> bool:
        """Whether a file still is what an unknown hand made of it."""
        blob_id = self._ledger.content_id
        now = blob_id(head, path)
        if path == layout.SCORES and now != blob_id(doubt.changed, path):
            # The scores are written from what counts, so any later ones are good.
            return False
        return now != blob_id(doubt.good, path)

    def _guarded(self, path: str, before: str, after: str) -> bool:
        """Return whether a change between two commits waits for the owner."""
        if path in {layout.OWNER, layout.SCORES} or layout.steers(path):
            return True
        if self._ledger.critical(path):
            return True
        if not path.startswith(f"{layout.ENTITIES}/"):
            return False
        from reverie.index.located import pins_in  # noqa: PLC0415 - rarely used

        was, now = (
            pins_in(path, self._ledger.read_at(at, path) if at else None)
            for at in (before, after)
        )
        return bool(was - now)


# --- the owner -----------------------------------------------------------------


Found = tuple[str, RecordedOwner, bool]
"""A commit; what history up to it says of an owner; whether any of it is sealed."""


class OwnerRecord:
    """What history says of an owner: the newest change of `reverie owner` counts.

    That there is an owner is believed of a change that this keyring did not seal as
    well, where it sealed nothing before it: another home must not open a workspace.
    That there is none any more is believed only where it is sealed.
    """

    def __init__(self, ledger: Ledger, keyring: Keyring) -> None:
        self._ledger = ledger
        self._keyring = keyring
        self._known: Found | None = None

    def __call__(self) -> RecordedOwner:
        """What all of history says."""
        nothing: Found = "", NOBODY, False
        known = self._known or _kept(self._keyring, "recorded", Found, nothing)
        if known[0] != self._ledger.head:
            known = self._find(self._ledger.head, known)
        self._known = known
        return known[1]

    def _find(self, head: str, known: Found) -> Found:
        claimed: RecordedOwner | None = None
        sealing, walked = False, 0
        before, found = False, NOBODY
        for commit in self._ledger.walk():
            if commit.id == known[0]:
                before, found = known[2], known[1]
                break
            walked += 1
            told = self._told(commit) if layout.OWNER in commit.message else None
            if told and told.verified:
                before, found = True, told
                break
            claimed = claimed or told
            if commit.sealed:
                # What was claimed after our own ledger was at work is forged.
                sealing, claimed = True, None
        if claimed and not before and not found.verified:
            found = claimed
        made = head, found, sealing or before
        _keep(self._keyring, "recorded", made, walked)
        return made

    def _told(self, commit: Commit) -> RecordedOwner | None:
        """What one change says of an owner; None if it is none of `reverie owner`."""
        entry, sealed = self._ledger.entry(commit.id), commit.sealed
        named = any(line.path == layout.OWNER for line in entry.lines)
        verb = entry.trigger if named and entry.signed.human else ""
        if verb == REMOVE:
            return RecordedOwner("", commit.id, verified=True) if sealed else None
        if verb not in {SET, CHANGE}:
            return None
        data = self._ledger.read_at(commit.id, layout.OWNER)
        found = _FINGERPRINT.search(data or b"")
        return RecordedOwner(found[1].decode() if found else "", commit.id, sealed)


def find_lost_owner(ledger: Ledger) -> str:
    """Return the fingerprint that a known commit records which is not in history."""
    for newest in ledger.lost():
        with suppress(UnavailableError):
            data = ledger.read_at(newest.commit, layout.OWNER)
            if found := _FINGERPRINT.search(data or b""):
                return found[1].decode()
    return ""


def set_owner(
    session: Session, passphrase: str | Callable[[], str] | None, verb: str
) -> Receipt:
    """Set, change or remove the passphrase that every act of the human asks for.

    Args:
        session: The workspace's parts.
        passphrase: The new one, or what asks for it once its human agreed and the
            old one was given; None to remove it.
        verb: `set`, `change` or `remove`.
    """
    had = session.owner.expects()
    if had is (verb == "set"):
        what = f"this workspace has {'an' if had else 'no'} owner passphrase"
        hint = f"`reverie owner {'change` replaces it' if had else 'set` sets one'}."
        raise RefusedError(what, hint=hint)
    with session.authority.act(Act.OWNER, f"{verb} the owner passphrase"):
        name, page = "", None
        if passphrase is not None:
            given = passphrase if isinstance(passphrase, str) else passphrase()
            session.look()
            # In this order: at no moment is the hash that counts not there.
            name = session.owner.keep(given, session.ledger.head)
            page = PAGE.format(fingerprint=name).encode()

        def record() -> Receipt:
            session.look()
            old, new, why = (
                session.ledger.read(layout.OWNER),
                page,
                f"reverie owner {verb}",
            )
            action = Action.EDIT if old else Action.CREATE
            if page is None:
                # Where somebody took the file away, it is still told.
                new = None if old else b"# Owner\n"
                action = Action.DELETE if old else Action.EDIT
            why = f"reverie owner {verb}"
            edit = Edit(layout.OWNER, new, checksum(old), action, why)
            change = ChangeSet((edit,), MANUAL, Approval.NONE, why)
            return session.commit(change, allowed=True)

        receipt = session.persist("owner", record)
        session.owner.settle(name)
        return receipt


# --- alerts ---------------------------------------------------------------------


IDENTITY = frozenset({alerts.MOVED, COPY, REPLACED})
"""Kinds of alerts that lock human-only actions until the user confirms the folder."""


class ChangedSinceShownError(ConflictError):
    """Something was changed while its human looked at what had been."""

    says = "something was changed while you looked; nothing was acknowledged"
    mend = "Look again: `reverie alerts`."


def all_alerts(session: Session, *, everything: bool) -> list[Alert]:
    """As `alerts`, with the configuration and edits that nobody agreed to here."""
    found = _with_settings(session, session.alerts(everything=everything))
    if not any(a.path == layout.CONFIG and not a.acknowledged for a in found):
        # A copy, or another machine: nobody has agreed to it here.
        found += _unacknowledged(session)
    found += session.identity.find_alerts()
    known = {(alert.commit, alert.path) for alert in found}
    more = session.confirming.alerts()
    return found + [a for a in more if (a.commit, a.path) not in known]


NOT_PLAIN = (
    "it is no plain file any more, but a link or the like; what an agent reads there "
    "is not kept, and not what its human confirmed. Put the file back."
)
"""What is told of a critical file in whose place something else stands."""


def replaced(session: Session) -> list[str]:
    """Critical files in whose place a link stands, or whatever else is no plain file.

    Nothing of that is kept, so no change of it can be told; an agent may read it.
    """
    if session.closed or not session.config.audit.critical_alerts:
        return []
    found = []
    for path in session.config.audit.critical_files:
        with suppress(OSError):
            plain = stat.S_ISREG(os.lstat(session.root / path).st_mode)
            known = session.ledger.content_id(session.ledger.head, path)
            found += [path] if known and not plain else []
    return found


def acknowledge(
    session: Session,
    waiting: Sequence[Alert],
    head: str,
    actor: Actor,
    *,
    everything: bool,
) -> None:
    """Note in history that its human has seen some alerts, and act on it.

    Args:
        session: The workspace's parts.
        waiting: What they were shown.
        head: The newest change when it was shown.
        actor: Who acts.
        everything: Whether nothing else waits.
    """
    with session.ledger.exclusively("acknowledging"):
        if session.ledger.head != head:
            raise ChangedSinceShownError
        if not session.seal:
            what = "nothing can be acknowledged where changes cannot be sealed"
            hint = "`reverie health` says why the key cannot be used."
            raise UnavailableError(what, hint=hint)
        # The newest alert of a file includes the older ones. History has two: on
        # commits in it, and on its identity.
        newest = {a.path: a for a in waiting if a.kind not in IDENTITY}
        moved = [alert for alert in waiting if alert.kind in IDENTITY]
        seen = tuple(map(_seen, (*newest.values(), *moved)))
        doubted = session.doubts()
        trigger = "reverie alerts --ack"
        session.commit(ChangeSet((), actor, Approval.NONE, trigger, seen))
        if moved:
            session.accept_identity()
        if moved or alerts.HISTORY in newest:
            # It may say of what was not believed that it is now.
            session.ledger.tell_again()
        if layout.CONFIG in newest:
            session.acknowledge_config()
        if everything:
            session.confirming.follow(session.ledger.head)
        if doubted != session.doubts():
            # What was kept in spite of the files goes by them now.
            session.rebuild_index()


def fork(session: Session, actor: Actor) -> None:
    """Give the workspace a new ID, in a history that is otherwise the same.

    Args:
        session: The workspace's parts.
        actor: Who acts.
    """
    new_id = secrets.token_hex(16)
    said = LogLine(Action.ALERT, alerts.HISTORY, "made a workspace of its own")
    record = ChangeSet((), actor, Approval.NONE, "reverie workspace fork", (said,))
    unchanged = Scrub(lambda _, data: Scrubbed(data, b""), lambda message, _: message)
    session.look()
    with session.ledger.erasing():
        session.identity.release()
        session.ledger.erase(unchanged, record, lambda *_: None, new_id)
        session.identity.replace_id(new_id, ("owner", _FILE))
        session.accept_identity()
        session.confirming.follow(session.ledger.head)
        session.rebuild_index()
        if page := session.render_device_list():
            old = session.ledger.read(layout.DEVICES)
            edit = Edit(
                layout.DEVICES, page.encode(), checksum(old), Action.EDIT, "signed"
            )
            why = "reverie workspace fork"
            session.commit(ChangeSet((edit,), INIT, Approval.AUTO, why), allowed=True)


def describe_workspace(session: Session) -> WorkspaceStatus:
    """Return the identity of an open workspace, its devices, and what is locked."""
    found = session.identity
    text = (session.ledger.read(layout.DEVICES) or b"").decode("utf-8", "replace")
    devices = parse_devices(text)
    valid = find_valid_devices(devices, found.id)
    own = ""
    if session.seal:
        own = describe_this_device(session.keyring.seal_key(), "").id
    return WorkspaceStatus(
        found.id,
        str(session.root),
        str(found.situation),
        found.known_folder,
        session.identity.describe_lock(),
        own,
        tuple((device.id, device.name, device.added) for device in valid),
        tuple(device.id for device in devices if device not in valid),
        str(session.state_folder),
    )


def unconfirmed(session: Session) -> list[Alert]:
    """What does not act before its human acknowledges it."""
    found = _with_settings(session, session.confirming.alerts())
    if any(alert.path == layout.CONFIG for alert in found):
        return found
    return found + _unacknowledged(session)


def _with_settings(session: Session, found: list[Alert]) -> list[Alert]:
    """Add the settings that are not in effect yet to alerts on the configuration."""
    settings = tuple(
        (each.name, render_value(each.acting), render_value(each.wanted))
        for each in session.waiting
    )
    return [
        replace(each, settings=settings)
        if each.path == layout.CONFIG and not each.acknowledged
        else each
        for each in found
    ]


def _unacknowledged(session: Session) -> list[Alert]:
    """The configuration, where some of it does not act before a yes."""
    if not session.waiting:
        return []
    said = f"not acknowledged here: {', '.join(map(str, session.waiting))}"
    newest = next(session.ledger.walk())
    facts = (newest.id, layout.CONFIG, newest.at, "unknown", said)
    return _with_settings(session, [Alert(*facts, kind="unacknowledged")])


def _seen(alert: Alert) -> LogLine:
    """What history says of an alert that the human has seen."""
    history = alert.path == alerts.HISTORY
    said = f"{ACCEPTED}{alert.commit}" if history else ACKNOWLEDGED
    if alert.kind in {COPY, REPLACED}:
        said = "accepted as the folder of this workspace"
    if alert.kind == alerts.MOVED:
        said = f"accepted that history does not lead up to {alert.commit}"
    return LogLine(Action.ALERT, alert.path, said)
