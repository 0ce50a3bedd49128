"""The verbs of reflection: one step of a cycle at a time, kept after each.

    standing = memory.reflection.begin()
    standing = memory.reflection.reply("grant 8000")
    standing = memory.reflection.advance()
    memory.reflection.decide("approve", standing.shown)

Nothing here runs by itself, and nothing waits: whoever comes next finds the cycle
where it was left.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from reverie.authority.authority import Act
from reverie.errors import RefusedError, ReverieError
from reverie.markdown import headline
from reverie.model.ids import choice, require_kind
from reverie.model.reflection import (
    Decision,
    Feedback,
    HostQuestion,
    Occasion,
    PendingReflection,
)
from reverie.reflection import checkin
from reverie.reflection.afterwards import (
    Discussed,
    SelfImageShown,
    adopt,
    discuss,
    draw,
    drop,
)
from reverie.reflection.checkin import Situation
from reverie.reflection.checking_in import (
    ask_first,
    count_waiting,
    require_relay,
    take_reply,
)
from reverie.reflection.cycle import (
    Asked,
    Cycle,
    Decided,
    Deferred,
    Granted,
    Idle,
    NotNowError,
    Recorded,
    Reflecting,
    Requested,
    Waiting,
    may_begin,
    quiet_until,
    remind_due,
)
from reverie.reflection.dreaming import (
    Dreamer,
    NoQuestionError,
    dream,
    dream_without_mind,
    fall_asleep,
    take_answer,
    think,
)
from reverie.reflection.granting import rewarded
from reverie.reflection.phases import GrantSpentError, Phase, next_phase, question_of
from reverie.reflection.proposing import lay_out, propose
from reverie.reflection.recording import Reflected, carry_out, completed, offer
from reverie.reflection.replies import (
    read_check_in,
    read_decision,
    read_grant,
    understood_decision,
    understood_grant,
)
from reverie.reflection.settling import settled_cycle
from reverie.reflection.standing import Standing, describe
from reverie.secrets import without_secrets
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.minds.mind import Mind
    from reverie.model.change import Actor, Receipt
    from reverie.reflection.cycle import State
    from reverie.reflection.drafting import Draft

REMIND = timedelta(hours=24)
"""A proposal that waits is brought up again so often."""


class LeftWaitingError(RefusedError):
    """A decision was put off, so there is nothing to carry out."""

    def __init__(self) -> None:
        super().__init__(
            "it waits; nothing is ever applied by waiting",
            hint="`reverie reflect show` shows it again.",
        )


class Reflection:
    """Reflection in an open workspace."""

    def __init__(self, dreamer: Dreamer) -> None:
        self._dreamer = dreamer
        self._house = dreamer.house
        self._sleep = dreamer.sleep

    # --- where it stands --------------------------------------------------------

    def status(self) -> Standing:
        """Where it stands; looking changes nothing but what time has changed."""
        return self._standing(settled_cycle(self._dreamer))

    def offer(self, *, turns: int = 0) -> Occasion | None:
        """What a reflection should be offered for now; nothing is begun by it.

        Args:
            turns: How much was said in a session that ends now; 0 if none does.
        """
        cycle = settled_cycle(self._dreamer)
        if not may_begin(cycle.state) or isinstance(cycle.state, Asked):
            return None
        if quiet_until(cycle.state, self._house.clock()):
            return None
        if isinstance(cycle.state, Deferred):
            return cycle.state.occasion
        situation = self._situation(cycle, turns)
        if turns:
            return checkin.due_at_end(situation)
        return checkin.due(situation)

    def remind(self) -> bool:
        """Whether to remind the human of what waits; at most once a day it is so."""
        cycle, now = settled_cycle(self._dreamer), self._house.clock()
        last = cycle.reminded
        rests = last is not None and last <= now < last + REMIND
        if rests or not remind_due(cycle.state, now, REMIND):
            return False
        self._sleep.put(cycle, replace(cycle, reminded=now))
        return True

    def pending(self) -> tuple[PendingReflection, str]:
        """The proposal that waits, and its page; decide with `digest(page)`.

        The page says what each change would do to the files as they are now.
        """
        self._house.look()
        offered = offer(self._dreamer)
        return offered.pending, offered.page

    # --- check-in ---------------------------------------------------------------

    def begin(self, occasion: Occasion = Occasion.MANUAL) -> Standing:
        """Ask whether to reflect; asked for in so many words, ask for tokens."""
        return self._standing(
            ask_first(self._dreamer, settled_cycle(self._dreamer), occasion)
        )

    def reply(self, words: str, *, actor: Actor | None = None) -> Standing:
        """Take what the human says to the check-in or to the token request.

        Args:
            words: A command of `reflection.replies`, such as "later" or "grant 8000".
            actor: Who passes it on; tokens above the baseline only come from the
                human themself.

        Raises:
            UnclearReplyError: It is none of the commands.
        """
        words = without_secrets(words)
        understood = self._understood(settled_cycle(self._dreamer).state, words)
        cycle = self._house.authority.within(
            Act.RAISE,
            f"answer the reflection: {understood}",
            lambda who: take_reply(
                self._dreamer, settled_cycle(self._dreamer), words, who
            ),
            actor,
        )
        return replace(self._standing(cycle), understood=understood)

    def _understood(self, state: State, words: str) -> str:
        """What an answer means; what is not understood is refused later."""
        try:
            match state:
                case Asked() | Deferred():
                    return read_check_in(words).understood
                case Requested(request=request):
                    return understood_grant(read_grant(words, request))
                case _:
                    return headline(words)
        except RefusedError:
            return headline(words)

    # --- thinking ---------------------------------------------------------------

    def advance(
        self, progress: Callable[[int, int], None] = lambda _done, _all: None
    ) -> Standing:
        """Think on, as far as it goes: to the proposal, or to the host's question.

        Args:
            progress: Told how many phases are done, and how many there are.
        """
        cycle = settled_cycle(self._dreamer)
        if isinstance(cycle.state, Granted):
            given = cycle.state
            number = given.request.number
            known = rewarded(self._sleep, number)
            # What is kept here anybody could have written; the log is in history.
            tokens = min(given.grant.tokens, known.tokens if known else 0)
            state = fall_asleep(self._dreamer, given.occasion, number, tokens)
            cycle = self._sleep.move(cycle, state)
        if not isinstance(cycle.state, Reflecting):
            what = "think"
            raise NotNowError(what, cycle.state)
        if self._dreamer.minds.kind == "rules":
            draft = dream_without_mind(self._dreamer, cycle.state)
            return self._lay_out(cycle, cycle.state, draft)
        if self._dreamer.minds.kind == "host":
            return self._finish_if_done(cycle, cycle.state)
        return self._think_all(cycle, cycle.state, progress)

    def _think_all(
        self, cycle: Cycle, state: Reflecting, progress: Callable[[int, int], None]
    ) -> Standing:
        while (phase := next_phase(state)) is not None:
            progress(len(state.thoughts), len(Phase))
            mind = self._mind(state)
            state, problem = think(self._dreamer, state, mind, phase)
            cycle = self._sleep.move(cycle, state)
            if isinstance(problem, GrantSpentError):
                self._give_up(cycle, state, problem)
            if problem is not None:
                raise problem
        progress(len(Phase), len(Phase))
        return self._finish_if_done(cycle, state)

    def _mind(self, state: Reflecting) -> Mind:
        """A mind for one phase: what was read and an answer, twice, and the prompt."""
        tokens = 3 * self._house.config.reflection.input_tokens + 2 * state.grant
        mind = self._dreamer.minds.open("reflect", {}, tokens=tokens)
        assert mind is not None  # noqa: S101 - rules do not get here
        return mind

    def question(self) -> HostQuestion:
        """What the host agent has to think about now."""
        cycle = settled_cycle(self._dreamer)
        if isinstance(cycle.state, Granted):
            self.advance()
            cycle = settled_cycle(self._dreamer)
        question = self._question(cycle.state)
        if question is None:
            raise NoQuestionError
        return question

    def answer(self, text: str) -> Standing:
        """Take the host agent's answer to the present phase.

        A bad answer may be given again; it counts against the grant all the same.
        """
        cycle = settled_cycle(self._dreamer)
        if not isinstance(cycle.state, Reflecting):
            raise NoQuestionError
        try:
            state = take_answer(self._dreamer, cycle.state, text)
        except GrantSpentError as error:
            self._give_up(cycle, cycle.state, error)
            raise
        cycle = self._sleep.move(cycle, state)
        return self._finish_if_done(cycle, state)

    def _finish_if_done(self, cycle: Cycle, state: Reflecting) -> Standing:
        if next_phase(state) is not None:
            return self._standing(cycle)
        return self._lay_out(cycle, state, dream(self._dreamer, state))

    def _lay_out(self, cycle: Cycle, state: Reflecting, draft: Draft) -> Standing:
        try:
            pending, page = propose(self._dreamer, state, draft)
        except RefusedError as error:
            self._give_up(cycle, state, error)
            raise
        lay_out(self._house, pending, page)
        waiting = Waiting(pending.number, self._house.clock())
        number = max(cycle.last_number, pending.number)
        after = replace(cycle, state=waiting, last_number=number)
        return self._standing(self._sleep.put(cycle, after))

    def _give_up(self, cycle: Cycle, state: Reflecting, why: RefusedError) -> None:
        """End a cycle without a proposal; what it took is not forgotten."""
        after = replace(
            cycle,
            state=Idle(str(why)),
            failed=cycle.failed + 1,
            wasted=cycle.wasted + state.used,
        )
        self._sleep.put(cycle, after)

    # --- deciding ---------------------------------------------------------------

    def decide(
        self, decision: Decision | str, shown: str, *, actor: Actor | None = None
    ) -> Reflected:
        """Carry out what the human decided; only a human may.

        Args:
            decision: What they want, as a value or as a command of
                `reflection.replies`, such as "approve 1,3".
            shown: The digest of the very page they saw; another one is refused.
            actor: Who decides.
        """
        require_kind("decision", decision, (Decision, str))
        require_kind("shown", shown, str)
        what = f"decide on the reflection that waits: {self._named(decision)}"
        with (
            self._house.authority.alone(Act.DECIDE, what, actor),
            # Held until it is carried out, or somebody who looks would do it as well.
            self._house.ledger.exclusively("deciding"),
        ):
            return self._decide(decision, shown)

    def _decide(self, decision: Decision | str, shown: str) -> Reflected:
        self._house.look()
        offered = offer(self._dreamer, broken_too=True)
        offered.shown(shown)
        pending = offered.pending
        decision = self._read(decision, pending)
        cycle = settled_cycle(self._dreamer)
        if not isinstance(cycle.state, Waiting):
            # A page that came back during another cycle, which goes on afterwards.
            done = self._house.persist(
                "deciding", lambda: carry_out(self._dreamer, shown, decision)
            )
            return self._told(done, decision, pending)
        now = self._house.clock()
        decided = Decided(pending.number, now, shown, decision)
        done = self._carry_out(self._sleep.move(cycle, decided), decided)
        return self._told(done, decision, pending)

    def _told(
        self, done: Reflected, decision: Decision, pending: PendingReflection
    ) -> Reflected:
        told = understood_decision(decision, len(pending.operations))
        return replace(done, understood=told)

    def _named(self, decision: Decision | str) -> str:
        """What is to be decided, as it is understood; what is not is refused later."""
        try:
            pending = offer(self._dreamer, broken_too=True).pending
            read = self._read(decision, pending)
        except ReverieError:
            return headline(decision if isinstance(decision, str) else decision.choice)
        return understood_decision(read, len(pending.operations))

    def _read(self, decision: Decision | str, pending: PendingReflection) -> Decision:
        if isinstance(decision, str):
            words = without_secrets(decision)
            found = read_decision(words, len(pending.operations))
            if found is None:
                raise LeftWaitingError
            decision = found
        return completed(decision, pending)

    def _carry_out(self, cycle: Cycle, decided: Decided) -> Reflected:
        try:
            done = self._house.persist(
                "deciding",
                lambda: carry_out(self._dreamer, decided.shown, decided.decision),
            )
        except ReverieError:
            self._sleep.move(cycle, Waiting(decided.number, decided.at))
            raise
        recorded = Recorded(done.number, done.at, done.choice, done.commit)
        self._sleep.put(cycle, replace(cycle, state=recorded, failed=0, wasted=0))
        return done

    def cancel(self, *, actor: Actor | None = None) -> Standing:
        """Give up a cycle before its proposal is there; a proposal is rejected."""
        with self._house.authority.signing(actor, "give up a reflection") as signed:
            require_relay(signed)
            cycle = settled_cycle(self._dreamer)
            if isinstance(cycle.state, Waiting | Decided):
                what = "cancel"
                raise NotNowError(what, cycle.state)
            why = f"given up by {signed}"
            return self._standing(self._sleep.move(cycle, Idle(why)))

    # --- afterwards -------------------------------------------------------------

    def say(
        self,
        words: str,
        answer: str = "",
        *,
        kind: Feedback | str = Feedback.OTHER,
        actor: Actor | None = None,
    ) -> Discussed:
        """Keep what is said about the last reflection.

        Args:
            words: The human's.
            answer: What the agent replied.
            kind: Whether they bear it out (`validated`), correct it (`corrected`) or
                do neither; both are noted beside the reflection.
            actor: Who passes it on.
        """
        kind = choice("kind", kind, Feedback)
        what = "say something about the last reflection"
        with self._house.authority.signing(actor, what) as signed:
            require_relay(signed)
            return discuss(self._dreamer, words, answer, kind, signed)

    def self_image(self, answer: str = "") -> SelfImageShown:
        """Draw the agent's picture of itself anew, to be decided on.

        Args:
            answer: The host agent's answer, where it is the one who thinks.
        """
        return draw(self._dreamer, answer)

    def adopt_self_image(self, shown: str, *, actor: Actor | None = None) -> Receipt:
        """Write the picture into `IDENTITY.md`; only a human may have it so."""
        what = "write the self-image into IDENTITY.md"
        with self._house.authority.alone(Act.DECIDE, what, actor):
            return adopt(self._dreamer, shown)

    def drop_self_image(self, *, actor: Actor | None = None) -> None:
        """Let go of a picture that was drawn; only a human may.

        `IDENTITY.md` stays as it is.
        """
        with self._house.authority.alone(Act.DECIDE, "drop the self-image", actor):
            drop(self._dreamer)

    # --- telling ----------------------------------------------------------------

    def _standing(self, cycle: Cycle) -> Standing:
        state = cycle.state
        told = self._offered(state) if isinstance(state, Waiting) else describe(state)
        return replace(
            told,
            waiting=count_waiting(self._dreamer),
            last=self._sleep.tracked().last,
            question=self._question(state),
            remind=remind_due(state, self._house.clock(), REMIND),
        )

    def _offered(self, state: Waiting) -> Standing:
        """What waits, told as it would be done now."""
        try:
            return describe(state, offer(self._dreamer).page)
        except ReverieError as error:
            told = describe(state, self._sleep.text(layout.PENDING_REFLECTION))
            return replace(told, problem=f"{error}. {error.hint}".strip())

    def _question(self, state: State) -> HostQuestion | None:
        if self._dreamer.minds.kind != "host" or not isinstance(state, Reflecting):
            return None
        phase = next_phase(state)
        if phase is None:
            return None
        asked = question_of(state, phase, self._house.config)
        return HostQuestion(
            asked.id,
            asked.operation,
            asked.text,
            asked.schema,
            state.began,
            state.problem,
        )

    def _situation(self, cycle: Cycle, turns: int) -> Situation:
        return Situation(
            self._house.clock(),
            self._sleep.tracked().last,
            count_waiting(self._dreamer),
            self._house.config,
            self._dreamer.local(),
            turns,
            cycle.offered,
        )
