"""Several values in one line."""

from __future__ import annotations

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
    text = f"a <!-- {render_fields([('key', value)])} -->"

    before, inside = split_comment(text)

    assert (before, parse_fields(inside or "")) == ("a", (("key", value),))


def test_a_text_may_end_without_a_comment() -> None:
    for text in ["a", "a -->", "<!-- a", "<!-->", "<!-- a --> b -->"]:
        assert split_comment(text) == (text, None)


def test_a_line_may_be_no_row() -> None:
    for line in ["", "a | b", "| a", "text"]:
        assert parse_row(line) == ()
