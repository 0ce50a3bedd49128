"""What a rewritten MEMORY.md changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.reflection.operations.sites import CORE, Workspace
from tests.strategies import files

from reverie.reflection.operations.plan import (
    NotCoreMemoryError,
    core_operations,
    plan_operations,
)
from reverie.stores.core import CORE_TEMPLATE, parse_core
from reverie.workspace import layout


def changes(new: str, old: str = CORE) -> list[tuple[str, str]]:
    return [(each.target, each.content) for each in core_operations(old, new)]


def test_the_same_text_changes_nothing() -> None:
    assert changes(CORE) == []
    assert changes(f"Here it is:\n```markdown\n{CORE}```\n") == []


def test_removals_come_before_additions() -> None:
    new = CORE.replace("- Likes short answers", "- Likes long answers").replace(
        "- Waiting for the roof tiles <!-- by:agent -->", "- Laying the roof tiles"
    )

    assert changes(new) == [
        ("Active Context", "- Waiting for the roof tiles"),
        ("Persona", "- Likes short answers"),
        ("Active Context", "+ Laying the roof tiles"),
        ("Persona", "+ Likes long answers"),
    ]


def test_what_is_pinned_stays_without_a_word() -> None:
    new = CORE.replace("- Born in Faro <!-- pinned -->\n", "").replace(
        "- Allergic to nuts <!-- pinned -->", ""
    )

    assert changes(new) == []


def test_what_is_pinned_is_not_written_a_second_time_elsewhere() -> None:
    new = CORE.replace("- Likes short answers", "- Likes short answers\n- Born in Faro")

    assert changes(new) == []


def test_a_line_that_moved_is_taken_out_and_added() -> None:
    line = "- Likes short answers\n"
    new = CORE.replace(line, "").replace("- Name: Alex\n", f"- Name: Alex\n{line}")

    assert changes(new) == [
        ("Persona", "- Likes short answers"),
        ("Identity", "+ Likes short answers"),
    ]


def test_a_mind_pins_nothing() -> None:
    new = CORE.replace("- Likes short answers", "- Likes puns <!-- pinned -->")

    assert ("Persona", "+ Likes puns") in changes(new)


def test_blocks_that_are_left_out_and_sections_of_a_human_stay() -> None:
    assert changes("## Persona\n- Likes short answers\n") == []
    assert changes("## Persona\n\n## A section of my own\n- Come in\n") == [
        ("Persona", "- Likes short answers")
    ]


def test_hints_of_the_template_are_no_lines() -> None:
    assert changes(CORE_TEMPLATE, CORE_TEMPLATE) == []


@pytest.mark.parametrize("new", ["", "Sorry, I cannot do that.", "# MEMORY.md\n- x\n"])
def test_a_text_without_blocks_is_not_core_memory(new: str) -> None:
    with pytest.raises(NotCoreMemoryError, match=r"not a MEMORY\.md"):
        core_operations(CORE, new)


def test_planned_all_together_it_becomes_what_the_mind_wrote() -> None:
    new = CORE.replace("- Likes short answers", "- Likes puns").replace(
        "- Working on the garden shed", "- Resting"
    )
    planned = plan_operations(core_operations(CORE, new), Workspace().site)

    assert planned.refused == ()
    (edit,) = (edit for edit in planned.edits if edit.path == layout.CORE)
    entries = parse_core((edit.content or b"").decode(), layout.CORE).entries
    wanted = parse_core(new, layout.CORE).entries
    assert {entry.text for entry in entries} == {entry.text for entry in wanted}


@given(files)
def test_any_answer_is_a_rewrite_or_none(text: str) -> None:
    for new in (text, f"## Persona\n{text}"):
        try:
            operations = core_operations(CORE, new)
        except NotCoreMemoryError:
            continue
        out = [op for op in operations if op.content.startswith("-")]
        assert not any("Faro" in op.content or "nuts" in op.content for op in out)
        assert list(operations[: len(out)]) == out
