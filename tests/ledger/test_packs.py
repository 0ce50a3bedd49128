"""A small object store, and an index that keeps plain git quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.ledger.room import NOTE

from reverie.errors import UnavailableError
from reverie.ledger import packs
from reverie.ledger.erasure import drop_all_but, pack_history
from reverie.ledger.git_ledger import create_repository
from reverie.ledger.packs import loose_objects, pack_loose
from reverie.ledger.repository import MANY_LOOSE, BrokenLedgerError, Repository

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from tests.ledger.room import Room


@pytest.fixture
def busy(room: Room) -> Room:
    """A workspace with a few commits."""
    for number in range(5):
        room.put(NOTE, f"{number}\n")
    return room


def pack_files(repository: Repository) -> list[Path]:
    return sorted((repository.objects / "pack").glob("*.pack"))


def test_loose_objects_move_into_one_pack(busy: Room) -> None:
    repository = busy.ledger.repository
    loose = len(loose_objects(repository.objects))

    assert pack_loose(repository) == loose > 0

    assert loose_objects(repository.objects) == {}
    assert len(pack_files(repository)) == 1
    assert busy.git("fsck", "--strict", "--no-dangling") == ""
    assert busy.at_head(NOTE) == "4\n"
    later = busy.reopened()
    later.put(NOTE, "5\n")
    assert len(later.actors()) == 7
    later.folder.close()


def test_packing_that_is_killed_keeps_the_packs_it_has_finished(
    busy: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = busy.ledger.repository
    before, done = len(loose_objects(repository.objects)), list[int]()
    require = packs._require_packed  # noqa: SLF001 - the last step of a batch

    def killed(objects: Path, names: Collection[str]) -> None:
        require(objects, names)
        if done:
            raise KeyboardInterrupt
        done.append(len(names))

    monkeypatch.setattr(packs, "MAX_PACK_OBJECTS", 4)
    monkeypatch.setattr(packs, "_require_packed", killed)

    with pytest.raises(KeyboardInterrupt):
        pack_loose(repository)

    assert done == [4]
    assert len(loose_objects(repository.objects)) == before - 4
    assert busy.git("fsck", "--strict") == ""


def test_packing_nothing_does_nothing(busy: Room) -> None:
    repository = busy.ledger.repository
    pack_loose(repository)

    assert pack_loose(repository) == 0
    assert len(pack_files(repository)) == 1


def test_no_loose_object_goes_before_it_is_read_back_from_a_pack(
    busy: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = busy.ledger.repository
    loose = loose_objects(repository.objects)
    real = packs._require_packed  # noqa: SLF001 - the check is what is tested
    monkeypatch.setattr(
        packs,
        "_require_packed",
        lambda objects, names: real(objects, [*names, "a" * 40]),
    )

    with pytest.raises(UnavailableError, match="lacks 1 objects") as caught:
        pack_loose(repository)

    assert "Nothing is lost" in caught.value.advice
    assert loose_objects(repository.objects) == loose


def test_packing_is_due_when_one_folder_of_256_is_full(busy: Room) -> None:
    folder = busy.root / ".audit/objects/17"
    folder.mkdir(exist_ok=True)
    there = len(list(folder.iterdir()))
    for number in range(there, 30):
        assert busy.ledger.untidy == (number * 256 > MANY_LOOSE)
        (folder / f"{number:038}").touch()


def test_all_that_history_needs_goes_into_one_new_pack(busy: Room) -> None:
    repository = busy.ledger.repository
    pack_loose(repository)
    busy.put(NOTE, "more\n")
    repository.write_blob(b"nobody needs this")

    names = pack_history(repository)
    drop_all_but(repository, names)

    left = {f.name for f in repository.objects.rglob("*") if f.is_file()}
    assert left == set(names)
    assert busy.git("fsck", "--strict", "--unreachable") == ""
    later = busy.reopened()
    assert later.at_head(NOTE) == "more\n"
    assert len(later.actors()) == 7
    later.folder.close()


def test_packing_history_twice_keeps_it(busy: Room) -> None:
    repository = busy.ledger.repository
    first = pack_history(repository)
    repository.write_blob(b"newer than the pack")
    pack_loose(repository)

    second = pack_history(repository)
    drop_all_but(repository, second)

    assert second == first
    assert busy.git("fsck", "--strict", "--unreachable") == ""


def test_git_s_index_follows_the_newest_commit(busy: Room) -> None:
    repository = busy.ledger.repository

    repository.refresh_index()
    assert busy.git("status", "--porcelain") == ""
    busy.put(NOTE, None)
    busy.put("memory/a/b.md", "x\n")
    busy.put("MEMORY.md", "# New\n")
    repository.refresh_index()

    assert busy.git("status", "--porcelain") == ""
    assert busy.git("ls-files").split() == ["MEMORY.md", "SOUL.md", "memory/a/b.md"]


def test_an_empty_ledger_has_no_index_to_refresh(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    create_repository(tmp_path / "work/.audit")

    Repository(tmp_path / "work/.audit").refresh_index()

    assert not (tmp_path / "work/.audit/index").exists()


def test_a_locked_index_is_left_for_the_next_time(busy: Room) -> None:
    lock = busy.root / ".audit/index.lock"
    lock.write_bytes(b"")

    busy.ledger.repository.refresh_index()

    assert lock.exists()
    assert not (busy.root / ".audit/index").exists()
    lock.unlink()
    busy.ledger.repository.refresh_index()
    assert busy.git("status", "--porcelain") == ""


def test_the_store_is_whole_after_a_person_ran_git_gc(busy: Room) -> None:
    busy.git("gc", "--quiet", "--prune=now")
    later = busy.reopened()

    later.put(NOTE, "after gc\n")
    pack_loose(later.ledger.repository)
    later.ledger.repository.refresh_index()

    assert later.git("fsck", "--strict") == ""
    assert later.git("status", "--porcelain") == ""
    assert len(later.actors()) == 7
    later.folder.close()


# --- what somebody made up writes, removes and stops nothing -----------------------

MADE_UP = [
    b"3 xx{outside} 2\nhi",
    b"3 ../../../../../..{outside} 2\nhi",
    b"3 aa -8\n",
    b"3 aa b\n",
    b"77 aaaa 2\nhi",
    b"3 \xff\xff 2\nhi",
    b"3 0123456789abcdef0123456789abcdef01234567 2\nhi",
    b"3 0123456789abcdef0123456789abcdef01234567 99999999999999999999\nhi",
    b"\n\n\n",
    b"",
]


def test_a_made_up_record_ends_the_log(room: Room, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("precious")
    log = room.root / ".audit" / "redo"
    for number, record in enumerate(MADE_UP):
        log.write_bytes(b"other-boot\n" + record.replace(b"{outside}", bytes(outside)))

        later = room.reopened()
        later.put(NOTE, f"after {number}\n")

        assert outside.read_text() == "precious"
        assert later.at_head(NOTE) == f"after {number}\n"
        later.folder.close()
    assert room.git("fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize(
    "planted",
    [
        ("1.x/a.md", "1.x/b.md"),
        (f"1.{'0' * 40}/a.md", f"1.{'0' * 40}/b.md"),
        (f"1.{'a' * 40}/.audit/config",),
        (f"1.{'a' * 40}/memory/graph",),
        (f"1.{'a' * 40}/MEMORY.md/z",),
        (f"1.{'a' * 40}/memory/meta/audit.log",),
        ("1.e69de29bb2d1d6434b8b29ae775ad8c2e48c5391/x/a.md",),
    ],
)
def test_what_we_did_not_put_aside_is_left_alone(
    room: Room, planted: tuple[str, ...]
) -> None:
    for name in planted:
        file = room.root / ".reverie" / "displaced" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    config = (room.root / ".audit" / "config").read_bytes()

    later = room.reopened()
    later.put(NOTE, "after\n")

    assert later.at_head(NOTE) == "after\n"
    assert (room.root / ".audit" / "config").read_bytes() == config
    later.folder.close()


def test_an_empty_ref_is_told_in_words(room: Room) -> None:
    (room.root / ".audit/refs/heads/main").write_bytes(b"")

    with pytest.raises(BrokenLedgerError, match="which commit is the newest"):
        room.reopened().put(NOTE, "x\n")
