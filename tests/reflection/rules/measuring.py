"""How near the rules come to what a careful person would propose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from reverie.model.reflection import OperationKind
from reverie.reflection.rules.flagging import asks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from tests.reflection.rules.labels import Diary

    from reverie.model.reflection import Operation
    from reverie.reflection.rules import Found


class Measured(NamedTuple):
    """What came out of one kind.

    Attributes:
        right: Labels that were found.
        missed: Labels that were not.
        wrong: What was found and is on no label.
    """

    right: int
    missed: tuple[object, ...]
    wrong: tuple[object, ...]

    @property
    def precision(self) -> float:
        """How much of what was found is right."""
        return self.right / ((self.right + len(self.wrong)) or 1)

    @property
    def recall(self) -> float:
        """How much of what is right was found."""
        return self.right / ((self.right + len(self.missed)) or 1)


def measure(diary: Diary, found: Found) -> dict[OperationKind, Measured]:
    """What came out of each kind."""
    by_kind: dict[OperationKind, list[tuple[str, str]]] = {}
    for operation in found.operations:
        # A page that is made for a question alone is a question.
        kind = OperationKind.FLAG if asks(operation) else operation.kind
        by_kind.setdefault(kind, []).extend(_said(operation))
    return {
        kind: _matched(by_kind.get(kind, []), labels(diary), matches)
        for kind, (labels, matches) in _KINDS.items()
    }


def _said(operation: Operation) -> Iterator[tuple[str, str]]:
    """What an operation says, one pair of target and words each."""
    target = operation.target.rpartition("/")[2].removesuffix(".md")
    if operation.kind is OperationKind.EXTRACT and not asks(operation):
        for line in operation.content.splitlines():
            yield target, line.partition(" (since:")[0]
    else:
        yield target, operation.content


def _matched(
    found: list[tuple[str, str]],
    labels: Collection[tuple[str, ...]],
    matches: Callable[[tuple[str, ...], str, str], bool],
) -> Measured:
    left = set(labels)
    wrong = []
    for target, words in found:
        hits = {label for label in left if matches(label, target, words)}
        if not hits:
            wrong.append((target, words))
        left -= set(sorted(hits)[:1])
    return Measured(len(labels) - len(left), tuple(sorted(left)), tuple(wrong))


def _names_both(label: tuple[str, ...], target: str, words: str) -> bool:
    return label[0] == target and all(part in words for part in label[1:])


def _relates(label: tuple[str, ...], _: str, words: str) -> bool:
    ends = tuple(words.split(" \u2192 "))
    turned = label[1] == "relates-to" and ends == label[::-1]
    return ends == label or turned


def _is_target(label: tuple[str, ...], target: str, _: str) -> bool:
    return label == (target,)


def _has_words(label: tuple[str, ...], _: str, words: str) -> bool:
    return all(part.lower() in words.lower() for part in label)


def _archived(diary: Diary) -> Collection[tuple[str, ...]]:
    return {(id_,) for id_ in diary.archived}


_KINDS: dict[
    OperationKind,
    tuple[
        Callable[[Diary], Collection[tuple[str, ...]]],
        Callable[[tuple[str, ...], str, str], bool],
    ],
] = {
    OperationKind.EXTRACT: (lambda diary: diary.facts, _names_both),
    OperationKind.CONNECT: (lambda diary: diary.relations, _relates),
    OperationKind.FLAG: (lambda diary: diary.conflicts, _names_both),
    OperationKind.ARCHIVE: (_archived, _is_target),
    OperationKind.PATTERN: (lambda diary: diary.patterns, _has_words),
}


def report(name: str, results: dict[OperationKind, Measured]) -> str:
    """The figures as lines."""
    return "\n".join(
        f"{name:10} {kind:8} precision {one.precision:.2f} recall {one.recall:.2f}"
        f" ({one.right} right, {len(one.missed)} missed, {len(one.wrong)} wrong)"
        for kind, one in results.items()
    )
