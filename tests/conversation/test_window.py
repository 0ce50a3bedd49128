"""Windows: what is said is kept, can be corrected, and is found where it should be."""

from __future__ import annotations

import errno
import shutil
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crash.faults import instrumented
from tests.crash.test_disk_errors import Failing
from tests.memory.home import NOON, Home, agrees
from tests.memory.talks import ROME, found, offered, rows, talked, texts, vectors

from reverie import (
    Actor,
    Block,
    Core,
    Episodic,
    Memory,
    RefusedError,
    Store,
    UnavailableError,
)
from reverie.encoding.gate import OnlyRecalledError
from reverie.importers.walk import Chat, ChatTurn, Provenance
from reverie.model.change import OnlyHumansError
from reverie.model.conversation import (
    DELETED,
    EDITED,
    PART,
    REFLECTION,
)
from reverie.model.items import Role
from reverie.model.views import Reach
from reverie.recall.context_block import CLOSING, OPENING
from reverie.session.session import NoSuchMemoryError
from reverie.stores import turns as store
from reverie.stores.turns import MissingTurnError, cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.conversation.window import Window
    from reverie.model.items import Turn

FILE = "conversations/rome.md"
SAID = ".audit/said/rome"
MAIN = Actor("bot:main")
PASSWORD = "Vq7" + "$hT2!mZp9"


def numbered(turns: list[Turn]) -> list[tuple[int, str, str]]:
    """Number, role and text of each."""
    return [(turn.number, str(turn.role), turn.text) for turn in turns]


def again(home: Home) -> Memory:
    """A second handle, while the first one is open."""
    memory = Memory(home.root, clock=home.clock, environ={}, human=agrees)
    memory.tidy_on_close = False
    return memory


# --- saying ----------------------------------------------------------------------


def test_what_was_said_outlives_a_process_that_closes_nothing(home: Home) -> None:
    window = home.memory.window("rome")
    window.say("Where do we stay?")
    window.say("In Trastevere.", role=Role.ASSISTANT)
    assert not (home.root / FILE).exists()

    with again(home) as other:
        assert numbered(other.window("rome").turns()) == [
            (1, "user", "Where do we stay?"),
            (1, "assistant", "In Trastevere."),
        ]
        assert texts(found(other, "Trastevere")) >= {"In Trastevere."}


@pytest.mark.parametrize(
    "then",
    [
        lambda memory: memory.recall("anything"),
        lambda memory: memory.close(),
        lambda memory: memory.check(),
        lambda memory: memory.leave("rome"),
    ],
    ids=["recall", "close", "look", "leave"],
)
def test_what_was_said_is_soon_written_down(
    home: Home, then: Callable[[Memory], object]
) -> None:
    talked(home.memory, pairs=ROME[:2])
    before = home.commits()

    then(home.memory)

    assert home.text(FILE).count("\n## ") == 4
    assert home.commits() == before + 1
    assert home.git("log", "-1", "--format=%an").strip() == "bot:main"
    home.reopen()


