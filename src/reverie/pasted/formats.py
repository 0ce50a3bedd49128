"""Find logs, traces, terminals, data and code."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from reverie.pasted.lines import DAY, JSON_KEY, MessageLines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.pasted.lines import Span


_LEVEL = (
    r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|FATAL|CRIT(?:ICAL)?"
    r"|SEVERE|EMERG|ALERT)"
)
_LOG = re.compile(
    rf"""[\[(<"']?(?:
      {DAY}[T\s,]\s?\d{{2}}:\d{{2}}:\d{{2}}[^\s\]]*
    | {DAY}[T\s,]\s?\d{{2}}:\d{{2}}\]?\s+[\[(]?{_LEVEL}\b
    | \d{{2}}:\d{{2}}:\d{{2}}(?:[.,]\d{{1,9}})?[\]\s]
    | [A-Z][a-z]{{2}}\s+\d{{1,2}}\s\d{{2}}:\d{{2}}:\d{{2}}\s
    | \d{{1,2}}/[A-Z][a-z]{{2}}/\d{{4}}:\d{{2}}:\d{{2}}
    | \d{{10,13}}(?:\.\d+)?\s+[\[(]?{_LEVEL}\b
    | \[\s*\d{{1,9}}\.\d{{6}}\]\s
    )""",
    re.VERBOSE,
)
_ACCESS = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}\s[^\n]{0,60}\[\d{1,2}/[A-Z][a-z]{2}/\d{4}:"
)
_LEVELLED = re.compile(rf"[\[(<]?{_LEVEL}[\])>]?(?::|\s*\||\s{{1,8}}[\[(\w.])")
_FRAME = re.compile(
    r"""at\s[\w$.<>/\[\]` ]{1,200}\(.{0,300}\)\s*$
    | at\s\S{1,300}:\d+(?::\d+)?\)?$
    | File\s"[^"\n]{1,300}",\sline\s\d+
    | (?:from\s)?[\w./\\-]{1,300}:\d+:in\s
    | \#\d+\s+(?:0x[0-9a-f]+|\S{1,300}:\d+|\S{1,200}\()
    | goroutine\s\d+\s\[
    | \.{3}\s\d+\s(?:more|common)
    | \d+:\s+0x[0-9a-f]{4,}
    """,
    re.VERBOSE,
)
_RAISED = re.compile(
    r"""Traceback\s\(most\srecent\scall\slast\):
    | Exception\sin\sthread\s
    | Caused\sby:\s
    | thread\s'.{1,60}'\spanicked\sat
    | panic:\s
    | (?:Uncaught\s)?(?:[\w$]{1,60}[.:]{1,2}){0,12}[A-Z]\w{0,60}
      (?:Error|Exception|Warning)\b
    | \w{1,60}(?:\.\w{1,60}){1,12}:\s
    """,
    re.VERBOSE,
)
_PROMPT = re.compile(
    r"\$\s[a-z./~]\S*|[\w.-]{1,60}@[\w.-]{1,60}[:\s][^\s$#%]{0,200}[$#%]\s|PS\s[A-Z]:\\|[A-Z]:\\[^>\n]{0,200}>"
)


def find_logs(message: MessageLines) -> Iterator[Span]:
    """Lines with the time or the level of a log, and what is indented below them."""
    exact = [bool(_LOG.match(line) or _ACCESS.match(line)) for line in message.lines]
    levelled = [bool(_LEVELLED.match(line)) for line in message.lines]
    both = any(map(_is_single_log, message.lines))
    if sum(exact) > 1 or sum(levelled) > 1 or both:
        yield from _runs(message, lambda number: exact[number] or levelled[number])


def _is_single_log(line: str) -> bool:
    """Return whether one line is from a log: it has a time and a level."""
    found = _LOG.match(line)
    rest = line[found.end() : found.end() + 80] if found else ""
    return bool(_ACCESS.match(line)) or bool(re.search(rf"\b{_LEVEL}\b", rest))


def _runs(message: MessageLines, matches: Callable[[int], bool]) -> Iterator[Span]:
    """In each block, the first match to the last, and indented lines below."""
    for start, end in message.blocks:
        found = [number for number in range(start, end) if matches(number)]
        if found:
            last = found[-1] + 1
            while last < end and message.indented[last]:
                last += 1
            yield found[0], last


def find_traces(message: MessageLines) -> Iterator[Span]:
    """Stack traces, with the line that names the error."""
    frames = [bool(_FRAME.match(line)) for line in message.lines]
    raised = [bool(_RAISED.match(line)) for line in message.lines]
    for start, end in message.blocks:
        found = [number for number in range(start, end) if frames[number]]
        named = [number for number in range(start, end) if raised[number]]
        opens = any(
            message.lines[number].startswith(
                ("Traceback (most", "panic: ", "goroutine ")
            )
            for number in named
        )
        if len(found) < 2 and not (found and named) and not opens:
            continue
        first, last = min((*found, *named)), max((*found, *named)) + 1
        while last < end and (message.indented[last] or raised[last]):
            last += 1
        yield first, last


def find_terminals(message: MessageLines) -> Iterator[Span]:
    """Command lines with a prompt, and the output below them."""
    for start, end in message.blocks:
        for number in range(start, end):
            if _PROMPT.match(message.lines[number]):
                yield number, end
                break


_JSON_START = re.compile(r"(?:[\[{]$|\{\s*[\"'}]|\[\s*[\"{\[])")
_JSON_LINE = re.compile(r"[\[\]{}\",]|-?\d|(?:true|false|null)\b")
_TAG = re.compile(
    r"<(?:(?P<name>[A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,2000})?/?>|\?xml\s|!DOCTYPE\s|!--)"
)
_CLOSED = re.compile(r"</([A-Za-z][\w:.-]{0,60})\s*>")
_SEPARATORS = "\t|;,"
_DIFF = re.compile(r"diff --git |@@ -\d|Index: |index [0-9a-f]{6,}\.\.")
_DIFF_LINE = re.compile(
    r"[-+ @\\]|(?:index|diff|new|old|similarity|rename|copy|deleted|Binary|GIT) "
)
_SETTING = re.compile(r"(?:export\s)?[A-Za-z_][\w.-]{0,80}=\S|\[[\w.\s:\"-]{1,80}\]$")
_CODE = tuple(
    map(
        re.compile,
        (
            r"[^\n]*(?:[{};]|\);?|\):)$",
            r"[^\n]*?\w\([^()\n]*\)",
            r"[\w.\[\]\"']{1,80}\s*(?:[-+*/:|&]?=|:=)\s*\S",
            r"(?://|/\*|\*/|#!|#include\b|--\s\w|@\w)",
            r"[^\n]*?(?:=>|->|::|&&|\|\||!=|==|</|/>)",
        ),
    )
)


def find_json(message: MessageLines) -> Iterator[Span]:
    """JSON that starts on a line of its own."""
    number, lines = 0, message.lines
    while number < len(lines):
        start = number
        number += 1
        if not _JSON_START.match(lines[start]):
            continue
        last, keys = start, bool(JSON_KEY.search(lines[start]))
        while number < len(lines) and (
            not lines[number] or _JSON_LINE.match(lines[number])
        ):
            last = number if lines[number] else last
            keys = keys or bool(JSON_KEY.search(lines[number]))
            number += 1
        if keys or last > start + 1:
            yield start, last + 1


def find_markup(message: MessageLines) -> Iterator[Span]:
    """XML and HTML, from the tag that opens a line to the one that closes it."""
    closed: dict[str, int] = {}
    for number, line in enumerate(message.lines):
        closed.update((name.casefold(), number) for name in _CLOSED.findall(line))
    done = 0
    for number, line in enumerate(message.lines):
        found = _TAG.match(line) if number >= done else None
        if not found:
            continue
        name = (found["name"] or "").casefold()
        last = closed.get(name, -1)
        if last >= number:
            done = last + 1
            yield number, done
        elif not name or line.endswith(">"):
            done = number + 1
            while done < len(message.lines) and message.lines[done].startswith("<"):
                done += 1
            yield number, done


def find_tables(message: MessageLines) -> Iterator[Span]:
    """Rows with the same number of separators."""
    for start, end in message.blocks:
        for separator in _SEPARATORS:
            least = 2 if separator in "\t|" else 3
            columns = [
                _columns(message.raw[number].strip("\r\n"), separator)
                for number in range(start, end)
            ]
            number = start
            for count, group in groupby(columns):
                size = len([*group])
                if count and size >= least:
                    yield number, number + size
                number += size


def _columns(line: str, separator: str) -> int:
    """Return how many separators a row has; 0 for a line of prose."""
    count = line.count(separator)
    if separator == "|":
        return 1 if count > 1 and line.strip()[0] == "|" == line.strip()[-1] else 0
    if separator == "\t":
        return count if line.strip().count("\t") else 0
    # In prose a blank follows; fields of a table follow at once.
    return count if count > 1 and line.count(f"{separator} ") * 2 < count else 0


def find_diffs(message: MessageLines) -> Iterator[Span]:
    """A diff from its header or hunk to the last line that belongs to one."""
    lines, number = message.raw, 0
    while number < len(lines):
        here = lines[number]
        below = lines[number + 1] if number + 1 < len(lines) else ""
        paired = here.startswith("--- ") and below.startswith("+++ ")
        if not (_DIFF.match(here) or paired):
            number += 1
            continue
        start = number
        number += 1
        while number < len(lines) and _DIFF_LINE.match(lines[number]):
            number += 1
        yield start, number


def find_code(message: MessageLines) -> Iterator[Span]:
    """Code and settings without a fence."""
    for start, end in message.blocks:
        size = end - start
        lines = message.lines[start:end]
        if size < 3:
            continue
        if sum(bool(_SETTING.match(line)) for line in lines) >= max(3, 0.8 * size):
            yield start, end
            continue
        features = [
            {kind for kind, way in enumerate(_CODE) if way.match(line[:400])}
            for line in lines
        ]
        strong = set().union(*features)
        has_code = sum(
            bool(found) or message.indented[start + at]
            for at, found in enumerate(features)
        )
        first = next((at for at, found in enumerate(features) if found), 0)
        body = size - first
        if len(strong) > 1 and has_code >= max(3, 0.6 * body):
            last = max(
                at
                for at, found in enumerate(features)
                if found or message.indented[start + at]
            )
            yield start + first, start + last + 1
