"""Several callers of one workspace at once."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from reverie import AsyncMemory, Memory, NotFoundError
from reverie.memory.pool import READS, MemoryPool

if TYPE_CHECKING:
    from pathlib import Path


class Lent:
    """Something that a pool lends."""

    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        """End it."""
        self.closed = True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    Memory.init(tmp_path / "agent").close()
    return tmp_path / "agent"


def test_every_reading_verb_is_one_of_memory() -> None:
    assert [verb for verb in READS if not callable(getattr(Memory, verb, None))] == []


async def everything(root: Path) -> list[str]:
    async with AsyncMemory(root, environ={}) as memory:
        texts = [f"The gnu number {n} eats hay." for n in range(6)]
        await asyncio.gather(*map(memory.remember, texts))
        found = await asyncio.gather(*(memory.recall("gnu hay") for _ in range(8)))
        return sorted(hit.text for hit in found[-1].hits)


def test_verbs_are_awaited_side_by_side_and_nothing_is_lost(root: Path) -> None:
    assert asyncio.run(everything(root)) == [
        f"The gnu number {n} eats hay." for n in range(6)
    ]


def test_errors_come_through_and_the_memory_is_lent_again(root: Path) -> None:
    async def ask() -> int:
        async with AsyncMemory(root, readers=1, environ={}) as memory:
            for _ in range(3):
                with pytest.raises(NotFoundError):
                    await memory.show("episode:2020-01-01:09:00")
            return len((await memory.recall("gnu")).hits)

    assert asyncio.run(ask()) == 0


def test_anything_can_be_done_with_one(root: Path) -> None:
    async def talk() -> int:
        async with AsyncMemory(root, environ={}) as memory:
            await memory.run(lambda m: m.window("trip").say("We leave on Friday."))
            return len(await memory.turns("trip"))

    assert asyncio.run(talk()) == 1


def test_there_is_no_verb_that_memory_lacks(root: Path) -> None:
    memory = AsyncMemory(root)

    with pytest.raises(AttributeError):
        _ = memory.dream_up


def test_who_writes_does_not_take_the_place_of_who_reads() -> None:
    pool = MemoryPool(Lent, readers=1)
    waiting = threading.Thread(target=lambda: pool.lend(writes=True).__enter__())

    with pool.lend(writes=True):
        waiting.start()
        with pool.lend() as read:
            assert not read.closed
    waiting.join(timeout=10)

    assert not waiting.is_alive()


def test_a_failure_to_open_leaves_room_for_the_next() -> None:
    tries = iter((False, True))

    def open_one() -> Lent:
        if not next(tries):
            raise OSError("not now")
        return Lent()

    pool = MemoryPool(open_one, readers=1)
    with pytest.raises(OSError, match="not now"), pool.lend():
        pass

    with pool.lend() as lent:
        assert not lent.closed
    pool.close()
    assert lent.closed
