"""The tables of the index."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from typing import TYPE_CHECKING

from reverie.workspace.files import kind_of

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 8
"""Raise it with every change of the tables; an older index is made anew."""

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE items (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, store TEXT NOT NULL, path TEXT NOT NULL,
    line INTEGER NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
    aside TEXT NOT NULL, names TEXT NOT NULL, at INTEGER, scope TEXT NOT NULL,
    origin TEXT NOT NULL, gone TEXT NOT NULL, sketch BLOB NOT NULL,
    company INTEGER NOT NULL, place INTEGER NOT NULL, speaker INTEGER NOT NULL,
    shape BLOB NOT NULL, seal BLOB NOT NULL, posted INTEGER NOT NULL DEFAULT 0,
    UNIQUE (id, path)
);
CREATE INDEX items_by_path ON items (path);
CREATE INDEX items_by_store ON items (store);
CREATE INDEX items_unposted ON items (number) WHERE posted = 0;
CREATE INDEX items_scoped ON items (id, scope) WHERE scope != '';
CREATE TABLE sketches (
    band INTEGER NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (band, item)
) WITHOUT ROWID;
CREATE TABLE called (
    name TEXT NOT NULL, item INTEGER NOT NULL, PRIMARY KEY (name, item)
) WITHOUT ROWID;
CREATE TABLE labels (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,
    UNIQUE (kind, name)
);
CREATE TABLE postings (
    term TEXT NOT NULL, run INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (term, run)
) WITHOUT ROWID;
CREATE INDEX postings_by_run ON postings (run);
CREATE TABLE runs (number INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL);
CREATE TABLE vectors (
    item INTEGER PRIMARY KEY, model TEXT NOT NULL, data BLOB NOT NULL
);
CREATE TABLE traces (
    id TEXT PRIMARY KEY, store TEXT NOT NULL, base REAL NOT NULL,
    created TEXT NOT NULL, last_accessed TEXT NOT NULL,
    accesses INTEGER NOT NULL, pinned INTEGER NOT NULL, archived INTEGER NOT NULL
);
CREATE TABLE resurrected (id TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE edges (
    path TEXT NOT NULL, origin TEXT NOT NULL, relation TEXT NOT NULL,
    target TEXT NOT NULL, confidence TEXT NOT NULL, first_seen TEXT NOT NULL,
    seal BLOB NOT NULL
);
CREATE INDEX edges_by_path ON edges (path);
CREATE INDEX edges_by_origin ON edges (origin);
CREATE INDEX edges_by_target ON edges (target);
CREATE TABLE files (
    path TEXT PRIMARY KEY, blob TEXT NOT NULL, size INTEGER NOT NULL,
    modified INTEGER NOT NULL, changed INTEGER NOT NULL, inode INTEGER NOT NULL,
    since TEXT NOT NULL, lines INTEGER NOT NULL, seal BLOB NOT NULL
);
CREATE TABLE touched (
    path TEXT PRIMARY KEY, id TEXT NOT NULL, seal BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE names (path TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX names_by_name ON names (name);
CREATE TABLE folds (
    name TEXT PRIMARY KEY, data BLOB NOT NULL, seal BLOB NOT NULL
) WITHOUT ROWID;
"""

QUESTION = """
CASE WHEN items.id GLOB 'turn:*/assistant/0' THEN coalesce(
    (SELECT question.number FROM items AS question
     WHERE question.id = replace(items.id, '/assistant/0', '/user/0')
     AND question.scope IN ('', items.scope) ORDER BY question.path LIMIT 1),
    (SELECT question.number FROM items AS question
     WHERE question.id = replace(items.id, '/assistant/0', '/system/0')
     AND question.scope IN ('', items.scope) ORDER BY question.path LIMIT 1)
) END
"""
"""Which turn of the same number one of the `items` answers, the user's before the
system's; NULL for none. What is for one person alone is no question to an answer for
everybody."""

TRIGGERS = (
    """
    CREATE TRIGGER question_came AFTER INSERT ON items
    WHEN (NEW.id GLOB 'turn:*/user/0' OR NEW.id GLOB 'turn:*/system/0')
    AND EXISTS (
        SELECT 1 FROM items JOIN vectors ON item = number WHERE id = replace(
            replace(NEW.id, '/user/0', '/assistant/0'), '/system/0', '/assistant/0')
    ) BEGIN
        DELETE FROM vectors WHERE item IN (SELECT number FROM items WHERE id = replace(
            replace(NEW.id, '/user/0', '/assistant/0'), '/system/0', '/assistant/0'));
        INSERT INTO meta VALUES ('removals', '1')
        ON CONFLICT (key) DO UPDATE SET value = value + 1;
    END
    """,
    """
    CREATE TRIGGER question_went AFTER DELETE ON items
    WHEN OLD.id GLOB 'turn:*/user/0' OR OLD.id GLOB 'turn:*/system/0' BEGIN
        DELETE FROM vectors WHERE item IN (SELECT number FROM items WHERE id = replace(
            replace(OLD.id, '/user/0', '/assistant/0'), '/system/0', '/assistant/0'));
    END
    """,
)
"""The vectors of an answer have a share of its question, and go when that changes.

That something was removed, those who keep a view are told by whoever removes it; of
an answer that loses its vectors only because its question came, they are told here.
"""

CONTENT = (
    "meta",
    # Before the memories, so that no trigger finds any.
    "vectors",
    "items",
    "sketches",
    "called",
    "labels",
    "postings",
    "runs",
    "traces",
    "resurrected",
    "edges",
    "files",
    "touched",
    "names",
    "folds",
)


def connect(path: Path) -> sqlite3.Connection:
    """Open the index, making its tables where they are missing or of old shape."""
    _require_files(path)
    connection = sqlite3.connect(
        path, timeout=30, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    # What is erased must not live on in free pages.
    connection.execute("PRAGMA secure_delete = ON")
    if _version(connection) != VERSION:
        _create(connection)
    return connection


def _require_files(path: Path) -> None:
    """Refuse what SQLite would follow or wait for: a link, a pipe, a device."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        file = path.with_name(path.name + suffix)
        try:
            mode = os.lstat(file).st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not stat.S_ISREG(mode):
            problem = f"{file.name} is {kind_of(mode)}"
            raise sqlite3.DatabaseError(problem)


def remove_index(path: Path) -> None:
    """Delete the database; everything in it can be made anew."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        file = path.with_name(path.name + suffix)
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have done it while we waited.
    if _version(connection) != VERSION:
        names = connection.execute(
            "SELECT name FROM sqlite_master "
            "WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        for (name,) in names:
            connection.execute(f'DROP TABLE "{name}"')
        tables = TABLES.strip().removesuffix(";").split(";")
        for statement in (*tables, *TRIGGERS):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
