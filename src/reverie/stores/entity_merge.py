"""Entity pages that become one, and ids that become another wherever they stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie import markdown as md
from reverie.model.ids import slug
from reverie.model.items import least, named, stated
from reverie.stores import entities
from reverie.stores.entities import (
    FACTS,
    QUESTIONS,
    RELATIONS,
    SUMMARY,
    TIMELINE,
    EntityPage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

_OWN_FIELDS = frozenset(
    {"type", "created", "last updated", "label", "aliases", "source", "pinned", "by"}
    | {"status", "decay score", "access count", "last used", "distinct from"}
)


def merged_page(gone: EntityPage, kept: EntityPage, on: date) -> tuple[EntityPage, int]:
    """A page with all that another one says, and how many facts both had."""
    old, new = gone.entity.name, kept.entity.name
    names = (gone.entity.label, kept.entity.label)
    page, other = (
        _without_self(
            entities.parse_entity(renamed_in(each.page.text, old, new), each.path),
            new,
            names,
        )
        for each in (kept, gone)
    )
    for name in (gone.entity.label, *gone.entity.aliases, old):
        if name != new:
            page = entities.add_alias(page, name)
    page = _headed(page, gone, on)
    page = _with_opening(page, other)
    page = _with_summary(page, other)
    page, joined = _with_facts(page, other)
    page = _without_forgotten(page)
    page = _with_timeline(page, other)
    page = _with_questions(page, other)
    page = _with_relations(page, other)
    known = {heading.casefold() for heading in entities.ORDER}
    for section in other.page.sections:
        if (section.heading or "").casefold() not in known:
            text = md.ended(page.page.text)
            raw = md.newlines_like(text, f"\n{md.ended(_plain(section.raw))}")
            page = entities.parse_entity(text + raw, page.path)
    return page, joined


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _without_self(page: EntityPage, me: str, names: tuple[str, str]) -> EntityPage:
    """A page that neither links to itself nor asks whether it is itself."""
    changed = page.page
    for piece in reversed(changed.items(QUESTIONS)):
        said = md.visible(piece.text)
        words = said.casefold()
        free = "the same" in words and all(n.casefold() in words for n in names)
        if free or entities.asked_same(said) == me:
            changed = md.with_lines(changed, piece.line, piece.raw, "")
    for piece in reversed(changed.items(RELATIONS)):
        raw = entities.without_targets(piece.raw, {me})
        if raw != piece.raw:
            changed = md.with_lines(changed, piece.line, piece.raw, raw)
    return entities.read_page(changed)


def _headed(page: EntityPage, gone: EntityPage, on: date) -> EntityPage:
    """A page whose header says what both said: the older day, a pin, whose words."""
    changed, theirs = page.page, gone.page
    days = [day for day in (page.entity.created, gone.entity.created) if day]
    if days and min(days) != page.entity.created:
        changed = md.with_field(
            changed, "Created", min(days).isoformat(), beside="Type"
        )
    by = [named(said) for said in (changed.value("By"), theirs.value("By")) if said]
    if by and least(by) != changed.value("By"):
        changed = md.with_field(changed, "By", least(by), beside="Type")
    sources = [each.value("Source") for each in (changed, theirs)]
    told = {stated("", said): said for said in sources[::-1] if said}
    if told and told[least(told)] != sources[0]:
        changed = md.with_field(changed, "Source", told[least(told)], beside="Type")
    for key, said in theirs.fields.items():
        if key not in _OWN_FIELDS and key not in changed.fields:
            changed = md.with_field(changed, key.capitalize(), said.raw, beside="Type")
    page = entities.read_page(changed)
    mine = {page.entity.name, gone.entity.name}
    apart = set(entities.kept_apart(page))
    for name in sorted({*apart, *entities.kept_apart(gone)} - mine - apart):
        page = entities.keep_apart(page, name)
    if apart & mine:
        listed = ", ".join(md.escape_field(n, ",") for n in sorted(apart - mine))
        changed = md.with_field(page.page, entities.APART, listed, beside="Type")
        page = entities.read_page(changed)
    pinned = True if gone.entity.pinned and not page.entity.pinned else None
    return entities.set_header(page, updated=on, pinned=pinned)


def _with_opening(page: EntityPage, other: EntityPage) -> EntityPage:
    """A page with what a person wrote above the sections of another."""
    lines = md.split_lines(other.page.opening.raw)
    headers = {field.line for field in other.page.fields.values()}
    prose = [
        _plain(line)
        for number, line in enumerate(lines, 1)
        if number not in headers and not (line.startswith("# ") and number == 1)
    ]
    text = "".join(prose).strip("\n")
    if not text.strip():
        return page
    top = len(md.split_lines(page.page.opening.raw))
    before = "".join(md.split_lines(page.page.text)[:top]).rstrip()
    after = "".join(md.split_lines(page.page.text)[top:])
    whole = md.newlines_like(page.page.text, f"\n\n{text}\n\n")
    return entities.parse_entity(before + whole + after, page.path)


def _with_summary(page: EntityPage, other: EntityPage) -> EntityPage:
    said = "\n\n".join(_plain(s.body).strip("\n") for s in other.page.named(SUMMARY))
    if not other.entity.summary or other.entity.summary in page.entity.summary:
        return page
    gap = "\n" if page.entity.summary else ""
    return entities.read_page(md.with_item(page.page, SUMMARY, f"{gap}{said}\n"))


def _with_facts(page: EntityPage, other: EntityPage) -> tuple[EntityPage, int]:
    """A page with another's facts; what both say stands once, with both sources."""
    joined, fresh = 0, ""
    there = {piece.raw.strip() for piece in page.page.items(FACTS)}
    for piece in other.page.pieces(FACTS):
        fact = entities.parse_fact(piece) if piece.marker and piece.text else None
        twin = next(_twins(page, fact.text), None) if fact and fact.current else None
        if twin is not None:
            raw = _joined_fact(twin, piece)
            page = entities.read_page(
                md.with_lines(page.page, twin.line, twin.raw, raw)
            )
            joined += 1
        elif piece.raw.strip() and piece.raw.strip() not in there:
            fresh += md.ended(_plain(piece.raw))
    if not fresh:
        return page, joined
    return entities.read_page(md.with_item(page.page, FACTS, fresh)), joined


