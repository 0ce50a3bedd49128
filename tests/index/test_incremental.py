"""However a workspace came to be, its index is the one that is built anew."""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.index.shown import all_standing, anew, company, memories
from tests.memory.home import Home, agrees

from reverie import Block, Core, Episodic, Memory, Procedural, Semantic, Vault
from reverie.importers.walk import Chat, ChatTurn, Passage, Provenance
from reverie.index import sqlite_index, view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie.index.sqlite_index import SqliteIndex

VOCABULARY = ["tomato", "river", "berlin", "rex", "tea", "swim", "piano", "bread"]
NAMES = ["oak", "elm", "ash"]


@contextmanager
def posting_soon() -> Iterator[None]:
    """Post and merge after a few memories already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_index, "ENOUGH", 4)
        patch.setattr(view, "FACTOR", 2)
        yield


class Chance:
    """Somebody who does this and that in a workspace, the same for the same seed."""

    def __init__(self, home: Home, seed: int) -> None:
        self.home = home
        self.pick = random.Random(seed)  # noqa: S311 - no secret is made of it
        self.said: dict[str, list[ChatTurn]] = {name: [] for name in NAMES}
        self.other = Memory(home.root, clock=home.clock, environ={}, human=agrees)
        self.other.tidy_on_close = False
        self.acts: list[Callable[[Memory], object]] = [
            lambda m: m.remember(self.words(), Episodic()),
            lambda m: m.remember(self.words(), Vault(self.pick.choice(NAMES))),
            lambda m: m.remember(self.words(), Semantic(self.pick.choice(NAMES))),
            lambda m: m.remember(self.words(), Procedural(self.pick.choice(NAMES))),
            lambda m: m.remember(f"Now: {self.words()}", Core(Block.CONTEXT)),
            self.talk,
            self.talk,
            self.bring,
            self.retype,
            self.remove,
            lambda m: m.undo() if self.pick.random() < 0.3 else None,
            lambda m: m._session.index.view(),  # noqa: SLF001 - tests look behind the door
        ]

    def words(self) -> str:
        """Something to say."""
        said = self.pick.choices([*VOCABULARY, "I", "my"], k=self.pick.randint(1, 90))
        return " ".join(said) + self.pick.choice([".", "?", ". Do you swim?"])

    def live(self, times: int) -> None:
        """Do some things, now in one process and now in the other."""
        for _ in range(times):
            self.home.clock.forward(minutes=self.pick.randint(0, 2000))
            memory = self.pick.choice([self.home.memory, self.other])
            self.pick.choice(self.acts)(memory)

    def talk(self, memory: Memory) -> None:
        """A conversation goes on, and is imported again."""
        name = self.pick.choice(NAMES)
        for _ in range(self.pick.randint(1, 5)):
            role = self.pick.choice(["user", "assistant"])
            said = ChatTurn(
                role, self.words(), self.home.clock.now, self.pick.choice(["", "Al"])
            )
            self.said[name].append(said)
        found = Chat(Provenance("claude", name), name, None, tuple(self.said[name]))
        memory.take_in([found])

    def bring(self, memory: Memory) -> None:
        """A document is imported."""
        at = self.home.clock.now
        found = [
            Passage(Provenance("text", "a", n), "", self.words(), at) for n in range(3)
        ]
        memory.take_in(found)

    def file(self) -> Path | None:
        """Some file."""
        stores = ("memory/vault", "memory/graph/entities", "conversations")
        folders = [self.home.root / store for store in stores]
        found = sorted(f for folder in folders for f in folder.glob("*.md"))
        return self.pick.choice(found) if found else None

    def retype(self, _: Memory) -> None:
        """A person puts another word for one, wherever it stands in a file."""
        if file := self.file():
            old, new = self.pick.choices(VOCABULARY, k=2)
            file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
            self.home.memory.history()

    def remove(self, _: Memory) -> None:
        """A person deletes a file."""
        if (file := self.file()) and self.pick.random() < 0.5:
            file.unlink()
            self.home.memory.history()


def told(index: SqliteIndex) -> tuple[object, ...]:
    """All that a new view shows."""
    view = anew(index)
    return (
        memories(index, view),
        company(index, view),
        all_standing(index, view, VOCABULARY),
    )


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happened_the_index_is_the_one_that_is_built_anew(
    tmp_path: Path, seed: int
) -> None:
    home = Home(tmp_path / "agent")
    with posting_soon():
        life = Chance(home, seed)
        life.live(50)
        state = home.state()
    session = home.memory._session  # noqa: SLF001 - tests look behind the door
    others = life.other._session  # noqa: SLF001 - tests look behind the door
    others.sync()
    live, kept = told(session.index), session.index.view()

    assert told(others.index) == live
    for index in (session.index, others.index):
        kept = index.view()
        assert memories(index, kept) == live[0]
        assert all_standing(index, kept, VOCABULARY) == live[2]
    assert {str(name) for name, _ in memories(session.index, kept)} >= {
        located.id for located in state[0]
    }
    home.memory.rebuild()
    assert home.state() == state
    assert told(session.index) == live
    others.sync()
    assert told(others.index) == live
    life.other.close()
    home.memory.close()
