"""A new workspace for each test, as those of `Memory` have; one is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.conftest import home, models, tmp_path

if TYPE_CHECKING:
    from tests.memory.home import Home

    from reverie import Memory

__all__ = ["home", "models", "tmp_path"]


@pytest.fixture
def memory(home: Home) -> Memory:
    """It, open."""
    return home.memory
