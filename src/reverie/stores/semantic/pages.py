"""Entity pages: what is known about one person, project, concept, tool or place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.markdown import (
    Page,
    escape,
    escape_field,
    find_conflicts,
    find_days,
    one_line,
    parse_date,
    parse_page,
    render_header,
    render_item,
    render_page,
    split_fields,
    split_items,
    unescape,
    unescape_field,
    visible,
)
from reverie.model.finding import Finding, Severity
from reverie.model.ids import ItemId, Kind
from reverie.model.items import Entity, Entry, Link, Source
from reverie.stores.semantic.facts import find_in_facts, parse_fact, render_fact

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from reverie.markdown import Piece

SUMMARY, FACTS, TIMELINE = "Summary", "Facts", "Timeline"
QUESTIONS, RELATIONS = "Open Questions", "Relations"
ORDER = (SUMMARY, FACTS, TIMELINE, QUESTIONS, RELATIONS)

_NAME = re.compile(r"[^\s/]+?--[^\s/]+")
_TARGET = re.compile(r"\[\[([^\[\]|#]+)(?:[|#][^\[\]]*)?\]\]")
_DATED = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}):")


@dataclass(frozen=True, slots=True)
class EntityPage:
    """The file of one entity.

    Attributes:
        page: Its text in parts.
        entity: What it says.
        entries: The entity, if the file name can be its name.
        findings: What is wrong in it.
    """

    page: Page
    entity: Entity
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]

    @property
    def path(self) -> str:
        """Path inside the workspace."""
        return self.page.path


def default_label(slug: str) -> str:
    """The name an entity goes by unless its page says another."""
    return slug.replace("-", " ").title()


def parse_entity(text: str, path: str) -> EntityPage:
    """Read an entity page, whatever is in it; its file name is its name."""
    return read_page(parse_page(text, path, ORDER))


def render_entity(page: EntityPage) -> str:
    """Give back the text a page was read from."""
    return render_page(page.page)


def read_page(page: Page) -> EntityPage:
    """Make out what a page says."""
    entity = _entity(page)
    findings = (
        *_name_findings(page),
        *find_days(page, ("Created", "Last updated")),
        *find_conflicts(render_page(page), page.path),
        *find_in_facts(page.items(FACTS), page.path),
        *_list_findings(page),
    )
    entries: tuple[Entry, ...] = ()
    if _NAME.fullmatch(page.stem):
        item_id = ItemId(Kind.ENTITY, page.stem)
        words, raw = _search_text(page, entity), render_page(page)
        entries = (Entry(item_id, entity, 1, words, entity.label, raw),)
    return EntityPage(page, entity, entries, tuple(sorted(findings)))


def _entity(page: Page) -> Entity:
    kind, _, slug = page.stem.partition("--")
    source = page.value("Source")
    dated = (parse_dated(piece) for piece in page.items(TIMELINE))
    links = (parse_link(piece) for piece in page.items(RELATIONS))
    return Entity(
        kind,
        slug,
        page.value("Label") or default_label(slug),
        summary=page.words(SUMMARY),
        facts=tuple(parse_fact(piece) for piece in page.items(FACTS)),
        timeline=tuple(event for event in dated if event),
        questions=tuple(visible(piece.text) for piece in page.items(QUESTIONS)),
        links=tuple(link for link in links if link),
        aliases=parse_aliases(page),
        created=page.day("Created"),
        updated=page.day("Last updated"),
        pinned=page.value("Pinned").casefold() == "yes",
        source=Source(source) if source in frozenset(Source) else None,
    )


def parse_aliases(page: Page) -> tuple[str, ...]:
    """The other names a page lists."""
    names = (unescape_field(name) for name in split_fields(page.raw("Aliases"), ","))
    return tuple(name for name in names if name)


def parse_dated(piece: Piece) -> tuple[date, str] | None:
    """Read `2026-02-02: what happened`; None for anything else."""
    found = _DATED.match(piece.text)
    day = parse_date(found[1]) if found else None
    return (day, visible(piece.text[11:])) if day else None


def parse_link(piece: Piece) -> Link | None:
    """Read `Developed by: [[person--alex]]`; None where nothing is linked."""
    targets = _TARGET.findall(piece.text)
    if not targets:
        return None
    label = piece.text.partition("[[")[0].strip().removesuffix(":").strip()
    return Link(unescape(label) or "Relates to", tuple(t.strip() for t in targets))


def _search_text(page: Page, entity: Entity) -> str:
    """All that a page says and that still holds, also in a person's own sections."""
    parts = [entity.label, *entity.aliases]
    facts = frozenset(section.line for section in page.named(FACTS))
    for section in page.sections:
        pieces = split_items(section.body, section.body_line)
        parts += (_words(piece, fact=section.line in facts) for piece in pieces)
    return "\n".join(part for part in parts if part)


