"""LongMemEval: one question over some fifty chats with an assistant.

Read from `longmemeval/longmemeval_s*.json`, where each question has a haystack of
its own, and from `longmemeval/longmemeval_oracle.json`, whose haystacks hold the
evidence only and are therefore put together into one memory. Questions that ought
to be refused (`…_abs`) are left out; by default only what the user said is kept,
as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from benchmarks.suite.json_array import load_objects
from benchmarks.suite.tasks import Doc, MissingDataError, Question, Task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = "longmemeval"
HAYSTACKS = ("longmemeval_s_cleaned.json", "longmemeval_s*.json")
ORACLE = ("longmemeval_oracle.json",)
SOURCE = "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned"


@dataclass(frozen=True, slots=True)
class View:
    """How a haystack is cut into documents."""

    unit: Literal["session", "turn"] = "session"
    roles: tuple[str, ...] = ("user",)
    dated: bool = False


SESSIONS = View()
TURNS = View(unit="turn")
WHOLE_SESSIONS = View(roles=("user", "assistant"), dated=True)


def load_sessions(data: Path, view: View = SESSIONS) -> Iterator[Task]:
    """One task for each question; a document is one session."""
    for instance in load_instances(data, HAYSTACKS):
        yield parse_task(instance, view)


def load_turns(data: Path) -> Iterator[Task]:
    """One task for each question that something the user said answers, as published."""
    for instance in load_instances(data, HAYSTACKS):
        task = parse_task(instance, TURNS)
        if task.questions[0].gold:
            yield task


def load_pool(data: Path) -> Iterator[Task]:
    """One task with the evidence sessions of all questions, which is harder."""
    docs: dict[str, Doc] = {}
    questions: list[Question] = []
    for instance in load_instances(data, ORACLE, refusals=True):
        task = parse_task(instance, replace(WHOLE_SESSIONS, dated=False))
        for doc in task.docs:
            docs.setdefault(doc.id, doc)
        if not is_refusal(instance):
            questions += task.questions
    ordered = sorted(docs.values(), key=lambda doc: doc.time or "")
    yield Task("pool", tuple(ordered), tuple(questions))


def load_instances(
    data: Path, names: tuple[str, ...], *, refusals: bool = False
) -> Iterator[dict[str, Any]]:
    """The questions of a file with their haystacks, as they stand in it."""
    for instance in load_objects(find_file(data, names)):
        if refusals or not is_refusal(instance):
            yield instance


def find_file(data: Path, names: tuple[str, ...]) -> Path:
    """The first file that has one of the names."""
    folder = data / FOLDER
    for name in names:
        if found := sorted(folder.glob(name)):
            return found[0]
    raise MissingDataError(folder / names[0], SOURCE)


def is_refusal(instance: dict[str, Any]) -> bool:
    """Whether the right answer is that nobody ever said."""
    return str(instance["question_id"]).endswith("_abs")


def parse_task(instance: dict[str, Any], view: View) -> Task:
    """The sessions by date, each id once, and the question asked of them."""
    docs: list[Doc] = []
    gold = set(instance["answer_session_ids"]) if view.unit == "session" else set()
    for name, (time, turns) in parse_haystack(instance).items():
        before = f"[{time}] " if view.dated else ""
        kept = [(n, t) for n, t in enumerate(turns) if t["role"] in view.roles]
        if view.unit == "session":
            text = "\n".join(turn["content"] for _, turn in kept)
            docs.append(Doc(name, before + text, time, name))
            continue
        docs += (Doc(f"{name}#{n}", before + t["content"], time, name) for n, t in kept)
        gold |= {f"{name}#{n}" for n, turn in kept if turn.get("has_answer")}
    question = Question(
        id=instance["question_id"],
        text=instance["question"],
        time=instance["question_date"],
        gold=frozenset(gold),
        kind=instance["question_type"],
    )
    return Task(question.id, tuple(docs), (question,))


def parse_haystack(
    instance: dict[str, Any],
) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Each session's date and turns; some haystacks are unsorted or repeat an id."""
    columns = ("haystack_session_ids", "haystack_dates", "haystack_sessions")
    rows = zip(*(instance[column] for column in columns), strict=True)
    found: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    for name, time, turns in sorted(rows, key=lambda row: str(row[1])):
        found.setdefault(name, (time, turns))
    return found
