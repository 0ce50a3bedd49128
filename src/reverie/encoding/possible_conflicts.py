"""Possible conflicts: statements that may not all hold, found by structure alone.

Two rules find them, without a language model:

- Two statements say the same with another value: a number or a date (`value_keys`).
- Two facts of a page give a relation different targets, and the vocabulary lists this
  relation as single-valued (`relations.md`).
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from itertools import combinations
from typing import TYPE_CHECKING

from reverie.encoding.near import Around
from reverie.index.user import known_as
from reverie.index.value_keys import (
    find_day,
    find_differing_value,
    is_past_year,
    value_keys,
)
from reverie.model.ids import Kind, slug
from reverie.model.items import Fact
from reverie.model.views import Contradiction
from reverie.stores import entities
from reverie.stores.dismissed_conflicts import parse_dismissed
from reverie.stores.reader import decode, load_vocabulary
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from reverie.index import Index
    from reverie.index.value_keys import Value
    from reverie.model.change import Near
    from reverie.session.session import Session

POSSIBLE = "Possible conflict:"
"""The first words of the question of a conflict that nobody stated."""

MAX_TARGETS = 3
"""A relation with more targets on a page is a list, not a conflict."""

MAX_DAYS_APART = 62
"""A date that moved, or that somebody got wrong, is not further from the other one."""

MAX_REPORT_DAYS = 31
"""A date so few days before it was said is when something happened, not a plan."""

DAYS_PER_YEAR = 365

PART_OF = "part-of"
DEFAULT_TYPE = "concept"
"""The type of an entity whose type nobody gave."""


def find_possible_conflicts(
    session: Session, ids: Sequence[str] = ()
) -> list[Contradiction]:
    """Return statements that may not all hold.

    A pair is left out if one of its statements ended or was forgotten, if both hold at
    different times, or if the user dismissed it.

    Args:
        session: The workspace's parts.
        ids: Only conflicts with one of these memories; all of them without any.
    """
    by_value = session.index.differing(ids)
    by_relation = list(_find_relation_groups(session, ids))
    if not by_value and not by_relation:
        return []
    around, found = Around(session), dict[frozenset[str], Contradiction]()
    text = decode(session.ledger.read(layout.DISMISSED) or b"", layout.DISMISSED)[0]
    dismissed, today = parse_dismissed(text), session.clock().date()
    for group in (*by_value, *by_relation):
        named = (around.cited(id_.removeprefix("entity:")) for id_ in group)
        held = {n.id: n for n in named if n and around.shown(n.memory)}
        facts = _read_facts(list(held.values()), session)
        undecided = [
            (one, other)
            for one, other in combinations(held, 2)
            if frozenset((one, other)) not in dismissed
            and not _can_both_hold(facts[one], facts[other], today)
            and (group in by_relation or _differ(facts[one], facts[other], today))
        ]
        sides = [held[id_] for id_ in held if any(id_ in pair for pair in undecided)]
        if sides:
            page = f"{Kind.ENTITY}:{sides[0].page}" if sides[0].page else ""
            said = f"{POSSIBLE} {' or '.join(each.id for each in sides)}?"
            key = frozenset(each.id for each in sides)
            conflict = Contradiction(page, said, tuple(sides), possible=True)
            found.setdefault(key, conflict)
    return list(found.values())


def find_differing(session: Session, page: str, text: str) -> list[str]:
    """Return the IDs of public facts on a page that a text differs from in one value.

    Args:
        session: The workspace's parts.
        page: The name of an entity.
        text: What is proposed.
    """
    id_ = f"{Kind.ENTITY}:{known_as(session.index, page)}"
    if session.index.scope_of(id_):
        return []
    around, today = Around(session), session.clock().date()
    keys = sorted(value_keys(id_, text))
    named = (around.cited(each.id) for each in session.index.alike(keys))
    held = [each for each in named if each and around.shown(each.memory)]
    facts, proposed = _read_facts(held, session), Fact(text)
    return [
        id_
        for id_, fact in facts.items()
        if not _can_both_hold(fact, proposed, today) and _differ(fact, proposed, today)
    ]


def _read_facts(held: Sequence[Near], session: Session) -> Mapping[str, Fact]:
    """Return statements as facts, by their IDs; an episode has no dates of a fact."""
    found = {each.id: Fact(each.text) for each in held}
    for path, page in {each.path: each.page for each in held if each.page}.items():
        text = decode(session.ledger.read(path) or b"", path)[0]
        for _, fact in entities.current_facts(text, path):
            id_ = entities.fact_id(page, fact.text)
            if id_ in found:
                found[id_] = fact
    return found


def _can_both_hold(one: Fact, other: Fact, today: date) -> bool:
    """Return whether two facts say the same, or hold in periods that do not overlap.

    A fact that begins on a later day is a planned change until then.
    """
    first, second = sorted((one, other), key=lambda fact: fact.since or date.min)
    start = second.since or date.min
    planned = (first.since or date.min) <= today < start
    over = first.ends is not None and first.ends <= start
    return one.text == other.text or planned or over


def _differ(one: Fact, other: Fact, today: date) -> bool:
    """Return whether two facts with the same words may be about the same time.

    Facts of one turn are a list. Measurements of two days can both hold, and so can
    events of two days or of two past years.
    """
    values = find_differing_value(one.text, other.text)
    if values is None or (one.basis and one.basis == other.basis):
        return False
    texts = zip((one.text, other.text), values, strict=True)
    if all(is_past_year(text, value, today) for text, value in texts):
        return False
    if values[0].is_date:
        return not _are_separate_events((one, other), values, today)
    return not (one.on and other.on and one.on != other.on)


def _are_separate_events(
    facts: Sequence[Fact], values: Sequence[Value], today: date
) -> bool:
    """Return whether two facts with different dates are about two events.

    They are if the dates are too far apart to be one date that moved, or if each fact
    reports what happened shortly before. Dates that are still to come are plans. Two
    spellings of one day are no conflict either.
    """
    gaps, days, years = list[int](), list[date](), list[bool]()
    for fact, value in zip(facts, values, strict=True):
        said = fact.said or fact.since or today
        day, has_year = find_day(fact.text, value, said)
        if day is None:
            return False
        gap = (said - day).days
        gaps.append(gap if has_year else gap % DAYS_PER_YEAR)
        days.append(day)
        years.append(has_year)
    dated = any(map(str.isdigit, facts[0].text[values[0].start : values[0].end]))
    if dated and all(0 <= gap <= MAX_REPORT_DAYS for gap in gaps):
        return True
    same = {(day.month, day.day) for day in days}
    if days[0] == days[1] or (len(same) == 1 and not all(years)):
        return True
    apart = abs((days[0] - days[1]).days)
    if all(years):
        return min(days) < today and apart > MAX_DAYS_APART
    apart %= DAYS_PER_YEAR
    return min(apart, DAYS_PER_YEAR - apart) > MAX_DAYS_APART


# --- relations -----------------------------------------------------------------


def _find_relation_groups(
    session: Session, ids: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Yield the IDs of facts that give a single-valued relation different targets."""
    index = session.index
    words = load_vocabulary(session.ledger.read(layout.RELATIONS))
    single_valued = words.single_valued
    names = {words.canonical(name)[0]: kept for name, kept in single_valued.items()}
    paths = index.find_pages_with_several(names, ids) if names else ()
    for path in paths:
        text = decode(session.ledger.read(path) or b"", path)[0]
        page = entities.parse_entity(text, path).entity
        current = {
            entities.short_name(fact.text) for fact in page.facts if fact.current
        }
        groups = defaultdict[str, dict[str, list[str]]](dict)
        for link in entities.held_links(page):
            name = single_valued.get(slug(link.label), "")
            facts = [fact for fact in link.facts if fact in current]
            for target in link.targets if name and facts else ():
                known = groups[name].setdefault(known_as(index, target), [])
                known += facts
        for targets in groups.values():
            if _exclude_each_other(targets, single_valued, index):
                yield tuple(f"{page.name}#{facts[-1]}" for facts in targets.values())


def _exclude_each_other(
    targets: Mapping[str, Sequence[str]], single_valued: Collection[str], index: Index
) -> bool:
    """Return whether a single-valued relation cannot have all of some targets.

    It can if they are of different types, if one of them is part of another, or if one
    fact names several of them.

    Args:
        targets: The facts behind each target.
        single_valued: Names of single-valued relations.
        index: Where relations between the targets are found.
    """
    facts = [fact for behind in targets.values() for fact in set(behind)]
    types = {target.partition("--")[0] for target in targets} - {DEFAULT_TYPE}
    return (
        1 < len(targets) <= MAX_TARGETS
        and len(types) < 2
        and len(facts) == len(set(facts))
        and not any(
            edge.relation == PART_OF or edge.relation in single_valued
            for edge in index.edges_among(list(targets))
        )
    )
