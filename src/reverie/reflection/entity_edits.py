"""Edits of one operation: to entity pages (EXTRACT, CONNECT, FLAG, MERGE), their diffs.

Nothing that stands on a page is touched. The exceptions are a fact that another takes
the place of, which is struck out and stays readable, and a page that goes into another.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie import markdown as md
from reverie.encoding.merge import plan_apart
from reverie.errors import RefusedError
from reverie.model import change
from reverie.model.change import Action, Edit
from reverie.model.ids import ItemId, Kind, slug
from reverie.model.items import Entity, Fact, Link, Origin, least, named
from reverie.printable import storable, storable_name
from reverie.reflection.operations import (
    basis_of,
    distinct_pair_in,
    edge_in,
    entity_in,
    ids_in,
    pair_in,
    sides_in,
)
from reverie.session.moved_pages import plan_merge
from reverie.stores import entities
from reverie.stores.ended_links import end_links
from reverie.stores.reader import faithful_text, load_vocabulary
from reverie.stores.relations import edges
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import date

    from reverie.encoding.placement import Desk
    from reverie.markdown import Page
    from reverie.model.reflection import Operation

_SECTIONS = frozenset(name.casefold() for name in entities.ORDER)
_NAME = re.compile(r"[^\s/\[\]|#]+--[^\s/\[\]|#]+")
_NOTE = re.compile(
    r"(since|on|from|supersedes|answers)(?::\s*|\s+(?=[0-9]{4}-))(.+)", re.IGNORECASE
)
_NOTES = re.compile(r"\((?=(?:since|on|from|supersedes|answers)\b)", re.IGNORECASE)
_BETWEEN = re.compile(
    rf"\)\s*{_NOTES.pattern}|,\s*(?=(?:since|on|from|supersedes|answers):)",
    re.IGNORECASE,
)
_ASTRAY = re.compile(r"\((?:from|supersedes|answers):\s*\S+", re.IGNORECASE)
_INSTEAD_LINE = re.compile(r"supersedes:(.*)", re.IGNORECASE)


_NOTHING = Entity("", "", "")


class CannotBeDoneError(RefusedError):
    """An operation cannot be carried out on what is there, and this is why."""


def nothing_new(path: str) -> CannotBeDoneError:
    """Why an operation is refused that says only what is known already."""
    return CannotBeDoneError(f"{path} says all of this already")


def _strange(words: str) -> CannotBeDoneError:
    """Why a page is refused that a mind wrote with a part of its own."""
    what = f"its page has a part that does not belong there: {md.headline(words, 60)!r}"
    return CannotBeDoneError(what)


# --- edits on top of each other -------------------------------------------------


class Effect(Struct, frozen=True):
    """What one operation would do.

    Attributes:
        edits: To which files.
        ids: The memories it is about.
        archived: The memories it hides.
        told: What to show besides the diff, for what no edit of its own tells.
        notes: What its human should know besides.
    """

    edits: tuple[Edit, ...] = ()
    ids: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    told: str = ""
    notes: tuple[str, ...] = ()


def laid_over(edits: Mapping[str, Edit], more: Iterable[Edit]) -> dict[str, Edit]:
    """Some edits and more of them, those of one file as one."""
    whole = dict(edits)
    for edit in more:
        first = whole.get(edit.path)
        if first and edit.action is Action.MERGE:
            # History has to tell which pages became one.
            first = replace(first, action=edit.action, summary=edit.summary)
        whole[edit.path] = replace(first, content=edit.content) if first else edit
    return whole


def text_of(path: str, desk: Desk) -> str | None:
    """A file's text; None where there is none.

    Raises:
        FormatError: It is no UTF-8, so nothing in it can be changed faithfully.
    """
    data = desk.read(path)
    return None if data is None else faithful_text(data, path)


def edit_of(
    path: str, text: str, desk: Desk, why: str, action: Action | None = None
) -> tuple[Edit, ...]:
    """The edit that gives a file this text; none where it says so already."""
    old = desk.read(path)
    edit = change.edit_of(path, old, text, action, why)
    return () if edit.content == old else (edit,)


def diff_of(edits: Iterable[Edit], desk: Desk) -> str:
    """What edits do to the files on a desk, as a unified diff."""
    return "".join(
        _diff(edit.path, desk.read(edit.path), edit.content or b"") for edit in edits
    )


def diff_texts(path: str, old: str, new: str) -> str:
    """What two texts of a file have not in common, as a unified diff."""
    return _diff(path, old.encode() or None, new.encode())


def _diff(path: str, old: bytes | None, new: bytes) -> str:
    def lines(data: bytes) -> list[str]:
        """Lines that all end, so that no two of a diff run together."""
        lines = data.decode("utf-8-sig", "replace").split("\n")
        return [f"{line}\n" for line in (lines if lines[-1] else lines[:-1])]

    names = f"a/{path}" if old is not None else "/dev/null", f"b/{path}"
    return "".join(difflib.unified_diff(lines(old or b""), lines(new), *names, n=2))


# --- what an EXTRACT tells ---------------------------------------------------------


class ToldFact(Struct, frozen=True):
    """A fact that is told, the words of the one it replaces, and what is behind it."""

    text: str
    since: date | None = None
    instead: str = ""
    basis: str = ""
    answers: str = ""
    on: date | None = None


class EntityNews(Struct, frozen=True):
    """All that an EXTRACT tells: facts, and what a page says besides them."""

    facts: tuple[ToldFact, ...]
    page: Entity = _NOTHING

    @property
    def loose(self) -> bool:
        """Whether there is more than facts, which say themselves whose they are."""
        return self.page != _NOTHING


def require_sections(page: Page) -> None:
    """Refuse a page with sections of its own: they would be dropped unseen."""
    known = {name.casefold() for name in page.order}
    for section in page.sections:
        if (section.heading or "").casefold() not in known:
            raise _strange(section.heading or "")


def read_news(content: str, path: str) -> EntityNews:
    """What a content tells: a whole page of an entity, or a fact on each line.

    Who wrote a page, and its pin, do not count.

    Raises:
        CannotBeDoneError: A page has parts that would be dropped.
    """
    heads = {(md.heading(line) or "").casefold() for line in content.split("\n")}
    if md.parse_title(content) is None and not heads & _SECTIONS:
        return EntityNews(_listed_facts(content))
    page = entities.parse_entity(content, path)
    require_sections(page.page)
    entity, title = page.entity, page.page.title or ""
    if _NAME.fullmatch(title) and title != page.page.stem:
        raise _strange(title)
    links = [(link.label, target) for link in entity.links for target in link.targets]
    strange = [f"[[{target}]]" for _, target in links if not _NAME.fullmatch(target)]
    strange += [f.what for f in page.findings if f.what.startswith("expected ")]
    if strange:
        raise _strange(strange[0])
    listed = (
        _told_fact(md.one_line(f.text), f.since) for f in entity.facts if f.current
    )
    loose = (p.text for p in page.page.pieces(entities.FACTS) if not p.marker)
    label = page.page.value("Label")
    told = Entity(
        "",
        "",
        storable_name(label) if label else "",
        summary=entity.summary,
        timeline=tuple((day, md.one_line(text)) for day, text in entity.timeline),
        questions=tuple(map(md.one_line, entity.questions)),
        links=tuple(
            Link(storable_name(md.one_line(w)), (target,)) for w, target in links
        ),
        aliases=tuple(map(storable_name, entity.aliases)),
    )
    facts = (*listed, *(told for text in loose for told in _listed_facts(text)))
    return EntityNews(facts, told)


def _listed_facts(content: str) -> tuple[ToldFact, ...]:
    """Each line, or each item of a list, is a fact."""
    pieces = md.split_items(content)
    listed = any(piece.marker for piece in pieces)
    facts: list[ToldFact] = []
    for piece in pieces:
        said = md.without_comments(piece.text)
        for text in map(md.one_line, (said,) if piece.marker else said.split("\n")):
            # What only announces a list is no fact: "What I learned:".
            if not text or (listed and not piece.marker and text.endswith(":")):
                continue
            instead = _INSTEAD_LINE.fullmatch(text)
            if instead and facts and not facts[-1].instead:
                facts[-1] = replace(facts[-1], instead=instead[1].strip())
            elif facts and not noted(text)[0]:
                # What is said of a fact may stand on a line of its own below it.
                more = _told_fact(text)
                facts[-1] = replace(facts[-1], basis=facts[-1].basis or more.basis)
            else:
                facts.append(_told_fact(text))
    return tuple(facts)


def _told_fact(text: str, since: date | None = None) -> ToldFact:
    """A fact, and what it says of itself behind its words.

    `Lives in Lisbon (since: 2026-05-01) (from: episode:2026-05-02:09:00)`

    Raises:
        CannotBeDoneError: A note stands where none is read.
    """
    words, notes = noted(text)
    if astray := _ASTRAY.search(words):
        why = f"what is said of a fact stands at its very end, once each: {astray[0]}…)"
        raise CannotBeDoneError(why)
    day, on = (md.parse_date(notes.get(name, "")) for name in ("since", "on"))
    instead, answers = (notes.get(name, "") for name in ("supersedes", "answers"))
    basis = ids_in(notes.get("from", ""))
    return ToldFact(words, day or since, instead, answers=answers, on=on, basis=basis)


def noted(text: str) -> tuple[str, dict[str, str]]:
    """Words without the notes in brackets at their end, and those notes by name."""
    whole = text.removesuffix(".") if text.endswith(").") else text
    for found in _NOTES.finditer(whole) if whole.endswith(")") else ():
        inside = _BETWEEN.split(whole[found.end() : -1])
        read = [*map(_NOTE.fullmatch, inside)]
        notes = {each[1].lower(): each[2].strip() for each in read if each}
        if len(notes) == len(inside) and all(map(_is_note, notes, notes.values())):
            return whole[: found.start()].strip(), notes
    return text, {}


def notes_of(text: str, *, harmless: bool) -> str:
    """The notes at the end of words; or only those that change no other fact."""
    words, notes = noted(text)
    if not harmless:
        return text[len(words) :]
    kept = ("since", "on", "from")
    return "".join(f" ({name}: {notes[name]})" for name in notes if name in kept)


def _is_note(name: str, value: str) -> bool:
    """Whether a value is one that its note may have."""
    if name in {"since", "on"}:
        return md.parse_date(value) is not None
    # Who comes from Spain names no memory.
    cited = [each for each in value.replace(",", " ").split() if each]
    return name != "from" or len(ids_in(value).split()) == len(set(cited)) > 0


# --- EXTRACT, CONNECT, FLAG ----------------------------------------------------------


def plan_extract(
    operation: Operation, desk: Desk, known: Callable[[str], object] = bool
) -> Effect:
    """Plan to add what an entity's page does not know yet.

    Args:
        operation: What is to be added.
        desk: The files.
        known: Finds a memory by its id; what it does not find is nobody's source.
    """
    name = entity_in(operation.target)
    path = desk.place(layout.ENTITIES, f"{name}.md")
    news = read_news(storable(operation.content, desk.config.ledger.text_limit), path)
    basis = basis_of(operation)
    told = ((fact, fact.basis or basis) for fact in news.facts)
    facts = (
        replace(fact, basis=" ".join(filter(known, ids.split()))) for fact, ids in told
    )
    news = replace(news, facts=tuple(facts))
    old, name = text_of(path, desk), entity_in(path)
    more: tuple[Edit, ...] = ()
    if old is None:
        new = _new_page(name, news, desk, path)
    else:
        before = entities.parse_entity(old, path)
        page, more = end_links(before, _added(before, news, desk), desk.pages)
        new = _saved(page.page, old, desk, loose=news.loose)
    gist = next((told.text for told in news.facts), "") or news.page.summary or name
    edits = (*edit_of(path, new, desk, md.headline(gist)), *more)
    return Effect(edits, (str(ItemId(Kind.ENTITY, name)),))


def plan_connect(operation: Operation, desk: Desk) -> Effect:
    """Plan to add a relation to the page of its first entity."""
    origin, relation, target = edge_in(operation.content)
    page, old = _known_page(origin, desk)
    words = load_vocabulary(desk.read(layout.RELATIONS))
    kept, turned = words.canonical(slug(relation))
    label = (slug(relation) if turned else kept).replace("-", " ").capitalize()
    path = desk.place(layout.ENTITIES, f"{target}.md")
    # Either may have been merged or renamed since it was called so.
    origin, target = page.entity.name, entity_in(path)
    if origin == target:
        raise nothing_new(page.path)
    there = text_of(path, desk)
    if there is None:
        raise CannotBeDoneError(f"there is no page {path}")
    far = entities.parse_entity(there, path)
    kind, _, rest = origin.partition("--")
    wanted = Entity(kind, rest, "", links=(Link(label, (target,)),))
    said, here, new_edges = (
        {(edge.origin, edge.relation, edge.target) for edge in edges(e, words)}
        for e in (far.entity, page.entity, wanted)
    )
    # Whichever of the two pages says it.
    if new_edges <= here | said:
        raise nothing_new(page.path)
    day = _told_on(basis_of(operation)) or desk.now.date()
    link = Link(label, (target,), min(day, desk.now.date()))
    linked = entities.add_link(page, link).page
    # A relation is no text, so it changes the origin of nothing else on the page.
    new = _saved(linked, old, desk, loose=False)
    ids = tuple(str(ItemId(Kind.ENTITY, name)) for name in (origin, target))
    why = f"{origin} {relation} {target}"
    return Effect(edit_of(page.path, new, desk, why), ids)


def plan_merged(
    operation: Operation, desk: Desk, naming: Callable[[str], Iterable[str]]
) -> Effect:
    """Plan to put one page into another, with all that leads to it.

    Args:
        operation: Whose content names both.
        desk: The files.
        naming: The files that name an entity.
    """
    one, into = pair_in(operation.content)
    gone, kept = (_known_page(name, desk)[0] for name in (one, into))
    if (gone.entity.name, kept.entity.name) != (one, into):
        raise CannotBeDoneError(f"{one} and {into} are one page already")
    if gone.entity.pinned or kept.entity.pinned:
        raise CannotBeDoneError(f"{one} or {into} is pinned, so nothing is merged")
    if into in entities.kept_apart(gone) or one in entities.kept_apart(kept):
        raise CannotBeDoneError(f"{one} and {into} are noted as not the same")
    plan = plan_merge(gone, kept, naming(one), desk.read, desk.now.date())
    return Effect(plan.edits, (str(ItemId(Kind.ENTITY, into)),))


def plan_distinct(operation: Operation, desk: Desk) -> Effect:
    """Plan to note on two pages that they are not about the same thing."""
    names = distinct_pair_in(operation.content)
    one, other = (_known_page(name, desk)[0] for name in names)
    if (one.entity.name, other.entity.name) != names:
        raise CannotBeDoneError(f"{names[0]} and {names[1]} are one page already")
    if one.entity.pinned or other.entity.pinned:
        raise CannotBeDoneError(
            f"{names[0]} or {names[1]} is pinned, so only the user may note it: "
            f"`reverie merge {names[0]} {names[1]} --no`"
        )
    edits = plan_apart(one, other, desk.read)
    if not edits:
        raise nothing_new(one.path)
    return Effect(edits, tuple(str(ItemId(Kind.ENTITY, name)) for name in names))


def plan_settled(operation: Operation, desk: Desk) -> Effect:
    """Plan that of some facts of a page one holds, and the others ended today."""
    holds, over = sides_in(operation.content)
    name = entity_in(operation.target)
    before, old = _known_page(name, desk)
    if before.entity.pinned:
        raise CannotBeDoneError(f"{before.path} is pinned, so nothing on it ends")
    held = {
        entities.fact_id(name, fact.text): fact
        for fact in before.entity.facts
        if fact.current
    }
    over = tuple(dict.fromkeys(id_ for id_ in over if id_ != holds))
    if missing := [id_ for id_ in (holds, *over) if id_ not in held]:
        raise _no_fact(missing[0], before.path)
    page, by = before, entities.reference(held[holds].text)
    for id_ in over:
        ends = entities.reference(held[id_].text)
        today = desk.now.date()
        page = entities.end_fact(page, ends, until=today, superseded_by=by)
    page, more = end_links(before, page, desk.pages)
    page = entities.without_question(page, [holds, *over])
    new = _saved(page.page, old, desk, loose=False)
    why = f"settled: {md.headline(held[holds].text)}"
    edits = (*edit_of(before.path, new, desk, why), *more)
    return Effect(edits, (str(ItemId(Kind.ENTITY, name)),))


def plan_flag(operation: Operation, desk: Desk) -> Effect:
    """Plan to ask on an entity's page what cannot both be true."""
    if not operation.target.startswith(f"{layout.ENTITIES}/"):
        return Effect(ids=(operation.target,) if operation.target else ())
    name = entity_in(operation.target)
    page, old = _known_page(name, desk)
    text = md.one_line(storable(operation.content, desk.config.ledger.text_limit))
    answered = entities.asked_same(text) in entities.kept_apart(page)
    if answered or _same(text) in map(_same, page.entity.questions):
        raise nothing_new(page.path)
    held = [fact.text for fact in page.entity.facts if fact.current]
    sides = [said for said in held if _same(said).rstrip(" .") in _same(text)]
    if len(sides) > 1:
        # Both stand there word for word: then an answer can settle it.
        ids = [entities.fact_id(name, said) for said in sides]
        asks = entities.ask_which_holds(page, ids)
    else:
        asks = entities.add_question(page, text)
    new = _saved(asks.page, old, desk, loose=True)
    edits = edit_of(page.path, new, desk, md.headline(text))
    return Effect(edits, (str(ItemId(Kind.ENTITY, name)),))


