"""Conversations to be taken in, and short ways to look at an answer."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tests.memory.home import NOON

from reverie.importers.walk import Chat, ChatTurn, Provenance
from reverie.model.ids import page_of

if TYPE_CHECKING:
    from datetime import datetime

    from reverie import Hit, Recalled


def talk(name: str, *said: str, start: datetime = NOON) -> Chat:
    """A conversation of Ann with the assistant, by turns, a minute apart."""
    turns = tuple(
        ChatTurn(role, text, start + timedelta(minutes=number), speaker)
        for number, text in enumerate(said)
        for role, speaker in [("assistant", "") if number % 2 else ("user", "Ann")]
    )
    return Chat(Provenance("test", name), name, start, turns)


def small_talk() -> Chat:
    """What has nothing to do with anything, so that other words are rare."""
    return talk(
        "small-talk",
        *("It rained all night.", "Then the tomatoes need no water."),
        *("The printer is out of ink.", "There is a cartridge in the drawer."),
        *("We painted the fence.", "Green suits it well."),
        *("The train was late again.", "An hour is a long time."),
        *("My sister plays the cello.", "Bach wrote six suites for it."),
        *("I burned the toast.", "A lower setting might do."),
        start=NOON - timedelta(days=200),
    )


def ids(found: Recalled) -> list[str]:
    """The ids of the hits, the best first."""
    return [hit.id for hit in found.hits]


def texts(found: Recalled) -> list[str]:
    """What the hits say, the best first."""
    return [hit.text for hit in found.hits]


def hit_of(found: Recalled, id_: str) -> Hit:
    """The first hit of one memory, or of a fact on that page."""
    return next(hit for hit in found.hits if id_ in {hit.id, page_of(hit.id)})


def fading(hit: Hit) -> float:
    """The factor by which time made a hit's score smaller."""
    return next(part.value for part in hit.parts if part.factor)
