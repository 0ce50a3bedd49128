"""The five phases of a reflection: prompts, schemas, answers, and who thinks them.

Each answer is a part of the state, so the next question can be put by any process:
a model server, the host agent and a test's script all go through the same loop.
"""

from __future__ import annotations

import json
import random
import re
from datetime import date, datetime, time
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from msgspec.structs import replace as moved

from reverie import markdown as md
from reverie.errors import RefusedError, ReverieError
from reverie.index.user import find_user_name, is_known_id
from reverie.markdown import headline
from reverie.minds import mind as minds
from reverie.minds.json_answers import ask, find_problem, parse_object
from reverie.minds.mind import BadAnswerError, Question
from reverie.minds.prompts import fill_prompt, load_prompt
from reverie.model.reflection import session_name
from reverie.reflection import host_prompts
from reverie.reflection.cycle import Reflecting, Thought
from reverie.reflection.feedback import heard
from reverie.reflection.log import MILESTONES, highest_approved, milestone_due
from reverie.reflection.operations import MOST_OPERATIONS, parse_text
from reverie.reflection.presentation import draw_elements, find_faults
from reverie.reflection.scope import Scope
from reverie.reflection.survey import (
    ENTITIES,
    PROCEDURES,
    Budgets,
    survey,
)
from reverie.reflection.unread import since
from reverie.reflection.waiting import PROPOSALS
from reverie.secrets import is_no_id, pieces_of, screened, without_secrets
from reverie.stores.check import core_budgets
from reverie.stores.core import HEADINGS
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reverie.config import Config
    from reverie.model.reflection import Noticed, Occasion, Refused, Survey
    from reverie.reflection.cycle import State, Study

T = TypeVar("T")


class Phase(StrEnum):
    """What a reflection goes through, in this order."""

    SURVEY = "survey"
    META = "meta"
    CONSOLIDATE = "consolidate"
    MEND = "mend"
    """Only where something of it was refused."""
    REWRITE = "rewrite"
    PRESENT = "present"


_SHARES = dict(zip(Phase, (10, 10, 40, 10, 10, 20), strict=True))
"""How the grant is shared out among the phases that are still to come."""

LEAST = 50
"""Tokens below which nothing sensible can be said."""

SHORT = 300
"""Words that a monologue may have, however little was granted."""

BRIEF = 400
"""Characters of an episode that the last phase is reminded of."""


class GrantSpentError(RefusedError):
    """The tokens that were granted are used up, and there is no proposal yet."""

    says = (
        "the {:,} tokens that were granted are used up before the phase '{}' was done; "
        "nothing is proposed"
    )
    mend = "Grant more next time, or use a model that says less."


# --- what minds may answer -----------------------------------------------------

Words = Annotated[str, Meta(max_length=300)]
Sentence = Annotated[str, Meta(max_length=600)]
Paragraph = Annotated[str, Meta(max_length=1000)]
Page = Annotated[str, Meta(max_length=60_000)]
Few = Annotated[tuple[Paragraph, ...], Meta(max_length=5)]
Ids = Annotated[tuple[Words, ...], Meta(max_length=50)]


class AnswerPart(msgspec.Struct, forbid_unknown_fields=True):
    """A part of what a mind answers; what has no default must be said."""


class Task(AnswerPart):
    """One thing that the survey wants done."""

    task: Literal[
        "extract",
        "connect",
        "flag",
        "settle",
        "merge",
        "answer",
        "archive",
        "finish",
        "pattern",
        "core",
    ]
    what: Sentence


class Surveyed(AnswerPart):
    """What the first phase says."""

    plan: Annotated[tuple[Task, ...], Meta(max_length=60)] = ()
    themes: Annotated[tuple[Words, ...], Meta(max_length=10)] = ()


class LookedBack(AnswerPart):
    """What the second phase says."""

    insights: Few = ()
    observations: Few = ()
    guidance: Few = ()


class WrittenOperation(AnswerPart):
    """One operation as a mind wrote it."""

    operation: Literal[
        "EXTRACT", "CONNECT", "FLAG", "ARCHIVE", "PATTERN", "EVOLVE", "FINISH"
    ]
    target: Words
    content: Annotated[str, Meta(max_length=8000)]
    reason: Paragraph
    evolution_context: Paragraph = ""
    sources: Ids = ()


class Judged(AnswerPart):
    """What to do with a proposal that waits."""

    number: int
    verdict: Literal["commit", "reject", "defer"]
    reason: Sentence = ""


class SamePages(AnswerPart):
    """Two pages that are about one."""

    one: Words
    into: Words
    reason: Paragraph = ""
    sources: Ids = ()


