"""The ledger's git folder `.audit`: made, its settings kept ours, its objects durable.

libgit2 obeys `.audit/config`: it would read a file that `include.path` names, or keep
the work files elsewhere. So the sections that steer it hold our own keys and nothing
else. What a person sets there for their own git commands (a name, a remote, a branch)
is theirs, acts on nothing of ours, and stays.

Its objects are made durable by a redo log. A commit is some eight objects, each a file;
syncing each costs more than all the rest of a write. So they are written without, and
their bytes go together into one log that is synced before the ref moves. After a power
cut the objects may come back empty; they are then written again from the log. When the
log is long, or a session ends, the objects are synced in their own right and the log is
emptied.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pygit2
from pygit2.enums import ObjectType, RepositoryInitFlag

from reverie.errors import RefusedError, UnavailableError
from reverie.model.change import (
    ABSENT,
    INIT,
    Action,
    Approval,
    ChangeSet,
    Edit,
    LogLine,
    checksum,
)
from reverie.workspace import files
from reverie.workspace.layout import FOLDERS, GIT_DIR, STATE_DIR, exclude_rules
from reverie.workspace.scan import look

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reverie.workspace.files import Folder

LONG = 16 << 20
"""Bytes from which on the redo log is emptied in between."""

_RECORD = re.compile(rb"([1-4]) ([0-9a-f]{40}) ([0-9]{1,12})")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

FILE = "config"
SHOWN = f"{GIT_DIR}/{FILE}"
_BOOLEAN = ("true", "false")
_OURS: dict[str, tuple[str, ...]] = {
    "core.repositoryformatversion": ("0",),
    "core.bare": ("false",),
    "core.worktree": ("..", "../"),
    "core.logallrefupdates": ("false",),
    # For people who commit with plain git: as durable as we are.
    "core.fsync": ("all",),
    "core.autocrlf": ("false",),
    # Whether a person's file may be executed is not ours to record.
    "core.filemode": ("false",),
    # What the file system can, as git found out.
    "core.symlinks": _BOOLEAN,
    "core.ignorecase": _BOOLEAN,
    "core.precomposeunicode": _BOOLEAN,
    "gc.auto": ("0",),
}
_HARMLESS = frozenset(
    {
        *("user", "author", "committer", "remote", "branch", "url", "push", "pull"),
        *("fetch", "color", "column", "log", "blame", "status", "rebase", "merge"),
        *("commit", "tag", "help", "advice", "init", "format", "grep", "rerere"),
    }
)
_HEADER = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]')
_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")


class Setting(NamedTuple):
    """One line of the file.

    Attributes:
        line: Its number.
        header: The heading of its section as it stands there.
        key: Section and key, in small letters; empty for what is no setting.
        text: The line as it stands there.
        ours: Whether we wrote it.
        harmless: Whether it is a person's own, and steers nothing of ours.
    """

    line: int
    header: str
    key: str
    text: str
    ours: bool
    harmless: bool


def keep_ours(git_dir: Path) -> tuple[str, ...]:
    """Take out of the file what would steer the ledger.

    Returns:
        What was taken out, a line each in words.
    """
    path = git_dir / FILE
    text = (files.read_state(path, files.SMALL) or b"").decode("utf-8", "replace")
    found = list(read_settings(text))
    doomed = [each for each in found if not each.ours and not each.harmless]
    missing = _OURS.keys() - {each.key for each in found if each.ours}
    required = {"core.bare", "core.worktree", "core.repositoryformatversion"}
    if doomed or required & missing:
        files.write_replacing(path, _rendered(found).encode())
    return tuple(
        f"{SHOWN}:{each.line}: {each.key or each.text[:60]!r} would have steered the "
        "ledger, and was taken out"
        for each in doomed
    )


def read_settings(text: str) -> Iterator[Setting]:
    """The settings in the text of such a file, and what cannot be read as one."""
    section, middle, header, goes_on = "", "", "", False
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        rest = line.strip()
        while match := _HEADER.match(rest):
            section, middle, header = match[1].lower(), match[2] or "", match[0]
            rest = rest[match.end() :].strip()
        if rest and rest[0] not in "#;":
            entry = _ENTRY.fullmatch(rest) if section else None
            names = (section, middle, entry[1].lower()) if entry else ()
            key = ".".join(filter(None, names))
            value = re.sub(r"\s*[#;].*", "", entry[2] or "true") if entry else ""
            ours = value.strip().strip('"').lower() in _OURS.get(key, ())
            whole = bool(key) or goes_on
            harmless = whole and section.partition(".")[0] in _HARMLESS
            yield Setting(number, header, key, rest, ours, harmless)
        goes_on = rest.endswith("\\")


def _rendered(found: list[Setting]) -> str:
    """The file as we write it, with what a person may have set beside."""
    kept = {
        each.key: each.text.partition("=")[2].strip() for each in found if each.ours
    }
    lines: list[str] = []
    for section in ("core", "gc"):
        lines.append(f"[{section}]")
        for key, choices in _OURS.items():
            value = kept.get(key, "" if choices is _BOOLEAN else choices[0])
            if key.startswith(f"{section}.") and value:
                lines.append(f"\t{key.partition('.')[2]} = {value}")
    for header, group in groupby((e for e in found if e.harmless), lambda e: e.header):
        lines += [header, *(f"\t{each.text}" for each in group)]
    return "\n".join(lines) + "\n"


MOST_LINES = 1_000
"""A first commit of more files is told by folders."""


class BrokenLedgerError(UnavailableError):
    """Git could not read or write its objects."""

    def __init__(self, what: str, error: Exception) -> None:
        super().__init__(
            f"{what}: {error}",
            hint="Check that the folder is writable and the disk not full, then try "
            "again. `git --git-dir=.audit fsck` tells whether anything is damaged.",
        )


@contextmanager
def told(what: str) -> Iterator[None]:
    """Turn git's errors into ours."""
    try:
        yield
    except (pygit2.GitError, OSError, KeyError) as error:
        raise BrokenLedgerError(what, error) from error


