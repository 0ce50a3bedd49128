"""One look over the folder: what is kept, and what a person should know."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from reverie.model.items import Finding, Severity
from reverie.workspace import files as scan
from reverie.workspace.files import Folder, Look, aliases, look
from reverie.workspace.layout import SCORES, passing, tracked

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 1000


def put(root: Path, *paths: str, data: bytes = b"x\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def said(seen: Look) -> dict[str, str]:
    return {finding.path: finding.what for finding in seen.findings}


def test_a_look_sees_what_the_ledger_keeps_and_nothing_else(tmp_path: Path) -> None:
    kept = [
        *("MEMORY.md", "NOTES.md", "reverie.toml", "memory/episodes/2026-02-02.md"),
        *("memory/vault/a/b/c/deep.md", "memory/graph/picture.png", "memory/x"),
    ]
    left = [
        *("notes.txt", "src/main.py", ".env", ".audit/HEAD", ".reverie/index.db"),
        *(".git/config", "memory/.hidden.md", "memory/.obsidian/app.json"),
        *("memory/vault/x.md~", "memory/vault/.x.md.swp", "memory/meta/audit.log"),
        *("other/README.md", "memory/vault/x.tmp", "memory/4913", "memory/#x.md#"),
    ]
    put(tmp_path, *kept, *left)

    seen = look(tmp_path, file_limit=LIMIT)

    assert set(seen.files) == set(kept)
    assert seen.findings == []


def test_a_look_takes_the_signature_that_the_folder_takes(tmp_path: Path) -> None:
    put(tmp_path, "memory/x.md")
    folder = Folder(tmp_path)

    seen = look(tmp_path, file_limit=LIMIT)

    assert seen.files["memory/x.md"] == folder.signature("memory/x.md")
    folder.close()


def test_an_empty_folder_is_nothing_to_speak_of(tmp_path: Path) -> None:
    assert look(tmp_path, file_limit=LIMIT) == Look()


def test_a_second_copy_by_a_synchroniser_is_told_and_not_kept(tmp_path: Path) -> None:
    copies = [
        "memory/vault/x.sync-conflict-20260202-101112-ABCDEFG.md",
        "memory/vault/x (Alex's conflicted copy 2026-02-02).md",
        "MEMORY.sync-conflict-20260202-101112-ABCDEFG.md",
    ]
    put(tmp_path, "memory/vault/x.md", *copies)

    seen = look(tmp_path, file_limit=LIMIT)

    assert set(seen.files) == {"memory/vault/x.md"}
    assert said(seen) == dict.fromkeys(
        copies, "is a second copy made by a file synchroniser"
    )


def test_links_and_pipes_are_told_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    put(outside, "secret.md", "folder/deep.md")
    root = tmp_path / "work"
    put(root, "memory/x.md")
    (root / "memory/file.md").symlink_to(outside / "secret.md")
    (root / "memory/folder").symlink_to(outside / "folder")
    (root / "SOUL.md").symlink_to("/none")
    os.mkfifo(root / "memory/pipe")

    seen = look(root, file_limit=LIMIT)

    assert set(seen.files) == {"memory/x.md"}
    assert said(seen) == {
        "memory/file.md": "is a symbolic link",
        "memory/folder": "is a symbolic link",
        "SOUL.md": "is a symbolic link",
        "memory/pipe": "is a device, pipe or socket",
    }


def test_a_memory_folder_that_is_a_link_is_not_entered(tmp_path: Path) -> None:
    put(tmp_path / "outside", "secret.md")
    root = tmp_path / "work"
    root.mkdir()
    (root / "memory").symlink_to(tmp_path / "outside")

    assert look(root, file_limit=LIMIT).files == {}


@pytest.mark.parametrize(
    "name", ["a:b.md", "what?.md", "trailing .", "e\u0301.md", "x\u202ey.md", "nul.md"]
)
def test_a_name_that_is_not_safe_everywhere_is_told(tmp_path: Path, name: str) -> None:
    put(tmp_path, f"memory/{name}")

    seen = look(tmp_path, file_limit=LIMIT)

    assert seen.files == {}
    assert seen.findings == [
        Finding(
            f"memory/{name}",
            0,
            "has a name that is not safe everywhere",
            "Rename it.",
            Severity.WARNING,
        )
    ]


def test_a_name_that_is_not_unicode_is_told(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    descriptor = os.open(
        os.fsencode(tmp_path) + b"/memory/\xff.md", os.O_CREAT | os.O_WRONLY, 0o600
    )
    os.close(descriptor)

    seen = look(tmp_path, file_limit=LIMIT)

    assert seen.files == {}
    assert [f.what for f in seen.findings] == ["has a name that is not safe everywhere"]


def test_a_file_over_the_limit_is_told_with_its_size(tmp_path: Path) -> None:
    put(tmp_path, "memory/big.md", data=b"x" * (LIMIT + 1))
    put(tmp_path, "memory/fits.md", SCORES, data=b"x" * LIMIT)

    seen = look(tmp_path, file_limit=LIMIT)

    assert set(seen.files) == {"memory/fits.md", SCORES}
    assert said(seen) == {
        "memory/big.md": "is 1,001 bytes, more than the ledger keeps (1,000)"
    }


def test_a_snapshot_of_ours_may_be_of_any_size(tmp_path: Path) -> None:
    put(tmp_path, SCORES, data=b"x" * (LIMIT + 1))

    assert set(look(tmp_path, file_limit=LIMIT).files) == {SCORES}


def test_names_that_differ_in_case_alone_are_told() -> None:
    assert aliases(["memory/Alex.md", "memory/alex.md", "memory/sam.md"]) == [
        Finding(
            "memory/alex.md",
            0,
            "has the same name as memory/Alex.md on some systems",
            "Rename one.",
            Severity.WARNING,
        )
    ]


def test_a_file_removed_while_we_look_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "memory/stays.md", "memory/goes.md", "memory/folder/x.md")

    def removing(path: str) -> bool:
        if path == "memory/goes.md":
            (tmp_path / path).unlink()
        if path.startswith("memory/folder/"):
            (tmp_path / path).unlink()
            (tmp_path / "memory/folder").rmdir()
        return tracked(path)

    monkeypatch.setattr(scan, "tracked", removing)

    assert set(look(tmp_path, file_limit=LIMIT).files) == {"memory/stays.md"}


def test_a_folder_removed_while_we_look_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "memory/stays.md")
    (tmp_path / "memory/goes").mkdir()

    def removing(name: str) -> bool:
        if name == "goes":
            (tmp_path / "memory/goes").rmdir()
        return passing(name)

    monkeypatch.setattr(scan, "passing", removing)

    assert set(look(tmp_path, file_limit=LIMIT).files) == {"memory/stays.md"}
