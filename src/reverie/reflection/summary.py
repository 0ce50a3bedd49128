"""The summary of a reflection (reflection v1, "Output Format").

Where nobody thought, it lists what there is, and claims no insight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.markdown import escape, one_line, parse_row, split_items, visible
from reverie.model.reflection import Insight, Operation, OperationKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime, tzinfo

REPLY = (
    "> Reply with `approve`, `approve with changes`, `reject`, or `partial approve`."
)
NONE = "None this cycle"
WITHOUT_MIND = "Nobody thought here: this lists what there is, and claims no insight."
LISTED = "## 🗂️ What There Is"

_MARK = re.compile(r"#{1,6}(?!\S)|\*(?!\S)|[-+=>|]|_{3}|\*{3}")
_ARROW = re.compile(r"\s*(?:->|→|⟶)\s*")


@dataclass(frozen=True, slots=True)
class SummaryParts:
    """What a summary is written from.

    Attributes:
        number: Which reflection.
        day: The day it is made on, in the user's zone.
        zone: The user's zone.
        operations: What is proposed.
        insight: What was understood; not shown where nobody thought.
        themes: What shows only over several reflections; not shown either then.
        questions: What the agent would like to know.
        core_diff: How `MEMORY.md` would change, line by line.
        processed: How many episodes, entities and procedures were looked at.
        reviewed: How many past reflections were looked at.
        tokens_read: How many, and how many it should be at most.
        tokens_written: How many, and how many were granted.
        next_at: When the next one is due; None where none is planned.
        listed: What reflection without a mind lists, as titles and their lines.
        without_mind: Whether nobody thought.
        milestone: What is special about this one; usually empty.
    """

    number: int
    day: date
    zone: tzinfo
    operations: tuple[Operation, ...] = ()
    insight: Insight = field(default_factory=Insight)
    themes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    core_diff: str = ""
    processed: tuple[int, int, int] = (0, 0, 0)
    reviewed: int = 0
    tokens_read: tuple[int, int] = (0, 30_000)
    tokens_written: tuple[int, int] = (0, 8_000)
    next_at: datetime | None = None
    listed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    without_mind: bool = False
    milestone: str = ""


def render_summary(parts: SummaryParts) -> str:
    """Write the summary; nothing in the parts can add a heading to it."""
    kinds = OperationKind
    learnt = kinds.EXTRACT, kinds.PATTERN, kinds.COMMIT, kinds.REJECT
    opening = [f"# Reflection Summary — {parts.day.isoformat()}"]
    if parts.milestone:
        opening += ["", f"**Milestone**: {escape(one_line(parts.milestone))}"]
    if parts.without_mind:
        opening += ["", WITHOUT_MIND]
    listing = [LISTED] if parts.listed else []
    for title, found in parts.listed:
        listing += ["", f"### {_plain(title)}", _items(found)]
    sections = (
        opening,
        listing,
        ("## 🧠 New Knowledge Extracted", _listed(parts, *learnt)),
        ("## 🔗 New Connections", _listed(parts, kinds.CONNECT)),
        (
            "## 📦 Proposed Archival (decay score < 0.05)",
            _listed(parts, kinds.ARCHIVE, kinds.PRUNE),
        ),
        ("## ⚠️ Contradictions Detected", _listed(parts, kinds.FLAG)),
        ("## ✏️ Core Memory Changes", _core(parts)),
        _evolution(parts),
        ("## ❓ Questions for You", _items(parts.questions)),
        (_footer(parts), REPLY),
    )
    told = ("\n".join(section) for section in sections if section)
    return "\n\n".join(told) + "\n"


def listing_on(told: str) -> list[str]:
    """The lines of a summary that list what there is, with their headings."""
    _, _, rest = told.partition(f"{LISTED}\n")
    lines = rest.partition("\n## ")[0].strip("\n").split("\n")
    return lines if rest else []


def _plain(text: str) -> str:
    """One line that reads as words wherever it stands."""
    line = escape(one_line(text), fences=False)
    return f"\\{line}" if _MARK.match(line) else line


def _items(texts: Iterable[str]) -> str:
    lines = [f"- {_plain(text)}" for text in texts if text.strip()]
    return "\n".join(lines or [f"- {NONE}"])


def _listed(parts: SummaryParts, *kinds: OperationKind) -> str:
    chosen = (each for each in parts.operations if each.kind in kinds)
    return _items(line for each in chosen for line in _lines(each))


def _lines(operation: Operation) -> Iterable[str]:
    """What one operation says, in the words of its section."""
    text, reason = visible(operation.content), one_line(operation.reason)
    because = f" ({reason})" if reason else ""
    lines = [text or reason]
    match operation.kind:
        case OperationKind.EXTRACT:
            lines = [f"{fact} → {_stem(operation.target)}" for fact in _facts(text)]
        case OperationKind.PATTERN:
            lines = [f"New procedure: {_stem(operation.target)}{because}"]
        case OperationKind.CONNECT:
            lines = [f"{_edge(text)} (NEW)"]
        case OperationKind.ARCHIVE:
            named = ": ".join(filter(None, [operation.target, text]))
            lines = [f"{named}{because}"]
        case OperationKind.COMMIT | OperationKind.REJECT:
            said = "accept" if operation.kind is OperationKind.COMMIT else "turn down"
            lines = [f"Proposal #{operation.target.lstrip('#')}: {said}{because}"]
        case OperationKind.CORE:
            lines = _facts(text)
        case _:
            pass
    return lines


def _stem(target: str) -> str:
    return target.rpartition("/")[2].removesuffix(".md")


def _facts(text: str) -> list[str]:
    """The list items of a page, the lines of a text, or a page's first words."""
    items = [piece.text for piece in split_items(text) if piece.marker and piece.text]
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not items and not any(line.startswith("#") for line in lines):
        items = lines
    return items or [text.lstrip("# ").partition("\n")[0] or "a page"]


