"""What a conversation costs: a durable turn beside a bare synced append.

    .venv/bin/python benchmarks/conversation.py            every part
    .venv/bin/python benchmarks/conversation.py append     only some

Each part is a function that gets an empty folder, prints what it measured, and says
whether its bar holds. Whatever is compared takes turns within one run, and only such
ratios mean anything on a shared machine. The folder is below TMPDIR: that has to be a
disk, for nothing waits for memory.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from reverie.ledger.journal import Journal
from reverie.ledger.said import render_turns
from reverie.model.conversation import Utterance, WindowState
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TURNS = 2_000
SETTLED = 200
BAR_APPEND = 2.0
START = datetime(2026, 2, 2, 9, tzinfo=UTC)
WORDS = (
    "I moved the meeting to Thursday, because the plumber comes on Wednesday and "
    "nobody else is at home; could you tell the others, and look whether the small "
    "room is free? We need a screen, and tea. "
)


def main() -> int:
    """Run the parts that were asked for; 0 if every bar holds."""
    chosen = sys.argv[1:] or list(PARTS)
    held = []
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder:
            held.append(PARTS[name](Path(folder)))
    return 0 if all(held) else 1


def append_a_turn(folder: Path) -> bool:
    """A turn in the journal beside the same bytes, written and synced bare."""
    journal = Journal(folder)
    bare = os.open(folder / "bare", os.O_RDWR | os.O_CREAT, 0o600)
    times: dict[str, list[float]] = {"bare write + fsync": [], "append": []}
    acts: list[tuple[str, Callable[[], object]]]
    size = len(render_turns(journal.append("talk", [said(0)], WindowState)))

    def write_bare() -> None:
        os.write(bare, b"x" * size)
        os.fsync(bare)

    for number in range(1, TURNS + 1):
        append = partial(journal.append, "talk", [said(number)], WindowState)
        acts = [("bare write + fsync", write_bare), ("append", append)]
        for name, act in acts if number % 2 else reversed(acts):
            times[name].append(timed(act))
    times["append, the first after settling"] = [
        first_after_settling(journal, number) for number in range(SETTLED)
    ]
    times["windows(), none waits"] = [timed(journal.windows) for _ in range(TURNS)]
    journal.close()
    os.close(bare)
    report(f"A turn of {size} bytes, {TURNS} times", times)
    middle = {name: statistics.median(found) for name, found in times.items()}
    ratio = middle["append"] / middle["bare write + fsync"]
    print(f"append / bare, of the medians: {ratio:.2f}x (bar {BAR_APPEND}x)")
    return ratio <= BAR_APPEND


def first_after_settling(journal: Journal, number: int) -> float:
    """Seconds for a turn in a window where none waited; settles it again."""
    journal.settle("talk", len(journal.waiting("talk")))
    took = timed(lambda: journal.append("talk", [said(number)], WindowState))
    journal.settle("talk", 1)
    return took


def said(number: int) -> Utterance:
    """Somebody says something of ordinary length; the two sides take turns."""
    role = Role.ASSISTANT if number % 2 else Role.USER
    return Utterance(role, f"{number}. {WORDS}", START + timedelta(seconds=number))


def timed(act: Callable[[], object]) -> float:
    """Seconds that something takes."""
    started = perf_counter()
    act()
    return perf_counter() - started


def report(title: str, times: dict[str, list[float]]) -> None:
    """Print medians and 95th percentiles below each other, in milliseconds."""
    print(f"{title}\n{'':<34}{'median ms':>12}{'p95 ms':>12}")
    for name, found in times.items():
        middle, high = statistics.median(found) * 1000, late(found) * 1000
        print(f"{name:<34}{middle:>12.4f}{high:>12.4f}")


def late(found: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(found, n=20)[-1]


PARTS: dict[str, Callable[[Path], bool]] = {"append": append_a_turn}
"""What can be measured, by the name it is asked for with."""


if __name__ == "__main__":
    sys.exit(main())