def _known_page(name: str, desk: Desk) -> tuple[entities.EntityPage, str]:
    """The page of an entity that must have one, and its text."""
    path = desk.place(layout.ENTITIES, f"{name}.md")
    old = text_of(path, desk)
    if old is None:
        raise CannotBeDoneError(f"there is no page {path}")
    return entities.parse_entity(old, path), old


def _saved(page: Page, old: str, desk: Desk, *, loose: bool) -> str:
    """The text of a page that was added to, which says so in its header.

    Args:
        page: What it says now.
        old: What it said.
        desk: Whose words were added, and when.
        loose: Whether some of them are no facts, which say themselves whose they are.
    """
    if md.render_page(page) == old:
        raise nothing_new(page.path)
    today = desk.now.date().isoformat()
    dated = md.with_field(page, "Last updated", today, beside="Type")
    return md.render_page(_of_whom(dated, desk) if loose else dated)


def _of_whom(page: Page, desk: Desk) -> Page:
    """A page that says whose words it holds; of several, the least trusted."""
    known = page.value("By")
    origin = least([desk.origin, *([named(known)] if known else [])])
    if least([origin, Origin.AGENT]) is Origin.AGENT or origin == known:
        return page
    return md.with_field(page, "By", origin, beside="Type")


def _same(text: str) -> str:
    return md.one_line(text).casefold()


