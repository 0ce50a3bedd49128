"""Read a question: its sort, its words, the entities and times it names."""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from difflib import SequenceMatcher
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec import Struct

from reverie.dates import find_spans
from reverie.errors import RefusedError
from reverie.index.text import (
    STOP_WORDS,
    Cue,
    spelled,
    stem_set,
    stems,
    terms,
    variants,
    words,
)
from reverie.index.user import (
    asks_of_own,
    asks_of_self,
    known_as,
    tells_of_theirs,
    user_name,
    user_pages,
)
from reverie.index.view import STORES
from reverie.model.ids import TO_THE_MINUTE, Kind, Store
from reverie.model.views import Plan, Reach, Understood
from reverie.recall.score import SOON, Query, Stretch
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from datetime import datetime

    from reverie.config import Config
    from reverie.dates import Span
    from reverie.index import Index
    from reverie.index.view import Bools, Ints, View

LONGEST = 4_000
"""Characters of a question that are read; the rest is left out, and that is said."""


class EmptyQuestionError(RefusedError):
    """There is nothing to look for."""

    says = "there is no question"
    mend = 'Say what to look for, such as `reverie recall "the deploy"`.'


class RecallQuestion(Struct, frozen=True):
    """A question.

    Attributes:
        text: Its words.
        now: The moment it is asked for, in the asker's zone.
        config: The workspace's parameters.
        reach: How deep to search.
        limit: The most hits to return.
        least: The score from which on a hit is returned.
        stores: Where to look; everywhere if empty.
        person: Who asks, where memories may be for one person alone.
        in_sight: A window, and the number from which on its turns are in sight of
            who asks, so that they need not be found.
        deep: Whether a block is filled with what is found, beyond the first few.
        within: A folder; only notes in its files are looked at.
    """

    text: str
    now: datetime
    config: Config
    reach: Reach = Reach.EXPLICIT
    limit: int = 20
    least: float = 0.3
    stores: frozenset[Store] = frozenset()
    person: str = ""
    in_sight: tuple[str, int] | None = None
    deep: bool = False
    within: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise EmptyQuestionError

    @property
    def read(self) -> str:
        """The part of the text that is read."""
        return self.text[:LONGEST]


_PATTERNS = {
    (table, name): re.compile("|".join(patterns), re.IGNORECASE)
    for table, names in tomllib.loads(
        Path(__file__).with_name("questions.toml").read_text("utf-8")
    ).items()
    for name, patterns in names.items()
}


def _fits(question: str, table: str, name: str) -> bool:
    return _PATTERNS[table, name].search(question) is not None


def wants_both_sides(question: str) -> bool:
    """Whether it asks for all that was said, not for what somebody stated."""
    return _fits(question, "asks", "both_sides")


def wants_present(question: str) -> bool:
    """Whether a question is about how something is now."""
    if _fits(question, "present", "not"):
        return False
    value = _fits(question, "present", "value")
    plain = value and not _fits(question, "present", "yes_or_no")
    return plain or _fits(question, "present", "now")


def choose_plan(question: str) -> Plan:
    """The sort of a question; the first that fits."""
    plans = (name for table, name in _PATTERNS if table == "plans")
    found = (Plan(name) for name in plans if _fits(question, "plans", name))
    return next(found, Plan.GENERAL)


def expected_cue(question: str, plan: Plan) -> Cue:
    """What the answer is likely to have: a number, a time, both or neither."""
    cue = Cue.NUMBER if _fits(question, "asks", "number") else Cue(0)
    timed = plan is Plan.WHEN or _fits(question, "asks", "time")
    return cue | Cue.TIME if timed else cue


ALIKE = 0.84
"""Two spellings so alike are taken for one name,"""

SHORTEST = 4
"""but only of names that are at least so long."""

PARTLY = 0.8
"""How sure it is that a part of somebody's name means them; half of it if several
people have it."""

BY_PRONOUN = 0.9
"""How sure it is that "I" and "my" ask for the page of who asks."""

_CAPITAL = re.compile(r"[^\W\d_a-z][^\W\d_]+")

FADE = 0.5
"""What a hop in the graph leaves of a suggestion."""

ABOUT, LATEST = 3, 0.5
"""What the graph suggests counts so many times where a question is about somebody, or
asks for the latest on something."""

WIDEST = 50
"""So many neighbours of one entity are followed."""


