"""How memory is doing: verdicts, what thinking has cost, the schedule."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from reverie.model.conversation import Quality

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime
    from pathlib import Path

    from reverie.model.conversation import WindowView
    from reverie.model.ids import Store
    from reverie.model.views import BlockUse


class HealthVerdict(StrEnum):
    """How things are, the better first."""

    OK = "ok"
    """Nothing to do."""

    LOOK = "look"
    """Somebody should look at something, at leisure."""

    MEND = "mend"
    """Something does not work as it should."""


class Remark(Struct, frozen=True):
    """One thing to know, and what to do about it.

    Attributes:
        verdict: How much it matters.
        what: What is so, in one sentence without a full stop.
        mend: What to do, mostly a command; empty if nothing is to be done.
    """

    verdict: HealthVerdict
    what: str
    mend: str = ""


class StoreCount(Struct, frozen=True):
    """How many memories a store has, by how visible they are.

    Attributes:
        store: Which one.
        memories: All of them.
        active: Found and shown.
        fading: Found, and weighed less.
        dormant: Found only by who searches.
        archived: Hidden.
        pinned: How many of them are kept from fading.
        forgotten: Of those archived, how many by a decision; the others only faded.
    """

    store: Store
    memories: int = 0
    active: int = 0
    fading: int = 0
    dormant: int = 0
    archived: int = 0
    pinned: int = 0
    forgotten: int = 0


class Fading(Struct, frozen=True):
    """Something that matters, and that is about to fade or has.

    Attributes:
        id: Its id.
        title: What it is called.
        status: What it is now.
        days: In how many days it falls to the next status; 0 where it is out of
            automatic recall already.
        expected: The question that it has to answer; empty for core memory and
            procedures.
    """

    id: str
    title: str
    status: str
    days: int = 0
    expected: str = ""


class Waits(Struct, frozen=True):
    """What waits for somebody.

    Attributes:
        proposals: Memories proposed, in all.
        statuses: How many of them have which status: `pending`, `conflict`, …
        disputed: How many contradict another one, or a memory.
        reflection: The number of the reflection that waits for a decision; 0 for none.
        alerts: Changes of critical files that nobody has acknowledged.
        questions: What the host agent has to answer.
        contradictions: How often pages ask which of some facts holds.
        pairs: Pages that may be about one thing.
        sides: The words of those facts, of each question.
    """

    proposals: int = 0
    statuses: tuple[tuple[str, int], ...] = ()
    disputed: int = 0
    reflection: int = 0
    alerts: int = 0
    questions: int = 0
    contradictions: int = 0
    pairs: int = 0
    sides: tuple[tuple[str, ...], ...] = ()


class Repeated(Struct, frozen=True):
    """Something that is said in several places.

    Attributes:
        text: Its beginning.
        places: Where it stands: files, each with a line.
    """

    text: str
    places: tuple[tuple[str, int], ...]


class Upkeep(Struct, frozen=True):
    """How clean the memories are.

    Attributes:
        judged: How many entries were looked at.
        whole: Whether these were all; else every so many-th file was, and there are
            duplicates that nobody saw.
        duplicates: How many of them say in the same words what another says.
        errors: Places in files that cannot be read as what they should be.
        warnings: Places that should be looked at.
        repeated: What these duplicates say and where, of very many the first.
    """

    judged: int = 0
    whole: bool = True
    duplicates: int = 0
    errors: int = 0
    warnings: int = 0
    repeated: tuple[Repeated, ...] = ()


class IndexState(Struct, frozen=True):
    """How far the index has come.

    Attributes:
        head: The newest change in history.
        seen: The change that the index shows.
        current: Whether they are the same.
        rows: How many memories, and passages of long turns, it holds.
        model: What makes vectors; empty where nothing does.
        vectors: Whether vectors are wanted at all.
        missing: How many rows have no vector of that model.
        size: Its bytes.
    """

    head: str = ""
    seen: str = ""
    current: bool = True
    rows: int = 0
    model: str = ""
    vectors: bool = True
    missing: int = 0
    size: int = 0


class Slept(Struct, frozen=True):
    """Where reflection stands.

    Attributes:
        state: What the cycle is doing, such as `idle` or `pending`.
        number: The last reflection there was; 0 before the first.
        last: When one was last approved, in UTC.
        waiting: How many episodes none has read yet.
        due: Whether one should be offered now.
        next: When the next one is due by the clock, or after it was put off, in UTC.
        notes_due: How many notes of self-awareness make a new self-image due; 0 if
            none is due.
    """

    state: str = "idle"
    number: int = 0
    last: datetime | None = None
    waiting: int = 0
    due: bool = False
    next: datetime | None = None
    notes_due: int = 0


class Storage(Struct, frozen=True):
    """What it takes on the disk, in bytes.

    Attributes:
        files: How many files the ledger keeps.
        markdown: Their Markdown.
        history: `.audit`.
        state: `.reverie`, which can be made anew.
    """

    files: int = 0
    markdown: int = 0
    history: int = 0
    state: int = 0


class Conversations(Struct, frozen=True):
    """How the conversations are doing.

    Attributes:
        windows: How many there are.
        turns: What was said in them, without what was deleted.
        deleted: How many turns were deleted.
        due: How many of them are due for a context reflection.
        unwritten: Turns that are durable, and not in Markdown yet.
        quality: How well context reflections do.
    """

    windows: int = 0
    turns: int = 0
    deleted: int = 0
    due: int = 0
    unwritten: int = 0
    quality: Quality = field(default_factory=Quality)

    @classmethod
    def of(cls, views: Iterable[WindowView], quality: Quality) -> Conversations:
        """Several windows, counted together."""
        seen, counted = tuple(views), ("turns", "deleted", "due", "unwritten")
        sums = {name: sum(getattr(view, name) for view in seen) for name in counted}
        return cls(len(seen), quality=quality, **sums)


class Health(Struct, frozen=True):
    """How a workspace is doing.

    Attributes:
        root: Its folder.
        at: When it was looked at, in UTC.
        verdict: The worst of all remarks.
        remarks: What to know, what matters most first.
        stores: How many memories there are.
        core: How full core memory's blocks are.
        core_tokens: Tokens of the whole of core memory.
        core_cap: Tokens it may have.
        waits: What waits for somebody.
        upkeep: How clean the memories are.
        index: How far the index has come.
        reflection: Where reflection stands.
        spending: What thinking has cost.
        storage: What it takes on the disk.
        conversations: How the conversations are doing.
        fading: What is about to fade among core memory, procedures and the answers
            that are expected, the soonest first; and what of them has.
        falling: What else is less vivid in two weeks, the soonest first, at most a few.
        changes: How many changes history holds.
    """

    root: str
    at: datetime
    verdict: HealthVerdict
    remarks: tuple[Remark, ...]
    stores: tuple[StoreCount, ...]
    core: tuple[BlockUse, ...]
    core_tokens: int
    core_cap: int
    waits: Waits
    upkeep: Upkeep
    index: IndexState
    reflection: Slept
    spending: Bill
    storage: Storage
    conversations: Conversations
    fading: tuple[Fading, ...] = ()
    falling: tuple[Fading, ...] = ()
    changes: int = 0

    @property
    def memories(self) -> int:
        """How many memories there are, without what was only said."""
        return sum(each.memories for each in self.stores if each.store != "turns")

    @property
    def faded(self) -> int:
        """How many are out of automatic recall, and nobody said so."""
        out = (each.dormant + each.archived - each.forgotten for each in self.stores)
        return sum(out)


class Sum(Struct, frozen=True):
    """What one operation has taken from one model in a day.

    Attributes:
        calls: How often it was asked.
        estimated: For how many of these the count is our own.
        standing: Tokens of calls whose end nobody saw.
    """

    operation: str
    model: str
    calls: int = 0
    estimated: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    standing: int = 0

    @property
    def tokens(self) -> int:
        """All that counts against the limit."""
        return self.input_tokens + self.output_tokens + self.standing


class Spent(Struct, frozen=True):
    """What a day has cost.

    Attributes:
        sums: By operation and model, in the order of their names.
        unreadable: Lines of the day's file that say nothing.
        feared: Tokens counted for these lines.
    """

    day: date
    sums: tuple[Sum, ...] = ()
    unreadable: int = 0
    feared: int = 0

    @property
    def tokens(self) -> int:
        """All that counts against the limit."""
        return sum(each.tokens for each in self.sums) + self.feared


MILLION = 1_000_000


class Prices(Struct, frozen=True):
    """What a million tokens cost, in millionths of a currency.

    Attributes:
        input: Of questions.
        output: Of answers.
        currency: Its three letters; empty where nothing is known of prices.
    """

    input: int = 0
    output: int = 0
    currency: str = ""

    @classmethod
    def per_million(cls, question: float, answer: float, currency: str) -> Prices:
        """Prices as a person writes them; none where both are 0."""
        # By way of the text: 0.15 is meant, not the binary number nearest to it.
        asked, given = (round(Decimal(str(p)) * MILLION) for p in (question, answer))
        prices = cls(asked, given, currency)
        return prices if prices.input or prices.output else cls()

    def micros(self, input_tokens: int, output_tokens: int, unsure: int) -> int:
        """What tokens cost, in millionths; those of either kind at the dearer price."""
        dearer = max(self.input, self.output)
        parts = input_tokens * self.input + output_tokens * self.output
        return (parts + unsure * dearer + MILLION // 2) // MILLION


class Cost(Struct, frozen=True):
    """What some calls have cost together.

    Attributes:
        calls: How many.
        estimated: For how many of these the count is our own.
        unsure: Tokens counted on the safe side: of calls whose end nobody saw, and
            for lines that say nothing.
        tokens: All of them.
        micros: Their price in millionths of the currency.
    """

    calls: int = 0
    estimated: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unsure: int = 0
    tokens: int = 0
    micros: int = 0


class DayCost(Struct, frozen=True):
    """What one day has cost, in UTC."""

    day: date
    cost: Cost


class SpendCause(Struct, frozen=True):
    """What one thing has cost: an operation, or a reflection with its phases."""

    name: str
    cost: Cost
    phases: tuple[SpendCause, ...] = ()


class Bill(Struct, frozen=True):
    """What thinking has cost over some days.

    Attributes:
        first: The first of the days.
        last: The last of them: today.
        limit: The most tokens a day may take.
        currency: Of all prices; empty where none are known.
        days: Those on which something was spent, in their order.
        causes: The dearest first.
    """

    first: date
    last: date
    limit: int
    currency: str
    total: Cost
    days: tuple[DayCost, ...] = ()
    causes: tuple[SpendCause, ...] = ()

    @property
    def today(self) -> Cost:
        """What the last day has cost so far."""
        return next((d.cost for d in self.days if d.day == self.last), Cost())


REFLECTION = "reflect"
UNREADABLE = "unreadable lines"


def bill(
    days: Sequence[Spent], first: date, last: date, limit: int, prices: Prices
) -> Bill:
    """Add up days, by day and by cause."""
    known = [day for day in days if first <= day.day <= last and day.tokens]
    sums = [each for day in known for each in day.sums]
    feared = sum(day.feared for day in known)
    groups: defaultdict[str, list[Sum]] = defaultdict(list)
    for each in sums:
        phase = each.operation.startswith(f"{REFLECTION}-")
        groups[REFLECTION if phase else each.operation].append(each)
    causes = [_cause(name, held, prices) for name, held in groups.items()]
    if feared:
        causes.append(SpendCause(UNREADABLE, cost((), prices, feared)))
    return Bill(
        first,
        last,
        limit,
        prices.currency,
        cost(sums, prices, feared),
        tuple(DayCost(day.day, cost(day.sums, prices, day.feared)) for day in known),
        _dearest_first(causes),
    )


def cost(sums: Iterable[Sum], prices: Prices, feared: int = 0) -> Cost:
    """Add up sums of any operations, and what is feared besides."""
    held = tuple(sums)
    counted = ("calls", "estimated", "input_tokens", "output_tokens", "standing")
    calls, estimated, taken, given, standing = (
        sum(getattr(each, name) for each in held) for name in counted
    )
    unsure = standing + feared
    tokens, micros = taken + given + unsure, prices.micros(taken, given, unsure)
    return Cost(calls, estimated, taken, given, unsure, tokens, micros)


def _cause(name: str, sums: Sequence[Sum], prices: Prices) -> SpendCause:
    """What one thing has cost, with its phases unless it is its own only one."""
    phases = [
        SpendCause(phase, cost([s for s in sums if s.operation == phase], prices))
        for phase in {each.operation for each in sums}
    ]
    inner = () if [phase.name for phase in phases] == [name] else _dearest_first(phases)
    return SpendCause(name, cost(sums, prices), inner)


def _dearest_first(causes: Iterable[SpendCause]) -> tuple[SpendCause, ...]:
    named = sorted(causes, key=lambda each: each.name)
    return tuple(sorted(named, key=lambda each: (-each.cost.micros, -each.cost.tokens)))


class Way(StrEnum):
    """Who starts it."""

    SYSTEMD = "systemd"
    CRON = "cron"
    LAUNCHD = "launchd"


class Machine(Struct, frozen=True):
    """Where something is scheduled.

    Attributes:
        home: The user's own folder.
        platform: What Python calls the system, such as `linux` or `darwin`.
        environ: Variables for the programs that are called; PATH says where they are.
        command: How `reverie` is started from anywhere.
        user: The user's number.
    """

    home: Path
    platform: str
    environ: Mapping[str, str]
    command: tuple[str, ...]
    user: int = 0


class Job(Struct, frozen=True):
    """What is started for a workspace, and at which minute of every hour."""

    workspace: str
    command: tuple[str, ...]
    minute: int


class Written(Struct, frozen=True):
    """What stands in one file; the `path` of a part of the crontab is `crontab`."""

    path: str
    text: str


class Schedule(Struct, frozen=True):
    """Something that is scheduled, or would be.

    Attributes:
        way: Who starts it.
        files: What is written where.
        current: Whether it reads as we would write it now.
    """

    way: Way
    files: tuple[Written, ...]
    current: bool = True
