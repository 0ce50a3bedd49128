"""`expect`: questions that must stay answerable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.model.reflection import Trial

HALF = (
    "give a question and its answer, --remove a question, or nothing to list them all."
)


@cli.verb()
@cli.argument("question", required=False, default="")
@cli.argument("answer", required=False, default="")
@cli.flag("--replace", "Let ANSWER take the old one's place.")
@cli.option("--remove gone", "Take one off the list.", metavar="QUESTION", default="")
@cli.flag("--check", "End with exit code 1 if one is not found.")
@cli.actor_option()
def expect(
    call: cli.Invocation, question: str, answer: str, gone: str, **given: bool
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
        memory = call.memory
        receipt = memory.unexpect(gone, actor=call.actor)
        off = out.good("Taken off the list."), out.commit(receipt)
        call.answer(receipt, [off])
        return 0
    if question:
        memory = call.memory
        receipt = memory.expect(
            question, answer, actor=call.actor, replace=given["replace"]
        )
        # A text may be tidied before it is kept.
        tried = memory.expectations(question) or memory.expectations()[-1:]
        trial, each = tried[0], tried[0].expected
        said = out.good("Expected: " if receipt.lines else "Expected already: ")
        about = said, f"{each.question} ", out.match(each.answer), out.commit(receipt)
        found = f"Recall finds it now, at rank {trial.before}."
        lost = "Recall does not find it now. It is kept, and will be told as missing."
        page: out.Page = [about, found if trial.before else out.warn(lost)]
        call.answer({**_told(trial), "commit": receipt.commit}, page)
    else:
        tried = call.reader.expectations()
        call.answer([_told(trial) for trial in tried], _listed(tried))
    return int(given["check"] and not all(trial.before for trial in tried))


def _told(trial: Trial) -> dict[str, object]:
    """A question as a program reads it; rank 0 is not found."""
    names = ("question", "answer", "since", "source")
    told = {name: getattr(trial.expected, name) for name in names}
    return {**told, "rank": trial.before}


def _listed(tried: Sequence[Trial]) -> out.Page:
    if not tried:
        hint = out.faint('reverie expect "QUESTION" "ANSWER"')
        return ["No question is expected to stay answerable.", hint]
    lost = sum(not trial.before for trial in tried)
    missing = f"{lost:,} not found now" if lost else "all found"
    rows = [
        (
            out.good(f"{trial.before:>4}") if trial.before else out.bad("none"),
            trial.expected.question,
            out.match(trial.expected.answer),
        )
        for trial in tried
    ]
    head = f"{out.counted(len(tried), 'question')} to stay answerable, {missing}:"
    return [head, "", out.Table(rows, ("rank", "question", "answer"), flexible=1)]
