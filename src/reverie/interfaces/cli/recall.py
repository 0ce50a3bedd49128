"""`recall` and `context`: asking."""

from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.command import Verb, for_person_option
from reverie.interfaces.cli.hits import found_page, nothing_page
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.moments import moment_type
from reverie.interfaces.cli.page import paragraph
from reverie.interfaces.cli.session import session_of
from reverie.model.ids import Store
from reverie.model.recall import Reach

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.memory.companions import SubAgent
    from reverie.model.recall import Recalled

BUDGET = 1000
"""Tokens of a context block, where nothing else is said."""


def question_argument(*, required: bool = True) -> Callable[[Any], Any]:
    """`QUESTION...`: its words with or without quotes, or `-` for standard input."""
    return click.argument(
        "question",
        nargs=-1,
        required=required,
        metavar="QUESTION..." if required else "[QUESTION]...",
        callback=lambda _ctx, _param, words: " ".join(words),
    )


def _at_option() -> Callable[[Any], Any]:
    """`--at`: the moment to ask for."""
    return click.option(
        "--at",
        type=moment_type(time.max),
        metavar="WHEN",
        help="Ask as of this moment; a day means its end.  [default: now]",
    )


_WHO_ASKS = "Who asks; what is for somebody else alone is left out."


def here_and_now(session: Session, at: datetime | None = None) -> datetime:
    """The moment to ask for, in the zone of who asks: `yesterday` is theirs."""
    return at or session.clock().astimezone()


@click.command(cls=Verb)
@question_argument()
@_at_option()
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="The most to show.  [default: recall.max_results]",
)
@click.option(
    "--least",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="The score a memory must have.  [default: recall.min_score]",
)
@click.option(
    "-s",
    "--store",
    "stores",
    type=click.Choice(Store, case_sensitive=False),
    multiple=True,
    help="Look only there; repeatable.",
)
@click.option("--archived", is_flag=True, help="Show archived memories too.")
@for_person_option(_WHO_ASKS)
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.pass_context
def recall(
    ctx: click.Context,
    /,
    question: str,
    at: datetime | None,
    *,
    archived: bool,
    explain: bool,
    **given: Any,  # noqa: ANN401 - passed on as it was typed
) -> None:
    """Find what answers QUESTION, each memory with where it stands.

    In plain words; quotes are optional, and '-' reads it from standard input. Times
    such as `last week` and names are understood. Finding nothing is no failure.

        reverie recall what did we choose for the index
        reverie recall "When did I last see Alex?" --store episodic --limit 3
        reverie recall where does alex work --at 2026-02-02 --explain
        reverie recall - < question.txt
    """
    session = session_of(ctx)
    with session.asking() as memory:
        recalled = memory.recall(
            given_text(question),
            now=here_and_now(session, at),
            reach=Reach.EVERYTHING if archived else Reach.EXPLICIT,
            **given,
        )
        session.answer(recalled, lambda told: _page(memory, told, explain=explain))


def _page(memory: Memory | SubAgent, recalled: Recalled, *, explain: bool) -> Page:
    if recalled.hits:
        return found_page(recalled, explain=explain)
    return nothing_page(recalled, empty=not sum(memory.overview().counts.values()))


@click.command(cls=Verb)
@question_argument()
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=BUDGET,
    show_default=True,
    metavar="TOKENS",
    help="How long the block may be.",
)
@_at_option()
@for_person_option(_WHO_ASKS)
@click.pass_context
def context(
    ctx: click.Context, question: str, budget: int, at: datetime | None, person: str
) -> None:
    """Print what is known about QUESTION, as a block for a prompt.

    Markdown with the source of everything, within a budget of tokens, and nothing
    else on standard output. '-' reads the question from standard input.

        reverie context where does alex work
        reverie context "How do we deploy?" --budget 500
    """
    session, asked = session_of(ctx), given_text(question)
    with session.asking() as memory:
        now = here_and_now(session, at)
        block = memory.context(asked, budget=budget, now=now, person=person)
    if session.json:
        session.answer({"question": asked, "context": block}, lambda _: [])
    elif session.on_a_screen:
        session.say(paragraph(block.removesuffix("\n")) if block else [])
    else:
        click.echo(block, nl=False)
