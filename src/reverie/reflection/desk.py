"""What all sources of a survey are read with: a guard, scores, a room in tokens."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.decay import standing
from reverie.model.items import Episode
from reverie.model.reflection import Noticed
from reverie.reflection.scope import ForbiddenReadError
from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from reverie.config import DecayConfig
    from reverie.decay import Trace
    from reverie.index import Index
    from reverie.index.lookup import ScoredMemory, WaitingEpisode
    from reverie.model.ids import Store
    from reverie.model.items import Entry
    from reverie.reflection.scope import Scope

CANDIDATES = 300
"""So many memories are weighed where only the most vivid or the faintest count."""

MARK = "\n[… the rest did not fit]"

_LONGEST = 40
"""Characters; no token is longer, not even one of blanks."""


@dataclass(slots=True)
class Room:
    """What is left of a budget, in tokens."""

    budget: int
    spent: int = 0

    @property
    def left(self) -> int:
        """How many tokens still fit."""
        return self.budget - self.spent

    def take(self, *texts: str) -> bool:
        """Make room for some texts; False, and none of them, if they do not fit."""
        if sum(map(len, texts)) > _LONGEST * self.left:
            return False
        cost = sum(map(count_tokens, texts))
        if cost > self.left:
            return False
        self.spent += cost
        return True


@dataclass(slots=True)
class Desk:
    """One survey at work.

    Attributes:
        index: Which memories there are.
        scope: The only way to their texts.
        decay: How they fade.
        now: The moment of the survey, in UTC.
        reflected: When the last reflection was, in UTC; None before the first.
    """

    index: Index
    scope: Scope
    decay: DecayConfig
    now: datetime
    reflected: datetime | None
    _logs: dict[str, dict[str, Entry]] = field(default_factory=dict)

    def score(self, trace: Trace) -> float:
        """How vivid a memory is at this moment."""
        return standing(trace, self.now, self.decay)[0]

    def vivid(self, store: Store) -> list[tuple[float, ScoredMemory]]:
        """Memories of a store with their scores, the most vivid first."""
        found = self.index.lookup.lively(store, CANDIDATES)
        scored = ((self.score(each.trace), each) for each in found)
        return sorted(scored, key=lambda pair: (-pair[0], pair[1].id))

    def entry(self, row: WaitingEpisode) -> Entry | None:
        """An episode as its file tells it; None where it may not be read."""
        if row.path not in self._logs:
            try:
                self._logs[row.path] = self.scope.episodes(row.path)
            except ForbiddenReadError:
                self._logs[row.path] = {}
        return self._logs[row.path].get(row.id)

    def episode(self, row: WaitingEpisode) -> Noticed | None:
        """An episode as the reflection sees it; None where it may not be read."""
        entry = self.entry(row)
        if entry is None or not isinstance(entry.item, Episode):
            return None
        return Noticed(
            row.id,
            row.path,
            entry.text,
            entry.title,
            entry.item.kind,
            entry.item.tags,
            row.origin,
            entry.item.at,
            self.score(row.trace),
        )


def clipped(text: str, budget: int) -> str:
    """A text, or its beginning and a mark that says so; empty where neither fits."""
    if Room(budget).take(text):
        return text
    # The mark may cost one more where it is joined to the text.
    room = budget - count_tokens(MARK) - 1
    return clip_to_tokens(text, room) + MARK if room > 0 else ""


def shown(each: Noticed) -> str:
    """A memory about as a prompt shows it, to count its tokens."""
    if not each.kind:
        return f"[{each.path}]\n{each.text}\n\n"
    tags = ", ".join(each.tags)
    head = f"{each.id} · {each.kind} · {tags} · words of {each.origin}"
    return f"[{head}]\n{each.text}\n\n"


def shortened(each: Noticed, room: Room) -> Noticed:
    """A memory that fits into a room, its text cut short where it must be."""
    if Room(room.left).take(shown(each)):
        return each
    head = count_tokens(shown(replace(each, text="")))
    return replace(each, text=clipped(each.text, room.left - head - 1))


def cut_short(read: Iterable[Noticed]) -> list[str]:
    """Words for what was read, but not to its end."""
    cut = [each.id for each in read if each.text.endswith(MARK)]
    return [f"the end of {', '.join(cut)}"] if cut else []


def counted(count: int, words: tuple[str, str]) -> str:
    """A number and its word, in the singular or the plural."""
    return f"{count:,} {words[count != 1]}"
