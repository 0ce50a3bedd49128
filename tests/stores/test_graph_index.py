"""The generated index of the graph."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from tests import strategies

from reverie.model.items import Confidence, Edge
from reverie.stores.graph_index import GraphRow, parse_graph_index, render_graph_index

PATH = "memory/graph/index.md"
DAY = date(2026, 1, 15)

rows = st.builds(
    GraphRow,
    id=strategies.names,
    type=strategies.names,
    label=strategies.names,
    file=strategies.names,
    score=st.integers(0, 100).map(lambda percent: percent / 100),
    pinned=st.booleans(),
)
edges = st.builds(
    Edge,
    origin=strategies.names,
    relation=strategies.names,
    target=strategies.names,
    confidence=st.sampled_from(Confidence),
    first_seen=strategies.maybe_days,
    last_accessed=strategies.maybe_days,
)


@given(st.lists(rows, max_size=4), st.lists(edges, max_size=4))
def test_the_index_survives_being_written_and_read_back(
    some_rows: list[GraphRow], some_edges: list[Edge]
) -> None:
    index = parse_graph_index(render_graph_index(some_rows, some_edges), PATH)

    assert (list(index.rows), list(index.edges)) == (some_rows, some_edges)
    assert index.findings == ()


@given(strategies.files)
def test_any_text_can_be_read_as_an_index(text: str) -> None:
    parse_graph_index(text, PATH)


def test_the_index_is_written_as_in_the_seed() -> None:
    text = render_graph_index(
        [
            GraphRow(
                "person--alex",
                "person",
                "Alex | Al",
                "entities/person--alex.md",
                score=1,
                pinned=True,
            )
        ],
        [Edge("person--alex", "develops", "project--x", first_seen=DAY)],
    )

    assert text.partition("\n\n## ")[2] == (
        "Entity Registry\n"
        "| ID | Type | Label | File | Decay Score |\n"
        "|----|------|-------|------|-------------|\n"
        "| person--alex | person | Alex \\| Al | entities/person--alex.md "
        "| 1.00 (pinned) |\n\n"
        "## Edges\n"
        "| From | Relation | To | Confidence | First Seen | Last Accessed |\n"
        "|------|----------|----|------------|------------|---------------|\n"
        "| person--alex | develops | project--x | high | 2026-01-15 |  |\n"
    )


def test_a_row_that_cannot_be_read_is_reported_with_its_line() -> None:
    text = "## Entity Registry\n| a | b |\n\n## Edges\n| a | b | c | sure | | |\n"

    assert [f.line for f in parse_graph_index(text, PATH).findings] == [2, 5]
