"""How many tokens a reflection asks for.

What speaks for more and for less is counted, not felt: every reason holds the figure
it comes from. `replies` reads what its human answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.change import REMEMBER, Action
from reverie.model.reflection import Reason, TokenRequest
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date, datetime

    from reverie.model.change import LogEntry

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
