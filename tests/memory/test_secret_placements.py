"""Secrets, put through every way in: not a byte of them is on the disk afterwards.

A fifth of them goes through by default; `REVERIE_ALL_PLACEMENTS=1` asks for all.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.memory.home import Home
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

ALL, SOME = 35, 7
"""Secrets that go through every way: all of them, and by default."""

TOGETHER = 7
"""So many go into one workspace: what waits for a yes there is looked at each time."""

PLACED = secrets(ALL if os.environ.get("REVERIE_ALL_PLACEMENTS") else SOME)


def test_no_byte_of_a_secret_reaches_the_disk_through_any_way_in(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    count, left = 0, list[str]()
    for n in range(0, len(PLACED), TOGETHER):
        some = PLACED[n : n + TOGETHER]
        home = Home(tmp_path / f"agent-{n}")
        home.memory.window("talk").say("Hello.")
        door = Door(home.memory, tmp_path / f"outside-{n}")
        count += place_all(door, some, WAYS)
        home.memory.tidy()
        home.memory.close()
        left += left_on(home.root, some)

    record_property("attempts: secrets placed", count)
    assert left == [], f"{len(left)} pieces left after {count} placements"


def test_no_byte_of_a_secret_reaches_the_disk_through_a_host_agents_answers(
    home: Home, record_property: Callable[[str, object], None]
) -> None:
    home.furnish()
    memory = home.reopen(REVERIE_MIND_KIND="host", TZ="UTC")
    count = answer_all(memory, PLACED) + reflect_all(memory, PLACED, home.clock)
    memory.close()

    record_property("attempts: secrets in answers", count)
    left = left_on(home.root, PLACED)
    assert left == [], f"{len(left)} pieces left after {count} placements"
