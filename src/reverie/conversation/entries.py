"""How turns, and what is brought back, read in a list; and which of them fit.

A text keeps its lines, moved in by two blanks, so nothing in it begins a line of ours.
None of it can be taken for one of the marks that tell what came from memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.gate.folding import fold
from reverie.markdown import one_line, tidy
from reverie.model.conversation import DELETED, REFLECTION
from reverie.model.ids import Kind
from reverie.model.items import Role
from reverie.model.origin import Origin
from reverie.recall.block import LONGEST, OPENING, WHOLE
from reverie.stores.turns import turn_id
from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.model.items import Turn
    from reverie.model.recall import Beside, Hit

SHARE = 3
"""One turn takes at most this part of the room, so that a long one leaves some."""

CUT = "[…]"
"""Stands where the rest of a text is left out."""

YOUR_SUMMARY = "your summary"
ASKED_OF_YOU = "asked of you"

_WHOSE = {
    Origin.TOOL: "(a tool or web page says, unverified) ",
    Origin.SUBAGENT: "(a sub-agent says) ",
    Origin.IMPORT: "(imported) ",
}
_LONGEST_NAME = 20  # tokens


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
    kept = clip_to_tokens(text, most)
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
    lines = harmless(_cut(tidy(turn.text), most)).splitlines()
    if len(lines) < 2:
        return f"{head} {''.join(lines)}".rstrip()
    return "\n".join((head, *(f"  {line}".rstrip() for line in lines)))


def _speaker(turn: Turn) -> str:
    if turn.field(REFLECTION) and not turn.imported and turn.role is not Role.USER:
        return YOUR_SUMMARY if turn.role is Role.ASSISTANT else ASKED_OF_YOU
    return _named(turn.speaker, turn.role)


def _named(speaker: str, role: str) -> str:
    name = brief(speaker, _LONGEST_NAME)
    return f"{name} ({role})" if name and role else name or role


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


class _Name(NamedTuple):
    """What the id of a turn says."""

    window: str
    number: str
    role: str

    @property
    def pair(self) -> tuple[str, str]:
        """What both halves of a pair have in common."""
        return self.window, self.number


def _name_of(id_: str) -> _Name | None:
    kind, _, name = id_.partition(":")
    parts = name.rsplit("/", 3)
    return _Name(*parts[:3]) if kind == Kind.TURN and len(parts) == 4 else None


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
    gone = {_name_of(str(turn_id(turn))) for turn in said if turn.field(DELETED)}
    known = {name.pair for turn in told if (name := _name_of(str(turn_id(turn))))}
    kept: list[Hit] = []
    for hit in hits:
        name = _name_of(hit.id)
        if name is not None and (name in gone or name.pair in known):
            continue
        if name is not None:
            known.add(name.pair)
        beside = tuple(each for each in hit.beside if _name_of(each.id) not in gone)
        kept.append(replace(hit, beside=beside))
    return kept


def fitting(hits: Sequence[Hit], room: int) -> Brought:
    """As many hits as fit, the best first; a pair is split only where it does not."""
    entries: list[str] = []
    ids: list[str] = []
    for hit in hits:
        for each in (hit, replace(hit, beside=())):
            entry = hit_entry(each)
            cost = _cost((entry,))
            if cost <= room:
                entries.append(entry)
                pair = _pair_of(each)
                ids += (hit.id, pair.id) if pair else (hit.id,)
                room -= cost
                break
    return Brought(tuple(entries), tuple(ids))


def needed(hits: Sequence[Hit]) -> int:
    """The tokens that all of these hits take."""
    return _cost(map(hit_entry, hits))


def hit_entry(hit: Hit) -> str:
    """A hit with its date and place, and with the other half of its turn."""
    return "\n".join(_hit_lines(hit))


def _hit_lines(hit: Hit) -> Iterator[str]:
    pair = _pair_of(hit)
    sums_up = pair is not None and _sums_up(hit, pair)
    day = f"{hit.at:%Y-%m-%d} · " if hit.at else ""
    whose = _WHOSE.get(hit.origin, "")
    who = _who(hit.id, hit.speaker, sums_up=sums_up)
    text = hit.text if count_tokens(hit.text) <= WHOLE else hit.passage
    place = f"[{hit.id}, {hit.path}:{hit.line}]"
    yield f"- {day}{whose}{who}{brief(text, LONGEST)} {harmless(one_line(place))}"
    if pair is not None:
        name = _who(pair.id, pair.speaker, sums_up=sums_up)
        yield f"  - with it: {name}{brief(pair.text, WHOLE)}"
    for old in hit.outdated:
        yield f"  - no longer true: {brief(old, WHOLE)}"


def _pair_of(hit: Hit) -> Beside | None:
    return next((each for each in hit.beside if each.relation == "pair"), None)


def _sums_up(hit: Hit, pair: Beside) -> bool:
    """Whether both are a context reflection: only there a program is answered."""
    names = (_name_of(hit.id), _name_of(pair.id))
    roles = {name.role for name in names if name}
    return roles == {Role.SYSTEM, Role.ASSISTANT} and hit.origin is not Origin.IMPORT


def _who(id_: str, speaker: str, *, sums_up: bool) -> str:
    name = _name_of(id_)
    role = name.role if name else ""
    if sums_up:
        return f"{YOUR_SUMMARY if role == Role.ASSISTANT else ASKED_OF_YOU}: "
    said = _named(speaker, role)
    return f"{said}: " if said else ""
