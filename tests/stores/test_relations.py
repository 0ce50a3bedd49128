"""Relation names, inverses and edges."""

from __future__ import annotations

from datetime import date

from reverie.model.items import Edge, Entity, Link
from reverie.stores.relations import (
    RELATIONS_TEMPLATE,
    GraphRow,
    edges,
    parse_relations,
    render_graph_index,
)

PATH = "memory/graph/relations.md"
VOCABULARY = parse_relations(RELATIONS_TEMPLATE, PATH)[0]


def test_the_template_has_the_seeds_relations() -> None:
    vocabulary, findings = parse_relations(RELATIONS_TEMPLATE, PATH)

    assert findings == ()
    assert vocabulary.kept.items() >= {
        ("used-by", ("uses", True)),
        ("contains", ("part-of", True)),
        ("followed-by", ("preceded-by", True)),
        ("developed-by", ("develops", True)),
    }


def test_a_name_from_the_other_end_is_turned_round() -> None:
    turned = {"used-by": "uses", "inspires": "inspired-by", "developed-by": "develops"}

    for name, kept in turned.items():
        assert VOCABULARY.canonical(name) == (kept, True)
    assert VOCABULARY.canonical("built-on") == ("uses", False)
    assert VOCABULARY.canonical("uncertain-about") == ("uncertain-about", False)


def test_edges_run_forward_and_each_once() -> None:
    entity = Entity(
        "project",
        "x",
        "X",
        links=(
            Link("Developed by", ("person--alex",)),
            Link("Built on", ("tool--a", "tool--a")),
            Link("Uses", ("tool--a",)),
            Link("Uncertain about", ("concept--b",)),
        ),
    )

    assert edges(entity, VOCABULARY) == (
        Edge("person--alex", "develops", "project--x"),
        Edge("project--x", "uses", "tool--a"),
        Edge("project--x", "uncertain-about", "concept--b"),
    )


def test_what_the_file_says_counts_before_what_we_suppose() -> None:
    text = "## Mine\n- `made-by` / `develops`\n- `built-on` — a house on sand\n"

    vocabulary = parse_relations(text, PATH)[0]

    assert vocabulary.canonical("develops") == ("made-by", True)
    assert vocabulary.canonical("built-on") == ("built-on", False)
    assert vocabulary.canonical("developed-by") == ("developed-by", False)


def test_a_line_without_a_name_or_named_twice_is_reported() -> None:
    text = "# x\n\n## Mine\n- uses\n- `a` / `b`\n- `b`\nprose\n"

    findings = parse_relations(text, PATH)[1]

    assert [(f.line, f.what) for f in findings] == [
        (4, "expected '- `name` / `inverse` — meaning'"),
        (6, "b or its inverse is listed twice"),
    ]


def test_a_hostile_text_is_read_to_its_end() -> None:
    text = "## x\n" + "".join(f"- `r{n}`\n" for n in range(10_000))

    parse_relations(text, PATH)


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
        [Edge("person--alex", "develops", "project--x", first_seen=date(2026, 1, 15))],
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
