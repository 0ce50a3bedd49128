"""Token request: how many tokens a reflection asks for, and what was granted.

What speaks for more and for less is counted, not felt: every reason holds the figure
it comes from. `replies` reads what its human answers.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import count, takewhile
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.model.change import REMEMBER, Action
from reverie.model.reflection import Grant, Outcome, Reason, TokenRequest
from reverie.reflection.records import rewards
from reverie.reflection.records.log import parse_log
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date

    from reverie.model.change import Edit, LogEntry
    from reverie.reflection.cycle import CycleStore, Study

_TOOK_BACK = re.compile(r"took back (?:reflection )?([\w.-]+)")
_EPISODES = re.compile(r"(\d+) episodes?\b")

FEWEST, MOST = 500, 1_000_000
"""Tokens that one reflection can be given."""

COSTS = "last_cycles"
"""The key of the token economy that lists what the last cycles got and used."""

FURTHER = timedelta(days=30)
"""So far before the last reflection it is looked up who wrote a page."""


class GrantSizeError(RefusedError):
    """A number of tokens that no reflection can be given."""

    def __init__(self, tokens: int) -> None:
        meant = f" Did you mean {tokens}K?" if 0 < tokens <= 100 else ""
        super().__init__(
            f"a reflection cannot be given {tokens:,} tokens",
            hint=f"Give from {FEWEST:,} to {MOST:,}, such as 8K.{meant}",
        )


# --- what happened -------------------------------------------------------------


class Signals(Struct, frozen=True):
    """What really happened since the last reflection.

    Attributes:
        episodes: New ones.
        usual: New episodes of the last reflections, on average; 0 if unknown.
        corrections: Files an agent had written that the human edited or deleted.
        reverts: Changes of the agent's that the human took back.
        rejected: Proposals and reflections that were rejected.
        explicit: Things the human asked to remember.
        last_cost: Tokens granted and used in the last cycle.
        failed: Cycles that a guard refused.
    """

    episodes: int = 0
    usual: float = 0.0
    corrections: int = 0
    reverts: int = 0
    rejected: int = 0
    explicit: int = 0
    last_cost: tuple[int, int] = (0, 0)
    failed: int = 0


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
    own = {entry.commit[:10] for entry in told if entry.actor.human}
    corrections = reverts = rejected = explicit = 0
    by_agent: dict[str, bool] = {}
    for entry in told:
        human, new = entry.actor.human, entry.at > since
        first = entry.lines[0] if entry.lines else None
        explicit += new and entry.actor == REMEMBER
        if new and first and first.action is Action.REVERT and human:
            named = _TOOK_BACK.match(first.summary)
            reverts += not (named and named[1] in own)
        # A reflection that was approved may reject a proposal too; its commit then
        # opens with something else.
        if new and first and (human or entry.actor.session):
            rejected += first.action is Action.REJECT
        for line in () if entry.actor.tag.startswith("system:") else entry.lines:
            known = line.path == layout.CORE or line.path.startswith(layout.ENTITIES)
            changes = known and line.action in {Action.EDIT, Action.DELETE}
            corrections += new and human and changes and by_agent.get(line.path, False)
            by_agent[line.path] = not human
    return Signals(
        corrections=corrections, reverts=reverts, rejected=rejected, explicit=explicit
    )


def gather_signals(study: Study, waiting: int, failed: int) -> Signals:
    """What really happened since the last reflection, in figures.

    Args:
        study: The workspace.
        waiting: How many episodes are new.
        failed: How many cycles a guard refused.
    """
    tracked = study.store.tracked()
    moment = tracked.last or datetime.min.replace(tzinfo=UTC)
    # Who wrote a page before it was corrected stands further back.
    back = moment - FURTHER if tracked.last else moment
    history = study.session.ledger.history()
    entries = list(takewhile(lambda entry: entry.at > back, history))
    log = parse_log(study.store.text(layout.REFLECTION_LOG))
    read = (_EPISODES.search(entry.operational) for entry in log.entries[-10:])
    usual = [int(found[1]) for found in read if found]
    return replace(
        signals_from(entries, moment),
        episodes=waiting,
        usual=sum(usual) / len(usual) if usual else 0.0,
        last_cost=(read_costs(tracked.economy.get(COSTS)) or ((0, 0),))[-1],
        failed=failed,
    )


def read_costs(value: object) -> tuple[tuple[int, int], ...]:
    """What the last cycles were granted and used; nothing of what is no such list."""
    pairs = value if isinstance(value, list) else []
    return tuple(
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and [type(n) for n in pair] == [int, int]
    )


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
    counted = {
        "changes {} taken back": signals.reverts,
        "pages {} corrected by hand": signals.corrections,
        "proposals {} rejected": signals.rejected,
        "reflections {} refused by a guard": signals.failed,
    }
    less = [
        Reason(
            f"{n:,} of my {words.format('was' if n == 1 else 'were')}",
            n * baseline // 16,
        )
        for words, n in counted.items()
        if n > 0
    ]
    # What is asked for must be a number that can be given.
    penalty = _within(less, min(baseline // 2, max(0, asked - FEWEST)))
    if number == 1:
        words = "the first reflection: there is nothing to compare it with"
        extra = (Reason(words, 0), *extra)
    return TokenRequest(number, day, baseline, extra, penalty)


def _for_more(baseline: int, signals: Signals) -> Iterable[Reason]:
    new, usual = signals.episodes, signals.usual
    if usual > 0 and new >= 1.5 * usual and new - usual >= 3:
        figure = f"{usual:,.1f}".removesuffix(".0")
        words = f"{new:,} episodes against the usual {figure}"
        yield Reason(words, int(min(new / usual - 1, 4) * baseline / 8))
    granted, used = signals.last_cost
    if granted > 0 and used >= 0.95 * granted:
        words = f"the last reflection used {used:,} of the {granted:,} tokens it had"
        yield Reason(words, baseline // 4)
    if signals.explicit >= 5:
        words = f"{signals.explicit:,} things I was asked to remember"
        yield Reason(words, min(signals.explicit * baseline // 80, baseline // 4))


def _within(reasons: Iterable[Reason], most: int) -> tuple[Reason, ...]:
    """The reasons in round hundreds, together no more than that."""
    left, kept = most // 100 * 100, []
    for reason in reasons:
        tokens = min(max(100, round(reason.tokens / 100) * 100), left)
        left -= tokens
        if tokens:
            kept.append(Reason(reason.words, tokens))
    return tuple(kept)


# --- what was granted ----------------------------------------------------------


def rewarded(store: CycleStore, number: int) -> tuple[TokenRequest, Grant] | None:
    """The token decision of a reflection as the log sums it up; None if it does not."""
    for reward in rewards.parse_rewards(store.text(layout.REWARD_LOG)):
        if reward.number == number and reward.result in frozenset(Outcome):
            outcome = Outcome(reward.result)
            grant = Grant(reward.granted, outcome, reward.reason, reward.relayed)
            return TokenRequest(number, reward.day, reward.requested), grant
    return None


def kept_reward(store: CycleStore, number: int) -> tuple[TokenRequest, Grant] | None:
    """What was asked for and given for a reflection, at least as the log sums it up."""
    kept = store.load().reward
    return kept if kept and kept[0].number == number else rewarded(store, number)


def plan_reward(study: Study, request: TokenRequest, grant: Grant) -> tuple[Edit, ...]:
    """Write down what was asked for, and what was given."""
    store = study.store
    log = rewards.append_reward(store.text(layout.REWARD_LOG), request, grant)
    path = free_name(study.session.ledger.read, layout.REWARDS, request.day)
    why = f"granted {grant.tokens:,} of {request.final:,} tokens ({grant.outcome})"
    economy = rewards.economy(store.tracked().economy, request, grant)
    return (
        store.edit(layout.REWARD_LOG, log, why),
        store.edit(path, rewards.render_reward(request, grant), why),
        *store.score_edits({"token_economy": economy}),
    )


def free_name(read: Callable[[str], bytes | None], folder: str, day: date) -> str:
    """A path for a new file of a day: the day, or the day and a number."""
    names = (f"{folder}/{day}{f'-{n}' if n > 1 else ''}.md" for n in count(1))
    return next(path for path in names if read(path) is None)
