"""Git objects, read and written without git's index.

A commit costs what its own paths cost: only the trees between the root and the
touched files are written anew. Everything is fsynced before the ref moves.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import pygit2
from pygit2.enums import ConfigLevel, FileMode, ObjectType, SortMode

from reverie.authority.keyring import UNSEALED
from reverie.errors import UnavailableError
from reverie.ledger.git_folder import BrokenLedgerError, RedoLog, keep_ours, sync, told
from reverie.workspace import files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pygit2._pygit2 import TreeBuilder

    from reverie.authority.keyring import Seal

MAIN = "refs/heads/main"
RESCUE = "refs/rescue"
"""Where histories are kept that a person's git command left behind."""

EMAIL = "reverie@localhost"

MOST_KNOWN = 4096
"""So many commits are kept as they were read; they never change."""


# By default only small trees are cached; a folder of some hundred files is read
# several times in one write.
pygit2.settings.cache_object_limit(ObjectType.TREE, 256 << 10)


_OPENING = threading.Lock()
"""Where git looks for a user's settings is one for the whole process."""


class RawCommit(NamedTuple):
    """A commit as git keeps it; `sealed` if its seal is good."""

    id: str
    parent: str
    tree: str
    message: str
    at: datetime
    sealed: bool = False


Nested = dict[str, "Nested | str | None"]
"""Changes to a tree, by name: below a folder, a new content id, or removed."""


