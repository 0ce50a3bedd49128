"""A long array, read object by object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from benchmarks.suite.json_array import load_objects

if TYPE_CHECKING:
    from pathlib import Path

VALUES = [{"a": "]},{ [", "b": [1, {"c": "äé"}]}, {}, {"a": "x" * 50}]


@pytest.mark.parametrize("chunk", [1, 2, 7, 1000])
@pytest.mark.parametrize("indent", [None, 2])
def test_the_objects_are_the_same_wherever_the_file_is_cut(
    tmp_path: Path, chunk: int, indent: int | None
) -> None:
    path = tmp_path / "array.json"
    text = json.dumps(VALUES, indent=indent, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")

    assert list(load_objects(path, chunk)) == VALUES


def test_an_array_that_breaks_off_is_no_end(tmp_path: Path) -> None:
    path = tmp_path / "array.json"
    path.write_text('[{"a": 1}, {"a": ', encoding="utf-8")

    with pytest.raises(json.JSONDecodeError):
        list(load_objects(path))
