"""Several agents in one workspace: who they are, and how all of it stands."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from reverie import Actor
from reverie.interfaces.cli.command import Invocation
from reverie.interfaces.cli.main import cli
from reverie.workspace.layout import CONFIG
from reverie.workspace.layout import PENDING as PAGE

if TYPE_CHECKING:
    from tests.memory.home import Home, State

    from reverie import Memory, Proposal
    from reverie.memory import SubAgent

__all__ = [
    "CONFIG",
    "MAIN",
    "PAGE",
    "Snapshot",
    "propose",
    "sent",
    "settle",
    "snapshot",
    "typed",
]

MAIN = Actor("bot:main")

_DERIVED = frozenset({".reverie", "objects"})
_CHORES = frozenset({"reverie.lock", "objects.lock", "redo", "index", "projected"})
"""What says nothing: locks, and what can be made anew."""


@dataclass(frozen=True)
class Snapshot:
    """All that must stay as it is: files, refs and journal, and the index's rows."""

    head: str
    files: dict[str, bytes]
    rows: State

    def changed(self, later: Snapshot) -> set[str]:
        """Files that read otherwise later."""
        names = {*self.files, *later.files}
        return {n for n in names if self.files.get(n) != later.files.get(n)}


def snapshot(home: Home) -> Snapshot:
    """How a workspace stands, without asking it, for asking takes edits in."""
    session = home.memory._session  # noqa: SLF001 - tests look behind the door
    index = session.index
    alerts = [(a.commit, a.path, str(a.acknowledged)) for a in session.alerts()]
    rows: State = ([*index.items()], index.traces(), index.edges(), [*alerts])
    files = {}
    for folder, folders, names in os.walk(home.root):
        folders[:] = [name for name in folders if name not in _DERIVED]
        for name in names:
            if name not in _CHORES:
                path = Path(folder, name)
                files[path.relative_to(home.root).as_posix()] = path.read_bytes()
    return Snapshot(home.head, files, rows)


def settle(home: Home, review: str = "batch", trusted: str = "") -> Memory:
    """Its human says in reverie.toml who decides, and looks at the alert on it."""
    names = f'["{trusted}"]' if trusted else "[]"
    home.type(CONFIG, f'[agents]\nreview = "{review}"\ntrusted = {names}\n')
    home.memory.acknowledge(CONFIG)
    return home.reopen(TZ="UTC")


def propose(
    home: Home,
    *contents: str,
    name: str = "researcher",
    about: str = "",
    against: str = "",
) -> list[Proposal]:
    """A sub-agent proposes some things; returns them as they wait.

    Args:
        home: The workspace.
        contents: What it proposes.
        name: What it is called.
        about: The entity that all of it is about.
        against: What it says that all of it contradicts.
    """
    entities = (about,) if about else ()
    contradicts = (against,) if against else ()
    with home.memory.acting_as(name) as agent:
        numbers = [
            agent.propose(each, entities=entities, contradicts=contradicts).number
            for each in contents
        ]
    return [home.memory.proposal(number) for number in numbers]


def sent(agent: SubAgent, content: str) -> int:
    """The number under which a proposal waits."""
    return agent.propose(content).number


def typed(home: Home, *words: str, stdin: str = "") -> int:
    """Type a command where no person is; its exit code."""
    session = Invocation(str(home.root), clock=home.clock)
    done = CliRunner().invoke(cli, words, stdin, prog_name="reverie", obj=session)
    return done.exit_code
