"""Health: how the memory is doing, in numbers, words and plots."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.configured import agree_to
from tests.interfaces.web.visitor import Visitor
from tests.memory.home import ALEX, Home, dreamt

from reverie import Semantic
from reverie.memory.memory import now_in_utc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "agent")
    made.clock.now = now_in_utc()
    made.furnish()
    yield made
    made.memory.close()


def test_an_empty_memory_says_what_will_be_here(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    with Visitor(home.root) as visitor:
        page = visitor.see("/health")

    assert "Nothing is remembered yet. How many memories there are" in page


def test_memories_are_counted_by_how_vivid_they_are(home: Home) -> None:
    with Visitor(home.root) as visitor:
        page = visitor.see("/health")

    assert "5 active, 0 fading, 0 dormant, 0 archived" in page
    assert "loses half its score every 23.1 days" in page
    assert "active until day 23;" in page


def test_every_plot_says_in_words_what_it_shows(home: Home) -> None:
    with Visitor(home.root) as visitor:
        page = visitor.see("/health")

    assert page.count("<svg") == page.count('role="img"><title>') == 4
    assert "5 changes in 30 days, the most on" in page
    assert "0 tokens in 30 days" in page
    assert "style=" not in page


def test_what_has_to_stay_and_fades_is_named(home: Home, tmp_path: Path) -> None:
    old = Home(tmp_path / "old")
    old.furnish()
    with Visitor(old.root) as visitor:
        faded = visitor.see("/health")
    old.memory.close()
    with Visitor(home.root) as visitor:
        fresh = visitor.see("/health")

    assert "Working on: the ledger" in faded
    assert "out of automatic recall" in faded
    assert "Nothing that has to stay is about to fade" in fresh


def test_where_nothing_fades_no_curve_is_drawn(home: Home) -> None:
    home.memory.close()
    agree_to(home.root, REVERIE_DECAY_LAMBDA="0")
    with Visitor(home.root) as visitor:
        page = visitor.see("/health")

    assert "Nothing fades" in page


def test_reflections_are_listed_with_what_they_did(home: Home) -> None:
    dreamt(home.memory, "Seems at home there.", Semantic("person--alex"))
    with Visitor(home.root) as visitor:
        page = visitor.see("/health")

    assert '/ledger?actor=reflection%3Ar-012">r-012</a> Seems at home' in page


def test_what_all_stores_have_adds_up_and_what_was_said_is_counted_apart(
    home: Home,
) -> None:
    window = home.memory.window("kitchen")
    window.say("The lamp is lit.")
    window.say("Good.")
    home.memory.close()
    with Visitor(home.root) as visitor:
        page = visitor.see("/health")
    table = page.split('aria-label="Memories by store"')[1].partition("</table>")[0]
    *stores, total = re.findall(r"(?s)<tr[^>]*>(.*?)</tr>", table)[1:]
    numbers = [
        [int(said) for said in re.findall(r'class="number">(\d+)', row)]
        for row in (*stores, total)
    ]

    assert "all of it" in total
    assert [*map(sum, zip(*numbers[:-1], strict=True))] == numbers[-1]
    assert "5 memories and 2 turns of" in page
    assert "what was said" not in table


def test_reflections_are_plotted_by_what_they_asked_for_and_what_became_of_them(
    home: Home,
) -> None:
    home.type(
        "memory/meta/reward-log.md",
        "# Reward Log\n\n## Reflection #1 — 2026-10-27\n- Requested: 9,000 tokens\n"
        "- Granted: 4,500 tokens\n- Result: reduced\n\n"
        "## Reflection #2 — 2026-11-03\n- Requested: 8,000 tokens\n"
        "- Granted: 8,000 tokens\n- Result: approved\n",
    )
    home.type(
        "memory/meta/reflection-log.md",
        "# Reflection Log\n\n## Reflection #1 — 2026-10-28\n### Operational\n"
        "- 6 episodes, 2 entities, 0 archived\n- partially approved\n",
    )
    with Visitor(home.root) as visitor:
        page = visitor.see("/health")
    plot = page.split('class="plot nights"')[1].partition("</svg>")[0]
    bars = re.findall(r'class="(\w+)" .*? height="([\d.]+)"', plot)

    assert "#1 9,000, 4,500, partially approved; #2 8,000, 8,000, not decided" in plot
    assert [(name, round(float(tall))) for name, tall in bars] == [
        ("asked", 120),
        ("fading", 60),
        ("asked", 107),
        ("dormant", 107),
    ]
    assert "partially approved: 6 episodes, 2 entities, 0 archived" in page


def test_what_is_said_twice_leads_to_both_places(home: Home) -> None:
    said = "The harbour office closes at noon on Fridays."
    for minute in (10, 20):
        home.type(
            f"memory/episodes/2026-02-{minute}.md",
            f"# 2026-02-{minute}\n\n## 10:{minute} | event | confidence:high\n{said}\n",
        )
    with Visitor(home.root) as visitor:
        page = visitor.see("/health")
        told = page.split("What is said twice")[1].partition("</details>")[0]
        ways = re.findall(r'href="(/memory/[^"]+)"', told)
        opened = [visitor.see(way) for way in ways]

    assert len(ways) == 2
    assert all(said in each for each in opened)


def test_files_are_checked_only_when_asked_for(home: Home) -> None:
    home.type(ALEX, "---\ntype: [\n---\n# Alex\n")
    with Visitor(home.root) as visitor:
        unasked, asked = visitor.see("/health"), visitor.see("/health?check=1")

    assert "Check every file" in unasked
    assert "What was found in the files" not in unasked
    assert "What was found in the files" in asked
    assert ALEX in asked.split("What was found in the files")[1]
