"""Live two years with a memory, and tell what came of it.

make years
make years ARGS="--share 0.2 --seed 7"
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tests.years.life import Amounts, Life
from tests.years.promises import PROMISES, vividness


def main() -> int:
    """Live, check every promise, and print both; 1 where one is not kept."""
    parser = argparse.ArgumentParser(prog="make years", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="how much of it")
    parser.add_argument(
        "--seed", type=int, default=2026, help="what chance begins with"
    )
    chosen = parser.parse_args()
    console = Console()
    console.print(f"seed {chosen.seed}, {chosen.share:.0%} of two years")
    with tempfile.TemporaryDirectory(prefix="reverie-years-") as folder:
        # Keys of this workspace are nobody else's.
        os.environ["XDG_DATA_HOME"] = f"{folder}/keys"
        amounts = Amounts.of(chosen.share)
        life = Life(Path(folder) / "agent", chosen.seed, amounts)
        with Progress(console=console) as bar:
            lived = bar.add_task("living", total=1.0)
            for share in life.run():
                bar.update(lived, completed=share)
            bar.update(lived, completed=1.0)
            seen = bar.add_task("looking back", total=len(PROMISES) + 1)
            broken = {"nothing went wrong on the way": life.amiss}
            for promise in PROMISES:
                bar.advance(seen)
                broken[(promise.__doc__ or "").rstrip(".")] = [*promise(life)]
            bar.advance(seen)
        vivid = vividness(life)
        life.memory.close()
    console.print(_table("what was done", dict(sorted(life.done.items()))))
    for name, pages in vivid.items():
        console.print(_table(f"pages, {name}", dict(pages)))
    console.print(_table("what was promised", {n: len(f) for n, f in broken.items()}))
    for found in broken.values():
        for each in found[:10]:
            console.print(each, style="red", markup=False)
    return 1 if any(broken.values()) else 0


def _table(title: str, counts: dict[str, int]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("", justify="right")
    for name, count in counts.items():
        table.add_row(name, str(count))
    return table


if __name__ == "__main__":
    raise SystemExit(main())