class DistinctPages(AnswerPart):
    """Two pages that are not about the same thing."""

    one: Words
    other: Words
    reason: Paragraph = ""
    sources: Ids = ()


class Settled(AnswerPart):
    """Which of some statements holds."""

    holds: Words
    over: Annotated[tuple[Words, ...], Meta(min_length=1, max_length=10)]
    reason: Paragraph = ""
    sources: Ids = ()


class AnsweredQuestion(AnswerPart):
    """An open question that has its answer; of a page, or of the evolution."""

    question: Sentence
    answer: Sentence
    page: Words = ""
    sources: Ids = ()


class ClosedThread(AnswerPart):
    """A thread that came to its end, or goes on in another one."""

    thread: Words
    into: Words = ""


class Consolidated(AnswerPart):
    """What the third phase says; `text` holds operations in their text form."""

    operations: Annotated[
        tuple[WrittenOperation, ...], Meta(max_length=MOST_OPERATIONS)
    ] = ()
    text: Page = ""
    proposals: Annotated[tuple[Judged, ...], Meta(max_length=200)] = ()
    merges: Annotated[tuple[SamePages, ...], Meta(max_length=20)] = ()
    distinct: Annotated[tuple[DistinctPages, ...], Meta(max_length=20)] = ()
    settles: Annotated[tuple[Settled, ...], Meta(max_length=20)] = ()
    answers: Annotated[tuple[AnsweredQuestion, ...], Meta(max_length=20)] = ()
    closes: Annotated[tuple[ClosedThread, ...], Meta(max_length=10)] = ()
    questions: Few = ()


class CoreLine(AnswerPart):
    """One line of core memory, and the ids of what it is made of."""

    section: Words
    text: Sentence
    sources: Ids = ()


CoreLines = Annotated[tuple[CoreLine, ...], Meta(max_length=60)]


class RemovedLine(AnswerPart):
    """One line that leaves core memory, and what becomes of it."""

    section: Words
    text: Sentence
    action: Literal["move", "drop", ""] = ""
    reason: Sentence = ""
    sources: Ids = ()


class Rewritten(AnswerPart):
    """What the fourth phase says."""

    remove: Annotated[tuple[RemovedLine, ...], Meta(max_length=60)] = ()
    add: CoreLines = ()


class BorneOut(AnswerPart):
    """Something that was borne out in several reflections, by their numbers."""

    pattern: Sentence
    seen_in: Annotated[tuple[int, ...], Meta(max_length=100)]


class Presented(AnswerPart):
    """What the last phase says."""

    monologue: Page = ""
    vibe: Words = ""
    key_insight: Sentence = ""
    new_understanding: Sentence = ""
    confirmed: Sentence = ""
    revised: Sentence = ""
    continues: Sentence = ""
    opens: Words = ""
    patterns: Annotated[tuple[BorneOut, ...], Meta(max_length=5)] = ()
    essay: Page = ""


def schema_of(kind: type, required: str) -> dict[str, Any]:
    """The JSON schema of an answer, all in one piece.

    Args:
        kind: What it is read as.
        required: The names of what it must say, although a default is known.
    """
    whole = msgspec.json.schema(kind)

    def plain(part: dict[str, Any]) -> dict[str, Any]:
        if "$ref" in part:
            part = whole["$defs"][part["$ref"].rpartition("/")[2]]
        words = {"title", "description", "default", "$defs"}
        made = {key: value for key, value in part.items() if key not in words}
        made |= {"type": "string"} if "enum" in made else {}
        if "items" in made:
            made["items"] = plain(made["items"])
        if "properties" in made:
            inside = made["properties"].items()
            made["properties"] = {name: plain(each) for name, each in inside}
        return made

    return {**plain(whole), "required": required.split()}


SCHEMAS: Mapping[Phase, Mapping[str, object]] = {
    Phase.SURVEY: schema_of(Surveyed, "plan themes"),
    Phase.META: schema_of(LookedBack, "insights observations guidance"),
    Phase.CONSOLIDATE: schema_of(Consolidated, ""),
    Phase.MEND: schema_of(Consolidated, ""),
    Phase.REWRITE: schema_of(Rewritten, ""),
    Phase.PRESENT: schema_of(Presented, "vibe key_insight"),
}
"""By phase, what an answer has to look like."""


def said(state: Reflecting, phase: Phase, kind: type[T]) -> T:
    """What was answered in a phase; nothing where it was not reached."""
    for thought in state.thoughts:
        if thought.phase == phase:
            return msgspec.json.decode(thought.answer, type=kind)
    return kind()


# --- what they are asked -------------------------------------------------------

