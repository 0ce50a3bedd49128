"""What an audit counts in a folder."""

from __future__ import annotations

import errno
import os
import pathlib
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest
from tests.audit.folders import found, places, write

from reverie.audit import LARGEST, Fault, audit_folder
from reverie.importers.walk import MissingSourceError

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "ghp_" + "Zq81Lm4T" * 4 + "kk2P"
BREAD = "Lou bakes the rye bread for the whole street on Saturdays"


def test_every_fault_is_counted_even_where_nothing_is_found(tmp_path: Path) -> None:
    report = audit_folder(write(tmp_path, {"a.md": "- Likes tea\n- ok\n\nYes.\n"}))

    assert [count.fault for count in report.counts] == list(Fault)
    assert not any(count.found for count in report.counts)
    assert (report.files, report.size, report.entries) == (1, 23, 3)


def test_a_secret_is_told_by_its_place_and_never_quoted(tmp_path: Path) -> None:
    text = f"# T\n\n- Token {TOKEN} of the {BREAD}\n"
    write(tmp_path, {"a.md": text, "b.md": f"---\nkey: {TOKEN}\n---\n{BREAD}\n"})

    assert places(tmp_path, Fault.SECRETS) == ["a.md:3", "b.md:2"]
    told = repr(audit_folder(tmp_path))
    assert not any(part in told for part in (TOKEN, TOKEN[4:12], TOKEN[-6:]))


def test_lines_with_different_secrets_are_no_duplicates(tmp_path: Path) -> None:
    other = TOKEN[::-1].replace("_phg", "")
    line = "- The token for the house in the north is {}\n"
    write(tmp_path, {"a.md": line.format(TOKEN) + line.format(f"ghp_{other}")})

    assert found(tmp_path) == {Fault.SECRETS: 2}


def test_a_file_that_is_a_copy_is_told_of_once(tmp_path: Path) -> None:
    text = f"# Notes\n\n- {BREAD}\n- Kim keeps bees behind the old mill by the river\n"
    write(tmp_path, {"AGENTS.md": text, "CLAUDE.md": text})

    assert found(tmp_path) == {Fault.DUPLICATES: 1}
    assert places(tmp_path, Fault.DUPLICATES) == ["AGENTS.md:1 CLAUDE.md:1"]


def test_the_same_recalled_block_stored_again_is_one_loop(tmp_path: Path) -> None:
    block = f"<relevant-memories>\n- {BREAD}\n</relevant-memories>\n"
    write(tmp_path, {"a.md": f"Hi.\n\n{block}", "b.md": f"{block}\n{block}Bye.\n"})

    assert found(tmp_path) == {Fault.LOOPS: 3}
    assert places(tmp_path, Fault.LOOPS) == ["a.md:3 b.md:1 b.md:5"]


def test_few_examples_do_not_change_the_count(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "[[x]]\n" * 9})

    links = audit_folder(tmp_path, examples=2).counts[-1]

    assert (links.found, len(links.examples)) == (9, 2)


def test_the_work_can_be_watched(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    write(tmp_path, {"a.md": "One.\n", "b.md": "Two.\n"})

    audit_folder(tmp_path, lambda done, of: told.append((done, of)))

    assert told == [(1, 2), (2, 2)]


# --- what a start costs ------------------------------------------------------


def test_a_start_costs_what_its_folder_has_loaded(tmp_path: Path) -> None:
    home = tmp_path / ".claude"
    long = "- A line of some words about bread and bees\n"
    write(
        home,
        {
            "CLAUDE.md": "Be brief.\n",
            "projects/-a/memory/MEMORY.md": long * 400,
            "projects/-a/memory/style.md": long * 900,
            "projects/-b/memory/MEMORY.md": long * 100,
        },
    )

    first, second, third = audit_folder(home).starts

    assert first.folder == "projects/-a/memory"
    assert [file.path for file in first.files] == ["projects/-a/memory/MEMORY.md"]
    # Only the first 200 lines of it are loaded.
    assert 1.9 < first.tokens / second.tokens < 2.1
    assert (third.folder, third.files[0].path) == ("", "CLAUDE.md")


# --- reading safely ----------------------------------------------------------


def test_what_cannot_be_read_is_left_out_and_said_so(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": "One.\n",
            "binary.md": b"\x00\x01\xff",
            "empty.md": "",
            "huge.md": b"x" * (LARGEST + 1),
            "picture.png": b"\x89PNG\x00",
            "western.md": "Café\r\n".encode("latin-1"),
        },
    )
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "out.md").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe.md")

    report = audit_folder(tmp_path)

    assert (report.files, report.entries) == (3, 2)
    assert {each.path: each.what.partition(" than")[0] for each in report.left_out} == {
        "binary.md": "is not text",
        "huge.md": "is larger",
        "out.md": "is a link that leaves the folder",
        "picture.png": "was skipped: it is no document, note or chat export",
        "pipe.md": "is a device, pipe or socket",
    }


def test_a_file_that_may_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.md": "One.\n", "b.md": "Two.\n"})
    opens = pathlib.Path.open

    def guarded(path: Path, *words: Any, **more: Any) -> Any:  # noqa: ANN401 - as open
        # Who runs the tests as root may read everything, so the refusal is ours.
        if path.name == "b.md":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opens(path, *words, **more)

    monkeypatch.setattr(pathlib.Path, "open", guarded)

    (left,) = audit_folder(tmp_path).left_out

    assert "cannot be read" in left.what


def test_a_zip_is_read_without_unpacking(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("notes/a.md", "See [[b]] and ![x](c.png) and [y](d.md).\n")
        archive.writestr("notes/b.md", "One.\n")
        archive.writestr("notes/c.png", b"\x89PNG")

    assert places(tmp_path / "a.zip", Fault.LINKS) == ["notes/a.md:1"]


def test_nothing_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingSourceError):
        audit_folder(tmp_path / "no")
