"""What a run found, and the tables it is shown in."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from benchmarks.suite.freshness import LOWER_IS_BETTER
from benchmarks.suite.metrics import mean
from rich.box import SIMPLE
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.suite.timing import Spent

ALL = "all"
BELOW = "▼"
COSTS = ("ms", "p95 ms", "ingest s", "peak MB")
VISIBLE = 0.0005  # what three decimals show


@dataclass(frozen=True, slots=True)
class Cost:
    """What the answers cost: milliseconds a question, seconds to store all tasks."""

    ms_median: float
    ms_p95: float
    ingest_seconds: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Result:
    """One system on one set: each kind's number of questions and mean figures."""

    system: str
    counts: dict[str, int]
    figures: dict[str, dict[str, float]]
    cost: Cost


class NoQuestionsError(Exception):
    """A set turned out to be empty."""

    def __init__(self) -> None:
        super().__init__("there is no question to score in the tasks of this run.")


def result(
    system: str, scored: Sequence[tuple[str, dict[str, float]]], cost: Cost
) -> Result:
    """Means over all questions and by kind, the kind with most questions first."""
    if not scored:
        raise NoQuestionsError
    rows: dict[str, list[dict[str, float]]] = {ALL: [row for _, row in scored]}
    for kind, row in scored:
        rows.setdefault(kind, []).append(row)
    order = sorted(rows, key=lambda kind: len(rows[kind]), reverse=True)
    return Result(
        system,
        counts={kind: len(rows[kind]) for kind in order},
        figures={kind: mean(rows[kind]) for kind in order},
        cost=cost,
    )


def cost(spent: Sequence[Spent], peak_mb: float) -> Cost:
    """The account of all tasks."""
    milliseconds = sorted(1000 * each for task in spent for each in task.questions)
    return Cost(
        ms_median=percentile(milliseconds, 0.5),
        ms_p95=percentile(milliseconds, 0.95),
        ingest_seconds=sum(task.ingest for task in spent),
        peak_mb=peak_mb,
    )


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value that this share of the others does not exceed."""
    return ordered[ceil(share * len(ordered)) - 1]


# --- tables ----------------------------------------------------------------------


def quality_table(title: str, results: Sequence[Result]) -> Table:
    """Quality by kind, the systems under each other, and what it cost beside it."""
    names = list(results[0].figures[ALL])
    table = empty_table(title, [*names, *COSTS])
    for kind in results[0].figures:
        for number, found in enumerate(results):
            figures = [f"{found.figures[kind][name]:.3f}" for name in names]
            costs = rendered(found.cost) if kind == ALL else []
            head = (kind, str(found.counts[kind])) if number == 0 else ("", "")
            table.add_row(*head, found.system, *figures, *costs)
    return table


def difference_table(results: Sequence[Result], base: Result) -> Table:
    """Each system less the base, in every kind; what is below it is marked."""
    names = list(base.figures[ALL])
    table = empty_table(f"difference to {base.system}", names)
    for found in results:
        for kind, figures in found.figures.items():
            ahead = {name: figures[name] - base.figures[kind][name] for name in names}
            behind = {name for name in names if is_below(name, ahead[name])}
            cells = [difference(ahead[name], below=name in behind) for name in names]
            label = f"[red]{kind} {BELOW}[/red]" if behind else kind
            table.add_row(label, str(found.counts[kind]), found.system, *cells)
        table.add_section()
    return table


def is_below(name: str, ahead: float) -> bool:
    """Whether a difference that can be seen is one for the worse."""
    return (-ahead if name in LOWER_IS_BETTER else ahead) < -VISIBLE


def difference(ahead: float, *, below: bool) -> str:
    """A difference with its sign and, if it is for the worse, its mark."""
    return f"[red]{ahead:+.3f} {BELOW}[/red]" if below else f"{ahead:+.3f}  "


def rendered(spent: Cost) -> list[str]:
    """The costs in the order of their columns."""
    return [
        f"{spent.ms_median:.2f}",
        f"{spent.ms_p95:.2f}",
        f"{spent.ingest_seconds:.2f}",
        f"{spent.peak_mb:.0f}",
    ]


def empty_table(title: str, columns: Sequence[str]) -> Table:
    """A table with kind, number and system before the figures."""
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("kind", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("system", no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def as_json(results: Sequence[Result]) -> dict[str, Any]:
    """The same as plain values, by system."""
    return {found.system: asdict(found) for found in results}
