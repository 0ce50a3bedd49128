"""Context reflections that are due by the next call, where no timer saw to them."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from reverie.conversation.sittings import Sitting
from reverie.conversation.summarising import Summarised
from reverie.errors import ReverieError
from reverie.ledger import packs
from reverie.model.conversation import Cause

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.conversation.windows import Talk

PAUSE = timedelta(minutes=1)
"""So long after one was started by a call, no other call starts one."""


def start_if_due(talk: Talk, window: str) -> None:
    """Have a window summarised that is due for it, before anything else is done.

    A model that is at hand does so before this returns. One behind a network is asked
    by a process of its own, so that nobody waits for it. Where no model is, the agent
    is offered the prompt. In any case the summary is owed until it is written, even
    if the user speaks again meanwhile.

    Args:
        talk: What all conversations share.
        window: Which one.
    """
    record = Summarised(talk, window)
    if not record.due():
        return
    now = talk.house.clock()
    known = talk.sittings.load(window)
    starts = talk.minds.kind in {"api", "given"} and not _just_started(known, now)
    if starts or known is None or not known.owed:
        talk.sittings.change(window, partial(_owing, now=now, starts=starts))
    if starts and talk.minds.kind == "api":
        packs.tidy_in_background(talk.house.folder.root)
    elif starts:
        # What goes wrong with it must not cost the user their message.
        with contextlib.suppress(ReverieError):
            record.reflect(cause=Cause.IDLE)


def _owing(known: Sitting | None, *, now: datetime, starts: bool) -> Sitting:
    sitting = known or Sitting(now, now, "", "")
    return replace(sitting, owed=True, asked=now if starts else sitting.asked)


def _just_started(sitting: Sitting | None, now: datetime) -> bool:
    if sitting is None or sitting.asked is None:
        return False
    # A clock that was set back must not put it off for good.
    return timedelta() <= now - sitting.asked < PAUSE
