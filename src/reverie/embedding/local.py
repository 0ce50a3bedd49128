"""Models on this machine: the built-in table, and tables and transformers in folders.

In a static model each piece of text has a row in a table, and a text is their mean.
The built-in one is read out of its package, which is not run.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import zlib
from functools import cache, partial
from heapq import heappop, heappush
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from reverie.embedding import EmbedderUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from reverie.config import EmbeddingConfig
    from reverie.embedding import Embedder


def damaged(where: object, problem: str) -> EmbedderUnavailableError:
    """What is said of a model that is there, and is not what it should be."""
    return EmbedderUnavailableError(
        f"the embedding model cannot be used: {where}: {problem}",
        hint="Install or copy the model again, or set another one in "
        "`embedding.model` of reverie.toml.",
    )


def _missing(hint: str, what: str) -> EmbedderUnavailableError:
    return EmbedderUnavailableError(f"no embedding model: {what}", hint=hint)


class naming:  # noqa: N801 - used as a function
    """Give whatever goes wrong with a file of a model the name of that file.

    Libraries for models raise bare exceptions of no class of their own.
    """

    def __init__(self, path: Path, problem: str = "") -> None:
        self._path, self._problem = path, problem

    def __enter__(self) -> None:
        """Begin; there is nothing to hold."""

    def __exit__(self, _kind: object, error: BaseException | None, _: object) -> None:
        """Raise what is to be said instead of what the library said."""
        if isinstance(error, OSError):
            told = f"the embedding model cannot be read: {self._path}: "
            hint = "Check that the file is there and may be read by this user."
            told += error.strerror or str(error)
            raise EmbedderUnavailableError(told, hint=hint) from error
        own = isinstance(error, EmbedderUnavailableError)
        if isinstance(error, Exception) and not own:
            said = self._problem or " ".join(str(error).split())[:200]
            raise damaged(self._path, said) from error


def located(setting: str, environ: Mapping[str, str]) -> Path:
    """The file or folder that a setting names.

    Args:
        setting: A path, `~/path`, `package:NAME` or `package:NAME/path`.
        environ: For `HOME`.
    """
    if setting.startswith("package:"):
        package, _, inside = setting.removeprefix("package:").partition("/")
        return package_folder(package) / inside
    if setting.startswith("~/"):
        return Path(environ.get("HOME", "/")) / setting.removeprefix("~/")
    return Path(setting)


def package_folder(package: str) -> Path:
    """The folder of an installed package, which is not run."""
    try:
        # Looking for a part of a package would run the package.
        spec = None if "." in package else importlib.util.find_spec(package)
    except ValueError:  # a module without a spec, such as `__main__`
        spec = None
    if spec and spec.submodule_search_locations:
        return Path(spec.submodule_search_locations[0])
    hint = f"Run `pip install {package.replace('_', '-')}`, or set another model "
    hint += "in `embedding.model` of reverie.toml."
    raise _missing(hint, f"the Python package {package} is not installed")


def _library(name: str) -> Any:  # noqa: ANN401 - a module, with all it holds
    """A library that only some models need, loaded when one of them is opened."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        hint = 'Run `pip install "reverie[onnx]"`, or set `embedding.model` in '
        hint += 'reverie.toml to "built-in".'
        raise _missing(hint, f"it needs the Python package {name}") from error


_SAMPLE = 1 << 16


