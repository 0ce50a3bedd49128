"""What each view of the page costs, with few memories and with very many.

    make bench-page                                1,000 and 100,000 memories
    make bench-page ARGS="--sizes 1000 10000"      other sizes
    make bench-page ARGS="--keep FOLDER"           make the workspaces only once

Both workspaces are served at once, each by a process of its own, and asked in turn, so
that a busy machine is busy for both. Both have the same waiting: a reflection, a
contradiction, a proposal.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.recall_speed import Talk, percentiles
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tests.interfaces.web.up import up

from reverie import Memory, Role, Semantic
from reverie.interfaces.web.app import page_link
from reverie.interfaces.web.sample import make_sample

ROUNDS = 40
BAR = 3.0
A_DAY, FACTS, TURNS = 40, 3, 40
"""Episodes of a day, facts of an entity, turns of a conversation."""

VIEWS = (
    *("/", "/ask?q=Where+does+Mira+live", "/ask?q=When+did+I+paint+the+{word}"),
    *("/core", "/timeline", "/timeline?day={day}", "/conversations"),
    *("/conversations/talk-0", "/graph", "/graph?type=person"),
    *("/graph?around=person--p-0", "/memory/entity:person--p-0"),
    *("/memory/entity:person--mira", "/health", "/ledger", "/ledger?actor=manual"),
    *("/ledger?path=MEMORY.md", "/ledger/{commit}", "/ledger/undo?commit={commit}"),
)


def main() -> None:
    """Make the workspaces, ask for every view, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs=2, default=(1_000, 100_000))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = given.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        run = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        os.environ["XDG_RUNTIME_DIR"] = str(run)
        # Its vectors would take hours, and no view but Ask looks at any.
        os.environ["REVERIE_EMBEDDING_SENTENCES"] = "false"
        roots = [folder / f"of-{size}" for size in given.sizes]
        for root, size in zip(roots, given.sizes, strict=True):
            if not root.exists():
                build(root, size)
        pages = []
        for root in roots:
            running, _ = stack.enter_context(up(root, "--idle", "0"))
            pages.append(Visitor(page_link(running)))
        compare(pages, roots, given.sizes, given.rounds)


def build(root: Path, size: int) -> None:
    """A life of so many memories: days, pages that are linked, and conversations."""
    began = time.perf_counter()
    make_sample(root)
    talk, chance = Talk(), random.Random(3)  # noqa: S311 - the same every time
    entities, turns = size // 10, size // 10
    names = [f"{('person', 'project', 'place')[n % 3]}--p-{n}" for n in range(entities)]
    for n, name in enumerate(names):
        facts = "".join(f"- {talk.text()}\n" for _ in range(FACTS))
        links = "".join(
            f"- works with → [[{names[int(chance.paretovariate(0.6)) % entities]}]]\n"
            for _ in range(n % 4)
        )
        text = f"# P {n}\n\n## Facts\n{facts}\n## Relations\n{links}"
        # In folders, as Reverie keeps many of them itself.
        page = root / f"memory/graph/entities/{n % 16:x}/{name}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(text, encoding="utf-8")
    episodes = size - entities - turns
    today = datetime.now(UTC).date()
    for n in range(0, episodes, A_DAY):
        day = today - timedelta(days=31 + n // A_DAY)
        parts = [f"# {day}\n"]
        for number in range(min(A_DAY, episodes - n)):
            at = f"{8 + number // 6:02}:{number % 6 * 10:02}"
            parts.append(f"\n## {at} | fact | confidence:high\n{talk.text()}\n")
        log = root / f"memory/episodes/{day.year}/{day}.md"
        log.parent.mkdir(exist_ok=True)
        log.write_text("".join(parts), encoding="utf-8")
    with Memory(root) as memory:
        memory.tidy_on_close = False
        for n in range(turns // TURNS):
            window = memory.window(f"talk-{n}")
            for _ in range(TURNS // 2):
                window.say(talk.text())
                window.say(talk.text(), role=Role.ASSISTANT)
        for n in track(range(size // 100), f"{size:,}: changes"):
            memory.remember(talk.text(), Semantic(names[n % entities]))
        memory.tidy()
        memory.embed(sentences=False)
        counted = sum(memory.overview().counts.values())
    print(f"{counted:,} memories in {time.perf_counter() - began:.0f} s")


class Visitor:
    """A browser that came in by the link."""

    def __init__(self, link: str) -> None:
        where = urlsplit(link)
        self._folder = where.path.removesuffix("/enter")
        self._place = str(where.hostname), where.port
        line = http.client.HTTPConnection(*self._place)
        line.request("GET", f"{where.path}?{where.query}")
        answer = line.getresponse()
        self._cookie = str(answer.getheader("set-cookie")).partition(";")[0]

    def seconds(self, path: str) -> tuple[float, int]:
        """What it takes until a view is there, and how much that is."""
        line = http.client.HTTPConnection(*self._place)
        line.connect()
        began = time.perf_counter()
        line.request("GET", f"{self._folder}{path}", headers={"cookie": self._cookie})
        answer = line.getresponse()
        body = answer.read()
        took = time.perf_counter() - began
        line.close()
        assert answer.status == 200, (path, answer.status, body[:300])
        return took, len(body)


def compare(
    pages: list[Visitor], roots: list[Path], sizes: tuple[int, int], rounds: int
) -> None:
    """Ask for every view in turn, and print what it takes."""
    words = Talk().rare[:50]
    filled = []
    for root in roots:
        with Memory(root) as memory:
            commit = next(
                each.commit
                for each in memory.history(limit=50)
                if str(each.actor).startswith("bot:")
            )
        day = datetime.now(UTC).date() - timedelta(days=33)
        filled.append({"commit": commit, "day": day})
    head = ("view", *(f"{size:,}: p50" for size in sizes), *("p95 ms",) * 2, "ratio")
    table = Table(*head)
    worst = 0.0
    for view in track(VIEWS, "views"):
        took: list[list[float]] = [[], []]
        for n in range(-2, rounds):
            for page, known, times in zip(pages, filled, took, strict=True):
                path = view.format(word=words[n % 50], **known)
                spent, _ = page.seconds(path)
                # The first looks load code, and are nobody's first answer twice.
                times.extend([spent] * (n >= 0))
        (few, slow), (many, slowest) = map(percentiles, took)
        ratio = slowest / slow
        worst = max(worst, ratio)
        style = "red" if ratio > BAR else ""
        figures = (f"{figure:.1f}" for figure in (few, many, slow, slowest))
        table.add_row(view, *figures, f"{ratio:.2f}", style=style)
    Console().print(table)
    print(f"at most {worst:.2f} times (bar {BAR:g})")


if __name__ == "__main__":
    main()
