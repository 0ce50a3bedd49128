"""The steps of a reflection, one at a time, with restarts and losses in between."""

from __future__ import annotations

import json
import re
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, ARCHIVE, GRAPH, NOON, SCORES, Home, agrees
from tests.reflection.dreams import (
    Dream,
    cycle_file,
    dreaming,
    kept,
    kept_cycle,
    killed_behind,
    lose_state,
    newest_of_session,
    proposed,
)

from reverie import Episodic, Memory, ScriptedMind
from reverie.authority.authority import NotACallerError, SubAgentWriteError
from reverie.errors import ConflictError, NotFoundError, ReverieError
from reverie.minds.mind import MindUnavailableError
from reverie.model.change import Actor, OnlyHumansError
from reverie.model.items import Role
from reverie.model.reflection import LONG_SESSION, Choice, Decision, Occasion
from reverie.reflection import apply
from reverie.reflection.apply import Reflected
from reverie.reflection.cycle import MovedOnError, NotNowError
from reverie.reflection.presentation import WITHOUT_MIND
from reverie.reflection.reflection import OnlyBaselineError
from reverie.reflection.replies import UnclearReplyError
from reverie.reflection.token_request import GrantSizeError, parse_rewards

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from reverie.minds.mind import Question
    from reverie.minds.scripted import Line
    from reverie.reflection.reflection import Reflection
    from reverie.reflection.standing import Standing

META = "memory/meta"
PAGE = f"{META}/pending-reflection.md"
REWARDS = f"{META}/reward-log.md"
AGENT = Actor("bot:main")
SILENT = MindUnavailableError("nobody thinks")
"""What a mind raises that is not there."""

NEXT_MORNING = NOON.replace(day=3, hour=3)
ASKED_FIRST = (
    *(Occasion.SOFT, Occasion.SCHEDULED),
    *(Occasion.THRESHOLD, Occasion.SESSION_END),
)


@pytest.fixture
def night(furnished: Home) -> Home:
    """A workspace with something in every store, and a mind."""
    dreaming(furnished, Dream())
    return furnished


def again(home: Home, dream: Dream | None = None) -> Reflection:
    """Reflection, as the next process finds it."""
    return dreaming(home, dream or Dream()).reflection


def killed(*_: object) -> None:
    """Something happens that no program survives."""
    raise KeyboardInterrupt


def left_decided(home: Home) -> None:
    """A decision is taken, and the process dies before it is carried out."""
    standing = again(home).status()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apply, "carry_out", killed)
        with pytest.raises(KeyboardInterrupt):
            home.memory.reflection.decide("approve", standing.shown)


def ask(home: Home) -> None:
    again(home).begin(Occasion.SCHEDULED)


def put_off(home: Home) -> None:
    again(home).reply("later")


def request(home: Home) -> None:
    again(home).reply("go ahead")


def grant(home: Home) -> None:
    again(home).reply("Proceed")


def think(home: Home) -> None:
    with pytest.raises(MindUnavailableError):
        again(home, Dream(instead={"meta": [SILENT]})).advance()


def propose(home: Home) -> None:
    again(home).advance()


def decide(home: Home) -> None:
    reflection = again(home)
    reflection.decide("approve", reflection.status().shown)


STEPS: dict[str, Callable[[Home], None]] = {
    "asked": ask,
    "deferred": put_off,
    "tokens requested": request,
    "granted": grant,
    "reflecting": think,
    "pending": propose,
    "decided": left_decided,
}


def reach(home: Home, state: str) -> None:
    """Bring a workspace to a state, with a restart before each step."""
    for name, step in STEPS.items():
        if state == "idle":
            return
        step(home)
        if name == state:
            return


# --- states --------------------------------------------------------------------


def test_every_state_is_kept_across_restarts(night: Home) -> None:
    seen = [again(night).status().state]
    for name, step in STEPS.items():
        step(night)
        assert json.loads(kept_cycle(night))["state"] == name.replace(
            "decided", "pending"
        )
        standing = again(night).status()
        assert standing.hint
        assert standing.says
        assert standing.waiting == 1
        seen.append(standing.state)
        if name != "decided":
            assert again(night).status().state == name

    # What was decided and not carried out is asked again.
    assert seen == [
        *("idle", "asked", "deferred", "tokens requested", "granted"),
        *("reflecting", "pending", "pending"),
    ]
    assert "Works from Berlin" not in night.text(ALEX)


