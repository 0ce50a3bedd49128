"""Episodes that no reflection has read, and the desk at which a survey reads.

New episodes are read in the order in which they were learned of, the oldest first, so
that one moment says how far reflections came. What is older than the first reflection
and was not read is the backlog: later reflections read it as they have room.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from reverie.decay import standing
from reverie.index import ReadUpTo, ScoredMemory
from reverie.index.located import from_micros, micros
from reverie.model.items import Episode
from reverie.model.reflection import Noticed, SourceRead
from reverie.reflection.cycle import FIRST_PERIOD
from reverie.reflection.room import MARK, Room, clipped, cost, fitting
from reverie.reflection.scope import ForbiddenReadError, Scope, noted_on

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from reverie.config import DecayConfig
    from reverie.decay import Trace
    from reverie.index import Index
    from reverie.model.ids import Store
    from reverie.model.items import Entry
    from reverie.model.reflection import Backlog
    from reverie.reflection.cycle import Tracked

    Found = list[tuple[ScoredMemory, Noticed]]
    News = tuple[tuple[Noticed, ...], datetime | None, Backlog | None, SourceRead]

EPISODES = "memory/episodes/*"

CANDIDATES = 300
"""So many memories are weighed where only the most vivid or the faintest count."""

BATCH = 256
"""Episodes that are looked up at a time."""

LATE_SHARE = 4
"""One part in so many of the budget is for what may have been read already."""


def since(tracked: Tracked, now: datetime, asked: datetime | None = None) -> datetime:
    """What happened after this moment is new; a `Scope` is made with it.

    Args:
        tracked: How far reflections have come.
        now: The moment of the reflection.
        asked: From when on the first one is to read; by default a week.
    """
    if tracked.last is None:
        return asked or now - FIRST_PERIOD
    return tracked.read_until or tracked.last


def count_backlog(index: Index, backlog: Backlog | None) -> tuple[int, str, str]:
    """Return how many older episodes are unread, and the first and last day of them."""
    places = _backlog_places(backlog) if backlog else ()
    found = [index.how_many_wait(place) for place in places]
    found = [each for each in found if each[0]]
    days = [day for _, *both in found for day in both]
    return sum(each[0] for each in found), min(days, default=""), max(days, default="")


def _backlog_places(backlog: Backlog) -> list[ReadUpTo]:
    noted = backlog.noted_until
    return [
        ReadUpTo(micros(begin), end, by_noted=False, noted_until=noted)
        for begin, end in backlog.periods
    ]


def unprocessed(index: Index, tracked: Tracked, now: datetime) -> int:
    """How many episodes wait for a reflection.

    Not those that were told later than they happened, on the very day of the last
    reflection: nobody can say whether it read them.
    """
    place = ReadUpTo(micros(since(tracked, now)), now, tracked.last is not None)
    return index.how_many_wait(place)[0]


# --- what all sources are read with: a guard, scores, a room in tokens ---------


class SurveyDesk(Struct):
    """One survey at work.

    Attributes:
        index: Which memories there are.
        scope: The only way to their texts.
        decay: How they fade.
        now: The moment of the survey, in UTC.
        reflected: When the last reflection was, in UTC; None before the first.
        backlog: Older episodes that no reflection has read.
        connected: Whether a connected agent reads.
        rate: What a token takes of a budget; see `room.cost`.
    """

    index: Index
    scope: Scope
    decay: DecayConfig
    now: datetime
    reflected: datetime | None
    backlog: Backlog | None = None
    connected: bool = False
    rate: float = 1.0
    _logs: dict[str, dict[str, Entry]] = field(default_factory=dict)

    def room(self, budget: int, spent: int = 0) -> Room:
        """Return the room of a budget."""
        return Room(budget, spent, self.rate)

    def cost(self, text: str) -> int:
        """Return how much of a budget a text takes."""
        return cost(text, self.rate)

    @property
    def start(self) -> ReadUpTo:
        """Where the episodes that wait begin; they count by when they were noted.

        Only the first reflection goes by when they happened, not to read what was
        imported as if it were of this week.
        """
        return ReadUpTo(micros(self.scope.since), self.now, self.reflected is not None)

    def score(self, trace: Trace) -> float:
        """How vivid a memory is at this moment."""
        return standing(trace, self.now, self.decay)[0]

    def vivid(self, store: Store) -> list[tuple[float, ScoredMemory]]:
        """Memories of a store with their scores, the most vivid first."""
        found = self.index.lively(store, CANDIDATES)
        scored = ((self.score(each.trace), each) for each in found)
        return sorted(scored, key=lambda pair: (-pair[0], pair[1].id))

    def entry(self, row: ScoredMemory) -> Entry | None:
        """An episode as its file tells it; None where it may not be read."""
        if row.path not in self._logs:
            try:
                self._logs[row.path] = self.scope.episodes(row.path)
            except ForbiddenReadError:
                self._logs[row.path] = {}
        return self._logs[row.path].get(row.id)

    def is_in_backlog(self, row: ScoredMemory, each: Noticed) -> bool:
        """Return whether an episode, noted at the place of its row, is unread."""
        backlog = self.backlog
        if backlog is None or each.at is None or not backlog.has(each.at):
            return False
        return row.moment <= micros(backlog.noted_until)

    def episode(self, row: ScoredMemory) -> Noticed | None:
        """An episode as the reflection sees it; None where it may not be read."""
        entry = self.entry(row)
        if entry is None or not isinstance(entry.item, Episode):
            return None
        item, score = entry.item, self.score(row.trace)
        whose = (item.kind, item.tags, row.origin, item.at, score)
        return Noticed(row.id, row.path, entry.text, entry.title, *whose)


def shown(each: Noticed) -> str:
    """A memory about as a prompt shows it, to count its tokens."""
    head = each.path
    if each.kind:
        tags = ", ".join(each.tags)
        head = f"{each.id} · {each.kind} · {tags} · words of {each.origin}"
    return f"[{head}]\n{each.text}\n\n"


def shortened(each: Noticed, room: Room) -> Noticed:
    """A memory that fits into a room, its text cut short where it must be."""
    if cost(shown(each), room.rate) <= room.left:
        return each
    head = cost(shown(replace(each, text="")), room.rate)
    return replace(each, text=clipped(each.text, room.left - head - 1, room.rate))


def cut_short(read: Iterable[Noticed]) -> list[str]:
    """Words for what was read, but not to its end."""
    cut = [each.id for each in read if each.text.endswith(MARK)]
    return [f"the end of {', '.join(cut)}"] if cut else []


def counted(count: int, noun: str) -> str:
    """A number and its noun, in the singular or the plural."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


