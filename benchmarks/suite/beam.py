"""BEAM: one very long chat with an assistant; a document is one message.

Read from `beam/chats/SIZE/N/chat.json` and the `probing_questions` beside it. The
sizes up to 1M have this form. Questions without a source in the chat (abstention)
are left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.suite.tasks import Doc, MissingDataError, Question, Task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = "beam/chats"
QUESTIONS = "probing_questions/probing_questions.json"
SOURCE = "https://github.com/mohammadtavakoli78/BEAM (chats/)"
MARK = "->->"  # what stands between a message and the numbers of its plan


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat and what is asked about it, by kind, as the file has it."""

    name: str
    docs: tuple[Doc, ...]
    asked: dict[str, list[dict[str, Any]]]


def load_beam(data: Path, size: str = "100K") -> Iterator[Task]:
    """One task for each chat of a size."""
    for chat in load_chats(data, size):
        yield Task(chat.name, chat.docs, tuple(parse_questions(chat)))


def load_chats(data: Path, size: str) -> Iterator[Chat]:
    """The chats of a size by their number."""
    folder = data / FOLDER / size
    found = list(folder.glob("*/chat.json"))
    if not found:
        raise MissingDataError(folder / "1" / "chat.json", SOURCE)
    for path in sorted(found, key=lambda path: int(path.parent.name)):
        questions = path.parent / QUESTIONS
        if not questions.exists():
            raise MissingDataError(questions, SOURCE)
        yield Chat(
            name=f"{size}/{path.parent.name}",
            docs=tuple(parse_messages(json.loads(path.read_text(encoding="utf-8")))),
            asked=json.loads(questions.read_text(encoding="utf-8")),
        )


def parse_messages(batches: list[dict[str, Any]]) -> Iterator[Doc]:
    """All messages; one without a date of its own was sent when the last one was."""
    time = None
    for batch in batches:
        for message in (message for turn in batch["turns"] for message in turn):
            time = message.get("time_anchor") or time
            text = message["content"].partition(MARK)[0].rstrip()
            yield Doc(str(message["id"]), text, time, f"batch {batch['batch_number']}")


def parse_questions(chat: Chat) -> Iterator[Question]:
    """The questions that have a source in the chat."""
    known = {doc.id for doc in chat.docs}
    for kind, asked in chat.asked.items():
        for number, question in enumerate(asked):
            gold = message_ids(question.get("source_chat_ids")) & known
            if gold:
                name = f"{chat.name}/{kind}/{number}"
                yield Question(name, question["question"], None, gold, kind)


def message_ids(source: object) -> frozenset[str]:
    """Every number in a source, which may be nested in lists and named parts."""
    if isinstance(source, int):
        return frozenset([str(source)])
    if isinstance(source, dict):
        return message_ids(list(source.values()))
    parts = source if isinstance(source, list) else []
    return frozenset[str]().union(*map(message_ids, parts))
