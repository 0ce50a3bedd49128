"""Vectors: alike as their angles from the middle say, and the nearest are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.index import vectors
from reverie.index.vectors import SCALE, Cloud, in_company, packed

if TYPE_CHECKING:
    from reverie.index.view import Bytes, Floats

WIDTH = 256


def unit(rows: Floats) -> Floats:
    made: Floats = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return made.astype(np.float32)


def clustered(count: int, seed: int = 0) -> Floats:
    """Vectors in groups, and all of them in one corner, as a model makes them."""
    chance = np.random.default_rng(seed)
    middles = chance.normal(size=(20, WIDTH))
    rows = middles[chance.integers(0, 20, count)]
    return unit(rows + 0.7 * chance.normal(size=rows.shape) + 1.0)


def kept(rows: Floats) -> Bytes:
    return np.frombuffer(packed(rows), np.int8).reshape(len(rows), -1)


def plain_likeness(rows: Floats, question: Floats) -> Floats:
    """The cosine from the middle of all, as a book has it."""
    middle = rows.mean(0)
    return unit(rows - middle) @ unit(question - middle)


def likeness(made: Cloud, question: Floats, count: int) -> Floats:
    return made.likeness(made.seen_from_the_middle(question), np.arange(count))


def test_passages_are_as_alike_as_their_angles_from_the_middle() -> None:
    for count in [2, 100, 3000]:
        rows, question = clustered(count), clustered(1, seed=7)[0]

        found = likeness(Cloud(kept(rows)), question, count)

        in_bytes = (kept(rows) / vectors.SCALE).astype(np.float32)
        assert found == pytest.approx(plain_likeness(in_bytes, question), abs=1e-3)
        assert found == pytest.approx(plain_likeness(rows, question), abs=2e-2)


def test_two_passages_are_as_alike_as_their_angle_from_the_middle() -> None:
    rows = clustered(50)
    made = Cloud(kept(rows))

    expected = plain_likeness(rows, rows[3])
    assert made.between(3, 9) == pytest.approx(float(expected[9]), abs=2e-2)
    assert made.between(3, 3) == pytest.approx(1, abs=1e-2)


def test_a_passage_without_a_vector_is_like_nothing_and_shifts_nothing() -> None:
    rows, question = clustered(40), clustered(1, seed=7)[0]
    gaps = np.zeros((80, WIDTH), np.int8)
    gaps[::2] = kept(rows)

    made = Cloud(gaps)
    found = likeness(made, question, 80)

    assert made.filled == 40
    assert not found[1::2].any()
    assert found[::2] == pytest.approx(plain_likeness(rows, question), abs=2e-2)


def test_a_single_vector_is_no_reason_to_divide_by_nothing() -> None:
    rows = clustered(1)
    made = Cloud(kept(rows))

    assert np.isfinite(likeness(made, rows[0], 1)).all()
    assert np.isfinite(made.between(0, 0))


def test_few_passages_are_all_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "FEW", 100)
    made = Cloud(kept(clustered(100)))

    assert list(made.near(clustered(1)[0], 5)) == list(range(100))


def test_of_many_passages_the_nearest_are_among_those_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vectors, "FEW", 100)
    rows = clustered(4000)
    made = Cloud(kept(rows))
    found = wanted = 0
    chance = np.random.default_rng(9)
    for row in rows[::200]:
        question = unit(row + 0.03 * chance.normal(size=WIDTH))
        seen = made.seen_from_the_middle(question)
        chosen = made.near(seen, 400)
        best = np.argsort(-plain_likeness(rows, question))[:10]
        assert 400 <= len(chosen) == len(set(chosen.tolist())) < 800
        found += len(set(best.tolist()) & set(chosen.tolist()))
        wanted += 10

    assert found >= 0.95 * wanted


def test_a_vector_is_kept_in_a_byte_a_number() -> None:
    rows = clustered(3)

    assert len(packed(rows)) == 3 * WIDTH
    assert kept(rows) / vectors.SCALE == pytest.approx(rows, abs=1 / vectors.SCALE)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), max_size=6))
def test_a_cloud_that_passages_come_to_and_leave_is_like_a_new_one(
    changes: list[tuple[int, int]],
) -> None:
    rows = kept(clustered(40 * 6))
    held, made, place = np.zeros((0, WIDTH), np.int8), Cloud(), 0
    for more, share in changes:
        made.extend(more)
        held = np.concatenate([held, np.zeros((more, WIDTH), np.int8)])
        new = np.flatnonzero(~held.any(1))[: max(more - 3, 0)]
        held[new] = rows[place : place + len(new)]
        made.put(new, held[new])
        place += len(new)
        if made.filled:
            assert (made.signs == Cloud(held).signs).all()
        which = np.arange(len(held)) % 10 >= share
        made.keep(which)
        held = held[which]

        fresh = Cloud(held)
        assert made.filled == fresh.filled
        if made.filled:
            assert (made.vectors == held).all()
            assert (made.signs == fresh.signs).all()
            question = clustered(1, seed=7)[0]
            seen = made.seen_from_the_middle(question)
            assert (seen == fresh.seen_from_the_middle(question)).all()


def test_signs_of_what_changed_alone_are_like_new_ones() -> None:
    rows = kept(clustered(600))
    made = Cloud(rows)
    made.signs  # noqa: B018 - asked for
    before = made._signs  # noqa: SLF001 - whether it began anew

    # What changes places, and what has no vector, leaves the middle where it is.
    made.extend(2)
    made.put(np.array([3, 5]), rows[[5, 3]])
    made.put(np.array([600]), np.zeros((1, WIDTH), np.int8))
    which = np.arange(602) != 600
    made.keep(which)
    made.put(np.array([8, 9]), rows[[9, 8]])

    held = np.concatenate([rows, np.zeros((1, WIDTH), np.int8)])
    held[[3, 5, 8, 9]] = held[[5, 3, 9, 8]]
    assert (made.signs == Cloud(held).signs).all()
    assert before
    assert made._signs  # noqa: SLF001
    assert (made._signs[0] == before[0]).all()  # noqa: SLF001


def test_what_changes_while_nobody_asks_is_not_noted_without_end() -> None:
    rows = kept(clustered(20))
    made = Cloud(rows)
    for _ in range(2):
        for _ in range(3 * vectors.MOST_UNSIGNED):
            made.put(np.array([3]), rows[4:5])
            made.keep(np.ones(20, np.bool_))
        assert len(made._unsigned) <= vectors.MOST_UNSIGNED  # noqa: SLF001 - how much it holds
        assert len(made.signs) == 20


def test_a_vector_that_is_taken_away_counts_no_more() -> None:
    rows = kept(clustered(10))
    made = Cloud(rows)

    made.put(np.array([3]), np.zeros((1, WIDTH), np.int8))

    assert made.filled == 9
    fresh = Cloud(np.delete(rows, 3, axis=0))
    question = clustered(1, seed=7)[0]
    seen = made.seen_from_the_middle(question)
    assert (seen == fresh.seen_from_the_middle(question)).all()


# --- vectors with what stands beside a text ----------------------------------


def shown(data: bytes) -> Floats:
    rows = np.frombuffer(data, np.int8).reshape(-1, WIDTH)
    return (rows / SCALE).astype(np.float32)


def test_the_vectors_of_an_answer_lean_towards_its_question() -> None:
    rows = clustered(4)

    made = in_company(rows, {1: 1, 2: 2, 3: 1}, {1: 0, 2: 1, 3: 0}, {})

    first, second = shown(made[2])
    assert first @ rows[0] > rows[1] @ rows[0] + 0.05
    assert second @ rows[0] > rows[2] @ rows[0] + 0.05
    assert first @ rows[1] > first @ rows[0]
    assert np.linalg.norm([first, second], axis=1) == pytest.approx(1, abs=0.01)
    assert (made[1], made[3]) == (packed(rows[:1]), packed(rows[3:]))


def test_a_later_passage_leans_towards_the_first_of_its_memory() -> None:
    rows = clustered(3)

    made = in_company(rows, {1: 2, 2: 1}, {1: 0, 2: 0}, {})

    first, second = shown(made[1])
    assert packed(first) == packed(rows[0])
    assert rows[1] @ rows[0] < second @ rows[0] < second @ rows[1]
    assert made[2] == packed(rows[2])


def test_it_does_not_matter_whether_the_question_was_embedded_before() -> None:
    rows = clustered(3)
    before = in_company(rows[:2], {1: 2}, {1: 0}, {})

    together = in_company(rows, {1: 2, 2: 1}, {1: 0, 2: 1}, {})
    apart = in_company(rows[2:], {2: 1}, {2: 1}, before)

    assert together == before | apart
    assert apart != in_company(rows[2:], {2: 1}, {2: 0}, before)


def test_what_says_nothing_has_no_vector_even_beside_a_question() -> None:
    rows = clustered(3)
    rows[1:] = 0

    made = in_company(rows, {1: 1, 2: 2}, {2: 1}, {})

    assert made[2] == bytes(2 * WIDTH)
