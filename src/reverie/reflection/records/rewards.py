"""The token request and what became of it (reflection v2, "Token Reward System")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.markdown import split_items
from reverie.reflection.records.page import (
    entries_in,
    parse_words,
    render_heading,
    render_words,
    rendered,
    with_entry,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from reverie.model.reflection import Grant, Reason, TokenRequest


LOG_TITLE = "Reward Log"
_MOST = 10**12  # tokens; a larger number was not counted by anybody


class Reward(Struct, frozen=True):
    """One line of the reward log.

    Attributes:
        number: Which reflection.
        day: When its tokens were asked for.
        requested: How many.
        granted: How many it got.
        result: How the two compare, in the words of `Outcome`.
        reason: Why, in the human's words.
        relayed: Who passed the answer on.
    """

    number: int
    day: date
    requested: int
    granted: int
    result: str
    reason: str = ""
    relayed: str = ""


def render_request(request: TokenRequest) -> str:
    """Write the request as its human reads it."""
    why = _why(request.extra, "+", "No extra today — nothing speaks for more.")
    but = _why(request.penalty, "-", "No penalty today — nothing speaks for less.")
    return (
        f"## Reflection Request — {request.day.isoformat()}\n"
        f"### Baseline: {request.baseline:,} tokens\n"
        f"### Extra Requested: +{request.extra_tokens:,} tokens\n"
        f"**Why I deserve extra:**{why}\n"
        f"### Self-Penalty: -{request.penalty_tokens:,} tokens\n"
        f"**Why I'm penalizing myself:**{but}\n"
        f"### Final Request: {request.final:,} tokens\n"
        "*I want this because I want to grow. Today earned it.*\n"
        "\n---\n\n"
        "*Awaiting your decision.*\n"
    )


def _why(reasons: Sequence[Reason], sign: str, none: str) -> str:
    return (
        "".join(
            f"\n- {render_words(each.words)} ({sign}{each.tokens:,})"
            for each in reasons
        )
        or f" {none}"
    )


def render_outcome(request: TokenRequest, grant: Grant) -> list[str]:
    """The lines that say what was asked for, what was given, and why."""
    extra, penalty = request.extra_tokens, request.penalty_tokens
    parts = f"{request.baseline:,} + {extra:,} - {penalty:,} = {request.final:,}"
    return [
        f"- Requested: {parts} tokens",
        f"- Result: {grant.outcome}, {grant.tokens:,} tokens",
        *_why_granted(grant),
    ]


def _why_granted(grant: Grant) -> list[str]:
    return [
        *(f"- Reason: {words}" for words in rendered([grant.reason])),
        *(f"- Relayed by: {words}" for words in rendered([grant.relayed])),
    ]


def render_reward(request: TokenRequest, grant: Grant) -> str:
    """The file of one request: all of it, and what became of it."""
    lines = [render_request(request), "## Outcome", *render_outcome(request, grant)]
    return "\n".join(lines) + "\n"


def append_reward(log_text: str, request: TokenRequest, grant: Grant) -> str:
    """A reward log with one more entry at its end."""
    lines = [
        render_heading(request.number, request.day),
        f"- Requested: {request.final:,} tokens",
        f"- Granted: {grant.tokens:,} tokens",
        f"- Result: {grant.outcome}",
        *_why_granted(grant),
    ]
    return with_entry(log_text, LOG_TITLE, "\n".join(lines) + "\n")


def parse_rewards(log_text: str) -> tuple[Reward, ...]:
    """Read a reward log, whatever else is in it."""
    rewards = []
    for head, section in entries_in(log_text):
        told: dict[str, str] = {}
        for piece in split_items(section.body):
            key, colon, words = piece.text.partition(":")
            if piece.marker and colon:
                told.setdefault(key.strip().casefold(), parse_words(words))
        asked, got = (_tokens(told.get(key, "")) for key in ("requested", "granted"))
        said = (told.get(key, "") for key in ("result", "reason", "relayed by"))
        rewards.append(Reward(head.number, head.day, asked, got, *said))
    return tuple(rewards)


def _tokens(words: str) -> int:
    found = re.match(r"[0-9][0-9,]{0,20}", words)
    return min(int(found[0].replace(",", "")), _MOST) if found else 0


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
        "average_granted": round(granted / requests),
    }


def spent(before: Mapping[str, object], used: int) -> dict[str, object]:
    """The token economy once it is known what a reflection wrote."""
    total = _number(before, "total_used") + max(0, used)
    return {**before, "total_used": total, "last_used": max(0, used)}


def _number(before: Mapping[str, object], key: str) -> int:
    value = before.get(key)
    return value if type(value) is int and 0 <= value <= _MOST else 0
