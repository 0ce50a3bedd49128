"""The verbs of reflection: one step of a cycle at a time, kept after each.

    standing = memory.reflection.begin()
    standing = memory.reflection.reply("grant 8000")
    standing = memory.reflection.advance()
    memory.reflection.decide("approve", standing.shown)

Nothing here runs by itself, and nothing waits: whoever comes next finds the cycle
where it was left. A reflection needs a yes, and silence is none.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.authority.authority import Act
from reverie.errors import NotFoundError, RefusedError, ReverieError
from reverie.model.change import (
    MANUAL,
    Actor,
    Approval,
    ChangeSet,
    OnlyHumansError,
)
from reverie.model.ids import choice, require_kind
from reverie.model.reflection import (
    LONG_SESSION,
    Choice,
    Decision,
    Feedback,
    HostQuestion,
    Occasion,
    digest,
    session_name,
)
from reverie.reflection import (
    apply,
    feedback,
    host_prompts,
    phases,
    replies,
    self_image,
)
from reverie.reflection import cycle as states
from reverie.reflection import token_request as tokens
from reverie.reflection.apply import offer
from reverie.reflection.draft import dream, lay_out, propose, weighed
from reverie.reflection.host_prompts import NOT_SENT_AGAIN
from reverie.reflection.log import STATUSES, parse_log
from reverie.reflection.phases import GrantSpentError, Phase, next_phase
from reverie.reflection.presentation import render_brief
from reverie.reflection.proposal_page import BrokenPendingError
from reverie.reflection.standing import NOTHING_TO_DECIDE, Standing, describe
from reverie.reflection.unread import count_backlog, unprocessed
from reverie.reflection.waiting import decidable_proposals
from reverie.reflection.without_mind import PlainListing
from reverie.secrets import without_secrets
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from reverie.minds.mind import Question
    from reverie.model.change import Receipt
    from reverie.model.reflection import Grant, PendingReflection, TokenRequest
    from reverie.reflection.cycle import Cycle, State, Study
    from reverie.reflection.draft import Draft

REMIND = timedelta(hours=24)
"""A proposal that waits is brought up again so often."""

QUESTIONS = {
    Occasion.SOFT: "Before you go — want me to reflect now, or wait for our usual "
    "time?",
    Occasion.SCHEDULED: "Hey, it's reflection time. Good to go, or should I catch you "
    "later?",
    Occasion.THRESHOLD: "Hey, {waiting} piled up since I last reflected. Good to go, "
    "or should I catch you later?",
    Occasion.SESSION_END: "Before we close — {waiting} came in since I last reflected. "
    "Want me to reflect now, or later?",
}
"""What is asked; the other occasions are a yes already."""

_BEFORE = (Phase.SURVEY, Phase.META)
"""Phases by which alone nothing is proposed."""

_NO_PHASE = "there is no phase to answer"
_STATUS = "`reverie reflect status` tells where the reflection stands."
_RELAYS = frozenset({"bot:main", "bot:trigger-remember"})
"""Who may pass on what the human said; of tokens, up to the baseline."""


class OnlyBaselineError(OnlyHumansError):
    """An agent passes on more tokens than it may."""

    says = "{:,} tokens are more than the baseline of {:,}"
    mend = (
        "An agent may pass on a grant up to the baseline; more is the human's own to "
        "give: `reverie reflect reply` in a terminal."
    )


class FutureDayError(RefusedError):
    """A reflection was to read from a day on that has not come."""

    says = "a reflection cannot read from {} on: that day has not come yet"
    mend = "Name a day in the past, such as the first one that was not read."


class Reflection:
    """Reflection in an open workspace."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._session = study.session
        self._store = study.store

    # --- where it stands --------------------------------------------------------

    def _cycle(self) -> Cycle:
        """The cycle, with what time has done to it, and a crash left undone."""
        cycle, now = self._store.load(), self._session.clock()
        match cycle.state:
            case states.Asked(occasion, at) if states.no_answer(at, now):
                # Counted from when it lapsed, however late that is noticed.
                lapsed = at + states.PATIENCE if at <= now else now
                until = self._study.schedule(lapsed).put_off(occasion)
                state = states.Deferred(occasion, until, "nobody answered")
                return self._store.put(cycle, state=state)
            case states.Requested() | states.Granted() | states.Reflecting():
                return cycle
            case _:
                return self._agreed(cycle)

    def _agreed(self, cycle: Cycle) -> Cycle:
        """Bring state and page together, whichever was lost or left behind."""
        self._session.look_sometimes()
        try:
            number = apply.waiting_page(self._study).pending.number
        except apply.NothingWaitsError:
            number = 0
        except (BrokenPendingError, apply.TooManyChangesError):
            return cycle  # A slip of its human's hand; deciding says where.
        state = cycle.state
        waits = isinstance(state, states.AwaitingDecision)
        if number and not waits:
            last = max(cycle.last_number, number)
            waiting = states.AwaitingDecision(number, self._session.clock())
            return self._store.put(cycle, state=waiting, last_number=last)
        if number or not isinstance(state, states.AwaitingDecision | states.Recorded):
            return cycle
        # A crash may have come between carrying out and keeping that it was.
        log = parse_log(self._store.text(layout.REFLECTION_LOG)).entries
        logged = {one.status for one in log if one.number == state.number}
        why = f"reflection #{state.number} was taken back"
        why = "its page is gone: the proposal was undone or emptied" if waits else why
        after: State = states.Idle(why)
        for chosen, status in STATUSES.items():
            if status in logged:
                after = states.Recorded(state.number, chosen)
        return cycle if after == state else self._store.put(cycle, state=after)

    def status(self) -> Standing:
        """Where it stands; looking changes nothing but what time has changed."""
        return self._standing(self._cycle())

    def _standing(self, cycle: Cycle, understood: str = "") -> Standing:
        state, page, brief, nothing = cycle.state, "", "", False
        problem = getattr(state, "problem", "")
        if isinstance(state, states.AwaitingDecision):
            try:
                offered = offer(self._study)
                page, brief = offered.page, render_brief(offered.pending)
                nothing = offered.pending.has_nothing_to_decide
            except ReverieError as error:
                page = self._store.text(layout.PENDING_REFLECTION)
                problem = f"{error}. {error.advice}".strip()
                brief = f"Its page cannot be read: {layout.PENDING_REFLECTION}"
        says, hint = describe(state, page)
        hint = NOTHING_TO_DECIDE if nothing else hint
        if isinstance(state, states.Granted) and self._study.minds.kind == "host":
            hint = "`reverie reflect next` asks the first question."
        return Standing(
            states.NAMES[type(state)],
            says,
            hint,
            number=getattr(getattr(state, "request", state), "number", 0),
            waiting=self._waiting(),
            last=self._store.tracked().last,
            until=getattr(state, "until", None),
            question=self._question(state),
            shown=digest(page) if isinstance(state, states.AwaitingDecision) else "",
            remind=not nothing
            and states.remind_due(state, self._session.clock(), REMIND),
            nothing_to_decide=nothing,
            problem=problem,
            understood=understood,
            left=max(0, state.grant - state.used)
            if isinstance(state, states.Reflecting)
            else 0,
            image=bool(cycle.image),
            brief=brief,
            backlog=self._backlog(),
            notes_due=self._notes_due(),
        )

    def _notes_due(self) -> int:
        rules = self._study.minds.kind == "rules"
        return 0 if rules else states.notes_due(self._store)

    def _question(self, state: State) -> HostQuestion | None:
        phase, asks = next_phase(state), self._study.minds.kind == "host"
        if not asks or phase is None or not isinstance(state, states.Reflecting):
            return None
        config, only_new = self._session.config, state.sent > 0
        asked = phases.question_of(state, phase, config, only_new=only_new)
        return _to_host(asked, state, phase, only_new=only_new)

    def _send(self, cycle: Cycle) -> Cycle:
        """Count the characters of the next question, which the agent receives now."""
        state, question = cycle.state, self._question(cycle.state)
        if question is None or not isinstance(state, states.Reflecting):
            return cycle
        sent = state.sent + host_prompts.characters(question)
        return self._store.put(cycle, state=replace(state, sent=sent))

    def _waiting(self) -> int:
        """How many episodes no reflection has read yet."""
        self._session.sync()
        tracked = self._store.tracked()
        return unprocessed(self._session.index, tracked, self._session.clock())

    def _backlog(self) -> int:
        """Return how many older episodes no reflection has read."""
        return count_backlog(self._session.index, self._store.tracked().backlog)[0]

    def offer(self, *, turns: int = 0) -> Occasion | None:
        """What a reflection should be offered for now; nothing is begun by it.

        Args:
            turns: How much was said in a session that ends now; 0 if none does. Only
                after a long one is anything offered for it.
        """
        cycle, now = self._cycle(), self._session.clock()
        state = cycle.state
        taken = isinstance(state, states.Asked | states.UnderWay)
        if taken or states.quiet_until(state, now):
            return None
        if isinstance(state, states.Deferred):
            # Who put it off when they left is asked at the usual time, as usual.
            left = state.occasion in {Occasion.SOFT, Occasion.SESSION_END}
            return Occasion.SCHEDULED if left else state.occasion
        waiting = self._waiting()
        if turns:
            wanted = "session-end" in self._session.config.reflection.frequency
            real = turns >= LONG_SESSION and waiting
            return Occasion.SESSION_END if wanted and real else None
        tracked, created = self._store.tracked(), None
        if tracked.last is None:
            ledger = self._session.ledger
            created = ledger.entry(self._session.first_commit).at
        return self._study.schedule().due(
            tracked.last,
            waiting,
            cycle.offered,
            created=created,
            backlog=self._backlog(),
        )

    def _lists(self, state: State) -> bool:
        """Return whether only a list waits, with no change to decide on."""
        if not isinstance(state, states.AwaitingDecision):
            return False
        try:
            return apply.waiting_page(self._study).pending.has_nothing_to_decide
        except ReverieError:
            return False

    def remind(self) -> bool:
        """Whether to remind the human of what waits; at most once a day it is so."""
        cycle, now = self._cycle(), self._session.clock()
        last = cycle.reminded
        rests = last is not None and last <= now < last + REMIND
        if (
            rests
            or self._lists(cycle.state)
            or not states.remind_due(cycle.state, now, REMIND)
        ):
            return False
        self._store.put(cycle, reminded=now)
        return True

    def pending(self) -> tuple[PendingReflection, str]:
        """The proposal that waits, and its page; decide with `digest(page)`.

        The page says what each change would do to the files as they are now.
        """
        self._session.look()
        offered = offer(self._study)
        return offered.pending, offered.page

    # --- check-in and tokens ----------------------------------------------------

    def begin(
        self, occasion: Occasion = Occasion.MANUAL, *, since: date | None = None
    ) -> Standing:
        """Ask whether to reflect; asked for in so many words, ask for tokens.

        Args:
            occasion: What starts it.
            since: Read older episodes that no reflection has read first, from this
                day on. Only for a reflection that was asked for.

        Raises:
            FutureDayError: The day has not come yet.
        """
        cycle, now = self._cycle(), self._session.clock()
        if isinstance(cycle.state, states.UnderWay) and not self._lists(cycle.state):
            raise states.NotNowError("begin another", cycle.state)
        since = since.date() if isinstance(since, datetime) else since
        if since is not None and since > self._study.today():
            raise FutureDayError(since)
        if occasion not in QUESTIONS:
            return self._standing(self._request(cycle, occasion, since))
        waiting = self._waiting()
        episodes = f"{waiting} new episode{'s' * (waiting != 1)}"
        words = QUESTIONS[occasion].format(waiting=episodes)
        asked = states.Asked(occasion, now, words)
        return self._standing(self._store.put(cycle, state=asked, offered=now))

    def reply(self, words: str, *, actor: Actor | None = None) -> Standing:
        """Take what the human says to the check-in or to the token request.

        Args:
            words: A command of `reflection.replies`, such as "later" or "grant 8000".
            actor: Who passes it on; tokens above the baseline only come from the
                human themself.

        Raises:
            UnclearReplyError: It is none of the commands.
        """
        if actor is not None:
            _require_relay(actor)
        words, cycle = without_secrets(words), self._cycle()
        match cycle.state:
            case states.Asked(occasion=occasion) | states.Deferred(occasion=occasion):
                said = replies.read_check_in(words)
                understood = said.understood
                step = partial(self._check_in, cycle, occasion, said)
            case states.Requested() as state:
                found = replies.read_grant(words, state.request)
                understood = replies.understood_grant(found)
                step = partial(self._grant, cycle, state, found)
            case states.AwaitingDecision():
                raise replies.UnclearReplyError(words, replies.PROPOSAL)
            case state:
                raise states.NotNowError("answer", state)
        what = f"answer the reflection: {understood}"
        cycle = self._session.authority.within(Act.RAISE, what, step, actor)
        return self._standing(cycle, understood)

    def _check_in(
        self, cycle: Cycle, occasion: Occasion, said: replies.CheckedIn, actor: Actor
    ) -> Cycle:
        _require_relay(actor)
        if said.reply is replies.Assent.YES:
            return self._request(cycle, occasion)
        later = said.reply is replies.Assent.LATER
        until = self._study.schedule().put_off(occasion, later=later)
        why = f"you said {said.reply}"
        if said.wait:
            until = self._session.clock() + said.wait
            why = f"you said {said.understood}"
        return self._store.put(cycle, state=states.Deferred(occasion, until, why))

    def _request(
        self, cycle: Cycle, occasion: Occasion, since: date | None = None
    ) -> Cycle:
        """Ask for tokens; where nobody thinks, none are needed."""
        now, number = self._session.clock(), self._store.next_number(cycle)
        state: states.Reflecting | states.Requested
        if self._study.minds.kind == "rules":
            state = phases.fall_asleep(self._study, occasion, number, 0, since)
        else:
            happened = tokens.gather_signals(self._study, self._waiting(), cycle.failed)
            baseline = self._session.config.reflection.token_budget
            day = self._study.today()
            request = tokens.make_request(number, day, baseline, happened)
            state = states.Requested(occasion, now, request, since)
        return self._store.put(cycle, state=state, offered=now)

    def _grant(
        self,
        cycle: Cycle,
        state: states.Requested,
        found: Grant | replies.Declined,
        actor: Actor,
    ) -> Cycle:
        _require_relay(actor)
        request = state.request
        if isinstance(found, replies.Declined):
            why = f"no tokens were given: {found.reason}".rstrip(": ")
            return self._store.put(cycle, state=states.Idle(why))
        if not actor.human:
            if found.tokens > (most := self._session.config.reflection.token_budget):
                raise OnlyBaselineError(found.tokens, most)
            found = replace(found, relayed=str(actor))
        approval = Approval.APPROVED if actor.human else Approval.AUTO
        given = self._session.persist(
            "granting", lambda: self._write_grant(request, found, approval)
        )
        now = self._session.clock()
        return self._store.put(
            cycle,
            state=states.Granted(state.occasion, now, request, given, state.since),
            last_number=max(cycle.last_number, request.number),
            reward=(request, given),
        )

    def _write_grant(
        self, request: TokenRequest, grant: Grant, approval: Approval
    ) -> Grant:
        """Write the token decision down, once; what is written down already holds."""
        self._session.look()
        known = tokens.rewarded(self._store, request.number)
        if known is not None:
            # Anybody can write into the log: it holds where it gives less.
            return min(known[1], grant, key=lambda each: each.tokens)
        edits = tokens.plan_reward(self._study, request, grant)
        signed = Actor(f"reflection:{session_name(request.number)}")
        why = f"tokens for reflection #{request.number}"
        self._session.commit(ChangeSet(edits, signed, approval, why))
        return grant

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
            known = tokens.rewarded(self._store, number)
            # What is kept here anybody could have written; the log is in history.
            most = min(given.grant.tokens, known[1].tokens if known else 0)
            how = (given.occasion, number, most, given.since)
            asleep = phases.fall_asleep(self._study, *how)
            cycle = self._store.put(cycle, state=asleep)
        state = cycle.state
        if not isinstance(state, states.Reflecting):
            raise states.NotNowError("think", state)
        kind = self._study.minds.kind
        if kind == "rules":
            now, zone = self._session.clock(), self._session.zone
            look = self._session.index, self._session.config, now, zone
            waiting = decidable_proposals(self._study)
            draft = PlainListing(state.survey, *look, waiting).draft()
            return self._lay_out(cycle, draft)
        while kind != "host" and (phase := next_phase(state)) is not None:
            progress(len(state.thoughts), len(phases.to_come(state)))
            # What was read and an answer, twice, and the prompt.
            most = 3 * self._session.config.reflection.input_tokens + 2 * state.grant
            mind = self._study.minds.open("reflect", {}, tokens=most)
            assert mind is not None  # noqa: S101 - rules do not get here
            state, problem = phases.think(self._study, state, mind, phase)
            state = weighed(self._study, state, phase)
            cycle = self._store.put(cycle, state=state)
            if problem is not None:
                raise problem
        if kind != "host":
            progress(*[len(phases.to_come(state))] * 2)
        return self._finish_if_done(cycle, state)

    def question(self) -> HostQuestion:
        """Return what the connected agent is asked now, for an agent that lost it.

        It has the texts of earlier steps again, as long as they fit into the limit of
        a cycle.
        """
        cycle = self._cycle()
        if isinstance(cycle.state, states.Granted) and (
            question := self.advance().question
        ):
            return question
        state, question = cycle.state, self._question(cycle.state)
        phase = next_phase(state)
        if (
            question is None
            or phase is None
            or not isinstance(state, states.Reflecting)
        ):
            raise NotFoundError(_NO_PHASE, hint=_STATUS)
        asked = phases.question_of(state, phase, self._session.config)
        whole = _to_host(asked, state, phase, only_new=False)
        if whole != question and not host_prompts.fits_again(whole, state.sent):
            return replace(question, prompt=question.prompt + NOT_SENT_AGAIN)
        sent = state.sent + host_prompts.characters(whole)
        tokens = state.asked + count_tokens(whole.prompt)
        self._store.put(cycle, state=replace(state, sent=sent, asked=tokens))
        return whole

    def answer(self, text: str) -> Standing:
        """Take the host agent's answer to the present phase.

        A bad answer may be given again; it counts against the grant all the same.
        """
        cycle = self._cycle()
        state, phase = cycle.state, next_phase(cycle.state)
        if phase is None or not isinstance(state, states.Reflecting):
            raise NotFoundError(_NO_PHASE, hint=_STATUS)
        state = phases.take_answer(self._study, state, text, phase)
        state = weighed(self._study, state, phase)
        return self._finish_if_done(self._store.put(cycle, state=state), state)

    def _finish_if_done(self, cycle: Cycle, state: states.Reflecting) -> Standing:
        if next_phase(state) is not None:
            return self._standing(cycle if state.problem else self._send(cycle))
        if all(each.lost or each.phase in _BEFORE for each in state.thoughts):
            error = GrantSpentError(state.grant, state.thoughts[-1].phase)
            self._give_up(cycle, error)
            raise error
        return self._lay_out(cycle, dream(self._study, state))

    def _lay_out(self, cycle: Cycle, draft: Draft) -> Standing:
        assert isinstance(cycle.state, states.Reflecting)  # noqa: S101 - it was thought about
        try:
            pending, page = propose(self._study, cycle.state, draft)
        except RefusedError as error:
            self._give_up(cycle, error)
            raise
        lay_out(self._study, pending, page)
        waits = states.AwaitingDecision(pending.number, self._session.clock())
        last = max(cycle.last_number, pending.number)
        return self._standing(self._store.put(cycle, state=waits, last_number=last))

    def _give_up(self, cycle: Cycle, why: RefusedError) -> None:
        """End a cycle without a proposal; what it took is not forgotten."""
        wasted = cycle.wasted + getattr(cycle.state, "used", 0)
        idle, failed = states.Idle(str(why)), cycle.failed + 1
        self._store.put(cycle, state=idle, failed=failed, wasted=wasted)

    # --- deciding ---------------------------------------------------------------

    def decide(
        self, decision: Decision | str, shown: str, *, actor: Actor | None = None
    ) -> apply.Reflected:
        """Carry out what the human decided; only a human may.

        Args:
            decision: What they want, as a value or as a command of
                `reflection.replies`, such as "approve 1,3".
            shown: The digest of the very page they saw; another one is refused.
            actor: Who decides.
        """
        require_kind("decision", decision, (Decision, str))
        require_kind("shown", shown, str)
        pending = offer(self._study, broken_too=True).pending
        meant = _read(decision, pending)
        if meant.choice is Choice.LATER:
            return self._postponed(pending)
        what = f"decide on the reflection that waits: {_understood(meant, pending)}"
        with (
            self._session.authority.alone(Act.DECIDE, what, actor),
            # Held until it is carried out, or somebody who looks would do it as well.
            self._session.ledger.exclusively("deciding"),
        ):
            self._session.look()
            offered = offer(self._study, broken_too=True)
            offered.shown(shown)
            read = _read(decision, offered.pending)
            done = self._carry_out(shown, read)
            return replace(done, understood=_understood(read, offered.pending))

    def _postponed(self, pending: PendingReflection) -> apply.Reflected:
        """Return that nothing was decided; the proposal stays pending."""
        later = Decision(Choice.LATER)
        head, now = self._session.ledger.head, self._session.clock()
        return apply.Reflected(
            head,
            now,
            (),
            MANUAL,
            number=pending.number,
            choice=later.choice,
            notes=("It stays pending. Nothing is ever applied by waiting.",),
            understood=_understood(later, pending),
        )

    def _carry_out(self, shown: str, decision: Decision) -> apply.Reflected:
        def attempt() -> apply.Reflected:
            return apply.carry_out(self._study, shown, decision)

        waited = isinstance(self._cycle().state, states.AwaitingDecision)
        done = self._session.persist("deciding", attempt)
        if waited:  # Else the page came back during another cycle, which goes on.
            recorded = states.Recorded(done.number, done.choice)
            with suppress(
                states.MovedOnError
            ):  # Who looked meanwhile has kept as much.
                self._store.put(self._store.load(), state=recorded, failed=0, wasted=0)
        return done

    def cancel(self, *, actor: Actor | None = None) -> Standing:
        """Give up a cycle before its proposal is there; a proposal is rejected."""
        with self._session.authority.signing(actor, "give up a reflection") as signed:
            _require_relay(signed)
            cycle = self._cycle()
            if isinstance(cycle.state, states.AwaitingDecision):
                raise states.NotNowError("cancel", cycle.state)
            idle = states.Idle(f"given up by {signed}")
            return self._standing(self._store.put(cycle, state=idle))

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
        with self._session.authority.signing(actor, what) as signed:
            _require_relay(signed)
            return feedback.discuss(self._study, words, answer, kind, signed)

    def self_image(self, answer: str = "") -> self_image.SelfImageShown:
        """Draw the agent's picture of itself anew, to be decided on.

        Args:
            answer: The host agent's answer, where it is the one who thinks.
        """
        return self_image.draw(self._study, answer)

    def adopt_self_image(self, shown: str, *, actor: Actor | None = None) -> Receipt:
        """Write the picture into `IDENTITY.md`; only a human may have it so."""
        what = "write the self-image into IDENTITY.md"
        with self._session.authority.alone(Act.DECIDE, what, actor):
            return self_image.adopt(self._study, shown)

    def drop_self_image(self, *, actor: Actor | None = None) -> None:
        """Let go of a picture that was drawn; only a human may.

        `IDENTITY.md` stays as it is.
        """
        with self._session.authority.alone(Act.DECIDE, "drop the self-image", actor):
            self_image.drop(self._study)


def _to_host(
    asked: Question, state: states.Reflecting, phase: Phase, *, only_new: bool
) -> HostQuestion:
    schema = host_prompts.sent_schema(phase, asked.schema, only_new=only_new)
    what = (asked.id, asked.operation, asked.text, schema)
    return HostQuestion(*what, state.began, state.problem)


def _require_relay(actor: Actor) -> None:
    """Refuse everybody but the human, and the agent they talk to."""
    if not actor.human and actor.tag not in _RELAYS:
        raise OnlyHumansError(actor)


def _read(decision: Decision | str, pending: PendingReflection) -> Decision:
    if isinstance(decision, str):
        words = without_secrets(decision)
        found = replies.read_decision(words, len(pending.operations))
        decision = found or Decision(Choice.LATER)
    return apply.completed(decision, pending)


def _understood(decision: Decision, pending: PendingReflection) -> str:
    """Return what a decision is understood as."""
    return replies.understood_decision(
        decision, len(pending.operations), pending.merges
    )