class FolderNames(Collection[str]):
    """The names of one kind in a folder, looked up without listing them all."""

    def __init__(self, tree: pygit2.Tree | None, kind: ObjectType) -> None:
        self._tree = tree
        self._kind = kind

    def __contains__(self, name: object) -> bool:
        if self._tree is None or not isinstance(name, str) or name not in self._tree:
            return False
        return self._tree[name].type == self._kind

    def __iter__(self) -> Iterator[str]:
        entries = self._tree or ()
        return (e.name for e in entries if e.type == self._kind and e.name)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Repository:
    """The git directory of a workspace.

    Args:
        git_dir: Where it is.
        seal: What its commits are sealed with.
    """

    def __init__(self, git_dir: Path, seal: Seal = UNSEALED) -> None:
        self.path = git_dir
        self.seal = seal
        self._raw = lru_cache(MOST_KNOWN)(self._read_raw)
        with told("cannot open the ledger"):
            files.require_ledger(git_dir)
            self.taken_out = keep_ours(git_dir)
            self.git = _opened(git_dir)
        self.redo = RedoLog(git_dir, self.objects)

    @property
    def objects(self) -> Path:
        """The folder of git's objects."""
        return self.path / "objects"

    @property
    def head(self) -> str:
        """The id of the newest commit; empty before the first."""
        try:
            return str(self.git.lookup_reference(MAIN).target)
        except KeyError:
            return ""
        except pygit2.GitError as error:
            what = "cannot read which commit is the newest"
            raise BrokenLedgerError(what, error) from error

    def mend(self) -> None:
        """Bring back objects that a power cut took."""
        with told("cannot mend the ledger"):
            self.redo.mend(self.git)

    @property
    def on_main(self) -> bool:
        """Whether git's HEAD is the ledger's own branch, as it should be."""
        try:
            return (
                files.read_state(self.path / "HEAD", files.SMALL)
                == f"ref: {MAIN}\n".encode()
            )
        except OSError:
            return False

    def leads_to(self, old: str, new: str) -> bool:
        """Whether the history of one commit holds another."""
        if old == new or not new or not self.has(old):
            return bool(old) and old == new
        # Where a part of the other history is gone, only a walk tells.
        with suppress(pygit2.GitError, KeyError):
            if not self.git.descendant_of(new, old):
                return False
        # It may be there by a merge alone, which would hide it from who walks.
        return any(commit.id == old for commit in self.walk(new))

    def rescue(self, commit: str) -> None:
        """Keep a commit from being dropped although no branch holds it any more."""
        with told("cannot keep an abandoned history"):
            name = f"{RESCUE}/{commit[:12]}"
            self.git.create_reference_direct(name, commit, force=True)

    def has(self, commit: str) -> bool:
        """Whether a commit of this id is here."""
        return bool(commit) and commit in self.git

    def resolve(self, prefix: str) -> str:
        """The full id of a commit named by the start of its id; empty if none."""
        with suppress(KeyError, ValueError, pygit2.GitError):
            found = self.git.get(prefix)
            if found is not None and found.type == ObjectType.COMMIT:
                return str(found.id)
        return ""

    def commit(self, id_: str) -> RawCommit:
        """One commit."""
        with told(f"cannot read commit {id_[:12]}"):
            return self._raw(id_)

    def count(self, head: str) -> int:
        """How many commits lead up to one."""
        if not head:
            return 0
        walker = self.git.walk(head, SortMode.NONE)
        walker.simplify_first_parent()
        return sum(1 for _ in walker)

    def remotes(self) -> tuple[str, ...]:
        """Names and addresses of the copies that a person has set up elsewhere."""
        return tuple(f"{remote.name} {remote.url}" for remote in self.git.remotes)

    def blame(self, head: str, path: str) -> Iterator[tuple[str, int, int]]:
        """For each run of lines its commit, its first line and their number."""
        with told(f"cannot tell who wrote {path}"):
            for hunk in self.git.blame(path, newest_commit=head):
                yield (
                    str(hunk.final_commit_id),
                    hunk.final_start_line_number,
                    hunk.lines_in_hunk,
                )

    def joins(self, commit: str) -> bool:
        """Whether a commit brings two histories together, as people's merges do."""
        return len(self._commit(commit).parent_ids) > 1

    def author(self, commit: str) -> str:
        """The name a commit was signed with."""
        return str(self._commit(commit).author.name)

    def walk(self, start: str) -> Iterator[RawCommit]:
        """The commits from `start` back to the first, newest first."""
        with told("cannot read history"):
            while start:
                commit = self._raw(start)
                yield commit
                start = commit.parent

    def between(self, old: str, new: str) -> list[RawCommit]:
        """The commits after `old` up to `new`, oldest first."""
        found = []
        for commit in self.walk(new):
            if commit.id == old:
                break
            found.append(commit)
        return found[::-1]

    def blob_id(self, commit: str, path: str) -> str:
        """The id of a file's content in a commit; empty where it is not."""
        return _blob_id(self._entry(commit, path))

    def read(self, commit: str, path: str) -> bytes | None:
        """A file's content in a commit."""
        return self.content(self.blob_id(commit, path))

    def content(self, blob: str) -> bytes | None:
        """The bytes behind a content id; None for the empty id."""
        if not blob:
            return None
        with told(f"cannot read object {blob[:12]}"):
            return self.git[blob].peel(pygit2.Blob).data

    def names(self, commit: str, path: str, *, folders: bool) -> FolderNames:
        """Names in a folder of a commit: its folders, or its files."""
        found = self._entry(commit, path)
        tree = found if isinstance(found, pygit2.Tree) else None
        return FolderNames(tree, ObjectType.TREE if folders else ObjectType.BLOB)

    def files(self, commit: str) -> dict[str, str]:
        """Content id of every file in a commit, by path."""
        return {path: new for path, (_, new) in self.diff("", commit).items()}

    def diff(self, old: str, new: str) -> dict[str, tuple[str, str]]:
        """Files that differ between two commits: content ids before and after."""
        found: dict[str, tuple[str, str]] = {}
        with told("cannot compare commits"):
            a, b = self._tree(old), self._tree(new)
            one = a or b
            if one is None:
                return {}
            diff = a.diff_to_tree(b) if a and b else one.diff_to_tree(swap=not a)
            for delta in diff.deltas:
                # What has become another kind of thing comes twice.
                before = found.get(delta.new_file.path, ("", ""))
                ids = (_file_id(delta.old_file), _file_id(delta.new_file))
                both = (before[0] or ids[0], before[1] or ids[1])
                if any(both):
                    found[delta.new_file.path] = both
        return found

    @staticmethod
    def blob_hash(data: bytes) -> str:
        """The content id that some bytes have or would have."""
        return str(pygit2.hash(data))

    def write_blob(self, data: bytes) -> str:
        """Keep some bytes and return their content id."""
        with told("cannot write to the ledger"):
            return self._noted(ObjectType.BLOB, self.git.create_blob(data), data)

    def write_tree(self, base: str, changes: Mapping[str, str]) -> str:
        """Write the tree that is `base` with some files set or, if empty, removed.

        Args:
            base: A commit id, or empty for no files.
            changes: Content id by path; an empty id removes the file.
        """
        nested: Nested = {}
        for path, blob in changes.items():
            *folders, name = path.split("/")
            here = nested
            for folder in folders:
                below = here.get(folder)
                if not isinstance(below, dict):
                    # A file that makes way for a folder of its name.
                    below = here[folder] = {}
                here = below
            if blob or not isinstance(here.get(name), dict):
                here[name] = blob or None
        with told("cannot write to the ledger"):
            written = self._write_tree(self._tree(base), nested)
            return written or str(self.git.TreeBuilder().write())

    def write_commit(
        self,
        tree: str,
        parent: str,
        message: str,
        author: str,
        at: datetime,
        *,
        seal: bool = True,
    ) -> str:
        """Write a commit without moving any ref.

        Args:
            tree: The files.
            parent: The commit before; empty for none.
            message: What it says.
            author: Who, as an actor's tag.
            at: When.
            seal: Whether it is sealed; not what was no change of ours.
        """
        seconds = max(0, int(at.timestamp()))
        signature = pygit2.Signature(author, EMAIL, seconds, 0)
        parents: list[str | pygit2.Oid] = [parent] if parent else []
        with told("cannot write to the ledger"):
            plain = self.git.create_commit_string(
                signature, signature, message, tree, parents
            )
            data = str(plain).encode("utf-8", "surrogateescape")
            data = self.seal.sealed(data) if seal else data
            written = self.git.write(ObjectType.COMMIT, data)
            return self._noted(ObjectType.COMMIT, written, data)

    def _noted(
        self, kind: ObjectType, id_: pygit2.Oid, data: bytes | None = None
    ) -> str:
        """Have the redo log hold an object that was just written."""
        raw = self.git[id_].read_raw() if data is None else data
        self.redo.add(kind, str(id_), raw)
        return str(id_)

    def move_head(self, old: str, new: str) -> None:
        """Make `new` the newest commit, if `old` still is; else refuse.

        Git's own protocol: a lock file, which becomes the ref by being renamed.
        """
        with told("cannot move the ledger's head"):
            self.redo.sync()
            path = self.path / MAIN
            lock = path.with_name(f"{path.name}.lock")
            lock.parent.mkdir(parents=True, exist_ok=True)
            # We hold the workspace lock, so a lock that is there is no living one of
            # ours; a person's git command holds it for an instant, and fails cleanly.
            with suppress(FileNotFoundError):
                os.unlink(lock)
            fresh = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with files.open_state(lock, fresh, files.SMALL) as descriptor:
                files.write_all(descriptor, f"{new}\n".encode("ascii"))
                os.fsync(descriptor)
            if self.head != old:
                os.unlink(lock)
                what = f"the ledger moved from {old[:12]} to {self.head[:12]} meanwhile"
                raise UnavailableError(what, hint="Nothing was written. Try again.")
            os.rename(lock, path)
            sync(path.parent)

    def _tree(self, commit: str) -> pygit2.Tree | None:
        if not commit:
            return None
        with told(f"cannot read object {commit[:12]}"):
            found = self.git[commit]
            return found if isinstance(found, pygit2.Tree) else found.peel(pygit2.Tree)

    def forget(self) -> None:
        """Know no commit any more that was read before."""
        self._raw.cache_clear()

    def _read_raw(self, id_: str) -> RawCommit:
        kind, data = self.git.read(id_)
        if kind != ObjectType.COMMIT:
            raise KeyError(id_)
        fields, _, message = data.partition(b"\n\n")
        tree, *rest = fields.split(b"\n")
        parent = rest[0][7:] if rest and rest[0].startswith(b"parent ") else b""
        return RawCommit(
            id=id_,
            parent=parent.decode("ascii"),
            tree=tree[5:].decode("ascii"),
            message=message.decode("utf-8", "replace"),
            at=_committed(rest),
            sealed=self.seal.holds(data),
        )

    def _commit(self, id_: str) -> pygit2.Commit:
        with told(f"cannot read commit {id_[:12]}"):
            return self.git[id_].peel(pygit2.Commit)

    def _entry(self, commit: str, path: str) -> pygit2.Object | None:
        tree = self._tree(commit)
        if tree is None:
            return None
        try:
            return tree[path]
        except (KeyError, ValueError, pygit2.GitError):
            # Not there, or no path at all.
            return None

    def _write_tree(self, base: pygit2.Tree | None, changes: Nested) -> str:
        """Write a tree and those below it; empty for one that has become empty."""
        builder = self.git.TreeBuilder(base) if base else self.git.TreeBuilder()
        for name, change in changes.items():
            if isinstance(change, dict):
                below = base[name] if base is not None and name in base else None
                written = self._write_tree(_as_tree(below), change)
                _set(builder, name, written, FileMode.TREE)
            else:
                _set(builder, name, change, FileMode.BLOB)
        if not len(builder):
            return ""
        return self._noted(ObjectType.TREE, builder.write())


