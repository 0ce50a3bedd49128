"""MEMORY.md: its blocks and items."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies

from reverie.model.ids import ItemId, MissingItemError
from reverie.model.items import Block, CoreItem
from reverie.stores.core import (
    CORE_TEMPLATE,
    CoreMemory,
    add_item,
    parse_core,
    remove_item,
    render_core,
    set_pinned,
)

PATH = "MEMORY.md"
TEXT = """\
# MEMORY.md — Core Memory

## Identity
- Name: Alex
- Role: [What they do]
prose of a person
- Likes tea <!-- pinned -->
  and coffee

## Active Context

## Persona
- a
- a

## Critical Facts
- Allergic to nuts [high importance, pinned]
"""


def core(text: str = TEXT) -> CoreMemory:
    return parse_core(text, PATH)


def items(memory: CoreMemory) -> list[tuple[str, bool]]:
    return [
        (entry.item.text, entry.item.pinned)
        for entry in memory.entries
        if isinstance(entry.item, CoreItem)
    ]


@given(strategies.files)
def test_core_memory_gives_back_its_text(text: str) -> None:
    assert render_core(core(text)) == text


@given(st.lists(st.tuples(strategies.said, st.booleans()), max_size=4))
def test_items_survive_being_written_and_read_back(
    some: list[tuple[str, bool]],
) -> None:
    memory = core(CORE_TEMPLATE)
    for text, pinned in some:
        memory = add_item(memory, Block.PERSONA, text, pinned=pinned)

    assert items(memory) == some
    assert memory.findings == ()


@given(strategies.said, st.booleans())
def test_pinning_changes_nothing_but_the_pin(text: str, pinned: bool) -> None:  # noqa: FBT001  Hypothesis passes it
    memory = add_item(core(CORE_TEMPLATE), Block.CRITICAL, text, pinned=pinned)
    [entry] = memory.entries

    turned = set_pinned(memory, entry.id, pinned=not pinned)
    back = set_pinned(turned, entry.id, pinned=pinned)

    assert items(turned) == [(text, not pinned)]
    assert render_core(back) == render_core(memory)


@given(strategies.files, st.sampled_from(Block), strategies.said)
def test_a_new_item_leaves_the_others_as_they_were(
    text: str, block: Block, words: str
) -> None:
    before = core(text)

    after = add_item(before, block, words)

    assert set(items(before)) <= set(items(after))
    assert (words, False) in items(after)


def test_the_template_is_empty_and_well_formed() -> None:
    memory = core(CORE_TEMPLATE)

    assert memory.entries == ()
    assert memory.findings == ()


def test_items_are_named_by_label_or_first_words() -> None:
    memory = add_item(core(), Block.CONTEXT, "One two three four five six seven: x")

    assert [(str(entry.id), entry.line) for entry in memory.entries] == [
        ("core:identity/name", 4),
        ("core:identity/likes-tea-and-coffee", 7),
        ("core:context/one-two-three-four-five-six", 11),
        ("core:persona/a", 14),
        ("core:persona/a~2", 15),
        ("core:critical/allergic-to-nuts-high-importance", 18),
    ]
    assert items(memory) == [
        ("Name: Alex", False),
        ("Likes tea\nand coffee", True),
        ("One two three four five six seven: x", False),
        ("a", False),
        ("a", False),
        ("Allergic to nuts [high importance, pinned]", True),
    ]


def test_an_item_in_brackets_that_says_pinned_is_no_hint() -> None:
    memory = core("## Critical Facts\n- [Never on Fridays, pinned]\n- ...\n- [x]\n")

    assert items(memory) == [("[Never on Fridays, pinned]", True)]


def test_a_missing_block_is_made_in_its_place() -> None:
    memory = add_item(core("# x\n\n## Persona\n- a\n"), Block.CONTEXT, "b")

    assert render_core(memory) == "# x\n\n## Active Context\n- b\n\n## Persona\n- a\n"


def test_a_removed_item_takes_its_own_lines_with_it() -> None:
    memory = remove_item(core(), ItemId.parse("core:identity/likes-tea-and-coffee"))

    assert render_core(memory) == TEXT.replace(
        "- Likes tea <!-- pinned -->\n  and coffee\n", ""
    )


def test_an_item_that_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(MissingItemError, match="core:identity/age"):
        remove_item(core(), ItemId.parse("core:identity/age"))


def test_unpinning_takes_the_mark_off_however_it_was_written() -> None:
    memory = core()
    for entry in memory.entries:
        memory = set_pinned(memory, entry.id, pinned=False)

    assert render_core(memory) == TEXT.replace(" <!-- pinned -->", "").replace(
        ", pinned]", "]"
    )


def test_windows_line_ends_stay_when_an_item_is_pinned() -> None:
    text = TEXT.replace("\n", "\r\n")
    memory = core(text)

    changed = set_pinned(memory, memory.entries[0].id, pinned=True)

    assert render_core(changed) == text.replace("Alex\r", "Alex <!-- pinned -->\r")


def test_blocks_that_are_missing_doubled_or_unknown_are_reported() -> None:
    memory = core("## Identity\n## identity\n## Other\n## Persona\n")

    assert [(f.line, f.what) for f in memory.findings] == [
        (0, "the block 'Active Context' is missing"),
        (0, "the block 'Critical Facts' is missing"),
        (2, "'identity' is there twice"),
        (3, "'Other' is no block of core memory"),
    ]


def test_a_hostile_text_is_read_to_its_end() -> None:
    for line in ["- [", "- x\n", "## Identity\n", "- a: ", "\\"]:
        text = "## Identity\n- " + line * (100_000 // len(line))

        assert render_core(core(text)) == text
