"""Permanent deletion: found nowhere, everything else as it was."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.ledger.room import BEGINNING, DAY, GIT_ENVIRONMENT, NOTE

from reverie.errors import RefusedError
from reverie.ledger import ChangedOnDiskError, erasure, projection
from reverie.ledger.erasure import (
    ERASED,
    Scrub,
    Scrubbed,
    require_single_ref,
)
from reverie.ledger.repository import RedoLog
from reverie.model.change import MANUAL, Action, Approval, ChangeSet, LogLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ledger.room import Room

CANARY = "canary-7f3a9c1e07b24d5586ce10"
HEAD = "# 2026-02-02 — Episode Log\n"
KEPT = "\n## 14:30 | fact\nKept.\n"
SECRET = f"\n## 14:31 | fact\nThe word is {CANARY}.\n"
LATER = "\n## 14:32 | fact\nLater.\n"


def scrub_file(_path: str, data: bytes) -> Scrubbed:
    """Take the canary's entry out of a day, or drop a file that is all canary."""
    if CANARY.encode() not in data:
        return Scrubbed(data, b"")
    rest = data.replace(SECRET.encode(), b"")
    if CANARY.encode() in rest:
        return Scrubbed(None, data)
    return Scrubbed(rest, SECRET.encode())


def scrub_message(message: str, _paths: tuple[str, ...]) -> str:
    return message.replace(CANARY, ERASED)


SCRUB = Scrub(scrub_file, scrub_message)


def erase(room: Room) -> int:
    """Erase the canary the way `Memory.erase` does; returns how much was dropped."""
    line = LogLine(Action.DELETE, DAY, "permanently erased, also from history")
    record = ChangeSet((), MANUAL, Approval.NONE, "x", (line,))
    with room.ledger.erasing():
        return room.ledger.erase(SCRUB, record, lambda _done, _of: None).dropped


def remains(room: Room) -> list[str]:
    """Where the canary still is: by our own search, by raw bytes, by plain git."""
    found = room.ledger.find_bytes([CANARY.encode()])
    for path in room.root.rglob("*"):
        if CANARY in path.name or (
            path.is_file() and CANARY.encode() in path.read_bytes()
        ):
            found.append(str(path))
    ids = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"],
        cwd=room.root,
        env=GIT_ENVIRONMENT,
        capture_output=True,
        check=True,
    ).stdout
    return [*found, "plain git"] if CANARY.encode() in ids else found


@pytest.fixture
def secret(room: Room) -> Room:
    """A workspace in which the canary was in a file, a name and a message."""
    room.put(DAY, HEAD + KEPT)
    room.put(DAY, HEAD + KEPT + SECRET, summary=f"said {CANARY}")
    room.put(NOTE, "a note\n")
    room.put(DAY, HEAD + KEPT + SECRET + LATER)
    room.put("memory/vault/secret.md", f"only {CANARY}\n")
    room.put("memory/vault/secret.md", None)
    room.put("MEMORY.md", BEGINNING["MEMORY.md"] + "- more\n")
    room.ledger.repository.refresh_index()
    return room


def test_the_canary_is_found_before_it_is_erased(secret: Room) -> None:
    found = remains(secret)

    assert str(secret.root / DAY) in found
    assert any(where.startswith("git object") for where in found)
    assert "plain git" in found


def test_what_is_erased_is_found_nowhere(secret: Room) -> None:
    assert erase(secret) > 0

    assert remains(secret) == []


def test_everything_else_is_as_it_was(secret: Room) -> None:
    before = {path: secret.says(path) for path in ("MEMORY.md", "SOUL.md", NOTE)}
    told = len(secret.actors())

    erase(secret)

    assert {path: secret.says(path) for path in before} == before
    assert secret.says(DAY) == HEAD + KEPT + LATER
    assert secret.at_head(DAY) == HEAD + KEPT + LATER
    assert len(secret.actors()) == told + 1
    assert not (secret.root / "memory/vault/secret.md").exists()


