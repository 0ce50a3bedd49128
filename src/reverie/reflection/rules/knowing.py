"""What the rules are given, and what they give back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.encoding.routing import Known
from reverie.encoding.routing.known import owner
from reverie.stores.semantic import parse_entity
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from reverie.config import Config
    from reverie.model.items import Entity
    from reverie.model.reflection import Operation, Survey
    from reverie.reflection.rules.candidates import Candidates


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known besides what was read.

    Attributes:
        known: What entities are called, and who the owner is.
        config: The parameters.
        page: The page of an entity by its name, `TYPE--SLUG`; empty if it has none.
        now: The moment of the reflection, in UTC.
        candidates: What reflections before this one saw too seldom, as `Found` had it.
    """

    known: Known
    config: Config
    page: Callable[[str], str]
    now: datetime
    candidates: Candidates = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """What the rules found.

    Attributes:
        operations: What they propose, the most important first.
        themes: What the new episodes speak of most, in words that stand there.
        questions: What only the human can say.
        seen_again: Known ways of doing something that were seen again.
        candidates: What was seen too seldom so far, by key: the words of the most
            complete telling, and the days as ISO dates. To be kept for the next one.
    """

    operations: tuple[Operation, ...] = ()
    themes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    seen_again: tuple[str, ...] = ()
    candidates: Candidates = field(default_factory=dict)


class Library:
    """The pages of entities, each read once, and the names in them.

    Args:
        survey: What was read.
        knowledge: What is known besides.
    """

    def __init__(self, survey: Survey, knowledge: Knowledge) -> None:
        self._texts = {stem_of(one.path): one.text for one in survey.entities}
        self._page = knowledge.page
        self.read = tuple(self._texts)
        self._entities: dict[str, Entity | None] = {}
        self.known = Known(_Once(knowledge.known.names), knowledge.known.owner)
        self.owner = owner(self.known).id

    def entity(self, name: str) -> Entity | None:
        """What the page of an entity says; None if it has none."""
        if name not in self._entities:
            text = self._texts.get(name) or self._page(name)
            path = entity_path(name)
            self._entities[name] = parse_entity(text, path).entity if text else None
        return self._entities[name]

    def label(self, name: str) -> str:
        """What an entity is called."""
        entity = self.entity(name)
        return entity.label if entity else name.partition("--")[2].replace("-", " ")


def entity_path(name: str) -> str:
    """Where the page of an entity stands."""
    return f"{layout.ENTITIES}/{name}.md"


def stem_of(path: str) -> str:
    """The name of a page by its path."""
    return path.rpartition("/")[2].removesuffix(".md")


class _Once(Mapping[str, str]):
    """Names that are looked up once: the same words come in every other sentence."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._seen: dict[str, str | None] = {}

    def __getitem__(self, name: str) -> str:
        if name not in self._seen:
            self._seen[name] = self._names.get(name)
        found = self._seen[name]
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __bool__(self) -> bool:
        # Counting them all would cost more than looking one up.
        return bool(self._names)
