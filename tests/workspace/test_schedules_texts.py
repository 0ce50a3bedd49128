"""What cron, systemd and launchd read is what was meant."""

from __future__ import annotations

import os
import plistlib
import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import built

from reverie.errors import RefusedError
from reverie.model.health import Job, Way
from reverie.workspace.schedules import (
    find_block,
    name_of,
    render,
    with_block,
)

if TYPE_CHECKING:
    from pathlib import Path

HOURLY = 0
ODD = [
    "/home/sam/my agent",
    '/home/sam/it\'s "mine"',
    "/srv/100%/50%%",
    "/srv/back\\slash\\\\twice\\%",
    "/srv/$HOME/${x}/`id`/$(id)",
    "/srv/#hash;semi&amp <tag>",
    "/srv/übung 雪 🦊",
    "/srv/trailing \\",
    "/srv/ends%",
]

words = st.text(
    st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=30
) | st.text("'%\\$\"` a", min_size=1, max_size=12)
jobs = built(
    Job,
    words.map("/w/{}".format),
    st.lists(words, min_size=1, max_size=4).map(lambda w: ("/bin/x", *w)),
    st.integers(0, 59),
)


def render_cron(made: Job) -> str:
    return render(made, Way.CRON)[0]


def render_service(made: Job) -> str:
    return render(made, Way.SYSTEMD)[0]


def render_timer(made: Job) -> str:
    return render(made, Way.SYSTEMD)[1]


def render_agent(made: Job) -> str:
    return render(made, Way.LAUNCHD)[0]


def job(workspace: str = "/home/sam/agent", minute: int = HOURLY) -> Job:
    command = ("/usr/bin/reverie", "reflect", "--scheduled", "-w", workspace)
    return Job(workspace, command, minute)


# --- what each of them does with a line ----------------------------------------


def vixie(command: str) -> str:
    """Vixie's cron: a backslash before `%` or a backslash is taken away."""
    return _uncron(command, taken="%\\")


def cronie(command: str) -> str:
    """Cronie: a backslash is taken away before `%` only."""
    return _uncron(command, taken="%")


def busybox(command: str) -> str:
    """BusyBox: the line is the shell's."""
    return command


def _uncron(command: str, taken: str) -> str:
    made, escaped = "", False
    for char in command:
        if escaped:
            made = made[:-1] + char if char in taken else made + char
            escaped = False
        elif char == "%":
            # What follows would be the standard input of the command.
            break
        else:
            made += char
            escaped = char == "\\"
    return made


CRONS = [vixie, cronie, busybox]


def cron_line(made: Job) -> str:
    (line,) = render_cron(made).split("\n")[1:-2]
    return line


def systemd_words(made: Job) -> list[str]:
    """The command of a service as systemd reads it."""
    (line,) = re.findall(r"^ExecStart=(.*)$", render_service(made), re.MULTILINE)
    found = re.findall(r'"((?:[^"\\]|\\.)*)"(?: |\Z)', line)
    unquoted = [re.sub(r'\\([\\"])', r"\1", word) for word in found]
    return [word.replace("%%", "%").replace("$$", "$") for word in unquoted]


# --- cron ----------------------------------------------------------------------


def test_a_crontab_gets_three_lines() -> None:
    assert render_cron(job()) == (
        "# >>> reverie /home/sam/agent\n"
        "0 * * * * /usr/bin/reverie reflect --scheduled -w /home/sam/agent\n"
        "# <<< reverie\n"
    )


def test_cron_and_its_shell_hand_on_the_very_path() -> None:
    for workspace in ODD:
        for cron in CRONS:
            command = cron_line(
                Job(workspace, ("printf", "%s|", "-w", workspace), HOURLY)
            )
            shell = shutil.which("sh") or "/bin/sh"

            done = subprocess.run(
                [shell, "-c", cron(command.split(" ", 5)[5])],
                check=True,
                capture_output=True,
                encoding="utf-8",
            )

            assert done.stdout == f"-w|{workspace}|"


@given(jobs)
def test_no_cron_changes_a_word(made: Job) -> None:
    line = cron_line(made).split(" ", 5)[5]

    for cron in CRONS:
        assert tuple(shlex.split(cron(line))) == made.command


# --- a crontab with other things in it -----------------------------------------

THEIRS = b'MAILTO=""\n# caf\xe9\n\n0 4 * * * backup \\% all\r\n@daily x  \n'


def test_a_block_is_added_at_the_end() -> None:
    block = render_cron(job())

    assert with_block(THEIRS, "/home/sam/agent", block) == THEIRS + block.encode()


def test_a_block_is_replaced_where_it_stands() -> None:
    before = with_block(THEIRS, "/home/sam/agent", render_cron(job())) + b"# more\n"

    after = with_block(before, "/home/sam/agent", render_cron(job(minute=30)))

    assert after == before.replace(b"0 * * * * /usr", b"30 * * * * /usr")


