"""`remember`, `pin` and `unpin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reverie.interfaces.cli import command as session
from reverie.stores.entities import short_name

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk


def test_a_text_becomes_an_episode_of_today(desk: Desk) -> None:
    typed = desk.done("remember", "Chose the hybrid approach.")

    assert typed.out.startswith("Remembered episode:2026-02-02:14:31  ")
    log = (desk.root / "memory/episodes/2026-02-02.md").read_text(encoding="utf-8")
    assert "Chose the hybrid approach." in log


def test_an_episode_has_a_kind_a_confidence_tags_and_a_time(desk: Desk) -> None:
    desk.done(
        *("remember", "Moved in.", "--kind", "fact", "--confidence", "low"),
        *("--tag", "home", "--tag", "berlin", "--at", "2026-01-31T09:15Z"),
    )

    log = (desk.root / "memory/episodes/2026-01-31.md").read_text(encoding="utf-8")
    assert "## 09:15 | fact | confidence:low | tags:[home, berlin]" in log


def test_a_fact_is_about_somebody_since_a_day_with_links(desk: Desk) -> None:
    desk.done(
        *("remember", "Works at Acme.", "--store", "semantic", "--about", "Alex"),
        *("--type", "person", "--since", "2025-05-01", "--link", "Uses=tool--vim"),
        *("--link", "Knows = entity:person--kim"),
    )

    page = desk.root / "memory/graph/entities/person--alex.md"
    text = page.read_text(encoding="utf-8")
    assert "- Works at Acme. <!-- since: 2025-05-01" in text
    assert "- Uses: [[tool--vim]]" in text
    assert "- Knows: [[person--kim]]" in text


def test_a_fact_takes_the_place_of_another(desk: Desk) -> None:
    about = ("--store", "semantic", "--about", "person--alex")
    desk.done("remember", "Works at Acme.", *about)
    desk.done("remember", "Works at Globex.", *about, "--supersedes", "Works at Acme.")

    shown = desk.json("show", "entity:person--alex")["text"]

    assert "Works at Globex." in shown
    assert "Works at Acme." not in shown


def test_each_line_of_a_procedure_is_a_step(desk: Desk) -> None:
    typed = desk.type(
        *("remember", "-", "--store", "procedural", "--name", "how to deploy"),
        *("--actor", "manual"),
        *("--when", "On Fridays."),
        stdin="1. Test.\n2. Tag.\n",
    )

    assert typed.out.startswith("Remembered procedure:how-to-deploy")
    text = desk.json("show", "procedure:how-to-deploy")["text"]
    assert "On Fridays." in text
    assert "1. Test.\n2. Tag." in text


def test_a_note_in_the_vault_has_a_title(desk: Desk) -> None:
    words = "remember X123. --store vault --actor manual --title Passport"
    desk.done(*words.split())

    assert desk.json("show", "vault:passport")["pinned"] is True


def test_core_memory_takes_a_block_and_a_pin(desk: Desk) -> None:
    desk.done(
        *("remember", "Allergic to nuts.", "--store", "core"),
        *("--block", "critical", "--pinned", "--actor", "manual"),
    )

    assert desk.json("show", "core:critical/allergic-to-nuts")["pinned"] is True


def test_what_had_to_leave_core_memory_is_told(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_ACTOR", "manual")
    desk.done("remember", "Moving house this month.", "--store", "core")
    monkeypatch.setenv("REVERIE_CORE_CONTEXT_TOKENS", "40")

    typed = desk.done("remember", "Paper due on Friday.", "--store", "core")

    assert "Moved out of core memory: episode:2026-02-02:14:31" in typed.out


def test_what_is_known_already_is_said_so(desk: Desk) -> None:
    fact = ("remember", "Prefers tea.", "--store", "semantic", "--about", "Alex")
    desk.done(*fact)

    typed = desk.done(*fact)

    assert typed.out == "Known already, nothing to add: entity:concept--alex\n"


def test_the_receipt_is_printed_for_a_program(desk: Desk) -> None:
    receipt = desk.json("remember", "Hello.", "--actor", "bot:auto-detect")

    assert receipt["actor"] == "bot:auto-detect"
    assert receipt["at"] == "2026-02-02T14:31:00Z"
    assert receipt["ids"] == ["episode:2026-02-02:14:31"]
    assert receipt["lines"][0]["action"] == "CREATE"


def test_what_started_it_is_in_history(desk: Desk) -> None:
    desk.done("remember", "Hello.", "--trigger", "please remember this")

    assert desk.json("history", "-n", "1")[0]["trigger"] == "please remember this"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--store", "vault", "--kind", "fact"),
            "--kind belongs to --store episodic, and this is vault",
        ),
        (("--tag", "a", "--store", "core"), "--tag belongs to --store episodic"),
        (("--kind", "fact", "--about", "Alex"), "--about belongs to --store semantic"),
        (("--kind", "fact", "--when", "now"), "--when belongs to --store procedural"),
        (("--kind", "fact", "--title", "T"), "--title belongs to --store vault"),
        (("--kind", "fact", "--pinned"), "--pinned belongs to --store core"),
        (("--when", "now"), "--store procedural needs --name"),
        (("--store", "semantic"), "--store semantic needs --about"),
        (("--store", "procedural"), "--store procedural needs --name"),
        (("--store", "attic"), "'attic' is not one of"),
        (("--at", "someday"), "'someday' is no moment; try"),
        (
            ("--store", "semantic", "--about", "A", "--link", "x"),
            "--link 'x' is not LABEL=ENTITY",
        ),
    ],
)
def test_options_that_do_not_fit_are_explained(
    desk: Desk, words: tuple[str, ...], said: str
) -> None:
    typed = desk.type("remember", "x", *words)

    assert typed.code == 2
    assert said in typed.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no text"),
        ("  \n ", "there is no text"),
        ("a\0b", "a control character (U+0000) at character 2"),
        ("a\u202eb", "a character that reorders text"),
    ],
)
def test_a_text_that_cannot_be_kept_is_refused(
    desk: Desk, text: str, said: str
) -> None:
    typed = desk.type("remember", "-", stdin=text)

    assert typed.code == 5
    assert said in typed.err
    assert desk.json("show", "episodic") == []


def test_input_that_is_no_text_is_refused(desk: Desk) -> None:
    typed = desk.type("remember", "-", stdin=b"ab\xff")

    assert typed.code == 5
    assert "byte 3 is not valid UTF-8" in typed.err


def test_input_without_end_is_refused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MOST_INPUT", 1 << 20)

    typed = desk.type("remember", "-", stdin="x" * ((1 << 20) + 1))

    assert typed.code == 5
    assert "longer than 1 MiB" in typed.err


def test_a_mark_at_the_start_of_input_is_no_text(desk: Desk) -> None:
    desk.type("remember", "-", stdin=b"\xef\xbb\xbfHello.")

    assert desk.json("show", "episodic")[0]["text"] == "Hello."


def test_a_text_may_begin_with_a_dash(desk: Desk) -> None:
    desk.done("remember", "--", "- buy milk")

    assert desk.json("show", "episodic")[0]["title"] == "- buy milk"


def test_an_actor_nobody_knows_is_refused(desk: Desk) -> None:
    typed = desk.type("remember", "x", "--actor", "mallory")

    assert (typed.code, "'mallory' is not an actor" in typed.err) == (5, True)


def test_a_memory_is_pinned_and_unpinned(desk: Desk) -> None:
    desk.done("remember", "Hello.")
    id_ = "episode:2026-02-02:14:31"

    assert desk.done("pin", id_).out.startswith(f"Pinned {id_}  ")
    assert desk.done("pin", id_).out == f"{id_} was pinned already\n"
    assert desk.json("show", id_)["pinned"] is True
    assert desk.done("pin", "--remove", id_).out.startswith(f"Unpinned {id_}  ")
    assert desk.json("show", id_)["pinned"] is False


def test_what_is_not_there_cannot_be_pinned(desk: Desk) -> None:
    assert desk.type("pin", "vault:nope").code == 3
    assert desk.type("pin", "nope").code == 3


def test_the_vault_is_always_pinned(desk: Desk) -> None:
    words = "remember X123. --store vault --actor manual --title Passport"
    desk.done(*words.split())

    assert desk.type("pin", "--remove", "vault:passport").code == 5


def test_turns_of_conversations_are_not_remembered_by_hand(desk: Desk) -> None:
    typed = desk.type("remember", "x", "--store", "turns")

    assert typed.code == 2
    assert "'turns' is not one of" in typed.err


def test_a_memory_that_was_of_use_stays_vivid(desk: Desk) -> None:
    desk.done("remember", "Hello.")
    id_ = "episode:2026-02-02:14:31"
    desk.wait(days=20)
    before = desk.json("show", id_)["score"]

    assert desk.done("reinforce", id_).out == "Noted: 1 memory was of use.\n"

    assert desk.json("show", id_)["score"] > before
    assert desk.json("show", id_)["accesses"] == 2
    assert desk.json("reinforce", id_, id_)["reinforced"] >= 1


@pytest.mark.parametrize("id_", ["vault:nope", "nope", ""])
def test_what_is_not_there_was_of_no_use(desk: Desk, id_: str) -> None:
    desk.done("remember", "Hello.")

    assert desk.type("reinforce", "episode:2026-02-02:14:31", id_).code == 3
    assert desk.json("show", "episode:2026-02-02:14:31")["accesses"] == 1
    assert desk.type("reinforce").code == 2


def test_a_turn_does_not_fade_so_there_is_nothing_to_note(desk: Desk) -> None:
    session = (
        '{"type":"user","sessionId":"s-1","uuid":"u-1","timestamp":'
        '"2026-02-02T10:00:00Z","message":{"role":"user","content":"Hello there."}}\n'
    )
    desk.write("../s.jsonl", session)
    desk.done("import", str(desk.root / "../s.jsonl"))
    (turn,) = desk.json("show", "turns")

    assert desk.done("reinforce", turn["id"]).out.startswith("Nothing to note: ")


def test_what_is_near_is_told_with_an_id_that_can_be_replaced_by(desk: Desk) -> None:
    desk.done("remember", "Lives in Berlin.", "--about", "Nora", "--type", "person")

    told = desk.done("remember", "Nora has moved to Lyon.").out
    id_ = next(word for word in told.split() if word.startswith("person--nora#"))
    replaced = desk.done("remember", "Nora has moved to Lyon.", "--supersedes", id_).out

    assert f"{id_}  Lives in Berlin.  person--nora.md:" in told
    assert "--supersedes ID`" in told
    assert f"No longer holds: {id_}" in replaced
    shown = desk.json("show", "entity:person--nora")["text"]
    assert "Berlin" not in shown


def test_what_is_similar_is_told_with_the_command_to_forget_it(desk: Desk) -> None:
    desk.done("remember", "The launch in Lyon is on May 4.")
    desk.done("remember", "Lives in Lyon, near the river.", "--about", "Nora")

    episode = desk.done("remember", "The launch in Lyon is on May 5.", "--kind", "fact")
    happened = desk.done("remember", "Nora lives near the river.", "--kind", "event")
    other = desk.done("remember", "Lives in Lyon, at the river.", "--about", "Kim")

    for typed in (episode, happened, other):
        assert "Similar memories:" in typed.out
        assert "`reverie forget ID`" in typed.out


@pytest.mark.parametrize(
    "id_", ["#1", "episode:2026-02-02:14:31", "entity:person--nora", "a--b#434956"]
)
def test_what_is_not_there_cannot_be_superseded(desk: Desk, id_: str) -> None:
    typed = desk.type("remember", "Lives in Lyon.", "--supersedes", id_)

    assert typed.code == 3
    assert id_ in typed.err


def test_an_episode_takes_the_place_of_facts_on_several_pages(desk: Desk) -> None:
    for name in ("Nora", "Kim"):
        desk.done("remember", "Works at Acme.", "--about", name, "--type", "person")
    ids = (f"person--{name}#{short_name('Works at Acme.')}" for name in ("nora", "kim"))

    words = (word for id_ in ids for word in ("--supersedes", id_))
    done = desk.done("remember", "Acme closed.", "--kind", "event", *words)

    assert done.out.count("No longer holds: ") == 2
    assert "Works at Acme" not in desk.done("show", "entity:person--nora").out


def test_what_is_near_stands_in_the_json(desk: Desk) -> None:
    desk.done("remember", "The launch is on May 4.")

    (near,) = desk.json("remember", "The launch is on May 5.")["near"]

    assert near["text"] == "The launch is on May 4."
    assert near["id"].startswith("episode:")
    assert near["path"].startswith("memory/episodes/")
