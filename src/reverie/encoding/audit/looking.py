"""What one text shows by itself: characters nobody sees, recalled text, and links."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from reverie.encoding.gate.echoes import cites_memory
from reverie.encoding.importing.walking import aside
from reverie.markdown import hidden_lines
from reverie.printable import printable
from reverie.recall.context_block import CLOSING, OPENING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


# --- characters that nobody sees ---------------------------------------------

_SPELLED = re.compile(r"⟦U\+([0-9A-F]{4,6})⟧")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,7}\U000e007f")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Mn", "Lo", "Zl", "Zp"})
_FINE = frozenset("\t\x0b\x0c\r\n\x85\xad\u200e\u200f\u061c")
"""Ends of lines, and what hyphens and languages written from the right need."""


def find_invisible(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Each line with a character that nobody sees, and the name of that."""
    for number, line in enumerate(lines, 1):
        if line.isascii() and line.rstrip("\r\n").isprintable():
            continue
        codes = _SPELLED.findall(printable(_FLAG.sub("", line)))
        for char in (chr(int(code, 16)) for code in codes):
            if unicodedata.category(char) in _UNSEEN and char not in _FINE:
                name = unicodedata.name(char, "control character").lower()
                yield number, f"U+{ord(char):04X} {name}"
                break


# --- what came out of memory -------------------------------------------------

_TAG = re.compile(
    r"[ \t>*+-]{0,12}<(?P<name>(?:relevant|recalled|retrieved|long[-_]term|user"
    r"|injected)[-_](?:memor(?:y|ies)|context)|memor(?:y|ies)[-_](?:context|block"
    r"|recall)|supermemory[-_]context|hindsight[-_]memories|system[-_]reminder)"
    r"(?:[ \t][^<>\n]{0,200})?>",
    re.IGNORECASE,
)
"""How programs mark what they put into a prompt."""

_CLOSING = re.compile(rf"{re.escape(CLOSING)}|</[\w-]{{1,40}}>")


def find_loops(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """What came out of memory: its first line, its last, and how that is known.

    Blocks that were put into a prompt, and lines that cite a memory by its place.
    """
    ends: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        for closing in _CLOSING.findall(line):
            ends[closing.lower()].append(number)
    hidden = hidden_lines(lines)
    done = 0
    for number, line in enumerate(lines, 1):
        if number <= done:
            continue
        what, closing = _opened(line) if number - 1 not in hidden else ("", "")
        if what:
            # One that is never closed ends at once.
            after = bisect_left(ends[closing], number)
            done = ends[closing][after] if after < len(ends[closing]) else number
            yield number, done, what
        elif cites_memory(line):
            yield number, number, "a line that cites a memory by its place"


def _opened(line: str) -> tuple[str, str]:
    """What a line opens, and what closes that."""
    if line.lstrip(" \t>*+-").startswith(OPENING):
        return "a block that Reverie put into a prompt", CLOSING
    found = _TAG.match(line)
    name = found["name"].lower() if found else ""
    return (f"a <{name}> block out of a prompt", f"</{name}>") if name else ("", "")


# --- links -------------------------------------------------------------------

_CODE = re.compile(r"(`+)(?!`).{0,2000}?(?<!`)\1(?!`)")
_WIKI = re.compile(
    r"(?<!\[)\[\[([^\s\[\]|#^][^\[\]|#^\n]{0,300})[^\[\]\n]{0,300}\]\](?!\])"
)
_INLINE = re.compile(r"\]\([ \t]{0,9}(?:<([^<>\n]{1,500})>|([^\s()<>]{1,500}))")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//|[#/?\\~]|.*[{}$]", re.IGNORECASE)


class Link(NamedTuple):
    """A link to another file: on which line, as it is written, and where it leads."""

    line: int
    written: str
    target: str
    wiki: bool = False


def find_links(lines: Sequence[str]) -> Iterator[Link]:
    """The links to other files in a text; code has none."""
    hidden = hidden_lines(lines)
    for number, line in enumerate(lines, 1):
        if ("](" not in line and "[[" not in line) or number - 1 in hidden:
            continue
        plain = _CODE.sub(" ", line)
        for found in _WIKI.finditer(plain):
            target = found[1].strip().rstrip("\\")
            yield Link(number, f"[[{target}]]", target, wiki=True)
        for found in _INLINE.finditer(plain):
            written = found[1] or found[2]
            target = unquote(re.split(r"[#?]", written)[0])
            if target and not _SCHEME.match(written):
                yield Link(number, f"({written})", target)


class Targets:
    """Everything that a link in a folder may lead to."""

    def __init__(self, root: Path, names: Iterable[str]) -> None:
        self._root = root
        self._paths: set[str] = set()
        self._notes: set[str] = set()
        for name in names:
            low = name.casefold()
            parts = low.split("/")
            self._paths.update("/".join(parts[:n]) for n in range(1, len(parts) + 1))
            # A note is found by its name, and by as much of its path as is written.
            ends = ["/".join(parts[n:]) for n in range(len(parts))]
            self._notes.update(ends, (end.removesuffix(".md") for end in ends))

    def name(self, titles: Iterable[str]) -> None:
        """Note what else a file is called."""
        self._notes.update(title.casefold() for title in titles)

    def leads_nowhere(self, link: Link, source: str) -> bool:
        """Whether nothing is where a link of a file leads.

        What is outside the folder, or hidden in it, is not looked at.
        """
        folder = posixpath.dirname(source)
        path = posixpath.normpath(posixpath.join(folder, link.target))
        low, note = path.casefold(), link.target.casefold().removesuffix(".md")
        if low in self._paths or f"{low}.md" in self._paths:
            return False
        if any(map(aside, path.split("/"))) or (link.wiki and note in self._notes):
            return False
        try:
            # A symbolic link is no file that is read, and leads somewhere all the same.
            return not (self._root / path).exists()
        except (OSError, ValueError):
            return True
