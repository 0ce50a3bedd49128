"""A server for every test that asks for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.minds.servers import Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server()) as made:
        yield made
