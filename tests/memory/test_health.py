"""How a workspace is doing is told, however it is doing."""

from __future__ import annotations

import errno
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.crash.faults import instrumented
from tests.crash.test_disk_errors import Failing
from tests.memory.home import CONFIG, DAY, NOON, agrees, state_folder

from reverie import Actor, Episodic, Memory, Semantic, Store
from reverie.health import health
from reverie.minds.mind import Question, Use
from reverie.model.conversation import Quality
from reverie.model.health import Conversations, HealthVerdict, StoreCount
from reverie.workspace.questions import QuestionBox
from reverie.workspace.spend_log import Spending

if TYPE_CHECKING:
    from pathlib import Path

    from tests.memory.home import Home

    from reverie.model.health import Health

PENDING = "memory/meta/pending-memories.md"


def told(memory: Memory, talk: Conversations | None = None) -> Health:
    session, search = memory._session, memory._recalling  # noqa: SLF001 - as wired
    viewer = memory._viewer  # noqa: SLF001 - likewise
    overview, bill = memory.overview(), memory.spending()
    return health(session, viewer, search, overview, bill, conversations=talk)


def store(found: Health, which: Store) -> StoreCount:
    return next(each for each in found.stores if each.store is which)


def said(found: Health) -> str:
    return "\n".join(f"{r.verdict}: {r.what}; {r.mend}" for r in found.remarks)


# --- what is there -----------------------------------------------------------


def test_an_empty_workspace_is_well(home: Home) -> None:
    found = told(home.memory)

    assert found.verdict is HealthVerdict.OK
    assert found.memories == 0
    assert [each.store for each in found.stores] == list(Store)
    assert said(found) == 'ok: nothing is remembered yet; `reverie remember "…"` begins'
    assert found.root == str(home.root)
    assert found.at == NOON
    assert found.core_cap == 3000
    assert found.upkeep.judged == 0
    assert found.upkeep.whole


def test_memories_are_counted_by_store_and_status(furnished: Home) -> None:
    found = told(furnished.memory)

    assert found.verdict is HealthVerdict.OK, said(found)
    assert found.memories == 5
    assert store(found, Store.EPISODIC) == StoreCount(Store.EPISODIC, 1, active=1)
    assert store(found, Store.VAULT) == StoreCount(Store.VAULT, 1, active=1, pinned=1)


def test_what_fades_is_counted_as_it_fades(furnished: Home) -> None:
    seen = []
    for days in (0, 30, 30, 60):
        furnished.clock.forward(days=days)
        each = store(told(furnished.memory), Store.EPISODIC)
        seen.append((each.active, each.fading, each.dormant, each.archived))

    assert seen == [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)]


def test_turns_are_counted_and_do_not_fade(home: Home) -> None:
    talk = (
        "# x — Conversation\n\n## 2020-01-01 10:00:00 | user | turn:1\nHello there.\n"
    )
    home.type("conversations/x.md", talk)

    found = told(home.memory)

    assert store(found, Store.TURNS) == StoreCount(Store.TURNS, 1, active=1)
    assert found.conversations.turns == 1
    assert found.memories == 0


def test_storage_is_measured(furnished: Home) -> None:
    found = told(furnished.memory).storage

    files = [p for p in furnished.tracked() if p.endswith(".md")]
    assert found.markdown == sum(len(furnished.raw(path)) for path in files)
    assert found.files == len(furnished.tracked())
    assert found.history > 1000
    assert found.state > 10_000


def test_spending_is_told_for_today_and_the_month(home: Home) -> None:
    for days in (0, 5, 40):
        then = NOON - timedelta(days=days)
        purse = Spending(state_folder(home.root), lambda then=then: then)  # type: ignore[misc]
        use = Use("route", "tiny", 1000, 100, estimated=False)
        purse.settle(
            purse.reserve(Use("route", "tiny", 1100, 0, estimated=True), 10**9), use
        )

    bill = told(home.memory).spending

    assert (bill.today.tokens, bill.total.tokens, bill.limit) == (1100, 2200, 200_000)
    assert bill.last - bill.first == timedelta(days=29)


