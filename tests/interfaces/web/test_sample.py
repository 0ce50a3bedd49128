"""The sample workspace: a month that was lived, and that waits for a decision."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import copy_workspace

from reverie import Memory
from reverie.interfaces.web.sample import Life, Story, make_sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MONTH = timedelta(days=30)


@pytest.fixture
def memory(sample: Path, tmp_path: Path) -> Iterator[Memory]:
    copy_workspace(sample, tmp_path / "agent")
    with Memory(tmp_path / "agent") as opened:
        opened.tidy_on_close = False
        yield opened


def test_a_sample_has_lived_for_a_month(memory: Memory) -> None:
    changes = memory.history()

    assert changes[0].at - changes[-1].at > MONTH
    assert len({each.at.date() for each in changes}) >= 20
    whose = {str(each.actor).partition(":")[0] for each in changes}
    assert whose == {"manual", "bot", "subagent", "reflection", "system"}


def test_everything_in_a_sample_is_in_the_past(memory: Memory) -> None:
    now = datetime.now(UTC)
    turns = [t.at for w in memory.windows() for t in memory.turns(w.name) if t.at]

    assert max(each.at for each in memory.history()) < now
    assert max(turns) < now
    assert max(each.created for each in memory.items()) < now


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "America/Los_Angeles"])
@pytest.mark.parametrize("hour", [0, 1, 3, 12, 23])
def test_the_story_ends_before_now_at_any_hour(
    zone: str, hour: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        now = datetime(2026, 3, 29, hour, 5, tzinfo=UTC)
        moments = list(Story(now).moments())
    finally:
        monkeypatch.undo()
        time.tzset()

    assert max(moment.at for moment in moments) < now
    # It is told in the order in which it happens.
    assert moments == sorted(moments, key=lambda moment: moment.at)


def test_a_sample_has_something_of_every_kind_that_waits(memory: Memory) -> None:
    waiting = memory.waiting()

    assert memory.reflection.status().state == "pending"
    assert [each.page for each in memory.contradictions()] == ["entity:person--mira"]
    assert [bool(each.clashes) for each in waiting] == [False, True]
    assert len(memory.pairs()) == 1
    assert [alert.path for alert in memory.alerts()] == ["IDENTITY.md"]


def test_a_sample_checks_clean(memory: Memory) -> None:
    assert memory.check() == []
    assert not any("[redacted" in each.text for each in memory.items())


def test_a_sample_has_memories_of_every_standing(memory: Memory) -> None:
    counted = Counter(str(each.status) for each in memory.items() if each.status)

    assert {"active", "fading", "dormant", "archived"} <= counted.keys()
    assert any(each.pinned for each in memory.items())


def test_a_sample_is_one_picture(memory: Memory) -> None:
    part = memory.entities.part()
    near: dict[str, set[str]] = {node.name: {node.name} for node in part.nodes}
    for edge in part.edges:
        joined = near[edge.origin] | near[edge.target]
        for name in joined:
            near[name] = joined

    assert 14 <= len(part.nodes) <= 18
    assert len(near["person--user"]) == len(part.nodes)


def test_a_sample_was_thought_about_on_several_days(memory: Memory) -> None:
    days = [day for day in memory.health().spending.days if day.cost.tokens]

    assert len(days) >= 3


def test_a_sample_made_where_another_was_misses_nothing(
    sample: Path, tmp_path: Path
) -> None:
    copy_workspace(sample, tmp_path / "agent")
    shutil.rmtree(tmp_path / "agent")

    make_sample(tmp_path / "agent")

    with Memory(tmp_path / "agent") as memory:
        assert [alert.path for alert in memory.alerts()] == ["IDENTITY.md"]


def test_every_moment_is_something_that_can_be_done() -> None:
    moments = list(Story(datetime.now(UTC)).moments())

    assert all(hasattr(Life, moment.verb) for moment in moments)
    assert not any("{" in "".join(moment.lines) for moment in moments)
