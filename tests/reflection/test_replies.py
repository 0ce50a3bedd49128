"""The commands with which a person answers a reflection."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import ReverieError
from reverie.model.reflection import (
    Choice,
    Decision,
    Grant,
    Outcome,
    Reason,
    TokenRequest,
    UnknownItemError,
)
from reverie.reflection.replies import (
    Assent,
    CheckedIn,
    Declined,
    UnclearReplyError,
    read_check_in,
    read_decision,
    read_grant,
    understood_decision,
    understood_grant,
)
from reverie.reflection.token_request import GrantSizeError

ASKED = TokenRequest(
    3, date(2026, 2, 5), 8000, (Reason("x", 2000),), (Reason("y", 1000),)
)
"""9,000 tokens."""

# --- check-in ------------------------------------------------------------------


def test_a_yes_begins() -> None:
    for words in ("yes", "Now", "go ahead", "Ja!", "sí", "はい", "好"):
        assert read_check_in(words).reply is Assent.YES


def test_a_later_puts_off() -> None:
    for words in ("later", "not now", "später", "plus tard", "稍后"):
        assert read_check_in(words) == CheckedIn(Assent.LATER, "ask again later")


def test_a_time_says_when_to_ask_again() -> None:
    found = read_check_in("4h")

    assert found.wait == timedelta(hours=4)
    assert found.understood == "ask again in 4 h"


def test_what_is_no_answer_names_the_grammar() -> None:
    for words in ("", "0h", "maybe", "yes or no?", "if you must"):
        with pytest.raises(UnclearReplyError) as caught:
            read_check_in(words)

        assert "4h" in caught.value.advice


# --- tokens --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("Proceed with 9K", Grant(9000, Outcome.APPROVED)),
        (
            "Take 12K, you earned more than you claimed",
            Grant(12_000, Outcome.BONUS, "you earned more than you claimed"),
        ),
        ("5K only, here\u2019s why", Grant(5000, Outcome.REDUCED, "here's why")),
        (
            "Don't penalize yourself, take full baseline",
            Grant(8000, Outcome.PENALTY_REJECTED),
        ),
        (
            "Actually, the outage was worse. 4K only.",
            Grant(4000, Outcome.PENALTY_INCREASED, "the outage"),
        ),
    ],
)  # fmt: skip
def test_the_five_answers_of_the_seed_are_understood(words: str, given: Grant) -> None:
    assert read_grant(words, ASKED) == given


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("grant", Grant(9000, Outcome.APPROVED)),
        ("grant 8,000: enough", Grant(8000, Outcome.REDUCED, "enough")),
        ("bonus 12000", Grant(12_000, Outcome.BONUS)),
        ("less 5k: sloppy", Grant(5000, Outcome.REDUCED, "sloppy")),
        ("no penalty", Grant(10_000, Outcome.PENALTY_REJECTED)),
        ("worse 4000: mail", Grant(4000, Outcome.PENALTY_INCREASED, "mail")),
        ("decline: busy", Declined("busy")),
        ("later", Declined()),
        ("nein", Declined()),
    ],
)  # fmt: skip
def test_each_has_its_command(words: str, given: Grant | Declined) -> None:
    assert read_grant(words, ASKED) == given


def test_no_tokens_follow_from_what_is_none_of_them() -> None:
    for words in (
        "8K if you behave",
        "maybe 8K",
        "8,5K",
        "less 12000",
        "bonus 500",
        "'" * 200_000,
    ):
        with pytest.raises(UnclearReplyError):
            read_grant(words, ASKED)


def test_a_number_nobody_can_give_is_refused_with_what_may_be_meant() -> None:
    with pytest.raises(GrantSizeError) as caught:
        read_grant("grant 8", ASKED)

    assert "Did you mean 8K?" in caught.value.advice


def test_without_a_penalty_there_is_none_to_reject() -> None:
    plain = TokenRequest(3, date(2026, 2, 5), 8000)

    assert read_grant("no penalty", plain) == Grant(8000, Outcome.APPROVED)


def test_what_was_understood_of_tokens_is_told_back() -> None:
    found = read_grant("less 5000: sloppy", ASKED)

    assert understood_grant(found) == "give 5,000 tokens: reduced (“sloppy”)"


# --- the proposal --------------------------------------------------------------


def test_many_changes_in_a_row_are_told_by_the_first_and_the_last() -> None:
    accepted = (*range(1, 21), 23)
    decision = Decision(Choice.CHANGE, accepted, ((7, "x"),))

    told = understood_decision(decision, 26)

    assert (
        told
        == "approve 1 to 6, 7 as “x”, 8 to 20 and 23, leave 21, 22, 24, 25 and 26 out"
    )


def test_what_was_understood_of_a_decision_is_told_back() -> None:
    for words, understood in (
        ("approve", "approve all 4 changes"),
        ("Approve.", "approve all 4 changes"),
        ("approve 1,3", "approve 1 and 3, leave 2 and 4 out"),
        ("partial approve 1, 3", "approve 1 and 3, leave 2 and 4 out"),
        ("approve 1-3", "approve 1, 2 and 3, leave 4 out"),
        ("approve all but 3", "approve 1, 2 and 4, leave 3 out"),
        ('approve 2 as "x."', "approve 2 as “x.”, leave 1, 3 and 4 out"),
        ('approve all, 2 as "x"', "approve all 4 changes, 2 as “x”"),
        ("approve with changes: 2: Faro.", "approve all 4 changes, 2 as “Faro.”"),
        ("reject", "reject all 4 changes"),
        ("reject: too solemn!", "reject all 4 changes (“too solemn!”)"),
        ("reject 2: too solemn", "approve 1, 3 and 4, reject 2 (“too solemn”)"),
        ("approved", "approve all 4 changes"),
        ("partial approve: 1", "approve 1, leave 2, 3 and 4 out"),
        ("approve 1, reject 2", "approve 1, reject 2, leave 3 and 4 out"),
        ("approve, reject 2: no", "approve 1, 3 and 4, reject 2 (“no”)"),
        ("approve 1, leave 2 to 4 out", "approve 1, leave 2, 3 and 4 out"),
        (
            'approve 1 as "x, reject 2"',
            "approve 1 as “x, reject 2”, leave 2, 3 and 4 out",
        ),
        (
            "approve 1 as x, reject 2",
            "approve 1 as “x, reject 2”, leave 2, 3 and 4 out",
        ),
    ):
        found = read_decision(words, 4)

        assert found is not None
        assert understood_decision(found, 4) == understood


def test_nothing_is_approved_by_what_is_no_command() -> None:
    for words in (
        *("looks good to me", "approve?", "approve if you are sure", "approve 2: good"),
        *("approve with changes", "partial approve", "approve 3-1", "don't approve"),
        *("approve but not the second", 'approve 1-2 as "x"', "approve and delete all"),
        *("he said approve", "approve 1 or 2", 'approve 2 as "x', "1,3", "approve\x00"),
    ):
        with pytest.raises(UnclearReplyError) as caught:
            read_decision(words, 4)

        assert "approve 1,3" in caught.value.advice


def test_a_number_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownItemError):
        read_decision("approve 1,9", 4)


def test_later_decides_nothing() -> None:
    assert read_decision("later", 4) is None


def test_a_new_text_is_kept_to_the_letter() -> None:
    found = read_decision('approve 1 as "She said: «no» anyway!!"', 1)

    assert found == Decision(Choice.CHANGE, (1,), ((1, "She said: «no» anyway!!"),))


pieces = st.sampled_from(
    ["approve", "reject", "all", "but", "1", "9", "2-3", "as", '"x"', ",", "and", ":"]
)


@given(st.text() | st.lists(pieces, max_size=8).map(" ".join), st.integers(0, 4))
def test_whatever_is_said_names_only_what_is_there(words: str, most: int) -> None:
    try:
        found = read_decision(words, most)
    except ReverieError:
        return
    if found is not None:
        assert {*found.accepted, *dict(found.changes)} <= {*range(1, most + 1)}
        assert understood_decision(found, most)
