"""Erase a memory, a text or a person for good, from files and all of history (spec, 2).

What was made of it alone goes with it: facts and episodes whose `from` names it, the
summaries of a conversation, links that came with a fact, proposals and expectations
that quote it. What tells of it among other things is shown: its words go there too
where its human says so, and what has it in other words goes as a whole.
"""

from __future__ import annotations

import re
import secrets
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.encoding.scrub import (
    SHORTEST,
    WAITING,
    Piece,
    Scrubber,
    Wanted,
    needles,
    normal,
    pieces,
    recognised,
    rests_on,
    stem_of,
)
from reverie.errors import NotFoundError, RefusedError
from reverie.index.text import terms
from reverie.ledger.erasure import ERASED
from reverie.markdown import one_line
from reverie.model.change import Action, Approval, ChangeSet, LogLine
from reverie.model.ids import Kind, Store
from reverie.model.items import same_person
from reverie.model.views import Erasing
from reverie.session.session import NoSuchMemoryError
from reverie.stores import entities, turns
from reverie.stores.ended_links import ENTITY_NAME
from reverie.stores.reader import decode, load_vocabulary, read_file
from reverie.stores.relations import ends
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from reverie.index import Located
    from reverie.model.change import Actor
    from reverie.model.items import Entry
    from reverie.model.views import ErasureReceipt
    from reverie.session.session import Session

_FOLDERS = {
    Kind.CORE: layout.CORE,
    Kind.EPISODE: f"{layout.EPISODES}/{ERASED}",
    Kind.ENTITY: f"{layout.ENTITIES}/{ERASED}",
    Kind.PROCEDURE: f"{layout.PROCEDURES}/{ERASED}",
    Kind.VAULT: f"{layout.VAULT}/{ERASED}",
    Kind.TURN: f"{layout.CONVERSATIONS}/{ERASED}",
}


class Erasure(NamedTuple):
    """What is to be erased: what is shown of it, how it is done, what it said.

    Attributes:
        shown: What goes, and what tells of it among other things.
        wanted: By what it is recognised.
        path: Where the record says that something was.
        said: What is not to be learned again, each with whom it is about.
    """

    shown: Erasing
    wanted: Wanted
    path: str
    said: tuple[tuple[str, str], ...] = ()


def plan_text(session: Session, text: str) -> Erasure:
    """Take out a text wherever it stands, in any case of letters.

    Raises:
        RefusedError: It is too short to be meant everywhere.
        NotFoundError: It stands nowhere.
    """
    if len(text.strip()) < SHORTEST:
        what = f"{text!r} is too short to be erased wherever it stands"
        hint = f"Give at least {SHORTEST} characters, or the id of the memory."
        raise RefusedError(what, hint=hint)
    wanted = Wanted(words=(text,), quotes=True, mark=_mark())
    if not session.ledger.find_bytes(needles(wanted), session.state_folder):
        what = "that text is in no file, message or object of this workspace"
        hint = "Nothing was changed. Check the spelling."
        raise NotFoundError(what, hint=hint)
    scrubber = Scrubber(wanted)
    found = [each.taken for each in _every(session) if scrubber.quotes(each.text)]
    return Erasure(Erasing(text, (), tuple(found)), wanted, "*", ((text, ""),))


def plan_item(session: Session, id_: str, *, quotes: bool) -> Erasure:
    """Take out one memory, or one fact of an entity."""
    known = _every(session)
    if named := entities.parse_fact_id(id_):
        page, short = named
        found = session.find(f"entity:{page}")
        place = found.id if found else f"entity:{page}"
        of_page = [p for p in known if p.id.startswith(f"{place}#")]
        seed = [p for p in of_page if p.id.rpartition("#")[2] == short[:6]]
        if len(short) > 6:
            seed = [p for p in seed if entities.reference(p.text).startswith(short)]
        return _planned(session, known, seed, id_, quotes=quotes)
    located = session.find(id_)
    if located is None:
        raise NoSuchMemoryError(id_)
    _require_one_file(session, located)
    name = normal(located.id)
    seed = [p for p in known if name in {p.id, p.page}]
    return _planned(session, known, seed, id_, located, quotes=quotes)


