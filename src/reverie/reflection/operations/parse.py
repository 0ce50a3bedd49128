"""Parse what a mind wrote as operations (reflection v2, phase 3).

Whatever it wrote, nothing here raises: what cannot be read, or may not be done, is
refused with the reason, and the rest goes on. What stands in a block may come from a
mail that the agent once read, so nothing is guessed: raw CONTENT ends at the line that
says REASON or EVOLUTION_CONTEXT, and nowhere else. If something in between could be a
block of its own, the whole is in doubt. In a code fence content is content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.markdown import headline, hidden_lines, one_line, tidy
from reverie.model.reflection import THOUGHT, Operation, OperationKind, Refused
from reverie.reflection.operations.injection_guard import (
    is_quoted,
    quotable,
    why_refused,
)
from reverie.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


OPERATION, TARGET, CONTENT = "OPERATION", "TARGET", "CONTENT"
REASON, CONTEXT = "REASON", "EVOLUTION_CONTEXT"

_RULE = "---"
_NAMES = frozenset({OPERATION, TARGET, CONTENT, REASON, CONTEXT})
_CLOSING = frozenset({REASON, CONTEXT})

_KEY = re.compile(
    r"(?:(?:[-+*]|#{1,6}|[0-9]{1,3}[.)])[ \t]+)?"
    r"(?:\*\*(?P<a>[a-z_ -]{6,17})\*\*[ \t]*:|\*\*(?P<b>[a-z_ -]{6,17}):[ \t]*\*\*"
    r"|(?P<c>[a-z_ -]{6,17}):)[ \t]*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})[^`]*")

DOUBTFUL = (
    "its CONTENT holds {what}, so where it ends cannot be told; content like this "
    "belongs in a code fence"
)


@dataclass(slots=True)
class OperationBlock:
    """What was meant as one operation.

    Attributes:
        opening: Its first line, to name it by.
        fields: What it says, by name; of a fenced CONTENT the text in the fence.
        problem: Why it cannot be read; empty if it can.
    """

    opening: str
    fields: dict[str, str] = field(default_factory=dict)
    problem: str = ""


def split_blocks(text: str) -> list[OperationBlock]:
    """Cut an answer into its blocks; what stands around them is dropped.

    A block inside a code fence is quoted, unless the whole answer stands in fences.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    hidden = hidden_lines(lines)
    blocks, quoted = _blocks_in(lines, hidden)
    if blocks or not quoted:
        return [*blocks, *quoted]
    return _blocks_in([line for line in lines if not _FENCE.fullmatch(line)])[0]


def _blocks_in(
    lines: Sequence[str], hidden: Iterable[int] = ()
) -> tuple[list[OperationBlock], list[OperationBlock]]:
    """The blocks of an answer, and those that stand in a fence beside them."""
    blocks: list[OperationBlock] = []
    quoted: list[OperationBlock] = []
    at, inside = 0, frozenset(hidden)
    while at < len(lines) and len(blocks) <= MOST_READ:
        name, _ = _named(lines[at])
        if name == OPERATION and at in inside:
            why = "it stands in a code fence, so it is quoted"
            quoted.append(OperationBlock(lines[at].strip(), {}, why))
        elif name == OPERATION:
            block = OperationBlock(lines[at].strip())
            at = _take_block(block, lines, at)
            blocks.append(block)
            continue
        elif name in _NAMES and at not in inside and blocks:
            why = "more fields follow after its end, so where it ends cannot be told"
            blocks[-1].problem = blocks[-1].problem or why
        at += 1
    return blocks, quoted


def _named(line: str) -> tuple[str, str]:
    """What a line is, and what it says; it has no name if it is text."""
    bare = line.strip()
    if len(bare) >= len(_RULE) and not bare.strip("-"):
        return _RULE, ""
    found = _KEY.match(bare)
    said = (found["a"] or found["b"] or found["c"]) if found else ""
    name = re.sub(r"[ -]", "_", said.strip()).upper()
    return (name, bare[found.end() :]) if found and name in _NAMES else ("", line)


def _take_block(block: OperationBlock, lines: Sequence[str], at: int) -> int:
    """Read a block that begins at a line; returns the line after it."""
    last, over, problems = "", False, []
    while at < len(lines):
        name, value = _named(lines[at])
        if last and name in {OPERATION, _RULE}:
            break
        at += 1
        if name == CONTENT:
            value, at, problem = _content(lines, at, value)
            problems.append(problem)
        if name in block.fields:
            problems.append(f"it says {name} twice")
        elif name:
            block.fields[name], last, over = value, name, False
        elif not value.strip():
            over = last in _CLOSING
        elif last in _CLOSING:
            over = over or bool(_FENCE.fullmatch(value))
            block.fields[last] += "" if over else f"\n{value}"
        elif last == CONTENT:
            # Its fence was closed early: what follows may be anything.
            problems.append("text follows its code fence, so where it ends is in doubt")
            at = _closing(lines, at)
        elif block.fields[last]:
            problems.append(f"its {last} has several lines")
        else:
            block.fields[last] = value.strip()
    block.problem = next(filter(None, problems), "")
    return at


