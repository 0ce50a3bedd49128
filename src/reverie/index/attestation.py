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

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from reverie.authority.keyring import UNSEALED
from reverie.index import IndexAlteredError, schema
from reverie.workspace.layout import RELATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.authority.keyring import Seal
    from reverie.index.schema import Values

MOST_FILES = 64
"""So many files are kept as they were read."""


class Blobs(Protocol):
    """What is read of a repository."""

    def diff(self, old: str, new: str, /) -> Mapping[str, tuple[str, str]]:
        """Content ids before and after of the files that differ."""

    def content(self, blob: str, /) -> bytes | None:
        """The bytes of a content id; none for an empty one."""

    def blob_id(self, commit: str, path: str, /) -> str:
        """The content id of a file; empty where there is none."""


class Past(Protocol):
    """What is read of a ledger: the real one, or one that is only imagined."""

    @property
    def head(self) -> str:
        """The newest commit."""

    @property
    def repository(self) -> Blobs:
        """What holds the files."""

    def read_at(self, commit: str, path: str, /) -> bytes | None:
        """A file as it was at a commit."""


class FileRecord(NamedTuple):
    """What the index knows of a file.

    Attributes:
        blob: The content that it had when it was last seen.
        since: The commit at which it was last read as a whole.
        lines: How many lines it has.
        looks: Size, times and number by which a change is noticed.
        seal: The seal over all of this and its path.
    """

    blob: str
    since: str
    lines: int
    looks: tuple[int, ...]
    seal: bytes


def _packed(*values: object) -> bytes:
    """Some values as bytes that no others have."""
    return repr(values).encode("utf-8", "surrogatepass")


def _listed(path: str, standing: FileRecord) -> bytes:
    """What is known of a file as bytes; made for very many of them."""
    blob, since, lines, (size, modified, changed, inode), _ = standing
    told = f"{blob} {since} {lines} {size} {modified} {changed} {inode} {path}"
    return told.encode("utf-8", "surrogatepass")


class Attest:
    """Seals what goes into the index, and checks what comes out of it.

    Args:
        seal: What with; without a key everything is looked up in the files.
        past: Where the files are; without, nothing is checked.
    """

    def __init__(self, seal: Seal = UNSEALED, past: Past | None = None) -> None:
        self._seal = seal
        self._past = past
        self._head = ""
        self._blobs: dict[str, str] = {}
        self._read: dict[tuple[str, str], _Read] = {}

    def over(self, past: Past) -> Attest:
        """The same for other files."""
        return Attest(self._seal, past)

    def row(self, since: str, values: tuple[object, ...]) -> bytes:
        """The seal of a memory, or of a relation, of a file read at a commit."""
        return self._seal.mark(b"row", _packed(since, tuple(values)))

    def file(self, path: str, standing: FileRecord) -> bytes:
        """The seal of what is known of a file."""
        return self._seal.mark(b"file", _listed(path, standing))

    def note(self, *values: object) -> bytes:
        """The seal of something else that the index keeps."""
        return self._seal.mark(b"note", _packed(*values))

    def good_note(self, mark: object, *values: object) -> bool:
        """Whether that is good; where nothing is checked, it is."""
        if self._past is None:
            return True
        return self._seal.good(b"note", _packed(*values), mark)

    def good_file(self, path: str, standing: FileRecord) -> bool:
        """Whether what is told of a file is what was put there."""
        if self._past is None:
            return True
        return self._seal.good(b"file", _listed(path, standing), standing.seal)

    def require(self, values: Values, mark: object, standing: FileRecord) -> None:
        """Refuse a memory that does not stand so in its file.

        Raises:
            IndexAlteredError: It does not.
        """
        if self._past is None:
            return
        # A line that was there for a while, and is not any more, has a good seal.
        good = self._vouched(values, values.path, mark, standing)
        if good and values.line <= standing.lines:
            return
        found = self._file(values.path)
        if found is None or found.memories.get(values.id) != values:
            raise IndexAlteredError

    def require_edge(
        self, path: str, edge: tuple[str, ...], mark: object, standing: FileRecord
    ) -> None:
        """Refuse a relation that does not stand so in its file.

        Raises:
            IndexAlteredError: It does not.
        """
        told = (path, *edge)
        if self._past is None or self._vouched(told, path, mark, standing):
            return
        found = self._file(path)
        if found is None or edge not in found.edges:
            raise IndexAlteredError

    def _vouched(
        self, told: tuple[object, ...], path: object, mark: object, standing: FileRecord
    ) -> bool:
        packed = _packed(standing.since, tuple(told))
        return (
            isinstance(path, str)
            and self._seal.good(b"row", packed, mark)
            and standing.blob == self._blob(path)
            and self.good_file(path, standing)
        )

    def look(self) -> None:
        """Notice which commit is the newest; before something is checked."""
        head = self._past.head if self._past else ""
        if head != self._head:
            self._head, self._blobs = head, {}

    def _blob(self, path: str) -> str:
        """The content that a file has now."""
        assert self._past is not None  # noqa: S101 - asked only where there is one
        found = self._blobs.get(path)
        if found is None:
            blob_id = self._past.repository.blob_id
            found = blob_id(self._head, path) if self._head and path else ""
            self._blobs[path] = found
        return found

    def _file(self, path: object) -> _Read | None:
        """What a file says, as the newest commit has it."""
        assert self._past is not None  # noqa: S101 - asked only where there is one
        if not isinstance(path, str) or not path:
            return None
        blob = self._blob(path)
        found = self._read.get((path, blob))
        if found is None:
            # Only where a file has changed since it was read, which is rare.
            from reverie.index.redaction import read_shown  # noqa: PLC0415
            from reverie.stores.reader import load_vocabulary  # noqa: PLC0415

            data = self._past.repository.content(blob)
            words = load_vocabulary(self._past.read_at(self._head, RELATIONS))
            reading = read_shown(path, data or b"", words)
            found = _Read(
                {str(e.id): schema.values(e, path) for e in reading.entries},
                frozenset(map(schema.edge_values, reading.edges)),
            )
            if len(self._read) >= MOST_FILES:
                self._read.clear()
            self._read[path, blob] = found
        return found


class _Read(NamedTuple):
    """What a file says, as the index tells it."""

    memories: dict[str, Values]
    edges: frozenset[tuple[str, ...]]


def to_standing(row: tuple[Any, ...]) -> FileRecord:
    """A row of `files`, from its content id on; of none, what nothing agrees with."""
    blob, size, modified, changed, inode, since, lines, seal = row
    looks = (size, modified, changed, inode)
    return FileRecord(blob, since, lines if isinstance(lines, int) else -1, looks, seal)
