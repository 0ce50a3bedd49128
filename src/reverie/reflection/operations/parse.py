"""Parse what a mind wrote as operations (reflection v2, phase 3).

Whatever it wrote, nothing here raises: what cannot be read, or may not be done, is
refused with the reason, and the rest goes on. What stands in a block may come from a
mail that the agent once read, so nothing is guessed: raw CONTENT ends at the line that
says REASON or EVOLUTION_CONTEXT, and nowhere else. If something in between could be a
block of its own, the whole is in doubt. In a code fence content is content.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.markdown import headline, hidden_lines, one_line, tidy
from reverie.model.reflection import THOUGHT, Operation, OperationKind, Refused
from reverie.secrets import find_secrets, without_secrets
from reverie.secrets.fold import fold, look_alike, lowered
from reverie.stores.text import UnstorableTextError, storable

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


# --- what may not pass: secrets, what nobody sees, what is only quoted -----------
#
# An episode that says `OPERATION: ARCHIVE` is a text somebody wrote, and a mind that
# hands it back has quoted it, not thought it. All forms come down to one here: lines
# with or without bold letters and quotation marks, JSON, tags, all on one line.

REACH = 10_000
"""So far from the word `operation` its target may stand."""

NEAR = 4
"""So many words behind its kind an operation may name what it is about."""

SHORTEST = 12
"""Fewer characters of content say nothing about where they come from."""

_KINDS = "|".join(kind.lower() for kind in OperationKind)
_MARK = re.compile(rf"\boperation[ :=]{{1,6}}({_KINDS})\b")
_KIND = re.compile(rf"\b({_KINDS})\b(?=((?: \S{{1,200}}){{1,{NEAR}}}))")
_ADDRESS = re.compile(r"(?:entity|procedure|episode):|[^ ]*(?:/|--|\.md\b)")
"""What nobody writes who just tells of something: an id, a path, a file."""
_TARGET = re.compile(r"\btarget[ :=]{1,6}(?=(\S[^\n]{0,199}))")
_NOISE = re.compile(r"\\[nrt]|</|[*`_\"'{}\[\],|<>#\\\s]|(?<!\S)-+(?!\S)")
_FOLDERS = re.compile(
    r"^(?:\./)?(?:memory/)?(?:graph/)?(?:entities/|procedures/|meta/)?(?:[0-9a-f]/)*"
    r"(?:entity:|procedure:)?"
)


@dataclass(frozen=True, slots=True)
class Quotable:
    """What could be quoted from the texts that were read.

    Attributes:
        texts: The texts, folded.
        targets: What stands behind `target`, by kind of operation and first word.
        beside: Ids and paths right behind a kind of operation, as the page of a
            proposal, a table or a list has them.
    """

    texts: tuple[str, ...]
    targets: Mapping[tuple[str, str], frozenset[str]]
    beside: frozenset[tuple[str, str]] = frozenset()


def quotable(sources: Iterable[str]) -> Quotable:
    """Gather the ready-made operations of some texts."""
    folded = tuple(map(_folded, sources))
    texts = tuple(text for text in folded if "target" in text)
    beside = frozenset(pair for text in folded for pair in _beside(text))
    targets: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for text in texts:
        for kind, said in _headers(text):
            targets[kind, _bare(said.partition(" ")[0])].add(said)
    heads = {key: frozenset(said) for key, said in targets.items()}
    return Quotable(texts, heads, beside)


def holds_operation(text: str) -> bool:
    """Whether a text has an operation in it, in any of its forms."""
    return any(True for _ in _headers(_folded(text)))


def is_quoted(operation: Operation, held: Quotable) -> bool:
    """Whether an operation stands in what was read, by its head or by its text."""
    target = _folded(operation.target)
    words = target.split(" ")
    heads = held.targets.get((operation.kind.lower(), _bare(words[0])), frozenset())
    head = operation.kind.lower(), _bare(words[0])
    if head in held.beside or any(_begins(said, words) for said in heads):
        return True
    content = _folded(operation.content)
    if len(content) < SHORTEST:
        return False
    whole = re.compile(rf"\btarget[ :=]{{1,6}}{re.escape(target)} content[ :=]{{1,6}}")
    return any(
        text.startswith(content, found.end())
        for text in held.texts
        if content in text
        for found in whole.finditer(text)
    )


def _folded(text: str) -> str:
    """A text in small letters, without markup and with single blanks."""
    plain = lowered(look_alike(fold(text).text))
    return " ".join(_NOISE.sub(" ", plain).split())


def _headers(text: str) -> Iterable[tuple[str, str]]:
    """Each kind of operation in a folded text, with every target near it."""
    marks = [(found.start(), found.end(), found[1]) for found in _MARK.finditer(text)]
    edges = [0, *(start for start, _, _ in marks), len(text)]
    for (before, _), (start, end, kind), after in zip(
        pairwise(edges[:-1]), marks, edges[2:], strict=True
    ):
        for low, high in (
            (end, min(after, end + REACH)),
            (max(before, start - REACH), start),
        ):
            for found in _TARGET.finditer(text, low, high):
                yield kind, found[1]


def _beside(text: str) -> Iterable[tuple[str, str]]:
    """Each kind of operation in a folded text, with what is named right behind it."""
    for found in _KIND.finditer(text):
        for word in found[2].split():
            if _ADDRESS.match(word):
                yield found[1], _bare(word)


def _begins(said: str, words: list[str]) -> bool:
    """Whether what stands behind `target` begins with these words."""
    told = said.split(" ")[: len(words)]
    return list(map(_bare, told)) == list(map(_bare, words))


def _bare(word: str) -> str:
    """A path, an id or a name without what makes the difference between them."""
    return _FOLDERS.sub("", word.strip(".;:!?()")).removesuffix(".md")


LONGEST_CONTENT = 8000
LONGEST_TARGET = 200
LONGEST_REASON = 2000


def why_refused(operation: Operation) -> str:
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
    kinds = [found.kind for text in texts for found in find_secrets(text)]
    if kinds:
        return f"it holds a secret ({', '.join(dict.fromkeys(kinds))})"
    # An operation in a line that is always read is a text that somebody copied.
    if operation.kind is OperationKind.CORE and holds_operation(operation.content):
        return "it holds an operation of its own"
    return ""
