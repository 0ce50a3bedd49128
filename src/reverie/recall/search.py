"""Search the memories: make the index current, embed what is new, then answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from reverie.decay import Status, factors
from reverie.embedding import EmbedderUnavailableError, open_embedder
from reverie.index import IndexDamagedError, IndexUnavailableError
from reverie.index.sqlite_index import whole
from reverie.model.recall import Part, Why

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from reverie.embedding import Embedder
    from reverie.index.sqlite_index import SqliteIndex
    from reverie.index.view import View
    from reverie.model.change import LogEntry
    from reverie.model.recall import Recalled
    from reverie.model.views import Shown
    from reverie.recall.question import RecallQuestion
    from reverie.session.session import House

PATIENCE = 1.0
"""Seconds that a question may wait for vectors of what is new."""

FIRST = 8
"""Memories of the first batch; each further one has twice as many."""

TOGETHER = 512
"""Memories whose vectors are kept in one transaction."""


_ALONE = "searched by words and graph alone: {}"
_MISSING = (
    "{:,} memories have no vector yet and are found by their words alone; they are "
    "made in the background"
)


class MemorySearch:
    """Answers questions in an open workspace."""

    def __init__(self, house: House, environ: Mapping[str, str]) -> None:
        self._house = house
        self._environ = environ
        self._embedder: Embedder | None = None
        self._problem: EmbedderUnavailableError | None = None

    def recall(self, asked: RecallQuestion) -> Recalled:
        """Answer a question; a damaged index is mended first."""
        return self._house.answered(lambda: self._recall(asked))

    def _recall(self, asked: RecallQuestion) -> Recalled:
        """Answer a question; what could not be searched is said."""
        from reverie.recall.answer import recall  # noqa: PLC0415 - numpy for who asks

        embedder = self.embedder()
        notes = [_ALONE.format(self._problem)] if self._problem else []
        embed = (lambda text: embedder.embed([text])[0]) if embedder else None
        try:
            missing = self.embed_new(notes)
            if missing:
                self._house.work_left = True
                notes.append(_MISSING.format(missing))
            return recall(asked, self._house.index, self._view(embedder), embed, notes)
        except EmbedderUnavailableError as error:
            notes.append(_ALONE.format(error))
            return recall(asked, self._house.index, self._view(embedder), None, notes)

    def embed_new(self, notes: list[str]) -> int:
        """Give vectors to what is new; an index that cannot be written is no harm."""
        try:
            return self.embed(PATIENCE)
        except IndexDamagedError:
            raise
        except IndexUnavailableError as error:
            notes.append(f"vectors of what is new could not be kept: {error}")
            return 0

    def why(
        self,
        shown: Shown,
        change: LogEntry | None,
        found: Recalled | None,
        now: datetime,
    ) -> Why:
        """Why a memory is there, and how it fares with a question."""
        trace = self._house.index.trace(shown.id)
        made_of = factors(trace, now, self._house.config.decay) if trace else {}
        parts = tuple(Part(k, round(v, 4), factor=True) for k, v in made_of.items())
        if found is None:
            return Why(shown, change, parts)
        own, settings = whole(shown.id), self._house.config.recall
        for rank, hit in enumerate(found.hits, 1):
            if own in {whole(hit.id), *hit.same}:
                hidden = ""
                if hit.status == Status.ARCHIVED:
                    hidden = "it is archived: a search shows it only with --archived"
                elif hit.score < settings.min_score:
                    hidden = f"its score is below the least one, {settings.min_score:g}"
                elif rank > settings.max_results:
                    hidden = f"only the first {settings.max_results} are shown"
                return Why(shown, change, parts, hit, rank, hidden)
        return Why(shown, change, parts, None, 0, "nothing in it matches the question")

    def embedder(self) -> Embedder | None:
        """The configured model; None, and a problem to tell, if it cannot be had."""
        if self._embedder is None and not self._problem:
            config = self._house.config.embedding
            try:
                self._embedder = open_embedder(config, self._environ)
            except EmbedderUnavailableError as error:
                self._problem = error
        return self._embedder

    def _view(self, embedder: Embedder | None) -> View:
        return self._house.index.view(embedder.name if embedder else "")

    def embed(
        self,
        patience: float | None = None,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> int:
        """Give vectors to memories that have none; returns how many are left.

        Args:
            patience: Seconds after which to stop; None to finish.
            progress: Told how many are done, and how many there are to do.
        """
        embedder = self.embedder()
        if embedder is None:
            if self._problem and patience is None:
                raise self._problem
            return 0
        view = self._view(embedder)
        waiting = [int(n) for n in view.number[~view.embedded]]
        until = None if patience is None else time.monotonic() + patience
        done, size = 0, FIRST
        while done < len(waiting) and (until is None or time.monotonic() < until):
            batch = waiting[done : done + size]
            give_vectors(self._house.index, embedder, batch)
            done, size = done + len(batch), min(2 * size, TOGETHER)
            progress(done, len(waiting))
        return len(waiting) - done


def give_vectors(
    index: SqliteIndex, embedder: Embedder, numbers: Sequence[int]
) -> None:
    """Give vectors to some memories of an index, by their numbers."""
    from reverie.index.vectors import in_company  # noqa: PLC0415 - numpy for who asks

    found = index.lookup.to_embed(numbers)
    questions = {number: words.question for number, words in found.items()}
    asked = sorted({*questions.values()} - {0} - found.keys())
    known = index.lookup.vectors(embedder.name, asked)
    missing = index.lookup.to_embed(n for n in asked if n not in known)
    texts = {number: words.texts for number, words in found.items()}
    texts |= {number: words.texts[:1] for number, words in missing.items()}
    rows = embedder.embed([text for several in texts.values() for text in several])
    sizes = {number: len(several) for number, several in texts.items()}
    vectors = in_company(rows, sizes, questions, known)
    made = {number: vectors[number] for number in found}
    with index.changing():
        index.put_vectors(embedder.name, made, questions)
