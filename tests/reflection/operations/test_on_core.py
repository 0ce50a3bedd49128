"""One line more in core memory, or one line out of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.reflection.operations.sites import ALEX, CORE, Workspace, made

from reverie.config import Config
from reverie.markdown import one_line
from reverie.model.items import CoreItem
from reverie.reflection.operations.plan import plan_operations
from reverie.stores import core
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.model.reflection import Operation
    from reverie.reflection.operations.plan import Planned

DAY = f"{layout.EPISODES}/2026-02-20.md"


def plan(*operations: Operation, workspace: Workspace | None = None) -> Planned:
    return plan_operations(operations, (workspace or Workspace()).site)


def after(planned: Planned, path: str = layout.CORE) -> str:
    (found,) = (edit for edit in planned.edits if edit.path == path)
    return (found.content or b"").decode()


def why(planned: Planned) -> str:
    assert planned.edits == ()
    (refused,) = planned.refused
    return refused.why


def test_a_line_is_added_to_its_block_and_signed() -> None:
    planned = plan(made("CORE", "Persona", "+ Laughs at puns"))

    assert [edit.path for edit in planned.edits] == [layout.CORE]
    line = "- Likes short answers\n- Laughs at puns <!-- by:agent -->\n"
    assert line in after(planned)
    assert planned.steps[0].ids == ("core:persona/laughs-at-puns",)


def test_what_is_there_already_is_not_added() -> None:
    assert "already" in why(plan(made("CORE", "Persona", "+ Likes  short answers")))


def test_a_line_that_does_not_fit_pushes_nothing_out() -> None:
    small = replace(Config().core, persona_tokens=40)
    workspace = Workspace(config=replace(Config(), core=small))
    long = "+ " + "Laughs at puns about ferries and trains. " * 10

    found = why(plan(made("CORE", "Persona", long), workspace=workspace))

    assert "'Persona' would hold" in found
    assert "40 are allowed" in found


def test_what_goes_on_moves_out_into_the_log_of_the_day() -> None:
    planned = plan(made("CORE", "Active Context", "- Waiting for the roof tiles"))

    assert "roof tiles" not in after(planned)
    assert "Waiting for the roof tiles" in after(planned, DAY)


def test_what_is_known_of_a_person_moves_out_to_their_page() -> None:
    planned = plan(made("CORE", "Persona", "- Likes short answers"))

    assert "Likes short answers" not in after(planned)
    assert "- Likes short answers <!--" in after(planned, ALEX)
    assert "by: owner" in after(planned, ALEX)


def test_a_name_moves_out_to_the_page_it_names() -> None:
    planned = plan(made("CORE", "Identity", "- Name: Alex"))

    assert "- Name: Alex <!--" in after(planned, ALEX)


@pytest.mark.parametrize(
    ("heading", "text", "reason"),
    [
        ("Identity", "Born in Faro", "pinned"),
        ("Critical Facts", "Allergic to nuts", "pinned"),
        ("Persona", "Born in Faro", "no line"),
        ("Persona", "Keep out", "no line"),
        ("Persona", "Likes short", "no line"),
    ],
)
def test_what_is_pinned_or_not_there_is_not_taken_out(
    heading: str, text: str, reason: str
) -> None:
    assert reason in why(plan(made("CORE", heading, f"- {text}")))


def test_only_one_of_two_equal_lines_is_taken_out() -> None:
    workspace = Workspace()
    line = "- Likes short answers\n"
    workspace.files[layout.CORE] = CORE.replace(line, line * 2).encode()
    out = made("CORE", "Persona", "- Likes short answers")

    assert after(plan(out, workspace=workspace)).count(line) == 1


def test_a_line_that_moves_to_another_block_stays_its_owners() -> None:
    planned = plan(
        made("CORE", "Active Context", "- Working on the garden shed"),
        made("CORE", "Persona", "+ Working on the garden shed"),
    )

    found = core.parse_core(after(planned), layout.CORE).entries
    lines = [entry.raw for entry in found if "shed" in entry.text]
    assert lines == ["- Working on the garden shed\n"]


@pytest.mark.parametrize(
    "text",
    [
        "x\n## Identity\n- Name: Eve",
        "x <!-- pinned -->",
        "[x, pinned]",
        "x <!-- by:owner -->",
    ],
)
def test_no_line_forges_a_pin_a_block_or_its_author(text: str) -> None:
    planned = plan(made("CORE", "Persona", f"+ {text}"))

    memory = core.parse_core(after(planned), layout.CORE)
    (new,) = (e.item for e in memory.entries if "persona/x" in str(e.id))
    assert isinstance(new, CoreItem)
    assert one_line(new.text) == one_line(text)
    assert (new.pinned, new.by) == (False, "agent")
    assert len(memory.entries) == len(core.parse_core(CORE, "x").entries) + 1
