"""Going through a reflection with a person, from the first question to the decision.

Every step is kept as soon as it is taken: who leaves in the middle finds it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError, UnavailableError
from reverie.interfaces.cli import channel
from reverie.interfaces.cli.concluding import decided_page
from reverie.interfaces.cli.page import BLANK, Span, Style, row
from reverie.interfaces.cli.proposal import styled, told_proposal
from reverie.interfaces.cli.standing import LOOKED, told_standing, told_understood
from reverie.model.reflection import Occasion, digest
from reverie.reflection.decision import UnknownItemError
from reverie.reflection.replies import is_later, read_decision, understood_decision

if TYPE_CHECKING:
    from reverie.errors import ReverieError
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.reflection.reflecting import Reflection
    from reverie.reflection.standing import Standing

BEGINNINGS = frozenset({"idle", "deferred", "recorded", "asked"})
"""The states from which a reflection begins."""

STAYS = "It stays where it is: `reverie reflect` goes on."
ONE, NONE = "approve, reject, or later", "approve, or later"
SOME = "approve, approve 1,3, approve all but 2, reject: why, or later"
WAITS = "It waits; nothing is ever applied by waiting."


def begun(reflection: Reflection) -> Standing:
    """Begin, unless one is under way, and go as far as nobody has to be asked."""
    standing = reflection.status()
    if standing.state in BEGINNINGS:
        standing = reflection.begin(Occasion.MANUAL)
    if standing.state in {"granted", "reflecting"} and standing.question is None:
        standing = reflection.advance()
    return standing


def lead_through(session: Session, memory: Memory) -> Standing:
    """Go through all steps with a person."""
    try:
        standing = _thought_through(session, memory.reflection)
        if standing.state == "pending":
            _decide(session, memory.reflection)
        else:
            session.say(told_standing(standing))
    except (click.Abort, KeyboardInterrupt, UnavailableError):
        click.echo(f"\n{STAYS}", err=True)
        raise
    return standing


def _thought_through(session: Session, reflection: Reflection) -> Standing:
    standing = reflection.status()
    if standing.state in BEGINNINGS:
        standing = reflection.begin(Occasion.MANUAL)
    if standing.state == "tokens requested":
        standing = _grant(session, reflection, standing)
    if standing.state in {"granted", "reflecting"} and standing.question is None:
        with session.progress("Reflecting") as step:
            standing = reflection.advance(step)
    return standing


def _grant(session: Session, reflection: Reflection, standing: Standing) -> Standing:
    session.say(styled(standing.says))
    while standing.state == "tokens requested":
        words = channel.ask("grant, another number, no penalty, or decline", "grant")
        try:
            standing = reflection.reply(words)
        except RefusedError as error:
            _tell(session, error)
        else:
            session.say(told_understood(standing.understood))
    return standing


def _decide(session: Session, reflection: Reflection) -> None:
    pending, page = reflection.pending()
    most = len(pending.operations)
    label, usual, more = SOME if most > 1 else ONE, "later", [BLANK]
    if not most:
        label, usual = NONE, "approve"
        more = [BLANK, row(Span(LOOKED, Style.FAINT))]
    session.say([*told_proposal(pending, page), *more])
    while True:
        words = channel.ask(label, usual)
        if is_later(words):
            session.say([row(Span(WAITS, Style.FAINT))])
            return
        try:
            if _means_more(words, most) and not channel.confirms("Is that meant"):
                continue
            done = reflection.decide(words, digest(page))
        except (RefusedError, UnknownItemError) as error:
            _tell(session, error)
        else:
            session.say(decided_page(done))
            return


def _means_more(words: str, most: int) -> bool:
    """Whether a rejection of some would apply the others, which is told and asked."""
    decision = read_decision(words, most)
    if decision and decision.accepted and words.lstrip()[:6].lower() == "reject":
        click.echo(f"That is: {understood_decision(decision, most)}.")
        return True
    return False


def _tell(session: Session, error: ReverieError) -> None:
    session.warn(f"{error}. {error.hint}".strip())
