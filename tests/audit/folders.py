"""Small made-up folders, and what an audit counts in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.audit import audit_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reverie.audit import Fault


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def found(root: Path) -> dict[str, int]:
    """What was found, and how often; what was not is left out."""
    return {c.fault: c.found for c in audit_folder(root).counts if c.found}


def places(root: Path, fault: Fault) -> list[str]:
    """Where a fault is, as `file:line`, with all that belongs to it."""
    counts = {count.fault: count for count in audit_folder(root).counts}
    return [
        " ".join(map(str, (each.spot, *each.also))) for each in counts[fault].examples
    ]
