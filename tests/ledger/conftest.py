"""Fixtures of the ledger's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.ledger.room import Clock, Room

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def room(tmp_path: Path, clock: Clock) -> Iterator[Room]:
    made = Room.found(tmp_path / "work", clock)
    yield made
    made.folder.close()
