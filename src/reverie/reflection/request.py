"""How many tokens a reflection asks for, and what its human answers.

What speaks for more and for less is counted, not felt: every reason holds the figure
it comes from. An answer in plain words becomes a number, or is asked for again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.change import REMEMBER, Action
from reverie.model.reflection import Grant, Outcome, Reason, TokenRequest
from reverie.reflection.replies import (
    LONGEST,
    Clause,
    Reply,
    clauses,
    hear,
    read_reply,
    remark_of,
)
from reverie.reflection.wording import Wording, one_of
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


# --- what was answered ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Declined:
    """No tokens, and no reflection now; the reason in the human's words."""

    reason: str = ""


_AMOUNT = Wording(
    r"(?<![\w.,$\u20ac\u00a3+%#'-])"
    r"(?P<number>[0-9]{1,3}(?:[, '][0-9]{3}){1,3}|[0-9]{1,9}(?:[.,][0-9]{1,3})?)"
    r"(?:\s?(?P<unit>k|thousand|million)\b)?(?![\w%]|[.,]?[0-9]|\s?-\s?[0-9])"
)
_GIVING = """
    ok okay yes yeah yep sure fine alright right proceed go ahead with take use have you
    can may get give grant granted approve approved for it at make up to only just let's
    let say do a an the full whole please here's here are spend allow limit cap capped
    max maximum most then actually that's that be this time today all tokens token as
    instead well now reflect start tops total in of baseline good great thanks thank run
    and but requested asked budget amount yourself
"""
_GIVEN = frozenset(_GIVING.split())
_TURNS = Wording(
    r"\b"
    + one_of(
        "i(?:'ll| will| can)? (?:give|grant|approve|allow), i'd say, no more than",
        "not more than, (?:don't|do not) (?:take|use|spend) more than, the limit is",
        "(?:is|are|will be|should be) (?:enough|fine|ok|okay|plenty), and no more",
        "(?:will|should) (?:do|suffice), (?:cut|reduce|lower|bring) (?:it |that )?"
        "(?:down )?to, (?:raise|bump|increase) (?:it |that )?(?:up )?to",
    )
    + r"\b"
)
_NO_PENALTY = Wording(
    r"\b"
    + one_of(
        "(?:don't|do not|no need to|stop|never|not) (?:penali[sz]e|penali[sz]ing"
        "|punish|punishing)(?: yourself)?, no (?:self-)?penalty(?: needed| today)?",
        "without (?:the |a |any )?(?:self-)?penalty, (?:drop|skip|waive|remove|forget"
        "|ignore|reject) (?:the|that|your) (?:self-)?penalty",
    )
    + r"\b"
)
_WORSE = Wording(
    r"\b(?:worse|worst|harsher|(?:bigger|larger|higher|more|double|increase|raise)\s+"
    r"(?:the\s+|your\s+|a\s+)?(?:self-)?penalty|penali[sz]e\s+yourself\s+more)\b"
)
_DOUBT = Wording(
    r"\b(?:if|unless|until|once|or|wait|maybe|perhaps|depends?|provided)\b|\0"
)
_CAUSES = ("because", "cause", "cuz", "since", "here's why")
_NO_ALONE = frozenset(("no", "nope", "nah"))


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer taken apart: what gives, what is said besides, and the reason."""

    giving: tuple[Clause, ...]
    besides: tuple[Clause, ...]
    reason: tuple[Clause, ...]

    @property
    def amounts(self) -> set[int]:
        return {each for clause in self.giving for each in _amounts(clause.text)}

    def gives(self, pattern: Wording | str) -> bool:
        """Whether the part that gives has such words."""
        wording = Wording(pattern) if isinstance(pattern, str) else pattern
        return any(wording.search(clause.text) for clause in self.giving)


def read_grant(words: str, request: TokenRequest) -> Grant | Declined | None:
    """What the human answers to a request; None if it is not understood.

    Raises:
        GrantSizeError: The number is none that a reflection can be given.
    """
    if len(words) > LONGEST:
        return None
    said = clauses(words)
    if any(each.stop == "?" for each in said) or words.rstrip()[-1:] == "?":
        return None
    answer = _apart(said)
    tokens = _tokens(answer, request)
    if tokens is None:
        return None if answer.amounts else _without_number(words, request)
    if _in_doubt(answer) or (tokens == request.final and _says_no(answer)):
        return None
    if not FEWEST <= tokens <= MOST:
        raise GrantSizeError(tokens)
    outcome = _outcome(tokens, request, answer, said)
    kept = [each for each in answer.besides if each.text.strip() not in _SILENT]
    return Grant(tokens, outcome, remark_of(words, [*kept, *answer.reason]))


_SILENT = _NO_ALONE | {"actually", "well", "hm", "hmm", "oh"}


def _apart(said: Sequence[Clause]) -> _Answer:
    giving: list[Clause] = []
    besides: list[Clause] = []
    for number, clause in enumerate(said):
        cause = clause.stop == ":" or clause.text.strip().startswith(_CAUSES)
        if cause and any(_AMOUNT.search(each.text) for each in giving):
            return _Answer(tuple(giving), tuple(besides), tuple(said[number:]))
        (giving if _is_giving(clause.text) else besides).append(clause)
    return _Answer(tuple(giving), tuple(besides), ())


def _is_giving(text: str) -> bool:
    """Whether a clause holds nothing but words that give."""
    for wording in (_AMOUNT, _TURNS, _NO_PENALTY):
        text = _without(wording, text)
    return _GIVEN.issuperset(text.split())


def _without(wording: Wording, text: str) -> str:
    pieces, at = [], 0
    for found in wording.finditer(text):
        pieces.append(text[at : found.start()])
        at = found.end()
    return " ".join((*pieces, text[at:]))


def _amounts(text: str) -> Iterator[int]:
    for found in _AMOUNT.finditer(text):
        yield _amount(found["number"], found["unit"] or "")


def _amount(number: str, unit: str) -> int:
    """`8,000`, `12 000`, `8.5` with its unit; `8.000` alone is eight thousand."""
    grouped = re.fullmatch(r"[0-9]{1,3}(?:[, '][0-9]{3})+", number)
    if grouped and not (unit and number.count(",") == 1):
        plain = re.sub(r"[, ']", "", number)
    elif not unit and re.fullmatch(r"[0-9]{1,3}\.[0-9]{3}", number):
        plain = number.replace(".", "")
    else:
        plain = number.replace(",", ".")
    times = {"k": 1000, "thousand": 1000, "million": 1_000_000}
    return round(float(plain) * times.get(unit, 1))


def _tokens(answer: _Answer, request: TokenRequest) -> int | None:
    """How many are given in so many words; None if no number follows from them."""
    if answer.amounts:
        return next(iter(answer.amounts)) if len(answer.amounts) == 1 else None
    others = (*answer.besides, *answer.reason)
    if any(re.search(r"[0-9]", each.text) for each in others):
        return None
    if answer.gives(r"\bbaseline\b"):
        return request.baseline
    if answer.gives(_NO_PENALTY):
        return request.baseline + request.extra_tokens
    return None


def _in_doubt(answer: _Answer) -> bool:
    """Whether something besides takes back, or puts off, what is given."""
    for clause in answer.besides:
        text = clause.text.strip()
        if text in _NO_ALONE:
            continue
        if _DOUBT.search(text) or read_reply(text) in {Reply.NO, Reply.LATER}:
            return True
    return False


def _says_no(answer: _Answer) -> bool:
    return any(clause.text.strip() in _NO_ALONE for clause in answer.besides)


def _without_number(words: str, request: TokenRequest) -> Grant | Declined | None:
    """A plain yes gives what was asked for, a plain no or later nothing."""
    reply, remark = hear(words)
    if reply in {Reply.NO, Reply.LATER}:
        return Declined(remark)
    if reply is not Reply.YES or re.search(r"[0-9]", words):
        return None
    if not FEWEST <= request.final <= MOST:
        raise GrantSizeError(request.final)
    return Grant(request.final, Outcome.APPROVED, remark)


def _outcome(
    tokens: int, request: TokenRequest, answer: _Answer, said: Sequence[Clause]
) -> Outcome:
    rejects = request.penalty_tokens > 0 and answer.gives(_NO_PENALTY)
    if rejects and tokens >= request.baseline:
        return Outcome.PENALTY_REJECTED
    if tokens == request.final:
        return Outcome.APPROVED
    if tokens > request.final:
        return Outcome.BONUS
    worse = any(_WORSE.search(clause.text) for clause in said)
    return Outcome.PENALTY_INCREASED if worse else Outcome.REDUCED
