"""A model behind a web address, as OpenAI, Ollama, llama.cpp and others serve them."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from reverie.embedding.answers import OddAnswerError, RefusedKeyError, parse_vectors
from reverie.embedding.asking import Asker
from reverie.embedding.table import unit_rows
from reverie.embedding.texts import find_said, sound
from reverie.tokens import clip_to_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from reverie.config import EmbeddingConfig
    from reverie.embedding.embedder import Embedder

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
