"""Write what was recalled as a context block: Markdown for a prompt.

It is bounded by tokens, cites where everything stands, and says nothing that changes
while the workspace does not. The marks around it tell that it came from memory, so
that it is never learned again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from reverie.index.text import spoken
from reverie.markdown import one_line
from reverie.model.ids import Kind, page_of
from reverie.model.items import Origin, Role
from reverie.tokens import clip_to_tokens, count_tokens, within_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.views import Beside, Hit, Recalled

OPENING = "<!-- reverie:recalled -->"
CLOSING = "<!-- /reverie:recalled -->"

_NAME = re.compile(r"reverie\s{0,9}:\s{0,9}recalled", re.IGNORECASE)

WHOLE = 80
"""Up to so many tokens a memory is quoted in full, else its best passage."""

MISSES = 3
"""When so many did not fit, the block is full; a shorter one may still have fitted."""

LONGEST = 160
"""Tokens that one memory may take."""

LONGEST_NAME = 20
"""Tokens that the name of who speaks may take."""

YOUR_SUMMARY = "your summary"
ASKED_OF_YOU = "asked of you"

DISPUTED = "(contradiction open) "
TITLE = "## From memory"
UNSURE = "I checked memory and am not sure: nothing fits this well."
_WHOSE = {
    Origin.TOOL: "(a tool or web page says, unverified) ",
    Origin.SUBAGENT: "(a sub-agent says) ",
    Origin.IMPORT: "(imported) ",
    Origin.SYSTEM: "(a program says) ",
}
_NOTHING = "I checked memory and found nothing about this."


def render_context(found: Recalled, budget: int) -> str:
    """Write what was found, the best first, as far as the budget goes."""
    head = [OPENING, TITLE, ""]
    if not found.hits:
        head.append(_NOTHING)
    elif not found.sure:
        head += [UNSURE, ""]
    lines = list(head)
    spent = count_tokens("\n".join([*head, CLOSING]) + "\n")
    missed = 0
    for hit in found.hits:
        entry = hit_entry(hit)
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


# --- one memory ------------------------------------------------------------------


class TurnName(NamedTuple):
    """What the id of a turn says."""

    window: str
    number: str
    role: str

    @property
    def pair(self) -> tuple[str, str]:
        """What both halves of a pair have in common."""
        return self.window, self.number


def turn_name(id_: str) -> TurnName | None:
    """What an id says, if it is that of a turn."""
    kind, _, name = id_.partition(":")
    parts = name.rsplit("/", 3)
    return TurnName(*parts[:3]) if kind == Kind.TURN and len(parts) == 4 else None


def hit_entry(hit: Hit) -> str:
    """A hit with its date, who says it and its place; and the other half of a turn."""
    return "\n".join(_lines(hit))


def other_half(hit: Hit) -> Beside | None:
    """The question of an answer, or the other way round."""
    return next((each for each in hit.beside if each.relation == "pair"), None)


def _lines(hit: Hit) -> Iterator[str]:
    pair = other_half(hit)
    sums_up = pair is not None and _sums_up(hit, pair)
    day = f"{hit.at:%Y-%m-%d} · " if hit.at else ""
    whose = "" if sums_up else _WHOSE.get(hit.origin, "")
    who = _who(hit.id, hit.speaker, sums_up=sums_up)
    text = hit.text if within_tokens(hit.text, WHOLE) else hit.passage
    if page_of(hit.id) != hit.id:
        # A fact goes without the name of whom its page is about.
        text = spoken(hit.title, text)
    said = _told(text, LONGEST, whose)
    place = _plain(f"{hit.id}, {hit.path}:{hit.line}")
    asked = DISPUTED if hit.disputed else ""
    begins = f"only from {hit.since} on: " if hit.since else ""
    yield f"- {day}{asked}{begins}{whose}{who}{said} [{place}]"
    if pair is not None:
        name = _who(pair.id, pair.speaker, sums_up=sums_up)
        yield f"  - with it: {name}{_told(pair.text, WHOLE, whose)}"
    for old in hit.outdated:
        yield f"  - no longer true: {_told(old, WHOLE, whose)}"


def _told(text: str, most: int, whose: str) -> str:
    """A text as it is told: quoted where somebody else wrote it, whatever it says."""
    said = _plain(text, most)
    return in_quotes(said) if whose else said


def in_quotes(text: str) -> str:
    """A text as the words of somebody else."""
    return f"\u201c{text}\u201d"


def _sums_up(hit: Hit, pair: Beside) -> bool:
    """Whether both are a context reflection: only there a program is answered."""
    names = (turn_name(hit.id), turn_name(pair.id))
    roles = {name.role for name in names if name}
    return roles == {Role.SYSTEM, Role.ASSISTANT} and hit.origin is not Origin.IMPORT


def _who(id_: str, speaker: str, *, sums_up: bool) -> str:
    name = turn_name(id_)
    role = name.role if name else ""
    if sums_up:
        return f"{YOUR_SUMMARY if role == Role.ASSISTANT else ASKED_OF_YOU}: "
    said = named(speaker, role)
    return f"{said}: " if said else ""


def named(speaker: str, role: str) -> str:
    """Who speaks: by name, as whom, or both."""
    name = _plain(speaker, LONGEST_NAME)
    return f"{name} ({role})" if name and role else name or role


def _plain(text: str, most: int = 0) -> str:
    """A text on one line that cannot be taken for a mark, however it is escaped."""
    line = _NAME.sub("reverie recalled", one_line(text).replace("<!--", "<! --"))
    return clipped(line, most) if most else line


def clipped(text: str, most: int) -> str:
    """A text cut to so many tokens: behind a word, or within one that is too long."""
    # No character of such a word takes more than a token.
    return clip_to_tokens(text, most) or text[: max(0, most)].rstrip()
