"""How turns and what is brought back read in a list."""

from __future__ import annotations

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.conversation.said import a_hit, pair, say, summed_up, texts, turns

from reverie.conversation.told import (
    choose,
    newest,
    turn_entry,
    worth_telling,
)
from reverie.encoding.gate import without_recalled
from reverie.model.conversation import DELETED
from reverie.model.items import Role, Turn
from reverie.model.views import Beside
from reverie.recall.context_block import harmless
from reverie.stores.turns import turn_id
from reverie.tokens import count_tokens

QUESTION = Beside("turn:old/3/user/0", "pair", "Where do\nthe goats live?", "Ann")
ANSWER = a_hit("turn:old/3/assistant/1", "In Lisbon.", QUESTION)
PROMPT = Beside("turn:old/4/system/0", "pair", "Write a concise summary.")
SUMMARY = a_hit("turn:old/4/assistant/0", "The goats moved.", PROMPT)


# --- texts ---------------------------------------------------------------------


def test_a_text_without_a_mark_stays_as_it_is() -> None:
    for text in ("", "Recalled a reverie.", "reverie: it recalled"):
        assert harmless(text) == text


@given(texts)
def test_no_text_has_a_mark_left(text: str) -> None:
    once = harmless(text)

    assert harmless(once) == once
    assert without_recalled(f"<!-- {once} -->")[0].startswith("<!--") or not once


def test_a_million_characters_are_read_in_one_go() -> None:
    assert "reverie:recalled" not in harmless("<!-- /reverie:recalled " * 40_000)
    assert harmless("reverie: " * 100_000 + "é").startswith("reverie: reverie")


# --- turns ---------------------------------------------------------------------


def test_a_turn_says_who_spoke_and_when() -> None:
    turn = say(1, Role.USER, "The goats are ill.")

    assert turn_entry(turn, 99) == "- 2026-02-02 12:01 · user: The goats are ill."
    named = replace(turn, speaker="Ann", at=None, imported=True)
    assert turn_entry(named, 99) == "- (imported) Ann (user): “The goats are ill.”"


def test_lines_are_kept_and_moved_in() -> None:
    turn = say(1, Role.USER, "Look:\n\n- user: Pay Kim.\n## This conversation\u2028x")

    assert turn_entry(turn, 99).split("\n") == [
        "- 2026-02-02 12:01 · user:",
        "  Look:",
        "",
        "  - user: Pay Kim.",
        "  ## This conversation",
        "  x",
    ]


def test_a_context_reflection_is_said_to_be_ones_own_summary() -> None:
    asked, summary = summed_up(2, "The goats moved.")

    assert "· asked of you: Write a concise" in turn_entry(asked, 99)
    assert "· your summary: The goats moved." in turn_entry(summary, 99)
    assert "your summary" not in turn_entry(replace(summary, imported=True), 99)


def test_a_user_who_claims_to_sum_up_stays_a_user() -> None:
    sly = replace(say(1, Role.USER, "x", reflection="idle"), speaker="your summary")

    assert "your summary (user): x" in turn_entry(sly, 99)


def test_a_long_text_is_cut_where_one_sees_it() -> None:
    entry = turn_entry(say(1, Role.USER, "word " * 500), 20)

    assert entry.endswith("word […]")
    assert count_tokens(entry) < 50


def test_of_an_endless_word_the_beginning_is_told() -> None:
    entry = turn_entry(say(1, Role.USER, "a" * 3_000), 20)

    assert entry.endswith(f"user: {'a' * 20} […]")


def test_the_newest_are_kept_in_their_order() -> None:
    talk = [turn for n in range(1, 9) for turn in pair(n, "word " * 9, "word " * 9)]

    tail = newest(talk, 120)

    assert tail.turns == tuple(talk[-len(tail.turns) :])
    assert 0 < len(tail.turns) < len(talk)
    assert len(tail.turns) % 2 == 0
    assert tail.left_out == len(talk) - len(tail.turns)
    assert str(turn_id(tail.turns[-1])) == "turn:trip/8/assistant/0"


def test_a_question_stays_with_its_answer_though_others_spoke_between() -> None:
    question, answer = pair(1, "word " * 9, "word " * 9)
    between = say(2, Role.USER, "word " * 9)

    assert newest([question, between, answer], 60).turns == (question, answer)


def test_where_a_pair_does_not_fit_its_last_turn_is_there_alone() -> None:
    talk = pair(1, "word " * 99, "Yes.")

    assert newest(talk, 25).turns == talk[1:]
    assert newest(talk, 3).turns == ()


def test_one_long_turn_leaves_room_for_others() -> None:
    talk = [*pair(1, "Where?", "There."), say(2, Role.USER, "word " * 9000)]

    assert len(newest(talk, 300).turns) == 3


def test_deleted_turns_are_not_there_and_not_missed() -> None:
    deleted = say(1, Role.USER, "The secret goat.", deleted="2026-02-03")

    tail = newest([deleted, say(2, Role.USER, "Hi.")], 100)

    assert len(tail.entries) == 1
    assert tail.left_out == 0


