"""The tables: made when they are missing, made anew when they are of old shape."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from reverie.index import schema

if TYPE_CHECKING:
    from pathlib import Path


def tables(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {row[0] for row in rows if not row[0].startswith("sqlite_")}


def test_a_new_index_has_every_table(tmp_path: Path) -> None:
    with closing(schema.connect(tmp_path / "index.db")) as made:
        assert tables(made) == set(schema.CONTENT)


def test_an_index_of_this_version_is_kept(tmp_path: Path) -> None:
    with closing(schema.connect(tmp_path / "index.db")) as made:
        made.execute("INSERT INTO meta VALUES ('commit', 'abc')")

    with closing(schema.connect(tmp_path / "index.db")) as again:
        assert again.execute("SELECT value FROM meta").fetchall() == [("abc",)]


def test_an_index_of_another_version_is_made_anew(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "index.db")) as old:
        old.execute("CREATE TABLE items (was TEXT)")
        old.execute("CREATE TABLE left_over (x TEXT)")
        old.execute("PRAGMA user_version = 77")
        old.commit()

    with closing(schema.connect(tmp_path / "index.db")) as made:
        assert tables(made) == set(schema.CONTENT)
        assert made.execute("SELECT * FROM items").fetchall() == []


def test_removing_the_index_leaves_no_file_of_it(tmp_path: Path) -> None:
    for name in ("index.db", "index.db-wal", "index.db-shm", "other"):
        (tmp_path / name).write_bytes(b"x")

    schema.remove_index(tmp_path / "index.db")
    schema.remove_index(tmp_path / "index.db")

    assert [file.name for file in tmp_path.iterdir()] == ["other"]


def test_a_folder_in_its_place_is_removed_too(tmp_path: Path) -> None:
    (tmp_path / "index.db" / "below").mkdir(parents=True)

    schema.remove_index(tmp_path / "index.db")

    assert list(tmp_path.iterdir()) == []
