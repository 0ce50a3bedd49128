"""A model behind a web address, as OpenAI, Ollama, llama.cpp and others serve them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec
import numpy as np

from reverie.embedding import EmbedderUnavailableError
from reverie.embedding.local import find_said, sound, unit_rows
from reverie.minds.http import Deadline, Server, ServerError, retry
from reverie.tokens import clip_to_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from reverie.config import EmbeddingConfig

_MOST_TOKENS = 2000  # by then a text has said what it is about
_RETRIES = 3
_LARGEST_ANSWER = 1 << 28


class _Entry(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Entry]


class EndpointEmbedder:
    """Asks a server for vectors."""

    worth = 1.0
    reads_sentences = True

    def __init__(
        self,
        config: EmbeddingConfig,
        environ: Mapping[str, str],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Get ready to ask the endpoint; nothing is sent yet.

        Args:
            config: Its address, its name for the model, time-out and batch.
            environ: Holds the key, under the name that `key_variable` gives.
            sleep: How to wait between attempts.
        """
        try:
            self._server = Server(config.url, "embedding", config.key_variable, environ)
        except ServerError as error:
            raise EmbedderUnavailableError(str(error), hint=error.advice) from error
        self._config, self._sleep, self._width = config, sleep, 0
        self.name = f"{urlsplit(config.url).netloc}/{config.name}"

    def kin(self, word: str) -> tuple[()]:
        """Nothing: single words are not worth a call; see `Embedder.kin`."""
        del word
        return ()

    def embed(
        self, texts: Sequence[str], *, asked: bool = False
    ) -> NDArray[np.float32]:
        """Give each text its vector; see `Embedder.embed`."""
        del asked
        said, size = find_said(texts), self._config.batch
        # The beginning, where a text is longer than most models read.
        sent = [sound(texts[row]).strip() for row in said]
        sent = [clip_to_tokens(t, _MOST_TOKENS) or t[:_MOST_TOKENS] for t in sent]
        parts = [self._vectors(sent[n : n + size]) for n in range(0, len(sent), size)]
        if not self._width:
            # No answer has said yet how long a vector is.
            self._vectors(["length"])
        rows = np.zeros((len(texts), self._width), np.float64)
        if parts:
            rows[said] = np.concatenate(parts)
        return unit_rows(rows, self.name)

    def _vectors(self, texts: list[str]) -> NDArray[np.float64]:
        """The vectors of some texts, in their order."""
        deadline, server = Deadline(self._config.timeout_seconds), self._server
        path = f"{server.path.removesuffix('/embeddings')}/embeddings"
        headers = {"authorization": f"Bearer {server.key}"} if server.key else {}
        body = {"model": self._config.name, "input": texts}
        try:
            answer = retry(
                lambda: server.post(path, headers, body, deadline, _LARGEST_ANSWER),
                _RETRIES,
                deadline,
                self._sleep,
            )
            vectors = self._read(answer, len(texts))
        except ServerError as error:
            raise EmbedderUnavailableError(str(error), hint=error.advice) from error
        self._width = vectors.shape[1]
        return vectors

    def _read(self, answer: bytes, count: int) -> NDArray[np.float64]:
        try:
            entries = msgspec.json.decode(answer, type=_Answer).data
            placed = {
                at if entry.index is None else entry.index: entry.embedding
                for at, entry in enumerate(entries)
            }
            vectors = np.array([placed.pop(at) for at in range(count)], np.float64)
            length = vectors.shape[1]
        except (ValueError, LookupError, RecursionError):
            placed, vectors, length = {}, np.zeros((0, 0)), 0
        if placed or not length or not np.isfinite(vectors).all():
            problem = f"not one vector for each of {count} texts, all of one length"
            raise self._server.odd(problem)
        if self._width not in (0, length):
            problem = f"vectors of {length} numbers after some of {self._width}"
            raise self._server.odd(problem)
        return vectors
