"""One writer at a time, across processes.

The lock is the kernel's (`flock`): it ends with the process that holds it, so
no dead writer can block a living one. The text in the file is for people.
"""

from __future__ import annotations

import fcntl
import os
import random
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from reverie.errors import UnavailableError
from reverie.workspace.files import SMALL, open_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST_PAUSE = 0.02
_SIGNATURE = 100


class WorkspaceBusyError(UnavailableError):
    """Another process kept writing for longer than we may wait."""

    def __init__(self, seconds: float, holder: str) -> None:
        super().__init__(
            f"waited {seconds:.0f} s for another writer: {holder or 'unknown'}",
            hint="Wait for it or stop it; a process that died holds no lock. "
            "`ledger.lock_seconds` in reverie.toml sets how long to wait.",
        )


class NoLockError(UnavailableError):
    """The lock file cannot be opened."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"cannot lock the workspace ({path.name}): {error.strerror}",
            hint="Check that the folder is writable and the disk not full.",
        )


@contextmanager
def exclusive(path: Path, *, seconds: float, purpose: str) -> Iterator[None]:
    """Hold the lock at `path` while the block runs.

    Args:
        path: The lock file; created when missing, never removed.
        seconds: How long to wait for another holder.
        purpose: What we are about to do, shown to whoever has to wait for us.
    """
    try:
        descriptor = open_state(path, os.O_RDWR | os.O_CREAT, SMALL)
    except OSError as error:
        raise NoLockError(path, error) from error
    try:
        _take(descriptor, seconds)
        _sign(descriptor, purpose)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    pause = 0.0005
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise WorkspaceBusyError(seconds, _holder(descriptor)) from None
            # Jitter keeps many waiting writers from waking in step.
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311 - not a secret
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        else:
            return


def _sign(descriptor: int, purpose: str) -> None:
    # A full disk must not keep us from a lock that needs no space.
    with suppress(OSError):
        if os.fstat(descriptor).st_nlink > 1:
            return  # a second name of it may be anybody's file
        holder = f"process {os.getpid()}, {purpose}"
        os.pwrite(descriptor, f"{holder[:98]:<98}\n".encode()[:_SIGNATURE], 0)


def _holder(descriptor: int) -> str:
    return os.pread(descriptor, _SIGNATURE, 0).decode("utf-8", "replace").strip()
