"""The timeline: days with what happened, and what was reflected on."""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.web.visitor import Visitor
from tests.memory.home import NOON, Home
from tests.reflection.dreams import Proposal

from reverie import EpisodeKind, Episodic, Origin, Semantic
from reverie.interfaces.web.views import timeline

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY = re.compile(r'id="day-([0-9-]+)"')


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "agent")
    yield made
    made.memory.close()


def remember(home: Home, text: str, at: datetime = NOON, *tags: str) -> None:
    place = Episodic(EpisodeKind.DECISION, tags=tags, at=at)
    home.memory.remember(text, place)


def test_an_empty_timeline_says_what_will_be_there(home: Home) -> None:
    with Visitor(home.root) as visitor:
        assert "Every day on which something happens" in visitor.see("/timeline")


def test_a_timeline_without_days_says_how_many_memories_there_are(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    with Visitor(home.root) as visitor:
        page = visitor.see("/timeline")

    assert "No episodes yet" in page
    assert "1 other memory is stored" in page
    assert "Nothing has been remembered" not in page
    assert "Connect an agent" not in page


def test_a_day_tells_when_what_and_whose_words_it_was(home: Home) -> None:
    remember(home, "Chose larch for the deck.", NOON, "boat", "wood")
    home.memory.remember("Larch is **sold out**.", Episodic(), origin=Origin.TOOL)
    with Visitor(home.root) as visitor:
        page = visitor.see("/timeline")

    assert "Mon 2 Feb 2026" in page
    assert 'href="/memory/episode%3A2026-02-02%3A12%3A00"' in page
    assert "decision" in page
    assert '<span class="tag">wood</span>' in page
    assert "words of tool" in page
    assert "<strong>sold out</strong>" in page


def test_what_is_for_one_person_alone_says_so_on_its_day_and_its_page(
    home: Home,
) -> None:
    remember(home, "The deck is dry.")
    made = home.memory.remember("Ada is afraid of heights.", Episodic(scope="Ada"))
    with Visitor(home.root) as visitor:
        day, page = visitor.see("/timeline"), visitor.see(f"/memory/{made.ids[0]}")

    assert day.count("for Ada alone") == 1
    assert day.index("afraid of heights") < day.index("for Ada alone")
    assert "for Ada alone" in page


@pytest.mark.parametrize("name", ["reflection-log", "reward-log", "reflection-archive"])
def test_a_pipe_or_a_link_in_the_place_of_a_log_keeps_nobody_waiting(
    home: Home, name: str, tmp_path: Path
) -> None:
    remember(home, "The deck is dry.")
    log = home.root / f"memory/meta/{name}.md"
    log.unlink(missing_ok=True)
    os.mkfifo(log)
    with Visitor(home.root) as visitor:
        assert "The deck is dry." in visitor.see("/timeline")
    log.unlink()
    (tmp_path / "secret").write_text("## Reflection #9 — 2026-02-02\nUNSEEN\n", "utf-8")
    log.symlink_to(tmp_path / "secret")
    with Visitor(home.root) as visitor:
        assert "UNSEEN" not in visitor.see("/timeline")


def test_days_come_page_by_page_and_lead_back(home: Home) -> None:
    for ago in range(25):
        remember(home, f"Plank {ago} is fitted.", NOON - timedelta(days=ago))
    with Visitor(home.root) as visitor:
        first = visitor.see("/timeline")
        second = visitor.see("/timeline?before=2026-01-24")
        last = visitor.see("/timeline?before=2026-01-14")

    shown = [DAY.findall(page) for page in (first, second, last)]
    assert [len(days) for days in shown] == [10, 10, 5]
    assert shown[0][0] == "2026-02-02"
    assert "before=2026-01-24" in first
    assert 'href="/timeline">Later days' in second
    assert "before=2026-02-03" not in last
    assert "before=2026-01-24" in last
    assert "Earlier days" not in last


def test_a_long_day_shows_its_last_part_and_all_of_it_alone(home: Home) -> None:
    for n in range(timeline.FEW + 3):
        remember(home, f"Rivet {n:02d} holds.", NOON + timedelta(minutes=n))
    with Visitor(home.root) as visitor:
        page = visitor.see("/timeline")
        alone = visitor.see("/timeline?day=2026-02-02")

    assert "Rivet 00" not in page
    assert "Rivet 03" in page
    assert "All of it" in page
    assert "Rivet 00" in alone


def test_a_reflection_stands_on_its_day_with_its_insight_and_its_changes(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path / "agent")
    home.furnish()
    waiting = Proposal(home)
    waiting.decide()
    waiting.memory.close()
    with Visitor(home.root) as visitor:
        page = visitor.see("/timeline")

    log = home.text("memory/meta/reflection-log.md")
    insight = log.split("### Key Insight\n")[1].partition("\n")[0]
    assert "Reflection #1" in page
    assert insight in page
    assert 'href="/ledger?actor=reflection%3Ar-001"' in page
    assert "What it said" in page


def test_what_is_no_day_is_said_to_be_none(home: Home) -> None:
    remember(home, "Chose larch for the deck.")
    with Visitor(home.root) as visitor:
        wrong = visitor.see("/timeline?before=<b>soon", 400)
        empty = visitor.see("/timeline?day=2020-01-01", 404)

    assert "is not a day" in wrong
    assert "nothing is known of 2020-01-01" in empty


def test_what_was_corrected_is_struck_out(home: Home) -> None:
    remember(home, "Chose larch for the deck.")
    home.memory.correct("episode:2026-02-02:12:00", "Chose oak for the deck.")
    with Visitor(home.root) as visitor:
        page = visitor.see("/timeline")

    assert "corrected 2026-02-02" in page
    assert 'class="prose gone"' in page


def test_of_several_files_the_last_memories_are_read_alone(home: Home) -> None:
    yesterday = NOON - timedelta(days=1)
    for n in range(4):
        remember(home, f"Rivet {n} holds.", NOON + timedelta(minutes=n))
        remember(home, f"Plank {n} is fitted.", yesterday + timedelta(minutes=n))
    paths = [f"memory/episodes/{at:%Y-%m-%d}.md" for at in (NOON, yesterday)]

    found = home.memory.items(path=paths, last=2)

    said = ["Rivet 2 holds.", "Rivet 3 holds.", "Plank 2 is fitted."]
    assert [each.text for each in found] == [*said, "Plank 3 is fitted."]


def test_a_day_with_nothing_but_a_reflection_is_on_the_calendar(home: Home) -> None:
    remember(home, "The deck is dry.")
    after = NOON.date() + timedelta(days=1)
    home.type(
        "memory/meta/reflection-log.md",
        f"# Reflection Log\n\n## Reflection #1 — {after}\n### Operational\n- one\n",
    )
    with Visitor(home.root) as visitor:
        page = visitor.see("/timeline")

    assert f'href="/timeline?day={after}"' in page.partition("</svg>")[0]
