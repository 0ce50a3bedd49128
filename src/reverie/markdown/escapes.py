r"""What a memory says must never read as structure.

So a backslash is put into whatever could:

* a line that starts with `## `, `<<<<<<<` or `>>>>>>>` gets one in front;
* a code fence that is never closed gets one in front of its marks;
* a comment is opened `<\!--`.

Where such backslashes stand already, one is added, and reading takes one away:
`unescape(escape(text)) == tidy(text)` for every text.
"""

from __future__ import annotations

import re

from reverie.markdown.lines import enclosures, tidy

_LINE_MARK = re.compile(r"(\\*)(?=##(?!\S)|<{7}|>{7})")
_FENCE_MARK = re.compile(r"( *)(\\*)(?=```|~~~)")


def escape(text: str, *, item: bool = False, fences: bool = True) -> str:
    """Write a text so that nothing in it reads as structure.

    Args:
        text: Any text; white space at its edges is dropped.
        item: Whether it goes into a list item, whose first line opens no fence.
        fences: Whether closed code fences may stay fences.
    """
    lines = re.sub(r"<(\\*)!--", r"<\\\1!--", tidy(text)).split("\n")
    if fences:
        skip = 1 if item else 0
        spans = enclosures(lines[skip:])
        loose = {start + skip for start, end in spans if start == end}
        loose |= set(range(skip))
    else:
        loose = set(range(len(lines)))
    return "\n".join(
        _escape_line(line, loose=n in loose) for n, line in enumerate(lines)
    )


def _escape_line(line: str, *, loose: bool) -> str:
    if _LINE_MARK.match(line):
        return f"\\{line}"
    fence = _FENCE_MARK.match(line)
    if fence and (fence[2] or loose):
        return f"{fence[1]}\\{line[fence.end(1) :]}"
    return line


def unescape(text: str) -> str:
    """Read what `escape` wrote."""
    lines = "\n".join(map(_unescape_line, text.split("\n")))
    return re.sub(r"<\\(\\*)!--", r"<\1!--", lines)


def _unescape_line(line: str) -> str:
    mark = _LINE_MARK.match(line)
    if mark:
        return line[1:] if mark[1] else line
    fence = _FENCE_MARK.match(line)
    return fence[1] + line[fence.end(1) + 1 :] if fence and fence[2] else line


def quoted(text: str) -> str:
    """A text as a quotation: a mark in front of every line."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def unquoted(text: str) -> str:
    """Read what `quoted` wrote; what is not marked on every line stays as it is."""
    lines = without_comments(text).split("\n")
    if not all(line.startswith(">") for line in lines if line.strip()):
        return text
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines)


def without_comments(text: str) -> str:
    """A text without its HTML comments; one that is never closed stays."""
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start)
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + 3
    return "".join([*kept, text[at:]])


def visible(text: str) -> str:
    """What a reader sees of a written text: no comments, no escapes."""
    return unescape(tidy(without_comments(text)))
