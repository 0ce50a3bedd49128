"""Transformers, by a stand-in for onnxruntime and, where it is installed, by it.

The model is a real ONNX file that looks each token up in a table, so what comes out
can be worked out by hand. onnxruntime is an extra, and not needed to develop.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.embedding.models import VECTORS, WORDS, onnx_lookup, pooled, write_tokenizer

from reverie.config import EmbeddingConfig
from reverie.embedding import EmbedderUnavailableError
from reverie.embedding.local import open_local

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reverie.embedding import Embedder

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class StandIn(ModuleType):
    """As much of onnxruntime as is used, for the model of these tests."""

    def __init__(self, output: str = "last_hidden_state", kind: str = "int64") -> None:
        super().__init__("onnxruntime")
        self.shapes: list[tuple[int, ...]] = []
        self.output = output
        self.kind = kind

    def SessionOptions(self) -> Mock:  # noqa: N802 - its name
        """Whatever is set."""
        return Mock()

    def InferenceSession(  # noqa: N802 - its name
        self, path: str, _: object, providers: list[str]
    ) -> SimpleNamespace:
        """A session that looks tokens up as the model in the file does."""
        assert providers == ["CPUExecutionProvider"]
        content = Path(path).read_bytes()
        if b"Gather" not in content:
            problem = "protobuf parsing failed"
            raise RuntimeError(problem)
        kind = f"tensor({self.kind})"
        inputs = [
            SimpleNamespace(name=name, type=kind)
            for name in (*INPUTS, "past")
            if name.encode() in content
        ]
        return SimpleNamespace(
            get_inputs=lambda: inputs,
            get_outputs=lambda: [SimpleNamespace(name=self.output)],
            run=self._run,
        )

    def _run(self, names: list[str], feed: dict[str, NDArray[Any]]) -> list[Any]:
        assert names == [self.output]
        assert {array.dtype.name for array in feed.values()} == {self.kind}
        ids = feed["input_ids"]
        self.shapes.append(ids.shape)
        states = VECTORS[ids]
        if self.output == "sentence_embedding":
            return [states[:, min(1, ids.shape[1] - 1)] * 2]
        return [states[None] if self.output == "odd" else states]


_INSTALLED = ["onnxruntime"] if find_spec("onnxruntime") else []


@pytest.fixture(params=["stand-in", *_INSTALLED])
def runtime(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "stand-in":
        monkeypatch.setitem(sys.modules, "onnxruntime", StandIn())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.onnx").write_bytes(onnx_lookup(INPUTS, VECTORS))
    write_tokenizer(tmp_path / "tokenizer.json")
    return tmp_path


def _open(folder: Path) -> Embedder:
    return open_local(EmbeddingConfig(model=str(folder)), {})


@pytest.mark.usefixtures("runtime")
def test_a_text_is_the_mean_of_its_tokens_with_their_marks(folder: Path) -> None:
    embedder = _open(folder)

    vectors = embedder.embed(["the cat", " ", "kitten and kitten and cat"])

    marks = {"[CLS]": 1, "[SEP]": 1}
    expected = np.stack(
        [
            pooled({"the": 1, "cat": 1, **marks}),
            np.zeros(3, np.float32),
            pooled({"kitten": 2, "and": 2, "cat": 1, **marks}),
        ]
    )
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert vectors.dtype == np.float32


@pytest.mark.usefixtures("runtime")
def test_the_first_token_stands_for_the_text_where_the_model_says_so(
    folder: Path,
) -> None:
    mean = _open(folder)
    (folder / "1_Pooling").mkdir()
    said = json.dumps({"pooling_mode_cls_token": True})
    (folder / "1_Pooling" / "config.json").write_text(said, encoding="utf-8")

    first = _open(folder)

    np.testing.assert_allclose(first.embed(["cat"]), [[0, 0, 1]], atol=1e-6)
    assert first.name != mean.name


@pytest.mark.parametrize("text", ["[]", "{"])
@pytest.mark.usefixtures("runtime")
def test_a_damaged_pooling_is_named(folder: Path, text: str) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(text, encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError, match=r"1_Pooling/config\.json"):
        _open(folder)


def test_a_long_text_is_cut(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = StandIn()
    monkeypatch.setitem(sys.modules, "onnxruntime", stand_in)

    _open(folder).embed(["cat " * 1000])

    assert stand_in.shapes[-1] == (1, 256)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.text([*"catxkien \n\ud83d"], max_size=30), max_size=6))
@pytest.mark.usefixtures("runtime")
def test_rows_have_length_one_or_none_and_do_not_depend_on_their_company(
    folder: Path, texts: list[str]
) -> None:
    embedder = _open(folder)

    together = embedder.embed(texts)

    assert together.shape == (len(texts), 3)
    said = [float(bool(text.strip())) for text in texts]
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), said, atol=1e-5)
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_array_equal(embedder.embed([text])[0], row)


@pytest.mark.usefixtures("runtime")
def test_a_model_may_ask_for_less(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(onnx_lookup(["input_ids"], VECTORS))

    assert _open(folder).embed(["cat"]).any()


@pytest.mark.usefixtures("runtime")
def test_a_model_that_asks_for_something_else_is_refused(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(onnx_lookup([*INPUTS, "past"], VECTORS))

    with pytest.raises(EmbedderUnavailableError, match="it asks for past"):
        _open(folder)


def test_a_vector_that_the_model_pools_itself_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = StandIn(output="sentence_embedding", kind="int32")
    monkeypatch.setitem(sys.modules, "onnxruntime", stand_in)

    assert _open(folder).embed(["cat"]).tolist() == [[1, 0, 0]]


def test_what_is_no_vector_of_a_text_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", StandIn(output="odd"))

    with pytest.raises(EmbedderUnavailableError, match="no vector of a text"):
        _open(folder).embed(["cat"])


@pytest.mark.usefixtures("runtime")
def test_the_file_named_plainly_is_taken_before_others(folder: Path) -> None:
    plain = _open(folder).name
    (folder / "model_int8.onnx").write_bytes(onnx_lookup(INPUTS, VECTORS * 2))
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model_q4.onnx").write_bytes(onnx_lookup(INPUTS, VECTORS * 3))

    assert _open(folder).name == plain
    (folder / "model.onnx").unlink()
    assert _open(folder).name != plain
    (folder / "model_int8.onnx").unlink()
    assert _open(folder).embed(["cat"]).any()


@pytest.mark.usefixtures("runtime")
def test_a_damaged_model_is_named(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"version https://git-lfs")

    with pytest.raises(EmbedderUnavailableError, match=r"model\.onnx: \S"):
        _open(folder)


@pytest.mark.usefixtures("runtime")
def test_a_tokenizer_of_another_model_is_noticed_when_it_is_used(folder: Path) -> None:
    write_tokenizer(folder / "tokenizer.json", (*WORDS, "beyond"))

    with pytest.raises(EmbedderUnavailableError, match=r"model\.onnx: \S"):
        _open(folder).embed(["beyond"])


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_a_missing_library_is_named_with_the_way_to_get_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)

    with pytest.raises(EmbedderUnavailableError, match=missing) as caught:
        _open(folder)

    assert 'pip install "reverie[onnx]"' in caught.value.advice