def test_a_second_reflection_does_not_begin_beside_one(night: Home) -> None:
    reach(night, "granted")
    before = kept(night)

    for occasion in Occasion:
        with pytest.raises(NotNowError, match=r"begin another now: .*granted"):
            again(night).begin(occasion)
    assert kept(night) == before


def test_nothing_is_thought_before_tokens_are_granted(night: Home) -> None:
    reach(night, "tokens requested")
    dream = Dream()

    with pytest.raises(NotNowError, match="tokens requested"):
        again(night, dream).advance()
    assert dream.asked == []


def test_an_answer_nobody_asked_for_is_refused(night: Home) -> None:
    reach(night, "reflecting")

    with pytest.raises(NotNowError):
        again(night).reply("Proceed")
    with pytest.raises(NotFoundError, match="no phase"):
        again(night).question()


def test_a_reflection_can_be_given_up_before_its_proposal(night: Home) -> None:
    reach(night, "reflecting")
    files = night.tracked()

    standing = again(night).cancel()

    assert (standing.state, standing.says) == ("idle", "given up by manual")
    assert night.tracked() == files
    assert again(night).begin().state == "tokens requested"


def test_a_proposal_is_rejected_not_given_up(night: Home) -> None:
    reach(night, "pending")

    with pytest.raises(NotNowError):
        again(night).cancel()
    assert again(night).status().state == "pending"


# --- check-in ------------------------------------------------------------------


def test_only_words_that_ask_for_it_are_a_yes_already(night: Home) -> None:
    files = night.tracked()
    dream = Dream()

    standing = again(night, dream).begin(Occasion.SOFT)

    assert standing.state == "asked"
    assert standing.says == (
        "Before you go — want me to reflect now, or wait for our usual time?"
    )
    night.clock.forward(days=30)
    assert again(night, dream).status().state == "deferred"
    assert dream.asked == []
    assert night.tracked() == files
    assert again(night).begin(Occasion.IMMEDIATE).state == "tokens requested"


@pytest.mark.parametrize(
    ("occasion", "words", "until"),
    [
        (Occasion.SCHEDULED, "later", NOON + timedelta(hours=4)),
        # Who leaves is asked at the usual time, as usual.
        (Occasion.SOFT, "later", NEXT_MORNING),
        (Occasion.SCHEDULED, "no", NEXT_MORNING),
    ],
)
def test_what_is_put_off_is_asked_again_when_it_is_due(
    night: Home, occasion: Occasion, words: str, until: datetime
) -> None:
    again(night).begin(occasion)

    standing = again(night).reply(words)

    assert (standing.state, standing.until) == ("deferred", until)
    assert again(night).status().until == until
    assert again(night).offer() is None
    night.clock.now = until - timedelta(seconds=1)
    assert again(night).offer() is None
    night.clock.forward(seconds=1)
    assert again(night).offer() is Occasion.SCHEDULED
    # It is offered, and never begun by itself.
    assert again(night).status().state == "deferred"


def test_silence_for_ten_minutes_puts_it_off_to_the_next_day(night: Home) -> None:
    says = again(night).begin(Occasion.SCHEDULED).says
    assert says == "Hey, it's reflection time. Good to go, or should I catch you later?"
    night.clock.forward(minutes=9, seconds=59)
    assert again(night).status().state == "asked"

    night.clock.forward(seconds=1)

    standing = again(night).status()
    assert (standing.state, standing.until) == ("deferred", NEXT_MORNING)
    assert standing.says == "put off: nobody answered"


def test_who_answers_late_is_still_understood(night: Home) -> None:
    again(night).begin(Occasion.SCHEDULED)
    night.clock.forward(hours=2)

    assert again(night).reply("go ahead").state == "tokens requested"


def test_an_unclear_answer_is_asked_for_again(night: Home) -> None:
    again(night).begin(Occasion.SCHEDULED)

    with pytest.raises(UnclearReplyError, match="not understood; nothing was changed"):
        again(night).reply("hm")
    assert again(night).status().state == "asked"


