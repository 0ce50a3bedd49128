"""Archive memories in the scores, and take ended edges out of the graph's index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.index.sync import ended_edges
from reverie.model.change import Action
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.decay import Trace
    from reverie.model.change import Edit
    from reverie.session.session import Session


class UnreadableScoresError(RefusedError):
    """Something is to be noted in the scores, and they have to be mended first."""

    says = f"{layout.SCORES} cannot be read, so nothing can be noted in it"
    mend = (
        "`reverie check` says what is wrong; mend it, or take the last good one back "
        f"with `reverie undo --file {layout.SCORES}`."
    )


def archive_in_scores(
    session: Session,
    ids: Iterable[str],
    why: str = "forgot",
    back: Iterable[str] = (),
    pages: Sequence[Edit] = (),
) -> tuple[Edit, ...]:
    """Say in the scores, and in the graph's index, that memories are archived.

    Args:
        session: The workspace's parts.
        ids: What is archived.
        why: What made it so.
        back: What was archived as a whole, is spoken of again, and is shown again.
        pages: Edits of the same change.
    """

    def changed(some: Iterable[str], *, archived: bool) -> dict[str, Trace]:
        traces = {id_: session.index.trace(id_) for id_ in some}
        return {
            id_: replace(trace, archived=archived)
            for id_, trace in traces.items()
            if trace and trace.archived is not archived
        }

    again, changes = changed(back, archived=False), changed(ids, archived=True)
    new = again | changes
    edits = session.plan_snapshot(new, pages=pages) if new else ()
    if not changes:
        return edits
    if all(edit.path != layout.SCORES for edit in edits):
        raise UnreadableScoresError
    said = f"{why} {', '.join(changes)}"
    return tuple(replace(e, action=Action.ARCHIVE, summary=said) for e in edits)


def plan_graph_without(session: Session, pages: Sequence[Edit]) -> tuple[Edit, ...]:
    """Plan the graph's index without edges that end, if it still holds one of them."""
    if any(edit.path == layout.GRAPH_INDEX for edit in pages):
        return ()
    read = session.ledger.read
    rows = (read(layout.GRAPH_INDEX) or b"").decode("utf-8", "replace")
    ended = ended_edges(session.index, pages, read)
    if not any(f"| {' | '.join(edge)} |" in rows for edge in ended):
        return ()
    planned = session.plan_snapshot(pages=pages)
    return tuple(edit for edit in planned if edit.path == layout.GRAPH_INDEX)
