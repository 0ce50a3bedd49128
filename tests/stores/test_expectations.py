"""The file of the questions that must stay answerable."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import built, days, files, lines, maybe_days, names, texts

from reverie.errors import NotFoundError, RefusedError
from reverie.markdown import one_line
from reverie.model.items import Severity
from reverie.model.reflection import Expected
from reverie.stores.expectations import (
    TEMPLATE,
    add_expected,
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


def test_a_file_without_questions_has_none_and_nothing_is_wrong() -> None:
    for text in ["", TEMPLATE, "# Mine\n\nwords\n", "\ufeff"]:
        assert parse_expectations(text, EXPECTATIONS) == ((), ())


def test_fields_may_be_typed_as_people_type_them() -> None:
    typed = "## Where?\n* **from:** r-003\n* **Answer:** in the *blue*\n  box\n"

    assert known(typed) == (Expected("Where?", "in the *blue* box", None, "r-003"),)


def test_what_is_wrong_is_told_with_its_line() -> None:
    for text, line, what in [
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
    ]:
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

    with pytest.raises(RefusedError, match="'Berlin' already") as caught:
        add_expected(FILE, other)
    assert "--replace" in caught.value.advice
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


def test_what_is_not_there_cannot_be_removed() -> None:
    for question in ["Who?", "", "?"]:
        with pytest.raises(NotFoundError, match="none of the questions"):
            remove_expected(FILE, question)


def test_there_is_no_question_without_words_and_none_without_an_answer() -> None:
    for empty in [Expected("", "x"), Expected("Who?", " \n"), Expected("?!", "x")]:
        with pytest.raises(RefusedError, match="and its answer"):
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
expected_ = built(
    Expected, question=questions, answer=answers, since=maybe_days, source=names
)


@given(typed_files, expected_ | built(Expected, st.just("A?"), answers))
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