_HINT = re.compile(r"^\s*[-*+] (?:[^\[\]\n]*: )?\[[^\]\n]*\][ \t]*(?:\n|\Z)", re.M)
"""A hint of the template of core memory, which is no memory."""


def next_phase(state: State) -> Phase | None:
    """What is to be thought about next; None when all is said, or nobody thinks."""
    if not isinstance(state, Reflecting) or (state.thoughts and state.left < LEAST):
        return None
    done = {thought.phase for thought in state.thoughts}
    return next((phase for phase in to_come(state) if phase not in done), None)


def to_come(state: Reflecting) -> list[Phase]:
    """All phases of a reflection; nothing is mended where nothing was refused."""
    return [each for each in Phase if each is not Phase.MEND or state.refused]


def question_of(
    state: Reflecting, phase: Phase, config: Config, *, only_new: bool = False
) -> Question:
    """Return the question of a phase, with what was read and thought so far.

    Args:
        state: The reflection so far.
        phase: The phase that is asked for.
        config: The settings.
        only_new: Whether to leave out what an earlier question of this reflection had.
    """
    seen, last = state.survey, phase is Phase.PRESENT
    surveyed = said(state, Phase.SURVEY, Surveyed)
    back = said(state, Phase.META, LookedBack)
    core = said(state, Phase.REWRITE, Rewritten)
    episodes, entities = seen.episodes, seen.entities
    if phase is Phase.MEND:
        # Only what was refused is asked about.
        about = "\n".join(map(_refused, state.refused))
        episodes = tuple(each for each in episodes if each.id in about)
        entities = tuple(each for each in entities if md.stem(each.path) in about)
    lines = [f"- {line.text} ({line.action or 'stays'})" for line in core.remove]
    lines += [f"+ {line.text}" for line in core.add]
    data = {
        "core": "\n".join(lines) if last else _HINT.sub("", seen.core),
        "graph": seen.graph,
        "log": "\n\n".join(seen.log),
        "evolution": seen.evolution,
        "episodes": _told(episodes, brief=last),
        "entities": _pages(entities) + _left_out(seen, ENTITIES),
        "procedures": _pages(seen.procedures) + _left_out(seen, PROCEDURES),
        "fading": _told(seen.fading, scored=True),
        "planned": _told(seen.planned),
        "proposals": _told(seen.proposals) + _left_out(seen, PROPOSALS),
        "plan": "\n".join(f"{each.task}: {each.what}" for each in surveyed.plan),
        "themes": ", ".join(surveyed.themes),
        "insights": "\n".join((*back.insights, *back.observations, *back.guidance)),
        "operations": "\n".join(state.kept),
        "refused": "\n\n".join(map(_refused, state.refused)),
        "asks": _list(seen.asks),
        "used": _list(seen.used),
        "heard": _list(seen.heard),
    }
    share = share_of(state, phase)
    special = MILESTONES.get(state.milestone)
    told = f"It is a milestone, {special.title}. {special.task}" if special else ""
    words = {
        "number": str(state.number),
        "since": f"{seen.since:%Y-%m-%d %H:%M %Z}",
        "milestone": told,
        "tokens": f"{count_tokens(seen.core):,}",
        "cap": f"{config.core.cap_tokens:,}",
        "elements": "; ".join(state.elements) or "none today",
        "person": f"The person whose memory this is (words of owner) is {seen.person}."
        if seen.person
        else "What the person whose memory this is (words of owner) is called is not "
        "known; do not guess it.",
        "essay": "the longer text that the milestone asks for." if told else "empty.",
        "today": f"{state.began.astimezone(seen.since.tzinfo):%A, %Y-%m-%d}",
        "left": f"{state.left:,}",
        "share": f"{share:,}",
        "words": "an empty string: a summary was asked for."
        if config.reflection.presentation == "summary"
        else f"the text, 150 to {max(SHORT, share // 2):,} words; as long as there is "
        "something to say, and no longer.",
        "blocks": ", ".join(
            f"{HEADINGS[block]} about {most:,} tokens"
            for block, most in core_budgets(config).items()
        ),
    }
    name = f"reflect-{phase}"
    prompt = load_prompt(name)
    if only_new:
        data["operations"] = host_prompts.list_operations(state.kept)
        data["refused"] = host_prompts.list_refused(state.refused)
        steps = to_come(state)
        known = host_prompts.references(phase, steps[: steps.index(phase)], data)
        prompt = host_prompts.prompt_without(phase, known)
        data = {key: data[key] for key in data if key not in known}
        words |= known
    asked = host_prompts.names_in(prompt)
    # What stands on this disk in plain text is still nobody else's to see.
    clean = {
        key: without_secrets(data[key] or "(nothing)") for key in data if key in asked
    }
    words = {key: words[key] for key in words if key in asked}
    text = fill_prompt(prompt, name, clean, words)
    return Question(name, name, text, SCHEMAS[phase], share)


