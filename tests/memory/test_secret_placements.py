"""Secrets, put through every way in: not a byte of them is on the disk afterwards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.memory.placements import (
    WAYS,
    Door,
    answer_all,
    left_on,
    place_all,
    reflect_all,
    secrets,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.memory.home import Home

ALL = 40
SOME = 8
"""Secrets that go through every way, unless `REVERIE_ALL_PLACEMENTS` asks for all."""


def test_no_byte_of_a_secret_reaches_the_disk_through_any_way_in(
    home: Home, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    home.memory.window("talk").say("Hello.")
    placed = secrets(ALL if os.environ.get("REVERIE_ALL_PLACEMENTS") else SOME)
    count = place_all(Door(home.memory, tmp_path / "outside"), placed, WAYS)
    home.memory.tidy()
    home.memory.close()

    record_property("attempts: secrets placed", count)
    left = left_on(home.root, placed)
    assert left == [], f"{len(left)} pieces left after {count} placements"


def test_no_byte_of_a_secret_reaches_the_disk_through_a_host_agents_answers(
    home: Home, record_property: Callable[[str, object], None]
) -> None:
    home.furnish()
    memory = home.reopen(REVERIE_MIND_KIND="host", TZ="UTC")
    placed = secrets(ALL if os.environ.get("REVERIE_ALL_PLACEMENTS") else SOME)
    count = answer_all(memory, placed) + reflect_all(memory, placed, home.clock)
    memory.close()

    record_property("attempts: secrets in answers", count)
    left = left_on(home.root, placed)
    assert left == [], f"{len(left)} pieces left after {count} placements"
