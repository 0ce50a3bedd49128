"""An earlier version of a state file does not come back, whoever is killed when."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import Points, instrumented, run_killed

from reverie.authority.keyring import Keyring, KeyringError
from reverie.workspace.files import Folder
from reverie.workspace.local_state import AlteredStateError, Drawer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = "cycle.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "agent"
    made.mkdir()
    return made


@pytest.fixture
def ring(tmp_path: Path, root: Path) -> Keyring:
    ring = Keyring(tmp_path / "keys", root)
    ring.bind("1" * 32)
    return ring


def mark(data: bytes) -> bytes:
    """Return a seal of some bytes."""
    return b"k" + data[:31]


@pytest.fixture
def drawer(root: Path, ring: Keyring) -> Iterator[Drawer]:
    folder = Folder(root)
    yield Drawer(folder.root / ".reverie", "notes", 0.01, mark, ring)
    folder.close()


@pytest.fixture
def file(root: Path) -> Path:
    return root / ".reverie/notes" / FILE


def test_an_earlier_version_is_not_believed(drawer: Drawer, file: Path) -> None:
    drawer.put(FILE, b"granted")
    earlier = file.read_bytes()
    drawer.put(FILE, b"cancelled")

    assert drawer.read(FILE) == b"cancelled"
    file.write_bytes(earlier)
    with pytest.raises(AlteredStateError, match="is not as it was left last"):
        drawer.read(FILE)
    drawer.put(FILE, b"begun anew")
    file.write_bytes(earlier)
    with pytest.raises(AlteredStateError):
        drawer.read(FILE)


@pytest.mark.parametrize("gone", [True, False])
def test_what_was_removed_does_not_come_back(
    drawer: Drawer, file: Path, *, gone: bool
) -> None:
    drawer.put(FILE, b"granted")
    earlier = file.read_bytes()
    if gone:
        file.unlink()
    drawer.remove(FILE)
    file.write_bytes(earlier)

    with pytest.raises(AlteredStateError):
        drawer.read(FILE)


def test_a_file_that_is_gone_says_nothing(drawer: Drawer, file: Path) -> None:
    drawer.put(FILE, b"granted")
    file.unlink()

    assert drawer.read(FILE) is None


def test_who_removes_what_never_was_notes_nothing(
    drawer: Drawer, ring: Keyring
) -> None:
    drawer.remove(FILE)

    assert not ring.knows_place


def test_the_same_words_again_are_believed(drawer: Drawer) -> None:
    for words in (b"idle", b"granted", b"idle"):
        drawer.put(FILE, words)

    assert drawer.read(FILE) == b"idle"


def test_a_kill_at_any_call_leaves_the_old_or_the_new_version(
    drawer: Drawer, file: Path
) -> None:
    drawer.put(FILE, b"very old")
    very_old = file.read_bytes()
    points = Points()
    with instrumented(points):
        drawer.put(FILE, b"0")
    for number in range(1, points.count + 1):
        for when in ("before", "after"):
            before = drawer.read(FILE)
            wanted = f"{number} {when}".encode()
            assert run_killed(partial(drawer.put, FILE, wanted), number, when)
            assert drawer.read(FILE) in {before, wanted}
            now = file.read_bytes()
            file.write_bytes(very_old)
            with pytest.raises(AlteredStateError):
                drawer.read(FILE)
            file.write_bytes(now)

    assert points.count > 10


def test_a_kill_while_it_is_removed_makes_nothing_else_of_it(
    drawer: Drawer, file: Path
) -> None:
    drawer.put(FILE, b"granted")
    points = Points()
    with instrumented(points):
        drawer.remove(FILE)
    for number in range(1, points.count + 1):
        drawer.put(FILE, b"granted")
        assert run_killed(lambda: drawer.remove(FILE), number, "before")
        assert drawer.read(FILE) in {None, b"granted"}
        drawer.remove(FILE)
        assert not file.exists()


def test_who_reads_while_another_writes_is_not_told_of_an_altered_file(
    drawer: Drawer, ring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawer.put(FILE, b"old")
    known = ring.known

    def slow(name: str) -> list[bytes | None]:
        monkeypatch.setattr(ring, "known", known)
        drawer.put(FILE, b"new")
        return known(name)

    monkeypatch.setattr(ring, "known", slow)

    assert drawer.read(FILE) == b"new"


def test_another_folder_in_its_place_is_believed_for_its_seals(
    drawer: Drawer, root: Path, ring: Keyring
) -> None:
    """A workspace that was restored from a backup goes on where it was."""
    drawer.put(FILE, b"granted")
    kept = root.with_name("kept")
    root.rename(kept)
    root.mkdir()
    (kept / ".reverie").rename(root / ".reverie")

    folder = Folder(root)
    restored = Drawer(folder.root / ".reverie", "notes", 1, mark, ring)
    assert restored.read(FILE) == b"granted"
    earlier = (root / ".reverie/notes" / FILE).read_bytes()
    restored.put(FILE, b"cancelled")
    (root / ".reverie/notes" / FILE).write_bytes(earlier)
    with pytest.raises(AlteredStateError):
        restored.read(FILE)
    folder.close()


def test_notes_that_cannot_be_read_believe_nothing(
    drawer: Drawer, ring: Keyring
) -> None:
    drawer.put(FILE, b"granted")
    note = ring.folder / ring.place / f"latest/notes-{FILE}"
    note.unlink()
    note.mkdir()

    with pytest.raises(KeyringError):
        drawer.read(FILE)
