"""How well memories are found again: public data sets, our figures beside baselines.

    make bench ARGS="--data ~/data --sets locomo,fresh"
    .venv/bin/python benchmarks/recall_quality.py --systems bm25,my.module:retrieve

A system is a function `retrieve(corpus, queries, k)` that gives back, for each
query, the ids of the documents it would recall, best first (`suite/blind.py`). The
data is not ours to ship; without it, the error says where to get it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.suite.blind import AnswerError, ask
from benchmarks.suite.results import (
    NoQuestionsError,
    Result,
    as_json,
    cost,
    difference_table,
    quality_table,
    result,
)
from benchmarks.suite.sets import DEFAULT_SETS, SETS, QuestionSet
from benchmarks.suite.tasks import MissingDataError
from benchmarks.suite.worker import SystemFailedError, Worker

if TYPE_CHECKING:
    from collections.abc import Sequence

BASE = "bm25"
SYSTEMS = {
    "grep": "benchmarks.suite.baselines:grep",
    BASE: "benchmarks.suite.baselines:bm25",
    "reverie": "benchmarks.reverie_bench:retrieve",
    "conversation": "benchmarks.reverie_bench:converse",
}
FAILURES = (AnswerError, MissingDataError, NoQuestionsError, SystemFailedError)
WIDTH = 132  # what the widest table needs; a narrower terminal wraps


def main(arguments: Sequence[str] | None = None) -> int:
    """Run each set and print its tables; 1 when something could not be run."""
    options = parse_arguments(arguments)
    out = Console()
    out.width = max(out.width, WIDTH)
    aside = Console(stderr=True)
    found: dict[str, list[Result]] = {}
    for name in options.sets:
        found[name] = run_set(name, options, aside)
        if found[name]:
            show(SETS[name].title, found[name], out)
    if options.json:
        kept = {name: as_json(results) for name, results in found.items()}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(any(len(done) < len(options.systems) for done in found.values()))


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What to run, on which data."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    there = os.environ.get("REVERIE_BENCH_DATA")
    parser.add_argument(
        "--data",
        type=Path,
        default=there,
        required=not there,
        help="folder with locomo/, longmemeval/, beam/ (default: $REVERIE_BENCH_DATA)",
    )
    parser.add_argument(
        "--sets",
        type=set_names,
        default=list(DEFAULT_SETS),
        help=f"of {', '.join(SETS)} (default: {','.join(DEFAULT_SETS)})",
    )
    parser.add_argument(
        "--systems",
        type=system_names,
        default=list(SYSTEMS),
        help=f"of {', '.join(SYSTEMS)}, or module:function (default: all named)",
    )
    parser.add_argument(
        "--limit", type=positive, help="only the first N tasks of a set"
    )
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    """A number that leaves something to do."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def set_names(text: str) -> list[str]:
    """The sets named in an argument."""
    names = text.split(",")
    for unknown in set(names) - SETS.keys():
        what = f"no set is called {unknown!r}; there are {', '.join(SETS)}"
        raise argparse.ArgumentTypeError(what)
    return names


def system_names(text: str) -> list[str]:
    """The systems named in an argument."""
    names = text.split(",")
    for unknown in (name for name in names if name not in SYSTEMS and ":" not in name):
        what = f"{unknown!r} is none of {', '.join(SYSTEMS)} and no module:function"
        raise argparse.ArgumentTypeError(what)
    return names


def run_set(name: str, options: argparse.Namespace, aside: Console) -> list[Result]:
    """All systems on one set; what cannot be run is said aside."""
    results = []
    for system in options.systems:
        try:
            results.append(run(name, system, options, aside))
        except FAILURES as error:
            aside.print(f"{name}: {error}", style="red", markup=False, soft_wrap=True)
            if isinstance(error, MissingDataError):
                break
    return results


def run(name: str, system: str, options: argparse.Namespace, aside: Console) -> Result:
    """One system on one set."""
    chosen: QuestionSet = SETS[name]
    tasks = islice(chosen.load(options.data), options.limit)
    scored: list[tuple[str, dict[str, float]]] = []
    with Worker(SYSTEMS.get(system, system)) as worker, progress(aside) as shown:
        bar = shown.add_task(f"{name}: {system}", total=None)
        for task in filter(attrgetter("questions"), tasks):
            answers = ask(worker.retrieve, task, chosen.k)
            for question, answer in zip(task.questions, answers, strict=True):
                scored.append((question.kind, chosen.score(answer, question)))
            shown.update(bar, completed=len(scored))
    return result(system, scored, cost(worker.spent, worker.peak_mb))


def progress(aside: Console) -> Progress:
    """How many questions are answered, and since when."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:.0f} questions"),
        TimeElapsedColumn(),
        console=aside,
    )


def show(title: str, results: list[Result], out: Console) -> None:
    """Print the figures and how far each system is from the base."""
    out.print(quality_table(title, results))
    others = [found for found in results if found.system != BASE]
    for base in (found for found in results if found.system == BASE):
        if others:
            out.print(difference_table(others, base))


if __name__ == "__main__":
    sys.exit(main())
