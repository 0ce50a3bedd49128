"""The built-in model."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.embedding.models import write_tensors
from tests.embedding.test_pieces import LIBRARY, TEXTS

from reverie.embedding import EmbedderUnavailableError
from reverie.embedding.local import load_tensors, open_static, package_folder, unit_rows

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from reverie.embedding import Embedder

PACKAGE = package_folder("wordllama")
WEIGHTS = "weights/l2_supercat_256.safetensors"
VOCABULARY = "tokenizers/l2_supercat_tokenizer_config.json"


def _means(texts: list[str]) -> NDArray[np.float32]:
    """What the model's own library does: the mean over the tokens of each text."""
    table = load_tensors(PACKAGE / WEIGHTS)["embedding.weight"].astype(np.float32)
    encoded = LIBRARY.encode_batch(texts, add_special_tokens=False)
    return unit_rows(np.stack([table[one.ids].mean(axis=0) for one in encoded]), "")


def test_it_says_what_it_is(built_in: Embedder) -> None:
    assert built_in.name == "wordllama-l2-supercat-256/0.4.0"


def test_a_text_is_the_mean_of_its_tokens(built_in: Embedder) -> None:
    texts = [text for text in TEXTS if text.strip()]

    vectors = built_in.embed(texts)

    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, _means(texts), atol=1e-6)


def test_near_meanings_are_near(built_in: Embedder) -> None:
    cat, kitten, tax = built_in.embed(
        ["a cat on the sofa", "two kittens", "filing a tax return"]
    )

    assert cat @ kitten > cat @ tax + 0.1


def test_a_very_long_text_is_the_mean_of_all_of_it(built_in: Embedder) -> None:
    text = "alpha beta " * 5000 + "gamma delta " * 5000

    np.testing.assert_allclose(built_in.embed([text]), _means([text]), atol=1e-4)


@given(st.lists(st.text(max_size=60), max_size=5))
def test_rows_have_length_one_or_none_and_do_not_depend_on_their_company(
    built_in: Embedder, texts: list[str]
) -> None:
    together = built_in.embed(texts)

    lengths = np.linalg.norm(together, axis=1)
    said = np.array([bool(text.strip()) for text in texts], bool)
    np.testing.assert_allclose(lengths, said.astype(float), atol=1e-5)
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_array_equal(built_in.embed([text])[0], row)


def test_the_package_that_carries_it_is_not_run() -> None:
    code = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "from reverie.embedding.local import open_static\n"
        "open_static().embed(['hello'])\n"
        "heavy = {'wordllama', 'tokenizers', 'pydantic', 'requests', 'ssl'}\n"
        "print(sorted(heavy & set(sys.modules) - before))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package's two files, to be damaged."""
    for name in (WEIGHTS, VOCABULARY):
        (tmp_path / name).parent.mkdir()
        shutil.copy(PACKAGE / name, tmp_path / name)
    return tmp_path


def test_a_copy_works_as_the_original_does(built_in: Embedder, copy: Path) -> None:
    copied = open_static(copy)

    np.testing.assert_array_equal(copied.embed(TEXTS), built_in.embed(TEXTS))
    assert copied.name == "wordllama-l2-supercat-256/0"  # nobody says its version


@pytest.mark.parametrize(("name", "share"), [(WEIGHTS, 0.0), (VOCABULARY, 0.3)])
def test_a_file_cut_short_is_named(copy: Path, name: str, share: float) -> None:
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: int(len(content) * share)])

    with pytest.raises(EmbedderUnavailableError, match="cut off"):
        open_static(copy)


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"other": np.ones((2, 2), np.float32)}, "holds no table"),
        ({"embedding.weight": np.ones(2, np.float32)}, "holds no table"),
        ({"embedding.weight": np.ones((9, 2), np.float32)}, "fewer rows than"),
    ],
)
def test_another_models_weights_are_refused(
    copy: Path, tensors: dict[str, NDArray[np.float32]], said: str
) -> None:
    write_tensors(copy / WEIGHTS, **tensors)

    with pytest.raises(EmbedderUnavailableError, match=said):
        open_static(copy)


def test_weights_that_are_no_numbers_are_noticed(copy: Path) -> None:
    table = np.full((32000, 4), np.nan, np.float16)
    write_tensors(copy / WEIGHTS, **{"embedding.weight": table})

    with pytest.raises(EmbedderUnavailableError, match="not finite"):
        open_static(copy).embed(["hello"])


def test_a_missing_package_is_named_with_the_way_to_get_it() -> None:
    with pytest.raises(EmbedderUnavailableError, match="no_such_model") as caught:
        package_folder("no_such_model")

    assert "pip install no-such-model" in caught.value.advice
