"""The tables of the index, and what they keep of a memory."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import struct
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, NamedTuple

from reverie.index.text import MOST, cut, listen
from reverie.markdown import one_line, parse_fields
from reverie.model.conversation import REFLECTION
from reverie.model.items import (
    UNROUTED,
    CoreItem,
    Entity,
    Episode,
    Procedure,
    Role,
    Source,
    Turn,
    VaultNote,
)
from reverie.model.origin import (
    SCOPE,
    Origin,
    implied,
    least,
    named,
    scope_name,
    scope_of,
)
from reverie.stores.turns import standing
from reverie.workspace.files import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date
    from pathlib import Path

    from reverie.index.text import IndexPassage
    from reverie.model.items import Edge, Entry, Item

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


SHAPE = struct.Struct("<HHBBBB")
"""Of a passage: stems stated and asked, shares of own and asking, cues, words."""

BY = "by"
"""The field that says whose words an episode is."""

_SOURCES = frozenset(Source)
_SPEAKERS = {
    Role.USER: Origin.OWNER,
    Role.ASSISTANT: Origin.AGENT,
    Role.SYSTEM: Origin.SYSTEM,
}

HEADER = 20
"""Lines at the top of a page in which its fields are looked for."""


class Company(NamedTuple):
    """Which memories belong together, and in what order: a conversation, a day."""

    name: str
    place: int
    speaker: str


class Values(NamedTuple):
    """All of a memory that an answer can show, as it is kept."""

    id: str
    store: str
    path: str
    line: int
    title: str
    text: str
    aside: str
    names: str
    at: int | None
    scope: str
    origin: str
    gone: str
    company: str
    place: int
    speaker: str


def values(entry: Entry, path: str) -> Values:
    """What is kept of a memory."""
    among = company(entry, path)
    return Values(
        str(entry.id),
        str(entry.id.store),
        path,
        entry.line,
        entry.title,
        entry.text,
        aside(entry),
        names(entry),
        moment(entry.item),
        scope(entry),
        str(origin(entry)),
        gone(entry),
        among.name,
        among.place,
        among.speaker,
    )


def edge_values(edge: Edge) -> tuple[str, ...]:
    """What is kept of a relation."""
    first = edge.first_seen.isoformat() if edge.first_seen else ""
    return (edge.origin, edge.relation, edge.target, str(edge.confidence), first)


def shape(found: Iterable[IndexPassage]) -> bytes:
    """The measures of some passages, packed."""
    return b"".join(
        SHAPE.pack(
            min(sum(p.stated.values()), 65535),
            min(sum(p.asked.values()), 65535),
            _share(p.own, p.words),
            _share(p.asking, p.words),
            p.cues,
            min(p.words, 255),
        )
        for p in found
    )


def _share(part: int, whole: int) -> int:
    return round(255 * part / whole) if whole else 0


def moment(item: Item) -> int | None:
    """When it happened or was last written, in seconds; None if nobody knows."""
    match item:
        case Episode() | Turn():
            at = item.at
        case Entity():
            at = _noon(item.updated or item.created)
        case Procedure():
            at = _noon(item.last_used or item.learned)
        case VaultNote():
            at = _noon(item.created)
        case CoreItem():
            at = None
    return int(at.timestamp()) if at else None


def _noon(day: date | None) -> datetime | None:
    return datetime.combine(day, time(12), UTC) if day else None


def company(entry: Entry, path: str) -> Company:
    """What a memory stands among."""
    match entry.item:
        case Turn(window=window, speaker=speaker) as turn:
            # A window goes on in parts, whose lines begin anew.
            return Company(f"window {window}", standing(turn), speaker)
        case Episode():
            return Company(f"day {path.rpartition('/')[2]}", entry.line, "")
        case _:
            return Company("", 0, "")


def scope(entry: Entry) -> str:
    """The person that a memory is for alone; empty for everybody."""
    match entry.item:
        case Turn() | Episode() as item:
            return scope_name(scope_of(item))
        case _:
            return scope_name(_header_field(entry.raw, SCOPE))


def origin(entry: Entry) -> Origin:
    """Whose words a memory is; what mixes several has the least trusted one."""
    match entry.item:
        case Turn(role=role, imported=imported):
            return Origin.IMPORT if imported else _SPEAKERS[role]
        case Episode(more=more, source=source):
            said = next((value for key, value in more if key == BY), "")
            return _named(said, source)
        case Entity(facts=facts, source=source):
            found = [_named(f.by, _source(f.source)) for f in facts if f.current]
            page = _header_field(entry.raw, BY)
            found += [named(page)] if page else []
            return least(found) if found else implied(source)
        case Procedure(by=by, source=source) | VaultNote(by=by, source=source):
            return _named(by, source)
        case CoreItem(by=by):
            return _named(by, None)


def _named(said: str, source: Source | None) -> Origin:
    return named(said) if said else implied(source)


def _source(said: str) -> Source | None:
    return Source(said) if said in _SOURCES else None


def _header_field(raw: str, name: str) -> str:
    """A field in the comments at the top of a page."""
    for line in raw.split("\n", HEADER)[:HEADER]:
        comment = line.strip()
        if comment.startswith("<!--") and comment.endswith("-->"):
            fields = parse_fields(comment[4:-3])
            found = next((v for k, v in fields if k.casefold() == name), "")
            if found:
                return found
    return ""


def aside(entry: Entry) -> str:
    """What a search should find too, although the text does not say it now."""
    match entry.item:
        case Entity(facts=facts):
            gone = (f.text for f in facts if not f.current and not f.forgotten)
            return "\n".join(gone)
        case VaultNote(title=title) if title not in entry.text:
            return title
        case _:
            return ""


def gone(entry: Entry) -> str:
    """What its human asked to forget: the day and the words, a fact a line."""
    match entry.item:
        case Entity(facts=facts):
            lost = ((f.forgotten, one_line(f.text)) for f in facts if f.forgotten)
            return "\n".join(f"{day} {text}" for day, text in lost)
        case _:
            return ""


def names(entry: Entry) -> str:
    """What an entity is called, one name a line; what an import came from.

    Of a context reflection, what started it; of what waits for a mind, that it does.
    """
    match entry.item:
        case Entity(label=label, aliases=aliases):
            return "\n".join((label, *aliases))
        case Episode(tags=tags) if UNROUTED in tags:
            return UNROUTED
        case Episode(more=more):
            return next((value for key, value in more if key == "origin"), "")
        case Turn() as turn:
            return turn.field(REFLECTION)
        case _:
            return ""


def pieces(text: str, aside: str) -> list[str]:
    """The texts of a memory's passages; what is aside comes in passages of its own."""
    beside = cut(aside, MOST // 2) if aside else []
    return cut(text, MOST - len(beside)) + beside


def heard(text: str, aside: str) -> list[IndexPassage]:
    """The passages of a memory, listened to."""
    return [listen(piece) for piece in pieces(text, aside)]
