"""A workspace to look at: some weeks of one person who does not exist."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reverie import Memory, Role

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = (
    (28, "person--mira", "Mira is the user's sister and plays the viola."),
    (28, "person--mira", "Mira lives in Graz."),
    (26, "project--lighthouse", "Lighthouse is the user's app for tide tables."),
    (26, "project--lighthouse", "Lighthouse is written in Kotlin."),
    (21, "person--user", "The user is allergic to hazelnuts."),
    (21, "person--user", "The user prefers trains to planes."),
    (17, "person--teo", "Teo designs the icons of Lighthouse."),
    (12, "project--lighthouse", "The first version of Lighthouse ships on 5 December."),
    (9, "person--teo", "Teo is on parental leave until January."),
    (4, "place--harbour-cafe", "The Harbour Café has the best tables on Sundays."),
)
SAID = (
    (9, "user", "Teo is away until January, so who draws the icons?"),
    (9, "assistant", "You could use the set he finished in October."),
    (3, "user", "Mira moved to Vienna last weekend, I helped with the boxes."),
    (3, "assistant", "How good of you. Is her viola still in one piece?"),
    (1, "user", "We decided to ship Lighthouse without the widget."),
    (1, "assistant", "Then the fifth of December holds."),
)


def make_sample(folder: Path) -> None:
    """Make a folder a workspace that has lived for a while."""
    today = datetime.now(UTC)
    Memory.init(folder).close()
    with Memory(folder) as memory:
        memory.tidy_on_close = False
        memory.observe(
            {
                "text": text,
                "about": about,
                "day": f"{today - timedelta(days=ago):%Y-%m-%d}",
            }
            for ago, about, text in PEOPLE
        )
        window = memory.window("kitchen-table")
        for ago, who, text in SAID:
            window.say(text, role=Role(who), at=today - timedelta(days=ago))
        with memory.acting_as("researcher") as agent:
            agent.propose("Mira lives in Vienna.", entities=["person--mira"])
