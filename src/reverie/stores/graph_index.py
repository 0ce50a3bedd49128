"""The generated table of all entities and edges, `graph/index.md` (design, 6.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.markdown import (
    parse_date,
    parse_row,
    render_row,
    split_lines,
    split_sections,
)
from reverie.model.items import Confidence, Edge, Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.markdown import Section


_ENTITIES = "Entity Registry"
_EDGES = "Edges"
_ENTITY_HEAD = ("ID", "Type", "Label", "File", "Decay Score")
_EDGE_HEAD = (
    "From",
    "Relation",
    "To",
    "Confidence",
    "First Seen",
    "Last Accessed",
)
_SCORE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)( \(pinned\))?")

Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphRow:
    """One entity in the index; its score is shown with two decimals."""

    id: str
    type: str
    label: str
    file: str
    score: float
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class GraphIndex:
    """What the index says."""

    rows: tuple[GraphRow, ...]
    edges: tuple[Edge, ...]
    findings: tuple[Finding, ...]


def render_graph_index(rows: Iterable[GraphRow], edges: Iterable[Edge]) -> str:
    """Write the index."""
    return "".join(
        [
            "# Semantic Graph Index\n\n",
            "<!-- Generated from the entity pages. Edit those: "
            "what is changed here is overwritten. -->\n\n",
            f"## {_ENTITIES}\n",
            *_render_table(_ENTITY_HEAD, map(_row_cells, rows)),
            f"\n## {_EDGES}\n",
            *_render_table(_EDGE_HEAD, map(_edge_cells, edges)),
        ]
    )


def _render_table(head: Cells, rows: Iterable[Cells]) -> Iterator[str]:
    yield render_row(head)
    yield "|" + "|".join("-" * (len(cell) + 2) for cell in head) + "|\n"
    yield from map(render_row, rows)


def _row_cells(row: GraphRow) -> Cells:
    score = f"{row.score:.2f}{' (pinned)' if row.pinned else ''}"
    return row.id, row.type, row.label, row.file, score


def _edge_cells(edge: Edge) -> Cells:
    days = (edge.first_seen, edge.last_accessed)
    seen, accessed = (day.isoformat() if day else "" for day in days)
    return edge.origin, edge.relation, edge.target, edge.confidence, seen, accessed


def parse_graph_index(text: str, path: str) -> GraphIndex:
    """Read the index; rows that cannot be read are left out and reported."""
    rows: list[GraphRow] = []
    edges: list[Edge] = []
    findings: list[Finding] = []
    for section in split_sections(text, lambda words: words in {_ENTITIES, _EDGES}):
        for line, cells in _table(section):
            row = _parse_row(cells) if section.heading == _ENTITIES else None
            edge = _parse_edge(cells) if section.heading == _EDGES else None
            if row:
                rows.append(row)
            elif edge:
                edges.append(edge)
            else:
                findings.append(_unreadable(path, line))
    return GraphIndex(tuple(rows), tuple(edges), tuple(findings))


def _table(section: Section) -> Iterator[tuple[int, Cells]]:
    """The rows of a section's table below its head, with their lines."""
    if section.heading not in {_ENTITIES, _EDGES}:
        return
    for line, text in enumerate(split_lines(section.body), section.body_line):
        cells = parse_row(text)
        is_rule = not "".join(cells).strip("-: ")
        if cells and not is_rule and cells not in {_ENTITY_HEAD, _EDGE_HEAD}:
            yield line, cells


def _parse_row(cells: Cells) -> GraphRow | None:
    score = _SCORE.fullmatch(cells[-1])
    if len(cells) != len(_ENTITY_HEAD) or not score:
        return None
    entity, kind, label, file, _ = cells
    return GraphRow(entity, kind, label, file, float(score[1]), bool(score[2]))


def _parse_edge(cells: Cells) -> Edge | None:
    if len(cells) != len(_EDGE_HEAD) or cells[3] not in frozenset(Confidence):
        return None
    origin, relation, target, confidence, *days = cells
    seen, accessed = (parse_date(day) for day in days)
    return Edge(origin, relation, target, Confidence(confidence), seen, accessed)


def _unreadable(path: str, line: int) -> Finding:
    mend = "`reverie rebuild` writes the index anew."
    return Finding(path, line, "this row cannot be read", mend, Severity.WARNING)
