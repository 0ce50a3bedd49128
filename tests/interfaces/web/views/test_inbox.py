"""The inbox: what waits for its human, and deciding on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.web.visitor import Visitor
from tests.memory.home import Home
from tests.reflection.dreams import Proposal

from reverie import Semantic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "agent")
    made.furnish()
    yield made
    made.memory.close()


def test_an_empty_memory_says_what_it_is_and_how_to_begin(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    with Visitor(home.root) as visitor:
        page = visitor.see("/")

    assert "An empty memory" in page
    assert "connect claude-code" in page


def test_a_reflection_is_read_and_decided_on_in_parts(home: Home) -> None:
    waiting = Proposal(home)
    pending = waiting.memory.reflection.pending()[0]
    waiting.memory.close()
    with Visitor(home.root) as visitor:
        page = visitor.see("/")
        shown = page.split('name="shown" value="')[1].partition('"')[0]
        fields = {"shown": shown, "count": str(len(pending.operations))}
        first = pending.operations[0].content
        told = visitor.send(
            "/inbox/reflection",
            **fields,
            **{"take-1": "on", "was-1": first, "text-1": f"{first} and in Turin"},
        )

    assert pending.told.split("\n")[0][:40] in page
    assert "leave" in told
    assert "in Turin" in home.text(pending.operations[0].target)


def test_what_changed_meanwhile_is_refused_and_shown_anew(home: Home) -> None:
    waiting = Proposal(home)
    waiting.memory.close()
    with Visitor(home.root) as visitor:
        told = visitor.send(
            "/inbox/reflection", shown="0" * 12, count="1", **{"take-1": "on"}
        )

    assert "told problem" in told
    assert "waits for you" in told


def test_a_proposal_of_an_agent_is_accepted_as_it_was_shown(home: Home) -> None:
    memory = home.memory
    memory.remember("Mira lives in Graz.", Semantic("person--mira", "person"))
    with memory.acting_as("scout") as scout:
        scout.propose("Mira plays the viola.", entities=("person--mira",))
    with Visitor(home.root) as visitor:
        page = visitor.see("/")
        shown = page.split('name="shown" value="')[1].partition('"')[0]
        number = page.split('name="number" value="')[1].partition('"')[0]
        wrong = visitor.send(
            "/inbox/proposal", number=number, shown="x", choice="accept"
        )
        right = visitor.send(
            "/inbox/proposal", number=number, shown=shown, choice="accept"
        )

    assert "reads otherwise" in wrong
    assert "is a memory now" in right


def test_tokens_are_given_on_the_page(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_MIND_KIND", "host")
    with Visitor(home.root) as visitor:
        visitor.send("/inbox/begin")
        told = visitor.send("/inbox/reply", words="grant 5000")

    assert "5,000" in told
