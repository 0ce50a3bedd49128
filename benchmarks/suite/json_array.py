"""The objects of one long JSON array, one at a time: some files have 250 MB."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHUNK = 1 << 20


def load_objects(path: Path, chunk: int = CHUNK) -> Iterator[dict[str, Any]]:
    """Decode object by object; only the one at hand is in memory."""
    decode = json.JSONDecoder().raw_decode
    with path.open(encoding="utf-8") as file:
        rest = file.read(chunk).lstrip().removeprefix("[")
        while not (rest := rest.lstrip(" \t\r\n,")).startswith("]"):
            try:
                value, end = decode(rest)
            except json.JSONDecodeError:
                more = file.read(chunk)
                if not more:
                    raise
                rest += more
            else:
                yield value
                rest = rest[end:]
