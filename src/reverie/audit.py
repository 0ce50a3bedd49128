"""Audit a folder of memories: secrets, duplicates, recalled text, broken links."""

from __future__ import annotations

import math
import posixpath
import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from reverie.encoding.gate import cites_memory
from reverie.importers import walk
from reverie.importers.documents import parse_front_matter
from reverie.importers.walk import UNREADABLE, aside, decode, look, opened, unreadable
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

    from reverie.importers.walk import ImportSource


class Fault(StrEnum):
    """What an audit looks for, what matters most first."""

    SECRETS = "secrets"
    INVISIBLE = "invisible"
    LOOPS = "loops"
    DUPLICATES = "duplicates"
    NEAR = "near-duplicates"
    LINKS = "dead-links"


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A line of a file: path below what was audited, line counted from 1."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Example:
    """Where something was found, what (never a secret), and where else."""

    spot: Spot
    what: str
    also: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
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


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file that an agent reads whenever it starts, and what that costs."""

    path: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Start:
    """What one start costs.

    Attributes:
        folder: Where the agent starts, below what was audited; empty for just there.
        tokens: What its files cost together.
        files: The files, the longest first.
    """

    folder: str
    tokens: int
    files: tuple[Loaded, ...]


@dataclass(frozen=True, slots=True)
class AuditReport:
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
        self._targets = Targets(folder.root, folder.names)
        self._noted: dict[Fault, list[Example]] = {fault: [] for fault in Fault}
        self._loops, self._files = Repeats(), Repeats()
        self._entries = Repeats(compared=True)
        self._links: list[tuple[str, FileLink]] = []
        self._loaded: defaultdict[str, list[Loaded]] = defaultdict(list)

    def read(self, source: ImportSource) -> None:
        """Look at one file, or note why not."""
        try:
            with opened(source) as stream:
                data = stream.read(LARGEST + 1)
        except UNREADABLE as error:
            self.left_out.append(unreadable(source.name, error))
            return
        large = len(data) > LARGEST
        text = None if large else _text(data)
        name, own = source.name, self._folder.own(source.name)
        if text is None:
            what = f"is larger than {LARGEST:,} bytes" if large else "is not text"
            self.left_out.append(Finding(name, 0, what, severity=Severity.WARNING))
            return
        self.files += 1
        self.size += len(data)
        clean, secrets = redacted_in_place(text)
        lines = split_lines(clean)
        self._note(Fault.SECRETS, name, secrets)
        self._note(Fault.INVISIBLE, name, find_invisible(lines))
        self._targets.name(parse_front_matter(clean).names)
        if not own.startswith("memory/graph/"):
            # In there they are of our own making; `check` looks at them.
            self._links += ((name, link) for link in find_links(lines))
        loaded = self._folder.loaded(name, text)
        if loaded:
            place = name.rpartition("/")[0]
            self._loaded[place].append(Loaded(name, count_tokens(loaded)))
        self._compare(name, own, clean, lines)

    def _note(self, fault: Fault, name: str, found: Iterable[tuple[int, str]]) -> None:
        self._noted[fault] += (Example(Spot(name, n), what) for n, what in found)

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
            if not is_memory(own, under, said):
                continue
            self.entries += 1
            if line not in recalled and _REDACTED not in said:
                self._entries.add(said, Spot(name, line), realm(own), under)

    def counts(self, most: int | None) -> Iterator[Count]:
        """How often each fault was found, with so many examples of it."""
        for name, link in self._links:
            if self._targets.leads_nowhere(link, name):
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
        text, odd = data.decode("utf-8-sig"), True
    except UnicodeDecodeError:
        text, said = decode(data)
        odd = bool(said)
    return None if odd and b"\0" in data else text


REVERIE, OPENCLAW, CLAUDE_CODE = "reverie", "openclaw", "claude-code"
CODEX, OBSIDIAN, MARKDOWN = "codex", "obsidian", "markdown"

_READ = frozenset({walk.MARKDOWN, walk.OBSIDIAN, walk.OPENCLAW, walk.TEXT})
_OWN = (layout.EPISODES, layout.ENTITIES, layout.PROCEDURES, layout.VAULT)
_UNFILLED = re.compile(r"(?:[^:\n]{1,80}: )?\[[^\]\n]*\]")
_HOMES = {".claude": CLAUDE_CODE, ".codex": CODEX}
"""The folders in which agents keep their things, memories among them."""

_MEMORY = re.compile(r"/(?:agent-)?memor(?:y|ies)/|/(?:DREAMS|SKILL)\.md$")
_DAILY = re.compile(r"/memory/\d{4}-\d\d-\d\d[^/]*\.md$")

_BOOT = frozenset({"AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"})
_OURS = frozenset({layout.CORE, *layout.BOOT_FILES})
_LOADED = {REVERIE: _OURS, OPENCLAW: _BOOT | _OURS - {"BOOTSTRAP.md"}}
_FIRST_LINES, _FIRST_LETTERS = 200, 25_000
"""So much of its `MEMORY.md` Claude Code loads."""


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


@dataclass(frozen=True, slots=True)
class AuditedFolder:
    """What stands at a path: whose it is, every name, what counts, what does not.

    It may be a part of a Reverie workspace; `inside` is the way to it, with a slash.
    """

    root: Path
    store: str
    inside: str
    names: frozenset[str]
    sources: tuple[ImportSource, ...] = ()
    left_out: tuple[Finding, ...] = ()

    def own(self, name: str) -> str:
        """The path of a file in the Reverie workspace it is part of, or nothing."""
        return self.inside + name if self.store == REVERIE else ""

    def loaded(self, name: str, text: str) -> str:
        """What of a file an agent reads whenever it starts."""
        file = PurePosixPath(name).name
        if not self._boots(file) or "/" in self.own(name):
            return ""
        if self.store != CLAUDE_CODE or file != layout.CORE:
            return text
        return "\n".join(text[:_FIRST_LETTERS].split("\n")[:_FIRST_LINES])

    def _boots(self, file: str) -> bool:
        return file in _LOADED.get(self.store, _BOOT | {layout.CORE})

    def counts(self, source: ImportSource) -> bool:
        """Whether memories are to be expected in a file of this name."""
        name, own = source.name, self.own(source.name)
        if own:
            return holds_memories(own) or ("/" not in own and own.endswith(".md"))
        if source.kind not in _READ or "." not in PurePosixPath(name).name:
            return False
        if self.store in {OBSIDIAN, MARKDOWN} or self._boots(PurePosixPath(name).name):
            return True
        around = self.root.name if self.store == OPENCLAW else self.root.as_posix()
        return bool(_MEMORY.search(f"/{around}/{name}"))


def look_over(path: Path) -> AuditedFolder:
    """Find out what stands at a path: a folder, a file or a zip.

    Raises:
        MissingSourceError: Nothing is there.
    """
    seen = look(path)
    whole = path.resolve()
    root = whole if whole.is_dir() else whole.parent
    inside = _inside_ours(root)
    store = REVERIE if inside is not None else _store(root, seen.sources)
    found = AuditedFolder(root, store, inside or "", seen.names)
    sources = tuple(filter(found.counts, seen.sources))
    if not sources and store != REVERIE:
        found = replace(found, store=MARKDOWN)
        sources = tuple(filter(found.counts, seen.sources))
    left_out = [replace(each, mend="") for each in seen.findings]
    others = len(seen.sources) - len(sources)
    if others:
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


def _store(root: Path, sources: tuple[ImportSource, ...]) -> str:
    """Whose memory it is that is not ours, by the names around and in it."""
    names = [f"/{root.name}/{source.name}" for source in sources]
    souls = {"AGENTS.md", "SOUL.md"} <= {PurePosixPath(name).name for name in names}
    home = next((_HOMES[part] for part in root.parts if part in _HOMES), "")
    if not home and (souls or any(map(_DAILY.search, names))):
        return OPENCLAW
    vault = any(source.kind == walk.OBSIDIAN for source in sources)
    return home or (OBSIDIAN if vault else MARKDOWN)


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
    ends: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        for closing in _CLOSING.findall(line):
            ends[closing.lower()].append(number)
    hidden = hidden_lines(lines)
    done = 0
    for number, line in enumerate(lines, 1):
        if number <= done:
            continue
        what = closing = ""
        if number - 1 not in hidden:
            found = _TAG.match(line)
            if line.lstrip(" \t>*+-").startswith(OPENING):
                what, closing = "a block that Reverie put into a prompt", CLOSING
            elif found:
                name = found["name"].lower()
                what, closing = f"a <{name}> block out of a prompt", f"</{name}>"
        if what:
            # One that is never closed ends at once.
            after = bisect_left(ends[closing], number)
            done = ends[closing][after] if after < len(ends[closing]) else number
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


class Targets:
    """Everything that a link in a folder may lead to."""

    def __init__(self, root: Path, names: Iterable[str]) -> None:
        self._root = root
        self._paths: set[str] = set()
        self._notes: set[str] = set()
        for name in names:
            low = name.casefold()
            parts = low.split("/")
            self._paths.update("/".join(parts[:n]) for n in range(1, len(parts) + 1))
            # A note is found by its name, and by as much of its path as is written.
            ends = ["/".join(parts[n:]) for n in range(len(parts))]
            self._notes.update(ends, (end.removesuffix(".md") for end in ends))

    def name(self, titles: Iterable[str]) -> None:
        """Note what else a file is called."""
        self._notes.update(title.casefold() for title in titles)

    def leads_nowhere(self, link: FileLink, source: str) -> bool:
        """Whether nothing is where a link of a file leads.

        What is outside the folder, or hidden in it, is not looked at.
        """
        folder = posixpath.dirname(source)
        path = posixpath.normpath(posixpath.join(folder, link.target))
        low, note = path.casefold(), link.target.casefold().removesuffix(".md")
        if low in self._paths or f"{low}.md" in self._paths:
            return False
        if any(map(aside, path.split("/"))) or (link.wiki and note in self._notes):
            return False
        try:
            # A symbolic link is no file that is read, and leads somewhere all the same.
            return not (self._root / path).exists()
        except (OSError, ValueError):
            return True


SHARE = 0.85
"""The share of all words of two texts that nearly the same ones have in common."""

FEW = 5
"""Fewer words mean something else in another file or under another heading."""

LEAST, LONGEST = 8, 4_000
"""Words from which, and letters up to which, texts are compared word by word."""

COMPARED = 64
"""So many of those that have a rare word in common are looked at."""

_EDGES = " \t\n*_`~>#\"'.,;:!…()[]-"
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(?P<words>.*)|$)")
_MARKER = re.compile(
    r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t]|$)(?:[ \t]+\[[ xX/-]\](?=[ \t]|$))?[ \t]*"
)
_RULE = re.compile(r"[ \t]*(?:(?:[-*_=~.][ \t]*){3,}|\|[-:| \t]+)$")
_STRUCK = re.compile(r"[>\s]*~~.*~~\W*", re.DOTALL)


class AuditEntry(NamedTuple):
    """A list item, paragraph or row: its line, what a reader sees, its heading."""

    line: int
    text: str
    under: str


def cut_entries(text: str) -> Iterator[AuditEntry]:
    """The entries of a text; front matter, headings and what is struck out are none."""
    for first, lines, under in _blocks(text):
        found = _MARKER.match(lines[0])
        told = visible("".join([lines[0][found.end() if found else 0 :], *lines[1:]]))
        if told and not _STRUCK.fullmatch(told):
            yield AuditEntry(first + 1, told, under)


def _blocks(text: str) -> Iterator[tuple[int, list[str], str]]:
    """First line, lines and heading of all that belongs together."""
    lines = split_lines(text)
    hidden, above = hidden_lines(lines), parse_front_matter(text).lines
    under, first, block = "", 0, list[str]()
    for n, line in enumerate(lines[above:], above):
        if n in hidden:
            block += [line] if block else []
            continue
        bare = line.rstrip("\r\n")
        heading, rule = _HEADING.match(bare), bool(_RULE.match(bare))
        row = line.lstrip().startswith("|")
        if heading or rule or row or not bare.strip() or _MARKER.match(bare):
            # What stands above the rule of a table are its heads.
            if block and not (rule and row):
                yield first, block, under
            block = []
        if heading:
            under = heading["words"] or ""
        elif bare.strip() and not rule:
            first = first if block else n
            block.append(line)
    if block:
        yield first, block, under


@dataclass(slots=True, eq=False)
class RepeatedText:
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
        self._often = array("L")

    def add(self, text: str, spot: Spot, realm: str = "", under: str = "") -> int:
        """Note a text; tells in how many places of its realm it stands by now."""
        said = one_line(unicodedata.normalize("NFKC", text).casefold())
        said = said.strip(_EDGES) or said
        found = words(said[:LONGEST])
        key = hash((said, realm, (spot.path, under) if len(found) < FEW else ()))
        held = self.texts.get(key)
        if held is None:
            held = self.texts[key] = RepeatedText(
                realm, headline(one_line(text[:LONGEST]))
            )
            if self._compared and len(found) >= LEAST and len(said) <= LONGEST:
                held.terms = array("L", map(self._number, dict.fromkeys(found)))
                held.figures = frozenset(w for w in found if not w.isalpha())
        held.spots.append(spot)
        return len(held.spots)

    def _number(self, word: str) -> int:
        number = self._numbers.setdefault(word, len(self._often))
        self._often.extend([0] * (number == len(self._often)))
        self._often[number] += 1
        return number

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
    if len(short.terms) < SHARE * len(long.terms) or short.figures != long.figures:
        return False
    common = len(set(short.terms).intersection(long.terms))
    both = len(short.terms) + len(long.terms) - common
    return short.realm == long.realm and common >= SHARE * both