def _edge(text: str) -> str:
    cells = parse_row(text.strip()) or tuple(_ARROW.split(one_line(text)))
    return " → ".join(cell for cell in cells if cell)


def _core(parts: SummaryParts) -> str:
    diff = parts.core_diff.replace("\r", "").strip("\n")
    if not diff.strip():
        return _listed(parts, OperationKind.CORE)
    longest = max(map(len, re.findall("`+", diff)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}diff\n{diff}\n{fence}"


def _evolution(parts: SummaryParts) -> tuple[str, ...]:
    """What was understood; nothing where nobody thought."""
    if parts.without_mind:
        return ()
    insight = parts.insight
    understood = [insight.new_understanding, insight.confirmed]
    told = {
        "### What I've Learned About Learning": [insight.key],
        "### Evolving Understanding": understood,
        "### Emergent Themes": [*parts.themes, insight.continues, insight.opens],
        "### Revised Assumptions": [insight.revised],
    }
    lines: list[str] = []
    for title, texts in told.items():
        words = list(dict.fromkeys(_plain(text) for text in texts if text.strip()))
        if words:
            lines += ["", title, "\n\n".join(words)]
    return ("## 🌱 Philosophical Evolution", *(lines or [f"- {NONE}"]))


def _footer(parts: SummaryParts) -> str:
    nouns = zip(parts.processed, ("episode", "entity", "procedure"), strict=True)
    next_at = parts.next_at
    due = f"{next_at.astimezone(parts.zone):%Y-%m-%d %H:%M}" if next_at else "none"
    reviewed = f"Last {parts.reviewed} entries"
    if parts.reviewed < 2:
        reviewed = "Last entry" if parts.reviewed else "None yet"
    fields = {
        "Reflection #": str(parts.number),
        "Input tokens": "{:,} / ~{:,} target".format(*parts.tokens_read),
        "Output tokens": "{:,} / {:,} max".format(*parts.tokens_written),
        "Memories processed": ", ".join(_count(*each) for each in nouns),
        "Reflections reviewed": reviewed,
        "Next scheduled reflection": due,
    }
    lines = "\n".join(f"**{key}**: {value}" for key, value in fields.items())
    return f"---\n{lines}\n"


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun[-1] == "y" else f"{number:,} {noun}s"
