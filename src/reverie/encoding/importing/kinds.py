"""The kinds of things that can be imported, and how to tell them apart."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePosixPath

from reverie.errors import RefusedError

MARKDOWN = "markdown"
TEXT = "text"
PDF = "pdf"
OPENCLAW = "openclaw"
OBSIDIAN = "obsidian"
CHATGPT = "chatgpt"
CLAUDE = "claude"
CLAUDE_CODE = "claude-code"
KINDS = (MARKDOWN, TEXT, PDF, OPENCLAW, OBSIDIAN, CHATGPT, CLAUDE, CLAUDE_CODE)

FAMILIES = (
    frozenset({MARKDOWN, TEXT, OPENCLAW, OBSIDIAN}),
    frozenset({PDF}),
    frozenset({CHATGPT, CLAUDE}),
    frozenset({CLAUDE_CODE}),
)
"""Kinds that may be taken for each other when the user says so."""

HEAD = 64 << 10
"""Bytes from the start of a file that are enough to tell what it is."""

_WHOLE = 32 << 20
_LIMITS = {PDF: 256 << 20, CHATGPT: 8 << 30, CLAUDE: 8 << 30, CLAUDE_CODE: 2 << 30}

_MARKDOWN_NAMES = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_TEXT_NAMES = frozenset({".txt", ".text", ".rst", ".org", ".adoc"})

_CHAT = re.compile(
    rb'(?<!\\)"(?:(?P<chatgpt>mapping)"\s*:\s*\{|(?P<claude>chat_messages)"\s*:\s*\[)'
)
_SESSION = re.compile(rb'(?<!\\)"(?:sessionId|leafUuid)"\s*:')
_SESSION_TYPE = re.compile(rb'(?<!\\)"type"\s*:\s*"[a-z-]+"')
_UNSEEN = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")


class UnknownKindError(RefusedError):
    """A kind of source that nobody knows how to read."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"{kind!r} is not a kind of thing that can be imported",
            hint=f"Kinds are {', '.join(KINDS)}.",
        )


def size_limit(kind: str) -> int:
    """The most bytes one source of a kind may have; exports are read as a stream."""
    return _LIMITS.get(kind, _WHOLE)


def known(kind: str) -> str:
    """The kind itself; raises `UnknownKindError` when there is none of that name."""
    if kind not in KINDS:
        raise UnknownKindError(kind)
    return kind


def related(kind: str, other: str) -> bool:
    """Whether what looks like one kind may be read as the other."""
    return any({kind, other} <= family for family in FAMILIES)


def recognise(head: bytes, name: str) -> str:
    """The kind of a file by its first bytes and its name; empty if it is none."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _MARKDOWN_NAMES:
        return MARKDOWN
    if suffix == ".pdf" or head.lstrip().startswith(b"%PDF-"):
        return PDF
    chat = _chat(head.removeprefix(codecs.BOM_UTF8).lstrip())
    if chat:
        return chat
    plain_name = suffix in _TEXT_NAMES or (not suffix and _is_text(head))
    return TEXT if plain_name else ""


def _chat(head: bytes) -> str:
    if head[:1] not in {b"[", b"{"}:
        return ""
    found = _CHAT.search(head)
    if found:
        return CHATGPT if found["chatgpt"] else CLAUDE
    session = head[:1] == b"{" and _SESSION.search(head) and _SESSION_TYPE.search(head)
    return CLAUDE_CODE if session else ""


def _is_text(head: bytes) -> bool:
    if not head.strip() or _UNSEEN.search(head):
        return False
    try:
        # Where there is more, the last character may be cut in two.
        codecs.getincrementaldecoder("utf-8")().decode(head, len(head) < HEAD)
    except UnicodeDecodeError:
        return False
    return True
