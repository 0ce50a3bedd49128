"""Swapping two names in one step, where the system can (Linux `renameat2`)."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_AT_FDCWD = -100
_NOREPLACE = 1
_EXCHANGE = 2
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}


def exchange(aside: Path, folder: int, name: str) -> None:
    """Swap the file `aside` with `name` in an open folder.

    Afterwards `aside` holds what was there. Where the system cannot swap, the
    old file is linked aside and replaced: two steps, but nothing is unlinked.
    """
    try:
        _renameat2(aside, folder, name, _EXCHANGE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        old = aside.with_name(f"{aside.name}.old")
        os.rename(name, old, src_dir_fd=folder)
        os.rename(aside, name, dst_dir_fd=folder)
        os.rename(old, aside)


def rename_new(aside: Path, folder: int, name: str) -> None:
    """Move `aside` to `name`; `FileExistsError` when something is there."""
    try:
        _renameat2(aside, folder, name, _NOREPLACE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        os.link(aside, name, dst_dir_fd=folder)
        os.unlink(aside)


def _renameat2(aside: Path, folder: int, name: str, flags: int) -> None:
    function = _function()
    if function is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    failed = function(_AT_FDCWD, os.fsencode(aside), folder, os.fsencode(name), flags)
    if failed:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)


@cache
def _function() -> Any:  # noqa: ANN401 - a C function
    """The C library's `renameat2`, or None where there is none."""
    library = ctypes.CDLL(None, use_errno=True)
    return getattr(library, "renameat2", None)
