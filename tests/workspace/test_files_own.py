"""Own files are opened without following, waiting, or reading what is too large."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from reverie.workspace.files import (
    SMALL,
    Folder,
    NotAPlainFileError,
    TooLargeFileError,
    exists,
    open_state,
    read_state,
)
from reverie.workspace.lock import exclusive

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def own(tmp_path: Path) -> Path:
    made = tmp_path / "agent" / ".audit"
    made.mkdir(parents=True)
    return made


def test_a_plain_file_is_read_and_a_missing_one_is_none(own: Path) -> None:
    (own / "x").write_bytes(b"abc")

    assert read_state(own / "x", SMALL) == b"abc"
    assert read_state(own / "y", SMALL) is None
    assert (exists(own / "x"), exists(own / "y")) == (True, False)


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR | os.O_CREAT])
def test_what_is_no_plain_file_is_refused_and_named(own: Path, flags: int) -> None:
    (own / "link").symlink_to(own / "target")
    (own / "folder").mkdir()
    os.mkfifo(own / "pipe")
    (own / "zero").symlink_to("/dev/zero")

    for name in ("link", "folder", "pipe", "zero"):
        with pytest.raises(NotAPlainFileError, match=rf"^\.audit/{name} is") as caught:
            open_state(own / name, flags, SMALL).__enter__()
        assert "move it away" in caught.value.advice
    assert not (own / "target").exists()


def test_no_folder_on_the_way_is_a_link(own: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (own / "said").symlink_to(outside)

    with pytest.raises(NotAPlainFileError, match=r"\.audit/said is a link"):
        open_state(own / "said/rome", os.O_RDWR | os.O_CREAT, SMALL).__enter__()
    assert list(outside.iterdir()) == []


def test_a_link_above_the_workspace_is_the_persons_own(tmp_path: Path) -> None:
    (tmp_path / "real/.reverie").mkdir(parents=True)
    (tmp_path / "real/.reverie/x").write_bytes(b"1")
    (tmp_path / "linked").symlink_to(tmp_path / "real")

    assert read_state(tmp_path / "linked/.reverie/x", SMALL) == b"1"


def test_a_file_that_cannot_be_so_large_is_not_read(own: Path) -> None:
    with (own / "HEAD").open("wb") as file:
        file.truncate(5 << 30)

    with pytest.raises(TooLargeFileError, match="has 5,368,709,120 bytes") as caught:
        read_state(own / "HEAD", SMALL)
    assert "left alone" in caught.value.advice


def test_a_lock_writes_into_nobodys_file(own: Path, tmp_path: Path) -> None:
    bashrc = tmp_path / "bashrc"
    bashrc.write_bytes(b"alias ls=ls\n")
    (own / "soft").symlink_to(bashrc)
    os.link(bashrc, own / "hard")

    with pytest.raises(NotAPlainFileError):
        exclusive(own / "soft", seconds=1, purpose="x").__enter__()
    with exclusive(own / "hard", seconds=1, purpose="x"):
        pass
    assert bashrc.read_bytes() == b"alias ls=ls\n"


def test_a_work_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.largest = 1000
    (tmp_path / "SOUL.md").write_bytes(b"x" * 1001)
    (tmp_path / "USER.md").write_bytes(b"x" * 1000)

    too_large = pytest.raises(TooLargeFileError, match="at most 1,000 are read")
    with too_large:
        folder.read("SOUL.md")
    with too_large:
        folder.swap("SOUL.md", b"y", "1.x/SOUL.md")
    with too_large:
        folder.take_out("SOUL.md", "1.x/SOUL.md")
    assert folder.read("USER.md") == b"x" * 1000
    folder.close()
