"""Settle: what pages ask ("Which holds: … or …?") is a list until it is answered.

Somebody judged that some statements cannot all be true. One is kept and the others
end, all are kept with their times, or none is; then nothing asks any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.archiving import archive_in_scores
from reverie.encoding.forget import require_forgetter
from reverie.encoding.near import Around
from reverie.encoding.placement import (
    put_on_top,
    read_over,
    strike_episode,
)
from reverie.encoding.possible_conflicts import find_possible_conflicts
from reverie.encoding.supersession import plan_fact_end
from reverie.errors import NotFoundError, RefusedError
from reverie.markdown import headline
from reverie.model.change import Action, ChangeSet, Corrected, edit_of
from reverie.model.items import WHICH_HOLDS
from reverie.model.views import Contradiction
from reverie.stores import entities
from reverie.stores.dismissed_conflicts import add_dismissed
from reverie.stores.ended_links import Pages
from reverie.stores.reader import decode
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from reverie.model.change import Actor, Edit
    from reverie.session.session import Session


class NotAskedError(NotFoundError):
    """No page asks this, or several questions fit."""

    says = "{1} open contradictions fit {0!r}"
    mend = "`reverie pending` lists them: name one of the facts by its id."


def contradictions(session: Session) -> list[Contradiction]:
    """What pages ask, and the statements that cannot all hold.

    Where one of them is over the question has answered itself.
    """
    around, found = Around(session), dict[frozenset[str], Contradiction]()
    for page, said in session.index.asking(WHICH_HOLDS):
        sides = [around.cited(id_) for id_ in entities.asked_about(said)]
        held = [each for each in sides if each and around.shown(each.memory)]
        if len(held) == len(sides) > 1:
            key = frozenset(each.id for each in held)
            found.setdefault(key, Contradiction(page, said, tuple(held)))
    return list(found.values())


def find_conflicts(session: Session) -> list[Contradiction]:
    """Return the conflicts that somebody stated, and after them the possible ones."""
    stated = contradictions(session)
    asked = [{side.id for side in each.sides} for each in stated]
    possible = find_possible_conflicts(session)
    return stated + [c for c in possible if {s.id for s in c.sides} not in asked]


def find_question(listed: Sequence[Contradiction], which: str) -> Contradiction:
    """The one that is named: by its number, its words, a fact of it or its page.

    Raises:
        NotAskedError: None fits, or several do.
    """
    wanted = which.strip().removeprefix("entity:")
    fits = [
        each
        for number, each in enumerate(listed, 1)
        if wanted in {str(number), each.question, each.page.partition(":")[2]}
        or wanted in {side.id for side in each.sides}
    ]
    if len(fits) != 1:
        raise NotAskedError(which, len(fits) or "no")
    return fits[0]


def settle(
    session: Session,
    asked: Contradiction,
    keep: Iterable[str],
    until: Mapping[str, date],
    actor: Actor,
) -> Corrected:
    """Answer a question in one change.

    Args:
        session: The workspace's parts.
        asked: The question.
        keep: Ids of the statements that hold; the others end today.
        until: Until when some of those held, by id: then they are past.
        actor: Who acts: a human, or the main agent on their behalf.

    Returns:
        Proof of it; `superseded` says what no longer holds.
    """
    require_forgetter(actor)
    held = set(keep)
    known = {side.id: side for side in asked.sides}
    for id_ in (*held, *until):
        if id_ not in known:
            what = f"{id_} is none of what is asked about"
            hint = f"These are: {', '.join(known)}."
            raise RefusedError(what, hint=hint)
    today = session.clock().date()
    later = {id_ for id_, day in until.items() if day > today}
    for id_ in later:
        if not known[id_].page:
            what = f"cannot end {id_} on {until[id_]}: only a fact ends on a later day"
            raise RefusedError(what, hint="Leave out its day, or settle it then.")
    ends = {id_: today for id_ in known if id_ not in held} | dict(until)
    only = known[next(iter(held))] if len(held) == 1 else None
    edits: dict[str, Edit] = {}
    pages = Pages(read_over(edits, session.ledger.read), session.place, today)
    archived = []
    for id_, day in ends.items():
        by = only.id if only and id_ not in held else ""
        if known[id_].page:
            put_on_top(edits, plan_fact_end(id_, by, day, pages, "settled"))
        else:
            put_on_top(edits, [strike_episode(id_, by or "nothing", pages)])
            archived.append(id_)
    put_on_top(edits, _unasked(asked, pages))
    if asked.possible and len(held) > 1:
        put_on_top(edits, [_dismissed(held, session)])
    scores = archive_in_scores(session, archived, "settled:")
    change = ChangeSet(
        (*edits.values(), *scores), actor, actor.approval, f"settle {asked.question}"
    )
    done = session.commit(change)
    over = tuple(known[id_] for id_ in ends if id_ not in later)
    ids = tuple(dict.fromkeys(side.memory for side in asked.sides))
    proof = (done.commit, done.at, done.lines, done.actor, ids)
    return Corrected(*proof, superseded=over)


def _dismissed(ids: Iterable[str], session: Session) -> Edit:
    """Return the edit that records that statements do not conflict."""
    path = layout.DISMISSED
    old = session.ledger.read(path)
    text = add_dismissed(decode(old or b"", path)[0], ids)
    action = Action.CREATE if old is None else Action.EDIT
    return edit_of(path, old, text, action, "dismissed a possible conflict")


def _unasked(asked: Contradiction, pages: Pages) -> Iterable[Edit]:
    """The edits by which no page asks any more."""
    names = [side.page for side in asked.sides] + [asked.page.partition(":")[2]]
    for name in dict.fromkeys(filter(None, names)):
        path, old, page = pages.find(name)
        if page is None:
            continue
        rest = entities.without_question(page, [side.id for side in asked.sides])
        if rest is not page:
            why = f"settled: {headline(asked.question)}"
            yield edit_of(path, old, entities.render_entity(rest), Action.EDIT, why)
