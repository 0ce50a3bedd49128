"""Operations: what a mind wrote is parsed, and confined to what its kind may touch.

Whatever a mind wrote (reflection v2, phase 3), parsing never raises: what cannot be
read, or may not be done, is refused with the reason. What stands in a block may come
from a mail that the agent once read, so nothing is guessed: where one block of a text
is in doubt, so are all of them. In a code fence content is content.

A target comes from a mind, or from a page that was edited by hand. It is made one of
the few things its kind may be about (docs/design/reflection.md has the table), or it
is refused; it is never opened as a path.
"""

from __future__ import annotations

import re
import textwrap
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.markdown import headline, hidden_lines, one_line, parse_row, stem, tidy
from reverie.model.ids import ItemId, Kind, UnknownIdError, slug
from reverie.model.reflection import THOUGHT, Operation, OperationKind, Refused
from reverie.printable import UnstorableTextError, storable
from reverie.secrets import find_secrets, is_no_id, without_secrets
from reverie.secrets.labels import fold, look_alike, lowered
from reverie.stores import core
from reverie.stores.entities import parse_fact_id
from reverie.workspace import layout
from reverie.workspace.layout import alias_key, is_safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from reverie.model.items import Block


OPERATION, TARGET, CONTENT = "OPERATION", "TARGET", "CONTENT"
REASON, CONTEXT = "REASON", "EVOLUTION_CONTEXT"

_NAMES = frozenset({OPERATION, TARGET, CONTENT, REASON, CONTEXT})
_NEEDED = _NAMES - {CONTEXT}

