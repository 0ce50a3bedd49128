"""Context reflections of one window: written by a model, or offered to the agent."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from reverie.conversation.summing_up import (
    UnfitSummaryError,
    check_summary,
    clean_summary,
    context_text,
    summary_question,
)
from reverie.encoding.gate.passing import pass_text
from reverie.encoding.gate.secrets import without_secrets
from reverie.encoding.text import storable
from reverie.errors import ConflictError, RefusedError
from reverie.memory.windows import Record
from reverie.minds.thinking import ask
from reverie.model.conversation import REFLECTION, Cause, Offer, SummedUp, Utterance
from reverie.model.items import Role
from reverie.model.moments import in_utc
from reverie.model.remembered import Secrets
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.minds.mind import Mind
    from reverie.model.items import Turn

LONGEST_QUESTION = 2_000
"""Characters of a question of one's own."""

READS = 12_000
"""Tokens of the context that are summarised."""

ROOM = 2_000
"""Tokens of a question besides the context and the answer."""


class UnfitNoteError(RefusedError):
    """What was handed in is not a summary that can be kept."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"this summary is not taken: {problem}",
            hint="Sum up what was said, in words of your own and within "
            "`conversation.most_tokens`.",
        )


class NothingToSumUpError(RefusedError):
    """A window in which nobody has said anything."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"nothing was said in {name} yet", hint="Summarise it when something was."
        )


class AlreadyReflectingError(ConflictError):
    """Somebody else is summarising the same window."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"a summary of {name} is being written this moment",
            hint="Wait for it: `reverie window` tells when it is done.",
        )


class AlreadyReflectedError(ConflictError):
    """Somebody else wrote the summary that was due."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"no summary of {name} is due any more",
            hint="Another process has written it, or the user is speaking again.",
        )


class Summarised(Record):
    """A conversation that can be summarised."""

    def reflect(
        self, question: str = "", *, cause: Cause = Cause.ASKED
    ) -> SummedUp | Offer:
        """Summarise what is in sight, as one more turn pair.

        Args:
            question: What to answer instead of the configured prompt, such as
                "Summarise our decisions about the schema."
            cause: What started it.

        Returns:
            The pair that a model wrote; or, where no model is to be asked, the prompt
            for the agent itself to answer and hand in with `note`.
        """
        return self.reflect_on(self.turns(IN_CONTEXT), question, cause)

    def reflect_on(
        self, turns: Sequence[Turn], question: str, cause: Cause
    ) -> SummedUp | Offer:
        """The same about some turns."""
        if not turns:
            raise NothingToSumUpError(self.name)
        talk = self._talk
        prompt = self._prompt(question, cause)
        most = talk.house.config.conversation.most_tokens
        if talk.minds.kind not in {"api", "given"}:
            about = context_text(turns, "", "", most) if cause is Cause.PRUNING else ""
            return Offer(self.name, cause, prompt, most, about)
        lasts = timedelta(seconds=3 * talk.house.config.mind.timeout_seconds)
        if not talk.sittings.claim(self.name, talk.house.clock(), lasts):
            raise AlreadyReflectingError(self.name)
        try:
            if cause is Cause.IDLE and not self.due():
                raise AlreadyReflectedError(self.name)
            return self._keep(prompt, self._think(turns, prompt, most), cause)
        finally:
            talk.sittings.release(self.name)

    def note(
        self, summary: str, question: str = "", *, cause: Cause = Cause.ASKED
    ) -> SummedUp:
        """Take a context reflection that the agent wrote itself.

        Args:
            summary: Its answer to the prompt.
            question: The prompt, where it was not the configured one.
            cause: What started it.
        """
        most = self._talk.house.config.conversation.most_tokens
        try:
            clean = clean_summary(pass_text(summary, Secrets.REDACT).text, most)
        except UnfitSummaryError as error:
            raise UnfitNoteError(error.problem) from error
        if not self.state.last:
            raise NothingToSumUpError(self.name)
        if self.due() and not question:
            cause = Cause.IDLE
        return self._keep(self._prompt(question, cause), clean, cause)

    def _prompt(self, question: str, cause: Cause) -> str:
        if question.strip():
            return storable(without_secrets(question), LONGEST_QUESTION)
        config = self._talk.house.config.conversation
        return config.pruning_prompt if cause is Cause.PRUNING else config.prompt

    def _think(self, turns: Sequence[Turn], prompt: str, most: int) -> str:
        talk = self._talk
        mind = self._mind(most)
        core = (talk.house.ledger.read(layout.CORE) or b"").decode("utf-8", "replace")
        brought = self._brought()
        context = context_text(turns, without_secrets(core), brought, READS)
        question = summary_question(prompt, context, most)
        return ask(mind, question, lambda value: check_summary(value, most))

    def _mind(self, most: int) -> Mind:
        tokens = 2 * (READS + most + ROOM)
        found = self._talk.minds.open("context-reflection", {}, tokens=tokens)
        assert found is not None  # noqa: S101 - only asked where a model thinks
        return found

    def _brought(self) -> str:
        """What was brought back in this session, which is in sight as well."""
        house = self._talk.house
        sitting = self._talk.sittings.load(self.name)
        ids = sitting.brought[-MOST_BROUGHT:] if sitting else ()
        found = (house.index.find(id_) for id_ in ids)
        return "\n".join(f"- {item.text}" for item in found if item is not None)

    def _keep(self, prompt: str, summary: str, cause: Cause) -> SummedUp:
        """Append both halves at once; others see them as soon as they are written."""
        talk = self._talk
        now = in_utc(talk.house.clock()).replace(microsecond=0)
        more = ((REFLECTION, str(cause)),)
        clean = pass_text(summary, Secrets.REDACT).text
        asked, given = self._append(
            [
                Utterance(Role.SYSTEM, prompt, now, "", more),
                Utterance(Role.ASSISTANT, clean, now, "", more),
            ]
        )
        talk.house.write_down(wait=False)
        sitting = talk.sittings.load(self.name)
        if sitting is not None and sitting.owed:
            talk.sittings.save(self.name, replace(sitting, owed=False))
        return SummedUp(asked, given)


IN_CONTEXT = 200
"""So many of the newest turns are looked at."""

MOST_BROUGHT = 30
"""So much of what was brought back is summarised, too."""
