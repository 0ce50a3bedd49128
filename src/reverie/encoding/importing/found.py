"""What there is to import, and what was found in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.model.remembered import Secrets

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read: a file, or a file inside a zip.

    Attributes:
        path: The file on disk; the zip itself for what is inside one.
        kind: What it reads as, one of `kinds.KINDS`.
        name: Path relative to the import root, with forward slashes.
        root: What the user named: a folder, a zip, or the folder of a file.
        size: Bytes, unpacked.
        member: Name inside the zip at `path`; empty for a plain file.
        secrets: What to do with passwords and keys in it.
    """

    path: Path
    kind: str
    name: str
    root: Path
    size: int
    member: str = ""
    secrets: Secrets = Secrets.REDACT


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a thing came from; the same on every run.

    Attributes:
        kind: One of `kinds.KINDS`.
        name: Path relative to the import root, or the conversation's own id.
        line: Line it starts at, counted from 1; the page of a PDF; 0 for the whole.
    """

    kind: str
    name: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a conversation.

    Attributes:
        role: `user`, `assistant` or `system`.
        text: What was said, never empty.
        at: When, in UTC.
        speaker: A name, where the export has one.
    """

    role: str
    text: str
    at: datetime | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with at least one turn."""

    origin: Provenance
    title: str
    started: datetime | None
    turns: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of a document: a section, a page, some paragraphs; never empty."""

    origin: Provenance
    title: str
    text: str
    at: datetime | None = None
    tags: tuple[str, ...] = ()


Found = Conversation | Passage
