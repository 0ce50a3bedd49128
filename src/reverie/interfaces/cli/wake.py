"""`wake`: what an agent should see when a session begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.attend import WHO_SPEAKS, budget_option
from reverie.interfaces.cli.command import for_person_option, verb

if TYPE_CHECKING:
    from reverie.interfaces.cli.session import Session


@verb()
@click.argument("window")
@budget_option("wake_tokens")
@for_person_option(WHO_SPEAKS)
@click.option("--new", is_flag=True, help="Begin a session, whatever was told before.")
def wake(
    session: Session, window: str, budget: int | None, person: str, *, new: bool
) -> None:
    """Print what an agent should see when it wakes in WINDOW.

    Core memory first, in the same bytes all through a session, so that a provider's
    prompt cache holds; then what changed since, alerts, what waits for a yes, and
    what was said lately or comes back. All of it is marked, and never learned again.

        reverie wake trip-to-rome
        reverie wake trip-to-rome --budget 3000 --person Nora
        reverie wake trip-to-rome --new --json
    """
    with session.open() as memory:
        awake = memory.wake(window, budget=budget, person=person, new=new)
    session.prompt(awake, awake.text)
