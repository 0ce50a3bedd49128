"""`why`: one memory explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import local, verb
from reverie.interfaces.cli.output import (
    facts,
    ident,
    paragraph,
    place,
    shortened,
    title,
    warn,
    who,
)
from reverie.interfaces.cli.recall import (
    explained,
    here_and_now,
    question_argument,
    shares,
)
from reverie.interfaces.cli.session import given_text, named
from reverie.interfaces.cli.show import standing, uses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.interfaces.cli.output import Line, Table
    from reverie.interfaces.cli.session import Session
    from reverie.model.recall import Why

LONGEST_TEXT, LONGEST_QUESTION = 600, 60


@verb()
@click.argument("id_", metavar="ID")
@question_argument(required=False)
def why(session: Session, id_: str, question: str) -> None:
    """Tell why the memory ID is there, and why it is as vivid as it is.

    With QUESTION, also why that question finds it, or why not. Instead of an id, a
    name that fits one memory alone will do.

        reverie why alex
        reverie why episode:2026-02-02:14:30 what did we choose for the index
    """
    asked = given_text(question).strip()
    with session.asking() as memory:
        told = memory.why(named(memory, id_), asked, now=here_and_now(session))
    session.answer(told, lambda value: _why(value, asked))


def _why(told: Why, question: str) -> Iterator[Line | Table]:
    shown, text = told.shown, told.shown.text
    yield ident(shown.id)
    short = f"{text[:LONGEST_TEXT].rstrip()}…" if len(text) > LONGEST_TEXT else text
    yield from paragraph(short, 2)
    yield from ("", title("Why it is there"))
    made = []
    if change := told.change:
        made = [("changed by", who(str(change.actor))), ("when", local(change.at))]
        made += [("trigger", change.trigger), ("change", ident(change.commit[:10]))]
    made.append(("stands in", place(f"{shown.path}:{shown.line}")))
    yield facts((name, value) for name, value in made if value)
    yield from ("", title("Why it is as vivid as it is"))
    yield facts(
        [
            ("standing", standing(shown)),
            ("of use", uses(shown)),
            ("created", local(shown.created)),
        ]
    )
    if told.fading:
        yield shares(told.fading, 2)
    if not question:
        return
    asked, hit = shortened(question, LONGEST_QUESTION), told.hit
    missing = hit is None or told.hidden
    yield from ("", title(f"Why it is {'not ' * bool(missing)}found for: {asked}"))
    if missing:
        yield "  ", warn(told.hidden or "it does not match")
    if hit is not None:
        yield f"  {f'place {told.rank:,}, ' if told.rank else ''}score {hit.score:.2f}"
        if shown.id in hit.same:
            yield "  It says the same as ", ident(hit.id)
        yield from explained(hit, indent=2)
