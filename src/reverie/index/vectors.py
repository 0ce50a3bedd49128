"""The table of vectors: kept by memory, and carried over a rebuild."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.index.schema import QUESTION

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

_SAID = (
    "items LEFT JOIN labels ON labels.number = items.speaker "
    f"LEFT JOIN items AS asked ON asked.number = {QUESTION} "
    "LEFT JOIN labels AS asker ON asker.number = asked.speaker"
)
"""Memories with all that their vectors are made of."""


class Vectors:
    """Puts vectors into the tables of an open index, within its transactions."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def put(
        self,
        model: str,
        vectors: Mapping[int, bytes],
        questions: Mapping[int, int] | None = None,
    ) -> None:
        """Keep the vectors of some memories, by their numbers.

        Args:
            model: What made them.
            vectors: A vector for each passage, packed.
            questions: The question that a memory's vectors have a share of; 0 for
                none. Those of an answer to another question are not kept: it was
                changed while they were made.
        """
        asked = questions or {}
        self._db.executemany(
            "REPLACE INTO vectors SELECT ?1, ?2, ?3 "  # noqa: S608 - fixed
            "FROM items WHERE number = ?1 "
            f"AND (?4 IS NULL OR ?4 = coalesce({QUESTION}, 0))",
            [(n, model, data, asked.get(n)) for n, data in vectors.items()],
        )
        self._tell_views()

    def put_aside(self) -> None:
        """Keep them in memory, by what the memories say, while everything goes."""
        self._db.execute("PRAGMA temp_store = MEMORY")
        self._db.execute("DROP TABLE IF EXISTS temp.kept")
        self._db.execute(
            "CREATE TEMP TABLE kept AS "  # noqa: S608 - fixed
            "SELECT items.id, items.path, items.text, items.aside, labels.name, "
            f"asked.text AS question, asker.name AS who, model, data FROM {_SAID} "
            "JOIN vectors ON vectors.item = items.number"
        )

    def take_back(self) -> None:
        """Give those put aside to memories that say the same, to the same question."""
        self._db.execute(
            "INSERT OR IGNORE INTO vectors "  # noqa: S608 - fixed
            "SELECT items.number, model, data "
            f"FROM {_SAID} JOIN kept ON kept.id = items.id AND kept.path = items.path "
            "AND kept.text = items.text AND kept.aside = items.aside "
            "AND kept.name IS labels.name AND kept.question IS asked.text "
            "AND kept.who IS asker.name"
        )
        self._db.execute("DROP TABLE kept")
        self._tell_views()

    def _tell_views(self) -> None:
        """Let everybody who keeps a view know that there are more."""
        self._db.execute(
            "INSERT INTO meta VALUES ('vectors', '1') "
            "ON CONFLICT (key) DO UPDATE SET value = value + 1"
        )
