"""Draft: put the phases' answers together, plan them, and write the proposal page."""

from __future__ import annotations

import re
from dataclasses import asdict, astuple, dataclass, field, replace
from datetime import time
from typing import TYPE_CHECKING

from reverie.errors import ConflictError
from reverie.markdown import one_line
from reverie.model.change import Action, Actor, Approval, ChangeSet
from reverie.model.origin import Origin
from reverie.model.reflection import (
    Insight,
    Operation,
    OperationKind,
    PendingReflection,
    Presentation,
    Refused,
)
from reverie.reflection.checkin import next_time
from reverie.reflection.cycle import Reflecting, fingerprint
from reverie.reflection.monologue import find_faults, mended
from reverie.reflection.operations.core_rewrite import (
    NotCoreMemoryError,
    core_operations,
)
from reverie.reflection.operations.gates import why_refused
from reverie.reflection.operations.losses import require_harmless
from reverie.reflection.operations.planning import About, plan_operations
from reverie.reflection.operations.reading import (
    Read,
    parse_structured,
    parse_text,
    screened,
    without_smuggled,
)
from reverie.reflection.pending import parse_pending, render_pending, storable_pending
from reverie.reflection.phases import (
    MOST_OPERATIONS,
    Consolidated,
    Phase,
    Presented,
    Rewritten,
    Surveyed,
    said,
)
from reverie.reflection.provenance import Sources
from reverie.reflection.record.evolution import Counted, render_insight
from reverie.reflection.record.identity import MOST, awareness_items
from reverie.reflection.record.milestones import MILESTONES
from reverie.reflection.summary import Processed, Spending, SummaryParts, render_summary
from reverie.reflection.token_request import text_edit
from reverie.reflection.trial import try_all
from reverie.secrets import without_secrets
from reverie.stores import core
from reverie.stores.core import HEADINGS
from reverie.stores.proposals import listed
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from reverie.decay.curve import Trace
    from reverie.model.change import Edit
    from reverie.model.proposal import Proposal
    from reverie.model.reflection import Survey, Trial
    from reverie.reflection.cycle import Dreamer
    from reverie.reflection.operations.planning import Planned, Site
    from reverie.session.session import House


_EARLIER = re.compile(r"(?:reflection\s*)?#([0-9]{1,6})\b[\s:.,-]*(.*)", re.IGNORECASE)
_VERDICTS = {"commit": OperationKind.COMMIT, "reject": OperationKind.REJECT}


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


def draft_of(
    state: Reflecting,
    core: str,
    proposals: Sequence[Proposal],
) -> Draft:
    """Put together what a mind said in five phases.

    Args:
        state: With an answer of every phase.
        core: All of core memory; what was read of it may have been cut.
        proposals: What waits for a decision, to be decided on the way.
    """
    found = said(state, Phase.CONSOLIDATE, Consolidated)
    read = _read(found, state.survey)
    rewritten = _core(said(state, Phase.REWRITE, Rewritten), core)
    judged = _judged(found, proposals)
    told = said(state, Phase.PRESENT, Presented)
    read_from = Sources(state.survey)
    text, faults = _monologue(told.monologue)
    return Draft(
        # A relation can only stand on a page that is there.
        tuple(
            sorted(
                (
                    *read_from.told((*read.operations, *rewritten.operations)),
                    *judged,
                ),
                key=_order,
            )
        ),
        (*read.refused, *rewritten.refused, *faults),
        text,
        _insight(told),
        said(state, Phase.SURVEY, Surveyed).themes,
        tuple(each for each in found.questions if not is_unfit(each)),
        told.essay.strip(),
        origin=read_from.least_trusted,
    )


def _order(operation: Operation) -> bool:
    return operation.kind is not OperationKind.EXTRACT


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


def _read(found: Consolidated, survey: Survey) -> Read:
    written_down = [
        asdict(replace(each, reason=_citing(each.reason, each.sources)))
        for each in found.operations
    ]
    structured = parse_structured(written_down)
    written = parse_text(found.text) if found.text else Read()
    read = Read(
        (*structured.operations, *written.operations),
        (*structured.refused, *written.refused),
    )
    return without_smuggled(read, sources_of(survey))


def _citing(reason: str, sources: Sequence[str]) -> str:
    """A reason that names what an operation is made of."""
    missing = [name for name in map(one_line, sources) if name and name not in reason]
    return f"{reason} ({', '.join(missing)})".strip() if missing else reason


def sources_of(survey: Survey) -> Iterator[str]:
    """Every text that the mind has seen, and may only have copied from."""
    yield from (survey.core, survey.evolution, *survey.log)
    yield from (survey.graph, survey.economy, survey.proposals)
    seen = (survey.episodes, survey.entities, survey.procedures, survey.fading)
    for memories in seen:
        yield from (f"{each.title}\n{each.text}" for each in memories)


