"""Model servers, good and bad, each a real one on this machine."""

from __future__ import annotations

import json
import socket
import struct
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from reverie.config import MindConfig
from reverie.minds import open_talker
from reverie.minds.api import ApiMind
from reverie.minds.mind import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.minds.mind import Talker, Use

    Behaviour = Callable[[socket.socket, threading.Event], None]

KEY = "sk-of-this-test"
QUESTION = Question(
    operation="greet",
    prompt="greet",
    text="Say a word.",
    schema={
        "type": "object",
        "properties": {"word": {"type": "string", "maxLength": 20}},
        "required": ["word"],
        "additionalProperties": False,
    },
    most_tokens=50,
)
_MODELS = count()


@dataclass
class MemoryPurse:
    """A purse without a disk: what is put aside, and what was used."""

    day: int = 0
    standing: dict[str, Use] = field(default_factory=dict)
    used: list[Use] = field(default_factory=list)
    reserved: list[Use] = field(default_factory=list)

    def reserve(self, wish: Use, limit: int) -> str:
        """Put aside whatever is wished for."""
        self.reserved.append(wish)
        self.day = limit
        name = str(len(self.reserved))
        self.standing[name] = wish
        return name

    def settle(self, name: str, use: Use) -> None:
        """Note what was used."""
        del self.standing[name]
        self.used.append(use)

    @property
    def tokens(self) -> int:
        """All that was used."""
        return sum(use.tokens for use in self.used)


@dataclass
class Heard:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Server:
    """What a server is to do, one behaviour a request, and what it has heard.

    The last behaviour is repeated for whatever comes after it.
    """

    behaviours: list[Behaviour] = field(default_factory=list)
    port: int = 0
    heard: list[Heard] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    purse: MemoryPurse = field(default_factory=MemoryPurse)
    hold: threading.Event = field(default_factory=threading.Event)
    handlers: dict[threading.Thread, socket.socket] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/v1"

    def does(self, *behaviours: Behaviour) -> None:
        """Say what to do from now on."""
        self.behaviours = list(behaviours)

    def mind(self, **changed: Any) -> ApiMind:  # noqa: ANN401 - any parameter
        """A mind that asks this server, with a key, and never sleeps."""
        config, environ = self._configured(changed)
        return ApiMind(config, environ, self.purse, self.slept.append)

    def talker(self, **changed: Any) -> Talker:  # noqa: ANN401 - any parameter
        """Who talks with this server, with a key, and never sleeps."""
        config, environ = self._configured(changed)
        talker = open_talker(config, environ, self.purse, self.slept.append)
        assert talker
        return talker

    def _configured(self, changed: dict[str, Any]) -> tuple[MindConfig, dict[str, str]]:
        given: dict[str, Any] = {
            "kind": "api",
            "url": self.url,
            "model": f"tiny-{next(_MODELS)}",
            "key_variable": "TINY_API_KEY",
            "timeout_seconds": 60.0,
        }
        return MindConfig(**given | changed), {"TINY_API_KEY": f" {KEY}\n"}

    def handle(self, connection: socket.socket) -> None:
        """Listen to one request and do what is to be done."""
        with connection, suppress(OSError):
            request = _request(connection)
            if request is None:
                return
            self.heard.append(request)
            at = min(len(self.heard), len(self.behaviours)) - 1
            self.behaviours[at](connection, self.hold)


_HANDSHAKE = b"\x16"


def _request(connection: socket.socket) -> Heard | None:
    if connection.recv(1, socket.MSG_PEEK) == _HANDSHAKE:
        # Of a TLS handshake a plain server understands nothing, and hangs up.
        return None
    with connection.makefile("rb") as lines:
        first = lines.readline().decode("latin-1").split()
        if len(first) != 3:
            return None
        headers: dict[str, str] = {}
        while line := lines.readline().strip():
            name, _, value = line.decode("latin-1").partition(": ")
            headers[name.lower()] = value
        if "content-length" not in headers:
            # Whoever asked has hung up in the middle.
            return None
        body = lines.read(int(headers["content-length"]))
        return Heard(first[1], headers, json.loads(body))


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Let a server listen while the block runs."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server.port = listening.getsockname()[1]
        thread = threading.Thread(target=_accept, args=(listening, server))
        thread.start()
        try:
            yield server
        finally:
            server.hold.set()
            with socket.create_connection(("127.0.0.1", server.port)):
                thread.join()
            for handler, connection in server.handlers.items():
                # Who sends to somebody who left may be waiting for minutes.
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                handler.join()


def _accept(listening: socket.socket, server: Server) -> None:
    while True:
        connection, _ = listening.accept()
        if server.hold.is_set():
            connection.close()
            return
        handler = threading.Thread(target=server.handle, args=(connection,))
        server.handlers[handler] = connection
        handler.start()


# --- what servers do -----------------------------------------------------------


def http(status: int, body: bytes, **headers: str) -> bytes:
    """A whole reply; headers as keywords, with `_` for `-`."""
    told = {"content-type": "application/json", "content-length": str(len(body))}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} So", *(f"{n}: {v}" for n, v in told.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def sends(*parts: bytes) -> Behaviour:
    """Send these bytes and end the connection."""

    def behave(connection: socket.socket, _: threading.Event) -> None:
        for part in parts:
            connection.sendall(part)

    return behave


def says(status: int, body: bytes | str, **headers: str) -> Behaviour:
    body = body.encode() if isinstance(body, str) else body
    return sends(http(status, body, **headers))


def sends_and_holds(part: bytes) -> Behaviour:
    """Send these bytes, then nothing, until the client has given up."""

    def behave(connection: socket.socket, hold: threading.Event) -> None:
        connection.sendall(part)
        hold.wait(10)

    return behave


def drips(before: bytes, drop: bytes) -> Behaviour:
    """Send one drop after the other, each in time and all together never."""

    def behave(connection: socket.socket, hold: threading.Event) -> None:
        connection.sendall(before)
        while not hold.wait(0.02):
            connection.sendall(drop)

    return behave


def floods(before: bytes, drop: bytes) -> Behaviour:
    """Send without end, as fast as the client takes it."""

    def behave(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(before)
        while True:
            connection.sendall(drop)

    return behave


def resets(before: bytes) -> Behaviour:
    """Send these bytes, then break the connection off the hard way."""

    def behave(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(before)
        linger = struct.pack("ii", 1, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    return behave


def completion(content: object, **changed: object) -> dict[str, Any]:
    """A reply in OpenAI's style."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 40, "completion_tokens": 7, "total_tokens": 47}
    return {"choices": [choice], "usage": usage, **changed}


def completes(content: object, **changed: object) -> Behaviour:
    return says(200, json.dumps(completion(content, **changed)))
