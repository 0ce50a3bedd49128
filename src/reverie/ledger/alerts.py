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

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from reverie.ledger.audit_log import (
    ACKNOWLEDGED,
    CRITICAL_MARK,
    accepted_in,
    approved,
    authorised,
)
from reverie.model.change import UNVERIFIED, Action
from reverie.model.views import Alert
from reverie.workspace.layout import EPISODES, GIT_DIR

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.ledger.git_ledger import GitLedger
    from reverie.ledger.repository import RawCommit
    from reverie.model.change import LogEntry, LogLine

PURPOSE = b"alerts 2"
"""What a kept fold is sealed for; counted on when it would come out otherwise."""

HISTORY = GIT_DIR
"""The path that an alert on history itself is listed under."""


MOVED = "moved"
"""The kind of an alert on a history that does not lead up to what is known of it."""


class UnverifiedChanges(NamedTuple):
    """Changes that the ledger did not make, and that its human has not accepted.

    Attributes:
        changes: How many.
        claims: How many of them say that a human made or approved them.
        last: The newest of them.
        at: When that was made.
    """

    changes: int = 0
    claims: int = 0
    last: str = ""
    at: datetime = datetime.fromtimestamp(0, UTC)


NO_DOUBT = UnverifiedChanges()


@dataclass(frozen=True, slots=True)
class Watch:
    """What history up to a commit gives reason to look at.

    Attributes:
        commit: The commit.
        sealing: Whether any change up to it is sealed.
        doubt: What nobody has vouched for.
        raised: All alerts so far but the one on history itself, oldest first.
        root: The first commit of all.
    """

    commit: str = ""
    sealing: bool = False
    doubt: UnverifiedChanges = NO_DOUBT
    raised: tuple[Alert, ...] = ()
    root: str = ""

    def alerts(self, *, everything: bool = False) -> list[Alert]:
        """What waits for a look, oldest first; with `everything` also what was seen."""
        found = [a for a in self.raised if everything or not a.acknowledged]
        return [*found, _of_history(self.doubt)] if self.doubt.changes else found


def moved(ledger: GitLedger) -> list[Alert]:
    """Alerts on a history that was exchanged, or moved back.

    What is known of it lies outside of the workspace, so it ends with no history.
    """
    head, found = ledger.head, []
    for newest in ledger.anchor.known():
        if newest.commit == head or ledger.repository.leads_to(newest.commit, head):
            continue
        there = ledger.repository.has(newest.commit)
        summary = (
            "history was exchanged or moved back: it does not lead up to the newest "
            f"known change, {newest.commit[:10]} of {newest.at:%Y-%m-%d}, which "
            + ("is not part of it any more" if there else "is gone")
        )
        who = str(UNVERIFIED)
        found.append(Alert(newest.commit, HISTORY, newest.at, who, summary, MOVED))
    return found


def kept(data: bytes) -> Watch:
    """A fold as it was written down."""
    commit, sealing, (changes, claims, last, at), raised, root = json.loads(data)
    return Watch(
        commit,
        sealing,
        UnverifiedChanges(changes, claims, last, datetime.fromisoformat(at)),
        tuple(
            Alert(c, p, datetime.fromisoformat(when), *rest)
            for c, p, when, *rest in raised
        ),
        root,
    )


def written(watch: Watch) -> bytes:
    """A fold, to be written down."""
    *doubt, at = watch.doubt
    raised = [
        (a.commit, a.path, a.at.isoformat(), a.actor, a.summary, a.kind, a.acknowledged)
        for a in watch.raised
    ]
    told = (watch.commit, watch.sealing, (*doubt, at.isoformat()), raised, watch.root)
    return json.dumps(told).encode()