def _opened(git_dir: Path) -> pygit2.Repository:
    """Open the repository with its own configuration alone."""
    with _OPENING:
        levels = (ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL)
        paths = [pygit2.settings.search_path[level] for level in levels]
        try:
            for level in levels:
                pygit2.settings.search_path[level] = ""
            return pygit2.Repository(str(git_dir))
        except pygit2.GitError:
            # The folder may be another user's, whom their own settings trust.
            pass
        finally:
            for level, path in zip(levels, paths, strict=True):
                pygit2.settings.search_path[level] = path
    return pygit2.Repository(str(git_dir))


def _committed(fields: list[bytes]) -> datetime:
    """When a commit was made; the first of all moments if it does not say so."""
    line = next((each for each in fields if each.startswith(b"committer ")), b"")
    try:
        seconds = int(line.rsplit(b" ", 2)[1])
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, IndexError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _set(builder: TreeBuilder, name: str, id_: str | None, mode: FileMode) -> None:
    if id_:
        builder.insert(name, id_, mode)
    elif builder.get(name) is not None:
        builder.remove(name)


def _as_tree(entry: pygit2.Object | None) -> pygit2.Tree | None:
    return entry if isinstance(entry, pygit2.Tree) else None


def _blob_id(entry: pygit2.Object | None) -> str:
    """The content id of a file; empty for anything else, as a person's link."""
    if entry is None or entry.type != ObjectType.BLOB:
        return ""
    return "" if entry.filemode == FileMode.LINK else str(entry.id)


def _file_id(file: pygit2.DiffFile) -> str:
    plain = file.mode in {FileMode.BLOB, FileMode.BLOB_EXECUTABLE}
    return str(file.id) if plain else ""