def test_a_day_that_is_spent_is_worth_a_look(home: Home) -> None:
    home.type(CONFIG, "[mind]\ndaily_tokens = 1000\n")
    home.reopen()
    purse = Spending(state_folder(home.root), lambda: NOON)
    purse.note(Use("route", "tiny", 1000, 100, estimated=False))

    assert "the day's 1,000 tokens are spent" in said(told(home.memory))


# --- what waits --------------------------------------------------------------


def test_proposals_are_counted_by_their_status(home: Home) -> None:
    home.type(
        PENDING,
        "# Pending Memory Proposals\n"
        + "".join(
            f"\n---\n## Proposal #{number}{mark}\n- **From**: coder\n"
            f"- **Suggested store**: semantic\n- **Content**: Fact {number}\n"
            f"- **Status**: {status}\n"
            for number, mark, status in (
                (1, "", "pending"),
                (2, "", "pending"),
                (3, " ⚠️ CONFLICT with #4", "conflict — see #4"),
                (4, " ⚠️ CONFLICT with #3", "conflict — see #3"),
                (5, "", "deferred"),
            )
        ),
    )

    found = told(home.memory)

    assert found.waits.proposals == 5
    assert found.waits.statuses == (("conflict", 2), ("deferred", 1), ("pending", 2))
    assert found.waits.disputed == 2
    assert found.verdict is HealthVerdict.LOOK
    assert "look: 5 proposals wait; decide with `reverie pending`" in said(found)
    assert "2 proposals contradict" in said(found)


def test_alerts_and_questions_wait(home: Home) -> None:
    home.type("SOUL.md", "Be kind.\n")
    question = Question("route", "Where?", "Where?", {"type": "object"}, 100)
    QuestionBox(state_folder(home.root), lambda: NOON, "remember", {"text": "x"}).put(
        question
    )

    found = told(home.memory)

    assert (found.waits.alerts, found.waits.questions) == (1, 1)
    assert "1 critical change not acknowledged yet" in said(found)
    assert "1 question waits for the host agent" in said(found)


def test_a_reflection_is_told_as_due_pending_and_done(home: Home) -> None:
    for number in range(3):
        home.memory.remember(f"Chose way {number} for the ledger.", Episodic())
    home.clock.forward(days=1)
    assert told(home.memory).reflection.due
    assert "a reflection is due: 3 new episodes" in said(told(home.memory))

    memory = home.memory
    memory.reflection.begin()
    shown = memory.reflection.advance()
    found = told(memory)
    assert (found.reflection.state, found.waits.reflection) == ("pending", 1)
    assert "reflection #1 waits for your decision" in said(found)

    home.clock.forward(minutes=5)
    memory.reflection.decide("approve", shown.shown)
    found = told(memory)
    assert (found.reflection.number, found.reflection.last) == (1, home.clock())
    assert not found.reflection.due
    assert found.waits.reflection == 0
    assert found.reflection.next == datetime(2026, 2, 4, 3, tzinfo=UTC)


# --- the index ---------------------------------------------------------------


def test_missing_vectors_are_counted_until_they_are_made(furnished: Home) -> None:
    before = told(furnished.memory).index
    furnished.memory.recall("Berlin")
    after = told(furnished.memory).index

    assert before.rows == after.rows == 6
    assert (before.missing, after.missing) == (6, 0)
    assert before.current
    assert before.seen == before.head == furnished.head
    assert before.model
    assert before.size > 4096


def test_without_vectors_it_works_and_says_so(furnished: Home) -> None:
    furnished.type(CONFIG, '[embedding]\nmodel = "none"\n')
    found = told(furnished.reopen())

    assert not found.index.vectors
    assert (found.index.model, found.index.missing, found.index.rows) == ("", 0, 5)
    assert "vector" not in said(found)


def test_a_model_that_cannot_be_had_is_worth_a_look(furnished: Home) -> None:
    found = told(furnished.agreed(REVERIE_EMBEDDING_MODEL="/nowhere/at/all"))

    assert found.index.vectors
    assert found.index.model == ""
    assert "`reverie rebuild --vectors` says why" in said(found)


