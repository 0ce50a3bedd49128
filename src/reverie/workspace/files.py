"""Read, write and look over the files of a workspace, and Reverie's own beside them.

Every call that changes the disk is an `os` function called from here, so that
tests can stop the program before and after each of them.
No name is followed through a symbolic link: each folder on the way is opened by
its parent's descriptor. Two names are swapped in one step where the system can
(Linux `renameat2`).

Whoever may write files in the workspace may put anything in the place of one of
ours below `.audit/` and `.reverie/`: a link to a file elsewhere, a pipe that nobody
writes to, a device, a file of five gigabytes of nothing. So each is opened without
following or waiting, must be plain, and is read only up to the size that its kind
can have. What libgit2 opens by itself is looked at before it does.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, field

from reverie.errors import RefusedError, UnavailableError
from reverie.model.items import Finding, Severity
from reverie.workspace.layout import (
    AUDIT_LOG,
    CONFIG_FILES,
    GENERATED,
    GIT_DIR,
    STATE_DIR,
    TOP,
    alias_key,
    conflict_copy,
    is_safe,
    passing,
    safe_path,
    tracked,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_CHUNK = 1 << 20
_ODD = {errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.EWOULDBLOCK}

SMALL = 1 << 20
"""Bytes: marks, references, settings, one question, one session."""

LARGE = 64 << 20
"""Bytes: a day's spending, a reflection on its way, the references in one file."""

HUGE = 1 << 30
"""Bytes: a journal, the redo log, the audit log, one object of git. Nothing in a
workspace that is larger is ever read whole."""


class NotAPlainFileError(RefusedError):
    """A link, folder, device or pipe stands where a file should be."""

    says = "{} is {}, not a plain file"
    mend = (
        "Reverie never follows links out of the workspace. "
        "Replace it by a real file, or move it away."
    )


class TooLargeFileError(NotAPlainFileError):
    """A file is larger than anything that is read here; none of it was read."""

    says = "{} has {:,} bytes, and at most {:,} are read"
    mend = (
        "It is left alone. Move it away, or make it smaller; for a file of "
        "the memory `ledger.file_limit` in reverie.toml sets the size."
    )


class DiskError(UnavailableError):
    """The operating system refused to write."""

    def __init__(self, what: str, error: OSError) -> None:
        hint = _DISK_HINTS.get(error.errno or 0, "Look at the disk, then try again.")
        super().__init__(f"{what}: {error.strerror or error}", hint=hint)
        self.errno = error.errno


_DISK_HINTS = {
    errno.ENOSPC: "The disk is full. Free some space, then try again.",
    errno.EDQUOT: "Your disk quota is used up. Free some space, then try again.",
    errno.EROFS: "The disk is read-only. Make it writable, then try again.",
    errno.EACCES: "Check who owns the folder and its permissions.",
    errno.EPERM: "Check who owns the folder and its permissions.",
}


class Signature(NamedTuple):
    """What tells, without reading it, that a file has been written to."""

    size: int
    modified: int
    changed: int
    inode: int


def signature(status: os.stat_result) -> Signature:
    """Take the signature from what `stat` said."""
    return Signature(
        status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    )


