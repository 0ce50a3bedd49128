"""Compare the subject of a memory with the subject of a question.

"Where do I work?" asks about the user, and "Rolf works at Siemens." says nothing
about them. Only structure decides: the page that a memory stands on, whether its
sentence speaks in the first person, and which word the sentence begins with.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from reverie.index.text import COMMON_WORDS, sentences, stem_set, variants, words
from reverie.index.user import (
    owned_words,
    speaks_in_first_person,
    tells_of_theirs,
    user_pages,
)
from reverie.model.ids import Kind, Store, page_of
from reverie.model.items import Role
from reverie.recall.score import OF_OTHERS, TURNS
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from reverie.index import Index, Located
    from reverie.index.view import Bools, View
    from reverie.recall.entity_names import EntityNames, NamedEntity
    from reverie.recall.score import ScoredCandidates

EXAMINED = 6
"""So many of the best candidates are read at a time,"""

MOST_EXAMINED = 120
"""and so many at most."""

SETTLED = 3
"""Done when so many of the best have been examined."""

_ABOUT_USER = frozenset({layout.CORE, "USER.md"})
"""Files that tell of the user, whatever their lines look like."""


def find_pages_of_others(index: Index, view: View) -> Bools:
    """Return which items stand on the pages of people other than the user."""
    mine = user_pages(index)

    def of_others(since: int) -> list[int]:
        people = index.people(since).items()
        return [number for number, id_ in people if id_ not in mine]

    found = np.zeros(len(view.number), np.bool_)
    found[view.collected(("people", *mine), of_others)] = True
    return found


class UserSubject:
    """Tells whether memories are about the user who asks about themselves.

    Args:
        question: The words of the question.
        terms: The stems that it looks for.
        index: Where memories are looked up.
        names: The names of all entities.
    """

    def __init__(
        self, question: str, terms: Collection[str], index: Index, names: EntityNames
    ) -> None:
        self._terms, self._index, self._names = frozenset(terms), index, names
        self._owned = owned_words(question)

    @cached_property
    def _pages(self) -> frozenset[str]:
        return frozenset(f"{Kind.ENTITY}:{id_}" for id_ in user_pages(self._index))

    def fits(self, row: Located) -> bool:
        """Return whether a memory is about the user."""
        if row.store in {Store.CORE, Store.PROCEDURAL, Store.VAULT}:
            return True
        on_page = page_of(row.id) in self._pages
        if row.store is Store.SEMANTIC and not on_page and row.path not in _ABOUT_USER:
            return False
        lines = sentences(row.text)
        telling = [line for line in lines if self._has_terms(line)] or lines
        if on_page or row.path in _ABOUT_USER:
            return not all(map(self._tells_of_another, telling))
        by_user = row.store is not Store.TURNS or row.id.split("/")[-2] == Role.USER
        return any(self._is_about(line, by_user=by_user) for line in telling)

    def _has_terms(self, line: str) -> bool:
        said = stem_set(line)
        if not self._terms.isdisjoint(said):
            return True
        return any(map(self._is_term, words(line)))

    def _is_term(self, word: str) -> bool:
        return not self._terms.isdisjoint(variants(word))

    def _tells_of_another(self, line: str) -> bool:
        """Return whether a line of the user is about something else of theirs."""
        if tells_of_theirs(line):
            return True
        owned = owned_words(line, begins=True)
        if not owned or speaks_in_first_person(line):
            return False
        stems = {stem for word in owned for stem in variants(word)}
        mine = {stem for word in self._owned for stem in variants(word)}
        return stems.isdisjoint(self._terms) and stems.isdisjoint(mine)

    def _is_about(self, line: str, *, by_user: bool) -> bool:
        if tells_of_theirs(line):
            return False
        if by_user and speaks_in_first_person(line):
            return True
        if by_user and self._has_terms(" ".join(owned_words(line))):
            return True
        first = next((w for w in words(line) if w not in COMMON_WORDS), "")
        if first and self._is_term(first):
            return True
        # The user by name, or as "the user".
        named = self._names.find(line, lambda _: True)
        return any(f"{Kind.ENTITY}:{each.id}" in self._pages for each in named)


def demote_others(
    view: View, index: Index, found: ScoredCandidates, subject: UserSubject
) -> ScoredCandidates:
    """Lower the score of candidates that are not about the user.

    Turns keep theirs, unless the user speaks of others in the words of the question:
    what a conversation is about stands in the turns around.
    """
    about: dict[int, bool] = {}
    while True:
        unread = [item for item in found.items.tolist() if item not in about]
        settled = all(item in about for item in found.items[:SETTLED].tolist())
        if settled or not unread or len(about) >= MOST_EXAMINED:
            return found
        rows = index.rows(view.number[unread[:EXAMINED]])
        fits = {view.item(number): subject.fits(row) for number, row in rows.items()}
        about |= {item: fits.get(item, True) for item in unread[:EXAMINED]}
        others = [item for item in unread[:EXAMINED] if not about[item]]
        found = _lowered(view, found, others)


def _lowered(
    view: View, found: ScoredCandidates, others: Sequence[int]
) -> ScoredCandidates:
    there = np.isin(found.items, np.array(others, np.int64))
    there &= (view.store[found.items] != TURNS) | (found.coverage >= 1)
    if not there.any():
        return found
    worth = np.where(there, np.float32(OF_OTHERS), np.float32(1))
    score = found.score * worth
    order = np.lexsort((-view.at[found.items], -score))
    return replace(
        found,
        items=found.items[order],
        score=score[order],
        parts={name: (part * worth)[order] for name, part in found.parts.items()},
        passage=found.passage[order],
        coverage=(found.coverage * worth)[order],
        likeness=(found.likeness * worth)[order],
    )


def names_subject(
    row: Located, named: Sequence[NamedEntity], names: EntityNames
) -> bool:
    """Return whether a memory is about one of the entities that a question names."""
    ids = {each.id for each in named}
    if row.store is Store.TURNS or page_of(row.id).removeprefix("entity:") in ids:
        return True
    said = names.find(f"{row.title}\n{row.text}", lambda _: True)
    return any(each.id in ids for each in said)
