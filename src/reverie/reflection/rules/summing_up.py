"""What rules can honestly say of a reflection: figures and words that stand there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.model.reflection import Insight, OperationKind
from reverie.reflection.rules.flagging import asks
from reverie.stores.semantic import default_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.model.reflection import Survey
    from reverie.reflection.rules.knowing import Found

FEW = 3
"""So many themes are named in one sentence."""


def tell(found: Found, survey: Survey) -> Insight:
    """What rules add to the log; a vibe they have none."""
    facts = _facts(found)
    return Insight(
        key=_key(found, survey),
        new_understanding=_understood(found) if facts else "",
        confirmed=_confirmed(found),
    )


def _facts(found: Found) -> int:
    return sum(
        len(one.content.splitlines())
        for one in found.operations
        if one.kind is OperationKind.EXTRACT and not asks(one)
    )


def _key(found: Found, survey: Survey) -> str:
    count = len(survey.episodes)
    if not count:
        return "No new episodes."
    first = f"{count} new {'episode' if count == 1 else 'episodes'}"
    if found.themes:
        first += f", mostly about {_and(found.themes[:FEW])}"
    facts = _facts(found)
    said = {0: "no fact is new", 1: "1 fact is new"}.get(
        facts, f"{facts} facts are new"
    )
    parts = [first, said]
    flags = sum(map(asks, found.operations))
    if flags:
        parts.append(
            f"{flags} {'contradiction waits' if flags == 1 else 'contradictions wait'}"
        )
    return "; ".join(parts) + "."


def _understood(found: Found) -> str:
    targets = dict.fromkeys(
        one.target.rpartition("/")[2].removesuffix(".md")
        for one in found.operations
        if one.kind is OperationKind.EXTRACT and not asks(one)
    )
    names = [default_label(name.partition("--")[2]) for name in targets]
    more = len(names) - FEW
    tail = f" and {more} more" if more > 0 else ""
    shown = ", ".join(names[:FEW]) if tail else _and(names)
    return f"New facts about {shown}{tail}."


def _confirmed(found: Found) -> str:
    if not found.seen_again:
        return ""
    return f"Seen again: {_and(found.seen_again[:FEW])}."


def _and(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
