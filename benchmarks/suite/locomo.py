"""LoCoMo: long conversations of two friends; a document is one turn.

Read from `locomo/locomo10.json`. A turn is shown the way most published results
show it: the date of its session before it, the caption of a shared picture after.
Questions of the fifth category have no answer in the text and are left out.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from benchmarks.suite.tasks import Doc, MissingDataError, Question, Task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = "locomo/locomo10.json"
SOURCE = "https://github.com/snap-research/locomo (data/locomo10.json)"
KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}

SESSION = re.compile(r"session_(\d+)")
CITATION = re.compile(r"D:?(\d+):(\d+)")


def load_locomo(data: Path) -> Iterator[Task]:
    """One task for each conversation."""
    path = data / FILE
    if not path.exists():
        raise MissingDataError(path, SOURCE)
    for sample in json.loads(path.read_text(encoding="utf-8")):
        docs = tuple(parse_turns(sample["conversation"]))
        known = {doc.id for doc in docs}
        questions = parse_questions(sample["qa"], sample["sample_id"], known)
        yield Task(sample["sample_id"], docs, tuple(questions))


def parse_turns(conversation: dict[str, Any]) -> Iterator[Doc]:
    """The turns of all sessions, the first session first."""
    sessions = filter(None, map(SESSION.fullmatch, conversation))
    for found in sorted(sessions, key=lambda match: int(match[1])):
        time = conversation.get(f"{found[0]}_date_time", "")
        for turn in conversation[found[0]]:
            text = f"[{time}] {turn['speaker']}: {turn['text']}"
            if caption := turn.get("blip_caption"):
                text += f" [shared image: {caption}]"
            yield Doc(turn["dia_id"], text, time, f"D{found[1]}")


def parse_questions(
    asked: list[dict[str, Any]], sample: str, known: set[str]
) -> Iterator[Question]:
    """The questions that cite at least one turn of the conversation."""
    for number, question in enumerate(asked):
        kind = KINDS.get(question["category"])
        gold = parse_citations(question.get("evidence") or []) & known
        if kind and gold:
            name = f"{sample}/{number}"
            yield Question(name, question["question"], None, gold, kind)


def parse_citations(evidence: list[str]) -> frozenset[str]:
    """The turns that are cited, also where it says `D1:2; D1:3`, `D:1:2` or `D1:02`."""
    found = CITATION.findall(" ".join(evidence))
    return frozenset(f"D{int(session)}:{int(turn)}" for session, turn in found)
