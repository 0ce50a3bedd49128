"""A real workspace, a clock in the test's hand, and a person with an editor."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace
from tests.configured import agree_to

from reverie import (
    Actor,
    Block,
    Core,
    Episodic,
    Memory,
    Origin,
    Procedural,
    Semantic,
    Store,
    Vault,
)
from reverie.authority.keyring import Keyring
from reverie.encoding.placement import Saying
from reverie.ledger.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from reverie import Alert, Request
    from reverie.decay import Trace
    from reverie.index import Located
    from reverie.model.items import Edge
    from reverie.model.route import Place

NOON = datetime(2026, 2, 2, 12, 0, tzinfo=UTC)

CORE = "MEMORY.md"
CONFIG = "reverie.toml"
DAY = "memory/episodes/2026-02-02.md"
ALEX = "memory/graph/entities/person--alex.md"
DEPLOY = "memory/procedures/how-to-deploy.md"
PASSPORT = "memory/vault/passport.md"
RELATIONS = "memory/graph/relations.md"
GRAPH = "memory/graph/index.md"
SCORES = "memory/meta/decay-scores.json"
LOG = "memory/meta/audit.log"
ARCHIVE = "memory/meta/audit-archive.md"

GIT_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}

State = tuple[
    "list[Located]", "dict[str, Trace]", "list[Edge]", "list[tuple[str, ...]]"
]


def agrees(_: Request) -> bool:
    """A human who is there, and says yes to everything."""
    return True


def dreamt(memory: Memory, text: str, place: Place, session: str = "r-012") -> None:
    """Something that a reflection wrote down."""
    actor, origin = Actor(f"reflection:{session}"), Origin.AGENT
    saying = Saying(text, place, actor, "reflection", origin)
    memory._remembering.remember(saying)  # noqa: SLF001 - no caller may sign so


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """What time it is."""
        return self.now

    def forward(self, **by: float) -> datetime:
        """Let time go by."""
        self.now += timedelta(**by)
        return self.now


class Home:
    """A workspace that is open."""

    def __init__(self, root: Path, clock: Clock | None = None, **environ: str) -> None:
        self.root = root
        self.clock = clock or Clock()
        self.memory = Memory.init(root, clock=self.clock, environ=environ, human=agrees)
        self.memory.tidy_on_close = False

    @classmethod
    def copied(cls, source: Path, root: Path, now: datetime = NOON) -> Home:
        """A copy of a workspace, open."""
        copy_workspace(source, root)
        home = cls.__new__(cls)
        home.root, home.clock = root, Clock(now)
        home.memory = Memory(root, clock=home.clock, environ={}, human=agrees)
        home.memory.tidy_on_close = False
        return home

    def reopen(self, **environ: str) -> Memory:
        """The workspace as the next process opens it."""
        self.memory.close()
        self.memory = Memory(self.root, clock=self.clock, environ=environ, human=agrees)
        self.memory.tidy_on_close = False
        return self.memory

    def agreed(self, **variables: str) -> Memory:
        """The same with a configuration that its human has agreed to."""
        agree_to(self.root, **variables)
        return self.reopen()

    def furnish(self) -> None:
        """Put one memory into every store."""
        memory = self.memory
        memory.remember("Chose the hybrid approach.", Episodic(tags=("design",)))
        memory.remember("Lives in Berlin", Semantic("Alex", "person"))
        memory.remember("run the tests\ntag it", Procedural("how to deploy"))
        memory.remember("In the blue box.", Vault("Passport"))
        memory.remember("Working on: the ledger", Core(Block.CONTEXT))

    def raw(self, path: str) -> bytes:
        """What a file holds."""
        return (self.root / path).read_bytes()

    def text(self, path: str) -> str:
        """What a file says."""
        return self.raw(path).decode("utf-8")

    def type(self, path: str, text: str | bytes) -> None:
        """A person saves a file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)

    def git(self, *words: str) -> str:
        """Plain git in the folder, as a person would run it."""
        return git(self.root, *words)

    @property
    def head(self) -> str:
        """The newest commit."""
        return (self.root / ".audit/refs/heads/main").read_text("ascii").strip()

    def commits(self) -> int:
        """How many commits there are."""
        return int(self.git("rev-list", "--count", "main"))

    def message(self, commit: str = "main") -> str:
        """What a commit says."""
        return self.git("log", "-1", "--format=%B", commit).rstrip("\n")

    def log(self) -> list[str]:
        """The lines of the audit log."""
        return self.text(LOG).splitlines()

    def tracked(self) -> dict[str, bytes]:
        """Every work file that the newest commit knows, as it is on disk."""
        names = self.git("ls-tree", "-r", "-z", "--name-only", "main").split("\0")
        found = {name: self.root / name for name in names if name}
        return {name: file.read_bytes() for name, file in found.items() if exists(file)}

    def state(self) -> State:
        """All that the index knows."""
        session = self.memory._session  # noqa: SLF001 - tests look behind the door
        session.look()
        index = session.index
        alerts = [_plain(alert) for alert in session.alerts(everything=True)]
        traces = {id_: _to_the_day(trace) for id_, trace in index.traces().items()}
        return [*index.items()], traces, index.edges(), sorted(alerts)

    def disagreements(self) -> list[str]:
        """Where files, history, log and index do not tell the same.

        Uses are in the index alone until they are written down.
        """
        self.memory._session.uses.write_down()  # noqa: SLF001 - tests look behind the door
        live = self.state()
        found = list(self.unlike_head())
        found += [str(f) for f in self.memory.check() if f.path == LOG]
        self._lose_index()
        found += _differences("after losing the index", live, self.state())
        self.memory.rebuild()
        found += _differences("after a rebuild", live, self.state())
        found += self.unlike_head()
        return found

    def unlike_head(self) -> list[str]:
        """Work files that are not what the newest commit says."""
        tree = self.git("ls-tree", "-r", "-z", "main").split("\0")
        rows = [row.split("\t") for row in tree if row]
        return [
            f"{path} is not what HEAD says"
            for what, path in rows
            if not exists(self.root / path) or blob(self.raw(path)) != what.split()[2]
        ]

    def _lose_index(self) -> None:
        session = self.memory._session  # noqa: SLF001 - tests look behind the door
        with session.index.changing():
            session.index.clear()


