"""The reflection cycle: its state machine, and where it is kept between two steps.

A cycle is a value: each step takes one state and returns the next, or refuses. What
is kept between two steps is everything there is to know about where it stands.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from reverie.authority.keyring import KeyringError, Latest
from reverie.encoding.pin import UnreadableScoresError
from reverie.errors import ConflictError, RefusedError
from reverie.model import reflection as model  # noqa: TC001 - read by their types
from reverie.model.change import Action, Edit, checksum
from reverie.model.reflection import Occasion, OperationKind
from reverie.reflection.records.log import highest_number
from reverie.stores.scores import parse_scores
from reverie.workspace import layout
from reverie.workspace.local_state import AlteredStateError, Drawer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date, tzinfo

    from reverie.decay import Trace
    from reverie.recall.search import MemorySearch
    from reverie.reflection.operations.plan import Site
    from reverie.session.session import House, Minds

# --- the states ----------------------------------------------------------------

LONGEST_DEFERRAL = timedelta(days=3)
"""Nothing is put off for longer: the next day at the latest, whatever its hour."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing is under way.

    Attributes:
        why: How the last one ended, where it did without a decision.
    """

    why: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """The human was asked whether it may begin."""

    occasion: Occasion
    at: datetime
    question: str


@dataclass(frozen=True, slots=True)
class Deferred:
    """It was put off; it is asked for again from `until` on, never begun by itself."""

    occasion: Occasion
    until: datetime
    why: str


@dataclass(frozen=True, slots=True)
class Requested:
    """Tokens were asked for."""

    occasion: Occasion
    at: datetime
    request: model.TokenRequest


@dataclass(frozen=True, slots=True)
class Granted:
    """Tokens were given, and thinking may begin."""

    occasion: Occasion
    at: datetime
    request: model.TokenRequest
    grant: model.Grant


@dataclass(frozen=True, slots=True)
class Thought:
    """What a mind said in one phase.

    Attributes:
        phase: Which one.
        answer: The JSON object it answered with, as text.
        tokens: What that took of the grant, with what could not be used.
    """

    phase: str
    answer: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Reflecting:
    """The phases are being thought through.

    Attributes:
        occasion: What started it.
        number: Which reflection.
        began: When, in UTC.
        grant: The most tokens that may be written; 0 where rules reflect.
        survey: What it may see.
        elements: The elements drawn for the monologue.
        milestone: The number of the milestone that it is; 0 for most.
        thoughts: What was thought so far, a phase each.
        wasted: Tokens of answers that could not be used.
        problem: Why the last answer could not be used; empty if it could.
    """

    occasion: Occasion
    number: int
    began: datetime
    grant: int
    survey: model.Survey
    elements: tuple[str, ...] = ()
    milestone: int = 0
    thoughts: tuple[Thought, ...] = ()
    wasted: int = 0
    problem: str = ""

    @property
    def used(self) -> int:
        """The tokens of the grant that are spent."""
        return self.wasted + sum(each.tokens for each in self.thoughts)

    @property
    def left(self) -> int:
        """The tokens that may still be written."""
        return max(0, self.grant - self.used)


@dataclass(frozen=True, slots=True)
class AwaitingDecision:
    """A proposal lies in `pending-reflection.md` until its human decides."""

    number: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Decided:
    """The human has decided, and it is being carried out.

    Attributes:
        number: Which reflection.
        at: When, in UTC.
        shown: The digest of what the human saw.
        decision: What they said.
    """

    number: int
    at: datetime
    shown: str
    decision: model.Decision


@dataclass(frozen=True, slots=True)
class Recorded:
    """The decision is carried out and written down."""

    number: int
    at: datetime
    choice: model.Choice
    commit: str


UnderWay = Requested | Granted | Reflecting | AwaitingDecision | Decided
State = Idle | Asked | Deferred | Recorded | UnderWay

NAMES: dict[type, str] = {
    Idle: "idle",
    Asked: "asked",
    Deferred: "deferred",
    Requested: "tokens requested",
    Granted: "granted",
    Reflecting: "reflecting",
    AwaitingDecision: "pending",
    Decided: "decided",
    Recorded: "recorded",
}
"""What the states are called where people read of them."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Where the workspace's reflection stands.

    Attributes:
        state: The present state.
        last_number: The highest number that a reflection ever had.
        offered: When one was last offered or begun, in UTC.
        failed: How many ended without a proposal since the last decision.
        wasted: The tokens that these have written.
        reminded: When the human was last reminded of what waits, in UTC.
    """

    state: State = Idle()
    last_number: int = 0
    offered: datetime | None = None
    failed: int = 0
    wasted: int = 0
    reminded: datetime | None = None


class UnderWayError(RefusedError):
    """A reflection is under way, and a second one cannot begin beside it."""

    def __init__(self, state: State) -> None:
        decide = "decide on it: `reverie reflect approve` or `reverie reflect reject`."
        waits = isinstance(state, AwaitingDecision | Decided)
        way = decide if waits else "`reverie reflect cancel` gives it up."
        super().__init__(
            f"a reflection is under way already: {NAMES[type(state)]}",
            hint=f"`reverie reflect status` tells what it waits for; {way}",
        )


class NotNowError(RefusedError):
    """A step was to be taken that does not come next."""

    def __init__(self, wanted: str, state: State) -> None:
        super().__init__(
            f"cannot {wanted} now: the reflection is {NAMES[type(state)]}",
            hint="`reverie reflect status` tells what comes next.",
        )


class MovedOnError(ConflictError):
    """Somebody else took the next step of the same reflection."""

    def __init__(self) -> None:
        super().__init__(
            "the reflection has moved on meanwhile, by another process",
            hint="`reverie reflect status` tells where it stands now.",
        )


def may_begin(state: State) -> bool:
    """Whether a new cycle can begin from here."""
    return not isinstance(state, UnderWay)


def begin(
    state: State, occasion: Occasion, now: datetime, question: str
) -> Asked | None:
    """Ask whether to begin; None where the words that started it are a yes already.

    Raises:
        UnderWayError: One is under way.
    """
    if not may_begin(state):
        raise UnderWayError(state)
    if occasion in {Occasion.IMMEDIATE, Occasion.MANUAL}:
        return None
    return Asked(occasion, now, question)


def quiet_until(state: State, now: datetime) -> datetime | None:
    """Until when nothing may be asked, because it was put off; None if it may."""
    if not isinstance(state, Deferred):
        return None
    # Further ahead than anything is put off, a clock was set back.
    quiet = now < state.until <= now + LONGEST_DEFERRAL
    return state.until if quiet else None


def remind_due(state: State, now: datetime, after: timedelta) -> bool:
    """Whether the human should be reminded of what waits for them."""
    match state:
        case AwaitingDecision(since=since) | Requested(at=since):
            return not since <= now < since + after
        case _:
            return False


# --- as it is kept: one JSON object, checked when it is read -------------------

MOST = 10**8
"""No workspace counts further."""

FIRST, LAST = 1970, 2200
"""Years between which a moment may lie."""

_KINDS: dict[str, type[State]] = {name: kind for kind, name in NAMES.items()}


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    state: str
    value: msgspec.Raw
    last_number: int
    offered: datetime | None = None
    failed: int = 0
    wasted: int = 0
    reminded: datetime | None = None


def render_cycle(cycle: Cycle) -> bytes:
    """Write a cycle the way `parse_cycle` reads it."""
    more = (getattr(cycle, held.name) for held in fields(cycle)[1:])
    value = msgspec.Raw(msgspec.json.encode(cycle.state))
    kept = _Kept(NAMES[type(cycle.state)], value, *more)
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"


def parse_cycle(data: bytes | None) -> tuple[Cycle, str]:
    """Read a cycle.

    Returns:
        The cycle, and what is wrong with the file; of a file that cannot be read
        nothing is believed, and no reflection is under way.
    """
    if data is None:
        return Cycle(), ""
    try:
        kept = msgspec.json.decode(data, type=_Kept)
        state = msgspec.json.decode(kept.value, type=_KINDS[kept.state])
        more = (kept.offered, kept.failed, kept.wasted, kept.reminded)
        cycle = Cycle(state, kept.last_number, *more)
        named = (state, getattr(state, "request", state))
        sound = _is_sound(cycle) and all(getattr(n, "number", 1) > 0 for n in named)
        why = "" if sound else "a moment or a number in it is none of ours"
    except (msgspec.MsgspecError, KeyError, RecursionError, ValueError) as error:
        why = str(error)
    if why:
        problem = f"the kept reflection cannot be read ({why})"
        return Cycle(Idle(problem)), problem
    return cycle, ""


def _is_sound(value: object) -> bool:
    """Whether all moments in a value have a zone, and all numbers can be counted to."""
    if isinstance(value, datetime):
        return value.tzinfo is not None and FIRST <= value.year <= LAST
    if type(value) is int:
        return 0 <= value <= MOST
    if is_dataclass(value):
        value = tuple(getattr(value, held.name) for held in fields(value))
    return all(map(_is_sound, value)) if isinstance(value, tuple) else True


# --- what the scores keep of reflections ---------------------------------------

MOST_REJECTED = 500
"""So many rejected operations are remembered; the oldest are let go."""

_SIGNS = {"+": " add", "-": " remove"}
_WORD = re.compile(r"\w+")
_SESSION = re.compile(r"r-(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Tracked:
    """Where reflection stands, as `decay-scores.json` tells it beside the scores.

    Attributes:
        last: When the last reflection was approved, in UTC; None before the first.
        read_until: The moment of the newest episode it has read.
        awareness: Entries of the self-awareness log since the last consolidation.
        rejected: By fingerprint, the reflection in which an operation was rejected.
        economy: The numbers of the token economy, as they stand there.
    """

    last: datetime | None = None
    read_until: datetime | None = None
    awareness: int = 0
    rejected: tuple[tuple[str, str], ...] = ()
    economy: tuple[tuple[str, object], ...] = ()


def parse_tracked(other: Mapping[str, object]) -> Tracked:
    """Read what concerns reflections; what is no such thing counts as absent."""
    count = other.get("self_awareness_count_since_consolidation")
    rejected, economy = other.get("rejected_operations"), other.get("token_economy")
    pairs = rejected.items() if isinstance(rejected, dict) else ()
    return Tracked(
        _moment(other.get("last_reflection")),
        _moment(other.get("reflection_read_until")),
        count if type(count) is int and count > 0 else 0,
        tuple((str(mark), str(session)) for mark, session in pairs),
        tuple(economy.items()) if isinstance(economy, dict) else (),
    )


def _moment(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        if found is None:
            return None
        aware = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return aware if FIRST <= aware.year <= LAST else None


def render_moment(moment: datetime) -> str:
    """A moment as the file writes it: `2026-02-05T03:00:00Z`."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def fingerprint(operation: model.Operation) -> str:
    """By which an operation is known again, however it is spaced and punctuated."""
    sign = operation.content[:1] if operation.kind is OperationKind.CORE else ""
    # What is said of a memory that is to be hidden, a mind words anew each time.
    hides = operation.kind is OperationKind.ARCHIVE
    content = "" if hides else operation.content
    parts = (f"{operation.kind}{_SIGNS.get(sign, '')}", operation.target, content)
    words = "\0".join(" ".join(_WORD.findall(part.casefold())) for part in parts)
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def with_rejected(
    tracked: Tracked, operations: Iterable[model.Operation], session: str
) -> dict[str, object]:
    """The rejected operations, with some more."""
    known = dict(tracked.rejected)
    known |= {fingerprint(operation): session for operation in operations}
    return dict(list(known.items())[-MOST_REJECTED:])


