"""Find the cells below a heading that is a word for a secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.secrets import labels, values

if TYPE_CHECKING:
    from reverie.secrets.labels import Place

MAX_HEADING_LENGTH = 300
"""Characters of a row of headings, before and after the label."""

_LEADING = re.compile(r"[ \t>*-]{0,8}#{0,6}[ \t]{0,3}(?:[^\n|;,\t]{1,60}: )?")
"""A row of headings may begin with marks of Markdown, or with "title: "."""

_HEADING = re.compile(r"[ ]?[\"']?[\w./-]{0,30}(?:[ ][\w./-]{1,20})?[\"']?")
_HEADING_BETWEEN_BARS = re.compile(r"[^|\n\0]{0,40}")
_NEXT_WORD = re.compile(r"[\"'`.]?[ \t]([^\W\d_]+)")
_ROW = re.compile(r"[^\n]+")


def find_cells(text: str, low: str, place: Place) -> list[tuple[int, int]]:
    """Return where the cells below a label are that hold a password.

    Args:
        text: A folded text.
        low: The same in small letters, and as long.
        place: The label.
    """
    found: list[tuple[int, int]] = []
    begin = low.rfind("\n", max(0, place.start - MAX_HEADING_LENGTH), place.start) + 1
    stop = low.find("\n", place.start, place.start + MAX_HEADING_LENGTH)
    if not 0 < stop < begin + 2 * MAX_HEADING_LENGTH:
        return found
    leading = _LEADING.match(text, begin, place.start + 1)
    begin = leading.end() if leading and leading.end() <= place.start else begin
    heading = text[begin:stop]
    mark = next((mark for mark in "|;\t," if mark in heading), "")
    headings = heading.split(mark) if mark else [heading]
    following = _NEXT_WORD.match(low, place.end)
    if not mark or (following and labels.about_it(following[1])):
        return found
    allowed = _HEADING_BETWEEN_BARS if mark == "|" else _HEADING
    if not all(map(allowed.fullmatch, headings)):
        return found
    column = heading[: place.start - begin].count(mark)
    for row in _ROW.finditer(text, stop + 1):
        cells = row[0].split(mark)
        more = len(cells) - len(headings)
        if more < 0 or (more and '"' not in row[0]):
            break
        value = cells[column].strip(" \t\"'`*")
        if value.lower() == place.label.word:  # the headings of another table
            break
        if values.password(value) and not set(value) <= set("-: "):
            start = row.start() + sum(len(cell) + 1 for cell in cells[:column])
            start += cells[column].index(value)
            found.append((start, start + len(value)))
    return found
