"""Reading and writing beside links, pipes, full disks and other writers."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reverie.workspace import files
from reverie.workspace.files import (
    DiskError,
    Folder,
    NotAPlainFileError,
    write_replacing,
)
from reverie.workspace.layout import UnsafePathError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = b"outside\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the workspace, with a file that must never change."""
    place = tmp_path / "outside"
    place.mkdir()
    (place / "x.md").write_bytes(SECRET)
    return place


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    root = tmp_path / "work"
    (root / "memory").mkdir(parents=True)
    opened = Folder(root)
    yield opened
    opened.close()


def a_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "x.md")


def a_link_to_a_folder(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def a_dangling_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "new.md")


def a_pipe(path: Path, _outside: Path) -> None:
    os.mkfifo(path)


def a_folder(path: Path, _outside: Path) -> None:
    path.mkdir()


def a_socket(path: Path, _outside: Path) -> None:
    # A socket's name must be short.
    with socket.socket(socket.AF_UNIX) as made, contextlib.chdir(path.parent):
        made.bind(path.name)


THINGS = [a_link, a_link_to_a_folder, a_dangling_link, a_pipe, a_folder, a_socket]
DOINGS: dict[str, Callable[[Folder, str], object]] = {
    "read": lambda folder, path: folder.read(path),
    "append": lambda folder, path: folder.append(path, b"new\n"),
    "swap": lambda folder, path: folder.swap(path, b"new\n", "1.a/x"),
    "take_out": lambda folder, path: folder.take_out(path, "1.a/x"),
    "move": lambda folder, path: folder.move(path, "memory/elsewhere.md"),
}


def untouched(outside: Path) -> bool:
    return [f.name for f in outside.iterdir()] == ["x.md"] and (
        (outside / "x.md").read_bytes() == SECRET
    )


@pytest.mark.parametrize("plant", THINGS, ids=lambda plant: plant.__name__)
def test_what_is_not_a_plain_file_is_refused_and_stays(
    folder: Folder, outside: Path, plant: Callable[[Path, Path], None]
) -> None:
    path = folder.root / "memory/x.md"
    plant(path, outside)
    before = path.lstat()

    for doing in DOINGS.values():
        with pytest.raises(NotAPlainFileError, match=r"memory/x\.md") as caught:
            doing(folder, "memory/x.md")
        assert "real file" in caught.value.advice
    assert folder.create("memory/x.md", b"new\n") is False

    now = path.lstat()
    assert (now.st_mode, now.st_ino) == (before.st_mode, before.st_ino)
    assert untouched(outside)


def test_a_folder_on_the_way_that_is_a_link_is_not_followed(
    folder: Folder, outside: Path
) -> None:
    (folder.root / "memory/linked").symlink_to(outside)
    doings = DOINGS | {
        "create": lambda folder, path: folder.create(path + "2", b"new\n"),
        "make_folder": lambda folder, path: folder.make_folder(path + "2"),
    }

    for doing in doings.values():
        with pytest.raises(NotAPlainFileError):
            doing(folder, "memory/linked/x.md")

    assert untouched(outside)


def test_nothing_is_moved_into_a_linked_folder(folder: Folder, outside: Path) -> None:
    folder.create("memory/mine.md", b"mine\n")
    (folder.root / "memory/linked").symlink_to(outside)

    with pytest.raises(NotAPlainFileError):
        folder.move("memory/mine.md", "memory/linked/mine.md")

    assert folder.read("memory/mine.md") == b"mine\n"
    assert untouched(outside)


def test_a_device_is_refused() -> None:
    for doing in ("read", "append", "swap", "take_out"):
        devices = Folder(Path("/dev"))
        try:
            with pytest.raises(NotAPlainFileError, match="null"):
                DOINGS[doing](devices, "null")
        finally:
            devices.close()


def test_a_hostile_path_is_refused_before_the_disk_is_touched(
    folder: Folder, outside: Path
) -> None:
    for doing in DOINGS.values():
        with pytest.raises(UnsafePathError):
            doing(folder, "../outside/x.md")

    assert untouched(outside)


def test_a_linked_state_folder_is_refused(folder: Folder, outside: Path) -> None:
    (folder.root / ".reverie").symlink_to(outside)

    with pytest.raises(NotAPlainFileError, match="reverie"):
        folder.create("memory/x.md", b"new\n")

    assert untouched(outside)
    assert folder.read("memory/x.md") is None


