"""What pages ask is a list until somebody settles it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX

from reverie import Actor, NotFoundError, RefusedError, Semantic
from reverie.model.change import OnlyHumansError
from reverie.stores.entities import fact_id, parse_entity, reference

if TYPE_CHECKING:
    from tests.memory.home import Home

    from reverie.model.items import Fact

PERSON = Semantic("Alex", "person")
BERLIN = fact_id("person--alex", "Lives in Berlin")
LYON = fact_id("person--alex", "Lives in Lyon")
ACME = "memory/graph/entities/project--acme.md"


@pytest.fixture
def asked(home: Home) -> Home:
    """Two facts of which somebody said that they contradict each other."""
    links = (("lives-in", "place--berlin"),)
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person", links=links))
    home.memory.remember("Lives in Lyon", PERSON, contradicts=[BERLIN])
    return home


def facts(home: Home) -> tuple[Fact, Fact]:
    berlin, lyon = parse_entity(home.text(ALEX), ALEX).entity.facts
    return berlin, lyon


def test_keeping_one_ends_the_other_with_its_day_and_its_links(asked: Home) -> None:
    commits = asked.commits()

    done = asked.memory.settle(BERLIN, keep=LYON)

    berlin, lyon = facts(asked)
    today = asked.clock.now.date()
    assert (berlin.until, berlin.superseded_by) == (today, reference("Lives in Lyon"))
    assert lyon.current
    assert [near.id for near in done.superseded] == [BERLIN]
    assert asked.state()[2] == []
    assert asked.commits() == commits + 1
    assert "Which holds" not in asked.text(ALEX)
    assert asked.memory.contradictions() == []
    asked.memory.undo()
    assert len(asked.memory.contradictions()) == 1
    assert asked.disagreements() == []


def test_both_hold_and_nothing_asks_any_more(asked: Home) -> None:
    asked.memory.settle("person--alex", both=True)

    assert all(fact.current for fact in facts(asked))
    assert "Which holds" not in asked.text(ALEX)


def test_both_held_each_in_its_time(asked: Home) -> None:
    day = date(2025, 6, 1)

    asked.memory.settle("1", both=True, until={BERLIN: day})

    berlin, lyon = facts(asked)
    assert (berlin.until, berlin.superseded_by) == (day, "")
    assert lyon.current
    assert "Which holds" not in asked.text(ALEX)


def test_neither_strikes_both(asked: Home) -> None:
    (question,) = (each.question for each in asked.memory.contradictions())

    asked.memory.settle(question, neither=True)

    assert not any(fact.current for fact in facts(asked))
    assert "Which holds" not in asked.text(ALEX)


@pytest.mark.parametrize(
    "answer",
    [{}, {"keep": LYON, "both": True}, {"keep": LYON, "until": {BERLIN: date.min}}],
)
def test_an_answer_says_one_thing(asked: Home, answer: dict[str, object]) -> None:
    before = asked.text(ALEX)

    with pytest.raises(RefusedError, match="one answer is needed"):
        asked.memory.settle(BERLIN, **answer)  # type: ignore[arg-type]

    assert asked.text(ALEX) == before


@pytest.mark.parametrize("who", ["bot:auto-detect", "skill:web"])
def test_strangers_settle_nothing(asked: Home, who: str) -> None:
    with pytest.raises(OnlyHumansError):
        asked.memory.settle("1", neither=True, actor=Actor(who))

    assert all(fact.current for fact in facts(asked))


def test_what_is_not_asked_about_cannot_be_kept(asked: Home) -> None:
    with pytest.raises(RefusedError, match="none of what is asked about"):
        asked.memory.settle(BERLIN, keep="person--alex#000000")


def test_one_of_two_that_hold_may_end_on_a_later_day(asked: Home) -> None:
    done = asked.memory.settle(BERLIN, both=True, until={BERLIN: date(2026, 2, 4)})

    assert (done.superseded, asked.memory.contradictions()) == ((), [])
    assert asked.memory.show(BERLIN).text == "Lives in Berlin"
    asked.clock.forward(days=2)
    with pytest.raises(NotFoundError):
        asked.memory.show(BERLIN)


def test_a_question_that_nobody_asks_is_told_so(asked: Home) -> None:
    with pytest.raises(NotFoundError, match="no open contradictions fit"):
        asked.memory.settle("person--nora", both=True)


def test_a_side_that_is_forgotten_or_corrected_takes_the_question_with_it(
    asked: Home,
) -> None:
    asked.memory.forget(asked.memory.find_to_forget(LYON).matches)
    assert "Which holds" not in asked.text(ALEX)
    asked.memory.undo()
    assert asked.memory.contradictions()

    asked.memory.correct(LYON, "Lives in Nice")
    assert "Which holds" not in asked.text(ALEX)


def test_a_question_between_two_pages_ends_on_both(home: Home) -> None:
    home.memory.remember("Works for Acme", PERSON)
    works = fact_id("person--alex", "Works for Acme")
    place = Semantic("Acme", "project")
    home.memory.remember("Nobody works here", place, contradicts=[works])
    nobody = fact_id("project--acme", "Nobody works here")
    assert len(home.memory.contradictions()) == 1
    assert "Which holds" in home.text(ALEX)
    assert "Which holds" in home.text(ACME)

    home.memory.forget(home.memory.find_to_forget(nobody).matches)

    assert "Which holds" not in home.text(ALEX)
    assert "Which holds" not in home.text(ACME)
    home.memory.undo()
    home.memory.settle(works, keep=works)
    assert "Which holds" not in home.text(ALEX) + home.text(ACME)
    assert home.memory.check() == []


def test_a_side_that_a_hand_took_out_is_no_longer_listed(asked: Home) -> None:
    asked.type(ALEX, asked.text(ALEX).replace("Lives in Lyon", "~~Lives in Lyon~~"))

    assert asked.memory.contradictions() == []
    assert asked.memory.health().waits.contradictions == 0


def test_an_episode_that_does_not_hold_is_struck_out(home: Home) -> None:
    home.memory.remember("Lives in Berlin", PERSON)
    (episode,) = home.memory.remember("It was Lyon.", contradicts=[BERLIN]).ids

    home.memory.settle(BERLIN, keep=BERLIN)

    assert "~~It was Lyon.~~" in home.text("memory/episodes/2026-02-02.md")
    assert home.memory.show(episode).status == "archived"
    assert home.memory.contradictions() == []


def test_the_block_says_that_a_contradiction_is_open(asked: Home) -> None:
    question = "Where does Alex live?"
    assert "(disputed) " in asked.memory.context(question)

    asked.memory.settle(BERLIN, keep=LYON)

    assert "(disputed)" not in asked.memory.context(question)
