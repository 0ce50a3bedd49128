"""Remembering with a mind: its answer is checked, its failure changes nothing."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest
from tests.minds.servers import (
    Server,
    completes,
    drips,
    resets,
    says,
    sends_and_holds,
    serving,
)

from reverie import Memory, ScriptedMind, Store
from reverie.minds.budget import OutOfTokensError
from reverie.minds.mind import MindUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.memory.home import Home

SAID = "Nora keeps her bees behind the mill."
ROUTE = {
    "store": "semantic",
    "entities": [{"name": "Nora", "type": "person"}],
    "relations": [{"from": "person--nora", "relation": "uses", "to": "tool--hive"}],
    "tags": ["bees", "hobby"],
    "confidence": "high",
    "core_update": False,
    "summary": "Nora keeps bees.",
}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server()) as made:
        yield made


def with_server(home: Home, url: str, **more: str) -> Memory:
    return home.agreed(
        REVERIE_MIND_KIND="api",
        REVERIE_MIND_URL=url,
        REVERIE_MIND_MODEL="tiny",
        REVERIE_MIND_RETRIES="0",
        REVERIE_MIND_TIMEOUT_SECONDS="0.5",
        **more,
    )


def scripted(home: Home, *answers: object) -> Memory:
    home.memory.close()
    mind = ScriptedMind([json.dumps(answer) for answer in answers])
    home.memory = Memory(home.root, clock=home.clock, environ={}, mind=mind)
    home.memory.tidy_on_close = False
    return home.memory


def files(root: Path) -> dict[str, bytes]:
    """Every file of the workspace that is truth."""
    found = (f for f in root.rglob("*") if f.is_file() and ".reverie" not in f.parts)
    return {str(f): f.read_bytes() for f in found}


def test_a_mind_files_what_it_is_told(home: Home) -> None:
    memory = scripted(home, ROUTE)

    receipt = memory.remember(SAID)

    assert receipt.ids == ("entity:person--nora",)
    assert receipt.route is not None
    assert receipt.route.summary == "Nora keeps bees."
    page = home.text("memory/graph/entities/person--nora.md")
    assert f"- {SAID}" in page
    assert "uses: [[tool--hive]]" in page


def test_the_words_that_are_stored_are_never_the_mind_s(home: Home) -> None:
    invented = {**ROUTE, "core_update": True, "summary": "Nora owes you money."}
    memory = scripted(home, invented)

    memory.remember(SAID)

    assert b"owes you" not in b"".join(files(home.root).values())
    assert any(SAID in each.text for each in memory.items(Store.CORE))


def test_one_bad_answer_is_mended(home: Home) -> None:
    memory = scripted(home, {**ROUTE, "store": "attic"}, ROUTE)

    assert memory.remember(SAID).ids == ("entity:person--nora",)


@pytest.mark.parametrize(
    "bad",
    [
        {**ROUTE, "store": "attic"},
        {**ROUTE, "entities": [{"name": "../../etc/passwd", "type": "person"}]},
        {**ROUTE, "relations": [{"from": "x", "relation": "uses", "to": "y"}]},
        {**ROUTE, "path": "SOUL.md"},
        {"answer": "yes"},
    ],
)
def test_two_bad_answers_change_nothing(home: Home, bad: object) -> None:
    memory = scripted(home, bad, bad)
    before = files(home.root)

    with pytest.raises(MindUnavailableError):
        memory.remember(SAID)

    assert files(home.root) == before


@pytest.mark.parametrize(
    "behaviour",
    {
        "slow": sends_and_holds(b""),
        "dripping": drips(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        "broken": resets(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"),
        "lying": completes(json.dumps({**ROUTE, "store": "attic"})),
        "chatting": completes("I would file this under bees."),
        "half": completes(json.dumps(ROUTE)[:60]),
        "html": says(200, "<html>Welcome to the hotel network</html>"),
        "failing": says(500, "{}"),
        "refusing": says(401, '{"error": {"message": "no"}}'),
    }.items(),
    ids=lambda pair: pair[0],
)
def test_a_bad_server_gives_a_clear_error_and_changes_nothing(
    home: Home, server: Server, behaviour: tuple[str, object]
) -> None:
    server.does(behaviour[1])  # type: ignore[arg-type]
    memory = with_server(home, server.url)
    before = files(home.root)

    with pytest.raises(MindUnavailableError) as caught:
        memory.remember(SAID)

    assert caught.value.hint
    assert files(home.root) == before
    assert memory.spent().tokens > 0


def test_a_dead_server_gives_a_clear_error_and_costs_nothing(home: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        memory = with_server(home, url)
        before = files(home.root)

        with pytest.raises(MindUnavailableError, match=r"refused|reach"):
            memory.remember(SAID)

    assert files(home.root) == before
    assert memory.spent().tokens == 0


def test_a_good_server_is_paid_for(home: Home, server: Server) -> None:
    server.does(completes(json.dumps(ROUTE)))
    memory = with_server(home, server.url)

    assert memory.remember(SAID).ids == ("entity:person--nora",)
    (total,) = memory.spent().sums
    assert (total.operation, total.calls) == ("route", 1)
    assert total.tokens > 0


def test_a_limit_is_hard(home: Home, server: Server) -> None:
    server.does(completes(json.dumps(ROUTE)))
    memory = with_server(home, server.url, REVERIE_MIND_DAILY_TOKENS="1000")
    before = files(home.root)

    with pytest.raises(OutOfTokensError, match=r"mind\.daily_tokens"):
        memory.remember(SAID)

    assert (server.heard, files(home.root)) == ([], before)


def test_a_secret_never_reaches_a_server(home: Home, server: Server) -> None:
    server.does(completes(json.dumps(ROUTE)))
    memory = with_server(home, server.url)
    key = "ghp_" + "Zx81kQpLm4" * 3 + "aB7c9D"

    with pytest.raises(Exception, match="holds a secret"):
        memory.remember(f"My token is {key}")

    assert server.heard == []


def test_a_changed_configuration_sends_nothing_away_before_it_is_seen(
    home: Home,
) -> None:
    text = home.text("reverie.toml")
    text = text.replace('kind = "rules"', 'kind = "api"')
    text = text.replace(
        'url = "http://localhost:11434/v1"', 'url = "https://192.0.2.1/v1"'
    )
    home.type("reverie.toml", text.replace('model = ""', 'model = "tiny"'))
    memory = home.reopen(REVERIE_MIND_TIMEOUT_SECONDS="0.2", REVERIE_MIND_RETRIES="0")

    (warning,) = memory.warnings
    assert 'mind.url = "https://192.0.2.1/v1"' in warning
    assert "reverie alerts --ack reverie.toml" in warning
    assert memory.remember(SAID).ids  # by rules
    memory.acknowledge("reverie.toml")
    assert memory.warnings == ()
    with pytest.raises(MindUnavailableError):
        memory.remember(SAID)
