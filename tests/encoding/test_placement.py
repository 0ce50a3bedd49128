"""Planning: what would be written, without writing it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from reverie import Block, Core, Episodic, FormatError, Procedural, Semantic, Vault
from reverie.config import Config
from reverie.encoding.placement import Desk, cut_out, entity_name, plan_remember
from reverie.model.change import ABSENT, checksum
from reverie.model.items import Source
from reverie.stores.core import CORE_TEMPLATE
from reverie.stores.episodes import parse_day

if TYPE_CHECKING:
    from reverie.model.route import Place

NOON = datetime(2026, 2, 2, 12, 0, 59, tzinfo=UTC)
DAY = "memory/episodes/2026-02-02.md"


def desk(files: dict[str, bytes] | None = None) -> Desk:
    """A desk with some files on it."""
    held = files or {}
    return Desk(
        Config(),
        NOON,
        Source.USER_EXPLICIT,
        held.get,
        lambda folder, name: f"{folder}/{name}",
        lambda _: 1.0,
    )


def test_a_plan_names_the_text_it_was_made_on() -> None:
    places: list[Place] = [
        Episodic(),
        Semantic("Alex"),
        Procedural("tea"),
        Vault("Key"),
        Core(),
    ]
    for place in places:
        (edit,) = plan_remember("Some text.", place, desk()).edits
        assert edit.base == ABSENT
        assert edit.action == "CREATE"

        old = edit.content or b""
        again = plan_remember("Other text.", place, desk({edit.path: old}))
        (second,) = again.edits
        assert second.base in {checksum(old), ABSENT}


def test_an_episode_is_written_to_the_minute() -> None:
    plan = plan_remember("Some text.", Episodic(), desk())

    assert plan.ids == ("episode:2026-02-02:12:00",)


def test_a_day_log_without_a_last_line_end_is_continued_below_it() -> None:
    old = b"# 2026-02-02\n\n## 11:00 | event | confidence:high | tags:[]\nNo end"
    (edit,) = plan_remember("Some text.", Episodic(), desk({DAY: old})).edits

    assert edit.content is not None
    assert edit.content.startswith(old + b"\n\n## 12:00 | event")


def test_windows_files_stay_windows_files() -> None:
    old = b"# 2026-02-02\r\n\r\n"
    (edit,) = plan_remember("one\ntwo", Episodic(), desk({DAY: old})).edits

    assert edit.content is not None
    assert edit.content.count(b"\n") == edit.content.count(b"\r\n")


@pytest.mark.parametrize(
    ("path", "place", "text"),
    [
        (DAY, Episodic(), "# 2026-02-02\n"),
        ("MEMORY.md", Core(Block.PERSONA), CORE_TEMPLATE),
        (
            "memory/graph/entities/person--alex.md",
            Semantic("person--alex"),
            "# person--alex\n\n## Facts\n- One\n",
        ),
        ("memory/procedures/tea.md", Procedural("tea"), "# tea.md\n\n## Steps\n1. x\n"),
    ],
)
def test_a_byte_order_mark_is_kept(path: str, place: Place, text: str) -> None:
    old = b"\xef\xbb\xbf" + text.encode()
    (edit,) = plan_remember("New words", place, desk({path: old})).edits

    assert edit.content is not None
    assert edit.content.startswith(b"\xef\xbb\xbf#")
    assert edit.content.count(b"\xef\xbb\xbf") == 1
    assert b"New words" in edit.content


def test_a_file_that_is_no_utf_8_is_not_planned_on() -> None:
    with pytest.raises(FormatError) as caught:
        plan_remember("x", Episodic(), desk({DAY: b"# 2026-02-02\n\xff\n"}))

    assert (caught.value.path, caught.value.line) == (DAY, 2)


def test_an_entity_is_named_by_type_and_slug() -> None:
    for place, expected in [
        (Semantic("Alex Doe", "person"), "person--alex-doe"),
        (Semantic("person--alex"), "person--alex"),
        (Semantic("Person--Alex-DOE"), "person--alex-doe"),
        (Semantic("person--alex", "tool"), "person--alex"),
        (Semantic("OAuth 2 -- PKCE"), "concept--oauth-2-pkce"),
        (Semantic("Zürich", "Place"), "place--zürich"),
    ]:
        assert entity_name(place) == expected


def test_an_entry_that_is_cut_out_takes_nothing_else_with_it() -> None:
    heads = [f"## 0{n}:00 | fact | confidence:high\n" for n in range(3)]
    text = "# 2026-02-02\r\n\n" + "".join(f"{head}Tea.\n\n" for head in heads)
    entries = parse_day(text, DAY).entries

    left = cut_out(text, [entries[1]])

    assert left == text.replace(entries[1].raw, "")
    assert cut_out(text, []) == text
