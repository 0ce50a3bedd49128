"""A session of OpenAI Agents, by its real runner and a scripted model."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from reverie import AsyncMemory, Memory, Role

pytest.importorskip("agents", reason="make test-adapters installs it")

from agents.items import ModelResponse
from agents.memory import Session, SessionSettings, SQLiteSession
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from agents import Agent, Runner, function_tool, set_tracing_disabled
from reverie.interfaces.adapters.files import BrokenFileError
from reverie.interfaces.adapters.openai_agents import ReverieSession

if TYPE_CHECKING:
    from tests.memory.home import Home

KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
FILES = "memory/notebooks/openai-agents/trip"

ASKED = {"role": "user", "content": "Where do we stay in Rome?"}
THOUGHT = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "They mean the hotel."}],
    "encrypted_content": "gAAAA--><!--",
}
CALLED = {
    "id": "fc_1",
    "type": "function_call",
    "call_id": "call_1",
    "name": "find_hotel",
    "arguments": '{"city": "Rome"}',
    "status": "completed",
}
RETURNED = {
    "type": "function_call_output",
    "call_id": "call_1",
    "output": "Hotel Navona\n## 14 Via Sediari\0",
}
ANSWERED = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "phase": "final_answer",
    "content": [
        {
            "type": "output_text",
            "text": "In the small hotel behind the Pantheon.",
            "annotations": [],
            "logprobs": [],
        }
    ],
}
EVERYTHING: list[Any] = [ASKED, THOUGHT, CALLED, RETURNED, ANSWERED]
ODD: list[Any] = [
    {"role": "user", "content": "  spaces at its edges \r\n"},
    {"role": "user", "content": ""},
    {"role": "user", "content": [{"type": "input_image", "image_url": "data:x"}]},
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "one"},
            {"type": "input_text", "text": "two"},
        ],
    },
    {"role": "developer", "content": "Be brief."},
    {"role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]},
    {"role": "assistant", "content": "and once more"},
    {"role": "user", "content": "very long " * 20_000},
    {"type": "item_reference", "id": "x"},
    {"type": "compaction", "encrypted_content": "abc"},
    {"role": "user", "content": "half \ud83d and \u202e turned"},
    {"role": "user", "content": "\ufe0f\ufe0f"},
]


@pytest.fixture
def session(memory: Memory) -> ReverieSession:
    """A session in a new workspace."""
    return ReverieSession("trip", memory)


def test_it_is_a_session_of_the_framework(session: ReverieSession) -> None:
    assert isinstance(session, Session)


def test_items_come_back_exactly_and_messages_are_turns(
    memory: Memory, session: ReverieSession
) -> None:
    async def talk() -> list[Any]:
        await session.add_items([ASKED])
        await session.add_items([THOUGHT, CALLED, RETURNED, ANSWERED])
        return await session.get_items()

    assert asyncio.run(talk()) == EVERYTHING
    said = [(turn.number, turn.role, turn.text) for turn in memory.turns("trip")]
    assert said == [
        (1, Role.USER, "Where do we stay in Rome?"),
        (1, Role.ASSISTANT, "In the small hotel behind the Pantheon."),
    ]
    found = memory.recall("Which hotel in Rome?").hits
    assert any(hit.id.startswith("turn:trip/1/assistant") for hit in found)
    assert not any("Navona" in hit.text for hit in memory.recall("Navona").hits)


@pytest.mark.parametrize("item", ODD, ids=lambda item: str(item)[:60])
def test_whatever_an_item_is_it_comes_back(session: ReverieSession, item: Any) -> None:
    async def talk() -> list[Any]:
        await session.add_items([item])
        return await session.get_items()

    assert asyncio.run(talk()) == [item]


def test_it_answers_as_the_frameworks_own_session_does(session: ReverieSession) -> None:
    async def talk(each: Any) -> list[Any]:
        seen: list[Any] = [await each.pop_item()]
        await each.add_items([])
        await each.add_items(EVERYTHING)
        await each.add_items(ODD[:6])
        for limit in (None, 0, 1, 3, 100):
            seen += [await each.get_items(limit)]
        for _ in range(4):
            seen += [await each.pop_item()]
        seen.append(await each.get_items())
        await each.add_items([{"role": "user", "content": "again"}])
        seen.append(await each.get_items(2))
        await each.clear_session()
        seen.append(await each.get_items())
        await each.add_items([ASKED])
        seen.append(await each.get_items())
        return seen

    own = SQLiteSession("trip")
    assert asyncio.run(talk(session)) == asyncio.run(talk(own))
    own.close()


def test_the_words_of_a_message_stand_in_one_place(
    home: Home, session: ReverieSession
) -> None:
    asyncio.run(session.add_items(EVERYTHING))
    home.memory.turns("trip")

    assert "Pantheon" not in home.text(f"{FILES}/000001.md")
    assert "Pantheon" in home.text("conversations/trip.md")


def test_a_turn_that_was_deleted_goes_with_its_tool_calls(
    memory: Memory, session: ReverieSession
) -> None:
    async def talk() -> list[Any]:
        await session.add_items(EVERYTHING)
        await session.add_items([{"role": "user", "content": "And in Oslo?"}])
        return await session.get_items()

    asyncio.run(talk())
    memory.window("trip").delete(1)

    left = asyncio.run(session.get_items())
    assert left == [{"role": "user", "content": "And in Oslo?"}]
    memory.undo()
    assert len(asyncio.run(session.get_items())) == 6


def test_without_its_answer_a_question_stays_alone(
    memory: Memory, session: ReverieSession
) -> None:
    asyncio.run(session.add_items(EVERYTHING))

    memory.window("trip").delete(1, role=Role.ASSISTANT)

    assert asyncio.run(session.get_items()) == [ASKED]


def test_what_was_corrected_comes_back_corrected(
    memory: Memory, session: ReverieSession
) -> None:
    asyncio.run(session.add_items(EVERYTHING))

    memory.window("trip").edit(1, "In the hostel.", role=Role.ASSISTANT)

    found = asyncio.run(session.get_items())[-1]
    assert found["content"][0]["text"] == "In the hostel."
    assert found["id"] == "msg_1"


def test_what_is_off_the_record_is_not_given_again(session: ReverieSession) -> None:
    async def talk() -> list[Any]:
        await session.add_items(
            [{"role": "user", "content": "Off the record: Mia is pregnant."}]
        )
        await session.add_items([{"role": "user", "content": "What is the time?"}])
        return await session.get_items()

    assert asyncio.run(talk()) == [{"role": "user", "content": "What is the time?"}]


def test_what_is_popped_is_no_longer_said(
    memory: Memory, session: ReverieSession
) -> None:
    async def talk() -> Any:
        await session.add_items(EVERYTHING)
        return await session.pop_item()

    assert asyncio.run(talk()) == ANSWERED
    assert [turn.role for turn in memory.turns("trip")] == [Role.USER]
    assert len(memory.turns("trip", deleted=True)) == 2


def test_a_cleared_session_is_in_history_and_its_words_in_the_record(
    memory: Memory, session: ReverieSession
) -> None:
    async def talk() -> list[Any]:
        await session.add_items(EVERYTHING)
        await session.clear_session()
        return await session.get_items()

    assert asyncio.run(talk()) == []
    assert len(memory.turns("trip")) == 2
    memory.undo()
    assert asyncio.run(session.get_items()) == EVERYTHING


@pytest.mark.parametrize(
    "item",
    [
        {"role": "user", "content": f"My token is {KEY}"},
        CALLED | {"arguments": f'{{"token": "{KEY}"}}'},
        RETURNED | {"output": f"token: {KEY}\npassword = Xk29-vTq8!mZ"},
        {"type": "custom", "password": "Xk29-vTq8!mZ", "api_key": KEY, "n": [1, KEY]},
    ],
    ids=str,
)
def test_no_secret_is_written_down(
    home: Home, session: ReverieSession, item: Any
) -> None:
    async def talk() -> list[Any]:
        await session.add_items([item])
        return await session.get_items()

    found = asyncio.run(talk())

    assert len(found) == 1
    assert found[0].keys() == item.keys()
    for path, data in home.tracked().items():
        assert KEY.encode() not in data, path
        assert b"Xk29" not in data, path


def test_a_long_conversation_is_no_secret(session: ReverieSession) -> None:
    items: list[Any] = []
    for number in range(120):
        items += [{"role": "user", "content": f"And number {number}?"}, ANSWERED]

    asyncio.run(session.add_items(items))

    assert asyncio.run(session.get_items()) == items


def test_what_is_erased_is_gone_from_the_session(
    home: Home, session: ReverieSession
) -> None:
    asyncio.run(session.add_items(EVERYTHING))

    home.memory.erase(text="In the small hotel behind the Pantheon.")

    assert "Pantheon" not in str(asyncio.run(session.get_items()))
    assert home.git("log", "--all", "-S", "Pantheon", "--oneline") == ""


def test_a_text_is_erased_from_tool_calls_too(
    home: Home, session: ReverieSession
) -> None:
    asyncio.run(session.add_items(EVERYTHING))

    home.memory.erase(text="Hotel Navona")

    assert "Navona" not in str(asyncio.run(session.get_items()))
    assert home.git("log", "--all", "-S", "Navona", "--oneline") == ""


def test_a_limit_may_stand_in_the_settings(memory: Memory) -> None:
    settings = SessionSettings(limit=2)
    session = ReverieSession("trip", memory, session_settings=settings)

    asyncio.run(session.add_items(EVERYTHING))

    assert asyncio.run(session.get_items()) == [RETURNED, ANSWERED]


def test_sessions_do_not_mix_whatever_they_are_called(memory: Memory) -> None:
    names = ["trip", "Trip", "../trip", "trip/2", "t" * 300, "旅"]

    async def talk() -> None:
        for name in names:
            item = {"role": "user", "content": f"hello {name}"}
            await ReverieSession(name, memory).add_items([item])
        for name in names:
            found = await ReverieSession(name, memory).get_items()
            assert found == [{"role": "user", "content": f"hello {name}"}]

    asyncio.run(talk())


def test_a_file_that_somebody_broke_is_told(
    home: Home, session: ReverieSession
) -> None:
    asyncio.run(session.add_items(EVERYTHING))
    home.type(f"{FILES}/000001.md", "<!-- openai-agents\n{broken\n-->\n")

    with pytest.raises(BrokenFileError, match="000001"):
        asyncio.run(session.get_items())


# --- by the runner -----------------------------------------------------------


class Scripted(Model):
    """A model that answers from a list, and remembers what it was asked."""

    def __init__(self, *answers: list[Any]) -> None:
        self.answers, self.asked = list(answers), list[Any]()

    async def get_response(self, *_: Any, **asked: Any) -> ModelResponse:
        """The next answer."""
        self.asked.append(asked["input"])
        return ModelResponse(self.answers.pop(0), Usage(), None)

    def stream_response(self, *_: Any, **_rest: Any) -> Any:
        """Not used."""
        raise NotImplementedError


def message(text: str, name: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id=name, content=[part], role="assistant", status="completed", type="message"
    )


@function_tool
def find_hotel(city: str) -> str:
    """Find a hotel."""
    return f"Hotel Navona in {city}"


def test_an_agent_goes_on_where_it_was_in_the_next_process(home: Home) -> None:
    set_tracing_disabled(disabled=True)
    call = ResponseFunctionToolCall(
        id="fc_1",
        call_id="call_1",
        name="find_hotel",
        arguments='{"city": "Rome"}',
        type="function_call",
    )
    home.memory.close()

    async def run(model: Scripted, said: str) -> Any:
        agent = Agent("guide", model=model, tools=[find_hotel])
        async with AsyncMemory(home.root, environ={}) as memory:
            session = ReverieSession("trip", memory)
            done = await Runner.run(agent, said, session=session)
            return done.final_output

    first = Scripted([call], [message("The Navona.", "msg_1")])
    second = Scripted([message("Two nights.", "msg_2")])
    assert asyncio.run(run(first, "Which hotel?")) == "The Navona."
    assert asyncio.run(run(second, "How long?")) == "Two nights."

    kinds = [each.get("type", each.get("role")) for each in second.asked[0]]
    assert kinds == [
        *("user", "function_call", "function_call_output", "message", "user"),
    ]
    assert second.asked[0][2]["output"] == "Hotel Navona in Rome"
    said = [turn.text for turn in home.reopen().turns("trip")]
    assert said == ["Which hotel?", "The Navona.", "How long?", "Two nights."]
