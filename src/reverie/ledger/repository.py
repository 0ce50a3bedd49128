"""Git objects in `.audit`, read and written without git's index.

A commit costs what its own paths cost: only the trees between the root and the
touched files are written anew. Everything is durable before the ref moves.

That is a redo log's doing. A commit is some eight objects, each a file; syncing each
costs more than all the rest of a write. So they are written without, and their bytes
go together into one log that is synced before the ref moves. After a power cut the
objects may come back empty; they are then written again from the log. When the log is
long, or a session ends, the objects are synced in their own right and it is emptied.

libgit2 obeys `.audit/config`: it would read a file that `include.path` names, or keep
the work files elsewhere. So the sections that steer it hold our own keys and nothing
else. What a person sets there for their own git commands (a name, a remote, a branch)
is theirs, acts on nothing of ours, and stays.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections import deque
from collections.abc import Collection
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import ConfigLevel, FileMode, ObjectType, SortMode

from reverie.authority.keyring import UNSEALED
from reverie.errors import UnavailableError
from reverie.ledger import Commit
from reverie.workspace import files
from reverie.workspace.layout import GIT_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pygit2._pygit2 import TreeBuilder

    from reverie.authority.keyring import Seal

MAIN = "refs/heads/main"
RESCUE = "refs/rescue"
"""Where histories are kept that a person's git command left behind."""

EMAIL = "reverie@localhost"

ID_HEADER = b"reverie-workspace "
"""Header of the first commit, before the workspace ID."""

ID_DIGITS = 32
"""Hexadecimal digits of a workspace ID."""

_ID_HEADER = re.compile(rb"^" + ID_HEADER + rb"([0-9a-f]{32})$", re.MULTILINE)

MOST_KNOWN = 16_384
"""So many commits are kept as they were read; they never change."""

MANY_LOOSE = 6_000
"""Loose objects worth packing; git's own figure is about the same."""

_COMMITTER = re.compile(rb"^committer .* (\d{1,11}) [^ ]*$", re.MULTILINE)

# By default only small trees are cached. Each lookup of a file parses its folder, so
# without the cache the work is quadratic in the number of files of one folder.
pygit2.settings.cache_object_limit(ObjectType.TREE, 8 << 20)
pygit2.settings.cache_max_size(64 << 20)

_OPENING = threading.Lock()
"""Where git looks for a user's settings is one for the whole process."""


class BrokenLedgerError(UnavailableError):
    """Git could not read or write its objects."""

    says = "{}: {}"
    mend = (
        "Check that the folder is writable and the disk not full, then try "
        "again. If the history is damaged, `reverie check --repair` repairs it."
    )


def read_id(commit: bytes) -> str:
    """Return the workspace ID in the header of a commit; empty without one."""
    fields, _, _ = commit.partition(b"\n\n")
    found = _ID_HEADER.search(fields)
    return found[1].decode("ascii") if found else ""


@contextmanager
def told(what: str) -> Iterator[None]:
    """Turn git's errors into ours."""
    try:
        yield
    except (pygit2.GitError, OSError, KeyError) as error:
        raise BrokenLedgerError(what, error) from error


