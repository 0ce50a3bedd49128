"""One reflection by rules: from what was read to what is proposed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.encoding.routing import entity_id
from reverie.model.reflection import OperationKind
from reverie.reflection.operations.gates import why_refused
from reverie.reflection.rules.archiving import archivals
from reverie.reflection.rules.connecting import ARROW, connections
from reverie.reflection.rules.extracting import extractions, lasting_in
from reverie.reflection.rules.flagging import conflicts_in
from reverie.reflection.rules.knowing import Found, Library, entity_path, stem_of
from reverie.reflection.rules.listening import statements_of
from reverie.reflection.rules.patterns import patterns_in
from reverie.reflection.rules.themes import themes_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.model.reflection import Operation, Survey
    from reverie.reflection.rules.knowing import Knowledge
    from reverie.reflection.rules.listening import Statement

MOST = 40
"""So many operations a person can decide on."""

ROOM = {
    OperationKind.FLAG: 8,
    OperationKind.EXTRACT: 14,
    OperationKind.CONNECT: 8,
    OperationKind.PATTERN: 4,
    OperationKind.ARCHIVE: 6,
}
"""So many of each kind always find room; what one leaves free is for the others."""

MOST_QUESTIONS = 10


def reflect_by_rules(survey: Survey, known: Knowledge) -> Found:
    """What rules find in what was read."""
    library = Library(survey, known)
    statements = statements_of(survey, library.known)
    lasting, doubts = lasting_in(statements, library)
    conflicts = conflicts_in(statements, library)
    disputed = {said for one in conflicts for said in one.said}
    agreed = [one for one in lasting if one.said not in disputed]
    extracts, others = extractions(agreed, library, survey.core)
    ways, again = patterns_in(statements, library, survey.procedures)
    told = [one for one in conflicts if one.trusted]
    operations = (
        *(one.operation for one in told),
        *extracts,
        *connections(statements, library, survey.graph, {one.name for one in agreed}),
        *ways,
        *archivals(survey, known, _spoken_of(statements)),
        *(one.operation for one in conflicts if not one.trusted),
        *others,
    )
    questions = (*(one.question for one in told), *_open(survey, library), *doubts)
    return Found(
        tuple(_rooted(_chosen(operations), library)),
        themes_in(statements, library),
        tuple(dict.fromkeys(questions))[:MOST_QUESTIONS],
        tuple(again),
    )


def _spoken_of(statements: Iterable[Statement]) -> frozenset[str]:
    """Ids of entities that the new episodes name."""
    return frozenset(
        f"entity:{entity_id(one, said.known)}"
        for said in statements
        for one in said.filing.route.entities
    )


def _chosen(ordered: Sequence[Operation]) -> list[Operation]:
    """The most important of each kind, and then of all, in their order."""
    fit = [one for one in ordered if not why_refused(one)]
    room = dict(ROOM)
    sure: set[int] = set()
    for number, one in enumerate(fit):
        if room[one.kind] > 0:
            room[one.kind] -= 1
            sure.add(number)
    spare = [n for n in range(len(fit)) if n not in sure][: MOST - len(sure)]
    return [fit[n] for n in sorted({*sure, *spare})]


def _rooted(chosen: Sequence[Operation], library: Library) -> Iterator[Operation]:
    """With every page there that an operation needs: no relation without both."""
    made = {one.target for one in chosen if one.kind is OperationKind.EXTRACT}

    def there(name: str) -> bool:
        return library.entity(name) is not None or entity_path(name) in made

    for one in chosen:
        if one.kind is OperationKind.CONNECT:
            if all(map(there, one.content.split(ARROW)[::2])):
                yield one
        elif one.kind is OperationKind.FLAG and not there(stem_of(one.target)):
            yield replace(one, target="")
        else:
            yield one


def _open(survey: Survey, library: Library) -> Iterator[str]:
    """Doubts that pages name and nobody has settled."""
    for page in survey.entities:
        name = stem_of(page.path)
        entity = library.entity(name)
        for asked in entity.questions if entity else ():
            if asked.startswith(_SAME_AS):
                other = asked.removeprefix(_SAME_AS).partition("]]")[0]
                yield f"Is {library.label(name)} the same as {library.label(other)}?"


_SAME_AS = "Is this the same as [["
