"""EXTRACT, CONNECT and FLAG: what they add to the page of an entity.

Nothing that stands there is touched. The one exception is a fact that another takes the
place of, which is struck out and stays readable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.markdown import (
    ended,
    escape,
    headline,
    newlines_like,
    one_line,
    render_item,
    render_page,
    split_lines,
    with_field,
    with_item,
)
from reverie.model.ids import ItemId, Kind, slug
from reverie.model.items import Entity, Fact, Link
from reverie.model.origin import Origin, least, named
from reverie.reflection.operations.confining import edge_in, entity_in
from reverie.reflection.operations.extracts import Told, read_news
from reverie.reflection.operations.overlay import Effect, edit_of, text_of
from reverie.stores import entities, relations
from reverie.stores.entities import (
    FACTS,
    QUESTIONS,
    SUMMARY,
    TIMELINE,
    read_page,
    render_dated,
    render_fact,
)
from reverie.stores.reading import load_vocabulary
from reverie.stores.text import storable, storable_name
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from reverie.encoding.remember import Desk
    from reverie.markdown import Page
    from reverie.model.items import Edge
    from reverie.model.reflection import Operation
    from reverie.reflection.operations.extracts import News
    from reverie.stores.entities import EntityPage

_ARROW = " → "


class NothingNewError(RefusedError):
    """An operation says only what is known already."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} says all of this already", hint="Nothing has to be done."
        )


class NoPageError(RefusedError):
    """An operation is about an entity that has no page."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"there is no page {path}", hint="EXTRACT what is known about it first."
        )


class PinnedPageError(RefusedError):
    """A fact on a pinned page would no longer hold."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is pinned, so nothing on it is superseded",
            hint="Only its human changes it, or unpins it.",
        )


class NoSuchFactError(RefusedError):
    """A fact that was to be superseded is not known, or holds no more."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(
            f"{headline(text, 60)!r} is no fact that holds in {path}",
            hint="Name the fact in its very words.",
        )


def plan_extract(operation: Operation, desk: Desk) -> Effect:
    """Plan to add what an entity's page does not know yet."""
    name = entity_in(operation.target)
    path = desk.place(layout.ENTITIES, f"{name}.md")
    news = read_news(storable(operation.content, desk.config.ledger.text_limit), path)
    old = text_of(path, desk)
    if old is None:
        new = _new_page(name, news, desk, path)
    else:
        page = _added(entities.parse_entity(old, path), news, desk)
        new = _saved(page, old, desk, loose=_loose(news))
    edits = edit_of(path, new, desk, headline(_gist(news, name)))
    return Effect(edits, (str(ItemId(Kind.ENTITY, name)),))


def _gist(news: News, name: str) -> str:
    return next((told.text for told in news.facts), "") or news.summary or name


def plan_connect(operation: Operation, desk: Desk) -> Effect:
    """Plan to add a relation to the page of its first entity."""
    origin, relation, target = edge_in(operation.content)
    path = desk.place(layout.ENTITIES, f"{origin}.md")
    old = text_of(path, desk)
    if old is None:
        raise NoPageError(path)
    words = load_vocabulary(desk.read(layout.RELATIONS))
    label = _label(words.synonyms.get(slug(relation), slug(relation)))
    page = entities.parse_entity(old, path)
    wanted = Entity(*_parts(origin), "", links=(Link(label, (target,)),))
    if set(map(_ends, relations.edges(wanted, words))) <= _edges_of(page, target, desk):
        raise NothingNewError(path)
    linked = entities.add_link(page, label, target).page
    new = _saved(linked, old, desk, loose=True)
    why = f"{origin} {relation} {target}"
    ids = tuple(str(ItemId(Kind.ENTITY, name)) for name in (origin, target))
    return Effect(edit_of(path, new, desk, why), ids)


def _edges_of(page: EntityPage, other: str, desk: Desk) -> set[tuple[str, str, str]]:
    """What two pages say of how they relate, whichever of them says it."""
    words = load_vocabulary(desk.read(layout.RELATIONS))
    path = desk.place(layout.ENTITIES, f"{other}.md")
    far = entities.parse_entity(text_of(path, desk) or "", path)
    both = (*relations.edges(page.entity, words), *relations.edges(far.entity, words))
    return set(map(_ends, both))


def _ends(edge: Edge) -> tuple[str, str, str]:
    return edge.origin, edge.relation, edge.target


def _parts(name: str) -> tuple[str, str]:
    kind, _, rest = name.partition("--")
    return kind, rest


def _label(relation: str) -> str:
    """`built-on` as people write it: `Built on`."""
    return relation.replace("-", " ").capitalize()


def plan_flag(operation: Operation, desk: Desk) -> Effect:
    """Plan to ask on an entity's page what cannot both be true."""
    if not operation.target.startswith(f"{layout.ENTITIES}/"):
        return Effect(ids=(operation.target,) if operation.target else ())
    name = entity_in(operation.target)
    path = desk.place(layout.ENTITIES, f"{name}.md")
    old = text_of(path, desk)
    if old is None:
        raise NoPageError(path)
    text = one_line(storable(operation.content, desk.config.ledger.text_limit))
    page = entities.parse_entity(old, path)
    if _same(text) in map(_same, page.entity.questions):
        raise NothingNewError(path)
    new = _saved(entities.add_question(page, text).page, old, desk, loose=True)
    edits = edit_of(path, new, desk, headline(text))
    return Effect(edits, (str(ItemId(Kind.ENTITY, name)),))


def _saved(page: Page, old: str, desk: Desk, *, loose: bool) -> str:
    """The text of a page that was added to, which says so in its header.

    Args:
        page: What it says now.
        old: What it said.
        desk: Whose words were added, and when.
        loose: Whether some of them are no facts, which say themselves whose they are.
    """
    if render_page(page) == old:
        raise NothingNewError(page.path)
    today = desk.now.date().isoformat()
    dated = with_field(page, "Last updated", today, beside="Type")
    return render_page(_of_whom(dated, desk) if loose else dated)


