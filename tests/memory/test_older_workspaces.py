"""A workspace that an earlier version wrote opens with everything in it."""

from __future__ import annotations

import json
import tarfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.encoding.test_erase import places_of
from tests.memory.home import GRAPH, SCORES, Clock, Home, forget_workspaces

from reverie import Memory
from reverie.config import AuditConfig

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "data" / "workspace-of-the-first-version.tar.gz"
IDS = {
    "core:persona/prefers-short-answers",
    "entity:person--alex",
    "entity:person--nora",
    "episode:2026-02-02:14:31",
    "episode:2026-02-02:14:42",
    "episode:2026-02-03:14:44",
    "procedure:release",
    "turn:trip-to-rome/1/assistant/0",
    "turn:trip-to-rome/1/user/0",
    "vault:passport",
}


@pytest.fixture
def older(tmp_path: Path) -> Path:
    with tarfile.open(DATA) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path / "agent"


def texts(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    kept = (path for path in files if path.suffix in {".md", ".toml"})
    return {str(path.relative_to(root)): path.read_bytes() for path in kept}


def test_every_memory_keeps_its_id_and_every_file_its_bytes(older: Path) -> None:
    before = texts(older)

    with Memory(older) as memory:
        assert memory.config.audit.critical_files == AuditConfig().critical_files
        assert [each.path for each in memory.alerts()] == [".audit"]
        assert memory.warnings == ()
        found = {each.id: each for each in memory.items()}
        answer = memory.recall("where does Alex live?").hits

    assert found.keys() >= IDS
    assert found["entity:person--alex"].pinned
    assert "Paris" in answer[0].text
    after = texts(older)
    derived = "memory/graph/index.md"
    assert {n: t for n, t in before.items() if n != derived}.items() <= after.items()


def test_a_log_that_was_altered_meanwhile_is_told(older: Path) -> None:
    log = older / "memory/meta/audit.log"
    said = log.read_bytes()
    log.write_bytes(said.replace(b"CREATE", b"DELETE", 1))

    with Memory(older) as memory:
        memory.alerts()
        assert memory.warnings == ("audit.log had been altered; it was written again",)

    assert log.read_bytes() == said


def test_it_can_be_added_to_and_taken_back(older: Path) -> None:
    with Memory(older) as memory:
        receipt = memory.remember("Nora moved to Lisbon.")
        assert memory.recall("where did Nora move?").hits
        memory.undo(receipt.commit)

        assert len(memory.history()) > 22


# --- one that was in use for a while, when facts had no life of their own ------------


@pytest.fixture
def lived_in(tmp_path: Path) -> Home:
    """Every store, a reflection, what was superseded, forgotten and proposed."""
    with tarfile.open(DATA.with_name("workspace-of-3551ffa.tar.gz")) as packed:
        packed.extractall(tmp_path, filter="data")
    told = json.loads((tmp_path / "as-told.json").read_text("utf-8"))
    forget_workspaces(tmp_path / "agent")
    clock = Clock(datetime.fromisoformat(told["now"]))
    return Home(tmp_path / "agent", clock)


@pytest.fixture
def told(lived_in: Home) -> dict[str, Any]:
    """What the version that wrote it said of it."""
    found: dict[str, Any] = json.loads(
        (lived_in.root.parent / "as-told.json").read_text("utf-8")
    )
    return found


def test_all_that_was_told_is_told_with_the_same_id_and_score(
    lived_in: Home, told: dict[str, Any]
) -> None:
    memory = lived_in.memory
    found = {each.id: each for each in memory.items()}

    assert found.keys() >= told["items"].keys()
    for id_, was in told["items"].items():
        shown = memory.show(id_)
        assert {*was["text"].split("\n")} <= {*shown.text.split("\n")}, id_
        assert (shown.path, shown.line) == (was["path"], was["line"])
        assert (shown.status, shown.pinned) == (was["status"], was["pinned"]), id_
        assert shown.accesses == was["accesses"], id_
        # A fact that was added is a use of its page since then.
        risen = {"entity:person--mara", "entity:person--ottokar"}
        assert round(shown.score, 6) >= was["score"], id_
        assert round(shown.score, 6) == was["score"] or id_ in risen, id_
    said = [turn.text for turn in memory.turns("harbour-talk")]
    assert said == [text for _, text in told["turns"]]
    assert [each.content for each in memory.pending()] == told["pending"]
    commits = [entry.commit for entry in memory.history()]
    assert commits[-len(told["history"]) :] == [one for one, _ in told["history"]]
    assert [str(finding) for finding in memory.check()] == told["check"]
    assert lived_in.disagreements() == []


def test_each_of_its_memories_is_found_by_its_words(
    lived_in: Home, told: dict[str, Any]
) -> None:
    for id_, was in told["items"].items():
        for said in was["text"].split("\n"):
            hits = lived_in.memory.recall(said, limit=20).hits
            ids = {page for hit in hits for page in (hit.id, *hit.same)}
            pages = {page.partition("#")[0] for page in ids}
            assert (id_ in pages) == (was["status"] != "archived"), said
    (first, *_) = lived_in.memory.recall("Where does Mara live?").hits
    assert first.text == "Lives in Oslo"
    assert any("Bergen" in gone for gone in first.outdated)
    zither = lived_in.memory.recall("Who plays the zither?").hits
    assert not any("zither" in hit.text for hit in zither)


def test_a_round_of_every_verb_works_on_it_and_is_taken_back(lived_in: Home) -> None:
    memory = lived_in.memory
    memory.check()
    lived_in.memory._session.uses.write_down()  # noqa: SLF001 - the scores as they are
    rounds: list[Callable[[], str]] = [
        lambda: memory.correct("Lives in Oslo", "Lives in Turku").commit,
        lambda: memory.correct("episode:2025-03-07:04:00", "Chose the old one.").commit,
        lambda: memory.rename("Otto", "Otto Berg").commit,
        lambda: memory.merge("Ottokar", "Otto").commit,
        lambda: memory.forget(memory.find_to_forget("Owns a quagga").matches).commit,
        lambda: memory.observe([{"text": "Sold it.", "about": "person--otto"}]).commit,
        lambda: memory.accept(memory.pending()[0]).commit,
    ]
    for act in rounds:
        before = lived_in.tracked()
        commit = act()
        assert lived_in.tracked() != before
        undone = memory.undo(commit)
        after = lived_in.tracked()
        unlike = {path for path in before if after.get(path) != before[path]}
        assert unlike <= {GRAPH, SCORES}
        memory.undo(undone.commit)
    assert memory.recall("Where does Mara live?").hits[0].text == "Lives in Turku"
    assert (
        memory.called("Ottokar")
        == memory.called("Otto")
        == memory.called("person--otto")
    )

    memory.erase("vault:passport")
    memory.erase(text="Sells umbrellas")

    assert places_of(lived_in.root, "blue box") == []
    assert places_of(lived_in.root, "Sells umbrellas") == []
    assert lived_in.disagreements() == []
