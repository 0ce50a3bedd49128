"""Draft: put the phases' answers together, plan them, and write the proposal page."""

from __future__ import annotations

import re
from dataclasses import asdict, astuple, dataclass, field, replace
from datetime import time
from typing import TYPE_CHECKING

from reverie.errors import ConflictError
from reverie.markdown import one_line
from reverie.model import reflection as model
from reverie.model.change import Action, Actor, Approval, ChangeSet
from reverie.model.origin import Origin
from reverie.model.reflection import Insight, Operation, OperationKind, Refused
from reverie.reflection import phases
from reverie.reflection.checkin import next_time
from reverie.reflection.cycle import fingerprint
from reverie.reflection.monologue import find_faults, mended
from reverie.reflection.operations.loss_guard import require_harmless
from reverie.reflection.operations.parse import (
    ReadOperations,
    parse_structured,
    parse_text,
    screened,
    why_refused,
    without_smuggled,
)
from reverie.reflection.operations.plan import (
    About,
    NotCoreMemoryError,
    core_operations,
    plan_operations,
)
from reverie.reflection.phases import MOST_OPERATIONS, Phase, said
from reverie.reflection.proposal_page import (
    parse_pending,
    render_pending,
    storable_pending,
)
from reverie.reflection.provenance import Sources
from reverie.reflection.records.evolution import Counted, render_insight
from reverie.reflection.records.identity import MOST, awareness_items
from reverie.reflection.records.log import MILESTONES
from reverie.reflection.summary import SummaryParts, render_summary
from reverie.reflection.trial import try_all
from reverie.secrets import without_secrets
from reverie.stores import core as core_store
from reverie.stores.core import HEADINGS
from reverie.stores.proposals import listed
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from reverie.decay import Trace
    from reverie.model.change import Edit
    from reverie.model.proposals import Proposal
    from reverie.reflection.cycle import Reflecting, Study
    from reverie.reflection.operations.plan import Planned, Site
    from reverie.session.session import House

_EARLIER = re.compile(r"(?:reflection\s*)?#([0-9]{1,6})\b[\s:.,-]*(.*)", re.IGNORECASE)
_VERDICTS = {"commit": OperationKind.COMMIT, "reject": OperationKind.REJECT}


