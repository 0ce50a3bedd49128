"""Day logs."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies

from reverie.model.items import Confidence, Entry, Episode, EpisodeKind, Source
from reverie.stores.episodes import (
    EXPECTED,
    DayLog,
    append_episode,
    day_name,
    new_day,
    parse_day,
    parse_more,
    render_episode,
)

DAY = date(2026, 2, 2)
PATH = "memory/episodes/2026-02-02.md"
SEED = """\
# 2026-02-02 — Episode Log

## 14:30 | decision | confidence:high | tags:[memory, architecture]
Discussed memory architecture directions with user. Chose hybrid approach:
multi-store cognitive model + Letta-style core memory always in context.

## 15:45 | preference | confidence:medium | tags:[workflow]
User prefers brainstorming before implementation.
"""
EPISODE = Episode(
    datetime(2026, 2, 2, 14, 30, tzinfo=UTC),
    EpisodeKind.DECISION,
    Confidence.HIGH,
    "Chose the hybrid approach.",
    ("memory", "architecture"),
)


def render_day(log: DayLog) -> str:
    """The text a log was read from."""
    return "".join(part.raw for part in log.parts)


@given(strategies.files)
def test_a_log_gives_back_its_text(text: str) -> None:
    assert render_day(parse_day(text, PATH)) == text
    assert render_day(parse_day(text, "notes.md")) == text


@given(strategies.episodes)
def test_an_episode_survives_being_written_and_read_back(episode: Episode) -> None:
    day = episode.at.date()
    text = new_day(day) + "\n" + render_episode(episode)

    log = parse_day(text, day_name(day))

    assert [entry.item for entry in log.entries] == [episode]
    assert log.findings == ()


def appended(log: DayLog, episode: Episode) -> DayLog:
    """The log after one more episode was written to its text."""
    return parse_day(append_episode(render_day(log), episode), log.path)


@given(strategies.files, st.lists(strategies.episodes, min_size=1, max_size=3))
def test_reading_only_what_was_added_finds_the_same_entries(
    text: str, episodes: list[Episode]
) -> None:
    path = day_name(DAY)
    known = append_episode(text, replace(EPISODE, text="first"))
    whole = known
    for episode in episodes:
        whole = append_episode(whole, replace(episode, at=EPISODE.at))

    more = parse_more(whole, path, known)

    assert more == parse_day(whole, path).entries[-len(episodes) :]


@given(strategies.files, strategies.episodes)
def test_appending_leaves_what_was_there(text: str, episode: Episode) -> None:
    before = parse_day(text, day_name(episode.at.date()))

    after = appended(before, episode)

    assert render_day(after).startswith(text)
    old, new = ([entry.item for entry in log.entries] for log in (before, after))
    assert new == [*old, episode]


@given(st.lists(strategies.episodes, max_size=4))
def test_what_an_episode_says_never_becomes_another(episodes: list[Episode]) -> None:
    episodes = [replace(e, at=EPISODE.at) for e in episodes]
    log = parse_day(new_day(DAY), PATH)
    for episode in episodes:
        log = appended(log, episode)

    assert [entry.item for entry in log.entries] == episodes
    assert log.findings == ()


def test_the_seeds_log_is_read() -> None:
    log = parse_day(SEED, PATH)

    first, second = log.entries
    assert (str(first.id), first.line) == ("episode:2026-02-02:14:30", 3)
    assert (str(second.id), second.line) == ("episode:2026-02-02:15:45", 7)
    assert second.item == Episode(
        datetime(2026, 2, 2, 15, 45, tzinfo=UTC),
        EpisodeKind.PREFERENCE,
        Confidence.MEDIUM,
        "User prefers brainstorming before implementation.",
        ("workflow",),
    )
    assert log.findings == ()


def test_an_episode_is_written_as_in_the_seed() -> None:
    episode = replace(EPISODE, source=Source.USER_EXPLICIT, more=(("scope", "alex"),))

    assert render_episode(episode) == (
        "## 14:30 | decision | confidence:high | tags:[memory, architecture]"
        " | source:user-explicit | scope:alex\nChose the hybrid approach.\n"
    )


def test_a_second_entry_of_the_same_minute_is_named_by_its_order() -> None:
    log = parse_day(new_day(DAY), PATH)
    for _ in range(3):
        log = appended(log, EPISODE)

    assert [entry.id.name for entry in log.entries] == [
        "2026-02-02:14:30",
        "2026-02-02:14:30~2",
        "2026-02-02:14:30~3",
    ]


def test_a_valid_heading_starts_an_entry_even_inside_a_code_fence() -> None:
    text = SEED.replace("\n\n## 15:45", "\n```\n## 15:45")

    assert len(parse_day(text, PATH).entries) == 2


def test_any_other_heading_inside_a_code_fence_is_text() -> None:
    text = SEED + "```\n## not a heading\n```\n"

    log = parse_day(text, PATH)

    assert "## not a heading" in log.entries[-1].text
    assert log.findings == ()


def test_a_heading_typed_wrongly_is_reported_and_the_rest_still_read() -> None:
    for heading, what in [
        ("## lunch", EXPECTED),
        ("##", EXPECTED),
        ("## 9:30 | fact | confidence:high | tags:[]", EXPECTED),
        ("## 09:30 | fact | tags:[]", EXPECTED),
        ("## 25:99 | fact | confidence:high | tags:[]", "25:99 is not a time of day"),
        ("## 09:30 | rumour | confidence:high | tags:[]", "unknown kind 'rumour'"),
        ("## 09:30 | fact | confidence:sure | tags:[]", "unknown confidence 'sure'"),
    ]:
        text = SEED.replace("## 15:45", f"{heading}\nnothing\n\n## 15:45")

        log = parse_day(text, PATH)

        assert [(f.line, f.what) for f in log.findings] == [(7, what)]
        assert [entry.line for entry in log.entries] == [3, 10]


def test_tags_may_be_left_out_by_hand() -> None:
    text = new_day(DAY) + "## 14:30 | fact | confidence:low\nx\n"

    [entry] = parse_day(text, PATH).entries

    assert isinstance(entry.item, Episode)
    assert entry.item.tags == ()


def test_a_source_of_the_users_own_is_kept() -> None:
    text = new_day(DAY) + "## 14:30 | fact | confidence:low | source:radio | new\nx\n"

    [entry] = parse_day(text, PATH).entries

    assert isinstance(entry.item, Episode)
    assert entry.item.more == (("source", "radio"), ("new", ""))


def test_what_is_wrong_with_a_file_is_reported() -> None:
    for text, path, line, what in [
        ("", PATH, 1, "the title does not say 2026-02-02, the day of the file"),
        (
            "# 2026-02-03 — Episode Log\n",
            PATH,
            1,
            "the title does not say 2026-02-02, the day of the file",
        ),
        (
            SEED,
            "memory/episodes/x.md",
            0,
            "the file name is not a day (YYYY-MM-DD.md): it is read as notes",
        ),
        (SEED + "<<<<<<< HEAD\n", PATH, 9, "merge conflict mark"),
    ]:
        assert [(f.line, f.what) for f in parse_day(text, path).findings] == [
            (line, what)
        ]


def test_windows_line_ends_are_kept_and_continued() -> None:
    text = SEED.replace("\n", "\r\n")

    log = appended(parse_day(text, PATH), EPISODE)

    assert "\n" not in render_day(log).replace("\r\n", "")
    assert [e.text for e in log.entries[:2]] == [
        e.text for e in parse_day(SEED, PATH).entries
    ]


def test_an_empty_file_gets_its_title_with_its_first_entry() -> None:
    log = appended(parse_day("", PATH), EPISODE)

    assert render_day(log) == f"{new_day(DAY)}\n{render_episode(EPISODE)}"


def moment(entry: Entry) -> datetime:
    assert isinstance(entry.item, Episode)
    return entry.item.at


def test_an_entry_says_how_far_from_utc_it_was_written() -> None:
    west = timezone(timedelta(hours=-8))
    episode = replace(EPISODE, at=datetime(2026, 2, 2, 20, 31, tzinfo=west))

    log = appended(parse_day(new_day(DAY), PATH), episode)
    (entry,) = log.entries

    assert "## 20:31 | decision | " in entry.raw
    assert " | offset:-08:00" in entry.raw
    assert str(entry.id) == "episode:2026-02-02:20:31"
    assert entry.item == episode
    assert moment(entry) == datetime(2026, 2, 3, 4, 31, tzinfo=UTC)


def test_an_hour_that_comes_twice_gives_two_ids() -> None:
    log = parse_day(new_day(DAY), PATH)
    for hours in (2, 1):
        zone = timezone(timedelta(hours=hours))
        at = datetime(2026, 2, 2, 2, 30, tzinfo=zone)
        log = appended(log, replace(EPISODE, at=at))

    first, second = log.entries

    assert str(first.id) == "episode:2026-02-02:02:30"
    assert str(second.id) == "episode:2026-02-02:02:30~2"
    assert moment(second) - moment(first) == timedelta(hours=1)


@pytest.mark.parametrize("offset", ["+1:00", "+24:00", "01:00", "+01:60", "+01", "Z"])
def test_what_is_no_offset_is_kept_as_it_is(offset: str) -> None:
    heading = f"## 14:30 | fact | confidence:high | tags:[] | offset:{offset}\n\nx\n"

    (entry,) = parse_day(f"{new_day(DAY)}\n{heading}", PATH).entries

    assert moment(entry) == datetime(2026, 2, 2, 14, 30, tzinfo=UTC)
    assert entry.item == replace(entry.item, more=(("offset", offset),))


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
@pytest.mark.parametrize("offset", ["+14:00", "-12:00"])
def test_an_offset_at_the_edges_of_the_calendar_does_no_harm(
    day: str, offset: str
) -> None:
    heading = f"## 00:30 | fact | confidence:high | tags:[] | offset:{offset}\n\nx\n"

    (entry,) = parse_day(heading, f"memory/episodes/{day}.md").entries

    assert moment(entry).astimezone(UTC).tzinfo is UTC


def test_a_hostile_text_is_read_to_its_end() -> None:
    for line in [
        "## 14:30 | fact | confidence:low | tags:[]\n",
        "## |\n",
        "|",
        ",\\",
        "<!--x\n",
    ]:
        text = "## 14:30 | " + line * (100_000 // len(line))

        assert render_day(parse_day(text, PATH)) == text


@given(strategies.texts, st.sampled_from(["tool", "import", "sub-agent", "system"]))
def test_words_of_somebody_else_stand_as_a_quotation(text: str, by: str) -> None:
    at = datetime(2026, 2, 2, 14, 30, tzinfo=UTC)
    own = Episode(at, EpisodeKind.FACT, Confidence.HIGH, text)
    theirs = replace(own, more=(("by", by),))

    written = render_episode(theirs)
    (read,) = parse_day(written, "memory/episodes/2026-02-02.md").entries
    (same,) = parse_day(render_episode(own), "memory/episodes/2026-02-02.md").entries

    body = written.partition("\n")[2]
    assert all(line.startswith(">") for line in body.split("\n") if line)
    assert read.text == same.text
