"""Whose words an operation of a reflection is made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.model.ids import Kind
from reverie.model.items import FOREIGN, CoreItem, Origin, least, named
from reverie.model.reflection import OperationKind
from reverie.reflection import operations as ops
from reverie.reflection.evolution import words_of_whom
from reverie.stores import core as core_store
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from reverie.model import reflection as model
    from reverie.model.reflection import Operation
    from reverie.reflection.cycle import Study

    Known = Callable[[str], Origin | None]

RUN = 16
"""So many letters and digits in a row that two texts share were copied."""

WORTHLESS = frozenset({OperationKind.ARCHIVE, OperationKind.PRUNE})
"""What says nothing that would be kept."""

_OF_THE_AGENT = {*WORTHLESS, OperationKind.MOVE, OperationKind.DROP}

_NO_SOURCE = "no source is named"

_TURNED_DOWN = re.compile(
    r"left out: |rejected: |could not be applied: |rejected with it: "
)
_SIGNS = re.compile(r"[\W_]+")
_DATED = re.compile(r"(?:episode:)?[0-9]{4}-[0-9]{2}-[0-9]{2}(?::[0-9]{2}:[0-9]{2})?")
"""Days and ids of episodes: who cites those of one month has copied nothing."""


class Sources:
    """Every text that a mind was given to read, with whose words it is.

    What is made of several sources is as trusted as the least trusted of them. An
    operation names its sources by their ids; where it names none it may be made of all
    that was read. A mind may name one source and copy from another, so what stands
    word for word in a text that is less trusted counts as made of it, whatever is
    named.

    Attributes:
        texts: All of them, as they were read.
    """

    def __init__(self, seen: model.Survey, known: Known = lambda _: None) -> None:
        self._known = known
        self.texts = [seen.core, seen.evolution, *seen.log]
        self.texts += [seen.graph, seen.economy]
        # Not what the human was told and said of earlier operations: it names them.
        self.texts += [*seen.asks, *seen.used]
        self._cited: list[tuple[set[str], Origin]] = []
        self._bare: dict[Origin, list[str]] = {origin: [] for origin in Origin}
        pages = (*seen.episodes, *seen.entities, *seen.procedures)
        for each in (*pages, *seen.fading, *seen.planned, *seen.proposals):
            text = f"{each.title}\n{each.text}"
            self.texts.append(text)
            names = {each.id, each.path, each.id.partition(":")[2]}
            self._add(names, named(each.origin), text)
        for entry in core_store.parse_core(seen.core, layout.CORE).entries:
            if isinstance(entry.item, CoreItem):
                by = named(entry.item.by) if entry.item.by else Origin.OWNER
                self._add({str(entry.id)}, by, entry.item.text)
        # What was turned down may be anybody's words.
        for text in (each for each in seen.heard if _TURNED_DOWN.search(each)):
            self._bare[Origin.TOOL].append(_bare(text))
        for text in (seen.evolution, *seen.log):
            self._add(set(), words_of_whom(seen.evolution), text)
        self._runs = {
            origin: {run for text in texts for run in _runs(text)}
            for origin, texts in self._bare.items()
        }

    def _add(self, names: set[str], origin: Origin, text: str) -> None:
        self._cited.append((names, origin))
        self._bare[origin].append(_bare(text))

    @property
    def least_trusted(self) -> Origin:
        """The least trusted of all that was read; at best the agent's own words."""
        return least([Origin.AGENT, *(origin for _, origin in self._cited)])

    def is_id(self, word: str) -> bool:
        """Return whether a word is the ID of an existing memory."""
        return self._known(word) is not None

    def told(self, operations: Iterable[Operation]) -> list[Operation]:
        """Operations that say whose words they are made of.

        An EXTRACT whose lines have different origins becomes one for each origin.
        """
        return [each for one in operations for each in self._by_origin(one)]

    def _by_origin(self, operation: Operation) -> list[Operation]:
        """Return an operation with its origin; one for each origin of its lines."""
        lines = _lines_with_source(operation)
        parts = dict[Origin, list[str]]()
        for line in lines:
            origin = self._weigh(ops.cited_in(line), line)[0]
            parts.setdefault(origin, []).append(line)
        if len(parts) < 2:
            return [self._with_origin(operation)]
        return [
            self._with_origin(replace(operation, content="\n".join(some)), some)
            for some in parts.values()
        ]

    def _with_origin(
        self, operation: Operation, lines: Sequence[str] = ()
    ) -> Operation:
        """Return an operation with its origin and what lowers it.

        Args:
            operation: The operation.
            lines: Its lines, where only what they name counts.
        """
        if operation.kind in _OF_THE_AGENT:
            return replace(operation, origin=Origin.AGENT)
        said = ops.named_in(operation)
        if lines:
            said = {name: None for line in lines for name in ops.cited_in(line)}
        origin, lowered_by = self._weigh(said, operation.content)
        return replace(operation, origin=origin, lowered_by=lowered_by)

    def origin_of(self, operation: Operation) -> Origin:
        """Whose words an operation is made of; at best its agent's own."""
        return self._with_origin(operation).origin

    def _weigh(self, said: Mapping[str, None], content: str) -> tuple[Origin, str]:
        """Return the origin of a text, and which of its sources make it so."""
        found = [
            (name, origin)
            for names, origin in self._cited
            for name in sorted(names & said.keys())
        ]
        # Who looks back may also name what was read in an earlier reflection.
        found += [(n, origin) for n in said if (origin := self._known(n)) is not None]
        if not found:
            lowest = self.least_trusted
            return lowest, _NO_SOURCE if lowest in FOREIGN else ""
        copied = [*self._copied(_bare(content))]
        lowest = least([Origin.AGENT, *(origin for _, origin in found), *copied])
        if lowest not in FOREIGN:
            return lowest, ""
        names = dict.fromkeys(name for name, origin in found if origin is lowest)
        return lowest, ", ".join(names) or f"words of {lowest} stand in it"

    def _copied(self, bare: str) -> Iterator[Origin]:
        """Whose words stand in a text, where nobody more trusted has them as well."""
        left = set(_runs(bare)) or {bare}
        for origin in Origin:
            found = left & self._runs[origin]
            if len(bare) < RUN and any(bare in text for text in self._bare[origin]):
                found = left
            if found:
                yield origin
            left = left - found


def _lines_with_source(operation: Operation) -> list[str]:
    """Return the lines of an EXTRACT; none unless each names what it is made of."""
    if operation.kind is not OperationKind.EXTRACT:
        return []
    lines = [line for line in operation.content.split("\n") if line.strip()]
    return lines if all(map(ops.cited_in, lines)) else []


def _runs(text: str) -> Iterator[str]:
    return (text[at : at + RUN] for at in range(len(text) - RUN + 1))


def _bare(text: str) -> str:
    """Letters and digits alone, in small letters, but for days and ids of episodes."""
    return _SIGNS.sub("", _DATED.sub(" ", text.casefold()))


def origins(study: Study) -> Known:
    """Whose words the memory of an id is; None where there is none."""
    find = study.session.index.find

    def known(name: str) -> Origin | None:
        row = find(name if ":" in name else f"{Kind.ENTITY}:{name}")
        return named(row.origin) if row else None

    return known
