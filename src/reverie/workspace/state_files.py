"""Opening our own files: what lies under `.audit/` and `.reverie/`.

Whoever may write files in the workspace may put anything in the place of one of
ours: a link to a file elsewhere, a pipe that nobody writes to, a device, a file of
five gigabytes of nothing. So each is opened without following or waiting, must be
plain, and is read only up to the size that its kind can have. What libgit2 opens by
itself is looked at before it does.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.workspace.files import (
    NotAPlainFileError,
    TooLargeFileError,
    kind_of,
    require_real_folders,
)
from reverie.workspace.layout import GIT_DIR, STATE_DIR

if TYPE_CHECKING:
    from pathlib import Path

SMALL = 1 << 20
"""Bytes: marks, references, settings, one question, one session."""

LARGE = 64 << 20
"""Bytes: a day's spending, a reflection on its way, the references in one file."""

HUGE = 1 << 30
"""Bytes: a journal, the redo log, the audit log, one object of git."""

_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ODD = {errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.EWOULDBLOCK}
_STEERING = (
    *("commondir", "gitdir", "shallow", "info/grafts", "config.worktree"),
    *("objects/info/alternates", "objects/info/http-alternates"),
)
"""Files by which git is told to look elsewhere; the ledger has none of them."""


class SteeredLedgerError(RefusedError):
    """A file in `.audit` would have the ledger read something that is not its own."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} would have the ledger read what is not its own",
            hint="The ledger never has such a file. Look who put it there, and move "
            "it away.",
        )


def open_state(path: Path | str, flags: int, most: int, mode: int = 0o600) -> int:
    """Open one of our own files; raises OSError where it cannot be.

    Args:
        path: Where it is, below `.audit` or `.reverie`.
        flags: As for `os.open`; never with O_TRUNC, which would come too early.
        most: The largest size it can have.
        mode: Its permissions where it is made.

    Raises:
        NotAPlainFileError: It is, or is behind, a link, folder, pipe or device; or
            it is too large to be ours.
    """
    require_own(path)
    try:
        descriptor = os.open(path, flags | _SAFELY, mode)
    except OSError as error:
        if error.errno in _ODD:
            what = "a link, folder, pipe or device"
            raise NotAPlainFileError(shown(path), what) from error
        raise
    try:
        require_sane(path, os.fstat(descriptor), most)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_state(path: Path | str, most: int) -> bytes | None:
    """The bytes of one of our own files; None where there is none."""
    try:
        descriptor = open_state(path, os.O_RDONLY, most)
    except FileNotFoundError:
        return None
    try:
        with open(descriptor, "rb", closefd=False) as opened:
            return opened.read(most + 1)
    finally:
        os.close(descriptor)


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


def require_sane(path: Path | str, status: os.stat_result, most: int) -> None:
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
    top = str(git_dir)
    require_real_folders(str(git_dir.parent), [git_dir.name])
    for name in _STEERING:
        path = f"{top}/{name}"
        if os.path.lexists(path):
            raise SteeredLedgerError(shown(path))
    for entry in _entries(top):
        _require_entry(entry, folder=_is_folder(entry.name), most=_most(entry.name))
    _require_below(f"{top}/refs", SMALL)
    _require_below(f"{top}/info", SMALL)
    _require_below(f"{top}/objects", HUGE)


_FOLDERS = frozenset({"objects", "refs", "info", "said", "logs", "hooks"})


def _is_folder(name: str) -> bool | None:
    """Whether git and we take this name in `.audit` for a folder; None for either."""
    if name in _FOLDERS:
        return True
    ours = {"HEAD", "config", "packed-refs", "index", "projected", "redo", "erasing"}
    return False if name in ours or name.endswith(".lock") else None


def _most(name: str) -> int:
    if name in {"redo", "index"}:
        return HUGE
    return LARGE if name == "packed-refs" else SMALL


def _require_entry(entry: os.DirEntry[str], *, folder: bool | None, most: int) -> None:
    """Refuse an entry that is neither a folder nor a plain file of sane size."""
    if entry.is_dir(follow_symlinks=False):
        if folder is False:
            raise NotAPlainFileError(shown(entry.path), "a folder")
        return
    # What somebody who tidies takes away meanwhile is not there.
    with suppress(FileNotFoundError):
        if not entry.is_file(follow_symlinks=False):
            mode = entry.stat(follow_symlinks=False).st_mode
            raise NotAPlainFileError(shown(entry.path), kind_of(mode))
        if folder:
            what = "a file where a folder should be"
            raise NotAPlainFileError(shown(entry.path), what)
        size = entry.stat(follow_symlinks=False).st_size if most else 0
        if size > most:
            raise TooLargeFileError(shown(entry.path), size, most)


def _require_below(top: str, most: int) -> None:
    """Refuse a folder with anything in it that is no plain file of sane size."""
    pending = [top]
    while pending:
        here = pending.pop()
        # A pack is not read whole, and may be of any size.
        packs = here.endswith("/objects/pack")
        for entry in _entries(here):
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif packs and entry.is_file(follow_symlinks=False):
                continue
            elif not _sane(entry, most):
                _require_entry(entry, folder=None, most=most)


def _sane(entry: os.DirEntry[str], most: int) -> bool:
    """Whether an entry is a plain file of sane size; there are thousands of objects."""
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return True
    return stat.S_ISREG(status.st_mode) and status.st_size <= most


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except FileNotFoundError:
        return []
