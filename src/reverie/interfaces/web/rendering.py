"""Templates, and what they tell moments, texts and diffs with.

Whatever a memory says is data: it is escaped, its Markdown has no raw HTML, no pictures
and no links that do anything but lead somewhere, and characters that nobody sees are
spelled out.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from reverie.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HERE = Path(__file__).parent
_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
STATIC = {
    path.name: (_KINDS[path.suffix], path.read_bytes())
    for path in sorted((_HERE / "static").iterdir())
    if path.suffix in _KINDS
}
"""The style sheet, the script and the icon, each with its media type."""

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def render(template: str, shown: Mapping[str, Any]) -> str:
    """A page of HTML."""
    return _ENVIRONMENT.get_template(template).render(shown)


def marked(text: str) -> Markup:
    """Markdown as HTML, without anything of its own making."""
    # What it makes is escaped by itself; raw HTML is text to it.
    return Markup(_MARKDOWN.render(printable(text, lines=True)))  # noqa: S704


def shown(text: object) -> str:
    """A text with every character that nobody sees spelled out."""
    return printable(str(text), lines=True)


def day(moment: datetime | date | None) -> str:
    """`Tue 17 Nov 2026`."""
    return f"{moment:%a %-d %b %Y}" if moment else "—"


def clock(moment: datetime | None) -> str:
    """`17 Nov 2026, 14:05`, in local time."""
    return f"{moment.astimezone():%-d %b %Y, %H:%M}" if moment else "—"


def ago(moment: datetime | None) -> str:
    """How long ago it was, in a word or two."""
    if moment is None:
        return "never"
    seconds = (datetime.now(UTC) - moment).total_seconds()
    steps = ((86_400.0, "day"), (3600.0, "hour"), (60.0, "minute"))
    for size, name in steps:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {name}{'s' * (count > 1)} ago"
    return "just now"


def diffed(diff: str) -> Iterator[tuple[str, str]]:
    """The lines of a diff, each with what it is: file, hunk, more, less or same."""
    for line in diff.split("\n"):
        if line.startswith(("--- ", "+++ ")):
            yield "file", line
        elif line.startswith("@@"):
            yield "hunk", line
        else:
            kind = {"+": "more", "-": "less"}.get(line[:1], "same")
            yield kind, line


def address(text: object) -> str:
    """A text as a part of an address."""
    return quote(str(text), safe="")


def grouped(number: float) -> str:
    """A number with its thousands apart."""
    return f"{number:,}"


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {
    "marked": marked,
    "shown": shown,
    "day": day,
    "clock": clock,
    "ago": ago,
    "diffed": diffed,
    "address": address,
    "grouped": grouped,
}
