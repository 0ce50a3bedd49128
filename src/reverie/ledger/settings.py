"""`.audit/config`: what we wrote into it acts, what steers git otherwise is taken out.

libgit2 obeys this file: it would read a file that `include.path` names, or keep the
work files elsewhere. So the sections that steer it hold our own keys and nothing
else. What a person sets there for their own git commands (a name, a remote, a
branch) is theirs, acts on nothing of ours, and stays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.model.items import Finding, Severity
from reverie.workspace.files import write_replacing
from reverie.workspace.layout import GIT_DIR
from reverie.workspace.state_files import SMALL, read_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
