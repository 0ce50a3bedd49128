"""The workspace lock: one writer at a time, across processes."""

from __future__ import annotations

import fcntl
import os
import random
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from reverie.errors import UnavailableError
from reverie.workspace.files import SMALL, open_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST_PAUSE = 0.02
_SIGNED = 100


class WorkspaceBusyError(UnavailableError):
    """Another process kept writing for longer than we may wait."""

    says = "waited {:.0f} s for another writer: {}"
    mend = (
        "Wait for it or stop it; a process that died holds no lock. "
        "`ledger.lock_seconds` in reverie.toml sets how long to wait."
    )


class NoLockError(UnavailableError):
    """The lock file cannot be opened."""

    says = "cannot lock the workspace ({}): {}"
    mend = "Check that the folder is writable and the disk not full."


@contextmanager
def exclusive(path: Path, *, seconds: float, purpose: str) -> Iterator[int]:
    """Hold the lock at `path` while the block runs, across processes.

    The lock is the kernel's (`flock`): it ends with the process that holds it, so
    no dead writer can block a living one. The text in the file is for people.

    Args:
        path: The lock file; created when missing, never removed.
        seconds: How long to wait for another holder.
        purpose: What we are about to do, shown to whoever has to wait for us.

    Yields:
        The descriptor; a process that inherits it holds the lock as well.
    """
    with ExitStack() as opened:
        try:
            lock = open_state(path, os.O_RDWR | os.O_CREAT, SMALL)
            descriptor = opened.enter_context(lock)
        except OSError as error:
            raise NoLockError(path.name, error.strerror) from error
        _take(descriptor, seconds)
        # A full disk must not keep us from a lock that needs no space; and a second
        # name of the file may be anybody's.
        with suppress(OSError):
            if os.fstat(descriptor).st_nlink == 1:
                holder = f"process {os.getpid()}, {purpose}"
                os.pwrite(descriptor, f"{holder[:98]:<98}\n".encode()[:_SIGNED], 0)
        yield descriptor


def _take(descriptor: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    pause = 0.0005
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                said = os.pread(descriptor, _SIGNED, 0).decode("utf-8", "replace")
                raise WorkspaceBusyError(seconds, said.strip() or "unknown") from None
            # Jitter keeps many waiting writers from waking in step.
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311 - not a secret
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        else:
            return