def _joined_fact(kept: md.Piece, other: md.Piece) -> str:
    """A fact of two pages, once: as the more trusted has it, with both sources."""
    told = [
        (entities.parse_fact(piece), entities.comment_fields(piece))
        for piece in (kept, other)
    ]
    origins = [stated(fact.by, fact.source) for fact, _ in told]
    if origins[0] is not origins[1] and least(origins) is origins[0]:
        told.reverse()
    (fact, said), (second, more) = told
    own = [pair for pair in said if pair[0] and pair[0] not in entities.UNSAID]
    own += [
        pair
        for pair in more
        if pair[0] not in {"", *entities.UNSAID} and pair not in own
    ]
    also = [
        f"{key} {value}"
        for key in ("since", "source", "by")
        if (value := getattr(second, key)) and value != getattr(fact, key)
    ]
    days = [each.since for each, _ in told if each.since]
    own += [("also", ", ".join(also))] if also else []
    basis = " ".join(dict.fromkeys(f"{fact.basis} {second.basis}".split()))
    whole = replace(fact, since=min(days, default=None), basis=basis)
    return entities.render_fact(whole, own)


def _without_forgotten(page: EntityPage) -> EntityPage:
    """A page on which what was forgotten of one of two is not told by the other."""
    facts = page.entity.facts
    wishes = [(_same(fact.text), fact.forgotten) for fact in facts if fact.forgotten]
    gone = [
        (fact, day)
        for fact in facts
        for said, day in wishes
        if fact.current
        and said == _same(fact.text)
        # Who speaks of it again later wants it back.
        and (fact.said or fact.since or day) <= day
    ]
    for fact, day in gone:
        page = entities.forget_fact(page, entities.reference(fact.text), on=day)
    return entities.release_links(page, (fact for fact, _ in gone), lambda _: ())[0]


def _twins(page: EntityPage, text: str) -> Iterator[md.Piece]:
    for piece in page.page.items(FACTS):
        fact = entities.parse_fact(piece)
        if fact.current and _same(fact.text) == _same(text):
            yield piece