def test_an_offer_is_made_once_until_the_next_scheduled_time(night: Home) -> None:
    night.clock.now = NEXT_MORNING
    assert again(night).offer() is Occasion.SCHEDULED
    again(night).begin(Occasion.SCHEDULED)
    assert again(night).offer() is None
    again(night).cancel()
    assert again(night).offer() is None

    night.clock.forward(days=1)
    assert again(night).offer() is Occasion.SCHEDULED


def test_the_first_reflection_is_not_due_before_a_scheduled_time(night: Home) -> None:
    assert again(night).status().waiting
    assert again(night).offer() is None

    night.clock.now = NEXT_MORNING - timedelta(minutes=1)
    assert again(night).offer() is None
    night.clock.now = NEXT_MORNING
    assert again(night).offer() is Occasion.SCHEDULED


def test_many_new_episodes_and_the_end_of_a_session_are_occasions(
    night: Home,
) -> None:
    reach(night, "pending")
    night.clock.now = NEXT_MORNING
    decide(night)
    assert again(night).offer() is None
    assert again(night).offer(turns=4) is None
    night.clock.forward(hours=1)
    memory = dreaming(night, Dream(), REVERIE_REFLECTION_THRESHOLD="3")
    for number in range(3):
        memory.remember(f"Saw heron {number} at the weir.", Episodic())

    assert memory.reflection.offer() is Occasion.THRESHOLD
    assert memory.reflection.offer(turns=4) is None
    assert memory.reflection.offer(turns=LONG_SESSION) is Occasion.SESSION_END
    assert memory.reflection.begin(Occasion.THRESHOLD).says.startswith(
        "Hey, 3 new episodes piled up"
    )


def decide_on_one(home: Home, words: str = "approve") -> None:
    """A whole reflection."""
    memory = dreaming(home, Dream())
    memory.reflection.decide(words, proposed(memory).shown)


def test_a_reflection_begun_by_hand_counts_as_an_offer(night: Home) -> None:
    decide_on_one(night)
    night.clock.forward(hours=1)
    memory = dreaming(night, Dream(), REVERIE_REFLECTION_THRESHOLD="3")
    for number in range(3):
        memory.remember(f"Saw heron {number} at the weir.", Episodic())

    assert memory.reflection.offer() is None
    night.clock.now = NEXT_MORNING
    assert memory.reflection.offer() is Occasion.SCHEDULED


def test_a_question_does_not_wait_for_ever_when_the_clock_is_set_back(
    night: Home,
) -> None:
    again(night).begin(Occasion.SCHEDULED)
    night.clock.forward(days=-400)

    assert again(night).status().state == "deferred"
    night.clock.forward(days=2)
    assert again(night).offer() is Occasion.SCHEDULED


def test_a_deferral_does_not_last_for_years_when_the_clock_is_set_back(
    night: Home,
) -> None:
    again(night).begin(Occasion.SCHEDULED)
    again(night).reply("later")
    night.clock.forward(days=-400)

    assert again(night).offer() is Occasion.SCHEDULED


def test_a_clock_set_back_loses_no_number_and_no_proposal(night: Home) -> None:
    decide_on_one(night)
    night.clock.forward(days=-400)
    memory = dreaming(night, Dream())

    standing = proposed(memory)

    assert (standing.state, standing.number) == ("pending", 2)
    assert memory.reflection.decide("approve", standing.shown).number == 2


# --- tokens --------------------------------------------------------------------


def ask_to_remember(home: Home) -> None:
    """The user asks six times to remember something."""
    for number in range(6):
        words = 'user said "remember that"'
        home.memory.remember(f"Box {number} is blue.", Episodic(), trigger=words)


