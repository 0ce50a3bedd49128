"""A sixteenth of two years with a memory; all of it by `make years`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.years.life import Amounts, Life
from tests.years.promises import PROMISES

if TYPE_CHECKING:
    from pathlib import Path

SEED = 2026


def test_two_years_of_everything_keep_every_promise(
    tmp_path: Path, *, full: bool
) -> None:
    life = Life(tmp_path / "agent", SEED, Amounts.of(1.0 if full else 0.0625))
    for _ in life.run():
        pass

    broken = [f"{p.__name__}: {each}" for p in PROMISES for each in p(life)]
    life.memory.close()
    assert life.amiss + broken == []
