"""Before a reflection: is it welcome, and what may it cost?

Each function takes the cycle as it is and returns it one step on, kept already.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import time
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.change import Actor, Approval, ChangeSet, OnlyHumansError
from reverie.model.reflection import Occasion, session_name
from reverie.reflection import checkin
from reverie.reflection.cycle import (
    Asked,
    Deferred,
    Granted,
    Idle,
    NotNowError,
    Requested,
    Waiting,
    begin,
)
from reverie.reflection.dreaming import fall_asleep
from reverie.reflection.granting import (
    gather_signals,
    keep_reward,
    plan_reward,
    rewarded,
)
from reverie.reflection.replies import (
    PROPOSAL,
    Declined,
    Reply,
    UnclearReplyError,
    read_check_in,
    read_grant,
)
from reverie.reflection.request import make_request
from reverie.reflection.survey import Last, unprocessed

if TYPE_CHECKING:
    from reverie.model.reflection import Grant, TokenRequest
    from reverie.reflection.cycle import Cycle
    from reverie.reflection.dreaming import Dreamer

_RELAYS = frozenset({"bot:main", "bot:trigger-remember"})
"""Who may pass on what the human said; of tokens, up to the baseline."""


class OnlyBaselineError(OnlyHumansError):
    """An agent passes on more tokens than it may."""

    def __init__(self, tokens: int, baseline: int) -> None:
        RefusedError.__init__(
            self,
            f"{tokens:,} tokens are more than the baseline of {baseline:,}",
            hint="An agent may pass on a grant up to the baseline; more is the human's "
            "own to give: `reverie reflect reply` in a terminal.",
        )


def require_relay(actor: Actor) -> None:
    """Refuse everybody but the human, and the agent they talk to."""
    if not actor.human and actor.tag not in _RELAYS:
        raise OnlyHumansError(actor)


def count_waiting(dreamer: Dreamer) -> int:
    """How many episodes no reflection has read yet."""
    house, tracked = dreamer.house, dreamer.sleep.tracked()
    house.sync()
    last = Last(tracked.last, tracked.read_until)
    return unprocessed(house.index, last, house.clock())


def ask_first(dreamer: Dreamer, cycle: Cycle, occasion: Occasion) -> Cycle:
    """Ask whether to reflect; asked for in so many words, ask for tokens."""
    now = dreamer.house.clock()
    question = checkin.question(occasion, count_waiting(dreamer))
    asked = begin(cycle.state, occasion, now, question)
    if asked is None:
        return _request(dreamer, cycle, occasion)
    return dreamer.sleep.put(cycle, replace(cycle, state=asked, offered=now))


def take_reply(dreamer: Dreamer, cycle: Cycle, words: str, actor: Actor) -> Cycle:
    """Take what the human says to the check-in or to the token request."""
    require_relay(actor)
    match cycle.state:
        case Asked(occasion=occasion) | Deferred(occasion=occasion):
            return _check_in(dreamer, cycle, occasion, words)
        case Requested():
            return _grant(dreamer, cycle, cycle.state, words, actor)
        case Waiting():
            raise UnclearReplyError(words, PROPOSAL)
        case state:
            what = "answer"
            raise NotNowError(what, state)


def lapse(dreamer: Dreamer, cycle: Cycle, asked: Asked) -> Cycle:
    """Put off what nobody answered."""
    now, local = dreamer.house.clock(), dreamer.local()
    # Counted from when it lapsed, however late that is noticed.
    moment = asked.at + checkin.PATIENCE if asked.at <= now else now
    until = checkin.unanswered_until(asked.occasion, moment, local, _at(dreamer))
    state = Deferred(asked.occasion, until, "nobody answered")
    return dreamer.sleep.move(cycle, state)


def _check_in(dreamer: Dreamer, cycle: Cycle, occasion: Occasion, words: str) -> Cycle:
    said = read_check_in(words)
    if said.reply is Reply.YES:
        return _request(dreamer, cycle, occasion)
    now, local, at = dreamer.house.clock(), dreamer.local(), _at(dreamer)
    if said.wait:
        until, why = now + said.wait, f"you said {said.understood}"
    elif said.reply is Reply.LATER:
        until, why = checkin.put_off(occasion, now, local, at), "you said later"
    else:
        until = checkin.unanswered_until(occasion, now, local, at)
        why = "you said no"
    return dreamer.sleep.move(cycle, Deferred(occasion, until, why))


def _request(dreamer: Dreamer, cycle: Cycle, occasion: Occasion) -> Cycle:
    """Ask for tokens; where nobody thinks, none are needed."""
    house, sleep = dreamer.house, dreamer.sleep
    number = sleep.next_number(cycle)
    if dreamer.minds.kind == "rules":
        asleep = fall_asleep(dreamer, occasion, number, 0)
        return sleep.put(cycle, replace(cycle, state=asleep, offered=house.clock()))
    now, since = house.clock(), sleep.tracked().last
    signals = gather_signals(house, sleep, count_waiting(dreamer), since)
    signals = replace(signals, failed=cycle.failed)
    baseline = house.config.reflection.token_budget
    request = make_request(number, dreamer.today(), baseline, signals)
    asked = Requested(occasion, now, request)
    return sleep.put(cycle, replace(cycle, state=asked, offered=now))


def _grant(
    dreamer: Dreamer, cycle: Cycle, state: Requested, words: str, actor: Actor
) -> Cycle:
    found = read_grant(words, state.request)
    if isinstance(found, Declined):
        why = f"no tokens were given: {found.reason}".rstrip(": ")
        return dreamer.sleep.move(cycle, Idle(why))
    if not actor.human:
        found = _relayed(dreamer, found, actor)
    found = _reward(dreamer, state.request, found, actor)
    keep_reward(dreamer.sleep, state.request, found)
    now = dreamer.house.clock()
    after = Granted(state.occasion, now, state.request, found)
    number = max(cycle.last_number, state.request.number)
    return dreamer.sleep.put(cycle, replace(cycle, state=after, last_number=number))


def _relayed(dreamer: Dreamer, grant: Grant, actor: Actor) -> Grant:
    baseline = dreamer.house.config.reflection.token_budget
    if grant.tokens > baseline:
        raise OnlyBaselineError(grant.tokens, baseline)
    return replace(grant, relayed=str(actor))


def _reward(
    dreamer: Dreamer, request: TokenRequest, grant: Grant, actor: Actor
) -> Grant:
    """Write the token decision down, once; what is written down already holds."""
    house, sleep = dreamer.house, dreamer.sleep

    def attempt() -> Grant:
        house.look()
        known = rewarded(sleep, request.number)
        if known is not None:
            # Anybody can write into the log: it holds where it gives less.
            return min(known, grant, key=lambda each: each.tokens)
        edits = plan_reward(house, sleep, request, grant)
        approval = Approval.APPROVED if actor.human else Approval.AUTO
        signed = Actor(f"reflection:{session_name(request.number)}")
        why = f"tokens for reflection #{request.number}"
        house.commit(ChangeSet(edits, signed, approval, why))
        return grant

    return house.persist("granting", attempt)


def _at(dreamer: Dreamer) -> time:
    return time.fromisoformat(dreamer.house.config.reflection.time)
