"""What is said of a memory in short: topics, and one sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.encoding.routing.gazetteer import NO_NAMES
from reverie.encoding.routing.lexicon import (
    DETERMINERS,
    FEELINGS,
    NOUNS_TOO,
    PAST,
    PREPOSITIONS,
    PRESENT,
    PRONOUNS,
    QUALIFIERS,
    words_in,
)
from reverie.index.words import STOP_WORDS, stems
from reverie.model.ids import slug
from reverie.model.route import LONGEST_TAG, MOST_TAGS, is_visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.encoding.routing.known import Known, Thing
    from reverie.encoding.routing.reading import Sentence

LONGEST_SUMMARY = 140
ENOUGH_TAGS = 4
FEWEST_TAGS = 2
"""Names and nouns make up to four topics; other words only the first two."""


def tags_of(sentences: Sequence[Sentence], things: Iterable[Thing]) -> tuple[str, ...]:
    """Two to five topics: known names, other names, then the most telling words."""
    ordered = sorted(things, key=lambda one: not one.known)
    tags = list(dict.fromkeys(one.id.partition("--")[2] for one in ordered))
    tags = [tag for tag in tags if len(tag) <= LONGEST_TAG][:MOST_TAGS]
    covered = set(stems(part for tag in tags for part in tag.split("-")))
    nouns, others = _telling(sentences)
    for number, word in enumerate((*nouns, *others)):
        if len(tags) >= (ENOUGH_TAGS if number < len(nouns) else FEWEST_TAGS):
            break
        (stem,) = stems([word])
        if stem not in covered and word not in tags:
            covered.add(stem)
            tags.append(word)
    return tuple(tags)


def _telling(sentences: Sequence[Sentence]) -> tuple[list[str], list[str]]:
    """Words that may be a topic, longer ones first: nouns, then others."""
    lows = (word.low for sentence in sentences for word in sentence.words)
    seen = dict.fromkeys(low.removesuffix("'s") for low in lows)
    fit = [low for low in seen if _is_word(low)]
    nouns = [slug(low) for low in fit if _is_noun(low)]
    others = [slug(low) for low in fit if low.endswith(("ing", "ed", "ly"))]
    return sorted(nouns, key=lambda tag: -min(len(tag), 8)), others


def _is_word(low: str) -> bool:
    plain = 3 <= len(low) <= LONGEST_TAG and low.replace("-", "").isalpha()
    return plain and low not in _DULL


def _is_noun(low: str) -> bool:
    """Whether a word is a noun, as far as its ending tells."""
    if low.endswith(("ly", "ing")) or low.removesuffix("s") in _VERBS:
        return False
    return not (low.endswith("ed") and len(low) > 4)


_VERBS = PRESENT - NOUNS_TOO
_DULL = (
    STOP_WORDS
    | DETERMINERS
    | PREPOSITIONS
    | PRONOUNS
    | QUALIFIERS
    | PAST
    | NO_NAMES
    | FEELINGS
    | words_in("""
        not never always really very just also still now then here more most much many
        few two three four five six seven eight nine ten first last next second today
        yesterday tomorrow tonight week month year day days weeks months years hours
        minutes ago morning evening night afternoon time times thing things stuff lot
        bit about user please remember forget note important because while though
        however actually correction decided decision todo remind sure too out off back
        away again been done gone due name called good bad big small well better best
        ever
    """)
)


# --- one sentence ------------------------------------------------------------


def summary_of(sentences: Sequence[Sentence], text: str, known: Known) -> str:
    """The first sentence, in the third person where that is certain.

    Nothing is said that the text does not say.
    """
    first = sentences[0].text if sentences else " ".join(text[:400].split())
    shown = (char if is_visible(char) else " " for char in _third_person(first, known))
    told = " ".join("".join(shown).split())
    if len(told) <= LONGEST_SUMMARY:
        return told
    return told[: LONGEST_SUMMARY - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "\u2026"


def _third_person(text: str, known: Known) -> str:
    """`I prefer tea` as `The user prefers tea`; any other sentence as it stands."""
    who = "The user" if known.owner == "user" else known.owner
    found = _I_DO.match(text)
    if found and not _SELF.search(text[found.end() :]):
        verb = _THIRD.get(found[1].lower(), f"{found[1].lower()}s")
        return f"{who} {verb}{text[found.end() :]}"
    found = _MY_IS.match(text)
    if found and not _SELF.search(text[found.end(1) :]):
        return f"{who}'s{text[found.end(1) :]}"
    return text


_I_DO = re.compile(
    r"I(?:\s|(?='))(prefer|like|love|hate|dislike|enjoy|avoid|use|live|work|speak|own"
    r"|need|want|play|have|am|'m|take|drink|eat)\b(?! (?:to|been))",
    re.IGNORECASE,
)
_MY_IS = re.compile(r"(My)(?= [\w -]{1,40} (?:is|are)\b)")
_SELF = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our)\b", re.IGNORECASE)
_THIRD = {"have": "has", "am": "is", "'m": "is"}
