"""Everything that is wrong, found by reading alone."""

from __future__ import annotations

from reverie.config import Config, render_config
from reverie.model.items import Block, Severity
from reverie.stores.check import check_files, core_budgets
from reverie.stores.core import CORE_TEMPLATE
from reverie.stores.reader import starting_files

GOOD = {
    **{path: text.encode() for path, text in starting_files().items()},
    "reverie.toml": render_config().encode(),
}
PAGE = b"# person--alex\n\n## Facts\n- One\n"


def check(path: str, data: bytes) -> list[tuple[str, int, str]]:
    findings = check_files(GOOD | {path: data}, Config())
    return [(f.path, f.line, f.what) for f in findings]


def test_a_new_workspace_is_in_order() -> None:
    assert check_files(GOOD, Config()) == []


def test_a_workspace_without_core_memory_is_told_so() -> None:
    left = {path: data for path, data in GOOD.items() if path != "MEMORY.md"}

    (finding,) = check_files(left, Config())

    assert (finding.path, finding.what) == ("MEMORY.md", "is missing")
    assert "reverie init" in finding.mend


def test_two_memories_of_one_name_are_told_with_both_places() -> None:
    files = {
        "memory/graph/entities/a/person--alex.md": PAGE,
        "memory/graph/entities/person--alex.md": PAGE,
    }

    (finding,) = check_files(GOOD | files, Config())

    assert finding.path == "memory/graph/entities/person--alex.md"
    assert "memory/graph/entities/a/person--alex.md:1" in finding.what


def test_a_turn_in_two_parts_of_a_window_is_told_although_one_is_deleted() -> None:
    for mark in ["", " | deleted:2026-02-02"]:
        files = {
            "conversations/trip.md": f"## — | user | turn:1{mark}\nA.\n".encode(),
            "conversations/trip~2.md": "\n## — | user | turn:1\nB.\n".encode(),
        }

        (finding,) = check_files(GOOD | files, Config())

        assert (finding.path, finding.line) == ("conversations/trip~2.md", 2)
        assert "conversations/trip.md:1" in finding.what


def test_a_link_that_leads_nowhere_is_a_note() -> None:
    page = PAGE + b"\n## Relations\n- Knows: [[person--bo]], [[person--alex]]\n"
    files = {"memory/graph/entities/person--alex.md": page}

    (finding,) = check_files(GOOD | files, Config())

    assert (finding.line, finding.what) == (7, "[[person--bo]] leads nowhere")
    assert finding.severity is Severity.NOTE


def test_a_block_over_its_budget_is_told() -> None:
    text = CORE_TEMPLATE.replace("- Timezone: [TZ]\n", "- " + "word " * 600 + "\n")

    (finding,) = check_files(GOOD | {"MEMORY.md": text.encode()}, Config())

    assert finding.severity is Severity.WARNING
    assert "'Identity' has about" in finding.what
    assert "of 500" in finding.what


def test_a_core_memory_over_its_cap_is_told() -> None:
    text = CORE_TEMPLATE + "- " + "word " * 4_000 + "\n"

    whats = [what for _, _, what in check("MEMORY.md", text.encode())]

    assert any("3000 are allowed" in what for what in whats)


def test_files_that_hold_no_memories_are_checked_too() -> None:
    for path, data, line in [
        ("reverie.toml", b"[core]\ncap_tokens = -1\n", 2),
        ("reverie.toml", b"a = \xff", 1),
        ("memory/meta/decay-scores.json", b"{\n", 2),
        ("memory/meta/decay-scores.json", b"\n\xff", 2),
        ("memory/graph/relations.md", b"## x\n- uses\n", 2),
        ("memory/graph/index.md", b"## Edges\n| a | b |\n", 2),
    ]:
        ((where, at, _),) = check(path, data)

        assert (where, at) == (path, line)


def test_budgets_are_those_of_the_configuration() -> None:
    assert core_budgets(Config()) == {
        Block.IDENTITY: 500,
        Block.CONTEXT: 1000,
        Block.PERSONA: 500,
        Block.CRITICAL: 1000,
    }


def test_a_secret_is_told_by_its_line_and_never_quoted() -> None:
    word = "Kettle" + "42!"
    page = f"# person--alex\n\n## Facts\n- One\n- Her alarm password is {word}\n"
    path = "memory/graph/entities/person--alex.md"

    found = check(path, page.encode())

    assert found == [(path, 5, "holds a secret in plain text (password)")]


def test_the_number_of_a_turn_is_no_access_code() -> None:
    said = "## 2026-02-02 12:00:00 | user | turn:1024\nHello there.\n"
    found = check_files({"conversations/daily.md": said.encode()}, Config())

    assert not [each for each in found if "secret" in each.what]
