"""Repair a history that git cannot read, from what is left of it.

The damaged folder is copied first. Then the newest commit that is whole becomes the
head. If commits before it are gone, those that are left are joined to a new history.
If none is left, a new history begins. The files of the workspace are never written;
what they say beyond the head is taken in as an edit when the workspace is opened.
"""

from __future__ import annotations

import hashlib
import shutil
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pygit2
from msgspec import Struct
from pygit2.enums import ObjectType

from reverie.errors import NotFoundError
from reverie.ledger.git_ledger import create_repository
from reverie.ledger.projection import Mark, read_mark, write_mark
from reverie.ledger.repository import MAIN
from reverie.workspace import files
from reverie.workspace.layout import GIT_DIR
from reverie.workspace.lock import exclusive

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from reverie.authority.keyring import Seal

LOCK_SECONDS = 30.0
COPY = f"{GIT_DIR}-damaged"
_RESET = ("objects", "refs", "packed-refs", "HEAD", "config", "projected", "redo")
"""What a new history replaces; turns that wait to be written down stay."""


class NoHistoryError(NotFoundError):
    """A folder has no history that could be repaired."""

    says = "cannot repair {}: it has no folder " + GIT_DIR
    mend = "`reverie init` makes it a workspace."


class Repair(Struct, frozen=True):
    """What a repair did.

    Attributes:
        damaged: Whether anything was wrong.
        copy: The copy of the damaged folder.
        head: The newest commit; empty if a new history has to begin.
        commits: How many commits the history has.
        rewritten: Whether they got new IDs, because commits among them are gone.
    """

    damaged: bool
    copy: str = ""
    head: str = ""
    commits: int = 0
    rewritten: bool = False


class _Found(NamedTuple):
    """A commit that can be read: its parent, and whether its files can be."""

    id: str
    parent: str
    time: int
    whole: bool


def repair(root: Path, seal: Seal, known: Iterable[str], now: datetime) -> Repair:
    """Make the history of a workspace readable again; lose nothing of it.

    Args:
        root: The workspace.
        seal: Seals commits that have to be written again.
        known: Commits that may be the newest, as noted outside of the workspace.
        now: The time, for the name of the copy.
    """
    git_dir = root / GIT_DIR
    if not git_dir.is_dir():
        raise NoHistoryError(root)
    lock = git_dir / "reverie.lock"
    with exclusive(lock, seconds=LOCK_SECONDS, purpose="repairing the history"):
        files.require_ledger(git_dir)
        if _is_whole(git_dir):
            return Repair(damaged=False)
        copy = _copy(git_dir, now)
        mark = read_mark(git_dir / "projected")
        for name in ("HEAD", MAIN, "config"):
            (git_dir / name).unlink(missing_ok=True)
        create_repository(git_dir)
        for path in _broken_objects(git_dir):
            # So that git can write it again.
            path.unlink()
        history = _History(git_dir, seal)
        head, commits, rewritten = history.join([mark.commit, *known])
        history.close()
        if head:
            _point(git_dir, head)
            if mark.commit != head:
                write_mark(git_dir / "projected", Mark(head))
        else:
            for name in _RESET:
                path = git_dir / name
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            create_repository(git_dir)
        return Repair(
            damaged=True,
            copy=str(copy),
            head=head,
            commits=commits,
            rewritten=rewritten,
        )


def _is_whole(git_dir: Path) -> bool:
    """Return whether every commit of the history and its files can be read."""
    with suppress(pygit2.GitError, OSError, KeyError, ValueError):
        head = (git_dir / "HEAD").read_text("ascii")
        if head != f"ref: {MAIN}\n" or _broken_objects(git_dir):
            return False
        history = _History(git_dir)
        head = str(history.git.lookup_reference(MAIN).target)
        chain = history.chain(head)
        history.close()
        return bool(chain) and not chain[-1].parent and all(c.whole for c in chain)
    return False


def _copy(git_dir: Path, now: datetime) -> Path:
    stamp = f"{now:%Y-%m-%d-%H%M%S}"
    copy = git_dir.with_name(f"{COPY}-{stamp}")
    shutil.copytree(git_dir, copy, symlinks=True)
    copy.chmod(0o700)
    return copy


