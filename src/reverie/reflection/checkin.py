"""Check-in: what starts a reflection, what is asked first, and when it is put off.

Nothing here starts anything: a reflection needs a yes, and silence is none. The steps
take the cycle as it is and return it one step on, kept already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from types import MappingProxyType
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.change import Actor, Approval, ChangeSet, OnlyHumansError
from reverie.model.reflection import Occasion, session_name
from reverie.model.route import TriggerKind
from reverie.reflection import cycle as states
from reverie.reflection import replies
from reverie.reflection import token_request as tokens
from reverie.reflection.phases import fall_asleep
from reverie.reflection.survey import unprocessed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from reverie.config import Config
    from reverie.model.reflection import Grant, TokenRequest
    from reverie.model.route import Trigger
    from reverie.reflection.cycle import Cycle, Study

LATER = timedelta(hours=4)
PATIENCE = timedelta(minutes=10)
WEEK = timedelta(days=7)

QUESTIONS: Mapping[Occasion, str] = MappingProxyType(
    {
        Occasion.SOFT: "Before you go — want me to reflect now, or wait for our "
        "usual time?",
        Occasion.SCHEDULED: "Hey, it's reflection time. Good to go, or should I catch "
        "you later?",
        Occasion.THRESHOLD: "Hey, {waiting} piled up since I last reflected. Good to "
        "go, or should I catch you later?",
        Occasion.SESSION_END: "Before we close — {waiting} came in since I last "
        "reflected. Want me to reflect now, or later?",
    }
)
"""What is asked; the other occasions are a yes already."""


def question(occasion: Occasion, waiting: int) -> str:
    """What to ask; empty where the occasion is a yes already."""
    episodes = "1 new episode" if waiting == 1 else f"{waiting} new episodes"
    return QUESTIONS.get(occasion, "").replace("{waiting}", episodes)


# --- what offers one -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known when we look whether a reflection is due.

    Attributes:
        now: The moment, in UTC.
        last: When the last reflection was; None before the first.
        waiting: How many episodes are new since.
        config: The settings.
        local: The user's zone.
        turns: How much was said in this session.
        offered: When one was last offered; a workspace that never offered any may
            give its beginning.
    """

    now: datetime
    last: datetime | None
    waiting: int
    config: Config
    local: tzinfo
    turns: int = 0
    offered: datetime | None = None


def occasion_of(triggers: Iterable[Trigger]) -> Occasion | None:
    """What the words of a message are an occasion for; an order outranks a farewell."""
    kinds = {trigger.kind for trigger in triggers}
    if TriggerKind.REFLECT in kinds:
        return Occasion.IMMEDIATE
    return Occasion.SOFT if TriggerKind.REFLECT_SOFT in kinds else None


def due(situation: Situation) -> Occasion | None:
    """What a reflection should be offered for now, unasked.

    One offer holds until the next scheduled time: who said no is not asked again at
    every turn.
    """
    now, last, local = situation.now, situation.last, situation.local
    settings = situation.config.reflection
    at, frequency = time.fromisoformat(settings.time), settings.frequency
    today = now.astimezone(local).date()
    past = (_moment(today - timedelta(days=number), local, at) for number in range(4))
    latest = next(moment for moment in past if moment <= now)
    offered = situation.offered
    if situation.waiting <= 0 or (offered and latest <= offered <= now):
        return None
    if last is None or last > now:  # a clock was set back: nothing to count from
        is_time = not {"daily", "weekly"}.isdisjoint(frequency)
    elif "daily" in frequency:
        is_time = last < latest
    else:
        is_time = "weekly" in frequency and _a_week_after(last, local, at) <= now
    if is_time:
        return Occasion.SCHEDULED
    piled = 0 < settings.threshold <= situation.waiting
    return Occasion.THRESHOLD if piled else None


def due_at_end(situation: Situation) -> Occasion | None:
    """Whether to offer one because a session ends in which something was said."""
    wanted = "session-end" in situation.config.reflection.frequency
    new = situation.waiting > 0 and situation.turns > 0
    return Occasion.SESSION_END if wanted and new else None


