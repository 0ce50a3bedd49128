"""What somebody means who is asked what to forget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.interfaces.cli.forget import picked
from reverie.model.ids import Store
from reverie.model.views import Match

MATCHES = tuple(
    Match(f"vault:{n}", Store.VAULT, "…", "x.md", 1, protected="yes" * (n == 1))
    for n in range(3)
)
FREE = MATCHES[::2]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("2", [1]),
        ("1, 3", [0, 2]),
        ("2-3 2", [1, 2]),
        ("yes", None),
        ("no", []),
        ("", []),
        ("3-2", None),
        ("4", None),
        ("0", None),
        ("1 please", None),
        ("²", None),
    ],
)
def test_numbers_are_those_that_were_shown(typed: str, meant: list[int] | None) -> None:
    chosen = picked(typed, MATCHES, FREE)

    assert chosen == (None if meant is None else tuple(MATCHES[n] for n in meant))


def test_all_of_it_for_good_has_the_protected_ones_too() -> None:
    assert picked("all", MATCHES, MATCHES) == MATCHES


@given(st.text() | st.text("0123456789-, al"))
def test_whatever_is_typed_nothing_is_picked_twice(typed: str) -> None:
    chosen = picked(typed, MATCHES, FREE)

    assert chosen is None or len(chosen) == len(set(chosen))
