"""A disk that takes no writes still serves reads."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import instrumented
from tests.crash.scenes import LATER, opened, prepared
from tests.crash.test_disk_errors import Failing

from reverie import Episodic, Memory, UnavailableError
from reverie.workspace.files import DiskError

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_remembered_can_be_read_from_a_read_only_disk(quick_path: Path) -> None:
    root = quick_path / "agent"
    prepared(root)
    failing = Failing(1, errno.EROFS, lasting=True)

    with instrumented(failing.points):
        memory = Memory(root, clock=lambda: LATER, environ={})
        shown = memory.show("vault:passport")
        history = memory.history(limit=1)
        overview = memory.overview()
        with pytest.raises(UnavailableError) as refused:
            memory.remember("This cannot be kept.", Episodic())

    assert shown.text == "Passport in the blue box."
    assert history[0].lines
    assert overview.counts["vault"] == 1
    assert refused.value.advice
    assert any("not taken in" in warning for warning in memory.warnings)


def test_one_file_that_cannot_be_read_hides_no_other(
    quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = quick_path / "agent"
    prepared(root)
    note = root / "memory/vault/passport.md"
    note.write_text("# Changed\n\nBy hand.\n", encoding="utf-8")
    with opened(root) as memory:
        folder = memory._session.folder  # noqa: SLF001 - root may read anything: feign it
        real = folder.read

        def read(path: str) -> bytes | None:
            if path == "memory/vault/passport.md":
                what = f"cannot access {path}"
                raise DiskError(what, PermissionError(errno.EACCES, "no"))
            return real(path)

        monkeypatch.setattr(folder, "read", read)
        found = memory.check()
        memory.remember("Another thing.", Episodic())

        assert [(f.path, f.line) for f in found] == [("memory/vault/passport.md", 0)]
        assert memory.show("entity:person--alex").text
