"""`window`: conversations listed, shown, summed up and corrected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import (
    VerbGroup,
    actor_option,
    for_person_option,
    local,
    with_session,
)
from reverie.interfaces.cli.output import (
    Styled,
    Table,
    counted,
    faint,
    good,
    ident,
    mused,
    paragraph,
    warn,
)
from reverie.interfaces.cli.proposal import told_standing
from reverie.interfaces.cli.session import given_text
from reverie.model.conversation import DELETED, EDITED, REFLECTION, Offer, SummedUp
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.output import Line, Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor, Receipt
    from reverie.model.conversation import Pruned, WindowView
    from reverie.model.items import Turn

SHOWN = 20
"""So many turns are shown where nobody says how many."""

_ROLE = click.Choice(Role, case_sensitive=False)


@click.group(cls=VerbGroup)
@click.pass_context
@with_session
def window(session: Session, ctx: click.Context) -> None:
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
    with session.asking() as memory:
        found = memory.windows()
    session.answer(found, _windows)


def _windows(found: Sequence[WindowView]) -> Page:
    if not found:
        return ['Nothing was said yet: `reverie say WINDOW "…"`, or `reverie chat`.']
    titled = any(each.title for each in found)
    rows = [
        (
            ident(each.name),
            f"{each.turns:,}",
            mused(f"{each.reflections:,}" if each.reflections else ""),
            faint(f"{each.deleted:,}" if each.deleted else ""),
            faint(local(each.last) if each.last else "—"),
            *([faint(each.title)] if titled else []),
            mused("a summary is being written")
            if each.reflecting
            else warn("a summary is due" if each.due else ""),
        )
        for each in found
    ]
    heads = ("conversation", "turns", "summaries", "deleted", "last")
    more = ("title", "") if titled else ("",)
    return [Table(rows, (*heads, *more), flexible=0)]


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
@with_session
def show(session: Session, name: str, last: int, *, deleted: bool) -> None:
    """Show what was said in the conversation NAME.

    Summaries are in a colour of their own; deleted turns stay in the record, and
    never come back.

        reverie window show trip-to-rome
        reverie window show trip-to-rome --last 0 --deleted --json
    """
    with session.asking() as memory:
        turns = memory.turns(name, last=last, deleted=deleted)
        distinct = memory.config.conversation.distinct
    session.answer(turns, lambda value: _told_turns(value, distinct=distinct))


def _told_turns(turns: Sequence[Turn], *, distinct: bool = True) -> Page:
    page: Page = []
    for turn in turns:
        page += [*([""] if page else []), *told_turn(turn, distinct=distinct)]
    return page or ["Nothing was said."]


def told_turn(turn: Turn, *, distinct: bool = True) -> Page:
    """One turn: who, when, and what was said."""
    look = "mused" if distinct and turn.field(REFLECTION) else ""
    look = "faint" if turn.field(DELETED) else look
    notes = (
        local(turn.at) if turn.at else "",
        f"summary, {cause}" if (cause := turn.field(REFLECTION)) else "",
        f"edited {day}" if (day := turn.field(EDITED)) else "",
        f"deleted {day}" if (day := turn.field(DELETED)) else "",
    )
    name = Styled(turn.speaker or turn.role.capitalize(), look or "title")
    head = (
        ident(f"{turn.number}  "),
        name,
        faint(f"  {' · '.join(filter(None, notes))}"),
    )
    return [head, *paragraph(turn.text, 2, lambda line: Styled(line, look))]


@window.command()
@click.argument("name")
@click.argument("question", default="")
@click.option(
    "--answer",
    metavar="TEXT",
    help="The summary that the agent wrote itself; '-' reads it from standard input.",
)
@for_person_option("Who reads it: what is for them alone is summed up, too.")
@with_session
def reflect(
    session: Session, name: str, question: str, answer: str | None, person: str
) -> None:
    """Sum up the conversation NAME, or answer QUESTION about it.

    With a model it is written at once. Without one the prompt is printed, for the
    agent to answer and hand in with --answer; Reverie does not make up a summary.

        reverie window reflect trip-to-rome
        reverie window reflect trip-to-rome "Summarise our decisions about the hotel."
        reverie window reflect trip-to-rome --answer - < summary.txt
    """
    with session.open() as memory:
        spoken = memory.window(name)
        if answer is not None:
            summary = given_text(answer)
            done: SummedUp | Offer = spoken.note(summary, question, person=person)
        else:
            with session.status("AI is reflecting…"):
                done = spoken.reflect(question, person=person)
    session.answer(done, lambda value: _told_reflected(value, session))


def _told_reflected(done: SummedUp | Offer, session: Session) -> Iterator[Line | Table]:
    """A summary that was written, or the prompt for it."""
    if isinstance(done, SummedUp):
        yield from (*told_turn(done.prompt), *told_turn(done.summary))
        return
    yield warn("No model is configured to write it. "), "The prompt:"
    yield from paragraph(done.prompt, 2, mused)
    if done.about:
        yield from ("About:", *paragraph(done.about, 2))
    # In a chat, standard input is the conversation itself.
    command = session.typed(
        'summary --answer "…"'
        if session.chat
        else f"window reflect {done.window} --answer -"
    )
    yield faint(f"{command} takes the answer, at most {done.most_tokens:,} tokens.")


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
@with_session
def edit(
    session: Session,
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
@with_session
def delete(
    session: Session,
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
    with session.open() as memory:
        receipt = memory.window(name).delete(
            number, role=role, actor=actor, reason=reason
        )
    done = f"Deleted turn {number}."
    session.answer(receipt, lambda value: _changed(value, done, session))


def _changed(receipt: Receipt, words: str, session: Session) -> Page:
    undo = f"  {session.typed(f'undo {receipt.commit[:10]}')} takes it back."
    return [(good(words), faint(undo))]


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
@with_session
def prune(session: Session, name: str, budget: int, about: str, person: str) -> None:
    """Tell which turns may leave the agent's context, and sum those up first.

    What has least to do with what is talked about now goes first. The record keeps
    everything, and `reverie attend` brings back what fits.

        reverie window prune trip-to-rome --budget 2000
        reverie window prune trip-to-rome --budget 2000 --about "the hotel" --json
    """
    with session.open() as memory, session.status("AI is reflecting…"):
        pruned = memory.window(name).prune(budget, message=about, person=person)
    session.answer(pruned, lambda value: _told_pruned(value, session))


def _told_pruned(pruned: Pruned, session: Session) -> Iterator[Line | Table]:
    if not pruned.gone:
        yield f"All of it fits: {counted(pruned.tokens, 'token')}."
        return
    numbers = ", ".join(dict.fromkeys(str(turn.number) for turn in pruned.gone))
    stays = f"What stays takes {counted(pruned.tokens, 'token')}."
    yield f"{counted(len(pruned.gone), 'turn')} may go: {numbers}. {stays}"
    if done := pruned.reflected or pruned.offer:
        yield ""
        yield from _told_reflected(done, session)


@window.command()
@click.argument("name")
@with_session
def leave(session: Session, name: str) -> None:
    """End the session of the conversation NAME.

    For the hook that sees a conversation end: what was said is written down, what
    sub-agents propose is reviewed, and a reflection is offered where one is due.

        reverie window leave trip-to-rome
    """
    with session.open() as memory:
        standing = memory.leave(name)
    session.answer(
        standing, lambda value: told_standing(value) if value else ["Written down."]
    )
