"""The workspaces of the memory's own tests, and passphrases that take no time."""

from __future__ import annotations

import pytest
from tests.memory.conftest import furnished, furniture, home, tmp_path

from reverie.authority import authority

__all__ = ["furnished", "furniture", "home", "tmp_path"]

COST = authority._COST  # noqa: SLF001 - as it is outside of tests


@pytest.fixture(autouse=True)
def _quick_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authority, "_COST", (1 << 10, *COST[1:]))
