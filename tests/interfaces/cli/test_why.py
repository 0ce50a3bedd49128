"""`why`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

ID = "episode:2026-02-02:14:31"


@pytest.fixture
def known(desk: Desk) -> Desk:
    """A workspace with one decision."""
    desk.done("remember", "Chose SQLite for the index.", "--trigger", "note this down")
    return desk


def test_it_says_where_a_memory_comes_from_and_how_vivid_it_is(known: Desk) -> None:
    told = known.done("why", ID).out

    assert told.startswith(f"{ID}\n  Chose SQLite for the index.\n\nWhy it is there\n")
    assert "changed by  manual\n" in told
    assert "trigger     note this down\n" in told
    assert "stands in   memory/episodes/2026-02-02.md:3\n" in told
    assert "\nWhy it is as vivid as it is\n  standing  active 0.80\n" in told
    assert re.search(r"\n  type +x 0\.80\n", told)
    assert "found" not in told


def test_it_says_why_a_question_finds_it(known: Desk) -> None:
    told = known.done("why", ID, "chose", "sqlite", "for", "the", "index").out

    assert "\nWhy it is found for: chose sqlite for the index\n  place 1, " in told
    assert "\n  because  has the words " in told


def test_it_says_why_a_question_does_not_find_it(known: Desk) -> None:
    told = known.done("why", ID, "feeding the cat").out

    assert "\nWhy it is not found for: feeding the cat\n" in told
    assert known.json("why", ID, "feeding the cat")["hidden"]


def test_an_archived_memory_says_that_it_is_hidden(known: Desk) -> None:
    known.wait(days=200)
    known.done("remember", "Chose SQLite for the index again.", "--store", "episodic")

    told = known.done("why", ID, "chose sqlite for the index").out

    assert "Why it is not found" in told
    assert "faded" in told


def test_a_memory_that_others_stand_for_names_the_other(known: Desk) -> None:
    known.wait(minutes=1)
    # By hand: the gate would know that it is known already.
    day = "memory/episodes/2026-02-02.md"
    said = "## 14:32 | fact | confidence:high | tags:[]\nchose sqlite for  the INDEX.\n"
    known.write(day, f"{(known.root / day).read_text(encoding='utf-8')}\n{said}")
    second = "episode:2026-02-02:14:32"
    known.done("show", second)
    hits = known.json("recall", "chose sqlite for the index")["hits"]
    folded = next(id_ for id_ in (ID, second) if id_ in hits[0]["same"])

    told = known.done("why", folded, "chose sqlite for the index").out

    assert f"It says the same as {hits[0]['id']}\n" in told


def test_a_program_gets_the_value(known: Desk) -> None:
    told = known.json("why", ID, "chose sqlite for the index")

    assert told["shown"]["id"] == ID
    assert told["change"]["trigger"] == "note this down"
    assert {part["name"] for part in told["fading"]} >= {"base", "time"}
    assert told["rank"] == 1
    assert told["hit"]["id"] == ID


def test_a_question_may_come_from_standard_input(known: Desk) -> None:
    typed = known.type("why", ID, "-", stdin="chose sqlite for the index\n")

    assert "Why it is found for: chose sqlite for the index\n" in typed.out


@pytest.mark.parametrize("id_", ["nope", "vault:nope", "episode:x", ""])
def test_what_is_not_there_cannot_be_explained(known: Desk, id_: str) -> None:
    typed = known.type("why", id_)

    assert (typed.code, typed.out) == (3, "")
    assert "error: " in typed.err


def test_a_long_memory_is_cut(known: Desk) -> None:
    known.wait(minutes=1)
    known.done("remember", "word " * 500)

    told = known.done("why", "episode:2026-02-02:14:32").out

    assert "word…\n" in told
    assert len(told) < 1500
