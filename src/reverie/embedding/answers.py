"""What an embeddings server answers, read or refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from reverie.embedding.embedder import EmbedderUnavailableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