def test_an_index_that_lags_is_to_be_mended(
    furnished: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = furnished.memory._session  # noqa: SLF001 - feigned: a disk that is full
    with session.index.changing():
        session.index.note_seen("f00")
    monkeypatch.setattr(session, "sync", lambda *_: None)

    found = told(furnished.memory)

    assert not found.index.current
    assert found.index.seen == "f00"
    assert found.verdict is HealthVerdict.MEND
    assert "the index lags behind history" in said(found)


def test_a_damaged_index_is_made_anew_on_the_way(furnished: Home) -> None:
    furnished.memory.close()
    for file in (furnished.root / ".reverie").glob("index.db*"):
        file.write_bytes(b"no database " * 1000)

    found = told(furnished.reopen())

    assert found.memories == 5
    assert found.index.current


# --- how clean it is ---------------------------------------------------------


def test_duplicates_are_counted(home: Home) -> None:
    for text in (
        "Chose the hybrid approach for the ledger of the north office.",
        "Chose the hybrid approach for the ledger of the north office!",
        "Sasha moved to the blue house by the river in spring.",
    ):
        home.clock.forward(minutes=1)
        day = home.root / DAY
        old = day.read_text("utf-8") if day.exists() else "# 2026-02-02 — Episode Log\n"
        head = f"## {home.clock():%H:%M} | fact | confidence:high | tags:[x]"
        home.type(DAY, f"{old}\n{head}\n{text}\n")

    found = told(home.memory)

    assert (found.upkeep.judged, found.upkeep.duplicates) == (3, 1)
    assert "look: 1 memory repeats another; `reverie audit` names them" in said(found)


def test_of_much_a_part_is_read_and_that_is_said(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        home.memory.remember(f"Fact number {number}", Semantic(f"Thing {number}"))
    monkeypatch.setattr("reverie.health.MOST_JUDGED", 3)

    upkeep = told(home.memory).upkeep

    assert not upkeep.whole
    assert 2 <= upkeep.judged <= 6


def test_one_file_with_everything_in_it_is_thinned_out(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.type(
        DAY,
        "# 2026-02-02 — Episode Log\n"
        + "".join(
            f"\n## 10:{n:02} | fact | confidence:high | tags:[x]\nThing {n} is so.\n"
            for n in range(40)
        ),
    )
    monkeypatch.setattr("reverie.health.MOST_JUDGED", 10)

    upkeep = told(home.memory).upkeep

    assert (upkeep.judged, upkeep.whole) == (10, False)


# --- when something is wrong -------------------------------------------------


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("memory/episodes/2026-02-02.md", b"\xff\xfe\0broken"),
        ("memory/vault/passport.md", b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"),
        ("MEMORY.md", b"\xff\xff\xff"),
        (CONFIG, b"[core\ncap_tokens = many"),
        (PENDING, b"<<<<<<< HEAD\n"),
        ("memory/meta/pending-reflection.md", b"\xff# Reflection Summary\n### 1. X"),
        ("memory/meta/decay-scores.json", b"{"),
    ],
)
def test_a_malformed_file_hides_nothing_else(
    furnished: Home, path: str, data: bytes
) -> None:
    furnished.type(path, data)

    found = told(furnished.reopen())

    assert found.index.current
    assert store(found, Store.SEMANTIC).memories == 1
    if path.endswith((".md", ".toml")) and "reflection" not in path:
        assert found.verdict is not HealthVerdict.OK
        assert found.upkeep.errors + found.upkeep.warnings > 0, said(found)


def test_a_folder_where_a_file_should_be_is_told(furnished: Home) -> None:
    (furnished.root / PENDING).unlink(missing_ok=True)
    (furnished.root / PENDING).mkdir()

    found = told(furnished.reopen())

    assert found.waits.proposals == 0
    assert found.upkeep.warnings > 0


def test_core_memory_above_its_cap_is_to_be_mended(home: Home) -> None:
    core = home.text("MEMORY.md")
    item = "- Working on: " + "something quite long " * 300 + "\n"
    home.type(
        "MEMORY.md", core.replace("## Active Context\n", "## Active Context\n" + item)
    )
    blocks = ("identity", "context", "persona", "critical")
    budgets = "".join(f"{block}_tokens = 100\n" for block in blocks)
    home.type(CONFIG, f"[core]\ncap_tokens = 500\n{budgets}")

    found = told(home.reopen())

    assert found.verdict is HealthVerdict.MEND
    assert "of 500 tokens; shorten MEMORY.md" in said(found)
    assert "the block context has" in said(found)


def test_on_a_read_only_disk_it_works(furnished: Home) -> None:
    furnished.memory.close()
    failing = Failing(1, errno.EROFS, lasting=True)

    with instrumented(failing.points):
        memory = Memory(furnished.root, clock=furnished.clock, environ={}, human=agrees)
        found = told(memory)
    furnished.reopen()

    assert found.memories == 5
    assert found.verdict is not HealthVerdict.MEND
    assert "not taken in" in said(found)


def test_nothing_is_changed_by_looking(furnished: Home) -> None:
    furnished.memory.recall("Berlin")
    told(furnished.memory)
    before = everything(furnished.root)

    told(furnished.memory)

    assert everything(furnished.root) == before


def everything(root: Path) -> dict[str, bytes]:
    """All files but the index, in which a look notes when it was."""
    files = (path for path in root.rglob("*") if path.is_file())
    kept = (path for path in files if "index.db" not in path.name)
    return {str(path): path.read_bytes() for path in kept}


# --- conversations -----------------------------------------------------------


def test_conversations_are_told_as_they_were_measured(home: Home) -> None:
    quality = Quality(written=4, deleted=2, resurrected=5, useful=2)
    talk = Conversations(windows=3, turns=40, due=1, quality=quality)

    found = told(home.memory, talk)

    assert found.conversations == talk
    assert "ok: 1 conversation is due for a summary" in said(found)
    assert "look: 2 of 4 summaries were deleted" in said(found)


def test_what_matters_most_comes_first(home: Home) -> None:
    home.type("SOUL.md", "Be kind.\n")
    home.type("memory/vault/x.md", b"\xff\xfe\0")
    home.memory.remember("Chose the ledger.", Episodic(), actor=Actor("manual"))

    order = [each.verdict for each in told(home.memory).remarks]

    assert order == sorted(order, key=[*reversed(HealthVerdict)].index)
    assert order[0] is HealthVerdict.MEND


# --- what fades ----------------------------------------------------------------


def test_what_has_to_stay_is_named_before_it_fades(furnished: Home) -> None:
    memory = furnished.memory
    memory.expect("Where does Alex live?", "Berlin")
    furnished.clock.forward(days=5)
    assert told(memory).fading == ()

    # A procedure is active for 23.1 days, an entity's page for 29.2.
    furnished.clock.forward(days=15)
    found = told(memory)

    named = {each.id: (each.status, each.days, each.expected) for each in found.fading}
    assert named["procedure:how-to-deploy"] == ("active", 4, "")
    assert named["entity:person--alex"] == ("active", 10, "Where does Alex live?")
    assert "procedure:how-to-deploy (fading in 4 days)" in said(found)
    assert found.verdict is HealthVerdict.OK
    furnished.clock.forward(days=20)
    assert told(memory).verdict is HealthVerdict.LOOK


def test_what_faded_is_told_until_it_is_of_use_again(furnished: Home) -> None:
    memory = furnished.memory
    furnished.clock.forward(days=200)
    found = told(memory)
    assert "procedure:how-to-deploy (archived)" in said(found)
    assert found.faded == 4
    assert "look: 4 memories have faded out of automatic recall, 0 fading" in said(
        found
    )

    memory.reinforce(["procedure:how-to-deploy"])
    found = told(memory)

    assert "procedure:how-to-deploy" not in said(found)
    assert found.faded == 3


def test_what_is_pinned_or_was_forgotten_is_not_told_to_fade(furnished: Home) -> None:
    memory = furnished.memory
    memory.pin("procedure:how-to-deploy")
    memory.forget(memory.find_to_forget("hybrid approach").matches[:1])
    furnished.clock.forward(days=200)

    found = told(memory)

    assert "procedure:how-to-deploy" not in {each.id for each in found.fading}
    assert store(found, Store.EPISODIC).forgotten == 1
    assert found.faded == 2
