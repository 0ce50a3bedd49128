"""What the index shows of a file into which a person typed a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.index.located import appended_shown, read_shown
from reverie.secrets import labels
from reverie.stores.core import CORE_TEMPLATE
from reverie.stores.reader import load_vocabulary, read_file

if TYPE_CHECKING:
    import pytest

WORDS = load_vocabulary(None)
PAGE = "memory/graph/entities/person--mira.md"
DAY = "memory/episodes/2026-02-02.md"
WORD = "Kettle" + "42!"
MIRA = f"""\
# Mira

## Facts
- Plays the oboe
- Her alarm password is {WORD}
- Moved to Porto
"""
ENTRY = "## 09:00 | fact | confidence:high\n"


def test_what_has_no_secret_is_read_as_it_is() -> None:
    data = MIRA.replace(WORD, "unknown").encode()

    assert read_shown(PAGE, data, WORDS) == read_file(PAGE, data, WORDS)


def test_a_secret_is_redacted_in_everything_that_a_page_holds() -> None:
    shown = read_shown(PAGE, MIRA.encode(), WORDS)

    assert WORD not in repr(shown)
    assert "Moved to Porto" in repr(shown)
    plain = read_file(PAGE, MIRA.encode(), WORDS)
    assert [(e.id, e.line) for e in shown.entries] == [
        (e.id, e.line) for e in plain.entries
    ]


def test_a_secret_is_redacted_in_what_is_added_to_a_log() -> None:
    old = f"# 2026-02-02\n\n{ENTRY}Tea.\n".encode()
    new = old + f"\n{ENTRY.replace('09', '10')}The safe password is {WORD}\n".encode()
    more = appended_shown(DAY, old, new)

    assert more
    assert WORD not in repr(more)


def test_what_we_write_around_a_memory_needs_no_rules_for_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[bool] = []
    may_be_told = labels.may_be_told

    def noted(low: str) -> bool:
        told.append(may_be_told(low))
        return told[-1]

    monkeypatch.setattr(labels, "may_be_told", noted)
    entry = ENTRY.replace("\n", " | source:user-explicit | n:2\n").encode()
    core = CORE_TEMPLATE.replace("[Editor, language, habits]", "dark mode, 2 screens")

    read_shown(DAY, b"# 2026-02-02\n\n" + entry + b"Lou bakes.\n", WORDS)
    read_shown("MEMORY.md", core.encode(), WORDS)

    assert told == [False, False]


def test_a_secret_is_redacted_in_a_line_that_core_memory_begins_with() -> None:
    said = f"vim; the wifi password is {WORD}"
    core = CORE_TEMPLATE.replace("[Editor, language, habits]", said)

    reading = read_shown("MEMORY.md", core.encode(), WORDS)

    assert "vim" in repr(reading.entries)
    assert WORD not in repr(reading.entries)
