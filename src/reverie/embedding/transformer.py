"""A transformer in an ONNX file, run by onnxruntime."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from reverie.embedding.places import (
    DamagedModelError,
    NamedDamage,
    fingerprint,
    library,
    read_file,
)
from reverie.embedding.table import unit_rows
from reverie.embedding.texts import find_said, sound
from reverie.embedding.tokenizing import load_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from reverie.embedding.embedder import Embedder

_MOST_TOKENS = 256
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_POOLING = "1_Pooling/config.json"
_WHOLE = "sentence_embedding"
_TYPES = {"tensor(int32)": np.int32, "tensor(float)": np.float32}


def open_transformer(model: Path, described: Path, folder: Path) -> Embedder:
    """Open an ONNX model.

    Args:
        model: The ONNX file.
        described: The tokenizer's file.
        folder: The model's folder, for its name and its pooling.
    """
    tokenizer = load_tokenizer(described)
    tokenizer.enable_truncation(max_length=_MOST_TOKENS)
    session = _session(model)
    unknown = {given.name for given in session.get_inputs()} - _INPUTS
    if unknown:
        problem = f"it asks for {', '.join(sorted(unknown))}, as no text encoder does"
        raise DamagedModelError(model, problem)
    pooling = folder / _POOLING
    files = [model, described, *([pooling] if pooling.is_file() else [])]
    return TransformerEmbedder(
        f"{folder.name}/{fingerprint(files)}",
        (model, session, tokenizer),
        first_only=_first_only(pooling),
    )


def _session(model: Path) -> Any:  # noqa: ANN401 - onnxruntime has no types
    runtime = library("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    # Threads that wait for work by turning in circles would take it from others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with NamedDamage(model):
        return runtime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )


def _first_only(pooling: Path) -> bool:
    """Whether the first token stands for the text, instead of the mean of all."""
    if not pooling.is_file():
        return False
    try:
        return bool(json.loads(read_file(pooling)).get("pooling_mode_cls_token"))
    except (ValueError, AttributeError) as error:
        raise DamagedModelError(pooling, "not JSON as it should be") from error


class TransformerEmbedder:
    """Runs texts through a transformer and pools what comes out.

    One text at a time: on a processor that is faster than running several padded
    to one length, and gives a text the same vector in any company.
    """

    def __init__(
        self, name: str, parts: tuple[Path, Any, Any], *, first_only: bool
    ) -> None:
        self._name = name
        self._path, self._session, self._tokenizer = parts
        self._first_only = first_only
        self._dimensions = 0

    @property
    def name(self) -> str:
        """The model and a fingerprint of its files."""
        return self._name

    @property
    def dimensions(self) -> int:
        """How long a vector is; found out by making one."""
        if not self._dimensions:
            self._dimensions = len(self._vector([0]))
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give each text its vector; see `Embedder.embed`."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row in find_said(texts):
            numbers = self._tokenizer.encode(sound(texts[row])).ids
            if numbers:
                rows[row] = self._vector(numbers)
        return unit_rows(rows, self._name)

    def _vector(self, numbers: list[int]) -> NDArray[Any]:
        with NamedDamage(self._path):
            states = self._run(numbers)
        if states.ndim == 1:
            return states
        if states.ndim != 2:
            raise DamagedModelError(self._path, "what it gives is no vector of a text")
        first: NDArray[Any] = states[0]
        return first if self._first_only else states.mean(axis=0)

    def _run(self, numbers: list[int]) -> NDArray[Any]:
        """The text's vector where the model gives one, else those of its tokens."""
        given = {
            "input_ids": [numbers],
            "attention_mask": [[1] * len(numbers)],
            "token_type_ids": [[0] * len(numbers)],
        }
        feed = {
            asked.name: np.array(given[asked.name], _TYPES.get(asked.type, np.int64))
            for asked in self._session.get_inputs()
        }
        names = [output.name for output in self._session.get_outputs()]
        wanted = _WHOLE if _WHOLE in names else names[0]
        states: NDArray[Any] = self._session.run([wanted], feed)[0][0]
        return states