def test_the_request_tells_its_figures_and_their_reasons(night: Home) -> None:
    ask_to_remember(night)
    told = night.memory.remember("Bought a boat.", Episodic())
    night.memory.undo(told.commit)

    standing = again(night).begin()

    assert standing.number == 1
    assert standing.says == (
        "## Reflection Request — 2026-02-02\n"
        "### Baseline: 8,000 tokens\n"
        "### Extra Requested: +600 tokens\n"
        "**Why I deserve extra:**\n"
        "- 6 things I was asked to remember (+600)\n"
        "### Self-Penalty: -500 tokens\n"
        "**Why I'm penalizing myself:**\n"
        "- 1 of my changes was taken back (-500)\n"
        "### Final Request: 8,100 tokens\n"
        "*I want this because I want to grow. Today earned it.*\n"
        "\n---\n\n"
        "*Awaiting your decision.*\n"
    )
    assert "`reverie reflect reply grant` gives 8,100" in standing.hint
    assert again(night).status().says == standing.says


@pytest.mark.parametrize(
    ("words", "tokens", "outcome"),
    [
        ("Proceed with 8,100", 8100, "approved"),
        ("Take 12K, you earned it", 12000, "bonus"),
        ("Actually, Tuesday was worse. 4K only.", 4000, "penalty increased"),
    ],
)
def test_each_of_the_five_answers_is_written_down(
    night: Home, words: str, tokens: int, outcome: str
) -> None:
    ask_to_remember(night)
    told = night.memory.remember("Bought a boat.", Episodic())
    night.memory.undo(told.commit)
    again(night).begin()

    standing = again(night).reply(words)

    assert standing.state == "granted"
    assert standing.says == f"{tokens:,} tokens were given ({outcome})"
    ((request, grant),) = parse_rewards(night.text(REWARDS))
    assert (request.final, grant.tokens) == (8100, tokens)
    assert grant.outcome == outcome
    economy = json.loads(night.text(f"{META}/decay-scores.json"))["token_economy"]
    assert (economy["last_granted"], economy["last_result"]) == (tokens, outcome)
    assert f"granted {tokens:,} of 8,100 tokens ({outcome})" in night.message()
    assert "reflection:r-001" in night.message()


def test_no_tokens_no_reflection(night: Home) -> None:
    again(night).begin()
    files = night.tracked()

    standing = again(night).reply("no")

    assert standing.state == "idle"
    assert standing.says.startswith("no tokens were given")
    assert night.tracked() == files


def test_an_impossible_number_is_refused(night: Home) -> None:
    again(night).begin()

    with pytest.raises(GrantSizeError):
        again(night).reply("12")
    assert again(night).status().state == "tokens requested"


def test_the_agent_relays_a_grant_up_to_the_baseline(night: Home) -> None:
    ask_to_remember(night)
    again(night).begin()
    with pytest.raises(OnlyBaselineError, match="more than the baseline of 8,000"):
        again(night).reply("Proceed", actor=AGENT)
    with pytest.raises(OnlyBaselineError):
        again(night).reply("8,001 tokens", actor=AGENT)
    assert again(night).status().state == "tokens requested"

    standing = again(night).reply("Proceed with 8K", actor=AGENT)

    assert standing.state == "granted"
    ((_, grant),) = parse_rewards(night.text(REWARDS))
    assert (grant.tokens, grant.relayed) == (8000, "bot:main")


def test_nobody_else_answers_for_the_human(night: Home) -> None:
    reach(night, "tokens requested")
    before = kept(night)
    others = ("subagent:scout", "skill:mail", "bot:auto-detect", "reflection:r-001")

    for tag in others:
        for words in ("go ahead", "Proceed with 1K", "no", "later"):
            with pytest.raises((OnlyHumansError, NotACallerError)):
                night.memory.reflection.reply(words, actor=Actor(tag))
    assert kept(night) == before


def test_nobody_else_gives_a_reflection_up(night: Home) -> None:
    reach(night, "granted")

    with pytest.raises(SubAgentWriteError):
        again(night).cancel(actor=Actor("subagent:scout"))
    assert again(night).status().state == "granted"


def test_a_grant_is_recorded_once_even_after_a_kill_behind_it(night: Home) -> None:
    reach(night, "tokens requested")
    before = kept(night)
    grant(night)
    commits = night.commits()

    killed_behind(night, before)
    standing = again(night).reply("Proceed")

    assert standing.state == "granted"
    assert night.commits() == commits
    assert len(parse_rewards(night.text(REWARDS))) == 1
    assert len(list((night.root / META / "rewards").glob("*.md"))) == 1


