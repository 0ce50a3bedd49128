"""History from before there were seals, or from elsewhere, is accepted once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import DAY, Home, forget_workspaces

from reverie import Action, Episodic, Memory, Semantic
from reverie.authority.keyring import UNSEALED, KeyringError, Seal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def before_seals(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A workspace that was written by a ledger which knew no seals."""
    with monkeypatch.context() as patch:
        patch.setattr(Seal, "of", lambda *_: UNSEALED)
        home.reopen()
        home.furnish()
        home.type("SOUL.md", "# Soul\n\nBe kind.\n")
        home.memory.alerts()
        home.memory.close()
    # The first commit has one, from when the workspace was made.
    home.git("update-ref", "refs/heads/main", unsealed(home))
    (home.root / ".audit/projected").unlink()
    # It was never opened by a version that knows workspace IDs.
    forget_workspaces(home.root)
    home.reopen()
    home.memory.tidy()
    return home


def unsealed(home: Home) -> str:
    """The newest commit of the same history without any seal."""
    parent = ""
    for commit in home.git("rev-list", "--reverse", "main").split():
        tree = home.git("rev-parse", f"{commit}^{{tree}}").strip()
        words = ["-p", parent] if parent else []
        name = home.git("log", "-1", "--format=%an", commit).strip()
        who = ("-c", f"user.name={name}", "-c", "user.email=reverie@localhost")
        message = home.git("log", "-1", "--format=%B", commit)
        parent = home.git(*who, "commit-tree", tree, *words, "-m", message).strip()
    return parent


def test_older_history_is_one_alert_and_everything_works(before_seals: Home) -> None:
    memory = before_seals.memory

    alerts = memory.alerts()

    (one,) = (alert for alert in alerts if alert.path == ".audit")
    assert one.kind == "unverified"
    assert "changes were made on another device" in one.summary
    assert [alert.path for alert in alerts] == ["SOUL.md", ".audit"]
    memory.remember("Likes tea", Semantic("Alex", "person"))
    assert memory.recall("Where does Alex live?").hits
    assert memory.check() == []
    assert memory.undo().lines[0].action is Action.REVERT
    assert len([a for a in memory.alerts() if a.path == ".audit"]) == 1


def test_older_history_is_what_it_says_once_it_is_accepted(before_seals: Home) -> None:
    memory = before_seals.memory
    before = [e for e in memory.history() if not e.verified]
    assert {str(entry.actor) for entry in before} == {"unverified"}
    last = before[0].commit

    memory.acknowledge()

    assert memory.alerts() == []
    assert all(entry.verified for entry in memory.history())
    assert memory.history()[-1].actor.tag == "system:init"
    assert before_seals.message().startswith(
        f"[ALERT] SOUL.md — acknowledged by the user\n\n"
        f"[ALERT] .audit — accepted history up to {last}\n"
    )
    before_seals.reopen()
    assert before_seals.memory.alerts() == []
    assert before_seals.memory.check() == []


def test_what_comes_after_an_acceptance_is_doubted_again(before_seals: Home) -> None:
    before_seals.memory.acknowledge()
    before_seals.memory.tidy()
    before_seals.type("memory/vault/key.md", "# Key\n\nUnder the mat.\n")
    before_seals.git("add", "memory/vault/key.md")
    name = ("-c", "user.name=Alex", "-c", "user.email=alex@localhost")
    before_seals.git(*name, "commit", "-q", "-m", "Add a key")

    (alert,) = before_seals.memory.alerts()

    assert alert.summary.startswith("1 change was not made by this ledger")
    assert [entry.verified for entry in before_seals.memory.history(limit=2)] == [
        False,
        True,
    ]
    before_seals.memory.acknowledge(".audit")
    newest = before_seals.memory.history(limit=2)[1]
    assert (str(newest.actor), newest.trigger) == ("manual", "git commit")


def test_only_the_part_that_is_named_is_acknowledged(before_seals: Home) -> None:
    before_seals.memory.acknowledge("SOUL.md")

    assert [a.path for a in before_seals.memory.alerts()] == [".audit"]


def test_erasing_seals_anew_what_was_sealed_and_nothing_else(
    before_seals: Home,
) -> None:
    memory = before_seals.memory
    memory.acknowledge()
    memory.remember("The code is quincetree.", Episodic())
    verified = len(memory.history())

    memory.erase(text="hybrid")

    assert len(memory.history()) > verified
    assert all(entry.verified for entry in memory.history())
    assert [a.path for a in memory.alerts() if a.path == ".audit"] == []
    assert "hybrid" not in before_seals.text(DAY)
    raw = before_seals.git(
        "cat-file",
        "commit",
        before_seals.git("rev-list", "--max-parents=0", "main").strip(),
    )
    assert "reverie-seal" not in raw
    assert before_seals.git("fsck", "--strict") == ""


def test_erasing_makes_no_forged_commit_a_verified_one(home: Home) -> None:
    home.memory.remember("The code is quincetree.", Episodic())
    home.memory.tidy()
    home.type("memory/vault/key.md", "# Key\n\nUnder the mat.\n")
    home.git("add", "memory/vault/key.md")
    name = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    message = "[EDIT] x — y\n\nActor: manual\nApproval: approved\nTrigger: t"
    home.git(*name, "commit", "-q", "-m", message)

    home.memory.erase(text="quincetree")

    doubted = [entry for entry in home.memory.history() if not entry.verified]
    assert [str(entry.claim) for entry in doubted] == ["manual, approved"]
    assert ".audit" in {alert.path for alert in home.memory.alerts()}


def test_every_commit_is_sealed_and_sound_and_says_what_it_said(home: Home) -> None:
    home.furnish()

    for commit in home.git("rev-list", "main").split():
        raw = home.git("cat-file", "commit", commit)
        assert raw.count("\nreverie-seal ") == 1
        assert "reverie-seal" not in home.message(commit)
    assert home.git("fsck", "--strict") == ""
    assert "Actor: bot:" in home.git("log", "-3", "--format=%B") or (
        "Actor: manual" in home.git("log", "-3", "--format=%B")
    )


def test_history_of_another_key_is_accepted_once(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.furnish()
    home.memory.close()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))

    memory = home.reopen()

    (alert,) = memory.alerts()
    assert alert.path == ".audit"
    assert memory.acknowledge() == [alert]
    assert memory.alerts() == []


def test_without_a_key_nothing_can_be_acknowledged(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.memory.close()
    monkeypatch.setenv("XDG_DATA_HOME", str(home.root))
    memory: Memory = home.reopen()
    memory.remember("Still works.", Episodic())
    home.type("SOUL.md", "# Soul\n\nBe kind.\n")

    assert [alert.path for alert in memory.alerts()] == ["SOUL.md"]
    with pytest.raises(KeyringError):
        memory.acknowledge()
