"""Connect a host to a workspace, and disconnect it.

Everything is planned first: a file that cannot be read as what it should be refuses the
whole, and nothing is changed. Then each file is replaced in one step; if one cannot be,
those before it are put back. What a file was before is kept, and where nobody has
touched it since, that comes back byte for byte. Else only ours is taken out.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from reverie.errors import ConflictError, FormatError, NotFoundError, RefusedError
from reverie.interfaces.hosts import (
    claude_code,
    codex,
    cursor,
    gemini,
    openclaw,
    opencode,
)
from reverie.interfaces.hosts.targets import OwnFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reverie.interfaces.hosts.place import Place
    from reverie.interfaces.hosts.targets import Target

    Known = tuple["Record", bytes | None] | None

HOSTS = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "cursor": cursor,
    "openclaw": openclaw,
}
"""The module of each host."""

MOST_BYTES = 64 << 20


class UnknownHostError(NotFoundError):
    """There is no such host."""

    says = "there is no host {!r}"
    mend = f"Name one of these: {', '.join(HOSTS)}."


class ChangedMeanwhileError(ConflictError):
    """A file changed between reading and writing it."""

    says = "{} changed meanwhile; nothing was changed"
    mend = "Try again; close the host if it keeps changing it."


class Record(Struct):
    """What is known of a file that we have written into.

    Attributes:
        path: The file.
        hosts: Which hosts need what we wrote there.
        wrote: The checksum of the file as we left it.
        existed: Whether it was there before us.
        folders: Folders that we made for it, the innermost first.
    """

    path: str
    hosts: list[str]
    wrote: str
    existed: bool
    folders: list[str] = []


class Change(Struct, frozen=True):
    """One file as it is and as it shall be; None where it is not there.

    Attributes:
        path: The file, behind every link.
        old: What it holds.
        new: What it shall hold.
        bare: What it holds without anything of ours; what is kept of it.
        record: What is to be known of it; None to forget about it.
    """

    path: Path
    old: bytes | None
    new: bytes | None
    bare: bytes | None = None
    record: Record | None = None

    @property
    def does(self) -> str:
        """In a word: `create`, `change`, `delete`, or empty."""
        if self.old == self.new:
            return ""
        if self.old is None:
            return "create"
        return "delete" if self.new is None else "change"


class FileState(Struct, frozen=True):
    """How one file of a host stands.

    Attributes:
        path: The file.
        state: `connected`, `outdated`, `edited`, `unreadable`, or `` for not at all.
        workspace: The workspace that it names; empty where it names none.
    """

    path: str
    state: str
    workspace: str = ""


class Records:
    """What we know of files that we have written into, and what they were before.

    Args:
        folder: Where it is kept: the user's own, and not the host's.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _place(self, path: Path) -> Path:
        return self._folder / hashlib.sha256(os.fsencode(path)).hexdigest()[:16]

    def backup(self, path: Path) -> Path:
        """Where it is kept what a file was before us."""
        return self._place(path).with_suffix(".before")

    def find(self, path: Path) -> tuple[Record, bytes | None] | None:
        """What is known of a file, and what it was; None for nothing."""
        try:
            data = self._place(path).with_suffix(".json").read_bytes()
            record = msgspec.json.decode(data, type=Record)
            before = self.backup(path).read_bytes() if record.existed else None
        except (FileNotFoundError, msgspec.DecodeError):
            return None
        return record, before

    def keep(self, change: Change) -> None:
        """Note what a change left behind."""
        place = self._place(change.path)
        if change.record is None:
            for suffix in (".json", ".before"):
                place.with_suffix(suffix).unlink(missing_ok=True)
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if change.record.existed:
            _replace(self.backup(change.path), change.bare or b"")
        _replace(place.with_suffix(".json"), msgspec.json.encode(change.record))


def records_of(environ: Mapping[str, str], home: Path) -> Records:
    """The records of this user."""
    named = environ.get("XDG_DATA_HOME") or home / ".local/share"
    return Records(Path(named) / "reverie" / "hosts")


# --- plans ---------------------------------------------------------------------


def targets(host: str, place: Place) -> list[Target]:
    """What is to stand in a host's files.

    Raises:
        UnknownHostError: There is no such host.
    """
    if host not in HOSTS:
        raise UnknownHostError(host)
    wanted: list[Target] = HOSTS[host].targets(place)
    # A file of the workspace is changed by its ledger alone: `reverie instruct`.
    inside = place.workspace.resolve()
    outside = [t for t in wanted if not _real(t.path).is_relative_to(inside)]
    if place.project and not outside:
        what = "the project is the workspace itself, whose files its ledger keeps"
        hint = "Leave out --project; `reverie instruct` writes what agents read there."
        raise RefusedError(what, hint=hint)
    return outside


def plan_connect(host: str, place: Place, records: Records) -> list[Change]:
    """What connecting a host changes; files that are right already are left out.

    Raises:
        FormatError: A file cannot be read as what it should be.
        TakenError: A name that we would use is somebody else's.
    """
    changes = []
    for target in targets(host, place):
        path = _real(target.path)
        old = _read(path)
        known = records.find(path)
        hosts = sorted({*(known[0].hosts if known else []), host})
        text = _text(old, path)
        if _edited(target, old, known):
            continue
        if known and target.state(text) == "connected":
            if hosts != known[0].hosts:
                record = msgspec.structs.replace(known[0], hosts=hosts)
                changes.append(Change(path, old, old, known[1], record))
            continue
        bare = _bare(target, path, old, known)
        existed = bare is not None
        new = _encoded(target.put(_text(bare, path)))
        made = known[0].folders if known else _missing_folders(path)
        record = Record(str(path), hosts, _checksum(new), existed, made)
        changes.append(Change(path, old, new, bare, record))
    return changes


