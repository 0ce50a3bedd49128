"""Several values in one line: comments with fields, and the rows of tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.markdown.lines import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable


def escape_field(text: str, also: str = "") -> str:
    r"""Write a value so that it stays one field: `|` becomes `\|`, and so on."""
    line = re.sub(f"[\\\\|{re.escape(also)}]", r"\\\g<0>", one_line(text))
    return line.replace("-->", r"--\>").replace("<!--", r"<\!--")


def unescape_field(text: str) -> str:
    """Read what `escape_field` wrote."""
    return re.sub(r"\\([\\|,\]>!])", r"\1", text.strip())


def split_fields(text: str, separator: str = "|") -> list[str]:
    """Cut at each separator that has no backslash; the fields stay escaped."""
    fields, start = [], 0
    for found in re.finditer(rf"\\.|{re.escape(separator)}", text, re.DOTALL):
        if found[0] == separator:
            fields.append(text[start : found.start()])
            start = found.end()
    return [*fields, text[start:]]


def parse_fields(text: str) -> tuple[tuple[str, str], ...]:
    """Read `Key: value | Key: value`."""
    pairs = (field.partition(":") for field in split_fields(text))
    return tuple((key.strip(), unescape_field(value)) for key, _, value in pairs)


def render_fields(fields: Iterable[tuple[str, str]]) -> str:
    """Write `Key: value | Key: value`; values must be escaped already."""
    return " | ".join(f"{key}: {value}" for key, value in fields)


def split_comment(text: str) -> tuple[str, str | None]:
    """Take the comment off the end of a text: what is before it, what is inside."""
    start = text.rfind("<!--")
    inside = text[start + 4 : -3]
    whole = start >= 0 and len(text) >= start + 7 and text.endswith("-->")
    if not whole or "-->" in inside:
        return text, None
    return text[:start].rstrip(), inside.strip()


def parse_row(line: str) -> tuple[str, ...]:
    """The cells of a table row; none if the line is no row."""
    cells = split_fields(line.strip())
    if len(cells) < 3 or cells[0].strip() or cells[-1].strip():
        return ()
    return tuple(unescape_field(cell) for cell in cells[1:-1])


def render_row(cells: Iterable[str]) -> str:
    """Write a table row."""
    return f"| {' | '.join(escape_field(cell) for cell in cells)} |\n"
