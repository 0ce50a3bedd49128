"""What a durable `remember` costs, and whether it grows with the workspace.

    make bench-write
    .venv/bin/python benchmarks/write.py 1000 10000

Each size is a real workspace of that many memories, one file each, written and
adopted by `Memory.init`. Then memories are added through the public API: half
of them new entities, half episodes; every other pair with the write gate taken
out, so that what it costs is seen on the same writes of the same run. The same
folder is then committed to with plain `git add` and `git commit`, at git's own
default durability.
Only ratios within one run mean anything on a shared machine.
"""

from __future__ import annotations

import hashlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie import Episodic, Memory, Semantic
from reverie.encoding import gate, placement
from reverie.encoding import remember as remembering
from reverie.encoding.remember import Remembering
from reverie.index import sqlite_index, sync
from reverie.ledger import git_ledger, projection
from reverie.ledger.audit_log import AuditLog
from reverie.ledger.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZES = (1_000, 100_000)
WRITES = 120
GIT_WRITES = 5
LIMIT = 1_000
BAR_GROWTH = 1.5
BAR_GIT = 20.0
BAR_GATE = 2.0

STEPS: dict[str, tuple[Any, str]] = {
    "plan the edit": (placement, "plan_all"),
    "blobs, synced": (Repository, "write_blob"),
    "trees, synced": (Repository, "write_tree"),
    "commit, synced": (Repository, "write_commit"),
    "ref, synced": (Repository, "move_head"),
    "work file, synced": (projection, "show_all"),
    "audit line": (AuditLog, "append"),
    "mark": (git_ledger, "write_mark"),
    "index rows": (sync, "catch_up"),
}


GATE: tuple[tuple[Any, str, Any], ...] = (
    (gate, "pass_text", lambda text, *_more: gate.Passed(text)),
    (gate, "why_it_waits", lambda _store, _origin: ""),
    (gate.BootText, "restated", lambda _self, _text: ""),
    (remembering, "pass_words", lambda *_given: None),
    (Remembering, "_find_known", lambda *_given: None),
    (sqlite_index, "sketches", lambda _item: set()),
)
"""What the gate does in a write, and what stands in for it when it is taken out."""


def main() -> int:
    """Run both sizes, print the table, and say whether the bars hold."""
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    results = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder:
            results[size] = measure(Path(folder), size)
    report(results)
    small, large = results[sizes[0]], results[sizes[-1]]
    growth = large["remember"] / small["remember"]
    faster = large["git"] / large["remember"]
    print(f"\ngrowth {sizes[0]:,} -> {sizes[-1]:,}: {growth:.2f}x (bar {BAR_GROWTH}x)")
    print(f"faster than git add + git commit: {faster:.0f}x (bar {BAR_GIT:.0f}x)")
    gate = large["remember"] - large["ungated"]
    share = large["remember"] / large["ungated"]
    print(
        f"the gate adds {gate:.2f} ms at {sizes[-1]:,} ({share:.2f}x a write without "
        f"it; bar {BAR_GATE} ms)"
    )
    held = growth <= BAR_GROWTH and faster >= BAR_GIT and gate <= BAR_GATE
    return 0 if held else 1


def measure(root: Path, size: int) -> dict[str, float]:
    """Medians in milliseconds for one size, by step."""
    say(f"{size:,} memories: writing files")
    fill(root, size)
    say("adopting them")
    opened = Memory.init(root, environ={})
    opened.tidy_on_close = False
    times: dict[str, list[float]] = {step: [] for step in STEPS}
    whole: list[float] = []
    ungated: list[float] = []
    say("remembering")
    for number in range(WRITES):
        gated = number // 2 % 2 == 0
        for found in times.values():
            found.extend([0.0] if gated else [])
        with watched(times) if gated else without_gate():
            started = time.perf_counter()
            opened.remember(f"A thing that happened, number {number}.", place(number))
            (whole if gated else ungated).append(time.perf_counter() - started)
    opened.tidy()
    opened.close()
    say("committing with plain git")
    times["remember"], times["ungated"] = whole, ungated
    times["git"] = [commit_with_git(root, number) for number in range(GIT_WRITES)]
    return {step: statistics.median(found) * 1000 for step, found in times.items()}