def share_of(state: Reflecting, phase: Phase) -> int:
    """How many of the tokens that are left are for a phase."""
    waiting = to_come(state)
    waiting = waiting[waiting.index(phase) :] if phase in waiting else [phase]
    whole = sum(_SHARES[each] for each in waiting)
    return max(LEAST, state.left * _SHARES[phase] // whole)


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


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


def _refused(each: Refused) -> str:
    """What cannot be done, why, and what it said."""
    said = f"\nIt said:\n{each.said}" if each.said else ""
    return f"{each.what}: {each.why}{said}"


def _left_out(seen: Survey, name: str) -> str:
    """Say what of a source did not fit, below what did; empty if all did."""
    lost = [each for each in seen.read if each.name == name and each.left_out]
    return "".join(f"\n\n[not shown: {each.why}]" for each in lost)


def _pages(memories: Iterable[Noticed]) -> str:
    return "\n\n".join(f"[{each.path}]\n{each.text}" for each in memories)


# --- thinking ------------------------------------------------------------------


class Metered:
    """A mind that may say so much and no more; what it said in vain counts too."""

    def __init__(self, mind: minds.Mind, state: Reflecting, phase: Phase) -> None:
        self._mind = mind
        self._grant = state.grant
        self._phase = phase
        self.left, self.asked, self.cut = state.left, 0, False
        self.name = mind.name

    def think(self, question: Question) -> minds.Answer:
        """Think within what is left; see `Mind.think`."""
        if self.left < LEAST:
            raise GrantSpentError(self._grant, self._phase)
        self.cut = False
        capped = replace(question, most_tokens=min(question.most_tokens, self.left))
        self.asked += count_tokens(question.text)
        try:
            answer = self._mind.think(capped)
        except minds.MindUnavailableError as error:
            self.cut = isinstance(error, minds.CutOffAnswerError)
            said = "" if self.cut else getattr(error, "said", "")
            # Nobody knows what was written of an answer that did not arrive whole.
            unknown = capped.most_tokens if error.written else 0
            self._spend(count_tokens(said) if said else unknown)
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
    study: Study,
    occasion: Occasion,
    number: int,
    grant: int,
    asked: date | None = None,
) -> Reflecting:
    """Read what may be read, and be ready for the first phase.

    Args:
        study: The workspace.
        occasion: What started the reflection.
        number: Which reflection.
        grant: The most tokens that may be written.
        asked: From which day on older episodes are read first.
    """
    session, tracked = study.session, study.store.tracked()
    session.look()
    session.sync()
    now = session.clock()
    begin = datetime.combine(asked, time(), session.zone) if asked else None
    start = since(tracked, now, begin)
    scope = Scope(session.confirmed, start, tracked.backlog)
    most = session.config.reflection.input_tokens
    connected = study.minds.kind == "host"
    whole = min(most, host_prompts.max_input_tokens(SCHEMAS)) if connected else most
    budgets = Budgets(whole, connected=connected, rate=whole / most)
    look = (session.index, scope, session.config, now, tracked, heard(study), budgets)
    seen = survey(*look, asked=begin)
    seen = screened(replace(seen, person=find_user_name(session.index)))
    # The same elements again if the same reflection has to begin anew.
    rng = random.Random(f"{session_name(number)} {now.date()}")  # noqa: S311 - no secret
    approved = highest_approved(study.store.text(layout.REFLECTION_LOG))
    special = milestone_due(number, approved)
    milestone = special.number if special else 0
    elements = draw_elements(rng) if grant else ()
    return Reflecting(occasion, number, now, grant, seen, elements, milestone)


def answered(
    state: Reflecting,
    phase: Phase,
    value: Mapping[str, object],
    tokens: int,
    *,
    cut: bool = False,
) -> Reflecting:
    """The state once a phase is thought through."""
    thought = Thought(phase, json.dumps(value, ensure_ascii=False), tokens, cut=cut)
    return moved(state, thoughts=(*state.thoughts, thought), problem="")


def lost(state: Reflecting, phase: Phase, tokens: int) -> Reflecting:
    """The state once a phase said more than was left: none of it, the others go on."""
    thought = Thought(phase, "{}", tokens, lost=True)
    return moved(state, thoughts=(*state.thoughts, thought), problem="")


