"""Schedules are written where the machine looks, and taken out without a trace.

The programs are real ones: small scripts on a PATH of their own.
"""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest
from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.model.health import Job, Machine, Way
from reverie.workspace.files import DiskError
from reverie.workspace.schedules import (
    NoTimetableError,
    ScheduleError,
    find_schedules,
    install,
    name_of,
    plan,
    remove,
    scheduled,
    usual_way,
)

HOURLY = 0
REVERIE = ("/opt/reverie/bin/reverie",)
THEIRS = b"# caf\xe9\n0 4 * * * backup \\% all\n"

CRONTAB = """
case "$1" in
-l) if [ -f "$HOME/tab" ]; then cat "$HOME/tab"
    else echo "no crontab for sam" >&2; exit 1; fi ;;
-r) rm "$HOME/tab" ;;
-) cat > "$HOME/tab" ;;
esac
"""
SYSTEMCTL = """
wants="$HOME/.config/systemd/user/timers.target.wants"
stamps="$HOME/.local/share/systemd/timers"
case "$2" in
enable) mkdir -p "$wants"; ln -sf "../$3" "$wants/$3" ;;
restart) mkdir -p "$stamps"; : > "$stamps/stamp-$3" ;;
disable) rm "$wants/$4" ;;
esac
"""
LAUNCHCTL = """
case "$1" in
bootstrap) : > "$HOME/loaded" ;;
bootout) rm "$HOME/loaded" 2>/dev/null ;;
esac
"""


