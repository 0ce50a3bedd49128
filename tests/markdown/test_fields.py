"""Several values in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies

from reverie.markdown import (
    escape_field,
    parse_fields,
    parse_row,
    render_fields,
    render_row,
    split_comment,
    split_fields,
    unescape_field,
)


@given(st.lists(strategies.names, min_size=1))
def test_cells_read_as_they_were_written(cells: list[str]) -> None:
    assert parse_row(render_row(cells)) == tuple(cells)


@given(st.lists(strategies.names, min_size=1))
def test_values_between_commas_stay_apart(values: list[str]) -> None:
    text = ", ".join(escape_field(value, ",]") for value in values)

    assert [unescape_field(v) for v in split_fields(text, ",")] == values


@given(strategies.names)
def test_a_comment_reads_as_it_was_written(value: str) -> None:
    text = f"a <!-- {render_fields([('key', escape_field(value))])} -->"

    before, inside = split_comment(text)

    assert (before, parse_fields(inside or "")) == ("a", (("key", value),))


@pytest.mark.parametrize("text", ["a", "a -->", "<!-- a", "<!-->", "<!-- a --> b -->"])
def test_a_text_may_end_without_a_comment(text: str) -> None:
    assert split_comment(text) == (text, None)


@pytest.mark.parametrize("line", ["", "a | b", "| a", "text"])
def test_a_line_may_be_no_row(line: str) -> None:
    assert parse_row(line) == ()
