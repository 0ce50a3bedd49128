"""Servers that are dead, slow, lying or answer by halves: a clear error, in time."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import threading
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest
from tests.minds.servers import (
    KEY,
    QUESTION,
    MemoryPurse,
    Server,
    completes,
    completion,
    drips,
    floods,
    http,
    resets,
    says,
    sends,
    sends_and_holds,
    serving,
)

from reverie.config import MindConfig
from reverie.minds.api import ApiMind
from reverie.minds.http import Deadline, ServerError
from reverie.minds.mind import (
    BadAnswerError,
    CutOffAnswerError,
    DeclinedError,
    MindUnavailableError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.minds.servers import Behaviour

SECONDS = 0.2
"""How long a server that does not answer is waited for."""

GOOD = json.dumps(completion('{"word": "hello"}')).encode()
START = b"HTTP/1.1 200 OK\r\n"
CHUNKED = START + b"transfer-encoding: chunked\r\n\r\n"
DEEP = "[" * 100_000


def choice(**changed: object) -> Behaviour:
    """A reply whose first choice is changed."""
    whole = completion('{"word": "hello"}')
    whole["choices"][0].update(changed)
    return says(200, json.dumps(whole))


SLOW: dict[str, Behaviour] = {
    "says nothing": sends_and_holds(b""),
    "stops after the status": sends_and_holds(START),
    "stops within the body": sends_and_holds(http(200, GOOD)[:-5]),
    "promises more than it sends": sends_and_holds(
        http(200, GOOD, content_length=str(len(GOOD) + 9))
    ),
    "drips its status": drips(b"HTTP/1.1 200 ", b"O"),
    "drips a header": drips(START + b"x: ", b"y"),
    "drips its body": drips(http(200, b"", content_length="100000"), b" "),
    "drips chunks": drips(CHUNKED, b"1\r\n \r\n"),
    "says 'go on' for ever": floods(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}
BROKEN: dict[str, Behaviour] = {
    "hangs up": sends(b""),
    "hangs up after the status": sends(START),
    "hangs up within the body": sends(http(200, GOOD)[:-5]),
    "breaks off the hard way": resets(http(200, GOOD)[:-5]),
    "is no web server": sends(b"SSH-2.0-OpenSSH_9.9\r\n"),
    "sends headers without end": floods(START, b"a: b\r\n"),
    "sends a header without end": floods(START + b"a: ", b"b" * 1000),
    "sends a body without end": floods(START + b"\r\n", b" " * 10_000),
    "sends chunks without end": floods(CHUNKED, b"400\r\n" + b" " * 1024 + b"\r\n"),
    "sends a chunk of no size": sends(CHUNKED + b"many\r\nx\r\n"),
    "hangs up within a chunk": sends(CHUNKED + b"40\r\n{"),
}
ODD: dict[str, Behaviour] = {
    "is a web page": says(200, "<!doctype html><p>Hi", content_type="text/html"),
    "streams unasked": says(200, "data: {}\n\n", content_type="text/event-stream"),
    "is empty": says(200, ""),
    "has a body of a second reply": says(200, GOOD + GOOD),
    "promises less than it sends": sends(http(200, GOOD, content_length="20")),
    "is a list": says(200, "[]"),
    "is a word": says(200, '"ok"'),
    "is an error": says(200, '{"error": {"message": "no such model"}}'),
    "is an error in one word": says(200, '{"error": "overloaded"}'),
    "has no choices": says(200, '{"choices": []}'),
    "has choices of no kind": says(200, '{"choices": 7}'),
    "has a choice without a message": says(200, '{"choices": [{}]}'),
    "has a message that is none": says(200, '{"choices": [{"message": "hi"}]}'),
    "ends for no reason": choice(finish_reason=["stop"]),
    "is nested 100,000 deep": says(200, DEEP),
    "has a number that is none": says(200, '{"choices": [NaN]}'),
    "has an infinite number": says(200, '{"choices": [1e999]}'),
    "says everything twice": says(200, '{"choices": [], "choices": []}'),
    "is not UTF-8": says(200, b'{"choices": "\xff"}'),
    "is packed unasked": says(200, gzip.compress(GOOD), content_encoding="gzip"),
}
REFUSING: dict[str, tuple[Behaviour, type[MindUnavailableError]]] = {
    "401": (says(401, '{"error": {"message": "who?"}}'), ServerError),
    "403": (says(403, "go away"), ServerError),
    "404": (says(404, '{"error": "no such model"}'), ServerError),
    "413": (says(413, ""), ServerError),
    "204": (says(204, ""), ServerError),
    "400": (says(400, '{"detail": "no"}'), ServerError),
    "422": (says(422, DEEP), ServerError),
    "429": (says(429, "slow down"), ServerError),
    "500": (says(500, "oh"), ServerError),
    "503": (says(503, "loading the model"), ServerError),
    "529": (says(529, "overloaded"), ServerError),
}
HALF: dict[str, tuple[Behaviour, type[MindUnavailableError]]] = {
    "is cut off": (choice(finish_reason="length"), CutOffAnswerError),
    "is filtered": (choice(finish_reason="content_filter"), DeclinedError),
    "is declined": (choice(message={"refusal": "I cannot"}), DeclinedError),
    "is nothing": (completes(None), BadAnswerError),
    "is blank": (completes("   "), BadAnswerError),
    "is prose": (completes("I would say hello."), BadAnswerError),
    "ends in the middle": (completes('{"word": "he'), BadAnswerError),
    "is a list": (completes('["word", "hello"]'), BadAnswerError),
    "is no number": (completes('{"word": NaN}'), BadAnswerError),
    "has a word twice": (
        completes('{"word": "a", "word": "b"}'),
        BadAnswerError,
    ),
    "is two objects": (
        completes('{"word": "a"}\n{"word": "b"}'),
        BadAnswerError,
    ),
    "is half a character as it is": (completes('{"word": "\ud83d"}'), BadAnswerError),
    "is half a character": (completes('{"word": "\\ud83d"}'), BadAnswerError),
    "is nested 100,000 deep": (
        completes('{"a":' * 100_000),
        ServerError,
    ),
}


def fails(server: Server, error: type[MindUnavailableError], **changed: Any) -> str:  # noqa: ANN401
    """What asking the server ends with: this error, in time, with a hint."""
    config = {"timeout_seconds": 60.0, **changed}
    with pytest.raises(error) as caught:
        server.mind(**config).think(QUESTION)
    assert caught.value.advice
    assert KEY not in f"{caught.value}{caught.value.advice}"
    assert server.purse.standing == {}
    return str(caught.value)


def test_an_oversized_answer_is_paid_only_as_far_as_it_was_asked_for(
    server: Server,
) -> None:
    server.does(completes(json.dumps({"word": "no end of it " * 50_000})))

    assert "far longer than" in fails(server, ServerError)
    assert server.purse.tokens <= most(server.purse)


def test_a_reply_that_can_hold_no_such_answer_is_not_read_to_its_end(
    server: Server,
) -> None:
    server.does(completes("x" * (3 << 20)))

    assert "longer than 1 MB" in fails(server, ServerError)
    assert server.purse.tokens <= most(server.purse)


def most(purse: MemoryPurse) -> int:
    return purse.reserved[0].tokens


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n",
    ],
)
def test_a_server_that_closes_the_connection_is_heard_to_the_end(
    server: Server, head: bytes
) -> None:
    body = json.dumps(completion('{"word": "hello"}')).encode()
    server.does(sends(head, body[:20], body[20:]))

    answer = server.mind(timeout_seconds=60.0).think(QUESTION)

    assert answer.value == {"word": "hello"}


@pytest.mark.parametrize("name", SLOW)
def test_a_slow_server_is_given_up_in_time(server: Server, name: str) -> None:
    server.does(SLOW[name])

    assert f"did not answer within {SECONDS:g} s" in fails(
        server, ServerError, timeout_seconds=SECONDS
    )
    if server.heard:  # on a busy machine it may not even have got that far
        assert server.purse.tokens == most(server.purse)


@pytest.mark.parametrize("name", BROKEN)
def test_half_a_reply_is_not_taken_for_one(server: Server, name: str) -> None:
    server.does(BROKEN[name])

    assert "half a reply" in fails(server, ServerError, timeout_seconds=60.0)
    assert server.purse.tokens == most(server.purse)
    assert len(server.heard) == 1


@pytest.mark.parametrize("name", ODD)
def test_a_reply_of_another_kind_is_named(server: Server, name: str) -> None:
    server.does(ODD[name])

    assert "odd reply" in fails(server, ServerError, timeout_seconds=60.0)
    assert server.purse.tokens == most(server.purse)
    assert len(server.heard) == 1


@pytest.mark.parametrize("name", REFUSING)
def test_a_refusal_is_told_and_counted(server: Server, name: str) -> None:
    behaviour, error = REFUSING[name]
    server.does(behaviour)

    fails(server, error, timeout_seconds=60.0)

    each = server.purse.reserved[0].tokens - QUESTION.most_tokens
    assert server.purse.tokens == each * len(server.heard)
    assert all(use.estimated for use in server.purse.used)


@pytest.mark.parametrize("name", HALF)
def test_an_answer_that_is_none_is_told_and_counted(server: Server, name: str) -> None:
    behaviour, error = HALF[name]
    server.does(behaviour)

    fails(server, error, timeout_seconds=60.0)

    assert server.purse.tokens > 0
    assert len(server.heard) == 1


def test_a_server_that_is_not_there_costs_nothing(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

    message = fails(server, ServerError, url=f"http://127.0.0.1:{port}/v1")

    assert "cannot be reached" in message
    assert server.purse.tokens == 0


def test_a_server_that_comes_back_is_asked_again(server: Server) -> None:
    server.does(says(503, "starting"), completes('{"word": "hi"}'))

    answer = server.mind().think(QUESTION)

    assert answer.value == {"word": "hi"}
    assert server.slept == [0.5]
    assert len(server.purse.used) == 2


def test_pauses_grow_and_end(server: Server) -> None:
    server.does(says(500, "oh"))

    fails(server, ServerError, timeout_seconds=60.0, retries=3)

    assert server.slept == [0.5, 1.0, 2.0]
    assert len(server.heard) == 4


def test_without_retries_a_busy_server_is_asked_once(server: Server) -> None:
    server.does(says(429, "later"))

    fails(server, ServerError, retries=0)

    assert (len(server.heard), server.slept) == (1, [])


@pytest.mark.parametrize(
    ("after", "pause"),
    [
        ({"retry_after": "3"}, 3.0),
        ({"retry_after": "2.5"}, 2.5),
        ({"retry_after": "0"}, 0.5),
        ({"retry_after": "soon"}, 0.5),
        ({"retry_after": "-3"}, 0.5),
        ({}, 0.5),
        ({"retry_after": "Mon, 02 Feb 2026 14:30:04 GMT"}, 0.5),
    ],
)
def test_the_server_says_when_to_come_back(
    server: Server, after: dict[str, str], pause: float
) -> None:
    server.does(says(429, "later", **after), completes('{"word": "hi"}'))

    server.mind().think(QUESTION)

    assert server.slept == [pause]


def test_nobody_waits_longer_than_the_whole_may_take(server: Server) -> None:
    server.does(says(503, "later", retry_after="3600"))

    message = fails(server, ServerError, timeout_seconds=60.0)

    assert "(503): later" in message
    assert (len(server.heard), server.slept) == (1, [])


def test_a_redirect_is_not_followed(server: Server) -> None:
    with serving(Server()) as other:
        there = {"location": f"{other.url}/chat/completions"}
        server.does(says(307, "", **there))

        message = fails(server, ServerError)

    assert "we do not follow" in message
    assert other.heard == []


def test_a_server_that_repeats_our_key_does_not_get_it_into_the_message(
    server: Server,
) -> None:
    server.does(says(401, json.dumps({"error": {"message": f"bad key {KEY}\x1b[2J"}})))

    assert fails(server, ServerError).endswith("bad key [key] [2J")


# --- before anything is sent ---------------------------------------------------


@contextmanager
def no_answer() -> Iterator[int]:
    """A port that takes connections and reads nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_a_handshake_that_never_ends_is_given_up(server: Server) -> None:
    with no_answer() as port:
        fails(
            server,
            ServerError,
            url=f"https://127.0.0.1:{port}/v1",
            timeout_seconds=SECONDS,
        )

    assert server.purse.tokens == 0  # nothing was sent


