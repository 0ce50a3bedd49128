"""What `Memory` shows: status, history, and what would be forgotten."""

from __future__ import annotations

import hashlib
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import force_setattr

from reverie.model.items import Origin

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

    from reverie.model.change import LogEntry, Near
    from reverie.model.ids import Store
    from reverie.model.items import Block, Edge, Entity, Fact


class Shown(Struct, frozen=True):
    """One memory, where it stands, and how vivid it is.

    Attributes:
        id: Its id.
        store: Where it lives.
        title: A short name.
        text: What it says.
        path: The file it stands in.
        line: The line it begins at.
        created: When it was first written, in UTC.
        last_accessed: When it was last of use, in UTC.
        accesses: How often it was of use.
        score: Its relevance at the moment, from 0 to 1.
        status: active, fading, dormant or archived.
        pinned: Whether it is kept from fading.
        commit: The change that last touched its file.
        actor: Who made that change.
        origin: Whose words it is.
        scope: The person whom it is for alone, in small letters; empty for everybody.
        unconfirmed: Whether the file has an edit of this memory that the owner has not
            confirmed. The text is the confirmed one; if there is none, it is the
            edit, and its origin is a tool.
        pending: The number of the proposal with a new version of it; 0 for none.
    """

    id: str
    store: Store
    title: str
    text: str
    path: str
    line: int
    created: datetime
    last_accessed: datetime
    accesses: int
    score: float
    status: str
    pinned: bool
    commit: str = ""
    actor: str = ""
    origin: Origin = Origin.OWNER
    scope: str = ""
    unconfirmed: bool = False
    pending: int = 0


class BlockUse(Struct, frozen=True):
    """How full one block of core memory is."""

    block: Block
    tokens: int
    budget: int


class CoreUse(Struct, frozen=True):
    """How full core memory is.

    Attributes:
        blocks: Each of its blocks.
        tokens: Tokens of the whole of it.
        cap: Tokens it may have.
        told: What an agent is told of it, word for word, where somebody asked.
    """

    blocks: tuple[BlockUse, ...]
    tokens: int
    cap: int
    told: str = ""


class Overview(Struct, frozen=True):
    """The workspace at a glance.

    Attributes:
        root: Its folder.
        counts: How many memories each store has.
        core: How full core memory's blocks are.
        core_tokens: Tokens of the whole of core memory.
        core_cap: Tokens it may have.
        changes: How many changes history holds.
        alerts: How many wait to be acknowledged.
        warnings: What is amiss with the workspace as a whole.
    """

    root: str
    counts: dict[str, int]
    core: tuple[BlockUse, ...]
    core_tokens: int
    core_cap: int
    changes: int
    alerts: int
    warnings: tuple[str, ...] = ()


class NewerText(Struct, frozen=True):
    """What is newer than an item of core memory, and not in it yet.

    Attributes:
        text: What it says.
        id: The fact; empty for a proposal.
        origin: Who the words come from.
        at: The day it was said; None if nobody knows.
        words: What the user said in the turn behind it; empty if that is unknown.
        pending: The number of the proposal that says it; 0 for a fact.
        claimed: Whether an agent alone says it of a Critical Fact or a pinned item,
            which holds until the user decides.
    """

    text: str
    id: str
    origin: Origin
    at: date | None
    words: str = ""
    pending: int = 0
    claimed: bool = False


class QuotedChange(Struct, frozen=True):
    """A change of core memory that an agent made in the user's own sentences.

    Attributes:
        commit: The change, to undo it.
        at: When it was made, in UTC.
        id: The item of core memory.
        text: What the item says.
        replaced: What it said before; empty for a new item.
        words: What the user typed.
    """

    commit: str
    at: datetime
    id: str
    text: str
    replaced: tuple[str, ...]
    words: str


class WorkspaceStatus(Struct, frozen=True):
    """Identity of a workspace on this device.

    Attributes:
        id: ID in the first commit.
        folder: Folder that was opened.
        situation: `known`, `moved`, `copy` or `replaced`.
        known_folder: Folder of the original of a copy, or last folder if it was moved.
        locked: Why human-only actions are locked; empty if they are not.
        device: ID of this device; empty without a key.
        devices: Devices whose rows in the device list are valid, as `(ID, name, day)`.
        invalid: IDs of devices whose rows have no valid signature.
        state_folder: Folder of the state files of this device.
    """

    id: str
    folder: str
    situation: str
    known_folder: str
    locked: str
    device: str
    devices: tuple[tuple[str, str, str], ...]
    invalid: tuple[str, ...]
    state_folder: str


