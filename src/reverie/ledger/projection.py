"""Project HEAD onto the work files, beside a person who may be typing.

See `docs/design/write-path.md`. Nothing here decides what is true; it only
makes the folder show it, and hands back what people wrote in the meantime.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from reverie.ledger.audit_log import Stamp
from reverie.ledger.rollback import merge
from reverie.model.change import hash_content
from reverie.workspace import files
from reverie.workspace.layout import tracked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from reverie.ledger.repository import Repository
    from reverie.workspace.files import Folder

GRACE_SECONDS = 5.0
"""How long a replaced file is watched for an editor that writes to it late."""

MOST_WATCHED = 32
"""How many replaced files are watched at once."""

_NO_FILE = "0" * 40
_SHELF = re.compile(r"([0-9]{1,20})\.([0-9a-f]{40})")


class Mark(NamedTuple):
    """How far the projection has come: the commit, and the log as we left it."""

    commit: str = ""
    log: Stamp = Stamp()


def read_mark(path: Path) -> Mark:
    """Read the mark; an unreadable one says that nothing is known."""
    with suppress(OSError, ValueError, files.NotAPlainFileError):
        text = (files.read_state(path, files.SMALL) or b"").decode("ascii")
        commit, size, modified = text.split()
        return Mark(commit, Stamp(int(size), int(modified)))
    return Mark()


def write_mark(path: Path, mark: Mark) -> None:
    """Note how far we came. Files were synced before; an old mark is harmless."""
    text = f"{mark.commit} {mark.log.size} {mark.log.modified}\n"
    files.write_replacing(path, text.encode("ascii"))


def show_all(
    folder: Folder, changes: Mapping[str, tuple[bytes | None, bytes | None]]
) -> None:
    """Make work files say what they should: by path, what they did and shall say."""
    # Files that only change their place are renamed.
    leaving = {old: path for path, (old, new) in changes.items() if new is None and old}
    moved: set[str] = set()
    for path, (old, new) in changes.items():
        origin = leaving.get(new) if old is None and new else None
        if origin and origin not in moved and folder.move(origin, path):
            moved |= {origin, path}
    folder.sync_folders(moved)
    for path, (old, new) in changes.items():
        if path not in moved:
            show(folder, path, old, new)


def show(folder: Folder, path: str, old: bytes | None, new: bytes | None) -> None:
    """Make one work file say `new`, given that we last left it saying `old`."""
    if new is None:
        if old is not None:
            folder.take_out(path, _displaced_name(path, old))
        return
    if old is None and folder.create(path, new):
        return
    if old is not None and new.startswith(old) and _extended(folder, path, old, new):
        return
    found = folder.read(path)
    if found is None:
        folder.create(path, new)
    elif found != new:
        folder.swap(path, new, _displaced_name(path, old))


def _extended(folder: Folder, path: str, old: bytes, new: bytes) -> bool:
    """Add the end of `new` in place, so that other appenders lose nothing.

    Returns:
        Whether the file holds it now; else it has to be replaced.
    """
    found, end = folder.read(path), new[len(old) :]
    if found == new:
        return True
    if found is None or not found.startswith(old) or folder.shared(path):
        return False
    if new.startswith(found):
        folder.append(path, new[len(found) :])
        # Look again: the file may have been replaced while we appended to it.
        found = folder.read(path)
        return found == new or (found is not None and _holds_more(found, old, end))
    if not _holds_more(found, old, end):
        folder.append(path, (b"" if found.endswith(b"\n") else b"\n") + end)
    return True


def _holds_more(found: bytes, old: bytes, end: bytes) -> bool:
    """Whether a text has these whole lines once more than the old one had."""
    lines = b"(?=" + (b"^" if old.endswith(b"\n") else b"") + re.escape(end) + b")"
    times = [len(re.findall(lines, text, re.MULTILINE)) for text in (found, old)]
    return times[0] > times[1]


def _displaced_name(path: str, expected: bytes | None) -> str:
    """A name that says what a displaced file should hold and where it stood."""
    blob = hash_content(expected) or _NO_FILE
    return f"{time.time_ns()}.{blob}/{path}"


class Displaced(NamedTuple):
    """A file we replaced, kept for a while in case an editor still writes to it.

    Attributes:
        shelf: The folder that was made for it.
        path: Where it stood, and stands below its shelf.
        born: When it was replaced.
        blob: What it held then.
        file: Where it lies.
    """

    shelf: str
    path: str
    born: int
    blob: str
    file: str


class DisplacedFiles:
    """The files we replaced lately."""

    def __init__(self, folder: Folder, repository: Repository) -> None:
        self._folder = folder
        self._repository = repository
        self._seen: dict[str, int] = {}
        self._paths: dict[str, str] = {}

    def late_edits(self) -> Iterator[tuple[str, Callable[[bytes | None], bytes]]]:
        """Files that somebody wrote to after we replaced them.

        Yields:
            The path, and what merges theirs into its current text. When the caller
            comes back for the next, it has taken care of this one.
        """
        found = self._find()
        now = time.time_ns()
        for left, displaced in zip(range(len(found), 0, -1), found, strict=True):
            theirs, crowded = self._news(displaced), left > MOST_WATCHED
            if theirs is not None:
                yield displaced.path, partial(self._merged, displaced, theirs)
                # The next late edit is compared with this one.
                name = f"{displaced.born}.{self._repository.write_blob(theirs)}"
                os.rename(displaced.shelf, f"{os.path.dirname(displaced.shelf)}/{name}")
            elif abs(now - displaced.born) > GRACE_SECONDS * 1e9 or crowded:
                # Nobody can reasonably be writing to it; the clock may have jumped.
                self._drop(displaced)

    def clear(self) -> None:
        """Stop watching all of them; erasure does this."""
        for displaced in self._find():
            self._drop(displaced)
        # What a killed writer was about to put in place.
        shutil.rmtree(self._folder.state("new"), ignore_errors=True)

    def _find(self) -> list[Displaced]:
        top = str(self._folder.state("displaced"))
        if not os.path.isdir(top) or os.path.islink(top):
            return []
        found = []
        for name in sorted(os.listdir(top)):
            shelf, named = f"{top}/{name}", _SHELF.fullmatch(name)
            if named and not os.path.islink(shelf):
                path = self._find_path(shelf)
                file = f"{shelf}/{path}"
                if self._ours(file, path):
                    found.append(Displaced(shelf, path, int(named[1]), named[2], file))
        return found

    def _find_path(self, shelf: str) -> str:
        """Return the path of the only file on a shelf; empty for none or several."""
        path = self._paths.get(shelf, "")
        if not path or not os.path.lexists(f"{shelf}/{path}"):
            walked = [f"{base}/{n}" for base, _, ns in os.walk(shelf) for n in ns]
            path = walked[0][len(shelf) + 1 :] if len(walked) == 1 else ""
            self._paths[shelf] = path
        return path

    def _ours(self, file: str, path: str) -> bool:
        """Whether we can have put a file there; anybody can put others."""
        status = os.lstat(file)
        plain = stat.S_ISREG(status.st_mode) and status.st_size <= self._folder.largest
        return plain and tracked(path) and not os.path.isdir(self._folder.root / path)

    def _news(self, displaced: Displaced) -> bytes | None:
        """The file's bytes if they are not what they should be."""
        modified = os.lstat(displaced.file).st_mtime_ns
        if self._seen.get(displaced.file) == modified:
            return None
        data = files.read_state(displaced.file, files.HUGE) or b""
        if hash_content(data) != displaced.blob:
            return data
        self._seen[displaced.file] = modified
        return None

    def _merged(self, displaced: Displaced, theirs: bytes, ours: bytes | None) -> bytes:
        blob = displaced.blob
        base = self._repository.content(blob) if self._repository.has(blob) else b""
        return merge(base or b"", ours or b"", theirs).content

    def _drop(self, displaced: Displaced) -> None:
        os.unlink(displaced.file)
        self._seen.pop(displaced.file, None)
        self._paths.pop(displaced.shelf, None)
        folder = os.path.dirname(displaced.file)
        # What somebody else put there stays, and its folders with it.
        with suppress(OSError):
            while folder != os.path.dirname(displaced.shelf):
                os.rmdir(folder)
                folder = os.path.dirname(folder)