def test_every_version_of_every_other_file_is_still_in_history(secret: Room) -> None:
    repository = secret.ledger.repository
    before = [
        {
            p: b
            for p, b in repository.diff("", e.commit).items()
            if p not in {DAY, "memory/vault/secret.md"}
        }
        for e in secret.ledger.history()
    ]

    erase(secret)

    after = [
        {p: b for p, b in repository.diff("", e.commit).items() if p != DAY}
        for e in secret.ledger.history()
    ]
    assert after[1:] == before


def test_who_and_when_are_still_told(secret: Room) -> None:
    before = [(e.actor, e.approval, e.at) for e in secret.ledger.history()]

    erase(secret)

    after = [(e.actor, e.approval, e.at) for e in secret.ledger.history()]
    assert after[1:] == before
    assert secret.log()[-1].endswith("| permanently erased, also from history")
    assert any(line.endswith(f"said {ERASED}") for line in secret.log())
    assert secret.ledger.log.verify() == []


def test_commits_before_the_first_trace_keep_their_ids(secret: Room) -> None:
    first = [e.commit for e in secret.ledger.history()][-2:]

    erase(secret)

    assert [e.commit for e in secret.ledger.history()][-2:] == first


def test_plain_git_is_content_afterwards(secret: Room) -> None:
    erase(secret)
    secret.ledger.repository.refresh_index()

    assert secret.git("fsck", "--strict", "--unreachable") == ""
    assert secret.git("status", "--porcelain") == ""


def test_life_goes_on_afterwards(secret: Room) -> None:
    erase(secret)

    secret.put(DAY, HEAD + KEPT + LATER + "\n## 16:00 | fact\nNew.\n")
    later = secret.reopened()

    assert later.at_head(DAY) == HEAD + KEPT + LATER + "\n## 16:00 | fact\nNew.\n"
    assert remains(later) == []
    later.folder.close()


def test_erasing_after_a_person_ran_git_gc_leaves_a_sound_store(secret: Room) -> None:
    secret.git("gc", "--quiet", "--prune=now")
    secret.git("commit-graph", "write", "--reachable")
    room = secret.reopened()

    erase(room)

    assert remains(room) == []
    assert room.git("fsck", "--strict", "--unreachable") == ""
    assert len(room.git("log", "--format=%H").split()) == len(room.actors())
    room.folder.close()


def test_what_was_only_ever_on_a_merged_branch_is_erased_too(room: Room) -> None:
    room.ledger.repository.refresh_index()
    room.git("checkout", "-q", "-b", "side")
    room.type("memory/side.md", f"{CANARY}\n")
    room.git("add", ".")
    room.git("commit", "-qm", "side")
    room.git("rm", "-q", "memory/side.md")
    room.type("memory/other.md", "other\n")
    room.git("add", ".")
    room.git("commit", "-qm", "side again")
    room.git("checkout", "-q", "main")
    room.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    room.git("branch", "-qD", "side")
    later = room.reopened()
    later.put(NOTE, "later\n")

    erase(later)

    assert remains(later) == []
    assert later.git("fsck", "--strict", "--unreachable") == ""
    assert later.says("memory/other.md") == "other\n"
    assert later.at_head(NOTE) == "later\n"
    later.folder.close()


@pytest.mark.parametrize(
    "make", [("branch", "mine"), ("tag", "keep"), ("stash", "-q")], ids=lambda m: m[0]
)
def test_a_branch_a_tag_or_a_stash_is_named_and_nothing_erased(
    secret: Room, make: tuple[str, ...]
) -> None:
    secret.type("MEMORY.md", "changed by hand\n")
    secret.git(*make)
    head = secret.ledger.head

    with pytest.raises(RefusedError, match="refs/") as caught:
        require_single_ref(secret.ledger.repository)

    assert "git branch -D" in caught.value.advice
    assert secret.ledger.head == head


def test_what_a_killed_writer_left_behind_is_erased_too(secret: Room) -> None:
    left = [
        secret.root / ".reverie/new/123",
        secret.root / ".audit/objects/tmp_object_git2_x",
        secret.root / ".audit/objects/pack/tmp_pack_x",
        secret.root / ".audit/lost-found/other/x",
        secret.root / ".audit/MERGE_MSG",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CANARY, encoding="utf-8")

    erase(secret)

    assert remains(secret) == []