def test_a_root_that_is_a_link_is_resolved_once_and_pinned(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to("real")
    folder = Folder(tmp_path / "link")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("other")

    folder.create("x.md", b"here\n")
    folder.close()

    assert (tmp_path / "real/x.md").read_bytes() == b"here\n"
    assert not (tmp_path / "other/x.md").exists()


def test_a_missing_file_reads_as_nothing(folder: Folder) -> None:
    assert folder.read("memory/none.md") is None
    assert folder.read("memory/no/such/folder.md") is None
    assert folder.signature("memory/none.md") is None


def test_a_file_longer_than_one_read_is_read_whole(folder: Folder) -> None:
    data = os.urandom(3 * (1 << 20) + 7)
    folder.create("memory/big.md", data)

    assert folder.read("memory/big.md") == data


def test_a_signature_changes_with_the_file_and_not_without(folder: Folder) -> None:
    folder.create("memory/x.md", b"one\n")
    first = folder.signature("memory/x.md")

    assert folder.signature("memory/x.md") == first
    folder.append("memory/x.md", b"two\n")
    assert folder.signature("memory/x.md") != first


# --- creating ----------------------------------------------------------------


def test_a_new_file_is_private_and_its_folders_are_made(folder: Folder) -> None:
    assert folder.create("memory/a/b/x.md", b"one\n") is True

    path = folder.root / "memory/a/b/x.md"
    assert path.read_bytes() == b"one\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_creating_never_overwrites(folder: Folder) -> None:
    folder.create("memory/x.md", b"first\n")

    assert folder.create("memory/x.md", b"second\n") is False

    assert folder.read("memory/x.md") == b"first\n"
    assert list((folder.root / ".reverie/new").iterdir()) == []


# --- swapping ----------------------------------------------------------------


def test_swapping_keeps_what_was_there_and_keeps_the_mode(folder: Folder) -> None:
    path = folder.root / "memory/x.md"
    path.write_bytes(b"old\n")
    path.chmod(0o644)

    folder.swap("memory/x.md", b"new\n", "1.a/memory/x.md")

    assert folder.state("displaced", "1.a/memory/x.md").read_bytes() == b"old\n"
    assert path.read_bytes() == b"new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_an_editor_that_had_the_file_open_writes_to_the_displaced_one(
    folder: Folder,
) -> None:
    path = folder.root / "memory/x.md"
    path.write_bytes(b"old\n")
    with path.open("ab", buffering=0) as editor:
        folder.swap("memory/x.md", b"new\n", "1.a/memory/x.md")
        editor.write(b"late\n")

    kept = folder.root / ".reverie/displaced/1.a/memory/x.md"
    assert kept.read_bytes() == b"old\nlate\n"
    assert path.read_bytes() == b"new\n"


def test_swapping_a_missing_file_says_so_and_makes_none(folder: Folder) -> None:
    with pytest.raises(DiskError, match=r"memory/x\.md"):
        folder.swap("memory/x.md", b"new\n", "1.a/x")

    assert folder.read("memory/x.md") is None


