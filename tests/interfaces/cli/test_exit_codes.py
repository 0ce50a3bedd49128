"""What goes wrong becomes a message and an exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from tests.interfaces.cli.conftest import environment, on_a_screen, process

from reverie.errors import (
    ConflictError,
    FormatError,
    NotFoundError,
    RefusedError,
    ReverieError,
    UnavailableError,
)
from reverie.interfaces.cli import command
from reverie.interfaces.cli.main import CODES, guarded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.interfaces.cli.conftest import Desk


def failing(error: BaseException) -> Callable[..., object]:
    def work(*_given: object) -> object:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (click.UsageError("what?"), 2),
        (NotFoundError("no"), 3),
        (ConflictError("no"), 4),
        (RefusedError("no"), 5),
        (UnavailableError("no"), 6),
        (FormatError("a.md", 3, "no"), 7),
        (ReverieError("no"), 70),
        (PermissionError(13, "Permission denied", "a.md"), 6),
        (ValueError("no"), 70),
        (click.Abort(), 130),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: Exception, code: int) -> None:
    assert guarded(failing(error), []) == code
    assert code in dict(CODES)


def test_what_happened_comes_before_what_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    guarded(failing(RefusedError("it is full", hint="Make room.")), [])

    assert capsys.readouterr().err == "error: it is full\nhint: Make room.\n"


def test_an_error_is_json_for_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(failing(RefusedError("it is full", hint="Make room.")), ["--json"])

    told = capsys.readouterr()
    assert told.out == ""
    assert json.loads(told.err) == {
        "error": {
            "type": "RefusedError",
            "message": "it is full",
            "hint": "Make room.",
        }
    }


def test_an_error_of_the_system_names_the_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    guarded(failing(PermissionError(13, "Permission denied", "MEMORY.md")), [])

    assert capsys.readouterr().err.startswith("error: MEMORY.md: Permission denied\n")


def test_a_fault_asks_to_be_reported(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(failing(ValueError("odd")), [])

    told = capsys.readouterr().err
    assert "this should not have happened: ValueError: odd" in told
    assert "Please report it" in told
    assert "Traceback" not in told


def test_a_fault_shows_its_traceback_when_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_DEBUG", "1")

    guarded(failing(ValueError("odd")), [])

    assert "Traceback" in capsys.readouterr().err


def test_an_unknown_option_names_the_help(desk: Desk) -> None:
    typed = desk.type("remember", "- buy milk")

    assert typed.code == 2
    assert "`reverie remember --help`" in typed.err
    assert "Put -- before a text that begins with a dash." in typed.err


def test_bytes_that_are_no_text_are_refused_as_argument(desk: Desk) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reverie", "-w", str(desk.root), "show", b"\xff"],
        check=False,
        capture_output=True,
        env=environment(),
    )

    assert done.returncode == 2
    assert done.stderr == "error: argument 4 is not valid UTF-8: ⟦U+DCFF⟧\n".encode()


def test_a_message_cannot_move_the_cursor(desk: Desk) -> None:
    typed = desk.type("show", "\x1b[2J")

    assert "\x1b" not in typed.err


def test_a_reader_who_has_enough_is_no_error(desk: Desk) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "reverie", "-w", str(desk.root), "history", "-n", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        told = child.stderr.read()

    assert (child.returncode, told) == (141, b"")


def test_a_tour_whose_reader_has_enough_ends_quietly(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "reverie", "tour", "--no-pause"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=tmp_path,
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        # So much is read that a command of the tour is cut off.
        while b"$ reverie" not in child.stdout.readline():
            pass
        child.stdout.close()
        told = child.stderr.read()

    assert (child.returncode, told) == (141, b"")


def test_ctrl_c_ends_quietly(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "given_text", failing(KeyboardInterrupt()))

    typed = desk.type("remember", "-")

    assert (typed.code, typed.out, typed.err.strip()) == (130, "", "")


def test_a_full_disk_is_told(desk: Desk) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-m", "reverie", "-w", str(desk.root), "history"],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
        )

    assert done.returncode == 6
    assert b"No space left on device" in done.stderr


def test_errors_are_coloured_on_a_screen_only(desk: Desk) -> None:
    words = ("-w", str(desk.root), "show", "nope")

    assert "\x1b[31m" in on_a_screen(words)[1]
    assert "\x1b" not in process(*words).stderr


def test_a_stream_that_was_closed_before_loses_nothing(desk: Desk) -> None:
    words = f'{sys.executable} -m reverie -w "$0" remember "Kept all the same."'

    done = subprocess.run(["sh", "-c", f"{words} >&- <&-", str(desk.root)], check=False)

    assert done.returncode == 0
    assert "Kept all the same." in desk.type("recall", "kept").out
