"""The reflection cycle: its state machine, its schedule, and where it is kept.

A cycle is a value: each step takes one state and returns the next, or refuses. What
is kept between two steps is everything there is to know about where it stands.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, get_args

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace as moved

from reverie.authority.keyring import KeyringError
from reverie.dates import at_home
from reverie.encoding.archiving import UnreadableScoresError
from reverie.errors import ConflictError, RefusedError
from reverie.markdown import parse_date
from reverie.model import reflection as model
from reverie.model.change import Action, Edit, checksum
from reverie.model.reflection import Occasion, OperationKind
from reverie.model.route import TriggerKind
from reverie.reflection.log import MILESTONES, highest_number, parse_log
from reverie.stores.scores import parse_scores
from reverie.workspace import layout
from reverie.workspace.local_state import AlteredStateError, Drawer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import tzinfo

    from reverie.config import ReflectionConfig
    from reverie.decay import Trace
    from reverie.model.route import Trigger
    from reverie.recall.search import MemorySearch
    from reverie.reflection.plan import Site
    from reverie.session.session import Minds, Session

# --- the states ----------------------------------------------------------------

Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class Idle(msgspec.Struct, frozen=True, tag="idle"):
    """Nothing is under way; `why` says how the last one ended without a decision."""

    why: str = ""


class Asked(msgspec.Struct, frozen=True, tag="asked"):
    """The human was asked whether it may begin."""

    occasion: Occasion
    at: Moment
    question: str


class Deferred(msgspec.Struct, frozen=True, tag="deferred"):
    """It was put off; it is asked for again from `until` on, never begun by itself."""

    occasion: Occasion
    until: Moment
    why: str


class Requested(msgspec.Struct, frozen=True, tag="tokens requested"):
    """Tokens were asked for; `since` is from when older episodes are read first."""

    occasion: Occasion
    at: Moment
    request: model.TokenRequest
    since: date | None = None


class Granted(msgspec.Struct, frozen=True, tag="granted"):
    """Tokens were given, and thinking may begin."""

    occasion: Occasion
    at: Moment
    request: model.TokenRequest
    grant: model.Grant
    since: date | None = None


class Thought(msgspec.Struct, frozen=True):
    """What a mind said in one phase.

    Attributes:
        phase: Which one.
        answer: The JSON object it answered with, as text.
        tokens: What that took of the grant, with what could not be used.
        lost: Whether it said more than was left, so that none of it counts.
        cut: Whether it was cut off, so that only what came whole counts.
    """

    phase: str
    answer: str
    tokens: int
    lost: bool = False
    cut: bool = False


class Reflecting(msgspec.Struct, frozen=True, tag="reflecting"):
    """The phases are being thought through.

    Attributes:
        occasion: What started it.
        number: Which reflection.
        began: When, in UTC.
        grant: The most tokens that may be written; 0 where nobody thinks.
        survey: What it may see.
        elements: The elements drawn for the monologue.
        milestone: The number of the milestone that it is; 0 for most.
        thoughts: What was thought so far, a phase each.
        wasted: Tokens of answers that could not be used.
        problem: Why the last answer could not be used; empty if it could.
        asked: Tokens of all that the mind was asked so far.
        kept: What of its operations can be done, in words.
        survived: Which of those it wrote first that are, counted from 0.
        refused: Which cannot be done, and why.
        sent: Characters of questions that the connected agent received.
    """

    occasion: Occasion
    number: int
    began: Moment
    grant: int
    survey: model.Survey
    elements: tuple[str, ...] = ()
    milestone: int = 0
    thoughts: tuple[Thought, ...] = ()
    wasted: int = 0
    problem: str = ""
    asked: int = 0
    kept: tuple[str, ...] = ()
    survived: tuple[int, ...] = ()
    refused: tuple[model.Refused, ...] = ()
    sent: int = 0

    @property
    def used(self) -> int:
        """The tokens of the grant that are spent."""
        return self.wasted + sum(each.tokens for each in self.thoughts)

    @property
    def left(self) -> int:
        """The tokens that may still be written."""
        return max(0, self.grant - self.used)


class AwaitingDecision(msgspec.Struct, frozen=True, tag="pending"):
    """A proposal lies in `pending-reflection.md` until its human decides."""

    number: int
    since: Moment


class Recorded(msgspec.Struct, frozen=True, tag="recorded"):
    """The decision is carried out and written down."""

    number: int
    choice: model.Choice


UnderWay = Requested | Granted | Reflecting | AwaitingDecision
State = Idle | Asked | Deferred | Recorded | UnderWay

NAMES: dict[type, str] = {each: each.__struct_config__.tag for each in get_args(State)}
"""What the states are called where people read of them."""


class Cycle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the workspace's reflection stands.

    Attributes:
        state: The present state.
        last_number: The highest number that a reflection ever had.
        offered: When one was last offered or begun, in UTC.
        failed: How many ended without a proposal since the last decision.
        wasted: The tokens that these have written.
        reminded: When the human was last reminded of what waits, in UTC.
        reward: The last token request and what was given, to be recorded.
        image: A self-image that waits for a decision, as JSON.
    """

    state: State = Idle()
    last_number: int = 0
    offered: Moment | None = None
    failed: int = 0
    wasted: int = 0
    reminded: Moment | None = None
    reward: tuple[model.TokenRequest, model.Grant] | None = None
    image: str = ""