def test_what_is_recorded_holds_whatever_is_said_after_a_kill(night: Home) -> None:
    reach(night, "tokens requested")
    before = kept(night)
    again(night).reply("5K only")

    killed_behind(night, before)
    standing = again(night).reply("Proceed with 8K", actor=AGENT)

    assert standing.says == "5,000 tokens were given (reduced)"


def test_tokens_that_were_granted_are_all_that_is_used(night: Home) -> None:
    again(night).begin()
    again(night).reply("Take 1K")

    assert again(night).advance().state == "pending"
    pending, _ = night.memory.reflection.pending()

    assert pending.grant == 1000
    assert 0 < pending.used <= 1000


# --- what is lost, and numbers -------------------------------------------------


@pytest.mark.parametrize("state", ["reflecting", "pending", "decided"])
def test_nothing_is_applied_or_lost_with_our_state(night: Home, state: str) -> None:
    reach(night, state)
    files = night.tracked()
    lose_state(night)

    standing = again(night).status()

    there = state in {"pending", "decided"}
    assert standing.state == ("pending" if there else "idle")
    assert night.tracked() == files
    used = re.findall(r"r-(\d+)", night.git("log", "--format=%B", "main"))
    if there:
        done = again(night).decide("approve", standing.shown)
        assert (done.number, done.applied) == (1, (1, 2, 3))
    # A number that history knows of is not used again.
    assert proposed(dreaming(night, Dream())).number == 1 + bool(used)
    assert night.unlike_head() == []


def test_a_number_is_not_used_again_after_an_undo(night: Home) -> None:
    decide_on_one(night)
    night.memory.undo(session="r-001")
    night.memory.undo(session="r-001")
    assert again(night).begin().number == 2
    again(night).cancel()

    lose_state(night)

    assert again(night).begin().number >= 2


def test_a_number_is_given_with_the_tokens_and_not_before(night: Home) -> None:
    for words in ("no", "not now"):
        assert again(night).begin().number == 1
        again(night).reply(words)
    assert again(night).begin().number == 1
    again(night).cancel()
    assert again(night).begin().number == 1
    again(night).reply("Proceed")
    again(night).cancel()

    assert again(night).begin().number == 2


def test_without_a_mind_a_number_is_given_when_the_proposal_is_laid_out(
    furnished: Home,
) -> None:
    memory = furnished.reopen(TZ="UTC")
    assert memory.reflection.begin().number == 1
    memory.reflection.cancel()

    memory.reflection.begin()
    standing = memory.reflection.advance()

    assert standing.number == 1
    memory.reflection.decide("reject", standing.shown)
    assert memory.reflection.begin().number == 2


def test_a_number_is_not_used_again_when_the_log_is_lost(night: Home) -> None:
    decide_on_one(night)
    (night.root / META / "reflection-log.md").unlink()
    lose_state(night)

    assert again(night).begin().number == 2


def test_a_number_that_only_the_log_knows_is_not_used_again(night: Home) -> None:
    log = f"{META}/reflection-log.md"
    night.type(log, night.text(log) + "\n## Reflection #41 — 2026-01-30\n")

    assert again(night).begin().number == 42


def test_a_kept_cycle_nobody_can_read_is_told_and_harms_nothing(night: Home) -> None:
    reach(night, "granted")
    for junk in (b"", b"{", b"[]", b'{"state": "granted", "value": {}}', b"\xff\xfe"):
        cycle_file(night.root).write_bytes(junk)
        standing = again(night).status()
        assert standing.state == "idle"
        assert "cycle.json was altered by somebody else" in standing.says
    assert again(night).begin().number == 2


def test_a_proposal_undone_is_a_proposal_no_more(night: Home) -> None:
    reach(night, "pending")
    night.memory.undo(session="r-001")

    standing = again(night).status()

    assert standing.state == "idle"
    assert "undone or emptied" in standing.says
    assert parse_rewards(night.text(REWARDS)) == []


def test_a_page_laid_out_just_before_a_kill_is_laid_out_again(night: Home) -> None:
    reach(night, "granted")
    before = kept(night)
    propose(night)

    killed_behind(night, before)
    standing = again(night).advance()

    assert (standing.state, standing.number) == ("pending", 1)
    assert again(night).decide("approve", standing.shown).applied == (1, 2, 3)


