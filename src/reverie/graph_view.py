"""Entities as they are looked at: the part of the graph that matters, and one page.

Nothing here reads every file: of a large graph only the access records of entities are
gone through, and all else is asked of those that are shown.
"""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import TYPE_CHECKING, NamedTuple

from reverie.decay import Status, standing
from reverie.encoding.merge import meant_entity
from reverie.errors import RefusedError
from reverie.index.located import origin
from reverie.index.sync import render_graph
from reverie.model.ids import Kind
from reverie.model.items import Statement
from reverie.model.views import EntityView, GraphPart, Node, StatedFact
from reverie.session.session import NoSuchMemoryError
from reverie.stores.entities import parse_entity
from reverie.stores.reader import decode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from reverie.decay import Trace
    from reverie.model.items import Edge
    from reverie.session.session import Session
    from reverie.session.viewer import Viewer

MOST_LINKS = 60
"""Relations of a page that are told in either direction."""

_MOST_READ = 1_000
"""Relations of one entity that are gone through."""

_BEGIN = f"{Kind.ENTITY}:"
_WEIGHED = 3
"""So many times what is shown is looked at for what it is linked with."""


class _Standing(NamedTuple):
    score: float
    status: Status
    trace: Trace


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
        return self._session.answered(lambda: self._part(kind, status, around, most))

    def _part(self, kind: str, status: str, around: str, most: int) -> GraphPart:
        every = self._standings()
        types = Counter(name.partition("--")[0] for name in every)
        centre = meant_entity(self._session, around) if around else ""
        near = {centre, *self._index.beside([centre])[centre]} if centre else every

        def wanted(name: str) -> bool:
            stands = every[name].status
            fits = stands == status if status else stands is not Status.ARCHIVED
            return fits and name.partition("--")[0] == (kind or name.partition("--")[0])

        found = [n for n in near if n in every and (n == centre or wanted(n))]
        counts = self._index.link_counts()
        weights = {n: every[n].score * log2(2 + counts.get(n, 0)) for n in found}
        found.sort(key=lambda n: (n != centre, -weights[n], _last(every[n]), n))
        links = self._index.beside(found[: _WEIGHED * most])
        shown = _most_relevant(links, weights, centre, most)
        return GraphPart(
            tuple(self._nodes(shown, every, links)),
            tuple(self._edges(shown, links)),
            len(found),
            tuple(sorted(types.items(), key=lambda each: (-each[1], each[0]))),
            centre,
        )

    def _standings(self) -> dict[str, _Standing]:
        """Every entity that is for who looks, with how vivid it is."""
        now, decay = self._session.clock(), self._session.config.decay
        scopes = self._index.scopes()
        return {
            id_.removeprefix(_BEGIN): _Standing(*standing(trace, now, decay), trace)
            for id_, trace in self._index.traces(_BEGIN).items()
            if self._viewer.sees(scopes.get(id_, ""))
        }

    def _nodes(
        self,
        names: Iterable[str],
        every: Mapping[str, _Standing],
        links: Mapping[str, Collection[str]],
    ) -> Iterator[Node]:
        ids = {name: f"{_BEGIN}{name}" for name in names}
        facts = Counter(self._index.facts_of(ids.values()).values())
        for name, id_ in ids.items():
            if told := self._index.find(id_):
                stands = every[name]
                vivid = (stands.score, stands.status, stands.trace.pinned)
                linked = sum(other in every for other in links[name])
                yield Node(name, told.title, *vivid, facts[id_], linked)

    def _edges(
        self, names: Collection[str], links: Mapping[str, Collection[str]]
    ) -> Iterator[Edge]:
        """What links some entities with each other."""
        inside = frozenset(names)
        for name in names:
            if inside.isdisjoint(links[name]):
                continue
            for edge in self._index.edges_from(name, _MOST_READ):
                if edge.target in inside and edge.target != name:
                    yield edge

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
        others = sorted(self._index.beside([name])[name])
        seen = [each for each in others[: 4 * MOST_LINKS] if self._is_there(each)]
        out = self._index.edges_from(name, MOST_LINKS)
        back = [
            edge
            for other in seen[:MOST_LINKS]
            for edge in self._index.edges_from(other, _MOST_READ)
            if edge.target == name
        ]
        out = [edge for edge in out if edge.target in seen]
        named = {*(edge.target for edge in out), *(edge.origin for edge in back)}
        return EntityView(
            read.entity,
            facts,
            tuple(fact for fact in over if not fact.forgotten),
            tuple(out),
            tuple(back),
            {each: self._label(each) for each in named},
            len(others),
        )

    def _label(self, name: str) -> str:
        found = self._index.find(f"{_BEGIN}{name}")
        return found.title if found else name

    def _is_there(self, name: str) -> bool:
        """Whether an entity has a page that is for who looks."""
        id_ = f"{_BEGIN}{name}"
        return bool(self._index.path_of(id_)) and self._viewer.sees_id(id_)


def _most_relevant(
    links: Mapping[str, Collection[str]],
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


def _last(stands: _Standing) -> float:
    """What was of use last comes first."""
    return -stands.trace.last_accessed.timestamp()
