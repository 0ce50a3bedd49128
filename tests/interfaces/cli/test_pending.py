"""`pending`, `accept` and `reject`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

from reverie.interfaces.cli import channel

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk


@pytest.fixture
def waiting(desk: Desk) -> Desk:
    words = ("--store", "procedural", "--name", "back up")
    typed = desk.left_alone("remember", "Copy the disk.", *words)
    assert "`reverie pending accept 1` if you want it." in typed.out
    return desk


def test_what_a_program_says_waits_although_it_signs_for_its_user(
    waiting: Desk,
) -> None:
    (found,) = waiting.json("pending")
    proposal = found["proposal"]

    assert found["clashes"] == []
    assert (proposal["number"], proposal["origin"]) == (1, "agent")
    assert waiting.json("show", "procedural") == []
    assert "#1 into procedural “back up”" in waiting.done("pending").out


def test_a_person_accepts(waiting: Desk) -> None:
    words = ("-w", str(waiting.root), "pending", "accept", "1")

    assert on_a_screen(words, "y\n")[0] == 0
    assert [each["id"] for each in waiting.json("show", "procedural")] == [
        "procedure:back-up"
    ]
    assert waiting.done("pending").out == "Nothing waits for you.\n"


def test_what_pages_ask_is_listed(desk: Desk) -> None:
    desk.done("remember", "Lives in Berlin.", "--about", "Nora", "--type", "person")
    berlin = "person--nora#5072a6"
    desk.done("remember", "Nora lives in Rome.", "--contradicts", berlin)

    told = desk.done("pending").out

    assert told.startswith("1 entity:person--nora asks which holds:\n")
    assert f"   {berlin}  Lives in Berlin.  person--nora.md:" in told
    assert "Nora lives in Rome." in told
    assert "reverie settle ID --keep ID" in told
    health = desk.done("health").out
    assert "1 contradiction is open" in health
    assert "“Lives in Berlin.” or “Nora lives in Rome.”" in health


def test_nothing_is_accepted_where_nobody_is_typing(waiting: Desk) -> None:
    assert waiting.left_alone("pending", "accept", "1").code == 5
    assert waiting.left_alone("pending", "accept", "1", "--yes").code == 5
    assert len(waiting.json("pending")) == 1
    typed = waiting.done("pending", "accept", "1", "--yes", "--actor", "manual")
    assert typed.out.startswith("Accepted #1: ")


def test_a_person_rejects(waiting: Desk) -> None:
    words = ("pending", "reject", "1", "--reason", "no", "--actor", "manual")
    assert waiting.done(*words).out == "Rejected #1.\n"
    assert waiting.json("pending") == []


def test_a_program_decides_on_nothing_in_a_persons_name(waiting: Desk) -> None:
    waiting.person = False
    for verb in ("accept", "reject", "defer"):
        typed = waiting.type("pending", verb, "1", "--actor", "manual")
        assert (typed.code, "only a human may" in typed.err) == (5, True)
    assert len(waiting.json("pending")) == 1


def test_variables_put_no_procedure_in(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--store", "procedural", "--name", "tea", "--agent", "coder")
    desk.done("propose", "Boil it", *words)
    monkeypatch.setenv("REVERIE_AGENTS_REVIEW", "batch")
    monkeypatch.setenv("REVERIE_AGENTS_TRUSTED", "coder")

    assert desk.type("pending", "accept", "1", "--actor", "bot:main").code == 5
    assert desk.json("show", "procedural") == []


def test_all_that_was_proposed_is_shown(desk: Desk) -> None:
    words = ("--confidence", "high", "--core-worthy", "--trigger", "a mail")
    about = ("--entity", "person--alex", "--entity", "place--bonn")
    desk.done("propose", "Alex lives in Bonn", *words, *about, "--agent", "coder")

    told = desk.done("pending").out
    assert (
        "confidence high · about person--alex, place--bonn · because of a mail" in told
    )
    assert "worth standing in core memory" in told.replace("\n   ", " ")
    accepted = desk.done("pending", "accept", "1", "--yes", "--actor", "manual").out
    assert "`reverie remember --store core" in accepted


def test_where_it_would_really_go_is_shown_and_told(desk: Desk) -> None:
    desk.done("propose", "The launch is on March 15.", "--agent", "coder")
    words = "(as an episode: it names nobody)"

    assert f"#1 into semantic {words}, by coder" in desk.done("pending").out
    assert (
        words in desk.done("pending", "accept", "1", "--yes", "--actor", "bot:main").out
    )


def test_who_only_looks_at_the_list_finds_its_marks(desk: Desk) -> None:
    desk.done("propose", "The launch is on March 15.", "--agent", "coder")
    more = ("--agent", "scout", "--contradicts", "#1")
    desk.done("propose", "The launch is on March 30.", *more)

    desk.done("pending")
    page = (desk.root / "memory/meta/pending-memories.md").read_text("utf-8")
    assert page.count("⚠️ CONFLICT") == 2


def test_a_sub_agent_is_offered_nothing_to_decide(desk: Desk) -> None:
    desk.done("propose", "The launch is on March 15.", "--agent", "coder")
    more = ("--agent", "scout", "--contradicts", "#1")
    desk.done("propose", "The launch is on March 30.", *more)

    told = desk.done("pending", "--agent", "coder").out
    assert "⚠️ contradicts #2" in told
    assert "accept" not in told


def test_a_list_that_is_no_text_is_told(waiting: Desk) -> None:
    page = waiting.root / "memory/meta/pending-memories.md"
    page.write_bytes(page.read_text("utf-8").encode("utf-16"))

    for words in (
        ("pending",),
        ("pending", "--agent", "coder"),
        ("pending", "reject", "1"),
    ):
        typed = waiting.type(*words)
        assert (typed.code, "is not UTF-8 text" in typed.err) == (7, True)


def test_what_is_asked_about_is_no_part_of_the_answer(
    waiting: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "is_there", lambda **_: True)
    monkeypatch.setattr(channel, "confirms", lambda _: True)
    words = ("pending", "accept", "1", "--json", "--actor", "manual")

    typed = waiting.type(*words)

    assert typed.json["ids"] == ["procedure:back-up"]
    assert "#1 into procedural “back up”" in typed.err


def test_a_number_that_is_not_there_is_told(waiting: Desk) -> None:
    assert waiting.type("pending", "accept", "7", "--yes").code == 3
    assert waiting.type("pending", "reject", "7").code == 3


def test_a_configuration_that_nobody_agreed_to_waits_too(desk: Desk) -> None:
    desk.write("reverie.toml", '[mind]\nurl = "https://mind.example"\n')

    (found,) = desk.json("pending")
    assert (found["path"], found["kind"]) == ("reverie.toml", "unacknowledged")
    told = desk.done("pending").out
    assert "Nothing waits" not in told
    assert 'reverie.toml: not acknowledged here: mind.url = "https://mind' in told
    assert "alerts --ack PATH" in told

    desk.done("alerts", "--ack", "reverie.toml")
    assert desk.done("pending").out == "Nothing waits for you.\n"
