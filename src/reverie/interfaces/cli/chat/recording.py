"""The record of a chat: where nothing can be written, the talk goes on without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.gate.passing import OnlyRecalledError
from reverie.errors import UnavailableError
from reverie.model.items import Role, Turn

if TYPE_CHECKING:
    from reverie.conversation.waking import Window
    from reverie.interfaces.cli.chat.screen import Screen

FORGETTING = "[asked to forget something]"
"""Recorded for a wish to forget that was granted: its words would bring it back."""

UNRECORDED = "This conversation goes on, but it is not recorded."


class OnlyEchoError(UnavailableError):
    """A model's answer had nothing but what memory had told it."""

    def __init__(self) -> None:
        super().__init__(
            "the model only repeated what memory had told it, so it gave no answer",
            hint="Ask again, or in other words.",
        )


class Recorder:
    """Records what is said in one window.

    Attributes:
        failed: Whether something could not be recorded; it was told, once.
    """

    def __init__(self, window: Window, screen: Screen, person: str) -> None:
        self.failed = False
        self._window = window
        self._screen = screen
        self._person = person

    def question(self, text: str) -> Turn:
        """Record what the human says."""
        return self._say(text, Role.USER, 0, self._person)

    def answer(self, text: str, question: Turn) -> Turn:
        """Record what the model answers.

        Raises:
            OnlyEchoError: It has nothing of its own.
        """
        try:
            return self._say(text, Role.ASSISTANT, question.number, "")
        except OnlyRecalledError as error:
            raise OnlyEchoError from error

    def _say(self, text: str, role: Role, answers: int, speaker: str) -> Turn:
        person = self._person
        try:
            return self._window.say(
                text, role=role, answers=answers, speaker=speaker, person=person
            )
        except UnavailableError as error:
            if not self.failed:
                self.failed = True
                self._screen.problem(error)
                self._screen.remark(UNRECORDED)
            return Turn(self._window.name, answers, role, text, speaker=speaker)
