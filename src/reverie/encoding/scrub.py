"""How what is erased is recognised in everything that was ever written (spec, 2).

Memories are cut out of their files, in every version; what was made of them alone goes
with them, and so do links that lead to them. Records of our own (reflections, the
digest, messages of changes) lose the words. Other memories are left as they are, unless
its human said that the words shall go there, too.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from reverie import markdown as md
from reverie.encoding.placement import CLAIM, cut_out
from reverie.index.located import scope
from reverie.ledger.audit_log import flat, flat_path
from reverie.ledger.erasure import ERASED, Scrub, Scrubbed
from reverie.model.conversation import REFLECTION
from reverie.model.ids import Kind, slug, whole
from reverie.model.items import FROM, Episode, Link, Role, Turn
from reverie.model.views import Taken
from reverie.stores import entities, expectations, proposals, turns
from reverie.stores.reader import PENDING_REFLECTION, load_vocabulary, read_file
from reverie.stores.relations import ends
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from reverie.model.items import Entry

SHORTEST = 6
"""Shorter pieces of a text are too common to be looked for elsewhere."""

_FIXED = ("Actor: ", "Approval: ")
"""Lines of a message that hold nobody's text."""

WAITING = frozenset({layout.PENDING, layout.EXPECTATIONS})
"""Files whose sections have nothing else to say than what they quote."""

_STRETCH = re.compile(r".*#(\d+)-(\d+)")
_PAGES = {f"{folder}/": Kind(kind) for folder, kind in layout.ONE_A_FILE.items()}


class Piece(Struct, frozen=True):
    """A memory, or a part of one, where it stands.

    Attributes:
        id: Of the memory; of a fact its own; of another line of a page, the page's.
        path: The file.
        line: Where it begins there.
        raw: Its very lines.
        text: What it says.
        basis: Ids of what it was made of.
        people: Who said it, or whom it is for alone.
        sums_up: Whether it is a summary of what stands above it.
        source: What it was imported from.
    """

    id: str
    path: str
    line: int
    raw: str
    text: str
    basis: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    sums_up: bool = False
    source: str = ""

    @property
    def page(self) -> str:
        """The id of the memory that it is, or is a part of."""
        return self.id.partition("#")[0]

    @property
    def home(self) -> str:
        """What it is known by in a file: its page, or its id without a count."""
        return self.page if self.id.startswith("entity:") else stem_of(self.id)

    @property
    def names_page(self) -> bool:
        """Whether it is what a page of an entity is called."""
        return self.id.startswith("entity:") and self.line == 1 and not self.raw

    @property
    def taken(self) -> Taken:
        """How it is shown."""
        return Taken(self.id, self.path, self.line, self.text)


def pieces(path: str, data: bytes) -> Iterator[Piece]:
    """What stands in a file, piece by piece."""
    text = data.decode("utf-8", "replace")
    if path == layout.PENDING:
        for part in proposals.parse_pending(text, path).parts:
            for one in proposals.parse_pending(part.raw, path).proposals:
                told = f"#{one.number}", path, part.line, part.raw, one.content
                yield Piece(*told, people=_named(one.scope))
    elif path == layout.EXPECTATIONS:
        for part, whom in expectations.scoped_sections(text):
            if part.heading:
                told = f"expect {part.heading}", path, part.line, part.raw, part.raw
                yield Piece(*told, people=_named(whom))
    elif path.startswith(f"{layout.ENTITIES}/"):
        yield from _on_page(entities.parse_entity(text, path), path)
    elif path.startswith(f"{layout.CONVERSATIONS}/"):
        said = turns.parse_window(text, path)
        source = turns.origin_of(text)
        for entry in sorted((*said.entries, *said.deleted), key=lambda e: e.line):
            yield replace(_piece(path, entry), source=source)
    else:
        for entry in read_file(path, data, load_vocabulary(None)).entries:
            yield _piece(path, entry)


def _piece(path: str, entry: Entry) -> Piece:
    item, basis, people = entry.item, set[str](), {scope(entry)}
    sums_up, source = False, ""
    match item:
        case Turn():
            people.add(item.speaker)
            sums_up = item.role is Role.ASSISTANT and bool(item.field(REFLECTION))
        case Episode():
            more = dict(item.more)
            basis |= _ids(more.get(FROM, ""))
            people.add(more.get(CLAIM, ""))
            source = more.get("origin", "")
            stretch = _STRETCH.fullmatch(source)
            if stretch and "window" in more:
                numbers = range(int(stretch[1]), int(stretch[2]) + 1)
                basis |= {f"turn:{more['window']}/{n}" for n in numbers}
        case _:
            pass
    told = whole(str(entry.id)), path, entry.line, entry.raw, entry.text
    return Piece(*told, frozenset(basis), _named(*people), sums_up, source)