@contextmanager
def _opened(
    path: Path | str, flags: int, mode: int = 0o600, folder: int | None = None
) -> Iterator[int]:
    """Open without following a link or waiting, and close at the end."""
    descriptor = os.open(path, flags | _SAFELY, mode, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class Folder:
    """An open workspace folder; all paths are relative to it and checked.

    Attributes:
        root: Where it is.
        largest: Bytes; no file that is larger is read, but for those we generate.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve(strict=True)
        self.largest = HUGE
        self._descriptor = os.open(self.root, _FOLDER)

    def close(self) -> None:
        """Let go of the folder."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def state(self, *parts: str) -> Path:
        """A path in our own state folder, whose parent exists."""
        path = self.root.joinpath(STATE_DIR, *parts)
        below = str(path.relative_to(self.root)).split("/")
        require_real_folders(str(self.root), below[:-1])
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None where there is none."""
        try:
            with (
                self._parent(path) as (folder, name),
                _opened(name, os.O_RDONLY, folder=folder) as descriptor,
            ):
                self._require_kept(path, os.fstat(descriptor))
                return _read_all(descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise refusal(path, error) from error

    def signature(self, path: str) -> Signature | None:
        """What the disk says of a file without reading it."""
        with suppress(OSError):
            status = self._status(path)
            return signature(status) if stat.S_ISREG(status.st_mode) else None
        return None

    def shared(self, path: str) -> bool:
        """Whether a file has a second name, which may be outside, or a backup."""
        try:
            return self._status(path).st_nlink > 1
        except FileNotFoundError:
            return False

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of an existing file, beside anybody else who does."""
        flags = os.O_WRONLY | os.O_APPEND
        with (
            self._writing(path) as (folder, name),
            _opened(name, flags, folder=folder) as descriptor,
        ):
            require_sane(path, os.fstat(descriptor))
            write_all(descriptor, data)
            os.fsync(descriptor)

    def create(self, path: str, data: bytes) -> bool:
        """Put a new file in place; False, and nothing done, if one is there."""
        with self._writing(path) as (folder, name):
            fresh = self._write_aside(data, 0o600)
            try:
                rename_new(fresh, folder, name)
            except FileExistsError:
                os.unlink(fresh)
                return False
            os.fsync(folder)
            return True

    def swap(self, path: str, data: bytes, displaced: str) -> None:
        """Put new bytes in place of an existing file.

        The old file itself lives on as `displaced` in the state folder, because
        an editor that has it open may still write to it.
        """
        with self._writing(path) as (folder, name):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            self._require_kept(path, status)
            aside = self._write_aside(data, stat.S_IMODE(status.st_mode))
            kept = self.state("displaced", displaced)
            # First to its place: whatever comes out is where it is looked for, even
            # if we are killed at once. Until then ours lies there, which harms none.
            os.rename(aside, kept)
            exchange(kept, folder, name)
            os.fsync(folder)

    def take_out(self, path: str, displaced: str) -> None:
        """Remove a file, if it is there; it lives on as `displaced`."""
        with self._writing(path) as (folder, name):
            try:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                self._require_kept(path, status)
                kept = self.state("displaced", displaced)
                os.rename(name, kept, src_dir_fd=folder)
            except FileNotFoundError:
                return
            os.fsync(folder)
        # A shard folder that the last file has left goes with it.
        parts = path.split("/")[:-1]
        with suppress(OSError):
            while len(parts) > 2 and len(parts[-1]) == 1:
                os.rmdir(self.root.joinpath(*parts))
                parts.pop()

    def move(self, old: str, new: str) -> bool:
        """Rename a file to a free name; False, and nothing done, if it cannot be.

        The folders are not synced: call `sync_folders` after the last move.
        """
        with self._writing(new) as (folder, name):
            try:
                require_sane(old, self._status(old))
                rename_new(self.root / safe_path(old), folder, name)
            except (FileExistsError, FileNotFoundError):
                return False
        return True

    def sync_folders(self, paths: Iterable[str]) -> None:
        """Make sure that the folders of these files are on the disk as they are."""
        for folder in sorted({path.rpartition("/")[0] for path in paths}):
            with self._writing(f"{folder}/x".lstrip("/")) as (descriptor, _):
                os.fsync(descriptor)

    def make_folder(self, path: str) -> None:
        """Create a folder and those above it."""
        with self._writing(f"{safe_path(path)}/x"):
            pass

    def _status(self, path: str) -> os.stat_result:
        if "/" not in safe_path(path):
            return os.stat(path, dir_fd=self._descriptor, follow_symlinks=False)
        with self._parent(path) as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def _require_kept(self, path: str, status: os.stat_result) -> None:
        """Refuse what is no plain file, or larger than what is kept, before reading."""
        most = HUGE if path in {*GENERATED, AUDIT_LOG} else self.largest
        require_sane(path, status, most)

    def _write_aside(self, data: bytes, mode: int) -> Path:
        path = self.state("new", f"{os.getpid()}")
        with suppress(FileNotFoundError):
            os.unlink(path)
        with _opened(path, _NEW, mode) as descriptor:
            os.fchmod(descriptor, mode)
            write_all(descriptor, data)
            os.fsync(descriptor)
        return path

    @contextmanager
    def _parent(self, path: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
        *folders, name = safe_path(path).split("/")
        opened = os.dup(self._descriptor)
        try:
            for folder in folders:
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(folder, 0o700, dir_fd=opened)
                        os.fsync(opened)
                below = os.open(folder, _FOLDER, dir_fd=opened)
                os.close(opened)
                opened = below
            yield opened, name
        finally:
            os.close(opened)

    @contextmanager
    def _writing(self, path: str) -> Iterator[tuple[int, str]]:
        try:
            with self._parent(path, create=True) as place:
                yield place
        except OSError as error:
            raise refusal(path, error) from error


def refusal(path: str, error: OSError) -> RefusedError | UnavailableError:
    """What the operating system refuses, in our words."""
    if error.errno in _ODD:
        return NotAPlainFileError(path, "or is behind, a link, folder or device")
    return DiskError(f"cannot access {path}", error)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; a short write is not a write."""
    view = memoryview(data)
    while view:
        written = os.write(descriptor, view[:_CHUNK])
        view = view[written:]


def _read_all(descriptor: int) -> bytes:
    chunks = []
    while chunk := os.read(descriptor, _CHUNK):
        chunks.append(chunk)
    return b"".join(chunks)


def sync(*paths: Path) -> None:
    """Make sure that files' contents, or folders' names, are on the disk."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_replacing(path: Path, data: bytes, *, sync: bool = False) -> None:
    """Replace one of our own state files in one step.

    Args:
        path: Which one.
        data: What it shall hold.
        sync: Whether to wait until it is on the disk.
    """
    # A hidden name: one left behind by a kill is not taken for a person's file.
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        os.unlink(aside)
    with _opened(aside, _NEW) as descriptor:
        write_all(descriptor, data)
        if sync:
            os.fsync(descriptor)
    os.replace(aside, path)
    if sync:
        with _opened(path.parent, _FOLDER) as folder:
            os.fsync(folder)


def require_real_folders(top: str, names: Iterable[str]) -> None:
    """Refuse a way down from `top` on which a name is there and is no real folder."""
    here = top
    for name in names:
        here = f"{here}/{name}"
        try:
            mode = os.lstat(here).st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISDIR(mode):
            way = here.removeprefix(f"{top}/")
            raise NotAPlainFileError(way, f"{kind_of(mode)} where a folder should be")


_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFREG: "a file",
}


def kind_of(mode: int) -> str:
    """What something on the disk is, in words."""
    return _KINDS.get(stat.S_IFMT(mode), "a device")


# --- two names swapped -------------------------------------------------------

_NOREPLACE, _EXCHANGE = 1, 2
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}


