"""A model in a folder: a table of vectors, or a transformer run by onnxruntime."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from reverie.embedding import (
    DamagedModelError,
    EmbedderUnavailableError,
    NamedDamage,
    find_said,
    fingerprint,
    library,
    located,
    read_file,
    sound,
)
from reverie.embedding.static import TableEmbedder, VectorTable, load_tensors, unit_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from reverie.config import EmbeddingConfig
    from reverie.embedding import Embedder


_FILES = ("tokenizer.json", "vocab.txt")
_SPECIAL = ("[UNK]", "[CLS]", "[SEP]")


class MissingTokenizerError(EmbedderUnavailableError):
    """A model cannot be used without its tokenizer."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"no embedding model: {folder} has no tokenizer.json and no vocab.txt",
            hint="Set `embedding.tokenizer` in reverie.toml to the one the model was "
            "trained with; most small English models use BERT's uncased vocab.txt.",
        )


def tokenizer_file(folder: Path, chosen: Path | None) -> Path:
    """The file that describes the tokenizer, the chosen one before the folder's."""
    if chosen is not None:
        return chosen
    for name in _FILES:
        if (folder / name).is_file():
            return folder / name
    raise MissingTokenizerError(folder)


def load_tokenizer(path: Path) -> Any:  # noqa: ANN401 - loaded when it is needed
    """A `tokenizers.Tokenizer` that neither pads nor cuts."""
    if path.suffix == ".txt":
        return _word_pieces(path)
    tokenizers = library("tokenizers")
    with NamedDamage(path):
        made = tokenizers.Tokenizer.from_file(str(path))
    made.no_padding()
    made.no_truncation()
    return made


def _word_pieces(path: Path) -> Any:  # noqa: ANN401 - as above
    """BERT's tokenizer, from its vocabulary; lower case if that is all it knows."""
    text = read_file(path).decode("utf-8", "replace")
    words = [line.rstrip("\r") for line in text.rstrip("\r\n").split("\n")]
    if not set(_SPECIAL) <= set(words):
        raise DamagedModelError(path, f"a BERT vocabulary has {', '.join(_SPECIAL)}")
    lower = not any(word != word.lower() for word in words if word[:1] != "[")
    numbers = {word: number for number, word in enumerate(words)}
    lib = library("tokenizers")
    made = lib.Tokenizer(lib.models.WordPiece(numbers, unk_token=_SPECIAL[0]))
    made.normalizer = lib.normalizers.BertNormalizer(lowercase=lower)
    made.pre_tokenizer = lib.pre_tokenizers.BertPreTokenizer()
    ends = [(word, numbers[word]) for word in ("[SEP]", "[CLS]")]
    made.post_processor = lib.processors.BertProcessing(*ends)
    return made


_MOST_TOKENS = 256
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_POOLING = "1_Pooling/config.json"
_WHOLE = "sentence_embedding"
_TYPES = {"tensor(int32)": np.int32, "tensor(float)": np.float32}


def open_transformer(model: Path, described: Path, folder: Path) -> Embedder:
    """Open an ONNX model.

    Args:
        model: The ONNX file.
        described: The tokenizer's file.
        folder: The model's folder, for its name and its pooling.
    """
    tokenizer = load_tokenizer(described)
    tokenizer.enable_truncation(max_length=_MOST_TOKENS)
    session = _session(model)
    unknown = {given.name for given in session.get_inputs()} - _INPUTS
    if unknown:
        problem = f"it asks for {', '.join(sorted(unknown))}, as no text encoder does"
        raise DamagedModelError(model, problem)
    pooling = folder / _POOLING
    files = [model, described, *([pooling] if pooling.is_file() else [])]
    return TransformerEmbedder(
        f"{folder.name}/{fingerprint(files)}",
        (model, session, tokenizer),
        first_only=_first_only(pooling),
    )


def _session(model: Path) -> Any:  # noqa: ANN401 - onnxruntime has no types
    runtime = library("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    # Threads that wait for work by turning in circles would take it from others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with NamedDamage(model):
        return runtime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )


def _first_only(pooling: Path) -> bool:
    """Whether the first token stands for the text, instead of the mean of all."""
    if not pooling.is_file():
        return False
    try:
        return bool(json.loads(read_file(pooling)).get("pooling_mode_cls_token"))
    except (ValueError, AttributeError) as error:
        raise DamagedModelError(pooling, "not JSON as it should be") from error


class TransformerEmbedder:
    """Runs texts through a transformer and pools what comes out.

    One text at a time: on a processor that is faster than running several padded
    to one length, and gives a text the same vector in any company.
    """

    def __init__(
        self, name: str, parts: tuple[Path, Any, Any], *, first_only: bool
    ) -> None:
        self._name = name
        self._path, self._session, self._tokenizer = parts
        self._first_only = first_only
        self._dimensions = 0

    @property
    def name(self) -> str:
        """The model and a fingerprint of its files."""
        return self._name

    @property
    def dimensions(self) -> int:
        """How long a vector is; found out by making one."""
        if not self._dimensions:
            self._dimensions = len(self._vector([0]))
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give each text its vector; see `Embedder.embed`."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row in find_said(texts):
            numbers = self._tokenizer.encode(sound(texts[row])).ids
            if numbers:
                rows[row] = self._vector(numbers)
        return unit_rows(rows, self._name)

    def _vector(self, numbers: list[int]) -> NDArray[Any]:
        with NamedDamage(self._path):
            states = self._run(numbers)
        if states.ndim == 1:
            return states
        if states.ndim != 2:
            raise DamagedModelError(self._path, "what it gives is no vector of a text")
        first: NDArray[Any] = states[0]
        return first if self._first_only else states.mean(axis=0)

    def _run(self, numbers: list[int]) -> NDArray[Any]:
        """The text's vector where the model gives one, else those of its tokens."""
        given = {
            "input_ids": [numbers],
            "attention_mask": [[1] * len(numbers)],
            "token_type_ids": [[0] * len(numbers)],
        }
        feed = {
            asked.name: np.array(given[asked.name], _TYPES.get(asked.type, np.int64))
            for asked in self._session.get_inputs()
        }
        names = [output.name for output in self._session.get_outputs()]
        wanted = _WHOLE if _WHOLE in names else names[0]
        states: NDArray[Any] = self._session.run([wanted], feed)[0][0]
        return states


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


def _table(path: Path) -> VectorTable | None:
    """The table in a file; None where it holds the many layers of a transformer."""
    if not path.is_file():
        return None
    tensors = load_tensors(path)
    flat = [name for name, tensor in tensors.items() if tensor.ndim == 2]
    named = [name for name in _TABLE_NAMES if name in flat]
    if not named and len(flat) != 1:
        return None
    table = VectorTable(
        tensors[(named or flat)[0]], tensors.get("mapping"), tensors.get("weights")
    )
    if table.mapping is not None and table.mapping.max(initial=0) >= len(table.vectors):
        raise DamagedModelError(path, "its mapping points past its vectors")
    return table


def _open_table(folder: Path, table: VectorTable, described: Path) -> Embedder:
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
