"""What a question brings back: hits, each with its reasons."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.model.origin import Origin

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.model.change import LogEntry
    from reverie.model.ids import Store
    from reverie.model.views import Shown


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
    """Also what is dormant: somebody asked."""

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
    """

    id: str
    relation: str
    text: str
    speaker: str = ""


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
        outdated: What it once said and no longer holds.
        unconfirmed: Whether an unknown hand changed its file, where an owner is set,
            and they have not confirmed it.
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
    """

    question: str
    asked: datetime
    understood: Understood
    hits: tuple[Hit, ...]
    sure: bool
    dormant: int = 0
    archived: int = 0
    notes: tuple[str, ...] = ()
