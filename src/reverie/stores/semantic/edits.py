"""Changes to an entity page: each touches its own line and leaves the rest alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.errors import NotFoundError
from reverie.markdown import (
    escape,
    escape_field,
    parse_page,
    render_item,
    visible,
    with_field,
    with_item,
    with_lines,
)
from reverie.model.items import Fact, Link
from reverie.stores.semantic.facts import (
    fact_id,
    other_fields,
    parse_fact,
    parse_fact_id,
    reference,
    render_fact,
)
from reverie.stores.semantic.pages import (
    FACTS,
    ORDER,
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
    from collections.abc import Iterable
    from datetime import date


WHICH_HOLDS = "Which holds:"
"""How a page begins to ask about facts that cannot all be true."""


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


def current_facts(text: str, path: str) -> list[tuple[int, Fact]]:
    """The facts of a page that hold, each with its line; the rest is not read."""
    pieces = parse_page(text, path, ORDER).items(FACTS)
    found = ((piece.line, parse_fact(piece)) for piece in pieces)
    return [(line, fact) for line, fact in found if fact.current]


def cited_fact(page: EntityPage, said: str) -> str:
    """`reference()` of the fact that somebody names by its id or by its words.

    Raises:
        MissingFactError: None that holds has this id.
    """
    cited = parse_fact_id(said)
    if cited is None:
        return reference(said)
    for fact in page.entity.facts:
        name = reference(fact.text)
        if fact.current and cited[0] == page.entity.name and name.startswith(cited[1]):
            return name
    raise MissingFactError(said, page.path)


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
        changed = read_page(with_lines(page.page, piece.line, piece.raw, raw))
        settled = _without_questions(changed, fact.text)
        return add_fact(settled, replace(new, since=new.since or on))
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
            changed = read_page(with_lines(page.page, piece.line, piece.raw, raw))
            return _without_questions(changed, fact.text)
    raise MissingFactError(name, page.path)


def ask_which_holds(page: EntityPage, ids: Iterable[str]) -> EntityPage:
    """A page that asks which of some facts holds, each named by its id."""
    question = f"{WHICH_HOLDS} {' or '.join(ids)}?"
    return page if question in page.entity.questions else add_question(page, question)


def _without_questions(page: EntityPage, text: str) -> EntityPage:
    """A page that no longer asks whether a fact holds which has ended."""
    name = fact_id(page.entity.name, text)
    for piece in page.page.items(QUESTIONS):
        said = visible(piece.text)
        if said.startswith(WHICH_HOLDS) and name in said.rstrip("?").split():
            rest = read_page(with_lines(page.page, piece.line, piece.raw, ""))
            return _without_questions(rest, text)
    return page


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
