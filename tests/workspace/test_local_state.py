"""Small files of our own: private, whole, and never behind a link."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from reverie.workspace.files import DiskError, Folder, NotAPlainFileError
from reverie.workspace.local_state import AlteredStateError, Drawer
from reverie.workspace.lock import WorkspaceBusyError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def drawer(tmp_path: Path) -> Iterator[Drawer]:
    with closing(Folder(tmp_path)) as folder:
        yield Drawer(folder.root / ".reverie", "notes", 0.01)


@pytest.fixture
def room(tmp_path: Path) -> Path:
    return tmp_path / ".reverie" / "notes"


def test_what_is_put_in_comes_out(drawer: Drawer) -> None:
    drawer.put("b.json", b"1")
    drawer.put("a.json", b"2")
    drawer.put("a.json", b"3")

    assert drawer.names(".json") == ["a.json", "b.json"]
    assert drawer.read("a.json") == b"3"


def test_looking_makes_nothing(drawer: Drawer, tmp_path: Path) -> None:
    assert drawer.read("a.json") is None
    assert drawer.names(".json") == []
    drawer.remove("a.json")

    assert list(tmp_path.iterdir()) == []


def test_what_is_removed_is_gone(drawer: Drawer) -> None:
    drawer.put("a.json", b"1")

    drawer.remove("a.json")

    assert drawer.read("a.json") is None


def test_only_the_owner_can_read_it(drawer: Drawer, room: Path) -> None:
    drawer.put("a.json", b"1")
    drawer.add_line("b.jsonl", b"1", sync=True)

    for name in ("a.json", "b.jsonl"):
        assert stat.S_IMODE((room / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(room.stat().st_mode) == 0o700


def test_a_line_that_was_torn_stays_alone(drawer: Drawer, room: Path) -> None:
    drawer.add_line("a.jsonl", b"one", sync=False)
    with (room / "a.jsonl").open("ab") as file:
        file.write(b"tor")

    drawer.add_line("a.jsonl", b"two", sync=False)

    assert drawer.read("a.jsonl") == b"one\ntor\ntwo\n"


def test_a_disk_that_takes_half_a_line_is_told(
    drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:2]))

    with pytest.raises(DiskError, match="only a part of a line"):
        drawer.add_line("a.jsonl", b"one", sync=False)


def test_a_linked_file_is_neither_read_nor_written(
    drawer: Drawer, room: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"x")
    room.mkdir(parents=True)
    (room / "a.jsonl").symlink_to(secret)

    with pytest.raises(NotAPlainFileError):
        drawer.read("a.jsonl")
    with pytest.raises(NotAPlainFileError):
        drawer.add_line("a.jsonl", b"1", sync=False)
    assert secret.read_bytes() == b"x"


def test_a_pipe_or_folder_in_place_of_a_file_is_refused(
    drawer: Drawer, room: Path
) -> None:
    room.mkdir(parents=True)
    os.mkfifo(room / "a.jsonl")
    (room / "b.jsonl").mkdir()

    for name in ("a.jsonl", "b.jsonl"):
        with pytest.raises((NotAPlainFileError, DiskError)):
            drawer.read(name)
        with pytest.raises((NotAPlainFileError, DiskError)):
            drawer.add_line(name, b"1", sync=False)


def test_one_at_a_time(drawer: Drawer) -> None:
    with (
        drawer.alone("first"),
        pytest.raises(WorkspaceBusyError, match="first"),
        drawer.alone("second"),
    ):
        pytest.fail("two are alone")


# --- sealed ------------------------------------------------------------------------


def test_a_sealed_file_is_believed_only_as_we_wrote_it(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    drawer = Drawer(
        folder.root / ".reverie", "notes", 0.01, lambda data: b"k" + data[:31]
    )
    other = Drawer(
        folder.root / ".reverie", "notes", 0.01, lambda data: b"o" + data[:31]
    )
    room = tmp_path / ".reverie/notes"
    drawer.put("a.json", b'{"grant": 5000}')
    drawer.put("b.json", b'{"grant": 5000}')
    sealed = (room / "a.json").read_bytes()

    assert drawer.read("a.json") == b'{"grant": 5000}'
    for forged in (
        b'{"grant": 9000}',
        sealed.replace(b"5000", b"9000"),
        sealed + b" ",
        sealed[:-3],
        b"",
        (room / "b.json").read_bytes(),
    ):
        (room / "a.json").write_bytes(forged)
        with pytest.raises(AlteredStateError, match=r"notes/a\.json was alt"):
            drawer.read("a.json")
    (room / "a.json").write_bytes(sealed)
    with pytest.raises(AlteredStateError):
        other.read("a.json")
    assert drawer.read("a.json") == b'{"grant": 5000}'
    folder.close()
