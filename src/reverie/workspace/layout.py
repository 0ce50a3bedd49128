"""Where things are in a workspace (design, section 3; reflection v2).

A store's folder is flat until it holds `limit` files, so that a write costs the same
at any size. Then its files move into folders (shards) named by one hexadecimal digit
of their name's hash; those split again at an eighth of the limit.
Day logs move into folders by year instead: people look for them by date.
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
import unicodedata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol

from reverie.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Collection

GIT_DIR = ".audit"
STATE_DIR = ".reverie"
CONFIG = "reverie.toml"
CORE = "MEMORY.md"

EPISODES = "memory/episodes"
GRAPH_INDEX = "memory/graph/index.md"
ENTITIES = "memory/graph/entities"
RELATIONS = "memory/graph/relations.md"
PROCEDURES = "memory/procedures"
VAULT = "memory/vault"
NOTEBOOKS = "memory/notebooks"
CONVERSATIONS = "conversations"
TOP = ("memory", CONVERSATIONS)
"""Folders of the workspace whose files the ledger keeps."""
META = "memory/meta"
PENDING = "memory/meta/pending-memories.md"
SCORES = "memory/meta/decay-scores.json"
IDENTITY = "IDENTITY.md"
REFLECTION_LOG = "memory/meta/reflection-log.md"
REFLECTION_ARCHIVE = "memory/meta/reflection-archive.md"
PENDING_REFLECTION = "memory/meta/pending-reflection.md"
REFLECTIONS = "memory/meta/reflections"
DIALOGUES = "memory/meta/reflections/dialogues"
EVOLUTION = "memory/meta/evolution.md"
EVOLUTION_ARCHIVE = "memory/meta/evolution-archive.md"
REWARD_LOG = "memory/meta/reward-log.md"
REWARDS = "memory/meta/rewards"
EXPECTATIONS = "memory/meta/expectations.md"
DISMISSED = "memory/meta/dismissed-conflicts.md"
OWNER = "memory/meta/owner.md"
DEVICES = "memory/meta/devices.md"
AUDIT_LOG = "memory/meta/audit.log"
AUDIT_ARCHIVE = "memory/meta/audit-archive.md"

GENERATED = (SCORES, GRAPH_INDEX)
"""Snapshots that grow with the number of memories; no size limit holds for them."""

ONE_A_FILE = {ENTITIES: "entity", PROCEDURES: "procedure", VAULT: "vault"}
"""Folders in which a file is one memory, and the first word of its id."""

FOLDERS = (
    *(EPISODES, ENTITIES, PROCEDURES, VAULT),
    *(META, REFLECTIONS, DIALOGUES, REWARDS),
)
"""Folders that exist from the start, although git does not keep empty ones."""

FOR_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""Boot files that are made for instructions by whoever has some."""

HIDDEN_BOOT_FILES = (".cursorrules", ".windsurfrules")
"""The only hidden files that are kept: an agent reads them at every start."""

BOOT_FILES = (
    *("SOUL.md", "IDENTITY.md", *FOR_INSTRUCTIONS, "USER.md", "TOOLS.md"),
    *("HEARTBEAT.md", "BOOTSTRAP.md", *HIDDEN_BOOT_FILES),
)
"""What an agent reads at every start, besides core memory; all are critical."""

INSTRUCTIONS_BEGIN = "<!-- reverie:begin -->"
INSTRUCTIONS_END = "<!-- reverie:end -->"
"""Between them stands in a boot file what Reverie tells an agent of itself."""

CONFIG_FILES = (CONFIG, "moltbot.json", "clawdbot.json", "openclaw.json")

PASSING = (
    *("*~", "#*#", ".*", "*.swp", "*.swx", "*.tmp", "*.part", "*.crdownload", "4913"),
)
"""What editors leave lying around for a moment."""

CONFLICT_COPIES = ("*.sync-conflict-*", "*conflicted copy*")
"""What file synchronisers make of two edits; a person has to choose."""


_KEPT = re.compile(
    r"(?:memory|conversations)(?:/(?!4913/)[A-Za-z0-9_][A-Za-z0-9_-]*)+\.md"
)
"""The paths nearly all files have; no rule below leaves one of them out."""


