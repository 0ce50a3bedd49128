"""An item of core memory is shown as outdated while something newer is known."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.mcp.connected import call
from tests.interfaces.web.visitor import Visitor
from tests.memory.test_quoted_core import HERE, Clock, type_in

from reverie import Block, Core, Memory, Origin, Semantic, Store
from reverie.model.change import MANUAL, REMEMBER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.memory.home import Home

RULE = "Answers are tables."
DOSE = "The dose is 50 mg since March."
NEW_DOSE = "The dose is 75 mg since May."


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    root = tmp_path / "agent"
    with Memory.init(root, human=lambda _: True, environ={}, clock=clock) as memory:
        memory.tidy_on_close = False
        memory.remember(RULE, Core(Block.PERSONA), actor=MANUAL)
        memory.remember(DOSE, Core(Block.CRITICAL), actor=MANUAL)
        yield memory


@pytest.fixture
def agent(memory: Memory, clock: Clock) -> Iterator[Memory]:
    with Memory(memory.root, environ={}, clock=clock) as agent:
        agent.tidy_on_close = False
        yield agent


def ids(memory: Memory) -> dict[str, str]:
    return {item.text: item.id for item in memory.items(Store.CORE)}


def say(agent: Memory, text: str, place: Semantic) -> str:
    """Store a fact that an agent says, and return its ID."""
    return agent.remember(text, place, actor=REMEMBER, origin=Origin.AGENT).fact


def test_a_pending_correction_is_shown_next_to_the_old_item_everywhere(
    agent: Memory,
) -> None:
    item = ids(agent)[RULE]
    assert "OUTDATED" not in agent.wake(HERE).text

    agent.correct(item, "Answers are lists.", actor=REMEMBER, origin=Origin.AGENT)

    with Visitor(agent.root) as visitor:
        pages = [visitor.see(f"/{where}") for where in ("core", "ask?q=answers+tables")]
    start = agent.wake("another").text
    for text in (
        start,
        agent.attend(HERE, "Shall I see answers as tables?").text,
        agent.context("How are answers written, as tables?"),
        call(agent.root, "show", what="core")["text"],
        *pages,
    ):
        assert RULE in text
        assert "Answers are lists." in text
        assert "utdated" in text.casefold()
        assert "proposal #1 by the agent, not approved yet" in text
    assert DOSE in start
    assert start.count("OUTDATED") == 1


def test_a_newer_fact_of_the_same_words_but_numbers_and_dates_is_shown(
    agent: Memory,
) -> None:
    say(agent, NEW_DOSE, Semantic("concept--medicine"))

    found = agent.outdated()

    assert [newer.text for newer in found.values()] == [NEW_DOSE]
    assert [*found] == [ids(agent)[DOSE]]
    assert "concept--medicine#" in agent.wake(HERE).text


def test_a_newer_fact_that_also_says_now_makes_an_item_outdated(agent: Memory) -> None:
    newer = "The dose is now 75 mg since May."
    say(agent, newer, Semantic("concept--medicine"))

    assert [each.text for each in agent.outdated().values()] == [newer]


def test_an_older_fact_makes_nothing_outdated(memory: Memory, agent: Memory) -> None:
    say(agent, NEW_DOSE, Semantic("concept--medicine"))

    memory.correct(ids(memory)[DOSE], "The dose is 60 mg since July.", actor=MANUAL)

    assert agent.outdated() == {}


def test_a_superseded_fact_of_the_same_words_makes_an_item_outdated(
    agent: Memory,
) -> None:
    fact = say(agent, RULE, Semantic("concept--style"))
    agent.correct(fact, "Answers are prose.", actor=REMEMBER, origin=Origin.AGENT)

    [newer] = agent.outdated().values()

    assert newer.text == "Answers are prose."


def test_a_fact_with_a_relation_of_the_same_kind_makes_nothing_outdated(
    agent: Memory,
) -> None:
    style = Semantic("concept--style", links=(("uses", "concept--tables"),))
    say(agent, RULE, style)
    links = (("uses", "concept--tables"), ("uses", "concept--colours"))
    later = Semantic("concept--style", links=links)
    old = say(agent, "Reports have blue tables.", later)
    agent.correct(
        old, "Reports have red tables.", links=links, actor=REMEMBER, origin="agent"
    )

    assert agent.outdated() == {}


def test_a_fact_from_a_later_day_that_was_stored_before_a_line_marks_nothing(
    memory: Memory, agent: Memory
) -> None:
    place = Semantic("concept--medicine", since=date(2027, 1, 4))
    say(agent, "The dose is 75 mg since May.", place)

    memory.correct(ids(memory)[DOSE], "The dose is 60 mg since July.", actor=MANUAL)

    assert agent.outdated() == {}


def test_a_proposal_that_is_older_than_a_line_does_not_make_it_outdated(
    memory: Memory, agent: Memory
) -> None:
    item = ids(memory)[DOSE]
    agent.correct(item, NEW_DOSE, actor=REMEMBER, origin=Origin.AGENT)
    assert [*agent.outdated()] == [item]

    memory.correct(item, "The dose is 60 mg since July.", actor=MANUAL)

    assert [each.number for each in memory.pending()] == [1]
    assert agent.outdated() == {}


def test_other_facts_make_nothing_outdated(agent: Memory) -> None:
    say(agent, "Answers to mail are short.", Semantic("concept--style"))
    say(agent, "The dose of vitamins is 5 drops.", Semantic("concept--medicine"))
    say(agent, RULE, Semantic("concept--style", links=(("uses", "concept--tables"),)))

    assert agent.outdated() == {}


def test_the_words_of_the_user_stand_next_to_what_is_newer(agent: Memory) -> None:
    type_in(agent, "I take 75 mg now, the doctor said so.")
    agent.observe(
        [{"text": NEW_DOSE, "about": "concept--medicine", "turn": 1}],
        window=HERE,
    )

    assert (
        "The user said: “I take 75 mg now, the doctor said so.”"
        in agent.wake("another").text
    )


def test_an_item_is_no_longer_outdated_once_it_is_updated(
    memory: Memory, agent: Memory
) -> None:
    item = ids(agent)[RULE]
    agent.correct(item, "Answers are lists.", actor=REMEMBER, origin=Origin.AGENT)

    memory.accept(memory.proposal(1))

    assert agent.outdated() == {}


def test_an_agents_words_alone_do_not_call_a_critical_fact_outdated(
    home: Home,
) -> None:
    home.memory.remember("Allergic to penicillin.", Core(Block.CRITICAL))
    (item,) = (i for i in home.memory.items(Store.CORE) if "penicillin" in i.text)

    agent = Memory(home.root, clock=home.clock, environ={})
    agent.tidy_on_close = False
    agent.correct(item.id, "Not allergic to penicillin.")
    served = agent.wake("rome").text
    agent.close()

    assert "outdated" not in served.casefold()
    assert "CHANGE PENDING" in served
    assert "(#1, the user has not decided): “Not allergic to penicillin.”" in served
