"""Days are the user's: logs, ids, facts and questions, in the zone of the workspace."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.memory.home import CONFIG, DAY, SCORES, Home

from reverie import Episodic, Semantic, Store
from reverie.config import ConfigError, parse_config
from reverie.dates import at_home
from reverie.model.items import Episode
from reverie.reflection.scope import Scope
from reverie.reflection.survey import survey
from reverie.reflection.unread import since
from reverie.stores.episodes import parse_day

if TYPE_CHECKING:
    from pathlib import Path

    from reverie import Memory

EVENING = datetime(2026, 11, 17, 4, 31, tzinfo=UTC)
"""In Los Angeles it is 20:31 on the 16th."""

EPISODES = "memory/episodes"
NUMBERS = count(1)
ZONES = (
    *("UTC", "America/Los_Angeles", "Europe/Berlin", "Asia/Kolkata", "Asia/Tokyo"),
    *("Pacific/Auckland", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Africa/Monrovia"),
)


def abroad(home: Home, zone: str, now: datetime = EVENING) -> Memory:
    home.clock.now = now
    return home.reopen(TZ=zone)


def kept(memory: Memory, id_: str) -> datetime:
    """The moment of an episode, as its file says it."""
    entry = memory._session.index.find(id_)  # noqa: SLF001 - tests look behind the door
    assert entry is not None
    assert entry.store is Store.EPISODIC
    return datetime.fromtimestamp(entry.at or 0, UTC)


def archived(home: Home) -> list[str]:
    return [id_ for id_, trace in home.state()[1].items() if trace.archived]


def test_in_los_angeles_an_evening_goes_to_its_own_day(home: Home) -> None:
    memory = abroad(home, "America/Los_Angeles")

    (id_,) = memory.remember("Ran along the beach.", Episodic()).ids

    assert id_ == "episode:2026-11-16:20:31"
    assert "## 20:31 | event | " in home.text(f"{EPISODES}/2026-11-16.md")
    assert " | offset:-08:00" in home.text(f"{EPISODES}/2026-11-16.md")
    assert kept(memory, id_) == EVENING
    assert home.disagreements() == []


def test_in_utc_nothing_is_said_of_an_offset(home: Home) -> None:
    abroad(home, "UTC").remember("Ran along the canal.", Episodic())

    assert "offset" not in home.text(f"{EPISODES}/2026-11-17.md")


@pytest.mark.parametrize(
    ("zone", "day"),
    [("America/Los_Angeles", "2026-11-16"), ("Pacific/Auckland", "2026-11-17")],
)
def test_facts_and_pages_have_the_days_of_the_user(
    home: Home, zone: str, day: str
) -> None:
    memory = abroad(home, zone)

    memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    page = home.text("memory/graph/entities/person--alex.md")

    assert f"Created: {day}" in page
    assert f"since: {day}" in page
    assert home.disagreements() == []


def test_a_pin_and_a_score_outlive_a_rebuild_where_the_day_has_begun(
    home: Home,
) -> None:
    """In Auckland it is the 17th already, while the commit is of the 16th."""
    memory = abroad(home, "Pacific/Auckland", EVENING - timedelta(hours=12))
    memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    memory.forget(memory.find_to_forget("Alex").matches)

    assert "entity:person--alex" in archived(home)
    home.memory.rebuild()
    assert "entity:person--alex" in archived(home)
    assert home.disagreements() == []


def test_yesterday_is_the_users(home: Home) -> None:
    memory = abroad(home, "America/Los_Angeles", EVENING - timedelta(days=1))
    memory.remember("Planted the lemon tree.", Episodic())
    home.clock.now = EVENING - timedelta(hours=20)  # half past midnight on the 16th
    memory.remember("Slept badly.", Episodic())
    home.clock.now = EVENING

    hits = memory.recall("what did we do yesterday").hits

    assert [hit.text for hit in hits][:1] == ["Planted the lemon tree."]
    assert any("happened in" in why for why in hits[0].why)
    assert f"{hits[0].at:%Y-%m-%d %H:%M}" == "2026-11-15 20:31"


def test_a_moment_given_in_utc_asks_for_the_users_day(home: Home) -> None:
    memory = abroad(home, "America/Los_Angeles")
    memory.remember("Ran along the beach.", Episodic())

    found = memory.recall("what happened today", now=EVENING)

    assert found.understood.times == ("today: 2026-11-16 to 2026-11-17",)
    assert found.hits[0].id == "episode:2026-11-16:20:31"


def test_a_fact_of_a_day_is_found_by_that_day_far_in_the_east(home: Home) -> None:
    """A day without an hour is noon in UTC, which is tomorrow in Kiritimati."""
    memory = abroad(home, "Pacific/Kiritimati")
    memory.remember("Lives in Berlin", Semantic("Alex", "person"))

    (hit,) = memory.recall("what do we know of Alex as of today").hits

    assert any("happened in" in why for why in hit.why)
    assert str(hit.at)[:10] == "2026-11-17"


def test_the_named_zone_is_that_of_the_workspace(home: Home) -> None:
    home.type(CONFIG, '[workspace]\ntimezone = "Asia/Tokyo"\n')
    memory = abroad(home, "America/Los_Angeles")

    (id_,) = memory.remember("Ate an onigiri.", Episodic()).ids

    assert id_ == "episode:2026-11-17:13:31"
    assert memory.config.workspace.timezone == "Asia/Tokyo"


@pytest.mark.parametrize("name", ["Europe/Berln", "Mars/Base", "../etc/passwd", "+1"])
def test_a_zone_that_is_none_is_an_error_that_says_where(name: str) -> None:
    with pytest.raises(ConfigError, match=r"workspace\.timezone") as caught:
        parse_config(f'[workspace]\ntimezone = "{name}"\n', CONFIG, {})

    assert "Europe/Berlin" in str(caught.value.hint)


def test_an_old_workspace_keeps_its_ids_and_moments(home: Home) -> None:
    memory = abroad(home, "UTC")
    (old,) = memory.remember("Chose the hybrid approach.", Episodic()).ids
    before = home.text(f"{EPISODES}/2026-11-17.md")

    memory = home.reopen(TZ="America/Los_Angeles")
    (new,) = memory.remember("Ran along the beach.", Episodic()).ids

    assert home.text(f"{EPISODES}/2026-11-17.md") == before
    assert (old, new) == ("episode:2026-11-17:04:31", "episode:2026-11-16:20:31")
    assert kept(memory, old) == kept(memory, new) == EVENING
    assert home.disagreements() == []


def test_an_hour_that_comes_twice_loses_nothing(home: Home) -> None:
    """In Berlin it is half past two twice on 25 October 2026."""
    memory = abroad(home, "Europe/Berlin", datetime(2026, 10, 25, 0, 30, tzinfo=UTC))
    (first,) = memory.remember("The dog barked.", Episodic()).ids
    home.clock.forward(hours=1)
    (second,) = memory.remember("The cat came home.", Episodic()).ids

    assert first == "episode:2026-10-25:02:30"
    assert second == "episode:2026-10-25:02:30~2"
    assert kept(memory, second) - kept(memory, first) == timedelta(hours=1)
    assert home.disagreements() == []


def test_what_was_told_late_says_the_users_day(home: Home) -> None:
    memory = abroad(home, "America/Los_Angeles")
    summer = datetime(2026, 7, 4, 2, 0, tzinfo=UTC)

    (id_,) = memory.remember("Saw the fireworks.", Episodic(at=summer)).ids

    assert id_ == "episode:2026-07-03:19:00"
    line = home.text(f"{EPISODES}/2026-07-03.md").splitlines()[2]
    assert "offset:-07:00" in line
    assert "noted:2026-11-16" in line


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Auckland"])
def test_a_document_that_says_a_day_means_the_users_day(
    home: Home, tmp_path: Path, zone: str
) -> None:
    note = tmp_path / "2025-05-08-standup.md"
    note.write_text("# Standup\n\nThe heron stood in the pond.\n", encoding="utf-8")
    memory = abroad(home, zone)

    report = memory.import_from(note)
    twice = memory.import_from(note)
    (hit, *_) = memory.recall("what did the heron do on 8 May 2025").hits

    assert (report.added, twice.added) == (1, 0)
    assert hit.id == "episode:2025-05-08:12:00"
    assert any("happened in" in why for why in hit.why)


def test_a_conversation_is_told_at_the_users_hour(home: Home) -> None:
    memory = abroad(home, "America/Los_Angeles")
    memory.window("beach").say("The waves were high today.")

    assert "2026-11-16 20:31 · " in memory.window("beach").wake().text
    (turn,) = memory.window("beach").turns()
    assert turn.at == EVENING
    memory.close()
    record = next(home.root.rglob("beach*.md"))
    assert "2026-11-17 04:31:00" in record.read_text("utf-8")


def test_going_back_names_the_users_time(home: Home) -> None:
    memory = abroad(home, "America/Los_Angeles")
    memory.remember("Ran along the beach.", Episodic())
    home.clock.forward(hours=1)
    memory.remember("Had a taco.", Episodic())

    receipt = memory.restore(EVENING + timedelta(minutes=1))

    assert "as of 2026-11-17T04:32Z" in receipt.lines[0].summary


@pytest.mark.parametrize("zones", [("Asia/Tokyo", "America/Los_Angeles"), ZONES[1::-1]])
def test_a_reflection_misses_nothing_when_the_zone_changes(
    home: Home, zones: tuple[str, str]
) -> None:
    memory = abroad(home, zones[0])
    memory.remember("Before the flight.", Episodic())
    home.clock.forward(minutes=5)
    done = f'{{"last_reflection": "{home.clock.now.isoformat()}"}}'
    home.type(SCORES, done)
    memory = home.reopen(TZ=zones[1])
    for n in range(3):
        home.clock.forward(hours=5)
        memory.remember(f"After the flight, {n}.", Episodic())
    summer = datetime(2026, 7, 4, 2, 0, tzinfo=UTC)
    memory.remember("Told late.", Episodic(at=summer))

    session, tracked = memory._session, memory.reflection._store.tracked()  # noqa: SLF001
    now = session.clock()
    scope = Scope(session.ledger.read, since(tracked, now))
    seen = survey(session.index, scope, session.config, now, tracked)

    told = {each.text for each in seen.episodes}
    assert told == {*(f"After the flight, {n}." for n in range(3)), "Told late."}


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(ZONES), st.integers(-180, 60 * 36)),
        min_size=2,
        max_size=5,
    )
)
def test_wherever_one_lives_nothing_is_lost_and_the_order_stays(
    home: Home, moves: list[tuple[str, int]]
) -> None:
    """Zones that change, hours that come twice, and a clock that is set back."""
    home.clock.now = datetime(2026, 10, 24, 22, 0, tzinfo=UTC)
    made: dict[str, datetime] = {}
    for zone, minutes in moves:
        home.clock.forward(minutes=minutes)
        memory = home.reopen(TZ=zone)
        (id_,) = memory.remember(f"No. {next(NUMBERS)}", Episodic()).ids
        local = at_home(home.clock.now, ZoneInfo(zone))
        assert id_.startswith(f"episode:{local:%Y-%m-%d:%H:%M}")
        assert id_ not in made
        made[id_] = home.clock.now.replace(second=0, microsecond=0)

    home.memory.rebuild()

    assert {id_: kept(home.memory, id_) for id_ in made} == made
    assert home.disagreements() == []


@given(
    st.datetimes(datetime(1971, 1, 1), datetime(2199, 1, 1)),  # noqa: DTZ001 - Hypothesis
    st.sampled_from(ZONES),
)
def test_a_moment_at_home_is_the_same_moment(naive: datetime, zone: str) -> None:
    moment = naive.replace(tzinfo=UTC)

    here = at_home(moment, ZoneInfo(zone))

    assert here == moment
    offset = here.utcoffset()
    assert offset is not None
    assert offset % timedelta(minutes=1) == timedelta()
    assert abs(here.replace(tzinfo=UTC) - moment - offset) == timedelta()


# --- days without an hour, and corrections ------------------------------------------


def entries(home: Home, path: str) -> list[Episode]:
    """The episodes of a day's file, in the order written."""
    found = (entry.item for entry in parse_day(home.text(path), path).entries)
    return [item for item in found if isinstance(item, Episode)]


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "America/Los_Angeles"])
def test_an_entry_of_a_day_alone_has_no_time_in_any_zone(
    tmp_path: Path, zone: str
) -> None:
    home = Home(tmp_path / "agent", TZ=zone)

    done = home.memory.remember("Dentist.", Episodic(at=date(2026, 11, 5)))

    path = "memory/episodes/2026-11-05.md"
    assert done.ids == ("episode:2026-11-05:12:00",)
    assert "## 12:00 | event | confidence:high | tags:[]" in home.text(path)
    assert "time:unknown" in home.text(path)
    (entry,) = entries(home, path)
    assert not entry.timed
    assert home.memory.check() == []
    assert home.memory.recall("dentist on 2026-11-05").hits[0].id == done.ids[0]
    home.memory.close()


