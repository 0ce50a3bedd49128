"""Kill who talks at calls that change the disk: no turn is torn, none is lost.

Shortened: at a third of the calls that are struck in full, `make test-full`.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import Points, instrumented, run_killed
from tests.crash.scenes import disagreements, opened, prepared
from tests.memory.home import copy_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reverie.conversation.window import Window

FIRST = ("Where do we stay?", "In Trastevere.")
SECOND = "For how long?"
TOLD = "told"
"""A file beside the workspace, made once the caller was told that it is done."""


def _talked(root: Path) -> None:
    """A workspace in which something was said, and nobody closed it."""
    prepared(root)
    memory = opened(root)
    memory.window("rome").exchange(*FIRST)


def _written(root: Path) -> None:
    _talked(root)
    opened(root).close()


@dataclass(frozen=True)
class Talk:
    """Something done in a window, and what may be found there afterwards.

    Attributes:
        act: What is done.
        done: The turns once it is done.
        before: What is there to begin with.
        every: One in so many calls is struck.
    """

    act: Callable[[Window], object]
    done: tuple[str, ...]
    before: Callable[[Path], None] = _talked
    every: int = 1


TALKS = {
    "say a turn": Talk(lambda window: window.say(SECOND), (*FIRST, SECOND)),
    "write down what was said": Talk(
        lambda window: window._talk.session.write_down(),  # noqa: SLF001 - only this
        FIRST,
        every=4,
    ),
    "delete a turn": Talk(lambda window: window.delete(1), (), _written, every=8),
}


@pytest.mark.parametrize("name", TALKS)
def test_a_kill_tears_no_turn_and_loses_none_that_was_acknowledged(
    name: str,
    quick_path: Path,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    talk, origin, root = TALKS[name], quick_path / "origin", quick_path / "struck"
    talk.before(origin)
    copy_workspace(origin, root)
    points = Points()
    with instrumented(points):
        _act(talk, root)
    shutil.rmtree(root)
    every = talk.every if full else 3 * talk.every
    strikes = [(at, "before") for at in range(1, points.count + 1, every)]
    for at, when in [*strikes, (points.count, "after")]:
        (quick_path / TOLD).unlink(missing_ok=True)
        copy_workspace(origin, root)

        run_killed(partial(_act, talk, root), at, when)

        where = f"{name}: {when} {points.names[at - 1]} (call {at})"
        allowed = [talk.done] if (quick_path / TOLD).exists() else [FIRST, talk.done]
        for _ in range(2):
            with opened(root) as memory:
                turns = memory.turns("rome")
                assert tuple(turn.text for turn in turns) in allowed, where
                assert memory.window("rome").turns() == turns, where
        assert disagreements(root) == [], where
        shutil.rmtree(root)
    record_property("crash points", len(strikes) + 1)


def _act(talk: Talk, root: Path) -> None:
    """Do it, and say so; nobody closes the workspace."""
    talk.act(opened(root).window("rome"))
    with (root.parent / TOLD).open("w", encoding="utf-8"):
        pass