class NotNowError(RefusedError):
    """A step was to be taken that does not come next."""

    def __init__(self, wanted: str, state: State) -> None:
        way = ""
        if isinstance(state, AwaitingDecision):
            way = (
                "; decide on it: `reverie reflect approve` or `reverie reflect reject`"
            )
        elif isinstance(state, UnderWay):
            way = "; `reverie reflect cancel` gives it up"
        super().__init__(
            f"cannot {wanted} now: the reflection is {NAMES[type(state)]}",
            hint=f"`reverie reflect status` tells what comes next{way}.",
        )


class MovedOnError(ConflictError):
    """Somebody else took the next step of the same reflection."""

    says = "the reflection has moved on meanwhile, by another process"
    mend = "`reverie reflect status` tells where it stands now."


class PageChangedError(ConflictError):
    """The proposal reads otherwise than the one that was shown."""

    says = "{} was changed since it was shown"
    mend = "Look at it again: `reverie reflect show`. Nothing was applied."


def render_cycle(cycle: Cycle) -> bytes:
    """Write a cycle the way `parse_cycle` reads it."""
    kept = msgspec.to_builtins(cycle)
    state = kept["state"]
    kept |= {"state": state.pop("type"), "value": state}
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
        kept = msgspec.json.decode(data, type=dict[str, object])
        kept["state"] = {**kept.pop("value"), "type": kept["state"]}  # type: ignore[dict-item]  # checked next
        return msgspec.convert(kept, Cycle), ""
    except (msgspec.MsgspecError, KeyError, RecursionError, ValueError, TypeError) as e:
        problem = f"the kept reflection cannot be read ({e})"
        return Cycle(Idle(problem)), problem


FIRST_PERIOD = timedelta(days=7)
"""How far back the first reflection reads."""

# --- what time does to it ------------------------------------------------------

LATER, PATIENCE = timedelta(hours=4), timedelta(minutes=10)
LONGEST_DEFERRAL = timedelta(days=3)
"""Nothing is put off for longer: the next day at the latest, whatever its hour."""


def occasion_of(triggers: Iterable[Trigger]) -> Occasion | None:
    """What the words of a message are an occasion for; an order outranks a farewell."""
    kinds = {trigger.kind for trigger in triggers}
    if TriggerKind.REFLECT in kinds:
        return Occasion.IMMEDIATE
    return Occasion.SOFT if TriggerKind.REFLECT_SOFT in kinds else None


def quiet_until(state: State, now: datetime) -> datetime | None:
    """Until when nothing may be asked, because it was put off; None if it may."""
    until = state.until if isinstance(state, Deferred) else now
    # Further ahead than anything is put off, a clock was set back.
    return until if now < until <= now + LONGEST_DEFERRAL else None


def remind_due(state: State, now: datetime, after: timedelta) -> bool:
    """Whether the human should be reminded of what waits for them."""
    match state:
        case AwaitingDecision(since=since) | Requested(at=since):
            # By a clock that was set back a little nothing has waited long.
            return abs(now - since) >= after
        case _:
            return False


def no_answer(asked: datetime, now: datetime) -> bool:
    """Whether a question was left without an answer."""
    # A clock set back by more than that cannot tell; then nobody is there either.
    return abs(now - asked) >= PATIENCE