def _on_page(page: entities.EntityPage, path: str) -> Iterator[Piece]:
    name, whom = page.entity.name, _named(page.page.value("Scope"))
    names = "\n".join((page.entity.label, *page.entity.aliases))
    yield Piece(f"entity:{name}", path, 1, "", names, people=whom)
    links = {section.line for section in page.page.named(entities.RELATIONS)}
    for piece, fact in zip(
        page.page.items(entities.FACTS), page.entity.facts, strict=True
    ):
        id_ = f"entity:{entities.fact_id(name, fact.text)}"
        told = id_, path, piece.line, piece.raw, fact.text
        people = whom | _named(fact.claim)
        yield Piece(*told, _ids(fact.basis), people)
    known = {section.line for section in page.page.named(entities.FACTS)} | links
    for section in page.page.sections:
        if section.line not in known:
            for piece in md.split_items(section.body, section.body_line):
                text = md.visible(piece.text)
                if text.strip():
                    told = f"entity:{name}", path, piece.line, piece.raw, text
                    yield Piece(*told, people=whom)


def _ids(said: str) -> frozenset[str]:
    return frozenset(normal(id_) for id_ in said.split())


def normal(id_: str) -> str:
    """An id as pieces are known by, however it is cited."""
    id_ = f"entity:{id_}" if entities.parse_fact_id(id_) and ":" not in id_ else id_
    return whole(id_)


def _named(*people: str) -> frozenset[str]:
    return frozenset(filter(None, people))


def rests_on(piece: Piece, ids: Collection[str]) -> tuple[bool, bool]:
    """Whether a piece was made of some memories at all, and of nothing else."""
    stems = {id_.rsplit("/", 2)[0] for id_ in ids if id_.startswith("turn:")}
    known = [b in ids or b in stems for b in piece.basis]
    return any(known), bool(known) and all(known)


class Wanted(NamedTuple):
    """What is erased, and by what it is recognised.

    Attributes:
        ids: The memories that go; of pages, their facts and old ids too.
        texts: What stands to go, by the memory or the page that it stands in.
        moved: What stands to go wherever it was moved, line by line.
        windows: Conversations that go as a whole.
        names: Ids of entities that go, all that they ever had: `person--alex`.
        called: What those, or a person, are called; only in records, unless `quotes`.
        words: Statements that go.
        ended: Edges that end: from, relation, to.
        quotes: Whether words and names go out of other memories, too.
        mark: Stands for a name in ids and file names; nothing has it yet.
    """

    ids: frozenset[str] = frozenset()
    texts: Mapping[str, Collection[str]] = {}
    moved: frozenset[str] = frozenset()
    windows: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    called: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    ended: frozenset[tuple[str, str, str]] = frozenset()
    quotes: bool = False
    mark: str = "erased"

    @property
    def kinds(self) -> set[str]:
        """What sorts of memories go."""
        return {id_.partition(":")[0] for id_ in self.ids}


def recognised(texts: Iterable[str]) -> list[str]:
    """Pieces by which texts would be recognised, longest first."""
    lines = [line for text in texts for line in text.split("\n")]
    said = {*texts, *map(str.strip, lines)}
    # History tells of a text by its beginning.
    cut = {md.headline(line, n).rstrip("…") for line in lines for n in (60, 80)}
    every = said | cut | {flat(each, len(each) + 1) for each in said | cut}
    kept = (p for p in every if len(p.replace(ERASED, "").strip()) >= SHORTEST)
    return sorted(kept, key=len, reverse=True)


