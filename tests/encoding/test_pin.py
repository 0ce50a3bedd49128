"""Keeping a memory from fading, and letting go of it again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, CORE, DAY, DEPLOY, SCORES

from reverie import Actor, NotFoundError, RefusedError
from reverie.encoding.forget import plan_pin
from reverie.model.change import checksum
from reverie.model.ids import ItemId

if TYPE_CHECKING:
    from tests.memory.home import Home

EPISODE = "episode:2026-02-02:12:00"
PINNABLE = {
    EPISODE: (SCORES, '"pinned": true'),
    "entity:person--alex": (ALEX, "<!-- Pinned: yes -->"),
    "procedure:how-to-deploy": (DEPLOY, "<!-- Pinned: yes -->"),
    "core:context/working-on": (CORE, "- Working on: the ledger <!-- pinned -->"),
}


@pytest.mark.parametrize("item_id", PINNABLE)
def test_a_pin_is_written_where_a_person_can_read_it_and_undone(
    furnished: Home, item_id: str
) -> None:
    path, mark = PINNABLE[item_id]
    before, memory = furnished.text(path), furnished.memory

    receipt = memory.pin(item_id)

    assert mark in furnished.text(path)
    told = [(line.path, line.summary) for line in receipt.lines]
    assert told == [(path, f"pinned {item_id}")]
    assert memory.show(item_id).pinned
    memory.undo()
    assert not memory.show(item_id).pinned
    memory.pin(item_id)
    unpinned = memory.unpin(item_id)
    assert furnished.text(path) == before or path == SCORES
    assert not memory.show(item_id).pinned
    memory.undo(unpinned.commit)
    assert furnished.disagreements() == []
    furnished.clock.forward(days=3_000)
    shown = memory.show(item_id)
    assert (shown.score, shown.status) == (1.0, "active")


def test_a_day_log_is_never_edited_for_a_pin(furnished: Home) -> None:
    before = furnished.raw(DAY)

    furnished.memory.pin(EPISODE)

    assert furnished.raw(DAY) == before
    entry = json.loads(furnished.text(SCORES))["entries"][EPISODE]
    assert (entry["pinned"], entry["current_score"]) == (True, 1.0)


def test_pinning_what_is_pinned_changes_nothing(furnished: Home) -> None:
    for item_id in (*PINNABLE, "vault:passport"):
        furnished.memory.pin(item_id)
        head = furnished.head

        assert furnished.memory.pin(item_id).lines == ()
        assert furnished.head == head


def test_unpinning_what_is_not_pinned_changes_nothing(furnished: Home) -> None:
    head = furnished.head

    for item_id in PINNABLE:
        assert furnished.memory.unpin(item_id).lines == ()

    assert furnished.head == head


@pytest.mark.parametrize(
    "actor", ["bot:main", "bot:trigger-remember", "reflection:r-1"]
)
def test_only_a_human_unpins(furnished: Home, actor: str) -> None:
    furnished.memory.pin(EPISODE)
    head = furnished.head

    with pytest.raises(RefusedError, match="may not do this") as caught:
        furnished.memory.unpin(EPISODE, actor=Actor(actor))

    assert "manual" in caught.value.advice
    assert furnished.head == head
    assert furnished.memory.show(EPISODE).pinned


def test_an_agent_may_pin(furnished: Home) -> None:
    furnished.memory.pin(EPISODE, actor=Actor("bot:main"))

    assert str(furnished.memory.history()[0].actor) == "bot:main"


def test_the_vault_is_always_pinned(furnished: Home) -> None:
    assert furnished.memory.show("vault:passport").pinned
    with pytest.raises(RefusedError, match="everything is pinned") as caught:
        furnished.memory.unpin("vault:passport")

    assert "Move its file" in caught.value.advice


def test_what_is_not_there_cannot_be_pinned(furnished: Home) -> None:
    with pytest.raises(NotFoundError, match="there is no memory"):
        furnished.memory.pin("vault:nothing")


def test_pins_of_episodes_outlive_the_index(furnished: Home) -> None:
    furnished.memory.pin(EPISODE)
    furnished.memory.close()
    for file in (furnished.root / ".reverie").glob("index.db*"):
        file.unlink()

    furnished.reopen()

    assert furnished.memory.show(EPISODE).pinned


PAGE = b"# person--alex\n\n<!-- Pinned: no -->\n\n## Facts\n- One\n"


def test_an_entity_page_says_it_in_its_header() -> None:
    item_id = ItemId.parse("entity:person--alex")
    edit = plan_pin(item_id, "person--alex.md", PAGE, pinned=True)

    assert edit is not None
    assert edit.content == PAGE.replace(b"Pinned: no", b"Pinned: yes")
    assert edit.base == checksum(PAGE)
    assert edit.summary == "pinned entity:person--alex"


def test_nothing_is_planned_where_nothing_changes() -> None:
    item_id = ItemId.parse("entity:person--alex")

    assert plan_pin(item_id, "person--alex.md", PAGE, pinned=False) is None


@pytest.mark.parametrize("item_id", ["episode:2026-02-02:12:00", "vault:passport"])
def test_day_logs_and_vault_notes_do_not_say_it(item_id: str) -> None:
    assert plan_pin(ItemId.parse(item_id), "x.md", b"x", pinned=True) is None


def test_a_page_a_person_wrote_gets_a_header() -> None:
    page = b"# how-to-tea.md\n\n## Steps\n1. boil\n"
    item_id = ItemId.parse("procedure:how-to-tea")
    edit = plan_pin(item_id, "how-to-tea.md", page, pinned=True)

    assert edit is not None
    assert b"Pinned: yes" in (edit.content or b"")
    assert (edit.content or b"").endswith(b"## Steps\n1. boil\n")
