"""Provenance: whose words a reflection's operation is made of.

What is made of several sources is as trusted as the least trusted of them. An operation
names its sources by their ids; where it names none it may be made of all that was read.
A mind may name one source and copy from another, so what stands word for word in a
text that is less trusted counts as made of it, whatever is named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.model.items import CoreItem
from reverie.model.origin import Origin, least, named
from reverie.model.reflection import OperationKind
from reverie.reflection.records.evolution import words_of_whom
from reverie.stores import core
from reverie.stores.proposals import parse_pending
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.model.reflection import Operation, Survey

RUN = 16
"""So many letters and digits in a row that two texts share were copied."""

_WORTHLESS = frozenset({OperationKind.ARCHIVE, OperationKind.PRUNE})
"""What says nothing that would be kept."""

_NAMES = re.compile(r"[^\s,;()\[\]<>\"'`]+")
_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text that was read: what it may be cited by, whose words, what it says."""

    names: frozenset[str]
    origin: Origin
    text: str


class Sources:
    """Every text that a mind was given to read, with whose words it is."""

    def __init__(self, survey: Survey) -> None:
        self._read = tuple(_reads(survey))
        self._runs: dict[Origin, set[str]] = {origin: set() for origin in Origin}
        for one in self._read:
            self._runs[one.origin].update(_runs(one.text))

    @property
    def least_trusted(self) -> Origin:
        """The least trusted of all that was read; at best the agent's own words."""
        return least([Origin.AGENT, *(one.origin for one in self._read)])

    def told(self, operations: Iterable[Operation]) -> tuple[Operation, ...]:
        """Operations that say whose words they are made of."""
        return tuple(replace(one, origin=self.origin_of(one)) for one in operations)

    def origin_of(self, operation: Operation) -> Origin:
        """Whose words an operation is made of; at best its agent's own."""
        takes_out = (
            operation.kind is OperationKind.CORE and operation.content[:1] == "-"
        )
        if operation.kind in _WORTHLESS or takes_out:
            return Origin.AGENT
        said = {
            name.rstrip(".:!?")
            for name in _NAMES.findall(f"{operation.reason} {operation.context}")
        }
        cited = [one.origin for one in self._read if one.names & said]
        if not cited:
            return self.least_trusted
        return least([Origin.AGENT, *cited, *self._copied(operation.content)])

    def _copied(self, content: str) -> Iterator[Origin]:
        """Whose words stand in a text, where nobody more trusted has them as well."""
        bare = _bare(content)
        short = len(bare) < RUN
        left = {bare} if short else set(_runs(bare))
        for origin in Origin:
            if short:
                here = (one.text for one in self._read if one.origin is origin)
                found = left if any(bare in text for text in here) else set()
            else:
                found = left & self._runs[origin]
            if found:
                yield origin
            left = left - found


def _runs(text: str) -> Iterator[str]:
    return (text[at : at + RUN] for at in range(len(text) - RUN + 1))


def _reads(survey: Survey) -> Iterator[SourceText]:
    seen = (survey.episodes, survey.entities, survey.procedures, survey.fading)
    for memories in seen:
        for each in memories:
            names = {each.id, each.path, each.id.partition(":")[2]}
            text = f"{each.title}\n{each.text}"
            yield SourceText(frozenset(names), named(each.origin), _bare(text))
    for one in parse_pending(survey.proposals, layout.PENDING).proposals:
        yield SourceText(frozenset({f"#{one.number}"}), one.origin, _bare(one.content))
    for entry in core.parse_core(survey.core, layout.CORE).entries:
        if isinstance(entry.item, CoreItem):
            by = named(entry.item.by) if entry.item.by else Origin.OWNER
            yield SourceText(frozenset({str(entry.id)}), by, _bare(entry.item.text))
    told = words_of_whom(survey.evolution)
    for text in (survey.evolution, *survey.log):
        yield SourceText(frozenset(), told, _bare(text))


def _bare(text: str) -> str:
    """Letters and digits alone, in small letters."""
    return _SIGNS.sub("", text.casefold())
