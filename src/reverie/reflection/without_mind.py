"""Reflection without a mind: it lists what there is, and understands none of it.

New episodes by the entities they name, what was referred to again, what is fading,
near duplicates and open questions, all in the words that stand there. Nothing is
extracted, connected or contradicted. The one change it offers is to archive an episode
that fades and that stands, word for word, in another memory that stays.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from reverie.decay import Status, standing
from reverie.index.near_duplicates import sketch, spoken
from reverie.index.text import STOP_WORDS, terms, words
from reverie.markdown import headline, one_line
from reverie.model.ids import ItemId, Kind, Store
from reverie.model.origin import FOREIGN, Origin, least
from reverie.model.proposals import DEFERRED
from reverie.model.reflection import Insight, Operation, OperationKind
from reverie.reflection.draft import Draft
from reverie.reflection.operations.loss_guard import ALWAYS_ALLOWED
from reverie.reflection.operations.parse import why_refused
from reverie.reflection.survey import CANDIDATES
from reverie.stores.entities import parse_entity
from reverie.stores.proposals import parse_pending
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime, tzinfo

    from reverie.config import Config
    from reverie.index import Index
    from reverie.index.lookup import Alike, ScoredMemory
    from reverie.model.reflection import Noticed, Survey

UNFILED = "Unfiled"
AGAIN, TWICE = "Referred to again", "Near duplicates"
FADING = "Fading (`reverie pin ID` keeps one vivid; its file keeps it either way)"

MOST_GROUPS, MOST_LINES, MOST_QUESTIONS, MOST_OFFERED = 20, 12, 12, 12
LONGEST, LONGEST_ARCHIVED = 110, 400
SIMILAR = 0.8  # of all their telling words, in two near duplicates

_LINK = re.compile(r"\[\[([^\]|#]+)")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is looked at besides what was read; `index` is up to date with the files."""

    index: Index
    config: Config
    now: datetime
    zone: tzinfo


def reflect_without_mind(survey: Survey, known: Surroundings) -> Draft:
    """List what there is to a person, and offer what may be archived."""
    groups = _by_entity(survey.episodes, known.index)
    faint = known.index.lookup.faintest(CANDIDATES)
    offers = list(_said_elsewhere(faint, known))
    offered = {one.target for one in offers}
    listed = [
        *(_group(name, found, known) for name, found in groups[:MOST_GROUPS]),
        ("Others", _most(name for name, _ in groups[MOST_GROUPS:])),
        (AGAIN, _most(_again(survey, known))),
        (FADING, _fading(survey, faint, known, offered)),
        (TWICE, _most(_twice(survey, faint, known, offered))),
    ]
    return Draft(
        tuple(offers),
        insight=Insight(key=_counts(survey, groups)),
        questions=tuple(dict.fromkeys(_open(survey))),
        listed=tuple((title, lines) for title, lines in listed if lines),
    )


# --- new episodes --------------------------------------------------------------

Groups = list[tuple[str, list[tuple["Noticed", list[str]]]]]


def _by_entity(episodes: Sequence[Noticed], index: Index) -> Groups:
    """Episodes by the most spoken-of entity they name; the unfiled come last."""
    names = _Names(index)
    named = [(each, names.named_in(each.text)) for each in episodes]
    often = Counter(name for _, found in named for name in found)
    groups: dict[str, list[tuple[Noticed, list[str]]]] = defaultdict(list)
    for each, found in named:
        first = max(found, key=lambda name: often[name], default="")
        others = [names.label(name) for name in found if name != first]
        groups[names.label(first) if first else UNFILED].append((each, others))
    return sorted(
        groups.items(), key=lambda item: (item[0] == UNFILED, -len(item[1]), item[0])
    )


class _Names:
    """What entities are called, but for those of one person alone or forgotten."""

    def __init__(self, index: Index) -> None:
        private = index.scopes()
        self._index = index
        self._names = {
            name: found
            for name, found in index.lookup.entity_names().items()
            if f"entity:{name}" not in private
        }
        self._by_first: dict[str, list[tuple[list[str], str, str]]] = defaultdict(list)
        for name, found in self._names.items():
            for written in found:
                said = words(written)
                if said:
                    self._by_first[said[0]].append((said, written, name))

    def label(self, name: str) -> str:
        """What an entity is called."""
        return next(filter(None, self._names[name]), name)

    def named_in(self, text: str) -> list[str]:
        """Entities that a text names or links to, in order, each once."""
        linked = (one.strip() for one in _LINK.findall(text))
        found = [name for name in linked if name in self._names]
        said = words(text)
        for at, word in enumerate(said):
            for name_words, written, name in self._by_first.get(word, ()):
                here = said[at : at + len(name_words)] == name_words
                # Who is called Will is not meant by every "will".
                if here and (name_words[0] not in STOP_WORDS or written in text):
                    found.append(name)
        traces = {name: self._index.trace(f"entity:{name}") for name in found}
        return [
            name for name, trace in traces.items() if not trace or not trace.archived
        ]


