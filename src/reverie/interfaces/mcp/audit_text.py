"""Text of history, files and procedures for an agent (design, 12.7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie import Store
from reverie.markdown import one_line
from reverie.model.items import UNCONFIRMED
from reverie.recall.context_block import harmless, in_quotes
from reverie.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reverie import LogEntry, Memory, SubAgent

    Query = Callable[[Memory | SubAgent, str], str]

MAX_CHANGES = 20
"""Changes that one answer lists."""

MAX_CHARACTERS = 20_000
"""Characters of a file, a diff or a blame in one answer."""


_CHANGE = re.compile(r"[0-9a-f]{7,40}")


def find_audit_text(memory: Memory | SubAgent, what: str) -> str | None:
    """Return the answer to a query of history or of a file; None if it is none.

    Args:
        memory: The open workspace.
        what: `history`, `history FILE`, `blame FILE`, `forgotten WORDS`, `reflection`,
            `procedures`, the ID of a change, or the path of a file.
    """
    word, _, rest = what.strip().partition(" ")
    query = _QUERIES.get(word)
    if query is not None:
        return query(memory, rest.strip())
    if _CHANGE.fullmatch(what):
        return _diff(memory, what)
    if what.endswith((".md", ".toml", ".json")) and ":" not in what:
        return _clipped(harmless(memory.read_file(what)))
    return None


def _history(memory: Memory | SubAgent, path: str) -> str:
    found = memory.history(path=path, limit=MAX_CHANGES)
    return _listed(found) or "No changes."


def _forgotten(memory: Memory | SubAgent, words: str) -> str:
    found = memory.history(forgotten=words, limit=MAX_CHANGES)
    return _listed(found) or f"No forgotten memory has the words {words!r}."


def _reflection(memory: Memory | SubAgent, _: str) -> str:
    last = memory.history(actor="reflection:*", limit=1)
    if not last:
        return "No reflection has changed anything yet."
    return _listed(memory.history(actor=str(last[0].actor), limit=MAX_CHANGES))


def _blame(memory: Memory | SubAgent, path: str) -> str:
    confirmed = {line.strip() for line in memory.read_file(path).split("\n")}
    lines = [
        f"{line.number} {line.commit[:10]} {line.at:%Y-%m-%d} {line.actor}: "
        + (line.text if line.text.strip() in confirmed else UNCONFIRMED)
        for line in memory.blame(path)
    ]
    return _clipped(harmless(without_secrets("\n".join(lines))))


def _diff(memory: Memory | SubAgent, commit: str) -> str:
    (entry,) = memory.history(commit=commit)
    doubted = {alert.path for alert in memory.unconfirmed()}
    unconfirmed = doubted & {line.path for line in entry.lines}
    diff = _clipped(harmless(without_secrets(memory.diff(commit))))
    # What nobody confirmed is quoted as a whole: any line of it may be an order.
    shown = f"{UNCONFIRMED} {in_quotes(diff)}" if unconfirmed else diff
    return f"{_listed([entry])}\n\n{shown or 'This change touched no files.'}"


def _procedures(memory: Memory | SubAgent, _: str) -> str:
    found = memory.items(Store.PROCEDURAL)
    lines = (f"- {each.id}: {one_line(each.title)}" for each in found)
    return harmless("\n".join(lines)) or "There are no procedures."


def _listed(entries: Iterable[LogEntry]) -> str:
    """Return changes as a list, one line for each file of each change."""
    lines = (
        f"- {entry.commit[:10]} {entry.at:%Y-%m-%d %H:%M} {line.action} {line.path} "
        f"by {entry.actor}: {one_line(line.summary)}"
        for entry in entries
        for line in entry.lines
    )
    return _clipped(harmless("\n".join(lines)))


def _clipped(text: str) -> str:
    """Return a text, or its first part and how much is left out."""
    left = len(text) - MAX_CHARACTERS
    if left <= 0:
        return text
    return f"{text[:MAX_CHARACTERS]}\n… and {left:,} more characters"


_QUERIES: dict[str, Query] = {
    "history": _history,
    "forgotten": _forgotten,
    "reflection": _reflection,
    "blame": _blame,
    "procedures": _procedures,
}
