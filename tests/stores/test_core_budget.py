"""What has to leave core memory when it is too much."""

from __future__ import annotations

import re
from unittest.mock import Mock

import pytest

from reverie.errors import RefusedError
from reverie.model.items import Block, CoreItem
from reverie.stores import core
from reverie.stores.core import (
    CORE_TEMPLATE,
    CoreMemory,
    add_item,
    block_tokens,
    fit,
    parse_core,
    render_core,
    total_tokens,
)

BUDGETS = {
    Block.IDENTITY: 500,
    Block.CONTEXT: 1000,
    Block.PERSONA: 500,
    Block.CRITICAL: 1000,
}


BARE = re.sub(r"(?m)^- .*\[.*\n", "", CORE_TEMPLATE)
"""Core memory in which nothing waits to be filled in."""


def filled(count: int, *, pinned: bool = False, start: str = BARE) -> CoreMemory:
    memory = parse_core(start, "MEMORY.md")
    for number in range(count):
        text = f"Item {number}: " + "some words of no great weight " * 5
        memory = add_item(memory, Block.PERSONA, text, pinned=pinned)
    return memory


def by_number(item: CoreItem) -> float:
    return float(item.slug.rpartition("-")[2])


def test_core_memory_that_fits_stays_as_it_is() -> None:
    memory = filled(2)

    assert fit(memory, cap=3000, budgets=BUDGETS, relevance=by_number) == (memory, ())


def test_the_least_relevant_item_leaves_first() -> None:
    memory = filled(20)

    fitted, evicted = fit(memory, cap=3000, budgets=BUDGETS, relevance=by_number)

    assert [item.slug for item in evicted] == [f"item-{n}" for n in range(len(evicted))]
    assert block_tokens(fitted)[Block.PERSONA] <= 500
    assert len(fitted.entries) + len(evicted) == 20
    back = add_item(fitted, Block.PERSONA, evicted[-1].text)
    assert block_tokens(back)[Block.PERSONA] > 500


def test_among_many_lines_making_room_reads_the_file_a_few_times_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = "".join(f"- Thing {n}: is under way\n" for n in range(800))
    memory = parse_core(
        BARE.replace("## Persona\n", f"## Persona\n{lines}"), "MEMORY.md"
    )
    reads = Mock(side_effect=core.parse_core)
    monkeypatch.setattr(core, "parse_core", reads)

    _, evicted = fit(memory, cap=3000, budgets=BUDGETS, relevance=lambda _: 0.0)

    assert len(evicted) > 500
    assert reads.call_count < 40


def test_the_cap_takes_from_any_block() -> None:
    memory = add_item(filled(3), Block.CONTEXT, "Item 0: " + "word " * 20)
    cap = total_tokens(memory) - 1

    fitted, evicted = fit(memory, cap=cap, budgets=BUDGETS, relevance=by_number)

    assert [(item.block, item.slug) for item in evicted] == [(Block.CONTEXT, "item-0")]
    assert total_tokens(fitted) <= cap


def test_what_nobody_filled_in_goes_first_and_says_nothing() -> None:
    memory = filled(2, start=CORE_TEMPLATE)
    cap = total_tokens(memory) - 20

    fitted, evicted = fit(memory, cap=cap, budgets=BUDGETS, relevance=by_number)

    assert evicted == ()
    assert len(fitted.entries) == 2
    assert "Role: [" not in render_core(fitted)
    assert "Emotional context: [" in render_core(fitted)


def test_of_a_full_block_only_its_own_hints_go() -> None:
    memory = filled(20, start=CORE_TEMPLATE)

    fitted, evicted = fit(memory, cap=9000, budgets=BUDGETS, relevance=by_number)

    assert "Emotional context" not in render_core(fitted)
    assert "- Role: [What they do]" in render_core(fitted)
    assert evicted


def test_the_name_never_leaves() -> None:
    memory = parse_core(CORE_TEMPLATE, "MEMORY.md")
    memory = add_item(memory, Block.IDENTITY, "Name: Alex Berger")
    for number in range(9):
        text = f"Item {number}: " + "some words of no great weight " * 12
        memory = add_item(memory, Block.IDENTITY, text)

    fitted, evicted = fit(
        memory, cap=3000, budgets=BUDGETS, relevance=lambda item: item.slug != "name"
    )

    assert "- Name: Alex Berger" in render_core(fitted)
    assert "Role: [" not in render_core(fitted)
    assert evicted
    assert "name" not in {item.slug for item in evicted}


def test_what_was_just_added_stays() -> None:
    memory = filled(20)
    kept = memory.entries[0].id

    fitted, evicted = fit(
        memory, cap=3000, budgets=BUDGETS, relevance=by_number, keep={kept}
    )

    assert kept in {entry.id for entry in fitted.entries}
    assert evicted[0].slug == "item-1"


def test_items_of_one_name_are_told_apart_while_some_leave() -> None:
    memory = parse_core(CORE_TEMPLATE, "MEMORY.md")
    for number in range(30):
        text = f"Same: {number} " + "some words of no great weight " * 5
        memory = add_item(memory, Block.PERSONA, text)
    kept = memory.entries[-1]

    fitted, evicted = fit(
        memory,
        cap=3000,
        budgets=BUDGETS,
        relevance=lambda _: 1.0,
        keep={kept.id},
    )

    assert kept.raw in render_core(fitted)
    assert evicted[0] == memory.entries[0].item


def test_nothing_pinned_leaves_and_so_it_is_refused() -> None:
    with pytest.raises(RefusedError, match="'Persona' would hold") as caught:
        fit(filled(30, pinned=True), cap=3000, budgets=BUDGETS, relevance=by_number)
    assert "unpin" in caught.value.advice


def test_a_file_over_the_cap_without_items_is_refused() -> None:
    memory = parse_core(CORE_TEMPLATE, "MEMORY.md")

    with pytest.raises(RefusedError, match="core memory would hold"):
        fit(memory, cap=10, budgets=BUDGETS, relevance=by_number)


def test_prose_of_a_person_counts() -> None:
    memory = parse_core("## Persona\n" + "word " * 50, "MEMORY.md")

    assert block_tokens(memory)[Block.PERSONA] > 40