def _core(found: Rewritten, core: str) -> Read:
    if found.memory.strip():
        try:
            return screened(core_operations(core, found.memory))
        except NotCoreMemoryError as error:
            return Read((), (Refused("a new core memory", str(error)),))
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
    return Read(passed.operations, (*refused, *passed.refused))


def _judged(found: Consolidated, proposals: Sequence[Proposal]) -> Iterator[Operation]:
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
    read = screened(wanted)
    over = len(found) - MOST
    more = (
        Refused(
            f"{over} more notes of self-awareness",
            f"one reflection may add {MOST}, and these came last",
        ),
    )
    return replace(
        draft,
        operations=(*draft.operations, *read.operations),
        refused=(*draft.refused, *read.refused, *(more if over > 0 else ())),
    )


def is_unfit(words: str) -> bool:
    """Whether words that an agent would read again may not be kept for it."""
    return bool(words) and bool(
        why_refused(Operation(OperationKind.EVOLVE, layout.EVOLUTION, words))
    )


def _insight(told: Presented) -> Insight:
    lines = {
        "vibe": told.vibe,
        "key": told.key_insight,
        "new_understanding": told.new_understanding,
        "confirmed": told.confirmed,
        "revised": told.revised,
        "continues": told.continues,
        "opens": told.opens,
    }
    lines = {key: " ".join(text.split()) for key, text in lines.items()}
    earlier = _EARLIER.fullmatch(lines["continues"])
    if earlier:
        lines["continues"] = f"Reflection #{earlier[1]}: {earlier[2]}".rstrip(": ")
    kept = {k: "" if is_unfit(text) else text for k, text in lines.items()}
    return Insight(**kept)


def _monologue(text: str) -> tuple[str, tuple[Refused, ...]]:
    """A monologue, mended where it breaks a rule; what is left of that is told."""
    better = mended(text).strip() if find_faults(text) else text.strip()
    if not better:
        return "", ()
    what = "not left out, but a fault of the monologue"
    return better, tuple(Refused(what, fault) for fault in find_faults(better))


