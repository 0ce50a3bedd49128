"""How many tokens a reflection asks for."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.strategies import built

from reverie.model.change import Action, Actor, Approval, LogEntry, LogLine
from reverie.model.reflection import Reason, TokenRequest
from reverie.reflection.token_request import (
    FEWEST,
    Signals,
    free_name,
    make_request,
    render_request,
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


@pytest.mark.parametrize("mark", ["", "⚠️ CRITICAL: "])
def test_who_takes_back_an_own_change_blames_nobody(mark: str) -> None:
    why = f"{mark}took back aaaaaaaaaa: x"
    history = [
        entry("manual", (Action.EDIT, ANA), hours=1, commit="a" * 40),
        entry("manual", (Action.REVERT, ANA), hours=2, why=why),
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


def test_a_rejection_that_was_undone_does_not_count() -> None:
    pending = "memory/meta/pending-reflection.md"
    undone = "took back aaaaaaaaaa: reflection #4 rejected"
    history = [
        entry("reflection:r-004", (Action.REJECT, pending), commit="a" * 40),
        entry("manual", (Action.REVERT, pending), hours=2, why=undone),
        entry("reflection:r-004", (Action.REJECT, pending), hours=3, commit="b" * 40),
    ]

    found = signals_from(history, SINCE)

    assert (found.rejected, found.reverts) == (1, 0)


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
    stored = entry("bot:trigger-remember", (Action.APPEND, ANA))
    asked = replace(stored, trigger='user said "remember that"')

    assert signals_from([stored, asked, stored, asked], SINCE).explicit == 2


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
    request = asked(episodes=5, usual=5.0, last_cost=(8000, 5000))

    assert request == TokenRequest(9, DAY, 8000)
    assert request.final == 8000


def test_many_episodes_ask_for_more_with_their_figures() -> None:
    request = asked(episodes=23, usual=5.0)

    assert request.extra == (Reason("23 episodes against the usual 5", 3600),)
    assert asked(episodes=2, usual=1.0).extra == ()


def test_a_last_reflection_that_ran_out_asks_for_more() -> None:
    request = asked(last_cost=(8000, 7900))

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


def test_the_first_reflection_names_no_reason_without_tokens() -> None:
    request = asked(number=1, episodes=200)

    assert request.extra == ()
    assert "(+0)" not in render_request(request)
    assert request.final == 8000


counts = st.integers(0, 10_000)
figures = built(
    Signals,
    episodes=counts,
    usual=st.floats(0, 10_000),
    corrections=counts,
    reverts=counts,
    rejected=counts,
    explicit=counts,
    last_cost=st.tuples(counts, counts),
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
        assert any(char.isdigit() for char in reason.words)


def test_a_second_file_of_a_day_has_a_name_of_its_own() -> None:
    day = date(2026, 2, 3)
    for taken, name in [
        ((), "2026-02-03.md"),
        (("2026-02-03.md",), "2026-02-03-2.md"),
        (("2026-02-03.md", "2026-02-03-2.md", "x.md"), "2026-02-03-3.md"),
        (("2026-02-03-2.md",), "2026-02-03.md"),
    ]:
        held = {f"notes/{each}": b"" for each in taken}
        assert free_name(held.get, "notes", day) == f"notes/{name}"
