"""Conversations: what was said, with its summaries; corrected and deleted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.web.visitor import Visitor
from tests.memory.home import Home

from reverie import Role
from reverie.interfaces.web.views import conversations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROME = "/conversations/trip-to-rome"
FORM = re.compile(
    r'name="number" value="(\d+)">\s*<input type="hidden" name="role" value="(\w+)">'
    r'\s*<input type="hidden" name="shown" value="(\w+)">'
)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "agent")
    yield made
    made.memory.close()


def talk(home: Home) -> None:
    window = home.memory.window("trip-to-rome")
    window.exchange("Where do we stay?", "In **Trastevere**, for three nights.")
    window.note("Rome: three nights in Trastevere.", "What is settled?")
    window.exchange("And <script>then</script>?", "Then Naples.")


def forms(page: str) -> dict[tuple[str, str], dict[str, str]]:
    """What the forms of a page carry, by number and role."""
    return {
        (number, role): {"number": number, "role": role, "shown": shown}
        for number, role, shown in FORM.findall(page)
    }


def test_where_nobody_spoke_it_says_what_will_be_there(home: Home) -> None:
    with Visitor(home.root) as visitor:
        assert "Nothing has been said yet" in visitor.see("/conversations")
        visitor.see(ROME, 404)


def test_a_conversation_is_read_as_a_dialogue_with_its_summaries_apart(
    home: Home,
) -> None:
    talk(home)
    with Visitor(home.root) as visitor:
        listed = visitor.see("/conversations")
        page = visitor.ask("GET", ROME).text

    assert f'href="{ROME}"' in listed
    assert "1 summary" in listed
    assert "<strong>Trastevere</strong>" in page
    assert 'class="turn assistant dream"' in page
    assert "because somebody asked" in page
    assert "&lt;script&gt;then" in page
    assert "<script>then" not in page


def test_a_turn_is_corrected_as_it_was_shown_and_marked(home: Home) -> None:
    talk(home)
    with Visitor(home.root) as visitor:
        form = forms(visitor.see(ROME))["1", "assistant"]
        told = visitor.send(f"{ROME}/edit", back=ROME, text="In Monti.", **form)
        again = visitor.send(f"{ROME}/edit", back=ROME, text="In Prati.", **form)

    assert "Turn 1 is corrected" in told
    assert "In Monti." in told
    assert 'class="tag">edited' in told
    assert "changed meanwhile" in again
    assert "In Prati." not in home.text("conversations/trip-to-rome.md")


def test_a_turn_is_deleted_with_its_other_half_or_alone(home: Home) -> None:
    talk(home)
    with Visitor(home.root) as visitor:
        carried = forms(visitor.see(ROME))
        one = carried["3", "user"]
        visitor.send(f"{ROME}/delete", back=ROME, choice="alone", **one)
        alone = home.memory.turns("trip-to-rome")
        both = visitor.form(ROME, f"{ROME}/delete", number="1", role="user")
        told = visitor.send(f"{ROME}/delete", **{**both, "choice": "pair"})
        again = visitor.send(f"{ROME}/delete", back=ROME, choice="alone", **one)

    assert [(t.number, t.role) for t in alone][-1] == (3, Role.ASSISTANT)
    assert told.count('class="tag">deleted') == 3
    assert "Turn 1 is deleted" in told
    assert "changed meanwhile" in again
    assert [t.number for t in home.memory.turns("trip-to-rome")] == [2, 2, 3]


def test_nothing_is_no_correction_and_no_turn_is_made_up(home: Home) -> None:
    talk(home)
    with Visitor(home.root) as visitor:
        form = forms(visitor.see(ROME))["1", "user"]
        empty = visitor.send(f"{ROME}/edit", back=ROME, text=" \r\n", **form)
        strange = visitor.send(
            f"{ROME}/delete", back=ROME, number="77", role="user", shown="x"
        )

    assert "cannot say nothing" in empty
    assert "There is no such turn" in strange


def test_long_conversations_and_long_lists_come_page_by_page(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations, "TURNS", 4)
    monkeypatch.setattr(conversations, "WINDOWS", 2)
    for name in ("a-boat", "b-boat", "c-boat"):
        home.clock.forward(minutes=1)
        for n in range(3):
            home.memory.window(name).exchange(f"Plank {n}?", f"It holds: {n}.")
    with Visitor(home.root) as visitor:
        newest = visitor.see("/conversations/a-boat")
        older = visitor.see("/conversations/a-boat?page=2")
        odd = visitor.see("/conversations/a-boat?page=-9e9")
        meant = visitor.see("/conversations/a-boat?turn=turn-1-assistant")
        lost = visitor.see("/conversations/a-boat?turn=turn-9-assistant")
        first, second = (visitor.see(f"/conversations?page={n}") for n in (1, 2))

    assert "Plank 0?" not in newest
    assert "Plank 2?" in newest
    assert "Plank 0?" in older
    assert "Plank 2?" not in older
    assert "Plank 2?" in odd
    assert 'id="turn-1-assistant"' in meant
    assert "Plank 2?" in lost
    assert re.findall(r">([abc])-boat<", first) == ["c", "b"]
    assert re.findall(r">([abc])-boat<", second) == ["a"]


def test_a_summary_that_is_being_written_is_told(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(home)
    claimed = "reverie.conversation.sitting.Sittings.claims"
    monkeypatch.setattr(claimed, lambda *_: True)
    with Visitor(home.root) as visitor:
        assert "reflecting…" in visitor.see("/conversations")
        assert "Reflecting…" in visitor.see(ROME)
