"""Choose who thinks for an open workspace: given, configured, or the host agent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.minds import open_mind
from reverie.workspace.questions import QuestionBox
from reverie.workspace.spend_log import Spending

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.mind import Mind, Talker, Use
    from reverie.session.session import House


class Minds:
    """Opens a mind for each operation.

    Args:
        house: The workspace's parts.
        environ: Holds the key of a model server.
        given: Who thinks, instead of whom the configuration names.
    """

    def __init__(
        self, house: House, environ: Mapping[str, str], given: Mind | None = None
    ) -> None:
        self._house = house
        self._environ = environ
        self._given = given

    @property
    def given(self) -> Mind | None:
        """Who thinks, where one was passed in."""
        return self._given

    @property
    def kind(self) -> str:
        """Who thinks: `given` for one that was passed in, else as configured."""
        return "given" if self._given is not None else self._house.config.mind.kind

    def open(
        self, verb: str, arguments: Mapping[str, str], *, tokens: int | None = None
    ) -> Mind | None:
        """Get ready to think for one operation; None where rules are to decide.

        Args:
            verb: The operation that the host agent is asked for.
            arguments: What is needed to run it again.
            tokens: The most it may take, where that is not what is configured.
        """
        if self._given is not None:
            return self._given
        config = self._house.config.mind
        if tokens is not None:
            config = replace(config, operation_tokens=tokens)
        purse = self.purse()
        return open_mind(config, self._environ, purse, self.box(verb, arguments))

    def talker(self) -> Talker | None:
        """A model to talk with; None where none is configured."""
        from reverie.minds import open_talker  # noqa: PLC0415 - for who talks

        config = self._house.config.mind
        return open_talker(config, self._environ, self.purse())

    def note(self, use: Use) -> None:
        """Write down what the host agent's own thinking took."""
        self.purse().note(use)

    def purse(self) -> Spending:
        """What the minds of this workspace spend from."""
        house = self._house
        seconds = house.config.ledger.lock_seconds
        return Spending(
            house.folder, house.clock, lock_seconds=seconds, keyring=house.keyring
        )

    def box(self, verb: str, arguments: Mapping[str, str]) -> QuestionBox:
        """Where the host agent finds the questions of one operation."""
        house = self._house
        seconds = house.config.ledger.lock_seconds
        return QuestionBox(
            house.folder, house.clock, verb, arguments, lock_seconds=seconds
        )
