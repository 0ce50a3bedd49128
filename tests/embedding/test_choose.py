"""Which embedder a configuration means, and what choosing costs."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from reverie.config import EmbeddingConfig
from reverie.embedding import EmbedderUnavailableError
from reverie.recall.search import open_embedder

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_heavy_is_loaded_before_an_embedder_is_opened() -> None:
    code = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import reverie.embedding, reverie.embedding\n"
        "heavy = {'numpy', 'tokenizers', 'onnxruntime', 'http', 'ssl', 'json'}\n"
        "print(sorted(heavy & set(sys.modules) - before))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"


def test_the_default_is_the_built_in_model() -> None:
    embedder = open_embedder(EmbeddingConfig(), {})

    assert embedder is not None
    assert embedder.name.startswith("wordllama-")


def test_none_is_none() -> None:
    assert open_embedder(EmbeddingConfig(model="none"), {}) is None


def test_an_endpoint_is_opened_without_asking_it() -> None:
    config = EmbeddingConfig(
        model="endpoint", url="http://localhost:1/v1", name="nomic-embed-text"
    )

    embedder = open_embedder(config, {})

    assert embedder is not None
    assert embedder.name == "localhost:1/nomic-embed-text"


def test_a_path_is_looked_up_below_the_home_that_is_given(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailableError) as caught:
        open_embedder(EmbeddingConfig(model="~/potion"), {"HOME": str(tmp_path)})

    assert f"{tmp_path}/potion is not there" in str(caught.value)
