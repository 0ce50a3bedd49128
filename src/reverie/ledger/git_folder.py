"""The ledger's git folder `.audit`: made, and its configuration kept ours.

libgit2 obeys `.audit/config`: it would read a file that `include.path` names, or keep
the work files elsewhere. So the sections that steer it hold our own keys and nothing
else. What a person sets there for their own git commands (a name, a remote, a branch)
is theirs, acts on nothing of ours, and stays.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import pygit2
from pygit2.enums import RepositoryInitFlag

from reverie.errors import RefusedError, UnavailableError
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
from reverie.model.items import Finding, Severity
from reverie.workspace.files import (
    SMALL,
    DiskError,
    NotAPlainFileError,
    read_state,
    write_replacing,
)
from reverie.workspace.layout import FOLDERS, GIT_DIR, STATE_DIR, exclude_rules
from reverie.workspace.scan import look

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from reverie.workspace.files import Folder

FILE = "config"
SHOWN = f"{GIT_DIR}/{FILE}"
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
_HARMLESS = frozenset(
    {
        *("user", "author", "committer", "remote", "branch", "url", "push", "pull"),
        *("fetch", "color", "column", "log", "blame", "status", "rebase", "merge"),
        *("commit", "tag", "help", "advice", "init", "format", "grep", "rerere"),
    }
)
_HEADER = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]')
_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")


class Setting(NamedTuple):
    """One line of the file.

    Attributes:
        line: Its number.
        header: The heading of its section as it stands there.
        key: Section and key, in small letters; empty for what is no setting.
        text: The line as it stands there.
        ours: Whether we wrote it.
        harmless: Whether it is a person's own, and steers nothing of ours.
    """

    line: int
    header: str
    key: str
    text: str
    ours: bool
    harmless: bool


def keep_ours(git_dir: Path) -> tuple[str, ...]:
    """Take out of the file what would steer the ledger.

    Returns:
        What was taken out, a line each in words.
    """
    path = git_dir / FILE
    text = (read_state(path, SMALL) or b"").decode("utf-8", "replace")
    found = list(read_settings(text))
    doomed = [each for each in found if not each.ours and not each.harmless]
    missing = _OURS.keys() - {each.key for each in found if each.ours}
    required = {"core.bare", "core.worktree", "core.repositoryformatversion"}
    if doomed or required & missing:
        write_replacing(path, _rendered(found).encode())
    return tuple(
        f"{SHOWN}:{each.line}: {each.key or each.text[:60]!r} would have steered the "
        "ledger, and was taken out"
        for each in doomed
    )


def check_settings(git_dir: Path) -> list[Finding]:
    """What the file holds that we did not write; a person may have their reasons."""
    text = (read_state(git_dir / FILE, SMALL) or b"").decode("utf-8", "replace")
    mend = "It is not ours and acts on nothing of ours. `git config --local --edit`."
    return [
        Finding(SHOWN, each.line, f"has {each.key}", mend, Severity.NOTE)
        for each in read_settings(text)
        if not each.ours
    ]


def read_settings(text: str) -> Iterator[Setting]:
    """The settings in the text of such a file, and what cannot be read as one."""
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
            ours = value.strip().strip('"').lower() in _OURS.get(key, ())
            whole = bool(key) or goes_on
            harmless = whole and section.partition(".")[0] in _HARMLESS
            yield Setting(number, header, key, rest, ours, harmless)
        goes_on = rest.endswith("\\")


def _rendered(found: list[Setting]) -> str:
    """The file as we write it, with what a person may have set beside."""
    kept = {
        each.key: each.text.partition("=")[2].strip() for each in found if each.ours
    }
    lines: list[str] = []
    for section in ("core", "gc"):
        lines.append(f"[{section}]")
        for key, choices in _OURS.items():
            value = kept.get(key, "" if choices is _BOOLEAN else choices[0])
            if key.startswith(f"{section}.") and value:
                lines.append(f"\t{key.partition('.')[2]} = {value}")
    for header, group in groupby((e for e in found if e.harmless), lambda e: e.header):
        lines += [header, *(f"\t{each.text}" for each in group)]
    return "\n".join(lines) + "\n"


MOST_LINES = 1_000
"""A first commit of more files is told by folders."""


class BrokenLedgerError(UnavailableError):
    """Git could not read or write its objects."""

    def __init__(self, what: str, error: Exception) -> None:
        super().__init__(
            f"{what}: {error}",
            hint="Check that the folder is writable and the disk not full, then try "
            "again. `git --git-dir=.audit fsck` tells whether anything is damaged.",
        )


@contextmanager
def told(what: str) -> Iterator[None]:
    """Turn git's errors into ours."""
    try:
        yield
    except (pygit2.GitError, OSError, KeyError) as error:
        raise BrokenLedgerError(what, error) from error


def create_repository(git_dir: Path) -> None:
    """Make an empty ledger beside the files it will keep."""
    with told("cannot create the ledger"):
        # Made bare, or it would put a `.git` beside, over one that is there.
        bare = RepositoryInitFlag.MKDIR | RepositoryInitFlag.BARE
        pygit2.init_repository(
            str(git_dir),
            flags=RepositoryInitFlag.NO_DOTGIT_DIR | bare,
            initial_head="main",
        )
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
                raise NotAPlainFileError(path.name, "a link")
        made = (git_dir / "HEAD").exists() and (git_dir / "info/attributes").exists()
        if not made:
            create_repository(git_dir)
        git_dir.chmod(0o700)
        state.mkdir(mode=0o700, exist_ok=True)
        write_replacing(state / ".gitignore", b"*\n")
        here = root.resolve()
        if not any((folder / ".git").exists() for folder in (here, *here.parents)):
            # Plain `git log` and `git blame` work in the folder.
            write_replacing(root / ".git", f"gitdir: {GIT_DIR}\n".encode())
            # `git clean -fdx` spares a folder that looks like a repository of its own.
            write_replacing(git_dir / ".git", b"gitdir: .\n")
    except OSError as error:
        what = f"cannot make {root} a workspace"
        raise DiskError(what, error) from error


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
    told: tuple[LogLine, ...] = ()
    if len(edits) > MOST_LINES:
        # A line per folder: history is for people, who do not read 100,000 lines.
        folders = Counter(edit.path.rpartition("/")[0] for edit in edits)
        told = tuple(
            LogLine(Action.CREATE, f"{folder}/*" if folder else "*", f"{count} files")
            for folder, count in sorted(folders.items())
        )
    return ChangeSet(edits, INIT, Approval.AUTO, "reverie init", told)
