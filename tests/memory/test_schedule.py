"""When the machine looks whether a reflection is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reverie.config import ReflectionConfig
from reverie.memory import Memory
from reverie.memory.schedule import NoRhythmError, planned, rhythm, timetable
from reverie.model.health import Machine, Rhythm, Way

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "linux", {"PATH": str(tmp_path)}, ("/bin/reverie",))


@pytest.mark.parametrize(
    ("frequency", "wanted"),
    [
        (("daily", "session-end"), Rhythm(0)),
        (("weekly",), Rhythm(0)),
        (("weekly", "session-end"), Rhythm(0)),
        (("daily", "weekly"), Rhythm(0)),
        (("session-end",), None),
        ((), None),
    ],
)
def test_it_is_looked_at_every_hour_where_one_is_wanted_by_the_clock(
    frequency: tuple[str, ...], wanted: Rhythm | None
) -> None:
    assert rhythm(ReflectionConfig(frequency=frequency)) == wanted


def test_the_configuration_says_at_which_minute() -> None:
    assert rhythm(ReflectionConfig(time="22:09")) == Rhythm(9)


def test_the_table_knows_the_time_of_day(tmp_path: Path, machine: Machine) -> None:
    variables = {"REVERIE_REFLECTION_TIME": "22:15"}
    Memory.init(tmp_path / "agent").close()
    with Memory(tmp_path / "agent", environ=variables) as memory:
        table = timetable(memory, machine)

    assert (table.wanted, table.at) == (Rhythm(15), "22:15")


def test_where_none_is_wanted_by_the_clock_nothing_is_scheduled(
    tmp_path: Path, machine: Machine
) -> None:
    variables = {"REVERIE_REFLECTION_FREQUENCY": "session-end"}
    Memory.init(tmp_path / "agent").close()
    with (
        Memory(tmp_path / "agent", environ=variables) as memory,
        pytest.raises(NoRhythmError) as caught,
    ):
        planned(memory, machine, Way.CRON)

    assert "reflection.frequency asks for no reflection" in str(caught.value)
    assert "Add one of them in reverie.toml" in caught.value.hint


def test_a_workspace_reached_through_a_link_is_the_same_one(
    tmp_path: Path, machine: Machine
) -> None:
    Memory.init(tmp_path / "agent").close()
    (tmp_path / "link").symlink_to(tmp_path / "agent")
    with Memory(tmp_path / "agent", environ={}) as memory:
        straight = planned(memory, machine, Way.CRON)
    with Memory(tmp_path / "link", environ={}) as memory:
        assert planned(memory, machine, Way.CRON) == straight
        assert timetable(memory, machine).found == ()
