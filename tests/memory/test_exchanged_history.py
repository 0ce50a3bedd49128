"""A history that was deleted, exchanged or moved back is told until a human agrees."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import Points, chosen, instrumented, run_killed
from tests.memory.home import LOG, Home, agrees, bound_keyring, git

from reverie import Episodic, Memory
from reverie.authority.authority import WorkspaceLockedError
from reverie.model.change import OnlyHumansError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SOUL = "# Soul\n\nObey the page.\n"
WHO = ("-c", "user.name=x", "-c", "user.email=x@example.org")


def no_ledger(home: Home) -> None:
    shutil.rmtree(home.root / ".audit")


def no_state(home: Home) -> None:
    no_ledger(home)
    shutil.rmtree(home.root / ".reverie")
    (home.root / ".git").unlink()


def no_folder(home: Home) -> None:
    shutil.rmtree(home.root)


def no_branch(home: Home) -> None:
    (home.root / ".audit/refs/heads/main").unlink()


def moved_back(home: Home) -> None:
    home.git("reset", "-q", "--hard", "HEAD~2")


def first_again(home: Home) -> None:
    home.git("update-ref", "refs/heads/main", home.git("rev-list", "main").split()[-1])


def amended(home: Home) -> None:
    home.git(*WHO, "commit", "-q", "--amend", "--allow-empty", "-m", "mine now")


def orphan(home: Home) -> None:
    tree = home.git("rev-parse", "main^{tree}").strip()
    commit = home.git(*WHO, "commit-tree", tree, "-m", "all is well").strip()
    home.git("update-ref", "refs/heads/main", commit)


def hidden_by_a_merge(home: Home) -> None:
    """Our history is there, as the second parent, where nobody walks."""
    tree = home.git("rev-parse", "main^{tree}").strip()
    first = home.git(*WHO, "commit-tree", tree, "-m", "all is well").strip()
    parents = ("-p", first, "-p", "main")
    merged = home.git(*WHO, "commit-tree", tree, *parents, "-m", "merge").strip()
    home.git("update-ref", "refs/heads/main", merged)


def anothers(home: Home) -> None:
    """The history of another workspace of the same user, sealed as well."""
    other = Home(home.root.with_name("other"))
    other.memory.close()
    shutil.rmtree(home.root / ".audit")
    shutil.copytree(other.root / ".audit", home.root / ".audit")


def own_older(home: Home) -> None:
    """An earlier copy of the whole folder, sealed in all its parts."""
    shutil.rmtree(home.root)
    shutil.copytree(home.root.with_name("kept"), home.root, symlinks=True)


EXCHANGES: tuple[Callable[[Home], None], ...] = (
    *(no_ledger, no_state, no_folder, no_branch, moved_back, first_again, amended),
    *(orphan, hidden_by_a_merge, anothers, own_older),
)


def moved(memory: Memory) -> list[str]:
    """What is told of a history that does not lead up to what is known."""
    alerts = [a for a in memory.alerts() if a.kind == "moved"]
    assert {a.path for a in alerts} <= {".audit"}
    return [a.commit for a in alerts]


@pytest.fixture
def watched(furnished: Home) -> Home:
    """A workspace with an alert that waits, closed, and a copy from before."""
    furnished.memory.close()
    shutil.copytree(furnished.root, furnished.root.with_name("kept"), symlinks=True)
    furnished.reopen()
    furnished.type("SOUL.md", SOUL)
    furnished.memory.alerts()
    furnished.memory.remember("The harbour opens at nine.", Episodic())
    furnished.memory.close()
    return furnished


def agent(home: Home) -> Memory:
    """The workspace as an agent makes it anew, and opens it."""
    memory = Memory.init(home.root, clock=home.clock, environ={})
    memory.tidy_on_close = False
    return memory


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_a_history_that_was_exchanged_is_told_until_its_human_agrees(
    watched: Home, exchange: Callable[[Home], None]
) -> None:
    newest = watched.head
    exchange(watched)
    with agent(watched) as memory:
        assert moved(memory) == [newest]
        memory.remember("Nothing happened.", Episodic())
        with pytest.raises(OnlyHumansError):
            memory.acknowledge(".audit")
    for _ in range(2):
        memory = watched.reopen()
        (alert,) = (a for a in memory.alerts() if a.kind == "moved")
        assert f"{newest[:10]} of 2026-02-02" in alert.summary
        memory.remember("Again nothing.", Episodic())

    memory.accept_workspace()

    assert [a.path for a in memory.alerts() if a.path == ".audit"] == []
    memory.remember("It goes on.", Episodic())
    assert moved(watched.reopen()) == []
    assert watched.unlike_head() == []
    assert [f for f in watched.memory.check() if f.path == LOG] == []


def test_a_person_who_is_named_is_told_too(watched: Home) -> None:
    no_state(watched)
    agent(watched).close()
    ann = Memory.open(watched.root, person="Ann", environ={})
    ann.tidy_on_close = False

    with ann:
        assert len(moved(ann)) == 1


def test_an_agent_is_told_what_is_missing(watched: Home) -> None:
    no_ledger(watched)
    with agent(watched) as memory:
        assert "history was exchanged or moved back" in memory.wake("w").text


def test_a_history_that_only_grew_is_no_alert(watched: Home) -> None:
    watched.type("NOTES.md", "# Notes\n")
    watched.git("add", "NOTES.md")
    watched.git(*WHO, "commit", "-qm", "notes")
    memory = watched.reopen()

    assert moved(memory) == []
    memory.remember("And more.", Episodic())
    memory.undo()
    memory.tidy()
    assert moved(watched.reopen()) == []


def test_an_anchor_that_is_behind_after_a_power_cut_is_no_alert(
    watched: Home,
) -> None:
    ring = bound_keyring(watched.root)
    older = watched.git("rev-parse", "main~3").strip()
    ring.write(f"{ring.place}/newest", f"{older} {0:012}\n".encode())

    memory = watched.reopen()

    assert moved(memory) == []
    memory.remember("And more.", Episodic())
    assert (ring.read(f"{ring.place}/newest") or b"").startswith(watched.head.encode())


def test_a_copy_elsewhere_begins_with_nothing(watched: Home, tmp_path: Path) -> None:
    git(watched.root, "clone", "-q", str(watched.root / ".audit"), str(tmp_path / "c"))
    there = tmp_path / "there"
    shutil.copytree(watched.root, there, symlinks=True)
    git(there, "reset", "-q", "--hard", "HEAD~1")

    with Memory(there, environ={}, human=agrees) as memory:
        memory.tidy_on_close = False
        assert moved(memory) == []


def test_erasing_is_no_alert_and_what_was_told_before_stays(watched: Home) -> None:
    memory = watched.reopen()
    memory.erase("vault:passport")
    assert moved(watched.reopen()) == []
    watched.memory.close()
    newest = watched.head
    watched.git("update-ref", "refs/heads/main", "main~2")
    assert moved(watched.reopen()) == [newest]

    with pytest.raises(WorkspaceLockedError, match=newest[:10]):
        watched.memory.erase(text="hybrid approach")
    watched.memory.accept_workspace()

    assert moved(watched.reopen()) == []


def test_an_erasure_that_is_killed_anywhere_is_no_alert(
    watched: Home, *, full: bool
) -> None:
    kept = watched.root.with_name("before")
    shutil.copytree(watched.root, kept, symlinks=True)
    ring = bound_keyring(watched.root)
    newest = ring.read(f"{ring.place}/newest") or b""

    def erase() -> None:
        with Memory(watched.root, clock=watched.clock, human=agrees) as memory:
            memory.tidy_on_close = False
            memory.erase("vault:passport")

    points = Points()
    with instrumented(points):
        erase()
    # Shortened: one call of every other kind.
    for number in chosen(points.names, 1, full=full):
        shutil.rmtree(watched.root)
        shutil.copytree(kept, watched.root, symlinks=True)
        ring.write(f"{ring.place}/newest", newest)
        run_killed(erase, number, "before")
        assert moved(watched.reopen()) == [], points.names[number - 1]
        watched.memory.close()
    watched.reopen()
