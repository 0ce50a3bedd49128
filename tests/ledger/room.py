"""A small real workspace for the ledger's tests, and a person in it."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reverie.authority.keyring import Seal
from reverie.ledger import Rules
from reverie.ledger.git_ledger import GitLedger, action_between, prepare
from reverie.model.change import (
    ABSENT,
    REMEMBER,
    Action,
    Actor,
    Approval,
    ChangeSet,
    Edit,
    Receipt,
    checksum,
)
from reverie.workspace.files import Folder
from reverie.workspace.layout import AUDIT_LOG, FOLDERS, alias_key

if TYPE_CHECKING:
    from pathlib import Path

START = datetime(2026, 2, 2, 15, 30, tzinfo=UTC)
RULES = Rules(
    lock_seconds=0,
    file_limit=100_000,
    critical_files=frozenset(map(alias_key, ("SOUL.md", "IDENTITY.md"))),
)
BEGINNING = {
    "MEMORY.md": "# MEMORY\n\n## Active Context\n\n- one\n- two\n",
    "SOUL.md": "# SOUL\n\nBe kind.\n",
}
SEAL = Seal(b"a key of the tests, 32 bytes long")
DAY = "memory/episodes/2026-02-02.md"
NOTE = "memory/vault/note.md"


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """What time it is."""
        return self.now

    def forward(self, **by: float) -> None:
        """Let time go by."""
        self.now += timedelta(**by)


class Room:
    """A workspace with its ledger open."""

    def __init__(self, root: Path, clock: Clock) -> None:
        self.root = root
        self.clock = clock
        self.folder = Folder(root)
        self.ledger = GitLedger(self.folder, RULES, clock, seal=SEAL)

    @classmethod
    def found(cls, root: Path, clock: Clock) -> Room:
        """Make a new workspace and open it."""
        prepare(root)
        room = cls(root, clock)
        for name in FOLDERS:
            room.folder.make_folder(name)
        room.ledger.begin(BEGINNING)
        return room

    def reopened(self) -> Room:
        """The workspace as the next process opens it."""
        self.folder.close()
        return Room(self.root, self.clock)

    def put(
        self,
        path: str,
        text: str | None,
        *,
        actor: Actor = REMEMBER,
        approval: Approval = Approval.AUTO,
        action: Action | None = None,
        summary: str = "a test",
    ) -> Receipt:
        """Commit one file's new text, planned on what it says now."""
        old = self.ledger.read(path)
        new = None if text is None else text.encode()
        done = action or action_between(old, new)
        edit = Edit(path, new, ABSENT if old is None else checksum(old), done, summary)
        return self.ledger.commit(ChangeSet((edit,), actor, approval, "testing"))

    def type(self, path: str, text: str) -> None:
        """Save a file as a person does."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def says(self, path: str) -> str | None:
        """What a work file says."""
        data = self.folder.read(path)
        return None if data is None else data.decode()

    def at_head(self, path: str) -> str | None:
        """What HEAD says of a file."""
        data = self.ledger.read_at(self.ledger.head, path)
        return None if data is None else data.decode()

    def log(self) -> list[str]:
        """The lines of the audit log."""
        return (self.root / AUDIT_LOG).read_text(encoding="utf-8").split("\n")[:-1]

    def actors(self) -> list[str]:
        """Who acted, newest first."""
        return [str(entry.actor) for entry in self.ledger.history()]

    def git(self, *arguments: str, **environ: str) -> str:
        """Run plain git in the folder, as a person would, and return what it says."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env=GIT_ENVIRONMENT | environ,
        )
        assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
        return done.stdout.decode()


GIT_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Alex",
    "GIT_AUTHOR_EMAIL": "alex@example.org",
    "GIT_COMMITTER_NAME": "Alex",
    "GIT_COMMITTER_EMAIL": "alex@example.org",
    "GIT_AUTHOR_DATE": "2026-02-03T08:00:00Z",
    "GIT_COMMITTER_DATE": "2026-02-03T08:00:00Z",
}
