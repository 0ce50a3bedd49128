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
from reverie.minds import mind as minds
from reverie.minds.json_answers import ask, find_problem, parse_object
from reverie.minds.mind import BadAnswerError, Question
from reverie.minds.prompts import render_prompt
from reverie.model.reflection import session_name
from reverie.reflection.cycle import Reflecting, Thought
from reverie.reflection.monologue import draw_elements, find_faults
from reverie.reflection.operations.parse import parse_text
from reverie.reflection.records.log import MILESTONES, highest_approved, milestone_due
from reverie.reflection.scope import Scope
from reverie.reflection.survey import since, survey
from reverie.secrets import pieces_of, screened, without_secrets
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reverie.config import Config
    from reverie.model.reflection import Noticed, Occasion
    from reverie.reflection.cycle import Study

T = TypeVar("T")
Schema = dict[str, object]


class Phase(StrEnum):
    """What a reflection goes through, in this order."""

    SURVEY = "survey"
    META = "meta"
    CONSOLIDATE = "consolidate"
    REWRITE = "rewrite"
    PRESENT = "present"


_SHARES = dict(zip(Phase, (15, 10, 35, 20, 20), strict=True))
"""How the grant is shared out among the phases that are still to come."""

LEAST = 50
"""Tokens below which nothing sensible can be said."""

BRIEF = 200
"""Characters of an episode that the last phase is reminded of."""

MOST_OPERATIONS = 60
"""More operations than this in one reflection are nobody's to check."""


class GrantSpentError(RefusedError):
    """The tokens that were granted are used up, and there is no proposal yet."""

    def __init__(self, grant: int, phase: str) -> None:
        super().__init__(
            f"the {grant:,} tokens that were granted are used up before the phase "
            f"'{phase}' was done; nothing is proposed",
            hint="Grant more next time, or use a model that says less.",
        )


class NoQuestionError(NotFoundError):
    """The host agent answers, and nothing was asked."""

    def __init__(self) -> None:
        super().__init__(
            "there is no phase to answer",
            hint="`reverie reflect status` tells where the reflection stands.",
        )


# --- what minds may answer, as schemas and as values ---------------------------


