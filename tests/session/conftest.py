"""A new workspace for each test, as those of `Memory` have."""

from __future__ import annotations

from tests.memory.conftest import furnished, furniture, home, tmp_path

__all__ = ["furnished", "furniture", "home", "tmp_path"]
