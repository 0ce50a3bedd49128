"""Which turns may leave the context: what has least to do with the talk of now."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from reverie.model.conversation import DELETED, REFLECTION
from reverie.stores.turns import turn_id
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reverie.model.items import Turn

SUMMARY_WORTH = 0.15
"""What a context reflection is worth beyond its relevance: it stands for many turns."""


class _Pair(NamedTuple):
    """Turns of one number; the least comes first, of equals the oldest.

    Attributes:
        worth: How much it has to do with what is talked about now.
        last: Where its last turn stands.
        places: Where all of them stand.
        tokens: What they take.
    """

    worth: float
    last: int
    places: tuple[int, ...]
    tokens: int


def choose(
    turns: Sequence[Turn],
    relevance: Mapping[str, float],
    budget: int,
    *,
    keep_last: int = 4,
) -> tuple[tuple[Turn, ...], tuple[Turn, ...], int]:
    """What stays within a budget and what leaves, each in its order.

    A question and its answer go together. Deleted turns leave in any case.

    Args:
        turns: What is in the context, in its order.
        relevance: By the id of a turn, how much it has to do with what is talked
            about now, from 0 to 1; what is not in it has nothing to do with it.
        budget: Tokens that the texts may take.
        keep_last: So many turns at the end stay, with their other halves, unless
            they alone take more; the newest one stays whatever it takes.

    Returns:
        What stays, what leaves, and the tokens that what stays takes.
    """
    alive = [at for at, turn in enumerate(turns) if not turn.field(DELETED)]
    safe = alive[len(alive) - keep_last :] if keep_last < len(alive) else alive
    first = safe[0] if keep_last > 0 and safe else len(turns)
    kept = set(alive)
    left = _tokens([turns[at] for at in alive])
    pairs = sorted(_pairs(turns, alive, relevance))
    last = [pair for pair in pairs if pair.last >= first]
    # Of the last ones the oldest goes, but only when nothing else is left to go.
    last.sort(key=lambda pair: pair.last)
    for pair in (*(pair for pair in pairs if pair.last < first), *last[:-1]):
        if left <= budget:
            break
        kept.difference_update(pair.places)
        left -= pair.tokens
    return (
        tuple(turn for at, turn in enumerate(turns) if at in kept),
        tuple(turn for at, turn in enumerate(turns) if at not in kept),
        left,
    )


def _pairs(
    turns: Sequence[Turn], alive: Sequence[int], relevance: Mapping[str, float]
) -> Iterator[_Pair]:
    places: dict[tuple[str, int], list[int]] = {}
    for at in alive:
        places.setdefault((turns[at].window, turns[at].number), []).append(at)
    for found in places.values():
        pair = [turns[at] for at in found]
        worth = max(_worth(turn, relevance) for turn in pair)
        yield _Pair(worth, found[-1], tuple(found), _tokens(pair))


def _worth(turn: Turn, relevance: Mapping[str, float]) -> float:
    given = relevance.get(str(turn_id(turn)), 0.0)
    # Written so that what is no number counts as nothing.
    bounded = min(given, 1.0) if given > 0 else 0.0
    return bounded + (SUMMARY_WORTH if turn.field(REFLECTION) else 0.0)


def _tokens(turns: Sequence[Turn]) -> int:
    return sum(count_tokens(turn.text) for turn in turns)
