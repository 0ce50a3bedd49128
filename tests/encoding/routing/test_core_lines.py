"""How core memory is told something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.encoding.routing.core_lines import LONGEST, core_line


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("My name is Alex.", "Name: Alex"),
        ("my name is Ana María O'Neill", "Name: Ana María O'Neill"),
        ("Please call me Bo!", "Name: Bo"),
        ("I work as a nurse.", "Role: nurse"),
        ("My job is teaching maths to adults", "Role: teaching maths to adults"),
        ("My timezone is Europe/Lisbon", "Timezone: Europe/Lisbon"),
        ("I'm allergic to nuts.", "I'm allergic to nuts."),
        ("My name is on the list, and so is yours.", None),
        ("Call me when you are done with the report please", None),
    ],
)
def test_what_the_template_asks_for_fills_its_line(said: str, line: str | None) -> None:
    assert core_line(said) == (line or said)


@given(st.text())
def test_it_is_one_short_line(text: str) -> None:
    line = core_line(text)

    assert "\n" not in line
    assert len(line) <= LONGEST + len("Timezone: ")
