"""Search in an open workspace: which model is asked, and what gets its vectors when."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.decay import Status, factors
from reverie.embedding import EmbedderUnavailableError
from reverie.embedding import sentences as sentence_model
from reverie.index import IndexDamagedError, IndexUnavailableError
from reverie.model.ids import page_of, whole
from reverie.model.views import Part, Reach, Why
from reverie.recall.answer import BETTER, may_be_found, recall
from reverie.session.unread_files import read_changed_files
from reverie.session.upkeep import start_upkeep_if_left

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

FEW = 16
"""Where so few have no vectors of the finer of two models, they get them at once."""

MOST_WORDS = 250
"""A memory of more words gets them from the background: nobody waits so long."""

SHARE_FOR_LOOKING = 60
"""One part in so many of the time may go into comparing files for unsure answers."""

FIRST = 2
"""Memories of the first batch; each further one has twice as many."""

TOGETHER = 512
"""Memories whose vectors are kept in one transaction."""


_COARSE = "asked without the model of sentences: {}"
_ALONE = "searched by words and graph alone: {}"


class MemorySearch:
    """Answers questions in an open workspace."""

    def __init__(self, session: Session, environ: Mapping[str, str]) -> None:
        self._session = session
        self._environ = environ
        self._config = session.config.embedding
        self._embedder: Embedder | None = None
        self._finer: Embedder | None = None
        self._coarse = False
        self._problem: EmbedderUnavailableError | None = None
        self._trouble: EmbedderUnavailableError | None = None
        self._missing, self._next_look = 0, 0.0

    def recall(self, asked: RecallQuestion) -> Recalled:
        """Answer a question; a damaged index is mended first.

        If nothing fits well, files that just changed are read first, where that is
        quick. Vectors that are missing are made in the background.
        """
        session = self._session
        found = session.answered(lambda: self._recall(asked))
        due = not found.hits or time.monotonic() >= self._next_look
        if not found.sure and asked.in_sight is None and due:
            started = time.monotonic()
            changed = read_changed_files(session)
            ended = time.monotonic()
            self._next_look = ended + SHARE_FOR_LOOKING * (ended - started)
            if changed.read:
                found = session.answered(lambda: self._recall(asked))
            found = replace(found, unread_files=changed.unread)
        if self._missing:
            start_upkeep_if_left(session)
        return replace(found, without_vectors=self._missing)

    def _recall(self, asked: RecallQuestion) -> Recalled:
        """Answer a question; what could not be searched is said."""
        notes: list[str] = []
        self._missing = 0
        embedder = self.asking(asked, notes)
        if self._trouble:
            notes.append(_COARSE.format(self._trouble))
        if self._problem:
            notes.append(_ALONE.format(self._problem))

        def answer(asks: Embedder | None) -> Recalled:
            index = self._session.index
            return recall(asked, index, self._view(embedder), asks, notes)

        try:
            if embedder is not self._finer and (missing := self.embed_new(notes)):
                self._session.work_left = True
                self._missing = max(missing, self._missing)
            return answer(embedder)
        except EmbedderUnavailableError as error:
            if embedder and embedder is self._finer:
                self._finer, self._trouble = None, error
                return self._recall(asked)
            notes.append(_ALONE.format(error))
            return answer(None)

    def embed_new(self, notes: list[str]) -> int:
        """Give vectors to what is new; an index that cannot be written is no harm."""
        return self._while_asked(self.embedder(), PATIENCE, notes)

    def _while_asked(
        self,
        embedder: Embedder | None,
        patience: float,
        notes: list[str],
        longest: float = inf,
    ) -> int:
        try:
            return self._embed(embedder, patience, longest=longest)
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
        config = self._session.config.embedding
        if config != self._config:
            self._config, self._embedder, self._finer = config, None, None
            self._coarse, self._problem, self._trouble = False, None, None
        if self._embedder is None and not self._problem:
            try:
                self._embedder = open_embedder(config, self._environ)
            except EmbedderUnavailableError as error:
                self._problem = error
        return self._embedder

    def finer(self) -> Embedder | None:
        """The model of sentences beside the built-in one, where it is installed."""
        table, config = self.embedder(), self._config
        if not (self._finer or self._coarse or self._trouble) and table:
            if config.sentences and config.model == "built-in":
                try:
                    self._finer = sentence_model.open_sentences(table)
                except EmbedderUnavailableError as error:
                    self._trouble = error
            self._coarse = self._finer is None
        return self._finer

    def asking(
        self, asked: RecallQuestion | None = None, notes: list[str] | None = None
    ) -> Embedder | None:
        """The model that a question is asked with.

        The finer one, if all that may be found has its vectors; the few that have none
        are given theirs first. Else the other, and the background sees to the rest.

        Args:
            asked: The question; any, without one.
            notes: Gets what the reader should know.
        """
        notes, finer = [] if notes is None else notes, self.finer()
        if finer is None:
            return self.embedder()
        done, every = self._session.index.embedded(finer.name)
        if every - done <= FEW:
            brief = asked is not None and asked.reach is Reach.AUTOMATIC
            try:
                patience = BRIEF if brief else PATIENCE
                self._while_asked(finer, patience, notes, MOST_WORDS)
            except EmbedderUnavailableError as error:
                self._finer, self._trouble = None, error
                return self.embedder()
            view = self._view(finer)
            missing = ~view.embedded
            if asked and (allowed := may_be_found(asked, view)) is not None:
                # What was just said in the conversation is in sight, and not sought.
                missing &= allowed
            if not missing.any():
                return finer
            done = every - int(missing.sum())
        self._session.work_left, self._missing = True, every - done
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
        left = [self._embed_all(each, progress) for each in now]
        if used and sentences:
            # Who has no model of sentences leaves the vectors of who has one.
            names = {each.name for each in used}
            self._session.index.drop_vectors(
                lambda name: name in names or name.startswith(sentence_model.MODEL)
            )
        return max(left, default=0)

    def _embed_all(
        self, embedder: Embedder, progress: Callable[[int, int], None]
    ) -> int:
        """Give vectors of a model to all memories that have none, in batches.

        Each batch is stored before the next one is read, so that a run that is killed
        keeps its work, and only one batch is held in memory. Return how many are left.
        """
        index = self._session.index
        done, every = index.embedded(embedder.name)
        total, made, last, size = every - done, 0, 0, FIRST
        while batch := index.without_vectors(embedder.name, last, size):
            index.embed(embedder, batch)
            made, last, size = made + len(batch), batch[-1], min(2 * size, TOGETHER)
            progress(made, max(total, made))
        done, every = index.embedded(embedder.name)
        return every - done

    def _embed(
        self, embedder: Embedder | None, patience: float, *, longest: float = inf
    ) -> int:
        """Give vectors of a model to memories that have none; return how many are left.

        Args:
            embedder: The model; without one nothing is done.
            patience: Seconds after which to stop.
            longest: How many words a memory may have that is not left out.
        """
        if embedder is None:
            return 0
        view = self._view(embedder)
        waiting = view.number[~view.embedded & (view.length() <= longest)].tolist()
        until, done, size = time.monotonic() + patience, 0, FIRST
        while done < len(waiting) and time.monotonic() < until:
            batch = waiting[done : done + size]
            self._session.index.embed(embedder, batch)
            done, size = done + len(batch), min(2 * size, TOGETHER)
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
        return local.built_in()
    return local.open_local(config, environ)
