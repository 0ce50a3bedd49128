"""Questions that must stay answerable, in an open workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from msgspec.structs import replace
from tests.index.test_imagined import rows
from tests.memory.home import ALEX, NOON, PASSPORT, Clock, Home, agrees
from tests.reflection.hits import hit
from tests.strategies import lines, texts

from reverie import Episodic, Memory, RefusedError, Semantic
from reverie.embedding import EmbedderUnavailableError
from reverie.errors import NotFoundError
from reverie.index import IndexDamagedError
from reverie.markdown import one_line
from reverie.model.change import MANUAL, Action, Actor, Edit, OnlyHumansError, checksum
from reverie.model.reflection import Expected, Verdict
from reverie.printable import UnstorableTextError
from reverie.reflection import trial
from reverie.reflection.trial import (
    check_now,
    compare,
    expect,
    expectations,
    found_at,
    try_all,
    unexpect,
)
from reverie.secrets import SecretFoundError
from reverie.workspace.layout import EXPECTATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from reverie.model.views import Hit
    from reverie.recall.search import MemorySearch
    from reverie.session.session import Session

BERLIN = Expected("Where does Alex live?", "Berlin")
AGENT = Actor("bot:main")
TOKEN = "ghp_" + "Zx81kQpLm4" * 3 + "aB7c9D"
"""Shaped like a key, and made up."""


def parts(home: Home) -> tuple[Session, MemorySearch]:
    """What is put together in an open workspace."""
    memory = home.memory
    return memory._session, memory._recalling  # noqa: SLF001 - tests look behind the door


def edit(home: Home, path: str, text: str | None) -> Edit:
    """What would become of a file."""
    new = None if text is None else text.encode()
    return Edit(path, new, checksum(home.raw(path)), Action.EDIT, "x")


def moved(home: Home, *, keep: bool = False) -> tuple[Edit, ...]:
    """Alex moves from Berlin to Lisbon."""
    text = home.text(ALEX)
    fresh = text.replace("Berlin", "Lisbon and Berlin" if keep else "Lisbon")
    assert fresh != text
    return (edit(home, ALEX, fresh),)


# --- the list ----------------------------------------------------------------


def test_what_is_expected_is_kept_in_a_file_of_history(furnished: Home) -> None:
    session, _ = parts(furnished)

    receipt = expect(session, BERLIN, MANUAL)

    assert expectations(session) == (replace(BERLIN, since=NOON.date()),)
    (line,) = receipt.lines
    assert (line.path, line.action) == (EXPECTATIONS, Action.CREATE)
    assert "Where does Alex live?" in furnished.message()
    assert furnished.disagreements() == []
    furnished.memory.undo(receipt.commit)
    assert expectations(session) == ()


def test_the_same_again_is_no_change(furnished: Home) -> None:
    session, _ = parts(furnished)
    expect(session, BERLIN, MANUAL)
    before = furnished.commits()

    assert expect(session, BERLIN, AGENT).lines == ()
    assert furnished.commits() == before


def test_the_agent_may_add_and_is_named_and_nobody_else_may(furnished: Home) -> None:
    session, _ = parts(furnished)

    for tag in ("bot:auto-detect", "skill:x", "subagent:x", "reflection:r-001"):
        with pytest.raises(RefusedError):
            expect(session, BERLIN, Actor(tag))
    assert expectations(session) == ()
    expect(session, BERLIN, AGENT)

    (kept,) = expectations(session)
    assert kept.source == "bot:main"


def test_only_a_human_replaces_and_removes(furnished: Home) -> None:
    session, _ = parts(furnished)
    expect(session, BERLIN, MANUAL)
    other = replace(BERLIN, answer="Lisbon")

    with pytest.raises(RefusedError, match="already"):
        expect(session, other, AGENT)
    with pytest.raises(OnlyHumansError):
        expect(session, other, AGENT, instead=True)
    with pytest.raises(OnlyHumansError):
        unexpect(session, BERLIN.question, AGENT)
    assert [e.answer for e in expectations(session)] == ["Berlin"]

    expect(session, other, MANUAL, instead=True)
    assert [e.answer for e in expectations(session)] == ["Lisbon"]
    unexpect(session, "where does alex live", MANUAL)
    assert expectations(session) == ()
    with pytest.raises(NotFoundError, match="none of the questions"):
        unexpect(session, BERLIN.question, MANUAL)


def test_a_secret_is_not_written_anywhere(furnished: Home) -> None:
    session, _ = parts(furnished)
    before = furnished.commits()

    for secret in (
        Expected("What is my password?", "Blaukraut77!x"),
        Expected("What's the PIN of the safe?", "4711"),
        Expected(f"Whose is {TOKEN}?", "mine"),
        Expected("Which token?", TOKEN),
    ):
        with pytest.raises(SecretFoundError):
            expect(session, secret, MANUAL)
    assert furnished.commits() == before


def test_what_cannot_be_kept_faithfully_is_refused(furnished: Home) -> None:
    session, _ = parts(furnished)

    for text in ("", " \n", "a\x07b", "x" * 3_000, "\ud800"):
        for bad in (replace(BERLIN, question=text), replace(BERLIN, answer=text)):
            with pytest.raises(UnstorableTextError):
                expect(session, bad, MANUAL)


def test_an_agent_that_floods_the_list_gains_nothing(
    furnished: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "MOST_ADDED", 2)
    session, _ = parts(furnished)
    for number in range(2):
        expect(session, Expected(f"Question {number}?", "x"), AGENT)

    with pytest.raises(RefusedError, match="already"):
        expect(session, BERLIN, AGENT)
    expect(session, BERLIN, MANUAL)
    assert len(expectations(session)) == 3


def test_what_a_person_typed_counts_and_stays(furnished: Home) -> None:
    session, _ = parts(furnished)
    typed = (
        b"# Mine\r\n\r\n## Is it blue?\r\n- **Answer**: blue\r\n\r\n\xff caf\xe9\r\n"
    )
    furnished.type(EXPECTATIONS, typed)

    expect(session, BERLIN, MANUAL)

    assert furnished.raw(EXPECTATIONS).startswith(typed)
    assert [e.question for e in expectations(session)] == [
        "Is it blue?",
        "Where does Alex live?",
    ]


# --- as things are -----------------------------------------------------------


def test_it_is_said_at_which_rank_an_answer_is_found_now(furnished: Home) -> None:
    session, search = parts(furnished)
    expect(session, BERLIN, MANUAL)
    expect(session, Expected("Where does Alex work?", "at the zoo"), MANUAL)

    found = check_now(session, search)

    assert [(t.before, t.after) for t in found] == [(1, 1), (0, 0)]
    assert [t.verdict for t in found] == [Verdict.SAME, Verdict.MISSING]
    (only,) = check_now(session, search, "where does alex work")
    assert only.expected.answer == "at the zoo"


def test_a_superseded_fact_answers_nothing(furnished: Home) -> None:
    session, search = parts(furnished)
    expect(session, BERLIN, MANUAL)
    page = Semantic("Alex", "person", supersedes="Lives in Berlin")
    furnished.memory.remember("Lives in Lisbon", page, actor=MANUAL)

    (now,) = check_now(session, search)

    assert now.verdict is Verdict.MISSING


def test_what_was_corrected_is_found_from_then_on(furnished: Home) -> None:
    session, search = parts(furnished)
    asked = "What is known about Alex?"
    born = Expected(asked, "Lives in Berlin", NOON.date(), "r-001")
    expect(session, born, MANUAL)

    (now,) = check_now(session, search)

    assert (now.before, now.expected.source) == (1, "r-001")


# --- as things would be ------------------------------------------------------


def test_an_answer_that_would_get_lost_is_told(furnished: Home) -> None:
    session, search = parts(furnished)
    expect(session, BERLIN, MANUAL)

    (lost,) = try_all(session, search, moved(furnished))
    (kept,) = try_all(session, search, moved(furnished, keep=True))

    assert (lost.before, lost.after, lost.verdict) == (1, 0, Verdict.LOST)
    assert kept.verdict is Verdict.SAME


def test_an_answer_that_would_come_is_told(furnished: Home) -> None:
    session, search = parts(furnished)
    expect(session, replace(BERLIN, answer="Lisbon"), MANUAL)

    (trial,) = try_all(session, search, moved(furnished))

    assert (trial.before, trial.after, trial.verdict) == (0, 1, Verdict.EASIER)


def test_an_answer_that_would_be_archived_is_lost(furnished: Home) -> None:
    session, search = parts(furnished)
    expect(session, BERLIN, MANUAL)
    known = session.index.trace("entity:person--alex")
    assert known is not None
    changes = {"entity:person--alex": replace(known, archived=True)}

    (trial,) = try_all(session, search, session.plan_snapshot(changes))

    assert trial.verdict is Verdict.LOST


def test_an_answer_that_others_would_push_down_is_harder_to_find(
    furnished: Home,
) -> None:
    session, search = parts(furnished)
    memory = furnished.memory
    memory.remember("The heron nests by the lake.", Episodic(), actor=MANUAL)
    expect(session, Expected("Where does the heron nest?", "by the lake"), MANUAL)
    path = "memory/vault/heron.md"
    text = furnished.text(PASSPORT).replace("Passport", "Heron nest")
    fresh = text.replace("In the blue box.", "Where does the heron nest? In a tree.")
    new = Edit(path, fresh.encode(), checksum(None), Action.CREATE, "x")

    (trial,) = try_all(session, search, [new])

    assert (trial.before, trial.verdict) == (1, Verdict.HARDER)


def test_what_comes_true_is_what_was_tried(furnished: Home) -> None:
    session, search = parts(furnished)
    expect(session, BERLIN, MANUAL)
    edits = moved(furnished)
    (trial,) = try_all(session, search, edits)

    furnished.type(ALEX, (edits[0].content or b"").decode())
    furnished.memory.history()

    (now,) = check_now(session, search)
    assert now.before == trial.after


def test_trying_leaves_everything_as_it_was(furnished: Home) -> None:
    session, search = parts(furnished)
    expect(session, BERLIN, MANUAL)
    check_now(session, search)
    before = rows(session.index), furnished.head, furnished.tracked()

    try_all(session, search, moved(furnished))

    assert (rows(session.index), furnished.head, furnished.tracked()) == before


def test_without_a_question_nothing_is_tried(
    furnished: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, search = parts(furnished)

    def fail(*_: object) -> None:
        raise AssertionError

    for name in ("copy", "view", "trace"):
        monkeypatch.setattr(type(session.index), name, fail)
    monkeypatch.setattr(type(search), "embedder", fail)

    assert try_all(session, search, moved(furnished)) == ()
    assert check_now(session, search) == ()


def test_a_damaged_index_is_made_anew_first(
    furnished: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, search = parts(furnished)
    expect(session, BERLIN, MANUAL)
    real = type(session.index).copy
    failures = [IndexDamagedError(session.index.path, ValueError("x"))]

    def copy(index: object, past: object) -> object:
        if failures:
            raise failures.pop()
        return real(index, past)  # type: ignore[arg-type]  # they are

    monkeypatch.setattr(type(session.index), "copy", copy)

    (trial,) = try_all(session, search, moved(furnished))

    assert trial.verdict is Verdict.LOST
    assert any("made anew" in warning for warning in session.warnings)


# --- by meaning --------------------------------------------------------------


class Counting:
    """A model that counts what it is asked for, and may stop answering."""

    name, dimensions, worth, reads_sentences = "counting", 3, 1.0, False

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.left = 10**9

    def kin(self, word: str) -> tuple[()]:
        """No word is like another."""
        del word
        return ()

    def embed(
        self, texts: Sequence[str], *, asked: bool = False
    ) -> NDArray[np.float32]:
        """Every text means the same."""
        del asked
        import numpy as np  # noqa: PLC0415 - only here

        self.left -= 1
        if self.left < 0:
            gone = "the model is gone"
            raise EmbedderUnavailableError(gone)
        self.asked += texts
        return np.tile(np.array([1.0, 0.0, 0.0], np.float32), (len(texts), 1))


@pytest.fixture
def counting(furnished: Home, monkeypatch: pytest.MonkeyPatch) -> Counting:
    """A workspace whose model counts."""
    model = Counting()
    session, search = parts(furnished)
    monkeypatch.setattr(type(search), "embedder", lambda _: model)
    expect(session, BERLIN, MANUAL)
    search.embed()
    model.asked.clear()
    return model


def test_only_what_would_be_new_gets_a_vector_and_each_question_one(
    furnished: Home, counting: Counting
) -> None:
    session, search = parts(furnished)

    (trial,) = try_all(session, search, moved(furnished))

    assert trial.verdict is Verdict.LOST
    assert counting.asked[0] == BERLIN.question
    assert len(counting.asked) == 2
    assert "Lisbon" in counting.asked[1]


@pytest.mark.parametrize("answers", [0, 1])
def test_a_model_that_stops_answering_is_missed_on_both_sides(
    furnished: Home, counting: Counting, answers: int
) -> None:
    session, search = parts(furnished)
    counting.left = answers

    (trial,) = try_all(session, search, moved(furnished, keep=True))

    assert trial.verdict is Verdict.SAME
    assert len(counting.asked) == answers
    (now,) = check_now(session, search)
    assert now.before == 1


def test_a_workspace_without_a_model_is_tried_by_words(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent", Clock(), REVERIE_EMBEDDING_MODEL="none")
    home.furnish()
    session, search = parts(home)
    expect(session, BERLIN, MANUAL)

    (trial,) = try_all(session, search, moved(home))

    assert trial.verdict is Verdict.LOST
    home.memory.close()


def test_another_process_sees_what_is_expected(furnished: Home) -> None:
    session, _ = parts(furnished)
    expect(session, BERLIN, MANUAL)

    with Memory(
        furnished.root, clock=furnished.clock, environ={}, human=agrees
    ) as other:
        other.tidy_on_close = False
        found = check_now(other._session, other._recalling)  # noqa: SLF001 - tests look behind the door

    assert [t.before for t in found] == [1]


# --- whether an expected answer is found --------------------------------------


BERLIN = Expected("Where does Alex live?", "Berlin")
DEADLINE = Expected("When is the deadline?", "March 15")
answers = (lines | texts).filter(lambda text: bool(one_line(text)))


def rank(answer: str, *found: str) -> int:
    """Where an answer is found among some texts."""
    return found_at(Expected("Q?", answer), [hit(text) for text in found])


def test_the_first_memory_that_holds_the_answer_counts() -> None:
    assert rank("Berlin", "Alex has a dog.", "Alex lives in Berlin.", "Berlin!") == 2
    assert rank("Berlin", "Alex has a dog.") == 0
    assert rank("Berlin") == 0


def test_an_answer_is_found_however_it_is_written() -> None:
    for answer, text in (
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
    ):
        assert rank(answer, text) == 1, answer


def test_what_is_not_the_answer_is_not_taken_for_it() -> None:
    for answer, text in (
        ("March 15", "on March 16"),
        ("March 15", "on March 150"),
        ("15", "15.5 litres"),
        ("3", "costs 3.50"),
        ("14:30", "at 14:31, or 30 past 14"),
        ("2026-02-02", "2026-02-03, and 02 of it"),
        ("12", "1,200"),
        ("1,200", "1 and 200"),
        ("The Who", "the whole"),
        ("is it", "it is"),
        ("blue box", "the blue one"),
        ("not tea", "drinks tea"),
        ("🦊", "a fox"),
    ):
        assert rank(answer, text) == 0, answer


def test_one_memory_has_to_hold_all_of_it() -> None:
    assert rank("blue box", "a blue day", "a box") == 0


def test_the_title_counts_and_what_no_longer_holds_does_not() -> None:
    berlin = Expected("Where?", "Alex Berlin")

    assert found_at(berlin, [hit("Lives in Berlin", "Alex")]) == 1
    assert found_at(berlin, [hit("Lives in Hamburg", "Alex", "Lives in Berlin")]) == 0


@given(answers, answers)
@example("0_", "1 . x")
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

    trials = compare([BERLIN, DEADLINE], before, after)

    assert [(t.before, t.after, t.verdict) for t in trials] == [
        (1, 0, Verdict.LOST),
        (2, 1, Verdict.EASIER),
    ]
    assert asked == [
        (side, each.question)
        for each in (BERLIN, DEADLINE)
        for side in ("before", "after")
    ]
