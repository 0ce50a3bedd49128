"""`health`, and its page."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace
from tests.interfaces.cli.conftest import on_a_screen

from reverie.interfaces.cli.health import health_page
from reverie.interfaces.cli.output import Styled, render_json, render_plain
from reverie.model.conversation import Quality
from reverie.model.health import (
    Bill,
    Conversations,
    Cost,
    DayCost,
    Health,
    HealthVerdict,
    IndexState,
    Remark,
    Slept,
    Storage,
    StoreCount,
    Upkeep,
    Waits,
)
from reverie.model.ids import Store
from reverie.model.items import Block
from reverie.model.views import BlockUse

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

NOON = datetime(2026, 2, 2, 12, 0, tzinfo=UTC)
ILL = Health(
    root="/agents/alex",
    at=NOON,
    verdict=HealthVerdict.MEND,
    remarks=(
        Remark(
            HealthVerdict.MEND, "the index lags behind history", "`reverie rebuild`"
        ),
        Remark(HealthVerdict.LOOK, "3 proposals wait", "decide with `reverie pending`"),
        Remark(HealthVerdict.OK, "all else is well"),
    ),
    stores=(
        StoreCount(Store.EPISODIC, 12_345, 12_000, 300, 40, 5, 7),
        StoreCount(Store.VAULT, 2, 2, pinned=2),
    ),
    core=(BlockUse(Block.IDENTITY, 250, 500), BlockUse(Block.CONTEXT, 1200, 1000)),
    core_tokens=2900,
    core_cap=3000,
    waits=Waits(3, (("conflict", 2), ("pending", 1)), 2, 4, 1, 1),
    upkeep=Upkeep(1000, whole=False, duplicates=3, errors=1),
    index=IndexState("a" * 40, "b" * 40, current=False, rows=20_000, size=1_500_000),
    reflection=Slept("pending", 3, NOON, 17, due=True),
    spending=Bill(
        NOON.date() - timedelta(29),
        NOON.date(),
        200_000,
        "EUR",
        Cost(tokens=1_234_567, micros=2_500_000),
        (DayCost(NOON.date(), Cost(tokens=150_000)),),
    ),
    storage=Storage(400, 2_500_000, 999, 3_000_000_000),
    conversations=Conversations(
        3, 120, 4, 1, 2, Quality(9, 1, 14, 5, (("Rome", 4), ("budget", 2)))
    ),
)
WELL = replace(
    ILL,
    verdict=HealthVerdict.OK,
    remarks=(),
    waits=Waits(),
    upkeep=Upkeep(10),
    index=IndexState("a", "a", model="tiny/1", rows=1, size=10),
    reflection=Slept(next=NOON),
    conversations=Conversations(),
)


def lines(told: Health) -> list[str]:
    return [
        " ".join(line.split()) for line in render_plain(health_page(told)).split("\n")
    ]


def test_what_matters_comes_first() -> None:
    told = lines(ILL)

    assert told[:5] == [
        "MEND something should be mended: /agents/alex",
        "",
        "mend the index lags behind history; `reverie rebuild`",
        "look 3 proposals wait; decide with `reverie pending`",
        "ok all else is well",
    ]


def test_numbers_stand_below_each_other() -> None:
    told = render_plain(health_page(ILL)).split("\n")
    at = told.index("Memories")

    assert told[at + 1 : at + 4] == [
        "            active  fading  dormant  archived  pinned     all",
        "  episodic  12,000     300       40         5       7  12,345",
        "  vault          2       0        0         0       2       2",
    ]


def test_every_part_is_told() -> None:
    told = lines(ILL)

    for line in (
        "identity ##########.......... 250 of 500 tokens",
        "context #################### 1,200 of 1,000 tokens",
        "all of it ###################. 2,900 of 3,000 tokens",
        "waits 3 proposals, 1 alert, 1 question, reflection #4",
        "duplicates at least 3 of 1,000 entries looked at",
        "files 1 error, 0 warnings",
        "state pending, 17 new episodes",
        "next due now",
        "said 3 windows, 120 turns, 4 deleted",
        "unwritten 2 turns, safe in the journal",
        "summaries 9 written, 1 deleted, 5 of use, brought back 14 times",
        "topics Rome (4), budget (2)",
        "thinking 150,000 of 200,000 tokens today",
        "30 days 1,234,567 tokens, 2.50 EUR",
        "index behind: at bbbbbbbbbb, history at aaaaaaaaaa; 20,000 rows, 1.5 MB",
        "vectors the model cannot be had",
        "storage 2.5 MB Markdown, 999 bytes history, 3,000.0 MB derived; 400 files",
    ):
        assert line in told, line


def test_a_workspace_that_is_well_needs_few_words() -> None:
    told = lines(WELL)

    assert told[0] == "OK all is well: /agents/alex"
    for line in (
        "waits nothing",
        "duplicates 0 of 10 entries looked at",
        "files 0 errors, 0 warnings",
        "last none approved",
        "said 0 windows, 0 turns, 0 deleted",
        "index current, 1 row, 10 bytes",
        "vectors by tiny/1, 0 missing",
    ):
        assert line in told, line
    assert not any(line.startswith(("summaries", "topics")) for line in told)
    unwanted = replace(WELL, index=IndexState(vectors=False))
    assert "vectors none wanted (embedding.model)" in lines(unwanted)


def test_colours_say_what_it_means() -> None:
    styles = {
        piece.strip(): piece.style
        for line in health_page(ILL)
        if isinstance(line, tuple)
        for piece in line
        if isinstance(piece, Styled)
    }

    assert styles["MEND"] == "bad"
    assert styles["look"] == "warn"
    assert styles["ok"] == "good"


def test_a_name_in_it_cannot_colour_the_screen() -> None:
    odd = replace(ILL, root="/agents/\x1b[31mred")

    assert "\x1b" not in render_plain(health_page(odd))


def test_the_whole_value_is_json() -> None:
    told = json.loads(render_json(ILL))

    assert isinstance(told, dict)
    assert told["verdict"] == "mend"
    assert told["waits"] == {
        "proposals": 3,
        "statuses": [["conflict", 2], ["pending", 1]],
        "disputed": 2,
        "reflection": 4,
        "alerts": 1,
        "questions": 1,
        "contradictions": 0,
        "pairs": 0,
        "sides": [],
    }
    assert told["reflection"] == {
        "state": "pending",
        "number": 3,
        "last": "2026-02-02T12:00:00Z",
        "waiting": 17,
        "due": True,
        "next": None,
        "notes_due": 0,
    }
    assert set(told) == {
        *("root", "at", "verdict", "remarks", "stores", "core", "core_tokens"),
        *("core_cap", "waits", "upkeep", "index", "reflection", "spending", "storage"),
        *("conversations", "fading", "falling", "changes"),
    }


# --- the command -------------------------------------------------------------


def test_a_new_workspace_is_ok(desk: Desk) -> None:
    told = desk.done("health").out

    assert told.startswith(f"OK all is well: {desk.root}\n")
    assert "nothing is remembered yet" in told
    assert desk.json("health")["verdict"] == "ok"


def test_whatever_is_found_the_exit_code_is_0(desk: Desk) -> None:
    desk.done("remember", "Hello.")
    desk.write("memory/vault/x.md", "<<<<<<< HEAD\n")
    desk.write("SOUL.md", "Be kind.\n")

    told = desk.json("health")

    assert told["verdict"] == "mend"
    assert told["waits"]["alerts"] == 1
    assert told["stores"][1]["store"] == "episodic"
    assert told["stores"][1]["memories"] == 2


def test_what_is_no_workspace_has_no_health(nowhere: Desk) -> None:
    assert nowhere.type("health").code == 3


def test_it_fits_a_screen_of_80_columns_and_has_bars_and_colours(desk: Desk) -> None:
    desk.write("SOUL.md", "Be kind.\n")
    desk.done("remember", "Hello.")

    code, seen = on_a_screen(("-w", str(desk.root), "health"))

    assert code == 0
    assert "░" in seen
    assert "\x1b[33mlook" in seen
    plain = re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert max(map(len, plain.splitlines())) <= 80
