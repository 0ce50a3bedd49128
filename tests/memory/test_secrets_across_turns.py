"""A secret that two turns give away together is in no file, history or index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.importers.samples import chatgpt, message, write
from tests.memory.placements import everything_on
from tests.secrets.turn_pairs import told, told_first

from reverie import Role, Secrets
from reverie.secrets import find_secrets

if TYPE_CHECKING:
    from pathlib import Path

    from tests.memory.home import Home

PAIRS = [pair for pair in told() if len(pair[2]) > 7 and not find_secrets(pair[1])]
ROLES = ((Role.USER, Role.ASSISTANT), (Role.ASSISTANT, Role.USER))


def left(home: Home, values: list[str]) -> list[str]:
    """Return where any of some values stands on the disk."""
    wanted = [value.encode() for value in values]
    return [
        where
        for where, data in everything_on(home.root)
        if any(value in data for value in wanted)
    ]


@pytest.mark.parametrize("roles", ROLES, ids=("answered", "asked"))
def test_no_byte_of_an_answered_secret_reaches_the_disk(
    home: Home, roles: tuple[Role, Role]
) -> None:
    for n, (asked, answered, _) in enumerate(PAIRS):
        window = home.memory.window(f"w{n}")
        window.say(asked, role=roles[0])
        window.say(answered, role=roles[1])
    home.memory.tidy()
    home.memory.close()

    assert left(home, [value for *_, value in PAIRS]) == []


def test_a_question_that_is_in_history_is_read_as_well(home: Home) -> None:
    for n, (asked, answered, _) in enumerate(PAIRS[:8]):
        home.memory.window(f"w{n}").say(asked)
        home.memory.recall("tea")  # writes the turn down
        home.memory.window(f"w{n}").say(answered, role=Role.ASSISTANT)
    home.memory.tidy()
    home.memory.close()

    assert left(home, [value for *_, value in PAIRS[:8]]) == []


def test_a_question_and_its_answer_recorded_together_are_screened(home: Home) -> None:
    for n, (asked, answered, _) in enumerate(PAIRS[:8]):
        home.memory.window(f"w{n}").exchange(asked, answered)
    home.memory.tidy()
    home.memory.close()

    assert left(home, [value for *_, value in PAIRS[:8]]) == []


def test_a_value_is_taken_out_of_the_journal_when_the_next_turn_names_it(
    home: Home,
) -> None:
    for n, (first, named, _) in enumerate(told_first()):
        home.memory.window(f"w{n}").exchange("Hello.", "Hello.")
        home.memory.window(f"w{n}").say(first)
        home.memory.window(f"w{n}").say(named, role=Role.ASSISTANT)
    home.memory.tidy()
    home.memory.close()

    values = [value for *_, value in told_first() if len(value) > 7]
    assert left(home, values) == []


def test_a_value_in_a_committed_turn_is_redacted_and_the_user_told(home: Home) -> None:
    window = home.memory.window("talk")
    window.say("tulip-Falcon77")
    home.memory.recall("tea")
    home.memory.tidy()

    window.say("Thanks, I noted the wifi password.", role=Role.ASSISTANT)

    assert "tulip" not in home.text("conversations/talk.md")
    assert home.memory.recall("tulip-Falcon77").hits == ()
    assert any("history still has it" in each for each in home.memory.warnings)


def test_an_edited_turn_is_read_with_its_neighbours(home: Home) -> None:
    window = home.memory.window("talk")
    window.exchange("What is the wifi password?", "I do not know.")

    window.edit(1, "It is tulip-Falcon77")

    assert "tulip" not in home.text("conversations/talk.md")


def test_a_wish_to_remember_an_answered_secret_is_refused(home: Home) -> None:
    window = home.memory.window("talk")
    window.say("What is the wifi password?", role=Role.ASSISTANT)

    heard = home.memory.hear("Remember that it is tulip-Falcon77", window="talk")
    home.memory.close()

    assert heard.remembered == ()
    assert left(home, ["tulip-Falcon77"]) == []


@pytest.mark.parametrize("choice", [Secrets.REFUSE, Secrets.REDACT])
def test_an_imported_conversation_is_screened_turn_by_turn(
    home: Home, tmp_path: Path, choice: Secrets
) -> None:
    chats = [
        chatgpt(message("user", asked), message("assistant", answered), own=f"c{n}")
        for n, (asked, answered, _) in enumerate(PAIRS[:8])
    ]
    file = tmp_path / "conversations.json"
    write(file, json.loads(json.dumps(chats)))

    home.memory.import_from(file, kind="chatgpt", secrets=choice)
    home.memory.tidy()
    home.memory.close()

    assert left(home, [value for *_, value in PAIRS[:8]]) == []
