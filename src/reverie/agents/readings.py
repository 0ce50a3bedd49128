"""What a short statement says, in words that can be compared with another's.

Several agents tell the same thing in several ways: `the launch is on 4 May`, `launches
on 11 May`. So what is only grammar is dropped, words that mean the same here become
one, and days, times and amounts are read. Who doubts, asks, quotes or tells of the past
says nothing that another could contradict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.agents.amounts import Key, read_values
from reverie.agents.phrases import DENIALS, bag_of, plain, words_in
from reverie.agents.slots import Slot, slots_of
from reverie.index.words import words

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_READ = 2_000
"""So many characters of a text are read."""

MOST_SENTENCES = 6
SHORTEST, LONGEST = 4, 240
"""Characters of a sentence that is read."""

MOST_KEPT = 2_048
"""So many texts are kept as they were read: one is compared with many."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement.

    Attributes:
        text: As written.
        bag: The stems of its telling words, without values.
        values: For each kind of value found what it is.
        negated: Whether it is denied.
        never: Whether it is denied for all times and cases.
        stative: Whether it tells how something is, not what happened or is had besides.
        over: Whether it tells what somebody did.
        slots: What it says something has one of.
    """

    text: str
    bag: frozenset[str]
    values: Mapping[str, Key] = field(default_factory=dict)
    negated: bool = False
    never: bool = False
    stative: bool = False
    over: bool = False
    slots: tuple[Slot, ...] = ()


def readings(text: str) -> tuple[Reading, ...]:
    """What the first sentences of a text say."""
    return _readings(text[:MOST_READ])


@lru_cache(maxsize=MOST_KEPT)
def _readings(text: str) -> tuple[Reading, ...]:
    found = _SENTENCES.split(text)[:MOST_SENTENCES]
    read = (_reading(" ".join(sentence.split())) for sentence in found)
    return tuple(reading for reading in read if reading)


_SENTENCES = re.compile(r"(?<=[.!?;])\s|\n")


def _reading(sentence: str) -> Reading | None:
    text = sentence.strip(" .!;*_`-").replace("\u2019", "'")
    low = f" {text.lower()} "
    if not SHORTEST <= len(text) <= LONGEST or _is_unsettled(text, low):
        return None
    low = plain(low)
    values, left = read_values(low)
    if values is None:
        return None
    told = words(left)
    denials = [word for word in told if word in DENIALS]
    return Reading(
        text=text,
        bag=bag_of(left),
        values=values,
        negated=len(denials) % 2 == 1,
        never=denials in (["never"], ["no"]),
        stative=_ADDING.isdisjoint(told) and not _EVENT.search(left),
        over=bool(_OVER.search(low)),
        slots=() if values else slots_of(text),
    )


def _is_unsettled(text: str, low: str) -> bool:
    """Whether a sentence is no plain statement about the present."""
    if text.endswith("?") or text[0] in "\"'\u201c>" or low.startswith(_PRONOUNS):
        return True
    return bool(_DOUBT.search(low) or _PAST.search(low))


_PRONOUNS = tuple(f" {w} " for w in sorted(words_in("it he she they this that these")))
_DOUBT = re.compile(
    r"\b(?:might|could|would|should|maybe|perhaps|probably|possibly|if|unless|whether"
    r"|says?|said|thinks?|believes?|claims?|told|heard|hopes?|wants? to|plans? to"
    r"|planned to|ought|either|or|but|except|only|also|too|as well|sometimes|often"
    r"|another|besides|plus|at least|at most|up to|about|around|roughly|nearly|almost"
    r"|approximately|more than|less than|over|under|between|both|usually|mostly"
    r"|some|several|many|most|other)\b|~"
    r"|(?<!\d )(?<!in )(?<!by )(?<!of )(?<!to )(?<!is )(?<!for )(?<!until )\bmay\b"
    r"(?! \d)"
)
_PAST = re.compile(
    r"\b(?:used to|in the past|previously|formerly|originally|yesterday|once|ago|had"
    r"|last (?:week|month|year|night|summer|winter|spring|autumn)|until (?:19|20)\d\d"
    r"|back then|at first|initially)\b"
    r"|\b(?:was|were)\b(?! (?:not )?(?:accepted|rejected|declined|approved|signed|paid"
    r"|founded|moved|pushed|postponed|shifted|changed|set|raised|lowered|reduced"
    r"|increased|rescheduled|renamed|cancelled|canceled|confirmed|born|merged|closed"
    r"|fixed|resolved|delivered|completed|finished|extended|bumped)\b)"
)
_ADDING = words_in("""
    supports support offers offer sells includes include speaks speak plays play knows
    know visits visited bought met read reads wrote tested compatible exports export
    accepts depends depend presented reviewed added adds
""")
"""What somebody does with one thing, and with another besides."""

_EVENT = re.compile(
    r"(?<!is )(?<!are )(?<!be )\b(?:met|bought|sold|went|gave|got|wrote|found|saw|made"
    r"|took|spent|ended|started|visited|added|removed|reported|asked|sent|opened"
    r"|presented|reviewed|tested)\b"
)
_OVER = re.compile(
    r"(?<! is)(?<! are)(?<! be)(?<! was)(?<! were)(?<! been)(?<! has)(?<! have)"
    r"(?<! not)(?<! the)(?<! a)(?<! an)(?<! our) [a-z]+ed\b"
)