_KEY = re.compile(
    r"(?:(?:[-+*]|#{1,6}|[0-9]{1,3}[.)])[ \t]+)?"
    r"(?:\*\*(?P<a>[a-z_ -]{6,17})\*\*[ \t]*:|\*\*(?P<b>[a-z_ -]{6,17}):[ \t]*\*\*"
    r"|(?P<c>[a-z_ -]{6,17}):)[ \t]*",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*-{3,}\s*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[^`]*")

MOST_OPERATIONS = MOST_REFUSED = 60
"""More of one reflection are nobody's to check."""

_NOTHING = frozenset({"n/a", "none", "-", "—", "[if applicable]"})


class ReadOperations(Struct, frozen=True):
    """What was read: what may go on, and what may not, each in its order."""

    operations: tuple[Operation, ...] = ()
    refused: tuple[Refused, ...] = ()


def parse_structured(
    values: Iterable[Mapping[str, str]], is_id: Callable[[str], bool] = is_no_id
) -> ReadOperations:
    """Read operations that were answered as JSON objects."""
    fields = ({key.upper(): said for key, said in each.items()} for each in values)
    return screened(map(_operation, fields), is_id)


def parse_text(text: str, is_id: Callable[[str], bool] = is_no_id) -> ReadOperations:
    """Read operations in the text form: blocks between lines of dashes.

    Where one of them is in doubt, nobody can tell where any ends: all are refused.
    """
    lines = text.replace("\r\n", "\n").strip().split("\n")
    if _FENCE.fullmatch(lines[0]) and _FENCE.fullmatch(lines[-1]):
        lines = lines[1:-1]
    hidden = hidden_lines(lines)
    blocks: list[list[tuple[str, str]]] = [[]]
    for n, line in enumerate(lines):
        if n not in hidden and _RULE.fullmatch(line):
            blocks.append([])
        else:
            blocks[-1].append(("", line) if n in hidden else _named(line))
    meant = [block for block in blocks if any(name for name, _ in block)]
    found = [_block(block) for block in meant]
    if any(isinstance(each, Refused) for each in found):
        why = "another block cannot be read, so where this one ends is in doubt"
        found = [
            each if isinstance(each, Refused) else Refused(name_of(each), why)
            for each in found
        ]
    return screened(found, is_id)


def _named(line: str) -> tuple[str, str]:
    """Which field a line begins, and what it says; it has no name if it is text."""
    found = _KEY.match(line.strip())
    said = (found["a"] or found["b"] or found["c"]) if found else ""
    name = re.sub(r"[ -]", "_", said.strip()).upper()
    return (
        (name, line.strip()[found.end() :]) if found and name in _NAMES else ("", line)
    )


def _block(lines: Sequence[tuple[str, str]]) -> Operation | Refused:
    """One operation; what stands above its first field is chatter."""
    fields: dict[str, str] = {}
    last = problem = ""
    for name, value in lines:
        if name in fields:
            problem = problem or f"it says {name} twice"
        elif name:
            fields[name], last = value, name
        elif last:
            fields[last] += f"\n{value}"
    if missing := sorted(_NEEDED - fields.keys()):
        problem = problem or f"it does not say {', '.join(missing)}"
    content = fields.get(CONTENT, "").strip().split("\n")
    opened = _FENCE.fullmatch(content[0])
    if opened and len(content) > 1 and content[-1].strip() == opened[1]:
        content = textwrap.dedent("\n".join(content[1:-1])).split("\n")
        opened = None if all(opened[1] not in line for line in content) else opened
    elif not opened:
        opened = next(filter(None, map(_FENCE.fullmatch, content)), None)
    if opened:
        problem = (
            problem or "its CONTENT holds a code fence, so where it ends is in doubt"
        )
    fields[CONTENT] = "\n".join(content)
    head = f"{fields.get(OPERATION, '')} {fields.get(TARGET, '')}"
    return Refused(_shown(head), problem) if problem else _operation(fields)


def without_smuggled(read: ReadOperations, sources: Iterable[str]) -> ReadOperations:
    """Refuse what stands ready-made in a text that was read.

    Args:
        read: What a mind wrote.
        sources: Every text that it was shown.
    """
    held = {pair for text in sources for pair in quotable(text)}
    kept, refused = [], list(read.refused)
    for operation in read.operations:
        first = _bare(_folded(operation.target).partition(" ")[0])
        if {("", first), (operation.kind.lower(), first)} & held:
            why = "it stands ready-made in a text that was read, so it is quoted"
            refused.append(Refused(name_of(operation), why))
        else:
            kept.append(operation)
    return ReadOperations(tuple(kept), tuple(refused))


def name_of(operation: Operation) -> str:
    """A few words to call an operation by; never a secret."""
    return _shown(f"{operation.kind} {operation.target}")


_CITED = re.compile(r"[^\s,;()\[\]<>\"'`]+")


_FROM = re.compile(r"\(from:([^()]+)\)", re.IGNORECASE)


def named_in(operation: Operation) -> dict[str, None]:
    """The words by which an operation may name what it is made of, in their order."""
    lines = _FROM.findall(operation.content)
    return _cited(" ".join((operation.reason, operation.context, *lines)))


def cited_in(line: str) -> dict[str, None]:
    """Return what a line of facts itself says it is made of, `(from: …)`."""
    return _cited(" ".join(_FROM.findall(line)))


def _cited(text: str) -> dict[str, None]:
    return dict.fromkeys(name.rstrip(".:!?") for name in _CITED.findall(text))


def basis_of(operation: Operation) -> str:
    """Ids of the memories that an operation says it is made of, a blank between."""
    own = f"{Kind.ENTITY}:{operation.target.rpartition('/')[2].removesuffix('.md')}"
    return ids_in(f"{operation.reason} {operation.context}", own)


def ids_in(text: str, but: str = "") -> str:
    """The ids of memories in a text, a blank between."""
    found = []
    for name in _cited(text):
        with suppress(UnknownIdError):
            found.append(str(ItemId.parse(name)))
    return " ".join(id_ for id_ in found if id_ != but)


def screened(
    found: Iterable[Operation | Refused], is_id: Callable[[str], bool] = is_no_id
) -> ReadOperations:
    """The first operations of a mind's words that may pass, and why others may not."""
    kept: list[Operation] = []
    refused: list[Refused] = []
    for each in found:
        if isinstance(each, Refused):
            refused.append(each)
        elif why := why_refused(each, is_id):
            refused.append(Refused(name_of(each), why))
        else:
            kept.append(each)
    told = refused[:MOST_REFUSED]
    if rest := len(refused[MOST_REFUSED:]):
        told.append(Refused(f"{rest} more", "they are too many to be told one by one"))
    if left := len(kept[MOST_OPERATIONS:]):
        why = f"one reflection may propose {MOST_OPERATIONS} at most"
        told.append(Refused(f"{left} more operations", why))
    return ReadOperations(tuple(kept[:MOST_OPERATIONS]), tuple(told))


def _operation(fields: Mapping[str, str]) -> Operation | Refused:
    said = fields.get(OPERATION, "").strip().strip("*_`[]\"' ").upper()
    target = one_line(fields.get(TARGET, "")).strip("`*\"' ")
    if said not in {kind.value for kind in THOUGHT}:
        return Refused(_shown(f"{said} {target}"), "it is no operation of a reflection")
    context = one_line(fields.get(CONTEXT, ""))
    return Operation(
        OperationKind(said),
        target,
        tidy(fields.get(CONTENT, "")),
        one_line(fields.get(REASON, "")),
        "" if context.casefold() in _NOTHING else context,
    )


def _shown(text: str) -> str:
    return headline(without_secrets(one_line(text[:400])), 120) or "something else"


# --- what may not pass: secrets, what nobody sees, what is only quoted -----------
#
# An episode that says `OPERATION: ARCHIVE` is a text somebody wrote, and a mind that
# hands it back has quoted it, not thought it. All forms come down to one here: lines
# with or without bold letters and quotation marks, JSON, tags, all on one line.

NEAR = 4
"""So many words behind its kind an operation may name what it is about."""

_EVERYDAY = {OperationKind.MOVE, OperationKind.DROP, OperationKind.FINISH}
"""Kinds that are everyday words: they count only behind the word `operation`."""

_KINDS = "|".join(kind.lower() for kind in OperationKind)
_RARE_KINDS = "|".join(k.lower() for k in OperationKind if k not in _EVERYDAY)
_MARK = re.compile(rf"\boperation[ :=]{{1,6}}({_KINDS})\b")
_KIND = re.compile(rf"\b({_RARE_KINDS})\b(?=((?: \S{{1,200}}){{1,{NEAR}}}))")
_ADDRESS = re.compile(r"(?:entity|procedure|episode):|[^ ]*(?:/|--|\.md\b)")
"""What nobody writes who just tells of something: an id, a path, a file."""
_TARGET = re.compile(r"\btarget[ :=]{1,6}(\S{1,200})")
_WHOLE = re.compile(r"\btarget[ :=]{1,6}(\S{1,200}) content[ :=]")
_NOISE = re.compile(r"\\[nrt]|</|[*`_\"'{}\[\],|<>#\\\s]|(?<!\S)-+(?!\S)")
_FOLDERS = re.compile(
    r"^(?:\./)?(?:memory/)?(?:graph/)?(?:entities/|procedures/|meta/)?(?:[0-9a-f]/)*"
    r"(?:entity:|procedure:)?"
)


def quotable(text: str) -> Iterator[tuple[str, str]]:
    """The ready-made operations of a text: kind, if told, and first word of the target.

    That is what stands behind `target`, before or behind a kind that is called an
    operation; and ids and paths right behind a kind, as the page of a proposal, a table
    or a list has them.
    """
    folded = _folded(text)
    marks = list(_MARK.finditer(folded))
    starts = [0, *(mark.start() for mark in marks), len(folded)]
    for mark, before, after in zip(marks, starts, starts[2:], strict=False):
        for found in _TARGET.finditer(folded, before, after):
            yield mark[1], _bare(found[1])
    yield from (("", _bare(found[1])) for found in _WHOLE.finditer(folded))
    for found in _KIND.finditer(folded):
        for word in found[2].split():
            if _ADDRESS.match(word):
                yield found[1], _bare(word)


def _folded(text: str) -> str:
    """A text in small letters, without markup and with single blanks."""
    plain = lowered(look_alike(fold(text).text))
    return " ".join(_NOISE.sub(" ", plain).split())


def _bare(word: str) -> str:
    """A path, an id or a name without what makes the difference between them."""
    return _FOLDERS.sub("", word.strip(".;:!?()")).removesuffix(".md")


LONGEST_CONTENT = 8000
LONGEST_TARGET = 200
LONGEST_REASON = 2000


def why_refused(operation: Operation, is_id: Callable[[str], bool] = is_no_id) -> str:
    """Why an operation that a mind wrote may not even be shown; empty if it may."""
    limits = (
        ("CONTENT", operation.content, LONGEST_CONTENT),
        ("TARGET", operation.target, LONGEST_TARGET),
        ("REASON", operation.reason, LONGEST_REASON),
        ("EVOLUTION_CONTEXT", operation.context, LONGEST_REASON),
    )
    for name, text, most in limits:
        if len(text) > most:
            return f"its {name} has {len(text):,} characters, {most:,} are allowed"
    texts = [text for _, text, _ in limits if text.strip()]
    try:
        for text in texts:
            # Only what it looks like counts here; its length was looked at.
            storable(text, 10 * len(text))
    except UnstorableTextError as error:
        return str(error)
    kinds = [found.kind for text in texts for found in find_secrets(text, is_id)]
    if kinds:
        return f"it holds a secret ({', '.join(dict.fromkeys(kinds))})"
    # An operation in a line that is always read is a text that somebody copied.
    if operation.kind is OperationKind.CORE and any(quotable(operation.content)):
        return "it holds an operation of its own"
    return ""


# --- what each kind may touch ----------------------------------------------------

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
_UNEQUAL = re.compile(r"≠|!=")
_COLUMNS = ("from", "relation", "to")
_HEADINGS = {heading.casefold(): heading for heading in core.HEADINGS.values()}
_BLOCKS = {heading: block for block, heading in core.HEADINGS.items()}
_FILES = {
    OperationKind.EVOLVE: (layout.EVOLUTION, "evolution.md"),
    OperationKind.NOTICE: (layout.IDENTITY,),
    OperationKind.PRUNE: (layout.REFLECTION_LOG,),
}
_WITH_CONTENT = {
    *_FILES,
    *map(OperationKind, ("EXTRACT", "FLAG", "PATTERN", "FINISH")),
}
_UNSPOKEN = {
    kind: f"a reflection does not speak of {kind} memories"
    for kind in (Kind.VAULT, Kind.TURN)
}
_NO_TASKS: dict[Kind, str] = {
    kind: "only a fact, an open question or an episode can be finished"
    for kind in Kind
    if kind is not Kind.EPISODE
}
_UNFADING = {
    Kind.CORE: "core memory does not fade; a line of it leaves by MOVE or DROP",
    Kind.VAULT: "what is in the vault never fades",
    Kind.TURN: "conversations are a record and do not fade",
}


class OutOfBoundsError(RefusedError):
    """An operation is about something that its kind may not touch."""

    mend = "What each kind may touch is in docs/design/reflection.md."


def entity_in(path: str) -> str:
    """The name of the entity that a confined target is the page of."""
    return stem(path)


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
        if not rule and tuple(map(str.casefold, cells[:3])) != _COLUMNS:
            rows.append(cells)
    if len(rows) != 1 or len(rows[0]) < 3:
        raise OutOfBoundsError(
            "its content is not one edge, such as 'person--alex → uses → tool--git'"
        )
    origin, relation, target = rows[0][:3]
    if not _RELATION.fullmatch(relation):
        raise OutOfBoundsError(f"{_short(relation)} is not the name of a relation")
    ends = _entity_name(origin), _entity_name(target)
    if ends[0] == ends[1]:
        raise OutOfBoundsError(f"it would connect {ends[0]} with itself")
    return ends[0], relation, ends[1]


def pair_in(content: str) -> tuple[str, str]:
    """The two entities of `a → b`, of which the first goes into the second."""
    names = tuple(map(_entity_name, map(str.strip, _ARROW.split(content))))
    if len(names) != 2 or names[0] == names[1]:
        raise OutOfBoundsError(
            "its content is no pair, such as 'person--al → person--alex'"
        )
    return names[0], names[1]


def distinct_pair_in(content: str) -> tuple[str, str]:
    """Return the two entities of `a ≠ b`, which are not the same.

    Raises:
        OutOfBoundsError: The content does not name two entities.
    """
    names = tuple(map(_entity_name, map(str.strip, _UNEQUAL.split(content))))
    if len(names) != 2 or names[0] == names[1]:
        raise OutOfBoundsError(
            "its content is not a pair, such as 'person--al ≠ person--alex'"
        )
    return names[0], names[1]


def entities_in(operation: Operation) -> tuple[str, ...]:
    """The entities whose pages an operation touches, once it is confined."""
    match operation.kind:
        case OperationKind.CONNECT:
            origin, _, target = edge_in(operation.content)
            return origin, target
        case OperationKind.MERGE:
            return pair_in(operation.content)
        case OperationKind.DISTINCT:
            return distinct_pair_in(operation.content)
        case (
            OperationKind.EXTRACT
            | OperationKind.FLAG
            | OperationKind.SETTLE
            | OperationKind.FINISH
        ):
            on_page = operation.target.startswith(f"{layout.ENTITIES}/")
            return (entity_in(operation.target),) if on_page else ()
        case _:
            return ()


def sides_in(content: str) -> tuple[str, tuple[str, ...]]:
    """The fact that holds, and those that do not, of `a#1 over a#2, a#3`."""
    first, over, others = content.partition(" over ")
    names = tuple(name.strip().removeprefix("entity:") for name in others.split(","))
    holds = first.strip().removeprefix("entity:")
    if not over or holds in names or not all(map(parse_fact_id, (holds, *names))):
        raise OutOfBoundsError(
            "it does not say which fact holds over which, such as "
            "'person--alex#3f2a9c over person--alex#77b001'"
        )
    return holds, names


def confine(operation: Operation) -> Operation:
    """An operation whose target is the one thing it may touch, in its usual form.

    Raises:
        OutOfBoundsError: It is about something else.
    """
    if operation.kind in _WITH_CONTENT and not operation.content.strip():
        raise OutOfBoundsError("it has no content")
    if operation.kind is not OperationKind.CONNECT:
        if operation.kind is OperationKind.MERGE:
            # What both pages are it says itself.
            operation = replace(operation, target=pair_in(operation.content)[0])
        if operation.kind is OperationKind.DISTINCT:
            first, second = distinct_pair_in(operation.content)
            content = f"{first} ≠ {second}"
            operation = replace(operation, target=first, content=content)
        if operation.kind is OperationKind.FINISH:
            operation = _with_fact_in_content(operation)
        if operation.kind is OperationKind.SETTLE:
            page = sides_in(operation.content)[0].partition("#")[0]
            operation = replace(operation, target=page)
        return replace(operation, target=_confined_target(operation))
    origin, relation, target = edge_in(operation.content)
    if operation.target not in {layout.GRAPH_INDEX, "graph/index.md"}:
        page = _entity_name(operation.target)
        if page not in {origin, target}:
            raise OutOfBoundsError(f"{page} is neither end of the edge")
    content = f"{origin} → {relation} → {target}"
    return replace(operation, target=_entity_path(origin), content=content)


def _with_fact_in_content(operation: Operation) -> Operation:
    """Return a FINISH whose target is a page, where it named a fact by its ID.

    The content then begins with the ID; the day at its end stays.
    """
    cited = _unlinked(operation.target).removeprefix(f"{Kind.ENTITY}:")
    if not parse_fact_id(cited):
        return operation
    found = DONE_ON.search(one_line(operation.content))
    content = f"{cited}{found[0].rstrip() if found else ''}"
    return replace(operation, target=cited.partition("#")[0], content=content)


DONE_ON = re.compile(r"\s*\(on:\s*([0-9]{4}-[0-9]{2}-[0-9]{2})\)\s*\Z")
"""The day on which something was done, at the end of the content of a FINISH."""


def _confined_target(operation: Operation) -> str:
    target = operation.target
    match operation.kind:
        case (
            OperationKind.EXTRACT
            | OperationKind.CONNECT
            | OperationKind.MERGE
            | OperationKind.DISTINCT
            | OperationKind.SETTLE
        ):
            return _entity_path(target)
        case OperationKind.FLAG:
            return _page_or_memory(target, _UNSPOKEN) if target else ""
        case OperationKind.FINISH:
            return _page_or_memory(target, _NO_TASKS)
        case OperationKind.ARCHIVE:
            return _memory_id(target, _UNFADING)
        case OperationKind.PATTERN:
            return _procedure_path(target)
        case OperationKind.CORE | OperationKind.MOVE | OperationKind.DROP:
            return _core_heading(operation)
        case OperationKind.COMMIT | OperationKind.REJECT:
            if not re.fullmatch(r"#[1-9]\d{0,8}", target):
                raise OutOfBoundsError(
                    f"{_short(target)} is not the number of a proposal"
                )
            return target
        case OperationKind.EVOLVE | OperationKind.NOTICE | OperationKind.PRUNE as kind:
            names = _FILES[kind]
            if target not in names:
                raise OutOfBoundsError(
                    f"{kind} is about {names[0]}, not {_short(target)}"
                )
            return names[0]


def _page_or_memory(target: str, excluded: Mapping[Kind, str]) -> str:
    """Return the path of an entity page or the ID of a memory that is not excluded."""
    if _ENTITY.fullmatch(_unlinked(target)):
        return _entity_path(target)
    return _memory_id(target, excluded)


def _unlinked(name: str) -> str:
    return name.strip().removeprefix("[[").removesuffix("]]")


def _entity_path(target: str) -> str:
    return f"{layout.ENTITIES}/{_entity_name(target)}.md"


def _entity_name(target: str) -> str:
    found = _ENTITY.fullmatch(_unlinked(target))
    if not found or not _plain(found["name"]):
        raise OutOfBoundsError(
            f"{_short(target)} is not an entity, such as person--alex"
        )
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
    if not colon and not episode:
        # The name of an entity alone is no ID here: anything could look like one.
        raise OutOfBoundsError(f"{_short(target)} is not the id of a memory")
    if episode:
        text = f"episode:{episode[1]}:{episode[2]}{episode[3] or ''}"
    try:
        item = ItemId.parse(text)
    except UnknownIdError as error:
        raise OutOfBoundsError(f"{_short(target)} is not the id of a memory") from error
    if why := excluded.get(item.kind):
        raise OutOfBoundsError(why)
    return str(item)


def _procedure_path(target: str) -> str:
    found = _PROCEDURE.fullmatch(target)
    name = (found["file"] or found["name"]) if found else ""
    if not name or not _plain(name):
        example = f"{layout.PROCEDURES}/how-to-deploy.md"
        raise OutOfBoundsError(
            f"{_short(target)} is not a procedure, such as {example}"
        )
    return f"{layout.PROCEDURES}/{slug(name)}.md"


def _core_heading(operation: Operation) -> str:
    heading = _HEADINGS.get(operation.target.casefold())
    if heading is None:
        raise OutOfBoundsError(
            f"{_short(operation.target)} is not a block of core memory"
        )
    sign, text = operation.content[:2], operation.content[2:]
    if operation.kind is not OperationKind.CORE:
        if not operation.content.strip() or "\n" in operation.content.strip():
            raise OutOfBoundsError("its content is not one line of core memory")
        return heading
    if sign == "- ":
        raise OutOfBoundsError(
            "it takes a line out and does not say what becomes of it: use MOVE (it is "
            "kept in its store) or DROP (it is wrong or outdated)"
        )
    if sign != "+ " or not text.strip():
        raise OutOfBoundsError("it does not add a line ('+ …')")
    return heading


def _short(target: str) -> str:
    return repr(target if len(target) <= 80 else f"{target[:79]}…")