def _group(
    name: str, found: Sequence[tuple[Noticed, list[str]]], known: Surroundings
) -> tuple[str, tuple[str, ...]]:
    lines = []
    for each, others in found:
        also = f" (also {', '.join(others)})" if others else ""
        lines.append(f"{_day(each.at, known)}: {_words(each.text, each.origin)}{also}")
    count = f"{len(found)} new episode{'s' * (len(found) != 1)}"
    return f"{name}: {count}", _most(lines)


def _counts(survey: Survey, groups: Groups) -> str:
    count = len(survey.episodes)
    if not count:
        return "No new episodes."
    parts = [
        f"{len(found)} {'unfiled' if name == UNFILED else f'about {name}'}"
        for name, found in groups[:4]
    ]
    more = sum(len(found) for _, found in groups[4:])
    parts += [f"{more} about others"] if more else []
    first = f"{count} new episode{'s' * (count != 1)}"
    return f"{first}: {', '.join(parts)}."


# --- what was of use, and what fades -------------------------------------------


def _again(survey: Survey, known: Surroundings) -> Iterator[str]:
    """What was of use again since the last reflection, on a later day than at first."""
    stores = (Store.SEMANTIC, Store.EPISODIC, Store.PROCEDURAL)
    lookup = known.index.lookup
    lively = chain.from_iterable(
        lookup.lively(store, 5 * MOST_LINES) for store in stores
    )
    for each in sorted(lively, key=lambda one: one.trace.last_accessed, reverse=True):
        trace = each.trace
        later = trace.last_accessed.date() > trace.created.date()
        if trace.accesses > 1 and later and trace.last_accessed > survey.since:
            when = _day(trace.last_accessed, known)
            times = f"{trace.accesses} times in all, last on {when}"
            yield f"{_shown(each, known)} ({times}, {each.id})"


def _fading(
    survey: Survey,
    faint: Iterable[ScoredMemory],
    known: Surroundings,
    offered: set[str],
) -> tuple[str, ...]:
    """What fades, the faintest first, with its words; what was listed is counted."""
    found, before = [], 0
    for score, status, each in _faintest_first(faint, known):
        if status is Status.ACTIVE or each.id in offered:
            continue
        earlier = standing(each.trace, survey.since, known.config.decay)[1]
        if status is earlier and not survey.first:
            before += 1
            continue
        days = max(0, (known.now - each.trace.last_accessed).days)
        found.append(f"{_shown(each, known)} ({score:.2f}, {days} days, {each.id})")
    told = [f"{before} more, listed before"] if before else []
    return (*_most(found), *told)


def _faintest_first(
    faint: Iterable[ScoredMemory], known: Surroundings
) -> list[tuple[float, Status, ScoredMemory]]:
    decay = known.config.decay
    scored = [(*standing(each.trace, known.now, decay), each) for each in faint]
    return sorted(scored, key=lambda one: (one[0], one[2].id))


def _shown(each: ScoredMemory, known: Surroundings) -> str:
    """A memory in its own words, those of a page behind what it is called."""
    located = known.index.find(each.id)
    if each.id.startswith("episode:") or not each.title:
        return _words(located.text if located else each.title, each.origin)
    lines = located.text.split("\n") if located else []
    said = " · ".join(line for line in lines if line.strip() not in {"", each.title})
    return f"{each.title}: {_words(said, each.origin)}" if said else each.title


# --- what is said twice --------------------------------------------------------


def _twice(
    survey: Survey,
    faint: Iterable[ScoredMemory],
    known: Surroundings,
    offered: set[str],
) -> Iterator[str]:
    """New episodes that say nearly what another one says; at first the old ones too."""
    ids = [each.id for each in survey.episodes]
    ids += [each.id for each in faint if survey.first]
    episodes = (one for one in dict.fromkeys(ids) if one.startswith("episode:"))
    located = (known.index.find(id_) for id_ in episodes)
    seen: set[frozenset[str]] = set()
    for id_, text in ((one.id, one.text) for one in located if one):
        for other, said in _alike(id_, text, known):
            pair = frozenset((id_, other.id))
            episode = other.id.startswith("episode:") and not pair & offered
            first, second = set(terms(text)), set(terms(said))
            similar = len(first & second) / max(1, len(first | second))
            if episode and pair not in seen and similar >= SIMILAR:
                seen.add(pair)
                yield (
                    f"“{headline(one_line(text), LONGEST)}” ({id_}) and "
                    f"“{headline(one_line(said), LONGEST)}” ({other.id})"
                )


