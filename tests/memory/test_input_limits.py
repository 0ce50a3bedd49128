"""Very long inputs are read up to a limit, and what was left out is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.growth import calls
from tests.memory.home import CORE, DAY, Home

from reverie.conversation.screening import MAX_TURN_CHARS, TurnTooLongError
from reverie.interfaces.hosts.events import MAX_TEXT_CHARS, answer, read_event
from reverie.memory.memory import MAX_REQUESTS
from reverie.secrets import find_secrets
from reverie.stores import reader

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "agent")


def test_a_message_with_many_requests_is_carried_out_up_to_a_limit(home: Home) -> None:
    wishes = [f"Forget boat {number}." for number in range(MAX_REQUESTS + 5)]
    heard = home.memory.hear("\n".join(wishes))

    assert len(heard.forgetting) == MAX_REQUESTS
    assert any("5 more were not carried out" in each for each in heard.refused)


def test_the_same_request_is_carried_out_once(home: Home) -> None:
    heard = home.memory.hear("Forget the boats. " * 10)

    assert len(heard.forgetting) == 1


def test_a_turn_beyond_the_limit_is_refused(home: Home) -> None:
    with pytest.raises(TurnTooLongError, match="import it as a file"):
        home.memory.window("w").say("a" * (MAX_TURN_CHARS + 1))


def prompt(home: Home, text: str) -> str:
    body = json.dumps({"session_id": "s", "prompt": text}).encode()
    event = read_event("prompt", "claude-code", body)
    assert event is not None
    return answer(home.memory, event)


def test_a_very_long_prompt_is_recorded_up_to_a_limit_and_says_so(home: Home) -> None:
    told = prompt(home, "We sail at dawn. " + "alpha " * MAX_TEXT_CHARS)

    said = "".join(turn.text for turn in home.memory.turns("claude-code-s"))
    assert "The end of the message was not recorded" in told
    assert said.startswith("We sail at dawn.")
    assert said.endswith("more characters]")
    assert MAX_TEXT_CHARS <= len(said) < MAX_TEXT_CHARS + 100


def test_no_part_of_a_secret_at_the_limit_is_recorded(home: Home) -> None:
    key = "sk-ant-" + "api03-" + "Zq7Wm2Xc9Rt4" * 8
    before = "alpha " * (MAX_TEXT_CHARS // 6)
    prompt(
        home, f"{before[: MAX_TEXT_CHARS - 30]} {key} is the key. " + "beta " * 9_000
    )

    said = "".join(turn.text for turn in home.memory.turns("claude-code-s"))
    assert key[:12] not in said


@pytest.mark.parametrize(
    ("path", "text", "what"),
    [
        (CORE, "## Identity\n" + "- Owns boat {}\n" * 9, "memories"),
        (DAY, "# 2026-02-02\n\n" + "## 10:0{}\n\nSaw boat {}.\n\n" * 9, "memories"),
        (
            "memory/graph/entities/concept--hub.md",
            "# Hub\n\n<!-- type:concept | created:2026-02-02 | updated:2026-02-02 -->"
            "\n\n## Relations\n\n" + "- knows [[person--p{}]]\n" * 9,
            "relations",
        ),
    ],
)
def test_a_file_with_very_many_memories_is_searched_up_to_a_limit_and_named(
    home: Home, monkeypatch: pytest.MonkeyPatch, path: str, text: str, what: str
) -> None:
    monkeypatch.setattr(reader, "MAX_SEARCHED", 5)
    numbers = [number for each in range(9) for number in [each] * 2]
    text = text.format(*(numbers if text.count("{}") == 18 else range(9)))
    home.type(path, text)
    memory = home.memory
    findings = memory.check()

    assert any("only the first 5" in each.what for each in findings)
    assert any(f" {what}; only the first 5" in each for each in memory.warnings)
    assert home.text(path) == text, "nothing is lost"


@pytest.mark.parametrize("word", ["password ", "密码"])
def test_a_text_that_repeats_a_label_is_searched_in_one_pass(word: str) -> None:
    find_secrets(word * 10)
    few, many = calls(lambda: find_secrets(word * 500)), calls(lambda: find_secrets(""))

    assert (few - many) / 500 < 80, "calls for each label"
