"""Entity pages: facts, timeline, questions and links of one thing (design, 6)."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from reverie import markdown as md
from reverie.errors import NotFoundError
from reverie.model.ids import ItemId, Kind
from reverie.model.ids import slug as slug_of
from reverie.model.items import (
    FOREIGN,
    WHICH_HOLDS,
    Confidence,
    Entity,
    Entry,
    Fact,
    Finding,
    Link,
    Statement,
    stated,
)

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from datetime import date


SUMMARY, FACTS, TIMELINE = "Summary", "Facts", "Timeline"
QUESTIONS, RELATIONS = "Open Questions", "Relations"
ORDER = (SUMMARY, FACTS, TIMELINE, QUESTIONS, RELATIONS)

_NAME = re.compile(r"[^\s/]+?--[^\s/]+")
_TARGET = re.compile(r"\[\[([^\[\]|#]+)(?:[|#][^\[\]]*)?\]\]")


class EntityPage(md.StorePage, frozen=True):
    """The file of one entity, and what it says."""

    entity: Entity


def default_label(slug: str) -> str:
    """The name an entity goes by unless its page says another."""
    return slug.replace("-", " ").title()


def parse_entity(text: str, path: str) -> EntityPage:
    """Read an entity page, whatever is in it; its file name is its name."""
    return read_page(md.parse_page(text, path, ORDER))


def render_entity(page: EntityPage) -> str:
    """Give back the text a page was read from."""
    return page.page.text


def page_name(stem: str) -> str:
    """The entity's name; what is not called TYPE--SLUG is a concept of that name."""
    return stem if _NAME.fullmatch(stem) else f"concept--{slug_of(stem)}"


def read_page(page: md.Page) -> EntityPage:
    """Make out what a page says."""
    name = page_name(page.stem)
    named = name == page.stem
    kind, _, slug = name.partition("--")
    listed = page.fields.get("aliases")
    names = map(md.unescape_field, md.split_fields(listed.raw if listed else "", ","))
    facts = tuple(map(parse_fact, page.items(FACTS)))
    replaced, past = _past_facts(facts)
    entity = Entity(
        kind,
        slug,
        page.value("Label") or (default_label(slug) if named else page.stem),
        summary=page.words(SUMMARY),
        facts=facts,
        timeline=tuple(filter(None, map(parse_dated, page.items(TIMELINE)))),
        questions=page.texts(QUESTIONS),
        links=tuple(filter(None, map(parse_link, page.items(RELATIONS)))),
        aliases=tuple(filter(None, names)),
        created=page.day("Created"),
        updated=page.day("Last updated"),
        pinned=page.pinned,
        source=page.source,
        accesses=page.accesses,
    )
    findings = (
        *(_find_names(page) if named else (md.read_as(page, name),)),
        *md.find_in_page(page, ("Created", "Last updated")),
        *_find_in_lists(page, {reference(fact.text) for fact in entity.facts}),
    )
    item, words = replace(entity, past=past), _search_text(page, entity)
    whole = Entry(ItemId(Kind.ENTITY, name), item, 1, words, entity.label, page.text)
    entries = (whole, *_statements(page, entity, replaced))
    return EntityPage(page, entries, tuple(sorted(findings)), entity)


def _statements(
    page: md.Page, entity: Entity, replaced: Mapping[str, tuple[str, ...]]
) -> Iterator[Entry]:
    """The facts that hold, each as a memory of its own."""
    scope, by = page.value("Scope"), page.value("By")
    taken: dict[str, str] = {}
    for piece, fact in zip(page.items(FACTS), entity.facts, strict=True):
        name = reference(fact.text)
        # Two facts of a page that share six digits are told apart by eight.
        short = name if taken.setdefault(name[:6], name) != name else name[:6]
        if fact.current and fact.text:
            before = replaced.get(name, ())
            due = _due_day(fact, entity.links)
            item = Statement(fact, entity.label, before, scope, by, due)
            id_ = ItemId(Kind.ENTITY, f"{entity.name}#{short}")
            yield Entry(id_, item, piece.line, fact.text, entity.label, piece.raw)


