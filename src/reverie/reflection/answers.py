"""What minds may answer in each phase: as schemas, and as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")

Schema = dict[str, object]

MOST_OPERATIONS = 60
"""More operations than this in one reflection are nobody's to check."""

LONGEST = 8000
"""Characters of one operation's text."""


def _text(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def _list(of: Schema, most: int) -> Schema:
    return {"type": "array", "items": of, "maxItems": most}


def _object(required: tuple[str, ...], **fields: Schema) -> Schema:
    return {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "additionalProperties": False,
    }


_TASKS: Schema = {
    "type": "string",
    "enum": ["extract", "connect", "flag", "archive", "pattern", "core"],
}
_KINDS: Schema = {
    "type": "string",
    "enum": ["EXTRACT", "CONNECT", "FLAG", "ARCHIVE", "PATTERN", "EVOLVE"],
}
_VERDICTS: Schema = {"type": "string", "enum": ["commit", "reject", "defer"]}
_SOURCES = _list(_text(200), 50)
_LINE = _object(
    ("section", "text"), section=_text(40), text=_text(500), sources=_SOURCES
)

SCHEMAS: Mapping[str, Schema] = {
    "survey": _object(
        ("plan", "themes"),
        plan=_list(_object(("task", "what"), task=_TASKS, what=_text(600)), 60),
        themes=_list(_text(100), 10),
    ),
    "meta": _object(
        ("insights", "observations", "guidance"),
        insights=_list(_text(800), 5),
        observations=_list(_text(800), 5),
        guidance=_list(_text(800), 5),
    ),
    "consolidate": _object(
        (),
        operations=_list(
            _object(
                ("operation", "target", "content", "reason"),
                operation=_KINDS,
                target=_text(300),
                content=_text(LONGEST),
                reason=_text(1000),
                evolution_context=_text(1000),
                sources=_SOURCES,
            ),
            MOST_OPERATIONS,
        ),
        text=_text(60_000),
        proposals=_list(
            _object(
                ("number", "verdict"),
                number={"type": "integer"},
                verdict=_VERDICTS,
                reason=_text(500),
            ),
            200,
        ),
        questions=_list(_text(400), 5),
    ),
    "rewrite": _object(
        (),
        remove=_list(_LINE, 60),
        add=_list(_LINE, 60),
        memory=_text(30_000),
    ),
    "present": _object(
        ("vibe", "key_insight"),
        monologue=_text(20_000),
        vibe=_text(300),
        key_insight=_text(600),
        new_understanding=_text(600),
        confirmed=_text(600),
        revised=_text(600),
        continues=_text(600),
        opens=_text(300),
        essay=_text(20_000),
    ),
    "self-image": _object(
        ("who", "patterns", "quirks", "edges", "values", "questions"),
        who=_list(_text(500), 12),
        patterns=_list(_text(500), 12),
        quirks=_list(_text(500), 12),
        edges=_list(_text(500), 12),
        values=_list(_text(500), 12),
        questions=_list(_text(500), 12),
        months=_list(
            _object(("month", "summary"), month=_text(7), summary=_text(500)), 120
        ),
    ),
}
"""By phase, what an answer has to look like."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing that the survey wants done."""

    task: str
    what: str


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What the first phase says."""

    plan: tuple[Task, ...] = ()
    themes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LookedBack:
    """What the second phase says."""

    insights: tuple[str, ...] = ()
    observations: tuple[str, ...] = ()
    guidance: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it, one after the other."""
        return (*self.insights, *self.observations, *self.guidance)


@dataclass(frozen=True, slots=True)
class Written:
    """One operation as a mind wrote it."""

    operation: str
    target: str
    content: str
    reason: str = ""
    evolution_context: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What to do with a proposal that waits."""

    number: int
    verdict: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What the third phase says; `text` holds operations in their text form."""

    operations: tuple[Written, ...] = ()
    text: str = ""
    proposals: tuple[Judged, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of core memory, and the ids of what it is made of."""

    section: str
    text: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What the fourth phase says: lines, or the complete new page."""

    remove: tuple[Line, ...] = ()
    add: tuple[Line, ...] = ()
    memory: str = ""


@dataclass(frozen=True, slots=True)
class Presented:
    """What the last phase says."""

    monologue: str = ""
    vibe: str = ""
    key_insight: str = ""
    new_understanding: str = ""
    confirmed: str = ""
    revised: str = ""
    continues: str = ""
    opens: str = ""
    essay: str = ""


@dataclass(frozen=True, slots=True)
class Month:
    """What the notes of a month came down to."""

    month: str
    summary: str


@dataclass(frozen=True, slots=True)
class Pictured:
    """What a look at oneself says."""

    who: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    quirks: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    months: tuple[Month, ...] = ()


def read_answer(answer: str, kind: type[T]) -> T:
    """An answer that fits its schema, as a value."""
    return msgspec.json.decode(answer, type=kind)
