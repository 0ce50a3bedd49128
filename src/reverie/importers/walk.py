"""Find what can be imported at a path: formats, sizes, folders, zips, access."""

from __future__ import annotations

import codecs
import lzma
import re
import stat
import struct
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from reverie.errors import NotFoundError, RefusedError
from reverie.model.change import Secrets
from reverie.model.items import Finding, Severity, in_utc
from reverie.secrets import redacted_in_place

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path
    from zipfile import ZipInfo


VAULT_MARK = ".obsidian"
_LEFT_ASIDE = frozenset({"node_modules", "__macosx", "__pycache__"})
_LOCKED = 0x1
_ZIP_MARKS = frozenset({b"PK\x03\x04", b"PK\x05\x06"})


@dataclass(slots=True)
class Heap:
    """What was come upon so far.

    Attributes:
        sources: Every file, with the kind it looks like; empty if it looks like none.
        vaults: Folders with an `.obsidian` in them, relative to the root.
        findings: What was left out and should not have been silently.
    """

    sources: list[ImportSource] = field(default_factory=list)
    vaults: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    def remark(self, name: str, what: str, mend: str) -> None:
        """Note that something is left out."""
        self.findings.append(Finding(name, 0, what, mend, Severity.WARNING))


def aside(name: str) -> bool:
    """Whether a file or folder of this name is never looked at."""
    return name.startswith(".") or name.casefold() in _LEFT_ASIDE


def walk(root: Path) -> Heap:
    """Look at every file below a folder; links are not followed."""
    heap = Heap()
    pending = [root]
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            heap.findings.append(unreadable(_relative(folder, root), error))
            continue
        pending += [entry for entry in entries if _stands(entry, root, heap)]
    return heap


def _stands(entry: Path, root: Path, heap: Heap) -> bool:
    """Note what an entry is; true for a folder to look into."""
    name = _relative(entry, root)
    try:
        mode = entry.lstat().st_mode
        if aside(entry.name):
            if entry.name == VAULT_MARK and stat.S_ISDIR(mode):
                heap.vaults.add(_relative(entry.parent, root))
            return False
        if stat.S_ISDIR(mode):
            return True
        if stat.S_ISLNK(mode):
            # What a link inside the root leads to is come upon anyway.
            try:
                inside = entry.resolve().is_relative_to(root.resolve())
            except (OSError, RuntimeError):
                inside = False
            if not inside:
                mend = "Import what it leads to by its own path."
                heap.remark(name, "is a link that leaves the folder", mend)
        elif stat.S_ISREG(mode):
            look_at(entry, name, root, heap)
        else:
            heap.remark(name, "is a device, pipe or socket", "It is left out.")
    except OSError as error:
        heap.findings.append(unreadable(name, error))
    return False


def _relative(entry: Path, root: Path) -> str:
    name = entry.relative_to(root).as_posix()
    return "" if name == "." else plain(name)


def look_at(path: Path, name: str, root: Path, heap: Heap) -> None:
    """Note one file, or what is in it where it is a zip; raises OSError."""
    if path.suffix.lower() == ".zip":
        heap_of_zip(path, f"{name}/", root, heap)
        return
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    size = path.stat().st_size
    heap.sources.append(ImportSource(path, recognise(head, name), name, root, size))


def heap_of_zip(path: Path, prefix: str, root: Path, heap: Heap) -> None:
    """Note every file inside a zip, without unpacking it."""
    try:
        archive = unzipped(path)
        for member in _members(archive, prefix, heap):
            near = ImportSource(path, "", prefix, root, 0)
            _look_inside(archive, member, near, heap)
    except UNREADABLE as error:
        heap.findings.append(unreadable(prefix.rstrip("/") or path.name, error))


