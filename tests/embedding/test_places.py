"""Where models are looked for, and how a change of them is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.embedding import EmbedderUnavailableError
from reverie.embedding.local import fingerprint, located, package_folder


@pytest.mark.parametrize(
    ("setting", "place"),
    [
        ("/srv/models/bge small", Path("/srv/models/bge small")),
        ("~/potion", Path("/home/ada/potion")),
        ("package:wordllama", package_folder("wordllama")),
        ("package:wordllama/weights", package_folder("wordllama") / "weights"),
    ],
)
def test_a_setting_names_a_place(setting: str, place: Path) -> None:
    assert located(setting, {"HOME": "/home/ada"}) == place


def test_a_module_that_is_no_package_carries_nothing() -> None:
    with pytest.raises(EmbedderUnavailableError, match="difflib is not installed"):
        located("package:difflib", {})


@pytest.mark.parametrize("place", [0, 70_000, 150_000, 199_999])
def test_a_fingerprint_changes_with_the_beginning_the_middle_and_the_end(
    tmp_path: Path, place: int
) -> None:
    path = tmp_path / "model.onnx"
    content = bytearray(200_000)
    path.write_bytes(content)
    before = fingerprint([path])

    content[place] = 1
    path.write_bytes(content)

    assert len(before) == 8
    assert (fingerprint([path]) != before) is (place != 70_000)


def test_a_fingerprint_changes_with_the_size(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(bytes(10))
    before = fingerprint([path])

    path.write_bytes(bytes(11))

    assert fingerprint([path]) != before


def test_a_file_that_cannot_be_read_has_no_fingerprint(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError, match="No such file"):
        fingerprint([tmp_path / "model.onnx"])
