"""Link a fact and an episode that tell the same event.

An agent often stores what happened as an episode and again as facts. Both stay, and the
later one names the earlier one as its source, so that recall tells only one of them.
Only words are compared: nearly all telling words of the fact stand in the episode.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.encoding.placement import entity_name
from reverie.encoding.user_statements import rare_words
from reverie.index.text import stem_set, terms
from reverie.model.ids import Store
from reverie.model.items import FOREIGN
from reverie.model.route import Episodic, Semantic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.encoding.placement import Saying
    from reverie.index import Located
    from reverie.session.session import Session

NEWEST = 30
"""Memories among which the other one is looked for, the newest ones."""

MIN_SHARE = 0.8
MIN_WORDS = 2
"""Share and number of the telling words of a fact that the episode must have."""

MAX_LINKS = 3


def link_copies(session: Session, saying: Saying) -> Saying:
    """Return a draft that names the memories of the same event as its sources."""
    (text, place), *others = saying.steps
    if not isinstance(place, Semantic | Episodic) or place.supersedes:
        return saying
    if isinstance(place, Episodic) and place.scope:
        return saying
    find = _find_episodes if isinstance(place, Semantic) else _find_facts
    found = (
        row.id
        for row in find(session, text, place)
        if row.origin not in FOREIGN or row.origin is saying.origin
    )
    known = (place.basis or saying.basis).split()
    basis = " ".join(dict.fromkeys((*known, *islice(found, MAX_LINKS))))
    return replace(saying, steps=((text, replace(place, basis=basis)), *others))


def _find_episodes(
    session: Session, text: str, place: Semantic | Episodic
) -> Iterator[Located]:
    """Yield the newest episode that has nearly all words of a fact."""
    name = entity_name(place) if isinstance(place, Semantic) else ""
    wanted = frozenset(terms(text)) - frozenset(terms(name.partition("--")[2]))
    if len(wanted) < MIN_WORDS:
        return

    def fits(_title: str, episode: str) -> bool:
        return len(wanted & stem_set(episode)) >= MIN_SHARE * len(wanted)

    rows = session.index.newest(Store.EPISODIC, NEWEST, rare_words(text), fits)
    yield from islice((row for row in rows if not row.scope), 1)


def _find_facts(
    session: Session, text: str, _place: Semantic | Episodic
) -> Iterator[Located]:
    """Yield the newest facts of which an episode has nearly all words."""
    said = stem_set(text)

    def fits(title: str, fact: str) -> bool:
        wanted = stem_set(fact) - stem_set(title)
        enough = len(wanted) >= MIN_WORDS
        return enough and len(wanted & said) >= MIN_SHARE * len(wanted)

    for row in session.index.newest(Store.SEMANTIC, NEWEST, ("",), fits):
        if row.page and not row.scope:
            yield row
