"""The graph: names of relations and their inverses, edges, its index (design, 6)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct, field

from reverie import markdown as md
from reverie.model.ids import slug
from reverie.model.items import Confidence, Edge, Finding, Severity, joined
from reverie.stores.entities import held_links
from reverie.workspace.layout import template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reverie.model.items import Entity

    Ends = tuple[str, str, str]


RELATIONS_TEMPLATE = template("relations")

SINGLE_VALUED = "Single-valued"
"""The section of relations that usually have one target at a time."""

_DEFAULTS = (
    ("develops", "developed-by"),
    ("depends-on", "dependency-of"),
    ("supersedes", "superseded-by"),
    ("inspired-by", "inspires"),
)
_SYNONYMS = {"built-on": "uses"}
# The design writes these as a pair, but they are opposites: turning one round into
# the other would say the contrary.
_OPPOSITES = frozenset({"confident-about", "uncertain-about"})
_NAMES = re.compile(r"`([^`]+)`")


class Vocabulary(Struct, frozen=True):
    """How a relation's name is made the one the graph keeps.

    Attributes:
        kept: For an inverse or another word the name that is kept, and whether origin
            and target change places with it.
        single_valued: The relations that usually have one target at a time. Maps each
            name to the first of the names that mean the same.
    """

    kept: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    single_valued: Mapping[str, str] = field(default_factory=dict)

    def canonical(self, name: str) -> tuple[str, bool]:
        """The name the graph keeps, and whether origin and target change places."""
        return self.kept.get(name, (name, False))


def parse_relations(text: str, path: str) -> tuple[Vocabulary, tuple[Finding, ...]]:
    """Read the relation names, whatever else is in the file, and what is wrong."""
    pairs: dict[str, str] = {}
    findings = list(md.find_conflicts(text, path))
    for section in md.split_sections(text, lambda _: True)[1:]:
        if section.heading == SINGLE_VALUED:
            continue
        for piece in md.split_items(section.body, section.body_line):
            # What stands after the dash explains the names.
            found = _NAMES.findall(piece.text.partition(" — ")[0])
            names = [slug(name) for name in found[:2]]
            problem = "" if names else "expected '- `name` / `inverse` — meaning'"
            if {*pairs, *pairs.values()} & {*names}:
                problem = f"{names[0]} or its inverse is listed twice"
            if problem and piece.marker and piece.text:
                mend = "Name each relation once, in backticks."
                warning = Finding(path, piece.line, problem, mend, Severity.WARNING)
                findings.append(warning)
            elif names and piece.marker:
                pairs[names[0]] = names[1] if len(names) > 1 else ""
    forward = {b: a for a, b in pairs.items() if b and b not in _OPPOSITES}
    taken = {*forward, *forward.values()}
    forward |= {b: a for a, b in _DEFAULTS if not taken & {a, b}}
    kept = {b: (a, True) for b, a in forward.items()}
    for word, name in _SYNONYMS.items():
        if word not in {*pairs, *forward}:
            kept[word] = kept.get(name, (name, False))
    return Vocabulary(kept, _parse_single_valued(text)), tuple(findings)


def _parse_single_valued(text: str) -> dict[str, str]:
    """Return the relations of the section `Single-valued`, or the usual ones."""
    sections = md.split_sections(text, lambda _: True)
    found = [each for each in sections if each.heading == SINGLE_VALUED]
    if not found:
        return _usual_single_valued()
    single: dict[str, str] = {}
    for section in found:
        for piece in md.split_items(section.body, section.body_line):
            names = [slug(name) for name in _NAMES.findall(piece.text)]
            single |= {name: names[0] for name in names if piece.marker}
    return single


@cache
def _usual_single_valued() -> dict[str, str]:
    return _parse_single_valued(RELATIONS_TEMPLATE)


def ends(origin: str, label: str, target: str, vocabulary: Vocabulary) -> Ends:
    """The edge that a link makes, in the forward direction: from, relation, to."""
    relation, turned = vocabulary.canonical(slug(label))
    return (target, relation, origin) if turned else (origin, relation, target)


def edges(entity: Entity, vocabulary: Vocabulary) -> tuple[Edge, ...]:
    """The edges an entity's links make, each once and in the forward direction."""
    return tuple(
        joined(
            Edge(
                *ends(entity.name, link.label, target, vocabulary),
                link.confidence,
                link.since,
            )
            for link in held_links(entity)
            for target in link.targets
        )
    )


_ENTITY_HEAD = ("ID", "Type", "Label", "File", "Decay Score")
_EDGE_HEAD = ("From", "Relation", "To", "Confidence", "First Seen", "Last Accessed")


class GraphRow(Struct, frozen=True):
    """One entity in `graph/index.md`; its score is shown with two decimals."""

    id: str
    type: str
    label: str
    file: str
    score: float
    pinned: bool = False


def render_graph_index(rows: Iterable[GraphRow], links: Iterable[Edge]) -> str:
    """Write the generated table of all entities and edges (design, 6.1)."""
    entities = (
        (r.id, r.type, r.label, r.file, f"{r.score:.2f}{' (pinned)' * r.pinned}")
        for r in rows
    )
    known = (
        (
            *(e.origin, e.relation, e.target, e.confidence),
            str(e.first_seen or ""),
            str(e.last_accessed or ""),
        )
        for e in links
    )
    return (
        "# Semantic Graph Index\n\n<!-- Generated from the entity pages. Edit those: "
        "what is changed here is overwritten. -->\n\n## Entity Registry\n"
        f"{_table(_ENTITY_HEAD, entities)}\n## Edges\n{_table(_EDGE_HEAD, known)}"
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    rule = "|" + "|".join("-" * (len(cell) + 2) for cell in head) + "|\n"
    return "".join([md.render_row(head), rule, *map(md.render_row, rows)])


def parse_graph_rows(text: str) -> list[GraphRow]:
    """Read the entities of a graph index; a row that is none is left out."""
    return [
        GraphRow(row[0], row[1], row[2], row[3], 0.0)
        for row in _rows_below(text, _ENTITY_HEAD)
        if _ENTITY.fullmatch(row[0])
    ]


def parse_graph_edges(text: str) -> list[Edge]:
    """Read the edges of a graph index; a row that is none is left out."""
    found = []
    for origin, relation, target, level, first, _ in _rows_below(text, _EDGE_HEAD):
        named = _ENTITY.fullmatch(origin) and _ENTITY.fullmatch(target)
        if named and any(map(str.isalnum, relation)):
            sure = level if level in frozenset(Confidence) else Confidence.HIGH
            day = md.parse_date(first)
            found.append(Edge(origin, relation, target, Confidence(sure), day))
    return found


_ENTITY = re.compile(r"[^\s/\[\]|#]+?--[^\s/\[\]|#]+")


def _rows_below(text: str, head: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table with a head, with as many cells as that has."""
    inside = False
    for line in text.split("\n"):
        cells = tuple(cell.strip() for cell in md.parse_row(line))
        if cells == head:
            inside = True
        elif not cells:
            inside = False
        elif inside and len(cells) == len(head):
            yield cells
