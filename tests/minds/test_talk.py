"""Talking with a model server: words in, words out, never for more than allowed."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.minds.servers import KEY, MemoryPurse, Server, completion, says
from tests.strategies import built

from reverie.config import Config
from reverie.errors import RefusedError
from reverie.minds import open_talker
from reverie.minds.api import merged
from reverie.minds.mind import (
    CutShortError,
    DeclinedError,
    Message,
    OutOfTokensError,
    Use,
)
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.minds.servers import Behaviour

MOST = 50
HELLO = Message(Role.USER, "Hello?")
REASONS = {
    "openai": ("stop", "length", "content_filter"),
    "anthropic": ("end_turn", "max_tokens", "refusal"),
}


@pytest.fixture(params=REASONS)
def style(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def answers(style: str, text: str, reason: int = 0) -> Behaviour:
    """A server of this style that says this: wholly, cut off, or not at all."""
    why = REASONS[style][reason]
    if style == "openai":
        whole = completion(text)
        whole["choices"][0]["finish_reason"] = why
        return says(200, json.dumps(whole))
    thought = {"type": "thinking", "thinking": "Hm."}
    usage = {"input_tokens": 40, "output_tokens": 7}
    content = [thought, {"type": "text", "text": text}]
    told = {"content": content, "stop_reason": why, "usage": usage}
    return says(200, json.dumps(told))


def talk(server: Server, style: str, *messages: Message, **changed: Any) -> str:  # noqa: ANN401
    talker = server.talker(**{"style": style, **changed})
    return talker.talk(messages or [HELLO], most_tokens=MOST)


def test_an_answer_is_heard_and_paid_for(server: Server, style: str) -> None:
    server.does(answers(style, "Good morning.\n"))

    assert talk(server, style, model="tiny") == "Good morning."
    assert server.purse.used == [Use("chat", "tiny", 40, 7, estimated=False)]
    assert server.purse.standing == {}


def test_the_messages_go_in_their_order_to_openai(server: Server) -> None:
    server.does(answers("openai", "Yes."))
    messages = [
        Message(Role.SYSTEM, "Be brief."),
        Message(Role.USER, "One."),
        Message(Role.USER, "Two."),
        Message(Role.ASSISTANT, "  "),
        Message(Role.ASSISTANT, "Three."),
        Message(Role.SYSTEM, "It is late."),
        Message(Role.USER, "Four?"),
    ]

    talk(server, "openai", *messages, model="tiny")

    heard = server.heard[0]
    assert heard.path == "/v1/chat/completions"
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "One.\n\nTwo."},
            {"role": "assistant", "content": "Three."},
            {"role": "system", "content": "It is late."},
            {"role": "user", "content": "Four?"},
        ],
        "max_tokens": MOST,
    }


def test_the_system_stands_apart_and_roles_take_turns_for_anthropic(
    server: Server,
) -> None:
    server.does(answers("anthropic", "Yes."))
    messages = [
        Message(Role.SYSTEM, "Be brief."),
        Message(Role.ASSISTANT, "Zero."),
        Message(Role.USER, "One."),
        Message(Role.SYSTEM, "It is late."),
        Message(Role.USER, "Two?"),
    ]

    talk(server, "anthropic", *messages, model="claude")

    heard = server.heard[0]
    assert heard.path == "/v1/messages"
    assert heard.headers["x-api-key"] == KEY
    assert heard.body == {
        "model": "claude",
        "max_tokens": MOST,
        "system": "Be brief.\n\nIt is late.",
        "messages": [
            {"role": "user", "content": "…"},
            {"role": "assistant", "content": "Zero."},
            {"role": "user", "content": "One.\n\nTwo?"},
        ],
    }


MESSAGES = st.lists(
    built(Message, st.sampled_from(Role), st.sampled_from(["", " ", "a", "b\n"]))
)


def words(messages: Iterable[Message]) -> list[str]:
    return [word for message in messages for word in message.text.split()]


@given(MESSAGES)
def test_merged_roles_alternate_and_no_word_is_lost(messages: list[Message]) -> None:
    found = merged(messages)

    roles = [message.role for message in found]
    assert all(one is not other for one, other in pairwise(roles))
    assert words(found) == words(messages)
    assert merged(found) == found


@pytest.mark.parametrize(
    "messages", [[], [Message(Role.USER, " \n")], [Message(Role.SYSTEM, "Be brief.")]]
)
def test_nobody_is_asked_to_answer_nothing(
    server: Server, messages: list[Message]
) -> None:
    with pytest.raises(RefusedError):
        server.talker().talk(messages, most_tokens=MOST)

    assert (server.heard, server.purse.reserved) == ([], [])


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("a\x1b]0;gone\x07\x9b2J\r\nb\tc", "a]0;gone2J\nb\tc"),
        (" <think>a</think> <think>b</think> c", "<think>b</think> c"),
        ("a\ud83d\ude00b\ud83d", "a😀b\ufffd"),
        ("", ""),
    ],
)
def test_only_words_are_heard(server: Server, said: str, heard: str) -> None:
    server.does(answers("openai", said))

    assert talk(server, "openai") == heard


def test_an_answer_that_was_cut_off_is_kept_and_told(
    server: Server, style: str
) -> None:
    server.does(answers(style, "It was", 1))

    with pytest.raises(CutShortError) as caught:
        talk(server, style)

    assert caught.value.said == "It was"
    assert server.purse.used[0].output_tokens == 7


def test_an_answer_that_is_filtered_is_told(server: Server, style: str) -> None:
    server.does(answers(style, "", 2))

    with pytest.raises(DeclinedError):
        talk(server, style)


def test_answers_of_one_operation_add_up_to_its_limit(server: Server) -> None:
    server.does(answers("openai", "Yes."))
    talker = server.talker(operation_tokens=150)

    talker.talk([HELLO], most_tokens=MOST)
    with pytest.raises(OutOfTokensError, match="operation_tokens"):
        talker.talk([HELLO], most_tokens=MOST + 20)

    assert len(server.heard) == 1


def test_rules_and_hosts_do_not_talk() -> None:
    assert open_talker(Config().mind, {}, MemoryPurse()) is None
