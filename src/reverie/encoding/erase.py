"""Erase a memory or a text for good, from files and all of history (spec, 2)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.encoding.placement import cut_out
from reverie.errors import NotFoundError, RefusedError
from reverie.ledger.audit_log import flat, flat_path
from reverie.ledger.erasure import ERASED, Scrub, Scrubbed
from reverie.markdown import headline, is_name, one_line
from reverie.model.change import Action, Approval, ChangeSet, LogLine
from reverie.model.ids import ItemId, Kind, Store, slug
from reverie.stores import entities, notes, turns
from reverie.stores.reader import PENDING_REFLECTION, load_vocabulary, read_file
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from reverie.index import Located
    from reverie.model.change import Actor
    from reverie.model.items import Entry
    from reverie.model.views import ErasureReceipt
    from reverie.session.session import Session

SHORTEST = 6
"""Shorter pieces of a text are too common to be looked for elsewhere."""

_FOLDERS = {
    Kind.EPISODE: layout.EPISODES,
    Kind.ENTITY: layout.ENTITIES,
    Kind.PROCEDURE: layout.PROCEDURES,
    Kind.VAULT: layout.VAULT,
    Kind.TURN: layout.CONVERSATIONS,
}
_SHARED_FILES = {Kind.CORE, Kind.EPISODE, Kind.TURN, Kind.NOTE}
"""Kinds of which many stand in one file."""

_FIXED = ("Actor: ", "Approval: ")
"""Lines of a message that hold nobody's text."""


class Erasure(NamedTuple):
    """How to erase something, and the bytes that must not be found afterwards."""

    scrub: Scrub
    needles: tuple[bytes, ...]
    path: str


def erasure_of_text(text: str) -> Erasure:
    """Take out an exact text wherever it stands, in files and messages."""
    if len(text.strip()) < SHORTEST:
        what = f"{text!r} is too short to be erased wherever it stands"
        hint = f"Give at least {SHORTEST} characters, or the id of the memory."
        raise RefusedError(what, hint=hint)
    needle = text.encode()

    def file(_path: str, data: bytes) -> Scrubbed:
        count = data.count(needle)
        return Scrubbed(data.replace(needle, ERASED.encode()), needle * count)

    def message(told: str, _touched: tuple[str, ...]) -> str:
        lines = told.split("\n")
        for n, line in enumerate(lines):
            if not line.startswith(_FIXED):
                said = line.replace(flat(text, len(text)), ERASED)
                lines[n] = said.replace(text, ERASED)
        return "\n".join(lines)

    # A file may be named after it; that is looked for too, and told.
    name = slug(headline(text, 60)).encode()
    needles = (needle, name) if len(name) >= SHORTEST else (needle,)
    return Erasure(Scrub(file, message), needles, "*")


def erasure_of_item(
    found: Located,
    others: Iterable[Located] = (),
    versions: Iterable[Sequence[Entry]] = (),
) -> Erasure:
    """Take a memory out of its file, of the scores, and of what history says.

    Args:
        found: The memory.
        others: All other memories, which must stay as they are.
        versions: What its file held before, newest first.
    """
    target = _Target(found, _texts(found, versions), {other.text for other in others})
    folder = _FOLDERS.get(target.id.kind, "")
    where = layout.CORE if target.id.kind is Kind.CORE else f"{folder}/{ERASED}"
    needles = tuple(each.encode() for each in (*target.words, *target.names))
    return Erasure(Scrub(target.file, target.message), needles, where)


def _texts(found: Located, versions: Iterable[Sequence[Entry]]) -> set[str]:
    """What a memory said over time, followed backwards through its file.

    Ids of one name are counted from the first, so a neighbour may once have had the
    id: it is followed by its words, and by its id only where the words changed.
    """
    id_, text = found.id, found.text
    texts = {text}
    for entries in versions:
        alike = [e for e in entries if _stem(str(e.id)) == _stem(id_)]
        same = next((e for e in alike if e.text == text), None)
        same = same or next((e for e in alike if str(e.id) == id_), None)
        if same is None:
            break
        id_, text = str(same.id), same.text
        texts.add(text)
    return texts


def _stem(id_: str) -> str:
    return id_.partition("~")[0]


