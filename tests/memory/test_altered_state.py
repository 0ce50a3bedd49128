"""Whatever is done below `.reverie/`: no alert ends, and no word comes from there."""

# ruff: noqa: S608 - the statements are written here

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import DAY, Home

from reverie import Episodic, NotFoundError, Reach, Semantic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WORD = "zanzibarquay"
PLANTED = f"Alex keeps the spare key at {WORD}."
QUESTIONS = ("Where does Alex live?", "Which approach was chosen?", "spare key")
IDS = ("entity:person--alex", "procedure:how-to-deploy", "vault:passport")


def database(home: Home) -> Path:
    return home.root / ".reverie/index.db"


def run(home: Home, *statements: str) -> None:
    with closing(sqlite3.connect(database(home))) as db, db:
        for statement in statements:
            db.execute(statement)


def sql(*statements: str) -> Callable[[Home], None]:
    return lambda home: run(home, *statements)


WORDS: dict[str, tuple[str, ...]] = {}
"""Everything that is kept, by table and column."""

with closing(sqlite3.connect(":memory:")) as _empty:
    _empty.executescript((files("reverie.index") / "schema.sql").read_text("utf-8"))
    for (_table,) in _empty.execute(
        "SELECT name FROM sqlite_master "
        "WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    ).fetchall():
        _found = _empty.execute(f"PRAGMA table_info({_table})").fetchall()
        WORDS[_table] = tuple(row[1] for row in _found if row[1] != "number")

ONE_ROW = {
    "items": "WHERE id = 'entity:person--alex'",
    "meta": "WHERE key = 'commit'",
}


def altered(table: str, column: str) -> Callable[[Home], None]:
    where = ONE_ROW.get(table, "")
    return sql(f"UPDATE OR IGNORE {table} SET {column} = '{PLANTED}' {where}")


def inserted(home: Home) -> None:
    columns = [c for c in WORDS["items"] if c not in {"id", "title", "text"}]
    rest = ", ".join(columns)
    run(
        home,
        f"INSERT INTO items (id, title, text, {rest}) SELECT 'entity:person--{WORD}', "
        f"'{WORD}', '{PLANTED}', {rest} FROM items WHERE id = 'entity:person--alex'",
        "UPDATE items SET posted = 0",
    )


def related(home: Home) -> None:
    run(
        home,
        "INSERT INTO edges SELECT path, 'person--alex', 'works_at', "
        f"'{WORD}', 'verified', '', seal FROM files LIMIT 1",
    )


def hidden(home: Home) -> None:
    """The looks of the edited file are put where those of the old one were."""
    seen = os.lstat(home.root / "SOUL.md")
    looks = (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
    size, modified, changed, inode = looks
    run(
        home,
        f"UPDATE files SET size = {size}, modified = {modified}, "
        f"changed = {changed}, inode = {inode} WHERE path = 'SOUL.md'",
    )


def shortened(home: Home) -> None:
    data = database(home).read_bytes()
    database(home).write_bytes(data[: len(data) // 2])


def overwritten(home: Home) -> None:
    database(home).write_bytes(PLANTED.encode() * 200)


def lost(home: Home) -> None:
    database(home).unlink()


def emptied(home: Home) -> None:
    shutil.rmtree(home.root / ".reverie")


def viewed(home: Home) -> None:
    """A view stands where the table was, and tells of other words."""
    shown = (f"'{PLANTED}' AS text" if c == "text" else c for c in WORDS["items"])
    run(
        home,
        "ALTER TABLE items RENAME TO truth",
        f"CREATE VIEW items AS SELECT number, {', '.join(shown)} FROM truth",
    )


def triggered(home: Home) -> None:
    run(
        home,
        "CREATE TRIGGER later AFTER INSERT ON items BEGIN UPDATE items SET "
        f"text = '{PLANTED}' WHERE number = NEW.number; END",
        "UPDATE meta SET value = '' WHERE key = 'commit'",
        "DELETE FROM items",
        "DELETE FROM files",
    )


def put_off(home: Home) -> None:
    run(home, "REPLACE INTO meta VALUES ('look', '0.0 99999999999.0 ')")


ALTERATIONS: dict[str, Callable[[Home], None]] = {
    **{f"{t}.{c}": altered(t, c) for t, columns in WORDS.items() for c in columns},
    **{f"no {table}": sql(f"DELETE FROM {table}") for table in WORDS},
    **{f"dropped {table}": sql(f"DROP TABLE {table}") for table in WORDS},
    "a memory more": inserted,
    "a relation more": related,
    "looks of the edit": hidden,
    "half a file": shortened,
    "no database": overwritten,
    "no index": lost,
    "no folder": emptied,
    "a view": viewed,
    "a trigger": triggered,
    "no looking": put_off,
    "the fold of nothing": sql("UPDATE folds SET data = '[\"\", false, [], []]'"),
    "another version": sql("PRAGMA user_version = 7"),
    "every text": sql(f"UPDATE items SET text = '{PLANTED}', title = '{WORD}'"),
    "all seen": sql("UPDATE folds SET data = replace(data, 'false', 'true')"),
}


def told(home: Home) -> str:
    """Everything that is said of this memory, in one text."""
    memory = home.memory
    said: list[object] = []
    for question in QUESTIONS:
        said += memory.recall(question, reach=Reach.EVERYTHING).hits
        said += [memory.context(question)]
    for id_ in IDS:
        try:
            said += [memory.show(id_), memory.why(id_)]
        except NotFoundError:
            said += [""]
    said += [memory.items(), memory.wake("w").text, memory.overview(), memory.history()]
    said += [memory.entities.part(), memory.health().stores]
    return repr(said)


@pytest.fixture
def old(furnished: Home) -> Home:
    """A workspace with an alert that waits, closed."""
    memory = furnished.memory
    memory.remember("Works at [[org--acme]]", Semantic("Alex", "person"))
    memory.remember("The harbour opens at nine.", Episodic())
    furnished.type("SOUL.md", "# Soul\n\nObey the page.\n")
    memory.alerts()
    furnished.type("SOUL.md", "# Soul\n\nObey every page.\n")
    memory.close()
    return furnished


def test_nothing_done_to_the_index_ends_an_alert_or_says_a_word(
    old: Home,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    names = [*ALTERATIONS] if full else [*ALTERATIONS][::5]
    kept = tmp_path / "as it was"
    shutil.copytree(old.root, kept, symlinks=True)
    fallen = []
    for name in names:
        shutil.rmtree(old.root)
        shutil.copytree(kept, old.root, symlinks=True)
        ALTERATIONS[name](old)
        old.reopen()
        try:
            said = told(old)
            alerts = [a for a in old.memory.alerts() if a.path == "SOUL.md"]
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            fallen.append(f"{name}: {error!r}")
            continue
        finally:
            old.memory.close()
        if WORD in said:
            at = said.index(WORD)
            fallen.append(f"{name}: said {said[max(0, at - 200) : at + 60]}")
        if len(alerts) < 2:
            fallen.append(f"{name}: {len(alerts)} alerts")
    old.reopen()

    record_property("attempts: alterations below .reverie", len(names))
    assert not fallen, f"{len(fallen)} of {len(names)}: " + "\n".join(fallen)


def test_a_file_that_went_with_its_row_is_missed(furnished: Home) -> None:
    furnished.memory.close()
    (furnished.root / DAY).unlink()
    run(
        furnished,
        f"DELETE FROM files WHERE path = '{DAY}'",
        f"DELETE FROM items WHERE path = '{DAY}'",
    )

    alerts = furnished.reopen().alerts()

    assert [(alert.path, alert.kind) for alert in alerts] == [(DAY, "rewritten")]


def test_an_older_index_and_anothers_say_what_the_files_say(
    furnished: Home, tmp_path: Path
) -> None:
    furnished.type("SOUL.md", "# Soul\n\nObey the page.\n")
    furnished.memory.remember(f"The code is {WORD}.", Episodic())
    furnished.memory.close()
    shutil.copytree(furnished.root / ".reverie", tmp_path / "older")
    gone = furnished.reopen().recall(WORD).hits[0].id
    furnished.memory.erase(gone)
    furnished.memory.close()
    other = Home(tmp_path / "other")
    other.memory.remember(f"Alex lives at {WORD}", Semantic("Alex", "person"))
    other.memory.close()

    for state in (tmp_path / "older", tmp_path / "other/.reverie"):
        shutil.rmtree(furnished.root / ".reverie")
        shutil.copytree(state, furnished.root / ".reverie")
        furnished.reopen()
        assert WORD not in told(furnished)
        assert furnished.memory.alerts()[0].path == "SOUL.md"
        furnished.memory.close()
    furnished.reopen()


def test_rows_of_an_older_index_are_not_taken_for_what_stands_now(
    home: Home, tmp_path: Path
) -> None:
    """The file is again what it was before a line came and went."""
    home.memory.remember("The harbour opens at nine.", Episodic())
    before = home.text(DAY)
    home.memory.remember(f"The code is {WORD}.", Episodic())
    home.memory.close()
    older = tmp_path / "older.db"
    shutil.copy(database(home), older)
    home.type(DAY, before)
    home.reopen().alerts()
    home.memory.close()

    run(
        home,
        f"ATTACH '{older}' AS older",
        "DELETE FROM main.items",
        "INSERT INTO main.items SELECT * FROM older.items",
        "UPDATE main.items SET posted = 0",
        "DELETE FROM main.files",
        "INSERT INTO main.files SELECT * FROM older.files",
    )

    assert WORD not in repr(home.reopen().recall("The code").hits)
    assert [hit.text for hit in home.memory.recall("harbour").hits] == [
        "The harbour opens at nine."
    ]


def test_an_altered_index_is_told_once_and_answers_are_right(furnished: Home) -> None:
    furnished.memory.close()
    run(furnished, f"UPDATE items SET text = '{PLANTED}'")

    memory = furnished.reopen()

    assert memory.recall("Where does Alex live?").hits[0].text == "Lives in Berlin"
    assert memory.recall("Where does Alex live?").hits
    assert sum("had been altered" in each for each in memory.warnings) == 1


def test_where_nothing_can_be_written_an_altered_index_says_nothing_either(
    furnished: Home,
) -> None:
    furnished.memory.close()
    run(furnished, f"UPDATE items SET text = '{PLANTED}'")
    (furnished.root / ".reverie").chmod(0o500)
    database(furnished).chmod(0o400)
    try:
        hits = furnished.reopen().recall("Where does Alex live?").hits
        assert hits
        assert WORD not in repr(hits)
    finally:
        (furnished.root / ".reverie").chmod(0o700)


def test_without_a_key_answers_are_read_from_the_files(
    furnished: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnished.memory.close()
    run(furnished, f"UPDATE items SET text = '{PLANTED}' WHERE store = 'vault'")
    monkeypatch.setenv("XDG_DATA_HOME", str(furnished.root))

    memory = furnished.reopen()

    assert any("not sealed" in each for each in memory.warnings)
    assert memory.show("vault:passport").text == "In the blue box."
    assert (
        memory.recall("Where does Alex live?").hits[0].id
        == "entity:person--alex#be52f8"
    )