# --- when it is put off --------------------------------------------------------


def put_off(occasion: Occasion, now: datetime, local: tzinfo, at: time) -> datetime:
    """When to ask again after a "later".

    Args:
        occasion: What it was offered for; after a farewell the usual time is next.
        now: When the answer came.
        local: The user's zone.
        at: The scheduled time of day there.
    """
    if occasion is Occasion.SOFT:
        return _upcoming(now, local, at)
    return now.astimezone(UTC) + LATER


def no_answer(asked: datetime, now: datetime) -> bool:
    """Whether a question was left without an answer."""
    # A clock set back by more than that cannot tell; then nobody is there either.
    return abs(now - asked) >= PATIENCE


def unanswered_until(
    occasion: Occasion, now: datetime, local: tzinfo, at: time
) -> datetime:
    """When to ask again after no answer: the next day, never earlier.

    After a farewell it is the next scheduled time, be it on the same day.
    """
    first = 0 if occasion is Occasion.SOFT else 1
    return _upcoming(now, local, at, first)


def next_time(
    now: datetime,
    local: tzinfo,
    at: time,
    frequency: Collection[str],
    last: datetime | None = None,
) -> datetime | None:
    """The next scheduled moment after now; None where nothing is scheduled.

    Args:
        now: The moment to count from.
        local: The user's zone.
        at: The scheduled time of day there.
        frequency: `reflection.frequency`, or one of its words.
        last: The last reflection; a weekly one comes seven days after it.
    """
    following = _upcoming(now, local, at)
    if "daily" in frequency:
        return following
    if "weekly" not in frequency:
        return None
    if last is None or last > now:
        return following
    return max(following, _a_week_after(last, local, at))


def _a_week_after(last: datetime, local: tzinfo, at: time) -> datetime:
    return _moment(last.astimezone(local).date() + WEEK, local, at)


def _upcoming(now: datetime, local: tzinfo, at: time, first: int = 0) -> datetime:
    """The first scheduled moment after now, from so many days on."""
    today = now.astimezone(local).date()
    days = (today + timedelta(days=number) for number in range(first, first + 4))
    found = (_moment(day, local, at) for day in days)
    return next(moment for moment in found if moment > now)


def _moment(day: date, local: tzinfo, at: time) -> datetime:
    """A local time in UTC; one that a clock change leaves out comes after the gap."""
    return datetime.combine(day, at.replace(tzinfo=None, fold=0), local).astimezone(UTC)


# --- the steps -----------------------------------------------------------------

_RELAYS = frozenset({"bot:main", "bot:trigger-remember"})
"""Who may pass on what the human said; of tokens, up to the baseline."""


class OnlyBaselineError(OnlyHumansError):
    """An agent passes on more tokens than it may."""

    def __init__(self, given: int, baseline: int) -> None:
        RefusedError.__init__(
            self,
            f"{given:,} tokens are more than the baseline of {baseline:,}",
            hint="An agent may pass on a grant up to the baseline; more is the human's "
            "own to give: `reverie reflect reply` in a terminal.",
        )


def require_relay(actor: Actor) -> None:
    """Refuse everybody but the human, and the agent they talk to."""
    if not actor.human and actor.tag not in _RELAYS:
        raise OnlyHumansError(actor)


def count_waiting(study: Study) -> int:
    """How many episodes no reflection has read yet."""
    study.house.sync()
    return unprocessed(study.house.index, study.store.tracked(), study.house.clock())


def ask_first(study: Study, cycle: Cycle, occasion: Occasion) -> Cycle:
    """Ask whether to reflect; asked for in so many words, ask for tokens."""
    now = study.house.clock()
    words = question(occasion, count_waiting(study))
    asked = states.begin(cycle.state, occasion, now, words)
    if asked is None:
        return _request(study, cycle, occasion)
    return study.store.put(cycle, replace(cycle, state=asked, offered=now))


