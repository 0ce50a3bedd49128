"""A new workspace for each test."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import Home, copy_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - only its speed is wanted


@contextmanager
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in memory where the machine has one, else an ordinary one."""
    if not MEMORY_DISK.is_dir():
        yield tmp_path_factory.mktemp("workspace")
        return
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK, prefix="reverie-") as made:
        yield Path(made)


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where each test has its files."""
    with folder(tmp_path_factory) as found:
        yield found


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A new workspace, open."""
    made = Home(tmp_path / "agent")
    yield made
    made.memory.close()


@pytest.fixture(scope="session")
def furniture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A workspace with one memory in every store, made once and copied often."""
    with folder(tmp_path_factory) as found:
        made = Home(found / "agent")
        made.furnish()
        yield made.root
        made.memory.close()


@pytest.fixture
def furnished(furniture: Path, tmp_path: Path) -> Iterator[Home]:
    """A workspace with one memory in every store, open."""
    copy_workspace(furniture, tmp_path / "agent")
    made = Home(tmp_path / "agent")
    yield made
    made.memory.close()