def _fact(told: ToldFact, desk: Desk) -> Fact:
    # What says neither holds since it was said.
    day = told.since or told.on or _told_on(told.basis) or desk.now.date()
    since = min(day, desk.now.date())
    basis, source = told.basis, desk.source
    return Fact(told.text, since, source, by=desk.by, basis=basis, on=told.on)


def _told_on(basis: str) -> date | None:
    """The day of the first episode that a fact comes from, which its id tells."""
    days = (md.parse_date(id_.split(":")[1]) for id_ in basis.split() if ":" in id_)
    return min(filter(None, days), default=None)


def _once(facts: Iterable[ToldFact]) -> Iterator[ToldFact]:
    """Of facts that say the same, the first."""
    seen: set[str] = set()
    for told in facts:
        if _same(told.text) not in seen:
            seen.add(_same(told.text))
            yield told


def _new_page(name: str, news: EntityNews, desk: Desk, path: str) -> str:
    for told in news.facts:
        if told.instead:
            raise _no_fact(told.instead, path)
        if told.answers:
            raise CannotBeDoneError(f"there is no page {path}, so it asks nothing")
    more = news.page
    if not (news.facts or more.summary or more.timeline or more.questions):
        raise nothing_new(path)
    kind, _, rest = name.partition("--")
    today = desk.now.date()
    entity = replace(
        more,
        type=kind,
        slug=rest,
        label=more.label or entities.default_label(rest),
        facts=tuple(_fact(told, desk) for told in _once(news.facts)),
        links=tuple(replace(link, since=today) for link in more.links),
        created=today,
        updated=today,
        source=desk.source,
    )
    text = entities.new_entity(entity)
    if not news.loose:
        return text
    return md.render_page(_of_whom(entities.parse_entity(text, path).page, desk))


