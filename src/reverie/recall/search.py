"""Search in an open workspace: which model is asked, and what gets its vectors when."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.decay import Status, factors
from reverie.embedding import EmbedderUnavailableError
from reverie.index import IndexDamagedError, IndexUnavailableError
from reverie.model.ids import page_of, whole
from reverie.model.views import Part, Reach, Why
from reverie.recall.answer import BETTER, recall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from reverie.config import EmbeddingConfig
    from reverie.embedding import Embedder
    from reverie.index.view import View
    from reverie.model.change import LogEntry
    from reverie.model.views import Hit, Recalled, Shown
    from reverie.recall.question import RecallQuestion
    from reverie.session.session import Session

PATIENCE = 1.0
"""Seconds that a question may wait for vectors of what is new."""

BRIEF = 0.05
"""Seconds that a message may: what is new stands in the conversation itself."""

MOST = 0.9
"""The finer of two models is asked once so many memories have its vectors,"""

FEW = 16
"""or so few have none that they are given theirs at once."""

FIRST = 2
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

    def __init__(self, session: Session, environ: Mapping[str, str]) -> None:
        self._session = session
        self._environ = environ
        self._embedder: Embedder | None = None
        self._finer: Embedder | None = None
        self._coarse = False
        self._problem: EmbedderUnavailableError | None = None

    def recall(self, asked: RecallQuestion) -> Recalled:
        """Answer a question; a damaged index is mended first."""
        return self._session.answered(lambda: self._recall(asked))

    def _recall(self, asked: RecallQuestion) -> Recalled:
        """Answer a question; what could not be searched is said."""
        embedder = self.asking()
        notes = [_ALONE.format(self._problem)] if self._problem else []
        # What waits for the finer model is found by the other one meanwhile.
        self._session.work_left |= embedder is not self._finer is not None
        automatic = asked.reach is Reach.AUTOMATIC

        def answer(asks: Embedder | None) -> Recalled:
            index = self._session.index
            return recall(asked, index, self._view(embedder), asks, notes)

        try:
            if missing := self.embed_new(notes, BRIEF if automatic else PATIENCE):
                self._session.work_left |= missing > FEW
                notes.append(_MISSING.format(missing))
            return answer(embedder)
        except EmbedderUnavailableError as error:
            notes.append(_ALONE.format(error))
            return answer(None)

    def embed_new(self, notes: list[str], patience: float = PATIENCE) -> int:
        """Give vectors to what is new; an index that cannot be written is no harm."""
        try:
            return self._embed(self.asking(), patience)
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
        # A fact is as vivid as its page.
        own = {whole(shown.id), page_of(shown.id)}
        trace = self._session.index.trace(shown.id)
        made_of = factors(trace, now, self._session.config.decay) if trace else {}
        parts = tuple(Part(k, round(v, 4), factor=True) for k, v in made_of.items())
        if found is None:
            return Why(shown, change, parts)
        settings = self._session.config.recall
        least = settings.min_score

        def fit(hit: Hit) -> float:
            # Fading is the last of its parts.
            return hit.score / (hit.parts[-1].value or 1)

        vivid = [fit(hit) for hit in found.hits if hit.status != Status.ARCHIVED]
        # The best is shown though it faded.
        for rank, hit in enumerate(found.hits, 1):
            if own & {whole(hit.id), page_of(hit.id), *hit.same}:
                hidden = ""
                if trace and trace.archived:
                    hidden = "it was forgotten: a search shows it only with --archived"
                elif hit.status == Status.ARCHIVED and fit(hit) * BETTER <= max(
                    vivid, default=0
                ):
                    hidden = "it has faded: a search shows it if nothing fits better"
                elif hit.score < (least * hit.parts[-1].value if rank == 1 else least):
                    hidden = f"its score is below the least one, {least:g}"
                elif rank > settings.max_results:
                    hidden = f"only the first {settings.max_results} are shown"
                return Why(shown, change, parts, hit, rank, hidden)
        return Why(shown, change, parts, None, 0, "nothing in it matches the question")

    def embedder(self) -> Embedder | None:
        """The configured model; None, and a problem to tell, if it cannot be had."""
        if self._embedder is None and not self._problem:
            config = self._session.config.embedding
            try:
                self._embedder = open_embedder(config, self._environ)
            except EmbedderUnavailableError as error:
                self._problem = error
        return self._embedder

    def finer(self) -> Embedder | None:
        """The model of sentences beside the built-in one, where it is installed."""
        config, table = self._session.config.embedding, self.embedder()
        if self._finer is None and table and config.sentences and not self._coarse:
            if config.model == "built-in":
                from reverie.embedding import sentences  # noqa: PLC0415 - loads a model

                # Without it questions are asked as if it were not installed.
                with suppress(EmbedderUnavailableError):
                    self._finer = sentences.open_sentences(table)
            self._coarse = self._finer is None
        return self._finer

    def asking(self) -> Embedder | None:
        """The model that questions are asked with: the finer one once it is ready."""
        if finer := self.finer():
            done, every = self._session.index.embedded(finer.name)
            if every - done <= max(FEW, (1 - MOST) * every):
                return finer
        return self.embedder()

    def _view(self, embedder: Embedder | None) -> View:
        return self._session.index.view(embedder.name if embedder else "")

    def embed(
        self,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
        *,
        sentences: bool = True,
    ) -> int:
        """Give all their vectors to memories that have none; returns how many are left.

        Args:
            progress: Told how many are done, and how many there are to do.
            sentences: Whether also those of the finer model, which take long; else
                they are left to the background.
        """
        embedder = self.embedder()
        if self._problem:
            raise self._problem
        used = [each for each in (embedder, self.finer()) if each]
        now = used if sentences else used[:1]
        self._session.work_left |= now != used
        left = [self._embed(each, None, progress) for each in now]
        if used:
            self._session.index.drop_vectors({each.name for each in used})
        return max(left, default=0)

    def _embed(
        self,
        embedder: Embedder | None,
        patience: float | None,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> int:
        """Give vectors of a model to memories that have none.

        Args:
            embedder: The model; without one nothing is done.
            patience: Seconds after which to stop; None to finish.
            progress: Told how many are done, and how many there are to do.
        """
        if embedder is None:
            return 0
        view = self._view(embedder)
        waiting = [int(n) for n in view.number[~view.embedded]]
        until = None if patience is None else time.monotonic() + patience
        done, size = 0, FIRST
        while done < len(waiting) and (until is None or time.monotonic() < until):
            batch = waiting[done : done + size]
            self._session.index.embed(embedder, batch)
            done, size = done + len(batch), min(2 * size, TOGETHER)
            progress(done, len(waiting))
        return len(waiting) - done


def open_embedder(
    config: EmbeddingConfig, environ: Mapping[str, str]
) -> Embedder | None:
    """Open the configured embedder; None where none is wanted.

    Args:
        config: The section `[embedding]`.
        environ: For `HOME`, and for the key of an endpoint.

    Raises:
        EmbedderUnavailableError: It is wanted, and is missing or damaged.
    """
    if config.model == "none":
        return None
    if config.model == "endpoint":
        from reverie.embedding import endpoint  # noqa: PLC0415 - loads httpx

        return endpoint.EndpointEmbedder(config, environ)
    from reverie.embedding import local  # noqa: PLC0415 - loads a model

    if config.model == "built-in":
        return local.open_static()
    return local.open_local(config, environ)