def place(number: int) -> Episodic | Semantic:
    """Entities and episodes by turns."""
    if number % 2:
        return Semantic(about=f"Thing {number:06}", type="concept")
    return Episodic()


def fill(root: Path, size: int) -> None:
    """Write entity pages where Reverie itself would have put them."""
    depth = int(size > LIMIT)
    while depth and size / 16**depth > LIMIT // 8:
        depth += 1
    for number in range(size):
        name = f"concept--filler-{number:06}.md"
        shards = hashlib.sha256(name.encode()).hexdigest()[:depth]
        folder = root.joinpath("memory/graph/entities", *shards)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(page(number), encoding="utf-8")


def page(number: int) -> str:
    """An entity page of ordinary size."""
    return (
        f"# concept--filler-{number:06}\n\n"
        "<!-- Type: concept | Created: 2026-01-15 | Last updated: 2026-02-02 -->\n"
        "<!-- Pinned: no -->\n\n## Summary\n\n## Facts\n"
        f"- Filler number {number} stands in for something that was worth keeping\n"
        f"- It was noticed on day {number % 365} and has not been needed since\n"
    )


@contextmanager
def without_gate() -> Iterator[None]:
    """Writes as they would be if nothing were looked at."""
    originals = [getattr(owner, name) for owner, name, _ in GATE]
    for owner, name, stand_in in GATE:
        setattr(owner, name, stand_in)
    try:
        yield
    finally:
        for (owner, name, _), original in zip(GATE, originals, strict=True):
            setattr(owner, name, original)


@contextmanager
def watched(times: dict[str, list[float]]) -> Iterator[None]:
    """Time the steps of the write path while the block runs."""
    originals = {step: getattr(owner, name) for step, (owner, name) in STEPS.items()}
    for step, (owner, name) in STEPS.items():
        setattr(owner, name, timed(originals[step], times[step]))
    try:
        yield
    finally:
        for step, (owner, name) in STEPS.items():
            setattr(owner, name, originals[step])


def timed(function: Callable[..., Any], into: list[float]) -> Callable[..., Any]:
    """The same function, adding up how long its calls took within one write."""

    def wrapper(*args: object, **kwargs: object) -> object:
        started = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            into[-1] += time.perf_counter() - started

    return wrapper


def commit_with_git(root: Path, number: int) -> float:
    """Seconds for one file through `git add` and `git commit`."""
    name = f"memory/vault/by-git-{number}.md"
    (root / name).write_text(f"# By git {number}\n\nText.\n", encoding="utf-8")
    sync = "core.fsync=committed,-loose-object"
    git = ["git", "-c", sync, "-c", "user.name=x", "-c", "user.email=x"]
    started = time.perf_counter()
    subprocess.run([*git, "add", name], cwd=root, check=True)
    subprocess.run([*git, "commit", "-qm", "by git"], cwd=root, check=True)
    return time.perf_counter() - started


def report(results: dict[int, dict[str, float]]) -> None:
    """Print medians beside each other."""
    head = "".join(f"{size:>12,}" for size in results)
    print(f"\n{'median ms at memories':<28}{head}")
    steps = ["remember", *STEPS, "ungated", "git"]
    names = {
        "git": "git add + git commit",
        "remember": "durable remember",
        "ungated": "the same without the gate",
    }
    for step in steps:
        row = "".join(f"{found[step]:>12.2f}" for found in results.values())
        print(f"{names.get(step, '  ' + step):<28}{row}")


def say(what: str) -> None:
    """Tell, on the side, what is going on."""
    print(f"… {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    if shutil.which("git") is None:
        sys.exit("git is needed for the comparison")
    sys.exit(main())
