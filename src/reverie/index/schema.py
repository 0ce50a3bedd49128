"""The tables of the index, and what they keep of a memory."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from datetime import UTC, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reverie.index import Located
from reverie.markdown import one_line, parse_date, parse_fields
from reverie.model import items
from reverie.model import origin as origins
from reverie.model.conversation import REFLECTION
from reverie.model.ids import Store
from reverie.model.origin import Origin
from reverie.stores.episodes import NOTED
from reverie.stores.turns import standing
from reverie.workspace.files import kind_of

if TYPE_CHECKING:
    from datetime import date

    from reverie.model.items import Edge, Entry, Item

VERSION = 9
"""Raise it with every change of the tables; an older index is made anew."""

_TABLES = Path(__file__).with_name("schema.sql")
_SUFFIXES = ("", "-wal", "-shm", "-journal")


def connect(path: Path) -> sqlite3.Connection:
    """Open the index, making its tables where they are missing or of old shape."""
    for file in (path.with_name(path.name + suffix) for suffix in _SUFFIXES):
        # SQLite would follow a link, and wait for a pipe.
        if os.path.lexists(file) and not stat.S_ISREG(mode := os.lstat(file).st_mode):
            problem = f"{file.name} is {kind_of(mode)}"
            raise sqlite3.DatabaseError(problem)
    connection = sqlite3.connect(
        path, timeout=30, isolation_level=None, check_same_thread=False
    )
    # What is erased must not live on in free pages.
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")
    if _version(connection) != VERSION:
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have done it while we waited.
        if _version(connection) != VERSION:
            create(connection)
        connection.execute("COMMIT")
    return connection


def create(connection: sqlite3.Connection) -> None:
    """Make all tables anew and empty, within a transaction."""
    found = connection.execute(
        "SELECT type, name FROM sqlite_master "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    for kind, name in found:
        connection.execute(f'DROP {kind} "{name}"')
    for statement in _TABLES.read_text("utf-8").split("\n\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def remove_index(path: Path) -> None:
    """Delete the database; everything in it can be made anew."""
    for file in (path.with_name(path.name + suffix) for suffix in _SUFFIXES):
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)


BY = "by"
"""The field that says whose words an episode is."""

_SPEAKERS = {
    items.Role.USER: Origin.OWNER,
    items.Role.ASSISTANT: Origin.AGENT,
    items.Role.SYSTEM: Origin.SYSTEM,
}

HEADER = 20
"""Lines at the top of a page in which its fields are looked for."""


class Values(NamedTuple):
    """All of a memory that an answer can show, as it is kept.

    `company` is the conversation or the day it stands in, `place` its place there;
    `names` what an entity is called, what an import came from, what started a context
    reflection, or that it waits for a mind; `gone` what was forgotten of it.
    """

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

    @property
    def located(self) -> Located:
        """The memory as the rest of the package knows it."""
        return Located(
            *(self.id, Store(self.store), self.path, self.line, self.title),
            *(self.text, self.aside, Origin(self.origin), self.speaker),
        )


def values(entry: Entry, path: str) -> Values:
    """What is kept of a memory."""
    item, aside, names, gone = entry.item, "", "", ""
    company, place, speaker = "", 0, ""
    at: datetime | None = None
    match item:
        case items.Turn():
            at, names, speaker = item.at, item.field(REFLECTION), item.speaker
            # A window goes on in parts, whose lines begin anew.
            company, place = f"window {item.window}", standing(item)
        case items.Episode():
            at, company, place = item.at, f"day {path.rpartition('/')[2]}", entry.line
            waits = items.UNROUTED if items.UNROUTED in item.tags else ""
            names = waits or _field(item, "origin")
        case items.Entity():
            at = _noon(item.updated or item.created)
            names = "\n".join((item.label, *item.aliases))
            old = (f.text for f in item.facts if not f.current and not f.forgotten)
            aside = "\n".join(old)
            lost = ((f.forgotten, one_line(f.text)) for f in item.facts if f.forgotten)
            gone = "\n".join(f"{day} {text}" for day, text in lost)
        case items.Procedure():
            at = _noon(item.last_used or item.learned)
        case items.VaultNote():
            at = _noon(item.created)
            aside = "" if item.title in entry.text else item.title
        case items.CoreItem():
            pass
    return Values._make(
        (
            *(str(entry.id), str(entry.id.store), path, entry.line, entry.title),
            *(entry.text, aside, names, int(at.timestamp()) if at else None),
            *(scope(entry), str(origin(entry)), gone, company, place, speaker),
        )
    )


def edge_values(edge: Edge) -> tuple[str, ...]:
    """What is kept of a relation."""
    first = edge.first_seen.isoformat() if edge.first_seen else ""
    return (edge.origin, edge.relation, edge.target, str(edge.confidence), first)


def _field(item: items.Episode, name: str) -> str:
    return next((value for key, value in item.more if key == name), "")


def _noon(day: date | None) -> datetime | None:
    return datetime.combine(day, time(12), UTC) if day else None


def scope(entry: Entry) -> str:
    """The person that a memory is for alone; empty for everybody."""
    if isinstance(entry.item, items.Turn | items.Episode):
        return origins.scope_name(origins.scope_of(entry.item))
    return origins.scope_name(_header_field(entry.raw, origins.SCOPE))


def origin(entry: Entry) -> Origin:
    """Whose words a memory is; what mixes several has the least trusted one."""
    match entry.item:
        case items.Turn(role=role, imported=imported):
            return Origin.IMPORT if imported else _SPEAKERS[role]
        case items.Episode() as item:
            by, source = _field(item, BY), item.source
        case items.Entity(facts=facts, source=source):
            found = [origins.stated(f.by, f.source) for f in facts if f.current]
            page = _header_field(entry.raw, BY)
            found += [origins.named(page)] if page else []
            return origins.least(found) if found else origins.implied(source)
        case items.Procedure() | items.VaultNote() as item:
            by, source = item.by, item.source
        case items.CoreItem(by=by):
            source = None
    return origins.named(by) if by else origins.implied(source)


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


def noted(item: Item) -> datetime | None:
    """The day on which something of the past was written down, where it says so."""
    day = parse_date(_field(item, NOTED)) if isinstance(item, items.Episode) else None
    return datetime.combine(day, time(), UTC) if day else None
