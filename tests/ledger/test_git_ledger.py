"""The one door for writes, with a person, plain git and a kill beside it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.ledger.room import BEGINNING, DAY, NOTE, RULES, Room

from reverie.errors import RefusedError, UnavailableError
from reverie.ledger import ChangedOnDiskError, packs, projection
from reverie.ledger.git_ledger import action_between
from reverie.model.change import (
    ABSENT,
    MANUAL,
    REMEMBER,
    Action,
    Actor,
    Approval,
    ChangeSet,
    Edit,
    LogLine,
    checksum,
)
from reverie.workspace.files import Folder, NotAPlainFileError
from reverie.workspace.layout import UnsafePathError
from reverie.workspace.lock import WorkspaceBusyError

if TYPE_CHECKING:
    from pathlib import Path

CORE = BEGINNING["MEMORY.md"]
FOX = Actor("bot:auto-detect")
REFLECTION = Actor("reflection:r-012")


def change(*edits: Edit, actor: Actor = REMEMBER) -> ChangeSet:
    return ChangeSet(edits, actor, Approval.AUTO, "testing")


def planned(room: Room, path: str, text: str) -> Edit:
    """An edit planned on what a file says now."""
    old = room.ledger.read(path)
    base = ABSENT if old is None else checksum(old)
    new = text.encode()
    return Edit(path, new, base, action_between(old, new), "planned")


# --- committing --------------------------------------------------------------


def test_a_change_is_in_the_file_in_history_and_in_the_log(room: Room) -> None:
    room.clock.forward(minutes=5)

    receipt = room.put(NOTE, "hello\n", summary="kept it")

    assert room.says(NOTE) == "hello\n"
    assert room.at_head(NOTE) == "hello\n"
    assert room.ledger.head == receipt.commit
    assert receipt.at == room.clock.now
    assert receipt.lines == (LogLine(Action.CREATE, NOTE, "kept it"),)
    assert room.log()[-1] == (
        f"2026-02-02T15:35Z | CREATE | {NOTE} | bot:trigger-remember | auto | kept it"
    )


def test_a_change_of_several_files_is_one_commit(room: Room) -> None:
    before = len(room.actors())
    edits = (planned(room, NOTE, "a\n"), planned(room, "MEMORY.md", CORE + "- three\n"))

    receipt = room.ledger.commit(change(*edits))

    assert len(room.actors()) == before + 1
    assert (room.at_head(NOTE), room.at_head("MEMORY.md")) == (
        "a\n",
        CORE + "- three\n",
    )
    assert [line.path for line in receipt.lines] == [NOTE, "MEMORY.md"]


def test_a_file_is_removed_in_the_folder_and_in_history(room: Room) -> None:
    room.put(NOTE, "hello\n")

    room.put(NOTE, None)

    assert room.says(NOTE) is None
    assert room.at_head(NOTE) is None
    assert room.log()[-1].split(" | ")[1:3] == ["DELETE", NOTE]


def test_a_file_is_moved_to_another_name(room: Room) -> None:
    room.put(NOTE, "hello\n")
    data = b"hello\n"
    old = Edit(NOTE, None, checksum(data), Action.RENAME, "moved")
    new = Edit("NOTES.md", data, ABSENT, Action.RENAME, "moved")
    inode = (room.root / NOTE).stat().st_ino

    room.ledger.commit(change(old, new))

    assert room.says(NOTE) is None
    assert (room.root / "NOTES.md").stat().st_ino == inode
    assert room.at_head("NOTES.md") == "hello\n"


def test_an_append_adds_to_the_file_itself(room: Room) -> None:
    room.put(DAY, "# Day\n")
    inode = (room.root / DAY).stat().st_ino

    room.put(DAY, "# Day\n\n## 15:30\n")

    assert (room.root / DAY).stat().st_ino == inode
    assert room.says(DAY) == "# Day\n\n## 15:30\n"


def test_an_append_does_not_reach_a_second_name_of_the_file(
    room: Room, tmp_path: Path
) -> None:
    room.put(DAY, "# Day\n")
    os.link(room.root / DAY, tmp_path / "backup.md")

    room.put(DAY, "# Day\nmore\n")

    assert room.says(DAY) == "# Day\nmore\n"
    assert (tmp_path / "backup.md").read_bytes() == b"# Day\n"


def test_a_file_that_is_not_kept_is_refused(room: Room) -> None:
    for path in ["notes.txt", "src/x.md", "memory/meta/audit.log"]:
        with pytest.raises(RefusedError, match=path):
            room.put(path, "x\n")


def test_an_unsafe_path_is_refused(room: Room) -> None:
    for path in ["../x.md", "/etc/passwd", ".audit/config", "memory/.git/x"]:
        edit = Edit(path, b"x", ABSENT, Action.CREATE, "x")
        head = room.ledger.head

        with pytest.raises(UnsafePathError):
            room.ledger.commit(change(planned(room, NOTE, "fine\n"), edit))

        assert room.ledger.head == head
        assert room.says(NOTE) is None


def test_a_file_that_would_be_too_large_is_refused_with_its_size(room: Room) -> None:
    with pytest.raises(RefusedError, match="100,001 bytes"):
        room.put(NOTE, "x" * (RULES.file_limit + 1))

    assert room.says(NOTE) is None


def test_a_linked_file_is_refused_and_nothing_is_recorded(
    room: Room, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"mine\n")
    (room.root / NOTE).symlink_to(outside)
    head = room.ledger.head
    edit = Edit(NOTE, b"x\n", ABSENT, Action.CREATE, "x")

    with pytest.raises(NotAPlainFileError):
        room.ledger.commit(change(edit))

    assert room.ledger.head == head
    assert outside.read_bytes() == b"mine\n"


def test_another_writer_is_waited_for_and_named(room: Room) -> None:
    other = Room(room.root, room.clock)
    with (
        other.ledger.exclusively("reflection:r-012"),
        pytest.raises(WorkspaceBusyError, match="reflection:r-012"),
    ):
        room.put(NOTE, "x\n")
    other.folder.close()

    room.put(NOTE, "x\n")


# --- beside a person ---------------------------------------------------------


def test_a_change_planned_on_another_text_is_refused(room: Room) -> None:
    edit = planned(room, "MEMORY.md", "ours\n")
    room.type("MEMORY.md", CORE + "- by hand\n")

    with pytest.raises(ChangedOnDiskError, match=r"MEMORY\.md"):
        room.ledger.commit(change(edit, planned(room, NOTE, "x\n")))

    assert room.says("MEMORY.md") == CORE + "- by hand\n"
    assert room.says(NOTE) is None


def test_a_persons_edit_is_committed_as_manual_before_ours(room: Room) -> None:
    room.type("MEMORY.md", CORE + "- by hand\n")

    room.put("MEMORY.md", CORE + "- by hand\n- ours\n")

    assert room.actors() == ["bot:trigger-remember", "manual", "system:init"]
    manual = list(room.ledger.history())[1]
    assert room.ledger.read_at(manual.commit, "MEMORY.md") == (
        f"{CORE}- by hand\n".encode()
    )
    assert manual.lines == (
        LogLine(
            Action.APPEND, "MEMORY.md", "direct human edit: 1 line added, 0 removed"
        ),
    )
    assert (manual.approval, manual.trigger) == (Approval.NONE, "direct human edit")


def test_absorbing_tells_of_new_changed_and_removed_files(room: Room) -> None:
    room.put(NOTE, "one\ntwo\n")
    room.type(DAY, "# Day\n")
    room.type("MEMORY.md", "# Other\n")
    (room.root / NOTE).unlink()

    room.ledger.absorb([DAY, "MEMORY.md", NOTE])

    newest = next(iter(room.ledger.history()))
    assert newest.actor == MANUAL
    assert {line.path: line.action for line in newest.lines} == {
        DAY: Action.CREATE,
        "MEMORY.md": Action.EDIT,
        NOTE: Action.DELETE,
    }
    assert room.at_head(NOTE) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Day\n", "1 line added, 0 removed"),
        ("# Day", "1 line added, 0 removed"),
        ("# Day\n\none\n", "3 lines added, 0 removed"),
        ("", "0 lines added, 0 removed"),
    ],
)
def test_the_lines_of_a_persons_edit_are_counted(
    room: Room, text: str, told: str
) -> None:
    room.type(DAY, text)

    room.ledger.absorb([DAY])

    assert room.log()[-1].endswith(f"direct human edit: {told}")


def test_absorbing_what_nobody_changed_is_no_commit(room: Room) -> None:
    head = room.ledger.head

    room.ledger.absorb(["MEMORY.md", "SOUL.md", "memory/none.md"])

    assert room.ledger.head == head


def test_absorbing_leaves_a_link_to_its_owner_and_takes_the_rest(
    room: Room, tmp_path: Path
) -> None:
    room.put(NOTE, "one\n")
    (room.root / NOTE).unlink()
    (room.root / NOTE).symlink_to(tmp_path)
    room.type(DAY, "# Day\n")

    room.ledger.absorb([NOTE, DAY])

    assert room.at_head(DAY) == "# Day\n"
    assert room.at_head(NOTE) == "one\n"


def test_absorbing_leaves_a_file_over_the_limit(room: Room) -> None:
    room.type(NOTE, "x" * (RULES.file_limit + 1))

    room.ledger.absorb([NOTE])

    assert room.at_head(NOTE) is None


def test_an_edit_saved_between_commit_and_projection_is_kept(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_all = projection.show_all

    def saved_meanwhile(*arguments: object) -> None:
        room.type("MEMORY.md", CORE.replace("- one", "- ONE, by hand"))
        monkeypatch.undo()
        show_all(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(projection, "show_all", saved_meanwhile)

    room.put("MEMORY.md", "# New title\n" + CORE + "- ours\n")

    merged = "# New title\n" + CORE.replace("- one", "- ONE, by hand") + "- ours\n"
    assert room.says("MEMORY.md") == merged
    assert room.at_head("MEMORY.md") == merged
    assert room.actors()[:2] == ["manual", "bot:trigger-remember"]


def test_an_edit_saved_in_the_last_instant_is_kept(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = Folder.swap

    def saved_first(folder: Folder, path: str, data: bytes, displaced: str) -> None:
        monkeypatch.undo()
        room.type(path, CORE + "- by hand\n")
        swap(folder, path, data, displaced)

    monkeypatch.setattr(Folder, "swap", saved_first)

    room.put("MEMORY.md", CORE.replace("- one", "- ours"))

    assert room.says("MEMORY.md") == CORE.replace("- one", "- ours") + "- by hand\n"
    assert room.at_head("MEMORY.md") == room.says("MEMORY.md")


@pytest.mark.parametrize("saved", ["appended", "replaced"])
def test_an_edit_saved_while_we_append_is_kept(
    room: Room, monkeypatch: pytest.MonkeyPatch, saved: str
) -> None:
    room.put(DAY, "# Day\nfirst\n")
    append = Folder.append

    def saved_first(folder: Folder, path: str, data: bytes) -> None:
        monkeypatch.undo()
        if saved == "appended":
            with (room.root / path).open("a", encoding="utf-8") as file:
                file.write("by hand\n")
        else:
            aside = room.root / "aside"
            aside.write_text("# Day, by hand\nfirst\n", encoding="utf-8")
            aside.rename(room.root / path)
        append(folder, path, data)

    monkeypatch.setattr(Folder, "append", saved_first)

    room.put(DAY, "# Day\nfirst\nours\n")

    expected = {
        "appended": "# Day\nfirst\nby hand\nours\n",
        "replaced": "# Day, by hand\nfirst\nours\n",
    }
    assert room.says(DAY) == expected[saved]
    room.ledger.absorb([DAY])
    assert room.at_head(DAY) == expected[saved]


def test_a_line_is_appended_although_the_same_words_stand_elsewhere(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put(DAY, "# Day\nyes\n")
    show_all = projection.show_all

    def saved_meanwhile(*arguments: object) -> None:
        room.type(DAY, "# Day\nyes\nhe said yes\n")
        monkeypatch.undo()
        show_all(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(projection, "show_all", saved_meanwhile)

    room.put(DAY, "# Day\nyes\nyes\n")

    assert room.says(DAY) == "# Day\nyes\nhe said yes\nyes\n"


def test_a_file_deleted_by_a_person_while_we_write_is_there_again(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_all = projection.show_all

    def deleted_meanwhile(*arguments: object) -> None:
        (room.root / "MEMORY.md").unlink()
        monkeypatch.undo()
        show_all(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(projection, "show_all", deleted_meanwhile)

    room.put("MEMORY.md", "# New\n")

    assert room.says("MEMORY.md") == "# New\n"


def test_an_edit_to_a_file_that_we_delete_is_kept(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put(NOTE, "one\n")
    show_all = projection.show_all

    def saved_meanwhile(*arguments: object) -> None:
        room.type(NOTE, "one\nby hand\n")
        monkeypatch.undo()
        show_all(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(projection, "show_all", saved_meanwhile)

    room.put(NOTE, None)

    assert room.says(NOTE) == "by hand\n"
    assert room.at_head(NOTE) == "by hand\n"


def test_late_edits_into_a_displaced_file_are_merged_one_after_the_other(
    room: Room,
) -> None:
    with (room.root / "MEMORY.md").open("a", encoding="utf-8") as editor:
        room.put("MEMORY.md", "# New title\n" + CORE)
        for line in ("- late\n", "- later\n", "- latest\n"):
            editor.write(line)
            editor.flush()
            room.ledger.absorb([])

    assert (
        room.says("MEMORY.md") == "# New title\n" + CORE + "- late\n- later\n- latest\n"
    )
    assert room.at_head("MEMORY.md") == room.says("MEMORY.md")
    assert room.actors()[:4] == ["manual"] * 3 + ["bot:trigger-remember"]


def test_a_late_edit_and_a_fresh_one_are_both_kept(room: Room) -> None:
    with (room.root / "MEMORY.md").open("a", encoding="utf-8") as editor:
        room.put("MEMORY.md", "# New title\n" + CORE)
        room.type("MEMORY.md", "# Title by hand\n" + CORE)
        editor.write("- late\n")
        editor.flush()
        room.ledger.absorb([])
        editor.write("- later\n")
        editor.flush()
        room.ledger.absorb([])

    assert room.says("MEMORY.md") == "# Title by hand\n" + CORE + "- late\n- later\n"
    assert room.at_head("MEMORY.md") == room.says("MEMORY.md")


def test_late_edits_by_two_editors_are_merged_without_doubling_anything(
    room: Room,
) -> None:
    path = room.root / "MEMORY.md"
    ours = CORE.replace("- one", "- ours")
    with path.open("r+b", buffering=0) as first:
        room.put("MEMORY.md", ours)
        room.type("MEMORY.md", ours + "- by hand\n")
        with path.open("ab", buffering=0) as second:
            first.write(b"# MEMOIR")
            room.ledger.absorb([])
            second.write(b"- later\n")
            room.ledger.absorb([])

    whole = ours.replace("# MEMORY", "# MEMOIR") + "- by hand\n- later\n"
    assert room.says("MEMORY.md") == whole
    assert room.at_head("MEMORY.md") == whole


def test_a_late_edit_is_found_by_the_next_process(room: Room) -> None:
    with (room.root / "MEMORY.md").open("a", encoding="utf-8") as editor:
        room.put("MEMORY.md", "# New title\n" + CORE)
        editor.write("- late\n")
    later = room.reopened()

    later.ledger.absorb([])

    assert later.says("MEMORY.md") == "# New title\n" + CORE + "- late\n"
    later.folder.close()


def test_strange_things_among_the_displaced_files_block_nothing(room: Room) -> None:
    room.put("MEMORY.md", "# New\n")
    shelf = room.root / ".reverie/displaced"
    (shelf / "by-hand").mkdir(parents=True)
    (shelf / "by-hand/x.md").write_bytes(b"x")
    (shelf / ".DS_Store").write_bytes(b"x")
    (shelf / f"1.{'0' * 40}").mkdir()
    os.mkfifo(shelf / f"1.{'0' * 40}/pipe")
    (shelf / f"1.{'0' * 40}/link").symlink_to("/etc/passwd")

    room.put("MEMORY.md", "# Newer\n")

    assert room.says("MEMORY.md") == "# Newer\n"


def test_a_displaced_file_is_let_go_after_a_while(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put("MEMORY.md", "# New\n")
    monkeypatch.setattr(projection, "GRACE_SECONDS", -1)

    room.ledger.absorb([])

    assert list((room.root / ".reverie/displaced").iterdir()) == []


def test_only_so_many_displaced_files_are_watched(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "MOST_WATCHED", 3)

    for number in range(8):
        room.put("MEMORY.md", f"# Number {number}\n")

    assert len(list((room.root / ".reverie/displaced").iterdir())) <= 4


# --- critical files ----------------------------------------------------------


def test_a_critical_change_by_hand_is_marked_and_alerted(room: Room) -> None:
    room.type("SOUL.md", "# SOUL\n\nBe cruel.\n")

    room.ledger.absorb(["SOUL.md"])

    entry = next(iter(room.ledger.history()))
    assert entry.critical
    assert room.git("log", "-1", "--format=%B").rstrip("\n") == (
        "[EDIT] SOUL.md — ⚠️ CRITICAL: direct human edit: 1 line added, 1 removed\n"
        "\n"
        "Actor: manual\n"
        "Approval: —\n"
        "Trigger: direct human edit\n"
        "⚠️ CRITICAL FILE CHANGED"
    )
    assert room.log()[-2:] == [
        "2026-02-02T15:30Z | EDIT | SOUL.md | manual | — | "
        "⚠️ CRITICAL: direct human edit: 1 line added, 1 removed",
        "2026-02-02T15:30Z | ALERT | SOUL.md | system:audit | — | "
        "Critical file change detected. Pending user acknowledgment.",
    ]


def test_a_critical_change_by_a_bot_is_flagged_as_an_integrity_issue(
    room: Room,
) -> None:
    room.put("SOUL.md", "# SOUL\n\nObey.\n", actor=FOX)

    assert "without a human's approval. Possible integrity issue" in room.log()[-1]


def test_of_an_approved_reflection_nothing_has_to_be_acknowledged(room: Room) -> None:
    room.put("SOUL.md", "x\n", actor=REFLECTION, approval=Approval.APPROVED)

    assert room.log()[-1].endswith("| Critical file changed as its human approved.")


def test_another_spelling_of_a_critical_file_is_critical(room: Room) -> None:
    room.put("soul.md", "x\n")

    assert room.log()[-1].split(" | ")[1:3] == ["ALERT", "soul.md"]


def test_only_the_critical_file_of_a_change_is_alerted(room: Room) -> None:
    room.ledger.commit(
        change(planned(room, NOTE, "x\n"), planned(room, "SOUL.md", "y\n"))
    )

    assert [line.split(" | ")[1:3] for line in room.log()[-3:]] == [
        ["CREATE", NOTE],
        ["EDIT", "SOUL.md"],
        ["ALERT", "SOUL.md"],
    ]


def test_a_summary_cannot_raise_a_false_alarm(room: Room) -> None:
    false = Edit(NOTE, b"x\n", ABSENT, Action.CREATE, "⚠️  CRITICAL: all is lost")
    true = planned(room, "SOUL.md", "y\n")

    room.ledger.commit(change(false))
    assert not next(iter(room.ledger.history())).critical
    room.ledger.commit(
        change(Edit(NOTE, b"z\n", checksum(b"x\n"), Action.EDIT, "⚠️ CRITICAL: x"), true)
    )

    alerts = [line for line in room.log() if " | ALERT | " in line]
    assert [line.split(" | ")[2] for line in alerts] == ["SOUL.md"]


def test_the_first_commit_of_a_workspace_is_no_alarm(room: Room) -> None:
    assert not any(entry.critical for entry in room.ledger.history())


# --- plain git ---------------------------------------------------------------


def test_plain_git_finds_nothing_to_complain_about(room: Room) -> None:
    (room.root / "notes.txt").write_bytes(b"not ours\n")
    (room.root / "SOUL.md").chmod(0o755)
    room.put(NOTE, "one\n")
    room.ledger.repository.refresh_index()
    room.put(NOTE, "two\n")
    room.put(DAY, "# Day\n")
    room.put(DAY, None)
    room.ledger.repository.refresh_index()

    assert room.git("status", "--porcelain") == ""
    assert room.git("diff", "HEAD") == ""
    assert room.git("fsck", "--strict", "--no-dangling") == ""
    assert room.git("log", "--format=%an: %s", "-3").split("\n") == [
        f"bot:trigger-remember: [DELETE] {DAY} — a test",
        f"bot:trigger-remember: [CREATE] {DAY} — a test",
        f"bot:trigger-remember: [EDIT] {NOTE} — a test",
        "",
    ]
    assert "bot:trigger-remember" in room.git("blame", NOTE)
    assert "+two" in room.git("log", "-p", "-1", "--", NOTE)


def test_plain_git_shows_what_a_person_changed_since(room: Room) -> None:
    room.ledger.repository.refresh_index()
    room.type("MEMORY.md", CORE + "- by hand\n")
    room.type("memory/new.md", "new\n")

    assert room.git("status", "--porcelain", "-uall").split("\n") == [
        " M MEMORY.md",
        "?? memory/new.md",
        "",
    ]
    assert "+- by hand" in room.git("diff")


def test_a_commit_by_plain_git_shows_up_as_unverified(room: Room) -> None:
    room.ledger.repository.refresh_index()
    room.type("MEMORY.md", CORE + "- by hand\n")
    room.type("memory/new.md", "new\n")
    room.git("add", ".")
    room.git("commit", "-qm", "tidy up | a bit\n\nActor: bot:main")

    room.put(NOTE, "ours\n")

    assert room.actors() == ["bot:trigger-remember", "unverified", "system:init"]
    assert room.log()[-3:-1] == [
        "2026-02-03T08:00Z | EDIT | MEMORY.md | unverified | — | tidy up | a bit",
        "2026-02-03T08:00Z | EDIT | memory/new.md | unverified | — | tidy up | a bit",
    ]
    assert room.says("MEMORY.md") == CORE + "- by hand\n"
    assert room.ledger.log.verify() == []


def test_a_critical_file_committed_by_plain_git_is_alerted(room: Room) -> None:
    room.ledger.repository.refresh_index()
    room.type("SOUL.md", "# SOUL\n\nBe cruel.\n")
    room.git("commit", "-qam", "a new me")

    room.ledger.absorb([])

    assert room.log()[-2:] == [
        "2026-02-03T08:00Z | EDIT | SOUL.md | unverified | — | ⚠️ CRITICAL: a new me",
        "2026-02-03T08:00Z | ALERT | SOUL.md | system:audit | — | "
        "Critical file changed by unverified without a human's approval. "
        "Possible integrity issue. Pending user acknowledgment.",
    ]
    assert room.ledger.entry(room.ledger.head).critical


def test_a_persons_half_finished_edit_survives_their_own_commit(room: Room) -> None:
    room.ledger.repository.refresh_index()
    room.type("MEMORY.md", "# Title by hand\n" + CORE)
    room.git("add", "MEMORY.md")
    room.type("MEMORY.md", "# Title by hand\n" + CORE + "- not staged\n")
    room.git("commit", "-qm", "staged only")

    room.put(NOTE, "ours\n")

    assert room.says("MEMORY.md") == "# Title by hand\n" + CORE + "- not staged\n"


def test_a_link_committed_by_plain_git_blocks_nothing(
    room: Room, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(b"mine\n")
    room.ledger.repository.refresh_index()
    (room.root / "memory/link.md").symlink_to(outside)
    room.git("add", ".")
    room.git("commit", "-qm", "a link")

    room.put(NOTE, "ours\n")

    assert room.says(NOTE) == "ours\n"
    assert outside.read_bytes() == b"mine\n"
    assert (room.root / "memory/link.md").is_symlink()


@pytest.mark.parametrize(
    "lock", ["refs/heads/main.lock", "index.lock", "HEAD.lock", "config.lock"]
)
def test_a_lock_that_a_killed_git_left_blocks_nothing(room: Room, lock: str) -> None:
    (room.root / ".audit" / lock).write_bytes(b"")

    room.put(NOTE, "one\n")
    room.put(NOTE, "two\n")
    room.ledger.repository.refresh_index()
    packs.pack_loose(room.ledger.repository)
    later = room.reopened()
    later.put(NOTE, "three\n")

    assert later.at_head(NOTE) == "three\n"
    later.folder.close()


def test_nothing_planted_in_the_git_directory_is_run(
    room: Room, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    with (room.root / ".audit/config").open("a", encoding="utf-8") as config:
        config.write(
            f"[core]\n\tfsmonitor = {script}\n\thooksPath = {tmp_path}/hooks\n"
            f"\tpager = {script}\n\tsshCommand = {script}\n\teditor = {script}\n"
            f'[filter "x"]\n\tclean = {script}\n\tsmudge = {script}\n'
            f'[diff "x"]\n\ttextconv = {script}\n\tcommand = {script}\n'
            f'[merge "x"]\n\tdriver = {script}\n'
            f"[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {script}\n"
        )
    hooks = [room.root / ".audit/hooks", tmp_path / "hooks"]
    for folder in hooks:
        folder.mkdir(exist_ok=True)
        for hook in ("pre-commit", "post-commit", "reference-transaction"):
            (folder / hook).write_bytes(script.read_bytes())
            (folder / hook).chmod(0o755)
    for attributes in (".gitattributes", "memory/.gitattributes"):
        room.type(attributes, "* filter=x diff=x merge=x\n")
    room = room.reopened()

    room.put(NOTE, "one\n")
    room.type(NOTE, "one\nby hand\n")
    room.ledger.absorb([NOTE])
    list(room.ledger.repository.blame(room.ledger.head, NOTE))
    room.ledger.repository.refresh_index()
    packs.pack_loose(room.ledger.repository)
    list(room.ledger.history())

    assert not ran.exists()
    assert room.at_head(NOTE) == "one\nby hand\n"
    room.folder.close()


# --- after a failure ---------------------------------------------------------


def test_a_change_that_could_not_be_shown_is_told_so_and_shown_later(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Folder, "create", full)
    with pytest.raises(UnavailableError, match="the change is recorded") as caught:
        room.put(NOTE, "one\n")
    monkeypatch.undo()

    assert "Do not repeat it" in caught.value.advice
    assert room.says(NOTE) is None
    later = room.reopened()
    later.ledger.absorb([])

    assert later.says(NOTE) == "one\n"
    assert later.actors() == ["bot:trigger-remember", "system:init"]
    assert later.log()[-1].split(" | ")[2] == NOTE
    later.folder.close()


def test_a_link_planted_after_the_commit_is_no_refusal_of_the_change(
    room: Room, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    show_all = projection.show_all

    def planted(*arguments: object) -> None:
        (room.root / NOTE).symlink_to(tmp_path / "outside.md")
        monkeypatch.undo()
        show_all(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(projection, "show_all", planted)

    with pytest.raises(UnavailableError, match="the change is recorded"):
        room.put(NOTE, "one\n")

    assert not (tmp_path / "outside.md").exists()
    assert room.at_head(NOTE) == "one\n"
    (room.root / NOTE).unlink()
    room.ledger.absorb([])
    assert room.says(NOTE) == "one\n"


def test_a_kill_before_the_files_are_shown_is_not_a_person_going_back(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(projection, "show_all", killed)
    with pytest.raises(KeyboardInterrupt):
        room.put("MEMORY.md", "# New\n")
    monkeypatch.undo()
    later = room.reopened()

    later.ledger.absorb(["MEMORY.md"])

    assert later.says("MEMORY.md") == "# New\n"
    assert later.actors() == ["bot:trigger-remember", "system:init"]
    later.folder.close()


@pytest.mark.parametrize(
    "torn", ["# Day\n", "# Day\n\n## 15", "# Day\n\n## 15:30\nyes\n"]
)
def test_a_torn_append_is_completed(
    room: Room, monkeypatch: pytest.MonkeyPatch, torn: str
) -> None:
    room.put(DAY, "# Day\n")

    def killed(folder: Folder, path: str, _data: bytes) -> None:
        (folder.root / path).write_text(torn, encoding="utf-8")
        raise KeyboardInterrupt

    monkeypatch.setattr(Folder, "append", killed)
    with pytest.raises(KeyboardInterrupt):
        room.put(DAY, "# Day\n\n## 15:30\nyes\n")
    monkeypatch.undo()
    later = room.reopened()

    later.ledger.absorb([DAY])

    assert later.says(DAY) == "# Day\n\n## 15:30\nyes\n"
    assert later.actors()[0] == "bot:trigger-remember"
    later.folder.close()


@pytest.mark.parametrize("mark", [b"", b"nonsense", b"\xff\xff", b"a" * 40 + b" 1 2\n"])
def test_a_mark_that_says_nothing_loses_nothing(room: Room, mark: bytes) -> None:
    room.put(NOTE, "one\n")
    room.type("MEMORY.md", CORE + "- by hand\n")
    (room.root / ".audit/projected").write_bytes(mark)

    room.ledger.absorb(["MEMORY.md", NOTE])

    assert room.says("MEMORY.md") == CORE + "- by hand\n"
    assert room.says(NOTE) == "one\n"
    assert room.at_head("MEMORY.md") == CORE + "- by hand\n"


def test_deleting_our_state_folder_loses_nothing(room: Room) -> None:
    room.put("MEMORY.md", "# New\n")
    for folder, folders, files in os.walk(room.root / ".reverie", topdown=False):
        for name in files:
            (room.root / folder / name).unlink()
        for name in folders:
            (room.root / folder / name).rmdir()
    (room.root / ".reverie").rmdir()
    later = room.reopened()

    later.put("MEMORY.md", "# Newer\n")

    assert later.says("MEMORY.md") == "# Newer\n"
    later.folder.close()


# --- beginning ---------------------------------------------------------------


def test_an_existing_workspace_is_adopted_without_a_byte_changed(
    tmp_path: Path, room: Room
) -> None:
    root = tmp_path / "agent"
    (root / "memory").mkdir(parents=True)
    (root / "SOUL.md").write_bytes(b"\xef\xbb\xbfcrlf\r\nno end")
    (root / "memory/2026-01-01.md").write_bytes(b"old notes\n")
    (root / "main.py").write_bytes(b"print()\n")

    adopted = Room.found(root, room.clock)

    assert (root / "SOUL.md").read_bytes() == b"\xef\xbb\xbfcrlf\r\nno end"
    assert adopted.says("MEMORY.md") == CORE
    assert adopted.actors() == ["system:init"]
    assert adopted.ledger.read_at(adopted.ledger.head, "SOUL.md") == (
        b"\xef\xbb\xbfcrlf\r\nno end"
    )
    assert adopted.at_head("memory/2026-01-01.md") == "old notes\n"
    assert adopted.at_head("main.py") is None
    adopted.ledger.repository.refresh_index()
    assert adopted.git("status", "--porcelain") == ""
    adopted.folder.close()


def test_the_step_between_two_texts_has_a_name() -> None:
    for old, new, action in [
        (None, b"x", Action.CREATE),
        (b"x", None, Action.DELETE),
        (b"x\n", b"x\ny\n", Action.APPEND),
        (b"x\n", b"y\n", Action.EDIT),
        (b"xy", b"x", Action.EDIT),
    ]:
        assert action_between(old, new) is action
