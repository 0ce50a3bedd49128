"""What a model is shown of a workspace besides its episodes and pages."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tests.memory.home import NOON, SCORES
from tests.reflection.dreams import Dream, dreaming, proposed

from reverie import Episodic, Procedural, Semantic

if TYPE_CHECKING:
    from tests.memory.home import Home

SOON = NOON + timedelta(days=20)


def shown(home: Home, phase: str = "survey") -> str:
    """What a model is asked in one phase."""
    dream = Dream([])
    proposed(dreaming(home, dream))
    asked = (q.text for q in dream.asked if q.operation == f"reflect-{phase}")
    return next(asked)


def planned(text: str) -> str:
    return text.partition("What is planned")[2].partition("</data")[0]


def test_plans_are_shown_with_their_day_and_the_soonest_first(home: Home) -> None:
    memory = home.memory
    memory.remember("Flies to Rome", Semantic("Alex", "person", on=SOON.date()))
    memory.remember("The dentist at nine.", Episodic(at=NOON + timedelta(days=3)))
    memory.remember("Was in Paris", Semantic("Alex", "person", on=NOON.date()))

    for phase in ("survey", "consolidate", "rewrite"):
        found = planned(shown(home, phase))
        assert found.index("The dentist") < found.index("Flies to Rome")
        assert f"on {SOON.date()}" in found
        assert "Paris" not in found
        home.memory.reflection.decide("reject", home.memory.reflection.status().shown)


def test_a_fact_that_begins_on_a_later_day_is_a_plan(home: Home) -> None:
    begins = (NOON + timedelta(days=9)).date()
    home.memory.remember("Lives in Faro", Semantic("Alex", "person", since=begins))
    home.memory.remember("Lives in Lisbon", Semantic("Alex", "person"))

    found = planned(shown(home))

    assert "Lives in Faro" in found
    assert f"on {begins}" in found
    assert "Lisbon" not in found


def test_plans_for_one_person_alone_are_not_shown(home: Home) -> None:
    plan = Episodic(at=NOON + timedelta(days=3), scope="ana")
    home.memory.remember("A surprise party.", plan)

    assert "surprise" not in shown(home)


def test_a_procedure_is_not_offered_for_archiving_within_a_year(home: Home) -> None:
    home.memory.remember("file it by May", Procedural("how to do taxes"))
    home.memory.remember("Chose the hybrid approach.", Episodic(at=NOON))
    home.clock.forward(days=300)
    fading = shown(home).partition("What fades")[2].partition("</data")[0]

    assert "procedure:how-to-do-taxes" not in fading
    assert "hybrid" in fading
    assert (home.root / SCORES).exists()


def test_the_user_is_called_by_the_name_on_their_page(home: Home) -> None:
    me = [{"text": "I live in Porto.", "about": "person--user"}]
    home.memory.observe(me)
    page = home.root / "memory/graph/entities/person--user.md"
    text = page.read_text("utf-8")
    assert "not known" in shown(home)
    home.memory.reflection.decide("reject", home.memory.reflection.status().shown)

    page.write_text(text.replace("<!-- ", "<!-- Aliases: Marta, Marta Silva | ", 1))

    assert "is Marta." in shown(home)
