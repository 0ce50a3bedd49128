"""Ask: what is recalled and why, and what an agent would be told for a message."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from tests.interfaces.web.visitor import Visitor
from tests.memory.home import Clock, Home, state_folder

from reverie import Episodic, Origin, Semantic
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTEXT = re.compile(r'<pre class="context"[^>]*>(.*?)</pre>', re.DOTALL)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "agent", Clock(datetime.now(UTC)))
    made.furnish()
    yield made
    made.memory.close()


def test_an_empty_memory_says_what_can_be_asked_here(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    with Visitor(home.root) as visitor:
        page, asked = visitor.see("/ask"), visitor.see("/ask?q=Where+is+Alex")

    assert "what your agent finds when it looks for something" in page
    assert "Nothing is remembered yet" in asked


def test_a_hit_tells_its_words_its_score_and_why_it_was_found(home: Home) -> None:
    with Visitor(home.root) as visitor:
        page = visitor.see("/ask?q=Where+does+Alex+live")

    (hit, *_) = home.memory.recall("Where does Alex live").hits
    assert "Lives in Berlin" in page
    assert f'title="How well it fits, from 0 to 1">{hit.score:.2f}' in page
    assert all(reason in page for reason in hit.why)


def test_a_hit_is_named_by_what_it_is_about(home: Home) -> None:
    with Visitor(home.root) as visitor:
        page = visitor.see("/ask?q=Where+does+Alex+live")

    assert re.search(
        r'1\. <a href="/memory/entity%3Aperson--alex%23(\w+)#\1">Alex</a>', page
    )


def test_words_of_others_are_told_apart(home: Home) -> None:
    text = "Alex sold the house in Potsdam."
    home.memory.remember(text, Semantic("Alex", "person"), origin=Origin.TOOL)
    with Visitor(home.root) as visitor:
        page = visitor.see("/ask?q=house+in+Potsdam")

    assert text in page
    assert "words of tool" in page


def test_the_context_keeps_to_the_budget_that_was_dragged(home: Home) -> None:
    for number in range(40):
        text = f"Alex painted fence number {number} of the garden in Berlin green."
        home.memory.remember(text, Episodic())
    with Visitor(home.root) as visitor:
        pages = [visitor.see(f"/ask?q=garden+fence&budget={n}") for n in (150, 600)]
        sizes = [count_tokens(told[1]) for told in map(CONTEXT.search, pages) if told]

    assert 50 < sizes[0] <= 150 < sizes[1] <= 600
    assert 'max="4000" step="50" value="600"' in pages[1]


@pytest.mark.parametrize(
    ("said", "meant"), [("-5", 1000), ("9" * 5000, 1000), ("1", 100), ("9999", 4000)]
)
def test_a_budget_that_nobody_can_drag_to_is_put_right(
    home: Home, said: str, meant: int
) -> None:
    with Visitor(home.root) as visitor:
        page = visitor.see(f"/ask?q=Alex&budget={said}")

    assert f'step="50" value="{meant}"' in page


def test_looking_is_no_use_that_keeps_a_memory_vivid(home: Home) -> None:
    before = home.memory.show("entity:person--alex").accesses
    with Visitor(home.root) as visitor:
        visitor.see("/ask?q=Where+does+Alex+live&wake=on")

    assert home.memory.show("entity:person--alex").accesses == before
    assert home.memory.windows() == []


def test_what_was_forgotten_is_counted_and_shown_when_it_is_asked_for(
    home: Home,
) -> None:
    memory = home.memory
    memory.forget(memory.find_to_forget("hybrid approach").matches)
    with Visitor(home.root) as visitor:
        page = visitor.see("/ask?q=hybrid+approach")
        archived = visitor.see("/ask?q=hybrid+approach&archived=on")

    assert "1 archived memory also matches" in page
    assert "Chose the hybrid approach." not in page
    assert "Chose the hybrid approach." in archived


def test_what_an_agent_is_told_at_its_start_is_counted_part_by_part(
    home: Home,
) -> None:
    with Visitor(home.root) as visitor:
        page = visitor.see("/ask?wake=on")

    assert "What is known" in page
    assert "Working on: the ledger" in page
    assert "All of it" in page


def test_looking_shows_what_an_agent_is_told_and_leaves_no_trace(home: Home) -> None:
    messages = ("Where does Alex live?", "thanks, that is all", "hello")
    for message in messages:
        told = home.memory.window("another").attend(message).text
        with Visitor(home.root) as visitor:
            page = visitor.see(f"/ask?{urlencode({'q': message, 'wake': 'on'})}")
        shown = page.partition('aria-label="What would stand in its context">')[2]

        assert shown.partition("</pre>")[0] == told or (not told and not shown)
    noted = {path.name for path in (state_folder(home.root) / "windows").glob("*.json")}
    assert noted == {"another.json"}