def test_where_names_cannot_be_exchanged_the_old_file_is_still_kept(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_function", lambda: None)

    assert folder.create("memory/x.md", b"old\n") is True
    assert folder.create("memory/x.md", b"again\n") is False
    folder.swap("memory/x.md", b"new\n", "1.a/x")
    assert folder.state("displaced", "1.a/x").read_bytes() == b"old\n"
    assert folder.move("memory/x.md", "memory/y.md") is True

    assert folder.read("memory/x.md") is None
    assert folder.read("memory/y.md") == b"new\n"
    assert (folder.root / ".reverie/displaced/1.a/x").read_bytes() == b"old\n"


# --- appending ---------------------------------------------------------------


def test_appending_loses_nothing_of_another_appender(folder: Folder) -> None:
    path = folder.root / "memory/x.md"
    path.write_bytes(b"start\n")
    with path.open("ab", buffering=0) as other:
        other.write(b"theirs 1\n")
        folder.append("memory/x.md", b"ours\n")
        other.write(b"theirs 2\n")

    assert path.read_bytes() == b"start\ntheirs 1\nours\ntheirs 2\n"


def test_appending_to_a_missing_file_makes_none(folder: Folder) -> None:
    with pytest.raises(DiskError):
        folder.append("memory/x.md", b"ours\n")

    assert folder.read("memory/x.md") is None


# --- taking out and moving ---------------------------------------------------


def test_taking_out_keeps_the_file_aside(
    folder: Folder,
) -> None:
    folder.create("memory/x.md", b"old\n")

    folder.take_out("memory/x.md", "1.a/memory/x.md")

    assert folder.read("memory/x.md") is None
    kept = folder.root / ".reverie/displaced/1.a/memory/x.md"
    assert kept.read_bytes() == b"old\n"


def test_taking_out_what_is_gone_already_is_nothing(folder: Folder) -> None:
    folder.take_out("memory/x.md", "1.a/x")


def test_the_last_file_of_a_shard_takes_its_folder_along(folder: Folder) -> None:
    folder.create("memory/vault/a/3/x.md", b"x\n")
    folder.create("memory/vault/b/y.md", b"y\n")
    folder.create("memory/vault/b/z.md", b"z\n")

    folder.take_out("memory/vault/a/3/x.md", "1.a/x")
    folder.take_out("memory/vault/b/y.md", "1.b/y")

    assert sorted(p.name for p in (folder.root / "memory/vault").iterdir()) == ["b"]


def test_moving_renames_the_file_itself(folder: Folder) -> None:
    folder.create("memory/x.md", b"text\n")
    inode = (folder.root / "memory/x.md").stat().st_ino

    assert folder.move("memory/x.md", "memory/a/x.md") is True

    assert folder.read("memory/x.md") is None
    assert (folder.root / "memory/a/x.md").stat().st_ino == inode


def test_moving_onto_another_file_does_nothing(folder: Folder) -> None:
    folder.create("memory/x.md", b"x\n")
    folder.create("memory/y.md", b"y\n")

    assert folder.move("memory/x.md", "memory/y.md") is False
    assert folder.move("memory/none.md", "memory/z.md") is False

    assert folder.read("memory/x.md") == b"x\n"
    assert folder.read("memory/y.md") == b"y\n"


def test_folders_of_files_anywhere_can_be_synced(folder: Folder) -> None:
    folder.sync_folders(["SOUL.md", "memory/x.md", "memory/a/y.md"])

    assert (folder.root / "memory/a").is_dir()


# --- disks that do not do what they are told ---------------------------------


def test_a_short_write_is_completed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data)[:1]))

    folder.create("memory/x.md", b"a whole line\n")
    folder.append("memory/x.md", b"and another\n")
    assert folder.read("memory/x.md") == b"a whole line\nand another\n"

    folder.swap("memory/x.md", b"something else\n", "1.a/x")
    assert folder.read("memory/x.md") == b"something else\n"


def fills_up_after(count: int) -> Callable[[int, bytes], int]:
    """An `os.write` that takes so many bytes in all and then says ENOSPC."""
    write = os.write
    left = [count]

    def limited(descriptor: int, data: bytes) -> int:
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(descriptor, bytes(data)[: left[0]])
        left[0] -= written
        return written

    return limited


@pytest.mark.parametrize("room", [0, 1, 5])
def test_a_full_disk_leaves_the_old_file_as_it_was(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    folder.create("memory/x.md", b"old\n")
    monkeypatch.setattr(os, "write", fills_up_after(room))

    with pytest.raises(DiskError, match=r"memory/x\.md: No space left") as caught:
        folder.swap("memory/x.md", b"something new\n", "1.a/x")

    assert "disk is full" in caught.value.advice
    assert caught.value.errno == errno.ENOSPC
    assert folder.read("memory/x.md") == b"old\n"


def test_a_full_disk_makes_no_half_of_a_new_file(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "write", fills_up_after(3))

    with pytest.raises(DiskError, match="No space left"):
        folder.create("memory/x.md", b"something new\n")

    assert folder.read("memory/x.md") is None
    monkeypatch.undo()
    assert folder.create("memory/x.md", b"something new\n") is True


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permissions"),
        (errno.EIO, "Look at the disk"),
    ],
)
def test_a_failing_sync_is_an_error_with_advice_and_no_file(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    def fails(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fails)

    with pytest.raises(DiskError) as caught:
        folder.create("memory/x.md", b"text\n")

    assert hint in caught.value.advice
    assert folder.read("memory/x.md") is None


def test_replacing_a_state_file_does_not_follow_a_planted_link(
    tmp_path: Path, outside: Path
) -> None:
    target = tmp_path / "state"
    for name in (f"state.{os.getpid()}", f".state.{os.getpid()}"):
        (tmp_path / name).symlink_to(outside / "x.md")

    write_replacing(target, b"new\n")

    assert target.read_bytes() == b"new\n"
    assert not target.is_symlink()
    assert untouched(outside)


def test_replacing_a_state_file_replaces_a_link_itself(
    tmp_path: Path, outside: Path
) -> None:
    target = tmp_path / "state"
    target.symlink_to(outside / "x.md")

    write_replacing(target, b"new\n")

    assert target.read_bytes() == b"new\n"
    assert untouched(outside)