def copy_workspace(source: Path, root: Path) -> None:
    """Copy a workspace and make the copy the known one, with the source's notes."""
    shutil.copytree(source, root, symlinks=True)
    if not (source / ".audit/refs/heads/main").exists():
        return
    ring = bound_keyring(root)
    kept = source.with_name(f"{source.name}.notes-{_head(source)[:10]}")
    first = not kept.exists()
    kept.mkdir(exist_ok=True)
    for number, each in enumerate(ring.both):
        notes = each.folder / each.place
        if first and notes.is_dir():
            shutil.copytree(notes, kept / str(number))
        shutil.rmtree(notes, ignore_errors=True)
        if (kept / str(number)).exists():
            shutil.copytree(kept / str(number), notes)
    folder = os.path.realpath(root)
    ring.write(f"{ring.place}/folder", f"{folder}\n".encode())
    for path in {folder, str(root)}:
        name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
        ring.write(f"places/{name}", f"{ring.workspace_id}\n".encode())


def forget_workspaces(root: Path) -> None:
    """Make the state directory one that knows no workspace."""
    for ring in Keyring.of(os.environ, root).both:
        for name in ("places", "workspaces"):
            shutil.rmtree(ring.folder / name, ignore_errors=True)


def _head(root: Path) -> str:
    return (root / ".audit/refs/heads/main").read_text("ascii").strip()


def bound_keyring(root: Path, keys: Path | None = None) -> Keyring:
    """Return the state directory, opened for the workspace in a folder."""
    ring = Keyring(keys / "reverie", root) if keys else Keyring.of(os.environ, root)
    ring.bind(Repository(root / ".audit").workspace_id(_head(root)))
    return ring


def state_folder(root: Path) -> Path:
    """Return the folder of the state files of a workspace."""
    return bound_keyring(root).state_folder


def exists(file: Path) -> bool:
    """Whether a plain file is there."""
    return file.is_file() and not file.is_symlink()


def blob(data: bytes) -> str:
    """The name git gives to a file's content, worked out here."""
    whole = b"blob %d\0%b" % (len(data), data)
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def git(folder: Path, *words: str) -> str:
    """Plain git in a folder."""
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=GIT_ENVIRONMENT,
    )
    assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
    return done.stdout.decode("utf-8", "surrogateescape")


def _to_the_day(trace: Trace) -> Trace:
    """A trace as an index that was lost can tell it again: of core, not how old."""
    days = (trace.created, trace.last_accessed)
    if trace.store is Store.CORE:
        days = (datetime.min.replace(tzinfo=UTC),) * 2
    created, last = (datetime.combine(day.date(), time(), UTC) for day in days)
    return replace(trace, created=created, last_accessed=last)


def _plain(alert: Alert) -> tuple[str, ...]:
    seen = "seen" if alert.acknowledged else "waiting"
    return (alert.commit, alert.path, alert.kind, alert.actor, alert.summary, seen)


def _differences(when: str, before: State, after: State) -> list[str]:
    """What of the index changed, each thing in a line of its own."""
    pairs = zip(map(_by_name, before), map(_by_name, after), strict=True)
    return [
        f"{when}: {was.get(name)} became {now.get(name)}"
        for was, now in pairs
        for name in sorted({*was, *now})
        if was.get(name) != now.get(name)
    ]


def _by_name(part: object) -> dict[str, object]:
    if isinstance(part, dict):
        return part
    assert isinstance(part, list)
    return {str(thing): thing for thing in part}
