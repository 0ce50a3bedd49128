"""Reverie as the memory of other frameworks, one module each.

Each needs the extra of its name (`pip install 'reverie[langgraph]'`), and nothing here
loads a framework before its module is imported. All of them take an open `Memory`, or
an `AsyncMemory` for who awaits and does several things at once.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

from reverie.errors import UnavailableError
from reverie.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.memory.pool import AsyncMemory

T = TypeVar("T")


class MissingExtraError(UnavailableError, ImportError):
    """A framework that an adapter is for is not installed."""

    says = "the adapter for {} needs a package that is not installed"
    mend = "Install it with its extra: pip install 'reverie[{0}]'"


class Access:
    """An open memory as frameworks use it: from whichever thread, and awaited.

    Args:
        memory: One that is open; who opened it closes it.
    """

    def __init__(self, memory: Memory | AsyncMemory) -> None:
        self._memory, self._lock = memory, RLock()

    @contextmanager
    def lend(self, *, writes: bool = False) -> Iterator[Memory]:
        """A handle that nobody else uses meanwhile."""
        if isinstance(self._memory, Memory):
            with self._lock:
                yield self._memory
        else:
            with self._memory.pool.lend(writes=writes) as memory:
                yield memory

    def call(self, act: Callable[[Memory], T], *, writes: bool = True) -> T:
        """Do something with the memory."""
        with self.lend(writes=writes) as memory:
            return act(memory)

    async def run(self, act: Callable[[Memory], T], *, writes: bool = True) -> T:
        """The same in a thread, awaited."""
        if not isinstance(self._memory, Memory):
            return await self._memory.run(act, writes=writes)
        return await asyncio.to_thread(self.call, act)
