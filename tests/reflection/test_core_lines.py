"""Lines that a reflection takes out of core memory: moved or dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.reflection.dreams import PAGE, Dream, Proposal

from reverie import Block, Core

if TYPE_CHECKING:
    from tests.memory.home import Home

DOSE = {"section": "Critical Facts", "text": "Dose: 20 mg in the morning"}
NEW = {"section": "Critical Facts", "text": "Dose: 10 mg in the evening"}


@pytest.fixture
def home(home: Home) -> Home:
    home.memory.remember(DOSE["text"], Core(Block.CRITICAL))
    return home


def rewriting(action: str) -> Dream:
    removed = {**DOSE, **({"action": action} if action else {}), "reason": "changed"}
    return Dream([], {"rewrite": {"remove": [removed], "add": [NEW]}})


def stored(home: Home) -> list[str]:
    """Return the current memories outside core memory that name the dose."""
    found = home.memory.items()
    return [each.id for each in found if "20 mg" in each.text and each.store != "core"]


def test_a_dropped_core_line_ends_and_nothing_new_is_written(home: Home) -> None:
    waiting = Proposal(home, rewriting("drop"))
    assert ". DROP Critical Facts" in home.text(PAGE)

    waiting.decide()

    assert "20 mg" not in home.text("MEMORY.md")
    assert "10 mg" in home.text("MEMORY.md")
    assert stored(home) == []


def test_a_moved_core_line_is_kept_in_another_store(home: Home) -> None:
    waiting = Proposal(home, rewriting("move"))
    assert ". MOVE Critical Facts" in home.text(PAGE)

    waiting.decide()

    assert "20 mg" not in home.text("MEMORY.md")
    assert len(stored(home)) == 1


def test_a_core_line_stays_if_the_model_does_not_say_what_becomes_of_it(
    home: Home,
) -> None:
    waiting = Proposal(home, rewriting(""))

    # It was asked once more.
    asked = [each.operation for each in waiting.dream.asked]
    assert asked.count("reflect-rewrite") == 2
    pending, _ = waiting.memory.reflection.pending()
    assert any("move or drop" in each.why for each in pending.refused)
    waiting.decide()
    assert "20 mg" in home.text("MEMORY.md")
    assert stored(home) == []


def test_a_page_that_removes_a_core_line_without_saying_how_is_told_what_to_write(
    home: Home,
) -> None:
    waiting = Proposal(home, rewriting("drop"))
    waiting.edit(". DROP Critical Facts", ". CORE Critical Facts")
    waiting.edit(
        "\nDose: 20 mg in the morning\n```", "\n- Dose: 20 mg in the morning\n```"
    )

    waiting.look()
    done = waiting.decide()

    assert any("use MOVE" in each.why for each in done.skipped)
    assert "20 mg" in home.text("MEMORY.md")
