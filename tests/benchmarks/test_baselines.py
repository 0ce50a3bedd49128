"""grep and BM25 on a handful of sentences."""

from __future__ import annotations

import pytest
from benchmarks.suite.baselines import bm25, bm25_index, bm25_scores, grep, stems
from benchmarks.suite.blind import Entry, Query


def docs(*texts: str) -> list[Entry]:
    return [
        Entry(id=f"d{number}", text=text, time=None, group="g0")
        for number, text in enumerate(texts)
    ]


def asked(text: str) -> list[Query]:
    return [Query(id="q0", text=text, time=None)]


def test_grep_counts_each_word_once_whatever_its_case() -> None:
    stored = docs("kite kite KITE", "A kite on a Ladder", "nothing")

    assert grep(stored, asked("Where is the kite, the kite ladder?"), 5) == [
        ["d1", "d0"]
    ]


def test_grep_finds_a_word_inside_of_another() -> None:
    assert grep(docs("planes", "the airplane"), asked("plane"), 5) == [["d1", "d0"]]


def test_grep_shows_the_newest_of_equals_and_no_more_than_wanted() -> None:
    assert grep(docs("a kite", "kites", "my kite"), asked("kite?"), 2) == [["d2", "d1"]]


def test_grep_with_nothing_but_small_words_finds_nothing() -> None:
    assert grep(docs("what is it"), asked("What is it?"), 5) == [[]]


def test_stems_leave_out_small_words_and_endings() -> None:
    assert stems("She's been running the Races, 東京!") == ["run", "race", "東", "京"]


def test_bm25_gives_the_scores_worked_out_by_hand() -> None:
    texts = ["red apple", "green apples of trees", "blue sky"]
    index = bm25_index([stems(text) for text in texts])

    scores = bm25_scores(index, stems("apple"), len(texts))

    rarity = 0.4700036  # of a stem in two of three documents: ln(1 + 1.5 / 2.5)
    short = rarity / (1 + 1.5 * (0.25 + 0.75 * 6 / 7))  # two words, 7/3 is the mean
    long = rarity / (1 + 1.5 * (0.25 + 0.75 * 9 / 7))
    assert scores.tolist() == pytest.approx([short, long, 0])
    assert short == pytest.approx(0.200918, abs=1e-6)


def test_a_word_asked_twice_counts_twice() -> None:
    index = bm25_index([["apple"], ["sky"]])

    once, twice = (bm25_scores(index, ["apple"] * n, 2)[0] for n in (1, 2))

    assert twice == pytest.approx(2 * once)


def test_bm25_ranks_the_rarer_word_first_and_fills_up_with_the_rest() -> None:
    stored = docs("apple pie", "blue sky", "apple and quince", "night sky")

    assert bm25(stored, asked("quinces, apples"), 3) == [["d2", "d0", "d1"]]


def test_bm25_bears_empty_documents_and_empty_questions() -> None:
    assert bm25(docs("", "the"), asked("apple"), 5) == [["d0", "d1"]]
    assert bm25(docs("", "apple"), asked("the"), 5) == [["d0", "d1"]]


def test_bm25_keeps_the_order_of_many_equals() -> None:
    stored = docs(*(["blue sky", "apple pie"] * 100))

    (ranked,) = bm25(stored, asked("apple"), 200)

    assert ranked == [f"d{n}" for n in (*range(1, 200, 2), *range(0, 200, 2))]
