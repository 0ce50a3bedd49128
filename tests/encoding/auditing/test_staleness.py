"""What time has overtaken; the clock stands at 1 June 2026."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.encoding.auditing.stores import faults, found_in, places, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "text",
    [
        "- Calls the bank tomorrow\n",
        "- Went to the dentist today\n",
        "- The oven comes next week\n",
    ],
)
def test_words_that_count_from_no_day_are_stale(tmp_path: Path, text: str) -> None:
    assert found_in(tmp_path, "staleness", text)


@pytest.mark.parametrize(
    "text",
    [
        "- Ask every morning what is to be done today\n",
        '- Her motto is "never put off till tomorrow"\n',
        "- 2026-05-30: calls the bank tomorrow\n",
        "- 2025-05-30: went to the dentist today\n",
        "- Currently bakes rye\n",
        "Ask for it so:\n```\nlist --since yesterday\n```\n",
    ],
)
def test_words_that_still_mean_something_are_not(tmp_path: Path, text: str) -> None:
    assert not found_in(tmp_path, "staleness", text)


def test_tomorrow_in_an_old_note_has_passed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "memory/2026-01-05.md": "Calls the bank tomorrow.\n",
            "memory/2026-05-25.md": "Calls the miller tomorrow.\n",
        },
    )

    (fault,) = faults(tmp_path, "staleness")

    assert str(fault.spot) == "memory/2026-01-05.md:1"
    assert "'tomorrow'" in fault.why


def test_currently_is_doubtful_in_a_file_nobody_saved_for_long(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "- Currently bakes rye\n"}, age=60)

    assert places(tmp_path, "staleness") == ["a.md:1"]


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ("- [ ] Pay the rent by Friday 2026-01-05\n", True),
        ("- [ ] Pay the rent by January 5, 2026\n", True),
        ("- TODO: pay the rent before 2026-01-05\n", True),
        ("- Tax return, due: 2026-01-05\n", True),
        ("- [x] Pay the rent by 2026-01-05\n", False),
        ("- [ ] Pay the rent by 2026-07-05\n", False),
        ("- Tax return, due 2026-01-05, was submitted\n", False),
        ("- The house was built before 1926-01-05\n", False),
    ],
)
def test_an_open_task_whose_day_is_over_is_stale(
    tmp_path: Path, text: str, *, stale: bool
) -> None:
    assert found_in(tmp_path, "staleness", text) == stale


def test_a_statement_beside_one_that_it_is_over_is_stale(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": "- The bakery sells cakes to Lou\n- Lou bakes rye bread\n",
            "b.md": "- The bakery used to sell cakes to Lou\n",
        },
    )

    found = [*places(tmp_path, "staleness"), *places(tmp_path, "contradictions")]

    assert len(found) == 1


def test_a_long_tale_with_something_over_in_it_ends_nothing_else(
    tmp_path: Path,
) -> None:
    tale = "- Lou no longer sells cakes, bakes rye bread, likes tea, rides bicycles\n"

    assert not found_in(tmp_path, "staleness", f"{tale}- Likes tea\n- Rides bicycles\n")


def test_what_something_is_used_for_is_not_over(tmp_path: Path) -> None:
    text = "- The oven bakes rye bread\n- The oven is used to bake rye bread\n"

    assert not found_in(tmp_path, "staleness", text)


def test_a_file_that_is_left_behind_is_doubtful(tmp_path: Path) -> None:
    write(tmp_path, {"old.md": "- Likes tea\n", "2025-01-01.md": "- Baked\n"}, age=200)
    write(tmp_path, {"new.md": "- Likes rye\n"})

    assert places(tmp_path, "staleness") == ["old.md:1"]


def test_a_store_at_rest_is_not_left_behind(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "- Likes tea\n", "b.md": "- Likes rye\n"}, age=400)

    assert places(tmp_path, "staleness") == []
