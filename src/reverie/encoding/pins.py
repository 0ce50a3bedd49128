"""Pinning and unpinning (design, 4 and 9)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.encoding.pinning import plan_pin
from reverie.errors import RefusedError
from reverie.model.change import Approval, ChangeSet, Receipt
from reverie.model.ids import ItemId
from reverie.session.session import NoSuchMemoryError
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.decay import Trace
    from reverie.model.change import Actor, Edit
    from reverie.session.session import House


class UnreadableScoresError(RefusedError):
    """Something is to be noted in the scores, and they have to be mended first."""

    def __init__(self) -> None:
        super().__init__(
            f"{layout.SCORES} cannot be read, so nothing can be noted in it",
            hint="`reverie check` says what is wrong; mend it, or take the last "
            f"good one back with `reverie undo --file {layout.SCORES}`.",
        )


def set_pin(house: House, item_id: str, actor: Actor, *, pinned: bool) -> Receipt:
    """Note that a memory is pinned, or no longer; in its file, else in the scores."""
    parsed = ItemId.parse(item_id)
    house.look()
    found = house.find(str(parsed))
    trace = house.index.trace(str(parsed))
    if found is None or trace is None:
        raise NoSuchMemoryError(item_id)
    data = house.ledger.read(found.path) or b""
    own = plan_pin(parsed, found.path, data, pinned=pinned)
    if trace.pinned == pinned:
        head = house.ledger.head
        return Receipt(head, house.clock(), (), actor, (str(parsed),))
    word = "pin" if pinned else "unpin"
    edits = (own,) if own else _in_scores(house, parsed, trace, word)
    change = ChangeSet(edits, actor, Approval.NONE, f"reverie {word}")
    return replace(house.commit(change, allowed=True), ids=(str(parsed),))


def _in_scores(
    house: House, item_id: ItemId, trace: Trace, word: str
) -> tuple[Edit, ...]:
    """Day logs are never edited: the scores say which episodes are pinned."""
    changes = {str(item_id): replace(trace, pinned=word == "pin")}
    edits = tuple(
        replace(edit, summary=f"{word}ned {item_id}")
        for edit in house.plan_snapshot(changes)
        if edit.path == layout.SCORES
    )
    if not edits:
        raise UnreadableScoresError
    return edits
