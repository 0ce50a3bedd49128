"""Every argument of a write has an effect, or is refused; none is silently ignored."""

from __future__ import annotations

import inspect
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import asdict
from tests.memory.home import ALEX, CORE, DAY, DEPLOY, PASSPORT, Home

from reverie import (
    Actor,
    Block,
    Confidence,
    Core,
    EpisodeKind,
    Episodic,
    Memory,
    Observation,
    Origin,
    Procedural,
    RefusedError,
    Secrets,
    Semantic,
    Vault,
)
from reverie.stores.entities import fact_id

if TYPE_CHECKING:
    from reverie.model.route import Place

BERLIN = fact_id("person--alex", "Lives in Berlin")
EPISODE = "episode:2026-02-02:12:00"
AL = "memory/graph/entities/person--al.md"

FIELDS: dict[type, dict[str, tuple[object, str, str]]] = {
    Episodic: {
        "kind": (EpisodeKind.TASK, DAY, "## 12:00 | task |"),
        "confidence": (Confidence.LOW, DAY, "confidence:low"),
        "tags": (("garden",), DAY, "tags:[garden]"),
        "at": (
            datetime(2026, 1, 5, 8, tzinfo=UTC),
            "memory/episodes/2026-01-05.md",
            "## 08:00 |",
        ),
        "scope": ("Ana", DAY, "scope:Ana"),
        "basis": ("vault:passport", DAY, "from:vault:passport"),
        "claim": ("Bob", DAY, "claim:Bob"),
        "supersedes": (EPISODE, DAY, "~~Chose the hybrid approach.~~"),
    },
    Semantic: {
        "about": ("person--al", AL, "- New words."),
        "type": ("person", AL, "- New words."),
        "since": (date(2026, 1, 1), AL, "since: 2026-01-01"),
        "supersedes": (BERLIN, ALEX, "~~Lives in Berlin~~"),
        "links": ((("knows", "person--alex"),), AL, "- knows: [[person--alex]]"),
        "alias": ("Allie", AL, "Aliases: Allie"),
        "perhaps": (("person--alex",), AL, "Is this the same as [[person--alex]]?"),
        "on": (date(2026, 5, 1), AL, "on: 2026-05-01"),
        "until": (date(2026, 5, 1), AL, "until: 2026-05-01"),
        "said": (date(2026, 1, 1), AL, "said: 2026-01-01"),
        "basis": ("vault:passport", AL, "from: vault:passport"),
        "confidence": (Confidence.LOW, AL, "confidence: low"),
        "claim": ("Bob", AL, "claim: Bob"),
        "also": (("Allie",), AL, "Aliases: Allie"),
        "tags": (("garden",), AL, "tags: garden"),
    },
    Procedural: {
        "name": ("how to rest", "memory/procedures/how-to-rest.md", "1. New words."),
        "trigger": ("When tired.", DEPLOY, "When tired."),
        "supersedes": ("run the tests", DEPLOY, "1. New words.\n2. tag it"),
    },
    Vault: {
        "title": ("Key", "memory/vault/key.md", "New words."),
        "supersedes": ("vault:passport", PASSPORT, "New words."),
    },
    Core: {
        "block": (Block.PERSONA, CORE, "- New words."),
        "pinned": (True, CORE, "- New words. <!-- pinned -->"),
        "supersedes": ("core:context/working-on", CORE, "- Working on: New words."),
    },
}
"""Of each field of a place: a value, and what a file says because of it."""

BASE: dict[type, dict[str, Any]] = {
    Semantic: {"about": "Al", "type": "person"},
    Procedural: {"name": "how to deploy"},
}


@pytest.mark.parametrize("place", [*FIELDS])
def test_the_table_has_every_field_of_a_place(place: type) -> None:
    assert set(FIELDS[place]) == {*asdict(place(**BASE.get(place, {})))}


@pytest.mark.parametrize(
    ("place", "name"), [(place, name) for place in FIELDS for name in FIELDS[place]]
)
def test_every_field_of_a_place_stands_in_a_file(
    furnished: Home, place: type, name: str
) -> None:
    value, path, expected = FIELDS[place][name]
    wanted: Place = place(**{**BASE.get(place, {}), name: value})

    furnished.memory.remember("New words.", wanted)

    assert expected in furnished.text(path)


REMEMBERED: dict[str, tuple[dict[str, Any], str]] = {
    "actor": ({"actor": Actor("bot:auto-detect")}, "source:conversation"),
    "origin": ({"origin": Origin.TOOL}, "by:tool"),
    "secrets": ({"secrets": Secrets.REDACT}, "[redacted"),
    "derived_from": ({"derived_from": ["vault:passport"]}, "from:vault:passport"),
    "supersedes": ({"supersedes": [EPISODE]}, "~~Chose the hybrid approach.~~"),
    "contradicts": ({"contradicts": [BERLIN]}, ""),
    "also": ({"also": [("", Episodic(EpisodeKind.TASK))]}, "| task |"),
    "trigger": ({"trigger": "they said so"}, ""),
}