def exchange(aside: Path, folder: int, name: str) -> None:
    """Swap the file `aside` with `name` in an open folder.

    Afterwards `aside` holds what was there. Where the system cannot swap, the
    old file is linked aside and replaced: two steps, but nothing is unlinked.
    """
    if not _renameat2(aside, folder, name, _EXCHANGE):
        old = aside.with_name(f"{aside.name}.old")
        os.rename(name, old, src_dir_fd=folder)
        os.rename(aside, name, dst_dir_fd=folder)
        os.rename(old, aside)


def rename_new(aside: Path, folder: int, name: str) -> None:
    """Move `aside` to `name`; `FileExistsError` when something is there."""
    if not _renameat2(aside, folder, name, _NOREPLACE):
        os.link(aside, name, dst_dir_fd=folder)
        os.unlink(aside)


def _renameat2(aside: Path, folder: int, name: str, flags: int) -> bool:
    """Rename in one step; False where the system cannot."""
    function, here = _function(), -100  # AT_FDCWD
    if function is None:
        return False
    if not function(here, os.fsencode(aside), folder, os.fsencode(name), flags):
        return True
    number = ctypes.get_errno()
    if number not in _UNSUPPORTED:
        raise OSError(number, os.strerror(number), name)
    return False


@cache
def _function() -> Any:  # noqa: ANN401 - a C function
    """The C library's `renameat2`, or None where there is none."""
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


