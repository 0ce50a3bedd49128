"""What was recalled, as a block of Markdown for a prompt.

It is bounded by tokens, cites where everything stands, and says nothing that changes
while the workspace does not. The marks around it tell that it came from memory, so
that it is never learned again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.markdown import one_line
from reverie.model.origin import Origin
from reverie.tokens import clip_to_tokens, count_tokens, within_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.recall import Hit, Recalled

OPENING = "<!-- reverie:recalled -->"
CLOSING = "<!-- /reverie:recalled -->"

_NAME = re.compile(r"reverie\s{0,9}:\s{0,9}recalled", re.IGNORECASE)

WHOLE = 80
"""Up to so many tokens a memory is quoted in full, else its best passage."""

MISSES = 3
"""When so many did not fit, the block is full; a shorter one may still have fitted."""

LONGEST = 160
"""Tokens that one memory may take."""

_UNSURE = "I checked memory and am not sure: nothing fits this well."
_WHOSE = {
    Origin.TOOL: "(a tool or web page says, unverified) ",
    Origin.SUBAGENT: "(a sub-agent says) ",
    Origin.IMPORT: "(imported) ",
    Origin.SYSTEM: "(a program says) ",
}
_NOTHING = "I checked memory and found nothing about this."


def render_context(found: Recalled, budget: int) -> str:
    """Write what was found, the best first, as far as the budget goes."""
    head = [OPENING, "## From memory", ""]
    if not found.hits:
        head.append(_NOTHING)
    elif not found.sure:
        head += [_UNSURE, ""]
    lines = list(head)
    spent = count_tokens("\n".join([*head, CLOSING]) + "\n")
    missed = 0
    for hit in found.hits:
        entry = _entry(hit)
        cost = count_tokens(f"{entry}\n")
        if spent + cost <= budget:
            lines.append(entry)
            spent += cost
        elif (missed := missed + 1) == MISSES:
            break
    if found.hits and len(lines) == len(head):
        # There is no room for a single one.
        return ""
    text = "\n".join([*lines, CLOSING]) + "\n"
    return text if within_tokens(text, budget) else ""


def _entry(hit: Hit) -> str:
    return "\n".join(_lines(hit))


def _lines(hit: Hit) -> Iterator[str]:
    day = f"{hit.at:%Y-%m-%d} · " if hit.at else ""
    who = f"{_plain(hit.speaker, WHOLE)}: " if hit.speaker else ""
    text = hit.text if within_tokens(hit.text, WHOLE) else hit.passage
    said = _plain(text, LONGEST)
    whose = _WHOSE.get(hit.origin, "")
    yield f"- {day}{whose}{who}{said} [{hit.id}, {hit.path}:{hit.line}]"
    for other in hit.beside:
        if other.relation == "pair":
            name = f"{_plain(other.speaker, WHOLE)}: " if other.speaker else ""
            yield f"  - with it: {name}{_plain(other.text, WHOLE)}"
    for old in hit.outdated:
        yield f"  - no longer true: {_plain(old, WHOLE)}"


def _plain(text: str, most: int) -> str:
    """A text on one line that cannot be taken for a mark, however it is escaped."""
    line = _NAME.sub("reverie recalled", one_line(text).replace("<!--", "<! --"))
    return clip_to_tokens(line, most)
