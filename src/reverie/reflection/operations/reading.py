"""What a mind wrote, read as operations (reflection v2, phase 3).

Whatever it wrote, nothing here raises: what cannot be read, or may not be done, is
refused with the reason, and the rest goes on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.markdown import headline, one_line, tidy
from reverie.model.reflection import THOUGHT, Operation, OperationKind, Refused
from reverie.reflection.operations.blocks import (
    CONTENT,
    CONTEXT,
    OPERATION,
    REASON,
    TARGET,
    split_blocks,
)
from reverie.reflection.operations.gates import why_refused
from reverie.reflection.operations.quoting import is_quoted, quotable
from reverie.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.reflection.operations.blocks import Block

MOST_OPERATIONS = 60
MOST_REFUSED = 60
MOST_READ = 500
"""So many blocks of one answer are looked at; who writes more has gone astray."""

LONGEST_ANSWER = 2_000_000

_NOTHING = frozenset({"n/a", "none", "-", "—", "[if applicable]"})
_KIND = re.compile(r"[A-Z]{3,10}")


@dataclass(frozen=True, slots=True)
class Read:
    """What was read: what may go on, and what may not, each in its order."""

    operations: tuple[Operation, ...] = ()
    refused: tuple[Refused, ...] = ()


def parse_structured(values: Sequence[Mapping[str, object]]) -> Read:
    """Read operations that were answered as JSON objects."""
    return _gathered(map(_structured, values[:MOST_READ]), len(values) - MOST_READ)


def parse_text(text: str) -> Read:
    """Read operations in the text form, with whatever chatter is around them."""
    if len(text) > LONGEST_ANSWER:
        why = f"the answer has {len(text):,} characters, {LONGEST_ANSWER:,} are allowed"
        return Read(refused=(Refused("the whole answer", why),))
    blocks = split_blocks(text)
    found = (
        Refused(_shown(_head(block)), block.problem)
        if block.problem
        else _operation(block.fields)
        for block in blocks[:MOST_READ]
    )
    return _gathered(found, len(blocks) - MOST_READ)


def render_operation(operation: Operation) -> str:
    """Write an operation in the text form; `parse_text` reads it back."""
    runs = re.findall(r"`{3,}", operation.content)
    fence = "`" * (1 + max(map(len, runs), default=2))
    lines = [
        "---",
        f"{OPERATION}: {operation.kind}",
        f"{TARGET}: {one_line(operation.target)}".rstrip(),
        f"{CONTENT}:",
        fence,
        *([operation.content] if operation.content else []),
        fence,
        f"{REASON}: {one_line(operation.reason)}".rstrip(),
    ]
    if operation.context:
        lines.append(f"{CONTEXT}: {one_line(operation.context)}")
    return "\n".join([*lines, "---\n"])


def without_smuggled(read: Read, sources: Iterable[str]) -> Read:
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
    return Read(tuple(kept), tuple(refused))


def screened(operations: Iterable[Operation]) -> Read:
    """Operations that were made of a mind's words, without those that may not pass."""
    return _gathered(operations)


def name_of(operation: Operation) -> str:
    """A few words to call an operation by; never a secret."""
    return _shown(f"{operation.kind} {operation.target}")


def _gathered(found: Iterable[Operation | Refused], unread: int = 0) -> Read:
    """The first operations that pass, and why others do not.

    Args:
        found: What was read.
        unread: How many more there are.
    """
    kept: list[Operation] = []
    refused: list[Refused] = []
    left = 0
    for each in map(_passed, found):
        if isinstance(each, Refused):
            refused.append(each)
        elif len(kept) < MOST_OPERATIONS:
            kept.append(each)
        else:
            left += 1
    rest = max(0, unread) + len(refused[MOST_REFUSED:])
    told = (*refused[:MOST_REFUSED], *_counted(rest), *_left(left))
    return Read(tuple(kept), told)


def _left(count: int) -> Iterator[Refused]:
    if count:
        why = f"one reflection may propose {MOST_OPERATIONS} at most"
        yield Refused(f"{count} more operations", why)


def _counted(count: int) -> Iterator[Refused]:
    if count:
        yield Refused(f"{count} more", "they are too many to be told one by one")


def _passed(each: Operation | Refused) -> Operation | Refused:
    if isinstance(each, Refused):
        return each
    why = why_refused(each)
    return Refused(name_of(each), why) if why else each


def _structured(value: Mapping[str, object]) -> Operation | Refused:
    if not isinstance(value, Mapping):
        return Refused("something else", "it is not an object with named fields")
    fields: dict[str, str] = {}
    problem = ""
    for key, given in value.items():
        name = re.sub(r"[ -]", "_", str(key).strip()).upper()
        if name not in _NAMES:
            continue
        text = _text(given)
        if text is None or name in fields:
            what = "is not a text" if text is None else "stands there twice"
            problem = problem or f"its {name} {what}"
        fields[name] = text or ""
    what = f"{fields.get(OPERATION, '')} {fields.get(TARGET, '')}"
    return Refused(_shown(what), problem) if problem else _operation(fields)


_NAMES = frozenset({OPERATION, TARGET, CONTENT, REASON, CONTEXT})


def _text(given: object) -> str | None:
    """A field as text; a list of lines is one text."""
    if given is None:
        return ""
    if isinstance(given, list) and all(isinstance(line, str) for line in given):
        return "\n".join(given)
    return given if isinstance(given, str) else None


def _operation(fields: Mapping[str, str]) -> Operation | Refused:
    said = fields.get(OPERATION, "").strip().strip("*_`[]\"' ").upper()
    target = _target(fields.get(TARGET, ""))
    if not _KIND.fullmatch(said) or said not in _THOUGHT:
        return Refused(_shown(f"{said} {target}"), "it is no operation of a reflection")
    context = one_line(fields.get(CONTEXT, ""))
    return Operation(
        OperationKind(said),
        target,
        tidy(fields.get(CONTENT, "")),
        one_line(fields.get(REASON, "")),
        "" if context.casefold() in _NOTHING else context,
    )


_THOUGHT = frozenset(kind.value for kind in THOUGHT)


def _head(block: Block) -> str:
    said = block.fields.get(OPERATION)
    return f"{said} {block.fields.get(TARGET, '')}" if said else block.opening


def _target(said: str) -> str:
    return one_line(said).strip("`*\"' ")


def _shown(text: str) -> str:
    return headline(without_secrets(one_line(text[:400])), 120) or "something else"
