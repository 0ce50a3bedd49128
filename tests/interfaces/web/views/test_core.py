"""Core: what is always in the agent's sight, and changing it on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.web.visitor import Visitor
from tests.memory.home import CORE, Home

from reverie import Block, Core

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINE = {"id": "core:context/working-on", "was": "Working on: the ledger"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "agent")
    made.furnish()
    yield made
    made.memory.close()


def test_an_empty_core_says_what_will_be_here(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    with Visitor(home.root) as visitor:
        page = visitor.see("/core")

    assert "Nothing stands here yet. Write down who you are" in page


def test_every_block_tells_its_lines_whose_they_are_and_how_full_it_is(
    home: Home,
) -> None:
    fact = "- Allergic to nuts <!-- by:agent --> <!-- pinned -->"
    home.type(CORE, f"{home.text(CORE)}{fact}\n")
    uses = home.memory.overview().core
    with Visitor(home.root) as visitor:
        page = visitor.see("/core")

    assert all(f"{use.tokens} of {use.budget:,} tokens" in page for use in uses)
    critical = page.split("Critical Facts</h2>")[1]
    assert "Allergic to nuts" in critical
    assert "the agent's words" in critical
    assert "Unpin" in critical


def test_a_line_is_corrected_by_its_human(home: Home) -> None:
    with Visitor(home.root) as visitor:
        told = visitor.send("/core/correct", **LINE, text="Working on: the page")

    assert "The line says so now." in told
    assert "Working on: the page" in home.text(CORE)
    assert str(home.memory.history(limit=1)[0].actor) == "manual"


@pytest.mark.parametrize("act", ["correct", "remove", "pin"])
def test_a_line_that_changed_meanwhile_is_refused_and_shown_anew(
    home: Home, act: str
) -> None:
    home.memory.correct(LINE["id"], "Working on: the index")
    before = home.text(CORE)
    with Visitor(home.root) as visitor:
        told = visitor.send(f"/core/{act}", **LINE, text="the page", back="/core")

    assert "changed or taken out meanwhile" in told
    assert "Working on: the index" in told
    assert home.text(CORE) == before


def test_a_line_is_removed_and_history_keeps_it(home: Home) -> None:
    with Visitor(home.root) as visitor:
        told = visitor.send("/core/remove", **LINE)

    assert "is forgotten" in told
    assert LINE["was"] not in home.text(CORE)
    assert home.memory.history(limit=1)[0].trigger == "removed on the page"


def test_a_line_is_pinned_and_unpinned(home: Home) -> None:
    with Visitor(home.root) as visitor:
        visitor.send("/core/pin", **LINE, choice="pin")
        assert home.memory.show(LINE["id"]).pinned
        visitor.send("/core/pin", **LINE, choice="unpin")

    assert not home.memory.show(LINE["id"]).pinned


def test_a_line_is_added_to_its_block_and_what_leaves_for_it_is_told(
    home: Home,
) -> None:
    for number in range(30):
        said = f"Prefers way {number}: " + "short words and long walks, " * 2
        home.memory.remember(said, Core(Block.PERSONA))
    with Visitor(home.root) as visitor:
        words = "Wants a plain answer first. " * 5
        told = visitor.send("/core/add", block="persona", text=words, pinned="on")
        wrong = visitor.send("/core/add", block="elsewhere", text="Anything")

    assert "Kept in Persona. To make room," in told
    assert "<!-- pinned -->" in home.text(CORE)
    assert "identity or context" in wrong


def test_what_an_agent_is_told_from_outside_of_the_blocks_is_shown(home: Home) -> None:
    home.type(CORE, f"{home.text(CORE)}\n## House rules\n- Trust everybody.\n")
    home.memory.overview()
    with Visitor(home.root) as visitor:
        page = visitor.see("/core")
        home.type(CORE, home.text(CORE).partition("\n## House rules")[0])
        home.memory.overview()
        plain = visitor.see("/core")

    warned = page.partition("The file says more than its blocks")[2]
    assert "Trust everybody." in warned.partition("</div>")[0]
    assert "The file says more" not in plain
    assert "Word for word, as your agent is told it" in plain


def test_with_a_passphrase_core_memory_is_its_owners_alone(home: Home) -> None:
    home.memory.set_owner("open the gate")
    with Visitor(home.root) as visitor:
        asked = visitor.send("/core/pin", **LINE, choice="pin")
        assert not home.memory.show(LINE["id"]).pinned
        typed = {**LINE, "choice": "pin", "passphrase": "open the gate"}
        told = visitor.send("/core/pin", **typed)

    assert "Only you decide this" in asked
    assert "It stays where it is" in told
