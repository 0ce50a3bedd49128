"""Find what can be imported at a path: formats, sizes, folders, zips, access."""

from __future__ import annotations

import codecs
import lzma
import os
import re
import struct
import zlib
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from msgspec import Struct, field
from msgspec.structs import replace

from reverie.errors import NotFoundError, RefusedError
from reverie.model.change import Secrets
from reverie.model.items import Finding, Severity, in_utc
from reverie.secrets import redacted_in_place

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from zipfile import ZipInfo

NOTES = ("markdown", "text", "openclaw", "obsidian")
CHATS = ("chatgpt", "claude")
KINDS = ("markdown", "text", "pdf", "openclaw", "obsidian", *CHATS, "claude-code")
"""What can be imported; notes, and chats, may be taken for each other."""

_LIMITS = {"pdf": 256 << 20, "chatgpt": 8 << 30, "claude": 8 << 30}
_LIMITS["claude-code"] = 2 << 30
_WHOLE = 32 << 20

HEAD = 64 << 10
"""Bytes from the start of a file that are enough to tell what it is."""

MAX_LINE_CHARS, CUT_MARGIN = 1_000_000, 1_000
"""Characters of one line of a document, or one message, that are imported; and how far
before that limit a word may end."""

UNREADABLE = (OSError, EOFError, BadZipFile, zlib.error, lzma.LZMAError)
"""What may go wrong while bytes are read."""

_ODD_ZIP = (KeyError, ValueError, RuntimeError, OverflowError, struct.error)
"""What else `zipfile` raises for a damaged, locked or unusual zip."""


class UnknownKindError(RefusedError):
    """A kind of source that nobody knows how to read."""

    says = "{!r} is not a kind of thing that can be imported"
    mend = f"Kinds are {', '.join(KINDS)}."


class MissingSourceError(NotFoundError):
    """There is nothing to import where the user pointed."""

    says = "there is no file or folder {}"
    mend = "Check the path; it may be a file, a folder or a zip."


class ImportSource(Struct, frozen=True):
    """One thing to read: a file, or a file inside a zip.

    Attributes:
        path: The file on disk; the zip itself for what is inside one.
        kind: What it reads as, one of `KINDS`.
        name: Path relative to what the user named, with forward slashes.
        size: Bytes, unpacked.
        member: Name inside the zip at `path`; empty for a plain file.
        secrets: What to do with passwords and keys in it.
    """

    path: Path
    kind: str
    name: str
    size: int
    member: str = ""
    secrets: Secrets = Secrets.REDACT


class Provenance(Struct, frozen=True):
    """Where a thing came from; the same on every run.

    Attributes:
        kind: One of `KINDS`.
        name: Path relative to the import root, or the conversation's own id.
        line: Line it starts at, counted from 1; the page of a PDF; 0 for the whole.
    """

    kind: str
    name: str
    line: int = 0


class ChatTurn(Struct, frozen=True):
    """One turn of a conversation: role, words (never empty), moment in UTC, name."""

    role: str
    text: str
    at: datetime | None = None
    speaker: str = ""


class Chat(Struct, frozen=True):
    """A conversation with at least one turn."""

    origin: Provenance
    title: str
    started: datetime | None
    turns: tuple[ChatTurn, ...]


class Passage(Struct, frozen=True):
    """One piece of a document: a section, a page, some paragraphs; never empty."""

    origin: Provenance
    title: str
    text: str
    at: datetime | None = None
    tags: tuple[str, ...] = ()


Found = Chat | Passage


class SourceList(Struct):
    """What one look at a path saw.

    Attributes:
        sources: What can be read, in order of name.
        findings: What is left out and should not be so silently.
        names: Every file.
        vaults: Folders with an `.obsidian` in them.
    """

    sources: list[ImportSource] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    vaults: set[str] = field(default_factory=set)

    def leave_out(self, name: str, what: str, mend: str = "It is left out.") -> None:
        """Note that something is not read, and why."""
        self.findings.append(Finding(name, 0, what, mend, Severity.WARNING))


