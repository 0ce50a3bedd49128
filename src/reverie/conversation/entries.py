"""How turns, and what is brought back, read in a list; and which of them fit.

A text keeps its lines, moved in by two blanks, so nothing in it begins a line of ours.
None of it can be taken for one of the marks that tell what came from memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.markdown import one_line, tidy
from reverie.model.conversation import DELETED, REFLECTION
from reverie.model.items import Role
from reverie.recall import context_block
from reverie.recall.context_block import ASKED_OF_YOU, OPENING, YOUR_SUMMARY, turn_name
from reverie.secrets.fold import fold
from reverie.stores.turns import turn_id
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.model.items import Turn
    from reverie.model.recall import Hit

SHARE = 3
"""One turn takes at most this part of the room, so that a long one leaves some."""

CUT = "[…]"
"""Stands where the rest of a text is left out."""


# --- texts ---------------------------------------------------------------------

_NAME = OPENING.strip("<!-> ")
_MARK_NAME = re.compile(_NAME.replace(":", r"\s{0,9}:\s{0,9}"), re.IGNORECASE)
_PLAIN_NAME = _NAME.replace(":", " ")


def harmless(text: str) -> str:
    """A text in which nothing is one of our marks, however it is escaped later.

    Every mark has one name, and without its colon that is none. It is looked for as
    the gate looks for it: invisible characters and foreign letters hide nothing.
    """
    if text.isascii() and "recalled" not in text.lower():
        return text
    copy = fold(text)
    pieces: list[str] = []
    done = 0
    for match in _MARK_NAME.finditer(copy.text):
        start, end = copy.span(*match.span())
        pieces += (text[done:start], _PLAIN_NAME)
        done = end
    return "".join((*pieces, text[done:]))


def brief(text: str, most: int) -> str:
    """A text on one line, cut to so many tokens."""
    return harmless(_cut(one_line(text), most))


def _cut(text: str, most: int) -> str:
    kept = context_block.clipped(text, most)
    return text if kept == text else f"{kept} {CUT}".lstrip()


# --- turns ---------------------------------------------------------------------


def shown(turns: Sequence[Turn]) -> list[Turn]:
    """The turns without those that were deleted."""
    return [turn for turn in turns if not turn.field(DELETED)]


def turn_entry(turn: Turn, most: int) -> str:
    """A turn with who says it and when, its text cut to so many tokens."""
    when = f"{turn.at:%Y-%m-%d %H:%M} · " if turn.at else ""
    whose = "(imported) " if turn.imported else ""
    head = f"- {when}{whose}{_speaker(turn)}:"
    said = harmless(_cut(tidy(turn.text), most))
    lines = (context_block.in_quotes(said) if whose else said).splitlines()
    if len(lines) < 2:
        return f"{head} {''.join(lines)}".rstrip()
    return "\n".join((head, *(f"  {line}".rstrip() for line in lines)))


def _speaker(turn: Turn) -> str:
    if turn.field(REFLECTION) and not turn.imported and turn.role is not Role.USER:
        return YOUR_SUMMARY if turn.role is Role.ASSISTANT else ASKED_OF_YOU
    return harmless(context_block.named(turn.speaker, turn.role))


@dataclass(frozen=True, slots=True)
class Tail:
    """The newest turns that fit.

    Attributes:
        entries: How they read, in their order.
        turns: The turns themselves.
        left_out: How many older ones there are.
        tokens: What the entries take, each on its own lines.
    """

    entries: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    left_out: int = 0
    tokens: int = 0

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the turns."""
        return tuple(str(turn_id(turn)) for turn in self.turns)


def newest(turns: Sequence[Turn], room: int) -> Tail:
    """The end of a conversation as far as the room goes.

    A question and its answer are in it together. Only where not even the last two
    fit, the last one is there alone.
    """
    alive = shown(turns)
    entries: dict[int, str] = {}
    spent = 0
    for pair in _pairs(alive):
        found = {at: turn_entry(alive[at], room // SHARE) for at in pair}
        cost = _cost(found.values())
        if spent + cost > room and not entries:
            found = {at: entry for at, entry in found.items() if at == pair[-1]}
            cost = _cost(found.values())
        if spent + cost > room:
            break
        entries |= found
        spent += cost
    kept = sorted(entries)
    return Tail(
        tuple(entries[at] for at in kept),
        tuple(alive[at] for at in kept),
        len(alive) - len(kept),
        spent,
    )


def _pairs(turns: Sequence[Turn]) -> Iterator[list[int]]:
    """Where the turns of each number stand, the newest number first."""
    pairs: dict[tuple[str, int], list[int]] = {}
    for at, turn in enumerate(turns):
        pairs.setdefault((turn.window, turn.number), []).append(at)
    return iter(sorted(pairs.values(), key=lambda pair: -pair[-1]))


def _cost(entries: Iterable[str]) -> int:
    return sum(count_tokens(f"{entry}\n") for entry in entries)


# --- what is brought back ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Brought:
    """What is brought back and fits: entries, and ids with those of their pairs."""

    entries: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


def worth_telling(
    hits: Sequence[Hit], said: Sequence[Turn], told: Sequence[Turn] = ()
) -> list[Hit]:
    """Hits without what is told anyway, what was deleted, and halves told twice.

    Args:
        hits: What was found, the best first.
        said: The turns at hand; those of them that were deleted are not told.
        told: The turns that are told already.
    """
    gone = {turn_name(str(turn_id(turn))) for turn in said if turn.field(DELETED)}
    known = {name.pair for turn in told if (name := turn_name(str(turn_id(turn))))}
    kept: list[Hit] = []
    for hit in hits:
        name = turn_name(hit.id)
        if name is not None and (name in gone or name.pair in known):
            continue
        if name is not None:
            known.add(name.pair)
        beside = tuple(each for each in hit.beside if turn_name(each.id) not in gone)
        kept.append(replace(hit, beside=beside))
    return kept


def fitting(hits: Sequence[Hit], room: int) -> Brought:
    """As many hits as fit, the best first; a pair is split only where it does not."""
    entries: list[str] = []
    ids: list[str] = []
    missed = 0
    for hit in hits:
        pair = context_block.other_half(hit)
        alone = (replace(hit, beside=()),) if pair else ()
        for each in (hit, *alone):
            entry = hit_entry(each)
            cost = _cost((entry,))
            if cost <= room:
                entries.append(entry)
                ids += (hit.id, pair.id) if pair and each is hit else (hit.id,)
                room -= cost
                break
        else:
            missed += 1
            if missed == context_block.MISSES:
                break
    return Brought(tuple(entries), tuple(ids))


def needed(hits: Sequence[Hit]) -> int:
    """The tokens that all of these hits take."""
    return _cost(map(hit_entry, hits))


def hit_entry(hit: Hit) -> str:
    """A hit with its date, who says it and its place; and the other half of a turn."""
    return harmless(context_block.hit_entry(hit))
