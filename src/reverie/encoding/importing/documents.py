"""Reading Markdown and plain text, piece by piece."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from reverie.encoding.importing.access import modified, text_of
from reverie.encoding.importing.days import day_in_name
from reverie.encoding.importing.found import Passage, Provenance
from reverie.encoding.importing.front_matter import parse_front_matter
from reverie.encoding.importing.outline import outline
from reverie.encoding.importing.pieces import cut, find_pieces
from reverie.markdown import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from reverie.encoding.importing.found import Source
    from reverie.model.finding import Finding

_BETWEEN = " › "  # noqa: RUF001 - the mark is meant


def read_markdown(source: Source) -> Iterator[Passage | Finding]:
    """Read a Markdown file section by section."""
    text = yield from text_of(source)
    yield from markdown_passages(source, text, modified(source))


def markdown_passages(
    source: Source, text: str, changed: datetime | None
) -> Iterator[Passage]:
    """The passages of a Markdown text.

    Their date is the one the file names at its top, else the one in its name, else
    the one of a heading above them, else the day the file was changed.
    """
    front = parse_front_matter(text)
    body = "".join(split_lines(text)[front.lines :])
    fixed = front.at or day_in_name(source.name)
    title = front.title or stem(source.name)
    for piece in find_pieces(outline(body, front.lines + 1)):
        yield Passage(
            Provenance(source.kind, source.name, piece.line),
            titled(title, piece.path),
            piece.text,
            fixed or piece.day or changed,
            front.tags,
        )


def read_text(source: Source) -> Iterator[Passage | Finding]:
    """Read a plain text some paragraphs at a time."""
    text = yield from text_of(source)
    at = day_in_name(source.name) or modified(source)
    for line, words in cut(text):
        origin = Provenance(source.kind, source.name, line)
        yield Passage(origin, stem(source.name), words, at)


def stem(name: str) -> str:
    """A file's name without folders and ending."""
    return PurePosixPath(name).stem


def titled(title: str, path: Iterable[str]) -> str:
    """A document's title and the headings down to some place in it."""
    words = [word for word in path if word]
    if words and words[0].casefold() == title.casefold():
        words = words[1:]
    return _BETWEEN.join([title, *words])