def plan_remove(host: str, place: Place, records: Records) -> list[Change]:
    """What disconnecting a host changes."""
    changes = []
    for target in targets(host, place):
        path = _real(target.path)
        old, known = _read(path), records.find(path)
        others = [name for name in (known[0].hosts if known else []) if name != host]
        if known and others:
            record = msgspec.structs.replace(known[0], hosts=others)
            changes.append(Change(path, old, old, known[1], record))
        elif known or (old is not None and target.state(_text(old, path))):
            bare = _bare(target, path, old, known)
            folders = known[0].folders if known and bare is None else []
            gone = Record(str(path), [], "", existed=False, folders=folders)
            changes.append(Change(path, old, bare, record=gone))
    return changes


def _edited(target: Target, old: bytes | None, known: Known) -> bool:
    """Whether a file that was all ours is somebody's now: they have edited it."""
    if known is None or old is None or not isinstance(target, OwnFile):
        return False
    return known[0].wrote != _checksum(old)


def _bare(target: Target, path: Path, old: bytes | None, known: Known) -> bytes | None:
    """What a file holds without anything of ours; None for no file."""
    if old is None or _edited(target, old, known):
        return old
    if known and known[0].wrote == _checksum(old):
        return known[1]
    before = known[1] if known else None
    text = _text(old, path)
    taken = target.take(text, _text(before, path) if before is not None else None)
    made_by_us = known is None or not known[0].existed
    if made_by_us and taken != text and target.blank(taken):
        return None
    return _encoded(taken)


_NAMED = re.compile(r"--workspace[\"',\s]+([^\"'\n]+?)[\"'\s]*(?:[,\]\n]| --|$)")


def status(host: str, place: Place, records: Records) -> list[FileState]:
    """How each file of a host stands."""
    found = []
    for target in targets(host, place):
        path, text = _real(target.path), ""
        try:
            old = _read(path)
            text = _text(old, path)
            edited = _edited(target, old, records.find(path))
            state = "edited" if edited else target.state(text)
        except (FormatError, RefusedError):
            state = "unreadable"
        named = _NAMED.search(text) if state and state != "edited" else None
        found.append(FileState(str(target.path), state, named[1] if named else ""))
    return found


# --- doing it ------------------------------------------------------------------


def carry_out(changes: Iterable[Change], records: Records) -> None:
    """Make changes; either all of them or none.

    Raises:
        ChangedMeanwhileError: A file is not as it was when this was planned.
    """
    undo: list[Callable[[], None]] = []
    try:
        for change in changes:
            _require_unchanged(change)
            if change.does:
                undo.append(_undoing(change))
                _write(change.path, change.new)
            record = change.record if change.record and change.record.hosts else None
            records.keep(msgspec.structs.replace(change, record=record))
            if change.new is None and change.record:
                for folder in change.record.folders:
                    with suppress(OSError):
                        Path(folder).rmdir()
    except BaseException:
        for take_back in reversed(undo):
            take_back()
        raise


def _require_unchanged(change: Change) -> None:
    if _read(change.path) != change.old:
        raise ChangedMeanwhileError(change.path)


def write_plugin(host: str, place: Place, folder: Path) -> list[Path]:
    """Write a host's plugin into a folder that is not there, or is empty.

    Raises:
        RefusedError: There is something in it.
    """
    if host not in HOSTS:
        raise UnknownHostError(host)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        problem = f"{folder} is not empty"
        raise RefusedError(problem, hint="Name a new folder. Nothing was changed.")
    made = []
    for name, content in HOSTS[host].plugin(place).items():
        text = content if isinstance(content, str) else _indented(content)
        _write(folder / name, _encoded(text))
        made.append(folder / name)
    return made


def _indented(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _undoing(change: Change) -> Callable[[], None]:
    return lambda: _write(change.path, change.old)


def _write(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, data)


def _replace(path: Path, data: bytes) -> None:
    """Replace a file in one step; it keeps its mode."""
    aside = path.with_name(f".{path.name}.reverie-{os.getpid()}")
    try:
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            aside.chmod(stat.S_IMODE(path.stat().st_mode))
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _real(path: Path) -> Path:
    """A file behind every link, whether it is there or not."""
    return Path(os.path.realpath(path))


def _read(path: Path) -> bytes | None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            problem = f"{path} is no plain file"
            raise RefusedError(problem, hint="Move it away. Nothing was changed.")
        with path.open("rb") as file:
            return file.read(MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _text(data: bytes | None, path: Path) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        line = (data or b"")[: error.start].count(b"\n") + 1
        hint = "Save it as UTF-8, then try again. Nothing was changed."
        raise FormatError(str(path), line, "is not UTF-8 text", hint=hint) from error


def _encoded(text: str) -> bytes:
    return text.encode("utf-8")


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _missing_folders(path: Path) -> list[str]:
    missing = []
    for folder in path.parents:
        if folder.exists():
            break
        missing.append(str(folder))
    return missing
