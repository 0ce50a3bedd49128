"""Conversations as they are read: what was said, how turns are listed, which fit.

A text keeps its lines, moved in by two blanks, so nothing in it begins a line of ours.
None of it can be taken for one of the marks that tell what came from memory.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.conversation.idle import anything_new, due
from reverie.conversation.session_notes import Sittings, claim_lasts, claims
from reverie.markdown import one_line, tidy
from reverie.model.conversation import DELETED, REFLECTION, WindowView
from reverie.model.items import Role
from reverie.model.origin import is_for, scope_of
from reverie.recall import context_block
from reverie.recall.context_block import ASKED_OF_YOU, OPENING, YOUR_SUMMARY, turn_name
from reverie.secrets.fold import fold
from reverie.session.conversation_record import Shelf, load_window, state_of, tail
from reverie.stores.turns import parse_turns, title_of, turn_id, window_of
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reverie.conversation.session_notes import Sitting
    from reverie.model.conversation import WindowState
    from reverie.model.items import Turn
    from reverie.model.recall import Hit
    from reverie.session.session import House


# --- what is written down, and what was said since -----------------------------


def turns_of(house: House, window: str, last: int, *, deleted: bool) -> list[Turn]:
    """What was said in a window, in order.

    Args:
        house: The workspace's parts.
        window: Which conversation.
        last: Only so many of the newest; 0 for all.
        deleted: Whether to give those that were deleted, too.
    """
    waiting = house.journal.waiting(window)
    shelf = Shelf(house)
    written = tail(window, shelf, last) if last else load_window(window, shelf)
    found = [
        turn
        for turn in (*written, *_fresh(written, waiting))
        if deleted or not turn.field(DELETED)
    ]
    return found[-last:] if last else found


def _fresh(written: Sequence[Turn], waiting: Sequence[Turn]) -> list[Turn]:
    """What waits and is not written down by somebody else this very moment."""
    there = {(turn.number, turn.role) for turn in written}
    return [turn for turn in waiting if (turn.number, turn.role) not in there]


def all_turns(house: House, person: str = "") -> dict[str, list[Turn]]:
    """Every turn of every window that is for a person, deleted ones too."""
    found: dict[str, list[Turn]] = defaultdict(list)
    for path, text in _files(house):
        found[window_of(path)] += parse_turns(text, path)
    for name in house.journal.known():
        found[name] += _fresh(found[name], house.journal.waiting(name))
    return {name: _for(turns, person) for name, turns in found.items()}


def _for(turns: Sequence[Turn], person: str) -> list[Turn]:
    return [turn for turn in turns if is_for(scope_of(turn), person)]


def _files(house: House) -> Iterator[tuple[str, str]]:
    """The files of every window, its parts in their order."""
    for path in sorted(house.index.signatures(), key=_part):
        if path.startswith(f"{layout.CONVERSATIONS}/") and path.endswith(".md"):
            data = house.ledger.read(path) or b""
            yield path, data.decode("utf-8-sig", "replace")


def _part(path: str) -> tuple[str, int, str]:
    return window_of(path), len(path), path


def talked_in(house: House) -> list[str]:
    """The windows in which somebody talked here, by name; not those only imported."""
    written = house.index.lookup.own_files(layout.CONVERSATIONS)
    return sorted({*house.journal.known(), *map(window_of, written)})


def views(house: House, person: str = "") -> list[WindowView]:
    """Every conversation at a glance, the newest first, as far as it is for a person.

    One in which nothing is for them is not told of at all.
    """
    sittings = Sittings(house)
    titles: dict[str, str] = {}
    for path, text in _files(house):
        titles[window_of(path)] = titles.get(window_of(path), "") or title_of(text)
    found = [
        replace(view(house, sittings, name, turns, person), title=titles.get(name, ""))
        for name, turns in all_turns(house, person).items()
        if turns
    ]
    return sorted(found, key=lambda each: (each.last is None, each.last), reverse=True)


def view(
    house: House,
    sittings: Sittings,
    name: str,
    turns: Sequence[Turn],
    person: str = "",
) -> WindowView:
    """One conversation at a glance, from those of its turns that are for a person."""
    there = [turn for turn in turns if not turn.field(DELETED)]
    moments = [turn.at for turn in turns if turn.at]
    state = house.journal.state(name) or state_of(turns)
    sitting = sittings.load(name)
    lasts = claim_lasts(house.config.mind)
    return WindowView(
        name,
        turns=len(there),
        reflections=sum(_sums_up(turn) for turn in there),
        deleted=len(turns) - len(there),
        first=min(moments, default=None),
        last=max(moments, default=None),
        due=is_due(house, sitting, state, lambda: turns, person),
        reflecting=claims(sitting, house.clock(), lasts),
        unwritten=len(_for(house.journal.waiting(name), person)),
    )


def is_due(
    house: House,
    sitting: Sitting | None,
    state: WindowState,
    turns: Callable[[], Iterable[Turn]],
    person: str = "",
) -> bool:
    """Whether a conversation is due for a context reflection, or owes one.

    What was imported does not count, nor do messages that were deleted.

    Args:
        house: The workspace's parts.
        sitting: What its agent was told, where it was.
        state: How far it has come.
        turns: Reads the newest turns, deleted ones too; asked only if it matters.
        person: Who would read it; it is of what is for them, or for everybody.
    """
    config, now = house.config.conversation, house.clock()
    owed = config.reflections and sitting is not None and sitting.owed
    if not state.since or not (owed or due(state, now, config)):
        return False
    own = [turn for turn in turns() if _counts(turn)]
    state = replace(state, since=min(state.since, state_of(own).since))
    late = (owed and state.since > 0) or due(state, now, config)
    return late and anything_new(own, person)


def _counts(turn: Turn) -> bool:
    """Whether a turn tells how much was said; a deleted summary was one once."""
    return not turn.imported and (_sums_up(turn) or not turn.field(DELETED))


def reflections(house: House, person: str = "") -> list[tuple[Turn, Turn | None]]:
    """Every context reflection that is for a person: its summary, with its prompt."""
    found = []
    for turns in all_turns(house, person).values():
        prompts = {t.number: t for t in turns if t.role is Role.SYSTEM}
        found += [(t, prompts.get(t.number)) for t in turns if _sums_up(t)]
    return found


def _sums_up(turn: Turn) -> bool:
    return turn.role is Role.ASSISTANT and bool(turn.field(REFLECTION))


# --- turns, and what is brought back, in a list --------------------------------

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
