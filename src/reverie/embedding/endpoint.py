"""A model behind a web address, as OpenAI, Ollama, llama.cpp and others serve them."""

from __future__ import annotations

import json
import re
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from reverie.embedding import EmbedderUnavailableError, find_said, sound
from reverie.embedding.static import unit_rows
from reverie.tokens import clip_to_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from reverie.config import EmbeddingConfig
    from reverie.embedding import Embedder


_PASSING = {408, 425, 429, 500, 502, 503, 504, 529}
_LONGEST_MESSAGE = 200


class UnreachableEndpointError(EmbedderUnavailableError):
    """Nobody answers at the address."""

    wait = 0.0

    def __init__(self, url: str, error: Exception) -> None:
        super().__init__(
            f"the embedding server {url} cannot be reached: {error}",
            hint="Start it, or correct `embedding.url` in reverie.toml.",
        )


class BusyEndpointError(EmbedderUnavailableError):
    """The server cannot answer now; after `wait` seconds it may."""

    def __init__(self, url: str, status: int, message: str, wait: float) -> None:
        super().__init__(
            f"the embedding server {url} has trouble ({status}): {message}",
            hint="Try again later; a smaller `embedding.batch` may help.",
        )
        self.wait = wait


class SlowEndpointError(EmbedderUnavailableError):
    """The server did not answer in time. It is not asked again: we have waited."""

    def __init__(self, url: str, seconds: float) -> None:
        super().__init__(
            f"the embedding server {url} did not answer within {seconds:g} s",
            hint="Raise `embedding.timeout_seconds` or lower `embedding.batch` in "
            "reverie.toml.",
        )


class RefusedKeyError(EmbedderUnavailableError):
    """The server does not let us in."""

    def __init__(self, url: str, variable: str, message: str) -> None:
        super().__init__(
            f"the embedding server {url} does not take our key: {message}",
            hint=f"Set the variable {variable or 'named by `embedding.key_variable`'} "
            "to a key of this server. It is sent only over https or to this machine.",
        )


class EndpointRefusalError(EmbedderUnavailableError):
    """The server does not do what we ask."""

    def __init__(self, url: str, status: int, message: str) -> None:
        super().__init__(
            f"the embedding server {url} refuses ({status}): {message}",
            hint="Check `embedding.url`, which mostly ends in /v1, and that the server "
            "has the model of `embedding.name`.",
        )


class OddAnswerError(EmbedderUnavailableError):
    """The server answers, but not with vectors."""

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(
            f"the embedding server {url} gives no usable vectors: {problem}",
            hint="Check that `embedding.name` in reverie.toml is an embedding model.",
        )


def refusal(
    url: str, status: int, answer: bytes, *, variable: str, wait: float
) -> EmbedderUnavailableError:
    """The error that an answer other than 200 stands for."""
    message = _message(answer)
    if status in (401, 403):
        return RefusedKeyError(url, variable, message)
    if status in _PASSING:
        return BusyEndpointError(url, status, message, wait)
    return EndpointRefusalError(url, status, message)


def _message(answer: bytes) -> str:
    """What a server says about itself, on one line."""
    text = answer.decode("utf-8", "replace")
    try:
        said = json.loads(text)["error"]
        text = said["message"] if isinstance(said, dict) else said
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    return " ".join(str(text).split())[:_LONGEST_MESSAGE] or "no reason given"


def parse_vectors(answer: bytes, count: int, url: str) -> NDArray[np.float64]:
    """Read the vectors of `count` texts, in the order of the texts."""
    try:
        entries = json.loads(answer)["data"]
        placed: dict[Any, Any] = {
            entry.get("index", at): entry["embedding"]
            for at, entry in enumerate(entries)
        }
        vectors = np.array([placed.pop(at) for at in range(count)], np.float64)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = f"not one vector for each of {count} texts, all of one length"
        raise OddAnswerError(url, problem) from error
    if placed or vectors.ndim != 2 or not vectors.size:
        raise OddAnswerError(url, f"{len(entries)} of them for {count} texts")
    if not np.isfinite(vectors).all():
        raise OddAnswerError(url, "not all their numbers are finite")
    return vectors


_PAUSES = (0.2, 0.5, 1.0)  # seconds between attempts
_LONGEST_PAUSE = 30.0  # whatever the server asks for
_LARGEST_ANSWER = 1 << 28
_THIS_MACHINE = re.compile(r"localhost|127(\.\d+){3}|::1")


