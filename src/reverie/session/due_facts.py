"""Facts that begin or end on a day that has come.

A fact may hold from a later day on (`since`), or until one (`until`). Until then its
page says so and nothing else changes. The first look at the files on or after that day
strikes out what has ended, and puts a fact in the place of what it supersedes.
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
    from datetime import date, datetime

    from reverie.index import Index
    from reverie.ledger import Ledger
    from reverie.model.items import Entity, Fact


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


def find_due_pages(parts: Parts) -> list[str]:
    """Return IDs of pages to change by now; none for a handle that only reads."""
    if parts.ledger.confined:
        return []
    return parts.index.pages_due(parts.clock().date())


def plan_due_changes(parts: Parts) -> Iterator[ChangeSet]:
    """Plan the changes by which facts begin and end, page by page."""
    pages = Pages(parts.ledger.read, parts.place, parts.clock().date())
    for id_ in find_due_pages(parts):
        # What does not read is left until a person mends it.
        with suppress(FormatError):
            path, old, page = pages.find(id_.partition(":")[2])
            if page is None:
                continue
            before, why = page, ""
            for day, fact, ends in _due_events(page.entity, pages.today):
                if ends:
                    page = _ended(page, fact.text, day)
                    why = f"held until {day}: {headline(fact.text)}"
                else:
                    page = entities.begin_fact(page, fact)
                    why = f"holds from {day} on: {headline(fact.text)}"
            if page is before:
                continue
            page, more = end_links(before, page, pages)
            page = entities.set_header(page, updated=pages.today)
            new = entities.render_entity(page)
            edits = (edit_of(path, old, new, Action.EDIT, why), *more)
            yield ChangeSet(edits, BEGINNING, Approval.AUTO, "its day has come")


def _due_events(entity: Entity, today: date) -> list[tuple[date, Fact, bool]]:
    """Return the days, facts and whether each ends, in the order of the days."""
    found = []
    for fact in (fact for fact in entity.facts if fact.current):
        name = entities.short_name(fact.text)
        begins = fact.supersedes or any(
            link.begins and name in {each[:6] for each in link.facts}
            for link in entity.links
        )
        if begins and fact.since and fact.since <= today:
            found.append((fact.since, fact, False))
        if fact.ends and fact.ends <= today:
            found.append((fact.ends, fact, True))
    return sorted(found, key=lambda event: event[0])


def _ended(page: entities.EntityPage, text: str, day: date) -> entities.EntityPage:
    """Return a page on which a fact ended, unless another one replaced it before."""
    name = entities.reference(text)
    held = {entities.reference(f.text) for f in page.entity.facts if f.current}
    return entities.end_fact(page, name, until=day) if name in held else page
