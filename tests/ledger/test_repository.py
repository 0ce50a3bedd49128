"""Git objects, written without git's index and read by plain git."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from pygit2.enums import ObjectType

from reverie.errors import UnavailableError
from reverie.ledger.git_ledger import create_repository
from reverie.ledger.repository import MAIN, BrokenLedgerError, Repository
from reverie.model.change import hash_content

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ledger.room import Room

AT = datetime(2026, 2, 2, 15, 30, tzinfo=UTC)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    root = tmp_path / "work"
    root.mkdir()
    create_repository(root / ".audit")
    return Repository(root / ".audit")


def commit(
    repository: Repository, files: dict[str, bytes | None], message: str = "x"
) -> str:
    """Commit some files on top of the newest commit."""
    head = repository.head
    blobs = {
        path: "" if data is None else repository.write_blob(data)
        for path, data in files.items()
    }
    tree = repository.write_tree(head, blobs)
    new = repository.write_commit(tree, head, message, "manual", AT)
    repository.move_head(head, new)
    return new


def test_a_new_ledger_has_no_head_and_no_history(repository: Repository) -> None:
    assert repository.head == ""
    assert list(repository.walk("")) == []
    assert repository.count("") == 0
    assert repository.diff("", "") == {}
    assert repository.read("", "x") is None


def test_what_is_written_is_read_back(repository: Repository) -> None:
    files: dict[str, bytes | None] = {
        "MEMORY.md": b"core\n",
        "memory/a/b/c.md": b"\xff\0\r\n",
        "memory/empty.md": b"",
        "memory/日本語.md": b"x\n",
    }

    head = commit(repository, files, "first — é\n")

    assert {path: repository.read(head, path) for path in files} == files
    assert set(repository.diff("", head)) == set(files)
    raw = repository.commit(head)
    assert (raw.id, raw.parent, raw.message, raw.at) == (head, "", "first — é\n", AT)


def test_only_what_changed_is_different(repository: Repository) -> None:
    first = commit(repository, {"a.md": b"1", "memory/b.md": b"2", "memory/c.md": b"3"})

    second = commit(repository, {"memory/b.md": b"new", "memory/c.md": None, "d": b"4"})

    assert repository.diff(first, second) == {
        "d": ("", hash_content(b"4")),
        "memory/b.md": (hash_content(b"2"), hash_content(b"new")),
        "memory/c.md": (hash_content(b"3"), ""),
    }
    assert repository.read(second, "a.md") == b"1"
    assert repository.blob_id(second, "memory/c.md") == ""


def test_a_folder_without_files_is_gone(repository: Repository) -> None:
    commit(repository, {"memory/a/b/c.md": b"x", "memory/d.md": b"x"})

    head = commit(repository, {"memory/a/b/c.md": None})

    assert [*repository.names(head, "memory", ObjectType.TREE)] == []
    assert [*repository.names(head, "memory", ObjectType.BLOB)] == ["d.md"]


def test_the_last_file_leaves_an_empty_tree(repository: Repository) -> None:
    commit(repository, {"a.md": b"x"})

    assert repository.diff("", commit(repository, {"a.md": None})) == {}


@pytest.mark.parametrize("backwards", [False, True])
def test_a_file_makes_way_for_a_folder_of_its_name(
    repository: Repository,
    backwards: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    commit(repository, {"memory/x": b"file"})
    changes: dict[str, bytes | None] = {"memory/x": None, "memory/x/y.md": b"below"}
    if backwards:
        changes = dict(reversed(changes.items()))

    head = commit(repository, changes)

    assert set(repository.diff("", head)) == {"memory/x/y.md"}


def test_removing_what_is_not_there_changes_nothing(repository: Repository) -> None:
    first = commit(repository, {"a.md": b"x"})

    second = commit(repository, {"b.md": None, "memory/c.md": None})

    assert repository.diff(first, second) == {}


def test_history_is_told_newest_first_and_between_oldest_first(
    repository: Repository,
) -> None:
    ids = [commit(repository, {"a.md": b"%d" % n}, f"{n}") for n in range(4)]

    assert [raw.id for raw in repository.walk(ids[-1])] == ids[::-1]
    assert [raw.id for raw in repository.between(ids[0], ids[3])] == ids[1:]
    assert repository.count(ids[-1]) == 4


def test_a_commit_is_found_by_the_start_of_its_id(repository: Repository) -> None:
    head = commit(repository, {"a.md": b"x"})

    assert repository.resolve(head[:7]) == head
    assert repository.resolve(head) == head
    tree = repository.tree(head)
    assert tree is not None
    for wrong in ("zzzz", "", "0" * 40, str(tree.id), "HEAD", "main"):
        assert repository.resolve(wrong) == "", wrong


def test_the_head_moves_only_from_where_it_was_seen(repository: Repository) -> None:
    first = commit(repository, {"a.md": b"1"})
    second = commit(repository, {"a.md": b"2"})

    with pytest.raises(UnavailableError, match="meanwhile") as caught:
        repository.move_head(first, second)

    assert caught.value.advice
    assert repository.head == second


def test_a_lock_on_the_ref_left_by_a_kill_is_broken(repository: Repository) -> None:
    commit(repository, {"a.md": b"1"})
    (repository.path / f"{MAIN}.lock").write_bytes(b"")

    head = commit(repository, {"a.md": b"2"})

    assert repository.head == head
    assert not (repository.path / f"{MAIN}.lock").exists()


def test_a_missing_ledger_is_told_with_advice(tmp_path: Path) -> None:
    with pytest.raises(BrokenLedgerError, match="cannot open the ledger") as caught:
        Repository(tmp_path / ".audit")

    assert "check --repair" in caught.value.advice


def test_a_missing_object_is_told_with_advice(repository: Repository) -> None:
    with pytest.raises(BrokenLedgerError, match="aaaaaaaaaaaa"):
        repository.content("a" * 40)
    with pytest.raises(BrokenLedgerError):
        repository.commit("a" * 40)
    assert not repository.has("a" * 40)


def test_a_time_before_1970_is_written_as_1970(repository: Repository) -> None:
    tree = repository.write_tree("", {"a.md": repository.write_blob(b"x")})
    early = datetime(1900, 1, 1, tzinfo=UTC)

    head = repository.write_commit(tree, "", "x", "manual", early)

    assert repository.commit(head).at == datetime(1970, 1, 1, tzinfo=UTC)


def test_an_outer_repository_does_not_see_ours(repository: Repository) -> None:
    assert (repository.path / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_link_that_a_person_committed_is_no_file(room: Room) -> None:
    (room.root / "memory/link.md").symlink_to("/etc/passwd")
    room.git("add", "memory/link.md")
    room.git("commit", "-qm", "a link")

    repository, head = room.ledger.repository, room.ledger.head

    assert room.git("ls-tree", "HEAD", "memory/link.md").startswith("120000")
    assert "memory/link.md" not in repository.diff("", head)
    assert repository.read(head, "memory/link.md") is None


def test_blame_names_the_commit_of_each_run_of_lines(repository: Repository) -> None:
    first = commit(repository, {"a.md": b"one\ntwo\n"})
    second = commit(repository, {"a.md": b"one\nTWO\nthree\n"})

    assert list(repository.blame(second, "a.md")) == [(first, 1, 1), (second, 2, 2)]
    with pytest.raises(BrokenLedgerError, match=r"none\.md"):
        list(repository.blame(second, "none.md"))
