"""Roll changes back (design, 12.8).

Going back is going forward: the result is the content for a new REVERT change,
so nothing that was ever acknowledged leaves history.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.errors import ConflictError, NotFoundError
from reverie.ledger.three_way_merge import merge
from reverie.workspace.layout import ENTITIES, EPISODES, IDENTITY, PROCEDURES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from reverie.ledger.repository import Repository

    Resolve = Callable[[str, bytes | None, bytes | None, bytes | None], bytes | None]

Contents = dict[str, bytes | None]

_DATES = re.compile(rb"(?m)^<!--[^\n]*\bLast [a-z]+:[^\n]*-->[ \t]*$")
_ITEM = re.compile(rb"(?m)^(?:[-*+]|[0-9]+[.)])[ \t][^\n]*\n")


class EntangledError(ConflictError):
    """Later changes touched the same lines."""

    def __init__(self, commit: str, path: str, later: Sequence[str]) -> None:
        names = ", ".join(c[:10] for c in later[:5]) or "later ones"
        super().__init__(
            f"commit {commit[:10]} cannot be taken back alone: later changes to "
            f"{path} touch the same lines",
            hint=f"Take back {names} first, or use `reverie undo --to` or "
            f"`reverie undo --file {path}` to go back to an earlier text.",
        )


class NoSuchMomentError(NotFoundError):
    """The ledger did not exist yet at that time."""

    def __init__(self, moment: datetime) -> None:
        super().__init__(
            f"there was nothing yet at {moment:%Y-%m-%d %H:%M}Z",
            hint="`reverie history` shows when the workspace began.",
        )


def commit_at(repository: Repository, head: str, moment: datetime) -> str:
    """The newest commit that was there at a moment."""
    for commit in repository.walk(head):
        if commit.at <= moment:
            return commit.id
    raise NoSuchMomentError(moment)


def contents_at(
    repository: Repository, head: str, target: str, keep: Collection[str] = ()
) -> Contents:
    """What to write so that the workspace is as it was at `target`."""
    return {
        path: repository.content(ids[1])
        for path, ids in repository.diff(head, target).items()
        if path not in keep
    }


def contents_without(
    repository: Repository,
    head: str,
    commits: Iterable[str],
    moved: Mapping[str, str],
    skip: Collection[str] = (),
    resolve: Resolve = lambda _path, _before, _after, _now: None,
) -> Contents:
    """What to write so that some commits, newest first, never happened.

    Args:
        repository: Where the commits are.
        head: The state to change.
        commits: What to take back.
        moved: Where files are now that stood elsewhere then.
        skip: Derived files, which are made anew and not merged.
        resolve: Asked for a file that was changed again since, with what it held
            before and after the commit and holds now; None to go by its lines.
    """
    state: Contents = {}
    for commit in commits:
        parent = repository.commit(commit).parent
        for then, ids in repository.diff(parent, commit).items():
            path = moved.get(then, then)
            if path in skip:
                continue
            now = state[path] if path in state else repository.read(head, path)
            before, after = (repository.content(blob) for blob in ids)
            if now in (before, after):
                state[path] = before
                continue
            told = resolve(path, before, after, now)
            told = _without(path, before, after, now) if told is None else told
            if told is None:
                later = _later(repository, commit, path)
                raise EntangledError(commit, path, later)
            state[path] = told
    return state


def _without(
    path: str, before: bytes | None, after: bytes | None, now: bytes | None
) -> bytes | None:
    """What a file holds now, without what a commit did to it; None if none can tell."""
    if after is None or now is None:
        return None
    bare = _bare(path, after) if before is None else before
    if bare is None:
        return None
    merged = merge(_with_header(after, now), now, _with_header(bare, now))
    return None if merged.conflicts else merged.content


def _bare(path: str, first: bytes) -> bytes | None:
    """What is left of a file that a commit made, and others wrote to afterwards."""
    if path.startswith(f"{EPISODES}/"):
        return first.partition(b"\n## ")[0].rstrip(b"\n") + b"\n"
    if path.startswith((f"{ENTITIES}/", f"{PROCEDURES}/")) or path == IDENTITY:
        return _ITEM.sub(b"", first)
    return None


def _with_header(text: bytes, now: bytes) -> bytes:
    """A page with the dates of another: they change with every change."""
    found = _DATES.search(now)
    return _DATES.sub(lambda _: found[0], text, count=1) if found else text


def _later(repository: Repository, commit: str, path: str) -> list[str]:
    """Commits after `commit` that touched a file, newest first."""
    return [
        raw.id
        for raw in reversed(repository.between(commit, repository.head))
        if repository.blob_id(raw.parent, path) != repository.blob_id(raw.id, path)
    ]
