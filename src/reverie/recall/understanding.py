"""From the words of a question to what is looked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.dates import find_spans
from reverie.index.view import STORES
from reverie.index.words import stems, terms, words
from reverie.model.ids import Kind, Store
from reverie.model.recall import Plan, Understood
from reverie.recall.naming import Names, walk
from reverie.recall.planning import choose_plan, expected_cue, wants_both_sides
from reverie.recall.weighing import Sought, Stretch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.dates import Span
    from reverie.index import Index
    from reverie.index.arrays import Bools, Floats
    from reverie.index.view import View
    from reverie.recall.asking import Asked
    from reverie.recall.naming import Named

MOST_WORDS = 48
"""So many words of a long question are looked for: the rarest."""

NAMED = 0.5
"""What it counts to fall into a time that is named: "in May 2023";"""

COUNTED_BACK = 0.25
"""and into one that is counted back from now: "two weeks ago"."""

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


@dataclass(frozen=True, slots=True)
class Understanding:
    """A question as it was read, and what that means for the search."""

    read: Understood
    sought: Sought
    named: tuple[Named, ...]
    spelled: Mapping[str, str]


def understand(
    asked: Asked, index: Index, view: View, allowed: Bools | None = None
) -> Understanding:
    """Read a question: its plan, its words, whom and when it speaks of.

    Args:
        asked: The question.
        index: Where entities are looked up.
        view: Everything as arrays.
        allowed: What who asks may see; an entity that is not is not even named.
    """
    plan = choose_plan(asked.read)
    spans = find_spans(asked.read, asked.now)
    said = _without_times(asked.read, spans)
    speakers = _speakers(said, view)
    telling = _telling(said, list(speakers.values()), timed=bool(spans))
    wanted = _rarest(telling, view)
    # Where nobody has any of the words, the time is what can be answered.
    stands = not spans or any(_stands(stem, view, allowed) for stem in wanted)
    names = _named(said, index, view, allowed)
    spelled = {stem: word for word in words(said) for stem in stems([word])}
    sought = Sought(
        terms=wanted if stands else [],
        speakers=tuple(speakers),
        cue=expected_cue(asked.read, plan),
        times=[_stretch(span) for span in spans],
        both=wants_both_sides(asked.read),
        graph=_graph(names, plan, asked, index, view),
        favoured={STORES.index(s): v for s, v in _FAVOURED[plan].items()},
    )
    read = Understood(
        plan,
        tuple(dict.fromkeys(spelled.get(stem, stem) for stem in wanted)),
        tuple(f"{Kind.ENTITY}:{name.id}" for name in names),
        tuple(f"{s.text}: {s.start:%Y-%m-%d} to {s.end:%Y-%m-%d}" for s in spans),
        tuple(speakers.values()),
    )
    return Understanding(read, sought, names, spelled)


def _named(
    said: str, index: Index, view: View, allowed: Bools | None
) -> tuple[Named, ...]:
    if "names" not in view.prepared:
        view.prepared["names"] = Names(index.lookup.entity_names())
    names: Names = view.prepared["names"]
    found = names.find(said, lambda word: view.knows(stems([word])[0]))
    if allowed is None:
        return found
    places = {
        n.id: view.item(index.lookup.number_of(f"{Kind.ENTITY}:{n.id}")) for n in found
    }
    return tuple(n for n in found if places[n.id] >= 0 and allowed[places[n.id]])


def with_vector(found: Understanding, vector: Floats) -> Understanding:
    """The same with the meaning of the question."""
    return replace(found, sought=replace(found.sought, vector=vector))


def _stretch(span: Span) -> Stretch:
    weight = COUNTED_BACK if span.counted else NAMED
    return Stretch(span.start.timestamp(), span.end.timestamp(), weight)


def _without_times(text: str, spans: Sequence[Span]) -> str:
    """A question without its expressions of time."""
    left, last = [], 0
    for span in spans:
        left.append(text[last : span.at[0]])
        last = span.at[1]
    return " ".join([*left, text[last:]])


def _speakers(text: str, view: View) -> dict[int, str]:
    """Those who speak in conversations and are named."""
    said = set(words(text))
    return {
        number: name
        for number, name in view.speakers().items()
        if said.intersection(words(name)) and terms(name)
    }


def _telling(text: str, speakers: Sequence[str], *, timed: bool) -> list[str]:
    """The stems of a question, without those that only say it is one.

    That somebody speaks is no word to look for either. Where a time is asked for,
    that may be all there is.
    """
    names = {stem for name in speakers for stem in terms(name)}
    found = [stem for stem in terms(text) if stem not in names] or terms(text)
    telling = [stem for stem in found if stem not in _ASKING]
    return telling if telling or timed else found


def _rarest(wanted: list[str], view: View) -> list[str]:
    if len(wanted) <= MOST_WORDS:
        return wanted
    distinct = sorted(set(wanted), key=lambda stem: (view.frequency(stem), stem))
    known = [stem for stem in distinct if view.knows(stem)]
    # Words that nobody has are no help, but that there are many is to be told.
    unknown = [stem for stem in distinct if not view.knows(stem)]
    return known[:MOST_WORDS] + unknown[: max(len(known), 1)][:MOST_WORDS]


def _stands(stem: str, view: View, allowed: Bools | None) -> bool:
    """Whether a word stands anywhere that who asks may see."""
    at = view.standing(stem).at
    return bool(len(at) if allowed is None else allowed[view.owner[at]].any())


def _graph(
    names: Sequence[Named], plan: Plan, asked: Asked, index: Index, view: View
) -> dict[int, float]:
    depth = asked.config.recall.graph_depth
    if plan is not Plan.ABOUT:
        depth = min(depth, 1)
    reached = walk({name.id: name.sure for name in names}, index.lookup.beside, depth)
    places = {
        view.item(index.lookup.number_of(f"{Kind.ENTITY}:{name}")): value
        for name, value in reached.items()
    }
    places.pop(-1, None)
    if plan is Plan.ABOUT:
        # Who asks for somebody wants their page first.
        return {place: 3 * value for place, value in places.items()}
    return places
