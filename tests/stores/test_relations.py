"""Relation names, inverses and edges."""

from __future__ import annotations

from reverie.model.items import Edge, Entity, Link
from reverie.stores.relations import RELATIONS_TEMPLATE, edges, parse_relations

PATH = "memory/graph/relations.md"
VOCABULARY = parse_relations(RELATIONS_TEMPLATE, PATH).vocabulary


def test_the_template_has_the_seeds_relations() -> None:
    file = parse_relations(RELATIONS_TEMPLATE, PATH)

    assert [(r.group, r.name, r.inverse) for r in file.relations] == [
        ("Structural", "develops", ""),
        ("Structural", "uses", "used-by"),
        ("Structural", "part-of", "contains"),
        ("Structural", "depends-on", ""),
        ("Temporal", "decided-on", ""),
        ("Temporal", "supersedes", ""),
        ("Temporal", "preceded-by", "followed-by"),
        ("Qualitative", "prefers", ""),
        ("Qualitative", "avoids", ""),
        ("Qualitative", "confident-about", "uncertain-about"),
        ("Qualitative", "relates-to", ""),
    ]
    assert file.findings == ()


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

    vocabulary = parse_relations(text, PATH).vocabulary

    assert vocabulary.canonical("develops") == ("made-by", True)
    assert vocabulary.canonical("built-on") == ("built-on", False)
    assert vocabulary.canonical("developed-by") == ("developed-by", False)


def test_a_line_without_a_name_or_named_twice_is_reported() -> None:
    text = "# x\n\n## Mine\n- uses\n- `a` / `b`\n- `b`\nprose\n"

    findings = parse_relations(text, PATH).findings

    assert [(f.line, f.what) for f in findings] == [
        (4, "expected '- `name` / `inverse` — meaning'"),
        (6, "b or its inverse is listed twice"),
    ]


def test_a_hostile_text_is_read_to_its_end() -> None:
    text = "## x\n" + "".join(f"- `r{n}`\n" for n in range(10_000))

    parse_relations(text, PATH)
