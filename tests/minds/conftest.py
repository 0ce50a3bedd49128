"""A server for every test that asks for one, and how it talks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.minds.servers import Server, serving
from tests.minds.streams import ANTHROPIC, OPENAI, Dialect

from reverie.minds.http import Deadline

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server()) as made:
        yield made


@pytest.fixture
def no_time_before_it_is_heard(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time pass until the server has the question, however busy we are."""
    monkeypatch.setattr(
        "reverie.minds.http.Deadline",
        lambda seconds: Deadline(seconds, lambda: 1e9 if server.heard else 0.0),
    )


@pytest.fixture(params=[OPENAI, ANTHROPIC], ids=str)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    made = request.param
    assert isinstance(made, Dialect)
    return made
