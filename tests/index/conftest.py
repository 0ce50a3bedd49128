"""Workspaces of these tests stand in memory too."""

from __future__ import annotations

from tests.memory.conftest import tmp_path

__all__ = ["tmp_path"]
