"""A language model for real hosts to talk to: it answers from a script, on loopback.

It speaks the streams that hosts read: Anthropic's `/v1/messages` and OpenAI's
`/v1/responses`. Every request is kept, so that a test can look at what a model would
have been told.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model calls, by the name that its host gave it."""

    tool: str
    arguments: Json = field(default_factory=dict)


Answer = str | Call
Turn = Callable[[Json], "Answer | Turn"]
Script = list[Answer | Turn]


@dataclass
class ModelServer:
    """Answers one after the other; `Done.` when there are none left.

    An answer may be a function of the request, for what only the run itself knows; if
    that gives a function, it is asked again at the next request.

    Only a turn of an agent takes one of them: what a host asks besides, such as a
    title for the session, comes without tools.
    """

    script: Script = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
    meanwhile: Answer = Call("get_goal")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(size) or b"{}")
                path = self.path.partition("?")[0]
                if path.endswith("/count_tokens"):
                    self.say("application/json", b'{"input_tokens": 10}')
                elif path.endswith("/messages"):
                    self.stream(anthropic_stream(model.answer(body)))
                elif path.endswith("/responses"):
                    self.stream(openai_stream(model.answer(body)))
                else:
                    self.say("application/json", b"{}", 404)

            def do_GET(self) -> None:
                self.say("application/json", b'{"data": [], "models": []}')

            def stream(self, events: Iterable[Json]) -> None:
                lines = (
                    f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                    for event in events
                )
                self.say("text/event-stream", "".join(lines).encode())

            def say(self, kind: str, data: bytes, status: int = 200) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def turns(self) -> list[Json]:
        """What agents sent; without what hosts ask besides."""
        return [request for request in self.requests if request.get("tools")]

    def answer(self, request: Json) -> Answer:
        """The next answer of the script."""
        with self._lock:
            self.requests.append(request)
            if request.get("tools") and self.script:
                answer = self.script.pop(0)
                if callable(answer):
                    answer = answer(request)
                if callable(answer):
                    self.script.insert(0, answer)
                    return self.meanwhile
                return answer
            return "Done."


def anthropic_stream(answer: Answer) -> Iterator[Json]:
    """One answer as Anthropic's Messages API streams it."""
    usage = {"input_tokens": 10, "output_tokens": 10}
    message: Json = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    block: Json = {"type": "text", "text": ""}
    delta: Json = {"type": "text_delta", "text": answer}
    stop = "end_turn"
    if isinstance(answer, Call):
        name, stop = answer.tool, "tool_use"
        block = {"type": "tool_use", "id": _fresh("toolu"), "name": name, "input": {}}
        partial = json.dumps(answer.arguments)
        delta = {"type": "input_json_delta", "partial_json": partial}
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": stop, "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": usage}
    yield {"type": "message_stop"}


def openai_stream(answer: Answer) -> Iterator[Json]:
    """One answer as OpenAI's Responses API streams it."""
    part = {"type": "output_text", "text": answer}
    item: Json = {"type": "message", "role": "assistant", "content": [part]}
    if isinstance(answer, Call):
        space, _, name = answer.tool.rpartition("/")
        item = {
            "type": "function_call",
            "call_id": _fresh("call"),
            "name": name,
            "arguments": json.dumps(answer.arguments),
        }
        if space:
            item["namespace"] = space
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    yield {"type": "response.created", "response": {"id": "resp_1"}}
    yield {"type": "response.output_item.done", "item": {"id": "item_1", **item}}
    yield {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}}


_count = iter(range(1, 1 << 30))


def _fresh(kind: str) -> str:
    return f"{kind}_{next(_count):06}"