# --- where it is kept ----------------------------------------------------------

_FILE = "cycle.json"


class CycleStore:
    """The cycle of one workspace, shared by all its processes, and its files."""

    def __init__(self, house: House) -> None:
        self._house = house
        seconds = house.config.ledger.lock_seconds
        latest = Latest(house.keyring, house.folder.root) if house.seal else None
        drawer = (house.folder, "reflection", seconds, house.mark, latest)
        self._drawer = Drawer(*drawer)
        self._scores = "", Tracked()

    def load(self) -> Cycle:
        """Where it stands; a file that nobody can read is told, and nothing lost."""
        data, problem = self._read(_FILE)
        cycle, unreadable = (Cycle(Idle(problem)), "") if problem else parse_cycle(data)
        problem = problem or unreadable
        if problem and problem not in self._house.warnings:
            self._house.warnings.append(problem)
        if data is not None and not problem:
            return cycle
        # The file is gone; what history knows of is not used again.
        sessions = (entry.signed.session for entry in self._house.ledger.history())
        found = (_SESSION.fullmatch(session) for session in sessions)
        highest = max((int(match[1]) for match in found if match), default=0)
        return replace(cycle, last_number=highest)

    def move(self, before: Cycle, state: State) -> Cycle:
        """Take one step, unless somebody else took one meanwhile."""
        return self.put(before, replace(before, state=state))

    def put(self, before: Cycle, after: Cycle) -> Cycle:
        """Replace what is kept, unless it is not what it was any more."""
        with self._drawer.alone("reflecting"):
            if self.load() != before:
                raise MovedOnError
            self._drawer.put(_FILE, render_cycle(after))
        return after

    def kept(self, name: str) -> bytes | None:
        """Something else that waits for a decision."""
        data, problem = self._read(f"{name}.json")
        if problem:
            self._house.note(problem)
        return data

    def _read(self, name: str) -> tuple[bytes | None, str]:
        """What a file says, and why it is not believed, if it is not."""
        try:
            return self._drawer.read(name), ""
        except (AlteredStateError, KeyringError) as error:
            return None, f"{error}. {error.hint}"

    def keep(self, name: str, data: bytes | None) -> None:
        """Keep it, or let it go."""
        with self._drawer.alone("reflecting"):
            if data is None:
                self._drawer.remove(f"{name}.json")
            else:
                self._drawer.put(f"{name}.json", data)

    def forget(self) -> None:
        """Let go of all that a cycle on its way has read and thought."""
        # An earlier version kept what it had seen, in the words of episodes.
        for name in ("image", "reward", "seen", "seen-next"):
            self.keep(name, None)
        if self._read(_FILE) == (None, ""):
            return
        with self._drawer.alone("reflecting"):
            cycle = replace(self.load(), state=Idle("a memory was erased meanwhile"))
            self._drawer.put(_FILE, render_cycle(cycle))

    def next_number(self, cycle: Cycle) -> int:
        """A number that no reflection had before."""
        log = self.text(layout.REFLECTION_LOG)
        return 1 + max(cycle.last_number, highest_number(log))

    def tracked(self) -> Tracked:
        """Where reflection stands, without moments that have not come."""
        text = self.text(layout.SCORES)
        if text != self._scores[0]:
            found = parse_tracked(parse_scores(text, layout.SCORES).other)
            self._scores = text, found
        tracked, latest = self._scores[1], self._house.clock() + timedelta(days=1)
        last, until = tracked.last, tracked.read_until
        return replace(
            tracked,
            last=None if last and last > latest else last,
            read_until=None if until and until > latest else until,
        )

    def text(self, path: str) -> str:
        """What a file says; nothing if it is not there."""
        data = self._house.ledger.read(path) or b""
        # Bytes that are no UTF-8 come back as they were.
        return data.decode("utf-8", "surrogateescape")

    def edit(
        self, path: str, text: str, why: str, action: Action | None = None
    ) -> Edit:
        """A file that shall say something else."""
        old = self._house.ledger.read(path)
        does = action or (Action.CREATE if old is None else Action.EDIT)
        data = text.encode("utf-8", "surrogateescape")
        return Edit(path, data, checksum(old), does, why)

    def score_edits(
        self, other: Mapping[str, object], traces: Mapping[str, Trace] | None = None
    ) -> tuple[Edit, ...]:
        """What the scores shall say: keys beside them, and traces that differ."""
        edits = self._house.plan_snapshot(traces, other)
        scores = tuple(edit for edit in edits if edit.path == layout.SCORES)
        if not scores:
            raise UnreadableScoresError
        return scores


@dataclass(frozen=True, slots=True)
class Study:
    """What every step of a reflection needs of an open workspace.

    Attributes:
        house: The workspace's parts.
        store: Where the cycle is kept.
        minds: Who thinks.
        search: Who answers questions.
        site: What planning may look at, for a reflection.
        local: The user's zone.
    """

    house: House
    store: CycleStore
    minds: Minds
    search: MemorySearch
    site: Callable[[], Site]
    local: Callable[[], tzinfo]

    def today(self) -> date:
        """The day it is for the user."""
        return self.house.clock().astimezone(self.local()).date()