# --- own files ---------------------------------------------------------------

_STEERING = (
    *("commondir", "gitdir", "shallow", "info/grafts", "config.worktree"),
    *("objects/info/alternates", "objects/info/http-alternates"),
)
"""Files by which git is told to look elsewhere; the ledger has none of them."""

_GIT_FOLDERS = frozenset({"objects", "refs", "info", "said", "logs", "hooks"})
_GIT_READS = {"refs": SMALL, "info": SMALL, "objects": HUGE}
"""Folders in which git reads every file, and how large one can be."""

_GIT_FILES = {
    **dict.fromkeys(("HEAD", "config", "projected", "erasing"), SMALL),
    "packed-refs": LARGE,
    "redo": HUGE,
    "index": HUGE,
}


@contextmanager
def open_state(path: Path | str, flags: int, most: int) -> Iterator[int]:
    """Open one of our own files; raises OSError where it cannot be.

    Args:
        path: Where it is, below `.audit` or `.reverie`.
        flags: As for `os.open`; never with O_TRUNC, which would come too early.
        most: The largest size it can have.

    Raises:
        NotAPlainFileError: It is, or is behind, a link, folder, pipe or device; or
            it is too large to be ours.
    """
    require_own(path)
    try:
        descriptor = os.open(path, flags | _SAFELY, 0o600)
    except OSError as error:
        if error.errno in _ODD:
            what = "a link, folder, pipe or device"
            raise NotAPlainFileError(shown(path), what) from error
        raise
    try:
        require_sane(path, os.fstat(descriptor), most)
        yield descriptor
    finally:
        os.close(descriptor)


def read_state(path: Path | str, most: int) -> bytes | None:
    """The bytes of one of our own files; None where there is none."""
    try:
        with open_state(path, os.O_RDONLY, most) as descriptor:
            return _read_all(descriptor)
    except FileNotFoundError:
        return None


