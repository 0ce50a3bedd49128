"""A page in its parts: sections of ours, fenced texts, fields, tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from reverie.markdown import parse_row, render_row, split_items, visible
from reverie.model.items import Finding
from reverie.reflection.pending import form
from reverie.reflection.summary import REPLY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

T = TypeVar("T")

_OPENING = re.compile(r"(`{3,})([^`]*)")
_FIELD = re.compile(r"\*\*([A-Za-z ]+)\*\*:")
_BELOW_HEADER = re.compile(r"[|\-: \t]+")


@dataclass(frozen=True, slots=True)
class Row:
    """A line, or a whole fenced text.

    Attributes:
        line: Line number counted from 1.
        text: What it says, a fenced text without its fences.
        info: What a fence calls its text; None for a line.
        closed: Whether a fence ends where it should.
    """

    line: int
    text: str
    info: str | None = None
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A heading of ours and what stands below it; the first part has no name."""

    name: str
    line: int
    rows: list[Row] = field(default_factory=list)


def split_parts(text: str) -> Iterator[Part]:
    """Cut a page at our headings; only in the changes a fence can hide one."""
    part = Part("", 1)
    lines = iter(enumerate(text.split("\n"), start=1))
    for number, line in lines:
        opening = _OPENING.fullmatch(line) if part.name == form.CHANGES else None
        if name := form.section_of(line):
            yield part
            part = Part(name, number)
        elif opening:
            part.rows.append(_fenced(number, opening, lines))
        else:
            part.rows.append(Row(number, line))
    yield part


def _fenced(
    start: int, opening: re.Match[str], lines: Iterator[tuple[int, str]]
) -> Row:
    """What stands in a fence, down to where it is closed."""
    size, info = len(opening[1]), opening[2].strip()
    inside: list[str] = []
    closed = True
    for _, line in lines:
        mark = line.rstrip()
        if len(mark) >= size and not mark.strip("`"):
            return Row(start, "\n".join(inside), info, closed)
        # We never write one inside another: the end of this one has gone missing.
        found = _OPENING.fullmatch(line)
        closed = closed and not (found and len(found[1]) >= size)
        inside.append(line)
    return Row(start, "\n".join(inside), info, closed=False)


def diffs_on(page: str) -> dict[int, str]:
    """What each change of a page would do to files, by its number."""
    found: dict[int, str] = {}
    number = 0
    for part in split_parts(page.removeprefix("\ufeff").replace("\r\n", "\n")):
        for each in part.rows if part.name == form.CHANGES else ():
            if each.info is None and each.text.startswith("### "):
                number += 1
            elif each.info == form.DIFF:
                found[number] = each.text
    return found


def told_in(part: Part) -> str:
    """What a part tells, without the rule below it."""
    lines = [row.text for row in part.rows]
    while lines and not lines[-1].strip():
        lines.pop()
    if lines and lines[-1].strip() == form.RULE:
        lines.pop()
    return visible("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Fields:
    """Lines of the form `- **Name**: value`.

    Attributes:
        values: Line and value by lower-case name.
        stray: Lines of all that is none, or stands there again.
    """

    values: Mapping[str, Sequence[tuple[int, str]]]
    stray: Sequence[int]

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of a name."""
        found = self.values.get(name.casefold(), ())
        return tuple(value for _, value in found if value)

    def text(self, name: str) -> str:
        """The value of a name; empty where there is none."""
        return next(iter(self.texts(name)), "")

    def line(self, name: str) -> int:
        """Where a name stands; 0 where it does not."""
        return next((line for line, _ in self.values.get(name.casefold(), ())), 0)


def read_fields(
    rows: Sequence[Row], once: Collection[str], often: Collection[str] = ()
) -> Fields:
    """The fields among some lines: names that stand there once, and often."""
    single, several = {n.casefold() for n in once}, {n.casefold() for n in often}
    values: dict[str, list[tuple[int, str]]] = {}
    stray: list[int] = []
    body = "\n".join(row.text for row in rows)
    for piece in split_items(body, rows[0].line if rows else 1):
        named = _FIELD.match(piece.text) if piece.marker else None
        name = named[1].casefold() if named else ""
        if named and (name in several or name in single - values.keys()):
            value = piece.line, visible(piece.text[named.end() :])
            values.setdefault(name, []).append(value)
        elif visible(piece.raw) not in {"", REPLY}:
            blanks = piece.raw[: len(piece.raw) - len(piece.raw.lstrip())]
            stray.append(piece.line + blanks.count("\n"))
    return Fields(values, stray)


def read_table(
    part: Part,
    path: str,
    header: Sequence[str],
    read: Callable[[Sequence[str]], T | None],
) -> Iterator[T | Finding]:
    """What the rows of a part's table say; what is no row is only for the eye."""
    table = [row for row in part.rows if row.text.startswith("|")]
    if table and not _headed(table, header):
        mend = f"Put it back: {render_row(header).strip()}, and a row of dashes."
        yield Finding(path, table[0].line, "the table has lost its first rows", mend)
        return
    for row in table[2:]:
        cells = parse_row(row.text)
        value = read(cells) if len(cells) == len(header) else None
        if value is None:
            mend = "Write it as the other rows are, or delete it."
            yield Finding(path, row.line, "this row cannot be read", mend)
        else:
            yield value


def _headed(table: Sequence[Row], header: Sequence[str]) -> bool:
    first, *rest = table
    below = rest[0].text if rest else "|"
    return parse_row(first.text) == tuple(header) and bool(
        _BELOW_HEADER.fullmatch(below)
    )