class Alert(Struct, frozen=True):
    """A change that its human should look at.

    Attributes:
        commit: The change.
        path: The file it touched.
        at: When, in UTC.
        actor: Who.
        summary: What history says of it.
        kind: `critical` for critical files, `unapproved` when no human had a hand
            in it, `unverified` when it was not made here, `rewritten` for a day log
            that lost lines by hand, `unacknowledged` for a configuration that nobody
            agreed to here, `moved` for a history that was exchanged or moved back,
            `copy` for a copy of a known folder, `replaced` for a known folder with
            another workspace.
        acknowledged: Whether the human has seen it.
        changed: The first lines that it took out (`-`) and put in (`+`).
        since: Of a file that waits to be confirmed, the commit with what counts until
            then, or empty for nothing; None for what the change alone did.
        cut: How many of its lines are not told in `changed`, or not to their ends.
        settings: Settings of the configuration that take effect once it is
            acknowledged: each with its name, its current and its new value.
    """

    commit: str
    path: str
    at: datetime
    actor: str
    summary: str
    kind: str
    acknowledged: bool = False
    changed: tuple[str, ...] = ()
    since: str | None = None
    cut: int = 0
    settings: tuple[tuple[str, str, str], ...] = ()


class BlameLine(Struct, frozen=True):
    """One line of a file, and the change it came with."""

    number: int
    text: str
    commit: str
    actor: str
    at: datetime


class RebuildReport(Struct, frozen=True):
    """What a rebuild of the index found."""

    files: int
    memories: int
    edges: int
    seconds: float


class Taken(Struct, frozen=True):
    """A memory, a fact of one, a turn or a proposal that would go.

    Attributes:
        id: Of the memory; `#7` for a proposal.
        path: The file it stands in.
        line: The line that it begins at.
        text: What it says.
    """

    id: str
    path: str
    line: int
    text: str


class Erasing(Struct, frozen=True):
    """What an erasure would take; nothing has happened yet.

    Attributes:
        what: What is to be erased.
        taken: What would go, with all that was made of it alone.
        quoted: What tells of it among other things; it stays, unless its human says
            that the words shall go there too.
        sources: What some of it was imported from; it is not reached.
    """

    what: str
    taken: tuple[Taken, ...]
    quoted: tuple[Taken, ...] = ()
    sources: tuple[str, ...] = ()


class ErasureReceipt(Struct, frozen=True):
    """Proof that something is gone.

    Attributes:
        commit: The record that an erasure took place.
        rewritten: How many commits history has now, all of them scrubbed.
        dropped: How many files of old git objects were removed.
        remains: Where the text can still be found; empty after a full success.
        remotes: Copies of the ledger elsewhere, which only their owner can clean.
        beyond: What may have it outside of the workspace, where nothing was searched:
            an agent's transcripts, what was imported.
        quoted: What tells of it among other things, and still does.
    """

    commit: str
    rewritten: int
    dropped: int
    remains: tuple[str, ...]
    remotes: tuple[str, ...]
    beyond: tuple[str, ...] = ()
    quoted: tuple[Taken, ...] = ()


class Match(Struct, frozen=True):
    """A memory, or one fact of it, that a wish to forget is about.

    Attributes:
        id: The memory.
        store: Where it lives.
        text: What would be forgotten, in full.
        path: The file it stands in.
        line: The line that the memory begins at.
        at: When it happened, where that is known.
        fact: Whether it is one fact of an entity, which keeps the others.
        part: Whether it is a line of a page, a proposal or an expectation: that alone
            goes.
        protected: Why it cannot be archived; empty if it can.
        key: A short name of this very text: a yes to it is a yes to nothing else.
        name: The id by which a fact alone is named, where it is one.
        unconfirmed: Whether these words are an edit that the owner has not confirmed.
    """

    id: str
    store: Store
    text: str
    path: str
    line: int
    at: datetime | None = None
    fact: bool = False
    protected: str = ""
    key: str = ""
    part: bool = False
    name: str = ""
    unconfirmed: bool = False

    def __post_init__(self) -> None:
        said = f"{self.id}\n{self.fact}\n{self.text}".encode("utf-8", "replace")
        force_setattr(self, "key", hashlib.sha256(said).hexdigest()[:8])


class Forgetting(Struct, frozen=True):
    """What was found for a wish to forget; nothing has happened yet.

    Attributes:
        wish: What is to be forgotten.
        matches: What was found, the best first; behind what was named by its id, what
            was made of it or quotes it.
        permanent: Whether the wish has the explicit words for deleting for good.
        mentions: How many more turns of conversations speak of it and are not shown.
        meant: Keys of those that hold the most telling words of the wish.
    """

    wish: str
    matches: tuple[Match, ...]
    permanent: bool = False
    mentions: int = 0
    meant: tuple[str, ...] = ()


