"""Alerts: what its human should look at, folded out of history.

Alerts are a function of the commits, so nothing that is kept beside them can end or
begin one. What the fold found up to a commit may be kept by anybody who seals it; the
rest is folded on from there.

A change that the ledger made says itself whether it touched a critical file, and what
was acknowledged. One that it did not make is believed in nothing: its files are
compared. What is older than every seal is told as it tells itself, under one alert
that asks its human to accept it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from reverie.ledger.audit_log import (
    ACKNOWLEDGED,
    CRITICAL_MARK,
    accepted_in,
    approved,
    authorised,
)
from reverie.model.change import HUMAN_EDIT, UNVERIFIED, Action
from reverie.model.views import Alert
from reverie.workspace.layout import EPISODES, GIT_DIR

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.ledger import Commit, Ledger
    from reverie.ledger.audit_log import AuditLog
    from reverie.model.change import LogEntry, LogLine

PURPOSE = b"alerts 4"
"""What a kept fold is sealed for; counted on when it would come out otherwise."""

HISTORY = GIT_DIR
"""The path that an alert on history itself is listed under."""

MOVED = "moved"
"""The kind of an alert on a history that does not lead up to what is known of it."""


class Watch(msgspec.Struct):
    """What history up to a commit gives reason to look at.

    Attributes:
        commit: The commit.
        root: The first commit of all.
        sealing: Whether any change up to it is sealed.
        raised: All alerts so far but the one on history itself, oldest first.
        doubted: How many changes the ledger did not make, and nobody has accepted.
        claims: How many of them say that a human made or approved them.
        elsewhere: How many of them are older than every seal of this device.
        last: The newest of them.
        at: When that was made.
    """

    commit: str = ""
    root: str = ""
    sealing: bool = False
    raised: list[tuple[str, str, datetime, str, str, str, bool]] = []
    doubted: int = 0
    claims: int = 0
    elsewhere: int = 0
    last: str = ""
    at: datetime = datetime.fromtimestamp(0, UTC)

    def alerts(self, *, everything: bool = False) -> list[Alert]:
        """What waits for a look, oldest first; with `everything` also what was seen."""
        found = [Alert(*a) for a in self.raised if everything or not a[-1]]
        if self.doubted:
            # One alert for all changes that nobody has vouched for.
            many = f"{self.doubted:,} changes were"
            what = "1 change was" if self.doubted == 1 else many
            if self.elsewhere == self.doubted:
                # A moved or copied folder is no attack.
                summary = f"{what} made on another device, up to {self.last[:10]}"
                summary += "; `reverie workspace accept` accepts this history here"
            else:
                summary = f"{what} not made by this ledger, up to {self.last[:10]}"
            if self.claims and self.elsewhere != self.doubted:
                said = "1 claims" if self.claims == 1 else f"{self.claims:,} claim"
                summary += f"; {said} to be your own or approved by you"
            facts = (self.last, HISTORY, self.at, str(UNVERIFIED), summary)
            found.append(Alert(*facts, "unverified"))
        return found

    def take(
        self, log: AuditLog, commit: Commit, critical: Callable[[str], bool]
    ) -> None:
        """Fold one more change in."""
        self.root = self.root or commit.id
        self.commit = commit.id
        if commit.sealed or not log.sealing:
            self.sealing |= commit.sealed
            self._believe(log.entry(commit, verified=True))
            return
        claim = log.entry(commit, verified=False).claim
        human = claim and (claim.actor.human or claim.actor.session)
        self.doubted, self.claims = self.doubted + 1, self.claims + bool(human)
        self.last, self.at = commit.id, commit.at
        if not self.sealing:
            self.elsewhere += 1
            self._believe(log.entry(commit, verified=True))
            return
        # What a change did that is not ours, whatever it says.
        entry = log.doubtful(commit)
        for line in entry.lines:
            if critical(line.path):
                self._raise(entry, line, "unverified")
            elif _rewrites(line):
                self._raise(entry, line, "rewritten")

    def _believe(self, entry: LogEntry) -> None:
        for line in entry.lines:
            seen = line.action is Action.ALERT and line.summary == ACKNOWLEDGED
            if seen and entry.actor.human:
                self.raised = [
                    (*a[:-1], a[-1] or a[1] == line.path) for a in self.raised
                ]
            if line.summary.startswith(CRITICAL_MARK):
                # Who approved a reflection has seen what it does to the file.
                kind = "critical" if authorised(entry) else "unapproved"
                self._raise(entry, line, kind, seen=approved(entry))
            elif entry.trigger == HUMAN_EDIT and _rewrites(line):
                # A correction through Reverie is the user's; a saved file may not be.
                self._raise(entry, line, "rewritten")
        if self.last and accepted_in(entry) == self.last:
            self.doubted, self.claims, self.elsewhere, self.last = 0, 0, 0, ""

    def _raise(
        self, entry: LogEntry, line: LogLine, kind: str, *, seen: bool = False
    ) -> None:
        summary = line.summary.removeprefix(CRITICAL_MARK)
        summary = f"claims {entry.claim}: {summary}" if entry.claim else summary
        facts = (entry.commit, line.path, entry.at, str(entry.actor), summary)
        self.raised.append((*facts, kind, seen))


def _rewrites(line: LogLine) -> bool:
    gone = line.action in {Action.EDIT, Action.DELETE}
    return gone and line.path.startswith(f"{EPISODES}/")


def moved(ledger: Ledger) -> list[Alert]:
    """Alerts on a history that was exchanged, or moved back.

    What is known of it lies outside of the workspace, so it ends with no history.
    """
    return [
        Alert(
            newest.commit,
            HISTORY,
            newest.at,
            str(UNVERIFIED),
            "history was exchanged or moved back: the newest known change, "
            f"{newest.commit[:10]} of {newest.at:%Y-%m-%d}, is not part of it any more",
            MOVED,
        )
        for newest in ledger.lost()
    ]


def advanced(ledger: Ledger, watch: Watch, critical: Callable[[str], bool]) -> Watch:
    """The fold at the newest commit, from one at an earlier commit or at none.

    Args:
        ledger: Whose history.
        watch: What is known; of another history, it counts for nothing.
        critical: Which files count as critical in changes that are not ours.
    """
    news: list[Commit] = []
    for commit in ledger.walk():
        if commit.id == watch.commit:
            break
        news.append(commit)
    else:
        watch = Watch()
    for commit in reversed(news):
        watch.take(ledger.log, commit, critical)
    return watch
