"""Derived and deletable: what is where, how vivid it is, what needs a look.

`Index` is the port that the rest of the package names; one SQLite file below
`.reverie/` is behind it, `SqliteIndex`. It records the commit it has seen in the same
transaction as its rows, so it can always tell how far behind it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from reverie.errors import UnavailableError
from reverie.model.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie.decay import Trace
    from reverie.index.lookup import Lookup
    from reverie.index.view import View
    from reverie.model.ids import Store
    from reverie.model.items import Edge


class IndexUnavailableError(UnavailableError):
    """The index cannot be read or written at the moment."""

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(
            f"the index {path.name} cannot be used: {error}",
            hint="If the disk is full or read-only, mend that. The index holds "
            "nothing that is not elsewhere: `reverie rebuild` makes it anew.",
        )


class IndexDamagedError(IndexUnavailableError):
    """The index is no readable database any more."""


class IndexAlteredError(IndexDamagedError):
    """The index says what no file says; of it, nothing is told."""

    def __init__(self) -> None:
        UnavailableError.__init__(
            self,
            "the index had been altered: it did not say what the files say",
            hint="`reverie rebuild` makes it anew. Something else than Reverie writes "
            "below .reverie/: find out what.",
        )


class Located(Struct, frozen=True):
    """A memory as the index knows it.

    Attributes:
        id: Its id.
        store: Which store it is in.
        path: Its file.
        line: Where it stands there.
        title: What it is called.
        text: What it says.
        aside: What it said and what holds no longer; found, never quoted as true.
        origin: Whose words it is.
        speaker: Who said it, of a turn.
    """

    id: str
    store: Store
    path: str
    line: int
    title: str
    text: str
    aside: str = ""
    origin: Origin = Origin.OWNER
    speaker: str = ""


class Index(Protocol):
    """What can be asked of an index that is in step with the ledger.

    `view` has the candidates as arrays, with postings, vectors and neighbours;
    `lookup` finds memories by names, words, keys and scores.
    """

    @property
    def lookup(self) -> Lookup:
        """Memories by what is known of them."""

    @property
    def seen(self) -> str:
        """The commit whose state the rows show; empty for none."""

    def view(self, model: str = "") -> View:
        """Everything as arrays, as it is now, with the vectors of one model."""

    def find(self, id_: str) -> Located | None:
        """One memory by its id; of two files of one name, the first."""

    def items(self, store: Store | None = None) -> Iterator[Located]:
        """Every memory, or those of one store, by id."""

    def touched(self, path: str) -> str:
        """The commit that last changed a file; empty if none is known."""

    def scopes(self) -> dict[str, str]:
        """Whom memories are for, of those that are for one person alone, by id."""

    def counts(self, scope: str = "") -> dict[str, int]:
        """How many memories each store has; with a scope, for that person."""

    def edges(self) -> list[Edge]:
        """The whole graph."""

    def trace(self, id_: str) -> Trace | None:
        """How often and when a memory was called on: what its score is made of."""

    def traces(self) -> dict[str, Trace]:
        """All of them, by id."""