def _of_whom(page: Page, desk: Desk) -> Page:
    """A page that says whose words it holds; of several, the least trusted."""
    known = page.value("By")
    origin = least([desk.origin, *([named(known)] if known else [])])
    if least([origin, Origin.AGENT]) is Origin.AGENT or origin == known:
        return page
    return with_field(page, "By", origin, beside="Type")


def _loose(news: News) -> bool:
    """Whether there is more than facts."""
    more = (news.summary, news.timeline, news.questions, news.links, news.aliases)
    return any(more) or bool(news.label)


def _same(text: str) -> str:
    return one_line(text).casefold()


# --- what a page says afterwards -----------------------------------------------


def _fact(told: Told, desk: Desk) -> Fact:
    today = desk.now.date()
    since = min(told.since, today) if told.since else today
    return Fact(told.text, since, desk.source, by=desk.by)


def _new_page(name: str, news: News, desk: Desk, path: str) -> str:
    for told in news.facts:
        if told.instead:
            raise NoSuchFactError(told.instead, path)
    if not (news.facts or news.summary or news.timeline or news.questions):
        raise NothingNewError(path)
    kind, rest = _parts(name)
    today = desk.now.date()
    label = storable_name(news.label) if news.label else ""
    entity = Entity(
        kind,
        rest,
        label or entities.default_label(rest),
        summary=news.summary,
        facts=tuple(_fact(told, desk) for told in _once(news.facts)),
        timeline=news.timeline,
        questions=news.questions,
        links=tuple(Link(words, (target,)) for words, target in news.links),
        aliases=tuple(map(storable_name, news.aliases)),
        created=today,
        updated=today,
        source=desk.source,
    )
    text = entities.new_entity(entity)
    if not _loose(news):
        return text
    return render_page(_of_whom(entities.parse_entity(text, path).page, desk))


def _once(facts: Iterable[Told]) -> Iterable[Told]:
    found: dict[str, Told] = {}
    for told in facts:
        found.setdefault(_same(told.text), told)
    return found.values()


def _added(page: EntityPage, news: News, desk: Desk) -> Page:
    """A page that knows more; what stood there before stays as it is.

    What was struck out or forgotten is not learned again from what is long past.
    """
    fresh: list[Told] = []
    for told in _once(news.facts):
        meant = _meant(told, page.entity)
        if meant.instead:
            page = _superseding(page, meant, desk)
        else:
            fresh.append(meant)
    if news.summary and not page.entity.summary:
        page = _with_summary(page, news.summary)
    entity = page.entity
    known = {_same(fact.text) for fact in entity.facts}
    told_of = {(day, _same(text)) for day, text in entity.timeline}
    asked = set(map(_same, entity.questions))
    # All at once: reading a long page again for each line would take its time.
    text = page.page
    for name, items in (
        (FACTS, [_item(t, desk) for t in fresh if _same(t.text) not in known]),
        (TIMELINE, [_event(e) for e in news.timeline if _event_key(e) not in told_of]),
        (QUESTIONS, [_asked(q) for q in news.questions if _same(q) not in asked]),
    ):
        text = with_item(text, name, "".join(items)) if items else text
    return _named(text, news)


def _item(told: Told, desk: Desk) -> str:
    return render_fact(_fact(told, desk))


def _event(event: tuple[date, str]) -> str:
    return render_dated(*event)


def _event_key(event: tuple[date, str]) -> tuple[date, str]:
    return event[0], _same(event[1])


def _asked(question: str) -> str:
    return render_item(escape(question, item=True))


def _named(text: Page, news: News) -> Page:
    """A page with further links and names."""
    if not (news.links or news.aliases):
        return text
    page = read_page(text)
    for label, target in news.links:
        page = entities.add_link(page, label, target)
    for alias in news.aliases:
        page = entities.add_alias(page, storable_name(alias))
    return page.page


def _meant(told: Told, entity: Entity) -> Told:
    """A fact; `old → new` takes the place of the old one, if that one holds."""
    before, arrow, after = told.text.partition(_ARROW)
    if arrow and after.strip() and _holding(entity, before):
        return Told(after.strip(), told.since, before)
    return told


def _holding(entity: Entity, text: str) -> Fact | None:
    """The fact of these words, if it holds."""
    words = _same(text)
    held = (fact for fact in entity.facts if fact.current)
    return next((fact for fact in held if _same(fact.text) == words), None)


def _superseding(page: EntityPage, told: Told, desk: Desk) -> EntityPage:
    """A page on which a fact took the place of another."""
    old = _holding(page.entity, told.instead)
    if old is None or not told.text:
        raise NoSuchFactError(told.instead, page.path)
    if page.entity.pinned:
        raise PinnedPageError(page.path)
    name = entities.reference(old.text)
    fact = _fact(told, desk)
    return entities.supersede_fact(page, name, fact, on=fact.since or desk.now.date())


def _with_summary(page: EntityPage, summary: str) -> EntityPage:
    """A page with words in its empty summary, or with a summary of its own."""
    text = ended(entities.render_entity(page))
    lines = split_lines(text)
    words = newlines_like(text, f"{escape(summary)}\n")
    found = page.page.named(SUMMARY)
    if found:
        lines.insert(found[0].line, words)
    else:
        first = (section.line - 1 for section in page.page.sections)
        head = newlines_like(text, f"## {SUMMARY}\n")
        blank = newlines_like(text, "\n")
        lines.insert(next(first, len(lines)), f"{head}{words}{blank}")
    return entities.parse_entity("".join(lines), page.path)