class FolderNames(Collection[str]):
    """The names of one kind in a folder, looked up without listing them all."""

    def __init__(self, tree: pygit2.Object | None, kind: ObjectType) -> None:
        self._tree = tree if isinstance(tree, pygit2.Tree) else None
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
        self.objects = git_dir / "objects"
        self.seal = seal
        self._raw = lru_cache(MOST_KNOWN)(self._read_raw)
        self._tree = lru_cache(4)(self._read_tree)
        self._counted = "", 0
        with told("cannot open the ledger"):
            files.require_ledger(git_dir)
            self.taken_out = keep_ours(git_dir)
            self.git = _opened(git_dir)
        self.redo = RedoLog(git_dir)

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

    @property
    def on_main(self) -> bool:
        """Whether git's HEAD is the ledger's own branch, as it should be."""
        with suppress(OSError):
            found = files.read_state(self.path / "HEAD", files.SMALL)
            return found == f"ref: {MAIN}\n".encode()
        return False

    @property
    def many_loose(self) -> bool:
        """Whether packing is due, judged by one folder of 256 as git does."""
        sample = self.objects / "17"
        return sample.is_dir() and len(os.listdir(sample)) * 256 > MANY_LOOSE

    def mend(self) -> None:
        """Bring back objects that a power cut took."""
        with told("cannot mend the ledger"):
            self.redo.mend(self.git)

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

    def rescue(self, commit: str) -> str:
        """Keep a commit that no branch holds any more; returns under which name."""
        name = f"{RESCUE}/{commit[:12]}"
        with told("cannot keep an abandoned history"):
            self.git.create_reference_direct(name, commit, force=True)
        return name

    def has(self, commit: str) -> bool:
        """Whether a commit of this id is here."""
        # Whatever is no ID, or whose object is damaged, is not here.
        with suppress(pygit2.GitError, ValueError):
            return bool(commit) and commit in self.git
        return False

    def resolve(self, prefix: str) -> str:
        """The full id of a commit named by the start of its id; empty if none."""
        with suppress(KeyError, ValueError, pygit2.GitError):
            found = self.git.get(prefix)
            if found is not None and found.type == ObjectType.COMMIT:
                return str(found.id)
        return ""

    def commit(self, id_: str) -> Commit:
        """One commit."""
        with told(f"cannot read commit {id_[:12]}"):
            return self._raw(id_)

    def count(self, head: str) -> int:
        """How many commits lead up to one."""
        if not head:
            return 0
        if self._counted[0] != head:
            with told("cannot count history"):
                walker = self.git.walk(head, SortMode.NONE)
                walker.simplify_first_parent()
                self._counted = head, sum(1 for _ in walker)
        return self._counted[1]

    def blame(self, head: str, path: str) -> Iterator[tuple[str, int, int]]:
        """For each run of lines its commit, its first line and their number."""
        with told(f"cannot tell who wrote {path}"):
            for hunk in self.git.blame(path, newest_commit=head):
                first, count = hunk.final_start_line_number, hunk.lines_in_hunk
                yield str(hunk.final_commit_id), first, count

    def walk(self, start: str) -> Iterator[Commit]:
        """The commits from `start` back to the first, newest first."""
        with told("cannot read history"):
            while start:
                commit = self._raw(start)
                yield commit
                start = commit.parent

    def workspace_id(self, head: str) -> str:
        """Return the workspace ID in the first commit of a history.

        A history made before there was a header is known by its first commit.
        """
        with told("cannot read history"):
            walker = self.git.walk(head)
            walker.simplify_first_parent()
            first = deque(walker, maxlen=1)[0]
            found = read_id(self.git.read(first.id)[1])
        return found or str(first.id)[:ID_DIGITS]

    def between(self, old: str, new: str) -> list[Commit]:
        """The commits after `old` up to `new`, oldest first."""
        found = []
        for commit in self.walk(new):
            if commit.id == old:
                break
            found.append(commit)
        return found[::-1]

    def blob_id(self, commit: str, path: str) -> str:
        """The id of a file's content in a commit; empty where it is not."""
        entry = self._entry(commit, path)
        # A person's link is none.
        if not isinstance(entry, pygit2.Blob) or entry.filemode == FileMode.LINK:
            return ""
        return str(entry.id)

    def read(self, commit: str, path: str) -> bytes | None:
        """A file's content in a commit."""
        return self.content(self.blob_id(commit, path))

    def content(self, blob: str) -> bytes | None:
        """The bytes behind a content id; None for the empty id."""
        if not blob:
            return None
        with told(f"cannot read object {blob[:12]}"):
            return self.git[blob].peel(pygit2.Blob).data

    def names(self, commit: str, path: str, kind: ObjectType) -> FolderNames:
        """Names in a folder of a commit: its folders, or its files."""
        return FolderNames(self._entry(commit, path), kind)

    def diff(self, old: str, new: str) -> dict[str, tuple[str, str]]:
        """Files that differ between two commits: content ids before and after."""
        found: dict[str, tuple[str, str]] = {}
        with told("cannot compare commits"):
            a, b = self.tree(old), self.tree(new)
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
        with told("cannot write to the ledger"):
            written = self._write_tree(self.tree(base), changes)
            return written or str(self.git.TreeBuilder().write())

    def _write_tree(self, base: pygit2.Tree | None, changes: Mapping[str, str]) -> str:
        """Write a tree and those below it; empty for one that has become empty."""
        builder = self.git.TreeBuilder(base) if base else self.git.TreeBuilder()
        folders: dict[str, dict[str, str]] = {}
        for path, blob in changes.items():
            folder, below, rest = path.partition("/")
            if below:
                folders.setdefault(folder, {})[rest] = blob
        for name, inside in folders.items():
            there = base[name] if base is not None and name in base else None
            tree = there if isinstance(there, pygit2.Tree) else None
            _set(builder, name, self._write_tree(tree, inside), FileMode.TREE)
        for path, blob in changes.items():
            # A file may have made way for a folder of its name.
            if "/" not in path and (blob or path not in folders):
                _set(builder, path, blob, FileMode.BLOB)
        return self._noted(ObjectType.TREE, builder.write()) if len(builder) else ""

    def write_commit(
        self,
        tree: str,
        parent: str,
        message: str,
        author: str,
        at: datetime,
        *,
        seal: bool = True,
        workspace_id: str = "",
    ) -> str:
        """Write a commit without moving any ref.

        Args:
            tree: The files.
            parent: The commit before; empty for none.
            message: What it says.
            author: Who, as an actor's tag.
            at: When.
            seal: Whether it is sealed; not what was no change of ours.
            workspace_id: ID of the workspace, for its first commit.
        """
        seconds = max(0, int(at.timestamp()))
        signature = pygit2.Signature(author, EMAIL, seconds, 0)
        parents: list[str | pygit2.Oid] = [parent] if parent else []
        with told("cannot write to the ledger"):
            plain = self.git.create_commit_string(
                signature, signature, message, tree, parents
            )
            data = str(plain).encode("utf-8", "surrogateescape")
            if workspace_id:
                fields, end, text = data.partition(b"\n\n")
                header = ID_HEADER + workspace_id.encode("ascii")
                data = b"".join((fields, b"\n", header, end, text))
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
            files.sync(path.parent)

    def refresh_index(self) -> None:
        """Bring git's own index to HEAD, so that plain `git status` is clean."""
        tree = self.tree(self.head)
        if tree is None or (self.path / "index.lock").exists():
            # A person's git command is at work, or was killed; git will tell them.
            return
        with told("cannot refresh git's index"):
            index = self.git.index
            index.read()
            if not len(index):
                index.read_tree(tree)
                index.write()
                return
            behind = {delta.new_file.path for delta in index.diff_to_tree(tree).deltas}
            for path in behind:
                if path in tree:
                    index.add(pygit2.IndexEntry(path, tree[path].id, FileMode.BLOB))
                else:
                    index.remove(path)
            if behind:
                index.write()

    def forget(self) -> None:
        """Know no commit any more that was read before."""
        self._raw.cache_clear()
        self._tree.cache_clear()

    def tree(self, commit: str) -> pygit2.Tree | None:
        """Return all files of a commit; None for the empty ID."""
        return self._tree(commit) if commit else None

    def _read_tree(self, commit: str) -> pygit2.Tree:
        # A commit of very many files has a long message, which git parses each time.
        with told(f"cannot read object {commit[:12]}"):
            return self.git[commit].peel(pygit2.Tree)

    def _entry(self, commit: str, path: str) -> pygit2.Object | None:
        tree = self.tree(commit)
        # Not there, or no path at all.
        with suppress(KeyError, ValueError, pygit2.GitError):
            return tree[path] if tree is not None else None
        return None

    def _read_raw(self, id_: str) -> Commit:
        kind, data = self.git.read(id_)
        if kind != ObjectType.COMMIT:
            raise KeyError(id_)
        fields, _, message = data.partition(b"\n\n")
        _, _, rest = fields.partition(b"\n")
        parent = rest[7:47] if rest.startswith(b"parent ") else b""
        # The first of all moments, if it does not say when it was made.
        when = _COMMITTER.search(rest)
        at = datetime.fromtimestamp(int(when[1]) if when else 0, UTC)
        said = message.decode("utf-8", "replace")
        return Commit(id_, parent.decode("ascii"), said, at, self.seal.holds(data))


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


