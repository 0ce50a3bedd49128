"""A system in a process of its own, so that its memory is its own too.

The process is sent documents and questions and never sees a gold id. It starts
small: what a system imports counts as memory it needs.
"""

from __future__ import annotations

import importlib
import multiprocessing
import resource
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Self

from benchmarks.suite.timing import Spent, Timed, spent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from benchmarks.suite.blind import Entry, Query, Retriever

STATUS = Path("/proc/self/status")
PEAK = "VmHWM:"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the process sends back for a task, or why it cannot."""

    answers: list[list[str]]
    spent: Spent
    failure: str = ""


class SystemFailedError(Exception):
    """A system raised an error, or its process died."""

    def __init__(self, system: str, why: str) -> None:
        super().__init__(f"{system} failed: {why}")


class Worker:
    """Starts the system's process, asks it, and keeps the account."""

    def __init__(self, system: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.system = system
        self.spent: list[Spent] = []
        self.peak_mb = 0.0
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(system, theirs))
        self._process.start()
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self._process.join()

    def retrieve(
        self, corpus: list[Entry], queries: list[Query], k: int
    ) -> list[list[str]]:
        """The system's answers; how long they took is added to the account."""
        try:
            self._ours.send((corpus, queries, k))
            reply, self.peak_mb = receive(self._ours)
        except (EOFError, OSError):
            self._process.join()
            why = f"its process ended with code {self._process.exitcode}"
            raise SystemFailedError(self.system, why) from None
        if reply.failure:
            raise SystemFailedError(self.system, reply.failure)
        self.spent.append(reply.spent)
        return reply.answers


def receive(ours: Connection) -> tuple[Reply, float]:
    """What the process sent, and the memory it has needed so far."""
    reply, peak = ours.recv()
    return reply, peak


# --- in the process --------------------------------------------------------------


def serve(system: str, theirs: Connection) -> None:
    """Answer tasks until nobody asks any more."""
    small = peak_mb()
    retrieve: Retriever | None = None
    while True:
        try:
            corpus, queries, k = theirs.recv()
        except EOFError:
            return
        try:
            retrieve = retrieve or named(system)
            reply = answer(retrieve, corpus, queries, k)
        except Exception:  # noqa: BLE001 - whatever it is, the other side reports it
            reply = Reply([], Spent(0, ()), traceback.format_exc())
        theirs.send((reply, peak_mb() - small))


def named(system: str) -> Retriever:
    """The function that `module:function` names."""
    module, _, function = system.partition(":")
    found: Retriever = getattr(importlib.import_module(module), function)
    return found


def answer(
    retrieve: Retriever, corpus: list[Entry], queries: list[Query], k: int
) -> Reply:
    """Call the system with the clock running."""
    timed = Timed(queries)
    started = perf_counter()
    answers = [list(ranked) for ranked in retrieve(corpus, timed, k)]
    ended = perf_counter()
    return Reply(answers, spent(timed.taken, started, ended, len(queries)))


def peak_mb() -> float:
    """The most memory this process ever held.

    Not from `getrusage` where it can be helped: Linux counts there what the
    parent held when it started us.
    """
    if STATUS.exists():
        lines = STATUS.read_text(encoding="ascii").splitlines()
        return (
            next(int(line.split()[1]) for line in lines if line.startswith(PEAK)) / 1024
        )
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
