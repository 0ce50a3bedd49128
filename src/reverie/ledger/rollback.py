"""Taking changes back (design, 12.8).

Going back is going forward: the result is the content for a new REVERT change,
so nothing that was ever acknowledged leaves history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import ConflictError, NotFoundError
from reverie.ledger.merge import merge
from reverie.workspace.layout import EPISODES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from reverie.ledger.repository import Repository

Contents = dict[str, bytes | None]


class EntangledError(ConflictError):
    """Later changes touched the same lines."""

    def __init__(self, commit: str, path: str, later: Sequence[str]) -> None:
        names = ", ".join(c[:10] for c in later[:5]) or "later ones"
        super().__init__(
            f"commit {commit[:10]} cannot be taken back alone: later changes to "
            f"{path} touch the same lines",
            hint=f"Take back {names} first, or use `reverie restore --at` or "
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
) -> Contents:
    """What to write so that some commits, newest first, never happened.

    Args:
        repository: Where the commits are.
        head: The state to change.
        commits: What to take back.
        moved: Where files are now that stood elsewhere then.
        skip: Derived files, which are made anew and not merged.
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
            state[path] = _without(commit, path, (before, after, now), repository)
    return state


def _without(
    commit: str,
    path: str,
    texts: tuple[bytes | None, bytes | None, bytes | None],
    repository: Repository,
) -> bytes | None:
    before, after, now = texts
    if now == after:
        return before
    if now == before:
        return now
    if before is None and after is not None and path.startswith(f"{EPISODES}/"):
        # The first entry of a day made the file; the day's title stays.
        before = after.partition(b"\n## ")[0].rstrip(b"\n") + b"\n"
    if before is None or after is None or now is None:
        raise EntangledError(commit, path, _later(repository, commit, path))
    merged = merge(after, now, before)
    if merged.conflicts:
        raise EntangledError(commit, path, _later(repository, commit, path))
    return merged.content


def _later(repository: Repository, commit: str, path: str) -> list[str]:
    """Commits after `commit` that touched a file, newest first."""
    return [
        raw.id
        for raw in reversed(repository.between(commit, repository.head))
        if repository.blob_id(raw.parent, path) != repository.blob_id(raw.id, path)
    ]
