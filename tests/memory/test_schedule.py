"""When the machine looks whether a reflection is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reverie.errors import RefusedError
from reverie.memory import Memory
from reverie.memory.schedule import find_schedules, install, job
from reverie.model.health import Machine, Way

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "linux", {"PATH": str(tmp_path)}, ("/bin/reverie",))


@pytest.mark.parametrize(
    ("frequency", "wanted"),
    [("daily,session-end", 15), ("weekly", 15), ("session-end", None)],
)
def test_it_is_looked_at_every_hour_where_one_is_wanted_by_the_clock(
    tmp_path: Path, machine: Machine, frequency: str, wanted: int | None
) -> None:
    variables = {
        "REVERIE_REFLECTION_FREQUENCY": frequency,
        "REVERIE_REFLECTION_TIME": "22:15",
    }
    Memory.init(tmp_path / "agent").close()
    with Memory(tmp_path / "agent", environ=variables) as memory:
        made = job(memory, machine)

    assert (made.minute if made else None) == wanted


def test_where_none_is_wanted_by_the_clock_nothing_is_scheduled(
    tmp_path: Path, machine: Machine
) -> None:
    variables = {"REVERIE_REFLECTION_FREQUENCY": "session-end"}
    Memory.init(tmp_path / "agent").close()
    with (
        Memory(tmp_path / "agent", environ=variables) as memory,
        pytest.raises(RefusedError) as caught,
    ):
        install(memory, machine, Way.CRON, only_plan=True)

    assert "reflection.frequency" in str(caught.value)
    assert "Add one of them in reverie.toml" in caught.value.advice


def test_a_workspace_reached_through_a_link_is_the_same_one(
    tmp_path: Path, machine: Machine
) -> None:
    Memory.init(tmp_path / "agent").close()
    (tmp_path / "link").symlink_to(tmp_path / "agent")
    with Memory(tmp_path / "agent", environ={}) as memory:
        straight = install(memory, machine, Way.CRON, only_plan=True)
    with Memory(tmp_path / "link", environ={}) as memory:
        assert install(memory, machine, Way.CRON, only_plan=True) == straight
        assert find_schedules(memory, machine) == ()
