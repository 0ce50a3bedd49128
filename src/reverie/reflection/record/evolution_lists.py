"""What a reflection adds to the lists of `evolution.md`: threads, patterns and more."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.reflection.record.evolution_page import (
    ASSUMPTIONS,
    PATTERNS,
    QUESTIONS,
    THREADS,
    moved_last,
    same_words,
    with_item,
    without,
    words_of,
)
from reverie.reflection.record.evolution_pruning import CAPS, Pruned
from reverie.reflection.record.headings import heading_number
from reverie.reflection.record.wording import (
    clean,
    clipped,
    folded,
    parse_words,
    render_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.markdown import Piece, Section
    from reverie.model.reflection import Insight

STABLE = 5
"""Reflections that confirm a pattern before it stands among the patterns."""
CONFIRMED = "- Confirmed pattern: "
"""What the line of an entry begins with that confirms one."""

_ITEM_TOKENS = 45
_TITLE_END = re.compile(r"\s(?:\u2014|\u2013|-)\s|:\s")
_QUOTED = re.compile(r'"([^"]+)"')


def listed(
    pruned: Pruned,
    number: int,
    told: Insight,
    questions: Iterable[str],
    seen: Iterable[Section],
) -> Pruned:
    """A page whose lists have heard of a reflection.

    Args:
        pruned: The page, and what was taken out of it before.
        number: Which reflection.
        told: What it adds.
        questions: What it would like to know.
        seen: All entries of the past.
    """
    pruned = _with_thread(_continued(pruned, told.continues), told.opens)
    if clean(told.confirmed):
        times = _confirmations(told.confirmed, seen, number)
        stable = render_words(clipped(told.confirmed, _ITEM_TOKENS))
        pruned = _with_line(pruned, PATTERNS, stable) if times >= STABLE else pruned
    if clean(told.revised):
        words = render_words(clipped(told.revised, _ITEM_TOKENS))
        pruned = _with_line(pruned, ASSUMPTIONS, f"[#{number}] {words}")
    return _with_questions(pruned, questions)


def _with_questions(pruned: Pruned, questions: Iterable[str]) -> Pruned:
    """A page with the last questions; those that do not fit are for the archive."""
    asked = list(dict.fromkeys(filter(None, map(clean, questions))))
    last = asked[-CAPS[QUESTIONS] :]
    short = {question: clipped(question, _ITEM_TOKENS) for question in last}
    gone = [each for each in asked if short.get(each) != each]
    lines = [(QUESTIONS, f"- {render_words(each)}\n") for each in gone]
    pruned = replace(pruned, lines=(*pruned.lines, *lines))
    for each in last:
        pruned = _with_line(pruned, QUESTIONS, render_words(short[each]))
    return pruned


def _with_line(pruned: Pruned, name: str, line: str) -> Pruned:
    """A page with an item at the end of a list, or the one there that says the same."""
    page = pruned.page
    same = same_words(parse_words(line))
    if any(map(same, page.items(name))):
        return replace(pruned, page=moved_last(page, name, same))
    return replace(pruned, page=with_item(page, name, line))


def _confirmations(words: str, seen: Iterable[Section], number: int) -> int:
    """How many reflections say that they confirm this, the present one included."""
    wanted = folded(words)
    found = {
        heading_number(each.heading)
        for each in seen
        for line in each.body.split("\n")
        if line.startswith(CONFIRMED)
        and folded(parse_words(line.removeprefix(CONFIRMED))) == wanted
    }
    return len(found | {number})


# --- threads -----------------------------------------------------------------


def _continued(pruned: Pruned, continues: str) -> Pruned:
    """A thread that was gone on with is the newest again."""
    words = f" {folded(continues)} "

    def is_meant(piece: Piece) -> bool:
        title = _title(words_of(piece)) if piece.marker else ""
        return bool(title) and f" {title} " in words

    return replace(pruned, page=moved_last(pruned.page, THREADS, is_meant))


def _with_thread(pruned: Pruned, opens: str) -> Pruned:
    """A page with the thread that was opened in place of an older one of its title."""
    line = _thread(clipped(opens, _ITEM_TOKENS))
    title = _title(line)
    if not title:
        return pruned
    same = same_words(parse_words(line))

    def is_older(piece: Piece) -> bool:
        mine = bool(piece.marker) and _title(words_of(piece)) == title
        return mine and not same(piece)

    old = [
        (THREADS, piece.raw) for piece in pruned.page.items(THREADS) if is_older(piece)
    ]
    page = without(pruned.page, THREADS, is_older)
    pruned = replace(pruned, page=page, lines=(*pruned.lines, *old))
    return _with_line(pruned, THREADS, line)


def _thread(words: str) -> str:
    """A thread as it is listed: `"Title" — what it is about`."""
    if _QUOTED.match(words) or not words:
        return render_words(words)
    end = _TITLE_END.search(words)
    title = words[: end.start()] if end else words
    about = words[end.end() :] if end else ""
    quoted = '"' + title.replace('"', "'") + '"'
    return render_words(f"{quoted} — {about}" if about else quoted)


def _title(words: str) -> str:
    found = _QUOTED.match(words)
    return folded(found[1]) if found else ""