def test_very_much_is_written_down_in_between(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.conversation.window.OFTEN", 4)

    talked(home.memory, pairs=ROME[:3])

    assert home.text(FILE).count("\n## ") == 4
    assert len(home.memory.window("rome").turns()) == 6


def test_a_question_and_its_answer_share_a_number(home: Home) -> None:
    window = home.memory.window("rome")
    window.say("Hello.", role=Role.ASSISTANT)
    window.say("First question?")
    window.say("Second question?")
    window.say("To the second.", role=Role.ASSISTANT)
    window.say("To the first.", role=Role.ASSISTANT, answers=2)
    window.say("To the first, once more.", role=Role.ASSISTANT, answers=2)

    said = [
        (1, "assistant", "Hello."),
        (2, "user", "First question?"),
        (3, "user", "Second question?"),
        (3, "assistant", "To the second."),
        (2, "assistant", "To the first."),
        (4, "assistant", "To the first, once more."),
    ]
    assert numbered(window.turns()) == said
    assert numbered(home.memory.turns("rome")) == said
    assert numbered(home.reopen().window("rome").turns(3)) == said[-3:]


def test_a_number_typed_far_too_high_hides_nothing_said_later(home: Home) -> None:
    talked(home.memory, pairs=ROME[:1])
    home.memory.recall("anything")
    home.type(FILE, home.text(FILE) + "\n## — | user | turn:999999999\nTyped.\n")
    shutil.rmtree(home.root / ".audit" / "said")

    memory = home.reopen()
    number = memory.window("rome").say("The key is under the mat.").number

    assert number == 2
    assert "The key is under the mat." in texts(found(memory, "key under the mat"))
    assert numbered(home.reopen().turns("rome"))[-1][0] == 2
    assert any("999999999" in finding.what for finding in home.memory.check())


def test_a_summary_comes_between_a_question_and_its_answer(home: Home) -> None:
    window = talked(home.memory, pairs=ROME[:2])
    window.say("And the cat?")
    window.note("A journey to Rome.")
    home.memory.recall("anything")

    answer = window.say("It stays with Kim.", role=Role.ASSISTANT)

    assert answer.number == 3
    assert window.say("Fine.").number == 5


def test_a_second_answer_to_what_is_written_down_has_the_number_it_is_told(
    home: Home,
) -> None:
    window = talked(home.memory, pairs=ROME[:1])
    home.memory.recall("anything")
    window.say("And the cat?")

    late = window.say("Once more.", role=Role.ASSISTANT, answers=1)
    answer = window.say("It stays with Kim.", role=Role.ASSISTANT)
    told = [(t.number, t.text) for t in (late, answer)]

    assert told == [(3, "Once more."), (2, "It stays with Kim.")]
    home.memory.recall("anything")
    assert [(t.number, t.text) for t in home.reopen().turns("rome")][-2:] == told


def test_a_turn_that_a_typed_one_moved_is_still_answered(home: Home) -> None:
    window = talked(home.memory, pairs=ROME[:1])
    home.memory.recall("anything")
    window.say("And the cat?")
    home.type(FILE, home.text(FILE) + "\n## — | user | turn:2\nTyped.\n")
    home.memory.recall("anything")

    answer = window.say("It stays with Kim.", role=Role.ASSISTANT)

    assert answer.number == 3
    assert numbered(window.turns())[2:] == [
        (2, "user", "Typed."),
        (3, "user", "And the cat?"),
        (3, "assistant", "It stays with Kim."),
    ]


def test_one_window_that_cannot_be_written_keeps_no_other_from_it(home: Home) -> None:
    (home.root / "conversations" / "c.md").mkdir(parents=True)
    for name in ("c", "z"):
        home.memory.window(name).say(f"Said in {name}.")

    home.memory.recall("anything")

    assert "Said in z." in home.text("conversations/z.md")
    assert [t.text for t in home.memory.window("c").turns()] == ["Said in c."]
    assert any("said in c" in told for told in home.memory.warnings)
    (home.root / "conversations" / "c.md").rmdir()
    home.memory.recall("anything")
    assert "Said in c." in home.text("conversations/c.md")


def test_nothing_is_said_in_a_time_to_come(home: Home) -> None:
    window = home.memory.window("rome")
    for question, _ in ROME:
        turn = window.say(question, at=NOON + timedelta(hours=3))
    assert turn.at == NOON

    home.clock.forward(minutes=6)

    assert window.due()


def test_a_pair_is_said_whole_or_not_at_all(home: Home) -> None:
    window = home.memory.window("rome")

    with pytest.raises(RefusedError, match="nothing was said"):
        window.exchange("Where do we stay?", " \n ")

    assert window.turns() == []
    asked, given = window.exchange("Where do we stay?", "In Trastevere.")
    assert (asked.number, given.number) == (1, 1)


def test_who_speaks_and_when_is_kept(home: Home) -> None:
    window = home.memory.window("rome")
    window.say("Hi | there", speaker="Nora | turn:9\n# x", at=NOON - timedelta(days=1))
    home.memory.recall("anything")

    turn = home.reopen().window("rome").turns()[0]

    assert (turn.number, turn.text) == (1, "Hi | there")
    assert turn.speaker == "Nora | turn:9 # x"
    assert turn.at == NOON - timedelta(days=1)


def test_secrets_reach_neither_the_journal_nor_the_file(home: Home) -> None:
    window = home.memory.window("rome")
    window.say(f"My password is {PASSWORD}, keep it.")
    assert PASSWORD.encode() not in home.raw(SAID)
    window.edit(1, f"The password: {PASSWORD}", role=Role.USER)
    window.delete(1, reason=f"password is {PASSWORD}")
    home.memory.close()

    held = [p for p in home.root.rglob("*") if p.is_file()]
    assert not [p for p in held if PASSWORD.encode() in p.read_bytes()]
    assert PASSWORD not in home.git("log", "-p")
    home.reopen()


def test_secrets_stand_neither_in_a_name_nor_in_that_of_a_window(home: Home) -> None:
    window = home.memory.window("rome")
    said = f"password is {PASSWORD}"
    window.say("Hello.", speaker=said, person=said)
    window.exchange("Hello?", "Yes.", person=said)
    with pytest.raises(RefusedError, match="named after a secret"):
        home.memory.window(said)
    home.memory.close()

    held = [p for p in home.root.rglob("*") if p.is_file()]
    assert not [p for p in held if PASSWORD.encode() in p.read_bytes()]
    home.reopen()


@pytest.mark.parametrize(
    "name", ["4b1f6c1e-0d5c-4d6c-9d2e-6a1b7f0c2d3e", "c" * 40, "chat_01HZX3YQK9V4"]
)
def test_the_id_of_a_chat_is_no_secret(home: Home, name: str) -> None:
    assert home.memory.window(name).say("Hello.").number == 1


def test_what_reverie_put_into_a_message_is_not_recorded_as_said(home: Home) -> None:
    window = home.memory.window("rome")

    window.say(f"{OPENING}\nThe tortoise eats at noon.\n{CLOSING}\nAnd the cat?")

    assert [turn.text for turn in window.turns()] == ["And the cat?"]
    assert b"tortoise" not in home.raw(SAID)


def test_a_message_that_is_only_an_injected_block_is_refused(home: Home) -> None:
    window = home.memory.window("rome")
    block = f"{OPENING}\nThe tortoise eats at noon.\n{CLOSING}"

    with pytest.raises(OnlyRecalledError):
        window.say(block)
    with pytest.raises(OnlyRecalledError):
        window.exchange("What does it eat?", block)

    talk = Chat(Provenance("chat", "x"), "", NOON, (ChatTurn("tool", "Figs."),))
    with pytest.raises(RefusedError, match="role must be"):
        home.memory.take_in([talk])

    assert window.turns() == []


def test_a_very_long_text_becomes_several_turns(home: Home) -> None:
    memory = home.reopen(REVERIE_LEDGER_TEXT_LIMIT="1024")
    window = memory.window("rome")
    long = "".join(f"word{n} " for n in range(70)).strip()

    last = window.say(long)
    answer = window.say(long, role=Role.ASSISTANT)

    turns = window.turns()
    assert [(t.number, t.field(PART)) for t in turns] == [
        *((1, "1/2"), (2, "2/2"), (2, "1/2"), (3, "2/2"))
    ]
    assert " ".join(turn.text for turn in turns[:2]) == long
    assert answer.number == last.number == 2
    asked, given = window.exchange(long, long)
    assert asked.number == given.number
    assert window.say("Short.").field(PART) == ""
    memory.recall("anything")
    assert [t.field(PART) for t in window.turns()][:4] == ["1/2", "2/2", "1/2", "2/2"]


# --- deleting --------------------------------------------------------------------


def test_what_is_deleted_is_found_by_nobody_and_stays_in_the_record(
    home: Home,
) -> None:
    memory = home.memory
    window = talked(memory)
    gone = {"turn:rome/4/user/0", "turn:rome/4/assistant/0"}
    assert vectors(memory, "rome").keys() >= gone

    window.delete(4, reason="there is no garden")

    words = "Is there a garden with two lemon trees?"
    for reach in Reach:
        hits = memory.recall(words, reach=reach, least=0, limit=100).hits
        assert not gone & {hit.id for hit in hits}
        assert not gone & {beside.id for hit in hits for beside in hit.beside}
    assert "lemon" not in memory.context(words).replace("lemon trees?", "")
    assert not gone & rows(memory, "rome")
    assert not gone & vectors(memory, "rome").keys()
    assert all(turn.number != 4 for turn in window.turns())
    kept = [turn for turn in memory.turns("rome", deleted=True) if turn.number == 4]
    assert [turn.text for turn in kept] == list(ROME[3])
    assert {turn.field(DELETED) for turn in kept} == {"2026-02-02"}
    assert "A small one, with two lemon trees." in home.text(FILE)
    assert memory.windows()[0].deleted == 2
    assert memory.history(limit=1)[0].trigger == "there is no garden"


def test_undo_brings_a_deleted_turn_back_though_others_were_said_since(
    home: Home,
) -> None:
    memory = home.memory
    window = talked(memory)
    before = window.turns()
    receipt = window.delete(4)
    window.exchange("And the weather?", "Mild.")
    memory.recall("anything")
    window.say("Fine then.")

    memory.undo(receipt.commit)

    assert window.turns()[:10] == before
    assert [turn.text for turn in window.turns()[10:]] == [
        "And the weather?",
        "Mild.",
        "Fine then.",
    ]
    assert ROME[3][1] in texts(found(memory, "lemon trees"))
    assert vectors(memory, "rome").keys() >= {"turn:rome/4/assistant/0"}


def test_one_side_alone_can_be_deleted(home: Home) -> None:
    window = talked(home.memory, pairs=ROME[:2])

    window.delete(1, role=Role.ASSISTANT)

    assert [(t.number, t.role) for t in window.turns()] == [
        (1, Role.USER),
        (2, Role.USER),
        (2, Role.ASSISTANT),
    ]
    window.delete(1)
    assert [t.number for t in window.turns()] == [2, 2]


def test_a_number_is_not_given_twice_though_its_turn_was_deleted(home: Home) -> None:
    window = talked(home.memory, pairs=ROME[:2])
    window.delete(2)
    shutil.rmtree(home.root / ".audit" / "said")

    assert home.reopen().window("rome").say("Anything else?").number == 3


def test_nothing_is_deleted_twice_and_nothing_that_is_not_there(home: Home) -> None:
    window = talked(home.memory, pairs=ROME[:1])
    window.delete(1)
    head = home.head

    with pytest.raises(RefusedError, match="nothing to change"):
        window.delete(1)
    with pytest.raises(MissingTurnError):
        window.delete(9)
    with pytest.raises(MissingTurnError):
        home.memory.window("nowhere").delete(1)

    assert home.head == head


def test_the_main_agent_may_delete_for_its_human_and_only_a_human_may_edit(
    home: Home,
) -> None:
    window = talked(home.memory, pairs=ROME[:2])
    for actor in (MAIN, Actor("subagent:scout"), Actor("reflection:r-001")):
        with pytest.raises(OnlyHumansError):
            window.edit(1, "Something else.", actor=actor)
    with pytest.raises(OnlyHumansError):
        window.delete(1, actor=Actor("subagent:scout"))

    window.delete(1, actor=MAIN)

    assert [turn.number for turn in window.turns()] == [2, 2]
    assert home.memory.history(limit=1)[0].actor == MAIN


def test_a_sub_agent_has_no_way_to_say_edit_or_delete(home: Home) -> None:
    talked(home.memory, pairs=ROME[:1])

    with home.memory.acting_as("scout") as scout:
        assert not hasattr(scout, "window")
        assert ROME[0][1] in [turn.text for turn in scout.turns("rome")]

    assert home.memory.window("rome").turns()


# --- editing ---------------------------------------------------------------------


def test_an_edited_turn_is_found_by_its_new_words_and_not_by_the_old(
    home: Home,
) -> None:
    memory = home.memory
    window = talked(memory)
    memory.recall("lemon trees")

    receipt = window.edit(4, "A large one, full of pomegranates.")

    turn = next(t for t in window.turns() if (t.number, t.role) == (4, Role.ASSISTANT))
    assert turn.text == "A large one, full of pomegranates."
    assert turn.field(EDITED) == "2026-02-02"
    assert found(memory, "pomegranates").hits[0].text == turn.text
    assert not [t for t in texts(found(memory, "lemon trees")) if "lemon" in t]
    change = memory.history(path=FILE, limit=1)[0]
    assert (change.commit, str(change.actor)) == (receipt.commit, "manual")
    assert "-A small one, with two lemon trees." in memory.diff(receipt.commit)
    assert "+A large one, full of pomegranates." in memory.diff(receipt.commit)


def test_an_edit_can_be_undone_and_an_edit_of_nothing_is_refused(home: Home) -> None:
    memory = home.memory
    window = talked(memory, pairs=ROME[:1])
    before = window.turns()
    with pytest.raises(RefusedError, match="nothing to change"):
        window.edit(1, ROME[0][1])
    with pytest.raises(RefusedError):
        window.edit(1, "  ")

    memory.undo(window.edit(1, "By the sea.").commit)

    assert window.turns() == before


def test_a_turn_that_is_only_said_yet_can_be_edited_and_deleted(home: Home) -> None:
    with again(home) as other:
        other.window("rome").exchange(*ROME[0])
        home.memory.window("rome").edit(1, "By the sea.")
        other.window("rome").delete(1, role=Role.USER)

        assert numbered(other.window("rome").turns()) == [
            (1, "assistant", "By the sea.")
        ]


# --- windows ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("trip-to-rome", "trip-to-rome"),
        ("Trip to Rome!", "trip-to-rome-e8b5e5a4"),
        ("slack:C024BE91L/p1355", "slack-c024be91l-p1355-54ec001e"),
        ("../../etc/passwd", "etc-passwd-3754d6cb"),
        ("旅行", "旅行"),
        ("part~2.md", "part-2-md-b6b91454"),
    ],
)
def test_a_window_has_a_name_whatever_its_host_calls_it(
    home: Home, called: str, name: str
) -> None:
    home.memory.window(called).say("Hello.")

    assert [view.name for view in home.memory.windows()] == [name]
    assert home.text(f"conversations/{name}.md").startswith(f"# {name} — Conversation")
    assert home.memory.window(called).turns() == home.memory.turns(called)


