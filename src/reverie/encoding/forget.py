"""Forget on request, purge an origin, pin and unpin (design, 4, 8.3 and 9).

What is archived stays where it stands and is hidden from search; a fact is struck out
on its page; an item of core memory leaves `MEMORY.md`. A purge takes everything of one
origin out of the files in one change: no erasure, since history keeps it and `undo`
brings it back, and no wish to forget, since what is told again is learned again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.encoding.archiving import (
    UnreadableScoresError,
    archive_in_scores,
    plan_graph_without,
)
from reverie.encoding.erase import tells_of
from reverie.encoding.near import Around
from reverie.encoding.placement import (
    cut_out,
    put_on_top,
    read_over,
)
from reverie.encoding.scrub import pieces
from reverie.encoding.triggers import detect
from reverie.errors import RefusedError
from reverie.index.located import origin as origin_of
from reverie.index.near_duplicates import told
from reverie.index.text import spoken, terms
from reverie.markdown import headline
from reverie.model.change import (
    Action,
    Approval,
    ChangeSet,
    Edit,
    LogLine,
    OnlyHumansError,
    Receipt,
    edit_of,
)
from reverie.model.ids import ItemId, Kind, Store, UnknownIdError, whole
from reverie.model.items import Episode, Origin, Role, Turn, stated
from reverie.model.route import Target, TriggerKind
from reverie.model.views import Forgetting, Match, Purge, Taken
from reverie.session.session import NoSuchMemoryError
from reverie.stores import core, entities, procedures, proposals, turns
from reverie.stores.ended_links import Pages, end_links
from reverie.stores.reader import decode, load_vocabulary, read_file
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from reverie.config import TriggersConfig
    from reverie.encoding.scrub import Piece
    from reverie.model.change import Actor
    from reverie.model.items import Entry
    from reverie.model.views import Hit
    from reverie.session.session import Session

SHARE = 0.5
"""So much of a wish's telling words must stand in a memory for it to be meant."""

BULK = 5
"""More memories at once than this are forgotten only by a human's own hand."""

MOST_TURNS = 20
"""So many turns of conversations are shown for one wish."""

