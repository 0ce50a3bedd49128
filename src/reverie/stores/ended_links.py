"""Pages of entities, and the links that end with what a page no longer holds."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.errors import FormatError
from reverie.model.change import Action, Edit, edit_of
from reverie.stores import entities
from reverie.stores.reader import decode, load_vocabulary
from reverie.stores.relations import ends
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import date

    from reverie.model.items import Link
    from reverie.stores.relations import Vocabulary

    _EntityPage = entities.EntityPage

ENTITY_NAME = re.compile(r"[^\s/]+?--[^\s/]+")


class Pages(Struct, frozen=True):
    """Where the pages of entities are, and today."""

    read: Callable[[str], bytes | None]
    place: Callable[[str, str], str]
    today: date

    def find(self, name: str) -> tuple[str, bytes | None, _EntityPage | None]:
        """Where a page stands or would be put, what it holds, and as a page."""
        path = self.place(layout.ENTITIES, f"{name}.md")
        old = self.read(path)
        return (
            path,
            old,
            entities.parse_entity(page_text(old, path), path) if old else None,
        )


def end_links(
    before: _EntityPage, page: _EntityPage, pages: Pages
) -> tuple[_EntityPage, tuple[Edit, ...]]:
    """End the links of facts that a page no longer holds, on both their ends.

    Args:
        before: The page as it was.
        page: The page on which some facts are over.
        pages: Where the others are.

    Returns:
        The page without those links, and the edits of pages that told the same edges
        from the other side, unless a fact of theirs says so.
    """
    now = {fact.text for fact in page.entity.facts if fact.current}
    held = (fact for fact in before.entity.facts if fact.current)
    gone = [fact for fact in held if fact.text not in now]
    if not gone:
        return page, ()

    def other(target: str) -> tuple[str, bytes | None, _EntityPage | None]:
        # What is no page, or does not read, is left as it is.
        with suppress(FormatError, NotAPlainFileError):
            if ENTITY_NAME.fullmatch(target) and target != page.entity.name:
                return pages.find(target)
        return "", None, None

    def called(target: str) -> tuple[str, ...]:
        found = other(target)[2]
        return (found.entity.label, *found.entity.aliases) if found else ()

    page, lost = entities.release_links(page, gone, called)
    words = load_vocabulary(pages.read(layout.RELATIONS))
    edges = {ends(page.entity.name, *each, words) for each in lost}
    over = {entities.fact_id(page.entity.name, fact.text) for fact in gone}
    asks = map(entities.asked_about, before.entity.questions)
    asked = [ids for ids in asks if over.intersection(ids)]
    named = [target for _, target in lost]
    named += [id_.partition("#")[0] for ids in asked for id_ in ids]
    edits = []
    for target in dict.fromkeys(named):
        path, old, found = other(target)
        if found is None:
            continue
        own = {entities.short_name(f.text) for f in found.entity.facts if f.current}
        told = partial(_tells, target, edges, own, words)
        rest, _ = entities.remove_links(found, told)
        for ids in asked:
            rest = entities.without_question(rest, ids)
        if rest is not found:
            rest = entities.set_header(rest, updated=pages.today)
            new = entities.render_entity(rest)
            why = f"ends with what ended on {page.entity.name}"
            edits.append(edit_of(path, old, new, Action.EDIT, why))
    return page, tuple(edits)


def _tells(
    name: str,
    edges: Collection[tuple[str, str, str]],
    facts: Collection[str],
    words: Vocabulary,
    link: Link,
    target: str,
) -> bool:
    """Whether a link on a page tells one of some edges, and no fact there holds it."""
    held = any(fact[:6] in facts for fact in link.facts)
    return not held and ends(name, link.label, target, words) in edges


def page_text(data: bytes | None, path: str) -> str:
    """What a file says.

    Raises:
        FormatError: It is no text.
    """
    text, findings = decode(data or b"", path)
    for found in findings:
        raise FormatError(path, found.line, found.what, hint=found.mend)
    return text
