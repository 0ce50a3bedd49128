"""Erase for good, from history too (spec, section 2).

History is written again from the first commit that knew the text. The new
history is packed and synced, becomes the true one in a single step, and only
then is everything else in the object store dropped. A sealed flag makes a killed
erasure finish its dropping at the next start; it names two commits.
"""

from __future__ import annotations

import hmac
import os
import re
import shutil
from itertools import chain
from typing import TYPE_CHECKING

import pygit2
from msgspec import Struct

from reverie.errors import RefusedError
from reverie.ledger.audit_log import ACCEPTED, render_message
from reverie.ledger.packs import sync_packs
from reverie.ledger.repository import MAIN, RESCUE, told
from reverie.model.views import ErasureReceipt
from reverie.workspace.files import SMALL, read_state, write_replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from pathlib import Path

    from reverie.ledger import Commit
    from reverie.ledger.repository import Repository
    from reverie.model.change import ChangeSet

ERASED = "[erased]"
FLAG = "erasing"
LONG = 12
"""From so many bytes on, what is searched for is found in any case of letters."""

TRACES = (
    *("index", "logs", "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "MERGE_MSG"),
    *("SQUASH_MSG", "AUTO_MERGE", "lost-found", "index.lock"),
)
"""Where git itself may remember old commits or file names; all can be made anew."""

_ACCEPTED = re.compile(f"{ACCEPTED}([0-9a-f]{{40}})$", re.MULTILINE)


class Scrubbed(Struct, frozen=True):
    """A file without what is erased, and what was taken out of it.

    Attributes:
        content: What is left; None drops the file.
        taken: What was taken out; empty if nothing was.
    """

    content: bytes | None
    taken: bytes


class Scrub(Struct, frozen=True):
    """How to take something out of everything that was ever written.

    Attributes:
        file: Given a path and its bytes, the file without it.
        message: Given a commit message and the paths at which that commit changed
            what is erased, the message without it.
        path: Given a path, the one that the file has from now on, and always had.
    """

    file: Callable[[str, bytes], Scrubbed]
    message: Callable[[str, tuple[str, ...]], str]
    path: Callable[[str], str] = str


def erase(
    repository: Repository,
    scrub: Scrub,
    record: ChangeSet,
    at: datetime,
    progress: Callable[[int, int], None],
    replace: Callable[[str, str], None],
    workspace_id: str = "",
) -> ErasureReceipt:
    """Erase something; what must not be told of it is in nothing that is returned.

    Args:
        repository: Whose history; nobody else writes to it.
        scrub: How to take it out.
        record: Says that something was erased.
        at: When that is.
        progress: Told how far it is, and of how much.
        replace: Makes one history the true one in the place of another.
        workspace_id: New ID for the workspace; without one, it keeps its own.
    """
    old = repository.head
    clean = rewrite(repository, old, scrub, progress, workspace_id)
    signed = (record.actor, record.approval, record.trigger)
    message = render_message(record.told, *signed, critical=False)
    tree = str(repository.git[clean].peel(pygit2.Tree).id)
    new = repository.write_commit(tree, clean, message, str(record.actor), at)
    begin(repository, old, new)
    replace(old, new)
    dropped = finish(repository)
    repository.refresh_index()
    remotes = tuple(f"{each.name} {each.url}" for each in repository.git.remotes)
    return ErasureReceipt(new, repository.count(new), dropped, (), remotes)


def require_single_ref(repository: Repository) -> None:
    """Refuse to erase while a branch, tag or stash of the human's is there."""
    names = list(repository.git.references)
    others = [n for n in names if n != MAIN and not n.startswith(f"{RESCUE}/")]
    if others:
        what = f"the ledger has other refs that keep old history: {', '.join(others)}"
        hint = "Delete them with `git branch -D`, `git tag -d` or `git stash clear`."
        raise RefusedError(what, hint=f"{hint[:-1]}, then erase again.")
    for name in {*names} - {MAIN}:
        repository.git.references.delete(name)


def rewrite(
    repository: Repository,
    head: str,
    scrub: Scrub,
    progress: Callable[[int, int], None],
    workspace_id: str = "",
) -> str:
    """Write history again without something; returns the new newest commit."""
    commits = repository.between("", head)
    rewriter = _Rewriter(repository, scrub, workspace_id)
    parent = ""
    for number, commit in enumerate(commits, 1):
        parent = rewriter.became[commit.id] = rewriter.rewrite(commit, parent)
        progress(number, len(commits))
    return parent


class _Rewriter:
    """Replays commits one by one on a scrubbed parent."""

    def __init__(self, repository: Repository, scrub: Scrub, workspace_id: str) -> None:
        self._repository = repository
        self._scrub = scrub
        self._new_id = workspace_id
        self._id = workspace_id or repository.workspace_id(repository.head)
        self._known: dict[tuple[str, str], tuple[str, bytes]] = {}
        self._scrubbed: set[str] = set()
        self.became: dict[str, str] = {}

    def rewrite(self, commit: Commit, parent: str) -> str:
        """Write a commit again; what was sealed is sealed anew, and nothing else."""
        changed = self._repository.diff(commit.parent, commit.id)
        blobs: dict[str, str] = {}
        touched, differs = list[str](), bool(self._scrubbed)
        for path, (old, new) in changed.items():
            left, taken = self._clean(path, new)
            place = self._scrub.path(path)
            blobs[place] = left or blobs.get(place, "")
            if taken != self._clean(path, old)[1]:
                touched.append(path)
            moved = bool(new) and place != path
            (self._scrubbed.add if taken or moved else self._scrubbed.discard)(path)
            differs |= bool(old) and place != path
        message = self._scrub.message(commit.message, tuple(touched))
        if commit.sealed:
            # What its human accepted, by the name it has now.
            became = self.became
            message = _ACCEPTED.sub(
                lambda found: f"{ACCEPTED}{became.get(found[1], found[1])}", message
            )
        kept = self._repository.git[commit.id].peel(pygit2.Commit)
        differs |= bool(self._scrubbed or touched)
        same = parent == commit.parent and not differs and message == commit.message
        same &= bool(parent) or not self._new_id
        # A second parent would keep alive what was only ever on its side.
        if same and len(kept.parent_ids) < 2:
            return commit.id
        write = self._repository.write_tree
        tree = write(parent, blobs) if differs else str(kept.tree_id)
        author, sealed = str(kept.author.name), commit.sealed
        return self._repository.write_commit(
            *(tree, parent, message, author, commit.at),
            seal=sealed,
            workspace_id="" if parent else self._id,
        )

    def _clean(self, path: str, blob: str) -> tuple[str, bytes]:
        """A file's content id without what is erased, and what was taken out."""
        if blob and (path, blob) not in self._known:
            done = self._scrub.file(path, self._repository.content(blob) or b"")
            left = blob
            if done.taken:
                write, content = self._repository.write_blob, done.content
                left = "" if content is None else write(content)
            self._known[path, blob] = (left, done.taken)
        return self._known[path, blob] if blob else ("", b"")


def begin(repository: Repository, old: str, new: str) -> None:
    """Note, durably, that old objects will have to be dropped.

    Args:
        repository: Whose objects.
        old: The newest commit of the history that is given up.
        new: The newest commit of the one that takes its place.
    """
    flag = _flagged(repository, f"{old} {new}")
    write_replacing(repository.path / FLAG, flag, sync=True)


def pending(repository: Repository) -> tuple[str, str] | None:
    """The old and the new newest commit of an erasure that was begun, not finished.

    Anybody can put a file there: one that we did not seal, or that is about other
    commits, is none of ours and goes.
    """
    said = read_state(repository.path / FLAG, SMALL)
    if said is None:
        return None
    heads, _, _ = said.decode("ascii", "replace").partition("\n")
    old, _, new = heads.partition(" ")
    good = hmac.compare_digest(said, _flagged(repository, heads))
    if good and repository.head in {old, new}:
        return old, new
    (repository.path / FLAG).unlink(missing_ok=True)
    return None


def _flagged(repository: Repository, heads: str) -> bytes:
    mark = repository.seal.mark(b"erasing", heads.encode())
    return f"{heads}\n{mark.hex()}\n".encode()


def finish(repository: Repository) -> int:
    """Drop every object that the true history does not need; returns how many files."""
    dropped = drop_all_but(repository, pack_history(repository))
    repository.forget()
    repository.redo.drop()
    for path in (repository.path / name for name in TRACES):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    (repository.path / FLAG).unlink(missing_ok=True)
    return dropped


def pack_history(repository: Repository) -> frozenset[str]:
    """Write one pack with all that history needs; returns the names of its files."""
    folder = repository.objects / "pack"
    folder.mkdir(exist_ok=True)
    with told("cannot pack the ledger's objects"):
        builder = pygit2.PackBuilder(repository.git)
        for commit in repository.walk(repository.head):
            builder.add_recur(pygit2.Oid(hex=commit.id))
        # Apart from the others, so that there is no doubt which one it is.
        apart = repository.objects / "new-pack"
        shutil.rmtree(apart, ignore_errors=True)
        apart.mkdir()
        builder.write(str(apart))
        names = frozenset(file.name for file in apart.iterdir())
        for name in sorted(names, reverse=True):  # the index after what it is of
            os.replace(apart / name, folder / name)
        apart.rmdir()
        sync_packs(repository.objects)
    return names


def drop_all_but(repository: Repository, pack: frozenset[str]) -> int:
    """Remove every other file of the object store; returns how many.

    That is loose objects, packs, what a killed writer left, and what git derived.
    """
    every = [file for file in repository.objects.rglob("*") if file.is_file()]
    doomed = [file for file in every if file.name not in pack]
    for file in doomed:
        file.chmod(0o600)
        file.unlink()
    return len(doomed)


def find_bytes(
    roots: Iterable[Path], repository: Repository, needles: Iterable[bytes]
) -> list[str]:
    """Where some bytes can still be found: any file, any git object.

    Files are read raw, so free pages of a database count; git objects are
    unpacked, reachable or not. What is long is found in any case of letters; short
    words would be found in the language of databases.
    """
    given = [needle for needle in needles if needle]
    short = [needle for needle in given if len(needle) < LONG]
    wanted = short, [needle.lower() for needle in given if len(needle) >= LONG]
    store = pygit2.Odb(str(repository.objects))
    objects = ((name, store.read(name)[1]) for name in store)
    found = [
        f"git object {str(name)[:12]}" for name, data in objects if _holds(data, wanted)
    ]
    for base, _, names in chain.from_iterable(map(os.walk, roots)):
        for path in (os.path.join(base, name) for name in names):
            if not os.path.islink(path) and os.path.isfile(path):
                with open(path, "rb") as file:
                    data = file.read() + b"\0" + os.fsencode(os.path.basename(path))
                found += [path] if _holds(data, wanted) else []
    return found


def _holds(data: bytes, wanted: tuple[list[bytes], list[bytes]]) -> bool:
    short, folded = wanted
    lower = data.lower() if folded else b""
    return any(n in data for n in short) or any(n in lower for n in folded)