def create_repository(git_dir: Path) -> None:
    """Make an empty ledger beside the files it will keep."""
    with told("cannot create the ledger"):
        # Made bare, or it would put a `.git` beside, over one that is there.
        bare = RepositoryInitFlag.MKDIR | RepositoryInitFlag.BARE
        pygit2.init_repository(
            str(git_dir),
            flags=RepositoryInitFlag.NO_DOTGIT_DIR | bare,
            initial_head="main",
        )
        keep_ours(git_dir)
    info = git_dir / "info"
    info.mkdir(exist_ok=True)
    (info / "exclude").write_text(exclude_rules(), encoding="utf-8")
    # Bytes are bytes: no filter, no line ending is to be changed by git.
    (info / "attributes").write_text("* -text -filter -ident\n", encoding="utf-8")
    # An outer repository of the user's must not pick up our objects.
    (git_dir / ".gitignore").write_text("*\n", encoding="utf-8")


def prepare(root: Path) -> None:
    """Make the folder and the ledger's git directory; does nothing twice."""
    if root.exists() and not root.is_dir():
        what = f"{root} is not a folder"
        hint = "Give the folder your agent lives in, or a new name."
        raise RefusedError(what, hint=hint)
    try:
        root.mkdir(parents=True, exist_ok=True)
        git_dir, state = root / GIT_DIR, root / STATE_DIR
        # Nothing of ours may be a link: writing to it would write elsewhere.
        for path in (git_dir, state, root / ".git"):
            if path.is_symlink():
                raise files.NotAPlainFileError(path.name, "a link")
        made = (git_dir / "HEAD").exists() and (git_dir / "info/attributes").exists()
        if not made:
            create_repository(git_dir)
        git_dir.chmod(0o700)
        state.mkdir(mode=0o700, exist_ok=True)
        files.write_replacing(state / ".gitignore", b"*\n")
        here = root.resolve()
        if not any((folder / ".git").exists() for folder in (here, *here.parents)):
            # Plain `git log` and `git blame` work in the folder.
            files.write_replacing(root / ".git", f"gitdir: {GIT_DIR}\n".encode())
            # `git clean -fdx` spares a folder that looks like a repository of its own.
            files.write_replacing(git_dir / ".git", b"gitdir: .\n")
    except OSError as error:
        what = f"cannot make {root} a workspace"
        raise files.DiskError(what, error) from error


def plan_first(
    folder: Folder, starting: Mapping[str, str], *, file_limit: int
) -> ChangeSet:
    """Plan the first commit: what is there as it is, what is missing added."""
    for name in FOLDERS:
        folder.make_folder(name)
    found = {
        path: folder.read(path) or b""
        for path in look(folder.root, file_limit=file_limit).files
    }
    adopted = [
        Edit(path, data, checksum(data), Action.CREATE, "adopted as it was")
        for path, data in sorted(found.items())
    ]
    added = [
        Edit(path, text.encode(), ABSENT, Action.CREATE, "new workspace")
        for path, text in starting.items()
        if path not in found
    ]
    edits = (*added, *adopted)
    told: tuple[LogLine, ...] = ()
    if len(edits) > MOST_LINES:
        # A line per folder: history is for people, who do not read 100,000 lines.
        folders = Counter(edit.path.rpartition("/")[0] for edit in edits)
        told = tuple(
            LogLine(Action.CREATE, f"{folder}/*" if folder else "*", f"{count} files")
            for folder, count in sorted(folders.items())
        )
    return ChangeSet(edits, INIT, Approval.AUTO, "reverie init", told)