def plan_person(session: Session, person: str, *, quotes: bool) -> Erasure:
    """Take out all that a person said, what is for them alone, and their page."""
    pages = [n for n in session.index.called(person) if n.startswith("person--")]
    known = _every(session)
    names = {person}
    for piece in known:
        if piece.names_page and piece.id.removeprefix("entity:") in pages:
            names |= {n for n in piece.text.split("\n") if not ENTITY_NAME.fullmatch(n)}

    def theirs(piece: Piece) -> bool:
        page = piece.page.removeprefix("entity:") in pages
        said = any(same_person(one, name) for one in piece.people for name in names)
        return page or said

    seed = [piece for piece in known if theirs(piece)]
    if not seed:
        what = f"nothing was said by {person}, is for them alone, or is their page"
        raise NotFoundError(what, hint="`reverie erase --text` takes out a name.")
    # What was answered to them is made of what they said.
    numbers = {p.id.rsplit("/", 2)[0] for p in seed if p.id.startswith("turn:")}
    seed += [p for p in known if p not in seed and p.id.rsplit("/", 2)[0] in numbers]
    return _planned(session, known, seed, person, called=names, quotes=quotes)


def _planned(
    session: Session,
    known: Sequence[Piece],
    seed: Sequence[Piece],
    what: str,
    located: Located | None = None,
    called: Iterable[str] = (),
    *,
    quotes: bool,
) -> Erasure:
    """What goes with some pieces, and what tells of them among other things."""
    if not seed:
        raise NoSuchMemoryError(what)
    gone = _with_made_of(known, seed)
    ids = {piece.id for piece in gone}
    texts: dict[str, set[str]] = defaultdict(set)
    for piece in gone:
        texts[piece.home].add(piece.text)
        if piece.path in WAITING:
            texts[piece.path].add(piece.text)
    if located is not None and located.store is not Store.SEMANTIC:
        earlier = _earlier(located, _versions(session, located.path))
        texts[stem_of(normal(located.id))] |= earlier
    names, other, called = _names(session, known, ids, called)
    ended, dangling = _ended(session, known, gone, names)
    names |= dangling
    said = {text for some in texts.values() for text in some if text.strip()}
    if located is not None and located.store is Store.VAULT:
        said.add(located.title)
    kept = {p.text for p in known if p.id not in ids}
    lines = {one_line(line) for text in said for line in text.split("\n")}
    statements = said - other
    wanted = Wanted(
        frozenset(ids),
        dict(texts),
        frozenset(lines - {one_line(text) for text in kept} - {""}),
        _whole_windows(known, ids),
        frozenset(names),
        tuple(sorted(called)),
        tuple(recognised(statements)),
        frozenset(ended),
        quotes,
        _mark(),
    )
    rest = [p for p in known if not {p.id, p.page} & ids]
    quoted = list(_quoting(rest, gone, wanted))
    waits = [p for p in quoted if p.path in WAITING]
    quoted = [piece for piece in quoted if piece not in waits]
    if quotes:
        # What has it in other words goes as a whole.
        scrubber = Scrubber(wanted)
        as_whole = [piece for piece in quoted if not scrubber.quotes(piece.text)]
        for piece in as_whole:
            texts[piece.home].add(piece.text)
        # Of a page it is a line, and the page stays.
        own = {p.id for p in as_whole if "#" in p.id or "entity:" not in p.id}
        every = wanted.ids | own
        windows = _whole_windows(known, every)
        wanted = wanted._replace(ids=every, texts=dict(texts), windows=windows)
    path = _FOLDERS.get(Kind(seed[0].id.partition(":")[0]), "*") if located else "*"
    sources = dict.fromkeys(p.source for p in (*gone, *quoted) if p.source)
    shown = Erasing(
        what,
        tuple(piece.taken for piece in (*gone, *waits)),
        tuple(piece.taken for piece in quoted),
        tuple(sources),
    )
    about = {p.id: p.text.partition("\n")[0] for p in known if p.line == 1}
    rest_of = tuple(
        (p.text, about.get(p.page, ""))
        for p in gone
        if located or not p.id.startswith("turn:")
    )
    return Erasure(shown, wanted, path, rest_of)


def _with_made_of(known: Sequence[Piece], seed: Sequence[Piece]) -> list[Piece]:
    """Pieces, and all that was made of them alone."""
    ids = {piece.id for piece in seed}
    gone = list(seed)
    while True:
        more = []
        for piece in known:
            above: list[str] = []
            if piece.sums_up:
                window, number = piece.id.partition("/")[0], _number(piece.id)
                said = (id_ for id_ in ids if id_.startswith(f"{window}/"))
                above = [id_ for id_ in said if _number(id_) <= number]
            if piece.id not in ids and (above or rests_on(piece, ids)[1]):
                more.append(piece)
        if not more:
            return gone
        gone += more
        ids |= {piece.id for piece in more}


