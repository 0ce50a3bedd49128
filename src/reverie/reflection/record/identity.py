"""What the agent noticed about itself: `IDENTITY.md`, "Self-Awareness Log"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.markdown import parse_date, split_lines
from reverie.reflection.record.outline import subs_of, with_below
from reverie.reflection.record.wording import (
    clean,
    first_sentences,
    last_sentences,
    parse_words,
    render_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

LOG = "Self-Awareness Log"
RECENT = "Recent (Full Detail)"
ARCHIVED = "Archived (Compacted)"
LONGEST = 300
"""Characters of one item."""
MOST = 10
"""Items of one reflection: after as many the self-image is drawn anew."""

_TAG = re.compile(r"\[self-awareness\]", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n|\n(?=[ \t]*[-*+][ \t])")
_BULLET = re.compile(r"[-*+][ \t]+")
_OWN = re.compile(r"[#<>|`~=-]|[0-9]{1,9}[.)][ \t]")
"""How a line begins that goes on with nothing above it."""
_BY = re.compile(r" <!-- by:([a-z-]+) -->$")
_ITEM = re.compile(r"[-*+][ \t]+([0-9]{4}-[0-9]{2}-[0-9]{2}):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Awareness:
    """One thing the agent noticed about itself.

    Attributes:
        day: The day it did.
        words: What it noticed.
        by: Whose words it is made of, where that is not the agent alone.
    """

    day: date
    words: str
    by: str = ""


def awareness_items(told: str) -> tuple[str, ...]:
    """What a reflection tags as self-awareness, without the tags, one line each.

    A tag closes a passage: from the start of its paragraph, or from the tag before it.
    Where a paragraph starts with its tag, the tag opens the passage instead. Of a long
    passage the sentences next to the tag are kept.
    """
    found = (item for part in _PARAGRAPH.split(told) for item in _tagged(part))
    return tuple(dict.fromkeys(item for item in found if item))


def _tagged(paragraph: str) -> Iterator[str]:
    text = paragraph.strip()
    bullet = _BULLET.match(text)
    text = text[bullet.end() :] if bullet else text
    first, *others = _TAG.split(text)
    if first.strip(" *_`\"'\t\r\n"):
        closed = [first, *others][: len(others)]
        yield from (last_sentences(each, LONGEST) for each in closed)
    else:
        yield from (first_sentences(each, LONGEST) for each in others)


def append_awareness(text: str, day: date, items: Iterable[str], by: str = "") -> str:
    """`IDENTITY.md` with what was noticed on a day; all the rest stays as it is."""
    there = {(each.day, each.words) for each in recent(text)}
    wanted = (Awareness(day, clean(item), by) for item in items)
    fresh = dict.fromkeys(e for e in wanted if e.words and (day, e.words) not in there)
    lines = "".join(f"{render_awareness(each)}\n" for each in fresh)
    return with_below(text, LOG, lines, RECENT, (ARCHIVED,)) if lines else text


def render_awareness(awareness: Awareness) -> str:
    """Write one thing noticed, without a line end."""
    mark = f" <!-- by:{awareness.by} -->" if awareness.by else ""
    return f"- {awareness.day.isoformat()}: {render_words(awareness.words)}{mark}"


def recent(text: str) -> tuple[Awareness, ...]:
    """What is there in full detail, in the order written."""
    subs = subs_of(text, LOG, RECENT)
    found = (parse_awareness(raw) for sub in subs for raw in split_notes(sub.body))
    return tuple(each for each in found if each)


def parse_awareness(raw: str) -> Awareness | None:
    """Read one item; None if it is none."""
    found = _ITEM.fullmatch(raw.strip())
    day = parse_date(found[1]) if found else None
    if not found or not day:
        return None
    mark = _BY.search(found[2].rstrip())
    words = found[2][: mark.start()] if mark else found[2]
    return Awareness(day, parse_words(words), mark[1] if mark else "")


def split_notes(body: str) -> tuple[str, ...]:
    """Cut a list into its items and what stands between; all of it joins again.

    Lines right below an item belong to it, indented or not, as people type them.
    """
    groups: list[str] = []
    open_item = False
    for line in split_lines(body):
        starts = bool(_BULLET.match(line))
        if open_item and line.strip() and not (starts or _OWN.match(line)):
            groups[-1] += line
            continue
        groups.append(line)
        open_item = starts
    return tuple(groups)
