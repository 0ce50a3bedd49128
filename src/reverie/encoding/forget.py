"""Forget on request: find, show, confirm, archive (design, 8.3).

What is archived stays where it stands and is hidden from search; a fact is struck out
on its page; an item of core memory leaves `MEMORY.md`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.encoding.near import Around
from reverie.encoding.pin import UnreadableScoresError
from reverie.encoding.triggers import detect
from reverie.errors import RefusedError
from reverie.index.near_duplicates import spoken, told
from reverie.index.sqlite_index import whole
from reverie.index.text import terms
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
from reverie.model.route import Target, TriggerKind
from reverie.model.views import Forgetting, Match
from reverie.session.session import NoSuchMemoryError
from reverie.stores import core, entities
from reverie.stores.entities import parse_fact_id
from reverie.stores.reader import decode
from reverie.stores.turns import mark_deleted
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from reverie.config import TriggersConfig
    from reverie.model.change import Actor
    from reverie.model.recall import Hit
    from reverie.session.session import House

SHARE = 0.5
"""So much of a wish's telling words must stand in a memory for it to be meant."""

_ASKING = re.compile(
    r"\s*(?:please\s+)?(?P<gone>permanently\s+)?(?:forget|delete|remove|erase)\s+"
    r"(?:about\s+)?(?:the\s+memor(?:y|ies)\s+(?:about|of)\s+)?(?P<what>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_CAPITAL = re.compile(r"(?<=[^\W\d_.!?] )[^\W\d_a-z]\w*")
_EVERYTHING = frozenset({"everyth", "all", "anyth", "about"})
PROTECTED = "it is in the vault; delete its file, or erase it for good"


class UnclearWishError(RefusedError):
    """A wish to forget names no memory: nothing at all, or the conversation."""


class ChangedMeanwhileError(RefusedError):
    """What was shown to be forgotten reads otherwise now."""

    def __init__(self, match: Match) -> None:
        super().__init__(
            f"{match.id} was changed since it was shown",
            hint="Look again at what would be forgotten, then confirm.",
        )


def read_wish(wish: str, settings: TriggersConfig) -> tuple[str, bool]:
    """What a wish names, without the words that ask for it.

    Args:
        wish: What was said.
        settings: The phrases by which a user asks for it.

    Returns:
        What it names, and whether it says in so many words that nothing may be left.

    Raises:
        UnclearWishError: It is about the conversation.
    """
    found = detect(wish, settings=settings)
    asked = next((t for t in found if t.kind is TriggerKind.FORGET), None)
    if asked and asked.target is Target.CONVERSATION:
        what = f"{wish!r} is about this conversation, so no memory is touched"
        hint = "Name what is remembered: a person, a project, a few of its words."
        raise UnclearWishError(what, hint=hint)
    if asked and asked.content:
        return asked.content, asked.permanent
    # Who calls `forget` means memories, also where a message might mean a file.
    order = _ASKING.match(wish)
    return (order["what"], bool(order["gone"])) if order else (wish, False)


@dataclass(frozen=True, slots=True)
class ForgetWish:
    """What is to be forgotten, in stems: all telling words, and names among them."""

    words: frozenset[str]
    names: frozenset[str]

    def means(self, text: str) -> bool:
        """Whether a text is meant: every name is in it, and enough of the words."""
        said = frozenset(terms(text))
        enough = len(self.words & said) >= max(1.0, SHARE * len(self.words))
        return enough and self.names <= said


def wished(wish: str) -> ForgetWish:
    """The telling words of a wish.

    Raises:
        UnclearWishError: There are none, or it is about everything.
    """
    words = frozenset(terms(wish)) - _EVERYTHING
    if not words:
        what = f"{wish!r} does not say what to forget"
        hint = "Name it: a person, a project, a few words of the memory. To leave "
        raise UnclearWishError(
            what, hint=f"{hint}everything behind, start another workspace."
        )
    # The first word has its capital letter from standing first.
    capitals = frozenset(terms(" ".join(_CAPITAL.findall(wish))))
    return ForgetWish(words, capitals & words)


def find_matches(
    wish: ForgetWish, hits: Iterable[Hit], read: Callable[[str], bytes | None]
) -> Iterator[Match]:
    """What a wish is about among memories that a search found for it.

    Similar meaning alone is not enough: who confirms a list may not read every line.
    """
    for hit in hits:
        if hit.store is Store.SEMANTIC:
            yield from _in_entity(wish, hit, read)
        elif wish.means(hit.text):
            yield _match(hit, hit.text)


def most_meant(
    wish: ForgetWish, weights: Mapping[str, float], matches: Sequence[Match]
) -> tuple[str, ...]:
    """The keys of the matches that hold the most telling words which any of them has.

    Args:
        wish: What is to be forgotten.
        weights: How telling each word of it is.
        matches: What was found for it.
    """
    held = {m.key: wish.words & {*terms(m.id), *terms(m.text)} for m in matches}
    most = max((weights.get(t, 0.0) for said in held.values() for t in said), default=0)
    telling = {t for said in held.values() for t in said if weights.get(t, 0.0) == most}
    return tuple(key for key, said in held.items() if telling <= said)


def _match(hit: Hit, text: str, *, fact: bool = False) -> Match:
    protected = PROTECTED if hit.store is Store.VAULT else ""
    return Match(hit.id, hit.store, text, hit.path, hit.line, hit.at, fact, protected)


def _in_entity(
    wish: ForgetWish, hit: Hit, read: Callable[[str], bytes | None]
) -> Iterator[Match]:
    """The whole entity if only its name is said, else the facts that are meant."""
    text, _ = decode(read(hit.path) or b"", hit.path)
    entity = entities.parse_entity(text, hit.path).entity
    names = frozenset(terms(" ".join((entity.label, entity.slug, *entity.aliases))))
    rest = ForgetWish(wish.words - names, wish.names - names)
    if not rest.words and wish.words & names:
        yield _match(hit, hit.text)
        return
    for fact in entity.facts:
        if fact.current and rest.means(fact.text):
            yield _match(hit, fact.text, fact=True)


def plan_forget(
    matches: Iterable[Match], read: Callable[[str], bytes | None], today: date
) -> tuple[tuple[Edit, ...], tuple[str, ...]]:
    """Plan the part of forgetting that files themselves show.

    Returns:
        The edits, and the ids whose archiving only the scores can tell.
    """
    pages: dict[str, list[Match]] = defaultdict(list)
    ids = []
    for match in matches:
        if match.store in {Store.CORE, Store.SEMANTIC}:
            pages[match.path].append(match)
        if not match.fact and match.store is not Store.CORE:
            ids.append(match.id)
    edits = tuple(
        _without(path, read(path) or b"", found, today) for path, found in pages.items()
    )
    return edits, tuple(dict.fromkeys(ids))


def _without(path: str, old: bytes, found: Sequence[Match], today: date) -> Edit:
    text, _ = decode(old, path)
    if path == layout.CORE:
        new = _without_items(text, path, found)
    else:
        page = entities.parse_entity(text, path)
        said = [match.text for match in found]
        if not all(match.fact for match in found):
            said = [fact.text for fact in page.entity.facts if fact.current]
        for fact_text in said:
            page = entities.forget_fact(page, entities.reference(fact_text), on=today)
        new = entities.render_entity(entities.set_header(page, updated=today))
    bom = b"\xef\xbb\xbf" if old.startswith(b"\xef\xbb\xbf") else b""
    why = f"forgot {headline(found[0].text)}"
    why += f" and {len(found) - 1} more" if len(found) > 1 else ""
    return Edit(path, bom + new.encode(), checksum(old), Action.ARCHIVE, why)


def _without_items(text: str, path: str, found: Sequence[Match]) -> str:
    memory = core.parse_core(text, path)
    wanted = {ItemId.parse(match.id): match for match in found}
    lines = set()
    for entry in memory.entries:
        match = wanted.pop(entry.id, None)
        if match and match.text != entry.text:
            raise ChangedMeanwhileError(match)
        lines |= {entry.line} if match else set()
    for match in wanted.values():
        raise ChangedMeanwhileError(match)
    return core.render_core(core.without_lines(memory, lines))


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
    traces = ((match, house.index.trace(match.id)) for match in found)
    matches = tuple(match for match, trace in traces if not (trace and trace.archived))
    hits = find_matches(words, ask(frozenset({Store.TURNS})), read)
    said = [replace(match, id=whole(match.id)) for match in hits]
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
        found.id, found.store, found.text, found.path, found.line, protected=protected
    )


