"""Memories that cannot both be true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.encoding.auditing.stores import audited, faults, found_in, places, write

if TYPE_CHECKING:
    from pathlib import Path


def test_two_homes_of_one_person_are_found(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a.md": "- Lou lives in Berlin\n", "b.md": "- Tea\n- Lou lives in Paris\n"},
    )

    (fault,) = faults(tmp_path, "contradictions")

    assert str(fault.spot) == "b.md:2"
    assert fault.why == "a.md:1 says otherwise: Lou lives in Berlin"
    assert [str(spot) for spot in fault.also] == ["a.md:1"]


@pytest.mark.parametrize(
    "text",
    [
        "## Lou\n- Lives in Berlin\n- Lives in Paris\n",
        "- Port: 8080\n- Port: 9090\n",
        "- Lou likes tea\n- Lou does not like tea\n",
        "- Likes tea\n- No longer likes tea\n",
    ],
)
def test_what_cannot_both_hold_is_found(tmp_path: Path, text: str) -> None:
    assert found_in(tmp_path, "contradictions", text)


@pytest.mark.parametrize(
    "text",
    [
        "- Lou lives in Berlin\n- Kim lives in Paris\n",
        "## Lou\n- Lives in Berlin\n\n## Kim\n- Lives in Paris\n",
        "- Lou\n  - Port: 8080\n- Kim\n  - Port: 9090\n",
        "Lou:\n- Port: 8080\n\nKim:\n- Port: 9090\n",
        "- Lou likes tea\n- Lou likes coffee\n",
        "- Lou lives in Berlin\n- Lou lives in Berlin, near the river\n",
        "- Lou used to live in Paris\n- Lou lives in Berlin\n",
    ],
)
def test_what_can_both_hold_is_not(tmp_path: Path, text: str) -> None:
    assert not found_in(tmp_path, "contradictions", text)


def test_a_short_line_in_two_notes_may_be_about_two_things(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "- Port: 8080\n", "b.md": "- Port: 9090\n"})

    assert places(tmp_path, "contradictions") == []


def test_what_changes_from_day_to_day_is_no_contradiction(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "memory/2026-05-28.md": "- The oven is broken\n",
            "memory/2026-05-29.md": "- The oven is working\n",
        },
    )

    assert places(tmp_path, "contradictions") == []


def test_facts_are_compared_on_the_page_of_an_entity(tmp_path: Path) -> None:
    page = "# x\n\n## Facts\n- Lives in {}\n"
    folder = "memory/graph/entities"
    over = "- ~~Lives in Rome~~ <!-- until: 2026-01-01 -->\n"
    write(
        tmp_path,
        {
            ".audit/HEAD": "x",
            f"{folder}/person--kim.md": page.format("Berlin") + over,
            f"{folder}/person--lou.md": page.format("Paris") + "- Lives in Berlin\n",
        },
    )

    assert places(tmp_path, "contradictions") == [f"{folder}/person--lou.md:5"]


def test_the_older_one_is_at_fault(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "- Lou lives in Berlin\n- Lou lives in Paris\n"})

    report = audited(tmp_path)
    (mark,) = [m for m in report.marks if m.judgement == "contradictions"]

    assert mark.memories == 1
    assert report.score == 0


def test_a_secret_that_is_contradicted_is_not_told(tmp_path: Path) -> None:
    words = ("Tr0ub4dor&3xyz", "C0rrect!Horse9")
    text = "".join(f"- The password of the till is {word}\n" for word in words)

    report = audited(write(tmp_path, {"a.md": text}))

    assert all(word not in repr(report) for word in words)
