"""Changes: planned, made, and told afterwards (design, section 12)."""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.errors import RefusedError
from reverie.model.items import Origin

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.model.route import Route


class Action(StrEnum):
    """What was done to a file."""

    CREATE = "CREATE"
    EDIT = "EDIT"
    APPEND = "APPEND"
    DELETE = "DELETE"
    ARCHIVE = "ARCHIVE"
    MERGE = "MERGE"
    REVERT = "REVERT"
    DECAY = "DECAY"
    RENAME = "RENAME"
    PROPOSE = "PROPOSE"
    COMMIT = "COMMIT"
    REJECT = "REJECT"
    ALERT = "ALERT"


class Approval(StrEnum):
    """Who said yes."""

    AUTO = "auto"
    APPROVED = "approved"
    PENDING = "pending"
    USER_QUOTED = "user-quoted"
    NONE = "—"


_ACTOR = re.compile(
    r"manual|unverified"
    r"|bot:(trigger-remember|trigger-forget|auto-detect|main|commit-from:[\w.-]+)"
    r"|reflection:[\w.-]+"
    r"|system:(decay|init|audit|rename|since)"
    r"|(skill|subagent):[\w.-]+"
)


class UnknownActorError(RefusedError):
    """A change was signed with a name that is no actor's."""

    says = "{!r} is not an actor"
    mend = (
        "Use manual, bot:trigger-remember, bot:trigger-forget, bot:auto-detect, "
        "bot:commit-from:NAME, reflection:ID, skill:NAME, subagent:NAME or "
        "system:decay|init|audit|rename|since."
    )


class Actor(Struct, frozen=True, order=True):
    """Who acts: one of the tags of the design's section 12.3."""

    tag: str

    def __post_init__(self) -> None:
        if not _ACTOR.fullmatch(self.tag):
            raise UnknownActorError(self.tag)

    @property
    def human(self) -> bool:
        """Whether the change was made by a person's own hand."""
        return self.tag == "manual"

    @property
    def approval(self) -> Approval:
        """How what they do of their own accord is approved."""
        return Approval.NONE if self.human else Approval.AUTO

    @property
    def session(self) -> str:
        """The reflection session, such as `r-012`; empty for other actors."""
        kind, _, name = self.tag.partition(":")
        return name if kind == "reflection" else ""

    def __str__(self) -> str:
        return self.tag


_ORIGINS = {
    "manual": Origin.OWNER,
    "system": Origin.SYSTEM,
    "bot": Origin.AGENT,
    "reflection": Origin.AGENT,
    "subagent": Origin.SUBAGENT,
    "skill": Origin.TOOL,
    "unverified": Origin.TOOL,
}


def origin_of(actor: Actor) -> Origin:
    """What an actor's own words count as.

    `bot:trigger-remember` passes on what the owner asked for in so many words.
    """
    if actor.tag == "bot:trigger-remember":
        return Origin.OWNER
    if actor.tag.startswith("bot:commit-from:"):
        return Origin.SUBAGENT
    return _ORIGINS[actor.tag.partition(":")[0]]


class OnlyHumansError(RefusedError):
    """A verb that belongs to the human was used by somebody else."""

    says = "{} may not do this"
    mend = (
        "Only a human may decide, unpin, erase, acknowledge, correct what was said, or "
        "go back on what they decided or what is pinned, in core memory, procedures, "
        "the vault or critical: as `manual`, in a terminal."
    )


HUMAN_EDIT = "direct human edit"
"""What starts a change that was found in the files."""

MANUAL = Actor("manual")
REMEMBER = Actor("bot:trigger-remember")
FORGET = Actor("bot:trigger-forget")
USER_SAID = 'user said "'
"""How the trigger of a change begins that the user's own words asked for."""
MAIN = Actor("bot:main")
DETECT = Actor("bot:auto-detect")
DECAY = Actor("system:decay")
INIT = Actor("system:init")
AUDIT = Actor("system:audit")
RENAMING = Actor("system:rename")
BEGINNING = Actor("system:since")
UNVERIFIED = Actor("unverified")
"""Of a change that this ledger did not make; nobody can sign with it."""


ABSENT = ""
"""The checksum of a file that does not exist."""


def checksum(data: bytes | None) -> str:
    """The fingerprint by which an edit names the text it was planned on."""
    return ABSENT if data is None else hashlib.sha256(data).hexdigest()


def hash_content(data: bytes | None) -> str:
    """The id by which every ledger knows a content, git's own; empty for no file."""
    if data is None:
        return ""
    whole = b"blob %d\0%s" % (len(data), data)
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


class Edit(Struct, frozen=True):
    """One file's part of a change.

    Attributes:
        path: Path inside the workspace, with forward slashes.
        content: The bytes the file shall have; None removes it.
        base: `checksum()` of the bytes it was planned on; `ABSENT` for a new file.
        action: What the audit log will say was done.
        summary: Why, in a few words; one line.
    """

    path: str
    content: bytes | None
    base: str
    action: Action
    summary: str


def edit_of(
    path: str, old: bytes | None, new: str, action: Action | None, why: str
) -> Edit:
    """An edit by which a file says something else, with its byte order mark if any.

    Without an action, the file is created or edited.
    """
    bom = b"\xef\xbb\xbf" if (old or b"").startswith(b"\xef\xbb\xbf") else b""
    usual = Action.CREATE if old is None else Action.EDIT
    return Edit(path, bom + new.encode(), checksum(old), action or usual, why)


