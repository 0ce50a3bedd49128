"""`expect`: questions that must stay answerable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import Verb, actor_option
from reverie.interfaces.cli.page import BLANK, Grid, Span, Style, counted, row
from reverie.interfaces.cli.session import session_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor, Receipt
    from reverie.model.reflection import Trial


class HalfExpectedError(click.UsageError):
    """A question without an answer, or one that is added and removed at once."""

    def __init__(self) -> None:
        super().__init__(
            "give a question and its answer, --remove a question, or nothing to list "
            "them all."
        )


@click.command(cls=Verb)
@click.argument("question", required=False, default="")
@click.argument("answer", required=False, default="")
@click.option("--replace", is_flag=True, help="Let ANSWER take the old one's place.")
@click.option(
    "--remove", "gone", default="", metavar="QUESTION", help="Take one off the list."
)
@click.option("--check", is_flag=True, help="End with exit code 1 if one is not found.")
@actor_option()
@click.pass_context
def expect(
    ctx: click.Context,
    question: str,
    answer: str,
    gone: str,
    actor: Actor | None,
    *,
    replace: bool,
    check: bool,
) -> None:
    """Keep QUESTION answerable: ANSWER has to be found for it.

    It is tried on every proposal of a reflection, before it is shown and before it is
    applied; one by which an answer would get lost is not applied unless you say so.
    Alone, it lists all of them with the rank at which the answer is found now. Only
    a person may replace or remove one.

        reverie expect "Where does Alex live?" "Berlin"
        reverie expect
        reverie expect --check --json
        reverie expect --replace "Where does Alex live?" "Hamburg"
        reverie expect --remove "Where does Alex live?"
    """
    session = session_of(ctx)
    if bool(question) != bool(answer) or (gone and question):
        raise HalfExpectedError
    if gone:
        _remove(session, gone, actor)
        return
    if question:
        tried = _add(session, question, answer, actor, replace=replace)
    else:
        with session.asking() as memory:
            tried = memory.expectations()
        session.answer([_told(trial) for trial in tried], lambda _: _listed(tried))
    if check and not all(trial.before for trial in tried):
        ctx.exit(1)


def _add(
    session: Session, question: str, answer: str, actor: Actor | None, *, replace: bool
) -> Sequence[Trial]:
    with session.open() as memory:
        receipt = memory.expect(question, answer, actor=actor, replace=replace)
        # A text may be tidied before it is kept.
        tried = memory.expectations(question) or memory.expectations()[-1:]
    value = {**_told(tried[0]), "commit": receipt.commit}
    session.answer(value, lambda _: _added(tried[0], receipt))
    return tried


def _remove(session: Session, question: str, actor: Actor | None) -> None:
    with session.open() as memory:
        receipt = memory.unexpect(question, actor=actor)
    session.answer(
        receipt,
        lambda told: [
            row(
                Span("Taken off the list.", Style.GOOD),
                Span(f"  {told.commit[:10]}", Style.FAINT),
            )
        ],
    )


def _told(trial: Trial) -> dict[str, object]:
    """A question as a program reads it; rank 0 is not found."""
    each = trial.expected
    return {
        "question": each.question,
        "answer": each.answer,
        "since": each.since,
        "source": each.source,
        "rank": trial.before,
    }


def _added(trial: Trial, receipt: Receipt) -> Page:
    each = trial.expected
    first = "Expected: " if receipt.lines else "Expected already: "
    page: Page = [
        row(
            Span(first, Style.GOOD),
            f"{each.question} ",
            Span(each.answer, Style.MATCH),
            Span(f"  {receipt.commit[:10]}", Style.FAINT),
        )
    ]
    if trial.before:
        return [*page, row(f"Recall finds it now, at rank {trial.before}.")]
    lost = "Recall does not find it now. It is kept, and will be told as missing."
    return [*page, row(Span(lost, Style.WARN))]


def _listed(tried: Sequence[Trial]) -> Page:
    if not tried:
        return [
            row("No question is expected to stay answerable."),
            row(Span('reverie expect "QUESTION" "ANSWER"', Style.FAINT)),
        ]
    lost = sum(not trial.before for trial in tried)
    count = counted(len(tried), "question")
    page: Page = [row(f"{count} to stay answerable, {_missing(lost)}:"), BLANK]
    rows = tuple(
        (
            Span(f"{trial.before}".rjust(4), Style.GOOD)
            if trial.before
            else Span("none", Style.BAD),
            Span(trial.expected.question),
            Span(trial.expected.answer, Style.MATCH),
        )
        for trial in tried
    )
    return [*page, Grid(("rank", "question", "answer"), rows, flexible=1)]


def _missing(lost: int) -> str:
    return f"{lost:,} not found now" if lost else "all found"
