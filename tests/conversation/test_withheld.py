"""What was asked not to be remembered: kept in the record, and never told again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import Home

from reverie import Cause, Role, SummedUp
from reverie.minds.scripted import ScriptedMind

if TYPE_CHECKING:
    from pathlib import Path

RING = "Don't remember this: I bought a sapphire ring for Ana."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A new workspace, open."""
    return Home(tmp_path / "agent")


def told(home: Home, window: str, message: str) -> str:
    memory = home.reopen()
    attended = memory.attend(window, message).text
    woken = memory.wake(window).text
    found = "\n".join(hit.text for hit in memory.recall(message).hits)
    return "\n".join((attended, woken, found))


@pytest.mark.parametrize(
    "message",
    [
        RING,
        "I bought a sapphire ring for Ana. Off the record, please.",
        "Off the record: what does a sapphire ring for Ana cost?",
        "Merk dir das bitte nicht: Ich habe Ana einen sapphire ring gekauft.",
        "No recuerdes esto: compré un sapphire ring para Ana.",
        "Ne retiens pas ceci : j'ai acheté un sapphire ring pour Ana.",
        "Não guarde isso: comprei um sapphire ring para a Ana.",
        "不要记住\uff1a我给安娜买了 sapphire ring。",
        "sapphire ring を買ったことは覚えないで。",
    ],
)
def test_what_is_not_to_be_remembered_does_not_come_back(
    home: Home, message: str
) -> None:
    home.memory.window("gifts").say(message)
    home.memory.window("gifts").say("Ana's birthday is in May.")

    said = told(home, "elsewhere", "What about the sapphire ring for Ana in May?")

    assert "birthday is in May" in said
    assert "sapphire" not in said.replace("the sapphire ring for Ana in May", "")


def test_it_stays_in_the_record_marked_with_the_day(home: Home) -> None:
    home.memory.window("gifts").say(RING)
    memory = home.reopen()

    (turn,) = memory.turns("gifts", deleted=True)

    assert turn.text == RING
    assert turn.field("deleted") == "2026-02-02"
    assert memory.turns("gifts") == []
    assert home.disagreements() == []


def test_the_reply_goes_with_it_and_no_other_turn(home: Home) -> None:
    window = home.memory.window("gifts")
    window.exchange("Ana's birthday is in May.", "A good month, noted.")
    private = (
        "between us, please don't remember this one: Bea is pregnant, I had to tell"
    )
    window.say(private)
    window.say("A big secret, and a great trust.", role=Role.ASSISTANT)
    window.exchange("What is for lunch?", "Soup.")

    memory = home.reopen()

    assert [turn.text for turn in memory.turns("gifts")] == [
        *("Ana's birthday is in May.", "A good month, noted."),
        *("What is for lunch?", "Soup."),
    ]
    assert "trust" not in told(home, "elsewhere", "a big secret and a great trust")


def test_an_answer_goes_with_it_whatever_its_words_are(home: Home) -> None:
    window = home.memory.window("gifts")
    window.exchange(RING, "A sapphire ring! She will love it.")
    window.say(RING)
    window.say("How lovely.", role=Role.ASSISTANT)
    window.say(RING)
    home.reopen().window("gifts").say("That ring is a secret.", role=Role.ASSISTANT)

    memory = home.reopen()

    assert memory.turns("gifts") == []
    assert len(memory.turns("gifts", deleted=True)) == 6
    assert home.disagreements() == []


def test_this_may_be_what_was_said_before(home: Home) -> None:
    window = home.memory.window("gifts")
    window.exchange("Ana's birthday is in May.", "I see.")
    window.exchange("I bought a sapphire ring for Ana.", "How lovely, a ring.")
    window.exchange("Please don't remember this.", "I will not.")

    memory = home.reopen()

    assert [turn.text for turn in memory.turns("gifts")] == [
        *("Ana's birthday is in May.", "I see.")
    ]
    assert "sapphire" not in told(home, "elsewhere", "What about the ring?")
    assert home.disagreements() == []


def test_all_pieces_of_a_long_message_are_kept_out(home: Home) -> None:
    home.memory.window("gifts").say(f"{RING} {'And so on. ' * 9000}")
    memory = home.reopen()

    assert memory.turns("gifts") == []
    assert len(memory.turns("gifts", deleted=True)) > 1


def test_it_is_in_no_summary(home: Home) -> None:
    asked: list[str] = []

    def sum_up(question: object) -> dict[str, object]:
        asked.append(str(question))
        return {"summary": "Ana's birthday was talked about."}

    home.memory.close()
    mind = ScriptedMind(sum_up)
    memory = home.memory.__class__(home.root, clock=home.clock, environ={}, mind=mind)
    window = memory.window("gifts")
    window.exchange(RING, "A sapphire ring, noted for now.")
    window.exchange("Ana's birthday is in May.", "I see.")

    done = window.reflect(cause=Cause.ASKED)
    memory.close()

    assert isinstance(done, SummedUp)
    assert any("birthday is in May" in each for each in asked)
    assert not any("sapphire" in each for each in asked)


@pytest.mark.parametrize(
    "message",
    [
        "I don't remember this place.",
        "The minister spoke off the record.",
        "Don't store it in the fridge.",
        "Don't forget this: the gate code changes in May.",
        '"Don\'t remember this" is a song of theirs.',
    ],
)
def test_what_only_sounds_like_it_is_kept(home: Home, message: str) -> None:
    home.memory.window("talk").say(message)

    assert [turn.text for turn in home.reopen().turns("talk")] == [message]


def test_a_phrase_of_the_workspace_counts_as_well(home: Home) -> None:
    home.type("reverie.toml", '[triggers]\nwithhold = ["niet onthouden"]\n')
    home.reopen().window("gifts").say("Niet onthouden: een ring voor Ana.")

    assert home.reopen().turns("gifts") == []


def test_what_was_said_besides_is_still_obeyed(home: Home) -> None:
    heard = home.memory.hear(f"{RING} Remember that the deadline is May 4.")

    assert [each.kind for each in heard.triggers] == ["withhold", "remember"]
    assert "sapphire" not in home.text("memory/episodes/2026-02-02.md")
    assert len(heard.remembered) == 1


def test_my_own_old_questions_are_no_evidence(home: Home) -> None:
    window = home.memory.window("trips")
    window.say("Which hotel in Rome did we like?")
    window.exchange("Where did we eat in Rome?", "At Da Enzo in Trastevere.")
    window.say("The hotel in Rome was the Santa Maria.")

    text = home.reopen().attend("new", "Which hotel in Rome, and where to eat?").text

    assert "Santa Maria" in text
    assert "Da Enzo" in text
    assert "did we like" not in text
