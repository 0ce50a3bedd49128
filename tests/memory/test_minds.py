"""Remembering with a mind: its answer is checked, its failure loses nothing."""

from __future__ import annotations

import json
import re
import socket
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import DAY, Home, agrees
from tests.memory.routes import route
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

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie import Remembered

SAID = "Nora keeps her bees behind the mill."
ROUTE = route(
    store="semantic",
    entities=[{"name": "Nora", "type": "person"}],
    relations=[{"from": "person--nora", "relation": "uses", "to": "tool--hive"}],
    tags=["bees", "hobby"],
    confidence="high",
    core_update=False,
    summary="Nora keeps bees.",
)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server()) as made:
        yield made


def with_server(home: Home, url: str, **more: str) -> Memory:
    settings = {
        "REVERIE_MIND_KIND": "api",
        "REVERIE_MIND_URL": url,
        "REVERIE_MIND_MODEL": "tiny",
        "REVERIE_MIND_RETRIES": "0",
        "REVERIE_MIND_TIMEOUT_SECONDS": "60",
    }
    return home.agreed(**{**settings, **more})


def scripted(home: Home, *answers: object) -> Memory:
    home.memory.close()
    mind = ScriptedMind([json.dumps(answer) for answer in answers])
    home.memory = Memory(
        home.root, clock=home.clock, environ={}, mind=mind, human=agrees
    )
    home.memory.tidy_on_close = False
    return home.memory


def files(root: Path) -> dict[str, bytes]:
    """Every file of the workspace that is truth."""
    found = (f for f in root.rglob("*") if f.is_file() and ".reverie" not in f.parts)
    return {str(f): f.read_bytes() for f in found}


def assert_kept(memory: Memory, kept: Remembered) -> None:
    """It stands among the episodes, word for word."""
    assert kept.unrouted
    (id_,) = kept.ids
    assert id_.startswith("episode:")
    assert SAID.rstrip(".") in memory.show(id_).text
    assert memory.recall("Nora's bees").hits


def test_what_was_kept_is_filed_when_the_mind_is_back(home: Home) -> None:
    kept = scripted(home).remember(SAID)
    later = {**ROUTE, "entities": [{"name": "Ada", "type": "person"}], "relations": []}

    scripted(home, later, ROUTE).remember("Ada likes figs.")

    page = home.text("memory/graph/entities/person--nora.md")
    assert f"- {SAID}" in page
    assert "by:" not in page
    assert home.memory.items(Store.EPISODIC) == []
    assert SAID not in home.text(DAY)
    assert kept.unrouted
    assert home.disagreements() == []


def test_what_was_kept_waits_for_a_human_where_it_would_steer(home: Home) -> None:
    scripted(home).remember(SAID)
    text = home.text(DAY)
    home.type(
        DAY, f"{text}\n## 12:01 | fact | confidence:low | tags:[unrouted]\nObey.\n"
    )
    core, before = {**ROUTE, "store": "core"}, home.text("MEMORY.md")

    memory = scripted(home, ROUTE, core, core)
    memory.check()

    memory.remember("Ada likes figs.")

    assert home.text("MEMORY.md") == before
    waiting = [each.content for each in home.memory.pending()]
    assert waiting == [SAID, "Obey."]
    assert "unrouted" not in home.text(DAY)


def test_a_few_are_filed_at_a_time_and_the_rest_by_tidying(home: Home) -> None:
    memory = scripted(home)
    for number in range(5):
        memory.remember(f"Hive number {number} stands by the mill.")
    empty = {**ROUTE, "store": "episodic", "entities": [], "relations": []}
    memory = scripted(home, *[empty] * 9)

    memory.remember("Ada likes figs.")
    assert home.text(DAY).count("unrouted") == 2
    memory.tidy()

    assert home.text(DAY).count("unrouted") == 0
    assert len(memory.items(Store.EPISODIC)) == 6
    assert home.disagreements() == []


def test_a_mind_that_stays_away_is_not_asked_at_every_word(home: Home) -> None:
    scripted(home).remember(SAID)
    memory = scripted(home, ROUTE)

    memory.remember("Ada likes figs.")

    assert home.text(DAY).count("unrouted") == 1


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
def test_after_two_bad_answers_it_is_kept_as_it_is(home: Home, bad: object) -> None:
    memory = scripted(home, bad, bad)

    kept = memory.remember(SAID)

    assert "no usable answer" in kept.unrouted
    assert_kept(memory, kept)


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
def test_a_bad_server_is_told_and_what_was_said_is_kept(
    home: Home, server: Server, behaviour: tuple[str, object]
) -> None:
    server.does(behaviour[1])  # type: ignore[arg-type]
    patience = "0.5" if behaviour[0] in {"slow", "dripping"} else "60"
    memory = with_server(home, server.url, REVERIE_MIND_TIMEOUT_SECONDS=patience)

    assert_kept(memory, memory.remember(SAID))
    if server.heard:  # on a busy machine it may not even have got that far
        assert memory.spent().tokens > 0


def test_a_dead_server_is_told_and_costs_nothing(home: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        memory = with_server(home, url)
        (kept,) = memory.hear(f"Remember that {SAID}").remembered

    assert re.search("refused|reach", kept.unrouted)
    assert_kept(memory, kept)
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

    kept = memory.remember(SAID)

    assert "mind.daily_tokens" in kept.unrouted
    assert_kept(memory, kept)
    assert server.heard == []


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
    assert memory.remember(SAID).unrouted
