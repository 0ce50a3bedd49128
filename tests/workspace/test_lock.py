"""One writer at a time, and no lock that outlives its holder."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from reverie.workspace.lock import NoLockError, WorkspaceBusyError, exclusive

if TYPE_CHECKING:
    from pathlib import Path


def held_by_a_child(path: Path) -> int:
    """Fork a process that takes the lock and waits; returns when it holds it."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        with exclusive(path, seconds=5, purpose="writing a novel"):
            os.write(tell, b"!")
            signal.pause()
    os.close(tell)
    assert os.read(ready, 1) == b"!"
    os.close(ready)
    return child


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "reverie.lock"


def signed(lock: Path) -> str:
    return lock.read_text(encoding="utf-8").strip()


def test_a_holder_that_dies_frees_the_lock(lock: Path) -> None:
    child = os.fork()
    if child == 0:
        held = exclusive(lock, seconds=5, purpose="dying")
        held.__enter__()
        os._exit(1)  # no clean-up of any kind
    os.waitpid(child, 0)

    with exclusive(lock, seconds=0, purpose="living"):
        assert signed(lock) == f"process {os.getpid()}, living"


def test_a_living_holder_is_named_to_whoever_waits_too_long(lock: Path) -> None:
    with (
        exclusive(lock, seconds=0, purpose="bot:auto-detect"),
        pytest.raises(WorkspaceBusyError, match="waited 0 s") as caught,
        exclusive(lock, seconds=0.01, purpose="too late"),
    ):
        pytest.fail("two hold the lock")

    assert f"process {os.getpid()}, bot:auto-detect" in str(caught.value)
    assert "lock_seconds" in caught.value.advice


def test_another_process_keeps_us_out_until_it_is_gone(lock: Path) -> None:
    child = held_by_a_child(lock)
    try:
        with (
            pytest.raises(WorkspaceBusyError, match=rf"process {child}, .*novel"),
            exclusive(lock, seconds=0.01, purpose="us"),
        ):
            pytest.fail("two processes hold the lock")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    with exclusive(lock, seconds=0, purpose="us"):
        pass


def test_without_patience_a_held_lock_is_refused_at_once(lock: Path) -> None:
    with (
        exclusive(lock, seconds=0, purpose="first"),
        pytest.raises(WorkspaceBusyError),
        exclusive(lock, seconds=0, purpose="second"),
    ):
        pytest.fail("two hold the lock")


def test_without_patience_a_free_lock_is_taken(lock: Path) -> None:
    with exclusive(lock, seconds=0, purpose="first"):
        pass
    with exclusive(lock, seconds=0, purpose="second"):
        assert "second" in lock.read_text(encoding="utf-8")


def test_an_error_inside_frees_the_lock(lock: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        exclusive(lock, seconds=0, purpose="failing"),
    ):
        raise ZeroDivisionError

    with exclusive(lock, seconds=0, purpose="next"):
        pass


def test_a_lock_file_left_by_a_crash_means_nothing(lock: Path) -> None:
    lock.write_text("process 1, pretending to hold it\n", encoding="utf-8")

    with exclusive(lock, seconds=0, purpose="us"):
        assert signed(lock) == f"process {os.getpid()}, us"


def test_a_short_purpose_leaves_nothing_of_a_longer_one(lock: Path) -> None:
    with exclusive(lock, seconds=0, purpose="a very long purpose indeed"):
        pass
    with exclusive(lock, seconds=0, purpose="x"):
        assert signed(lock) == f"process {os.getpid()}, x"


def test_a_full_disk_does_not_keep_us_from_the_lock(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)

    with exclusive(lock, seconds=0, purpose="us"):
        pass


def test_a_lock_in_no_folder_is_an_error_with_advice(tmp_path: Path) -> None:
    with (
        pytest.raises(NoLockError, match=r"reverie\.lock") as caught,
        exclusive(tmp_path / "none/reverie.lock", seconds=0, purpose="us"),
    ):
        pytest.fail("there is no such folder")

    assert caught.value.advice