def _said_elsewhere(
    faint: Iterable[ScoredMemory], known: Surroundings
) -> Iterator[Operation]:
    """Episodes that fade and stand word for word in a memory that stays."""
    share, count = known.config.reflection.most_lost, sum(known.index.counts().values())
    most = min(MOST_OFFERED, max(ALWAYS_ALLOWED, int(share * count))) if share else 0
    offered: set[str] = set()
    for score, status, each in _faintest_first(faint, known):
        may = status is not Status.ACTIVE and each.id.startswith("episode:")
        located = known.index.find(each.id) if may and len(offered) < most else None
        other = _copy_of(each, located.text, known, offered) if located else ""
        if not located or not other:
            continue
        days = max(0, (known.now - each.trace.last_accessed).days)
        told = headline(one_line(located.text), LONGEST_ARCHIVED)
        operation = Operation(
            OperationKind.ARCHIVE,
            each.id,
            f"{told} (score: {score:.2f}, last accessed {days} days ago)",
            f"it is said elsewhere too, and stays there: {other}",
            origin=each.origin if each.origin in FOREIGN else Origin.AGENT,
        )
        if not why_refused(operation):
            offered.add(each.id)
            yield operation


def _copy_of(
    each: ScoredMemory, text: str, known: Surroundings, offered: set[str]
) -> str:
    """Where else a text stands word for word, and no less trusted; empty if nowhere."""
    said = words(text)
    for other, statement in _alike(each.id, text, known):
        there = words(statement)
        if other.id in offered or len(said) < SIMILAR * len(there):
            continue
        holds = said and f" {' '.join(said)} " in f" {' '.join(there)} "
        trace = known.index.trace(other.id) if holds else None
        located = known.index.find(other.id) if trace and not trace.archived else None
        if located and least((each.origin, located.origin)) is each.origin:
            place = f"{other.id} ({located.path}:{located.line})"
            return f"{place}: “{headline(one_line(statement), LONGEST_ARCHIVED)}”"
    return ""


def _alike(id_: str, text: str, known: Surroundings) -> Iterator[tuple[Alike, str]]:
    """Memories that share a sketch with a text, for everybody, by what they state."""
    for other in known.index.lookup.alike(sketch(text)):
        if other.id == id_ or other.scope:
            continue
        kind = ItemId.parse(other.id).kind
        if kind is Kind.ENTITY:
            said = other.text.split("\n")
            yield from ((other, spoken(other.title, line)) for line in said)
        else:
            yield other, other.text


# --- what only a person can say ------------------------------------------------


def _open(survey: Survey) -> Iterator[str]:
    """Open questions of pages, and proposals that wait for a decision."""
    asked = [
        f"{entity.label}: {question}"
        for page in survey.entities
        for entity in (parse_entity(page.text, page.path).entity,)
        for question in entity.questions
    ]
    yield from asked[:MOST_QUESTIONS]
    pending = parse_pending(survey.proposals, layout.PENDING).proposals
    for one in pending:
        if one.status == DEFERRED:
            others = [name[1:] for name in one.conflicts if name.startswith("#")]
            number = one.number
            ways = f"`reverie pending accept {number}` or `… reject {number}`"
            if others:
                named = " ".join((str(number), *others))
                ways = f"`reverie pending resolve {named} --keep N`"
            yield f"{one.sender}: “{headline(one.content, LONGEST)}”: {ways}?"
    count = sum(one.status != DEFERRED for one in pending)
    if count:
        waits = "proposals wait" if count > 1 else "proposal waits"
        yield f"{count} {waits} for you: `reverie pending`."


def _most(found: Iterable[str]) -> tuple[str, ...]:
    lines = list(found)
    over = len(lines) - MOST_LINES
    return (*lines[:MOST_LINES], *([f"… and {over} more"] if over > 0 else []))


def _words(text: str, origin: str) -> str:
    """The beginning of a text; of somebody else's, marked as theirs."""
    told = headline(one_line(text.replace("\n", " ")), LONGEST)
    return f"“{told}” (words of: {origin})" if origin in FOREIGN else told


def _day(moment: datetime | None, known: Surroundings) -> str:
    return moment.astimezone(known.zone).date().isoformat() if moment else "undated"