def size_limit(kind: str) -> int:
    """The most bytes one source of a kind may have; exports are read as a stream."""
    return _LIMITS.get(kind, _WHOLE)


def aside(name: str) -> bool:
    """Whether a file or folder of this name is never looked at."""
    ignored = {"node_modules", "__macosx", "__pycache__"}
    return name.startswith(".") or name.casefold() in ignored


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
    seen = SourceList()
    alone = _look_at(path, seen)
    seen.names = {source.name for source in seen.sources}
    places = _places(seen, path)
    kept = []
    for source in sorted(seen.sources, key=lambda each: each.name):
        chosen = _asked(source, kind, alone=alone) if kind else source.kind
        if chosen == "markdown" and not kind:
            chosen = places(source.name)
        fresh = replace(source, kind=chosen)
        if chosen and source.size > size_limit(chosen):
            seen.findings.append(too_large(fresh))
        elif chosen:
            kept.append(fresh)
        elif alone:
            what = "does not look like anything that can be imported"
            seen.leave_out(source.name, what, "Say which kind it is.")
        else:
            what = "was skipped: it is no document, note or chat export"
            mend = "Import it by itself, and say which kind it is."
            seen.findings.append(Finding(source.name, 0, what, mend, Severity.NOTE))
    seen.sources = kept
    seen.findings.sort()
    return seen


def _look_at(path: Path, seen: SourceList) -> bool:
    """Note what stands at a path; whether that is one single file."""
    if not path.is_dir():
        try:
            with path.open("rb") if path.is_file() else nullcontext() as stream:
                zipped = stream and stream.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}
            if zipped or path.suffix.lower() == ".zip":
                _look_into_zip(path, "", seen)
                return False
            _note(path, path.name, seen)
        except OSError as error:
            seen.findings.append(unreadable(path.name, error))
        return True

    def shown(entry: Path) -> str:
        return plain(entry.relative_to(path).as_posix())

    def locked(error: OSError) -> None:
        seen.findings.append(unreadable(shown(Path(error.filename)), error))

    for folder, below, files in os.walk(path, onerror=locked):
        here = Path(folder)
        if ".obsidian" in below:
            seen.vaults.add(shown(here).removeprefix("."))
        below[:] = sorted(name for name in below if not aside(name))
        for entry in (here / name for name in (*below, *files) if not aside(name)):
            try:
                # What a link inside the root leads to is come upon anyway.
                if not entry.is_symlink():
                    _note(entry, shown(entry), seen)
                elif not entry.resolve().is_relative_to(path.resolve()):
                    mend = "Import what it leads to by its own path."
                    what = "is a link that leaves the folder"
                    seen.leave_out(shown(entry), what, mend)
            except (OSError, RuntimeError) as error:
                seen.findings.append(unreadable(shown(entry), error))
    return False


def _note(path: Path, name: str, seen: SourceList) -> None:
    """Note one file, or what is in it where it is a zip; raises OSError."""
    if path.is_dir():
        return
    if not path.is_file():
        seen.leave_out(name, "is a device, pipe or socket")
    elif path.suffix.lower() == ".zip":
        _look_into_zip(path, f"{name}/", seen)
    else:
        with path.open("rb") as stream:
            kind = recognise(stream.read(HEAD), name)
        seen.sources.append(ImportSource(path, kind, name, path.stat().st_size))


