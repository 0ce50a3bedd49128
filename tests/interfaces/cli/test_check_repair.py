"""`check --repair` starts from a history that cannot be read, and loses nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pygit2
import pytest
from tests.interfaces.cli.conftest import Desk

from reverie import Episodic, Memory, Semantic, Vault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Damage = Callable[[Path], object]

MAIN = "refs/heads/main"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a history of several changes, and turns not yet written down."""
    root = tmp_path / "agent"
    with Memory.init(root) as memory:
        memory.tidy_on_close = False
        memory.remember("Ann lives in Lisbon.", Semantic("Ann", "person"))
        memory.remember("The boat was painted.", Episodic())
        memory.remember("The harbour code hangs inside.", Vault("Harbour"))
        memory.window("talk").say("We sail at dawn.")
    return root


def newest(audit: Path) -> Path:
    head = (audit / MAIN).read_text().strip()
    return audit / "objects" / head[:2] / head[2:]


def second(audit: Path) -> Path:
    """The commit before the newest, as a file."""
    git = pygit2.Repository(str(audit))
    found = str(git[(audit / MAIN).read_text().strip()].parents[0].id)  # type: ignore[attr-defined]
    git.free()
    return audit / "objects" / found[:2] / found[2:]


def empty_objects(audit: Path) -> None:
    for path in (audit / "objects").glob("??/*"):
        path.chmod(0o600)
        path.write_bytes(b"")


def cut(path: Path) -> None:
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:9])


def objects_gone(audit: Path) -> None:
    shutil.rmtree(audit / "objects")
    (audit / "objects").mkdir()


WHOLE: dict[str, Damage] = {
    "the branch is empty": lambda audit: (audit / MAIN).write_bytes(b""),
    "the branch is junk": lambda audit: (audit / MAIN).write_bytes(b"\xff junk\n"),
    "the branch names no object": lambda audit: (audit / MAIN).write_text("ab" * 20),
    "the branch is gone": lambda audit: (audit / MAIN).unlink(),
    "HEAD is empty": lambda audit: (audit / "HEAD").write_bytes(b""),
    "HEAD is gone": lambda audit: (audit / "HEAD").unlink(),
    "HEAD is junk": lambda audit: (audit / "HEAD").write_bytes(b"\0\0"),
}
"""Damage after which all of the history is still there."""

PARTS: dict[str, Damage] = {
    "the newest commit is gone": lambda audit: newest(audit).unlink(),
    "the newest commit is cut short": lambda audit: cut(newest(audit)),
    "a commit in between is gone": lambda audit: second(audit).unlink(),
    "the objects are gone": objects_gone,
    "the objects are empty": empty_objects,
}
"""Damage that takes a part of the history, or all of it."""


def files(root: Path) -> dict[str, bytes]:
    """Return what a user or an agent has written."""
    paths = (path for path in root.rglob("*.md") if ".audit" not in str(path))
    kept = (path for path in paths if path.name != "index.md")
    return {str(path.relative_to(root)): path.read_bytes() for path in kept}


def ids(root: Path, what: str = "") -> set[str]:
    """Return the IDs of all memories, and of the workspace if it can be kept."""
    with Memory(root) as memory:
        memory.tidy_on_close = False
        found = {each.id for each in memory.items()}
        return found if "objects" in what else found | {memory.workspace_id}


@pytest.mark.parametrize("what", [*WHOLE, *PARTS])
def test_a_damaged_history_is_repaired_and_nothing_is_lost(
    root: Path, what: str
) -> None:
    desk = Desk(root)
    before, known = files(root), ids(root, what)
    history = desk.type("history", "--limit", "0", "--json").json
    (WHOLE | PARTS)[what](root / ".audit")
    damaged = {p.name for p in (root / ".audit").iterdir()}

    # Git may wait forever for the rest of an object that is cut short.
    refused = None if "cut" in what else desk.type("recall", "boat")
    done = desk.type("check", "--repair")

    if refused and refused.code:
        assert "reverie check --repair" in refused.err, refused.err
    assert "Copy of the damaged history" in done.out, done.err
    (copy,) = root.glob(".audit-damaged-*")
    assert damaged <= {path.name for path in copy.iterdir()} | {"projected"}
    assert ids(root, what) == known
    assert {k: v for k, v in files(root).items() if k in before} == before
    assert "painted" in desk.type("recall", "boat").out
    assert desk.type("remember", "Ben is a sailor.").code == 0
    kept = desk.type("history", "--limit", "0", "--json").json
    whole = [each["commit"] for each in history]
    if what in WHOLE:
        assert [each["commit"] for each in kept][-len(whole) :] == whole
    elif "objects" not in what:
        assert len(kept) >= len(whole), done.out + str(kept)


def test_a_whole_history_is_left_alone(root: Path) -> None:
    desk = Desk(root)
    desk.type("check")
    head = (root / ".audit" / MAIN).read_bytes()
    done = desk.type("check", "--repair")

    assert "nothing to repair" in done.out
    assert (root / ".audit" / MAIN).read_bytes() == head
    assert not [*root.glob(".audit-damaged-*")]
