"""`window`: conversations listed, shown, summed up and corrected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import VerbGroup, actor_option, for_person_option
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.moments import local
from reverie.interfaces.cli.page import (
    BLANK,
    Grid,
    Span,
    Style,
    counted,
    paragraph,
    row,
)
from reverie.interfaces.cli.session import session_of
from reverie.interfaces.cli.standing import told_standing
from reverie.model.conversation import DELETED, EDITED, REFLECTION, Offer, SummedUp
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page, Row
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor, Receipt
    from reverie.model.conversation import Pruned, WindowView
    from reverie.model.items import Turn

SHOWN = 20
"""So many turns are shown where nobody says how many."""

_ROLE = click.Choice(Role, case_sensitive=False)


@click.group(cls=VerbGroup)
@click.pass_context
def window(ctx: click.Context) -> None:
    """List conversations, and which are due for a summary.

    A summary is an ordinary turn pair: the prompt and what was answered. It comes
    back when it fits, can be read, corrected and deleted.

        reverie window
        reverie window show trip-to-rome
        reverie window reflect trip-to-rome "Summarise our decisions about the hotel."
        reverie window delete trip-to-rome 7
    """
    if ctx.invoked_subcommand is not None:
        return
    session = session_of(ctx)
    with session.asking() as memory:
        found = memory.windows()
    session.answer(found, _told_windows)


def _told_windows(found: Sequence[WindowView]) -> Page:
    if not found:
        hint = 'Nothing was said yet: `reverie say WINDOW "…"`, or `reverie chat`.'
        return [row(hint)]
    titled = any(each.title for each in found)
    rows = tuple(
        (
            Span(each.name, Style.ID),
            Span(f"{each.turns:,}"),
            Span(f"{each.reflections:,}" if each.reflections else "", Style.MUSED),
            Span(f"{each.deleted:,}" if each.deleted else "", Style.FAINT),
            Span(local(each.last) if each.last else "—", Style.FAINT),
            *((Span(each.title, Style.FAINT),) if titled else ()),
            Span(*_state(each)),
        )
        for each in found
    )
    more = ("title", "") if titled else ("",)
    heads = ("conversation", "turns", "summaries", "deleted", "last", *more)
    return [Grid(heads, rows, flexible=0)]


def _state(each: WindowView) -> tuple[str, Style]:
    if each.reflecting:
        return "a summary is being written", Style.MUSED
    if each.due:
        return "a summary is due", Style.WARN
    return "", Style.FAINT


@window.command()
@click.argument("name")
@click.option(
    "-n",
    "--last",
    type=click.IntRange(min=0),
    default=SHOWN,
    show_default=True,
    metavar="N",
    help="How many of the newest turns, 0 for all.",
)
@click.option("--deleted", is_flag=True, help="Show deleted turns too.")
@for_person_option(
    "Who reads it; what is for somebody else alone is left out.", told=False
)
@click.pass_context
def show(ctx: click.Context, name: str, last: int, *, deleted: bool) -> None:
    """Show what was said in the conversation NAME.

    Summaries are in a colour of their own; deleted turns stay in the record, and
    never come back.

        reverie window show trip-to-rome
        reverie window show trip-to-rome --last 0 --deleted --json
    """
    session = session_of(ctx)
    with session.asking() as memory:
        turns = memory.turns(name, last=last, deleted=deleted)
        distinct = memory.config.conversation.distinct
    session.answer(turns, lambda value: _told_turns(value, distinct=distinct))


def _told_turns(turns: Sequence[Turn], *, distinct: bool = True) -> Page:
    page: Page = []
    for turn in turns:
        page += [*([BLANK] if page else []), *told_turn(turn, distinct=distinct)]
    return page or [row("Nothing was said.")]


def told_turn(turn: Turn, *, distinct: bool = True) -> Page:
    """One turn: who, when, and what was said."""
    muses = distinct and bool(turn.field(REFLECTION))
    gone = bool(turn.field(DELETED))
    style = Style.FAINT if gone else Style.MUSED if muses else Style.PLAIN
    return [_head(turn, style), *paragraph(turn.text, style=style, indent=2)]


def _head(turn: Turn, style: Style) -> Row:
    who = turn.speaker or turn.role.capitalize()
    notes = [
        f"summary, {cause}" if (cause := turn.field(REFLECTION)) else "",
        f"edited {day}" if (day := turn.field(EDITED)) else "",
        f"deleted {day}" if (day := turn.field(DELETED)) else "",
    ]
    said = " · ".join(filter(None, (local(turn.at) if turn.at else "", *notes)))
    named = Style.TITLE if style is Style.PLAIN else style
    return row(
        Span(f"{turn.number}  ", Style.ID),
        Span(who, named),
        Span(f"  {said}", Style.FAINT),
    )


@window.command()
@click.argument("name")
@click.argument("question", default="")
@click.option(
    "--answer",
    metavar="TEXT",
    help="The summary that the agent wrote itself; '-' reads it from standard input.",
)
@for_person_option("Who reads it: what is for them alone is summed up, too.")
@click.pass_context
def reflect(
    ctx: click.Context, name: str, question: str, answer: str | None, person: str
) -> None:
    """Sum up the conversation NAME, or answer QUESTION about it.

    With a model it is written at once. Without one the prompt is printed, for the
    agent to answer and hand in with --answer; Reverie does not make up a summary.

        reverie window reflect trip-to-rome
        reverie window reflect trip-to-rome "Summarise our decisions about the hotel."
        reverie window reflect trip-to-rome --answer - < summary.txt
    """
    session = session_of(ctx)
    with session.open() as memory:
        spoken = memory.window(name)
        if answer is not None:
            summary = given_text(answer)
            done: SummedUp | Offer = spoken.note(summary, question, person=person)
        else:
            with session.status("AI is reflecting…"):
                done = spoken.reflect(question, person=person)
    session.answer(done, lambda value: _told_reflected(value, session))


def _told_reflected(done: SummedUp | Offer, session: Session) -> Page:
    """A summary that was written, or the prompt for it."""
    if isinstance(done, SummedUp):
        return [*told_turn(done.prompt), *told_turn(done.summary)]
    page: Page = [
        row(Span("No model is configured to write it. ", Style.WARN), "The prompt:"),
        *paragraph(done.prompt, style=Style.MUSED, indent=2),
    ]
    if done.about:
        page += [row("About:"), *paragraph(done.about, indent=2)]
    if session.chat:
        # Standard input is the conversation itself there.
        command = session.typed('summary --answer "…"')
    else:
        command = session.typed(f"window reflect {done.window} --answer -")
    hint = f"{command} takes the answer, at most {done.most_tokens:,} tokens."
    return [*page, row(Span(hint, Style.FAINT))]


@window.command()
@click.argument("name")
@click.argument("number", type=click.IntRange(min=1))
@click.argument("text")
@click.option(
    "--role",
    type=_ROLE,
    default=Role.ASSISTANT,
    show_default=True,
    help="Which side of it.",
)
@actor_option()
@click.pass_context
def edit(
    ctx: click.Context,
    name: str,
    number: int,
    text: str,
    role: Role,
    actor: Actor | None,
) -> None:
    """Correct turn NUMBER of the conversation NAME; '-' reads standard input.

    Only a person may. History keeps what it said.

        reverie window edit trip-to-rome 7 "We stay for four nights, not three."
    """
    session = session_of(ctx)
    with session.open() as memory:
        receipt = memory.window(name).edit(
            number, given_text(text), role=role, actor=actor
        )
    done = f"Corrected turn {number}."
    session.answer(receipt, lambda value: _changed(value, done, session))


@window.command()
@click.argument("name")
@click.argument("number", type=click.IntRange(min=1))
@click.option("--role", type=_ROLE, help="Only this side.  [default: the pair]")
@click.option("--reason", default="", metavar="WORDS", help="Why, for history.")
@actor_option()
@click.pass_context
def delete(
    ctx: click.Context,
    name: str,
    number: int,
    role: Role | None,
    reason: str,
    actor: Actor | None,
) -> None:
    """Let turn NUMBER of the conversation NAME never come back.

    A question goes with its answer, a prompt with its summary. The record keeps
    them, marked as deleted, and `reverie undo` brings them back.

        reverie window delete trip-to-rome 7 --reason "that is not what we decided"
    """
    session = session_of(ctx)
    with session.open() as memory:
        receipt = memory.window(name).delete(
            number, role=role, actor=actor, reason=reason
        )
    done = f"Deleted turn {number}."
    session.answer(receipt, lambda value: _changed(value, done, session))


def _changed(receipt: Receipt, words: str, session: Session) -> Page:
    undo = f"  {session.typed(f'undo {receipt.commit[:10]}')} takes it back."
    return [row(Span(words, Style.GOOD), Span(undo, Style.FAINT))]


@window.command()
@click.argument("name")
@click.option(
    "--budget",
    type=click.IntRange(min=50),
    required=True,
    metavar="TOKENS",
    help="What may stay.",
)
@click.option("--about", default="", metavar="WORDS", help="What is talked about now.")
@for_person_option("Who speaks; what is for somebody else alone is left out.")
@click.pass_context
def prune(ctx: click.Context, name: str, budget: int, about: str, person: str) -> None:
    """Tell which turns may leave the agent's context, and sum those up first.

    What has least to do with what is talked about now goes first. The record keeps
    everything, and `reverie attend` brings back what fits.

        reverie window prune trip-to-rome --budget 2000
        reverie window prune trip-to-rome --budget 2000 --about "the hotel" --json
    """
    session = session_of(ctx)
    with session.open() as memory, session.status("AI is reflecting…"):
        pruned = memory.window(name).prune(budget, message=about, person=person)
    session.answer(pruned, lambda value: _told_pruned(value, session))


def _told_pruned(pruned: Pruned, session: Session) -> Page:
    if not pruned.gone:
        return [row(f"All of it fits: {counted(pruned.tokens, 'token')}.")]
    numbers = ", ".join(dict.fromkeys(str(turn.number) for turn in pruned.gone))
    page: Page = [
        row(
            f"{counted(len(pruned.gone), 'turn')} may go: {numbers}. What stays takes "
            f"{counted(pruned.tokens, 'token')}."
        )
    ]
    done = pruned.reflected or pruned.offer
    return [*page, BLANK, *_told_reflected(done, session)] if done else page


@window.command()
@click.argument("name")
@click.pass_context
def leave(ctx: click.Context, name: str) -> None:
    """End the session of the conversation NAME.

    For the hook that sees a conversation end: what was said is written down, what
    sub-agents propose is reviewed, and a reflection is offered where one is due.

        reverie window leave trip-to-rome
    """
    session = session_of(ctx)
    with session.open() as memory:
        standing = memory.leave(name)
    session.answer(
        standing,
        lambda value: told_standing(value) if value else [row("Written down.")],
    )
