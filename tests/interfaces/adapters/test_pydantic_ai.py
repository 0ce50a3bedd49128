"""Agents of pydantic-ai that live with a memory, with models of its own for tests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from reverie import AsyncMemory, Memory, Role, Semantic

pytest.importorskip("pydantic_ai", reason="make test-adapters installs it")

from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, models
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from reverie.interfaces.adapters.pydantic_ai import ReverieMemory, memory_toolset

if TYPE_CHECKING:
    from tests.memory.home import Home

models.ALLOW_MODEL_REQUESTS = False

MAIN = {
    *("recall", "show", "remember", "correct"),
    *("forget", "merge", "review", "undo"),
}


class Scripted:
    """A model that does what a list says, and keeps what it was asked."""

    def __init__(self, *parts: Any) -> None:
        self.parts, self.asked = list(parts), list[Any]()

    @property
    def model(self) -> Any:
        """It, as pydantic-ai has it."""

        def respond(messages: list[Any], info: Any) -> ModelResponse:
            self.asked.append((messages, info))
            return ModelResponse(parts=[self.parts.pop(0)])

        return FunctionModel(respond)

    @property
    def returned(self) -> list[str]:
        """What tools answered, as the model was told."""
        last = self.asked[-1][0]
        parts = [part for message in last for part in message.parts]
        return [
            part.model_response_str()
            for part in parts
            if part.part_kind == "tool-return"
        ]


def call(name: str, **arguments: Any) -> ToolCallPart:
    return ToolCallPart(name, arguments)


def say(text: str) -> TextPart:
    return TextPart(text)


# --- tools --------------------------------------------------------------------


def test_an_agent_remembers_recalls_corrects_forgets_and_takes_back(
    memory: Memory,
) -> None:
    new = {"text": "Nora lives in Lisbon.", "about": "person--nora"}
    script = Scripted(
        call("remember", memories=[new]),
        call("recall", question="Where does Nora live?"),
        call("correct", id="Nora lives in Lisbon.", text="Nora lives in Porto."),
        call("forget", what="Nora lives in Porto"),
        call("show", what="entity:person--nora"),
        say("Done."),
    )
    agent = Agent(script.model, toolsets=[memory_toolset(memory)])

    assert agent.run_sync("Go.").output == "Done."

    remembered, recalled, corrected, listed, shown = script.returned
    assert '"ids":["person--nora#' in remembered
    assert "Lisbon" in recalled
    assert '"done":true' in corrected
    assert "Nothing is forgotten yet" in listed
    assert "Porto" in shown
    id_ = memory.find_to_forget("Nora lives in Porto").matches[0].id
    change = memory.history(limit=1)[0].commit
    again = Scripted(
        call("undo", change=change), call("forget", ids=[id_]), say("Forgotten.")
    )
    Agent(again.model, toolsets=[memory_toolset(memory)]).run_sync("Go.")
    assert all('"done":true' in told for told in again.returned)


def test_a_refusal_is_an_answer_and_ends_no_run(memory: Memory) -> None:
    wrong = [call("show", what="entity:person--nobody") for _ in range(4)]
    script = Scripted(*wrong, say("There is none."))

    done = Agent(script.model, toolsets=[memory_toolset(memory)]).run_sync("Go.")

    assert done.output == "There is none."
    assert all(
        told.startswith("Not done: there is no memory") for told in script.returned
    )


def test_every_tool_can_be_called_by_its_schema(memory: Memory) -> None:
    model = TestModel()

    Agent(model, toolsets=[memory_toolset(memory)]).run_sync("Go.")

    asked = model.last_model_request_parameters
    assert asked is not None
    assert {tool.name for tool in asked.function_tools} == MAIN
    assert all(tool.description for tool in asked.function_tools)


def test_a_sub_agent_reads_and_proposes_and_has_no_other_tool(memory: Memory) -> None:
    memory.remember("Nora lives in Lisbon.", Semantic("Nora", "person"))
    script = Scripted(
        call("recall", question="Where does Nora live?"),
        call("propose", content="Nora likes tea.", entities=["person--nora"]),
        say("Proposed."),
    )
    agent = Agent(script.model, toolsets=[memory_toolset(memory, agent="scout")])

    agent.run_sync("Go.")

    tools = {tool.name for tool in script.asked[0][1].function_tools}
    assert tools == {"recall", "show", "propose"}
    assert "Lisbon" in script.returned[0]
    assert [each.sender for each in memory.pending()] == ["scout"]


# --- a capability -------------------------------------------------------------


def test_an_agent_wakes_attends_and_is_recorded(memory: Memory) -> None:
    memory.remember("Nora lives in Lisbon since May.")
    script = Scripted(say("In Lisbon."), say("Mo."))
    agent = Agent(script.model, capabilities=[ReverieMemory(memory, window="trip")])

    agent.run_sync("Where does Nora live? Remember that my cat is called Mo.")
    agent.run_sync("What is my cat called?")

    first, second = (info.instructions for _, info in script.asked)
    assert "## Known" in first
    assert "Nora lives in Lisbon since May." in first
    assert "What the user asked to remember is kept" in first
    assert "my cat is called Mo" in second
    said = [(turn.number, turn.role, turn.text) for turn in memory.turns("trip")]
    assert said == [
        (1, Role.USER, "Where does Nora live? Remember that my cat is called Mo."),
        (1, Role.ASSISTANT, "In Lisbon."),
        (2, Role.USER, "What is my cat called?"),
        (2, Role.ASSISTANT, "Mo."),
    ]


def test_a_conversation_goes_by_the_name_that_the_framework_has_for_it(
    memory: Memory,
) -> None:
    script = Scripted(say("One."), say("Two."), say("Other."))
    agent = Agent(script.model, capabilities=[ReverieMemory(memory)])

    first = agent.run_sync("First?")
    agent.run_sync("Second?", message_history=first.all_messages())
    agent.run_sync("Elsewhere?")

    windows = [[t.text for t in memory.turns(w.name)] for w in memory.windows()]
    assert sorted(windows) == [
        ["Elsewhere?", "Other."],
        ["First?", "One.", "Second?", "Two."],
    ]
    assert all(w.name.startswith("pydantic-ai-") for w in memory.windows())


def test_what_an_agent_was_told_is_not_learned_again(memory: Memory) -> None:
    memory.remember("Nora lives in Lisbon since May.")
    script = Scripted(say("In Lisbon."))
    agent = Agent(script.model, capabilities=[ReverieMemory(memory, window="trip")])

    agent.run_sync("Where does Nora live?")

    assert not any("reverie:recalled" in turn.text for turn in memory.turns("trip"))


class Place(BaseModel):
    """What an agent answers with."""

    city: str


def test_other_answers_and_other_prompts_are_recorded_by_their_words(
    memory: Memory,
) -> None:
    script = Scripted(call("final_result", city="Lisbon"))
    agent = Agent(
        script.model,
        output_type=Place,
        capabilities=[ReverieMemory(memory, window="trip")],
    )

    done = agent.run_sync(
        ["Where is this?", BinaryContent(b"x", media_type="image/png")]
    )

    assert done.output == Place(city="Lisbon")
    said = [turn.text for turn in memory.turns("trip")]
    assert said == ["Where is this?", '{"city":"Lisbon"}']


def test_a_sub_agents_words_are_not_recorded(memory: Memory) -> None:
    script = Scripted(say("Nothing found."))
    agent = Agent(script.model, capabilities=[ReverieMemory(memory, agent="scout")])

    agent.run_sync("Search.")

    assert memory.windows() == []
    assert {t.name for t in script.asked[0][1].function_tools} == {
        *("recall", "show", "propose"),
    }


def test_whatever_is_wrong_with_memory_the_user_gets_an_answer(
    memory: Memory,
) -> None:
    script = Scripted(say("Here I am."))
    agent = Agent(script.model, capabilities=[ReverieMemory(memory)])
    memory.close()

    assert agent.run_sync("Hello?").output == "Here I am."


def test_several_agents_are_awaited_at_once(home: Home) -> None:
    async def talk() -> None:
        async with AsyncMemory(home.root, environ={}) as memory:

            async def one(number: int) -> None:
                new = {"text": f"Item {number} is ready.", "store": "episodic"}
                script = Scripted(call("remember", memories=[new]), say("Ok."))
                own = ReverieMemory(memory, window=f"talk-{number}")
                await Agent(script.model, capabilities=[own]).run(f"Number {number}?")

            await asyncio.gather(*map(one, range(6)))

    home.memory.close()
    asyncio.run(talk())

    memory = home.reopen()
    assert all(len(memory.turns(f"talk-{n}")) == 2 for n in range(6))
    kept = {item.text for item in memory.items("episodic")}
    assert {f"Item {n} is ready." for n in range(6)} <= kept