def test_a_rejection_undone_beside_a_new_reflection_is_not_overwritten(
    night: Home,
) -> None:
    decide_on_one(night, "reject")
    rejection = night.head
    again(night).begin()
    again(night).reply("Proceed")
    dreaming(night, Dream()).undo(rejection)
    page = night.text(PAGE)
    assert '"number": 1,\n' in page

    with pytest.raises(ReverieError):
        again(night).advance()
    assert night.text(PAGE) == page


# --- more than one process -----------------------------------------------------


def beside(home: Home, dream: Dream | None = None) -> Memory:
    """A second process with the same workspace open."""
    mind = ScriptedMind(dream or Dream())
    return Memory(
        home.root, clock=home.clock, environ={"TZ": "UTC"}, mind=mind, human=agrees
    )


@pytest.mark.parametrize("step", ["cancel", "advance"])
def test_who_thinks_while_another_goes_on_finds_out(night: Home, step: str) -> None:
    reach(night, "granted")
    other = beside(night)
    moved: list[Standing] = []

    class Interrupted(Dream):
        def __call__(self, question: Question) -> Line:
            if question.operation == "reflect-meta" and not moved:
                moved.append(getattr(other.reflection, step)())
            return super().__call__(question)

    with pytest.raises(MovedOnError, match="moved on meanwhile"):
        again(night, Interrupted()).advance()
    other.close()
    expected = {"cancel": "idle", "advance": "pending"}[step]
    assert again(night).status().state == moved[0].state == expected
    assert len(newest_of_session(night, "r-001")) == 1 + (step == "advance")


def assert_applied_once(home: Home) -> None:
    """One archive, one entry in the log, one fact."""
    assert len(list((home.root / META / "reflections").glob("*.md"))) == 1
    log = home.text(f"{META}/reflection-log.md")
    assert log.count("\n## Reflection #1 ") == 1
    page = home.text(ALEX)
    assert page.count("Works from Berlin on Fridays") == 1
    assert home.unlike_head() == []