def _text(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def _one_of(words: str) -> Schema:
    return {"type": "string", "enum": words.split()}


def _list(of: Schema, most: int) -> Schema:
    return {"type": "array", "items": of, "maxItems": most}


def _each(names: str, schema: Schema) -> dict[str, Schema]:
    return dict.fromkeys(names.split(), schema)


def _object(required: str, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


_SOURCES = _list(_text(200), 50)
_TASK = _object(
    "task what",
    task=_one_of("extract connect flag archive pattern core"),
    what=_text(600),
)
_OPERATION = _object(
    "operation target content reason",
    operation=_one_of("EXTRACT CONNECT FLAG ARCHIVE PATTERN EVOLVE"),
    target=_text(300),
    content=_text(8000),
    reason=_text(1000),
    evolution_context=_text(1000),
    sources=_SOURCES,
)
_JUDGED = _object(
    "number verdict",
    number={"type": "integer"},
    verdict=_one_of("commit reject defer"),
    reason=_text(500),
)
_LINE = _object("section text", section=_text(40), text=_text(500), sources=_SOURCES)
_LINES = _list(_LINE, 60)
_INSIGHTS = "insights observations guidance"
_LEARNED = "key_insight new_understanding confirmed revised continues"
_SELF = "who patterns quirks edges values questions"
_MONTH = _object("month summary", month=_text(7), summary=_text(500))

SCHEMAS: Mapping[str, Schema] = {
    "survey": _object(
        "plan themes", plan=_list(_TASK, 60), themes=_list(_text(100), 10)
    ),
    "meta": _object(_INSIGHTS, **_each(_INSIGHTS, _list(_text(800), 5))),
    "consolidate": _object(
        "",
        operations=_list(_OPERATION, MOST_OPERATIONS),
        text=_text(60_000),
        proposals=_list(_JUDGED, 200),
        questions=_list(_text(400), 5),
    ),
    "rewrite": _object("", remove=_LINES, add=_LINES, memory=_text(30_000)),
    "present": _object(
        "vibe key_insight",
        monologue=_text(20_000),
        vibe=_text(300),
        **_each(_LEARNED, _text(600)),
        opens=_text(300),
        essay=_text(20_000),
    ),
    "self-image": _object(
        _SELF, **_each(_SELF, _list(_text(500), 12)), months=_list(_MONTH, 120)
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


@dataclass(frozen=True, slots=True)
class WrittenOperation:
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

    operations: tuple[WrittenOperation, ...] = ()
    text: str = ""
    proposals: tuple[Judged, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoreLine:
    """One line of core memory, and the ids of what it is made of."""

    section: str
    text: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What the fourth phase says: lines, or the complete new page."""

    remove: tuple[CoreLine, ...] = ()
    add: tuple[CoreLine, ...] = ()
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


def said(state: Reflecting, phase: Phase, kind: type[T]) -> T:
    """What was answered in a phase; nothing where it was not reached."""
    for thought in state.thoughts:
        if thought.phase == phase:
            return msgspec.json.decode(thought.answer, type=kind)
    return kind()


# --- what they are asked -------------------------------------------------------

_HINT = re.compile(r"\s*[-*+] (?:[^\[\]]*: )?\[[^\]]*\]\s*$")
"""A hint of the template of core memory, which is no memory."""

_MEMORIES = "episodes entities procedures fading proposals"
_FILLED = {
    Phase.SURVEY: (f"{_MEMORIES} core graph", "number since"),
    Phase.META: ("log evolution plan", "number milestone"),
    Phase.CONSOLIDATE: (f"{_MEMORIES} plan insights", ""),
    Phase.REWRITE: ("core operations insights themes", "tokens cap"),
    Phase.PRESENT: (
        "operations insights core themes episodes",
        "milestone elements style",
    ),
}
"""By phase, what its prompt holds of others' texts, and of our own words."""


def next_phase(state: Reflecting) -> Phase | None:
    """What is to be thought about next; None when all is said."""
    done = {thought.phase for thought in state.thoughts}
    return next((phase for phase in Phase if phase not in done), None)


def question_of(state: Reflecting, phase: Phase, config: Config) -> Question:
    """The question of a phase, with what was read and thought so far."""
    seen, last = state.survey, phase is Phase.PRESENT
    data = {
        "core": _core_changes(state) if last else _without_hints(seen.core),
        "graph": seen.graph,
        "log": "\n\n".join(seen.log),
        "evolution": seen.evolution,
        "episodes": _told(seen.episodes, brief=last),
        "entities": _pages(seen.entities),
        "procedures": _pages(seen.procedures),
        "fading": _told(seen.fading, scored=True),
        "proposals": seen.proposals,
        **_thought_so_far(state),
    }
    special = MILESTONES.get(state.milestone)
    told = f"It is a milestone, {special.title}. {special.task}" if special else ""
    words = {
        "number": str(state.number),
        "since": f"{seen.since:%Y-%m-%d %H:%M} UTC",
        "milestone": told,
        "tokens": f"{count_tokens(seen.core):,}",
        "cap": f"{config.core.cap_tokens:,}",
        "elements": "; ".join(state.elements) or "none today",
        "style": config.reflection.presentation,
    }
    shown, own = (names.split() for names in _FILLED[phase])
    # What stands on this disk in plain text is still nobody else's to see.
    clean = {name: without_secrets(data[name] or "(nothing)") for name in shown}
    name = f"reflect-{phase}"
    text = render_prompt(name, clean, {each: words[each] for each in own})
    waiting = list(Phase)[list(Phase).index(phase) :]
    whole = sum(_SHARES[each] for each in waiting)
    share = max(LEAST, state.left * _SHARES[phase] // whole)
    return Question(name, name, text, SCHEMAS[phase], share)


def _thought_so_far(state: Reflecting) -> dict[str, str]:
    surveyed = said(state, Phase.SURVEY, Surveyed)
    back = said(state, Phase.META, LookedBack)
    found = said(state, Phase.CONSOLIDATE, Consolidated)
    lines = [f"{w.operation} {w.target}: {w.content}" for w in found.operations]
    return {
        "plan": "\n".join(f"{each.task}: {each.what}" for each in surveyed.plan),
        "themes": ", ".join(surveyed.themes),
        "insights": "\n".join((*back.insights, *back.observations, *back.guidance)),
        "operations": "\n".join(lines) or found.text,
    }


def _core_changes(state: Reflecting) -> str:
    found = said(state, Phase.REWRITE, Rewritten)
    lines = [f"- {line.text}" for line in found.remove]
    lines += [f"+ {line.text}" for line in found.add]
    return "\n".join(lines) or found.memory


def _without_hints(core: str) -> str:
    lines = core.splitlines(keepends=True)
    return "".join(line for line in lines if not _HINT.match(line))


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
    return "\n\n".join(parts)


def _pages(memories: Iterable[Noticed]) -> str:
    return "\n\n".join(f"[{each.path}]\n{each.text}" for each in memories)


# --- thinking ------------------------------------------------------------------


class Metered:
    """A mind that may say so much and no more; what it said in vain counts too."""

    def __init__(self, mind: minds.Mind, state: Reflecting, phase: Phase) -> None:
        self._mind = mind
        self._grant = state.grant
        self._phase = phase
        self.left = state.left
        self.name = mind.name

    def think(self, question: Question) -> minds.Answer:
        """Think within what is left; see `Mind.think`."""
        if self.left < LEAST:
            raise GrantSpentError(self._grant, self._phase)
        capped = replace(question, most_tokens=min(question.most_tokens, self.left))
        try:
            answer = self._mind.think(capped)
        except minds.MindUnavailableError as error:
            said = count_tokens(error.said) if isinstance(error, BadAnswerError) else 0
            # Nobody knows what was written of an answer that did not arrive whole.
            unknown = capped.most_tokens if error.written else 0
            cut = not said or isinstance(error, minds.CutOffAnswerError)
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


def fall_asleep(
    study: Study, occasion: Occasion, number: int, grant: int
) -> Reflecting:
    """Read what may be read, and be ready for the first phase."""
    house, tracked = study.house, study.store.tracked()
    house.look()
    house.sync()
    now = house.clock()
    scope = Scope(house.ledger.read, since(tracked, now))
    seen = screened(survey(house.index, scope, house.config, now, tracked))
    # The same elements again if the same reflection has to begin anew.
    rng = random.Random(f"{session_name(number)} {now.date()}")  # noqa: S311 - no secret
    elements = draw_elements(rng)
    approved = highest_approved(study.store.text(layout.REFLECTION_LOG))
    special = milestone_due(number, approved)
    milestone = special.number if special else 0
    return Reflecting(occasion, number, now, grant, seen, elements, milestone)


def answered(state: Reflecting, phase: Phase, answer: str, tokens: int) -> Reflecting:
    """The state once a phase is thought through."""
    thought = Thought(phase, answer, tokens)
    return replace(state, thoughts=(*state.thoughts, thought), problem="")


def think(
    study: Study, state: Reflecting, mind: minds.Mind, phase: Phase
) -> tuple[Reflecting, ReverieError | None]:
    """Ask one phase's question.

    Returns:
        The state afterwards, with what it took, and why there is no usable answer.
    """
    question = question_of(state, phase, study.house.config)
    metered = Metered(mind, state, phase)
    try:
        value = ask(metered, question, _Check(phase, study, state))
    except ReverieError as error:
        wasted = state.wasted + state.left - metered.left
        return replace(state, wasted=wasted, problem=without_secrets(str(error))), error
    spent = state.left - metered.left
    return answered(state, phase, json.dumps(value, ensure_ascii=False), spent), None


def take_answer(study: Study, state: Reflecting, text: str) -> Reflecting:
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
    question = question_of(state, phase, study.house.config)
    asked = count_tokens(question.text)
    study.minds.note(
        minds.Use(question.operation, "host", asked, tokens, estimated=True)
    )
    try:
        value = fitting_answer(text, question, as_text=phase is Phase.CONSOLIDATE)
        value = _Check(phase, study, state)(value)
    except (BadAnswerError, ValueError) as error:
        problem = error.problem if isinstance(error, BadAnswerError) else str(error)
        wasted = state.wasted + tokens
        return replace(state, wasted=wasted, problem=without_secrets(problem))
    return answered(state, phase, json.dumps(value, ensure_ascii=False), tokens)


def fitting_answer(
    text: str, question: Question, *, as_text: bool = False
) -> Mapping[str, object]:
    """A host agent's answer that fits the question's schema.

    Args:
        text: What it said.
        question: What it was asked.
        as_text: Whether operations may come in their text form.
    """
    try:
        value = parse_object(text)
    except BadAnswerError:
        if not as_text or not parse_text(text).operations:
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

    def __init__(self, phase: Phase, study: Study, state: Reflecting) -> None:
        self._phase = phase
        self._monologue = study.house.config.reflection.presentation == "monologue"
        self._lenient = bool(state.problem)

    def __call__(self, value: Mapping[str, object]) -> Mapping[str, object]:
        faults: tuple[str, ...] = ()
        if self._phase is Phase.CONSOLIDATE and not value.keys() & {
            "operations",
            "text",
        }:
            faults = ("there is no list of operations",)
        if self._phase is Phase.PRESENT and self._monologue:
            text = str(value.get("monologue", ""))
            if not text.strip():
                faults = ("the monologue is empty",)
            elif not self._lenient:
                # Told once, then what can be mended is mended, and the rest is shown.
                faults = find_faults(text)
                self._lenient = bool(faults)
        if faults:
            raise ValueError("; ".join(faults))
        return value
