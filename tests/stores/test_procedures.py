"""Learned ways of doing something."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from tests import strategies

from reverie.model.items import Procedure, Severity
from reverie.stores.procedures import (
    add_learned_from,
    add_note,
    add_trigger,
    new_procedure,
    parse_procedure,
    render_procedure,
    replace_steps,
    set_header,
)

PATH = "memory/procedures/how-to-deploy.md"
SEED = """\
# how-to-deploy.md

<!-- Type: procedure | Learned: 2026-01-25 | Last used: 2026-01-30 -->
<!-- Decay score: 0.85 | Access count: 3 -->

## Trigger
When user asks to deploy, push to production, or ship.

## Steps
1. Run test suite first (user insists on this)
2. Check for uncommitted changes

## Notes
- User prefers verbose deploy logs

## Learned From
- Episode 2026-01-25 14:30 — first deployment discussion
"""


@given(strategies.files)
def test_a_procedure_gives_back_its_text(text: str) -> None:
    assert render_procedure(parse_procedure(text, PATH)) == text


@given(strategies.procedures)
def test_a_procedure_survives_being_written_and_read_back(value: Procedure) -> None:
    path = f"memory/procedures/{value.slug}.md"

    page = parse_procedure(new_procedure(value), path)

    assert page.procedure == value
    assert [entry.item for entry in page.entries] == [value]


@given(strategies.files, strategies.said)
def test_an_added_note_is_the_last_one(text: str, note: str) -> None:
    page = parse_procedure(text, PATH)

    changed = add_note(page, note)

    assert changed.procedure.notes == (*page.procedure.notes, note)
    assert changed.procedure.steps == page.procedure.steps


@given(strategies.files, strategies.said)
def test_an_added_trigger_keeps_the_words_of_the_old_one(text: str, when: str) -> None:
    page = parse_procedure(text, PATH)

    changed = add_trigger(page, when)

    assert changed.procedure.trigger.startswith(page.procedure.trigger)
    assert changed.procedure.trigger.endswith(when) or changed == page
    assert changed.procedure.steps == page.procedure.steps
    assert add_trigger(changed, when) == changed


def test_the_seeds_procedure_is_read() -> None:
    page = parse_procedure(SEED, PATH)

    assert page.procedure == Procedure(
        "how-to-deploy",
        "When user asks to deploy, push to production, or ship.",
        (
            "Run test suite first (user insists on this)",
            "Check for uncommitted changes",
        ),
        notes=("User prefers verbose deploy logs",),
        learned_from=("Episode 2026-01-25 14:30 — first deployment discussion",),
        learned=date(2026, 1, 25),
        last_used=date(2026, 1, 30),
        accesses=3,
    )
    assert page.findings == ()
    [entry] = page.entries
    assert (str(entry.id), entry.title) == ("procedure:how-to-deploy", "How To Deploy")
    assert "push to production" in entry.text


def test_edits_touch_their_own_lines_only() -> None:
    page = parse_procedure(SEED, PATH)

    page = replace_steps(page, (*page.procedure.steps, "Tag it"))
    page = add_note(page, "Never on Fridays")
    page = add_learned_from(page, "Alex")
    page = set_header(page, pinned=True)

    changed = SEED.replace("changes\n", "changes\n3. Tag it\n")
    changed = changed.replace("logs\n", "logs\n- Never on Fridays\n")
    changed = changed.replace("Access count: 3", "Access count: 3 | Pinned: yes")
    assert render_procedure(page) == f"{changed}- Alex\n"
    assert page.procedure.pinned


def test_a_procedure_without_trigger_or_steps_is_reported() -> None:
    page = parse_procedure("# how-to-deploy.md\n\n## Steps\nprose\n", PATH)

    assert [(f.line, f.what) for f in page.findings] == [
        (0, "the trigger is missing"),
        (3, "the steps are missing"),
    ]


def test_a_title_or_name_that_does_not_fit_is_reported() -> None:
    page = parse_procedure(SEED, "memory/procedures/my way.md")

    (found,) = page.findings
    assert found.mend.startswith("It is read as my-way.")
    assert [str(entry.id) for entry in page.entries] == ["procedure:my-way"]


def test_prose_in_a_procedure_without_steps_is_found() -> None:
    page = parse_procedure("# Baking\n\nKnead for ten minutes.\n", PATH)

    assert "Knead for ten minutes." in page.entries[0].text
    assert {found.severity for found in page.findings} == {Severity.WARNING}


def test_a_section_of_the_users_own_is_kept_and_found() -> None:
    page = parse_procedure(SEED + "\n## Rollback\nRun `undo`.\n", PATH)

    assert "Run `undo`." in page.entries[0].text
    assert page.findings == ()