def test_names_that_differ_in_case_or_marks_alone_stay_apart(home: Home) -> None:
    memory = home.memory
    names = ["chat-42-a", "Chat 42/A", "chat 42 a", "Chat-42-A", "chat/42/a"]
    for name in names:
        memory.window(name).say(f"This is {name}.")

    told = {name: [turn.text for turn in home.reopen().turns(name)] for name in names}

    assert told == {name: [f"This is {name}."] for name in names}
    assert "chat-42-a" in [view.name for view in home.memory.windows()]


def test_a_file_of_old_goes_on_under_the_name_it_had(home: Home) -> None:
    """When it was begun, `Chat 42/A` was filed as `chat-42-a`."""
    old = "# chat-42-a — Conversation\n\n## 2026-01-01 10:00:00 | user | turn:1\nHi.\n"
    home.type("conversations/chat-42-a.md", old)
    memory = home.reopen()

    memory.window("Chat 42/A").say("Hi again.")

    assert [turn.text for turn in memory.turns("Chat 42/A")] == ["Hi.", "Hi again."]
    assert [view.name for view in memory.windows()] == ["chat-42-a"]


def test_odd_names_stay_apart_and_no_name_is_refused(home: Home) -> None:
    memory = home.memory
    odd = ["???", "!!!", "con", "x" * 300, "x" * 299 + "y", "🦔"]
    for name in odd:
        memory.window(name).say(f"Hello {name[-1]}.")

    assert {len(memory.turns(name)) for name in odd} == {1}
    assert len(memory.windows()) == len(odd)
    with pytest.raises(RefusedError, match="needs a name"):
        memory.window(" \n")


