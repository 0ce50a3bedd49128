"""Episodes: only new ones, the oldest first, none of them skipped or read twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.reflection.surveyed import Surveyed, source, texts, tokens

from reverie.reflection.cycle import Tracked
from reverie.reflection.survey import EPISODES, MARK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 2, 10, 12, 0, tzinfo=UTC)
MONDAY = datetime(2026, 2, 9, 3, 0, tzinfo=UTC)
LONG = "We spoke about the boat and the weather and all that it would take. " * 12
"""About 200 tokens."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Surveyed]:
    made = Surveyed(tmp_path / "agent", NOW)
    yield made
    made.home.memory.close()


def ago(**before: float) -> datetime:
    return NOW - timedelta(**before)


def test_the_first_reflection_reads_the_last_seven_days(place: Surveyed) -> None:
    place.tell(ago(days=30), "Long ago.")
    place.tell(ago(days=7, minutes=1), "Just too old.")
    place.tell(ago(days=6), "This week.")
    place.tell(ago(hours=1), "Today.")

    seen = place.survey(Tracked())

    assert seen.first
    assert texts(seen) == ["This week.", "Today."]
    assert seen.read_until == ago(hours=1)
    assert place.waiting(Tracked()) == 2


def test_history_that_was_imported_is_not_of_this_week(place: Surveyed) -> None:
    place.tell(ago(days=400), "Of another life.", told=NOW)

    assert texts(place.survey(Tracked())) == []
    assert place.waiting(Tracked()) == 0


def test_afterwards_only_what_is_later_is_read(place: Surveyed) -> None:
    place.tell(MONDAY - timedelta(days=1), "Before.")
    place.tell(MONDAY, "At that very moment.")
    place.tell(MONDAY + timedelta(minutes=1), "After.")

    seen = place.survey(Tracked(MONDAY))

    assert not seen.first
    assert seen.since == MONDAY
    assert texts(seen) == ["After."]
    assert place.waiting(Tracked(MONDAY)) == 1


def test_it_goes_on_where_the_last_one_stopped_reading(place: Surveyed) -> None:
    place.tell(ago(days=3), "Read.")
    place.tell(ago(days=2), "Did not fit.")

    seen = place.survey(Tracked(ago(days=1), ago(days=3)))

    assert texts(seen) == ["Did not fit."]


def test_what_is_still_to_come_waits(place: Surveyed) -> None:
    place.tell(NOW, "Now.")
    place.tell(NOW + timedelta(days=1), "Tomorrow.")

    assert texts(place.survey(Tracked(MONDAY))) == ["Now."]
    assert place.waiting(Tracked(MONDAY)) == 1


def test_nothing_new_is_no_moment(place: Surveyed) -> None:
    seen = place.survey(Tracked(MONDAY))

    assert seen.episodes == ()
    assert seen.read_until is None
    assert source(seen, EPISODES).why == ""


def test_an_episode_is_seen_with_all_that_its_heading_says(place: Surveyed) -> None:
    id_ = place.tell(ago(hours=2), "Mira fixed the mast.")

    (each,) = place.survey(Tracked(MONDAY)).episodes

    assert (each.id, each.kind, each.tags) == (id_, "task", ("news",))
    assert each.path == "memory/episodes/2026-02-10.md"
    assert (each.at, each.origin) == (ago(hours=2), "owner")
    assert 0 < each.score <= 1


def test_the_oldest_are_read_and_the_rest_is_told(place: Surveyed) -> None:
    for hour in range(30):
        place.tell(ago(hours=30 - hour), f"{hour}: {LONG}")

    seen = place.survey(Tracked(MONDAY), tokens(3000))

    found = source(seen, EPISODES)
    assert [text.partition(":")[0] for text in texts(seen)] == ["0", "1", "2", "3"]
    assert seen.read_until == ago(hours=27)
    assert (found.read, found.left_out) == (4, 26)
    assert found.why == "26 episodes of 2026-02-09 to 2026-02-10"
    assert found.tokens <= found.budget == 1000


