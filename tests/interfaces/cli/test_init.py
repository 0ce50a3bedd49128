"""What `init` says of a folder in which somebody already remembers something."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.interfaces.cli.conftest import Desk


def test_it_says_what_can_be_recalled_and_offers_the_rest(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, home = tmp_path / "my vault", tmp_path / "home"
    for path, text in {
        root / ".obsidian/app.json": "{}",
        root / "Yoga.md": "Class is on Tuesdays.\n",
        root / "Projects/Garden.md": "Roses by the gate.\n",
        home / ".codex/memories/style.md": "Short answers.\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))

    typed = desk.type("init", str(root))

    assert typed.code == 0
    assert "1 file of yours adopted unchanged" in typed.out
    assert "2 memories can be recalled now, 1 of them imported." in typed.out
    assert "There is more, which was not read:" in typed.out
    assert f"Codex's memories (1): reverie import {home}/.codex/memories" in typed.out
    assert desk.type("init", str(root)).code == 0


def test_an_empty_folder_is_told_nothing_of_adoption(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    typed = desk.type("init", str(tmp_path / "new"))

    assert "recalled now" not in typed.out
    assert "There is more" not in typed.out
