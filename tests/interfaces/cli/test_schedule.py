"""`schedule`, with programs of its own to call and a home of its own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from reverie.interfaces.cli.schedule import command_line
from reverie.workspace.schedules import name_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interfaces.cli.conftest import Desk

CRONTAB = """#!/bin/sh
case "$1" in
-l) cat "$HOME/tab" 2>/dev/null || { echo "no crontab for sam" >&2; exit 1; } ;;
-r) rm "$HOME/tab" ;;
-) cat > "$HOME/tab" ;;
esac
"""
NO_BUS = "#!/bin/sh\nexit 1\n"


def program(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home on a machine with cron, where `reverie` is installed."""
    place = tmp_path / "home"
    place.mkdir()
    programs = tmp_path / "programs"
    program(programs / "crontab", CRONTAB)
    program(programs / "systemctl", NO_BUS)
    program(programs / "reverie", NO_BUS)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "platform", "linux")
    return place


def tab(home: Path) -> str:
    file = home / "tab"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def test_nothing_is_scheduled_until_it_is_asked_for(desk: Desk, home: Path) -> None:
    told = desk.done("schedule").out

    assert told == (
        "Nothing is scheduled.\n"
        "`reverie schedule install` has the machine look every hour.\n"
    )
    assert tab(home) == ""


def test_installing_writes_what_starts_a_reflection_here(
    desk: Desk, home: Path, tmp_path: Path
) -> None:
    told = desk.done("schedule", "install").out

    assert told == (
        "Scheduled by cron: crontab\n"
        "Looked at every hour; offered from 03:00 on (reflection.time).\n"
        "`reverie schedule remove` takes it back.\n"
    )
    assert tab(home) == (
        f"# >>> reverie {desk.root}\n"
        f"0 * * * * {tmp_path}/programs/reverie reflect --scheduled -w {desk.root}\n"
        "# <<< reverie\n"
    )


def test_what_is_scheduled_is_shown(desk: Desk, home: Path) -> None:
    del home
    desk.done("schedule", "install")

    assert desk.done("schedule").out == (
        "Scheduled by cron: crontab\n"
        "Looked at every hour; offered from 03:00 on (reflection.time).\n"
    )


def test_another_hour_holds_at_once(desk: Desk, home: Path) -> None:
    del home
    desk.done("schedule", "install")
    desk.write("reverie.toml", '[reflection]\ntime = "22:00"\n')

    told = desk.done("schedule").out

    assert told.endswith(
        "\nLooked at every hour; offered from 22:00 on (reflection.time).\n"
    )


def test_another_minute_is_taken_over(desk: Desk, home: Path) -> None:
    desk.done("schedule", "install")
    desk.write("reverie.toml", '[reflection]\ntime = "04:30"\n')

    told = desk.done("schedule").out

    assert "It is not what would be written today. `rev" in told
    desk.done("schedule", "install")
    assert "\n30 * * * * " in tab(home)
    assert "It is not" not in desk.done("schedule").out


def test_printing_writes_nothing(desk: Desk, home: Path) -> None:
    told = desk.done("schedule", "install", "--systemd", "--print").out

    units = home / ".config" / "systemd" / "user"
    name = name_of(str(desk.root))
    assert told.startswith(f"# {units}/{name}.service\n")
    assert f"\n# {units}/{name}.timer\n" in told
    assert "\nOnCalendar=*-*-* *:00:00\n" in told
    assert list(home.iterdir()) == []


def test_removing_leaves_nothing(desk: Desk, home: Path) -> None:
    desk.done("schedule", "install")

    assert desk.done("schedule", "remove").out == (
        "Removed what cron would have started.\n"
    )
    assert list(home.iterdir()) == []
    assert desk.done("schedule", "remove").out == "Nothing was scheduled.\n"


def test_the_schedule_of_a_folder_that_is_gone_can_be_removed(
    desk: Desk, home: Path
) -> None:
    desk.done("schedule", "install")
    desk.root.rename(desk.root.with_name("elsewhere"))

    desk.done("schedule", "remove")

    assert tab(home) == ""


def test_a_workspace_with_an_odd_name_is_found_again(nowhere: Desk, home: Path) -> None:
    nowhere.root = nowhere.root.with_name('it\'s 50% "mine" \\')
    nowhere.done("init")

    made = nowhere.json("schedule", "install")
    (found,) = nowhere.json("schedule")["found"]

    assert found == made
    assert found["current"]
    nowhere.done("schedule", "remove")
    assert tab(home) == ""


