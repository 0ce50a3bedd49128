"""`why`: one memory explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.recall import (
    explained,
    here_and_now,
    question_argument,
    shares,
)
from reverie.interfaces.cli.show import standing, uses

if TYPE_CHECKING:
    from reverie.model.views import Why

LONGEST_TEXT, LONGEST_QUESTION = 600, 60


@cli.verb()
@cli.argument("id_", metavar="ID")
@question_argument(required=False)
def why(call: cli.Invocation, id_: str, question: str) -> None:
    """Tell why the memory ID is there, and why it is as vivid as it is.

    With QUESTION, also why that question finds it, or why not. Instead of an id, a
    name that fits one memory alone will do.

        reverie why alex
        reverie why episode:2026-02-02:14:30 what did we choose for the index
    """
    asked = cli.given_text(question).strip()
    memory = call.reader
    told = memory.why(cli.named(memory, id_), asked, now=here_and_now(call))
    call.answer(told, _why(told, asked))


def _why(told: Why, question: str) -> out.Lines:
    shown, text = told.shown, told.shown.text
    yield out.ident(shown.id)
    short = f"{text[:LONGEST_TEXT].rstrip()}…" if len(text) > LONGEST_TEXT else text
    yield from out.paragraph(short, 2)
    yield from ("", out.title("Why it is there"))
    made: list[tuple[str, str]] = []
    if change := told.change:
        made = [("changed by", out.who(str(change.actor)))]
        made += [("when", cli.local(change.at)), ("trigger", change.trigger)]
        made += [("change", out.ident(change.commit[:10]))]
    made.append(("stands in", out.place(f"{shown.path}:{shown.line}")))
    yield out.facts((name, value) for name, value in made if value)
    yield from ("", out.title("Why it is as vivid as it is"))
    vivid = [("standing", standing(shown)), ("of use", uses(shown))]
    yield out.facts([*vivid, ("created", cli.local(shown.created))])
    if told.fading:
        yield shares(told.fading, 2)
    if not question:
        return
    asked, hit = out.shortened(question, LONGEST_QUESTION), told.hit
    missing = hit is None or told.hidden
    yield from ("", out.title(f"Why it is {'not ' * bool(missing)}found for: {asked}"))
    if missing:
        yield "  ", out.warn(told.hidden or "it does not match")
    if hit is not None:
        yield f"  {f'place {told.rank:,}, ' if told.rank else ''}score {hit.score:.2f}"
        if shown.id in hit.same:
            yield "  It says the same as ", out.ident(hit.id)
        yield from explained(hit, indent=2)
