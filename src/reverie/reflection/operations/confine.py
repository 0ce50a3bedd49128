"""What each kind of operation may touch (docs/design/reflection.md has the table).

A target comes from a mind, or from a page that was edited by hand. It is made one of
the few things its kind may be about, or it is refused; it is never opened as a path.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.markdown import one_line, parse_row
from reverie.model.ids import ItemId, Kind, UnknownIdError, slug
from reverie.model.reflection import OperationKind
from reverie.stores import core
from reverie.workspace import layout
from reverie.workspace.paths import alias_key, is_safe

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.model.items import Block
    from reverie.model.reflection import Operation


_SHARDS = r"(?:[0-9a-f]/){0,9}"
_ENTITY = re.compile(
    rf"(?:(?:(?:memory/)?graph/)?entities/{_SHARDS}|entity:)?"
    r"(?P<name>\w[\w.-]{0,120}?--\w[\w.-]{0,120}?)(?:\.md)?"
)
_PROCEDURE = re.compile(
    rf"(?:(?:memory/)?procedures/{_SHARDS}(?P<file>\w[\w.-]{{0,120}})\.md"
    r"|(?:procedure:)?(?P<name>\w[\w-]{0,120}))"
)
_EPISODE = re.compile(
    r"episode[ :]{1,2}(\d{4}-\d\d-\d\d)[ :T](\d\d:\d\d)(~[1-9]\d{0,5})?", re.IGNORECASE
)
_MIXED = re.compile(r"[a-zA-Z][\u0370-\u052f]|[\u0370-\u052f][a-zA-Z]")
"""Greek or Russian letters among ours: a name that looks like another."""
_NUMBER = re.compile(r"#[1-9]\d{0,8}")
_RELATION = re.compile(r"[^\W\d_][\w -]{0,39}")
_ARROW = re.compile(r"→|--?>|=>")
_SHAPELESS = frozenset("-: ")
_HEADINGS = {heading.casefold(): heading for heading in core.HEADINGS.values()}
_BLOCKS = {heading: block for block, heading in core.HEADINGS.items()}


class OutOfBoundsError(RefusedError):
    """An operation is about something that its kind may not touch."""

    def __init__(self, why: str) -> None:
        super().__init__(
            why, hint="What each kind may touch is in docs/design/reflection.md."
        )


def confine(operation: Operation) -> Operation:
    """An operation whose target is the one thing it may touch, in its usual form.

    Raises:
        OutOfBoundsError: It is about something else.
    """
    return _CONFINED[operation.kind](operation)


def entity_in(path: str) -> str:
    """The name of the entity that a confined target is the page of."""
    return path.rpartition("/")[2].removesuffix(".md")


def block_in(heading: str) -> Block:
    """The block of core memory that a confined target is the heading of."""
    return _BLOCKS[heading]


def edge_in(content: str) -> tuple[str, str, str]:
    """The two entities of a row of the graph, and between them the relation.

    Reads `| a | relation | b | … |` and `a → relation → b`.
    """
    rows = [row for row in map(_cells, content.split("\n")) if row]
    if len(rows) != 1 or len(rows[0]) < 3:
        what = "its content is not one edge, such as 'person--alex → uses → tool--git'"
        raise OutOfBoundsError(what)
    origin, relation, target = rows[0][:3]
    if not _RELATION.fullmatch(relation):
        what = f"{_short(relation)} is not the name of a relation"
        raise OutOfBoundsError(what)
    ends = _entity_name(_unlinked(origin)), _entity_name(_unlinked(target))
    if ends[0] == ends[1]:
        what = f"it would connect {ends[0]} with itself"
        raise OutOfBoundsError(what)
    return ends[0], relation, ends[1]


def _cells(line: str) -> tuple[str, ...]:
    """The parts of an edge; none of a line that has none."""
    bare = line.strip()
    if not bare.startswith("|"):
        parts = _ARROW.split(re.sub(r"^[-*+] ", "", bare))
        return tuple(part.strip() for part in parts) if bare else ()
    cells = parse_row(bare)
    rule = all(set(cell) <= _SHAPELESS for cell in cells)
    head = [cell.casefold() for cell in cells[:3]] == ["from", "relation", "to"]
    return () if rule or head else cells


def _unlinked(name: str) -> str:
    return name.strip().removeprefix("[[").removesuffix("]]")


def _entity_path(target: str) -> str:
    return f"{layout.ENTITIES}/{_entity_name(target)}.md"


def _entity_name(target: str) -> str:
    found = _ENTITY.fullmatch(_unlinked(target))
    if not found or not _plain(found["name"]):
        what = f"{_short(target)} is not an entity, such as person--alex"
        raise OutOfBoundsError(what)
    kind, _, rest = found["name"].partition("--")
    return f"{slug(kind)}--{slug(rest)}"


def _plain(name: str) -> bool:
    """Whether a name is what it looks like, and no step to somewhere else."""
    path = f"{name}.md"
    same = alias_key(path) == path.casefold() and not _MIXED.search(name)
    return same and ".." not in name and is_safe(path)


def _on_entity(operation: Operation) -> Operation:
    _require_content(operation)
    return replace(operation, target=_entity_path(operation.target))


def _on_edge(operation: Operation) -> Operation:
    origin, relation, target = edge_in(operation.content)
    if operation.target not in {layout.GRAPH_INDEX, "graph/index.md"}:
        page = _entity_name(operation.target)
        if page not in {origin, target}:
            what = f"{page} is neither end of the edge"
            raise OutOfBoundsError(what)
    content = f"{origin} → {relation} → {target}"
    path = f"{layout.ENTITIES}/{origin}.md"
    return replace(operation, target=path, content=content)


def _on_doubt(operation: Operation) -> Operation:
    _require_content(operation)
    if not operation.target:
        return operation
    if _ENTITY.fullmatch(_unlinked(operation.target)):
        return replace(operation, target=_entity_path(operation.target))
    item = _item(operation.target)
    if item.kind in {Kind.VAULT, Kind.TURN}:
        what = f"a reflection does not speak of {item.kind} memories"
        raise OutOfBoundsError(what)
    return replace(operation, target=str(item))


def _on_memory(operation: Operation) -> Operation:
    item = _item(operation.target)
    why = _KEPT.get(item.kind)
    if why:
        raise OutOfBoundsError(why)
    return replace(operation, target=str(item))


_KEPT = {
    Kind.CORE: "core memory does not fade; a line of it leaves by CORE",
    Kind.VAULT: "what is in the vault never fades",
    Kind.TURN: "conversations are a record and do not fade",
}


def _item(target: str) -> ItemId:
    said = one_line(target)
    episode = _EPISODE.fullmatch(said)
    kind, colon, name = said.partition(":")
    text = f"{kind.lower()}{colon}{name}"
    if episode:
        text = f"episode:{episode[1]}:{episode[2]}{episode[3] or ''}"
    try:
        return ItemId.parse(text)
    except UnknownIdError as error:
        what = f"{_short(target)} is not the id of a memory"
        raise OutOfBoundsError(what) from error


def _on_procedure(operation: Operation) -> Operation:
    _require_content(operation)
    found = _PROCEDURE.fullmatch(operation.target)
    name = (found["file"] or found["name"]) if found else ""
    if not name or not _plain(name):
        what = f"{_short(operation.target)} is not a procedure, such as {_EXAMPLE}"
        raise OutOfBoundsError(what)
    return replace(operation, target=f"{layout.PROCEDURES}/{slug(name)}.md")


_EXAMPLE = f"{layout.PROCEDURES}/how-to-deploy.md"


def _on_evolution(operation: Operation) -> Operation:
    _require_content(operation)
    if operation.target not in {layout.EVOLUTION, "evolution.md"}:
        what = (
            f"an insight goes into {layout.EVOLUTION}, not {_short(operation.target)}"
        )
        raise OutOfBoundsError(what)
    return replace(operation, target=layout.EVOLUTION)


def _on_file(operation: Operation, path: str) -> Operation:
    _require_content(operation)
    if operation.target != path:
        what = f"{operation.kind} is about {path}, not {_short(operation.target)}"
        raise OutOfBoundsError(what)
    return operation


def _on_core(operation: Operation) -> Operation:
    heading = _HEADINGS.get(operation.target.casefold())
    if heading is None:
        what = f"{_short(operation.target)} is not a block of core memory"
        raise OutOfBoundsError(what)
    sign, text = operation.content[:2], operation.content[2:]
    if sign not in {"+ ", "- "} or not text.strip():
        what = "it neither adds a line ('+ …') nor takes one out ('- …')"
        raise OutOfBoundsError(what)
    return replace(operation, target=heading)


def _on_proposal(operation: Operation) -> Operation:
    if not _NUMBER.fullmatch(operation.target):
        what = f"{_short(operation.target)} is not the number of a proposal"
        raise OutOfBoundsError(what)
    return operation


def _require_content(operation: Operation) -> None:
    if not operation.content.strip():
        what = "it has no content"
        raise OutOfBoundsError(what)


def _short(target: str) -> str:
    return repr(target if len(target) <= 80 else f"{target[:79]}…")


_CONFINED: dict[OperationKind, Callable[[Operation], Operation]] = {
    OperationKind.EXTRACT: _on_entity,
    OperationKind.CONNECT: _on_edge,
    OperationKind.FLAG: _on_doubt,
    OperationKind.ARCHIVE: _on_memory,
    OperationKind.PATTERN: _on_procedure,
    OperationKind.EVOLVE: _on_evolution,
    OperationKind.CORE: _on_core,
    OperationKind.COMMIT: _on_proposal,
    OperationKind.REJECT: _on_proposal,
    OperationKind.NOTICE: lambda operation: _on_file(operation, layout.IDENTITY),
    OperationKind.PRUNE: lambda operation: _on_file(operation, layout.REFLECTION_LOG),
}
