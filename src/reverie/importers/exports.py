"""Chat exports in JSON, read one conversation or one line at a time."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, cast

from reverie.importers.walk import Chat, Provenance, opened, plain, redacted
from reverie.markdown import headline, one_line
from reverie.model.change import Secrets
from reverie.model.items import Finding, Severity
from reverie.secrets import kinds_in, screened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from reverie.importers.walk import ChatTurn, ImportSource

    Fields = dict[str, object]
    Parser = Callable[[Fields], tuple[ChatTurn, ...] | None]


_BROKEN = "Ask for the export again, or leave it; all others were read."


def read_chats(
    source: ImportSource,
    parse_turns: Parser,
    about: Callable[[Fields], tuple[str, str, datetime | None]],
) -> Iterator[Chat | Finding]:
    """Read an export, holding one conversation at a time.

    Args:
        source: The export.
        parse_turns: The turns of a conversation; None for what is none.
        about: Its id, its title and when it began, as far as it says.
    """

    def broken(number: int, what: str) -> Finding:
        what = f"conversation {number} {what}" if number else what
        return Finding(source.name, 0, what, _BROKEN, Severity.WARNING)

    with opened(source) as stream:
        for element in elements(stream):
            if isinstance(element, Broken):
                yield broken(element.number, element.what)
                continue
            listed = rows(record(element.value).get("conversations"))
            for inner, raw in enumerate(listed or [element.value]):
                fields, kinds = whole(source, record(raw))
                turns = parse_turns(fields)
                if turns is None:
                    yield broken(element.number, "is not a conversation of this kind")
                elif turns:
                    own, title, started = about(fields)
                    name = own or f"{source.name}#{element.number + inner}"
                    yield from (redacted(name, 0, kind) for kind in kinds)
                    yield Chat(
                        Provenance(source.kind, name),
                        title or headline(turns[0].text),
                        started or next((turn.at for turn in turns if turn.at), None),
                        turns,
                    )


def whole(source: ImportSource, fields: Fields) -> tuple[Fields, tuple[str, ...]]:
    """A record as it was exported, without secrets, before anything of it is read.

    Returns:
        The record, and the kinds of secrets that were redacted in it.
    """
    if source.secrets is Secrets.KEEP:
        return fields, ()
    clean = screened(fields)
    told = clean != fields and source.secrets is Secrets.REDACT
    return clean, kinds_in(fields) if told else ()


def path_to(last: str, parents: dict[str, str]) -> list[str]:
    """The ids from the first to the last one, where each knows the one before it."""
    path: dict[str, None] = {}
    at = last
    while at in parents and at not in path:
        path[at] = None
        at = parents[at]
    return list(reversed(path))


def identity(fields: Fields, *keys: str) -> str:
    """The first of some fields that names something."""
    return next((found for key in keys if (found := name(fields.get(key)))), "")


def record(value: object) -> dict[str, object]:
    """The value if it is an object, else an empty one."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def rows(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def label(value: object) -> str:
    """The value as it is, if it is a text; for what is only compared."""
    return value if isinstance(value, str) else ""


def words(value: object) -> str:
    """The value as plain text without blank edges, if it is a text at all."""
    return plain(value).strip() if isinstance(value, str) else ""


def name(value: object) -> str:
    """The value as one line, if it is a text; for titles and ids."""
    return one_line(words(value))


CHUNK = 1 << 20
LONGEST = 64 << 20
"""Characters of one conversation, or bytes of one line; a longer one is left out."""

_QUOTED = r'[^"\\]*+(?:\\.[^"\\]*+)*+("?)'
_REST_OF_TEXT = re.compile(_QUOTED, re.DOTALL)
_MARKS = re.compile(rf'"{_QUOTED}|[{{}}\[\]]', re.DOTALL)
_BETWEEN = re.compile(r"[\s,]*")
_SCALAR = re.compile(r'[^\s,\[\]{}"]+')


@dataclass(frozen=True, slots=True)
class ListElement:
    """One element of a list; its number is counted from 1."""

    number: int
    value: object


@dataclass(frozen=True, slots=True)
class Broken:
    """Where an element should be: what is wrong there instead."""

    number: int
    what: str


