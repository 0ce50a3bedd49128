"""Groups of memories that say the same."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.encoding.auditing.stores import audited, faults, write

if TYPE_CHECKING:
    from pathlib import Path

LONG = "Lou bakes the rye bread for the whole street on Saturdays"


def groups(root: Path) -> list[list[str]]:
    return [
        [str(fault.spot), *map(str, fault.also)] for fault in faults(root, "duplicates")
    ]


def test_equal_entries_are_one_group(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": f"- {LONG}\n- Likes tea\n",
            "b.md": f"* **{LONG}.**\n\n{LONG.upper()}\n",
        },
    )

    assert groups(tmp_path) == [["b.md:1", "a.md:1", "b.md:3"]]


def test_other_numbers_are_another_matter(tmp_path: Path) -> None:
    text = "- The oven of the bakery takes {} loaves of rye bread at once\n"
    write(tmp_path, {"a.md": text.format(40), "b.md": text.format(60)})

    assert groups(tmp_path) == []


def test_few_words_under_two_names_are_two_memories(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "## Lou\n- Lives in Ghent\n\n## Kim\n- Lives in Ghent\n"})
    write(tmp_path, {"kim.md": "- Likes rye bread\n", "lou.md": "- Likes rye bread\n"})

    assert groups(tmp_path) == []


def test_few_words_under_one_heading_are_one(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "## Lou\n- Lives in Ghent\n- Lives in Ghent\n"})

    assert groups(tmp_path) == [["a.md:2", "a.md:3"]]


def test_what_happens_on_two_days_happened_twice(tmp_path: Path) -> None:
    text = "- Baked rye bread\n"
    write(tmp_path, {"memory/2026-02-02.md": text, "memory/2026-02-03.md": text})

    assert groups(tmp_path) == []


def test_a_fact_of_two_entities_is_two_facts(tmp_path: Path) -> None:
    page = f"# person\n\n## Facts\n- {LONG}\n"
    folder = "memory/graph/entities"
    write(
        tmp_path,
        {
            ".audit/HEAD": "x",
            f"{folder}/person--kim.md": page,
            f"{folder}/person--lou.md": page,
        },
    )

    assert groups(tmp_path) == []


def test_boot_files_and_what_announces_a_list_are_not_compared(tmp_path: Path) -> None:
    rules = "Rules for everything that is baked here every day:\n"
    write(
        tmp_path,
        {"a.md": f"{rules}- Rye\n\n{rules}- Wheat\n", "SOUL.md": f"{LONG}\n\n{LONG}\n"},
    )

    assert groups(tmp_path) == []


@pytest.mark.timing
def test_very_many_alike_are_no_trouble(tmp_path: Path) -> None:
    text = "".join(f"- Rye bread and wheat bread and cake {n}\n" for n in range(5_000))
    same = f"- {LONG}\n" * 5_000
    write(tmp_path, {"a.md": text, "b.md": same})
    start = time.perf_counter()

    (group,) = groups(tmp_path)

    assert len(group) == 5_000
    assert time.perf_counter() - start < 30


def test_only_the_surplus_is_at_fault(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": f"- {LONG}\n- {LONG}\n- {LONG}\n- Likes tea\n"})

    (mark,) = [m for m in audited(tmp_path).marks if m.judgement == "duplicates"]

    assert (mark.faults, mark.memories, mark.score) == (1, 2, 50)