def advanced(ledger: GitLedger, watch: Watch, critical: Callable[[str], bool]) -> Watch:
    """The fold at the newest commit, from one at an earlier commit or at none.

    Args:
        ledger: Whose history.
        watch: What is known; of another history, it counts for nothing.
        critical: Which files count as critical in changes that are not ours.
    """
    head = ledger.head
    if watch.commit == head:
        return watch
    news: list[RawCommit] = []
    for commit in ledger.repository.walk(head):
        if commit.id == watch.commit:
            break
        news.append(commit)
    else:
        watch = Watch()
    fold = _Fold(ledger, watch, critical)
    for commit in reversed(news):
        fold.take(commit)
    return fold.at(head)


class _Fold:
    def __init__(
        self, ledger: GitLedger, watch: Watch, critical: Callable[[str], bool]
    ) -> None:
        self._ledger = ledger
        self._critical = critical
        self._sealing = watch.sealing
        self._doubt = watch.doubt
        self._raised = list(watch.raised)
        self._root = watch.root

    def at(self, head: str) -> Watch:
        raised = tuple(self._raised)
        return Watch(head, self._sealing, self._doubt, raised, self._root)

    def take(self, commit: RawCommit) -> None:
        """Fold one more change in."""
        self._root = self._root or commit.id
        log, seal = self._ledger.log, self._ledger.repository.seal
        if commit.sealed or not seal:
            self._sealing |= commit.sealed
            self._believe(log.entry(commit, verified=True))
            return
        entry = log.entry(commit, verified=False)
        human = entry.claim and (entry.claim.actor.human or entry.claim.actor.session)
        self._doubt = UnverifiedChanges(
            self._doubt.changes + 1,
            self._doubt.claims + bool(human),
            commit.id,
            commit.at,
        )
        if self._sealing:
            # What a change did that is not ours, whatever it says.
            entry = log.doubtful(commit)
            for line in entry.lines:
                if self._critical(line.path):
                    self._raised.append(_alert(entry, line, "unverified"))
                elif _rewrites(line):
                    self._raised.append(_alert(entry, line, "rewritten"))
        else:
            self._believe(log.entry(commit, verified=True))

    def _believe(self, entry: LogEntry) -> None:
        for line in entry.lines:
            seen = line.action is Action.ALERT and line.summary == ACKNOWLEDGED
            if seen and entry.actor.human:
                self._raised = [
                    replace(a, acknowledged=True) if a.path == line.path else a
                    for a in self._raised
                ]
            if line.summary.startswith(CRITICAL_MARK):
                alert = _alert(
                    entry, line, "critical" if authorised(entry) else "unapproved"
                )
                # Who approved a reflection has seen what it does to the file.
                self._raised.append(replace(alert, acknowledged=approved(entry)))
            elif entry.actor.human and _rewrites(line):
                self._raised.append(_alert(entry, line, "rewritten"))
        if self._doubt.last and accepted_in(entry) == self._doubt.last:
            self._doubt = NO_DOUBT


def _rewrites(line: LogLine) -> bool:
    gone = line.action in {Action.EDIT, Action.DELETE}
    return gone and line.path.startswith(f"{EPISODES}/")


def _alert(entry: LogEntry, line: LogLine, kind: str) -> Alert:
    summary = line.summary.removeprefix(CRITICAL_MARK)
    if entry.claim:
        summary = f"claims {entry.claim}: {summary}"
    return Alert(entry.commit, line.path, entry.at, str(entry.actor), summary, kind)


def _of_history(doubt: UnverifiedChanges) -> Alert:
    """One alert for all changes that nobody has vouched for."""
    one = doubt.changes == 1
    what = "1 change was" if one else f"{doubt.changes:,} changes were"
    summary = f"{what} not made by this ledger, up to {doubt.last[:10]}"
    if doubt.claims:
        claims = "1 claims" if doubt.claims == 1 else f"{doubt.claims:,} claim"
        summary += f"; {claims} to be your own or approved by you"
    return Alert(doubt.last, HISTORY, doubt.at, str(UNVERIFIED), summary, "unverified")
