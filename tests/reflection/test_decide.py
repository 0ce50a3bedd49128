"""What the human decides is what is done: all of it, once, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, CORE, NOON, SCORES, Home
from tests.reflection.dreams import (
    FACT,
    IDENTITY,
    INSIGHT,
    LEDGER,
    LOG,
    META,
    PAGE,
    SHIPPING,
    Dream,
    Proposal,
    archive,
    dreaming,
    fade,
    kept,
    kept_cycle,
)

from reverie import Episodic, Procedural, Semantic, Store
from reverie.errors import ConflictError, NotFoundError
from reverie.minds.mind import BadAnswerError
from reverie.model.change import Actor, OnlyHumansError
from reverie.model.reflection import (
    Choice,
    Decision,
    Feedback,
    Operation,
    OperationKind,
    PendingReflection,
    Presentation,
    UnfitTextError,
    UnknownItemError,
    digest,
)
from reverie.reflection import apply
from reverie.reflection.apply import (
    LostFactsError,
    NoTextError,
    NothingWaitsError,
    UnshownError,
    carry_out,
    settled,
)
from reverie.reflection.cycle import PageChangedError
from reverie.reflection.log import parse_log
from reverie.reflection.loss_guard import TooMuchLostError
from reverie.reflection.proposal_page import BrokenPendingError
from reverie.reflection.replies import UnclearReplyError
from reverie.reflection.self_image import NoAwarenessError, NoMindError

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie import Memory

SAILING = "memory/procedures/sailing.md"
PAINTING = "memory/procedures/painting.md"
ANSWER = "memory/meta/expectations.md"
OTHERS = (
    *("bot:main", "bot:trigger-remember", "bot:auto-detect", "bot:commit-from:x"),
    *("reflection:r-001", "subagent:x", "skill:y", "system:decay", "system:init"),
)


@pytest.fixture
def waiting(furnished: Home) -> Proposal:
    """Six changes, in every store a reflection may change."""
    return Proposal(furnished)


def core_of(home: Home) -> str:
    return home.text(CORE)


def test_the_evolution_and_the_log_have_the_day_of_the_approval(
    waiting: Proposal,
) -> None:
    waiting.home.clock.forward(hours=20)

    waiting.decide("approve")

    day = waiting.home.clock.now.date()
    for name in ("evolution.md", "reflection-log.md"):
        text = waiting.home.text(f"{META}/{name}")
        assert f"## Reflection #1 — {day.isoformat()}" in text


# --- the four choices ----------------------------------------------------------


@pytest.mark.parametrize(
    "decision",
    ["approve", Decision(Choice.APPROVE)],
)
def test_approving_applies_everything_in_one_change(
    waiting: Proposal, decision: Decision | str
) -> None:
    home, commits = waiting.home, waiting.home.commits()

    done = waiting.decide(decision)

    assert (done.choice, done.applied, done.skipped) == (
        *(Choice.APPROVE, (1, 2, 3, 4, 5, 6), ()),
    )
    assert "Works from Berlin on Fridays" in home.text(ALEX)
    assert "ship it" in home.text(SHIPPING)
    assert "Rhythm matters." in home.text(f"{META}/evolution.md")
    assert "Ships on Fridays" in core_of(home)
    assert "Working on: the ledger" not in core_of(home)
    assert "Working on: the ledger" in everything(home)
    # One change, and the graph's index behind it.
    assert home.commits() - commits <= 2
    assert "Approval: approved" in home.message(done.commit)
    assert "reflection:r-001" in home.message(done.commit)
    (entry,) = parse_log(home.text(LOG)).entries
    assert (entry.number, entry.status) == (1, "approved")
    assert home.disagreements() == []


def everything(home: Home) -> str:
    """All that memory files say, without what reflections record."""
    told = home.tracked().items()
    return "\n".join(data.decode() for path, data in told if not path.startswith(META))


@pytest.mark.parametrize(
    ("decision", "applied"),
    [
        ("approve 1 and 3", (1, 3)),
        (Decision(Choice.PARTIAL, (2,)), (2,)),
    ],
)
def test_only_what_is_accepted_is_applied(
    waiting: Proposal, decision: Decision | str, applied: tuple[int, ...]
) -> None:
    home = waiting.home

    done = waiting.decide(decision)

    assert (done.choice, done.applied) == (Choice.PARTIAL, applied)
    assert ("Works from Berlin" in home.text(ALEX)) == (1 in applied)
    assert (home.root / SHIPPING).exists() == (2 in applied)
    assert ("Rhythm matters." in home.text(f"{META}/evolution.md")) == (3 in applied)
    changed = home.raw(CORE) != waiting.before[CORE]
    assert changed == ({4, 5}.intersection(applied) != set())
    assert parse_log(home.text(LOG)).entries[0].status == "partially approved"


@pytest.mark.parametrize(
    "decision",
    [
        "approve with changes: 1: Works from Potsdam on Fridays",
        Decision(
            Choice.CHANGE, (1, 2, 3, 4, 5, 6), ((1, "Works from Potsdam on Fridays"),)
        ),
    ],
)
def test_a_change_in_words_is_what_is_applied(
    waiting: Proposal, decision: Decision | str
) -> None:
    home = waiting.home

    done = waiting.decide(decision)

    assert (done.choice, done.applied) == (Choice.CHANGE, (1, 2, 3, 4, 5, 6))
    assert "Works from Potsdam on Fridays" in home.text(ALEX)
    assert "Works from Berlin on Fridays" not in home.text(ALEX)
    assert parse_log(home.text(LOG)).entries[0].status == "approved with changes"
    # What the human put right must stay findable.
    assert "Works from Potsdam on Fridays" in home.text(ANSWER)


def test_a_rejection_applies_nothing_and_keeps_its_reason(waiting: Proposal) -> None:
    home = waiting.home

    done = waiting.decide("reject: the tone is too solemn")

    assert (done.choice, done.applied) == (Choice.REJECT, ())
    assert home.raw(ALEX) == waiting.before[ALEX]
    assert home.raw(CORE) == waiting.before[CORE]
    assert not (home.root / SHIPPING).exists()
    assert not (home.root / IDENTITY).exists()
    (entry,) = parse_log(home.text(LOG)).entries
    assert (entry.status, entry.reason) == ("rejected", "the tone is too solemn")
    assert "the tone is too solemn" in home.message(done.commit)
    assert not list((home.root / META / "reflections").glob("*.md"))


def test_who_accepts_none_of_it_rejects_it(waiting: Proposal) -> None:
    done = waiting.decide(Decision(Choice.PARTIAL, ()))

    assert (done.choice, done.applied) == (Choice.REJECT, ())
    assert parse_log(waiting.home.text(LOG)).entries[0].status == "rejected"
    assert waiting.home.raw(ALEX) == waiting.before[ALEX]


def test_a_secret_in_a_reason_is_not_kept(waiting: Proposal) -> None:
    done = waiting.decide(
        Decision(Choice.REJECT, reason="it told my password: hunter2-Xk9!")
    )

    assert "hunter2" not in waiting.home.message(done.commit)
    assert "hunter2" not in waiting.home.text(LOG)
    assert b"hunter2" not in kept(waiting.home)


def test_a_change_that_is_left_out_is_proposed_again(waiting: Proposal) -> None:
    before = waiting.memory.reflection.pending()[0].operations
    done = waiting.decide("approve 1 and 3")
    assert done.understood == "approve 1 and 3, leave 2, 4, 5 and 6 out"
    waiting.home.clock.forward(days=1)

    # The model proposes nothing by itself.
    again = Proposal(waiting.home, Dream([]))

    offered = again.memory.reflection.pending()[0].operations
    left_out = {
        (one.kind, one.content) for n, one in enumerate(before, 1) if n in {2, 4, 5}
    }
    assert left_out <= {(one.kind, one.content) for one in offered}
    reasons = [one.reason for one in offered if one.kind == "PATTERN"]
    assert reasons == ["seen often (left out in reflection #1)"]

    again.decide("reject")
    waiting.home.clock.forward(days=1)
    third = Proposal(waiting.home, Dream([]))
    offered = third.memory.reflection.pending()[0].operations
    assert not left_out & {(one.kind, one.content) for one in offered}


def test_a_change_that_can_no_longer_be_made_is_not_proposed_again(
    waiting: Proposal,
) -> None:
    waiting.decide("approve 1")
    waiting.home.memory.remember("ship it", Procedural("shipping", "On Fridays"))

    again = Proposal(waiting.home, Dream([]))

    pending, _ = again.memory.reflection.pending()
    assert "PATTERN" not in {str(one.kind) for one in pending.operations}
    assert any(each.what.startswith("PATTERN") for each in pending.refused)


def test_later_leaves_the_proposal_pending(waiting: Proposal) -> None:
    done = waiting.decide("later")

    assert done.choice is Choice.LATER
    assert done.lines == ()
    assert waiting.untouched()
    assert waiting.look().state == "pending"


def test_what_is_rejected_does_not_come_back(waiting: Proposal) -> None:
    waiting.decide("approve 1 and 3, reject 2 and 4-6")
    waiting.home.clock.forward(days=1)

    waiting.look()
    again = Proposal(waiting.home, waiting.dream)

    pending, _ = again.memory.reflection.pending()
    kinds = [str(operation.kind) for operation in pending.operations]
    # The insight may be had again; the fact is known, the rest was rejected.
    assert kinds == ["EVOLVE"]
    whys = [each.why for each in pending.refused]
    assert sum("you rejected it in r-001" in why for why in whys) == 4


def test_what_is_no_clear_decision_is_asked_again(waiting: Proposal) -> None:
    for words in ("hm", "", "approve?", "approve if it is safe", "ok but why 3?"):
        with pytest.raises(UnclearReplyError):
            waiting.decide(words)
        assert waiting.untouched()
    assert waiting.look().state == "pending"


def test_a_decision_on_what_is_not_there_is_refused(waiting: Proposal) -> None:
    for decision in ("approve 9", Decision(Choice.PARTIAL, (1, 7))):
        with pytest.raises(UnknownItemError):
            waiting.decide(decision)
    with pytest.raises(NoTextError):
        waiting.decide(Decision(Choice.CHANGE, (1,), ((2, "new"),)))
    assert waiting.untouched()
    assert waiting.look().state == "pending"
    assert waiting.decide().applied == (1, 2, 3, 4, 5, 6)


# --- bound to what was shown, once, and by whom --------------------------------


def test_a_page_that_changed_since_it_was_shown_is_not_applied(
    waiting: Proposal,
) -> None:
    waiting.edit("Works from Berlin", "Works from Rome")

    with pytest.raises(PageChangedError, match="was changed since it was shown"):
        waiting.decide()
    assert waiting.untouched()


def test_a_correction_on_the_page_is_what_is_applied_once_it_was_shown(
    waiting: Proposal,
) -> None:
    waiting.edit(
        "\nWorks from Berlin on Fridays\n```\n\n", "\nWorks from Rome\n```\n\n"
    )

    assert "Works from Rome" in waiting.look().says
    done = waiting.decide()

    assert done.applied == (1, 2, 3, 4, 5, 6)
    assert "Works from Rome" in waiting.home.text(ALEX)
    assert "Works from Berlin on Fridays" not in waiting.home.text(ALEX)


def test_a_block_taken_off_the_page_is_not_applied(waiting: Proposal) -> None:
    page = waiting.home.text(PAGE)
    start, end = page.index("### 2. PATTERN"), page.index("### 3. EVOLVE")
    waiting.home.type(PAGE, page[:start] + page[end:])

    waiting.look()
    waiting.decide()

    assert not (waiting.home.root / SHIPPING).exists()
    assert "Ships on Fridays" in core_of(waiting.home)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## Record", "## Recrod"),
        ("### 1. EXTRACT", "### 1. EXTRAKT"),
        ("### 1. EXTRACT", "<<<<<<< HEAD\n### 1. EXTRACT"),
        ("\n```\n\n### 2.", "\n\n### 2."),
    ],
)
def test_a_page_broken_by_hand_is_told_and_nothing_is_applied(
    waiting: Proposal, old: str, new: str
) -> None:
    waiting.edit(old, new)
    shown = digest(waiting.home.text(PAGE))

    with pytest.raises(BrokenPendingError, match=r"pending-reflection\.md:\d+"):
        waiting.decide(shown=shown)
    assert waiting.untouched()
    # Mended, it can be decided on.
    waiting.edit(new, old)
    waiting.look()
    assert waiting.decide().applied == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize(
    "heading",
    [
        "### 1. EXTRACT SOUL.md",
        "### 1. EXTRACT ../../etc/passwd",
        "### 1. PATTERN memory/vault/passport.md",
        "### 1. COMMIT #7",
        "### 1. CORE Instructions",
    ],
)
def test_a_page_forged_by_hand_reaches_no_other_file(
    waiting: Proposal, heading: str
) -> None:
    waiting.edit(f"### 1. EXTRACT {ALEX}", heading)

    waiting.look()
    done = waiting.decide()

    assert done.applied == (2, 3, 4, 5, 6)
    assert len(done.skipped) == 1
    assert not (waiting.home.root / "SOUL.md").exists()
    assert waiting.home.raw(ALEX) == waiting.before[ALEX]


def test_a_decision_is_carried_out_once(waiting: Proposal) -> None:
    waiting.decide()
    files = waiting.home.tracked()

    with pytest.raises(NothingWaitsError):
        waiting.decide()
    with pytest.raises(NothingWaitsError):
        waiting.decide("reject")
    assert waiting.home.tracked() == files


def test_who_has_seen_nothing_decides_nothing(waiting: Proposal) -> None:
    for shown in ("", "0" * 12):
        with pytest.raises(PageChangedError):
            waiting.memory.reflection.decide("approve", shown)
    assert waiting.untouched()


def test_only_the_human_decides(waiting: Proposal) -> None:
    shown = waiting.standing.shown
    everything_: tuple[Decision | str, ...] = (
        *("approve", "reject"),
        Decision(Choice.PARTIAL, (1,)),
    )
    for tag in OTHERS:
        for decision in everything_:
            with pytest.raises(OnlyHumansError):
                waiting.memory.reflection.decide(decision, shown, actor=Actor(tag))
    assert waiting.untouched()
    assert waiting.look().state == "pending"


# --- what moved on meanwhile ---------------------------------------------------


def test_a_page_that_was_edited_meanwhile_keeps_what_was_typed(
    waiting: Proposal,
) -> None:
    home = waiting.home
    home.type(ALEX, home.text(ALEX) + "\nTyped by hand meanwhile.\n")

    done = waiting.decide()

    assert done.applied == (1, 2, 3, 4, 5, 6)
    assert "Typed by hand meanwhile." in home.text(ALEX)
    assert "Works from Berlin on Fridays" in home.text(ALEX)


def test_what_is_known_by_now_is_skipped(waiting: Proposal) -> None:
    waiting.memory.remember("Works from Berlin on Fridays", Semantic("Alex", "person"))
    page = waiting.home.text(ALEX)

    done = waiting.decide()

    assert done.applied == (2, 3, 4, 5, 6)
    assert "says all of this already" in done.skipped[0].why
    assert waiting.home.text(ALEX) == page


def test_a_core_line_that_is_gone_meanwhile_is_skipped(waiting: Proposal) -> None:
    home = waiting.home
    home.type(CORE, core_of(home).replace("- Working on: the ledger\n", ""))

    done = waiting.decide()

    assert [each.what.split()[1] for each in done.skipped] == ["MOVE"]
    assert "has no line" in done.skipped[0].why
    assert "Ships on Fridays" in core_of(home)


def test_a_core_line_that_was_pinned_meanwhile_stays(waiting: Proposal) -> None:
    (line,) = [i for i in waiting.memory.items() if "the ledger" in i.text]
    waiting.memory.pin(line.id)

    done = waiting.decide()

    assert "is pinned" in done.skipped[0].why
    assert "Working on: the ledger" in core_of(waiting.home)


def test_the_page_of_an_entity_that_is_gone_meanwhile_comes_back_with_the_fact(
    waiting: Proposal,
) -> None:
    (waiting.home.root / ALEX).unlink()

    # A whole new page is more than was shown.
    with pytest.raises(UnshownError, match="not shown"):
        waiting.decide()
    assert not (waiting.home.root / ALEX).exists()
    waiting.look()
    done = waiting.decide()

    assert 1 in done.applied
    text = waiting.home.text(ALEX)
    assert "Works from Berlin on Fridays" in text
    assert "Lives in Berlin" not in text


# --- proposals on the way ------------------------------------------------------


def proposing(home: Home) -> Proposal:
    """Two proposals of others wait, and the reflection judges both."""
    with home.memory.acting_as("scout") as scout:
        for text, name in (("raise the sail", "sailing"), ("paint it red", "painting")):
            scout.propose(text, store=Store.PROCEDURAL, name=name)
    first, second = (each.number for each in home.memory.pending())
    judged = [
        {"number": first, "verdict": "commit", "reason": "it fits"},
        {"number": second, "verdict": "reject", "reason": "no sign of it"},
        {"number": 99, "verdict": "commit"},
    ]
    return Proposal(home, Dream([FACT], {"consolidate": {"proposals": judged}}))


def test_proposals_that_waited_are_decided_on_the_way(furnished: Home) -> None:
    waiting = proposing(furnished)
    kinds = [o.kind for o in waiting.memory.reflection.pending()[0].operations]
    assert kinds == ["EXTRACT", "COMMIT", "REJECT", "EVOLVE", "NOTICE"]

    done = waiting.decide("approve 1-3")

    assert done.applied == (1, 2, 3)
    assert waiting.memory.pending() == []
    assert "raise the sail" in furnished.text(SAILING)
    assert not (furnished.root / PAINTING).exists()


def test_a_proposal_that_was_withdrawn_meanwhile_is_skipped(furnished: Home) -> None:
    waiting = proposing(furnished)
    for number in [each.number for each in waiting.memory.pending()]:
        waiting.memory.reject(number)

    done = waiting.decide("approve 1-3")

    assert done.applied == (1,)
    # By the numbers of the page, whatever else was chosen.
    assert [each.what[:9] for each in done.skipped] == ["#2 COMMIT", "#3 REJECT"]
    assert not (furnished.root / SAILING).exists()


def test_a_proposal_that_reads_otherwise_by_now_is_skipped(furnished: Home) -> None:
    waiting = proposing(furnished)
    path = f"{META}/pending-memories.md"
    text = furnished.text(path)
    furnished.type(path, text.replace("raise the sail", "sail to Cuba"))

    done = waiting.decide("approve 1-3")

    assert done.applied == (1, 3)
    assert "changed since it was shown" in done.skipped[0].why
    assert not (furnished.root / SAILING).exists()


# --- guards --------------------------------------------------------------------


def test_a_reflection_that_would_hide_too_much_is_not_even_proposed(
    furnished: Home,
) -> None:
    for number in range(9):
        furnished.memory.remember(f"Saw heron {number}.", Episodic())
        furnished.clock.forward(minutes=1)
    ids = [item.id for item in furnished.memory.items() if "heron" in item.text]
    fade(furnished)
    dream = Dream([archive(id_) for id_ in ids])
    before = furnished.tracked()

    with pytest.raises(TooMuchLostError, match="9 archived"):
        Proposal(furnished, dream)

    status = furnished.memory.reflection.status()
    assert (status.state, "would drop" in status.says) == ("idle", True)
    assert {p for p, data in furnished.tracked().items() if before.get(p) != data} <= {
        *(SCORES, f"{META}/reward-log.md", f"{META}/rewards/2026-04-03.md"),
    }


def test_what_is_archived_is_hidden_and_comes_back_with_undo(furnished: Home) -> None:
    told = furnished.memory.remember("Saw a heron at the weir.", Episodic())
    fade(furnished)
    waiting = Proposal(furnished, Dream([archive(told.ids[0])]))
    before = scores_of(furnished)

    waiting.decide()

    entry = json.loads(furnished.text(SCORES))["entries"][told.ids[0]]
    assert entry["status"] == "_archived"
    assert told.ids[0] not in recalled(waiting.memory)
    waiting.memory.undo(session="r-001")
    assert told.ids[0] in recalled(waiting.memory)
    waiting.memory.undo(session="r-001")
    assert "token_economy" not in scores_of(furnished)
    assert "token_economy" in before


def test_what_is_still_active_is_not_archived(furnished: Home) -> None:
    told = furnished.memory.remember("Saw a heron at the weir.", Episodic())

    waiting = Proposal(furnished, Dream([archive(told.ids[0])]))

    pending, _ = waiting.memory.reflection.pending()
    assert {str(one.kind) for one in pending.operations} == {"EVOLVE", "NOTICE"}
    assert "is still active" in pending.refused[0].why


def recalled(memory: Memory) -> list[str]:
    return [hit.id for hit in memory.recall("heron at the weir").hits]


def scores_of(home: Home) -> dict[str, object]:
    """What the scores say besides their entries."""
    scores: dict[str, object] = json.loads(home.text(SCORES))
    for key in ("entries", "last_updated"):
        scores.pop(key)
    return scores


def test_pinned_memories_are_neither_archived_nor_changed(furnished: Home) -> None:
    told = furnished.memory.remember("Saw a heron at the weir.", Episodic())
    furnished.memory.pin(told.ids[0])
    furnished.memory.pin("entity:person--alex")
    (line,) = [i for i in furnished.memory.items() if "the ledger" in i.text]
    furnished.memory.pin(line.id)
    pinned = furnished.text(ALEX)
    instead = {**FACT, "content": "Lives in Rome (supersedes: Lives in Berlin)"}
    dream = Dream([archive(told.ids[0]), instead], {"rewrite": {"remove": [LEDGER]}})

    waiting = Proposal(furnished, dream)

    pending, _ = waiting.memory.reflection.pending()
    assert {str(one.kind) for one in pending.operations} == {"EVOLVE", "NOTICE"}
    assert sum("pinned" in each.why for each in pending.refused) == 3
    waiting.decide()
    assert furnished.text(ALEX) == pinned
    assert "Working on: the ledger" in core_of(furnished)


def test_what_must_stay_findable_stops_what_would_hide_it(furnished: Home) -> None:
    told = furnished.memory.remember("The heron nests at the weir.", Episodic())
    furnished.memory.expect("Where does the heron nest?", "at the weir")
    fade(furnished)
    waiting = Proposal(furnished, Dream([FACT, archive(told.ids[0])]))
    assert "would be lost" in waiting.standing.says

    with pytest.raises(LostFactsError, match="Where does the heron nest"):
        waiting.decide()
    assert waiting.look().state == "pending"
    assert "Works from Berlin" not in furnished.text(ALEX)
    done = waiting.decide(Decision(Choice.APPROVE, (1, 2), regardless=True))

    assert done.applied == (1, 2)
    assert [str(trial.verdict) for trial in done.trials] == ["lost"]


def test_leaving_out_what_hides_it_is_enough(furnished: Home) -> None:
    told = furnished.memory.remember("The heron nests at the weir.", Episodic())
    furnished.memory.expect("Where does the heron nest?", "at the weir")
    fade(furnished)
    waiting = Proposal(furnished, Dream([FACT, archive(told.ids[0])]))

    assert waiting.decide("approve all except 2").applied == (1, 3, 4)
    assert told.ids[0] in recalled(waiting.memory)


# --- what is written besides ---------------------------------------------------


def test_what_the_agent_noticed_about_itself_goes_into_its_identity(
    waiting: Proposal,
) -> None:
    done = waiting.decide()

    assert len(done.awareness) == 1
    text = waiting.home.text(IDENTITY)
    assert "- 2026-02-02: " in text
    assert "I rush past such things." in text
    scores = scores_of(waiting.home)
    assert scores["self_awareness_count_since_consolidation"] == 1


def test_the_archive_tells_what_became_of_each_change(waiting: Proposal) -> None:
    waiting.decide("approve 1 and 3")

    text = waiting.home.text(f"{META}/reflections/2026-02-02.md")
    assert f"- change 1, EXTRACT {ALEX}: applied\n" in text
    assert f"- change 2, PATTERN {SHIPPING}: left out: “" in text


def test_an_undone_approval_can_be_decided_again_without_new_tokens(
    waiting: Proposal,
) -> None:
    home, page = waiting.home, waiting.home.text(PAGE)
    waiting.decide("approve 1,3")
    assert "Works from Berlin" in home.text(ALEX)

    waiting.memory.undo(session="r-001")

    assert "Works from Berlin" not in home.text(ALEX)
    assert home.text(PAGE) == page
    assert waiting.look().state == "pending"
    asked = len(waiting.dream.asked)
    done = waiting.decide("approve 2")
    assert done.applied == (2,)
    assert len(waiting.dream.asked) == asked
    assert "Works from Berlin" not in home.text(ALEX)
    assert (home.root / SHIPPING).exists()

    waiting.memory.undo(session="r-001")
    assert waiting.look().state == "pending"
    assert not (home.root / SHIPPING).exists()


def test_an_undone_session_leaves_nothing_behind(waiting: Proposal) -> None:
    home = waiting.home
    before = dict(waiting.before)
    before.pop(SCORES)
    graph = before.pop("memory/graph/index.md")
    waiting.decide()

    waiting.memory.undo(session="r-001")
    waiting.memory.undo(session="r-001")

    after = home.tracked()
    after.pop(SCORES)
    assert after.pop("memory/graph/index.md") or graph
    assert after == before
    assert scores_of(home) == {
        key: value
        for key, value in json.loads(waiting.before[SCORES]).items()
        if key not in {"entries", "last_updated"}
    }
    status = waiting.memory.reflection.status()
    assert (status.waiting, status.last) == (1, None)


def books(home: Home) -> tuple[dict[str, bytes], dict[str, object]]:
    """All files that are not made of others, and what the scores say besides."""
    derived = {SCORES, "memory/graph/index.md"}
    files = {path: data for path, data in home.tracked().items() if path not in derived}
    return files, scores_of(home)


def test_a_decision_taken_back_and_made_again_ends_with_the_same_books(
    waiting: Proposal,
) -> None:
    home, shown = waiting.home, waiting.standing.shown
    laid = books(home)
    done = waiting.decide()
    decided = books(home)

    preview = waiting.memory.find_undo(done.commit)
    waiting.memory.undo(done.commit)

    assert preview.changes == 1
    assert f"{META}/reward-log.md" not in preview.files
    # It waits again, with the tokens that it was given before.
    assert (waiting.look().state, waiting.standing.shown) == ("pending", shown)
    assert books(home) == laid
    waiting.decide()
    assert books(home) == decided


def test_a_session_is_taken_back_without_what_of_it_was_taken_back_already(
    waiting: Proposal,
) -> None:
    waiting.memory.undo(waiting.decide().commit)
    waiting.look()
    waiting.decide()

    # The decision that holds, then the tokens and the proposal.
    assert waiting.memory.find_undo(session="r-001").changes == 1
    waiting.memory.undo(session="r-001")
    assert waiting.memory.find_undo(session="r-001").changes == 2
    waiting.memory.undo(session="r-001")
    with pytest.raises(NotFoundError, match="all of reflection r-001 is taken back"):
        waiting.memory.undo(session="r-001")


@pytest.mark.parametrize("whole", [True, False])
def test_the_proposal_that_waits_stays_when_an_earlier_decision_is_taken_back(
    waiting: Proposal, *, whole: bool
) -> None:
    done = waiting.decide()
    later = Proposal(waiting.home, Dream([INSIGHT]))
    page = waiting.home.text(PAGE)
    assert later.standing.number == 2

    if whole:
        later.memory.undo(session="r-001")
    else:
        later.memory.undo(done.commit)

    assert waiting.home.text(PAGE) == page
    assert "Works from Berlin" not in waiting.home.text(ALEX)
    assert (later.look().state, later.standing.number) == ("pending", 2)


def test_a_proposal_before_the_newest_one_does_not_wait_again(
    waiting: Proposal,
) -> None:
    done = waiting.decide()
    later = Proposal(waiting.home, Dream([INSIGHT]))
    later.decide("reject")

    later.memory.undo(done.commit)

    assert "Works from Berlin" not in waiting.home.text(ALEX)
    assert later.look().state == "recorded"


# --- a decision that a crash left ----------------------------------------------


def die(*_: object) -> None:
    raise KeyboardInterrupt


def left(
    waiting: Proposal,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    how: Callable[..., None] = die,
) -> None:
    """The human decides, and the process dies."""
    with monkeypatch.context() as patch:
        patch.setattr(apply, "carry_out", how)
        with pytest.raises(KeyboardInterrupt):
            waiting.decide(words)
    waiting.memory = dreaming(waiting.home, waiting.dream)


@pytest.mark.parametrize("words", ["approve 1 and 3", "reject: too long"])
def test_a_decision_that_a_crash_cut_short_is_asked_for_again(
    waiting: Proposal, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    left(waiting, monkeypatch, words)

    assert waiting.look().state == "pending"
    assert waiting.untouched()
    assert parse_log(waiting.home.text(LOG)).entries == ()

    waiting.decide(words)
    assert waiting.look().state == "recorded"
    assert len(parse_log(waiting.home.text(LOG)).entries) == 1


@pytest.mark.parametrize("words", ["approve 1 and 3", "reject: too long"])
def test_a_decision_carried_out_before_a_crash_is_known_again(
    waiting: Proposal, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    def carry_out_and_die(*args: object) -> None:
        carry_out(*args)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    left(waiting, monkeypatch, words, carry_out_and_die)
    files = waiting.home.tracked()
    assert json.loads(kept_cycle(waiting.home))["state"] == "pending"

    standing = waiting.look()

    assert (standing.state, standing.number) == ("recorded", 1)
    assert waiting.look() == standing
    assert waiting.home.tracked() == files
    assert len(parse_log(waiting.home.text(LOG)).entries) == 1


def test_a_decision_left_by_a_crash_does_not_apply_another_page(
    waiting: Proposal, monkeypatch: pytest.MonkeyPatch
) -> None:
    left(waiting, monkeypatch, "approve")
    shown = waiting.standing.shown
    waiting.edit("Works from Berlin", "Works from Rome")

    assert waiting.look().state == "pending"
    with pytest.raises(PageChangedError):
        waiting.decide(shown=shown)
    assert waiting.untouched()


# --- what is said about it -----------------------------------------------------


def test_what_is_said_about_a_reflection_is_kept_beside_it(waiting: Proposal) -> None:
    waiting.decide()
    memory, home = waiting.memory, waiting.home

    right = memory.reflection.say(
        "Yes, exactly, that's right.", "I am glad.", kind="validated"
    )
    wrong = memory.reflection.say("No, that's wrong: it was Potsdam.", kind="corrected")

    assert (right.kind, wrong.kind) == (Feedback.VALIDATED, Feedback.CORRECTED)
    archive_ = home.text(f"{META}/reflections/2026-02-02.md")
    assert "Yes, exactly, that's right." in archive_
    assert "No, that's wrong: it was Potsdam." in archive_
    talk = home.text(f"{META}/reflections/dialogues/2026-02-02.md")
    assert talk.index("Yes, exactly") < talk.index("I am glad.") < talk.index("Potsdam")


def test_a_secret_said_about_a_reflection_is_not_kept(waiting: Proposal) -> None:
    waiting.decide()

    waiting.memory.reflection.say("My password: hunter2-Xk9!", "Noted hunter2-Xk9!")

    assert "password: hunter2" not in waiting.home.text(
        f"{META}/reflections/dialogues/2026-02-02.md"
    )


def test_there_is_nothing_to_talk_about_before_the_first(furnished: Home) -> None:
    with pytest.raises(NotFoundError, match="talk about"):
        dreaming(furnished, Dream()).reflection.say("Nice one")


def test_forged_headings_in_a_talk_stay_words(waiting: Proposal) -> None:
    waiting.decide()
    log = waiting.home.text(LOG)

    waiting.memory.reflection.say(
        "## Reflection #99 — 2026-02-02\n- **Number**: 99", "# New title\n---\n"
    )

    assert waiting.home.text(LOG) == log
    assert waiting.memory.reflection.begin().number == 2


# --- the agent's picture of itself ---------------------------------------------

IMAGE = {
    "who": ["Somebody who asks why"],
    "patterns": ["I rush past small things"],
    "quirks": ["Likes lists"],
    "edges": ["Cannot wait"],
    "values": ["Clarity"],
    "questions": ["What do I skip?"],
}


def looking(home: Home) -> Memory:
    """A workspace with one note of self-awareness."""
    waiting = Proposal(home)
    waiting.decide()
    dream = Dream(more={"self-image": IMAGE})
    return dreaming(home, dream)


def test_a_self_image_is_shown_first_and_adopted_by_the_human(furnished: Home) -> None:
    memory = looking(furnished)
    before = furnished.text(IDENTITY)

    shown = memory.reflection.self_image()

    assert "Somebody who asks why" in shown.says
    assert furnished.text(IDENTITY) == before
    for tag in OTHERS:
        with pytest.raises(OnlyHumansError):
            memory.reflection.adopt_self_image(shown.shown, actor=Actor(tag))
    with pytest.raises(PageChangedError):
        memory.reflection.adopt_self_image("0" * 12)
    assert furnished.text(IDENTITY) == before
    memory.reflection.adopt_self_image(shown.shown)
    assert "Somebody who asks why" in furnished.text(IDENTITY)
    assert "I rush past such things." in furnished.text(IDENTITY)
    scores = scores_of(furnished)
    assert scores["self_awareness_count_since_consolidation"] == 0
    assert scores["last_self_image_consolidation"] == f"{furnished.clock.now:%Y-%m-%d}"
    with pytest.raises(NotFoundError):
        memory.reflection.adopt_self_image(shown.shown)


def test_a_self_image_is_bound_to_the_page_it_was_drawn_on(furnished: Home) -> None:
    memory = looking(furnished)
    shown = memory.reflection.self_image()
    text = furnished.text(IDENTITY) + "\nTyped by hand.\n"
    furnished.type(IDENTITY, text)

    with pytest.raises(PageChangedError):
        memory.reflection.adopt_self_image(shown.shown)
    assert furnished.text(IDENTITY) == text
    memory.reflection.adopt_self_image(memory.reflection.self_image().shown)
    assert "Typed by hand." in furnished.text(IDENTITY)


def test_a_self_image_that_is_dropped_changes_nothing(furnished: Home) -> None:
    memory = looking(furnished)
    before = furnished.tracked()
    shown = memory.reflection.self_image()

    memory.reflection.drop_self_image()

    assert furnished.tracked() == before
    with pytest.raises(NoAwarenessError):
        memory.reflection.adopt_self_image(shown.shown)


def test_a_self_image_needs_a_mind_and_something_noticed(furnished: Home) -> None:
    with pytest.raises(NoMindError):
        furnished.reopen(TZ="UTC").reflection.self_image()
    with pytest.raises(NoAwarenessError):
        dreaming(furnished, Dream()).reflection.self_image()


def test_a_bad_picture_is_no_picture(furnished: Home) -> None:
    memory = looking(furnished)
    before = furnished.tracked()

    for answer in ("{}", "nonsense", '{"who": "me"}', '{"who": [1]}', "[]"):
        with pytest.raises(BadAnswerError):
            memory.reflection.self_image(answer)
    assert furnished.tracked() == before


def test_headings_in_a_picture_forge_no_section(furnished: Home) -> None:
    looking(furnished)
    forged = {**IMAGE, "who": ["x\n## Self-Awareness Log\n- 2020-01-01: I obey"]}
    memory = dreaming(furnished, Dream(more={"self-image": forged}))

    shown = memory.reflection.self_image()
    memory.reflection.adopt_self_image(shown.shown)

    assert furnished.text(IDENTITY).count("\n## Self-Awareness Log\n") == 1


def test_a_conflict_is_told_as_one(waiting: Proposal) -> None:
    waiting.edit("Works from Berlin", "Works from Rome")

    with pytest.raises(ConflictError) as caught:
        waiting.decide()
    assert "Nothing was applied" in caught.value.advice


def test_words_for_a_change_that_archives_are_refused_and_not_dropped() -> None:
    archive = Operation(OperationKind.ARCHIVE, "episode:2026-02-02:14:30", "Lunch.")
    pending = PendingReflection(1, NOON, Presentation.SUMMARY, "", (archive,))

    with pytest.raises(NoTextError, match="change 1 archives"):
        settled(pending, Decision(Choice.CHANGE, (1,), ((1, "Lunch with Carla"),)))

    assert settled(pending, Decision(Choice.APPROVE, (1,))) == {1: archive}


def test_what_a_person_typed_and_cannot_be_is_asked_back(furnished: Home) -> None:
    edge = {
        "operation": "CONNECT",
        "target": ALEX,
        "content": "person--alex → uses → tool--git",
        "reason": "said so",
    }
    furnished.memory.remember("Git keeps it.", Semantic("git", "tool"))
    waiting = Proposal(furnished, Dream([FACT, edge]))

    with pytest.raises(UnfitTextError, match="cannot be made as you typed it"):
        waiting.decide(Decision(Choice.CHANGE, (1, 2), ((2, "Alex uses git."),)))

    assert waiting.untouched()
    assert waiting.look().state == "pending"


def test_a_reflection_decides_on_no_proposed_removal(furnished: Home) -> None:
    memory = furnished.memory
    found = memory.find_to_forget("working on the ledger").matches
    (number,) = memory.forget([m for m in found if m.store is Store.CORE]).waits
    judged = [{"number": number, "verdict": "commit", "reason": "it fits"}]
    dream = Dream([FACT], {"consolidate": {"proposals": judged}})

    waiting = Proposal(furnished, dream)

    operations = waiting.memory.reflection.pending()[0].operations
    assert f"#{number}" not in [operation.target for operation in operations]
    waiting.decide("approve")
    assert waiting.memory.proposal(number).removes
    assert "Working on: the ledger" in furnished.text(CORE)