class _Target:
    """One memory, and how it is recognised in everything that was ever written."""

    def __init__(
        self, found: Located, texts: Collection[str], kept: Collection[str]
    ) -> None:
        self.id = ItemId.parse(found.id)
        self._texts = texts
        lines = {one_line(line) for text in texts for line in text.split("\n")}
        self._moved = lines - {one_line(text) for text in kept}
        self.words = _distinct(found, texts)
        name = self.id.name
        self.names: tuple[str, ...] = ()
        if self.id.kind not in _SHARED_FILES:
            file = found.path.rpartition("/")[2]
            self.names = (f"/{file}", f" {file}\0", f'"{self.id}"')
        # A longer name that begins with this one is another memory's.
        self._name = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")

    def file(self, path: str, data: bytes) -> Scrubbed:
        """A file without it."""
        if path == layout.SCORES:
            return self._without_score(data)
        home = self._is_home(path)
        if home and self.id.kind not in _SHARED_FILES:
            return Scrubbed(None, data or b"\n")
        text, taken = data.decode("utf-8", "surrogateescape"), ""
        if path in {layout.GRAPH_INDEX, layout.AUDIT_ARCHIVE}:
            text, taken = self._without_lines(text, path)
        elif path == layout.CORE or home:
            text, taken = self._without_entries(text, path)
        if self.id.kind is Kind.ENTITY:
            # Other files know an entity by its name: they link to it.
            taken += "".join(self._name.findall(text))
            text = self._name.sub("erased", text)
        return Scrubbed(_bytes(text) if taken else data, _bytes(taken))

    def message(self, told: str, touched: tuple[str, ...]) -> str:
        """A commit message without it, given the files in which it changed."""
        paths = frozenset(map(flat_path, touched))
        lines = (self._scrub_line(line, paths) for line in told.split("\n"))
        return "\n".join(lines)

    def _scrub_line(self, line: str, touched: Collection[str]) -> str:
        if line.startswith(_FIXED):
            return line
        if touched and line.startswith("Trigger: "):
            return f"Trigger: {ERASED}"
        head, dash, said = line.partition(" — ")
        if not dash:
            return self._scrub(line)
        path = head
        if self.names and head.endswith(self.names[0]):
            # The path can be the memory's own name.
            path = f"{head.removesuffix(self.names[0])}/{ERASED}.md"
        if path != head or head.partition("] ")[2] in touched:
            said = ERASED
        return f"{path} — {self._scrub(said)}"

    def _scrub(self, said: str) -> str:
        for word in self.words:
            said = said.replace(word, ERASED)
        said = said.replace(str(self.id), ERASED)
        return self._name.sub(ERASED, said) if self.id.kind is Kind.ENTITY else said

    def _without_lines(self, text: str, path: str) -> tuple[str, str]:
        """Generated pages, whose lines speak of one thing each."""
        kept, taken = [], []
        for line in text.split("\n"):
            if path == layout.GRAPH_INDEX:
                names = self.id.kind is Kind.ENTITY and self._name.search(line)
                new = None if names else line
            else:
                new = self._scrub_line(line, ()) if line.startswith("- ") else line
            taken += [line] if new != line else []
            kept += [] if new is None else [new]
        return "\n".join(kept), "".join(taken)

    def _without_entries(self, text: str, path: str) -> tuple[str, str]:
        """Files in which many memories stand."""
        entries: tuple[Entry, ...]
        if self.id.kind is Kind.TURN:
            # Deleted turns of a conversation are only marked.
            said = turns.parse_window(text, path)
            entries = (*said.entries, *said.deleted)
        else:
            # Where it is not UTF-8, its lines are told apart all the same.
            data = text.encode("utf-8", "replace")
            entries = read_file(path, data, load_vocabulary(None)).entries
        taken = [entry for entry in entries if self._is_it(entry)]
        return cut_out(text, taken), "".join(entry.raw for entry in taken)

    def _is_it(self, entry: Entry) -> bool:
        """Whether an entry, of now or of then, is the memory."""
        if entry.id.kind is not self.id.kind:
            # What had to leave core memory lives on in another store.
            return one_line(entry.text) in self._moved
        same_name = _stem(str(entry.id)) == _stem(str(self.id))
        return same_name and entry.text in self._texts

    def _is_home(self, path: str) -> bool:
        """Whether it stands, or stood, in a file."""
        kind, name = self.id.kind, self.id.name
        if kind is Kind.CORE:
            return path == layout.CORE
        if kind is Kind.NOTE:
            return notes.note_name(path) == name.partition("#")[0]
        if not path.startswith(f"{_FOLDERS[kind]}/"):
            return False
        if kind is Kind.TURN:
            return turns.window_of(path) == name.partition("/")[0]
        found = path.rpartition("/")[2].removesuffix(".md")
        # A long day goes on in parts: 2026-02-02~2.md.
        if kind is Kind.EPISODE:
            return _stem(found) == name[:10]
        if kind is Kind.ENTITY:
            return entities.page_name(found) == name
        return (found if is_name(found) else slug(found)) == name

    def _without_score(self, data: bytes) -> Scrubbed:
        """Drop the entry of `decay-scores.json`; its key can give a text away."""
        key = json.dumps(str(self.id), ensure_ascii=False)
        if key.encode() not in data:
            return Scrubbed(data, b"")
        try:
            told = json.loads(data)
            taken = json.dumps({key: told["entries"].pop(str(self.id))})
        except (ValueError, KeyError, TypeError, RecursionError):
            return Scrubbed(data.replace(key.encode(), b'"erased"'), key.encode())
        rest = f"{json.dumps(told, indent=2, ensure_ascii=False)}\n"
        return Scrubbed(rest.encode(), taken.encode())