def test_many_reflections_read_everything_once(place: Surveyed) -> None:
    expected = []
    for number in range(40):
        at = MONDAY + timedelta(minutes=7 * number // 3)
        expected.append(place.tell(at + timedelta(hours=1), f"{number}: {LONG}"))
    last, read = Tracked(MONDAY), []
    waiting = place.waiting(last)

    for _ in range(20):
        seen = place.survey(last, tokens(6000))
        read += [each.id for each in seen.episodes]
        last = Tracked(MONDAY + timedelta(hours=2), seen.read_until or last.read_until)

    assert waiting == 40
    assert read == expected
    assert place.waiting(last) == 0


def test_those_of_one_minute_come_together_or_not_at_all(place: Surveyed) -> None:
    place.tell(ago(hours=3), LONG)
    for number in range(5):
        place.tell(ago(hours=2), f"{number}: {LONG}")

    seen = place.survey(Tracked(MONDAY), tokens(3000))

    assert len(seen.episodes) == 1
    assert source(seen, EPISODES).left_out == 5
    then = place.survey(Tracked(MONDAY, seen.read_until), tokens(4500))
    assert len(then.episodes) == 5


def test_a_minute_that_can_never_fit_is_read_in_parts(place: Surveyed) -> None:
    expected = [place.tell(ago(hours=2), f"{n}: {LONG}") for n in range(12)]
    last, read = Tracked(MONDAY), []

    for _ in range(4):
        seen = place.survey(last, tokens(3000))
        read += [each.id for each in seen.episodes]
        last = Tracked(MONDAY, seen.read_until or last.read_until)

    assert read == expected


def test_what_comes_into_the_same_minute_later_is_read_too(place: Surveyed) -> None:
    place.tell(NOW, "First.")
    seen = place.survey(Tracked(MONDAY))
    place.tell(NOW, "Second.")

    then = place.survey(Tracked(NOW, seen.read_until))

    assert texts(then) == ["Second."]


def test_an_episode_too_long_is_clipped_if_it_is_the_first(place: Surveyed) -> None:
    id_ = place.tell(ago(hours=5), LONG * 10)
    place.tell(ago(hours=4), "After that.")

    seen = place.survey(Tracked(MONDAY), tokens(3000))

    (each,) = seen.episodes
    assert each.text.endswith(MARK)
    assert seen.read_until == ago(hours=5)
    assert source(seen, EPISODES).left_out == 1
    assert source(seen, EPISODES).why == (
        f"1 episode of 2026-02-10 and the end of {id_}"
    )


def test_an_episode_too_long_waits_if_it_is_not(place: Surveyed) -> None:
    place.tell(ago(hours=5), "Before that.")
    place.tell(ago(hours=4), LONG * 10)

    seen = place.survey(Tracked(MONDAY), tokens(3000))

    assert texts(seen) == ["Before that."]
    assert seen.read_until == ago(hours=5)


def test_what_was_told_later_counts_by_when_it_was_told(place: Surveyed) -> None:
    place.tell(ago(days=40), "Told before.", told=ago(days=3))
    id_ = place.tell(ago(days=40), "Told today.", told=NOW)
    last = Tracked(MONDAY)

    seen = place.survey(last)

    assert [each.id for each in seen.episodes] == [id_]
    assert place.waiting(last) == 1
    assert seen.read_until is not None
    assert seen.read_until.date() == NOW.date()


def test_what_was_told_later_is_read_in_parts_too(place: Surveyed) -> None:
    ids = {
        place.tell(ago(days=60 - n // 2), f"{n}: {LONG}", told=ago(days=1))
        for n in range(20)
    }
    last, read = Tracked(MONDAY - timedelta(days=2)), []

    for _ in range(8):
        seen = place.survey(last, tokens(6000))
        read += [each.id for each in seen.episodes]
        last = Tracked(NOW, seen.read_until or last.read_until)

    assert sorted(read) == sorted(ids)


def test_told_after_the_reflection_of_that_day_is_not_lost(place: Surveyed) -> None:
    place.tell(ago(hours=11), "An ordinary night.")
    last = Tracked(ago(hours=9), ago(hours=11))
    place.tell(ago(days=40), "Told in the afternoon.", told=NOW)

    seen = place.survey(last)

    assert texts(seen) == ["Told in the afternoon."]
    assert seen.read_until == last.read_until, "it must never go back"


def test_what_may_have_been_read_takes_a_part_of_the_room(place: Surveyed) -> None:
    for number in range(20):
        place.tell(ago(days=40 + number), f"{number}: {LONG}", told=NOW)
    for number in range(20):
        place.tell(ago(hours=2, minutes=number), f"New {number}: {LONG}")
    last = Tracked(ago(hours=9), ago(hours=11))

    seen = place.survey(last, tokens(12_000))

    found = source(seen, EPISODES)
    new = [text for text in texts(seen) if text.startswith("New")]
    assert len(new) > len(seen.episodes) // 2 > 0
    assert found.read + found.left_out == 40
    assert found.why.endswith("told late, which may have been read before")


def test_what_was_recalled_meanwhile_is_not_lost(place: Surveyed) -> None:
    late = place.tell(ago(days=40), "Told today.", told=NOW)
    old = place.tell(ago(days=39), "Read long ago.")
    for id_ in (late, old):
        place.touch(id_, accesses=3, last_accessed=NOW)

    assert texts(place.survey(Tracked(MONDAY))) == ["Told today."]


def test_what_was_forgotten_is_never_read(place: Surveyed) -> None:
    late = place.tell(ago(days=40), "Told today.", told=NOW)
    new = place.tell(ago(hours=2), "A secret wish.")
    place.touch(new, archived=True)
    place.touch(late, archived=True)

    for last in (Tracked(), Tracked(MONDAY)):
        assert texts(place.survey(last)) == []
        assert place.waiting(last) == 0
