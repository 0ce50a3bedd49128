"""Possible conflicts: statements that differ in a value or in a relation's target."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.memory.home import Home

from reverie import Episodic, Semantic
from reverie.index.value_keys import value_keys
from reverie.model.change import MANUAL
from reverie.stores.dismissed_conflicts import add_dismissed, parse_dismissed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.route import Place

PAIRS = Path(__file__).parents[1] / "data" / "conflict-pairs.tsv"
APOLLO = Semantic("project--apollo")
MAY, JUNE = "The launch of Apollo is on 4 May.", "The launch of Apollo is on 9 June."


PART_OF_STYRIA = Semantic("place--graz", links=(("Part of", "place--styria"),))
VIENNA, GRAZ = "Mira lives in Vienna.", "Mira moved to Graz."


def mira(label: str, *targets: str, since: date | None = None) -> Semantic:
    """Return a place on Mira's page, with relations."""
    links = tuple((label, target) for target in targets)
    return Semantic("person--mira", links=links, since=since)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Home]:
    """A workspace without facts."""
    home = Home(tmp_path / "agent")
    yield home
    home.memory.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A workspace with two facts about Apollo that cannot both hold."""
    home = Home(tmp_path / "agent")
    home.memory.remember(MAY, APOLLO)
    home.memory.remember(JUNE, APOLLO)
    yield home
    home.memory.close()


def sides(home: Home) -> list[set[str]]:
    return [{side.text for side in each.sides} for each in home.memory.contradictions()]


def disputed(home: Home) -> set[str]:
    hits = home.memory.recall("When is the launch of Apollo?").hits
    return {hit.text for hit in hits if hit.disputed}


def test_labelled_pairs_are_told_apart_with_few_false_alarms() -> None:
    rows = [line.split("\t") for line in PAIRS.read_text("utf-8").splitlines()]
    found = {
        (one, other): not value_keys("", one).isdisjoint(value_keys("", other))
        for _, one, other in rows
    }
    hits = [label == "1" for label, one, other in rows if found[one, other]]
    true = sum(label == "1" for label, _, _ in rows)

    assert len(rows) >= 200
    assert abs(len(rows) - 2 * true) <= 10
    assert sum(hits) / len(hits) >= 0.9
    assert sum(hits) / true >= 0.5


def test_facts_that_differ_in_one_value_are_listed_and_marked(home: Home) -> None:
    home.memory.remember("Apollo is written in Rust.", APOLLO)

    (conflict,) = home.memory.contradictions()

    assert conflict.possible
    assert conflict.page == "entity:project--apollo"
    assert sides(home) == [{MAY, JUNE}]
    assert disputed(home) == {MAY, JUNE}
    assert "(disputed) The launch" in home.memory.context("When is Apollo's launch?")


def test_resolving_a_possible_conflict_ends_one_side(home: Home) -> None:
    (conflict,) = home.memory.contradictions()
    kept = next(side.id for side in conflict.sides if side.text == JUNE)

    done = home.memory.settle(kept, keep=kept)

    assert [each.text for each in done.superseded] == [MAY]
    assert sides(home) == []
    assert disputed(home) == set()


def test_dismissing_a_possible_conflict_lasts_and_can_be_undone(home: Home) -> None:
    done = home.memory.settle("1", both=True, actor=MANUAL)

    assert done.superseded == ()
    assert sides(home) == []
    home.memory.rebuild()
    assert disputed(home) == set()
    home.memory.undo(done.commit, actor=MANUAL)
    assert sides(home) == [{MAY, JUNE}]


def test_a_third_value_asks_again_after_a_dismissal(home: Home) -> None:
    home.memory.settle("1", both=True)

    home.memory.remember(MAY.replace("4", "5"), APOLLO)

    assert [len(each) for each in sides(home)] == [3]


def test_a_series_of_values_is_a_list_and_no_conflict(home: Home) -> None:
    for day in (11, 12):
        home.memory.remember(f"The launch of Apollo is on {day} June.", APOLLO)

    assert sides(home) == []


def test_a_fact_that_is_replaced_is_in_no_conflict(home: Home) -> None:
    (conflict,) = home.memory.contradictions()
    (old,) = (side.id for side in conflict.sides if side.text == MAY)

    home.memory.forget(home.memory.find_to_forget(old).matches[:1])

    assert sides(home) == []


def test_other_pages_and_things_that_happened_are_in_no_conflict(home: Home) -> None:
    home.memory.settle("1", both=True)
    home.memory.remember(MAY.replace("4", "5"), Semantic("project--gemini"))
    for day in (3, 10):
        home.memory.remember(f"Met Bo for lunch on {day} March.", Episodic())

    assert sides(home) == []


def test_statements_about_nothing_known_are_compared_without_a_model(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path / "agent")
    home.memory.remember("Kestrel is due on December 15.")
    home.clock.forward(days=1)
    home.memory.remember("Kestrel is due on January 20.")

    (conflict,) = home.memory.contradictions()
    done = home.memory.settle("1", keep=conflict.sides[1].id)

    assert [each.text for each in done.superseded] == ["Kestrel is due on December 15."]
    assert home.memory.contradictions() == []
    home.memory.close()


def test_proposals_that_differ_in_one_value_are_marked(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    for name, day in (("researcher", 15), ("coder", 30)):
        with home.memory.acting_as(name) as agent:
            text = f"Project deadline is March {day}"
            agent.propose(text, entities=["project--apollo"])

    home.memory.review()

    first, second = home.memory.waiting()
    assert [clash.other for clash in first.clashes] == [2]
    assert [clash.other for clash in second.clashes] == [1]
    assert "## Proposal #1 ⚠️ CONFLICT with #2" in home.text(
        "memory/meta/pending-memories.md"
    )
    home.memory.close()


def test_the_file_of_dismissed_conflicts_reads_back_what_it_lists() -> None:
    text = add_dismissed("", ["b#2", "a#1", "c#3"])

    assert parse_dismissed(text) == {
        frozenset(pair) for pair in (("a#1", "b#2"), ("a#1", "c#3"), ("b#2", "c#3"))
    }
    assert add_dismissed(text, ["a#1", "b#2"]) == text


def test_different_targets_of_a_single_valued_relation_are_listed_and_marked(
    empty: Home,
) -> None:
    empty.memory.remember(VIENNA, mira("Lives in", "place--vienna"))
    empty.memory.remember(GRAZ, mira("Resides in", "place--graz"))

    (conflict,) = empty.memory.contradictions()

    assert (conflict.possible, conflict.page) == (True, "entity:person--mira")
    assert sides(empty) == [{VIENNA, GRAZ}]
    hits = empty.memory.recall("Where does Mira live?").hits
    assert {hit.text for hit in hits if hit.disputed} == {VIENNA, GRAZ}


def test_the_conflict_of_a_relation_ends_when_one_fact_is_corrected(
    empty: Home,
) -> None:
    empty.memory.remember(VIENNA, mira("Lives in", "place--vienna"))
    empty.memory.remember(GRAZ, mira("Lives in", "place--graz"))
    (conflict,) = empty.memory.contradictions()
    old = next(side.id for side in conflict.sides if side.text == VIENNA)

    empty.memory.correct(old, "Mira lives in Graz with Jo.")

    assert sides(empty) == []


def test_a_dismissed_conflict_of_a_relation_comes_back_with_undo(empty: Home) -> None:
    empty.memory.remember(VIENNA, mira("Lives in", "place--vienna"))
    empty.memory.remember(GRAZ, mira("Lives in", "place--graz"))

    done = empty.memory.settle("1", both=True, actor=MANUAL)

    empty.memory.rebuild()
    assert sides(empty) == []
    empty.memory.undo(done.commit, actor=MANUAL)
    assert sides(empty) == [{VIENNA, GRAZ}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (mira("Speaks", "language--danish"), mira("Speaks", "language--polish")),
        (mira("Lives in", "place--graz"), mira("Lives in", "place--graz")),
        (mira("Lives in", "place--graz"), mira("Born in", "place--vienna")),
        (mira("Works at", "organization--acme"), mira("Works at", "place--graz")),
        (
            mira("Lives in", "place--graz"),
            mira("Lives in", "place--vienna", since=date(2026, 9, 1)),
        ),
        (
            mira("Works at", "organization--acme", "organization--globex"),
            mira("Works at", "organization--globex"),
        ),
    ],
    ids=["multi-valued", "same target", "two relations", "types", "planned", "both"],
)
def test_relations_that_can_hold_together_are_no_conflict(
    empty: Home, one: Place, other: Place
) -> None:
    empty.memory.remember("Mira told us about herself.", one)
    empty.memory.remember("Mira wrote about this.", other)

    assert sides(empty) == []


def test_a_target_that_is_part_of_the_other_is_no_conflict(empty: Home) -> None:
    empty.memory.remember("Graz is in Styria.", PART_OF_STYRIA)
    empty.memory.remember("Mira lives in Graz.", mira("Lives in", "place--graz"))
    empty.memory.remember("Mira lives in Styria.", mira("Lives in", "place--styria"))

    assert sides(empty) == []


def test_the_workspace_says_which_relations_have_one_target(empty: Home) -> None:
    text = "# Relations\n\n## Single-valued\n- `sings`, `canta`\n"
    empty.type("memory/graph/relations.md", text)
    empty.memory.remember("Mira sings alto.", mira("Sings", "concept--alto"))
    empty.memory.remember("Mira canta soprano.", mira("Canta", "concept--soprano"))
    empty.memory.remember(VIENNA, mira("Lives in", "place--vienna"))
    empty.memory.remember(GRAZ, mira("Lives in", "place--graz"))

    assert sides(empty) == [{"Mira sings alto.", "Mira canta soprano."}]


@pytest.mark.parametrize(
    ("one", "other", "conflicts"),
    [
        ("The retreat was on June 14, 2024.", "The retreat was on June 13, 2025.", 0),
        ("Le chien a vu un vétérinaire le 15 mars.", "", 0),
        ("The passport expires on 12 June 2027.", "", 1),
        ("La réunion commence à 9h30.", "La réunion commence à 10h00.", 1),
        ("会议室可容纳12人。", "会议室可容纳16人。", 1),
        ("The team closed ticket #118.", "The team closed ticket #181.", 0),
        (
            "The fee of the club is 1,500 euros.",
            "The fee of the club is 1500 euros.",
            0,
        ),
        (
            "The fee of the club is 1,500 euros.",
            "The fee of the club is 1,700 euros.",
            1,
        ),
        ("Das Geschäft schließt um 21 Uhr.", "Das Geschäft schließt um 21:00 Uhr.", 0),
        ("The lease ends on 12 May 2027.", "The lease ends on 2027-05-12.", 0),
        ("The lease ends on 12 May 2027.", "The lease ends on 12 May.", 0),
        ("She walked across Iceland in 2019.", "She walked across Iceland in 2023.", 0),
        ("店は9時に開く。", "店は10時に開く。", 1),
    ],
)
def test_two_values_are_told_apart_from_two_events_and_two_spellings(
    empty: Home, one: str, other: str, conflicts: int
) -> None:
    other = other or one.replace("mars", "septembre").replace("2027", "2029")
    empty.memory.remember(one, APOLLO)
    empty.memory.remember(other, APOLLO)

    assert len(sides(empty)) == conflicts


def test_two_reports_of_what_just_happened_are_no_conflict(empty: Home) -> None:
    for day in (30, 16):
        empty.memory.remember(f"The cleaner came on January {day}.", APOLLO)

    assert sides(empty) == []


def test_measurements_of_two_days_are_no_conflict(empty: Home) -> None:
    for day, steps in ((12, 8_200), (13, 11_400)):
        place = Semantic("person--mira", on=date(2026, 1, day))
        empty.memory.remember(f"Mira walked about {steps} steps.", place)

    assert sides(empty) == []


def test_facts_of_one_turn_are_a_list_and_no_conflict(empty: Home) -> None:
    place = replace(APOLLO, basis="turn:chat/1/user/0")
    empty.memory.remember(MAY, place)
    empty.memory.remember(JUNE, place)

    assert sides(empty) == []


def test_a_proposal_that_differs_from_a_fact_in_one_value_is_marked(
    empty: Home,
) -> None:
    empty.memory.remember("Project deadline is March 15", APOLLO)
    with empty.memory.acting_as("coder") as agent:
        text = "Project deadline is March 30"
        agent.propose(text, entities=["project--apollo"])

    empty.memory.review()

    (waiting,) = empty.memory.waiting()
    assert [each.said for each in waiting.clashes] == ["Project deadline is March 15"]
    page = empty.text("memory/meta/pending-memories.md")
    assert "## Proposal #1 ⚠️ CONFLICT with project--apollo#" in page


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The rent is 900 euros.", "The rent is 950 euros now."),
        ("Die Miete beträgt 900 Euro.", "Die Miete beträgt jetzt 950 Euro."),
        ("El alquiler es de 900 euros.", "Ahora el alquiler es de 950 euros."),
        ("Le loyer est de 900 euros.", "Le loyer est maintenant de 950 euros."),
        ("会议室是3号。", "会议室现在是5号。"),
    ],
)
def test_a_word_for_the_present_hides_no_possible_conflict(
    empty: Home, older: str, newer: str
) -> None:
    for text in (older, newer):
        empty.memory.remember(text, Semantic("place--flat"))

    assert sides(empty) == [{older, newer}]
