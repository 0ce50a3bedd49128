"""What is known, as a dense dated log: the stable part of what an agent is told.

Core memory comes first, then facts and episodes, each in one line under its day, the
oldest first; what happened on several days stands under each of them. Within a session
the lines stay where they are, and what is new comes behind them, so that a provider's
prompt cache holds. What is forgotten, corrected or erased is gone from it at once: of a
log only the ids are kept, never the words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.conversation.sitting import Log
from reverie.conversation.told import budget_given, core_text, tell_core
from reverie.dates import at_home
from reverie.decay import Status, standing
from reverie.index.located import fact_days
from reverie.index.names import find_each
from reverie.index.text import listen, spoken, stem_set
from reverie.index.user import user_pages
from reverie.markdown import one_line
from reverie.model.ids import Kind, Store
from reverie.model.items import UNCONFIRMED, WHICH_HOLDS, Origin, scope_name
from reverie.recall.context_block import (
    CLOSING,
    DISPUTED,
    MIN_TOLD,
    OPENING,
    ORIGIN_MARKS,
    TO_COME,
    harmless,
    in_quotes,
)
from reverie.tokens import count_tokens, within_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.config import Config
    from reverie.conversation.sitting import Sitting
    from reverie.index import KnownMemory, Located
    from reverie.model.items import Turn
    from reverie.session.session import Session

TITLE = "## Known"
WHAT = (
    "From memory, under the day it is of; what came last stands at the end. "
    "`recall` finds more, and the id of each."
)
UNDATED, OPEN = "Undated", "Open questions"
LONGEST = 100
"""Tokens of a line; what takes more is left to be found, and is never told in part."""

FREE = 20
"""One part in so many stays free at first, for what comes while the session lasts."""

EPISODES = 1_000
"""So many of the newest episodes are looked at."""

LATELY, HAPPENED = 20, 8
"""What the newest turns and episodes name is at hand."""

OFTEN = 5
"""What has the same words comes so many times as anything else would, and more often
only where there is room left."""

QUESTIONS = 3
"""So many questions of one page are told."""

OWN, AT_HAND, STRANGERS = 8.0, 3.0, 0.25
"""What pages weigh: the user's and what is pinned or disputed; what is at hand; what
others wrote. Any other page weighs as much as it is vivid, which is 1 at most."""

TOGETHER, MISSES, ROUNDS = 64, 24, 3
"""So many are looked up at a time; when so many did not fit, the log is full; and so
often that is tried again with what is left in truth: lines cost less together."""

_DAY = 86_400
_EPISODE = f"{Kind.EPISODE}:"

_ASKS = ("?", "\uff1f")


class Room(NamedTuple):
    """How many tokens there are.

    Attributes:
        core: For core memory.
        stable: For core memory and the log together.
        rest: For all that comes behind them; less, where they must share a budget.
        whole: Whether `rest` is for everything together.
    """

    core: int
    stable: int
    rest: int
    whole: bool = False

    def behind(self, stable: Iterable[str]) -> int:
        """What is left behind the blocks of the stable part."""
        taken = sum(count_tokens(f"{block}\n") for block in stable if block)
        return self.rest - taken if self.whole else self.rest


def room_for(budget: int | None, stable: int | None, config: Config) -> Room:
    """Share out a budget for everything, one for the stable part, or what is usual.

    Core memory is told up to its own cap, unless somebody says how long it may be.
    """
    talk, cap = config.conversation, config.core.cap_tokens
    most = talk.stable_tokens if stable is None else budget_given(stable, 0)
    if budget is None:
        return Room(max(most, cap if stable is None else 0), most, talk.wake_tokens)
    whole = budget_given(budget, 0)
    if stable is None:
        # What was said needs its half.
        return Room(min(cap, whole), min(most, whole // 2), whole, whole=True)
    return Room(min(most, whole), min(most, whole), whole, whole=True)


def tell_stable(
    session: Session, sitting: Sitting, person: str, turns: Sequence[Turn], room: Room
) -> tuple[tuple[str, str], Log]:
    """Core memory and the log of what is known, within their room.

    Args:
        session: The workspace's parts.
        sitting: What the agent was told so far.
        person: Who speaks; what is for another person alone is not told.
        turns: What was said lately, the newest last.
        room: How long they may be.

    Returns:
        Both blocks, and what is to be kept of the log.
    """
    core = tell_core(sitting.core, room.core)
    left = room.stable - (count_tokens(f"{core}\n") if core else 0)
    whom = scope_name(person)
    kept = sitting.log if sitting.log.person == whom else Log(person=whom)
    if left <= 0:
        return (core, ""), replace(kept, budget=0, left_out=kept.ids)

    def tell() -> tuple[str, Log]:
        log = _KnownLog(session, kept, core_text(sitting.core).splitlines())
        return log.told([turn.text for turn in turns[-LATELY:]], left)

    known, log = session.answered(tell)
    return (core, known), log


class _Entry(NamedTuple):
    """The day that a memory stands under, and its line; an empty one is not told.

    Attributes:
        day: Or what else it stands under.
        line: With what marks it.
        to_come: Whether it says that it does not hold yet.
    """

    day: str = ""
    line: str = ""
    to_come: bool = False


class _KnownLog:
    """One log as it is put together."""

    def __init__(self, session: Session, kept: Log, core: Iterable[str]) -> None:
        self._session, self._index, self._kept = session, session.index, kept
        # Of two files of one name, the first.
        found = reversed(self._index.known(kept.person, EPISODES))
        self._known = {each.id: each for each in found}
        self._core = {_bare(line) for line in core}
        asks = self._index.asking(WHICH_HOLDS)
        self._disputed = {word.rstrip("?") for _, line in asks for word in line.split()}
        self._doubts = session.doubts()
        self._entries: dict[str, _Entry] = {}
        self._texts: dict[str, str] = {}
        self._sources: dict[str, frozenset[str]] = {}

    def told(self, said: Sequence[str], budget: int) -> tuple[str, Log]:
        """The block, and what is to be kept of it."""
        kept, known = self._kept, self._known
        newest = kept.newest or max((e.number for e in known.values()), default=0)
        there = list(self._read(id_ for id_ in kept.ids if id_ in known))
        # Whose day has come is told anew, at the end.
        begun = set(kept.to_come) - self._to_come(there)
        order = [id_ for id_ in there if self._entries[id_].line and id_ not in begun]
        stays = self._stays(order, said, budget)
        fresh: list[KnownMemory] = []
        older: list[KnownMemory] = []
        for id_ in known.keys() - set(order):
            is_new = known[id_].number > kept.newest or id_ in begun
            (fresh if is_new else older).append(known[id_])
        free, ranked = budget // FREE, self._by_standing(fresh, said)
        room = budget - (0 if kept.newest else free)
        came = self._chosen(stays, ranked, room, order)
        if budget > kept.budget:
            shown, ranked = self._in_order(came), self._by_standing(older, said)
            came += self._chosen([*stays, *shown], ranked, budget - free, order)
        while (ids := [*stays, *self._in_order(came)]) and not within_tokens(
            self._block(ids), budget
        ):
            (came or stays).pop()
        text = self._block(ids) if ids else ""
        every = (*order, *ids[len(stays) :])
        return text, replace(
            kept,
            ids=every,
            left_out=tuple(sorted(set(order).difference(stays))),
            to_come=tuple(sorted(self._to_come(every))),
            newest=newest,
            budget=budget,
        )

    def _stays(
        self, order: Sequence[str], said: Sequence[str], budget: int
    ) -> list[str]:
        """What was told before and has room: all of it, or what has most standing."""
        hidden = set(self._kept.left_out)
        if budget != self._kept.budget:
            hidden = set()
            if not within_tokens(self._block(order), budget):
                ranked = self._by_standing([self._known[id_] for id_ in order], said)
                room = budget - budget // FREE
                hidden = set(order).difference(self._chosen([], ranked, room))
        return [id_ for id_ in order if id_ not in hidden]

    def _to_come(self, ids: Iterable[str]) -> set[str]:
        return {id_ for id_ in ids if self._entries[id_].to_come}

    def _chosen(
        self,
        stays: Sequence[str],
        fresh: Iterable[str],
        budget: int,
        before: Sequence[str] = (),
    ) -> list[str]:
        """What comes besides what stays, as far as the room goes.

        What `before` says has its place, even where there is no room for it now.
        """
        came: list[str] = []
        told = {self._says(id_) for id_ in (*stays, *before)}
        days = {self._entries[id_].day for id_ in stays[-1:]}
        waiting = self._seldom_first(fresh)
        for _ in range(ROUNDS):
            left = budget - count_tokens(self._block([*stays, *self._in_order(came)]))
            passed: list[str] = []
            for id_ in waiting:
                day, line, _ = self._entries[id_]
                said = self._says(id_)
                if not line or said in told or said[1] in self._core:
                    continue
                if self._is_copy(id_, (*stays, *before, *came)):
                    continue
                cost = count_tokens(f"{line}\n")
                cost += 0 if day in days else count_tokens(f"{day}\n")
                if cost <= left:
                    came.append(id_)
                    told.add(said)
                    days.add(day)
                    left -= cost
                else:
                    passed.append(id_)
                    if len(passed) == MISSES:
                        break
            waiting = chain(passed, waiting)
        return came

    def _is_copy(self, id_: str, told: Iterable[str]) -> bool:
        """Return whether a memory that is told has nearly all words of a linked one."""
        basis, words = self._sources.get(id_, frozenset()), stem_set(self._texts[id_])
        return any(
            (other in basis or id_ in self._sources.get(other, ()))
            and len(words & stem_set(self._texts[other])) >= MIN_TOLD * len(words)
            for other in told
            if other in self._texts
        )

    def _says(self, id_: str) -> tuple[str, str]:
        """What a line says, as it is compared, of which day."""
        return self._entries[id_].day, _bare(self._entries[id_].line)

    def _seldom_first(self, ids: Iterable[str]) -> Iterator[str]:
        """The same ids, but behind all others what has the same words once more."""
        times, rest = Counter[str](), list[str]()
        for id_ in self._read(ids):
            _, said = self._says(id_)
            times[said] += 1
            if times[said] > OFTEN:
                rest.append(id_)
            else:
                yield id_
        yield from rest

    # --- which -----------------------------------------------------------------

    def _by_standing(
        self, fresh: Sequence[KnownMemory], said: Sequence[str]
    ) -> list[str]:
        """What is vivid enough to be told, what has most standing first.

        Pages share the room by what they weigh as parties share seats by their votes
        (the method of Webster): who has many facts leaves some room to others. Of one
        page the shortest of each day comes before the second of any day, so that the
        past grows thinner and is not cut off.
        """
        own = {f"{Kind.ENTITY}:{name}" for name in user_pages(self._index)}
        at_hand, vivid = self._at_hand(fresh, said), self._vivid(fresh)
        shares: dict[str, list[tuple[int, int, str, float]]] = defaultdict(list)
        for each in fresh:
            share = about = each.page or each.id
            weight = vivid[about]
            if not weight:
                continue
            if self._is_disputed(each.id):
                share, weight = each.id, OWN
            elif each.trace is not None and each.trace.pinned:
                weight = OWN
            elif each.origin in ORIGIN_MARKS:
                share, weight = "strangers", STRANGERS * weight
            elif about in own:
                weight = OWN
            elif each.id.startswith(_EPISODE):
                share, weight = "episodes", AT_HAND * weight
            elif about in at_hand:
                weight = AT_HAND
            shares[share].append((each.size, (each.at or 0) // _DAY, each.id, weight))
        ranked: list[tuple[float, int, str]] = []
        for members in shares.values():
            seen = Counter[int]()
            order: list[tuple[int, int, str, float]] = []
            for _, day, id_, weight in sorted(members):
                order.append((seen[day], -day, id_, weight))
                seen[day] += 1
            for place, (_, day, id_, weight) in enumerate(sorted(order)):
                ranked.append((-weight / (2 * place + 1), day, id_))
        return [id_ for _, _, id_ in sorted(ranked)]

    def _at_hand(self, fresh: Sequence[KnownMemory], said: Sequence[str]) -> set[str]:
        """The pages of what was named lately, in this conversation or in any event."""
        episodes = [e for e in fresh if e.id.startswith(_EPISODE)]
        lately = sorted(episodes, key=lambda e: e.at or 0)[-HAPPENED:]
        rows = self._index.rows(each.number for each in lately)
        texts = [*said, *(row.text for row in rows.values())]
        named = chain.from_iterable(find_each(texts, self._index))
        return {f"{Kind.ENTITY}:{id_}" for each in named for id_ in each.ids}

    def _vivid(self, fresh: Iterable[KnownMemory]) -> dict[str, float]:
        """How vivid pages and episodes are; 0 for what comes only to who searches."""
        now, decay = self._session.clock(), self._session.config.decay
        found: dict[str, float] = {}
        for about, trace in {
            each.page or each.id: each.trace for each in fresh
        }.items():
            score, status = (
                standing(trace, now, decay) if trace else (1.0, Status.ACTIVE)
            )
            found[about] = score if status in {Status.ACTIVE, Status.FADING} else 0.0
        return found

    def _is_disputed(self, id_: str) -> bool:
        return id_.removeprefix(f"{Kind.ENTITY}:") in self._disputed

    # --- how it reads ----------------------------------------------------------

    def _read(self, ids: Iterable[str]) -> Iterator[str]:
        """The same ids, once their lines are known."""
        ids = iter(ids)
        while some := list(islice(ids, TOGETHER)):
            numbers = {self._known[id_].number: id_ for id_ in some}
            rows = self._index.rows(numbers)
            for number, id_ in numbers.items():
                row = rows.get(number)
                self._texts[id_] = row.text if row else ""
                self._sources[id_] = frozenset(row.basis.split() if row else ())
                self._entries[id_] = self._entry(row) if row else _Entry()
            yield from some

    def _entry(self, row: Located) -> _Entry:
        """How a memory reads."""
        if row.store is Store.SEMANTIC and not row.page:
            return _Entry(OPEN, self._questions(row))
        day = UNDATED
        if row.at is not None:
            # Of a fact no more than the day is known, and that is noon in UTC.
            zone = UTC if row.page else self._session.zone
            day = f"{at_home(datetime.fromtimestamp(row.at, UTC), zone):%Y-%m-%d}"
        said = spoken(row.title, row.text) if row.page else row.text
        passage = listen(said)
        if not passage.words or passage.words == passage.asking:
            return _Entry(day)
        begins, _ = fact_days(row)
        if begins is None or begins <= self._session.clock().date():
            return _Entry(day, self._line(row, said))
        return _Entry(day, self._line(row, said, TO_COME.format(begins)), to_come=True)

    def _questions(self, row: Located) -> str:
        """What the page of somebody or something leaves open."""
        lines = (line.strip() for line in row.text.split("\n"))
        asked = (
            a for a in lines if a.endswith(_ASKS) and not a.startswith(WHICH_HOLDS)
        )
        told = (self._line(row, f"{row.title}: {a}") for a in islice(asked, QUESTIONS))
        return "\n".join(filter(None, told))

    def _line(self, row: Located, text: str, mark: str = "") -> str:
        said = harmless(one_line(text))
        is_unconfirmed = self._session.confirming.is_unconfirmed
        unconfirmed = row.path in self._doubts and is_unconfirmed(row)
        origin = Origin.TOOL if unconfirmed else row.origin
        whose = f"{UNCONFIRMED} " if unconfirmed else ORIGIN_MARKS.get(origin, "")
        if whose:
            said = in_quotes(said)
        mark = f"{DISPUTED if self._is_disputed(row.id) else ''}{mark}"
        line = f"- {mark}{whose}{said}"
        return line if within_tokens(line, LONGEST) else ""

    def _in_order(self, ids: Iterable[str]) -> list[str]:
        """The oldest first, behind what nobody can date; what is open last."""

        def place(id_: str) -> tuple[bool, str, int, int]:
            day, known = self._entries[id_].day, self._known[id_]
            when = "" if day == UNDATED else day
            return day == OPEN, when, known.at or 0, known.number

        return sorted(ids, key=place)

    def _block(self, ids: Iterable[str]) -> str:
        lines, under = [TITLE, WHAT], ""
        for day, line, _ in (self._entries[id_] for id_ in ids):
            lines += [line] if day == under else [day, line]
            under = day
        return "\n".join((OPENING, *lines, CLOSING))


def _bare(line: str) -> str:
    """A line as it is compared with others."""
    return " ".join(line.removeprefix("- ").casefold().rstrip(". ").split())
