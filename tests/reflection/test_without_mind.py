"""Reflection without a mind: it lists, and understands nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.reflection.surveyed import Surveyed

from reverie import Actor, Episodic, Origin
from reverie.config import Config
from reverie.model.reflection import OperationKind
from reverie.reflection.cycle import Tracked
from reverie.reflection.without_mind import (
    AGAIN,
    FADING,
    TWICE,
    PlainListing,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.reflection.draft import Draft

AGENT = Actor("bot:main")
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LAST = NOW - timedelta(days=3)
TODAY, LONG_AGO = NOW - timedelta(hours=5), NOW - timedelta(days=50)


@pytest.fixture
def told(tmp_path: Path) -> Surveyed:
    """A workspace in which nothing happened yet."""
    return Surveyed(tmp_path, NOW)


def reflect(told: Surveyed) -> Draft:
    index = told.index
    seen = told.survey(Tracked(LAST, LAST))
    return PlainListing(seen, index, Config(), NOW, UTC).draft()


def listed(told: Surveyed) -> dict[str, tuple[str, ...]]:
    return dict(reflect(told).listed)


def fade(told: Surveyed, id_: str, days: int = 50) -> None:
    told.touch(id_, created=LONG_AGO, last_accessed=NOW - timedelta(days=days))


def test_new_episodes_stand_with_whom_they_name_and_the_others_are_unfiled(
    told: Surveyed,
) -> None:
    told.know("person--nora", "Paints.")
    told.tell(TODAY, "Nora's train was late.")
    told.tell(TODAY, "Met [[person--nora]] for lunch.")
    told.tell(TODAY, "The heating broke down.")

    found = listed(told)

    assert found["Nora: 2 new episodes"] == (
        "2026-03-01: Nora's train was late.",
        "2026-03-01: Met [[person--nora]] for lunch.",
    )
    assert found["Unfiled: 1 new episode"] == ("2026-03-01: The heating broke down.",)


def test_an_episode_about_two_stands_once_and_names_the_other(told: Surveyed) -> None:
    told.know("person--nora", "Paints.")
    told.know("person--sam", "Cooks.")
    told.tell(TODAY, "Nora and Sam argued.")
    told.tell(TODAY, "Sam called.")

    assert "2026-03-01: Nora and Sam argued. (also Nora)" in str(listed(told))


def test_who_is_called_will_is_not_meant_by_every_will(told: Surveyed) -> None:
    told.know("person--will", "Sails.")
    told.tell(TODAY, "It will rain.")
    told.tell(TODAY, "Will sailed alone.")

    found = listed(told)

    assert found["Will: 1 new episode"] == ("2026-03-01: Will sailed alone.",)


def test_nothing_is_extracted_connected_or_called_a_contradiction(
    told: Surveyed,
) -> None:
    told.know("person--nora", "Lives in Porto.")
    for text in (
        "Nora lives in Lyon.",
        "Nora starts on February 1. She'll work remotely from Lyon.",
        "Nate won his first video game tournament.",
        "Every Friday we ship.",
    ):
        told.tell(TODAY, text)

    draft = reflect(told)

    assert draft.operations == ()
    words = str(draft.listed)
    assert "Nora starts on February 1. She'll work remotely from Lyon." in words
    assert draft.insight.new_understanding == ""


def test_what_was_of_use_again_is_listed(told: Surveyed) -> None:
    page = told.know("person--nora", "Paints.")
    told.touch(page, created=LONG_AGO, last_accessed=TODAY, accesses=4)

    (line,) = listed(told)[AGAIN]

    assert "Paints." in line
    assert "4 times" in line


def test_what_fades_is_listed_with_its_words_and_never_offered(told: Surveyed) -> None:
    id_ = told.tell(LONG_AGO, "Nate won his first video game tournament.")
    fade(told, id_, 17)

    draft = reflect(told)

    assert "Nate won his first video game tournament." in dict(draft.listed)[FADING][0]
    assert draft.operations == ()


def test_what_faded_before_the_last_reflection_is_only_counted(told: Surveyed) -> None:
    fade(told, told.tell(LONG_AGO, "Nate won his first video game tournament."))

    assert listed(told)[FADING] == ("1 more, listed before",)


def test_what_stands_elsewhere_too_may_be_archived_and_says_where(
    told: Surveyed,
) -> None:
    told.know("person--nora", "Lives in Porto since May.")
    id_ = told.tell(LONG_AGO, "Nora lives in Porto since May.")
    fade(told, id_)

    (offer,) = reflect(told).operations

    assert (offer.kind, offer.target) == (OperationKind.ARCHIVE, id_)
    assert "Nora lives in Porto since May." in offer.content
    assert "memory/graph/entities/person--nora.md" in offer.reason


def test_of_two_that_say_the_same_one_stays(told: Surveyed) -> None:
    first = told.tell(LONG_AGO, "The cellar floods in spring.")
    second = told.tell(LONG_AGO, "The cellar floods in spring.")
    fade(told, first, 49)
    fade(told, second, 50)

    assert [offer.target for offer in reflect(told).operations] == [second]


def test_what_only_sounds_alike_is_not_said_elsewhere(told: Surveyed) -> None:
    id_ = told.tell(LONG_AGO, "Nora lives in the old house by the river.")
    for other in (
        "Nora does not live in the old house by the river.",
        "The old house by the river lives in Nora.",
        "She lives in the old house by the river.",
    ):
        told.tell(TODAY, other)
    fade(told, id_)

    assert reflect(told).operations == ()


def test_a_strangers_copy_replaces_nothing_its_human_said(told: Surveyed) -> None:
    id_ = told.tell(LONG_AGO, "The cellar floods in spring.")
    fade(told, id_)
    copy = "The cellar floods in spring."
    told.home.memory.remember(copy, Episodic(), origin=Origin.TOOL, actor=AGENT)

    assert reflect(told).operations == ()


def test_new_episodes_that_say_nearly_the_same_are_listed_beside_each_other(
    told: Surveyed,
) -> None:
    told.tell(TODAY, "The new boiler costs four thousand euros plus tax.")
    told.tell(TODAY, "Plus tax the new boiler costs four thousand euros.")

    (line,) = listed(told)[TWICE]

    assert "plus tax." in line
    assert "Plus tax" in line


def test_open_questions_of_pages_are_asked(told: Surveyed) -> None:
    told.know("person--nora", "Paints.")
    assert told.index.find("entity:person--nora")
    page = "memory/graph/entities/person--nora.md"
    text = (told.home.root / page).read_text("utf-8")
    told.type(page, f"{text}\n## Open Questions\n- Does she teach?\n")

    assert "Nora: Does she teach?" in reflect(told).questions
