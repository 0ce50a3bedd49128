"""One fact, one list item."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies

from reverie.markdown import split_items
from reverie.model.items import Confidence, Fact
from reverie.stores.entities import (
    forget_fact,
    parse_entity,
    parse_fact,
    reference,
    render_entity,
    render_fact,
)


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


def test_a_fact_of_an_older_version_is_read_as_before_and_not_rewritten() -> None:
    old = "- Lives in Rome <!-- since: 2024-05-01 | source: user-explicit -->\n"
    [piece] = split_items(old)

    fact = parse_fact(piece)

    assert (fact.said, fact.on, fact.basis) == (None, None, "")
    assert fact.confidence is Confidence.HIGH
    assert render_fact(fact) == old


def test_what_differs_from_the_usual_stands_in_the_comment_and_nothing_else() -> None:
    usual = Fact("Moved", date(2026, 2, 2), said=date(2026, 2, 2))
    rare = replace(
        usual,
        said=date(2026, 2, 3),
        on=date(2026, 1, 30),
        basis="turn:trip/1/user/0",
        confidence=Confidence.MEDIUM,
    )

    assert render_fact(usual) == "- Moved <!-- since: 2026-02-02 -->\n"
    assert render_fact(rare) == (
        "- Moved <!-- since: 2026-02-02 | said: 2026-02-03 | on: 2026-01-30 "
        "| from: turn:trip/1/user/0 | confidence: medium -->\n"
    )


def test_a_value_that_cannot_be_read_is_told_and_kept_when_the_fact_ends() -> None:
    page = parse_entity(
        "# person--al\n\n## Facts\n"
        "- Tall <!-- on: soon | confidence: sure | mood: x -->\n",
        "memory/graph/entities/person--al.md",
    )

    ended = forget_fact(page, reference("Tall"), on=date(2026, 2, 2))

    assert [f.what for f in page.findings] == [
        "on is not a day: 'soon'",
        "unknown confidence 'sure'",
    ]
    assert "on: soon | confidence: sure | mood: x -->" in render_entity(ended)
