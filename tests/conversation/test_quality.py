"""How well context reflections do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conversation.said import summed_up

from reverie.conversation.context_reflection import MOST_TOPICS, measure
from reverie.model.conversation import Quality

if TYPE_CHECKING:
    from reverie.model.items import Turn

GOATS = summed_up(3, "We decided that Lisbon is where the goats will live.")
VET = summed_up(7, "The vet in Lisbon looks after one goat. Lisbon is warm.")
WRONG = summed_up(9, "The goats move to Oslo.", deleted="2026-02-03")


def test_nothing_was_written_yet() -> None:
    assert measure([], {"turn:trip/3/assistant/0": 4}) == Quality()


def test_written_and_deleted_ones_are_counted() -> None:
    quality = measure([GOATS, VET, WRONG], {})

    assert (quality.written, quality.deleted) == (3, 1)
    assert (quality.resurrected, quality.useful) == (0, 0)


def test_a_pair_that_comes_back_counts_once_each_time() -> None:
    times = {
        "turn:trip/3/assistant/0": 2,
        "turn:trip/3/system/0": 3,
        "turn:trip/7/system/0": 1,
        "turn:trip/5/assistant/0": 9,
    }

    quality = measure([GOATS, VET, WRONG], times)

    assert (quality.resurrected, quality.useful) == (4, 2)


def test_passages_of_a_long_summary_count_for_it() -> None:
    times = {"turn:trip/3/assistant/0": 1, "turn:trip/3/assistant/4": 2}

    assert measure([GOATS], times).resurrected == 3


def test_a_window_of_a_like_name_is_another_one() -> None:
    assert measure([GOATS], {"turn:trip/33/assistant/0": 1}).resurrected == 0


def test_a_prompt_without_an_answer_is_no_reflection() -> None:
    asked: tuple[Turn, Turn | None] = (GOATS[0], None)
    alone: tuple[Turn, Turn | None] = (GOATS[1], None)

    assert measure([asked], {}).written == 0
    assert measure([alone, (VET[1], VET[0])], {}).written == 2


def test_topics_are_what_most_summaries_are_about() -> None:
    topics = measure([GOATS, VET, WRONG], {}).topics

    assert topics[:2] == (("Lisbon", 2), ("goat", 2))
    assert "Oslo" not in dict(topics)
    assert not {"decided", "where", "The", "We"} & set(dict(topics))


def test_topics_are_few_and_always_the_same() -> None:
    many = [summed_up(n, f"Alpha beta gamma word{n}x topic{n}y") for n in range(1, 30)]

    topics = measure(many, {}).topics

    assert len(topics) == MOST_TOPICS
    assert topics[0] == ("Alpha", 29)
    assert topics == measure(many, {}).topics
