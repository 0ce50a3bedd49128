"""Asking a model server: in a form it takes, and never for more than is allowed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.minds.servers import QUESTION, Server, completes, completion, says

from reverie.minds.api import Form, Manners
from reverie.minds.http import ServerError
from reverie.minds.json_answers import ask
from reverie.minds.mind import OutOfTokensError, UnusableAnswerError, Use
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.minds.servers import Behaviour

HELLO = '{"word": "hello"}'
NO_FORMAT = says(400, '{"error": {"message": "response_format is not supported"}}')


def word(value: Mapping[str, object]) -> str:
    return str(value["word"])


def forms(server: Server) -> list[str]:
    """In which forms the server was asked, in their order."""
    return [each.body.get("response_format", {}).get("type") for each in server.heard]


def test_a_question_is_one_message_with_a_schema(server: Server) -> None:
    server.does(completes(HELLO))
    mind = server.mind(model="tiny")

    answer = mind.think(QUESTION)

    assert answer.value == {"word": "hello"}
    assert mind.name == "tiny at 127.0.0.1"
    assert server.heard[0].path == "/v1/chat/completions"
    assert server.heard[0].headers["content-type"] == "application/json"
    assert server.heard[0].body == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "Say a word."}],
        "max_tokens": 50,
        "temperature": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "greet",
                "strict": True,
                "schema": QUESTION.schema,
            },
        },
    }


@pytest.mark.parametrize("end", ["", "/", "/chat/completions"])
def test_the_address_may_end_as_people_write_it(server: Server, end: str) -> None:
    server.does(completes(HELLO))

    server.mind(url=server.url + end).think(QUESTION)

    assert server.heard[0].path == "/v1/chat/completions"


@pytest.mark.parametrize(
    "content",
    [
        HELLO,
        f"```json\n{HELLO}\n```",
        f"Sure! Here it is:\n\n{HELLO}\n\nAnything else?",
        f'<think>Perhaps {{"word": "bye"}}?</think>\n{HELLO}',
        [{"type": "text", "text": '{"word": '}, {"type": "text", "text": '"hello"}'}],
    ],
)
def test_an_answer_is_found_wherever_models_put_it(
    server: Server, content: object
) -> None:
    server.does(completes(content))

    assert server.mind().think(QUESTION).value == {"word": "hello"}


# --- forms -----------------------------------------------------------------------


def test_a_server_that_refuses_a_form_is_asked_in_a_milder_one(server: Server) -> None:
    server.does(NO_FORMAT, NO_FORMAT, completes(HELLO))

    assert server.mind().think(QUESTION).value == {"word": "hello"}
    assert forms(server) == ["json_schema", "json_schema", "json_object"]
    first, second, third = (each.body for each in server.heard)
    assert "maxLength" in json.dumps(first)
    assert "maxLength" not in json.dumps(second)
    assert '"maxLength": 20' in third["messages"][0]["content"]


def test_the_last_form_is_plain_text(server: Server) -> None:
    server.does(*[NO_FORMAT] * 3, completes(f"My answer: {HELLO}"))

    assert server.mind().think(QUESTION).value == {"word": "hello"}
    assert forms(server)[3] is None
    assert "JSON schema" in server.heard[3].body["messages"][0]["content"]


def test_what_a_server_takes_is_remembered(server: Server) -> None:
    server.does(NO_FORMAT, NO_FORMAT, completes(HELLO))

    for _ in range(2):
        server.mind(model="remembered").think(QUESTION)

    assert forms(server)[3:] == ["json_object"]


def test_a_server_that_refuses_everything_teaches_nothing(server: Server) -> None:
    server.does(*[NO_FORMAT] * 4, completes(HELLO))

    with pytest.raises(ServerError, match="response_format is not"):
        server.mind(model="stubborn").think(QUESTION)
    server.mind(model="stubborn").think(QUESTION)

    assert forms(server)[4:] == ["json_schema"]


@pytest.mark.parametrize(
    ("message", "changed"),
    [
        ("Use 'max_completion_tokens' instead.", {"limit": "max_completion_tokens"}),
        ("'temperature' does not support 0", {"steady": False}),
        ("Invalid schema: maxLength is not permitted", {"form": Form.SCHEMA}),
    ],
)
def test_a_refusal_says_what_to_give_up(message: str, changed: dict[str, Any]) -> None:
    refused = Manners(Form.LIMITED, steady=True)

    found = refused.milder("openai", message)

    assert found == replace(refused, **changed)


def test_giving_up_comes_to_an_end() -> None:
    manners: Manners | None = Manners(Form.LIMITED, steady=True)
    tried = []
    while manners:
        tried.append(manners)
        message = "temperature, max_completion_tokens, response_format"
        manners = manners.milder("openai", message)

    assert len(tried) == len(set(tried)) == 6
    assert tried[-1] == Manners(Form.TEXT, "max_completion_tokens", steady=False)


def test_newer_models_are_asked_their_way(server: Server) -> None:
    refusals = [
        says(400, f'{{"error": {{"message": "{message}"}}}}')
        for message in ("use max_completion_tokens", "no temperature")
    ]
    server.does(*refusals, completes(HELLO))

    server.mind().think(QUESTION)

    body = server.heard[2].body
    assert body["max_completion_tokens"] == 50
    assert not {"max_tokens", "temperature"} & body.keys()
    assert body["response_format"]["type"] == "json_schema"


# --- tokens ----------------------------------------------------------------------


def usage(told: object) -> Behaviour:
    return completes(HELLO, usage=told)


def test_the_server_says_what_it_took(server: Server) -> None:
    server.does(usage({"prompt_tokens": 31, "completion_tokens": 6}))

    answer = server.mind(model="honest").think(QUESTION)

    assert answer.use == Use("greet", "honest", 31, 6, estimated=False)
    assert server.purse.used == [answer.use]


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": -5, "completion_tokens": -5},
        {"prompt_tokens": 10**12, "completion_tokens": 10**12},
        {"prompt_tokens": 1, "completion_tokens": 10**9},
        {"prompt_tokens": True, "completion_tokens": True},
        {"prompt_tokens": "40", "completion_tokens": 7.5},
    ],
)
def test_a_server_that_lies_about_tokens_is_not_believed(
    server: Server, told: object
) -> None:
    server.does(usage(told))

    use = server.mind().think(QUESTION).use

    assert use.estimated
    assert use.input_tokens == server.purse.reserved[0].tokens - QUESTION.most_tokens
    assert use.output_tokens == count_tokens(HELLO)


def test_hidden_thoughts_are_paid_for(server: Server) -> None:
    server.does(usage({"prompt_tokens": 40, "completion_tokens": 900}))

    use = server.mind().think(QUESTION).use

    assert (use.output_tokens, use.estimated) == (900, False)


def test_before_a_call_all_it_may_take_is_put_aside(server: Server) -> None:
    server.does(completes(HELLO))

    server.mind(daily_tokens=9999).think(QUESTION)

    wish = server.purse.reserved[0]
    assert wish.tokens > count_tokens(QUESTION.text) + QUESTION.most_tokens
    assert wish.operation == "greet"
    assert server.purse.day == 9999


def test_an_operation_cannot_take_more_than_it_may(server: Server) -> None:
    server.does(usage({"prompt_tokens": 90, "completion_tokens": 45}))
    mind = server.mind(operation_tokens=300)
    mind.think(QUESTION)
    mind.think(QUESTION)

    with pytest.raises(
        OutOfTokensError, match="operation_tokens is 300: 270"
    ) as caught:
        mind.think(QUESTION)

    assert len(server.heard) == 2
    assert "with each operation" in caught.value.advice


def test_each_operation_begins_anew(server: Server) -> None:
    server.does(completes(HELLO))

    for _ in range(5):
        server.mind(operation_tokens=300).think(QUESTION)

    assert len(server.heard) == 5


def test_retries_are_paid_for_like_anything_else(server: Server) -> None:
    server.does(says(500, "oh"))
    mind = server.mind(operation_tokens=250, retries=10, timeout_seconds=3600.0)

    with pytest.raises(OutOfTokensError):
        mind.think(QUESTION)

    assert 0 < len(server.heard) < 10


# --- asking twice ----------------------------------------------------------------


def test_a_bad_answer_is_shown_to_the_model_once(server: Server) -> None:
    server.does(completes('{"word": 7}'), completes(HELLO))

    assert ask(server.mind(), QUESTION, word) == "hello"
    second = server.heard[1].body["messages"][0]["content"]
    assert second.startswith("Say a word.")
    assert "Expected `str`, got `int` - at `word`" in second
    assert '{"word": 7}' in second


def test_two_bad_answers_are_enough(server: Server) -> None:
    server.does(completes("no"))

    with pytest.raises(UnusableAnswerError, match="asked twice: it has no JSON"):
        ask(server.mind(), QUESTION, word)

    assert len(server.heard) == 2
    assert len(server.purse.used) == 2


def test_a_short_answer_is_asked_for_after_one_that_was_cut_off(server: Server) -> None:
    cut = completion('{"word": "helloooo')
    cut["choices"][0]["finish_reason"] = "length"
    server.does(says(200, json.dumps(cut)), completes(HELLO))

    assert ask(server.mind(), QUESTION, word) == "hello"
    second = server.heard[1].body["messages"][0]["content"]
    assert "it was cut off after 50 tokens" in second
