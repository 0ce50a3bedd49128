"""Any order of verbs, edits by hand and restarts: nothing acknowledged is lost."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.memory.conftest import MEMORY_DISK
from tests.memory.home import Clock, Home

from reverie import (
    Actor,
    Block,
    ConflictError,
    Core,
    Episodic,
    NotFoundError,
    Procedural,
    RefusedError,
    Semantic,
    Vault,
)

if TYPE_CHECKING:
    from reverie.model.route import Place

ENVIRON = {
    "REVERIE_LEDGER_SHARD_LIMIT": "10",
    "REVERIE_CORE_CONTEXT_TOKENS": "150",
}
PLACES: list[Place] = [
    Episodic(),
    Semantic("Alex", "person"),
    Semantic("Tea"),
    Procedural("how to deploy"),
    Vault("Key"),
    Core(Block.CONTEXT),
]
ACTORS = ["bot:trigger-remember", "bot:auto-detect", "bot:main"]


@dataclass
class Deed:
    """A change somebody made, by the words it brought and took."""

    commit: str
    brought: frozenset[str] = frozenset()
    took: frozenset[str] = frozenset()
    undone: bool = False


@dataclass
class Model:
    """Which words must be in memory now."""

    deeds: list[Deed] = field(default_factory=list)

    def words(self) -> set[str]:
        """What all deeds that stand have brought and not taken."""
        found: set[str] = set()
        for deed in self.deeds:
            if not deed.undone:
                found = (found - deed.took) | deed.brought
        return found


class Workspace(RuleBasedStateMachine):
    """A workspace, and a model of what it must know."""

    def __init__(self) -> None:
        super().__init__()
        disk = MEMORY_DISK if MEMORY_DISK.is_dir() else None
        self.folder = tempfile.TemporaryDirectory(dir=disk, prefix="reverie-")
        self.home = Home(Path(self.folder.name) / "agent", Clock(), **ENVIRON)
        self.model = Model()
        self.count = 0

    @initialize()
    def begin(self) -> None:
        """A new workspace is whole."""
        self.home.memory.history()

    def word(self) -> str:
        """A word nobody has used."""
        self.count += 1
        return f"word{self.count:04}x"

    @rule(place=st.sampled_from(PLACES), actor=st.sampled_from(ACTORS))
    def remember(self, place: Place, actor: str) -> None:
        """Somebody stores a word."""
        word = self.word()
        text = f"{word}: said" + " x" * 30
        head = self.home.head
        try:
            receipt = self.home.memory.remember(text, place, actor=Actor(actor))
        except RefusedError:
            # Core memory is full of pinned items.
            assert self.home.head == head
            return
        self.model.deeds.append(Deed(receipt.commit, frozenset({word})))

    @rule(number=st.integers(0, 99), pinned=st.booleans())
    def pin(self, number: int, pinned: bool) -> None:  # noqa: FBT001 - drawn
        """The human pins or unpins something."""
        items = [i for i in self.home.memory.items() if i.store != "vault"]
        if items:
            item_id = items[number % len(items)].id
            memory = self.home.memory
            receipt = memory.pin(item_id) if pinned else memory.unpin(item_id)
            if receipt.lines:
                self.model.deeds.append(Deed(receipt.commit))
            assert memory.show(item_id).pinned is pinned

    @rule()
    def undo(self) -> None:
        """The human takes the newest change back."""
        head = self.home.head
        try:
            receipt = self.home.memory.undo()
        except (ConflictError, NotFoundError):
            assert self.home.head == head
            return
        said = receipt.lines[0].summary.removeprefix("took back ")
        (deed,) = [d for d in self.model.deeds if said.startswith(d.commit[:10])]
        assert not deed.undone
        deed.undone = True

    @rule(number=st.integers(0, 99))
    def write_by_hand(self, number: int) -> None:
        """The human adds a line to a file."""
        word = self.word()
        path = [
            f"memory/vault/by-hand-{number % 3}.md",
            f"memory/procedures/by-hand-{number % 3}.md",
        ][number % 2]
        there = (self.home.root / path).exists()
        before = self.home.text(path) if there else "## Steps\n"
        self.home.type(path, f"{before}- {word}\n")
        self.noticed(frozenset({word}), frozenset())

    @precondition(lambda self: self.model.words())
    @rule(number=st.integers(0, 99))
    def remove_by_hand(self, number: int) -> None:
        """The human removes a file."""
        files = sorted((self.home.root / "memory").rglob("by-hand-*.md"))
        if files:
            file = files[number % len(files)]
            text = file.read_text()
            gone = {word for word in self.model.words() if word in text}
            file.unlink()
            self.noticed(frozenset(), frozenset(gone))

    def noticed(self, brought: frozenset[str], took: frozenset[str]) -> None:
        """An edit by hand is in history as soon as somebody looks."""
        entry = self.home.memory.history(limit=1)[0]
        assert str(entry.actor) == "manual"
        self.model.deeds.append(Deed(entry.commit, brought, took))

    @rule(hours=st.integers(-2, 80))
    def time_passes(self, hours: int) -> None:
        """The clock moves, now and then backwards."""
        self.home.clock.forward(hours=hours)

    @rule()
    def reopen(self) -> None:
        """The next process opens the workspace."""
        self.home.reopen(**ENVIRON)

    @rule()
    def rebuild(self) -> None:
        """A rebuild finds what was known."""
        before = self.home.state()
        self.home.memory.rebuild()
        assert self.home.state() == before

    @invariant()
    def what_was_acknowledged_is_there_or_undone(self) -> None:
        """Memory holds the model's words and no other."""
        texts = "\n".join(item.text for item in self.home.memory.items())
        wanted = self.model.words()
        known = {f"word{n + 1:04}x" for n in range(self.count)}
        assert {word for word in known if word in texts} == wanted

    @invariant()
    def files_are_what_history_says(self) -> None:
        """Work files and HEAD agree."""
        assert self.home.unlike_head() == []

    def teardown(self) -> None:
        """In the end all five places agree."""
        try:
            assert self.home.disagreements() == []
        finally:
            self.home.memory.close()
            self.folder.cleanup()


TestWorkspace = Workspace.TestCase
TestWorkspace.settings = settings(
    max_examples=15,
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
