"""Which files say that something is pinned, and how."""

from __future__ import annotations

import pytest

from reverie.encoding.pinning import plan_pin
from reverie.model.change import checksum
from reverie.model.ids import ItemId

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
