"""Whether an expected answer is found."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from tests.growth import stays_linear
from tests.reflection.hits import hit
from tests.strategies import lines, texts

from reverie.markdown import one_line
from reverie.model.reflection import Expected, Verdict
from reverie.reflection.trial import compare, found_at

if TYPE_CHECKING:
    from reverie.model.recall import Hit

ALEX = Expected("Where does Alex live?", "Berlin")
DEADLINE = Expected("When is the deadline?", "March 15")
answers = (lines | texts).filter(lambda text: bool(one_line(text)))


def rank(answer: str, *found: str) -> int:
    """Where an answer is found among some texts."""
    return found_at(Expected("Q?", answer), [hit(text) for text in found])


def test_the_first_memory_that_holds_the_answer_counts() -> None:
    assert rank("Berlin", "Alex has a dog.", "Alex lives in Berlin.", "Berlin!") == 2
    assert rank("Berlin", "Alex has a dog.") == 0
    assert rank("Berlin") == 0


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("in the BLUE box", "The box is blue."),
        ("Zürich", "She moved to ZURICH"),
        ("Straße", "an der STRASSE"),
        ("he was running", "They run daily"),
        ("gave up", "has given up"),
        ("\uff11\uff15 March", "on March 15"),
        ("3pm", "at 3 pm sharp"),
        ("2026", "on 2026-02-02"),
        ("2026-02-02", "2026/02/02 at noon"),
        ("1,200 euros", "costs 1200 euro"),
        ("v2.1", "runs V2.1 now"),
        ("京都", "昨日は京都で食べた"),
        ("The Who", "saw the who live"),
        ("🦊", "a fox🦊here"),
        ("not tea", "does not drink tea"),
        ("https://example.org/a", "see https://example.org/a for it"),
    ],
)
def test_an_answer_is_found_however_it_is_written(answer: str, text: str) -> None:
    assert rank(answer, text) == 1


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("March 15", "on March 16"),
        ("March 15", "on March 150"),
        ("15", "15.5 litres"),
        ("3", "costs 3.50"),
        ("14:30", "at 14:31, or 30 past 14"),
        ("2026-02-02", "2026-02-03, and 02 of it"),
        ("10m", "10k"),
        ("12", "1,200"),
        ("1,200", "1 and 200"),
        ("The Who", "the whole"),
        ("is it", "it is"),
        ("blue box", "the blue one"),
        ("not tea", "drinks tea"),
        ("🦊", "a fox"),
    ],
)
def test_what_is_not_the_answer_is_not_taken_for_it(answer: str, text: str) -> None:
    assert rank(answer, text) == 0


def test_one_memory_has_to_hold_all_of_it() -> None:
    assert rank("blue box", "a blue day", "a box") == 0


def test_the_title_counts_and_what_no_longer_holds_does_not() -> None:
    berlin = Expected("Where?", "Alex Berlin")

    assert found_at(berlin, [hit("Lives in Berlin", "Alex")]) == 1
    assert found_at(berlin, [hit("Lives in Hamburg", "Alex", "Lives in Berlin")]) == 0


@pytest.mark.timing
@pytest.mark.parametrize("piece", ["1-", "a", "9", "é1,"])
def test_four_times_the_text_takes_about_four_times_as_long(piece: str) -> None:
    number = count()

    def look(text: str) -> None:
        # What was read once is known; only another text is read again.
        assert rank("Berlin", f"{text} {next(number)}") == 0
        assert rank(text, "Berlin") == 0

    assert stays_linear(look, piece)


@given(answers, answers)
def test_an_answer_is_found_in_itself_whatever_stands_around_it(
    answer: str, other: str
) -> None:
    assert rank(answer, f"{other} . {answer} . {other}") == 1


def test_before_and_after_are_compared_question_by_question() -> None:
    asked: list[tuple[str, str]] = []

    def before(question: str) -> list[Hit]:
        asked.append(("before", question))
        return [hit("Berlin"), hit("March 15")]

    def after(question: str) -> list[Hit]:
        asked.append(("after", question))
        return [hit("March 15")]

    trials = compare([ALEX, DEADLINE], before, after)

    assert [(t.before, t.after, t.verdict) for t in trials] == [
        (1, 0, Verdict.LOST),
        (2, 1, Verdict.EASIER),
    ]
    assert asked == [
        (side, each.question)
        for each in (ALEX, DEADLINE)
        for side in ("before", "after")
    ]
