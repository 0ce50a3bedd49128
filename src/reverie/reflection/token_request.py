"""Token request: how many tokens a reflection asks for, and what was granted.

What speaks for more and for less is counted, not felt: every reason holds the figure
it comes from. `replies` reads what its human answers. Both are written down as
reflection v2, "Token Reward System", has it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import count, takewhile
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.ledger.audit_log import CRITICAL_MARK
from reverie.markdown import split_items
from reverie.model.change import REMEMBER, USER_SAID, Action
from reverie.model.reflection import Grant, Outcome, Reason, TokenRequest
from reverie.reflection import records
from reverie.reflection.log import parse_log
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date

    from reverie.model.change import Edit, LogEntry
    from reverie.reflection.cycle import CycleStore, Study

_TOOK_BACK = re.compile(
    rf"(?:{CRITICAL_MARK})?took back (?:reflection )?([\w.-]+(?:, [0-9a-f]{{10}})*)"
)
_EPISODES = re.compile(r"(\d+) episodes?\b")

FEWEST, MOST = 500, 1_000_000
"""Tokens that one reflection can be given."""

FURTHER = timedelta(days=30)
"""So far before the last reflection it is looked up who wrote a page."""

THRIFTY = 0.6
"""Who needed no more than so much of a grant was thrifty, and that is rewarded."""

LOG_TITLE = "Reward Log"
_MOST_COUNTED = 10**12  # tokens; a larger number was not counted by anybody


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
        explicit: Messages in which the user asked to remember something.
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

    A revert counts unless it names a change that the human made. One of a rejection
    does not count, and neither does that rejection. A page counts as
    corrected once, when the human edits or deletes what an agent wrote last. Facts
    that the human had an agent replace do not count: the world may have changed.

    Args:
        entries: Changes in any order; those before the moment tell who wrote what.
        since: The last reflection.
    """
    told = sorted(entries, key=lambda entry: entry.at)
    own = {entry.commit[:10] for entry in told if entry.actor.human}
    rejections, withdrawn = list[str](), set[str]()
    corrections = reverts = explicit = 0
    by_agent: dict[str, bool] = {}
    for entry in told:
        human, new = entry.actor.human, entry.at > since
        first = entry.lines[0] if entry.lines else None
        # An agent signs so too when it stores something of its own accord.
        asked = entry.actor == REMEMBER and entry.trigger.startswith(USER_SAID)
        explicit += new and asked
        if new and first and first.action is Action.REVERT and human:
            named = _TOOK_BACK.match(first.summary)
            names = set(named[1].split(", ") if named else ())
            withdrawn |= names
            reverts += not names or not names <= own.union(rejections)
        # A reflection that was approved may reject a proposal too; its commit then
        # opens with something else.
        if new and first and (human or entry.actor.session):
            rejections += [entry.commit[:10]] * (first.action is Action.REJECT)
        for line in () if entry.actor.tag.startswith("system:") else entry.lines:
            known = line.path == layout.CORE or line.path.startswith(layout.ENTITIES)
            changes = known and line.action in {Action.EDIT, Action.DELETE}
            corrections += new and human and changes and by_agent.get(line.path, False)
            by_agent[line.path] = not human
    rejected = sum(commit not in withdrawn for commit in rejections)
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
        last_cost=(
            _number(tracked.economy, "last_granted"),
            _number(tracked.economy, "last_used"),
        ),
        failed=failed,
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
    elif 0 < used <= THRIFTY * granted and not (signals.rejected or signals.reverts):
        words = f"the last reflection needed only {used:,} of {granted:,} tokens"
        yield Reason(f"{words}, and nothing of it was taken back", baseline // 16)
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


# --- how it is written down ----------------------------------------------------


def render_request(request: TokenRequest) -> str:
    """Write the request as its human reads it."""
    why = _why(request.extra, "+", "No extra today — nothing speaks for more.")
    but = _why(request.penalty, "-", "No penalty today — nothing speaks for less.")
    earned = " Today earned it." if request.extra_tokens else ""
    return (
        f"## Reflection Request — {request.day.isoformat()}\n"
        f"### Baseline: {request.baseline:,} tokens\n"
        f"### Extra Requested: +{request.extra_tokens:,} tokens\n"
        f"**Why I deserve extra:**{why}\n"
        f"### Self-Penalty: -{request.penalty_tokens:,} tokens\n"
        f"**Why I'm penalizing myself:**{but}\n"
        f"### Final Request: {request.final:,} tokens\n"
        f"*I want this because I want to grow.{earned}*\n"
        "\n---\n\n"
        "*Awaiting your decision.*\n"
    )


def _why(reasons: Sequence[Reason], sign: str, none: str) -> str:
    return (
        "".join(
            f"\n- {records.render_words(each.words)} ({sign}{each.tokens:,})"
            for each in reasons
        )
        or f" {none}"
    )


def outcome(request: TokenRequest, grant: Grant) -> list[str]:
    """What was asked for, what was given, and why, one line each."""
    extra, penalty = request.extra_tokens, request.penalty_tokens
    parts = f"{request.baseline:,} + {extra:,} - {penalty:,} = {request.final:,}"
    given = f"Result: {grant.outcome}, {grant.tokens:,} tokens"
    return [f"Requested: {parts} tokens", given, *_why_granted(grant)]


def _why_granted(grant: Grant) -> list[str]:
    said = {"Reason": grant.reason, "Relayed by": grant.relayed}
    return [
        f"{key}: {word}"
        for key, text in said.items()
        for word in records.rendered([text])
    ]


def render_reward(request: TokenRequest, grant: Grant) -> str:
    """The file of one request: all of it, and what became of it."""
    return f"{render_request(request)}\n## Outcome\n{_list(outcome(request, grant))}"


def append_reward(log_text: str, request: TokenRequest, grant: Grant) -> str:
    """A reward log with one more entry at its end."""
    lines = [
        f"Requested: {request.final:,} tokens",
        f"Granted: {grant.tokens:,} tokens",
        f"Result: {grant.outcome}",
        *_why_granted(grant),
    ]
    entry = f"{records.render_heading(request.number, request.day)}\n{_list(lines)}"
    return records.with_entry(log_text, LOG_TITLE, entry)


def _list(lines: Iterable[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)


def parse_rewards(text: str) -> list[tuple[TokenRequest, Grant]]:
    """What a reward log says was asked for and given, whatever else is in it."""
    found = []
    for head, section in records.entries_in(text):
        told: dict[str, str] = {}
        for piece in split_items(section.body):
            key, colon, words = piece.text.partition(":")
            if piece.marker and colon:
                told.setdefault(key.strip().casefold(), records.parse_words(words))
        asked, got = (_tokens(told.get(key, "")) for key in ("requested", "granted"))
        if (result := told.get("result", "")) in frozenset(Outcome):
            why = told.get("reason", ""), told.get("relayed by", "")
            grant = Grant(got, Outcome(result), *why)
            found.append((TokenRequest(head.number, head.day, asked), grant))
    return found


def _tokens(words: str) -> int:
    found = re.match(r"[0-9][0-9,]{0,20}", words)
    return min(int(found[0].replace(",", "")), _MOST_COUNTED) if found else 0


def rewarded(store: CycleStore, number: int) -> tuple[TokenRequest, Grant] | None:
    """The token decision of a reflection as the log sums it up; None if it does not."""
    found = parse_rewards(store.text(layout.REWARD_LOG))
    return next((each for each in found if each[0].number == number), None)


def kept_reward(store: CycleStore, number: int) -> tuple[TokenRequest, Grant] | None:
    """What was asked for and given for a reflection, at least as the log sums it up."""
    kept = store.load().reward
    return kept if kept and kept[0].number == number else rewarded(store, number)


def plan_reward(study: Study, request: TokenRequest, grant: Grant) -> tuple[Edit, ...]:
    """Write down what was asked for, and what was given."""
    store = study.store
    log = append_reward(store.text(layout.REWARD_LOG), request, grant)
    path = free_name(study.session.ledger.read, layout.REWARDS, request.day)
    why = f"granted {grant.tokens:,} of {request.final:,} tokens ({grant.outcome})"
    known = economy(store.tracked().economy, request, grant)
    return (
        store.edit(layout.REWARD_LOG, log, why),
        store.edit(path, render_reward(request, grant), why),
        *store.score_edits({"token_economy": known}),
    )


def free_name(read: Callable[[str], bytes | None], folder: str, day: date) -> str:
    """A path for a new file of a day: the day, or the day and a number."""
    names = (f"{folder}/{day}{f'-{n}' if n > 1 else ''}.md" for n in count(1))
    return next(path for path in names if read(path) is None)


# --- the economy -------------------------------------------------------------


def economy(
    before: Mapping[str, object], request: TokenRequest, grant: Grant
) -> dict[str, object]:
    """The token economy of `decay-scores.json` after one more request.

    Args:
        before: What it said; what is no number there counts as none.
        request: What was asked for.
        grant: What was given.
    """
    requests = _number(before, "requests") + 1
    granted = _number(before, "total_granted") + grant.tokens
    return {
        **before,
        "baseline": request.baseline,
        "requests": requests,
        "total_requested": _number(before, "total_requested") + request.final,
        "total_granted": granted,
        "total_used": _number(before, "total_used"),
        "last_requested": request.final,
        "last_granted": grant.tokens,
        "last_result": str(grant.outcome),
        "last_used": 0,
        "average_granted": round(granted / requests),
    }


def spent(before: Mapping[str, object], used: int) -> dict[str, object]:
    """The token economy once it is known what a reflection wrote."""
    total = _number(before, "total_used") + max(0, used)
    return {**before, "total_used": total, "last_used": max(0, used)}


def _number(before: Mapping[str, object], key: str) -> int:
    value = before.get(key)
    return value if type(value) is int and 0 <= value <= _MOST_COUNTED else 0
