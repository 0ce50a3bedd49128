"""A redo log that somebody made up writes, removes and stops nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.ledger.room import NOTE

from reverie.ledger.git_folder import BrokenLedgerError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ledger.room import Room

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


@pytest.mark.parametrize("record", MADE_UP)
def test_a_made_up_record_ends_the_log(
    room: Room, tmp_path: Path, record: bytes
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("precious")
    room.put(NOTE, "before\n")
    log = room.root / ".audit" / "redo"
    log.write_bytes(b"other-boot\n" + record.replace(b"{outside}", bytes(outside)))

    later = room.reopened()
    later.put(NOTE, "after\n")

    assert outside.read_text() == "precious"
    assert later.at_head(NOTE) == "after\n"
    assert later.git("fsck", "--strict", "--no-dangling") == ""
    later.folder.close()


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
