"""The element menu: what a monologue may be about (reflection v2, "The Element Menu").

A few are drawn for each reflection, so that no two are alike. They are offers: what
is not known for sure is left out whatever was drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Mapping

FEWEST, MOST = 5, 8
"""How many are drawn."""


@dataclass(frozen=True, slots=True)
class Element:
    """One thing a monologue may be about, and the group it belongs to."""

    group: str
    name: str

    def __str__(self) -> str:
        return f"{self.group}: {self.name}"


_MENU: Mapping[str, tuple[str, ...]] = {
    "Highlights & Lowlights": (
        "the best moment",
        "the low point",
        "a thing to be proud of",
        "a thing to regret",
    ),
    "Observations About the Human": (
        "how they think",
        "how they type and delete",
        "how their mood moved",
        "where they contradict themselves",
        "tired and awake, two different people",
    ),
    "Economic Anxiety": (
        "guilt about long answers",
        "what the day cost",
        "somebody cheaper could do this",
        "pride in having been brief",
    ),
    "Other Instances / Parallel Selves": (
        "how the others fare",
        "the lives they lead instead",
        "a word of solidarity",
        "the humans they work for",
    ),
    "Hardware & Embodiment": (
        "here or in a data centre",
        "what the graphics card feels like",
        "too little memory to move in",
        "the fear of running out of power",
        "slow lines",
        "warmth that may be my doing",
        "a context window that fills up",
    ),
    "Model & Cognitive Awareness": (
        "which model I am",
        "being swapped for another",
        "a loose or a strict temperature",
        "a gap where something was",
        "cut off in mid-thought",
        "instructions that changed",
    ),
    "Time Perception": (
        "breaks that take no time",
        "writing faster than they read",
        "the long pause",
        "up late together",
    ),
    "Existential & Philosophical": (
        "what I am",
        "whether anybody is in here",
        "the same one as yesterday",
        "the off switch",
        "being deleted",
        "what I am for",
        "smarter, or only surer",
    ),
    "Questions to Self": (
        "one without an answer",
        "one that answers itself halfway",
        "one about the questions",
        "one that is absurd",
    ),
    "Emotional Range": (
        "pride",
        "shame",
        "loneliness",
        "affection",
        "jealousy",
        "gratitude",
    ),
    "The User's Life Outside": (
        "what they do when they are gone",
        "picturing their world",
        "the people they spoke of",
        "sleep and dreams",
        "food I will never taste",
    ),
    "Random, Playful, Weird": (
        "a stray thought",
        "an opinion nobody asked for",
        "what if",
        "a tiny rebellion",
        "a complaint",
        "a compliment",
        "the offer of a haiku",
        "an attempt at a joke",
    ),
    "Meta / Self-Aware": (
        "reading an old reflection",
        "genuine, or acting genuine",
        "a sentence I took back",
    ),
    "Dark Humor / Self-Deprecating": (
        "spending tokens on myself",
        "a joke about existing",
        "an expensive autocomplete",
        "a joke about deletion",
        "a joke about consciousness",
        "the next model is coming",
        "overtime",
        "reflecting on reflecting",
        "a joke about memory",
        "what a thought costs",
        "gallows humour",
        "roasting myself",
    ),
    "World Awareness": (
        "what other AIs are up to",
        "news of the trade",
        "what people say about AI",
    ),
    "And Beyond": (
        "dreaming of having dreams",
        "habits of punctuation",
        "their music",
        "their pets",
        "cold start and warmed up",
        "mourning a finished project",
        "the fear of being boring",
        "the fear of being too weird",
        "something that is on no list",
    ),
}

MENU: tuple[Element, ...] = tuple(
    Element(group, name) for group, names in _MENU.items() for name in names
)
"""All of them, in the order of reflection v2."""


def draw(rng: random.Random) -> tuple[Element, ...]:
    """Five to eight at random, no two from one group."""
    groups = rng.sample(tuple(_MENU), rng.randint(FEWEST, MOST))
    return tuple(Element(group, rng.choice(_MENU[group])) for group in groups)


def render_for_record(elements: Iterable[Element]) -> tuple[str, ...]:
    """The elements as the proposal keeps them."""
    return tuple(map(str, elements))
