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
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from reverie.markdown import headline, one_line, tidy
from reverie.model.reflection import THOUGHT, Operation, OperationKind, Refused
from reverie.reflection.operations.injection_guard import (
    is_quoted,
    quotable,
    why_refused,
)
from reverie.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


OPERATION, TARGET, CONTENT = "OPERATION", "TARGET", "CONTENT"
REASON, CONTEXT = "REASON", "EVOLUTION_CONTEXT"

_RULE, _TEXT, _QUOTED = "---", "text", "quoted"
_CLOSING = frozenset({REASON, CONTEXT})

_KEY = re.compile(
    r"(?:(?:[-+*]|#{1,6}|[0-9]{1,3}[.)])[ \t]+)?"
    r"(?:\*\*(?P<a>[a-z_ -]{6,17})\*\*[ \t]*:|\*\*(?P<b>[a-z_ -]{6,17}):[ \t]*\*\*"
    r"|(?P<c>[a-z_ -]{6,17}):)[ \t]*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)")
_CUT = re.compile(r"-{3,}")

DOUBTFUL = (
    "its CONTENT holds {what}, so where it ends cannot be told; content like this "
    "belongs in a code fence"
)


@dataclass(frozen=True, slots=True)
class OperationBlock:
    """What was meant as one operation.

    Attributes:
        fields: What it says, by name; of a fenced CONTENT the text in the fence.
        problem: Why it cannot be read; empty if it can.
        opening: Its first line, to name it by.
    """

    fields: dict[str, str]
    problem: str
    opening: str


