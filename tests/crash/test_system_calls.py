"""Kill the process inside libgit2 and SQLite too, at their own system calls.

Needs a C compiler and Linux. Every call is struck with REVERIE_CRASH_STEP=1.
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

from reverie.ledger.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

COMPILER = shutil.which("cc") or shutil.which("gcc")
ROOT = Path(__file__).parents[2]
STEP = int(os.environ.get("REVERIE_CRASH_STEP", "11"))
CHOSEN = ("remember an episode", "remember a fact", "pin", "undo", "erase")
CHILD = """
import sys
from pathlib import Path
from tests.crash.scenes import SCENES
SCENES[sys.argv[1]].act(Path(sys.argv[2]))
"""

pytestmark = pytest.mark.skipif(
    COMPILER is None or sys.platform != "linux", reason="needs Linux and a C compiler"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that strikes, compiled."""
    made = tmp_path_factory.mktemp("strike") / "strike.so"
    source = Path(__file__).with_name("strike.c")
    command = [str(COMPILER), "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return made


@pytest.mark.parametrize("name", CHOSEN)
def test_a_kill_at_a_system_call_leaves_all_or_nothing(
    name: str,
    library: Path,
    quick_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    origin = quick_path / "origin"
    SCENES[name].before(origin)
    head = Repository(origin / ".audit").head
    total, allowed = _rehearse(name, library, origin, quick_path)
    # Erasing rewrites all of history, call after call of the same kind.
    struck = range(1, total + 1, 2 * STEP if name == "erase" else STEP)
    for number in struck:
        root = quick_path / "struck"
        shutil.copytree(origin, root, symlinks=True)

        code = _run(name, library, root, STRIKE_AT=str(number))

        where = f"{name}: system call {number} of {total}"
        assert code == -signal.SIGKILL, where
        assert disagreements(root) == [], where
        assert any(one in allowed for one in states(root, "")), where
        shutil.rmtree(root)
    assert head
    record_property("crash points", len(struck))


def _rehearse(
    name: str, library: Path, origin: Path, folder: Path
) -> tuple[int, list[dict[str, str]]]:
    copy = folder / "rehearsal"
    shutil.copytree(origin, copy, symlinks=True)
    count = folder / "count"
    assert _run(name, library, copy, STRIKE_COUNT=str(count)) == 0
    after = [state(copy)] if name == "erase" else states(copy, "")
    shutil.rmtree(copy)
    return int(count.read_text()), [state(origin), *after]


def _run(name: str, library: Path, root: Path, **more: str) -> int:
    environ = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }
    command = [sys.executable, "-c", CHILD, name, str(root)]
    return subprocess.run(command, env=environ, check=False).returncode