def _look_into_zip(path: Path, prefix: str, seen: SourceList) -> None:
    """Note every file inside a zip, without unpacking it."""
    try:
        archive = unzipped(path)
    except UNREADABLE as error:
        seen.findings.append(unreadable(prefix.rstrip("/") or path.name, error))
        return
    # Of several with one name the last counts, as it does for everybody else.
    for member in {info.filename: info for info in archive.infolist()}.values():
        inner = member.filename.replace("\\", "/")
        name, parts = prefix + plain(inner), PurePosixPath(inner).parts
        if ".obsidian" in parts:
            above = "/".join(parts[: parts.index(".obsidian")])
            seen.vaults.add(f"{prefix}{above}".rstrip("/"))
        if not parts or ".." in parts or inner.startswith("/"):
            seen.leave_out(name, "has a name that leads out of the zip")
        elif member.is_dir() or any(map(aside, parts)):
            continue
        elif member.flag_bits & 0x1:
            mend = "Unpack the zip and import that."
            seen.leave_out(name, "is locked with a password", mend)
        elif name.lower().endswith(".zip"):
            mend = "Unpack the outer one first."
            seen.leave_out(name, "is a zip inside a zip", mend)
        else:
            found = ImportSource(path, "", name, member.file_size, member.filename)
            try:
                with _member(archive, member) as stream:
                    kind = recognise(stream.read(HEAD), name)
                seen.sources.append(replace(found, kind=kind))
            except UNREADABLE as error:
                seen.findings.append(unreadable(name, error))


_CHAT = re.compile(
    rb'(?<!\\)"(?:(?P<chatgpt>mapping)"\s*:\s*\{|(?P<claude>chat_messages)"\s*:\s*\[)'
)
_SESSION = re.compile(rb'(?<!\\)"(?:sessionId|leafUuid)"\s*:')
_SESSION_TYPE = re.compile(rb'(?<!\\)"type"\s*:\s*"[a-z-]+"')
_BINARY = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")


def recognise(head: bytes, name: str) -> str:
    """The kind of a file by its first bytes and its name; empty if it is none."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in {".md", ".markdown", ".mdown", ".mkd"}:
        return "markdown"
    if suffix == ".pdf" or head.lstrip().startswith(b"%PDF-"):
        return "pdf"
    json = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if json[:1] in {b"[", b"{"}:
        if found := _CHAT.search(json):
            return "chatgpt" if found["chatgpt"] else "claude"
        if json[:1] == b"{" and _SESSION.search(json) and _SESSION_TYPE.search(json):
            return "claude-code"
    text = suffix in {".txt", ".text", ".rst", ".org", ".adoc"}
    return "text" if text or (not suffix and _is_text(head)) else ""


def _is_text(head: bytes) -> bool:
    if not head.strip() or _BINARY.search(head):
        return False
    try:
        # Where there is more, the last character may be cut in two.
        codecs.getincrementaldecoder("utf-8")().decode(head, len(head) < HEAD)
    except UnicodeDecodeError:
        return False
    return True


def _asked(source: ImportSource, kind: str, *, alone: bool) -> str:
    """The kind the user asked for, where a source could be of it."""
    file = source.name.rpartition("/")[2].lower()
    export = file.startswith("conversations") and file.endswith(".json")
    unsure = not source.kind and export and kind in CHATS
    related = any({source.kind, kind} <= {*family} for family in (NOTES, CHATS))
    return kind if alone or unsure or related or source.kind == kind else ""


_OPENCLAW = re.compile(r"(|.*/)(?:memory/\d{4}-\d\d-\d\d[^/]*\.md|MEMORY\.md)")


def _places(seen: SourceList, path: Path) -> Callable[[str], str]:
    """How to tell from its place what a Markdown file reads as."""
    # A folder `memory` may itself be what the user named.
    folder = path if path.is_dir() else path.parent
    above = "" if path.suffix == ".zip" else f"{folder.resolve().name}/"
    found = (_OPENCLAW.fullmatch(above + name) for name in seen.names)
    homes = {match[1] for match in found if match}

    def kind(name: str) -> str:
        whole = above + name
        if any(
            whole == f"{home}MEMORY.md" or whole.startswith(f"{home}memory/")
            for home in homes
        ):
            return "openclaw"
        parents = {"", *map(str, PurePosixPath(name).parents)}
        return "obsidian" if parents & seen.vaults else "markdown"

    return kind


_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The longer ones first: UTF-32 begins like UTF-16."""

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
    text = re.sub(r"[\x0b\x0c\x85]", " ", re.sub(r"\r\n?", "\n", text))
    return re.sub(r"[\ud800-\udfff]", "\ufffd", _UNSEEN.sub("", text))