def _set(builder: TreeBuilder, name: str, id_: str, mode: FileMode) -> None:
    if id_:
        builder.insert(name, id_, mode)
    elif builder.get(name) is not None:
        builder.remove(name)


def _file_id(file: pygit2.DiffFile) -> str:
    plain = file.mode in {FileMode.BLOB, FileMode.BLOB_EXECUTABLE}
    return str(file.id) if plain else ""


# --- its settings ----------------------------------------------------------------

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
_REQUIRED = {"core.bare", "core.worktree", "core.repositoryformatversion"}
_HARMLESS = frozenset(
    {
        *("user", "author", "committer", "remote", "branch", "url", "push", "pull"),
        *("fetch", "color", "column", "log", "blame", "status", "rebase", "merge"),
        *("commit", "tag", "help", "advice", "init", "format", "grep", "rerere"),
    }
)
_HEADER = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]')
_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")


def keep_ours(git_dir: Path) -> tuple[str, ...]:
    """Take out of `config` what would steer the ledger; returns that, in words."""
    path = git_dir / "config"
    text = (files.read_state(path, files.SMALL) or b"").decode("utf-8", "replace")
    ours: dict[str, str] = {}
    theirs: dict[str, list[str]] = {}
    doomed: list[str] = []
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
            value = value.strip().strip('"').lower()
            if value in _OURS.get(key, ()):
                ours[key] = value
            elif (key or goes_on) and section.partition(".")[0] in _HARMLESS:
                theirs.setdefault(header, []).append(f"\t{rest}")
            else:
                doomed.append(
                    f"{GIT_DIR}/config:{number}: {key or rest[:60]!r} would have "
                    "steered the ledger, and was taken out"
                )
        goes_on = rest.endswith("\\")
    if doomed or _REQUIRED - ours.keys():
        lines: dict[str, list[str]] = {"[core]": [], "[gc]": []}
        for key, choices in _OURS.items():
            group, _, name = key.partition(".")
            if value := ours.get(key, "" if choices is _BOOLEAN else choices[0]):
                lines[f"[{group}]"].append(f"\t{name} = {value}")
        told = ("\n".join((name, *below)) for name, below in (lines | theirs).items())
        files.write_replacing(path, "\n".join((*told, "")).encode())
    return tuple(doomed)


