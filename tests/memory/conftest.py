"""A new workspace for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.memory.home import Home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A new workspace, open."""
    made = Home(tmp_path / "agent")
    yield made
    made.memory.close()


@pytest.fixture
def furnished(home: Home) -> Home:
    """A workspace with one memory in every store."""
    home.furnish()
    return home
