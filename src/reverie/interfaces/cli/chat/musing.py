"""Summaries that a model writes while nobody types, shown above the prompt."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from reverie.errors import ReverieError
from reverie.interfaces.cli.chat.telling import REFLECTING
from reverie.interfaces.cli.page import Span, Style, row
from reverie.interfaces.cli.window import told_turn
from reverie.memory.watching import watch
from reverie.model.conversation import REFLECTION
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.interfaces.cli.chat.screen import Screen
    from reverie.memory import Memory
    from reverie.model.items import Turn

_NEWEST = 8
"""Among so many of the newest turns a summary that was just written is."""


@contextlib.contextmanager
def musing(memory: Memory, window: str, screen: Screen) -> Iterator[None]:
    """Let the configured model sum up a conversation whenever it pauses.

    Without a model nothing is watched: rules write no summaries.
    """
    if memory.config.mind.kind != "api":
        yield
        return
    muse = _Muse(memory, window, screen)
    with watch(memory, told=muse.told):
        yield


class _Muse:
    """Tells of one conversation's summaries, from the timer's thread."""

    def __init__(self, memory: Memory, window: str, screen: Screen) -> None:
        self._memory = memory
        self._window = window
        self._screen = screen
        self._begun = False
        self._last = memory.window(window).state.last

    def told(self, window: str) -> None:
        """A summary begins, or it has ended somehow."""
        if window != self._window:
            return
        self._begun = not self._begun
        if not self._begun:
            self._show_newest()
        else:
            words = row(Span(REFLECTING, Style.MUSED))
            tell = partial(self._screen.say, [words])
            self._screen.keyboard.interject(tell, later=False)

    def _show_newest(self) -> None:
        # Another thread than the chat's, so another handle.
        with contextlib.suppress(ReverieError), self._memory.again() as other:
            turns = other.window(self._window).turns(_NEWEST)
            distinct = other.config.conversation.distinct
            for turn in turns:
                if _is_summary(turn) and turn.number > self._last:
                    self._last = turn.number
                    self._show(turn, distinct=distinct)

    def _show(self, turn: Turn, *, distinct: bool) -> None:
        def tell() -> None:
            self._screen.say(told_turn(turn, distinct=distinct))
            self._screen.emit("summary", text=turn.text, number=turn.number)

        self._screen.keyboard.interject(tell)


def _is_summary(turn: Turn) -> bool:
    return turn.role is Role.ASSISTANT and bool(turn.field(REFLECTION))
