"""A new workspace for each test, as those of `Memory` have."""

from __future__ import annotations

from tests.memory.conftest import home, tmp_path

__all__ = ["home", "tmp_path"]
