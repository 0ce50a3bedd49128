"""A model in a folder: a table of vectors, or a transformer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reverie.embedding.embedder import EmbedderUnavailableError
from reverie.embedding.places import DamagedModelError, fingerprint, located
from reverie.embedding.table import Table, TableEmbedder
from reverie.embedding.tensors import load_tensors
from reverie.embedding.texts import sound
from reverie.embedding.tokenizing import load_tokenizer, tokenizer_file
from reverie.embedding.transformer import open_transformer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reverie.config import EmbeddingConfig
    from reverie.embedding.embedder import Embedder

_TABLE = "model.safetensors"
_TABLE_NAMES = ("embeddings", "embedding.weight")


class NoModelError(EmbedderUnavailableError):
    """The folder is missing, or holds no model that we can run."""

    def __init__(self, folder: Path, problem: str) -> None:
        super().__init__(
            f"no embedding model: {folder} {problem}",
            hint="`embedding.model` in reverie.toml names a folder with a model.onnx, "
            "or with a model.safetensors that holds one table.",
        )


def open_local(config: EmbeddingConfig, environ: Mapping[str, str]) -> Embedder:
    """Open the model in the folder that `embedding.model` names.

    Where a folder has both, the table wins: folders of static models often carry
    an ONNX file as well, which does the same more slowly.
    """
    folder = located(config.model, environ)
    if not folder.is_dir():
        raise NoModelError(folder, "is not there")
    chosen = located(config.tokenizer, environ) if config.tokenizer else None
    table = _table(folder / _TABLE)
    if table is not None:
        return _open_table(folder, table, tokenizer_file(folder, chosen))
    model = _onnx(folder)
    if model is None:
        raise NoModelError(folder, "holds no model we can run")
    return open_transformer(model, tokenizer_file(folder, chosen), folder)


def _onnx(folder: Path) -> Path | None:
    """The model's ONNX file; the one named plainly, where there are several."""
    candidates = [
        *(folder / "model.onnx", folder / "onnx" / "model.onnx"),
        *sorted(folder.glob("*.onnx")),
        *sorted(folder.glob("onnx/*.onnx")),
    ]
    return next((path for path in candidates if path.is_file()), None)


def _table(path: Path) -> Table | None:
    """The table in a file; None where it holds the many layers of a transformer."""
    if not path.is_file():
        return None
    tensors = load_tensors(path)
    flat = [name for name, tensor in tensors.items() if tensor.ndim == 2]
    named = [name for name in _TABLE_NAMES if name in flat]
    if not named and len(flat) != 1:
        return None
    table = Table(
        tensors[(named or flat)[0]], tensors.get("mapping"), tensors.get("weights")
    )
    if table.mapping is not None and table.mapping.max(initial=0) >= len(table.vectors):
        raise DamagedModelError(path, "its mapping points past its vectors")
    return table


def _open_table(folder: Path, table: Table, described: Path) -> Embedder:
    tokenizer = load_tokenizer(described)
    if tokenizer.get_vocab_size() > table.pieces:
        problem = f"it knows {table.pieces} pieces, and its tokenizer more"
        raise DamagedModelError(folder / _TABLE, problem)
    name = f"{folder.name}/{fingerprint([folder / _TABLE, described])}"
    return TableEmbedder(name, table, _known_numbers(tokenizer))


def _known_numbers(
    tokenizer: Any,  # noqa: ANN401 - of a library loaded when it is needed
) -> Callable[[str], list[int]]:
    """Cut a text as such tables were trained: what is unknown is left out."""
    unknown = getattr(tokenizer.model, "unk_token", None)
    number = tokenizer.token_to_id(unknown) if unknown else None

    def numbers(text: str) -> list[int]:
        ids = tokenizer.encode(sound(text), add_special_tokens=False).ids
        return [known for known in ids if known != number]

    return numbers
