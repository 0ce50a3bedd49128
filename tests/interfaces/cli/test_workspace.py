"""The workspace a command works on, and how it speaks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from reverie.interfaces.cli.command import Invocation, inside

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.interfaces.cli.conftest import Desk


def test_the_nearest_workspace_upwards_is_used(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.root / "memory" / "vault")

    assert Invocation().root == desk.root


def test_the_environment_names_a_workspace(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_WORKSPACE", str(desk.root))

    assert Invocation().root == desk.root


def test_the_option_goes_before_the_environment(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REVERIE_WORKSPACE", str(tmp_path / "other"))

    assert desk.done("-w", str(desk.root), "check").code == 0


def test_no_workspace_anywhere_says_how_to_get_one(nowhere: Desk) -> None:
    nowhere.root = nowhere.root.parent / ""
    typed = nowhere.type("-w", "", "show")

    assert typed.code == 3
    assert "there is no workspace in" in typed.err
    assert "`reverie init`" in typed.err


def test_a_folder_that_is_no_workspace_is_named(nowhere: Desk) -> None:
    typed = nowhere.type("show")

    assert typed.code == 3
    assert f"{nowhere.root} is not a Reverie workspace" in typed.err


def test_a_file_is_no_workspace(desk: Desk) -> None:
    assert desk.type("-w", str(desk.root / "MEMORY.md"), "show").code == 3


def test_a_path_is_understood_from_where_one_stands(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("memory/vault/a.md", "# A\n\nText.\n")
    monkeypatch.chdir(desk.root / "memory")

    assert inside(desk.root, "vault/a.md") == "memory/vault/a.md"
    assert inside(desk.root, "../MEMORY.md") == "MEMORY.md"
    assert inside(desk.root, "memory/vault/a.md") == "memory/vault/a.md"
    assert inside(desk.root, str(desk.root / "gone.md")) == "gone.md"
    assert inside(desk.root, "was/here/once.md") == "was/here/once.md"


def test_what_was_worked_around_is_a_warning(desk: Desk) -> None:
    desk.write(".reverie/index.db", "not a database, not even nearly" * 100)

    typed = desk.done("show")

    assert typed.err.startswith("warning: the index index.db cannot be used")


def test_a_warning_is_a_line_of_json_for_a_program(desk: Desk) -> None:
    desk.write(".reverie/index.db", "not a database, not even nearly" * 100)

    typed = desk.done("show", "--json")

    assert [list(json.loads(line)) for line in typed.err.splitlines()] == [["warning"]]


def test_warnings_are_told_when_the_command_fails(desk: Desk) -> None:
    desk.write("reverie.toml", "[[[")

    typed = desk.type("show", "vault:nope")

    assert typed.code == 3
    assert "warning: reverie.toml:1: not TOML" in typed.err
    assert "error: there is no memory vault:nope" in typed.err


def test_a_change_that_is_recorded_but_not_shown_is_told_as_such(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reverie.ledger.projection.show_all", full)

    typed = desk.type("remember", "Hello.")

    assert typed.code == 6
    assert "the change is recorded" in typed.err
    assert "Do not repeat it." in typed.err


def test_a_name_that_fits_one_memory_stands_for_its_id(desk: Desk) -> None:
    desk.done("remember", "Leads mobile.", "--about", "Priya", "--type", "person")
    desk.done("remember", "Ann is on leave.", "--about", "Ann", "--type", "person")
    desk.done("remember", "Is due.", "--about", "Anniversary", "--type", "project")

    assert desk.json("pin", "priya")["ids"] == ["entity:person--priya"]
    assert desk.json("show", "Priya")["id"] == "entity:person--priya"
    assert desk.json("why", "ann")["shown"]["id"] == "entity:person--ann"


def test_several_that_fit_are_listed_and_nothing_is_done(desk: Desk) -> None:
    for name in ("Anna", "Annika"):
        desk.done("remember", "Is there.", "--about", name, "--type", "person")

    typed = desk.type("pin", "ann")

    assert typed.code == 3
    assert "entity:person--anna, entity:person--annika" in typed.err
    assert desk.type("pin", "nobody").code == 3
