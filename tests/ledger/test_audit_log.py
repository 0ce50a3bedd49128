"""The audit log: a projection of the commits, whatever befalls the file."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.ledger.room import DAY, NOTE, Room

from reverie.errors import ReverieError
from reverie.ledger.audit_log import render_digests
from reverie.model.items import Severity
from reverie.workspace.layout import AUDIT_ARCHIVE, AUDIT_LOG

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORGED = "2026-02-02T15:30Z | EDIT | SOUL.md | manual | — | nothing to see here"


@pytest.fixture
def log(room: Room) -> Path:
    """The log of a workspace with some history."""
    room.put(DAY, "# 2026-02-02\n", summary="began the day")
    room.clock.forward(minutes=1)
    room.put(NOTE, "a note\n", summary="kept a note")
    return room.root / AUDIT_LOG


def test_each_change_is_a_line(room: Room, log: Path) -> None:
    assert log.read_text(encoding="utf-8").split("\n") == [
        "2026-02-02T15:30Z | CREATE | MEMORY.md | system:init | auto | new workspace",
        "2026-02-02T15:30Z | CREATE | SOUL.md | system:init | auto | new workspace",
        f"2026-02-02T15:30Z | CREATE | {DAY} | bot:trigger-remember | auto | "
        "began the day",
        f"2026-02-02T15:31Z | CREATE | {NOTE} | bot:trigger-remember | auto | "
        "kept a note",
        "",
    ]
    assert room.ledger.log.verify(room.ledger.head) == []


def lose(log: Path) -> None:
    log.unlink()


def lose_the_folder(log: Path) -> None:
    log.unlink()
    for file in log.parent.rglob("*"):
        if file.is_dir():
            continue
        file.unlink()
    for folder in sorted(log.parent.rglob("*"), reverse=True):
        folder.rmdir()
    log.parent.rmdir()


def alter(log: Path) -> None:
    text = log.read_text(encoding="utf-8")
    log.write_text(text.replace("began the day", "did nothing"), encoding="utf-8")


def truncate(log: Path) -> None:
    os.truncate(log, log.stat().st_size - 5)


def empty(log: Path) -> None:
    log.write_bytes(b"")


def forge_a_line(log: Path) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{FORGED}\n")


def cut_a_line(log: Path) -> None:
    lines = log.read_text(encoding="utf-8").split("\n")
    log.write_text("\n".join(lines[:2] + lines[3:]), encoding="utf-8")


def swap_lines(log: Path) -> None:
    first, second, *rest = log.read_text(encoding="utf-8").split("\n")
    log.write_text("\n".join([second, first, *rest]), encoding="utf-8")


def make_it_binary(log: Path) -> None:
    log.write_bytes(b"\xff\xfe\0" * 100)


HARM: dict[Callable[[Path], None], int] = {
    lose: 0,
    alter: 3,
    truncate: 4,
    empty: 1,
    forge_a_line: 5,
    cut_a_line: 3,
    swap_lines: 1,
    make_it_binary: 1,
}


@pytest.mark.parametrize("harm", HARM, ids=lambda harm: harm.__name__)
def test_a_harmed_log_is_found_with_its_line(
    room: Room, log: Path, harm: Callable[[Path], None]
) -> None:
    harm(log)

    findings = room.ledger.log.verify(room.ledger.head)

    assert [(f.path, f.line) for f in findings] == [(AUDIT_LOG, HARM[harm])]
    assert findings[0].severity is Severity.WARNING
    assert "reverie rebuild" in findings[0].mend


@pytest.mark.parametrize(
    "harm", [*HARM, lose_the_folder], ids=lambda harm: harm.__name__
)
def test_a_harmed_log_is_made_whole_by_the_next_change(
    room: Room, log: Path, harm: Callable[[Path], None]
) -> None:
    before = room.log()
    harm(log)

    room.put(NOTE, "a note\nand more\n", summary="added to the note")

    assert room.log()[:-1] == before
    assert room.log()[-1].endswith("added to the note")
    assert room.ledger.log.verify(room.ledger.head) == []


@pytest.mark.parametrize("harm", HARM, ids=lambda harm: harm.__name__)
def test_a_harmed_log_is_made_whole_at_the_next_start(
    room: Room, log: Path, harm: Callable[[Path], None]
) -> None:
    before = room.log()
    harm(log)

    with room.ledger.exclusively("looking"):
        pass

    assert room.log() == before


def test_the_log_can_be_told_again_on_request(room: Room, log: Path) -> None:
    before = room.log()
    log.write_bytes(b"")

    room.ledger.tell_again()

    assert room.log() == before


def test_a_link_in_the_place_of_the_log_is_replaced_not_followed(
    room: Room, log: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine\n")
    before = room.log()
    log.unlink()
    log.symlink_to(outside)

    room.put(NOTE, "a note\nand more\n")

    assert outside.read_bytes() == b"mine\n"
    assert not log.is_symlink()
    assert room.log()[:-1] == before


def test_nothing_is_written_through_a_linked_folder(
    room: Room, log: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    log.parent.rename(outside)
    before = (outside / "audit.log").read_bytes()
    log.parent.symlink_to(outside)

    with pytest.raises(ReverieError, match="link"):
        room.put(NOTE, "a note\nand more\n")

    assert (outside / "audit.log").read_bytes() == before
    assert sorted(f.name for f in outside.iterdir() if f.is_file()) == ["audit.log"]


def test_what_a_killed_rebuild_leaves_is_not_taken_for_a_persons_file(
    room: Room, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    log.unlink()
    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        room.ledger.tell_again()

    assert room.git("status", "--porcelain", "--", "memory/meta") == ""


def test_the_log_begins_after_the_months_that_have_a_digest(room: Room) -> None:
    room.clock.now = datetime(2026, 3, 1, tzinfo=UTC)
    room.put(NOTE, "march\n", summary="in march")
    old = [e for e in room.ledger.history() if e.at.month == 2]

    room.put(AUDIT_ARCHIVE, render_digests(old), summary="monthly digests")
    room.ledger.tell_again()

    assert [line.split(" | ")[-1] for line in room.log()] == [
        "in march",
        "monthly digests",
    ]
    assert room.ledger.log.oldest() == datetime(2026, 3, 1, tzinfo=UTC)
    assert room.ledger.log.verify(room.ledger.head) == []
    assert len(list(room.ledger.history())) == 3


def test_the_age_of_a_log_that_says_nothing_is_unknown(room: Room, log: Path) -> None:
    for data in (b"", b"nonsense\n", b"\xff\xff"):
        log.write_bytes(data)
        assert room.ledger.log.oldest() is None
    log.unlink()
    assert room.ledger.log.oldest() is None


def test_the_log_is_never_committed(room: Room, log: Path) -> None:
    room.ledger.absorb([AUDIT_LOG])

    assert log.exists()
    assert room.at_head(AUDIT_LOG) is None
