"""What it costs to look at everything before a reflection, and how much is read.

    .venv/bin/python benchmarks/reflection.py
    .venv/bin/python benchmarks/reflection.py 1000 10000 100000

Each size is a real workspace of that many episodes, with a tenth as many entities and
a fiftieth as many procedures, written as files and adopted by `Memory.init`. All of it
is new to the reflection, and far more than fits. Only ratios within one run mean
anything on a shared machine.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reverie import Memory
from reverie.model.items import (
    Confidence,
    Entity,
    Episode,
    EpisodeKind,
    Fact,
    Procedure,
)
from reverie.reflection.cycle import Tracked
from reverie.reflection.scope import Scope
from reverie.reflection.survey import survey
from reverie.reflection.unread import since, unprocessed
from reverie.reflection.without_mind import PlainListing
from reverie.session.session import Session
from reverie.stores.entities import new_entity
from reverie.stores.episodes import append_entries, day_name, render_episode
from reverie.stores.procedures import new_procedure

if TYPE_CHECKING:
    from reverie.model.reflection import Survey

SIZES = (1_000, 10_000)
RUNS = 15
LISTINGS = 3
BAR_GROWTH = 3.0
A_DAY = 50
NOW = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)

_WORDS = """
    garden letter kitchen ledger train window neighbour invoice harbour bicycle
    meeting recipe attic lantern orchard ticket teacher printer blanket river
    decided moved repaired painted called forgot promised planned sold borrowed
    again yesterday together because without before after almost never slowly
"""
WORDS = _WORDS.split()


class Subject:
    """A workspace of some size, open, and what its surveys took."""

    def __init__(self, root: Path, size: int) -> None:
        say(f"{size:,} episodes: writing files")
        begin = fill(root, size)
        say("adopting them")
        with Memory.init(root, clock=lambda: NOW, environ={}) as memory:
            memory.tidy()
        self._session = Session(root, lambda: NOW, {})
        self._last = Tracked(begin - timedelta(days=1))
        self.times: list[float] = []
        self.counts: list[float] = []
        self.listings: list[float] = []
        self.waiting = 0
        self.seen = self.look()
        # The first one only warms up.
        self.times, self.counts, self.listings = [], [], []

    @property
    def budget(self) -> int:
        """Tokens that may be read."""
        return self._session.config.reflection.input_tokens

    def look(self) -> Survey:
        """Survey everything, count what waits, and list it without a mind."""
        session, last = self._session, self._last
        scope = Scope(session.folder.read, since(last, NOW))
        started = time.perf_counter()
        seen = survey(session.index, scope, session.config, NOW, last)
        self.times.append(time.perf_counter() - started)
        started = time.perf_counter()
        self.waiting = unprocessed(session.index, last, NOW)
        self.counts.append(time.perf_counter() - started)
        if len(self.listings) < LISTINGS:
            started = time.perf_counter()
            PlainListing(seen, session.index, session.config, NOW, UTC).draft()
            self.listings.append(time.perf_counter() - started)
        return seen

    def close(self) -> None:
        """Let go of it."""
        self._session.close(tidy=False)


def main() -> int:
    """Run all sizes, print the table, and say whether the bars hold."""
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder:
        found = {size: Subject(Path(folder, str(size)), size) for size in sizes}
        say("surveying")
        # By turns, so that what else the machine does is shared out fairly.
        for _ in range(RUNS):
            for subject in found.values():
                subject.look()
        for subject in found.values():
            subject.close()
    report(found)
    small, large = (statistics.median(found[n].times) for n in (sizes[0], sizes[-1]))
    growth = large / small
    print(f"\ngrowth {sizes[0]:,} -> {sizes[-1]:,}: {growth:.2f}x (bar {BAR_GROWTH}x)")
    within = all(each.seen.tokens <= each.budget for each in found.values())
    print(f"within the input budget: {'yes' if within else 'NO'}")
    return 0 if within and growth <= BAR_GROWTH else 1


def fill(root: Path, size: int) -> datetime:
    """Write day logs, entities and procedures; returns when the first day began."""
    made_up = random.Random(size)  # noqa: S311 - the same every time
    days = -(-size // A_DAY)
    begin = NOW.replace(hour=6) - timedelta(days=days + 1)
    for number in range(days):
        morning = begin + timedelta(days=number)
        count = min(A_DAY, size - number * A_DAY)
        entries = [
            render_episode(
                Episode(
                    morning + timedelta(minutes=15 * n),
                    made_up.choice(tuple(EpisodeKind)),
                    Confidence.HIGH,
                    talk(made_up, 60),
                    (made_up.choice(WORDS),),
                )
            )
            for n in range(count)
        ]
        text = append_entries("", morning.date(), entries)
        write(root / "memory/episodes" / day_name(morning.date()), text)
    for number in range(size // 10):
        facts = tuple(Fact(talk(made_up, 12)) for _ in range(8))
        name = f"thing-{number:06}"
        page = new_entity(Entity("concept", name, name, talk(made_up, 30), facts))
        write(root / f"memory/graph/entities/concept--{name}.md", page)
    for number in range(size // 50):
        steps = tuple(talk(made_up, 10) for _ in range(6))
        name = f"how-to-{number:06}"
        page = new_procedure(Procedure(name, talk(made_up, 8), steps))
        write(root / f"memory/procedures/{name}.md", page)
    return begin


def talk(made_up: random.Random, count: int) -> str:
    """So many words."""
    return f"{' '.join(made_up.choices(WORDS, k=count)).capitalize()}."


def write(file: Path, text: str) -> None:
    """Put a file where a person would have put it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def report(found: dict[int, Subject]) -> None:
    """Print what was read beside each other."""
    subjects = list(found.values())
    print(f"\n{'episodes':<42}{''.join(f'{size:>10,}' for size in found)}")
    row("survey, median ms", [milliseconds(each.times) for each in subjects])
    row("how many wait, median ms", [milliseconds(each.counts) for each in subjects])
    row(
        "listed without a mind, median ms", [milliseconds(e.listings) for e in subjects]
    )
    row("waiting", [f"{each.waiting:,}" for each in subjects])
    for sources in zip(*(each.seen.read for each in subjects), strict=True):
        name = f"  {sources[0].name} (budget {sources[0].budget:,})"
        row(name, [f"{each.tokens:,}" for each in sources])
    row("tokens read", [f"{each.seen.tokens:,}" for each in subjects])
    lost = (sum(source.left_out for source in each.seen.read) for each in subjects)
    row("left out", [f"{count:,}" for count in lost])


def milliseconds(times: list[float]) -> str:
    """The median of some times."""
    return f"{statistics.median(times) * 1000:.1f}"


def row(name: str, cells: list[str]) -> None:
    """One line of the table."""
    print(f"{name:<42}{''.join(f'{cell:>10}' for cell in cells)}")


def say(what: str) -> None:
    """Tell, on the side, what is going on."""
    print(f"… {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