class NamedEntity(NamedTuple):
    """An entity that a question names.

    Attributes:
        id: Its id without the kind: `person--alex`.
        said: The words of the question.
        sure: 1 for its very name, less for a name that is only alike.
    """

    id: str
    said: str
    sure: float


class EntityNames:
    """The names of all entities, ready to be looked for."""

    def __init__(self, entities: Mapping[str, Iterable[str]]) -> None:
        self._names: dict[tuple[str, ...], set[str]] = {}
        for id_, names in entities.items():
            for name in (*names, id_.partition("--")[2]):
                key = tuple(words(name))
                if not STOP_WORDS.issuperset(key):
                    self._names.setdefault(key, set()).add(id_)
        self._longest = max(map(len, self._names), default=0)
        self._typed = _parts_by_type(self._names)
        # People are called by a part of their name (Alex is Alex Kim), everything else
        # by several words of it: New Horizons is the New Horizons Workshop.
        self._partly: dict[tuple[str, ...], set[str]] = {}
        for key, ids in self._names.items():
            people = {id_ for id_ in ids if id_.startswith("person--")}
            for part in set(key) if len(key) > 1 and people else ():
                if len(part) > 2 and part not in STOP_WORDS and part != "person":
                    self._partly.setdefault((part,), set()).update(people)
            for length in range(2, len(key)):
                for start in range(len(key) - length + 1):
                    run = key[start : start + length]
                    if STOP_WORDS.isdisjoint(run):
                        self._partly.setdefault(run, set()).update(ids)
        self._alike: dict[tuple[int, str], list[tuple[str, ...]]] = {}
        for key in self._names:
            self._alike.setdefault((len(key), key[0][0]), []).append(key)

    def find(
        self, question: str, known: Callable[[str], bool], *, about: bool = False
    ) -> tuple[NamedEntity, ...]:
        """The entities a question names, the longest names first.

        Args:
            question: Its text.
            known: Whether a word stands anywhere; one that does is not misspelt.
            about: Whether it asks about somebody, so that a part of a name is meant
                as one whether or not it has a capital.
        """
        said = words(question)
        capitals = {part.casefold() for part in _CAPITAL.findall(question)}
        found: dict[str, NamedEntity] = {}
        taken: set[int] = set()
        runs = [
            (tuple(said[start : start + length]), set(range(start, start + length)))
            for length in range(min(max(self._longest, 2), len(said)), 0, -1)
            for start in range(len(said) - length + 1)
        ]
        named = ((run, at, self._exactly(run)) for run, at in runs)
        typed = ((run, at, self._by_part(run, self._typed)) for run, at in runs)
        partly = (
            (run, at, self._by_part(run, self._partly))
            for run, at in runs
            if about or capitals.issuperset(run)
        )
        unknown = {w for w in set(said) if len(w) >= SHORTEST and not known(w)}
        misspelt = (
            (run, at, self._guess(run)) for run, at in runs if unknown.intersection(run)
        )
        for run, at, ids in chain(named, typed, partly, misspelt):
            if ids and taken.isdisjoint(at):
                taken |= at
                for id_, sure in sorted(ids.items()):
                    found.setdefault(id_, NamedEntity(id_, " ".join(run), sure))
        return tuple(found.values())

    def _exactly(self, run: tuple[str, ...]) -> dict[str, float]:
        """Those of a very name, also with the `s` of a genitive."""
        ids = next(filter(None, map(self._names.get, _forms(run))), set())
        return dict.fromkeys(ids, 1.0)

    def _by_part(
        self, run: tuple[str, ...], parts: Mapping[tuple[str, ...], set[str]]
    ) -> dict[str, float]:
        """Return those of whose names it is a part."""
        ids = next(filter(None, map(parts.get, _forms(run))), set())
        return dict.fromkeys(ids, PARTLY if len(ids) == 1 else PARTLY / 2)

    def _guess(self, run: tuple[str, ...]) -> dict[str, float]:
        """Those whose names are only alike."""
        text, found = " ".join(run), dict[str, float]()
        matcher = SequenceMatcher(b=text)
        for key in self._alike.get((len(run), text[0]), ()):
            name = " ".join(key)
            if abs(len(name) - len(text)) <= 2 and len(name) >= SHORTEST:
                matcher.set_seq1(name)
                if matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE:
                    found |= dict.fromkeys(self._names[key], matcher.ratio())
        return found


