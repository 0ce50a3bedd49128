"""Token request: how many tokens a reflection asks for, and what was granted.

What speaks for more and for less is counted, not felt: every reason holds the figure
it comes from. `replies` reads what its human answers.
"""

from __future__ import annotations

import re
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING

import msgspec

from reverie.encoding.pins import UnreadableScoresError
from reverie.errors import RefusedError
from reverie.model.change import REMEMBER, Action, Edit, checksum
from reverie.model.reflection import Grant, Outcome, Reason, TokenRequest
from reverie.reflection.record.archive import archive_name
from reverie.reflection.record.log import parse_log
from reverie.reflection.record.rewards import (
    append_reward,
    economy,
    parse_rewards,
    render_reward,
)
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from reverie.decay.curve import Trace
    from reverie.model.change import LogEntry
    from reverie.reflection.cycle import Sleep
    from reverie.reflection.record.rewards import Reward
    from reverie.session.session import House


FEWEST, MOST = 500, 1_000_000
"""Tokens that one reflection can be given."""


class GrantSizeError(RefusedError):
    """A number of tokens that no reflection can be given."""

    def __init__(self, tokens: int) -> None:
        meant = f" Did you mean {tokens}K?" if 0 < tokens <= 100 else ""
        super().__init__(
            f"a reflection cannot be given {tokens:,} tokens",
            hint=f"Give from {FEWEST:,} to {MOST:,}, such as 8K.{meant}",
        )


# --- what happened -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Signals:
    """What really happened since the last reflection.

    Attributes:
        episodes: New ones.
        usual: New episodes of the last reflections, on average; 0 if unknown.
        corrections: Files an agent had written that the human edited or deleted.
        reverts: Changes of the agent's that the human took back.
        rejected: Proposals and reflections that were rejected.
        explicit: Things the human asked to remember.
        last_costs: Tokens granted and used in the last cycles, oldest first.
        failed: Cycles that a guard refused.
    """

    episodes: int = 0
    usual: float = 0.0
    corrections: int = 0
    reverts: int = 0
    rejected: int = 0
    explicit: int = 0
    last_costs: tuple[tuple[int, int], ...] = ()
    failed: int = 0


_TOOK_BACK = re.compile(r"took back (?:reflection )?([\w.-]+)")


def signals_from(entries: Sequence[LogEntry], since: datetime) -> Signals:
    """What history tells of the time after a moment; the other figures stay 0.

    A revert counts unless it names a change that the human made. A page counts as
    corrected once, when the human edits or deletes what an agent wrote last. Facts
    that the human had an agent replace do not count: the world may have changed.

    Args:
        entries: Changes in any order; those before the moment tell who wrote what.
        since: The last reflection.
    """
    told = sorted(entries, key=lambda entry: entry.at)
    new = [entry for entry in told if entry.at > since]
    own = {entry.commit[:10] for entry in told if entry.actor.human}
    return Signals(
        corrections=sum(at > since for at in _corrections(told)),
        reverts=sum(_takes_back(entry, own) for entry in new),
        rejected=sum(_rejects(entry) for entry in new),
        explicit=sum(entry.actor == REMEMBER for entry in new),
    )


def _takes_back(entry: LogEntry, own: set[str]) -> bool:
    if not entry.actor.human or not entry.lines:
        return False
    first = entry.lines[0]
    named = _TOOK_BACK.match(first.summary)
    return first.action is Action.REVERT and not (named and named[1] in own)


def _rejects(entry: LogEntry) -> bool:
    """A proposal the human rejected, or a reflection.

    A reflection that was approved may reject a proposal too; its commit then opens
    with something else.
    """
    wanted = entry.actor.human or entry.actor.session
    return bool(wanted and entry.lines and entry.lines[0].action is Action.REJECT)


