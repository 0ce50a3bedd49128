"""Asking history: who changed what, when and why."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import (
    ALEX,
    CORE,
    DAY,
    DEPLOY,
    GRAPH,
    NOON,
    PASSPORT,
    SCORES,
    Home,
    dreamt,
)

from reverie import (
    Act,
    Actor,
    Block,
    ConflictError,
    Core,
    Episodic,
    NotFoundError,
    Procedural,
    Semantic,
    Vault,
)
from reverie.encoding.placement import plan_remember
from reverie.model.change import MANUAL, Approval, ChangeSet

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.model.route import Place


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


SESSION = Actor("reflection:r-012")
LONG = " x" * 60


def ids(home: Home) -> list[str]:
    return [item.id for item in home.memory.items()]


# --- one change --------------------------------------------------------------


def test_the_newest_change_is_taken_back(furnished: Home) -> None:
    before = furnished.tracked()
    done = furnished.memory.remember("Key under the mat.", Vault("Key"))

    receipt = furnished.memory.undo()

    after = furnished.tracked()
    assert {p: after[p] for p in before if p not in {SCORES, GRAPH}} == {
        p: before[p] for p in before if p not in {SCORES, GRAPH}
    }
    assert not (furnished.root / "memory/vault/key.md").exists()
    (line,) = receipt.lines
    assert (line.action, line.path) == ("REVERT", "memory/vault/key.md")
    assert line.summary == f"took back {done.commit[:10]}: Key"
    assert str(receipt.actor) == "manual"
    assert furnished.disagreements() == []


def test_each_undo_goes_one_change_further_back(furnished: Home) -> None:
    for gone in (
        "core:context/working-on",
        "vault:passport",
        "procedure:how-to-deploy",
        "entity:person--alex",
        "episode:2026-02-02:12:00",
    ):
        furnished.memory.undo()
        assert gone not in ids(furnished)

    assert ids(furnished) == []
    with pytest.raises(NotFoundError, match="nothing to undo") as caught:
        furnished.memory.undo()
    assert caught.value.advice
    assert furnished.disagreements() == []


def test_one_change_of_many_is_taken_back_by_its_commit(furnished: Home) -> None:
    first = furnished.memory.remember("Likes tea", Semantic("person--alex"))
    furnished.memory.remember("Sings", Semantic("person--alex"))
    furnished.memory.remember("Later.", Episodic())

    furnished.memory.undo(first.commit[:12])

    text = furnished.memory.show("entity:person--alex").text
    assert text == "Alex\nLives in Berlin\nSings"
    assert furnished.disagreements() == []


def test_an_undone_change_can_be_brought_back(furnished: Home) -> None:
    furnished.memory.remember("Key under the mat.", Vault("Key"))
    undone = furnished.memory.undo()

    furnished.memory.undo(undone.commit)

    assert furnished.memory.show("vault:key").text == "Key under the mat."
    assert furnished.disagreements() == []


def test_what_was_brought_back_is_the_next_to_be_undone(furnished: Home) -> None:
    furnished.memory.remember("Key under the mat.", Vault("Key"))
    undone = furnished.memory.undo()
    furnished.memory.undo(undone.commit)

    furnished.memory.undo()

    assert "vault:key" not in ids(furnished)
    assert len(ids(furnished)) == 5
    assert furnished.disagreements() == []


def test_a_change_that_is_undone_is_not_undone_twice(furnished: Home) -> None:
    done = furnished.memory.remember("Key under the mat.", Vault("Key"))
    furnished.memory.undo()
    head = furnished.head

    with pytest.raises(NotFoundError, match="nothing to take back"):
        furnished.memory.undo(done.commit)

    assert furnished.head == head


def test_words_that_sound_like_an_undo_hide_nothing(furnished: Home) -> None:
    done = furnished.memory.remember("Key under the mat.", Vault("Key"))
    furnished.memory.remember(f"took back {done.commit[:10]}", Vault("Trick"))
    furnished.memory.undo()

    furnished.memory.undo()

    assert "vault:key" not in ids(furnished)
    assert "vault:passport" in ids(furnished)


def test_what_the_system_did_is_not_offered(furnished: Home) -> None:
    furnished.memory.rebuild()
    furnished.type("SOUL.md", "# Soul\n")
    furnished.memory.acknowledge()

    furnished.memory.undo()

    assert not (furnished.root / "SOUL.md").exists()


def test_later_changes_to_the_same_lines_stand_in_the_way(furnished: Home) -> None:
    first = furnished.memory.remember(
        "Lives in Paris", Semantic("person--alex", supersedes="Lives in Berlin")
    )
    later = furnished.memory.remember(
        "Lives in Rome", Semantic("person--alex", supersedes="Lives in Paris")
    )
    before, head = furnished.tracked(), furnished.head

    with pytest.raises(ConflictError, match=ALEX) as caught:
        furnished.memory.undo(first.commit)

    assert later.commit[:10] in caught.value.advice
    assert (furnished.tracked(), furnished.head) == (before, head)
    furnished.memory.undo(later.commit)
    furnished.memory.undo(first.commit)
    assert furnished.memory.show("entity:person--alex").text == "Alex\nLives in Berlin"


def test_the_first_entry_of_a_day_leaves_the_days_title(home: Home) -> None:
    first = home.memory.remember("First.", Episodic())
    home.clock.forward(minutes=1)
    home.memory.remember("Second.", Episodic())

    home.memory.undo(first.commit)

    assert home.text(DAY).startswith("# 2026-02-02 — Episode Log\n\n## 12:01 | event")
    assert ids(home) == ["episode:2026-02-02:12:01"]
    assert home.memory.check() == []
    assert home.disagreements() == []


def test_the_only_entry_of_a_day_takes_the_day_with_it(home: Home) -> None:
    home.memory.remember("First.", Episodic())

    home.memory.undo()

    assert not (home.root / DAY).exists()


def test_a_persons_edit_can_be_undone(furnished: Home) -> None:
    before = furnished.raw(DEPLOY)
    furnished.type(DEPLOY, "wiped by accident")

    furnished.memory.undo()

    assert furnished.raw(DEPLOY) == before
    assert furnished.disagreements() == []


def test_an_edit_saved_just_now_is_not_lost_by_an_undo(furnished: Home) -> None:
    added = furnished.memory.remember("Likes tea", Semantic("person--alex"))
    furnished.type(ALEX, furnished.text(ALEX).replace("Berlin", "Bonn"))

    furnished.memory.undo(added.commit)

    text = furnished.memory.show("entity:person--alex").text
    assert text == "Alex\nLives in Bonn"


def test_the_move_out_of_core_memory_is_taken_back_whole(tmp_path: Path) -> None:
    home = Home(tmp_path / "tight", REVERIE_CORE_CONTEXT_TOKENS="150")
    home.memory.remember(f"Old: thing{LONG}", Core(Block.CONTEXT))
    before = home.raw(CORE)
    home.memory.remember(f"New: thing{LONG}", Core(Block.CONTEXT))

    receipt = home.memory.undo()

    assert home.raw(CORE) == before
    assert not (home.root / DAY).exists()
    assert len(receipt.lines) == 2
    assert home.disagreements() == []
    home.memory.close()


# --- one file ----------------------------------------------------------------


def test_one_file_goes_back_to_before_its_last_change(furnished: Home) -> None:
    furnished.memory.remember("Likes tea", Semantic("person--alex"))
    furnished.memory.remember("Key under the mat.", Vault("Key"))

    receipt = furnished.memory.undo(path=ALEX)

    assert furnished.memory.show("entity:person--alex").text == "Alex\nLives in Berlin"
    assert furnished.memory.show("vault:key").text == "Key under the mat."
    assert [line.action for line in receipt.lines] == ["REVERT"]
    assert receipt.lines[0].summary.startswith("user reverted to commit ")
    assert furnished.disagreements() == []


def test_one_file_goes_back_to_what_it_was_at_a_commit(furnished: Home) -> None:
    then, commit = furnished.raw(ALEX), furnished.head
    for fact in ("Likes tea", "Sings", "Paints"):
        furnished.memory.remember(fact, Semantic("person--alex"))

    furnished.memory.undo(commit, path=ALEX)

    assert furnished.raw(ALEX) == then
    assert furnished.git("diff", commit, "main", "--", ALEX) == ""
    assert furnished.disagreements() == []


def test_a_file_that_was_not_there_then_is_gone(furnished: Home) -> None:
    commit = furnished.head
    furnished.memory.remember("Key under the mat.", Vault("Key"))

    furnished.memory.undo(commit, path="memory/vault/key.md")

    assert not (furnished.root / "memory/vault/key.md").exists()


def test_a_file_that_is_as_it_was_is_left(furnished: Home) -> None:
    with pytest.raises(NotFoundError, match="already what it was"):
        furnished.memory.undo(furnished.head, path=ALEX)


def test_after_a_file_went_back_undo_goes_on_with_the_change_before(
    furnished: Home,
) -> None:
    furnished.memory.remember("Likes tea", Semantic("person--alex"))
    furnished.memory.undo(path=ALEX)

    furnished.memory.undo()

    assert "core:context/working-on" not in ids(furnished)
    assert "entity:person--alex" in ids(furnished)


# --- one reflection ----------------------------------------------------------


def approve(home: Home, text: str, place: Place) -> None:
    """What a reflection does once its human said yes."""
    session, desk = home.memory._session, home.memory._desk  # noqa: SLF001 - behind the door
    plan = plan_remember(text, place, desk(SESSION))
    change = ChangeSet(plan.edits, SESSION, Approval.APPROVED, "reflection")
    with session.authority.act(Act.DECIDE, "approve"):
        session.commit(change)


def reflect(home: Home) -> None:
    """Several changes of one session, with others in between."""
    memory = home.memory
    dreamt(memory, "Likes tea", Semantic("person--alex"))
    memory.remember("Between the two.", Episodic())
    dreamt(memory, "Sings", Semantic("person--alex"))
    approve(home, "notify", Procedural("how to deploy"))
    approve(home, "Mastered: " + "y " * 100, Core(Block.CONTEXT))
    memory.remember("Not of the session", Semantic("person--alex"))


def test_a_session_is_taken_back_as_one_change(tmp_path: Path) -> None:
    home = Home(tmp_path / "tight", REVERIE_CORE_CONTEXT_TOKENS="220")
    home.furnish()
    home.memory.remember("Old: thing " + "z " * 100, Core(Block.CONTEXT))
    core, deploy = home.raw(CORE), home.raw(DEPLOY)
    reflect(home)
    assert "Old: thing" not in home.text(CORE)
    commits = home.commits()

    receipt = home.memory.undo(session="r-012")

    assert {line.path for line in receipt.lines} == {ALEX, CORE, DEPLOY, DAY}
    assert receipt.lines[0].summary == "took back reflection r-012"
    assert home.memory.history()[1].commit == receipt.commit
    assert home.commits() == commits + 2
    assert (home.raw(CORE), home.raw(DEPLOY)) == (core, deploy)
    text = home.memory.show("entity:person--alex").text
    assert text == "Alex\nLives in Berlin\nNot of the session"
    assert "Between the two." in home.text(DAY)
    assert "Old: thing" not in home.text(DAY)
    assert home.disagreements() == []
    home.memory.close()


def test_after_a_session_went_back_undo_goes_on_before_it(furnished: Home) -> None:
    dreamt(furnished.memory, "Likes tea", Semantic("person--alex"))
    dreamt(furnished.memory, "Sings", Semantic("person--alex"))
    furnished.memory.undo(session="r-012")

    furnished.memory.undo()

    assert "core:context/working-on" not in ids(furnished)


def test_a_session_nobody_knows_is_told_so(furnished: Home) -> None:
    with pytest.raises(NotFoundError, match="no reflection session 'r-9'"):
        furnished.memory.undo(session="r-9")


# --- a point in time ---------------------------------------------------------


def test_the_whole_workspace_goes_back_to_a_moment(furnished: Home) -> None:
    furnished.memory.rebuild()
    before = furnished.tracked()
    furnished.clock.forward(hours=1)
    furnished.memory.remember("Key under the mat.", Vault("Key"))
    furnished.memory.remember("Likes tea", Semantic("person--alex"))
    furnished.memory.pin("episode:2026-02-02:12:00")
    furnished.type("SOUL.md", "# Soul\n")
    (furnished.root / PASSPORT).unlink()
    furnished.clock.forward(hours=1)

    receipt = furnished.memory.restore(NOON)

    assert furnished.tracked() == before
    assert not (furnished.root / "SOUL.md").exists()
    assert not (furnished.root / "memory/vault/key.md").exists()
    assert not furnished.memory.show("episode:2026-02-02:12:00").pinned
    assert {line.action for line in receipt.lines} == {"REVERT"}
    assert "workspace as of 2026-02-02T12:00Z" in receipt.lines[0].summary
    assert furnished.disagreements() == []


def test_a_pin_made_after_that_moment_does_not_hold(furnished: Home) -> None:
    furnished.clock.forward(hours=1)
    for item in furnished.memory.items():
        furnished.memory.pin(item.id)
    furnished.clock.forward(hours=1)

    furnished.memory.restore(NOON)

    assert [i.id for i in furnished.memory.items() if i.pinned] == ["vault:passport"]
    assert furnished.disagreements() == []


def test_the_graph_and_the_scores_are_as_they_were(furnished: Home) -> None:
    furnished.memory.rebuild()
    graph, scores = furnished.text(GRAPH), json.loads(furnished.text(SCORES))
    furnished.clock.forward(days=1)
    furnished.memory.remember("Is new", Semantic("Tea", "concept"))
    furnished.memory.rebuild()
    assert "concept--tea" in furnished.text(GRAPH)

    furnished.memory.restore(NOON)

    assert "concept--tea" not in furnished.text(GRAPH)
    assert "concept--tea" not in furnished.text(SCORES)
    assert json.loads(furnished.text(SCORES))["entries"] == scores["entries"]
    assert graph.splitlines()[:8] == furnished.text(GRAPH).splitlines()[:8]


def test_a_restore_can_be_undone(furnished: Home) -> None:
    furnished.clock.forward(hours=1)
    furnished.memory.remember("Key under the mat.", Vault("Key"))
    furnished.clock.forward(hours=1)
    restored = furnished.memory.restore(NOON)

    furnished.memory.undo(restored.commit)

    assert furnished.memory.show("vault:key").text == "Key under the mat."
    assert furnished.disagreements() == []


def test_after_a_restore_undo_goes_on_from_that_moment(furnished: Home) -> None:
    furnished.clock.forward(hours=1)
    furnished.memory.remember("Key under the mat.", Vault("Key"))
    furnished.memory.remember("Likes tea", Semantic("person--alex"))
    furnished.memory.restore(NOON)

    furnished.memory.undo()

    assert "core:context/working-on" not in ids(furnished)
    assert "vault:passport" in ids(furnished)


def test_going_back_to_now_is_told_so(furnished: Home) -> None:
    with pytest.raises(NotFoundError, match="is what it was at"):
        furnished.memory.restore(NOON)


def test_the_digests_of_the_log_are_kept(home: Home) -> None:
    home.furnish()
    home.clock.forward(days=200)
    home.memory.remember("Much later.", Episodic())
    home.memory.tidy_on_close = True
    home.reopen()
    archive = home.raw("memory/meta/audit-archive.md")

    home.memory.restore(NOON)

    assert home.raw("memory/meta/audit-archive.md") == archive
    assert "Much later." not in "".join(item.text for item in home.memory.items())
    assert home.disagreements() == []


# --- a look before going back ----------------------------------------------------


def test_what_undoing_would_do_is_told_and_nothing_is_done(furnished: Home) -> None:
    memory = furnished.memory
    done = memory.remember("Likes tea", Semantic("person--alex"))
    head = furnished.head

    told = memory.find_undo(done.commit)

    assert furnished.head == head
    assert (told.changes, told.files) == (1, (ALEX,))
    assert "-- Likes tea" in told.diff
    assert memory.undo(done.commit, shown=told.shown).lines[0].summary == told.why


def test_undoing_as_shown_is_refused_once_it_would_do_something_else(
    furnished: Home,
) -> None:
    memory = furnished.memory
    done = memory.remember("Likes tea", Semantic("person--alex"))
    shown = memory.find_undo(done.commit).shown
    memory.remember("A quiet week.", Episodic())
    same = memory.find_undo(done.commit).shown
    memory.remember("Plays chess", Semantic("person--alex"))

    with pytest.raises(ConflictError, match="something else by now"):
        memory.undo(done.commit, shown=shown)

    assert same == shown
    assert "Likes tea" in furnished.text(ALEX)


def test_what_going_back_to_a_moment_would_do_is_told(furnished: Home) -> None:
    memory, then = furnished.memory, furnished.clock.now
    furnished.clock.forward(hours=1)
    memory.remember("A quiet week.", Episodic())
    memory.remember("Speaks Dutch", Semantic("person--alex"))

    told = memory.find_restore(then)
    memory.remember("Likes tea", Semantic("person--alex"))

    assert told.changes >= 2
    assert {ALEX, DAY} <= {*told.files}
    assert "-- Speaks Dutch" in told.diff
    with pytest.raises(ConflictError, match="something else by now"):
        memory.restore(then, shown=told.shown)


def test_what_no_longer_is_pinned_or_forgotten_is_told(furnished: Home) -> None:
    memory = furnished.memory
    episode = memory.items("episodic")[0].id
    pinned = memory.pin(episode)

    assert memory.find_undo(pinned.commit).wishes == ((episode, "no longer pinned"),)
    undone = memory.undo(pinned.commit)
    assert memory.find_undo(undone.commit).wishes == ((episode, "pinned again"),)


def test_what_was_wished_of_what_came_later_is_told_before_going_back(
    furnished: Home,
) -> None:
    memory = furnished.memory
    memory.pin(memory.items("episodic")[0].id)
    furnished.clock.forward(minutes=1)
    kept, gone = (
        memory.remember(text, Episodic()).ids[0] for text in ("Rains.", "Pours.")
    )
    furnished.clock.forward(minutes=1)
    then = furnished.clock.now
    furnished.clock.forward(hours=1)
    memory.pin(kept)
    memory.forget(memory.find_to_forget(gone).matches, actor=MANUAL)

    told = memory.find_restore(then)

    assert set(told.wishes) >= {
        (kept, "no longer pinned"),
        (gone, "no longer forgotten"),
    }
    memory.restore(then, shown=told.shown)
    assert not memory.show(kept).pinned


def test_one_change_is_found_by_the_beginning_of_its_id(furnished: Home) -> None:
    third = furnished.memory.history()[2]

    assert furnished.memory.history(commit=third.commit[:10]) == [third]
    with pytest.raises(NotFoundError):
        furnished.memory.history(commit="0123456789")
