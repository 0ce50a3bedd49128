"""`why`: one memory explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.hits import explained, shares
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.moments import local
from reverie.interfaces.cli.page import (
    BLANK,
    Grid,
    Span,
    Style,
    paragraph,
    row,
    shortened,
)
from reverie.interfaces.cli.recall import here_and_now, question_argument
from reverie.interfaces.cli.session import session_of
from reverie.interfaces.cli.show import standing, uses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.model.change import LogEntry
    from reverie.model.recall import Why

LONGEST_TEXT = 600
LONGEST_QUESTION = 60


@click.command(cls=Verb)
@click.argument("id_", metavar="ID")
@question_argument(required=False)
@click.pass_context
def why(ctx: click.Context, id_: str, question: str) -> None:
    """Tell why the memory ID is there, and why it is as vivid as it is.

    With QUESTION, also why that question finds it, or why not.

        reverie why entity:person--alex
        reverie why episode:2026-02-02:14:30 what did we choose for the index
    """
    session, asked = session_of(ctx), given_text(question).strip()
    with session.asking() as memory:
        told = memory.why(id_, asked, now=here_and_now(session))
    session.answer(told, lambda value: _why(value, asked))


def _why(told: Why, question: str) -> Page:
    page: Page = [row(Span(told.shown.id, Style.ID)), *_text(told), BLANK]
    page += [row(Span("Why it is there", Style.TITLE)), *_origin(told), BLANK]
    page += [row(Span("Why it is as vivid as it is", Style.TITLE)), *_vividness(told)]
    if question:
        page += [BLANK, *_found(told, question)]
    return page


def _text(told: Why) -> Page:
    text = told.shown.text
    if len(text) > LONGEST_TEXT:
        text = f"{text[:LONGEST_TEXT].rstrip()}…"
    return paragraph(text, indent=2)


def _origin(told: Why) -> Page:
    shown = told.shown
    facts = _change(told.change) if told.change else []
    facts.append(("stands in", Span(f"{shown.path}:{shown.line}", Style.PATH)))
    return [_facts(facts)]


def _change(change: LogEntry) -> list[tuple[str, Span]]:
    facts = [
        ("changed by", Span(str(change.actor), Style.ACTOR)),
        ("when", Span(local(change.at))),
        ("trigger", Span(change.trigger)),
        ("change", Span(change.commit[:10], Style.ID)),
    ]
    return [(name, value) for name, value in facts if value.text]


def _vividness(told: Why) -> Page:
    shown = told.shown
    page: Page = [
        _facts(
            [
                ("standing", standing(shown)),
                ("of use", Span(uses(shown))),
                ("created", Span(local(shown.created))),
            ]
        )
    ]
    return [*page, shares(told.fading, 2)] if told.fading else page


def _found(told: Why, question: str) -> Page:
    asked = shortened(question, LONGEST_QUESTION)
    hit = told.hit
    if hit is None or told.hidden:
        page: Page = [row(Span(f"Why it is not found for: {asked}", Style.TITLE))]
        page.append(row(Span(told.hidden or "it does not match", Style.WARN), indent=2))
    else:
        page = [row(Span(f"Why it is found for: {asked}", Style.TITLE))]
    if hit is not None:
        place = f"place {told.rank:,}, " if told.rank else ""
        page.append(row(f"{place}score {hit.score:.2f}", indent=2))
        if told.shown.id in hit.same:
            page.append(row("It says the same as ", Span(hit.id, Style.ID), indent=2))
        page += explained(hit, indent=2)
    return page


def _facts(facts: Sequence[tuple[str, Span]]) -> Grid:
    rows = tuple((Span(name, Style.FAINT), value) for name, value in facts)
    return Grid((), rows, indent=2)