class PageTakenError(ConflictError):
    """A proposal waits already where another one is to be laid."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"reflection #{number} waits for a decision on "
            f"{layout.PENDING_REFLECTION} again",
            hint="Decide on it first: `reverie reflect show`. Nothing is overwritten.",
        )


def propose(
    dreamer: Dreamer, state: Reflecting, draft: Draft
) -> tuple[PendingReflection, str]:
    """Plan a draft, try it, and write the page on which its human decides.

    Returns:
        The proposal, and the page.

    Raises:
        LossError: It would take away more than one reflection may.
    """
    house, made = dreamer.house, dreamer.house.clock()
    draft = _told(_whole(dreamer, state, _few(draft)))
    site = site_of(dreamer, state.number, made, state.milestone)
    first = plan_operations(draft.operations, site)
    draft = replace(draft, operations=tuple(step.operation for step in first.steps))
    draft = without_rejected(draft, dict(dreamer.sleep.tracked().rejected))
    draft = _pruned(draft, site)
    # Once more without what was refused, so that numbers and diffs agree.
    planned = plan_operations(draft.operations, site)
    require_harmless(planned, sum(house.index.counts().values()), house.config)
    trials = try_all(house, dreamer.recalling, all_edits(house, planned))
    refused = (*draft.refused, *first.refused)
    draft = _told(replace(draft, refused=refused))
    pending = _pending(dreamer, state, draft, planned, trials)
    pending = storable_pending(replace(pending, made=made))
    return pending, page_of(pending, planned)


def site_of(dreamer: Dreamer, number: int, made: datetime, milestone: int) -> Site:
    """What planning for a reflection may look at.

    It is planned as of the moment it was proposed, so that what is approved days
    later is what was shown, to the day.
    """
    site = dreamer.site()
    day = made.astimezone(dreamer.local()).date()
    desk = replace(site.desk, now=made)
    return replace(site, desk=desk, about=About(number, day, milestone))


def planned_page(dreamer: Dreamer, pending: PendingReflection) -> tuple[Site, str]:
    """What a proposal is planned on, and its page for the files as they are now."""
    site = site_of(dreamer, pending.number, pending.made, number_of(pending.milestone))
    numbers = range(1, len(pending.operations) + 1)
    planned = plan_operations(pending.operations, site, numbers)
    return site, page_of(pending, planned)


def page_of(pending: PendingReflection, planned: Planned) -> str:
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


def _few(draft: Draft) -> Draft:
    """No more operations than a person can check."""
    over = len(draft.operations) - MOST_OPERATIONS
    if over <= 0:
        return draft
    why = f"one reflection may propose {MOST_OPERATIONS} at most"
    told = Refused(f"{over} more operations", why)
    kept = draft.operations[:MOST_OPERATIONS]
    return replace(draft, operations=kept, refused=(*draft.refused, told))


def _whole(dreamer: Dreamer, state: Reflecting, draft: Draft) -> Draft:
    """A draft in which all that would be kept of it is a change of its own."""
    if not state.thoughts:
        # Nobody thought, so nothing was understood that could evolve.
        return draft
    draft = with_evolution(draft, _counted(dreamer))
    return with_notices(draft) if _is_monologue(dreamer, state, draft) else draft


def _counted(dreamer: Dreamer) -> Counted:
    house = dreamer.house
    counts = house.index.counts()
    memory = core.parse_core(dreamer.sleep.text(layout.CORE), layout.CORE)
    percent = 100 * core.total_tokens(memory) // house.config.core.cap_tokens
    return Counted(counts.get("semantic", 0), counts.get("procedural", 0), percent)


def _pruned(draft: Draft, site: Site) -> Draft:
    """A draft that also makes room in the log, where that has become too long."""
    content = (
        "Older entries move to reflection-archive.md; a line of each stays, of the "
        "oldest their numbers."
    )
    prune = Operation(OperationKind.PRUNE, layout.REFLECTION_LOG, content)
    if not plan_operations([prune], site).steps:
        return draft
    return replace(draft, operations=(*draft.operations, prune))


def _is_monologue(dreamer: Dreamer, state: Reflecting, draft: Draft) -> bool:
    wanted = dreamer.house.config.reflection.presentation
    return bool(state.thoughts and draft.monologue) and wanted != "summary"


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


def _pending(
    dreamer: Dreamer,
    state: Reflecting,
    draft: Draft,
    planned: Planned,
    trials: tuple[Trial, ...],
) -> PendingReflection:
    told, presentation = draft.monologue, Presentation.MONOLOGUE
    if not _is_monologue(dreamer, state, draft):
        presentation = Presentation.SUMMARY
        told = render_summary(_parts(dreamer, state, draft, planned))
    return PendingReflection(
        number=state.number,
        made=dreamer.house.clock(),
        presentation=presentation,
        told=told,
        operations=draft.operations,
        insight=draft.insight,
        elements=state.elements if presentation is Presentation.MONOLOGUE else (),
        read=state.survey.read,
        refused=draft.refused,
        trials=trials,
        questions=draft.questions,
        grant=state.grant,
        used=state.used,
        input_tokens=state.survey.tokens,
        read_until=state.survey.read_until,
        milestone=_milestone(state),
        essay=draft.essay,
    )


def _parts(
    dreamer: Dreamer, state: Reflecting, draft: Draft, planned: Planned
) -> SummaryParts:
    house, seen = dreamer.house, state.survey
    now, local, settings = house.clock(), dreamer.local(), house.config.reflection
    at = time.fromisoformat(settings.time)
    core = (
        step.diff for step in planned.steps if step.operation.kind is OperationKind.CORE
    )
    return SummaryParts(
        number=state.number,
        day=dreamer.today(),
        zone=local,
        operations=draft.operations,
        insight=draft.insight,
        themes=draft.themes,
        questions=draft.questions,
        core_diff="\n".join(core),
        processed=Processed(
            len(seen.episodes), len(seen.entities), len(seen.procedures)
        ),
        reviewed=len(seen.log),
        spending=Spending(seen.tokens, settings.input_tokens, state.used, state.grant),
        next_at=next_time(now, local, at, settings.frequency, now),
        listed=draft.listed,
        without_mind=not state.thoughts,
        milestone=_milestone(state),
    )


def _milestone(state: Reflecting) -> str:
    special = MILESTONES.get(state.milestone)
    return str(special) if special else ""


def lay_out(house: House, pending: PendingReflection, page: str) -> None:
    """Commit the page, so that its human finds it wherever they look.

    Raises:
        PageTakenError: Another proposal waits on it.
    """
    old = (house.ledger.read(layout.PENDING_REFLECTION) or b"").decode(
        "utf-8", "replace"
    )
    other = parse_pending(old, layout.PENDING_REFLECTION)
    if other is not None and other.number != pending.number:
        raise PageTakenError(other.number)
    why = f"reflection #{pending.number} waits for a decision"
    edit = text_edit(house, layout.PENDING_REFLECTION, page, why, Action.PROPOSE)
    actor = Actor(f"reflection:{pending.session}")
    house.commit(ChangeSet((edit,), actor, Approval.PENDING, why))


def dream(dreamer: Dreamer, state: Reflecting) -> Draft:
    """What a mind came to in five phases."""
    # What is for one person alone was not shown, so nothing is decided on it.
    found = listed(dreamer.house.ledger.read)
    waiting = tuple(one for one in found if not one.scope)
    core = dreamer.sleep.text(layout.CORE)
    return draft_of(state, core, waiting)