def _members(archive: ZipFile, prefix: str, heap: Heap) -> Iterator[ZipInfo]:
    # Of several with one name the last counts, as it does for everybody else.
    for member in {info.filename: info for info in archive.infolist()}.values():
        name = _slashed(member.filename)
        parts = PurePosixPath(name).parts
        if VAULT_MARK in parts:
            above = "/".join(parts[: parts.index(VAULT_MARK)])
            heap.vaults.add(f"{prefix}{above}".rstrip("/"))
        if not parts:
            mend = "The zip is damaged: make it again."
            heap.remark(f"{prefix}?", "is a file without a name", mend)
        elif ".." in parts or name.startswith("/"):
            mend = "It is left out: the zip was not made by an honest program."
            heap.remark(prefix + plain(name), "leads out of the zip", mend)
        elif not member.is_dir() and not any(map(aside, parts)):
            yield member


def _slashed(name: str) -> str:
    """A name as zips should have it; some programs write backslashes."""
    return name.replace("\\", "/")


def _look_inside(
    archive: ZipFile, member: ZipInfo, near: ImportSource, heap: Heap
) -> None:
    name = near.name + plain(_slashed(member.filename))
    if member.flag_bits & _LOCKED:
        heap.remark(
            name, "is locked with a password", "Unpack the zip and import that."
        )
        return
    if name.lower().endswith(".zip"):
        heap.remark(name, "is a zip inside a zip", "Unpack the outer one first.")
        return
    try:
        with _member(archive, member) as stream:
            head = stream.read(HEAD)
    except UNREADABLE as error:
        heap.findings.append(unreadable(name, error))
        return
    kind = recognise(head, name)
    fresh = ImportSource(
        near.path, kind, name, near.root, member.file_size, member.filename
    )
    heap.sources.append(fresh)


MARKDOWN = "markdown"
TEXT = "text"
PDF = "pdf"
OPENCLAW = "openclaw"
OBSIDIAN = "obsidian"
CHATGPT = "chatgpt"
CLAUDE = "claude"
CLAUDE_CODE = "claude-code"
KINDS = (MARKDOWN, TEXT, PDF, OPENCLAW, OBSIDIAN, CHATGPT, CLAUDE, CLAUDE_CODE)

FAMILIES = (
    frozenset({MARKDOWN, TEXT, OPENCLAW, OBSIDIAN}),
    frozenset({PDF}),
    frozenset({CHATGPT, CLAUDE}),
    frozenset({CLAUDE_CODE}),
)
"""Kinds that may be taken for each other when the user says so."""

HEAD = 64 << 10
"""Bytes from the start of a file that are enough to tell what it is."""

_WHOLE = 32 << 20
_LIMITS = {PDF: 256 << 20, CHATGPT: 8 << 30, CLAUDE: 8 << 30, CLAUDE_CODE: 2 << 30}

_MARKDOWN_NAMES = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_TEXT_NAMES = frozenset({".txt", ".text", ".rst", ".org", ".adoc"})

_CHAT = re.compile(
    rb'(?<!\\)"(?:(?P<chatgpt>mapping)"\s*:\s*\{|(?P<claude>chat_messages)"\s*:\s*\[)'
)
_SESSION = re.compile(rb'(?<!\\)"(?:sessionId|leafUuid)"\s*:')
_SESSION_TYPE = re.compile(rb'(?<!\\)"type"\s*:\s*"[a-z-]+"')
_BINARY = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")


class UnknownKindError(RefusedError):
    """A kind of source that nobody knows how to read."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"{kind!r} is not a kind of thing that can be imported",
            hint=f"Kinds are {', '.join(KINDS)}.",
        )


def size_limit(kind: str) -> int:
    """The most bytes one source of a kind may have; exports are read as a stream."""
    return _LIMITS.get(kind, _WHOLE)


def recognise(head: bytes, name: str) -> str:
    """The kind of a file by its first bytes and its name; empty if it is none."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _MARKDOWN_NAMES:
        return MARKDOWN
    if suffix == ".pdf" or head.lstrip().startswith(b"%PDF-"):
        return PDF
    json = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if json[:1] in {b"[", b"{"}:
        if found := _CHAT.search(json):
            return CHATGPT if found["chatgpt"] else CLAUDE
        if json[:1] == b"{" and _SESSION.search(json) and _SESSION_TYPE.search(json):
            return CLAUDE_CODE
    plain_name = suffix in _TEXT_NAMES or (not suffix and _is_text(head))
    return TEXT if plain_name else ""


