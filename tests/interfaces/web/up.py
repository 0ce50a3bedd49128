"""A service in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reverie.interfaces.hosts import runtime
from reverie.interfaces.web.app import find_running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie.interfaces.web.app import Running

PATIENCE = 60


@contextmanager
def up(root: Path, *more: str) -> Iterator[tuple[Running, subprocess.Popen[bytes]]]:
    """Start the service of a workspace, and end it."""
    command = [sys.executable, "-P", "-m", "reverie", "-w", str(root), "up", *more]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            until(lambda: find_running(root) is not None or process.poll() is not None)
            running = find_running(root)
            assert running is not None, f"it ended with {process.poll()}"
            yield running, process
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGTERM)
                process.wait(timeout=PATIENCE)


def until(holds: object) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end, "it never came to that"
        time.sleep(runtime.LOOK)