class Asker:
    """Posts to an endpoint.

    What passes by itself, such as too many requests or a server that restarts, is
    tried again a few times; everything else is said at once.
    """

    def __init__(
        self, config: EmbeddingConfig, key: str, sleep: Callable[[float], None]
    ) -> None:
        self._url = config.url
        self._seconds = config.timeout_seconds
        self._variable = config.key_variable
        self._sleep = sleep
        try:
            parts = urlsplit(config.url)
            self._host, self._port = parts.hostname or "", parts.port
        except ValueError as error:
            raise UnreachableEndpointError(config.url, error) from error
        self._secure = parts.scheme == "https"
        self._path = f"{parts.path.removesuffix('/embeddings').rstrip('/')}/embeddings"
        self._headers = {"Content-Type": "application/json"}
        # On the way to another machine, whoever listens could read it.
        if key and (self._secure or _THIS_MACHINE.fullmatch(self._host)):
            self._headers["Authorization"] = f"Bearer {key}"

    def answer(self, question: bytes) -> bytes:
        """Post a question and return what the server answers."""
        for pause in _PAUSES:
            try:
                return self._once(question)
            except (UnreachableEndpointError, BusyEndpointError) as error:
                self._sleep(min(max(pause, error.wait), _LONGEST_PAUSE))
        return self._once(question)

    def _once(self, question: bytes) -> bytes:
        try:
            status, after, answer = self._posted(question)
        except TimeoutError as error:
            raise SlowEndpointError(self._url, self._seconds) from error
        except (OSError, HTTPException, UnicodeError) as error:
            raise UnreachableEndpointError(self._url, error) from error
        if status == 200:
            return answer
        wait = float(after) if re.fullmatch(r"\d{1,6}", after) else 0.0
        raise refusal(self._url, status, answer, variable=self._variable, wait=wait)

    def _posted(self, question: bytes) -> tuple[int, str, bytes]:
        opened = HTTPSConnection if self._secure else HTTPConnection
        connection = opened(self._host, self._port, timeout=self._seconds)
        try:
            connection.request("POST", self._path, question, self._headers)
            response = connection.getresponse()
            after = response.getheader("Retry-After", "")
            return response.status, after, response.read(_LARGEST_ANSWER)
        finally:
            connection.close()


_MOST_TOKENS = 2000  # by then a text has said what it is about


def open_endpoint(
    config: EmbeddingConfig,
    environ: Mapping[str, str],
    sleep: Callable[[float], None] = time.sleep,
) -> Embedder:
    """Get ready to ask the endpoint; nothing is sent yet.

    Args:
        config: Its address, its name for the model, time-out and batch.
        environ: Holds the key, under the name that `key_variable` gives.
        sleep: How to wait between attempts.
    """
    key = environ.get(config.key_variable, "").strip() if config.key_variable else ""
    if not re.fullmatch(r"[!-~]*", key):
        raise RefusedKeyError(config.url, config.key_variable, "it is no key")
    return EndpointEmbedder(config, Asker(config, key, sleep))


class EndpointEmbedder:
    """Asks a server for vectors."""

    def __init__(self, config: EmbeddingConfig, asker: Asker) -> None:
        self._config = config
        self._asker = asker
        self._dimensions = 0

    @property
    def name(self) -> str:
        """The server, and what it calls the model."""
        return f"{urlsplit(self._config.url).netloc}/{self._config.name}"

    @property
    def dimensions(self) -> int:
        """How long a vector is; asked for where no answer has said so yet."""
        if not self._dimensions:
            self._vectors(["length"])
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give each text its vector; see `Embedder.embed`."""
        said = find_said(texts)
        parts: list[NDArray[Any]] = []
        for at in range(0, len(said), self._config.batch):
            part = said[at : at + self._config.batch]
            parts.append(self._vectors([_clipped(texts[place]) for place in part]))
        rows = np.zeros((len(texts), self.dimensions), np.float64)
        if parts:
            rows[said] = np.concatenate(parts)
        return unit_rows(rows, self.name)

    def _vectors(self, texts: list[str]) -> NDArray[np.float64]:
        question = json.dumps({"model": self._config.name, "input": texts})
        answer = self._asker.answer(question.encode())
        vectors = parse_vectors(answer, len(texts), self._config.url)
        length = vectors.shape[1]
        if self._dimensions not in (0, length):
            problem = f"vectors of {length} numbers after some of {self._dimensions}"
            raise OddAnswerError(self._config.url, problem)
        self._dimensions = length
        return vectors


def _clipped(text: str) -> str:
    """The text's beginning, where it is longer than most models read."""
    text = sound(text)
    return clip_to_tokens(text, _MOST_TOKENS).strip() or text.strip()[:_MOST_TOKENS]
