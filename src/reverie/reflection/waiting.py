"""Pending proposals as a reflection reads them: all listed, as many whole as fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie import markdown as md
from reverie.model.reflection import Noticed, SourceRead
from reverie.reflection.scope import ForbiddenReadError
from reverie.reflection.unread import shown
from reverie.stores.proposals import listed, parse_pending, public_parts
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.model.proposals import Proposal
    from reverie.reflection.cycle import Study
    from reverie.reflection.unread import SurveyDesk

PROPOSALS = "pending-memories.md"

HEADLINE = 80
"""Characters that are told of a proposal whose text does not fit."""

_UNREADABLE = "it is no plain file"


def read_proposals(
    desk: SurveyDesk, budget: int
) -> tuple[tuple[Noticed, ...], SourceRead]:
    """Return the pending proposals: each with its number, as many whole as fit.

    What is for one person alone is not among them, and no removal: they are not
    decided here. Where not even a line of each fits, the numbers of the others are
    named in what was left out.
    """
    room = desk.room(max(0, budget))
    try:
        text = desk.scope.read(layout.PENDING)
    except ForbiddenReadError:
        return (), SourceRead(PROPOSALS, 0, 0, room.budget, 1, _UNREADABLE)
    waiting = public_proposals(text or "")
    short = {one.number: _noticed(one, _first_line(one)) for one in waiting}
    kept = {n: line for n, line in short.items() if room.take(shown(line))}
    cut = dict.fromkeys(kept)
    for one in waiting:
        whole = _noticed(one, _whole_text(one))
        more = desk.cost(shown(whole)) - desk.cost(shown(short[one.number]))
        if one.number in kept and more <= room.left:
            kept[one.number] = whole
            room.spent += max(0, more)
            cut.pop(one.number, None)
    unlisted = [number for number in short if number not in kept]
    parts = [f"the whole text of {_numbers(cut)}"] if cut else []
    parts += [f"{_numbers(unlisted)} without a line of their own"] if unlisted else []
    lost = len(cut) + len(unlisted)
    read = (PROPOSALS, len(kept), room.spent, room.budget, lost, " and ".join(parts))
    return tuple(kept.values()), SourceRead(*read)


def decidable_proposals(study: Study) -> tuple[Proposal, ...]:
    """Return the pending proposals on which a reflection may propose a decision.

    What is for one person alone is not shown to it; on a removal the user decides.
    """
    pending = listed(study.session.ledger.read)
    return tuple(one for one in pending if not one.scope and not one.removes)


def public_proposals(text: str) -> list[Proposal]:
    """Return the proposals on which a reflection may propose a decision."""
    parts = public_parts(text)
    return [
        one
        for part in parts
        for one in parse_pending(part.raw, layout.PENDING).proposals
    ]


def without_copies(
    desk: SurveyDesk, proposals: Sequence[Noticed], episodes: Iterable[Noticed]
) -> tuple[tuple[Noticed, ...], int]:
    """Return proposals that name the episode which says the same, and what that saves.

    Args:
        desk: The survey.
        proposals: Those that are shown.
        episodes: Those that are shown.
    """
    said = {md.tidy(each.text): each.id for each in episodes}
    kept, saved = list[Noticed](), 0
    for each in proposals:
        head, _, text = each.text.partition("\n")
        if episode := said.get(md.tidy(text)) if text else None:
            short = replace(each, text=f"{head}\n(its text: {episode})")
            saved += max(0, desk.cost(shown(each)) - desk.cost(shown(short)))
            kept.append(short)
        else:
            kept.append(each)
    return tuple(kept), saved


def _noticed(one: Proposal, text: str) -> Noticed:
    at = one.at
    name, path = f"#{one.number}", layout.PENDING
    return Noticed(name, path, text, "", str(one.store), (), str(one.origin), at)


def _whole_text(one: Proposal) -> str:
    """The text of a proposal below a line that says what it is for."""
    told = {
        "called": one.name,
        "when": one.when,
        "about": ", ".join(one.entities),
        "replaces": one.supersedes,
        "at odds with": ", ".join(one.conflicts or one.contradicts),
        "kept as": one.kept,
    }
    notes = [f"{key}: {md.one_line(value)}" for key, value in told.items() if value]
    return f"({'; '.join(notes) or one.status})\n{one.content}"


def _first_line(one: Proposal) -> str:
    text = f"{one.name}: {one.content}" if one.name else one.content
    return md.headline(md.one_line(text), HEADLINE)


def _numbers(numbers: Iterable[int]) -> str:
    return ", ".join(f"#{number}" for number in numbers)
