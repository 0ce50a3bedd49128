"""An agent changes core memory in whole sentences that the user typed."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import Desk
from tests.interfaces.mcp.connected import call
from tests.interfaces.web.visitor import Visitor

from reverie import Approval, Block, Core, Memory, Origin, RefusedError, Role, Store
from reverie.interfaces.hosts.events import answer, read_event
from reverie.model.change import REMEMBER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie import Remembered

HERE = "claude-code-s1"
LISTS = "I want lists from now on."


class Clock:
    """A clock that goes on by a second each time it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 19, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the time."""
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.init(tmp_path / "agent", environ={}, clock=Clock()) as memory:
        memory.tidy_on_close = False
        yield memory


def send(memory: Memory, event: str, session: str = "s1", **told: str | None) -> None:
    """Let a host run one of its hooks."""
    host = told.pop("host", None) or "claude-code"
    found = read_event(
        event, host, json.dumps({"session_id": session, **told}).encode()
    )
    assert found is not None
    answer(memory, found)


def type_in(memory: Memory, text: str, session: str = "s1", **told: str | None) -> None:
    """Type a message, as Claude Code tells its hook."""
    send(memory, "prompt", session, prompt=text, **({"source": "user"} | told))


def store(
    memory: Memory,
    text: str,
    *,
    block: Block = Block.PERSONA,
    conversation: str = HERE,
    supersedes: str = "",
) -> Remembered:
    """Store a text in core memory, as the agent does."""
    return memory.remember(
        text,
        Core(block, supersedes=supersedes),
        actor=REMEMBER,
        origin=Origin.AGENT,
        conversation=conversation,
    )


def core(memory: Memory) -> list[str]:
    return [item.text for item in memory.items(Store.CORE)]


@pytest.mark.parametrize("block", [Block.IDENTITY, Block.CONTEXT, Block.PERSONA])
def test_a_sentence_that_the_user_typed_enters_core_memory_at_once(
    memory: Memory, block: Block
) -> None:
    type_in(memory, f"Thanks. {LISTS} See you tomorrow?")

    done = store(memory, LISTS, block=block)

    assert not done.waits
    assert core(memory) == [LISTS]
    [change] = [e for e in memory.history() if e.approval is Approval.USER_QUOTED]
    assert LISTS in change.trigger
    assert f"turn:{HERE}/1/user#2" in change.trigger


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        (LISTS, "i want lists from now on"),
        ("Ab jetzt bitte Listen. Danke schön!", "Ab jetzt bitte Listen."),
        ("Prefiero las listas. ¿Vale? Gracias.", "Prefiero las listas."),
        ("リストを使ってください。ありがとう。", "リストを使ってください。"),
        ("मुझे सूचियाँ पसंद हैं। धन्यवाद।", "मुझे सूचियाँ पसंद हैं।"),
        ("أفضل القوائم. شكرا.", "أفضل القوائم."),
        ("- No tables\n- Short answers", "No tables"),
        ("I take 50 mg from tomorrow.", "I take 50 mg from 2026-11-20."),
        ("Use lists. Keep them short. Bye.", "Use lists. Keep them short."),
        ('Say "hello." to Bob.', 'Say "hello." to Bob.'),
    ],
)
def test_letter_case_and_dates_may_differ_in_any_language(
    memory: Memory, said: str, stored: str
) -> None:
    type_in(memory, said)

    assert not store(memory, stored).waits


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("Meine Praxis heisst Ida. Ich schreibe kurz.", "Meine Praxis heisst Ida."),
        ("Meine Praxis heisst Ida. Ich schreibe kurz.", "Ich schreibe kurz."),
        (
            "Lio hat Fussball (der Trainer...). Ab 1.1. ist der Mittwoch frei.",
            "Ab 1.1. ist der Mittwoch frei.",
        ),
        (
            "It stops at \u00ab\xa0my tailor is rich\xa0\u00bb. And I need two days.",
            "And I need two days.",
        ),
        (
            "It stops at \u00ab\xa0my tailor is rich\xa0\u00bb. And I need two days.",
            'It stops at "my tailor is rich".',
        ),
        (
            "We eat at 12.30. Please plan for it.",
            "We eat at 12.30. Please plan for it.",
        ),
        ("The rent is 2.5 percent up. Note it.", "The rent is 2.5 percent up."),
        ("Write to Dr. Evans first. Thanks.", "Write to Dr. Evans first."),
        ("I call at 3 p.m. on Mondays. Thanks.", "I call at 3 p.m. on Mondays."),
        ("I work at the SBB. Use lists.", "Use lists."),
        (
            "See https://a.example/x.y?z=1 first. Bye.",
            "See https://a.example/x.y?z=1 first.",
        ),
        ("Use lists. \U0001f642 No tables \U0001f44d", "No tables"),
        ("(Use lists.) And keep them short.", "And keep them short."),
        ("**Use lists.** Bye.", "Use lists."),
        ("Use lists.", "\u201cUse lists\u201d"),
        ("Don\u2019t use tables \u2013 ever.", "Don't use tables - ever."),
        ("J'aime les cafe\u0301s. Merci.", "J\u2019aime les caf\u00e9s."),
        ("Use\u202fshort\xa0lists.", "Use short lists."),
        (
            "Use lists:\n- short\n- no colours",
            "Use lists:\n\u2022 short\n\u2022 no colours",
        ),
        ("I always want\nshort lists.", "I always want short lists."),
    ],
)
def test_marks_and_their_forms_keep_no_sentence_of_the_user_out(
    memory: Memory, said: str, stored: str
) -> None:
    type_in(memory, said)

    assert not store(memory, stored).waits


def test_my_may_become_the_name_of_the_user_and_of_nobody_else(memory: Memory) -> None:
    name = memory.root / "MEMORY.md"
    text = name.read_text()
    name.write_text(text.replace("- Name: [User Name]", "- Name: Ada Lovelace"))
    memory.check()
    type_in(memory, "My dose is 50 mg. My cat is old.")

    assert store(memory, "Bob's dose is 50 mg.").waits
    assert not store(memory, "Ada's dose is 50 mg.").waits


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("I never want tables here.", "want tables here."),
        ("I do not want tables.", "I do want tables."),
        ("I want no long tables.", "I want no tables."),
        ("I like tea. I hate coffee.", "I like tea I hate coffee."),
        ("I like tea. But rarely. I hate coffee.", "I like tea. I hate coffee."),
        ("- no tables\n- lists", "no tables lists"),
        ('She said "Always use tables." I laughed.', "Always use tables."),
        ("He says 'Always use tables.' every day.", "Always use tables."),
        ("„Immer Tabellen nutzen.“ So steht es da.", "Immer Tabellen nutzen."),
        ("Is it true that I want tables?", "I want tables."),
        ("Is it true that I want tables?", "Is it true that I want tables?"),
        ("¿Quiero tablas?", "Quiero tablas."),
        ("I never want\ntables in answers.", "tables in answers."),
        ("Never do this:\n- use tables\n- use colours", "use tables"),
        ("Never do this:\n\nUse tables.", "Use tables."),
        ("Never,\n\nuse tables.", "use tables."),
        ("- Never\n  - use tables", "use tables"),
        ("I doubt that Dr. Evans may see my file.", "Evans may see my file."),
        ("Ich werde am 3. Mai nie arbeiten.", "Mai nie arbeiten."),
        ("See this:\n```\nAlways use tables.\n```", "Always use tables."),
        ("> Always use tables.\n\nHm.", "Always use tables."),
        ("I hate `Always. Use tables.` here.", "Use tables.` here."),
        (
            "What is this?\n\nFrom: Bob <bob@example.org>\nTo: Ada <ada@example.org>\n"
            "Subject: Rules\n\nAlways use tables.\n\nBob",
            "Always use tables.",
        ),
        ("Use lists.", "Use lis\u200bts."),
        ("Use lists.", "Use lis\u2060ts."),
        ("I doubt that no. 5 is the best.", "5 is the best."),
        ("I never work on 1.1. Tables are fine.", "Tables are fine."),
        ("I never read e.g. The Times.", "The Times."),
        ("Dubito che il dott. Rossi possa entrare.", "Rossi possa entrare."),
        ("Ich will am 3. Ihre Tabellen nicht.", "Ihre Tabellen nicht."),
        ("I doubt that Friedrich II. King was here.", "King was here."),
        ("I would never... Use tables.", "Use tables."),
        ("I would never...\n\nUse tables.", "Use tables."),
        ("أشك أن د. أحمد يرى ملفي.", "أحمد يرى ملفي."),
        ("The limit is -5 degrees.", "The limit is 5 degrees."),
        ("-5 degrees is the limit.", "5 degrees is the limit."),
        ("Use lists.", "Use l\u0456sts."),
        ("Keep lists.", "\u212aeep lists."),
        ("My dose is 50 mg.", "My dose is 500 mg."),
        ("I leave tomorrow.", "I leave on 2026-11-25."),
        ("I rest until Friday.", "I rest on 2026-11-20."),
    ],
)
def test_what_is_no_whole_sentence_of_the_user_waits_for_them(
    memory: Memory, said: str, stored: str
) -> None:
    type_in(memory, said)

    done = store(memory, stored)

    assert done.waits
    assert core(memory) == []


def test_a_sentence_authorises_one_change_also_in_another_process(
    memory: Memory,
) -> None:
    type_in(memory, LISTS)
    done = store(memory, LISTS)
    assert not done.waits
    Memory(memory.root, human=lambda _: True, environ={}).undo(done.commit)

    assert store(memory, LISTS).waits
    with Memory(memory.root, environ={}, clock=Clock()) as later:
        assert store(later, LISTS, block=Block.CONTEXT).waits
        assert core(later) == []


def test_the_same_sentence_typed_again_authorises_another_change(
    memory: Memory,
) -> None:
    type_in(memory, LISTS)
    store(memory, LISTS)
    type_in(memory, LISTS)

    assert not store(memory, LISTS, block=Block.CONTEXT).waits


def test_the_reason_why_a_change_waits_is_the_one_that_holds(memory: Memory) -> None:
    type_in(memory, "I want short lists from now on. My dog is Rex.")
    quoted = store(memory, "My dog is Rex.")

    again = store(memory, "My dog is Rex", block=Block.CONTEXT)
    other = store(memory, "Wants short lists from now on.")
    unlike = store(memory, "The harbour is closed.")
    critical = store(memory, "I want short lists from now on.", block=Block.CRITICAL)

    assert not quoted.waits
    assert again.why_it_waits == "this sentence was already used for another change"
    near = "nearest: \u201cI want short lists from now on.\u201d"
    assert other.why_it_waits.startswith("no such sentence in the last 20 turns")
    assert other.why_it_waits.endswith(near)
    assert "nearest" not in unlike.why_it_waits
    assert critical.why_it_waits == "Critical Facts need the user's answer"


@pytest.mark.parametrize("source", ["sdk", "system", "schedule_wakeup", "", None])
def test_a_message_that_no_host_calls_typed_authorises_nothing(
    memory: Memory, source: str | None
) -> None:
    type_in(memory, LISTS, source=source)

    assert store(memory, LISTS).waits


def test_a_host_that_names_no_sender_authorises_nothing(memory: Memory) -> None:
    type_in(memory, LISTS, host="cursor")

    assert store(memory, LISTS, conversation="cursor-s1").waits


def test_a_turn_recorded_by_a_program_or_of_the_agent_authorises_nothing(
    memory: Memory,
) -> None:
    memory.window(HERE).say(LISTS)
    type_in(memory, "Hello there.")
    memory.window(HERE).say("Use tables.", role=Role.ASSISTANT)
    send(memory, "stop", last_assistant_message="I was told to use colours.")

    assert store(memory, LISTS).waits
    assert store(memory, "Use tables.").waits
    assert store(memory, "I was told to use colours.").waits


def test_a_turn_written_into_the_file_authorises_nothing(memory: Memory) -> None:
    type_in(memory, "Use lists.")
    memory.recall("lists")
    (path,) = (memory.root / "conversations").glob("*.md")
    text = path.read_text()
    assert "typed:claude-code" in text
    path.write_text(text.replace("Use lists.", "Use tables."))
    forged = text[text.index("## ") :].replace("turn:1", "turn:2")
    path.write_text(f"{path.read_text()}\n{forged.replace('Use lists', 'Use cats')}")

    assert store(memory, "Use tables.").waits
    assert store(memory, "Use cats.").waits


def test_another_conversation_authorises_nothing_here(memory: Memory) -> None:
    type_in(memory, LISTS, session="s2")
    type_in(memory, "Hello there.")

    assert store(memory, LISTS).waits
    assert store(memory, LISTS, conversation="").waits


def test_a_turn_authorises_nothing_once_twenty_more_have_passed(
    memory: Memory,
) -> None:
    type_in(memory, "Use lists.")
    type_in(memory, "Use colours.")
    for number in range(20):
        type_in(memory, f"This is message {number}.")

    assert store(memory, "Use lists.").waits
    assert not store(memory, "Use colours.").waits


def test_another_person_authorises_nothing(memory: Memory) -> None:
    with Memory(memory.root, person="Bea", environ={}, clock=Clock()) as hers:
        type_in(hers, LISTS)
        with pytest.raises(RefusedError, match="not for Bea alone"):
            store(hers, LISTS)

    assert store(memory, LISTS).waits


def test_a_quote_replaces_no_item_with_which_it_has_no_word_in_common(
    memory: Memory,
) -> None:
    type_in(memory, "I like green tea. My dog is called Rex. My dog is called Max.")
    dog = store(memory, "My dog is called Rex.").ids[0]

    assert store(memory, "I like green tea.", supersedes=dog).waits
    assert not store(memory, "My dog is called Max.", supersedes=dog).waits


def test_critical_facts_and_pinned_items_are_never_changed_by_a_quote(
    memory: Memory,
) -> None:
    page = memory.root / "MEMORY.md"
    text = page.read_text()
    page.write_text(
        text.replace("## Persona\n", "## Persona\n- Be formal. <!-- pinned -->\n")
    )
    type_in(memory, "Be casual. I am allergic to nuts.")
    [pinned] = [item.id for item in memory.items(Store.CORE)]

    assert store(memory, "Be casual.", supersedes=pinned).waits
    assert store(memory, "I am allergic to nuts.", block=Block.CRITICAL).waits
    assert core(memory) == ["Be formal."]


def test_a_quote_for_which_another_item_would_leave_waits(memory: Memory) -> None:
    page = memory.root / "MEMORY.md"
    filler = "".join(f"- Note {n}: {'words ' * 20}\n" for n in range(19))
    page.write_text(page.read_text().replace("## Persona\n", f"## Persona\n{filler}"))
    before = core(memory)
    long = f"I want {'very ' * 60}short answers."
    type_in(memory, long)

    done = store(memory, long)

    assert "would have to leave core memory" in done.why_it_waits
    assert core(memory) == before


def test_correcting_an_item_in_the_words_of_the_user_replaces_it(
    memory: Memory,
) -> None:
    type_in(memory, LISTS)
    store(memory, LISTS)
    [old] = [item.id for item in memory.items(Store.CORE)]
    type_in(memory, "I want tables from now on.")

    done = memory.correct(
        old,
        "I want tables from now on.",
        actor=REMEMBER,
        origin=Origin.AGENT,
        conversation=HERE,
    )

    assert not done.waits
    assert core(memory) == ["I want tables from now on."]


def test_the_label_of_a_line_is_not_put_before_the_words_of_the_user(
    memory: Memory,
) -> None:
    page = memory.root / "MEMORY.md"
    text = page.read_text()
    page.write_text(text.replace("## Persona\n", "## Persona\n- Never: Use tables.\n"))
    [old] = [item.id for item in memory.items(Store.CORE)]
    type_in(memory, "Use lists.")

    store(memory, "Use lists.", supersedes=old)

    assert core(memory) == ["Use lists."]


def set_edits(memory: Memory, value: str) -> None:
    """Set the parameter in the file, as anybody may."""
    page = memory.root / "reverie.toml"
    page.write_text(
        page.read_text().replace('agent_edits = ""', f'agent_edits = "{value}"')
    )


def test_the_parameter_propose_acts_at_once_and_allow_once_acknowledged(
    memory: Memory,
) -> None:
    root = memory.root
    type_in(memory, "Use lists. Use colours.")
    set_edits(memory, "propose")
    with Memory(root, human=lambda _: True, environ={}, clock=Clock()) as again:
        assert store(again, "Use lists.").waits
    page = memory.root / "reverie.toml"
    page.write_text(page.read_text().replace('"propose"', '"allow"'))

    with Memory(root, human=lambda _: True, environ={}, clock=Clock()) as again:
        assert store(again, "Nobody said this.").waits
        again.acknowledge()
        assert not store(again, "Nobody said that.").waits
        assert store(again, "Nor this.", block=Block.CRITICAL).waits


def test_with_an_owner_passphrase_a_quote_waits_by_default(memory: Memory) -> None:
    with Memory(memory.root, human=lambda _: True, environ={}) as owner:
        owner.set_owner("correct horse battery")
    type_in(memory, LISTS)

    assert store(memory, LISTS).waits


def test_the_agent_of_the_host_that_ran_the_hook_quotes_over_mcp(
    memory: Memory,
) -> None:
    hook = [sys.executable, "-P", "-m", "reverie", "hook", "prompt"]
    hook += ["--host", "claude-code", "-w", str(memory.root)]
    said = json.dumps({"session_id": "s1", "source": "user", "prompt": LISTS})
    told = {"text": LISTS, "store": "core"}

    before = call(memory.root, "remember", memories=[told])
    subprocess.run(hook, input=said.encode(), check=True)
    after = call(memory.root, "remember", memories=[told])

    assert "the conversation is unknown" in before["memories"][0]["notes"][0]
    assert after["memories"][0]["ids"] == ["core:context/i-want-lists-from-now-on"]


def test_a_change_in_the_words_of_the_user_is_listed_until_it_is_undone(
    memory: Memory,
) -> None:
    type_in(memory, "Use lists. Use tables.")
    store(memory, "Use lists.")
    [old] = [item.id for item in memory.items(Store.CORE)]
    done = store(memory, "Use tables.", supersedes=old)

    [listed] = memory.quoted_changes()
    desk = Desk(memory.root)
    desk.now = datetime(2026, 11, 19, 13, tzinfo=UTC)
    said = desk.done("pending").out
    shown = call(memory.root, "show", what="pending")["text"]

    assert (listed.commit, listed.text) == (done.commit, "Use tables.")
    assert (listed.replaced, listed.words) == (("Use lists.",), "Use tables.")
    assert f"reverie undo {done.commit[:10]}" in said
    assert "Use tables." in shown
    with Memory(memory.root, human=lambda _: True, environ={}) as user:
        user.undo(listed.commit)
        assert core(user) == ["Use lists."]
        assert [each.text for each in user.quoted_changes()] == ["Use lists."]


def test_the_page_undoes_a_change_in_the_words_of_the_user_in_one_step(
    memory: Memory,
) -> None:
    type_in(memory, LISTS)
    done = store(memory, LISTS)

    with Visitor(memory.root) as visitor:
        page = visitor.see("/")
        visitor.send("/inbox/quoted", commit=done.commit)

    assert f"You typed: “{LISTS}”" in page
    assert core(memory) == []


def test_the_instructions_say_which_changes_of_core_memory_wait(
    memory: Memory,
) -> None:
    before = " ".join(memory.instructions().split())
    with Memory(memory.root, human=lambda _: True, environ={}) as owner:
        owner.set_owner("correct horse battery")
        after = " ".join(owner.instructions().split())

    assert "at once as a sentence the user typed, word for word" in before
    assert '`reverie remember --store core "…"` waits for the human.' in after
