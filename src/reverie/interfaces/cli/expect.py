"""`expect`: questions that must stay answerable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import actor_option, verb
from reverie.interfaces.cli.output import (
    Table,
    bad,
    counted,
    faint,
    good,
    match,
    warn,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.output import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor
    from reverie.model.reflection import Trial

HALF = (
    "give a question and its answer, --remove a question, or nothing to list them all."
)


@verb()
@click.argument("question", required=False, default="")
@click.argument("answer", required=False, default="")
@click.option("--replace", is_flag=True, help="Let ANSWER take the old one's place.")
@click.option(
    "--remove", "gone", default="", metavar="QUESTION", help="Take one off the list."
)
@click.option("--check", is_flag=True, help="End with exit code 1 if one is not found.")
@actor_option()
def expect(
    session: Session,
    question: str,
    answer: str,
    gone: str,
    actor: Actor | None,
    *,
    replace: bool,
    check: bool,
) -> int:
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
    if bool(question) != bool(answer) or (gone and question):
        raise click.UsageError(HALF)
    if gone:
        with session.open() as memory:
            receipt = memory.unexpect(gone, actor=actor)
        off = good("Taken off the list."), faint(f"  {receipt.commit[:10]}")
        session.answer(receipt, lambda _: [off])
        return 0
    if question:
        with session.open() as memory:
            receipt = memory.expect(question, answer, actor=actor, replace=replace)
            # A text may be tidied before it is kept.
            tried = memory.expectations(question) or memory.expectations()[-1:]
        said = "Expected: " if receipt.lines else "Expected already: "
        page = _added(tried[0], said, receipt.commit[:10])
        told = {**_told(tried[0]), "commit": receipt.commit}
        session.answer(told, lambda _: page)
    else:
        with session.asking() as reader:
            tried = reader.expectations()
        session.answer([_told(trial) for trial in tried], lambda _: _listed(tried))
    return int(check and not all(trial.before for trial in tried))


def _told(trial: Trial) -> dict[str, object]:
    """A question as a program reads it; rank 0 is not found."""
    each = trial.expected
    told = {"question": each.question, "answer": each.answer, "since": each.since}
    return {**told, "source": each.source, "rank": trial.before}


def _added(trial: Trial, said: str, commit: str) -> Page:
    each = trial.expected
    lost = "Recall does not find it now. It is kept, and will be told as missing."
    return [
        (good(said), f"{each.question} ", match(each.answer), faint(f"  {commit}")),
        f"Recall finds it now, at rank {trial.before}." if trial.before else warn(lost),
    ]


def _listed(tried: Sequence[Trial]) -> Page:
    if not tried:
        hint = faint('reverie expect "QUESTION" "ANSWER"')
        return ["No question is expected to stay answerable.", hint]
    lost = sum(not trial.before for trial in tried)
    missing = f"{lost:,} not found now" if lost else "all found"
    rows = [
        (
            good(f"{trial.before:>4}") if trial.before else bad("none"),
            trial.expected.question,
            match(trial.expected.answer),
        )
        for trial in tried
    ]
    head = f"{counted(len(tried), 'question')} to stay answerable, {missing}:"
    return [head, "", Table(rows, ("rank", "question", "answer"), flexible=1)]
