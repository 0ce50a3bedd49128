"""Lines, and what encloses them. A line ends at a line feed and nowhere else."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

from reverie.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FENCE = re.compile(r" *(`{3,}|~{3,})(.*)")
_CONFLICT = re.compile(r"(?:<{7}|>{7})(?!\S)")


def split_lines(text: str) -> list[str]:
    """Cut a text after each line feed; the lines join to the text again."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def tidy(text: str) -> str:
    """A text without blanks at its edges and with plain line ends."""
    return "\n".join(line.rstrip("\r") for line in text.split("\n")).strip()


def one_line(text: str) -> str:
    """A text with every run of white space made one blank."""
    return " ".join(text.split())


def headline(text: str, length: int = 80) -> str:
    """The first line of a text, cut to fit where a short name is shown."""
    first = one_line(text.partition("\n")[0])
    return first if len(first) <= length else f"{first[: length - 1].rstrip()}…"


def newlines_like(sample: str, text: str) -> str:
    """Give a new text the line ends of the file it goes into."""
    windows = sample.partition("\n")[0].endswith("\r")
    return re.sub(r"(?<!\r)\n", "\r\n", text) if windows else text


def ended(text: str) -> str:
    """A text whose last line is closed; an empty one stays empty."""
    if not text or text.endswith("\n"):
        return text
    return text + newlines_like(text, "\n")


def hidden_lines(lines: Sequence[str]) -> frozenset[int]:
    """Which lines, counted from 0, a fence or comment above them encloses.

    One that is never closed encloses nothing, so it cannot swallow a file.
    """
    if not any(map(_opening, lines)):
        return frozenset()
    spans = enclosures(lines)
    return frozenset(n for start, end in spans for n in range(start + 1, end + 1))


def _opening(line: str) -> str:
    """The least mark that closes what this line opens; nothing if it opens none."""
    fence = _FENCE.match(line)
    if fence and not (fence[1][0] == "`" and "`" in fence[2]):
        return fence[1]
    start = line.rfind("<!--")
    return "-->" if start >= 0 and "-->" not in line[start:] else ""


def _closing(line: str) -> str:
    """The mark by which this line could close something; nothing if it could not."""
    mark = line.strip(" \t\r\n")
    if mark[:3] in {"```", "~~~"} and not mark.strip(mark[0]):
        return mark
    # A line with a whole comment of its own does not end one from above.
    end = line.find("-->")
    return "-->" if end >= 0 and "<!--" not in line[:end] else ""


def enclosures(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last line of all that is opened; the same line if never closed."""
    marks = [_closing(line) for line in lines]
    longest = {kind: _longest_below(marks, kind) for kind in "`~-"}
    at = 0
    while at < len(lines):
        mark = _opening(lines[at])
        if mark:
            start = at
            if longest[mark[0]][at + 1] >= len(mark):
                at = next(n for n in range(at + 1, len(lines)) if _ends(marks[n], mark))
            yield start, at
        at += 1


def _ends(found: str, needed: str) -> bool:
    return found[:1] == needed[0] and len(found) >= len(needed)


def _longest_below(marks: Sequence[str], kind: str) -> list[int]:
    """For each line the longest mark of a kind from there on; a 0 at the end.

    Looking ahead once keeps a file of a million open fences linear.
    """
    sizes = [len(mark) if mark[:1] == kind else 0 for mark in reversed(marks)]
    return list(accumulate(sizes, max, initial=0))[::-1]


def find_conflicts(text: str, path: str) -> tuple[Finding, ...]:
    """Marks that an unfinished merge left behind."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return ()
    lines = split_lines(text)
    hidden = hidden_lines(lines)
    return tuple(
        Finding(path, n + 1, "merge conflict mark", "Keep one side, remove the marks.")
        for n, line in enumerate(lines)
        if n not in hidden and _CONFLICT.match(line)
    )