def test_a_workspace_with_a_line_break_is_refused(nowhere: Desk, home: Path) -> None:
    nowhere.root = nowhere.root.with_name("a\nb")
    nowhere.done("init")

    typed = nowhere.type("schedule", "install")

    assert typed.code == 5
    assert "cannot be scheduled" in typed.err
    assert "Rename the folder" in typed.err
    assert tab(home) == ""


def test_a_configuration_without_a_rhythm_is_told(desk: Desk, home: Path) -> None:
    desk.write("reverie.toml", '[reflection]\nfrequency = ["session-end"]\n')

    assert "asks for none by the clock" in desk.done("schedule").out
    typed = desk.type("schedule", "install")
    assert typed.code == 5
    assert "Add one of them in reverie.toml" in typed.err
    assert tab(home) == ""


def test_a_schedule_that_is_no_longer_wanted_can_be_taken_back(
    desk: Desk, home: Path
) -> None:
    del home
    desk.done("schedule", "install")
    desk.write("reverie.toml", '[reflection]\nfrequency = ["session-end"]\n')

    assert desk.done("schedule").out == (
        "Scheduled by cron: crontab\n"
        "reflection.frequency asks for none by the clock.\n"
        "`reverie schedule remove` takes it back.\n"
    )


def test_a_weekly_reflection_is_looked_for_every_hour_too(
    desk: Desk, home: Path
) -> None:
    desk.write("reverie.toml", '[reflection]\nfrequency = ["weekly"]\ntime = "22:15"\n')

    told = desk.done("schedule", "install").out

    assert "offered from 22:15 on (reflection.time)" in told
    assert "\n15 * * * * " in tab(home)


def test_a_machine_that_can_do_nothing_by_the_clock_is_told(
    desk: Desk, home: Path, tmp_path: Path
) -> None:
    del home
    (tmp_path / "programs" / "crontab").unlink()

    typed = desk.type("schedule", "install", "--cron")

    assert typed.code == 6
    assert "no answer from crontab" in typed.err
    assert "hint:" in typed.err


def test_a_mac_has_launchd(
    desk: Desk, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    program(tmp_path / "programs" / "launchctl", "#!/bin/sh\n")

    told = desk.done("schedule", "install").out

    (agent,) = (home / "Library" / "LaunchAgents").iterdir()
    assert told.startswith(f"Scheduled by launchd: {agent}\n")


def test_a_schedule_that_is_out_of_date_is_told(
    desk: Desk, home: Path, tmp_path: Path
) -> None:
    del home
    desk.done("schedule", "install")
    (tmp_path / "programs" / "reverie").unlink()

    assert "It is not what would be written today." in desk.done("schedule").out


def test_a_command_that_schedule_does_not_have_is_guessed(desk: Desk) -> None:
    typed = desk.type("schedule", "instal")

    assert typed.code == 2
    assert "Did you mean 'install'?" in typed.err
    assert "`reverie schedule --help`" in typed.err


# --- how reverie is started ------------------------------------------------------


def test_the_very_program_that_was_called_is_started(tmp_path: Path) -> None:
    program(tmp_path / "a" / "reverie", NO_BUS)
    program(tmp_path / "b" / "reverie", NO_BUS)

    found = command_line(str(tmp_path / "a" / "reverie"), str(tmp_path / "b"), "py")

    assert found == (str(tmp_path / "a" / "reverie"),)


def test_a_program_called_by_its_name_is_looked_for(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "reverie", NO_BUS)

    for called in ("reverie", "/somewhere/reverie/__main__.py", "/gone/reverie"):
        found = command_line(called, str(tmp_path / "bin"), "py")
        assert found == (str(tmp_path / "bin" / "reverie"),)


def test_a_program_called_from_its_folder_is_started_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin" / "reverie", NO_BUS)
    monkeypatch.chdir(tmp_path)

    found = command_line("bin/reverie", "", "py")

    assert found == (str(tmp_path / "bin" / "reverie"),)


def test_a_link_to_the_program_stays_one(tmp_path: Path) -> None:
    program(tmp_path / "v1" / "reverie", NO_BUS)
    link = tmp_path / "reverie"
    link.symlink_to(tmp_path / "v1" / "reverie")

    assert command_line(str(link), "", "py") == (str(link),)


def test_without_a_program_the_module_is_started(tmp_path: Path) -> None:
    found = command_line("/x/__main__.py", str(tmp_path), "/usr/bin/python3")

    assert found == ("/usr/bin/python3", "-P", "-m", "reverie")
