"""Entities as they are looked at: the part of the graph that matters, and one page.

Nothing here reads every file: of a large graph only the access records of entities are
gone through, and all else is asked of those that are shown.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from functools import lru_cache
from itertools import chain
from math import log2
from typing import TYPE_CHECKING, NamedTuple

from reverie.decay import Status, rated
from reverie.encoding.merge import meant_entity
from reverie.errors import RefusedError
from reverie.index.located import origin
from reverie.index.sync import render_graph
from reverie.model.change import Action
from reverie.model.ids import Kind
from reverie.model.items import Statement
from reverie.model.views import EntityView, GraphPart, Node, StatedFact
from reverie.session.kept_up import kept_up
from reverie.session.session import NoSuchMemoryError
from reverie.stores.entities import current_facts, parse_entity
from reverie.stores.reader import decode
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from reverie.decay import Rated
    from reverie.model.change import LogEntry
    from reverie.session.session import Session
    from reverie.session.viewer import Viewer

    _Changed = Mapping[str, tuple[str, str]]

MOST_LINKS = 60
"""Relations of a page that are told in either direction."""

_BEGIN = f"{Kind.ENTITY}:"
_JOINS = (Action.MERGE, Action.RENAME)
_WEIGHED = 3
"""So many times what is shown is looked at for what it is linked with."""


class _Ranked(NamedTuple):
    """How much an entity matters, the more the lower: what was of use last first."""

    weight: float
    unused: float
    name: str
    rated: Rated

    @classmethod
    def of(cls, each: Rated, links: Mapping[str, int]) -> _Ranked:
        """By how vivid it is, and how much linked."""
        name = each.id[len(_BEGIN) :]
        weight = -min(1.0, each.strength) * log2(2 + links.get(name, 0))
        return cls(weight, -each.last, name, each)


class _Ranking(NamedTuple):
    """All entities in the order in which they matter, and what that came of.

    Attributes:
        uses: How often each was used, by id.
        ends: What the relations of each file link, by its path.
        links: How many relations begin or end at each, by name.
        ranked: What matters most first.
        nodes: Those that were looked up for a picture, by name.
    """

    uses: Mapping[str, int]
    ends: Mapping[str, Sequence[tuple[str, str]]]
    links: Counter[str]
    ranked: list[_Ranked]
    nodes: dict[str, Node]


class Entities:
    """The entities of an open workspace.

    Args:
        session: The workspace.
        viewer: Who looks; what is for others is not there.
    """

    def __init__(self, session: Session, viewer: Viewer) -> None:
        self._session, self._viewer = session, viewer
        self._index = session.index

    def table(self) -> str:
        """All entities and edges, as a table of text."""
        session = self._session
        session.look()
        decay, now = session.config.decay, session.clock()
        return session.answered(lambda: render_graph(self._index, decay, now))

    def labels(self, names: Iterable[str]) -> dict[str, str]:
        """What some entities are called, by name; those that are for who looks."""
        ids = {f"{_BEGIN}{name}": name for name in names}
        seen = [id_ for id_ in ids if id_ not in self._viewer.hidden()]
        found = self._session.answered(lambda: self._index.titles(seen))
        return {name: found[id_] for id_, name in ids.items() if id_ in found}

    # --- the graph -------------------------------------------------------------

    def part(
        self, *, kind: str = "", status: str = "", around: str = "", most: int = 120
    ) -> GraphPart:
        """The entities that matter most: the most vivid, and the most linked.

        Args:
            kind: Only those of this type.
            status: Only those that are active, fading, dormant or archived; without,
                all but what is archived.
            around: Only an entity, by its id or any name of it, and what it is
                linked with.
            most: At most so many.
        """
        if status and status not in set(Status):
            what = f"{status!r} is no status of a memory"
            raise RefusedError(what, hint=f"There are {', '.join(Status)}.")
        self._session.look()
        session = self._session

        def look() -> GraphPart:
            return self._part(kind, status, around, most)

        # Kept for as long as it holds; of names that anybody may type there is no end.
        if around or (kind and kind not in self._types()):
            return session.answered(look)
        told = (*self._now(), most)
        return session.while_same(
            f"graph {kind} {status}", told, lambda: session.answered(look)
        )

    def _now(self) -> tuple[object, ...]:
        """What is another value once anything was written or used, or an hour later."""
        hour = self._session.clock().replace(minute=0, second=0, microsecond=0)
        # Before any row is read: they may be of a later commit, never of an earlier.
        return self._index.seen, self._index.uses, hour, self._viewer.hidden()

    def _part(self, kind: str, status: str, around: str, most: int) -> GraphPart:
        centre = meant_entity(self._session, around) if around else ""
        known: dict[str, Node] = {}
        if centre:
            found = self._near(centre)
        else:
            ranking = self._ranking()
            found, known = ranking.ranked, ranking.nodes
        if kind:
            begin = f"{kind}--"
            found = [e for e in found if e.name.startswith(begin) or e.name == centre]
        if status:
            only = Status(status)
            found = [e for e in found if e.rated.status is only or e.name == centre]
        else:
            gone = Status.ARCHIVED
            found = [e for e in found if e.rated.status is not gone or e.name == centre]
        first = found[: _WEIGHED * most]
        among = self._index.edges_among([each.name for each in first])
        links: dict[str, set[str]] = {each.name: set() for each in first}
        for edge in among:
            links[edge.origin].add(edge.target)
            links[edge.target].add(edge.origin)
        weights = {each.name: -each.weight for each in first}
        every = {each.name: each.rated for each in first}
        shown = _most_relevant(links, weights, centre, most)
        drawn = frozenset(shown)
        new = self._nodes((name for name in shown if name not in known), every)
        known |= {node.name: node for node in new}
        return GraphPart(
            tuple(known[name] for name in shown if name in known),
            tuple(
                edge
                for edge in among
                if edge.origin != edge.target and {edge.origin, edge.target} <= drawn
            ),
            len(found),
            tuple(sorted(self._types().items(), key=lambda each: (-each[1], each[0]))),
            centre,
        )

    def _near(self, centre: str) -> list[_Ranked]:
        """An entity and what it is linked with, in the order in which they matter."""
        near = {centre, *self._index.beside([centre])[centre]}
        counts = {name: len(o) for name, o in self._index.beside(near).items()}
        found = (_Ranked.of(each, counts) for each in self._rated(near))
        return sorted(found, key=lambda each: (each.name != centre, each))

    def _ranking(self) -> _Ranking:
        """All of them, in the order in which they matter.

        After a change only the pages that it touched, and what they are linked with,
        are rated again; and what was used since.
        """
        index = self._index

        def anew() -> _Ranking:
            uses, ends = index.entity_uses(), index.link_ends()
            links = Counter(chain.from_iterable(chain.from_iterable(ends.values())))
            found = (_Ranked.of(each, links) for each in self._rated())
            return _Ranking(uses, ends, links, sorted(found), {})

        def again(known: _Ranking, changed: _Changed) -> _Ranking:
            pages = {path: ids for path, ids in changed.items() if _is_page(path)}
            if layout.SCORES in changed or not all(new for _, new in pages.values()):
                return anew()
            uses, now = index.entity_uses(), index.link_ends(changed)
            touched = {id_ for id_, _ in uses.items() ^ known.uses.items()}
            touched.update(id_ for path in pages for id_ in index.ids_in(path))
            names = {id_[len(_BEGIN) :] for id_ in touched if id_.startswith(_BEGIN)}
            ends, links = {**known.ends, **now}, known.links.copy()
            for path in changed:
                links.subtract(was := [*chain(*known.ends.get(path, ()))])
                links.update(new := [*chain(*now.get(path, ()))])
                names.update(was if was != new else (), new if was != new else ())
                if not new:
                    ends.pop(path, None)
            ranked = [each for each in known.ranked if each.name not in names]
            for each in self._rated(names):
                insort(ranked, _Ranked.of(each, links))
            nodes = {n: node for n, node in known.nodes.items() if n not in names}
            return _Ranking(uses, ends, links, ranked, nodes)

        hour = self._session.clock().replace(minute=0, second=0, microsecond=0)
        told = (hour, self._viewer.hidden(), self._session.config.decay)
        at = index.seen
        return kept_up(self._session, "entities", at, told, anew, again)

    def _types(self) -> Counter[str]:
        """How many entities of each type are for who looks."""
        index = self._index

        def again(known: dict[str, int], changed: _Changed) -> dict[str, int]:
            pages = (ids for path, ids in changed.items() if _is_page(path))
            # Words on a page are no other page.
            return known if all(map(all, pages)) else index.entity_types()

        make = index.entity_types
        found = kept_up(self._session, "types", index.seen, None, make, again)
        types = Counter(found)
        hidden = (id_ for id_ in self._viewer.hidden() if id_.startswith(_BEGIN))
        types.subtract(id_[len(_BEGIN) :].partition("--")[0] for id_ in hidden)
        return +types

    def _rated(self, names: Iterable[str] | None = None) -> Iterator[Rated]:
        """How vivid every entity is that is for who looks, or some of them."""
        now, decay = self._session.clock(), self._session.config.decay
        ids = None if names is None else [f"{_BEGIN}{name}" for name in names]
        rows = self._index.rows_of_traces(_BEGIN, ids)
        hidden = self._viewer.hidden()
        return (each for each in rated(rows, now, decay) if each.id not in hidden)

    def _nodes(
        self, names: Iterable[str], every: Mapping[str, Rated]
    ) -> Iterator[Node]:
        ids = {name: f"{_BEGIN}{name}" for name in names}
        facts = Counter(self._index.facts_of(ids.values()).values())
        titles = self._index.titles(ids.values())
        hidden = {id_.removeprefix(_BEGIN) for id_ in self._viewer.hidden()}
        links = self._index.beside(ids)
        for name, id_ in ids.items():
            if id_ in titles:
                stands = every[name]
                vivid = (min(1.0, stands.strength), stands.status, stands.pinned)
                linked = len(links[name] - hidden)
                yield Node(name, titles[id_], *vivid, facts[id_], linked)

    # --- one page --------------------------------------------------------------

    def page(self, id_: str) -> EntityView:
        """All that a page says, and what leads to it.

        Args:
            id_: The id of the entity, as `Memory.show` gives it, which has looked for
                what people changed.
        """
        self._viewer.require(id_)
        return self._session.answered(lambda: self._page(id_))

    def _page(self, id_: str) -> EntityView:
        path, name = self._index.path_of(id_), id_.removeprefix(_BEGIN)
        if not path or not id_.startswith(_BEGIN):
            raise NoSuchMemoryError(id_)
        data = self._session.ledger.read(path) or b""
        read = parse_entity(decode(data, path)[0], path)
        facts = tuple(
            StatedFact(str(entry.id), entry.item.fact, origin(entry))
            for entry in read.entries
            if isinstance(entry.item, Statement)
        )
        over = (f for f in read.entity.facts if f.text and not f.current)
        others = self._index.beside([name])[name]
        out = self._index.edges_from(name, 4 * MOST_LINKS)
        back = self._index.edges_to(name, 4 * MOST_LINKS)
        # Those that have a page which is for who looks.
        linked = {*(edge.target for edge in out), *(edge.origin for edge in back)}
        labels, hidden = self.labels(linked), self._viewer.hidden()
        out = [edge for edge in out if edge.target in labels][:MOST_LINKS]
        back = [edge for edge in back if edge.origin in labels][:MOST_LINKS]
        named = {*(edge.target for edge in out), *(edge.origin for edge in back)}
        return EntityView(
            read.entity,
            facts,
            tuple(fact for fact in over if not fact.forgotten),
            tuple(out),
            tuple(back),
            {each: labels[each] for each in named},
            sum(f"{_BEGIN}{other}" not in hidden for other in others),
        )

    def brought(
        self, view: EntityView, path: str, changes: Iterable[LogEntry]
    ) -> dict[str, LogEntry]:
        """The change that brought each fact of a page, where it is one of some.

        That is the newest after which it held and before which it did not, whoever had
        said the same before. What only took something back, or moved or joined pages,
        brought nothing.

        Args:
            view: The page.
            path: Its file.
            changes: Changes of the file, newest first.
        """
        found: dict[str, LogEntry] = {}
        ledger, paths = self._session.ledger, {path}
        # What was typed a moment ago is on the page, and in no change yet.
        told = self._held([ledger.content_id(ledger.head, path)], path)
        left = {f.fact.text: f.id for f in view.facts if f.fact.text in told}
        for entry in changes:
            joined = {line.path for line in entry.lines if line.action in _JOINS}
            paths |= set() if paths.isdisjoint(joined) else joined
            took_back = entry.lines[0].action is Action.REVERT
            if not left or took_back or entry.actor.tag.startswith("system:"):
                continue
            parent = next(ledger.walk(entry.commit)).parent
            after, before = (
                {ledger.content_id(commit, each) for each in paths} if commit else set()
                for commit in (entry.commit, parent)
            )
            new = self._held(after, path) - self._held(before, path)
            found |= {left.pop(said): entry for said in new & left.keys()}
        return found

    def _held(self, contents: Iterable[str], path: str) -> frozenset[str]:
        """The facts that held on pages, by the ids of what they said."""
        texts = filter(None, map(self._session.ledger.content, filter(None, contents)))
        return frozenset[str]().union(*(_facts(data, path) for data in texts))


@lru_cache(maxsize=32)
def _facts(data: bytes, path: str) -> frozenset[str]:
    """The facts that hold on a page: what a change left is what the next one found."""
    found = current_facts(decode(data, path)[0], path)
    return frozenset(fact.text for _, fact in found)


def _is_page(path: str) -> bool:
    """Whether a file may be the page of an entity."""
    return path.startswith(f"{layout.ENTITIES}/")


def _most_relevant(
    links: Mapping[str, Set[str]],
    weights: Mapping[str, float],
    centre: str,
    most: int,
) -> list[str]:
    """The first, and of the others rather those that have to do with them."""
    first = frozenset([*links][: most // _WEIGHED])

    def order(name: str) -> tuple[bool, float, str]:
        near = log2(2 + len(first.intersection(links[name])))
        return name != centre, -weights[name] * near, name

    return sorted(links, key=order)[:most]
