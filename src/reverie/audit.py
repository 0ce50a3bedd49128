"""Audit a folder of memories: secrets, duplicates, recalled text, broken links."""

from __future__ import annotations

import math
import posixpath
import re
import unicodedata
from array import array
from collections import defaultdict
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from msgspec import Struct, field
from msgspec.structs import replace

from reverie.encoding.gate import cites_memory
from reverie.importers import walk
from reverie.importers.documents import block_reader, parse_front_matter
from reverie.index.text import words
from reverie.markdown import headline, hidden_lines, one_line, split_lines, visible
from reverie.model.items import Finding, Severity
from reverie.printable import printable
from reverie.recall.context_block import CLOSING, OPENING
from reverie.secrets import redacted_in_place
from reverie.stores.entities import FACTS
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path


class Fault(StrEnum):
    """What an audit looks for, what matters most first."""

    SECRETS = "secrets"
    INVISIBLE = "invisible"
    LOOPS = "loops"
    DUPLICATES = "duplicates"
    NEAR = "near-duplicates"
    LINKS = "dead-links"


class Spot(Struct, frozen=True, order=True):
    """A line of a file: path below what was audited, line counted from 1."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Example(Struct, frozen=True):
    """Where something was found, what (never a secret), and where else."""

    spot: Spot
    what: str
    also: tuple[Spot, ...] = ()


class Count(Struct, frozen=True):
    """How often one fault was found.

    Attributes:
        fault: Which.
        found: How often; of duplicates all but one of each group.
        mend: What to do about it.
        examples: Some of them, or all.
    """

    fault: Fault
    found: int
    mend: str
    examples: tuple[Example, ...]


class Loaded(Struct, frozen=True):
    """A file that an agent reads whenever it starts, and what that costs."""

    path: str
    tokens: int


class Start(Struct, frozen=True):
    """What one start costs.

    Attributes:
        folder: Where the agent starts, below what was audited; empty for just there.
        tokens: What its files cost together.
        files: The files, the longest first.
    """

    folder: str
    tokens: int
    files: tuple[Loaded, ...]


class AuditReport(Struct, frozen=True):
    """What an audit counted.

    Attributes:
        root: What was audited.
        store: Whose memory it is: `reverie`, `openclaw`, `claude-code`, `codex`,
            `obsidian` or `markdown`.
        files: How many files were read.
        size: Their bytes.
        entries: How many list items, paragraphs and rows are in them.
        counts: One for each fault, in the order of `Fault`.
        starts: What is loaded at each start, the dearest first.
        left_out: What was not read, and why.
    """

    root: str
    store: str
    files: int
    size: int
    entries: int
    counts: tuple[Count, ...]
    starts: tuple[Start, ...]
    left_out: tuple[Finding, ...]


LARGEST = 10_000_000
"""Bytes; what is larger is no file of memories."""

_REDACTED = "[redacted: "
_MENDS = {
    Fault.SECRETS: "Change each where it is used, then delete it here and from every "
    "copy and history.",
    Fault.INVISIBLE: "Delete the characters, and look what they hid.",
    Fault.LOOPS: "Delete the blocks: they are copies of what memory holds. Then keep "
    "what is recalled from being stored.",
    Fault.DUPLICATES: "Keep one of each and delete the others.",
    Fault.NEAR: "Look which one of each holds, and delete what it makes needless.",
    Fault.LINKS: "Write the page that is missing, or take the link out.",
}


def audit_folder(
    path: Path,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    examples: int | None = None,
) -> AuditReport:
    """Count what should not be at a path; nothing is changed.

    Args:
        path: A workspace, the memory of another agent, any folder, file or zip.
        progress: Told how many files are read, of how many.
        examples: How many of each fault are named; by default all.

    Raises:
        MissingSourceError: Nothing is there.
    """
    folder = look_over(path)
    audit = _Audit(folder)
    for done, source in enumerate(folder.sources, 1):
        audit.read(source)
        progress(done, len(folder.sources))
    return AuditReport(
        str(path),
        folder.store,
        audit.files,
        audit.size,
        audit.entries,
        tuple(audit.counts(examples)),
        tuple(sorted(audit.starts(), key=lambda start: -start.tokens)),
        (*folder.left_out, *audit.left_out),
    )


class _Audit:
    """What was found so far."""

    def __init__(self, folder: AuditedFolder) -> None:
        self.files = self.size = self.entries = 0
        self.left_out: list[Finding] = []
        self._folder = folder
        self._noted: dict[Fault, list[Example]] = {fault: [] for fault in Fault}
        self._loops, self._files = Repeats(), Repeats()
        self._entries = Repeats(compared=True)
        self._titles: set[str] = set()
        self._links: list[tuple[str, FileLink]] = []
        self._loaded: defaultdict[str, list[Loaded]] = defaultdict(list)

    def read(self, source: walk.ImportSource) -> None:
        """Look at one file, or note why not."""
        name, own = source.name, self._folder.own(source.name)
        try:
            with walk.opened(source) as stream:
                data = stream.read(LARGEST + 1)
        except walk.UNREADABLE as error:
            self.left_out.append(walk.unreadable(name, error))
            return
        text = _text(data)
        if len(data) > LARGEST or text is None:
            what = (
                "is not text" if text is None else f"is larger than {LARGEST:,} bytes"
            )
            self.left_out.append(Finding(name, 0, what, severity=Severity.WARNING))
            return
        self.files += 1
        self.size += len(data)
        clean, secrets = redacted_in_place(text)
        lines = split_lines(clean)
        for fault, found in (
            (Fault.SECRETS, secrets),
            (Fault.INVISIBLE, find_invisible(lines)),
        ):
            self._noted[fault] += (Example(Spot(name, n), what) for n, what in found)
        self._titles.update(map(str.casefold, parse_front_matter(clean).names))
        if not own.startswith("memory/graph/"):
            # In there they are of our own making; `check` looks at them.
            self._links += ((name, link) for link in find_links(lines))
        if loaded := self._folder.loaded(name, text):
            place = name.rpartition("/")[0]
            self._loaded[place].append(Loaded(name, count_tokens(loaded)))
        self._compare(name, own, clean, lines)

    def _compare(self, name: str, own: str, clean: str, lines: list[str]) -> None:
        recalled: set[int] = set()
        for first, last, what in find_loops(lines):
            self._loops.add("".join(lines[first - 1 : last]), Spot(name, first), what)
            recalled.update(range(first, last + 1))
        whole = _REDACTED not in clean
        if whole and self._files.add(clean, Spot(name, 1), realm(own)) > 1:
            # Of a file that is a copy of another, no line is told of again.
            return
        for line, said, under in cut_entries(clean):
            if is_memory(own, under, said):
                self.entries += 1
                if line not in recalled and _REDACTED not in said:
                    self._entries.add(said, Spot(name, line), realm(own), under)

    def counts(self, most: int | None) -> Iterator[Count]:
        """How often each fault was found, with so many examples of it."""
        leads = self._folder.targets(self._titles)
        for name, link in self._links:
            if not leads(link, name):
                found = Example(Spot(name, link.line), f"{link.written} leads nowhere")
                self._noted[Fault.LINKS].append(found)
        for held in self._loops.texts.values():
            self._group(Fault.LOOPS, held.realm, held.spots)
        for held in self._files.same():
            self._group(Fault.DUPLICATES, "the whole file", held.spots)
        for held in self._entries.same():
            self._group(Fault.DUPLICATES, f"“{held.quote}”", held.spots)
        for held, others in self._entries.near():
            spots = [held.spots[0], *(other.spots[0] for other in others)]
            self._group(Fault.NEAR, f"nearly all of “{held.quote}”", spots)
        for fault, noted in self._noted.items():
            # One of several that are alike may stay.
            stays = fault in {Fault.DUPLICATES, Fault.NEAR}
            times = sum(len(each.also) + (not stays) for each in noted)
            yield Count(fault, times, _MENDS[fault], tuple(noted[:most]))

    def _group(self, fault: Fault, what: str, spots: list[Spot]) -> None:
        first, *also = spots
        times = f" stands in {len(spots):,} places" if also else ""
        self._noted[fault].append(Example(first, what + times, tuple(also)))

    def starts(self) -> Iterator[Start]:
        """What an agent loads where it starts."""
        for place, files in self._loaded.items():
            longest = tuple(sorted(files, key=lambda file: -file.tokens))
            yield Start(place, sum(file.tokens for file in files), longest)


def _text(data: bytes) -> str | None:
    """The text of a file with all that is invisible in it; None if it is no text."""
    try:
        text, odd = data.decode("utf-8-sig"), "perhaps"
    except UnicodeDecodeError:
        text, odd = walk.decode(data)
    return None if odd and b"\0" in data else text


_OWN = (layout.EPISODES, layout.ENTITIES, layout.PROCEDURES, layout.VAULT)
_UNFILLED = re.compile(r"(?:[^:\n]{1,80}: )?\[[^\]\n]*\]")
_HOMES = {".claude": "claude-code", ".codex": "codex"}
"""The folders in which agents keep their things, memories among them."""

_MEMORY = re.compile(r"/(?:agent-)?memor(?:y|ies)/|/(?:DREAMS|SKILL)\.md$")
_DAILY = re.compile(r"/memory/\d{4}-\d\d-\d\d[^/]*\.md$")
_BOOT = frozenset({"AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"})
_OURS = frozenset({layout.CORE, *layout.BOOT_FILES})
_LOADED = {"reverie": _OURS, "openclaw": _BOOT | _OURS - {"BOOTSTRAP.md"}}


def holds_memories(path: str) -> bool:
    """Whether a file has memories of ours."""
    inside = any(path.startswith(f"{folder}/") for folder in _OWN)
    return path == layout.CORE or (inside and path.endswith(".md"))


def is_memory(path: str, under: str, text: str) -> bool:
    """Whether what stands under a heading is a memory.

    The rest of an entity's page is made of its facts; core memory has lines that
    nobody has filled in yet.
    """
    if path == layout.CORE:
        return not _UNFILLED.fullmatch(text)
    return not path.startswith(f"{layout.ENTITIES}/") or under == FACTS


def realm(path: str) -> str:
    """What the memories of a file may be duplicates of; all else is apart.

    A workspace keeps the episode beside the fact that was learned from it, says the
    same of two people on two pages, and has one step in two procedures.
    """
    if path.startswith((f"{layout.ENTITIES}/", f"{layout.PROCEDURES}/")):
        return path
    return next((own for own in _OWN if path.startswith(f"{own}/")), "")


class AuditedFolder(Struct, frozen=True):
    """What stands at a path: whose it is, every name, what counts, what does not.

    It may be a part of a Reverie workspace; `inside` is the way to it, with a slash.
    """

    root: Path
    store: str
    inside: str
    names: frozenset[str]
    sources: tuple[walk.ImportSource, ...] = ()
    left_out: tuple[Finding, ...] = ()

    def own(self, name: str) -> str:
        """The path of a file in the Reverie workspace it is part of, or nothing."""
        return self.inside + name if self.store == "reverie" else ""

    def loaded(self, name: str, text: str) -> str:
        """What of a file an agent reads whenever it starts."""
        file = PurePosixPath(name).name
        if not self._boots(file) or "/" in self.own(name):
            return ""
        if self.store != "claude-code" or file != layout.CORE:
            return text
        # So much of it Claude Code loads.
        return "\n".join(text[:25_000].split("\n")[:200])

    def _boots(self, file: str) -> bool:
        return file in _LOADED.get(self.store, _BOOT | {layout.CORE})

    def counts(self, source: walk.ImportSource) -> bool:
        """Whether memories are to be expected in a file of this name."""
        name, own = source.name, self.own(source.name)
        file = PurePosixPath(name).name
        if own:
            return holds_memories(own) or ("/" not in own and own.endswith(".md"))
        if source.kind not in walk.NOTES or "." not in file:
            return False
        if self.store in {"obsidian", "markdown"} or self._boots(file):
            return True
        around = self.root.name if self.store == "openclaw" else self.root.as_posix()
        return bool(_MEMORY.search(f"/{around}/{name}"))

    def targets(self, titles: set[str]) -> Callable[[FileLink, str], bool]:
        """How to tell whether something is where a link of a file leads.

        What is outside the folder, or hidden in it, is taken to be there.
        """
        paths, notes = set[str](), set(titles)
        for name in self.names:
            parts = name.casefold().split("/")
            paths.update("/".join(parts[:n]) for n in range(1, len(parts) + 1))
            # A note is found by its name, and by as much of its path as is written.
            ends = ["/".join(parts[n:]) for n in range(len(parts))]
            notes.update(ends, (end.removesuffix(".md") for end in ends))

        def leads(link: FileLink, source: str) -> bool:
            folder = posixpath.dirname(source)
            path = posixpath.normpath(posixpath.join(folder, link.target))
            low, note = path.casefold(), link.target.casefold().removesuffix(".md")
            if {low, f"{low}.md"} & paths or (link.wiki and note in notes):
                return True
            try:
                # A symbolic link is no file that is read, and leads somewhere.
                there = (self.root / path).exists()
            except (OSError, ValueError):
                there = False
            return there or any(map(walk.aside, path.split("/")))

        return leads


def look_over(path: Path) -> AuditedFolder:
    """Find out what stands at a path: a folder, a file or a zip.

    Raises:
        MissingSourceError: Nothing is there.
    """
    seen, whole = walk.look(path), path.resolve()
    root = whole if whole.is_dir() else whole.parent
    inside = _inside_ours(root)
    store = _store(root, seen.sources) if inside is None else "reverie"
    found = AuditedFolder(root, store, inside or "", frozenset(seen.names))
    sources = tuple(filter(found.counts, seen.sources))
    if not sources and store != "reverie":
        found = replace(found, store="markdown")
        sources = tuple(filter(found.counts, seen.sources))
    left_out = [replace(each, mend="") for each in seen.findings]
    if others := len(seen.sources) - len(sources):
        what = f"files that are no memories: {others:,}"
        left_out.append(Finding("", 0, what, severity=Severity.NOTE))
    return replace(found, sources=sources, left_out=tuple(left_out))


def _inside_ours(root: Path) -> str | None:
    for folder in (root, *root.parents):
        inside = root.relative_to(folder).as_posix()
        ours = inside == "." or inside.partition("/")[0] in layout.TOP
        if ours and (folder / layout.GIT_DIR / "HEAD").is_file():
            return "" if inside == "." else f"{inside}/"
    return None


def _store(root: Path, sources: Iterable[walk.ImportSource]) -> str:
    """Whose memory it is that is not ours, by the names around and in it."""
    names = [f"/{root.name}/{source.name}" for source in sources]
    souls = {"AGENTS.md", "SOUL.md"} <= {PurePosixPath(name).name for name in names}
    home = next((_HOMES[part] for part in root.parts if part in _HOMES), "")
    if not home and (souls or any(map(_DAILY.search, names))):
        return "openclaw"
    vault = any(source.kind == "obsidian" for source in sources)
    return home or ("obsidian" if vault else "markdown")


_SPELLED = re.compile(r"⟦U\+([0-9A-F]{4,6})⟧")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,7}\U000e007f")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Mn", "Lo", "Zl", "Zp"})
_FINE = frozenset("\t\x0b\x0c\r\n\x85\xad\u200e\u200f\u061c")
"""Ends of lines, and what hyphens and languages written from the right need."""


def find_invisible(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Each line with a character that nobody sees, and the name of that."""
    for number, line in enumerate(lines, 1):
        if line.isascii() and line.rstrip("\r\n").isprintable():
            continue
        codes = _SPELLED.findall(printable(_FLAG.sub("", line)))
        for char in (chr(int(code, 16)) for code in codes):
            if unicodedata.category(char) in _UNSEEN and char not in _FINE:
                name = unicodedata.name(char, "control character").lower()
                yield number, f"U+{ord(char):04X} {name}"
                break


