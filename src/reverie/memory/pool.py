"""Some open memories of one workspace, for programs that do several things at once.

A `Memory` is used by one caller at a time. A pool opens a few of them, as they are
needed, and lends each to one caller; who writes waits for who writes, and never takes
the place of who reads. `AsyncMemory` is every verb of `Memory` on top of that, awaited.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from operator import methodcaller
from queue import LifoQueue
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from reverie.memory.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from os import PathLike

T = TypeVar("T")
M = TypeVar("M", bound="Closable")

READERS = 3
"""So many callers read at once; more of them would only wait for the interpreter."""

READS = frozenset(
    {
        *("recall", "context", "why", "show", "items", "graph", "overview", "history"),
        *("core_use", "replaced"),
        *(
            "diff",
            "blame",
            "read_file",
            "check",
            "health",
            "spent",
            "spending",
            "find_to_forget",
            "name_to_forget",
        ),
        *("find_merge", "find_to_erase", "purgeable", "pairs", "called", "alerts"),
        *("unconfirmed", "expectations", "attend", "wake", "windows", "turns"),
        *("instructions", "instructed", "pending", "waiting", "contradictions"),
        *("proposal", "find_undo", "find_restore"),
    }
)
"""The verbs that change nothing; every other one is a writer's."""


def one_thread_each() -> None:
    """Have arithmetic use one thread; to be called before anything is computed.

    Several callers at once are threads already: more of them wait for each other, and
    take more than twice the processor's time.
    """
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")


class Closable(Protocol):
    """What a pool lends."""

    def close(self) -> None:
        """End it."""


class MemoryPool(Generic[M]):
    """Memories that are lent, each to one caller at a time.

    Args:
        open_one: Opens one more.
        readers: How many read at once, at most.
    """

    def __init__(self, open_one: Callable[[], M], readers: int = READERS) -> None:
        self._open, self._readers = open_one, readers
        self._reading: LifoQueue[M | None] = LifoQueue()
        self._writing: LifoQueue[M | None] = LifoQueue()
        for _ in range(readers):
            self._reading.put(None)
        self._writing.put(None)

    @contextmanager
    def lend(self, *, writes: bool = False) -> Iterator[M]:
        """One that nobody else has; waits for one to come back."""
        free = self._writing if writes else self._reading
        one = free.get()
        try:
            one = one or self._open()
            yield one
        finally:
            free.put(one)

    def close(self) -> None:
        """Close each that was opened, when it has come back."""
        for free, count in ((self._writing, 1), (self._reading, self._readers)):
            for _ in range(count):
                one = free.get()
                if one is not None:
                    one.close()


class AsyncMemory:
    """Every verb of `Memory`, awaited: it runs in a thread, and the loop goes on.

        async with AsyncMemory("~/agent") as memory:
            await memory.remember("Nora lives in Lisbon.")
            found = await memory.recall("Where does Nora live?")
            await memory.run(lambda m: m.window("trip").say("We leave on Friday."))

    Args:
        path: The workspace's folder.
        readers: How many read at once, at most.
        how: What else `Memory` takes.

    Attributes:
        pool: Lends them to who is in a thread of their own.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        readers: int = READERS,
        **how: Any,  # noqa: ANN401 - as `Memory` has it
    ) -> None:
        self.pool = MemoryPool(partial(Memory, path, **how), readers)
        self._threads = ThreadPoolExecutor(readers + 1, "reverie")

    async def run(self, act: Callable[[Memory], T], *, writes: bool = True) -> T:
        """Do something with an open memory."""

        def lent() -> T:
            with self.pool.lend(writes=writes) as memory:
                return act(memory)

        return await asyncio.get_running_loop().run_in_executor(self._threads, lent)

    def __getattr__(self, verb: str) -> Callable[..., Awaitable[Any]]:
        """A verb of `Memory`."""
        if verb.startswith("_") or not callable(getattr(Memory, verb, None)):
            raise AttributeError(verb)

        async def awaited(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - the verb's
            call = methodcaller(verb, *args, **kwargs)
            return await self.run(call, writes=verb not in READS)

        return awaited

    async def close(self) -> None:
        """Close everything, when it is done."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self.pool.close)
        self._threads.shutdown()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
