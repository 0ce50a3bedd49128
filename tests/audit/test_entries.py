"""What stands in a text, and what stands there twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.audit.folders import found, places, write
from tests.strategies import NASTY

from reverie.audit import Fault, Repeats, Spot, cut_entries

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
---
tags: [x]
---
# Bread

Rye needs a day.
It needs patience, too.

- [ ] Buy flour
  from the mill
- ~~Buy yeast~~
<!-- a remark -->
| kind | days |
| ---- | ---- |
| rye  | 1    |

## Code
```
mix

bake
```
"""


def test_items_paragraphs_rows_and_code_are_entries() -> None:
    assert [tuple(entry) for entry in cut_entries(TEXT)] == [
        (6, "Rye needs a day.\nIt needs patience, too.", "Bread"),
        (9, "Buy flour\nfrom the mill", "Bread"),
        (15, "| rye  | 1    |", "Bread"),
        (18, "```\nmix\n\nbake\n```", "Code"),
    ]


@given(st.text(max_size=80) | st.lists(st.sampled_from(NASTY), max_size=9).map("".join))
def test_any_text_can_be_cut_and_every_entry_begins_on_its_line(text: str) -> None:
    lines = text.split("\n")

    for line, said, _ in cut_entries(text):
        assert said
        assert lines[line - 1].strip()


def test_case_blanks_and_marks_make_no_difference(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": "- Lou bakes rye  bread in Ghent.\n",
            "b/c.md": "# X\n\n> **lou bakes rye bread in Ghent**\n",
        },
    )

    assert places(tmp_path, Fault.DUPLICATES) == ["a.md:1 b/c.md:3"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We build all of it with C++", "We build all of it with C#"),
        ("Bill 1001 was paid on the last day", "Bill 1002 was paid on the last day"),
        ("Lives in Berlin", "Likes Berlin"),
    ],
)
def test_what_differs_in_a_figure_or_in_much_is_not_the_same(
    tmp_path: Path, one: str, other: str
) -> None:
    assert found(write(tmp_path, {"a.md": f"- {one}\n- {other}\n"})) == {}


def test_few_words_are_the_same_only_under_the_same_heading(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# Ann\n- Likes tea\n# Bo\n- Likes tea\n- Likes tea\n"})

    assert places(tmp_path, Fault.DUPLICATES) == ["a.md:4 a.md:5"]


def test_a_realm_has_its_own_texts() -> None:
    text = "Lou bakes the rye bread for the whole street on Saturdays"
    repeats = Repeats()
    for number, realm in enumerate("xyx", 1):
        repeats.add(text, Spot("a.md", number), realm)

    (same,) = repeats.same()

    assert [spot.line for spot in same.spots] == [1, 3]
