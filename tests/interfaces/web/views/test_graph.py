"""The graph: the part of it that matters, drawn and as a table."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.web.visitor import Visitor
from tests.memory.home import Clock, Home

from reverie import Memory, Semantic
from reverie.interfaces.web.drawing import (
    Box,
    Circle,
    box_of,
    labelled,
    laid_out,
    size_for,
)
from reverie.interfaces.web.views import graph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """Three who are linked, and one who is not."""
    # The service goes by the clock on the wall.
    made = Home(tmp_path / "agent", Clock(datetime.now(UTC)))
    links = {"mira": ("sister of", "person--teo"), "teo": ("builds", "tool--loom")}
    for name, link in links.items():
        place = Semantic(f"person--{name}", links=(link,))
        made.memory.remember(f"{name.title()} is here.", place)
    for name in ("tool--loom", "place--graz"):
        made.memory.remember(f"{name} is known.", Semantic(name))
    yield made
    made.memory.close()


def rows(page: str) -> list[str]:
    """Names in the table, in order."""
    return re.findall(r'<th scope="row"><a[^>]*>([^<]*)</a>', page)


def test_an_empty_graph_says_what_will_be_here(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    with Visitor(home.root) as visitor:
        page = visitor.see("/graph")

    assert "Here you will see whom and what your agent knows" in page
    assert "<circle" not in page


def test_entities_are_drawn_with_what_links_them_and_lead_to_their_pages(
    home: Home,
) -> None:
    with Visitor(home.root) as visitor:
        page = visitor.see("/graph")
        drawn = page.split('role="group"')[1].partition("</svg>")[0]
        first = re.search(r'<a href="(/memory/[^"]+)"', drawn)
        assert first is not None
        opened = visitor.see(first[1])

    assert drawn.count("<circle") == 4
    assert drawn.count("<line") == 2
    assert "Mira, sister of: Teo" in drawn
    assert sorted(rows(page)) == ["Graz", "Loom", "Mira", "Teo"]
    assert "What is known" in opened


def test_it_is_narrowed_to_a_type_a_status_and_a_neighbourhood(home: Home) -> None:
    with Visitor(home.root) as visitor:
        people = rows(visitor.see("/graph?type=person"))
        around = rows(visitor.see("/graph?around=Mira"))
        dormant = visitor.see("/graph?status=dormant")

    assert sorted(people) == ["Mira", "Teo"]
    assert around == ["Mira", "Teo"]
    assert "Nothing is like this." in dormant


@pytest.mark.parametrize(
    ("asked", "status"), [("status=lost", 400), ("around=nobody", 200)]
)
def test_what_there_is_not_is_told_in_words(
    home: Home, asked: str, status: int
) -> None:
    with Visitor(home.root) as visitor:
        page = visitor.see(f"/graph?{asked}", status)

    assert "lost" in page or "Nobody and nothing is called nobody." in page


def test_what_fades_is_paler_and_what_is_archived_is_asked_for(home: Home) -> None:
    home.memory.pin("entity:place--graz")
    home.clock.forward(days=20)
    home.memory.reinforce(["entity:person--mira"])
    home.clock.forward(days=40)
    later = dict(zip(*shades(home.memory, ""), strict=True))
    home.clock.forward(days=400)
    left, gone = (shades(home.memory, which)[0] for which in ("", "archived"))

    assert later["Graz"] == 1 > later["Mira"] > later["Loom"]
    assert left == ["Graz"]
    assert sorted(gone) == ["Loom", "Mira", "Teo"]


def shades(memory: Memory, status: str) -> tuple[list[str], list[float]]:
    """Names and shades of what is drawn."""
    dots = graph.look(memory, {"status": status})["pictures"][0].dots
    return [dot.node.label for dot in dots], [dot.shade for dot in dots]


def test_of_many_the_most_linked_are_shown_and_it_says_of_how_many(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "MOST", 2)
    with Visitor(home.root) as visitor:
        page = visitor.see("/graph")

    assert "2 of 4, the most vivid and most linked" in page
    assert rows(page) == ["Teo", "Mira"]
    assert page.count("<line") == 2  # in the picture for a phone as well


def test_a_phone_has_a_picture_of_its_own_of_those_that_matter_most(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "NARROW", 2)
    with Visitor(home.root) as visitor:
        page = visitor.see("/graph?around=Teo")
    broad, narrow = page.split('class="picture ')[1:]

    assert broad.startswith("broad")
    assert broad.partition("</svg>")[0].count("<circle") == 3
    assert narrow.startswith("narrow")
    drawn = narrow.partition("</svg>")[0]
    assert drawn.count("<circle") == 2
    assert "Teo, person, active" in drawn
    assert "The 2 most vivid and most linked; all others are below." in narrow


def test_no_label_covers_another_or_a_circle() -> None:
    count, edges = 60, tuple((0, other) for other in range(1, 30))
    size = size_for(count)
    points = laid_out(count, edges, size)
    circles = tuple(Circle("a name of some length", at, 8.0) for at in points)
    labels = [label for label in labelled(size, circles, ())[0] if label]
    boxes = [Box(x - 8, y - 8, x + 8, y + 8) for x, y in points]

    assert len(labels) > 30
    for box in map(box_of, labels):
        assert not any(box.meets(other) for other in boxes)
        boxes.append(box)
    assert laid_out.__wrapped__(count, edges, size) == points
