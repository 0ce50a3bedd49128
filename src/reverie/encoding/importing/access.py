"""Getting at the bytes of a source, in a folder or inside a zip."""

from __future__ import annotations

import lzma
import struct
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import IO, TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from reverie.encoding.importing.days import parse_moment
from reverie.encoding.importing.kinds import size_limit
from reverie.encoding.importing.plain import decode
from reverie.model.finding import Finding, Severity
from reverie.model.remembered import Secrets
from reverie.secrets import redacted_in_place

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path
    from zipfile import ZipInfo

    from reverie.encoding.importing.found import Source

UNREADABLE = (OSError, EOFError, BadZipFile, zlib.error, lzma.LZMAError)
"""What may go wrong while bytes are read."""

_ODD_ZIP = (KeyError, ValueError, RuntimeError, OverflowError, struct.error)
"""What else `zipfile` raises for a damaged, locked or unusual zip."""

_NO_DATE = 1980
"""The year a zip gives to what has none."""


@contextmanager
def opened(source: Source) -> Iterator[IO[bytes]]:
    """Open a source for reading; raises one of `UNREADABLE`."""
    if not source.member:
        with source.path.open("rb") as stream:
            yield stream
        return
    with _member(unzipped(source.path), source.member) as stream:
        yield stream


def unzipped(path: Path) -> ZipFile:
    """Open a zip for reading; raises one of `UNREADABLE`.

    It stays open until others were, so that a zip of ten thousand notes is not
    looked through ten thousand times.
    """
    status = path.stat()
    return _archive(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _archive(path: Path, _changed: int, _size: int) -> ZipFile:
    try:
        return ZipFile(path)
    except _ODD_ZIP as error:
        raise BadZipFile(str(error)) from error


def _member(archive: ZipFile, member: str | ZipInfo) -> IO[bytes]:
    try:
        return archive.open(member)
    except _ODD_ZIP as error:
        raise BadZipFile(str(error)) from error


def head_of(archive: ZipFile, member: ZipInfo, size: int) -> bytes:
    """The first bytes of what is in a zip; raises one of `UNREADABLE`."""
    with _member(archive, member) as stream:
        return stream.read(size)


def modified(source: Source) -> datetime | None:
    """When a source was last changed, as far as its folder or zip knows."""
    if not source.member:
        return parse_moment(source.path.stat().st_mtime)
    stamp = unzipped(source.path).getinfo(source.member).date_time
    try:
        at = datetime(*stamp, tzinfo=UTC)
    except ValueError:
        return None
    return None if at.year == _NO_DATE else at


def text_of(source: Source) -> Generator[Finding, None, str]:
    """Read a source as text; yields what was odd about it, returns the text."""
    limit = size_limit(source.kind)
    with opened(source) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        yield too_large(source)
        return ""
    text, odd = decode(data)
    if odd and b"\0" in data:
        mend = "Import it as what it is, or leave it out."
        yield Finding(source.name, 0, "is not text", mend)
        return ""
    if odd:
        mend = "Save it as UTF-8 if letters look wrong."
        yield Finding(source.name, 0, odd, mend, Severity.NOTE)
    return (yield from without_secrets_of(source, text))


def without_secrets_of(
    source: Source, text: str, mark: str = "\n"
) -> Generator[Finding, None, str]:
    """A document as a whole, before it is cut into anything.

    Every line stays the line it was; yields what was redacted, returns the text.

    Args:
        source: What is read.
        text: All of it.
        mark: What a finding's number counts: the ends of lines, or of pages.
    """
    if source.secrets is Secrets.KEEP:
        return text
    clean, found = redacted_in_place(text, mark)
    if source.secrets is Secrets.REDACT:
        yield from (redacted(source.name, line, kind) for line, kind in found)
    return clean


def redacted(name: str, line: int, kind: str) -> Finding:
    """Say that there was a secret, without quoting it."""
    mend = "Read it where it came from; `--secrets keep` files it as it is."
    return Finding(name, line, f"{kind} was redacted", mend, Severity.WARNING)


def too_large(source: Source) -> Finding:
    """Say that a source is larger than what is read."""
    limit = size_limit(source.kind)
    what = f"is larger than what is read of a {source.kind} source ({limit:,} bytes)"
    mend = "Split it, or leave it out."
    return Finding(source.name, 0, what, mend, Severity.WARNING)


def unreadable(name: str, error: BaseException) -> Finding:
    """Say that a source could not be read, and why."""
    what = f"cannot be read ({str(error) or type(error).__name__})"
    return Finding(name, 0, what, "Check that the file is whole and may be read.")
