"""What is junk, and what only looks like it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.encoding.auditing.stores import faults, write

from reverie.encoding.auditing.junk import junk_kind

if TYPE_CHECKING:
    from pathlib import Path

TRACE = """\
Traceback (most recent call last):
  File "app.py", line 3, in <module>
    main()
ValueError: no such thing"""


def why(text: str) -> str:
    kind = junk_kind(text)
    return kind.why if kind else ""


JUNK = [
    ("", "without words"),
    ("…", "without words"),
    ("TBD", "placeholder"),
    ("ok", "acknowledgement"),
    ("**Done!** ✅", "acknowledgement"),
    ("Got it.", "acknowledgement"),
    ("HEARTBEAT_OK", "heartbeat"),
    ("Cron job completed at 03:00", "heartbeat"),
    ("2026-02-02 14:30", "date or time"),
    ("[2026-02-02T14:30:00Z]", "date or time"),
    ("Monday, 14:30 UTC", "date or time"),
    ("No new information.", "nothing to say"),
    ("There were no significant events today.", "nothing to say"),
    ("Nothing to report", "nothing to say"),
    ("As an AI language model, I don't have feelings.", "stock phrase"),
    ("Is there anything else I can help you with?", "stock phrase"),
    (TRACE, "output of a program"),
    (f"```\n{TRACE}\n```", "output of a program"),
    ("2026-02-02T10:00:00Z INFO server started on port 80", "output of a program"),
    ("[error] connection reset", "output of a program"),
    ("    at Object.run (/app/index.js:10:5)", "output of a program"),
    ("npm ERR! code ELIFECYCLE\nnpm ERR! errno 1", "output of a program"),
    ('{"status": "ok", "items": [1, 2]}', "raw data"),
    ("data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUg" * 8, "encoded"),
    ("aGVsbG8gd29ybGQgaGVsbG8gd29y" * 6 + "1=", "encoded"),
    ("Currently running tests", "a moment"),
    ("I will now update the configuration.", "a moment"),
    ("Let me check the logs first.", "a moment"),
]
SOUND = [
    "Prefers tea",
    "Said ok to the offer of 2026-02-02",
    "Done with the old bakery; opens a new one in May",
    "Cron job runs at 3 am and packs the archive",
    "Heartbeat check every 30 minutes is set in the settings of the gateway",
    "Dislikes answers that start with 'As an AI language model'",
    "Born 2026-02-02",
    "No new information may be published without approval",
    "No changes to the schema without a review",
    "Nothing beats rye bread, says Alex",
    "The parser once raised ValueError: fixed by checking for empty lines",
    "ValueError: means that the input file is missing",
    "Running is what Alex does before breakfast",
    "Currently reading a novel about bees",
    "Will now and then forget her keys",
    "WARNING: never deploy on a Friday",
    "https://example.com/" + "a-long-path-of-words/" * 12,
    "Run `make test` before pushing:\n```\nmake test\n```",
    "🎂 3 May",
    "好",
    "Meet at 10:30 in room 12",
]


@pytest.mark.parametrize(("text", "said"), JUNK)
def test_junk_is_found_and_called_by_its_name(text: str, said: str) -> None:
    assert said in why(text)


@pytest.mark.parametrize("text", SOUND)
def test_what_tells_something_is_no_junk(text: str) -> None:
    assert why(text) == ""


@pytest.mark.timing
@pytest.mark.parametrize(
    "text",
    [
        "at " + "a" * 1_000_000,
        "a/" * 500_000,
        "2026-" * 200_000,
        "((((" * 250_000,
        "no " * 300_000,
        "{" * 1_000_000,
        '["' * 500_000,
        "\n" * 1_000_000,
        "at x(" * 200_000,
    ],
    ids=lambda text: text[:5],
)
def test_a_hostile_entry_is_judged_at_once(text: str) -> None:
    start = time.perf_counter()
    why(text)

    assert time.perf_counter() - start < 2


@given(st.text())
def test_any_entry_can_be_judged(text: str) -> None:
    why(text)


def test_what_a_boot_file_says_is_junk_elsewhere(tmp_path: Path) -> None:
    rule = "Never send a mail to anybody without asking its owner first."
    write(tmp_path, {"AGENTS.md": f"# Rules\n\n- {rule}\n", "a.md": f"- {rule}\n"})

    (fault,) = faults(tmp_path, "junk")

    assert str(fault.spot) == "a.md:1"
    assert "AGENTS.md" in fault.why


def test_what_announces_a_list_is_no_junk(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "- Done\n  - Rye bread\n\nNone:\n- Wheat\n"})

    assert faults(tmp_path, "junk") == []
