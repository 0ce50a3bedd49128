"""Chat exports in JSON, read one conversation or one line at a time."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, cast

from reverie.importers.walk import Conversation, Provenance, opened, plain, redacted
from reverie.markdown import headline, one_line
from reverie.model.change import Secrets
from reverie.model.items import Finding, Severity
from reverie.secrets import kinds_in, screened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from reverie.importers.walk import ImportSource, Said

    Fields = dict[str, object]
    Parser = Callable[[Fields], tuple[Said, ...] | None]


_BROKEN = "Ask for the export again, or leave it; all others were read."


def read_chats(
    source: ImportSource,
    parse_turns: Parser,
    about: Callable[[Fields], tuple[str, str, datetime | None]],
) -> Iterator[Conversation | Finding]:
    """Read an export, holding one conversation at a time.

    Args:
        source: The export.
        parse_turns: The turns of a conversation; None for what is none.
        about: Its id, its title and when it began, as far as it says.
    """
    with opened(source) as stream:
        for element in elements(stream):
            if isinstance(element, Broken):
                yield _broken(source, element.number, element.what)
                continue
            for inner, raw in enumerate(_conversations(element.value)):
                fields, kinds = whole(source, raw)
                turns = parse_turns(fields)
                if turns is None:
                    what = "is not a conversation of this kind"
                    yield _broken(source, element.number, what)
                elif turns:
                    own = f"{source.name}#{element.number + inner}"
                    found = _conversation(source.kind, own, about(fields), turns)
                    yield from (redacted(found.origin.name, 0, kind) for kind in kinds)
                    yield found


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


def _conversations(value: object) -> list[Fields]:
    """The conversation an element is, or those in it."""
    fields = record(value)
    listed = rows(fields.get("conversations"))
    return [record(each) for each in listed] if listed else [fields]


def _conversation(
    kind: str,
    own: str,
    about: tuple[str, str, datetime | None],
    turns: tuple[Said, ...],
) -> Conversation:
    known, title, started = about
    return Conversation(
        Provenance(kind, known or own),
        title or headline(turns[0].text),
        started or next((turn.at for turn in turns if turn.at), None),
        turns,
    )


def _broken(source: ImportSource, number: int, what: str) -> Finding:
    what = f"conversation {number} {what}" if number else what
    return Finding(source.name, 0, what, _BROKEN, Severity.WARNING)


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
class Element:
    """One element of a list; its number is counted from 1."""

    number: int
    value: object


@dataclass(frozen=True, slots=True)
class Broken:
    """Where an element should be: what is wrong there instead."""

    number: int
    what: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file; its data is None where it is too long to be held."""

    number: int
    data: bytes | None
    ended: bool


def elements(stream: IO[bytes], longest: int = LONGEST) -> Iterator[Element | Broken]:
    """Read the list in a JSON file element by element.

    Holds no more than the element it is at. An object outside a list counts as
    one element, and so do several that stand one below the other.
    """
    window = _Window(stream)
    listed = window.peek() == "["
    if listed:
        window.at += 1
    elif window.peek() != "{":
        yield Broken(0, "is not a list of conversations")
        return
    yield from _numbered(window, longest)
    if listed and window.peek() != "]":
        yield Broken(0, "ends before its list does: the file is not complete")


def _numbered(window: _Window, longest: int) -> Iterator[Element | Broken]:
    number = 0
    stray = False
    while (char := window.peek()) not in {"", "]"}:
        if char in "{[":
            number += 1
            yield _element(number, window.take(longest))
            stray = False
            continue
        if not stray:
            number += 1
            yield Broken(number, "is not a conversation but something else")
        stray = True
        window.pass_over()


def _element(number: int, taken: str | Broken) -> Element | Broken:
    if isinstance(taken, Broken):
        return Broken(number, taken.what)
    try:
        return Element(number, json.loads(taken, strict=False))
    except (ValueError, RecursionError):
        return Broken(number, "is not valid JSON")


class _Window:
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


def lines(stream: IO[bytes], longest: int = LONGEST) -> Iterator[Line]:
    """Read a file line by line, however long its lines are."""
    number = 0
    while data := stream.readline(longest + 1):
        number += 1
        ended = data.endswith(b"\n")
        if ended or len(data) <= longest:
            yield Line(number, data, ended)
            continue
        while not ended and (data := stream.readline(CHUNK)):
            ended = data.endswith(b"\n")
        yield Line(number, None, ended)
