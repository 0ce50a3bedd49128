"""What a workspace holds before anything is remembered."""

from __future__ import annotations

import pytest

from reverie.stores.reader import load_vocabulary, read_file
from reverie.stores.templates import starting_files
from reverie.workspace.layout import tracked

FILES = starting_files()


@pytest.mark.parametrize("path", FILES)
def test_a_starting_file_is_kept_and_has_nothing_wrong_in_it(path: str) -> None:
    reading = read_file(path, FILES[path].encode(), load_vocabulary(None))

    assert tracked(path)
    assert (reading.entries, reading.findings) == ((), ())
    assert FILES[path].startswith("# ")
    assert FILES[path].endswith("\n")


def test_the_four_blocks_of_core_memory_are_there() -> None:
    headings = [line for line in FILES["MEMORY.md"].splitlines() if line[:3] == "## "]

    assert headings == [
        "## Identity",
        "## Active Context",
        "## Persona",
        "## Critical Facts",
    ]


def test_the_staging_area_of_sub_agents_has_the_designs_title() -> None:
    text = FILES["memory/meta/pending-memories.md"]

    assert text.startswith("# Pending Memory Proposals\n")
