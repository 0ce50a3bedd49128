"""What a question, an import and a cold start cost, beside plain FTS5 and vectors.

    make bench-recall                       1,000 and 100,000 memories
    make bench-recall ARGS="--sizes 1000"   only some sizes

Everything is made up from a fixed seed, so every run asks the same of the same.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table

from reverie import Memory
from reverie.config import EmbeddingConfig
from reverie.importers.walk import Chat, ChatTurn, Provenance
from reverie.recall.search import open_embedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.embedding import Embedder

START = datetime(2024, 1, 1, 9, tzinfo=UTC)
TURNS = 40
"""In one conversation."""

QUESTIONS = 200
COLD = 10_000
"""Memories of the workspace that a cold start asks."""

_COMMON = """
    time work day people thing week home house friend year project plan family
    morning place idea problem team money food book music city school story car
    phone water street party office weekend dinner coffee question answer
"""
_VERBS = """
    started finished moved bought planned fixed changed wrote cooked visited called
    tried joined missed found built sold painted ordered cancelled
"""
_LINKS = "with about near after before for because of while at around without"
COMMON, VERBS, LINKS = (words.split() for words in (_COMMON, _VERBS, _LINKS))


class Talk:
    """Makes up turns whose words are as common and as rare as those of real talk."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)  # noqa: S311 - the same every time
        syllables = [a + b for a in "bdfgklmnprstv" for b in ("a", "e", "i", "o", "u")]
        make = self._random.choice
        self.rare = sorted(
            {"".join(make(syllables) for _ in range(n % 3 + 2)) for n in range(30_000)}
        )
        self._weights = [1 / (n + 10) for n in range(len(self.rare))]

    def words(self, count: int) -> list[str]:
        """Words of a text, the frequent ones most often."""
        rare = self._random.choices(self.rare, self._weights, k=count // 2)
        common = self._random.choices(COMMON + VERBS, k=count // 3)
        links = self._random.choices(LINKS, k=count - count // 2 - count // 3)
        found = rare + common + links
        self._random.shuffle(found)
        return found

    def text(self) -> str:
        """Two or three sentences, about forty words."""
        sentences = (
            f"I {self._random.choice(VERBS)} {' '.join(self.words(13))}"
            for _ in range(3)
        )
        return ". ".join(sentences) + "."

    def question(self) -> str:
        """A question of a few telling words."""
        rare = self._random.choices(self.rare, self._weights, k=3)
        common = self._random.choices(COMMON, k=2)
        verb = self._random.choice(VERBS)
        return f"When was it that I {verb} the {' '.join(rare)} {' '.join(common)}?"

    def conversations(self, count: int) -> Iterator[Chat]:
        """So many turns, in conversations of a usual length."""
        for number in range(0, count, TURNS):
            at = START + timedelta(hours=number // TURNS)
            turns = tuple(
                ChatTurn("user" if n % 2 == 0 else "assistant", self.text(), at, name)
                for n in range(min(TURNS, count - number))
                for name in [("Ann", "Ben")[n % 2]]
            )
            yield Chat(Provenance("bench", f"{number:07}"), "", at, turns)


def percentiles(times: list[float]) -> tuple[float, float]:
    """The median and the 95th percentile, in milliseconds."""
    found = np.percentile(np.array(times) * 1000, [50, 95])
    return float(found[0]), float(found[1])


def timed(ask: Callable[[str], object], questions: list[str]) -> tuple[float, float]:
    """What each question takes, once everything is warm."""
    for question in questions[:20]:
        ask(question)
    times = []
    for question in questions:
        started = time.perf_counter()
        ask(question)
        times.append(time.perf_counter() - started)
    return percentiles(times)


class Fts:
    """Plain SQLite FTS5 with its porter stemmer, asked for any of the words."""

    def __init__(self, texts: list[str], folder: Path) -> None:
        self._db = sqlite3.connect(folder / "fts.db")
        self._db.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter')")
        self._db.executemany("INSERT INTO t VALUES (?)", ((text,) for text in texts))
        self._db.commit()

    def ask(self, question: str) -> list[int]:
        """The ten best."""
        wanted = " OR ".join(f'"{word}"' for word in question.rstrip("?").split())
        query = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10"
        return [row[0] for row in self._db.execute(query, (wanted,))]


class Vectors:
    """Brute force over float vectors, the embedding of the question included."""

    def __init__(self, texts: list[str], embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows = np.concatenate(
            [embedder.embed(texts[n : n + 512]) for n in range(0, len(texts), 512)]
        )

    def ask(self, question: str) -> object:
        """The ten nearest."""
        near = self._rows @ self._embedder.embed([question])[0]
        return np.argpartition(-near, 10)[:10]


def measure(size: int, console: Console) -> dict[str, tuple[float, float]]:
    """Everything about a workspace of some size."""
    talk = Talk()
    found = list(talk.conversations(size))
    texts = [said.text for conversation in found for said in conversation.turns]
    questions = [talk.question() for _ in range(QUESTIONS)]
    embedder = open_embedder(EmbeddingConfig(), {})
    assert embedder is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rates(folder / "agent", found, texts, embedder, console)
        with Memory(folder / "agent", clock=lambda: START) as memory:
            memory.tidy_on_close = False
            result = {"recall": timed(memory.recall, questions)}
        result["FTS5, OR"] = timed(Fts(texts, folder).ask, questions)
        result["brute-force vectors"] = timed(Vectors(texts, embedder).ask, questions)
        if size == COLD:
            cold(folder / "agent", questions[0], console)
    return result


def rates(
    folder: Path,
    found: list[Chat],
    texts: list[str],
    embedder: Embedder,
    console: Console,
) -> None:
    """How fast a bulk import is, beside the embedder alone."""
    embedder.embed(texts[:512])
    started = time.perf_counter()
    for n in range(0, len(texts), 512):
        embedder.embed(texts[n : n + 512])
    alone = time.perf_counter() - started
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    with Memory.init(folder) as memory:
        memory.tidy_on_close = False
        memory.take_in(found)
        filed = time.perf_counter() - started
        memory.embed(sentences=False)
    spent = time.perf_counter() - started
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    count = len(texts)
    console.print(
        f"{count:,} memories: filed at {count / filed:,.0f}/s, with vectors at "
        f"{count / spent:,.0f}/s; the embedder alone does {count / alone:,.0f}/s; "
        f"memory grew by {grown / 1024:,.0f} MB; "
        f"index {(folder / '.reverie/index.db').stat().st_size / 1e6:,.0f} MB"
    )


def cold(folder: Path, question: str, console: Console) -> None:
    """The processor time of one question asked in a new process."""
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "reverie", "recall", question, "--json"],
            cwd=folder,
            check=True,
            capture_output=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(
            after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        )
    console.print(
        f"a cold `reverie recall` at {COLD:,}: {sorted(spent)[2]:.2f} s of CPU (median)"
    )


def main() -> None:
    """Measure, and print it all in one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=f"1000,{COLD},100000")
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    console = Console(soft_wrap=True)
    results = {size: measure(size, console) for size in sizes}
    table = Table("memories", "way", "median ms", "95th percentile ms")
    for size, ways in results.items():
        for way, (median, high) in ways.items():
            table.add_row(f"{size:,}", way, f"{median:.1f}", f"{high:.1f}")
    console.print(table)
    if len(sizes) > 1:
        small, large = (results[size]["recall"][1] for size in (sizes[0], sizes[-1]))
        fts = results[sizes[-1]]["FTS5, OR"][1]
        console.print(
            f"recall p95 at {sizes[-1]:,} is {large / small:.2f}x that at {sizes[0]:,} "
            f"and {large / fts:.2f}x plain FTS5's"
        )


if __name__ == "__main__":
    main()
