"""Conversations as they are read: what was said, how turns are listed, which fit.

A text keeps its lines, moved in by two blanks, so nothing in it begins a line of ours.
None of it can be taken for one of the marks that tell what came from memory.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie.markdown import one_line, tidy
from reverie.model.conversation import DELETED, REFLECTION
from reverie.model.items import Role
from reverie.model.origin import is_for, scope_of
from reverie.recall import context_block
from reverie.recall.context_block import ASKED_OF_YOU, OPENING, YOUR_SUMMARY, turn_name
from reverie.secrets.labels import fold
from reverie.session.conversation_record import shelf_of, tail
from reverie.stores.turns import parse_turns, title_of, turn_id, window_of
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reverie.model.items import Turn
    from reverie.model.views import Hit
    from reverie.session.session import Session

SHARE = 3
"""One turn takes at most this part of the room, so that a long one leaves some."""

CUT = "[…]"
"""Stands where the rest of a text is left out."""

KEPT = 4
"""So many turns at the end leave the context last, with their other halves."""

SUMMARY_WORTH = 0.15
"""What a context reflection is worth beyond its relevance: it stands for many turns."""


# --- what is written down, and what was said since -----------------------------


def turns_of(
    session: Session,
    window: str,
    last: int = 0,
    *,
    deleted: bool = False,
    person: str = "",
) -> list[Turn]:
    """What was said in a window, in order.

    Args:
        session: The workspace's parts.
        window: Which conversation.
        last: Only so many of the newest; 0 for all.
        deleted: Whether to give those that were deleted, too.
        person: Who looks; nothing that is for another alone is given.
    """
    waiting = session.journal.waiting(window)
    written = tail(window, shelf_of(session), 0 if person else last)
    found = [
        turn
        for turn in (*written, *_fresh(written, waiting))
        if (deleted or not turn.field(DELETED)) and is_for(scope_of(turn), person)
    ]
    return found[-last:] if last else found


def _fresh(written: Sequence[Turn], waiting: Sequence[Turn]) -> list[Turn]:
    """What waits and is not written down by somebody else this very moment."""
    there = {(turn.number, turn.role) for turn in written}
    return [turn for turn in waiting if (turn.number, turn.role) not in there]


def conversations(
    session: Session, person: str = ""
) -> dict[str, tuple[str, list[Turn]]]:
    """Title and turns of every window, deleted ones too, as far as for a person."""
    found: dict[str, list[Turn]] = defaultdict(list)
    titles: dict[str, str] = defaultdict(str)
    paths = ((window_of(path), len(path), path) for path in session.index.signatures())
    for name, _, path in sorted(paths):
        if path.startswith(f"{layout.CONVERSATIONS}/") and path.endswith(".md"):
            text = (session.ledger.read(path) or b"").decode("utf-8-sig", "replace")
            found[name] += parse_turns(text, path)
            titles[name] = titles[name] or title_of(text)
    for name in session.journal.known():
        found[name] += _fresh(found[name], session.journal.waiting(name))
    return {
        name: (titles[name], [t for t in turns if is_for(scope_of(t), person)])
        for name, turns in found.items()
    }


def talked_in(session: Session) -> list[str]:
    """The windows in which somebody talked here, by name; not those only imported."""
    written = session.index.lookup.own_files(layout.CONVERSATIONS)
    return sorted({*session.journal.known(), *map(window_of, written)})


def sums_up(turn: Turn) -> bool:
    """Whether a turn is the summary of a context reflection."""
    return turn.role is Role.ASSISTANT and bool(turn.field(REFLECTION))


# --- texts ---------------------------------------------------------------------

_NAME = OPENING.strip("<!-> ")
_MARK_NAME = re.compile(_NAME.replace(":", r"\s{0,9}:\s{0,9}"), re.IGNORECASE)


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
        pieces += (text[done:start], _NAME.replace(":", " "))
        done = end
    return "".join((*pieces, text[done:]))


def brief(text: str, most: int) -> str:
    """A text on one line, cut to so many tokens."""
    return harmless(_cut(one_line(text), most))


def _cut(text: str, most: int) -> str:
    kept = context_block.clipped(text, most)
    return text if kept == text else f"{kept} {CUT}".lstrip()


# --- turns ---------------------------------------------------------------------


def turn_entry(turn: Turn, most: int) -> str:
    """A turn with who says it and when, its text cut to so many tokens."""
    when = f"{turn.at:%Y-%m-%d %H:%M} · " if turn.at else ""
    whose = "(imported) " if turn.imported else ""
    who = harmless(context_block.named(turn.speaker, turn.role))
    if turn.field(REFLECTION) and not turn.imported and turn.role is not Role.USER:
        who = YOUR_SUMMARY if turn.role is Role.ASSISTANT else ASKED_OF_YOU
    head = f"- {when}{whose}{who}:"
    said = harmless(_cut(tidy(turn.text), most))
    lines = (context_block.in_quotes(said) if whose else said).splitlines()
    if len(lines) < 2:
        return f"{head} {''.join(lines)}".rstrip()
    return "\n".join((head, *(f"  {line}".rstrip() for line in lines)))


class Tail(Struct, frozen=True):
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


def newest(turns: Sequence[Turn], room: int) -> Tail:
    """The end of a conversation as far as the room goes.

    A question and its answer are in it together. Only where not even the last two
    fit, the last one is there alone.
    """
    alive = [turn for turn in turns if not turn.field(DELETED)]
    entries: dict[int, str] = {}
    spent = 0
    for pair in sorted(_pairs(alive), key=lambda pair: -pair[-1]):
        found = {at: turn_entry(alive[at], room // SHARE) for at in pair}
        cost = _cost(found.values())
        if spent + cost > room and not entries:
            found = {pair[-1]: found[pair[-1]]}
            cost = _cost(found.values())
        if spent + cost > room:
            break
        entries |= found
        spent += cost
    kept = sorted(entries)
    told = tuple(entries[at] for at in kept)
    return Tail(told, tuple(alive[at] for at in kept), len(alive) - len(kept), spent)


def _pairs(turns: Sequence[Turn]) -> list[list[int]]:
    """Where the turns of each number stand."""
    pairs: dict[tuple[str, int], list[int]] = defaultdict(list)
    for at, turn in enumerate(turns):
        pairs[turn.window, turn.number].append(at)
    return list(pairs.values())


def _cost(entries: Iterable[str]) -> int:
    return sum(count_tokens(f"{entry}\n") for entry in entries)


def choose(
    turns: Sequence[Turn], relevance: Mapping[str, float], budget: int
) -> tuple[tuple[Turn, ...], tuple[Turn, ...], int]:
    """What stays in the context within a budget and what leaves, each in its order.

    A question and its answer go together. Deleted turns leave in any case. The last
    few stay unless they alone take more, and the newest whatever it takes.

    Args:
        turns: What is in the context, in its order.
        relevance: By the id of a turn, how much it has to do with what is talked
            about now, from 0 to 1; what is not in it has nothing to do with it.
        budget: Tokens that the texts may take.

    Returns:
        What stays, what leaves, and the tokens that what stays takes.
    """
    alive = [turn for turn in turns if not turn.field(DELETED)]
    first = len(alive) - KEPT
    tokens = [count_tokens(turn.text) for turn in alive]
    worths = [_worth(turn, relevance) for turn in alive]

    def order(pair: list[int]) -> tuple[bool, float, int]:
        # Of the last ones the oldest goes, but only when nothing else is left to go.
        late = pair[-1] >= first
        return late, 0.0 if late else max(worths[at] for at in pair), pair[-1]

    left, gone = sum(tokens), set[int]()
    for pair in sorted(_pairs(alive), key=order):
        if left <= budget or len(alive) - 1 in pair:
            break
        gone.update(pair)
        left -= sum(tokens[at] for at in pair)
    kept = [turn for at, turn in enumerate(alive) if at not in gone]
    stays = set(map(id, kept))
    return tuple(kept), tuple(turn for turn in turns if id(turn) not in stays), left


def _worth(turn: Turn, relevance: Mapping[str, float]) -> float:
    given = relevance.get(str(turn_id(turn)), 0.0)
    # Written so that what is no number counts as nothing.
    bounded = min(given, 1.0) if given > 0 else 0.0
    return bounded + (SUMMARY_WORTH if turn.field(REFLECTION) else 0.0)


# --- what is brought back ------------------------------------------------------


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
        if name is not None:
            if name in gone or name.pair in known:
                continue
            known.add(name.pair)
        beside = tuple(each for each in hit.beside if turn_name(each.id) not in gone)
        kept.append(replace(hit, beside=beside))
    return kept


def fitting(hits: Sequence[Hit], room: int) -> tuple[list[str], tuple[str, ...]]:
    """As many hits as fit, the best first; a pair is split only where it does not.

    Returns:
        How they read, and their ids with those of their other halves.
    """
    entries: list[str] = []
    ids: list[str] = []
    missed = 0
    for hit in hits:
        pair = context_block.other_half(hit)
        for each in (hit, replace(hit, beside=())) if pair else (hit,):
            entry = hit_entry(each)
            if (cost := _cost((entry,))) <= room:
                entries.append(entry)
                ids += (hit.id, pair.id) if pair and each is hit else (hit.id,)
                room -= cost
                break
        else:
            missed += 1
            if missed == context_block.MISSES:
                break
    return entries, tuple(ids)


def needed(hits: Sequence[Hit]) -> int:
    """The tokens that all of these hits take."""
    return _cost(map(hit_entry, hits))


def hit_entry(hit: Hit) -> str:
    """A hit with its date, who says it and its place; and the other half of a turn."""
    return harmless(context_block.hit_entry(hit))
