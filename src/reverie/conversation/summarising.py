"""Context reflections of one window: written by a model, or offered to the agent."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.conversation.sittings import claim_lasts
from reverie.conversation.summing_up import (
    UnfitSummaryError,
    check_summary,
    clean_summary,
    context_text,
    summary_question,
)
from reverie.conversation.telling import core_text
from reverie.conversation.windows import Record, scope_field
from reverie.decay import Status, standing
from reverie.encoding.gate import pass_text
from reverie.errors import ConflictError, RefusedError
from reverie.index.sqlite_index import whole
from reverie.minds.json_answers import ask
from reverie.model.change import Secrets
from reverie.model.conversation import REFLECTION, Cause, Offer, SummedUp, Utterance
from reverie.model.items import Role, in_utc
from reverie.model.origin import in_one_scope, scope_name
from reverie.secrets import without_secrets
from reverie.stores.text import storable
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.minds.mind import Mind
    from reverie.model.items import Turn

IN_CONTEXT = 200
"""So many of the newest turns are looked at."""

MOST_RESURRECTED = 30
"""So much of what was brought back is summarised, too."""

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


@lru_cache(maxsize=4)
def _as_told(core: bytes) -> str:
    """Core memory without secrets; it is told often, and changes seldom."""
    return without_secrets(core.decode("utf-8-sig", "replace"))


class Summarised(Record):
    """A conversation that can be summarised."""

    def reflect(
        self, question: str = "", *, cause: Cause = Cause.ASKED, person: str = ""
    ) -> SummedUp | Offer:
        """Summarise what is in sight, as one more turn pair.

        What is for one person alone never gets into a summary for others.

        Args:
            question: What to answer instead of the configured prompt, such as
                "Summarise our decisions about the schema."
            cause: What started it.
            person: Who will read it: what is for them alone is summed up, too, and
                the summary is for them alone then. By default it is whom all of the
                turns are for, if that is one.

        Returns:
            The pair that a model wrote; or, where no model is to be asked, the prompt
            for the agent itself to answer and hand in with `note`.
        """
        return self.reflect_on(self.turns(IN_CONTEXT), question, cause, person)

    def reflect_on(
        self, turns: Iterable[Turn], question: str, cause: Cause, person: str = ""
    ) -> SummedUp | Offer:
        """The same about some turns."""
        person = self._talk.viewer.person or person
        seen, whom = in_one_scope(turns, person)
        if not seen:
            none = AlreadyReflectedError if cause is Cause.IDLE else NothingToSumUpError
            raise none(self.name)
        talk = self._talk
        prompt = self._prompt(question, cause)
        most = talk.house.config.conversation.most_tokens
        if talk.minds.kind not in {"api", "given"}:
            about = context_text(seen, "", "", most) if cause is Cause.PRUNING else ""
            return Offer(self.name, cause, prompt, most, about, whom)
        lasts = claim_lasts(talk.house.config.mind)
        if not talk.sittings.claim(self.name, talk.house.clock(), lasts):
            raise AlreadyReflectingError(self.name)
        try:
            if cause is Cause.IDLE and not self.due(person):
                raise AlreadyReflectedError(self.name)
            return self._keep(prompt, self._think(seen, prompt, whom), cause, whom)
        finally:
            talk.sittings.release(self.name)

    def note(
        self,
        summary: str,
        question: str = "",
        *,
        cause: Cause = Cause.ASKED,
        person: str = "",
    ) -> SummedUp:
        """Take a context reflection that the agent wrote itself.

        Args:
            summary: Its answer to the prompt.
            question: The prompt, where it was not the configured one.
            cause: What started it.
            person: Who will read it; see `reflect`.
        """
        most = self._talk.house.config.conversation.most_tokens
        person = self._talk.viewer.person or person
        try:
            clean = clean_summary(pass_text(summary, Secrets.REDACT).text, most)
        except UnfitSummaryError as error:
            raise UnfitNoteError(error.problem) from error
        seen, whom = in_one_scope(self.turns(IN_CONTEXT), person)
        if not seen:
            raise NothingToSumUpError(self.name)
        if self.due(person) and not question:
            cause = Cause.IDLE
        return self._keep(self._prompt(question, cause), clean, cause, whom)

    def _prompt(self, question: str, cause: Cause) -> str:
        if question.strip():
            return storable(without_secrets(question), LONGEST_QUESTION)
        config = self._talk.house.config.conversation
        return config.pruning_prompt if cause is Cause.PRUNING else config.prompt

    def _think(self, turns: Sequence[Turn], prompt: str, person: str) -> str:
        most = self._talk.house.config.conversation.most_tokens
        mind = self._mind(most)
        core = core_text(self._core())
        context = context_text(turns, core, self._brought(person), READS)
        question = summary_question(prompt, context, most)
        return ask(mind, question, lambda value: check_summary(value, most))

    def _core(self) -> str:
        """Core memory as it is told: what a person typed there may be a secret."""
        return _as_told(self._talk.house.confirmed(layout.CORE) or b"")

    def _mind(self, most: int) -> Mind:
        tokens = 2 * (READS + most + ROOM)
        found = self._talk.minds.open("context-reflection", {}, tokens=tokens)
        assert found is not None  # noqa: S101 - only asked where a model thinks
        return found

    def _brought(self, person: str) -> str:
        """What was brought back in this session, which is in sight as well.

        Not what was forgotten since, nor what is for others than the summary.
        """
        house = self._talk.house
        sitting = self._talk.sittings.load(self.name)
        ids = sitting.brought[-MOST_RESURRECTED:] if sitting else ()
        scopes = house.index.scopes() if ids else {}
        wanted = {"", scope_name(person)}
        seen = [id_ for id_ in map(whole, ids) if scopes.get(id_, "") in wanted]
        found = (house.find(id_) for id_ in seen if not self._faded(id_))
        return "\n".join(f"- {item.text}" for item in found if item is not None)

    def _faded(self, id_: str) -> bool:
        """Whether a memory is archived, so that nobody would bring it back now."""
        house = self._talk.house
        trace = house.index.trace(id_)
        if trace is None:
            return False
        return standing(trace, house.clock(), house.config.decay)[1] is Status.ARCHIVED

    def _keep(self, prompt: str, summary: str, cause: Cause, person: str) -> SummedUp:
        """Append both halves at once; others see them as soon as they are written."""
        talk = self._talk
        now = in_utc(talk.house.clock()).replace(microsecond=0)
        more = ((REFLECTION, str(cause)), *scope_field(person))
        clean = pass_text(summary, Secrets.REDACT).text
        asked, given = self._append(
            [
                Utterance(Role.SYSTEM, prompt, now, "", more),
                Utterance(Role.ASSISTANT, clean, now, "", more),
            ]
        )
        talk.house.write_down(wait=False)
        talk.sittings.change(
            self.name, lambda known: known and replace(known, owed=False)
        )
        return SummedUp(asked, given)
