"""Read a question: its sort, its words, the entities and times it names."""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec import Struct

from reverie.dates import find_spans
from reverie.errors import RefusedError
from reverie.index.text import (
    COMMON_WORDS,
    Cue,
    spelled,
    stems,
    terms,
    variants,
    words,
)
from reverie.index.user import asks_of_self, known_as, user_name, user_pages
from reverie.index.view import STORES
from reverie.model.ids import TO_THE_MINUTE, Kind, Store
from reverie.model.views import Plan, Reach, Understood
from reverie.recall.entity_names import EntityNames, NamedEntity
from reverie.recall.score import SOON, Query, Stretch
from reverie.recall.subject import UserSubject, find_pages_of_others

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Iterable,
        Mapping,
        Sequence,
    )
    from datetime import datetime

    from reverie.config import Config
    from reverie.dates import Span
    from reverie.embedding import Embedder
    from reverie.index import Index
    from reverie.index.view import Bools, View

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
    if wants_past(question) or _fits(question, "present", "not"):
        return False
    value = _fits(question, "present", "value")
    plain = value and not _fits(question, "present", "yes_or_no")
    return plain or _fits(question, "present", "now")


def wants_past(question: str) -> bool:
    """Return whether a question is about how something was, or about several times."""
    return _fits(question, "present", "past")


def asking_words(question: str) -> set[str]:
    """Return the words of a question that only say what sort of question it is."""
    found = (
        match[0]
        for (table, name), pattern in _PATTERNS.items()
        if table == "plans" or (table, name) in _SORTS
        for match in pattern.finditer(question)
    )
    return {word for part in found for word in words(part)}


_SORTS = {("asks", "number"), ("asks", "time"), ("asks", "permission")}


def find_kin(
    embedder: Embedder, terms: Sequence[str], spelled: Mapping[str, str]
) -> dict[str, list[tuple[str, float]]]:
    """Return the stems of words that are similar in meaning to those of a question."""
    found: dict[str, list[tuple[str, float]]] = {}
    for stem in terms:
        alike: dict[str, float] = {}
        said = spelled.get(stem, stem)
        # Signs of a script without gaps, and numbers, are no words of the table.
        near = embedder.kin(said) if len(said) > 2 and said.isalpha() else ()
        for word, likeness in near:
            for other in variants(word):
                alike[other] = max(likeness, alike.get(other, 0.0))
        found[stem] = [*alike.items()]
    return found


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


BY_PRONOUN = 0.9
"""How sure it is that "I" and "my" ask for the page of who asks."""

FADE = 0.5
"""What a hop in the graph leaves of a suggestion."""

ABOUT, LATEST = 3, 0.5
"""What the graph suggests counts so many times where a question is about somebody, or
asks for the latest on something."""

WIDEST = 50
"""So many neighbours of one entity are followed."""


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

SPOKEN_OF = 0.5
"""A memory that has the words of a time, and this share of the question's by rarity, is
what a question with a time asks for, whenever it was told."""

TIME_ALONE = 4
"""What falls into the time counts so many times where nothing told then has a word of
the question: it stands above whatever has one."""


class UnderstoodQuestion(NamedTuple):
    """A question as it was read, and what that means for the search.

    Attributes:
        read: What is told of it.
        sought: What it comes down to.
        named: The entities it names.
        spelled: The word of each stem.
        names: The names of all entities.
        subject: Tells what is about the user; None where it is not about them.
        time_alone: Whether it has words, and only the time it names is answered.
    """

    read: Understood
    sought: Query
    named: tuple[NamedEntity, ...]
    spelled: Mapping[str, str]
    names: EntityNames
    subject: UserSubject | None = None
    time_alone: bool = False


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

    rules = _words_of_time(spans, wanted, view, allowed)
    told = _told_in(spans, view, allowed)
    # Where nothing told then has any of the words, the time is what can be answered.
    time_alone = bool(spans and wanted) and not (
        rules or any(_stands(stem, view, told) for stem in wanted)
    )
    elsewhere = [] if time_alone and not _stand(wanted, view, allowed) else wanted

    names = _named(said, index, view, allowed, about=plan is Plan.ABOUT)
    # Who asks how to do something, whether they may, or what they did on a day, says
    # "I" as well.
    of_self = asks_of_self(said) and not _fits(asked.read, "asks", "permission")
    own = of_self and plan is not Plan.HOW and not names and not spans
    if own:
        names = _self(index, view, allowed)
        # "Who is my dentist?" asks about nobody's whole page.
        plan = Plan.GENERAL if plan is Plan.ABOUT and {*wanted} - _ASKING else plan
    sought = Query(
        terms=[*elsewhere, *rules],
        speakers=tuple(speakers),
        cue=expected_cue(asked.read, plan),
        times=[
            Stretch(
                s.start.timestamp(),
                s.end.timestamp(),
                _worth(s) * (TIME_ALONE if time_alone else 1),
            )
            for s in spans
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
        doubted=find_pages_of_others(index, view) if own else None,
    )
    read = Understood(
        plan,
        tuple(dict.fromkeys(dict(pairs).get(stem, stem) for stem in wanted)),
        tuple(f"{Kind.ENTITY}:{name.id}" for name in names),
        tuple(f"{s.text}: {s.start:%Y-%m-%d} to {s.end:%Y-%m-%d}" for s in spans),
        tuple(speakers.values()),
    )
    every = view.once("names", lambda: _names(index, view))
    # Who asks for both sides wants what the other one said.
    alone = own and not sought.both
    subject = UserSubject(said, wanted, index, every) if alone else None
    told_of = (names, dict(pairs), every, subject)
    return UnderstoodQuestion(read, sought, *told_of, time_alone=time_alone)


def _worth(span: Span) -> float:
    """What it counts to fall into a time: twice that of a long one for a few days."""
    worth = COUNTED_BACK if span.counted else NAMED
    return worth * (2 if span.end - span.start <= FEW_DAYS else 1)


def _words_of_time(
    spans: Sequence[Span], wanted: Sequence[str], view: View, allowed: Bools | None
) -> list[str]:
    """Return the stems of a named time that stand beside the words of a question.

    "Never push on a Friday." answers "can I push on Friday?", whenever it was told.
    Nothing is returned where no memory has both.
    """
    if not (spans and wanted):
        return []
    has = np.zeros(len(view.number), np.float32)
    total = 0.0
    for stem in {*wanted}:
        items = np.unique(view.owner[view.standing(stem).at])
        rarity = float(np.log1p(len(has) / max(1, len(items))))
        has[items] += rarity
        total += rarity
    fitting = has >= SPOKEN_OF * total
    fitting &= (has > 0) if allowed is None else allowed
    said = (word for span in spans for word in words(span.text))
    beside = (s for w in said if w not in COMMON_WORDS for s in variants(w))
    found = dict.fromkeys(beside)
    return [stem for stem in found if _stands(stem, view, fitting)]


def _stands(stem: str, view: View, where: Bools) -> bool:
    """Return whether a stem stands in one of some items."""
    return bool(where[view.owner[view.standing(stem).at]].any())


def _stand(found: Sequence[str], view: View, allowed: Bools | None) -> bool:
    """Return whether any of some stems stands anywhere."""
    where = np.ones(len(view.number), np.bool_) if allowed is None else allowed
    return any(_stands(stem, view, where) for stem in found)


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