class PageTakenError(ConflictError):
    """A proposal waits already where another one is to be laid."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"reflection #{number} waits for a decision on "
            f"{layout.PENDING_REFLECTION} again",
            hint="Decide on it first: `reverie reflect show`. Nothing is overwritten.",
        )


@dataclass(frozen=True, slots=True)
class Draft:
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


# --- what a mind came to -------------------------------------------------------


def dream(study: Study, state: Reflecting) -> Draft:
    """What a mind came to in five phases."""
    # What is for one person alone was not shown, so nothing is decided on it.
    waiting = [one for one in listed(study.house.ledger.read) if not one.scope]
    return draft_of(state, study.store.text(layout.CORE), waiting)


def draft_of(state: Reflecting, core: str, proposals: Sequence[Proposal]) -> Draft:
    """Put together what a mind said in five phases.

    Args:
        state: With an answer of every phase.
        core: All of core memory; what was read of it may have been cut.
        proposals: What waits for a decision, to be decided on the way.
    """
    found = said(state, Phase.CONSOLIDATE, phases.Consolidated)
    told = said(state, Phase.PRESENT, phases.Presented)
    rewritten = _core(said(state, Phase.REWRITE, phases.Rewritten), core)
    read = without_smuggled(_read(found), sources_of(state.survey))
    read_from = Sources(state.survey)
    operations = read_from.told((*read.operations, *rewritten.operations))
    monologue = told.monologue
    monologue = (mended(monologue) if find_faults(monologue) else monologue).strip()
    what = "not left out, but a fault of the monologue"
    faults = find_faults(monologue) if monologue else ()
    return Draft(
        # A relation can only stand on a page that is there.
        tuple(
            sorted(
                (*operations, *_judged(found, proposals)),
                key=lambda one: one.kind is not OperationKind.EXTRACT,
            )
        ),
        (
            *(*read.refused, *rewritten.refused),
            *(Refused(what, fault) for fault in faults),
        ),
        monologue,
        _insight(told),
        said(state, Phase.SURVEY, phases.Surveyed).themes,
        tuple(each for each in found.questions if not is_unfit(each)),
        told.essay.strip(),
        origin=read_from.least_trusted,
    )


def _read(found: phases.Consolidated) -> ReadOperations:
    structured = parse_structured(
        [
            asdict(replace(each, reason=_citing(each.reason, each.sources)))
            for each in found.operations
        ]
    )
    written = parse_text(found.text) if found.text else ReadOperations()
    return ReadOperations(
        (*structured.operations, *written.operations),
        (*structured.refused, *written.refused),
    )


def _citing(reason: str, sources: Sequence[str]) -> str:
    """A reason that names what an operation is made of."""
    missing = [name for name in map(one_line, sources) if name and name not in reason]
    return f"{reason} ({', '.join(missing)})".strip() if missing else reason


def sources_of(survey: model.Survey) -> Iterator[str]:
    """Every text that the mind has seen, and may only have copied from."""
    yield from (survey.core, survey.evolution, *survey.log)
    yield from (survey.graph, survey.economy, survey.proposals)
    seen = (survey.episodes, survey.entities, survey.procedures, survey.fading)
    for memories in seen:
        yield from (f"{each.title}\n{each.text}" for each in memories)


def _core(found: phases.Rewritten, core: str) -> ReadOperations:
    if found.memory.strip():
        try:
            return screened(core_operations(core, found.memory))
        except NotCoreMemoryError as error:
            return ReadOperations((), (Refused("a new core memory", str(error)),))
    headings = {heading.casefold(): heading for heading in HEADINGS.values()}
    operations = []
    refused = []
    for sign, lines in (("-", found.remove), ("+", found.add)):
        for line in lines:
            heading = headings.get(line.section.strip(" #").casefold())
            text = " ".join(line.text.split()).removeprefix("- ")
            if heading and text:
                content, why = f"{sign} {text}", _citing("", line.sources)
                operations.append(Operation(OperationKind.CORE, heading, content, why))
            else:
                why = f"core memory has no section {line.section!r}"
                refused.append(Refused(f"{sign} {text}", why))
    passed = screened(operations)
    return ReadOperations(passed.operations, (*refused, *passed.refused))


def _judged(
    found: phases.Consolidated, proposals: Sequence[Proposal]
) -> Iterator[Operation]:
    """What is to become of proposals that wait; one that is put off stays there."""
    waiting = {proposal.number: proposal for proposal in proposals}
    for judged in found.proposals:
        kind = _VERDICTS.get(judged.verdict)
        proposal = waiting.pop(judged.number, None)
        if kind and proposal:
            yield Operation(
                kind,
                f"#{proposal.number}",
                proposal.content,
                judged.reason,
                origin=proposal.origin,
            )


def is_unfit(words: str) -> bool:
    """Whether words that an agent would read again may not be kept for it."""
    return bool(words) and bool(
        why_refused(Operation(OperationKind.EVOLVE, layout.EVOLUTION, words))
    )


def _insight(told: phases.Presented) -> Insight:
    names = ("new_understanding", "confirmed", "revised", "continues", "opens")
    lines = {"vibe": told.vibe, "key": told.key_insight}
    lines |= {name: getattr(told, name) for name in names}
    lines = {key: " ".join(text.split()) for key, text in lines.items()}
    if earlier := _EARLIER.fullmatch(lines["continues"]):
        lines["continues"] = f"Reflection #{earlier[1]}: {earlier[2]}".rstrip(": ")
    return Insight(**{k: "" if is_unfit(text) else text for k, text in lines.items()})


# --- what becomes of it before it is shown -------------------------------------


def without_rejected(draft: Draft, rejected: Mapping[str, str]) -> Draft:
    """A draft that does not come back with what the human rejected before.

    Args:
        draft: Its operations with their targets in the usual form.
        rejected: By fingerprint, in which reflection it was.
    """
    kept: list[Operation] = []
    again: list[Refused] = []
    for operation in draft.operations:
        session = rejected.get(fingerprint(operation))
        if session is None:
            kept.append(operation)
        else:
            what = f"{operation.kind} {operation.target}"
            again.append(Refused(what, f"you rejected it in {session}"))
    return replace(draft, operations=tuple(kept), refused=(*draft.refused, *again))


def with_evolution(draft: Draft, counted: Counted) -> Draft:
    """A draft whose insights and questions are one change of the evolution.

    What operations say of it stands beside what was told in the end.
    """
    evolved = [each for each in draft.operations if _evolves(each)]
    told = (draft.insight.new_understanding, *(each.content for each in evolved))
    understood = " ".join(dict.fromkeys(filter(None, map(one_line, told))))
    insight = replace(draft.insight, new_understanding=understood)
    content = render_insight(insight, draft.questions, counted)
    if not content:
        return draft
    reasons = dict.fromkeys(each.reason for each in evolved if each.reason)
    whole = Operation(
        OperationKind.EVOLVE,
        layout.EVOLUTION,
        content,
        " ".join(reasons),
        " ".join(each.context for each in evolved).strip(),
        draft.origin,
    )
    operations = list(draft.operations)
    place = operations.index(evolved[0]) if evolved else len(operations)
    rest = [each for each in operations if not _evolves(each)]
    place -= sum(map(_evolves, operations[:place]))
    return replace(
        draft, insight=insight, operations=(*rest[:place], whole, *rest[place:])
    )


def _evolves(operation: Operation) -> bool:
    """Whether an insight goes where insights go; any other is refused by itself."""
    meant = operation.target in {layout.EVOLUTION, "evolution.md"}
    return operation.kind is OperationKind.EVOLVE and meant


def with_notices(draft: Draft) -> Draft:
    """A draft with a change for each thing the monologue says of the agent itself.

    What it says gives the agent no power, whatever it is worded like: it is a note of
    its own, under a heading of its own, and its human sees it before it is kept.
    """
    found = awareness_items(draft.monologue)
    wanted = [
        Operation(OperationKind.NOTICE, layout.IDENTITY, words, origin=draft.origin)
        for words in found[:MOST]
    ]
    read, over = screened(wanted), len(found) - MOST
    refused = (*draft.refused, *read.refused)
    if over > 0:
        why = f"one reflection may add {MOST}, and these came last"
        refused += (Refused(f"{over} more notes of self-awareness", why),)
    operations = (*draft.operations, *read.operations)
    return replace(draft, operations=operations, refused=refused)


def _told(draft: Draft) -> Draft:
    """A draft that tells no secret; operations have none, or they would be refused."""
    return replace(
        draft,
        refused=tuple(
            Refused(without_secrets(each.what), without_secrets(each.why))
            for each in draft.refused
        ),
        monologue=without_secrets(draft.monologue),
        insight=Insight(*map(without_secrets, astuple(draft.insight))),
        themes=tuple(map(without_secrets, draft.themes)),
        questions=tuple(map(without_secrets, draft.questions)),
        listed=tuple(
            (without_secrets(title), tuple(map(without_secrets, lines)))
            for title, lines in draft.listed
        ),
        essay=without_secrets(draft.essay),
    )


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
    house, made, wanted = study.house, study.house.clock(), draft.operations
    over, refused = len(wanted) - MOST_OPERATIONS, draft.refused
    if over > 0:
        why = f"one reflection may propose {MOST_OPERATIONS} at most"
        refused = (*refused, Refused(f"{over} more operations", why))
    draft = replace(draft, operations=wanted[:MOST_OPERATIONS], refused=refused)
    monologue = bool(state.thoughts and draft.monologue)
    monologue = monologue and house.config.reflection.presentation != "summary"
    if state.thoughts:  # Else nothing was understood that could evolve.
        draft = with_evolution(draft, _counted(study))
        draft = with_notices(draft) if monologue else draft
    draft = _told(draft)
    site = site_of(study, state.number, made, state.milestone)
    first = plan_operations(draft.operations, site)
    draft = replace(draft, operations=tuple(step.operation for step in first.steps))
    draft = without_rejected(draft, dict(study.store.tracked().rejected))
    prune = Operation(OperationKind.PRUNE, layout.REFLECTION_LOG, _PRUNED)
    if plan_operations([prune], site).steps:
        # The log has become too long.
        draft = replace(draft, operations=(*draft.operations, prune))
    # Once more without what was refused, so that numbers and diffs agree.
    planned = plan_operations(draft.operations, site)
    require_harmless(planned, sum(house.index.counts().values()), house.config)
    trials = try_all(house, study.search, all_edits(house, planned))
    draft = _told(replace(draft, refused=(*draft.refused, *first.refused)))
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
        trials=trials,
        questions=draft.questions,
        grant=state.grant,
        used=state.used,
        input_tokens=state.survey.tokens,
        read_until=state.survey.read_until,
        milestone=str(special) if special else "",
        essay=draft.essay,
    )
    if not monologue:
        told = render_summary(_parts(study, state, draft, planned))
        form = model.Presentation.SUMMARY
        pending = replace(pending, presentation=form, told=told, elements=())
    pending = storable_pending(pending)
    return pending, page_of(pending, planned)


_PRUNED = (
    "Older entries move to reflection-archive.md; a line of each stays, of the "
    "oldest their numbers."
)


def _counted(study: Study) -> Counted:
    counts = study.house.index.counts()
    memory = core_store.parse_core(study.store.text(layout.CORE), layout.CORE)
    cap = study.house.config.core.cap_tokens
    percent = 100 * core_store.total_tokens(memory) // cap
    return Counted(counts.get("semantic", 0), counts.get("procedural", 0), percent)


def _parts(
    study: Study, state: Reflecting, draft: Draft, planned: Planned
) -> SummaryParts:
    seen, settings, local = state.survey, study.house.config.reflection, study.local()
    now, at = study.house.clock(), time.fromisoformat(settings.time)
    steps = (s for s in planned.steps if s.operation.kind is OperationKind.CORE)
    special = MILESTONES.get(state.milestone)
    return SummaryParts(
        number=state.number,
        day=study.today(),
        zone=local,
        operations=draft.operations,
        insight=draft.insight,
        themes=draft.themes,
        questions=draft.questions,
        core_diff="\n".join(step.diff for step in steps),
        processed=(len(seen.episodes), len(seen.entities), len(seen.procedures)),
        reviewed=len(seen.log),
        tokens_read=(seen.tokens, settings.input_tokens),
        tokens_written=(state.used, state.grant),
        next_at=next_time(now, local, at, settings.frequency, now),
        listed=draft.listed,
        without_mind=not state.thoughts,
        milestone=str(special) if special else "",
    )


def site_of(study: Study, number: int, made: datetime, milestone: int) -> Site:
    """What planning for a reflection may look at.

    It is planned as of the moment it was proposed, so that what is approved days
    later is what was shown, to the day.
    """
    site = study.site()
    day = made.astimezone(study.local()).date()
    desk = replace(site.desk, now=made)
    return replace(site, desk=desk, about=About(number, day, milestone))


def planned_page(study: Study, pending: model.PendingReflection) -> tuple[Site, str]:
    """What a proposal is planned on, and its page for the files as they are now."""
    site = site_of(study, pending.number, pending.made, number_of(pending.milestone))
    numbers = range(1, len(pending.operations) + 1)
    planned = plan_operations(pending.operations, site, numbers)
    return site, page_of(pending, planned)


def page_of(pending: model.PendingReflection, planned: Planned) -> str:
    """The page of a proposal, with what each of its changes would do."""
    diffs = {step.number: step.diff for step in planned.steps}
    after = {step.number: step.after for step in planned.steps}
    known = set(pending.refused)
    refused = (*pending.refused, *(r for r in planned.refused if r not in known))
    return render_pending(replace(pending, refused=refused), diffs, after)


def number_of(milestone: str) -> int:
    """The number of a milestone such as `#10 — First evolution summary`."""
    found = re.match(r"#([0-9]{1,6})\b", milestone)
    return int(found[1]) if found else 0


def all_edits(house: House, planned: Planned) -> tuple[Edit, ...]:
    """Everything that operations would change, the scores included."""
    traces = archived_traces(house, planned.archived)
    scores = house.plan_snapshot(traces) if traces else ()
    return (*planned.edits, *scores)


def archived_traces(house: House, ids: Iterable[str]) -> dict[str, Trace]:
    """The traces of memories that shall be hidden."""
    traces = {id_: house.index.trace(id_) for id_ in ids}
    return {
        id_: replace(trace, archived=True) for id_, trace in traces.items() if trace
    }


def lay_out(study: Study, pending: model.PendingReflection, page: str) -> None:
    """Commit the page, so that its human finds it wherever they look.

    Raises:
        PageTakenError: Another proposal waits on it.
    """
    old = study.house.ledger.read(layout.PENDING_REFLECTION) or b""
    other = parse_pending(old.decode("utf-8", "replace"), layout.PENDING_REFLECTION)
    if other is not None and other.number != pending.number:
        raise PageTakenError(other.number)
    why = f"reflection #{pending.number} waits for a decision"
    edit = study.store.edit(layout.PENDING_REFLECTION, page, why, Action.PROPOSE)
    actor = Actor(f"reflection:{pending.session}")
    study.house.commit(ChangeSet((edit,), actor, Approval.PENDING, why))