def tracked(path: str) -> bool:
    """Whether the ledger keeps this file: root Markdown, configuration, memories."""
    if path in HIDDEN_BOOT_FILES or (_KEPT.fullmatch(path) and is_safe(path)):
        return True
    parts = PurePosixPath(path).parts
    if not is_safe(path) or path == AUDIT_LOG or any(map(passing, parts)):
        return False
    if conflict_copy(parts[-1]):
        return False
    if len(parts) == 1:
        return path.endswith(".md") or path in CONFIG_FILES
    return parts[0] in TOP


def steers(path: str) -> bool:
    """Whether a file is core memory, a procedure or in the vault."""
    return path == CORE or path.startswith((f"{PROCEDURES}/", f"{VAULT}/"))


def holds_notes(path: str) -> bool:
    """Whether a file is Markdown of a person's or a host's own, outside all stores."""
    own = path in {CORE, GRAPH_INDEX, RELATIONS} or path.startswith(f"{META}/")
    at_root = "/" not in path
    return path.endswith(".md") and not own and (at_root or path.startswith("memory/"))


def passing(name: str) -> bool:
    """Whether a name is an editor's temporary file or a hidden one."""
    return is_private(name) or any(fnmatch.fnmatchcase(name, p) for p in PASSING)


def conflict_copy(name: str) -> bool:
    """Whether a name is a synchroniser's second copy of a file."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in CONFLICT_COPIES)


def exclude_rules() -> str:
    """Git ignore rules that hide from `git status` what `tracked` leaves out."""
    hidden = [
        "# Written by Reverie: what the ledger does not keep.",
        "/*",
        "!/*.md",
        *(f"!/{name}" for name in CONFIG_FILES),
        *(name.replace(" ", "\\ ") for name in CONFLICT_COPIES),
        *(f"!{name}/".replace(" ", "\\ ") for name in CONFLICT_COPIES),
        *(name.replace("#", "\\#", 1) for name in PASSING),
        *(f"!/{name}" for name in HIDDEN_BOOT_FILES),
        "/*/",
        *(f"!/{name}/" for name in TOP),
        f"/{AUDIT_LOG}",
    ]
    return "\n".join(hidden) + "\n"


# --- which names may be touched ----------------------------------------------

NAME_BYTES = 255
PATH_BYTES = 1024
PRIVATE = (".git", ".audit", ".reverie")
"""Folders that belong to git and to Reverie itself."""

_SHORT = re.compile(r"(git|audit|reveri)~.*")
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?")
_ORDINARY = re.compile(
    r"(?:[A-Za-z0-9_][A-Za-z0-9_-]*/)*[A-Za-z0-9_][A-Za-z0-9_-]*\.md"
)
"""The names nearly all files have; nothing about them needs a closer look."""

_ENCODED = re.compile(r"%(2e|2f|5c|00)", re.IGNORECASE)
_DEVICE_PART = re.compile(
    r"(?:^|/)((?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.[^/]*)?)(?:/|$)", re.IGNORECASE
)
_FORBIDDEN = frozenset('\\:*?"<>|')


class UnsafePathError(RefusedError):
    """A path that is not a plain name inside the workspace."""

    says = "{!r} is not a safe path: {}"
    mend = (
        "Give a path inside the workspace, such as memory/vault/passport.md, "
        "without '..', links or special characters."
    )


def safe_path(path: str) -> str:
    """Return `path` if it is a plain path inside the workspace, else refuse it."""
    reason = why_unsafe(path)
    if reason:
        raise UnsafePathError(path, reason)
    return path


def is_safe(path: str) -> bool:
    """Whether `safe_path` would take it."""
    return not why_unsafe(path)


def why_unsafe(path: str) -> str:
    """Why `safe_path` would refuse it; empty if it would not."""
    if _ORDINARY.fullmatch(path) and len(path) < NAME_BYTES:
        found = _DEVICE_PART.search(path)
        return f"{found[1]!r} is a device on Windows" if found else ""
    try:
        length = len(path.encode("utf-8"))
    except UnicodeEncodeError:
        return "it is not valid Unicode"
    checks = {
        "it is empty": not path,
        "it is absolute": path.startswith("/"),
        "it has percent-encoded separators": bool(_ENCODED.search(path)),
        f"it is longer than {PATH_BYTES} bytes": length > PATH_BYTES,
    }
    whole = next((reason for reason, wrong in checks.items() if wrong), "")
    return whole or next(filter(None, map(_name_problem, path.split("/"))), "")


def _name_problem(name: str) -> str:
    folded = alias_key(name)
    # Wide or joined characters may make a step up of a name.
    dots = not {".", ".."}.isdisjoint(re.split(r"[/\\]", folded))
    blank = name != name.strip() or name.endswith(".")
    alias = "is in decomposed Unicode, an alias of another name"
    checks = {
        "it has an empty, '.' or '..' part": name in {"", ".", ".."},
        f"{name!r} can be read as '.' or '..'": dots,
        f'{name!r} has one of \\ : * ? " < > |': bool(_FORBIDDEN & set(name)),
        f"{name!r} ends in a dot or space": blank,
        f"a part is over {NAME_BYTES} bytes": len(name.encode("utf-8")) > NAME_BYTES,
        f"{name!r} has invisible characters": any(map(_invisible, name)),
        f"{name!r} {alias}": unicodedata.normalize("NFC", name) != name,
        f"{name!r} is a device on Windows": bool(_DEVICE.fullmatch(folded)),
        f"{name!r} belongs to git or to Reverie": is_private(name),
    }
    return next((reason for reason, wrong in checks.items() if wrong), "")


def is_private(name: str) -> bool:
    """Whether a name is, or could be taken for, one of the private folders."""
    folded = alias_key(name)
    return folded.startswith(PRIVATE) or bool(_SHORT.match(folded))


def alias_key(path: str) -> str:
    """What two spellings of one file have in common on any file system."""
    if path.isascii() and path.isprintable():
        return path.lower()
    visible = "".join(c for c in path if not _invisible(c))
    return unicodedata.normalize("NFKC", visible).casefold()


def _invisible(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


# --- shards of a full folder -------------------------------------------------


BELOW = 8
"""A folder of a split store is full at this part of the limit,"""

FEWEST = 16
"""but never with fewer files than this."""

_DIGITS = "0123456789abcdef"
_YEAR = re.compile(r"\d{4}")


class Listing(Protocol):
    """Whoever can say what is in a folder of the last committed state."""

    def folders(self, path: str) -> Collection[str]:
        """Names of the folders in a folder."""

    def files(self, path: str) -> Collection[str]:
        """Names of the files in a folder."""


def place(listing: Listing, folder: str, name: str) -> str:
    """The path at which a file of this name stands or would be put."""
    home = ""
    depth = 0
    while True:
        if name in listing.files(folder):
            return f"{folder}/{name}"
        if not _is_split(listing, folder):
            # It may stand below all the same: many files may have gone since.
            home = home or folder
        below = _shard(folder, name, depth)
        if below not in listing.folders(folder):
            return f"{home or f'{folder}/{below}'}/{name}"
        folder = f"{folder}/{below}"
        depth += 1


def moves(listing: Listing, path: str, limit: int) -> dict[str, str]:
    """Where the files of a full folder go when `path` is about to join them."""
    folder, _, name = path.rpartition("/")
    names = listing.files(folder)
    depth = sum(len(part) == 1 for part in folder.split("/"))
    # Nobody browses the folders below: they stay small, and so does each move.
    most = max(FEWEST, limit // BELOW) if depth else limit
    if len(names) < most or name in names or folder.startswith(f"{EPISODES}/"):
        return {}
    return {
        f"{folder}/{n}": f"{folder}/{_shard(folder, n, depth)}/{n}"
        for n in sorted(names)
    }


def _is_split(listing: Listing, folder: str) -> bool:
    names = listing.folders(folder)
    if folder == EPISODES:
        return any(map(_YEAR.fullmatch, names))
    # A person may well have a folder called "a"; a split folder has most digits.
    found = 0
    for digit in _DIGITS:
        found += digit in names
        if found >= len(_DIGITS) // 2:
            return True
    return False


def _shard(folder: str, name: str, depth: int) -> str:
    if folder == EPISODES:
        return name[:4] if _YEAR.match(name) else "0000"
    return hashlib.sha256(name.encode()).hexdigest()[depth]


def template(name: str) -> str:
    """What a file of the workspace holds before anybody writes into it."""
    path = Path(__file__).with_name("templates") / f"{name}.md"
    return path.read_text(encoding="utf-8")