def _due_day(fact: Fact, links: Sequence[Link]) -> date | None:
    """Return the next day on which a page has to change because of a fact."""
    name = short_name(fact.text)
    begins = fact.supersedes or any(
        link.begins and name in {each[:6] for each in link.facts} for link in links
    )
    days = (fact.since if begins else None, fact.ends)
    return min(filter(None, days), default=None)


def _past_facts(
    facts: Sequence[Fact],
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """What no longer holds and was not forgotten.

    Returns:
        By `reference()` of a fact that holds, what it took the place of, the latest
        first; and what nothing took the place of.
    """
    over = {reference(fact.text): fact for fact in facts if not fact.current}
    holding = {reference(fact.text) for fact in facts if fact.current}
    replaced: dict[str, tuple[str, ...]] = {}
    alone: list[str] = []
    for name, fact in reversed(over.items()):
        if fact.forgotten or name in holding:
            continue
        then, seen = fact.superseded_by, {name}
        while then in over and then not in (seen | holding):
            seen.add(then)
            then = over[then].superseded_by
        if then in holding:
            replaced[then] = (*replaced.get(then, ()), fact.text)
        else:
            alone.insert(0, fact.text)
    return replaced, tuple(alone)


def parse_dated(piece: md.Piece) -> tuple[date, str] | None:
    """Read `2026-02-02: what happened`; None for anything else."""
    said, colon, what = piece.text.partition(":")
    day = md.parse_date(said) if colon else None
    return (day, md.visible(what)) if day else None


def parse_link(piece: md.Piece) -> Link | None:
    """Read `Developed by: [[person--alex]]`; None where nothing is linked."""
    words, inside = md.split_comment(piece.text)
    targets = _TARGET.findall(words)
    if not targets:
        return None
    label = words.partition("[[")[0].strip().removesuffix(":").strip()
    # Of two fields of one name the first counts.
    fields = dict(reversed(md.parse_fields(inside or "")))
    level = fields.get("confidence", "")
    return Link(
        md.unescape(label) or "Relates to",
        tuple(target.strip() for target in targets),
        md.parse_date(fields.get("since", "")),
        tuple(_SHORT.findall(fields.get("fact", ""))),
        Confidence(level) if level in _LEVELS else Confidence.HIGH,
        md.parse_date(fields.get("begins", "")),
    )


def _is_noted(link: Link) -> bool:
    """Whether more is known of a link than its ends: then it has its own line."""
    return link != Link(link.label, link.targets)


def _search_text(page: md.Page, entity: Entity) -> str:
    """All that a page says besides its facts, also in a person's own sections."""
    parts = [*page.loose]
    facts = {section.line for section in page.named(FACTS)}
    links = {section.line for section in page.named(RELATIONS)}
    # What came with a fact, that fact says, or it is over.
    told = {link for link in entity.links if link.facts}
    for section in page.sections:
        for piece in md.split_items(section.body, section.body_line):
            fact = section.line in facts and piece.marker
            link = section.line in links and piece.marker
            if not fact and not (link and parse_link(piece) in told):
                text = md.visible(piece.text)
                parts.append(text.replace("[[", "").replace("]]", ""))
    return "\n".join(filter(None, parts))


def _find_names(page: md.Page) -> Iterator[Finding]:
    stem, kind = page.stem, page.fields.get("type")
    mend = f"Write '# {stem}' and its type; the file name is what counts."
    if page.title != stem:
        yield page.warning(1, f"the title is not {stem}, the name of the file", mend)
    if kind and kind.value != stem.partition("--")[0]:
        yield page.warning(kind.line, f"the type is not that of the name, {stem}", mend)


def _find_in_lists(page: md.Page, facts: Collection[str]) -> Iterator[Finding]:
    """Items of another shape, days that are none, pointers to facts that are gone."""
    for heading, parse, shape in (
        (TIMELINE, parse_dated, "- YYYY-MM-DD: what happened"),
        (RELATIONS, parse_link, "- Label: [[type--name]]"),
    ):
        for piece in page.items(heading):
            if parse(piece) is None:
                mend = f"Write it so, or move it out of {heading}."
                yield page.warning(piece.line, f"expected '{shape}'", mend)
    short = {name[:6] for name in facts}
    for piece in page.items(RELATIONS):
        for name in getattr(parse_link(piece), "facts", ()):
            if name[:6] not in short:
                what = f"the link names {name}, which is no fact here"
                mend = "Remove the name, or the link if it no longer holds."
                yield page.warning(piece.line, what, mend)
    for piece in page.items(FACTS):
        for key, value in comment_fields(piece):
            if key in _DAYS and value and md.parse_date(value) is None:
                what, mend = f"{key} is not a day: {value!r}", "Write it as YYYY-MM-DD."
                yield page.warning(piece.line, what, mend)
            if key == "confidence" and value not in _LEVELS:
                what = f"unknown confidence {value!r}"
                mend = f"Use one of {', '.join(Confidence)}."
                yield page.warning(piece.line, what, mend)
            if key == "superseded-by" and value and value not in facts:
                what = f"superseded-by points at {value}, which is no fact here"
                mend = "Remove the pointer, or restore the fact that took its place."
                yield page.warning(piece.line, what, mend)


def new_entity(entity: Entity) -> str:
    """The text of a new page; white space at the edges of its texts is dropped."""
    plain = entity.label == default_label(entity.slug)
    fields = {
        "Type": entity.type,
        "Created": entity.created,
        "Last updated": entity.updated,
        "Label": "" if plain else entity.label,
        "Aliases": entity.aliases,
        "Source": entity.source,
        "Pinned": "yes" if entity.pinned else "no",
    }
    bodies = {
        SUMMARY: entity.summary,
        FACTS: map(render_fact, entity.facts),
        TIMELINE: [render_dated(day, text) for day, text in entity.timeline],
        QUESTIONS: map(md.bullet, entity.questions),
        RELATIONS: map(render_link, entity.links),
    }
    return md.new_page(entity.name, fields, bodies, (SUMMARY, FACTS))


def render_dated(day: date, text: str) -> str:
    """Write one event of the timeline."""
    return md.render_item(f"{day.isoformat()}: {md.escape(text, item=True)}")


def render_link(link: Link) -> str:
    """Write one line of relations."""
    targets = ", ".join(f"[[{target}]]" for target in link.targets)
    line = f"{md.escape(md.one_line(link.label), item=True)}: {targets}"
    sure = link.confidence is Confidence.HIGH
    fields = {
        "since": link.since,
        "begins": link.begins,
        "fact": " ".join(link.facts),
        "confidence": "" if sure else link.confidence,
    }
    comment = md.render_fields(fields.items())
    return md.render_item(f"{line} <!-- {comment} -->" if comment else line)


_SHORT = re.compile(r"[0-9a-f]{6,8}")
_FACT_ID = re.compile(r"([^\s#/:]+--[^\s#/]+)#([0-9a-f]{6,8})")
_DAYS = ("since", "said", "on", "until", "forgotten")
_WORDS = (
    *("source", "from", "by", "claim", "confidence", "tags"),
    *("supersedes", "superseded-by"),
)
_LEVELS = frozenset(Confidence)
UNSAID = dict.fromkeys((*_DAYS, *_WORDS), "")
"""The fields of a fact that says nothing of itself."""


@lru_cache(maxsize=4_096)
def reference(text: str) -> str:
    """The short name by which one fact points at another: a hash of its words."""
    data = md.tidy(text).encode("utf-8", "replace")
    return hashlib.sha256(data).hexdigest()[:8]


def short_name(text: str) -> str:
    """What a fact is called on its own page: `3f2a9c`."""
    return reference(text)[:6]


def fact_id(page: str, text: str) -> str:
    """What a fact is cited by: `person--alex#3f2a9c`, from its page and its words."""
    return f"{page}#{short_name(text)}"


def parse_fact_id(said: str) -> tuple[str, str] | None:
    """The page and the short name that a citation of a fact means; None for none."""
    found = _FACT_ID.fullmatch(said.strip().removeprefix("entity:"))
    return (found[1], found[2]) if found else None


def comment_fields(piece: md.Piece) -> tuple[tuple[str, str], ...]:
    """What the comment behind a list item says of it."""
    return md.parse_fields(md.split_comment(piece.text)[1] or "")


def own_fields(piece: md.Piece) -> list[tuple[str, str]]:
    """What a person wrote of a fact that is none of our fields, or no value of one."""
    return [pair for pair in comment_fields(piece) if _is_own(*pair)]


def _is_own(key: str, value: str) -> bool:
    unread = key in _DAYS and value and md.parse_date(value) is None
    unread = unread or (key == "confidence" and value not in _LEVELS)
    return bool(unread) or key not in UNSAID


@lru_cache(maxsize=4_096)
def parse_fact(piece: md.Piece) -> Fact:
    """Read a list item as a fact; a struck-out one no longer holds."""
    words, inside = md.split_comment(piece.text)
    # Of two fields of one name the first counts.
    fields = UNSAID | dict(reversed(md.parse_fields(inside or "")))
    if stated(fields["by"], fields["source"]) in FOREIGN:
        words = md.unquoted(words)
    struck = len(words) > 4 and words.startswith("~~") and words.endswith("~~")
    if struck:
        words = re.sub(r"(\n *)\\(\\*~{1,2})$", r"\1\2", words[2:-2])
    words = re.sub(r"^\\(\\*~~)", r"\1", md.without_comments(words).strip())
    since, said, on, until, forgotten = (md.parse_date(fields[key]) for key in _DAYS)
    level = fields["confidence"]
    # What is not struck out holds until that day.
    over = struck or fields["superseded-by"] or forgotten
    return Fact(
        md.unescape(words),
        since=since,
        source=fields["source"],
        until=until if over else None,
        ends=None if over else until,
        superseded_by=fields["superseded-by"],
        withdrawn=struck and not (until or fields["superseded-by"] or forgotten),
        by=fields["by"],
        forgotten=forgotten,
        said=said if said != since else None,
        on=on,
        basis=fields["from"],
        confidence=Confidence(level) if level in _LEVELS else Confidence.HIGH,
        claim=fields["claim"],
        supersedes=fields["supersedes"],
        tags=fields["tags"],
    )


def render_fact(fact: Fact, more: Iterable[tuple[str, str]] = ()) -> str:
    """Write a fact as a list item; white space at its edges is dropped.

    Args:
        fact: The fact.
        more: Fields of a person's own to keep in the comment.
    """
    words = md.escape(fact.text, item=True, fences=False)
    words = re.sub(r"^(\\*~~)", r"\\\1", words)
    if not fact.current:
        # A last line of tildes would become a code fence with those that strike it.
        words = re.sub(r"(\n *)(\\*~{1,2})$", r"\1\\\2", words)
        words = f"~~{words}~~"
    if stated(fact.by, fact.source) in FOREIGN:
        # Somebody else's words stand as a quotation among the others.
        words = md.quoted(words)
    sure = fact.confidence is Confidence.HIGH
    fields = {
        "since": fact.since,
        "said": fact.said if fact.said != fact.since else None,
        "on": fact.on,
        "until": fact.until or fact.ends,
        "source": fact.source,
        "from": fact.basis,
        "by": fact.by,
        "claim": fact.claim,
        "confidence": "" if sure else fact.confidence,
        "tags": fact.tags,
        "supersedes": fact.supersedes,
        "superseded-by": fact.superseded_by,
        "forgotten": fact.forgotten,
    }
    comment = md.render_fields([*fields.items(), *more])
    return md.render_item(f"{words} <!-- {comment} -->" if comment else words)


SAME_AS = "Is this the same as"
"""How a page begins to ask whether another is about the same thing."""

APART = "Distinct from"
"""The header field that lists pages which somebody said are not about the same."""


class MissingFactError(NotFoundError):
    """A page has no such fact, or it no longer holds."""

    says = "no fact {} holds in {}"
    mend = "Read the page again: the fact may have been changed meanwhile."


def add_fact(page: EntityPage, fact: Fact) -> EntityPage:
    """A page that knows one more fact; one that already holds is not added again."""
    if any(f.current and f.text == fact.text for f in page.entity.facts):
        return page
    return read_page(md.with_item(page.page, FACTS, render_fact(fact)))


def current_facts(text: str, path: str) -> list[tuple[int, Fact]]:
    """The facts of a page that hold, each with its line; the rest is not read."""
    pieces = md.parse_page(text, path, ORDER).items(FACTS)
    found = ((piece.line, parse_fact(piece)) for piece in pieces)
    return [(line, fact) for line, fact in found if fact.current]


def is_planned(fact: Fact, today: date) -> bool:
    """Return whether a fact begins, or tells of, a later day."""
    return any(day is not None and day > today for day in (fact.since, fact.on))


def cited_fact(page: EntityPage, said: str) -> str:
    """`reference()` of the fact that somebody names by its id or by its words.

    Raises:
        MissingFactError: None that holds has this id.
    """
    cited = parse_fact_id(said)
    if cited is None:
        return reference(said)
    for fact in page.entity.facts:
        name = reference(fact.text)
        here = cited[0] in {page.entity.name, *page.entity.aliases}
        if fact.current and here and name.startswith(cited[1]):
            return name
    raise MissingFactError(said, page.path)


def supersede_fact(page: EntityPage, old: str, new: Fact, *, on: date) -> EntityPage:
    """A page on which one fact took the place of another.

    The old one is kept, struck out, with the day it ended and what followed.

    Args:
        page: The page.
        old: `reference()` of a fact that holds.
        new: What holds instead; the same words change nothing.
        on: The day of the change; also the new fact's first day if it has none.
    """
    successor = reference(new.text)
    changed = end_fact(page, old, until=on, superseded_by=successor)
    if successor == old:
        return page
    return add_fact(changed, replace(new, since=new.since or on))


def begin_fact(page: EntityPage, fact: Fact) -> EntityPage:
    """Return a page on which a fact whose day has come holds, with its relations.

    It takes the place of what it supersedes, or of what replaced that one meanwhile.
    """
    name, gone = reference(fact.text), fact.supersedes
    for piece in reversed(page.page.items(RELATIONS)):
        link = parse_link(piece)
        if link and link.begins and name[:6] in {each[:6] for each in link.facts}:
            raw = render_link(replace(link, since=link.begins, begins=None))
            page = read_page(md.with_lines(page.page, piece.line, piece.raw, raw))
    if not gone:
        return page
    over = {reference(f.text): f for f in page.entity.facts if not f.current}
    while gone in over:
        gone = over.pop(gone).superseded_by
    page = update_fact(page, name, supersedes="")
    held = {reference(f.text) for f in page.entity.facts if f.current} - {name}
    if gone not in held or fact.since is None:
        return page
    return end_fact(page, gone, until=fact.since, superseded_by=name)


def forget_fact(page: EntityPage, name: str, *, on: date) -> EntityPage:
    """A page on which a fact is struck out because its human said to forget it.

    Args:
        page: The page.
        name: `reference()` of a fact that holds or held.
        on: The day of the wish.
    """
    told = (f for f in page.entity.facts if not f.forgotten)
    for _ in range(max(1, sum(reference(fact.text) == name for fact in told))):
        page = _ended(page, name, forgotten=on)
    return page


def end_fact(
    page: EntityPage, name: str, *, until: date, superseded_by: str = ""
) -> EntityPage:
    """A page on which a fact held until a day.

    Args:
        page: The page.
        name: `reference()` of a fact that holds.
        until: The day.
        superseded_by: `reference()` of the fact that took its place, where one did.
    """
    return _ended(page, name, until=until, ends=None, superseded_by=superseded_by)


def update_fact(page: EntityPage, name: str, **changes: Any) -> EntityPage:  # noqa: ANN401 - as `replace`
    """Return a page on which a fact has some other fields.

    Args:
        page: The page.
        name: `reference()` of a fact that holds, or of one to forget.
        changes: The fields.

    Raises:
        MissingFactError: There is no such fact.
    """
    for piece in page.page.items(FACTS):
        fact = parse_fact(piece)
        there = not fact.forgotten if "forgotten" in changes else fact.current
        if there and reference(fact.text) == name:
            raw = render_fact(replace(fact, **changes), own_fields(piece))
            return read_page(md.with_lines(page.page, piece.line, piece.raw, raw))
    raise MissingFactError(name, page.path)


def _ended(page: EntityPage, name: str, **changes: Any) -> EntityPage:  # noqa: ANN401 - as `replace`
    """A page on which a fact no longer holds, and nothing asks whether it does."""
    said = next((f.text for f in page.entity.facts if reference(f.text) == name), "")
    changed = update_fact(page, name, **changes)
    return without_question(changed, [fact_id(page.entity.name, said)])


def asked_about(question: str) -> tuple[str, ...]:
    """The ids between which a question asks; none for any other question."""
    if not question.startswith(WHICH_HOLDS):
        return ()
    ids = question.removeprefix(WHICH_HOLDS).rstrip("? ").split(" or ")
    return tuple(id_.strip().removeprefix("entity:") for id_ in ids)


def without_question(page: EntityPage, ids: Iterable[str]) -> EntityPage:
    """A page that no longer asks which of these and others holds."""
    cited, changed = set(ids), page.page
    for asked in reversed(changed.items(QUESTIONS)):
        if cited <= set(asked_about(md.visible(asked.text))):
            changed = md.with_lines(changed, asked.line, asked.raw, "")
    return page if changed is page.page else read_page(changed)


def ask_which_holds(page: EntityPage, ids: Iterable[str]) -> EntityPage:
    """A page that asks which of some facts holds, each named by its id."""
    question = f"{WHICH_HOLDS} {' or '.join(ids)}?"
    return page if question in page.entity.questions else add_question(page, question)


def add_question(page: EntityPage, text: str) -> EntityPage:
    """A page with one more open question."""
    return read_page(md.with_item(page.page, QUESTIONS, md.bullet(text)))


def add_link(page: EntityPage, link: Link) -> EntityPage:
    """A page linked to one more entity; a link it has already is not added again.

    A link that came with a fact, and comes with another, names both. One that names
    none was there by itself, and stays so.

    Args:
        page: The page.
        link: To one entity.
    """
    (target,), same = link.targets, link.label.casefold()
    known = [(piece, parse_link(piece)) for piece in page.page.items(RELATIONS)]
    found = [(p, each) for p, each in known if each and each.label.casefold() == same]
    for piece, each in found:
        if target in each.targets:
            more = tuple(fact for fact in link.facts if fact not in each.facts)
            if not (each.facts and more):
                return page
            sure = Confidence.HIGH in {each.confidence, link.confidence}
            level = Confidence.HIGH if sure else each.confidence
            both = replace(each, facts=(*each.facts, *more), confidence=level)
            if each.begins and not (link.begins and link.begins > each.begins):
                both = replace(both, since=link.since, begins=link.begins)
            raw = render_link(both)
            return read_page(md.with_lines(page.page, piece.line, piece.raw, raw))
    for piece, each in found:
        if not (_is_noted(each) or _is_noted(link)):
            at = piece.raw.rindex("]]") + 2
            raw = f"{piece.raw[:at]}, [[{target}]]{piece.raw[at:]}"
            return read_page(md.with_lines(page.page, piece.line, piece.raw, raw))
    alike = replace(link, label=found[0][1].label) if found else link
    return read_page(md.with_item(page.page, RELATIONS, render_link(alike)))


def held_links(entity: Entity) -> tuple[Link, ...]:
    """The links of an entity that still hold: not those whose facts are all over.

    One whose day is to come does not hold yet. A fact that is not there says nothing:
    its words may have been mended by hand.
    """
    if not any(link.facts or link.begins for link in entity.links):
        return entity.links
    now = {short_name(fact.text) for fact in entity.facts if fact.current}
    over = {short_name(fact.text) for fact in entity.facts} - now
    return tuple(
        link for link in entity.links if not (link.begins or _ended_with(link, over))
    )


def _ended_with(link: Link, over: Collection[str]) -> bool:
    return bool(link.facts) and all(name[:6] in over for name in link.facts)


def release_links(
    page: EntityPage, gone: Iterable[Fact], called: Callable[[str], Iterable[str]]
) -> tuple[EntityPage, tuple[tuple[str, str], ...]]:
    """A page without the links that came with facts which are over.

    A link that names facts ends with the last of them; one that names none, with the
    fact that alone speaks of its target.

    Args:
        page: The page, on which those facts no longer hold.
        gone: The facts.
        called: What an entity is called besides its own name.

    Returns:
        The page, and the links it no longer has, as labels and targets.
    """
    ended = tuple(gone)
    said = [_words(fact.text) for fact in page.entity.facts if fact.current]
    now = {short_name(fact.text) for fact in page.entity.facts if fact.current}
    over = {short_name(f.text) for f in (*ended, *page.entity.facts)} - now
    lost = [_words(fact.text) for fact in ended]

    def ends(link: Link, target: str) -> bool:
        if link.facts:
            return _ended_with(link, over)
        names = (target.partition("--")[2].replace("-", " "), *called(target))
        meant = [words for words in map(_words, names) if words]
        alone = any(words <= text for words in meant for text in lost)
        return alone and not any(words <= text for words in meant for text in said)

    return remove_links(page, ends)


def remove_links(
    page: EntityPage, ends: Callable[[Link, str], bool]
) -> tuple[EntityPage, tuple[tuple[str, str], ...]]:
    """A page without some links, and those links as labels and targets."""
    changed, lost = page.page, []
    for piece in reversed(page.page.items(RELATIONS)):
        link = parse_link(piece)
        gone = [t for t in link.targets if ends(link, t)] if link else []
        if link is None or not gone:
            continue
        lost += [(link.label, target) for target in gone]
        whole = len(gone) == len(link.targets)
        raw = "" if whole else without_targets(piece.raw, gone)
        changed = md.with_lines(changed, piece.line, piece.raw, raw)
    return (read_page(changed), tuple(lost[::-1])) if lost else (page, ())


def without_targets(raw: str, gone: Iterable[str]) -> str:
    """A line of relations without some of what it links to; empty if nothing is left.

    What it names twice it names once.
    """
    left, links, kept, end = set(gone), [*_TARGET.finditer(raw)], "", 0
    if not links:
        return raw
    for link in links:
        if (name := link[1].strip()) not in left:
            left.add(name)
            kept += (raw[end : link.start()] if kept else "") + link[0]
        end = link.end()
    return (
        f"{raw[: links[0].start()]}{kept}{raw[end:]}" if kept else "" if links else raw
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


def add_alias(page: EntityPage, name: str) -> EntityPage:
    """A page that lists one more name; one it goes by already is not added again."""
    names = (page.entity.label, *page.entity.aliases)
    if name.casefold() in (known.casefold() for known in names):
        return page
    aliases = (md.escape_field(each, ",") for each in (*page.entity.aliases, name))
    changed = md.with_field(page.page, "Aliases", ", ".join(aliases), beside="Type")
    return read_page(changed)


def kept_apart(page: EntityPage) -> tuple[str, ...]:
    """The entities that somebody said a page is not the same as."""
    listed = page.page.fields.get(APART.casefold())
    found = md.split_fields(listed.raw if listed else "", ",")
    return tuple(filter(None, map(md.unescape_field, found)))


def keep_apart(page: EntityPage, name: str) -> EntityPage:
    """A page that says it is not the same as another one, and no longer asks."""
    changed = page.page
    for asked in reversed(changed.items(QUESTIONS)):
        if asked_same(md.visible(asked.text)) == name:
            changed = md.with_lines(changed, asked.line, asked.raw, "")
    known = kept_apart(page)
    if name not in known:
        listed = ", ".join(md.escape_field(each, ",") for each in (*known, name))
        changed = md.with_field(changed, APART, listed, beside="Type")
    return read_page(changed)


def asked_same(question: str) -> str:
    """The entity of which a page asks whether it is the same; empty for another."""
    begin, _, rest = question.partition(SAME_AS)
    found = re.fullmatch(r"\s*(?:\[\[)?([^\s\[\]|#]+--[^\s\[\]|#?]+).*", rest)
    return found[1] if found and not begin.strip() else ""


def set_header(
    page: EntityPage, *, updated: date | None = None, pinned: bool | None = None
) -> EntityPage:
    """A page whose header says what is given, and the rest as before."""
    changed = page.page
    if updated:
        day = updated.isoformat()
        changed = md.with_field(changed, "Last updated", day, beside="Type")
    if pinned is not None:
        changed = md.with_pin(changed, pinned=pinned)
    return read_page(changed)
