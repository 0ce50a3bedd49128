"""The built-in model, opened once for all tests that only read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reverie.embedding.local import open_static

if TYPE_CHECKING:
    from reverie.embedding import Embedder


@pytest.fixture(scope="session")
def built_in() -> Embedder:
    return open_static()
