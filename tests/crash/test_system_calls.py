"""Kill the process inside libgit2 and SQLite too, at their own system calls.

Needs a C compiler and Linux. Shortened: every 23rd call is struck, so that none of the
regular rows of calls of one kind is missed. In full, every one: `make test-full`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.crash.scenes import SCENES, disagreements, state, states
from tests.memory.home import copy_workspace

from reverie.ledger.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COMPILER = shutil.which("cc") or shutil.which("gcc")
ROOT = Path(__file__).parents[2]
STEP = 37
CHOSEN = ("remember an episode", "remember a fact", "undo", "erase")
SERVER = """
import ctypes, os, sys
from pathlib import Path
from tests.crash.scenes import SCENES
library = ctypes.CDLL(None)
for line in sys.stdin:
    name, at, root = line.rstrip().split(chr(9))
    child = os.fork()
    if child == 0:
        library.strike_at(int(at))
        SCENES[name].act(Path(root))
        print(library.strike_calls(), flush=True)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(code, flush=True)
"""
"""Acts in one fork after the other, so that all is imported once."""

pytestmark = pytest.mark.skipif(
    COMPILER is None or sys.platform != "linux", reason="needs Linux and a C compiler"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    """A process that acts, with the library that strikes compiled and loaded."""
    made = tmp_path_factory.mktemp("strike") / "strike.so"
    source = Path(__file__).with_name("strike.c")
    command = [str(COMPILER), "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"]
    subprocess.run(command, check=True)
    environ = {
        **os.environ,
        "LD_PRELOAD": str(made),
        "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
    }
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


@pytest.mark.parametrize("name", CHOSEN)
def test_a_kill_at_a_system_call_leaves_all_or_nothing(
    name: str,
    server: subprocess.Popen[str],
    quick_path: Path,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    origin = quick_path / "origin"
    SCENES[name].before(origin)
    copy = quick_path / "rehearsal"
    copy_workspace(origin, copy)
    total, done = _run(server, name, 0, copy), _told(server)
    assert done == 0
    head = Repository(origin / ".audit").head
    after = [state(copy)] if name == "erase" else states(copy, head)
    allowed = [state(origin), *after]
    step = 1 if full else STEP
    # Erasing rewrites all of history, call after call of the same kind.
    struck = range(1, total + 1, 2 * step if name == "erase" else step)
    for number in struck:
        root = quick_path / "struck"
        copy_workspace(origin, root)

        code = _run(server, name, number, root)

        where = f"{name}: system call {number} of {total}"
        assert code == -signal.SIGKILL, where
        assert disagreements(root, allowed) == [], where
        shutil.rmtree(root)
    record_property("crash points", len(struck))


def _run(server: subprocess.Popen[str], name: str, at: int, root: Path) -> int:
    """Act; the number of calls when none was to be struck, else how it ended."""
    assert server.stdin
    server.stdin.write(f"{name}\t{at}\t{root}\n")
    server.stdin.flush()
    return _told(server)


def _told(server: subprocess.Popen[str]) -> int:
    assert server.stdout
    return int(server.stdout.readline())
