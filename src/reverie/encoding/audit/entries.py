"""The entries of Markdown texts, and those that stand there twice or nearly so.

The same are those of the same letters, whatever their case, blanks and the marks
around them. Nearly the same are those that have nearly all words and all numbers in
common; whether they mean the same is not for a program to say. Two such texts share
one of their rarest words, so each is compared only with those that have one of them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.importing.front_matter import parse_front_matter
from reverie.index.text import words
from reverie.markdown import headline, hidden_lines, one_line, split_lines, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.audit import Spot

SHARE = 0.85
"""The share of all words of two texts that nearly the same ones have in common."""

FEW = 5
"""Fewer words mean something else in another file or under another heading."""

LEAST, LONGEST = 8, 4_000
"""Words from which, and letters up to which, texts are compared word by word."""

COMPARED = 64
"""So many of those that have a rare word in common are looked at."""

_EDGES = " \t\n*_`~>#\"'.,;:!…()[]-"
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(?P<words>.*)|$)")
_MARKER = re.compile(
    r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t]|$)(?:[ \t]+\[[ xX/-]\](?=[ \t]|$))?[ \t]*"
)
_RULE = re.compile(r"[ \t]*(?:(?:[-*_=~.][ \t]*){3,}|\|[-:| \t]+)$")
_STRUCK = re.compile(r"[>\s]*~~.*~~\W*", re.DOTALL)


class Entry(NamedTuple):
    """A list item, paragraph or row: its line, what a reader sees, its heading."""

    line: int
    text: str
    under: str


def cut_entries(text: str) -> Iterator[Entry]:
    """The entries of a text; front matter, headings and what is struck out are none."""
    for first, lines, under in _blocks(text):
        found = _MARKER.match(lines[0])
        told = visible("".join([lines[0][found.end() if found else 0 :], *lines[1:]]))
        if told and not _STRUCK.fullmatch(told):
            yield Entry(first + 1, told, under)


def _blocks(text: str) -> Iterator[tuple[int, list[str], str]]:
    """First line, lines and heading of all that belongs together."""
    lines = split_lines(text)
    hidden, above = hidden_lines(lines), parse_front_matter(text).lines
    under, first, block = "", 0, list[str]()
    for n, line in enumerate(lines[above:], above):
        if n in hidden:
            block += [line] if block else []
            continue
        bare = line.rstrip("\r\n")
        heading, rule = _HEADING.match(bare), bool(_RULE.match(bare))
        row = line.lstrip().startswith("|")
        if heading or rule or row or not bare.strip() or _MARKER.match(bare):
            # What stands above the rule of a table are its heads.
            if block and not (rule and row):
                yield first, block, under
            block = []
        if heading:
            under = heading["words"] or ""
        elif bare.strip() and not rule:
            first = first if block else n
            block.append(line)
    if block:
        yield first, block, under


@dataclass(slots=True, eq=False)
class Held:
    """How a text begins, where it stands, and its words as numbers, if compared."""

    realm: str
    quote: str
    spots: list[Spot] = field(default_factory=list)
    terms: array[int] = field(default_factory=lambda: array("L"))
    figures: frozenset[str] = frozenset()


class Repeats:
    """Texts of a folder, each once; their words are kept if they are compared."""

    def __init__(self, *, compared: bool = False) -> None:
        self._compared = compared
        self.texts: dict[int, Held] = {}
        self._numbers: dict[str, int] = {}
        self._often = array("L")

    def add(self, text: str, spot: Spot, realm: str = "", under: str = "") -> int:
        """Note a text; tells in how many places of its realm it stands by now."""
        said = one_line(unicodedata.normalize("NFKC", text).casefold())
        said = said.strip(_EDGES) or said
        found = words(said[:LONGEST])
        key = hash((said, realm, (spot.path, under) if len(found) < FEW else ()))
        held = self.texts.get(key)
        if held is None:
            held = self.texts[key] = Held(realm, headline(one_line(text[:LONGEST])))
            if self._compared and len(found) >= LEAST and len(said) <= LONGEST:
                held.terms = array("L", map(self._number, dict.fromkeys(found)))
                held.figures = frozenset(w for w in found if not w.isalpha())
        held.spots.append(spot)
        return len(held.spots)

    def _number(self, word: str) -> int:
        number = self._numbers.setdefault(word, len(self._often))
        if number == len(self._often):
            self._often.append(0)
        self._often[number] += 1
        return number

    def same(self) -> Iterator[Held]:
        """Every text that stands in several places."""
        return (held for held in self.texts.values() if len(held.spots) > 1)

    def near(self) -> Iterator[tuple[Held, list[Held]]]:
        """Texts with those that are nearly the same; each text is told of once."""
        texts = [held for held in self.texts.values() if held.terms]
        having: defaultdict[int, list[Held]] = defaultdict(list)
        groups: dict[Held, list[Held]] = {}
        for held in sorted(texts, key=lambda h: len(h.terms)):
            rare = self._rarest(held)
            # The last ones are nearest to it in length.
            among = {o: 0 for term in rare for o in having[term][-COMPARED:]}
            first = next((o for o in among if _alike(o, held)), None)
            if first is not None:
                groups.setdefault(first, []).append(held)
                continue
            for term in rare:
                having[term].append(held)
        yield from groups.items()

    def _rarest(self, held: Held) -> list[int]:
        """So many of its rarest words that any text alike has one of them, too."""
        most = len(held.terms) - math.ceil(SHARE * len(held.terms)) + 1
        return sorted(held.terms, key=lambda term: (self._often[term], term))[:most]


def _alike(short: Held, long: Held) -> bool:
    if len(short.terms) < SHARE * len(long.terms) or short.figures != long.figures:
        return False
    common = len(set(short.terms).intersection(long.terms))
    both = len(short.terms) + len(long.terms) - common
    return short.realm == long.realm and common >= SHARE * both
