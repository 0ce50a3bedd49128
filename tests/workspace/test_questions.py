"""The host's box: questions wait on disk, answers are checked on the way in."""

from __future__ import annotations

import json
import os
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from reverie.minds.json_answers import ask
from reverie.minds.mind import HostGaveUpError, HostMind, HostMustAnswerError
from reverie.minds.prompts import forget_question, route_question
from reverie.workspace.files import Folder
from reverie.workspace.questions import (
    NoSuchQuestionError,
    QuestionBox,
    State,
    WrongAnswerError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOON = datetime(2026, 2, 2, 12, tzinfo=UTC)
QUESTION = forget_question("forget the cat")
GOOD = '{"target": "the cat", "permanent": false}'
BAD = '{"target": "the cat"}'
ARGUMENTS = {"text": "forget the cat"}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    with closing(Folder(tmp_path)) as made:
        yield made


@pytest.fixture
def box(folder: Folder) -> QuestionBox:
    return QuestionBox(folder.root / ".reverie", lambda: NOON, "forget", ARGUMENTS)


@pytest.fixture
def room(tmp_path: Path) -> Path:
    return tmp_path / ".reverie" / "questions"


def test_a_question_waits_with_what_is_needed_to_go_on(box: QuestionBox) -> None:
    box.put(QUESTION)

    (held,) = box.open_questions()
    assert (held.question, held.verb, held.arguments) == (QUESTION, "forget", ARGUMENTS)
    assert held.asked == NOON
    assert box.find_answer(QUESTION) is None


def test_only_the_owner_can_read_a_question(box: QuestionBox, room: Path) -> None:
    box.put(QUESTION)

    path = room / f"{QUESTION.id}.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_answer_is_kept_and_says_how_to_go_on(box: QuestionBox) -> None:
    box.put(QUESTION)

    taken = box.answer(QUESTION.id, f"Here you are:\n{GOOD}")

    assert (taken.verb, taken.arguments) == ("forget", ARGUMENTS)
    assert box.find_answer(QUESTION) == json.loads(GOOD)
    assert box.open_questions() == ()


def test_an_operation_goes_on_in_another_process(folder: Folder) -> None:
    def run() -> dict[str, object]:
        box = QuestionBox(folder.root / ".reverie", lambda: NOON, "forget", ARGUMENTS)
        return ask(HostMind(box), QUESTION, dict)

    with pytest.raises(HostMustAnswerError) as caught:
        run()
    child = os.fork()
    if child == 0:
        box = QuestionBox(folder.root / ".reverie", lambda: NOON)
        (waiting,) = box.open_questions()
        box.answer(waiting.question.id, GOOD)
        os._exit(0)
    os.waitpid(child, 0)

    assert caught.value.question_id == QUESTION.id
    assert run() == json.loads(GOOD)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I would rather not.", "no JSON objects"),
        (BAD, "missing required field `permanent`"),
        (
            '{"target": "x", "permanent": "no"}',
            "Expected `bool`, got `str` - at `permanent`",
        ),
        (f"{GOOD} or {GOOD}", "2 JSON objects"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("x" * 2_000_000, "more than 1,048,576 characters"),
    ],
)
def test_a_wrong_answer_is_told_and_may_be_mended_once(
    box: QuestionBox, text: str, problem: str
) -> None:
    box.put(QUESTION)

    with pytest.raises(WrongAnswerError) as caught:
        box.answer(QUESTION.id, text)

    assert problem in str(caught.value)
    assert problem in box.open_questions()[0].problem
    assert box.answer(QUESTION.id, GOOD).state is State.ANSWERED


def test_a_second_wrong_answer_closes_the_question(box: QuestionBox) -> None:
    box.put(QUESTION)
    with pytest.raises(WrongAnswerError):
        box.answer(QUESTION.id, BAD)
    with pytest.raises(HostGaveUpError, match="missing required field"):
        box.answer(QUESTION.id, BAD)

    with pytest.raises(NoSuchQuestionError):
        box.answer(QUESTION.id, GOOD)
    with pytest.raises(HostGaveUpError):
        ask(HostMind(box), QUESTION, dict)
    assert box.open_questions() == ()