def test_the_table_has_every_argument_of_remember() -> None:
    known = set(inspect.signature(Memory.remember).parameters)
    # A conversation has an effect with a sentence that its user typed alone.
    assert known == {"self", "text", "place", "conversation", *REMEMBERED}


@pytest.mark.parametrize("name", REMEMBERED)
def test_every_argument_of_remember_has_an_effect(furnished: Home, name: str) -> None:
    more, expected = REMEMBERED[name]
    text = "The password is Tulip!4821x" if name == "secrets" else "New words."

    done = furnished.memory.remember(text, Episodic(), **more)

    assert expected in furnished.text(DAY)
    assert (name == "contradicts") is bool(done.contradicts)
    assert (name == "trigger") is ("Trigger: they said so" in furnished.message())


CONTRADICTORY: dict[str, Any] = {
    "a type that the ID of the page contradicts": lambda m: m.remember(
        "New words.", Semantic("person--alex", "project")
    ),
    "a title of a note that gets other words": lambda m: m.remember(
        "New words.", Vault("Another", supersedes="vault:passport")
    ),
    "a pin of a line that waits for approval": lambda m: m.remember(
        "New words.", Core(pinned=True), origin=Origin.AGENT
    ),
    "a day of what is no fact": lambda m: m.correct(
        EPISODE, "New words.", on=date(2026, 1, 1)
    ),
    "relations of what is no fact": lambda m: m.correct(
        EPISODE, "New words.", links=[("knows", "person--alex")]
    ),
    "a turn without its conversation": lambda m: m.observe(
        [Observation("New words.", turn=7)]
    ),
    "a turn that the conversation does not have": lambda m: m.observe(
        [Observation("New words.", turn=7)], window="trip"
    ),
    "neither a name nor a type": lambda m: m.rename("person--alex"),
    "a session and a file to undo": lambda m: m.undo(path=CORE, session="r-001"),
    "days where one side is kept": lambda m: m.settle(
        "1", keep=BERLIN, until={BERLIN: date(2026, 1, 1)}
    ),
    "an empty ID to supersede": lambda m: m.remember(
        "New words.", Episodic(), supersedes=[""]
    ),
    "an empty ID to contradict": lambda m: m.remember(
        "New words.", Semantic("Al", "person"), contradicts=[""]
    ),
    "a source of an origin that has none": lambda m: m.purgeable(
        Origin.TOOL, source="a.md"
    ),
}
"""Arguments that cannot take effect."""


@pytest.mark.parametrize("name", CONTRADICTORY)
def test_what_cannot_take_effect_is_refused_and_changes_nothing(
    furnished: Home, name: str
) -> None:
    commits = furnished.commits()

    with pytest.raises(RefusedError):
        CONTRADICTORY[name](furnished.memory)

    assert furnished.commits() == commits


OBSERVED: dict[str, tuple[object, str]] = {
    "text": ("Sings.", "- Sings."),
    "about": ("person--al", "- New words."),
    "day": ("2026-05-01", "on: 2026-05-01"),
    "claim": ("Bob", "claim: Bob"),
    "supersedes": ((BERLIN,), ""),
    "turn": (1, "from: turn:trip/1/user/0"),
    "source": ("vault:passport", "from: vault:passport"),
    "confidence": (Confidence.LOW, "confidence: low"),
}


def test_the_table_has_every_field_of_an_observation() -> None:
    assert set(OBSERVED) == set(inspect.signature(Observation).parameters)


@pytest.mark.parametrize("name", OBSERVED)
def test_every_field_of_an_observation_stands_on_its_page(
    furnished: Home, name: str
) -> None:
    furnished.memory.window("trip").say("Hello.")
    value, expected = OBSERVED[name]
    noted = {"text": "New words.", "about": "person--al", name: value}

    done = furnished.memory.observe([noted], window="trip")

    assert expected in furnished.text(AL)
    assert [n.id for n in done.superseded] == [BERLIN] * (name == "supersedes")


def test_a_fact_that_differs_in_its_full_stop_is_one_fact(furnished: Home) -> None:
    furnished.memory.remember("Prefers tea to coffee", Semantic("Alex", "person"))
    place = Semantic("Alex", "person", since=date(2026, 1, 5))

    furnished.memory.remember("Prefers tea to coffee.", place)

    page = furnished.text("memory/graph/entities/person--alex.md")
    assert page.count("Prefers tea to coffee") == 1
    assert "since: 2026-01-05" in page