def forms(text: str) -> set[str]:
    """How a text is spelled in files of all kinds."""
    spelled = {text, md.escape(text), md.escape(text, item=True), md.escape_field(text)}
    spelled |= {flat(text, len(text) + 1), quote(text), quote(text, safe="")}
    spelled |= {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    return {each for each in spelled if each.strip()}


class _Words:
    """Finds and replaces words, in any case of letters and however they are spelled."""

    def __init__(self, words: Iterable[str], called: Iterable[str], mark: str) -> None:
        self._mark = mark
        exact = sorted({f for w in words for f in forms(w)}, key=len, reverse=True)
        self._exact = [
            (each.casefold(), re.compile(re.escape(each), re.IGNORECASE))
            for each in exact
        ]
        self._called = []
        self._slugs = []
        for name in called:
            # A short name is a part of many words, and in small letters one itself.
            flags = re.IGNORECASE if len(name) >= SHORTEST else re.NOFLAG
            spelled = "|".join(map(re.escape, sorted(forms(name), key=len)[::-1]))
            inside = re.compile(rf"(?<!\w)(?:{spelled})(?!\w)", flags)
            self._called.append((name.casefold(), inside))
        for name in (*called, *words):
            stem = slug(md.headline(name, 60))
            if "\n" not in name and len(stem) >= SHORTEST:
                there = rf"(?<=[-/:]){re.escape(stem)}|{re.escape(stem)}(?=-|\.md|~\d)"
                apart = stem if stem != name.casefold() else there
                edge = r"(?<!\w)", r"(?!\w)"
                apart = f"{edge[0]}(?:{apart}){edge[1]}" if name in called else apart
                self._slugs.append((stem, re.compile(apart, re.IGNORECASE)))

    def __bool__(self) -> bool:
        return bool(self._exact or self._called or self._slugs)

    def out_of(self, text: str) -> str:
        """A text without them."""
        folded = text.casefold()
        for stem, pattern in self._slugs:
            if stem in folded:
                text = pattern.sub(self._mark, text)
        for found, pattern in (*self._exact, *self._called):
            if found in folded:
                text = pattern.sub(ERASED, text)
        return text

    def path(self, path: str) -> str:
        """A path without them."""
        folded = path.casefold()
        for stem, _ in self._slugs:
            if stem in folded:
                path = re.sub(re.escape(stem), self._mark, path, flags=re.IGNORECASE)
                folded = path.casefold()
        return path


class Scrubber:
    """Takes what is wanted out of files and messages."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._words = _Words(wanted.words, wanted.called, wanted.mark)
        every = "|".join(sorted(map(re.escape, wanted.names), key=len, reverse=True))
        # A longer name that begins with this one is another memory's.
        bare = rf"(?<![\w-])(?:{every})(?![\w-])"
        self._name = re.compile(bare) if every else None
        self._link = re.compile(rf"\[\[\s*(?:{every})\s*(?:[|#][^\[\]]*)?\]\]")
        said = [t for texts in wanted.texts.values() for t in texts]
        named = [re.split(r"[#/]", id_.partition(":")[2])[0] for id_ in wanted.ids]
        hashes = [id_.rpartition("#")[2] for id_ in wanted.ids if "#" in id_]
        every_word = (*said, *named, *wanted.words, *wanted.called, *wanted.names)
        ends_of = (end for edge in wanted.ended for end in edge)
        signs = (*map(_sign, every_word), *hashes, *map(_sign, ends_of))
        # Most versions of most files have none of them, and need not be read.
        self._signs = frozenset(sign.encode() for sign in signs)
        self._files = frozenset(name for id_ in wanted.ids if (name := _file_of(id_)))

    @property
    def scrub(self) -> Scrub:
        """What an erasure is done by."""
        path = self._words.path if self._wanted.quotes else str
        return Scrub(self.file, self.message, path)

    def quotes(self, text: str) -> bool:
        """Whether a text has words or names of it."""
        if self._name and self._name.search(text):
            return True
        return self._words.out_of(text) != text

    def file(self, path: str, data: bytes) -> Scrubbed:
        """A file without it."""
        wanted = self._wanted
        if self._drops(path):
            return Scrubbed(None, data or b"\n")
        folded = data.lower()
        if not any(sign in folded for sign in self._signs):
            return Scrubbed(data, b"")
        before = data.decode("utf-8", "surrogateescape")
        text = self._cut(path, before)
        if text is None:
            return Scrubbed(None, data)
        if self._name:
            text = self._name.sub("erased", self._link.sub(ERASED, text))
        if wanted.quotes or path.startswith(f"{layout.META}/"):
            text = self._words.out_of(text)
        if text == before:
            return Scrubbed(data, b"")
        if path.startswith(f"{layout.ENTITIES}/"):
            text = _without_pointers(before, text, path)
        lines = set(md.split_lines(text))
        gone = (line for line in md.split_lines(before) if line not in lines)
        return Scrubbed(_bytes(text), _bytes("".join(gone)) or b"\n")

    def _cut(self, path: str, text: str) -> str | None:
        """A file without the memories that go; None where nothing is left of it."""
        wanted = self._wanted
        if path == layout.SCORES:
            return self._without_scores(text)
        if path == layout.PENDING_REFLECTION:
            # A proposal that tells of it goes as a whole.
            told = any(id_ in text for id_ in wanted.ids if len(id_) > SHORTEST)
            return PENDING_REFLECTION if told or self.quotes(text) else text
        if path in {layout.GRAPH_INDEX, layout.AUDIT_ARCHIVE}:
            return self._without_rows(text, path)
        if not wanted.ids:
            return text
        if path in WAITING:
            gone, found = wanted.texts.get(path, ()), pieces(path, _bytes(text))
            doomed = (p for p in found if p.text in gone or self.quotes(p.raw))
            return cut_out(text, doomed)
        if path.startswith(f"{layout.ENTITIES}/"):
            return self._without_facts(text, path)
        return self._without_entries(text, path)

    def message(self, told: str, touched: tuple[str, ...]) -> str:
        """A commit message without it, given the files in which it changed."""
        paths = frozenset(map(flat_path, touched)) if self._wanted.ids else ()
        return "\n".join(self._scrub_line(line, paths) for line in told.split("\n"))

    def _drops(self, path: str) -> bool:
        """Whether a file tells of nothing else."""
        wanted = self._wanted
        if path.startswith(f"{layout.CONVERSATIONS}/"):
            return turns.window_of(path) in wanted.windows
        for folder, kind in _PAGES.items():
            if path.startswith(folder):
                stem = md.stem(path)
                name = entities.page_name(stem)
                if kind is not Kind.ENTITY:
                    name = stem if md.is_name(stem) else slug(stem)
                return f"{kind}:{name}" in wanted.ids or (
                    kind is Kind.ENTITY and name in wanted.names
                )
        return False

    # --- files -----------------------------------------------------------------

    def _without_facts(self, text: str, path: str) -> str:
        """A page without facts and lines that go, and without links that end."""
        wanted, page = self._wanted, entities.parse_entity(text, path)
        name = page.entity.name
        gone = wanted.texts.get(f"entity:{name}", ())
        doomed = []
        for piece in pieces(path, _bytes(text)):
            asks = entities.asked_about(piece.text)
            same = entities.asked_same(piece.text) in wanted.names
            asked = any(f"entity:{id_}" in wanted.ids for id_ in asks)
            made = rests_on(piece, wanted.ids)[1]
            # It may have stood on another page, which was merged or renamed.
            moved = "#" in piece.id and md.one_line(piece.text) in wanted.moved
            said = piece.text in gone or moved or (same and piece.text)
            if piece.raw and (said or asked or made):
                doomed.append(piece)
        left = cut_out(text, doomed)
        after = entities.parse_entity(left, path) if doomed else page
        kept = {fact.text for fact in after.entity.facts}
        over = [fact for fact in page.entity.facts if fact.text not in kept]
        if over:
            after, _ = entities.release_links(after, over, lambda _: ())
        known = load_vocabulary(None)

        def ended(link: Link, target: str) -> bool:
            edge = ends(name, link.label, target, known)
            return target in wanted.names or (edge in wanted.ended and not link.facts)

        after, _ = entities.remove_links(after, ended)
        return entities.render_entity(after)

    def _without_entries(self, text: str, path: str) -> str | None:
        """A log without entries that go; None where no turn is left of it."""
        home = path.startswith((f"{layout.EPISODES}/", f"{layout.CONVERSATIONS}/"))
        if not home and path != layout.CORE and not layout.holds_notes(path):
            return text
        # Where it is not UTF-8, its lines are told apart all the same.
        found = list(pieces(path, text.encode("utf-8", "replace")))
        doomed = [piece for piece in found if self._goes(piece)]
        talk = path.startswith(f"{layout.CONVERSATIONS}/")
        if talk and doomed and len(doomed) == len(found):
            return None
        return cut_out(text, doomed)

    def _goes(self, piece: Piece) -> bool:
        """Whether an entry, of now or of then, is erased."""
        wanted = self._wanted
        if rests_on(piece, wanted.ids)[1]:
            return True
        texts = wanted.texts.get(stem_of(piece.id), ())
        if piece.text in texts:
            return True
        # What had to leave core memory lives on in another store.
        other = piece.id.partition(":")[0] not in wanted.kinds
        return other and md.one_line(piece.text) in wanted.moved

    def _without_rows(self, text: str, path: str) -> str:
        """Generated pages, whose lines speak of one thing each."""
        kept = []
        for line in text.split("\n"):
            new: str | None = line
            if path == layout.GRAPH_INDEX:
                edge = md.parse_row(line)[:3]
                named = self._name is not None and self._name.search(line)
                new = None if named or edge in self._wanted.ended else line
            elif line.startswith("- "):
                new = self._scrub_line(line, ())
            kept += [] if new is None else [new]
        return "\n".join(kept)

    def _without_scores(self, text: str) -> str:
        """The scores without its entries: a key can give a text away."""
        ids = {*self._wanted.ids, *(f"entity:{name}" for name in self._wanted.names)}
        try:
            told = json.loads(text)
            known = [key for key in told["entries"] if key in ids]
            for key in known:
                del told["entries"][key]
        except (ValueError, KeyError, TypeError, RecursionError):
            for id_ in ids:
                key = json.dumps(id_, ensure_ascii=False)
                text = text.replace(key, '"erased"')
            return text
        whole_ = f"{json.dumps(told, indent=2, ensure_ascii=False)}\n"
        return whole_ if known else text

    # --- messages ----------------------------------------------------------------

    def _scrub_line(self, line: str, touched: Collection[str]) -> str:
        if line.startswith(_FIXED):
            return line
        if touched and line.startswith("Trigger: "):
            return f"Trigger: {ERASED}"
        head, dash, said = line.partition(" — ")
        if not dash:
            return self._scrub(line)
        path, place = head, head.partition("] ")[2]
        if head.rpartition("/")[2] in self._files or self._drops(place):
            # The path can be the memory's own name.
            path = f"{head.rpartition('/')[0]}/{ERASED}.md"
        elif self._wanted.quotes:
            path = self._words.path(head)
        if path != head or place in touched:
            said = ERASED
        return f"{path} — {self._scrub(said)}"

    def _scrub(self, said: str) -> str:
        said = self._words.out_of(said)
        for id_ in self._wanted.ids:
            if id_ in said:
                said = re.sub(rf"{re.escape(id_)}(?![\w~#/-])", ERASED, said)
        return self._name.sub(ERASED, said) if self._name else said


_POINTS = re.compile(
    r"(superseded-by|supersedes|fact): "
    r"([0-9a-f]{6,8}(?: [0-9a-f]{6,8})*)( \| )?(?=.*-->)"
)


def _without_pointers(before: str, text: str, path: str) -> str:
    """A page on which nothing points at a fact that is gone from it."""
    there, left = (
        {entities.reference(fact.text) for fact in page.entity.facts}
        for page in (entities.parse_entity(said, path) for said in (before, text))
    )
    gone = there - left

    def kept(found: re.Match[str]) -> str:
        names = [n for n in found[2].split() if not any(g.startswith(n) for g in gone)]
        return f"{found[1]}: {' '.join(names)}{found[3] or ''}" if names else ""

    if not gone:
        return text
    # A comment that says nothing else goes as a whole.
    rest = re.sub(r" \| *-->", " -->", _POINTS.sub(kept, text))
    return re.sub(r" <!-- *-->", "", rest)


def _sign(text: str) -> str:
    """What a text has in it however it is spelled: its longest plain word."""
    return max(re.findall(r"[a-z0-9]+", text.lower()), key=len, default="")


def stem_of(id_: str) -> str:
    """An id without the number that tells it from others of the same moment."""
    return id_.partition("~")[0]


def _file_of(id_: str) -> str:
    """The file name of a memory that has one of its own; empty for others."""
    kind, _, name = id_.partition(":")
    one = kind in layout.ONE_A_FILE.values() and "#" not in name
    return f"{name}.md" if one else ""


def needles(wanted: Wanted) -> tuple[bytes, ...]:
    """The bytes that must not be found afterwards."""
    called = [name for name in wanted.called if len(name) >= SHORTEST]
    said = {form for word in (*wanted.words, *called) for form in forms(word)}
    said |= {s for w in called if len(s := slug(w)) >= SHORTEST}
    if wanted.quotes:
        heads = (md.headline(w, 60) for w in wanted.words if "\n" not in w)
        said |= {s for w in heads if len(s := slug(w)) >= SHORTEST}
    for id_ in wanted.ids:
        if file := _file_of(id_):
            said |= {f"/{file}", f" {file}\0", f'"{id_}"'}
    return tuple(sorted(map(_bytes, said)))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