# --- new episodes --------------------------------------------------------------


def read_news(desk: SurveyDesk, budget: int, asked: datetime | None = None) -> News:
    """Read episodes that no reflection has read, as many as fit.

    What is new comes first, then the backlog. Where a day was asked for, the backlog
    from that day on comes first, and what is older stays. The first reflection leaves
    the backlog to later ones.

    Returns:
        The episodes, the oldest first; how far it came in what is new, None where
        nothing was read; the backlog that is left; and what was left out.
    """
    late, missed, spent = _late(desk, budget // LATE_SHARE)
    room, lookup, backlog = desk.room(budget, spent), desk.index, desk.backlog
    older = list[Noticed]()
    if asked and backlog and desk.reflected:
        older, backlog = _read_backlog(desk, room, backlog, asked)
    kept = _oldest(desk, room, desk.start, [*late, *older])
    place = desk.start
    place = place._replace(moment=kept[-1][0].moment) if kept else place
    count, begin, end = lookup.how_many_wait(place)
    if backlog and desk.reflected and not asked and not count:
        more, backlog = _read_backlog(desk, room, backlog)
        older += more
    unread, first, last = count_backlog(lookup, backlog)
    lost = {
        f"of {_span(begin, end)}": count,
        "told late, which may have been read before": missed,
        f"of {_span(first, last)} that no reflection has read; later ones do as they "
        f"have room, and `reverie reflect --since {first}` begins with them": unread,
    }
    parts = [f"{counted(n, 'episode')} {which}" for which, n in lost.items() if n]
    read = [*late, *(each for _, each in kept), *older]
    # Of one minute ids differ in their number alone: `~9` comes before `~10`.
    told = sorted(read, key=lambda each: (each.at, len(each.id), each.id))
    reached = from_micros(place.moment)
    # Of what is told today the place may lie ahead, by a few minutes.
    ahead = reached.replace(second=0, microsecond=0) > desk.now
    until = (desk.now if ahead else reached) if late or kept else None
    left_out, why = sum(lost.values()), " and ".join(parts + cut_short(read))
    source = SourceRead(EPISODES, len(read), room.spent, budget, left_out, why)
    return tuple(told), until, backlog, source


def _span(begin: str, end: str) -> str:
    return begin if begin == end else f"{begin} to {end}"


def _read_backlog(
    desk: SurveyDesk, room: Room, backlog: Backlog, asked: datetime | None = None
) -> tuple[list[Noticed], Backlog]:
    """Read older episodes, the oldest first, as many as fit.

    Returns:
        The episodes, and the backlog that is left.
    """
    found = list[Noticed]()
    wanted = backlog.from_day(asked)
    pairs = zip(_backlog_places(wanted), wanted.periods, strict=True)
    for start, (begin, end) in pairs:
        # Room that other episodes have taken is no reason to cut one short.
        kept = _oldest(desk, room, start, found if not room.spent else None)
        found += (each for _, each in kept)
        place = start._replace(moment=kept[-1][0].moment) if kept else start
        if desk.index.how_many_wait(place)[0]:
            read_to = from_micros(place.moment) if kept else begin
            return found, backlog.without(begin, read_to)
        backlog = backlog.without(begin, end)
    return found, backlog


def _oldest(
    desk: SurveyDesk, room: Room, place: ReadUpTo, before: list[Noticed] | None
) -> Found:
    """The oldest that wait. Those of one minute come together or not at all.

    Args:
        desk: The survey.
        room: What is left of the budget.
        place: Behind which they are.
        before: What was read before, which is not read twice; only where this is
            nothing is an episode cut short that does not fit.
    """
    kept: Found = []
    for group in _groups(desk, place, {each.id for each in before or ()}):
        if room.take(*(shown(each) for _, each in group)):
            kept += group
            continue
        if not kept and before == []:
            # They will never fit: as many as there is room for.
            group[0] = group[0][0], shortened(group[0][1], room)
            kept = fitting(group, room, lambda pair: shown(pair[1]))
        break
    return kept


def _groups(desk: SurveyDesk, place: ReadUpTo, seen: set[str]) -> Iterator[Found]:
    """Episodes that wait, by the minute in which they were learned of."""
    for _, rows in groupby(_waiting(desk, place), key=lambda row: row.minute):
        found = ((row, desk.episode(row)) for row in rows if row.id not in seen)
        if group := [(row, each) for row, each in found if each]:
            yield group


def _waiting(desk: SurveyDesk, place: ReadUpTo) -> Iterator[ScoredMemory]:
    while rows := desk.index.waiting(place, BATCH):
        if len(rows) == BATCH:
            # The last of them may have others of their moment behind them.
            rows = [row for row in rows if row.moment < rows[-1].moment] or rows
        yield from rows
        place = place._replace(moment=rows[-1].moment)


def _late(desk: SurveyDesk, budget: int) -> tuple[list[Noticed], int, int]:
    """What was told later than it happened, and may not have been read yet.

    A log says on which day that was, and not when: what was told on the day of the
    last reflection may have come before it or after it. It is read once more.

    Returns:
        What was read, how many did not fit, and how many tokens it took.
    """
    if desk.reflected is None:
        return [], 0, 0
    day = desk.reflected.date()
    earliest = min(day, desk.scope.since.date())
    found, room, lookup = list[Noticed](), desk.room(budget), desk.index
    for row in lookup.perhaps_late(desk.start, earliest.isoformat(), CANDIDATES):
        told, each = noted_on(desk.entry(row)), desk.episode(row)
        if each and desk.is_in_backlog(row, each):
            continue  # It was not read, and is read with the others of the backlog.
        # What was called on meanwhile has lost its place in the order.
        wanted = earliest if row.trace.accesses > 1 else day
        if each and told and told >= wanted:
            found.append(each)
    kept = fitting(found, room, shown, len(found))
    return kept, len(found) - len(kept), room.spent