def take_reply(study: Study, cycle: Cycle, words: str, actor: Actor) -> Cycle:
    """Take what the human says to the check-in or to the token request."""
    require_relay(actor)
    match cycle.state:
        case states.Asked(occasion=occasion) | states.Deferred(occasion=occasion):
            return _check_in(study, cycle, occasion, words)
        case states.Requested():
            return _grant(study, cycle, cycle.state, words, actor)
        case states.AwaitingDecision():
            raise replies.UnclearReplyError(words, replies.PROPOSAL)
        case state:
            what = "answer"
            raise states.NotNowError(what, state)


def lapse(study: Study, cycle: Cycle, asked: states.Asked) -> Cycle:
    """Put off what nobody answered."""
    now, at = study.house.clock(), _usual_time(study)
    # Counted from when it lapsed, however late that is noticed.
    moment = asked.at + PATIENCE if asked.at <= now else now
    until = unanswered_until(asked.occasion, moment, study.local(), at)
    state = states.Deferred(asked.occasion, until, "nobody answered")
    return study.store.move(cycle, state)


def _usual_time(study: Study) -> time:
    return time.fromisoformat(study.house.config.reflection.time)


def _check_in(study: Study, cycle: Cycle, occasion: Occasion, words: str) -> Cycle:
    said = replies.read_check_in(words)
    if said.reply is replies.Reply.YES:
        return _request(study, cycle, occasion)
    now, local, at = study.house.clock(), study.local(), _usual_time(study)
    if said.wait:
        until, why = now + said.wait, f"you said {said.understood}"
    elif said.reply is replies.Reply.LATER:
        until, why = put_off(occasion, now, local, at), "you said later"
    else:
        until, why = unanswered_until(occasion, now, local, at), "you said no"
    return study.store.move(cycle, states.Deferred(occasion, until, why))


def _request(study: Study, cycle: Cycle, occasion: Occasion) -> Cycle:
    """Ask for tokens; where nobody thinks, none are needed."""
    house, store = study.house, study.store
    number = store.next_number(cycle)
    state: states.Reflecting | states.Requested
    if study.minds.kind == "rules":
        state = fall_asleep(study, occasion, number, 0)
    else:
        signals = tokens.gather_signals(study, count_waiting(study), cycle.failed)
        baseline = house.config.reflection.token_budget
        request = tokens.make_request(number, study.today(), baseline, signals)
        state = states.Requested(occasion, house.clock(), request)
    return store.put(cycle, replace(cycle, state=state, offered=house.clock()))


def _grant(
    study: Study, cycle: Cycle, state: states.Requested, words: str, actor: Actor
) -> Cycle:
    request, baseline = state.request, study.house.config.reflection.token_budget
    found = replies.read_grant(words, request)
    if isinstance(found, replies.Declined):
        why = f"no tokens were given: {found.reason}".rstrip(": ")
        return study.store.move(cycle, states.Idle(why))
    if not actor.human:
        if found.tokens > baseline:
            raise OnlyBaselineError(found.tokens, baseline)
        found = replace(found, relayed=str(actor))
    approval = Approval.APPROVED if actor.human else Approval.AUTO
    given = study.house.persist(
        "granting", lambda: _write_grant(study, request, found, approval)
    )
    tokens.keep_reward(study.store, request, given)
    after = states.Granted(state.occasion, study.house.clock(), request, given)
    number = max(cycle.last_number, request.number)
    return study.store.put(cycle, replace(cycle, state=after, last_number=number))


def _write_grant(
    study: Study, request: TokenRequest, grant: Grant, approval: Approval
) -> Grant:
    """Write the token decision down, once; what is written down already holds."""
    study.house.look()
    known = tokens.rewarded(study.store, request.number)
    if known is not None:
        # Anybody can write into the log: it holds where it gives less.
        return min(known[1], grant, key=lambda each: each.tokens)
    edits = tokens.plan_reward(study, request, grant)
    signed = Actor(f"reflection:{session_name(request.number)}")
    why = f"tokens for reflection #{request.number}"
    study.house.commit(ChangeSet(edits, signed, approval, why))
    return grant
