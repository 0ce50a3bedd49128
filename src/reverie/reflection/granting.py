"""Tokens for a reflection: what speaks for more or less, and what was given."""

from __future__ import annotations

import re
from collections.abc import Container
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING

import msgspec

from reverie.encoding.pins import UnreadableScoresError
from reverie.model.change import Action, Edit, checksum
from reverie.model.reflection import Grant, Outcome, TokenRequest
from reverie.reflection.records.archive import archive_name
from reverie.reflection.records.log import parse_log
from reverie.reflection.records.rewards import (
    append_reward,
    economy,
    parse_rewards,
    render_reward,
)
from reverie.reflection.request import Signals, signals_from
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.decay import Trace
    from reverie.reflection.records.rewards import Reward
    from reverie.reflection.sleeping import Sleep
    from reverie.session.session import House

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
