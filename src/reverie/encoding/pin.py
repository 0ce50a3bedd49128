"""Pin a memory so that it does not fade, and unpin it (design, 4 and 9)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.change import Action, Approval, ChangeSet, Edit, Receipt, checksum
from reverie.model.ids import ItemId, Kind
from reverie.session.session import NoSuchMemoryError
from reverie.stores import core, entities, procedures
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.decay import Trace
    from reverie.model.change import Actor
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


class AlwaysPinnedError(RefusedError):
    """A vault note cannot be unpinned where it is."""

    def __init__(self, item_id: ItemId) -> None:
        super().__init__(
            f"{item_id} is in the vault, where everything is pinned",
            hint="Move its file out of memory/vault/ to let it fade.",
        )


def plan_pin(item_id: ItemId, path: str, data: bytes, *, pinned: bool) -> Edit | None:
    """Plan to note in a memory's own file that it is pinned, or no longer.

    Returns:
        The edit; None where files of this kind do not say it, or nothing changes.
    """
    text = data.decode("utf-8")
    match item_id.kind:
        case Kind.ENTITY:
            page = entities.set_header(entities.parse_entity(text, path), pinned=pinned)
            new = entities.render_entity(page).encode()
        case Kind.PROCEDURE:
            known = procedures.parse_procedure(text, path)
            known = procedures.set_header(known, pinned=pinned)
            new = procedures.render_procedure(known).encode()
        case Kind.CORE:
            memory = core.set_pinned(
                core.parse_core(text, path), item_id, pinned=pinned
            )
            new = core.render_core(memory).encode()
        case _:
            return None
    if new == data:
        return None
    word = "pinned" if pinned else "unpinned"
    return Edit(path, new, checksum(data), Action.EDIT, f"{word} {item_id}")
