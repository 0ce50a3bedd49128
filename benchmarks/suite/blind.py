"""Asks a system without telling it anything that gives the answer away.

Gold and kind stay here, and so do ids and group names: LongMemEval calls its gold
sessions `answer_…`, and BEAM has the kind in the question's id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from benchmarks.suite.tasks import Task


class Entry(TypedDict):
    """A document as a system sees it; they come in the order of time."""

    id: str
    text: str
    time: str | None
    group: str


class Query(TypedDict):
    """A question as a system sees it."""

    id: str
    text: str
    time: str | None


# (documents, questions, how many ids) -> for each question its ids, best first
Retriever = Callable[[list[Entry], list[Query], int], Sequence[Sequence[str]]]


class AnswerError(Exception):
    """A system gave back something that is no ranking of its documents."""

    def __init__(self, task: str, what: str) -> None:
        super().__init__(f"The answer for {task} cannot be scored: {what}.")


def ask(retrieve: Retriever, task: Task, k: int) -> list[list[str]]:
    """The system's ranking for each question: real ids, none twice, at most k."""
    corpus, queries = hidden(task)
    names = {entry["id"]: doc.id for entry, doc in zip(corpus, task.docs, strict=True)}
    answers = retrieve(corpus, queries, k)
    if len(answers) != len(queries):
        what = f"{len(answers)} rankings for {len(queries)} questions"
        raise AnswerError(task.name, what)
    for unknown in {name for answer in answers for name in answer} - names.keys():
        raise AnswerError(task.name, f"there is no document {unknown!r}")
    return [[names[name] for name in dict.fromkeys(answer)][:k] for answer in answers]


def hidden(task: Task) -> tuple[list[Entry], list[Query]]:
    """The task with numbers for names."""
    groups = dict.fromkeys(doc.group for doc in task.docs)
    number = {group: f"g{n}" for n, group in enumerate(groups)}
    corpus = [
        Entry(id=f"d{n}", text=doc.text, time=doc.time, group=number[doc.group])
        for n, doc in enumerate(task.docs)
    ]
    queries = [
        Query(id=f"q{n}", text=question.text, time=question.time)
        for n, question in enumerate(task.questions)
    ]
    return corpus, queries