def test_an_answer_may_be_given_again_until_its_operation_is_done(
    box: QuestionBox,
) -> None:
    box.put(QUESTION)
    box.answer(QUESTION.id, GOOD)

    # The process may have died before it could make use of it.
    box.answer(QUESTION.id, GOOD)
    assert box.find_answer(QUESTION) == json.loads(GOOD)

    box.finish()
    with pytest.raises(NoSuchQuestionError):
        box.answer(QUESTION.id, GOOD)


def test_asking_again_does_not_lose_the_first_answer(box: QuestionBox) -> None:
    box.put(QUESTION)
    box.answer(QUESTION.id, GOOD)

    box.put(QUESTION)

    assert box.find_answer(QUESTION) == json.loads(GOOD)


def test_a_name_that_is_no_question_is_not_found(
    box: QuestionBox, tmp_path: Path
) -> None:
    box.put(QUESTION)
    before = sorted(tmp_path.rglob("*"))
    names = ("", ".", "..", "../../reverie.toml", "/etc/passwd", "lock", "a" * 100_000)
    spelled = ("0123456789abcdef", "0123456789abcdef\n", "0123456789ABCDEF", "01\0")

    for name in (*names, *spelled):
        with pytest.raises(NoSuchQuestionError):
            box.answer(name, GOOD)
        box.drop(name)

    assert sorted(tmp_path.rglob("*")) == before


def test_questions_are_listed_oldest_first(folder: Folder) -> None:
    now = [NOON]
    box = QuestionBox(folder.root / ".reverie", lambda: now[0])
    questions = [
        route_question(f"note {number}", "person--user", "", "", "Monday")
        for number in range(5)
    ]
    for question in questions:
        box.put(question)
        now[0] += timedelta(seconds=1)

    assert [each.question for each in box.open_questions()] == questions


def test_a_finished_operation_leaves_nothing_of_its_own(folder: Folder) -> None:
    mine = QuestionBox(folder.root / ".reverie", lambda: NOON, "forget", ARGUMENTS)
    other = QuestionBox(
        folder.root / ".reverie", lambda: NOON, "forget", {"text": "forget the dog"}
    )
    theirs = forget_question("forget the dog")
    mine.put(QUESTION)
    mine.answer(QUESTION.id, GOOD)
    other.put(theirs)

    mine.finish()

    assert mine.find_answer(QUESTION) is None
    assert [each.question for each in other.open_questions()] == [theirs]


def test_what_was_asked_too_long_ago_expires(folder: Folder, room: Path) -> None:
    now = [NOON]
    box = QuestionBox(folder.root / ".reverie", lambda: now[0])
    box.put(QUESTION)
    now[0] += timedelta(days=3)
    young = route_question("note", "person--user", "", "", "Monday")
    box.put(young)
    (room / "ffffffffffffffff.json").write_bytes(b"damaged")

    box.expire(now[0], timedelta(days=2))

    assert [path.stem for path in room.glob("*.json")] == [young.id]
    assert [each.question for each in box.open_questions()] == [young]


def test_a_file_that_was_tampered_with_is_as_good_as_none(
    box: QuestionBox, room: Path
) -> None:
    path = room / f"{QUESTION.id}.json"
    changes: tuple[dict[str, Any], ...] = (
        {"text": "forget everything"},
        {"schema": {}},
        {"schema": "no"},
        {"state": "pending"},
        {"asked": "yesterday"},
        {"asked": "2026-02-02T12:00:00"},
        {"arguments": {"text": 3}},
        {"answer": []},
        {"problem": None},
        {"most_tokens": "9"},
    )
    for changed in changes:
        box.put(QUESTION)
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changed))

        assert box.open_questions() == ()
        with pytest.raises(NoSuchQuestionError):
            box.answer(QUESTION.id, GOOD)
    box.put(QUESTION)
    assert box.answer(QUESTION.id, GOOD).state is State.ANSWERED


def test_a_damaged_file_does_not_stop_the_others(box: QuestionBox, room: Path) -> None:
    box.put(QUESTION)
    (room / "notes.json").write_bytes(b"{}")
    for written in (b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000):
        (room / "0123456789abcdef.json").write_bytes(written)

        assert [each.question for each in box.open_questions()] == [QUESTION]