def _parts_by_type(
    names: Mapping[tuple[str, ...], Iterable[str]],
) -> dict[tuple[str, ...], set[str]]:
    """Return entities by a word of their name beside their type.

    The memory project, or project memory, is `project--moltbot-memory`.
    """
    found: dict[tuple[str, ...], set[str]] = {}
    for key, ids in names.items():
        for id_ in ids if len(key) > 1 else ():
            kind = id_.partition("--")[0]
            for part in {word for word in key if len(word) > 2} - STOP_WORDS - {kind}:
                found.setdefault((part, kind), set()).add(id_)
                found.setdefault((kind, part), set()).add(id_)
    return found


def _forms(run: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Some words as they are, and without the `s` of a genitive."""
    yield run
    if len(run) > 1 and run[-1] == "s":
        yield run[:-1]
    yield (*run[:-1], run[-1].removesuffix("s"))


def walk(
    start: Mapping[str, float],
    beside: Callable[[Iterable[str]], Mapping[str, Iterable[str]]],
    depth: int,
) -> dict[str, float]:
    """What the graph leads to from some entities, each hop counting half.

    Args:
        start: Where to start, and how sure that is.
        beside: Which entities some others are linked with.
        depth: How many hops to go.
    """
    reached, border = dict(start), dict(start)
    for _ in range(depth):
        step: dict[str, float] = {}
        for name, others in beside(border).items():
            for other in sorted(others)[:WIDEST]:
                if other not in reached:
                    step[other] = max(step.get(other, 0.0), border[name] * FADE)
        reached |= step
        border = step
    return reached


MOST_WORDS = 48
"""So many words of a long question are looked for: the rarest."""

NAMED = 0.5
"""What it counts to fall into a time that is named: "in May 2023";"""

COUNTED_BACK = 0.25
"""and into one that is counted back from now: "two weeks ago"."""

FEW_DAYS = timedelta(days=3)
"""Who names no more than these asks for what was then, in whatever words."""

_ASKING = frozenset(
    stems(["about", "happen", "know", "please", "recall", "remember", "remind", "tell"])
)
"""Words that only say that something is asked."""

_FAVOURED = {
    Plan.WHEN: {Store.EPISODIC: 0.1, Store.TURNS: 0.1},
    Plan.ABOUT: {Store.SEMANTIC: 0.2},
    Plan.HOW: {Store.PROCEDURAL: 0.8},
    Plan.LATEST: {Store.EPISODIC: 0.1, Store.TURNS: 0.1, Store.CORE: 0.2},
    Plan.GENERAL: {},
}
_OWN = {Store.CORE: 0.4}
"""Where who asks about themselves finds it first, besides on their page."""

_ABOUT_USER = frozenset({layout.CORE, "USER.md"})
"""Files that tell of the user, whatever their lines look like."""

MOST_READ = 200
"""So many memories with the words of such a question are looked at for names."""


class UnderstoodQuestion(NamedTuple):
    """A question as it was read, and what that means for the search."""

    read: Understood
    sought: Query
    named: tuple[NamedEntity, ...]
    spelled: Mapping[str, str]


def understand(
    asked: RecallQuestion, index: Index, view: View, allowed: Bools | None = None
) -> UnderstoodQuestion:
    """Read a question: its plan, its words, whom and when it speaks of.

    Args:
        asked: The question.
        index: Where entities are looked up.
        view: Everything as arrays.
        allowed: What who asks may see; an entity that is not is not even named.
    """
    plan, spans = choose_plan(asked.read), find_spans(asked.read, asked.now)
    said, last = "", 0
    for span in spans:
        said, last = f"{said}{asked.read[last : span.at[0]]} ", span.at[1]
    said += asked.read[last:]
    spoken = set(words(said))
    speakers = {
        number: name
        for name, number in view.named["speaker"].items()
        if spoken.intersection(words(name)) and terms(name)
    }
    pairs = [(_known(stem, word, view), word) for stem, word in spelled(said)]
    asked_for = [stem for stem, _ in pairs]
    wanted = _telling(asked_for, speakers.values(), view, timed=bool(spans))

    told = _told_in(spans, view, allowed)

    def stands(stem: str) -> bool:
        return bool(told[view.owner[view.standing(stem).at]].any())

    names = _named(said, index, view, allowed, about=plan is Plan.ABOUT)
    # Who asks how to do something, or what they did on a day, says "I" as well.
    own = plan is not Plan.HOW and not names and not spans and asks_of_self(said)
    if own:
        names = _self(index, view, allowed)
        # "Who is my dentist?" asks about nobody's whole page.
        plan = Plan.GENERAL if plan is Plan.ABOUT and {*wanted} - _ASKING else plan
    sought = Query(
        # Where nothing has any of the words, the time is what can be answered.
        terms=wanted if not spans or any(map(stands, wanted)) else [],
        speakers=tuple(speakers),
        cue=expected_cue(asked.read, plan),
        times=[
            Stretch(s.start.timestamp(), s.end.timestamp(), _worth(s)) for s in spans
        ],
        away=int((asked.now.utcoffset() or timedelta()).total_seconds()),
        both=wants_both_sides(asked.read),
        deep=asked.deep,
        graph=_graph(names, plan, asked, index, view, alone=own),
        favoured={
            STORES.index(s): v
            for s, v in (_FAVOURED[plan] | (_OWN if own else {})).items()
        },
        allowed=allowed,
        doubted=_of_others(said, wanted, index, view) if own else None,
    )
    read = Understood(
        plan,
        tuple(dict.fromkeys(dict(pairs).get(stem, stem) for stem in wanted)),
        tuple(f"{Kind.ENTITY}:{name.id}" for name in names),
        tuple(f"{s.text}: {s.start:%Y-%m-%d} to {s.end:%Y-%m-%d}" for s in spans),
        tuple(speakers.values()),
    )
    return UnderstoodQuestion(read, sought, names, dict(pairs))


def _worth(span: Span) -> float:
    """What it counts to fall into a time: twice that of a long one for a few days."""
    worth = COUNTED_BACK if span.counted else NAMED
    return worth * (2 if span.end - span.start <= FEW_DAYS else 1)


def _told_in(spans: Sequence[Span], view: View, allowed: Bools | None) -> Bools:
    """What may have the words of a question: where it asks for a day, of that time."""
    told = np.ones(len(view.number), np.bool_) if allowed is None else allowed
    if not spans or any(span.end - span.start > FEW_DAYS for span in spans):
        return told
    # Facts are of no day.
    dated = np.isin(view.store, [STORES.index(store) for store in TO_THE_MINUTE])
    within = np.zeros(len(told), np.bool_)
    for span in spans:
        start, end = span.start.timestamp(), span.end.timestamp() + SOON
        within |= (view.at >= start) & (view.at < end)
    # Of a day of which nothing was told, only words can be found.
    within &= told & dated
    return within if within.any() else told


def _named(
    said: str, index: Index, view: View, allowed: Bools | None, *, about: bool
) -> tuple[NamedEntity, ...]:
    names = view.once("names", lambda: _names(index, view))
    found = names.find(
        said, lambda word: any(map(view.frequency, variants(word))), about=about
    )
    return _visible(found, index, view, allowed)


def _names(index: Index, view: View) -> EntityNames:
    """What entities are called; the user also what core memory calls them."""
    own, pages = user_name(index), user_pages(index)

    def called() -> EntityNames:
        known = index.entity_names()
        known |= {id_: [*known.get(id_, ()), own] for id_ in pages if own}
        return EntityNames(known)

    return view.while_same("names", (index.names_state(), own, *pages), called)


def _self(index: Index, view: View, allowed: Bools | None) -> tuple[NamedEntity, ...]:
    """The page of who asks; both, where there are two."""
    pages = (NamedEntity(id_, "I", BY_PRONOUN) for id_ in user_pages(index))
    return _visible(tuple(pages), index, view, allowed)


def _of_others(said: str, wanted: Sequence[str], index: Index, view: View) -> Bools:
    """What is told of somebody else: no sure answer to who asks about themselves.

    The pages of other people. And what has the words of the question, and speaks of
    somebody of the speaker's; or names another person, or is asked for as the
    speaker's own, and states nothing of the speaker.
    """
    mine = user_pages(index)
    # Who looks at an answer asks the same twice.
    key = (view.state, said, tuple(wanted), *mine)
    doubt = partial(_doubted, said, wanted, index, view, mine)
    found: Bools = view.while_same("of others", key, doubt)
    return found.copy()


def _doubted(
    said: str,
    wanted: Sequence[str],
    index: Index,
    view: View,
    mine: Collection[str],
) -> Bools:
    doubted = np.zeros(len(view.number), np.bool_)

    def of_others(since: int) -> list[int]:
        people = index.people(since).items()
        return [number for number, id_ in people if id_ not in mine]

    doubted[view.collected(("people", *mine), of_others)] = True
    places = _having(wanted, view)[-MOST_READ:]
    rows = index.rows(view.number[places]) if len(places) else {}
    names, possessed = (
        view.once("names", lambda: _names(index, view)),
        asks_of_own(said),
    )
    for number, row in rows.items():
        at = view.item(number)
        said_in_turn = row.store is Store.TURNS
        if not said_in_turn and tells_of_theirs(row.text):
            lines = row.text.split("\n")
            lines = [line for line in lines if stem_set(line).intersection(wanted)]
            doubted[at] |= bool(lines) and all(map(tells_of_theirs, lines))
        first, end = view.first[at], view.first[at] + view.count[at]
        own = row.store is Store.SEMANTIC or row.path in _ABOUT_USER
        if own or view.own[first:end].any():
            continue
        people = (each.id for each in names.find(row.text, lambda _: True))
        others = any(id_.startswith("person--") and id_ not in mine for id_ in people)
        # Who talks may be told of what is theirs by the other side.
        doubted[at] |= others or (possessed and not said_in_turn)
    return doubted


_TOLD = [STORES.index(s) for s in (Store.EPISODIC, Store.TURNS, Store.SEMANTIC)]


def _having(stems: Sequence[str], view: View) -> Ints:
    """What is told somewhere with all of some stems; nothing for no stem."""
    stands = sorted((view.owner[view.standing(stem).at] for stem in stems), key=len)
    found = stands[0] if stands else np.zeros(0, np.int32)
    found = found[np.flatnonzero(np.diff(found, prepend=-1))]
    for other in stands[1:]:
        found = found[np.isin(found, other)] if len(found) else found
    told: Ints = found[np.isin(view.store[found], _TOLD)]
    return told


def _visible(
    found: tuple[NamedEntity, ...], index: Index, view: View, allowed: Bools | None
) -> tuple[NamedEntity, ...]:
    """Those of some entities that who asks may know of."""
    if allowed is None:
        return found
    places = [(name, _place(name.id, index, view)) for name in found]
    return tuple(name for name, at in places if at >= 0 and allowed[at])


def _place(entity: str, index: Index, view: View) -> int:
    """Where the page of an entity is in the view, by any id that it has or had."""
    number = index.number_of(f"{Kind.ENTITY}:{entity}")
    now = entity if number else known_as(index, entity)
    return view.item(number or index.number_of(f"{Kind.ENTITY}:{now}"))


def _known(stem: str, word: str, view: View) -> str:
    """The stem of a word as its language has it, or as another in which it stands."""
    if view.frequency(stem):
        return stem
    return next((other for other in variants(word) if view.frequency(other)), stem)


def _telling(
    asked: Sequence[str], speakers: Iterable[str], view: View, *, timed: bool
) -> list[str]:
    """The stems of a question, without those that only say it is one.

    That somebody speaks is no word to look for either. Where a time is asked for,
    that may be all there is. Of very many, the rarest.
    """
    names = {stem for name in speakers for stem in terms(name)}
    found = [stem for stem in asked if stem not in names] or list(asked)
    telling = [stem for stem in found if stem not in _ASKING]
    wanted = telling if telling or timed else found
    if len(wanted) <= MOST_WORDS:
        return wanted
    often = {stem: view.frequency(stem) for stem in wanted}
    known = sorted((s for s in often if often[s]), key=lambda s: (often[s], s))
    # Words that nobody has are no help, but that there are many is to be told.
    unknown = sorted(stem for stem in often if not often[stem])
    return known[:MOST_WORDS] + unknown[: max(len(known), 1)][:MOST_WORDS]


def _graph(
    names: Sequence[NamedEntity],
    plan: Plan,
    asked: RecallQuestion,
    index: Index,
    view: View,
    *,
    alone: bool,
) -> dict[int, float]:
    """What the graph suggests; who asks for somebody wants their page first.

    Who asks about themselves does not ask about those they know.
    """
    about, depth = plan is Plan.ABOUT, asked.config.recall.graph_depth
    start = {name.id: name.sure for name in names}
    hops = depth if about else min(depth, 1)
    reached = start if alone else walk(start, index.beside, hops)
    pages = {f"{Kind.ENTITY}:{name}": value for name, value in reached.items()}
    worth = {index.number_of(page): value for page, value in pages.items()}
    worth |= {n: pages[page] for n, page in index.facts_of(pages).items()}
    places = {view.item(number): value for number, value in worth.items()}
    # The latest on something is seldom what its page has said all along.
    times = ABOUT if about else LATEST if plan is Plan.LATEST else 1
    return {at: value * times for at, value in places.items() if at >= 0}
