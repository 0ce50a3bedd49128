"""Recover a cycle after a crash, a time-out or a manual edit of its page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.model.reflection import session_name
from reverie.reflection import cycle as states
from reverie.reflection.apply import (
    NothingWaitsError,
    TooManyChangesError,
    waiting_page,
)
from reverie.reflection.checkin import lapse, no_answer
from reverie.reflection.proposal_page import BrokenPendingError
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.reflection.cycle import Cycle, State, Study


def recovered_cycle(study: Study) -> Cycle:
    """The cycle, with what time has done to it, and a crash left undone."""
    cycle, now = study.store.load(), study.house.clock()
    state = cycle.state
    if isinstance(state, states.Asked) and no_answer(state.at, now):
        return lapse(study, cycle, state)
    if isinstance(state, states.Requested | states.Granted | states.Reflecting):
        return cycle
    if isinstance(state, states.Decided):
        with study.house.ledger.exclusively("deciding"):
            return _finish(study, study.store.load())
    # Bring state and page together, whichever of them was lost or left behind.
    study.house.look_sometimes()
    try:
        number = waiting_page(study)[0].number
    except NothingWaitsError:
        number = 0
    except (BrokenPendingError, TooManyChangesError):
        # A slip of its human's hand; deciding says where.
        return cycle
    agreed = _agreed(study, state, number)
    if agreed == state:
        return cycle
    last = max(cycle.last_number, number)
    return study.store.put(cycle, replace(cycle, state=agreed, last_number=last))


def _agreed(study: Study, state: State, number: int) -> State:
    """A state as the page, and the log, tell it."""
    match state:
        case states.AwaitingDecision() if not number:
            return states.Idle("its page is gone: the proposal was undone or emptied")
        case states.AwaitingDecision():
            return state
        case _ if number:
            return states.AwaitingDecision(number, study.house.clock())
        case states.Recorded(number=last):
            logged = f"## Reflection #{last} " in study.store.text(
                layout.REFLECTION_LOG
            )
            why = f"reflection #{last} was taken back"
            return state if logged else states.Idle(why)
        case _:
            return state


def _finish(study: Study, cycle: Cycle) -> Cycle:
    """See what became of a decision that a crash cut short.

    It is in history, or it is not. What was only kept in a file here is nobody's
    yes: the human is asked again.
    """
    state = cycle.state
    if not isinstance(state, states.Decided):
        return cycle
    study.house.look()
    session = session_name(state.number)
    for entry in study.house.ledger.history():
        logged = any(line.path == layout.REFLECTION_LOG for line in entry.lines)
        if entry.actor.session == session and logged:
            choice = state.decision.choice
            done = states.Recorded(state.number, state.at, choice, entry.commit)
            return study.store.move(cycle, done)
    return study.store.move(cycle, states.AwaitingDecision(state.number, state.at))
