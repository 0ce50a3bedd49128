"""Messages in Anthropic's style."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.minds.servers import KEY, QUESTION, Server, says

from reverie.minds.http import ServerError
from reverie.minds.mind import BadAnswerError, CutOffAnswerError, DeclinedError, Use

if TYPE_CHECKING:
    from tests.minds.servers import Behaviour

HELLO = '{"word": "hello"}'


def message(text: str = HELLO, **changed: object) -> dict[str, Any]:
    return {
        "type": "message",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 40, "output_tokens": 7},
        **changed,
    }


def replies(text: str = HELLO, **changed: object) -> Behaviour:
    return says(200, json.dumps(message(text, **changed)))


def test_a_question_is_one_message_with_a_schema(server: Server) -> None:
    server.does(replies())

    answer = server.mind(style="anthropic", model="claude").think(QUESTION)

    assert answer.value == {"word": "hello"}
    assert answer.use == Use("greet", "claude", 40, 7, estimated=False)
    heard = server.heard[0]
    assert heard.path == "/v1/messages"
    assert heard.headers["x-api-key"] == KEY
    assert heard.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in heard.headers
    assert heard.body == {
        "model": "claude",
        "max_tokens": 50,
        "temperature": 0,
        "messages": [{"role": "user", "content": "Say a word."}],
        "output_config": {
            "format": {
                "type": "json_schema",
                "schema": {
                    "type": "object",
                    "properties": {"word": {"type": "string"}},
                    "required": ["word"],
                    "additionalProperties": False,
                },
            }
        },
    }


@pytest.mark.parametrize("end", ["", "/v1", "/v1/", "/v1/messages"])
def test_the_address_may_end_as_people_write_it(server: Server, end: str) -> None:
    server.does(replies())
    url = f"http://127.0.0.1:{server.port}/proxy{end}"

    server.mind(style="anthropic", url=url).think(QUESTION)

    assert server.heard[0].path == "/proxy/v1/messages"


def test_a_server_without_schemas_is_asked_for_text(server: Server) -> None:
    refusal = {"type": "error", "error": {"message": "output_config: unknown"}}
    server.does(says(400, json.dumps(refusal)), replies(f"Here: {HELLO}"))

    answer = server.mind(style="anthropic").think(QUESTION)

    assert answer.value == {"word": "hello"}
    body = server.heard[1].body
    assert "output_config" not in body
    assert "maxLength" in body["messages"][0]["content"]


def test_a_model_that_takes_no_temperature_is_not_given_one(server: Server) -> None:
    server.does(says(400, "temperature is deprecated for this model"), replies())

    server.mind(style="anthropic").think(QUESTION)

    assert "temperature" not in server.heard[1].body
    assert "output_config" in server.heard[1].body


def test_two_styles_of_one_server_are_learned_apart(server: Server) -> None:
    server.does(says(400, "no"), replies(), replies())
    server.mind(style="anthropic", model="both").think(QUESTION)

    server.mind(style="openai", model="both").think(QUESTION)

    assert "response_format" in server.heard[2].body


def test_several_blocks_are_read_as_one(server: Server) -> None:
    blocks = [
        {"type": "thinking", "thinking": '{"word": "no"}'},
        {"type": "text", "text": '{"word": '},
        {"type": "text", "text": '"hello"}'},
    ]
    server.does(replies(content=blocks))

    assert server.mind(style="anthropic").think(QUESTION).value == {"word": "hello"}


def test_what_was_read_from_a_cache_was_read(server: Server) -> None:
    use = {
        "input_tokens": 5,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 15,
        "output_tokens": 7,
    }
    server.does(replies(usage=use))

    assert server.mind(style="anthropic").think(QUESTION).use.input_tokens == 40


@pytest.mark.parametrize("use", [None, {"input_tokens": "40"}, {"output_tokens": 0}])
def test_a_server_that_does_not_count_is_counted_for(
    server: Server, use: object
) -> None:
    server.does(replies(usage=use))

    assert server.mind(style="anthropic").think(QUESTION).use.estimated


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"stop_reason": "max_tokens"}, CutOffAnswerError),
        ({"stop_reason": "refusal"}, DeclinedError),
        ({"content": []}, BadAnswerError),
        ({"content": "hello"}, ServerError),
        ({"content": ["hello"]}, ServerError),
        ({"type": "error", "error": {"message": "overloaded"}}, ServerError),
    ],
)
def test_a_reply_that_is_no_answer_is_named(
    server: Server, changed: dict[str, object], error: type[Exception]
) -> None:
    server.does(says(200, json.dumps({**message(), **changed})))

    with pytest.raises(error):
        server.mind(style="anthropic").think(QUESTION)

    assert server.purse.tokens > 0


def test_a_wrong_key_is_told(server: Server) -> None:
    server.does(
        says(401, '{"type": "error", "error": {"message": "invalid x-api-key"}}')
    )

    with pytest.raises(ServerError, match="invalid x-api-key"):
        server.mind(style="anthropic").think(QUESTION)
