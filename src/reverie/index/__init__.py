"""Derived and deletable: what is where, how vivid it is, what needs a look.

One SQLite file below `.reverie/`. It records the commit it has seen in the same
transaction as its rows, so it can always tell how far behind it is.
"""

from reverie.index.attestation import (
    Attest,
    IndexAlteredError,
    IndexDamagedError,
    IndexUnavailableError,
)
from reverie.index.schema import remove_index
from reverie.index.sqlite_index import Index, Located

__all__ = [
    "Attest",
    "Index",
    "IndexAlteredError",
    "IndexDamagedError",
    "IndexUnavailableError",
    "Located",
    "remove_index",
]
