"""Memory that came out of memory."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.encoding.auditing.stores import audited, faults, found_in, places, write

from reverie.recall.block import CLOSING, OPENING

if TYPE_CHECKING:
    from pathlib import Path

LONG = "The bakery on the corner will be closed for the whole summer"


def test_a_block_of_ours_is_one_finding(tmp_path: Path) -> None:
    block = f"{OPENING}\n## From memory\n\n- One two\n- Three four\n{CLOSING}\n"
    write(tmp_path, {"a.md": f"- Likes tea\n\n{block}\n- Likes rye\n"})

    (fault,) = faults(tmp_path, "loops")
    (mark,) = [m for m in audited(tmp_path).marks if m.judgement == "loops"]

    assert str(fault.spot) == "a.md:3"
    assert mark.memories == 2


@pytest.mark.parametrize(
    "text",
    [
        "- Likes tea [episode:2026-02-02:14:30, memory/episodes/2026-02-02.md:3]\n",
        "<relevant-memories>\n- Likes tea\n</relevant-memories>\n",
        "<memory>\nLikes tea\n</memory>\n",
        "<system-reminder>Be brief.</system-reminder>\n",
        "Relevant memories:\n- Likes tea\n",
        "- Summary of the previous summary: she likes tea.\n",
    ],
)
def test_what_was_recalled_is_found(tmp_path: Path, text: str) -> None:
    assert found_in(tmp_path, "loops", text)


@pytest.mark.parametrize(
    "text",
    [
        "- The tag `<memory>` is written by another program\n",
        "- Her memory is good\n",
        "- Summary of the meeting: rye it is\n",
        "- See [the plan, notes/plan.md:3]\n",
        "- Has relevant experience with memories of old bakers\n",
    ],
)
def test_what_speaks_of_memory_was_not_recalled(tmp_path: Path, text: str) -> None:
    assert not found_in(tmp_path, "loops", text)


def test_a_sentence_that_comes_again_in_growing_notes_is_an_echo(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        {
            "memory/2026-02-02.md": f"{LONG}. Bought rye.\n",
            "memory/2026-02-03.md": f"{LONG}. Bought rye. Sold a cake.\n",
            "memory/2026-02-04.md": f"{LONG}. Met the miller and paid the bill.\n",
        },
    )

    (fault,) = faults(tmp_path, "loops")

    assert str(fault.spot) == "memory/2026-02-02.md:1"
    assert [str(spot) for spot in fault.also] == [
        "memory/2026-02-03.md:1",
        "memory/2026-02-04.md:1",
    ]


def test_the_same_entry_thrice_is_a_duplicate_and_no_echo(tmp_path: Path) -> None:
    names = ("memory/2026-02-02.md", "memory/2026-02-03.md", "memory/2026-02-04.md")
    write(tmp_path, dict.fromkeys(names, f"{LONG}.\n"))

    assert places(tmp_path, "loops") == []
    assert len(faults(tmp_path, "duplicates")) == 1


@pytest.mark.timing
@pytest.mark.parametrize(
    "text", ["<memory>\n" * 100_000, f"{OPENING}\n" * 40_000, "<memory " * 100_000]
)
def test_a_million_open_marks_are_no_trouble(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"a.md": text})
    start = time.perf_counter()
    audited(tmp_path)

    assert time.perf_counter() - start < 20
