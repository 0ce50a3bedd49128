"""Found a workspace: its folder, the git directory `.audit`, the first commit."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import RepositoryInitFlag

from reverie.errors import RefusedError
from reverie.ledger.repository import keep_ours, told
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
from reverie.workspace import files
from reverie.workspace.files import look
from reverie.workspace.layout import GIT_DIR, STATE_DIR, exclude_rules

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reverie.workspace.files import Folder

MOST_LINES = 1_000
"""A first commit of more files is told by folders."""


def create_repository(git_dir: Path) -> None:
    """Make an empty ledger beside the files it will keep."""
    with told("cannot create the ledger"):
        # Made bare, or it would put a `.git` beside, over one that is there.
        bare = RepositoryInitFlag.MKDIR | RepositoryInitFlag.BARE
        flags = RepositoryInitFlag.NO_DOTGIT_DIR | bare
        pygit2.init_repository(str(git_dir), flags=flags, initial_head="main")
        keep_ours(git_dir)
    info = git_dir / "info"
    info.mkdir(exist_ok=True)
    (info / "exclude").write_text(exclude_rules(), encoding="utf-8")
    # Bytes are bytes: no filter, no line ending is to be changed by git.
    (info / "attributes").write_text("* -text -filter -ident\n", encoding="utf-8")
    # An outer repository of the user's must not pick up our objects.
    (git_dir / ".gitignore").write_text("*\n", encoding="utf-8")


def prepare(root: Path) -> None:
    """Make the folder and the ledger's git directory; does nothing twice."""
    if root.exists() and not root.is_dir():
        what = f"{root} is not a folder"
        hint = "Give the folder your agent lives in, or a new name."
        raise RefusedError(what, hint=hint)
    try:
        root.mkdir(parents=True, exist_ok=True)
        git_dir, state = root / GIT_DIR, root / STATE_DIR
        # Nothing of ours may be a link: writing to it would write elsewhere.
        for path in (git_dir, state, root / ".git"):
            if path.is_symlink():
                raise files.NotAPlainFileError(path.name, "a link")
        made = (git_dir / "HEAD").exists() and (git_dir / "info/attributes").exists()
        if not made:
            create_repository(git_dir)
        git_dir.chmod(0o700)
        state.mkdir(mode=0o700, exist_ok=True)
        files.write_replacing(state / ".gitignore", b"*\n")
        here = root.resolve()
        if not any((folder / ".git").exists() for folder in (here, *here.parents)):
            # Plain `git log` and `git blame` work in the folder.
            files.write_replacing(root / ".git", f"gitdir: {GIT_DIR}\n".encode())
            # `git clean -fdx` spares a folder that looks like a repository of its own.
            files.write_replacing(git_dir / ".git", b"gitdir: .\n")
    except OSError as error:
        what = f"cannot make {root} a workspace"
        raise files.DiskError(what, error) from error


def plan_first(
    folder: Folder, starting: Mapping[str, str], *, file_limit: int
) -> ChangeSet:
    """Plan the first commit: what is there as it is, what is missing added."""
    found = {
        path: folder.read(path) or b""
        for path in look(folder.root, file_limit=file_limit).files
    }
    edits = [
        Edit(path, text.encode(), ABSENT, Action.CREATE, "new workspace")
        for path, text in starting.items()
        if path not in found
    ]
    edits += [
        Edit(path, data, checksum(data), Action.CREATE, "adopted as it was")
        for path, data in sorted(found.items())
    ]
    lines: tuple[LogLine, ...] = ()
    if len(edits) > MOST_LINES:
        # A line per folder: history is for people, who do not read 100,000 lines.
        folders = Counter(edit.path.rpartition("/")[0] for edit in edits)
        lines = tuple(
            LogLine(Action.CREATE, f"{folder}/*" if folder else "*", f"{count} files")
            for folder, count in sorted(folders.items())
        )
    return ChangeSet(tuple(edits), INIT, Approval.AUTO, "reverie init", lines)
