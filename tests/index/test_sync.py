"""The index shows what the ledger says, however many commits it lags behind."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, CORE, DAY, NOON, PASSPORT, Home, agrees

from reverie import Block, Core, Episodic, Memory, Procedural, Semantic, Store, Vault
from reverie.importers.walk import Chat, ChatTurn, Passage, Provenance
from reverie.index.sync import catch_up
from reverie.stores.reader import Reading, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie.stores.relations import Vocabulary

TALK = "conversations/chatgpt-trip.md"
HEADED = "# 2026-02-01\n\n## 09:00 | event | confidence:high\n"


def talk(*texts: str) -> Chat:
    roles = ("user", "assistant")
    said = tuple(ChatTurn(roles[n % 2], text, NOON) for n, text in enumerate(texts))
    return Chat(Provenance("chatgpt", "trip"), "Trip", NOON, said)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A workspace with one memory in every store."""
    made = Home(tmp_path / "agent")
    made.furnish()
    yield made
    made.memory.close()


def elsewhere(home: Home) -> Memory:
    """Another process's eyes on the same workspace, with an index that stays put."""
    memory = Memory(home.root, clock=home.clock, environ={}, human=agrees)
    memory.tidy_on_close = False
    return memory


def test_what_others_commit_while_an_index_catches_up_is_shown_later(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, other = home.memory._session, elsewhere(home)  # noqa: SLF001 - tests look behind the door
    ledger, changed = session.ledger, session.ledger.changed
    home.type("memory/episodes/2026-02-01.md", f"{HEADED}The heron nests.\n")
    ledger.absorb(["memory/episodes/2026-02-01.md"])

    def meanwhile(commit: str, since: str | None = None) -> object:
        found = changed(commit, since)
        monkeypatch.setattr(ledger, "changed", changed)
        home.type("memory/episodes/2026-01-31.md", f"{HEADED}The zeppelin lands.\n")
        other._session.ledger.absorb(["memory/episodes/2026-01-31.md"])  # noqa: SLF001 - commits alone
        return found

    monkeypatch.setattr(ledger, "changed", meanwhile)
    catch_up(session.index, ledger, session.folder, session.config.decay)

    assert session.index.seen != ledger.head
    assert [hit.text for hit in home.memory.recall("zeppelin").hits[:1]] == [
        "The zeppelin lands."
    ]
    other.close()


def test_many_commits_at_once_say_the_same_as_one_by_one(home: Home) -> None:
    session = home.memory._session  # noqa: SLF001 - tests look behind the door
    behind = session.ledger.head
    for number in range(4):
        home.clock.forward(hours=7)
        home.memory.remember(f"Item {number}: x", Core(Block.CONTEXT))
        home.memory.remember(f"Fact {number}", Semantic(f"Thing {number}"))
        home.memory.remember(f"Step {number}", Procedural("how to deploy"))
        home.memory.remember(f"Event {number}", Episodic())
    (home.root / PASSPORT).unlink()
    session.snapshot()
    live = home.state()

    with session.index.changing():
        session.index.clear()
    session.sync()
    assert home.state() == live
    assert session.ledger.has(behind)


def test_a_name_used_again_is_a_new_memory(home: Home) -> None:
    home.memory.rebuild()
    (home.root / PASSPORT).unlink()
    home.memory.history()
    later = home.clock.forward(days=3)
    home.memory.remember("A new one.", Vault("Passport"))

    assert home.memory.show("vault:passport").created == later
    assert home.disagreements() == []


def test_files_of_one_name_in_two_stores_are_two_memories(home: Home) -> None:
    later = home.clock.forward(days=3)
    home.type("memory/procedures/passport.md", "## Steps\n1. renew it\n")

    assert home.memory.show("vault:passport").created == NOON
    assert home.memory.show("procedure:passport").created == later
    assert home.disagreements() == []


def test_a_removed_file_is_no_memory_of_any_store(home: Home) -> None:
    for item in home.memory.items():
        (home.root / item.path).unlink(missing_ok=True)

    assert home.memory.items() == []
    assert home.memory.overview().counts == {}
    assert home.disagreements() == []


def test_an_appended_day_log_is_not_read_whole(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def watched(path: str, data: bytes, words: Vocabulary) -> Reading:
        read.append(path)
        return read_file(path, data, words)

    monkeypatch.setattr("reverie.index.sync.read_file", watched)

    home.memory.remember("One more.", Episodic())

    assert DAY not in read
    assert len(home.memory.items(Store.EPISODIC)) == 2


def test_a_pin_in_a_file_counts_more_than_an_older_snapshot(home: Home) -> None:
    home.memory.rebuild()
    for item_id in ("entity:person--alex", "core:context/working-on"):
        home.memory.pin(item_id)

    assert home.disagreements() == []
    assert home.memory.show("entity:person--alex").pinned


def test_two_processes_see_each_others_changes(home: Home) -> None:
    other = elsewhere(home)

    other.remember("By the other.", Vault("Other"))
    home.memory.remember("By the one.", Vault("One"))

    assert home.memory.show("vault:other").text == "By the other."
    assert other.show("vault:one").text == "By the one."
    other.close()
    assert home.disagreements() == []


def test_scores_a_person_wrote_are_taken_over(home: Home) -> None:
    home.memory.rebuild()
    path = "memory/meta/decay-scores.json"
    text = home.text(path)
    at = text.index('"episode:')
    text = text[:at] + text[at:].replace('"access_count": 1', '"access_count": 9', 1)
    home.type(path, text)

    assert home.memory.show("episode:2026-02-02:12:00").accesses == 9
    assert home.disagreements() == []


def test_relation_names_a_person_declares_turn_the_edges(home: Home) -> None:
    link = (("Fed by", "person--alex"),)
    home.memory.remember("Is a cat", Semantic("Tom", "pet", links=link))
    home.type("memory/graph/relations.md", "# Mine\n\n## Care\n- `feeds` / `fed-by`\n")

    _, _, edges, _ = home.state()

    assert [(e.origin, e.relation, e.target) for e in edges] == [
        ("person--alex", "feeds", "pet--tom")
    ]
    assert home.disagreements() == []


def test_a_turn_that_a_person_rewrote_is_shown_as_it_is_now(home: Home) -> None:
    home.memory.take_in([talk("Where?", "Here.", "When?")])
    home.type(TALK, home.text(TALK).replace("Here.", "There.\nOr not."))

    texts = [item.text for item in home.memory.items(Store.TURNS)]

    assert sorted(texts) == ["There.\nOr not.", "When?", "Where?"]
    assert home.disagreements() == []


def test_what_was_imported_is_as_old_as_it_says_and_of_use_since_the_import(
    home: Home,
) -> None:
    early = NOON - timedelta(days=900)
    found = Passage(Provenance("text", "a.txt", 1), "", "Long ago.", early)
    late = home.clock.forward(days=3)

    home.memory.take_in([found])

    trace = home.memory.show(f"episode:{early:%Y-%m-%d:%H:%M}")
    assert (trace.created, trace.last_accessed.date()) == (early, late.date())
    assert home.disagreements() == []


def test_each_file_knows_the_commit_that_last_changed_it(home: Home) -> None:
    index = home.memory._session.index  # noqa: SLF001 - tests look behind the door
    home.memory.remember("Once more.", Episodic())
    last = home.head
    home.type(PASSPORT, home.text(PASSPORT) + "\nAnd the key.\n")
    home.memory.history()
    paths = (ALEX, CORE, DAY, PASSPORT)
    live = [index.touched(path) for path in paths]

    home.memory.rebuild()

    assert live[2:] == [last, home.git("rev-list", "-1", "main", PASSPORT).strip()]
    assert [index.touched(path) for path in paths] == live
    assert [home.git("rev-list", "-1", "main", path).strip() for path in paths] == live
