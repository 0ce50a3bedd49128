"""What was forgotten does not come back by the request to forget it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from reverie import Memory, Semantic
from reverie.model.change import REMEMBER
from reverie.model.items import Role

if TYPE_CHECKING:
    from pathlib import Path

FACT = "The spare key lies under the blue flowerpot"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    clock = datetime(2026, 2, 2, 12, tzinfo=UTC)
    memory = Memory.init(tmp_path / "agent", clock=lambda: clock)
    memory.remember(FACT, Semantic("place--house", "place"), actor=REMEMBER)
    return memory


def forget(memory: Memory) -> None:
    found = memory.find_to_forget("the spare key under the flowerpot")
    memory.forget([m for m in found.matches if m.id.startswith("entity:")])


def told(memory: Memory) -> str:
    question = "Where is the spare key, under which flowerpot?"
    window = memory.window("other")
    return f"{memory.context(question)}{window.attend(question).text}"


@pytest.mark.parametrize(
    "request_",
    [
        "Please forget that the spare key lies under the blue flowerpot.",
        "Unohda, että spare key lies under the blue flowerpot.",
    ],
)
def test_the_request_and_the_reply_that_repeat_it_are_not_recalled(
    memory: Memory, request_: str
) -> None:
    window = memory.window("chat")
    window.say(request_)
    forget(memory)
    window.say(
        "Done: I have forgotten that the spare key lies under the blue flowerpot.",
        role=Role.ASSISTANT,
    )

    assert "flowerpot" not in told(memory)
    assert len(window.turns(deleted=True)) == 2


def test_a_question_before_the_user_agrees_is_not_recalled_either(
    memory: Memory,
) -> None:
    window = memory.window("chat")
    window.exchange(
        "Forget where my spare key is.",
        "Do you mean: the spare key lies under the blue flowerpot?",
    )
    window.say("Yes")
    forget(memory)

    assert "flowerpot" not in told(memory)


def test_other_turns_are_still_recalled(memory: Memory) -> None:
    window = memory.window("chat")
    window.say("I painted the flowerpot blue and put it in the garden.")
    forget(memory)

    assert "painted the flowerpot" in memory.context("Who painted the flowerpot?")


def test_what_the_user_says_anew_is_recalled(memory: Memory) -> None:
    forget(memory)
    memory.window("chat").say(f"{FACT}.")

    assert "flowerpot" in told(memory)
