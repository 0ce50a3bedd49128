"""One fact, one list item."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies

from reverie.markdown import split_items
from reverie.model.items import Fact
from reverie.stores.entities import parse_fact, reference, render_fact


@given(strategies.facts)
def test_a_fact_survives_being_written_and_read_back(fact: Fact) -> None:
    [piece] = split_items(render_fact(fact))

    assert parse_fact(piece) == fact


@given(strategies.files)
def test_a_reference_does_not_hang_on_line_ends_or_edges(text: str) -> None:
    assert reference(f"\n {text}\r\n") == reference(text)


def test_a_reference_is_eight_hexadecimal_digits() -> None:
    assert reference("Lives in Rome") == "eea2d010"


def test_a_fact_struck_out_by_hand_no_longer_holds() -> None:
    [piece] = split_items("- ~~Lives in Rome~~\n")

    fact = parse_fact(piece)

    assert fact == Fact("Lives in Rome", withdrawn=True)
    assert not fact.current


def test_a_comment_of_a_persons_own_is_no_part_of_the_fact() -> None:
    [piece] = split_items("- Lives <!-- really? --> in Rome <!-- ask -->\n")

    assert parse_fact(piece) == Fact("Lives  in Rome")


@given(strategies.facts, st.sampled_from(["tool", "import", "sub-agent", "system"]))
def test_a_fact_of_somebody_else_stands_as_a_quotation(fact: Fact, by: str) -> None:
    theirs = replace(fact, by=by)

    (piece,) = split_items(render_fact(theirs))

    lines = piece.text.split("\n")
    assert all(line.startswith(">") for line in lines if line.strip())
    assert parse_fact(piece).text == parse_fact(split_items(render_fact(fact))[0]).text


def test_a_mark_that_somebody_left_out_or_an_owner_wrote_changes_nothing() -> None:
    (bare,) = split_items("- Likes tea <!-- by: tool -->\n")
    (own,) = split_items("- > Likes tea <!-- source: user-explicit -->\n")

    assert parse_fact(bare).text == "Likes tea"
    assert parse_fact(own).text == "> Likes tea"
