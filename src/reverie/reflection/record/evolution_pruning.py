"""Keeping `evolution.md` within its caps (reflection v2, "Size Management").

What is taken out is handed back, so that its archive can hold it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from reverie.reflection.record.evolution_page import (
    ASSUMPTIONS,
    ENTRY,
    LISTS,
    OTHER,
    OVERVIEW,
    PATTERNS,
    QUESTIONS,
    SECTIONS,
    THREADS,
    EvolutionPage,
    Part,
    squeezed,
    without,
    without_parts,
    words_of,
)
from reverie.reflection.record.wording import folded
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.markdown import Piece

CAP = 2000
OVERVIEW_CAP = 100
ENTRIES = 10
CAPS = {THREADS: 5, PATTERNS: 7, ASSUMPTIONS: 7, QUESTIONS: 5}
"""The most items of each list, always."""
_FLOORS = {THREADS: 3, PATTERNS: 5, ASSUMPTIONS: 5, QUESTIONS: 3}
"""The items of each list that stay longer than the older entries do."""
_LARGE_ITEM, _LARGE_ENTRY = 120, 500
"""Tokens; what is larger was typed by hand, and makes room for all the others."""
_FEW_ENTRIES = 3
OUR_LINES = (
    *("First reflection:", "Total reflections:", "Milestones reached:"),
    "Made of words of:",
)


@dataclass(frozen=True, slots=True)
class Pruned:
    """A page, and what was taken out of it.

    Attributes:
        page: What stays.
        entries: Whole entries that go to the archive, oldest first.
        lines: Other texts that go there, with the section each stood in.
    """

    page: EvolutionPage
    entries: tuple[Part, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()


def prune_page(pruned: Pruned, current: int, *, thorough: bool) -> Pruned:
    """A page within its caps, as far as that is ours to bring about.

    Args:
        pruned: The page, and what was taken out of it before.
        current: The number of the newest reflection.
        thorough: Whether to tidy up although nothing is over a cap.
    """
    for name, most in CAPS.items():
        pruned = _keep_items(pruned, name, most)
    if count_tokens("".join(p.raw for p in pruned.page.named(OVERVIEW))) > OVERVIEW_CAP:
        pruned = _drop_prose(pruned, OVERVIEW)
    if thorough:
        pruned = _drop_old(pruned, current)
        for name in LISTS:
            pruned = _drop_twins(pruned, name)
    pruned = _keep_entries(pruned, ENTRIES)
    if foreign_tokens(pruned.page) > CAP:
        return _drop_ours(pruned)
    return _fitted(pruned, current)


def _fitted(pruned: Pruned, current: int) -> Pruned:
    tokens = count_tokens(pruned.page.text)
    for step in _steps(current):
        if tokens <= CAP:
            break
        before, pruned = pruned, step(pruned)
        if pruned.page.text != before.page.text:
            tokens = count_tokens(pruned.page.text)
    return pruned


def foreign_tokens(page: EvolutionPage) -> int:
    """How many tokens are not ours to take out."""
    return count_tokens("".join(part.raw for part in page.named(OTHER)))


def _steps(current: int) -> Iterator[Callable[[Pruned], Pruned]]:
    """What to take out, one thing after the other, until the rest fits."""
    yield partial(_drop_old, current=current)
    yield _drop_large
    yield _squeeze
    for name in SECTIONS:
        yield partial(_drop_prose, name=name)
    yield from _shorter_lists(CAPS, _FLOORS)
    yield from _fewer_entries(ENTRIES, _FEW_ENTRIES)
    yield from _shorter_lists(_FLOORS, dict.fromkeys(LISTS, 1))
    yield from _fewer_entries(_FEW_ENTRIES, 1)
    yield from _shorter_lists(dict.fromkeys(LISTS, 1), dict.fromkeys(LISTS, 0))
    yield from _fewer_entries(1, 0)
    yield _drop_ours


def _shorter_lists(
    most: dict[str, int], least: dict[str, int]
) -> Iterator[Callable[[Pruned], Pruned]]:
    for name in LISTS:
        for size in range(most[name] - 1, least[name] - 1, -1):
            yield partial(_keep_items, name=name, most=size)


def _fewer_entries(most: int, least: int) -> Iterator[Callable[[Pruned], Pruned]]:
    for size in range(most - 1, least - 1, -1):
        yield partial(_keep_entries, most=size)


def _keep_items(pruned: Pruned, name: str, most: int) -> Pruned:
    """The newest items of a list; they stand below the older ones."""
    items = pruned.page.items(name)
    old = items[: max(0, len(items) - most)]
    return _drop_pieces(pruned, name, {id(piece) for piece in old})


def _drop_twins(pruned: Pruned, name: str) -> Pruned:
    """Of items that say the same, the newest stays."""
    newest = {folded(words_of(piece)): id(piece) for piece in pruned.page.items(name)}
    twins = {id(piece) for piece in pruned.page.items(name)} - set(newest.values())
    return _drop_pieces(pruned, name, twins)


def _drop_pieces(pruned: Pruned, name: str, gone: set[int]) -> Pruned:
    if not gone:
        return pruned
    found = [
        (name, piece.raw)
        for part in pruned.page.named(name)
        for piece in part.pieces
        if id(piece) in gone and piece.raw.strip()
    ]
    page = without(pruned.page, name, lambda piece: id(piece) in gone)
    return replace(pruned, page=page, lines=(*pruned.lines, *found))


def _drop_prose(pruned: Pruned, name: str) -> Pruned:
    """What a person wrote in a section of ours that is no list item of it."""

    def is_prose(piece: Piece) -> bool:
        ours = name != OVERVIEW or piece.text.startswith(OUR_LINES)
        return bool(piece.raw.strip()) and not (piece.marker and ours)

    pieces = [piece for part in pruned.page.named(name) for piece in part.pieces]
    return _drop_pieces(pruned, name, {id(p) for p in pieces if is_prose(p)})


def _squeeze(pruned: Pruned) -> Pruned:
    """Blank lines are nobody's words."""
    return replace(pruned, page=squeezed(pruned.page))