def think(
    study: Study, state: Reflecting, mind: minds.Mind, phase: Phase
) -> tuple[Reflecting, ReverieError | None]:
    """Ask one phase's question.

    Returns:
        The state afterwards, with what it took, and why there is no usable answer.
    """
    question = question_of(state, phase, study.session.config)
    metered = Metered(mind, state, phase)
    try:
        check = _check(phase, study, state)
        value = ask(metered, question, check, partly=True, is_id=ids_in(study))
    except GrantSpentError:
        state = moved(state, asked=state.asked + metered.asked)
        return lost(state, phase, state.left - metered.left), None
    except ReverieError as error:
        if phase is Phase.MEND and isinstance(error, minds.UnusableAnswerError):
            # What was refused stays so, and the others go on.
            state = moved(state, asked=state.asked + metered.asked)
            return lost(state, phase, state.left - metered.left), None
        wasted = state.wasted + state.left - metered.left
        problem, asked = without_secrets(str(error)), state.asked + metered.asked
        return moved(state, wasted=wasted, asked=asked, problem=problem), error
    state = moved(state, asked=state.asked + metered.asked)
    taken = state.left - metered.left
    return answered(state, phase, value, taken, cut=metered.cut), None


def take_answer(study: Study, state: Reflecting, text: str, phase: Phase) -> Reflecting:
    """The state once the host agent has answered the phase it was asked.

    A bad answer is counted and noted in the state; see `Reflecting.problem`. One that
    is longer than what was left is lost, and costs its share of it.
    """
    tokens = count_tokens(text)
    question = question_of(state, phase, study.session.config, only_new=state.sent > 0)
    # An answer that is corrected does not have its question sent again.
    asked = 0 if state.problem else count_tokens(question.text)
    study.minds.note(
        minds.Use(question.operation, "host", asked, tokens, estimated=True)
    )
    state = moved(state, asked=state.asked + asked)
    if tokens > state.left:
        return lost(state, phase, question.most_tokens)
    try:
        as_text = phase in {Phase.CONSOLIDATE, Phase.MEND}
        value = fitting_answer(text, question, ids_in(study), as_text=as_text)
        return answered(state, phase, _check(phase, study, state)(value), tokens)
    except (BadAnswerError, ValueError) as error:
        problem = error.problem if isinstance(error, BadAnswerError) else str(error)
        wasted = state.wasted + tokens
        return moved(state, wasted=wasted, problem=without_secrets(problem))


def ids_in(study: Study) -> Callable[[str], bool]:
    """Return what tells whether a word is the ID of an existing memory."""
    return partial(is_known_id, study.session.index)


def fitting_answer(
    text: str,
    question: Question,
    is_id: Callable[[str], bool] = is_no_id,
    *,
    as_text: bool = False,
) -> Mapping[str, object]:
    """A host agent's answer that fits the question's schema.

    Args:
        text: What it said.
        question: What it was asked.
        is_id: Whether a word is the ID of an existing memory, and so no secret.
        as_text: Whether operations may come in their text form.
    """
    try:
        value = parse_object(text)
    except BadAnswerError:
        if not as_text or not parse_text(text).operations:
            raise
        value = {"text": text}
    # All of it is kept until the end, and a problem quotes what is wrong.
    value = screened(value, pieces_of(text, is_id), is_id)
    if problem := find_problem(value, question.schema):
        raise BadAnswerError(problem, text)
    return value


_ACTS = {"operations", "text", "proposals"}
_ACTS |= {"merges", "distinct", "settles", "answers", "closes"}


def _check(
    phase: Phase, study: Study, state: Reflecting
) -> Callable[[Mapping[str, object]], Mapping[str, object]]:
    """What makes sure that an answer makes sense; a monologue may miss once."""
    told = study.session.config.reflection.presentation == "monologue"
    lenient = bool(state.problem)

    def check(value: Mapping[str, object]) -> Mapping[str, object]:
        nonlocal lenient
        faults: tuple[str, ...] = ()
        if phase is Phase.CONSOLIDATE and not value.keys() & _ACTS:
            faults = ("there is no list of operations",)
        if phase is Phase.REWRITE and not lenient:
            lines = msgspec.convert(value, Rewritten).remove
            if any(not line.action for line in lines):
                faults = ("each line in `remove` needs `action`: move or drop",)
                lenient = True
        if phase is Phase.PRESENT and told:
            text = str(value.get("monologue", ""))
            if not text.strip():
                faults = ("the monologue is empty",)
            elif not lenient:
                # Told once, then what can be mended is mended, and the rest is shown.
                faults = find_faults(text)
                lenient = bool(faults)
        if faults:
            raise ValueError("; ".join(faults))
        return value

    return check