def _is_text(head: bytes) -> bool:
    if not head.strip() or _BINARY.search(head):
        return False
    try:
        # Where there is more, the last character may be cut in two.
        codecs.getincrementaldecoder("utf-8")().decode(head, len(head) < HEAD)
    except UnicodeDecodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class ImportSource:
    """One thing to read: a file, or a file inside a zip.

    Attributes:
        path: The file on disk; the zip itself for what is inside one.
        kind: What it reads as, one of `kinds.KINDS`.
        name: Path relative to the import root, with forward slashes.
        root: What the user named: a folder, a zip, or the folder of a file.
        size: Bytes, unpacked.
        member: Name inside the zip at `path`; empty for a plain file.
        secrets: What to do with passwords and keys in it.
    """

    path: Path
    kind: str
    name: str
    root: Path
    size: int
    member: str = ""
    secrets: Secrets = Secrets.REDACT


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a thing came from; the same on every run.

    Attributes:
        kind: One of `kinds.KINDS`.
        name: Path relative to the import root, or the conversation's own id.
        line: Line it starts at, counted from 1; the page of a PDF; 0 for the whole.
    """

    kind: str
    name: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One turn of a conversation.

    Attributes:
        role: `user`, `assistant` or `system`.
        text: What was said, never empty.
        at: When, in UTC.
        speaker: A name, where the export has one.
    """

    role: str
    text: str
    at: datetime | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation with at least one turn."""

    origin: Provenance
    title: str
    started: datetime | None
    turns: tuple[ChatTurn, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of a document: a section, a page, some paragraphs; never empty."""

    origin: Provenance
    title: str
    text: str
    at: datetime | None = None
    tags: tuple[str, ...] = ()


Found = Chat | Passage


_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""The longer ones first: UTF-32 begins like UTF-16."""

_LINE_ENDS = re.compile(r"\r\n?")
_BREAKS = re.compile(r"[\x0b\x0c\x85]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
    r"\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    """A text with Unix line ends and no character that a person would not see.

    No line is added or lost, so line numbers stay true.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _BREAKS.sub(" ", _LINE_ENDS.sub("\n", text))
    return _SURROGATES.sub("\ufffd", _UNSEEN.sub("", text))


def decode(data: bytes) -> tuple[str, str]:
    """Read bytes as text, whatever their encoding.

    Returns:
        The text, and what was odd about the bytes; nothing where all was well.
    """
    bom, encoding = next(
        (each for each in _BOMS if data.startswith(each[0])), (b"", "utf-8")
    )
    data = data[len(bom) :]
    try:
        return plain(data.decode(encoding)), ""
    except UnicodeDecodeError:
        if bom:
            what = f"begins as {encoding.upper()} and is broken further on"
            return plain(data.decode(encoding, "replace")), what
    # Latin-1, with the quotes and dashes of Windows where it has no letters.
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return plain(text), "is not UTF-8 and was read as Latin-1"


UNREADABLE = (OSError, EOFError, BadZipFile, zlib.error, lzma.LZMAError)
"""What may go wrong while bytes are read."""

_ODD_ZIP = (KeyError, ValueError, RuntimeError, OverflowError, struct.error)
"""What else `zipfile` raises for a damaged, locked or unusual zip."""

_NO_DATE = 1980
"""The year a zip gives to what has none."""


_THIS_CENTURY = 100_000_000_000
"""Above it a number of seconds is one of milliseconds."""


def parse_moment(value: object) -> datetime | None:
    """Read seconds or an ISO text as a moment in UTC; None for anything else.

    A text without a zone is read as UTC.
    """
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return in_utc(at if at.tzinfo else at.replace(tzinfo=UTC))
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            seconds = value / 1000 if value > _THIS_CENTURY else value
            return in_utc(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError, RefusedError):
        return None
    return None


