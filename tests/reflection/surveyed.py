"""A real workspace, filled by hand, and the surveys of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from tests.memory.home import Clock, Home

from reverie.config import Config, ReflectionConfig
from reverie.model.items import Confidence, Entity, Episode, EpisodeKind, Fact
from reverie.reflection.scope import Scope
from reverie.reflection.survey import survey
from reverie.reflection.unread import since, unprocessed
from reverie.stores.entities import new_entity
from reverie.stores.episodes import append_episode, noted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from reverie.index.sqlite_index import SqliteIndex
    from reverie.model.reflection import SourceRead, Survey
    from reverie.reflection.cycle import Tracked


class Surveyed:
    """A workspace and a person who types into its files."""

    def __init__(self, root: Path, now: datetime) -> None:
        self.home = Home(root, Clock(now))
        self.now = now
        self._files: dict[str, str] = {}

    @property
    def index(self) -> SqliteIndex:
        """What the workspace knows, as it is now."""
        for path, text in self._files.items():
            self.home.type(path, text)
        self._files.clear()
        session = self.home.memory._session  # noqa: SLF001 - tests look behind the door
        session.look()
        return session.index

    def tell(self, at: datetime, text: str, told: datetime | None = None) -> str:
        """Write an episode into its log; returns its id."""
        path = f"memory/episodes/{at:%Y-%m-%d}.md"
        file = self.home.root / path
        old = self._files.get(path) or (
            file.read_text("utf-8") if file.exists() else ""
        )
        more = noted(at, told) if told else ()
        kind, sure = EpisodeKind.TASK, Confidence.HIGH
        episode = Episode(at, kind, sure, text, ("news",), more=more)
        self._files[path] = append_episode(old, episode)
        number = self._files[path].count(f"\n## {at:%H:%M} |")
        return f"episode:{at:%Y-%m-%d:%H:%M}{f'~{number}' if number > 1 else ''}"

    def know(self, name: str, *facts: str) -> str:
        """Write the page of an entity; returns its id."""
        kind, _, slug = name.partition("--")
        page = Entity(kind, slug, slug.title(), facts=tuple(map(Fact, facts)))
        self.type(f"memory/graph/entities/{name}.md", new_entity(page))
        return f"entity:{name}"

    def type(self, path: str, text: str) -> None:
        """Write any file."""
        self._files[path] = text

    def touch(self, id_: str, **changes: object) -> None:
        """Change what decay knows of a memory."""
        index = self.index
        trace = index.trace(id_)
        assert trace is not None, id_
        with index.changing():
            index.put_traces({id_: replace(trace, **changes)})

    def waiting(self, last: Tracked) -> int:
        """How many episodes wait."""
        return unprocessed(self.index, last, self.now)

    def survey(
        self,
        last: Tracked,
        config: Config | None = None,
        instead: Mapping[str, str] | None = None,
        asked: datetime | None = None,
    ) -> Survey:
        """What a reflection sees, with some files read as something else."""
        index = self.index
        folder = self.home.memory._session.folder  # noqa: SLF001 - as above
        other = instead or {}

        def read(path: str) -> bytes | None:
            if path in other:
                return other[path].encode("utf-8", "replace")
            return folder.read(path)

        scope = Scope(read, since(last, self.now, asked), last.backlog)
        return survey(index, scope, config or Config(), self.now, last, asked=asked)


def tokens(count: int) -> Config:
    """A configuration that lets a reflection read so many."""
    return Config(reflection=ReflectionConfig(input_tokens=count))


def source(seen: Survey, name: str) -> SourceRead:
    """What was read of one source."""
    return next(each for each in seen.read if each.name == name)


def texts(seen: Survey) -> list[str]:
    """What the episodes say."""
    return [each.text for each in seen.episodes]
