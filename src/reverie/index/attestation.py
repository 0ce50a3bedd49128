"""Attest that what the index says is what the files say.

Anybody who can write files can write to the index, so no word of it is answered with
unless it is vouched for. A memory's row carries a seal over all that an answer can
show of it, and over the commit at which its file was last read as a whole; the row of
the file carries one over that commit, over the content it had when it was last seen,
and how many lines that has. A log that only grows keeps its commit, so a line that
is added costs one seal, and no row that was ever true of another text is taken for
true of this one.

What is not vouched for is looked up in the file itself, as the newest commit has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import msgpack

from reverie.authority.keyring import UNSEALED
from reverie.index import IndexAlteredError
from reverie.index.located import located, read_served
from reverie.workspace.layout import RELATIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.authority.keyring import Seal
    from reverie.model.items import Edge


MOST_FILES = 64
"""So many files are kept as they were read."""


class Past(Protocol):
    """What is read of a ledger: the real one, or one that is only imagined."""

    @property
    def head(self) -> str:
        """The newest commit."""

    def content_id(self, commit: str, path: str, /) -> str:
        """The content id of a file; empty where there is none."""

    def read_at(self, commit: str, path: str, /) -> bytes | None:
        """A file as it was at a commit."""


class FileRecord(NamedTuple):
    """A row of `files`: what the index knows of a file.

    Attributes:
        path: The file.
        name: Its name without its folder.
        blob: The content that it had when it was last seen.
        size, modified, changed, inode: Its looks, by which a change is noticed.
        since: The commit at which it was last read as a whole.
        lines: How many lines it has.
        touched: The commit that last changed it.
        seal: The seal over all of this.
    """

    path: str
    name: str
    blob: str
    size: int
    modified: int
    changed: int
    inode: int
    since: str
    lines: int
    touched: str
    seal: bytes


def edge_row(edge: Edge, path: str) -> tuple[str, ...]:
    """What is kept of a relation that a file tells of."""
    first = edge.first_seen.isoformat() if edge.first_seen else ""
    return (path, edge.origin, edge.relation, edge.target, str(edge.confidence), first)


class Attest:
    """Seals what goes into the index, and checks what comes out of it.

    Args:
        seal: What with; without a key everything is looked up in the files.
        past: Where the files are; without, nothing is checked.
        versions: Returns the confirmed version of a file if an edit of it waits for
            the owner; empty otherwise.
    """

    def __init__(
        self,
        seal: Seal = UNSEALED,
        past: Past | None = None,
        versions: Callable[[str], tuple[bytes, ...]] = lambda _: (),
    ) -> None:
        self._seal = seal
        self._past = past
        self._versions = versions
        self._head = ""
        self._blobs: dict[str, str] = {}
        self._read: dict[tuple[str, str], set[tuple[object, ...]]] = {}

    def over(self, past: Past) -> Attest:
        """The same for other files."""
        return Attest(self._seal, past, self._versions)

    def look(self) -> None:
        """Notice which commit is the newest; before something is checked."""
        if self._past and self._past.head != self._head:
            self._head, self._blobs = self._past.head, {}

    def mark(self, kind: str, *values: object) -> bytes:
        """The seal of some values that are kept for a purpose."""
        return self._seal.mark(kind.encode(), msgpack.encode(values))

    def good(self, mark: object, kind: str, *values: object) -> bool:
        """Whether a seal of some values is ours; where nothing is checked, it is."""
        if self._past is None:
            return True
        return self._seal.good(kind.encode(), msgpack.encode(values), mark)

    def good_file(self, file: FileRecord) -> bool:
        """Whether what is told of a file is what was put there."""
        return self.good(file.seal, "file", *file[:-1])

    def require(
        self,
        path: str,
        told: tuple[object, ...],
        line: int,
        mark: object,
        file: FileRecord,
    ) -> None:
        """Refuse a memory or a relation that does not stand so in its file.

        Args:
            path: The file.
            told: What the row says.
            line: Where; what was there for a while, and is no more, has a good seal.
            mark: The row's seal.
            file: What the index knows of its file.

        Raises:
            IndexAlteredError: It does not.
        """
        if self._past is None:
            return
        if path not in self._blobs:
            there = self._head and path
            blob = self._past.content_id(self._head, path) if there else ""
            self._blobs[path] = blob
        vouched = (
            self.good(mark, "row", file.since, *told)
            and self.good_file(file)
            and file.blob == self._blobs[path]
            and line <= file.lines
        )
        if not vouched and told not in self._stands(self._past, path):
            raise IndexAlteredError

    def _stands(self, past: Past, path: str) -> set[tuple[object, ...]]:
        """What a file says, as the newest commit has it and as rows tell it."""
        blob = self._blobs[path]
        if (path, blob) not in self._read:
            # Only where it changed since, or was sealed by somebody else.
            from reverie.stores.reader import load_vocabulary  # noqa: PLC0415

            words = load_vocabulary(past.read_at(self._head, RELATIONS))
            data = past.read_at(self._head, path) if blob else None
            reading = read_served(path, data, self._versions(path), words)
            if len(self._read) >= MOST_FILES:
                self._read.clear()
            self._read[path, blob] = {
                *(located(entry, path) for entry in reading.entries),
                *(edge_row(edge, path) for edge in reading.edges),
            }
        return self._read[path, blob]