class Timetable(Struct, frozen=True):
    """When reflections are due, by the settings, in the user's zone, seen from now."""

    settings: ReflectionConfig
    zone: tzinfo
    now: datetime

    def upcoming(self, first: int = 0) -> datetime:
        """The first scheduled moment after now, from so many days on."""
        found = (self._moment(days) for days in range(first, first + 4))
        return next(moment for moment in found if moment > self.now)

    def _moment(self, days: int, since: datetime | None = None) -> datetime:
        """The scheduled time some days on, in UTC; after the gap of a clock change."""
        day = (since or self.now).astimezone(self.zone).date() + timedelta(days=days)
        at = time.fromisoformat(self.settings.time)
        return datetime.combine(day, at, self.zone).astimezone(UTC)

    def put_off(self, occasion: Occasion, *, later: bool = False) -> datetime:
        """When to ask again: after a "later", else the next day and never earlier.

        After a farewell it is the next scheduled time, be it on the same day.
        """
        if occasion is Occasion.SOFT:
            return self.upcoming()
        return self.now.astimezone(UTC) + LATER if later else self.upcoming(1)

    def next_time(self, last: datetime | None) -> datetime | None:
        """The next scheduled moment; None where nothing is scheduled.

        Args:
            last: The last reflection; a weekly one comes seven days after it.
        """
        following, frequency = self.upcoming(), self.settings.frequency
        if "daily" in frequency or "weekly" not in frequency:
            return following if "daily" in frequency else None
        known = last is not None and last <= self.now
        return max(following, self._moment(7, last)) if known else following

    def due(
        self,
        last: datetime | None,
        waiting: int,
        offered: datetime | None,
        *,
        created: datetime | None = None,
        backlog: int = 0,
    ) -> Occasion | None:
        """What a reflection should be offered for now, unasked.

        One offer holds until the next scheduled time: who said no is not asked again
        at every turn.

        Args:
            last: When the last reflection was; None before the first.
            waiting: How many episodes are new since.
            offered: When one was last offered.
            created: When the workspace began; the first reflection is due at the next
                scheduled time after that.
            backlog: How many older episodes are unread; they make a reflection due at
                its scheduled time, and do not count for the threshold.
        """
        now, settings = self.now, self.settings
        past = (self._moment(-days) for days in range(4))
        latest = next(moment for moment in past if moment <= now)
        if waiting + backlog <= 0 or (offered and latest <= offered <= now):
            return None
        if last is None or last > now:  # a clock was set back: nothing to count from
            is_time = not {"daily", "weekly"}.isdisjoint(settings.frequency)
            is_time = is_time and not (created and latest < created <= now)
        elif "daily" in settings.frequency:
            is_time = last < latest
        else:
            is_time = "weekly" in settings.frequency and self._moment(7, last) <= now
        piled = 0 < settings.threshold <= waiting
        return Occasion.SCHEDULED if is_time else Occasion.THRESHOLD if piled else None


# --- what the scores keep of reflections ---------------------------------------

