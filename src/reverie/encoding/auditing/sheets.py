"""What an audit looks at: files, and the memories in them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.model.audit import Spot
from reverie.model.origin import Origin

if TYPE_CHECKING:
    from datetime import date

    from reverie.model.audit import Judgement
    from reverie.model.finding import Finding
    from reverie.secrets import Secret


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """One file of a store.

    Attributes:
        path: Path below what is audited, with forward slashes.
        text: All of it.
        starts: Where each line begins.
        secrets: What in it must never be shown.
        boot: Whether its human wrote it to steer the agent: it is no memory.
        loaded: Whether the agent always has it before its eyes.
        topic: What all of it is about, where the file's name says so.
        day: The day the file says it is of.
        changed: The day it was last saved.
    """

    path: str
    text: str
    starts: tuple[int, ...]
    secrets: tuple[Secret, ...] = ()
    boot: bool = False
    loaded: bool = False
    topic: str = ""
    day: date | None = None
    changed: date | None = None

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """The whole lines that a stretch, which is not empty, stands on."""
        first = bisect_right(self.starts, start) - 1
        below = bisect_right(self.starts, max(start, end - 1))
        at_end = below == len(self.starts)
        return self.starts[first], len(self.text) if at_end else self.starts[below]

    def spot(self, at: int) -> Spot:
        """The line on which a character stands."""
        return Spot(self.path, bisect_right(self.starts, at))


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """One memory of a store.

    Attributes:
        sheet: The file it stands in.
        start: Where it begins there.
        end: Where it ends.
        text: Its words, without list marks and comments.
        heading: The headings it stands under.
        day: The day it is of, where that is known.
        origin: Whose words it is, as far as the store tells.
        subject: What it is about, where the store tells.
        leads: Whether it only announces what stands below it.
        lasting: Whether it is meant to hold for good: a procedure, a vault note.
    """

    sheet: Sheet
    start: int
    end: int
    text: str
    heading: str = ""
    day: date | None = None
    origin: Origin = Origin.OWNER
    subject: str = ""
    leads: bool = False
    lasting: bool = False

    @property
    def raw(self) -> str:
        """The very text of the file."""
        return self.sheet.text[self.start : self.end]

    @property
    def spot(self) -> Spot:
        """Where it stands."""
        return self.sheet.spot(self.start)


@dataclass(slots=True)
class Holdings:
    """A store as an audit sees it.

    Attributes:
        store: What kind it is.
        sheets: Its files.
        memories: What is in them, file by file.
        conversations: How many files were transcripts.
        left_out: What else was not looked at, and why.
    """

    store: str
    sheets: list[Sheet] = field(default_factory=list)
    memories: list[Held] = field(default_factory=list)
    conversations: int = 0
    left_out: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """What a judge found.

    Attributes:
        judgement: What for.
        sheet: The file.
        start: Where in it.
        end: Where it ends.
        why: What is wrong.
        mend: What to do about it.
        guilty: The memories that the store would be better without.
        also: Other memories it is about.
    """

    judgement: Judgement
    sheet: Sheet
    start: int
    end: int
    why: str
    mend: str
    guilty: tuple[Held, ...] = ()
    also: tuple[Held, ...] = ()


def case_of(judgement: Judgement, held: Held, why: str, mend: str) -> Case:
    """A case against one memory alone."""
    return Case(judgement, held.sheet, held.start, held.end, why, mend, (held,))


def line_starts(text: str) -> tuple[int, ...]:
    """Where each line of a text begins; an empty text has one line too."""
    starts, at = [0], text.find("\n")
    while 0 <= at < len(text) - 1:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return tuple(starts)
