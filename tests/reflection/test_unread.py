"""Which episodes a reflection reads: those that no reflection has read."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.configured import agree_to
from tests.memory.home import NOON, SCORES, Clock, Home
from tests.reflection.dreams import Dream, dreaming

from reverie import Episodic, Occasion, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie.reflection.reflection import Reflection

DAYS = 17


def day(number: int) -> datetime:
    return NOON - timedelta(days=number)


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Home]:
    """A workspace that is 17 days old, with two episodes of each day."""
    home = Home(tmp_path / "agent", Clock(day(DAYS)))
    for number in range(DAYS, 0, -1):
        home.clock.now = day(number)
        for hour in (0, 1):
            at = home.clock.now + timedelta(hours=hour)
            home.memory.remember(f"Day {number}, hour {hour}.", Episodic(at=at))
    home.clock.now = NOON
    dreaming(home, Dream())
    yield home
    home.memory.close()


def decide(reflection: Reflection, words: str = "approve") -> None:
    """Bring the reflection that was begun to its end."""
    reflection.reply("grant")
    standing = reflection.advance()
    assert standing.state == "pending"
    reflection.decide(words, standing.shown)


def read_texts(dream: Dream) -> list[str]:
    """The episodes that the model was shown last."""
    text = next(q.text for q in reversed(dream.asked) if q.operation.endswith("survey"))
    episodes = text.partition("New episodes")[2].partition("</data")[0]
    return [line for line in episodes.split("\n") if line.startswith("Day ")]


def reflect(home: Home, since: date | None = None) -> list[str]:
    """Go through a whole reflection; return the episodes that it read."""
    dream = Dream([])
    reflection = dreaming(home, dream).reflection
    reflection.begin(since=since)
    decide(reflection)
    return read_texts(dream)


def test_older_episodes_are_read_by_the_next_reflection(lived: Home) -> None:
    first = reflect(lived)
    assert lived.memory.reflection.status().backlog == 2 * (DAYS - 7) + 1

    lived.clock.forward(days=1)
    lived.memory.remember("Day 0, hour 24.", Episodic(at=lived.clock.now))
    second = reflect(lived)

    assert len(first) == 2 * 7 - 1
    assert len(second) == 2 * (DAYS - 7) + 1 + 1
    assert set(first).isdisjoint(second)
    assert lived.memory.reflection.status().backlog == 0
    lived.clock.forward(days=1)
    assert reflect(lived) == []


def test_older_episodes_are_read_in_parts_and_each_once(lived: Home) -> None:
    read = reflect(lived)
    agree_to(lived.root, REVERIE_REFLECTION_INPUT_TOKENS="1500")
    for count in range(6):
        lived.clock.forward(days=1)
        dream = Dream([])
        memory = dreaming(lived, dream, REVERIE_REFLECTION_INPUT_TOKENS="1500")
        assert memory.reflection.status().backlog or count > 1
        memory.reflection.begin()
        decide(memory.reflection)
        read += read_texts(dream)

    assert len(read) == len(set(read)) == 2 * DAYS


def test_the_page_counts_older_episodes_and_says_how_to_read_them(lived: Home) -> None:
    reflection = lived.memory.reflection
    reflection.begin()
    reflection.reply("grant")
    page = reflection.advance().says

    oldest = day(DAYS).date()
    assert "21 episodes of" in page
    assert f"reverie reflect --since {oldest}" in page


def test_notes_do_not_count_as_older_episodes(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    for name in ("SOUL.md", "USER.md", "TOOLS.md"):
        home.type(name, "Be kind.\n")
    memory = dreaming(home, Dream([]))
    memory.remember("We met.", Episodic(at=NOON))
    memory.reflection.begin()
    memory.reflection.reply("grant")
    memory.reflection.advance()

    pending, _ = memory.reflection.pending()

    read = {each.name: each for each in pending.read}["memory/episodes/*"]
    assert (read.read, read.left_out) == (1, 0)
    memory.close()


def test_since_reads_older_episodes_from_that_day_on(lived: Home) -> None:
    reflect(lived)
    lived.clock.forward(days=1)

    found = reflect(lived, since=day(10).date())

    assert {line.partition(",")[0] for line in found} == {
        *("Day 10", "Day 9", "Day 8", "Day 7")
    }
    assert lived.memory.reflection.status().backlog > 0
    lived.clock.forward(days=1)
    assert len(reflect(lived)) == 2 * (DAYS - 10)


def test_since_widens_the_first_reflection(lived: Home) -> None:
    assert len(reflect(lived, since=day(DAYS).date())) == 2 * DAYS


def test_since_names_a_day_that_has_come(lived: Home) -> None:
    with pytest.raises(RefusedError, match="has not come yet"):
        lived.memory.reflection.begin(since=day(-1).date())


def test_a_rejected_reflection_leaves_episodes_unread(lived: Home) -> None:
    reflection = lived.memory.reflection
    reflection.begin()
    decide(reflection, "reject")

    assert len(reflect(lived)) == 2 * 7 - 1


def test_undo_makes_episodes_unread_again(lived: Home) -> None:
    first = reflect(lived)
    lived.clock.forward(hours=1)
    older = reflect(lived)
    lived.memory.undo(session="r-002")
    waiting = lived.memory.reflection.status()
    if waiting.state == "pending":
        lived.memory.reflection.decide("reject", waiting.shown)

    assert len(older) == 2 * (DAYS - 7) + 1
    assert reflect(lived) == older
    assert first


def test_a_workspace_of_an_earlier_version_offers_what_it_left_out(lived: Home) -> None:
    reflect(lived)
    kept = json.loads(lived.text(SCORES))
    del kept["reflection_backlog"]
    lived.type(SCORES, json.dumps(kept, indent=2))
    lived.clock.forward(days=1)

    standing = dreaming(lived, Dream([])).reflection.status()
    assert (standing.waiting, standing.backlog) == (0, 2 * (DAYS - 7))
    found = reflect(lived)

    assert len(found) == 2 * (DAYS - 7)
    assert "Day 1, hour 0." not in found


def test_older_episodes_make_a_reflection_due_at_its_time(lived: Home) -> None:
    reflect(lived)
    reflection = lived.memory.reflection
    assert reflection.offer() is None

    lived.clock.forward(days=1)

    assert reflection.status().waiting == 0
    assert reflection.offer() is Occasion.SCHEDULED


def test_without_a_model_since_reads_older_episodes_too(lived: Home) -> None:
    lived.reopen()
    reflection = lived.memory.reflection
    reflection.begin(since=day(DAYS).date())
    reflection.advance()

    pending, _ = reflection.pending()

    read = {each.name: each for each in pending.read}["memory/episodes/*"]
    assert (read.read, read.left_out) == (2 * DAYS, 0)
