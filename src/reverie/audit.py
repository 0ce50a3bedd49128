"""Audit a folder of memories: secrets, duplicates, recalled text, broken links."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from msgspec import Struct
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
    LINKS = "dead-links"


_MENDS = {
    Fault.SECRETS: "Change each where it is used, then delete it here and from every "
    "copy and history.",
    Fault.INVISIBLE: "Delete the characters, and look what they hid.",
    Fault.LOOPS: "Delete the blocks: they are copies of what memory holds. Then keep "
    "what is recalled from being stored.",
    Fault.DUPLICATES: "Keep one of each and delete the others.",
    Fault.LINKS: "Write the page that is missing, or take the link out.",
}


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
    audit = Audit(path)
    for done, source in enumerate(audit.sources, 1):
        audit.read(source)
        progress(done, len(audit.sources))
    starts = []
    for folder, files in audit.loaded.items():
        longest = tuple(sorted(files, key=lambda file: -file.tokens))
        starts.append(Start(folder, sum(file.tokens for file in files), longest))
    return AuditReport(
        *(str(path), audit.store, audit.files, audit.size, audit.entries),
        tuple(audit.counts(examples)),
        tuple(sorted(starts, key=lambda start: -start.tokens)),
        tuple(audit.left_out),
    )


LARGEST = 10_000_000
"""Bytes; what is larger is no file of memories."""

_REDACTED = "[redacted: "
_HOMES = {".claude": "claude-code", ".codex": "codex"}
"""The folders in which agents keep their things, memories among them."""

_MEMORY = re.compile(r"/(?:agent-)?memor(?:y|ies)/|/(?:DREAMS|SKILL)\.md$")
_DAILY = re.compile(r"/memory/\d{4}-\d\d-\d\d[^/]*\.md$")
_BOOT = {"AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", layout.CORE}


class Audit:
    """What stands at a path, and what was found in it so far.

    Args:
        path: A folder, a file or a zip; it may be a part of a Reverie workspace.

    Raises:
        MissingSourceError: Nothing is there.
    """

    def __init__(self, path: Path) -> None:
        seen, whole = walk.look(path), path.resolve()
        self._root = whole if whole.is_dir() else whole.parent
        self._names = seen.names
        self._inside = _inside_ours(self._root)
        self.store = "reverie"
        if self._inside is None:
            self.store = _store(self._root, seen.sources)
        self.sources = list(filter(self._counts, seen.sources))
        if not self.sources and self._inside is None:
            self.store = "markdown"
            self.sources = list(filter(self._counts, seen.sources))
        self.left_out = [replace(each, mend="") for each in seen.findings]
        if others := len(seen.sources) - len(self.sources):
            what = f"files that are no memories: {others:,}"
            self.left_out.append(Finding("", 0, what, severity=Severity.NOTE))
        self.files = self.size = self.entries = 0
        self.loaded: defaultdict[str, list[Loaded]] = defaultdict(list)
        self._noted: dict[Fault, list[Example]] = {fault: [] for fault in Fault}
        self._loops, self._copies, self._said = Repeats(), Repeats(), Repeats()
        self._titles: set[str] = set()
        self._links: list[tuple[str, FileLink]] = []

    def _own(self, name: str) -> str:
        """The path of a file in the Reverie workspace it is part of, or nothing."""
        return "" if self._inside is None else self._inside + name

    def _boots(self, file: str) -> bool:
        ours = self.store in {"reverie", "openclaw"} and file in layout.BOOT_FILES
        return file in _BOOT or ours

    def _counts(self, source: walk.ImportSource) -> bool:
        """Whether memories are to be expected in a file of this name."""
        own, file = self._own(source.name), PurePosixPath(source.name).name
        if own:
            return holds_memories(own) or ("/" not in own and own.endswith(".md"))
        if source.kind not in walk.NOTES or "." not in file:
            return False
        if self.store in {"obsidian", "markdown"} or self._boots(file):
            return True
        root = self._root
        around = root.name if self.store == "openclaw" else root.as_posix()
        return bool(_MEMORY.search(f"/{around}/{source.name}"))

    def read(self, source: walk.ImportSource) -> None:
        """Look at one file, or note why not."""
        name, own = source.name, self._own(source.name)
        try:
            with walk.opened(source) as stream:
                data = stream.read(LARGEST + 1)
        except walk.UNREADABLE as error:
            self.left_out.append(walk.unreadable(name, error))
            return
        text = _text(data)
        if text is None or len(data) > LARGEST:
            what = f"is larger than {LARGEST:,} bytes" if text else "is not text"
            self.left_out.append(Finding(name, 0, what, severity=Severity.WARNING))
            return
        self.files += 1
        self.size += len(data)
        folder, _, file = name.rpartition("/")
        if self._boots(file) and "/" not in own:
            # So much of its own file Claude Code loads.
            part = self.store == "claude-code" and file == layout.CORE
            read = "\n".join(text[:25_000].split("\n")[:200]) if part else text
            self.loaded[folder] += [Loaded(name, count_tokens(read))] if read else []
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
        recalled: set[int] = set()
        for first, last, what in find_loops(lines):
            self._loops.add("".join(lines[first - 1 : last]), Spot(name, first), what)
            recalled.update(range(first, last + 1))
        whole = _REDACTED not in clean
        if whole and self._copies.add(clean, Spot(name, 1), realm(own)) > 1:
            # Of a file that is a copy of another, no line is told of again.
            return
        for line, said, under in cut_entries(clean):
            if is_memory(own, under, said):
                self.entries += 1
                if line not in recalled and _REDACTED not in said:
                    self._said.add(said, Spot(name, line), realm(own), under)

    def counts(self, most: int | None) -> Iterator[Count]:
        """How often each fault was found, with so many examples of it."""
        paths, notes = self._targets()
        for name, link in self._links:
            if not self._leads(link, name, paths, notes):
                found = Example(Spot(name, link.line), f"{link.written} leads nowhere")
                self._noted[Fault.LINKS].append(found)
        for _, what, spots in self._loops.texts.values():
            self._group(Fault.LOOPS, what, spots)
        for _, _, spots in self._copies.same():
            self._group(Fault.DUPLICATES, "the whole file", spots)
        for quote, _, spots in self._said.same():
            self._group(Fault.DUPLICATES, f"“{quote}”", spots)
        for fault, noted in self._noted.items():
            # One of several that are alike may stay.
            times = sum(len(e.also) + (fault is not Fault.DUPLICATES) for e in noted)
            yield Count(fault, times, _MENDS[fault], tuple(noted[:most]))

    def _group(self, fault: Fault, what: str, spots: list[Spot]) -> None:
        first, *also = spots
        times = f" stands in {len(spots):,} places" if also else ""
        self._noted[fault].append(Example(first, what + times, tuple(also)))

    def _targets(self) -> tuple[set[str], set[str]]:
        """Every path, and every name that a note is found by: as much as is written."""
        paths, notes = set[str](), self._titles
        for name in self._names:
            parts = name.casefold().split("/")
            paths.update("/".join(parts[:n]) for n in range(1, len(parts) + 1))
            ends = ["/".join(parts[n:]) for n in range(len(parts))]
            notes.update(ends, (end.removesuffix(".md") for end in ends))
        return paths, notes

    def _leads(
        self, link: FileLink, source: str, paths: set[str], notes: set[str]
    ) -> bool:
        """Whether something is where a link of a file leads.

        What is outside the folder, or hidden in it, is taken to be there.
        """
        folder = posixpath.dirname(source)
        path = posixpath.normpath(posixpath.join(folder, link.target))
        low, note = path.casefold(), link.target.casefold().removesuffix(".md")
        if {low, f"{low}.md"} & paths or (link.wiki and note in notes):
            return True
        try:
            # A symbolic link is no file that is read, and leads somewhere.
            there = (self._root / path).exists()
        except (OSError, ValueError):
            there = False
        return there or any(map(walk.aside, path.split("/")))


def _inside_ours(root: Path) -> str | None:
    """The way to a folder in its Reverie workspace, with a slash; None outside."""
    for folder in (root, *root.parents):
        inside = root.relative_to(folder).as_posix()
        ours = inside == "." or inside.partition("/")[0] in layout.TOP
        if ours and (folder / layout.GIT_DIR / "HEAD").is_file():
            return "" if inside == "." else f"{inside}/"
    return None


def _store(root: Path, sources: Sequence[walk.ImportSource]) -> str:
    """Whose memory it is that is not ours, by the names around and in it."""
    names = [f"/{root.name}/{source.name}" for source in sources]
    souls = {"AGENTS.md", "SOUL.md"} <= {PurePosixPath(name).name for name in names}
    home = next((_HOMES[part] for part in root.parts if part in _HOMES), "")
    if not home and (souls or any(map(_DAILY.search, names))):
        return "openclaw"
    vault = any(source.kind == "obsidian" for source in sources)
    return home or ("obsidian" if vault else "markdown")


def _text(data: bytes) -> str | None:
    """The text of a file with all that is invisible in it; None if it is no text."""
    try:
        text, odd = data.decode("utf-8-sig"), "perhaps"
    except UnicodeDecodeError:
        text, odd = walk.decode(data)
    return None if odd and b"\0" in data else text


# --- what counts of our own files ----------------------------------------------

_OWN = (layout.EPISODES, layout.ENTITIES, layout.PROCEDURES, layout.VAULT)
_UNFILLED = re.compile(r"(?:[^:\n]{1,80}: )?\[[^\]\n]*\]")


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


# --- what one text shows ---------------------------------------------------------

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
    closed: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        for mark in _CLOSING.findall(line):
            closed[mark.lower()].append(number)
    hidden, done = hidden_lines(lines), 0
    for number, line in enumerate(lines, 1):
        if number <= done:
            continue
        shown = number - 1 not in hidden
        what = closing = ""
        if shown and line.lstrip(" \t>*+-").startswith(OPENING):
            what, closing = "a block that Reverie put into a prompt", CLOSING.lower()
        elif shown and (found := _TAG.match(line)):
            name = found["name"].lower()
            what, closing = f"a <{name}> block out of a prompt", f"</{name}>"
        if what:
            ends = closed[closing]
            at = bisect_left(ends, number)
            # One that is never closed ends at once.
            done = ends[at] if at < len(ends) else number
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


# --- what stands there twice -----------------------------------------------------

FEW, LONGEST = 5, 4_000
"""Fewer words mean something else in another file or under another heading; of more
letters only the first ones are quoted."""

_EDGES = " \t\n*_`~>#\"'.,;:!…()[]-"


class RepeatedText(NamedTuple):
    """How a text begins, what it may be a duplicate of, and where it stands."""

    quote: str
    realm: str
    spots: list[Spot]


class Repeats:
    """Texts of a folder, each once: case, white space and marks around tell nothing."""

    def __init__(self) -> None:
        self.texts: dict[int, RepeatedText] = {}

    def add(self, text: str, spot: Spot, realm: str = "", under: str = "") -> int:
        """Note a text; tells in how many places of its realm it stands by now."""
        said = one_line(unicodedata.normalize("NFKC", text).casefold())
        said = said.strip(_EDGES) or said
        few = len(words(said[:LONGEST])) < FEW
        key = hash((said, realm, (spot.path, under) if few else ()))
        if key not in self.texts:
            quote = headline(one_line(text[:LONGEST]))
            self.texts[key] = RepeatedText(quote, realm, [])
        self.texts[key].spots.append(spot)
        return len(self.texts[key].spots)

    def same(self) -> Iterator[RepeatedText]:
        """Every text that stands in several places."""
        return (held for held in self.texts.values() if len(held.spots) > 1)
