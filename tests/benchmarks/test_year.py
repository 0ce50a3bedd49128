"""The made-up year: its data hold together, and its memories are told and found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.year import Year, lines, rank, report

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_every_question_is_asked_after_what_answers_it_was_told() -> None:
    life = {one["id"]: one for one in lines("life")}
    ended = {one["replaces"]: one["when"] for one in life.values() if "replaces" in one}
    questions = lines("questions")

    assert len(questions) == 120
    for question in questions:
        for gold in question["gold"]:
            assert life[gold]["when"] < question["asked"] <= ended.get(gold, "9999")


def test_what_is_told_in_any_way_is_found_as_what_it_is(tmp_path: Path) -> None:
    year = Year(str(tmp_path))
    when, about = "2025-09-02T10:00", {"about": "Gerhard", "type": "concept"}
    told = [
        {"how": "turn", "who": "user", "text": "The violin needs new strings."},
        {"how": "episode", "text": "Swam in the lake at dawn."},
        {"how": "fact", "text": "Lives in a green jar", **about},
        {"how": "fact", "text": "Lives in a blue bowl", "replaces": "2", **about},
        {"how": "procedure", "title": "Baking", "text": "1. Knead. 2. Let it rise."},
    ]
    for number, one in enumerate(told):
        year.tell({"id": str(number), "when": when, **one})

    for asked, expected in [
        ("violin strings", "0"),
        ("swam in the lake", "1"),
        ("Where does Gerhard live?", "3"),
        ("How do I do the baking?", "4"),
    ]:
        assert year.ask({"ask": asked, "asked": "2025-09-03T10:00"})[0] == expected
    year.memory.close()


def test_a_page_is_not_the_fact_that_stands_on_it() -> None:
    question = {"gold": ["m1", "m2"]}

    assert rank(question, ["entity:person--ann", "m9", "m2", "m1"]) == 3
    assert rank(question, ["m9"]) == 0


def test_shares_are_counted_over_all_and_by_group(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = {"lang": "de", "kind": "fact", "reworded": False}

    shares = report([(asked, 1), ({**asked, "lang": "en"}, 3), (asked, 0), (asked, 4)])

    assert shares == {1: 0.25, 3: 0.5}
    assert "de              3   0.333   0.333" in capsys.readouterr().out
