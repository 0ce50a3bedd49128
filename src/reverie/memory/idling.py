"""Context reflections that are due: at the next call, or when a service's timer rings.

with watch(memory) as timer:
    memory.window("trip").say("Where do we stay?")   # sets the timer anew
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.conversation.idle import due
from reverie.errors import ReverieError
from reverie.ledger import packing
from reverie.memory.sittings import Sitting
from reverie.memory.waking import Window
from reverie.model.conversation import Cause

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.conversation.telling import News
    from reverie.memory.windows import Talk
    from reverie.model.conversation import WindowState


def when_heard(
    talk: Talk, news: Callable[[], News]
) -> Callable[[str, WindowState], None]:
    """What happens when a user speaks: a reflection that is due by then is not lost.

    A model that is at hand writes it before the message is recorded. One behind a
    network is asked by a process of its own, so that nobody waits for it. Where no
    model is, the window is marked, and the agent is offered the prompt.
    """

    def heard(window: str, state: WindowState) -> None:
        house = talk.house
        now = house.clock()
        if not due(state, now, house.config.conversation):
            return
        if talk.minds.kind == "given":
            # What went wrong with it must not cost the user their message.
            with contextlib.suppress(ReverieError):
                Window(talk, window, news).reflect(cause=Cause.IDLE)
            return
        sitting = talk.sittings.load(window) or Sitting(now, now, "", "")
        talk.sittings.save(window, replace(sitting, owed=True))
        if talk.minds.kind == "api":
            packing.tidy_in_background(house.folder.root)

    return heard