@dataclass(frozen=True, slots=True)
class ExportLine:
    """One line of a file; its data is None where it is too long to be held."""

    number: int
    data: bytes | None
    ended: bool


def elements(
    stream: IO[bytes], longest: int = LONGEST
) -> Iterator[ListElement | Broken]:
    """Read the list in a JSON file element by element.

    Holds no more than the element it is at. An object outside a list counts as
    one element, and so do several that stand one below the other.
    """
    window = _Lookahead(stream)
    listed = window.peek() == "["
    if listed:
        window.at += 1
    elif window.peek() != "{":
        yield Broken(0, "is not a list of conversations")
        return
    number, stray = 0, False
    while (char := window.peek()) not in {"", "]"}:
        if char in "{[":
            number, stray = number + 1, False
            taken = window.take(longest)
            try:
                if isinstance(taken, str):
                    yield ListElement(number, json.loads(taken, strict=False))
                else:
                    yield Broken(number, taken.what)
            except (ValueError, RecursionError):
                yield Broken(number, "is not valid JSON")
            continue
        if not stray:
            number += 1
            yield Broken(number, "is not a conversation but something else")
        stray = True
        window.pass_over()
    if listed and window.peek() != "]":
        yield Broken(0, "ends before its list does: the file is not complete")


class _Lookahead:
    """The part of a long text that is being looked at."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self.text = ""
        self.at = 0

    def peek(self) -> str:
        """The next character that matters; nothing at the end."""
        self.skip(_BETWEEN)
        while self.at == len(self.text) and self._more():
            self.skip(_BETWEEN)
        return self.text[self.at : self.at + 1]

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Go past what the pattern matches here."""
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at + 1

    def pass_over(self) -> None:
        """Go past something that is neither list nor object."""
        if self.text[self.at] != '"':
            self.skip(_SCALAR)
            return
        self.at += 1
        while rest := _REST_OF_TEXT.match(self.text, self.at):
            self.at = rest.end()
            if rest[1] or not self._more():
                return

    def take(self, longest: int) -> str | Broken:
        """The brackets that open here and all between them, however far it goes."""
        depth, quoted, too_long = 0, False, False
        look = self.at
        while True:
            depth, quoted, look, closed = _follow(self.text, look, depth, quoted=quoted)
            too_long = too_long or look - self.at > longest
            if closed:
                taken, self.at = self.text[self.at : look], look
                return Broken(0, f"is longer than {longest:,}") if too_long else taken
            if too_long:
                self.at = look
            look -= self.at
            if not self._more():
                self.at = len(self.text)
                return Broken(0, "is cut off: the file ends in the middle of it")

    def _more(self) -> bool:
        """Read on, and let go of what is behind; false at the end of the file."""
        kept = self.text[self.at :]
        data = self._stream.read(max(CHUNK, len(kept)))
        self.text, self.at = kept + self._decoder.decode(data, not data), 0
        return bool(data)


def _follow(
    text: str, start: int, depth: int, *, quoted: bool
) -> tuple[int, bool, int, bool]:
    """Follow brackets from a place until the outermost one closes, or the text ends.

    Returns:
        Depth, whether inside quotes, the place to go on from, and whether it closed.
    """
    if quoted:
        rest = _REST_OF_TEXT.match(text, start)
        start, quoted = (rest.end(), not rest[1]) if rest else (start, True)
    for found in () if quoted else _MARKS.finditer(text, start):
        mark = text[found.start()]
        if mark == '"':
            start, quoted = found.end(), not found[1]
        elif mark in "{[":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return 0, False, found.end(), True
    return depth, quoted, start if quoted else len(text), False


def lines(stream: IO[bytes], longest: int = LONGEST) -> Iterator[ExportLine]:
    """Read a file line by line, however long its lines are."""
    number = 0
    while data := stream.readline(longest + 1):
        number += 1
        ended = data.endswith(b"\n")
        if ended or len(data) <= longest:
            yield ExportLine(number, data, ended)
            continue
        while not ended and (data := stream.readline(CHUNK)):
            ended = data.endswith(b"\n")
        yield ExportLine(number, None, ended)
