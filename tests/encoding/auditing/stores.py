"""Small made-up stores, and ways to audit them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.encoding.auditing.audit import audit_store
from reverie.encoding.auditing.collecting import collect

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reverie.encoding.auditing.sheets import Holdings
    from reverie.model.audit import AuditReport, Fault

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = 86_400


def write(root: Path, files: Mapping[str, str | bytes], age: int = 0) -> Path:
    """Put files there, last saved so many days before now."""
    saved = NOW.timestamp() - age * DAY
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        os.utime(path, (saved, saved))
    return root


def audited(root: Path) -> AuditReport:
    return audit_store(root, NOW, lambda _done, _all: None)


def collected(root: Path) -> Holdings:
    return collect(root, lambda _done, _all: None)


def faults(root: Path, judgement: str) -> list[Fault]:
    return [f for f in audited(root).faults if f.judgement == judgement]


def places(root: Path, judgement: str) -> list[str]:
    """Where faults of a kind stand, as `file:line`."""
    return [str(fault.spot) for fault in faults(root, judgement)]


def found_in(root: Path, judgement: str, text: str, name: str = "notes.md") -> bool:
    """Whether a file of this text has a fault of a kind."""
    return bool(places(write(root, {name: text}), judgement))