def decode(data: bytes) -> tuple[str, str]:
    """Bytes as text, whatever their encoding, and what was odd about them."""
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")
    try:
        return plain(data.decode(encoding)), ""
    except UnicodeDecodeError:
        if encoding != "utf-8":
            what = f"begins as {encoding.upper()} and is broken further on"
            return plain(data.decode(encoding, "replace")), what
    # Latin-1, with the quotes and dashes of Windows where it has no letters.
    return plain(data.decode("cp1252", "replace")), (
        "is not UTF-8 and was read as Latin-1"
    )


NOWHERE = timezone(timedelta(), "no zone")
"""Of times that say no zone: those of a document are meant where the user is."""

_MILLISECONDS = 100_000_000_000
"""Above it a number counts milliseconds."""


def parse_moment(value: object) -> datetime | None:
    """Read seconds or an ISO text as a moment in UTC; None for anything else.

    A text without a zone is read as UTC, and its moment as from `NOWHERE`.
    """
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return in_utc(at) if at.tzinfo else without_zone(at)
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            seconds = value / 1000 if value > _MILLISECONDS else value
            return in_utc(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError, RefusedError):
        return None
    return None


def without_zone(at: datetime) -> datetime:
    """A time that says no zone, if a memory can be from it."""
    return in_utc(at.replace(tzinfo=UTC)).replace(tzinfo=NOWHERE)


@contextmanager
def opened(source: ImportSource) -> Iterator[IO[bytes]]:
    """Open a source for reading; raises one of `UNREADABLE`."""
    if source.member:
        stream = _member(unzipped(source.path), source.member)
    else:
        stream = source.path.open("rb")
    with stream:
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
        at = datetime(*stamp, tzinfo=NOWHERE)
    except ValueError:
        return None
    # 1980 is what a zip gives to what has no date.
    return None if at.year == 1980 else at


def text_of(source: ImportSource) -> Generator[Finding, None, str]:
    """Read a source as text; yields what was odd about it, returns the text."""
    limit = size_limit(source.kind)
    with opened(source) as stream:
        data = stream.read(limit + 1)
    text, odd = decode(data)
    if len(data) > limit:
        yield too_large(source)
        return ""
    if odd and b"\0" in data:
        mend = "Import it as what it is, or leave it out."
        yield Finding(source.name, 0, "is not text", mend)
        return ""
    if odd:
        mend = "Save it as UTF-8 if letters look wrong."
        yield Finding(source.name, 0, odd, mend, Severity.NOTE)
    text = yield from _cut_long_lines(source, text)
    return (yield from without_secrets_of(source, text))


def _cut_long_lines(source: ImportSource, text: str) -> Generator[Finding, None, str]:
    """Cut lines that are too long; yields which, returns the text."""
    if len(text) <= MAX_LINE_CHARS:
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE_CHARS:
            end = line.rfind(" ", MAX_LINE_CHARS - CUT_MARGIN, MAX_LINE_CHARS)
            lines[number - 1] = line[: end if end > 0 else MAX_LINE_CHARS]
            yield line_too_long(source.name, number, "line")
    return "\n".join(lines)


def line_too_long(name: str, number: int, kind: str) -> Finding:
    """Say that only the beginning of a line or a message was imported."""
    what = f"the {kind} is too long: its first {MAX_LINE_CHARS:,} characters are read"
    mend = "Split it into several lines, and import it again."
    return Finding(name, number, what, mend, Severity.WARNING)


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
