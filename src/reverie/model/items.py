"""What is remembered: items, their moments, whose words they are and for whom."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime

    from reverie.model.ids import ItemId


EARLIEST, LATEST = 1970, 2200
"""Years; outside them, somebody mistyped or wrote another unit."""


class UnclearMomentError(RefusedError):
    """A time without a zone, or outside the years a memory can be from."""

    says = "{} {}"
    mend = (
        "Give a time with its zone, such as 2026-02-02T14:30:00Z, "
        f"from the years {EARLIEST} to {LATEST}."
    )


def aware(moment: datetime) -> datetime:
    """The moment, if it says its time zone; else `UnclearMomentError`."""
    if moment.tzinfo is None:
        raise UnclearMomentError(moment.isoformat(), "does not say its time zone")
    return moment


def in_utc(moment: datetime) -> datetime:
    """The same moment in UTC; raises `UnclearMomentError` where it is not clear."""
    # The year as written first: at the calendar's edges there is no UTC.
    if EARLIEST <= aware(moment).year <= LATEST:
        at = moment.astimezone(UTC)
        if EARLIEST <= at.year <= LATEST:
            return at
    raise UnclearMomentError(moment.isoformat(), "is not a time a memory can be from")


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(Struct, frozen=True, order=True):
    """Something a person should look at: where it is, what it is, how to mend it.

    Attributes:
        path: Path inside the workspace, with forward slashes.
        line: Line number counted from 1; 0 where the whole file is meant.
        what: What is wrong, in one sentence without a full stop.
        mend: What to do about it.
        severity: How much it matters.
    """

    path: str
    line: int
    what: str
    mend: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.what}"


class EpisodeKind(StrEnum):
    """What sort of event an episode tells of."""

    DECISION = "decision"
    FACT = "fact"
    PREFERENCE = "preference"
    TASK = "task"
    EVENT = "event"
    EMOTION = "emotion"
    CORRECTION = "correction"


class Confidence(StrEnum):
    """How sure we are that this is worth keeping and true."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Source(StrEnum):
    """Where a memory came from; decides how relevant it starts out."""

    USER_EXPLICIT = "user-explicit"
    CONVERSATION = "conversation"
    REFLECTION = "reflection"
    IMPORT = "import"


