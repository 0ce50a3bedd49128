"""Comparing what the same work costs at two revisions; nothing here is timed."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from benchmarks.compare import (
    HERE,
    CompareError,
    Row,
    Tree,
    arguments,
    as_json,
    checked_out,
    environment,
    rows,
    run,
    table,
    worked,
)
from benchmarks.suite.work import Words, timed

if TYPE_CHECKING:
    from pathlib import Path

GIT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=x", "-c", "user.email=x")
    done = subprocess.run(
        ["git", "-C", str(root), *identity, *words],
        env=GIT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two revisions of a file."""
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    for text in ("one", "two"):
        (root / "code.py").write_text(text, encoding="utf-8")
        git(root, "add", ".")
        git(root, "commit", "-qm", text)
    return root


def test_the_other_revision_is_there_for_as_long_as_it_is_needed(
    repository: Path, tmp_path: Path
) -> None:
    with checked_out("HEAD~1", repository, tmp_path) as tree:
        assert (tree / "code.py").read_text("utf-8") == "one"
        assert (repository / "code.py").read_text("utf-8") == "two"

    assert not tree.exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_it_is_gone_after_a_failure_too(repository: Path, tmp_path: Path) -> None:
    work = checked_out("HEAD", repository, tmp_path)
    with pytest.raises(ZeroDivisionError), work as tree:
        assert 1 / len(tree.name[:0])

    assert len(git(repository, "worktree", "list").splitlines()) == 1
    with pytest.raises(CompareError), checked_out("nowhere", repository, tmp_path):
        pass


def test_a_revision_sees_its_own_code_and_a_home_of_its_own(tmp_path: Path) -> None:
    tree = Tree("old", tmp_path / "tree", tmp_path / "scratch")
    given = {"PATH": "/bin", "HOME": "/root", "PYTHONPATH": "/x", "REVERIE_PERSON": "a"}

    found = environment(tree, given)

    assert found["PATH"] == "/bin"
    assert found["PYTHONPATH"] == str(tmp_path / "tree" / "src")
    assert "REVERIE_PERSON" not in found
    places = [v for k, v in found.items() if k == "HOME" or k.startswith("XDG_")]
    assert len(places) == 5
    assert all(place.startswith(str(tmp_path / "scratch")) for place in places)


def test_a_process_that_fails_is_told(tmp_path: Path) -> None:
    tree = Tree("old", tmp_path, tmp_path)

    assert run(tree, "-c", "print('done')")[0] == "done\n"
    with pytest.raises(CompareError, match="ended with 3"):
        run(tree, "-c", "import sys; sys.exit(3)")


def test_the_work_runs_with_the_code_of_its_revision_and_no_other(
    tmp_path: Path,
) -> None:
    tree = Tree("this", HERE, tmp_path)

    assert worked(tree, "build", 20, 0) == {"memories": 20}
    found = worked(tree, "measure", 20, 1)

    kinds = ["remember an episode", "remember a fact", "recall", "say", "attend"]
    assert list(found) == kinds
    assert all(len(both) == 2 for both in found.values())
    elsewhere = Tree("old", tmp_path / "empty", tmp_path)
    with pytest.raises(CompareError, match="old"):
        worked(elsewhere, "build", 20, 0)


def test_medians_are_over_the_runs_and_the_bar_is_for_writes_and_recall() -> None:
    old = [(0.010, 0.010), (0.020, 0.010), (0.900, 0.010)]
    new = [(0.020, 0.012), (0.030, 0.012), (0.030, 0.012)]
    found = {(20, "recall"): {"a": old, "b": new}, (20, "say"): {"a": old, "b": new}}

    recall, say = rows(found, "a", "b")

    assert recall == Row(20, "recall", (20.0, 10.0), (30.0, 12.0))
    assert (recall.passed, recall.used) == (1.5, 1.2)
    assert not recall.held(1.15)
    assert recall.held(1.2)
    assert say.held(1.15)
    told = json.loads(as_json([recall, say], "a", "b", 3, 1.15))
    assert [row["held"] for row in told["rows"]] == [False, True]
    assert table([recall, say], "a", "b", 1.15).row_count == 2


def test_the_same_seed_says_the_same() -> None:
    assert Words(3).sentence() == Words(3).sentence() != Words(4).sentence()
    assert Words(3).question().endswith("?")
    assert len(timed(3, lambda _: None)) == 2


def test_what_is_asked_for_is_read() -> None:
    asked = arguments(["main", "--sizes", "10,20", "--json"])

    assert (asked.base, asked.sizes, asked.json) == ("main", "10,20", True)
