"""Reading PDFs page by page, with `pypdf` where it is installed."""

from __future__ import annotations

import io
import logging
import re
import struct
import zlib
from typing import TYPE_CHECKING

from reverie.errors import RefusedError, UnavailableError
from reverie.importers import walk
from reverie.importers.documents import day_in_name, stem, titled
from reverie.model.items import Finding, Severity, in_utc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pypdf import PdfReader


_HYPHEN = re.compile(r"(?<=[^\W\d_])(?:-|\u2010)[ \t]*\n[ \t]*(?=[^\W\d_A-Z])")
_SOFT_HYPHEN = re.compile(r"\u00ad(?:[ \t]*\n[ \t]*)?")
_BREAK = "\n\f\n"
"""Between two pages."""

_SPOILT = (
    *(ValueError, LookupError, TypeError, AttributeError, ArithmeticError),
    *(AssertionError, RuntimeError, OSError, EOFError, zlib.error, struct.error),
)
"""What pypdf lets through, besides its own errors, when a file is not as it should."""


class PdfSupportMissingError(UnavailableError):
    """PDFs cannot be read because `pypdf` is not installed."""

    says = "PDFs cannot be read: pypdf is not installed"
    mend = "pip install 'reverie[pdf]'"


def read_pdf(source: walk.ImportSource) -> Iterator[walk.Passage | Finding]:
    """Read a PDF, one passage a page.

    Raises:
        PdfSupportMissingError: There is no `pypdf`.
    """
    try:
        from pypdf import PdfReader, errors  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise PdfSupportMissingError from error
    # Its remarks on files that are slightly off would go to the terminal.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    spoilt = (errors.PyPdfError, RefusedError, *_SPOILT)
    with walk.opened(source) as stream:
        data = stream.read(walk.size_limit(source.kind))
    try:
        yield from _read(source, PdfReader(io.BytesIO(data)), spoilt)
    except (errors.FileNotDecryptedError, errors.DependencyError):
        what, mend = "is locked with a password", "Save a copy without and import that."
        yield Finding(source.name, 0, what, mend, Severity.WARNING)
    except spoilt as error:
        what = f"cannot be read as a PDF ({type(error).__name__})"
        mend = "Open it and save it as a new PDF, then import that."
        yield Finding(source.name, 0, what, mend)


def _read(
    source: walk.ImportSource, reader: PdfReader, spoilt: tuple[type[Exception], ...]
) -> Iterator[walk.Passage | Finding]:
    at = day_in_name(source.name) or _created(reader, spoilt) or walk.modified(source)
    count, pages = len(reader.pages), dict[int, str]()
    for number in range(1, count + 1):
        try:
            pages[number] = joined(reader.pages[number - 1].extract_text())
        except spoilt as error:
            what = f"page {number} cannot be read ({type(error).__name__})"
            mend = "Leave it; all other pages were read."
            yield Finding(source.name, number, what, mend, Severity.WARNING)
    if not any(pages.values()):
        what = f"has no text on its {count} pages; it may be scanned"
        mend = "Have its text recognised first, for example with ocrmypdf."
        yield Finding(source.name, 0, what, mend, Severity.WARNING)
    # A secret may go on overleaf.
    clean = yield from walk.without_secrets_of(
        source, _BREAK.join(pages.values()), "\f"
    )
    for number, text in zip(pages, clean.split(_BREAK), strict=True):
        if text.strip():
            title = titled(stem(source.name), [f"page {number}"])
            origin = walk.Provenance(source.kind, source.name, number)
            yield walk.Passage(origin, title, text.strip(), at)


def joined(text: str) -> str:
    """A page's text, with words that were cut at the end of a line made whole."""
    return _HYPHEN.sub("", _SOFT_HYPHEN.sub("", walk.plain(text))).strip()


def _created(reader: PdfReader, spoilt: tuple[type[Exception], ...]) -> datetime | None:
    try:
        at = reader.metadata.creation_date if reader.metadata else None
        return in_utc(at) if at and at.tzinfo else None
    except spoilt:
        return None
