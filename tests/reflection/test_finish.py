"""FINISH: a reflection closes plans and tasks that are done."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, DAY
from tests.reflection.dreams import PAGE, Dream, Proposal, archive

from reverie import Episodic, Procedural, Semantic
from reverie.stores.entities import fact_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.memory.home import Home

TASK = "Has to renew the passport"
QUESTION = "Which hotel in [[place--rome]]?"


@pytest.fixture
def home(home: Home) -> Home:
    home.memory.remember(TASK, Semantic("Alex", "person"))
    home.memory.remember("Likes Rome", Semantic("Rome", "place"))
    page = home.text(ALEX).rstrip() + f"\n\n## Open Questions\n- {QUESTION}\n"
    home.type(ALEX, page)
    return home


def finish(target: str, content: str) -> Mapping[str, str]:
    return {
        "operation": "FINISH",
        "target": target,
        "content": content,
        "reason": "said so",
    }


def kinds(waiting: Proposal) -> list[str]:
    pending, _ = waiting.memory.reflection.pending()
    return [str(one.kind) for one in pending.operations]


@pytest.mark.parametrize("target", [ALEX, fact_id("person--alex", TASK)])
def test_a_finished_task_ends_on_its_day(home: Home, target: str) -> None:
    waiting = Proposal(home, Dream([finish(target, f"{TASK} (on: 2026-02-02)")]))
    assert kinds(waiting)[0] == "FINISH"
    assert f"+- ~~{TASK}~~" in home.text(PAGE)

    waiting.decide("approve 1")

    (line,) = (line for line in home.text(ALEX).split("\n") if TASK in line)
    assert line.startswith(f"- ~~{TASK}~~")
    assert "until: 2026-02-02" in line
    found = waiting.memory.recall("renew the passport").hits
    assert all(TASK not in hit.text for hit in found)


def test_a_finished_question_becomes_an_event(home: Home) -> None:
    asked = "which hotel in  person--rome?".replace("person", "place")
    waiting = Proposal(
        home, Dream([finish("person--alex", f"{asked} (on: 2026-02-01)")])
    )

    waiting.decide("approve 1")

    page = home.text(ALEX)
    assert f"- {QUESTION}" not in page
    assert f"- 2026-02-01: Done: {QUESTION}" in page


def test_a_finished_plan_of_an_episode_is_marked_as_done(home: Home) -> None:
    (id_,) = home.memory.remember("Plans to paint the shed.", Episodic()).ids
    waiting = Proposal(home, Dream([finish(id_, "paint the shed (on: 2026-02-02)")]))

    waiting.decide("approve 1")

    assert " | done:2026-02-02\n" in home.text(DAY)
    assert "(done: 2026-02-02)" in waiting.memory.show(id_).text
    again = Proposal(home, Dream([finish(id_, "paint the shed")]))
    refused = again.memory.reflection.pending()[0].refused
    assert any("was done already, on 2026-02-02" in each.why for each in refused)


def test_what_is_finished_is_undone_with_the_approval(home: Home) -> None:
    before = home.text(ALEX)
    waiting = Proposal(home, Dream([finish(ALEX, TASK)]))
    waiting.decide("approve 1")

    waiting.memory.undo(session="r-001")

    assert home.text(ALEX) == before


@pytest.mark.parametrize(
    ("target", "content", "why"),
    [
        ("core:identity/name", "x", "only a fact, an open question or an episode"),
        ("SOUL.md", "x", "not the id of a memory"),
        ("memory/../SOUL.md", "x", "not the id of a memory"),
        (ALEX, "Has to buy a boat", "no current fact and no open question"),
        ("episode:2026-02-02:03:33", "x", "there is no memory"),
        ("episode:9999-99-99:99:99", "x", "there is no memory"),
        ("memory/graph/entities/person--nobody.md", "x", "there is no page"),
        (ALEX, "", "no content"),
    ],
)
def test_what_cannot_be_finished_is_refused_with_its_reason(
    home: Home, target: str, content: str, why: str
) -> None:
    waiting = Proposal(home, Dream([finish(target, content)]))

    assert "FINISH" not in kinds(waiting)
    refused = waiting.memory.reflection.pending()[0].refused
    assert any(why in each.why for each in refused)


def test_a_pinned_page_is_not_finished(home: Home) -> None:
    home.memory.pin("entity:person--alex")

    assert "FINISH" not in kinds(Proposal(home, Dream([finish(ALEX, TASK)])))


def test_a_procedure_is_archived_only_after_a_year_without_use(home: Home) -> None:
    home.memory.remember("fill the form", Procedural("tax return", "Every May."))
    home.clock.forward(days=200)
    id_ = "procedure:tax-return"

    early = Proposal(home, Dream([archive(id_)]))
    assert "ARCHIVE" not in kinds(early)
    early.decide("reject")

    home.clock.now += timedelta(days=250)
    assert "ARCHIVE" in kinds(Proposal(home, Dream([archive(id_)])))
