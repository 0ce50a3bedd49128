"""Which names inside a workspace may be touched.

Every path that comes from outside goes through `safe_path`. What it returns is
relative, uses forward slashes, is in Unicode's composed form and names neither
our own folders nor git's in any spelling a file system might take for them.
"""

from __future__ import annotations

import re
import unicodedata

from reverie.errors import RefusedError

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

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path!r} is not a safe path: {reason}",
            hint="Give a path inside the workspace, such as "
            "memory/vault/passport.md, without '..', links or special characters.",
        )


def safe_path(path: str) -> str:
    """Return `path` if it is a plain path inside the workspace, else refuse it."""
    reason = _problem(path)
    if reason:
        raise UnsafePathError(path, reason)
    return path


def is_safe(path: str) -> bool:
    """Whether `safe_path` would take it."""
    return not _problem(path)


def _problem(path: str) -> str:
    if _ORDINARY.fullmatch(path) and len(path) < NAME_BYTES:
        return _device_problem(path)
    try:
        length = len(path.encode("utf-8"))
    except UnicodeEncodeError:
        return "it is not valid Unicode"
    checks = (
        (not path, "it is empty"),
        (path.startswith("/"), "it is absolute"),
        (bool(_ENCODED.search(path)), "it has percent-encoded separators"),
        (length > PATH_BYTES, f"it is longer than {PATH_BYTES} bytes"),
    )
    whole = next((reason for wrong, reason in checks if wrong), "")
    return whole or next((p for p in map(_name_problem, path.split("/")) if p), "")


def _device_problem(path: str) -> str:
    found = _DEVICE_PART.search(path)
    return f"{found[1]!r} is a device on Windows" if found else ""


def _name_problem(name: str) -> str:
    checks = (
        (name in {"", ".", ".."}, "it has an empty, '.' or '..' part"),
        (_reads_as_dots(name), f"{name!r} can be read as '.' or '..'"),
        (bool(_FORBIDDEN & set(name)), f'{name!r} has one of \\ : * ? " < > |'),
        (
            name != name.strip() or name.endswith("."),
            f"{name!r} ends in a dot or space",
        ),
        (len(name.encode("utf-8")) > NAME_BYTES, f"a part is over {NAME_BYTES} bytes"),
        (any(map(_invisible, name)), f"{name!r} has invisible characters"),
        (
            unicodedata.normalize("NFC", name) != name,
            f"{name!r} is in decomposed Unicode, an alias of another name",
        ),
        (bool(_DEVICE.fullmatch(_folded(name))), f"{name!r} is a device on Windows"),
        (is_private(name), f"{name!r} belongs to git or to Reverie"),
    )
    return next((reason for wrong, reason in checks if wrong), "")


def _reads_as_dots(name: str) -> bool:
    """Whether wide or joined characters make a step up of a name."""
    return not {".", ".."}.isdisjoint(re.split(r"[/\\]", _folded(name)))


def is_private(name: str) -> bool:
    """Whether a name is, or could be taken for, one of the private folders."""
    folded = _folded(name)
    return folded.startswith(PRIVATE) or bool(_SHORT.match(folded))


def alias_key(path: str) -> str:
    """What two spellings of one file have in common on any file system."""
    return _folded(path)


def _folded(name: str) -> str:
    if name.isascii() and name.isprintable():
        return name.lower()
    visible = "".join(c for c in name if not _invisible(c))
    return unicodedata.normalize("NFKC", visible).casefold()


def _invisible(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
