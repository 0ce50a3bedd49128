"""Keep Python from loading code that lies in a workspace or the current folder.

A workspace is written by agents. Python imports modules from the current folder
with `-m` and `-c`, from whatever `PYTHONPATH` names, and from relative entries of
either, so a file called `numpy.py` there would be run instead of numpy. What
Python itself loads before our first line (`sitecustomize` on a `PYTHONPATH` of
your own, `python -m reverie` beside a `reverie.py`) nobody can stop from here.
"""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_START = "import os, sys; sys.path += sys.argv.pop(1).split(os.pathsep)\n"

RUN_COMMAND = (
    "sys.argv[0] = 'reverie'\nfrom reverie.__main__ import run\nrun()\n"  # what it does
)
"""The program that is the `reverie` command."""


def isolated_python(program: str, *arguments: str, away_from: Path) -> list[str]:
    """How to start a Python program of ours that loads no code of a workspace.

    `-I` ignores every `PYTHON*` variable, the current folder and the user's own
    packages; what this process may load from elsewhere is added again.

    Args:
        program: Its source.
        arguments: What it finds in `sys.argv[1:]`.
        away_from: The workspace.
    """
    places = os.pathsep.join(trusted(sys.path, (Path.cwd(), away_from)))
    return [sys.executable, "-I", "-c", _START + program, places, *arguments]


def distrust_current_folder() -> None:
    """Take the current folder, and every workspace, off this process's `sys.path`."""
    here = Path.cwd()
    suspects = [here, *(Path(entry) for entry in sys.path if _in_a_workspace(entry))]
    sys.path[:] = trusted(sys.path, suspects)


def absolute_only(path: str) -> str:
    """A search path for programs without what depends on the current folder."""
    return os.pathsep.join(filter(os.path.isabs, path.split(os.pathsep)))


def trusted(entries: Iterable[str], folders: Iterable[Path]) -> list[str]:
    """Entries of a module search path that are absolute and outside some folders.

    An installation may well lie inside one, as `.venv` does; it is kept, and so is
    the place that Reverie itself was loaded from.
    """
    installed = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[1]]
    if site.ENABLE_USER_SITE and site.USER_SITE:
        installed.append(Path(site.USER_SITE))
    kept = [Path(os.path.realpath(folder)) for folder in installed]
    shut = [Path(os.path.realpath(folder)) for folder in folders]
    found = []
    for entry in entries:
        place = Path(os.path.realpath(entry))
        ours = any(place == root or _lies_in(place, root) for root in kept)
        theirs = any(place == root or _lies_in(place, root) for root in shut)
        if Path(entry).is_absolute() and (ours or not theirs):
            found.append(entry)
    return found


def _lies_in(place: Path, root: Path) -> bool:
    return root in place.parents


def _in_a_workspace(entry: str) -> bool:
    place = Path(entry).absolute()
    return any((f / ".audit" / "HEAD").is_file() for f in (place, *place.parents))