class Contradiction(Struct, frozen=True):
    """Statements that cannot all hold, as somebody said, or may not.

    Attributes:
        page: The id of a page that asks; empty for a possible conflict of no page.
        question: The question, as it stands there.
        sides: The statements.
        possible: Whether nobody said so, and their structure alone shows it.
    """

    page: str
    question: str
    sides: tuple[Near, ...]
    possible: bool = False


class Purge(Struct, frozen=True):
    """Everything of one origin, as it was shown; nothing has happened yet.

    Attributes:
        origin: Whose words they are.
        source: The one file or chat that they were imported from; empty for all.
        taken: What would go, file by file.
    """

    origin: Origin
    source: str
    taken: tuple[Taken, ...]

    @property
    def files(self) -> Mapping[str, int]:
        """How many would go of each file."""
        return Counter(each.path for each in self.taken)


class Merging(Struct, frozen=True):
    """What merging two pages would do; nothing has happened yet.

    Attributes:
        one: The id of the page that goes.
        into: The id of the page that stays.
        label: What the first is called; it stays a name of the second.
        into_label: What the second is called.
        facts: How many facts come to it.
        joined: How many facts both have.
        follow: Other files in which links lead to the page that stays.
        types: Both types, where they differ.
    """

    one: str
    into: str
    label: str
    into_label: str
    facts: int
    joined: int
    follow: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


class Undoing(Struct, frozen=True):
    """What going back would do; nothing has happened yet.

    Attributes:
        why: What history would say of it.
        changes: How many changes it takes back.
        files: Those that would read otherwise, without what is derived from others.
        diff: What would become of them, of the first few hundred at most.
        wishes: Ids of memories, each with `pinned again`, `no longer pinned`,
            `forgotten again` or `no longer forgotten`.
        shown: By this `undo` and `restore` do it only as it is told here.
    """

    why: str
    changes: int
    files: tuple[str, ...]
    diff: str
    wishes: tuple[tuple[str, str], ...]
    shown: str


class Pair(Struct, frozen=True):
    """Two pages that may be about one thing: `merge` says yes, or no.

    Attributes:
        one: The entity that would go into the other, as `TYPE--SLUG`.
        into: The other.
        why: What is asked, or why they are the same.
    """

    one: str
    into: str
    why: str


# --- entities and how they are linked ------------------------------------------


class Node(Struct, frozen=True):
    """An entity in the graph.

    Attributes:
        name: `TYPE--SLUG`.
        label: What it is called.
        score: Its relevance at the moment, from 0 to 1.
        status: active, fading, dormant or archived.
        pinned: Whether it is kept from fading.
        facts: How many facts hold on its page.
        links: With how many others it is linked.
    """

    name: str
    label: str
    score: float
    status: str
    pinned: bool
    facts: int
    links: int

    @property
    def id(self) -> str:
        """The id of its page."""
        return f"entity:{self.name}"

    @property
    def type(self) -> str:
        """What it is: person, project, or another word."""
        return self.name.partition("--")[0]


