"""Judging what stands somewhere; no workspace is needed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.memory.auditing import audit

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_that_is_no_workspace_is_judged(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- Likes tea\n- ok\n", encoding="utf-8")

    report = audit(str(tmp_path))

    assert (report.root, report.memories, report.score) == (str(tmp_path), 2, 50)
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_it_is_judged_from_the_moment_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "2026-02-02.md").write_text("- Bakes tomorrow\n", encoding="utf-8")

    def found(day: int, month: int) -> int:
        return len(audit(tmp_path, now=datetime(2026, month, day, tzinfo=UTC)).faults)

    assert found(3, 2) == 0
    assert found(1, 6) == 1


def test_the_work_can_be_watched(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- Likes tea\n", encoding="utf-8")
    told: list[tuple[int, int]] = []

    audit(tmp_path, progress=lambda done, of: told.append((done, of)))

    assert told[-1][0] == told[-1][1]