MOST_REJECTED = 500
"""So many rejected operations are remembered; the oldest are let go."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SIGNS = {"+": " add", "-": " remove"}
_LINES_OUT = {OperationKind.MOVE, OperationKind.DROP}
_SESSION = re.compile(r"r-(\d{1,9})")


class Tracked(Struct, frozen=True):
    """Where reflection stands, as `decay-scores.json` tells it beside the scores.

    Attributes:
        last: When the last reflection was approved; None before the first.
        read_until: The moment of the newest episode it has read.
        awareness: Entries of the self-awareness log since the last consolidation.
        rejected: By fingerprint, the reflection in which an operation was rejected.
        economy: The numbers of the token economy, as they stand there.
        backlog: Older episodes that no reflection has read; None if nothing says so.
    """

    last: datetime | None = None
    read_until: datetime | None = None
    awareness: int = 0
    rejected: Mapping[str, str] = field(default_factory=dict)
    economy: Mapping[str, object] = field(default_factory=dict)
    backlog: model.Backlog | None = None


def parse_tracked(
    other: Mapping[str, object], now: datetime, zone: tzinfo = UTC
) -> Tracked:
    """Read what concerns reflections; what is no such thing counts as absent.

    Nor does a moment count that has not come. Those that do are on the clocks of the
    user's zone.
    """

    def moment(key: str) -> datetime | None:
        try:
            found = datetime.fromisoformat(str(other.get(key)))
            aware = found if found.tzinfo else found.replace(tzinfo=UTC)
            sound = _EPOCH <= aware <= now + timedelta(days=1)
            return at_home(aware, zone) if sound else None
        except (ValueError, OverflowError):
            return None

    def table(key: str) -> dict[str, object]:
        found = other.get(key)
        return dict(found) if isinstance(found, dict) else {}

    count = other.get("self_awareness_count_since_consolidation")
    return Tracked(
        moment("last_reflection"),
        moment("reflection_read_until"),
        count if type(count) is int and count > 0 else 0,
        {mark: str(session) for mark, session in table("rejected_operations").items()},
        table("token_economy"),
        parse_backlog(other.get(BACKLOG)),
    )


BACKLOG = "reflection_backlog"
"""The key beside the scores that says which older episodes are unread."""


def render_backlog(backlog: model.Backlog) -> dict[str, object]:
    """Write a backlog as a value of `decay-scores.json`."""
    found: dict[str, object] = msgspec.to_builtins(backlog)
    return found


def parse_backlog(value: object) -> model.Backlog | None:
    """Read a backlog; None for what is none."""
    try:
        return msgspec.convert(value, model.Backlog)
    except msgspec.ValidationError:
        return None


def first_backlog(first: datetime, noted_until: datetime) -> model.Backlog:
    """Return what the first reflection leaves unread.

    Args:
        first: The moment from which on it reads.
        noted_until: When it reads, in UTC.
    """
    period = model.EARLIEST, first.astimezone(UTC)
    return model.Backlog(noted_until.astimezone(UTC), (period,))


def render_moment(moment: datetime) -> str:
    """A moment as the file writes it: `2026-02-05T03:00:00Z`."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def other_keys(text: str) -> Mapping[str, object]:
    """What the score file says besides its entries.

    The entries stand last where we wrote the file, and there may be very many: where
    it has that shape, only what is above them is read. Any other is read whole.
    """
    head, found, tail = text.partition('\n  "entries": {')
    end = tail if tail.startswith("}") else tail[tail.find("\n  }") :]
    if found and end.split() == ["}", "}"]:
        above = parse_scores(f'{head}\n  "entries": {{}}\n}}', layout.SCORES)
        if not above.damaged:
            return above.other
    return parse_scores(text, layout.SCORES).other


def fingerprint(operation: model.Operation) -> str:
    """By which an operation is known again, however it is spaced and punctuated."""
    sign = operation.content[:1] if operation.kind is OperationKind.CORE else ""
    # What is said of a memory that is to be hidden, a mind words anew each time.
    hides = operation.kind is OperationKind.ARCHIVE
    content = "" if hides else operation.content
    kind = f"{operation.kind}{_SIGNS.get(sign, '')}"
    if operation.kind in _LINES_OUT:
        # As earlier versions wrote it: a line that was to stay is not moved either.
        kind, content = "CORE remove", f"- {content}"
    parts = (kind, operation.target, content)
    if operation.kind in {OperationKind.MERGE, OperationKind.DISTINCT}:
        # Whichever of the two pages is named first.
        parts = (operation.kind, *sorted(re.findall(r"[^\s→≠]+", content)))
    words = "\0".join(" ".join(re.findall(r"\w+", part.casefold())) for part in parts)
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def with_rejected(
    tracked: Tracked, operations: Iterable[model.Operation], session: str
) -> dict[str, object]:
    """The rejected operations, with some more."""
    known = {**tracked.rejected, **{fingerprint(each): session for each in operations}}
    return dict(list(known.items())[-MOST_REJECTED:])


# --- where it is kept ----------------------------------------------------------

_FILE = "cycle.json"


