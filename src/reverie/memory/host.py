"""What an agent that talks does with its memory: windows, waking, company."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, get_args

from reverie.agents.instructing import refresh
from reverie.agents.review import Review
from reverie.authority.acts import Act
from reverie.conversation.idling import start_if_due
from reverie.conversation.sittings import Sittings
from reverie.conversation.telling import News
from reverie.conversation.transcripts import talked_in
from reverie.conversation.waking import Window
from reverie.conversation.windows import Talk
from reverie.errors import ReverieError
from reverie.ledger.watch import HISTORY
from reverie.markdown import headline
from reverie.memory.keeper import Keeper
from reverie.model.change import MAIN, Actor
from reverie.model.conversation import Cause
from reverie.model.ids import require_kind
from reverie.model.origin import is_for
from reverie.model.proposals import ASK, Proposal
from reverie.model.route import Place
from reverie.secrets import without_secrets
from reverie.stores.entities import WHICH_HOLDS
from reverie.stores.proposals import find_proposal, listed, load_pending

if TYPE_CHECKING:
    from reverie.memory.companions import SubAgent
    from reverie.minds.talking import Talker
    from reverie.model.change import Receipt
    from reverie.model.conversation import Attended, Awake, Offer, SummedUp
    from reverie.model.ids import Store
    from reverie.model.proposals import Resolution, Waiting
    from reverie.model.views import Alert

SHOWN = 5
"""So many proposals are named when an agent wakes."""


class Host(Keeper):
    """An open workspace, to talk with."""

    def window(self, name: str) -> Window:
        """One running conversation, by whatever its host calls it."""
        return Window(self._talk, name, self._news)

    def wake(
        self,
        window: str,
        *,
        budget: int | None = None,
        person: str = "",
        new: bool = False,
    ) -> Awake:
        """What an agent should see at the start of a conversation.

        Core memory, alerts, what waits for a yes, what is due, and turns: the newest
        of this window, and what fits them from anywhere.

        Args:
            window: The conversation.
            budget: The most tokens; `conversation.wake_tokens` by default.
            person: Who speaks; what is for another person alone is not told.
            new: Whether a session begins, whatever was told before.
        """
        return self.window(window).wake(budget=budget, person=person, new=new)

    def attend(
        self,
        window: str,
        message: str,
        *,
        budget: int | None = None,
        person: str = "",
    ) -> Attended:
        """What to add to an agent's context for one message.

        Args:
            window: The conversation.
            message: What the user says.
            budget: The most tokens; `conversation.attend_tokens` by default.
            person: Who speaks; what is for another person alone is not told.
        """
        return self.window(window).attend(message, budget=budget, person=person)

    def talker(self) -> Talker | None:
        """The configured model, to talk with; None where there is none."""
        return self._minds.talker()

    def idle(self) -> tuple[SummedUp | Offer, ...]:
        """Summarise every conversation that is due, or say which prompts are.

        A service calls this now and then; `watch` sets a timer instead.
        """
        self._house.sync()
        done: list[SummedUp | Offer] = []
        for name in talked_in(self._house):
            # Somebody else may be at it, or the model be away: the others still count.
            with contextlib.suppress(ReverieError):
                window = self.window(name)
                done += [window.reflect(cause=Cause.IDLE)] if window.due() else []
        return tuple(done)

    def tidy(self) -> None:
        """Do all that can wait, and have a model sum up what is due."""
        super().tidy()
        refresh(self._house)
        if self._minds.kind == "api":
            with contextlib.suppress(ReverieError):
                self.idle()

    @cached_property
    def _talk(self) -> Talk:
        talk = Talk(
            self._house,
            self._minds,
            Sittings(self._house),
            self._find_out,
            self._viewer,
        )
        talk.before = partial(start_if_due, talk)
        return talk

    def _news(self, person: str = "") -> News:
        """What an agent should know of besides its memories, when it talks to one.

        What is proposed for somebody else alone is neither counted nor told.
        """
        house, person = self._house, self._person or person
        self.review(actor=MAIN)
        refresh(house)
        waiting = [o for o in listed(house.ledger.read) if is_for(o.scope, person)]
        lines = [
            f"#{one.number} into {one.store}, by {one.sender}: {headline(one.content)}"
            for one in sorted(waiting, key=lambda one: not one.status.startswith(ASK))
        ]
        return News(
            alerts=tuple(_told(alert) for alert in self.alerts()),
            waiting=len(waiting),
            proposals=tuple(lines[:SHOWN]),
            reflection=self._reflection_news(),
            notes=self.warnings,
        )

    def _reflection_news(self) -> str:
        """Where reflection stands, where its human should hear of it."""
        return ""

    def acting_as(self, name: str, *, person: str = "") -> SubAgent:
        """A sub-agent's own handle on the same workspace: it reads and proposes.

        Args:
            name: What it is called.
            person: For whom it works; it finds nothing that is for another person.
        """
        from reverie.memory.companions import SubAgent  # noqa: PLC0415 - rarely used

        house = self._house
        return SubAgent(
            self.root,
            name,
            clock=house.clock,
            environ=self._variables,
            person=self._person or person,
        )

    def instruct(
        self,
        path: str = "AGENTS.md",
        *,
        actor: Actor | None = None,
        remove: bool = False,
    ) -> Receipt | None:
        """Put what agents are told about memory into a file, or take it out.

        It stands between two markers, and is kept current from then on.

        Args:
            path: One of the files that agents read at every start.
            actor: Who acts.
            remove: Whether to take it out.

        Returns:
            Proof of it; None if there was nothing to do.
        """
        from reverie.agents.instructing import instruct  # noqa: PLC0415 - rarely used

        return instruct(self._house, path, actor, remove=remove)

    @cached_property
    def _review(self) -> Review:
        return Review(self._house, self._desk, self._clerk.place_of)

    def waiting(self) -> tuple[Waiting, ...]:
        """What waits for a decision, each with what it is at odds with."""
        self._house.look()
        return self._viewer.waiting(self._review.waiting())

    def contradictions(self) -> list[tuple[str, str]]:
        """Pages, by id, that ask which of some facts holds, and the question."""
        house = self._house
        house.look()
        asked = house.answered(lambda: house.index.lookup.asking(WHICH_HOLDS))
        return [(id_, said) for id_, said in asked if self._viewer.sees_id(id_)]

    def review(self, *, actor: Actor = MAIN) -> tuple[Receipt, ...]:
        """Mark proposals that contradict, and commit those that need no second look.

        What needs none is set by `agents.review` and `agents.trusted`.
        """
        with self._authority.signing(actor, "review what is proposed") as signed:
            return tuple(map(self._viewer.receipt, self._review.look(signed)))

    def proposal(self, number: int) -> Proposal:
        """One of what waits for a yes."""
        require_kind("number", number, int)
        found = find_proposal(load_pending(self._house.ledger.read), number)
        return self._viewer.require_proposal(found)

    def place_in(self, proposal: Proposal, store: Store) -> Place:
        """Where in another store a proposal would go."""
        return self._clerk.place_of(replace(proposal, store=store))

    def accept(
        self,
        proposal: Proposal,
        place: Place | None = None,
        *,
        actor: Actor | None = None,
    ) -> Receipt:
        """Make a proposal a memory, word for word.

        A human may always; the main agent (`bot:main`) what a sub-agent proposed for
        the episodes or the graph, and of trusted ones for the procedures.

        Args:
            proposal: As it was shown; one that reads otherwise by now is refused.
            place: Where it shall go, instead of where it was proposed to go.
            actor: Who acts; its human where one is there, else `bot:main`.
        """
        hint = "`memory.proposal(1)` gives the one with that number, as it stands."
        require_kind("proposal", proposal, Proposal, hint=hint)
        if place is not None:
            require_kind("place", place, get_args(Place))
        shown = self._viewer.require_proposal(proposal)
        return self._viewer.receipt(
            self._authority.within(
                Act.ACCEPT,
                f"accept proposal #{shown.number}: {headline(shown.content)}",
                lambda who: self._review.accept(shown, place, who),
                actor,
            )
        )

    def reject(
        self, number: int, *, reason: str = "", actor: Actor | None = None
    ) -> Receipt:
        """Take a proposal off the list; history keeps what it said."""
        self._require_proposals(number)
        return self._viewer.receipt(
            self._authority.within(
                Act.ACCEPT,
                f"reject proposal #{number}",
                lambda who: self._review.reject(number, without_secrets(reason), who),
                actor,
            )
        )

    def defer(self, number: int, *, actor: Actor | None = None) -> Receipt:
        """Leave a proposal for the next reflection."""
        self._require_proposals(number)
        return self._viewer.receipt(
            self._authority.within(
                Act.ACCEPT,
                f"defer proposal #{number}",
                lambda who: self._review.defer(number, who),
                actor,
            )
        )

    def resolve(
        self,
        numbers: Sequence[int],
        how: Resolution,
        *,
        keep: int = 0,
        actor: Actor | None = None,
    ) -> Receipt:
        """Settle proposals that contradict each other, or what is known.

        Args:
            numbers: Which ones.
            how: Keep one, keep both, or ask the user.
            keep: Which one holds; 0 for none of them.
            actor: A human, or the main agent.
        """
        from reverie.agents.resolving import resolve  # noqa: PLC0415 - rarely used

        require_kind("numbers", numbers, Sequence)
        self._require_proposals(*numbers)
        return self._viewer.receipt(
            self._authority.within(
                Act.ACCEPT,
                f"resolve proposals {', '.join(f'#{number}' for number in numbers)}",
                lambda who: resolve(self._review, numbers, how, keep, who),
                actor,
            )
        )

    def _require_proposals(self, *numbers: int) -> None:
        """Refuse what is no number, and what is proposed for another person."""
        for number in numbers:
            require_kind("number", number, int)
            if self._viewer:
                self.proposal(number)


def _told(alert: Alert) -> str:
    """An alert in one line; what changed is for its human to see, not for an agent."""
    if alert.path == HISTORY:
        return f"{alert.summary}. Was this intentional?"
    told = f"{alert.path} was changed on {alert.at:%Y-%m-%d} by {alert.actor}"
    return f"{told}. Was this intentional? (`reverie alerts` shows what changed)"
