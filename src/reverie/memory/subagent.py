"""A sub-agent's handle: it reads, and it proposes (003, §13).

    with memory.acting_as("researcher") as researcher:
        researcher.recall("which sources does she like?")
        researcher.propose("Prefers academic sources for technical topics.")

There is no verb to write with. And whatever reaches its ledger, that commits nothing
but one more proposal, signed with the name that the handle was opened with.

One that works for a person finds nothing that is for another person alone; see
`Viewer`. Whatever tells of all files at once, as history does, it may not ask then:
much that was written for one does not say so.
"""

from __future__ import annotations

from functools import partial, wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from reverie.agents.confinement import require_only_proposes
from reverie.agents.review import find_clashes
from reverie.encoding.gate import pass_text
from reverie.encoding.proposal_draft import draft, plan_proposal
from reverie.memory.memory import Memory, now_in_utc
from reverie.model.change import Approval, ChangeSet, Secrets
from reverie.model.ids import Store
from reverie.model.items import Confidence
from reverie.model.origin import person_named
from reverie.model.proposals import Agent, Proposed, SubAgentError, Waiting
from reverie.secrets import pass_words
from reverie.stores.text import storable, storable_name
from reverie.workspace import layout

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from reverie.config import Config
    from reverie.model.proposals import Proposal


P = ParamSpec("P")
R = TypeVar("R")


def _asks(
    verb: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[SubAgent, P], R]:
    """A verb of `Memory` that changes nothing, as a sub-agent has it."""

    @wraps(verb)
    def ask(self: SubAgent, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return verb(self._memory, *args, **kwargs)

    return ask


def _asks_of_all(
    verb: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[SubAgent, P], R]:
    """As `_asks`, for what shows texts that do not say whom they are for."""

    @wraps(verb)
    def ask(self: SubAgent, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if self._person:
            what = f"ask for `{verb.__name__}` while it works for one"
            raise SubAgentError(self.agent.name, what)
        return verb(self._memory, *args, **kwargs)

    return ask


class SubAgent:
    """An open workspace, to be asked, and to propose memories to.

    Args:
        path: Its folder.
        name: What the sub-agent is called; history signs with it.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration come from.
        person: For whom it works; what is for another person alone is not found.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        name: str,
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        person: str = "",
    ) -> None:
        pass_words((name, person), Secrets.REFUSE)
        self.agent = Agent(name)
        self._person = person_named(person)
        confine = partial(_confine, self.agent, self._person)
        self._memory = Memory(
            path, clock=clock, environ=environ, person=person, confine=confine
        )

    close = _asks(Memory.close)
    recall = _asks(Memory.recall)
    context = _asks(Memory.context)
    why = _asks(Memory.why)
    show = _asks(Memory.show)
    items = _asks(Memory.items)
    overview = _asks(Memory.overview)
    windows = _asks(Memory.windows)
    turns = _asks(Memory.turns)
    instructions = _asks(Memory.instructions)
    instructed = _asks(Memory.instructed)
    health = _asks(Memory.health)
    spent = _asks(Memory.spent)
    spending = _asks(Memory.spending)
    alerts = _asks(Memory.alerts)
    history = _asks_of_all(Memory.history)
    diff = _asks_of_all(Memory.diff)
    blame = _asks_of_all(Memory.blame)
    check = _asks_of_all(Memory.check)
    expectations = _asks_of_all(Memory.expectations)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._memory.__exit__(kind, error, trace)

    @property
    def root(self) -> Path:
        """The workspace's folder."""
        return self._memory.root

    @property
    def config(self) -> Config:
        """The workspace's parameters."""
        return self._memory.config

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was amiss and has been worked around since opening."""
        return self._memory.warnings

    def pending(self) -> list[Proposal]:
        """What waits for a decision; who works for a person sees its own.

        Few proposals of others say whom they are for, so they may be for anybody.
        """
        own = self.agent.name
        found = self._memory.pending()
        return [one for one in found if not self._person or one.sender == own]

    def waiting(self) -> list[Waiting]:
        """What waits for a decision, and which of it contradicts which; see `pending`.

        What contradicts a memory stands in the mark that a review has made.
        """
        found = self.pending()
        clashes = find_clashes(found, lambda _: "")
        return [
            Waiting(one, tuple(c for c in clashes if c.number == one.number))
            for one in found
        ]

    def propose(  # noqa: PLR0913 - the fields of a proposal
        self,
        content: str,
        *,
        store: Store = Store.SEMANTIC,
        entities: Iterable[str] = (),
        confidence: Confidence = Confidence.MEDIUM,
        core_worthy: bool = False,
        trigger: str = "auto-detect",
        name: str = "",
        when: str = "",
        supersedes: str = "",
        contradicts: Iterable[str] = (),
        secrets: Secrets = Secrets.REFUSE,
    ) -> Proposed:
        """Put a memory on the list of what the main agent or its human decides on.

        Args:
            content: The very text.
            store: Where it should go: episodic, semantic, procedural or vault.
            entities: Ids of entities it is about, such as `project--apollo`.
            confidence: How sure the sub-agent is.
            core_worthy: Whether it should stand in core memory too.
            trigger: What started it.
            name: What a procedure or note is to be called.
            when: When to do it, for a procedure.
            supersedes: The id of the fact that it should take the place of.
            contradicts: Ids of what is known, or `#4`, that it contradicts.
            secrets: What to do with passwords and keys in it.
        """
        house, agent = self._memory._house, self.agent  # noqa: SLF001 - its own
        if secrets is Secrets.KEEP:
            raise SubAgentError(agent.name, "keep a secret in plain text")
        about = tuple(entities)
        pass_words(about, secrets)
        limit = house.config.ledger.text_limit
        passed = [pass_text(text, secrets) for text in (content, trigger, name, when)]
        text, started, called, occasion = (each.text for each in passed)
        wanted = draft(
            agent,
            storable(text, limit),
            store=store,
            entities=about,
            confidence=confidence,
            core_worthy=core_worthy,
            trigger=storable(started, limit) if started else "",
            at=house.clock(),
            name=storable_name(called) if called else "",
            when=storable(occasion, limit) if occasion else "",
            scope=self._person,
            supersedes=supersedes,
            contradicts=contradicts,
        )

        def attempt() -> Proposed:
            house.sync()
            edits, number = plan_proposal(wanted, house.ledger.read)
            if not edits:
                head, now = house.ledger.head, house.clock()
                return Proposed(head, now, (), agent.actor, number=number, known=True)
            change = ChangeSet(edits, agent.actor, Approval.PENDING, wanted.trigger)
            done = house.commit(change)
            return Proposed(
                done.commit,
                done.at,
                done.lines,
                done.actor,
                number=number,
                redacted=tuple(dict.fromkeys(k for p in passed for k in p.redacted)),
            )

        return house.persist("propose", attempt)


def _confine(
    agent: Agent,
    person: str,
    change: ChangeSet | None,
    current: Mapping[str, bytes | None],
) -> None:
    if change is None:
        raise SubAgentError(agent.name, "write anything but a proposal")
    require_only_proposes(agent, change, current.get(layout.PENDING), person)
