"""Freshness: when a fact was replaced, does the newer one stand above the older?

Read from the questions on updated knowledge of LongMemEval (the newest evidence
session against the oldest) and of BEAM (the message with the update against the
one with the original). No model judges anything.

newer first  the newer one stands above the older, or stands there alone
new@5        the newer one is among the first five
old-only@5   only the older one is: whoever reads these five is misled
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchmarks.suite import beam, longmemeval
from benchmarks.suite.tasks import MissingDataError, Question, Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

LOWER_IS_BETTER = frozenset({"old-only@5"})


def freshness(
    ranked: Sequence[str], new: AbstractSet[str], old: AbstractSet[str]
) -> dict[str, float]:
    """The figures of one answer."""
    newer, older = place_of(ranked, new), place_of(ranked, old)
    return {
        "newer first": float(newer < older),
        "new@5": float(newer < 5),
        "old-only@5": float(older < 5 <= newer),
    }


def place_of(ranked: Sequence[str], wanted: AbstractSet[str]) -> float:
    """Where the first of the wanted stands, counted from zero."""
    return next((n for n, name in enumerate(ranked) if name in wanted), float("inf"))


def load_updates(data: Path) -> Iterator[Task]:
    """Updates from what data there is; the newer is gold, the older stale."""
    absent: list[MissingDataError] = []
    for load in (load_longmemeval_updates, load_beam_updates):
        try:
            yield from load(data)
        except MissingDataError as error:
            absent.append(error)
    if len(absent) == 2:
        raise absent[0]


def load_longmemeval_updates(data: Path) -> Iterator[Task]:
    """Whole sessions with their dates, and the questions with two of them as gold."""
    for task in longmemeval.load_sessions(data, longmemeval.WHOLE_SESSIONS):
        question = task.questions[0]
        evidence = [doc.id for doc in task.docs if doc.id in question.gold]
        if question.kind == "knowledge-update" and len(evidence) > 1:
            asked = update(question, "LongMemEval", evidence[0], evidence[-1])
            yield replace(task, questions=(asked,))


def load_beam_updates(data: Path, size: str = "100K") -> Iterator[Task]:
    """The chats with the questions that name an original and an update apart."""
    for chat in beam.load_chats(data, size):
        questions = tuple(parse_updates(chat, f"BEAM {size}"))
        if questions:
            yield Task(chat.name, chat.docs, questions)


def parse_updates(chat: beam.Chat, kind: str) -> Iterator[Question]:
    """A chat's updates: the first message of the original, the last of the update."""
    order = {doc.id: place for place, doc in enumerate(chat.docs)}
    for number, asked in enumerate(chat.asked.get("knowledge_update", [])):
        old, new = (
            beam.message_ids(part(asked, name)) & order.keys()
            for name in ("original_info", "updated_info")
        )
        if old and new and not old & new:
            question = Question(str(number), asked["question"], None, new, kind)
            first, last = (
                min(old, key=order.__getitem__),
                max(new, key=order.__getitem__),
            )
            yield update(question, kind, first, last)


def part(asked: dict[str, Any], name: str) -> object:
    """One named part of a question's source, if its source has named parts."""
    source = asked.get("source_chat_ids")
    return source.get(name) if isinstance(source, dict) else None


def update(question: Question, kind: str, old: str, new: str) -> Question:
    """The same question with only these two documents in view."""
    return replace(question, kind=kind, gold=frozenset([new]), stale=frozenset([old]))
