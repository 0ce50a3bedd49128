"""Entity pages as a reflection reads them: current facts first, no metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from reverie import markdown as md
from reverie.index.text import stem_set
from reverie.model.items import FOREIGN
from reverie.reflection.room import MARK, fitting
from reverie.stores.entities import (
    FACTS,
    RELATIONS,
    SUMMARY,
    default_label,
    fact_id,
    kept_apart,
    parse_entity,
    parse_link,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from reverie.model.items import Fact, Link
    from reverie.reflection.room import Room
    from reverie.stores.entities import EntityPage

_SHOWN_APART = {name.casefold() for name in (SUMMARY, FACTS, RELATIONS)}

MISSES = 8
"""After so many facts that do not fit, shorter ones are not looked for."""


class EntityView(Struct, frozen=True):
    """An entity page in the order in which its parts matter to a reflection.

    Attributes:
        head: Its names and its summary.
        facts: The current facts, a line each.
        rest: The relations in one line, then each other section.
        past: The facts that no longer hold, a line each; they are added where room is
            left once all current facts are shown.
    """

    head: str
    facts: tuple[str, ...]
    rest: tuple[str, ...]
    past: tuple[str, ...]

    @property
    def text(self) -> str:
        """The page without the facts that no longer hold."""
        return "\n".join(filter(None, (self.head, *self.facts, *self.rest)))

    def shorten(self, words: Collection[str], room: Room) -> str:
        """Return as many of the lines of the page as fit, and a mark.

        Current facts come before relations. Of the facts those are kept that are
        nearest to some words, then the newest ones.

        Args:
            words: Stems of what is new.
            room: What the page may take; it is used up.
        """
        room.take(f"{self.head}{MARK}\n")
        kept = self._nearest(words, room)
        whole = len(kept) == len(self.facts)
        rest = fitting(self.rest, room, _line) if whole else []
        return "\n".join(filter(None, (self.head, *kept, *rest))) + MARK

    def _nearest(self, words: Collection[str], room: Room) -> list[str]:
        near = sorted(
            enumerate(self.facts),
            key=lambda pair: (-len(stem_set(pair[1]) & set(words)), -pair[0]),
        )
        kept = fitting(near, room, lambda pair: _line(pair[1]), MISSES)
        return [fact for _, fact in sorted(kept)]


def _line(text: str) -> str:
    return f"{text}\n"


def read_view(text: str, path: str) -> EntityView:
    """Return an entity page without what its person asked to forget."""
    page = parse_entity(text, path)
    facts = [fact for fact in page.entity.facts if fact.text and not fact.forgotten]
    name = page.entity.name
    return EntityView(
        "\n".join(filter(None, _head(page))),
        tuple(_fact_line(name, fact) for fact in facts if fact.current),
        tuple(filter(None, _rest(page))),
        tuple(f"- ~~{fact.text}~~{_notes(fact)}" for fact in facts if not fact.current),
    )


def _head(page: EntityPage) -> Iterator[str]:
    entity, title = page.entity, page.page.title or ""
    opening = page.page.opening.raw.lstrip("\ufeff \r\n")
    if title.removesuffix(".md") not in {"", entity.name}:
        yield f"# {title}"
    label = entity.label if entity.label != default_label(entity.slug) else ""
    names = dict.fromkeys(filter(None, (label, *entity.aliases)))
    if names:
        yield f"Also called: {', '.join(names)}"
    if apart := kept_apart(page):
        yield f"Not the same as: {', '.join(apart)}"
    yield md.tidy(md.without_comments(opening.partition("\n")[2] if title else opening))
    if entity.summary:
        yield f"Summary: {entity.summary}"


def _fact_line(page: str, fact: Fact) -> str:
    """A fact as a model reads it: its words, its days, and the ID it is named by."""
    return f"- {fact.text}{_notes(fact)} [{fact_id(page, fact.text)}]"


def _notes(fact: Fact) -> str:
    days = {"since": fact.since, "on": fact.on, "until": fact.until or fact.ends}
    told = [f"{name}: {day}" for name, day in days.items() if day]
    told += [f"words of {fact.by}"] if fact.by in FOREIGN else []
    return f" ({', '.join(told)})" if told else ""


def _rest(page: EntityPage) -> Iterator[str]:
    """The parts of a page that are neither its summary nor its facts."""
    loose = [
        *(piece for piece in page.page.pieces(FACTS) if not piece.marker),
        *(
            piece
            for piece in page.page.pieces(RELATIONS)
            if not (piece.marker and parse_link(piece))
        ),
    ]
    yield from (md.tidy(md.without_comments(piece.raw)) for piece in loose)
    if page.entity.links:
        yield f"## {RELATIONS}\n{_relations(page.entity.links)}"
    for section in page.page.sections:
        if (section.heading or "").casefold() not in _SHOWN_APART:
            text = md.without_comments(section.body)
            lines = [line for line in text.split("\n") if line.strip()]
            yield "\n".join((f"## {section.heading}", *lines)) if lines else ""


def _relations(links: Sequence[Link]) -> str:
    """Return relations in one line: `works at: project--a; knows: person--b`."""
    targets = dict[str, dict[str, None]]()
    for link in links:
        targets.setdefault(link.label, {}).update(dict.fromkeys(link.targets))
    return "; ".join(f"{label}: {', '.join(to)}" for label, to in targets.items())
