"""The table of vectors: kept by memory, and carried over a rebuild."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping


class Vectors:
    """Puts vectors into the tables of an open index, within its transactions."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def put(self, model: str, vectors: Mapping[int, bytes]) -> None:
        """Keep the vectors of some memories, by their numbers."""
        self._db.executemany(
            "REPLACE INTO vectors SELECT ?, ?, ? "
            "WHERE EXISTS (SELECT 1 FROM items WHERE number = ?)",
            [(number, model, data, number) for number, data in vectors.items()],
        )
        self._tell_views()

    def put_aside(self) -> None:
        """Keep them in memory, by what the memories say, while everything goes."""
        self._db.execute("PRAGMA temp_store = MEMORY")
        self._db.execute("DROP TABLE IF EXISTS temp.kept")
        self._db.execute(
            "CREATE TEMP TABLE kept AS "
            "SELECT id, path, text, aside, coalesce(labels.name, '') AS name, "
            "model, data FROM vectors JOIN items ON items.number = vectors.item "
            "LEFT JOIN labels ON labels.number = items.speaker"
        )

    def take_back(self) -> None:
        """Give those put aside to the memories that say the same."""
        self._db.execute(
            "INSERT OR IGNORE INTO vectors SELECT items.number, model, data "
            "FROM kept JOIN items USING (id, path, text, aside) "
            "LEFT JOIN labels ON labels.number = items.speaker "
            "WHERE coalesce(labels.name, '') = kept.name"
        )
        self._db.execute("DROP TABLE kept")
        self._tell_views()

    def _tell_views(self) -> None:
        """Let everybody who keeps a view know that there are more."""
        self._db.execute(
            "INSERT INTO meta VALUES ('vectors', '1') "
            "ON CONFLICT (key) DO UPDATE SET value = value + 1"
        )
