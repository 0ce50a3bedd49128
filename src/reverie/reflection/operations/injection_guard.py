"""Screen a mind's operations: no secrets, nothing hidden, nothing quoted or nested.

An episode that says `OPERATION: ARCHIVE` is a text somebody wrote, and a mind that
hands it back has quoted it, not thought it. All forms come down to one here: lines with
or without bold letters and quotation marks, JSON, tags, everything on one line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.model.reflection import OperationKind
from reverie.secrets import find_secrets
from reverie.secrets.fold import fold, look_alike, lowered
from reverie.stores.text import UnstorableTextError, storable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reverie.model.reflection import Operation


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
