"""Parse what a mind wrote as operations (reflection v2, phase 3).

Whatever it wrote, nothing here raises: what cannot be read, or may not be done, is
refused with the reason. What stands in a block may come from a mail that the agent once
read, so nothing is guessed: where one block of a text is in doubt, so are all of them.
In a code fence content is content.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.markdown import headline, hidden_lines, one_line, tidy
from reverie.model.reflection import THOUGHT, Operation, OperationKind, Refused
from reverie.secrets import find_secrets, without_secrets
from reverie.secrets.labels import fold, look_alike, lowered
from reverie.stores.text import UnstorableTextError, storable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


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

MOST_OPERATIONS = 60
MOST_REFUSED = 60
MOST_READ = 500
"""So many blocks of one answer are looked at; who writes more has gone astray."""

LONGEST_ANSWER = 2_000_000

_NOTHING = frozenset({"n/a", "none", "-", "—", "[if applicable]"})


class ReadOperations(Struct, frozen=True):
    """What was read: what may go on, and what may not, each in its order."""

    operations: tuple[Operation, ...] = ()
    refused: tuple[Refused, ...] = ()


def parse_structured(values: Sequence[Mapping[str, object]]) -> ReadOperations:
    """Read operations that were answered as JSON objects."""
    return _gathered(map(_structured, values[:MOST_READ]), len(values) - MOST_READ)


def parse_text(text: str) -> ReadOperations:
    """Read operations in the text form: blocks between lines of dashes.

    Where one of them is in doubt, nobody can tell where any ends: all are refused.
    """
    if len(text) > LONGEST_ANSWER:
        why = f"the answer has {len(text):,} characters, {LONGEST_ANSWER:,} are allowed"
        return ReadOperations(refused=(Refused("the whole answer", why),))
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
    found = [_block(block) for block in meant[:MOST_READ]]
    if any(isinstance(each, Refused) for each in found):
        why = "another block cannot be read, so where this one ends is in doubt"
        found = [
            each if isinstance(each, Refused) else Refused(name_of(each), why)
            for each in found
        ]
    return _gathered(found, len(meant) - MOST_READ)


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

NEAR = 4
"""So many words behind its kind an operation may name what it is about."""

_KINDS = "|".join(kind.lower() for kind in OperationKind)
_MARK = re.compile(rf"\boperation[ :=]{{1,6}}({_KINDS})\b")
_KIND = re.compile(rf"\b({_KINDS})\b(?=((?: \S{{1,200}}){{1,{NEAR}}}))")
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
    if operation.kind is OperationKind.CORE and any(quotable(operation.content)):
        return "it holds an operation of its own"
    return ""
