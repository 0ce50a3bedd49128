"""Forgetting on request: find, show, confirm, archive (design, section 8.3)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.encoding.forget import (
    PROTECTED,
    ChangedMeanwhileError,
    find_matches,
    most_meant,
    plan_forget,
    wished,
)
from reverie.encoding.near import Around
from reverie.encoding.pins import UnreadableScoresError
from reverie.errors import RefusedError
from reverie.index.near_duplicates import spoken, told
from reverie.index.sqlite_index import whole
from reverie.markdown import headline
from reverie.model.change import (
    Action,
    Approval,
    ChangeSet,
    Edit,
    LogLine,
    OnlyHumansError,
    Receipt,
    checksum,
)
from reverie.model.ids import ItemId, Store, UnknownIdError
from reverie.model.items import Role
from reverie.model.views import Forgetting, Match
from reverie.session.session import NoSuchMemoryError
from reverie.stores.entities import parse_fact_id
from reverie.stores.reading import decode
from reverie.stores.turns import mark_deleted
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.model.change import Actor
    from reverie.model.recall import Hit
    from reverie.session.session import House

BULK = 5
"""More memories at once than this are forgotten only by a human's own hand."""

MOST_TURNS = 20
"""So many turns of conversations are shown for one wish."""

MEMORIES = frozenset(Store) - {Store.TURNS}


_ON_BEHALF = frozenset({"bot:trigger-forget", "bot:main"})


def require_forgetter(actor: Actor) -> None:
    """Refuse everybody but a human, and the main agent on their behalf."""
    if not actor.human and actor.tag not in _ON_BEHALF:
        raise OnlyHumansError(actor)


class ProtectedError(RefusedError):
    """Something in the vault was to be archived."""

    def __init__(self, match: Match) -> None:
        super().__init__(f"{match.id} is protected", hint=f"{match.protected}.")


