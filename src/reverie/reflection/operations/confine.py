"""What each kind of operation may touch (docs/design/reflection.md has the table).

A target comes from a mind, or from a page that was edited by hand. It is made one of
the few things its kind may be about, or it is refused; it is never opened as a path.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.markdown import one_line, parse_row
from reverie.model.ids import ItemId, Kind, UnknownIdError, slug
from reverie.model.reflection import OperationKind
from reverie.stores import core
from reverie.workspace import layout
from reverie.workspace.layout import alias_key, is_safe

if TYPE_CHECKING:
    from collections.abc import Mapping

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
_RELATION = re.compile(r"[^\W\d_][\w -]{0,39}")
_ARROW = re.compile(r"→|--?>|=>")
_HEADER = ("from", "relation", "to")
_HEADINGS = {heading.casefold(): heading for heading in core.HEADINGS.values()}
_BLOCKS = {heading: block for block, heading in core.HEADINGS.items()}
_FILES = {
    OperationKind.EVOLVE: (layout.EVOLUTION, "evolution.md"),
    OperationKind.NOTICE: (layout.IDENTITY,),
    OperationKind.PRUNE: (layout.REFLECTION_LOG,),
}
_WITH_CONTENT = {*_FILES, *map(OperationKind, ("EXTRACT", "FLAG", "PATTERN"))}
_UNSPOKEN = {
    kind: f"a reflection does not speak of {kind} memories"
    for kind in (Kind.VAULT, Kind.TURN)
}
_UNFADING = {
    Kind.CORE: "core memory does not fade; a line of it leaves by CORE",
    Kind.VAULT: "what is in the vault never fades",
    Kind.TURN: "conversations are a record and do not fade",
}


class OutOfBoundsError(RefusedError):
    """An operation is about something that its kind may not touch."""

    def __init__(self, why: str) -> None:
        super().__init__(
            why, hint="What each kind may touch is in docs/design/reflection.md."
        )


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
    rows: list[tuple[str, ...]] = []
    for line in filter(None, map(str.strip, content.split("\n"))):
        if not line.startswith("|"):
            parts = _ARROW.split(re.sub(r"^[-*+] ", "", line))
            rows.append(tuple(part.strip() for part in parts))
            continue
        cells = parse_row(line)
        rule = all(set(cell) <= set("-: ") for cell in cells)
        if not rule and tuple(map(str.casefold, cells[:3])) != _HEADER:
            rows.append(cells)
    if len(rows) != 1 or len(rows[0]) < 3:
        what = "its content is not one edge, such as 'person--alex → uses → tool--git'"
        raise OutOfBoundsError(what)
    origin, relation, target = rows[0][:3]
    if not _RELATION.fullmatch(relation):
        what = f"{_short(relation)} is not the name of a relation"
        raise OutOfBoundsError(what)
    ends = _entity_name(origin), _entity_name(target)
    if ends[0] == ends[1]:
        what = f"it would connect {ends[0]} with itself"
        raise OutOfBoundsError(what)
    return ends[0], relation, ends[1]


def confine(operation: Operation) -> Operation:
    """An operation whose target is the one thing it may touch, in its usual form.

    Raises:
        OutOfBoundsError: It is about something else.
    """
    if operation.kind in _WITH_CONTENT and not operation.content.strip():
        what = "it has no content"
        raise OutOfBoundsError(what)
    if operation.kind is not OperationKind.CONNECT:
        return replace(operation, target=_confined_target(operation))
    origin, relation, target = edge_in(operation.content)
    if operation.target not in {layout.GRAPH_INDEX, "graph/index.md"}:
        page = _entity_name(operation.target)
        if page not in {origin, target}:
            what = f"{page} is neither end of the edge"
            raise OutOfBoundsError(what)
    content = f"{origin} → {relation} → {target}"
    return replace(operation, target=_entity_path(origin), content=content)


def _confined_target(operation: Operation) -> str:
    target = operation.target
    match operation.kind:
        case OperationKind.EXTRACT | OperationKind.CONNECT:
            return _entity_path(target)
        case OperationKind.FLAG:
            if not target or _ENTITY.fullmatch(_unlinked(target)):
                return _entity_path(target) if target else ""
            return _memory_id(target, _UNSPOKEN)
        case OperationKind.ARCHIVE:
            return _memory_id(target, _UNFADING)
        case OperationKind.PATTERN:
            return _procedure_path(target)
        case OperationKind.CORE:
            return _core_heading(operation)
        case OperationKind.COMMIT | OperationKind.REJECT:
            if not re.fullmatch(r"#[1-9]\d{0,8}", target):
                what = f"{_short(target)} is not the number of a proposal"
                raise OutOfBoundsError(what)
            return target
        case OperationKind.EVOLVE | OperationKind.NOTICE | OperationKind.PRUNE as kind:
            names = _FILES[kind]
            if target not in names:
                what = f"{kind} is about {names[0]}, not {_short(target)}"
                raise OutOfBoundsError(what)
            return names[0]


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


def _memory_id(target: str, excluded: Mapping[Kind, str]) -> str:
    """The id of a memory in its usual form; some kinds are excluded, and why."""
    said = one_line(target)
    episode = _EPISODE.fullmatch(said)
    kind, colon, name = said.partition(":")
    text = f"{kind.lower()}{colon}{name}"
    if episode:
        text = f"episode:{episode[1]}:{episode[2]}{episode[3] or ''}"
    try:
        item = ItemId.parse(text)
    except UnknownIdError as error:
        what = f"{_short(target)} is not the id of a memory"
        raise OutOfBoundsError(what) from error
    if why := excluded.get(item.kind):
        raise OutOfBoundsError(why)
    return str(item)


def _procedure_path(target: str) -> str:
    found = _PROCEDURE.fullmatch(target)
    name = (found["file"] or found["name"]) if found else ""
    if not name or not _plain(name):
        example = f"{layout.PROCEDURES}/how-to-deploy.md"
        what = f"{_short(target)} is not a procedure, such as {example}"
        raise OutOfBoundsError(what)
    return f"{layout.PROCEDURES}/{slug(name)}.md"


def _core_heading(operation: Operation) -> str:
    heading = _HEADINGS.get(operation.target.casefold())
    if heading is None:
        what = f"{_short(operation.target)} is not a block of core memory"
        raise OutOfBoundsError(what)
    sign, text = operation.content[:2], operation.content[2:]
    if sign not in {"+ ", "- "} or not text.strip():
        what = "it neither adds a line ('+ …') nor takes one out ('- …')"
        raise OutOfBoundsError(what)
    return heading


def _short(target: str) -> str:
    return repr(target if len(target) <= 80 else f"{target[:79]}…")