class LogLine(Struct, frozen=True):
    """What one change did to one file."""

    action: Action
    path: str
    summary: str


class ChangeSet(Struct, frozen=True):
    """All of one decision: any number of files, one commit.

    Attributes:
        edits: What happens to which file; the first one names the commit.
        actor: Who acts.
        approval: Who said yes.
        trigger: What started it, in the user's words where there are any.
        told: What history says instead of one line per edit; for changes that
            touch very many files, or none.
        own: Critical files in which only a section that we generate changes.
        sentences: IDs of the user's sentences that authorise it; history names them
            behind the trigger.
    """

    edits: tuple[Edit, ...]
    actor: Actor
    approval: Approval
    trigger: str
    told: tuple[LogLine, ...] = ()
    own: frozenset[str] = frozenset()
    sentences: tuple[str, ...] = ()


class Claim(Struct, frozen=True):
    """Who a change says that it is by; anybody can write that."""

    actor: Actor
    approval: Approval

    def __str__(self) -> str:
        said = "" if self.approval is Approval.NONE else f", {self.approval}"
        return f"{self.actor}{said}"


class LogEntry(Struct, frozen=True):
    """One change as history tells it: a commit and its lines.

    Attributes:
        commit: Full hexadecimal commit id.
        at: When, in UTC.
        lines: One per file, the first from the subject.
        actor: Who; `unverified` for a change that is not verified.
        approval: Who said yes; nobody to a change that is not verified.
        trigger: What started it.
        critical: Whether it touched a critical file.
        verified: Whether the ledger made it, or its human accepted it.
        claim: What an unverified change says of itself, where it says anything.
    """

    commit: str
    at: datetime
    lines: tuple[LogLine, ...]
    actor: Actor
    approval: Approval
    trigger: str
    critical: bool = False
    verified: bool = True
    claim: Claim | None = None

    @property
    def signed(self) -> Actor:
        """Who it is by in its own words; to be told or counted, never to be trusted."""
        return self.claim.actor if self.claim else self.actor


class Receipt(Struct, frozen=True):
    """Proof that a change was made: it is durable when you hold this."""

    commit: str
    at: datetime
    lines: tuple[LogLine, ...]
    actor: Actor
    ids: tuple[str, ...] = ()


class Secrets(StrEnum):
    """What to do with a password or key in a text."""

    REFUSE = "refuse"
    REDACT = "redact"
    KEEP = "keep"


class Near(Struct, frozen=True):
    """Something known that is close to what is new.

    Attributes:
        id: What to cite it by: `person--alex#3f2a9c` for a fact on a page, else the
            id of the memory.
        text: What it says.
        page: The entity on whose page it stands, as `TYPE--SLUG`; empty for none.
        path: The file it stands in.
        line: The line there.
        origin: Who the words come from.
    """

    id: str
    text: str
    page: str
    path: str
    line: int
    origin: Origin = Origin.OWNER

    @property
    def memory(self) -> str:
        """The id of the memory that it stands in."""
        return f"entity:{self.page}" if self.page else self.id.partition("#")[0]


class Observed(Receipt, frozen=True):
    """Proof that observations were stored.

    Attributes:
        known: Ids of what said the same before, and was kept alive.
        refused: What was left out, and why.
        superseded: Known facts that no longer hold because of them.
        left_out: Parts of the observations that were not stored, each in words.
    """

    known: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    superseded: tuple[Near, ...] = ()
    left_out: tuple[str, ...] = ()


class Remembered(Receipt, frozen=True):
    """Proof that a text was stored, and all that its human should know of it.

    Attributes:
        route: How it was filed, where nobody said where it belongs.
        known: Whether it said nothing new, and only kept alive what was known.
        waits: The number of the proposal by which it waits for a human; 0 for none.
        why_it_waits: In words.
        near: The few known facts closest to it, as they stood before.
        superseded: Known facts that no longer hold because of it.
        ending: Known facts that hold until it begins, on a later day.
        contradicts: Known facts that somebody said it contradicts; all of them stay.
        doubts: Entities that may be the same as one it is about.
        redacted: Kinds of secrets that were taken out.
        unrouted: Why nobody could say where it belongs yet; it was kept as it is, and
            is filed as soon as the mind is back. Empty where it was filed.
        said: The very words that were stored.
        fact: What the fact alone is cited by, where it stands on a page with others.
        left_out: Parts of the given structure that were not stored, each in words.
    """

    route: Route | None = None
    known: bool = False
    waits: int = 0
    why_it_waits: str = ""
    near: tuple[Near, ...] = ()
    superseded: tuple[Near, ...] = ()
    ending: tuple[Near, ...] = ()
    contradicts: tuple[Near, ...] = ()
    doubts: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    unrouted: str = ""
    said: str = ""
    fact: str = ""
    left_out: tuple[str, ...] = ()


class Corrected(Remembered, frozen=True):
    """Proof that something was corrected: `superseded` says what no longer holds.

    Attributes:
        choices: What may have been meant, where that is not clear; then nothing was
            changed.
    """

    choices: tuple[Near, ...] = ()