def forget(
    house: House, matches: Sequence[Match], actor: Actor, trigger: str
) -> Receipt:
    """Archive what was shown, in one change; all of it or nothing."""
    house.look()
    _require_allowed(house, matches, actor)
    for match in matches:
        found = house.find(match.id)
        if found is None:
            raise NoSuchMemoryError(match.id)
        if not match.fact and found.text != match.text:
            # A yes was given to a text; it does not hold for another one.
            raise ChangedMeanwhileError(match)
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
        ids = (match.id.rsplit("/", 3) for match in found)
        keys = {(int(number), Role(role)) for _, number, role, _ in ids}
        new = mark_deleted(text, path, keys, day)
        bom = b"\xef\xbb\xbf" if old.startswith(b"\xef\xbb\xbf") else b""
        why = f"forgot {headline(found[0].text)}"
        data = bom + new.encode()
        edits.append(Edit(path, data, checksum(old), Action.ARCHIVE, why))
    return tuple(edits)


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
            what = f"{match.id} is protected"
            raise RefusedError(what, hint=f"{match.protected}.")
    if actor.human:
        return
    memories = [match for match in matches if match.store is not Store.TURNS]
    if len(memories) > BULK:
        many = f"{len(memories)} memories are more than an agent may forget at once"
        hint = "Let your human do it: `reverie forget` in a terminal."
        what = f"{many} ({BULK})"
        raise RefusedError(what, hint=hint)
    for match in matches:
        trace = house.index.trace(match.id)
        if trace and trace.pinned:
            raise OnlyHumansError(actor)


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
