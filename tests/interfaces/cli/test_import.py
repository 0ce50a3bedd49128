"""`import` and `embed`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner
from tests.configured import agree_to
from tests.importers.samples import chatgpt, message
from tests.interfaces.cli.conftest import on_a_screen

from reverie.importers.walk import KINDS
from reverie.interfaces.cli.command import Invocation
from reverie.interfaces.cli.import_ import import_
from reverie.interfaces.cli.main import cli

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from tests.interfaces.cli.conftest import Desk

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with three notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for day, text in enumerate(("Stayed in Alfama.", "Ate sardines.", "Flew home."), 1):
        file = folder / f"2025-05-0{day}-trip.md"
        file.write_text(f"# Lisbon\n\n{text}\n", encoding="utf-8")
    return folder


def test_a_folder_is_brought_in_and_found(desk: Desk, notes: Path) -> None:
    typed = desk.done("import", str(notes))

    assert typed.out == (
        f"Imported {notes}\n"
        "  new                    3\n"
        "  there already          0\n"
        "  changes                1\n"
        "  problems               0\n"
    )
    assert typed.err == ""
    assert "Ate sardines." in desk.done("recall", "who ate sardines").out


def test_doing_it_again_adds_nothing(desk: Desk, notes: Path) -> None:
    desk.done("import", str(notes))
    changes = len(desk.json("history"))

    typed = desk.done("import", str(notes))

    assert typed.out == "Nothing new: 3 memories were there already.\n"
    assert len(desk.json("history")) == changes


def test_a_path_is_understood_from_where_one_stands(
    desk: Desk, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(notes.parent)

    assert desk.json("import", "notes")["added"] == 3


def test_a_chat_comes_with_who_said_it_and_what_was_asked(
    desk: Desk, tmp_path: Path
) -> None:
    export = tmp_path / "conversations.json"
    said = (
        message("user", "Which wine goes with grilled sardines?"),
        message("assistant", "A young Vinho Verde is best."),
    )
    export.write_text(json.dumps([chatgpt(*said)]), encoding="utf-8")

    assert desk.json("import", str(export))["added"] == 2
    told = desk.done("recall", "is Vinho Verde best").out
    assert "    assistant: \u201cA young Vinho Verde is best.\u201d\n" in told
    assert (
        "      pair    user: \u201cWhich wine goes with grilled sardines?\u201d\n"
        in told
    )


def test_what_cannot_be_read_is_told_with_what_to_do(desk: Desk, notes: Path) -> None:
    (notes / "odd.txt").write_bytes(b"a\0b\xff")

    typed = desk.type("import", str(notes))

    assert typed.code == 1
    assert "  new                    3\n" in typed.out
    assert "  problems               1\n" in typed.out
    assert "\n\nErrors (1)\n  odd.txt: is not text\n      Import it as" in typed.out
    assert desk.type("import", str(notes)).code == 1


def test_remarks_are_no_failure(desk: Desk, notes: Path) -> None:
    (notes / "old.md").write_bytes("# Caf\xe9\n\nA coffee.\n".encode("latin-1"))

    typed = desk.done("import", str(notes))

    assert "Notes (1)\n  old.md: is not UTF-8 and was read as Latin-1\n" in typed.out


def test_many_problems_are_cut_for_people_only(desk: Desk, notes: Path) -> None:
    for number in range(23):
        (notes / f"odd{number:02}.txt").write_bytes(b"a\0b\xff")

    assert "… and 3 more (--json)\n" in desk.type("import", str(notes)).out
    assert len(desk.type("import", str(notes), "--json").json["findings"]) == 23


def test_a_program_gets_the_report(desk: Desk, notes: Path) -> None:
    told = desk.json("import", str(notes))

    assert (told["added"], told["known"], told["findings"]) == (3, 0, [])
    assert told["commits"] == [desk.json("history", "--limit", "1")[0]["commit"]]


def test_an_empty_folder_holds_nothing(desk: Desk, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()

    typed = desk.done("import", str(empty))

    assert typed.out.startswith(f"Nothing to import was found in {empty}\n")
    assert desk.json("import", str(empty))["added"] == 0


def test_a_path_that_is_not_there_is_told(desk: Desk) -> None:
    typed = desk.type("import", "no/such/notes")

    assert (typed.code, typed.out) == (3, "")
    assert "there is no file or folder no/such/notes" in typed.err


def test_an_unknown_kind_is_told_with_those_there_are(desk: Desk, notes: Path) -> None:
    typed = desk.type("import", str(notes), "--kind", "papyrus")

    assert (typed.code, typed.out) == (5, "")
    assert "'papyrus' is not a kind" in typed.err
    assert "Kinds are markdown, text, pdf" in typed.err


def test_help_names_every_kind() -> None:
    (option,) = [p for p in import_.params if p.name == "kind"]

    assert isinstance(option, click.Option)
    for kind in KINDS:
        assert re.search(rf"\b{kind}\b", option.help or "")


def test_ctrl_c_keeps_what_is_filed_and_the_same_command_goes_on(
    desk: Desk, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.importers.intake.BATCH", 1)

    def clock() -> datetime:
        if (desk.root / "memory/episodes/2025-05-02.md").exists():
            raise KeyboardInterrupt
        return desk.now

    session = Invocation(workspace=str(desk.root), clock=clock)
    done = CliRunner().invoke(cli, ["import", str(notes)], obj=session)

    assert done.exit_code == 130
    assert "interrupted: what is done stays done, and the same command" in done.stderr
    assert desk.json("import", str(notes))["known"] == 2
    assert len(desk.json("show", "episodic")) == 3


def test_an_import_is_watched_on_a_screen(desk: Desk, notes: Path) -> None:
    code, seen = on_a_screen(("-w", str(desk.root), "import", str(notes)))

    assert code == 0
    assert "Importing" in seen
    assert "Making vectors" in seen
    widths = [len(part) for part in re.split(r"[\r\n]", CODES.sub("", seen))]
    assert max(widths) <= 80


def test_vectors_that_cannot_be_had_do_not_stop_an_import(
    desk: Desk, notes: Path
) -> None:
    agree_to(
        desk.root,
        REVERIE_EMBEDDING_MODEL="endpoint",
        REVERIE_EMBEDDING_URL="http://127.0.0.1:1/v1",
        REVERIE_EMBEDDING_NAME="any",
    )

    typed = desk.done("import", str(notes))

    assert (
        "warning: no vectors yet, `reverie rebuild --vectors` tries again: "
        in typed.err
    )


def test_vectors_are_made_once(desk: Desk) -> None:
    desk.done("remember", "Hello.")

    assert desk.done("rebuild", "--vectors").out == "Done: 1 memory has new vectors.\n"
    assert (
        desk.done("rebuild", "--vectors").out == "Done: 0 memories have new vectors.\n"
    )
    assert desk.json("rebuild", "--vectors") == {"embedded": 0, "left": 0}


def test_an_import_makes_its_vectors(desk: Desk, notes: Path) -> None:
    desk.done("import", str(notes))

    assert (
        desk.done("rebuild", "--vectors").out == "Done: 0 memories have new vectors.\n"
    )


def test_without_a_model_there_are_no_vectors(
    desk: Desk, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_EMBEDDING_MODEL", "none")

    assert desk.done("import", str(notes)).err == ""
    typed = desk.type("rebuild", "--vectors")
    assert typed.code == 5
    assert "embedding.model is 'none'" in typed.err
