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

from functools import partial
from typing import TYPE_CHECKING, Any

from reverie.agents.clashes import find_clashes
from reverie.agents.confinement import require_only_proposes
from reverie.encoding.gate.passing import pass_text
from reverie.encoding.proposing import draft, plan_proposal
from reverie.memory.reader import Reader, now_in_utc
from reverie.model.change import Approval, ChangeSet, Secrets
from reverie.model.ids import Store
from reverie.model.items import Confidence
from reverie.model.proposals import Agent, Proposed, SubAgentError, Waiting
from reverie.secrets.refusal import pass_words
from reverie.stores.text import storable, storable_name
from reverie.workspace import layout

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from reverie.ledger.ledger import Confine
    from reverie.model.change import LogEntry
    from reverie.model.items import Finding
    from reverie.model.proposals import Proposal
    from reverie.model.reflection import Trial
    from reverie.model.views import BlameLine


class SubAgent(Reader):
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
        self._agent = Agent(name)
        super().__init__(path, clock=clock, environ=environ, person=person)
        self.tidy_on_close = False

    @property
    def agent(self) -> Agent:
        """Who this handle was opened for."""
        return self._agent

    def _confinement(self) -> Confine:
        return partial(_confine, self._agent, self._person)

    def pending(self) -> list[Proposal]:
        """What waits for a decision; who works for a person sees its own.

        Few proposals of others say whom they are for, so they may be for anybody.
        """
        found = super().pending()
        own = self._agent.name
        return [one for one in found if not self._viewer or one.sender == own]

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

    def history(self, **narrowed: Any) -> list[LogEntry]:  # noqa: ANN401 - as in `Reader.history`
        """Changes, newest first; see `Reader.history`."""
        self._require_all("read history")
        return super().history(**narrowed)

    def diff(self, commit: str) -> str:
        """What one change did to the files; see `Reader.diff`."""
        self._require_all("read history")
        return super().diff(commit)

    def blame(self, path: str) -> list[BlameLine]:
        """Each line of a file, with the change it came with."""
        self._require_all("read whole files")
        return super().blame(path)

    def check(self) -> list[Finding]:
        """Everything a person should look at."""
        self._require_all("read whole files")
        return super().check()

    def expectations(self, question: str = "") -> tuple[Trial, ...]:
        """What must stay answerable; see `Reader.expectations`."""
        self._require_all("ask for everybody")
        return super().expectations(question)

    def _require_all(self, what: str) -> None:
        """Refuse what would show texts that do not say whom they are for."""
        if self._viewer:
            raise SubAgentError(self._agent.name, f"{what} while it works for one")

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
        house, agent = self._house, self._agent
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