def test_copies_of_a_block_become_one() -> None:
    block = render_cron(job()).encode()

    after = with_block(block + THEIRS + block, "/home/sam/agent", block.decode())

    assert after == block + THEIRS


def test_workspaces_stand_side_by_side() -> None:
    one, other = job("/home/sam/agent"), job("/home/sam/agent 2")
    both = with_block(b"", one.workspace, render_cron(one))
    both = with_block(both, other.workspace, render_cron(other))

    assert find_block(both, one.workspace) == render_cron(one)
    assert find_block(both, other.workspace) == render_cron(other)
    assert with_block(both, one.workspace, "") == render_cron(other).encode()


def test_nothing_is_taken_out_where_the_end_is_missing() -> None:
    for after in (
        b"",
        b"@daily mine\n",
        b"@daily mine\n# >>> reverie /b\n0 3 * * * y\n# <<< reverie\n",
    ):
        torn = b"# >>> reverie /a\n0 3 * * * x\n" + after

        with pytest.raises(RefusedError, match="/a") as caught:
            with_block(torn, "/a", "")

        assert "crontab -e" in caught.value.advice


def test_the_torn_block_of_another_workspace_is_not_ours_to_mend() -> None:
    torn = b"# >>> reverie /b\n0 3 * * * x\n"

    assert with_block(torn, "/a", "") == torn


@given(st.binary(max_size=200), jobs)
def test_all_that_is_not_ours_stays_byte_for_byte(theirs: bytes, made: Job) -> None:
    block = render_cron(made)

    once = with_block(theirs, made.workspace, block)
    twice = with_block(once, made.workspace, block)
    without = with_block(twice, made.workspace, "")

    assert twice == once
    assert find_block(once, made.workspace) == block
    ended = theirs + b"\n" if theirs and not theirs.endswith(b"\n") else theirs
    assert without == ended


# --- systemd -------------------------------------------------------------------


def test_a_service_says_what_is_started() -> None:
    assert render_service(job()) == (
        "# Written by `reverie schedule install`.\n"
        "[Unit]\n"
        "Description=Reverie: /home/sam/agent (offers a reflection)\n"
        "\n"
        "[Service]\n"
        "Type=oneshot\n"
        'ExecStart="/usr/bin/reverie" "reflect" "--scheduled" "-w" "/home/sam/agent"\n'
    )


def test_a_timer_makes_up_for_what_was_missed() -> None:
    assert render_timer(job()).endswith(
        "[Timer]\nOnCalendar=*-*-* *:00:00\n"
        "Persistent=true\nRandomizedDelaySec=0\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )


@given(jobs)
def test_systemd_reads_the_very_words(made: Job) -> None:
    assert tuple(systemd_words(made)) == made.command


@given(words)
def test_a_program_that_systemd_would_not_name_goes_through_the_shell(
    name: str,
) -> None:
    program = f"/opt/{name}/reverie"
    made = systemd_words(Job("/w", (program, "reflect"), HOURLY))

    if set(name) & set("\"'\\$"):
        assert made == ["/bin/sh", "-c", 'exec "$@"', "sh", program, "reflect"]
    else:
        assert made == [program, "reflect"]


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="there is no systemd-analyze here"
)
@pytest.mark.parametrize("folder", [path.rpartition("/")[2] for path in ODD])
def test_systemd_itself_finds_nothing_wrong(tmp_path: Path, folder: str) -> None:
    program = tmp_path / folder / "reverie"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    made = Job(
        str(program.parent),
        (str(program), "reflect", "-w", str(program.parent)),
        59,
    )
    for ending, text in (
        ("service", render_service(made)),
        ("timer", render_timer(made)),
    ):
        (tmp_path / f"reverie-x.{ending}").write_text(text, encoding="utf-8")

    done = subprocess.run(
        [
            *("systemd-analyze", "verify", "--user", "--man=no"),
            *(str(tmp_path / f"reverie-x.{each}") for each in ("service", "timer")),
        ],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "XDG_RUNTIME_DIR": str(tmp_path),
        },
    )

    assert (done.returncode, done.stderr) == (0, "")


# --- launchd -------------------------------------------------------------------


def test_an_agent_says_what_is_started_and_when() -> None:
    agent = plistlib.loads(render_agent(job()).encode())

    assert agent == {
        "Label": name_of("/home/sam/agent"),
        "ProcessType": "Background",
        "ProgramArguments": list(job().command),
        "StartCalendarInterval": {"Minute": 0},
    }


@given(jobs)
def test_launchd_reads_the_very_words_and_the_time(made: Job) -> None:
    text = render_agent(made)

    agent = plistlib.loads(text.encode())
    assert tuple(agent["ProgramArguments"]) == made.command


# --- names and paths -----------------------------------------------------------


def test_every_folder_has_a_name_of_its_own() -> None:
    names = {name_of(path) for path in (*ODD, "/a", "/a ", "/A")}

    assert len(names) == len(ODD) + 3
    assert all(re.fullmatch(r"reverie-[0-9a-f]{12}", name) for name in names)
