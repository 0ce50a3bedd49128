"""The names of relations and their inverses, and the edges they make (design, 6.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.markdown import find_conflicts, split_items, split_sections
from reverie.model.ids import slug
from reverie.model.items import Edge, Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.markdown import Piece
    from reverie.model.items import Entity


RELATIONS_TEMPLATE = """\
# Relation Types

<!-- Add your own: `name`, or `name` / `inverse`. The first name is the one the graph
     keeps; a line under Relations may use either. -->

## Structural
- `develops` — a person makes a project
- `uses` / `used-by` — a project builds on a tool or a concept
- `part-of` / `contains` — one thing sits inside another
- `depends-on` — one thing needs another to work

## Temporal
- `decided-on` — a choice was made, on a day
- `supersedes` — the newer takes the place of the older
- `preceded-by` / `followed-by` — one came before the other

## Qualitative
- `prefers` — what the user likes to have
- `avoids` — what the user does not want
- `confident-about` / `uncertain-about` — how sure somebody is
- `relates-to` — they have to do with each other
"""

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


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation's name, what it is called from the other end, and its group."""

    name: str
    inverse: str = ""
    group: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How a relation's name is made the one the graph keeps.

    Attributes:
        forward: For each inverse the name it is the inverse of.
        synonyms: For other words the name that is meant.
    """

    forward: Mapping[str, str] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)

    def canonical(self, name: str) -> tuple[str, bool]:
        """The name the graph keeps, and whether origin and target change places."""
        meant = self.synonyms.get(name, name)
        return (self.forward[meant], True) if meant in self.forward else (meant, False)


@dataclass(frozen=True, slots=True)
class RelationsFile:
    """The names in the file of relations, and what is wrong in it."""

    relations: tuple[Relation, ...]
    vocabulary: Vocabulary
    findings: tuple[Finding, ...]


def parse_relations(text: str, path: str) -> RelationsFile:
    """Read the relation names, whatever else is in the file."""
    relations: list[Relation] = []
    seen: set[str] = set()
    findings = list(find_conflicts(text, path))
    for section in split_sections(text, lambda _: True)[1:]:
        for piece in split_items(section.body, section.body_line):
            names = _names(piece)
            if not names:
                if piece.marker and piece.text:
                    what = "expected '- `name` / `inverse` — meaning'"
                    findings.append(_warning(path, piece, what))
                continue
            if seen & {*names}:
                what = f"{names[0]} or its inverse is listed twice"
                findings.append(_warning(path, piece, what))
                continue
            seen |= {*names}
            inverse = names[1] if len(names) > 1 else ""
            group = section.heading or ""
            relations.append(Relation(names[0], inverse, group, piece.line))
    known = tuple(relations)
    return RelationsFile(known, _vocabulary(known), tuple(findings))


def _names(piece: Piece) -> list[str]:
    """The names an item declares; what stands after the dash explains them."""
    if not piece.marker:
        return []
    found = _NAMES.findall(piece.text.partition(" — ")[0])
    return [slug(name) for name in found[:2]]


def _warning(path: str, piece: Piece, what: str) -> Finding:
    mend = "Name each relation once, in backticks."
    return Finding(path, piece.line, what, mend, Severity.WARNING)


def _vocabulary(relations: tuple[Relation, ...]) -> Vocabulary:
    pairs = [(r.name, r.inverse) for r in relations if r.inverse not in _OPPOSITES]
    forward = {inverse: name for name, inverse in pairs if inverse}
    taken = {*forward, *forward.values()}
    forward |= {b: a for a, b in _DEFAULTS if not taken & {a, b}}
    declared = {r.name for r in relations} | set(forward)
    synonyms = {word: name for word, name in _SYNONYMS.items() if word not in declared}
    return Vocabulary(forward, synonyms)


def edges(entity: Entity, vocabulary: Vocabulary) -> tuple[Edge, ...]:
    """The edges an entity's links make, each once and in the forward direction."""
    found: dict[tuple[str, str, str], Edge] = {}
    for link in entity.links:
        relation, turned = vocabulary.canonical(slug(link.label))
        for target in link.targets:
            ends = (target, entity.name) if turned else (entity.name, target)
            found[ends[0], relation, ends[1]] = Edge(ends[0], relation, ends[1])
    return tuple(found.values())
