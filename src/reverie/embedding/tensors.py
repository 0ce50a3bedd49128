"""Arrays from a `.safetensors` file, mapped rather than read.

The file is a length of eight bytes, a JSON header of that length, and the data.
"""

from __future__ import annotations

import json
import math
import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from reverie.embedding.places import DamagedModelError, UnreadableModelError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

_TYPES = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "I64": np.int64,
    "I32": np.int32,
    "I8": np.int8,
}
_PREFIX = 8


def load_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Map each array of the file; its pages are read when they are used.

    Raises:
        UnreadableModelError: There is no such file, or it may not be read.
        DamagedModelError: It is cut off, or is something else.
    """
    data = _mapped(path)
    start = _PREFIX + int.from_bytes(data[:_PREFIX], "little")
    if len(data) < _PREFIX or start > len(data):
        raise DamagedModelError(path, "cut off, or no safetensors file")
    try:
        header = json.loads(data[_PREFIX:start])
        header.pop("__metadata__", None)
        return {
            name: _tensor(data, start, entry, path) for name, entry in header.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedModelError(path, "its header does not read") from error


def _mapped(path: Path) -> mmap.mmap | bytes:
    try:
        with path.open("rb") as file:
            if not path.stat().st_size:
                return b""
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise UnreadableModelError(path, error) from error


def _tensor(
    data: mmap.mmap | bytes, start: int, entry: Mapping[str, Any], path: Path
) -> NDArray[Any]:
    begin, end = entry["data_offsets"]
    shape = tuple(int(size) for size in entry["shape"])
    kind = _TYPES.get(entry["dtype"])
    if kind is None:
        raise DamagedModelError(path, f"numbers of type {entry['dtype']} are not read")
    count = math.prod(shape)
    if not 0 <= begin <= end or end - begin != count * np.dtype(kind).itemsize:
        raise DamagedModelError(path, "its header contradicts itself")
    if start + end > len(data):
        raise DamagedModelError(path, "cut off")
    flat: NDArray[Any] = np.frombuffer(data, kind, count, start + begin)
    return flat.reshape(shape)