def _number(turn: str) -> int:
    return int(turn.rsplit("/", 3)[1])


def _quoting(
    rest: Iterable[Piece], gone: Sequence[Piece], wanted: Wanted
) -> Iterator[Piece]:
    """What tells of pieces that go, among other things."""
    scrubber = Scrubber(wanted)
    sources = {id_ for piece in gone for id_ in piece.basis}
    facts = [
        (piece.page, frozenset(terms(piece.text)))
        for piece in gone
        if "#" in piece.id and piece.id.startswith("entity:")
    ]
    for piece in rest:
        made = piece.id in sources or rests_on(piece, wanted.ids)[0]
        # Another line of the page may tell a fact in other words.
        said = frozenset(terms(piece.text)) if piece.raw else frozenset()
        alike = piece.raw and any(
            piece.id == page and words and len(words & said) * 2 > len(words)
            for page, words in facts
        )
        if made or alike or scrubber.quotes(piece.text):
            yield piece


def _names(
    session: Session, known: Iterable[Piece], ids: set[str], called: Iterable[str]
) -> tuple[set[str], set[str], set[str]]:
    """Names of the pages that go.

    Returns:
        Ids that they have or had, the texts in which their names stand, and what they
        are called, but for what another one is called too.
    """
    names, texts, goes_by = set[str](), set[str](), set(called)
    for piece in known:
        if piece.names_page and piece.id in ids:
            names.add(piece.id.removeprefix("entity:"))
            texts.add(piece.text)
            every = piece.text.split("\n")
            names |= {name for name in every if ENTITY_NAME.fullmatch(name)}
            goes_by |= {name for name in every if not ENTITY_NAME.fullmatch(name)}

    def alone(name: str) -> bool:
        found = session.index.called(name)
        return all(each in names for each in found) or name in called

    return names, texts, {name for name in goes_by if name.strip() and alone(name)}


def _ended(
    session: Session, known: Iterable[Piece], gone: Sequence[Piece], names: set[str]
) -> tuple[set[tuple[str, str, str]], set[str]]:
    """Edges that end with facts that go, and entities that nothing else speaks of."""
    words = load_vocabulary(_read(session, layout.RELATIONS))
    ended, targets, held = set[tuple[str, str, str]](), set[str](), set[str]()
    facts = {(p.path, p.text) for p in gone if "#" in p.id}
    pages = {p.path: p.id.removeprefix("entity:") for p in known if p.names_page}
    for path, name in pages.items():
        text, _ = decode(_read(session, path), path)
        page = entities.parse_entity(text, path)
        if name in names:
            continue
        over = [f for f in page.entity.facts if (path, f.text) in facts]
        left = tuple(f for f in page.entity.facts if f not in over)
        rest = replace(page, entity=replace(page.entity, facts=left))
        lost: tuple[tuple[str, str], ...] = ()
        if over:
            rest, lost = entities.release_links(rest, over, lambda _: ())
        ended |= {ends(name, *each, words) for each in lost}
        mine = {target for _, target in lost}
        targets |= mine
        held |= {t for link in rest.entity.links for t in link.targets} - mine
    return ended, {t for t in targets - held if t not in pages.values()}


def _whole_windows(known: Iterable[Piece], ids: Collection[str]) -> frozenset[str]:
    """Conversations of which nothing is left."""
    turns_ = [p for p in known if p.id.startswith("turn:")]
    left = {turns.window_of(p.path) for p in turns_ if p.id not in ids}
    return frozenset(turns.window_of(p.path) for p in turns_) - left


def _mark() -> str:
    # Another one each time, so that no two names become one.
    return f"erased-{secrets.token_hex(3)}"


def _read(session: Session, path: str) -> bytes:
    """What a file says; nothing where it is no plain file, which `check` tells."""
    with suppress(NotAPlainFileError):
        return session.ledger.read(path) or b""
    return b""


def _every(session: Session, like: Collection[str] = ()) -> list[Piece]:
    """All that stands in files now, piece by piece.

    Args:
        session: The workspace's parts.
        like: Only what stands in files that have one of these, in small letters.
    """
    known: list[Piece] = []
    for path in sorted(session.index.signatures()):
        data = _read(session, path) if path.endswith(".md") else b""
        text = data.decode("utf-8", "replace").casefold() if like else ""
        if not like or any(each in text for each in like):
            known += pieces(path, data)
    return known


