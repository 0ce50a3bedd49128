"""Which entities a question names: by label, alias or id, also misspelt."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from reverie.index.words import STOP_WORDS, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

ALIKE = 0.84
"""Two spellings so alike are taken for one name,"""

SHORTEST = 4
"""but only of names that are at least so long."""

FADE = 0.5
"""What a hop in the graph leaves of a suggestion."""

WIDEST = 50
"""So many neighbours of one entity are followed."""


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a question names.

    Attributes:
        id: Its id without the kind: `person--alex`.
        said: The words of the question.
        sure: 1 for its very name, less for a name that is only alike.
    """

    id: str
    said: str
    sure: float


class Names:
    """The names of all entities, ready to be looked for."""

    def __init__(self, entities: Mapping[str, Iterable[str]]) -> None:
        self._names: dict[tuple[str, ...], set[str]] = {}
        for id_, names in entities.items():
            for name in (*names, id_.partition("--")[2]):
                key = tuple(words(name))
                if key and any(word not in STOP_WORDS for word in key):
                    self._names.setdefault(key, set()).add(id_)
        self._longest = max(map(len, self._names), default=0)
        self._single: dict[str, list[str]] = {}
        for key in self._names:
            if len(key) == 1:
                self._single.setdefault(key[0][0], []).append(key[0])

    def find(self, question: str, known: Callable[[str], bool]) -> tuple[Named, ...]:
        """The entities a question names, the longest names first.

        Args:
            question: Its text.
            known: Whether a word stands anywhere; one that does is not misspelt.
        """
        said = words(question)
        found: dict[str, Named] = {}
        taken: set[int] = set()
        for length in range(min(self._longest, len(said)), 0, -1):
            for start in range(len(said) - length + 1):
                span = range(start, start + length)
                part = said[start : start + length]
                if taken.isdisjoint(span) and self._take(part, found):
                    taken |= set(span)
        left = [word for n, word in enumerate(said) if n not in taken]
        for word in left:
            if len(word) >= SHORTEST and not known(word):
                self._guess(word, found)
        return tuple(found.values())

    def _take(self, part: Sequence[str], found: dict[str, Named]) -> bool:
        ids = self._names.get(tuple(part)) or self._names.get(_singular(part), set())
        for id_ in sorted(ids):
            found.setdefault(id_, Named(id_, " ".join(part), 1.0))
        return bool(ids)

    def _guess(self, text: str, found: dict[str, Named]) -> None:
        """Names of one word that are only alike."""
        matcher = SequenceMatcher(b=text)
        for name in self._single.get(text[0], ()):
            if abs(len(name) - len(text)) <= 2 and len(name) >= SHORTEST:
                matcher.set_seq1(name)
                if matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE:
                    for id_ in sorted(self._names[name,]):
                        found.setdefault(id_, Named(id_, text, matcher.ratio()))


def _singular(part: Sequence[str]) -> tuple[str, ...]:
    """Without the `s` that a genitive leaves behind."""
    return tuple(part[:-1]) if len(part) > 1 and part[-1] == "s" else ()


def walk(
    start: Mapping[str, float],
    beside: Callable[[Iterable[str]], Mapping[str, Iterable[str]]],
    depth: int,
) -> dict[str, float]:
    """What the graph leads to from some entities, each hop counting half.

    Args:
        start: Where to start, and how sure that is.
        beside: Which entities some others are linked with.
        depth: How many hops to go.
    """
    reached, border = dict(start), dict(start)
    for _ in range(depth):
        step: dict[str, float] = {}
        for name, others in beside(border).items():
            for other in sorted(others)[:WIDEST]:
                if other not in reached:
                    step[other] = max(step.get(other, 0.0), border[name] * FADE)
        reached |= step
        border = step
    return reached