MEMORIES = frozenset(Store) - {Store.TURNS}
PROTECTED = "it is in the vault; delete its file, or erase it for good"
_ON_BEHALF = frozenset({"bot:trigger-forget", "bot:main"})
_ASKING = re.compile(
    r"\s*(?:please\s+)?(?P<gone>permanently\s+)?(?:forget|delete|remove|erase)\s+"
    r"(?:about\s+)?(?:the\s+memor(?:y|ies)\s+(?:about|of)\s+)?(?P<what>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_CAPITAL = re.compile(r"(?<=[^\W\d_.!?] )[^\W\d_a-z]\w*")
_EVERYTHING = frozenset({"everyth", "all", "anyth", "about"})


class ChangedMeanwhileError(RefusedError):
    """What was shown to be forgotten reads otherwise now."""

    says = "{} was changed since it was shown"
    mend = "Look again at what would be forgotten, then confirm."


def read_wish(wish: str, settings: TriggersConfig) -> tuple[str, bool]:
    """What a wish names, without the words that ask for it.

    Args:
        wish: What was said.
        settings: The phrases by which a user asks for it.

    Returns:
        What it names, and whether it says in so many words that nothing may be left.

    Raises:
        RefusedError: It is about the conversation.
    """
    found = detect(wish, settings=settings)
    asked = next((t for t in found if t.kind is TriggerKind.FORGET), None)
    if asked and asked.target is Target.CONVERSATION:
        what = f"{wish!r} is about this conversation, so no memory is touched"
        hint = "Name what is remembered: a person, a project, a few of its words."
        raise RefusedError(what, hint=hint)
    if asked and asked.content:
        return asked.content, asked.permanent
    # Who calls `forget` means memories, also where a message might mean a file.
    order = _ASKING.match(wish)
    return (order["what"], bool(order["gone"])) if order else (wish, False)


class ForgetWish(NamedTuple):
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
        RefusedError: There are none, or it is about everything.
    """
    words = frozenset(terms(wish)) - _EVERYTHING
    if not words:
        what = f"{wish!r} does not say what is meant"
        hint = "Name it: a person, a project, a few words of the memory."
        raise RefusedError(what, hint=hint)
    # The first word has its capital letter from standing first.
    capitals = frozenset(terms(" ".join(_CAPITAL.findall(wish))))
    return ForgetWish(words, capitals & words)


def find_matches(
    wish: ForgetWish, hits: Iterable[Hit], read: Callable[[str], bytes | None]
) -> Iterator[Match]:
    """What a wish is about among memories that a search found for it.

    Similar meaning alone is not enough: who confirms a list may not read every line.
    Of an entity it is the whole if only its name is said, else facts that are meant.
    """
    pages: set[str] = set()
    for hit in hits:
        shown = Match(hit.id, hit.store, hit.text, hit.path, hit.line, hit.at)
        if hit.store is not Store.SEMANTIC:
            yield from [guard_vault(shown)] * wish.means(hit.text)
            continue
        if hit.path in pages:
            continue
        pages.add(hit.path)
        text, _ = decode(read(hit.path) or b"", hit.path)
        page = entities.parse_entity(text, hit.path)
        entity, whole = page.entity, page.entries[0]
        names = frozenset(terms(" ".join((entity.label, entity.slug, *entity.aliases))))
        rest = ForgetWish(wish.words - names, wish.names - names)
        shown = replace(shown, id=str(whole.id), line=1)
        if not rest.words and wish.words & names:
            called = (n for n in (entity.label, *entity.aliases) if "--" not in n)
            said = (*called, *(entry.text for entry in page.entries))
            yield replace(shown, text="\n".join(filter(None, said)))
            continue
        # What holds no longer is still told as past; the same words are listed once.
        told = zip(page.page.items(entities.FACTS), entity.facts, strict=True)
        lines: dict[str, int] = {}
        for piece, fact in sorted(told, key=lambda each: not each[1].current):
            if fact.text and not fact.forgotten and rest.means(fact.text):
                lines.setdefault(fact.text, piece.line)
        for fact_text, line in lines.items():
            yield replace(shown, text=fact_text, line=line, fact=True)


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
    every = frozenset[str]().union(*held.values())
    most = max((weights.get(term, 0.0) for term in every), default=0)
    telling = {term for term in every if weights.get(term, 0.0) == most}
    return tuple(key for key, said in held.items() if telling <= said)


def require_forgetter(actor: Actor) -> None:
    """Refuse everybody but a human, and the main agent on their behalf."""
    if not actor.human and actor.tag not in _ON_BEHALF:
        raise OnlyHumansError(actor)


def find_to_forget(
    session: Session, wish: str, ask: Callable[[frozenset[Store]], Sequence[Hit]]
) -> Forgetting:
    """What a wish to forget would touch."""
    named = find_by_id(session, wish)
    if named is not None:
        id_ = named.id
        if named.fact:
            id_ = f"entity:{entities.fact_id(id_.removeprefix('entity:'), named.text)}"
        told = [_match(each) for each in tells_of(session, id_, named.text)]
        every = (named, *told[:MOST_TURNS])
        return Forgetting(
            wish, every, mentions=len(told[MOST_TURNS:]), meant=(named.key,)
        )
    words, read = wished(wish), session.ledger.read
    found = find_matches(words, ask(MEMORIES), read)
    # What has faded is hidden as well, but nobody asked to forget it yet.
    traces = ((match, session.index.trace(match.id)) for match in found)
    matches = tuple(match for match, trace in traces if not (trace and trace.archived))
    hits = find_matches(words, ask(frozenset({Store.TURNS})), read)
    # What was said would come back as well, by itself.
    said = [replace(match, id=whole(match.id)) for match in hits]
    every = tuple(map(_with_name, (*matches, *said[:MOST_TURNS])))
    weights = session.index.sharing(words.words, "", 1.0, 0).weights
    meant, more = most_meant(words, weights, every), len(said[MOST_TURNS:])
    return Forgetting(wish, every, mentions=more, meant=meant)


def _with_name(match: Match) -> Match:
    """A match that says by which id it alone is named: a fact, and not its page."""
    if not match.fact:
        return match
    page = match.id.removeprefix("entity:")
    return replace(match, name=f"entity:{entities.fact_id(page, match.text)}")


def find_by_id(session: Session, wish: str) -> Match | None:
    """Return the memory, or the one fact, that an id names; None for words.

    A superseded fact counts as well, because its words are still shown as past.

    Raises:
        NoSuchFactError: The page has no such fact, or it is forgotten already.
    """
    if entities.parse_fact_id(wish):
        around = Around(session)
        fact = around.cited(wish) or around.find_superseded(wish)
        fact = fact or around.require(wish)
        page, place = f"entity:{fact.page}", (fact.path, fact.line)
        return Match(page, Store.SEMANTIC, fact.text, *place, fact=True)
    try:
        found = session.find(str(ItemId.parse(wish)))
    except UnknownIdError:
        return None
    if found is None:
        return None
    return guard_vault(Match(found.id, found.store, found.text, found.path, found.line))


def _match(piece: Piece) -> Match:
    """What was made of a memory or quotes it, as it can be forgotten with it."""
    kind, said = piece.id.partition(":")[0], (piece.text, piece.path, piece.line)
    if kind not in set(Kind):
        return Match(piece.id, Store.SEMANTIC, *said, part=True)
    if kind == Kind.ENTITY:
        fact = "#" in piece.id
        return Match(piece.page, Store.SEMANTIC, *said, fact=fact, part=not fact)
    return guard_vault(Match(piece.id, ItemId.parse(piece.id).store, *said))


def guard_vault(match: Match) -> Match:
    """Return a match that says if it is protected."""
    return replace(match, protected=PROTECTED) if match.store is Store.VAULT else match


def forget(
    session: Session, matches: Sequence[Match], actor: Actor, trigger: str
) -> Receipt:
    """Archive what was shown, in one change; all of it or nothing."""
    edits, lines = plan_forgetting(session, matches)
    every = tuple(dict.fromkeys(match.id for match in matches))
    if not edits:
        return nothing_done(session, actor, every)
    approval = Approval.NONE if actor.human else Approval.APPROVED
    change = ChangeSet(edits, actor, approval, trigger, lines)
    # Of all that steers an agent, only items of core memory come here.
    core_items = any(match.store is Store.CORE for match in matches)
    receipt = replace(session.commit(change, allowed=core_items), ids=every)
    for match in matches:
        if match.store is Store.CORE:
            # It leaves no trace in its file by which it would be known again.
            lay_to_rest(session, match.text)
    return receipt


def plan_forgetting(
    session: Session, matches: Sequence[Match]
) -> tuple[tuple[Edit, ...], tuple[LogLine, ...]]:
    """Plan the edits by which memories are forgotten, and what history says of them.

    Raises:
        NoSuchMemoryError: There is no such memory.
        ChangedMeanwhileError: One of them reads otherwise than it was shown.
    """
    pages: dict[str, list[Match]] = defaultdict(list)
    for match in matches:
        if match.part:
            pages[match.path].append(match)
            continue
        found = session.find(match.id)
        if found is None:
            raise NoSuchMemoryError(match.id)
        if not match.fact and match.text not in {found.text, found.aside}:
            # A yes was given to a text, perhaps of pasted lines, and to no other one.
            raise ChangedMeanwhileError(match.id)
        if match.store in {*_SAID_IN_FILES, Store.SEMANTIC}:
            pages[match.path].append(match)
    whole = [match for match in matches if not (match.fact or match.part)]
    gone = [match.id for match in whole if match.id.startswith("entity:")]
    edits = _struck(pages, session, gone)
    # Of others only the scores can tell that they are archived.
    ids = [match.id for match in whole if match.store not in _SAID_IN_FILES]
    edits += archive_in_scores(session, ids, pages=edits)
    edits += plan_graph_without(session, edits)
    # One line a memory, where it stands, and one for every other file.
    lines = [
        LogLine(Action.ARCHIVE, m.path, f"forgot {m.id}: {headline(m.text)}")
        for m in matches
    ]
    told_of = {line.path for line in lines}
    rest = [edit for edit in edits if edit.path not in told_of]
    lines += [LogLine(edit.action, edit.path, edit.summary) for edit in rest]
    return tuple(edits), tuple(lines)


_SAID_IN_FILES = frozenset({Store.CORE, Store.TURNS})


def nothing_done(session: Session, actor: Actor, ids: tuple[str, ...]) -> Receipt:
    """What says that there was nothing to change."""
    return Receipt(session.ledger.head, session.clock(), (), actor, ids)


def _unlinked(
    session: Session, ids: Sequence[str], read: Callable[[str], bytes | None]
) -> Iterator[Edit]:
    """The edits by which no other page leads to entities that are forgotten."""
    gone = {id_.removeprefix("entity:") for id_ in ids}
    for edge in session.index.edges() if gone else ():
        for name, other in ((edge.origin, edge.target), (edge.target, edge.origin)):
            if other not in gone or name in gone:
                continue
            path = session.place(layout.ENTITIES, f"{name}.md")
            if (old := read(path)) is None:
                continue
            page = entities.parse_entity(decode(old, path)[0], path)
            page, lost = entities.remove_links(page, lambda _, target: target in gone)
            if lost:
                new = entities.render_entity(page)
                why = f"no longer leads to {other}"
                yield edit_of(path, old, new, Action.ARCHIVE, why)


def _struck(
    pages: Mapping[str, Sequence[Match]], session: Session, whole: Sequence[str]
) -> list[Edit]:
    """Files in which what is forgotten is gone, struck out or marked."""
    edits: dict[str, Edit] = {}
    read, today = read_over(edits, session.ledger.read), session.clock().date()
    for path, found in pages.items():
        old = read(path) or b""
        text, _ = decode(old, path)
        parts = [match.text for match in found if match.part]
        if parts:
            text = _without_parts(text, path, parts)
            found = [match for match in found if not match.part]  # noqa: PLW2901
        if not found:
            new = text
        elif found[0].store is Store.CORE:
            ids = {match.id for match in found}
            entries = core.parse_core(text, path).entries
            new = cut_out(text, (entry for entry in entries if str(entry.id) in ids))
        elif found[0].store is Store.TURNS:
            # Turns never come back; the record keeps them.
            named = (match.id.rsplit("/", 3) for match in found)
            keys = {(int(number), Role(role)) for _, number, role, _ in named}
            new = turns.mark_deleted(text, path, keys, today.isoformat())
        else:
            around = Pages(read, session.place, today)
            new, more = _without_said(text, path, found, around)
            put_on_top(edits, more)
        said = [*parts, *(match.text for match in found)]
        why = f"forgot {headline(said[0])}"
        why += f" and {len(said) - 1} more" if len(said) > 1 else ""
        put_on_top(edits, [edit_of(path, old, new, Action.ARCHIVE, why)])
    for edit in _unlinked(session, whole, read):
        put_on_top(edits, [edit])
    return list(edits.values())


def _without_parts(text: str, path: str, parts: Sequence[str]) -> str:
    """A file without lines, proposals or expectations that were shown."""
    there = list(pieces(path, text.encode()))
    gone = [each for each in there if each.raw and each.text in parts]
    if {each.text for each in gone} != {*parts}:
        raise ChangedMeanwhileError(path)
    if path != layout.PENDING:
        return cut_out(text, gone)
    pending = proposals.parse_pending(text, path)
    for each in gone:
        pending = proposals.remove_proposal(pending, int(each.id.removeprefix("#")))
    return proposals.render_pending(pending)


def _without_said(
    text: str, path: str, found: Sequence[Match], pages: Pages
) -> tuple[str, tuple[Edit, ...]]:
    """A page on which facts are forgotten, and what changes on others for that."""
    before = page = entities.parse_entity(text, path)
    said = [match.text for match in found]
    if not all(match.fact for match in found):
        said = [fact.text for fact in page.entity.facts if fact.current]
    for fact_text in said:
        name = entities.reference(fact_text)
        page = entities.forget_fact(page, name, on=pages.today)
    page, edits = end_links(before, page, pages)
    page = entities.set_header(page, updated=pages.today)
    return entities.render_entity(page), edits


def require_allowed(session: Session, matches: Sequence[Match], actor: Actor) -> None:
    """Refuse what is protected, and an agent what only a human forgets."""
    for match in matches:
        if match.protected:
            what = f"{match.id} is protected"
            raise RefusedError(what, hint=f"{match.protected}.")
    if actor.human:
        return
    memories = sum(match.store is not Store.TURNS for match in matches)
    if memories > BULK:
        what = f"{memories} memories are more than an agent may forget at once ({BULK})"
        hint = "Let your human do it: `reverie forget` in a terminal."
        raise RefusedError(what, hint=hint)
    for match in matches:
        trace = session.index.trace(match.id)
        if (trace and trace.pinned) or (match.part and not _is_page(match.path)):
            raise OnlyHumansError(actor)


def _is_page(path: str) -> bool:
    """Return whether an agent may cut lines that were shown out of a file."""
    return path == layout.EXPECTATIONS or path.startswith(f"{layout.ENTITIES}/")


def lay_to_rest(session: Session, text: str, name: str = "") -> None:
    """Keep what is gone from being learned again.

    Args:
        session: The workspace's parts.
        text: What it said.
        name: Whom it was about, where the text does not say it.
    """
    lines = (text, *text.split("\n"))
    said = {told(spoken(name, line)) for line in lines} - {""}
    if said:
        session.tombstones.add(said, session.clock().date().isoformat())


# --- pins --------------------------------------------------------------------


class AlwaysPinnedError(RefusedError):
    """A vault note cannot be unpinned where it is."""

    says = "{} is in the vault, where everything is pinned"
    mend = "Move its file out of memory/vault/ to let it fade."


def set_pin(session: Session, item_id: str, actor: Actor, *, pinned: bool) -> Receipt:
    """Note that a memory is pinned, or no longer; in its file, else in the scores.

    Day logs are never edited: the scores say which episodes are pinned.
    """
    session.look()
    found = session.find(str(ItemId.parse(item_id)))
    trace = session.index.trace(found.id) if found else None
    if found is None or trace is None:
        raise NoSuchMemoryError(item_id)
    parsed = ItemId.parse(found.id)
    if trace.pinned == pinned:
        return nothing_done(session, actor, (str(parsed),))
    word = "pin" if pinned else "unpin"
    data = session.ledger.read(found.path) or b""
    edit = plan_pin(parsed, found.path, data, pinned=pinned)
    if edit is None:
        snapshot = session.plan_snapshot({str(parsed): replace(trace, pinned=pinned)})
        edit = next((edit for edit in snapshot if edit.path == layout.SCORES), None)
        if edit is None:
            raise UnreadableScoresError
        edit = replace(edit, summary=f"{word}ned {parsed}")
    change = ChangeSet((edit,), actor, Approval.NONE, f"reverie {word}")
    return replace(session.commit(change, allowed=True), ids=(str(parsed),))


def plan_pin(item_id: ItemId, path: str, data: bytes, *, pinned: bool) -> Edit | None:
    """Plan to note in a memory's own file that it is pinned, or no longer.

    Returns:
        The edit; None where files of this kind do not say it, or nothing changes.
    """
    text, _ = decode(data, path)
    match item_id.kind:
        case Kind.ENTITY:
            page = entities.set_header(entities.parse_entity(text, path), pinned=pinned)
            new = entities.render_entity(page)
        case Kind.PROCEDURE:
            known = procedures.parse_procedure(text, path)
            known = procedures.set_header(known, pinned=pinned)
            new = procedures.render_procedure(known)
        case Kind.CORE:
            memory = core.parse_core(text, path)
            new = core.render_core(core.set_pinned(memory, item_id, pinned=pinned))
        case _:
            return None
    word = "pinned" if pinned else "unpinned"
    edit = edit_of(path, data, new, Action.EDIT, f"{word} {item_id}")
    return None if edit.content == data else edit


# --- purging an origin ---------------------------------------------------------

PURGEABLE = (Origin.TOOL, Origin.PASTED, Origin.IMPORT, Origin.SUBAGENT, Origin.AGENT)
"""Origins of which everything can be taken out; the owner's words are forgotten."""

_FOLDERS = tuple(
    f"{folder}/"
    for folder in (
        *(layout.EPISODES, layout.ENTITIES, layout.PROCEDURES, layout.VAULT),
        *(layout.NOTEBOOKS, layout.CONVERSATIONS),
    )
)
"""Where anybody's words may stand."""


def find_purge(session: Session, origin: Origin | str, source: str) -> Purge:
    """Everything of one origin, and where it stands."""
    if origin not in PURGEABLE:
        what = f"everything of origin {str(origin)[:40]!r} cannot be taken out at once"
        hint = f"It can be {', '.join(PURGEABLE)}; your own words: `reverie forget`."
        raise RefusedError(what, hint=hint)
    if source and origin != Origin.IMPORT:
        what = f"what comes from {origin} does not say which one it was"
        hint = "Only an import has a source; leave it out to take all of it."
        raise RefusedError(what, hint=hint)
    session.look()
    wanted = Purge(Origin(origin), source, ())
    return replace(wanted, taken=_plan_purge(session, wanted)[0])


def purge(session: Session, shown: Purge, actor: Actor) -> Receipt:
    """Take out what was shown: all of it in one change, or nothing."""
    session.look()
    taken, edits = _plan_purge(session, shown)
    if taken != shown.taken:
        what = "nothing was taken out: memory has changed since it was shown"
        raise RefusedError(what, hint="Look again at what would go, then confirm.")
    ids = tuple(dict.fromkeys(each.id for each in taken))
    if not edits:
        return nothing_done(session, actor, ids)
    trigger = f"purge --origin {shown.origin}"
    trigger += f" --source {shown.source}" if shown.source else ""
    receipt = session.commit(ChangeSet(edits, actor, Approval.NONE, trigger))
    return replace(receipt, ids=ids)


def _plan_purge(
    session: Session, wanted: Purge
) -> tuple[tuple[Taken, ...], tuple[Edit, ...]]:
    """What goes of all files, and the edits by which it goes."""
    every: list[Taken] = []
    edits: dict[str, Edit] = {}
    read, today = read_over(edits, session.ledger.read), session.clock().date()
    pages = Pages(read, session.place, today)
    for path in sorted(session.index.signatures()):
        if path not in {layout.CORE, layout.PENDING} and not path.startswith(_FOLDERS):
            continue
        data = read(path) or b""
        text, problems = decode(data, path)
        if problems:
            continue
        new: str | None
        if path == layout.PENDING:
            taken, new = _without_proposals(text, path, wanted)
        elif path.startswith(f"{layout.ENTITIES}/"):
            taken, new, more = _without_facts(text, path, wanted, pages)
            put_on_top(edits, more)
        else:
            entries = read_file(path, data, load_vocabulary(None)).entries
            meant = [each for each in entries if _is_meant(each, text, wanted)]
            taken = [Taken(str(e.id), path, e.line, e.text) for e in meant]
            day = today.isoformat()
            new = _without(path, text, meant, wanted, day) if meant else text
        if taken:
            every += taken
            why = f"purged {len(taken):,} of origin {wanted.origin}"
            edit = edit_of(path, data, new or "", Action.ARCHIVE, why)
            if new is None:
                edit = replace(edit, content=None, action=Action.DELETE)
            # It may have lost a link already, with a fact of another page.
            base = edits[path].base if path in edits else edit.base
            edits[path] = replace(edit, base=base)
    return tuple(every), tuple(edits.values())


def _is_meant(entry: Entry, text: str, wanted: Purge) -> bool:
    """Whether an entry is of an origin, and was imported from where it is to be."""
    if entry.id.kind is Kind.NOTE and origin_of(entry) is Origin.IMPORT:
        # It was brought in by nobody: this is where it stands.
        return False
    if origin_of(entry) is not wanted.origin or not wanted.source:
        return origin_of(entry) is wanted.origin
    match entry.item:
        case Episode(more=more):
            said = dict(more).get("origin", "")
        case Turn():
            said = turns.origin_of(text)
        case _:
            return False
    name = said.partition(":")[2]
    names = {said, name}
    return wanted.source in names | {
        re.sub(r"(?::\d+|#\d+-\d+)\Z", "", each) for each in names
    }


def _without(
    path: str, text: str, meant: list[Entry], wanted: Purge, day: str
) -> str | None:
    """A file without some entries; None where nothing is left of it."""
    left = cut_out(text, meant)
    if path == layout.CORE:
        return left
    if path.startswith(f"{layout.EPISODES}/"):
        # Its title alone says nothing.
        return left if len([*filter(str.strip, left.split("\n"))]) > 1 else None
    said = [entry.item for entry in meant if isinstance(entry.item, Turn)]
    if not said or wanted.origin is Origin.IMPORT:
        # A procedure or a note is one file; an imported conversation goes as a whole.
        return None
    keys = {(turn.number, turn.role) for turn in said}
    return turns.mark_deleted(text, path, keys, day)


def _without_facts(
    text: str, path: str, wanted: Purge, pages: Pages
) -> tuple[list[Taken], str | None, tuple[Edit, ...]]:
    """The facts of a page that are meant, it without them, and what ends with them."""
    page = entities.parse_entity(text, path)
    facts = [
        (each, entities.parse_fact(each)) for each in page.page.items(entities.FACTS)
    ]
    gone = [
        (piece, fact)
        for piece, fact in facts
        if not wanted.source and stated(fact.by, fact.source) is wanted.origin
    ]
    name = f"entity:{page.entity.name}"
    taken = [Taken(name, path, piece.line, fact.text) for piece, fact in gone]
    left = cut_out(text, (piece for piece, _ in gone))
    after, edits = end_links(page, entities.parse_entity(left, path), pages)
    rest = after.entity
    # A page stays if it tells more than what it is linked with.
    says = (rest.facts, rest.summary, rest.timeline, rest.questions)
    return taken, entities.render_entity(after) if any(says) else None, edits


def _without_proposals(text: str, path: str, wanted: Purge) -> tuple[list[Taken], str]:
    pending = proposals.parse_pending(text, path)
    taken = []
    for one in pending.proposals:
        if one.origin is wanted.origin and not wanted.source:
            taken.append(Taken(f"#{one.number}", path, 0, one.content))
            pending = proposals.remove_proposal(pending, one.number)
    return taken, proposals.render_pending(pending)
