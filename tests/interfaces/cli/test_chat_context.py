"""What a model is told in a chat, within its budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import agrees

from reverie import Block, Core, Memory, ScriptedMind
from reverie.encoding.gate import OnlyRecalledError
from reverie.interfaces.cli.chat_context import ChatError, Context
from reverie.model.items import Role
from reverie.recall.context_block import CLOSING, OPENING
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie.conversation.window import Window

BUDGET = 2_000
SUMMARY = "They spoke of kites. " * 40


@pytest.fixture
def mind() -> ScriptedMind:
    """A mind whose summaries are long for such a budget."""
    return ScriptedMind(lambda _: {"summary": SUMMARY})


@pytest.fixture
def memory(tmp_path: Path, mind: ScriptedMind) -> Iterator[Memory]:
    """A workspace with that mind."""
    with Memory.init(tmp_path / "agent", environ={}, mind=mind, human=agrees) as made:
        made.tidy_on_close = False
        yield made


def begun(memory: Memory, budget: int = BUDGET) -> tuple[Window, Context]:
    window = memory.window("kites")
    context = Context(window, memory.config.conversation.wake_tokens, budget, "")
    context.wake()
    return window, context


def taken(context: Context) -> int:
    said = sum(count_tokens(each.text) for each in context.messages())
    return said + context.most_answer


def test_a_budget_holds_and_a_summary_serves_for_several_messages(
    memory: Memory, mind: ScriptedMind
) -> None:
    window, context = begun(memory)

    for number in range(12):
        turn = window.say(f"{number} {'kite ' * 150}")
        context.add(turn, f"{OPENING}\n{'wind ' * 50}\n{CLOSING}")
        context.fit()
        assert taken(context) <= BUDGET
        assert context.messages()[-1].text.endswith(turn.text)
        context.add(window.say("Fine.", role=Role.ASSISTANT))

    assert 2 <= len(mind.questions) <= 4


def test_a_summary_is_marked_as_what_memory_tells(memory: Memory) -> None:
    window, context = begun(memory)
    for number in range(8):
        context.add(window.say(f"{number} {'kite ' * 150}"))

    context.fit()
    summary = context.messages()[1]

    assert summary.text.startswith(f"{OPENING}\n## What was said before, in short\n")
    assert "They spoke of kites." in summary.text
    assert summary.text.endswith(CLOSING)
    with pytest.raises(OnlyRecalledError):
        window.say(summary.text)


def test_a_message_that_cannot_fit_is_refused_and_costs_the_others_nothing(
    memory: Memory, mind: ScriptedMind
) -> None:
    window, context = begun(memory)
    context.add(window.say("A kite?"))
    context.add(window.say("word " * 5_000))

    with pytest.raises(ChatError, match="room for"):
        context.fit()

    assert [each.text for each in context.messages()[1:]] == ["A kite?"]
    assert mind.questions == []


def test_what_memory_adds_gives_way_to_the_message_itself(memory: Memory) -> None:
    window, context = begun(memory)
    context.add(window.say("A kite?"), "wind " * 5_000)

    context.fit()

    assert context.messages()[-1].text == "A kite?"


def test_a_budget_that_memory_fills_is_refused(memory: Memory) -> None:
    begun(memory)[1].require_room()
    for number in range(12):
        memory.remember(f"Kite {number}: " + "red wind " * 12, Core(Block.CONTEXT))
    memory.wake("kites", new=True)

    with pytest.raises(ChatError, match="no room for a conversation"):
        begun(memory, 1_000)[1].require_room()
