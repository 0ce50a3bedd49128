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
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    "core.fsync": ("all",),
    "core.autocrlf": ("false",),
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
_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the file.

    Attributes:
        line: Where it begins.
        section: The name of its section, in small letters.
        header: The section's heading as it stands there.
        key: Section and key, in small letters; empty for what is no setting.
        value: What it is set to, without quotes and comment.
        text: The line, or lines, as they stand there.
    """

    line: int
    section: str
    header: str
    key: str
    value: str
    text: str

    @property
    def ours(self) -> bool:
        """Whether we wrote it."""
        return self.value.lower() in _OURS.get(self.key, ())

    @property
    def harmless(self) -> bool:
        """Whether it is a person's own, and steers nothing of ours."""
        return bool(self.key) and self.section in _HARMLESS


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
    section, header = "", ""
    for number, whole in _lines(text):
        rest = whole.strip()
        while match := _HEADER.match(rest):
            section, header = match[1].lower(), match[0]
            rest = rest[match.end() :].strip()
        if not rest or rest[0] in "#;":
            continue
        entry = _ENTRY.match(rest)
        top = section.partition(".")[0]
        if not entry or not section:
            yield Setting(number, top, header, "", "", rest)
            continue
        middle = re.search(r'"(.*)"', header)
        names = [section, *([middle[1]] if middle else []), entry[1].lower()]
        value = re.sub(r"\s*[#;].*", "", entry[2] or "true").strip().strip('"')
        yield Setting(number, top, header, ".".join(names), value, rest)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Whole lines with their numbers; a backslash at the end goes on in the next."""
    begun, first = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        begun, first = (f"{begun}\n{line}", first) if begun else (line, number)
        if len(line) - len(line.rstrip("\\")) & 1:
            continue
        yield first, begun
        begun = ""
    if begun:
        yield first, begun


def _rendered(found: list[Setting]) -> str:
    """The file as we write it, with what a person may have set beside."""
    values = {each.key: each.value for each in found if each.ours}
    lines: list[str] = []
    for section in ("core", "gc"):
        lines.append(f"[{section}]")
        for key, choices in _OURS.items():
            value = values.get(key, "" if choices is _BOOLEAN else choices[0])
            if key.startswith(f"{section}.") and value:
                lines.append(f"\t{key.partition('.')[2]} = {value}")
    header = ""
    for each in found:
        if not each.harmless:
            continue
        if each.header != header:
            header = each.header
            lines.append(header)
        lines.append(f"\t{each.text}")
    return "\n".join(lines) + "\n"


MOST_LINES = 1_000
"""A first commit of more files is told by folders."""


class NotAFolderError(RefusedError):
    """A workspace was to be made where something else is."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is not a folder",
            hint="Give the folder your agent lives in, or a new name.",
        )


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
        repository = pygit2.init_repository(
            str(git_dir),
            flags=RepositoryInitFlag.NO_DOTGIT_DIR
            | RepositoryInitFlag.MKDIR
            | RepositoryInitFlag.BARE,
            initial_head="main",
        )
        config = repository.config
        config["core.bare"] = False
        config["core.worktree"] = ".."
        config["core.logAllRefUpdates"] = False
        config["gc.auto"] = 0
        # For people who commit with plain git: as durable as we are.
        config["core.fsync"] = "all"
        config["core.autocrlf"] = False
        # Whether a person's file may be executed is not ours to record.
        config["core.filemode"] = False
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
        raise NotAFolderError(root)
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
