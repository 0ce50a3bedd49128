"""The token request, and what became of it."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.sayings import raw_words, words
from tests.strategies import built, days, files

from reverie.model.reflection import Grant, Outcome, Reason, TokenRequest
from reverie.reflection.token_request import (
    append_reward,
    economy,
    parse_rewards,
    render_request,
    render_reward,
    spent,
)
from reverie.workspace.layout import template

REWARD_LOG = template("reward-log")

DAY = date(2026, 2, 16)
tokens = st.integers(0, 10**6)
reasons = st.lists(built(Reason, raw_words, tokens), max_size=3).map(tuple)
requests = built(
    TokenRequest, st.integers(1, 10**6), days, tokens, extra=reasons, penalty=reasons
)
grants = built(Grant, tokens, st.sampled_from(Outcome), words, words)


def test_a_request_reads_as_the_design_shows_it() -> None:
    request = TokenRequest(
        4,
        DAY,
        8000,
        (Reason("Heavy workload — 9 episodes vs normal 3", 2000),),
        (Reason("Gave a wrong date", 500),),
    )

    assert render_request(request) == (
        "## Reflection Request — 2026-02-16\n"
        "### Baseline: 8,000 tokens\n"
        "### Extra Requested: +2,000 tokens\n"
        "**Why I deserve extra:**\n"
        "- Heavy workload — 9 episodes vs normal 3 (+2,000)\n"
        "### Self-Penalty: -500 tokens\n"
        "**Why I'm penalizing myself:**\n"
        "- Gave a wrong date (-500)\n"
        "### Final Request: 9,500 tokens\n"
        "*I want this because I want to grow. Today earned it.*\n"
        "\n---\n\n"
        "*Awaiting your decision.*\n"
    )


def test_a_day_without_fault_has_no_penalty() -> None:
    text = render_request(TokenRequest(4, DAY, 8000))

    assert "### Self-Penalty: -0 tokens\n" in text
    assert "**Why I'm penalizing myself:** No penalty today" in text


def test_the_file_of_a_request_holds_its_outcome() -> None:
    request = TokenRequest(4, DAY, 8000, (Reason("More to read", 2000),))
    grant = Grant(5000, Outcome.REDUCED, "short on time\n## Outcome", "claude")

    text = render_reward(request, grant)

    assert text.startswith(render_request(request))
    assert text.removeprefix(render_request(request)) == (
        "\n## Outcome\n"
        "- Requested: 8,000 + 2,000 - 0 = 10,000 tokens\n"
        "- Result: reduced, 5,000 tokens\n"
        "- Reason: short on time ## Outcome\n"
        "- Relayed by: claude\n"
    )


@given(requests, grants)
def test_no_reason_forges_an_outcome(request: TokenRequest, grant: Grant) -> None:
    lines = render_reward(request, grant).split("\n")

    assert [line for line in lines if line.startswith("## ")] == [
        f"## Reflection Request — {request.day}",
        "## Outcome",
    ]
    assert len([line for line in lines if line.startswith("### ")]) == 4


@given(files, requests, grants)
def test_what_is_logged_is_read_back(
    text: str, request: TokenRequest, grant: Grant
) -> None:
    after = append_reward(text, request, grant)

    asked = TokenRequest(request.number, request.day, request.final)
    assert list(parse_rewards(after)) == [(asked, grant)]
    assert after.startswith(text if text.strip() else "# Reward Log\n")


def test_rewards_stand_in_the_order_they_were_given() -> None:
    text = REWARD_LOG
    for number in (1, 2):
        grant = Grant(8000, Outcome.APPROVED)
        text = append_reward(text, TokenRequest(number, DAY, 8000), grant)

    assert [each.number for each, _ in parse_rewards(text)] == [1, 2]
    assert text.startswith(REWARD_LOG)


def test_numbers_typed_by_hand_are_taken_with_a_grain_of_salt() -> None:
    text = "## Reflection #1 — 2026-02-16\n- Requested: lots\n- Granted: 9,000\n"
    text += "- Result: bonus\n"

    asked, given = TokenRequest(1, DAY, 0), Grant(9000, Outcome.BONUS)
    assert list(parse_rewards(text)) == [(asked, given)]


@given(files)
def test_any_reward_log_can_be_read(text: str) -> None:
    assert not list(parse_rewards(text))


def test_the_economy_adds_up() -> None:
    request = TokenRequest(4, DAY, 8000, (Reason("More to read", 2000),))
    once = economy({"kept": "mine"}, request, Grant(10_000, Outcome.APPROVED))
    twice = economy(spent(once, 700), request, Grant(5000, Outcome.REDUCED))
    twice = spent(twice, 300)

    assert once["total_used"] == 0
    assert twice == {
        "kept": "mine",
        "baseline": 8000,
        "requests": 2,
        "total_requested": 20_000,
        "total_granted": 15_000,
        "total_used": 1000,
        "last_requested": 10_000,
        "last_granted": 5000,
        "last_result": "reduced",
        "last_used": 300,
        "average_granted": 7500,
    }


def test_garbage_in_the_economy_counts_as_nothing() -> None:
    for garbage in ("many", None, -3, 2.5, True, [1], 10**30):
        _counts_as_nothing(garbage)


def _counts_as_nothing(garbage: object) -> None:
    keys = ("requests", "total_requested", "total_granted", "total_used")
    before = dict.fromkeys(keys, garbage)

    granted = Grant(8000, Outcome.APPROVED)
    after = spent(economy(before, TokenRequest(4, DAY, 8000), granted), 9)

    assert [after[key] for key in keys] == [1, 8000, 8000, 9]
