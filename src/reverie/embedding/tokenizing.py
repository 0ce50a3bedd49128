"""The tokenizer of a local model, from whichever file describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reverie.embedding.embedder import EmbedderUnavailableError
from reverie.embedding.places import DamagedModelError, NamedDamage, library, read_file

if TYPE_CHECKING:
    from pathlib import Path

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
