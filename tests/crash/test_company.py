"""Many writers at once, and a person typing in the same file.

Shortened: a fourth of the writes, and of the lines that are typed. In full:
`make test-full`.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import in_child
from tests.crash.scenes import disagreements

from reverie import Episodic, Memory, Semantic
from reverie.ledger.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WRITERS = 8
WRITES = 60
LINES = 300
DAY = "memory/episodes/2026-02-02.md"
NOON = datetime(2026, 2, 2, 12, 0, tzinfo=UTC)


def wait_for(children: list[int]) -> list[int]:
    """Exit codes of the children."""
    return [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]


def writing(root: Path, writer: int, writes: int) -> Callable[[], None]:
    """Remember things, by turns in the same day log and the same entity."""

    def write() -> None:
        with Memory(root, clock=lambda: NOON, environ={}) as memory:
            for number in range(writes):
                text = f"writer {writer} wrote {number}"
                shared = Semantic("Alex", "person") if number % 3 == 0 else Episodic()
                receipt = memory.remember(text, shared)
                assert receipt.lines

    return write


def appending(path: Path, lines: int) -> Callable[[], None]:
    """Type at the end of a file, as `echo line >> file` does."""

    def append() -> None:
        for number in range(lines):
            with path.open("a", encoding="utf-8") as file:
                file.write(f"a person's line {number}.\n")

    return append


def saving(path: Path, lines: int) -> Callable[[], None]:
    """Open, change and save a file by renaming, as many editors do."""

    def save() -> None:
        for number in range(lines // 3):
            text = path.read_text(encoding="utf-8")
            aside = path.with_name(f".{path.name}.swp")
            aside.write_text(f"{text}- a saved line {number}.\n", encoding="utf-8")
            aside.replace(path)

    return save


def everything_ever_written(root: Path, path: str) -> str:
    """All versions of a file that history knows, one after the other."""
    repository = Repository(root / ".audit")
    commits = repository.walk(repository.head)
    versions = {repository.blob_id(commit.id, path) for commit in commits}
    texts = [repository.content(blob) or b"" for blob in sorted(versions)]
    return b"".join(texts).decode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with Memory.init(tmp_path / "agent", clock=lambda: NOON, environ={}) as memory:
        memory.remember("the day begins", Episodic())
        memory.remember("exists", Semantic("Alex", "person"))
    return tmp_path / "agent"


def test_eight_writers_lose_nothing_and_write_nothing_twice(
    root: Path, *, full: bool
) -> None:
    writes = WRITES if full else WRITES // 4
    writers = [in_child(writing(root, writer, writes)) for writer in range(WRITERS)]
    codes = wait_for(writers)

    assert codes == [0] * WRITERS
    page = (root / "memory/graph/entities/person--alex.md").read_text(encoding="utf-8")
    text = (root / DAY).read_text(encoding="utf-8") + page
    found = Counter(
        line.removeprefix("- ").partition(" <!--")[0]
        for line in text.split("\n")
        if "wrote" in line
    )
    expected = {f"writer {w} wrote {n}" for w in range(WRITERS) for n in range(writes)}
    assert found == Counter(expected)
    assert disagreements(root) == []
    subprocess.run(["git", "fsck", "--strict"], cwd=root, check=True)


@pytest.mark.parametrize(
    ("style", "place", "line"),
    [
        (appending, DAY, "a person's line {}."),
        (appending, "memory/graph/entities/person--alex.md", "a person's line {}."),
        (saving, "memory/graph/entities/person--alex.md", "a saved line {}."),
    ],
    ids=["appending to the day log", "appending to a page", "saving a page"],
)
def test_a_person_typing_meanwhile_loses_no_line(
    root: Path,
    style: Callable[[Path, int], Callable[[], None]],
    place: str,
    line: str,
    *,
    full: bool,
) -> None:
    lines, writes = (LINES, WRITES) if full else (LINES // 4, WRITES // 4)
    person = in_child(style(root / place, lines))
    agents = [in_child(writing(root, writer, writes)) for writer in range(2)]
    codes = wait_for([person, *agents])

    assert codes == [0, 0, 0]
    assert disagreements(root) == []
    typed = lines if style is appending else lines // 3
    kept = everything_ever_written(root, place)
    missing = [n for n in range(typed) if line.format(n) not in kept]
    assert missing == []
    if style is appending:
        text = (root / place).read_text(encoding="utf-8")
        assert [n for n in range(typed) if line.format(n) not in text] == []