def _content(lines: Sequence[str], at: int, value: str) -> tuple[str, int, str]:
    """A CONTENT that begins before a line: its text, the line after it, a problem."""
    first = at
    while not value and first < len(lines) and not lines[first].strip():
        first += 1
    opener = value or (lines[first] if first < len(lines) else "")
    opened = _FENCE.fullmatch(opener.rstrip())
    if opened:
        start, mark = first + (not value), opened["mark"]
        for end in range(start, len(lines)):
            found = lines[end].strip()
            if len(found) >= len(mark) and not found.strip(mark[0]):
                inside = (
                    _dedented(line, opened["indent"]) for line in lines[start:end]
                )
                return "\n".join(inside), end + 1, ""
    end = _closing(lines, at)
    body = "\n".join([value, *lines[at:end]])
    if opened:
        return body, end, "its code fence is never closed"
    if end == len(lines):
        # Only a separator may end it instead.
        body, rule, rest = body.rstrip().rpartition(f"\n{_RULE}")
        if not rule or rest.strip("-"):
            return body, end, "the answer breaks off before its REASON"
    for line in body.split("\n"):
        name = _named(line)[0]
        if name or _FENCE.fullmatch(line):
            what = {"": "a code fence", _RULE: "a separator"}.get(name)
            return body, end, DOUBTFUL.format(what=what or f"a line {name}:")
    return body, end, ""


def _closing(lines: Sequence[str], at: int) -> int:
    """The first line from here on that ends a CONTENT."""
    ends = (n for n in range(at, len(lines)) if _named(lines[n])[0] in _CLOSING)
    return next(ends, len(lines))


def _dedented(line: str, indent: str) -> str:
    return line[min(len(indent), len(line) - len(line.lstrip(" \t"))) :]


MOST_OPERATIONS = 60
MOST_REFUSED = 60
MOST_READ = 500
"""So many blocks of one answer are looked at; who writes more has gone astray."""

LONGEST_ANSWER = 2_000_000

_NOTHING = frozenset({"n/a", "none", "-", "—", "[if applicable]"})


@dataclass(frozen=True, slots=True)
class ReadOperations:
    """What was read: what may go on, and what may not, each in its order."""

    operations: tuple[Operation, ...] = ()
    refused: tuple[Refused, ...] = ()


def parse_structured(values: Sequence[Mapping[str, object]]) -> ReadOperations:
    """Read operations that were answered as JSON objects."""
    return _gathered(map(_structured, values[:MOST_READ]), len(values) - MOST_READ)


def parse_text(text: str) -> ReadOperations:
    """Read operations in the text form, with whatever chatter is around them."""
    if len(text) > LONGEST_ANSWER:
        why = f"the answer has {len(text):,} characters, {LONGEST_ANSWER:,} are allowed"
        return ReadOperations(refused=(Refused("the whole answer", why),))
    blocks = split_blocks(text)
    found: list[Operation | Refused] = []
    for block in blocks[:MOST_READ]:
        said = block.fields.get(OPERATION)
        head = f"{said} {block.fields.get(TARGET, '')}" if said else block.opening
        refused = Refused(_shown(head), block.problem)
        found.append(refused if block.problem else _operation(block.fields))
    return _gathered(found, len(blocks) - MOST_READ)


def without_smuggled(read: ReadOperations, sources: Iterable[str]) -> ReadOperations:
    """Refuse what stands ready-made in a text that was read.

    Args:
        read: What a mind wrote.
        sources: Every text that it was shown.
    """
    held = quotable(sources)
    kept, refused = [], list(read.refused)
    for operation in read.operations:
        if is_quoted(operation, held):
            why = "it stands ready-made in a text that was read, so it is quoted"
            refused.append(Refused(name_of(operation), why))
        else:
            kept.append(operation)
    return ReadOperations(tuple(kept), tuple(refused))


def screened(operations: Iterable[Operation]) -> ReadOperations:
    """Operations that were made of a mind's words, without those that may not pass."""
    return _gathered(operations)


def name_of(operation: Operation) -> str:
    """A few words to call an operation by; never a secret."""
    return _shown(f"{operation.kind} {operation.target}")


def _gathered(found: Iterable[Operation | Refused], unread: int = 0) -> ReadOperations:
    """The first operations that pass, and why others do not.

    Args:
        found: What was read.
        unread: How many more there are.
    """
    kept: list[Operation] = []
    refused: list[Refused] = []
    for each in found:
        if isinstance(each, Refused):
            refused.append(each)
        elif why := why_refused(each):
            refused.append(Refused(name_of(each), why))
        else:
            kept.append(each)
    told = refused[:MOST_REFUSED]
    if rest := max(0, unread) + len(refused[MOST_REFUSED:]):
        why = "they are too many to be told one by one"
        told.append(Refused(f"{rest} more", why))
    if left := len(kept[MOST_OPERATIONS:]):
        why = f"one reflection may propose {MOST_OPERATIONS} at most"
        told.append(Refused(f"{left} more operations", why))
    return ReadOperations(tuple(kept[:MOST_OPERATIONS]), tuple(told))


def _structured(value: Mapping[str, object]) -> Operation | Refused:
    if not isinstance(value, Mapping):
        return Refused("something else", "it is not an object with named fields")
    fields: dict[str, str] = {}
    problem = ""
    for key, given in value.items():
        name = re.sub(r"[ -]", "_", str(key).strip()).upper()
        if name not in _NAMES:
            continue
        text = "" if given is None else given
        if isinstance(text, list) and all(isinstance(line, str) for line in text):
            text = "\n".join(text)
        if not isinstance(text, str):
            text, problem = "", problem or f"its {name} is not a text"
        elif name in fields:
            problem = problem or f"its {name} stands there twice"
        fields[name] = text
    what = f"{fields.get(OPERATION, '')} {fields.get(TARGET, '')}"
    return Refused(_shown(what), problem) if problem else _operation(fields)


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