def sync(*paths: Path) -> None:
    """Make sure that files' contents, or folders' names, are on the disk."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# --- the redo log ----------------------------------------------------------------


class RedoRecord(NamedTuple):
    """A git object as the log holds it."""

    kind: int
    id: str
    data: bytes


class RedoLog:
    """The log of one ledger: `redo` in its git directory."""

    def __init__(self, git_dir: Path, objects: Path) -> None:
        self._path = git_dir / "redo"
        self._objects = objects
        self._waiting: list[RedoRecord] = []
        self._mended = False

    def add(self, kind: int, id_: str, data: bytes) -> None:
        """Note an object that was written without being synced."""
        self._waiting.append(RedoRecord(kind, id_, data))

    def sync(self) -> None:
        """Make everything noted so far survive a power cut."""
        if not self._waiting:
            return
        parts = [
            b"%d %s %d\n%s" % (kind, id_.encode(), len(data), data)
            for kind, id_, data in self._waiting
        ]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with files.open_state(self._path, flags, files.HUGE) as descriptor:
            size = os.fstat(descriptor).st_size
            files.write_all(descriptor, b"".join([b"" if size else _boot(), *parts]))
            os.fsync(descriptor)
        if not size:
            sync(self._path.parent)
        self._waiting.clear()
        if size > LONG:
            self.settle()

    def settle(self) -> None:
        """Sync the objects themselves, and empty the log."""
        folders = set()
        for file in (self._file(kept.id) for kept in self._read()):
            with suppress(FileNotFoundError):
                sync(file)
                folders |= {file.parent, self._objects}
        sync(*folders)
        self.drop()

    def drop(self) -> None:
        """Empty the log; its objects are safe elsewhere."""
        self._waiting.clear()
        with suppress(FileNotFoundError):
            os.unlink(self._path)

    @property
    def suspect(self) -> bool:
        """Whether the log was begun before the machine was last started."""
        if not files.exists(self._path):
            return False
        boot = _boot()
        with files.open_state(self._path, os.O_RDONLY, files.HUGE) as descriptor:
            return not os.read(descriptor, len(boot)) == boot != b"unknown\n"

    def mend(self, git: pygit2.Repository) -> int:
        """After a power cut, write lost objects again; returns how many.

        As long as the machine has been up since the log was begun, no object can
        have been lost, and nothing is done. No process outlives a power cut, so
        one look per process is enough.
        """
        mended, self._mended = self._mended, True
        if mended or not self.suspect:
            return 0
        lost = 0
        for kind, id_, data in self._read():
            with suppress(KeyError, ValueError, pygit2.GitError):
                if git.read(id_) == (kind, data):
                    continue
            lost += 1
            with suppress(FileNotFoundError):
                os.unlink(self._file(id_))
            git.write(kind, data)
        self.settle()
        return lost

    def _file(self, id_: str) -> Path:
        return self._objects / id_[:2] / id_[2:]

    def _read(self) -> Iterator[RedoRecord]:
        """The objects in the log; one that is cut short, or not what it says, ends it.

        A kill may have cut it; anybody who can write there may have made it up.
        """
        data = files.read_state(self._path, files.HUGE) or b""
        at = data.find(b"\n") + 1
        while at < len(data):
            end = data.find(b"\n", at)
            found = _RECORD.fullmatch(data[at : max(at, end)])
            if found is None:
                return
            kind, id_, at = int(found[1]), found[2].decode("ascii"), end + 1
            content = data[at : at + int(found[3])]
            head = f"{ObjectType(kind).name.lower()} {int(found[3])}\0".encode()
            if hashlib.sha1(head + content, usedforsecurity=False).hexdigest() != id_:
                return
            yield RedoRecord(kind, id_, content)
            at += len(content)


def _boot() -> bytes:
    """The first line of the log: which boot of the machine it belongs to."""
    try:
        return _BOOT_ID.read_bytes()
    except OSError:
        return b"unknown\n"
