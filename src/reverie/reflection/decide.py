"""Decide: what of a proposal a decision carries out, and what the human corrected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.errors import NotFoundError, RefusedError
from reverie.model.change import Action
from reverie.model.origin import Origin, least
from reverie.model.reflection import Choice, Expected, OperationKind
from reverie.reflection.proposal_page import parse_pending
from reverie.reflection.trial import expectations
from reverie.stores.expectations import same_question
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from reverie.model.reflection import Decision, Operation, PendingReflection
    from reverie.reflection.cycle import Study


class UnknownItemError(NotFoundError):
    """A number that no change of the proposal has."""

    def __init__(self, number: int, most: int) -> None:
        has = f"its changes are 1\u2013{most}" if most > 1 else "it has change 1 alone"
        super().__init__(
            f"there is no change {number} in this proposal: "
            f"{has if most else 'it has no changes'}",
            hint="`reverie reflect show` shows them with their numbers.",
        )


class NoTextError(RefusedError):
    """A new text for a change that writes none, or is not to be carried out."""

    def __init__(self, number: int, *, accepted: bool) -> None:
        what = f"change {number} has a new text and is not accepted"
        hint = "Accept it as well, or leave its text out."
        if accepted:
            what = f"change {number} archives a memory: it has no text that could be"
            what += " another"
            hint = f"`approve {number}` or `approve all but {number}`; "
            hint += '`reverie remember "…"` stores what you want to add.'
        super().__init__(what, hint=hint)


def settled(
    pending: PendingReflection, decision: Decision
) -> tuple[tuple[int, Operation], ...]:
    """The operations to carry out with their numbers, in order, as they were changed.

    Raises:
        UnknownItemError: It names a change that is not there.
        NoTextError: It gives a text to what writes none, or is not accepted.
    """
    most = len(pending.operations)
    chosen = () if decision.choice is Choice.REJECT else decision.accepted
    texts = dict(decision.changes)
    for number in (*chosen, *texts):
        if not 1 <= number <= most:
            raise UnknownItemError(number, most)
    for number in texts:
        archives = pending.operations[number - 1].kind is OperationKind.ARCHIVE
        if number not in chosen or archives:
            raise NoTextError(number, accepted=number in chosen)
    operations = dict(enumerate(pending.operations, 1))
    for number, text in texts.items():
        operations[number] = replace(operations[number], content=text)
    return tuple((number, operations[number]) for number in sorted(set(chosen)))


@dataclass(frozen=True, slots=True)
class Edited:
    """What the human did to the page before they decided.

    Attributes:
        changed: Numbers of the changes whose text they typed.
        dropped: The changes they took off the page.
    """

    changed: frozenset[int] = frozenset()
    dropped: tuple[Operation, ...] = ()

    def told(self, decision: Decision) -> Decision:
        """A decision that says what it is, with what was done to the page."""
        if decision.choice is Choice.APPROVE and self.changed:
            return replace(decision, choice=Choice.CHANGE)
        if decision.choice is Choice.APPROVE and self.dropped:
            return replace(decision, choice=Choice.PARTIAL)
        return decision


def edited_by_hand(study: Study, pending: PendingReflection) -> Edited:
    """How the page differs from the one that was laid out."""
    first = laid_out(study)
    if first is None:
        return Edited()
    left = list(first.operations)
    unknown = []
    for number, operation in enumerate(pending.operations, 1):
        if operation in left:
            left.remove(operation)
        else:
            unknown.append((number, operation))
    for _, operation in unknown:
        same = [o for o in left if _place_of(o) == _place_of(operation)]
        if same:
            left.remove(same[0])
    return Edited(frozenset(number for number, _ in unknown), tuple(left))


def origins(pending: PendingReflection, first: PendingReflection) -> Iterator[Origin]:
    """Whose words each change of a page is made of, as it was laid out.

    What was corrected on the page stays made of what it was made of; what was added
    to it may be made of anything in it.
    """
    known: dict[tuple[str, str], list[Origin]] = {}
    exact = {(each, each.content): each.origin for each in first.operations}
    for each in first.operations:
        known.setdefault(_place_of(each), []).append(each.origin)
    anything = least([Origin.AGENT, *(each.origin for each in first.operations)])
    for each in pending.operations:
        same = exact.get((each, each.content))
        yield same or least(known.get(_place_of(each), [anything]))


def _place_of(operation: Operation) -> tuple[str, str]:
    return operation.kind, operation.target


def laid_out(study: Study) -> PendingReflection | None:
    """The newest proposal as it was laid out; history knows, whatever a page says."""
    return read_pending(laid_page(study))


def laid_page(study: Study) -> str:
    """The page of the newest proposal as it was laid out; empty if there is none."""
    path, ledger = layout.PENDING_REFLECTION, study.house.ledger
    for entry in ledger.history():
        first = entry.lines[0] if entry.lines else None
        proposes = first is not None and first.action is Action.PROPOSE
        if proposes and entry.actor.session and first and first.path == path:
            data = ledger.read_at(entry.commit, path) or b""
            return data.decode("utf-8", "replace")
    return ""


@lru_cache(maxsize=8)
def read_pending(page: str) -> PendingReflection | None:
    """What a page proposes; the same page is looked at again and again."""
    return parse_pending(page, layout.PENDING_REFLECTION)


def corrections(
    study: Study, pending: PendingReflection, decision: Decision, edited: Edited
) -> tuple[Expected, ...]:
    """The questions that facts answer which the human corrected, one each.

    Of several that only ask for all that is known, the first one is kept. What the
    human wanted kept findable makes room only if they insist.
    """
    changed = {*dict(decision.changes), *edited.changed}
    kept = () if decision.regardless else expectations(study.house)
    wanted = [each.question for each in kept if each.source == "manual"]
    found: dict[str, Expected] = {}
    for number, operation in settled(pending, decision):
        if number in changed and operation.kind is OperationKind.EXTRACT:
            for expected in _expected(operation, study.today(), pending.session):
                if not any(same_question(expected.question, q) for q in wanted):
                    found.setdefault(expected.question, expected)
    return tuple(found.values())


def _expected(operation: Operation, day: date, session: str) -> Iterator[Expected]:
    name = operation.target.rpartition("/")[2].removesuffix(".md")
    label = name.partition("--")[2].replace("-", " ").title()
    for line in operation.content.split("\n"):
        fact = line.strip().removeprefix("- ").partition("(supersedes:")[0]
        fact = fact.partition("(since:")[0].strip()
        if fact and not fact.startswith(("#", "**")):
            yield Expected(f"What is known about {label}?", fact, day, session)
