"""A new workspace for each test."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import Home

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


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Workspaces that are made once and copied often."""
    with folder(tmp_path_factory) as found:
        new, furnished = Home(found / "new"), Home(found / "furnished")
        furnished.furnish()
        yield {"new": new.root, "furnished": furnished.root}
        new.memory.close()
        furnished.memory.close()


@pytest.fixture
def home(models: dict[str, Path], tmp_path: Path) -> Iterator[Home]:
    """A new workspace, open."""
    made = Home.copied(models["new"], tmp_path / "agent")
    yield made
    made.memory.close()


@pytest.fixture
def furnished(models: dict[str, Path], tmp_path: Path) -> Iterator[Home]:
    """A workspace with one memory in every store, open."""
    made = Home.copied(models["furnished"], tmp_path / "agent")
    yield made
    made.memory.close()
