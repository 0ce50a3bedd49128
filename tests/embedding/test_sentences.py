"""The model of whole sentences beside the built-in table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.embedding.models import Letters

from reverie.embedding import EmbedderUnavailableError
from reverie.embedding.local import open_static
from reverie.embedding.sentences import SentenceEmbedder, open_sentences

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.embedding import Embedder


def opened() -> Embedder:
    found = open_sentences(open_static())
    assert found is not None
    return found


def test_without_the_extra_there_is_none() -> None:
    assert open_sentences(open_static()) is None


@pytest.mark.usefixtures("sentences")
def test_the_same_in_other_words_is_nearer_than_the_same_words() -> None:
    model = opened()
    told = ["GP is Dr. Noemi Sager", "The doctor of the ship is a robot", "Rain again"]

    near = (
        model.embed(told) @ model.embed(["Who is my family physician?"], asked=True)[0]
    )

    assert near.argmax() == 0


@pytest.mark.usefixtures("sentences")
def test_a_question_finds_its_answer_in_another_language() -> None:
    model = opened()
    told = ["Der Schlüssel liegt unter der Matte.", "Das Auto ist verkauft."]

    near = model.embed(told) @ model.embed(["Where is the key?"], asked=True)[0]

    assert near.argmax() == 0


@pytest.mark.usefixtures("sentences")
def test_the_name_says_model_and_version() -> None:
    assert opened().name.startswith("multilingual-e5-small-q4/")


@pytest.mark.usefixtures("sentences")
@given(st.lists(st.text(max_size=40), max_size=3))
def test_any_text_gets_a_vector_of_length_one_and_a_blank_one_zeros(
    texts: list[str],
) -> None:
    rows = opened().embed(texts)

    said = [bool(text and not text.isspace()) for text in texts]
    assert np.allclose(np.linalg.norm(rows, axis=1), said, atol=1e-3)


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_written_in_c_is_given_no_zero_byte_and_nothing_endless(
    text: str,
) -> None:
    model = Letters()

    SentenceEmbedder(model, "letters", open_static()).embed([text * 100])

    for given_text, _ in model.given:
        assert "\0" not in given_text
        assert len(given_text) <= 1200
        given_text.encode("utf-8")


def test_words_alike_in_meaning_come_from_the_table() -> None:
    table = open_static()

    assert SentenceEmbedder(Letters(), "letters", table).kin("dog") == table.kin("dog")


def test_a_package_that_cannot_be_used_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "broken_model.py").write_text("raise OSError('no engine for this CPU')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("reverie.embedding.sentences.PACKAGE", "broken_model")

    with pytest.raises(EmbedderUnavailableError, match="no engine for this CPU"):
        open_sentences(open_static())
