"""`observe`: keep what an agent noted, statement by statement."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.model.change import DETECT

if TYPE_CHECKING:
    from reverie import Observed

_WINDOW = "The conversation whose turns they name."
_SHAPE = 'Write a list: [{"text": "Ana plays the cello.", "about": "person--ana"}]'


@cli.verb()
@cli.argument("observations")
@cli.option("--window", _WINDOW, metavar="NAME", default="")
@cli.person_option("Whom they are for alone: they become episodes of theirs.")
@cli.actor_option("bot:auto-detect")
def observe(call: cli.Invocation, observations: str, window: str) -> None:
    """Keep OBSERVATIONS, a JSON list, or standard input for '-'.

    All of them in one change.

    Each has a `text` that stands by itself and, where known, whom it is `about`, the
    `day` it speaks of, whose `claim` it is, the facts it `supersedes`, the number of
    the `turn` it comes from or its ID as `source`, and its `confidence`.

        reverie observe '[{"text": "Ana plays the cello.", "about": "person--ana"}]'
        reverie observe --window trip-to-rome - < noted.json
    """
    try:
        told = json.loads(cli.given_text(observations))
    except ValueError as error:
        cli.refuse(f"this is not JSON: {error}", _SHAPE)
    if not isinstance(told, list) or not all(isinstance(each, dict) for each in told):
        cli.refuse("this is no list of observations", _SHAPE)
    actor = call.actor or call.memory.acting(DETECT)
    done = call.memory.observe(told, window=window, person=call.whom, actor=actor)
    call.answer(done, told_observed(done))


def told_observed(done: Observed) -> out.Page:
    """What became of observations."""
    kept = out.counted(len(done.ids), "observation")
    page: list[Any] = [(out.good("Kept "), kept, out.faint(f"  {done.commit[:10]}"))]
    if not done.ids:
        page = [out.faint("Nothing new was kept.")]
    page += [("  ", out.ident(id_)) for id_ in done.ids]
    gone = ((out.ident(near.id), f"  {near.text}") for near in done.superseded)
    page += [("No longer holds: ", *each) for each in gone]
    page += [out.faint(f"Known already: {id_}") for id_ in done.known]
    page += [out.warn(f"Left out: {why}") for why in (*done.refused, *done.left_out)]
    return page
