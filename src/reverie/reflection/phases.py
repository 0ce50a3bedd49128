"""Five phases as five questions, in order, to whoever thinks (reflection v2).

Each answer is a part of the state, so the next question can be put by any process:
a model server, the host agent and a test's script all go through the same loop.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from reverie.errors import RefusedError
from reverie.markdown import headline
from reverie.minds.mind import (
    BadAnswerError,
    CutOffAnswerError,
    MindUnavailableError,
    Question,
)
from reverie.minds.prompts import render_prompt
from reverie.reflection.answers import (
    SCHEMAS,
    Consolidated,
    LookedBack,
    Rewritten,
    Surveyed,
    read_answer,
)
from reverie.reflection.cycle import Reflecting, Thought
from reverie.reflection.records.log import MILESTONES
from reverie.secrets import without_secrets
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reverie.config import Config
    from reverie.minds.mind import Answer, Mind
    from reverie.model.reflection import Noticed

T = TypeVar("T")


class Phase(StrEnum):
    """What a reflection goes through, in this order."""

    SURVEY = "survey"
    META = "meta"
    CONSOLIDATE = "consolidate"
    REWRITE = "rewrite"
    PRESENT = "present"


_HINT = re.compile(r"\s*[-*+] (?:[^\[\]]*: )?\[[^\]]*\]\s*$")

_SHARES = {
    Phase.SURVEY: 15,
    Phase.META: 10,
    Phase.CONSOLIDATE: 35,
    Phase.REWRITE: 20,
    Phase.PRESENT: 20,
}
"""How the grant is shared out among the phases that are still to come."""

LEAST = 50
"""Tokens below which nothing sensible can be said."""

BRIEF = 200
"""Characters of an episode that the last phase is reminded of."""

_NOTHING = "(nothing)"


class GrantSpentError(RefusedError):
    """The tokens that were granted are used up, and there is no proposal yet."""

    def __init__(self, grant: int, phase: str) -> None:
        super().__init__(
            f"the {grant:,} tokens that were granted are used up before the phase "
            f"'{phase}' was done; nothing is proposed",
            hint="Grant more next time, or use a model that says less.",
        )


def next_phase(state: Reflecting) -> Phase | None:
    """What is to be thought about next; None when all is said."""
    done = {thought.phase for thought in state.thoughts}
    return next((phase for phase in Phase if phase not in done), None)


def question_of(state: Reflecting, phase: Phase, config: Config) -> Question:
    """The question of a phase, with what was read and thought so far."""
    data, words = _FILL[phase](state, config)
    name = f"reflect-{phase}"
    # What stands on this disk in plain text is still nobody else's to see.
    clean = {key: without_secrets(text) for key, text in data.items()}
    text = render_prompt(name, clean, words)
    return Question(name, name, text, SCHEMAS[phase], _share(state, phase))


def answered(state: Reflecting, phase: Phase, answer: str, tokens: int) -> Reflecting:
    """The state once a phase is thought through."""
    thought = Thought(phase, answer, tokens)
    return replace(state, thoughts=(*state.thoughts, thought), problem="")


def said(state: Reflecting, phase: Phase, kind: type[T]) -> T:
    """What was answered in a phase; nothing where it was not reached."""
    for thought in state.thoughts:
        if thought.phase == phase:
            return read_answer(thought.answer, kind)
    return kind()


class Metered:
    """A mind that may say so much and no more; what it said in vain counts too."""

    def __init__(self, mind: Mind, state: Reflecting, phase: Phase) -> None:
        self._mind = mind
        self._grant = state.grant
        self._phase = phase
        self.left = state.left
        self.name = mind.name

    def think(self, question: Question) -> Answer:
        """Think within what is left; see `Mind.think`."""
        if self.left < LEAST:
            raise GrantSpentError(self._grant, self._phase)
        capped = replace(question, most_tokens=min(question.most_tokens, self.left))
        try:
            answer = self._mind.think(capped)
        except MindUnavailableError as error:
            said = count_tokens(error.said) if isinstance(error, BadAnswerError) else 0
            # Nobody knows what was written of an answer that did not arrive whole.
            unknown = capped.most_tokens if error.written else 0
            cut = not said or isinstance(error, CutOffAnswerError)
            self._spend(max(said, min(unknown, self.left)) if cut else said)
            raise
        # A server's own count may leave out what it wrote.
        written = count_tokens(json.dumps(answer.value, ensure_ascii=False))
        self._spend(max(answer.use.output_tokens, written))
        return answer

    def _spend(self, tokens: int) -> None:
        if tokens > self.left:
            self.left = 0
            raise GrantSpentError(self._grant, self._phase)
        self.left -= tokens


def _share(state: Reflecting, phase: Phase) -> int:
    phases = list(Phase)
    waiting = phases[phases.index(phase) :]
    whole = sum(_SHARES[each] for each in waiting)
    return max(LEAST, state.left * _SHARES[phase] // whole)


def _survey(
    state: Reflecting, _config: Config
) -> tuple[dict[str, str], dict[str, str]]:
    seen = state.survey
    data = _memories(state) | {
        "core": _without_hints(seen.core) or _NOTHING,
        "graph": seen.graph or _NOTHING,
    }
    since = f"{seen.since:%Y-%m-%d %H:%M} UTC"
    return data, {"number": str(state.number), "since": since}


def _meta(state: Reflecting, _config: Config) -> tuple[dict[str, str], dict[str, str]]:
    data = {
        "log": "\n\n".join(state.survey.log) or _NOTHING,
        "evolution": state.survey.evolution or _NOTHING,
        "plan": _plan(state),
    }
    return data, {"number": str(state.number), "milestone": _milestone(state)}


def _consolidate(
    state: Reflecting, _config: Config
) -> tuple[dict[str, str], dict[str, str]]:
    return _memories(state) | {"plan": _plan(state), "insights": _insights(state)}, {}


def _rewrite(
    state: Reflecting, config: Config
) -> tuple[dict[str, str], dict[str, str]]:
    data = {
        "core": _without_hints(state.survey.core) or _NOTHING,
        "operations": _operations(state),
        "insights": _insights(state),
        "themes": _themes(state),
    }
    tokens = count_tokens(state.survey.core)
    words = {"tokens": f"{tokens:,}", "cap": f"{config.core.cap_tokens:,}"}
    return data, words


def _present(
    state: Reflecting, config: Config
) -> tuple[dict[str, str], dict[str, str]]:
    data = {
        "operations": _operations(state),
        "insights": _insights(state),
        "core": _core_changes(state),
        "themes": _themes(state),
        "episodes": _told(state.survey.episodes, brief=True),
    }
    words = {
        "milestone": _milestone(state),
        "elements": "; ".join(state.elements) or "none today",
        "style": config.reflection.presentation,
    }
    return data, words


_FILL: dict[
    Phase, Callable[[Reflecting, Config], tuple[dict[str, str], dict[str, str]]]
] = {
    Phase.SURVEY: _survey,
    Phase.META: _meta,
    Phase.CONSOLIDATE: _consolidate,
    Phase.REWRITE: _rewrite,
    Phase.PRESENT: _present,
}


def _without_hints(core: str) -> str:
    """Core memory without the template's hints, which are no memories."""
    return "".join(
        line for line in core.splitlines(keepends=True) if not _HINT.match(line)
    )