def test_a_displaced_copy_is_erased_too(secret: Room) -> None:
    secret.put(DAY, "# Changed\n" + KEPT + SECRET)
    assert any("displaced" in where for where in remains(secret))

    erase(secret)

    assert remains(secret) == []


def test_an_edit_saved_meanwhile_stops_the_erasure_and_is_kept(secret: Room) -> None:
    edited = HEAD + KEPT + SECRET + LATER + "\nby hand\n"
    secret.type(DAY, edited)

    with pytest.raises(ChangedOnDiskError):
        erase(secret)

    assert secret.says(DAY) == edited
    secret.ledger.absorb([DAY])
    erase(secret)
    assert secret.says(DAY) == HEAD + KEPT + LATER + "\nby hand\n"
    assert remains(secret) == []


def killed(*_: object, **__: object) -> int:
    raise KeyboardInterrupt


KILLS: dict[str, Callable[[Room, pytest.MonkeyPatch], None]] = {
    "before the old history is left": lambda room, patch: patch.setattr(
        room.ledger.repository, "move_head", killed
    ),
    "before the files are shown": lambda _room, patch: patch.setattr(
        projection, "show_all", killed
    ),
    "before the log is told again": lambda room, patch: patch.setattr(
        room.ledger.log, "rebuild", killed
    ),
    "before the history is packed": lambda _room, patch: patch.setattr(
        erasure, "pack_history", killed
    ),
    "before old objects are dropped": lambda _room, patch: patch.setattr(
        erasure, "drop_all_but", killed
    ),
    "before traces are removed": lambda _room, patch: patch.setattr(
        RedoLog, "drop", killed
    ),
}


@pytest.mark.parametrize("when", KILLS)
def test_a_killed_erasure_is_finished_or_undone_at_the_next_start(
    secret: Room, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    KILLS[when](secret, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        erase(secret)
    monkeypatch.undo()
    room = secret.reopened()

    room.ledger.absorb([DAY, NOTE, "MEMORY.md"])

    assert not erasure.pending(room.ledger.repository)
    if when == "before the old history is left":
        assert room.says(DAY) == HEAD + KEPT + SECRET + LATER
        erase(room)
    assert room.says(DAY) == HEAD + KEPT + LATER
    assert room.at_head(DAY) == HEAD + KEPT + LATER
    assert remains(room) == []
    assert room.git("fsck", "--strict", "--unreachable") == ""
    assert room.ledger.log.verify() == []
    room.folder.close()


def test_the_flag_of_an_erasure_names_two_commits_and_nothing_else(
    secret: Room,
) -> None:
    repository, head = secret.ledger.repository, secret.ledger.head
    erasure.begin(repository, head, "0" * 40)

    said = (secret.root / ".audit" / erasure.FLAG).read_text()
    assert said.startswith(f"{head} {'0' * 40}\n")
    assert erasure.pending(repository)


def test_progress_is_told_commit_by_commit(secret: Room) -> None:
    told: list[tuple[int, int]] = []

    erasure.rewrite(
        secret.ledger.repository,
        secret.ledger.head,
        SCRUB,
        lambda done, of: told.append((done, of)),
    )

    assert told == [(number, 8) for number in range(1, 9)]


def test_erasing_what_was_never_there_changes_nothing(room: Room) -> None:
    room.put(NOTE, "a note\n")
    head = room.ledger.head

    clean = erasure.rewrite(room.ledger.repository, head, SCRUB, lambda _d, _o: None)

    assert clean == head


def test_a_flag_that_nobody_of_us_sealed_drops_nothing(room: Room) -> None:
    room.put(NOTE, "one\n")
    kept = room.ledger.head
    room.put(NOTE, "two\n")
    room.git("update-ref", "refs/heads/main", kept)
    for said in (b"", f"{kept} {kept}\n\n".encode(), f"{kept} {kept}\n00\n".encode()):
        (room.root / ".audit" / "erasing").write_bytes(said)

        later = room.reopened()
        later.put(NOTE, "three\n")

        assert not (room.root / ".audit" / "erasing").exists()
        assert later.git("for-each-ref", "refs/rescue") != ""
        later.folder.close()