class GraphPart(Struct, frozen=True):
    """The most relevant part of the graph.

    Attributes:
        nodes: Its entities, the most relevant first.
        edges: What links them with each other.
        total: How many entities were asked for.
        types: Every type there is, with how many entities are of it.
        around: The name of the entity whose neighbourhood it is; empty for none.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    total: int
    types: tuple[tuple[str, int], ...]
    around: str = ""


class StatedFact(Struct, frozen=True):
    """A fact on a page, by its id, and whose words it is."""

    id: str
    fact: Fact
    origin: Origin


class EntityView(Struct, frozen=True):
    """All that a page says of an entity, and what leads to it.

    Attributes:
        entity: What the page says.
        facts: What holds.
        past: What no longer holds, but for what was forgotten.
        out: Relations to others.
        back: Relations of others to it.
        labels: What the others are called, by their names.
        links: With how many others it is linked; more than are told here, perhaps.
    """

    entity: Entity
    facts: tuple[StatedFact, ...]
    past: tuple[Fact, ...]
    out: tuple[Edge, ...]
    back: tuple[Edge, ...]
    labels: dict[str, str]
    links: int


# --- what a recall returns ---------------------------------------------------


class Plan(StrEnum):
    """What sort of question it is (design, section 11.1)."""

    WHEN = "when"
    ABOUT = "about"
    HOW = "how"
    LATEST = "latest"
    GENERAL = "general"


class Reach(StrEnum):
    """How deep a search goes."""

    AUTOMATIC = "automatic"
    """What is active or fading: for a prompt that nobody asked for."""

    EXPLICIT = "explicit"
    """Also what is dormant, and what faded altogether where nothing fits better."""

    EVERYTHING = "everything"
    """Also what is archived."""


class Part(Struct, frozen=True):
    """One thing that speaks for a hit.

    Attributes:
        name: text, meaning, reply, company, speaker, cue, graph, time or length; of
            factors: fading, and what that is made of.
        value: How much of the score it is; a factor where `factor` says so.
        factor: Whether the score was multiplied with it.
    """

    name: str
    value: float
    factor: bool = False


class Beside(Struct, frozen=True):
    """A memory that stands beside a hit: the question to its answer, or a neighbour.

    Attributes:
        id: Its id.
        relation: `pair` for the other half of the turn, `before` or `after`.
        text: What it says.
        speaker: Who says it, where that is known.
        origin: Who the words come from.
    """

    id: str
    relation: str
    text: str
    speaker: str = ""
    origin: Origin = Origin.OWNER


class Hit(Struct, frozen=True):
    """One memory that answers a question.

    Attributes:
        id: Its id; of a turn, with the passage that fits.
        store: Where it lives.
        title: A short name.
        text: All it says.
        passage: The part of it that fits best.
        path: The file it stands in.
        line: The line it begins at.
        commit: The change that last touched that file.
        at: When it happened, in UTC; None if nobody knows.
        score: How well it fits, from 0 to 1, fading included.
        parts: What the score is made of, the largest first.
        why: The same in words.
        status: active, fading, dormant or archived; empty for turns, which do not fade.
        pinned: Whether it is kept from fading.
        speaker: Who said it, where that is known.
        origin: Whose words it is.
        beside: What came along with it.
        same: Ids of memories that say the same and are folded into it.
        also: The other days they are of.
        outdated: What it once said and no longer holds.
        unconfirmed: Whether these words are an edit by an unknown hand that the owner
            has not confirmed. A memory that was confirmed has its confirmed words.
        disputed: Whether its page asks which of it and something else holds.
        cite: A short name for it, which goes wherever an id does.
        since: The day from which it holds, where that is still to come.
        basis: Ids of the turns, episodes or pages that it was noted of.
        pending: The number of the proposal with a new version of it; 0 for none.
        newer: Of an item of core memory that is outdated, what is newer.
    """

    id: str
    store: Store
    title: str
    text: str
    passage: str
    path: str
    line: int
    commit: str
    at: datetime | None
    score: float
    parts: tuple[Part, ...]
    why: tuple[str, ...]
    status: str
    pinned: bool = False
    speaker: str = ""
    origin: Origin = Origin.OWNER
    beside: tuple[Beside, ...] = ()
    same: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    unconfirmed: bool = False
    disputed: bool = False
    cite: str = ""
    since: date | None = None
    also: tuple[date, ...] = ()
    basis: tuple[str, ...] = ()
    pending: int = 0
    newer: str = ""


class Why(Struct, frozen=True):
    """Why a memory is there, as vivid as it is, and found or not.

    Attributes:
        shown: The memory.
        change: The change that its first line came with.
        fading: What its vividness is the product of; empty for what does not fade.
        hit: How it matches the question that was given; None if it does not.
        rank: Its place among all that match, counted from 1; 0 if it does not.
        hidden: Why a search does not show it; empty if it does.
    """

    shown: Shown
    change: LogEntry | None
    fading: tuple[Part, ...] = ()
    hit: Hit | None = None
    rank: int = 0
    hidden: str = ""


class Understood(Struct, frozen=True):
    """How a question was read.

    Attributes:
        plan: What sort of question it is.
        words: The stems that were looked for.
        entities: Ids of entities it names.
        times: Its time expressions, each as `words: from to`.
        speakers: Those who speak in a conversation and are named in it.
    """

    plan: Plan
    words: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


class Recalled(Struct, frozen=True):
    """The answer to a question.

    Attributes:
        question: As it was asked.
        asked: The moment it was asked for, in UTC.
        understood: How it was read.
        hits: What was found, the best first.
        sure: Whether the best hit is good enough to rely on.
        dormant: How many dormant memories match and are not shown.
        archived: How many archived memories match and are not shown.
        notes: What the reader should know: what could not be searched, and why.
        without_vectors: How many memories are not searchable by meaning yet; they are
            found by their words.
        unread_files: How many files changed and are not read yet.
    """

    question: str
    asked: datetime
    understood: Understood
    hits: tuple[Hit, ...]
    sure: bool
    dormant: int = 0
    archived: int = 0
    notes: tuple[str, ...] = ()
    without_vectors: int = 0
    unread_files: int = 0

    @property
    def gaps(self) -> tuple[str, ...]:
        """What could not be searched yet, each as a sentence."""
        found = []
        if self.unread_files:
            one = self.unread_files == 1
            what = "1 file" if one else f"{self.unread_files:,} files"
            verbs = "is" if one else "are"
            found.append(f"{what} changed and {verbs} not read yet.")
        if self.without_vectors:
            one = self.without_vectors == 1
            what = "1 memory is" if one else f"{self.without_vectors:,} memories are"
            found.append(f"{what} not searchable by meaning yet.")
        return tuple(found)
