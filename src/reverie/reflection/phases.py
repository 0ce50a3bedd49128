"""The five phases of a reflection: prompts, schemas, answers, and who thinks them.

Each answer is a part of the state, so the next question can be put by any process:
a model server, the host agent and a test's script all go through the same loop.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

import msgspec

from reverie.errors import NotFoundError, RefusedError, ReverieError
from reverie.markdown import headline
from reverie.minds.mind import (
    BadAnswerError,
    CutOffAnswerError,
    MindUnavailableError,
    Question,
    Use,
)
from reverie.minds.prompting import render_prompt
from reverie.minds.reading import parse_object
from reverie.minds.schema import find_problem
from reverie.minds.thinking import ask
from reverie.model.reflection import session_name
from reverie.reflection.cycle import Reflecting, Thought
from reverie.reflection.monologue import draw, find_faults, render_for_record
from reverie.reflection.operations.reading import parse_text
from reverie.reflection.record.log import highest_approved
from reverie.reflection.record.milestones import MILESTONES, milestone_due
from reverie.reflection.scope import Scope
from reverie.reflection.survey import Last, since, survey
from reverie.secrets import pieces_of, screened, without_secrets
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reverie.config import Config
    from reverie.minds.mind import Answer, Mind
    from reverie.model.reflection import Noticed, Occasion
    from reverie.reflection.cycle import Dreamer


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


T = TypeVar("T")

Schema = dict[str, object]

MOST_OPERATIONS = 60
"""More operations than this in one reflection are nobody's to check."""

LONGEST = 8000
"""Characters of one operation's text."""


