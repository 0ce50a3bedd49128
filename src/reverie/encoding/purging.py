"""Taking everything of one origin out of memory, in one change that can be undone.

It is no erasure: history keeps it, and `undo` brings it back. And it is no wish to
forget: what is told again by somebody else is learned again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.purge import PURGEABLE, Wanted, concerned, plan_purge
from reverie.errors import RefusedError
from reverie.model.change import Approval, ChangeSet, Receipt
from reverie.model.origin import Origin
from reverie.model.views import Purge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.purge import Cut
    from reverie.model.change import Actor
    from reverie.session.session import House


class NotPurgeableError(RefusedError):
    """Everything of an origin was to go that cannot go as a whole."""

    def __init__(self, origin: object) -> None:
        super().__init__(
            f"everything of origin {str(origin)[:40]!r} cannot be taken out at once",
            hint=f"It can be {', '.join(PURGEABLE)}; your own words: `reverie forget`.",
        )


class NoSourceError(RefusedError):
    """One source was named of an origin that knows none."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(
            f"what comes from {origin} does not say which one it was",
            hint="Only an import has a source; leave it out to take all of it.",
        )


class PurgeChangedError(RefusedError):
    """What was shown is not what would go now."""

    def __init__(self) -> None:
        super().__init__(
            "nothing was taken out: memory has changed since it was shown",
            hint="Look again at what would go, then confirm.",
        )


def find_purge(house: House, origin: Origin | str, source: str) -> Purge:
    """Everything of one origin, and where it stands."""
    if origin not in PURGEABLE:
        raise NotPurgeableError(origin)
    kind = Origin(origin)
    if source and kind is not Origin.IMPORT:
        raise NoSourceError(kind)
    house.look()
    cuts = _cuts(house, kind, source)
    return Purge(kind, source, tuple(each for cut in cuts for each in cut.taken))


def purge(house: House, shown: Purge, actor: Actor) -> Receipt:
    """Take out what was shown: all of it in one change, or nothing."""
    house.look()
    cuts = tuple(_cuts(house, shown.origin, shown.source))
    if tuple(each for cut in cuts for each in cut.taken) != shown.taken:
        raise PurgeChangedError
    ids = tuple(dict.fromkeys(each.id for each in shown.taken))
    if not cuts:
        return Receipt(house.ledger.head, house.clock(), (), actor, ids)
    trigger = f"purge --origin {shown.origin}"
    trigger += f" --source {shown.source}" if shown.source else ""
    edits = tuple(cut.edit for cut in cuts)
    receipt = house.commit(ChangeSet(edits, actor, Approval.NONE, trigger))
    return Receipt(receipt.commit, receipt.at, receipt.lines, actor, ids)


def _cuts(house: House, origin: Origin, source: str) -> Iterator[Cut]:
    wanted = Wanted(origin, source, house.clock().date().isoformat())
    for path in concerned(house.index.signatures()):
        data = house.ledger.read(path)
        cut = plan_purge(path, data, wanted) if data else None
        if cut is not None:
            yield cut
