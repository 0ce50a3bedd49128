"""What a reflection is made of: triggers, tokens, operations, the proposal."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.errors import NotFoundError, RefusedError
from reverie.model.items import Origin

if TYPE_CHECKING:
    from collections.abc import Mapping


class Occasion(StrEnum):
    """What a reflection is offered for (reflection v2, "Trigger Conditions").

    `IMMEDIATE` and `SOFT` are words of the user's; `MANUAL` is a command.
    """

    IMMEDIATE = "immediate"
    SOFT = "soft"
    SCHEDULED = "scheduled"
    THRESHOLD = "threshold"
    SESSION_END = "session-end"
    MANUAL = "manual"


class Reason(Struct, frozen=True):
    """Why more or fewer tokens are asked for; `tokens` is never negative."""

    words: str
    tokens: int


class TokenRequest(Struct, frozen=True):
    """What a reflection asks for before it begins.

    Attributes:
        number: Which reflection.
        day: The day it is asked on, in the user's zone.
        baseline: Tokens of an ordinary one.
        extra: What speaks for more.
        penalty: What speaks for less.
    """

    number: int
    day: date
    baseline: int
    extra: tuple[Reason, ...] = ()
    penalty: tuple[Reason, ...] = ()

    @property
    def extra_tokens(self) -> int:
        """All that is asked for besides the baseline."""
        return sum(each.tokens for each in self.extra)

    @property
    def penalty_tokens(self) -> int:
        """All that is taken off."""
        return sum(each.tokens for each in self.penalty)

    @property
    def final(self) -> int:
        """What is asked for in the end."""
        return max(0, self.baseline + self.extra_tokens - self.penalty_tokens)


class Outcome(StrEnum):
    """What became of a token request: the five answers of reflection v2."""

    APPROVED = "approved"
    BONUS = "bonus"
    REDUCED = "reduced"
    PENALTY_REJECTED = "penalty rejected"
    PENALTY_INCREASED = "penalty increased"


class Grant(Struct, frozen=True):
    """What the human gave.

    Attributes:
        tokens: The most that the whole reflection may write.
        outcome: How that compares with the request.
        reason: Why, in the human's words; empty if they gave none.
        relayed: Who passed it on, where it was not the human's own hand.
    """

    tokens: int
    outcome: Outcome
    reason: str = ""
    relayed: str = ""


class OperationKind(StrEnum):
    """What an operation does; see docs/design/reflection.md for what it may touch."""

    EXTRACT = "EXTRACT"
    CONNECT = "CONNECT"
    FLAG = "FLAG"
    ARCHIVE = "ARCHIVE"
    PATTERN = "PATTERN"
    EVOLVE = "EVOLVE"
    FINISH = "FINISH"
    CORE = "CORE"
    MOVE = "MOVE"
    DROP = "DROP"
    COMMIT = "COMMIT"
    REJECT = "REJECT"
    NOTICE = "NOTICE"
    PRUNE = "PRUNE"
    MERGE = "MERGE"
    DISTINCT = "DISTINCT"
    SETTLE = "SETTLE"


THOUGHT = frozenset(
    map(
        OperationKind,
        ("EXTRACT", "CONNECT", "FLAG", "ARCHIVE", "PATTERN", "EVOLVE", "FINISH"),
    )
)
"""What a mind may write down as an operation; the others we make ourselves."""


class Operation(Struct, frozen=True):
    """One change that a reflection proposes.

    Attributes:
        kind: What it does.
        target: The file it is about; of ARCHIVE the id of a memory, of CORE, MOVE and
            DROP the heading of a block, of COMMIT and REJECT the number of a proposal,
            of MERGE the page that goes into another one, of DISTINCT the first of two
            pages.
        content: Its text.
        reason: Why it is needed.
        context: How it relates to the agent's evolution; usually empty.
        origin: Whose words it is made of; of several, the least trusted.
        lowered_by: Which of its sources have that origin; empty for the agent's own.
    """

    kind: OperationKind
    target: str
    content: str
    reason: str = ""
    context: str = ""
    origin: Origin = Origin.AGENT
    lowered_by: str = ""

    @property
    def made_of(self) -> str:
        """Its origin and the sources that make it so, such as `tool (episode:…)`."""
        return f"{self.origin} ({self.lowered_by})" if self.lowered_by else self.origin


class Refused(Struct, frozen=True):
    """An operation, or what was meant as one, that is not carried out, and why.

    Attributes:
        what: A few words to call it by.
        why: Why not.
        said: What it said, to be said anew.
    """

    what: str
    why: str
    said: str = ""


class SourceRead(Struct, frozen=True):
    """What was read of one source (reflection v2, "Token Budgets").

    Attributes:
        name: As the table calls it, such as `memory/episodes/*`.
        read: How many files or entries were read.
        tokens: How many tokens that is.
        budget: How many it may be.
        left_out: How many files or entries did not fit.
        why: Which ones, in words; empty if all were read.
    """

    name: str
    read: int
    tokens: int
    budget: int
    left_out: int = 0
    why: str = ""


class Verdict(StrEnum):
    """How a question that must stay answerable fares."""

    SAME = "same"
    EASIER = "easier"
    HARDER = "harder"
    LOST = "lost"
    MISSING = "missing"
    """It could not be answered before either."""


class Expected(Struct, frozen=True):
    """A question that must stay answerable.

    Attributes:
        question: In plain words.
        answer: What has to be found.
        since: The day it was set.
        source: Who or what set it: `manual`, or the reflection it was born from.
        scope: The person it is for alone; empty for everybody.
    """

    question: str
    answer: str
    since: date | None = None
    source: str = "manual"
    scope: str = ""


class Trial(Struct, frozen=True):
    """How one question fares before and after; ranks count from 1, 0 is not found."""

    expected: Expected
    before: int
    after: int

    @property
    def verdict(self) -> Verdict:
        """What became of it."""
        if not self.before:
            return Verdict.EASIER if self.after else Verdict.MISSING
        if not self.after:
            return Verdict.LOST
        if self.after == self.before:
            return Verdict.SAME
        return Verdict.HARDER if self.after > self.before else Verdict.EASIER


class Presentation(StrEnum):
    """How a proposal is told."""

    MONOLOGUE = "monologue"
    SUMMARY = "summary"


class Insight(Struct, frozen=True):
    """What one reflection adds to the log and to the evolution (reflection v2).

    Attributes:
        vibe: One line, the emotional texture; empty where rules reflected.
        key: One sentence, the most important realization.
        new_understanding: What changed.
        confirmed: What was reinforced.
        revised: What was corrected.
        continues: A past thread it goes on with, such as `Reflection #7: …`.
        opens: A new area of inquiry.
        closes: Threads that came to their end, `title` or `title → another one`.
        answers: Open questions with their answers, `question → answer`.
        patterns: What was borne out, `#1, #4, #7: …` by the numbers of reflections.
    """

    vibe: str = ""
    key: str = ""
    new_understanding: str = ""
    confirmed: str = ""
    revised: str = ""
    continues: str = ""
    opens: str = ""
    closes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


INSIGHT_LABELS = {
    "vibe": "Vibe",
    "key": "Key insight",
    "new_understanding": "New understanding",
    "confirmed": "Confirmed pattern",
    "revised": "Revised assumption",
    "continues": "Continues",
    "opens": "Opens",
    "closes": "Closes",
    "answers": "Answers",
    "patterns": "Pattern",
}
"""What people read the parts of an insight as, in their order."""


class Backlog(Struct, frozen=True):
    """Episodes from before the last reflection that no reflection has read.

    Attributes:
        noted_until: Only those noted by this moment, in UTC; later ones count as new.
        periods: When they happened, the oldest first: after the first moment of each
            pair, up to and including the second, in UTC.
    """

    noted_until: datetime
    periods: tuple[tuple[datetime, datetime], ...] = ()

    def has(self, at: datetime) -> bool:
        """Return whether something that happened at a moment may be among them."""
        return any(begin < at <= end for begin, end in self.periods)

    def from_day(self, since: datetime | None) -> Backlog:
        """Return the part that happened at a moment or later; all of it for None."""
        if since is None:
            return self
        before = since - timedelta(microseconds=1)
        periods = ((max(begin, before), end) for begin, end in self.periods)
        return Backlog(
            self.noted_until, tuple(each for each in periods if each[0] < each[1])
        )

    def without(self, begin: datetime, end: datetime) -> Backlog:
        """Return what is left once everything between two moments was read."""
        left = [
            part
            for first, last in self.periods
            for part in ((first, min(last, begin)), (max(first, end), last))
            if part[0] < part[1]
        ]
        return Backlog(self.noted_until, tuple(left))


EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
"""Where the backlog of a workspace begins."""


class PendingReflection(Struct, frozen=True):
    """A proposal that waits for its human: all of `pending-reflection.md`.

    Attributes:
        number: Which reflection.
        made: When, in UTC.
        presentation: How it is told.
        told: What the human reads: monologue or summary, without the operations.
        operations: What would be done, numbered from 1 in this order.
        insight: What goes into log and evolution if it is approved.
        elements: The elements of the menu that were drawn for the monologue.
        read: What was read, by source.
        refused: What was thought of and may not be done.
        trials: How the questions fare that must stay answerable.
        questions: What the agent would like to know.
        grant: The most output tokens; 0 where rules reflected.
        used: The output tokens it took.
        input_tokens: The tokens that were read, each text counted once.
        read_until: The moment of the newest episode that was read, in UTC.
        milestone: What is special about this one, such as `#25`; usually empty.
        essay: The longer text that a milestone asks for; usually empty.
        sent_tokens: The tokens of all prompts together, as they were sent.
        backlog: The older episodes that stay unread; None where it was not counted.
    """

    number: int
    made: datetime
    presentation: Presentation
    told: str
    operations: tuple[Operation, ...] = ()
    insight: Insight = Insight()
    elements: tuple[str, ...] = ()
    read: tuple[SourceRead, ...] = ()
    refused: tuple[Refused, ...] = ()
    trials: tuple[Trial, ...] = ()
    questions: tuple[str, ...] = ()
    grant: int = 0
    used: int = 0
    input_tokens: int = 0
    read_until: datetime | None = None
    milestone: str = ""
    essay: str = ""
    sent_tokens: int = 0
    backlog: Backlog | None = None

    @property
    def has_nothing_to_decide(self) -> bool:
        """Whether this is a list that no model has read, without any change."""
        return not self.operations and not self.grant

    @property
    def merges(self) -> tuple[int, ...]:
        """The numbers of the changes that merge two pages."""
        kinds = enumerate((one.kind for one in self.operations), 1)
        return tuple(number for number, kind in kinds if kind is OperationKind.MERGE)

    @property
    def session(self) -> str:
        """The name history knows it by, such as `r-012`."""
        return session_name(self.number)


def session_name(number: int) -> str:
    """The name history knows a reflection by, such as `r-012`."""
    return f"r-{number:03d}"


def digest(page: str) -> str:
    """A short fingerprint of a proposal's page, to bind a decision to."""
    return hashlib.sha256(page.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class UnfitTextError(RefusedError):
    """A person typed something that cannot be made of a change."""

    says = "{} cannot be made as you typed it: {}"
    mend = "Type it otherwise, or leave it out. Nothing was applied."


class UnknownItemError(NotFoundError):
    """A number that no change of the proposal has."""

    def __init__(self, number: int, most: int) -> None:
        has = f"its changes are 1\u2013{most}" if most else "it has no changes"
        super().__init__(
            f"there is no change {number} in this proposal: {has}",
            hint="`reverie reflect show` shows them with their numbers.",
        )


class Choice(StrEnum):
    """What a human may say to a proposal."""

    APPROVE = "approve"
    CHANGE = "approve with changes"
    PARTIAL = "partial approve"
    REJECT = "reject"
    LATER = "later"


def describe_due_self_image(notes: int) -> str:
    """Return the line that says that a new self-image is due."""
    plural = "s" * (notes != 1)
    told = f"A new self-image is due ({notes} note{plural} of self-awareness): "
    return f'{told}say "consolidate your self-image", or `reverie reflect self-image`.'


LONG_SESSION = 10
"""So many turns make a conversation long enough to be slept on at its end."""


class Feedback(StrEnum):
    """What a human's words do to what a reflection said, as who passes them on says."""

    VALIDATED = "validated"
    CORRECTED = "corrected"
    OTHER = "other"


class Decision(Struct, frozen=True):
    """What the human decided.

    Attributes:
        choice: What they said.
        accepted: Numbers of the operations to carry out.
        rejected: Numbers of the operations that the user refuses by name. What is
            neither accepted nor rejected stays open and is proposed again.
        changes: New texts of operations, by number, as `(number, text)`.
        reason: Why, in their words.
        regardless: Whether to apply it although a question would become unanswerable.
        whole: Whether they typed over all of a text: what it would replace or answer
            and is not in it any more is then not meant.
    """

    choice: Choice
    accepted: tuple[int, ...] = ()
    changes: tuple[tuple[int, str], ...] = ()
    reason: str = ""
    regardless: bool = False
    whole: bool = False
    rejected: tuple[int, ...] = ()


class Noticed(Struct, frozen=True):
    """One memory as a reflection sees it.

    Attributes:
        id: Its id.
        path: The file it stands in.
        text: What it says: an episode's words; of a page, the whole file.
        title: A short name: an entity's label, a procedure's name.
        kind: Of an episode what sort of event it was, else empty.
        tags: Topics of an episode.
        origin: Whose words it is.
        at: When it happened or was last of use, in UTC.
        score: How vivid it is, from 0 to 1.
    """

    id: str
    path: str
    text: str
    title: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    origin: str = "owner"
    at: datetime | None = None
    score: float = 1.0


class Survey(Struct, frozen=True):
    """All that one reflection may see, each source within its budget.

    Attributes:
        first: Whether it is the first reflection of the workspace.
        since: What happened after this moment is new, in UTC.
        read_until: The moment of the newest episode among those read, in UTC.
        core: `MEMORY.md`.
        evolution: `evolution.md`.
        log: The last ten entries of `reflection-log.md`, oldest first.
        graph: `graph/index.md`, the most vivid entities first.
        economy: What `decay-scores.json` says besides its entries, as text.
        fading: What fades or is near its archive, the faintest first.
        entities: Pages of entities.
        episodes: What is new, oldest first.
        procedures: Ways of doing things.
        proposals: The pending proposals, each with its number as its ID.
        read: What was read of each source, and what did not fit.
        asks: What pages ask: which of two statements holds, and whether two pages are
            about one thing.
        used: What was of use most often, and how often.
        heard: What the human said to earlier reflections.
        person: What the human is called; empty if nobody knows.
        backlog: The older episodes that stay unread; None where it was not counted.
        planned: What is dated in the future, the soonest first.
    """

    first: bool
    since: datetime
    read_until: datetime | None
    core: str
    evolution: str
    log: tuple[str, ...]
    graph: str
    economy: str
    fading: tuple[Noticed, ...]
    entities: tuple[Noticed, ...]
    episodes: tuple[Noticed, ...]
    procedures: tuple[Noticed, ...]
    proposals: tuple[Noticed, ...]
    read: tuple[SourceRead, ...]
    asks: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()
    person: str = ""
    backlog: Backlog | None = None
    planned: tuple[Noticed, ...] = ()

    @property
    def tokens(self) -> int:
        """All that was read."""
        return sum(each.tokens for each in self.read)


class HostQuestion(Struct, frozen=True):
    """A question for the agent that is connected.

    Attributes:
        id: By which it is answered.
        operation: What it is for.
        prompt: What to think about.
        schema: The JSON schema of the answer.
        asked: When it was put, in UTC.
        problem: Why the answer before could not be used; empty if there was none.
    """

    id: str
    operation: str
    prompt: str
    schema: Mapping[str, object]
    asked: datetime | None = None
    problem: str = ""