@contextmanager
def opened(source: ImportSource) -> Iterator[IO[bytes]]:
    """Open a source for reading; raises one of `UNREADABLE`."""
    if not source.member:
        with source.path.open("rb") as stream:
            yield stream
        return
    with _member(unzipped(source.path), source.member) as stream:
        yield stream


def unzipped(path: Path) -> ZipFile:
    """Open a zip for reading; raises one of `UNREADABLE`.

    It stays open until others were, so that a zip of ten thousand notes is not
    looked through ten thousand times.
    """
    status = path.stat()
    return _archive(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _archive(path: Path, _changed: int, _size: int) -> ZipFile:
    try:
        return ZipFile(path)
    except _ODD_ZIP as error:
        raise BadZipFile(str(error)) from error


def _member(archive: ZipFile, member: str | ZipInfo) -> IO[bytes]:
    try:
        return archive.open(member)
    except _ODD_ZIP as error:
        raise BadZipFile(str(error)) from error


def modified(source: ImportSource) -> datetime | None:
    """When a source was last changed, as far as its folder or zip knows."""
    if not source.member:
        return parse_moment(source.path.stat().st_mtime)
    stamp = unzipped(source.path).getinfo(source.member).date_time
    try:
        at = datetime(*stamp, tzinfo=UTC)
    except ValueError:
        return None
    return None if at.year == _NO_DATE else at


def text_of(source: ImportSource) -> Generator[Finding, None, str]:
    """Read a source as text; yields what was odd about it, returns the text."""
    limit = size_limit(source.kind)
    with opened(source) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        yield too_large(source)
        return ""
    text, odd = decode(data)
    if odd and b"\0" in data:
        mend = "Import it as what it is, or leave it out."
        yield Finding(source.name, 0, "is not text", mend)
        return ""
    if odd:
        mend = "Save it as UTF-8 if letters look wrong."
        yield Finding(source.name, 0, odd, mend, Severity.NOTE)
    return (yield from without_secrets_of(source, text))


def without_secrets_of(
    source: ImportSource, text: str, mark: str = "\n"
) -> Generator[Finding, None, str]:
    """A document as a whole, before it is cut into anything.

    Every line stays the line it was; yields what was redacted, returns the text.

    Args:
        source: What is read.
        text: All of it.
        mark: What a finding's number counts: the ends of lines, or of pages.
    """
    if source.secrets is Secrets.KEEP:
        return text
    clean, found = redacted_in_place(text, mark)
    if source.secrets is Secrets.REDACT:
        yield from (redacted(source.name, line, kind) for line, kind in found)
    return clean


def redacted(name: str, line: int, kind: str) -> Finding:
    """Say that there was a secret, without quoting it."""
    mend = "Read it where it came from; `--secrets keep` files it as it is."
    return Finding(name, line, f"{kind} was redacted", mend, Severity.WARNING)


def too_large(source: ImportSource) -> Finding:
    """Say that a source is larger than what is read."""
    limit = size_limit(source.kind)
    what = f"is larger than what is read of a {source.kind} source ({limit:,} bytes)"
    mend = "Split it, or leave it out."
    return Finding(source.name, 0, what, mend, Severity.WARNING)


def unreadable(name: str, error: BaseException) -> Finding:
    """Say that a source could not be read, and why."""
    what = f"cannot be read ({str(error) or type(error).__name__})"
    return Finding(name, 0, what, "Check that the file is whole and may be read.")


_DAILY = re.compile(r"(|.*/)memory/\d{4}-\d\d-\d\d[^/]*\.md")
_LONG_TERM = re.compile(r"(|.*/)MEMORY\.md")
_INSIDE = re.compile(r"(?=(?:^|/)memory/)")


class MissingSourceError(NotFoundError):
    """There is nothing to import where the user pointed."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"there is no file or folder {path}",
            hint="Check the path; it may be a file, a folder or a zip.",
        )


@dataclass(frozen=True, slots=True)
class SourceList:
    """What one look at a path saw: what can be read, what is left out, every name."""

    sources: tuple[ImportSource, ...]
    findings: tuple[Finding, ...]
    names: frozenset[str]


def look(path: Path, kind: str | None = None) -> SourceList:
    """What can be read at a path, in order of name; what is left out, and why.

    Args:
        path: A file, a folder or a zip.
        kind: What everything is to be read as; by default each thing's content
            and place tell.

    Raises:
        MissingSourceError: Nothing is there.
        UnknownKindError: There is no such kind.
    """
    if kind and kind not in KINDS:
        raise UnknownKindError(kind)
    try:
        there = path.exists()
    except OSError:
        there = False
    if not there:
        raise MissingSourceError(path)
    heap, alone = _heap(path)
    places = _Places(heap, path)
    sources, findings = [], list(heap.findings)
    for source in sorted(heap.sources, key=lambda s: s.name):
        chosen = _asked(source, kind, alone=alone) if kind else places.kind(source)
        fresh = replace(source, kind=chosen)
        if not chosen and alone:
            what = "does not look like anything that can be imported"
            mend = "Say which kind it is."
            findings.append(Finding(source.name, 0, what, mend, Severity.WARNING))
        elif not chosen:
            continue
        elif source.size > size_limit(chosen):
            findings.append(too_large(fresh))
        else:
            sources.append(fresh)
    names = frozenset(source.name for source in heap.sources)
    return SourceList(tuple(sources), tuple(sorted(findings)), names)


def _heap(path: Path) -> tuple[Heap, bool]:
    """What stands at the path, and whether that is one single file."""
    if path.is_dir():
        return walk(path), False
    heap = Heap()
    if not path.is_file():
        mend = "Name a file, a folder or a zip."
        heap.remark(path.name, "is a device, pipe or socket", mend)
        return heap, True
    try:
        with path.open("rb") as stream:
            marked = stream.read(4) in _ZIP_MARKS
        if marked or path.suffix.lower() == ".zip":
            heap_of_zip(path, "", path, heap)
            return heap, False
        look_at(path, path.name, path.parent, heap)
    except OSError as error:
        heap.findings.append(unreadable(path.name, error))
    return heap, True


def _asked(source: ImportSource, kind: str, *, alone: bool) -> str:
    """The kind the user asked for, where a source could be of it."""
    file = source.name.rpartition("/")[2].lower()
    export = file.startswith("conversations") and file.endswith(".json")
    unsure = not source.kind and export and kind in {CHATGPT, CLAUDE}
    related = any({source.kind, kind} <= family for family in FAMILIES)
    return kind if alone or unsure or related else ""


class _Places:
    """Folders that say more about a Markdown file than the file itself."""

    def __init__(self, heap: Heap, path: Path) -> None:
        folder = path if path.is_dir() else path.parent
        # A folder `memory` may itself be what the user named.
        self._above = "" if path.suffix == ".zip" else f"{folder.resolve().name}/"
        self._vaults = heap.vaults
        # Workspaces of OpenClaw: above a dated `memory/` file, beside a `MEMORY.md`.
        names = [self._above + source.name for source in heap.sources]
        found = (_DAILY.fullmatch(n) or _LONG_TERM.fullmatch(n) for n in names)
        self._homes = {match[1] for match in found if match}

    def kind(self, source: ImportSource) -> str:
        """What a source reads as, where it stands."""
        if source.kind != MARKDOWN:
            return source.kind
        if self._openclaw(self._above + source.name):
            return OPENCLAW
        return OBSIDIAN if self._in_vault(source.name) else MARKDOWN

    def _openclaw(self, name: str) -> bool:
        long_term = _LONG_TERM.fullmatch(name)
        if long_term:
            return long_term[1] in self._homes
        cuts = (found.start() for found in _INSIDE.finditer(name))
        return any(name[:at] + "/" * bool(at) in self._homes for at in cuts)

    def _in_vault(self, name: str) -> bool:
        parts = name.split("/")
        above = ("/".join(parts[:n]) for n in range(len(parts)))
        return any(folder in self._vaults for folder in above)
