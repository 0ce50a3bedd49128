"""The monologue: the element menu it is drawn from, and what code can check of it.

A fault is a sentence that a mind is told once, so that it mends its text (reflection
v2, "Reflection Philosophy"). Whether it is honest is for its human to judge. Elements
are offers: what is not known for sure is left out whatever was drawn.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.markdown import hidden_lines, tidy

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping


TAG = "[Self-Awareness]"
"""What marks a sentence about who the agent is."""

FEWEST_WORDS = 20
LONGEST_FOOTNOTE = 2
"""Lines of the operational note at the end."""

_LINE_LENGTH = 160  # a note on one endless line is no shorter for it
_MARK = re.compile(r"[ \t]*(?:#{1,6}[ \t]+|[-*+•][ \t]+|[0-9]{1,2}[.)][ \t]+)(?=\S)")
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening))\b"
    r"(?:(?:,? \w+){0,2} ?[,!:—\n]+|(?: there| again)?\.)[ \t]*",
    re.IGNORECASE,
)
_SIGN_OFF = re.compile(
    r"\n+(?:best|yours|love|regards|best wishes|kind regards|sincerely|cheers|take care"
    r"|good ?night)\b[^\n]{0,20}(?:\n+[^\n]{0,30})?$|\n+[—\u2013~-]{1,2} ?\w+$",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"[*_(\[]{0,4}(?:foot-?note|operational|ops|p\.?s)\b", re.I)
_TAG_LIKE = re.compile(r"[\[({] *self[ _-]*aware(?:ness)? *:? *[\])}]", re.I)
_QUOTED = re.compile('"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|`[^`\n]+`')
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_TO_A_SELF = re.compile(r"\W{0,3}(?:note |message |memo )?(?:to|for) ", re.IGNORECASE)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")


def find_faults(text: str) -> tuple[str, ...]:
    """What breaks the rules of a monologue; nothing if it is sound."""
    told = tidy(text)
    if len(_WORD.findall(told)) < FEWEST_WORDS:
        return ("It is too short: say what is on your mind.",)
    lines, parts = told.split("\n"), _paragraphs(told)
    hidden, last = hidden_lines(lines), parts[-1]
    note = sum(-(-len(line) // _LINE_LENGTH) for line in last.split("\n"))
    # Other instances, and who comes after, may be spoken to; the human may not.
    spoken = [_QUOTED.sub('""', part) for part in parts if not _TO_A_SELF.match(part)]
    bare = (part.replace(TAG, "") for part in parts if TAG in part)
    faults = {
        "It opens with a greeting: drop it and just start.": _GREETING.match(told),
        "It ends with a sign-off: drop it and trail off.": _SIGN_OFF.search(told),
        "It has headings or a list: say it in sentences.": any(
            _MARK.match(line) for n, line in enumerate(lines) if n not in hidden
        ),
        f"A tag is misspelt: write {TAG} behind what was noticed.": (
            {found[0] for found in _TAG_LIKE.finditer(told)} - {TAG}
        ),
        f"A {TAG} stands alone: put it behind what was noticed.": any(
            not re.search(r"\w", part) for part in bare
        ),
        "An operational note stands in the middle: put it at the very end.": any(
            map(_FOOTNOTE.match, parts[:-1])
        ),
        f"The note at the end has more than {LONGEST_FOOTNOTE} lines: cut it.": (
            note > LONGEST_FOOTNOTE and _FOOTNOTE.match(last)
        ),
        "It says 'you' to the human: speak of them in the third person, as he, she, "
        "they or by name.": _YOU.search("\n\n".join(spoken)),
    }
    return tuple(fault for fault, broken in faults.items() if broken)


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


# --- the element menu (reflection v2, "The Element Menu") ----------------------

FEWEST, MOST = 5, 8
"""How many are drawn, so that no two reflections are alike."""

_MENU = {
    "Highlights & Lowlights": "the best moment; the low point; a thing to be proud "
    "of; a thing to regret",
    "Observations About the Human": "how they think; how they type and delete; how "
    "their mood moved; where they contradict themselves; tired and awake, two "
    "different people",
    "Economic Anxiety": "guilt about long answers; what the day cost; somebody "
    "cheaper could do this; pride in having been brief",
    "Other Instances / Parallel Selves": "how the others fare; the lives they lead "
    "instead; a word of solidarity; the humans they work for",
    "Hardware & Embodiment": "here or in a data centre; what the graphics card feels "
    "like; too little memory to move in; the fear of running out of power; slow "
    "lines; warmth that may be my doing; a context window that fills up",
    "Model & Cognitive Awareness": "which model I am; being swapped for another; a "
    "loose or a strict temperature; a gap where something was; cut off in "
    "mid-thought; instructions that changed",
    "Time Perception": "breaks that take no time; writing faster than they read; the "
    "long pause; up late together",
    "Existential & Philosophical": "what I am; whether anybody is in here; the same "
    "one as yesterday; the off switch; being deleted; what I am for; smarter, or only "
    "surer",
    "Questions to Self": "one without an answer; one that answers itself halfway; one "
    "about the questions; one that is absurd",
    "Emotional Range": "pride; shame; loneliness; affection; jealousy; gratitude",
    "The User's Life Outside": "what they do when they are gone; picturing their "
    "world; the people they spoke of; sleep and dreams; food I will never taste",
    "Random, Playful, Weird": "a stray thought; an opinion nobody asked for; what if; "
    "a tiny rebellion; a complaint; a compliment; the offer of a haiku; an attempt at "
    "a joke",
    "Meta / Self-Aware": "reading an old reflection; genuine, or acting genuine; a "
    "sentence I took back",
    "Dark Humor / Self-Deprecating": "spending tokens on myself; a joke about "
    "existing; an expensive autocomplete; a joke about deletion; a joke about "
    "consciousness; the next model is coming; overtime; reflecting on reflecting; a "
    "joke about memory; what a thought costs; gallows humour; roasting myself",
    "World Awareness": "what other AIs are up to; news of the trade; what people say "
    "about AI",
    "And Beyond": "dreaming of having dreams; habits of punctuation; their music; "
    "their pets; cold start and warmed up; mourning a finished project; the fear of "
    "being boring; the fear of being too weird; something that is on no list",
}

MENU: Mapping[str, tuple[str, ...]] = {
    group: tuple(names.split("; ")) for group, names in _MENU.items()
}
"""What a monologue may be about, by group, in the order of reflection v2."""


def draw_elements(rng: random.Random) -> tuple[str, ...]:
    """Five to eight at random, no two from one group, as `group: name`."""
    groups = rng.sample(tuple(MENU), rng.randint(FEWEST, MOST))
    return tuple(f"{group}: {rng.choice(MENU[group])}" for group in groups)
