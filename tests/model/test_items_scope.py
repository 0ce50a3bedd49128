"""Whom something is for: names are compared as they are meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.model.items import (
    Role,
    Turn,
    in_one_scope,
    is_for,
    person_named,
    same_person,
    scope_name,
    scope_of,
)


def turn(text: str, scope: str = "", field: str = "scope") -> Turn:
    return Turn("w", 1, Role.USER, text, more=((field, scope),) if scope else ())


@pytest.mark.parametrize(
    "name", ["Ann Lee", "ann lee", " Ann \t Lee ", "ANN\nLEE", "Ann\u00a0Lee"]
)
def test_neither_capitals_nor_blanks_make_another_person(name: str) -> None:
    assert same_person(name, "Ann Lee")
    assert is_for("Ann Lee", name)


def test_an_accent_may_be_typed_in_two_ways() -> None:
    assert same_person("Zoe\u0301", "Zo\u00e9")


@given(st.text())
def test_a_name_that_is_compared_stays_as_it_is(name: str) -> None:
    assert same_person(scope_name(name), name)
    assert scope_name(person_named(name)) == scope_name(name)


def test_what_is_for_one_person_is_for_nobody_else() -> None:
    assert not is_for("Ann", "Bea")
    assert is_for("", "Bea")
    assert is_for("Ann", "")


@pytest.mark.parametrize("field", ["scope", "Scope", "SCOPE"])
def test_a_scope_counts_however_its_field_is_written(field: str) -> None:
    assert scope_of(turn("Hi.", " Ann  Lee ", field)) == "Ann Lee"


SHARED, ANNS, BEAS = turn("For all."), turn("For Ann.", "Ann"), turn("For Bea.", "Bea")


@pytest.mark.parametrize(
    ("turns", "person", "seen", "whom"),
    [
        ([SHARED], "", [SHARED], ""),
        ([SHARED], "Ann", [SHARED], ""),
        ([ANNS, ANNS], "", [ANNS, ANNS], "Ann"),
        ([SHARED, ANNS], "", [SHARED], ""),
        ([SHARED, ANNS], "ann", [SHARED, ANNS], "ann"),
        ([SHARED, ANNS], "Bea", [SHARED], ""),
        ([ANNS, BEAS], "", [], ""),
        ([ANNS, BEAS], "Bea", [BEAS], "Bea"),
        ([ANNS], "Bea", [], ""),
        ([], "", [], ""),
    ],
)
def test_what_is_summed_up_together_is_for_the_same(
    turns: list[Turn], person: str, seen: list[Turn], whom: str
) -> None:
    assert in_one_scope(turns, person) == (seen, whom)