def _words(piece: Piece, *, fact: bool) -> str:
    """What a search should find in a piece; nothing in a fact that is over."""
    text = visible(piece.text)
    if fact and piece.marker:
        known = parse_fact(piece)
        text = known.text if known.current else ""
    return text.replace("[[", "").replace("]]", "")


def _name_findings(page: Page) -> list[Finding]:
    path, stem = page.path, page.stem
    if not _NAME.fullmatch(stem):
        mend = "Rename it, for example to person--alex.md."
        return [Finding(path, 0, "the file name is not TYPE--SLUG.md", mend)]
    warnings = []
    if page.title is None:
        warnings.append((1, "the title is missing"))
    elif page.title != stem:
        warnings.append((1, f"the title is not {stem}, the name of the file"))
    kind = page.fields.get("type")
    if kind and kind.value != stem.partition("--")[0]:
        warnings.append((kind.line, f"the type is not that of the name, {stem}"))
    mend = f"Write '# {stem}' and its type; the file name is what counts."
    return [
        Finding(path, line, what, mend, Severity.WARNING) for line, what in warnings
    ]


def _list_findings(page: Page) -> Iterable[Finding]:
    for heading, parse, shape in (
        (TIMELINE, parse_dated, "- YYYY-MM-DD: what happened"),
        (RELATIONS, parse_link, "- Label: [[type--name]]"),
    ):
        for piece in page.items(heading):
            if parse(piece) is None:
                yield Finding(
                    page.path,
                    piece.line,
                    f"expected '{shape}'",
                    f"Write it so, or move it out of {heading}.",
                    Severity.WARNING,
                )


def new_entity(entity: Entity) -> str:
    """The text of a new page; white space at the edges of its texts is dropped."""
    bodies = {
        SUMMARY: f"{text}\n" if (text := escape(entity.summary)) else "",
        FACTS: "".join(map(render_fact, entity.facts)),
        TIMELINE: "".join(render_dated(day, text) for day, text in entity.timeline),
        QUESTIONS: "".join(
            render_item(escape(text, item=True)) for text in entity.questions
        ),
        RELATIONS: "".join(map(render_link, entity.links)),
    }
    sections = (
        f"## {heading}\n{body}"
        for heading, body in bodies.items()
        if body or heading in {SUMMARY, FACTS}
    )
    return f"# {entity.name}\n\n{_render_headers(entity)}\n" + "\n".join(sections)


def _render_headers(entity: Entity) -> str:
    plain = entity.label == default_label(entity.slug)
    fields = [
        ("Type", escape_field(entity.type)),
        ("Created", entity.created.isoformat() if entity.created else ""),
        ("Last updated", entity.updated.isoformat() if entity.updated else ""),
        ("Label", "" if plain else escape_field(entity.label)),
        ("Aliases", render_aliases(entity.aliases)),
        ("Source", entity.source or ""),
    ]
    first = render_header((key, value) for key, value in fields if value)
    return first + render_header([("Pinned", "yes" if entity.pinned else "no")])


def render_aliases(names: Iterable[str]) -> str:
    """Write a list of names as one header field."""
    return ", ".join(escape_field(name, ",") for name in names)


def render_dated(day: date, text: str) -> str:
    """Write one event of the timeline."""
    return render_item(f"{day.isoformat()}: {escape(text, item=True)}")


def render_link(link: Link) -> str:
    """Write one line of relations."""
    targets = ", ".join(f"[[{target}]]" for target in link.targets)
    return render_item(f"{escape(one_line(link.label), item=True)}: {targets}")