# --- the redo log ----------------------------------------------------------------

LONG = 16 << 20
"""Bytes from which on the redo log is emptied in between."""

_RECORD = re.compile(rb"([1-4]) ([0-9a-f]{40}) ([0-9]{1,12})")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class RedoLog:
    """The log of one ledger: `redo` in its git directory."""

    def __init__(self, git_dir: Path) -> None:
        self._path = git_dir / "redo"
        self._objects = git_dir / "objects"
        self._waiting: list[tuple[int, str, bytes]] = []
        self._mended = False

    def add(self, kind: int, id_: str, data: bytes) -> None:
        """Note an object that was written without being synced."""
        self._waiting.append((kind, id_, data))

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
            files.sync(self._path.parent)
        self._waiting.clear()
        if size > LONG:
            self.settle()

    def settle(self) -> None:
        """Sync the objects themselves, and empty the log."""
        folders = set()
        for file in (self._file(id_) for _, id_, _ in self._read()):
            with suppress(FileNotFoundError):
                files.sync(file)
                folders |= {file.parent, self._objects}
        files.sync(*folders)
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

    def mend(self, git: pygit2.Repository) -> None:
        """After a power cut, write lost objects again.

        As long as the machine has been up since the log was begun, no object can
        have been lost, and nothing is done. No process outlives a power cut, so
        one look per process is enough.
        """
        mended, self._mended = self._mended, True
        if mended or not self.suspect:
            return
        for kind, id_, data in self._read():
            with suppress(KeyError, ValueError, pygit2.GitError):
                if git.read(id_) == (kind, data):
                    continue
            with suppress(FileNotFoundError):
                os.unlink(self._file(id_))
            git.write(kind, data)
        self.settle()

    def _file(self, id_: str) -> Path:
        return self._objects / id_[:2] / id_[2:]

    def _read(self) -> Iterator[tuple[int, str, bytes]]:
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
            yield kind, id_, content
            at += len(content)


def _boot() -> bytes:
    """The first line of the log: which boot of the machine it belongs to."""
    try:
        return _BOOT_ID.read_bytes()
    except OSError:
        return b"unknown\n"
