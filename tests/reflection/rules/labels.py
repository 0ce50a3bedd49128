"""A diary with what a careful person would propose after reading it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from reverie.config import Config
from reverie.encoding.routing import Known
from reverie.model.reflection import Noticed, Survey
from reverie.reflection.rules import Found, Knowledge, reflect_by_rules
from reverie.stores.semantic import parse_entity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.model.reflection import Operation, OperationKind

ENTITIES = "memory/graph/entities"


@dataclass(frozen=True, slots=True)
class Told:
    """One episode.

    Attributes:
        day: The day of the month.
        clock: The time of day, such as `09:30`.
        text: What it says.
        origin: Whose words it is.
        facts: What lasts of it, as `(TYPE--SLUG, words)`.
    """

    day: int
    clock: str
    text: str
    origin: str = "owner"
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Diary:
    """Some weeks, what was known before them, and what follows from them.

    Attributes:
        month: Its first day.
        owner: The name of the human.
        told: The episodes, oldest first.
        pages: The pages of entities by name.
        procedures: Ways of doing things, as `(slug, text)`.
        fading: What fades, as `(id, title, score)`.
        core: `MEMORY.md`.
        relations: What should be connected, as `(name, relation, name)`.
        conflicts: What cannot both hold, as `(name, words, words)`.
        archived: Ids of what may go.
        patterns: Words of each way of doing something that should be noticed.
        doubts: Words of each doubt that should be asked about.
    """

    month: date
    owner: str
    told: tuple[Told, ...]
    pages: Mapping[str, str]
    procedures: tuple[tuple[str, str], ...] = ()
    fading: tuple[tuple[str, str, float], ...] = ()
    core: str = ""
    relations: frozenset[tuple[str, str, str]] = frozenset()
    conflicts: frozenset[tuple[str, str, str]] = frozenset()
    archived: frozenset[str] = frozenset()
    patterns: frozenset[tuple[str, ...]] = frozenset()
    doubts: frozenset[tuple[str, ...]] = field(default_factory=frozenset)

    @property
    def facts(self) -> frozenset[tuple[str, str]]:
        """All that should be extracted."""
        return frozenset(fact for one in self.told for fact in one.facts)


def noticed(one: Told, month: date) -> Noticed:
    """An episode as a reflection sees it."""
    day = month.replace(day=one.day)
    at = datetime.combine(day, time.fromisoformat(one.clock), UTC)
    path = f"memory/episodes/{day}.md"
    id_ = f"episode:{day}:{one.clock}"
    return Noticed(id_, path, one.text, origin=one.origin, at=at)


def survey_of(diary: Diary) -> Survey:
    """What a reflection over a diary would see."""
    episodes = tuple(noticed(one, diary.month) for one in diary.told)
    at = datetime.combine(diary.month, time(), UTC)
    pages = diary.pages.items()
    return Survey(
        first=False,
        since=at,
        read_until=episodes[-1].at if episodes else None,
        core=diary.core,
        evolution="",
        log=(),
        graph="",
        economy="",
        fading=tuple(
            Noticed(id_, "", "", title, at=at.replace(year=at.year - 1), score=score)
            for id_, title, score in diary.fading
        ),
        entities=tuple(
            Noticed(f"entity:{name}", f"{ENTITIES}/{name}.md", text)
            for name, text in pages
        ),
        episodes=episodes,
        procedures=tuple(
            Noticed(f"procedure:{slug}", f"memory/procedures/{slug}.md", text)
            for slug, text in diary.procedures
        ),
        proposals="",
        read=(),
    )


def knowledge_of(diary: Diary, config: Config | None = None) -> Knowledge:
    """What is known besides."""
    names: dict[str, str] = {}
    for name, text in diary.pages.items():
        entity = parse_entity(text, f"{ENTITIES}/{name}.md").entity
        names |= {n.casefold(): name for n in (entity.label, *entity.aliases)}
    last = diary.told[-1].day if diary.told else 1
    now = datetime.combine(diary.month.replace(day=last), time(23), UTC)
    known = Known(names, diary.owner)
    return Knowledge(known, config or Config(), lambda n: diary.pages.get(n, ""), now)


def page(name: str, *facts: str, header: str = "", more: str = "") -> str:
    """The page of an entity with some facts."""
    kind = name.partition("--")[0]
    lines = "".join(f"- {fact}\n" for fact in facts)
    head = f"# {name}\n\n<!-- Type: {kind}{header} -->\n<!-- Pinned: no -->\n"
    return f"{head}\n## Summary\n\n## Facts\n{lines}{more}"


def diary_of(
    *told: Told, pages: Mapping[str, str] | None = None, owner: str = "Ilse"
) -> Diary:
    """A diary without labels."""
    return Diary(date(2026, 2, 1), owner, told, pages or {})


def found_in(
    *told: Told, pages: Mapping[str, str] | None = None, owner: str = "Ilse"
) -> Found:
    """What the rules find in some episodes."""
    diary = diary_of(*told, pages=pages, owner=owner)
    return reflect_by_rules(survey_of(diary), knowledge_of(diary))


def of_kind(found: Found, kind: OperationKind) -> list[Operation]:
    """The operations of one kind."""
    return [one for one in found.operations if one.kind is kind]
