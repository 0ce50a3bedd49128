"""What both the writing and the reading of a proposal's page know of its form."""

from __future__ import annotations

from reverie.markdown import heading
from reverie.model.reflection import INSIGHT_LABELS, Verdict

ESSAY = "State of Understanding"
CHANGES = "Proposed Changes"
LEFT_OUT = "Left Out"
READ = "What Was Read"
TESTS = "Memory Tests"
BOOKS = "Also Written"
RECORD = "Record"
SECTIONS = (ESSAY, CHANGES, BOOKS, LEFT_OUT, READ, TESTS, RECORD)
"""The headings of ours, in the order they are written."""

RULE = "---"
NOTHING = "Nothing would be changed."
DIFF = "diff"
WHY, CONTEXT = "Why", "Context"
WORDS_OF, AFTER = "Made of words of", "Builds on change"
NOT_FOUND = "not found"

REFUSED = ("What", "Why not")
SOURCES = ("Source", "Read", "Tokens", "Budget", "Left out", "Which")
TRIALS = ("Question", "Answer", "Since", "Set by", "Before", "After", "Outcome")

OUTCOMES = {
    Verdict.LOST: "would be lost",
    Verdict.HARDER: "would be harder to find",
    Verdict.MISSING: "cannot be answered before either",
    Verdict.SAME: "as easy to find as before",
    Verdict.EASIER: "would be easier to find",
}
"""How each verdict reads, the worst first."""

INSIGHT_FIELDS = tuple(INSIGHT_LABELS.values())
"""What the fields of an insight are called, in the order it has them."""

ELEMENT, QUESTION = "Element", "Question"
NUMBER, MADE, PRESENTATION, MILESTONE = "Number", "Made", "Presentation", "Milestone"
GRANTED, USED, INPUT = "Granted tokens", "Used tokens", "Input tokens"
READ_UNTIL = "Read until"

_FOLDED = {name.casefold(): name for name in SECTIONS}


def section_of(line: str) -> str:
    """Which heading of ours a line is; empty if none."""
    return _FOLDED.get((heading(line) or "").casefold(), "")
