"""What starts a reflection, what is asked first, and when it is put off.

Nothing here starts anything: a reflection needs a yes, and silence is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from types import MappingProxyType
from typing import TYPE_CHECKING

from reverie.model.reflection import Occasion
from reverie.model.route import TriggerKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from reverie.config import Config
    from reverie.model.route import Trigger

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
    settings = situation.config.reflection
    latest = _latest(situation.now, situation.local, time.fromisoformat(settings.time))
    if not situation.waiting > 0 or _since(situation.offered, latest, situation.now):
        return None
    if _is_time(situation, latest):
        return Occasion.SCHEDULED
    if 0 < settings.threshold <= situation.waiting:
        return Occasion.THRESHOLD
    return None


def due_at_end(situation: Situation) -> Occasion | None:
    """Whether to offer one because a session ends in which something was said."""
    wanted = "session-end" in situation.config.reflection.frequency
    if wanted and situation.waiting > 0 and situation.turns > 0:
        return Occasion.SESSION_END
    return None


def _is_time(situation: Situation, latest: datetime) -> bool:
    settings = situation.config.reflection
    last, now = situation.last, situation.now
    if last is None or last > now:  # a clock was set back: nothing to count from
        return not {"daily", "weekly"}.isdisjoint(settings.frequency)
    if "daily" in settings.frequency:
        return last < latest
    at = time.fromisoformat(settings.time)
    return "weekly" in settings.frequency and (
        _a_week_after(last, situation.local, at) <= now
    )


def _since(moment: datetime | None, start: datetime, now: datetime) -> bool:
    return moment is not None and start <= moment <= now


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


def _latest(now: datetime, local: tzinfo, at: time) -> datetime:
    """The last scheduled moment that is not after now."""
    today = now.astimezone(local).date()
    days = (today - timedelta(days=number) for number in range(4))
    return next(moment for day in days if (moment := _moment(day, local, at)) <= now)


def _moment(day: date, local: tzinfo, at: time) -> datetime:
    """A local time in UTC; one that a clock change leaves out comes after the gap."""
    return datetime.combine(day, at.replace(tzinfo=None, fold=0), local).astimezone(UTC)