def test_an_entry_of_today_has_the_time_of_recording(home: Home) -> None:
    home.clock.forward(hours=6, minutes=10)

    done = home.memory.remember("Dentist.", Episodic(at=date(2026, 2, 2)))

    assert done.ids == ("episode:2026-02-02:18:10",)
    assert entries(home, DAY)[0].timed


def test_a_correction_keeps_the_day_and_the_order_of_what_happened(
    home: Home,
) -> None:
    for hour, what in ((9, "Took the bus."), (15, "Met Ana.")):
        at = datetime(2026, 1, 20, hour, tzinfo=UTC)
        home.memory.remember(what, Episodic(at=at, tags=("trip",)))

    done = home.memory.correct("bus", "Took the train.")

    path = "memory/episodes/2026-01-20.md"
    assert done.ids == ("episode:2026-01-20:09:00~2",)
    held = [e for e in entries(home, path) if "corrected" not in dict(e.more)]
    in_order = sorted(held, key=lambda e: e.at)
    assert [e.text for e in in_order] == ["Took the train.", "Met Ana."]
    assert in_order[0].tags == ("trip",)
    assert dict(in_order[0].more)["noted"] == "2026-02-02"
    assert home.disagreements() == []


def test_a_correction_of_a_day_without_an_hour_has_none_either(home: Home) -> None:
    home.memory.remember("Dentist.", Episodic(at=date(2026, 3, 5)))

    home.memory.correct("dentist", "Eye doctor.")

    _, fixed = entries(home, "memory/episodes/2026-03-05.md")
    assert (fixed.text, fixed.timed) == ("Eye doctor.", False)


def test_a_correction_stays_in_its_log_when_the_zone_has_changed(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path / "agent", TZ="Pacific/Auckland")
    (old,) = home.memory.remember("Took the bus.", Episodic()).ids
    home.reopen(TZ="America/Los_Angeles")

    done = home.memory.correct(old, "Took the train.")

    assert done.ids == (f"{old}~2",)
    home.memory.close()


def test_an_observation_and_a_tool_call_with_a_day_have_no_time(home: Home) -> None:
    home.memory.observe([{"text": "Dentist.", "day": "2026-03-05"}])

    assert not entries(home, "memory/episodes/2026-03-05.md")[0].timed
