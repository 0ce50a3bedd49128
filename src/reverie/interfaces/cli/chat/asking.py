"""Forgetting in the middle of a chat: shown, asked right there, and done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.errors import ReverieError
from reverie.interfaces.cli.erase import type_the_word
from reverie.interfaces.cli.forget import YES, NeedsAPersonError, told_matches
from reverie.interfaces.cli.page import Span, Style, row
from reverie.model.change import FORGET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.chat.screen import Screen
    from reverie.memory import Memory
    from reverie.model.views import Forgetting, Match

_NONE: tuple[list[str], ...] = ([], ["no"], ["n"], ["none"], ["nothing"])
_QUESTION = "Forget which? (numbers, 'all', or nothing to keep them) "


def ask_and_forget(found: Forgetting, memory: Memory, screen: Screen) -> list[str]:
    """Show what would be forgotten, and forget what is agreed to.

    Whoever goes on talking instead of answering has said no, and is heard. A program
    is told the keys, and confirms them with `/forget … --confirm KEY`.

    Returns:
        Ids of what is forgotten now.
    """
    if screen.json:
        return []
    screen.say(told_matches(found))
    if all(match.protected and not found.permanent for match in found.matches):
        return []
    typed = screen.keyboard.line(_QUESTION) or ""
    while len(found.matches) > 1 and typed.strip().lower() in YES:
        typed = screen.keyboard.line(_QUESTION) or ""
    chosen = picked(typed, found)
    if chosen is None:
        screen.keyboard.type_again(typed)
    if not chosen:
        screen.remark("Nothing was forgotten.")
        return []
    try:
        _forget(replace(found, matches=chosen), memory, screen)
    except ReverieError as error:
        screen.problem(error)
        return []
    return [match.id for match in chosen]


def picked(typed: str, found: Forgetting) -> tuple[Match, ...] | None:
    """What was meant by `all`, `2`, `1, 3` or `2-4`, as the matches were numbered.

    Returns:
        Those to forget, none for a no; None if it is no answer at all.
    """
    words = typed.replace(",", " ").lower().split()
    matches = found.matches
    if words == ["all"] or (len(matches) == 1 and " ".join(words) in YES):
        return tuple(m for m in matches if found.permanent or not m.protected)
    if words in _NONE:
        return ()
    places: dict[int, None] = {}
    for word in words:
        first, _, last = word.partition("-")
        span = _span(first, last or first, matches)
        if not span:
            return None
        places |= dict.fromkeys(span)
    return tuple(matches[place] for place in places)


def _span(first: str, last: str, matches: Sequence[Match]) -> range:
    """Places from one number to another; none if nothing was shown under them."""
    for word in (first, last):
        number = int(word) if word.isdecimal() and len(word) < 5 else 0
        if not 1 <= number <= len(matches):
            return range(0)
    return range(int(first) - 1, int(last))


def _forget(found: Forgetting, memory: Memory, screen: Screen) -> None:
    if found.permanent:
        _erase(found, memory, screen)
        return
    actor = memory.acting(FORGET)
    receipt = memory.forget(found.matches, actor=actor, trigger=found.wish)
    back = f"/undo {receipt.commit[:10]} brings it back."
    screen.say([row(Span("Forgotten. ", Style.GOOD), Span(back, Style.FAINT))])


def _erase(found: Forgetting, memory: Memory, screen: Screen) -> None:
    if not screen.person:
        raise NeedsAPersonError
    type_the_word("This cannot be undone. ")
    for match in found.matches:
        memory.erase_match(match)
    screen.say([row(Span("Erased for good.", Style.GOOD))])