def _added(
    page: entities.EntityPage, news: EntityNews, desk: Desk
) -> entities.EntityPage:
    """A page that knows more; what stood there before stays as it is.

    What was struck out or forgotten is not learned again from what is long past.
    """
    fresh: list[ToldFact] = []
    for told in _once(news.facts):
        before, arrow, after = told.text.partition(" → ")
        # `old → new` takes the place of the old one, if that one holds.
        if arrow and after.strip() and _holding(page.entity, before):
            instead = replace(told, text=after.strip(), instead=before)
            page = _superseding(page, instead, desk)
        elif told.instead:
            page = _superseding(page, told, desk)
        else:
            fresh.append(told)
    more = news.page
    if more.summary and not page.entity.summary:
        page = _with_summary(page, more.summary)
    for told in fresh:
        page = _also_from(page, told)
    for question in filter(None, (told.answers for told in news.facts)):
        page = _answered(page, question)
    entity = page.entity
    known = {_same(fact.text) for fact in entity.facts}
    new = (_fact(told, desk) for told in fresh if _same(told.text) not in known)
    happened = {(day, _same(text)) for day, text in entity.timeline}
    events = (one for one in more.timeline if (one[0], _same(one[1])) not in happened)
    asked = set(map(_same, entity.questions))
    apart = entities.kept_apart(page)
    open_ = (
        md.escape(q, item=True)
        for q in more.questions
        if _same(q) not in asked and entities.asked_same(q) not in apart
    )
    # All at once: reading a long page again for each line would take its time.
    text = page.page
    for name, items in {
        entities.FACTS: "".join(map(entities.render_fact, new)),
        entities.TIMELINE: "".join(entities.render_dated(*one) for one in events),
        entities.QUESTIONS: "".join(map(md.render_item, open_)),
    }.items():
        text = md.with_item(text, name, items) if items else text
    page = entities.read_page(text)
    for link in more.links:
        page = entities.add_link(page, replace(link, since=desk.now.date()))
    for alias in more.aliases:
        page = entities.add_alias(page, alias)
    return page


