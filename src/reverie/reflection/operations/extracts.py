"""What an EXTRACT tells of an entity: a page of its own, or plain facts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.markdown import (
    heading,
    headline,
    one_line,
    parse_date,
    parse_title,
    split_items,
    without_comments,
)
from reverie.stores import entities
from reverie.stores.entities import FACTS, ORDER
from reverie.stores.text import storable_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from reverie.markdown import Page
    from reverie.model.items import Entity

_KNOWN = frozenset(name.casefold() for name in ORDER)
_NAME = re.compile(r"[^\s/\[\]|#]+--[^\s/\[\]|#]+")
_SINCE = re.compile(r"\(since:?\s*([0-9]{4}-[0-9]{2}-[0-9]{2})\)$", re.IGNORECASE)
_INSTEAD = re.compile(r"\(supersedes:(.+)\)$", re.IGNORECASE)
_INSTEAD_LINE = re.compile(r"supersedes:(.*)", re.IGNORECASE)


class StrangeSectionError(RefusedError):
    """A page that a mind wrote has a part that such pages do not have."""

    def __init__(self, words: str, order: Iterable[str] = ORDER) -> None:
        super().__init__(
            f"its page has a part that does not belong there: {words!r}",
            hint=f"A page has the sections {', '.join(order)}.",
        )


def require_sections(page: Page) -> None:
    """Refuse a page with sections of its own: they would be dropped unseen."""
    known = {name.casefold() for name in page.order}
    for section in page.sections:
        if (section.heading or "").casefold() not in known:
            raise StrangeSectionError(headline(section.heading or "", 60), page.order)


@dataclass(frozen=True, slots=True)
class Told:
    """A fact that is told, and the words of the one it takes the place of."""

    text: str
    since: date | None = None
    instead: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """All that an EXTRACT tells."""

    facts: tuple[Told, ...]
    label: str = ""
    summary: str = ""
    timeline: tuple[tuple[date, str], ...] = ()
    questions: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    aliases: tuple[str, ...] = ()


def read_news(content: str, path: str) -> News:
    """What a content tells: a whole page of an entity, or a fact on each line.

    Raises:
        StrangeSectionError: A page has parts that would be dropped.
    """
    return _file_news(content, path) if _is_file(content) else _line_news(content)


def _is_file(content: str) -> bool:
    """Whether a content is a whole page, and not a list of facts."""
    heads = map(heading, content.split("\n"))
    return parse_title(content) is not None or any(
        words is not None and words.casefold() in _KNOWN for words in heads
    )


def _line_news(content: str) -> News:
    """Each line, or each item of a list, is a fact."""
    facts: list[Told] = []
    for text in _lines(content):
        instead = _INSTEAD_LINE.fullmatch(text)
        if instead and facts and not facts[-1].instead:
            facts[-1] = replace(facts[-1], instead=instead[1].strip())
        else:
            facts.append(_told(text))
    return News(tuple(facts))


def _lines(content: str) -> Iterator[str]:
    pieces = split_items(content)
    listed = any(piece.marker for piece in pieces)
    for piece in pieces:
        said = without_comments(piece.text)
        for line in (said,) if piece.marker else said.split("\n"):
            text = one_line(line)
            # What only announces a list is no fact: "What I learned:".
            if text and not (listed and not piece.marker and text.endswith(":")):
                yield text


def _told(text: str, since: date | None = None) -> Told:
    """A fact; since when, and instead of which, if it says so behind its words.

    `Lives in Lisbon (since: 2026-05-01) (supersedes: Lives in Berlin)`
    """
    found = _INSTEAD.search(text)
    words = text[: found.start()].strip() if found else text
    dated = _SINCE.search(words)
    day = parse_date(dated[1]) if dated else None
    if dated and day:
        words, since = words[: dated.start()].strip(), day
    return Told(words, since, found[1].strip() if found else "")


def _file_news(content: str, path: str) -> News:
    """What a page tells that a mind wrote; who wrote it, and its pin, do not count."""
    page = entities.parse_entity(content, path)
    require_sections(page.page)
    title = page.page.title or ""
    if _NAME.fullmatch(title) and title != page.page.stem:
        raise StrangeSectionError(title)
    for found in page.findings:
        if found.what.startswith("expected "):
            raise StrangeSectionError(found.what)
    entity = page.entity
    listed = (_told(one_line(f.text), f.since) for f in entity.facts if f.current)
    loose = (p.text for p in page.page.pieces(FACTS) if not p.marker)
    return News(
        (*listed, *(told for text in loose for told in _line_news(text).facts)),
        page.page.value("Label"),
        entity.summary,
        tuple((day, one_line(text)) for day, text in entity.timeline),
        tuple(map(one_line, entity.questions)),
        tuple(_links(entity)),
        entity.aliases,
    )


def _links(entity: Entity) -> Iterator[tuple[str, str]]:
    for link in entity.links:
        for target in link.targets:
            if not _NAME.fullmatch(target):
                what = f"[[{headline(target, 60)}]]"
                raise StrangeSectionError(what)
            yield storable_name(one_line(link.label)), target
