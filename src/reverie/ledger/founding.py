"""Making a folder a workspace, or adopting one that an agent already lives in."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.ledger.repository import Repository
from reverie.model.change import (
    ABSENT,
    INIT,
    Action,
    Approval,
    ChangeSet,
    Edit,
    LogLine,
    checksum,
)
from reverie.workspace.files import DiskError, NotAPlainFileError, write_replacing
from reverie.workspace.layout import FOLDERS, GIT_DIR, STATE_DIR
from reverie.workspace.scan import look

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reverie.workspace.files import Folder


MOST_LINES = 1_000
"""A first commit of more files is told by folders."""


class NotAFolderError(RefusedError):
    """A workspace was to be made where something else is."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is not a folder",
            hint="Give the folder your agent lives in, or a new name.",
        )


def prepare(root: Path) -> None:
    """Make the folder and the ledger's git directory; does nothing twice."""
    if root.exists() and not root.is_dir():
        raise NotAFolderError(root)
    try:
        _prepare(root)
    except OSError as error:
        what = f"cannot make {root} a workspace"
        raise DiskError(what, error) from error


def _prepare(root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    git_dir = root / GIT_DIR
    _refuse_links(root)
    if not (git_dir / "HEAD").exists() or not (git_dir / "info/attributes").exists():
        Repository.create(git_dir)
    git_dir.chmod(0o700)
    state = root / STATE_DIR
    state.mkdir(mode=0o700, exist_ok=True)
    write_replacing(state / ".gitignore", b"*\n")
    if not _inside_repository(root):
        # Plain `git log` and `git blame` work in the folder.
        write_replacing(root / ".git", f"gitdir: {GIT_DIR}\n".encode())
        # `git clean -fdx` spares a folder that looks like a repository of its own.
        write_replacing(git_dir / ".git", b"gitdir: .\n")


def _refuse_links(root: Path) -> None:
    """Nothing of ours may be a link: writing to it would write elsewhere."""
    for name in (GIT_DIR, STATE_DIR, ".git"):
        if (root / name).is_symlink():
            raise NotAPlainFileError(name, "a link")


def _inside_repository(root: Path) -> bool:
    here = root.resolve()
    return any((folder / ".git").exists() for folder in (here, *here.parents))


def plan_first(
    folder: Folder, starting: Mapping[str, str], *, file_limit: int
) -> ChangeSet:
    """Plan the first commit: what is there as it is, what is missing added."""
    for name in FOLDERS:
        folder.make_folder(name)
    found = {
        path: folder.read(path) or b""
        for path in look(folder.root, file_limit=file_limit).files
    }
    adopted = [
        Edit(path, data, checksum(data), Action.CREATE, "adopted as it was")
        for path, data in sorted(found.items())
    ]
    added = [
        Edit(path, text.encode(), ABSENT, Action.CREATE, "new workspace")
        for path, text in starting.items()
        if path not in found
    ]
    edits = (*added, *adopted)
    told = _told_by_folder(edits) if len(edits) > MOST_LINES else ()
    return ChangeSet(edits, INIT, Approval.AUTO, "reverie init", told)


def _told_by_folder(edits: tuple[Edit, ...]) -> tuple[LogLine, ...]:
    """A line per folder: history is for people, who do not read 100,000 lines."""
    folders = Counter(edit.path.rpartition("/")[0] for edit in edits)
    return tuple(
        LogLine(Action.CREATE, f"{folder}/*" if folder else "*", f"{count} files")
        for folder, count in sorted(folders.items())
    )