def _also_from(page: entities.EntityPage, told: ToldFact) -> entities.EntityPage:
    """A page on which a fact that is said again names what it comes from as well."""
    if not _holding(page.entity, told.text):
        return page
    for piece in page.page.items(entities.FACTS):
        fact = entities.parse_fact(piece)
        both = dict.fromkeys((*fact.basis.split(), *told.basis.split()))
        known = fact.current and _same(fact.text) == _same(told.text)
        if known and len(both) > len(fact.basis.split()):
            joined = replace(fact, basis=" ".join(both))
            raw = entities.render_fact(joined, entities.own_fields(piece))
            return entities.read_page(
                md.with_lines(page.page, piece.line, piece.raw, raw)
            )
    return page


def _answered(page: entities.EntityPage, asked: str) -> entities.EntityPage:
    """A page that does not ask something any more."""
    if entities.asked_same(asked):
        raise CannotBeDoneError(
            "whether two pages are the same is answered in `merges` or `distinct`"
        )
    for piece in reversed(page.page.items(entities.QUESTIONS)):
        if _same(piece.text) == _same(asked):
            rest = md.with_lines(page.page, piece.line, piece.raw, "")
            return entities.read_page(rest)
    raise CannotBeDoneError(f"{page.path} does not ask {md.headline(asked, 60)!r}")


