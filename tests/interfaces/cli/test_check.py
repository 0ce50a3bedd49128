"""`init`, `check`, `rebuild` and `tidy`."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.interfaces.cli.conftest import Desk


def test_a_new_folder_becomes_a_workspace(nowhere: Desk) -> None:
    typed = nowhere.done("init")

    assert typed.out.startswith(f"Made a workspace in {nowhere.root}\n")
    assert (nowhere.root / "MEMORY.md").is_file()


def test_a_path_may_be_relative(
    nowhere: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    told = nowhere.json("init", "some/where")

    assert told["root"] == str(tmp_path / "some/where")


def test_the_current_folder_becomes_a_workspace(
    nowhere: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert nowhere.json("init", ".")["root"] == str(tmp_path)


def test_what_is_there_is_adopted(nowhere: Desk) -> None:
    nowhere.write("MEMORY.md", "# Mine\n")
    nowhere.write("SOUL.md", "Be kind.\n")

    typed = nowhere.done("init")

    assert "2 files of yours adopted unchanged" in typed.out
    assert (nowhere.root / "MEMORY.md").read_text(encoding="utf-8") == "# Mine\n"


def test_doing_it_twice_does_no_harm(desk: Desk) -> None:
    assert "is a workspace already" in desk.done("init").out


def test_a_file_cannot_become_a_workspace(desk: Desk) -> None:
    assert desk.type("init", str(desk.root / "MEMORY.md")).code == 5


def test_nothing_wrong_is_said_so(desk: Desk) -> None:
    assert desk.done("check").out == "Nothing is wrong.\n"


def test_findings_are_grouped_by_how_much_they_matter(desk: Desk) -> None:
    desk.done(
        *("remember", "Uses it.", "--store", "semantic", "--about", "Alex"),
        *("--link", "Uses=tool--vim"),
    )
    desk.write(
        "memory/episodes/2026-02-02.md",
        "# 2026-02-02 — Episode Log\n\n>>>>>>> theirs\n",
    )
    (desk.root / "memory/vault/link.md").symlink_to("/etc/hostname")

    typed = desk.type("check")

    assert typed.code == 1
    assert typed.out.startswith("Errors (1)\n  memory/episodes/2026-02-02.md:3: ")
    assert "\n\nWarnings (1)\n  memory/vault/link.md: is a symbolic link\n" in typed.out
    assert "\n\nNotes (1)\n" in typed.out
    assert "leads nowhere" in typed.out


def test_notes_and_warnings_are_no_failure(desk: Desk) -> None:
    (desk.root / "memory/vault/link.md").symlink_to("/etc/hostname")

    (found,) = desk.json("check")

    assert found["severity"] == "warning"


def test_findings_are_values_for_a_program(desk: Desk) -> None:
    desk.write(
        "memory/episodes/2026-02-02.md",
        "# 2026-02-02 — Episode Log\n\n>>>>>>> theirs\n",
    )

    typed = desk.type("check", "--json")

    assert typed.code == 1
    assert typed.json[0]["path"] == "memory/episodes/2026-02-02.md"
    assert typed.json[0]["line"] == 3


def test_the_index_is_made_anew(desk: Desk) -> None:
    desk.done("remember", "Hello.")
    shutil.rmtree(desk.root / ".reverie")

    typed = desk.done("rebuild")

    assert typed.out.startswith("Rebuilt in ")
    assert ": 1 memory and 0 relations in " in typed.out
    assert "`reverie rebuild --vectors` makes the missing ones." in typed.out
    assert desk.json("rebuild")["memories"] == 1


def test_a_rebuild_without_a_model_does_not_speak_of_vectors(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_EMBEDDING_MODEL", "none")
    desk.done("remember", "Hello.")

    assert "Vectors" not in desk.done("rebuild").out


def test_tidying_says_nothing(desk: Desk) -> None:
    assert desk.done("tidy", str(desk.root)).out == ""
    assert desk.done("tidy").out == ""
