"""People run git in the folder, too; nothing they do to it may lose a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import Home

from reverie import Actor, Episodic, NotFoundError, RefusedError, Semantic, Vault
from reverie.ledger.git_ledger import OffMainError

if TYPE_CHECKING:
    from pathlib import Path


def told(home: Home) -> set[str]:
    """What the memory knows, as the next process finds it."""
    return {shown.text for shown in home.reopen().items()}


@pytest.mark.parametrize(
    "command",
    [
        ("clean", "-fdxq"),
        ("stash", "-a", "-q"),
        ("reset", "-q", "HEAD~2"),
        ("reset", "-q", "--soft", "HEAD~1"),
        ("gc", "-q", "--prune=now"),
        ("pack-refs", "--all"),
        ("commit", "-q", "--amend", "-m", "mine now"),
    ],
    ids=" ".join,
)
def test_what_git_is_told_by_hand_loses_no_memory(
    home: Home, command: tuple[str, ...]
) -> None:
    home.memory.remember("First.", Episodic())
    home.memory.remember("In the box.", Vault("Key"))
    home.memory.remember("Second.", Episodic())
    home.memory.tidy()

    home.git("-c", "user.name=x", "-c", "user.email=x", *command)

    assert {"First.", "Second.", "In the box."} <= told(home)
    home.memory.remember("Third.", Episodic())
    assert "Third." in told(home)
    assert home.disagreements() == []


def test_a_history_left_behind_by_a_reset_is_kept(home: Home) -> None:
    home.memory.remember("First.", Episodic())
    abandoned = home.head
    home.memory.tidy()
    home.git("reset", "-q", "HEAD~1")

    memory = home.reopen()
    memory.items()

    assert home.git("rev-parse", f"refs/rescue/{abandoned[:12]}").strip() == abandoned
    assert any("refs/rescue" in warning for warning in memory.warnings)


def test_a_commit_with_a_stale_index_takes_nothing_with_it(home: Home) -> None:
    home.memory.tidy()
    home.memory.remember("Not in git's index yet.", Vault("Note"))
    home.type("NOTES.md", "# Notes\n")
    home.git("add", "NOTES.md")
    home.git("-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "notes")

    home.memory.remember("Next.", Episodic())

    assert {"Not in git's index yet.", "Next."} <= told(home)
    assert home.disagreements() == []


def test_a_look_at_an_old_commit_is_not_taken_for_an_edit(home: Home) -> None:
    first = home.memory.remember("First.", Episodic())
    home.memory.remember("Second.", Vault("Two"))
    home.memory.tidy()
    head = home.head
    home.git("checkout", "-q", first.commit)

    memory = home.reopen()
    memory.history()
    with pytest.raises(OffMainError) as refused:
        memory.remember("Third.", Episodic())
    home.git("checkout", "-q", "main")

    assert "git checkout main" in refused.value.advice
    assert home.head == head
    assert {"First.", "Second."} <= told(home)


def test_a_file_moved_by_hand_is_told_as_a_move(home: Home) -> None:
    home.memory.remember("In the box.", Vault("Key"))
    home.type(
        "memory/vault/house/key.md", (home.root / "memory/vault/key.md").read_bytes()
    )
    (home.root / "memory/vault/key.md").unlink()

    line = home.memory.history(limit=1)[0].lines[0]

    assert (line.action, line.path) == ("RENAME", "memory/vault/house/key.md")
    assert home.memory.show("vault:key").text == "In the box."


def test_a_name_is_taken_wherever_a_person_keeps_the_file(home: Home) -> None:
    home.type("memory/vault/mine/three.md", "# Three\n\nBy hand.\n")
    bob = "memory/graph/entities/people/person--bob.md"
    home.type(bob, "# person--bob\n\n## Facts\n")
    home.memory.items()

    note = home.memory.remember("By the agent.", Vault("three"))
    fact = home.memory.remember("Likes tea", Semantic("Bob", "person"))

    assert note.ids == ("vault:three-2",)
    assert home.memory.show("vault:three").text == "By hand."
    assert fact.lines[0].path == bob


def test_names_that_come_down_to_the_same_letters_stay_apart(home: Home) -> None:
    names = ("C", "C++", "C#")

    ids = [home.memory.remember(f"About {n}", Semantic(n)).ids[0] for n in names]
    again = [home.memory.remember(f"More on {n}", Semantic(n)).ids[0] for n in names]

    assert len(set(ids)) == 3
    assert again == ids


@pytest.mark.parametrize("name", [".audit", ".reverie", ".git"])
def test_beginning_never_writes_through_a_link(tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / name).symlink_to(elsewhere)

    with pytest.raises(RefusedError, match="link"):
        Home(tmp_path / "agent")

    assert list(elsewhere.iterdir()) == []


def test_an_agent_may_not_take_back_what_a_human_protects(home: Home) -> None:
    bot = Actor("bot:auto-detect")
    note = home.memory.remember("In the box.", Vault("Key"))
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    pin = home.memory.pin("entity:person--alex")
    home.memory.remember("Shipped it.", Episodic())
    episode = home.memory.pin("episode:2026-02-02:12:00")

    for commit in (note.commit, pin.commit, episode.commit):
        with pytest.raises(RefusedError, match="may not do this"):
            home.memory.undo(commit, actor=bot)

    assert home.memory.show("episode:2026-02-02:12:00").pinned


def test_nobody_signs_as_reverie_itself(home: Home) -> None:
    with pytest.raises(RefusedError, match="Reverie itself"):
        home.memory.remember("x", Episodic(), actor=Actor("system:init"))


def test_the_first_commit_cannot_be_undone(home: Home) -> None:
    first = home.memory.history()[-1].commit

    with pytest.raises(NotFoundError, match="Reverie itself"):
        home.memory.undo(first)


def test_a_pin_stays_with_its_episode_when_an_earlier_one_goes(home: Home) -> None:
    first = home.memory.remember("First.", Episodic())
    home.memory.remember("Second.", Episodic())
    home.memory.pin("episode:2026-02-02:12:00~2")

    home.memory.undo(first.commit)

    assert home.memory.show("episode:2026-02-02:12:00~2").pinned
    assert home.disagreements() == []


def test_a_long_day_goes_on_in_a_further_part(home: Home) -> None:
    for letter in "abcd":
        home.memory.remember(letter * 100_000, Episodic())
    receipt = home.memory.remember("The last one.", Episodic())

    assert receipt.lines[0].path == "memory/episodes/2026-02-02~2.md"
    assert receipt.ids == ("episode:2026-02-02:12:00~5",)
    assert home.memory.show(receipt.ids[0]).text == "The last one."
    assert home.memory.check() == []
    assert home.disagreements() == []


def test_an_altered_log_is_told_of(home: Home) -> None:
    home.memory.remember("First.", Episodic())
    log = home.root / "memory/meta/audit.log"
    log.write_text(log.read_text(encoding="utf-8") + "forged\n", encoding="utf-8")

    memory = home.reopen()
    memory.items()

    assert any("audit.log" in warning for warning in memory.warnings)
    assert "forged" not in log.read_text(encoding="utf-8")


def test_a_memory_in_two_files_is_not_erased_by_its_name(home: Home) -> None:
    home.memory.remember("Mine.", Vault("Key"))
    home.type("memory/vault/house/key.md", "# Key\n\nYours.\n")

    with pytest.raises(RefusedError, match="several files"):
        home.memory.erase("vault:key")

    assert (home.root / "memory/vault/house/key.md").exists()


def test_erasing_words_of_a_message_leaves_who_did_it(home: Home) -> None:
    home.memory.remember("Approval: auto is what it said.", Episodic())
    actors = [str(entry.actor) for entry in home.memory.history()]

    home.memory.erase(text="Approval: auto")

    after = [str(entry.actor) for entry in home.memory.history()]
    assert after[-len(actors) :] == actors