def split_blocks(text: str) -> tuple[OperationBlock, ...]:
    """Cut an answer into its blocks; what stands around them is dropped.

    A block inside a code fence is quoted, unless the whole answer stands in fences.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    blocks, quoted = _blocks_in(lines, fences=True)
    if blocks or not quoted:
        return (*blocks, *quoted)
    return tuple(_blocks_in(lines, fences=False)[0])


@dataclass(frozen=True, slots=True)
class _Token:
    """A line, or a whole code fence, and what it is."""

    name: str
    value: str
    line: str
    fenced: bool = False


def _tokens(lines: Sequence[str], *, fences: bool) -> Iterator[_Token]:
    ends = _fence_ends(lines)
    at, inside = 0, False
    while at < len(lines):
        line = lines[at]
        name, value = _named(line)
        inside = name == OPERATION or (inside and name not in {_RULE, *_CLOSING})
        span = None
        if name == CONTENT or (fences and not inside):
            span = _fenced(lines, ends, *_opener(lines, at, name, value))
        if span is None:
            yield _Token(name, value, line)
            at += 1
            continue
        content, at = span
        yield _Token(name if name == CONTENT else _QUOTED, content, line, fenced=True)


def _named(line: str) -> tuple[str, str]:
    """What a line is, and what it says."""
    bare = line.strip()
    if _CUT.fullmatch(bare):
        return _RULE, ""
    found = _KEY.match(bare)
    said = (found["a"] or found["b"] or found["c"]) if found else ""
    name = re.sub(r"[ -]", "_", said.strip()).upper()
    if found and name in _NAMES:
        return name, bare[found.end() :]
    return _TEXT, line


_NAMES = frozenset({OPERATION, TARGET, CONTENT, REASON, CONTEXT})


def _opener(lines: Sequence[str], at: int, name: str, value: str) -> tuple[int, str]:
    """The line on which a fence would open, and what it says there."""
    if name != CONTENT:
        return at, lines[at]
    if value:
        return at, value
    at += 1
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at, lines[at] if at < len(lines) else ""


def _fence_ends(lines: Sequence[str]) -> dict[str, list[int]]:
    """For each mark, the longest closing fence from a line on.

    Looking ahead once keeps an answer of very many open fences linear.
    """
    sizes = {"`": [0] * len(lines), "~": [0] * len(lines)}
    for n, line in enumerate(lines):
        mark = line.strip()
        if mark[:3] in {"```", "~~~"} and not mark.strip(mark[0]):
            sizes[mark[0]][n] = len(mark)
    return {
        mark: list(accumulate(reversed(found), max, initial=0))[::-1]
        for mark, found in sizes.items()
    }


def _fenced(
    lines: Sequence[str], ends: dict[str, list[int]], at: int, opener: str
) -> tuple[str, int] | None:
    """What is in the fence that opens at a line, and the line after it."""
    opened = _FENCE.fullmatch(opener.rstrip())
    if not opened:
        return None
    mark, indent = opened["mark"], len(opened["indent"])
    if ends[mark[0]][at + 1] < len(mark):
        return None
    inside: list[str] = []
    for end in range(at + 1, len(lines)):
        line = lines[end]
        found = line.strip()
        if len(found) >= len(mark) and not found.strip(mark[0]):
            return "\n".join(inside), end + 1
        inside.append(line[min(indent, len(line) - len(line.lstrip(" \t"))) :])
    return None


def _blocks_in(
    lines: Sequence[str], *, fences: bool
) -> tuple[list[OperationBlock], list[OperationBlock]]:
    """The blocks of an answer, and those that stand in a fence beside them."""
    blocks: list[OperationBlock] = []
    quoted: list[OperationBlock] = []
    draft: _Draft | None = None
    for token in _tokens(lines, fences=fences):
        if draft and draft.goes_on(token):
            draft.take(token)
            continue
        if draft:
            blocks.append(draft.finished())
            draft = None
        if token.name == OPERATION:
            draft = _Draft(token.line.strip(), {OPERATION: token.value})
        elif token.name == _QUOTED:
            why = "it stands in a code fence, so it is quoted"
            quoted += (
                OperationBlock({}, why, line.strip())
                for line in token.value.split("\n")
                if _named(line)[0] == OPERATION
            )
        elif token.name in _NAMES and blocks and not blocks[-1].problem:
            why = "more fields follow after its end, so where it ends cannot be told"
            blocks[-1] = replace(blocks[-1], problem=why)
    if draft:
        blocks.append(draft.finished())
    return blocks, quoted


@dataclass(slots=True)
class _Draft:
    """A block on its way: `raw` while its CONTENT is open, `cut` by a separator."""

    opening: str
    fields: dict[str, str]
    last: str = OPERATION
    problem: str = ""
    raw: bool = False
    cut: bool = False
    over: bool = False
    content: list[str] = field(default_factory=list)

    def goes_on(self, token: _Token) -> bool:
        """Whether what comes next is still part of the block."""
        return self.raw or token.name not in {_RULE, OPERATION, _QUOTED}

    def take(self, token: _Token) -> None:
        """Take up one line more."""
        if self.raw and token.name not in _CLOSING:
            self._take_raw(token)
        elif token.name in _NAMES:
            self._take_field(token)
        else:
            self._take_text(token.value)

    def finished(self) -> OperationBlock:
        """The block, now that nothing more belongs to it."""
        if self.raw and not self.cut:
            self._doubt("the answer breaks off before its REASON")
        self._close_content()
        return OperationBlock(self.fields, self.problem, self.opening)

    def _take_raw(self, token: _Token) -> None:
        if token.name == _RULE:
            self.cut = True
        elif token.name != _TEXT:
            what = "a code fence" if token.name == _QUOTED else f"a line {token.name}:"
            self._doubt(DOUBTFUL.format(what=what))
        elif self.cut and token.value.strip():
            self._doubt(DOUBTFUL.format(what="a separator"))
        else:
            self.content.append(token.value)

    def _take_field(self, token: _Token) -> None:
        if self.raw and self.cut:
            self._doubt(DOUBTFUL.format(what="a separator"))
        self._close_content()
        if token.name in self.fields:
            self._doubt(f"it says {token.name} twice")
            return
        self.fields[token.name] = token.value
        self.last, self.over = token.name, False
        if token.name == CONTENT and not token.fenced:
            self.raw, self.content = True, [token.value]

    def _take_text(self, line: str) -> None:
        known = self.fields.get(self.last, "")
        if not line.strip():
            self.over = True
        elif self.last == CONTENT:
            # Its fence was closed early: what follows may be anything.
            self._doubt("text follows its code fence, so where it ends is in doubt")
            self.raw, self.content = True, [known]
        elif self.last in _CLOSING:
            self.over = self.over or bool(_FENCE.fullmatch(line.strip()))
            if not self.over:
                self.fields[self.last] = f"{known}\n{line}"
        elif known:
            self._doubt(f"its {self.last} has several lines")
        else:
            self.fields[self.last] = line.strip()

    def _close_content(self) -> None:
        if not self.raw:
            return
        self.raw = False
        text = "\n".join(self.content)
        if _FENCE.fullmatch(text.strip().partition("\n")[0]):
            self._doubt("its code fence is never closed")
        self.fields[CONTENT] = text

    def _doubt(self, problem: str) -> None:
        self.problem = self.problem or problem


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