class Role(StrEnum):
    """Who speaks in a conversation."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


UNROUTED = "unrouted"
"""The tag of what was kept as it is, because nobody could say where it belongs."""


UNFILED = "unfiled"
"""The tag of what was imported, and waits for a mind to file its facts."""


class Block(StrEnum):
    """The four blocks of core memory, as they appear in ids."""

    IDENTITY = "identity"
    CONTEXT = "context"
    PERSONA = "persona"
    CRITICAL = "critical"


class Episode(Struct, frozen=True):
    """One entry of a day log.

    Attributes:
        at: When it happened, in UTC, to the minute.
        kind: What sort of event it was.
        confidence: How sure we are.
        text: What happened, Markdown without level-two headings of its own meaning.
        tags: Topics, in the order written.
        source: Where it came from.
        more: Further `key:value` fields of the heading, kept as they are.
    """

    at: datetime
    kind: EpisodeKind
    confidence: Confidence
    text: str
    tags: tuple[str, ...] = ()
    source: Source | None = None
    more: tuple[tuple[str, str], ...] = ()

    @property
    def timed(self) -> bool:
        """Whether the hour is known, and not only the day."""
        return ("time", "unknown") not in self.more


class Fact(Struct, frozen=True):
    """One thing known about an entity.

    Attributes:
        text: The fact, one line of Markdown.
        since: The day from which it holds, where known.
        source: What sort of source it came from.
        until: The day it stopped holding, where it did.
        ends: The day on which it stops holding, while that is to come; the file
            calls both `until`, and strikes out what is over.
        superseded_by: `reference()` of the fact that took its place.
        withdrawn: Whether a person struck it out without saying since when.
        by: Whose words it is, where the source does not say it.
        forgotten: The day on which it was asked to be forgotten.
        said: The day it was said, where that is not `since`.
        on: The day it speaks of, where it speaks of one.
        basis: Ids of the turns, episodes or pages behind it, with a blank between;
            the file calls it `from`.
        confidence: How sure its source was.
        claim: Who says so, where it is neither the user nor the agent.
        supersedes: `reference()` of the fact whose place it takes on the day from
            which it holds, while that is to come.
        tags: Topics, with a comma between.
    """

    text: str
    since: date | None = None
    source: str = ""
    until: date | None = None
    superseded_by: str = ""
    withdrawn: bool = False
    by: str = ""
    forgotten: date | None = None
    said: date | None = None
    on: date | None = None
    basis: str = ""
    confidence: Confidence = Confidence.HIGH
    claim: str = ""
    supersedes: str = ""
    ends: date | None = None
    tags: str = ""

    @property
    def current(self) -> bool:
        """Whether the fact still holds."""
        over = self.superseded_by or self.until or self.withdrawn or self.forgotten
        return not over


class Statement(Struct, frozen=True):
    """A fact that holds, as it is found by itself.

    Attributes:
        fact: The fact.
        about: The name of whom or what it is about.
        replaced: What it took the place of, the latest first.
        scope: The person its page is for alone; empty for everybody.
        by: Whose words its page is, where that says it.
        due: The next day on which its page has to change because of it: it ends,
            takes the place of another one, or its relation begins.
    """

    fact: Fact
    about: str
    replaced: tuple[str, ...] = ()
    scope: str = ""
    by: str = ""
    due: date | None = None


WHICH_HOLDS = "Which holds:"
"""How a page begins to ask about facts that cannot all be true."""


class Link(Struct, frozen=True):
    """A line of an entity's Relations section: a label and the entities it names.

    Attributes:
        label: What the entity has to do with them.
        targets: Their names; one alone where anything more is known of the link.
        since: The day it was first told, where known.
        facts: The facts of the page it came with, as their ids end: `3f2a9c`.
        confidence: How sure those were.
        begins: The day from which it holds, while that is to come.
    """

    label: str
    targets: tuple[str, ...]
    since: date | None = None
    facts: tuple[str, ...] = ()
    confidence: Confidence = Confidence.HIGH
    begins: date | None = None


class Entity(Struct, frozen=True):
    """A person, project, concept, tool or place, and what is known about it.

    Attributes:
        type: `person`, `project`, `concept`, `tool`, `place` or a word of the user's.
        slug: The rest of the id; the id is `TYPE--SLUG`.
        label: The name as people write it.
        summary: A paragraph or two.
        facts: What is known, current and superseded.
        past: What no longer holds, and nothing took the place of.
        timeline: Dated events, as `(day, text)`.
        questions: What is still open.
        links: Relations to other entities.
        aliases: Other names of the same thing.
        created: The day it was first written.
        updated: The day it was last written.
        pinned: Whether it is kept from fading.
        source: Where it came from.
        accesses: How often its header says it was of use; 0 where it does not.
    """

    type: str
    slug: str
    label: str
    summary: str = ""
    facts: tuple[Fact, ...] = ()
    past: tuple[str, ...] = ()
    timeline: tuple[tuple[date, str], ...] = ()
    questions: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    aliases: tuple[str, ...] = ()
    created: date | None = None
    updated: date | None = None
    pinned: bool = False
    source: Source | None = None
    accesses: int = 0

    @property
    def name(self) -> str:
        """The name wiki links use: `TYPE--SLUG`."""
        return f"{self.type}--{self.slug}"


class Edge(Struct, frozen=True):
    """One row of the graph: an entity, a relation, an entity."""

    origin: str
    relation: str
    target: str
    confidence: Confidence = Confidence.HIGH
    first_seen: date | None = None
    last_accessed: date | None = None


def joined(found: Iterable[Edge]) -> list[Edge]:
    """Edges each once: as sure as the surest tells it, and from the first day told."""
    known: dict[tuple[str, str, str], Edge] = {}
    for edge in found:
        key = edge.origin, edge.relation, edge.target
        other = known.setdefault(key, edge)
        if other is edge:
            continue
        level = min(edge.confidence, other.confidence, key=tuple(Confidence).index)
        days = [day for day in (edge.first_seen, other.first_seen) if day]
        first = min(days, default=None)
        known[key] = replace(edge, confidence=level, first_seen=first)
    return list(known.values())


class Procedure(Struct, frozen=True):
    """A learned way of doing something.

    Attributes:
        slug: The file name without its ending; the id is `procedure:SLUG`.
        trigger: When to do it.
        steps: What to do, in order.
        notes: What else matters.
        learned_from: Where it was learned.
        learned: The day it was first written.
        last_used: The day it was last used.
        pinned: Whether it is kept from fading.
        source: Where it came from.
        by: Whose words it is, where the source does not say it.
        accesses: How often its header says it was of use; 0 where it does not.
    """

    slug: str
    trigger: str
    steps: tuple[str, ...]
    notes: tuple[str, ...] = ()
    learned_from: tuple[str, ...] = ()
    learned: date | None = None
    last_used: date | None = None
    pinned: bool = False
    source: Source | None = None
    by: str = ""
    accesses: int = 0


class CoreItem(Struct, frozen=True):
    """One list item of core memory.

    Attributes:
        block: The block it stands in.
        slug: The rest of its id.
        text: What it says.
        pinned: Whether it is kept where it is.
        by: Whose words it is, where they are not its owner's.
    """

    block: Block
    slug: str
    text: str
    pinned: bool = False
    by: str = ""


class VaultNote(Struct, frozen=True):
    """A memory its human protects: never fades, only a human unpins it."""

    slug: str
    title: str
    text: str
    created: date | None = None
    source: Source | None = None
    by: str = ""


class Note(Struct, frozen=True):
    """A passage of a file that follows no store's format, read where it stands.

    Attributes:
        text: What it says.
        title: The file and the headings that it stands under.
        at: When it is from, at noon where only the day is known; None for neither.
        source: Nobody knows who wrote it, so it is trusted as what is imported is.
    """

    text: str
    title: str
    at: datetime | None = None
    source: Source = Source.IMPORT


class Turn(Struct, frozen=True):
    """What one side said in a conversation.

    Attributes:
        window: The conversation.
        number: Which turn of it; a question and its answer share one.
        role: Who speaks.
        text: What was said.
        at: When, in UTC; None where nobody knows.
        speaker: The name of who speaks, where it is known.
        more: Further `key:value` fields of the heading, kept as they are.
        imported: Whether the window says that it comes from elsewhere.
    """

    window: str
    number: int
    role: Role
    text: str
    at: datetime | None = None
    speaker: str = ""
    more: tuple[tuple[str, str], ...] = ()
    imported: bool = False

    def field(self, key: str) -> str:
        """A further field of the heading; empty where it has none of that name."""
        return next((value for name, value in self.more if name == key), "")


Item = Episode | Entity | Statement | Procedure | CoreItem | VaultNote | Note | Turn


class Entry(Struct, frozen=True):
    """A remembered thing and where it stands in its file; every store lists these.

    Attributes:
        id: The name of the memory.
        item: The memory itself.
        line: Line number counted from 1.
        text: What a search should look at; superseded facts are not in it.
        title: A short name to show.
        raw: The very text of the file.
    """

    id: ItemId
    item: Item
    line: int
    text: str
    title: str
    raw: str


# --- whose words, and for whom ---------------------------------------------------


UNCONFIRMED = "(unconfirmed edit, not from the user)"
"""Stands in front of words that the owner has not confirmed."""


class Origin(StrEnum):
    """Who a text comes from, the most trusted first."""

    OWNER = "owner"
    SYSTEM = "system"
    AGENT = "agent"
    SUBAGENT = "sub-agent"
    IMPORT = "import"
    PASTED = "pasted"
    TOOL = "tool"


FOREIGN = frozenset({*Origin} - {Origin.OWNER, Origin.AGENT})
"""Origins of others: their texts are data, stored and shown as quotations."""

_ORDER = tuple(Origin)

_SOURCES: dict[str, Origin] = {
    Source.USER_EXPLICIT: Origin.OWNER,
    Source.CONVERSATION: Origin.AGENT,
    Source.REFLECTION: Origin.AGENT,
    Source.IMPORT: Origin.IMPORT,
}


USER_QUOTED = "user-quoted"
"""Marks an item of core memory that an agent stored in the user's own sentences."""


