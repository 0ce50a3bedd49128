"""Models small enough to write down in a test."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "kitten", "tax", "and", "the")
VECTORS = np.array(
    [
        *([9, 9, 9], [8, 8, 8], [0, 0, 4], [0, 0, 2]),
        *([1, 0, 0], [0.8, 0.6, 0], [0, 0, 1], [0, 0.2, 0], [0, 0.1, 0]),
    ],
    np.float32,
)

_TYPES = {"float32": "F32", "float16": "F16", "int64": "I64", "int8": "I8"}


def write_tensors(path: Path, **tensors: NDArray[np.generic]) -> None:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, tensor in tensors.items():
        end = len(data) + tensor.nbytes
        header[name] = {
            "dtype": _TYPES[tensor.dtype.name],
            "shape": list(tensor.shape),
            "data_offsets": [len(data), end],
        }
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_tokenizer(path: Path, words: Sequence[str] = WORDS) -> None:
    """A `tokenizer.json` that knows whole words, and pads as careless ones do."""
    described: dict[str, object] = {
        "version": "1.0",
        "truncation": {
            "direction": "Right",
            "max_length": 2,
            "strategy": "LongestFirst",
            "stride": 0,
        },
        "padding": {
            "strategy": {"Fixed": 16},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", 3],
            "cls": ["[CLS]", 2],
        },
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: number for number, word in enumerate(words)},
            "unk_token": "[UNK]",
        },
    }
    path.write_text(json.dumps(described), encoding="utf-8")


def onnx_lookup(inputs: Sequence[str], table: NDArray[np.float32]) -> bytes:
    """A real ONNX model that gives each token its row: one `Gather`, no library."""
    rows, columns = table.shape
    tensor = b"".join(
        [
            *(_number(1, rows), _number(1, columns), _number(2, 1)),
            *(_bytes(8, b"table"), _bytes(9, table.tobytes())),
        ]
    )
    node = b"".join(
        [
            *(_bytes(1, b"table"), _bytes(1, b"input_ids")),
            *(_bytes(2, b"last_hidden_state"), _bytes(4, b"Gather")),
        ]
    )
    graph = b"".join(
        [
            *(_bytes(1, node), _bytes(2, b"lookup"), _bytes(5, tensor)),
            *(_bytes(11, _value(name, 7, ("b", "s"))) for name in inputs),
            _bytes(12, _value("last_hidden_state", 1, ("b", "s", columns))),
        ]
    )
    opset = _bytes(1, b"") + _number(2, 13)
    return _number(1, 8) + _bytes(8, opset) + _bytes(7, graph)


def _value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    sizes = b"".join(
        _bytes(
            1, _number(1, size) if isinstance(size, int) else _bytes(2, size.encode())
        )
        for size in shape
    )
    tensor = _number(1, kind) + _bytes(2, sizes)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def pooled(words: Mapping[str, float]) -> NDArray[np.float32]:
    """The vector of a text, given how often it has each word."""
    total = sum(
        (times * VECTORS[WORDS.index(word)] for word, times in words.items()),
        start=np.zeros(3, np.float32),
    )
    vector: NDArray[np.float32] = total / np.linalg.norm(total)
    return vector


class Letters:
    """Stands for what the package opens: counts letters, and what it was given."""

    dim = 26

    def __init__(self) -> None:
        self.given: list[tuple[str, bool]] = []

    def encode(self, text: str, *, is_query: bool) -> NDArray[np.float32]:
        """How often each letter stands in a text."""
        self.given.append((text, is_query))
        row = np.full(26, 0.01, np.float32)
        for letter in text.lower():
            if "a" <= letter <= "z":
                row[ord(letter) - 97] += 1
        return row
