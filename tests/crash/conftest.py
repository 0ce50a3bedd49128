"""Folders for tests that copy a workspace some hundred times."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - only its speed is wanted


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where the machine has one, else an ordinary one."""
    if not MEMORY_DISK.is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK, prefix="reverie-") as folder:
        yield Path(folder)
