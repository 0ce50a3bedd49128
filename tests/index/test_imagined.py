"""What an index would be after a change, and that nothing happens to the real one."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.index.test_incremental import VOCABULARY, Chance, posting_soon
from tests.memory.home import ALEX, CORE, NOON, PASSPORT, RELATIONS, Home

from reverie import Act, Episodic, NotFoundError, RefusedError, Semantic
from reverie.index.sync import imagine
from reverie.model.change import (
    MANUAL,
    Action,
    Approval,
    ChangeSet,
    Edit,
    Receipt,
    checksum,
)
from reverie.model.ids import page_of
from reverie.recall.answer import recall
from reverie.recall.question import RecallQuestion
from reverie.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie import Memory
    from reverie.index import Index
    from reverie.index.sqlite_index import SqliteIndex
    from reverie.model.views import Hit

QUESTIONS = ["tomato by the river", "who plays piano", "tea with oak", "latest bread"]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A workspace with one memory in every store."""
    made = Home(tmp_path / "agent")
    made.furnish()
    yield made
    made.memory.close()


def house_of(home: Home) -> Session:
    """The parts of a workspace."""
    return home.memory._session  # noqa: SLF001 - tests look behind the door


def shown(index: Index) -> tuple[object, ...]:
    """All that an index says of memories."""
    return [*index.items()], index.traces(), index.edges(), index.counts()


def rows(index: SqliteIndex) -> list[tuple[object, ...]]:
    """Every row of every table."""
    tables = index._rows("SELECT name FROM sqlite_master WHERE type = 'table'")  # noqa: SLF001 - tests look behind the door
    return [
        (name, *row)
        for (name,) in sorted(tables)
        for row in index._rows(f"SELECT * FROM {name}")  # noqa: S608, SLF001 - fixed
    ]


def hits(session: Session, index: Index, question: str) -> list[Hit]:
    """What is found; the commit is not known before there is one."""
    asked = RecallQuestion(question, session.clock(), session.config, least=0)
    found = recall(asked, index, index.view(), None).hits
    return [replace(hit, commit="") for hit in found]


def as_if(session: Session, change: ChangeSet) -> Index:
    """The index of a workspace after a change."""
    index, seen = session.index, session.index.seen
    return imagine(
        index,
        change,
        lambda path: session.ledger.read_at(seen, path),
        session.config.decay,
        session.clock(),
    )


def change_of(home: Home, **texts: str | None) -> ChangeSet:
    """A person's change of some files."""
    paths = {"core": CORE, "alex": ALEX, "passport": PASSPORT, "relations": RELATIONS}
    edits = []
    for name, text in texts.items():
        path = paths.get(name, name)
        file = home.root / path
        old = file.read_bytes() if file.exists() else None
        new = None if text is None else text.encode()
        edits.append(Edit(path, new, checksum(old), Action.EDIT, "x"))
    return ChangeSet(tuple(edits), MANUAL, Approval.NONE, "test")


# --- it comes out as it was imagined -----------------------------------------


class Life(Chance):
    """Somebody who also pins, forgets, moves files and writes the scores down."""

    def __init__(self, home: Home, seed: int) -> None:
        super().__init__(home, seed)
        self.acts += [
            self.pin,
            self.forget,
            self.forget,
            lambda m: m.rebuild() if self.pick.random() < 0.2 else None,
            lambda m: m._session.snapshot(),  # noqa: SLF001 - tests look behind the door
        ]

    def some_id(self, memory: Memory) -> str:
        """A memory that fades."""
        traces = memory._session.index.traces()  # noqa: SLF001 - tests look behind the door
        return (
            self.pick.choice(sorted(traces)) if traces else "episode:2026-01-01:00:00"
        )

    def pin(self, memory: Memory) -> None:
        """Something is pinned, or no longer."""
        verb = self.pick.choice([memory.pin, memory.unpin])
        with suppress(NotFoundError, RefusedError):
            verb(self.some_id(memory))

    def forget(self, memory: Memory) -> None:
        """Something is forgotten."""
        found = memory.find_to_forget(self.pick.choice(VOCABULARY)).matches
        open_ = [match for match in found if not match.protected]
        if open_:
            memory.forget([self.pick.choice(open_)], actor=MANUAL)


@pytest.mark.parametrize("seed", range(3))
def test_every_change_comes_out_as_it_was_imagined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    real, compared = Session.commit, list[str]()

    def commit(self: Session, change: ChangeSet, *, allowed: bool = False) -> Receipt:
        self.sync()
        before = rows(self.index)
        with closing(as_if(self, change)) as imagined:
            assert rows(self.index) == before
            receipt = real(self, change, allowed=allowed)
            assert shown(imagined) == shown(self.index)
            for question in QUESTIONS:
                found = hits(self, imagined, question)
                assert found == hits(self, self.index, question)
            compared.extend(line.action for line in receipt.lines)
        return receipt

    home = Home(tmp_path / "agent")
    with posting_soon():
        life = Life(home, seed)
        monkeypatch.setattr(Session, "commit", commit)
        life.live(30)
        monkeypatch.setattr(Session, "commit", real)
        life.other.close()
    home.memory.close()

    assert len(compared) > 12
    assert len(set(compared)) > 2