def _text(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def _list(of: Schema, most: int) -> Schema:
    return {"type": "array", "items": of, "maxItems": most}


def _object(required: tuple[str, ...], **fields: Schema) -> Schema:
    return {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "additionalProperties": False,
    }


_TASKS: Schema = {
    "type": "string",
    "enum": ["extract", "connect", "flag", "archive", "pattern", "core"],
}
_KINDS: Schema = {
    "type": "string",
    "enum": ["EXTRACT", "CONNECT", "FLAG", "ARCHIVE", "PATTERN", "EVOLVE"],
}
_VERDICTS: Schema = {"type": "string", "enum": ["commit", "reject", "defer"]}
_SOURCES = _list(_text(200), 50)
_LINE = _object(
    ("section", "text"), section=_text(40), text=_text(500), sources=_SOURCES
)

SCHEMAS: Mapping[str, Schema] = {
    "survey": _object(
        ("plan", "themes"),
        plan=_list(_object(("task", "what"), task=_TASKS, what=_text(600)), 60),
        themes=_list(_text(100), 10),
    ),
    "meta": _object(
        ("insights", "observations", "guidance"),
        insights=_list(_text(800), 5),
        observations=_list(_text(800), 5),
        guidance=_list(_text(800), 5),
    ),
    "consolidate": _object(
        (),
        operations=_list(
            _object(
                ("operation", "target", "content", "reason"),
                operation=_KINDS,
                target=_text(300),
                content=_text(LONGEST),
                reason=_text(1000),
                evolution_context=_text(1000),
                sources=_SOURCES,
            ),
            MOST_OPERATIONS,
        ),
        text=_text(60_000),
        proposals=_list(
            _object(
                ("number", "verdict"),
                number={"type": "integer"},
                verdict=_VERDICTS,
                reason=_text(500),
            ),
            200,
        ),
        questions=_list(_text(400), 5),
    ),
    "rewrite": _object(
        (),
        remove=_list(_LINE, 60),
        add=_list(_LINE, 60),
        memory=_text(30_000),
    ),
    "present": _object(
        ("vibe", "key_insight"),
        monologue=_text(20_000),
        vibe=_text(300),
        key_insight=_text(600),
        new_understanding=_text(600),
        confirmed=_text(600),
        revised=_text(600),
        continues=_text(600),
        opens=_text(300),
        essay=_text(20_000),
    ),
    "self-image": _object(
        ("who", "patterns", "quirks", "edges", "values", "questions"),
        who=_list(_text(500), 12),
        patterns=_list(_text(500), 12),
        quirks=_list(_text(500), 12),
        edges=_list(_text(500), 12),
        values=_list(_text(500), 12),
        questions=_list(_text(500), 12),
        months=_list(
            _object(("month", "summary"), month=_text(7), summary=_text(500)), 120
        ),
    ),
}
"""By phase, what an answer has to look like."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing that the survey wants done."""

    task: str
    what: str


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What the first phase says."""

    plan: tuple[Task, ...] = ()
    themes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LookedBack:
    """What the second phase says."""

    insights: tuple[str, ...] = ()
    observations: tuple[str, ...] = ()
    guidance: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it, one after the other."""
        return (*self.insights, *self.observations, *self.guidance)


@dataclass(frozen=True, slots=True)
class Written:
    """One operation as a mind wrote it."""

    operation: str
    target: str
    content: str
    reason: str = ""
    evolution_context: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """What to do with a proposal that waits."""

    number: int
    verdict: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What the third phase says; `text` holds operations in their text form."""

    operations: tuple[Written, ...] = ()
    text: str = ""
    proposals: tuple[Judged, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of core memory, and the ids of what it is made of."""

    section: str
    text: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What the fourth phase says: lines, or the complete new page."""

    remove: tuple[Line, ...] = ()
    add: tuple[Line, ...] = ()
    memory: str = ""


@dataclass(frozen=True, slots=True)
class Presented:
    """What the last phase says."""

    monologue: str = ""
    vibe: str = ""
    key_insight: str = ""
    new_understanding: str = ""
    confirmed: str = ""
    revised: str = ""
    continues: str = ""
    opens: str = ""
    essay: str = ""


@dataclass(frozen=True, slots=True)
class Month:
    """What the notes of a month came down to."""

    month: str
    summary: str


@dataclass(frozen=True, slots=True)
class Pictured:
    """What a look at oneself says."""

    who: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    quirks: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    months: tuple[Month, ...] = ()


def read_answer(answer: str, kind: type[T]) -> T:
    """An answer that fits its schema, as a value."""
    return msgspec.json.decode(answer, type=kind)


class NoQuestionError(NotFoundError):
    """The host agent answers, and nothing was asked."""

    def __init__(self) -> None:
        super().__init__(
            "there is no phase to answer",
            hint="`reverie reflect status` tells where the reflection stands.",
        )


def fall_asleep(
    dreamer: Dreamer, occasion: Occasion, number: int, grant: int
) -> Reflecting:
    """Read what may be read, and be ready for the first phase."""
    house, tracked = dreamer.house, dreamer.sleep.tracked()
    house.look()
    house.sync()
    now = house.clock()
    last = Last(tracked.last, tracked.read_until)
    scope = Scope(house.ledger.read, since(last, now))
    seen = screened(survey(house.index, scope, house.config, now, last))
    # The same elements again if the same reflection has to begin anew.
    rng = random.Random(f"{session_name(number)} {now.date()}")  # noqa: S311 - no secret
    elements = render_for_record(draw(rng))
    approved = highest_approved(dreamer.sleep.text(layout.REFLECTION_LOG))
    special = milestone_due(number, approved)
    milestone = special.number if special else 0
    return Reflecting(occasion, number, now, grant, seen, elements, milestone)


def think(
    dreamer: Dreamer, state: Reflecting, mind: Mind, phase: Phase
) -> tuple[Reflecting, ReverieError | None]:
    """Ask one phase's question.

    Returns:
        The state afterwards, with what it took, and why there is no usable answer.
    """
    question = question_of(state, phase, dreamer.house.config)
    metered = Metered(mind, state, phase)
    check = _Check(phase, dreamer, state)
    try:
        value = ask(metered, question, check)
    except ReverieError as error:
        wasted = state.wasted + state.left - metered.left
        return replace(state, wasted=wasted, problem=without_secrets(str(error))), error
    spent = state.left - metered.left
    return answered(state, phase, json.dumps(value, ensure_ascii=False), spent), None


def take_answer(dreamer: Dreamer, state: Reflecting, text: str) -> Reflecting:
    """The state once the host agent has answered the phase it was asked.

    A bad answer is counted and noted in the state; see `Reflecting.problem`.

    Raises:
        GrantSpentError: The answer is longer than what was left.
    """
    phase = next_phase(state)
    if phase is None:
        raise NoQuestionError
    tokens = count_tokens(text)
    if tokens > state.left:
        raise GrantSpentError(state.grant, phase)
    question = question_of(state, phase, dreamer.house.config)
    asked = count_tokens(question.text)
    use = Use(question.operation, "host", asked, tokens, estimated=True)
    dreamer.minds.note(use)
    check = _Check(phase, dreamer, state)
    try:
        value = _fitting(text, phase, question)
        answer = json.dumps(check(value), ensure_ascii=False)
    except (BadAnswerError, ValueError) as error:
        problem = error.problem if isinstance(error, BadAnswerError) else str(error)
        wasted = state.wasted + tokens
        return replace(state, wasted=wasted, problem=without_secrets(problem))
    return answered(state, phase, answer, tokens)


def _fitting(text: str, phase: Phase, question: Question) -> Mapping[str, object]:
    """An answer that fits the question's schema; operations may come as text."""
    try:
        value = parse_object(text)
    except BadAnswerError:
        if phase is not Phase.CONSOLIDATE or not parse_text(text).operations:
            raise
        value = {"text": text}
    # All of it is kept until the end, and a problem quotes what is wrong.
    value = screened(value, pieces_of(text))
    problem = find_problem(value, question.schema)
    if problem:
        raise BadAnswerError(problem, text)
    return value


class _Check:
    """Makes sure that an answer makes sense; a monologue may miss once."""

    def __init__(self, phase: Phase, dreamer: Dreamer, state: Reflecting) -> None:
        self._phase = phase
        self._monologue = dreamer.house.config.reflection.presentation == "monologue"
        self._lenient = bool(state.problem)

    def __call__(self, value: Mapping[str, object]) -> Mapping[str, object]:
        if self._phase is Phase.CONSOLIDATE:
            self._require_operations(value)
        if self._phase is Phase.PRESENT and self._monologue:
            self._require_monologue(value)
        return value

    def _require_operations(self, value: Mapping[str, object]) -> None:
        if "operations" not in value and "text" not in value:
            raise UnfinishedAnswerError(("there is no list of operations",))

    def _require_monologue(self, value: Mapping[str, object]) -> None:
        text = str(value.get("monologue", ""))
        if not text.strip():
            raise UnfinishedAnswerError(("the monologue is empty",))
        faults = find_faults(text)
        # Told once, then what can be mended is mended, and the rest is shown.
        if faults and not self._lenient:
            self._lenient = True
            raise UnfinishedAnswerError(faults)


class UnfinishedAnswerError(ValueError):
    """An answer of the right shape that does not do yet."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