def _same(text: str) -> str:
    return " ".join(text.split()).casefold()


def _with_timeline(page: EntityPage, other: EntityPage) -> EntityPage:
    """A page with another's events where their days belong."""
    for piece in other.page.pieces(TIMELINE):
        event = entities.parse_dated(piece) if piece.marker else None
        if not piece.raw.strip() or event in page.entity.timeline:
            continue
        raw = md.ended(_plain(piece.raw))
        later = (
            each
            for each in page.page.items(TIMELINE)
            if event and (told := entities.parse_dated(each)) and told[0] > event[0]
        )
        if (first := next(later, None)) is not None:
            changed = md.with_lines(
                page.page, first.line, first.raw, raw + _plain(first.raw)
            )
        else:
            changed = md.with_item(page.page, TIMELINE, raw)
        page = entities.read_page(changed)
    return page


def _with_questions(page: EntityPage, other: EntityPage) -> EntityPage:
    asked = set(map(_same, page.entity.questions))
    fresh = "".join(
        md.ended(_plain(piece.raw))
        for piece in other.page.pieces(QUESTIONS)
        if piece.raw.strip() and _same(md.visible(piece.text)) not in asked
    )
    if not fresh:
        return page
    return entities.read_page(md.with_item(page.page, QUESTIONS, fresh))


def _with_relations(page: EntityPage, other: EntityPage) -> EntityPage:
    known: dict[str, set[str]] = {}
    for link in page.entity.links:
        known.setdefault(slug(link.label), set()).update(link.targets)
    fresh = ""
    for piece in other.page.pieces(RELATIONS):
        found = entities.parse_link(piece) if piece.marker else None
        there = known.get(slug(found.label), set()) if found else set()
        raw = entities.without_targets(_plain(piece.raw), there)
        fresh += md.ended(raw) if raw.strip() else ""
    if not fresh:
        return page
    return entities.read_page(md.with_item(page.page, RELATIONS, fresh))


# --- an id that becomes another ---------------------------------------------------


def _mention(old: str) -> re.Pattern[str]:
    """An id as a word of its own: `tool--node` stands not in `tool--node.js`."""
    return re.compile(rf"(?<![\w.-]){re.escape(old)}(?![\w-]|\.(?!md\b)\w)")


def renamed_in(text: str, old: str, new: str) -> str:
    """A text in which an id is another one, wherever it stands."""
    return _mention(old).sub(lambda _: new, text)


def linked_once(page: EntityPage) -> str:
    """A page that names nothing twice in a line, and asks nothing twice."""
    changed = page.page
    known: dict[str, set[str]] = {}
    asked: set[str] = set()
    fresh: list[tuple[md.Piece, str]] = []
    for piece in changed.items(RELATIONS):
        if link := entities.parse_link(piece):
            there = known.setdefault(slug(link.label), set())
            fresh.append((piece, entities.without_targets(piece.raw, there)))
            there.update(link.targets)
    for piece in changed.items(QUESTIONS):
        said = md.visible(piece.text)
        gone = said in asked or entities.asked_same(said) == page.entity.name
        fresh.append((piece, "" if gone else piece.raw))
        asked.add(said)
    for piece, raw in sorted(fresh, key=lambda each: -each[0].line):
        if raw != piece.raw:
            changed = md.with_lines(changed, piece.line, piece.raw, raw)
    return md.render_page(changed)


def renamed_page(page: EntityPage, label: str, on: date) -> EntityPage:
    """A page whose title, type and label say what its file is called."""
    name, changed = page.page.stem, page.page
    if changed.title is not None and changed.title != name:
        lines = md.split_lines(changed.opening.raw)
        first = next(n for n, line in enumerate(lines, 1) if line.strip("\ufeff \r\n"))
        changed = md.with_lines(changed, first, lines[first - 1], f"# {name}\n")
    kind = name.partition("--")[0]
    if changed.value("Type") != kind:
        changed = md.with_field(changed, "Type", kind, beside="Created")
    if label != entities.read_page(changed).entity.label:
        said = md.escape_field(label)
        changed = md.with_field(changed, "Label", said, beside="Type")
    return entities.set_header(entities.read_page(changed), updated=on)
