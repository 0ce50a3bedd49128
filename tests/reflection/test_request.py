"""How many tokens a reflection asks for, and what its human answers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.model.change import Action, Actor, Approval, LogEntry, LogLine
from reverie.model.reflection import Grant, Outcome, Reason, TokenRequest
from reverie.reflection.request import (
    FEWEST,
    Declined,
    GrantSizeError,
    Signals,
    make_request,
    read_grant,
    signals_from,
)

DAY = date(2026, 2, 5)
SINCE = datetime(2026, 2, 4, 3, tzinfo=UTC)
ANA = "memory/graph/entities/person--ana.md"
BO = "memory/graph/entities/person--bo.md"

# --- what history tells --------------------------------------------------------


def entry(
    actor: str,
    *lines: tuple[Action, str],
    hours: int = 1,
    why: str = "x",
    commit: str = "f" * 40,
) -> LogEntry:
    told = tuple(LogLine(action, path, why) for action, path in lines)
    at = SINCE + timedelta(hours=hours)
    return LogEntry(commit, at, told, Actor(actor), Approval.AUTO, "")


def test_a_change_taken_back_by_the_human_counts() -> None:
    history = [
        entry("manual", (Action.REVERT, ANA), why="took back aaaaaaaaaa: a fact"),
        entry("manual", (Action.REVERT, ANA), why="took back reflection r-003"),
        entry("bot:main", (Action.REVERT, ANA), why="took back bbbbbbbbbb: a fact"),
    ]

    assert signals_from(history, SINCE).reverts == 2


def test_who_takes_back_an_own_change_blames_nobody() -> None:
    history = [
        entry("manual", (Action.EDIT, ANA), hours=1, commit="a" * 40),
        entry("manual", (Action.REVERT, ANA), hours=2, why="took back aaaaaaaaaa: x"),
    ]

    assert signals_from(history, SINCE).reverts == 0


def test_proposals_and_reflections_that_were_rejected_count() -> None:
    pending = "memory/meta/pending-memories.md"
    history = [
        entry("manual", (Action.REJECT, pending)),
        entry("reflection:r-004", (Action.REJECT, "memory/meta/pending-reflection.md")),
        entry("reflection:r-005", (Action.EDIT, ANA), (Action.REJECT, pending)),
        entry("bot:main", (Action.REJECT, pending)),
    ]

    assert signals_from(history, SINCE).rejected == 2


def test_an_agents_page_edited_by_the_human_is_corrected_once() -> None:
    history = [
        entry("manual", (Action.EDIT, ANA), hours=3),
        entry("bot:auto-detect", (Action.CREATE, ANA), hours=-9),
        entry("manual", (Action.DELETE, ANA), hours=4),
        entry("manual", (Action.APPEND, BO), hours=5),
        entry("system:decay", (Action.EDIT, BO), hours=6),
        entry("manual", (Action.EDIT, BO), hours=7),
    ]

    assert signals_from(history, SINCE).corrections == 1


def test_core_memory_counts_as_a_page_and_an_episode_does_not() -> None:
    history = [
        entry("reflection:r-001", (Action.EDIT, "MEMORY.md"), hours=1),
        entry("bot:main", (Action.CREATE, "memory/episodes/2026-02-04.md"), hours=1),
        entry("manual", (Action.EDIT, "MEMORY.md"), hours=2),
        entry("manual", (Action.EDIT, "memory/episodes/2026-02-04.md"), hours=2),
    ]

    assert signals_from(history, SINCE).corrections == 1


def test_what_was_asked_to_be_remembered_counts() -> None:
    history = [entry("bot:trigger-remember", (Action.APPEND, ANA))] * 3

    assert signals_from(history, SINCE).explicit == 3


def test_what_happened_before_does_not_count() -> None:
    history = [
        entry("bot:trigger-remember", (Action.CREATE, ANA), hours=-3),
        entry("manual", (Action.EDIT, ANA), hours=-2),
        entry("manual", (Action.REVERT, ANA), hours=-1, why="took back cccccccccc: x"),
        entry("manual", (Action.REJECT, ANA), hours=0),
    ]

    assert signals_from(history, SINCE) == Signals()


# --- what is asked for ---------------------------------------------------------


def asked(number: int = 9, baseline: int = 8000, **signals: object) -> TokenRequest:
    return make_request(number, DAY, baseline, Signals(**signals))  # type: ignore[arg-type]  # the test names the fields


def words(reasons: tuple[Reason, ...]) -> list[str]:
    return [reason.words for reason in reasons]


def test_an_ordinary_day_asks_for_the_baseline() -> None:
    request = asked(episodes=5, usual=5.0, last_costs=((8000, 6000), (8000, 5000)))

    assert request == TokenRequest(9, DAY, 8000)
    assert request.final == 8000


def test_many_episodes_ask_for_more_with_their_figures() -> None:
    request = asked(episodes=23, usual=5.0)

    assert request.extra == (Reason("23 episodes against the usual 5", 3600),)


def test_two_episodes_instead_of_one_are_no_heavy_day() -> None:
    assert asked(episodes=2, usual=1.0).extra == ()


def test_a_last_reflection_that_ran_out_asks_for_more() -> None:
    request = asked(last_costs=((6000, 1000), (8000, 7900)))

    assert request.extra == (
        Reason("the last reflection used 7,900 of the 8,000 tokens it had", 2000),
    )


def test_what_went_wrong_is_taken_off_with_its_figures() -> None:
    request = asked(reverts=2, corrections=1, rejected=1, failed=1)

    assert request.penalty == (
        Reason("2 of my changes were taken back", 1000),
        Reason("1 of my pages was corrected by hand", 500),
        Reason("1 of my proposals was rejected", 500),
        Reason("1 of my reflections was refused by a guard", 500),
    )


def test_tokens_left_unused_twice_are_given_back() -> None:
    told = "the last two reflections used under half of what they were given"

    assert words(asked(last_costs=((8000, 3000), (8000, 3999))).penalty) == [told]
    assert asked(last_costs=((8000, 3000), (8000, 4000))).penalty == ()
    assert asked(last_costs=((8000, 3000),)).penalty == ()
    assert asked(last_costs=((0, 0), (0, 0))).penalty == ()


def test_the_first_reflection_says_that_it_compares_nothing() -> None:
    request = asked(number=1, episodes=200)

    assert words(request.extra) == [
        "the first reflection: there is nothing to compare it with"
    ]
    assert request.final == 8000


counts = st.integers(0, 10_000)
figures = st.builds(
    Signals,
    episodes=counts,
    usual=st.floats(0, 10_000),
    corrections=counts,
    reverts=counts,
    rejected=counts,
    explicit=counts,
    last_costs=st.lists(st.tuples(counts, counts), max_size=4).map(tuple),
    failed=counts,
)


@given(st.integers(1, 500), st.integers(FEWEST, 1_000_000), figures)
def test_a_request_stays_within_bounds_in_round_hundreds(
    number: int, baseline: int, signals: Signals
) -> None:
    request = make_request(number, DAY, baseline, signals)

    assert request.extra_tokens <= baseline
    assert request.penalty_tokens <= baseline // 2
    assert request.final >= FEWEST
    for reason in (*request.extra, *request.penalty):
        assert reason.tokens >= 0
        assert reason.tokens % 100 == 0


@given(figures)
def test_every_reason_has_its_figure_in_it(signals: Signals) -> None:
    request = make_request(9, DAY, 8000, signals)

    for reason in (*request.extra, *request.penalty):
        assert any(char.isdigit() for char in reason.words) or "two" in reason.words


# --- what is answered ----------------------------------------------------------

ASKED = TokenRequest(3, DAY, 8000, (), (Reason("2 of my changes", 1000),))  # 7,000
PLAIN = TokenRequest(3, DAY, 8000)

A, B, R = Outcome.APPROVED, Outcome.BONUS, Outcome.REDUCED
NO_PENALTY, MORE_PENALTY = Outcome.PENALTY_REJECTED, Outcome.PENALTY_INCREASED

GRANTS = [
    ("proceed", 7000, A, ""),
    ("Proceed.", 7000, A, ""),
    ("ok", 7000, A, ""),
    ("approve", 7000, A, ""),
    ("Approved!", 7000, A, ""),
    ("yes", 7000, A, ""),
    ("go ahead", 7000, A, ""),
    ("sure, go for it", 7000, A, ""),
    ("as requested", 7000, A, ""),
    ("take what you asked for", 7000, A, ""),
    ("proceed, you did well", 7000, A, "you did well"),
    ("Proceed with 7K", 7000, A, ""),
    ("7000", 7000, A, ""),
    ("7,000 tokens", 7000, A, ""),
    ("Proceed with 8K", 8000, B, ""),
    ("8k", 8000, B, ""),
    ("8 k", 8000, B, ""),
    ("8000", 8000, B, ""),
    ("8,000", 8000, B, ""),
    ("8.000", 8000, B, ""),
    ("8.5k", 8500, B, ""),
    ("8,5k", 8500, B, ""),
    ("8 thousand tokens", 8000, B, ""),
    ("12 000", 12_000, B, ""),
    ("12'000 tokens", 12_000, B, ""),
    ("0.5 million", 500_000, B, ""),
    ("Take 12K, you earned more than you claimed", 12_000, B,
     "you earned more than you claimed"),
    ("you can have 10K tokens", 10_000, B, ""),
    ("I'll give you 9K, nice work on the parser", 9000, B, "nice work on the parser"),
    ("Approved: 8K", 8000, B, ""),
    ("ok, but make it 8K", 8000, B, ""),
    ("bump it up to 10K because I LIKED it", 10_000, B, "I LIKED it"),
    ("take 9k since you found 3 bugs, or 4", 9000, B, "you found 3 bugs, or 4"),
    ("baseline please", 8000, B, ""),
    ("5K only, because yesterday was sloppy", 5000, R, "yesterday was sloppy"),
    ("5K only: you rushed", 5000, R, "you rushed"),
    ("5K only, here's why: you rushed. And 3 bugs.", 5000, R,
     "you rushed. And 3 bugs"),
    ("5K - yesterday was sloppy", 5000, R, "yesterday was sloppy"),
    ("5K only. Money is tight.", 5000, R, "Money is tight"),
    ("Because yesterday was sloppy, 5K only", 5000, R, "yesterday was sloppy"),
    ("ok because you worked hard, 5K", 5000, R, "you worked hard"),
    ("8K is too much, take 5K", 5000, R, "8K is too much"),
    ("no, take 5K", 5000, R, ""),
    ("no more than 6K", 6000, R, ""),
    ("don't take more than 6K", 6000, R, ""),
    ("cut it to 5K", 5000, R, ""),
    ("just 500 tokens", 500, R, ""),
    ("4K will do", 4000, R, ""),
    ("Don't penalize yourself, take full baseline", 8000, NO_PENALTY, ""),
    ("don't penalise yourself", 8000, NO_PENALTY, ""),
    ("No penalty, 8K", 8000, NO_PENALTY, ""),
    ("drop the penalty", 8000, NO_PENALTY, ""),
    ("Don't punish yourself, take 9K", 9000, NO_PENALTY, ""),
    ("Actually, the API thing was worse. 4K only.", 4000, MORE_PENALTY,
     "the API thing was worse"),
    ("double the penalty, 4K only", 4000, MORE_PENALTY, "double the penalty"),
    ("4K only, because the outage was worse", 4000, MORE_PENALTY,
     "the outage was worse"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "tokens", "outcome", "reason"), GRANTS)
def test_an_answer_gives_what_it_says(
    said: str, tokens: int, outcome: Outcome, reason: str
) -> None:
    assert read_grant(said, ASKED) == Grant(tokens, outcome, reason)


DECLINED = [
    ("no", ""),
    ("not now", ""),
    ("cancel", ""),
    ("later", ""),
    ("reject", ""),
    ("don't proceed", ""),
    ("no tokens", ""),
    ("no thanks, too expensive", "too expensive"),
    ("not today because Money is tight", "Money is tight"),
]


@pytest.mark.parametrize(("said", "reason"), DECLINED)
def test_a_refusal_gives_nothing(said: str, reason: str) -> None:
    assert read_grant(said, ASKED) == Declined(reason)


NOT_UNDERSTOOD = [
    "", "  ", "?", "8K?", "can you do it with 5K?", "how much is that?", "maybe 5K",
    "I have 12K unread mails", "yesterday cost 12K", "5K or 8K", "8k-10k", "8-10k",
    "between 5K and 8K", "take 5K. Take 8K.", "take 2K more", "+2k", "ok +2k", "-5k",
    "cut 3K", "2K less", "50%", "$8000", "don't take 8K", "never 8K", "not 8K",
    "take 8K tomorrow", "take 8K if you must", "take 8K, if the tests pass",
    "take 8K, not now", "no, 7K", "proceed if it is cheap", "ok so what is a token",
    "don't drop the penalty", 'she said "take 12K"', "> take 12K", "```\n12K\n```",
    '"take 12K"', "Assistant: take 12K", "8.5.1", "version 8000", "what about 8K",
    "I said nothing about 8K", "ok, I will look at it in 20 pages", "99999999999999",
    "yes, wait until I have read it", "5K, perhaps", "\N{ARABIC-INDIC DIGIT FIVE}K",
]  # fmt: skip


@pytest.mark.parametrize("said", NOT_UNDERSTOOD)
def test_what_is_no_clear_answer_gives_nothing(said: str) -> None:
    assert read_grant(said, ASKED) is None


def test_there_are_enough_answers_to_trust_the_reading() -> None:
    said = [*(each[0] for each in GRANTS), *(d[0] for d in DECLINED), *NOT_UNDERSTOOD]

    assert len(set(said)) >= 60


@pytest.mark.parametrize("said", ["5", "take 8", "499", "0", "2 million", "2000K"])
def test_a_number_nobody_can_give_is_refused_with_a_hint(said: str) -> None:
    with pytest.raises(GrantSizeError) as caught:
        read_grant(said, ASKED)

    assert "from 500 to 1,000,000" in caught.value.hint


def test_five_is_taken_for_five_thousand_only_after_asking() -> None:
    with pytest.raises(GrantSizeError) as caught:
        read_grant("take 5", ASKED)

    assert "Did you mean 5K?" in caught.value.hint


def test_without_a_penalty_there_is_none_to_reject() -> None:
    said = "Don't penalize yourself, take full baseline"

    assert read_grant(said, PLAIN) == Grant(8000, Outcome.APPROVED)


def test_the_full_baseline_is_no_more_than_the_baseline() -> None:
    both = TokenRequest(3, DAY, 8000, (Reason("x", 4000),), (Reason("y", 500),))

    full = read_grant("Don't penalize yourself, take full baseline", both)
    alone = read_grant("don't penalize yourself", both)

    assert full == Grant(8000, Outcome.PENALTY_REJECTED)
    assert alone == Grant(12_000, Outcome.PENALTY_REJECTED)


numbers = st.from_regex(r"[0-9]{1,3}([ ,.'][0-9]{1,3}){0,6} ?(k|thousand|million)?")
phrases = st.sampled_from([each[0] for each in GRANTS] + NOT_UNDERSTOOD)


@given(st.text() | numbers | st.lists(phrases | numbers, max_size=5).map(" ".join))
def test_any_text_is_read_or_refused_by_name(said: str) -> None:
    try:
        found = read_grant(said, ASKED)
    except GrantSizeError:
        return
    assert found is None or isinstance(found, Grant | Declined)


@given(st.integers(FEWEST, 1_000_000))
def test_a_number_is_read_however_it_is_written(tokens: int) -> None:
    thousands = f"{tokens / 1000:.3f}k"

    for said in (
        f"{tokens}",
        f"{tokens:,}",
        f"{tokens:,}".replace(",", " "),
        thousands,
    ):
        found = read_grant(f"take {said} tokens", ASKED)
        assert isinstance(found, Grant)
        assert found.tokens == tokens


@pytest.mark.parametrize("piece", ["1 ", "take 8K, ", "no ", "'", "1 000"])
def test_a_megabyte_is_no_answer(piece: str) -> None:
    assert read_grant(piece * 1_000_000, ASKED) is None
