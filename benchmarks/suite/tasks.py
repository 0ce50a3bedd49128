"""What every data set is turned into: memories, questions, and where the data is.

A task is one person's memory and what is asked of it. Its documents are in the
order of time, and `gold` names documents of the same task, so that anything that
ranks documents can be measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Doc:
    """Something said: `time` as the data set spells it, `group` its session."""

    id: str
    text: str
    time: str | None
    group: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the documents that answer it, and those it makes out of date."""

    id: str
    text: str
    time: str | None
    gold: frozenset[str]
    kind: str
    stale: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Task:
    """One memory and its questions."""

    name: str
    docs: tuple[Doc, ...]
    questions: tuple[Question, ...]


class MissingDataError(Exception):
    """A data set is not where it was looked for."""

    def __init__(self, path: Path, source: str) -> None:
        super().__init__(
            f"{path} is not there. The data comes from {source}; put it there, "
            "or name another folder with --data or REVERIE_BENCH_DATA."
        )
