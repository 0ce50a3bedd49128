"""What the new episodes speak of most."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from reverie.encoding.routing import entity_id
from reverie.index.words import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.reflection.rules.knowing import Library
    from reverie.reflection.rules.listening import Statement

MOST = 5
OFTEN = 2
"""In so many episodes a theme must stand."""


def themes_in(statements: Iterable[Statement], library: Library) -> tuple[str, ...]:
    """The few things and words that most episodes name, the commonest first."""
    shown: dict[str, Counter[str]] = defaultdict(Counter)
    where: dict[str, set[str]] = defaultdict(set)
    for said in statements:
        for key, form in _topics(said, library):
            shown[key][form] += 1
            where[key].add(said.episode.id)
    often = [key for key in where if len(where[key]) >= OFTEN]
    often.sort(key=lambda key: (-len(where[key]), key))
    return tuple(shown[key].most_common(1)[0][0] for key in often[:MOST])


def _topics(said: Statement, library: Library) -> Iterator[tuple[str, str]]:
    """Keys by which a topic is known again, and how it is shown."""
    route = said.filing.route
    covered: set[str] = set()
    for one in route.entities:
        name = entity_id(one, said.known)
        slug = name.partition("--")[2]
        covered.add(slug)
        if name != library.owner and (one.name[:1].isupper() or library.entity(name)):
            (key,) = stems([slug])
            yield key, library.label(name) if library.entity(name) else one.name
    for tag in route.tags:
        if tag not in covered:
            (key,) = stems([tag])
            yield key, tag.replace("-", " ")