def race(home: Home, *steps: Callable[[Memory], object]) -> list[object]:
    """What as many processes get that each take a step at once."""
    home.memory.close()
    got: list[object] = []
    start = threading.Barrier(len(steps))

    def run(step: Callable[[Memory], object]) -> None:
        with beside(home) as memory:
            memory.tidy_on_close = False
            start.wait()
            try:
                got.append(step(memory))
            except ReverieError as error:
                got.append(error)

    threads = [threading.Thread(target=run, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got


def test_of_three_who_decide_at_once_one_wins(night: Home) -> None:
    reach(night, "pending")
    shown = again(night).status().shown

    def decide_at_once(memory: Memory) -> object:
        return memory.reflection.decide("approve", shown)

    got = race(night, decide_at_once, decide_at_once, decide_at_once)

    errors = [each for each in got if isinstance(each, ReverieError)]
    assert all(isinstance(each, ConflictError | NotFoundError) for each in errors)
    assert len(errors) == 2
    assert again(night).status().state == "recorded"
    assert_applied_once(night)


def test_who_looks_while_another_decides_does_not_do_it_too(night: Home) -> None:
    reach(night, "pending")
    shown = again(night).status().shown

    def decide_at_once(memory: Memory) -> object:
        return memory.reflection.decide("approve", shown)

    def look(memory: Memory) -> object:
        return [memory.reflection.status().state for _ in range(3)]

    got = race(night, decide_at_once, look, look)

    assert [each.number for each in got if isinstance(each, Reflected)] == [1]
    assert again(night).status().state == "recorded"
    assert_applied_once(night)


def test_of_three_who_grant_at_once_one_is_written_down(night: Home) -> None:
    reach(night, "tokens requested")

    def grant_at_once(memory: Memory) -> object:
        return memory.reflection.reply("Proceed")

    race(night, grant_at_once, grant_at_once, grant_at_once)

    assert again(night).status().state == "granted"
    assert len(parse_rewards(night.text(REWARDS))) == 1


# --- without a mind ------------------------------------------------------------


def test_without_a_mind_no_tokens_are_asked_for_and_it_says_so(furnished: Home) -> None:
    memory = furnished.reopen(TZ="UTC")
    said = "Alex moved from Berlin to Porto."
    memory.remember(said, Episodic())

    standing = memory.reflection.begin()
    assert (standing.state, standing.number) == ("reflecting", 1)
    standing = furnished.reopen(TZ="UTC").reflection.advance()

    assert standing.state == "pending"
    assert WITHOUT_MIND in standing.says
    pending, _ = furnished.memory.reflection.pending()
    assert (pending.grant, pending.used, pending.presentation) == (0, 0, "summary")
    done = furnished.memory.reflection.decide("approve", standing.shown)
    assert done.awareness == ()
    assert not (furnished.root / REWARDS).exists() or (
        parse_rewards(furnished.text(REWARDS)) == []
    )
    assert furnished.memory.reflection.begin().number == 2


def test_without_a_mind_it_asks_first_too(furnished: Home) -> None:
    memory = furnished.reopen(TZ="UTC")

    assert memory.reflection.begin(Occasion.SCHEDULED).state == "asked"
    assert memory.reflection.reply("ok").state == "reflecting"


# --- waiting -------------------------------------------------------------------


def test_a_proposal_is_brought_up_again_and_never_applied_by_time(night: Home) -> None:
    reach(night, "pending")
    files = night.tracked()
    assert not again(night).status().remind
    night.clock.forward(hours=23, minutes=59)
    assert not again(night).status().remind

    for _ in range(3):
        night.clock.forward(days=90)
        standing = again(night).status()
        assert (standing.state, standing.remind) == ("pending", True)
        assert night.memory.reflection.offer() is None
        night.memory.tidy()

    after = night.tracked()
    changed = {path for path in after if files.get(path) != after[path]}
    # What fades is noted, whether anybody reflects or not.
    assert files.keys() <= after.keys()
    assert changed <= {SCORES, GRAPH, ARCHIVE}


def test_looking_changes_nothing(night: Home) -> None:
    reach(night, "pending")
    before = kept(night), night.head

    for _ in range(3):
        again(night).status()
        night.memory.reflection.offer()
        night.memory.reflection.pending()
    assert (kept(night), night.head) == before


# --- what the user says --------------------------------------------------------


def test_words_that_ask_for_a_reflection_begin_one(night: Home) -> None:
    heard = night.memory.hear("Okay, let's reflect")

    assert heard.reflection is not None
    assert heard.reflection.state == "tokens requested"
    assert night.memory.hear("let's reflect").refused


def test_a_farewell_only_asks(night: Home) -> None:
    heard = night.memory.hear("That's all for today, good night!")

    assert heard.reflection is not None
    assert heard.reflection.state == "asked"
    assert heard.reflection.says.startswith("Before you go")


def test_a_farewell_asks_nothing_when_nothing_is_new(home: Home) -> None:
    memory = dreaming(home, Dream())

    assert memory.hear("good night").reflection is None
    assert memory.reflection.status().state == "idle"


def test_what_others_say_begins_nothing(night: Home) -> None:
    memory = night.memory

    for role in (Role.ASSISTANT,):
        heard = memory.hear("let's reflect", role=role)
        assert heard.reflection is None
    assert memory.hear('He wrote: "let\'s reflect".').reflection is None
    assert memory.reflection.status().state == "idle"


def test_a_whole_cycle_leaves_no_question_open(night: Home) -> None:
    reach(night, "pending")
    decide(night)

    assert again(night).status().state == "recorded"
    with pytest.raises(NotFoundError):
        night.memory.reflection.pending()
    with pytest.raises(NotFoundError):
        night.memory.reflection.decide(Decision(Choice.REJECT), "0" * 12)


def test_a_reflection_that_was_taken_back_is_not_told_as_recorded(home: Home) -> None:
    memory = dreaming(home, Dream())
    standing = proposed(memory)
    memory.reflection.decide("approve", standing.shown)
    memory.undo(session="r-001")
    memory.undo(session="r-001")

    standing = memory.reflection.status()

    assert (standing.state, standing.says) == ("idle", "reflection #1 was taken back")