def _holding(entity: Entity, text: str) -> Fact | None:
    """The fact of these words or of this id, if it holds."""
    cited = entities.parse_fact_id(text.removeprefix("entity:"))
    for fact in (fact for fact in entity.facts if fact.current):
        named = cited and cited[1] == entities.short_name(fact.text)
        if named or _same(fact.text) == _same(text):
            return fact
    return None


def _no_fact(text: str, path: str) -> CannotBeDoneError:
    return CannotBeDoneError(
        f"{md.headline(text, 60)!r} is no fact that holds in {path}"
    )


def _superseding(
    page: entities.EntityPage, told: ToldFact, desk: Desk
) -> entities.EntityPage:
    """A page on which a fact took the place of another."""
    old = _holding(page.entity, told.instead)
    if old is None or not told.text:
        raise _no_fact(told.instead, page.path)
    if page.entity.pinned:
        raise CannotBeDoneError(
            f"{page.path} is pinned, so nothing on it is superseded"
        )
    name = entities.reference(old.text)
    fact = _fact(told, desk)
    ends = fact.since or desk.now.date()
    ends = max(ends, old.since) if old.since else ends
    return entities.supersede_fact(page, name, fact, on=ends)


def _with_summary(page: entities.EntityPage, summary: str) -> entities.EntityPage:
    """A page with words in its empty summary, or with a summary of its own."""
    text = md.ended(entities.render_entity(page))
    lines = md.split_lines(text)
    words = f"{md.escape(summary)}\n"
    if found := page.page.named(entities.SUMMARY):
        lines.insert(found[0].line, md.newlines_like(text, words))
    else:
        first = (section.line - 1 for section in page.page.sections)
        fresh = md.newlines_like(text, f"## {entities.SUMMARY}\n{words}\n")
        lines.insert(next(first, len(lines)), fresh)
    return entities.parse_entity("".join(lines), page.path)
