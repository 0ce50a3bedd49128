"""Facts whose day has come: they take the place of what held until then.

Noticed at a look, like what a person changed by hand; until then both stand, and the
one that is to come is told with its day.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from reverie.errors import FormatError
from reverie.markdown import headline
from reverie.model.change import BEGINNING, Action, Approval, ChangeSet, edit_of
from reverie.stores import entities
from reverie.stores.ended_links import Pages, end_links

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from reverie.index import Index
    from reverie.ledger import Ledger


class Parts(Protocol):
    """What is needed of an open workspace."""

    ledger: Ledger

    def clock(self) -> datetime:
        """The moment, on the clocks of the workspace."""

    def place(self, folder: str, name: str) -> str:
        """Where a file of some name stands."""

    @property
    def index(self) -> Index:
        """What is where."""


def find_due(parts: Parts) -> list[str]:
    """Pages on which a fact is to supersede another by now; none for who only reads."""
    if parts.ledger.confined:
        return []
    return parts.index.superseding(parts.clock().date())


def plan_begun(parts: Parts) -> Iterator[ChangeSet]:
    """The changes by which facts supersede what they are to, page by page."""
    pages = Pages(parts.ledger.read, parts.place, parts.clock().date())
    for id_ in find_due(parts):
        # What does not read is left until a person mends it.
        with suppress(FormatError):
            path, old, page = pages.find(id_.partition(":")[2])
            due = [
                fact
                for fact in (page.entity.facts if page else ())
                if fact.current and fact.supersedes
                if fact.since and fact.since <= pages.today
            ]
            if page is None or not due:
                continue
            before = page
            for fact in sorted(due, key=lambda fact: str(fact.since)):
                page = entities.begin_fact(page, fact)
            page, more = end_links(before, page, pages)
            page = entities.set_header(page, updated=pages.today)
            why = f"holds from {due[-1].since} on: {headline(due[-1].text)}"
            new = entities.render_entity(page)
            edits = (edit_of(path, old, new, Action.EDIT, why), *more)
            yield ChangeSet(edits, BEGINNING, Approval.AUTO, "its day has come")
