"""What of a proposal a decision carries out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.errors import NotFoundError, RefusedError
from reverie.model.reflection import Choice

if TYPE_CHECKING:
    from reverie.model.reflection import Decision, Operation, PendingReflection


class UnknownItemError(NotFoundError):
    """A number that no change of the proposal has."""

    def __init__(self, number: int, most: int) -> None:
        has = f"its changes are 1\u2013{most}" if most > 1 else "it has change 1 alone"
        super().__init__(
            f"there is no change {number} in this proposal: "
            f"{has if most else 'it has no changes'}",
            hint="`reverie reflect show` shows them with their numbers.",
        )


class NotAcceptedError(RefusedError):
    """A new text for a change that is not to be carried out."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"change {number} has a new text and is not accepted",
            hint="Accept it as well, or leave its text out.",
        )


def settled(
    pending: PendingReflection, decision: Decision
) -> tuple[tuple[int, Operation], ...]:
    """The operations to carry out with their numbers, in order, as they were changed.

    Raises:
        UnknownItemError: It names a change that is not there.
        NotAcceptedError: It changes what it does not accept.
    """
    most = len(pending.operations)
    chosen = () if decision.choice is Choice.REJECT else decision.accepted
    texts = dict(decision.changes)
    for number in (*chosen, *texts):
        if not 1 <= number <= most:
            raise UnknownItemError(number, most)
    for number in texts:
        if number not in chosen:
            raise NotAcceptedError(number)
    return tuple(
        (number, _with_text(pending.operations[number - 1], texts.get(number)))
        for number in sorted(set(chosen))
    )


def _with_text(operation: Operation, text: str | None) -> Operation:
    return operation if text is None else replace(operation, content=text)
