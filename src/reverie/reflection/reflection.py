"""The verbs of reflection: one step of a cycle at a time, kept after each.

    standing = memory.reflection.begin()
    standing = memory.reflection.reply("grant 8000")
    standing = memory.reflection.advance()
    memory.reflection.decide("approve", standing.shown)

Nothing here runs by itself, and nothing waits: whoever comes next finds the cycle
where it was left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    digest,
)
from reverie.reflection import checkin, feedback, phases, replies
from reverie.reflection import cycle as states
from reverie.reflection.apply import Reflected, carry_out, completed, offer
from reverie.reflection.cycle import NAMES, AwaitingDecision, Reflecting
from reverie.reflection.draft import dream, lay_out, propose
from reverie.reflection.phases import GrantSpentError, Phase, next_phase
from reverie.reflection.records.log import STATUSES
from reverie.reflection.records.rewards import render_request
from reverie.reflection.recover import recovered_cycle
from reverie.reflection.token_request import rewarded
from reverie.reflection.without_mind import Surroundings, reflect_without_mind
from reverie.secrets import without_secrets
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from reverie.model.change import Actor, Receipt
    from reverie.model.reflection import PendingReflection
    from reverie.reflection.cycle import Cycle, State, Study
    from reverie.reflection.draft import Draft

REMIND = timedelta(hours=24)
"""A proposal that waits is brought up again so often."""


class LeftWaitingError(RefusedError):
    """A decision was put off, so there is nothing to carry out."""

    def __init__(self) -> None:
        super().__init__(
            "it waits; nothing is ever applied by waiting",
            hint="`reverie reflect show` shows it again.",
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """Where reflection stands, for people and programs.

    Attributes:
        state: The state's name.
        says: What the human should read now; may be long.
        hint: What can be done next.
        number: Which reflection; 0 where none is under way.
        waiting: How many new episodes there are.
        last: When the last one was approved, in UTC.
        until: Until when it is put off, or when the next is due, in UTC.
        question: What the host agent has to answer.
        shown: The digest of the proposal, to decide with.
        remind: Whether the human should be reminded.
        problem: What went wrong with the last answer.
        understood: What the last answer of a person was understood as.
    """

    state: str
    says: str
    hint: str
    number: int = 0
    waiting: int = 0
    last: datetime | None = None
    until: datetime | None = None
    question: HostQuestion | None = None
    shown: str = ""
    remind: bool = False
    problem: str = ""
    understood: str = ""


def describe(state: State, page: str = "") -> Standing:
    """What a state means, and what can be done next.

    Args:
        state: Where the cycle is.
        page: The proposal that waits, where one does.
    """
    match state:
        case states.Idle(why=says):
            hint = "`reverie reflect` begins one."
        case states.Asked(question=says):
            hint = "Answer: `reverie reflect reply yes`, no, later, or a time such as "
            hint += "4h."
        case states.Deferred(why=why):
            says = f"put off: {why}"
            hint = "It is asked again then; `reverie reflect` begins now."
        case states.Requested(request=request):
            says, rest = render_request(request), replies.TOKENS.removeprefix("grant, ")
            hint = f"`reverie reflect reply grant` gives {request.final:,}; or say "
            hint += f"{rest}."
        case states.Granted(grant=grant):
            says = f"{grant.tokens:,} tokens were given ({grant.outcome})"
            hint = "`reverie reflect run` thinks it through."
        case Reflecting():
            says, hint = _describe_thinking(state)
        case AwaitingDecision():
            says = page
            hint = "Decide: `reverie reflect approve`, some of it (`approve 1,3`), or "
            hint += "`reverie reflect reject`. `reverie reflect show` prints the whole "
            hint += "page."
        case states.Decided(decision=decision):
            says = f"to be {STATUSES[decision.choice]}"
            hint = "It is carried out when the workspace is next used."
        case states.Recorded(choice=chosen):
            says, hint = STATUSES[chosen], "`reverie reflect` begins another."
    return Standing(
        NAMES[type(state)],
        says,
        hint,
        number=getattr(getattr(state, "request", state), "number", 0),
        until=getattr(state, "until", None),
        shown=digest(page) if isinstance(state, AwaitingDecision) else "",
        problem=getattr(state, "problem", ""),
    )


def _describe_thinking(state: Reflecting) -> tuple[str, str]:
    count, phase = len(state.survey.episodes), next_phase(state)
    says = f"{count:,} episode{'s' * (count != 1)} read"
    hint = "`reverie reflect run` goes on."
    if not state.grant:
        says += "; what there is will be listed"
    else:
        says += f", {len(state.thoughts)} of {len(Phase)} phases done, "
        says += f"{state.used:,} of {state.grant:,} tokens used"
        hint += " A host agent asks `reverie reflect next` and answers."
    if phase and state.problem:
        says += f"; the phase '{phase}' failed: {state.problem}"
    return says, hint


class Reflection:
    """Reflection in an open workspace."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._house = study.house
        self._store = study.store

    def _cycle(self) -> Cycle:
        """The cycle, with what time has done to it, and a crash left undone."""
        return recovered_cycle(self._study)

    # --- where it stands --------------------------------------------------------

    def status(self) -> Standing:
        """Where it stands; looking changes nothing but what time has changed."""
        return self._standing(self._cycle())

    def offer(self, *, turns: int = 0) -> Occasion | None:
        """What a reflection should be offered for now; nothing is begun by it.

        Args:
            turns: How much was said in a session that ends now; 0 if none does.
        """
        cycle, now = self._cycle(), self._house.clock()
        state = cycle.state
        if not states.may_begin(state) or isinstance(state, states.Asked):
            return None
        if states.quiet_until(state, now):
            return None
        if isinstance(state, states.Deferred):
            return state.occasion
        situation = checkin.Situation(
            now,
            self._store.tracked().last,
            checkin.count_waiting(self._study),
            self._house.config,
            self._study.local(),
            turns,
            cycle.offered,
        )
        return checkin.due_at_end(situation) if turns else checkin.due(situation)

    def remind(self) -> bool:
        """Whether to remind the human of what waits; at most once a day it is so."""
        cycle, now = self._cycle(), self._house.clock()
        last = cycle.reminded
        rests = last is not None and last <= now < last + REMIND
        if rests or not states.remind_due(cycle.state, now, REMIND):
            return False
        self._store.put(cycle, replace(cycle, reminded=now))
        return True

    def pending(self) -> tuple[PendingReflection, str]:
        """The proposal that waits, and its page; decide with `digest(page)`.

        The page says what each change would do to the files as they are now.
        """
        self._house.look()
        offered = offer(self._study)
        return offered.pending, offered.page

    # --- check-in ---------------------------------------------------------------

    def begin(self, occasion: Occasion = Occasion.MANUAL) -> Standing:
        """Ask whether to reflect; asked for in so many words, ask for tokens."""
        cycle = checkin.ask_first(self._study, self._cycle(), occasion)
        return self._standing(cycle)

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
        understood = self._understood(self._cycle().state, words)
        cycle = self._house.authority.within(
            Act.RAISE,
            f"answer the reflection: {understood}",
            lambda who: checkin.take_reply(self._study, self._cycle(), words, who),
            actor,
        )
        return replace(self._standing(cycle), understood=understood)

    def _understood(self, state: State, words: str) -> str:
        """What an answer means; what is not understood is refused later."""
        try:
            match state:
                case states.Asked() | states.Deferred():
                    return replies.read_check_in(words).understood
                case states.Requested(request=request):
                    return replies.understood_grant(replies.read_grant(words, request))
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
        cycle = self._cycle()
        if isinstance(cycle.state, states.Granted):
            given = cycle.state
            number = given.request.number
            known = rewarded(self._store, number)
            # What is kept here anybody could have written; the log is in history.
            tokens = min(given.grant.tokens, known[1].tokens if known else 0)
            asleep = phases.fall_asleep(self._study, given.occasion, number, tokens)
            cycle = self._store.move(cycle, asleep)
        state = cycle.state
        if not isinstance(state, Reflecting):
            what = "think"
            raise states.NotNowError(what, state)
        kind = self._study.minds.kind
        if kind == "rules":
            now, local = self._house.clock(), self._study.local()
            place = Surroundings(self._house.index, self._house.config, now, local)
            draft = reflect_without_mind(state.survey, place)
            return self._lay_out(cycle, state, draft)
        while kind != "host" and (phase := next_phase(state)) is not None:
            progress(len(state.thoughts), len(Phase))
            # What was read and an answer, twice, and the prompt.
            tokens = 3 * self._house.config.reflection.input_tokens + 2 * state.grant
            mind = self._study.minds.open("reflect", {}, tokens=tokens)
            assert mind is not None  # noqa: S101 - rules do not get here
            state, problem = phases.think(self._study, state, mind, phase)
            cycle = self._store.move(cycle, state)
            if isinstance(problem, GrantSpentError):
                self._give_up(cycle, state, problem)
            if problem is not None:
                raise problem
        if kind != "host":
            progress(len(Phase), len(Phase))
        return self._finish_if_done(cycle, state)

    def question(self) -> HostQuestion:
        """What the host agent has to think about now."""
        if isinstance(self._cycle().state, states.Granted):
            self.advance()
        question = self._question(self._cycle().state)
        if question is None:
            raise phases.NoQuestionError
        return question

    def answer(self, text: str) -> Standing:
        """Take the host agent's answer to the present phase.

        A bad answer may be given again; it counts against the grant all the same.
        """
        cycle = self._cycle()
        if not isinstance(cycle.state, Reflecting):
            raise phases.NoQuestionError
        try:
            state = phases.take_answer(self._study, cycle.state, text)
        except GrantSpentError as error:
            self._give_up(cycle, cycle.state, error)
            raise
        return self._finish_if_done(self._store.move(cycle, state), state)

    def _finish_if_done(self, cycle: Cycle, state: Reflecting) -> Standing:
        if next_phase(state) is not None:
            return self._standing(cycle)
        return self._lay_out(cycle, state, dream(self._study, state))

    def _lay_out(self, cycle: Cycle, state: Reflecting, draft: Draft) -> Standing:
        try:
            pending, page = propose(self._study, state, draft)
        except RefusedError as error:
            self._give_up(cycle, state, error)
            raise
        lay_out(self._study, pending, page)
        waiting = AwaitingDecision(pending.number, self._house.clock())
        number = max(cycle.last_number, pending.number)
        after = replace(cycle, state=waiting, last_number=number)
        return self._standing(self._store.put(cycle, after))

    def _give_up(self, cycle: Cycle, state: Reflecting, why: RefusedError) -> None:
        """End a cycle without a proposal; what it took is not forgotten."""
        failed, wasted = cycle.failed + 1, cycle.wasted + state.used
        idle = states.Idle(str(why))
        self._store.put(cycle, replace(cycle, state=idle, failed=failed, wasted=wasted))

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
            self._house.look()
            offered = offer(self._study, broken_too=True)
            offered.shown(shown)
            read = self._read(decision, offered.pending)
            done = self._carry_out(offered.pending.number, shown, read)
            count = len(offered.pending.operations)
            return replace(done, understood=replies.understood_decision(read, count))

    def _carry_out(self, number: int, shown: str, decision: Decision) -> Reflected:
        def attempt() -> Reflected:
            return carry_out(self._study, shown, decision)

        cycle, now = self._cycle(), self._house.clock()
        if not isinstance(cycle.state, AwaitingDecision):
            # A page that came back during another cycle, which goes on afterwards.
            return self._house.persist("deciding", attempt)
        decided = states.Decided(number, now, shown, decision)
        cycle = self._store.move(cycle, decided)
        try:
            done = self._house.persist("deciding", attempt)
        except ReverieError:
            self._store.move(cycle, AwaitingDecision(number, now))
            raise
        recorded = states.Recorded(done.number, done.at, done.choice, done.commit)
        self._store.put(cycle, replace(cycle, state=recorded, failed=0, wasted=0))
        return done

    def _named(self, decision: Decision | str) -> str:
        """What is to be decided, as it is understood; what is not is refused later."""
        try:
            pending = offer(self._study, broken_too=True).pending
            read = self._read(decision, pending)
        except ReverieError:
            return headline(decision if isinstance(decision, str) else decision.choice)
        return replies.understood_decision(read, len(pending.operations))

    def _read(self, decision: Decision | str, pending: PendingReflection) -> Decision:
        if isinstance(decision, str):
            words = without_secrets(decision)
            found = replies.read_decision(words, len(pending.operations))
            if found is None:
                raise LeftWaitingError
            decision = found
        return completed(decision, pending)

    def cancel(self, *, actor: Actor | None = None) -> Standing:
        """Give up a cycle before its proposal is there; a proposal is rejected."""
        with self._house.authority.signing(actor, "give up a reflection") as signed:
            checkin.require_relay(signed)
            cycle = self._cycle()
            if isinstance(cycle.state, AwaitingDecision | states.Decided):
                what = "cancel"
                raise states.NotNowError(what, cycle.state)
            idle = states.Idle(f"given up by {signed}")
            return self._standing(self._store.move(cycle, idle))

    # --- afterwards -------------------------------------------------------------

    def say(
        self,
        words: str,
        answer: str = "",
        *,
        kind: Feedback | str = Feedback.OTHER,
        actor: Actor | None = None,
    ) -> feedback.Discussed:
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
            checkin.require_relay(signed)
            return feedback.discuss(self._study, words, answer, kind, signed)

    def self_image(self, answer: str = "") -> feedback.SelfImageShown:
        """Draw the agent's picture of itself anew, to be decided on.

        Args:
            answer: The host agent's answer, where it is the one who thinks.
        """
        return feedback.draw(self._study, answer)

    def adopt_self_image(self, shown: str, *, actor: Actor | None = None) -> Receipt:
        """Write the picture into `IDENTITY.md`; only a human may have it so."""
        what = "write the self-image into IDENTITY.md"
        with self._house.authority.alone(Act.DECIDE, what, actor):
            return feedback.adopt(self._study, shown)

    def drop_self_image(self, *, actor: Actor | None = None) -> None:
        """Let go of a picture that was drawn; only a human may.

        `IDENTITY.md` stays as it is.
        """
        with self._house.authority.alone(Act.DECIDE, "drop the self-image", actor):
            feedback.drop(self._study)

    # --- telling ----------------------------------------------------------------

    def _standing(self, cycle: Cycle) -> Standing:
        state, problem, page = cycle.state, "", ""
        if isinstance(state, AwaitingDecision):
            try:
                page = offer(self._study).page
            except ReverieError as error:
                page = self._store.text(layout.PENDING_REFLECTION)
                problem = f"{error}. {error.hint}".strip()
        told = describe(state, page)
        return replace(
            told,
            waiting=checkin.count_waiting(self._study),
            last=self._store.tracked().last,
            question=self._question(state),
            remind=states.remind_due(state, self._house.clock(), REMIND),
            problem=problem or told.problem,
        )

    def _question(self, state: State) -> HostQuestion | None:
        if self._study.minds.kind != "host" or not isinstance(state, Reflecting):
            return None
        phase = next_phase(state)
        if phase is None:
            return None
        asked = phases.question_of(state, phase, self._house.config)
        what = (asked.id, asked.operation, asked.text, asked.schema)
        return HostQuestion(*what, state.began, state.problem)
