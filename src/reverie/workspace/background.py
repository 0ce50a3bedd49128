"""Run upkeep of a workspace in a background process, at most one at a time."""

from __future__ import annotations

import os
import resource
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.isolation import RUN_COMMAND, isolated_python
from reverie.workspace.lock import WorkspaceBusyError, exclusive

if TYPE_CHECKING:
    from reverie.workspace.files import Folder

LOCK_FILE = "upkeep.lock"
NICENESS = 10
"""Low, but enough that a lock it holds is released soon on a busy machine."""

MAX_MEMORY_BYTES = 2 << 30
IONICE = "/usr/bin/ionice"
_PROGRAM = (
    "from reverie.workspace.background import limit_resources\n"
    "limit_resources()\n"
    "from reverie.memory.pool import one_thread_each\n"
    f"one_thread_each()\n{RUN_COMMAND}"
)


def start_upkeep(folder: Folder, *, ended: bool) -> bool:
    """Start upkeep in a background process; return False if some is running already.

    The process inherits the lock, so the lock is held for as long as it runs.

    Args:
        folder: The workspace.
        ended: Whether a session has ended.
    """
    words = ("tidy", str(folder.root), *(("--ended",) if ended else ()))
    command = isolated_python(_PROGRAM, *words, away_from=folder.root)
    if os.access(IONICE, os.X_OK):
        command = [IONICE, "-c", "3", *command]
    try:
        with exclusive(folder.state(LOCK_FILE), seconds=0, purpose="upkeep") as lock:
            subprocess.Popen(
                command,
                cwd=os.sep,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(lock,),
            )
    except WorkspaceBusyError:
        return False
    return True


def limit_resources() -> None:
    """Lower the priority of this process and limit its memory."""
    os.nice(NICENESS)
    # A lower limit that is set already stays, and macOS refuses some values.
    with suppress(OSError, ValueError):
        _, highest = resource.getrlimit(resource.RLIMIT_DATA)
        if highest == resource.RLIM_INFINITY or highest > MAX_MEMORY_BYTES:
            limits = (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES)
            resource.setrlimit(resource.RLIMIT_DATA, limits)
