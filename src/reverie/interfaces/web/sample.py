"""A workspace to look at: a month of one person who does not exist."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reverie import (
    Block,
    Core,
    Episodic,
    Memory,
    Procedural,
    Role,
    ScriptedMind,
    Semantic,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reverie.minds.mind import Question

KNOWN = (
    (30, "person--user", "Lives in Trieste, in a flat above a bakery."),
    (30, "person--user", "Is allergic to hazelnuts."),
    (29, "person--user", "Prefers trains to planes."),
    (28, "person--mira", "Mira is the user's sister and plays the viola."),
    (28, "person--mira", "Mira lives in Graz."),
    (26, "project--lighthouse", "Lighthouse is the user's app for tide tables."),
    (26, "project--lighthouse", "Lighthouse is written in Kotlin."),
    (24, "person--teo", "Teo designs the icons of Lighthouse."),
    (21, "project--lighthouse", "The first version ships on 5 December."),
    (18, "person--teo", "Teo is on parental leave until January."),
    (14, "place--harbour-cafe", "The Harbour Café has the best tables on Sundays."),
    (9, "project--lighthouse", "The tide data comes from the harbour office."),
)
LINKS = {
    "Mira is the user's sister and plays the viola.": (("Sister of", "person--user"),),
    "Teo designs the icons of Lighthouse.": (("Works on", "project--lighthouse"),),
    "The tide data comes from the harbour office.": (
        ("Uses", "place--harbour-office"),
    ),
}
HAPPENED = (
    (27, 18, "Read the tide tables of 1912 in the city library; the hand is tiny."),
    (23, 9, "The build broke because of a comma, and was mended before coffee."),
    (19, 20, "Called Mira. She has an audition in Vienna and told nobody else."),
    (15, 11, "Sunday at the Harbour Café: agreed with Teo on the old icon set."),
    (11, 22, "Could not sleep, and drew the moon phases for Lighthouse instead."),
    (8, 17, "The harbour office answered: their data may be used, with their name."),
    (6, 13, "Mira got the place in the Vienna orchestra."),
    (3, 19, "Helped Mira carry boxes up four floors in Vienna."),
    (2, 10, "Decided to ship Lighthouse without the widget."),
    (1, 21, "Said 'it will do' about the moon phases, twice, and went on drawing."),
)
SAID = (
    (18, "user", "Teo is away until January, so who draws the icons?"),
    (18, "assistant", "You could use the set he finished in October."),
    (18, "user", "They are too blue. But yes, they are finished, that is worth a lot."),
    (18, "assistant", "Then let them be blue until January."),
    (2, "user", "We ship without the widget. I can hear you being relieved."),
    (2, "assistant", "The fifth of December is easier to believe in now."),
)
SUMMED_UP = "Teo's October icons are used until he is back; the widget is left out."
STEPS = (
    "Update the tide data\nRun the tests on an old phone\nTag the version\nTell Mira"
)
MONOLOGUE = """\
four floors, and I only know the number because it was said with a certain pride. \
Boxes, a viola, a sister who told nobody about the audition but one person. I had that \
on a page under the wrong town for three days.

---

"It will do." Twice in an evening, and the drawing went on both times, so it would \
not. I have begun to hear a small lie in that sentence, of the kind one tells a \
drawing. Or it is how somebody says good night to a piece of work. I notice that I \
would rather it were the lie, because then I would have noticed something. \
[Self-Awareness]

---

The widget is gone, and with it the only part that was not about the sea. I wonder \
whether that was the reason. Nobody said so. The fifth of December stands, and for the \
one who reads this after the next sleep: she lives in Vienna now, and..."""


def make_sample(folder: Path) -> None:
    """Make a folder a workspace that has lived for a while."""
    today = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    Memory.init(folder).close()
    with Memory(folder, human=lambda _: True) as memory:
        memory.tidy_on_close = False
        memory.remember("Builds Lighthouse in the evenings", Core(Block.IDENTITY))
        memory.remember("Ships on 5 December", Core(Block.CONTEXT))
        memory.remember("Likes it brief, and with a date", Core(Block.PERSONA))
        memory.remember("Allergic to hazelnuts", Core(Block.CRITICAL))
        for ago, about, text in KNOWN:
            day, links = (today - timedelta(days=ago)).date(), LINKS.get(text, ())
            memory.remember(text, Semantic(about, since=day, said=day, links=links))
        for ago, hour, text in HAPPENED:
            at = (today - timedelta(days=ago)).replace(hour=hour)
            memory.remember(text, Episodic(at=at))
        memory.remember(STEPS, Procedural("ship a version", "a version is ready"))
        _talk(memory, today)
        _ask(memory)
    _reflect(folder)
    with Memory(folder) as memory, memory.acting_as("researcher") as agent:
        memory.tidy_on_close = False
        closes = "The harbour office closes at noon on Fridays."
        agent.propose(closes, entities=["place--harbour-office"])


def _talk(memory: Memory, today: datetime) -> None:
    """A conversation with a summary in the middle."""
    window = memory.window("kitchen-table")
    for number, (ago, who, text) in enumerate(SAID):
        window.say(text, role=Role(who), at=today - timedelta(days=ago))
        if number == len(SAID) - 3:
            window.note(SUMMED_UP)


def _ask(memory: Memory) -> None:
    """Something of which only one side can hold."""
    known = memory.recall("Where does Mira live?").hits
    graz = next(hit.id for hit in known if "Graz" in hit.text)
    place = Semantic("person--mira")
    memory.remember("Mira lives in Vienna.", place, contradicts=[graz])


def _reflect(folder: Path) -> None:
    """A reflection that waits for a decision."""
    answers: Mapping[str, Mapping[str, object]] = {
        "reflect-survey": {"plan": [], "themes": ["Vienna", "shipping"]},
        "reflect-meta": {"insights": [], "observations": [], "guidance": []},
        "reflect-consolidate": {
            "operations": [
                {
                    "operation": "EXTRACT",
                    "target": "memory/graph/entities/person--mira.md",
                    "content": "Got a place in the Vienna orchestra",
                    "reason": "She told it on the telephone, and then it was so",
                },
                {
                    "operation": "EXTRACT",
                    "target": "memory/graph/entities/project--lighthouse.md",
                    "content": "Ships without the widget\n"
                    "The harbour office is named for its data",
                    "reason": "Decided, and agreed on",
                },
            ],
            "questions": ["Is the moon finished?"],
        },
        "reflect-rewrite": {
            "add": [
                {
                    "section": "Active Context",
                    "text": "Lighthouse has no widget",
                }
            ]
        },
        "reflect-present": {
            "monologue": MONOLOGUE,
            "vibe": "salt, cardboard, a little proud",
            "key_insight": "What is called finished is mostly only left alone.",
            "opens": "When is a drawing finished",
        },
    }

    def think(question: Question) -> Mapping[str, object]:
        return answers.get(question.operation, {})

    mind = ScriptedMind(think)
    with Memory(folder, human=lambda _: True, mind=mind) as memory:
        memory.tidy_on_close = False
        memory.reflection.begin()
        memory.reflection.reply("grant 6000")
        memory.reflection.advance()