def _corrections(told: Iterable[LogEntry]) -> Iterator[datetime]:
    """When the human changed what an agent had written last."""
    by_agent: dict[str, bool] = {}
    for entry in told:
        if entry.actor.tag.startswith("system:"):
            continue
        for line in entry.lines:
            known = line.path == layout.CORE or line.path.startswith(layout.ENTITIES)
            changes = line.action in {Action.EDIT, Action.DELETE}
            if known and entry.actor.human and changes and by_agent.get(line.path):
                yield entry.at
            by_agent[line.path] = not entry.actor.human


# --- what is asked for ---------------------------------------------------------


def make_request(
    number: int, day: date, baseline: int, signals: Signals
) -> TokenRequest:
    """Ask for tokens, with reasons that only say what was counted.

    Args:
        number: Which reflection.
        day: The day it is asked on, in the user's zone.
        baseline: Tokens of an ordinary one.
        signals: What happened since the last.
    """
    extra = _within(_for_more(baseline, signals), baseline)
    asked = baseline + sum(each.tokens for each in extra)
    # What is asked for must be a number that can be given.
    room = min(baseline // 2, max(0, asked - FEWEST))
    penalty = _within(_for_less(baseline, signals), room)
    if number == 1:
        words = "the first reflection: there is nothing to compare it with"
        extra = (Reason(words, 0), *extra)
    return TokenRequest(number, day, baseline, extra, penalty)


def _for_more(baseline: int, signals: Signals) -> Iterator[Reason]:
    new, usual = signals.episodes, signals.usual
    if usual > 0 and new >= 1.5 * usual and new - usual >= 3:
        words = f"{new:,} episodes against the usual {_figure(usual)}"
        yield Reason(words, int(min(new / usual - 1, 4) * baseline / 8))
    granted, used = signals.last_costs[-1] if signals.last_costs else (0, 0)
    if granted > 0 and used >= 0.95 * granted:
        words = f"the last reflection used {used:,} of the {granted:,} tokens it had"
        yield Reason(words, baseline // 4)
    if signals.explicit >= 5:
        words = f"{signals.explicit:,} things I was asked to remember"
        yield Reason(words, min(signals.explicit * baseline // 80, baseline // 4))


def _for_less(baseline: int, signals: Signals) -> Iterator[Reason]:
    for count, what, done in (
        (signals.reverts, "changes", "taken back"),
        (signals.corrections, "pages", "corrected by hand"),
        (signals.rejected, "proposals", "rejected"),
        (signals.failed, "reflections", "refused by a guard"),
    ):
        if count > 0:
            words = f"{count:,} of my {what} {'was' if count == 1 else 'were'} {done}"
            yield Reason(words, count * baseline // 16)
    last_two = signals.last_costs[-2:]
    if len(last_two) == 2 and all(used < granted / 2 for granted, used in last_two):
        words = "the last two reflections used under half of what they were given"
        yield Reason(words, baseline // 8)


def _figure(number: float) -> str:
    return f"{number:,.1f}".removesuffix(".0")


def _within(reasons: Iterable[Reason], most: int) -> tuple[Reason, ...]:
    """The reasons in round hundreds, together no more than that."""
    left = most // 100 * 100
    kept = []
    for reason in reasons:
        tokens = min(max(100, round(reason.tokens / 100) * 100), left)
        left -= tokens
        if tokens:
            kept.append(Reason(reason.words, tokens))
    return tuple(kept)


COSTS = "last_cycles"
"""The key of the token economy that lists what the last cycles got and used."""

_REWARD = "reward"


class _Reward(msgspec.Struct):
    request: TokenRequest
    grant: Grant


EVER = datetime.min.replace(tzinfo=UTC)
FURTHER = timedelta(days=30)

_EPISODES = re.compile(r"(\d+) episodes?\b")


def gather_signals(
    house: House, sleep: Sleep, waiting: int, since: datetime | None
) -> Signals:
    """What really happened since the last reflection, in figures."""
    moment = since or EVER
    # Who wrote a page before it was corrected stands further back.
    back = moment - FURTHER if since else moment
    entries = list(takewhile(lambda entry: entry.at > back, house.ledger.history()))
    log = parse_log(sleep.text(layout.REFLECTION_LOG))
    usual = [
        int(found[1])
        for entry in log.entries[-10:]
        if (found := _EPISODES.search(entry.operational))
    ]
    costs = dict(sleep.tracked().economy).get(COSTS)
    return replace(
        signals_from(entries, moment),
        episodes=waiting,
        usual=sum(usual) / len(usual) if usual else 0.0,
        last_costs=read_costs(costs),
    )


def read_costs(value: object) -> tuple[tuple[int, int], ...]:
    """What the last cycles were granted and used; nothing of what is no such list."""
    pairs = value if isinstance(value, list) else []
    return tuple(
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list)
        and len(pair) == 2
        and all(type(number) is int and number >= 0 for number in pair)
    )


class FilesIn(Container[str]):
    """The names of files in a folder, asked for one by one."""

    def __init__(self, house: House, folder: str) -> None:
        self._read = house.ledger.read
        self._folder = folder

    def __contains__(self, name: object) -> bool:
        return self._read(f"{self._folder}/{name}") is not None


def rewarded(sleep: Sleep, number: int) -> Grant | None:
    """The token decision of a reflection as it is written down; None if it is not."""
    reward = _logged(sleep, number)
    return _grant_of(reward) if reward else None


def _logged(sleep: Sleep, number: int) -> Reward | None:
    for reward in parse_rewards(sleep.text(layout.REWARD_LOG)):
        if reward.number == number and reward.result in frozenset(Outcome):
            return reward
    return None


def _grant_of(reward: Reward) -> Grant:
    outcome = Outcome(reward.result)
    return Grant(reward.granted, outcome, reward.reason, reward.relayed)


def plan_reward(
    house: House, sleep: Sleep, request: TokenRequest, grant: Grant
) -> tuple[Edit, ...]:
    """Write down what was asked for, and what was given."""
    log = append_reward(sleep.text(layout.REWARD_LOG), request, grant)
    name = archive_name(request.day, FilesIn(house, layout.REWARDS))
    path = f"{layout.REWARDS}/{name}"
    why = f"granted {grant.tokens:,} of {request.final:,} tokens ({grant.outcome})"
    before = dict(sleep.tracked().economy)
    told = {"token_economy": economy(before, request, grant, None)}
    return (
        text_edit(house, layout.REWARD_LOG, log, why),
        text_edit(house, path, render_reward(request, grant), why),
        *scores_edits(house, told),
    )


def keep_reward(sleep: Sleep, request: TokenRequest, grant: Grant) -> None:
    """Keep what was asked for and given, in parts, until the reflection is recorded."""
    sleep.keep(_REWARD, msgspec.json.encode(_Reward(request, grant)))


def kept_reward(sleep: Sleep, number: int) -> tuple[TokenRequest, Grant] | None:
    """What was asked for and given for a reflection, at least as the log sums it up."""
    with suppress(msgspec.MsgspecError):
        kept = msgspec.json.decode(sleep.kept(_REWARD) or b"", type=_Reward)
        if kept.request.number == number:
            return kept.request, kept.grant
    reward = _logged(sleep, number)
    if reward is None:
        return None
    request = TokenRequest(number, reward.day, reward.requested)
    return request, _grant_of(reward)


def scores_edits(
    house: House,
    other: Mapping[str, object],
    traces: Mapping[str, Trace] | None = None,
) -> tuple[Edit, ...]:
    """What the scores shall say: keys beside them, and traces that differ."""
    edits = house.plan_snapshot(traces, other)
    scores = tuple(edit for edit in edits if edit.path == layout.SCORES)
    if not scores:
        raise UnreadableScoresError
    return scores


def text_edit(
    house: House, path: str, text: str, why: str, action: Action | None = None
) -> Edit:
    """A file that shall say something else."""
    old = house.ledger.read(path)
    does = action or (Action.CREATE if old is None else Action.EDIT)
    data = text.encode("utf-8", "surrogateescape")
    return Edit(path, data, checksum(old), does, why)
