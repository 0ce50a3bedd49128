"""What the human corrected in a proposal, on its page or while approving it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.model.change import Action
from reverie.model.origin import Origin, least
from reverie.model.reflection import Choice, Expected, OperationKind
from reverie.reflection.decision import settled
from reverie.reflection.expecting import expectations
from reverie.reflection.proposal_page import parse_pending
from reverie.stores.expectations import same_question
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from reverie.model.reflection import Decision, Operation, PendingReflection
    from reverie.reflection.dreaming import Dreamer


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


def edited_by_hand(dreamer: Dreamer, pending: PendingReflection) -> Edited:
    """How the page differs from the one that was laid out."""
    first = laid_out(dreamer)
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


def laid_out(dreamer: Dreamer) -> PendingReflection | None:
    """The newest proposal as it was laid out; history knows, whatever a page says."""
    return read_pending(laid_page(dreamer))


def laid_page(dreamer: Dreamer) -> str:
    """The page of the newest proposal as it was laid out; empty if there is none."""
    path, ledger = layout.PENDING_REFLECTION, dreamer.house.ledger
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
    dreamer: Dreamer, pending: PendingReflection, decision: Decision, edited: Edited
) -> tuple[Expected, ...]:
    """The questions that facts answer which the human corrected, one each.

    Of several that only ask for all that is known, the first one is kept. What the
    human wanted kept findable makes room only if they insist.
    """
    changed = {*dict(decision.changes), *edited.changed}
    kept = () if decision.regardless else expectations(dreamer.house)
    wanted = [each.question for each in kept if each.source == "manual"]
    found: dict[str, Expected] = {}
    for number, operation in settled(pending, decision):
        if number in changed and operation.kind is OperationKind.EXTRACT:
            for expected in _expected(operation, dreamer.today(), pending.session):
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
