"""The workspaces of the memory's own tests."""

from __future__ import annotations

from tests.memory.conftest import furnished, home, tmp_path

__all__ = ["furnished", "home", "tmp_path"]
