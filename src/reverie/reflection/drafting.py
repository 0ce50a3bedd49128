"""What the phases came to: operations, an insight, and what the human reads."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.markdown import one_line
from reverie.model.origin import Origin
from reverie.model.reflection import Insight, Operation, OperationKind, Refused
from reverie.reflection.answers import Consolidated, Presented, Rewritten, Surveyed
from reverie.reflection.monologue import find_faults, mended
from reverie.reflection.operations.parse import (
    Read,
    parse_structured,
    parse_text,
    screened,
    without_smuggled,
)
from reverie.reflection.operations.plan import (
    NotCoreMemoryError,
    core_operations,
)
from reverie.reflection.operations.screen import why_refused
from reverie.reflection.phases import Phase, said
from reverie.reflection.provenance import Sources
from reverie.reflection.records.evolution import render_insight
from reverie.reflection.records.identity import MOST, awareness_items
from reverie.reflection.tracking import fingerprint
from reverie.stores.core import HEADINGS
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reverie.model.proposals import Proposal
    from reverie.model.reflection import Survey
    from reverie.reflection.cycle import Reflecting
    from reverie.reflection.records.evolution import Counted

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
