"""The summary of a reflection (reflection v1, "Output Format").

Where nobody thought, it lists what there is, and claims no insight.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.markdown import escape, one_line, parse_row, split_items, visible
from reverie.model.reflection import OperationKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from reverie.model.reflection import Insight, Operation, PendingReflection

REPLY = (
    "> Reply with `approve`, `approve with changes`, `reject`, or `partial approve`."
)
NONE = "None this cycle"
WITHOUT_MIND = "Nobody thought here: this lists what there is, and claims no insight."
LISTED = "## 🗂️ What There Is"

_CORE = "## ✏️ Core Memory Changes"
_SECTIONS = {
    "## 🧠 New Knowledge Extracted": ["EXTRACT", "PATTERN", "COMMIT", "REJECT"],
    "## 🔗 New Connections": ["CONNECT"],
    "## 📦 Proposed Archival (decay score < 0.05)": ["ARCHIVE", "PRUNE"],
    "## ⚠️ Contradictions Detected": ["FLAG"],
    _CORE: ["CORE"],
}
"""By heading, the kinds of operations that it lists."""

_PROCESSED = {
    "episodes": "episode episodes",
    "graph/entities": "entity entities",
    "procedures": "procedure procedures",
}
_MARK = re.compile(r"#{1,6}(?!\S)|\*(?!\S)|[-+=>|]|_{3}|\*{3}")
_ARROW = re.compile(r"\s*(?:->|→|⟶)\s*")


class Surrounding(Struct, frozen=True):
    """What a summary says besides the proposal.

    Attributes:
        made: When it is written, in the user's zone.
        next_at: When the next one is due; None where none is planned.
        input_target: How many tokens should be read at most.
        core_diff: How `MEMORY.md` would change, line by line.
        themes: What shows only over several reflections.
        listed: What reflection without a mind lists, as titles and their lines.
        without_mind: Whether nobody thought, so that no insight is claimed.
    """

    made: datetime
    next_at: datetime | None = None
    input_target: int = 30_000
    core_diff: str = ""
    themes: tuple[str, ...] = ()
    listed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    without_mind: bool = False


def render_summary(pending: PendingReflection, around: Surrounding) -> str:
    """Write the summary; nothing in the parts can add a heading to it."""
    opening = [f"# Reflection Summary — {around.made.date().isoformat()}"]
    if pending.milestone:
        opening += ["", f"**Milestone**: {escape(one_line(pending.milestone))}"]
    if around.without_mind:
        opening += ["", WITHOUT_MIND]
    listing = [LISTED] if around.listed else []
    for title, found in around.listed:
        listing += ["", f"### {_plain(title)}", _items(found)]
    by_kind = [
        (
            title,
            _items(
                line
                for each in pending.operations
                if each.kind in kinds
                for line in _lines(each)
            ),
        )
        for title, kinds in _SECTIONS.items()
    ]
    if diff := around.core_diff.replace("\r", "").strip("\n"):
        by_kind[-1] = (_CORE, fenced_diff(diff))
    sections = (
        opening,
        listing,
        *by_kind,
        () if around.without_mind else _evolution(pending.insight, around.themes),
        ("## ❓ Questions for You", _items(pending.questions)),
        (_footer(pending, around), REPLY),
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


def fenced_diff(diff: str) -> str:
    """A diff in a code fence that it cannot close."""
    longest = max(map(len, re.findall("`+", diff)), default=0)
    fence, diff = "`" * max(3, longest + 1), diff.rstrip("\n")
    return f"{fence}diff\n{diff}\n{fence}"


def _lines(operation: Operation) -> Iterable[str]:
    """What one operation says, in the words of its section."""
    text, target = visible(operation.content), operation.target
    reason = one_line(operation.reason)
    because = f" ({reason})" if reason else ""
    match operation.kind:
        case OperationKind.EXTRACT:
            return [f"{fact} → {_stem(target)}" for fact in _facts(text)]
        case OperationKind.PATTERN:
            return [f"New procedure: {_stem(target)}{because}"]
        case OperationKind.CONNECT:
            cells = parse_row(text.strip()) or _ARROW.split(one_line(text))
            return [f"{' → '.join(filter(None, cells))} (NEW)"]
        case OperationKind.ARCHIVE:
            return [f"{': '.join(filter(None, [target, text]))}{because}"]
        case OperationKind.COMMIT | OperationKind.REJECT:
            said = "accept" if operation.kind is OperationKind.COMMIT else "turn down"
            return [f"Proposal #{target.lstrip('#')}: {said}{because}"]
        case OperationKind.CORE:
            return _facts(text)
        case _:
            return [text or reason]


def _stem(target: str) -> str:
    return target.rpartition("/")[2].removesuffix(".md")


def _facts(text: str) -> list[str]:
    """The list items of a page, the lines of a text, or a page's first words."""
    items = [piece.text for piece in split_items(text) if piece.marker and piece.text]
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not items and not any(line.startswith("#") for line in lines):
        items = lines
    return items or [text.lstrip("# ").partition("\n")[0] or "a page"]


def _evolution(insight: Insight, themes: Iterable[str]) -> tuple[str, ...]:
    """What was understood."""
    told = {
        "### What I've Learned About Learning": [insight.key],
        "### Evolving Understanding": [insight.new_understanding, insight.confirmed],
        "### Emergent Themes": [*themes, insight.continues, insight.opens],
        "### Revised Assumptions": [insight.revised],
    }
    lines: list[str] = []
    for title, texts in told.items():
        words = list(dict.fromkeys(_plain(text) for text in texts if text.strip()))
        lines += ["", title, "\n\n".join(words)] if words else []
    return ("## 🌱 Philosophical Evolution", *(lines or [f"- {NONE}"]))


def _footer(pending: PendingReflection, around: Surrounding) -> str:
    read = {
        each.name.rpartition("/")[0] or each.name: each.read for each in pending.read
    }
    processed = {
        noun: read.get(f"memory/{place}", 0) for place, noun in _PROCESSED.items()
    }
    due = around.next_at.astimezone(around.made.tzinfo) if around.next_at else None
    reviewed = read.get("reflection-log.md", 0)
    fields = {
        "Reflection #": str(pending.number),
        "Input tokens": f"{pending.input_tokens:,} / ~{around.input_target:,} target",
        "Output tokens": f"{pending.used:,} / {pending.grant:,} max",
        "Memories processed": ", ".join(
            f"{count:,} {noun.split()[count != 1]}" for noun, count in processed.items()
        ),
        "Reflections reviewed": f"Last {reviewed} entries" if reviewed else "None yet",
        "Next scheduled reflection": f"{due:%Y-%m-%d %H:%M}" if due else "none",
    }
    lines = "\n".join(f"**{key}**: {value}" for key, value in fields.items())
    return f"---\n{lines}\n"
