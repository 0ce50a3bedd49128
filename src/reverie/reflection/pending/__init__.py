"""`pending-reflection.md`: a proposal as the page that its human reads and edits.

What is told comes first, then one block for each change, then the record. The page
is all there is of a proposal, so it is read again as exactly as it was written.

A heading of ours ends what stands above it wherever it is found, except inside the
fenced text of a change. So `render_pending` puts a backslash before whatever else
could be read as one, and gives all fences of a page one length that nothing inside
them has: a closing fence that went missing is noticed and swallows no change.
"""

from reverie.reflection.pending.reading import (
    BrokenPendingError,
    findings,
    parse_pending,
)
from reverie.reflection.pending.storing import storable_pending
from reverie.reflection.pending.writing import render_pending
from reverie.stores.templates import PENDING_REFLECTION as EMPTY

__all__ = [
    "EMPTY",
    "BrokenPendingError",
    "findings",
    "parse_pending",
    "render_pending",
    "storable_pending",
]
