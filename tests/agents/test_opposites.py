"""Two short statements: which cannot both hold, by their words alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.clashing_cases import AGAINST, BESIDE, FRESH_AGAINST, FRESH_BESIDE
from tests.agents.clashing_held import HELD_AGAINST, HELD_BESIDE
from tests.agents.clashing_later import (
    LAST_AGAINST,
    LAST_BESIDE,
    LATER_AGAINST,
    LATER_BESIDE,
)
from tests.agents.clashing_more import MORE_AGAINST, MORE_BESIDE
from tests.encoding import claim_pairs
from tests.growth import stays_linear
from tests.strategies import texts

from reverie.agents.opposites import opposes
from reverie.agents.readings import readings
from reverie.encoding.claims import contradicts

statements = st.sampled_from(
    sorted({text for pair in (*AGAINST, *MORE_AGAINST) for text in pair})
)


def why(one: str, other: str) -> str:
    return contradicts(one, other) or opposes(one, other)


def test_what_cannot_both_hold_is_noticed_from_either_side() -> None:
    pairs = (*AGAINST, *FRESH_AGAINST)

    assert [pair for pair in pairs if not why(*pair)] == []
    assert [pair for pair in pairs if not why(*reversed(pair))] == []


def test_what_can_both_hold_is_left_alone() -> None:
    pairs = (*BESIDE, *FRESH_BESIDE)

    assert [pair for pair in pairs if why(*pair) or why(*reversed(pair))] == []


Pairs = tuple[tuple[str, str], ...]


@pytest.mark.parametrize(
    ("against", "beside", "missed", "wrong"),
    [
        pytest.param(MORE_AGAINST, MORE_BESIDE, 0, 0, id="mended for"),
        pytest.param(HELD_AGAINST, HELD_BESIDE, 3, 0, id="held back, then mended for"),
        pytest.param(LATER_AGAINST, LATER_BESIDE, 2, 1, id="later, then mended for"),
        pytest.param(LAST_AGAINST, LAST_BESIDE, 1, 0, id="last, then mended for"),
    ],
)
def test_other_words_for_it_are_mostly_understood(
    against: Pairs, beside: Pairs, missed: int, wrong: int
) -> None:
    assert sum(not why(*pair) for pair in against) <= missed
    assert sum(not why(*reversed(pair)) for pair in against) <= missed
    assert sum(bool(why(*pair) or why(*reversed(pair))) for pair in beside) <= wrong


def test_what_claims_leave_alone_is_left_alone_here() -> None:
    pairs = claim_pairs.BESIDE

    assert [pair for pair in pairs if opposes(*pair) or opposes(*reversed(pair))] == []


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("Tern ships on 4 May", "Tern ships on 9 May", "a different day"),
        ("Tern passed", "Tern failed", "pass against fail"),
        ("Ana owns Tern", "Bo owns Tern", "Ana against Bo"),
        (
            "Tern is signed",
            "Tern has not been signed",
            "one says so, the other denies it",
        ),
        ("Tern is stable", "Tern is unstable", "one word denies the other"),
        ("Ana reports to Bo", "Bo reports to Ana", "the other way round"),
        ("Tern is older than Knot", "Knot is older than Tern", "the other way round"),
    ],
)
def test_the_reason_is_told_in_a_few_words(one: str, other: str, reason: str) -> None:
    assert opposes(one, other) == reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hm.",
        "Is Tern due on Friday?",
        "Tern might be due on Friday",
        "It is due on Friday",
        "> Tern is due on Friday",
        "Tern was due on Friday",
        "Tern is due on Friday or on Monday",
        "x" * 300,
    ],
)
def test_what_is_not_stated_plainly_says_nothing(text: str) -> None:
    assert readings(text) == ()


def test_any_sentence_of_a_text_may_be_the_one() -> None:
    told = "Hello there! Tern is due on Friday. Have fun."

    assert opposes("Good news. Tern is due on Monday.", told)


@given(texts | st.text() | statements)
def test_no_text_opposes_itself(text: str) -> None:
    assert opposes(text, text) == ""


@given(texts | statements, texts | statements)
def test_what_opposes_another_is_opposed_by_it(one: str, other: str) -> None:
    assert bool(opposes(one, other)) is bool(opposes(other, one))


@pytest.mark.timing
@pytest.mark.parametrize(
    "piece",
    [
        "is ",
        "a owns b ",
        "1 ",
        "from x ",
        "May ",
        "on port 1 ",
        " ",
        "x\n",
        "'s ",
        ". ",
    ],
)
def test_long_nonsense_costs_what_its_length_costs(piece: str) -> None:
    def look(text: str) -> object:
        return opposes(text, f"{text} Tern is due on Friday")

    assert look(piece * 100_000) == ""
    assert stays_linear(look, piece)
