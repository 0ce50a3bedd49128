"""Very long inputs are read up to a limit, and what was left out is named."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from time import process_time
from typing import TYPE_CHECKING

import pytest
from tests.growth import calls
from tests.memory.home import CORE, DAY, Home

from reverie.conversation.screening import MAX_TURN_CHARS, TurnTooLongError
from reverie.conversation.told import MAX_TOKEN_CHARS, tell_core
from reverie.importers import walk
from reverie.interfaces.hosts.events import MAX_TEXT_CHARS, answer, read_event
from reverie.ledger.git_ledger import create_repository
from reverie.ledger.repository import Repository
from reverie.memory.memory import MAX_REQUESTS
from reverie.secrets import find_secrets
from reverie.session import session
from reverie.stores import reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGE = "memory/graph/entities/concept--hub.md"
HUB = "# Hub\n\n<!-- type:concept | created:2026-02-02 | updated:2026-02-02 -->\n\n"


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    started = process_time()
    work()
    return process_time() - started


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

    assert (few - many) / 500 < 50, "calls for each label"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (CORE, "## Identity\n" + "- Owns a boat\n" * 30_000),
        (PAGE, f"{HUB}## Relations\n\n" + "- knows [[person--ana]]\n" * 30_000),
        ("memory/ideas.md", "- a boat\n" * 30_000),
    ],
)
def test_a_file_is_read_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch, path: str, text: str
) -> None:
    monkeypatch.setattr(reader, "MAX_FILE_LINES", 5_000)
    words = reader.load_vocabulary(None)
    within = "".join(text.splitlines(keepends=True)[: reader.MAX_FILE_LINES])
    small = cpu_seconds(lambda: reader.read_file(path, within.encode(), words))
    large = cpu_seconds(lambda: reader.read_file(path, text.encode(), words))

    assert large < 2 * small + 0.1


def test_a_file_beyond_the_limit_is_found_up_to_it_and_named(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MAX_FILE_LINES", 4)
    text = "# Ideas\n\n- Paint the boat.\n- Sell the car.\n- Buy a heron.\n"
    home.type("memory/ideas.md", text)

    hits = [hit.text for hit in home.memory.recall("boat car heron").hits]

    assert "Paint the boat." in hits
    assert "Buy a heron." not in hits
    assert any(
        each.startswith("memory/ideas.md: ") and "only the first 4 lines" in each
        for each in home.memory.warnings
    )


def test_the_limit_of_a_file_cuts_no_secret_in_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "MAX_FILE_CHARS", 40)

    kept = reader.readable_part("The boat sails at dawn. Its key is sk-ant-" + "a" * 80)

    assert kept == "The boat sails at dawn. Its key is "


def test_many_changed_files_are_read_in_steps_and_counted(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_FILES_AT_ONCE", 40)
    for number in range(100):
        home.type(f"memory/ideas-{number:03}.md", f"Boat number {number} is red.\n")
    memory = home.memory

    left = []
    for _ in range(3):
        memory.items()
        left += [each for each in memory.warnings if "changed files" in each]

    assert [each.split(" ")[0] for each in left] == ["60", "20"]
    assert memory.recall("boat number 99").hits[0].text == "Boat number 99 is red."


def test_nothing_is_not_said_to_be_found_while_changed_files_are_left(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_FILES_AT_ONCE", 10)
    for number in range(100):
        home.type(f"memory/ideas-{number:03}.md", f"Boat number {number} is red.\n")

    home.memory.items()

    assert home.memory.recall("submarine").unread_files == 80
    assert "found nothing" not in home.memory.context("submarine")


def test_upkeep_reads_all_changed_files(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_FILES_AT_ONCE", 10)
    for number in range(35):
        home.type(f"memory/ideas-{number:02}.md", f"Boat number {number} is red.\n")

    home.memory.tidy()

    assert home.memory.recall("boat number 34").hits[0].text == "Boat number 34 is red."


def test_a_file_of_a_large_folder_is_looked_up_without_reading_its_commit_again(
    tmp_path: Path,
) -> None:
    create_repository(tmp_path / ".audit")
    repository = Repository(tmp_path / ".audit")
    blob = repository.write_blob(b"x")
    names = [f"memory/ideas-{number:05}.md" for number in range(10_000)]
    tree = repository.write_tree("", dict.fromkeys(names, blob))
    message = "\n".join(names)
    moment = datetime(2026, 2, 2, tzinfo=UTC)
    commit = repository.write_commit(tree, "", message, "manual", moment)

    spent = cpu_seconds(
        lambda: [repository.blob_id(commit, name) for name in names[:500]]
    )

    assert spent < 0.5


def test_only_as_much_of_a_huge_core_is_priced_as_can_fit() -> None:
    core = "## Identity\n" + "".join(f"- Owns boat {n}\n" for n in range(20_000))
    tell_core(core[:1000], 500)

    within = calls(lambda: tell_core(core[: 500 * MAX_TOKEN_CHARS], 500))
    assert calls(lambda: tell_core(core, 500)) < 4 * within


def test_items_of_core_memory_are_compared_with_facts_up_to_a_limit(
    home: Home,
) -> None:
    home.type(CORE, "## Identity\n" + "".join(f"- Boat {n}\n" for n in range(2_000)))
    home.memory.items()
    home.memory.remember("Alex owns a boat.")

    assert calls(home.memory.outdated) < 400_000


def test_a_very_long_line_is_imported_up_to_a_limit_and_named(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MAX_LINE_CHARS", 3_000)
    monkeypatch.setattr(walk, "CUT_MARGIN", 100)
    words = "We sail far away. " * 1_000
    notes, chat = tmp_path / "notes.md", tmp_path / "chat.jsonl"
    notes.write_text(f"# Trip\n\n{words}\n\nThe heron waits.\n")
    turn = {"type": "user", "message": {"role": "user", "content": words}}
    chat.write_text(json.dumps(turn | {"sessionId": "s"}))

    for path, kind in ((notes, "markdown"), (chat, "claude-code")):
        imported = home.memory.import_from(path, kind=kind)
        assert any("first 3,000 characters" in f.what for f in imported.findings)
    said = sum(len(turn.text) for turn in home.memory.turns("s"))
    assert home.memory.recall("heron").hits[0].text.endswith("The heron waits.")
    assert said <= 3_000