# --- what a change may do ----------------------------------------------------


def test_a_new_file_is_found_and_starts_out_as_vivid_as_it_would(home: Home) -> None:
    session = house_of(home)
    path = "memory/graph/entities/person--robin.md"
    page = home.text(ALEX).replace("Alex", "Robin").replace("Berlin", "Lisbon")
    change = change_of(home, **{path: page})

    with closing(as_if(session, change)) as imagined:
        found = hits(session, imagined, "Where does Robin live?")
        assert any("Lisbon" in hit.text for hit in found)
        trace = imagined.trace("entity:person--robin")
        assert trace is not None
        assert (trace.created, trace.accesses) == (NOON, 1)
    assert session.index.find("entity:person--robin") is None


def test_what_would_be_gone_is_not_found_and_leaves_no_trace(home: Home) -> None:
    session = house_of(home)

    with closing(as_if(session, change_of(home, passport=None))) as imagined:
        assert imagined.find("vault:passport") is None
        assert imagined.trace("vault:passport") is None
        assert "vault" not in imagined.counts()
    assert session.index.trace("vault:passport") is not None


def test_what_the_scores_would_archive_is_hidden(home: Home) -> None:
    session = house_of(home)
    known = session.index.trace("entity:person--alex")
    assert known is not None
    edits = session.plan_snapshot(
        {"entity:person--alex": replace(known, archived=True)}
    )
    change = ChangeSet(edits, MANUAL, Approval.NONE, "test")

    with closing(as_if(session, change)) as imagined:
        found = hits(session, imagined, "Where does Alex live?")
        assert "entity:person--alex" not in [page_of(hit.id) for hit in found]
    still = hits(session, session.index, "Where does Alex live?")
    assert page_of(still[0].id) == "entity:person--alex"


def test_a_file_that_only_moves_takes_along_how_often_it_was_of_use(
    home: Home,
) -> None:
    session = house_of(home)
    session.reinforce(["entity:person--alex"])
    moved = ALEX.replace("entities/", "entities/people/")

    change = change_of(home, **{"alex": None, moved: home.text(ALEX)})

    with closing(as_if(session, change)) as imagined:
        trace, found = (
            imagined.trace("entity:person--alex"),
            imagined.find("entity:person--alex"),
        )
        assert trace is not None
        assert found is not None
        assert (trace.accesses, found.path) == (2, moved)


def test_other_names_of_relations_turn_the_edges_of_every_page(home: Home) -> None:
    home.memory.remember("Is big", Semantic("Apollo", "project"))
    links = "## Relations\n- Paints: [[project--apollo]]\n"
    home.type(ALEX, f"{home.text(ALEX)}\n{links}")
    home.memory.history()
    session, before = house_of(home), house_of(home).index.edges()
    text = f"{home.text(RELATIONS)}- `painted-by` / `paints` - who paints what\n"
    change = change_of(home, relations=text)

    with closing(as_if(session, change)) as imagined:
        state = shown(imagined)
        assert [edge.relation for edge in imagined.edges()] == ["painted-by"]
    assert session.index.edges() == before
    with session.authority.act(Act.SIGN, "other relations"):
        session.commit(change)
    assert state == shown(session.index)


# --- the real one ------------------------------------------------------------


def test_the_index_on_the_disk_is_not_touched(home: Home) -> None:
    session, state = house_of(home), home.root / ".reverie"
    version = "PRAGMA data_version"
    before = rows(session.index), session.index._rows(version), session.index.seen  # noqa: SLF001 - tests look behind the door
    files = {f.name: f.read_bytes() for f in state.glob("index.db*")}
    text = home.text(ALEX).replace("Berlin", "Lisbon")

    with closing(as_if(session, change_of(home, alex=text, passport=None))) as imagined:
        assert imagined.seen != session.index.seen
        hits(session, imagined, "Where does Alex live?")

    assert (
        rows(session.index),
        session.index._rows(version),  # noqa: SLF001 - tests look behind the door
        session.index.seen,
    ) == before
    kept = {f.name: f.read_bytes() for f in state.glob("index.db*")}
    # Who reads a journal notes it beside the journal.
    assert {k: v for k, v in kept.items() if not k.endswith("-shm")} == {
        k: v for k, v in files.items() if not k.endswith("-shm")
    }


def test_a_copy_lives_without_the_index_it_was_made_of(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    home.memory.remember("The heron came back.", Episodic())
    session = house_of(home)
    act: Callable[[], SqliteIndex] = session.index.copy

    with closing(act()) as copy:
        state = shown(session.index)
        home.memory.close()
        assert shown(copy) == state
