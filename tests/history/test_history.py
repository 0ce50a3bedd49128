"""Asking history: who changed what, when and why."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, DAY, NOON, PASSPORT, dreamt

from reverie import Actor, Episodic, NotFoundError, Semantic, Vault

if TYPE_CHECKING:
    from tests.memory.home import Home


def summaries(home: Home, **filters: object) -> list[str]:
    return [e.lines[0].summary for e in home.memory.history(**filters)]  # type: ignore[arg-type]  # a test's own shorthand


def test_history_is_told_newest_first(furnished: Home) -> None:
    assert summaries(furnished) == [
        "Working on: the ledger",
        "Passport",
        "run the tests",
        "Lives in Berlin",
        "Chose the hybrid approach.",
        "new workspace",
    ]


def test_history_of_one_file(furnished: Home) -> None:
    furnished.memory.remember("Likes tea", Semantic("person--alex"))

    assert summaries(furnished, path=ALEX) == ["Likes tea", "Lives in Berlin"]


def test_history_of_one_actor_or_of_all_of_a_kind(furnished: Home) -> None:
    memory = furnished.memory
    dreamt(memory, "One", Episodic(), "r-1")
    dreamt(memory, "Two", Episodic(), "r-12")

    assert summaries(furnished, actor="reflection:r-1") == ["One"]
    assert summaries(furnished, actor="reflection") == ["Two", "One"]
    assert summaries(furnished, actor="reflection:*") == ["Two", "One"]
    assert summaries(furnished, actor="system") == ["new workspace"]
    assert summaries(furnished, actor="nobody") == []


def test_history_since_a_moment_and_no_more_than_asked(furnished: Home) -> None:
    later = furnished.clock.forward(hours=1)
    for number in range(3):
        furnished.memory.remember(f"Event {number}", Episodic())

    assert summaries(furnished, since=later) == ["Event 2", "Event 1", "Event 0"]
    assert summaries(furnished, since=later, limit=2) == ["Event 2", "Event 1"]
    assert summaries(furnished, since=later + timedelta(seconds=1)) == []
    assert summaries(furnished, limit=1) == ["Event 2"]


def test_why_was_it_forgotten(furnished: Home) -> None:
    (furnished.root / PASSPORT).unlink()
    furnished.memory.remember("Lost my passport", Episodic())

    (entry,) = furnished.memory.history(forgotten="PASSPORT")

    assert (entry.lines[0].action, entry.lines[0].path) == ("DELETE", PASSPORT)
    assert str(entry.actor) == "manual"
    assert summaries(furnished, forgotten="umbrella") == []


def test_what_one_change_did(furnished: Home) -> None:
    receipt = furnished.memory.remember("Likes tea", Semantic("person--alex"))

    diff = furnished.memory.diff(receipt.commit)

    assert diff.startswith(f"--- a/{ALEX}\n+++ b/{ALEX}\n")
    assert "\n+- Likes tea <!-- since: 2026-02-02 | source: user-explicit -->\n" in diff


def test_what_a_removal_did(furnished: Home) -> None:
    (furnished.root / PASSPORT).unlink()
    (entry,) = furnished.memory.history(forgotten="passport")

    assert "-In the blue box.\n" in furnished.memory.diff(entry.commit[:8])


def test_each_line_names_the_change_it_came_with(home: Home) -> None:
    first = home.memory.remember("First.", Episodic())
    home.clock.forward(minutes=5)
    second = home.memory.remember("Second.", Episodic(), actor=Actor("bot:auto-detect"))
    home.clock.forward(minutes=5)
    home.type(DAY, home.text(DAY) + "By hand.\n")

    blamed = home.memory.blame(DAY)
    lines = {line.text: line for line in blamed}

    assert [line.number for line in blamed] == list(range(1, len(blamed) + 1))
    assert (lines["First."].commit, lines["First."].at) == (first.commit, NOON)
    assert lines["Second."].commit == second.commit
    assert lines["Second."].actor == "bot:auto-detect"
    assert lines["By hand."].actor == "manual"


def test_blame_agrees_with_plain_git(furnished: Home) -> None:
    furnished.memory.remember("Likes tea", Semantic("person--alex"))

    ours = [line.commit for line in furnished.memory.blame(ALEX)]
    theirs = furnished.git("blame", "-s", "-l", "--root", "main", "--", ALEX)

    assert ours == [line.split()[0] for line in theirs.splitlines()]


def test_a_file_the_ledger_does_not_have_has_no_blame(furnished: Home) -> None:
    with pytest.raises(NotFoundError, match="has no file"):
        furnished.memory.blame("memory/vault/nothing.md")


def test_a_commit_made_with_plain_git_is_nobodys_until_it_is_accepted(
    furnished: Home,
) -> None:
    furnished.memory.tidy()
    furnished.type("memory/vault/key.md", "# Key\n\nUnder the mat.\n")
    furnished.git("add", "memory/vault/key.md")
    name = ("-c", "user.name=Alex", "-c", "user.email=alex@example.org")
    furnished.git(*name, "commit", "-q", "-m", "Add a key\n\nActor: bot:main")

    entry = furnished.memory.history()[0]

    assert (str(entry.actor), entry.trigger) == ("unverified", "git commit")
    assert {line.actor for line in furnished.memory.blame("memory/vault/key.md")} == {
        "unverified"
    }
    assert furnished.memory.show("vault:key").actor == "unverified"
    furnished.memory.acknowledge()
    entry = furnished.memory.history()[1]
    assert (str(entry.actor), entry.trigger) == ("manual", "git commit")
    assert (entry.lines[0].path, entry.lines[0].summary) == (
        "memory/vault/key.md",
        "Add a key",
    )
    assert furnished.memory.show("vault:key").text == "Under the mat."
    assert furnished.disagreements() == []


def test_the_overview_counts_changes_and_memories(furnished: Home) -> None:
    furnished.memory.remember("Under the mat.", Vault("Key"))

    overview = furnished.memory.overview()

    assert overview.root == str(furnished.root)
    assert overview.changes == furnished.commits() == 7
    assert overview.counts == {
        "core": 1,
        "episodic": 1,
        "procedural": 1,
        "semantic": 1,
        "vault": 2,
    }
    assert (overview.alerts, overview.warnings) == (0, ())


def test_items_can_be_listed_by_store_and_by_file(furnished: Home) -> None:
    furnished.memory.remember("A second one.", Episodic())

    assert len(furnished.memory.items()) == 6
    assert [item.title for item in furnished.memory.items(path=DAY)] == [
        "Chose the hybrid approach.",
        "A second one.",
    ]