def test_a_server_without_tls_is_not_trusted_with_https(server: Server) -> None:
    server.does(completes('{"word": "hi"}'))

    message = fails(server, ServerError, url=f"https://127.0.0.1:{server.port}/v1")

    assert "cannot be reached" in message
    assert (server.heard, server.slept, server.purse.tokens) == ([], [], 0)


def test_certificates_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[ssl.VerifyMode, bool, str]] = []

    def wrap(context: ssl.SSLContext, _: object, *, server_hostname: str) -> None:
        seen.append((context.verify_mode, context.check_hostname, server_hostname))
        raise ssl.SSLCertVerificationError

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", wrap)
    with no_answer() as port:
        mind = Server(port=port).mind(url=f"https://localhost:{port}/v1")
        with pytest.raises(ServerError):
            mind.think(QUESTION)

    assert seen == [(ssl.CERT_REQUIRED, True, "localhost")]


def test_certificates_are_those_that_the_environment_names(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    server.does(completes('{"word": "hi"}'))

    message = fails(server, ServerError, url=f"https://127.0.0.1:{server.port}/v1")

    assert "No such file" in message
    assert server.mind().think(QUESTION).value == {"word": "hi"}  # without https


def test_proxies_of_the_environment_are_not_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.does(completes('{"word": "hi"}'))
    with serving(Server([completes('{"word": "proxy"}')])) as proxy:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
            monkeypatch.setenv(name.lower(), proxy.url)
        assert server.mind().think(QUESTION).value == {"word": "hi"}
        fails(server, ServerError, url=f"https://127.0.0.1:{server.port}/v1")

    assert proxy.heard == []
    assert not proxy.handlers


def test_whatever_goes_wrong_is_told_at_once(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        problem = "a thing nobody thought of"
        raise RuntimeError(problem)

    monkeypatch.setattr(socket, "getaddrinfo", fail)

    assert fails(server, ServerError).endswith("a thing nobody thought of")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_question_that_was_given_up_is_not_sent_later(
    server: Server, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    found: list[Any] = []
    place = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.port))

    def look_up(*_: object, **__: object) -> list[Any]:
        found.append(place)  # which took longer than anybody waits
        return found

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(
        "reverie.minds.api.Deadline",
        lambda seconds: Deadline(seconds, lambda: 1e9 if found else 0.0),
    )
    server.does(completes('{"word": "hi"}'))
    arrived: SimpleQueue[bytes] = SimpleQueue()
    monkeypatch.setattr(server, "handle", lambda came: arrived.put(_all_of(came)))

    message = fails(server, ServerError, url=f"{scheme}://models.example/v1")

    assert "did not answer within" in message
    assert arrived.get(timeout=60) == b""
    assert server.purse.tokens == 0


def _all_of(connection: socket.socket) -> bytes:
    with connection, connection.makefile("rb") as lines:
        return lines.read()


@pytest.mark.parametrize("host", ["models.invalid", "x" * 80, "a..b"])
def test_a_name_that_does_not_exist_is_told(
    server: Server, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = socket.getaddrinfo

    def look_up(name: str, *rest: Any, **more: Any) -> list[Any]:  # noqa: ANN401
        if name == "models.invalid":
            raise socket.gaierror(socket.EAI_NONAME, "unknown name")
        return list(known(name, *rest, **more))

    monkeypatch.setattr(socket, "getaddrinfo", look_up)

    fails(server, ServerError, url=f"http://{host}/v1")
    assert server.purse.tokens == 0


def test_the_second_address_of_a_name_is_tried(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.does(completes('{"word": "hi"}'))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        dead = listening.getsockname()[1]
    places = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
        for port in (dead, server.port)
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: places)

    mind = server.mind(url="http://two.example:80/v1")

    assert mind.think(QUESTION).value == {"word": "hi"}


def test_a_name_without_an_address_is_told(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [])

    message = fails(server, ServerError, url="http://nobody.example/v1")

    assert "cannot be reached" in message


# --- keys ----------------------------------------------------------------------


def test_a_key_goes_to_this_machine(server: Server) -> None:
    server.does(completes('{"word": "hi"}'))

    server.mind().think(QUESTION)

    assert server.heard[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_key_does_not_go_to_another_machine_in_the_clear(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.does(completes('{"word": "hi"}'))
    place = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", server.port))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [place])

    server.mind(url="http://models.example/v1").think(QUESTION)

    assert server.heard[0].headers["host"] == "models.example"
    assert "authorization" not in server.heard[0].headers


def test_without_a_variable_no_key_is_sent(server: Server) -> None:
    server.does(says(401, "who are you?"))

    message = fails(server, ServerError, key_variable="")

    assert "authorization" not in server.heard[0].headers
    assert "who are you?" in message


def test_what_cannot_be_a_key_is_refused_before_anything_is_sent() -> None:
    config = MindConfig(kind="api", model="m", key_variable="TINY_API_KEY")

    with pytest.raises(ServerError, match="it is no key") as caught:
        ApiMind(config, {"TINY_API_KEY": "two words\r\nX: y"}, MemoryPurse())

    assert "TINY_API_KEY" in caught.value.advice


def test_a_model_must_have_a_name() -> None:
    with pytest.raises(MindUnavailableError, match=r"mind\.model is not set"):
        ApiMind(MindConfig(kind="api"), {}, MemoryPurse())


def test_no_thread_is_left_behind(server: Server) -> None:
    before = threading.active_count()
    server.does(completes('{"word": "hi"}'))

    server.mind().think(QUESTION)

    timers = [t for t in threading.enumerate() if isinstance(t, threading.Timer)]
    for timer in timers:
        timer.join(10)
    assert threading.active_count() <= before + len(server.handlers)