def exists(path: Path | str) -> bool:
    """Whether one of our own files is there; refuses what is none."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    require_sane(path, status, HUGE)
    return True


def require_own(path: Path | str) -> None:
    """Refuse a path one of whose folders, from our own on, is a link."""
    way = shown(path)
    if way != str(path):
        top = str(path)[: -len(way) - 1]
        require_real_folders(top, way.split("/")[:-1])


def require_sane(
    path: Path | str, status: os.stat_result, most: int = sys.maxsize
) -> None:
    """Refuse what is no plain file, or larger than it can be."""
    if not stat.S_ISREG(status.st_mode):
        raise NotAPlainFileError(shown(path), kind_of(status.st_mode))
    if status.st_size > most:
        raise TooLargeFileError(shown(path), status.st_size, most)


def shown(path: Path | str) -> str:
    """A path as it is told: from the workspace on."""
    text = f"{path}/"
    at = max(text.rfind(f"/{GIT_DIR}/"), text.rfind(f"/{STATE_DIR}/"))
    return text[at + 1 : -1]


def require_ledger(git_dir: Path) -> None:
    """Refuse a ledger in which anything that git reads is not what it should be."""
    require_real_folders(str(git_dir.parent), [git_dir.name])
    for path in (f"{git_dir}/{name}" for name in _STEERING):
        if os.path.lexists(path):
            what = f"{shown(path)} would have the ledger read what is not its own"
            hint = "The ledger never has such a file. Look who put it there, and move "
            raise RefusedError(what, hint=f"{hint}it away.")
    pending = [(str(git_dir), SMALL)]
    while pending:
        here, most = pending.pop()
        top = here == str(git_dir)
        for entry in _entries(here):
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                if top and (name in _GIT_FILES or name.endswith(".lock")):
                    raise NotAPlainFileError(shown(entry.path), "a folder")
                if not top or name in _GIT_READS:
                    # A pack is not read whole, and may be of any size.
                    pack = entry.path.endswith("/objects/pack")
                    limit = _GIT_READS[name] if top else most
                    pending.append((entry.path, sys.maxsize if pack else limit))
                continue
            if top and name in _GIT_FOLDERS:
                what = "a file where a folder should be"
                raise NotAPlainFileError(shown(entry.path), what)
            # What somebody who tidies takes away meanwhile is not there.
            with suppress(FileNotFoundError):
                limit = _GIT_FILES.get(name, SMALL) if top else most
                require_sane(entry.path, entry.stat(follow_symlinks=False), limit)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except FileNotFoundError:
        return []


# --- a look over the whole folder, for what people changed -----------------------


class Look(Struct):
    """What one look at the folder saw.

    Attributes:
        files: Signature of every file the ledger keeps, by path.
        findings: What a person should know: links, copies, odd names.
    """

    files: dict[str, Signature] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def look(root: Path, *, file_limit: int) -> Look:
    """Stat every file of the workspace that the ledger keeps."""
    seen, pending = Look(), [""]
    while pending:
        below = pending.pop()
        # What is removed while we look is not there.
        with suppress(FileNotFoundError), os.scandir(f"{root}/{below}") as entries:
            for entry in entries:
                path, problem = below + entry.name, None
                with suppress(FileNotFoundError):
                    if entry.is_dir(follow_symlinks=False):
                        if below or entry.name in TOP:
                            pending += [] if passing(entry.name) else [f"{path}/"]
                        problem = _as_folder(path)
                    else:
                        kept = entry.is_file(follow_symlinks=False) and tracked(path)
                        status = entry.stat(follow_symlinks=False)
                        problem = _as_file(path, status, file_limit, kept=kept)
                        if kept and problem is None:
                            seen.files[path] = signature(status)
                if problem is not None:
                    seen.findings.append(Finding(path, 0, *problem, Severity.WARNING))
    return seen


def _as_file(
    path: str, status: os.stat_result, limit: int, *, kept: bool
) -> tuple[str, str] | None:
    """Why a thing below `memory/` or a root document is left out, and what to do."""
    if kept:
        if status.st_size <= limit or path in GENERATED:
            return None
        what = f"is {status.st_size:,} bytes, more than the ledger keeps ({limit:,})"
        return what, "Move it out of memory/, or raise ledger.file_limit."
    name = path.rpartition("/")[2]
    inside = path.startswith("memory/") or path.endswith(".md") or path in CONFIG_FILES
    if not inside or passing(name):
        return None
    if conflict_copy(name):
        mend = "Compare it with the original, keep what you want, delete the copy."
        return "is a second copy made by a file synchroniser", mend
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link", "Links are not followed; put the file here."
    if not stat.S_ISREG(status.st_mode):
        return "is a device, pipe or socket", "Move it out of the workspace."
    unsafe = ("has a name that is not safe everywhere", "Rename it.")
    return None if is_safe(path) else unsafe


def _as_folder(path: str) -> tuple[str, str] | None:
    """What is to be said of a folder that has the name of a file."""
    named = path.endswith(".md") or path in {*CONFIG_FILES, *GENERATED, AUDIT_LOG}
    mend = "Move what is in it elsewhere; the file comes back with `reverie undo`."
    return ("is a folder where a file should be", mend) if named else None


def aliases(files: Iterable[str]) -> list[Finding]:
    """Names that are one file on a system that ignores case."""
    first: dict[str, str] = {}
    found = []
    for path in sorted(files):
        other = first.setdefault(alias_key(path), path)
        if other != path:
            what = f"has the same name as {other} on some systems"
            found.append(Finding(path, 0, what, "Rename one.", Severity.WARNING))
    return found
