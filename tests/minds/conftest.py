"""A server for every test that asks for one, and how it talks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.minds.servers import Server, serving
from tests.minds.streams import ANTHROPIC, OPENAI, Dialect

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server()) as made:
        yield made


@pytest.fixture(params=[OPENAI, ANTHROPIC], ids=str)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    made = request.param
    assert isinstance(made, Dialect)
    return made
