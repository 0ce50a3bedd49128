"""The parts of a workspace are kept in step, whatever happens to one of them."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import (
    ARCHIVE,
    CONFIG,
    DAY,
    GRAPH,
    LOG,
    NOON,
    SCORES,
    Clock,
    Home,
    agrees,
    dreamt,
)

from reverie import Core, Episodic, Memory, Semantic, UnavailableError, Vault
from reverie.index import IndexAlteredError, lookup
from reverie.ledger.git_ledger import GitLedger

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# --- the index ---------------------------------------------------------------


def deleted(index: Path) -> None:
    for file in index.parent.glob("index.db*"):
        file.unlink()


def whole_folder_deleted(index: Path) -> None:
    shutil.rmtree(index.parent)


def emptied(index: Path) -> None:
    deleted(index)
    index.write_bytes(b"")


def truncated(index: Path) -> None:
    data = index.read_bytes()
    deleted(index)
    index.write_bytes(data[: len(data) // 2])


def cut_in_the_header(index: Path) -> None:
    data = index.read_bytes()
    deleted(index)
    index.write_bytes(data[:50])


def garbage(index: Path) -> None:
    deleted(index)
    index.write_bytes(b"This is not a database. " * 400)


def garbage_inside(index: Path) -> None:
    data = index.read_bytes()
    deleted(index)
    index.write_bytes(data[:4096] + b"\x5a" * (len(data) - 4096))


def a_folder(index: Path) -> None:
    deleted(index)
    index.mkdir()


def another_database(index: Path) -> None:
    deleted(index)
    with sqlite3.connect(index) as other:
        other.execute("CREATE TABLE items (nonsense TEXT)")
    other.close()


def of_a_later_version(index: Path) -> None:
    with sqlite3.connect(index) as later:
        later.execute("PRAGMA user_version = 999")
        later.execute("DROP TABLE traces")
    later.close()


def of_an_earlier_commit(index: Path) -> None:
    with sqlite3.connect(index) as stale:
        stale.execute("UPDATE meta SET value = 'f00' WHERE key = 'commit'")
        stale.execute("DELETE FROM items")
    stale.close()


DAMAGE = [
    deleted,
    whole_folder_deleted,
    emptied,
    truncated,
    cut_in_the_header,
    garbage,
    garbage_inside,
    a_folder,
    another_database,
    of_a_later_version,
    of_an_earlier_commit,
]


def with_much(home: Home) -> None:
    """Memories, edges, pins and alerts; enough that the index has many pages."""
    home.furnish()
    home.clock.forward(days=2)
    for number in range(30):
        home.memory.remember(f"Fact {number} " + "x" * 200, Semantic(f"Thing {number}"))
    home.memory.remember(
        "Is one", Semantic("Reverie", links=(("Uses", "tool--git"), ("By", "a--b")))
    )
    home.memory.remember("Some: context", Core())
    home.memory.pin("episode:2026-02-02:12:00")
    home.type("SOUL.md", "# Soul\n")
    home.memory.alerts()


def test_an_answer_that_others_keep_spoiling_is_given_while_they_wait(
    furnished: Home,
) -> None:
    session = furnished.memory._session  # noqa: SLF001 - tests look behind the door
    waiting: list[bool] = []

    def answer() -> str:
        assert isinstance(session.ledger, GitLedger)
        waiting.append(session.ledger._held)  # noqa: SLF001 - whether they do
        if len(waiting) < 3:
            raise IndexAlteredError
        return "told"

    assert session.answered(answer) == "told"
    assert waiting == [False, False, True]


def test_a_damaged_index_is_made_anew_and_says_the_same(
    home: Home, *, full: bool
) -> None:
    with_much(home)
    before = home.state()
    home.memory.close()
    kept = home.root.with_name("kept")
    shutil.copytree(home.root / ".reverie", kept)

    for number, damage in enumerate(DAMAGE):
        shutil.rmtree(home.root / ".reverie", ignore_errors=True)
        shutil.copytree(kept, home.root / ".reverie")
        damage(home.root / ".reverie/index.db")
        home.memory = Memory(home.root, clock=home.clock, environ={}, human=agrees)
        home.memory.tidy_on_close = False

        assert home.state() == before, damage.__name__
        if full or number % 4 == 0:
            assert home.disagreements() == [], damage.__name__
        home.memory.close()


@pytest.mark.parametrize("damage", [deleted, garbage, of_an_earlier_commit])
def test_a_damaged_index_stops_no_write(
    home: Home, damage: Callable[[Path], None]
) -> None:
    home.furnish()
    home.memory.close()

    damage(home.root / ".reverie/index.db")
    home.memory = Memory(home.root, clock=home.clock, environ={}, human=agrees)
    receipt = home.memory.remember("Still here.", Vault("Still"))

    assert receipt.commit == home.head
    assert home.memory.show("vault:still").text == "Still here."


def test_a_mended_index_is_told(home: Home) -> None:
    home.furnish()
    home.memory.close()
    garbage(home.root / ".reverie/index.db")

    home.reopen()

    assert "it was made anew" in home.memory.overview().warnings[0]
    assert len(home.memory.items()) == 5


def test_an_index_that_breaks_while_it_is_open_stops_no_write(home: Home) -> None:
    home.furnish()
    index = home.root / ".reverie/index.db"
    home.memory._session.index.scour()  # noqa: SLF001 - everything into the main file
    with index.open("r+b") as file:
        file.write(b"\x5a" * index.stat().st_size)

    receipt = home.memory.remember("Still here.", Vault("Still"))

    assert receipt.commit == home.head
    home.reopen()
    assert home.memory.show("vault:still").text == "Still here."
    assert home.disagreements() == []


def test_an_index_that_cannot_be_written_stops_no_write(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.furnish()
    home.memory.close()
    usual = lookup.connect

    def read_only(path: Path) -> sqlite3.Connection:
        usual(path).close()
        return sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)

    with monkeypatch.context() as patched:
        patched.setattr(lookup, "connect", read_only)
        memory = Memory(home.root, clock=home.clock, environ={}, human=agrees)
        memory.tidy_on_close = False
        receipt = memory.remember("Still here.", Vault("Still"))
        assert receipt.commit == home.head
        assert any("cannot be used" in warning for warning in memory.warnings)
        memory.close()

    home.memory = Memory(home.root, clock=home.clock, environ={}, human=agrees)
    assert home.memory.show("vault:still").text == "Still here."
    assert home.disagreements() == []


def test_an_index_that_lags_behind_writes_nothing_down(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.furnish()
    session = home.memory._session  # noqa: SLF001 - tests look behind the door
    monkeypatch.setattr(type(session), "sync", lambda *_: None)
    with session.index.changing():
        session.index.note_seen("f00")
    head = home.head

    assert session.snapshot() is None
    with pytest.raises(UnavailableError, match="up to date"):
        session.plan_snapshot()

    assert home.head == head


def test_rebuilding_says_what_it_found(home: Home) -> None:
    with_much(home)
    seen: list[tuple[int, int]] = []

    report = home.memory.rebuild(lambda done, of: seen.append((done, of)))

    assert (report.memories, report.edges) == (38, 2)
    assert report.files == len(home.tracked())
    assert seen[-1] == (report.files, report.files)
    assert home.disagreements() == []


# --- the audit log -------------------------------------------------------------


def test_a_forged_log_is_reported_and_mended(home: Home) -> None:
    home.furnish()
    true = home.raw(LOG)
    home.memory.close()
    lines = true.splitlines(keepends=True)
    home.type(LOG, b"".join([*lines[:3], *lines[4:]]))

    home.reopen()
    home.memory.remember("Goes on.", Episodic())

    assert home.raw(LOG).startswith(true)
    assert home.memory.check() == []


def test_a_deleted_log_is_written_again(home: Home) -> None:
    home.furnish()
    true = home.raw(LOG)
    (home.root / LOG).unlink()

    home.memory.history()

    assert home.raw(LOG) == true


def test_a_log_that_was_changed_without_a_trace_is_found(home: Home) -> None:
    home.furnish()
    file = home.root / LOG
    status, text = file.stat(), home.text(LOG)
    home.type(LOG, text.replace("bot:trigger-remember", "manual              "))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    (found,) = home.memory.check()
    assert (found.path, found.line) == (LOG, 12)
    assert "reverie rebuild" in found.mend
    home.memory.rebuild()
    assert home.memory.check() == []
    assert home.text(LOG).startswith(text)


# --- snapshots -----------------------------------------------------------------


def test_a_session_with_little_news_writes_the_graph_alone(home: Home) -> None:
    home.memory.remember("Fact", Semantic("Thing"))
    home.memory.tidy_on_close = True

    home.reopen()

    assert "concept--thing" in home.text(GRAPH)
    graph, fact = home.memory.history()[:2]
    assert [line.path for line in graph.lines] == [GRAPH]
    assert fact.lines[0].summary == "Fact"


def test_a_session_with_much_news_writes_scores_and_graph_down(home: Home) -> None:
    for number in range(60):
        home.memory.remember(f"Fact {number}", Semantic(f"Thing {number}"))
    home.memory.tidy_on_close = True

    home.reopen()

    entry = home.memory.history()[0]
    assert (str(entry.actor), len(entry.lines)) == ("system:decay", 2)
    assert "concept--thing-59" in home.text(GRAPH)
    assert "entity:concept--thing-59" in home.text(SCORES)
    assert home.disagreements() == []


def test_a_snapshot_is_not_repeated_when_only_time_has_passed(home: Home) -> None:
    home.furnish()
    home.memory.rebuild()
    head = home.head

    home.clock.forward(minutes=30)
    home.memory.rebuild()

    assert home.head == head


def test_what_people_keep_in_the_scores_file_is_carried_along(home: Home) -> None:
    home.furnish()
    text = home.text(SCORES).replace('"version": 1', '"version": 1, "mine": "yours"')
    home.type(SCORES, text)

    home.memory.pin("episode:2026-02-02:12:00")

    assert '"mine": "yours"' in home.text(SCORES)


# --- the configuration -----------------------------------------------------------


@pytest.mark.parametrize(
    "broken", ["[core\n", "[core]\ncap_tokens = 'many'\n", "[nonsense]\n", "\0"]
)
def test_of_a_broken_configuration_the_last_good_one_is_used(
    home: Home, broken: str
) -> None:
    home.type(CONFIG, "[core]\ncap_tokens = 2500\n")
    home.reopen().history()
    home.type(CONFIG, broken)

    memory = home.reopen()

    assert memory.config.core.cap_tokens == 2500
    assert memory.warnings[0].startswith(CONFIG)
    assert memory.warnings[0].endswith("the last good one is used")
    assert [f.path for f in memory.check()] == [CONFIG]
    memory.remember("Works.", Episodic())
    assert home.text(CONFIG) == broken


def test_without_a_configuration_the_defaults_hold(home: Home) -> None:
    (home.root / CONFIG).unlink()

    assert home.reopen().config.core.cap_tokens == 3000


def test_the_environment_overrides_the_file(home: Home) -> None:
    home.type(CONFIG, "[decay]\nlambda = 0.5\n")

    assert home.reopen(REVERIE_DECAY_LAMBDA="0.25").config.decay.rate == 0.25


# --- digests ---------------------------------------------------------------------


def a_years_work(home: Home) -> None:
    home.clock.forward(hours=1)
    home.memory.remember("In February.", Episodic())
    home.type("SOUL.md", "# Soul\n")
    home.memory.alerts()
    home.clock.forward(days=30)
    dreamt(home.memory, "In March.", Vault("March"), "r-1")
    home.memory.undo()
    home.clock.forward(days=170)
    home.memory.remember("In August.", Episodic())
    home.memory.tidy_on_close = True
    home.reopen()


def test_months_past_retention_become_digests(home: Home) -> None:
    a_years_work(home)

    text = home.text(ARCHIVE)

    february = text.partition("\n# Audit Digest — March 2026")[0]
    assert february == (
        "# Audit Digest — February 2026\n\n## Summary\n"
        "- 13 total mutations across 13 files\n"
        "- 0 reflection sessions (0 approved, 0 partial, 0 rejected)\n"
        "- 1 critical file change\n- 0 decay transitions, 0 archival events\n\n"
        "## Notable Events\n"
        "- 2026-02-02: reverie.toml — new workspace\n"
        "- 2026-02-02: SOUL.md — ⚠️ CRITICAL: direct human edit: "
        "1 line added, 0 removed\n"
    )
    assert re.findall("^# Audit Digest — (.*)$", text, re.MULTILINE) == [
        "February 2026",
        "March 2026",
    ]
    assert "- 1 reflection session (" in text


def test_the_log_begins_after_the_last_digest(home: Home) -> None:
    a_years_work(home)

    assert [line[:7] for line in home.log()] == ["2026-08"] * len(home.log())
    assert any("In August." in line for line in home.log())
    assert any(f"| CREATE | {ARCHIVE} | system:audit" in line for line in home.log())


def test_a_rebuild_and_a_forged_log_bring_no_old_month_back(home: Home) -> None:
    a_years_work(home)
    text = home.text(LOG)
    home.type(LOG, "forged\n")

    home.memory.rebuild()

    assert home.text(LOG).startswith(text)
    assert home.memory.check() == []
    assert home.disagreements() == []


def test_history_is_never_pruned(home: Home) -> None:
    a_years_work(home)

    summaries = [entry.lines[0].summary for entry in home.memory.history()]

    assert "In February." in summaries
    assert summaries[-1] == "new workspace"


def test_a_month_is_digested_once(home: Home) -> None:
    a_years_work(home)
    text = home.text(ARCHIVE)
    home.memory.tidy_on_close = True
    home.reopen()
    assert home.text(ARCHIVE) == text

    home.clock.forward(days=130)
    home.memory.remember("Later still.", Episodic())
    home.memory.tidy_on_close = True
    home.reopen()

    assert home.text(ARCHIVE).startswith(text)
    assert home.text(ARCHIVE).count("# Audit Digest — August 2026") == 1
    assert home.text(ARCHIVE).count("# Audit Digest — ") == 3


def test_a_young_workspace_has_no_digest(home: Home) -> None:
    home.clock.forward(days=80)
    home.memory.remember("In April.", Episodic())
    home.memory.tidy_on_close = True

    home.reopen()

    assert not (home.root / ARCHIVE).exists()


# --- clocks ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "moment",
    [
        NOON - timedelta(days=365 * 30),
        NOON - timedelta(minutes=1),
        NOON + timedelta(days=365 * 30),
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
        datetime(2200, 12, 31, 23, 59, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, tzinfo=UTC),
    ],
)
def test_a_clock_that_jumps_changes_no_memory_and_breaks_nothing(
    furnished: Home, moment: datetime
) -> None:
    before = {
        path: data
        for path, data in furnished.tracked().items()
        if path not in {SCORES, GRAPH, ARCHIVE}
    }
    furnished.clock.now = moment

    scores = [item.score for item in furnished.memory.items()]
    furnished.memory.tidy_on_close = True
    furnished.reopen()
    furnished.memory.check()
    furnished.memory.rebuild()
    furnished.memory.remember("Written then.", Vault("Then"))
    furnished.memory.undo()

    after = furnished.tracked()
    assert {path: after[path] for path in before} == before
    assert all(0 <= score <= 1 for score in scores)
    furnished.clock.now = NOON
    furnished.reopen()
    furnished.memory.remember("And back.", Episodic())
    assert [f for f in furnished.memory.check() if f.path != SCORES] == []


def test_a_clock_that_went_back_makes_nothing_more_vivid(furnished: Home) -> None:
    now = {item.id: item.score for item in furnished.memory.items()}

    furnished.clock.forward(days=-400)

    assert {item.id: item.score for item in furnished.memory.items()} == now


def test_memories_fade_with_time_alone(furnished: Home) -> None:
    head = furnished.head

    seen = []
    for _ in range(5):
        furnished.clock.forward(days=30)
        shown = furnished.memory.show("episode:2026-02-02:12:00")
        seen.append((round(shown.score, 3), shown.status))

    assert seen == [
        (0.325, "fading"),
        (0.132, "dormant"),
        (0.054, "dormant"),
        (0.022, "archived"),
        (0.009, "archived"),
    ]
    assert furnished.head == head


def test_a_workspace_reached_through_a_link_is_the_same_workspace(
    furnished: Home, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(furnished.root, target_is_directory=True)

    with Memory(tmp_path / "link", clock=Clock(), environ={}) as memory:
        memory.tidy_on_close = False
        memory.remember("Through a link.", Episodic())

    assert "Through a link." in furnished.text(DAY)
    assert furnished.disagreements() == []