def fingerprint(paths: Iterable[Path]) -> str:
    """Eight digits that change when one of the files does.

    Sizes, beginnings, middles and ends are looked at, so that a large model does
    not have to be read before it is used.
    """
    digest = 0
    for path in paths:
        with naming(path), path.open("rb") as file:
            size = path.stat().st_size
            digest = zlib.crc32(size.to_bytes(8, "little"), digest)
            for at in (0, size // 2, max(0, size - _SAMPLE)):
                file.seek(at)
                digest = zlib.crc32(file.read(_SAMPLE), digest)
    return f"{digest:08x}"


def find_said(texts: Sequence[str]) -> list[int]:
    """The places of the texts that say something; blank ones get no vector."""
    return [at for at, text in enumerate(texts) if text and not text.isspace()]


def sound(text: str) -> str:
    """The text without halves of surrogate pairs, which have no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def unit_rows(rows: NDArray[Any], name: str) -> NDArray[np.float32]:
    """Scale each row to length one; rows of zeros stay as they are."""
    wide = rows.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all():
        raise damaged(name, "its vectors are not finite")
    scaled: NDArray[Any] = wide / np.where(lengths, lengths, 1.0)
    return scaled.astype(np.float32)


# --- static models -------------------------------------------------------------

_AT_ONCE = 4096  # rows of one text that are in memory at the same time
_KIN = 0.45  # from this likeness on a word stands for another
_MOST_KIN = 60


class WordRows(NamedTuple):
    """Words that a table knows whole, and their rows, of length one."""

    words: Sequence[str]
    rows: NDArray[Any]


class LocalEmbedder:
    """Runs one text after the other through a model on this machine.

    On a processor that is faster than running several padded to one length, and
    gives a text the same vector in any company.

    Args:
        name: The model and its version.
        vector: The vector of a text that says something, of any length.
        width: How many numbers a vector has.
        words: Rows of the words that it knows whole, where it is a table.
    """

    worth = 1.0

    def __init__(
        self,
        name: str,
        vector: Callable[[str], NDArray[Any]],
        width: int,
        words: Callable[[], WordRows] | None = None,
    ) -> None:
        self.name, self._vector, self._width = name, vector, width
        self.reads_sentences = words is None
        self._words = cache(words or (lambda: WordRows((), np.zeros((0, 0)))))
        self._kin: dict[str, list[tuple[str, float]]] = {}

    def kin(self, word: str) -> Sequence[tuple[str, float]]:
        """Words alike in meaning; see `Embedder.kin`."""
        known = self._kin.get(word)
        if known is None:
            names, rows = self._words()
            alike = rows @ self.embed([word])[0] if len(rows) else np.zeros(0)
            near = np.flatnonzero(alike >= _KIN)
            near = near[np.argsort(-alike[near])][:_MOST_KIN]
            known = [(names[at], float(alike[at])) for at in near.tolist()]
            if len(self._kin) >= _REMEMBERED:
                self._kin.clear()
            self._kin[word] = known
        return known

    def embed(
        self, texts: Sequence[str], *, asked: bool = False
    ) -> NDArray[np.float32]:
        """Give each text its vector; see `Embedder.embed`."""
        del asked
        rows = np.zeros((len(texts), self._width), np.float32)
        for row in find_said(texts):
            rows[row] = self._vector(texts[row])
        return unit_rows(rows, self.name)


def table_embedder(
    name: str,
    vectors: NDArray[Any],
    numbers: Callable[[str], Sequence[int]],
    mapping: NDArray[Any] | None = None,
    weights: NDArray[Any] | None = None,
    whole: Callable[[], Mapping[str, int]] = dict,
) -> Embedder:
    """Add up the vectors of a text's pieces.

    Args:
        name: The model and its version.
        vectors: One row each.
        numbers: Cuts a text into the numbers of its pieces.
        mapping: The row of each piece, where several pieces share one.
        weights: What each piece counts, where they do not count alike.
        whole: The numbers of the pieces that are whole words.
    """
    width = int(vectors.shape[1])

    def words() -> WordRows:
        known = whole()
        pieces = [*known.values()]
        found = vectors[pieces if mapping is None else mapping[pieces]]
        # Not by `unit_rows`: single precision is enough, and takes less time.
        rows = found.astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return WordRows((*known,), rows / np.maximum(lengths, 1e-9)[:, None])

    def vector(text: str) -> NDArray[Any]:
        pieces, total = numbers(text), np.zeros(width, np.float32)
        for at in range(0, len(pieces), _AT_ONCE):
            some = pieces[at : at + _AT_ONCE]
            chosen = some if mapping is None else mapping.take(some)
            taken = vectors.take(chosen, axis=0).astype(np.float32)
            if weights is not None:
                taken *= weights.take(some)[:, None]
            total += taken.sum(axis=0)
        return total

    return LocalEmbedder(name, vector, width, words)


_TYPES = {"F64": "f8", "F32": "f4", "F16": "f2", "I64": "i8", "I32": "i4", "I8": "i1"}


def load_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Map each array of a `.safetensors` file; its pages are read when they are used.

    Raises:
        EmbedderUnavailableError: It is not there, cut off, or something else.
    """
    with naming(path, "cut off, or no safetensors file that we read"):
        data = np.memmap(path, np.uint8, "r")
        start = 8 + int.from_bytes(data[:8].tobytes(), "little")
        header = json.loads(data[8:start].tobytes())
        header.pop("__metadata__", None)
        found: dict[str, NDArray[Any]] = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            held = data[start + max(begin, 0) : start + end]
            kind = np.dtype(f"<{_TYPES[entry['dtype']]}")
            found[name] = held.view(kind).reshape(tuple(map(abs, entry["shape"])))
        return found


_BLANK = "▁"
_WORD = re.compile(r"\n|▁+[^▁\n]*|[^▁\n]+")
_LATE = 1 << 32
_REMEMBERED = 50_000
_LONGEST_REMEMBERED = 48


def load_vocabulary(path: Path) -> dict[str, int]:
    """Read the pieces and their numbers from a `tokenizer.json`.

    Only that part of the file is read as JSON: the list of merges after it is
    longer and says nothing new.
    """
    with naming(path, "cut off, or no vocabulary"):
        data = path.read_bytes()
        start = data.find(b'"vocab"')
        text = data[start : data.find(b'"merges"', start)].decode("utf-8")
        found = json.JSONDecoder().raw_decode(text, text.index("{"))[0]
        vocabulary: dict[str, int] = found
    if any(f"<0x{byte:02X}>" not in vocabulary for byte in range(256)):
        raise damaged(path, "its vocabulary lacks some bytes")
    return vocabulary


class Pieces:
    """Cuts texts into piece numbers, and remembers the words it has seen."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._seen: dict[str, list[int]] = {}

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's pieces, which are the rows of their vectors."""
        seen = self._seen
        numbers: list[int] = []
        for word in _WORD.findall(_BLANK + text.replace(" ", _BLANK)):
            known = seen.get(word)
            numbers += self._cut(word) if known is None else known
        return numbers

    def _cut(self, word: str) -> list[int]:
        known, numbers = self._vocabulary, []
        for piece in _joined(word, known):
            if piece in known:
                numbers.append(known[piece])
            else:
                # Half of a surrogate pair has no bytes; it gets a question mark's.
                spelling = piece.encode("utf-8", "replace")
                numbers += [known[f"<0x{byte:02X}>"] for byte in spelling]
        if len(word) <= _LONGEST_REMEMBERED:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            self._seen[word] = numbers
        return numbers


def _joined(word: str, vocabulary: Mapping[str, int]) -> Iterator[str]:
    """Join neighbouring characters into pieces, the best pair first."""
    ends = list(range(1, len(word) + 1))  # of the piece that begins at each place
    starts = list(range(-1, len(word)))  # of the piece that ends at each place
    pairs: list[tuple[int, int, int, int]] = []

    def offer(start: int, middle: int, end: int) -> None:
        rank = vocabulary.get(word[start:end])
        if rank is not None:
            late = _LATE if word[end - 1] == _BLANK else 0
            heappush(pairs, (rank + late, start, middle, end))

    for at in ends[:-1]:
        offer(at - 1, at, at + 1)
    while pairs:
        _, start, middle, end = heappop(pairs)
        if ends[start] != middle or ends[middle] != end:
            continue  # one of the two has been joined with somebody else
        ends[start], ends[middle], starts[end] = end, 0, start
        if end < len(word):
            offer(start, end, ends[end])
        if start:
            offer(starts[start], start, end)
    at = 0
    while at < len(word):
        yield word[at : ends[at]]
        at = ends[at]


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
        raise damaged(weights, "it holds no table of vectors")
    vocabulary = load_vocabulary(folder / _VOCABULARY)
    if max(vocabulary.values()) >= len(table):
        raise damaged(weights, "it has fewer rows than the vocabulary")
    # `importlib.metadata` knows the version too, and takes longer than embedding a
    # question. A later `.post` release carries the same files.
    beside = sorted(folder.parent.glob(f"{_PACKAGE}-*.dist-info"))
    found = (re.match(rf"{_PACKAGE}-(\d+(?:\.\d+)*)", path.name) for path in beside)
    version = next((match[1] for match in found if match), "0")
    whole = partial(_whole_words, vocabulary)
    numbers = Pieces(vocabulary).numbers
    return table_embedder(f"{_MODEL}/{version}", table, numbers, whole=whole)


@cache
def built_in() -> Embedder:
    """The built-in model: one for the process, however many workspaces it opens."""
    return open_static()


def _whole_words(vocabulary: Mapping[str, int]) -> dict[str, int]:
    """The pieces that are words of three letters or more, in lower case."""
    return {
        piece[1:]: number
        for piece, number in vocabulary.items()
        if piece[0] == _BLANK and piece[3:] and piece[1:].isalpha() and piece.islower()
    }


# --- models in folders ---------------------------------------------------------

_TABLE = "model.safetensors"
_TABLE_NAMES = ("embeddings", "embedding.weight")
_NO_MODEL = (
    "`embedding.model` in reverie.toml names a folder with a model.onnx, or with a "
    "model.safetensors that holds one table."
)
_NO_TOKENIZER = (
    "Set `embedding.tokenizer` in reverie.toml to the one the model was trained with; "
    "most small English models use BERT's uncased vocab.txt."
)


def open_local(config: EmbeddingConfig, environ: Mapping[str, str]) -> Embedder:
    """Open the model in the folder that `embedding.model` names.

    Where a folder has both, the table wins: folders of static models often carry
    an ONNX file as well, which does the same more slowly.
    """
    folder = located(config.model, environ)
    if not folder.is_dir():
        raise _missing(_NO_MODEL, f"{folder} is not there")
    tensors = load_tensors(folder / _TABLE) if (folder / _TABLE).is_file() else {}
    flat = [name for name, tensor in tensors.items() if tensor.ndim == 2]
    tables = [name for name in _TABLE_NAMES if name in flat]
    # Many of them are the layers of a transformer.
    tables = tables or (flat if len(flat) == 1 else [])
    # The file named plainly, where there are several.
    plain = [folder / "model.onnx", folder / "onnx" / "model.onnx"]
    every = (
        *plain,
        *sorted(folder.glob("*.onnx")),
        *sorted(folder.glob("onnx/*.onnx")),
    )
    models = [path for path in every if path.is_file()]
    if not tables and not models:
        raise _missing(_NO_MODEL, f"{folder} holds no model we can run")
    names = [folder / name for name in ("tokenizer.json", "vocab.txt")]
    if config.tokenizer:
        names = [located(config.tokenizer, environ)]
    described = next((p for p in names if config.tokenizer or p.is_file()), None)
    if described is None:
        what = f"{folder} has no tokenizer.json and no vocab.txt"
        raise _missing(_NO_TOKENIZER, what)
    tokenizer = _load_tokenizer(described)
    pooling = [p for p in [folder / "1_Pooling" / "config.json"] if p.is_file()]
    files = [folder / _TABLE] if tables else [models[0], *pooling]
    name = f"{folder.name}/{fingerprint([*files, described])}"
    if tables:
        return _open_table(folder / _TABLE, name, tensors, tables[0], tokenizer)
    first_only = False
    for path in pooling:
        with naming(path, "not JSON as it should be"):
            told = json.loads(path.read_bytes())
            first_only = bool(told.get("pooling_mode_cls_token"))
    return _open_transformer(models[0], name, tokenizer, first_only=first_only)


def _load_tokenizer(path: Path) -> Any:  # noqa: ANN401 - loaded when it is needed
    """A `tokenizers.Tokenizer` that neither pads nor cuts.

    A list of words is BERT's vocabulary; in lower case if that is all it knows.
    """
    lib = _library("tokenizers")
    with naming(path):
        if path.suffix != ".txt":
            made = lib.Tokenizer.from_file(str(path))
            made.no_padding()
            made.no_truncation()
            return made
        text = path.read_bytes().decode("utf-8", "replace")
        words = [line.rstrip("\r") for line in text.rstrip("\r\n").split("\n")]
        numbers = {word: number for number, word in enumerate(words)}
        lower = not any(word != word.lower() for word in words if word[:1] != "[")
        made = lib.Tokenizer(
            lib.models.WordPiece(numbers, unk_token=words[numbers["[UNK]"]])
        )
        made.normalizer = lib.normalizers.BertNormalizer(lowercase=lower)
        made.pre_tokenizer = lib.pre_tokenizers.BertPreTokenizer()
        ends = [(word, numbers[word]) for word in ("[SEP]", "[CLS]")]
        made.post_processor = lib.processors.BertProcessing(*ends)
        return made


def _open_table(
    path: Path,
    name: str,
    tensors: Mapping[str, NDArray[Any]],
    table: str,
    tokenizer: Any,  # noqa: ANN401 - of a library loaded when it is needed
) -> Embedder:
    """A static model, cut as such tables were trained: without unknown words."""
    vectors, mapping, weights = (
        tensors[table],
        tensors.get("mapping"),
        tensors.get("weights"),
    )
    if mapping is not None and mapping.max(initial=0) >= len(vectors):
        raise damaged(path, "its mapping points past its vectors")
    rows = vectors if mapping is None else mapping
    pieces = min(len(each) for each in (rows, weights) if each is not None)
    if tokenizer.get_vocab_size() > pieces:
        raise damaged(path, f"it knows {pieces} pieces, and its tokenizer more")
    unknown = getattr(tokenizer.model, "unk_token", None)
    number = tokenizer.token_to_id(unknown) if unknown else None

    def numbers(text: str) -> list[int]:
        ids = tokenizer.encode(sound(text), add_special_tokens=False).ids
        return [known for known in ids if known != number]

    return table_embedder(name, vectors, numbers, mapping, weights)


_MOST_TOKENS = 256
_WHOLE = "sentence_embedding"
_KINDS = {"tensor(int32)": np.int32, "tensor(float)": np.float32}


def _open_transformer(
    model: Path,
    name: str,
    tokenizer: Any,  # noqa: ANN401 - of a library loaded when it is needed
    *,
    first_only: bool,
) -> Embedder:
    """An ONNX transformer: a text is the mean of its tokens, or the first of them."""
    tokenizer.enable_truncation(max_length=_MOST_TOKENS)
    runtime = _library("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    # Threads that wait for work by turning in circles would take it from others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with naming(model):
        providers = ["CPUExecutionProvider"]
        session = runtime.InferenceSession(str(model), options, providers=providers)
    inputs = session.get_inputs()
    unknown = {i.name for i in inputs} - {
        "input_ids",
        "attention_mask",
        "token_type_ids",
    }
    if unknown:
        names = ", ".join(sorted(unknown))
        raise damaged(model, f"it asks for {names}, as no text encoder does")
    outputs = [output.name for output in session.get_outputs()]
    wanted = [_WHOLE if _WHOLE in outputs else outputs[0]]

    def vector(numbers: list[int]) -> NDArray[Any]:
        given = {"input_ids": numbers, "attention_mask": [1] * len(numbers)}
        with naming(model):
            feed = {
                asked.name: np.array(
                    [given.get(asked.name, [0] * len(numbers))],
                    _KINDS.get(asked.type, np.int64),
                )
                for asked in inputs
            }
            states: NDArray[Any] = session.run(wanted, feed)[0][0]
        if states.ndim not in {1, 2}:
            raise damaged(model, "what it gives is no vector of a text")
        # One of the text where the model gives it, else those of its tokens.
        if states.ndim == 2:
            return np.asarray(states[0] if first_only else states.mean(axis=0))
        return states

    width = len(vector([0]))

    def of_text(text: str) -> NDArray[Any]:
        numbers = tokenizer.encode(sound(text)).ids
        return vector(numbers) if numbers else np.zeros(width, np.float32)

    return LocalEmbedder(name, of_text, width)
