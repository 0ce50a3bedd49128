"""Changes to an entity page: each touches its own line and leaves the rest alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.errors import NotFoundError
from reverie.markdown import (
    escape,
    escape_field,
    render_item,
    with_field,
    with_item,
    with_lines,
)
from reverie.model.items import Fact, Link
from reverie.stores.semantic.facts import (
    other_fields,
    parse_fact,
    reference,
    render_fact,
)
from reverie.stores.semantic.pages import (
    FACTS,
    QUESTIONS,
    RELATIONS,
    TIMELINE,
    EntityPage,
    parse_link,
    read_page,
    render_aliases,
    render_dated,
    render_link,
)

if TYPE_CHECKING:
    from datetime import date


class MissingFactError(NotFoundError):
    """A page has no such fact, or it no longer holds."""

    def __init__(self, name: str, path: str) -> None:
        super().__init__(
            f"no fact {name} holds in {path}",
            hint="Read the page again: the fact may have been changed meanwhile.",
        )


def add_fact(page: EntityPage, fact: Fact) -> EntityPage:
    """A page that knows one more fact; one that already holds is not added again."""
    if any(f.current and f.text == fact.text for f in page.entity.facts):
        return page
    return read_page(with_item(page.page, FACTS, render_fact(fact)))


def supersede_fact(page: EntityPage, old: str, new: Fact, *, on: date) -> EntityPage:
    """A page on which one fact took the place of another.

    The old one is kept, struck out, with the day it ended and what followed.

    Args:
        page: The page.
        old: `reference()` of a fact that holds.
        new: What holds instead; the same words change nothing.
        on: The day of the change; also the new fact's first day if it has none.
    """
    successor = reference(new.text)
    for piece in page.page.items(FACTS):
        fact = parse_fact(piece)
        if not fact.current or reference(fact.text) != old:
            continue
        if successor == old:
            return page
        ended = replace(fact, until=on, superseded_by=successor)
        raw = render_fact(ended, other_fields(piece))
        changed = with_lines(page.page, piece.line, piece.raw, raw)
        return add_fact(read_page(changed), replace(new, since=new.since or on))
    raise MissingFactError(old, page.path)


def forget_fact(page: EntityPage, name: str, *, on: date) -> EntityPage:
    """A page on which a fact is struck out because its human said to forget it.

    Args:
        page: The page.
        name: `reference()` of a fact that holds.
        on: The day of the wish.
    """
    for piece in page.page.items(FACTS):
        fact = parse_fact(piece)
        if fact.current and reference(fact.text) == name:
            raw = render_fact(replace(fact, forgotten=on), other_fields(piece))
            return read_page(with_lines(page.page, piece.line, piece.raw, raw))
    raise MissingFactError(name, page.path)


def add_timeline(page: EntityPage, day: date, text: str) -> EntityPage:
    """A page that tells of one more event."""
    return read_page(with_item(page.page, TIMELINE, render_dated(day, text)))


def add_question(page: EntityPage, text: str) -> EntityPage:
    """A page with one more open question."""
    item = render_item(escape(text, item=True))
    return read_page(with_item(page.page, QUESTIONS, item))


def add_link(page: EntityPage, label: str, target: str) -> EntityPage:
    """A page linked to one more entity; a link it has already is not added again."""
    for piece in page.page.items(RELATIONS):
        link = parse_link(piece)
        if link is None or link.label.casefold() != label.casefold():
            continue
        if target in link.targets:
            return page
        at = piece.raw.rindex("]]") + 2
        raw = f"{piece.raw[:at]}, [[{target}]]{piece.raw[at:]}"
        return read_page(with_lines(page.page, piece.line, piece.raw, raw))
    item = render_link(Link(label, (target,)))
    return read_page(with_item(page.page, RELATIONS, item))


def add_alias(page: EntityPage, name: str) -> EntityPage:
    """A page that lists one more name; one it goes by already is not added again."""
    names = (page.entity.label, *page.entity.aliases)
    if name.casefold() in (known.casefold() for known in names):
        return page
    aliases = render_aliases((*page.entity.aliases, name))
    return read_page(with_field(page.page, "Aliases", aliases, beside="Type"))


def set_header(
    page: EntityPage,
    *,
    updated: date | None = None,
    pinned: bool | None = None,
    label: str | None = None,
) -> EntityPage:
    """A page whose header says what is given, and the rest as before."""
    text = page.page
    if updated is not None:
        text = with_field(text, "Last updated", updated.isoformat(), beside="Type")
    if label is not None:
        text = with_field(text, "Label", escape_field(label), beside="Type")
    if pinned is not None:
        flag = "yes" if pinned else "no"
        text = with_field(text, "Pinned", flag, beside="Decay score")
    return read_page(text)