class TooManyAtOnceError(RefusedError):
    """An agent wants to forget very much."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"{count} memories are more than an agent may forget at once ({BULK})",
            hint="Let your human do it: `reverie forget` in a terminal.",
        )


def find_to_forget(
    house: House, wish: str, ask: Callable[[frozenset[Store]], Sequence[Hit]]
) -> Forgetting:
    """What a wish to forget would touch."""
    named = _by_id(house, wish)
    if named is not None:
        return Forgetting(wish, (named,), meant=(named.key,))
    words = wished(wish)
    read = house.ledger.read
    found = find_matches(words, ask(MEMORIES), read)
    # What has faded is hidden as well, but nobody asked to forget it yet.
    matches = tuple(match for match in found if not _forgotten(house, match))
    hits = ask(frozenset({Store.TURNS}))
    said = [
        replace(match, id=whole(match.id)) for match in find_matches(words, hits, read)
    ]
    # What was said would come back as well, by itself.
    shown, more = said[:MOST_TURNS], len(said[MOST_TURNS:])
    every = (*matches, *shown)
    weights = house.index.lookup.sharing(words.words, "", 1.0, 0).weights
    meant = most_meant(words, weights, every)
    return Forgetting(wish, every, mentions=more, meant=meant)


def _by_id(house: House, wish: str) -> Match | None:
    """The memory, or the one fact, that a wish names by its id."""
    if parse_fact_id(wish):
        fact = Around(house.index, house.ledger.read, house.place).cited(wish)
        if fact is None:
            raise NoSuchMemoryError(wish)
        page = f"entity:{fact.page}"
        place = (fact.path, fact.line)
        return Match(page, Store.SEMANTIC, fact.text, *place, fact=True)
    try:
        found = house.find(str(ItemId.parse(wish)))
    except UnknownIdError:
        return None
    if found is None:
        return None
    protected = PROTECTED if found.store is Store.VAULT else ""
    return Match(
        found.id,
        found.store,
        found.text,
        found.path,
        found.line,
        protected=protected,
    )


def _forgotten(house: House, match: Match) -> bool:
    trace = house.index.trace(match.id)
    return trace is not None and trace.archived


def forget(
    house: House, matches: Sequence[Match], actor: Actor, trigger: str
) -> Receipt:
    """Archive what was shown, in one change; all of it or nothing."""
    house.look()
    _require_allowed(house, matches, actor)
    for match in matches:
        _require_same(house, match)
    today = house.clock().date()
    memories = [match for match in matches if match.store is not Store.TURNS]
    edits, ids = plan_forget(memories, house.ledger.read, today)
    edits += _unsaid(house, matches, today.isoformat())
    every = tuple(dict.fromkeys(match.id for match in matches))
    edits += archive_in_scores(house, ids)
    if not edits:
        return Receipt(house.ledger.head, house.clock(), (), actor, every)
    approval = Approval.NONE if actor.human else Approval.APPROVED
    change = ChangeSet(edits, actor, approval, trigger, _told(matches, edits))
    receipt = replace(house.commit(change, allowed=True), ids=every)
    for match in matches:
        if match.store is Store.CORE:
            # It leaves no trace in its file by which it would be known again.
            lay_to_rest(house, match.text)
    return receipt


def _unsaid(house: House, matches: Sequence[Match], day: str) -> tuple[Edit, ...]:
    """Edits by which turns never come back; the record keeps them."""
    pages: dict[str, list[Match]] = defaultdict(list)
    for match in matches:
        if match.store is Store.TURNS:
            pages[match.path].append(match)
    edits = []
    for path, found in pages.items():
        old = house.ledger.read(path) or b""
        text, _ = decode(old, path)
        keys = {_key(match.id) for match in found}
        new = mark_deleted(text, path, keys, day)
        bom = b"\xef\xbb\xbf" if old.startswith(b"\xef\xbb\xbf") else b""
        why = f"forgot {headline(found[0].text)}"
        data = bom + new.encode()
        edits.append(Edit(path, data, checksum(old), Action.ARCHIVE, why))
    return tuple(edits)


def _key(id_: str) -> tuple[int, Role]:
    """The number and the side of a turn."""
    _, number, role, _ = id_.rsplit("/", 3)
    return int(number), Role(role)


def _told(matches: Sequence[Match], edits: Sequence[Edit]) -> tuple[LogLine, ...]:
    """One line a memory, where it stands, and one for every other file."""
    lines = [
        LogLine(Action.ARCHIVE, m.path, f"forgot {m.id}: {headline(m.text)}")
        for m in matches
    ]
    told = {line.path for line in lines}
    rest = (e for e in edits if e.path not in told)
    lines += [LogLine(e.action, e.path, e.summary) for e in rest]
    return tuple(lines)


def _require_allowed(house: House, matches: Sequence[Match], actor: Actor) -> None:
    for match in matches:
        if match.protected:
            raise ProtectedError(match)
    if actor.human:
        return
    memories = [match for match in matches if match.store is not Store.TURNS]
    if len(memories) > BULK:
        raise TooManyAtOnceError(len(memories))
    for match in matches:
        trace = house.index.trace(match.id)
        if trace and trace.pinned:
            raise OnlyHumansError(actor)


def _require_same(house: House, match: Match) -> None:
    """A yes was given to a text; it does not hold for another one."""
    found = house.find(match.id)
    if found is None:
        raise NoSuchMemoryError(match.id)
    if not match.fact and found.text != match.text:
        raise ChangedMeanwhileError(match)


def archive_in_scores(house: House, ids: Sequence[str]) -> tuple[Edit, ...]:
    """Say in the scores, and in the graph's index, that memories are archived."""
    traces = {id_: house.index.trace(id_) for id_ in ids}
    changes = {i: replace(t, archived=True) for i, t in traces.items() if t}
    changes = {i: t for i, t in changes.items() if t != traces[i]}
    if not changes:
        return ()
    edits = house.plan_snapshot(changes)
    if all(edit.path != layout.SCORES for edit in edits):
        raise UnreadableScoresError
    return tuple(
        replace(edit, action=Action.ARCHIVE, summary=f"forgot {', '.join(changes)}")
        for edit in edits
    )


def lay_to_rest(house: House, text: str, name: str = "") -> None:
    """Keep what is gone from being learned again.

    Args:
        house: The workspace's parts.
        text: What it said.
        name: Whom it was about, where the text does not say it.
    """
    lines = (text, *text.split("\n"))
    said = {told(spoken(name, line)) for line in lines} - {""}
    if said:
        house.tombstones.add(said, house.clock().date().isoformat())
