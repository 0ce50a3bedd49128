"""What stands between two `---` lines at the top of a Markdown file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.importing.days import parse_day, parse_moment
from reverie.markdown import one_line, split_lines

if TYPE_CHECKING:
    from datetime import datetime

_ITEM = re.compile(r"\s*-\s+(?P<value>.*)$")
_LISTED = re.compile(r"\"[^\"]*\"|'[^']*'|[^,\"']+")
_DATES = ("date", "created", "created_at", "created at", "date created")
_NAMES = ("title", "name", "alias", "aliases", "permalink")
_LONGEST = 500
"""Lines; what is never closed before is no front matter but a rule and a text."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a file says about itself.

    Attributes:
        title: Its own title, or nothing.
        tags: Its tags without `#`, each once.
        at: The moment it names as its date or creation.
        lines: How many lines of the file it takes.
        names: All that it may be linked by besides its file's name.
    """

    title: str = ""
    tags: tuple[str, ...] = ()
    at: datetime | None = None
    lines: int = 0
    names: tuple[str, ...] = ()


def parse_front_matter(text: str) -> FrontMatter:
    """Read the front matter of a file; an empty one where there is none."""
    lines = [line.rstrip() for line in split_lines(text[: _LONGEST << 10])[:_LONGEST]]
    if not lines or lines[0] != "---":
        return FrontMatter()
    end = next((n for n, line in enumerate(lines) if n and line in {"---", "..."}), 0)
    if not end:
        return FrontMatter()
    fields = _fields(lines[1:end])
    dates = (_moment(" ".join(fields.get(key, ()))) for key in _DATES)
    return FrontMatter(
        title=one_line(" ".join(fields.get("title", ()))),
        tags=_tags([*fields.get("tags", ()), *fields.get("tag", ())]),
        at=next((at for at in dates if at), None),
        lines=end + 1,
        names=tuple(value for key in _NAMES for value in fields.get(key, ())),
    )


def _fields(lines: list[str]) -> dict[str, list[str]]:
    """Values by key; what is nested deeper than a list is left aside."""
    fields: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        item = _ITEM.match(line)
        before, colon, after = line.partition(":")
        if item and key:
            fields[key].append(_unquoted(item["value"]))
        elif colon and before[:1].isalpha() and (not after or after[0].isspace()):
            key = before.strip().casefold()
            fields.setdefault(key, []).extend(_values(after))
    return fields


def _values(text: str) -> list[str]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        parts = map(_unquoted, _LISTED.findall(text[1:-1]))
        return [part for part in parts if part]
    return [_unquoted(text)] if text else []


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if quoted else text


def _tags(values: list[str]) -> tuple[str, ...]:
    words = [w for value in values for w in re.split(r"[,\s]+", value)]
    return tuple(dict.fromkeys(w.lstrip("#") for w in words if w.strip("#")))


def _moment(text: str) -> datetime | None:
    return parse_moment(text) or parse_day(text)
