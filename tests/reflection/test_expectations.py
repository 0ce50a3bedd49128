"""Questions that must stay answerable: their file, and whether an answer is found."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import days, files, lines, maybe_days, names, texts

from reverie.markdown import one_line
from reverie.model.finding import Severity
from reverie.model.ids import Store
from reverie.model.recall import Hit
from reverie.model.reflection import Expected, Verdict
from reverie.reflection.expectations import (
    TEMPLATE,
    EmptyExpectationError,
    KnownQuestionError,
    UnknownQuestionError,
    add_expected,
    compare,
    found_at,
    from_correction,
    parse_expectations,
    remove_expected,
    same_question,
)
from reverie.workspace.layout import EXPECTATIONS

ALEX = Expected("Where does Alex live?", "Berlin", date(2026, 2, 2))
DEADLINE = Expected("When is the deadline?", "March 15", None, "r-012")
FILE = """\
# Memory Tests

<!-- Questions that must stay answerable; `reverie expect` adds one. Edit freely. -->

## Where does Alex live?
- **Answer**: Berlin
- **Since**: 2026-02-02
- **From**: manual

## When is the deadline?
- **Answer**: March 15
- **From**: r-012
"""


def known(text: str) -> tuple[Expected, ...]:
    """The questions of a file."""
    return parse_expectations(text, EXPECTATIONS)[0]


def problems(text: str) -> list[tuple[int, str]]:
    """What is wrong in a file, and where."""
    return [(f.line, f.what) for f in parse_expectations(text, EXPECTATIONS)[1]]


# --- reading and writing -----------------------------------------------------


def test_a_new_file_explains_itself_and_holds_what_was_added() -> None:
    text = add_expected(add_expected("", ALEX), DEADLINE)

    assert text == FILE
    assert text.startswith(TEMPLATE)
    assert parse_expectations(text, EXPECTATIONS) == ((ALEX, DEADLINE), ())


@pytest.mark.parametrize("text", ["", TEMPLATE, "# Mine\n\nwords\n", "\ufeff"])
def test_a_file_without_questions_has_none_and_nothing_is_wrong(text: str) -> None:
    assert parse_expectations(text, EXPECTATIONS) == ((), ())


def test_fields_may_be_typed_as_people_type_them() -> None:
    typed = "## Where?\n* **from:** r-003\n* **Answer:** in the *blue*\n  box\n"

    assert known(typed) == (Expected("Where?", "in the *blue* box", None, "r-003"),)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("## Where?\n", 1, "'Where?' has no answer"),
        ("x\n## Where?\n- **Answer**:\n", 2, "'Where?' has no answer"),
        ("##\n- **Answer**: x\n", 1, "there is no question in this heading"),
        ("## A\n- **Answer**: x\n- **Since**: May\n", 3, "Since is not a day: 'May'"),
        (
            "## A?\n- **Answer**: x\n## a\n- **Answer**: y\n",
            3,
            "'a' is asked twice; the first one counts",
        ),
        ("<<<<<<< a\n## A\n- **Answer**: x\n", 1, "merge conflict mark"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, what: str) -> None:
    assert problems(text) == [(line, what)]


def test_no_slip_of_a_hand_is_worse_than_a_warning() -> None:
    _, found = parse_expectations("## A\n## B\n- **Answer**: b\n", EXPECTATIONS)

    assert [f.severity for f in found] == [Severity.WARNING]
    assert "- **Answer**" in found[0].mend


def test_a_question_in_a_comment_or_fence_is_none() -> None:
    hidden = "<!--\n## A\n- **Answer**: x\n-->\n```\n## B\n- **Answer**: x\n```\n"

    assert known(hidden) == ()


def test_another_answer_needs_a_word_and_the_old_one_is_gone_then() -> None:
    other = Expected("where does  ALEX live", "Hamburg", date(2026, 3, 1), "r-001")

    with pytest.raises(KnownQuestionError, match="'Berlin' already") as caught:
        add_expected(FILE, other)
    assert "--replace" in caught.value.hint
    text = add_expected(FILE, other, replace=True)
    assert "Berlin" not in text
    assert known(text) == (
        Expected(ALEX.question, "Hamburg", date(2026, 3, 1), "r-001"),
        DEADLINE,
    )


def test_the_same_once_more_changes_nothing() -> None:
    again = Expected("where does alex live", " Berlin\n", date(2027, 1, 1))

    assert add_expected(FILE, again) == FILE
    assert add_expected(FILE, again, replace=True) == FILE


def test_a_question_that_waits_for_its_answer_gets_it_in_its_place() -> None:
    typed = "# Mine\n## Where does Alex live?\n\nI forgot.\n\n## Other\nnotes\n"

    text = add_expected(typed, ALEX)

    assert text == (
        "# Mine\n## Where does Alex live?\n- **Answer**: Berlin\n"
        "- **Since**: 2026-02-02\n- **From**: manual\n\nI forgot.\n\n## Other\nnotes\n"
    )


def test_a_removed_question_leaves_the_others_and_notes_below_it() -> None:
    typed = FILE.replace("manual\n", "manual\n- my own point\n\nAnd a thought.\n", 1)

    text = remove_expected(typed, "where does alex live")

    assert known(text) == (DEADLINE,)
    assert "- my own point\n\nAnd a thought.\n" in text
    assert "Berlin" not in text
    assert remove_expected(text, DEADLINE.question).rstrip("\n").endswith("thought.")


@pytest.mark.parametrize("question", ["Who?", "", "?"])
def test_what_is_not_there_cannot_be_removed(question: str) -> None:
    with pytest.raises(UnknownQuestionError):
        remove_expected(FILE, question)


@pytest.mark.parametrize(
    "empty", [Expected("", "x"), Expected("Who?", " \n"), Expected("?!", "x")]
)
def test_there_is_no_question_without_words_and_none_without_an_answer(
    empty: Expected,
) -> None:
    with pytest.raises(EmptyExpectationError):
        add_expected(FILE, empty)


def test_line_ends_and_the_mark_of_windows_stay() -> None:
    typed = "\ufeff# Mine\r\n\r\n## A\r\n- **Answer**: x\r\n"

    text = add_expected(typed, ALEX)

    assert text.startswith(typed)
    assert "\n" not in text.replace("\r\n", "")
    assert remove_expected(text, "A").startswith("\ufeff# Mine\r\n")
    assert len(known(text)) == 2


# --- hostile words -----------------------------------------------------------

TYPED = [
    *("## A?", "## a", "## B", "## Notes", "## A <!-- mine -->"),
    *("- **Answer**: x", "- **Answer**: y <!-- sure? -->", "- **Answer**:"),
    *("- **Since**: 2026-02-02", "- **Since:** May", "- **From**: r-001"),
    *("  more of it", "- a point of mine", "a thought", ""),
]
neat_files = st.lists(st.sampled_from(TYPED), min_size=3, max_size=14).map(
    lambda parts: "".join(f"{line}\n" for line in parts)
)
typed_files = files | st.tuples(neat_files, files, neat_files).map("".join)
"""Files that a person filled in, as carefully as people are."""

questions = (lines | texts).filter(lambda text: bool(one_line(text).rstrip("?!. ")))
answers = (lines | texts).filter(lambda text: bool(one_line(text)))
expected_ = st.builds(
    Expected, question=questions, answer=answers, since=maybe_days, source=names
)


@given(typed_files, expected_ | st.builds(Expected, st.just("A?"), answers))
def test_whatever_stands_in_a_file_what_is_added_is_read_back(
    text: str, added: Expected
) -> None:
    before = [e for e in known(text) if not same_question(e.question, added.question)]

    fresh = add_expected(text, added, replace=True)

    found = [e for e in known(fresh) if same_question(e.question, added.question)]
    assert [one_line(added.answer)] == [e.answer for e in found]
    assert [e for e in known(fresh) if e not in found] == before


@given(typed_files, st.sampled_from(["A?", "b"]))
def test_what_is_removed_is_gone_and_no_other_question_is(
    text: str, question: str
) -> None:
    before = known(text)
    others = [e for e in before if not same_question(e.question, question)]
    if len(before) > len(others):
        assert known(remove_expected(text, question)) == tuple(others)


@given(neat_files, st.sampled_from(["A?", "b"]))
def test_what_a_person_wrote_below_a_question_outlives_it(
    text: str, question: str
) -> None:
    if not any(same_question(e.question, question) for e in known(text)):
        return
    left = remove_expected(text, question).split("\n")

    for point in ("a thought", "- a point of mine"):
        assert left.count(point) == text.split("\n").count(point)


def test_an_indented_note_does_not_become_part_of_another_answer() -> None:
    typed = "## B\n- **Answer**: x\n## A\n\n  a note\n- **Answer**: y\n"
    bare = "## A\n    a note\n"

    assert known(remove_expected(typed, "A")) == (Expected("B", "x"),)
    assert "\n  a note\n" in remove_expected(typed, "A")
    assert known(add_expected(bare, Expected("A", "y"))) == (Expected("A", "y"),)


@given(files.filter(lambda text: not known(text)), expected_)
def test_what_is_added_and_taken_off_again_leaves_all_that_was_there(
    text: str, added: Expected
) -> None:
    if any(same_question(e, added.question) for e in headings(text)):
        return
    fresh = add_expected(text, added)

    assert fresh.startswith(text)
    (read,) = known(fresh)
    assert read == Expected(
        one_line(added.question),
        one_line(added.answer),
        added.since,
        one_line(added.source),
    )
    left = remove_expected(fresh, added.question)
    assert left.startswith(text)
    rest = left[len(text) :] if text.strip("\ufeff \t\r\n") else ""
    assert not rest.strip()


def headings(text: str) -> list[str]:
    """What a line of a file may ask."""
    return [line[2:] for line in text.split("\n") if line.startswith("##")]


@given(st.lists(expected_, min_size=1, max_size=5), days)
def test_no_words_of_one_question_become_another(
    many: list[Expected], day: date
) -> None:
    text = ""
    for each in many:
        text = add_expected(text, each, replace=True)
    last = {e.question: e for e in known(text)}

    assert parse_expectations(text, EXPECTATIONS)[1] == ()
    for each in many:
        assert any(same_question(each.question, q) for q in last)
    assert len(last) <= len(many)
    more = add_expected(text, Expected("Is it day zero?", "yes", day), replace=True)
    assert len(known(more)) in {len(last), len(last) + 1}


@given(typed_files)
def test_any_file_is_read(text: str) -> None:
    for each in known(text):
        assert each.question == one_line(each.question) != ""
        assert each.answer == one_line(each.answer) != ""


# --- whether an answer is found ----------------------------------------------


def hit(text: str, title: str = "", *outdated: str) -> Hit:
    """A memory that was found."""
    return Hit(
        "entity:x",
        Store.SEMANTIC,
        title,
        text,
        text,
        "p.md",
        1,
        "",
        None,
        0.5,
        (),
        (),
        "active",
        outdated=outdated,
    )


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


@pytest.mark.parametrize(
    "text", ["1-" * 500_000, "a" * 1_000_000, "9" * 1_000_000, "é1," * 330_000]
)
def test_a_megabyte_of_anything_is_read_in_no_time(text: str) -> None:
    started = time.perf_counter()

    assert rank("Berlin", text) == 0
    assert rank(text, "Berlin") == 0
    assert time.perf_counter() - started < 10


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


# --- born from a correction --------------------------------------------------


@pytest.mark.parametrize(
    ("label", "fact", "question", "answer"),
    [
        ("Alex", "Lives in Berlin", "Where does Alex live?", "Berlin"),
        ("Alex", "Birthday: March 3", "What is Alex's birthday?", "March 3"),
        ("Apollo", "The deadline is May 5", "What is Apollo's deadline?", "May 5"),
        ("Apollo", "Apollo's deadline is May 5", "What is Apollo's deadline?", "May 5"),
        ("Server", "runs on port 8080", "Which port does Server run on?", "8080"),
        ("Standup", "was moved to Tuesday", "When is Standup?", "Tuesday"),
        ("Alex", "is on the 3rd floor", "What is known about Alex?", None),
        ("Alex", "Likes coffee", "What is known about Alex?", None),
        ("Alex", "no longer lives in Berlin", "What is known about Alex?", None),
        ("Alex", "Wears\n## hats", "What is known about Alex?", "Wears ## hats"),
    ],
)
def test_a_correction_asks_for_what_it_says(
    label: str, fact: str, question: str, answer: str | None
) -> None:
    made = from_correction(label, fact, date(2026, 2, 2), "r-007")

    wanted = fact if answer is None else answer
    assert made == Expected(question, wanted, date(2026, 2, 2), "r-007")


@given(names, texts.filter(bool))
def test_what_a_correction_asks_for_stands_in_its_own_words(
    label: str, fact: str
) -> None:
    made = from_correction(label, fact)

    assert made.question.endswith("?")
    if one_line(made.answer):
        assert found_at(made, [hit(fact, label)]) == 1
