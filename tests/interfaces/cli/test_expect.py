"""`expect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

ALEX = ("Where does Alex live?", "Berlin")
MANUAL = ("--actor", "manual")


@pytest.fixture
def berlin(desk: Desk) -> Desk:
    where = ("--store", "semantic", "--about", "Alex", *MANUAL)
    desk.done("remember", "Lives in Berlin", *where)
    return desk


def test_it_is_said_whether_the_answer_is_found_now(berlin: Desk) -> None:
    out = berlin.done("expect", *ALEX, *MANUAL).out

    assert out.startswith("Expected: Where does Alex live? Berlin")
    assert out.endswith("Recall finds it now, at rank 1.\n")
    assert berlin.done("expect", *ALEX).out.startswith("Expected already: ")


def test_what_is_not_found_is_kept_and_said(berlin: Desk) -> None:
    typed = berlin.left_alone("expect", "Where does Alex work?", "At the zoo")

    assert "Recall does not find it now." in typed.out
    (kept,) = berlin.json("expect")
    assert (kept["rank"], kept["source"]) == (0, "bot:main")
    assert kept["since"] == "2026-02-02"


def test_all_are_listed_with_their_rank(berlin: Desk) -> None:
    assert berlin.done("expect").out.startswith("No question is expected")
    assert berlin.json("expect") == []
    berlin.done("expect", *ALEX)
    berlin.done("expect", "Where does Alex work?", "At the zoo")

    out = berlin.done("expect").out

    assert out.startswith("2 questions to stay answerable, 1 not found now:\n")
    assert "   1  Where does Alex live?  Berlin\n" in out
    assert "none  Where does Alex work?  At the zoo\n" in out


def test_a_script_learns_from_the_exit_code_what_is_not_found(berlin: Desk) -> None:
    berlin.done("expect", *ALEX)
    assert berlin.type("expect", "--check").code == 0
    berlin.done("expect", "Where does Alex work?", "At the zoo")
    assert berlin.type("expect", "--check").code == 1


def test_only_a_person_replaces_and_removes(berlin: Desk) -> None:
    added = berlin.json("expect", *ALEX)
    assert (added["rank"], len(added["commit"])) == (1, 40)
    other = (ALEX[0], "Hamburg")

    assert berlin.left_alone("expect", *other).code == 5
    assert berlin.left_alone("expect", *other, "--replace").code == 5
    assert berlin.left_alone("expect", "--remove", ALEX[0]).code == 5
    berlin.done("expect", *other, "--replace", *MANUAL)
    assert [each["answer"] for each in berlin.json("expect")] == ["Hamburg"]
    assert berlin.done("expect", "--remove", ALEX[0], *MANUAL).out.startswith("Taken")
    assert berlin.json("expect") == []
    assert berlin.type("expect", "--remove", ALEX[0], *MANUAL).code == 3


@pytest.mark.parametrize(
    "words", [("Who?",), ("Who?", "me", "--remove", "Who?"), ("a", "b", "c")]
)
def test_half_a_wish_is_typed_wrongly(berlin: Desk, words: tuple[str, ...]) -> None:
    assert berlin.type("expect", *words).code == 2
