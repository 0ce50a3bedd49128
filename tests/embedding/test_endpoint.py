"""Servers of embeddings, good and bad, each a real one on this machine."""

from __future__ import annotations

import json
import threading
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import create_server
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.strategies import FEW

from reverie.config import EmbeddingConfig
from reverie.embedding import EmbedderUnavailableError
from reverie.embedding.endpoint import EndpointEmbedder
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.embedding import Embedder

KEY = "sk-of-this-test"


@dataclass
class Server:
    """What a server is to say, and what it has heard.

    `refusals` come first, one per request; then come answers: `said` as it is, or
    vectors made of the texts.
    """

    url: str = ""
    refusals: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    said: bytes | None = None
    heard: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    hold: threading.Event = field(default_factory=threading.Event)

    def open(self, *, batch: int = 64, seconds: float = 5.0, url: str = "") -> Embedder:
        """An embedder that asks this server, with a key, and never sleeps."""
        config = EmbeddingConfig(
            model="endpoint",
            url=url or self.url,
            name="tiny",
            key_variable="TINY_KEY",
            timeout_seconds=seconds,
            batch=batch,
        )
        return EndpointEmbedder(config, {"TINY_KEY": f" {KEY}\n"}, self.slept.append)

    def answer(self, asked: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body for a question."""
        self.heard.append(asked)
        if self.refusals:
            return self.refusals.pop(0)
        if self.said is not None:
            return 200, {}, self.said
        entries = [
            {"index": at, "embedding": vector(text)}
            for at, text in enumerate(asked["input"])
        ]
        return 200, {}, json.dumps({"data": entries[::-1]}).encode()


def vector(text: str) -> list[float]:
    return [float(len(text)), float(text.count("a")), 1.0]


@contextmanager
def _serving(server: Server) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server.paths.append(self.path)
            server.keys.append(self.headers.get("Authorization"))
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, headers, answer = server.answer(json.loads(body))
            if status == 0:
                server.hold.wait(10)
                return
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(answer))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        server.url = f"http://127.0.0.1:{made.server_port}/v1"
        yield server
        server.hold.set()
        made.shutdown()
        thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with _serving(Server()) as serving:
        yield serving


def _unit(*texts: str) -> Any:  # noqa: ANN401 - an array, or one row of it
    rows = np.array([vector(text) for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_vectors_come_back_in_the_order_of_the_texts(server: Server) -> None:
    texts = ["banana", "kiwi", "apple"]

    vectors = server.open().embed(texts)

    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, _unit(*texts), atol=1e-6)
    assert server.heard == [{"model": "tiny", "input": texts}]
    assert server.paths == ["/v1/embeddings"]
    assert server.keys == [f"Bearer {KEY}"]


def test_its_name_says_the_server_and_the_model(server: Server) -> None:
    assert server.open().name == f"{server.url[7:-3]}/tiny"
    assert server.heard == []


@pytest.mark.parametrize("end", ["", "/", "/embeddings"])
def test_the_address_may_end_as_people_write_it(server: Server, end: str) -> None:
    server.open(url=server.url + end).embed(["kiwi"])

    assert server.paths == ["/v1/embeddings"]


def test_many_texts_are_asked_for_in_batches(server: Server) -> None:
    texts = [f"text-{'a' * number}" for number in range(5)]

    vectors = server.open(batch=2).embed(texts)

    assert [len(asked["input"]) for asked in server.heard] == [2, 2, 1]
    np.testing.assert_allclose(vectors, _unit(*texts), atol=1e-6)


def test_blank_texts_are_not_sent(server: Server) -> None:
    vectors = server.open().embed(["", "kiwi", "\n "])

    assert server.heard == [{"model": "tiny", "input": ["kiwi"]}]
    assert vectors.any(axis=1).tolist() == [False, True, False]


@pytest.mark.parametrize("text", ["word " * 9000, "x" * 90000, "漢" * 9000])
def test_a_long_text_is_sent_as_its_beginning(server: Server, text: str) -> None:
    server.open().embed([text])

    (sent,) = server.heard[0]["input"]
    assert sent
    assert text.startswith(sent)
    assert count_tokens(sent) <= 2000


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=FEW,
)
@given(texts=st.lists(st.text(st.characters(), max_size=40), max_size=5))
def test_rows_have_length_one_or_none_and_do_not_depend_on_their_company(
    server: Server, texts: list[str]
) -> None:
    embedder = server.open(batch=2)

    together = embedder.embed(texts)

    said = [float(bool(text.strip())) for text in texts]
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), said, atol=1e-5)
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_array_equal(embedder.embed([text])[0], row)


@pytest.mark.parametrize("status", [429, 503])
def test_what_passes_by_itself_is_tried_again(server: Server, status: int) -> None:
    server.refusals = [(status, {}, b""), (status, {}, b"")]

    assert server.open().embed(["kiwi"]).any()
    assert server.slept == [0.5, 1.0]


def test_the_server_may_say_how_long_to_wait(server: Server) -> None:
    server.refusals = [(429, {"Retry-After": wait}, b"") for wait in ("7", "soon")]

    assert server.open(seconds=30.0).embed(["kiwi"]).any()
    assert server.slept == [7.0, 1.0]


def test_a_server_in_lasting_trouble_is_given_up(server: Server) -> None:
    server.refusals = [(503, {}, b'{"error": "loading\\n model"}')] * 9

    with pytest.raises(EmbedderUnavailableError) as caught:
        server.open().embed(["kiwi"])

    assert "has trouble (503): loading model" in str(caught.value)
    assert len(server.heard) == 4


def test_a_key_that_is_refused_is_said_at_once(server: Server) -> None:
    server.refusals = [(401, {}, b'{"error": {"message": "Incorrect API key"}}')]

    with pytest.raises(EmbedderUnavailableError, match="Incorrect API key") as caught:
        server.open().embed(["kiwi"])

    assert "TINY_KEY" in caught.value.advice
    assert server.slept == []


@pytest.mark.parametrize(
    "said",
    [
        b"[" * 100_000,
        b'{"data": [{"embedding": [1, 2]}]}',
        b'{"data": [{"embedding": [1, 2]}, {"embedding": [1]}]}',
        b'{"data": [{"embedding": [1]}, {"embedding": [1]}, {"embedding": [1]}]}',
        b'{"data": [{"embedding": [1e999]}, {"embedding": [1]}]}',
    ],
)
def test_an_answer_that_holds_no_vectors_is_refused(
    server: Server, said: bytes
) -> None:
    server.said = said

    with pytest.raises(EmbedderUnavailableError, match="not one vector for") as caught:
        server.open().embed(["kiwi", "apple"])

    assert server.url in str(caught.value)
    assert "embedding model" in caught.value.advice
    assert server.slept == []


def test_an_answer_may_be_longer_than_a_conversation_and_has_a_limit(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.minds.http.LARGEST_REPLY", 1 << 10)
    server.said = b'{"data": [{"embedding": [1, 2]}]}' + b" " * (1 << 20)
    assert server.open().embed(["kiwi"]).any()

    monkeypatch.setattr("reverie.embedding.endpoint._LARGEST_ANSWER", 1 << 20)
    with pytest.raises(EmbedderUnavailableError, match="it is longer than 1 MB"):
        server.open().embed(["kiwi"])


def test_vectors_of_another_length_than_before_are_refused(server: Server) -> None:
    embedder = server.open()
    embedder.embed(["kiwi"])
    server.said = b'{"data": [{"embedding": [1, 2]}]}'

    with pytest.raises(EmbedderUnavailableError, match="2 numbers after some of 3"):
        embedder.embed(["kiwi"])


def test_a_server_that_is_not_there_is_asked_a_few_times_and_named() -> None:
    with closing(create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    server = Server(f"http://127.0.0.1:{port}/v1")

    with pytest.raises(EmbedderUnavailableError, match="cannot be reached") as caught:
        server.open().embed(["kiwi"])

    assert server.url in str(caught.value)
    assert "embedding.url" in caught.value.advice
    assert server.slept == [0.5, 1.0, 2.0]


def test_an_address_that_is_none_is_named() -> None:
    with pytest.raises(EmbedderUnavailableError, match="is not the address"):
        Server("http://[::1/v1").open()


def test_a_server_that_does_not_answer_in_time_is_not_asked_again(
    server: Server,
) -> None:
    server.refusals = [(0, {}, b"")]

    with pytest.raises(EmbedderUnavailableError, match=r"within 0\.1 s") as caught:
        server.open(seconds=0.1).embed(["kiwi"])

    assert "embedding.timeout_seconds" in caught.value.advice
    assert server.slept == []


def _asked_with(url: str, key: str) -> str:
    """The key that would be sent to an address."""
    config = EmbeddingConfig(model="endpoint", url=url, name="tiny")
    embedder: Any = EndpointEmbedder(config, {"OPENAI_API_KEY": key})
    return str(embedder._server.key)  # noqa: SLF001


def test_a_key_leaves_this_machine_only_encrypted() -> None:
    assert _asked_with("https://api.openai.com/v1", KEY) == KEY
    assert _asked_with("http://localhost:11434/v1", KEY) == KEY
    assert _asked_with("http://[::1]:11434/v1", KEY) == KEY
    assert _asked_with("http://192.168.1.5:11434/v1", KEY) == ""
    assert _asked_with("http://localhost.example.com/v1", KEY) == ""
    assert _asked_with("https://api.openai.com/v1", "") == ""


def test_what_cannot_be_a_key_is_refused() -> None:
    with pytest.raises(EmbedderUnavailableError, match="no key") as caught:
        _asked_with("https://api.openai.com/v1", "two\nlines")

    assert "OPENAI_API_KEY" in caught.value.advice
