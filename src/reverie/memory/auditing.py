"""Judging any store of memories; it need not be a workspace."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.encoding.auditing.audit import audit_store

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from reverie.model.audit import AuditReport


def audit(
    path: str | os.PathLike[str],
    *,
    now: datetime | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> AuditReport:
    """Score the memories at a path for junk, duplicates, loops, secrets and more.

    Nothing is changed, and nothing is asked of a model or a network.

    Args:
        path: A workspace, the memory of another agent, any folder or file of Markdown.
        now: The moment to judge from.
        progress: Told how much is done, of how much.

    Raises:
        MissingSourceError: Nothing is there.
    """
    return audit_store(Path(path), now or datetime.now(UTC), progress)