class CycleStore:
    """The cycle of one workspace, shared by all its processes, and its files."""

    def __init__(self, session: Session) -> None:
        self._session = session
        seconds = session.config.ledger.lock_seconds
        latest = session.keyring if session.seal else None
        drawer = (session.state_folder, "reflection", seconds, session.mark, latest)
        self._drawer = Drawer(*drawer)

    def load(self) -> Cycle:
        """Where it stands; a file that nobody can read is told, and nothing lost."""
        data, problem = self._read()
        cycle, unreadable = (Cycle(Idle(problem)), "") if problem else parse_cycle(data)
        problem = problem or unreadable
        if problem and problem not in self._session.warnings:
            self._session.warnings.append(problem)
        if data is not None and not problem:
            return cycle
        # The file is gone; what history knows of is not used again.
        sessions = (entry.signed.session for entry in self._session.ledger.history())
        found = (_SESSION.fullmatch(session) for session in sessions)
        highest = max((int(match[1]) for match in found if match), default=0)
        return moved(cycle, last_number=highest)

    def put(self, before: Cycle, **changes: object) -> Cycle:
        """Take one step, unless somebody else took one meanwhile."""
        after = moved(before, **changes)
        with self._drawer.alone("reflecting"):
            if self.load() != before:
                raise MovedOnError
            self._drawer.put(_FILE, render_cycle(after))
        return after

    def _read(self) -> tuple[bytes | None, str]:
        """What the file says, and why it is not believed, if it is not."""
        try:
            return self._drawer.read(_FILE), ""
        except (AlteredStateError, KeyringError) as error:
            return None, f"{error}. {error.advice}"

    def forget(self) -> None:
        """Let go of all that a cycle on its way has read and thought."""
        with self._drawer.alone("reflecting"):
            # Earlier versions kept more, in the words of episodes.
            for name in ("image", "reward", "seen", "seen-next"):
                self._drawer.remove(f"{name}.json")
            if self._read() != (None, ""):
                idle = Idle("a memory was erased meanwhile")
                kept = moved(self.load(), state=idle, reward=None, image="")
                self._drawer.put(_FILE, render_cycle(kept))

    def next_number(self, cycle: Cycle) -> int:
        """A number that no reflection had before."""
        log = self.text(layout.REFLECTION_LOG)
        return 1 + max(cycle.last_number, highest_number(log))

    def tracked(self) -> Tracked:
        """Where reflection stands, as the scores tell it."""
        now, zone = self._session.clock(), self._session.zone

        def read() -> Mapping[str, object]:
            return other_keys(self.text(layout.SCORES))

        looks = self._session.folder.signature(layout.SCORES)
        told = self._session.while_same("tracked", looks, read)
        found = parse_tracked(told, now, zone)
        if found.last is None or BACKLOG in told:
            return found
        return moved(found, backlog=self._older_backlog())

    def _older_backlog(self) -> model.Backlog | None:
        """Return the backlog of a workspace whose reflections did not record any.

        The first of them, which has the oldest file, read the week before it.
        """
        names = self._session.ledger.files(layout.REFLECTIONS)
        days = filter(None, (parse_date(name[:10]) for name in names))
        if (first := min(days, default=None)) is None:
            return None
        begin = datetime.combine(first, time(), self._session.zone)
        return first_backlog(begin - FIRST_PERIOD, begin + timedelta(days=1))

    def text(self, path: str) -> str:
        """What a file says; nothing if it is not there."""
        data = self._session.ledger.read(path) or b""
        # Bytes that are no UTF-8 come back as they were.
        return data.decode("utf-8", "surrogateescape")

    def edit(
        self, path: str, text: str, why: str, action: Action | None = None
    ) -> Edit:
        """A file that shall say something else."""
        old = self._session.ledger.read(path)
        does = action or (Action.CREATE if old is None else Action.EDIT)
        data = text.encode("utf-8", "surrogateescape")
        return Edit(path, data, checksum(old), does, why)

    def score_edits(
        self, other: Mapping[str, object], traces: Mapping[str, Trace] | None = None
    ) -> tuple[Edit, ...]:
        """What the scores shall say: keys beside them, and traces that differ."""
        edits = self._session.plan_snapshot(traces, other)
        scores = tuple(edit for edit in edits if edit.path == layout.SCORES)
        if not scores:
            raise UnreadableScoresError
        return scores


SELF_IMAGE_NOTES = 10
"""So many notes of self-awareness make a new self-image due."""


def notes_due(store: CycleStore) -> int:
    """Return how many notes a new self-image is due for; 0 if none is due.

    It is due after ten notes, and with any note after a milestone.
    """
    count = store.tracked().awareness
    if not count or store.load().image:
        return 0
    entries = parse_log(store.text(layout.REFLECTION_LOG)).entries
    is_milestone = bool(entries) and entries[-1].number in MILESTONES
    return count if count >= SELF_IMAGE_NOTES or is_milestone else 0


class Study(Struct, frozen=True):
    """What every step of a reflection needs of an open workspace.

    Attributes:
        session: The workspace's parts.
        store: Where the cycle is kept.
        minds: Who thinks.
        search: Who answers questions.
        site: What planning may look at, for a reflection.
    """

    session: Session
    store: CycleStore
    minds: Minds
    search: MemorySearch
    site: Callable[[], Site]

    def today(self) -> date:
        """The day it is for the user."""
        return self.session.clock().date()

    def schedule(self, now: datetime | None = None) -> Timetable:
        """When reflections are due."""
        settings = self.session.config.reflection
        return Timetable(settings, self.session.zone, now or self.session.clock())