def tells_of(session: Session, id_: str, text: str) -> list[Piece]:
    """What was made of a memory or a fact, or quotes it; first what was made of it.

    Args:
        session: The workspace's parts.
        id_: The memory, or the fact.
        text: What it says.
    """
    name = normal(id_)
    longest = sorted(re.findall(r"\w+", text.casefold()), key=len)[-2:]
    like = [name.partition(":")[2].casefold(), *longest]
    known = _every(session, like)
    seed = [p for p in known if name in {p.id, p.page}]
    if not seed:
        return []
    found = _planned(session, known, seed, id_, quotes=False)
    lines = {(t.path, t.line) for t in (*found.shown.taken, *found.shown.quoted)}
    rest = [p for p in known if (p.path, p.line) in lines and p not in seed]
    made = {(t.path, t.line) for t in found.shown.taken}
    own = [p for p in rest if "#" in name or p.page != name]
    return sorted(own, key=lambda p: (p.path, p.line) not in made)


def _require_one_file(session: Session, found: Located) -> None:
    folder, name = found.path.rpartition("/")[::2]
    store = "/".join(folder.split("/")[: 3 if "/graph/" in folder else 2])
    paths = session.index.paths_named(store, name)
    paths = [path for path in paths if found.id in session.index.ids_in(path)]
    if len(paths) > 1:
        what = f"{found.id} stands in several files: {', '.join(paths)}"
        hint = "Rename the ones that shall stay, then erase again."
        raise RefusedError(what, hint=hint)


def _earlier(found: Located, versions: Iterable[Sequence[Entry]]) -> set[str]:
    """What a memory said over time, followed backwards through its file.

    Ids of one name are counted from the first, so a neighbour may once have had the
    id: it is followed by its words, and by its id only where the words changed.
    """
    id_, text = found.id, found.text
    texts = {text}
    for entries in versions:
        alike = [e for e in entries if stem_of(str(e.id)) == stem_of(id_)]
        same = next((e for e in alike if e.text == text), None)
        same = same or next((e for e in alike if str(e.id) == id_), None)
        if same is None:
            break
        id_, text = str(same.id), same.text
        texts.add(text)
    return texts


def _versions(session: Session, path: str) -> Iterator[tuple[Entry, ...]]:
    """What a file held after each change to it, newest first, wherever it stood."""
    words, name = load_vocabulary(None), path.rpartition("/")[2]
    for entry in session.ledger.history():
        places = {line.path for line in entry.lines if line.path.endswith(name)}
        for place in places:
            data = session.ledger.read_at(entry.commit, place)
            if data is not None:
                yield read_file(place, data, words).entries


def erase(
    session: Session,
    plan: Callable[[], Erasure],
    actor: Actor,
    progress: Callable[[int, int], None],
) -> tuple[ErasureReceipt, Erasure]:
    """Erase for good; what must not be told of it is in nothing that is returned.

    Args:
        session: The workspace's parts.
        plan: Finds what is meant, once nobody else writes.
        actor: Who acts.
        progress: Told how far it is, and of how much.
    """
    ledger = session.ledger
    with ledger.erasing():
        # Access counts live in the index alone, which is about to be emptied.
        session.snapshot()
        doubted = session.doubts()
        found = plan()
        scrub = Scrubber(found.wanted).scrub
        # A commit that says an erasure took place, and not of what.
        lines = (LogLine(Action.DELETE, found.path, RECORD),)
        trigger = "explicit request to delete permanently"
        record = ChangeSet((), actor, Approval.NONE, trigger, lines)
        # The journal knows conversations by name, and can count them anew.
        for window in session.journal.known():
            path = f"{layout.CONVERSATIONS}/{window}.md"
            if window in found.wanted.windows or scrub.path(path) != path:
                session.journal.drop(window)
        receipt = ledger.erase(scrub, record, progress)
        session.confirming.follow("" if doubted else receipt.commit)
        session.rebuild_index()
        session.snapshot()
        searched = ledger.find_bytes(needles(found.wanted), session.state_folder)
        remains = tuple(searched)
        return replace(receipt, remains=remains), found


RECORD = "permanently erased, also from history"
