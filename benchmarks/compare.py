"""What the same work costs at this revision and at another one.

    make bench-compare BASE=main
    .venv/bin/python benchmarks/compare.py BASE --sizes 2000 --runs 3 --json

The other revision is checked out into a temporary folder, and removed afterwards.
Each builds workspaces with its own code; then both work by turns, in processes of
their own: `suite/work.py` for writes, recall and talk, and the command itself for a
cold start. What is printed are medians over the runs, and what this revision costs
of what the other one does. Only such ratios mean anything on a shared machine; those
of the processor's time wander least.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HERE = Path(__file__).resolve().parents[1]
WORK = Path(__file__).resolve().parent / "suite" / "work.py"
SIZES = (2_000, 10_000)
RUNS = 5
BAR = 1.15
BARRED = ("remember", "recall", "cold")
"""Work whose cost is held to the bar: what begins so."""

QUESTION = "What about the house of a friend?"


class CompareError(Exception):
    """Two revisions cannot be compared here."""


@dataclass(frozen=True)
class Tree:
    """A revision to measure.

    Attributes:
        name: What it is called in the table.
        root: Where its code is checked out.
        scratch: A folder of its own, for workspaces and as its home.
    """

    name: str
    root: Path
    scratch: Path

    def workspace(self, size: int) -> Path:
        """Where its workspace of a size is."""
        return self.scratch / f"workspace-{size}"


@dataclass(frozen=True)
class Row:
    """What one kind of work costs.

    Attributes:
        size: Memories in the workspace.
        work: What was done.
        old: Medians of the other revision, in milliseconds: that passed, and of the
            processor.
        new: Those of this one.
    """

    size: int
    work: str
    old: tuple[float, float]
    new: tuple[float, float]

    @property
    def passed(self) -> float:
        """How much of the other's time passes for it."""
        return self.new[0] / self.old[0]

    @property
    def used(self) -> float:
        """How much of the other's processor time it takes."""
        return self.new[1] / self.old[1]

    def held(self, bar: float) -> bool:
        """Whether it takes no more of the processor than it may."""
        return not self.work.startswith(BARRED) or self.used <= bar


@contextmanager
def checked_out(revision: str, root: Path, into: Path) -> Iterator[Path]:
    """Another revision of a repository in a folder, for as long as it is needed."""
    tree = into / "tree"
    _git(root, "worktree", "add", "--quiet", "--detach", str(tree), revision)
    try:
        yield tree
    finally:
        _git(root, "worktree", "remove", "--force", str(tree))


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CompareError(done.stderr.strip())
    return done.stdout.strip()


