"""Reading `.safetensors` files, sound and otherwise."""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.embedding.models import write_tensors

from reverie.embedding import EmbedderUnavailableError
from reverie.embedding.local import load_tensors

if TYPE_CHECKING:
    from pathlib import Path


def test_tensors_are_read_with_their_shapes_and_types(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    table = np.arange(6, dtype=np.float16).reshape(3, 2)
    mapping = np.array([2, 1, 0])

    write_tensors(path, table=table, mapping=mapping)

    read = load_tensors(path)
    assert list(read) == ["table", "mapping"]
    assert read["table"].dtype == np.float16
    np.testing.assert_array_equal(read["table"], table)
    np.testing.assert_array_equal(read["mapping"], mapping)


def _file(header: object, data: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def _entry(**changed: object) -> dict[str, object]:
    entry = {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8], **changed}
    return {"table": entry}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "cut off, or no safetensors file"),
        (b"\x01\x02", "cut off, or no safetensors file"),
        (b"version https://git-lfs", "cut off, or no safetensors file"),
        (struct.pack("<Q", 4) + b"{{{{", "cut off, or no safetensors"),
        (_file([1]), "cut off, or no safetensors"),
        (_file({"table": 3}), "cut off, or no safetensors"),
        (_file({"table": {}}), "cut off, or no safetensors"),
        (_file(_entry(shape=["a"]), bytes(8)), "cut off, or no safetensors"),
        (_file(_entry(data_offsets=[0]), bytes(8)), "cut off, or no safetensors"),
        (_file(_entry(dtype="BF16"), bytes(8)), "cut off, or no safetensors"),
        (_file(_entry(shape=[3, 1]), bytes(8)), "cut off, or no safetensors"),
        (_file(_entry(data_offsets=[8, 0]), bytes(8)), "cut off, or no safetensors"),
        (_file(_entry(data_offsets=[-8, 0]), bytes(8)), "cut off, or no safetensors"),
        (_file(_entry(), bytes(7)), "cut off"),
        (_file(_entry()), "cut off"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)

    with pytest.raises(EmbedderUnavailableError, match=said) as caught:
        load_tensors(path)

    assert str(path) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError, match="No such file"):
        load_tensors(tmp_path / "model.safetensors")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_file_cut_or_changed_anywhere_is_read_or_named(
    tmp_path: Path, data: st.DataObject
) -> None:
    path = tmp_path / "model.safetensors"
    write_tensors(path, table=np.ones((2, 3), np.float32))
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])

    with suppress(EmbedderUnavailableError):
        load_tensors(path)
