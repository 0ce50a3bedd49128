"""When a reflection is offered by the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reverie.config.sections import ReflectionConfig
from reverie.memory import Memory
from reverie.memory.scheduling import NoRhythmError, planned, rhythm, timetable
from reverie.model.schedule import Machine, Rhythm, Way

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "linux", {"PATH": str(tmp_path)}, ("/bin/reverie",))


@pytest.mark.parametrize(
    ("frequency", "wanted"),
    [
        (("daily", "session-end"), Rhythm("03:00")),
        (("weekly",), Rhythm("03:00", weekly=True)),
        (("weekly", "session-end"), Rhythm("03:00", weekly=True)),
        (("daily", "weekly"), Rhythm("03:00")),
        (("session-end",), None),
        ((), None),
    ],
)
def test_the_configuration_says_how_often(
    frequency: tuple[str, ...], wanted: Rhythm | None
) -> None:
    assert rhythm(ReflectionConfig(frequency=frequency)) == wanted


def test_the_configuration_says_at_what_time() -> None:
    assert rhythm(ReflectionConfig(time="22:15")) == Rhythm("22:15")


def test_a_time_that_is_given_goes_before_the_configured_one(
    tmp_path: Path, machine: Machine
) -> None:
    variables = {"REVERIE_REFLECTION_FREQUENCY": "weekly"}
    Memory.init(tmp_path / "agent").close()
    with Memory(tmp_path / "agent", environ=variables) as memory:
        made = planned(memory, machine, Way.CRON, "04:30")

    assert made.rhythm == Rhythm("04:30", weekly=True)


def test_where_no_time_is_configured_one_must_be_given(
    tmp_path: Path, machine: Machine
) -> None:
    variables = {"REVERIE_REFLECTION_FREQUENCY": "session-end"}
    Memory.init(tmp_path / "agent").close()
    with Memory(tmp_path / "agent", environ=variables) as memory:
        with pytest.raises(NoRhythmError) as caught:
            planned(memory, machine, Way.CRON, "")
        made = planned(memory, machine, Way.CRON, "04:30")

    assert "reflection.frequency asks for no reflection" in str(caught.value)
    assert "--at 03:00" in caught.value.hint
    assert made.rhythm == Rhythm("04:30")


def test_a_workspace_reached_through_a_link_is_the_same_one(
    tmp_path: Path, machine: Machine
) -> None:
    Memory.init(tmp_path / "agent").close()
    (tmp_path / "link").symlink_to(tmp_path / "agent")
    with Memory(tmp_path / "agent", environ={}) as memory:
        straight = planned(memory, machine, Way.CRON, "")
    with Memory(tmp_path / "link", environ={}) as memory:
        assert planned(memory, machine, Way.CRON, "") == straight
        assert timetable(memory, machine).found == ()