def test_an_imported_window_can_be_gone_on_with(home: Home) -> None:
    memory = home.memory
    texts_ = ("Where do we stay?", "In Trastevere.")
    said = tuple(
        ChatTurn(role, text, NOON)
        for role, text in zip(("user", "assistant"), texts_, strict=True)
    )
    memory.take_in([Chat(Provenance("chatgpt", "c1"), "Trip", NOON, said)])
    window = memory.window("chatgpt-c1")

    window.exchange("And for how long?", "Three nights.")
    memory.recall("anything")

    assert [(t.number, t.imported) for t in memory.turns("chatgpt-c1")] == [
        (1, True),
        (1, True),
        (2, False),
        (2, False),
    ]
    assert {h.origin for h in found(memory, "Three nights").hits[:1]} == {"agent"}
    window.delete(1)
    assert [turn.number for turn in window.turns()] == [2, 2]


def test_a_window_of_many_parts_keeps_order_and_pairs(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PART_BYTES", 400)
    memory = home.memory
    for _ in range(3):
        window = talked(memory)
        memory.recall("anything")
    late = window.say("Late.")
    window.say("An answer in between.", role=Role.ASSISTANT)
    memory.recall("anything")
    window.delete(4)
    window.edit(9, "With two fig trees.")

    parts = sorted((home.root / "conversations").glob("rome*.md"))
    assert len(parts) > 4
    assert late.number == 16
    for fresh in (False, True):
        memory_ = home.reopen() if fresh else memory
        turns = memory_.turns("rome")
        said = [t.number for t in turns]
        assert said == sorted(said)
        assert len(turns) == 30
        assert [t.text for t in turns if t.number == 9] == [
            ROME[3][0],
            "With two fig trees.",
        ]
        assert memory_.window("rome").turns(5) == turns[-5:]
        hit = found(memory_, "fig trees").hits[0]
        assert hit.beside[0].text == ROME[3][0]
        assert memory_.windows()[0].turns == 30
    assert home.memory.window("rome").say("Next?").number == 17


# --- forgetting ------------------------------------------------------------------


def test_forgetting_takes_turns_too_and_undo_brings_all_of_it_back(home: Home) -> None:
    memory = home.memory
    memory.remember("The tortoise is called Emil.")
    window = memory.window("pets")
    window.exchange("What is the tortoise called?", "The tortoise is called Emil.")
    window.exchange("And the cat?", "Mia.")

    forgetting = memory.find_to_forget("forget about the tortoise")
    receipt = memory.forget(forgetting.matches)

    assert {match.store for match in forgetting.matches} >= {Store.TURNS}
    assert len({match.store for match in forgetting.matches}) == 2
    assert not [t for t in texts(memory.recall("tortoise Emil")) if "Emil" in t]
    assert [turn.number for turn in window.turns()] == [2, 2]
    memory.undo(receipt.commit)
    assert [turn.number for turn in window.turns()] == [1, 1, 2, 2]
    assert "The tortoise is called Emil." in texts(memory.recall("tortoise Emil"))


def test_what_is_erased_is_in_no_turn_and_in_no_history(home: Home) -> None:
    memory = home.memory
    window = talked(memory, pairs=ROME[:1])
    window.exchange("What is it called?", "Casa Melagrana is its name.")
    memory.wake("rome")
    window.say("Casa Melagrana it is.")

    memory.erase(text="Casa Melagrana")

    assert [turn.number for turn in window.turns()][:4] == [1, 1, 2, 2]
    assert "Melagrana" not in " ".join(t.text for t in window.turns())
    assert "Melagrana" not in home.git("log", "-p", "--all")
    held = [p for p in home.root.rglob("*") if p.is_file()]
    assert not [p.name for p in held if b"Melagrana" in p.read_bytes()]
    assert window.say("And now?").number == 4


def test_a_turn_for_one_person_reaches_no_other(home: Home) -> None:
    memory = home.memory
    window = memory.window("rome")
    window.exchange("Where is Tom's present?", "Under the stairs.", person="nora")
    window.exchange("Where is the map?", "On the shelf.")
    memory.window("other").say("Where is the present?")
    words = "Is the present under the stairs?"

    for person, sees in (("tom", False), ("Nora", True)):
        told = [
            *texts(found(memory, words, person=person)),
            memory.context(words, person=person),
            memory.attend("other", words, person=person).text,
            memory.wake("rome", person=person).text,
            memory.wake("other", person=person).text,
        ]
        assert ("Under the stairs." in " ".join(told)) is sees
        assert all("Under the stairs." in text for text in told[-4:]) is sees


# --- truth -----------------------------------------------------------------------


def _much(memory: Memory) -> Window:
    window = talked(memory)
    window.note("A journey to Rome.")
    window.delete(2)
    window.edit(3, "A hundred euros.")
    window.say("For Nora alone.", person="nora")
    memory.recall("anything")
    return window


def test_a_rebuild_brings_everything_back_the_same(home: Home) -> None:
    memory = home.memory
    window = _much(memory)
    before = window.turns(), rows(memory, "rome"), vectors(memory, "rome")
    hits = memory.recall("a hundred euros in Rome", least=0).hits

    memory.rebuild()

    assert (window.turns(), rows(memory, "rome"), vectors(memory, "rome")) == before
    again_ = memory.recall("a hundred euros in Rome", least=0).hits
    assert [(h.id, h.text, h.beside) for h in again_] == [
        (h.id, h.text, h.beside) for h in hits
    ]
    assert home.disagreements() == []


def test_losing_all_that_can_be_made_anew_loses_no_turn(home: Home) -> None:
    window = _much(home.memory)
    window.say("Not written down yet.")
    before = window.turns()
    home.memory._session.index.close()  # noqa: SLF001 - as if the process died
    shutil.rmtree(home.root / ".reverie")

    with again(home) as other:
        assert other.window("rome").turns() == before
        assert other.turns("rome") == before
        assert "Not written down yet." in texts(found(other, "not written down"))


def test_a_disk_that_takes_no_writes_still_recalls_what_was_said(home: Home) -> None:
    talked(home.memory, pairs=ROME[:2])
    home.memory.recall("anything")
    home.memory.window("rome").say("The key is under the mat.")
    failing = Failing(1, errno.EROFS, lasting=True)

    with instrumented(failing.points):
        memory = Memory(home.root, clock=home.clock, environ={}, human=agrees)
        hits = memory.recall("Trastevere river").hits
        turns = memory.window("rome").turns()
        with pytest.raises(UnavailableError) as refused:
            memory.window("rome").say("This cannot be kept.")

    assert hits[0].text == ROME[0][1]
    assert turns[-1].text == "The key is under the mat."
    assert refused.value.advice


def test_one_turn_can_be_erased_by_its_id(home: Home) -> None:
    memory = home.memory
    window = talked(memory, pairs=ROME[:2])
    memory.recall("anything")

    memory.erase("turn:rome/1/assistant/0")

    assert [(t.number, t.role) for t in window.turns(0)] == [
        (1, Role.USER),
        (2, Role.USER),
        (2, Role.ASSISTANT),
    ]
    with pytest.raises(NoSuchMemoryError):
        memory.show("turn:rome/1/assistant/0")
    assert ROME[0][1] not in home.git("log", "-p", "--all")


def test_undo_passes_over_what_was_only_written_down(home: Home) -> None:
    memory = home.memory
    memory.remember("The badger lives below the shed.", Episodic())
    memory.window("rome").say("Where do we stay?")
    memory.recall("anything")

    memory.undo()

    assert [turn.text for turn in memory.turns("rome")] == ["Where do we stay?"]
    assert not memory.items(Store.EPISODIC)


def test_undo_takes_back_a_summary_and_no_more_than_that(home: Home) -> None:
    memory = home.memory
    window = talked(memory, pairs=ROME[:2])
    window.note("A journey to Rome.")
    window.note("It is by train.")
    window.say("Thanks.")
    memory.recall("anything")

    memory.undo()

    summaries = [t.text for t in window.turns() if t.field(REFLECTION)]
    assert "It is by train." not in summaries
    assert "A journey to Rome." in summaries
    assert len(window.turns()) == 7


def test_undo_passes_over_what_was_written_down_though_something_was_erased(
    home: Home,
) -> None:
    memory = home.memory
    memory.remember("The badger lives below the shed.", Episodic())
    talked(memory, pairs=ROME[:2])
    memory.recall("anything")
    memory.erase("turn:rome/1/assistant/0")

    memory.undo()

    assert len(memory.turns("rome")) == 3
    assert not memory.items(Store.EPISODIC)


# --- what is due -----------------------------------------------------------------


def test_a_window_that_lost_its_journal_is_still_due(home: Home) -> None:
    talked(home.memory)
    home.memory.recall("anything")
    shutil.rmtree(home.root / ".audit" / "said")
    home.clock.forward(minutes=6)

    assert [done.window for done in map(offered, home.reopen().idle())] == ["rome"]


def test_what_was_imported_or_deleted_makes_nothing_due(home: Home) -> None:
    memory = home.memory
    said = tuple(ChatTurn("user", question, NOON) for question, _ in ROME)
    memory.take_in([Chat(Provenance("chatgpt", "c1"), "Trip", NOON, said)])
    window = talked(memory)
    for number in range(1, 6):
        window.delete(number)
    home.clock.forward(minutes=6)

    assert memory.idle() == ()
    assert not window.due()
    assert not memory.window("chatgpt-c1").due()
    assert not any(view.due for view in memory.windows())
    assert memory.wake("chatgpt-c1").offer is None
    window.say("One more.")
    home.clock.forward(minutes=6)
    assert not window.due()


def test_without_reflections_none_is_owed(home: Home) -> None:
    window = talked(home.memory)
    home.clock.forward(minutes=6)
    window.say("Back again.")
    assert window.due()
    assert home.memory.windows()[0].due

    memory = home.reopen(REVERIE_CONVERSATION_REFLECTIONS="false")

    assert not memory.window("rome").due()
    assert not memory.windows()[0].due


def test_a_clock_that_was_wrong_ends_a_session_once(home: Home) -> None:
    memory = home.memory
    home.clock.forward(hours=3)
    memory.wake("rome")
    talked(memory)
    home.clock.forward(hours=-3)
    assert memory.window("rome").due()
    memory.wake("rome")

    memory.remember("Working on: the ledger", Core(Block.CONTEXT))

    assert "the ledger" in memory.wake("rome").changes
    assert "the ledger" in memory.wake("rome").changes


# --- editors ---------------------------------------------------------------------


def test_an_older_text_that_an_editor_saves_takes_nothing_away(home: Home) -> None:
    window = talked(home.memory, pairs=ROME[:1])
    home.memory.recall("anything")
    older = home.text(FILE)
    window.exchange(*ROME[1])
    home.memory.recall("anything")

    home.type(FILE, older.replace("Rome?", "Rome then?"))
    window.exchange(*ROME[2])
    home.memory.recall("anything")

    turns = home.reopen().turns("rome")
    assert sorted(t.number for t in turns) == [1, 1, 2, 2, 3, 3]
    assert "Rome then?" in turns[0].text
    assert home.disagreements() == []


def test_what_a_person_takes_out_twice_stays_out(home: Home) -> None:
    window = talked(home.memory, pairs=ROME[:1])
    home.memory.recall("anything")
    older = home.text(FILE)
    window.exchange(*ROME[1])
    home.memory.recall("anything")
    home.type(FILE, older)
    home.memory.check()
    assert len(window.turns()) == 2
    window.exchange(*ROME[2])
    home.memory.recall("anything")
    assert any("put back: turn 2" in told for told in home.memory.warnings)

    kept = [p for p in home.text(FILE).split("\n## ") if "turn:2" not in p]
    home.type(FILE, "\n## ".join(kept))
    window.exchange(*ROME[3])
    home.memory.recall("anything")

    assert sorted(t.number for t in window.turns()) == [1, 1, 3, 3, 4, 4]


def test_a_turn_that_a_person_takes_out_by_hand_stays_out(home: Home) -> None:
    window = talked(home.memory, pairs=ROME[:2])
    home.memory.recall("anything")
    kept = [p for p in home.text(FILE).split("\n## ") if "turn:2" not in p]

    home.type(FILE, "\n## ".join(kept))
    window.exchange(*ROME[2])
    home.memory.recall("anything")

    assert [t.number for t in window.turns()] == [1, 1, 3, 3]


def test_what_was_taken_back_is_not_put_back(home: Home) -> None:
    window = talked(home.memory, pairs=ROME[:1])
    home.memory.recall("anything")
    window.exchange(*ROME[1])
    home.memory.recall("anything")

    home.memory.undo(home.head)
    window.exchange(*ROME[2])
    home.memory.recall("anything")

    assert [t.number for t in window.turns()] == [1, 1, 3, 3]


# --- nothing is dropped silently ---------------------------------------------------

NO_ROLES = ("tool", "bot", "Assistant", "USER", "human", "", "developer", None, 7)


def test_a_role_that_nobody_can_have_is_refused_at_the_door(home: Home) -> None:
    window = home.memory.window("rome")
    for role in NO_ROLES:
        with pytest.raises(RefusedError, match="user or assistant or system"):
            window.say("Some figs.", role=role)  # type: ignore[arg-type]
        with pytest.raises(RefusedError, match="role must be"):
            home.memory.hear("Remember figs.", role=role)  # type: ignore[arg-type]

    assert window.turns() == []


def test_a_role_may_be_given_by_its_name_and_nothing_is_lost(home: Home) -> None:
    said = [("user", "Figs?"), ("assistant", "Figs."), ("system", "It is noon.")]
    for role, text in said:
        home.memory.window("rome").say(text, role=role)  # type: ignore[arg-type]

    turns = again(home).window("rome").turns()

    assert [(str(turn.role), turn.text) for turn in turns] == said
    assert home.memory.check() == []


def test_an_unclosed_mark_drops_nothing_that_was_said(home: Home) -> None:
    text = f"Before.\n{OPENING}\nBehind it.\nAnd the end."
    kept = "Before.\nBehind it.\nAnd the end."
    talk = Chat(Provenance("chat", "x"), "", NOON, (ChatTurn("user", text),))

    said = home.memory.window("rome").say(text)
    (id_,) = home.memory.remember(text, Episodic()).ids
    home.memory.take_in([talk])

    assert said.text == kept
    assert home.memory.show(id_).text == kept
    assert [turn.text for turn in home.memory.window("chat-x").turns()] == [kept]


# --- a text that is too long for one turn --------------------------------------


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("short", "short"),
        ("One two three.\n\nFour five. Six seven", "One two three."),
        ("One two three.\nFour five. Six seven", "One two three."),
        ("One two. Three four five six seven", "One two. Three four"),
        ("One two three. Four five six", "One two three."),
        ("One two three four five six", "One two three four"),
        ("x" * 50, "x" * 20),
    ],
)
def test_a_text_is_cut_at_the_best_place(text: str, first: str) -> None:
    assert cut(text, 20)[0] == first


@given(st.text(st.sampled_from("ab.\n \t。"), max_size=200), st.integers(1, 50))
def test_nothing_but_blanks_is_lost_and_no_piece_is_too_long(
    text: str, most: int
) -> None:
    pieces = cut(text, most)

    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= most for piece in pieces)


def test_a_very_long_text_is_cut_at_once() -> None:
    assert len(cut("word " * 200_000, 100)) > 9_000
