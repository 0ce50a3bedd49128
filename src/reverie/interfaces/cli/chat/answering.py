"""A model's answer, shown as it comes; what came is good, whatever ended it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import ReverieError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from reverie.interfaces.cli.chat.screen import Screen

CUT_OFF = "[cut off]"
"""The end of an answer that was stopped, in the record."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a model's answer.

    Attributes:
        text: The words that came.
        stopped: Whether somebody pressed Ctrl-C.
        problem: What went wrong, where something did.
    """

    text: str
    stopped: bool = False
    problem: ReverieError | None = None

    @property
    def whole(self) -> bool:
        """Whether it came to its end."""
        return not self.stopped and self.problem is None

    @property
    def recorded(self) -> str:
        """What goes into the record; empty if nothing came."""
        words = self.text.strip()
        return words if self.whole or not words else f"{words}\n\n{CUT_OFF}"


def listen(pieces: Generator[str, None, None], screen: Screen) -> Answer:
    """Show an answer piece by piece; Ctrl-C stops it, and what came is kept."""
    heard: list[str] = []
    stopped, problem = False, None
    try:
        with closing(pieces):
            for piece in _from_the_first(pieces, screen):
                heard.append(piece)
                screen.pieces(piece)
    except KeyboardInterrupt:
        stopped = True
    except ReverieError as error:
        problem = error
    text = "".join(heard)
    if text:
        screen.pieces("\n" if text.endswith("\n") else "\n\n")
    return Answer(text, stopped, problem)


def _from_the_first(
    pieces: Generator[str, None, None], screen: Screen
) -> Iterator[str]:
    with screen.waiting("thinking…"):
        first = next(pieces, "")
    yield first
    yield from pieces