def _broken_objects(git_dir: Path) -> list[Path]:
    """Return objects that are cut short or altered.

    Git is not asked for them: it may wait forever for the rest of one.
    """
    broken = []
    for folder in (git_dir / "objects").glob("[0-9a-f][0-9a-f]"):
        for path in folder.iterdir():
            data = b""
            with suppress(zlib.error, OSError):
                data = zlib.decompress(path.read_bytes())
            found = hashlib.sha1(data, usedforsecurity=False).hexdigest()
            if found != folder.name + path.name:
                broken.append(path)
    return broken


def _point(git_dir: Path, head: str) -> None:
    path = git_dir / MAIN
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_replacing(path, f"{head}\n".encode("ascii"))
    files.write_replacing(git_dir / "HEAD", f"ref: {MAIN}\n".encode("ascii"))


class _History:
    """Every commit that a folder of git still holds.

    Args:
        git_dir: The folder.
        seal: Seals commits that have to be written again.
    """

    def __init__(self, git_dir: Path, seal: Seal | None = None) -> None:
        self.git = pygit2.Repository(str(git_dir))
        self._seal = seal
        self._known: dict[str, bool] = {}

    def close(self) -> None:
        """Close the packs."""
        self.git.free()

    def find(self, id_: str) -> _Found | None:
        """Return a commit, or None if it cannot be read."""
        with suppress(pygit2.GitError, KeyError, ValueError, OSError):
            found = self.git[id_]
            if isinstance(found, pygit2.Commit):
                parents = found.parent_ids
                parent = str(parents[0]) if parents else ""
                whole = self._is_whole(str(found.tree_id))
                return _Found(str(found.id), parent, found.commit_time, whole)
        return None

    def _is_whole(self, id_: str) -> bool:
        if id_ not in self._known:
            whole = False
            with suppress(pygit2.GitError, KeyError, ValueError, OSError):
                found = self.git[id_]
                parts = found if isinstance(found, pygit2.Tree) else ()
                whole = all(self._is_whole(str(part.id)) for part in parts)
            self._known[id_] = whole
        return self._known[id_]

    def chain(self, head: str) -> list[_Found]:
        """Return the commits from one back, as far as they can be read."""
        found = []
        while head and (commit := self.find(head)):
            found.append(commit)
            head = commit.parent
        return found

    def join(self, heads: Iterable[str]) -> tuple[str, int, bool]:
        """Return the head of the longest history, its length, and if it is a new one.

        Args:
            heads: Commits that may be the newest.
        """
        chains = [chain for head in dict.fromkeys(heads) if (chain := self.chain(head))]
        chain = max(chains, key=len, default=[])
        left: dict[str, _Found] = {}
        if not chain or chain[-1].parent:
            left = {each.id: each for each in self._commits()}
        # Commits before a gap are reached from no other: the longest chain goes on.
        while not chain or chain[-1].parent:
            if not (more := self._longest(left, {each.id for each in chain})):
                break
            chain += more
        kept = [each for each in chain if each.whole]
        parents = [each.id for each in kept[1:]]
        if kept == chain and [each.parent for each in kept] == [*parents, ""]:
            return kept[0].id if kept else "", len(kept), False
        head = ""
        for each in reversed(kept):
            head = self._write(each.id, head)
        return head, len(kept), True

    def _longest(self, commits: dict[str, _Found], taken: set[str]) -> list[_Found]:
        """Return the longest chain of commits, none of which is taken."""
        parents = {each.parent for each in commits.values()}
        chains = (self.chain(id_) for id_ in commits if id_ not in parents)
        free = (each for each in chains if taken.isdisjoint(c.id for c in each))
        return max(free, key=len, default=[])

    def _commits(self) -> Iterable[_Found]:
        for id_ in self.git:
            if found := self.find(str(id_)):
                yield found

    def _write(self, id_: str, parent: str) -> str:
        """Write a commit again behind another parent; a good seal is renewed."""
        old = self.git[id_]
        assert isinstance(old, pygit2.Commit)  # noqa: S101 - `find` has read it
        raw = old.read_raw()
        parents: list[str | pygit2.Oid] = [parent] if parent else []
        plain = self.git.create_commit_string(
            old.author, old.committer, old.message, old.tree_id, parents
        )
        data = str(plain).encode("utf-8", "surrogateescape")
        if self._seal and self._seal.holds(raw):
            data = self._seal.sealed(data)
        return str(self.git.write(ObjectType.COMMIT, data))
