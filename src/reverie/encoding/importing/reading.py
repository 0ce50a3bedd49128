"""Reading what a survey found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.importing import kinds
from reverie.encoding.importing.access import UNREADABLE, too_large, unreadable
from reverie.encoding.importing.chatgpt import read_chatgpt
from reverie.encoding.importing.claude import read_claude
from reverie.encoding.importing.claude_code import read_claude_code
from reverie.encoding.importing.documents import read_markdown, read_text
from reverie.encoding.importing.obsidian import read_obsidian
from reverie.encoding.importing.openclaw import read_openclaw
from reverie.encoding.importing.pdf import read_pdf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.encoding.importing.found import Found, Source
    from reverie.model.finding import Finding

_READERS: dict[str, Callable[[Source], Iterator[Found | Finding]]] = {
    kinds.MARKDOWN: read_markdown,
    kinds.TEXT: read_text,
    kinds.PDF: read_pdf,
    kinds.OPENCLAW: read_openclaw,
    kinds.OBSIDIAN: read_obsidian,
    kinds.CHATGPT: read_chatgpt,
    kinds.CLAUDE: read_claude,
    kinds.CLAUDE_CODE: read_claude_code,
}


def read(source: Source) -> Iterator[Found | Finding]:
    """Read a source bit by bit; what cannot be read comes as a finding.

    Raises:
        UnknownKindError: The source is of no known kind.
        PdfSupportMissingError: It is a PDF, and `pypdf` is not installed.
    """
    return _read(source, _READERS[kinds.known(source.kind)])


def _read(
    source: Source, reader: Callable[[Source], Iterator[Found | Finding]]
) -> Iterator[Found | Finding]:
    if source.size > kinds.size_limit(source.kind):
        yield too_large(source)
        return
    try:
        yield from reader(source)
    except UNREADABLE as error:
        yield unreadable(source.name, error)
