"""Answers that come piece by piece, in the words of two kinds of servers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.minds.servers import KEY, sends

from reverie.minds.mind import Message
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.minds.servers import Behaviour, Server

    from reverie.errors import ReverieError

MOST = 50
HELLO = Message(Role.USER, "Hello?")
HEAD = (
    b"HTTP/1.1 200 OK\r\n"
    b"content-type: text/event-stream; charset=utf-8\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
LAST = b"0\r\n\r\n"


def event(value: object, kind: str = "") -> bytes:
    """An event as it is sent; characters as they are, not as escapes."""
    named = f"event: {kind}\n" if kind else ""
    return f"{named}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def chunks(*events: bytes) -> bytes:
    """The head of a stream and these events, each in a chunk of its own."""
    return HEAD + b"".join(map(chunk, events))


def streams(*events: bytes) -> Behaviour:
    """Send these events and end the stream as one should."""
    return sends(chunks(*events) + LAST)


@dataclass(frozen=True)
class Dialect:
    """How one kind of server says things.

    Attributes:
        style: The parameter `mind.style`.
        begin: What comes before any words.
        say: A piece of the answer.
        think: A piece of a thought.
        stop: What ends an answer for a reason; 40 tokens were read and 7 written.
        last: What comes after everything.
        reasons: Its words for "done", "too long" and "filtered".
        fail: An error in the middle.
    """

    style: str
    begin: bytes
    say: Callable[[str], bytes]
    think: Callable[[str], bytes]
    stop: Callable[[str], bytes]
    last: bytes
    reasons: tuple[str, str, str]
    fail: Callable[[str], bytes]

    def __str__(self) -> str:
        return self.style

    def answer(self, *texts: str, reason: str = "") -> list[bytes]:
        """A whole answer."""
        words = [self.say(text) for text in texts]
        return [self.begin, *words, self.stop(reason or self.reasons[0]), self.last]


def _delta(**delta: str) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return event({"choices": [choice], "usage": None})


def _openai_stop(reason: str) -> bytes:
    choice = {"index": 0, "delta": {}, "finish_reason": reason}
    usage = {"prompt_tokens": 40, "completion_tokens": 7}
    return event({"choices": [choice]}) + event({"choices": [], "usage": usage})


OPENAI = Dialect(
    style="openai",
    begin=_delta(role="assistant", content=""),
    say=lambda text: _delta(content=text),
    think=lambda text: _delta(reasoning_content=text),
    stop=_openai_stop,
    last=b"data: [DONE]\n\n",
    reasons=("stop", "length", "content_filter"),
    fail=lambda message: event({"error": {"message": message}}),
)


def _typed(kind: str, **rest: object) -> bytes:
    return event({"type": kind, **rest}, kind)


def _block_delta(**delta: str) -> bytes:
    return _typed("content_block_delta", index=0, delta=delta)


def _anthropic_stop(reason: str) -> bytes:
    return _typed("content_block_stop", index=0) + _typed(
        "message_delta",
        delta={"stop_reason": reason, "stop_sequence": None},
        usage={"output_tokens": 7},
    )


ANTHROPIC = Dialect(
    style="anthropic",
    begin=_typed(
        "message_start",
        message={"content": [], "usage": {"input_tokens": 40, "output_tokens": 1}},
    )
    + _typed("content_block_start", index=0, content_block={"type": "text", "text": ""})
    + _typed("ping"),
    say=lambda text: _block_delta(type="text_delta", text=text),
    think=lambda text: _block_delta(type="thinking_delta", thinking=text),
    stop=_anthropic_stop,
    last=_typed("message_stop"),
    reasons=("end_turn", "max_tokens", "refusal"),
    fail=lambda message: _typed(
        "error", error={"type": "overloaded_error", "message": message}
    ),
)


# --- talking with them -------------------------------------------------------------


def talk(
    server: Server,
    dialect: Dialect,
    **changed: Any,  # noqa: ANN401 - any parameter
) -> Generator[str, None, None]:
    """What a server of this kind answers to a greeting."""
    talker = server.talker(**{"style": dialect.style, **changed})
    return talker.talk([HELLO], most_tokens=MOST)


def fails(
    server: Server,
    dialect: Dialect,
    error: type[ReverieError],
    **changed: Any,  # noqa: ANN401 - any parameter
) -> tuple[str, str]:
    """What was heard before this error, and what it says."""
    heard: list[str] = []
    with pytest.raises(error) as caught:
        heard.extend(talk(server, dialect, **changed))
    assert caught.value.hint
    assert KEY not in f"{caught.value}{caught.value.hint}"
    assert server.purse.standing == {}
    return "".join(heard), str(caught.value)


def asked(server: Server) -> int:
    """Our count of what was sent in the first call."""
    return server.purse.reserved[0].tokens - MOST