def _distinct(found: Located, texts: Collection[str]) -> list[str]:
    """Pieces by which the memory would be recognised, longest first."""
    lines = [line for text in texts for line in text.split("\n")]
    if found.store is Store.VAULT:
        lines.append(found.title)
    whole = {*texts, *map(str.strip, lines)}
    # History tells of a text by its beginning.
    cut = {headline(line, n).rstrip("…") for line in lines for n in (60, 80)}
    pieces = whole | cut | {flat(piece, len(piece) + 1) for piece in whole | cut}
    said = (p for p in pieces if len(p.replace(ERASED, "").strip()) >= SHORTEST)
    return sorted(said, key=len, reverse=True)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def wipe_item(
    session: Session, found: Located, actor: Actor, progress: Callable[[int, int], None]
) -> ErasureReceipt:
    """Erase one memory."""
    folder, name = found.path.rpartition("/")[::2]
    store = "/".join(folder.split("/")[: 3 if "/graph/" in folder else 2])
    paths = session.index.paths_named(store, name)
    paths = [path for path in paths if found.id in session.index.ids_in(path)]
    if len(paths) > 1:
        what = f"{found.id} stands in several files: {', '.join(paths)}"
        hint = "Rename the ones that shall stay, then erase again."
        raise RefusedError(what, hint=hint)
    others = (other for other in session.index.items() if other.id != found.id)
    wanted = erasure_of_item(found, others, _versions(session, found.path))
    return _wipe(session, wanted, actor, progress)


def _versions(session: Session, path: str) -> Iterator[tuple[Entry, ...]]:
    """What a file held after each change to it, newest first, wherever it stood."""
    words, name = load_vocabulary(None), path.rpartition("/")[2]
    for entry in session.ledger.history():
        places = {line.path for line in entry.lines if line.path.endswith(name)}
        for place in places:
            data = session.ledger.read_at(entry.commit, place)
            if data is not None:
                yield read_file(place, data, words).entries


def require_anywhere(session: Session, text: str) -> None:
    """Refuse to erase a text that stands nowhere, or that cannot be erased."""
    needles = erasure_of_text(text).needles[:1]
    if not session.ledger.find_bytes(needles):
        what = "that text is in no file, message or object of this workspace"
        hint = "Nothing was changed. Check the spelling: it must match exactly."
        raise NotFoundError(what, hint=hint)


def wipe_text(
    session: Session, text: str, actor: Actor, progress: Callable[[int, int], None]
) -> ErasureReceipt:
    """Erase a text wherever it stands."""
    return _wipe(session, erasure_of_text(text), actor, progress)


def _wipe(
    session: Session,
    wanted: Erasure,
    actor: Actor,
    progress: Callable[[int, int], None],
) -> ErasureReceipt:
    ledger = session.ledger
    with ledger.erasing():
        # Access counts live in the index alone, which is about to be emptied.
        session.snapshot()
        doubted = session.doubts()

        def scrubbed(path: str, data: bytes) -> Scrubbed:
            page = path == layout.PENDING_REFLECTION
            if page and any(needle in data for needle in wanted.needles):
                # A proposal that tells of it goes as a whole.
                return Scrubbed(PENDING_REFLECTION.encode(), data)
            return wanted.scrub.file(path, data)

        # A commit that says an erasure took place, and not of what.
        said = "permanently erased, also from history"
        lines = (LogLine(Action.DELETE, wanted.path, said),)
        trigger = "explicit request to delete permanently"
        record = ChangeSet((), actor, Approval.NONE, trigger, lines)
        scrub = replace(wanted.scrub, file=scrubbed)
        receipt = ledger.erase(scrub, record, progress)
        session.confirming.follow("" if doubted else receipt.commit)
        session.rebuild_index()
        session.snapshot()
        return replace(receipt, remains=tuple(ledger.find_bytes(wanted.needles)))
