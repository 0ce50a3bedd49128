"""Correct: find what is meant, and where the new words take its place.

What is corrected is never overwritten silently: a fact is superseded on its page, an
episode struck out in its log, and history keeps a line of core memory, a step or a
note. Whoever corrects by words has to mean one thing alone; else nothing is changed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.forget import find_to_forget, wished
from reverie.encoding.near import Around
from reverie.encoding.placement import find_episode
from reverie.encoding.supersession import read_steps
from reverie.errors import NotFoundError, RefusedError
from reverie.index.text import terms
from reverie.model.change import Near
from reverie.model.ids import ItemId, Kind, Store, UnknownIdError
from reverie.model.items import UNFILED, UNROUTED, Block, Episode, EpisodeKind, scope_of
from reverie.model.route import Core, Episodic, Procedural, Semantic, Vault
from reverie.session.session import NoSuchMemoryError
from reverie.stores import entities
from reverie.stores.ended_links import Pages
from reverie.stores.reader import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import date

    from reverie.model.route import Place
    from reverie.model.views import Hit, Match
    from reverie.session.session import Session

    Ask = Callable[[frozenset[Store]], Sequence[Hit]]


class NothingToCorrectError(NotFoundError):
    """No memory says what is to be corrected."""

    says = "nothing that is remembered says {!r}"
    mend = "`reverie recall` finds it; `reverie remember` keeps what is new."


class UnclearFactError(RefusedError):
    """Words do not name one fact alone."""

    def __init__(self, words: str, found: Sequence[Near]) -> None:
        listed = "; ".join(f"{near.id} {near.text}" for near in found[:5])
        hint = "Name it by its id, such as person--alex#3f2a9c"
        what = "none" if not found else f"{len(found)}"
        super().__init__(
            f"{words!r} names no fact alone: {what} may be meant",
            hint=f"{hint}: {listed}." if found else f"{hint}; `recall` shows ids.",
        )


class Meant(NamedTuple):
    """Statements that may be meant, and whether it is clear that one is."""

    found: tuple[Near, ...]
    clear: bool


def find_to_correct(session: Session, what: str, ask: Ask, new: str = "") -> Meant:
    """What may be meant, by its id or by its words.

    Args:
        session: The workspace's parts.
        what: An id, or words of what is remembered.
        ask: Finds memories of some stores that fit the words.
        new: The new words. Several lines are all steps of a procedure.
    """
    if entities.parse_fact_id(what):
        return Meant((Around(session).require(what),), clear=True)
    with suppress(UnknownIdError):
        return _by_id(session, what, new)
    wish = wished(what)
    found = find_to_forget(session, what, ask).matches
    listed = [near for match in found for near in _statements(session, match, what)]
    # All that was said stands in one of them alone.
    clear = [
        near for near in listed if wish.words <= {*terms(near.id), *terms(near.text)}
    ]
    whole = any(match.store is Store.SEMANTIC and not match.fact for match in found)
    if len(clear) == 1 and not whole:
        return Meant(tuple(clear), clear=True)
    if not listed:
        raise NothingToCorrectError(what)
    return Meant(tuple(dict.fromkeys(listed)), clear=False)


def _by_id(session: Session, what: str, new: str) -> Meant:
    """What an id names: a memory, or a step of a procedure, `procedure:deploy#2`."""
    item = ItemId.parse(what.strip().partition("#")[0])
    found = session.find(str(item))
    if found is None:
        raise NoSuchMemoryError(what)
    if item.kind is Kind.TURN:
        problem = f"{what} is a turn, and conversations are a record"
        hint = "`reverie window edit` mends one that was recorded wrong."
        raise RefusedError(problem, hint=hint)
    if item.kind is Kind.ENTITY:
        return Meant(Around(session).facts(item.name), clear=False)
    if item.kind is Kind.PROCEDURE and ("#" in what or "\n" not in new.strip()):
        steps = tuple(read_steps(session, found.id, found.path))
        one = tuple(step for step in steps if step.id == what.strip())
        return Meant(one or steps, clear=bool(one))
    return Meant((Near(found.id, found.text, "", found.path, found.line),), clear=True)


def _statements(session: Session, match: Match, what: str) -> Iterator[Near]:
    """The single statements of a memory that are meant; turns are a record."""
    place = match.path, match.line
    if match.store is Store.SEMANTIC:
        page = match.id.partition(":")[2]
        facts = Around(session).facts(page)
        yield from (f for f in facts if not match.fact or f.text == match.text)
    elif match.store is Store.PROCEDURAL:
        wish = wished(what)
        steps = read_steps(session, match.id, match.path)
        yield from (step for step in steps if wish.means(step.text))
    elif match.store is not Store.TURNS:
        yield Near(match.id, match.text, "", *place)


def _read_tags(session: Session, near: Near) -> tuple[str, ...]:
    """Return the tags of a current fact of a page."""
    text = decode(session.ledger.read(near.path) or b"", near.path)[0]
    facts = (fact for _, fact in entities.current_facts(text, near.path))
    found = (f.tags for f in facts if entities.fact_id(near.page, f.text) == near.id)
    return tuple(filter(None, next(found, "").split(", ")))


def place_of(
    session: Session,
    near: Near,
    on: date | None = None,
    links: Sequence[tuple[str, str]] = (),
) -> Place:
    """Where new words take the place of a statement.

    Args:
        session: The workspace's parts.
        near: The statement.
        on: Since when the new one holds, also from a later day on; for facts only.
        links: Relations that come with the new one; only a fact has them.
    """
    if near.page:
        kind, tags = near.page.partition("--")[0], _read_tags(session, near)
        return Semantic(near.page, kind, on, near.id, tuple(links), tags=tags)
    if on or links:
        problem = f"{near.id} is no fact, and has no day or relations of its own"
        hint = "Say it in the new words."
        raise RefusedError(problem, hint=hint)
    item = ItemId.parse(near.id.partition("#")[0])
    match item.kind:
        case Kind.EPISODE:
            return _place_of_episode(session, near.id)
        case Kind.CORE:
            block = Block(item.name.partition("/")[0])
            return Core(block, supersedes=near.id)
        case Kind.PROCEDURE:
            is_step = near.id != str(item)
            return Procedural(item.name, supersedes=near.text if is_step else near.id)
        case _:
            return Vault(supersedes=near.id)


def _place_of_episode(session: Session, id_: str) -> Episodic:
    """Return where a corrected episode goes: to the moment of the old one."""
    pages = Pages(session.ledger.read, session.place, session.clock().date())
    item = find_episode(id_, pages).entry.item
    if not isinstance(item, Episode):
        raise NoSuchMemoryError(id_)
    tags = tuple(tag for tag in item.tags if tag not in {UNROUTED, UNFILED})
    return Episodic(
        EpisodeKind.CORRECTION,
        tags=tags,
        at=item.at,
        scope=scope_of(item),
        supersedes=id_,
    )
