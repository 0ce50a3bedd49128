"""What each view of the page costs, with few memories and with very many.

    make bench-page                                1,000 and 100,000 memories
    make bench-page ARGS="--sizes 1000 10000"      other sizes
    make bench-page ARGS="--keep FOLDER"           make the workspaces only once
    make bench-page ARGS="--views /graph /health"  only some views

Both workspaces are served at once, each by a process of its own, and asked in turn, so
that a busy machine is busy for both. Both have the same waiting: a reflection, a
contradiction, a proposal.

Every view is asked right after something was written, as in life, and then again while
all is as it was. It ends with 1 where one of many memories takes more than three times
as long as one of few.
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

from reverie import Episodic, Memory, Role, Semantic
from reverie.interfaces.web.app import page_link
from reverie.interfaces.web.sample import make_sample

ROUNDS = 40
BAR = 3.0
A_DAY, FACTS, TURNS = 40, 3, 40
"""Episodes of a day, facts of an entity, turns of a conversation."""

VIEWS = (
    *("/", "/ask?q=Where+does+Mira+live", "/ask?q=When+did+I+paint+the+{word}"),
    *("/core", "/timeline", "/timeline?day={day}", "/timeline?before={day}"),
    *("/conversations", "/conversations/talk-0", "/conversations/long"),
    *("/conversations/long?turn=turn-2-user", "/memory/turn:long/2/user/0"),
    *("/graph", "/graph?type=person", "/graph?status=fading"),
    *("/graph?around=person--p-0", "/memory/entity:person--p-0"),
    *("/memory/entity:person--mira", "/health", "/ledger", "/ledger?actor=manual"),
    *("/ledger?path=MEMORY.md", "/ledger/{commit}", "/ledger/undo?commit={commit}"),
)


def main() -> int:
    """Make the workspaces, ask for every view, and print; 1 if one is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs=2, default=(1_000, 100_000))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--views", nargs="+", default=VIEWS)
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
        lives = [Life(stack.enter_context(Memory(root))) for root in roots]
        return compare(pages, lives, given)


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
        # One conversation never ended: one in a hundred memories is of it.
        window = memory.window("long")
        for _ in range(max(2 * TURNS, size // 100) // 2):
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

    def seconds(self, path: str) -> float:
        """What it takes until a view is there."""
        line = http.client.HTTPConnection(*self._place)
        line.connect()
        began = time.perf_counter()
        line.request("GET", f"{self._folder}{path}", headers={"cookie": self._cookie})
        answer = line.getresponse()
        body = answer.read()
        took = time.perf_counter() - began
        line.close()
        assert answer.status == 200, (path, answer.status, body[:300])
        return took


class Life:
    """What goes on in a workspace while somebody looks at it."""

    def __init__(self, memory: Memory) -> None:
        self.memory, self._talk = memory, Talk(int(time.time()))
        memory.tidy_on_close = False
        self._count = 0

    def go_on(self) -> None:
        """Something is remembered: a fact of a page, now and then an episode.

        Taking it back would cost more than all else. So few are memories of their own
        that the smaller workspace stays small.
        """
        self._count += 1
        page = Semantic(f"person--p-{3 * (self._count % 30)}")
        self.memory.remember(self._talk.text(), page if self._count % 4 else Episodic())

    def known(self) -> dict[str, object]:
        """What the addresses of views name; the change, of what stays as it is."""
        found = self.memory.history(limit=5_000)
        of_projects = (e for e in found if any("/project-" in o.path for o in e.lines))
        commit = next(of_projects).commit
        return {"commit": commit, "day": datetime.now(UTC).date() - timedelta(days=33)}


def compare(pages: list[Visitor], lives: list[Life], given: argparse.Namespace) -> int:
    """Ask for every view in turn, and print what it takes; 1 if one is too slow."""
    words = Talk().rare[:50]
    known = [life.known() for life in lives]
    few, many = (f"{size:,}" for size in given.sizes)
    head = (few, many, "ratio")
    table = Table("p95 in ms", *head, *(f"{each}, written" for each in head))
    above = []
    for view in track(given.views, "views"):
        # By what came before, a write or nothing, and by workspace.
        took: list[tuple[list[float], list[float]]] = [([], []), ([], [])]
        for n in range(-2, given.rounds):
            for place, (page, life) in enumerate(zip(pages, lives, strict=True)):
                path = view.format(word=words[n % 50], **known[place])
                life.go_on()
                written, same = page.seconds(path), page.seconds(path)
                # The first looks load code, and are nobody's first answer twice.
                if n >= 0:
                    took[0][place].append(same)
                    took[1][place].append(written)
        cells = []
        for label, times in zip(("nothing", "a write"), took, strict=True):
            slow, slowest = (percentiles(each)[1] for each in times)
            ratio = slowest / slow
            style = "[red]" if ratio > BAR else ""
            cells += [f"{slow:.1f}", f"{slowest:.1f}", f"{style}{ratio:.2f}"]
            if ratio > BAR:
                above.append(f"{view} after {label}: {ratio:.2f} times")
        table.add_row(view, *cells)
    Console().print(table)
    print(*above, f"{len(above)} above {BAR:g} times", sep="\n")
    return bool(above)


if __name__ == "__main__":
    sys.exit(main())
