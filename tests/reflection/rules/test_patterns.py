"""What is done again and again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.reflection.rules.labels import (
    Told,
    diary_of,
    found_in,
    knowledge_of,
    of_kind,
    survey_of,
)

from reverie.model.reflection import Noticed, OperationKind
from reverie.reflection.rules import reflect_by_rules, tell


def told_on(*texts: str, origin: str = "agent") -> list[Told]:
    """Episodes on one day after the other."""
    return [Told(n, "09:00", text, origin) for n, text in enumerate(texts, start=2)]


TESTS = told_on(
    "Ran the tests before deploying the ledger.",
    "Ran the full tests before deploying.",
    "We ran the tests again before deploying the hotfix.",
)


def test_what_is_done_on_three_days_is_a_procedure() -> None:
    (one,) = of_kind(found_in(*TESTS), OperationKind.PATTERN)

    assert one.target == "memory/procedures/run-the-full-tests-before-deploying.md"
    assert one.content == (
        "Trigger: When deploying.\n- Run the full tests before deploying"
    )
    assert one.reason == "done on 2026-02-02, 2026-02-03, 2026-02-04"


def test_what_is_asked_for_on_three_days_is_a_procedure() -> None:
    told = told_on(
        "User asked to shorten the summary.",
        "User asked me to shorten the summary again.",
        "Asked to shorten the summary and to use bullets.",
    )
    (one,) = of_kind(found_in(*told), OperationKind.PATTERN)

    assert one.content == (
        "Trigger: When it is about the summary.\n- Shorten the summary"
    )
    assert one.reason.startswith("asked for on ")


def test_what_is_done_each_friday_says_so() -> None:
    told = [
        Told(day, "09:00", "Sent the weekly figures to Marten.", "agent")
        for day in (6, 13, 20)
    ]
    (one,) = of_kind(found_in(*told), OperationKind.PATTERN)

    assert one.content.startswith("Trigger: When it is Friday.\n")


def test_one_thing_after_the_other_is_a_step_each() -> None:
    told = told_on(*["Froze the branch, then tagged the release for Marten."] * 3)
    (one,) = of_kind(found_in(*told), OperationKind.PATTERN)

    assert one.content.splitlines()[1:] == [
        "- Freeze the branch",
        "- Tagged the release for Marten",
    ]


def test_twice_is_no_pattern_and_nor_is_one_day() -> None:
    one_day = [replace(one, day=2, clock=f"1{n}:00") for n, one in enumerate(TESTS)]

    assert of_kind(found_in(*TESTS[:2]), OperationKind.PATTERN) == []
    assert of_kind(found_in(*one_day), OperationKind.PATTERN) == []


@pytest.mark.parametrize("origin", ["tool", "import", "sub-agent", "system"])
def test_nobody_from_outside_teaches_a_procedure(origin: str) -> None:
    told = [replace(one, origin=origin) for one in TESTS]

    assert of_kind(found_in(*told), OperationKind.PATTERN) == []


@pytest.mark.parametrize(
    "text",
    [
        "Good morning!",
        "Greeted the user and wished them a good morning.",
        "Had lunch with Marten in the park.",
        "Walked the dog around the lake before breakfast.",
        "Went to the gym after work.",
        "Watered the plants.",
        "Marten sent the weekly figures to Nora.",
        "The build failed after deploying the ledger.",
    ],
)
def test_what_just_happens_often_is_no_procedure(text: str) -> None:
    assert of_kind(found_in(*told_on(*[text] * 4)), OperationKind.PATTERN) == []


def test_mending_three_different_things_is_no_procedure() -> None:
    told = told_on(
        "Fixed a bug in the Ledger importer where dates were wrong.",
        "Fixed a bug in the Ledger exporter where totals were missing.",
        "Fixed a bug in the Ledger search that was slow with long names.",
    )

    assert of_kind(found_in(*told), OperationKind.PATTERN) == []


def test_what_a_procedure_says_is_only_seen_again() -> None:
    diary = diary_of(*TESTS)
    text = (
        "# how-to-deploy.md\n\n## Trigger\nWhen deploying.\n\n"
        "## Steps\n- Run the tests\n2. Deploy\n"
    )
    known = Noticed(
        "procedure:how-to-deploy", "memory/procedures/how-to-deploy.md", text
    )
    survey = replace(survey_of(diary), procedures=(known,))
    found = reflect_by_rules(survey, knowledge_of(diary))

    assert of_kind(found, OperationKind.PATTERN) == []
    assert found.seen_again == ("how-to-deploy",)
    assert tell(found, survey).confirmed == "Seen again: how-to-deploy."
