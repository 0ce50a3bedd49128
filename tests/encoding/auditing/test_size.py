"""Files that are always loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.encoding.auditing.stores import audited, faults, places, write

if TYPE_CHECKING:
    from pathlib import Path

LINES = "".join(f"- Bread number {n} needs flour, water and time\n" for n in range(500))


def test_a_core_file_that_is_too_long_is_found_where_it_should_end(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"MEMORY.md": LINES})

    (fault,) = faults(tmp_path, "size")
    (mark,) = [m for m in audited(tmp_path).marks if m.judgement == "size"]

    assert "tokens" in fault.why
    assert 100 < fault.spot.line < 400
    assert mark.memories == 500 - fault.spot.line + 1


def test_a_boot_file_may_not_be_too_long_either(tmp_path: Path) -> None:
    write(tmp_path, {"CLAUDE.md": LINES})

    assert len(places(tmp_path, "size")) == 1


def test_a_file_that_is_read_when_needed_may_be_long(tmp_path: Path) -> None:
    write(tmp_path, {"bread.md": LINES, "MEMORY.md": "- Likes rye\n"})

    assert places(tmp_path, "size") == []
