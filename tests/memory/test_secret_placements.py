"""Secrets, put through every way in: not a byte of them is on the disk afterwards.

Shortened: one in twelve of them. In full, all: `make test-full`.
"""

from __future__ import annotations

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

ALL, SOME = 35, 3
"""Secrets that go through every way: all of them, and shortened."""

TOGETHER = 7
"""So many go into one workspace: what waits for a yes there is looked at each time."""


def test_no_byte_of_a_secret_reaches_the_disk_through_any_way_in(
    tmp_path: Path, record_property: Callable[[str, object], None], *, full: bool
) -> None:
    placed = secrets(ALL if full else SOME)
    count, left = 0, list[str]()
    for n in range(0, len(placed), TOGETHER):
        some = placed[n : n + TOGETHER]
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
    home: Home, record_property: Callable[[str, object], None], *, full: bool
) -> None:
    placed = secrets(ALL if full else SOME)
    home.furnish()
    memory = home.reopen(REVERIE_MIND_KIND="host", TZ="UTC")
    count = answer_all(memory, placed) + reflect_all(memory, placed, home.clock)
    memory.close()

    record_property("attempts: secrets in answers", count)
    left = left_on(home.root, placed)
    assert left == [], f"{len(left)} pieces left after {count} placements"
