"""The built-in model: the table that the `wordllama` package carries.

Only its two files are used. The package itself is not run: it would import
pydantic and requests, and look for the files in another place first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.embedding.pieces import Pieces, load_vocabulary
from reverie.embedding.places import DamagedModelError, package_folder
from reverie.embedding.table import Table, TableEmbedder
from reverie.embedding.tensors import load_tensors

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.embedding.embedder import Embedder

_PACKAGE = "wordllama"
_MODEL = "wordllama-l2-supercat-256"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_VOCABULARY = "tokenizers/l2_supercat_tokenizer_config.json"


def open_static(folder: Path | None = None) -> Embedder:
    """Open the built-in model.

    Args:
        folder: The package's folder; the installed one where it is not given.
    """
    folder = folder or package_folder(_PACKAGE)
    weights = folder / _WEIGHTS
    table = load_tensors(weights).get("embedding.weight")
    if table is None or table.ndim != 2:
        raise DamagedModelError(weights, "it holds no table of vectors")
    vocabulary = load_vocabulary(folder / _VOCABULARY)
    if max(vocabulary.values()) >= len(table):
        raise DamagedModelError(weights, "it has fewer rows than the vocabulary")
    name = f"{_MODEL}/{_version(folder)}"
    return TableEmbedder(name, Table(table), Pieces(vocabulary).numbers)


def _version(folder: Path) -> str:
    """The package's version, read off the folder that pip puts beside it.

    `importlib.metadata` knows it too, and takes longer than embedding a question.
    A later `.post` release carries the same files.
    """
    for beside in sorted(folder.parent.glob(f"{_PACKAGE}-*.dist-info")):
        found = re.match(r"-(\d+(?:\.\d+)*)", beside.name.removeprefix(_PACKAGE))
        if found:
            return found[1]
    return "0"