def environment(tree: Tree, environ: Mapping[str, str]) -> dict[str, str]:
    """What the processes of a revision see: its code, and a home of its own."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith(("REVERIE_", "PYTHON", "XDG_"))
    }
    home = tree.scratch / "home"
    return {
        **kept,
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_STATE_HOME": str(home / "state"),
        "PYTHONPATH": str(tree.root / "src"),
        "OPENBLAS_NUM_THREADS": "1",
    }


def run(tree: Tree, *words: str) -> tuple[str, float, float]:
    """Let a revision run Python: what it printed, and the seconds that took."""
    home = tree.scratch / "home"
    home.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=home,
        env=environment(tree, os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout:
        printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        message = f"{tree.name}: {' '.join(words)} ended with {process.returncode}"
        raise CompareError(message)
    return printed, time.perf_counter() - began, used.ru_utime + used.ru_stime


def worked(tree: Tree, what: str, size: int, seed: int) -> Mapping[str, Any]:
    """Let a revision do a piece of `suite/work.py`, with no code but its own."""
    number = size if what == "build" else seed
    printed, *_ = run(tree, str(WORK), what, str(tree.workspace(size)), str(number))
    told: dict[str, Any] = json.loads(printed)
    if not Path(told["code"]).is_relative_to(tree.root):
        message = f"{tree.name} ran the code of {told['code']}"
        raise CompareError(message)
    found: Mapping[str, Any] = told["found"]
    return found


def cold(tree: Tree, size: int, seed: int) -> dict[str, tuple[float, float]]:
    """What whole processes of the command cost."""
    text = f"The shelf in room {seed} is for books of the house."
    calls = {
        "cold recall": ("recall", QUESTION),
        "cold remember": ("remember", text, "--store", "episodic", *_AS_AGENT),
    }
    command = ("-m", "reverie", "-w", str(tree.workspace(size)))
    return {name: run(tree, *command, *words)[1:] for name, words in calls.items()}


_AS_AGENT = ("--actor", "bot:main")


def measure(
    old: Tree, new: Tree, sizes: Sequence[int], runs: int
) -> dict[tuple[int, str], dict[str, list[tuple[float, float]]]]:
    """All figures, by size and work, then by revision: one for each run."""
    found: dict[tuple[int, str], dict[str, list[tuple[float, float]]]] = {}
    for size in sizes:
        for tree in (old, new):
            say(f"{tree.name} builds a workspace of {size:,} memories")
            worked(tree, "build", size, 0)
            # Compiles what a first start would have to.
            cold(tree, size, 0)
        for number in range(1, runs + 1):
            say(f"{size:,} memories, run {number} of {runs}")
            # Who begins changes: a machine that gets busier is busier for both.
            for tree in (old, new) if number % 2 else (new, old):
                figures = {**worked(tree, "measure", size, number)}
                figures |= cold(tree, size, number)
                for work, (passed, used) in figures.items():
                    both = found.setdefault((size, work), {})
                    both.setdefault(tree.name, []).append((passed, used))
    return found


def rows(
    found: Mapping[tuple[int, str], Mapping[str, Sequence[tuple[float, float]]]],
    old: str,
    new: str,
) -> list[Row]:
    """Medians over the runs, in milliseconds."""
    return [
        Row(size, work, _medians(both[old]), _medians(both[new]))
        for (size, work), both in found.items()
    ]


def _medians(runs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    passed, used = zip(*runs, strict=True)
    return statistics.median(passed) * 1000, statistics.median(used) * 1000


def table(found: Sequence[Row], old: str, new: str, bar: float) -> Table:
    """The medians side by side; what costs more than it may is marked."""
    told = Table("memories", "work")
    for title in (f"{old} ms", f"{new} ms", "ratio", f"{old} cpu", f"{new} cpu"):
        told.add_column(title, justify="right")
    told.add_column("ratio", justify="right")
    for row in found:
        mark = "" if row.held(bar) else " !"
        told.add_row(
            f"{row.size:,}",
            row.work,
            f"{row.old[0]:.2f}",
            f"{row.new[0]:.2f}",
            f"{row.passed:.2f}",
            f"{row.old[1]:.2f}",
            f"{row.new[1]:.2f}",
            f"{row.used:.2f}{mark}",
        )
    return told


def as_json(found: Sequence[Row], old: str, new: str, runs: int, bar: float) -> str:
    """The same for a program."""
    told = [
        {**asdict(row), "passed": row.passed, "used": row.used, "held": row.held(bar)}
        for row in found
    ]
    return json.dumps({"old": old, "new": new, "runs": runs, "rows": told}, indent=2)


def say(what: str) -> None:
    """Tell, on the side, what is going on."""
    print(f"… {what}", file=sys.stderr, flush=True)


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("base", help="the revision to compare with")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--bar", type=float, default=BAR)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(words)


def main() -> int:
    """Compare, print, and say whether writes and recall cost what they may."""
    asked = arguments()
    sizes = [int(size) for size in asked.sizes.split(",")]
    try:
        base = _git(HERE, "rev-parse", "--short", f"{asked.base}^{{commit}}")
        with tempfile.TemporaryDirectory(prefix="reverie-compare-") as made:
            scratch = Path(made)
            with checked_out(base, HERE, scratch) as other:
                old = Tree(base, other, scratch / "old")
                new = Tree("this", HERE, scratch / "new")
                found = rows(measure(old, new, sizes, asked.runs), base, "this")
    except CompareError as error:
        print(f"cannot compare: {error}", file=sys.stderr)
        return 2
    if asked.json:
        print(as_json(found, base, "this", asked.runs, asked.bar))
    else:
        Console(width=110).print(table(found, base, "this", asked.bar))
    return 0 if all(row.held(asked.bar) for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
