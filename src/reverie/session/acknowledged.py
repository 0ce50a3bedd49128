"""What acts only once its human acknowledged it: configuration, edits by hand.

What names a server, a key, an agent or a budget counts as it was last acknowledged.
Where an owner is set, so do files that steer an agent: one that was saved, or committed
with plain git, may be its owner's or anybody's (docs/design/locks.md).
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from reverie.authority.keyring import KeyringError
from reverie.config import (
    Config,
    ConfigError,
    agreed,
    effective,
    parse_acknowledged,
    parse_config,
    render_acknowledged,
)
from reverie.index.sync import NOTHING, KeptWishes
from reverie.ledger.audit_log import acknowledged_by, by_unknown_hand
from reverie.model.views import Alert
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from reverie.authority.authority import Owner
    from reverie.authority.keyring import Keyring
    from reverie.config import Effective
    from reverie.ledger import Ledger
    from reverie.ledger.git_ledger import GitLedger
    from reverie.ledger.repository import RawCommit
    from reverie.workspace.files import Folder

_FILE = "acknowledged"
HOW = f"`reverie alerts --ack {layout.CONFIG}`"


class Settings:
    """Reads the configuration of one workspace.

    Args:
        folder: The workspace.
        ledger: Its history, for the last good version of a broken file.
        environ: Where overrides come from.
        keyring: What was acknowledged, outside of the workspace.
    """

    def __init__(
        self,
        folder: Folder,
        ledger: Ledger,
        environ: Mapping[str, str],
        keyring: Keyring,
    ) -> None:
        self._folder = folder
        self._ledger = ledger
        self._environ = environ
        self._keyring = keyring

    def load(self, warn: Callable[[str], None]) -> Effective:
        """What acts now; of a broken file, the last good version in history."""
        known = self._acknowledged(warn)
        try:
            data = self._folder.read(layout.CONFIG) or b""
            text = data.decode("utf-8", "replace")
            return effective(text, layout.CONFIG, self._environ, known)
        except (ConfigError, NotAPlainFileError) as error:
            for text in self._earlier():
                try:
                    found = effective(text, layout.CONFIG, self._environ, known)
                except ConfigError as other:
                    if other.path != layout.CONFIG:
                        # Not the file is wrong but a variable of the environment.
                        raise
                    continue
                warn(f"{error}; the last good one is used")
                return found
            raise

    def acknowledge(self) -> None:
        """Let the file act as it is in history; its human has seen it.

        Raises:
            ConfigError: It is no configuration.
        """
        head = self._ledger.head
        data = self._ledger.read_at(head, layout.CONFIG) or b""
        acknowledge_config(self._keyring, data.decode("utf-8", "replace"))

    def _acknowledged(self, warn: Callable[[str], None]) -> Config:
        try:
            known = map(parse_acknowledged, self._keyring.known(_FILE))
            return reduce(agreed, known)
        except KeyringError as error:
            warn(f"{error}; nothing counts as acknowledged")
            return Config()

    def _earlier(self) -> Iterator[str]:
        """The file as it was, newest first, and last the defaults."""
        newest = self._ledger.read_at(self._ledger.head, layout.CONFIG) or b""
        yield newest.decode("utf-8", "replace")
        for entry in self._ledger.history():
            if any(line.path == layout.CONFIG for line in entry.lines):
                data = self._ledger.read_at(entry.commit, layout.CONFIG) or b""
                yield data.decode("utf-8", "replace")
        yield ""


def acknowledge_config(keyring: Keyring, text: str) -> None:
    """Note, outside of the workspace, that its human agrees to a configuration.

    In the user's own home too: an environment that names another keyring brings none
    of its own acknowledgements.
    """
    config = parse_config(text, layout.CONFIG, {})
    keyring.note(_FILE, render_acknowledged(config), first=True)


def told(found: Effective) -> list[str]:
    """What does not act, in words."""
    lines = []
    if found.waiting:
        names = ", ".join(map(str, found.waiting))
        what = f"{layout.CONFIG}: not acknowledged, so not acting: {names}"
        lines.append(f"{what}; {HOW}")
    if found.ignored:
        names = ", ".join(each.name for each in found.ignored)
        lines.append(
            f"{names}: not acting; a variable may lower a limit, and raises none, "
            f"names no server, model or key and trusts nobody: {layout.CONFIG} does"
        )
    return lines


WORTH_KEEPING = 64
"""After a walk over so many commits, its result is kept."""

_NONE: Mapping[str, Doubt] = {}


@dataclass(frozen=True, slots=True)
class Doubt:
    """A file that an unknown hand has changed since its owner last looked.

    Attributes:
        changed: The newest such change.
        good: The commit with the last version that is confirmed.
    """

    changed: str
    good: str


def pins_in(path: str, data: bytes | None) -> frozenset[str]:
    """The memories in a file that the file itself says are pinned."""
    from reverie.index.sync import own_pin  # noqa: PLC0415 - rarely used
    from reverie.stores.reader import load_vocabulary, read_file  # noqa: PLC0415

    reading = read_file(path, data or b"", load_vocabulary(None))
    return frozenset(str(entry.id) for entry in reading.entries if own_pin(entry.item))


class Confirming:
    """Which files wait for their owner's confirmation.

    Args:
        ledger: History.
        owner: Whose passphrase it is.
        keyring: Where what was found is kept, to go on from.
    """

    def __init__(self, ledger: GitLedger, owner: Owner, keyring: Keyring) -> None:
        self._ledger = ledger
        self._owner = owner
        self._keyring = keyring
        self._known: tuple[str, Mapping[str, Doubt]] = "", _NONE
        self._wishes: tuple[str, KeptWishes] = "", NOTHING

    def doubts(self) -> Mapping[str, Doubt]:
        """The files in doubt; none where no owner is set."""
        head = self._ledger.head
        if self._known[0] != head:
            found = self._in_doubt(head) if self._owner.closed else _NONE
            self._known = head, found
        return self._known[1]

    def follow(self, since: str) -> None:
        """Go on from a commit of a history that was written anew; from none, from all.

        Args:
            since: A commit up to which nothing is in doubt.
        """
        self._known = "", _NONE
        self._owner.date(since)

    def confirmed(self, path: str) -> bytes | None:
        """A file as it counts: as it stands, or the last version that is confirmed."""
        doubt = self.doubts().get(path)
        if doubt is None:
            return self._ledger.read(path)
        return self._ledger.read_at(doubt.good, path) if doubt.good else None

    def kept(self) -> KeptWishes:
        """What a human wanted of memories, and an unknown hand has taken out."""
        doubts = self.doubts()
        if self._wishes[0] != self._known[0]:
            pins = (
                pins_in(path, self._ledger.read_at(doubt.good, path))
                for path, doubt in doubts.items()
                if path != layout.SCORES and doubt.good
            )
            scores = doubts.get(layout.SCORES)
            pinned = frozenset(id_ for found in pins for id_ in found)
            told = KeptWishes(pinned, scores.good if scores else "")
            self._wishes = self._known[0], told
        return self._wishes[1]

    def alerts(self) -> list[Alert]:
        """What is in doubt, for the owner to look at."""
        found = []
        for path, doubt in sorted(self.doubts().items()):
            entry = self._ledger.entry(doubt.changed)
            summary = next((x.summary for x in entry.lines if x.path == path), "")
            who = str(entry.actor)
            alert = Alert(entry.commit, path, entry.at, who, summary, "unconfirmed")
            found.append(alert)
        return found

    def _in_doubt(self, head: str) -> Mapping[str, Doubt]:
        since = self._owner.since
        if self._owner.recorded:
            return self._find(head, since)
        # History was exchanged, by one that knows of no owner: whatever it says was
        # done in it, what counts is what it was when they were set.
        repository = self._ledger.repository
        there = repository.has(since)
        changed = repository.diff(since if there else "", head)
        newest = repository.commit(head)
        return {
            path: Doubt(head, since if there else "")
            for path in changed
            if self._guarded(path, newest)
        }

    def _find(self, head: str, since: str) -> dict[str, Doubt]:
        repository = self._ledger.repository
        kept_at, kept = self._known if self._known[0] else self._kept()
        found: dict[str, Doubt] = {}
        seen: set[str] = set()
        walked = 0
        for commit in repository.walk(head):
            if commit.id == kept_at:
                for path, doubt in kept.items():
                    if path not in seen:
                        newest = found.get(path, doubt).changed
                        found[path] = Doubt(newest, doubt.good)
                break
            if commit.id == since:
                break
            walked += 1
            seen |= acknowledged_by(commit)
            if not by_unknown_hand(commit):
                continue
            for path in repository.diff(commit.parent, commit.id):
                if path not in seen and self._guarded(path, commit):
                    newest = found[path].changed if path in found else commit.id
                    found[path] = Doubt(newest, commit.parent)
        found = {p: d for p, d in found.items() if self._stands(p, d, head)}
        if walked >= WORTH_KEEPING:
            self._keep(head, found)
        return found

    def _stands(self, path: str, doubt: Doubt, head: str) -> bool:
        """Whether a file still is what an unknown hand made of it."""
        blob_id = self._ledger.repository.blob_id
        now = blob_id(head, path)
        if path == layout.SCORES and now != blob_id(doubt.changed, path):
            # The scores are written from what counts, so any later ones are good.
            return False
        return now != blob_id(doubt.good, path)

    def _guarded(self, path: str, commit: RawCommit) -> bool:
        if path in {layout.OWNER, layout.SCORES} or layout.steers(path):
            return True
        if self._ledger.rules.critical(path):
            return True
        if not path.startswith(f"{layout.ENTITIES}/"):
            return False
        before, after = (
            pins_in(path, self._ledger.read_at(at, path) if at else None)
            for at in (commit.parent, commit.id)
        )
        return bool(before - after)

    def _kept(self) -> tuple[str, dict[str, Doubt]]:
        with suppress(KeyringError, ValueError, KeyError, TypeError):
            told = json.loads(self._keyring.believed("doubts") or b"{}")
            doubts = {path: Doubt(*both) for path, both in told["doubts"].items()}
            return told["head"], doubts
        return "", {}

    def _keep(self, head: str, found: Mapping[str, Doubt]) -> None:
        doubts = {path: (d.changed, d.good) for path, d in found.items()}
        told = json.dumps({"head": head, "doubts": doubts})
        with suppress(KeyringError):
            self._keyring.note("doubts", told.encode())