def _memories(state: Reflecting) -> dict[str, str]:
    seen = state.survey
    return {
        "episodes": _told(seen.episodes),
        "entities": _pages(seen.entities),
        "procedures": _pages(seen.procedures),
        "fading": _told(seen.fading, scored=True),
        "proposals": seen.proposals or _NOTHING,
    }


def _told(
    memories: Iterable[Noticed], *, scored: bool = False, brief: bool = False
) -> str:
    """One memory a paragraph, each with its id, its date and whose words it is."""
    parts = []
    for each in memories:
        notes = [each.id, each.kind, f"words of {each.origin}"]
        notes.append(f"score {each.score:.2f}" if scored else "")
        words = each.title or each.text if scored else each.text
        # A secret that is cut in two is not recognised any more.
        words = headline(without_secrets(words), BRIEF) if brief else words
        parts.append(f"[{' · '.join(filter(None, notes))}]\n{words}")
    return "\n\n".join(parts) or _NOTHING


def _pages(memories: Iterable[Noticed]) -> str:
    return "\n\n".join(f"[{each.path}]\n{each.text}" for each in memories) or _NOTHING


def _plan(state: Reflecting) -> str:
    tasks = said(state, Phase.SURVEY, Surveyed).plan
    return "\n".join(f"{each.task}: {each.what}" for each in tasks) or _NOTHING


def _insights(state: Reflecting) -> str:
    return "\n".join(said(state, Phase.META, LookedBack).lines) or _NOTHING


def _operations(state: Reflecting) -> str:
    found = said(state, Phase.CONSOLIDATE, Consolidated)
    lines = [f"{w.operation} {w.target}: {w.content}" for w in found.operations]
    return "\n".join(lines) or found.text or _NOTHING


def _core_changes(state: Reflecting) -> str:
    found = said(state, Phase.REWRITE, Rewritten)
    lines = [f"- {line.text}" for line in found.remove]
    lines += [f"+ {line.text}" for line in found.add]
    return "\n".join(lines) or found.memory or _NOTHING


def _themes(state: Reflecting) -> str:
    return ", ".join(said(state, Phase.SURVEY, Surveyed).themes) or _NOTHING


def _milestone(state: Reflecting) -> str:
    special = MILESTONES.get(state.milestone)
    return f"It is a milestone, {special.title}. {special.task}" if special else ""
