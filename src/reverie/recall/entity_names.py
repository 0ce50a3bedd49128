"""Find the entities that a question names, also by a part or a typing error."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from reverie.index.text import STOP_WORDS, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ALIKE = 0.84
"""Two spellings so alike are taken for one name,"""

SHORTEST = 4
"""but only of names that are at least so long."""

PARTLY = 0.8
"""How sure it is that a part of somebody's name means them; half of it if several
people have it."""

_CAPITAL = re.compile(r"[^\W\d_a-z][^\W\d_]+")


class NamedEntity(NamedTuple):
    """An entity that a question names.

    Attributes:
        id: Its id without the kind: `person--alex`.
        said: The words of the question.
        sure: 1 for its very name, less for a name that is only alike.
    """

    id: str
    said: str
    sure: float


class EntityNames:
    """The names of all entities, ready to be looked for."""

    def __init__(self, entities: Mapping[str, Iterable[str]]) -> None:
        self._names: dict[tuple[str, ...], set[str]] = {}
        for id_, names in entities.items():
            for name in (*names, id_.partition("--")[2]):
                key = tuple(words(name))
                if not STOP_WORDS.issuperset(key):
                    self._names.setdefault(key, set()).add(id_)
        self._longest = max(map(len, self._names), default=0)
        self._typed = _parts_by_type(self._names)
        # People are called by a part of their name (Alex is Alex Kim), everything else
        # by several words of it: New Horizons is the New Horizons Workshop.
        self._partly: dict[tuple[str, ...], set[str]] = {}
        for key, ids in self._names.items():
            people = {id_ for id_ in ids if id_.startswith("person--")}
            for part in set(key) if len(key) > 1 and people else ():
                if len(part) > 2 and part not in STOP_WORDS and part != "person":
                    self._partly.setdefault((part,), set()).update(people)
            for length in range(2, len(key)):
                for start in range(len(key) - length + 1):
                    run = key[start : start + length]
                    if STOP_WORDS.isdisjoint(run):
                        self._partly.setdefault(run, set()).update(ids)
        self._alike: dict[tuple[int, str], list[tuple[str, ...]]] = {}
        for key in self._names:
            self._alike.setdefault((len(key), key[0][0]), []).append(key)

    def find(
        self, question: str, known: Callable[[str], bool], *, about: bool = False
    ) -> tuple[NamedEntity, ...]:
        """The entities a question names, the longest names first.

        Args:
            question: Its text.
            known: Whether a word stands anywhere; one that does is not misspelt.
            about: Whether it asks about somebody, so that a part of a name is meant
                as one whether or not it has a capital.
        """
        said = words(question)
        capitals = {part.casefold() for part in _CAPITAL.findall(question)}
        found: dict[str, NamedEntity] = {}
        taken: set[int] = set()
        runs = [
            (tuple(said[start : start + length]), set(range(start, start + length)))
            for length in range(min(max(self._longest, 2), len(said)), 0, -1)
            for start in range(len(said) - length + 1)
        ]
        named = ((run, at, self._exactly(run)) for run, at in runs)
        typed = ((run, at, self._by_part(run, self._typed)) for run, at in runs)
        partly = (
            (run, at, self._by_part(run, self._partly))
            for run, at in runs
            if about or capitals.issuperset(run)
        )
        unknown = {w for w in set(said) if len(w) >= SHORTEST and not known(w)}
        misspelt = (
            (run, at, self._guess(run)) for run, at in runs if unknown.intersection(run)
        )
        for run, at, ids in chain(named, typed, partly, misspelt):
            if ids and taken.isdisjoint(at):
                taken |= at
                for id_, sure in sorted(ids.items()):
                    found.setdefault(id_, NamedEntity(id_, " ".join(run), sure))
        return tuple(found.values())

    def _exactly(self, run: tuple[str, ...]) -> dict[str, float]:
        """Those of a very name, also with the `s` of a genitive."""
        ids = next(filter(None, map(self._names.get, _forms(run))), set())
        return dict.fromkeys(ids, 1.0)

    def _by_part(
        self, run: tuple[str, ...], parts: Mapping[tuple[str, ...], set[str]]
    ) -> dict[str, float]:
        """Return those of whose names it is a part."""
        ids = next(filter(None, map(parts.get, _forms(run))), set())
        return dict.fromkeys(ids, PARTLY if len(ids) == 1 else PARTLY / 2)

    def _guess(self, run: tuple[str, ...]) -> dict[str, float]:
        """Those whose names are only alike."""
        text, found = " ".join(run), dict[str, float]()
        matcher = SequenceMatcher(b=text)
        for key in self._alike.get((len(run), text[0]), ()):
            name = " ".join(key)
            if abs(len(name) - len(text)) <= 2 and len(name) >= SHORTEST:
                matcher.set_seq1(name)
                if matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE:
                    found |= dict.fromkeys(self._names[key], matcher.ratio())
        return found


def _parts_by_type(
    names: Mapping[tuple[str, ...], Iterable[str]],
) -> dict[tuple[str, ...], set[str]]:
    """Return entities by a word of their name beside their type.

    The memory project, or project memory, is `project--moltbot-memory`.
    """
    found: dict[tuple[str, ...], set[str]] = {}
    for key, ids in names.items():
        for id_ in ids if len(key) > 1 else ():
            kind = id_.partition("--")[0]
            for part in {word for word in key if len(word) > 2} - STOP_WORDS - {kind}:
                found.setdefault((part, kind), set()).add(id_)
                found.setdefault((kind, part), set()).add(id_)
    return found


def _forms(run: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Some words as they are, and without the `s` of a genitive."""
    yield run
    if len(run) > 1 and run[-1] == "s":
        yield run[:-1]
    yield (*run[:-1], run[-1].removesuffix("s"))