class Place:
    """A home with programs in it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.programs = folder / "bin"
        self.home.mkdir()
        self.programs.mkdir()

    def has(self, name: str, script: str) -> None:
        """Put a program there, which also writes down how it was called."""
        program = self.programs / name
        log = 'printf "%s\\n" "${0##*/} $*" >> "$HOME/calls"\n'
        program.write_text(f"#!/bin/sh\n{log}{script}\n", encoding="utf-8")
        program.chmod(0o755)

    @property
    def machine(self) -> Machine:
        """The machine as a caller would tell it; no other program is there."""
        path = f"{self.programs}:/usr/bin:/bin"
        # The real programs of this machine must not be met.
        for name in ("systemctl", "crontab", "launchctl"):
            if not (self.programs / name).exists():
                self.has(name, "exit 127")
        return Machine(
            self.home, "linux", {"PATH": path, "HOME": str(self.home)}, REVERIE, 501
        )

    @property
    def calls(self) -> list[str]:
        """How the programs were called so far."""
        try:
            return (self.home / "calls").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []

    @property
    def tab(self) -> bytes | None:
        """The crontab."""
        file = self.home / "tab"
        return file.read_bytes() if file.exists() else None

    def files(self) -> list[str]:
        """All that lies in the home, but what the programs keep for us."""
        found = (f for f in self.home.rglob("*") if f.is_symlink() or f.is_file())
        return sorted(
            f.relative_to(self.home).as_posix()
            for f in found
            if f.name not in {"calls", "tab", "loaded"}
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def cron(place: Place) -> Place:
    place.has("crontab", CRONTAB)
    return place


@pytest.fixture
def systemd(cron: Place) -> Place:
    cron.has("systemctl", SYSTEMCTL)
    return cron


@pytest.fixture
def launchd(cron: Place) -> Place:
    cron.has("launchctl", LAUNCHCTL)
    return cron


def job(workspace: str = "/home/sam/agent", minute: int = HOURLY) -> Job:
    return Job(workspace, scheduled(REVERIE, workspace), minute)


NAME = name_of(job().workspace)
UNITS = ".config/systemd/user"


# --- which way -----------------------------------------------------------------


def test_a_systemd_that_answers_is_taken(systemd: Place) -> None:
    assert usual_way(systemd.machine) is Way.SYSTEMD


def test_cron_is_taken_where_systemd_does_not_answer(cron: Place) -> None:
    cron.has("systemctl", "echo 'Failed to connect to bus' >&2; exit 1")

    assert usual_way(cron.machine) is Way.CRON


def test_launchd_is_taken_on_a_mac_whatever_else_is_there(systemd: Place) -> None:
    assert usual_way(replace(systemd.machine, platform="darwin")) is Way.LAUNCHD


def test_a_machine_with_neither_is_told_what_to_do(tmp_path: Path) -> None:
    bare = Machine(tmp_path, "linux", {"PATH": str(tmp_path)}, REVERIE)

    with pytest.raises(NoTimetableError) as caught:
        usual_way(bare)

    assert "Install cron" in caught.value.advice


@pytest.mark.parametrize("way", Way)
def test_a_way_that_is_not_there_is_refused_before_anything_is_written(
    tmp_path: Path, way: Way
) -> None:
    bare = Machine(tmp_path, "linux", {"PATH": str(tmp_path)}, REVERIE)

    with pytest.raises(NoTimetableError):
        install(job(), way, bare)

    assert list(tmp_path.iterdir()) == []


# --- planning ------------------------------------------------------------------


@pytest.mark.parametrize("way", Way)
def test_a_plan_writes_nothing_and_calls_nobody(place: Place, way: Way) -> None:
    made = plan(job(), way, place.machine)

    assert all(file.text for file in made.files)
    assert place.calls == []
    assert place.files() == []


@pytest.mark.parametrize("bad", ["\n* * * * * rm -rf ~", "\0", "\t", "\udcff"])
def test_what_would_end_a_line_is_refused(systemd: Place, bad: str) -> None:
    with pytest.raises(RefusedError, match="cannot be scheduled"):
        install(job(f"/home/sam/a{bad}"), Way.CRON, systemd.machine)

    assert systemd.tab is None
    assert systemd.files() == []


# --- cron ----------------------------------------------------------------------


def test_cron_gets_a_block_and_keeps_what_it_had(cron: Place) -> None:
    (cron.home / "tab").write_bytes(THEIRS)

    made = install(job(), Way.CRON, cron.machine)

    assert cron.tab == THEIRS + made.files[0].text.encode()


def test_cron_is_not_touched_again_for_the_same(cron: Place) -> None:
    install(job(), Way.CRON, cron.machine)
    install(job(), Way.CRON, cron.machine)

    assert cron.calls.count("crontab -") == 1


def test_removing_gives_back_the_crontab_as_it_was(cron: Place) -> None:
    (cron.home / "tab").write_bytes(THEIRS)
    install(job(), Way.CRON, cron.machine)

    (gone,) = remove(job().workspace, cron.machine)

    assert gone is Way.CRON
    assert cron.tab == THEIRS


def test_a_crontab_that_held_only_ours_is_gone(cron: Place) -> None:
    install(job(), Way.CRON, cron.machine)

    remove(job().workspace, cron.machine)

    assert cron.tab is None


def test_a_crontab_that_cannot_be_read_is_not_written(cron: Place) -> None:
    cron.has("crontab", "echo 'crontab: spool is on fire' >&2; exit 1")

    with pytest.raises(ScheduleError, match="spool is on fire") as caught:
        install(job(), Way.CRON, cron.machine)

    assert "nothing was changed" in caught.value.advice
    assert set(cron.calls) == {"crontab -l"}


@pytest.mark.parametrize(
    "words",
    [
        "no crontab for sam",
        "crontab: no crontab for sam",
        "crontab: can't open 'sam': No such file or directory",
        "You (sam) are not allowed to use this program (crontab)",
    ],
)
def test_having_no_crontab_is_no_failure(systemd: Place, words: str) -> None:
    systemd.has("crontab", f'echo "{words}" >&2; exit 1')

    assert install(job(), Way.SYSTEMD, systemd.machine).files


def test_a_program_that_cannot_be_started_is_told(cron: Place) -> None:
    (cron.programs / "crontab").write_bytes(b"\0 no program")

    with pytest.raises(ScheduleError, match="`crontab -l` failed"):
        install(job(), Way.CRON, cron.machine)


# --- systemd -------------------------------------------------------------------


def test_systemd_gets_a_service_and_a_timer_and_begins_at_once(
    systemd: Place,
) -> None:
    made = install(job(), Way.SYSTEMD, systemd.machine)

    for file in made.files:
        assert Path(file.path).read_text(encoding="utf-8") == file.text
    assert [file.path for file in made.files] == [
        str(systemd.home / UNITS / f"{NAME}.service"),
        str(systemd.home / UNITS / f"{NAME}.timer"),
    ]
    asked = [call for call in systemd.calls if call.startswith("systemctl")]
    assert asked == [
        "systemctl --user show-environment",
        "systemctl --user daemon-reload",
        f"systemctl --user enable {NAME}.timer",
        f"systemctl --user restart {NAME}.timer",
    ]


def test_installing_twice_leaves_one(systemd: Place) -> None:
    install(job(), Way.SYSTEMD, systemd.machine)
    before = systemd.files()

    install(job(minute=30), Way.SYSTEMD, systemd.machine)

    (found,) = find_schedules(job(minute=30), systemd.machine)
    assert found.current
    assert systemd.files() == before


def test_removing_leaves_no_unit_link_or_stamp(systemd: Place) -> None:
    install(job(), Way.SYSTEMD, systemd.machine)
    assert len(systemd.files()) == 4

    remove(job().workspace, systemd.machine)

    assert systemd.files() == []
    assert f"systemctl --user disable --now {NAME}.timer" in systemd.calls
    asked = [call for call in systemd.calls if call.startswith("systemctl")]
    assert asked[-1] == "systemctl --user daemon-reload"


def test_a_systemd_that_fails_midway_is_told_with_what_to_do(systemd: Place) -> None:
    systemd.has("systemctl", '[ "$2" != enable ] || { echo "on strike" >&2; exit 1; }')

    with pytest.raises(ScheduleError, match="on strike") as caught:
        install(job(), Way.SYSTEMD, systemd.machine)

    assert "`reverie schedule remove` takes them away" in caught.value.advice
    remove(job().workspace, systemd.machine)
    assert systemd.files() == []


def test_a_home_that_cannot_be_written_is_told(systemd: Place) -> None:
    (systemd.home / ".config").write_text("a file", encoding="utf-8")

    with pytest.raises(DiskError, match="cannot access"):
        install(job(), Way.SYSTEMD, systemd.machine)


# --- launchd -------------------------------------------------------------------


def test_launchd_gets_an_agent_and_begins_at_once(launchd: Place) -> None:
    made = install(job(), Way.LAUNCHD, launchd.machine)

    path = launchd.home / "Library" / "LaunchAgents" / f"{NAME}.plist"
    assert made.files[0].path == str(path)
    agent = plistlib.loads(path.read_bytes())
    assert agent["ProgramArguments"] == list(job().command)
    assert f"launchctl bootstrap gui/501 {path}" in launchd.calls


def test_removing_an_agent_leaves_nothing(launchd: Place) -> None:
    install(job(), Way.LAUNCHD, launchd.machine)

    remove(job().workspace, launchd.machine)

    assert launchd.files() == []
    assert not (launchd.home / "loaded").exists()


# --- side by side --------------------------------------------------------------


def test_another_way_takes_the_place_of_the_first(systemd: Place) -> None:
    install(job(), Way.SYSTEMD, systemd.machine)

    install(job(), Way.CRON, systemd.machine)

    (found,) = find_schedules(job(), systemd.machine)
    assert found.way is Way.CRON
    assert systemd.files() == []

    install(job(), Way.SYSTEMD, systemd.machine)

    (found,) = find_schedules(job(), systemd.machine)
    assert found.way is Way.SYSTEMD
    assert systemd.tab is None


@pytest.mark.parametrize("way", Way)
def test_workspaces_do_not_disturb_each_other(
    systemd: Place, launchd: Place, way: Way
) -> None:
    del launchd
    one, other = job("/home/sam/agent"), job("/home/sam/agent 2")
    install(one, way, systemd.machine)
    before = (systemd.files(), systemd.tab)

    install(other, way, systemd.machine)
    assert len(find_schedules(one, systemd.machine)) == 1
    remove(other.workspace, systemd.machine)

    assert (systemd.files(), systemd.tab) == before


@pytest.mark.parametrize("way", Way)
def test_what_is_found_is_what_was_installed(
    systemd: Place, launchd: Place, way: Way
) -> None:
    del launchd
    odd = job('/srv/50% "it\'s" \\ $x', 5)

    made = install(odd, way, systemd.machine)

    assert find_schedules(odd, systemd.machine) == (made,)


@pytest.mark.parametrize("way", Way)
def test_a_schedule_for_another_program_is_not_current(
    systemd: Place, launchd: Place, way: Way
) -> None:
    del launchd
    install(job(), way, systemd.machine)
    moved = replace(systemd.machine, command=("/usr/local/bin/reverie",))

    command = scheduled(moved.command, job().workspace)

    (found,) = find_schedules(Job(job().workspace, command, HOURLY), moved)

    assert not found.current


def test_a_timer_with_a_time_of_its_own_is_told_as_such(systemd: Place) -> None:
    made = install(job(), Way.SYSTEMD, systemd.machine)
    timer = Path(made.files[1].path)
    timer.write_text("[Timer]\nOnCalendar=hourly\n", encoding="utf-8")

    (found,) = find_schedules(job(), systemd.machine)

    assert not found.current


def earlier(place: Place, way: Way) -> None:
    """Make what is installed what an earlier version wrote: once a night."""
    spelled = {
        Way.CRON: ("0 * * * *", "0 3 * * *"),
        Way.SYSTEMD: (
            "OnCalendar=*-*-* *:00:00\nPersistent=true\nRandomizedDelaySec=0\n",
            "OnCalendar=*-*-* 03:00:00\nPersistent=true\n",
        ),
        Way.LAUNCHD: (
            "<key>Minute</key>",
            "<key>Hour</key>\n<integer>3</integer>\n<key>Minute</key>",
        ),
    }
    made = install(job(), way, place.machine)
    file = place.home / "tab" if way is Way.CRON else Path(made.files[-1].path)
    text, (now, before) = file.read_text(encoding="utf-8"), spelled[way]
    assert now in text
    file.write_text(text.replace(now, before), encoding="utf-8")


@pytest.mark.parametrize("way", Way)
def test_what_an_earlier_version_installed_is_replaced(
    systemd: Place, launchd: Place, way: Way
) -> None:
    del launchd
    earlier(systemd, way)
    (found,) = find_schedules(job(), systemd.machine)
    assert not found.current

    made = install(job(), way, systemd.machine)

    assert find_schedules(job(), systemd.machine) == (made,)


def test_removing_what_is_not_there_does_nothing(systemd: Place) -> None:
    (systemd.home / "tab").write_bytes(THEIRS)

    assert remove(job().workspace, systemd.machine) == ()
    assert systemd.tab == THEIRS
    assert set(systemd.calls) == {"crontab -l"}
