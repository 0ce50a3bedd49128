"""Decide whether an agent may change core memory at once (design, 4).

An agent's change of core memory waits for the user. The parameter `core.agent_edits`
lets it be made at once: if it quotes what the user typed, or always. Even then nothing
leaves core memory for it, and neither pins nor Critical Facts change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.encoding.placement import make_room
from reverie.errors import RefusedError
from reverie.index.text import stem_set
from reverie.markdown import headline
from reverie.model.ids import ItemId
from reverie.model.items import Block, Origin
from reverie.model.route import Core
from reverie.stores.core import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.encoding.placement import Desk, Saying
    from reverie.model.change import Actor
    from reverie.model.conversation import Quote
    from reverie.session.session import Session

    OpenDesk = Callable[[Actor, Origin], Desk]

QUOTED, PROPOSE, ALLOW = "quoted", "propose", "allow"
_HINT = "Let the user decide."


class CoreEditError(RefusedError):
    """An agent may not make a change of core memory at once."""


def agent_edits(session: Session) -> str:
    """Return how an agent may change core memory: `quoted`, `propose` or `allow`."""
    default = PROPOSE if session.owner.closed else QUOTED
    return session.config.core.agent_edits or default


def edit_core(
    session: Session,
    saying: Saying,
    open_desk: OpenDesk,
    find_quote: Callable[[str, str], Quote],
) -> Saying:
    """Let an agent's change of core memory be made at once, where that is allowed.

    Args:
        session: The open workspace; nobody else may write meanwhile.
        saying: What is to be stored; returned as it is if it does not wait.
        open_desk: What planning may look at, for an actor and an origin.
        find_quote: Finds the user's sentences that a text quotes, in a conversation.

    Returns:
        The same, to be stored at once; or with one more reason why it waits.
    """
    waiting = [step for step in saying.waiting if isinstance(step[1], Core)]
    allowed = agent_edits(session) if waiting else PROPOSE
    if len(waiting) != 1 or saying.origin is not Origin.AGENT or allowed == PROPOSE:
        return saying
    (said, place), text = waiting[0], " ".join(waiting[0][0].split())
    assert isinstance(place, Core)  # noqa: S101 - for the type
    rest = tuple(step for step in saying.waiting if step != (said, place))
    # Of what waits as a whole, only a copy would be stored.
    stored = () if isinstance(saying.place, Core) else saying.steps
    try:
        _require_free(session, place)
        quote = None
        if allowed == QUOTED:
            _require_common_word(session, place, text)
            quote = find_quote(saying.conversation, text)
        edit = replace(
            saying,
            steps=(*stored, (text, place)),
            waiting=rest,
            why=saying.why if rest else "",
            quote=quote,
        )
        if leaving := make_room(text, place, desk_for(edit, open_desk))[1]:
            told = headline(leaving[0].text)
            what = f'the block is full: "{told}" would have to leave core memory for it'
            raise CoreEditError(what, hint=_HINT)
    except RefusedError as error:
        return replace(saying, why=str(error))
    return edit


def _require_common_word(session: Session, place: Core, text: str) -> None:
    """Refuse that a sentence replaces an item with which it has no word in common.

    Else an agent could remove any item by quoting any sentence.
    """
    known = session.find(place.supersedes) if place.supersedes else None
    if known is not None and stem_set(known.text).isdisjoint(stem_set(text)):
        what = f"the sentence has no word in common with {known.id}"
        raise CoreEditError(what, hint=_HINT)


def is_allowed_edit(saying: Saying) -> bool:
    """Return whether an agent changes core memory at once, as `edit_core` allowed."""
    made = any(isinstance(place, Core) for _, place in saying.steps)
    return made and saying.origin is Origin.AGENT


def desk_for(saying: Saying, open_desk: OpenDesk) -> Desk:
    """Return what planning may look at to store something."""
    desk = open_desk(saying.actor, saying.origin)
    return replace(desk, quoted=saying.quote is not None)


def _require_free(session: Session, place: Core) -> None:
    """Refuse a block, an item or a pin that only the user changes."""
    block = place.block
    if place.supersedes:
        id_ = ItemId.parse(place.supersedes)
        block = Block(id_.name.partition("/")[0])
        trace = session.index.trace(str(id_))
        if trace is None or id_ == NAME:
            raise CoreEditError(f"only the user replaces {id_}", hint=_HINT)
        if trace.pinned:
            raise CoreEditError(f"{id_} is pinned", hint=_HINT)
    if block is Block.CRITICAL:
        raise CoreEditError("Critical Facts need the user's answer", hint=_HINT)
    if place.pinned:
        raise CoreEditError("only the user pins an item", hint=_HINT)
