"""Questions asked with the finer of two models, once it is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.embedding.models import Letters

from reverie import Block, Core, Reach
from reverie.embedding.sentences import MODEL, SentenceEmbedder
from reverie.recall import search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.memory.home import Home

    from reverie.embedding import Embedder


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Letters:
    """A model of sentences that is always installed."""
    model = Letters()

    def opens(table: Embedder) -> Embedder:
        return SentenceEmbedder(model, f"{MODEL}/letters", table)

    monkeypatch.setattr("reverie.embedding.sentences.open_sentences", opens)
    return model


def asked(model: Letters) -> Sequence[str]:
    return [text for text, is_query in model.given if is_query]


def test_few_memories_get_their_vectors_when_somebody_asks(
    home: Home, letters: Letters
) -> None:
    home.memory.remember("The heron stood in the river.")

    home.memory.recall("Where did the heron stand?")

    assert asked(letters) == ["Where did the heron stand?"]
    assert [text for text, is_query in letters.given if not is_query]


def test_many_are_found_by_the_table_until_they_have_theirs(
    home: Home, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "FEW", 2)
    for number in range(6):
        home.memory.remember(f"The heron ate fish number {number}.")

    before = home.memory.recall("Which fish did the heron eat?")

    assert before.hits
    assert not letters.given
    assert home.memory.embed() == 0
    home.memory.recall("Which fish did the heron eat?")
    assert asked(letters) == ["Which fish did the heron eat?"]


def test_nobody_waits_until_a_long_memory_is_read(home: Home, letters: Letters) -> None:
    home.memory.alerts()  # The files of the workspace have been read.
    long = " ".join(f"The heron ate fish number {number}." for number in range(200))
    home.memory.remember(long)

    before = home.memory.recall("Which fish did the heron eat?")

    assert before.hits
    assert not letters.given
    # What is short has its vectors, and is what is looked at.
    home.memory.remember("The heron stood in the river.", Core(Block.CONTEXT))
    home.memory.recall("Where did the heron stand?", stores=["core"])
    assert asked(letters) == ["Where did the heron stand?"]
    assert home.memory.embed() == 0
    home.memory.recall("Which fish did the heron eat?")
    assert asked(letters)[1:] == ["Which fish did the heron eat?"]


def test_both_models_keep_their_vectors(home: Home, letters: Letters) -> None:
    home.memory.remember("The heron stood in the river.")

    home.memory.embed()
    given_before = len(letters.given)
    home.memory.embed()

    assert len(letters.given) == given_before


def test_it_can_be_turned_off(home: Home, letters: Letters) -> None:
    home.reopen(REVERIE_EMBEDDING_SENTENCES="false")
    home.memory.remember("The heron stood in the river.")

    home.memory.recall("Where did the heron stand?")

    assert not letters.given


def test_health_names_the_finer_model(home: Home, letters: Letters) -> None:
    home.memory.remember("The heron stood in the river.")
    home.memory.embed()

    index = home.memory.health().index

    assert letters.given
    assert (index.model, index.missing) == (f"{MODEL}/letters", 0)


def test_who_cannot_wait_for_the_finer_model_is_answered_by_the_other(
    home: Home, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BRIEF", 0.0)
    for text in ("Ben's physician prescribed tablets.", "Snow fell.", "A tram came."):
        home.memory.remember(text)

    question = "Did the doctor give medicine?"
    found = home.memory.recall(question, reach=Reach.AUTOMATIC)

    assert found.hits
    assert not letters.given


def test_what_was_just_said_is_in_sight_and_keeps_nobody_from_the_finer_model(
    home: Home, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.memory.remember("The heron stood in the river.")
    home.memory.embed()
    monkeypatch.setattr(search, "BRIEF", 0.0)
    home.memory.window("now").say("Let us talk about birds.")

    home.memory.attend("now", "Where did the heron stand?")

    assert asked(letters) == ["Where did the heron stand?"]


def test_who_has_no_such_model_leaves_the_vectors_of_who_has(
    home: Home, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.memory.remember("The heron stood in the river.")
    home.memory.embed()
    given_before = len(letters.given)
    with monkeypatch.context() as without:
        opens = "reverie.embedding.sentences.open_sentences"
        without.setattr(opens, lambda _table: None)
        home.reopen().tidy()

    home.reopen().embed()

    assert len(letters.given) == given_before


def test_one_that_fails_is_told_and_the_other_answers(
    home: Home, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        problem = "wrong number of layers"
        raise ValueError(problem)

    home.memory.remember("The heron stood in the river.")
    monkeypatch.setattr(letters, "encode", fail)

    found = home.memory.recall("Where did the heron stand?")

    assert found.hits
    (note,) = found.notes
    assert "asked without the model of sentences" in note
    assert "wrong number of layers" in note