def _drop_large(pruned: Pruned) -> Pruned:
    for name in SECTIONS:
        pieces = [piece for part in pruned.page.named(name) for piece in part.pieces]
        large = {id(p) for p in pieces if count_tokens(p.raw) > _LARGE_ITEM}
        pruned = _drop_pieces(pruned, name, large)
    return _drop_entries(pruned, lambda part: count_tokens(part.raw) > _LARGE_ENTRY)


def _drop_old(pruned: Pruned, current: int) -> Pruned:
    return _drop_entries(pruned, lambda part: part.number <= current - ENTRIES)


def _keep_entries(pruned: Pruned, most: int) -> Pruned:
    numbers = sorted(part.number for part in pruned.page.named(ENTRY))
    if len(numbers) <= most:
        return pruned
    last = numbers[len(numbers) - most - 1]
    return _drop_entries(pruned, lambda part: part.number <= last)


def _drop_entries(pruned: Pruned, gone: Callable[[Part], bool]) -> Pruned:
    found = [part for part in pruned.page.named(ENTRY) if gone(part)]
    taken = set(map(id, found))
    page = without_parts(pruned.page, lambda part: id(part) in taken)
    found.sort(key=lambda part: part.number)
    return replace(pruned, page=page, entries=(*pruned.entries, *found))


def _drop_ours(pruned: Pruned) -> Pruned:
    """Nothing stays but what is not ours; for files that leave us no room."""
    for name in SECTIONS:
        pruned = _drop_prose(pruned, name)
    for name in LISTS:
        pruned = _keep_items(pruned, name, 0)
    pruned = _keep_entries(pruned, 0)
    page = without_parts(pruned.page, lambda part: part.name != OTHER)
    return replace(pruned, page=page)
