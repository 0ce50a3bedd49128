"""Draft: put the phases' answers together, plan them, and write the proposal page."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from reverie.errors import ConflictError
from reverie.markdown import one_line
from reverie.model import reflection as model
from reverie.model.change import Action, Actor, Approval, ChangeSet
from reverie.model.items import Origin
from reverie.model.reflection import Insight, Operation, OperationKind, Refused
from reverie.reflection import operations as ops
from reverie.reflection import phases
from reverie.reflection.answer_operations import (
    EVOLUTION_PAGES,
    core_operations,
    find_unrepaired,
    finishes_thread,
    operations_besides,
    with_finished_threads,
    with_sources,
)
from reverie.reflection.cycle import fingerprint
from reverie.reflection.evolution import (
    Counted,
    open_in,
    render_insight,
)
from reverie.reflection.feedback import find_open_changes, insights
from reverie.reflection.identity import MOST, awareness_items
from reverie.reflection.log import MILESTONES
from reverie.reflection.loss_guard import require_harmless
from reverie.reflection.phases import Phase, next_phase, said
from reverie.reflection.plan import About, plan_operations
from reverie.reflection.presentation import Surrounding, find_faults, render_summary
from reverie.reflection.proposal_page import (
    parse_pending,
    render_pending,
    storable_pending,
)
from reverie.reflection.records import folded
from reverie.reflection.sources import Sources, origins
from reverie.reflection.traces import all_edits
from reverie.reflection.trial import try_all
from reverie.reflection.waiting import decidable_proposals
from reverie.secrets import screened as without_any_secret
from reverie.stores import core as core_store
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import (
        Collection,
        Iterable,
        Mapping,
        Sequence,
    )
    from datetime import datetime

    from reverie.model.proposals import Proposal
    from reverie.reflection.cycle import Reflecting, Study
    from reverie.reflection.plan import Planned, Site
    from reverie.reflection.sources import Known

_EARLIER = re.compile(r"(?:reflection\s*)?#([0-9]{1,6})\b[\s:.,-]*(.*)", re.IGNORECASE)
_OPEN_SINCE = re.compile(r" ?\(left out in reflection #[0-9]+\)\Z")
_EXTRACT = OperationKind.EXTRACT
_CORE_KINDS = {OperationKind.CORE, OperationKind.MOVE, OperationKind.DROP}
_VERDICTS = {"commit": OperationKind.COMMIT, "reject": OperationKind.REJECT}
_PRUNED = (
    "Older entries move to reflection-archive.md; a line of each stays, of the "
    "oldest their numbers."
)


class Draft(Struct, frozen=True):
    """A proposal before it is planned.

    Attributes:
        operations: What would be done.
        refused: What was thought of and may not be done.
        monologue: What the human reads; empty where a summary is to be written.
        insight: What goes into log and evolution.
        themes: What it was about.
        questions: What the agent would like to know.
        essay: The longer text that a milestone asks for.
        listed: What reflection without a mind lists, as titles and their lines.
        origin: Whose words it all may be made of; of several, the least trusted.
    """

    operations: tuple[Operation, ...] = ()
    refused: tuple[Refused, ...] = ()
    monologue: str = ""
    insight: Insight = field(default_factory=Insight)
    themes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    essay: str = ""
    listed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    origin: Origin = Origin.AGENT

    def but(self, what: str, why: str) -> Draft:
        """The draft with one more thing that may not be done."""
        return replace(self, refused=(*self.refused, Refused(what, why)))


# --- what a mind came to -------------------------------------------------------


def dream(study: Study, state: Reflecting) -> Draft:
    """What a mind came to in five phases."""
    return draft_of(state, decidable_proposals(study), origins(study))


def draft_of(
    state: Reflecting, proposals: Sequence[Proposal], known: Known = lambda _: None
) -> Draft:
    """Put together what a mind said in its phases.

    Args:
        state: With an answer of every phase that was not lost.
        proposals: What waits for a decision, to be decided on the way.
        known: Whose words the memory of an id is.
    """
    first = said(state, Phase.CONSOLIDATE, phases.Consolidated)
    again = said(state, Phase.MEND, phases.Consolidated)
    told = said(state, Phase.PRESENT, phases.Presented)
    sources = Sources(state.survey, known)
    (first, missed), (again, missed_again) = (
        _matched(each, state.survey.evolution) for each in (first, again)
    )
    mended = any(thought.phase == Phase.MEND for thought in state.thoughts)
    reads = [
        _read(first, sources, state.survived if mended else None),
        _read(again, sources),
        *(
            ops.without_smuggled(
                ops.screened(operations_besides(each), sources.is_id), sources.texts
            )
            for each in (first, again)
        ),
        ops.screened(
            core_operations(said(state, Phase.REWRITE, phases.Rewritten)), sources.is_id
        ),
    ]
    if mended:
        # What was refused at first is not planned, and refused, once more.
        said_in_vain = {(each.what, each.said) for each in state.refused}
        kept = tuple(
            one
            for one in reads[2].operations
            if (ops.name_of(one), one.content) not in said_in_vain
        )
        reads[2] = replace(reads[2], operations=kept)
    made = sources.told(one for read in reads for one in read.operations)
    monologue = told.monologue.strip()
    judged, unknown = _judge((*first.proposals, *again.proposals), proposals)
    questions = (*first.questions, *again.questions)
    draft = Draft(
        # A relation can only stand on a page that is there.
        tuple(sorted((*made, *judged), key=lambda one: one.kind is not _EXTRACT)),
        # Who decides sees what was tried first as well.
        tuple(
            dict.fromkeys(
                (
                    *(
                        find_unrepaired(state.refused, again, reads[1:4:2])
                        if mended
                        else ()
                    ),
                    *(refused for read in reads for refused in read.refused),
                    *(*missed, *missed_again, *unknown),
                )
            )
        ),
        monologue,
        _insight(told, (first, again)),
        said(state, Phase.SURVEY, phases.Surveyed).themes,
        tuple(each for each in questions if not is_unfit(each)),
        told.essay.strip(),
        origin=sources.least_trusted,
    )
    for fault in find_faults(monologue) if monologue else ():
        draft = draft.but("not left out, but a fault of the monologue", fault)
    for thought in state.thoughts:
        if thought.lost:
            why = "it said more than was left of the tokens, or nothing of use"
            draft = draft.but(f"the step '{thought.phase}'", why)
        if thought.cut:
            why = "it was cut off, and only what came whole counts"
            draft = draft.but(f"the end of the step '{thought.phase}'", why)
    return draft


def _judge(
    verdicts: Sequence[phases.Judged], proposals: Sequence[Proposal]
) -> tuple[list[Operation], list[Refused]]:
    """Return the decisions on pending proposals, and those that cannot be made.

    One that is deferred stays where it is, and none is decided on twice.
    """
    waiting = {proposal.number: proposal for proposal in proposals}
    judged, refused = list[Operation](), list[Refused]()
    for number, one in {each.number: each for each in reversed(verdicts)}.items():
        proposal, kind = waiting.get(number), _VERDICTS.get(one.verdict)
        if proposal is None:
            what = f"{kind or one.verdict} #{number}"
            why = "no proposal of this number waits, or only the user decides on it"
            refused.append(Refused(what, why))
        elif kind:
            content, origin = proposal.content, proposal.origin
            judged.append(
                Operation(kind, f"#{number}", content, one.reason, origin=origin)
            )
    return judged[::-1], refused[::-1]


def _matched(
    found: phases.Consolidated, evolution: str
) -> tuple[phases.Consolidated, list[Refused]]:
    """An answer that closes and answers only what is open, and what else it would."""
    found = with_finished_threads(found)
    threads, questions = open_in(evolution)
    refused: list[Refused] = []

    def closes(one: phases.ClosedThread) -> bool:
        for title in filter(None, (one.thread.strip(), one.into.strip())):
            if folded(title) not in threads:
                why = f"no open thread is called {title!r}"
                refused.append(Refused(f"closes {one.thread!r}", why))
                return False
        return True

    def answers(one: phases.AnsweredQuestion) -> bool:
        if one.page.strip() or folded(one.question) in questions:
            return True
        why = "it is none of the open questions"
        refused.append(Refused(f"answers {one.question!r}", why, one.answer))
        return False

    kept = filter(closes, found.closes), filter(answers, found.answers)
    matched = replace(found, closes=tuple(kept[0]), answers=tuple(kept[1]))
    return matched, refused


def _read(
    found: phases.Consolidated, sources: Sources, only: Collection[int] | None = None
) -> ops.ReadOperations:
    """The operations that a mind wrote, without what is quoted or may not pass.

    Args:
        found: What it said.
        sources: What it was shown.
        only: Which of those that it listed count; all by default.
    """
    written = [
        {**msgspec.to_builtins(each), "reason": with_sources(each.reason, each.sources)}
        for number, each in enumerate(found.operations)
        if (only is None or number in only) and not finishes_thread(each)
    ]
    reads = [
        ops.without_smuggled(
            ops.parse_structured(written, sources.is_id), sources.texts
        ),
        ops.without_smuggled(ops.parse_text(found.text, sources.is_id), sources.texts),
    ]
    return ops.ReadOperations(
        tuple(one for read in reads for one in read.operations),
        tuple(one for read in reads for one in read.refused),
    )


def weighed(study: Study, state: Reflecting, phase: Phase | str) -> Reflecting:
    """The state once it is known what of a mind's operations can be done.

    What comes after is told what survived; what did not goes back to the mind once.
    """
    if phase not in {Phase.CONSOLIDATE, Phase.MEND} or next_phase(state) is phase:
        return state
    draft = without_contradictory_pairs(dream(study, state))
    made = study.session.clock()
    site = site_of(study, state.number, made, state.milestone)
    # Insights become one change, whatever they are.
    insight = [one for one in draft.operations if one.kind is OperationKind.EVOLVE]
    rest = [one for one in draft.operations if one.kind is not OperationKind.EVOLVE]
    planned = plan_operations(rest, site)
    done = {*insight, *(rest[step.number - 1] for step in planned.steps)}
    able = [*(step.operation for step in planned.steps), *insight]
    kept = tuple(
        f"{one.kind} {one.target}: {one.content}"
        + (f" ({one.reason})" if one.reason else "")
        for one in able
    )
    refused, survived = state.refused, state.survived
    if phase is Phase.CONSOLIDATE:
        refused = without_any_secret((*draft.refused, *planned.refused))
        sources = Sources(state.survey, origins(study))
        # What is in text form is read as a whole, not once for each of the others.
        found = replace(said(state, Phase.CONSOLIDATE, phases.Consolidated), text="")
        alone = (
            _read(found, sources, {n}).operations for n in range(len(found.operations))
        )
        survived = tuple(
            n
            for n, one in enumerate(alone)
            if done.issuperset(sources.told(one)) and one
        )
    return replace(state, kept=kept, survived=survived, refused=refused)


def is_unfit(words: str) -> bool:
    """Whether words that an agent would read again may not be kept for it."""
    return bool(words) and bool(
        ops.why_refused(Operation(OperationKind.EVOLVE, layout.EVOLUTION, words))
    )


def _insight(
    told: phases.Presented, found: Iterable[phases.Consolidated] = ()
) -> Insight:
    names = ("new_understanding", "confirmed", "revised", "continues", "opens")
    lines = {"vibe": told.vibe, "key": told.key_insight}
    lines |= {name: getattr(told, name) for name in names}
    lines = {key: " ".join(text.split()) for key, text in lines.items()}
    if earlier := _EARLIER.fullmatch(lines["continues"]):
        lines["continues"] = f"Reflection #{earlier[1]}: {earlier[2]}".rstrip(": ")
    closes = [
        f"{one.thread} → {one.into}" if one.into.strip() else one.thread
        for each in found
        for one in each.closes
    ]
    answers = [
        f"{one.question} → {one.answer}"
        for each in found
        for one in each.answers
        if not one.page.strip()
    ]
    patterns = [
        f"{', '.join(f'#{n}' for n in sorted(set(each.seen_in)))}: {each.pattern}"
        for each in told.patterns
        if each.seen_in
    ]
    lists = {"closes": closes, "answers": answers, "patterns": patterns}
    fit = {
        name: tuple(one_line(each) for each in some if not is_unfit(each))
        for name, some in lists.items()
    }
    told_in_lines = {k: "" if is_unfit(text) else text for k, text in lines.items()}
    return replace(Insight(), **told_in_lines, **fit)


# --- what becomes of it before it is shown -------------------------------------


def without_rejected(draft: Draft, rejected: Mapping[str, str]) -> Draft:
    """A draft that does not come back with what the human rejected before.

    Args:
        draft: Its operations with their targets in the usual form.
        rejected: By fingerprint, in which reflection it was.
    """
    marked = [(rejected.get(fingerprint(one)), one) for one in draft.operations]
    kept = tuple(one for session, one in marked if session is None)
    draft = replace(draft, operations=kept)
    for session, one in marked:
        if session is not None:
            what, why = f"{one.kind} {one.target}", f"you rejected it in {session}"
            draft = draft.but(what, why)
    return draft


def with_evolution(draft: Draft, counted: Counted) -> Draft:
    """A draft whose insights and questions are one change of the evolution.

    What operations say of it stands beside what was told in the end. An insight that
    goes elsewhere is refused by itself.
    """
    evolved = [
        one
        for one in draft.operations
        if one.kind is OperationKind.EVOLVE and one.target in EVOLUTION_PAGES
    ]
    rest = [one for one in draft.operations if one not in evolved]
    at = draft.operations.index(evolved[0]) if evolved else len(rest)
    told = (draft.insight.new_understanding, *(each.content for each in evolved))
    understood = " ".join(dict.fromkeys(filter(None, map(one_line, told))))
    insight = replace(draft.insight, new_understanding=understood)
    content = render_insight(insight, draft.questions, counted)
    if not content:
        return draft
    reason = " ".join(dict.fromkeys(each.reason for each in evolved if each.reason))
    context = " ".join(each.context for each in evolved).strip()
    kind, path = OperationKind.EVOLVE, layout.EVOLUTION
    whole = Operation(kind, path, content, reason, context, draft.origin)
    return replace(draft, insight=insight, operations=(*rest[:at], whole, *rest[at:]))


def with_notices(draft: Draft, discussed: Sequence[str] = ()) -> Draft:
    """A draft with a change for each thing the monologue says of the agent itself.

    What it says gives the agent no power, whatever it is worded like: it is a note of
    its own, under a heading of its own, and its human sees it before it is kept.

    Args:
        draft: With its monologue.
        discussed: What was noticed when earlier reflections were talked about.
    """
    found = [*dict.fromkeys((*discussed, *awareness_items(draft.monologue)))]
    read = ops.screened(
        Operation(OperationKind.NOTICE, layout.IDENTITY, words, origin=draft.origin)
        for words in found[:MOST]
    )
    over = len(found) - MOST
    operations = (*draft.operations, *read.operations)
    refused = (*draft.refused, *read.refused)
    draft = replace(draft, operations=operations, refused=refused)
    if over <= 0:
        return draft
    why = f"one reflection may add {MOST}, and these came last"
    return draft.but(f"{over} more notes of self-awareness", why)


_OF_ITS_TIME = {OperationKind.EVOLVE, OperationKind.PRUNE}
"""Kinds that are made anew for each reflection."""


def with_open_changes(
    draft: Draft, number: int, left_out: Sequence[Operation]
) -> Draft:
    """Return a draft that proposes again what the last decision left out.

    Args:
        draft: A draft.
        number: The reflection whose changes were left out.
        left_out: These changes.
    """
    known = {_subject_of(one) for one in draft.operations}
    again = tuple(
        replace(one, reason=_left_open(one.reason, number))
        for one in left_out
        if one.kind not in _OF_ITS_TIME and _subject_of(one) not in known
    )
    return replace(draft, operations=(*draft.operations, *again))


def _left_open(reason: str, number: int) -> str:
    """Return a reason that says since which reflection the change is open."""
    first = _OPEN_SINCE.sub("", reason).strip()
    return f"{first} (left out in reflection #{number})".strip()


def _subject_of(operation: Operation) -> str:
    """Return what two operations share of which only one may be proposed."""
    if pair := _pair_of(operation):
        return " ".join(sorted(pair))
    if operation.kind in {OperationKind.COMMIT, OperationKind.REJECT}:
        return operation.target
    return fingerprint(operation)


def without_contradictory_pairs(draft: Draft) -> Draft:
    """Return a draft without pairs of pages said to be both the same and distinct."""
    pairs = {one: _pair_of(one) for one in draft.operations}
    verdicts = {(each, one.kind) for one, each in pairs.items() if each}
    counts = Counter(each for each, _ in verdicts)
    draft = replace(
        draft,
        operations=tuple(one for one, each in pairs.items() if counts[each] < 2),
    )
    for each in (each for each, count in counts.items() if count > 1):
        why = "the answer says both that these pages are the same and that they are not"
        draft = draft.but(f"MERGE {' and '.join(sorted(each))}", why)
    return draft


def _pair_of(operation: Operation) -> frozenset[str]:
    """Return the two pages that MERGE or DISTINCT names; empty for other operations."""
    if operation.kind not in {OperationKind.MERGE, OperationKind.DISTINCT}:
        return frozenset()
    with suppress(ops.OutOfBoundsError):
        return frozenset(ops.entities_in(operation))
    return frozenset()


# --- the page ------------------------------------------------------------------


def propose(
    study: Study, state: Reflecting, draft: Draft
) -> tuple[model.PendingReflection, str]:
    """Plan a draft, try it, and write the page on which its human decides.

    Returns:
        The proposal, and the page.

    Raises:
        LossError: It would take away more than one reflection may.
    """
    session, made = study.session, study.session.clock()
    if (over := len(draft.operations) - ops.MOST_OPERATIONS) > 0:
        why = f"one reflection may propose {ops.MOST_OPERATIONS} at most"
        draft = draft.but(f"{over} more operations", why)
        draft = replace(draft, operations=draft.operations[: ops.MOST_OPERATIONS])
    monologue = bool(state.thoughts and draft.monologue)
    monologue = monologue and session.config.reflection.presentation != "summary"
    if state.thoughts:  # Else nothing was understood that could evolve.
        draft = with_evolution(draft, _counted(study))
        draft = with_notices(draft, insights(study)) if monologue else draft
    is_id = phases.ids_in(study)
    draft = with_open_changes(draft, *find_open_changes(study))
    draft = without_contradictory_pairs(without_any_secret(draft, is_id=is_id))
    site = site_of(study, state.number, made, state.milestone)
    first = plan_operations(draft.operations, site)
    operations = tuple(step.operation for step in first.steps)
    refused = without_any_secret((*draft.refused, *first.refused), is_id=is_id)
    draft = replace(draft, operations=operations, refused=refused)
    draft = without_rejected(draft, study.store.tracked().rejected)
    prune = Operation(OperationKind.PRUNE, layout.REFLECTION_LOG, _PRUNED)
    if plan_operations([prune], site).steps:
        # The log has become too long.
        draft = replace(draft, operations=(*draft.operations, prune))
    # Once more without what was refused, so that numbers and diffs agree.
    planned = plan_operations(draft.operations, site)
    require_harmless(planned, sum(session.index.counts().values()), session.config)
    special = MILESTONES.get(state.milestone)
    pending = model.PendingReflection(
        number=state.number,
        made=made,
        presentation=model.Presentation.MONOLOGUE,
        told=draft.monologue,
        operations=draft.operations,
        insight=draft.insight,
        elements=state.elements,
        read=state.survey.read,
        refused=draft.refused,
        trials=try_all(session, study.search, all_edits(session, planned)),
        questions=draft.questions,
        grant=state.grant,
        used=state.used,
        input_tokens=state.survey.tokens,
        sent_tokens=state.asked,
        backlog=state.survey.backlog,
        read_until=state.survey.read_until,
        milestone=str(special) if special else "",
        essay=draft.essay,
    )
    if not monologue:
        steps = (s for s in planned.steps if s.operation.kind in _CORE_KINDS)
        schedule = study.schedule()
        around = Surrounding(
            made.astimezone(schedule.zone),
            schedule.next_time(made),
            session.config.reflection.input_tokens,
            "\n".join(step.diff for step in steps),
            draft.themes,
            draft.listed,
            without_mind=not state.thoughts,
        )
        told, form = render_summary(pending, around), model.Presentation.SUMMARY
        pending = replace(pending, presentation=form, told=told, elements=())
    pending = storable_pending(pending)
    return pending, page_of(pending, planned)


def _counted(study: Study) -> Counted:
    counts = study.session.index.counts()
    memory = core_store.parse_core(study.store.text(layout.CORE), layout.CORE)
    cap = study.session.config.core.cap_tokens
    percent = 100 * core_store.total_tokens(memory) // cap
    return Counted(counts.get("semantic", 0), counts.get("procedural", 0), percent)


def site_of(study: Study, number: int, made: datetime, milestone: int) -> Site:
    """What planning for a reflection may look at.

    It is planned as of the moment it was proposed, so that what is approved days
    later is what was shown, to the day.
    """
    site = study.site()
    desk = replace(site.desk, now=site.desk.home(made))
    about = About(number, desk.now.date(), milestone)
    return replace(site, desk=desk, about=about)


def planned_page(study: Study, pending: model.PendingReflection) -> tuple[Site, str]:
    """What a proposal is planned on, and its page for the files as they are now."""
    # A milestone reads such as `#10 — First evolution summary`.
    special = re.match(r"#([0-9]{1,6})\b", pending.milestone)
    milestone = int(special[1]) if special else 0
    site = site_of(study, pending.number, pending.made, milestone)
    numbers = range(1, len(pending.operations) + 1)
    planned = plan_operations(pending.operations, site, numbers)
    return site, page_of(pending, planned)


def page_of(pending: model.PendingReflection, planned: Planned) -> str:
    """The page of a proposal, with what each of its changes would do."""
    diffs = {step.number: step.diff for step in planned.steps}
    after = {step.number: step.after for step in planned.steps}
    refused = tuple(dict.fromkeys((*pending.refused, *planned.refused)))
    return render_pending(replace(pending, refused=refused), diffs, after)


def lay_out(study: Study, pending: model.PendingReflection, page: str) -> None:
    """Commit the page, so that its human finds it wherever they look.

    Raises:
        ConflictError: Another proposal waits on it.
    """
    old = study.session.ledger.read(layout.PENDING_REFLECTION) or b""
    other = parse_pending(old.decode("utf-8", "replace"), layout.PENDING_REFLECTION)
    waits = other is not None and not other.has_nothing_to_decide
    if other is not None and waits and other.number != pending.number:
        taken = f"reflection #{other.number} waits for a decision on "
        taken += f"{layout.PENDING_REFLECTION} again"
        hint = "Decide on it first: `reverie reflect show`. Nothing is overwritten."
        raise ConflictError(taken, hint=hint)
    why = f"reflection #{pending.number} waits for a decision"
    edit = study.store.edit(layout.PENDING_REFLECTION, page, why, Action.PROPOSE)
    actor = Actor(f"reflection:{pending.session}")
    study.session.commit(ChangeSet((edit,), actor, Approval.PENDING, why))
