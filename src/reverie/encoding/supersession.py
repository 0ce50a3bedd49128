"""Supersession: end the memories whose place a new one takes (docs/design/encoding.md).

Where the new memory stands in the same page, log or file, the old one is replaced
there. A fact or an episode that stands elsewhere ends where it is. A line of core
memory, a procedure and a note of the vault always get the new words in their place,
under the rules of their store. All of it is one change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.encoding.gate import ORIGIN_WORDS
from reverie.encoding.near import Around
from reverie.encoding.placement import (
    PlacementPlan,
    desk_over,
    entity_name,
    fact_of,
    plan_all,
    put_on_top,
    strike_episode,
)
from reverie.errors import RefusedError
from reverie.index.user import known_as
from reverie.markdown import headline, visible
from reverie.model.change import Action, Near, edit_of
from reverie.model.ids import ItemId, Kind, slug
from reverie.model.items import FOREIGN, Block, EpisodeKind, scope_name
from reverie.model.route import Core, Episodic, Procedural, Semantic, Vault
from reverie.session.session import NoSuchMemoryError
from reverie.stores import entities, procedures
from reverie.stores.ended_links import end_links
from reverie.stores.reader import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from reverie.encoding.placement import Desk, Saying
    from reverie.model.change import Edit
    from reverie.model.route import Place
    from reverie.session.session import Session
    from reverie.stores.ended_links import Pages

LONGEST_LINE = 200
"""Characters of a text that replace a line of core memory."""

_KINDS = tuple(f"{kind}:" for kind in Kind)


class CannotSupersedeError(RefusedError):
    """A memory of this kind cannot be superseded, or not in this way."""

    says = "cannot supersede {}: {}"


def is_memory_id(named: str) -> bool:
    """Return whether a text has the shape of an ID of a memory or a fact."""
    return bool(entities.parse_fact_id(named)) or named.startswith(_KINDS)


def find_superseded(session: Session, id_: str) -> Near:
    """Return the memory that an ID names, if it can be superseded.

    Args:
        session: The workspace's parts.
        id_: A fact, an episode, a line of core memory, a procedure or one of its
            steps (`procedure:deploy#2`), or a note of the vault.

    Raises:
        NoSuchMemoryError: There is none; of a fact, none that holds.
        CannotSupersedeError: It is a page, a turn or a passage of another file.
    """
    if entities.parse_fact_id(id_):
        return Around(session).require(id_)
    step = id_.strip() if id_.startswith(f"{Kind.PROCEDURE}:") else ""
    item = ItemId.parse(step.partition("#")[0] or id_)
    found = session.find(str(item))
    if found is None:
        raise NoSuchMemoryError(id_)
    if item.kind is Kind.TURN:
        hint = "`reverie window edit` mends a turn that was recorded wrong."
        raise CannotSupersedeError(id_, "conversations are a record", hint=hint)
    if item.kind is Kind.NOTE:
        what = f"it is a passage of {found.path}:{found.line}"
        hint = "Edit that file, or forget the passage."
        raise CannotSupersedeError(id_, what, hint=hint)
    if item.kind is Kind.ENTITY:
        facts = Around(session).facts(item.name)
        listed = "; ".join(f"{each.id} “{headline(each.text)}”" for each in facts[:5])
        hint = f"Name one of its facts: {listed}." if facts else "It has no facts."
        raise CannotSupersedeError(id_, "it is a page, not a statement", hint=hint)
    if "#" in step:
        steps = read_steps(session, found.id, found.path)
        one = next((each for each in steps if each.id == step), None)
        if one is None:
            raise NoSuchMemoryError(id_)
        return one
    return Near(found.id, found.text, "", found.path, found.line)


def is_over(session: Session, id_: str) -> bool:
    """Return whether an ID names a fact that is on its page and no longer holds."""
    cited = entities.parse_fact_id(id_)
    path = session.index.path_of(f"{Kind.ENTITY}:{cited[0]}") if cited else ""
    if not cited or not path:
        return False
    text = decode(session.ledger.read(path) or b"", path)[0]
    names = [
        (entities.reference(fact.text), fact.current)
        for fact in entities.parse_entity(text, path).entity.facts
    ]
    meant = {holds for name, holds in names if name.startswith(cited[1])}
    return meant == {False}


def read_steps(session: Session, id_: str, path: str) -> Iterator[Near]:
    """Yield the steps of a procedure, each as `procedure:NAME#NUMBER`."""
    text = decode(session.ledger.read(path) or b"", path)[0]
    page = procedures.parse_procedure(text, path).page
    for number, piece in enumerate(page.items(procedures.STEPS), 1):
        yield Near(f"{id_}#{number}", visible(piece.text), "", path, piece.line)


def place_of_superseded(
    session: Session, near: Near, wanted: Semantic | None = None
) -> Place:
    """Return where new words go of which only is known what they supersede.

    Args:
        session: The workspace's parts.
        near: What they supersede.
        wanted: What is said of them besides, if they become a fact.

    Raises:
        CannotSupersedeError: Something of that can be said of a fact alone.
    """
    wanted = wanted or Semantic()
    if near.page:
        return replace(wanted, about=near.page, type=near.page.partition("--")[0])
    if wanted.since or wanted.until or wanted.links or wanted.also or wanted.alias:
        what = "it is no fact, and has no days, names or relations of its own"
        hint = "Say whom or what the new fact is about, or leave these out."
        raise CannotSupersedeError(near.id, what, hint=hint)
    item = ItemId.parse(near.memory)
    if item.kind is Kind.EPISODE:
        return Episodic(
            EpisodeKind.CORRECTION,
            wanted.confidence,
            at=wanted.on,
            scope=session.index.scope_of(near.id),
            basis=wanted.basis,
            claim=wanted.claim,
        )
    return _empty_place(item)


def _empty_place(item: ItemId) -> Place:
    """Return the place in which a memory of core, procedures or vault stands."""
    match item.kind:
        case Kind.CORE:
            return Core(Block(item.name.partition("/")[0]))
        case Kind.PROCEDURE:
            return Procedural(item.name)
        case _:
            return Vault()


def assign_superseded(saying: Saying, session: Session) -> Saying:
    """Return a filed draft in which each superseded memory has its step or its end.

    What comes from outside takes the place of nothing: it contradicts a fact.

    Raises:
        CannotSupersedeError: It comes from outside, and names something else.
    """
    if not saying.supersedes:
        return saying
    decided = saying.actor.human and saying.place is not None
    if saying.origin in FOREIGN and not decided:
        for id_ in saying.supersedes:
            if not entities.parse_fact_id(id_):
                what = f"the new text comes from {ORIGIN_WORDS[saying.origin]}"
                raise CannotSupersedeError(id_, what)
        against = (*saying.contradicts, *saying.supersedes)
        return replace(saying, supersedes=(), contradicts=against)
    session.sync()
    (text, place), *others = saying.steps
    ends: list[str] = []
    today = session.clock().date()
    later = (first_day(place) or today) > today
    for id_ in dict.fromkeys(saying.supersedes):
        near = find_superseded(session, id_)
        if later and not near.page:
            what = "it cannot end on a later day, only a fact can"
            raise CannotSupersedeError(near.id, what, hint="Leave out `since`.")
        if isinstance(place, Episodic):
            _require_scope(near, place.scope, session)
        taken = None if place.supersedes else _take_in(place, near, session)
        if taken is not None:
            place = taken
        elif near.page or near.id.startswith(f"{Kind.EPISODE}:"):
            ends.append(near.id)
        else:
            empty = _empty_place(ItemId.parse(near.memory))
            line = headline(text, LONGEST_LINE) if isinstance(empty, Core) else text
            others.append((line, _take_in(empty, near, session) or empty))
    return replace(saying, steps=((text, place), *others), ends=tuple(ends))


def _require_scope(near: Near, scope: str, session: Session) -> None:
    """Refuse that what is for one person alone takes the place of what is not."""
    theirs = session.index.scope_of(near.memory)
    if scope_name(scope) and scope_name(theirs) != scope_name(scope):
        what = f"the new text is for {scope} alone, and it is not"
        raise CannotSupersedeError(near.id, what)


def assign_observed(saying: Saying, session: Session) -> Saying:
    """Return a filed observation in which each superseded memory has its end.

    Raises:
        CannotSupersedeError: It needs the user's approval.
    """
    filed = assign_superseded(saying, session)
    if len(filed.steps) > len(saying.steps):
        hint = "Remember it by itself, so that they are asked."
        what = "only the user changes it"
        raise CannotSupersedeError(saying.supersedes[0], what, hint=hint)
    return filed


def without_ended(saying: Saying, gone: Iterable[Near]) -> Saying:
    """Return a draft without what another one of the same change supersedes."""
    over = {near.id for near in gone}
    (text, place), *others = saying.steps
    if place.supersedes in over:
        place = replace(place, supersedes="")
    ends = tuple(id_ for id_ in saying.ends if id_ not in over)
    return replace(saying, steps=((text, place), *others), ends=ends)


def _take_in(place: Place, near: Near, session: Session) -> Place | None:
    """Return a place in which a memory is replaced, None where it stands elsewhere."""
    if near.page:
        if isinstance(place, Semantic) and place.about.strip():
            here = known_as(session.index, entity_name(place)) == near.page
            return replace(place, supersedes=near.id) if here else None
        return None
    item = ItemId.parse(near.memory)
    match place:
        case Episodic() if item.kind is Kind.EPISODE:
            return replace(place, supersedes=near.id)
        case Core() if item.kind is Kind.CORE:
            block = Block(item.name.partition("/")[0])
            return replace(place, block=block, supersedes=near.id)
        case Procedural(name=name) if item.kind is Kind.PROCEDURE:
            if name.strip() and slug(name.removesuffix(".md")) != item.name:
                return None
            said = near.id if near.id == near.memory else near.text
            return replace(place, name=item.name, supersedes=said)
        case Vault() if item.kind is Kind.VAULT:
            return replace(place, supersedes=near.id)
        case _:
            return None


def first_day(place: Place) -> date | None:
    """Return the day from which a new fact holds, if its caller said it."""
    return place.since if isinstance(place, Semantic) else None


def holds_until(session: Session, near: Near, day: date | None) -> bool:
    """Return whether a fact that is superseded from a later day on holds until then.

    A plan, which has not begun, does not.
    """
    today = session.clock().date()
    if day is None or day <= today or not near.page:
        return False
    text = decode(session.ledger.read(near.path) or b"", near.path)[0]
    begun = (
        entities.fact_id(near.page, fact.text)
        for _, fact in entities.current_facts(text, near.path)
        if not entities.is_planned(fact, today)
    )
    return near.id in begun


def plan_draft(draft: Saying, desk: Desk, against: Sequence[str] = ()) -> PlacementPlan:
    """Plan to store a draft, and to end what it supersedes elsewhere."""
    plan = plan_all(draft.steps, desk, against)
    if not draft.ends:
        return plan
    edits = {edit.path: edit for edit in plan.edits}
    by = fact_of(plan.ids, draft.steps[0]) or plan.ids[0]
    over = desk_over(edits, desk)
    put_on_top(edits, plan_ends(draft.ends, by, first_day(draft.steps[0][1]), over))
    return plan._replace(edits=tuple(edits.values()))


def plan_ends(
    ends: Iterable[str], by: str, day: date | None, desk: Desk
) -> tuple[Edit, ...]:
    """Plan the edits by which facts and episodes end that stand elsewhere.

    Args:
        ends: Their IDs.
        by: The ID of the memory that takes their place.
        day: The day on which facts end; None means today.
        desk: What planning may look at, with the new memory on it.
    """
    edits: dict[str, Edit] = {}
    for id_ in ends:
        pages = desk_over(edits, desk).pages
        if entities.parse_fact_id(id_):
            put_on_top(edits, plan_fact_end(id_, by, day or pages.today, pages))
        else:
            put_on_top(edits, [strike_episode(id_, by, pages)])
    return tuple(edits.values())


def plan_fact_end(
    id_: str, by: str, day: date, pages: Pages, why: str = "superseded"
) -> tuple[Edit, ...]:
    """Plan the edits by which a fact ends on a day, with the links that came with it.

    Args:
        id_: The fact.
        by: What takes its place, which its page names if it is a fact there.
        day: The day, which may be a later one.
        pages: Where pages stand.
        why: What history says of it.
    """
    name = id_.removeprefix(f"{Kind.ENTITY}:").partition("#")[0]
    path, old, before = pages.find(name)
    if before is None:
        raise entities.MissingFactError(id_, path)
    gone = entities.cited_fact(before, id_)
    fact = next(
        f
        for f in before.entity.facts
        if f.current and entities.reference(f.text) == gone
    )
    if day > pages.today and not entities.is_planned(fact, pages.today):
        page = entities.update_fact(before, gone, ends=day)
        told = f"{why}: holds until {day}"
    else:
        successor = _fact_on(before, by)
        until = min(day, pages.today)
        page = entities.end_fact(before, gone, until=until, superseded_by=successor)
        told = f"{why}: no longer"
    page, more = end_links(before, page, pages)
    page = entities.set_header(page, updated=pages.today)
    new = entities.render_entity(page)
    what = f"{told} {headline(fact.text)}"
    return edit_of(path, old, new, Action.EDIT, what), *more


def _fact_on(page: entities.EntityPage, id_: str) -> str:
    """Return the `reference()` of a fact of a page; empty if it stands elsewhere."""
    cited = entities.parse_fact_id(id_)
    if cited is None or cited[0] != page.entity.name:
        return ""
    return entities.cited_fact(page, id_)