def named(said: str) -> Origin:
    """The origin of this name; a word that is none of ours trusts nobody."""
    if said == USER_QUOTED:
        # The words are the user's; that an agent chose them counts.
        return Origin.AGENT
    return Origin(said) if said in _ORDER else Origin.TOOL


def least(origins: Iterable[Origin]) -> Origin:
    """The least trusted of some origins; that of nothing at all is a tool's."""
    return max(origins, key=_ORDER.index, default=Origin.TOOL)


def stated(by: str, source: str) -> Origin:
    """The origin of a memory, from what its file says of it."""
    return named(by) if by else _SOURCES.get(source, Origin.OWNER)


def implied(source: Source | None) -> Origin:
    """The origin of a memory that says only what its source is.

    A line without any source was typed by a person.
    """
    return _SOURCES.get(source or "", Origin.OWNER)


SCOPE = "scope"
"""The field that says whom a turn or an episode is for alone."""

FROM = "from"
"""The field that says what an episode was noted of."""


def person_named(text: str) -> str:
    """A person's name as it is kept: on one line, its words one blank apart."""
    return " ".join(text.split())


def scope_name(text: str) -> str:
    """A person's name as it is compared; empty for everybody."""
    return unicodedata.normalize("NFC", person_named(text).casefold())


def same_person(one: str, other: str) -> bool:
    """Whether two names are of the same person."""
    return scope_name(one) == scope_name(other)


def is_for(scope: str, person: str) -> bool:
    """Whether who asks may see something; where nobody is named, all of it is seen.

    Args:
        scope: Whom it is for alone; empty for everybody.
        person: Who asks.
    """
    named, asks = scope_name(scope), scope_name(person)
    return not (named and asks) or named == asks


def scope_of(item: Turn | Episode) -> str:
    """Whom something is for alone, as it names them; empty for everybody."""
    said = (value for key, value in item.more if key.casefold() == SCOPE)
    return person_named(next(said, ""))


def in_one_scope(turns: Iterable[Turn], person: str = "") -> tuple[list[Turn], str]:
    """Turns that may be summed up together, and whom the summary is for alone.

    These are the ones for everybody, and those for a person, where one is named. If
    all of them are for one and the same person, it is that one.
    """
    given = list(turns)
    scopes = {scope_name(scope_of(turn)) for turn in given}
    if not scope_name(person) and len(scopes) == 1:
        person = scope_of(given[0])
    wanted = {"", scope_name(person)}
    seen = [turn for turn in given if scope_name(scope_of(turn)) in wanted]
    return seen, person_named(person) if any(map(scope_of, seen)) else ""
