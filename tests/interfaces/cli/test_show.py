"""`show` and `alerts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk


def test_the_overview_shows_budgets_counts_and_changes(desk: Desk) -> None:
    desk.done("remember", "Hello.")

    told = desk.done("show").out

    assert told.startswith(f"Workspace {desk.root}\n")
    assert "of 500 tokens" in told
    assert "  all of it  " in told
    assert "  episodic         1\n" in told
    assert "2 changes in history" in told
    assert "alert" not in told


def test_the_overview_is_a_value_for_a_program(desk: Desk) -> None:
    told = desk.json("show")

    assert told["root"] == str(desk.root)
    assert told["core_cap"] == 3000
    assert [use["block"] for use in told["core"]] == [
        "identity",
        "context",
        "persona",
        "critical",
    ]


def test_a_store_lists_its_memories(desk: Desk) -> None:
    desk.done("remember", "Hello.")
    desk.done("remember", "Kept.", "--store", "vault", "--actor", "manual")

    assert desk.done("show", "episodic").out == (
        "id                        standing     what it says\n"
        "episode:2026-02-02:14:31  active 0.80  Hello.\n"
    )
    assert "vault:kept  pinned" in desk.done("show", "VAULT").out
    assert desk.done("show", "semantic").out == "There are no memories in it.\n"


def test_a_memory_is_shown_with_where_it_comes_from(desk: Desk) -> None:
    desk.left_alone("remember", "Hello,\nworld.")

    told = desk.done("show", "episode:2026-02-02:14:31").out

    assert told.startswith("episode:2026-02-02:14:31\n\n  Hello,\n  world.\n\n")
    assert "standing     active 0.56" in told
    assert "stands in    memory/episodes/2026-02-02.md:3" in told
    assert "by bot:trigger-remember" in told


def test_a_file_shows_its_memories(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.done("remember", "Hello.")
    monkeypatch.chdir(desk.root / "memory")

    assert len(desk.json("show", "episodes/2026-02-02.md")) == 1
    assert len(desk.json("show", "memory/episodes/2026-02-02.md")) == 1
    assert desk.done("show", "reverie.toml").out == "There are no memories in it.\n"


@pytest.mark.parametrize(
    "what", ["nope", "nope.md", "vault:nope", "episode:x", "../agent", "/etc/passwd"]
)
def test_what_is_not_there_cannot_be_shown(desk: Desk, what: str) -> None:
    assert desk.type("show", what).code == 3


def test_a_memory_cannot_colour_the_screen(desk: Desk) -> None:
    desk.write("memory/vault/odd.md", "# Odd\n\n\x1b[31mred\n")

    assert "⟦U+001B⟧[31mred" in desk.done("show", "vault:odd").out


def test_a_critical_file_raises_an_alert_until_it_is_seen(desk: Desk) -> None:
    desk.write("SOUL.md", "Be kind.\n")

    assert "1 alert waits for you" in desk.done("show").out
    told = desk.done("alerts").out
    assert "critical       SOUL.md by manual 2026-02-02" in told
    assert "reverie alerts --ack" in told
    assert desk.json("alerts")[0]["kind"] == "critical"

    assert desk.done("alerts", "--ack", "SOUL.md").out.startswith("Acknowledged 1:\n")
    assert desk.done("alerts").out == "No alerts.\n"
    assert desk.json("alerts", "--all")[0]["acknowledged"] is True
    assert "--ack" not in desk.done("alerts", "--all").out


def test_all_alerts_are_acknowledged_at_once(desk: Desk) -> None:
    desk.write("SOUL.md", "Be kind.\n")
    desk.write("IDENTITY.md", "I am.\n")

    assert len(desk.json("alerts", "--ack")) == 2
    assert desk.done("alerts", "--ack").out == "No alerts were waiting.\n"


def test_a_program_has_not_seen_an_alert_for_its_human(desk: Desk) -> None:
    desk.write("SOUL.md", "Be kind.\n")
    desk.person = False

    assert desk.type("alerts", "--ack").code == 5
    assert len(desk.json("alerts")) == 1


def test_only_the_named_file_is_acknowledged(desk: Desk) -> None:
    desk.write("SOUL.md", "Be kind.\n")

    assert desk.json("alerts", "--ack", "IDENTITY.md") == []
    assert len(desk.json("alerts")) == 1


def test_at_a_terminal_what_is_acknowledged_is_shown_first_and_asked(
    desk: Desk,
) -> None:
    desk.write("SOUL.md", "# Soul\n\nBe kind.\n")
    words = ("-w", str(desk.root), "alerts", "--ack")

    code, screen = on_a_screen(words, "n\n")
    assert code == 5
    assert screen.index("+Be kind.") < screen.index("Did you mean all of this?")
    assert len(desk.json("alerts")) == 1
    code, screen = on_a_screen(words, "y\n")

    assert code == 0
    assert desk.json("alerts") == []


def test_the_graph_s_index_is_shown_as_it_is_now(desk: Desk) -> None:
    desk.done(
        *("remember", "Lives in Berlin.", "--about", "Alex", "--type", "person"),
        *("--link", "lives-in=place--berlin"),
    )

    typed = desk.done("show", "memory/graph/index.md")

    assert (
        "| person--alex | lives-in | place--berlin | high | 2026-02-02 |" in typed.out
    )


def test_a_fact_is_shown_explained_and_pinned_with_its_page(desk: Desk) -> None:
    desk.done("remember", "Lives in Berlin.", "--about", "Nora", "--type", "person")
    fact = "entity:person--nora#5072a6"

    assert desk.done("show", fact).out.startswith(f"{fact}\n\n  Lives in Berlin.\n")
    assert "person--nora.md:9\n" in desk.done("why", fact).out
    pinned = desk.done("pin", fact).out
    assert pinned.startswith("Pinned entity:person--nora  ")
    assert "A fact is as vivid as its page, so that is meant." in pinned
    assert desk.type("show", "person--nora#000000").code == 3
