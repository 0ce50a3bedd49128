"""Conversations: what was said, with its summaries; corrected and deleted here."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any

from reverie.conversation.told import quote_turn
from reverie.errors import ConflictError, NotFoundError, RefusedError
from reverie.interfaces.web.page import Act, View, page_number
from reverie.interfaces.web.rendering import day
from reverie.model.change import MANUAL
from reverie.model.conversation import DELETED, EDITED, PART, REFLECTION, Cause, paused
from reverie.model.items import scope_of
from reverie.model.reflection import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reverie import Memory, Turn
    from reverie.interfaces.web.page import Given

WINDOWS, TURNS = 8, 40
"""Conversations on a page, and turns of one."""

BESIDE = 8
"""So many turns before a page may have the number of its first one, at most."""

CAUSES = {
    Cause.IDLE: "after a silence",
    Cause.ASKED: "because somebody asked",
    Cause.PRUNING: "before it left the context",
    Cause.END: "at the end of a session",
}
"""What made it sum up, in words."""


class ChangedMeanwhileError(ConflictError):
    """A turn, or its other half, reads otherwise than it did on the page."""

    says = "turn {} of {} changed meanwhile; nothing was done"
    mend = "It is shown as it is now."


def look(memory: Memory, given: Given) -> Mapping[str, Any]:
    """All conversations, the newest first."""
    page = page_number(given)
    found = memory.windows(WINDOWS + 1, (page - 1) * WINDOWS)
    return {"windows": found[:WINDOWS], "page": page, "more": len(found) > WINDOWS}


def look_at(memory: Memory, given: Given) -> Mapping[str, Any]:
    """What was said in one, its newest turns on the first page."""
    page, name = page_number(given), given["window"]
    if anchor := given.get("turn", ""):
        turns = memory.turns(name, deleted=True)
        page = _page_of(turns, anchor)
        turns = turns[-page * TURNS - BESIDE :]
    else:
        turns = memory.turns(name, last=page * TURNS + BESIDE, deleted=True)
    if not turns:
        what = f"no conversation is called {name}"
        raise NotFoundError(what, hint="The list shows those that there are.")
    window = memory.window(name)
    first = max(0, len(turns) - page * TURNS)
    last = max(0, len(turns) - (page - 1) * TURNS)
    return {
        "window": name,
        "title": window.title,
        "turns": [
            {
                **_told(turn, turns[n - 1] if n else None),
                "both": _both(turns, turn.number),
            }
            for n, turn in enumerate(turns[:last])
            if n >= first
        ],
        "reflecting": window.reflecting,
        "page": page,
        "more": first > 0,
    }


def _page_of(turns: Sequence[Turn], anchor: str) -> int:
    """Which page has a turn; the first one where there is none of that name."""
    places = (n for n, turn in enumerate(turns) if _anchor(turn) == anchor)
    place = next(places, len(turns) - 1)
    return (len(turns) - 1 - place) // TURNS + 1


def _anchor(turn: Turn) -> str:
    return f"turn-{turn.number}-{turn.role}"


def _told(turn: Turn, before: Turn | None) -> Mapping[str, Any]:
    cause = turn.field(REFLECTION)
    return {
        "turn": turn,
        "anchor": _anchor(turn),
        "who": turn.speaker or turn.role.capitalize(),
        "said": quote_turn(turn, turn.text),
        "shown": digest(turn.text),
        "paused": before is not None and paused(before, turn),
        "reflects": bool(cause),
        "cause": CAUSES[Cause(cause)] if cause in CAUSES else cause,
        "deleted": _day(turn.field(DELETED)),
        "edited": _day(turn.field(EDITED)),
        "part": turn.field(PART),
        "scope": scope_of(turn),
    }


def _day(said: str) -> str:
    """A day as the page tells days; whatever else somebody wrote there, as it is."""
    with suppress(ValueError):
        return day(date.fromisoformat(said))
    return said


def _both(turns: Iterable[Turn], number: int) -> str:
    """All that was said under a number, as it was shown."""
    sides = [(t.role, t.text, t.field(DELETED)) for t in turns if t.number == number]
    return digest(repr(sides))


# --- what can be done --------------------------------------------------------------


def edit(memory: Memory, form: Given) -> str:
    """Let a turn say something else."""
    text = form.get("text", "").replace("\r\n", "\n").strip()
    if not text:
        hint = "Delete the turn if nothing of it is to come back."
        raise RefusedError("a turn cannot say nothing", hint=hint)
    turn = _as_shown(memory, form)
    memory.window(turn.window).edit(turn.number, text, role=turn.role, actor=MANUAL)
    return f"Turn {turn.number} is corrected; history keeps what it said."


def delete(memory: Memory, form: Given) -> str:
    """Let a turn never come back, alone or with its other half."""
    turn = _as_shown(memory, form)
    alone = turn.role if form.get("choice") == "alone" else None
    both = _both(memory.turns(turn.window, deleted=True), turn.number)
    if alone is None and both != form.get("both"):
        raise ChangedMeanwhileError(turn.number, turn.window)
    memory.window(turn.window).delete(turn.number, role=alone, actor=MANUAL)
    what = "One side of turn" if alone else "Turn"
    return f"{what} {turn.number} is deleted: your agent no longer sees it."


def _as_shown(memory: Memory, form: Given) -> Turn:
    """The turn that a form is about, if it still reads as it was shown."""
    name = form["window"]
    meant = form.get("number"), form.get("role")
    turns = memory.turns(name, deleted=True)
    found = next((t for t in turns if (str(t.number), t.role) == meant), None)
    if found is None:
        what = f"there is no such turn in {name}"
        raise NotFoundError(what, hint="It is shown as it is now.")
    if digest(found.text) != form.get("shown") or found.field(DELETED):
        raise ChangedMeanwhileError(found.number, name)
    return found


VIEWS = (
    View("/conversations", "conversations.html", look),
    View("/conversations/{window}", "conversation.html", look_at),
)
ACTS = (
    Act("/conversations/{window}/edit", edit),
    Act("/conversations/{window}/delete", delete),
)