_TAG = re.compile(
    r"[ \t>*+-]{0,12}<(?P<name>(?:relevant|recalled|retrieved|long[-_]term|user"
    r"|injected)[-_](?:memor(?:y|ies)|context)|memor(?:y|ies)[-_](?:context|block"
    r"|recall)|supermemory[-_]context|hindsight[-_]memories|system[-_]reminder)"
    r"(?:[ \t][^<>\n]{0,200})?>",
    re.IGNORECASE,
)
"""How programs mark what they put into a prompt."""

_CLOSING = re.compile(rf"{re.escape(CLOSING)}|</[\w-]{{1,40}}>")


def find_loops(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """What came out of memory: its first line, its last, and how that is known.

    Blocks that were put into a prompt, and lines that cite a memory by its place.
    """
    # The next line that closes something, seen from below.
    ends: list[dict[str, int]] = [{}]
    for number in range(len(lines), 0, -1):
        marks = dict.fromkeys(
            map(str.lower, _CLOSING.findall(lines[number - 1])), number
        )
        ends.append(ends[-1] | marks if marks else ends[-1])
    hidden, done = hidden_lines(lines), 0
    for number, line in enumerate(lines, 1):
        if number <= done:
            continue
        found = None if number - 1 in hidden else _TAG.match(line)
        what = closing = ""
        if number - 1 not in hidden and line.lstrip(" \t>*+-").startswith(OPENING):
            what, closing = "a block that Reverie put into a prompt", CLOSING.lower()
        elif found:
            name = found["name"].lower()
            what, closing = f"a <{name}> block out of a prompt", f"</{name}>"
        if what:
            # One that is never closed ends at once.
            done = ends[len(lines) - number + 1].get(closing, number)
            yield number, done, what
        elif cites_memory(line):
            yield number, number, "a line that cites a memory by its place"


_CODE = re.compile(r"(`+)(?!`).{0,2000}?(?<!`)\1(?!`)")
_WIKI = re.compile(
    r"(?<!\[)\[\[([^\s\[\]|#^][^\[\]|#^\n]{0,300})[^\[\]\n]{0,300}\]\](?!\])"
)
_INLINE = re.compile(r"\]\([ \t]{0,9}(?:<([^<>\n]{1,500})>|([^\s()<>]{1,500}))")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//|[#/?\\~]|.*[{}$]", re.IGNORECASE)


class FileLink(NamedTuple):
    """A link to another file: on which line, as it is written, and where it leads."""

    line: int
    written: str
    target: str
    wiki: bool = False


def find_links(lines: Sequence[str]) -> Iterator[FileLink]:
    """The links to other files in a text; code has none."""
    hidden = hidden_lines(lines)
    for number, line in enumerate(lines, 1):
        if ("](" not in line and "[[" not in line) or number - 1 in hidden:
            continue
        plain = _CODE.sub(" ", line)
        for found in _WIKI.finditer(plain):
            target = found[1].strip().rstrip("\\")
            yield FileLink(number, f"[[{target}]]", target, wiki=True)
        for found in _INLINE.finditer(plain):
            written = found[1] or found[2]
            target = unquote(re.split(r"[#?]", written)[0])
            if target and not _SCHEME.match(written):
                yield FileLink(number, f"({written})", target)


_TASK = re.compile(r"\[[ xX/-]\](?=[ \t]|$)[ \t]*")
_ROWS = frozenset({"tbody_open", "tr_close"})
_STRUCK = re.compile(r"[>\s]*~~.*~~\W*", re.DOTALL)


class AuditEntry(NamedTuple):
    """A list item, paragraph or row: its line, what a reader sees, its heading."""

    line: int
    text: str
    under: str


def cut_entries(text: str) -> Iterator[AuditEntry]:
    """The entries of a text; front matter, headings and what is struck out are none."""
    above = parse_front_matter(text).lines
    lines = split_lines(text)[above:]
    before = under = ""
    plain = "".join(lines).replace("\r\n", "\n").replace("\r", " ")
    for token in block_reader().parse(plain):
        start, end = token.map or (0, 0)
        told = ""
        if before == "heading_open":
            under = token.content
        elif before == "paragraph_open":
            told = visible(_TASK.sub("", token.content, count=1))
        elif token.type == "fence" or (token.type == "tr_open" and before in _ROWS):
            told = visible("".join(lines[start:end]))
        if told and not _STRUCK.fullmatch(told):
            yield AuditEntry(above + start + 1, told, under)
        before = token.type


SHARE = 0.85
"""The share of all words of two texts that nearly the same ones have in common."""

FEW = 5
"""Fewer words mean something else in another file or under another heading."""

LEAST, LONGEST = 8, 4_000
"""Words from which, and letters up to which, texts are compared word by word."""

COMPARED = 64
"""So many of those that have a rare word in common are looked at."""

_EDGES = " \t\n*_`~>#\"'.,;:!…()[]-"


class RepeatedText(Struct, eq=False):
    """How a text begins, where it stands, and its words as numbers, if compared."""

    realm: str
    quote: str
    spots: list[Spot] = field(default_factory=list)
    terms: array[int] = field(default_factory=lambda: array("L"))
    figures: frozenset[str] = frozenset()


class Repeats:
    """Texts of a folder, each once; their words are kept if they are compared."""

    def __init__(self, *, compared: bool = False) -> None:
        self._compared = compared
        self.texts: dict[int, RepeatedText] = {}
        self._numbers: dict[str, int] = {}
        self._often: defaultdict[int, int] = defaultdict(int)

    def add(self, text: str, spot: Spot, realm: str = "", under: str = "") -> int:
        """Note a text; tells in how many places of its realm it stands by now."""
        said = one_line(unicodedata.normalize("NFKC", text).casefold())
        said = said.strip(_EDGES) or said
        found = words(said[:LONGEST])
        key = hash((said, realm, (spot.path, under) if len(found) < FEW else ()))
        held = self.texts.get(key)
        if held is None:
            quote = headline(one_line(text[:LONGEST]))
            held = self.texts[key] = RepeatedText(realm, quote)
            if self._compared and len(found) >= LEAST and len(said) <= LONGEST:
                held.figures = frozenset(w for w in found if not w.isalpha())
                for word in dict.fromkeys(found):
                    number = self._numbers.setdefault(word, len(self._numbers))
                    held.terms.append(number)
                    self._often[number] += 1
        held.spots.append(spot)
        return len(held.spots)

    def same(self) -> Iterator[RepeatedText]:
        """Every text that stands in several places."""
        return (held for held in self.texts.values() if len(held.spots) > 1)

    def near(self) -> Iterator[tuple[RepeatedText, list[RepeatedText]]]:
        """Texts with those that are nearly the same; each text is told of once."""
        texts = [held for held in self.texts.values() if held.terms]
        having: defaultdict[int, list[RepeatedText]] = defaultdict(list)
        groups: dict[RepeatedText, list[RepeatedText]] = {}
        for held in sorted(texts, key=lambda h: len(h.terms)):
            # So many of its rarest words that any text alike has one of them, too.
            most = len(held.terms) - math.ceil(SHARE * len(held.terms)) + 1
            rare = sorted(held.terms, key=lambda term: (self._often[term], term))[:most]
            # The last ones are nearest to it in length.
            among = {o: 0 for term in rare for o in having[term][-COMPARED:]}
            first = next((o for o in among if _alike(o, held)), None)
            if first is not None:
                groups.setdefault(first, []).append(held)
                continue
            for term in rare:
                having[term].append(held)
        yield from groups.items()


def _alike(short: RepeatedText, long: RepeatedText) -> bool:
    if short.realm != long.realm or short.figures != long.figures:
        return False
    common = len(set(short.terms).intersection(long.terms))
    return common >= SHARE * (len(short.terms) + len(long.terms) - common)
