"""One reflection by rules: from what was read to what is proposed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from reverie.agents.clashing import find_clashes
from reverie.encoding.claims import contradicts
from reverie.encoding.routing import entity_id
from reverie.markdown import headline
from reverie.model.proposal import DEFERRED
from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.operations.gates import why_refused
from reverie.reflection.rules.archiving import archivals
from reverie.reflection.rules.candidates import DO, WITH, carried, kept
from reverie.reflection.rules.connecting import ARROW, connections
from reverie.reflection.rules.extracting import extractions, lasting_in
from reverie.reflection.rules.flagging import conflicts_in, page_asking
from reverie.reflection.rules.knowing import Found, Library, entity_path, stem_of
from reverie.reflection.rules.listening import Statement, statements_of
from reverie.reflection.rules.opposing import parts_of
from reverie.reflection.rules.patterns import patterns_in
from reverie.reflection.rules.themes import themes_in
from reverie.stores.proposals import parse_pending
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.model.proposal import Proposal
    from reverie.model.reflection import Survey
    from reverie.reflection.rules.flagging import Conflict
    from reverie.reflection.rules.knowing import Knowledge

MOST = 40
"""So many operations a person can decide on."""

ROOM = {
    OperationKind.FLAG: 8,
    OperationKind.EXTRACT: 14,
    OperationKind.CONNECT: 8,
    OperationKind.PATTERN: 4,
    OperationKind.ARCHIVE: 6,
    OperationKind.COMMIT: 6,
}
"""So many of each kind always find room; what one leaves free is for the others."""

MOST_QUESTIONS = 10


def reflect_by_rules(survey: Survey, known: Knowledge) -> Found:
    """What rules find in what was read."""
    library = Library(survey, known)
    statements = statements_of(survey, library.known)
    conflicts = conflicts_in(statements, library)
    settled = _settled(statements, conflicts)
    lasting, doubts = lasting_in(settled, library)
    extracts, others = extractions(lasting, library, survey.core)
    today = known.now.date()
    before = partial(carried, known.candidates, now=today)
    ways = patterns_in(statements, library, survey.procedures, before(prefix=DO))
    fresh = {one.name for one in lasting}
    links, seldom = connections(
        statements, settled, library, survey.graph, fresh, before(prefix=WITH)
    )
    told = [one for one in conflicts if one.trusted and not one.asked]
    operations = (
        *(one.operation for one in told),
        *extracts,
        *links,
        *ways.operations,
        *archivals(survey, known, _spoken_of(statements)),
        *_deferred(survey),
        *(one.operation for one in conflicts if not (one.trusted or one.asked)),
        *others,
    )
    questions = (*(one.question for one in told), *_open(survey, library), *doubts)
    return Found(
        tuple(_rooted(_chosen(operations), told, library)),
        themes_in(statements, library),
        (
            *dict.fromkeys(questions[:MOST_QUESTIONS]),
            *islice(_disputed(survey), MOST_QUESTIONS),
            *_waiting(survey),
        ),
        tuple(ways.again),
        kept(ways.seldom | seldom, today),
    )


def _settled(
    statements: Iterable[Statement], conflicts: Iterable[Conflict]
) -> list[Statement]:
    """What was said without what something speaks against."""
    disputed = {clause for one in conflicts for clause in one.said}
    whole = {said for said, _ in disputed}
    found: list[Statement] = []
    for said in statements:
        if said not in whole:
            found.append(said)
            continue
        parts = (part for part in parts_of(said.text) if (said, part) not in disputed)
        found.extend(Statement(said.episode, part, said.known) for part in parts)
    return found


def _deferred(survey: Survey) -> Iterator[Operation]:
    """What was left for a reflection, for its human to decide on here."""
    for one in _put_off(survey)[0]:
        reason = f"proposed by {one.sender}, and left for a reflection"
        target = f"#{one.number}"
        yield Operation(
            OperationKind.COMMIT, target, one.content, reason, origin=one.origin
        )


def _disputed(survey: Survey) -> Iterator[str]:
    """What was left for a reflection and cannot all be committed: one question each.

    Those that contradict each other are asked about together.
    """
    left = {f"#{one.number}": one for one in _put_off(survey)[1]}
    while left:
        first = next(iter(left))
        together, near = {}, [first]
        while near:
            name = near.pop()
            if name in left:
                together[name] = left.pop(name)
                near += together[name].conflicts
        said = [f"{name} “{headline(o.content)}”" for name, o in together.items()]
        others = dict.fromkeys(n for o in together.values() for n in o.conflicts)
        said += [name for name in others if name not in together]
        numbers = [n[1:] for n in {**together, **others} if n.startswith("#")]
        ways = f"`reverie resolve {' '.join(numbers)} --keep N`"
        yield f"What holds: {' or '.join(said)}? {ways}."


def _put_off(survey: Survey) -> tuple[list[Proposal], list[Proposal]]:
    """What was left for a reflection: what nothing speaks against, and the rest.

    Each of the rest says what it is at odds with, marked or found now.
    """
    pending = parse_pending(survey.proposals, layout.PENDING).proposals
    against: dict[int, dict[str, None]] = {
        one.number: dict.fromkeys(one.conflicts) for one in pending
    }
    for clash in find_clashes(pending, lambda _: (), contradicts):
        against[clash.number][f"#{clash.other}"] = None
    told = [
        replace(one, conflicts=tuple(against[one.number]))
        for one in pending
        if one.status == DEFERRED
    ]
    return (
        [one for one in told if not one.disputed],
        [one for one in told if one.disputed],
    )


def _waiting(survey: Survey) -> Iterator[str]:
    """That others propose something; rules do not decide on it."""
    pending = parse_pending(survey.proposals, layout.PENDING).proposals
    count = sum(one.status != DEFERRED for one in pending)
    if count:
        words = "proposal of others waits" if count == 1 else "proposals of others wait"
        yield f"{count} {words} for you: `reverie pending`."


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


def _rooted(
    chosen: Sequence[Operation], told: Iterable[Conflict], library: Library
) -> Iterator[Operation]:
    """With every page there that an operation needs: no relation without both."""
    asked = {one.operation for one in told}
    ready = [_with_page(one, library, sure=one in asked) for one in chosen]
    made = {one.target for one in ready if one.kind is OperationKind.EXTRACT}
    for one in ready:
        if one.kind is not OperationKind.CONNECT or all(
            library.entity(name) is not None or entity_path(name) in made
            for name in one.content.split(ARROW)[::2]
        ):
            yield one


def _with_page(one: Operation, library: Library, *, sure: bool) -> Operation:
    """An open question with the page it is asked on; strangers make no pages."""
    name = stem_of(one.target)
    if one.kind is not OperationKind.FLAG or library.entity(name) is not None:
        return one
    page = page_asking(one, name)
    return page if sure and not why_refused(page) else replace(one, target="")


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
