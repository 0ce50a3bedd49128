"""What time, crashes and a person's hand have done to a cycle since it was left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.model.reflection import session_name
from reverie.reflection.checkin import no_answer
from reverie.reflection.checking_in import lapse
from reverie.reflection.cycle import (
    Asked,
    Decided,
    Deferred,
    Granted,
    Idle,
    Recorded,
    Reflecting,
    Requested,
    Waiting,
)
from reverie.reflection.proposal_page import BrokenPendingError
from reverie.reflection.recording import (
    NothingWaitsError,
    TooManyChangesError,
    waiting_page,
)
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.reflection.cycle import Cycle, State
    from reverie.reflection.dreaming import Dreamer


def settled_cycle(dreamer: Dreamer) -> Cycle:
    """The cycle, with what time has done to it, and a crash left undone."""
    cycle = dreamer.sleep.load()
    now = dreamer.house.clock()
    if isinstance(cycle.state, Asked) and no_answer(cycle.state.at, now):
        return lapse(dreamer, cycle, cycle.state)
    if isinstance(cycle.state, Requested | Granted | Reflecting):
        return cycle
    return _agree_with_page(dreamer, cycle)


def _agree_with_page(dreamer: Dreamer, cycle: Cycle) -> Cycle:
    """Bring state and page together, whichever of them was lost or left behind."""
    if isinstance(cycle.state, Decided):
        with dreamer.house.ledger.exclusively("deciding"):
            return _finish(dreamer, dreamer.sleep.load())
    try:
        number = _number_on_page(dreamer)
    except (BrokenPendingError, TooManyChangesError):
        # A slip of its human's hand; deciding says where.
        return cycle
    state = _agreed(dreamer, cycle.state, number)
    if state == cycle.state:
        return cycle
    last = max(cycle.last_number, number)
    return dreamer.sleep.put(cycle, replace(cycle, state=state, last_number=last))


def _agreed(dreamer: Dreamer, state: State, number: int) -> State:
    """A state as the page, and the log, tell it."""
    match state:
        case Waiting() if not number:
            return Idle("its page is gone: the proposal was undone or emptied")
        case Idle() | Recorded() | Asked() | Deferred() if number:
            return Waiting(number, dreamer.house.clock())
        case Recorded(number=last) if not _is_logged(dreamer, last):
            return Idle(f"reflection #{last} was taken back")
        case _:
            return state


def _is_logged(dreamer: Dreamer, number: int) -> bool:
    log = dreamer.sleep.text(layout.REFLECTION_LOG)
    return f"## Reflection #{number} " in log


def _finish(dreamer: Dreamer, cycle: Cycle) -> Cycle:
    """See what became of a decision that a crash cut short.

    It is in history, or it is not. What was only kept in a file here is nobody's
    yes: the human is asked again.
    """
    state = cycle.state
    if not isinstance(state, Decided):
        return cycle
    dreamer.house.look()
    commit = _decided_in(dreamer, state.number)
    if not commit:
        return dreamer.sleep.move(cycle, Waiting(state.number, state.at))
    done = Recorded(state.number, state.at, state.decision.choice, commit)
    return dreamer.sleep.move(cycle, done)


def _number_on_page(dreamer: Dreamer) -> int:
    dreamer.house.look_sometimes()
    try:
        return waiting_page(dreamer)[0].number
    except NothingWaitsError:
        return 0


def _decided_in(dreamer: Dreamer, number: int) -> str:
    """The commit by which a reflection was approved or rejected, if one was."""
    session = session_name(number)
    for entry in dreamer.house.ledger.history():
        logged = any(line.path == layout.REFLECTION_LOG for line in entry.lines)
        if entry.actor.session == session and logged:
            return entry.commit
    return ""
