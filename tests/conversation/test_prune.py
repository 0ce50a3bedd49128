"""What leaves the context has least to do with what is talked about now."""

from __future__ import annotations

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st
from tests.conversation.said import pair, say, summed_up, turns

from reverie.conversation.prune import choose
from reverie.model.conversation import DELETED
from reverie.model.items import Role, Turn
from reverie.stores.turns import turn_id
from reverie.tokens import count_tokens

TALK = tuple(
    chain.from_iterable(
        pair(n, f"How is gnu number {n} today?", f"Gnu number {n} is well.")
        for n in range(1, 7)
    )
)
SIZE = sum(count_tokens(turn.text) for turn in TALK)


def ids(of: tuple[Turn, ...]) -> list[str]:
    return [str(turn_id(turn)) for turn in of]


def numbers(of: tuple[Turn, ...]) -> list[int]:
    return [turn.number for turn in of]


def test_what_fits_stays_all_of_it() -> None:
    assert choose(TALK, {}, SIZE) == (TALK, (), SIZE)


def test_the_least_relevant_leaves_first_and_a_pair_goes_together() -> None:
    fits = {f"turn:trip/{n}/user/0": n != 3 for n in range(1, 7)}

    kept, gone, tokens = choose(TALK, fits, SIZE - 1)

    assert numbers(gone) == [3, 3]
    assert numbers(kept) == [1, 1, 2, 2, 4, 4, 5, 5, 6, 6]
    assert tokens == sum(count_tokens(turn.text) for turn in kept)


def test_one_relevant_half_keeps_the_other() -> None:
    kept, _, _ = choose(TALK, {"turn:trip/1/assistant/0": 0.9}, SIZE // 2)

    assert numbers(kept)[:2] == [1, 1]


def test_of_equals_the_oldest_leaves() -> None:
    _, gone, _ = choose(TALK, {}, SIZE - 1)

    assert numbers(gone) == [1, 1]


def test_the_last_turns_stay_as_long_as_anything_else_can_go() -> None:
    fits = {f"turn:trip/{n}/user/0": 1.0 for n in range(1, 5)}

    kept, gone, tokens = choose(TALK, fits, SIZE // 3)

    assert numbers(kept) == [5, 5, 6, 6]
    assert numbers(gone) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert tokens == SIZE // 3


def test_the_last_turns_give_way_but_for_the_newest() -> None:
    long = say(7, Role.USER, "gnu " * 500)

    assert numbers(choose(TALK, {}, SIZE // 3 - 1)[0]) == [6, 6]
    kept, gone, tokens = choose((*TALK, long), {}, 40)

    assert kept == (long,)
    assert gone == TALK
    assert tokens > 40


def test_half_of_a_pair_that_stays_keeps_all_of_it() -> None:
    kept, _, _ = choose(TALK, {}, SIZE // 3, keep_last=3)

    assert numbers(kept) == [5, 5, 6, 6]


def test_nothing_has_to_stay() -> None:
    assert choose(TALK, {}, 0, keep_last=0) == ((), TALK, 0)


def test_a_summary_is_worth_a_little_more_than_what_it_sums_up() -> None:
    talk = (*summed_up(1, "The gnus are well."), *TALK[2:])
    size = sum(count_tokens(turn.text) for turn in talk)

    _, gone, _ = choose(talk, {}, size - 1)
    assert numbers(gone) == [2, 2]

    fits = {f"turn:trip/{n}/user/0": 0.5 for n in range(2, 7)}
    _, gone, _ = choose(talk, fits, size - 1)
    assert numbers(gone) == [1, 1]


def test_a_deleted_turn_leaves_in_any_case() -> None:
    last = say(9, Role.USER, "Forget the gnu.", deleted="2026-02-03")

    kept, gone, _ = choose((*TALK, last), {}, 10_000)

    assert kept == TALK
    assert gone == (last,)


def test_what_is_no_number_counts_as_nothing() -> None:
    fits = {f"turn:trip/{n}/user/0": 0.5 for n in range(1, 7)}
    odd = {"turn:trip/3/user/0": float("nan"), "turn:trip/4/user/0": float("-inf")}

    _, gone, _ = choose(TALK, fits | odd, SIZE - 1)

    assert numbers(gone) == [3, 3]


@given(
    talk=st.lists(turns, max_size=12).map(tuple),
    fits=st.dictionaries(
        st.sampled_from(ids(TALK)), st.floats(allow_nan=True), max_size=4
    ),
    budget=st.integers(-5, 300),
    keep=st.integers(0, 14),
)
def test_every_turn_stays_or_leaves_in_order_and_within_the_budget(
    talk: tuple[Turn, ...], fits: dict[str, float], budget: int, keep: int
) -> None:
    kept, gone, tokens = choose(talk, fits, budget, keep_last=keep)

    places = {id(turn): at for at, turn in enumerate(talk)}
    alive = [turn for turn in talk if not turn.field(DELETED)]
    newest = alive[-1:] if keep else []
    safe = {(turn.window, turn.number) for turn in newest}
    assert sorted(map(repr, (*kept, *gone))) == sorted(map(repr, talk))
    for part in (kept, gone):
        assert [places[id(t)] for t in part] == sorted(places[id(t)] for t in part)
    assert tokens == sum(count_tokens(turn.text) for turn in kept)
    over = {(turn.window, turn.number) for turn in kept} - safe
    assert tokens <= budget or not over
    split = {(t.window, t.number) for t in kept} & {
        (t.window, t.number) for t in gone if not t.field(DELETED)
    }
    assert not split
