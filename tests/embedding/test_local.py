"""Tables of vectors in a folder or in a package."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.embedding.models import (
    VECTORS,
    WORDS,
    pooled,
    write_tensors,
    write_tokenizer,
)

from reverie.config import EmbeddingConfig
from reverie.embedding import EmbedderUnavailableError
from reverie.embedding.local import open_local

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from reverie.embedding import Embedder


def _open(folder: Path, tokenizer: str = "") -> Embedder:
    return open_local(EmbeddingConfig(model=str(folder), tokenizer=tokenizer), {})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tensors(tmp_path / "model.safetensors", embeddings=VECTORS)
    write_tokenizer(tmp_path / "tokenizer.json")
    return tmp_path


def test_a_text_is_the_mean_of_its_words(folder: Path) -> None:
    embedder = _open(folder)

    vectors = embedder.embed(["The cat and the kitten", "", "tax"])

    expected = pooled({"the": 2, "cat": 1, "and": 1, "kitten": 1})
    np.testing.assert_allclose(vectors[0], expected, atol=1e-6)
    assert not vectors[1].any()
    np.testing.assert_allclose(vectors[2], [0, 0, 1], atol=1e-6)


def test_an_unknown_word_is_left_out(folder: Path) -> None:
    cat, alone = _open(folder).embed(["cat \ud83d zebra", "zebra"])

    np.testing.assert_allclose(cat, [1, 0, 0], atol=1e-6)
    assert not alone.any()


def test_the_table_may_have_another_name(folder: Path) -> None:
    for name in ("embedding.weight", "whatever"):
        write_tensors(folder / "model.safetensors", **{name: VECTORS})

        assert _open(folder).embed(["cat"])[0] @ [1, 0, 0] == pytest.approx(1)


def test_pieces_may_share_a_row_and_weigh_differently(folder: Path) -> None:
    write_tensors(
        folder / "model.safetensors",
        embeddings=np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32),
        mapping=np.array([0, 0, 0, 0, 1, 1, 2, 0, 0]),
        weights=np.array([0, 0, 0, 0, 3, 1, 4, 0, 0], np.float32),
    )

    vectors = _open(folder).embed(["cat tax", "kitten"])

    np.testing.assert_allclose(vectors, [[0.6, 0.8, 0.0], [1.0, 0.0, 0.0]], atol=1e-6)


def test_the_name_changes_with_the_model_and_with_its_tokenizer(folder: Path) -> None:
    names = {_open(folder).name, _open(folder).name}
    assert len(names) == 1

    write_tensors(folder / "model.safetensors", embeddings=VECTORS * 2)
    names.add(_open(folder).name)
    write_tokenizer(folder / "tokenizer.json", (*WORDS[:-1], "a"))
    names.add(_open(folder).name)

    assert len(names) == 3
    assert all(name.startswith(f"{folder.name}/") for name in names)


def test_a_package_is_found_and_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "my_tiny_model" / "data"
    inside.mkdir(parents=True)
    (inside.parent / "__init__.py").write_text("raise SystemExit", encoding="utf-8")
    write_tensors(inside / "model.safetensors", embeddings=VECTORS)
    write_tokenizer(inside / "tokenizer.json")
    monkeypatch.syspath_prepend(str(tmp_path))

    embedder = open_local(EmbeddingConfig(model="package:my_tiny_model/data"), {})

    assert embedder.embed(["tax"])[0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("package", ["not_installed", "__main__"])
def test_a_package_that_is_not_installed_is_named(package: str) -> None:
    with pytest.raises(EmbedderUnavailableError, match=package):
        open_local(EmbeddingConfig(model=f"package:{package}"), {})


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        EmbedderUnavailableError, match="nowhere is not there"
    ) as caught:
        _open(tmp_path / "nowhere")

    assert "embedding.model" in caught.value.advice


def test_the_layers_of_a_transformer_are_no_table(folder: Path) -> None:
    write_tensors(folder / "model.safetensors", a=VECTORS, b=VECTORS)

    with pytest.raises(EmbedderUnavailableError, match="holds no model we can run"):
        _open(folder)


def test_a_model_without_tokenizer_says_how_to_give_it_one(folder: Path) -> None:
    (folder / "tokenizer.json").rename(folder / "elsewhere.json")

    with pytest.raises(EmbedderUnavailableError, match=r"no tokenizer\.json") as caught:
        _open(folder)
    assert "embedding.tokenizer" in caught.value.advice

    found = _open(folder, tokenizer=str(folder / "elsewhere.json"))
    assert found.embed(["tax"])[0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("text", ["", '{"version": "1.0"}'])
def test_a_damaged_tokenizer_is_named(folder: Path, text: str) -> None:
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError, match=r"tokenizer\.json: \S"):
        _open(folder)


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"embeddings": VECTORS[:5]}, "knows 5 pieces, and its tokenizer more"),
        (
            {"embeddings": VECTORS, "weights": np.ones(4, np.float32)},
            "knows 4 pieces",
        ),
        (
            {"embeddings": VECTORS[:2], "mapping": np.arange(9)},
            "mapping points past",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    folder: Path, tensors: dict[str, NDArray[np.generic]], said: str
) -> None:
    write_tensors(folder / "model.safetensors", **tensors)

    with pytest.raises(EmbedderUnavailableError, match=said):
        _open(folder)


def test_a_list_of_words_is_a_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    words = (*WORDS[:-1], "##s")
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")

    vectors = _open(folder).embed(["CATS, zebra"])

    np.testing.assert_allclose(vectors[0], pooled({"cat": 1, "the": 1}), atol=1e-6)


def test_a_list_of_words_that_knows_capitals_keeps_them(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    words = (*WORDS[:-1], "Tax")
    (folder / "vocab.txt").write_text("\r\n".join(words), encoding="utf-8")

    tax, name = _open(folder).embed(["tax", "Tax"])

    assert tax.tolist() == [0, 0, 1]
    assert name.tolist() == [0, 1, 0]


@pytest.mark.parametrize("content", [b"cat\nkitten\n", b""])
def test_a_list_of_words_that_is_no_vocabulary_is_refused(
    folder: Path, content: bytes
) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_bytes(content)

    with pytest.raises(EmbedderUnavailableError, match=r"vocab\.txt: "):
        _open(folder)