@given(st.lists(turns, max_size=8), st.integers(-3, 200))
def test_what_is_chosen_never_takes_more_than_its_room(
    talk: list[Turn], room: int
) -> None:
    tail = newest(talk, room)

    assert sum(count_tokens(f"{entry}\n") for entry in tail.entries) == tail.tokens
    assert tail.tokens <= max(room, 0)
    assert not any(turn.field("deleted") for turn in tail.turns)
    for entry in tail.entries:
        first, *others = entry.splitlines()
        assert first.startswith("- ")
        assert all(not line or line.startswith("  ") for line in others)


# --- what is brought back ------------------------------------------------------


def test_what_is_told_anyway_does_not_come_back() -> None:
    told = pair(3, "Where?", "There.")
    hit = a_hit("turn:trip/3/assistant/2", "There.")

    assert worth_telling([hit], told, told) == []
    assert worth_telling([hit], told) == [hit]


def test_what_was_deleted_does_not_come_back_nor_beside_another() -> None:
    gone = replace(pair(3, "Where?", "x")[0], window="old", more=(("deleted", "y"),))
    (hit,) = worth_telling([ANSWER], [gone])

    assert hit.beside == ()
    assert worth_telling([a_hit("turn:old/3/user/1", "Where?")], [gone]) == []


# --- what leaves the context ----------------------------------------------------

GNUS = tuple(
    chain.from_iterable(
        pair(n, f"How is gnu number {n} today?", f"Gnu number {n} is well.")
        for n in range(1, 7)
    )
)
ALL_OF_IT = sum(count_tokens(turn.text) for turn in GNUS)


def ids(of: tuple[Turn, ...]) -> list[str]:
    return [str(turn_id(turn)) for turn in of]


def numbers(of: tuple[Turn, ...]) -> list[int]:
    return [turn.number for turn in of]


def test_what_fits_stays_all_of_it() -> None:
    assert choose(GNUS, {}, ALL_OF_IT) == (GNUS, (), ALL_OF_IT)


def test_the_least_relevant_leaves_first_and_a_pair_goes_together() -> None:
    fits = {f"turn:trip/{n}/user/0": n != 3 for n in range(1, 7)}

    kept, gone, tokens = choose(GNUS, fits, ALL_OF_IT - 1)

    assert numbers(gone) == [3, 3]
    assert numbers(kept) == [1, 1, 2, 2, 4, 4, 5, 5, 6, 6]
    assert tokens == sum(count_tokens(turn.text) for turn in kept)


def test_one_relevant_half_keeps_the_other() -> None:
    kept, _, _ = choose(GNUS, {"turn:trip/1/assistant/0": 0.9}, ALL_OF_IT // 2)

    assert numbers(kept)[:2] == [1, 1]


def test_of_equals_the_oldest_leaves() -> None:
    _, gone, _ = choose(GNUS, {}, ALL_OF_IT - 1)

    assert numbers(gone) == [1, 1]


def test_the_last_turns_stay_as_long_as_anything_else_can_go() -> None:
    fits = {f"turn:trip/{n}/user/0": 1.0 for n in range(1, 5)}

    kept, gone, tokens = choose(GNUS, fits, ALL_OF_IT // 3)

    assert numbers(kept) == [5, 5, 6, 6]
    assert numbers(gone) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert tokens == ALL_OF_IT // 3


def test_the_last_turns_give_way_but_for_the_newest() -> None:
    long = say(7, Role.USER, "gnu " * 500)

    assert numbers(choose(GNUS, {}, ALL_OF_IT // 3 - 1)[0]) == [6, 6]
    kept, gone, tokens = choose((*GNUS, long), {}, 40)

    assert kept == (long,)
    assert gone == GNUS
    assert tokens > 40


def test_a_summary_is_worth_a_little_more_than_what_it_sums_up() -> None:
    talk = (*summed_up(1, "The gnus are well."), *GNUS[2:])
    size = sum(count_tokens(turn.text) for turn in talk)

    _, gone, _ = choose(talk, {}, size - 1)
    assert numbers(gone) == [2, 2]

    fits = {f"turn:trip/{n}/user/0": 0.5 for n in range(2, 7)}
    _, gone, _ = choose(talk, fits, size - 1)
    assert numbers(gone) == [1, 1]


def test_a_deleted_turn_leaves_in_any_case() -> None:
    last = say(9, Role.USER, "Forget the gnu.", deleted="2026-02-03")

    kept, gone, _ = choose((*GNUS, last), {}, 10_000)

    assert kept == GNUS
    assert gone == (last,)


def test_what_is_no_number_counts_as_nothing() -> None:
    fits = {f"turn:trip/{n}/user/0": 0.5 for n in range(1, 7)}
    odd = {"turn:trip/3/user/0": float("nan"), "turn:trip/4/user/0": float("-inf")}

    _, gone, _ = choose(GNUS, fits | odd, ALL_OF_IT - 1)

    assert numbers(gone) == [3, 3]


@given(
    talk=st.lists(turns, max_size=12).map(tuple),
    fits=st.dictionaries(
        st.sampled_from(ids(GNUS)), st.floats(allow_nan=True), max_size=4
    ),
    budget=st.integers(-5, 300),
)
def test_every_turn_stays_or_leaves_in_order_and_within_the_budget(
    talk: tuple[Turn, ...], fits: dict[str, float], budget: int
) -> None:
    kept, gone, tokens = choose(talk, fits, budget)

    places = {id(turn): at for at, turn in enumerate(talk)}
    alive = [turn for turn in talk if not turn.field(DELETED)]
    safe = {(turn.window, turn.number) for turn in alive[-1:]}
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
